/* trapeze opcua pubsub RIG: the messages of the fast lane, field by field, so that the
 * other side can be set up. */
#include <jansson.h>
#include <stdio.h>

#include "services/cli/opcua.h"
#include "services/opcua/lane/pubsub_layout.h"
#include "services/run/rig_setup.h"

enum { ETHERNET = 1472 }; /* bytes of a datagram in one frame */

/* ---- the table ---------------------------------------------------------------------- */

static void print_fields(const struct model *m, enum pubsub_way way)
{
    struct pubsub_entry e;

    printf("  %5s  %-32s %-10s %-8s %s\n", "field", "name", "type", "unit", "what");
    for (uint32_t i = 0; i < pubsub_fields(m, way); i++) {
        pubsub_describe(m, way, i, &e);
        printf("  %5u  %-32s %-10s %-8s %s\n", i, e.name, e.type, e.unit, e.help);
    }
}

static void print_ids(const struct fastlane_id *id)
{
    printf("  PublisherId %d (UInt16), WriterGroupId %d, DataSetWriterId %d\n", id->publisher,
           id->group, id->writer);
}

static void print_sensors(const struct rig_setup *l)
{
    const struct fastlane *f = &l->rig.fastlane;
    size_t bytes = pubsub_bytes(l->model, f);
    uint32_t version = pubsub_version(l->model, PUBSUB_SENSORS);

    printf("sensors   opc.udp://%s:%d, every %d step%s (%g ms)\n", f->address, f->port, f->every,
           f->every > 1 ? "s" : "", f->every * l->rig.step * 1e3);
    print_ids(&f->id);
    printf("  UADP, one key frame of DataValues, ConfigurationVersion %u.%u\n", version, version);
    printf("  %s\n", f->keys ? "signed (HMAC-SHA-256, PubSub-Aes256-CTR keys), not encrypted: "
                               "authentic, but not confidential"
                             : "not signed");
    printf("  %zu bytes%s\n", bytes,
           bytes > ETHERNET ? ": more than one Ethernet frame, will be fragmented" : "");
    print_fields(l->model, PUBSUB_SENSORS);
}

static void print_commands(const struct rig_setup *l)
{
    const struct fastlane *f = &l->rig.fastlane;

    if (f->command_port == 0) {
        printf("\ncommands  none\n");
        return;
    }
    printf("\ncommands  opc.udp://%s:%d, under authority lent by a session\n", f->command_address,
           f->command_port);
    print_ids(&f->command_id);
    printf("  UADP, one key frame of Variants, RawData or DataValues, not secured\n");
    print_fields(l->model, PUBSUB_COMMANDS);
}

/* ---- JSON --------------------------------------------------------------------------- */

static json_t *json_way(const struct model *m, enum pubsub_way way, const struct fastlane_id *id,
                        const char *address, int port)
{
    json_t *fields = json_array();
    struct pubsub_entry e;

    for (uint32_t i = 0; i < pubsub_fields(m, way); i++) {
        pubsub_describe(m, way, i, &e);
        json_array_append_new(fields, json_pack("{s:s, s:s, s:s, s:s}", "name", e.name, "type",
                                                e.type, "unit", e.unit, "description", e.help));
    }
    return json_pack("{s:s, s:i, s:i, s:s, s:i, s:i, s:I, s:o}", "address", address, "port", port,
                     "publisherId", id->publisher, "publisherIdType", "UInt16", "writerGroupId",
                     id->group, "dataSetWriterId", id->writer, "configurationVersion",
                     (json_int_t)pubsub_version(m, way), "fields", fields);
}

static void print_json(const struct rig_setup *l)
{
    const struct fastlane *f = &l->rig.fastlane;
    json_t *sensors = json_way(l->model, PUBSUB_SENSORS, &f->id, f->address, f->port);
    json_t *commands = json_null(), *root;

    if (f->command_port)
        commands = json_way(l->model, PUBSUB_COMMANDS, &f->command_id, f->command_address,
                            f->command_port);
    json_object_set_new(sensors, "every", json_integer(f->every));
    json_object_set_new(sensors, "interval_s", json_real(f->every * l->rig.step));
    json_object_set_new(sensors, "signed", json_boolean(f->keys));
    json_object_set_new(sensors, "encrypted", json_false());
    json_object_set_new(sensors, "fieldEncoding", json_string("DataValue"));
    json_object_set_new(sensors, "bytes", json_integer((json_int_t)pubsub_bytes(l->model, f)));
    root = json_pack("{s:o, s:o}", "sensors", sensors, "commands", commands);
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(root);
}

enum status opcua_pubsub(const struct verb_call *call, int json)
{
    struct rig_setup l;
    enum status s;

    if (call->n_arguments != 2) return STATUS_USAGE;
    s = rig_setup_create(&l, call->argument[1], call->set, call->n_sets);
    if (s != STATUS_OK) return s;
    if (!l.rig.fastlane.on) {
        fprintf(stderr,
                "trapeze: %s has no fast lane; services: {opcua: {pubsub: }} switches it on\n",
                call->argument[1]);
        s = STATUS_REFUSED;
    } else if (json) {
        print_json(&l);
    } else {
        print_sensors(&l);
        print_commands(&l);
    }
    rig_setup_destroy(&l);
    return s;
}
