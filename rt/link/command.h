/* command.h: what a service asks of the actuators.
 *
 * A frame of a service's command ring is cumulative: it holds all actuators, each
 * with its own write counter, so a lost frame loses nothing. The step takes a value
 * when its counter differs from the one it saw last, only under the current lease,
 * and checks it again: not finite or out of range is refused, the last good value
 * stays. A service writes one frame for all values that are to act in one step. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdint.h>

struct command_value {
    uint64_t counter;   /* changes with every write to this actuator */
    double value;       /* in the command's unit */
};

struct command_frame {
    uint64_t lease;     /* number of the lease the service holds */
    uint64_t refresh;   /* changes while a manual session shows life */
    uint64_t step;      /* lockstep: the step whose record this frame answers */
    int64_t sent_ns;    /* monotonic, for statistics only */
    struct command_value value[]; /* n_actuators, in model order */
};

#endif
