/* The joint table. Adding a type is adding a row. */
#include "rt/mech/joint.h"

#include <string.h>

#include "rt/rtsafe.h"

static const struct field DISTANCE_FIELD[] = {
    {"length", FIELD_FUNCTION, "m", "nan", 0, 0,
     "distance of the points; a function of time makes a motion; default: as placed", SIGN_ANY},
};
static const struct field SCREW_FIELD[] = {
    {"pitch", FIELD_SCALAR, "m", 0, 0, 0, "advance along the axis per turn", SIGN_ANY},
};
static const struct field GEAR_FIELD[] = {
    {"offset", FIELD_FUNCTION, "", "0", 0, 0, "value the sum is held at", SIGN_ANY},
};
static const struct field RACK_FIELD[] = {
    {"radius", FIELD_SCALAR, "m", 0, 0, 0, "advance of the rack per radian of the pinion",
     SIGN_POSITIVE},
};

const struct joint_type JOINT_TYPE[] = {
    /* name            help                                             hold rotation        special         coordinates          rows free axis axis-b refs fields */
    {"revolute", "turns about axis", 7, ROTATION_ALIGN, JOINT_PLAIN, COORDINATES_ANGLE, 5, 1, 1, 0,
     0, 0, 0},
    {"prismatic", "slides along axis", 3, ROTATION_ALL, JOINT_PLAIN, COORDINATES_Z, 5, 1, 1, 0, 0,
     0, 0},
    {"cylindrical", "turns about and slides along axis", 3, ROTATION_ALIGN, JOINT_PLAIN,
     COORDINATES_Z_ANGLE, 4, 2, 1, 0, 0, 0, 0},
    {"spherical", "turns about the point", 7, ROTATION_FREE, JOINT_PLAIN, COORDINATES_NONE, 3, 3, 0,
     0, 0, 0, 0},
    {"universal", "turns about axis (first body) and axis-b (second body)", 7, ROTATION_CROSS,
     JOINT_PLAIN, COORDINATES_CROSS, 4, 2, 1, 1, 0, 0, 0},
    {"planar", "slides in the plane normal to axis and turns about axis", 4, ROTATION_ALIGN,
     JOINT_PLAIN, COORDINATES_X_Y_ANGLE, 3, 3, 1, 0, 0, 0, 0},
    {"fixed", "holds the two bodies together", 7, ROTATION_ALL, JOINT_PLAIN, COORDINATES_NONE, 6, 0,
     0, 0, 0, 0, 0},
    {"distance", "holds the distance of at (first) and at-b (second)", 0, ROTATION_FREE,
     JOINT_DISTANCE, COORDINATES_DISTANCE, 1, 5, 0, 0, 0, DISTANCE_FIELD, 1},
    {"point-on-line",
     "keeps at-b of the second body on the line through at along axis of the first", 3,
     ROTATION_FREE, JOINT_PLAIN, COORDINATES_Z, 2, 4, 1, 0, 0, 0, 0},
    {"point-on-plane",
     "keeps at-b of the second body on the plane through at normal to axis of the first", 4,
     ROTATION_FREE, JOINT_PLAIN, COORDINATES_NONE, 1, 5, 1, 0, 0, 0, 0},
    {"screw", "turns about axis and advances by pitch per turn", 3, ROTATION_ALIGN, JOINT_SCREW,
     COORDINATES_Z_ANGLE, 5, 1, 1, 0, 0, SCREW_FIELD, 1},
    {"gear", "holds a weighted sum of two or three joint coordinates", 0, ROTATION_FREE, JOINT_SUM,
     COORDINATES_NONE, 1, 5, 0, 0, 2, GEAR_FIELD, 1},
    {"rack", "ties a sliding joint to a turning one: position = radius x angle", 0, ROTATION_FREE,
     JOINT_SUM, COORDINATES_NONE, 1, 5, 0, 0, 2, RACK_FIELD, 1},
};
const int JOINT_TYPE_COUNT = sizeof JOINT_TYPE / sizeof JOINT_TYPE[0];

int joint_find(const char *name)
{
    for (int i = 0; i < JOINT_TYPE_COUNT; i++)
        if (strcmp(JOINT_TYPE[i].name, name) == 0) return i;
    return -1;
}

static const struct {
    int n;
    const char *name[3];
    int is_angle[3];
} COORDINATE[] = {
    [COORDINATES_NONE] = {0, {0}, {0}},
    [COORDINATES_ANGLE] = {1, {"angle"}, {1}},
    [COORDINATES_Z] = {1, {"position"}, {0}},
    [COORDINATES_Z_ANGLE] = {2, {"position", "angle"}, {0, 1}},
    [COORDINATES_X_Y_ANGLE] = {3, {"x", "y", "angle"}, {0, 0, 1}},
    [COORDINATES_CROSS] = {2, {"angle-1", "angle-2"}, {1, 1}},
    [COORDINATES_DISTANCE] = {1, {"distance"}, {0}},
};

int joint_coordinate_count(const struct joint_type *t) { return COORDINATE[t->coordinates].n; }

const char *joint_coordinate_name(const struct joint_type *t, int which)
{
    return COORDINATE[t->coordinates].name[which];
}

int joint_coordinate_is_angle(const struct joint_type *t, int which)
{
    return COORDINATE[t->coordinates].is_angle[which];
}

static int held_translations(const struct joint_type *t)
{
    return (int)((t->hold & 1) + (t->hold >> 1 & 1) + (t->hold >> 2 & 1));
}

static int held_rotations(const struct joint_type *t)
{
    static const int ROWS[] = {
        [ROTATION_FREE] = 0, [ROTATION_ALIGN] = 2, [ROTATION_CROSS] = 1, [ROTATION_ALL] = 3};
    return ROWS[t->rotation];
}

const char *joint_row_name(const struct joint_type *t, int r)
{
    static const char *const AXIS[] = {"x", "y", "z"};
    static const char *const TILT[] = {"tilt x", "tilt y", "twist z"};
    if (t->special == JOINT_DISTANCE) return "distance";
    if (t->special == JOINT_SUM) return "ratio";
    int n = 0;
    for (int k = 0; k < 3; k++)
        if (t->hold >> k & 1 && n++ == r) return AXIS[k];
    if (r - n < held_rotations(t)) return TILT[r - n];
    return "pitch";
}

int joint_row_is_angle(const struct joint_type *t, int r)
{
    int first = held_translations(t);
    return r >= first && r < first + held_rotations(t);
}
