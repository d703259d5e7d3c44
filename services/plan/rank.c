#include "services/plan/rank.h"
enum status rank_rows(const struct model *m, struct plan *p, const struct draft *d,
                      struct workspace *ws, struct diag_list *diags)
{
    (void)d; (void)ws; (void)diags;
    p->constraints = 0;
    for (int j = 0; j < p->n_joints; j++) p->constraints += p->joint[j].type->n_rows;
    p->dof = p->n_columns - p->n_rows;
    (void)m;
    return STATUS_OK;
}
