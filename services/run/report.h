/* report.h: what a run says to a person, line by line. SERVICE context. */
#ifndef REPORT_H
#define REPORT_H

#include "services/run/supervisor.h"

/* The admission test's line. */
void report_admission(const struct supervisor *s);

/* What the machine promises, in one line; text for the board. */
void report_machine(const struct supervisor *s);
void report_verdict(const struct supervisor *s, char *text, size_t size);

/* Which rights are missing and how to grant them, on stderr. */
void report_rights(const struct supervisor *s);

/* The running line; overwritten on a terminal, else silent. */
void report_running(const struct supervisor *s);

/* The last line. */
void report_end(const struct supervisor *s);

/* 12 us, 1.2 ms: a time for people. */
const char *report_time(int64_t ns, char text[16]);

#endif
