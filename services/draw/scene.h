/* scene.h: a mechanism at one pose as faces, lines, marks and names in space, for pictures.
 *
 * Bodies are drawn by their shapes, without one by the box that has their inertia; joints by
 * a symbol: a ring for each angle, arrows for each length, a dot where all turns are free, a
 * square where nothing is; lines lead from mass centres to joints. SERVICE context; SI units,
 * world axes; what cannot be allocated is left out and said by `failed`. */
#ifndef SCENE_H
#define SCENE_H

#include <stddef.h>

#include "rt/math/vec.h"
#include "rt/mech/model.h"

enum scene_layer { LAYER_SKELETON, LAYER_GROUND, LAYER_JOINT, LAYER_AXIS, LAYER_COUNT };

/* A flat piece of surface: a triangle or a quadrangle. */
struct scene_face {
    vec3 corner[4];
    int n;
    uint32_t rgb;
    int ghost;   /* stands for an inertia, not for a shape: seen through */
};

struct scene_line {
    vec3 end[2];
    enum scene_layer layer;
    uint32_t rgb;
    int arrow;   /* has a head at end[1] */
};

struct scene_name {
    vec3 at;
    const char *text;   /* in the model, or a literal */
    enum { NAME_BODY, NAME_JOINT, NAME_SENSOR, NAME_AXIS } kind;
};

struct scene {
    struct scene_face *face;
    struct scene_line *line;
    struct scene_name *name;
    size_t n_faces, n_lines, n_names;
    size_t face_room, line_room, name_room;
    vec3 low, high;     /* of everything drawn */
    double size;        /* m, the longest edge of that box; > 0 */
    int failed;         /* without memory for something */
    int n_lost;         /* meshes that could not be read */
};

/* Where body i is: x[3 i] the mass centre, q[4 i] the attitude; NULL: the model's start. */
struct scene_pose {
    const double *x, *q;
};

/* Fill a zeroed scene. */
void scene_build(struct scene *s, const struct model *m, struct scene_pose pose);
void scene_free(struct scene *s);

/* Half the edges of the box of equal inertia, and the attitude of its axes in the body's. */
void scene_inertia_box(const struct model_body *b, double half[3], double axes[9]);

#endif
