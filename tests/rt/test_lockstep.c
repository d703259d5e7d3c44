/* Lockstep with a controller in a process of its own that is slower than real time.
 * RUN_ALONE NEEDS_ROOT NO_SANITIZER */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "tests/rt/realrig.h"

/* Shared with the controller. */
struct notes {
    _Atomic int64_t answered, wrong, held, last_step;
    _Atomic int stop_at; /* stop answering after this step */
};

static void nap(int64_t ns)
{
    struct timespec t = {.tv_nsec = ns};
    nanosleep(&t, NULL);
}

/* Reads step k, thinks for 3 ms (three periods), answers; every step must use the
 * answer to the one before: command = step number mod 10. */
static int controller(struct attach *a)
{
    struct notes *n = (struct notes *)(size_t)a->service->keys;
    const struct record_layout *l = &a->port.layout.step.record;
    struct record *r = malloc(l->bytes);
    struct command_frame *f = calloc(1, a->port.layout.service.command_bytes);
    struct request q = {.kind = REQUEST_ACQUIRE, .index = LEASE_STREAM};
    struct reply reply;
    uint64_t ticket = port_send(&a->port, &q), next = 0;

    while (!port_reply(&a->port, ticket, &reply)) nap(200000);
    f->lease = reply.number;
    while (!attach_should_stop(a)) {
        if (!port_record(&a->port, r) || r->step != next || r->state != STATE_RUNNING) {
            n->held += r->state == STATE_HOLDING;
            nap(100000);
            continue;
        }
        n->last_step = (int64_t)r->step;
        if (next > 0 && record_actuators(l, r)[0].value != (double)((next - 1) % 10)) n->wrong++;
        if (n->stop_at && next >= (uint64_t)n->stop_at) continue;
        nap(3000000);
        f->step = next;
        f->value[0].counter++;
        f->value[0].value = (double)(next % 10);
        port_command(&a->port, f);
        n->answered++;
        next++;
    }
    return 0;
}

static const struct attach_service KINDS[] = {{.name = "controller", .run = controller},
                                              {.name = NULL}};

static struct notes *begin(struct realrig *r)
{
    struct notes *n = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                           0);

    assert_ptr_not_equal(n, MAP_FAILED);
    if (!realrig_create(r, "test-lockstep")) skip();
    r->rig.pace = RIG_LOCKSTEP;
    r->rig.lockstep_timeout = 0.5;
    r->rig.lease = 60;
    r->options.service = KINDS;
    r->service[0] = (struct rig_service){
        .name = "controller", .keys = (const struct node *)(void *)n, .place = {"test", 1, 1}};
    r->rig.n_services = 1;
    return n;
}

static void every_step_waits_for_its_frame(void **state)
{
    struct realrig r;
    struct notes *n = begin(&r);

    (void)state;
    assert_int_equal(realrig_run(&r, 3, NULL, NULL), STATUS_OK);
    assert_true(n->answered > 100);
    assert_int_equal(n->wrong, 0);
    /* one step per frame; at the end it goes on moving for the 10 steps of its ramp */
    assert_in_range(r.result.steps, (uint64_t)n->answered - 1, (uint64_t)n->answered + 13);
    assert_int_equal(r.result.misses, 0);
    munmap(n, sizeof *n);
    realrig_destroy(&r);
}

static void without_an_answer_it_holds(void **state)
{
    struct realrig r;
    struct notes *n = begin(&r);

    (void)state;
    n->stop_at = 50;
    assert_int_equal(realrig_run(&r, 2, NULL, NULL), STATUS_OK);
    assert_int_equal(n->last_step, 50);
    assert_true(n->held > 100);
    assert_int_equal(r.result.record.step, 50);
    munmap(n, sizeof *n);
    realrig_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_waits_for_its_frame),
        cmocka_unit_test(without_an_answer_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
