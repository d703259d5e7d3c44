/* verb.h: a verb of the command line: `trapeze VERB ...`.
 *
 * Each verb is one file here with one const struct verb, listed in verbs.c. main.c reads
 * the options by the verb's table, calls it, and turns its status into the exit code:
 * 0 ok, 1 refused, 2 usage, 3 rights missing, 4 tripped, 5 solver fault.
 * SERVICE context. */
#ifndef VERB_H
#define VERB_H

#include <signal.h>
#include <stdio.h>

#include "rt/status.h"

enum { VERB_MAX_OPTIONS = 32, VERB_MAX_ARGUMENTS = 16, VERB_MAX_REPEATS = 256 };

struct verb_option {
    const char *name;  /* with its dashes: "--step" */
    const char *value; /* word for its value in the help, NULL: a switch */
    const char *help;
};

/* A word behind the verb: trapeze VERB NAME ARGUMENTS. */
struct verb_word {
    const char *name;      /* "nodes", or two words: "cert make" */
    const char *arguments; /* for the help */
    const char *help;      /* a clause */
};

/* What stood on the command line; pointers into argv. */
struct verb_call {
    const char *argument[VERB_MAX_ARGUMENTS];
    int n_arguments;
    const char *value[VERB_MAX_OPTIONS]; /* by option: last value, "" for a switch;
                                            NULL where it is missing */
    const char *set[VERB_MAX_REPEATS];   /* values of --set, in order */
    int n_sets;
    const volatile sig_atomic_t *stop;   /* becomes 1 at SIGINT and SIGTERM */
    unsigned long (*heap_taken)(void);   /* pieces of memory taken so far; NULL: not counted */
};

struct verb {
    const char *name;
    const char *arguments;            /* "MODEL", for the help */
    const char *help;                 /* one sentence */
    const struct verb_word *word;     /* closed by a NULL name; NULL: it has none */
    const struct verb_option *option; /* closed by a NULL name */
    int least, most;                  /* arguments */
    int hidden;                       /* not listed */
    enum status (*run)(const struct verb_call *call);
};

/* Read options and arguments behind the verb. Returns STATUS_OK, STATUS_STOPPED after
 * printing the help asked for, STATUS_USAGE after a message. */
MUST_CHECK enum status verb_read(const struct verb *v, int argc, char **argv,
                                 struct verb_call *call);

/* The help of one verb. */
void verb_print_help(const struct verb *v);

/* The lines of the words that begin with `first` (NULL: of all). */
void verb_print_words(const struct verb *v, const char *first, FILE *to);

/* The number of an option in its SI unit, with units as in files (`--step 1ms`); *out is
 * untouched where the option is missing. Returns 0 after a message. */
int verb_number(const struct verb *v, const struct verb_call *call, int option, const char *unit,
                double *out);

#endif
