#include "services/cli/jitter_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <jansson.h>

#include "services/base/version.h"

enum { TEXT = 256, PATH = 1024 };
typedef unsigned long long count;

/* ---- where and when -------------------------------------------------------------------- */

struct origin {
    struct utsname host;
    char processor[TEXT], date[32];
    struct version version;
};

static void read_processor(char to[TEXT])
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[TEXT];

    snprintf(to, TEXT, "unknown processor");
    while (f && fgets(line, sizeof line, f)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        snprintf(to, TEXT, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (f) fclose(f);
}

static struct origin origin_read(void)
{
    struct origin o = {.version = version_read()};
    time_t now = time(NULL);
    struct tm utc;

    uname(&o.host);
    read_processor(o.processor);
    gmtime_r(&now, &utc);
    strftime(o.date, sizeof o.date, "%Y-%m-%d %H:%M UTC", &utc);
    return o;
}

/* ---- numbers ----------------------------------------------------------------------------- */

void jitter_report_table(const struct jitter_report *j)
{
    struct origin o = origin_read();

    printf("%s, %s %s, %s, %s, trapeze %s\n", o.host.nodename, o.host.sysname, o.host.release,
           o.processor, o.date, o.version.text);
    printf("core %d, SCHED_FIFO %d, %.0f us, load %s, %.3g s each", j->set->core, j->set->priority,
           j->set->period * 1e6, j->load, j->seconds);
    if (j->rig) printf(", %s, deadline %lld us", j->rig, (long long)j->deadline_us);
    printf("\n%-12s %10s %8s %8s %8s %8s %10s\n", "us", "n", "p50", "p99", "p99.9", "max",
           "> 4095");
    for (int i = 0; i < JITTER_ROWS; i++) {
        const struct latency *l = j->row[i];
        if (l)
            printf("%-12s %10llu %8lld %8lld %8lld %8lld %10llu\n", l->name, (count)l->n,
                   (long long)latency_share(l, 0.5), (long long)latency_share(l, 0.99),
                   (long long)latency_share(l, 0.999), (long long)l->max_us, (count)l->overflow);
    }
    if (j->rig) printf("result: from the release to the result of the rig's step; else wake-up\n");
}

static json_t *row_json(const struct latency *l)
{
    json_t *bins = json_array();

    for (int k = 0; k < MONITOR_BINS; k++)
        if (l->bin[k]) json_array_append_new(bins, json_pack("[i, I]", k, (json_int_t)l->bin[k]));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "name", l->name, "n",
                     (json_int_t)l->n, "p50_us", (json_int_t)latency_share(l, 0.5), "p99_us",
                     (json_int_t)latency_share(l, 0.99), "p999_us",
                     (json_int_t)latency_share(l, 0.999), "max_us", (json_int_t)l->max_us,
                     "overflow", (json_int_t)l->overflow, "histogram", bins);
}

void jitter_report_json(const struct jitter_report *j)
{
    struct origin o = origin_read();
    json_t *list = json_array(), *root;

    for (int i = 0; i < JITTER_ROWS; i++)
        if (j->row[i]) json_array_append_new(list, row_json(j->row[i]));
    root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:s, s:o}", "host",
                     o.host.nodename, "kernel", o.host.release, "processor", o.processor, "date",
                     o.date, "version", o.version.text, "core", j->set->core, "priority",
                     j->set->priority, "period_s", j->set->period, "duration_s", j->seconds, "load",
                     j->load, "contenders", list);
    if (j->rig) {
        json_object_set_new(root, "rig", json_string(j->rig));
        json_object_set_new(root, "deadline_us", json_integer((json_int_t)j->deadline_us));
    }
    json_dumpf(root, stdout, JSON_INDENT(1));
    printf("\n");
    json_decref(root);
}

/* ---- histograms ------------------------------------------------------------------------- */

/* One line per microsecond, one column per row, as OSADL's are. */
static int write_histogram(const struct jitter_report *j, const char *path)
{
    struct origin o = origin_read();
    FILE *f = fopen(path, "we");
    int64_t end = 0;

    if (!f) return 0;
    fprintf(f, "# %s, %s %s, %s, %s, trapeze %s\n# us", o.host.nodename, o.host.sysname,
            o.host.release, o.processor, o.date, o.version.text);
    for (int i = 0; i < JITTER_ROWS; i++) {
        if (!j->row[i]) continue;
        fprintf(f, " %s", j->row[i]->name);
        if (j->row[i]->max_us > end) end = j->row[i]->max_us;
    }
    fprintf(f, "\n");
    for (int64_t us = 0; us < MONITOR_BINS && us <= end; us++) {
        fprintf(f, "%06lld", (long long)us);
        for (int i = 0; i < JITTER_ROWS; i++)
            if (j->row[i]) fprintf(f, " %06llu", (count)j->row[i]->bin[us]);
        fprintf(f, "\n");
    }
    for (int i = 0; i < JITTER_ROWS; i++)
        if (j->row[i])
            fprintf(f, "# %s max %lld us, %llu beyond the histogram\n", j->row[i]->name,
                    (long long)j->row[i]->max_us, (count)j->row[i]->overflow);
    return fclose(f) == 0;
}

/* As outputPercentileDistribution of HdrHistogram: a row for each value there is. */
static int write_hgrm(const struct latency *l, const char *path)
{
    FILE *f = fopen(path, "we");
    double mean = 0, square = 0;
    uint64_t sum = 0;

    if (!f) return 0;
    fprintf(f, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    for (int us = 0; us < MONITOR_BINS; us++) {
        double share;
        if (!l->bin[us]) continue;
        sum += l->bin[us];
        mean += (double)us * (double)l->bin[us];
        square += (double)us * us * (double)l->bin[us];
        share = (double)sum / (double)l->n;
        if (sum < l->n)
            fprintf(f, "%12.3f %2.12f %10llu %14.2f\n", (double)us, share, (count)sum,
                    1 / (1 - share));
    }
    mean += (double)l->max_us * (double)l->overflow;
    square += (double)l->max_us * (double)l->max_us * (double)l->overflow;
    mean /= l->n ? (double)l->n : 1;
    square /= l->n ? (double)l->n : 1;
    fprintf(f, "%12.3f %2.12f %10llu\n", (double)l->max_us, 1.0, (count)l->n);
    fprintf(f, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean,
            sqrt(fmax(0, square - mean * mean)));
    fprintf(f, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)l->max_us, (count)l->n);
    fprintf(f, "#[Buckets = %12d, SubBuckets     = %12d]\n", 1, MONITOR_BINS);
    return fclose(f) == 0;
}

/* ---- the picture -------------------------------------------------------------------------- */

static const char *const COLOUR[JITTER_ROWS] = {"#3060a0", "#c04020", "#707070", "#208040"};

/* The share of samples above each latency, in steps, down to the last sample. */
static void put_curve(FILE *g, const struct latency *l)
{
    uint64_t sum = 0;

    fprintf(g, "0.5 1\n");
    for (int us = 0; us < MONITOR_BINS; us++) {
        if (!l->bin[us]) continue;
        sum += l->bin[us];
        if (sum < l->n)
            fprintf(g, "%g %.9g\n", us ? (double)us : 0.5, 1 - (double)sum / (double)l->n);
    }
    fprintf(g, "%lld %.9g\ne\n", (long long)l->max_us, 0.5 / (double)(l->n ? l->n : 1));
}

/* p50 dotted, p99 dashed, max thin, in the colour of the row; the deadline in black. */
static void put_lines(FILE *g, const struct jitter_report *j)
{
    static const double SHARE[] = {0.5, 0.99};

    for (int i = 0; i < JITTER_ROWS; i++) {
        const struct latency *l = j->row[i];
        for (int k = 0; l && k < 3; k++) {
            double us = k < 2 ? (double)latency_share(l, SHARE[k]) : (double)l->max_us;
            fprintf(g,
                    "set arrow from %g, graph 0 to %g, graph 1 nohead dt %d lw 0.7 lc rgb '%s'\n",
                    fmax(us, 0.5), fmax(us, 0.5), k < 2 ? 3 - k : 1, COLOUR[i]);
        }
    }
    if (j->rig)
        fprintf(g,
                "set arrow from %lld, graph 0 to %lld, graph 1 nohead lw 3 lc rgb 'black'\n"
                "set label 'deadline' at %lld, graph 0.03 right offset -0.5,0\n",
                (long long)j->deadline_us, (long long)j->deadline_us, (long long)j->deadline_us);
}

static void put_plot(FILE *g, const struct jitter_report *j)
{
    const char *gap = "plot";

    for (int i = 0; i < JITTER_ROWS; i++) {
        const struct latency *l = j->row[i];
        if (!l) continue;
        fprintf(g, "%s '-' with steps lw 2 lc rgb '%s' title '%s: p50 %lld, p99 %lld, max %lld us'",
                gap, COLOUR[i], l->name, (long long)latency_share(l, 0.5),
                (long long)latency_share(l, 0.99), (long long)l->max_us);
        gap = ",";
    }
    fprintf(g, "\n");
    for (int i = 0; i < JITTER_ROWS; i++)
        if (j->row[i]) put_curve(g, j->row[i]);
}

/* Text between the quotes of gnuplot. */
static const char *quoted(const char *from, char to[TEXT])
{
    size_t n = 0;

    for (; from[n] && n + 1 < TEXT; n++) to[n] = from[n] == '\'' || from[n] == '\\' ? ' ' : from[n];
    to[n] = 0;
    return to;
}

static int draw(const struct jitter_report *j, const char *prefix)
{
    static const char *const TERMINAL[][2] = {{"pngcairo size 1000,620 noenhanced", "png"},
                                              {"svg size 1000,620 noenhanced", "svg"}};
    struct origin o = origin_read();
    char processor[TEXT], host[TEXT], rig[TEXT];
    FILE *g = popen("gnuplot 2> /dev/null", "we");

    if (!g) return 0;
    fprintf(g,
            "set logscale xy\nset xrange [0.5:*]\nset yrange [*:1]\nset grid\nset format y '%%g'\n"
            "set xlabel 'latency, us (p50 dotted, p99 dashed, max thin)'\n"
            "set ylabel 'share of samples above'\n"
            "set title \"%s%score %d, SCHED_FIFO %d, every %.0f us, load %s, %.3g s each\\n%s, %s "
            "%s, %s\\n%s, trapeze %s\"\n",
            j->rig ? quoted(j->rig, rig) : "", j->rig ? ", " : "", j->set->core, j->set->priority,
            j->set->period * 1e6, j->load, j->seconds, quoted(o.host.nodename, host),
            o.host.sysname, o.host.release, quoted(o.processor, processor), o.date, o.version.text);
    put_lines(g, j);
    for (int k = 0; k < 2; k++) {
        fprintf(g, "set terminal %s\nset output '%s.%s'\n", TERMINAL[k][0], prefix, TERMINAL[k][1]);
        put_plot(g, j);
    }
    return pclose(g) == 0;
}

/* ---- all files ----------------------------------------------------------------------------- */

static enum status complain(const char *path)
{
    fprintf(stderr, "trapeze jitter: %s cannot be written: %s\n", path, strerror(errno));
    return STATUS_IO;
}

enum status jitter_report_files(const struct jitter_report *j, const char *prefix)
{
    char path[PATH];

    snprintf(path, sizeof path, "%s.txt", prefix);
    if (!write_histogram(j, path)) return complain(path);
    fprintf(stderr, "histogram %s\n", path);
    for (int i = 0; i < JITTER_ROWS; i++) {
        if (!j->row[i]) continue;
        snprintf(path, sizeof path, "%s-%s.hgrm", prefix, j->row[i]->name);
        if (!write_hgrm(j->row[i], path)) return complain(path);
        fprintf(stderr, "histogram %s\n", path);
    }
    if (draw(j, prefix))
        fprintf(stderr, "plot      %s.png %s.svg\n", prefix, prefix);
    else
        fprintf(stderr, "trapeze jitter: no plot: apt-get install gnuplot-nox\n");
    return STATUS_OK;
}
