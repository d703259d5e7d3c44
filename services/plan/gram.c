#include "services/plan/gram.h"

#include <math.h>

static double dot(const double *a, const double *b, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void subtract(double *a, double k, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] -= k * b[i];
}

void gram_factor(double *a, size_t m, size_t n, double *r)
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

void gram_divide(const double *r, size_t n, double *row)
{
    for (size_t j = 0; j < n; j++) {
        double v = row[j];
        for (size_t i = 0; i < j; i++) v -= row[i] * r[i * n + j];
        row[j] = r[j * n + j] > 0 ? v / r[j * n + j] : 0;
    }
}

int gram_choose(double *rows, size_t n, size_t m, double least, const int *early, int *kept,
                double *smallest, double *largest)
{
    int rank = 0;
    *smallest = 1;
    for (size_t i = 0; i < n; i++) kept[i] = 0;
    for (;;) {
        size_t best = n;
        double size = -1, score = -1;
        for (size_t i = 0; i < n; i++) {
            double s = kept[i] ? -1 : sqrt(dot(rows + i * m, rows + i * m, m));
            double goes = early && early[i] && s >= GRAM_EARLY ? s + 2 : s; /* s <= 1 */
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
            if (!kept[i])
                for (int pass = 0; pass < 2; pass++)
                    subtract(rows + i * m, dot(p, rows + i * m, m), p, m);
    }
}
