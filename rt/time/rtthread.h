/* rtthread.h: the thread that ticks: own locked stack, core, SCHED_FIFO, signals
 * blocked. Set-up only; nothing of this runs after the first tick but the end.
 * Context: setup, the main thread of the step process. */
#ifndef RTTHREAD_H
#define RTTHREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "rt/status.h"

enum { RTTHREAD_STACK = 1 << 20 };

struct rtthread {
    int core;                     /* -1: any */
    int priority;                 /* SCHED_FIFO; 0: ordinary */
    void (*run)(void *context);   /* the loop */
    void *context;
    const char *failed;           /* out: which call failed */
    int error;                    /* out: its errno */
    atomic_int finished;          /* 1: the loop has ended */
    pthread_t thread;
    void *stack;
};

/* Lock all memory that will be mapped, and keep huge pages away; what is mapped already
 * is the caller's to lock. */
MUST_CHECK enum status rtthread_lock_memory(struct rtthread *t);

/* With rights: map the stack, and give the calling thread the priority that the new
 * one will inherit. On STATUS_RIGHTS `failed` and `error` say what was refused. */
MUST_CHECK enum status rtthread_prepare(struct rtthread *t);

/* Without rights: start the thread; the calling one is an ordinary thread again. */
MUST_CHECK enum status rtthread_start(struct rtthread *t);

/* Wait for its end. */
void rtthread_join(struct rtthread *t);

#endif
