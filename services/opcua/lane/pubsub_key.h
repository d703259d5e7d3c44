/* pubsub_key.h: the signing key of the fast lane: a file of one line "TOKEN HEX", a
 * number (SecurityTokenId) and 64 hexadecimal digits, that nobody but its owner may read.
 * SERVICE context; blocks on the file system. */
#ifndef PUBSUB_KEY_H
#define PUBSUB_KEY_H

#include "services/opcua/lane/uadp.h"

/* Read the key a rig file names; *key stays as it is where it names none. Returns 0 after
 * a sentence with the place in the rig file on stderr. */
int pubsub_key_read(const struct fastlane *set, struct uadp_key *key);

#endif
