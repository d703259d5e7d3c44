#include "services/run/sd_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int sd_notify_send(const char *state)
{
    const char *path = getenv("SD_NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = path ? strlen(path) : 0;
    int fd, sent;

    if (n < 2 || n >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@')) return 0;
    memcpy(to.sun_path, path, n);
    if (path[0] == '@') to.sun_path[0] = 0; /* abstract */
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return 0;
    sent = sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) >= 0;
    close(fd);
    return sent;
}
