#include "services/base/diag.h"

#include <stdlib.h>
#include <string.h>

static struct diag *diag_next(struct diag_list *list)
{
    if (list->n >= DIAG_MAX) return NULL;
    if (list->n == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 8;
        struct diag *item = realloc(list->item, (size_t)capacity * sizeof *item);
        if (!item) return NULL;
        list->item = item;
        list->capacity = capacity;
    }
    return &list->item[list->n++];
}

void diag_add_kind(struct diag_list *list, enum diag_level level, const char *kind,
                   const char *file, int line, int column, const char *format, va_list args)
{
    if (level == DIAG_ERROR) list->n_errors++;
    struct diag *d = diag_next(list);
    if (!d) {
        list->lost++;
        return;
    }
    d->level = level;
    d->kind = kind;
    d->line = line;
    d->column = column;
    snprintf(d->file, sizeof d->file, "%s", file ? file : "");
    vsnprintf(d->text, sizeof d->text, format, args);
}

void diag_add(struct diag_list *list, enum diag_level level, const char *file, int line, int column,
              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_add_kind(list, level, NULL, file, line, column, format, args);
    va_end(args);
}

const char *diag_level_text(enum diag_level level)
{
    static const char *const TEXT[] = {
        [DIAG_NOTE] = "note", [DIAG_WARNING] = "warning", [DIAG_ERROR] = "error"};
    return TEXT[level];
}

static int diag_compare(const struct diag *a, const struct diag *b)
{
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->level != b->level) return a->level > b->level ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Files keep the order in which they were first mentioned; a stable insertion sort
 * over at most DIAG_MAX messages. */
void diag_sort(struct diag_list *list)
{
    for (int i = 1; i < list->n; i++) {
        struct diag d = list->item[i];
        int j = i;
        while (j > 0 && strcmp(list->item[j - 1].file, d.file) == 0 &&
               diag_compare(&list->item[j - 1], &d) > 0) {
            list->item[j] = list->item[j - 1];
            j--;
        }
        list->item[j] = d;
    }
}

void diag_print(struct diag_list *list, FILE *to)
{
    diag_sort(list);
    for (int i = 0; i < list->n; i++) {
        const struct diag *d = &list->item[i];
        if (d->line > 0)
            fprintf(to, "%s:%d:%d: %s: %s\n", d->file, d->line, d->column,
                    diag_level_text(d->level), d->text);
        else
            fprintf(to, "%s: %s: %s\n", d->file, diag_level_text(d->level), d->text);
    }
    if (list->lost > 0) fprintf(to, "%d further messages are not shown\n", list->lost);
}

void diag_clear(struct diag_list *list)
{
    free(list->item);
    *list = (struct diag_list){0};
}
