/* fields.h: the numbers and functions of an element, read by the field table of its
 * type into the pool of the model. SERVICE context. */
#ifndef FIELDS_H
#define FIELDS_H

#include "rt/mech/field.h"
#include "services/load/model/build.h"

struct fields {
    struct element *element;
    const struct field *field;
    int n_fields;
    const struct node *const *found; /* value of each field, NULL: its fallback */
    int32_t body[2];                 /* what points and directions are fixed to */
    int is_angle;    /* 1, 0: its coordinate is an angle, a length; -1: it has none */
    int is_axial;    /* its vectors are torques or turns: they keep their sense in a mirror */
    int in_body;     /* its vectors are given in the body's axes, not the world's */
};

/* Units that depend on the coordinate: q is rad or m, Q is N.m or N. Writes the unit
 * with these replaced and returns 1; 0 if it has one of them and is_angle is -1, unknown. */
int fields_unit(const char *unit, int is_angle, char text[48]);

/* Append the numbers of all fields to the pool, in order, and their functions to the
 * model; function[] gets their indices. Returns where in the pool. */
uint32_t fields_fill(struct fields *f, int32_t *function, int max_functions);

#endif
