/* publish.h: the record of a tick: filled in, judged, published. RT context. */
#ifndef PUBLISH_H
#define PUBLISH_H

#include "rt/tick/tick.h"

/* Evaluate sensors of the accepted state, with inserted faults. */
void publish_sensors(struct tick *t);

/* Publish the record; sets end_ns, missed and held. A record that turned late
 * while it was written is published again, marked. `final`: the last one. */
void publish_publish(struct tick *t, int final);

#endif
