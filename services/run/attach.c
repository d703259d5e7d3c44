#include "services/run/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "services/run/memblock.h"

enum { WHY = 200, FDS = 2 };

int attach_should_stop(const struct attach *a)
{
    int32_t pid = atomic_load_explicit(&a->port.board->supervisor_pid, memory_order_acquire);

    if (a->port.beat) atomic_fetch_add_explicit(a->port.beat, 1, memory_order_relaxed);
    return atomic_load_explicit(&a->port.board->stopping, memory_order_acquire) ||
           getppid() != (pid_t)pid;
}

/* A folder that others could have prepared is not used. */
static int is_ours(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & 022) == 0;
}

/* /run/trapeze as root, else below XDG_RUNTIME_DIR, else a folder of the user's own. */
static int folder(char *path, size_t size, int make)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int n;

    if (geteuid() == 0)
        n = snprintf(path, size, "/run/trapeze");
    else if (runtime && runtime[0])
        n = snprintf(path, size, "%s/trapeze", runtime);
    else
        n = snprintf(path, size, "/tmp/trapeze-%u", (unsigned)geteuid());
    if (n < 0 || (size_t)n >= size) return 0;
    if (!make) return 1;
    if (mkdir(path, 0750) != 0 && errno != EEXIST) return 0;
    errno = 0;
    return is_ours(path);
}

int attach_path(const char *rig, char path[ATTACH_PATH], char *why)
{
    char in[ATTACH_PATH] = "", unused[WHY];
    int n;

    if (!why) why = unused;
    errno = 0;
    if (!folder(in, sizeof in, 1)) {
        if (errno)
            snprintf(why, WHY, "%.100s, where running rigs are found: %s", in, strerror(errno));
        else
            snprintf(why, WHY,
                     "%.100s, where running rigs are found, is not this user's alone: "
                     "chmod go-w it, or remove it",
                     in);
        return 0;
    }
    n = snprintf(path, ATTACH_PATH, "%s/%s.sock", in, rig);
    if (!strchr(rig, '/') && rig[0] && n > 0 && n < ATTACH_PATH) return 1;
    snprintf(why, WHY, "'%.60s' cannot be the name of a rig: it has a slash or is too long", rig);
    return 0;
}

static struct sockaddr_un address(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    return a;
}

static int connect_to(const char *path)
{
    struct sockaddr_un a = address(path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

int attach_is_live(const char *rig)
{
    char path[ATTACH_PATH];
    int fd = attach_path(rig, path, NULL) ? connect_to(path) : -1;

    if (fd >= 0) close(fd);
    return fd >= 0;
}

int attach_listen(const char *path, int *taken)
{
    struct sockaddr_un a = address(path);
    int fd = connect_to(path), error;

    *taken = fd >= 0;
    if (fd >= 0) {
        close(fd);
        return -1;
    }
    unlink(path); /* of an instance that died */
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || chmod(path, 0660) != 0 ||
        listen(fd, 8) != 0) {
        error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Only root and the user who started the rig; the file's mode lets its group try. */
static int peer_is_welcome(int fd)
{
    struct ucred who;
    socklen_t n = sizeof who;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0) return 0;
    return who.uid == 0 || who.uid == geteuid() || who.gid == getegid();
}

void attach_serve(int listening, int step_fd, int supervisor_fd)
{
    char text[] = "trapeze", control[CMSG_SPACE(FDS * sizeof(int))] = {0};
    struct iovec io = {.iov_base = text, .iov_len = sizeof text};
    struct msghdr m = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int fds[FDS] = {step_fd, supervisor_fd};
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) return;
    if (peer_is_welcome(fd)) {
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fds);
        memcpy(CMSG_DATA(c), fds, sizeof fds);
        sendmsg(fd, &m, MSG_NOSIGNAL);
    }
    close(fd);
}

/* ---- the latecomer ----------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

int attach_list(char name[ATTACH_RIGS][ATTACH_RIG])
{
    char in[ATTACH_PATH], at[2 * ATTACH_PATH + 256];
    const struct dirent *e;
    int found = 0;
    DIR *d = folder(in, sizeof in, 0) ? opendir(in) : NULL;

    while (d && found < ATTACH_RIGS && (e = readdir(d))) {
        size_t n = strlen(e->d_name);
        if (n < 6 || n - 5 >= ATTACH_RIG || strcmp(e->d_name + n - 5, ".sock") != 0) continue;
        snprintf(at, sizeof at, "%s/%s", in, e->d_name);
        int fd = strlen(at) < ATTACH_PATH ? connect_to(at) : -1;
        if (fd < 0) continue;
        close(fd);
        snprintf(name[found++], ATTACH_RIG, "%.*s", (int)(n - 5), e->d_name);
    }
    if (d) closedir(d);
    qsort(name, (size_t)found, sizeof name[0], by_name);
    return found;
}

/* The only instance there is, if there is exactly one. */
static int find_only(char path[ATTACH_PATH], char *why)
{
    char name[ATTACH_RIGS][ATTACH_RIG];
    int found = attach_list(name), at;

    if (found == 1) return attach_path(name[0], path, why);
    if (found == 0 && geteuid() != 0 && access("/run/trapeze", F_OK) == 0)
        snprintf(why, WHY,
                 "no rig of this user runs here; to see those of root the right is "
                 "missing: run this as root");
    else if (found == 0)
        snprintf(why, WHY, "no rig runs here");
    at = found ? snprintf(why, WHY, "%d rigs run, say which:", found) : WHY;
    for (int i = 0; i < found && at < WHY; i++)
        at += snprintf(why + at, (size_t)(WHY - at), " %s", name[i]);
    return 0;
}

static int receive(int fd, int fds[FDS])
{
    char text[16], control[CMSG_SPACE(FDS * sizeof(int))];
    struct iovec io = {.iov_base = text, .iov_len = sizeof text};
    struct msghdr m = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct timeval patience = {.tv_sec = 2};
    struct cmsghdr *c;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (recvmsg(fd, &m, MSG_CMSG_CLOEXEC) <= 0) return 0;
    c = CMSG_FIRSTHDR(&m);
    if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(FDS * sizeof(int))) return 0;
    memcpy(fds, CMSG_DATA(c), FDS * sizeof(int));
    return 1;
}

/* Missing, or there but closed to this user. */
static void say_unseen(const char *rig, char *why)
{
    char path[ATTACH_PATH];

    snprintf(path, sizeof path, "/run/trapeze/%.60s.sock", rig);
    if (errno == EACCES || (geteuid() != 0 && (access(path, F_OK) == 0 || errno == EACCES)))
        snprintf(why, WHY,
                 "no rig '%.60s' of this user runs here; those of root are closed to it: "
                 "the right is missing, run this as root",
                 rig);
    else
        snprintf(why, WHY, "no rig '%.60s' runs here", rig);
}

/* Ask at an open line for the blocks and map them. The line is closed. */
static enum status take_blocks(int fd, struct port *port, struct memblock *step,
                               struct memblock *supervisor, char *why)
{
    const struct block_head *head;
    int fds[FDS], ok = receive(fd, fds);

    close(fd);
    if (!ok) {
        snprintf(why, WHY, "the rig does not let this user look: run it as the same user or root");
        return STATUS_REFUSED;
    }
    if (memblock_open(step, fds[0]) != STATUS_OK || memblock_open(supervisor, fds[1]) != STATUS_OK)
        return STATUS_IO;
    head = step->view;
    if (!block_check(head, head->step.size) || head->step.size > step->size ||
        head->supervisor.size > supervisor->size) {
        snprintf(why, WHY, "the rig runs another version of this program");
        return STATUS_REFUSED;
    }
    port_init(port, head, step->view, supervisor->view);
    return STATUS_OK;
}

enum status attach_open(const char *rig, struct port *port, char *why)
{
    struct memblock step, supervisor;
    char path[ATTACH_PATH];
    int fd;

    if (rig ? !attach_path(rig, path, why) : !find_only(path, why)) return STATUS_REFUSED;
    fd = connect_to(path);
    if (fd < 0) {
        say_unseen(rig ? rig : path, why);
        return STATUS_REFUSED;
    }
    return take_blocks(fd, port, &step, &supervisor, why);
}

void attach_rigs(void (*each)(const char *rig, const struct port *port, void *context),
                 void *context)
{
    char in[ATTACH_PATH], why[WHY];
    struct dirent *e;
    DIR *d = folder(in, sizeof in, 0) ? opendir(in) : NULL;

    while (d && (e = readdir(d))) {
        char at[2 * ATTACH_PATH + 256];
        size_t n = strlen(e->d_name);
        struct memblock step = {.fd = -1}, supervisor = {.fd = -1};
        struct port port;
        int fd;
        if (n < 6 || strcmp(e->d_name + n - 5, ".sock") != 0) continue;
        snprintf(at, sizeof at, "%s/%s", in, e->d_name);
        fd = strlen(at) < ATTACH_PATH ? connect_to(at) : -1;
        if (fd >= 0 && take_blocks(fd, &port, &step, &supervisor, why) == STATUS_OK) {
            e->d_name[n - 5] = 0;
            each(e->d_name, &port, context);
        }
        memblock_close(&step);
        memblock_close(&supervisor);
    }
    if (d) closedir(d);
}
