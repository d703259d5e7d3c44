/* trapeze opcua user: who may log in, as which role. */
#include <stdio.h>
#include <string.h>

#include "services/cli/opcua.h"
#include "services/cli/password.h"
#include "services/opcua/access/users.h"

static enum status add(const struct keystore *k, struct users *u, const char *name,
                       const char *role)
{
    char password[PASSWORD_MOST];
    enum status s = STATUS_REFUSED;

    if (!role) return STATUS_USAGE;
    if (password_ask(password)) s = users_set(u, name, role, password);
    explicit_bzero(password, sizeof password);
    if (s == STATUS_OK) s = users_write(k, u);
    if (s == STATUS_OK) printf("%s is %s, from the next start of a rig on\n", name, role);
    return s;
}

static enum status take_away(const struct keystore *k, struct users *u, const char *name)
{
    enum status s;

    if (!users_remove(u, name)) {
        fprintf(stderr, "trapeze opcua: there is no user '%.40s'\n", name);
        return STATUS_REFUSED;
    }
    s = users_write(k, u);
    if (s == STATUS_OK) printf("%s is gone, from the next start of a rig on\n", name);
    return s;
}

enum status opcua_user(const struct verb_call *call, const char *role)
{
    const char *word = call->argument[1];
    struct keystore k;
    struct users u;

    if (keystore_open(&k, 0) != STATUS_OK || users_read(&k, &u) != STATUS_OK) return STATUS_REFUSED;
    if (strcmp(word, "list") == 0 && call->n_arguments == 2) {
        for (int i = 0; i < u.n; i++)
            printf("%-32s %s\n", u.entry[i].name, rights_role_text(u.entry[i].role));
        return STATUS_OK;
    }
    if (strcmp(word, "add") == 0 && call->n_arguments == 3)
        return add(&k, &u, call->argument[2], role);
    if (strcmp(word, "remove") == 0 && call->n_arguments == 3)
        return take_away(&k, &u, call->argument[2]);
    return STATUS_USAGE;
}
