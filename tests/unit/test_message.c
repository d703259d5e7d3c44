/* Every kind of message has a file under tests/data/bad that provokes it, with the text
 * expected beside it; no file is without a kind. A first line `# --set name=value` in such
 * a file is given to the loader. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "services/load/model/load.h"
#include "services/base/message.h"
#include "services/draw/sense.h"
#include "services/plan/mechanism.h"

#define FOLDER "tests/data/bad/"

/* The --set of a file's first line, or "". */
static void read_set(const char *path, char *set, size_t size)
{
    char line[200];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    set[0] = 0;
    if (fgets(line, sizeof line, f) && strncmp(line, "# --set ", 8) == 0) {
        line[strcspn(line, "\n")] = 0;
        snprintf(set, size, "%s", line + 8);
    }
    fclose(f);
}

/* What loading and planning a file says, and whether one of the messages is of this kind. */
static int load_says(const char *path, const char *kind, char *text, size_t size)
{
    struct diag_list diags = {0};
    struct model *m = NULL;
    char set[200];
    const char *sets[] = {set};
    read_set(path, set, sizeof set);
    struct load_options options = {.sets = sets, .n_sets = set[0] != 0};
    enum status s = load_model(path, &options, &m, &diags);
    struct mechanism me = {0};
    const struct plan_options plan = mechanism_options();
    if (s == STATUS_OK) sense_check(m, &diags);
    if (s == STATUS_OK) s = mechanism_create(&me, m, &plan, &diags);
    if (s == STATUS_OK) mechanism_destroy(&me);
    int found = 0;
    for (int i = 0; i < diags.n; i++)
        found |= diags.item[i].kind && strcmp(diags.item[i].kind, kind) == 0;
    FILE *f = fmemopen(text, size, "w");
    assert_non_null(f);
    diag_print(&diags, f);
    fclose(f);
    assert_int_equal(s, diags.n_errors ? STATUS_REFUSED : STATUS_OK);
    load_free(m);
    diag_clear(&diags);
    return found;
}

static void read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s is missing", path);
    text[fread(text, 1, size - 1, f)] = 0;
    fclose(f);
}

static void every_kind_of_message_has_a_file_that_provokes_it_and_its_text_beside(void **state)
{
    char path[256], said[8192], expected[8192];
    (void)state;
    for (int k = 0; k < MESSAGE_COUNT; k++) {
        const char *name = message_name((enum message)k);
        if (k == MESSAGE_TOO_LARGE)
            continue; /* made below: 17 MB do not belong into a repository */
        snprintf(path, sizeof path, FOLDER "%s.yaml", name);
        if (access(path, R_OK) != 0) fail_msg("message kind %s has no file %s", name, path);
        if (!load_says(path, name, said, sizeof said))
            fail_msg("%s does not provoke %s:\n%s", path, name, said);
        snprintf(path, sizeof path, FOLDER "%s.txt", name);
        read_text(path, expected, sizeof expected);
        assert_string_equal(said, expected);
    }
}

static int is_kind(const char *name, size_t n)
{
    for (int k = 0; k < MESSAGE_COUNT; k++) {
        const char *kind = message_name((enum message)k);
        if (strlen(kind) == n && strncmp(kind, name, n) == 0) return 1;
    }
    return 0;
}

static void every_bad_file_belongs_to_a_kind_of_message(void **state)
{
    (void)state;
    DIR *d = opendir(FOLDER);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        const char *dot = strrchr(e->d_name, '.');
        if (e->d_name[0] == '.' || !dot) continue;
        if (!is_kind(e->d_name, (size_t)(dot - e->d_name)))
            fail_msg(FOLDER "%s belongs to no kind of message", e->d_name);
    }
    closedir(d);
}

static void a_file_of_17_megabytes_is_refused_unread(void **state)
{
    char path[256], said[2048];
    const char *folder = getenv("TEST_DIR");
    (void)state;
    snprintf(path, sizeof path, "%s/large.yaml", folder ? folder : "/tmp");
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 17 << 20), 0);
    close(fd);
    int found = load_says(path, "too-large", said, sizeof said);
    unlink(path);
    assert_true(found);
    assert_non_null(strstr(said, "error: the file has 17825792 bytes, at most 16777216 are read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_message_has_a_file_that_provokes_it_and_its_text_beside),
        cmocka_unit_test(every_bad_file_belongs_to_a_kind_of_message),
        cmocka_unit_test(a_file_of_17_megabytes_is_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
