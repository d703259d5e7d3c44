#include "tests/physics/refdata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void read_names(struct refdata *d, char *line)
{
    for (char *name; (name = strsep(&line, ",\n"));) {
        if (!name[0]) continue;
        assert_true(d->n_columns < REFDATA_COLUMNS);
        snprintf(d->name[d->n_columns++], sizeof d->name[0], "%s", name);
    }
}

static void read_row(struct refdata *d, const char *line)
{
    char *end;
    assert_true(d->n_rows < REFDATA_ROWS);
    for (int i = 0; i < d->n_columns; i++) {
        d->value[d->n_rows][i] = strtod(line, &end);
        assert_ptr_not_equal(end, line);
        line = end + (*end == ',');
    }
    d->n_rows++;
}

void refdata_read(struct refdata *d, const char *name)
{
    char path[256], line[1024];
    snprintf(path, sizeof path, "tests/data/reference/%s.csv", name);
    FILE *from = fopen(path, "r");
    if (!from) fail_msg("%s cannot be read", path);
    d->n_columns = d->n_rows = 0;
    while (fgets(line, sizeof line, from)) {
        if (line[0] == '#') continue;
        if (d->n_columns == 0)
            read_names(d, line);
        else
            read_row(d, line);
    }
    fclose(from);
    assert_true(d->n_rows > 0);
}

double refdata_at(const struct refdata *d, int row, const char *name)
{
    for (int i = 0; i < d->n_columns; i++)
        if (strcmp(d->name[i], name) == 0) return d->value[row][i];
    fail_msg("the table has no column %s", name);
    return 0;
}
