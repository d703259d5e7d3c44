/* message.h: the table of everything the reader of files can complain about.
 *
 * Each kind has one file tests/data/bad/<name>.yaml that provokes it and the text
 * expected beside it; a test compares the two sets. The words themselves stand
 * where the mistake is found, checked against their arguments by the compiler.
 * SERVICE context. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "rt/mech/model.h"
#include "services/base/diag.h"

/* Where something stands in a file; lines and columns from 1, 0: the whole file. */
struct place {
    const char *file;
    int line, column;
};

#define MESSAGE_LIST(X)                                    \
    /* the file as such */                                 \
    X(MESSAGE_FILE, "file", DIAG_ERROR)                    \
    X(MESSAGE_TOO_LARGE, "too-large", DIAG_ERROR)          \
    X(MESSAGE_SYNTAX, "syntax", DIAG_ERROR)                \
    X(MESSAGE_ENCODING, "encoding", DIAG_ERROR)            \
    X(MESSAGE_TOO_DEEP, "too-deep", DIAG_ERROR)            \
    X(MESSAGE_TOO_MANY, "too-many", DIAG_ERROR)            \
    X(MESSAGE_ALIAS, "alias", DIAG_ERROR)                  \
    X(MESSAGE_TAG, "tag", DIAG_ERROR)                      \
    X(MESSAGE_DUPLICATE_KEY, "duplicate-key", DIAG_ERROR)  \
    X(MESSAGE_EMPTY, "empty", DIAG_ERROR)                  \
    X(MESSAGE_TWO_DOCUMENTS, "two-documents", DIAG_ERROR)  \
    /* keys and kinds */                                   \
    X(MESSAGE_UNKNOWN_KEY, "unknown-key", DIAG_ERROR)      \
    X(MESSAGE_MISSING_KEY, "missing-key", DIAG_ERROR)      \
    X(MESSAGE_WRONG_KIND, "wrong-kind", DIAG_ERROR)        \
    X(MESSAGE_WRONG_COUNT, "wrong-count", DIAG_ERROR)      \
    X(MESSAGE_UNKNOWN_WORD, "unknown-word", DIAG_ERROR)    \
    X(MESSAGE_NOT_FLAG, "not-flag", DIAG_ERROR)            \
    X(MESSAGE_EXCLUSIVE, "exclusive-keys", DIAG_ERROR)     \
    /* numbers */                                          \
    X(MESSAGE_EXPRESSION, "expression", DIAG_ERROR)        \
    X(MESSAGE_UNKNOWN_PARAMETER, "unknown-parameter", DIAG_ERROR) \
    X(MESSAGE_UNKNOWN_UNIT, "unknown-unit", DIAG_ERROR)    \
    X(MESSAGE_WRONG_DIMENSION, "wrong-dimension", DIAG_ERROR) \
    X(MESSAGE_NOT_FINITE, "not-finite", DIAG_ERROR)        \
    X(MESSAGE_OUT_OF_RANGE, "out-of-range", DIAG_ERROR)    \
    X(MESSAGE_NO_TIME, "no-time", DIAG_ERROR)              \
    X(MESSAGE_NO_LIVE, "no-live", DIAG_ERROR)              \
    /* names, parameters, components */                    \
    X(MESSAGE_BAD_NAME, "bad-name", DIAG_ERROR)            \
    X(MESSAGE_DUPLICATE_NAME, "duplicate-name", DIAG_ERROR) \
    X(MESSAGE_PARAMETER_CYCLE, "parameter-cycle", DIAG_ERROR) \
    X(MESSAGE_PARAMETER_MISSING, "parameter-missing", DIAG_ERROR) \
    X(MESSAGE_UNKNOWN_SET, "unknown-set", DIAG_ERROR)      \
    X(MESSAGE_COMPONENT_CYCLE, "component-cycle", DIAG_ERROR) \
    X(MESSAGE_TOO_MANY_ELEMENTS, "too-many-elements", DIAG_ERROR) \
    X(MESSAGE_NOT_SHOWN, "not-shown", DIAG_ERROR)          \
    /* the mechanism */                                    \
    X(MESSAGE_UNKNOWN_TYPE, "unknown-type", DIAG_ERROR)    \
    X(MESSAGE_UNKNOWN_BODY, "unknown-body", DIAG_ERROR)    \
    X(MESSAGE_UNKNOWN_JOINT, "unknown-joint", DIAG_ERROR)  \
    X(MESSAGE_UNKNOWN_FORCE, "unknown-force", DIAG_ERROR)  \
    X(MESSAGE_NO_BODIES, "no-bodies", DIAG_ERROR)          \
    X(MESSAGE_MASS, "mass", DIAG_ERROR)                    \
    X(MESSAGE_NO_INERTIA, "no-inertia", DIAG_ERROR)        \
    X(MESSAGE_INERTIA, "inertia", DIAG_ERROR)              \
    X(MESSAGE_POINT_BODY, "point-body", DIAG_ERROR)        \
    X(MESSAGE_SAME_BODY, "same-body", DIAG_ERROR)          \
    X(MESSAGE_ZERO_AXIS, "zero-axis", DIAG_ERROR)          \
    X(MESSAGE_PARALLEL_AXES, "parallel-axes", DIAG_ERROR)  \
    X(MESSAGE_COORDINATE, "coordinate", DIAG_ERROR)        \
    X(MESSAGE_SWITCH, "switch", DIAG_ERROR)                \
    X(MESSAGE_UNKNOWN_SENSOR, "unknown-sensor", DIAG_ERROR) \
    X(MESSAGE_TWO_MOTIONS, "two-motions", DIAG_ERROR)      \
    X(MESSAGE_TABLE, "table", DIAG_ERROR)                  \
    X(MESSAGE_TURNED_AXES, "turned-axes", DIAG_ERROR)      \
    /* the mechanism in motion: found by services/plan */  \
    X(MESSAGE_MISSED_JOINT, "missed-joint", DIAG_ERROR)    \
    X(MESSAGE_OPEN_LOOP, "open-loop", DIAG_ERROR)          \
    X(MESSAGE_MOTION, "motion", DIAG_ERROR)                \
    X(MESSAGE_VELOCITY, "velocity", DIAG_ERROR)            \
    X(MESSAGE_LOOP_FRICTION, "loop-friction", DIAG_ERROR)  \
    X(MESSAGE_SHORT_CONTACT, "short-contact", DIAG_ERROR)  \
    X(MESSAGE_COARSE_CONTACT, "coarse-contact", DIAG_WARNING) \
    X(MESSAGE_NOT_SETTLED, "not-settled", DIAG_WARNING)    \
    /* notes */                                            \
    X(MESSAGE_MOTION_START, "motion-start", DIAG_NOTE)     \
    X(MESSAGE_UNRESOLVED, "unresolved-stiffness", DIAG_NOTE) \
    X(MESSAGE_WEAK_AXIS, "axis-without-inertia", DIAG_NOTE) \
    X(MESSAGE_NO_MESH, "no-mesh", DIAG_WARNING)            \
    X(MESSAGE_FAR, "far", DIAG_WARNING)                    \
    X(MESSAGE_SCALE, "scale", DIAG_WARNING)                \
    X(MESSAGE_GRAVITY, "gravity", DIAG_WARNING)            \
    X(MESSAGE_FREE_BODY, "free-body", DIAG_NOTE)           \
    X(MESSAGE_NO_RANGE, "no-range", DIAG_NOTE)

enum message {
#define X(code, name, level) code,
    MESSAGE_LIST(X)
#undef X
        MESSAGE_COUNT
};

/* The place an element of a model was read from. */
struct place message_place(const struct model *m, struct model_origin origin);

/* Add a message of this kind about a place, printf style. */
void message_add(struct diag_list *list, struct place at, enum message kind, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* The name of a kind, as its file under tests/data/bad is called. */
const char *message_name(enum message kind);

#endif
