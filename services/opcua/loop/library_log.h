/* library_log.h: open62541's log as lines of ours: warnings and worse, to stderr, at most
 * LIBRARY_LOG_PER_SECOND; what was left out is counted and said. Lines of our own have a
 * limit of their own, so that the noise of a refusal never hides its reason. SERVICE context. */
#ifndef LIBRARY_LOG_H
#define LIBRARY_LOG_H

#include <open62541/plugin/log.h>

enum { LIBRARY_LOG_PER_SECOND = 5 };

/* A logger that lives as long as the process; nothing is freed. */
UA_Logger *library_log_logger(void);

/* Say a line of our own ("trapeze: opcua: ..."). Returns 0 if it was left out. */
__attribute__((format(printf, 1, 2))) int library_log_say(const char *format, ...);

#endif
