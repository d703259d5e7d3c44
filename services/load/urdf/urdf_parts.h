/* urdf_parts.h: a robot while it is imported, and the stages it passes:
 * read (with io) -> check -> pose -> weigh -> inertia -> write. For urdf*.c alone.
 *
 * SI units. A frame is place and attitude; `pose` in the world at the start, others as
 * their field says. Indices are -1 where there is none. SERVICE context. */
#ifndef URDF_PARTS_H
#define URDF_PARTS_H

#include <stdio.h>

#include "rt/math/quat.h"
#include "services/load/text/markup.h"
#include "services/base/names.h"
#include "services/load/urdf/urdf.h"

enum { URDF_MAX_LINKS = 2000 };
static const double URDF_LARGEST = 1e12; /* of any number in the file */

enum urdf_kind {
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_FIXED,
    URDF_FLOATING,
    URDF_PLANAR
};

enum urdf_command { URDF_NO_COMMAND, URDF_EFFORT, URDF_POSITION, URDF_VELOCITY };
enum urdf_state { URDF_SEE_POSITION = 1, URDF_SEE_VELOCITY = 2, URDF_SEE_EFFORT = 4 };

struct urdf_frame {
    vec3 x;
    quat q;
};

/* Mass with its first and second moments about the origin of some frame. */
struct urdf_mass {
    double m;
    double mx[3];
    double inertia[9]; /* about the origin, row-major, products with their minus sign */
};

struct urdf_link {
    const char *name; /* in the URDF */
    const char *id;   /* in the model */
    const char *mesh; /* of the view, or NULL */
    struct place place, inertia_place;
    struct urdf_frame inertial; /* in the link */
    struct urdf_frame pose;
    double mass;
    double inertia[9];      /* about the mass centre; read: inertial axes; weighed: link axes */
    struct urdf_mass shape; /* of its primitive shapes at 1 kg/m3, link axes */
    int has_inertial;
    int shape_is_collision;
    int joint; /* that carries it, or -1: the root */
    int body;  /* link whose body it is part of (itself: it is one), or -1: ground */
};

struct urdf_joint {
    const char *name, *id;
    const char *mimic_id; /* of the gear that makes it follow */
    const char *parent_name, *child_name, *mimic_name;
    struct place place, parent_place, child_place, mimic_place, limit_place;
    enum urdf_kind kind;
    int parent, child;       /* links */
    int mimic;               /* joint it follows, or -1 */
    struct urdf_frame origin; /* in the parent */
    vec3 axis;               /* unit, in the joint's frame */
    double lower, upper, effort, velocity;
    double damping, friction, multiplier, offset;
    int has_limits;          /* lower and upper hold */
    enum urdf_command command;
    int states;              /* enum urdf_state bits */
    double command_range[2]; /* both 0: not given */
    int has_initial;
    double initial; /* start value the file asks for */
    double start;
    vec3 at, axis_w;     /* world, at the start */
    double composite;    /* inertia about the joint, what it carries locked, kg m2 or kg */
    double effective;    /* ..., everything free to give way */
};

/* An inertial or force-torque sensor of ros2_control. */
struct urdf_device {
    const char *name, *id;
    struct place place;
    int link;
    int attitude, gyro, accelerometer, wrench; /* what it shows */
};

enum urdf_mend {
    URDF_MEND_INERTIA,
    URDF_MEND_ZERO_INERTIA,
    URDF_MEND_NO_MASS,
    URDF_MEND_LIMIT,
    URDF_MEND_DYNAMICS,
    URDF_MEND_TAG,
    URDF_MEND_IO,
    URDF_MEND_COUNT
};

struct urdf {
    const char *file, *name;
    const struct urdf_options *options;
    struct memory *memory;
    struct diag_list *diags;
    struct urdf_link *link;
    struct urdf_joint *joint;
    struct urdf_device *device;
    int n_links, n_joints, n_devices;
    struct names links, joints; /* names to indices */
    int *order;                 /* links, each behind its parent */
    int root;
    int has_io;                 /* transmissions or ros2_control stand in the file */
    int broken;                 /* an error was found; defects that strict refuses are none */
    int n_nearest;              /* times a nearest name was looked for */
    int renamed;
    int n_spare;                /* command interfaces beside the first of a joint */
    struct place spare;
    int mended[URDF_MEND_COUNT]; /* messages of each kind */
};

/* urdf.c: messages. An error; a note; a defect that was mended (an error where strict; the
 * first few of a kind are told one by one). */
void urdf_error(struct urdf *u, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void urdf_note(struct urdf *u, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void urdf_mended(struct urdf *u, enum urdf_mend kind, struct place at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The name nearest to a word, or NULL: none is near, or it was asked too often (a file of
 * nothing but wrong names must not take long). */
const char *urdf_nearest(struct urdf *u, const struct names *names, const char *word);

/* 1 if the joint has one coordinate; 1 if that is an angle. */
static inline int urdf_is_single(const struct urdf_joint *j) { return j->kind <= URDF_PRISMATIC; }
static inline int urdf_is_angle(const struct urdf_joint *j) { return j->kind <= URDF_CONTINUOUS; }

/* 1 if it gets end stops; a joint that mimics has those of its leader. */
static inline int urdf_has_stop(const struct urdf_joint *j)
{
    return urdf_is_single(j) && j->has_limits && j->mimic < 0;
}

/* b in the frame a. */
static inline struct urdf_frame urdf_compose(struct urdf_frame a, struct urdf_frame b)
{
    struct mat3 R = quat_matrix(a.q);
    return (struct urdf_frame){a.x + mat3_mul(&R, b.x), quat_unit(quat_mul(a.q, b.q))};
}

/* urdf_mass.c: add a mass whose centre and axes are `at`, inertia about its centre; and
 * the sum's centre with the inertia about it. */
void urdf_mass_add(struct urdf_mass *sum, double m, struct urdf_frame at, const double inertia[9]);
void urdf_mass_centre(const struct urdf_mass *sum, vec3 *centre, double inertia[9]);
/* R inertia R' for the rotation q. */
void urdf_mass_turn(quat q, const double inertia[9], double turned[9]);
/* Inertia of a ball of this mass as dense as water. */
double urdf_mass_ball(double m);

/* urdf_value.c: attributes as numbers; each returns 0 after a message. */
int urdf_value_number(struct urdf *u, const struct markup *e, const char *name, double *out);
int urdf_value_optional(struct urdf *u, const struct markup *e, const char *name, double *out);
int urdf_value_vector(struct urdf *u, const struct markup *e, const char *name, double out[3]);
int urdf_value_frame(struct urdf *u, const struct markup *in, struct urdf_frame *out);
/* A number from a whole text without a message. */
int urdf_value_plain(const char *text, double *out);
/* An attribute that must be there and not be empty; NULL after a message. */
const char *urdf_value_text(struct urdf *u, const struct markup *e, const char *name);

/* urdf_read.c: links and joints from the tree of tags. */
void urdf_read(struct urdf *u, const struct markup *robot);

/* urdf_shape.c: what hangs on a link: meshes for the view, shapes for --density. */
void urdf_shape_read(struct urdf *u, struct urdf_link *l, const struct markup *link);

/* urdf_io.c: transmissions and ros2_control. Needs: the joints are read. */
void urdf_io_read(struct urdf *u, const struct markup *robot);
/* What every joint gets where the file is silent, and what --command asks for. */
void urdf_io_default(struct urdf *u);

/* urdf_check.c: parents, children, one root, no cycle, mimics; names of the model. */
void urdf_check(struct urdf *u);

/* urdf_pose.c: start values, then frames in the world. */
void urdf_pose(struct urdf *u);

/* urdf_weigh.c: which links are bodies, with which mass and inertia. */
void urdf_weigh(struct urdf *u);

/* urdf_inertia.c: composite and effective inertia of each joint at the start. */
enum status urdf_inertia(struct urdf *u) MUST_CHECK;
/* Stiffness of its end stops, as hard as a step of 1 ms lets them be. */
double urdf_inertia_stop(const struct urdf_joint *j);

/* urdf_write.c, urdf_write_io.c: the model file. Return 0 where there is no memory. */
int urdf_write(const struct urdf *u, FILE *to);
int urdf_write_io(const struct urdf *u, FILE *to);
void urdf_write_number(FILE *to, double v);
void urdf_write_quoted(FILE *to, const char *text);
/* 1 if the joint is written as one of the model's. */
int urdf_write_has_joint(const struct urdf *u, const struct urdf_joint *j);

#endif
