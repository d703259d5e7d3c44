/* Links and joints from the tree of tags. Everything is read before anything is judged, so
 * that all mistakes of a file are told at once. */
#include <stdlib.h>
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

static const char *const KIND[] = {
    [URDF_REVOLUTE] = "revolute", [URDF_CONTINUOUS] = "continuous", [URDF_PRISMATIC] = "prismatic",
    [URDF_FIXED] = "fixed",       [URDF_FLOATING] = "floating",     [URDF_PLANAR] = "planar"};
enum { N_KINDS = sizeof KIND / sizeof KIND[0] };

static const char *const IN_ROBOT[] = {"link",         "joint",  "material", "transmission",
                                       "ros2_control", "gazebo", NULL};
static const char *const IN_LINK[] = {"inertial", "visual", "collision", NULL};
static const char *const IN_JOINT[] = {"origin", "parent",      "child",
                                       "axis",   "limit",       "dynamics",
                                       "mimic",  "calibration", "safety_controller",
                                       NULL};

/* The word of a list nearest to one that is not in it, or NULL where none is near; `exact`
 * becomes 1 where it is. */
static const char *nearest(const char *const *list, int n, const char *word, int *exact)
{
    const char *near = NULL;
    int best = 1000;
    *exact = 0;
    for (int i = 0; i < n && list[i]; i++) {
        int d = names_distance(word, list[i]);
        if (d == 0) *exact = 1;
        if (d < best) best = d, near = list[i];
    }
    return near && names_is_near(word, best) ? near : NULL;
}

/* Words of xacro itself; anything else with its prefix is a macro that it did not find. */
static int is_xacro_word(const char *name)
{
    static const char *const WORD[] = {"include", "macro",  "property",     "arg",
                                       "if",      "unless", "insert_block", "call"};
    for (size_t i = 0; i < sizeof WORD / sizeof WORD[0]; i++)
        if (strcmp(WORD[i], name) == 0) return 1;
    return 0;
}

/* Tags that mean nothing here are passed over; those that look like a slip are told. */
static void look_at_tags(struct urdf *u, const struct markup *in, const char *const *known)
{
    for (const struct markup *e = in->first; e; e = e->next) {
        int exact;
        const char *near = nearest(known, 100, e->name, &exact);
        int xacro = strcmp(e->prefix, "xacro") == 0;
        if (xacro && is_xacro_word(e->name))
            urdf_error(u, e->place,
                       "<xacro:%s> is left in the file; run xacro first: xacro FILE > robot.urdf",
                       e->name);
        else if (xacro)
            urdf_mended(u, URDF_MEND_TAG, e->place,
                        "<xacro:%s> is passed over; was xacro run on this file?", e->name);
        else if (!exact && !e->prefix[0] && near)
            urdf_mended(u, URDF_MEND_TAG, e->place,
                        "<%s> is not known in <%s> and is passed over; did you mean <%s>?", e->name,
                        in->name, near);
    }
}

/* A tag that may stand once; the first counts. */
static const struct markup *only(struct urdf *u, const struct markup *in, const char *name)
{
    const struct markup *first = markup_find(in, name);
    for (const struct markup *e = first ? first->next : NULL; e; e = e->next)
        if (!e->prefix[0] && strcmp(e->name, name) == 0)
            urdf_mended(u, URDF_MEND_TAG, e->place, "<%s> stands twice in <%s>; the first counts",
                        name, in->name);
    return first;
}

/* ---- links ----------------------------------------------------------------------- */

static void read_inertia(struct urdf *u, const struct markup *e, double inertia[9])
{
    double v[6] = {0};
    static const char *const NAME[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int i = 0; i < 6; i++)
        (void)(i < 3 ? urdf_value_number(u, e, NAME[i], &v[i])
                     : urdf_value_optional(u, e, NAME[i], &v[i]));
    const double full[9] = {v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]};
    memcpy(inertia, full, sizeof full);
}

static void read_inertial(struct urdf *u, struct urdf_link *l, const struct markup *e)
{
    const struct markup *mass = only(u, e, "mass"), *inertia = only(u, e, "inertia");
    (void)urdf_value_frame(u, e, &l->inertial);
    l->has_inertial = 1;
    l->inertia_place = inertia ? inertia->place : e->place;
    if (!mass)
        urdf_error(u, e->place, "link '%s': <mass value=\"...\"/> is missing in <inertial>",
                   l->name);
    else if (urdf_value_number(u, mass, "value", &l->mass) && l->mass < 0)
        urdf_error(u, mass->place, "link '%s': the mass must not be negative, %g", l->name,
                   l->mass);
    if (!inertia)
        urdf_error(u, e->place, "link '%s': <inertia ixx=\"...\" .../> is missing in <inertial>",
                   l->name);
    else
        read_inertia(u, inertia, l->inertia);
}

static void read_link(struct urdf *u, const struct markup *e)
{
    struct urdf_link *l = &u->link[u->n_links];
    *l = (struct urdf_link){.place = e->place, .inertia_place = e->place, .joint = -1, .body = -1};
    l->inertial.q = (quat){1, 0, 0, 0};
    l->name = urdf_value_text(u, e, "name");
    if (!l->name) l->name = "";
    if (l->name[0] && names_add(&u->links, l->name, u->n_links) == 0)
        urdf_error(u, e->place, "a link '%.60s' stands in line %d already", l->name,
                   u->link[names_find(&u->links, l->name)].place.line);
    u->n_links++;
    look_at_tags(u, e, IN_LINK);
    const struct markup *inertial = only(u, e, "inertial");
    if (inertial) read_inertial(u, l, inertial);
    urdf_shape_read(u, l, e);
}

/* ---- joints ---------------------------------------------------------------------- */

static void read_kind(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const char *type = urdf_value_text(u, e, "type");
    j->kind = URDF_FIXED;
    if (!type) return;
    for (int i = 0; i < N_KINDS; i++)
        if (strcmp(type, KIND[i]) == 0) {
            j->kind = (enum urdf_kind)i;
            return;
        }
    int exact;
    const char *near = nearest(KIND, N_KINDS, type, &exact);
    urdf_error(u, markup_attribute(e, "type")->place,
               "joint '%s': there is no type '%.40s'%s%s%s; a joint is revolute, continuous, "
               "prismatic, fixed, floating or planar",
               j->name, type, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

/* The link a <parent> or <child> names. */
static const char *read_end(struct urdf *u, struct urdf_joint *j, const struct markup *e,
                            const char *tag, struct place *at)
{
    const struct markup *end = only(u, e, tag);
    *at = e->place;
    if (!end) {
        urdf_error(u, e->place, "joint '%s': <%s link=\"...\"/> is missing", j->name, tag);
        return NULL;
    }
    const struct markup_attribute *a = markup_attribute(end, "link");
    *at = a ? a->place : end->place;
    return urdf_value_text(u, end, "link");
}

static void read_axis(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const struct markup *axis = only(u, e, "axis");
    double v[3] = {1, 0, 0};
    if (axis) (void)urdf_value_vector(u, axis, "xyz", v);
    if (vec_norm(vec_load(v)) > 0)
        j->axis = vec_unit(vec_load(v));
    else if (j->kind != URDF_FIXED && j->kind != URDF_FLOATING)
        urdf_error(u, (axis ? axis : e)->place,
                   "joint '%s': the axis has no length; '0 0 1' would be right", j->name);
}

/* One end of a joint. Returns 1 where it is so far away that there is none (-1e+16, inf). */
static int read_stop(struct urdf *u, const struct markup *limit, const char *name, double *out)
{
    const struct markup_attribute *a = markup_attribute(limit, name);
    char *end;
    double v = a ? strtod(a->value, &end) : 0;
    if (a && end != a->value && !*end && fabs(v) > URDF_LARGEST) return 1;
    (void)urdf_value_optional(u, limit, name, out);
    return 0;
}

/* Lower and upper hold for revolute and prismatic joints alone. */
static void read_limit(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const struct markup *limit = only(u, e, "limit");
    int needs = j->kind == URDF_REVOLUTE || j->kind == URDF_PRISMATIC;
    j->limit_place = limit ? limit->place : e->place;
    if (!limit) {
        if (needs)
            urdf_mended(u, URDF_MEND_LIMIT, e->place,
                        "joint '%s': <limit> is missing, a %s joint needs it; it gets no end stops",
                        j->name, KIND[j->kind]);
        return;
    }
    int endless = read_stop(u, limit, "lower", &j->lower);
    endless |= read_stop(u, limit, "upper", &j->upper);
    (void)urdf_value_optional(u, limit, "effort", &j->effort);
    (void)urdf_value_optional(u, limit, "velocity", &j->velocity);
    j->effort = fabs(j->effort);
    j->velocity = fabs(j->velocity);
    j->has_limits = needs && !endless && j->lower < j->upper;
    if (endless && needs)
        urdf_mended(u, URDF_MEND_LIMIT, limit->place,
                    "joint '%s': a limit of %g or more is no limit; it gets no end stops", j->name,
                    URDF_LARGEST);
    else if (needs && j->lower > j->upper)
        urdf_mended(u, URDF_MEND_LIMIT, limit->place,
                    "joint '%s': lower %g is above upper %g; it gets no end stops", j->name,
                    j->lower, j->upper);
    else if (needs && j->lower == j->upper)
        urdf_mended(u, URDF_MEND_LIMIT, limit->place,
                    "joint '%s': lower and upper are both %g; it gets no end stops (a joint that "
                    "must not move is of type fixed)",
                    j->name, j->lower);
}

static void read_dynamics(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const struct markup *d = only(u, e, "dynamics");
    if (!d) return;
    (void)urdf_value_optional(u, d, "damping", &j->damping);
    (void)urdf_value_optional(u, d, "friction", &j->friction);
    if (j->damping >= 0 && j->friction >= 0) return;
    urdf_mended(u, URDF_MEND_DYNAMICS, d->place,
                "joint '%s': damping and friction must not be negative; 0 is taken", j->name);
    j->damping = fmax(0, j->damping);
    j->friction = fmax(0, j->friction);
}

static void read_mimic(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const struct markup *m = only(u, e, "mimic");
    if (!m) return;
    const struct markup_attribute *a = markup_attribute(m, "joint");
    j->mimic_place = a ? a->place : m->place;
    j->mimic_name = urdf_value_text(u, m, "joint");
    (void)urdf_value_optional(u, m, "multiplier", &j->multiplier);
    (void)urdf_value_optional(u, m, "offset", &j->offset);
}

static void read_joint(struct urdf *u, const struct markup *e)
{
    struct urdf_joint *j = &u->joint[u->n_joints];
    *j = (struct urdf_joint){
        .place = e->place, .parent = -1, .child = -1, .mimic = -1, .multiplier = 1};
    j->axis = vec_make(1, 0, 0);
    j->name = urdf_value_text(u, e, "name");
    if (!j->name) j->name = "";
    if (j->name[0] && names_add(&u->joints, j->name, u->n_joints) == 0)
        urdf_error(u, e->place, "a joint '%.60s' stands in line %d already", j->name,
                   u->joint[names_find(&u->joints, j->name)].place.line);
    u->n_joints++;
    look_at_tags(u, e, IN_JOINT);
    read_kind(u, j, e);
    j->parent_name = read_end(u, j, e, "parent", &j->parent_place);
    j->child_name = read_end(u, j, e, "child", &j->child_place);
    (void)urdf_value_frame(u, e, &j->origin);
    read_axis(u, j, e);
    read_limit(u, j, e);
    read_dynamics(u, j, e);
    read_mimic(u, j, e);
}

/* ---- the robot ------------------------------------------------------------------- */

static int is_tag(const struct markup *e, const char *name)
{
    return !e->prefix[0] && strcmp(e->name, name) == 0;
}

/* Room for all links and joints; 0 after a message or without memory. */
static int make_room(struct urdf *u, const struct markup *robot)
{
    size_t links = 0, joints = 0;
    for (const struct markup *e = robot->first; e; e = e->next) {
        links += (size_t)is_tag(e, "link");
        joints += (size_t)is_tag(e, "joint");
    }
    if (links > URDF_MAX_LINKS || joints > URDF_MAX_LINKS) {
        urdf_error(u, robot->place,
                   "the robot has %zu links and %zu joints; %d of each is the most", links, joints,
                   URDF_MAX_LINKS);
        return 0;
    }
    u->link = memory_take(u->memory, links + 2, sizeof *u->link);
    u->joint = memory_take(u->memory, joints + 1, sizeof *u->joint);
    u->order = memory_take(u->memory, links + 2, sizeof *u->order);
    return u->link && u->joint && u->order;
}

/* Some files hang the robot on a link `world` that they do not write down. */
static void add_world(struct urdf *u)
{
    for (int i = 0; i < u->n_joints; i++) {
        const struct urdf_joint *j = &u->joint[i];
        if (!j->parent_name || strcmp(j->parent_name, "world") != 0) continue;
        if (names_find(&u->links, "world") >= 0) return;
        urdf_mended(
            u, URDF_MEND_TAG, j->parent_place,
            "joint '%s': the link 'world' does not stand in the file; it is taken as ground",
            j->name);
        u->link[u->n_links] = (struct urdf_link){
            .name = "world", .place = j->parent_place, .joint = -1, .body = -1};
        (void)names_add(&u->links, "world", u->n_links++);
        return;
    }
}

static int is_robot(struct urdf *u, const struct markup *root)
{
    if (is_tag(root, "robot")) return 1;
    urdf_error(u, root->place, "<%s> is the outermost tag, not <robot>%s", root->name,
               strcmp(root->name, "sdf") == 0 ? "; this is SDF, not URDF" : "");
    return 0;
}

static void count_passed_over(struct urdf *u, const struct markup *robot)
{
    int gazebo = 0, other = 0;
    const char *name = "";
    for (const struct markup *e = robot->first; e; e = e->next) {
        int exact, g = is_tag(e, "gazebo");
        (void)nearest(IN_ROBOT, 100, e->name, &exact);
        gazebo += g;
        if ((exact && !e->prefix[0]) || strcmp(e->prefix, "xacro") == 0) continue;
        other++;
        name = e->name;
    }
    if (gazebo) urdf_note(u, robot->place, "%d <gazebo> tags are passed over", gazebo);
    if (other)
        urdf_note(u, robot->place, "%d unknown tags are passed over, among them <%s>", other, name);
}

void urdf_read(struct urdf *u, const struct markup *robot)
{
    if (!is_robot(u, robot)) return;
    const struct markup_attribute *name = markup_attribute(robot, "name");
    u->name = name && name->value[0] ? name->value : "robot";
    look_at_tags(u, robot, IN_ROBOT);
    if (!make_room(u, robot)) return;
    for (const struct markup *e = robot->first; e && !u->memory->failed; e = e->next) {
        if (is_tag(e, "link")) read_link(u, e);
        if (is_tag(e, "joint")) read_joint(u, e);
    }
    if (!u->memory->failed) add_world(u);
    count_passed_over(u, robot);
    if (u->n_links == 0 && !u->broken)
        urdf_error(u, robot->place, "the robot has no links; <link name=\"base\"/> is one");
}
