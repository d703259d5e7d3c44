#include "services/load/model/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/load/model/scope.h"

const char *source_section_key(enum source_section s)
{
    static const char *const KEY[SECTION_COUNT] = {
        [SECTION_BODIES] = "bodies",       [SECTION_JOINTS] = "joints",
        [SECTION_MOTIONS] = "motions",     [SECTION_FORCES] = "forces",
        [SECTION_ACTUATORS] = "actuators", [SECTION_SENSORS] = "sensors",
        [SECTION_SWITCHES] = "switches"};
    return KEY[s];
}

const char *source_nearest(const struct source *s, const struct names *known, const char *word)
{
    return s->diags->n < DIAG_MAX ? names_nearest(known, word) : NULL;
}

int source_is_hopeless(const struct source *s)
{
    return s->memory->failed || s->diags->n_errors >= SOURCE_MAX_ERRORS;
}

const char *source_path(struct source *s, int component, const char *name, struct place at)
{
    const char *prefix = s->component[component].path;
    size_t np = strlen(prefix), nn = strlen(name), joint = np > 0;
    if (np + nn + joint > SOURCE_MAX_PATH) {
        message_add(s->diags, at, MESSAGE_BAD_NAME, "the full name %.60s/%.60s is too long", prefix,
                    name);
        return NULL;
    }
    char *path = memory_take(s->memory, np + nn + joint + 1, 1);
    if (!path) return NULL;
    snprintf(path, np + nn + joint + 1, "%s%s%s", prefix, joint ? "/" : "", name);
    return path;
}

int source_is_broken(const struct source *s, const char *path)
{
    char prefix[SOURCE_MAX_PATH + 1];
    for (size_t n = 0; s->broken.n && path[n] && n < sizeof prefix; n++) {
        if (path[n] == '/') {
            prefix[n] = 0;
            if (names_find(&s->broken, prefix) >= 0) return 1;
        }
        prefix[n] = path[n];
    }
    return 0;
}

/* The whole number of the expression between two braces. */
static int source_index(struct value_reader *r, const struct node *node, const char *text, size_t n,
                        long *out)
{
    struct node inner = *node;
    inner.text = memory_text(r->memory, text, n);
    if (inner.text_column) inner.text_column += (int)(text - node->text);
    return inner.text && value_integer(r, &inner, "an index", -1000000000, 1000000000, out);
}

const char *source_name(const struct source_scope *scope, const struct node *node)
{
    struct source *s = scope->source;
    struct source_scope where = *scope;
    struct expr_scope names = scope_of(&where, 0);
    struct value_reader r = {s->memory, s->diags, &names, NULL};
    char text[SOURCE_MAX_PATH + 1];
    size_t n = 0;
    const char *c = node->text;
    if (!strchr(c, '{')) return c;
    while (*c) {
        const char *open = c, *close = *c == '{' ? strchr(c, '}') : NULL;
        long index;
        int wrote = 1;
        if (*c != '{') {
            text[n] = *c++;
        } else if (!close) {
            message_add(s->diags, node->place, MESSAGE_BAD_NAME, "'%.60s': '}' is missing",
                        node->text);
            return NULL;
        } else {
            c = close + 1;
            if (!source_index(&r, node, open + 1, (size_t)(close - open - 1), &index)) return NULL;
            wrote = snprintf(text + n, sizeof text - n, "%ld", index);
        }
        n += (size_t)wrote;
        if (n >= sizeof text) {
            message_add(s->diags, node->place, MESSAGE_BAD_NAME, "the name '%.60s' is too long",
                        node->text);
            return NULL;
        }
    }
    return memory_text(s->memory, text, n);
}
