/* Theory. A program runs on jets (f, f', f''): every operation applies the chain rule
 * to second order, g(f)'' = g'' f'² + g' f''. A table is the cubic spline of class C2:
 * between knots f is cubic with second derivatives m_i at the knots (natural ends);
 * outside it continues along its end slopes. */
#include "rt/mech/function.h"

#include <math.h>

#include "rt/rtsafe.h"

static struct jet chain(struct jet x, double g, double g1, double g2)
{
    return (struct jet){g, g1 * x.d1, g2 * x.d1 * x.d1 + g1 * x.d2};
}

static struct jet mul(struct jet x, struct jet y)
{
    return (struct jet){x.f * y.f, x.d1 * y.f + x.f * y.d1,
                        x.d2 * y.f + 2 * x.d1 * y.d1 + x.f * y.d2};
}

static struct jet divide(struct jet x, struct jet y)
{
    double r = 1 / y.f;
    return mul(x, chain(y, r, -r * r, 2 * r * r * r));
}

static struct jet power(struct jet x, struct jet y)
{
    if (y.d1 == 0 && y.d2 == 0) {
        double n = y.f;
        double g1 = n == 0 ? 0 : n * pow(x.f, n - 1);
        double g2 = n == 0 || n == 1 ? 0 : n * (n - 1) * pow(x.f, n - 2);
        return chain(x, pow(x.f, n), g1, g2);
    }
    double l = log(x.f), r = 1 / x.f;
    struct jet e = mul(y, chain(x, l, r, -r * r));
    double g = exp(e.f);
    return chain(e, g, g, g);
}

/* Derivatives of atan2(y, x) by those of its argument: (x dy - y dx)/(x² + y²). */
static struct jet arctan2(struct jet y, struct jet x)
{
    double r2 = x.f * x.f + y.f * y.f;
    double num = x.f * y.d1 - y.f * x.d1, num1 = x.f * y.d2 - y.f * x.d2;
    double r2d = 2 * (x.f * x.d1 + y.f * y.d1);
    return (struct jet){atan2(y.f, x.f), num / r2, num1 / r2 - num * r2d / (r2 * r2)};
}

static struct jet unary(uint32_t op, struct jet x)
{
    double s, c;
    switch (op) {
    case OP_NEG:
        return chain(x, -x.f, -1, 0);
    case OP_SIN:
        s = sin(x.f), c = cos(x.f);
        return chain(x, s, c, -s);
    case OP_COS:
        s = sin(x.f), c = cos(x.f);
        return chain(x, c, -s, -c);
    case OP_TAN:
        s = tan(x.f), c = 1 + s * s;
        return chain(x, s, c, 2 * s * c);
    case OP_SQRT:
        s = sqrt(x.f);
        return chain(x, s, 0.5 / s, -0.25 / (s * s * s));
    case OP_EXP:
        s = exp(x.f);
        return chain(x, s, s, s);
    case OP_LOG:
        return chain(x, log(x.f), 1 / x.f, -1 / (x.f * x.f));
    case OP_ABS:
        return chain(x, fabs(x.f), x.f < 0 ? -1 : 1, 0);
    default: /* OP_STEP */
        return (struct jet){x.f < 0 ? 0 : 1, 0, 0};
    }
}

static struct jet binary(uint32_t op, struct jet x, struct jet y)
{
    switch (op) {
    case OP_ADD:
        return (struct jet){x.f + y.f, x.d1 + y.d1, x.d2 + y.d2};
    case OP_SUB:
        return (struct jet){x.f - y.f, x.d1 - y.d1, x.d2 - y.d2};
    case OP_MUL:
        return mul(x, y);
    case OP_DIV:
        return divide(x, y);
    case OP_POW:
        return power(x, y);
    case OP_ATAN2:
        return arctan2(x, y);
    case OP_MIN:
        return x.f <= y.f ? x : y;
    default: /* OP_MAX */
        return x.f >= y.f ? x : y;
    }
}

/* Operands an operation takes. */
static int arity(uint32_t op)
{
    static const signed char N[OP_COUNT] = {
        [OP_ADD] = 2, [OP_SUB] = 2,  [OP_MUL] = 2,   [OP_DIV] = 2,  [OP_POW] = 2, [OP_NEG] = 1,
        [OP_SIN] = 1, [OP_COS] = 1,  [OP_TAN] = 1,   [OP_SQRT] = 1, [OP_EXP] = 1, [OP_LOG] = 1,
        [OP_ABS] = 1, [OP_STEP] = 1, [OP_ATAN2] = 2, [OP_MIN] = 2,  [OP_MAX] = 2};
    return N[op];
}

int function_check_code(const struct function_code *code, int n, int n_params)
{
    int depth = 0;
    for (int i = 0; i < n; i++) {
        if (code[i].op >= OP_COUNT) return 0;
        if (code[i].op == OP_PARAM && code[i].arg >= (uint32_t)n_params) return 0;
        depth -= arity(code[i].op);
        if (depth < 0 || ++depth > FUNCTION_STACK) return 0;
    }
    return depth == 1;
}

struct jet function_run(const struct function_code *code, int n, double t, const double *param)
{
    struct jet stack[FUNCTION_STACK];
    int top = 0;
    for (int i = 0; i < n; i++) {
        uint32_t op = code[i].op;
        if (op == OP_CONST)
            stack[top++] = (struct jet){code[i].value, 0, 0};
        else if (op == OP_TIME)
            stack[top++] = (struct jet){t, 1, 0};
        else if (op == OP_PARAM)
            stack[top++] = (struct jet){param[code[i].arg], 0, 0};
        else if (arity(op) == 1)
            stack[top - 1] = unary(op, stack[top - 1]);
        else {
            top--;
            stack[top - 1] = binary(op, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}

static struct jet ramp(const double *p, double t)
{
    double start = p[0], before = p[1], rate = p[2], end = p[3];
    if (t < start) return (struct jet){before, 0, 0};
    if (t >= end) return (struct jet){before + rate * (end - start), 0, 0};
    return (struct jet){before + rate * (t - start), rate, 0};
}

static struct jet sine(const double *p, double t)
{
    double w = p[2], s = p[1] * sin(w * t + p[3]), c = p[1] * cos(w * t + p[3]);
    return (struct jet){p[0] + s, w * c, -w * w * s};
}

static struct jet spline_segment(const double *t, const double *f, const double *d2, int i,
                                 double at)
{
    double h = t[i + 1] - t[i], a = (t[i + 1] - at) / h, b = (at - t[i]) / h;
    return (struct jet){a * f[i] + b * f[i + 1] +
                            ((a * a * a - a) * d2[i] + (b * b * b - b) * d2[i + 1]) * h * h / 6,
                        (f[i + 1] - f[i]) / h - (3 * a * a - 1) / 6 * h * d2[i] +
                            (3 * b * b - 1) / 6 * h * d2[i + 1],
                        a * d2[i] + b * d2[i + 1]};
}

static struct jet table(const double *p, int n, double at)
{
    const double *t = p, *f = p + n, *d2 = p + 2 * n;
    if (at <= t[0] || at >= t[n - 1]) {
        int last = at > t[0];
        struct jet end = spline_segment(t, f, d2, last ? n - 2 : 0, last ? t[n - 1] : t[0]);
        return (struct jet){end.f + end.d1 * (at - (last ? t[n - 1] : t[0])), end.d1, 0};
    }
    int lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (t[mid] <= at)
            lo = mid;
        else
            hi = mid;
    }
    return spline_segment(t, f, d2, lo, at);
}

struct jet function_eval(const struct model *m, int i, double t, const double *pool,
                         const double *param)
{
    if (i < 0) return (struct jet){0, 0, 0};
    const struct model_function *f = &model_functions(m)[i];
    switch (f->kind) {
    case FUNCTION_CONSTANT:
        return (struct jet){pool[f->at], 0, 0};
    case FUNCTION_RAMP:
        return ramp(pool + f->at, t);
    case FUNCTION_SINE:
        return sine(pool + f->at, t);
    case FUNCTION_TABLE:
        return table(pool + f->at, f->n, t);
    default:
        return function_run(model_code(m) + f->at, f->n, t, param);
    }
}

void function_spline(const double *t, const double *f, double *d2, int n, double *scratch)
{
    double *c = scratch;
    d2[0] = d2[n - 1] = 0;
    c[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
        double rhs = 6 * ((f[i + 1] - f[i]) / h1 - (f[i] - f[i - 1]) / h0);
        double diag = 2 * (h0 + h1) - h0 * c[i - 1];
        c[i] = h1 / diag;
        d2[i] = (rhs - h0 * d2[i - 1]) / diag;
    }
    for (int i = n - 2; i > 0; i--) d2[i] -= c[i] * d2[i + 1];
}
