/* Microseconds per step, ours against others, as one table: solver [--quick] [--strict]
 *
 * A shared machine has good and bad seconds, so nothing is compared across them: all
 * contenders (contender.h) run as processes of their own on one core, one at a time, in
 * turns of some milliseconds, ours before and after each other one. A turn gives the
 * median of its steps, a round the ratio of two turns, the table the medians over the
 * rounds. Which cases, against whom and with what limits is the table below.
 * --quick: few rounds; --strict: exit 1 if a limit is missed. OUT: the build folder. */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/bench/figure.h"

enum { MAX_ROUNDS = 64, MAX_OTHERS = 7, MAX_BODIES = 512, LINE = 64 * 1024 };

/* The others, in the order of their columns. */
enum rival { BANDED, CHOLESKY, DENSE, MUJOCO_EULER, MUJOCO_RK4, SIMBODY, N_RIVALS };

static const struct {
    const char *name;
    const char *command; /* %O build folder, %K kind, %N size, %M model */
} RIVAL[N_RIVALS] = {
    [BANDED] = {"LAPACKE banded", "%O/bench/condensed banded %M"},
    [CHOLESKY] = {"LAPACKE dense", "%O/bench/condensed dense %M"},
    [DENSE] = {"our dense path", "%O/bench/ours --dense %M"},
    [MUJOCO_EULER] = {"MuJoCo Euler", "%O/peers/mujoco %K %N Euler"},
    [MUJOCO_RK4] = {"MuJoCo RK4", "%O/peers/mujoco %K %N RK4"},
    [SIMBODY] = {"Simbody RKM", "%O/peers/simbody %K %N"},
};

#define HAS(r) (1u << (r))
#define PEERS (HAS(MUJOCO_EULER) | HAS(MUJOCO_RK4) | HAS(SIMBODY))
#define LIBRARY (HAS(BANDED) | HAS(CHOLESKY))
#define CHAIN "config/models/chain.yaml n=%N"

static const struct {
    const char *name, *kind, *model;
    int n;
    unsigned rivals;
    int ends; /* compare the motion at 1 s too */
} CASE[] = {
    {"chain 16", "chain", CHAIN, 16, PEERS | LIBRARY | HAS(DENSE), 1},
    {"chain 32", "chain", CHAIN, 32, PEERS | LIBRARY, 0},
    {"chain 64", "chain", CHAIN, 64, PEERS | LIBRARY, 1},
    {"chain 128", "chain", CHAIN, 128, PEERS | LIBRARY, 0},
    {"chain 256", "chain", CHAIN, 256, PEERS | HAS(BANDED), 1},
    {"chain 512", "chain", CHAIN, 512, HAS(SIMBODY) | HAS(BANDED), 0},
    {"chain 1024", "chain", CHAIN, 1024, HAS(SIMBODY) | HAS(BANDED), 0},
    {"chain 2048", "chain", CHAIN, 2048, 0, 0},
    {"chain 4096", "chain", CHAIN, 4096, 0, 0},
    {"four-bars 40", "fourbar", "config/models/nfourbar.yaml n=%N", 40, PEERS, 1},
    {"car", "car", "config/models/bench-car.yaml", 4, PEERS | HAS(CHOLESKY) | HAS(DENSE), 1},
};
enum { N_CASES = sizeof CASE / sizeof CASE[0] };

static const struct {
    const char *name;
    enum rival rival;
    double most; /* of ours / theirs */
} LIMIT[] = {
    {"chain 16", MUJOCO_EULER, 1.0},
    {"chain 64", MUJOCO_EULER, 0.5},
    {"four-bars 40", MUJOCO_EULER, 0.75},
    {"car", MUJOCO_EULER, 0.5},
    {"chain 64", MUJOCO_RK4, 0.15},
    {"chain 256", SIMBODY, 0.08},
    {"chain 128", BANDED, 0.3},
    {"chain 128", CHOLESKY, 0.01},
    {"car", CHOLESKY, 0.12},
};
enum { N_LIMITS = sizeof LIMIT / sizeof LIMIT[0] };

static const struct {
    const char *from, *to;
    double most; /* exponent */
} GROWTH[] = {{"chain 64", "chain 1024", 1.06}, {"chain 64", "chain 4096", 1.12}};

/* ---- one contender's process ----------------------------------------------------------- */

struct side {
    FILE *to, *from;     /* NULL: not there */
    pid_t pid;
    int steps;           /* per turn */
    double us[MAX_ROUNDS], ratio[MAX_ROUNDS];
    long allocations;
};

static struct side ours[N_CASES], other[N_CASES][N_RIVALS];
static char line[LINE];

/* Write the command of a case, %-words filled in. */
static void fill(char *to, size_t size, const char *pattern, int c)
{
    const char *out = getenv("OUT");
    size_t n = 0;
    to[0] = 0;
    for (const char *p = pattern; *p && n + 1 < size; p++) {
        char number[16], model[256];
        const char *word = NULL;
        if (*p == '%') {
            snprintf(number, sizeof number, "%d", CASE[c].n);
            if (p[1] == 'M') fill(model, sizeof model, CASE[c].model, c);
            p++;
            word = *p == 'O'   ? (out ? out : "build")
                   : *p == 'K' ? CASE[c].kind
                   : *p == 'N' ? number
                               : model;
            n += (size_t)snprintf(to + n, size - n, "%s", word);
        } else {
            to[n++] = *p;
            to[n] = 0;
        }
    }
}

static const char *ask(struct side *s, const char *request)
{
    fprintf(s->to, "%s\n", request);
    fflush(s->to);
    if (!fgets(line, sizeof line, s->from)) figure_fail("a contender ended early");
    return line;
}

static void start(struct side *s, const char *pattern, int c)
{
    char command[512], *word[16];
    int n = 0, in[2], out[2];
    fill(command, sizeof command, pattern, c);
    for (char *w = strtok(command, " "); w && n < 15; w = strtok(NULL, " ")) word[n++] = w;
    word[n] = NULL;
    if (access(word[0], X_OK) != 0) return;
    if (pipe(in) != 0 || pipe(out) != 0 || (s->pid = fork()) < 0)
        figure_fail("cannot start %s", word[0]);
    if (s->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int fd = 3; fd < 1024; fd++) close(fd);
        execv(word[0], word);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    s->to = fdopen(in[1], "w");
    s->from = fdopen(out[0], "r");
    if (!fgets(line, sizeof line, s->from) || strcmp(line, "ready\n") != 0)
        figure_fail("%s did not start on %s", word[0], CASE[c].name);
}

static double turn(struct side *s)
{
    double median, least;
    long allocations;
    char request[32];
    snprintf(request, sizeof request, "run %d", s->steps);
    if (sscanf(ask(s, request), "%lf %lf %ld", &median, &least, &allocations) != 3)
        figure_fail("not understood: %s", line);
    if (allocations > 0) s->allocations += allocations;
    return median;
}

/* So many steps that a turn takes about `ms`, at least three. */
static void calibrate(struct side *s, double ms)
{
    if (!s->to) return;
    s->steps = 3;
    double us = turn(s), n = ms * 1e3 / us;
    s->steps = n < 3 ? 3 : n > 1000 ? 1000 : (int)n;
    turn(s);
    s->allocations = 0;
}

static void stop(struct side *s)
{
    if (!s->to) return;
    fclose(s->to);
    fclose(s->from);
    waitpid(s->pid, NULL, 0);
}

/* ---- rounds ------------------------------------------------------------------------------ */

static double median(const double *v, int n)
{
    double copy[MAX_ROUNDS];
    memcpy(copy, v, sizeof(double) * (size_t)n);
    qsort(copy, (size_t)n, sizeof(double), figure_by_size);
    return n % 2 ? copy[n / 2] : 0.5 * (copy[n / 2 - 1] + copy[n / 2]);
}

static void round_of(int c, int round)
{
    double mine[N_RIVALS + 1] = {turn(&ours[c])};
    int n = 1;
    for (int r = 0; r < N_RIVALS; r++) {
        struct side *s = &other[c][r];
        if (!s->to) continue;
        s->us[round] = turn(s);
        mine[n++] = turn(&ours[c]);
        s->ratio[round] = 0.5 * (mine[n - 2] + mine[n - 1]) / s->us[round];
    }
    ours[c].us[round] = median(mine, n);
}

static void measure(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if (isatty(2)) fprintf(stderr, "\rround %d of %d ", i + 1, rounds);
        for (int c = 0; c < N_CASES; c++) round_of(c, i);
    }
    if (isatty(2)) fprintf(stderr, "\r                    \r");
}

/* ---- the motion at 1 s -------------------------------------------------------------------- */

/* Angle of the four-bars from the vertical at 1 s: I th'' = P g sin th, by RK4. */
static double fourbar_angle(int n)
{
    double k = 9.81 * ((n + 1) / 2. + n) / ((n + 1) / 3. + n), h = 1e-4, q = 0, w = 1;
    for (int i = 0; i < 10000; i++) {
        double a1 = k * sin(q), w2 = w + h / 2 * a1, a2 = k * sin(q + h / 2 * w),
               w3 = w + h / 2 * a2;
        double a3 = k * sin(q + h / 2 * w2), w4 = w + h * a3, a4 = k * sin(q + h * w3);
        q += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return q;
}

static int centres(struct side *s, double *xyz)
{
    int n = 0;
    if (!s->to) return 0;
    char *at = (ask(s, "end"), line), *end;
    for (double v = strtod(at, &end); end != at && n < 3 * MAX_BODIES; v = strtod(at = end, &end))
        xyz[n++] = v;
    return n / 3;
}

/* What is taken for true: closed form, else the most exact peer there is. */
static int truth(int c, double *xyz)
{
    if (strcmp(CASE[c].kind, "fourbar") != 0) {
        int n = centres(&other[c][SIMBODY], xyz);
        return n ? n : centres(&other[c][MUJOCO_RK4], xyz);
    }
    int n = CASE[c].n;
    double q = fourbar_angle(n), x = sin(q), y = cos(q);
    for (int i = 0; i <= n; i++) xyz[3 * i] = i + x / 2, xyz[3 * i + 1] = y / 2, xyz[3 * i + 2] = 0;
    for (int i = 0; i < n; i++) {
        double *p = xyz + 3 * (n + 1 + i);
        p[0] = i + 0.5 + x, p[1] = y, p[2] = 0;
    }
    return 2 * n + 1;
}

static void print_error(struct side *s, const double *exact, int n)
{
    static double xyz[3 * MAX_BODIES];
    double worst = 0;
    if (centres(s, xyz) != n) {
        printf("%16s", "-");
        return;
    }
    for (int i = 0; i < n; i++) {
        const double *a = xyz + 3 * i, *b = exact + 3 * i;
        double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2],
               d = sqrt(dx * dx + dy * dy + dz * dz);
        if (!(d <= worst)) worst = d;
    }
    printf("%16.1e", worst);
}

/* Simbody's four-bars would take half a minute. */
static int too_slow(int c, int r) { return r == SIMBODY && strcmp(CASE[c].kind, "fourbar") == 0; }

static void print_errors(void)
{
    static double exact[3 * MAX_BODIES];
    printf(
        "\nLargest error of a mass centre at t = 1 s, m; against Simbody, four-bars in closed form\n");
    printf("%-14s%16s", "", "ours");
    for (int r = 0; r < N_RIVALS; r++) printf("%16s", RIVAL[r].name);
    printf("\n");
    for (int c = 0; c < N_CASES; c++) {
        int n = CASE[c].ends ? truth(c, exact) : 0;
        if (n == 0) continue;
        printf("%-14s", CASE[c].name);
        print_error(&ours[c], exact, n);
        for (int r = 0; r < N_RIVALS; r++) {
            if (other[c][r].to && r != DENSE && !too_slow(c, r))
                print_error(&other[c][r], exact, n);
            else
                printf("%16s", "-");
        }
        printf("\n");
        fflush(stdout);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static struct figure_limits limits;

static const char *verdict(double value, double most)
{
    return figure_verdict(&limits, value <= most);
}

static int case_of(const char *name)
{
    for (int c = 0; c < N_CASES; c++)
        if (strcmp(CASE[c].name, name) == 0) return c;
    return -1;
}

static void print_times(int rounds)
{
    printf("us per step, h = 1 ms, 2 Newton iterations and 2 projections; medians of %d rounds\n",
           rounds);
    printf("%-14s%10s   %-16s%10s%9s%8s\n", "", "ours", "against", "us", "ratio", "limit");
    for (int c = 0; c < N_CASES; c++) {
        const char *name = CASE[c].name;
        printf("%-14s%10.2f", name, median(ours[c].us, rounds));
        int first = 1;
        for (int r = 0; r < N_RIVALS; r++) {
            const struct side *s = &other[c][r];
            if (!s->to) continue;
            double ratio = median(s->ratio, rounds);
            printf("%*s%-16s%10.2f%9.4f", first ? 3 : 27, "", RIVAL[r].name, median(s->us, rounds),
                   ratio);
            first = 0;
            for (int i = 0; i < N_LIMITS; i++)
                if (LIMIT[i].rival == (enum rival)r && strcmp(LIMIT[i].name, name) == 0)
                    printf("%8g  %s", LIMIT[i].most, verdict(ratio, LIMIT[i].most));
            printf("\n");
        }
        if (first) printf("\n");
    }
}

static void print_growth(int rounds)
{
    for (int i = 0; i < 2; i++) {
        int a = case_of(GROWTH[i].from), b = case_of(GROWTH[i].to);
        double e[MAX_ROUNDS], size = log((double)CASE[b].n / CASE[a].n);
        for (int r = 0; r < rounds; r++) e[r] = log(ours[b].us[r] / ours[a].us[r]) / size;
        double m = median(e, rounds);
        printf("growth exponent %-9s to %-10s %8.3f  limit %g  %s\n", GROWTH[i].from, GROWTH[i].to,
               m, GROWTH[i].most, verdict(m, GROWTH[i].most));
    }
}

static void print_rest(void)
{
    long allocations = 0;
    double ms[5];
    int c = case_of("chain 1024");
    for (int i = 0; i < N_CASES; i++) allocations += ours[i].allocations;
    printf("allocations inside all our steps      %8ld  limit 0  %s\n", allocations,
           verdict((double)allocations, 0));
    for (int i = 0; i < 5; i++) ms[i] = atof(ask(&ours[c], "load"));
    double m = median(ms, 5);
    printf("load and compile of 1024 bodies, ms   %8.1f  limit 200  %s\n", m, verdict(m, 200));
}

/* All on the last core this process may use. */
static void pin(void)
{
    cpu_set_t may, one;
    int last = -1;
    if (sched_getaffinity(0, sizeof may, &may) != 0) return;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &may)) last = i;
    if (last < 0) return;
    CPU_ZERO(&one);
    CPU_SET((size_t)last, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) perror("bench: pinning");
}

int main(int argc, char **argv)
{
    int quick = 0, strict = 0;
    for (int i = 1; i < argc; i++) {
        quick |= strcmp(argv[i], "--quick") == 0;
        strict |= strcmp(argv[i], "--strict") == 0;
    }
    int rounds = quick ? 5 : 31;
    signal(SIGPIPE, SIG_IGN);
    pin();
    for (int c = 0; c < N_CASES; c++) {
        start(&ours[c], "%O/bench/ours %M", c);
        if (!ours[c].to) figure_fail("bench/ours is missing");
        calibrate(&ours[c], quick ? 5 : 15);
        for (int r = 0; r < N_RIVALS; r++) {
            if (CASE[c].rivals & HAS(r)) start(&other[c][r], RIVAL[r].command, c);
            calibrate(&other[c][r], quick ? 5 : 15);
        }
    }
    measure(rounds);
    print_times(rounds);
    print_growth(rounds);
    print_rest();
    figure_close(&limits);
    if (!quick) print_errors();
    for (int c = 0; c < N_CASES; c++) {
        stop(&ours[c]);
        for (int r = 0; r < N_RIVALS; r++) stop(&other[c][r]);
    }
    return strict && limits.over ? 1 : 0;
}
