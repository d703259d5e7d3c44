/* trapeze opcua user: who may log in, as which role. */
#include <stdio.h>
#include <string.h>

#include "services/cli/ask.h"
#include "services/cli/opcua.h"
#include "services/cli/password.h"
#include "services/opcua/access/users.h"

/* What a word is about. */
struct person {
    const char *name, *role; /* role: NULL where none was given */
    int replace;             /* the one there is */
    char password[PASSWORD_MOST];
    char said[128];          /* what was done */
};

/* From TRAPEZE_PASSWORD, the terminal or a pipe. Returns 0 after a sentence. */
static int get_password(struct person *p)
{
    if (password_given(NULL, p->password) == 1 || password_ask(p->password))
        return users_password_is_good(p->password);
    fprintf(stderr, "trapeze opcua: no password: the input ended; give it at a terminal, by a pipe "
                    "or in TRAPEZE_PASSWORD\n");
    return 0;
}

static enum status nobody(const char *name)
{
    fprintf(stderr, "trapeze opcua: there is no user '%.40s': trapeze opcua user list\n", name);
    return STATUS_REFUSED;
}

/* ---- the words --------------------------------------------------------------------- */

static enum status may_replace(const struct users_entry *e)
{
    char question[128];
    int answer;

    snprintf(question, sizeof question, "%s is %s already; give a new password and role?", e->name,
             rights_role_text(e->role));
    answer = ask_yes(question);
    if (answer == 1) return STATUS_OK;
    fprintf(
        stderr,
        "trapeze opcua: %s is %s already; a new password: trapeze opcua user passwd %s, another "
        "role: trapeze opcua user role %s --role ROLE\n",
        e->name, rights_role_text(e->role), e->name, e->name);
    return STATUS_REFUSED;
}

/* Before the password is asked for: nobody types one for nothing. */
static enum status prepare_add(const struct users *u, struct person *p)
{
    const struct users_entry *e = users_find(u, p->name);

    if (e && may_replace(e) != STATUS_OK) return STATUS_REFUSED;
    p->replace = e != NULL;
    return get_password(p) ? STATUS_OK : STATUS_REFUSED;
}

static enum status add(struct users *u, struct person *p)
{
    const struct users_entry *e = users_find(u, p->name);
    enum status s = e && !p->replace ? may_replace(e) : users_set(u, p->name, p->role, p->password);

    if (s == STATUS_OK)
        snprintf(p->said, sizeof p->said, "%.40s is %s, from now on", p->name, p->role);
    return s;
}

static enum status prepare_passwd(const struct users *u, struct person *p)
{
    if (!users_find(u, p->name)) return nobody(p->name);
    return get_password(p) ? STATUS_OK : STATUS_REFUSED;
}

static enum status passwd(struct users *u, struct person *p)
{
    enum status s = users_find(u, p->name) ? users_set(u, p->name, NULL, p->password)
                                           : nobody(p->name);

    if (s == STATUS_OK)
        snprintf(p->said, sizeof p->said, "%.40s has a new password; sessions with the old one end",
                 p->name);
    return s;
}

static enum status change_role(struct users *u, struct person *p)
{
    if (!users_find(u, p->name)) return nobody(p->name);
    if (!users_set_role(u, p->name, p->role)) return STATUS_REFUSED;
    snprintf(p->said, sizeof p->said, "%.40s is %s, from now on", p->name, p->role);
    return STATUS_OK;
}

static enum status take_away(struct users *u, struct person *p)
{
    if (!users_remove(u, p->name)) return nobody(p->name);
    snprintf(p->said, sizeof p->said, "%.40s is gone; sessions of that name end", p->name);
    return STATUS_OK;
}

/* ---- the verb ---------------------------------------------------------------------- */

static enum status list(const char *state)
{
    struct keystore k;
    struct users u;

    if (keystore_open(&k, state, KEYSTORE_LOOK) != STATUS_OK) return STATUS_REFUSED;
    if (users_read(&k, &u) != STATUS_OK) return STATUS_REFUSED;
    for (int i = 0; i < u.n; i++)
        printf("%-32s %s\n", u.entry[i].name, rights_role_text(u.entry[i].role));
    if (u.n == 0) fprintf(stderr, "there are no users in %s\n", k.folder);
    keystore_close(&k);
    return STATUS_OK;
}

static const struct {
    const char *name;
    int role; /* it needs --role */
    enum status (*prepare)(const struct users *u, struct person *p); /* may be NULL */
    enum status (*run)(struct users *u, struct person *p);
} WORD[] = {
    {"add", 1, prepare_add, add},
    {"passwd", 0, prepare_passwd, passwd},
    {"role", 1, NULL, change_role},
    {"remove", 0, NULL, take_away},
};

/* What was asked happens outside the lock, what changes the file within. */
static enum status change(const struct keystore *k, size_t word, struct person *p)
{
    struct users u;
    enum status s = users_read(k, &u);
    int lock;

    if (s == STATUS_OK && WORD[word].prepare) s = WORD[word].prepare(&u, p);
    if (s != STATUS_OK) return s;
    lock = keystore_lock(k);
    s = users_read(k, &u);
    if (s == STATUS_OK) s = WORD[word].run(&u, p);
    if (s == STATUS_OK) s = users_write(k, &u);
    keystore_unlock(lock);
    if (s == STATUS_OK) printf("%s\n", p->said);
    return s;
}

enum status opcua_user(const struct verb_call *call, const char *role, const char *state)
{
    struct person p = {.role = role};
    enum status s = STATUS_USAGE;
    struct keystore k;

    if (strcmp(call->argument[1], "list") == 0 && call->n_arguments == 2) return list(state);
    for (size_t i = 0; i < sizeof WORD / sizeof WORD[0]; i++) {
        if (strcmp(WORD[i].name, call->argument[1]) != 0 || call->n_arguments != 3) continue;
        if (WORD[i].role && !role) return STATUS_USAGE;
        if (keystore_open(&k, state, KEYSTORE_CHANGE) != STATUS_OK) return STATUS_REFUSED;
        p.name = call->argument[2];
        s = change(&k, i, &p);
        explicit_bzero(p.password, sizeof p.password);
        keystore_close(&k);
    }
    return s;
}
