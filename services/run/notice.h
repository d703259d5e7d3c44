/* notice.h: what a run says to a person, line by line. SERVICE context. */
#ifndef NOTICE_H
#define NOTICE_H

#include "services/run/supervisor.h"

/* The admission test's line. */
void notice_admission(const struct supervisor *s);

/* What the machine promises, in one line; text for the board. */
void notice_machine(const struct supervisor *s);
void notice_verdict(const struct supervisor *s, char *text, size_t size);

/* Which rights are missing and how to grant them, on stderr. */
void notice_rights(const struct supervisor *s);

/* The running line; overwritten on a terminal, else silent. */
void notice_running(const struct supervisor *s);

/* The last line. */
void notice_end(const struct supervisor *s);

/* 12 us, 1.2 ms: a time for people. */
const char *notice_time(int64_t ns, char text[16]);

#endif
