/* field.h: how an element type describes its own data.
 *
 * Every joint, force, actuator and sensor type lists its fields in a const
 * table. The loader reads files with these tables, FORMAT.md is generated from
 * them, and the element's code finds its numbers in the pool in the same order:
 * so a new element is one row and one small file, and nothing else changes.
 * Data only; any context. */
#ifndef FIELD_H
#define FIELD_H

enum field_kind {
    FIELD_SCALAR,    /* one number;                                   pool 1 */
    FIELD_VECTOR,    /* three numbers in world axes;                  pool 3 */
    FIELD_TRIPLE,    /* three numbers, or one that stands for all;    pool 3 */
    FIELD_POINT,     /* world point at the start, kept in body[ref];  pool 3 */
    FIELD_DIRECTION, /* world direction at the start, unit length, kept in
                        body[ref];                                    pool 3 */
    FIELD_MATRIX6,   /* 6 diagonal numbers or 6 lists of 6, row-major; pool 36 */
    FIELD_FUNCTION,  /* number, expression in t, or {ramp|sine|table};
                        one function, index in fn[]                   pool 0 */
    FIELD_FUNCTION3, /* list of three such; three functions in fn[]   pool 0 */
    FIELD_FRAME,     /* axes {axis, angle} at the start, kept in body[ref]; missing:
                        world axes. Row-major 3x3, columns x y z;     pool 9 */
    FIELD_FLAG,      /* true or false;                                pool 1 */
    FIELD_CHOICE,    /* one of the words in `choices`, stored as its
                        index;                                        pool 1 */
    FIELD_KIND_COUNT
};

/* What a number may be, so that the law it stands in has a meaning. */
enum field_sign {
    SIGN_ANY,
    SIGN_NOT_NEGATIVE, /* stiffness, damping, friction: they take energy, never give it */
    SIGN_POSITIVE,     /* the law divides by it */
    SIGN_ABOVE_ONE     /* the law divides by what it is more than 1 */
};

struct field {
    const char *key;       /* the word in the file */
    enum field_kind kind;
    const char *unit;      /* SI unit of a bare number; "" for a pure number. q in it
                              stands for rad or m, Q for N.m or N, by the element's
                              coordinate. FIELD_MATRIX6: of the translations; times m
                              per turn */
    const char *fallback;  /* expression used where the key is missing;
                              NULL: the key is required;
                              "nan": the element's code finds its own default */
    int ref;               /* FIELD_POINT, FIELD_DIRECTION: which body[] it is
                              fixed to (0 or 1); REF_WORLD: stays in world axes */
    const char *choices;   /* FIELD_CHOICE: words separated by blanks, else NULL */
    const char *help;      /* one clause for FORMAT.md */
    enum field_sign sign;  /* FIELD_SCALAR, FIELD_TRIPLE: what each number may be */
};

enum { REF_WORLD = 2 };

/* Which other elements an element names. Bits; the loader asks for exactly
 * these keys. */
enum ref_bits {
    REF_BETWEEN = 1,     /* between: [first, second], each a body or ground */
    REF_BODY = 2,        /* body: one body; it is body[1], body[0] is ground */
    REF_JOINT = 4,       /* joint: a joint; body[0], body[1] are its bodies */
    REF_ANGLE = 8,       /* with REF_JOINT: takes the joint's angle ...          */
    REF_LENGTH = 16,     /* ... or its length coordinate; both bits: either. The
                            key coordinate: names one where there are several */
    REF_FORCE = 32,      /* force: a force element */
    REF_FOLLOWS = 128,   /* follows: an actuator whose command the element obeys */
    REF_PHASE = 64,      /* phase: a joint whose angle the element reads, no more */
    REF_NONE = 0
};

/* Numbers a field of this kind takes in the pool. */
static inline int field_pool_count(enum field_kind kind)
{
    static const unsigned char COUNT[FIELD_KIND_COUNT] = {
        [FIELD_SCALAR] = 1, [FIELD_VECTOR] = 3,    [FIELD_TRIPLE] = 3,
        [FIELD_POINT] = 3,  [FIELD_DIRECTION] = 3, [FIELD_MATRIX6] = 36,
        [FIELD_FRAME] = 9,  [FIELD_FLAG] = 1,      [FIELD_CHOICE] = 1};
    return COUNT[kind];
}

/* Functions of time a field of this kind takes. */
static inline int field_function_count(enum field_kind kind)
{
    return kind == FIELD_FUNCTION ? 1 : kind == FIELD_FUNCTION3 ? 3 : 0;
}

#endif
