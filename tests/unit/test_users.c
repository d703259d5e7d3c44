/* Passwords: who comes in, and how long a wrong one makes a client wait. The clock is an
 * argument: nothing sleeps here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "services/opcua/access/users.h"

#define S INT64_C(1000000000)

static struct users users;

static enum rights_role come(const char *name, const char *password, const char *client, int64_t t)
{
    UA_String n = {strlen(name), (UA_Byte *)(uintptr_t)name};
    UA_ByteString p = {strlen(password), (UA_Byte *)(uintptr_t)password};
    UA_ByteString c = {strlen(client), (UA_Byte *)(uintptr_t)client};

    return users_check(
        &users, &(struct users_claim){.name = &n, .password = &p, .client = &c, .now_ns = t});
}

static int setup(void **state)
{
    (void)state;
    users = (struct users){.n = 0};
    return users_set(&users, "otto", "operator", "right-password") != STATUS_OK;
}

static void the_right_password_gives_the_role(void **state)
{
    (void)state;
    assert_int_equal(come("otto", "right-password", "a", 1), RIGHTS_OPERATOR);
    assert_int_equal(come("otto", "right-passwor", "b", 1), RIGHTS_NOBODY);
    assert_int_equal(come("otto", "", "c", 1), RIGHTS_NOBODY);
    assert_int_equal(come("nobody", "right-password", "a", 1), RIGHTS_NOBODY);
    assert_int_equal(strncmp(users.entry[0].hash, "$y$", 3), 0);
}

static void each_wrong_password_doubles_the_wait_up_to_a_minute(void **state)
{
    static const int64_t WAIT[] = {1, 2, 4, 8, 16, 32, 60, 60};
    int64_t t = 0;

    (void)state;
    for (size_t i = 0; i < sizeof WAIT / sizeof WAIT[0]; i++) {
        assert_int_equal(come("otto", "wrong-password", "a", t), RIGHTS_NOBODY);
        t += WAIT[i] * S;
        assert_int_equal(come("otto", "right-password", "a", t - 1), RIGHTS_NOBODY);
    }
    assert_int_equal(come("otto", "right-password", "a", t), RIGHTS_OPERATOR);
    assert_int_equal(come("otto", "wrong-password", "a", t), RIGHTS_NOBODY);
    assert_int_equal(come("otto", "right-password", "a", t + S), RIGHTS_OPERATOR);
}

static void a_try_too_soon_is_refused_unhashed(void **state)
{
    struct timespec a, b;

    (void)state;
    come("otto", "wrong-password", "a", 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int i = 0; i < 1000; i++) come("otto", "right-password", "a", 1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    /* a thousand hashes take many seconds */
    assert_true((b.tv_sec - a.tv_sec) * S + b.tv_nsec - a.tv_nsec < S);
}

static void a_wrong_password_of_one_client_does_not_lock_another_out(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) come("otto", "wrong-password", "a", i);
    assert_int_equal(come("otto", "right-password", "b", 30), RIGHTS_OPERATOR);
    /* a full table gives way, without hashing so often */
    for (int i = 0; i < USERS_TRIES; i++) users.tries[i].wrong = 1;
    assert_int_equal(come("otto", "right-password", "d", 40), RIGHTS_OPERATOR);
}

static void unknown_names_wait_too(void **state)
{
    (void)state;
    come("nobody", "x", "a", 0);
    int waiting = 0;
    for (int i = 0; i < USERS_TRIES; i++) waiting += users.tries[i].not_before_ns == S;
    assert_int_equal(waiting, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_right_password_gives_the_role, setup),
        cmocka_unit_test_setup(each_wrong_password_doubles_the_wait_up_to_a_minute, setup),
        cmocka_unit_test_setup(a_try_too_soon_is_refused_unhashed, setup),
        cmocka_unit_test_setup(a_wrong_password_of_one_client_does_not_lock_another_out, setup),
        cmocka_unit_test_setup(unknown_names_wait_too, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
