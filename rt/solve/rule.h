/* rule.h: the integration rule of one step size, the generalised-alpha family (AB).
 *
 * am = (2r-1)/(r+1), af = r/(r+1), ga = 1/2 + af - am, be = (ga+1/2)²/4; r = 1 is the
 * trapezoidal rule of MFC (eq. 3, 4) with am = af = 0, ga = 1/2, be = 1/4.
 *   ab = (D - h v_n - h²(1/2-be) ab_n)/(h² be)
 *   v  = v_n + h(1-ga) ab_n + h ga ab              = cv D + v0
 *   a  = ((1-am) ab + am ab_n - af a_n)/(1-af)     = ca D + a0,   ca = 1/s
 * A stiffness weighs s, a damper s cv in the tangent. RT context. */
#ifndef RULE_H
#define RULE_H

#include "rt/math/six.h"

struct rule {
    double rho, h;
    double am, af, ga, be;
    double s;       /* h² be (1-af)/(1-am) */
    double cv, ca;  /* dv/dD, da/dD */
    double sc;      /* s cv */
    double b1;      /* first-order member: z = z_n + h(1-ga) z'_n + b1 z' */
    double v_v, v_ab;          /* v0 = v_v v_n + v_ab ab_n */
    double a_v, a_ab, a_a;     /* a0 = a_v v_n + a_ab ab_n + a_a a_n */
};

static inline struct rule rule_make(double rho, double h)
{
    struct rule r = {.rho = rho, .h = h, .ga = 0.5, .be = 0.25};
    if (rho < 1) {
        r.am = (2 * rho - 1) / (rho + 1);
        r.af = rho / (rho + 1);
        r.ga = 0.5 + r.af - r.am;
        r.be = 0.25 * (r.ga + 0.5) * (r.ga + 0.5);
    }
    r.s = h * h * r.be * (1 - r.af) / (1 - r.am);
    r.ca = 1 / r.s;
    r.cv = r.ga / (h * r.be);
    r.sc = r.s * r.cv;
    r.b1 = h * r.ga;
    r.v_v = 1 - r.ga / r.be;
    r.v_ab = h * ((1 - r.ga) - r.ga * (0.5 - r.be) / r.be);
    r.a_v = -r.ca * h;
    r.a_ab = -r.ca * h * h * (0.5 - r.be) + r.am / (1 - r.af);
    r.a_a = -r.af / (1 - r.af);
    return r;
}

/* The auxiliary acceleration that belongs to D. */
static inline struct six rule_auxiliary(const struct rule *r, struct six D, struct six v_n,
                                        struct six ab_n)
{
    double k = 1 / (r->h * r->h * r->be);
    struct six x = six_axpy(-r->h, v_n, D);
    x = six_axpy(-r->h * r->h * (0.5 - r->be), ab_n, x);
    return six_scale(k, x);
}

#endif
