#include "services/load/model/expand.h"

#include <stdio.h>
#include <string.h>

#include "services/load/text/keys.h"
#include "services/load/model/rotation.h"
#include "services/load/model/scope.h"

static void expand_sections(const struct source_scope *scope, const struct node *const *section,
                            int depth);

/* ---- elements ------------------------------------------------------------------ */

static int expand_check_name(struct source *s, const char *name, struct place at)
{
    if (strcmp(name, "ground") == 0) {
        message_add(s->diags, at, MESSAGE_BAD_NAME,
                    "'ground' is the world itself and cannot be the name of anything");
        return 0;
    }
    if (names_is_name(name)) return 1;
    message_add(s->diags, at, MESSAGE_BAD_NAME,
                "'%.60s' is no name: small letters, digits and - only, a letter first", name);
    return 0;
}

static int expand_count(struct source *s, struct place at)
{
    if (++s->n_elements <= s->max_elements) return 1;
    if (s->n_elements == s->max_elements + 1)
        message_add(s->diags, at, MESSAGE_TOO_MANY_ELEMENTS, "the model has more than %zu elements",
                    s->max_elements);
    return 0;
}

static void expand_element(const struct source_scope *scope, enum source_section section,
                           const struct node *entry)
{
    struct source *s = scope->source;
    struct source_elements *list = &s->section[section];
    if (!expand_count(s, entry->key->place)) return;
    const char *name = source_name(scope, entry->key);
    if (!name || !expand_check_name(s, name, entry->key->place)) return;
    const char *path = source_path(s, scope->component, name, entry->key->place);
    struct source_element *grown = path ? memory_grow(s->memory, list->item, list->n,
                                                      &list->capacity, sizeof *grown)
                                        : NULL;
    if (!grown) return;
    list->item = grown;
    list->item[list->n] = (struct source_element){entry, path, *scope};
    int added = names_add(&list->names, path, (int)list->n);
    if (added > 0) list->n++;
    if (added == 0)
        message_add(s->diags, entry->key->place, MESSAGE_DUPLICATE_NAME,
                    "%s: the name '%s' is taken already, in line %d", source_section_key(section),
                    path, list->item[names_find(&list->names, path)].node->key->place.line);
}

/* ---- components ---------------------------------------------------------------- */

/* Take ./ and name/.. out of a path, in place. */
static void expand_tidy_path(char *path)
{
    char *out = path;
    for (const char *c = path; *c;) {
        size_t n = strcspn(c, "/"), step = n + (c[n] == '/');
        int up = n == 2 && c[0] == '.' && c[1] == '.';
        char *last = out; /* begin of the last name kept, with its slash behind it */
        if (out > path) {
            last = out - 1;
            while (last > path && last[-1] != '/') last--;
        }
        int can_go = out > path && out[-1] == '/' && last < out - 1 && strncmp(last, "../", 3) != 0;
        if (up && can_go)
            out = last;
        else if (n != 1 || c[0] != '.')
            memmove(out, c, step), out += step;
        c += step;
    }
    *out = 0;
}

/* The folder of `from` and a path in it. */
static const char *expand_file_path(struct source *s, const char *from, const char *path)
{
    const char *slash = strrchr(from, '/');
    size_t dir = path[0] == '/' || !slash ? 0 : (size_t)(slash - from) + 1;
    size_t n = strlen(path);
    char *joined = memory_take(s->memory, dir + n + 1, 1);
    if (!joined) return NULL;
    snprintf(joined, dir + n + 1, "%.*s%s", (int)dir, from, path);
    expand_tidy_path(joined);
    return joined[0] ? joined : ".";
}

static const struct node *expand_open(struct source *s, const char *path, struct place at)
{
    const struct node *root = NULL;
    int known = names_find(&s->files, path);
    if (known >= 0) return s->tree[known];
    const struct node **grown = memory_grow(s->memory, s->tree, s->n_trees, &s->tree_capacity,
                                            sizeof *grown);
    if (!grown) return NULL;
    s->tree = grown;
    if (reader_read_file(path, s->memory, s->diags, &root) != STATUS_OK && !root) {
        message_add(s->diags, at, MESSAGE_FILE, "the component file %s cannot be used", path);
    }
    s->tree[s->n_trees] = root;
    (void)names_add(&s->files, path, (int)s->n_trees++);
    return root;
}

/* 1 after a message if the file is one of those around it, or the nesting too deep. */
static int expand_is_cycle(const struct source_scope *scope, const char *path, struct place at)
{
    struct source *s = scope->source;
    int depth = s->component[scope->component].depth;
    for (int c = scope->component; c >= 0; c = s->component[c].parent) {
        if (strcmp(s->component[c].file, path) != 0 && depth < SOURCE_MAX_DEPTH) continue;
        message_add(s->diags, at, MESSAGE_COMPONENT_CYCLE,
                    depth < SOURCE_MAX_DEPTH ? "%s uses itself, by way of %s"
                                             : "components stand too deep in each other: %s in %s",
                    path, s->component[scope->component].file);
        return 1;
    }
    return 0;
}

static struct placement expand_placement(const struct source_scope *scope,
                                         const struct node *const *found)
{
    struct source_scope where = *scope;
    struct expr_scope names = scope_of(&where, 0);
    struct value_reader r = {scope->source->memory, scope->source->diags, &names, NULL};
    struct placement p = placement_none();
    if (found[USE_KEY_POSITION])
        (void)value_numbers(&r, found[USE_KEY_POSITION], "position", "m", 3, p.x);
    if (found[USE_KEY_ROTATION]) (void)rotation_read(&r, found[USE_KEY_ROTATION], "rotation", p.q);
    if (found[USE_KEY_MIRROR])
        (void)value_choice(&r, found[USE_KEY_MIRROR], "mirror", "x y z", &p.mirror);
    return placement_compose(&scope->source->component[scope->component].placement, &p);
}

/* Add a component and return its index, or -1. */
static int expand_add_component(struct source *s, struct source_component c)
{
    if (s->n_components > SOURCE_MAX_COMPONENTS) return -1;
    if (s->n_components == SOURCE_MAX_COMPONENTS) {
        message_add(s->diags, c.place, MESSAGE_TOO_MANY_ELEMENTS,
                    "the model has more than %d components", SOURCE_MAX_COMPONENTS);
        s->n_components++;
        return -1;
    }
    struct source_component *grown = memory_grow(s->memory, s->component, s->n_components,
                                                 &s->component_capacity, sizeof *grown);
    if (!grown) return -1;
    s->component = grown;
    c.parameters.memory = c.shows.memory = s->memory;
    s->component[s->n_components] = c;
    return (int)s->n_components++;
}

static void expand_shows(struct source *s, int component, const struct node *shows)
{
    struct source_scope scope = {s, component, NULL};
    for (const struct node *e = shows ? shows->first : NULL; e; e = e->next) {
        const char *name = e->kind == NODE_SCALAR ? source_name(&scope, e) : NULL;
        const char *path = name ? source_path(s, component, name, e->place) : NULL;
        if (!path || source_is_broken(s, path)) continue;
        if (names_find(&s->section[SECTION_BODIES].names, path) >= 0) {
            (void)names_add(&s->component[component].shows, path, 0);
            continue;
        }
        const char *near = source_nearest(s, &s->section[SECTION_BODIES].names, path);
        message_add(s->diags, e->place, MESSAGE_UNKNOWN_BODY,
                    "shows: there is no body '%.60s'%s%s%s", name, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    }
}

/* Everything in a file, in the scope of its component. */
static void expand_contents(struct source *s, int component, const struct node *given,
                            const struct source_scope *user)
{
    const struct node *found[SCHEMA_MAX_KEYS];
    struct source_scope scope = {s, component, NULL};
    const struct source_component *c = &s->component[component];
    (void)schema_walk(&KEYS_MODEL, c->root, component ? c->path : "the model", s->diags, found);
    value_format(&(struct value_reader){s->memory, s->diags, NULL, NULL}, found[MODEL_KEY_FORMAT]);
    scope_declare(s, component, found[MODEL_KEY_PARAMETERS], given, user);
    const struct node *section[] = {
        found[MODEL_KEY_BODIES],   found[MODEL_KEY_JOINTS],    found[MODEL_KEY_MOTIONS],
        found[MODEL_KEY_FORCES],   found[MODEL_KEY_ACTUATORS], found[MODEL_KEY_SENSORS],
        found[MODEL_KEY_SWITCHES], found[MODEL_KEY_USE],       found[MODEL_KEY_REPEAT]};
    expand_sections(&scope, section, 0);
    expand_shows(s, component, found[MODEL_KEY_SHOWS]);
}

/* Place of the file and its tree; 0 after a message. */
static int expand_find_file(const struct source_scope *scope, const struct node *file,
                            struct source_component *c)
{
    struct source *s = scope->source;
    if (!file) return 0;
    if (!file->text[0]) {
        message_add(s->diags, file->place, MESSAGE_FILE,
                    "%s: file must be the path of a model file, not nothing", c->path);
        return 0;
    }
    c->file = expand_file_path(s, s->component[scope->component].file, file->text);
    if (!c->file || expand_is_cycle(scope, c->file, file->place)) return 0;
    c->root = expand_open(s, c->file, file->place);
    return c->root != NULL;
}

static void expand_use(const struct source_scope *scope, const struct node *entry)
{
    struct source *s = scope->source;
    const struct node *found[SCHEMA_MAX_KEYS];
    struct place at = entry->key->place;
    if (source_is_hopeless(s) || !expand_count(s, at)) return;
    (void)schema_walk(&KEYS_USE, entry, entry->key->text, s->diags, found);
    const char *name = source_name(scope, entry->key);
    if (!name || !expand_check_name(s, name, at)) return;
    struct source_component c = {
        .place = at, .parent = scope->component, .depth = s->component[scope->component].depth + 1};
    c.path = source_path(s, scope->component, name, at);
    if (!c.path) return;
    if (!expand_find_file(scope, found[USE_KEY_FILE], &c)) {
        (void)names_add(&s->broken, c.path, 0);
        return;
    }
    c.placement = expand_placement(scope, found);
    int component = expand_add_component(s, c);
    if (component >= 0) expand_contents(s, component, found[USE_KEY_PARAMETERS], scope);
}

/* ---- repeats ------------------------------------------------------------------- */

static int expand_range(struct value_reader *r, const struct node *entry,
                        const struct node *const *found, long *from, long *to)
{
    const long most = 1000000000;
    long count;
    *from = 1;
    if (found[REPEAT_KEY_FROM] &&
        !value_integer(r, found[REPEAT_KEY_FROM], "from", -most, most, from))
        return 0;
    if ((found[REPEAT_KEY_TO] != 0) == (found[REPEAT_KEY_COUNT] != 0)) {
        message_add(r->diags, entry->place, MESSAGE_EXCLUSIVE, "repeat needs one of: to; count");
        return 0;
    }
    if (found[REPEAT_KEY_TO]) return value_integer(r, found[REPEAT_KEY_TO], "to", -most, most, to);
    if (!value_integer(r, found[REPEAT_KEY_COUNT], "count", 0, most, &count)) return 0;
    *to = *from + count - 1;
    return 1;
}

static void expand_repeat(const struct source_scope *scope, const struct node *entry, int depth)
{
    struct source *s = scope->source;
    const struct node *found[SCHEMA_MAX_KEYS];
    struct source_scope inner = *scope;
    struct expr_scope names = scope_of(&inner, 0);
    struct value_reader r = {s->memory, s->diags, &names, NULL};
    long from, to;
    if (depth > SOURCE_MAX_DEPTH || source_is_hopeless(s) || !expand_count(s, entry->place)) return;
    if (!schema_walk(&KEYS_REPEAT, entry, "repeat", s->diags, found)) return;
    if (!expand_range(&r, entry, found, &from, &to)) return;
    const struct node *named = found[REPEAT_KEY_INDEX];
    const char *index = named ? named->text : "i";
    struct place place = named ? named->place : entry->place;
    if (!names_is_parameter(index) || strcmp(index, "t") == 0 || strcmp(index, "pi") == 0) {
        message_add(s->diags, place, MESSAGE_BAD_NAME, "'%.40s' is no name for an index", index);
        return;
    }
    for (long i = from; i <= to && !source_is_hopeless(s); i++) {
        struct source_loop *loop = memory_take(s->memory, 1, sizeof *loop);
        if (!loop || !expand_count(s, entry->place)) return;
        *loop = (struct source_loop){index, (double)i, scope->loop};
        inner.loop = loop;
        expand_sections(&inner, found + REPEAT_KEY_BODIES, depth + 1);
    }
}

/* The sections of elements, then use, then repeat; NULL where missing. */
static void expand_sections(const struct source_scope *scope, const struct node *const *section,
                            int depth)
{
    for (int k = 0; k < SECTION_COUNT; k++)
        for (const struct node *e = section[k] ? section[k]->first : NULL; e; e = e->next)
            expand_element(scope, (enum source_section)k, e);
    const struct node *use = section[SECTION_COUNT], *repeat = section[SECTION_COUNT + 1];
    for (const struct node *e = use ? use->first : NULL; e; e = e->next) expand_use(scope, e);
    for (const struct node *e = repeat ? repeat->first : NULL; e; e = e->next)
        expand_repeat(scope, e, depth);
}

/* ---- the whole ----------------------------------------------------------------- */

enum status expand_model(struct source *s, const char *file, const struct node *root)
{
    if (!s->max_elements) s->max_elements = SOURCE_MAX_ELEMENTS;
    s->parameters.memory = s->files.memory = s->broken.memory = s->memory;
    for (int k = 0; k < SECTION_COUNT; k++) s->section[k].names.memory = s->memory;
    struct source_component c = {.path = "",
                                 .file = file,
                                 .root = root,
                                 .place = root->place,
                                 .parent = -1,
                                 .placement = placement_none()};
    if (expand_add_component(s, c) < 0) return STATUS_NO_MEMORY;
    expand_contents(s, 0, NULL, NULL);
    scope_finish(s);
    if (s->memory->failed) return STATUS_NO_MEMORY;
    return s->diags->n_errors ? STATUS_REFUSED : STATUS_OK;
}
