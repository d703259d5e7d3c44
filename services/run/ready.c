#include "services/run/ready.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/link/name.h"

enum { READY_TEXT = sizeof(struct block_say) };

/* What service i says of itself in to[READY_TEXT], printable; 0: not ready. */
static int said(const struct supervisor *s, int i, char *to)
{
    const char *block = s->stepper.service[i].map;
    const struct block_say *say = (const void *)(block + s->stepper.layout.service.say_at);
    size_t n = 0;

    if (!s->member[i].pid || !atomic_load_explicit(&say->ready, memory_order_acquire)) return 0;
    for (; n < sizeof say->text; n++) {
        char c = say->text[n];
        if (c <= ' ' || c > '~') break;
        to[n] = c;
    }
    to[n] = 0;
    return 1;
}

/* The first endpoint in to[READY_TEXT]; 0 while one that says so is not up. */
static int services_are_up(const struct supervisor *s, char *to)
{
    char text[READY_TEXT];

    to[0] = 0;
    for (int i = 1; i < BLOCK_SERVICES; i++) {
        if (!s->member[i].kind || !s->member[i].kind->prepare) continue;
        if (!said(s, i, text)) return 0;
        if (to[0] == 0) memcpy(to, text, sizeof text);
    }
    return 1;
}

/* Written beside it and then given its name. */
static void write_file(const struct supervisor *s, const char *endpoint)
{
    size_t n = strlen(s->o->ready) + 8;
    char *path = malloc(n);
    FILE *f = NULL;

    if (path) {
        snprintf(path, n, "%s.new", s->o->ready);
        f = fopen(path, "we");
    }
    if (f) {
        fprintf(f, "rig=%s\npid=%d\nstate=%s\nendpoint=%s\n", s->o->rig->name, (int)getpid(),
                name_state(s->record->state), endpoint);
        if (fclose(f) == 0 && rename(path, s->o->ready) == 0) f = NULL;
    }
    if (!path || f) fprintf(stderr, "trapeze: --ready %s: %s\n", s->o->ready, strerror(errno));
    free(path);
}

void ready_begin(struct supervisor *s)
{
    if (s->o->ready) unlink(s->o->ready);
}

void ready_look(struct supervisor *s)
{
    uint32_t wanted = s->o->rig->autostart ? STATE_RUNNING : STATE_READY;
    char endpoint[READY_TEXT], message[READY_TEXT + 64];
    int moved = s->record->step > 0;

    if (s->ready || (s->record->state != wanted && !moved) || !services_are_up(s, endpoint)) return;
    s->ready = 1;
    snprintf(s->board->endpoint, sizeof s->board->endpoint, "%s", endpoint);
    snprintf(message, sizeof message, "%s%s%s%s", name_state(s->record->state),
             endpoint[0] ? ", " : "", endpoint, endpoint[0] ? " answers" : "");
    journal_say(&s->journal, &s->port, s->record,
                &(struct journal_line){.kind = "ready",
                                       .message = message,
                                       .severity = 100,
                                       .name = "endpoint",
                                       .value = endpoint});
    if (s->o->ready) write_file(s, endpoint);
}

void ready_remove(struct supervisor *s)
{
    if (s->ready && s->o->ready) unlink(s->o->ready);
}
