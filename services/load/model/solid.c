/* Moments of homogeneous solids about their centre, for mass m:
 * box      m (b² + c²)/12 ...           cylinder m (R² + r²)/2 along, m (3 (R² + r²) + l²)/12 across
 * sphere   2/5 m r²                     rod      0 along, m l²/12 across */
#include "services/load/model/solid.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* What a solid of unit density weighs, and its moments per mass. */
struct shape {
    double volume; /* m3; rod: length, m */
    double per_mass[3];
};

static int solid_length(const struct value_reader *r, const struct node *node, const char *what,
                        double *out)
{
    if (!node || !value_number(r, node, what, "m", out)) return 0;
    if (*out > 0) return 1;
    message_add(r->diags, node->place, MESSAGE_OUT_OF_RANGE, "%s: %s must be positive, not %g",
                r->owner, what, *out);
    return 0;
}

static int solid_axis(const struct value_reader *r, const struct node *node, int fallback,
                      int *axis)
{
    *axis = fallback;
    return !node || value_choice(r, node, "axis", "x y z", axis);
}

static int solid_box(const struct value_reader *r, const struct node *const *found, struct shape *s)
{
    double e[3];
    const struct node *size = found[BOX_KEY_SIZE];
    if (!size || !value_numbers(r, size, "size", "m", 3, e)) return 0;
    if (e[0] <= 0 || e[1] <= 0 || e[2] <= 0) {
        message_add(r->diags, size->place, MESSAGE_OUT_OF_RANGE,
                    "%s: the edges of a box must be positive", r->owner);
        return 0;
    }
    s->volume = e[0] * e[1] * e[2];
    for (int i = 0; i < 3; i++) {
        double a = e[(i + 1) % 3], b = e[(i + 2) % 3];
        s->per_mass[i] = (a * a + b * b) / 12;
    }
    return 1;
}

static int solid_cylinder(const struct value_reader *r, const struct node *const *found,
                          struct shape *s)
{
    double radius, length, inner = 0;
    int axis;
    int good = solid_length(r, found[CYLINDER_KEY_RADIUS], "radius", &radius);
    good &= solid_length(r, found[CYLINDER_KEY_LENGTH], "length", &length);
    good &= solid_axis(r, found[CYLINDER_KEY_AXIS], 2, &axis);
    const struct node *hole = found[CYLINDER_KEY_INNER];
    if (hole) good &= value_number(r, hole, "inner-radius", "m", &inner);
    if (!good) return 0;
    if (hole && (inner < 0 || inner >= radius)) {
        message_add(r->diags, hole->place, MESSAGE_OUT_OF_RANGE,
                    "%s: inner-radius must lie between 0 and the radius %g, not be %g", r->owner,
                    radius, inner);
        return 0;
    }
    double q = radius * radius + inner * inner;
    s->volume = PI * (radius * radius - inner * inner) * length;
    for (int i = 0; i < 3; i++) s->per_mass[i] = (3 * q + length * length) / 12;
    s->per_mass[axis] = q / 2;
    return 1;
}

static int solid_sphere(const struct value_reader *r, const struct node *const *found,
                        struct shape *s)
{
    double radius;
    if (!solid_length(r, found[SPHERE_KEY_RADIUS], "radius", &radius)) return 0;
    s->volume = 4. / 3 * PI * radius * radius * radius;
    for (int i = 0; i < 3; i++) s->per_mass[i] = 0.4 * radius * radius;
    return 1;
}

static int solid_rod(const struct value_reader *r, const struct node *const *found, struct shape *s)
{
    double length;
    int axis;
    int good = solid_length(r, found[ROD_KEY_LENGTH], "length", &length);
    good &= solid_axis(r, found[ROD_KEY_AXIS], 0, &axis);
    if (!good) return 0;
    s->volume = length;
    for (int i = 0; i < 3; i++) s->per_mass[i] = length * length / 12;
    s->per_mass[axis] = 0;
    return 1;
}

/* A solid in a file. */
struct solid {
    enum keys_solid kind;
    const struct node *node;
    const struct node *found[SCHEMA_MAX_KEYS];
};

/* The mass from exactly one of: the body's, the solid's, a density. */
static int solid_mass(const struct value_reader *r, const struct solid *s, const char *what,
                      double volume, double *mass)
{
    const char *unit = KEYS_SOLID[s->kind].key[SOLID_KEY_DENSITY].unit;
    const struct node *density = s->found[SOLID_KEY_DENSITY], *own = s->found[SOLID_KEY_MASS];
    double value = 0;
    if ((*mass > 0) + (density != 0) + (own != 0) != 1) {
        message_add(r->diags, s->node->key->place, MESSAGE_EXCLUSIVE,
                    "%s: %s needs one of: the body's mass; its own mass; density", what,
                    KEYS_SOLID[s->kind].what);
        return 0;
    }
    if (!density && !own) return 1;
    if (own ? !value_number(r, own, "mass", "kg", &value)
            : !value_number(r, density, "density", unit, &value))
        return 0;
    if (value <= 0) {
        message_add(r->diags, (own ? own : density)->place, MESSAGE_MASS,
                    "%s: %s must be positive, not %g", what, own ? "mass" : "density", value);
        return 0;
    }
    *mass = own ? value : value * volume;
    return 1;
}

int solid_read(const struct value_reader *r, enum keys_solid kind, const struct node *node,
               const char *what, double *mass, double inertia[9])
{
    static int (*const READ[SOLID_COUNT])(const struct value_reader *, const struct node *const *,
                                          struct shape *) = {[SOLID_BOX] = solid_box,
                                                             [SOLID_CYLINDER] = solid_cylinder,
                                                             [SOLID_SPHERE] = solid_sphere,
                                                             [SOLID_ROD] = solid_rod};
    struct solid solid = {.kind = kind, .node = node};
    struct shape s = {.volume = 1};
    int good = schema_walk(&KEYS_SOLID[kind], node, what, r->diags, solid.found);
    if (node->kind != NODE_MAP) return 0;
    good &= READ[kind](r, solid.found, &s);
    good &= solid_mass(r, &solid, what, s.volume, mass);
    if (!good) return 0;
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int i = 0; i < 3; i++) inertia[4 * i] = *mass * s.per_mass[i];
    return 1;
}
