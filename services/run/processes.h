/* processes.h: the processes of a rig: forked, watched, restarted, ended. SERVICE context,
 * the supervisor only. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "services/run/supervisor.h"

/* Fork the step process. */
MUST_CHECK enum status processes_start_step(struct supervisor *s);

/* Fork every service that is due; restarts wait 0.1 s, then twice as long each time
 * up to 1 s, from the beginning again after 10 s of life: back within 2 s always. */
void processes_start_services(struct supervisor *s);

/* Sleep at most `ms` and see who ended. */
void processes_watch(struct supervisor *s, int ms);

/* Ask everybody to end: the step first, safely; then the services; then by force. */
void processes_stop(struct supervisor *s);

/* Monotonic now, ns. */
int64_t processes_now(void);

#endif
