/* What bodies look like: read from `shape`, else from the solid, where the body is and as its
 * image under a mirror; never a part of the motion. Meshes from STL and OBJ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "services/draw/mesh.h"
#include "services/draw/scene.h"
#include "services/load/model/load.h"
#include "tests/unit/loading.h"

static void close_to(double a, double b) { assert_float_equal(a, b, 1e-12); }

/* The box around all faces of a model. */
static void bounds(const struct model *m, double low[3], double high[3])
{
    struct scene s = {0};
    scene_build(&s, m, (struct scene_pose){0});
    assert_false(s.failed);
    assert_true(s.n_faces > 0);
    for (int i = 0; i < 3; i++) low[i] = 1e9, high[i] = -1e9;
    for (size_t f = 0; f < s.n_faces; f++)
        for (int k = 0; k < s.face[f].n; k++)
            for (int i = 0; i < 3; i++) {
                double x = s.face[f].corner[k][i];
                if (x < low[i]) low[i] = x;
                if (x > high[i]) high[i] = x;
            }
    scene_free(&s);
}

static void a_solid_is_drawn_where_nothing_else_is_said(void **state)
{
    (void)state;
    double low[3], high[3];
    struct loading l = loading_text(
        "bodies:\n"
        "  a: {position: [1, 2, 3], cylinder: {radius: 0.5, length: 2, mass: 1, axis: x}}\n");
    assert_int_equal(l.diags.n_errors, 0);
    assert_int_equal(l.model->shapes.n, 1);
    bounds(l.model, low, high);
    close_to(low[0], 0);
    close_to(high[0], 2);
    assert_float_equal(high[1], 2.5, 0.02);
    assert_float_equal(low[2], 2.5, 0.02);
    loading_done(&l);
}

static void ends_give_length_and_attitude_on_a_turned_body(void **state)
{
    (void)state;
    double low[3], high[3];
    struct loading l = loading_text(
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], rotation: {axis: [1, 1, 0], angle: 40 deg},\n"
        "      shape: {type: cylinder, from: [0, 0, -1], to: [0, 0, 3], radius: 0.1}}\n");
    assert_int_equal(l.diags.n_errors, 0);
    assert_int_equal(l.model->shapes.n, 1);
    close_to(model_shapes(l.model)[0].size[1], 4);
    bounds(l.model, low, high);
    close_to(low[2], -1);
    close_to(high[2], 3);
    assert_float_equal(high[0], 0.1, 1e-9);
    loading_done(&l);
}

/* The image of a turned box in the plane y = 0, by its corners. */
static void a_mirrored_part_looks_like_its_image(void **state)
{
    (void)state;
    static const char BODY[] =
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 2, 2.5], position: [0.3, 0.7, 0.2], rotation: {axis: [1, 2, 3], angle: 50 deg},\n"
        "      shape: {type: box, size: [1, 0.2, 0.4], at: [0.5, 0.9, 0.1], rotation: {axis: [0, 1, 1], angle: 30 deg}}}\n";
    char path[300], text[400];
    double low[3], high[3], low_m[3], high_m[3];
    snprintf(path, sizeof path, "%s/part.yaml", getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(BODY, f);
    fclose(f);
    struct loading plain = loading_text(BODY);
    snprintf(text, sizeof text, "use:\n  image: {file: %s, mirror: y}\n", path);
    struct loading image = loading_text(text);
    assert_int_equal(plain.diags.n_errors + image.diags.n_errors, 0);
    bounds(plain.model, low, high);
    bounds(image.model, low_m, high_m);
    close_to(low_m[0], low[0]);
    close_to(high_m[0], high[0]);
    close_to(low_m[1], -high[1]);
    close_to(high_m[1], -low[1]);
    close_to(low_m[2], low[2]);
    close_to(high_m[2], high[2]);
    loading_done(&plain);
    loading_done(&image);
}

static void keys_that_mean_nothing_or_are_missing_are_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "{type: box}",
        "{type: box, size: [1, 1, 0]}",
        "{type: box, size: [1, 1, 1], radius: 2}",
        "{type: cylinder, radius: 1}",
        "{type: cylinder, radius: 1, length: 1, inner-radius: 2}",
        "{type: capsule, radius: 1, from: [0, 0, 0]}",
        "{type: capsule, radius: 1, from: [0, 0, 0], to: [0, 0, 0]}",
        "{type: capsule, radius: 1, from: [0, 0, 0], to: [1, 0, 0], axis: x}",
        "{type: sphere, radius: -1}",
        "{type: mesh}",
        "{type: sphere, radius: 1, colour: red}",
        "{type: sphere, radius: 1, colour: '#12345g'}",
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        char text[300];
        snprintf(text, sizeof text, "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], shape: %s}\n",
                 BAD[i]);
        struct loading l = loading_text(text);
        if (l.diags.n_errors != 1) print_error("%s: %d errors\n", BAD[i], l.diags.n_errors);
        assert_int_equal(l.diags.n_errors, 1);
        loading_done(&l);
    }
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void meshes_of_three_kinds_are_read_and_broken_ones_refused(void **state)
{
    (void)state;
    char path[300];
    const char *dir = getenv("TEST_DIR") ? getenv("TEST_DIR") : "/tmp", *why;
    struct mesh mesh = {0};
    static const char WORDS[] =
        "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 2 0\nendloop\nendfacet\nendsolid s\n";
    snprintf(path, sizeof path, "%s/words.stl", dir);
    write_file(path, WORDS, sizeof WORDS - 1);
    assert_true(mesh_read(&mesh, path, &why));
    assert_int_equal(mesh.n, 1);
    close_to((double)mesh.corner[7], 2);
    mesh_free(&mesh);

    unsigned char binary[84 + 2 * 50] = {0};
    const float corner[9] = {0, 0, 0, 3, 0, 0, 0, 4, 0};
    binary[80] = 2;
    memcpy(binary + 84 + 12, corner, sizeof corner);
    memcpy(binary + 84 + 50 + 12, corner, sizeof corner);
    snprintf(path, sizeof path, "%s/binary.stl", dir);
    write_file(path, binary, sizeof binary);
    assert_true(mesh_read(&mesh, path, &why));
    assert_int_equal(mesh.n, 2);
    close_to((double)mesh.corner[9 + 3], 3);
    mesh_free(&mesh);
    binary[80] = 200; /* says more than it holds */
    write_file(path, binary, sizeof binary);
    assert_false(mesh_read(&mesh, path, &why));

    static const char OBJ[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 -1\n";
    snprintf(path, sizeof path, "%s/square.obj", dir);
    write_file(path, OBJ, sizeof OBJ - 1);
    assert_true(mesh_read(&mesh, path, &why));
    assert_int_equal(mesh.n, 2);
    mesh_free(&mesh);
    static const char WRONG[] = "v 0 0 0\nf 1 2 3\n";
    write_file(path, WRONG, sizeof WRONG - 1);
    assert_false(mesh_read(&mesh, path, &why));
}

static void the_box_of_an_inertia_has_that_inertia(void **state)
{
    (void)state;
    double half[3], axes[9];
    /* a box of 2, 4, 6 m and 12 kg, its axes turned by 30 degrees about z */
    double c = sqrt(0.75), s = 0.5, J[3] = {52, 40, 20};
    struct model_body b = {.mass = 12};
    double xx = c * c * J[0] + s * s * J[1], yy = s * s * J[0] + c * c * J[1],
           xy = c * s * (J[0] - J[1]);
    const double inertia[9] = {xx, xy, 0, xy, yy, 0, 0, 0, J[2]};
    memcpy(b.inertia, inertia, sizeof inertia);
    scene_inertia_box(&b, half, axes);
    double sum = half[0] + half[1] + half[2], product = half[0] * half[1] * half[2];
    assert_float_equal(sum, 1 + 2 + 3, 1e-9);
    assert_float_equal(product, 6, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solid_is_drawn_where_nothing_else_is_said),
        cmocka_unit_test(ends_give_length_and_attitude_on_a_turned_body),
        cmocka_unit_test(a_mirrored_part_looks_like_its_image),
        cmocka_unit_test(keys_that_mean_nothing_or_are_missing_are_refused),
        cmocka_unit_test(meshes_of_three_kinds_are_read_and_broken_ones_refused),
        cmocka_unit_test(the_box_of_an_inertia_has_that_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
