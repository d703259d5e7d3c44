#include "services/load/model/compile.h"

#include <stdlib.h>
#include <string.h>

#include "services/load/model/bodies.h"
#include "services/load/model/build.h"
#include "services/load/model/forces.h"
#include "services/load/model/joints.h"
#include "services/load/text/keys.h"
#include "services/load/model/scope.h"
#include "services/load/model/sensors.h"
#include "services/load/model/switches.h"

/* The value of a key of the outermost file, where it has the kind the schema wants;
 * the walk has complained about others. */
static const struct node *model_node(const struct build *b, enum keys_model key)
{
    return reader_find(b->source->component[0].root, KEYS_MODEL.key[key].key);
}

static void compile_integrator(struct build *b, const struct value_reader *r,
                               const struct node *node)
{
    const struct node *f[SCHEMA_MAX_KEYS];
    long iterations = 3;
    if (!node || !schema_walk(&KEYS_INTEGRATOR, node, "integrator", b->diags, f)) return;
    const struct node *rho = f[INTEGRATOR_KEY_RHO], *tolerance = f[INTEGRATOR_KEY_TOLERANCE];
    if (rho && strcmp(rho->text, "auto") != 0 && value_number(r, rho, "rho", "", &b->head.rho) &&
        (b->head.rho < 0 || b->head.rho > 1))
        message_add(b->diags, rho->place, MESSAGE_OUT_OF_RANGE,
                    "rho must be auto or lie between 0 and 1, not be %g", b->head.rho);
    if (tolerance && value_number(r, tolerance, "tolerance", "m", &b->head.tolerance) &&
        b->head.tolerance <= 0)
        message_add(b->diags, tolerance->place, MESSAGE_OUT_OF_RANGE,
                    "tolerance must be positive, not %g", b->head.tolerance);
    if (f[INTEGRATOR_KEY_ITERATIONS])
        (void)value_integer(r, f[INTEGRATOR_KEY_ITERATIONS], "iterations", 1, 20, &iterations);
    b->head.iterations = (int32_t)iterations;
}

static void compile_closure(struct build *b, const struct value_reader *r, const struct node *node)
{
    if (!node || !value_number(r, node, "closure", "m", &b->head.closure)) return;
    if (b->head.closure < 0)
        message_add(b->diags, node->place, MESSAGE_OUT_OF_RANGE, "closure must not be negative");
}

/* The model's name, or that of its file without folder and ending. */
static void compile_name(struct build *b, const struct node *node)
{
    const char *file = b->source->component[0].file, *slash = strrchr(file, '/');
    const char *stem = slash ? slash + 1 : file;
    size_t n = strcspn(stem, ".");
    char *name = memory_text(b->memory, stem, n);
    if (!name) return;
    b->head.name = build_text(b, node && node->kind == NODE_SCALAR && node->text[0] ? node->text
                                                                                    : name);
    b->head.file = build_text(b, file);
}

static void compile_head(struct build *b)
{
    struct source_scope where = {b->source, 0, NULL};
    struct expr_scope names = scope_of(&where, 0);
    struct value_reader r = {b->memory, b->diags, &names, NULL};
    const struct node *gravity = model_node(b, MODEL_KEY_GRAVITY);
    const struct node *settle = model_node(b, MODEL_KEY_SETTLE);
    int on = 0;
    b->head.rho = -1;
    b->head.tolerance = 1e-9;
    b->head.closure = -1;
    b->head.iterations = 3;
    compile_name(b, model_node(b, MODEL_KEY_MODEL));
    if (gravity && gravity->kind == NODE_LIST)
        (void)value_numbers(&r, gravity, "gravity", "m/s2", 3, b->head.gravity);
    compile_integrator(b, &r, model_node(b, MODEL_KEY_INTEGRATOR));
    compile_closure(b, &r, model_node(b, MODEL_KEY_CLOSURE));
    if (settle) (void)value_flag(&r, settle, "settle", &on);
    b->head.settle = on;
}

static void compile_components(struct build *b)
{
    for (size_t i = 0; i < b->source->n_components && i < SOURCE_MAX_COMPONENTS; i++) {
        const struct source_component *c = &b->source->component[i];
        struct model_component component = {.origin = build_origin(b, c->place),
                                            .name = build_text(b, c->path),
                                            .parent = c->parent};
        struct model_component *slot = build_add(b, BUILD_COMPONENTS, 1);
        if (slot) *slot = component;
    }
}

static void compile_parameters(struct build *b)
{
    for (size_t i = 0; i < b->source->n_parameters; i++) {
        const struct source_parameter *p = &b->source->parameter[i];
        char unit[UNIT_TEXT] = "";
        if (p->value.has_dimension) unit_write(&p->value.dimension, unit);
        if (strcmp(unit, "a pure number") == 0) unit[0] = 0;
        struct model_parameter parameter = {.origin = build_origin(b, p->declared->key->place),
                                            .name = build_text(b, p->path),
                                            .unit = build_text(b, unit),
                                            .flags = p->live ? PARAMETER_LIVE : 0,
                                            .value = p->value.value,
                                            .lower = p->lower,
                                            .upper = p->upper};
        struct model_parameter *slot = build_add(b, BUILD_PARAMETERS, 1);
        if (slot) *slot = parameter;
    }
}

enum status compile_model(struct source *s, struct model **model)
{
    struct build b;
    build_init(&b, s);
    compile_head(&b);
    compile_components(&b);
    compile_parameters(&b);
    bodies_compile(&b);
    joints_compile(&b);
    joints_compile_motions(&b);
    forces_compile(&b);
    sensors_compile(&b);
    switches_compile(&b);
    if (!s->diags->n_errors) bodies_note_free(&b);
    if (s->memory->failed) return STATUS_NO_MEMORY;
    if (s->diags->n_errors) return STATUS_REFUSED;
    struct model *m = build_finish(&b);
    if (!m) return STATUS_NO_MEMORY;
    forces_start(m);
    *model = m;
    return STATUS_OK;
}
