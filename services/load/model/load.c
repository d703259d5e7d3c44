#include "services/load/model/load.h"

#include <stdlib.h>
#include <string.h>

#include "services/load/model/compile.h"
#include "services/load/model/expand.h"
#include "services/load/text/reader.h"

/* Take "name=value" apart. */
static enum status load_sets(struct source *s, const struct load_options *options)
{
    struct source_set *set = memory_take(s->memory, (size_t)options->n_sets + 1, sizeof *set);
    if (!set) return STATUS_NO_MEMORY;
    for (int i = 0; i < options->n_sets; i++) {
        const char *text = options->sets[i], *equals = strchr(text, '=');
        if (!equals) {
            message_add(s->diags, (struct place){"--set", 0, 0}, MESSAGE_UNKNOWN_SET,
                        "'%.60s' must read name=value", text);
            return STATUS_REFUSED;
        }
        set[i].name = memory_text(s->memory, text, (size_t)(equals - text));
        set[i].value = equals + 1;
        if (!set[i].name) return STATUS_NO_MEMORY;
    }
    s->set = set;
    s->n_sets = options->n_sets;
    return STATUS_OK;
}

/* By keys that only a rig has, and none that only a model has. */
static int load_is_rig(const struct node *root)
{
    static const char *const RIG[] = {"rig", "step", "services", "pace", "autostart", "on-miss"};
    static const char *const MODEL[] = {"bodies", "joints", "use", "components", "forces"};
    int rig = 0;
    for (size_t i = 0; i < sizeof RIG / sizeof RIG[0]; i++)
        rig |= reader_find(root, RIG[i]) != NULL;
    for (size_t i = 0; i < sizeof MODEL / sizeof MODEL[0]; i++)
        if (reader_find(root, MODEL[i])) return 0;
    return rig;
}

static enum status load_tree(const char *path, const struct node *root, struct memory *memory,
                             const struct load_options *options, struct model **model,
                             struct diag_list *diags)
{
    struct source s = {.memory = memory, .diags = diags, .max_elements = options->max_elements};
    enum status status = load_sets(&s, options);
    if (status != STATUS_OK) return status;
    if (root->kind != NODE_MAP) {
        message_add(diags, root->place, MESSAGE_WRONG_KIND,
                    "a model file is a map of keys such as bodies and joints, not %s",
                    reader_kind_text(root));
        return STATUS_REFUSED;
    }
    if (load_is_rig(root)) {
        const struct node *own = reader_find(root, "model");
        message_add(
            diags, (struct place){path, 0, 0}, MESSAGE_WRONG_KIND,
            "this is a rig, a model file is wanted%s%.200s; run, admit, doctor and check take "
            "rigs",
            own && own->text ? ": its own is " : "", own && own->text ? own->text : "");
        return STATUS_REFUSED;
    }
    status = expand_model(&s, path, root);
    int cut_short = s.n_elements > s.max_elements || s.n_components > SOURCE_MAX_COMPONENTS;
    if (status == STATUS_NO_MEMORY || cut_short) return status;
    return compile_model(&s, model);
}

static const struct load_options NO_OPTIONS;

/* Most bytes one load may take: a file of the largest size and number of values needs
 * about a third of it; a small file that asks for more is a bomb. */
static const size_t LOAD_MEMORY = (size_t)384 << 20;

enum status load_model(const char *path, const struct load_options *options, struct model **model,
                       struct diag_list *diags)
{
    if (!options) options = &NO_OPTIONS;
    struct memory memory = {
        .limit = LOAD_MEMORY, .refuse = options->refuse, .context = options->context};
    const struct node *root;
    enum status status = reader_read_file(path, &memory, diags, &root);
    if (root) status = load_tree(path, root, &memory, options, model, diags);
    memory_release(&memory);
    return status;
}

enum status load_text(const char *path, const char *text, size_t n,
                      const struct load_options *options, struct model **model,
                      struct diag_list *diags)
{
    if (!options) options = &NO_OPTIONS;
    struct memory memory = {
        .limit = LOAD_MEMORY, .refuse = options->refuse, .context = options->context};
    const struct node *root;
    enum status status = reader_read_text(path, text, n, &memory, diags, &root);
    if (root) status = load_tree(path, root, &memory, options, model, diags);
    memory_release(&memory);
    return status;
}

void load_free(struct model *model) { free(model); }
