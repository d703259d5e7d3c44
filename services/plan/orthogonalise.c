#include "services/plan/orthogonalise.h"

#include <math.h>

/* Four numbers side by side, at any address. */
typedef double lanes __attribute__((vector_size(32), aligned(8)));

static double dot(const double *a, const double *b, size_t n)
{
    lanes s = {0}, t = {0};
    double rest = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        s += *(const lanes *)(a + i) * *(const lanes *)(b + i);
        t += *(const lanes *)(a + i + 4) * *(const lanes *)(b + i + 4);
    }
    for (; i < n; i++) rest += a[i] * b[i];
    s += t;
    return (s[0] + s[1]) + (s[2] + s[3]) + rest;
}

static void subtract(double *a, double k, const double *b, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) *(lanes *)(a + i) -= k * *(const lanes *)(b + i);
    for (; i < n; i++) a[i] -= k * b[i];
}

void orthogonalise_factor(double *a, size_t m, size_t n, double *r)
{
    for (size_t j = 0; j < n; j++) {
        double *col = a + j * m, before = sqrt(dot(col, col, m));
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < j; i++) {
                double k = dot(a + i * m, col, m);
                r[i * n + j] += k;
                subtract(col, k, a + i * m, m);
            }
        double size = sqrt(dot(col, col, m));
        if (!(size > 1e-9 * before)) size = 0;
        r[j * n + j] = size;
        for (size_t i = 0; i < m; i++) col[i] = size > 0 ? col[i] / size : 0;
    }
}

void orthogonalise_divide(const double *r, size_t n, double *row)
{
    for (size_t j = 0; j < n; j++) {
        double v = row[j];
        for (size_t i = 0; i < j; i++) v -= row[i] * r[i * n + j];
        row[j] = r[j * n + j] > 0 ? v / r[j * n + j] : 0;
    }
}

/* Remove the direction p from a row, again where most of the row went with it. */
static void take_away(double *row, const double *p, size_t m)
{
    double k = dot(p, row, m);
    if (k == 0) return;
    subtract(row, k, p, m);
    if (k * k > 0.5 * dot(row, row, m)) subtract(row, dot(p, row, m), p, m);
}

int orthogonalise_choose(double *rows, size_t n, size_t m, double least, const int *early,
                         int *kept, double *smallest, double *largest)
{
    int rank = 0;
    *smallest = 1;
    for (size_t i = 0; i < n; i++) kept[i] = 0;
    for (;;) {
        size_t best = n;
        double size = -1, score = -1;
        for (size_t i = 0; i < n; i++) {
            double s = kept[i] ? -1 : sqrt(dot(rows + i * m, rows + i * m, m));
            double goes = early && early[i] && s >= ORTHOGONALISE_EARLY ? s + 2 : s; /* s <= 1 */
            if (goes > score) score = goes, size = s, best = i;
        }
        *largest = size > 0 ? size : 0;
        if (best == n || size < least || !(size > 0)) return rank;
        *smallest = fmin(*smallest, size);
        kept[best] = 1;
        rank++;
        double *p = rows + best * m;
        for (size_t k = 0; k < m; k++) p[k] /= size;
        for (size_t i = 0; i < n; i++)
            if (!kept[i]) take_away(rows + i * m, p, m);
    }
}
