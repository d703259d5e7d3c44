#include "services/cli/password.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static int read_line(FILE *f, char text[PASSWORD_MOST])
{
    if (!fgets(text, PASSWORD_MOST, f)) return 0;
    text[strcspn(text, "\r\n")] = 0;
    return 1;
}

int password_ask(char text[PASSWORD_MOST])
{
    struct termios old, hidden;
    int terminal = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &old) == 0, got;

    if (terminal) {
        hidden = old;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        fprintf(stderr, "password: ");
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    got = read_line(stdin, text);
    if (terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
        fprintf(stderr, "\n");
    }
    return got;
}

int password_given(const char *file, char text[PASSWORD_MOST])
{
    const char *environment = getenv("TRAPEZE_PASSWORD");
    struct stat st;
    FILE *f;
    int got;

    if (!file) {
        if (!environment || strlen(environment) >= PASSWORD_MOST) return 0;
        memcpy(text, environment, strlen(environment) + 1);
        return 1;
    }
    f = fopen(file, "re");
    if (!f || fstat(fileno(f), &st) != 0) {
        fprintf(stderr, "trapeze: %s: %s\n", file, strerror(errno));
        if (f) fclose(f);
        return -1;
    }
    if (st.st_mode & 077) {
        fprintf(stderr, "trapeze: others may read %s: chmod 600 it\n", file);
        fclose(f);
        return -1;
    }
    got = read_line(f, text);
    fclose(f);
    return got;
}
