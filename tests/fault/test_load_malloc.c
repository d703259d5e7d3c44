/* Loading when the C library's own allocations fail, those of libyaml included: this
 * program brings its own malloc, which fails the n-th call and counts what is still in use.
 * NO_SANITIZER: a sanitizer has its own malloc, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <libxml/parser.h>

#include "services/load/model/load.h"
#include "services/load/text/reader.h"
#include "services/load/urdf/urdf.h"
#include "services/plan/mechanism.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);

static int armed, left, in_use;

/* 1 if this call has to fail. */
static int fails(void) { return armed && left-- == 0; }

static void *counted(void *p)
{
    if (armed && p) in_use++;
    return p;
}

void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }

void *calloc(size_t n, size_t size) { return fails() ? NULL : counted(__libc_calloc(n, size)); }

void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(align, size));
}

void *realloc(void *p, size_t size)
{
    if (fails()) return NULL;
    void *q = __libc_realloc(p, size);
    if (armed && !p && q) in_use++;
    return q;
}

void free(void *p)
{
    if (armed && p) in_use--;
    __libc_free(p);
}

/* Load with the n-th allocation failing, and release everything. Returns 1 when there
 * was no n-th allocation. */
static int load_failing_at(const char *path, int n)
{
    struct diag_list diags = {0};
    struct model *m = NULL;
    in_use = 0;
    left = n;
    armed = 1;
    enum status s = load_model(path, NULL, &m, &diags);
    int done = left >= 0, errors = diags.n_errors;
    load_free(m);
    diag_clear(&diags);
    armed = 0;
    assert_int_equal(in_use, 0);
    /* the list of messages alone may lose one and go on */
    if (!done)
        assert_true(s == STATUS_NO_MEMORY || (s == STATUS_REFUSED && errors > 0) || s == STATUS_OK);
    return done;
}

static void nothing_leaks_whichever_allocation_fails(void **state)
{
    static const char *const PATH[] = {"config/models/pendulum.yaml", "config/models/cart.yaml",
                                       "tests/data/bad/exclusive-keys.yaml",
                                       "tests/data/bad/syntax.yaml",
                                       "tests/data/bad/free-body.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof PATH / sizeof PATH[0]; i++) {
        int n = 0;
        while (!load_failing_at(PATH[i], n)) n++;
        assert_true(n > 10);
    }
}

/* The same for the plan and the start state of a loaded model. */
static int plan_failing_at(const struct model *m, int n)
{
    struct diag_list diags = {0};
    struct mechanism me;
    struct plan_options o = mechanism_options();
    in_use = 0;
    left = n;
    armed = 1;
    enum status s = mechanism_create(&me, m, &o, &diags);
    int done = left >= 0;
    if (s == STATUS_OK) mechanism_destroy(&me);
    diag_clear(&diags);
    armed = 0;
    assert_int_equal(in_use, 0);
    if (done)
        assert_int_equal(s, STATUS_OK);
    else
        assert_true(s == STATUS_NO_MEMORY || s == STATUS_OK);
    return done;
}

static void planning_leaks_nothing_whichever_allocation_fails(void **state)
{
    static const char *const PATH[] = {"config/models/pendulum.yaml", "config/models/cart.yaml",
                                       "config/models/four-bar.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof PATH / sizeof PATH[0]; i++) {
        struct diag_list diags = {0};
        struct model *m = NULL;
        int n = 0;
        assert_int_equal(load_model(PATH[i], NULL, &m, &diags), STATUS_OK);
        while (!plan_failing_at(m, n)) n++;
        assert_true(n > 5);
        load_free(m);
        diag_clear(&diags);
    }
}

/* The same for a robot in URDF, libxml2's allocations included. */
static int import_failing_at(const char *text, size_t size, int n)
{
    struct diag_list diags = {0};
    char *model = NULL;
    in_use = 0;
    left = n;
    armed = 1;
    enum status s = urdf_import("robot.urdf", text, size, NULL, &model, &diags);
    int done = left >= 0, errors = diags.n_errors;
    free(model);
    diag_clear(&diags);
    armed = 0;
    assert_int_equal(in_use, 0);
    if (!done)
        assert_true(s == STATUS_NO_MEMORY || (s == STATUS_REFUSED && errors > 0) || s == STATUS_OK);
    return done;
}

static void importing_leaks_nothing_whichever_allocation_fails(void **state)
{
    static const char *const PATH[] = {"tests/data/urdf/six-axis.urdf",
                                       "tests/data/urdf/bad/tree.urdf"};
    (void)state;
    xmlInitParser(); /* what libxml2 keeps for ever */
    for (size_t i = 0; i < sizeof PATH / sizeof PATH[0]; i++) {
        struct memory memory = {0};
        struct diag_list diags = {0};
        size_t size = 0;
        int n = 0;
        const char *text = reader_file_text(PATH[i], &memory, &diags, &size);
        assert_non_null(text);
        import_failing_at(text, size, 1 << 30);
        while (!import_failing_at(text, size, n)) n++;
        assert_true(n > 10);
        memory_release(&memory);
        diag_clear(&diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_leaks_whichever_allocation_fails),
        cmocka_unit_test(planning_leaks_nothing_whichever_allocation_fails),
        cmocka_unit_test(importing_leaks_nothing_whichever_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
