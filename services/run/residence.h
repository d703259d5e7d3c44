/* residence.h: which memory of the step process must never leave the machine's memory:
 * all that can be written, the shared blocks, the program, the C library and its
 * mathematics; and LAPACK where the rig's formulation uses it. Of the other libraries the
 * step executes nothing. SERVICE context, the step process's set-up. */
#ifndef RESIDENCE_H
#define RESIDENCE_H

/* Lock it. `lapack`: 1 where the step uses LAPACK and OpenBLAS. Returns 0, or an errno;
 * what could be locked is. */
int residence_lock(int lapack);

/* 1 where a mapping of this file (absolute, "" for none) and these rights ("rwxp") is
 * needed. */
int residence_needs(const char *file, const char *rights, const char *program, int lapack);

#endif
