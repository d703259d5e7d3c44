/* The folder of keys: where it is, who may read what, how many refused certificates stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants these first */
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "services/opcua/access/keystore.h"

static char folder[] = "/tmp/trapeze-keystore-XXXXXX";

static int setup(void **state)
{
    (void)state;
    return !mkdtemp(folder) || setenv("TRAPEZE_STATE", folder, 1) != 0;
}

static int teardown(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0;
}

static mode_t mode_of(const struct keystore *k, const char *path)
{
    struct stat st;

    assert_int_equal(fstatat(k->at, path, &st, AT_SYMLINK_NOFOLLOW), 0);
    return st.st_mode & 0777;
}

static void keys_are_closed_and_lists_are_open(void **state)
{
    struct keystore k;
    int made;

    (void)state;
    assert_int_equal(keystore_open(&k, NULL, KEYSTORE_CHANGE), STATUS_OK);
    assert_int_equal(mode_of(&k, "own"), 0700);
    assert_int_equal(mode_of(&k, "client"), 0700);
    assert_int_equal(mode_of(&k, "trusted"), 0755);
    assert_int_equal(keystore_own(&k, &made), STATUS_OK);
    assert_true(made);
    assert_int_equal(mode_of(&k, "own/key.der"), 0600);
    keystore_close(&k);
    assert_int_equal(keystore_open(&k, NULL, KEYSTORE_CHANGE), STATUS_OK);
    assert_int_equal(keystore_own(&k, &made), STATUS_OK);
    assert_false(made); /* the same again */
    keystore_close(&k);
}

static int count(const struct keystore *k, const char *part, const char *name)
{
    int n = 0, seen = 0, fd = openat(k->at, part, O_RDONLY | O_DIRECTORY);
    DIR *d = fdopendir(fd);

    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] != '.';
        seen += strncmp(e->d_name, name, KEYSTORE_NAME - 1) == 0;
    }
    closedir(d);
    return seen ? n : -n;
}

static void the_last_20_refused_certificates_stay(void **state)
{
    struct keystore k;
    char name[KEYSTORE_NAME];

    (void)state;
    assert_int_equal(keystore_open(&k, NULL, KEYSTORE_CHANGE), STATUS_OK);
    for (int i = 0; i < 25; i++) {
        UA_ByteString c = {sizeof i, (UA_Byte *)&i};
        keystore_reject(&k, &c);
        keystore_name(&c, name);
        usleep(2000); /* files are told apart by their times */
    }
    assert_int_equal(count(&k, "rejected", name), KEYSTORE_REJECTED);
    keystore_close(&k);
}

static void a_full_list_takes_no_more(void **state)
{
    struct keystore k;
    int taken = 0;

    (void)state;
    assert_int_equal(keystore_open(&k, NULL, KEYSTORE_CHANGE), STATUS_OK);
    for (int i = 0; i < KEYSTORE_LIST + 3; i++) {
        UA_ByteString c = {sizeof i, (UA_Byte *)&i};
        taken += keystore_add(&k, "trusted", &c);
    }
    assert_int_equal(taken, KEYSTORE_LIST);
    keystore_close(&k);
}

/* Each in a process of its own: it changes who it is. */
static int finds(const char *xdg, const char *home, const char *wanted)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        struct keystore k;
        unsetenv("TRAPEZE_STATE");
        if (xdg)
            setenv("XDG_STATE_HOME", xdg, 1);
        else
            unsetenv("XDG_STATE_HOME");
        setenv("HOME", home, 1);
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        _exit(keystore_open(&k, NULL, KEYSTORE_CHANGE) == STATUS_OK && strcmp(k.folder, wanted) == 0
                  ? 0
                  : 1);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void a_user_has_it_below_the_state_home(void **state)
{
    char open[64], wanted[128];

    (void)state;
    snprintf(open, sizeof open, "%s/home", folder);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(mkdir(open, 0777), 0);
    assert_int_equal(chmod(open, 0777), 0);
    snprintf(wanted, sizeof wanted, "%s/trapeze/opcua", open);
    assert_true(finds(open, "/nowhere", wanted));
    snprintf(wanted, sizeof wanted, "%s/.local/state/trapeze/opcua", open);
    assert_true(finds(NULL, open, wanted));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_closed_and_lists_are_open),
        cmocka_unit_test(the_last_20_refused_certificates_stay),
        cmocka_unit_test(a_full_list_takes_no_more),
        cmocka_unit_test(a_user_has_it_below_the_state_home),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
