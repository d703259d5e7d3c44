#include "services/load/text/schema.h"

#include <string.h>

#include "services/base/names.h"

static int schema_size(const struct schema *s) { return s->n_keys + s->n_fields; }

static const char *schema_word(const struct schema *s, int i)
{
    return i < s->n_keys ? s->key[i].key : s->field[i - s->n_keys].key;
}

static const char *schema_fallback(const struct schema *s, int i)
{
    return i < s->n_keys ? s->key[i].fallback : s->field[i - s->n_keys].fallback;
}

static int schema_find(const struct schema *s, const char *word)
{
    for (int i = 0; i < schema_size(s); i++)
        if (strcmp(schema_word(s, i), word) == 0) return i;
    return -1;
}

static const char *schema_nearest(const struct schema *s, const char *word)
{
    const char *nearest = NULL;
    int best = 1000;
    for (int i = 0; i < schema_size(s); i++) {
        int d = names_distance(word, schema_word(s, i));
        if (d < best) best = d, nearest = schema_word(s, i);
    }
    return nearest && names_is_near(word, best) ? nearest : NULL;
}

/* The known keys in one line, for messages about a key that resembles none. */
static void schema_words(const struct schema *s, char *text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < schema_size(s); i++) {
        const char *word = schema_word(s, i);
        if (at + strlen(word) + 2 > size) return;
        int n = snprintf(text + at, size - at, "%s%s", i ? " " : "", word);
        at += n > 0 ? (size_t)n : 0;
    }
}

static void schema_report_unknown(const struct schema *s, const struct node *entry,
                                  const char *name, struct diag_list *diags)
{
    const char *near = diags->n < DIAG_MAX ? schema_nearest(s, entry->key->text) : NULL;
    char words[300];
    schema_words(s, words, sizeof words);
    if (near)
        message_add(diags, entry->key->place, MESSAGE_UNKNOWN_KEY,
                    "%s: '%.40s' is no key of %s; did you mean '%s'?", name, entry->key->text,
                    s->what, near);
    else
        message_add(diags, entry->key->place, MESSAGE_UNKNOWN_KEY,
                    "%s: '%.40s' is no key of %s; known are %s", name, entry->key->text, s->what,
                    words);
}

const char *schema_kind_text(enum schema_kind kind)
{
    static const char *const TEXT[] = {
        [SCHEMA_NUMBER] = "a number",
        [SCHEMA_NUMBERS] = "a list of numbers",
        [SCHEMA_FUNCTION] = "a function of time",
        [SCHEMA_FLAG] = "true or false",
        [SCHEMA_CHOICE] = "a word",
        [SCHEMA_TEXT] = "text",
        [SCHEMA_NAME] = "a name",
        [SCHEMA_NAMES] = "a list of names",
        [SCHEMA_MAP] = "a map",
        [SCHEMA_LIST] = "a list",
        [SCHEMA_ANY] = "a value",
    };
    return TEXT[kind];
}

static int schema_kind_fits(enum schema_kind kind, const struct node *node)
{
    switch (kind) {
    case SCHEMA_NUMBER:
    case SCHEMA_FLAG:
    case SCHEMA_CHOICE:
    case SCHEMA_NAME:
        return node->kind == NODE_SCALAR && !reader_is_empty(node);
    case SCHEMA_TEXT:
        return node->kind == NODE_SCALAR;
    case SCHEMA_NUMBERS:
    case SCHEMA_NAMES:
    case SCHEMA_LIST:
        return node->kind == NODE_LIST;
    case SCHEMA_MAP:
        return node->kind == NODE_MAP;
    case SCHEMA_FUNCTION:
        return node->kind != NODE_LIST && !reader_is_empty(node);
    case SCHEMA_ANY:
        return 1;
    }
    return 0;
}

static int schema_check_kind(const struct schema *s, int i, const struct node *entry,
                             const char *name, struct diag_list *diags)
{
    if (i >= s->n_keys || schema_kind_fits(s->key[i].kind, entry)) return 1;
    message_add(diags, entry->place, MESSAGE_WRONG_KIND, "%s: %s must be %s, not %s", name,
                s->key[i].key, schema_kind_text(s->key[i].kind), reader_kind_text(entry));
    return 0;
}

static int schema_check_missing(const struct schema *s, const struct node *map, const char *name,
                                struct diag_list *diags, const struct node **found)
{
    int good = 1;
    for (int i = 0; i < schema_size(s); i++) {
        if (found[i] || schema_fallback(s, i)) continue;
        message_add(diags, map->key ? map->key->place : map->place, MESSAGE_MISSING_KEY,
                    "%s: '%s' is missing; %s needs it", name, schema_word(s, i), s->what);
        good = 0;
    }
    return good;
}

int schema_walk(const struct schema *s, const struct node *map, const char *name,
                struct diag_list *diags, const struct node *found[SCHEMA_MAX_KEYS])
{
    int good = 1;
    for (int i = 0; i < schema_size(s); i++) found[i] = NULL;
    if (map->kind != NODE_MAP) {
        message_add(diags, map->place, MESSAGE_WRONG_KIND,
                    "%s must be a map with the keys of %s, not %s", name, s->what,
                    reader_kind_text(map));
        return 0;
    }
    for (const struct node *e = map->first; e; e = e->next) {
        int i = schema_find(s, e->key->text);
        if (i >= 0)
            found[i] = e;
        else
            schema_report_unknown(s, e, name, diags);
        good &= i >= 0;
    }
    good &= schema_check_missing(s, map, name, diags, found);
    for (int i = 0; i < schema_size(s); i++) {
        if (!found[i] || schema_check_kind(s, i, found[i], name, diags)) continue;
        found[i] = NULL;
        good = 0;
    }
    return good;
}
