/* status.h: one result code for every function that can fail.
 *
 * Severity maps one to one onto OPC UA quality: good values are usable,
 * uncertain values are usable with care (the step goes on and counts them),
 * bad values stop the motion at the last good state.
 * The list below is the only place where a code, its severity and its text stand. */
#ifndef STATUS_H
#define STATUS_H

enum severity { SEVERITY_GOOD, SEVERITY_UNCERTAIN, SEVERITY_BAD };

#define STATUS_LIST(X)                                                                     \
    X(STATUS_OK, SEVERITY_GOOD, "ok")                                                      \
    X(STATUS_NOT_CONVERGED, SEVERITY_UNCERTAIN, "Newton stopped above its tolerance")      \
    X(STATUS_REDUNDANT_OPEN, SEVERITY_UNCERTAIN, "a redundant row opened beyond closure")  \
    X(STATUS_BUDGET, SEVERITY_UNCERTAIN, "Newton stopped early to keep the deadline")      \
    X(STATUS_NOT_FINITE, SEVERITY_BAD, "a value is not finite")                            \
    X(STATUS_SINGULAR, SEVERITY_BAD, "a pivot is not positive")                            \
    X(STATUS_OPPOSED, SEVERITY_BAD, "a motion or other joints drive what the lock should hold") \
    X(STATUS_OPEN, SEVERITY_BAD,                                                                  \
      "a joint opens: what holds or moves it contradicts something else")                         \
    X(STATUS_DIVERGED, SEVERITY_BAD,                                                              \
      "Newton does not converge, and what it leaves undone adds up")                              \
    X(STATUS_COARSE, SEVERITY_BAD,                                                                \
      "a body that does more than spin on a fixed axis turns by over a quarter turn a step")                   \
    X(STATUS_ASTRAY, SEVERITY_BAD, "more than half of the energy that moved is the step's error") \
    X(STATUS_STRICT, SEVERITY_BAD, "Newton stopped above its tolerance, which --strict refuses") \
    X(STATUS_NO_MEMORY, SEVERITY_BAD, "out of memory")                                     \
    X(STATUS_TOO_SMALL, SEVERITY_BAD, "the given memory is too small")                     \
    X(STATUS_REFUSED, SEVERITY_BAD, "refused, see the messages")                           \
    X(STATUS_RIGHTS, SEVERITY_BAD, "rights are missing")                                   \
    X(STATUS_TRIPPED, SEVERITY_BAD, "tripped to the safe state")                           \
    X(STATUS_IO, SEVERITY_BAD, "input or output failed")                                   \
    X(STATUS_STOPPED, SEVERITY_GOOD, "stopped on request")                                 \
    X(STATUS_USAGE, SEVERITY_BAD, "wrong use of a command, see --help")

enum status {
#define X(code, severity, text) code,
    STATUS_LIST(X)
#undef X
        STATUS_COUNT
};

#define MUST_CHECK __attribute__((warn_unused_result))

/* The severity of a status. Context: any. */
enum severity status_severity(enum status s);

/* The text of a status, a constant string. Context: any. */
const char *status_text(enum status s);

#endif
