/* columns.h: a run as a table of numbers: CSV with one row per moment.
 *
 * The first row holds names and nothing else: t, every sensor (name, or name.x for a
 * sensor of several channels), then <body>.x ... and <joint>.fx ... where asked for.
 * Units stand in a second file beside it, FILE.csv.units, rows of `column,unit` and a last
 * one, `#,trapeze VERSION`, so that any reader of the CSV finds names and numbers only. SERVICE context. Blocks: on the disk. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdio.h>

#include "services/sim/trial.h"

/* The table of a run; zero-initialise. */
struct columns {
    const struct trial *trial;
    int bodies;        /* 1: x y z, q0 q1 q2 q3, vx vy vz, wx wy wz of every body, world */
    int reactions;     /* 1: fx fy fz, tx ty tz of every joint: first body on second at
                          the joint's point, world axes */
    int newton;        /* 1: iterations and last correction of each step */
    int n;             /* columns */
    long rows;         /* written */
    FILE *file;
    double *channel;   /* scratch for the sensors */
};

/* 0 where `path` holds something that no run of ours wrote: a file with no FILE.csv.units
 * of ours beside it. */
int columns_may_replace(const char *path);

/* Open `path` ("-": standard output) and write the head; the units go to path.units.
 * Returns STATUS_OK, STATUS_IO (errno says why) or STATUS_NO_MEMORY. */
MUST_CHECK enum status columns_open(struct columns *c, const char *path);

/* Write the present state. */
void columns_write(struct columns *c);

/* Finish the file. Returns STATUS_IO if anything could not be written. */
MUST_CHECK enum status columns_close(struct columns *c);

#endif
