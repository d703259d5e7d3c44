/* Units are read from a table of words; SI prefixes go with those that say so. */
#include "services/load/text/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct unit_word {
    const char *name;
    double scale;
    signed char power[UNIT_BASES]; /* kg m s A K, first powers */
    int prefixes;                  /* 1: may carry k, m, ... */
};

#define PI 3.14159265358979323846

/* clang-format off */
static const struct unit_word WORD[] = {
    /*       scale      kg   m   s   A   K   prefixes */
    {"m",   1,        { 0,  1,  0,  0,  0}, 1},
    {"g",   1e-3,     { 1,  0,  0,  0,  0}, 1},
    {"s",   1,        { 0,  0,  1,  0,  0}, 1},
    {"A",   1,        { 0,  0,  0,  1,  0}, 1},
    {"K",   1,        { 0,  0,  0,  0,  1}, 1},
    {"rad", 1,        { 0,  0,  0,  0,  0}, 1},
    {"N",   1,        { 1,  1, -2,  0,  0}, 1},
    {"Nm",  1,        { 1,  2, -2,  0,  0}, 1},
    {"J",   1,        { 1,  2, -2,  0,  0}, 1},
    {"W",   1,        { 1,  2, -3,  0,  0}, 1},
    {"Pa",  1,        { 1, -1, -2,  0,  0}, 1},
    {"Hz",  1,        { 0,  0, -1,  0,  0}, 1},
    {"V",   1,        { 1,  2, -3, -1,  0}, 1},
    {"Ohm", 1,        { 1,  2, -3, -2,  0}, 1},
    {"H",   1,        { 1,  2, -2, -2,  0}, 1},
    {"F",   1,        {-1, -2,  4,  2,  0}, 1},
    {"C",   1,        { 0,  0,  1,  1,  0}, 1},
    {"Wb",  1,        { 1,  2, -2, -1,  0}, 1},
    {"T",   1,        { 1,  0, -2, -1,  0}, 1},
    {"bar", 1e5,      { 1, -1, -2,  0,  0}, 1},
    {"deg", PI / 180, { 0,  0,  0,  0,  0}, 0},
    {"rev", 2 * PI,   { 0,  0,  0,  0,  0}, 0},
    {"rpm", PI / 30,  { 0,  0, -1,  0,  0}, 0},
    {"min", 60,       { 0,  0,  1,  0,  0}, 0},
    {"h",   3600,     { 0,  0,  1,  0,  0}, 0},
    {"%",   1e-2,     { 0,  0,  0,  0,  0}, 0},
};
/* clang-format on */
enum { N_WORDS = sizeof WORD / sizeof WORD[0] };

static const struct {
    char letter;
    double scale;
} PREFIX[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'c', 1e-2},
              {'k', 1e3},  {'M', 1e6},  {'G', 1e9}};
enum { N_PREFIXES = sizeof PREFIX / sizeof PREFIX[0] };

static int unit_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const struct unit_word *unit_word(const char *text, size_t n)
{
    for (int i = 0; i < N_WORDS; i++)
        if (strlen(WORD[i].name) == n && memcmp(WORD[i].name, text, n) == 0) return &WORD[i];
    return NULL;
}

/* A word of exactly n letters, with or without a prefix. */
static int unit_find(const char *text, size_t n, struct unit *out)
{
    double scale = 1;
    const struct unit_word *w = unit_word(text, n);
    for (int i = 0; !w && n > 1 && i < N_PREFIXES; i++) {
        if (PREFIX[i].letter != text[0]) continue;
        w = unit_word(text + 1, n - 1);
        if (w && !w->prefixes) w = NULL;
        scale = PREFIX[i].scale;
    }
    if (!w) return 0;
    out->scale = scale * w->scale;
    for (int i = 0; i < UNIT_BASES; i++) out->dimension.half[i] = (signed char)(2 * w->power[i]);
    return 1;
}

int unit_combine(const struct dimension *a, const struct dimension *b, int power,
                 struct dimension *out)
{
    struct dimension d;
    for (int i = 0; i < UNIT_BASES; i++) {
        int product = b->half[i] * power, e = a->half[i] + product / 2;
        if (product % 2 != 0 || e < -100 || e > 100) return 0;
        d.half[i] = (signed char)e;
    }
    *out = d;
    return 1;
}

/* An exponent behind a word: 2, ^2, ^-1. Returns the characters it takes. */
static size_t unit_exponent(const char *text, size_t n, int *exponent)
{
    size_t i = 0;
    int sign = 1;
    *exponent = 1;
    if (i < n && text[i] == '^') i++;
    if (i == 1 && i < n && text[i] == '-') sign = -1, i++;
    if (i >= n || text[i] < '1' || text[i] > '9') return 0;
    *exponent = sign * (text[i] - '0');
    return i + 1;
}

/* One factor: word and exponent, multiplied into *out with the given sign. */
static size_t unit_factor(const char *text, size_t n, int sign, struct unit *out)
{
    size_t letters = 0;
    struct unit u;
    int exponent;
    while (letters < n && unit_is_letter(text[letters])) letters++;
    if (letters == 0 && n > 0 && text[0] == '%') letters = 1;
    if (letters == 0 || !unit_find(text, letters, &u)) return 0;
    size_t taken = letters + unit_exponent(text + letters, n - letters, &exponent);
    if (taken < n && (unit_is_letter(text[taken]) || text[taken] == '_' ||
                      (text[taken] >= '0' && text[taken] <= '9')))
        return 0;
    struct dimension d;
    if (!unit_combine(&out->dimension, &u.dimension, 2 * sign * exponent, &d)) return 0;
    out->dimension = d;
    out->scale *= pow(u.scale, sign * exponent);
    return taken;
}

size_t unit_read(const char *text, size_t n, struct unit *out)
{
    struct unit u = {.scale = 1};
    size_t at = 0;
    if (n >= 2 && text[0] == '1' && text[1] == '/')
        at = 1;
    else
        at = unit_factor(text, n, 1, &u);
    if (at == 0) return 0;
    while (at < n && (text[at] == '.' || text[at] == '/')) {
        size_t taken = unit_factor(text + at + 1, n - at - 1, text[at] == '.' ? 1 : -1, &u);
        if (taken == 0) break;
        at += 1 + taken;
    }
    if (at == 1 && text[0] == '1') return 0;
    *out = u;
    return at;
}

int unit_parse(const char *text, struct unit *out)
{
    char dotted[UNIT_TEXT];
    size_t n = strlen(text);
    if (n == 0 || strcmp(text, "1") == 0) {
        *out = (struct unit){.scale = 1};
        return 1;
    }
    if (n >= sizeof dotted) return 0;
    for (size_t i = 0; i <= n; i++) dotted[i] = text[i] == '*' ? '.' : text[i];
    return unit_read(dotted, n, out) == n;
}

int unit_is_same(const struct dimension *a, const struct dimension *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Units a reader recognises, tried in this order. */
static const char *const COMMON[] = {
    "m",    "kg",   "s",       "A",   "K",     "m/s",   "m/s2",  "1/s",  "1/s2",
    "N",    "N/m",  "N.s/m",   "N.m", "N.m.s", "kg.m2", "kg/m3", "kg/m", "m2",
    "m3",   "Pa",   "W",       "V",   "Ohm",   "H",     "V.s",   "C",    "F",
    "N/m2", "N/m3", "N.s2/m2", "s2",  "1/m",   "N.m/A", "N/A",   "1/kg", "kg/s",
};
enum { N_COMMON = sizeof COMMON / sizeof COMMON[0] };

static void unit_write_powers(const struct dimension *d, char text[UNIT_TEXT])
{
    static const char *const BASE[UNIT_BASES] = {"kg", "m", "s", "A", "K"};
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < UNIT_BASES && at < UNIT_TEXT; i++) {
        if (d->half[i] == 0) continue;
        const char *joiner = at ? "." : "";
        int whole = d->half[i] % 2 == 0;
        int n = snprintf(text + at, UNIT_TEXT - at, whole ? "%s%s^%d" : "%s%s^(%d/2)", joiner,
                         BASE[i], whole ? d->half[i] / 2 : d->half[i]);
        at += n > 0 ? (size_t)n : 0;
    }
}

void unit_write(const struct dimension *d, char text[UNIT_TEXT])
{
    static const struct dimension PURE;
    struct unit u;
    if (unit_is_same(d, &PURE)) {
        snprintf(text, UNIT_TEXT, "a pure number");
        return;
    }
    for (int i = 0; i < N_COMMON; i++) {
        if (!unit_parse(COMMON[i], &u) || !unit_is_same(d, &u.dimension)) continue;
        snprintf(text, UNIT_TEXT, "%s", COMMON[i]);
        return;
    }
    unit_write_powers(d, text);
}

int unit_other_case(const char *text, size_t n, char out[UNIT_TEXT])
{
    for (int i = 0; i < N_WORDS; i++)
        if (strlen(WORD[i].name) == n && strncasecmp(WORD[i].name, text, n) == 0) {
            snprintf(out, UNIT_TEXT, "%s", WORD[i].name);
            return 1;
        }
    for (int i = 0; i < N_COMMON; i++)
        if (strlen(COMMON[i]) == n && strncasecmp(COMMON[i], text, n) == 0) {
            snprintf(out, UNIT_TEXT, "%s", COMMON[i]);
            return 1;
        }
    return 0;
}

int unit_list(int i, const char **name, struct unit *unit, int *prefixes)
{
    if (i < 0 || i >= N_WORDS) return 0;
    *name = WORD[i].name;
    *prefixes = WORD[i].prefixes;
    return unit_find(WORD[i].name, strlen(WORD[i].name), unit);
}
