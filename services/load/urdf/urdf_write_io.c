/* Actuators and sensors of the model file. Servos are made for 10 Hz: gains w² I and 2 w I (of
 * speed: w I), I the inertia the joint carries at the start, limited by the joint's effort. */
#include <math.h>
#include <stdlib.h>

#include "services/load/urdf/urdf_parts.h"

static const double SERVO = 2 * M_PI * 10; /* rad/s */

static const char *drive_word(const struct urdf_joint *j)
{
    switch (j->command) {
    case URDF_POSITION:
        return "target";
    case URDF_VELOCITY:
        return "target-speed";
    default:
        return urdf_is_angle(j) ? "torque" : "force";
    }
}

static void write_range(FILE *to, double lower, double upper)
{
    fputs(", range: [", to);
    urdf_write_number(to, lower);
    fputs(", ", to);
    urdf_write_number(to, upper);
    fputc(']', to);
}

static void write_command_range(FILE *to, const struct urdf_joint *j)
{
    double most = j->command == URDF_EFFORT ? j->effort : j->velocity;
    if (j->command_range[0] < j->command_range[1])
        write_range(to, j->command_range[0], j->command_range[1]);
    else if (j->command == URDF_POSITION && j->has_limits)
        write_range(to, j->lower, j->upper);
    else if (j->command != URDF_POSITION && most > 0)
        write_range(to, -most, most);
}

static void write_servo(FILE *to, const struct urdf_joint *j)
{
    double I = j->composite;
    if (j->command == URDF_POSITION)
        fprintf(to, ", stiffness: %.3g, damping: %.3g", SERVO * SERVO * I, 2 * SERVO * I);
    else
        fprintf(to, ", damping: %.3g", SERVO * I);
    if (j->effort > 0) fputs(", limit: ", to), urdf_write_number(to, j->effort);
}

/* A position servo holds the start pose until it is told otherwise. */
static void write_hold(FILE *to, const struct urdf_joint *j)
{
    double q = j->start;
    if (j->command_range[0] < j->command_range[1])
        q = fmax(j->command_range[0], fmin(j->command_range[1], q));
    fputs(", safe: ", to);
    urdf_write_number(to, q);
}

static void write_actuator(FILE *to, const struct urdf_joint *j)
{
    static const char *const TYPE[] = {[URDF_POSITION] = "position", [URDF_VELOCITY] = "speed"};
    const char *word = drive_word(j);
    fprintf(to, "  %s-%s: {type: %s, joint: %s", j->id, word,
            j->command == URDF_EFFORT ? word : TYPE[j->command], j->id);
    if (j->command != URDF_EFFORT) write_servo(to, j);
    write_command_range(to, j);
    if (j->command == URDF_POSITION) write_hold(to, j);
    fputs("}\n", to);
}

static void write_actuators(const struct urdf *u, FILE *to)
{
    int n = 0;
    for (int i = 0; i < u->n_joints; i++) {
        if (u->joint[i].command == URDF_NO_COMMAND) continue;
        if (n++ == 0) fputs("\nactuators:\n", to);
        write_actuator(to, &u->joint[i]);
    }
}

static void write_sensors_of(FILE *to, const struct urdf_joint *j)
{
    const char *place = urdf_is_angle(j) ? "angle" : "position";
    if (j->states & URDF_SEE_POSITION) {
        fprintf(to, "  %s-%s: {type: joint-%s, joint: %s", j->id, place, place, j->id);
        if (j->has_limits) write_range(to, j->lower, j->upper);
        fputs("}\n", to);
    }
    if (j->states & URDF_SEE_VELOCITY) {
        fprintf(to, "  %s-speed: {type: joint-speed, joint: %s", j->id, j->id);
        if (j->velocity > 0) write_range(to, -j->velocity, j->velocity);
        fputs("}\n", to);
    }
    if (j->states & URDF_SEE_EFFORT && j->command != URDF_NO_COMMAND)
        fprintf(to, "  %s-effort: {type: force, force: %s-%s}\n", j->id, j->id, drive_word(j));
}

/* The coordinates of a planar joint: nothing drives them, they can be seen. */
static void write_planar(FILE *to, const struct urdf_joint *j)
{
    fprintf(to, "  %s-x: {type: joint-position, joint: %s, coordinate: x}\n", j->id, j->id);
    fprintf(to, "  %s-y: {type: joint-position, joint: %s, coordinate: y}\n", j->id, j->id);
    fprintf(to, "  %s-angle: {type: joint-angle, joint: %s, coordinate: angle}\n", j->id, j->id);
}

/* On ground or a body that is fixed nothing is to be seen. */
static void write_device(const struct urdf *u, FILE *to, const struct urdf_device *d)
{
    const struct urdf_link *l = &u->link[d->link];
    const struct urdf_joint *j = l->joint >= 0 ? &u->joint[l->joint] : NULL;
    if (d->wrench && j && urdf_write_has_joint(u, j)) {
        fprintf(to, "  %s-force: {type: reaction-force, joint: %s}\n", d->id, j->id);
        fprintf(to, "  %s-moment: {type: reaction-torque, joint: %s}\n", d->id, j->id);
    }
    if (l->body < 0) return;
    const char *body = u->link[l->body].id;
    if (d->attitude) fprintf(to, "  %s-attitude: {type: attitude, body: %s}\n", d->id, body);
    if (d->gyro) fprintf(to, "  %s-gyro: {type: gyro, body: %s}\n", d->id, body);
    if (!d->accelerometer) return;
    fprintf(to, "  %s-accelerometer: {type: accelerometer, body: %s, at: [", d->id, body);
    for (int i = 0; i < 3; i++) {
        if (i) fputs(", ", to);
        urdf_write_number(to, l->pose.x[i]);
    }
    fputs("]}\n", to);
}

int urdf_write_io(const struct urdf *u, FILE *to)
{
    char *text = NULL;
    size_t n = 0;
    write_actuators(u, to);
    FILE *part = open_memstream(&text, &n);
    if (!part) return 0;
    for (int i = 0; i < u->n_joints; i++) {
        if (urdf_is_single(&u->joint[i])) write_sensors_of(part, &u->joint[i]);
        if (u->joint[i].kind == URDF_PLANAR && !u->options->no_io) write_planar(part, &u->joint[i]);
    }
    for (int i = 0; i < u->n_devices; i++) write_device(u, part, &u->device[i]);
    int good = fclose(part) == 0;
    if (good && n) fprintf(to, "\nsensors:\n%s", text);
    free(text);
    return good;
}
