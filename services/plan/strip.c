#include "services/plan/strip.h"

#include <stdlib.h>
#include <string.h>

/* Four numbers side by side, at any address. */
typedef double lanes __attribute__((vector_size(32), aligned(8)));

struct strip *strip_make(size_t n) { return calloc(n + 1, sizeof(struct strip)); }

void strip_free(struct strip *s, size_t n)
{
    for (size_t i = 0; s && i < n; i++) {
        free(s[i].block);
        free(s[i].value);
    }
    free(s);
}

static int reserve(struct strip *s, size_t n)
{
    if (n <= s->most) return 1;
    size_t most = n + n / 2 + 2;
    size_t *block = realloc(s->block, sizeof *block * most);
    if (!block) return 0;
    s->block = block;
    double *value = realloc(s->value, sizeof *value * STRIP_BLOCK * most);
    if (!value) return 0;
    s->value = value;
    s->most = most;
    return 1;
}

int strip_put(struct strip *s, size_t at, double value)
{
    size_t block = at / STRIP_BLOCK;
    if (!s->n || s->block[s->n - 1] != block) {
        if (!reserve(s, s->n + 1)) return 0;
        s->block[s->n] = block;
        memset(s->value + STRIP_BLOCK * s->n++, 0, sizeof(double) * STRIP_BLOCK);
    }
    s->value[STRIP_BLOCK * (s->n - 1) + at % STRIP_BLOCK] = value;
    return 1;
}

int strip_pack(struct strip *s, const double *full, size_t m)
{
    s->n = 0;
    for (size_t i = 0; i < m; i++)
        if (full[i] != 0 && !strip_put(s, i, full[i])) return 0;
    return 1;
}

int strip_copy(struct strip *to, const struct strip *from)
{
    if (!reserve(to, from->n)) return 0;
    to->n = from->n;
    if (!from->n) return 1;
    memcpy(to->block, from->block, sizeof *to->block * from->n);
    memcpy(to->value, from->value, sizeof *to->value * STRIP_BLOCK * from->n);
    return 1;
}

void strip_unpack(const struct strip *s, double *full, size_t m)
{
    for (size_t i = 0; i < m; i++) full[i] = 0;
    for (size_t i = 0; i < s->n; i++)
        for (size_t at = STRIP_BLOCK * s->block[i], e = 0; e < STRIP_BLOCK && at + e < m; e++)
            full[at + e] = s->value[STRIP_BLOCK * i + e];
}

void strip_spread(const struct strip *s, double *full)
{
    for (size_t i = 0; i < s->n; i++)
        memcpy(full + STRIP_BLOCK * s->block[i], s->value + STRIP_BLOCK * i,
               sizeof(double) * STRIP_BLOCK);
}

void strip_wipe(const struct strip *s, double *full)
{
    for (size_t i = 0; i < s->n; i++)
        memset(full + STRIP_BLOCK * s->block[i], 0, sizeof(double) * STRIP_BLOCK);
}

/* A product in the making: whole blocks in lanes, what is behind the last of them apart. */
struct sum {
    lanes s, t;
    double rest;
};

static inline void add_block(struct sum *z, const double *a, const double *b, size_t n)
{
    if (n >= STRIP_BLOCK) {
        z->s += *(const lanes *)a * *(const lanes *)b;
        z->t += *(const lanes *)(a + 4) * *(const lanes *)(b + 4);
    } else {
        for (size_t i = 0; i < n; i++) z->rest += a[i] * b[i];
    }
}

static inline double total(const struct sum *z)
{
    lanes s = z->s + z->t;
    return (s[0] + s[1]) + (s[2] + s[3]) + z->rest;
}

double strip_square(const struct strip *s, size_t m)
{
    struct sum z = {0};
    for (size_t i = 0; i < s->n; i++) {
        const double *v = s->value + STRIP_BLOCK * i;
        add_block(&z, v, v, m - STRIP_BLOCK * s->block[i]);
    }
    return total(&z);
}

double strip_dot(const struct strip *s, const double *full, size_t m)
{
    struct sum z = {0};
    for (size_t i = 0; i < s->n; i++) {
        size_t at = STRIP_BLOCK * s->block[i];
        add_block(&z, s->value + STRIP_BLOCK * i, full + at, m - at);
    }
    return total(&z);
}

/* Make room for the blocks of p that s lacks, from behind. */
static int widen(struct strip *s, const struct strip *p)
{
    size_t lacking = 0, i = 0;
    for (size_t j = 0; j < p->n; j++) {
        while (i < s->n && s->block[i] < p->block[j]) i++;
        lacking += i == s->n || s->block[i] != p->block[j];
    }
    if (!lacking) return 1;
    if (!reserve(s, s->n + lacking)) return 0;
    size_t from = s->n, to = s->n + lacking, j = p->n;
    s->n = to;
    while (to > from) {
        size_t take = j && (!from || p->block[j - 1] > s->block[from - 1]);
        to--;
        double *value = s->value + STRIP_BLOCK * to;
        if (take) {
            s->block[to] = p->block[--j];
            memset(value, 0, sizeof(double) * STRIP_BLOCK);
        } else {
            from--;
            if (j && p->block[j - 1] == s->block[from]) j--;
            s->block[to] = s->block[from];
            memcpy(value, s->value + STRIP_BLOCK * from, sizeof(double) * STRIP_BLOCK);
        }
    }
    return 1;
}

int strip_subtract(struct strip *s, double k, const struct strip *p)
{
    if (!widen(s, p)) return 0;
    for (size_t i = 0, j = 0; j < p->n; j++) {
        while (s->block[i] != p->block[j]) i++;
        double *a = s->value + STRIP_BLOCK * i;
        const double *b = p->value + STRIP_BLOCK * j;
        *(lanes *)a -= k * *(const lanes *)b;
        *(lanes *)(a + 4) -= k * *(const lanes *)(b + 4);
    }
    return 1;
}

void strip_divide(struct strip *s, double d)
{
    for (size_t i = 0; i < STRIP_BLOCK * s->n; i++) s->value[i] /= d;
}
