/* spread.h: how measured times are spread: median, percentiles, maximum.
 *
 * Counts in bins of 0.5 % of the value, so that any number of samples takes the same
 * memory; the maximum is exact. Never allocates. SERVICE context. */
#ifndef SPREAD_H
#define SPREAD_H

enum {
    SPREAD_OCTAVES = 40,
    SPREAD_PER_OCTAVE = 128,
    SPREAD_BINS = SPREAD_OCTAVES * SPREAD_PER_OCTAVE
};

/* Zero-initialise. */
struct spread {
    unsigned long n;
    double sum, max;
    unsigned count[SPREAD_BINS]; /* bin i: values from 2^(i/128) on; the first also less */
};

/* Count one value; bins begin at 1 (ns, say). */
void spread_add(struct spread *s, double value);

/* The value a share of all samples does not exceed, within 0.5 %; 0 without samples. */
double spread_quantile(const struct spread *s, double share);

#endif
