/* doctor_keys.h: what doctor finds in the folder of keys: secrets open to others,
 * certificates and lists that end soon. SERVICE context; reads files. */
#ifndef DOCTOR_KEYS_H
#define DOCTOR_KEYS_H

#include "services/run/host.h"

enum { DOCTOR_KEYS_WARN_DAYS = 30 };

void doctor_keys(struct host *m);

#endif
