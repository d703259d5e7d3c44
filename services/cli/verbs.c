#include "services/cli/verbs.h"

#include <stddef.h>

/* clang-format off */
const struct verb *const VERBS[] = {
    &CHECK_VERB,
    &SIM_VERB,
    &PLOT_VERB,
    &LOG_VERB,
    &IMPORT_VERB,
    &RUN_VERB,
    &DOCTOR_VERB,
    &ADMIT_VERB,
    &JITTER_VERB,
    &LIST_VERB,
    &STOP_VERB,
    &TOP_VERB,
    &DRIVE_VERB,
    &OPCUA_VERB,
    &FORMAT_VERB,
    &MANUAL_VERB,
    NULL,
};
/* clang-format on */
