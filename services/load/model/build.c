#include "services/load/model/build.h"

#include <stdlib.h>
#include <string.h>

#include "services/load/model/scope.h"

static const size_t SIZE[BUILD_COUNT] = {
    [BUILD_BODIES] = sizeof(struct model_body),
    [BUILD_JOINTS] = sizeof(struct model_joint),
    [BUILD_COORDINATES] = sizeof(struct model_coordinate),
    [BUILD_TERMS] = sizeof(struct model_term),
    [BUILD_MOTIONS] = sizeof(struct model_motion),
    [BUILD_FORCES] = sizeof(struct model_force),
    [BUILD_ACTUATORS] = sizeof(struct model_actuator),
    [BUILD_SENSORS] = sizeof(struct model_sensor),
    [BUILD_SWITCHES] = sizeof(struct model_switch),
    [BUILD_CHANGES] = sizeof(struct model_change),
    [BUILD_COMPONENTS] = sizeof(struct model_component),
    [BUILD_PARAMETERS] = sizeof(struct model_parameter),
    [BUILD_FUNCTIONS] = sizeof(struct model_function),
    [BUILD_CODE] = sizeof(struct function_code),
    [BUILD_DERIVES] = sizeof(struct model_derive),
    [BUILD_SHAPES] = sizeof(struct model_shape),
    [BUILD_POOL] = sizeof(double),
    [BUILD_TEXT] = 1,
};

void build_init(struct build *b, struct source *s)
{
    *b = (struct build){.source = s, .memory = s->memory, .diags = s->diags};
    b->files.memory = s->memory;
    (void)build_text(b, "");
}

void *build_add(struct build *b, enum build_kind kind, size_t n)
{
    struct build_list *l = &b->list[kind];
    if (l->n + n > l->capacity) {
        size_t capacity = l->capacity ? l->capacity : 64;
        while (capacity < l->n + n) capacity *= 2;
        void *wider = memory_take(b->memory, capacity, SIZE[kind]);
        if (!wider) return NULL;
        if (l->n) memcpy(wider, l->item, l->n * SIZE[kind]);
        l->item = wider;
        l->capacity = capacity;
    }
    l->n += n;
    return build_at(b, kind, l->n - n);
}

void *build_at(const struct build *b, enum build_kind kind, size_t i)
{
    return (char *)b->list[kind].item + i * SIZE[kind];
}

size_t build_count(const struct build *b, enum build_kind kind) { return b->list[kind].n; }

uint32_t build_text(struct build *b, const char *text)
{
    size_t at = build_count(b, BUILD_TEXT), n = strlen(text) + 1;
    char *copy = build_add(b, BUILD_TEXT, n);
    if (!copy) return 0;
    memcpy(copy, text, n);
    return (uint32_t)at;
}

struct model_origin build_origin(struct build *b, struct place at)
{
    int known = names_find(&b->files, at.file);
    if (known < 0) {
        known = (int)build_text(b, at.file);
        (void)names_add(&b->files, at.file, known);
    }
    return (struct model_origin){(uint32_t)known, (uint32_t)at.line, (uint32_t)at.column};
}

uint32_t build_code(struct build *b, const struct function_code *code, int n)
{
    size_t at = build_count(b, BUILD_CODE);
    struct function_code *copy = build_add(b, BUILD_CODE, (size_t)n);
    if (copy) memcpy(copy, code, (size_t)n * sizeof *copy);
    return (uint32_t)at;
}

void build_derive(struct build *b, uint32_t pool_at, const struct function_code *code, int n)
{
    uint32_t code_at = build_code(b, code, n);
    struct model_derive *d = build_add(b, BUILD_DERIVES, 1);
    if (d)
        *d = (struct model_derive){.pool_at = pool_at, .code_at = code_at, .n_code = (uint32_t)n};
}

static struct model_span *build_span(struct model *m, enum build_kind kind)
{
    struct model_span *const SPAN[BUILD_COUNT] = {
        &m->bodies,    &m->joints,  &m->coordinates, &m->terms,   &m->motions,    &m->forces,
        &m->actuators, &m->sensors, &m->switches,    &m->changes, &m->components, &m->parameters,
        &m->functions, &m->code,    &m->derives,     &m->shapes,  &m->pool,       &m->text};
    return SPAN[kind];
}

struct model *build_finish(const struct build *b)
{
    const size_t align = 64;
    struct model head = b->head;
    size_t size = (sizeof head + align - 1) / align * align;
    for (int k = 0; k < BUILD_COUNT; k++) {
        *build_span(&head, (enum build_kind)k) = (struct model_span){(uint32_t)size,
                                                                     (uint32_t)b->list[k].n};
        size = (size + b->list[k].n * SIZE[k] + align - 1) / align * align;
    }
    if (size > UINT32_MAX || (b->memory->refuse && b->memory->refuse(b->memory->context)))
        return NULL;
    struct model *m = aligned_alloc(align, size);
    if (!m) return NULL;
    memset(m, 0, size);
    head.magic = MODEL_MAGIC;
    head.size = size;
    *m = head;
    for (int k = 0; k < BUILD_COUNT; k++)
        if (b->list[k].n)
            memcpy((char *)m + build_span(m, (enum build_kind)k)->at, b->list[k].item,
                   b->list[k].n * SIZE[k]);
    return m;
}

void build_open(struct build *b, const struct source_element *source, unsigned allow,
                struct element *el)
{
    el->build = b;
    el->source = source;
    el->path = source->path;
    el->placement = &b->source->component[source->scope.component].placement;
    el->where = source->scope;
    el->names = scope_of(&el->where, allow);
    el->reader = (struct value_reader){b->memory, b->diags, &el->names, el->path};
}
