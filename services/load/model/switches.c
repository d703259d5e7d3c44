#include "services/load/model/switches.h"

#include <string.h>

#include "rt/mech/sensor.h"
#include "services/load/text/keys.h"
#include "services/load/model/references.h"

/* A channel of a sensor, as `tip.y` names it. */
struct channel {
    int32_t sensor, which;
    double scale;     /* value = SI value x scale */
    struct unit unit; /* of the sensor */
};

/* Number of a word in words separated by blanks, or -1. */
static int word_index(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0; *words; i++) {
        size_t length = strcspn(words, " ");
        if (length == n && strncmp(words, word, n) == 0) return i;
        words += length + strspn(words + length, " ");
    }
    return -1;
}

static int read_which(struct element *el, const struct node *node, const struct model_sensor *s,
                      const char *word)
{
    const char *suffix = s->n_channels > 1 ? SENSOR_TYPE[s->type].suffix : "";
    int which = word ? word_index(suffix, word) : suffix[0] ? -1 : 0;
    if (which >= 0) return which;
    if (!suffix[0])
        message_add(
            el->build->diags, node->place, MESSAGE_SWITCH,
            "%s: the sensor of '%.60s' has one channel only; leave out what follows the dot",
            el->path, node->text);
    else
        message_add(el->build->diags, node->place, MESSAGE_SWITCH,
                    "%s: say which channel of '%.60s' is meant, behind a dot: one of %s", el->path,
                    node->text, suffix);
    return -1;
}

static int read_channel(struct element *el, const struct node *node, struct channel *c)
{
    struct build *b = el->build;
    struct node name = *node;
    const char *dot = strrchr(node->text, '.');
    if (dot) name.text = memory_text(b->memory, node->text, (size_t)(dot - node->text));
    if (!name.text || !references_sensor(el, &name, &c->sensor)) return 0;
    /* a sensor that is wrong itself is reported and has no place in the list */
    if (build_count(b, BUILD_SENSORS) != b->source->section[SECTION_SENSORS].n) return 0;
    const struct model_sensor *s = build_at(b, BUILD_SENSORS, (size_t)c->sensor);
    c->which = read_which(el, node, s, dot ? dot + 1 : NULL);
    c->scale = s->scale;
    return c->which >= 0 && unit_parse(build_at(b, BUILD_TEXT, s->unit), &c->unit);
}

/* A number in the sensor's unit, as SI. c is NULL where the sensor is wrong: then only the
 * number itself is checked. */
static int read_level(struct element *el, const struct node *node, const char *key,
                      const struct channel *c, double *si)
{
    double v;
    if (!c) return value_number(&el->reader, node, key, NULL, si);
    if (!value_in_unit(&el->reader, node, key, &c->unit, &v)) return 0;
    *si = v / c->scale;
    return 1;
}

static int read_clear(struct element *el, const struct node *node, const struct channel *c,
                      double *clear)
{
    *clear = 1e-6;
    if (!node) return 1;
    if (!read_level(el, node, "clear", c, clear)) return 0;
    if (*clear > 0) return 1;
    message_add(el->build->diags, node->place, MESSAGE_OUT_OF_RANGE,
                "%s: clear is %g; it must be positive", el->path, *clear);
    return 0;
}

static int read_within(struct element *el, const struct node *range, const struct channel *c,
                       struct model_switch *s)
{
    if (range->n != 2) {
        message_add(el->build->diags, range->place, MESSAGE_WRONG_COUNT,
                    "%s: within must be a list of two numbers, [least, most]", el->path);
        return 0;
    }
    int good = read_level(el, range->first, "within", c, &s->lower);
    good &= read_level(el, range->first->next, "within", c, &s->upper);
    if (!good || s->lower < s->upper) return good;
    message_add(el->build->diags, range->place, MESSAGE_OUT_OF_RANGE,
                "%s: within is empty; the smaller number comes first", el->path);
    return 0;
}

static int read_guard(struct element *el, const struct node *sensor, const struct node *range,
                      struct model_switch *s)
{
    struct channel c;
    s->guard = MODEL_NONE;
    if (!sensor && !range) return 1;
    int known = sensor && read_channel(el, sensor, &c);
    int good = range && read_within(el, range, known ? &c : NULL, s) && known;
    if (good) s->guard = c.sensor, s->guard_channel = c.which;
    if (sensor && range) return good;
    message_add(el->build->diags, (sensor ? sensor : range)->place, MESSAGE_MISSING_KEY,
                "%s: '%s' is missing; while and within go together", el->path,
                sensor ? "within" : "while");
    return 0;
}

static int is_named_already(const struct build *b, const struct model_switch *s, int32_t joint)
{
    for (size_t i = s->change_at; i < build_count(b, BUILD_CHANGES); i++)
        if (((const struct model_change *)build_at(b, BUILD_CHANGES, i))->joint == joint) return 1;
    return 0;
}

static int read_change(struct element *el, const struct node *e, int on,
                       const struct model_switch *s)
{
    struct build *b = el->build;
    int32_t joint;
    if (!references_joint(el, e, &joint)) return 0;
    const struct model_joint *j = build_at(b, BUILD_JOINTS, (size_t)joint);
    if (j->type < 0) return 0; /* wrong itself, and reported */
    const char *wrong = !(j->flags & JOINT_SWITCHABLE)
                            ? "is not switchable; add switchable: true to it"
                        : is_named_already(b, s, joint) ? "is named twice"
                                                        : NULL;
    if (wrong) {
        message_add(b->diags, e->place, MESSAGE_SWITCH, "%s: the joint %s %s", el->path,
                    b->source->section[SECTION_JOINTS].item[joint].path, wrong);
        return 0;
    }
    struct model_change *c = build_add(b, BUILD_CHANGES, 1);
    if (!c) return 0;
    *c = (struct model_change){.joint = joint, .on = on};
    return 1;
}

/* The joints of `lock` or `release`. */
static int read_changes(struct element *el, const struct node *list, int on,
                        const struct model_switch *s)
{
    int good = 1;
    for (const struct node *e = list ? list->first : NULL; e; e = e->next)
        good &= read_change(el, e, on, s);
    return good;
}

static void compile_switch(struct element *el)
{
    struct build *b = el->build;
    const struct node *f[SCHEMA_MAX_KEYS];
    struct model_switch s = {.change_at = (uint32_t)build_count(b, BUILD_CHANGES)};
    struct channel c;
    int going = 0;
    int good = schema_walk(&KEYS_SWITCH, el->source->node, el->path, b->diags, f);
    int known = f[SWITCH_KEY_SENSOR] && read_channel(el, f[SWITCH_KEY_SENSOR], &c);
    const struct channel *channel = known ? &c : NULL;
    const struct node *crosses = f[SWITCH_KEY_CROSSES], *way = f[SWITCH_KEY_GOING];
    if (crosses) good &= read_level(el, crosses, "crosses", channel, &s.level);
    if (way)
        good &= value_choice(&el->reader, way, "going", KEYS_SWITCH.key[SWITCH_KEY_GOING].choices,
                             &going);
    good &= read_clear(el, f[SWITCH_KEY_CLEAR], channel, &s.clear);
    good &= read_guard(el, f[SWITCH_KEY_WHILE], f[SWITCH_KEY_WITHIN], &s);
    good &= read_changes(el, f[SWITCH_KEY_LOCK], 1, &s);
    good &= read_changes(el, f[SWITCH_KEY_RELEASE], 0, &s);
    if (!good || !known) return;
    s.n_changes = (uint32_t)build_count(b, BUILD_CHANGES) - s.change_at;
    if (s.n_changes == 0) {
        message_add(b->diags, el->source->node->key->place, MESSAGE_SWITCH,
                    "%s: it changes nothing; name joints under lock or release", el->path);
        return;
    }
    s.sensor = c.sensor, s.channel = c.which;
    s.going = going;
    s.origin = build_origin(b, el->source->node->key->place);
    s.name = build_text(b, el->path);
    s.component = el->where.component;
    struct model_switch *slot = build_add(b, BUILD_SWITCHES, 1);
    if (slot) *slot = s;
}

void switches_compile(struct build *b)
{
    const struct source_elements *list = &b->source->section[SECTION_SWITCHES];
    struct element el;
    for (size_t i = 0; i < list->n && !source_is_hopeless(b->source); i++) {
        build_open(b, &list->item[i], 0, &el);
        compile_switch(&el);
    }
}
