/* recorder.h: the service that records a rig to disk.
 *
 * Reads the rings of records, accounts and events like any other reader, so that the step
 * neither waits nor knows; what it could not read in time is written as a gap. Files are MCAP,
 * in segments that are closed after a while, flushed every half second; a full or slow disk
 * costs recorded values, which are counted, never the step. SERVICE context. */
#ifndef RECORDER_H
#define RECORDER_H

#include "services/run/attach.h"

int recorder_check(const struct attach *a);
int recorder_prepare(struct attach *a);
int recorder_run(struct attach *a);

#endif
