#include "services/cli/ask.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int ask_yes(const char *question)
{
    char answer[16];

    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return -1;
    fprintf(stderr, "%s [y/N] ", question);
    if (!fgets(answer, sizeof answer, stdin)) return 0;
    answer[strcspn(answer, "\r\n")] = 0;
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}
