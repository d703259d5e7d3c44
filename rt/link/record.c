/* record.c: where the arrays of a record lie. */
#include "rt/link/record.h"

#include "rt/rtsafe.h"

static uint32_t record_place(uint64_t *at, uint64_t n, uint64_t size)
{
    uint64_t here = *at;
    *at = (here + n * size + 7) / 8 * 8;
    return (uint32_t)here;
}

void record_layout(const struct model *m, struct record_layout *l)
{
    uint64_t at = sizeof(struct record);

    *l = (struct record_layout){.n_channels = (uint32_t)m->n_channels,
                                .n_actuators = m->actuators.n,
                                .n_bodies = m->bodies.n,
                                .n_joints = m->joints.n};
    for (uint32_t i = 0; i < m->parameters.n; i++)
        l->n_live += (model_parameters(m)[i].flags & PARAMETER_LIVE) != 0;
    l->channel_at = record_place(&at, l->n_channels, sizeof(double));
    l->actuator_at = record_place(&at, l->n_actuators, sizeof(struct record_actuator));
    l->pose_at = record_place(&at, l->n_bodies, 7 * sizeof(double));
    l->live_at = record_place(&at, l->n_live, sizeof(double));
    l->channel_flags_at = record_place(&at, l->n_channels, sizeof(uint32_t));
    l->released_at = record_place(&at, l->n_joints, sizeof(uint32_t));
    l->bytes = at;
}
