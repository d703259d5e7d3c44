/* unit.h: physical units and dimensions.
 *
 * A unit is a scale to SI and a dimension, five exponents over kg m s A K; rad is a
 * pure number, deg is pi/180. Written like N.s/m, kg.m2, m/s^2, 1/s, km/h, rpm, %:
 * factors joined by '.', each '/' divides by the one factor behind it. Pure; any
 * context. */
#ifndef UNIT_H
#define UNIT_H

#include <stddef.h>

enum { UNIT_BASES = 5, UNIT_TEXT = 48 };

/* Exponents of kg, m, s, A, K in halves (2 means first power), so that square
 * roots stay exact. */
struct dimension {
    signed char half[UNIT_BASES];
};

struct unit {
    double scale; /* SI value = number x scale */
    struct dimension dimension;
};

/* Read the longest unit at the start of text[0..n). Returns how many characters it
 * takes; 0 if no unit stands there. */
size_t unit_read(const char *text, size_t n, struct unit *out);

/* Read a unit that takes the whole string; here * may stand for '.'; "" is a pure
 * number. Returns 1, or 0 if it is none. */
int unit_parse(const char *text, struct unit *out);

/* 1 if the dimensions are equal. */
int unit_is_same(const struct dimension *a, const struct dimension *b);

/* a b^power, power in halves (2: multiply, -2: divide, 1: by the root). Returns 0
 * if an exponent leaves its range or is no multiple of one half. */
int unit_combine(const struct dimension *a, const struct dimension *b, int power,
                 struct dimension *out);

/* Write a dimension as a readable SI unit ("N/m", "kg.m2/s"; "a pure number"). */
void unit_write(const struct dimension *d, char text[UNIT_TEXT]);

/* The unit that these n characters are but for capitals: 'ohm' is Ohm Returns 0
 * where there is none. */
int unit_other_case(const char *text, size_t n, char out[UNIT_TEXT]);

/* The unit words and their meaning, for FORMAT.md: fills name and scale of entry i,
 * returns 0 behind the last. */
int unit_list(int i, const char **name, struct unit *unit, int *prefixes);

#endif
