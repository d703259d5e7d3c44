/* walkrules.h: the rules of the tick written a second time, from the text of the design
 * alone, for the random walk: what a tick with these events must lead to. */
#ifndef WALKRULES_H
#define WALKRULES_H

#include "tests/rt/testrig.h"

enum { WALK_ACTUATORS = TESTRIG_ACTUATORS, WALK_SERVICES = TESTRIG_SERVICES };

/* What happens in one tick. */
struct draw {
    int restart;          /* service, 0: none */
    int asker;            /* service + 1, 0: no request */
    struct request request;
    int writer;           /* service, 0: nobody */
    int right_lease;      /* the frame carries the service's idea of its lease */
    int refresh;
    int write[WALK_ACTUATORS];
    double value[WALK_ACTUATORS];
    int64_t late, cost;
    int fail;
};

/* What the rules know. */
struct walkrules {
    uint32_t state, policy, trip;
    int moving;
    uint64_t slot, tick, step, misses, skipped, lost, steps_left;
    uint64_t span, in_a_row;
    uint64_t miss_at[4096], n_miss;
    double t;
    struct {
        uint64_t number;
        int service;
        uint64_t session;
        int manual;
        int64_t dies;
    } lease;
    uint64_t leases;
    struct {
        int kind; /* 0 idle, 1 live, 2 timed out, 3 safe */
        double want, out, from;
        int64_t seen, since;
    } a[WALK_ACTUATORS];
    double live;
    /* what each service has in its newest frame, and what of it is news */
    struct {
        uint64_t lease;
        int any, news, refreshed;
        int fresh[WALK_ACTUATORS];
        double value[WALK_ACTUATORS];
    } frame[WALK_SERVICES + 1];
};

/* At the start: ready, at the start values. */
void walkrules_init(struct walkrules *m);

/* One tick by the rules, up to publishing. Returns the reply to expect, and the time from
 * release to publish. */
uint32_t walkrules_tick(struct walkrules *m, const struct draw *d, int64_t *end);

/* And after it: misses, skipped slots, trips. */
void walkrules_judge(struct walkrules *m, int stepped, int64_t end, int64_t now);

#endif
