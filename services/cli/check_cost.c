/* What a step costs on this machine, as `trapeze check` shows it. */
#include <time.h>

#include "rt/solve/method.h"
#include "services/cli/check.h"

enum { COST_STEPS = 51 };

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Insert into the sorted v[0 .. n). */
static void insert(double *v, int n, double x)
{
    int i = n;
    for (; i > 0 && v[i - 1] > x; i--) v[i] = v[i - 1];
    v[i] = x;
}

struct check_cost check_cost_measure(struct mechanism *me, double step_s)
{
    struct check_cost cost = {.step_s = step_s};
    struct step_limits limits = step_limits(me->model);
    struct step_report report;
    struct workspace ws;
    double took[COST_STEPS + 1];
    int n = 0;
    limits.iterations = 2;
    limits.fixed = 1;
    if (mechanism_workspace(me, &ws) != STATUS_OK) return cost;
    for (double begin = now_us(), t = begin; n < COST_STEPS && t - begin < 2e5; n++) {
        if (status_severity(method_advance(me->model, me->plan, &ws, step_s, &limits, &report)) ==
            SEVERITY_BAD)
            break;
        double end = now_us();
        insert(took, n, end - t);
        t = end;
    }
    if (n > 0) cost.step_us = took[n / 2];
    return cost;
}
