#include "services/opcua/lane/handover.h"

#include "services/opcua/lane/pubsub_gate.h"
#include "services/opcua/server.h"

static struct gate *gate_of(struct server *s) { return pubsub_gate(s->settings->lane); }

int handover_is_possible(struct server *s) { return gate_of(s) != NULL; }

void handover_begin(struct server *s)
{
    if (gate_of(s)) gate_hold(gate_of(s));
}

void handover_stop(struct server *s)
{
    if (gate_of(s)) gate_close(gate_of(s), s->writes.frame);
}

void handover_end(struct server *s, struct rights_session *session, int lends, uint64_t *number)
{
    struct gate *g = gate_of(s);

    if (session) {
        handover_stop(s);
        session->lends = lends;
        if (lends) *number = gate_open(g, session->lease, session->lease_tick, s->writes.frame);
    } else if (g) {
        gate_resume(g);
    }
}

void handover_watch(struct server *s)
{
    const struct rights_session *holder;

    if (!gate_of(s) || !gate_show(gate_of(s), s->writes.frame)) return;
    request_scope_drop();
    holder = rights_holder(s);
    if (!holder || !holder->lends) handover_stop(s);
}
