/* side_thread.h: a timed thread of a service, beside the step: SCHED_FIFO at half the step's
 * priority, on a core that is not the step's. Where the rights are missing, or the step
 * itself has no priority, it is an ordinary thread and `says` says so.
 * SERVICE context, the service's main thread. */
#ifndef SIDE_THREAD_H
#define SIDE_THREAD_H

#include "rt/link/board.h"

struct rtthread;

struct side_thread {
    struct rtthread *thread;
    char says[80];         /* how it is scheduled, for people */
};

/* With rights (attach_service.prepare, last thing): choose core and priority. The calling
 * thread has that priority until side_thread_start. Returns 0 when there is no memory. */
int side_thread_prepare(struct side_thread *a, const struct board *board);

/* Without rights (attach_service.run, first thing): start it. Returns 0 after a sentence
 * on stderr. */
int side_thread_start(struct side_thread *a, void (*run)(void *context), void *context);

/* Wait for its end, and free what prepare took. Harmless where nothing was started. */
void side_thread_join(struct side_thread *a);

#endif
