/* opcua.h: words of `trapeze opcua`. Each returns STATUS_USAGE for a call it does not
 * understand. SERVICE context. */
#ifndef CLI_OPCUA_H
#define CLI_OPCUA_H

#include "services/cli/verb.h"

enum status opcua_cert(const struct verb_call *call);
enum status opcua_pubsub(const struct verb_call *call, int json);
enum status opcua_user(const struct verb_call *call, const char *role);

#endif
