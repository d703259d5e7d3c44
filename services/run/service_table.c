#include "services/run/service_table.h"

#include <time.h>

#include "services/opcua/opcua.h"
#include "services/record/recorder.h"

/* A service that does nothing but live: for trials of a rig file, and tests. */
static int null_run(struct attach *a)
{
    struct timespec nap = {.tv_nsec = 50000000};
    while (!attach_should_stop(a)) nanosleep(&nap, NULL);
    return 0;
}

const struct attach_service SERVICE_TABLE[] = {
    {.name = "opcua",
     .check = opcua_check,
     .prepare = opcua_prepare,
     .start = opcua_start,
     .run = opcua_run},
    {.name = "recorder", .check = recorder_check, .prepare = recorder_prepare, .run = recorder_run},
    {.name = "null", .run = null_run},
    {.name = NULL},
};
