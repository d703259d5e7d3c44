#include "services/cli/manual.h"

#include <string.h>

#include "rt/mech/force.h"
#include "rt/mech/joint.h"
#include "rt/mech/sensor.h"
#include "services/load/model/fields.h"
#include "services/load/text/keys.h"
#include "services/load/rig/rig.h"
#include "services/load/text/unit.h"
#include "services/record/recorder_keys.h"

/* ---- keys ---------------------------------------------------------------------- */

static void print_row(FILE *to, const char *key, const char *value, const char *unit,
                      const char *fallback, const char *help)
{
    fprintf(to, "| `%s` | %s | %s | %s | %s |\n", key, value, unit, fallback, help);
}

static const char *fallback_text(const char *fallback)
{
    return !fallback ? "required" : strcmp(fallback, "nan") == 0 ? "see text" : fallback;
}

static void print_key(FILE *to, const struct schema_key *k)
{
    char value[120];
    if (k->choices)
        snprintf(value, sizeof value, "one of `%s`", k->choices);
    else
        snprintf(value, sizeof value, "%s", schema_kind_text(k->kind));
    print_row(to, k->key, value, k->unit ? k->unit : "", fallback_text(k->fallback), k->help);
}

static const char *field_kind_text(enum field_kind kind)
{
    static const char *const TEXT[FIELD_KIND_COUNT] = {
        [FIELD_SCALAR] = "a number",
        [FIELD_VECTOR] = "three numbers",
        [FIELD_TRIPLE] = "three numbers, or one for all",
        [FIELD_POINT] = "a point",
        [FIELD_DIRECTION] = "a direction",
        [FIELD_MATRIX6] = "6 numbers or 6 lists of 6",
        [FIELD_FUNCTION] = "a function of time",
        [FIELD_FUNCTION3] = "three functions of time",
        [FIELD_FRAME] = "a rotation",
        [FIELD_FLAG] = "true or false",
        [FIELD_CHOICE] = "a word"};
    return TEXT[kind];
}

/* A unit as the manual shows it: both readings where it follows the coordinate. */
static void unit_text(const char *unit, char *text, size_t size)
{
    char angle[UNIT_TEXT], length[UNIT_TEXT];
    (void)fields_unit(unit, 1, angle);
    (void)fields_unit(unit, 0, length);
    if (strcmp(angle, length) == 0)
        snprintf(text, size, "%s", angle);
    else
        snprintf(text, size, "%s or %s", angle, length);
}

static void print_field(FILE *to, const struct field *f)
{
    char unit[2 * UNIT_TEXT + 8], value[120];
    unit_text(f->unit, unit, sizeof unit);
    if (f->choices)
        snprintf(value, sizeof value, "one of `%s`", f->choices);
    else
        snprintf(value, sizeof value, "%s", field_kind_text(f->kind));
    print_row(to, f->key, value, unit, fallback_text(f->fallback), f->help);
}

static void print_header(FILE *to)
{
    fprintf(to, "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n");
}

void manual_print_schema(const struct schema *s, FILE *to)
{
    print_header(to);
    for (int i = 0; i < s->n_keys; i++) print_key(to, &s->key[i]);
    for (int i = 0; i < s->n_fields; i++) print_field(to, &s->field[i]);
}

/* ---- tables of types ----------------------------------------------------------- */

static void print_type_fields(FILE *to, const struct field *field, int n)
{
    if (n == 0) return;
    fprintf(to, "\n");
    print_header(to);
    for (int i = 0; i < n; i++) print_field(to, &field[i]);
}

static void print_coordinates(FILE *to, const struct joint_type *t)
{
    for (int i = 0; i < joint_coordinate_count(t); i++)
        fprintf(to, "%s`%s`", i ? ", " : "", joint_coordinate_name(t, i));
}

static void print_joint_types(FILE *to)
{
    fprintf(to, "| type | what it does | rows | coordinates | own keys |\n|---|---|---|---|---|\n");
    for (int i = 0; i < JOINT_TYPE_COUNT; i++) {
        const struct joint_type *t = &JOINT_TYPE[i];
        fprintf(to, "| `%s` | %s | %d | ", t->name, t->help, t->n_rows);
        print_coordinates(to, t);
        fprintf(to, " | ");
        if (t->needs_axis) fprintf(to, "`axis` required. ");
        if (t->needs_axis_b) fprintf(to, "`axis-b` required. ");
        for (int k = 0; k < t->n_fields; k++)
            fprintf(to, "`%s` (%s%s%s): %s", t->field[k].key, t->field[k].unit,
                    t->field[k].unit[0] ? ", " : "", fallback_text(t->field[k].fallback),
                    t->field[k].help);
        fprintf(to, " |\n");
    }
}

/* How a type names what it acts on. */
static const char *refs_text(unsigned refs)
{
    if (refs & REF_BETWEEN) return "`between`";
    if (refs & REF_BODY) return "`body`";
    if (refs & REF_FORCE) return "`force`";
    if (!(refs & REF_JOINT)) return "nothing else";
    if ((refs & (REF_ANGLE | REF_LENGTH)) == (REF_ANGLE | REF_LENGTH))
        return "`joint`, `coordinate`";
    if (refs & REF_FOLLOWS) return "`joint`, `coordinate`, `follows`";
    if (refs & REF_PHASE) return "`joint`, `coordinate` (a length), `phase`";
    if (refs & REF_ANGLE) return "`joint`, `coordinate` (an angle)";
    if (refs & REF_LENGTH) return "`joint`, `coordinate` (a length)";
    return "`joint`";
}

static void print_force_types(FILE *to, enum force_section section)
{
    char unit[2 * UNIT_TEXT + 8];
    for (int i = 0; i < FORCE_TYPE_COUNT; i++) {
        const struct force_type *t = FORCE_TYPE[i];
        if (t->section != section) continue;
        unit_text(section == FORCE_IN_ACTUATORS && t->command_unit ? t->command_unit : t->unit,
                  unit, sizeof unit);
        fprintf(to, "\n**`%s`** with %s: %s. %s %s.\n", t->name, refs_text(t->refs), t->help,
                section == FORCE_IN_ACTUATORS ? "Command in" : "Its sensor shows", unit);
        print_type_fields(to, t->field, t->n_fields);
    }
}

static void print_forces(FILE *to) { print_force_types(to, FORCE_IN_FORCES); }

static void print_actuators(FILE *to) { print_force_types(to, FORCE_IN_ACTUATORS); }

static void print_sensor_types(FILE *to)
{
    char unit[2 * UNIT_TEXT + 8];
    fprintf(to,
            "| type | names | channels | unit | shows | own keys |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < SENSOR_TYPE_COUNT; i++) {
        const struct sensor_type *t = &SENSOR_TYPE[i];
        unit_text(strcmp(t->unit, "F") == 0 ? "as the force" : t->unit, unit, sizeof unit);
        fprintf(to, "| `%s` | %s | %s | %s | %s | ", t->name, refs_text(t->refs),
                t->n_channels == 1 ? "1"
                : t->n_channels    ? t->suffix
                                   : "1 or x y z",
                unit, t->help);
        for (int k = 0; k < t->n_fields; k++)
            fprintf(to, "%s`%s` (%s%s%s): %s", k ? "; " : "", t->field[k].key, t->field[k].unit,
                    t->field[k].unit[0] ? ", " : "", fallback_text(t->field[k].fallback),
                    t->field[k].help);
        fprintf(to, " |\n");
    }
}

static void print_units(FILE *to)
{
    const char *name;
    struct unit u;
    int prefixes;
    char si[UNIT_TEXT];
    fprintf(to, "| unit | in SI | prefixes n u m c k M G |\n|---|---|---|\n");
    for (int i = 0; unit_list(i, &name, &u, &prefixes); i++) {
        unit_write(&u.dimension, si);
        fprintf(to, "| `%s` | %.10g %s | %s |\n", name, u.scale,
                strcmp(si, "a pure number") == 0 ? "" : si, prefixes ? "yes" : "no");
    }
}

static void print_solids(FILE *to)
{
    for (int i = 0; i < SOLID_COUNT; i++) {
        fprintf(to, "\n**%s**\n\n", KEYS_SOLID[i].what);
        manual_print_schema(&KEYS_SOLID[i], to);
    }
}

static void print_element_keys(FILE *to)
{
    print_header(to);
    for (int i = 0; i < ELEMENT_KEY_COUNT; i++) print_key(to, &KEYS_ELEMENT[i]);
}

static const struct {
    const char *name;
    const struct schema *schema; /* or ... */
    void (*print)(FILE *to);
} TABLE[] = {
    {"model", &KEYS_MODEL, 0},
    {"parameter", &KEYS_PARAMETER, 0},
    {"integrator", &KEYS_INTEGRATOR, 0},
    {"body", &KEYS_BODY, 0},
    {"rotation", &KEYS_ROTATION, 0},
    {"solids", 0, print_solids},
    {"shape", &KEYS_SHAPE, 0},
    {"joint", &KEYS_JOINT, 0},
    {"gear", &KEYS_GEAR, 0},
    {"joint-types", 0, print_joint_types},
    {"motion", &KEYS_MOTION, 0},
    {"switch", &KEYS_SWITCH, 0},
    {"function", &KEYS_FUNCTION, 0},
    {"ramp", &KEYS_RAMP, 0},
    {"sine", &KEYS_SINE, 0},
    {"table", &KEYS_TABLE, 0},
    {"element", 0, print_element_keys},
    {"forces", 0, print_forces},
    {"actuators", 0, print_actuators},
    {"sensors", 0, print_sensor_types},
    {"use", &KEYS_USE, 0},
    {"repeat", &KEYS_REPEAT, 0},
    {"units", 0, print_units},
    {"rig", 0, rig_write_format},
    {"recorder", &RECORDER_KEYS, 0},
};
enum { N_TABLES = sizeof TABLE / sizeof TABLE[0] };

const char *manual_name(int i) { return i >= 0 && i < N_TABLES ? TABLE[i].name : NULL; }

int manual_print(const char *name, FILE *to)
{
    for (int i = 0; i < N_TABLES; i++) {
        if (strcmp(TABLE[i].name, name) != 0) continue;
        if (TABLE[i].schema)
            manual_print_schema(TABLE[i].schema, to);
        else
            TABLE[i].print(to);
        return 1;
    }
    return 0;
}

int manual_refresh(FILE *in, FILE *out, char unknown[64])
{
    char line[4096];
    int tables = 0, skip = 0;
    while (fgets(line, sizeof line, in)) {
        char name[64];
        if (strncmp(line, "<!-- end -->", 12) == 0) skip = 0;
        if (!skip) fputs(line, out);
        if (sscanf(line, "<!-- table %63[a-z-] -->", name) != 1) continue;
        snprintf(unknown, 64, "%s", name);
        if (!manual_print(name, out)) return -1;
        tables++;
        skip = 1;
    }
    return tables;
}
