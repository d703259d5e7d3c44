/* testrig.h: a rig without a mechanism, for tests of the tick on the virtual clock.
 *
 * A made-up model (actuators, channels, one live and one dead parameter, one
 * switchable and one plain joint) and a plant that is an integrator: state x[i] +=
 * h * command[i], channel i = x[i]. What a step costs, how many Newton iterations it
 * asks for and whether it fails is set by the test. Four clients: the supervisor and
 * three services, each with its own block. */
#ifndef TESTRIG_H
#define TESTRIG_H

#include <math.h>

#include "rt/link/port.h"
#include "rt/tick/cycle.h"
#include "rt/time/vclock.h"

enum { TESTRIG_ACTUATORS = 3, TESTRIG_CHANNELS = 3, TESTRIG_SERVICES = 3 };

/* The made-up model, one block. */
struct testrig_model {
    struct model m;
    struct model_actuator actuator[TESTRIG_ACTUATORS];
    struct model_parameter parameter[2];
    struct model_joint joint[2];
    struct model_body body[1];
    char text[64];
};

void testrig_model(struct testrig_model *b);

struct testrig_plant {
    double x[TESTRIG_CHANNELS], kept[PLANT_SNAPSHOTS][TESTRIG_CHANNELS];
    double t, kept_t[PLANT_SNAPSHOTS], live, kept_live[PLANT_SNAPSHOTS];
    uint32_t released;
    double last_h;
    double command[TESTRIG_ACTUATORS];
    uint64_t steps;
    /* set by the test */
    struct vclock *clock;
    int64_t cost_ns;        /* of a step, without iterations */
    int64_t iteration_ns;   /* of each iteration */
    int iterations;         /* that Newton wants */
    int blocks;             /* stamps per step */
    int fail;               /* 1: the next step is not finite */
    int singular;           /* 1: joints cannot be switched */
};

struct testrig {
    struct tick tick;
    struct tick_config config;
    struct tick_rule rule[TESTRIG_ACTUATORS];
    struct testrig_plant plant;
    struct vclock clock;
    struct block_head layout;
    struct port port[1 + TESTRIG_SERVICES]; /* [0] the supervisor */
    void *block[1 + TESTRIG_SERVICES];
    struct board *board;
    void *step_block, *tick_memory;
    struct command_frame *frame[1 + TESTRIG_SERVICES];
    struct record *record;
};

enum { TESTRIG_H_NS = 1000000 };

/* Two doubles differ by no more than eps (cmocka compares floats). */
#define assert_close(a, b, eps) assert_true(fabs((double)(a) - (double)(b)) <= (eps))

/* Set up with defaults (1 ms, deadline = h, skip, no trips, timeouts of 5 ms, ramps
 * of 4 ms, leases of 50 ms, arming allowed); change config and rules, then begin. */
void testrig_create(struct testrig *r);
void testrig_begin(struct testrig *r);
void testrig_destroy(struct testrig *r);

/* n ticks; then the newest record is in r->record. */
void testrig_ticks(struct testrig *r, int n);

/* Send a request from a service, tick once, return the reply. */
struct reply testrig_ask(struct testrig *r, int service, struct request request);

/* The same for requests that are only a kind. Returns the result. */
enum reply_result testrig_do(struct testrig *r, int service, enum request_kind kind);

/* arm and start by the supervisor: two ticks. */
void testrig_start(struct testrig *r);

/* Acquire for a service; returns the lease number, 0 if refused. */
uint64_t testrig_acquire(struct testrig *r, int service, uint64_t session, enum lease_mode mode);

/* Write one actuator (its counter goes up) and publish the frame. */
void testrig_write(struct testrig *r, int service, int actuator, double value);

/* Publish the service's frame again with its refresh counter raised. */
void testrig_refresh(struct testrig *r, int service);

/* Next event of this kind after *cursor; 1 if found. */
int testrig_event(struct testrig *r, uint64_t *cursor, enum event_kind kind, struct event *event);

/* The last account. */
struct account testrig_account(struct testrig *r);

#endif
