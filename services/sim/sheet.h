/* sheet.h: the head of a table in a CSV file: names of its columns and, where a file
 * FILE.csv.units stands beside it, their units (columns.h writes both). The numbers stay
 * in the file. SERVICE context. Blocks: on the disk. */
#ifndef SHEET_H
#define SHEET_H

#include "rt/status.h"

struct sheet_column {
    char *name;
    char *unit; /* "" if unknown */
};

struct sheet {
    struct sheet_column *column;
    int n;
};

/* Read the head of a file. Memory: given back with sheet_close, also after a failure.
 * Returns STATUS_IO if it cannot be read (errno) or has no second row (errno 0). */
MUST_CHECK enum status sheet_open(struct sheet *s, const char *path);

/* The column of this name, or -1. */
int sheet_find(const struct sheet *s, const char *name);

void sheet_close(struct sheet *s);

#endif
