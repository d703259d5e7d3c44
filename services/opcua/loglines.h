/* loglines.h: open62541's log as lines of ours: warnings and worse, to stderr, at most
 * LOGLINES_PER_SECOND; what was left out is counted and said. Lines of our own have a
 * limit of their own, so that the noise of a refusal never hides its reason. SERVICE context. */
#ifndef LOGLINES_H
#define LOGLINES_H

#include <open62541/plugin/log.h>

enum { LOGLINES_PER_SECOND = 5 };

/* A logger that lives as long as the process; nothing is freed. */
UA_Logger *loglines_logger(void);

/* Say a line of our own ("trapeze: opcua: ..."). Returns 0 if it was left out. */
__attribute__((format(printf, 1, 2))) int loglines_say(const char *format, ...);

#endif
