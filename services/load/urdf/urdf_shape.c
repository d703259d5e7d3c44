/* What hangs on a link for the eye and for contact: the mesh is named in the model for the
 * view; primitive shapes can give a mass to a link that has none. */
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

/* Moments of a shape of density 1 along its own axes; 0 where it is none. */
static double box_mass(const double s[3], double moment[3])
{
    double m = s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) {
        double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
        moment[i] = m / 12 * (a * a + b * b);
    }
    return m;
}

static double cylinder_mass(double r, double l, double moment[3])
{
    double m = M_PI * r * r * l;
    moment[0] = moment[1] = m * (3 * r * r + l * l) / 12;
    moment[2] = m * r * r / 2;
    return m;
}

static double sphere_mass(double r, double moment[3])
{
    double m = 4 * M_PI / 3 * r * r * r;
    moment[0] = moment[1] = moment[2] = 0.4 * m * r * r;
    return m;
}

static double shape_mass(struct urdf *u, const struct markup *shape, double moment[3])
{
    double size[3] = {0}, r = 0, l = 0;
    if (strcmp(shape->name, "box") == 0)
        return urdf_value_vector(u, shape, "size", size) ? box_mass(size, moment) : 0;
    if (strcmp(shape->name, "mesh") == 0) return 0;
    if (!urdf_value_optional(u, shape, "radius", &r) ||
        !urdf_value_optional(u, shape, "length", &l))
        return 0;
    if (strcmp(shape->name, "cylinder") == 0) return cylinder_mass(r, l, moment);
    return strcmp(shape->name, "sphere") == 0 ? sphere_mass(r, moment) : 0;
}

static void read_shape(struct urdf *u, struct urdf_link *l, const struct markup *e)
{
    const struct markup *geometry = markup_find(e, "geometry");
    const struct markup *shape = geometry ? geometry->first : NULL;
    int collision = strcmp(e->name, "collision") == 0;
    struct urdf_frame at;
    double moment[3] = {0};
    if (!shape || !urdf_value_frame(u, e, &at)) return;
    if (strcmp(shape->name, "mesh") == 0 && !collision && !l->mesh) {
        const struct markup_attribute *file = markup_attribute(shape, "filename");
        l->mesh = file ? file->value : NULL;
    }
    double m = shape_mass(u, shape, moment);
    if (!(m > 0) || collision < l->shape_is_collision) return;
    if (collision > l->shape_is_collision) l->shape = (struct urdf_mass){0};
    l->shape_is_collision = collision;
    const double inertia[9] = {moment[0], 0, 0, 0, moment[1], 0, 0, 0, moment[2]};
    urdf_mass_add(&l->shape, m, at, inertia);
}

void urdf_shape_read(struct urdf *u, struct urdf_link *l, const struct markup *link)
{
    for (const struct markup *e = link->first; e; e = e->next)
        if (!e->prefix[0] && (strcmp(e->name, "visual") == 0 || strcmp(e->name, "collision") == 0))
            read_shape(u, l, e);
}
