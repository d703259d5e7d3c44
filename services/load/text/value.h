/* value.h: the values of keys, read from nodes with messages.
 *
 * What every reader of files needs: numbers with units, vectors, flags, words. All
 * functions return 1 and the value, or 0 after adding a message. SERVICE context. */
#ifndef VALUE_H
#define VALUE_H

#include "services/load/text/expr.h"
#include "services/load/text/reader.h"

struct value_reader {
    struct memory *memory;
    struct diag_list *diags;
    const struct expr_scope *scope; /* NULL: no parameters */
    const char *owner;              /* whose values they are, first word of messages;
                                       NULL: nobody's */
};

/* One number in the given SI unit ("" for a pure number); constant: neither t nor
 * live parameters. `what` names the key in messages. Returns 0 also for NaN, Inf. */
int value_number(const struct value_reader *r, const struct node *node, const char *what,
                 const char *unit, double *out);

/* The same, but a program is allowed as far as the scope allows it. */
int value_expression(const struct value_reader *r, const struct node *node, const char *what,
                     const char *unit, struct expr_value *out);

/* 1 if a value read has the dimension of an SI unit, or takes it; else 0 and a message. */
int value_fits(const struct value_reader *r, const struct node *node, const char *what,
               const char *unit, const struct expr_value *v);

/* A number of a given unit where a plain number counts in that unit, not in SI
 * (range, safe, start): 30 means 30 deg beside `unit: deg`. Bare parameters are refused
 * where that unit is not the SI one: they could mean either. */
int value_in_unit(const struct value_reader *r, const struct node *node, const char *what,
                  const struct unit *unit, double *out);

/* A whole number from lower to upper. */
int value_integer(const struct value_reader *r, const struct node *node, const char *what,
                  long lower, long upper, long *out);

/* A list of exactly n numbers. */
int value_numbers(const struct value_reader *r, const struct node *node, const char *what,
                  const char *unit, int n, double *out);

/* true or false (yes, no, on, off). */
int value_flag(const struct value_reader *r, const struct node *node, const char *what, int *out);

/* One of the words in `choices` (separated by blanks), as its index. */
int value_choice(const struct value_reader *r, const struct node *node, const char *what,
                 const char *choices, int *out);

/* The text of a scalar. */
int value_text(const struct value_reader *r, const struct node *node, const char *what,
               const char **out);

/* A unit; it must have the dimension of the SI unit `si`. */
int value_unit(const struct value_reader *r, const struct node *node, const char *what,
               const char *si, struct unit *out);

/* The key `format` of a file: the form it is written in must be one this program reads.
 * NULL: not said, which is fine. */
void value_format(const struct value_reader *r, const struct node *node);

/* A message about `what`, after the name of its owner. */
void value_complain(const struct value_reader *r, struct place at, enum message kind,
                    const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
