/* The fast lane's sensors: real rig, real UDP on the loopback, and open62541's own PubSub
 * as the other side: every message decodes, is of one step and equal to what a Read of
 * that step gives; a signed one verifies, and changed anywhere it does not.
 * RUN_ALONE NO_SANITIZER TIME_LIMIT=120 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <open62541/client_highlevel.h>

#include "services/opcua/lane/uadp.h"
#include "tests/service/lanerig.h"

#define KEY_HEX "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static int plain(void **state) { return lanerig_begin(state, "port: 4921", NULL, LANERIG_SENSORS); }

static void check_sets(const struct pubsub_peer_log *log, uint32_t from, uint32_t to,
                       uint64_t every)
{
    for (uint32_t i = from; i < to; i++) {
        const struct pubsub_peer_set *s = &log->set[i];
        if (i > from && s->step != log->set[i - 1].step + every)
            fail_msg("step %llu after %llu", (unsigned long long)s->step,
                     (unsigned long long)log->set[i - 1].step);
        assert_int_equal(s->state, STATE_RUNNING);
        assert_true(fabs(s->channel[3] - s->time) < 1e-9); /* the clock stands at t */
    }
}

static void every_message_decodes_and_step_numbers_rise_by_one(void **state)
{
    struct lanerig *w = *state;
    uint32_t from = lanerig_wait(w->log, 50), to;

    while (w->log->set[from - 1].state != STATE_RUNNING) from = lanerig_wait(w->log, 10);
    to = lanerig_wait(w->log, 3000);
    check_sets(w->log, from, to, 1);
    assert_true(lanerig_count(w, "pubsub.sent") >= to - from);
    assert_int_equal(lanerig_count(w, "pubsub.unsent"), 0);
}

/* A line of /proc/PID/task/TID/status. */
static int status_line(pid_t pid, const char *tid, const char *line)
{
    char path[320], text[4096] = "";
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/task/%s/status", pid, tid);
    f = fopen(path, "r");
    if (!f) return 0;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return strstr(text, line) != NULL;
}

static void the_thread_is_timed_beside_the_step_and_has_no_rights(void **state)
{
    struct lanerig *w = *state;
    const struct board *b = w->port.board;
    pid_t pid = b->service[1].pid;
    int timed = 0, threads = 0;
    char path[64];
    const struct dirent *e;
    UA_Variant says = lanerig_value(w, "pubsub.scheduling");
    DIR *d;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    d = opendir(path);
    assert_non_null(d);
    while ((e = readdir(d))) {
        struct sched_param p;
        cpu_set_t set;
        pid_t tid = atoi(e->d_name);
        if (tid == 0) continue;
        threads++;
        assert_true(status_line(pid, e->d_name, "CapEff:\t0000000000000000"));
        assert_true(status_line(pid, e->d_name, "NoNewPrivs:\t1"));
        assert_true(status_line(pid, e->d_name, "Seccomp:\t2"));
        if (sched_getscheduler(tid) != SCHED_FIFO) continue;
        timed++;
        assert_int_equal(sched_getparam(tid, &p), 0);
        assert_true(p.sched_priority > 0 && p.sched_priority < (int)b->priority);
        assert_int_equal(sched_getaffinity(tid, sizeof set, &set), 0);
        assert_int_equal(CPU_COUNT(&set), 1);
        assert_false(CPU_ISSET(b->core, &set));
    }
    closedir(d);
    assert_int_equal(threads, 2);
    assert_int_equal(timed, b->priority > 1);
    assert_memory_equal(((UA_String *)says.data)->data, timed ? "SCHED_FIFO" : "ordinary s", 10);
    UA_Variant_clear(&says);
}

struct reading {
    uint64_t step;
    double time, channel[LANERIG_CHANNELS];
};

static void read_sensors(struct lanerig *w, struct reading *to)
{
    static const char *const NAME[] = {"rig.step", "rig.time", "sensors.values"};
    UA_ReadRequest q;
    UA_ReadResponse r;

    UA_ReadRequest_init(&q);
    q.nodesToRead = UA_Array_new(3, &UA_TYPES[UA_TYPES_READVALUEID]);
    q.nodesToReadSize = 3;
    for (int i = 0; i < 3; i++) {
        q.nodesToRead[i].nodeId = lanerig_node(NAME[i]);
        q.nodesToRead[i].attributeId = UA_ATTRIBUTEID_VALUE;
    }
    r = UA_Client_Service_read(w->client, q);
    assert_int_equal(r.resultsSize, 3);
    to->step = *(UA_UInt64 *)r.results[0].value.data;
    to->time = *(UA_Double *)r.results[1].value.data;
    assert_int_equal(r.results[2].value.arrayLength, LANERIG_CHANNELS);
    memcpy(to->channel, r.results[2].value.data, sizeof to->channel);
    UA_ReadResponse_clear(&r);
    UA_ReadRequest_clear(&q);
}

static void values_are_those_of_a_read_of_the_same_step(void **state)
{
    static struct reading reading[300];
    struct lanerig *w = *state;
    uint32_t from = w->log->n, to, found = 0;

    for (int i = 0; i < 300; i++) {
        read_sensors(w, &reading[i]);
        lanerig_nap(1);
    }
    to = lanerig_wait(w->log, 50);
    for (int i = 0; i < 300; i++)
        for (uint32_t k = from ? from - 1 : 0; k < to; k++) {
            const struct pubsub_peer_set *s = &w->log->set[k];
            if (s->step != reading[i].step) continue;
            found++;
            assert_true(s->time == reading[i].time);
            assert_memory_equal(s->channel, reading[i].channel, sizeof reading[i].channel);
        }
    assert_true(found >= 290);
}

static void when_the_step_dies_messages_say_so(void **state)
{
    struct lanerig *w = *state;
    uint32_t n = lanerig_wait(w->log, 20);

    kill(w->port.board->step_pid, SIGKILL);
    lanerig_nap(500);
    assert_true(w->log->n > n);
    assert_int_equal(w->log->set[w->log->n - 1].quality, UA_STATUSCODE_BADNOCOMMUNICATION);
    n = w->log->n;
    lanerig_nap(1000);
    assert_in_range(w->log->n - n, 5, 15); /* ten a second */
}

static int end_of_a_dead_rig(void **state)
{
    lanerig_end(state);
    return 0;
}

/* ---- a multicast group --------------------------------------------------------------- */

static int multicast_rig(void **state)
{
    return lanerig_begin(state, "address: 239.0.0.22, interface: 127.0.0.1, port: 4924", NULL,
                         LANERIG_SENSORS);
}

static void a_multicast_group_gets_the_messages(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(4924)};
    struct timeval patience = {.tv_sec = 5};
    struct ip_mreq group;
    uint8_t bytes[512];
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    (void)state;
    inet_pton(AF_INET, "239.0.0.22", &at.sin_addr);
    inet_pton(AF_INET, "239.0.0.22", &group.imr_multiaddr);
    inet_pton(AF_INET, "127.0.0.1", &group.imr_interface);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    for (int i = 0; i < 100; i++) assert_true(recv(fd, bytes, sizeof bytes, 0) > 100);
    close(fd);
}

/* ---- signed ------------------------------------------------------------------------- */

/* A message on its way. */
struct datagram {
    uint8_t bytes[512];
    size_t n;
};

/* The rig sends to this test, which passes on what it likes to the subscriber. */
static int signed_rig(void **state)
{
    static uint8_t key[UADP_KEY];
    char path[256];
    FILE *f = lanerig_create("key", path);

    for (int i = 0; i < UADP_KEY; i++) key[i] = (uint8_t)i;
    fprintf(f, "1 " KEY_HEX "\n");
    fclose(f);
    chmod(path, 0600);
    return lanerig_begin(state, "port: 4923, every: 4, keys: key", key, LANERIG_SENSORS);
}

static int open_relay(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(LANERIG_RELAY)};
    struct timeval patience = {.tv_sec = 5};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static void pass_on(int fd, const struct datagram *m)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(LANERIG_SENSORS)};

    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    assert_int_equal(sendto(fd, m->bytes, m->n, 0, (struct sockaddr *)&to, sizeof to), m->n);
}

static void take(int fd, struct datagram *m)
{
    ssize_t n = recv(fd, m->bytes, sizeof m->bytes, 0);

    assert_true(n > 0);
    m->n = (size_t)n;
}

static void signed_messages_verify_and_rise_by_n(void **state)
{
    struct lanerig *w = *state;
    int fd = open_relay();
    struct datagram m;
    uint32_t from;

    take(fd, &m);
    while (m.bytes[0]) { /* until it runs */
        take(fd, &m);
        pass_on(fd, &m);
        if (w->log->n > 5 && w->log->set[w->log->n - 1].state == STATE_RUNNING) break;
    }
    from = w->log->n;
    for (int i = 0; i < 200; i++) {
        take(fd, &m);
        pass_on(fd, &m);
    }
    lanerig_nap(300);
    assert_true(w->log->n >= from + 200);
    check_sets(w->log, from, w->log->n, 4);
    close(fd);
}

static void a_forged_message_does_not_verify(void **state)
{
    struct lanerig *w = *state;
    int fd = open_relay();
    struct datagram m;
    uint32_t before;

    take(fd, &m);
    pass_on(fd, &m);
    lanerig_nap(300);
    before = w->log->n;
    for (size_t i = 0; i < m.n; i++) {
        m.bytes[i] ^= 0x10;
        pass_on(fd, &m);
        m.bytes[i] ^= 0x10;
        lanerig_nap(1);
    }
    lanerig_nap(300);
    assert_int_equal(w->log->n, before);
    pass_on(fd, &m); /* as it was: the subscriber still listens */
    lanerig_nap(300);
    assert_int_equal(w->log->n, before + 1);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest lane[] = {
        cmocka_unit_test(every_message_decodes_and_step_numbers_rise_by_one),
        cmocka_unit_test(values_are_those_of_a_read_of_the_same_step),
        cmocka_unit_test(the_thread_is_timed_beside_the_step_and_has_no_rights),
        cmocka_unit_test(when_the_step_dies_messages_say_so),
    };
    const struct CMUnitTest multicast[] = {
        cmocka_unit_test(a_multicast_group_gets_the_messages),
    };
    const struct CMUnitTest signed_lane[] = {
        cmocka_unit_test(signed_messages_verify_and_rise_by_n),
        cmocka_unit_test(a_forged_message_does_not_verify),
    };
    int bad = cmocka_run_group_tests(lane, plain, end_of_a_dead_rig);

    bad += cmocka_run_group_tests(multicast, multicast_rig, lanerig_end);
    return cmocka_run_group_tests(signed_lane, signed_rig, lanerig_end) + bad;
}
