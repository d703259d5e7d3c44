/* console_text.h: what a run says to a person, line by line. SERVICE context. */
#ifndef CONSOLE_TEXT_H
#define CONSOLE_TEXT_H

#include "services/run/supervisor.h"

/* The admission test's line. */
void console_text_admission(const struct supervisor *s);

/* What the machine promises, in one line; text for the board. */
void console_text_machine(const struct supervisor *s);
void console_text_verdict(const struct supervisor *s, char *text, size_t size);

/* Which rights are missing and how to grant them, on stderr. */
void console_text_rights(const struct supervisor *s);

/* The running line; overwritten on a terminal, else silent. */
void console_text_running(const struct supervisor *s);

/* The last line. */
void console_text_end(struct supervisor *s);

/* 12 us, 1.2 ms: a time for people. */
const char *console_text_time(int64_t ns, char text[16]);

#endif
