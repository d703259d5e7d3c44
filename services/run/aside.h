/* aside.h: a timed thread of a service, beside the step: SCHED_FIFO at half the step's
 * priority, on a core that is not the step's. Where the rights are missing, or the step
 * itself has no priority, it is an ordinary thread and `says` says so.
 * SERVICE context, the service's main thread. */
#ifndef ASIDE_H
#define ASIDE_H

#include "rt/link/board.h"

struct rtthread;

struct aside {
    struct rtthread *thread;
    char says[80];         /* how it is scheduled, for people */
};

/* With rights (attach_service.prepare, last thing): choose core and priority. The calling
 * thread has that priority until aside_start. Returns 0 when there is no memory. */
int aside_prepare(struct aside *a, const struct board *board);

/* Without rights (attach_service.run, first thing): start it. Returns 0 after a sentence
 * on stderr. */
int aside_start(struct aside *a, void (*run)(void *context), void *context);

/* Wait for its end, and free what prepare took. Harmless where nothing was started. */
void aside_join(struct aside *a);

#endif
