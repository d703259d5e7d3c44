/* The joints make one tree of all links; mimics follow joints that move; every link and
 * joint gets a name a model file can have. */
#include <string.h>

#include "services/load/urdf/urdf_parts.h"

enum { NAME_MOST = 60 };

/* ---- the tree -------------------------------------------------------------------- */

static int find_link(struct urdf *u, const struct urdf_joint *j, const char *name, struct place at)
{
    int i = name ? names_find(&u->links, name) : -1;
    if (i >= 0 || !name) return i;
    const char *near = urdf_nearest(u, &u->links, name);
    urdf_error(u, at, "joint '%s': there is no link '%.60s'%s%.60s%s", j->name, name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return -1;
}

static void connect(struct urdf *u, int at)
{
    struct urdf_joint *j = &u->joint[at];
    j->parent = find_link(u, j, j->parent_name, j->parent_place);
    j->child = find_link(u, j, j->child_name, j->child_place);
    if (j->child < 0 || j->parent < 0) return;
    struct urdf_link *child = &u->link[j->child];
    if (j->parent == j->child)
        urdf_error(u, j->child_place, "joint '%s': parent and child are the same link, '%s'",
                   j->name, child->name);
    else if (child->joint >= 0)
        urdf_error(
            u, j->child_place,
            "joint '%s': link '%s' is the child of joint '%s' already; URDF is a tree: leave "
            "this joint out and close the loop in the model file",
            j->name, child->name, u->joint[child->joint].name);
    else
        child->joint = at;
}

static void find_root(struct urdf *u)
{
    u->root = -1;
    for (int i = 0; i < u->n_links; i++) {
        if (u->link[i].joint >= 0) continue;
        if (u->root >= 0)
            urdf_error(u, u->link[i].place,
                       "link '%s' hangs on no joint, and neither does '%s': one link alone is the "
                       "root; join them, with a fixed joint for instance",
                       u->link[i].name, u->link[u->root].name);
        else
            u->root = i;
    }
    if (u->root < 0)
        urdf_error(u, u->link[0].place, "there is no root: every link is the child of some joint");
}

/* Children behind parents, in the order of the joints of the file. Joints are sorted by
 * parent with a counting sort. */
static int sort_links(struct urdf *u)
{
    int *first = memory_take(u->memory, (size_t)u->n_links + 2, sizeof *first);
    int *by_parent = memory_take(u->memory, (size_t)u->n_joints + 1, sizeof *by_parent);
    if (!first || !by_parent) return 0;
    for (int j = 0; j < u->n_joints; j++) first[u->joint[j].parent + 2]++;
    for (int i = 0; i < u->n_links; i++) first[i + 2] += first[i + 1];
    for (int j = 0; j < u->n_joints; j++) by_parent[first[u->joint[j].parent + 1]++] = j;
    int n = 0;
    u->order[n++] = u->root;
    for (int at = 0; at < n; at++) {
        int l = u->order[at], begin = l ? first[l] : 0;
        for (int k = begin; k < first[l + 1]; k++) u->order[n++] = u->joint[by_parent[k]].child;
    }
    return n;
}

static void check_tree(struct urdf *u)
{
    for (int j = 0; j < u->n_joints; j++) connect(u, j);
    if (u->broken) return;
    find_root(u);
    if (u->broken) return;
    int n = sort_links(u);
    if (u->memory->failed || n == u->n_links) return;
    char *seen = memory_take(u->memory, (size_t)u->n_links, 1);
    for (int i = 0; seen && i < n; i++) seen[u->order[i]] = 1;
    for (int i = 0; seen && i < u->n_links; i++)
        if (!seen[i]) {
            urdf_error(u, u->link[i].place,
                       "link '%s' is part of a ring of joints that does not hang on the root '%s'",
                       u->link[i].name, u->link[u->root].name);
            return;
        }
}

/* ---- mimics ---------------------------------------------------------------------- */

static void find_mimicked(struct urdf *u, struct urdf_joint *j)
{
    if (!j->mimic_name) return;
    if (!urdf_is_single(j)) {
        urdf_mended(u, URDF_MEND_TAG, j->mimic_place,
                    "joint '%s': its type cannot mimic another; <mimic> is passed over", j->name);
        return;
    }
    int at = names_find(&u->joints, j->mimic_name);
    const char *near = at < 0 ? urdf_nearest(u, &u->joints, j->mimic_name) : NULL;
    if (at < 0)
        urdf_error(u, j->mimic_place, "joint '%s': there is no joint '%.60s' to mimic%s%.60s%s",
                   j->name, j->mimic_name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
    else if (!urdf_is_single(&u->joint[at]))
        urdf_error(u, j->mimic_place,
                   "joint '%s': joint '%s' has no single coordinate to mimic; it must be revolute, "
                   "continuous or prismatic",
                   j->name, u->joint[at].name);
    else
        j->mimic = at;
}

/* Follow each joint to the end of its chain of mimics; longer than all joints is a ring. */
static void check_mimics(struct urdf *u)
{
    for (int j = 0; j < u->n_joints; j++) find_mimicked(u, &u->joint[j]);
    for (int j = 0; j < u->n_joints; j++) {
        int at = j, steps = 0;
        while (u->joint[at].mimic >= 0 && steps <= u->n_joints) at = u->joint[at].mimic, steps++;
        if (steps <= u->n_joints) continue;
        urdf_error(u, u->joint[j].mimic_place, "joint '%s' mimics itself%s", u->joint[j].name,
                   u->joint[j].mimic == j ? "" : ", over other joints");
        return;
    }
}

/* ---- names ----------------------------------------------------------------------- */

/* Small letters, digits and `-`, a letter first. */
static void plain_name(const char *name, const char *kind, char out[NAME_MOST + 24])
{
    size_t n = 0;
    for (const char *c = name; *c && n < NAME_MOST; c++) {
        int upper = *c >= 'A' && *c <= 'Z';
        char d = (char)(upper ? *c - 'A' + 'a' : *c);
        int digit = d >= '0' && d <= '9', letter = d >= 'a' && d <= 'z';
        if (n == 0 && digit) n = (size_t)snprintf(out, NAME_MOST, "%s-", kind);
        if (digit || letter)
            out[n++] = d;
        else if (n && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n && out[n - 1] == '-') n--;
    out[n] = 0;
    if (n == 0) snprintf(out, NAME_MOST, "%s", kind);
}

static const char *unique_name(struct urdf *u, struct names *taken, const char *name,
                               const char *kind)
{
    char text[NAME_MOST + 24];
    plain_name(name, kind, text);
    size_t n = strlen(text);
    for (int i = 2; names_find(taken, text) >= 0; i++) snprintf(text + n, 20, "-%d", i);
    const char *id = memory_text(u->memory, text, strlen(text));
    if (!id || names_add(taken, id, 0) < 0) return "";
    u->renamed += strcmp(id, name) != 0;
    return id;
}

static const char *mimic_name(struct urdf *u, struct names *taken, const struct urdf_joint *j)
{
    char text[NAME_MOST + 32];
    int before = u->renamed;
    snprintf(text, sizeof text, "%s-mimic", j->id);
    const char *id = unique_name(u, taken, text, "mimic");
    u->renamed = before;
    return id;
}

static void name_all(struct urdf *u)
{
    struct names bodies = {.memory = u->memory}, joints = {.memory = u->memory};
    (void)names_add(&bodies, "ground", 0);
    (void)names_add(&bodies, "null", 0);
    (void)names_add(&joints, "null", 0);
    for (int i = 0; i < u->n_links; i++)
        u->link[i].id = unique_name(u, &bodies, u->link[i].name, "link");
    for (int i = 0; i < u->n_joints; i++)
        u->joint[i].id = unique_name(u, &joints, u->joint[i].name, "joint");
    for (int i = 0; i < u->n_joints; i++)
        if (u->joint[i].mimic >= 0) u->joint[i].mimic_id = mimic_name(u, &joints, &u->joint[i]);
    for (int i = 0; i < u->n_devices; i++)
        u->device[i].id = unique_name(u, &joints, u->device[i].name, "sensor");
    if (u->renamed)
        urdf_note(u, (struct place){u->file, 0, 0},
                  "%d names were changed to small letters, digits and '-'; the descriptions in the "
                  "model hold the old ones",
                  u->renamed);
}

void urdf_check(struct urdf *u)
{
    check_tree(u);
    check_mimics(u);
    if (!u->broken) name_all(u);
}
