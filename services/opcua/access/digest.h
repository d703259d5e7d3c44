/* digest.h: SHA-256 (FIPS 180-4), for the names of certificates, and HMAC with it (RFC
 * 2104), for the messages of the fast lane. Any context, no allocation. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* The digest of n bytes. */
void digest_eval(const void *data, size_t n, uint8_t out[32]);

/* HMAC-SHA-256 of n bytes under a key of at most 64 bytes. */
void digest_hmac(const void *key, size_t key_n, const void *data, size_t n, uint8_t out[32]);

#endif
