/* opcua.h: words of `trapeze opcua`. Each returns STATUS_USAGE for a call it does not
 * understand. SERVICE context. */
#ifndef CLI_OPCUA_H
#define CLI_OPCUA_H

#include "services/cli/verb.h"

/* How a certificate to be trusted was made sure of. */
struct opcua_sure {
    const char *fingerprint; /* its first digits; NULL: not given */
    int yes;                 /* do not ask */
};

/* `state`: the folder of keys and users; NULL: the usual one. */
enum status opcua_cert(const struct verb_call *call, const char *state, struct opcua_sure sure);
enum status opcua_pubsub(const struct verb_call *call, int json);
enum status opcua_user(const struct verb_call *call, const char *role, const char *state);

#endif
