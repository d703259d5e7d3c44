/* refdata.h: tables of trustworthy results in tests/data/reference: lines of comment (#),
 * a row of names, rows of numbers. Errors fail the test. */
#ifndef REFDATA_H
#define REFDATA_H

enum { REFDATA_COLUMNS = 16, REFDATA_ROWS = 256 };

struct refdata {
    char name[REFDATA_COLUMNS][24];
    int n_columns, n_rows;
    double value[REFDATA_ROWS][REFDATA_COLUMNS];
};

/* Read tests/data/reference/NAME.csv. */
void refdata_read(struct refdata *d, const char *name);

/* The number in a row under a name. */
double refdata_at(const struct refdata *d, int row, const char *name);

#endif
