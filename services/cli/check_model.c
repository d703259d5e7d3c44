/* The model part of `trapeze check`: tables of what stands in the file. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rt/mech/force.h"
#include "rt/mech/joint.h"
#include "rt/mech/sensor.h"
#include "services/cli/check.h"

enum { NAME_LEAST = 12, NAME_MOST = 40 };

static int wider(int width, const struct model *m, uint32_t name)
{
    int n = (int)strlen(model_text(m, name));
    return n > width ? (n < NAME_MOST ? n : NAME_MOST) : width;
}

static void print_head(const struct model *m)
{
    printf("model %s (%s)\n", model_text(m, m->name), model_text(m, m->file));
    printf(
        "  %u bodies, %u joints, %d constraints, %u forces, %u actuators, %u sensors, %u components\n",
        m->bodies.n, m->joints.n, check_constraints(m), m->forces.n - m->actuators.n,
        m->actuators.n, m->sensors.n, m->components.n);
    printf("  gravity [%g, %g, %g] m/s2, tolerance %g m, at most %d iterations\n", m->gravity[0],
           m->gravity[1], m->gravity[2], m->tolerance, m->iterations);
}

static const char *body_kind(const struct model_body *b)
{
    return b->flags & BODY_FIXED ? "  fixed" : b->flags & BODY_POINT ? "  point" : "";
}

static void print_bodies(const struct model *m)
{
    const struct model_body *b = model_bodies(m);
    int w = NAME_LEAST;
    for (uint32_t i = 0; i < m->bodies.n; i++) w = wider(w, m, b[i].name);
    printf("\n%-*s %10s   %10s %10s %10s\n", w + 2, "bodies", "mass kg", "x", "y", "z m");
    for (uint32_t i = 0; i < m->bodies.n; i++)
        printf("  %-*s %10.5g   %10.5g %10.5g %10.5g%s\n", w, model_text(m, b[i].name), b[i].mass,
               b[i].x[0], b[i].x[1], b[i].x[2], body_kind(&b[i]));
}

static void print_rows(const struct joint_type *t)
{
    printf("%2d rows:", t->n_rows);
    for (int r = 0; r < t->n_rows; r++) printf("%s %s", r ? "," : "", joint_row_name(t, r));
}

/* Between which bodies, or which joints a gear ties. */
static void write_between(const struct model *m, const struct model_joint *j, char *text,
                          size_t size)
{
    size_t at = 0;
    if (j->n_terms == 0) {
        snprintf(text, size, "%s - %s", check_body_name(m, j->body[0]),
                 check_body_name(m, j->body[1]));
        return;
    }
    text[0] = 0;
    for (uint32_t k = 0; k < j->n_terms && at < size; k++) {
        const struct model_term *term = &model_terms(m)[j->term_at + k];
        const struct model_joint *other = &model_joints(
            m)[model_coordinates(m)[term->coordinate].joint];
        int n = snprintf(text + at, size - at, "%s%g %s", k ? " + " : "", term->factor,
                         model_text(m, other->name));
        at += n > 0 ? (size_t)n : 0;
    }
}

static void print_joints(const struct model *m)
{
    const struct model_joint *j = model_joints(m);
    char between[160];
    int w = NAME_LEAST, wb = NAME_LEAST;
    if (m->joints.n == 0) return;
    for (uint32_t i = 0; i < m->joints.n; i++) {
        w = wider(w, m, j[i].name);
        write_between(m, &j[i], between, sizeof between);
        int n = (int)strlen(between);
        if (n > wb) wb = n < 60 ? n : 60;
    }
    printf("\n%-*s %-14s %-*s\n", w + 2, "joints", "type", wb, "between");
    for (uint32_t i = 0; i < m->joints.n; i++) {
        write_between(m, &j[i], between, sizeof between);
        printf("  %-*s %-14s %-*s ", w, model_text(m, j[i].name), JOINT_TYPE[j[i].type].name, wb,
               between);
        print_rows(&JOINT_TYPE[j[i].type]);
        printf("%s\n", j[i].flags & JOINT_SWITCHABLE ? "  switchable" : "");
    }
}

static void print_forces(const struct model *m)
{
    const struct model_force *f = model_forces(m);
    int w = NAME_LEAST;
    if (m->forces.n == m->actuators.n) return;
    for (uint32_t i = 0; i < m->forces.n; i++) w = wider(w, m, f[i].name);
    printf("\n%-*s %-14s between\n", w + 2, "forces", "type");
    for (uint32_t i = 0; i < m->forces.n; i++)
        if (f[i].actuator < 0)
            printf("  %-*s %-14s %s - %s\n", w, model_text(m, f[i].name),
                   FORCE_TYPE[f[i].type]->name, check_body_name(m, f[i].body[0]),
                   check_body_name(m, f[i].body[1]));
}

static void print_range(double lower, double upper, const char *none)
{
    if (upper > lower && upper < DBL_MAX)
        printf(" [%g, %g]", lower, upper);
    else
        printf(" %s", none);
}

static void print_actuators(const struct model *m)
{
    const struct model_actuator *a = model_actuators(m);
    int w = NAME_LEAST;
    if (m->actuators.n == 0) return;
    for (uint32_t i = 0; i < m->actuators.n; i++) w = wider(w, m, a[i].name);
    printf("\n%-*s %-14s %-10s range, safe, start\n", w + 2, "actuators", "type", "unit");
    for (uint32_t i = 0; i < m->actuators.n; i++) {
        printf("  %-*s %-14s %-10s", w, model_text(m, a[i].name),
               FORCE_TYPE[model_forces(m)[a[i].force].type]->name, model_text(m, a[i].unit));
        print_range(a[i].lower, a[i].upper, "without range");
        printf(", %g, %g\n", a[i].safe, a[i].start);
    }
}

static void print_sensors(const struct model *m)
{
    const struct model_sensor *s = model_sensors(m);
    int w = NAME_LEAST;
    if (m->sensors.n == 0) return;
    for (uint32_t i = 0; i < m->sensors.n; i++) w = wider(w, m, s[i].name);
    printf("\n%-*s %-18s %-10s channels, range\n", w + 2, "sensors", "type", "unit");
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        printf("  %-*s %-18s %-10s %u", w, model_text(m, s[i].name), SENSOR_TYPE[s[i].type].name,
               model_text(m, s[i].unit), s[i].n_channels);
        print_range(s[i].lower, s[i].upper, "");
        printf("\n");
    }
}

static void write_channel(const struct model *m, int sensor, int channel, char *text, size_t size)
{
    const struct model_sensor *s = &model_sensors(m)[sensor];
    const char *word = s->n_channels > 1 ? SENSOR_TYPE[s->type].suffix : "";
    for (int i = 0; i < channel && *word; i++) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    snprintf(text, size, "%s%s%.*s", model_text(m, s->name), word[0] ? "." : "",
             (int)strcspn(word, " "), word);
}

/* "tip.y crosses 0 m up, while tip.x in [0, 1] m: lock a, release b" */
static void print_switches(const struct model *m)
{
    static const char *const GOING[] = {"", " up", " down"};
    char channel[160];
    if (m->switches.n == 0) return;
    printf("\nswitches\n");
    for (uint32_t i = 0; i < m->switches.n; i++) {
        const struct model_switch *s = &model_switches(m)[i];
        const struct model_sensor *see = &model_sensors(m)[s->sensor];
        write_channel(m, s->sensor, s->channel, channel, sizeof channel);
        printf("  %-*s %s crosses %g %s%s", NAME_LEAST, model_text(m, s->name), channel,
               s->level * see->scale, model_text(m, see->unit), GOING[s->going]);
        if (s->guard >= 0) {
            see = &model_sensors(m)[s->guard];
            write_channel(m, s->guard, s->guard_channel, channel, sizeof channel);
            printf(", while %s in [%g, %g] %s", channel, s->lower * see->scale,
                   s->upper * see->scale, model_text(m, see->unit));
        }
        for (uint32_t k = 0; k < s->n_changes; k++) {
            const struct model_change *c = &model_changes(m)[s->change_at + k];
            printf("%s %s %s", k ? "," : ":", c->on ? "lock" : "release",
                   model_text(m, model_joints(m)[c->joint].name));
        }
        printf("\n");
    }
}

static void print_parameters(const struct model *m)
{
    const struct model_parameter *p = model_parameters(m);
    int w = NAME_LEAST;
    if (m->parameters.n == 0) return;
    for (uint32_t i = 0; i < m->parameters.n; i++) w = wider(w, m, p[i].name);
    printf("\n%-*s value\n", w + 2, "parameters");
    for (uint32_t i = 0; i < m->parameters.n; i++) {
        printf("  %-*s %g %s", w, model_text(m, p[i].name), p[i].value, model_text(m, p[i].unit));
        if (p[i].flags & PARAMETER_LIVE) printf("  live, [%g, %g]", p[i].lower, p[i].upper);
        printf("\n");
    }
}

void check_model_print(const struct model *m)
{
    print_head(m);
    print_bodies(m);
    print_joints(m);
    print_forces(m);
    print_actuators(m);
    print_sensors(m);
    print_switches(m);
    print_parameters(m);
}

/* ---- JSON ---------------------------------------------------------------------- */

static json_t *vector(const double *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_real(v[i]));
    return list;
}

static json_t *bodies_json(const struct model *m)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < m->bodies.n; i++) {
        const struct model_body *b = &model_bodies(m)[i];
        json_array_append_new(list, json_pack("{s:s, s:f, s:o, s:o, s:b}", "name",
                                              model_text(m, b->name), "mass", b->mass, "position",
                                              vector(b->x, 3), "inertia", vector(b->inertia, 9),
                                              "fixed", (b->flags & BODY_FIXED) != 0));
    }
    return list;
}

static json_t *joints_json(const struct model *m)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < m->joints.n; i++) {
        const struct model_joint *j = &model_joints(m)[i];
        char between[160];
        write_between(m, j, between, sizeof between);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:i}", "name", model_text(m, j->name),
                                        "type", JOINT_TYPE[j->type].name, "between", between,
                                        "rows", JOINT_TYPE[j->type].n_rows));
    }
    return list;
}

/* A number JSON can hold, else null. */
static json_t *limit(double v)
{
    return isfinite(v) && fabs(v) < DBL_MAX ? json_real(v) : json_null();
}

static json_t *actuators_json(const struct model *m)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < m->actuators.n; i++) {
        const struct model_actuator *a = &model_actuators(m)[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:[o,o], s:f, s:f}", "name", model_text(m, a->name),
                            "type", FORCE_TYPE[model_forces(m)[a->force].type]->name, "unit",
                            model_text(m, a->unit), "range", limit(a->lower), limit(a->upper),
                            "safe", a->safe, "start", a->start));
    }
    return list;
}

static json_t *sensors_json(const struct model *m)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:i, s:o}", "name", model_text(m, s->name), "type",
                      SENSOR_TYPE[s->type].name, "unit", model_text(m, s->unit), "channels",
                      (int)s->n_channels, "range",
                      s->upper > s->lower ? json_pack("[f,f]", s->lower, s->upper) : json_null()));
    }
    return list;
}

void check_model_json(const struct model *m, json_t *to)
{
    json_object_set_new(to, "model", json_string(model_text(m, m->name)));
    json_object_set_new(to, "file", json_string(model_text(m, m->file)));
    json_object_set_new(to, "bodies", json_integer(m->bodies.n));
    json_object_set_new(to, "joints", json_integer(m->joints.n));
    json_object_set_new(to, "constraints", json_integer(check_constraints(m)));
    json_object_set_new(to, "components", json_integer(m->components.n));
    json_object_set_new(to, "forces", json_integer(m->forces.n - m->actuators.n));
    json_object_set_new(to, "actuators", json_integer(m->actuators.n));
    json_object_set_new(to, "sensors", json_integer(m->sensors.n));
    json_object_set_new(to, "gravity", vector(m->gravity, 3));
    json_object_set_new(to, "body_list", bodies_json(m));
    json_object_set_new(to, "joint_list", joints_json(m));
    json_object_set_new(to, "actuator_list", actuators_json(m));
    json_object_set_new(to, "sensor_list", sensors_json(m));
}
