/* refs.h: the keys by which forces, actuators and sensors name what they act on or
 * watch, as their type's refs ask for. SERVICE context. */
#ifndef REFS_H
#define REFS_H

#include "services/load/build.h"
#include "services/load/keys.h"

enum refs_extra {
    REFS_UNIT = 1,    /* unit and range */
    REFS_COMMAND = 2  /* safe and start */
};

/* The keys of one type of element, and what stands under them. */
struct refs {
    struct schema_key key[ELEMENT_KEY_COUNT];
    int at[ELEMENT_KEY_COUNT];  /* position in key[], -1: this type has no such key */
    struct schema schema;
    const struct node *found[SCHEMA_MAX_KEYS];
    int32_t body[2];
    int32_t joint, coordinate, force, phase, follows;
};

/* Put the schema together from a type's name, refs (enum ref_bits) and fields. */
void refs_schema(struct refs *r, const char *what, unsigned refs, unsigned extra,
                 const struct field *field, int n_fields);

/* Walk the element and resolve what it names. `connects`: bodies must be shown.
 * Returns 1 if all of that is there, also where other keys are wrong: the rest of the
 * element can be read for its messages. */
int refs_read(struct refs *r, struct element *el, unsigned refs, int connects);

/* The node of a key, NULL if it is missing. */
const struct node *refs_node(const struct refs *r, enum keys_element key);

/* The nodes of the type's fields. */
const struct node *const *refs_fields(const struct refs *r);

/* 1 if the map has the key that these refs ask for. */
int refs_fit(const struct node *map, unsigned refs);

/* 1, 0: the coordinate is an angle, a length; -1: there is none. */
int refs_is_angle(const struct refs *r, const struct build *b);

/* Read `unit` (default: the SI unit `si`) and `range`. *lower, *upper stay where there is
 * no range. Returns 0 after a message; *unit is the SI unit then. */
int refs_read_unit(const struct refs *r, struct element *el, const char *si, struct unit *unit,
                   const char **text);
int refs_read_range(const struct refs *r, struct element *el, const struct unit *unit,
                    double *lower, double *upper);

/* The description as text offset. */
uint32_t refs_description(const struct refs *r, struct build *b);

#endif
