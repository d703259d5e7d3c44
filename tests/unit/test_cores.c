/* Which cores a rig gets on this machine, and what it is told when that cannot be. */
#include "services/run/cores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_list_of_cores_is_read_as_the_kernel_writes_it(void **state)
{
    (void)state;
    assert_true(cores_in_list("0-2,5", 1) && cores_in_list("0-2,5", 5));
    assert_false(cores_in_list("0-2,5", 3) || cores_in_list("", 0) || cores_in_list("(null)", 0));
}

static void a_set_of_cores_is_written_so_too(void **state)
{
    static const char *const CASE[] = {"0", "0,1", "0-3", "1,3-5,9", "62-66,128"};
    char text[CORES_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (int k = 0; k < 200; k++)
            if (cores_in_list(CASE[i], k)) CPU_SET((size_t)k, &set);
        assert_string_equal(cores_text(&set, text), CASE[i]);
    }
}

/* As many cores as this process may use, lowest first. */
static int own_cores(int *core)
{
    cpu_set_t set;
    int n = 0;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set)) core[n++] = i;
    return n;
}

static void the_step_and_the_services_get_different_cores(void **state)
{
    static int own[CPU_SETSIZE];
    struct diag_list diags = {0};
    struct rig rig = {.core = -1};
    struct cores c;
    int n = own_cores(own);

    (void)state;
    assert_int_equal(cores_choose(&rig, &c, &diags), STATUS_OK);
    assert_int_equal(c.step, cores_default());
    assert_int_equal(c.shared, n == 1);
    assert_int_equal(CPU_ISSET((size_t)c.step, &c.services) != 0, c.shared);
    if (n < 2) return;
    rig.service_core = &own[n - 1];
    rig.n_service_cores = 1;
    assert_int_equal(cores_choose(&rig, &c, &diags), STATUS_OK);
    assert_int_not_equal(c.step, own[n - 1]);
    assert_int_equal(CPU_COUNT(&c.services), 1);
    assert_true(CPU_ISSET((size_t)own[n - 1], &c.services));
    rig.core = own[0];
    assert_int_equal(cores_choose(&rig, &c, &diags), STATUS_OK);
    assert_int_equal(c.step, own[0]);
    assert_int_equal(diags.n, 0);
}

static void a_core_the_machine_does_not_have_is_named_with_its_place(void **state)
{
    struct diag_list diags = {0};
    int far = 1000;
    struct rig rig = {.core = 1001,
                      .core_place = {"r.yaml", 3, 7},
                      .service_core = &far,
                      .n_service_cores = 1,
                      .service_cores_place = {"r.yaml", 4, 16}};
    struct cores c;

    (void)state;
    assert_int_equal(cores_choose(&rig, &c, &diags), STATUS_REFUSED);
    assert_int_equal(diags.n_errors, 2);
    diag_sort(&diags);
    assert_true(diags.item[0].line == 3 && diags.item[1].line == 4);
    assert_non_null(strstr(diags.item[0].text, "core: there is no core 1001; this machine has 0"));
    assert_non_null(strstr(diags.item[1].text, "service-cores: there is no core 1000;"));
    diag_clear(&diags);
}

static void services_on_every_core_leave_none_for_the_step(void **state)
{
    static int own[CPU_SETSIZE];
    struct diag_list diags = {0};
    struct rig rig = {.core = -1, .service_core = own, .n_service_cores = own_cores(own)};
    struct cores c;
    char isolated[64];

    (void)state;
    if (cores_line("/sys/devices/system/cpu/isolated", isolated, sizeof isolated) && isolated[0])
        return;
    rig.service_cores_place = (struct place){"r.yaml", 4, 16};
    assert_int_equal(cores_choose(&rig, &c, &diags), STATUS_REFUSED);
    assert_non_null(strstr(diags.item[0].text, "is left for the step"));
    diag_clear(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_cores_is_read_as_the_kernel_writes_it),
        cmocka_unit_test(a_set_of_cores_is_written_so_too),
        cmocka_unit_test(the_step_and_the_services_get_different_cores),
        cmocka_unit_test(a_core_the_machine_does_not_have_is_named_with_its_place),
        cmocka_unit_test(services_on_every_core_leave_none_for_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
