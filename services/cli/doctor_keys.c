#include "services/cli/doctor_keys.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "services/opcua/access/certview.h"
#include "services/opcua/access/keystore.h"

enum { DAY_S = 86400 };

/* ---- secrets ----------------------------------------------------------------------- */

static int is_secret(const char *name)
{
    return strstr(name, "key") || strstr(name, "users") || strstr(name, "password");
}

/* Count secrets that others may read; the first one's path stays in `bad`. */
static int open_secrets(const char *folder, int depth, int *n, char *bad, size_t size)
{
    struct dirent *e;
    DIR *d = opendir(folder);
    int open = 0;

    while (d && (e = readdir(d))) {
        char path[1024];
        struct stat s;
        if (e->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        if (lstat(path, &s) != 0) continue;
        if (S_ISDIR(s.st_mode) && depth < 3) open += open_secrets(path, depth + 1, n, bad, size);
        if (!S_ISREG(s.st_mode) || !is_secret(e->d_name)) continue;
        *n += 1;
        if ((s.st_mode & 077) == 0) continue;
        open++;
        snprintf(bad, size, "%.500s", path);
    }
    if (d) closedir(d);
    return open;
}

static void probe_secrets(struct host *m, const char *folder)
{
    char bad[512] = "";
    int n = 0, open;
    struct host_fact *f;

    open = open_secrets(folder, 0, &n, bad, sizeof bad);
    f = host_add(m, "key-files", open ? HOST_MEND : HOST_GOOD,
                 "who can read the keys can be the server");
    snprintf(f->found, sizeof f->found, "%d secret files in %.80s, %d open to others", n, folder,
             open);
    if (open) snprintf(f->remedy, sizeof f->remedy, "chmod 600 %.140s", bad);
}

/* ---- certificates ------------------------------------------------------------------ */

/* The one that ends first of those looked at. */
struct ending {
    int n;          /* looked at */
    int n_soon;     /* ended, or do so within the days */
    int64_t day_s;  /* of the first */
    char what[96];  /* which that is */
    const char *remedy;
};

static void look(struct ending *e, const UA_ByteString *der, const char *part, const char *remedy)
{
    struct certview v;

    if (!certview_read(der, &v) || !v.until_s) return;
    e->n++;
    if (v.until_s > time(NULL) + DOCTOR_KEYS_WARN_DAYS * DAY_S) return;
    e->n_soon++;
    if (e->n_soon > 1 && v.until_s >= e->day_s) return;
    e->day_s = v.until_s;
    e->remedy = remedy;
    snprintf(e->what, sizeof e->what, "%s %.60s", part,
             v.kind == CERTVIEW_CRL ? v.issuer : v.subject);
}

static void look_at_list(struct ending *e, const struct keystore *k, const char *part,
                         const char *remedy)
{
    struct keystore_list l;

    keystore_read(k, part, &l);
    for (size_t i = 0; i < l.n; i++) look(e, &l.item[i], part, remedy);
    keystore_free(&l);
}

static void probe_certificates(struct host *m, const struct keystore *k)
{
    struct ending e = {.n = 0};
    struct host_fact *f;
    UA_ByteString own;
    char day[16];
    int ended;

    if (keystore_look_own(k, &own, NULL))
        look(&e, &own, "own", "trapeze opcua cert make, then restart the rig");
    UA_ByteString_clear(&own);
    look_at_list(&e, k, "trusted", "a new one from that client, then trapeze opcua cert trust");
    look_at_list(&e, k, "issuers", "trapeze opcua cert issuer FILE");
    look_at_list(&e, k, "crl", "trapeze opcua cert crl FILE");
    ended = e.n_soon && e.day_s < time(NULL);
    f = host_add(m, "certificates",
                 ended      ? HOST_MEND
                 : e.n_soon ? HOST_NOTE
                            : HOST_GOOD,
                 "who shows a certificate that has expired is refused");
    certview_day(e.day_s, day);
    if (!e.n_soon)
        snprintf(f->found, sizeof f->found, "%d, none ends within %d days", e.n,
                 DOCTOR_KEYS_WARN_DAYS);
    else
        snprintf(f->found, sizeof f->found, "%d of %d end within %d days; %s %s on %s", e.n_soon,
                 e.n, DOCTOR_KEYS_WARN_DAYS, e.what, ended ? "ended" : "ends", day);
    if (e.n_soon) snprintf(f->remedy, sizeof f->remedy, "%s", e.remedy);
}

void doctor_keys(struct host *m)
{
    struct keystore k;

    if (keystore_open(&k, NULL, KEYSTORE_LOOK) != STATUS_OK) return;
    probe_secrets(m, k.folder);
    probe_certificates(m, &k);
    keystore_close(&k);
}
