/* bristle.h: dry friction that sticks. One elastic element per direction of sliding.
 *
 * Problem: a load N gives friction of at most L = mu N. Below it nothing slides, for however
 * long: the bristle is a spring and damper, f = k z + c z', that gives way by z, and what it
 * gives way by comes back. At L it slides: |f| = L and z keeps |k z| <= L (elastic, then
 * perfectly plastic; no drift, no force beyond L, no energy but what the spring holds).
 * Symbols: z deflection (m, rad), v rate of sliding, k, c stiffness and damping in the
 * coordinate's units, m the effective mass there.
 * Choice: k = 4 m/h², c = 4 m/h with the step h the plan was made for. The trapezoidal rule
 * then brings a stuck mass to rest within two steps (s h/2 = -1 twice), and what the bristle
 * gives way by under a force that would accelerate m by a is a h²/4, the rule's own error.
 * Energy: what the spring holds, L²/(2 k) at most, is not counted as stored; power is force
 * times rate, so it shows as work that goes and comes back.
 * Tangent: that of spring and damper while it sticks; none along and the secant's across
 * where it slides. An iterate that jumps from sliding one way to sliding the other would do so
 * for ever: it gets the secant, which leads back to rest.
 * RT context. Pure. */
#ifndef BRISTLE_H
#define BRISTLE_H

#include <math.h>

/* What an iterate found, kept with the deflection: BRISTLE_SLIDES after one that slid on,
 * BRISTLE_TURNED after one that slid the other way than the iterate before. */
enum { BRISTLE_STICKS = 0, BRISTLE_SLIDES = 1, BRISTLE_TURNED = 2 };

/* The answer to a trial force of size f = |k z + c v|. */
struct bristle {
    double share;  /* of the trial force that acts: 1 while it sticks */
    double along;  /* of the weight of spring and damper, along the trial force ... */
    double across; /* ... and across it */
    int found;     /* BRISTLE_STICKS ... */
};

/* `turned`: the trial force points against the one of the iterate before. */
static inline struct bristle bristle_answer(double f, double limit, int before, int turned)
{
    if (f <= limit) return (struct bristle){1, 1, 1, BRISTLE_STICKS};
    double part = limit / f;
    if (before != BRISTLE_STICKS && turned)
        return (struct bristle){part, part, part, BRISTLE_TURNED};
    if (before == BRISTLE_TURNED) return (struct bristle){part, part, part, BRISTLE_SLIDES};
    return (struct bristle){part, 0, part, BRISTLE_SLIDES};
}

/* By how much a deflection of size z must be scaled so that k z stays within the limit. */
static inline double bristle_fit(double z, double k, double limit)
{
    return k * z > limit ? limit / (k * z) : 1;
}

/* Deflection to begin with: that of sliding with `rate` for a step; or, where a load is held
 * at rest, the one before and half of what would stop the acceleration `second`: m a/k. */
static inline double bristle_begin(double k, double c, double rate) { return rate * c / k; }

static inline double bristle_hold(double k, double c, double z, double second)
{
    return z + 0.125 * (c / k) * (c / k) * second;
}

/* 1 if a rate is rest beside the limit. */
static inline int bristle_rests(double c, double rate, double limit)
{
    return c * fabs(rate) <= 1e-3 * limit;
}

#endif
