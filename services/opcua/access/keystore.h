/* keystore.h: the folder of keys, certificates and users:
 *
 *   FOLDER/opcua/own/certificate.der key.der   this server's; the key mode 0600
 *   FOLDER/opcua/client/...                    the same of the terminal client
 *   FOLDER/opcua/trusted/NAME.der              clients that may connect, servers to go to
 *   FOLDER/opcua/issuers, crl                  authorities and what they revoked
 *   FOLDER/opcua/rejected/NAME.der             the last KEYSTORE_REJECTED refused
 *   FOLDER/opcua/users                         names, roles, hashes; mode 0600
 *
 * FOLDER is $TRAPEZE_STATE, else /var/lib/trapeze as root, else
 * $XDG_STATE_HOME/trapeze or ~/.local/state/trapeze. SERVICE context; blocks on the
 * file system. */
#ifndef KEYSTORE_H
#define KEYSTORE_H

#include <open62541/types.h>

#include "rt/status.h"

#define KEYSTORE_URI "urn:trapeze:server"
#define KEYSTORE_CLIENT_URI "urn:trapeze:client"
enum { KEYSTORE_PATH = 512, KEYSTORE_LIST = 64, KEYSTORE_REJECTED = 20, KEYSTORE_NAME = 41 };

struct keystore {
    char folder[KEYSTORE_PATH];  /* FOLDER/opcua */
    int at;                      /* that folder, open: also where the way to it is closed
                                    to the services' user */
    UA_ByteString certificate, key;
};

/* Certificates of a folder. */
struct keystore_list {
    UA_ByteString item[KEYSTORE_LIST];
    size_t n;
};

/* Find the folder and make what is missing in it; `service` gives the folder of refused
 * certificates to the user the services run as. Returns STATUS_OK, or STATUS_REFUSED
 * after a sentence on stderr. */
MUST_CHECK enum status keystore_open(struct keystore *k, int service);
void keystore_close(struct keystore *k);

/* Load the server's own certificate and key; make them where there are none (*made). */
MUST_CHECK enum status keystore_own(struct keystore *k, int *made);

/* The same of the terminal client. */
MUST_CHECK enum status keystore_client(struct keystore *k, int *made);

/* Make the server's certificate and key anew; clients that knew it must trust it again. */
MUST_CHECK enum status keystore_renew(struct keystore *k);

/* All certificates of a part: trusted, issuers, crl, rejected. */
void keystore_read(const struct keystore *k, const char *part, struct keystore_list *l);
void keystore_free(struct keystore_list *l);

/* Put a certificate or list into a part under its name; no more than KEYSTORE_LIST.
 * Returns 0 after a sentence on stderr. */
int keystore_add(const struct keystore *k, const char *part, const UA_ByteString *item);

/* Keep a refused certificate; the oldest goes when there are more than 20. */
void keystore_reject(const struct keystore *k, const UA_ByteString *certificate);

/* The name of a certificate: 40 hexadecimal digits of its SHA-256. */
void keystore_name(const UA_ByteString *certificate, char name[KEYSTORE_NAME]);

/* Read a file of at most `most` bytes, below the open folder `at`. Returns 0 on failure;
 * clear `to` afterwards. */
int keystore_load(int at, const char *path, size_t most, UA_ByteString *to);

/* Write a file whole or not at all, below the open folder `at`. Returns 0 on failure. */
int keystore_save(int at, const char *path, const void *data, size_t n, unsigned mode);

#endif
