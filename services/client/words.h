/* words.h: what happened to a rig and what it is made of, in words. One place for the
 * rig's log, the OPC UA events and whoever shows them: no library of any network in it.
 *
 * Texts that came from a service (names of users) may hold any bytes: only what can be
 * printed gets through. SERVICE context; never blocks, no allocation. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

#include "rt/link/board.h"
#include "rt/link/event.h"
#include "rt/mech/model.h"

enum { WORDS_TEXT = 256, WORDS_NAME = 256 };

/* What an event is told with. */
struct words {
    const struct model *model;
    const struct board *board; /* names of services */
};

/* Say what happened in to[WORDS_TEXT]. */
void words_event(const struct words *w, const struct event *e, char *to);

/* A word without blanks for the kind of an event ("state", "miss"), for machines. */
const char *words_kind(uint32_t kind);

/* Who is behind an event, in to[WORDS_NAME]: the user, else the service's name. */
const char *words_who(const struct words *w, const struct event *e, char *to);

/* What an event is about, by name, in to[WORDS_NAME]: an actuator, a channel, a switch, an
 * element of the mechanism. Returns to, or NULL where it is about the whole rig. */
const char *words_about(const struct words *w, const struct event *e, char *to);

/* The name of a service by its block number. */
const char *words_service(const struct board *b, uint32_t service);

/* The name of a channel (tip.x, or angle for a sensor of one channel) in text[size].
 * Returns 0 if there is no such channel. */
int words_channel(const struct model *m, uint32_t channel, char *text, size_t size);

/* "x", "y", ... of channel k of n; "value" where there is one. */
const char *words_axis(uint32_t n, uint32_t k);

#endif
