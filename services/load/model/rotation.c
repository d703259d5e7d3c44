#include "services/load/model/rotation.h"

#include <stdio.h>

#include "rt/math/quat.h"
#include "services/load/text/keys.h"

enum { ROTATION_MOST = 16 };

static quat about(vec3 axis, double angle)
{
    vec3 s = vec_unit(axis) * vec_splat(sin(angle / 2));
    return (quat){cos(angle / 2), s[0], s[1], s[2]};
}

static int read_axis(const struct value_reader *r, const struct node *const *found, quat *q)
{
    double axis[3], angle;
    int direction = value_numbers(r, found[ROTATION_KEY_AXIS], "axis", "", 3, axis);
    if (!value_number(r, found[ROTATION_KEY_ANGLE], "angle", "rad", &angle) || !direction) return 0;
    if (vec_norm(vec_load(axis)) == 0) {
        value_complain(r, found[ROTATION_KEY_AXIS]->place, MESSAGE_ZERO_AXIS,
                       "the axis of a rotation",
                       " has no length; a direction such as [0, 0, 1] is needed");
        return 0;
    }
    *q = about(vec_load(axis), angle);
    return 1;
}

static int read_quaternion(const struct value_reader *r, const struct node *node, quat *q)
{
    double v[4];
    if (!value_numbers(r, node, "quaternion", "", 4, v)) return 0;
    double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (fabs(size - 1) > 1e-3) {
        value_complain(r, node->place, MESSAGE_OUT_OF_RANGE, "a quaternion",
                       " [w, x, y, z] must have length 1, this one has %g", size);
        return 0;
    }
    *q = quat_unit(quat_load(v));
    return 1;
}

static int read_rpy(const struct value_reader *r, const struct node *node, quat *q)
{
    double v[3];
    if (!value_numbers(r, node, "rpy", "rad", 3, v)) return 0;
    quat x = about(vec_make(1, 0, 0), v[0]), y = about(vec_make(0, 1, 0), v[1]);
    *q = quat_mul(about(vec_make(0, 0, 1), v[2]), quat_mul(y, x));
    return 1;
}

static int read_one(const struct value_reader *r, const struct node *node, const char *what,
                    quat *q)
{
    const struct node *found[SCHEMA_MAX_KEYS];
    if (!schema_walk(&KEYS_ROTATION, node, what, r->diags, found)) return 0;
    int axis = found[ROTATION_KEY_AXIS] && found[ROTATION_KEY_ANGLE];
    int either = found[ROTATION_KEY_AXIS] || found[ROTATION_KEY_ANGLE];
    int ways = either + (found[ROTATION_KEY_QUATERNION] != 0) + (found[ROTATION_KEY_RPY] != 0);
    if (ways != 1 || (either && !axis)) {
        value_complain(r, node->place, MESSAGE_EXCLUSIVE, what,
                       " needs one of: axis and angle; quaternion; rpy");
        return 0;
    }
    if (axis) return read_axis(r, found, q);
    if (found[ROTATION_KEY_RPY]) return read_rpy(r, found[ROTATION_KEY_RPY], q);
    return read_quaternion(r, found[ROTATION_KEY_QUATERNION], q);
}

int rotation_read(const struct value_reader *r, const struct node *node, const char *what,
                  double q[4])
{
    quat all = {1, 0, 0, 0}, one;
    int good = 1;
    if (node->kind == NODE_LIST && node->n > ROTATION_MOST) {
        value_complain(r, node->place, MESSAGE_WRONG_COUNT, what, ": at most %d rotations in a row",
                       ROTATION_MOST);
        good = 0;
    } else if (node->kind == NODE_LIST) {
        for (const struct node *e = node->first; e; e = e->next)
            if (read_one(r, e, what, &one))
                all = quat_mul(one, all);
            else
                good = 0;
    } else {
        good = read_one(r, node, what, &all);
    }
    all = quat_unit(all);
    for (int i = 0; i < 4; i++) q[i] = all[i];
    return good;
}
