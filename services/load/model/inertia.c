#include "services/load/model/inertia.h"

#include <math.h>
#include <string.h>

static void inertia_symmetric(const double v[6], double inertia[9])
{
    const double full[9] = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
    memcpy(inertia, full, sizeof full);
}

static int inertia_read_rows(const struct value_reader *r, const struct node *node,
                             const char *what, double inertia[9])
{
    int i = 0;
    for (const struct node *row = node->first; row; row = row->next, i += 3)
        if (!value_numbers(r, row, what, "kg.m2", 3, inertia + i)) return 0;
    double size = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]);
    double skew = fabs(inertia[1] - inertia[3]) + fabs(inertia[2] - inertia[6]) +
                  fabs(inertia[5] - inertia[7]);
    if (skew <= 1e-9 * size) return 1;
    message_add(r->diags, node->place, MESSAGE_INERTIA, "%s: the inertia must be symmetric", what);
    return 0;
}

int inertia_read(const struct value_reader *r, const struct node *node, const char *what,
                 double inertia[9])
{
    double v[6] = {0};
    if (node->kind == NODE_LIST && node->n == 3 && node->first->kind == NODE_LIST)
        return inertia_read_rows(r, node, what, inertia);
    if (node->kind != NODE_LIST || (node->n != 3 && node->n != 6)) {
        message_add(
            r->diags, node->place, MESSAGE_WRONG_COUNT,
            "%s: inertia must be [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three lists of three",
            what);
        return 0;
    }
    if (!value_numbers(r, node, "inertia", "kg.m2", node->n, v)) return 0;
    inertia_symmetric(v, inertia);
    return 1;
}

/* One Jacobi rotation that zeroes entry (p, q) of a symmetric 3x3; v turns along. */
static void inertia_rotate(double a[9], double v[9], int p, int q)
{
    double apq = a[3 * p + q];
    if (apq == 0) return;
    double theta = (a[4 * q] - a[4 * p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double akp = a[3 * k + p], akq = a[3 * k + q];
        a[3 * k + p] = c * akp - s * akq;
        a[3 * k + q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; k++) {
        double apk = a[3 * p + k], aqk = a[3 * q + k];
        a[3 * p + k] = c * apk - s * aqk;
        a[3 * q + k] = s * apk + c * aqk;
        double vkp = v[3 * k + p], vkq = v[3 * k + q];
        v[3 * k + p] = c * vkp - s * vkq;
        v[3 * k + q] = s * vkp + c * vkq;
    }
}

void inertia_axes(const double inertia[9], double moment[3], double axes[9])
{
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double a[9];
    memcpy(a, inertia, sizeof a);
    memcpy(axes, unit, sizeof unit);
    for (int sweep = 0; sweep < 20; sweep++) {
        inertia_rotate(a, axes, 0, 1);
        inertia_rotate(a, axes, 0, 2);
        inertia_rotate(a, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++) moment[i] = a[4 * i];
}

void inertia_principal(const double inertia[9], double moment[3])
{
    double a[3], axes[9];
    inertia_axes(inertia, a, axes);
    double lo = fmin(a[0], fmin(a[1], a[2])), hi = fmax(a[0], fmax(a[1], a[2]));
    moment[0] = lo, moment[1] = a[0] + a[1] + a[2] - lo - hi, moment[2] = hi;
}

int inertia_check(const struct value_reader *r, struct place at, const char *what,
                  const double inertia[9])
{
    double p[3];
    inertia_principal(inertia, p);
    double slack = 1e-9 * fabs(p[2]);
    if (p[0] < -slack) {
        message_add(r->diags, at, MESSAGE_INERTIA,
                    "%s: no body has this inertia: a principal moment is negative (%g kg.m2)", what,
                    p[0]);
        return 0;
    }
    if (p[2] <= 0) {
        message_add(r->diags, at, MESSAGE_NO_INERTIA,
                    "%s: the inertia is zero; write point: true for a point mass", what);
        return 0;
    }
    if (p[2] <= p[0] + p[1] + slack) return 1;
    message_add(r->diags, at, MESSAGE_INERTIA,
                "%s: no body has this inertia: the moment %g is larger than the sum of the other "
                "two, %g + %g (triangle inequality)",
                what, p[2], p[0], p[1]);
    return 0;
}
