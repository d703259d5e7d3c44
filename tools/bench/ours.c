/* Trapeze as a contender (contender.h): ours [--dense] MODEL [h=STEP] [NAME=VALUE ...]
 *
 * The step alone, with exactly two Newton iterations and both projections; --dense: by
 * the dense path that checks it. Every allocation made inside it is counted: this file
 * stands in front of the C library's. */
#include <errno.h>

#include "rt/solve/dense.h"
#include "rt/solve/method.h"
#include "services/load/model/load.h"
#include "services/plan/mechanism.h"
#include "tools/bench/contender.h"

/* ---- allocations ------------------------------------------------------------------- */

static volatile long allocations;
static volatile int armed;

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);
int posix_memalign(void **p, size_t align, size_t n);

static void note(void)
{
    if (armed) allocations++;
}

void *malloc(size_t n) { return note(), __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return note(), __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return note(), __libc_realloc(p, n); }
void *aligned_alloc(size_t align, size_t n) { return note(), __libc_memalign(align, n); }
void free(void *p)
{
    if (p) note();
    __libc_free(p);
}
int posix_memalign(void **p, size_t align, size_t n)
{
    *p = (note(), __libc_memalign(align, n));
    return *p ? 0 : ENOMEM;
}

/* ---- the mechanism ------------------------------------------------------------------ */

struct ours {
    const char *path;
    struct load_options load;
    struct plan_options plan;
    struct model *model;
    struct mechanism mechanism;
    struct step_limits limits;
    struct dense *dense; /* NULL: the fast path */
    struct dense system;
};

static enum status ours_open(struct ours *o)
{
    struct diag_list diags = {0};
    enum status s = load_model(o->path, &o->load, &o->model, &diags);
    if (s == STATUS_OK) {
        s = mechanism_create(&o->mechanism, o->model, &o->plan, &diags);
        if (s != STATUS_OK) load_free(o->model);
    }
    if (s != STATUS_OK) diag_print(&diags, stderr);
    diag_clear(&diags);
    return s;
}

static void ours_close(struct ours *o)
{
    mechanism_destroy(&o->mechanism);
    load_free(o->model);
}

static double ours_load(void *self)
{
    struct ours copy = *(struct ours *)self;
    double t = contender_now_us();
    if (ours_open(&copy) != STATUS_OK) return -1;
    t = contender_now_us() - t;
    ours_close(&copy);
    return t / 1e3;
}

static void ours_reset(void *self)
{
    struct ours *o = self;
    mechanism_reset(&o->mechanism, &o->mechanism.ws);
    if (o->dense) memset(o->dense->lambda, 0, sizeof(double) * (size_t)o->dense->n_rows);
}

static void ours_step(void *self)
{
    struct ours *o = self;
    struct step_report report;
    const struct plan *plan = o->mechanism.plan;
    struct workspace *ws = &o->mechanism.ws;
    enum status s = o->dense ? dense_advance(o->model, plan, ws, o->dense, o->plan.h, &o->limits,
                                             &report)
                             : method_advance(o->model, plan, ws, o->plan.h, &o->limits, &report);
    if (status_severity(s) != SEVERITY_BAD) return;
    fprintf(stderr, "%s: %s at t = %g s\n", o->path, status_text(s), o->mechanism.ws.t);
    exit(1);
}

static void ours_centres(void *self, double *xyz)
{
    const struct ours *o = self;
    for (int k = 0; k < o->mechanism.plan->n; k++)
        vec_store(xyz + 3 * o->mechanism.plan->body[k].body, o->mechanism.ws.x[k]);
}

static enum status ours_open_dense(struct ours *o)
{
    size_t size = (dense_memsize(o->model, o->mechanism.plan) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size); /* kept to the end of the process */
    if (!memory) return STATUS_NO_MEMORY;
    o->dense = &o->system;
    return dense_init(o->dense, o->model, o->mechanism.plan, memory, size);
}

int main(int argc, char **argv)
{
    const char *sets[16];
    struct ours o = {.load = {.sets = sets}, .plan = mechanism_options()};
    int dense = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dense") == 0)
            dense = 1;
        else if (!o.path)
            o.path = argv[i];
        else if (strncmp(argv[i], "h=", 2) == 0)
            o.plan.h = atof(argv[i] + 2);
        else if (o.load.n_sets < 16)
            sets[o.load.n_sets++] = argv[i];
    }
    if (!o.path)
        return fprintf(stderr, "usage: ours [--dense] MODEL [h=STEP] [NAME=VALUE ...]\n"), 2;
    if (ours_open(&o) != STATUS_OK || (dense && ours_open_dense(&o) != STATUS_OK)) return 1;
    o.limits = step_limits(o.model);
    o.limits.fixed = 1;
    o.limits.iterations = 2;
    struct contender c = {.self = &o, .h = o.plan.h, .n_bodies = o.mechanism.plan->n};
    c.reset = ours_reset, c.step = ours_step, c.centres = ours_centres, c.load = ours_load;
    c.allocations = &allocations, c.armed = &armed;
    int code = contender_serve(&c);
    ours_close(&o);
    return code;
}
