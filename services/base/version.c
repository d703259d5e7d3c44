#include "services/base/version.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* the Makefile gives both; a build by hand has neither */
#ifndef VERSION_SOURCES
#define VERSION_SOURCES "unknown"
#endif
#ifndef VERSION_DATE
#define VERSION_DATE 0
#endif

/* Notes are lists of {name size, content size, type, name, content}, each padded to four. */
static int find_id(const char *at, size_t size, struct version *v)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, at, sizeof head);
        size_t name = (head.n_namesz + 3u) & ~3u, content = (head.n_descsz + 3u) & ~3u;
        if (sizeof head + name + content > size) return 0;
        const char *is = at + sizeof head;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(is, "GNU", 4) == 0) {
            for (size_t i = 0; i < head.n_descsz && 2 * i + 2 < sizeof v->build_id; i++)
                snprintf(v->build_id + 2 * i, 3, "%02x", (unsigned char)is[name + i]);
            return 1;
        }
        at += sizeof head + name + content;
        size -= sizeof head + name + content;
    }
    return 0;
}

/* The first object is the program itself; the libraries behind it do not count. */
static int look_at(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + p->p_vaddr);
        if (p->p_type == PT_NOTE && find_id(at, p->p_memsz, found)) break;
    }
    return 1;
}

struct version version_read(void)
{
    struct version v = {.release = VERSION_RELEASE,
                        .sources = VERSION_SOURCES,
                        .date_s = VERSION_DATE,
                        .build_id = "unknown"};
    dl_iterate_phdr(look_at, &v);
    snprintf(v.text, sizeof v.text, "%s (%s, build %.12s)", v.release, v.sources, v.build_id);
    return v;
}
