#include "services/opcua/opcua.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "services/opcua/access/certview.h"
#include "services/opcua/lane/pubsub_key.h"
#include "services/opcua/server.h"

/* Where to connect and how to drive, once per run of the rig; again where a restart may
 * have changed it. */
static void say_address(const struct attach *a, const struct settings *s)
{
    if (!a->out || (a->port.epoch > 1 && s->fixed)) return;
    fprintf(a->out, "opc.tcp://%s:%d  (%s)%s\n", s->address, s->port,
            s->insecure ? "loopback, no security: demo" : "secure",
            s->port != SETTINGS_PORT && !s->fixed ? "  the usual port is taken" : "");
    if (s->insecure)
        fprintf(a->out, "opcua   NO SECURITY (--insecure): whoever is on this machine can read and "
                        "command this rig\n");
    if (a->rig->n_keys) {
        fprintf(a->out, "drive   %s drive", program_invocation_name);
        if (s->port != SETTINGS_PORT) fprintf(a->out, " opc.tcp://%s:%d", s->address, s->port);
        fprintf(a->out, "%s   in a second terminal\n", s->insecure ? "" : " --user NAME");
    }
    fflush(a->out);
}

/* A server whose own certificate clients will not take. */
static void warn_certificate(const struct keystore *k)
{
    struct certview v;
    const char *problem = certview_read(&k->certificate, &v)
                              ? certview_problem(&v, time(NULL), v.uri)
                              : "it cannot be read";

    if (problem)
        fprintf(stderr,
                "trapeze: opcua: the server's own certificate: %s; make a new one: trapeze "
                "opcua cert make\n",
                problem);
}

/* Keys and users, with the rights that are given up next. */
static int read_keys(const struct attach *a, struct settings *s)
{
    int made = 0, lock, ok;

    if (keystore_open(&s->keystore, NULL, KEYSTORE_SERVE) != STATUS_OK) return 0;
    lock = keystore_lock(&s->keystore);
    ok = keystore_own(&s->keystore, &made) == STATUS_OK &&
         users_read(&s->keystore, &s->users) == STATUS_OK;
    if (ok) s->live = users_live(&s->keystore, &s->users);
    keystore_unlock(lock);
    if (!ok) return 0;
    if (made && a->out)
        fprintf(a->out, "opcua   certificate made: %s/own/certificate.der\n", s->keystore.folder);
    warn_certificate(&s->keystore);
    if (s->live < 0)
        fprintf(stderr,
                "trapeze: opcua: %s/users.live: %s; changes of users count from the next start\n",
                s->keystore.folder, strerror(errno));
    if (s->users.n == 0)
        fprintf(stderr, "trapeze: opcua: there are no users yet: trapeze opcua user add NAME "
                        "--role operator\n");
    return 1;
}

/* Are the keys and users such that read_keys can take them? */
static int keys_are_well(void)
{
    struct keystore k;
    struct users u = {0};
    int well = keystore_open(&k, NULL, KEYSTORE_LOOK) == STATUS_OK && keystore_is_usable(&k) &&
               (k.at < 0 || users_read(&k, &u) == STATUS_OK);

    keystore_close(&k);
    explicit_bzero(&u, sizeof u);
    return well;
}

int opcua_check(const struct attach *a)
{
    struct settings s;
    struct uadp_key key = {0};
    int bad = settings_read(a, &s) != STATUS_OK;

    if (!pubsub_key_read(&a->rig->fastlane, &key)) bad = 1;
    explicit_bzero(&key, sizeof key);
    if (!bad && !a->live && !settings_find_port(&s)) bad = 1;
    if (!s.insecure && !keys_are_well()) bad = 1;
    return bad ? ATTACH_REFUSED : 0;
}

/* The lists of trusted certificates are read again for each client, and refused ones
 * kept. */
static int name_files(struct attach *a, const struct keystore *k)
{
    struct sandbox_files *f = &a->files;

    f->read[f->n_read++] = k->at;
    f->write[f->n_write] = openat(k->at, "rejected", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return f->write[f->n_write++] >= 0;
}

int opcua_prepare(struct attach *a)
{
    struct settings *s = calloc(1, sizeof *s);

    a->state = s;
    if (!s || settings_read(a, s) != STATUS_OK) return ATTACH_REFUSED;
    if (!s->insecure && (!read_keys(a, s) || !name_files(a, &s->keystore))) return ATTACH_REFUSED;
    if (!settings_find_port(s)) return ATTACH_REFUSED;
    say_address(a, s);
    return pubsub_prepare(a, &s->lane) ? 0 : ATTACH_REFUSED;
}

int opcua_start(struct attach *a)
{
    return pubsub_start(((struct settings *)a->state)->lane) ? 0 : EXIT_FAILURE;
}

int opcua_run(struct attach *a)
{
    struct settings *settings = a->state;
    struct server *s = server_create(a, settings);
    int code = s ? server_run(s) : EXIT_FAILURE;

    server_destroy(s);
    pubsub_destroy(settings->lane);
    keystore_close(&settings->keystore);
    if (settings->live >= 0) close(settings->live);
    free(settings);
    return code;
}
