#include "tests/physics/imported.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "services/load/text/reader.h"

char *imported_text(const char *file, const struct urdf_options *o)
{
    char path[256], *model = NULL;
    struct memory memory = {0};
    struct diag_list diags = {0};
    size_t n = 0;
    snprintf(path, sizeof path, "tests/data/urdf/%s", file);
    const char *text = reader_file_text(path, &memory, &diags, &n);
    assert_non_null(text);
    enum status s = urdf_import(path, text, n, o, &model, &diags);
    if (s != STATUS_OK) {
        diag_print(&diags, stderr);
        fail_msg("%s was refused", path);
    }
    diag_clear(&diags);
    memory_release(&memory);
    return model;
}

char *imported_add(char *text, const char *more)
{
    char *all = realloc(text, strlen(text) + strlen(more) + 1);
    assert_non_null(all);
    return strcat(all, more);
}

char *imported_change(char *text, const char *old, const char *new)
{
    char *at = strstr(text, old), *all = malloc(strlen(text) + strlen(new) + 1);
    assert_non_null(all);
    if (!at) fail_msg("'%s' does not stand in the model:\n%s", old, text);
    sprintf(all, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    free(text);
    return all;
}

void imported_open(struct model_run *p, char *text)
{
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(p, text, &o);
    free(text);
}
