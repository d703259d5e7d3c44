/* realrig.h: a rig with a stand-in for the mechanism, run by the real supervisor with
 * real processes on the real clock. The plant burns time in blocks with a stamp after
 * each; what it does is steered through memory shared with the test. */
#ifndef REALRIG_H
#define REALRIG_H

#include "rt/tick/cause.h"
#include "services/run/supervisor.h"
#include "tests/rt/testrig.h"

/* Shared with the step process; written by the test. */
struct realrig_knobs {
    _Atomic int64_t block_ns;      /* work per block */
    _Atomic int blocks;            /* per step */
    _Atomic int64_t delay_ns;      /* once: extra work inside one block, then 0 */
    _Atomic int touch;             /* once: touch the page, then 0 */
    _Atomic int forbidden;         /* once: make a system call the step may not */
    _Atomic int64_t steps;         /* done */
    _Atomic double command[TESTRIG_ACTUATORS]; /* SI, as the plant got them */
    _Atomic double worst;          /* largest |command| ever got, SI */
    char *page;                    /* mapped from page_fd */
    int page_fd;
};

struct realrig {
    struct realrig_knobs *knobs;
    struct testrig_model model;
    struct rig rig;
    struct rig_command command[TESTRIG_ACTUATORS];
    struct rig_service service[3];
    struct supervisor_options options;
    struct supervisor_result result;
    volatile sig_atomic_t stop;
    double x[TESTRIG_CHANNELS], t;
};

/* Defaults: 1 ms, 20 blocks of 5 us, policy skip, no trips, autostart, 0.1 s of
 * admission, no services, silent. Returns 0 without the rights for real time. */
int realrig_create(struct realrig *r, const char *name);
void realrig_destroy(struct realrig *r);

/* Run for so long, calling watch about twenty times a second. */
enum status realrig_run(struct realrig *r, double seconds,
                        void (*watch)(struct port *port, void *context), void *context);

/* All accounts after *cursor in order, each given to `each`; returns how many were lost. */
uint64_t realrig_accounts(struct port *port, uint64_t *cursor,
                          void (*each)(const struct account *a, void *context), void *context);

#endif
