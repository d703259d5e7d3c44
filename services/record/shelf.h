/* shelf.h: the folder of recordings: made, named, kept within bounds. SERVICE context;
 * blocks on the file system. */
#ifndef SHELF_H
#define SHELF_H

#include <stddef.h>
#include <stdint.h>

/* Open the folder, make it where it is not there and give it to the user services run as.
 * Returns a descriptor, or -1 with errno. Needs the supervisor's rights. */
int shelf_open(const char *path);

/* RIG-20261118-203000-003.mcap, in UTC: names sort by time. */
void shelf_name(const char *rig, int64_t utc_ns, uint32_t segment, char *name, size_t size);

/* Delete this rig's oldest files until all take at most `keep` bytes; the one called `open`
 * is counted, never deleted. */
void shelf_tidy(int folder, const char *rig, double keep, const char *open);

#endif
