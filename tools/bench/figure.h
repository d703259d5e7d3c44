/* figure.h: what the benchmarks share: the clock, shares of sorted values, the verdict on a
 * limit and the line that closes a table. */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct figure_limits {
    int n, over;
};

static inline double figure_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static inline int figure_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which this share of them lies; sorts them. */
static inline double figure_share(double *v, int n, double part)
{
    qsort(v, (size_t)n, sizeof *v, figure_by_size);
    return v[(int)((n - 1) * part + 0.5)];
}

/* The word behind a row: whether its limit holds. */
static inline const char *figure_verdict(struct figure_limits *l, int good)
{
    l->n++;
    l->over += !good;
    return good ? "ok" : "OVER";
}

static inline void figure_close(const struct figure_limits *l)
{
    printf("%d of %d limits missed\n", l->over, l->n);
    fflush(stdout);
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void figure_fail(const char *format,
                                                                               ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "bench: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

#endif
