#include "tests/physics/random_mechanism.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct writer {
    char *text;
    size_t size, n;
    unsigned long long state;
};

static double uniform(struct writer *w)
{
    w->state = w->state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(w->state >> 11) / 9007199254740992.0;
}

static int pick(struct writer *w, int n) { return (int)(uniform(w) * n); }

static double between(struct writer *w, double a, double b) { return a + (b - a) * uniform(w); }

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int k = vsnprintf(w->text + w->n, w->size - w->n, format, args);
    va_end(args);
    if (k > 0) w->n += (size_t)k;
    if (w->n >= w->size) w->n = w->size - 1;
}

static void put_vec(struct writer *w, const double *v)
{
    put(w, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
}

static void random_unit(struct writer *w, double *v)
{
    double s = 0;
    while (s < 0.05 || s > 1) {
        s = 0;
        for (int i = 0; i < 3; i++) v[i] = between(w, -1, 1), s += v[i] * v[i];
    }
    for (int i = 0; i < 3; i++) v[i] /= sqrt(s);
}

enum { MOST = 40 };

struct tree {
    int n, parent[MOST];
    double x[MOST][3];
    char joint[MOST][20]; /* type of the joint to the parent */
    int with_angle[MOST]; /* it has one angle coordinate */
    int slides[MOST];     /* it has one length coordinate */
    int freedoms;         /* of the tree, less what loops have taken */
};

static int freedoms_of(const char *type)
{
    static const struct {
        const char *name;
        int freedoms;
    } ROW[] = {{"revolute", 1},  {"prismatic", 1},      {"cylindrical", 2},  {"spherical", 3},
               {"universal", 2}, {"planar", 3},         {"fixed", 0},        {"screw", 1},
               {"distance", 5},  {"point-on-plane", 5}, {"point-on-line", 4}};
    for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++)
        if (!strcmp(ROW[i].name, type)) return ROW[i].freedoms;
    return 0;
}

static void put_bodies(struct writer *w, struct tree *t, const struct random_options *o)
{
    put(w, "bodies:\n");
    for (int i = 0; i < t->n; i++) {
        double axis[3], m = exp(between(w, -1, 1.5)), size = between(w, 0.1, 0.5);
        double a = between(w, 0.5, 1), b = between(w, 0.5, 1),
               c = between(w, fabs(a - b) + 0.1, a + b - 0.1);
        random_unit(w, axis);
        put(w, "  b%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: ", i, m,
            m * size * size * a, m * size * size * b, m * size * size * c);
        put_vec(w, t->x[i]);
        put(w, ", rotation: {axis: ");
        put_vec(w, axis);
        put(w, ", angle: %.17g}", between(w, -3, 3));
        if (i == 0 && o->free_floating) {
            double v[3] = {between(w, -1, 1), between(w, -1, 1), between(w, -1, 1)};
            put(w, ", velocity: ");
            put_vec(w, v);
            put(w, ", angular-velocity: ");
            put_vec(w, axis);
        }
        put(w, "}\n");
    }
}

static const char *const TREE_TYPE[] = {"revolute",    "revolute",  "revolute",  "prismatic",
                                        "cylindrical", "spherical", "universal", "planar",
                                        "fixed",       "screw"};

static void put_joint_frame(struct writer *w, const char *type, const double *at)
{
    double u[3], n[3], s = 0;
    random_unit(w, u);
    random_unit(w, n);
    put(w, ", at: ");
    put_vec(w, at);
    if (strcmp(type, "spherical") && strcmp(type, "fixed") && strcmp(type, "distance")) {
        put(w, ", axis: ");
        put_vec(w, u);
    }
    if (!strcmp(type, "universal")) {
        for (int i = 0; i < 3; i++) s += u[i] * n[i];
        for (int i = 0; i < 3; i++) n[i] -= s * u[i];
        put(w, ", axis-b: ");
        put_vec(w, n);
    }
    if (!strcmp(type, "screw")) put(w, ", pitch: %.17g", between(w, 0.05, 0.3));
}

static void put_tree(struct writer *w, struct tree *t, const struct random_options *o)
{
    put(w, "joints:\n");
    for (int i = 0; i < t->n; i++) {
        int p = t->parent[i];
        if (p < 0 && (o->free_floating || i > 0)) continue;
        const char *type = TREE_TYPE[pick(w, (int)(sizeof TREE_TYPE / sizeof *TREE_TYPE))];
        double at[3];
        snprintf(t->joint[i], sizeof t->joint[i], "%s", type);
        t->with_angle[i] = !strcmp(type, "revolute");
        t->slides[i] = !strcmp(type, "prismatic");
        t->freedoms += freedoms_of(type);
        for (int k = 0; k < 3; k++)
            at[k] = p < 0 ? t->x[i][k] + between(w, -0.4, 0.4)
                          : 0.5 * (t->x[i][k] + t->x[p][k]) + between(w, -0.1, 0.1);
        if (p < 0)
            put(w, "  j%d: {type: %s, between: [ground, b%d]", i, type, i);
        else if (pick(w, 2))
            put(w, "  j%d: {type: %s, between: [b%d, b%d]", i, type, p, i);
        else
            put(w, "  j%d: {type: %s, between: [b%d, b%d]", i, type, i, p);
        put_joint_frame(w, type, at);
        put(w, "}\n");
    }
}

static int parent_of(const struct tree *t, int a) { return a < 0 ? -1 : t->parent[a]; }

/* A loop over fewer than three joints mostly locks them. */
static int near(const struct tree *t, int a, int b)
{
    int pa = parent_of(t, a), pb = parent_of(t, b);
    return a == b || pa == b || pb == a || pa == pb || parent_of(t, pa) == b ||
           parent_of(t, pb) == a;
}

/* Loop closers that take few freedoms, and doubled joints that are redundant. */
static void put_loops(struct writer *w, struct tree *t, int loops, int redundant)
{
    static const char *const CLOSER[] = {"distance", "point-on-plane", "point-on-line", "spherical",
                                         "distance"};
    for (int i = 0; i < loops; i++) {
        int a = pick(w, t->n), b = pick(w, t->n);
        const char *type = CLOSER[pick(w, 5)];
        double at[3], far[3];
        if (near(t, a, b) || t->freedoms - (6 - freedoms_of(type)) < 3) continue;
        t->freedoms -= 6 - freedoms_of(type);
        for (int k = 0; k < 3; k++) {
            at[k] = t->x[a][k] + between(w, -0.2, 0.2);
            far[k] = t->x[b][k] + between(w, -0.2, 0.2);
        }
        put(w, "  l%d: {type: %s, between: [b%d, b%d]", i, type, a, b);
        put_joint_frame(w, type, at);
        if (!strcmp(type, "distance")) {
            put(w, ", at-b: ");
            put_vec(w, far);
        }
        put(w, "}\n");
    }
    if (!redundant) return;
    /* a planar four-bar on ground axes: three redundant rows */
    double u[3], v[3], n[3], s = 0;
    random_unit(w, n);
    random_unit(w, u);
    for (int i = 0; i < 3; i++) s += u[i] * n[i];
    for (int i = 0; i < 3; i++) u[i] -= s * n[i];
    v[0] = n[1] * u[2] - n[2] * u[1], v[1] = n[2] * u[0] - n[0] * u[2],
    v[2] = n[0] * u[1] - n[1] * u[0];
    static const double P[4][2] = {{0, 0}, {0.2, 0.7}, {1.3, 0.9}, {1.1, -0.1}};
    for (int i = 0; i < 4; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = 5 + P[i][0] * u[k] + P[i][1] * v[k];
        const char *from = i == 0 ? "base" : i == 1 ? "f0" : i == 2 ? "f1" : "f2";
        const char *to = i == 0 ? "f0" : i == 1 ? "f1" : i == 2 ? "f2" : "base";
        put(w, "  f%d: {type: revolute, between: [%s, %s], at: ", i, from, to);
        put_vec(w, at);
        put(w, ", axis: ");
        put_vec(w, n);
        put(w, "}\n");
    }
}

static void put_fourbar_bodies(struct writer *w, const struct random_options *o)
{
    put(w, "  base: {mass: 4, inertia: [1, 1, 1], position: [5, 5, 5]%s}\n",
        o->free_floating ? "" : ", fixed: true");
    for (int i = 0; i < 3; i++)
        put(w,
            "  f%d: {mass: %.17g, inertia: [0.1, 0.12, 0.08], position: [%.17g, %.17g, %.17g]}\n",
            i, between(w, 0.5, 2), 5 + between(w, 0, 0.5), 5 + between(w, 0, 0.5),
            5 + between(w, 0, 0.5));
}

static void put_rack(struct writer *w, struct tree *t)
{
    int pinion = -1, slide = -1;
    for (int i = 0; i < t->n; i++) {
        if (t->with_angle[i]) pinion = i;
        if (t->slides[i]) slide = i;
    }
    if (pinion < 0 || slide < 0 || t->freedoms < 4 || pick(w, 2)) return;
    t->freedoms--;
    put(w, "  rack: {type: rack, joints: [j%d, j%d], radius: %.17g}\n", pinion, slide,
        between(w, 0.1, 0.4));
}

static void put_gears(struct writer *w, struct tree *t)
{
    int list[MOST], n = 0;
    for (int i = 0; i < t->n; i++)
        if (t->with_angle[i]) list[n++] = i;
    if (n < 3 || t->freedoms < 4 || pick(w, 3)) return;
    t->freedoms--;
    int a = list[pick(w, n)], b = list[pick(w, n)], c = list[pick(w, n)];
    if (a == b) return;
    if (c != a && c != b && pick(w, 2))
        put(w, "  gear: {type: gear, joints: [j%d, j%d, j%d], ratios: [1, %.17g, %.17g]}\n", a, b,
            c, between(w, -3, 3), between(w, -3, 3));
    else
        put(w, "  gear: {type: gear, joints: [j%d, j%d], ratios: [1, %.17g]}\n", a, b,
            between(w, 0.3, 3));
}

static void put_forces(struct writer *w, const struct tree *t, const struct random_options *o)
{
    put(w, "forces:\n");
    int n = 1 + pick(w, 3);
    for (int i = 0; i < n; i++) {
        int a = pick(w, t->n), b = pick(w, t->n);
        if (a == b) b = (a + 1) % t->n;
        double c = o->conservative ? 0 : between(w, 0, 3);
        if (pick(w, 2)) {
            put(w,
                "  s%d: {type: spring-damper, between: [b%d, b%d], stiffness: %.17g, damping: %.17g, length: 0.3, from: ",
                i, a, b, between(w, 10, 200), c);
            put_vec(w, t->x[a]);
            double to[3] = {t->x[b][0] + 0.1, t->x[b][1] - 0.1, t->x[b][2] + 0.05};
            put(w, ", to: ");
            put_vec(w, to);
            put(w, "}\n");
        } else {
            put(w,
                "  s%d: {type: bushing, between: [b%d, b%d], stiffness: [50, 60, 70, 5, 6, 7], damping: [%.3g, %.3g, %.3g, 0, %.3g, %.3g], at: ",
                i, a, b, c, c, c, c * 0.1, c * 0.1);
            put_vec(w, t->x[a]);
            put(w, "}\n");
        }
    }
    if (!o->free_floating)
        put(w, "  push: {type: force, body: b%d, value: [%s, 1, 0]}\n", pick(w, t->n),
            o->conservative ? "0" : "\"2*sin(3*t)\"");
}

static void put_motions(struct writer *w, const struct tree *t)
{
    if (pick(w, 4) || t->freedoms < 4) return;
    for (int i = 1; i < t->n; i++)
        if (t->with_angle[i]) {
            put(w, "motions:\n  drive: {joint: j%d, value: \"0.3*sin(5*t)\"}\n", i);
            return;
        }
}

size_t random_mechanism(unsigned seed, const struct random_options *o, char *text, size_t size)
{
    struct writer w = {text, size, 0, 0x9E3779B97F4A7C15ull * (seed + 1)};
    for (int i = 0; i < 8; i++) uniform(&w);
    struct tree t = {.n = 2 + pick(&w, o->small ? 7 : pick(&w, 3) ? 12 : 39)};
    int loops = pick(&w, 2) ? 0 : 1 + pick(&w, 6), redundant = pick(&w, 3) == 0;
    for (int i = 0; i < t.n; i++) {
        t.parent[i] = i == 0 ? -1 : pick(&w, 3) ? i - 1 : pick(&w, i);
        for (int k = 0; k < 3; k++)
            t.x[i][k] = (i ? t.x[t.parent[i]][k] : 0) + between(&w, -0.5, 0.5) + (k == 0 ? 0.3 : 0);
    }
    put(&w, "model: random-%u\ngravity: %s\n", seed, o->free_floating ? "[0, 0, 0]" : "[1, -9, 3]");
    put_bodies(&w, &t, o);
    if (redundant) put_fourbar_bodies(&w, o);
    put_tree(&w, &t, o);
    put_loops(&w, &t, loops, redundant);
    put_gears(&w, &t);
    put_rack(&w, &t);
    put_forces(&w, &t, o);
    if (!o->no_drives && !o->conservative && !o->free_floating) put_motions(&w, &t);
    return w.n;
}
