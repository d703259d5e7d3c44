#include "services/opcua/lane/pubsub_layout.h"

#include <stdio.h>
#include <string.h>

#include "services/client/words.h"
#include "services/opcua/access/digest.h"
#include "services/opcua/space/values.h"

static const struct pubsub_entry HEAD[PUBSUB_FIELDS] = {
#define X(code, field, kind, si, words) {.name = field, .type = kind, .unit = si, .help = words},
    PUBSUB_FIELD_LIST(X)
#undef X
};
static const struct pubsub_entry COMMAND_HEAD[] = {
    {.name = "Epoch",
     .type = "UInt64",
     .unit = "",
     .help = "Number of AcquireAuthority(\"pubsub\")"},
    {.name = "Counter", .type = "UInt64", .unit = "", .help = "above that of the message before"},
};
enum { COMMAND_FIELDS = 2 };

uint32_t pubsub_fields(const struct model *m, enum pubsub_way way)
{
    return way == PUBSUB_SENSORS ? PUBSUB_FIELDS + (uint32_t)m->n_channels
                                 : COMMAND_FIELDS + m->actuators.n;
}

static void describe_channel(const struct model *m, uint32_t channel, struct pubsub_entry *to)
{
    *to = (struct pubsub_entry){.type = "Double", .unit = "", .help = ""};
    words_channel(m, channel, to->name, sizeof to->name);
    for (uint32_t i = 0; i < m->sensors.n; i++) {
        const struct model_sensor *s = &model_sensors(m)[i];
        if (channel - s->channel_at >= s->n_channels) continue;
        to->unit = model_text(m, s->unit);
        to->help = model_text(m, s->help);
    }
}

static void describe_actuator(const struct model *m, uint32_t i, struct pubsub_entry *to)
{
    const struct model_actuator *a = &model_actuators(m)[i];

    *to = (struct pubsub_entry){
        .type = "Double", .unit = model_text(m, a->unit), .help = model_text(m, a->help)};
    snprintf(to->name, sizeof to->name, "%s", model_text(m, a->name));
}

void pubsub_describe(const struct model *m, enum pubsub_way way, uint32_t i,
                     struct pubsub_entry *to)
{
    if (way == PUBSUB_SENSORS && i < PUBSUB_FIELDS)
        *to = HEAD[i];
    else if (way == PUBSUB_SENSORS)
        describe_channel(m, i - PUBSUB_FIELDS, to);
    else if (i < COMMAND_FIELDS)
        *to = COMMAND_HEAD[i];
    else
        describe_actuator(m, i - COMMAND_FIELDS, to);
}

uint32_t pubsub_version(const struct model *m, enum pubsub_way way)
{
    uint32_t n = pubsub_fields(m, way);
    struct pubsub_entry e;
    uint8_t chain[32 + PUBSUB_NAME + 32] = {0};

    for (uint32_t i = 0; i < n; i++) {
        int len;
        pubsub_describe(m, way, i, &e);
        len = snprintf((char *)chain + 32, sizeof chain - 32, "%s %s", e.name, e.type);
        digest_eval(chain, 32 + (size_t)len, chain);
    }
    return (uint32_t)chain[0] << 24 | (uint32_t)chain[1] << 16 | (uint32_t)chain[2] << 8 | chain[3];
}

size_t pubsub_bytes(const struct model *m, const struct fastlane *set)
{
    uint8_t buffer[UADP_OVERHEAD];
    struct uadp_key key = {.token = 1};
    struct uadp_head h = {.id = set->id, .key = set->keys ? &key : NULL};
    struct uadp_writer w;

    uadp_begin(&w, buffer, sizeof buffer, &h);
    uadp_put_count(&w, 0);
    uadp_put_number(&w, 0, 0);
    uadp_put_int(&w, 0);
    uadp_put_status(&w, 0);
    uadp_put_count(&w, 0);
    return uadp_end(&w) + 10 * (size_t)m->n_channels;
}
