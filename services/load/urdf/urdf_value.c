/* Attributes of tags as numbers. */
#include <stdlib.h>
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

/* One number at *c, blanks around it skipped. Returns 0 where there is none. */
static int next_number(const char **c, double *out)
{
    char *end;
    double v = strtod(*c, &end);
    int glued = *end && !strchr(" \t\r\n", *end);
    if (end == *c || glued || !(fabs(v) <= URDF_LARGEST)) return 0;
    *c = end + strspn(end, " \t\r\n");
    *out = v;
    return 1;
}

int urdf_value_plain(const char *text, double *out)
{
    double v;
    if (!next_number(&text, &v) || *text) return 0;
    *out = v;
    return 1;
}

static void complain(struct urdf *u, const struct markup *e, const struct markup_attribute *a,
                     const char *expected)
{
    if (strstr(a->value, "${") || strstr(a->value, "$("))
        urdf_error(
            u, a->place,
            "<%s>: %s='%.60s' is a xacro expression; run xacro first: xacro FILE > robot.urdf",
            e->name, a->name, a->value);
    else
        urdf_error(u, a->place, "<%s>: %s must be %s, not '%.60s'", e->name, a->name, expected,
                   a->value);
}

int urdf_value_optional(struct urdf *u, const struct markup *e, const char *name, double *out)
{
    const struct markup_attribute *a = markup_attribute(e, name);
    if (!a || urdf_value_plain(a->value, out)) return 1;
    complain(u, e, a, "a number");
    return 0;
}

int urdf_value_number(struct urdf *u, const struct markup *e, const char *name, double *out)
{
    if (markup_attribute(e, name)) return urdf_value_optional(u, e, name, out);
    urdf_error(u, e->place, "<%s>: %s is missing; <%s %s=\"1.0\"> would be right", e->name, name,
               e->name, name);
    return 0;
}

int urdf_value_vector(struct urdf *u, const struct markup *e, const char *name, double out[3])
{
    const struct markup_attribute *a = markup_attribute(e, name);
    double v[3];
    if (!a) return 1;
    const char *c = a->value;
    int good = next_number(&c, &v[0]) && next_number(&c, &v[1]) && next_number(&c, &v[2]) && !*c;
    if (good)
        memcpy(out, v, sizeof v);
    else
        complain(u, e, a, "three numbers such as '0 0 1'");
    return good;
}

static quat about(int axis, double angle)
{
    quat q = {cos(angle / 2), 0, 0, 0};
    q[axis + 1] = sin(angle / 2);
    return q;
}

/* <origin xyz rpy> inside a tag: about x, then y, then z, axes fixed in space. */
int urdf_value_frame(struct urdf *u, const struct markup *in, struct urdf_frame *out)
{
    const struct markup *e = markup_find(in, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    *out = (struct urdf_frame){vec_zero(), {1, 0, 0, 0}};
    if (!e) return 1;
    int good = urdf_value_vector(u, e, "xyz", xyz);
    good = urdf_value_vector(u, e, "rpy", rpy) && good;
    out->x = vec_load(xyz);
    out->q = quat_mul(about(2, rpy[2]), quat_mul(about(1, rpy[1]), about(0, rpy[0])));
    return good;
}

const char *urdf_value_text(struct urdf *u, const struct markup *e, const char *name)
{
    const struct markup_attribute *a = markup_attribute(e, name);
    if (a && a->value[0]) return a->value;
    urdf_error(u, e->place, "<%s>: %s is missing; <%s %s=\"...\"> would be right", e->name, name,
               e->name, name);
    return NULL;
}
