#include "services/cli/verb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "services/base/names.h"
#include "services/load/text/value.h"

/* 1 if the first word of a row is this one. */
static int begins(const struct verb_word *w, const char *first)
{
    size_t n = strlen(first);
    return strncmp(w->name, first, n) == 0 && (w->name[n] == 0 || w->name[n] == ' ');
}

static void print_word(const struct verb_word *w, FILE *to)
{
    char left[64];
    int n = snprintf(left, sizeof left, "%s%s%s", w->name, w->arguments[0] ? " " : "",
                     w->arguments);

    if (n > 32)
        fprintf(to, "  %s\n  %-32s %s\n", left, "", w->help);
    else
        fprintf(to, "  %-32s %s\n", left, w->help);
}

void verb_print_words(const struct verb *v, const char *first, FILE *to)
{
    fprintf(to, "usage: trapeze %s %s\n\n", v->name, first ? first : v->arguments);
    for (const struct verb_word *w = v->word; w && w->name; w++)
        if (!first || begins(w, first)) print_word(w, to);
}

static void print_options(const struct verb *v)
{
    if (v->option[0].name) printf("\n");
    for (const struct verb_option *o = v->option; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        printf("  %-24s %s\n", left, o->help);
    }
}

void verb_print_help(const struct verb *v)
{
    printf("usage: trapeze %s%s%s%s\n\n%s\n", v->name, v->arguments[0] ? " " : "", v->arguments,
           v->option[0].name ? " [options]" : "", v->help);
    if (v->word) printf("\n");
    for (const struct verb_word *w = v->word; w && w->name; w++) print_word(w, stdout);
    print_options(v);
}

static int find_option(const struct verb *v, const char *name, size_t n)
{
    for (int i = 0; v->option[i].name; i++)
        if (strlen(v->option[i].name) == n && memcmp(v->option[i].name, name, n) == 0) return i;
    return -1;
}

static enum status unknown_option(const struct verb *v, const char *name)
{
    const char *near = NULL;
    int best = 1000;
    for (const struct verb_option *o = v->option; o->name; o++) {
        int d = names_distance(name, o->name);
        if (d < best) best = d, near = o->name;
    }
    if (near && names_is_near(name, best))
        fprintf(stderr, "trapeze %s: there is no option %s; did you mean %s?\n", v->name, name,
                near);
    else
        fprintf(stderr, "trapeze %s: there is no option %s; see trapeze %s --help\n", v->name, name,
                v->name);
    return STATUS_USAGE;
}

static enum status take_value(const struct verb *v, int i, const char *text, struct verb_call *call)
{
    call->value[i] = text;
    if (strcmp(v->option[i].name, "--set") != 0) return STATUS_OK;
    if (call->n_sets == VERB_MAX_REPEATS) {
        fprintf(stderr, "trapeze %s: more than %d times --set\n", v->name, VERB_MAX_REPEATS);
        return STATUS_USAGE;
    }
    call->set[call->n_sets++] = text;
    return STATUS_OK;
}

/* One option, as `--name value` or `--name=value`; *i steps over a value taken. */
static enum status take_option(const struct verb *v, int argc, char **argv, int *i,
                               struct verb_call *call)
{
    const char *text = argv[*i], *equals = strchr(text, '=');
    int option = find_option(v, text, equals ? (size_t)(equals - text) : strlen(text));
    if (option < 0) return unknown_option(v, text);
    if (!v->option[option].value && equals) {
        fprintf(stderr, "trapeze %s: %s takes no value\n", v->name, v->option[option].name);
        return STATUS_USAGE;
    }
    if (!v->option[option].value) return take_value(v, option, "", call);
    if (equals) return take_value(v, option, equals + 1, call);
    if (*i + 1 >= argc) {
        fprintf(stderr, "trapeze %s: %s needs a value: %s\n", v->name, text,
                v->option[option].value);
        return STATUS_USAGE;
    }
    return take_value(v, option, argv[++*i], call);
}

static enum status take_argument(const struct verb *v, const char *text, struct verb_call *call)
{
    if (call->n_arguments == v->most || call->n_arguments == VERB_MAX_ARGUMENTS) {
        fprintf(stderr, "trapeze %s: '%s' is too much; usage: trapeze %s %s\n", v->name, text,
                v->name, v->arguments);
        return STATUS_USAGE;
    }
    call->argument[call->n_arguments++] = text;
    return STATUS_OK;
}

/* The help of the verb, or of the word that stood before --help. */
static void print_asked(const struct verb *v, const struct verb_call *call)
{
    for (const struct verb_word *w = v->word; w && w->name && call->n_arguments; w++)
        if (begins(w, call->argument[0])) {
            verb_print_words(v, call->argument[0], stdout);
            print_options(v);
            return;
        }
    verb_print_help(v);
}

enum status verb_read(const struct verb *v, int argc, char **argv, struct verb_call *call)
{
    enum status s = STATUS_OK;
    int only_arguments = 0;
    for (int i = 0; i < argc && s == STATUS_OK; i++) {
        int dashes = argv[i][0] == '-' && argv[i][1] != 0 && !only_arguments;
        if (dashes && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            print_asked(v, call);
            return STATUS_STOPPED;
        }
        if (dashes && strcmp(argv[i], "--") == 0)
            only_arguments = 1;
        else
            s = dashes ? take_option(v, argc, argv, &i, call) : take_argument(v, argv[i], call);
    }
    if (s == STATUS_OK && call->n_arguments < v->least) {
        fprintf(stderr, "trapeze %s: %s is missing; see trapeze %s --help\n", v->name, v->arguments,
                v->name);
        s = STATUS_USAGE;
    }
    return s;
}

int verb_number(const struct verb *v, const struct verb_call *call, int option, const char *unit,
                double *out)
{
    struct memory memory = {0};
    struct diag_list diags = {0};
    struct value_reader r = {&memory, &diags, NULL, NULL};
    const char *text = call->value[option];
    if (!text) return 1;
    struct node node = {.kind = NODE_SCALAR, .text = text, .place = {v->name, 0, 0}};
    int good = value_number(&r, &node, v->option[option].name, unit, out);
    if (!good && diags.n > 0) fprintf(stderr, "trapeze %s: %s\n", v->name, diags.item[0].text);
    diag_clear(&diags);
    memory_release(&memory);
    return good;
}
