/* The service manager hears what it is told. */
#include "services/run/sd_notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* Listen on `path`, where @ begins an abstract name. */
static int listen_on(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

    memcpy(a.sun_path, path, strlen(path));
    if (path[0] == '@') a.sun_path[0] = 0;
    assert_int_equal(bind(fd, (struct sockaddr *)&a,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))),
                     0);
    return fd;
}

static void hears(const char *path)
{
    char text[32] = "";
    int fd = listen_on(path);

    setenv("SD_NOTIFY_SOCKET", path, 1);
    assert_int_equal(sd_notify_send("READY=1"), 1);
    assert_int_equal(recv(fd, text, sizeof text - 1, 0), 7);
    assert_string_equal(text, "READY=1");
    close(fd);
}

static void a_named_and_an_abstract_socket_hear(void **state)
{
    char path[80];

    (void)state;
    snprintf(path, sizeof path, "/tmp/trapeze-notify-%d", (int)getpid());
    hears(path);
    unlink(path);
    snprintf(path, sizeof path, "@trapeze-notify-%d", (int)getpid());
    hears(path);
}

static void without_a_manager_nothing_is_sent(void **state)
{
    char longest[200];

    (void)state;
    unsetenv("SD_NOTIFY_SOCKET");
    assert_int_equal(sd_notify_send("READY=1"), 0);
    setenv("SD_NOTIFY_SOCKET", "relative", 1);
    assert_int_equal(sd_notify_send("READY=1"), 0);
    setenv("SD_NOTIFY_SOCKET", "/nowhere/at/all", 1);
    assert_int_equal(sd_notify_send("READY=1"), 0);
    memset(longest, 'x', sizeof longest - 1);
    longest[0] = '/';
    longest[sizeof longest - 1] = 0;
    setenv("SD_NOTIFY_SOCKET", longest, 1);
    assert_int_equal(sd_notify_send("READY=1"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_and_an_abstract_socket_hear),
        cmocka_unit_test(without_a_manager_nothing_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
