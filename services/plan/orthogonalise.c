/* Theory. Modified Gram-Schmidt. The rows of a loop touch few columns, those of its bodies'
 * paths: a pivot is taken out of the rows that share a block with it, and only their lengths
 * are found anew, so that a row of n loops costs about n^2, not n^3. All sums are those of
 * the full rows (strip.h). */
#include "services/plan/orthogonalise.h"

#include <math.h>
#include <stdlib.h>

static double *full_row(size_t m)
{
    return calloc(m / STRIP_BLOCK * STRIP_BLOCK + 2 * STRIP_BLOCK, sizeof(double));
}

/* ---- factor ---- */

static int add_entry(struct triangle_row *row, size_t column, double value)
{
    if (row->n == row->most) {
        size_t most = 2 * row->most + 4;
        struct triangle_entry *more = realloc(row->entry, sizeof *more * most);
        if (!more) return 0;
        row->entry = more;
        row->most = most;
    }
    row->entry[row->n++] = (struct triangle_entry){column, value};
    return 1;
}

void orthogonalise_free(struct triangle *r)
{
    for (size_t i = 0; r->row && i < r->n; i++) free(r->row[i].entry);
    free(r->row);
    free(r->diagonal);
    *r = (struct triangle){0};
}

/* Take the columns before j out of column j, twice; `full` is zero before and after. */
static int reduce(struct strip *a, size_t m, size_t j, struct triangle *r, double *full,
                  double *share)
{
    struct strip *col = &a[j];
    int ok = 1;
    strip_spread(col, full);
    for (size_t i = 0; i < j; i++) share[i] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < j && ok; i++) {
            double k = strip_dot(&a[i], full, m);
            if (k == 0) continue;
            share[i] += k;
            ok = strip_subtract(col, k, &a[i]);
            strip_spread(col, full);
        }
    strip_wipe(col, full);
    for (size_t i = 0; i < j && ok; i++)
        if (share[i] != 0) ok = add_entry(&r->row[i], j, share[i]);
    return ok;
}

int orthogonalise_factor(struct strip *a, size_t m, size_t n, struct triangle *r)
{
    double *full = full_row(m), *share = calloc(n + 1, sizeof *share);
    *r = (struct triangle){n, calloc(n + 1, sizeof *r->diagonal), calloc(n + 1, sizeof *r->row)};
    int ok = full && share && r->diagonal && r->row;
    for (size_t j = 0; j < n && ok; j++) {
        double before = sqrt(strip_square(&a[j], m));
        ok = reduce(a, m, j, r, full, share);
        double size = sqrt(strip_square(&a[j], m));
        if (!(size > 1e-9 * before)) size = 0;
        r->diagonal[j] = size;
        if (size > 0)
            strip_divide(&a[j], size);
        else
            a[j].n = 0;
    }
    free(full);
    free(share);
    return ok;
}

void orthogonalise_divide(const struct triangle *r, double *row)
{
    for (size_t i = 0; i < r->n; i++) {
        if (row[i] == 0) continue;
        row[i] = r->diagonal[i] > 0 ? row[i] / r->diagonal[i] : 0;
        if (row[i] == 0) continue;
        const struct triangle_row *t = &r->row[i];
        for (size_t e = 0; e < t->n; e++) row[t->entry[e].column] -= row[i] * t->entry[e].value;
    }
}

/* ---- choice ---- */

/* Remove the direction p (also as a full row) from a row, again where most of the row went
 * with it. Returns 1 if the row changed, 0 if not, -1 without memory. */
static int take_away(struct strip *row, const struct strip *p, const double *full, size_t m)
{
    double k = strip_dot(row, full, m);
    if (k == 0) return 0;
    if (!strip_subtract(row, k, p)) return -1;
    if (k * k > 0.5 * strip_square(row, m) && !strip_subtract(row, strip_dot(row, full, m), p))
        return -1;
    return 1;
}

/* The row that is next: early ones first while they are long, then the longest. */
static size_t next_row(const double *length, size_t n, const int *early, const int *kept,
                       double *size)
{
    size_t best = n;
    double score = -1;
    *size = -1;
    for (size_t i = 0; i < n; i++) {
        double s = kept[i] ? -1 : length[i];
        double goes = early && early[i] && s >= ORTHOGONALISE_EARLY ? s + 2 : s; /* s <= 1 */
        if (goes > score) score = goes, *size = s, best = i;
    }
    return best;
}

/* Take row `best` out of all that are left and still count. */
static int take_out(struct strip *rows, size_t n, size_t m, size_t best, const int *kept,
                    double *length, double least, double *full)
{
    const struct strip *p = &rows[best];
    int changed = 0;
    strip_spread(p, full);
    for (size_t i = 0; i < n && changed >= 0; i++) {
        if (kept[i] || (least > 0 && length[i] < ORTHOGONALISE_NOTHING)) continue;
        changed = take_away(&rows[i], p, full, m);
        if (changed > 0) length[i] = sqrt(strip_square(&rows[i], m));
    }
    strip_wipe(p, full);
    return changed >= 0;
}

int orthogonalise_choose(struct strip *rows, size_t n, size_t m, double least, const int *early,
                         int *kept, double *smallest, double *largest)
{
    int rank = 0;
    double *full = full_row(m), *length = calloc(n + 1, sizeof *length);
    int ok = full && length;
    *smallest = 1;
    *largest = 0;
    for (size_t i = 0; i < n; i++) kept[i] = 0;
    for (size_t i = 0; i < n && ok; i++) length[i] = sqrt(strip_square(&rows[i], m));
    while (ok) {
        double size;
        size_t best = next_row(length, n, early, kept, &size);
        *largest = size > 0 ? size : 0;
        if (best == n || size < least || !(size > 0)) break;
        *smallest = fmin(*smallest, size);
        kept[best] = 1;
        rank++;
        strip_divide(&rows[best], size);
        ok = take_out(rows, n, m, best, kept, length, least, full);
    }
    free(full);
    free(length);
    return ok ? rank : -1;
}
