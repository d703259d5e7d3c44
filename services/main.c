/* The verb asked for, the stop flag and the exit code. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "rt/math/subnormal.h"
#include "services/cli/processor.h"
#include "services/cli/verbs.h"
#include "services/heap.h"
#include "services/base/names.h"
#include "services/base/version.h"

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
    (void)signal;
    stop = 1;
}

/* What ends a program by default ends this one in order: by the flag, or not at all. A
 * second SIGINT ends it at once; what was ignored (nohup) stays so. */
static void catch_signals(void)
{
    static const int END[] = {SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPWR};
    static const int NOTHING[] = {SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO};
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    a.sa_flags = 0; /* asked twice by a service manager it still ends in order */
    for (size_t i = 0; i < sizeof END / sizeof END[0]; i++) {
        struct sigaction before;
        if (END[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            continue;
        sigaction(END[i], &a, NULL);
    }
    for (size_t i = 0; i < sizeof NOTHING / sizeof NOTHING[0]; i++) signal(NOTHING[i], SIG_IGN);
}

static int exit_code(enum status s)
{
    switch (s) {
    case STATUS_USAGE:
        return 2;
    case STATUS_RIGHTS:
        return 3;
    case STATUS_TRIPPED:
        return 4;
    case STATUS_NOT_FINITE:
    case STATUS_SINGULAR:
    case STATUS_OPEN:
    case STATUS_DIVERGED:
    case STATUS_COARSE:
    case STATUS_ASTRAY:
    case STATUS_STRICT:
        return 5;
    default:
        return status_severity(s) == SEVERITY_BAD ? 1 : 0;
    }
}

static void print_usage(FILE *to)
{
    fprintf(to, "usage: trapeze VERB ...\n\n");
    for (int i = 0; VERBS[i]; i++)
        if (!VERBS[i]->hidden)
            fprintf(to, "  %-8s %-12s %s\n", VERBS[i]->name, VERBS[i]->arguments, VERBS[i]->help);
    fprintf(to, "\ntrapeze VERB --help says more; trapeze --version which program this is.\n"
                "Exit: " VERBS_EXIT_CODES ".\n");
}

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; VERBS[i]; i++)
        if (strcmp(VERBS[i]->name, name) == 0) return VERBS[i];
    return NULL;
}

static enum status unknown_verb(const char *name)
{
    const char *near = NULL;
    int best = 1000;
    for (int i = 0; VERBS[i]; i++) {
        int d = VERBS[i]->hidden ? 1000 : names_distance(name, VERBS[i]->name);
        if (d < best) best = d, near = VERBS[i]->name;
    }
    if (near && names_is_near(name, best))
        fprintf(stderr, "trapeze: there is no verb '%s'; did you mean '%s'?\n", name, near);
    else
        fprintf(stderr, "trapeze: there is no verb '%s'; trapeze --help lists them\n", name);
    return STATUS_USAGE;
}

/* The rest of the program may be built for a newer processor than this one. */
static int processor_fits(void)
{
    const char *lacks = NULL;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (PROCESSOR_NEEDS_AVX512 && !__builtin_cpu_supports("avx512f")) lacks = "AVX-512";
    if (PROCESSOR_NEEDS_FMA && !__builtin_cpu_supports("fma")) lacks = "FMA";
    if (PROCESSOR_NEEDS_AVX2 && !__builtin_cpu_supports("avx2")) lacks = "AVX2";
#endif
    if (lacks)
        fprintf(stderr,
                "trapeze: this program was built for processors with %s, which this one "
                "lacks; build it with make MARCH=x86-64\n",
                lacks);
    return !lacks;
}

static enum status print_version(void)
{
    struct version v = version_read();
    char date[32] = "unknown";
    time_t t = (time_t)v.date_s;
    struct tm utc;
    if (v.date_s && gmtime_r(&t, &utc)) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    printf("trapeze %s\nsources  %s of %s\nbuild    %s\nformat   %d of model and rig files\n",
           v.release, v.sources, date, v.build_id, VERSION_FORMAT);
    return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
    struct verb_call call = {.stop = &stop, .heap_taken = heap_is_counted() ? heap_taken : NULL};
    if (argc < 2) {
        print_usage(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        const struct verb *asked = argc > 2 ? find_verb(argv[2]) : NULL;
        if (asked)
            verb_print_help(asked);
        else
            print_usage(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) return print_version();
    const struct verb *v = find_verb(argv[1]);
    if (!v) return unknown_verb(argv[1]);
    enum status s = verb_read(v, argc - 2, argv + 2, &call);
    if (s != STATUS_OK) return s;
    catch_signals();
    return v->run(&call);
}

/* What was printed has arrived; a reader who has seen enough (| head) is no fault. */
static int output_is_whole(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return 1;
    if (errno == EPIPE) return 1;
    fprintf(stderr, "trapeze: the output could not be written: %s\n", strerror(errno));
    return 0;
}

/* The libraries' deepest calls need this much; a service would only fall later. */
static int stack_is_enough(void)
{
    enum { LEAST_KIB = 512 };
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur / 1024 >= LEAST_KIB) return 1;
    fprintf(stderr, "trapeze: the stack is limited to %llu KiB, %d are needed: ulimit -s 8192\n",
            (unsigned long long)stack.rlim_cur / 1024, LEAST_KIB);
    return 0;
}

int main(int argc, char **argv)
{
    int code;

    if (!processor_fits() || !stack_is_enough()) return 1;
    subnormal_flush();
    code = exit_code(run(argc, argv));
    return output_is_whole() || code ? code : 1;
}
