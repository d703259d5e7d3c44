/* handover.h: lending a session's command authority to the fast lane. Around every request
 * for authority, so that frames of the old holder and the new never mix; harmless where the
 * rig has no fast lane. SERVICE context, the server's thread; never blocks. */
#ifndef HANDOVER_H
#define HANDOVER_H

#include <stdint.h>

struct server;
struct rights_session;

/* 1 if the rig's fast lane takes commands. */
int handover_is_possible(struct server *s);

/* Before a request for authority is sent. */
void handover_begin(struct server *s);

/* Its answer: granted to this session (NULL: not granted), which lends it or not. Where
 * it is lent *number becomes the epoch of the messages. */
void handover_end(struct server *s, struct rights_session *session, int lends, uint64_t *number);

/* Nobody knows who holds it, or the session gives it up: the lane commands no more. */
void handover_stop(struct server *s);

/* Now and then: notice that the lease has ended; show the lane's commands as ours. */
void handover_watch(struct server *s);

#endif
