/* show.h: the record of a tick: filled in, judged, published. RT context. */
#ifndef SHOW_H
#define SHOW_H

#include "rt/tick/tick.h"

/* Evaluate sensors of the accepted state, with inserted faults. */
void show_sensors(struct tick *t);

/* Publish the record; sets end_ns, missed and held. A record that turned late
 * while it was written is published again, marked. `final`: the last one. */
void show_publish(struct tick *t, int final);

#endif
