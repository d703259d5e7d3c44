#include "services/run/side_thread.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rt/time/rtthread.h"

/* The first core allowed that is not the step's; -1: there is none. */
static int choose_core(const struct board *board)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0) return -1;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set) && i != (int)board->core) return i;
    return -1;
}

/* Take the priority, or say why not. */
static int take_priority(struct side_thread *a)
{
    struct rtthread *t = a->thread;

    if (rtthread_prepare(t) == STATUS_OK) return 1;
    if (t->priority == 0) return 0;
    snprintf(a->says, sizeof a->says, "ordinary scheduling (%s: %s)", t->failed,
             strerror(t->error));
    if (t->stack != MAP_FAILED) munmap(t->stack, RTTHREAD_STACK);
    t->priority = 0;
    return rtthread_prepare(t) == STATUS_OK;
}

int side_thread_prepare(struct side_thread *a, const struct board *board)
{
    struct rtthread *t = calloc(1, sizeof *t);

    *a = (struct side_thread){.thread = t};
    if (!t) return 0;
    t->core = choose_core(board);
    t->priority = (int)(board->priority / 2);
    if (t->priority > 0)
        snprintf(a->says, sizeof a->says, "SCHED_FIFO %d", t->priority);
    else
        snprintf(a->says, sizeof a->says, "ordinary scheduling (the step has no priority)");
    if (!take_priority(a)) {
        side_thread_join(a);
        return 0;
    }
    if (t->core >= 0) {
        size_t n = strlen(a->says);
        snprintf(a->says + n, sizeof a->says - n, ", core %d", t->core);
    }
    return 1;
}

int side_thread_start(struct side_thread *a, void (*run)(void *context), void *context)
{
    a->thread->run = run;
    a->thread->context = context;
    if (rtthread_start(a->thread) == STATUS_OK) return 1;
    fprintf(stderr, "trapeze: %s: %s\n", a->thread->failed, strerror(a->thread->error));
    munmap(a->thread->stack, RTTHREAD_STACK);
    free(a->thread);
    a->thread = NULL;
    return 0;
}

void side_thread_join(struct side_thread *a)
{
    if (a->thread && a->thread->run) rtthread_join(a->thread);
    free(a->thread);
    a->thread = NULL;
}
