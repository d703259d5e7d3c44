#include "services/sim/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rt/mech/joint.h"
#include "rt/mech/sensor.h"
#include "services/base/version.h"

enum { BUFFER = 1 << 20, SENSOR_NAME = 600 };

/* Takes the name and the unit of one column. */
typedef void columns_visit(FILE *to, const char *name, const char *part, const char *unit);

static void put_name(FILE *to, const char *name, const char *part, const char *unit)
{
    (void)unit;
    fprintf(to, ",%s%s%s", name, part[0] ? "." : "", part);
}

static void put_unit(FILE *to, const char *name, const char *part, const char *unit)
{
    fprintf(to, "%s%s%s,%s\n", name, part[0] ? "." : "", part, unit);
}

/* Word i of words separated by blanks. */
static void word(const char *words, uint32_t i, char out[16])
{
    for (; i > 0 && *words; words++) i -= *words == ' ';
    snprintf(out, 16, "%.*s", (int)strcspn(words, " "), words);
}

struct part {
    const char *name, *unit;
};
static const struct part BODY_PART[] = {
    {"x", "m"},      {"y", "m"},      {"z", "m"},     {"q0", ""},    {"q1", ""},
    {"q2", ""},      {"q3", ""},      {"vx", "m/s"},  {"vy", "m/s"}, {"vz", "m/s"},
    {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
static const struct part JOINT_PART[] = {{"fx", "N"},   {"fy", "N"},   {"fz", "N"},
                                         {"tx", "N.m"}, {"ty", "N.m"}, {"tz", "N.m"}};
enum {
    N_BODY_PARTS = sizeof BODY_PART / sizeof BODY_PART[0],
    N_JOINT_PARTS = sizeof JOINT_PART / sizeof JOINT_PART[0]
};

/* A name that another column has already is told apart by what it is the name of. */
static void visit_part(const struct model *m, FILE *to, columns_visit *visit, const char *kind,
                       const char *name, const struct part *p)
{
    char longer[SENSOR_NAME];
    int taken = 0;
    for (uint32_t i = 0; i < m->sensors.n && !taken; i++)
        taken = strcmp(model_text(m, model_sensors(m)[i].name), name) == 0;
    snprintf(longer, sizeof longer, "%s%s%s", taken ? kind : "", taken ? ":" : "", name);
    visit(to, longer, p->name, p->unit);
}

static int visit_sensors(const struct model *m, FILE *to, columns_visit *visit)
{
    char part[16];
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        for (uint32_t k = 0; k < s->n_channels; k++) {
            word(s->n_channels > 1 ? SENSOR_TYPE[s->type].suffix : "", k, part);
            const char *name = model_text(m, s->name);
            /* the first column is the time */
            visit(to, strcmp(name, "t") == 0 && !part[0] ? "sensor:t" : name, part,
                  model_text(m, s->unit));
        }
    }
    return m->n_channels;
}

static int is_sum(const struct model *m, uint32_t joint)
{
    return JOINT_TYPE[model_joints(m)[joint].type].special == JOINT_SUM;
}

/* All columns behind t; returns how many. */
static int visit_all(const struct columns *c, FILE *to, columns_visit *visit)
{
    const struct model *m = c->trial->model;
    int n = visit_sensors(m, to, visit);
    for (uint32_t i = 0; c->bodies && i < m->bodies.n; i++)
        for (int k = 0; k < N_BODY_PARTS; k++, n++)
            visit_part(m, to, visit, "body", model_text(m, model_bodies(m)[i].name), &BODY_PART[k]);
    for (uint32_t i = 0; c->reactions && i < m->joints.n; i++)
        for (int k = 0; k < N_JOINT_PARTS; k++, n++)
            visit_part(m, to, visit, "joint", model_text(m, model_joints(m)[i].name),
                       &JOINT_PART[k]);
    if (!c->newton) return n;
    visit(to, "newton", "iterations", "");
    visit(to, "newton", "d", "m");
    return n + 2;
}

static int write_units(const struct columns *c, const char *path)
{
    char *name = NULL;
    if (asprintf(&name, "%s.units", path) < 0) return 0;
    FILE *to = fopen(name, "w");
    free(name);
    if (!to) return 0;
    fprintf(to, "column,unit\nt,s\n");
    visit_all(c, to, put_unit);
    fprintf(to, "#,trapeze %s\n", version_read().text);
    return fclose(to) == 0;
}

int columns_may_replace(const char *path)
{
    char *units = NULL, line[256];
    struct stat st;
    int ours = 0;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 1;
    FILE *f = asprintf(&units, "%s.units", path) >= 0 ? fopen(units, "r") : NULL;
    while (f && fgets(line, sizeof line, f)) ours |= strncmp(line, "#,trapeze ", 10) == 0;
    if (f) fclose(f);
    free(units);
    return ours;
}

enum status columns_open(struct columns *c, const char *path)
{
    int to_stdout = strcmp(path, "-") == 0;
    c->channel = calloc((size_t)c->trial->model->n_channels + 1, sizeof *c->channel);
    if (!c->channel) return STATUS_NO_MEMORY;
    if (!to_stdout && !write_units(c, path)) return STATUS_IO;
    c->file = to_stdout ? stdout : fopen(path, "w");
    if (!c->file) return STATUS_IO;
    setvbuf(c->file, NULL, _IOFBF, BUFFER);
    fputs("t", c->file);
    c->n = 1 + visit_all(c, c->file, put_name);
    fputs("\n", c->file);
    return STATUS_OK;
}

static void put_numbers(FILE *to, const double *v, int n)
{
    for (int i = 0; i < n; i++) fprintf(to, ",%.17g", v[i]);
}

static void put_vector(FILE *to, vec3 v)
{
    double x[3];
    vec_store(x, v);
    put_numbers(to, x, 3);
}

static void put_body(const struct columns *c, uint32_t body)
{
    const struct trial *t = c->trial;
    const struct plan *p = t->mechanism.plan;
    const struct workspace *ws = &t->mechanism.ws;
    int i = p->kin_of_body[body];
    const struct kin *k = &ws->kin[i];
    double q[4];
    for (int j = 0; j < 4; j++) q[j] = i < p->n ? ws->q[i][j] : model_bodies(t->model)[body].q[j];
    put_vector(c->file, k->x);
    put_numbers(c->file, q, 4);
    put_vector(c->file, k->v);
    put_vector(c->file, k->w);
}

/* The time with as few digits as tell it from its neighbours. */
static void put_time(FILE *to, double t)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, t);
        if (strtod(text, NULL) == t) break;
    }
    fputs(text, to);
}

void columns_write(struct columns *c)
{
    const struct trial *t = c->trial;
    const struct model *m = t->model;
    put_time(c->file, trial_time(t));
    observe_sensors(&t->seen, c->channel);
    put_numbers(c->file, c->channel, m->n_channels);
    for (uint32_t i = 0; c->bodies && i < m->bodies.n; i++) put_body(c, i);
    for (uint32_t i = 0; c->reactions && i < m->joints.n; i++) {
        if (is_sum(m, i)) {
            double both[2][3];
            observe_mesh(&t->seen, (int)i, both[0], both[1]);
            put_numbers(c->file, both[0], 3);
            put_numbers(c->file, both[1], 3);
            continue;
        }
        struct six w = observe_reaction(&t->seen, (int)i);
        put_vector(c->file, w.l);
        put_vector(c->file, w.a);
    }
    if (c->newton) put_numbers(c->file, (double[]){t->report.iterations, t->report.d}, 2);
    fputc('\n', c->file);
    c->rows++;
}

enum status columns_close(struct columns *c)
{
    int bad = 0;
    if (c->file) bad = ferror(c->file) | (c->file == stdout ? fflush(stdout) : fclose(c->file));
    free(c->channel);
    c->file = NULL;
    c->channel = NULL;
    return bad ? STATUS_IO : STATUS_OK;
}
