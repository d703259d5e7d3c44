#include "services/run/precheck.h"

#include <stdio.h>
#include <string.h>

enum status precheck_services(const struct rig *rig, const struct attach_service *kind,
                              int insecure)
{
    int bad = 0;

    for (int i = 0; i < rig->n_services; i++) {
        struct attach a = {.rig = rig,
                           .service = &rig->service[i],
                           .insecure = insecure,
                           .live = attach_is_live(rig->name)};
        const struct attach_service *k = kind;
        while (k && k->name && strcmp(k->name, rig->service[i].name) != 0) k++;
        if (k && k->name && k->check && k->check(&a) != 0) bad++;
    }
    if (!bad) return STATUS_OK;
    fprintf(stderr, "trapeze: %s: %d of its services cannot run so\n", rig->file, bad);
    return STATUS_REFUSED;
}
