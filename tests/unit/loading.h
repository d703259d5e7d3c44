/* loading.h: models from text, for tests. */
#ifndef LOADING_H
#define LOADING_H

#include "rt/mech/model.h"
#include "services/load/model/load.h"

struct loading {
    struct model *model; /* NULL when refused */
    struct diag_list diags;
    enum status status;
};

/* Load a text (named test.yaml) or a file; `set` may be NULL. */
struct loading loading_text(const char *text);
struct loading loading_file(const char *path, const char *set);

/* Load a text that must be right; fails the test with the messages otherwise. */
struct loading loading_good(const char *text);

void loading_done(struct loading *l);

/* Elements by name; fail the test where there is none. */
const struct model_body *loading_body(const struct loading *l, const char *name);
const struct model_joint *loading_joint(const struct loading *l, const char *name);
const struct model_force *loading_force(const struct loading *l, const char *name);
const struct model_actuator *loading_actuator(const struct loading *l, const char *name);
const struct model_sensor *loading_sensor(const struct loading *l, const char *name);

/* 1 if some message holds these words. */
int loading_says(const struct loading *l, const char *words);

/* Fails the test unless |a - b| <= 1e-14 (1 + |b|), entry by entry. */
void loading_assert_near(const double *a, const double *b, int n);

#endif
