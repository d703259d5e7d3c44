/* random_mechanism.h: seeded random mechanisms as model text, for tests.
 *
 * A tree of 2 to 40 bodies with joints of all types, some closed loops, springs,
 * bushings, gears, drives. Joints are placed at the bodies' start poses, so every model
 * closes exactly. About a third of the models has redundant rows on purpose. */
#ifndef RANDOM_MECHANISM_H
#define RANDOM_MECHANISM_H

#include <stddef.h>

struct random_options {
    int free_floating; /* no joint, force or weight from outside */
    int no_drives;
    int small;         /* at most 8 bodies */
    int conservative;  /* no damping, no drives */
};

/* Write the model of this seed; returns its length (text is cut at size). */
size_t random_mechanism(unsigned seed, const struct random_options *o, char *text, size_t size);

#endif
