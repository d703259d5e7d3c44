/* eunit.h: units as OPC UA names them: EUInformation with UNECE codes. */
#ifndef EUNIT_H
#define EUNIT_H

#include <open62541/types_generated.h>

/* The unit written `text` in a model file. An unknown one keeps its text with unit
 * number -1. Memory: borrows `text`. */
UA_EUInformation eunit_find(const char *text);

#endif
