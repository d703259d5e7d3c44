/* Inertia box: half edges h from m (h_y² + h_z²) / 3 = J_x and so on, along the principal
 * axes, found by Jacobi's rotations. Curved surfaces are prisms of SIDES sides. */
#include "services/draw/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/math/quat.h"
#include "rt/mech/joint.h"
#include "services/draw/mesh.h"

enum { SIDES = 20, RINGS = 8, FEW = 60 };
static const uint32_t COLOUR[] = {0x7aa6c2, 0xd9a066, 0x8fb573, 0xb58ab5, 0xc9b458,
                                  0x88b8b0, 0xc27a7a, 0x9a9a9a, 0xa58f6f, 0x7f8fb5};
enum { N_COLOURS = sizeof COLOUR / sizeof COLOUR[0] };

/* A place with its axes. */
struct frame {
    vec3 x;
    struct mat3 R;
};

static vec3 at(const struct frame *f, double x, double y, double z)
{
    return f->x + mat3_mul(&f->R, vec_make(x, y, z));
}

/* ---- what is collected ---------------------------------------------------------- */

/* Room for one more; vectors want 32 bytes' alignment, which realloc does not give. */
static void *grown(struct scene *s, void *list, size_t n, size_t *room, size_t each)
{
    if (n < *room) return list;
    size_t wanted = *room ? 2 * *room : 256, bytes = (wanted * each + 31) / 32 * 32;
    void *wider = aligned_alloc(32, bytes);
    if (!wider) {
        s->failed = 1;
        return list;
    }
    if (n) memcpy(wider, list, n * each);
    free(list);
    *room = wanted;
    return wider;
}

static void widen(struct scene *s, vec3 p)
{
    for (int i = 0; i < 3; i++) {
        s->low[i] = fmin(s->low[i], p[i]);
        s->high[i] = fmax(s->high[i], p[i]);
    }
}

static void add_face(struct scene *s, const vec3 *corner, int n, uint32_t rgb, int ghost)
{
    s->face = grown(s, s->face, s->n_faces, &s->face_room, sizeof *s->face);
    if (s->n_faces == s->face_room) return;
    struct scene_face *f = &s->face[s->n_faces++];
    *f = (struct scene_face){.n = n, .rgb = rgb, .ghost = ghost};
    for (int i = 0; i < n; i++) {
        f->corner[i] = corner[i];
        widen(s, corner[i]);
    }
}

static void add_line(struct scene *s, vec3 a, vec3 b, enum scene_layer layer, uint32_t rgb,
                     int arrow)
{
    s->line = grown(s, s->line, s->n_lines, &s->line_room, sizeof *s->line);
    if (s->n_lines == s->line_room) return;
    s->line[s->n_lines++] = (struct scene_line){{a, b}, layer, rgb, arrow};
    widen(s, a);
    widen(s, b);
}

static void add_name(struct scene *s, vec3 p, const char *text, int kind)
{
    s->name = grown(s, s->name, s->n_names, &s->name_room, sizeof *s->name);
    if (s->n_names == s->name_room) return;
    s->name[s->n_names] = (struct scene_name){.at = p, .text = text};
    s->name[s->n_names++].kind = kind;
}

/* ---- bodies --------------------------------------------------------------------- */

static void add_box(struct scene *s, const struct frame *f, const double h[3], uint32_t rgb,
                    int ghost)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            vec3 c[4];
            for (int k = 0; k < 4; k++) {
                double p[3];
                p[axis] = side * h[axis];
                p[(axis + 1) % 3] = (k == 0 || k == 3 ? -1 : 1) * h[(axis + 1) % 3];
                p[(axis + 2) % 3] = (k < 2 ? -1 : 1) * h[(axis + 2) % 3];
                c[k] = at(f, p[0], p[1], p[2]);
            }
            add_face(s, c, 4, rgb, ghost);
        }
}

/* A surface of revolution about z through (radius, height) pairs. */
static void add_turned(struct scene *s, const struct frame *f, const double (*line)[2], int n,
                       uint32_t rgb)
{
    for (int k = 0; k < SIDES; k++) {
        double a = 2 * M_PI * k / SIDES, b = 2 * M_PI * (k + 1) / SIDES;
        for (int i = 0; i + 1 < n; i++) {
            double r = line[i][0], q = line[i + 1][0], z = line[i][1], y = line[i + 1][1];
            vec3 c[4] = {at(f, r * cos(a), r * sin(a), z), at(f, r * cos(b), r * sin(b), z),
                         at(f, q * cos(b), q * sin(b), y), at(f, q * cos(a), q * sin(a), y)};
            if (q == 0)
                add_face(s, c, 3, rgb, 0);
            else if (r == 0)
                add_face(s, (vec3[]){c[0], c[2], c[3]}, 3, rgb, 0);
            else
                add_face(s, c, 4, rgb, 0);
        }
    }
}

static void add_cylinder(struct scene *s, const struct frame *f, const double size[3], uint32_t rgb)
{
    double r = size[0], z = size[1] / 2, in = size[2];
    const double line[][2] = {{in, -z}, {r, -z}, {r, z}, {in, z}, {in, -z}};
    add_turned(s, f, line, in > 0 ? 5 : 4, rgb);
}

static void add_round(struct scene *s, const struct frame *f, double r, double length, uint32_t rgb)
{
    double line[2 * RINGS + 2][2];
    int n = 0;
    for (int end = 0; end < 2; end++)
        for (int i = 0; i <= RINGS; i++) {
            double a = (end ? 0 : -M_PI_2) + M_PI_2 * i / RINGS;
            int tip = end ? i == RINGS : i == 0;
            line[n][0] = tip ? 0 : r * cos(a);
            line[n++][1] = (end ? 0.5 : -0.5) * length + r * sin(a);
        }
    add_turned(s, f, line, n, rgb);
}

static void add_mesh(struct scene *s, const struct frame *f, const char *path,
                     const double scale[3], uint32_t rgb)
{
    struct mesh mesh = {0};
    const char *why;
    if (!mesh_read(&mesh, path, &why)) {
        s->n_lost++;
        return;
    }
    for (size_t i = 0; i < mesh.n; i++) {
        vec3 c[3];
        for (int k = 0; k < 3; k++) {
            const float *p = mesh.corner + 9 * i + 3 * k;
            c[k] = at(f, (double)p[0] * scale[0], (double)p[1] * scale[1], (double)p[2] * scale[2]);
        }
        add_face(s, c, 3, rgb, 0);
    }
    mesh_free(&mesh);
}

static void add_shape(struct scene *s, const struct model *m, const struct model_shape *shape,
                      const struct frame *body, uint32_t rgb)
{
    struct mat3 own = quat_matrix(quat_load(shape->q));
    struct frame f = {.x = at(body, shape->x[0], shape->x[1], shape->x[2])};
    const double *z = shape->size, half[3] = {z[0] / 2, z[1] / 2, z[2] / 2};
    for (int i = 0; i < 3; i++) f.R.c[i] = mat3_mul(&body->R, own.c[i]);
    if (shape->colour != SHAPE_NO_COLOUR) rgb = (uint32_t)shape->colour;
    switch ((enum model_shape_kind)shape->kind) {
    case SHAPE_BOX:
        add_box(s, &f, half, rgb, 0);
        break;
    case SHAPE_CYLINDER:
        add_cylinder(s, &f, z, rgb);
        break;
    case SHAPE_SPHERE:
        add_round(s, &f, z[0], 0, rgb);
        break;
    case SHAPE_CAPSULE:
        add_round(s, &f, z[0], z[1], rgb);
        break;
    case SHAPE_MESH:
        add_mesh(s, &f, model_text(m, shape->mesh), z, rgb);
        break;
    }
}

/* One rotation of Jacobi's in the plane p, q. */
static void jacobi(double a[9], double v[9], int p, int q)
{
    if (fabs(a[3 * p + q]) < 1e-300) return;
    double th = (a[4 * q] - a[4 * p]) / (2 * a[3 * p + q]);
    double t = (th < 0 ? -1 : 1) / (fabs(th) + sqrt(th * th + 1)), c = 1 / sqrt(t * t + 1),
           d = t * c;
    for (int k = 0; k < 3; k++) {
        double x = a[3 * k + p], y = a[3 * k + q];
        a[3 * k + p] = c * x - d * y, a[3 * k + q] = d * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = a[3 * p + k], y = a[3 * q + k];
        a[3 * p + k] = c * x - d * y, a[3 * q + k] = d * x + c * y;
        x = v[3 * k + p], y = v[3 * k + q];
        v[3 * k + p] = c * x - d * y, v[3 * k + q] = d * x + c * y;
    }
}

void scene_inertia_box(const struct model_body *b, double half[3], double axes[9])
{
    double a[9];
    memcpy(a, b->inertia, sizeof a);
    for (int i = 0; i < 9; i++) axes[i] = i % 4 == 0;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) jacobi(a, axes, p, q);
    double sum = a[0] + a[4] + a[8];
    for (int i = 0; i < 3; i++)
        half[i] = b->mass > 0 ? sqrt(fmax(0, 1.5 * (sum - 2 * a[4 * i]) / b->mass)) : 0;
}

static void add_inertia(struct scene *s, const struct model_body *b, const struct frame *body,
                        uint32_t rgb)
{
    double half[3], axes[9];
    struct frame f = {.x = body->x};
    scene_inertia_box(b, half, axes);
    double most = fmax(half[0], fmax(half[1], half[2]));
    if (!(most > 0)) return;
    for (int i = 0; i < 3; i++) {
        f.R.c[i] = mat3_mul(&body->R, vec_make(axes[i], axes[3 + i], axes[6 + i]));
        half[i] = fmax(half[i], 0.02 * most);
    }
    add_box(s, &f, half, rgb, 1);
}

/* ---- joints --------------------------------------------------------------------- */

static struct frame body_frame(const struct model *m, struct scene_pose pose, int32_t i)
{
    const double still[] = {1, 0, 0, 0};
    if (i < 0) return (struct frame){vec_zero(), quat_matrix(quat_load(still))};
    const struct model_body *b = &model_bodies(m)[i];
    return (struct frame){vec_load(pose.x ? pose.x + 3 * i : b->x),
                          quat_matrix(quat_load(pose.q ? pose.q + 4 * i : b->q))};
}

static void add_ring(struct scene *s, vec3 x, vec3 u, vec3 v, double r, uint32_t rgb)
{
    enum { N = 16 };
    for (int k = 0; k < N; k++) {
        double a = 2 * M_PI * k / N, b = 2 * M_PI * (k + 1) / N;
        add_line(s, x + vec_splat(r * cos(a)) * u + vec_splat(r * sin(a)) * v,
                 x + vec_splat(r * cos(b)) * u + vec_splat(r * sin(b)) * v, LAYER_JOINT, rgb, 0);
    }
}

static void add_dot(struct scene *s, vec3 x, double r)
{
    for (int axis = 0; axis < 3; axis++) {
        vec3 d = vec_zero();
        d[axis] = r;
        add_line(s, x - d, x + d, LAYER_JOINT, 0xb03060, 0);
    }
}

/* A symbol from what the joint lets free: rings for angles, arrows for lengths. */
static void add_symbol(struct scene *s, const struct joint_type *t, const struct frame *f, double r)
{
    int angles = 0, lengths = 0, n = joint_coordinate_count(t);
    for (int i = 0; i < n; i++) *(joint_coordinate_is_angle(t, i) ? &angles : &lengths) += 1;
    vec3 x = f->R.c[0], y = f->R.c[1], z = f->R.c[2];
    if (n == 0 && t->n_rows < 6) add_dot(s, f->x, r);
    if (n == 0 && t->n_rows >= 6)
        for (int k = 0; k < 4; k++) {
            double a = M_PI / 4 + M_PI_2 * k, b = a + M_PI_2;
            add_line(s, f->x + vec_splat(r * cos(a)) * x + vec_splat(r * sin(a)) * y,
                     f->x + vec_splat(r * cos(b)) * x + vec_splat(r * sin(b)) * y, LAYER_JOINT,
                     0xb03060, 0);
        }
    if (angles) {
        add_ring(s, f->x, x, y, r, 0xb03060);
        add_line(s, f->x - vec_splat(1.6 * r) * z, f->x + vec_splat(1.6 * r) * z, LAYER_AXIS,
                 0xb03060, 0);
    }
    if (angles > 1) add_ring(s, f->x, y, z, r, 0xb03060);
    if (lengths) {
        vec3 along = angles && lengths > 1 ? x : z;
        add_line(s, f->x, f->x + vec_splat(2.4 * r) * along, LAYER_JOINT, 0x2f6f4f, 1);
        add_line(s, f->x, f->x - vec_splat(2.4 * r) * along, LAYER_JOINT, 0x2f6f4f, 1);
    }
    if (lengths > 1) {
        add_line(s, f->x, f->x + vec_splat(2.4 * r) * y, LAYER_JOINT, 0x2f6f4f, 1);
        add_line(s, f->x, f->x - vec_splat(2.4 * r) * y, LAYER_JOINT, 0x2f6f4f, 1);
    }
}

/* A joint's place on one of its sides, axes as of that side. */
static struct frame side_frame(const struct model *m, struct scene_pose pose,
                               const struct model_joint *j, int side)
{
    struct frame body = body_frame(m, pose, j->body[side]), f;
    const double *p = j->point[side], *c = j->frame[side];
    f.x = at(&body, p[0], p[1], p[2]);
    for (int i = 0; i < 3; i++) f.R.c[i] = mat3_mul(&body.R, vec_make(c[i], c[3 + i], c[6 + i]));
    return f;
}

static void add_ground(struct scene *s, vec3 x, double r, vec3 down)
{
    vec3 u = vec_perp(down), v = vec_cross(down, u), foot = x + vec_splat(1.8 * r) * down;
    vec3 side[2] = {u, v};
    for (int i = 0; i < 2; i++) {
        vec3 a = foot + vec_splat(r) * side[i], b = foot - vec_splat(r) * side[i];
        add_line(s, x, a, LAYER_GROUND, 0x606060, 0);
        add_line(s, x, b, LAYER_GROUND, 0x606060, 0);
        add_line(s, a, b, LAYER_GROUND, 0x606060, 0);
    }
}

static void add_joint(struct scene *s, const struct model *m, struct scene_pose pose,
                      const struct model_joint *j, double r, vec3 down)
{
    const struct joint_type *t = &JOINT_TYPE[j->type];
    if (j->n_terms) return; /* ties other joints: it has no place of its own */
    struct frame f = side_frame(m, pose, j, 0), g = side_frame(m, pose, j, 1);
    add_symbol(s, t, &f, r);
    if (vec_norm(f.x - g.x) > 1e-3 * s->size) add_line(s, f.x, g.x, LAYER_AXIS, 0xb03060, 0);
    for (int side = 0; side < 2; side++) {
        vec3 x = side ? g.x : f.x;
        if (j->body[side] < 0)
            add_ground(s, x, r, down);
        else
            add_line(s, body_frame(m, pose, j->body[side]).x, x, LAYER_SKELETON, 0x303030, 0);
    }
    add_name(s, f.x, model_text(m, j->name), NAME_JOINT);
}

/* ---- the whole ------------------------------------------------------------------ */

static void add_bodies(struct scene *s, const struct model *m, struct scene_pose pose)
{
    const struct model_shape *shape = model_shapes(m);
    for (uint32_t i = 0, k = 0; i < m->bodies.n; i++) {
        struct frame f = body_frame(m, pose, (int32_t)i);
        const struct model_body *b = &model_bodies(m)[i];
        uint32_t rgb = COLOUR[i % N_COLOURS], first = k;
        for (; k < m->shapes.n && shape[k].body == (int32_t)i; k++)
            add_shape(s, m, &shape[k], &f, rgb);
        if (k == first && b->mass > 0) add_inertia(s, b, &f, rgb);
        widen(s, f.x);
        add_name(s, f.x, model_text(m, b->name), NAME_BODY);
    }
}

static void add_joints(struct scene *s, const struct model *m, struct scene_pose pose)
{
    vec3 down = vec_load(m->gravity);
    double g = vec_norm(down), r = s->size * (m->joints.n > FEW ? 0.008 : 0.014);
    down = g > 0 ? down / g : vec_make(0, 0, -1);
    for (uint32_t i = 0; i < m->joints.n; i++) add_joint(s, m, pose, &model_joints(m)[i], r, down);
}

static void add_sensors(struct scene *s, const struct model *m, struct scene_pose pose)
{
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *e = &model_sensors(m)[i];
        int32_t body = e->body[1] >= 0 ? e->body[1] : e->body[0];
        if (e->joint >= 0 && model_joints(m)[e->joint].n_terms == 0)
            add_name(s, side_frame(m, pose, &model_joints(m)[e->joint], 0).x,
                     model_text(m, e->name), NAME_SENSOR);
        else if (e->joint < 0 && body >= 0)
            add_name(s, body_frame(m, pose, body).x, model_text(m, e->name), NAME_SENSOR);
    }
}

static void add_world(struct scene *s)
{
    static const char *const AXIS[] = {"x", "y", "z"};
    static const uint32_t RGB[] = {0xc03030, 0x308030, 0x3030c0};
    double length = 0.12 * s->size;
    for (int i = 0; i < 3; i++) {
        vec3 d = vec_zero();
        d[i] = length;
        add_line(s, vec_zero(), d, LAYER_AXIS, RGB[i], 1);
        add_name(s, d + vec_splat(0.15) * d, AXIS[i], NAME_AXIS);
    }
}

void scene_build(struct scene *s, const struct model *m, struct scene_pose pose)
{
    s->low = vec_make(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    s->high = -s->low;
    add_bodies(s, m, pose);
    for (uint32_t i = 0; i < m->joints.n; i++) {
        const struct model_joint *j = &model_joints(m)[i];
        for (int side = 0; side < 2 && !j->n_terms; side++)
            widen(s, side_frame(m, pose, j, side).x);
    }
    vec3 d = s->high - s->low;
    s->size = fmax(d[0], fmax(d[1], d[2]));
    if (!(s->size > 0) || !isfinite(s->size)) s->size = 1;
    add_joints(s, m, pose);
    add_sensors(s, m, pose);
    add_world(s);
}

void scene_free(struct scene *s)
{
    free(s->face);
    free(s->line);
    free(s->name);
    *s = (struct scene){0};
}
