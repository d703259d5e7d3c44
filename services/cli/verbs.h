/* verbs.h: all verbs of the command line. A new verb is its file, a line here and a
 * line in the table of verbs.c; help, man page and completion follow. */
#ifndef VERBS_H
#define VERBS_H

#include "services/cli/verb.h"

extern const struct verb CHECK_VERB;  /* check.c */
extern const struct verb SIM_VERB;    /* sim.c */
extern const struct verb PLOT_VERB;   /* plot.c */
extern const struct verb IMPORT_VERB; /* import.c */
extern const struct verb RUN_VERB;    /* run.c */
extern const struct verb DOCTOR_VERB; /* doctor.c */
extern const struct verb ADMIT_VERB;  /* admit.c */
extern const struct verb JITTER_VERB; /* jitter.c */
extern const struct verb LIST_VERB;   /* list.c */
extern const struct verb STOP_VERB;   /* list.c */
extern const struct verb TOP_VERB;    /* top.c */
extern const struct verb DRIVE_VERB;  /* drive.c */
extern const struct verb OPCUA_VERB;  /* opcua.c */
extern const struct verb LOG_VERB;    /* log.c */
extern const struct verb FORMAT_VERB; /* format.c, hidden: the tables of FORMAT.md */
extern const struct verb MANUAL_VERB; /* pages.c, hidden: man page and completion */

/* All of them in the order of the help, closed by NULL. */
extern const struct verb *const VERBS[];

#define VERBS_EXIT_CODES "0 ok, 1 refused, 2 wrong use, 3 rights missing, 4 tripped, 5 solver fault"

#endif
