/* recorder_keys.h: the keys of `services: recorder:`. SERVICE context. */
#ifndef RECORDER_KEYS_H
#define RECORDER_KEYS_H

#include "services/load/text/schema.h"
#include "services/run/attach.h"

struct recorder_keys {
    char folder[4096];
    long every;         /* one record of so many */
    double segment_s;
    double keep_bytes;  /* of this rig's files in the folder */
};

extern const struct schema RECORDER_KEYS;

/* Read them, defaults where there are none. Returns 0 after a message on stderr. */
int recorder_keys_read(const struct attach *a, struct recorder_keys *k);

#endif
