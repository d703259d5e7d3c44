#include "services/base/names.h"

#include <stdint.h>
#include <string.h>

enum { NAMES_TRIED = 4096, WORD_MAX = 63 };

static uint64_t names_hash(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

/* The slot that holds the key, or the free one where it belongs. */
static size_t names_slot(const struct names *t, const char *key)
{
    size_t i = names_hash(key) & (t->n_slots - 1);
    while (t->slot[i] && strcmp(t->key[t->slot[i] - 1], key) != 0) i = (i + 1) & (t->n_slots - 1);
    return i;
}

static int names_widen(struct names *t)
{
    size_t n_slots = t->n_slots ? 2 * t->n_slots : 16;
    const char **key = memory_take(t->memory, n_slots / 2, sizeof *key);
    int *value = memory_take(t->memory, n_slots / 2, sizeof *value);
    int *slot = memory_take(t->memory, n_slots, sizeof *slot);
    if (!key || !value || !slot) return 0;
    if (t->n) {
        memcpy(key, t->key, (size_t)t->n * sizeof *key);
        memcpy(value, t->value, (size_t)t->n * sizeof *value);
    }
    t->key = key, t->value = value, t->slot = slot, t->n_slots = n_slots;
    for (int i = 0; i < t->n; i++) t->slot[names_slot(t, t->key[i])] = i + 1;
    return 1;
}

int names_add(struct names *t, const char *key, int value)
{
    if ((size_t)t->n >= t->n_slots / 2 && !names_widen(t)) return -1;
    size_t i = names_slot(t, key);
    if (t->slot[i]) return 0;
    t->key[t->n] = key;
    t->value[t->n] = value;
    t->slot[i] = ++t->n;
    return 1;
}

int names_find(const struct names *t, const char *key)
{
    if (!t->n_slots) return -1;
    size_t i = names_slot(t, key);
    return t->slot[i] ? t->value[t->slot[i] - 1] : -1;
}

static int least(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment: row by row, two rows remembered. */
int names_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > WORD_MAX || nb > WORD_MAX) return WORD_MAX + 1;
    int row[3][WORD_MAX + 2];
    for (size_t j = 0; j <= nb; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int same = a[i - 1] == b[j - 1];
            int best = before[j - 1] + !same;
            best = least(best, least(before[j], now[j - 1]) + 1);
            int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) best = least(best, older[j - 2] + 1);
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

int names_is_near(const char *word, int distance)
{
    int n = (int)strlen(word);
    return distance <= WORD_MAX && distance <= (n <= 2 ? 1 : n <= 5 ? 2 : n / 3 + 1);
}

const char *names_nearest(const struct names *t, const char *word)
{
    const char *nearest = NULL;
    int best = WORD_MAX + 1;
    for (int i = 0; i < t->n && i < NAMES_TRIED; i++) {
        int d = names_distance(word, t->key[i]);
        if (d < best) best = d, nearest = t->key[i];
    }
    return nearest && names_is_near(word, best) ? nearest : NULL;
}

static int names_matches(const char *text, char joiner)
{
    if (text[0] < 'a' || text[0] > 'z') return 0;
    for (const char *c = text + 1; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == joiner)) return 0;
    return 1;
}

int names_is_name(const char *text) { return names_matches(text, '-'); }

int names_is_parameter(const char *text) { return names_matches(text, '_'); }
