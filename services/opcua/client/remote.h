/* remote.h: a small OPC UA client for the command line: a rig from the other side of
 * the network. Node names without the namespace ("rig.state-name").
 * SERVICE context; every call blocks for at most REMOTE_PATIENCE_MS. */
#ifndef REMOTE_H
#define REMOTE_H

#include <stddef.h>

#include <open62541/client.h>

#include "rt/status.h"

enum { REMOTE_PATIENCE_MS = 2000 };

struct remote {
    UA_Client *client;
    UA_UInt16 ns;
};

/* Connect without security. Returns STATUS_OK, or STATUS_REFUSED after a sentence on
 * stderr. Memory: remote_close. */
MUST_CHECK enum status remote_open(struct remote *r, const char *url);
void remote_close(struct remote *r);

/* The same in steps, for a connection with security (signin.c): a client that says nothing
 * and waits at most REMOTE_PATIENCE_MS; what keeps it so after its configuration was set
 * anew; the connection. remote_connect: BadNotFound for a server that is no rig. */
UA_StatusCode remote_create(struct remote *r);
void remote_be_silent(UA_ClientConfig *c);
UA_StatusCode remote_connect(struct remote *r, const char *url);

/* Read n values of one step. Each value[i] is cleared by the caller; one that could not
 * be read is empty with its status. */
UA_StatusCode remote_read(struct remote *r, const char *const *name, size_t n, UA_DataValue *value);

/* The same for one node's array of texts or numbers; NULL and *n = 0 where there is none.
 * Memory: remote_free_texts, free. */
char **remote_texts(struct remote *r, const char *name, size_t *n);
double *remote_numbers(struct remote *r, const char *name, size_t *n);
void remote_free_texts(char **text, size_t n);

/* Call a method of the rig ("arm") and write its sentence to answer[size]. */
UA_StatusCode remote_call(struct remote *r, const char *method, const UA_Variant *in, size_t n_in,
                          char *answer, size_t size);

/* Take the command authority. */
UA_StatusCode remote_acquire(struct remote *r, const char *mode, char *answer, size_t size);

/* Write n commands by the names of their actuators, all or nothing. */
UA_StatusCode remote_command(struct remote *r, char *const *actuator, const double *value,
                             size_t n);

#endif
