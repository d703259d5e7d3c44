/* sandbox_files.c: Landlock: what a service may reach by name. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "services/run/sandbox.h"

/* The kernel's interface, newer than some headers. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, VERSION = 1, PATH_BENEATH = 1 };
#define ACCESS_WRITE_FILE (UINT64_C(1) << 1)
#define ACCESS_READ_FILE (UINT64_C(1) << 2)
#define ACCESS_READ_DIR (UINT64_C(1) << 3)
#define ACCESS_REMOVE_FILE (UINT64_C(1) << 5)
#define ACCESS_MAKE_REG (UINT64_C(1) << 8)
#define ACCESS_REFER (UINT64_C(1) << 13)
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)
#define NET_CONNECT_TCP (UINT64_C(1) << 1)
#define SCOPE_ABSTRACT_SOCKET (UINT64_C(1) << 0)
#define SCOPE_SIGNAL (UINT64_C(1) << 1)

struct ruleset {
    uint64_t files, net, scoped;
};
struct __attribute__((packed)) beneath {
    uint64_t allowed;
    int32_t folder;
};

static int version(void) { return (int)syscall(CREATE_RULESET, NULL, 0, VERSION); }

int sandbox_has_landlock(void) { return version() > 0; }

/* Everything a version can forbid: bits grow with it. */
static struct ruleset all(int abi)
{
    static const int BITS[] = {0, 13, 14, 15, 15, 16};
    int bits = BITS[abi < 5 ? abi : 5];

    return (struct ruleset){.files = (UINT64_C(1) << bits) - 1,
                            .net = abi >= 4 ? NET_CONNECT_TCP : 0,
                            .scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL : 0};
}

static int allow(int rules, int folder, uint64_t access)
{
    struct beneath b = {access, folder};
    return folder < 0 || syscall(ADD_RULE, rules, PATH_BENEATH, &b, 0) == 0;
}

/* A file or folder of the system: it need not be there. */
static int allow_path(int rules, const char *path, uint64_t access)
{
    int fd = open(path, O_PATH | O_CLOEXEC), ok = allow(rules, fd, access);
    if (fd >= 0) close(fd);
    return ok;
}

static int allow_all(int rules, const struct sandbox_files *f, uint64_t handled)
{
    uint64_t look = ACCESS_READ_FILE | ACCESS_READ_DIR;
    uint64_t change = handled & (look | ACCESS_WRITE_FILE | ACCESS_TRUNCATE | ACCESS_MAKE_REG |
                                 ACCESS_REMOVE_FILE | ACCESS_REFER);
    int ok = allow_path(rules, "/etc", look) && allow_path(rules, "/usr", look) &&
             allow_path(rules, "/dev/urandom", ACCESS_READ_FILE);

    for (int i = 0; i < f->n_read && ok; i++) ok = allow(rules, f->read[i], look);
    for (int i = 0; i < f->n_write && ok; i++) ok = allow(rules, f->write[i], change);
    return ok;
}

enum status sandbox_files(const struct sandbox_files *files)
{
    int abi = version();
    struct ruleset set;
    size_t size = abi >= 6 ? sizeof set : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int rules, ok;

    if (abi <= 0) return STATUS_OK;
    set = all(abi);
    rules = (int)syscall(CREATE_RULESET, &set, size, 0);
    if (rules < 0) return STATUS_RIGHTS;
    ok = allow_all(rules, files, set.files) && syscall(RESTRICT_SELF, rules, 0) == 0;
    close(rules);
    return ok ? STATUS_OK : STATUS_RIGHTS;
}
