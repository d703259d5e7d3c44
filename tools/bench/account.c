/* What writing the account of a tick costs: account RIG [SECONDS]. The rig runs by itself,
 * without services; the step process times its own account, which the next tick's holds.
 * Exit 1 if the median is above the limit. */
#include <string.h>

#include "services/run/rig_setup.h"
#include "tools/bench/figure.h"

enum { MOST = 1 << 17 };
#define LIMIT_US 2.0

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
    (void)signal;
    stop = 1;
}

struct costs {
    uint64_t cursor, lost;
    int n;
    double us[MOST];
};

static void collect(struct port *port, void *context)
{
    struct costs *c = context;
    struct account a;

    while (c->n < MOST && ring_next(&port->account, &c->cursor, &a, &c->lost) == RING_OK)
        if (a.tick > 1) c->us[c->n++] = (double)a.phase_ns[PHASE_ACCOUNT] * 1e-3;
}

int main(int argc, char **argv)
{
    static struct rig_setup rig;
    static struct costs c;
    struct figure_limits limits = {0, 0};
    struct supervisor_result result;
    double p50;

    if (argc < 2) figure_fail("usage: account RIG [SECONDS]");
    if (rig_setup_create(&rig, argv[1], NULL, 0) != STATUS_OK) return 2;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    rig.rig.name = "bench-account";
    rig.rig.trip_consecutive = rig.rig.trip_misses = 0;
    rig.options.admit = 0;
    rig.options.no_services = 1;
    rig.options.duration = argc > 2 ? atof(argv[2]) : 20;
    rig.options.stop = &stop;
    rig.options.watch = collect;
    rig.options.watch_context = &c;
    if (supervisor_run(&rig.options, &result) != STATUS_OK || c.n == 0)
        figure_fail("%s did not run", argv[1]);
    p50 = figure_share(c.us, c.n, 0.5);
    printf("Writing the account of a tick, us: %s, %d ticks\n", argv[1], c.n);
    printf("p50 %8.2f   limit %.0f  %s\np99 %8.2f\n", p50, LIMIT_US,
           figure_verdict(&limits, p50 < LIMIT_US), figure_share(c.us, c.n, 0.99));
    figure_close(&limits);
    rig_setup_destroy(&rig);
    return limits.over ? 1 : 0;
}
