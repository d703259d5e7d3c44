/* targets.h: the keys by which forces, actuators and sensors name what they act on or
 * watch, as their type's refs ask for. SERVICE context. */
#ifndef TARGETS_H
#define TARGETS_H

#include "services/load/model/build.h"
#include "services/load/text/keys.h"

enum targets_extra {
    TARGETS_UNIT = 1,    /* unit and range */
    TARGETS_COMMAND = 2  /* safe and start */
};

/* The keys of one type of element, and what stands under them. */
struct targets {
    struct schema_key key[ELEMENT_KEY_COUNT];
    int at[ELEMENT_KEY_COUNT];  /* position in key[], -1: this type has no such key */
    struct schema schema;
    const struct node *found[SCHEMA_MAX_KEYS];
    int32_t body[2];
    int32_t joint, coordinate, force, phase, follows;
};

/* Put the schema together from a type's name, refs (enum ref_bits) and fields. */
void targets_schema(struct targets *r, const char *what, unsigned refs, unsigned extra,
                    const struct field *field, int n_fields);

/* Walk the element and resolve what it names. `connects`: bodies must be shown.
 * Returns 1 if all of that is there, also where other keys are wrong: the rest of the
 * element can be read for its messages. */
int targets_read(struct targets *r, struct element *el, unsigned refs, int connects);

/* The node of a key, NULL if it is missing. */
const struct node *targets_node(const struct targets *r, enum keys_element key);

/* The nodes of the type's fields. */
const struct node *const *targets_fields(const struct targets *r);

/* 1 if the map has the key that these refs ask for. */
int targets_fit(const struct node *map, unsigned refs);

/* 1, 0: the coordinate is an angle, a length; -1: there is none. */
int targets_is_angle(const struct targets *r, const struct build *b);

/* Read `unit` (default: the SI unit `si`) and `range`. *lower, *upper stay where there is
 * no range. Returns 0 after a message; *unit is the SI unit then. */
int targets_read_unit(const struct targets *r, struct element *el, const char *si,
                      struct unit *unit, const char **text);
int targets_read_range(const struct targets *r, struct element *el, const struct unit *unit,
                       double *lower, double *upper);

/* The description as text offset. */
uint32_t targets_description(const struct targets *r, struct build *b);

#endif
