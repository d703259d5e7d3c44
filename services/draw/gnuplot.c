#include "services/draw/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void gnuplot_text(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', to);
        fputc(*text == '\n' ? ' ' : *text, to);
    }
    fputc('\'', to);
}

void gnuplot_path(FILE *to, const char *path)
{
    char *safe = NULL;
    if (path[0] == '/' || asprintf(&safe, "./%s", path) < 0) safe = NULL;
    gnuplot_text(to, safe ? safe : path);
    free(safe);
}

FILE *gnuplot_open(const char *who)
{
    FILE *to = popen("exec gnuplot -", "w");
    if (!to) fprintf(stderr, "%s: gnuplot could not be started: %s\n", who, strerror(errno));
    return to;
}

enum status gnuplot_close(FILE *to, const char *who)
{
    int code = pclose(to);
    if (code == 0) return STATUS_OK;
    if (WIFEXITED(code) && WEXITSTATUS(code) == 127)
        fprintf(stderr, "%s: gnuplot is not installed; apt install gnuplot-nox\n", who);
    else
        fprintf(stderr, "%s: gnuplot failed\n", who);
    return STATUS_REFUSED;
}
