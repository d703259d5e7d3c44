#include "services/load/urdf/urdf.h"

#include <stdlib.h>

#include "services/load/urdf/urdf_parts.h"

enum { TOLD = 8 }; /* mended defects of one kind that are told one by one */

void urdf_error(struct urdf *u, struct place at, const char *format, ...)
{
    va_list args;
    u->broken = 1;
    va_start(args, format);
    diag_add_kind(u->diags, DIAG_ERROR, NULL, at.file, at.line, at.column, format, args);
    va_end(args);
}

void urdf_note(struct urdf *u, struct place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_add_kind(u->diags, DIAG_NOTE, NULL, at.file, at.line, at.column, format, args);
    va_end(args);
}

void urdf_mended(struct urdf *u, enum urdf_mend kind, struct place at, const char *format, ...)
{
    va_list args;
    if (u->mended[kind]++ >= TOLD && !u->options->strict) return;
    va_start(args, format);
    diag_add_kind(u->diags, u->options->strict ? DIAG_ERROR : DIAG_WARNING, NULL, at.file, at.line,
                  at.column, format, args);
    va_end(args);
}

const char *urdf_nearest(struct urdf *u, const struct names *names, const char *word)
{
    return u->n_nearest++ < DIAG_MAX ? names_nearest(names, word) : NULL;
}

/* Sensors on links that are no bodies of their own, or do not move. */
static void note_devices(struct urdf *u)
{
    for (int i = 0; i < u->n_devices; i++) {
        const struct urdf_device *d = &u->device[i];
        const struct urdf_link *l = &u->link[d->link];
        int joint = l->joint >= 0 && urdf_write_has_joint(u, &u->joint[l->joint]);
        if (d->wrench && !joint)
            urdf_mended(u, URDF_MEND_IO, d->place,
                        "the sensor '%s' shows no force: link '%s' hangs on no joint of the model",
                        d->name, l->name);
        if (!d->wrench && l->body < 0)
            urdf_mended(u, URDF_MEND_IO, d->place,
                        "the sensor '%s' is passed over: link '%s' is part of the ground", d->name,
                        l->name);
    }
}

static void count_untold(struct urdf *u)
{
    static const char *const WHAT[] = {[URDF_MEND_INERTIA] = "inertias no body has",
                                       [URDF_MEND_ZERO_INERTIA] = "masses without inertia",
                                       [URDF_MEND_NO_MASS] = "links without mass",
                                       [URDF_MEND_LIMIT] = "limits that hold nothing",
                                       [URDF_MEND_DYNAMICS] = "negative dynamics",
                                       [URDF_MEND_TAG] = "tags passed over",
                                       [URDF_MEND_IO] = "interfaces passed over"};
    for (int i = 0; i < URDF_MEND_COUNT; i++)
        if (u->mended[i] > TOLD && !u->options->strict)
            diag_add(u->diags, DIAG_WARNING, u->file, 0, 0, "%d more %s", u->mended[i] - TOLD,
                     WHAT[i]);
}

/* From the tree of tags to everything that is written. */
static enum status work_out(struct urdf *u, const struct markup *root)
{
    urdf_read(u, root);
    if (u->n_joints) urdf_io_read(u, root);
    if (u->n_links) urdf_check(u);
    if (u->broken || u->memory->failed) return STATUS_REFUSED;
    urdf_pose(u);
    if (u->broken || u->memory->failed) return STATUS_REFUSED;
    urdf_io_default(u);
    urdf_weigh(u);
    if (u->diags->n_errors || u->memory->failed) return STATUS_REFUSED;
    note_devices(u);
    return urdf_inertia(u);
}

static enum status write_text(const struct urdf *u, char **model)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    if (!to) return STATUS_NO_MEMORY;
    int bad = !urdf_write(u, to) || ferror(to);
    if (fclose(to) != 0 || bad) {
        free(text);
        return STATUS_NO_MEMORY;
    }
    *model = text;
    return STATUS_OK;
}

enum status urdf_import(const char *file, const char *text, size_t n,
                        const struct urdf_options *options, char **model, struct diag_list *diags)
{
    static const struct urdf_options NONE;
    struct memory memory = {0};
    const struct markup *root = NULL;
    struct urdf *u = memory_take(&memory, 1, sizeof *u);
    if (!u) return STATUS_NO_MEMORY;
    *u = (struct urdf){.file = file, .memory = &memory, .diags = diags};
    u->options = options ? options : &NONE;
    u->links.memory = u->joints.memory = &memory;
    enum status s = markup_read(file, text, n, &memory, diags, &root);
    if (s == STATUS_OK) {
        s = work_out(u, root);
        count_untold(u);
    }
    if (s == STATUS_OK) s = write_text(u, model);
    if (memory.failed) s = STATUS_NO_MEMORY;
    memory_release(&memory);
    return s;
}
