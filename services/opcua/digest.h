/* digest.h: SHA-256 (FIPS 180-4), for the names of certificates. Any context. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The digest of n bytes. */
void digest_eval(const void *data, size_t n, uint8_t out[32]);

#endif
