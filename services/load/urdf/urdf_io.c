/* What a controller sees of the robot: <transmission> of ROS 1, <ros2_control> of ROS 2. Of
 * several command interfaces of a joint the first counts: they are ways to drive one motor. */
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

static int is_tag(const struct markup *e, const char *name)
{
    return !e->prefix[0] && strcmp(e->name, name) == 0;
}

static enum urdf_command command_of(const char *word)
{
    if (strcmp(word, "effort") == 0) return URDF_EFFORT;
    if (strcmp(word, "position") == 0) return URDF_POSITION;
    return strcmp(word, "velocity") == 0 ? URDF_VELOCITY : URDF_NO_COMMAND;
}

/* The joint a tag names; NULL where it cannot have an interface (told). */
static struct urdf_joint *find_joint(struct urdf *u, const struct markup *e)
{
    const char *name = urdf_value_text(u, e, "name");
    int at = name ? names_find(&u->joints, name) : -1;
    if (!name) return NULL;
    const struct place here = markup_attribute(e, "name")->place;
    if (at < 0) {
        const char *near = urdf_nearest(u, &u->joints, name);
        urdf_mended(u, URDF_MEND_IO, here, "there is no joint '%.60s'%s%.60s%s; it is passed over",
                    name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return NULL;
    }
    struct urdf_joint *j = &u->joint[at];
    if (urdf_is_single(j)) return j;
    urdf_mended(u, URDF_MEND_IO, here,
                "joint '%s' has no single coordinate; its interfaces are passed over", j->name);
    return NULL;
}

/* ---- ROS 1 ----------------------------------------------------------------------- */

/* hardware_interface/EffortJointInterface, EffortJointInterface and the like. */
static enum urdf_command interface_of(const char *text)
{
    if (strstr(text, "Effort")) return URDF_EFFORT;
    if (strstr(text, "Position") || strstr(text, "PosVel")) return URDF_POSITION;
    return strstr(text, "Velocity") ? URDF_VELOCITY : URDF_NO_COMMAND;
}

static enum urdf_command interface_in(const struct markup *in)
{
    for (const struct markup *e = in->first; e; e = e->next) {
        enum urdf_command c = is_tag(e, "hardwareInterface") ? interface_of(e->text)
                                                             : URDF_NO_COMMAND;
        if (c != URDF_NO_COMMAND) return c;
    }
    return URDF_NO_COMMAND;
}

/* The interface stands at the joint, or in older files at the actuator; where it stands
 * nowhere the transmission is of the first kind, which carried efforts. */
static void read_transmission(struct urdf *u, const struct markup *t)
{
    const struct markup *actuator = markup_find(t, "actuator");
    enum urdf_command behind = actuator ? interface_in(actuator) : URDF_NO_COMMAND;
    u->has_io = 1;
    for (const struct markup *e = t->first; e; e = e->next) {
        struct urdf_joint *j = is_tag(e, "joint") ? find_joint(u, e) : NULL;
        if (!j || j->command != URDF_NO_COMMAND) continue;
        enum urdf_command c = interface_in(e);
        int states_only = markup_find(e, "hardwareInterface") && c == URDF_NO_COMMAND;
        if (!states_only) j->command = c ? c : behind ? behind : URDF_EFFORT;
    }
}

/* ---- ROS 2 ----------------------------------------------------------------------- */

static int read_param(const struct markup *in, const char *name, double *out)
{
    for (const struct markup *e = in->first; e; e = e->next) {
        const struct markup_attribute *a = is_tag(e, "param") ? markup_attribute(e, "name") : NULL;
        if (a && strcmp(a->value, name) == 0) return urdf_value_plain(e->text, out);
    }
    return 0;
}

static void read_command(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const char *name = urdf_value_text(u, e, "name");
    enum urdf_command c = name ? command_of(name) : URDF_NO_COMMAND;
    double range[2];
    if (!name) return;
    if (c == URDF_NO_COMMAND) {
        urdf_mended(u, URDF_MEND_IO, e->place,
                    "joint '%s': the command interface '%.40s' is passed over", j->name, name);
        return;
    }
    if (j->command != URDF_NO_COMMAND) {
        if (u->n_spare++ == 0) u->spare = e->place;
        return;
    }
    j->command = c;
    int given = read_param(e, "min", &range[0]) && read_param(e, "max", &range[1]);
    if (given && range[0] < range[1]) memcpy(j->command_range, range, sizeof range);
}

static void read_state(struct urdf *u, struct urdf_joint *j, const struct markup *e)
{
    const char *name = urdf_value_text(u, e, "name");
    static const int BIT[] = {[URDF_EFFORT] = URDF_SEE_EFFORT,
                              [URDF_POSITION] = URDF_SEE_POSITION,
                              [URDF_VELOCITY] = URDF_SEE_VELOCITY};
    enum urdf_command c = name ? command_of(name) : URDF_NO_COMMAND;
    if (!name) return;
    if (c == URDF_NO_COMMAND)
        urdf_mended(u, URDF_MEND_IO, e->place,
                    "joint '%s': the state interface '%.40s' is passed over", j->name, name);
    else
        j->states |= BIT[c];
    if (c == URDF_POSITION) j->has_initial |= read_param(e, "initial_value", &j->initial);
}

static void read_controlled(struct urdf *u, const struct markup *e)
{
    struct urdf_joint *j = find_joint(u, e);
    for (const struct markup *i = j ? e->first : NULL; i; i = i->next) {
        if (is_tag(i, "command_interface")) read_command(u, j, i);
        if (is_tag(i, "state_interface")) read_state(u, j, i);
    }
}

/* The link a sensor sits on: its parameter frame_id, else a link of its own name. */
static int sensor_link(const struct urdf *u, const struct markup *e, const char *name)
{
    for (const struct markup *p = e->first; p; p = p->next) {
        const struct markup_attribute *a = is_tag(p, "param") ? markup_attribute(p, "name") : NULL;
        if (a && strcmp(a->value, "frame_id") == 0) return names_find(&u->links, p->text);
    }
    return names_find(&u->links, name);
}

static void read_sensor(struct urdf *u, const struct markup *e)
{
    const char *name = urdf_value_text(u, e, "name");
    struct urdf_device d = {.name = name, .place = e->place};
    if (!name) return;
    d.link = sensor_link(u, e, name);
    for (const struct markup *i = e->first; i; i = i->next) {
        const struct markup_attribute *a = is_tag(i, "state_interface")
                                               ? markup_attribute(i, "name")
                                               : NULL;
        if (!a) continue;
        d.attitude |= strncmp(a->value, "orientation.", 12) == 0;
        d.gyro |= strncmp(a->value, "angular_velocity.", 17) == 0;
        d.accelerometer |= strncmp(a->value, "linear_acceleration.", 20) == 0;
        d.wrench |= strncmp(a->value, "force.", 6) == 0 || strncmp(a->value, "torque.", 7) == 0;
    }
    if (d.link >= 0 && d.attitude + d.gyro + d.accelerometer + d.wrench > 0)
        u->device[u->n_devices++] = d;
    else
        urdf_mended(u, URDF_MEND_IO, e->place, "the sensor '%.60s' is passed over: %s", name,
                    d.link < 0 ? "its parameter frame_id names no link"
                               : "none of its state interfaces is known");
}

static void read_ros2(struct urdf *u, const struct markup *system)
{
    u->has_io = 1;
    for (const struct markup *e = system->first; e; e = e->next) {
        if (is_tag(e, "joint")) read_controlled(u, e);
        if (is_tag(e, "sensor")) read_sensor(u, e);
        if (is_tag(e, "gpio")) urdf_note(u, e->place, "<gpio> is passed over");
    }
}

/* ---- both ------------------------------------------------------------------------ */

static int count_sensors(const struct markup *robot)
{
    int n = 0;
    for (const struct markup *s = robot->first; s; s = s->next)
        for (const struct markup *e = is_tag(s, "ros2_control") ? s->first : NULL; e; e = e->next)
            n += is_tag(e, "sensor");
    return n;
}

void urdf_io_read(struct urdf *u, const struct markup *robot)
{
    int ros1 = 0;
    u->device = memory_take(u->memory, (size_t)count_sensors(robot) + 1, sizeof *u->device);
    if (!u->device || u->options->no_io) return;
    for (const struct markup *e = robot->first; e; e = e->next) {
        if (is_tag(e, "transmission")) read_transmission(u, e), ros1 = 1;
        if (is_tag(e, "ros2_control")) read_ros2(u, e);
    }
    if (u->n_spare)
        urdf_note(u, u->spare,
                  "%d command interfaces are passed over: of several of a joint the first counts "
                  "(--command chooses another)",
                  u->n_spare);
    for (int i = 0; ros1 && i < u->n_joints; i++) {
        struct urdf_joint *j = &u->joint[i];
        if (urdf_is_single(j)) j->states |= URDF_SEE_POSITION | URDF_SEE_VELOCITY;
    }
}

void urdf_io_default(struct urdf *u)
{
    enum urdf_command asked = u->options->command ? command_of(u->options->command)
                                                  : URDF_NO_COMMAND;
    for (int i = 0; i < u->n_joints; i++) {
        struct urdf_joint *j = &u->joint[i];
        if (!urdf_is_single(j) || u->options->no_io) {
            j->command = URDF_NO_COMMAND;
            j->states = 0;
            continue;
        }
        if (!u->has_io) {
            j->command = URDF_EFFORT;
            j->states = URDF_SEE_POSITION | URDF_SEE_VELOCITY;
        }
        if (asked && j->command && asked != j->command) {
            j->command = asked;
            j->command_range[0] = j->command_range[1] = 0;
        }
        if (j->mimic >= 0) j->command = URDF_NO_COMMAND; /* it follows its leader */
    }
}
