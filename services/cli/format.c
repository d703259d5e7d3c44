/* trapeze format FORMAT.md: the manual with its tables made anew, on standard output. */
#include <stdio.h>

#include "services/cli/verbs.h"
#include "services/cli/manual.h"

static const struct verb_option OPTION[] = {{NULL, NULL, NULL}};

static enum status format_run(const struct verb_call *call)
{
    char unknown[64];
    FILE *in = fopen(call->argument[0], "r");
    if (!in) {
        perror(call->argument[0]);
        return STATUS_IO;
    }
    int tables = manual_refresh(in, stdout, unknown);
    fclose(in);
    if (tables < 0) fprintf(stderr, "trapeze format: there is no table '%s'\n", unknown);
    return tables < 0 ? STATUS_REFUSED : STATUS_OK;
}

const struct verb FORMAT_VERB = {.name = "format",
                                 .arguments = "FORMAT.md",
                                 .help = "print the manual with its tables made anew",
                                 .option = OPTION,
                                 .least = 1,
                                 .most = 1,
                                 .hidden = 1,
                                 .run = format_run};
