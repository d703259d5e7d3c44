/* The fast lane's commands: real rig, real UDP on the loopback, open62541's own PubSub as
 * publisher: the values of one message act in one step; whatever is replayed, overtaken,
 * foreign, out of range or malformed is refused, counted and never applied.
 * RUN_ALONE NO_SANITIZER TIME_LIMIT=120 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include <open62541/client_highlevel.h>

#include "services/opcua/lane/pubsub.h"
#include "tests/service/lanerig.h"

static int with_commands(void **state)
{
    return lanerig_begin(state, "port: 4921, commands: {port: 4922}", NULL, LANERIG_SENSORS);
}

/* ---- commands ----------------------------------------------------------------------- */

/* What records show of the motors, which are always commanded alike. */
struct watch {
    uint64_t cursor, split, changes;
    double last;
};

/* Look at every record since the last look. */
static void look(struct lanerig *w, struct watch *k)
{
    const struct record_layout *l = &w->port.layout.step.record;

    while (ring_next(&w->port.record, &k->cursor, w->record, NULL) == RING_OK) {
        const struct record_actuator *a = record_actuators(l, w->record);
        for (int i = 1; i < LANERIG_MOTORS; i++) k->split += a[i].value != a[0].value;
        k->changes += a[0].value != k->last;
        k->last = a[0].value;
    }
}

static void order_all(struct lanerig *w, double value)
{
    w->order->epoch = w->epoch;
    w->order->counter = ++w->counter;
    for (int i = 0; i < LANERIG_MOTORS; i++) w->order->value[i] = value;
    pubsub_peer_send(w->order);
}

static void all_values_of_a_message_act_in_one_step(void **state)
{
    struct lanerig *w = *state;
    uint64_t before = lanerig_count(w, "pubsub.accepted");
    struct watch k = {.cursor = ring_head(&w->port.record)};

    lanerig_borrow(w);
    for (int i = 0; i < 2000; i++) {
        order_all(w, i % 100 * 0.1 - 5);
        look(w, &k);
    }
    order_all(w, 2.5);
    assert_true(lanerig_is_applied(w, 2.5));
    assert_int_equal(k.split, 0);
    assert_true(k.changes > 100);
    /* each message that acted has a loop time; a newer one may have overtaken others */
    assert_in_range(lanerig_count(w, "pubsub.loop-count"), k.changes / 2, 2001);
    assert_int_equal(lanerig_count(w, "pubsub.accepted") - before, 2001);
    assert_int_equal(lanerig_count(w, "pubsub.counter"), w->counter);
}

static void a_sensor_message_tells_which_command_acts(void **state)
{
    struct lanerig *w = *state;
    uint32_t n;

    lanerig_borrow(w);
    w->counter = 1000000;
    order_all(w, 1.5);
    assert_true(lanerig_is_applied(w, 1.5));
    n = lanerig_wait(w->log, 20);
    assert_int_equal(w->log->set[n - 1].command, w->counter);
}

static void commands_as_raw_data_are_taken_too(void **state)
{
    struct lanerig *w = *state;
    struct pubsub_peer_order *variant = w->order;

    lanerig_borrow(w);
    w->order = w->raw_order;
    order_all(w, -3.25);
    w->order = variant;
    assert_true(lanerig_is_applied(w, -3.25));
}

/* ---- what is refused ---------------------------------------------------------------- */

/* A message with Variants, written here by hand, and what can be wrong with it. */
struct datagram {
    uint8_t bytes[512];
    size_t n;
};

static void put(struct datagram *m, const void *bytes, size_t n)
{
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

static void put_variant(struct datagram *m, uint8_t type, const void *eight)
{
    put(m, &type, 1);
    put(m, eight, 8);
}

static struct datagram build(const struct lanerig *w, uint64_t counter, const double *value)
{
    /* version and flags; UInt16 publisher 2; group 2; one message of writer 2; valid */
    static const uint8_t HEAD[] = {0xf1, 0x01, 2, 0, 0x01, 2, 0, 1, 2, 0, 0x01};
    uint8_t fields[2] = {2 + LANERIG_MOTORS, 0};
    struct datagram m = {.n = 0};

    put(&m, HEAD, sizeof HEAD);
    put(&m, fields, sizeof fields);
    put_variant(&m, 9, &w->epoch);
    put_variant(&m, 9, &counter);
    for (int i = 0; i < LANERIG_MOTORS; i++) put_variant(&m, 11, &value[i]);
    return m;
}

static void send_raw(const struct lanerig *w, const struct datagram *m)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(LANERIG_COMMANDS)};

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    assert_int_equal(sendto(w->raw, m->bytes, m->n, 0, (struct sockaddr *)&to, sizeof to), m->n);
}

/* Send and see: this reason counted once more, nothing accepted, nothing applied. */
static void expect_refused(struct lanerig *w, const char *what, const struct datagram *m,
                           int reason)
{
    const struct record_layout *l = &w->port.layout.step.record;
    uint64_t before = lanerig_refused(w, reason), accepted = lanerig_count(w, "pubsub.accepted");
    uint64_t cursor = ring_head(&w->port.record), now = before;

    send_raw(w, m);
    for (int i = 0; i < 200 && now == before; i++) {
        lanerig_nap(2);
        now = lanerig_refused(w, reason);
    }
    if (now != before + 1)
        fail_msg("%s is not refused for its %s", what, pubsub_reason_text(reason));
    assert_int_equal(lanerig_count(w, "pubsub.accepted"), accepted);
    lanerig_nap(5);
    while (ring_next(&w->port.record, &cursor, w->record, NULL) == RING_OK)
        for (int i = 0; i < LANERIG_MOTORS; i++)
            if (record_actuators(l, w->record)[i].value != 1) fail_msg("%s is applied", what);
}

static const double SAME[LANERIG_MOTORS] = {7, 7, 7}, ONE[LANERIG_MOTORS] = {1, 1, 1};

static void start_with_one(struct lanerig *w)
{
    struct datagram m;

    lanerig_borrow(w);
    w->counter = 100;
    m = build(w, w->counter, ONE);
    send_raw(w, &m);
    assert_true(lanerig_is_applied(w, 1));
}

static void replayed_overtaken_and_foreign_messages_are_refused(void **state)
{
    struct lanerig *w = *state, other;
    struct datagram m;

    start_with_one(w);
    m = build(w, 100, SAME);
    expect_refused(w, "a replayed message", &m, PUBSUB_COUNTER);
    m = build(w, 99, SAME);
    expect_refused(w, "an overtaken message", &m, PUBSUB_COUNTER);
    other = *w;
    other.epoch++;
    m = build(&other, 101, SAME);
    expect_refused(w, "another epoch", &m, PUBSUB_EPOCH);
    other.epoch = 0;
    m = build(&other, 101, SAME);
    expect_refused(w, "no epoch", &m, PUBSUB_EPOCH);
    for (int i = 2; i < 9; i += 3) { /* publisher, group, writer */
        m = build(w, 101, SAME);
        m.bytes[i == 8 ? 8 : i] = 3;
        expect_refused(w, "another id", &m, PUBSUB_IDS);
    }
}

static void wrong_values_are_refused_whole(void **state)
{
    static const double WRONG[] = {NAN, INFINITY, -INFINITY, 10.000001, -11, 1e300};
    struct lanerig *w = *state;
    struct datagram m;

    start_with_one(w);
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
        for (int k = 0; k < LANERIG_MOTORS; k++) {
            double value[LANERIG_MOTORS] = {7, 7, 7};
            value[k] = WRONG[i];
            m = build(w, ++w->counter, value);
            expect_refused(w, "a wrong value", &m, PUBSUB_RANGE);
        }
    m = build(w, w->counter, SAME);
    expect_refused(w, "the counter of a refused message", &m, PUBSUB_COUNTER);
}

static void wrong_forms_are_refused(void **state)
{
    struct lanerig *w = *state;
    struct datagram whole, m;

    start_with_one(w);
    whole = build(w, 101, SAME);
    m = whole;
    m.n -= 8;
    expect_refused(w, "a message too short", &m, PUBSUB_LAYOUT);
    m = whole;
    m.n += 1;
    expect_refused(w, "a message too long", &m, PUBSUB_LAYOUT);
    m = whole;
    m.bytes[11]--;
    expect_refused(w, "a field too few", &m, PUBSUB_LAYOUT);
    m = whole;
    m.bytes[13] = 8;
    expect_refused(w, "an Int64 for a UInt64", &m, PUBSUB_LAYOUT);
    m = whole;
    m.bytes[13 + 18] = 10;
    expect_refused(w, "a Float for a Double", &m, PUBSUB_LAYOUT);
    m = whole;
    m.bytes[0] = 0xf2;
    expect_refused(w, "another version", &m, PUBSUB_FORM);
    m = whole;
    m.bytes[10] = 0;
    expect_refused(w, "a data set marked invalid", &m, PUBSUB_FORM);
    m = (struct datagram){.n = 3, .bytes = {1, 2, 3}};
    expect_refused(w, "garbage", &m, PUBSUB_IDS);
    m = (struct datagram){.n = 0};
    expect_refused(w, "an empty message", &m, PUBSUB_FORM);
    for (m = whole; m.n > 0; m.n--) send_raw(w, &m); /* the whole one is good and the first */
    assert_true(lanerig_is_applied(w, 7));
}

/* ---- authority ---------------------------------------------------------------------- */

static UA_StatusCode write_motor(struct lanerig *w, double value)
{
    UA_NodeId id = lanerig_node("actuator:motor-0.command");
    UA_Variant v;
    UA_StatusCode bad;

    UA_Variant_setScalar(&v, &value, &UA_TYPES[UA_TYPES_DOUBLE]);
    bad = UA_Client_writeValueAttribute(w->client, id, &v);
    UA_NodeId_clear(&id);
    return bad;
}

static void without_a_session_that_lends_it_nobody_commands(void **state)
{
    struct lanerig *w = *state;
    struct datagram m;

    start_with_one(w);
    assert_int_equal(write_motor(w, 5), UA_STATUSCODE_BADUSERACCESSDENIED); /* it lends it */
    assert_int_equal(lanerig_call(w, "rig.acquire-authority", "stream", NULL), UA_STATUSCODE_GOOD);
    m = build(w, 101, SAME);
    assert_int_equal(write_motor(w, 1), UA_STATUSCODE_GOOD);
    expect_refused(w, "a message of a lane that is closed", &m, PUBSUB_AUTHORITY);
    assert_int_equal(write_motor(w, 2), UA_STATUSCODE_GOOD);
    assert_true(lanerig_is_applied(w, 2));
    for (int i = 1; i < LANERIG_MOTORS; i++) /* the session's frame brings no value of the lane's */
        assert_true(record_actuators(&w->port.layout.step.record, w->record)[i].value == 1);
    assert_int_equal(lanerig_call(w, "rig.release-authority", NULL, NULL), UA_STATUSCODE_GOOD);
    lanerig_borrow(w);
    w->epoch++;
    m = build(w, 1, SAME);
    assert_true(lanerig_is_applied(w, 0)); /* the safe value after the release */
    send_raw(w, &m);
    w->epoch--;
    m = build(w, 1, ONE);
    send_raw(w, &m);
    assert_true(lanerig_is_applied(w, 1));
    assert_int_equal(lanerig_call(w, "rig.release-authority", NULL, NULL), UA_STATUSCODE_GOOD);
}

/* A second of nothing but garbage, as fast as one sender can: sensors still go out for
 * every step, and good commands after it act. */
static void a_flood_of_garbage_stops_nothing(void **state)
{
    struct lanerig *w = *state;
    uint32_t from = lanerig_wait(w->log, 10), to;
    struct datagram m;

    lanerig_borrow(w);
    m = build(w, 1, SAME);
    m.bytes[10] = 0; /* not valid */
    while (w->log->n < from + 1000) send_raw(w, &m);
    to = w->log->n;
    for (uint32_t i = from; i < to; i++)
        assert_int_equal(w->log->set[i].step, w->log->set[i - 1].step + 1);
    assert_true(lanerig_refused(w, PUBSUB_FORM) > 1000);
    lanerig_nap(50);
    m = build(w, 1, ONE);
    send_raw(w, &m);
    assert_true(lanerig_is_applied(w, 1));
}

static void a_restarted_service_sends_again_and_knows_no_old_epoch(void **state)
{
    struct lanerig *w = *state;
    struct datagram m;

    start_with_one(w);
    kill(w->port.board->service[1].pid, SIGKILL);
    lanerig_nap(20); /* what was on its way */
    lanerig_wait(w->log, 100);
    lanerig_reconnect(w);
    m = build(w, 101, SAME);
    send_raw(w, &m);
    for (int i = 0; i < 500 && lanerig_refused(w, PUBSUB_AUTHORITY) == 0; i++) lanerig_nap(2);
    assert_int_equal(lanerig_refused(w, PUBSUB_AUTHORITY), 1);
    assert_true(lanerig_is_applied(w, 0)); /* a new service has no lease: the safe value */
    lanerig_borrow(w);
    m = build(w, 1, ONE);
    send_raw(w, &m);
    assert_true(lanerig_is_applied(w, 1));
    assert_int_equal(lanerig_count(w, "pubsub.accepted"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_values_of_a_message_act_in_one_step),
        cmocka_unit_test(a_sensor_message_tells_which_command_acts),
        cmocka_unit_test(commands_as_raw_data_are_taken_too),
        cmocka_unit_test(replayed_overtaken_and_foreign_messages_are_refused),
        cmocka_unit_test(wrong_values_are_refused_whole),
        cmocka_unit_test(wrong_forms_are_refused),
        cmocka_unit_test(without_a_session_that_lends_it_nobody_commands),
        cmocka_unit_test(a_flood_of_garbage_stops_nothing),
        cmocka_unit_test(a_restarted_service_sends_again_and_knows_no_old_epoch),
    };
    return cmocka_run_group_tests(tests, with_commands, lanerig_end);
}
