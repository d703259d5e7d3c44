#include "rt/solve/method.h"

#include <string.h>

#include "rt/solve/index3.h"

#include "rt/rtsafe.h"

const struct method *const METHOD[] = {&INDEX3, NULL};

const struct method *method_find(const char *name)
{
    for (int i = 0; METHOD[i]; i++)
        if (strcmp(METHOD[i]->name, name) == 0) return METHOD[i];
    return NULL;
}

size_t method_memsize(const struct model *m, const struct plan *p)
{
    return workspace_memsize(m, p, p->method->memsize(m, p));
}

enum status method_init(const struct model *m, const struct plan *p, struct workspace *ws,
                        void *memory, size_t size)
{
    enum status s = workspace_init(ws, m, p, p->method->memsize(m, p), memory, size);
    if (s == STATUS_OK) p->method->init(m, p, ws);
    return s;
}
