#include "services/draw/mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A whole file and how far it is read. */
struct text {
    char *at;
    size_t n;
};

static int read_file(const char *path, struct text *t, const char **why)
{
    FILE *f = fopen(path, "rb");
    *why = "cannot be opened";
    if (!f) return 0;
    *why = "is not a file of 1 byte to 64 MiB";
    int good = fseek(f, 0, SEEK_END) == 0;
    long size = good ? ftell(f) : -1;
    if (size > 0 && size <= MESH_MAX_BYTES && fseek(f, 0, SEEK_SET) == 0) {
        t->at = malloc((size_t)size + 1);
        t->n = t->at ? fread(t->at, 1, (size_t)size, f) : 0;
        if (t->at) t->at[t->n] = 0;
    }
    fclose(f);
    return t->n > 0;
}

static int add(struct mesh *m, const float corner[9])
{
    for (int i = 0; i < 9; i++)
        if (!isfinite(corner[i])) return 0;
    if (m->n == MESH_MAX_TRIANGLES) return 0;
    if (m->n == m->room) {
        size_t room = m->room ? 2 * m->room : 256;
        float *wider = realloc(m->corner, room * 9 * sizeof *wider);
        if (!wider) return 0;
        m->corner = wider;
        m->room = room;
    }
    memcpy(m->corner + 9 * m->n++, corner, 9 * sizeof *corner);
    return 1;
}

/* 84 bytes of head, then 50 a triangle: normal, corners, two bytes. */
static int read_binary(struct mesh *m, const struct text *t)
{
    enum { HEAD = 84, EACH = 50, NORMAL = 12 };
    uint32_t n;
    if (t->n < HEAD) return 0;
    memcpy(&n, t->at + HEAD - sizeof n, sizeof n);
    if ((t->n - HEAD) / EACH < n) return 0;
    for (uint32_t i = 0; i < n; i++) {
        float corner[9];
        memcpy(corner, t->at + HEAD + (size_t)EACH * i + NORMAL, sizeof corner);
        if (!add(m, corner)) return 0;
    }
    return n > 0;
}

static int read_words(struct mesh *m, char *text)
{
    float corner[9];
    int have = 0;
    for (char *line = strstr(text, "vertex"); line; line = strstr(line, "vertex")) {
        char *end = line += strlen("vertex");
        for (int i = 0; i < 3; i++) corner[3 * have + i] = strtof(end, &end);
        if (++have == 3 && !add(m, corner)) return 0;
        have %= 3;
    }
    return m->n > 0;
}

/* The corner an OBJ face names: from 1, or from the end where negative. */
static const float *vertex(const float *v, long n, long index)
{
    if (index < 0) index += n + 1;
    return index >= 1 && index <= n ? v + 3 * (index - 1) : NULL;
}

static int add_polygon(struct mesh *m, const float *v, long n, char *at)
{
    const float *first = NULL, *last = NULL;
    for (;;) {
        char *end;
        long index = strtol(at, &end, 10);
        if (end == at) return 1;
        const float *p = vertex(v, n, index);
        if (!p) return 0;
        float corner[9];
        if (first && last) {
            memcpy(corner, first, 12), memcpy(corner + 3, last, 12), memcpy(corner + 6, p, 12);
            if (!add(m, corner)) return 0;
        }
        if (first) last = p;
        if (!first) first = p;
        at = end + strcspn(end, " \t\r\n"); /* the rest of 1/2/3 */
    }
}

static int read_obj(struct mesh *m, char *text)
{
    long n = 0, room = 0;
    float *v = NULL;
    int good = 1;
    char *rest = text, *line;
    while (good && (line = strsep(&rest, "\n"))) {
        if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t')) {
            if (n == room) {
                room = room ? 2 * room : 256;
                float *wider = realloc(v, (size_t)room * 3 * sizeof *v);
                if (!wider) break;
                v = wider;
            }
            char *end = line + 1;
            for (int i = 0; i < 3; i++) v[3 * n + i] = strtof(end, &end);
            n++;
        } else if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t'))
            good = add_polygon(m, v, n, line + 1);
    }
    free(v);
    return good && m->n > 0;
}

int mesh_read(struct mesh *mesh, const char *path, const char **why)
{
    struct text t = {0};
    const char *dot = strrchr(path, '.');
    int good = read_file(path, &t, why);
    if (good) {
        *why = "holds no triangles that can be read";
        if (dot && (strcmp(dot, ".obj") == 0 || strcmp(dot, ".OBJ") == 0))
            good = read_obj(mesh, t.at);
        else
            good = read_binary(mesh, &t) || read_words(mesh, t.at);
    }
    free(t.at);
    if (!good) mesh_free(mesh);
    return good;
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->corner);
    *mesh = (struct mesh){0};
}
