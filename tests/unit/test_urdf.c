/* URDF to model text: messages, names, inertias, start poses, interfaces. What the models then
 * do is tested in tests/physics/test_imported.c. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "rt/mech/force.h"
#include "rt/mech/joint.h"
#include "services/load/model/inertia.h"
#include "services/load/text/reader.h"
#include "services/load/urdf/urdf.h"
#include "tests/physics/imported.h"
#include "tests/unit/loading.h"

/* ---- messages ------------------------------------------------------------------- */

static char *whole(const char *path)
{
    struct memory memory = {0};
    struct diag_list diags = {0};
    size_t n = 0;
    const char *text = reader_file_text(path, &memory, &diags, &n);
    if (!text) fail_msg("%s cannot be read", path);
    char *copy = strndup(text, n);
    memory_release(&memory);
    return copy;
}

/* Import, and compare what is printed with the text beside the file. */
static enum status told_as_expected(const char *path, int strict)
{
    char beside[256], *said = NULL, *model = NULL, *text = whole(path);
    size_t n = 0;
    struct diag_list diags = {0};
    const struct urdf_options o = {.strict = strict};
    enum status s = urdf_import(path, text, strlen(text), &o, &model, &diags);
    FILE *to = open_memstream(&said, &n);
    diag_print(&diags, to);
    fclose(to);
    snprintf(beside, sizeof beside, "%.*s.txt", (int)(strlen(path) - 5), path);
    char *expected = whole(beside);
    if (!strict) assert_string_equal(said, expected);
    if (s == STATUS_OK) assert_int_equal(diags.n_errors, 0);
    free(said), free(model), free(text), free(expected);
    diag_clear(&diags);
    return s;
}

static void bad_files_are_answered_with_all_mistakes_at_once(void **state)
{
    (void)state;
    glob_t g;
    assert_int_equal(glob("tests/data/urdf/bad/*.urdf", 0, NULL, &g), 0);
    assert_true(g.gl_pathc >= 12);
    for (size_t i = 0; i < g.gl_pathc; i++)
        assert_int_equal(told_as_expected(g.gl_pathv[i], 0), STATUS_REFUSED);
    globfree(&g);
}

static void defects_are_mended_with_warnings_and_refused_where_strict(void **state)
{
    (void)state;
    assert_int_equal(told_as_expected("tests/data/urdf/defects.urdf", 0), STATUS_OK);
    assert_int_equal(told_as_expected("tests/data/urdf/defects.urdf", 1), STATUS_REFUSED);
}

/* ---- from text ------------------------------------------------------------------- */

/* Import a text that must be right, and load the model. */
static struct loading import(const char *text, const struct urdf_options *o)
{
    char *model = NULL;
    struct diag_list diags = {0};
    enum status s = urdf_import("test.urdf", text, strlen(text), o, &model, &diags);
    if (s != STATUS_OK) diag_print(&diags, stderr);
    assert_int_equal(s, STATUS_OK);
    struct loading l = loading_good(model);
    free(model);
    diag_clear(&diags);
    return l;
}

static struct loading import_file(const char *file, const struct urdf_options *o)
{
    char *text = imported_text(file, o);
    struct loading l = loading_good(text);
    free(text);
    return l;
}

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"

static void names_are_mapped_to_those_of_models(void **state)
{
    (void)state;
    struct loading l = import(
        "<robot name='\"it&apos;s\\'><link name='base'>" INERTIAL "</link>"
        "<link name='Arm_1'>" INERTIAL "</link><link name='arm.1'>" INERTIAL "</link>"
        "<link name='/ns/arm-1/'>" INERTIAL "</link><link name='2nd'>" INERTIAL "</link>"
        "<link name='ground'>" INERTIAL "</link><link name='\xc3\xa4'>" INERTIAL "</link>"
        "<joint name='J' type='fixed'><parent link='base'/><child link='Arm_1'/></joint>"
        "<joint name='j' type='fixed'><parent link='base'/><child link='arm.1'/></joint>"
        "<joint name='null' type='fixed'><parent link='base'/><child link='/ns/arm-1/'/></joint>"
        "<joint name='k_mimic' type='fixed'><parent link='base'/><child link='2nd'/></joint>"
        "<joint name='k' type='continuous'><parent link='base'/><child link='ground'/><mimic joint='m'/></joint>"
        "<joint name='m' type='continuous'><parent link='base'/><child link='\xc3\xa4'/></joint></robot>",
        NULL);
    static const char *const BODY[] = {"base",     "arm-1",    "arm-1-2", "ns-arm-1",
                                       "link-2nd", "ground-2", "link"};
    for (int i = 0; i < 7; i++) (void)loading_body(&l, BODY[i]);
    static const char *const JOINT[] = {"j", "j-2", "null-2", "k-mimic", "k", "m", "k-mimic-2"};
    for (int i = 0; i < 7; i++) (void)loading_joint(&l, JOINT[i]);
    assert_string_equal(model_text(l.model, l.model->name), "\"it's\\");
    loading_done(&l);
}

/* J in link axes = R J R', R = Rz Ry Rx, here with plain matrices. */
static void inertias_turn_with_their_frames(void **state)
{
    (void)state;
    struct loading l = import_file("six-axis.urdf", NULL);
    double r = 0.1, p = 0.2, y = -0.3, out[9] = {0};
    double R[3][3] = {{cos(y) * cos(p), cos(y) * sin(p) * sin(r) - sin(y) * cos(r),
                       cos(y) * sin(p) * cos(r) + sin(y) * sin(r)},
                      {sin(y) * cos(p), sin(y) * sin(p) * sin(r) + cos(y) * cos(r),
                       sin(y) * sin(p) * cos(r) - cos(y) * sin(r)},
                      {-sin(p), cos(p) * sin(r), cos(p) * cos(r)}};
    double J[3][3] = {{0.12, 0.003, -0.005}, {0.003, 0.11, 0.007}, {-0.005, 0.007, 0.07}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) out[3 * i + j] += R[i][a] * J[a][b] * R[j][b];
    loading_assert_near(loading_body(&l, "link-1")->inertia, out, 9);
    loading_done(&l);
}

static void tensor_robot(char text[1024], const double J[6])
{
    snprintf(text, 1024,
             "<robot name='t'><link name='w'/><link name='b'><inertial><mass value='1'/>"
             "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' ixz='%.17g' iyz='%.17g'/>"
             "</inertial></link><joint name='j' type='floating'><parent link='w'/>"
             "<child link='b'/></joint></robot>",
             J[0], J[1], J[2], J[3], J[4], J[5]);
}

/* Random tensors, most of which no body has: all are taken after mending, none is changed that
 * a body can have, and no other tensor of a body is nearer (tried around it). */
static void impossible_inertias_are_mended_by_the_least(void **state)
{
    (void)state;
    srand48(3);
    int kept = 0;
    for (int trial = 0; trial < 300; trial++) {
        char text[1024];
        double J[6], moment[3];
        for (int i = 0; i < 6; i++) J[i] = i < 3 ? drand48() : 0.3 * (drand48() - 0.5);
        double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
        tensor_robot(text, J);
        struct loading l = import(text, NULL);
        const double *got = loading_body(&l, "b")->inertia;
        inertia_principal(full, moment);
        double missing = moment[2] - moment[1] - moment[0], distance = 0;
        for (int i = 0; i < 9; i++) distance += (got[i] - full[i]) * (got[i] - full[i]);
        if (missing <= 0) {
            loading_assert_near(got, full, 9);
            kept++;
        } else if (moment[0] >
                   0) { /* the distance to the plane moment[2] = moment[0] + moment[1] */
            assert_true(fabs(sqrt(distance) - missing / sqrt(3)) < 1e-9);
        }
        inertia_principal(got, moment);
        assert_true(moment[0] > -1e-12 && moment[2] <= moment[0] + moment[1] + 1e-9);
        loading_done(&l);
    }
    assert_true(kept > 50 && kept < 250);
}

/* ---- poses and limits -------------------------------------------------------------- */

static double start_of(const struct loading *l, const char *joint)
{
    return model_coordinates(l->model)[loading_joint(l, joint)->coordinate_at].start;
}

static enum status set_is(const char *set)
{
    const char *sets[] = {set};
    const struct urdf_options o = {.starts = sets, .n_starts = 1};
    char *text = whole("tests/data/urdf/six-axis.urdf"), *model = NULL;
    struct diag_list diags = {0};
    enum status s = urdf_import("six-axis.urdf", text, strlen(text), &o, &model, &diags);
    assert_int_equal(diags.n_errors, s == STATUS_REFUSED);
    free(text), free(model);
    diag_clear(&diags);
    return s;
}

static void start_poses_come_from_user_file_and_limits(void **state)
{
    (void)state;
    const char *sets[] = {"joint_A2=-30 deg", "joint-a6=7"};
    const struct urdf_options o = {.starts = sets, .n_starts = 2};
    struct loading l = import_file("six-axis.urdf", &o);
    assert_true(fabs(start_of(&l, "joint-a1") - 0.3) < 1e-15); /* initial_value */
    assert_true(fabs(start_of(&l, "joint-a2") + M_PI / 6) < 1e-15);
    assert_true(fabs(start_of(&l, "joint-a3")) < 1e-15);
    assert_true(fabs(start_of(&l, "joint-a6") - 7) < 1e-14);
    loading_done(&l);
    l = import_file("gripper.urdf", NULL);
    assert_true(fabs(start_of(&l, "left") - 0.025) < 1e-15); /* middle, 0 is outside */
    assert_true(fabs(start_of(&l, "right") - 0.02) < 1e-15);
    assert_true(fabs(start_of(&l, "knuckle") - (0.1 - 20 * 0.02)) < 1e-15);
    assert_string_equal(JOINT_TYPE[loading_joint(&l, "pad")->type].name, "fixed");
    loading_done(&l);
    assert_int_equal(set_is("joint_A2=0.7"), STATUS_OK);
    assert_int_equal(set_is("joint_A2=0.9"), STATUS_REFUSED); /* beyond its limit */
    assert_int_equal(set_is("joint_A2=1 m"), STATUS_REFUSED);
    assert_int_equal(set_is("joint_A2"), STATUS_REFUSED);
    assert_int_equal(set_is("joint_A7=0"), STATUS_REFUSED);
    assert_int_equal(set_is("flange=0"), STATUS_REFUSED);
}

/* ---- interfaces -------------------------------------------------------------------- */

static const char *drive_type(const struct loading *l, const struct model_actuator *a)
{
    return FORCE_TYPE[model_forces(l->model)[a->force].type]->name;
}

static void interfaces_become_actuators_and_sensors(void **state)
{
    (void)state;
    struct loading l = import_file("six-axis.urdf", NULL);
    assert_int_equal(l.model->actuators.n, 3);
    const struct model_actuator *a = loading_actuator(&l, "joint-a1-target");
    assert_string_equal(drive_type(&l, a), "position");
    assert_true(a->lower == -2.5 && a->upper == 2.5 && a->start == 0.3 && a->safe == 0.3);
    assert_true(model_pool(l.model)[model_forces(l.model)[a->force].pool_at + 2] == 180);
    a = loading_actuator(&l, "joint-a2-torque");
    assert_true(a->lower == -180 && a->upper == 180 && a->start == 0);
    a = loading_actuator(&l, "joint-a3-target-speed");
    assert_string_equal(drive_type(&l, a), "speed");
    assert_true(a->lower == -3.1 && a->upper == 3.1);
    static const char *const SENSOR[] = {"joint-a1-angle", "joint-a1-speed", "joint-a1-effort",
                                         "joint-a2-angle", "joint-a3-angle", "joint-a3-speed",
                                         "wrist-attitude", "wrist-gyro",     "wrist-accelerometer",
                                         "load-force",     "load-moment"};
    assert_int_equal(l.model->sensors.n, 11);
    for (int i = 0; i < 11; i++) (void)loading_sensor(&l, SENSOR[i]);
    loading_done(&l);
    l = import_file("rover.urdf", NULL);
    assert_int_equal(l.model->actuators.n, 2);
    (void)loading_actuator(&l, "left-wheel-joint-target-speed");
    (void)loading_actuator(&l, "right-wheel-joint-torque");
    loading_done(&l);
}

static void options_choose_the_interfaces(void **state)
{
    (void)state;
    const struct urdf_options position = {.command = "position"}, none = {.no_io = 1};
    struct loading l = import_file("rover.urdf", &position);
    (void)loading_actuator(&l, "right-wheel-joint-target");
    loading_done(&l);
    l = import_file("rover.urdf", &none);
    assert_int_equal(l.model->actuators.n + l.model->sensors.n, 0);
    loading_done(&l);
    l = import_file("slider.urdf", NULL); /* silent: torque or force, place and speed for all */
    (void)loading_actuator(&l, "rail-force");
    (void)loading_actuator(&l, "axle-torque");
    (void)loading_sensor(&l, "axle-angle");
    (void)loading_sensor(&l, "rail-position");
    (void)loading_sensor(&l, "plane-angle");
    loading_done(&l);
}

/* ---- bodies ------------------------------------------------------------------------ */

static double mass_of(const struct loading *l)
{
    double m = 0;
    for (uint32_t i = 0; i < l->model->bodies.n; i++) m += model_bodies(l->model)[i].mass;
    return m;
}

static void links_without_mass_belong_to_what_carries_them(void **state)
{
    (void)state;
    const struct urdf_options floating = {.floating = 1}, merge = {.merge = 1};
    struct loading l = import_file("rover.urdf", &floating);
    assert_int_equal(l.model->bodies.n, 5); /* the footprint is part of base-link */
    assert_false(loading_body(&l, "base-link")->flags & BODY_FIXED);
    assert_true(loading_body(&l, "base-link")->x[2] == 0.08 + 0.02);
    assert_true(fabs(mass_of(&l) - 9.3 * (1 + 1e-6)) < 1e-12);
    loading_done(&l);
    l = import_file("six-axis.urdf", NULL);
    assert_true(loading_body(&l, "base-link")->flags & BODY_FIXED);
    assert_int_equal(l.model->bodies.n, 8);
    assert_true(fabs(mass_of(&l) - 51.8) < 1e-12);
    loading_done(&l);
    l = import_file("six-axis.urdf", &merge);
    assert_int_equal(l.model->bodies.n, 7);
    assert_true(fabs(mass_of(&l) - 51.8) < 1e-12);
    loading_done(&l);
}

/* The footprint is the root, without mass: with --merge the chassis on it is ground. */
static void merging_keeps_what_is_fixed_in_space(void **state)
{
    (void)state;
    const struct urdf_options merge = {.merge = 1}, both = {.merge = 1, .floating = 1};
    struct loading l = import_file("rover.urdf", &merge);
    assert_int_equal(l.model->bodies.n, 4);
    assert_int_equal(l.model->joints.n, 4);
    assert_int_equal(loading_joint(&l, "left-wheel-joint")->body[0], MODEL_GROUND);
    loading_done(&l);
    l = import_file("rover.urdf", &both);
    assert_int_equal(l.model->bodies.n, 5);
    loading_done(&l);
}

/* A box of 0.2 x 0.3 x 0.4 m, 0.1 m off, at 500 kg/m3; its sphere is only drawn. */
static void drawn_robots_are_weighed_by_their_shapes(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<robot name='t'><link name='w'/><link name='b'>"
        "<visual><geometry><sphere radius='1'/></geometry></visual>"
        "<collision><origin xyz='0 0 0.1' rpy='0 0 1.5707963267948966'/>"
        "<geometry><box size='0.2 0.3 0.4'/></geometry></collision></link>"
        "<joint name='j' type='continuous'><parent link='w'/><child link='b'/></joint></robot>";
    const struct urdf_options o = {.density = 500};
    struct loading l = import(TEXT, &o);
    const struct model_body *b = loading_body(&l, "b");
    const double m = 12, J[9] = {m / 12 * (0.04 + 0.16), 0, 0, 0, m / 12 * (0.09 + 0.16), 0, 0, 0,
                                 m / 12 * (0.04 + 0.09)};
    assert_true(fabs(b->mass - m) < 1e-12 && fabs(b->x[2] - 0.1) < 1e-15);
    loading_assert_near(b->inertia, J, 9);
    loading_done(&l);
    l = import(TEXT, NULL); /* as dense as water where nothing has a mass */
    assert_true(fabs(loading_body(&l, "b")->mass - 24) < 1e-12);
    loading_done(&l);
}

/* ---- bounds ------------------------------------------------------------------------ */

/* A chain of n links; within 60 s of processor time (2 s here, more with a sanitizer). */
static enum status import_chain(int n)
{
    char *text = NULL, *model = NULL;
    size_t size = 0;
    struct diag_list diags = {0};
    FILE *to = open_memstream(&text, &size);
    fprintf(to, "<robot name='chain'><link name='l0'/>");
    for (int i = 1; i < n; i++)
        fprintf(to,
                "<link name='l%d'>" INERTIAL "</link><joint name='j%d' type='revolute'>"
                "<origin xyz='0.1 0 0'/><parent link='l%d'/><child link='l%d'/><axis xyz='0 1 0'/>"
                "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>",
                i, i, i - 1, i);
    fprintf(to, "</robot>");
    fclose(to);
    clock_t begin = clock();
    enum status s = urdf_import("chain.urdf", text, size, NULL, &model, &diags);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60);
    free(text), free(model);
    diag_clear(&diags);
    return s;
}

/* Every joint names links that are not there: the search for near names is bounded. */
static void wrong_names_are_answered_in_bounded_time(void **state)
{
    (void)state;
    char *text = NULL, *model = NULL, name[64];
    size_t size = 0;
    struct diag_list diags = {0};
    FILE *to = open_memstream(&text, &size);
    fprintf(to, "<robot name='chain'>");
    for (int i = 0; i < 1999; i++) {
        snprintf(name, sizeof name, "a_link_with_a_name_as_long_as_they_are_searched_for_%d", i);
        fprintf(to, "<link name='%s'/><joint name='j%d' type='fixed'><parent link='%sx'/>", name, i,
                name);
        fprintf(to, "<child link='%sy'/></joint>", name);
    }
    for (int i = 0; i < 40000; i++)
        fprintf(to, "<transmission><joint name='%s'/></transmission>", name);
    fprintf(to, "</robot>");
    fclose(to);
    clock_t begin = clock();
    assert_int_equal(urdf_import("wrong.urdf", text, size, NULL, &model, &diags), STATUS_REFUSED);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 60); /* 2 s here */
    assert_int_equal(diags.n_errors, 2 * 1999);
    free(text);
    diag_clear(&diags);
}

static void long_chains_are_imported_and_longer_ones_refused(void **state)
{
    (void)state;
    assert_int_equal(import_chain(1000), STATUS_OK);
    assert_int_equal(import_chain(2500), STATUS_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_answered_with_all_mistakes_at_once),
        cmocka_unit_test(defects_are_mended_with_warnings_and_refused_where_strict),
        cmocka_unit_test(names_are_mapped_to_those_of_models),
        cmocka_unit_test(inertias_turn_with_their_frames),
        cmocka_unit_test(impossible_inertias_are_mended_by_the_least),
        cmocka_unit_test(start_poses_come_from_user_file_and_limits),
        cmocka_unit_test(interfaces_become_actuators_and_sensors),
        cmocka_unit_test(options_choose_the_interfaces),
        cmocka_unit_test(links_without_mass_belong_to_what_carries_them),
        cmocka_unit_test(merging_keeps_what_is_fixed_in_space),
        cmocka_unit_test(drawn_robots_are_weighed_by_their_shapes),
        cmocka_unit_test(wrong_names_are_answered_in_bounded_time),
        cmocka_unit_test(long_chains_are_imported_and_longer_ones_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
