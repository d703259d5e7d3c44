#include "services/load/model/scope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "services/load/text/keys.h"

static const double WIDEST = 1e300;

static void scope_read(struct source *s, struct source_parameter *p, int index);

/* What a parameter is worth in an expression. */
static int scope_value(struct source *s, int index, struct expr_value *out)
{
    struct source_parameter *p = &s->parameter[index];
    if (p->state == PARAMETER_BUSY)
        message_add(s->diags, p->declared->key->place, MESSAGE_PARAMETER_CYCLE,
                    "the value of parameter %s depends on itself", p->path);
    if (p->state == PARAMETER_UNREAD) scope_read(s, p, index);
    if (p->state != PARAMETER_GOOD) return -1;
    *out = p->value;
    out->literal = 0;
    return 1;
}

static int scope_find(void *context, const char *name, struct expr_value *out)
{
    const struct source_scope *scope = context;
    for (const struct source_loop *l = scope->loop; l; l = l->outer) {
        if (strcmp(l->index, name) != 0) continue;
        *out = (struct expr_value){.value = l->value, .literal = 1}; /* written out, as it were */
        return 1;
    }
    struct source *s = scope->source;
    int index = names_find(&s->component[scope->component].parameters, name);
    return index < 0 ? 0 : scope_value(s, index, out);
}

static const char *scope_nearest(void *context, const char *name)
{
    const struct source_scope *scope = context;
    return source_nearest(scope->source, &scope->source->component[scope->component].parameters,
                          name);
}

struct expr_scope scope_of(struct source_scope *scope, unsigned allow)
{
    return (struct expr_scope){scope_find, scope_nearest, scope, allow};
}

/* ---- reading ------------------------------------------------------------------- */

static void scope_make_live(struct source *s, struct source_parameter *p, int index)
{
    struct function_code *code = memory_take(s->memory, 1, sizeof *code);
    if (!code) return;
    *code = (struct function_code){.op = OP_PARAM, .arg = (uint32_t)index};
    p->value.uses = EXPR_LIVE;
    p->value.code = code;
    p->value.n_code = 1;
}

static int scope_read_range(struct value_reader *r, struct source_parameter *p,
                            const struct node *node)
{
    double v[2];
    char si[UNIT_TEXT] = "";
    if (!node) return 1;
    if (p->value.has_dimension) unit_write(&p->value.dimension, si);
    if (strcmp(si, "a pure number") == 0) si[0] = 0;
    if (!value_numbers(r, node, "range", p->value.has_dimension ? si : NULL, 2, v)) return 0;
    if (v[0] > v[1] || p->value.value < v[0] || p->value.value > v[1]) {
        message_add(r->diags, node->place, MESSAGE_OUT_OF_RANGE,
                    "parameter %s: its value %g must lie in its range [%g, %g]", p->path,
                    p->value.value, v[0], v[1]);
        return 0;
    }
    p->lower = v[0], p->upper = v[1];
    return 1;
}

/* The text of --set stands for a node of its own. */
static struct node scope_set_node(const char *text)
{
    return (struct node){
        .kind = NODE_SCALAR, .text = text, .place = {"--set", 1, 1}, .text_column = 1};
}

/* A value given from outside stands for the file's own, and has its dimension. The value
 * counts already, so that the file's own may depend on what depends on it. */
static int scope_fit(struct source *s, struct value_reader *r, struct source_parameter *p,
                     const struct node *own, const struct node *given, const char *what)
{
    struct expr_value declared;
    struct expr_error error;
    char si[UNIT_TEXT];
    struct source_scope where = {s, p->component, NULL};
    struct expr_scope names = scope_of(&where, EXPR_LIVE);
    int index = (int)(p - s->parameter);
    if (own == given || !own || own->kind != NODE_SCALAR || reader_is_empty(own)) return 1;
    p->state = PARAMETER_GOOD;
    int known = expr_eval(own->text, &names, s->memory, &declared, &error);
    p = &s->parameter[index];
    if (!known || !declared.has_dimension) return 1;
    unit_write(&declared.dimension, si);
    static const struct dimension PURE;
    if (unit_is_same(&declared.dimension, &PURE)) si[0] = 0;
    if (!value_fits(r, given, what, si, &p->value)) return 0;
    p->value.has_dimension = 1;
    p->value.dimension = declared.dimension;
    return 1;
}

static int scope_read_value(struct source *s, struct source_parameter *p)
{
    struct source_scope where = p->scope;
    struct expr_scope names = scope_of(&where, EXPR_LIVE);
    struct value_reader r = {s->memory, s->diags, &names, NULL};
    const struct node *found[SCHEMA_MAX_KEYS] = {0}, *value = p->node;
    char what[SOURCE_MAX_PATH + 16];
    struct node set;
    snprintf(what, sizeof what, "parameter %s", p->path);
    int is_map = p->declared->kind == NODE_MAP;
    if (is_map && !schema_walk(&KEYS_PARAMETER, p->declared, what, s->diags, found)) return 0;
    if (is_map && p->node == p->declared) value = found[PARAMETER_KEY_VALUE];
    if (p->set) set = scope_set_node(p->set), value = &set;
    if (found[PARAMETER_KEY_LIVE] && !value_flag(&r, found[PARAMETER_KEY_LIVE], "live", &p->live))
        return 0;
    if (!value || reader_is_empty(value)) {
        message_add(s->diags, p->declared->key->place, MESSAGE_PARAMETER_MISSING,
                    "%s has no value here; whoever uses this file must give one", what);
        return 0;
    }
    if (!value_expression(&r, value, what, NULL, &p->value)) return 0;
    const struct node *own = is_map ? found[PARAMETER_KEY_VALUE] : p->declared;
    if (!scope_fit(s, &r, p, own, value, what)) return 0;
    return scope_read_range(&r, p, found[PARAMETER_KEY_RANGE]);
}

static void scope_read(struct source *s, struct source_parameter *p, int index)
{
    if (s->chain >= SOURCE_MAX_CHAIN) {
        message_add(
            s->diags, p->declared->key->place, MESSAGE_PARAMETER_CYCLE,
            "more than %d parameters wait for each other at %s; put the first of them first",
            SOURCE_MAX_CHAIN, p->path);
        p->state = PARAMETER_WRONG;
        return;
    }
    s->chain++;
    p->state = PARAMETER_BUSY;
    int good = scope_read_value(s, p);
    s->chain--;
    if (good && p->live && !(p->value.uses & EXPR_LIVE)) scope_make_live(s, p, index);
    p->state = good ? PARAMETER_GOOD : PARAMETER_WRONG;
}

/* ---- declaring ----------------------------------------------------------------- */

/* The value of --set for a parameter, the last one given; NULL: none. */
static const char *scope_set_for(struct source *s, const char *path)
{
    const char *value = NULL;
    for (int i = 0; i < s->n_sets; i++) {
        if (strcmp(s->set[i].name, path) != 0) continue;
        s->set[i].used = 1;
        value = s->set[i].value;
    }
    return value;
}

static int scope_check_name(struct source *s, const struct node *entry)
{
    const char *name = entry->key->text;
    if (strcmp(name, "t") == 0 || strcmp(name, "pi") == 0) {
        message_add(s->diags, entry->key->place, MESSAGE_BAD_NAME,
                    "no parameter may be called '%s': it is %s everywhere", name,
                    name[0] == 't' ? "the time" : "3.14159...");
        return 0;
    }
    if (names_is_parameter(name) && strlen(name) < EXPR_NAME) return 1;
    message_add(
        s->diags, entry->key->place, MESSAGE_BAD_NAME,
        "'%.60s' is no name for a parameter: small letters, digits and _ only, a letter first",
        name);
    return 0;
}

static void scope_add(struct source *s, int component, const struct node *entry,
                      const struct node *given, const struct source_scope *user)
{
    if (!scope_check_name(s, entry)) return;
    const char *path = source_path(s, component, entry->key->text, entry->key->place);
    struct source_parameter *grown = path ? memory_grow(s->memory, s->parameter, s->n_parameters,
                                                        &s->parameter_capacity, sizeof *grown)
                                          : NULL;
    if (!grown) return;
    s->parameter = grown;
    int index = (int)s->n_parameters++;
    struct source_parameter *p = &s->parameter[index];
    *p = (struct source_parameter){.path = path,
                                   .node = entry,
                                   .declared = entry,
                                   .scope = {s, component, NULL},
                                   .component = component,
                                   .lower = -WIDEST,
                                   .upper = WIDEST,
                                   .set = scope_set_for(s, path)};
    if (given) p->node = given, p->scope = *user;
    (void)names_add(&s->component[component].parameters, entry->key->text, index);
    (void)names_add(&s->parameters, path, index);
}

static void scope_check_given(struct source *s, int component, const struct node *given)
{
    const struct source_component *c = &s->component[component];
    for (const struct node *g = given->first; g; g = g->next) {
        if (names_find(&c->parameters, g->key->text) >= 0) continue;
        const char *near = source_nearest(s, &c->parameters, g->key->text);
        message_add(s->diags, g->key->place, MESSAGE_UNKNOWN_PARAMETER,
                    "%s has no parameter '%.40s'%s%s%s", c->file, g->key->text,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

void scope_declare(struct source *s, int component, const struct node *parameters,
                   const struct node *given, const struct source_scope *user)
{
    s->component[component].parameters.memory = s->memory;
    if (parameters && parameters->n > SOURCE_MAX_PARAMETERS) {
        message_add(s->diags, parameters->key->place, MESSAGE_TOO_MANY_ELEMENTS,
                    "more than %d parameters", SOURCE_MAX_PARAMETERS);
        return;
    }
    if (parameters)
        for (const struct node *e = parameters->first; e; e = e->next)
            scope_add(s, component, e, given ? reader_find(given, e->key->text) : NULL, user);
    if (given) scope_check_given(s, component, given);
}

void scope_finish(struct source *s)
{
    for (size_t i = 0; i < s->n_parameters; i++) {
        struct expr_value ignored;
        (void)scope_value(s, (int)i, &ignored);
    }
    for (int i = 0; i < s->n_sets; i++) {
        if (s->set[i].used) continue;
        const char *near = source_nearest(s, &s->parameters, s->set[i].name);
        message_add(s->diags, (struct place){"--set", 0, 0}, MESSAGE_UNKNOWN_SET,
                    "the model has no parameter '%.60s'%s%s%s", s->set[i].name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}
