/* The fast lane at 1 kHz against a bare UDP sender with the same timer, as one table:
 *   pubsub [--quick] [--strict]
 *
 * The sender sends datagrams of the same length from a thread of the same core and
 * priority, each millisecond by clock_nanosleep on a grid. Both send all the time, each to
 * a socket of its own here; they are counted in turns, ours before and after the other's,
 * a round gives the ratio, the table the medians over the rounds. Delivered is what was
 * received per second. The second row counts while a client reads all sensors without
 * pause: the lane shares a process with the server that answers it.
 * --quick: few rounds; --strict: exit 1 if a limit is missed. OUT: the build folder. */
#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services/opcua/client/remote.h"
#include "services/run/attach.h"
#include "tools/bench/figure.h"

#define RIG "bench-pubsub"
#define RIG_FILE "tools/bench/pubsub-rig.yaml"
#define URL "opc.tcp://127.0.0.1:4992"
enum { LANE_PORT = 4993, BARE_PORT = 4994, MOST_ROUNDS = 64, MOST_GAPS = 4096, LONGEST = 65536 };

static pid_t rig, bare, client;
static int rounds;
static struct figure_limits limits;

static void nap_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void end_child(pid_t *pid, int signal)
{
    if (*pid <= 0) return;
    kill(*pid, signal);
    waitpid(*pid, NULL, 0);
    *pid = 0;
}

static void stop(void)
{
    end_child(&client, SIGKILL);
    end_child(&bare, SIGKILL);
    end_child(&rig, SIGTERM);
}

static pid_t new_child(void)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid < 0) figure_fail("no process can be made");
    if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

/* ---- the two senders ----------------------------------------------------------------- */

static void start_rig(struct port *port)
{
    const char *out = getenv("OUT");
    char path[256], why[200];

    snprintf(path, sizeof path, "%s/trapeze", out ? out : "build");
    rig = new_child();
    if (rig == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl(path, path, "run", RIG_FILE, "--allow-degraded", "--insecure", "--quiet", NULL);
        _exit(127);
    }
    atexit(stop);
    for (int i = 0; i < 200; i++) {
        nap_ms(50);
        if (attach_open(RIG, port, why) == STATUS_OK) return;
    }
    figure_fail("the rig does not start: %s", why);
}

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
    return a;
}

/* Core and priority as services/run/side_thread.c chooses them. */
static void schedule(const struct board *b)
{
    struct sched_param p = {.sched_priority = (int)(b->priority / 2)};
    cpu_set_t set, one;

    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof set, &set);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &set) && i != b->core) CPU_SET(i, &one);
    if (CPU_COUNT(&one)) sched_setaffinity(0, sizeof one, &one);
    if (p.sched_priority > 0 && sched_setscheduler(0, SCHED_FIFO, &p) != 0)
        figure_fail("SCHED_FIFO is refused");
}

static void send_for_ever(const struct board *b, size_t size)
{
    struct sockaddr_in to = loopback(BARE_PORT);
    static uint8_t message[LONGEST];
    struct timespec t;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    schedule(b);
    clock_gettime(CLOCK_MONOTONIC, &t);
    for (;;) {
        t.tv_nsec += 1000000;
        if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        sendto(fd, message, size, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to);
    }
}

/* ---- the client ---------------------------------------------------------------------- */

static void read_for_ever(void)
{
    static const char *const NAME[] = {"sensors.values", "sensors.names", "rig.step"};
    struct remote r;

    if (remote_open(&r, URL) != STATUS_OK) _exit(1);
    for (;;) {
        UA_DataValue v[3];
        remote_read(&r, NAME, 3, v);
        for (int i = 0; i < 3; i++) UA_DataValue_clear(&v[i]);
    }
}

/* ---- counting ------------------------------------------------------------------------ */

static int listen_on(int port)
{
    struct sockaddr_in at = loopback(port);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
        figure_fail("port %d is taken", port);
    return fd;
}

/* What came in so many seconds. */
struct request_scope {
    double rate;         /* messages per second */
    double gap_us;       /* 99 % of the times between two are shorter */
    size_t size;         /* of the last */
};

static struct request_scope count(int fd, double seconds)
{
    static uint8_t message[LONGEST];
    static double gap[MOST_GAPS];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct request_scope t = {.rate = 0};
    double begin, now, last = 0;
    int n = 0, gaps = 0;

    while (recv(fd, message, sizeof message, MSG_DONTWAIT) >= 0) continue;
    begin = figure_now_us();
    do {
        ssize_t size = poll(&p, 1, 100) > 0 ? recv(fd, message, sizeof message, 0) : -1;
        now = figure_now_us();
        if (size < 0) continue;
        t.size = (size_t)size;
        if (n++ > 0 && gaps < MOST_GAPS) gap[gaps++] = now - last;
        last = now;
    } while (now - begin < 1e6 * seconds);
    t.rate = n / ((now - begin) * 1e-6);
    if (gaps) t.gap_us = figure_share(gap, gaps, 0.99);
    return t;
}

static void bench(const char *name, int lane_fd, int bare_fd)
{
    double mine[MOST_ROUNDS], its[MOST_ROUNDS], ratio[MOST_ROUNDS];
    double my_gap[MOST_ROUNDS], its_gap[MOST_ROUNDS], r;

    for (int i = 0; i < rounds; i++) {
        struct request_scope before = count(lane_fd, 0.5), other = count(bare_fd, 1),
                             after = count(lane_fd, 0.5);
        mine[i] = 0.5 * (before.rate + after.rate);
        its[i] = other.rate;
        ratio[i] = mine[i] / its[i];
        my_gap[i] = 0.5 * (before.gap_us + after.gap_us);
        its_gap[i] = other.gap_us;
    }
    r = figure_share(ratio, rounds, 0.5);
    printf("%-34s%10.1f %10.1f %8.3f  at least %5.2f  %s\n", name, figure_share(mine, rounds, 0.5),
           figure_share(its, rounds, 0.5), r, 0.98, figure_verdict(&limits, r >= 0.98));
    printf("%-34s%10.0f %10.0f\n", "  99 % of the gaps below, us",
           figure_share(my_gap, rounds, 0.5), figure_share(its_gap, rounds, 0.5));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int quick = 0, strict = 0, tries = 0, lane_fd, bare_fd;
    struct port port;
    struct request_scope first;

    for (int i = 1; i < argc; i++) {
        quick |= strcmp(argv[i], "--quick") == 0;
        strict |= strcmp(argv[i], "--strict") == 0;
    }
    rounds = quick ? 3 : 9;
    lane_fd = listen_on(LANE_PORT);
    bare_fd = listen_on(BARE_PORT);
    start_rig(&port);
    do first = count(lane_fd, 0.5);
    while (++tries < 20 && first.rate < 500); /* the admission test comes first */
    if (first.size == 0) figure_fail("the lane sends nothing");
    bare = new_child();
    if (bare == 0) send_for_ever(port.board, first.size);
    printf("Fast lane, loopback, messages of %zu bytes, medians of %d rounds; bare: sendto on a "
           "grid of 1 ms,\nsame core, SCHED_FIFO %u\n%-34s%10s %10s %8s  %14s\n",
           first.size, rounds, port.board->priority / 2, "", "ours", "bare", "ratio", "limit");
    bench("messages/s", lane_fd, bare_fd);
    client = new_child();
    if (client == 0) read_for_ever();
    nap_ms(500);
    bench("messages/s, a client reads", lane_fd, bare_fd);
    figure_close(&limits);
    return strict && limits.over ? 1 : 0;
}
