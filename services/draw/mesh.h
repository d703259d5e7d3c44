/* mesh.h: triangles from STL (text or binary) and OBJ files. SERVICE context; blocks on
 * the file system; bounded: at most MESH_MAX_BYTES are read, MESH_MAX_TRIANGLES kept. */
#ifndef MESH_H
#define MESH_H

#include <stddef.h>

enum { MESH_MAX_BYTES = 64 << 20, MESH_MAX_TRIANGLES = 400000 };

struct mesh {
    float *corner;      /* nine numbers a triangle, in the file's unit */
    size_t n, room;     /* triangles */
};

/* Read a file into a zeroed mesh. Returns 1, or 0 where it is no mesh or cannot be read;
 * `why` then says what is wrong. */
int mesh_read(struct mesh *mesh, const char *path, const char **why);
void mesh_free(struct mesh *mesh);

#endif
