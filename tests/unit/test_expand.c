/* Parameters, repeats and components: what a file stands for when it is unrolled. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/math/quat.h"
#include "rt/mech/function.h"
#include "services/load/model/placement.h"
#include "tests/unit/loading.h"

#define ARM "tests/data/parts/arm.yaml"
#define B "{mass: 1, inertia: [1, 1, 1]}"

/* A text loaded as if it stood in the repository's folder. */
static struct loading load_here(const char *text)
{
    struct loading l = {0};
    l.status = load_text("here.yaml", text, strlen(text), NULL, &l.model, &l.diags);
    if (l.status != STATUS_OK) diag_print(&l.diags, stderr);
    return l;
}

/* ---- parameters ---------------------------------------------------------------- */

static void parameters_may_stand_in_any_order(void **state)
{
    struct loading l = loading_good(
        "parameters: {a: 2*b, b: c + 1, c: 3}\nbodies:\n  x: {mass: a, inertia: [1, 1, 1]}\n");
    (void)state;
    assert_true(loading_body(&l, "x")->mass == 8);
    loading_done(&l);
}

static void set_overrides_a_parameter_and_what_follows_from_it(void **state)
{
    struct loading l = loading_file("config/models/pendulum.yaml", "l=2 m");
    (void)state;
    assert_int_equal(l.status, STATUS_OK);
    assert_true(loading_body(&l, "rod")->x[0] == 1);
    assert_true(fabs(loading_body(&l, "rod")->inertia[4] - 2 * 4 / 12.) < 1e-15);
    loading_done(&l);
}

static void a_given_value_has_the_dimension_of_the_one_it_replaces(void **state)
{
    struct loading l = load_here("parameters: {l: 2 m}\nuse:\n  arm: {file: " ARM
                                 ", parameters: {reach: 1/2*l}}\n");
    (void)state;
    assert_true(loading_body(&l, "arm/upper")->x[0] == 1);
    loading_done(&l);
    l = load_here("parameters: {l: 2 kg}\nuse:\n  arm: {file: " ARM
                  ", parameters: {reach: 0.5*l}}\n");
    assert_true(loading_says(&l, "parameter arm/reach must be given in m, not in kg"));
    loading_done(&l);
    l = loading_file("config/models/pendulum.yaml", "l=2");
    assert_true(loading_body(&l, "rod")->x[0] == 1);
    loading_done(&l);
    l = loading_file("config/models/pendulum.yaml", "l=2 s");
    assert_true(loading_says(&l, "parameter l must be given in m, not in s"));
    loading_done(&l);
}

static void set_reaches_into_components_by_path(void **state)
{
    struct loading l = loading_file("config/models/cart.yaml", "front-left/strut/damping=1 N.s/m");
    (void)state;
    assert_int_equal(l.status, STATUS_OK);
    assert_true(model_pool(l.model)[loading_force(&l, "front-left/strut/spring")->pool_at + 7] ==
                1);
    assert_true(model_pool(l.model)[loading_force(&l, "front-right/strut/spring")->pool_at + 7] ==
                2800);
    loading_done(&l);
}

static void a_live_parameter_reaches_every_component_it_is_given_to(void **state)
{
    struct loading l = loading_file("config/models/cart.yaml", NULL);
    double *param = calloc(l.model->parameters.n, sizeof *param);
    (void)state;
    assert_int_equal(l.model->derives.n, 2);
    param[0] = 12345; /* front */
    for (int i = 0; i < 2; i++) {
        const struct model_derive *d = &model_derives(l.model)[i];
        assert_true(function_run(model_code(l.model) + d->code_at, (int)d->n_code, 0, param).f ==
                    12345);
    }
    free(param);
    loading_done(&l);
}

/* ---- repeats ------------------------------------------------------------------- */

static void one_file_of_thirty_lines_is_the_chain_of_1024_bodies(void **state)
{
    FILE *f = fopen("config/models/chain.yaml", "r");
    int lines = 0;
    (void)state;
    assert_non_null(f);
    for (int c = fgetc(f); c != EOF; c = fgetc(f)) lines += c == '\n';
    fclose(f);
    assert_true(lines <= 30);
    struct loading l = loading_file("config/models/chain.yaml", "n=1024");
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.model->bodies.n, 1024);
    assert_int_equal(l.model->joints.n, 1024);
    const struct model_joint *j = loading_joint(&l, "joint-1024");
    assert_string_equal(model_text(l.model, model_bodies(l.model)[j->body[0]].name), "link-1023");
    assert_string_equal(model_text(l.model, model_bodies(l.model)[j->body[1]].name), "link-1024");
    loading_done(&l);
}

static void a_chain_of_one_link_has_no_further_joints(void **state)
{
    struct loading l = loading_file("config/models/chain.yaml", "n=1");
    (void)state;
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.model->bodies.n, 1);
    assert_int_equal(l.model->joints.n, 1);
    loading_done(&l);
}

static void repeats_nest_and_may_name_their_index(void **state)
{
    struct loading l = loading_good(
        "repeat:\n"
        "  - index: row\n    count: 2\n    repeat:\n"
        "      - index: col\n        from: 0\n        to: row\n        bodies:\n"
        "          b-{row}-{2*col}: {mass: row, inertia: [1, 1, 1], position: [col, row, 0]}\n");
    (void)state;
    assert_int_equal(l.model->bodies.n, 5);
    assert_true(loading_body(&l, "b-2-4")->mass == 2);
    assert_true(loading_body(&l, "b-2-4")->x[0] == 2);
    loading_done(&l);
}

static void a_repeat_may_use_components(void **state)
{
    struct loading l = load_here("repeat:\n  - count: 3\n    use:\n      arm-{i}: {file: " ARM
                                 ", position: [0, i, 0], parameters: {m: i}}\n");
    (void)state;
    assert_int_equal(l.status, STATUS_OK);
    assert_true(loading_body(&l, "arm-3/upper")->mass == 3);
    assert_true(loading_body(&l, "arm-3/upper")->x[1] == 5);
    assert_int_equal(l.model->components.n, 7);
    loading_done(&l);
}

/* ---- components ---------------------------------------------------------------- */

static void three_levels_keep_their_tree(void **state)
{
    struct loading l = loading_file("config/models/cart.yaml", NULL);
    const struct model_component *c = model_components(l.model);
    (void)state;
    assert_int_equal(l.model->components.n, 9);
    assert_int_equal(l.model->bodies.n, 17);
    assert_int_equal(l.model->joints.n, 20);
    for (uint32_t i = 0; i < 9; i++) assert_true(c[i].parent < (int32_t)i);
    const struct model_body *rod = loading_body(&l, "rear-right/strut/upper");
    assert_string_equal(model_text(l.model, c[rod->component].name), "rear-right/strut");
    assert_string_equal(model_text(l.model, c[c[rod->component].parent].name), "rear-right");
    assert_true(rod->flags & BODY_SHOWN);
    assert_false(loading_body(&l, "rear-right/wheel")->flags & BODY_SHOWN);
    loading_done(&l);
}

static void a_body_shown_by_an_inner_component_only_stays_hidden(void **state)
{
    struct loading l = loading_text(
        "use:\n  arm: {file: " ARM "}\njoints:\n"
        "  a: {type: spherical, between: [ground, arm/hand/palm], at: [0, 0, 0]}\n"
        "  b: {type: spherical, between: [ground, arm/hand/thumb], at: [0, 0, 0]}\n");
    (void)state;
    assert_int_equal(l.diags.n_errors, 1);
    assert_true(loading_says(&l, "component arm/hand does not show 'thumb'; it shows palm"));
    loading_done(&l);
}

static void sensors_may_look_anywhere(void **state)
{
    struct loading l = load_here("use:\n  arm: {file: " ARM
                                 "}\nsensors:\n  s: {type: position, body: arm/hand/thumb}\n"
                                 "  t: {type: joint-angle, joint: arm/hand/knuckle}\n");
    (void)state;
    assert_int_equal(l.status, STATUS_OK);
    loading_done(&l);
}

static void files_that_use_each_other_are_found_whatever_their_paths(void **state)
{
    struct loading l = loading_file("tests/data/parts/loop/a.yaml", NULL);
    (void)state;
    assert_int_equal(l.diags.n_errors, 1);
    assert_true(loading_says(&l, "tests/data/parts/loop/a.yaml uses itself, by way of "
                                 "tests/data/parts/loop/b.yaml"));
    loading_done(&l);
}

static void unknown_parameters_of_a_component_are_named(void **state)
{
    struct loading l = loading_text("use:\n  arm: {file: " ARM ", parameters: {reech: 1}}\n");
    (void)state;
    assert_true(loading_says(&l, "did you mean 'reach'?"));
    loading_done(&l);
}

static void a_component_that_needs_a_parameter_says_so(void **state)
{
    struct loading l = loading_text("use:\n  hand: {file: tests/data/parts/hand.yaml}\n");
    (void)state;
    assert_int_equal(l.diags.n_errors, 1);
    assert_true(loading_says(&l, "hand/size has no value"));
    loading_done(&l);
}

/* ---- placing ------------------------------------------------------------------- */

/* World place of a point given in a body's axes. */
static vec3 world(const struct model *m, int32_t body, const double local[3])
{
    if (body < 0) return vec_load(local);
    const struct model_body *b = &model_bodies(m)[body];
    struct mat3 R = quat_matrix(quat_load(b->q));
    return vec_load(b->x) + mat3_mul(&R, vec_load(local));
}

static vec3 turned(const struct model *m, int32_t body, vec3 local)
{
    if (body < 0) return local;
    struct mat3 R = quat_matrix(quat_load(model_bodies(m)[body].q));
    return mat3_mul(&R, local);
}

static void assert_vec(vec3 a, vec3 b)
{
    if (!(vec_norm(a - b) < 1e-13))
        fail_msg("(%g %g %g) is not (%g %g %g)", a[0], a[1], a[2], b[0], b[1], b[2]);
}

static vec3 moved(const struct placement *p, vec3 v,
                  void (*map)(const struct placement *, const double *, double *))
{
    double a[3], b[3];
    vec_store(a, v);
    map(p, a, b);
    return vec_load(b);
}

/* The inertia of a body in the world, applied to a vector. */
static vec3 inertia_times(const struct model_body *b, vec3 v)
{
    struct mat3 R = quat_matrix(quat_load(b->q)), J = mat3_load(b->inertia);
    return mat3_mul(&R, mat3_mul(&J, mat3_tmul(&R, v)));
}

static void assert_joint_moved(const struct loading *plain, const struct loading *placed,
                               const char *name, const struct placement *p, int axial)
{
    char path[64];
    snprintf(path, sizeof path, "arm/%s", name);
    const struct model_joint *a = loading_joint(plain, name), *b = loading_joint(placed, path);
    for (int side = 0; side < 2; side++) {
        vec3 za = vec_make(a->frame[side][2], a->frame[side][5], a->frame[side][8]);
        vec3 zb = vec_make(b->frame[side][2], b->frame[side][5], b->frame[side][8]);
        assert_vec(world(placed->model, b->body[side], b->point[side]),
                   moved(p, world(plain->model, a->body[side], a->point[side]), placement_point));
        assert_vec(turned(placed->model, b->body[side], zb),
                   moved(p, turned(plain->model, a->body[side], za),
                         axial ? placement_axial : placement_polar));
    }
}

static void assert_force_moved(const struct loading *plain, const struct loading *placed,
                               const char *name, const struct placement *p, int axial)
{
    char path[64];
    snprintf(path, sizeof path, "arm/%s", name);
    const int32_t *a = loading_force(plain, name)->function,
                  *b = loading_force(placed, path)->function;
    double va[3], vb[3];
    for (int i = 0; i < 3; i++) {
        va[i] = function_eval(plain->model, a[i], 0.7, model_pool(plain->model), NULL).f;
        vb[i] = function_eval(placed->model, b[i], 0.7, model_pool(placed->model), NULL).f;
    }
    assert_vec(vec_load(vb), moved(p, vec_load(va), axial ? placement_axial : placement_polar));
}

/* Energy-like invariant of the bushing: v' K v is the same for a motion and its image. */
static double pad_energy(const struct loading *l, const char *name, vec3 d, vec3 phi)
{
    const double *p = model_pool(l->model) + loading_force(l, name)->pool_at;
    const struct model_force *f = loading_force(l, name);
    struct mat3 F = mat3_load(p + 6);
    double u[6], e = 0;
    for (int i = 0; i < 3; i++) {
        vec3 axis = turned(l->model, f->body[0], F.c[i]);
        u[i] = vec_dot(axis, d);
        u[3 + i] = vec_dot(axis, phi);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) e += u[i] * p[24 + 6 * i + j] * u[j];
    return e;
}

/* Everything of a placed component is the image of the plain one. */
static void assert_image(const char *how, struct placement p)
{
    char text[400];
    snprintf(text, sizeof text, "use:\n  arm: {file: " ARM ", %s}\n", how);
    struct loading plain = loading_file(ARM, NULL), placed = load_here(text);
    assert_int_equal(plain.status, STATUS_OK);
    assert_int_equal(placed.status, STATUS_OK);
    const struct model_body *a = loading_body(&plain, "upper"),
                            *b = loading_body(&placed, "arm/upper");
    assert_vec(vec_load(b->x), moved(&p, vec_load(a->x), placement_point));
    assert_vec(vec_load(b->v), moved(&p, vec_load(a->v), placement_polar));
    assert_vec(vec_load(b->w), moved(&p, vec_load(a->w), placement_axial));
    vec3 v = vec_make(0.3, -0.7, 1.1), d = vec_make(0.1, 0.2, -0.3), phi = vec_make(-0.2, 0.3, 0.1);
    assert_vec(inertia_times(b, moved(&p, v, placement_polar)),
               moved(&p, inertia_times(a, v), placement_polar));
    assert_joint_moved(&plain, &placed, "turn", &p, 1);
    assert_joint_moved(&plain, &placed, "slide", &p, 0);
    assert_force_moved(&plain, &placed, "push", &p, 0);
    assert_force_moved(&plain, &placed, "twist", &p, 1);
    double pitch = model_pool(placed.model)[loading_joint(&placed, "arm/screw")->pool_at];
    assert_true(pitch == (p.mirror >= 0 ? -0.005 : 0.005));
    double e = pad_energy(&plain, "pad", d, phi);
    double f = pad_energy(&placed, "arm/pad", moved(&p, d, placement_polar),
                          moved(&p, phi, placement_axial));
    assert_true(fabs(e - f) < 1e-13 * fabs(e));
    loading_done(&plain);
    loading_done(&placed);
}

static void a_placed_component_is_the_image_of_its_file(void **state)
{
    const double s = sqrt(0.5);
    (void)state;
    assert_image("position: [1, 2, 3]", (struct placement){{1, 2, 3}, {1, 0, 0, 0}, -1});
    assert_image("rotation: {axis: [0, 0, 1], angle: 90 deg}",
                 (struct placement){{0, 0, 0}, {s, 0, 0, s}, -1});
    assert_image(
        "rotation: {axis: [1, 0, 0], angle: 30 deg}, position: [0, 0, 1]",
        (struct placement){
            {0, 0, 1}, {cos(0.26179938779914943654), sin(0.26179938779914943654), 0, 0}, -1});
    for (int k = 0; k < 3; k++) {
        char how[100];
        snprintf(how, sizeof how,
                 "mirror: %c, rotation: {axis: [0, 1, 0], angle: 90 deg}, position: [1, 0, 0]",
                 'x' + k);
        assert_image(how, (struct placement){{1, 0, 0}, {s, 0, s, 0}, k});
    }
}

static void mirrors_in_mirrors_compose(void **state)
{
    const double v[3] = {1, 2, 3};
    (void)state;
    for (int i = -1; i < 3; i++)
        for (int j = -1; j < 3; j++) {
            struct placement outer = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}, i};
            struct placement inner = {{-1, 0, 2}, {0.8, 0.6, 0, 0}, j};
            struct placement both = placement_compose(&outer, &inner);
            double a[3], b[3], q[4] = {0.6, 0, 0.8, 0}, qa[4], qb[4];
            placement_point(&inner, v, a), placement_point(&outer, a, a),
                placement_point(&both, v, b);
            loading_assert_near(b, a, 3);
            placement_axial(&inner, v, a), placement_axial(&outer, a, a),
                placement_axial(&both, v, b);
            loading_assert_near(b, a, 3);
            placement_attitude(&inner, q, qa), placement_attitude(&outer, qa, qa),
                placement_attitude(&both, q, qb);
            /* body axes may differ by half a turn where two mirrors make a rotation */
            if (i < 0 || j < 0 || i == j)
                assert_true(
                    fabs(fabs(qa[0] * qb[0] + qa[1] * qb[1] + qa[2] * qb[2] + qa[3] * qb[3]) - 1) <
                    1e-14);
        }
}

/* ---- independence -------------------------------------------------------------- */

static void two_models_share_nothing(void **state)
{
    struct loading a = loading_file("config/models/cart.yaml", NULL),
                   b = loading_file("config/models/cart.yaml", NULL);
    (void)state;
    assert_int_equal(a.model->size, b.model->size);
    assert_memory_equal(a.model, b.model, a.model->size);
    memset(a.model, 0xff, a.model->size);
    struct loading c = loading_file("config/models/cart.yaml", NULL);
    assert_memory_equal(c.model, b.model, b.model->size);
    loading_done(&a);
    loading_done(&b);
    loading_done(&c);
}

static void a_model_is_the_same_wherever_it_lies(void **state)
{
    struct loading l = loading_file("config/models/pendulum.yaml", NULL);
    (void)state;
    struct model *copy = aligned_alloc(64, l.model->size);
    memcpy(copy, l.model, l.model->size);
    memset(l.model, 0xff, copy->size);
    assert_string_equal(model_text(copy, model_bodies(copy)[0].name), "rod");
    assert_true(copy->magic == MODEL_MAGIC);
    free(copy);
    loading_done(&l);
}

/* What names a component that cannot be read is silent about it: one mistake, one message. */
static void a_broken_component_is_reported_once(void **state)
{
    struct loading l = loading_text(
        "use:\n  a: {file: nothing.yaml}\n  b: {fil: x.yaml}\nshows: [a/c]\n"
        "bodies:\n  d: {fixed: true}\njoints:\n"
        "  j: {type: fixed, between: [d, a/c], at: [0, 0, 0]}\n"
        "  k: {type: fixed, between: [b/x/y, e], at: [0, 0, 0]}\n"
        "sensors:\n  s: {type: joint-angle, joint: a/j}\n");
    (void)state;
    assert_int_equal(l.status, STATUS_REFUSED);
    assert_true(loading_says(&l, "nothing.yaml cannot be used"));
    assert_true(loading_says(&l, "'fil' is no key"));
    assert_true(loading_says(&l, "there is no body 'e'"));
    assert_int_equal(l.diags.n_errors, 5); /* of a: file, use; of b: unknown, missing; e */
    loading_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_may_stand_in_any_order),
        cmocka_unit_test(set_overrides_a_parameter_and_what_follows_from_it),
        cmocka_unit_test(a_given_value_has_the_dimension_of_the_one_it_replaces),
        cmocka_unit_test(set_reaches_into_components_by_path),
        cmocka_unit_test(a_live_parameter_reaches_every_component_it_is_given_to),
        cmocka_unit_test(one_file_of_thirty_lines_is_the_chain_of_1024_bodies),
        cmocka_unit_test(a_chain_of_one_link_has_no_further_joints),
        cmocka_unit_test(repeats_nest_and_may_name_their_index),
        cmocka_unit_test(a_repeat_may_use_components),
        cmocka_unit_test(three_levels_keep_their_tree),
        cmocka_unit_test(a_body_shown_by_an_inner_component_only_stays_hidden),
        cmocka_unit_test(sensors_may_look_anywhere),
        cmocka_unit_test(files_that_use_each_other_are_found_whatever_their_paths),
        cmocka_unit_test(unknown_parameters_of_a_component_are_named),
        cmocka_unit_test(a_component_that_needs_a_parameter_says_so),
        cmocka_unit_test(a_placed_component_is_the_image_of_its_file),
        cmocka_unit_test(mirrors_in_mirrors_compose),
        cmocka_unit_test(a_broken_component_is_reported_once),
        cmocka_unit_test(two_models_share_nothing),
        cmocka_unit_test(a_model_is_the_same_wherever_it_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
