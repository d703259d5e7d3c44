/* The model file: bodies, joints, friction and end stops, world frame at the start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

static const double SMALLEST = 1e-15; /* places, axes: below is rounding */

/* The shortest digits that give the same number, 15 at least tried first. */
void urdf_write_number(FILE *to, double v)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v == 0 ? 0 : v);
        if (strtod(text, NULL) == v) break;
    }
    fputs(text, to);
}

static void write_numbers(FILE *to, const char *key, const double *v, int n, double smallest)
{
    fprintf(to, "%s: [", key);
    for (int i = 0; i < n; i++) {
        if (i) fputs(", ", to);
        urdf_write_number(to, fabs(v[i]) < smallest ? 0 : v[i]);
    }
    fputc(']', to);
}

static void write_vector(FILE *to, const char *key, vec3 v)
{
    double a[3];
    vec_store(a, v);
    write_numbers(to, key, a, 3, SMALLEST);
}

void urdf_write_quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (const char *c = text; *c && c - text < 400; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', to);
        fputc((unsigned char)*c < ' ' || *c == 127 ? ' ' : *c, to);
    }
    fputc('"', to);
}

/* ---- bodies ---------------------------------------------------------------------- */

static void write_description(FILE *to, const struct urdf_link *l)
{
    char text[512];
    snprintf(text, sizeof text, "link %.120s%s%.200s", l->name, l->mesh ? ", mesh " : "",
             l->mesh ? l->mesh : "");
    fputs(", description: ", to);
    urdf_write_quoted(to, text);
}

static void write_body(const struct urdf *u, FILE *to, int at)
{
    const struct urdf_link *l = &u->link[at];
    const double *J = l->inertia, six[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
    struct urdf_frame centre = urdf_compose(l->pose,
                                            (struct urdf_frame){l->inertial.x, {1, 0, 0, 0}});
    double q[4] = {l->pose.q[0], l->pose.q[1], l->pose.q[2], l->pose.q[3]};
    fprintf(to, "  %s: {mass: ", l->id);
    urdf_write_number(to, l->mass);
    fputs(", ", to);
    write_numbers(to, "inertia", six, fabs(six[3]) + fabs(six[4]) + fabs(six[5]) > 0 ? 6 : 3, 0);
    fputs(", ", to);
    write_vector(to, "position", centre.x);
    if (fabs(q[1]) + fabs(q[2]) + fabs(q[3]) > SMALLEST) {
        fputs(", rotation: {", to);
        write_numbers(to, "quaternion", q, 4, SMALLEST);
        fputc('}', to);
    }
    if (at == u->root && !u->options->floating) fputs(", fixed: true", to);
    write_description(to, l);
    fputs("}\n", to);
}

static int is_body(const struct urdf *u, int at) { return u->link[at].body == at; }

static void write_bodies(const struct urdf *u, FILE *to)
{
    fputs("\nbodies:\n", to);
    for (int i = 0; i < u->n_links; i++)
        if (is_body(u, u->order[i])) write_body(u, to, u->order[i]);
}

/* ---- joints ---------------------------------------------------------------------- */

int urdf_write_has_joint(const struct urdf *u, const struct urdf_joint *j)
{
    return j->kind != URDF_FLOATING && u->link[j->child].body != u->link[j->parent].body;
}

static const char *body_id(const struct urdf *u, int link)
{
    int body = u->link[link].body;
    return body < 0 ? "ground" : u->link[body].id;
}

static void write_joint(const struct urdf *u, FILE *to, const struct urdf_joint *j)
{
    static const char *const TYPE[] = {[URDF_REVOLUTE] = "revolute",
                                       [URDF_CONTINUOUS] = "revolute",
                                       [URDF_PRISMATIC] = "prismatic",
                                       [URDF_FIXED] = "fixed",
                                       [URDF_PLANAR] = "planar"};
    fprintf(to, "  %s: {type: %s, between: [%s, %s], ", j->id, TYPE[j->kind], body_id(u, j->parent),
            body_id(u, j->child));
    write_vector(to, "at", j->at);
    if (j->kind != URDF_FIXED) {
        fputs(", ", to);
        write_vector(to, "axis", j->axis_w);
    }
    if (j->start != 0) {
        fputs(", start: ", to);
        urdf_write_number(to, j->start);
    }
    if (strcmp(j->id, j->name) != 0) {
        fputs(", description: ", to);
        urdf_write_quoted(to, j->name);
    }
    fputs("}\n", to);
}

/* q - multiplier q_leader = offset. */
static void write_mimic(const struct urdf *u, FILE *to, const struct urdf_joint *j)
{
    fprintf(to, "  %s: {type: gear, joints: [%s, %s], ratios: [1, ", j->mimic_id, j->id,
            u->joint[j->mimic].id);
    urdf_write_number(to, -j->multiplier);
    fputc(']', to);
    if (j->offset != 0) {
        fputs(", offset: ", to);
        urdf_write_number(to, j->offset);
    }
    fputs("}\n", to);
}

static void write_joints(const struct urdf *u, FILE *to)
{
    int n = 0;
    for (int i = 0; i < u->n_joints; i++) {
        const struct urdf_joint *j = &u->joint[i];
        if (!urdf_write_has_joint(u, j)) continue;
        if (n++ == 0) fputs("\njoints:\n", to);
        write_joint(u, to, j);
    }
    for (int i = 0; i < u->n_joints; i++)
        if (u->joint[i].mimic >= 0) write_mimic(u, to, &u->joint[i]);
}

/* ---- forces ---------------------------------------------------------------------- */

static void write_friction(FILE *to, const struct urdf_joint *j)
{
    fprintf(to, "  %s-friction: {type: friction, joint: %s", j->id, j->id);
    if (j->damping > 0) fputs(", viscous: ", to), urdf_write_number(to, j->damping);
    if (j->friction > 0) fputs(", constant: ", to), urdf_write_number(to, j->friction);
    fputs("}\n", to);
}

static void write_stop(FILE *to, const struct urdf_joint *j)
{
    double damping = 1 / (j->velocity > 0 ? fmax(0.1, j->velocity) : 1);
    fprintf(to, "  %s-stop: {type: stop, joint: %s, lower: ", j->id, j->id);
    urdf_write_number(to, j->lower);
    fputs(", upper: ", to);
    urdf_write_number(to, j->upper);
    fprintf(to, ", stiffness: %.3g, damping: %.3g}\n", urdf_inertia_stop(j), damping);
}

static int has_friction(const struct urdf_joint *j)
{
    return urdf_is_single(j) && j->damping + j->friction > 0;
}

static void write_forces(const struct urdf *u, FILE *to)
{
    int n = 0;
    for (int i = 0; i < u->n_joints; i++) {
        const struct urdf_joint *j = &u->joint[i];
        if ((has_friction(j) || urdf_has_stop(j)) && n++ == 0) fputs("\nforces:\n", to);
        if (has_friction(j)) write_friction(to, j);
        if (urdf_has_stop(j)) write_stop(to, j);
    }
}

/* ---- the file -------------------------------------------------------------------- */

static void write_head(const struct urdf *u, FILE *to)
{
    int n = 0;
    fprintf(
        to,
        "# From URDF by `trapeze import`. An ordinary model file: edit it, or place it in another\n"
        "# with use:. Places are those of the start pose; `start` is what a joint shows there.\n"
        "# End stops are as hard as a step of 1 ms allows. To close a loop, add a joint, such as\n"
        "#   loop: {type: revolute, between: [a, b], at: [0, 0, 1], axis: [0, 1, 0]}\n");
    fputs("model: ", to);
    urdf_write_quoted(to, u->name);
    fputs("\ngravity: [0, 0, -9.81]\nshows: [", to);
    for (int i = 0; i < u->n_links; i++)
        if (is_body(u, u->order[i])) fprintf(to, "%s%s", n++ ? ", " : "", u->link[u->order[i]].id);
    fputs("]\n", to);
}

int urdf_write(const struct urdf *u, FILE *to)
{
    write_head(u, to);
    write_bodies(u, to);
    write_joints(u, to);
    write_forces(u, to);
    return urdf_write_io(u, to);
}
