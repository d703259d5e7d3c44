#include "services/record/recorder_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/load/text/value.h"

enum { KEY_FOLDER, KEY_EVERY, KEY_SEGMENT, KEY_KEEP, KEY_REQUIRED };

static const struct schema_key KEY[] = {
    [KEY_FOLDER] = {"folder", SCHEMA_TEXT, 0, "recordings", 0,
                    "where the files go, from the folder trapeze was started in"},
    [KEY_EVERY] = {"every", SCHEMA_NUMBER, "", "1", 0, "one step of so many"},
    [KEY_SEGMENT] = {"segment", SCHEMA_NUMBER, "s", "60", 0, "a new file after this time"},
    [KEY_KEEP] = {"keep", SCHEMA_TEXT, 0, "2 GB", 0,
                  "what this rig's files may take; the oldest are deleted"},
    [KEY_REQUIRED] = {"required", SCHEMA_FLAG, 0, "false", 0,
                      "the rig is not armed without it, and goes safe when it is lost"},
};
const struct schema RECORDER_KEYS = {"recorder", KEY, sizeof KEY / sizeof KEY[0], 0, 0};

/* "2 GB", "500 MB": bytes, or 0. */
static double read_bytes(const char *text)
{
    static const struct {
        const char *unit;
        double bytes;
    } UNIT[] = {{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
    char *end;
    double n = strtod(text, &end);
    while (*end == ' ') end++;
    for (size_t i = 0; i < sizeof UNIT / sizeof UNIT[0]; i++)
        if (strcmp(end, UNIT[i].unit) == 0 && isfinite(n) && n > 0) return n * UNIT[i].bytes;
    return 0;
}

static void read_all(const struct value_reader *r, const struct node *const *found,
                     struct recorder_keys *k)
{
    const struct node *keep = found[KEY_KEEP], *segment = found[KEY_SEGMENT];
    const char *text;
    if (found[KEY_FOLDER] && value_text(r, found[KEY_FOLDER], "folder", &text))
        snprintf(k->folder, sizeof k->folder, "%s", text);
    if (found[KEY_EVERY]) (void)value_integer(r, found[KEY_EVERY], "every", 1, 1000000, &k->every);
    if (segment && value_number(r, segment, "segment", "s", &k->segment_s) &&
        (k->segment_s < 1 || k->segment_s > 86400))
        value_complain(r, segment->place, MESSAGE_OUT_OF_RANGE, "segment",
                       " must lie between 1 s and 24 h, not be %g s", k->segment_s);
    if (!keep || !value_text(r, keep, "keep", &text)) return;
    k->keep_bytes = read_bytes(text);
    if (k->keep_bytes < 1e6)
        value_complain(r, keep->place, MESSAGE_OUT_OF_RANGE, "keep",
                       " is written like 500 MB or 2 GB, at least 1 MB, not '%s'", text);
}

int recorder_keys_read(const struct attach *a, struct recorder_keys *k)
{
    const struct node *map = a->service ? a->service->keys : NULL;
    const struct node *found[SCHEMA_MAX_KEYS];
    struct memory memory = {0};
    struct diag_list diags = {0};
    const struct value_reader r = {.memory = &memory, .diags = &diags, .owner = "recorder"};
    *k = (struct recorder_keys){.every = 1, .segment_s = 60, .keep_bytes = 2e9};
    snprintf(k->folder, sizeof k->folder, "recordings");
    if (map) {
        (void)schema_walk(&RECORDER_KEYS, map, "recorder", &diags, found);
        read_all(&r, found, k);
    }
    int good = diags.n_errors == 0;
    diag_print(&diags, stderr);
    diag_clear(&diags);
    memory_release(&memory);
    return good;
}
