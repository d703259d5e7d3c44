/* check.h: what `trapeze check` shows, shared by its files. SERVICE context. */
#ifndef CHECK_H
#define CHECK_H

#include <jansson.h>

#include "rt/mech/model.h"
#include "services/plan/mechanism.h"

/* Rows of all joints and motions. */
int check_constraints(const struct model *m);

/* The name of a body, "ground" for MODEL_GROUND. */
const char *check_body_name(const struct model *m, int32_t body);

/* Print the model as tables. */
void check_model_print(const struct model *m);

/* Print what the plan says: freedoms, redundant rows, loops, order, cost. */
void check_plan_print(const struct mechanism *me, double step_s);

/* The same two for machines, into one object. */
void check_model_json(const struct model *m, json_t *to);
void check_plan_json(const struct mechanism *me, double step_s, json_t *to);

#endif
