/* diag.h: messages about a file, collected while reading and printed together.
 *
 * A message says what is wrong, where, and what would be right:
 * `file:line:column: error: text`. Readers collect up to DIAG_MAX errors before
 * they stop; notes do not stop anything. SERVICE context. */
#ifndef DIAG_H
#define DIAG_H

#include <stdarg.h>
#include <stdio.h>

#include "rt/status.h"

enum { DIAG_MAX = 100, DIAG_TEXT = 480 };
enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

struct diag {
    enum diag_level level;
    const char *kind;    /* name in the message table, a constant; NULL: none */
    char file[256];
    int line, column;    /* from 1; 0: the whole file */
    char text[DIAG_TEXT];
};

/* A growing list; zero-initialise. Owned by the caller, freed by diag_clear. */
struct diag_list {
    struct diag *item;
    int n, capacity;
    int n_errors;
    int lost;            /* messages beyond the limit, or that found no memory */
};

/* Add a message, printf style. Never fails: what finds no room is counted. */
void diag_add(struct diag_list *list, enum diag_level level, const char *file, int line, int column,
              const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same with a kind and a va_list. */
void diag_add_kind(struct diag_list *list, enum diag_level level, const char *kind,
                   const char *file, int line, int column, const char *format, va_list args)
    __attribute__((format(printf, 7, 0)));

/* Print all messages in the order of their places, errors first within a line. */
void diag_print(struct diag_list *list, FILE *to);

/* Bring the messages into that order. */
void diag_sort(struct diag_list *list);

/* "note", "warning", "error". */
const char *diag_level_text(enum diag_level level);

/* Free the list's memory; it may be used again. */
void diag_clear(struct diag_list *list);

#endif
