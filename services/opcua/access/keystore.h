/* keystore.h: the folder of keys, certificates and users:
 *
 *   FOLDER/opcua/own/certificate.der key.der   this server's; the key mode 0600
 *   FOLDER/opcua/client/...                    the same of the terminal client
 *   FOLDER/opcua/trusted/NAME.der              clients that may connect, servers to go to
 *   FOLDER/opcua/issuers, crl                  authorities and what they revoked
 *   FOLDER/opcua/rejected/NAME.der             the last KEYSTORE_REJECTED refused
 *   FOLDER/opcua/withdrawn/NAME.der            those that were trusted once
 *   FOLDER/opcua/users, users.live             names, roles, hashes; mode 0600 (users.h)
 *   FOLDER/opcua/lock                          held by who changes something
 *
 * FOLDER is the one given, else $TRAPEZE_STATE, else /var/lib/trapeze as root, else
 * $XDG_STATE_HOME/trapeze or ~/.local/state/trapeze. Only regular files are read; what
 * cannot be read or is no certificate is left out and named, *.new (what a power cut
 * leaves of a file being written) is left out and removed when a minute old. SERVICE
 * context; blocks on the file system. */
#ifndef KEYSTORE_H
#define KEYSTORE_H

#include <open62541/types.h>

#include "rt/status.h"

#define KEYSTORE_CLIENT_URI "urn:trapeze:client"
enum { KEYSTORE_URI_SIZE = 128 };
enum { KEYSTORE_PATH = 512, KEYSTORE_LIST = 64, KEYSTORE_REJECTED = 20, KEYSTORE_NAME = 41 };
enum { KEYSTORE_FILE = 64, KEYSTORE_SKIPPED = 256 };

struct keystore {
    char folder[KEYSTORE_PATH];  /* FOLDER/opcua */
    int at;                      /* that folder, open: also where the way to it is closed
                                    to the services' user; -1: there is none */
    UA_ByteString certificate, key;
};

/* Certificates of a folder. */
struct keystore_list {
    UA_ByteString item[KEYSTORE_LIST];
    char file[KEYSTORE_LIST][KEYSTORE_FILE]; /* name, cut short */
    size_t n;
    int n_skipped;                           /* files left out, */
    char skipped[KEYSTORE_SKIPPED];          /* and what they are called */
};

/* What a keystore is opened for. */
enum keystore_use {
    KEYSTORE_LOOK,   /* nothing is made; where there is no folder the lists are empty */
    KEYSTORE_CHANGE, /* what is missing is made */
    KEYSTORE_SERVE   /* and the folder of refused certificates is the services' user's */
};

/* The folder above `opcua`, by the rule above; `given` may be NULL. Returns 0 where the
 * path is too long. */
int keystore_folder(const char *given, char path[KEYSTORE_PATH]);

/* Find the folder. Returns STATUS_OK, or STATUS_REFUSED after a sentence on stderr. */
MUST_CHECK enum status keystore_open(struct keystore *k, const char *given, enum keystore_use use);
void keystore_close(struct keystore *k);

/* Wait for the others who change something in the folder, then keep them out. Returns a
 * descriptor for keystore_unlock; -1 where the folder cannot be written. */
int keystore_lock(const struct keystore *k);
void keystore_unlock(int lock);

/* The server's own certificate and key (NULL: not wanted) where there are any; makes none.
 * Returns 0 without; clear them afterwards. */
int keystore_look_own(const struct keystore *k, UA_ByteString *certificate, UA_ByteString *key);

/* Of one opened to look: could a server use and change it? Returns 0 after a sentence on
 * stderr. */
int keystore_is_usable(const struct keystore *k);

/* Load the server's own certificate and key; make them where there are none (*made). */
MUST_CHECK enum status keystore_own(struct keystore *k, int *made);

/* The same of the terminal client. */
MUST_CHECK enum status keystore_client(struct keystore *k, int *made);

/* Make the server's certificate and key anew; clients that knew it must trust it again. */
MUST_CHECK enum status keystore_renew(struct keystore *k);

/* All certificates of a part: trusted, issuers, crl (there: lists), rejected, withdrawn. */
void keystore_read(const struct keystore *k, const char *part, struct keystore_list *l);
void keystore_free(struct keystore_list *l);

/* Leave item i out after all. */
void keystore_skip(struct keystore_list *l, size_t i);

/* Put a certificate or list into a part under its name; no more than KEYSTORE_LIST.
 * Returns 0 after a sentence on stderr. */
int keystore_add(const struct keystore *k, const char *part, const UA_ByteString *item);

/* Take a trusted certificate, in the file of this name, from the list and keep it among the
 * withdrawn. Returns 0 after a sentence on stderr. */
int keystore_withdraw(const struct keystore *k, const char *file, const UA_ByteString *certificate);

/* Keep a refused certificate; the oldest goes when there are more than 20, and is named on
 * stderr. */
void keystore_reject(const struct keystore *k, const UA_ByteString *certificate);

/* The name of a certificate: 40 hexadecimal digits of its SHA-256. */
void keystore_name(const UA_ByteString *certificate, char name[KEYSTORE_NAME]);

/* Read a regular file of at most `most` bytes, below the open folder `at`. Waits for nobody
 * (a pipe, a device). Returns 0 on failure; clear `to` afterwards. */
int keystore_load(int at, const char *path, size_t most, UA_ByteString *to);

/* Write a file whole or not at all, below the open folder `at`. Returns 0 on failure. */
int keystore_save(int at, const char *path, const void *data, size_t n, unsigned mode);

#endif
