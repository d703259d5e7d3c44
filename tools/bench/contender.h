/* contender.h: how a program that advances a mechanism is measured by solver.c.
 *
 * One process per mechanism and method; it answers lines on stdin, one reply each:
 *   run K    advance K + 1 steps, timing all but the first: "median least allocations",
 *            us, us, count
 *   end      from the start to t = 1 s: the mass centres "x y z x y z ..."
 *   count K  advance K steps with callgrind counting: "ok"
 *   load     how long it takes to make the mechanism ready: "ms", or "none"
 * Time restarts from the start state at t = 1 s, so that all cover the same motion.
 * For C and for C++ (tools/peers). */
#ifndef CONTENDER_H
#define CONTENDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined __has_include
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_TOGGLE_COLLECT
#endif

struct contender {
    void *self;
    double h;                                  /* s */
    int n_bodies;
    void (*reset)(void *self);                 /* to the start */
    void (*step)(void *self);
    void (*centres)(void *self, double *xyz);  /* 3 per body */
    double (*load)(void *self);                /* ms; NULL: not asked */
    volatile long *allocations;                /* counted while *armed; NULL: unknown */
    volatile int *armed;
};

static double contender_clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double contender_now_us(void) { return contender_clock_us(CLOCK_MONOTONIC); }

static int contender_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One step, from the start again after each second. */
static void contender_advance(const struct contender *c, long *done)
{
    if (*done >= (long)(1 / c->h + 0.5)) {
        c->reset(c->self);
        *done = 0;
    }
    ++*done;
    c->step(c->self);
}

/* A step longer than this is seldom left alone on a busy machine: its processor time is
 * taken. For short ones the median passes over interruptions, and reading that clock would
 * cost too much. */
#define CONTENDER_LONG_US 200.

static void contender_run(const struct contender *c, long *done, int n)
{
    double *us = (double *)malloc(sizeof(double) * (size_t)n);
    long before = c->allocations ? *c->allocations : 0;
    double t = contender_now_us();
    contender_advance(c, done); /* not counted: fetches back what the last turns took */
    clockid_t clock = contender_now_us() - t < CONTENDER_LONG_US ? CLOCK_MONOTONIC
                                                                 : CLOCK_THREAD_CPUTIME_ID;
    for (int i = 0; us && i < n; i++) {
        if (c->armed) *c->armed = 1;
        t = contender_clock_us(clock);
        contender_advance(c, done);
        us[i] = contender_clock_us(clock) - t;
        if (c->armed) *c->armed = 0;
    }
    if (us) {
        qsort(us, (size_t)n, sizeof *us, contender_compare);
        printf("%.4f %.4f %ld\n", us[n / 2], us[0], c->allocations ? *c->allocations - before : -1);
    }
    free(us);
}

static void contender_end(const struct contender *c, long *done)
{
    double *xyz = (double *)malloc(sizeof(double) * 3 * (size_t)c->n_bodies);
    c->reset(c->self);
    for (*done = 0; *done < (long)(1 / c->h + 0.5);) contender_advance(c, done);
    if (xyz) {
        c->centres(c->self, xyz);
        for (int i = 0; i < 3 * c->n_bodies; i++) printf("%.15g ", xyz[i]);
    }
    printf("\n");
    free(xyz);
}

/* Answer until stdin ends; to be returned from main. */
static int contender_serve(const struct contender *c)
{
    char line[64];
    long done = 0;
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        int n = 0;
        if (sscanf(line, "run %d", &n) == 1 && n > 0) {
            contender_run(c, &done, n);
        } else if (sscanf(line, "count %d", &n) == 1) {
            CALLGRIND_TOGGLE_COLLECT;
            for (int i = 0; i < n; i++) contender_advance(c, &done);
            CALLGRIND_TOGGLE_COLLECT;
            printf("ok\n");
        } else if (strcmp(line, "end\n") == 0) {
            contender_end(c, &done);
        } else if (strcmp(line, "load\n") == 0 && c->load) {
            printf("%.3f\n", c->load(c->self));
        } else {
            printf("none\n");
        }
        fflush(stdout);
    }
    return 0;
}

#endif
