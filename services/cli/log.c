/* trapeze log FILE.mcap: what is in a recording; tables from it; whole again after a cut. */
#include <stdio.h>

#include "services/cli/verbs.h"
#include "services/record/extract.h"

enum { OPTION_CSV, OPTION_TOPIC, OPTION_RECOVER };

static const struct verb_option OPTION[] = {
    [OPTION_CSV] = {"--csv", "OUT",
                    "write the messages of one topic as a table (- for standard output)"},
    [OPTION_TOPIC] = {"--topic", "TOPIC", "which (default /sensors)"},
    [OPTION_RECOVER] = {"--recover", "OUT", "write all that can be read as a new, whole file"},
    {NULL, NULL, NULL},
};

static enum status log_run(const struct verb_call *call)
{
    const char *file = call->argument[0], *who = "trapeze log";
    const char *topic = call->value[OPTION_TOPIC] ? call->value[OPTION_TOPIC] : "/sensors";
    if (call->value[OPTION_CSV] && call->value[OPTION_RECOVER]) {
        fprintf(stderr, "trapeze log: either --csv or --recover\n");
        return STATUS_USAGE;
    }
    if (call->value[OPTION_CSV]) return extract_csv(file, topic, call->value[OPTION_CSV], who);
    if (call->value[OPTION_RECOVER]) return extract_recover(file, call->value[OPTION_RECOVER], who);
    return extract_info(file, who, stdout);
}

const struct verb LOG_VERB = {
    .name = "log",
    .arguments = "FILE.mcap",
    .help = "show what a recording holds; make tables of it; mend one that is cut off",
    .option = OPTION,
    .least = 1,
    .most = 1,
    .run = log_run};
