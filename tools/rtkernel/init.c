/* init.c: process 1 of the guest: mounts what the program needs, runs each line of
 * /commands, prints its exit code, powers off. Built static by run.sh. */
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void mount_all(void)
{
    static const char *const DIR[] = {"/proc", "/sys", "/dev", "/tmp", "/run", "/etc"};

    for (int i = 0; i < 6; i++) mkdir(DIR[i], 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sys", "/sys", "sysfs", 0, NULL);
    mount("dev", "/dev", "devtmpfs", 0, NULL);
    mount("run", "/run", "tmpfs", 0, NULL);
}

/* The loopback is there, but down. */
static void raise_loopback(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) != 0) perror("lo");
    if (fd >= 0) close(fd);
}

static void use_console(void)
{
    int fd = open("/dev/console", O_RDWR);

    for (int i = 0; fd >= 0 && i < 3; i++) dup2(fd, i);
    setvbuf(stdout, NULL, _IONBF, 0);
}

static int run(char *line)
{
    char *argument[64];
    int n = 0, status = 0;
    pid_t pid;

    for (char *word = strtok(line, " \n"); word && n < 63; word = strtok(NULL, " \n"))
        argument[n++] = word;
    argument[n] = NULL;
    if (n == 0) return 0;
    pid = fork();
    if (pid == 0) {
        execv(argument[0], argument);
        perror(argument[0]);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void)
{
    struct utsname u;
    char line[1024], shown[1024];
    FILE *f;

    mount_all();
    use_console();
    raise_loopback();
    setenv("LD_LIBRARY_PATH", "/lib", 1);
    setenv("PATH", "/bin", 1);
    uname(&u);
    printf("\nguest %s %s\n", u.release, u.version);
    f = fopen("/commands", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(shown, sizeof shown, "%s", line);
        printf("begin %s\n", shown);
        printf("exit %d of %s\n", run(line), shown);
    }
    printf("guest ends\n");
    sync();
    reboot(RB_POWER_OFF);
    return 0;
}
