/* timeline.h: the time of a run as a start and a whole number of steps.
 *
 * A sum of steps drifts by its rounding (2.7e-7 s in an hour of 1 ms); start + n x grid does
 * not, and is the same number wherever it is asked for. A step that is a whole multiple of the
 * grid, or a whole part of it, stays on it; any other begins a new line where it starts.
 * Any context, wait-free. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <math.h>
#include <stdint.h>

struct timeline {
    double start;   /* s */
    double grid;    /* s; 0: no step yet */
    int64_t n;      /* whole steps of the grid since the start */
};

/* n steps of h: counted in nanoseconds where h is a whole number of them, so that 9 steps of
 * 1 ms are 0.009 s, not 0.009000000000000001 s. */
static inline double timeline_span(int64_t n, double h)
{
    double h_ns = round(h * 1e9);
    return fabs(h_ns - h * 1e9) < 1e-12 * h_ns ? (double)n * h_ns / 1e9 : (double)n * h;
}

static inline double timeline_time(const struct timeline *l)
{
    return l->start + timeline_span(l->n, l->grid);
}

/* Whole number of times that `small` goes into `large`; 0: it does not, or too often. */
static inline int64_t timeline_ratio(double large, double small)
{
    double k = round(large / small);
    return k >= 1 && k <= 1e6 && fabs(large - k * small) <= 1e-9 * small ? (int64_t)k : 0;
}

/* The line a step of h after time t, which is its own time or one that somebody set. */
static inline struct timeline timeline_after(const struct timeline *l, double t, double h)
{
    int on = l->grid > 0 && timeline_time(l) == t;
    int64_t k = on ? timeline_ratio(h, l->grid) : 0;
    if (k) return (struct timeline){l->start, l->grid, l->n + k};
    k = on ? timeline_ratio(l->grid, h) : 0;
    if (k && l->n < INT64_MAX / 2 / k) return (struct timeline){l->start, h, l->n * k + 1};
    return (struct timeline){t, h, 1};
}

#endif
