/* joint.h: the joint types, one const row each.
 *
 * A joint allows some relative motion between a frame on its first body (A) and
 * one on its second body (B). It is described by which translations along A's
 * joint axes and which rotations are held; from that follow its rows (value,
 * Jacobian, gamma), its free directions S and its coordinates. Rows are wrenches:
 * row r has G_B = w and G_A = -w. Evaluation is in jointkin.h.
 * Table: any context. */
#ifndef JOINT_H
#define JOINT_H

#include "rt/mech/field.h"
#include "rt/mech/model.h"

enum joint_rotation {
    ROTATION_FREE,  /* nothing held */
    ROTATION_ALIGN, /* z of B along z of A: two dot1 rows */
    ROTATION_CROSS, /* z of A perpendicular to x of B: one dot1 row (universal) */
    ROTATION_ALL    /* frames parallel: three dot1 rows */
};

enum joint_special {
    JOINT_PLAIN,
    JOINT_DISTANCE, /* |d| = length(t): one row */
    JOINT_SCREW,    /* z = pitch theta / 2 pi besides its other rows */
    JOINT_SUM       /* sum k q = f(t) over coordinates of other joints */
};

enum joint_coordinates {
    COORDINATES_NONE,
    COORDINATES_ANGLE,        /* theta about z */
    COORDINATES_Z,            /* displacement along z */
    COORDINATES_Z_ANGLE,      /* z, theta */
    COORDINATES_X_Y_ANGLE,    /* x, y, theta */
    COORDINATES_CROSS,        /* theta1 about z of A, theta2 about x of B */
    COORDINATES_DISTANCE      /* |d| */
};

struct joint_type {
    const char *name;
    const char *help;
    unsigned hold;            /* bits 1, 2, 4: translations x, y, z of A held */
    enum joint_rotation rotation;
    enum joint_special special;
    enum joint_coordinates coordinates;
    int n_rows;
    int n_free;               /* 6 - n_rows; columns of S */
    int needs_axis;           /* axis: must stand in the file */
    int needs_axis_b;         /* axis-b: must stand in the file (universal) */
    int n_refs;               /* JOINT_SUM: least number of joints named */
    const struct field *field;
    int n_fields;
};

extern const struct joint_type JOINT_TYPE[];
extern const int JOINT_TYPE_COUNT;

/* Row of the type with this name, or -1. */
int joint_find(const char *name);

/* Number of coordinates of a type. */
int joint_coordinate_count(const struct joint_type *t);

/* Word for coordinate `which` of a type (angle, position, x, y, angle-1, ...). */
const char *joint_coordinate_name(const struct joint_type *t, int which);

/* 1 if coordinate `which` is an angle. */
int joint_coordinate_is_angle(const struct joint_type *t, int which);

/* Word for row r of a type as users know it (x, y, z, tilt x, ...). */
const char *joint_row_name(const struct joint_type *t, int r);

/* 1 if row r is measured in radians, else metres. */
int joint_row_is_angle(const struct joint_type *t, int r);

#endif
