#include "services/sim/sheet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Without the end of the line, blanks around and quotes. */
static char *trimmed(char *text)
{
    text += strspn(text, " \t\"");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n\"", text[n - 1])) n--;
    text[n] = 0;
    return text;
}

static enum status add_column(struct sheet *s, const char *name)
{
    struct sheet_column *c = realloc(s->column, ((size_t)s->n + 1) * sizeof *c);
    if (!c) return STATUS_NO_MEMORY;
    s->column = c;
    c[s->n] = (struct sheet_column){strdup(name), strdup("")};
    s->n++;
    return c[s->n - 1].name && c[s->n - 1].unit ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status read_names(struct sheet *s, FILE *from)
{
    char *line = NULL, *rest, *name;
    size_t size = 0;
    enum status status = STATUS_OK;
    struct stat st;

    errno = 0;
    if (fstat(fileno(from), &st) == 0 && S_ISCHR(st.st_mode)) { /* /dev/full has no end */
        errno = ENODEV;
        return STATUS_IO;
    }
    if (getline(&line, &size, from) < 0) status = STATUS_IO;
    for (rest = line; status == STATUS_OK && (name = strsep(&rest, ","));)
        status = add_column(s, trimmed(name));
    if (status == STATUS_OK && getline(&line, &size, from) < 0) status = STATUS_IO;
    free(line);
    return status;
}

static enum status set_unit(struct sheet *s, const char *name, const char *unit)
{
    int i = sheet_find(s, name);
    char *copy = i < 0 ? NULL : strdup(unit);
    if (i >= 0 && !copy) return STATUS_NO_MEMORY;
    if (i < 0) return STATUS_OK;
    free(s->column[i].unit);
    s->column[i].unit = copy;
    return STATUS_OK;
}

/* A missing file is fine: the columns have no units then. */
static enum status read_units(struct sheet *s, const char *path)
{
    char *beside = NULL, *line = NULL;
    size_t size = 0;
    enum status status = STATUS_OK;
    if (asprintf(&beside, "%s.units", path) < 0) return STATUS_NO_MEMORY;
    FILE *from = fopen(beside, "r");
    while (from && status == STATUS_OK && getline(&line, &size, from) > 0) {
        char *comma = strrchr(line, ',');
        if (!comma) continue;
        *comma = 0;
        status = set_unit(s, trimmed(line), trimmed(comma + 1));
    }
    if (from) fclose(from);
    free(line);
    free(beside);
    return status;
}

enum status sheet_open(struct sheet *s, const char *path)
{
    memset(s, 0, sizeof *s);
    FILE *from = fopen(path, "r");
    if (!from) return STATUS_IO;
    enum status status = read_names(s, from);
    fclose(from);
    return status == STATUS_OK ? read_units(s, path) : status;
}

int sheet_find(const struct sheet *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->column[i].name, name) == 0) return i;
    return -1;
}

void sheet_close(struct sheet *s)
{
    for (int i = 0; i < s->n; i++) {
        free(s->column[i].name);
        free(s->column[i].unit);
    }
    free(s->column);
    memset(s, 0, sizeof *s);
}
