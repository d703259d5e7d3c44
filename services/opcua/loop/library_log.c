#include "services/opcua/loop/library_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct limiter {
    time_t second;
    int said;
    unsigned long left_out;
};

/* What the rights of our sessions lead to by design: the library wants to add nodes
 * for each subscription in the session's name. */
static int is_known(const char *format)
{
    return strstr(format, "subscription diagnostics object") != NULL;
}

static int may_say(struct limiter *l)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    if (t.tv_sec != l->second) {
        if (l->left_out) fprintf(stderr, "trapeze: opcua: %lu lines more left out\n", l->left_out);
        *l = (struct limiter){.second = t.tv_sec};
    }
    if (l->said++ < LIBRARY_LOG_PER_SECOND) return 1;
    l->left_out++;
    return 0;
}

__attribute__((format(printf, 4, 0))) static void
say(void *context, UA_LogLevel level, UA_LogCategory category, const char *format, va_list list)
{
    char text[512];

    (void)category;
    if (level < UA_LOGLEVEL_WARNING || is_known(format) || !may_say(context)) return;
    vsnprintf(text, sizeof text, format, list);
    fprintf(stderr, "trapeze: opcua: %s\n", text);
}

/* The library cannot use up the lines of what we say ourselves. */
static _Thread_local struct limiter library, own;

UA_Logger *library_log_logger(void)
{
    static _Thread_local UA_Logger logger;

    logger = (UA_Logger){.log = say, .context = &library, .clear = NULL};
    return &logger;
}

int library_log_say(const char *format, ...)
{
    char text[512];
    va_list list;

    if (!may_say(&own)) return 0;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "trapeze: opcua: %s\n", text);
    return 1;
}
