/* ready.h: says when everything is up: in the log, and in a file for scripts:
 *
 *   rig=car
 *   pid=4711
 *   state=running
 *   endpoint=opc.tcp://127.0.0.1:4840
 *
 * The file appears whole or not at all and goes with the run. SERVICE context, the
 * supervisor only. */
#ifndef READY_H
#define READY_H

#include "services/run/supervisor.h"

/* A run begins: an old file of a run that was killed is no news. */
void ready_begin(struct supervisor *s);

/* Look whether the rig is started, where it starts by itself, and every service that says
 * so can be reached; the first time say it. */
void ready_look(struct supervisor *s);

/* The run ends: take the file away. */
void ready_remove(struct supervisor *s);

#endif
