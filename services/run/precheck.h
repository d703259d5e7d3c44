/* precheck.h: are the services of a rig able to run, by their own settings and what is
 * around them? Asked before anything starts, by run, admit and doctor alike. SERVICE
 * context; changes nothing; blocks on the file system. */
#ifndef PRECHECK_H
#define PRECHECK_H

#include "services/load/rig/rig.h"
#include "services/run/attach.h"

/* Ask the kinds in the table (closed by a NULL name). Returns STATUS_OK, or STATUS_REFUSED
 * after the sentences of all that cannot run on stderr. */
MUST_CHECK enum status precheck_services(const struct rig *rig, const struct attach_service *kind,
                                         int insecure);

#endif
