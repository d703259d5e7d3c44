/* Runs, borders and shapes of the parts, once bodies, elements and operations are laid. */
#include <stdlib.h>
#include <string.h>

#include "services/plan/layout_parts.h"

/* Multiply-adds of one operation, as symbolic.c counts them. */
static double op_flops(const struct plan_op *op)
{
    int d = op->n_free, m = op->n_next, has = op->parent != PLAN_NONE;
    double pairs = 0.5 * m * (m + 1);
    return 36. * (has + 1) + d * (36. + 36. * (m - has) + 36. * pairs + 6. * d) + 24. * d * (m + 1);
}

/* Bodies of each part: slots stand part by part. */
static void lay_bodies(struct layout *y)
{
    const struct plan *p = y->plan;
    for (int i = 0, k = 0, column = 0; i < p->n_parts; i++) {
        struct plan_part *t = &y->parts[i];
        t->slot_at = k;
        t->column_at = column;
        for (; k < p->n && y->d->part_of[y->d->node[y->d->order[k]]] == i; k++) {
            column += p->link[k].n_free;
            t->flops += op_flops(&p->op[k]);
        }
        t->n_slots = k - t->slot_at;
        t->n_columns = column - t->column_at;
    }
}

static void lay_tree(struct layout *y)
{
    const struct model *m = y->d->m;
    for (int i = 0; i < y->plan->n_parts; i++) y->parts[i].parent = PLAN_NONE;
    if (y->plan->n_parts == 1) return;
    for (uint32_t c = 0; c < m->components.n; c++) {
        struct plan_part *t = &y->parts[y->d->part_of[c]];
        int above = model_components(m)[c].parent;
        t->component = (int)c;
        if (above >= 0) t->parent = y->d->part_of[above];
    }
}

/* What a part lists as its border, without repetition. */
struct border {
    int *list, *seen; /* seen[slot]: last part that listed it, plus 1 */
    int n, capacity, failed;
};

static void border_add(struct border *b, const struct plan_part *t, int part, int slot)
{
    if (slot == PLAN_NONE || (slot >= t->slot_at && slot < t->slot_at + t->n_slots)) return;
    if (b->seen[slot] == part + 1 || b->failed) return;
    if (b->n == b->capacity) {
        int c = b->capacity ? 2 * b->capacity : 64;
        int *p = realloc(b->list, sizeof *p * (size_t)c);
        if (!p) {
            b->failed = 1;
            return;
        }
        b->list = p;
        b->capacity = c;
    }
    b->seen[slot] = part + 1;
    b->list[b->n++] = slot;
}

/* Bodies above that its operations and elements, and the parts below, leave something on. */
static void lay_border(const struct layout *y, struct border *b, int part)
{
    const struct plan *p = y->plan;
    struct plan_part *t = &y->parts[part];
    t->border_at = b->n;
    for (int i = t->slot_at; i < t->slot_at + t->n_slots; i++)
        for (int j = 0; j < p->op[i].n_next; j++)
            border_add(b, t, part, p->list[p->op[i].nb_at + 2 * j]);
    for (int i = t->cut_at; i < t->cut_at + t->n_cuts; i++)
        for (int s = 0; s < 2; s++) border_add(b, t, part, p->cut[i].slot[s]);
    for (int i = t->sum_at; i < t->sum_at + t->n_sums; i++)
        for (int s = 0; s < p->sum[i].n_slots; s++) border_add(b, t, part, p->sum[i].slot[s]);
    for (int i = t->force_at; i < t->force_at + t->n_forces; i++)
        for (int s = 0; s < 2; s++) border_add(b, t, part, p->force[i].slot[s]);
    for (int c = 0; c < part; c++)
        for (int i = 0; y->parts[c].parent == part && i < y->parts[c].n_border; i++)
            border_add(b, t, part, b->list[y->parts[c].border_at + i]);
    t->n_border = b->n - t->border_at;
}

/* ---- shapes ---- */

/* A slot as its part sees it: place in its run, or in its border. */
static int seen_as(const struct plan *p, const struct plan_part *t, const int *border, int slot)
{
    if (slot == PLAN_NONE) return PLAN_NONE;
    if (slot >= t->slot_at && slot < t->slot_at + t->n_slots) return slot - t->slot_at;
    for (int i = 0; i < t->n_border; i++)
        if (border[t->border_at + i] == slot) return p->n + i;
    return -2;
}

static const struct joint_type *type_of(const struct plan *p, int joint)
{
    return joint == PLAN_NONE ? NULL : p->joint[joint].type;
}

static int same_bodies(const struct plan *p, const int *border, const struct plan_part *a,
                       const struct plan_part *b)
{
    for (int i = 0; i < a->n_slots; i++) {
        const struct plan_link *u = &p->link[a->slot_at + i], *v = &p->link[b->slot_at + i];
        const struct plan_op *o = &p->op[a->slot_at + i], *q = &p->op[b->slot_at + i];
        if (type_of(p, u->joint) != type_of(p, v->joint) || u->n_free != v->n_free ||
            u->sign != v->sign || u->kind != v->kind || u->shift != v->shift ||
            o->n_next != q->n_next || o->kind != q->kind ||
            seen_as(p, a, border, u->parent) != seen_as(p, b, border, v->parent))
            return 0;
        for (int j = 0; j < o->n_next; j++)
            if (seen_as(p, a, border, p->list[o->nb_at + 2 * j]) !=
                seen_as(p, b, border, p->list[q->nb_at + 2 * j]))
                return 0;
    }
    return 1;
}

static int same_elements(const struct layout *y, const int *border, const struct plan_part *a,
                         const struct plan_part *b)
{
    const struct plan *p = y->plan;
    const struct model_force *f = model_forces(y->d->m);
    for (int i = 0; i < a->n_cuts; i++) {
        const struct plan_cut *u = &p->cut[a->cut_at + i], *v = &p->cut[b->cut_at + i];
        if (type_of(p, u->joint) != type_of(p, v->joint) || u->n_rows != v->n_rows) return 0;
        for (int s = 0; s < 2; s++)
            if (seen_as(p, a, border, u->slot[s]) != seen_as(p, b, border, v->slot[s])) return 0;
    }
    for (int i = 0; i < a->n_sums; i++) {
        const struct plan_sum *u = &p->sum[a->sum_at + i], *v = &p->sum[b->sum_at + i];
        if (u->n_slots != v->n_slots) return 0;
        for (int s = 0; s < u->n_slots; s++)
            if (seen_as(p, a, border, u->slot[s]) != seen_as(p, b, border, v->slot[s])) return 0;
    }
    for (int i = 0; i < a->n_forces; i++) {
        const struct plan_force *u = &p->force[a->force_at + i], *v = &p->force[b->force_at + i];
        if (f[u->force].type != f[v->force].type) return 0;
        for (int s = 0; s < 2; s++)
            if (seen_as(p, a, border, u->slot[s]) != seen_as(p, b, border, v->slot[s])) return 0;
    }
    return 1;
}

static int same_shape(const struct layout *y, const int *border, const struct plan_part *a,
                      const struct plan_part *b)
{
    return a->n_slots == b->n_slots && a->n_columns == b->n_columns && a->n_cuts == b->n_cuts &&
           a->n_sums == b->n_sums && a->n_rows == b->n_rows && a->n_forces == b->n_forces &&
           a->n_border == b->n_border && same_bodies(y->plan, border, a, b) &&
           same_elements(y, border, a, b);
}

int layout_runs(struct layout *y)
{
    struct plan *p = y->plan;
    struct border b = {.seen = calloc((size_t)p->n + 1, sizeof(int))};
    p->n_parts = y->d->n_parts;
    p->part = y->parts;
    if (!b.seen) return 0;
    lay_bodies(y);
    lay_tree(y);
    for (int i = 0; i < p->n_parts; i++) lay_border(y, &b, i);
    int *border = memory_take(y->d->memory, (size_t)b.n + 1, sizeof(int));
    if (border && b.n) memcpy(border, b.list, sizeof(int) * (size_t)b.n);
    for (int i = 0; border && !b.failed && i < p->n_parts; i++) {
        y->parts[i].shape = i;
        for (int k = 0; k < i && y->parts[i].shape == i; k++)
            if (same_shape(y, border, &y->parts[k], &y->parts[i])) y->parts[i].shape = k;
    }
    p->border = border;
    p->n_border = b.n;
    free(b.list);
    free(b.seen);
    return border && !b.failed;
}
