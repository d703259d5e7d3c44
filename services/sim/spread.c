#include "services/sim/spread.h"

#include <math.h>

void spread_add(struct spread *s, double value)
{
    int bin = value > 1 ? (int)(log2(value) * SPREAD_PER_OCTAVE) : 0;
    s->n++;
    s->sum += value;
    s->max = fmax(s->max, value);
    s->count[bin < SPREAD_BINS ? bin : SPREAD_BINS - 1]++;
}

double spread_quantile(const struct spread *s, double share)
{
    unsigned long below = 0, wanted = (unsigned long)ceil(share * (double)s->n);
    for (int i = 0; i < SPREAD_BINS && s->n > 0; i++) {
        below += s->count[i];
        if (below >= wanted) return fmin(s->max, exp2((i + 0.5) / SPREAD_PER_OCTAVE));
    }
    return s->max;
}
