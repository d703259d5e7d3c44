#include "services/opcua/opcua.h"

#include <stdio.h>
#include <stdlib.h>

#include "services/opcua/server.h"

enum { EXIT_REFUSED = 1 };

/* Where to connect, once per run of the rig. */
static void say_address(const struct attach *a, const struct settings *s)
{
    if (!a->out || a->port.epoch > 1) return;
    fprintf(a->out, "opc.tcp://%s:%d  (%s)%s\n", s->address, s->port,
            s->insecure ? "loopback, no security: demo" : "secure",
            s->port != SETTINGS_PORT && !s->fixed ? "  the usual port is taken" : "");
    fflush(a->out);
}

int opcua_prepare(struct attach *a)
{
    struct settings *s = calloc(1, sizeof *s);

    a->state = s;
    if (!s || settings_read(a, s) != STATUS_OK) return EXIT_REFUSED;
    if (!s->insecure) {
        fprintf(stderr, "trapeze: opcua: certificates are not supported yet; --insecure opens "
                        "the loopback without security\n");
        return EXIT_REFUSED;
    }
    if (!settings_find_port(s)) return EXIT_REFUSED;
    say_address(a, s);
    return 0;
}

int opcua_run(struct attach *a)
{
    struct server *s = server_create(a, a->state);
    int code = s ? server_run(s) : EXIT_REFUSED;

    server_destroy(s);
    free(a->state);
    return code;
}
