/* trapeze manual man|bash: the man page, or the completion for bash, on standard output;
 * both are made from the tables that the help is printed from. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "services/base/version.h"
#include "services/cli/verbs.h"

static const struct verb_option OPTION[] = {{NULL, NULL, NULL}};

/* ---- man page ------------------------------------------------------------------- */

/* Text as roff wants it: spaces and line ends become one space, minus stays a minus, and
 * no line begins with a request. */
static void put_text(const char *text)
{
    if (*text == '.' || *text == '\'') printf("\\&");
    for (; *text; text++) {
        if (isspace((unsigned char)*text)) {
            if (!isspace((unsigned char)text[1])) putchar(' ');
        } else if (*text == '-') {
            printf("\\-");
        } else if (*text == '\\') {
            printf("\\e");
        } else {
            putchar(*text);
        }
    }
}

/* A row of a list: what is typed in bold, what stands for something behind it. */
static void put_row(const char *name, const char *value, const char *help)
{
    printf(".TP\n\\fB");
    put_text(name);
    printf("\\fR");
    if (value && *value) {
        putchar(' ');
        put_text(value);
    }
    putchar('\n');
    put_text(help);
    putchar('\n');
}

static void put_verb(const struct verb *v)
{
    printf(".SS trapeze %s", v->name);
    if (v->arguments[0]) putchar(' ');
    put_text(v->arguments);
    if (v->option[0].name) printf(" [options]");
    putchar('\n');
    put_text(v->help);
    printf(".\n");
    for (const struct verb_word *w = v->word; w && w->name; w++)
        put_row(w->name, w->arguments, w->help);
    for (const struct verb_option *o = v->option; o->name; o++) put_row(o->name, o->value, o->help);
}

static void print_man(void)
{
    static const char *const VARIABLE[][2] = {
        {"TRAPEZE_STATE", "folder of keys, users and trust; default /var/lib/trapeze as root, "
                          "else $XDG_STATE_HOME/trapeze or ~/.local/state/trapeze"},
        {"TRAPEZE_PASSWORD", "taken where a password would be asked for"}};
    struct version v = version_read();
    char date[32] = "";
    time_t t = (time_t)v.date_s;
    struct tm utc;

    if (v.date_s && gmtime_r(&t, &utc)) strftime(date, sizeof date, "%Y-%m-%d", &utc);
    printf(".TH TRAPEZE 1 \"%s\" \"trapeze %s\" \"User commands\"\n", date, v.release);
    printf(".SH NAME\ntrapeze \\- simulate mechanisms in hard real time\n"
           ".SH SYNOPSIS\n.B trapeze\n.I VERB\n[\\fIarguments\\fR] [\\fIoptions\\fR]\n.br\n"
           ".B trapeze\n.RB [ VERB ]\n.B \\-\\-help\n.br\n.B trapeze \\-\\-version\n"
           ".SH DESCRIPTION\nTrapeze reads mechanisms from model files (bodies, joints, forces, "
           "actuators,\nsensors) and advances them by fixed steps inside a deadline, so that "
           "hardware\nor a person can be in the loop with them over OPC UA. A rig file says how "
           "a\nmodel runs.\n.SH VERBS\n");
    for (int i = 0; VERBS[i]; i++)
        if (!VERBS[i]->hidden) put_verb(VERBS[i]);
    printf(".SH EXIT STATUS\n");
    put_text(VERBS_EXIT_CODES);
    printf(".\n.SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof VARIABLE / sizeof VARIABLE[0]; i++)
        put_row(VARIABLE[i][0], NULL, VARIABLE[i][1]);
    printf(".SH SEE ALSO\n.BR systemctl (1),\nFORMAT.md and TUTORIAL.md in share/trapeze/config\n");
}

/* ---- completion ----------------------------------------------------------------- */

/* 1 where the value is one of a few words: "fast|dense", but not "auto|VALUE". */
static int is_choice(const char *value)
{
    return strchr(value, '|') && !strpbrk(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* The first words of the rows; with `first` the second words of those that begin so. */
static int put_words(const struct verb *v, const char *first)
{
    const char *last = "";
    int n = 0;
    for (const struct verb_word *w = v->word; w && w->name; w++) {
        size_t length = strcspn(w->name, " ");
        if (!first && (strncmp(last, w->name, length) != 0 || last[length] > ' '))
            printf("%s%.*s", n++ ? " " : "", (int)length, w->name);
        if (first && strncmp(first, w->name, length) == 0 && first[length] <= ' ' &&
            w->name[length])
            printf("%s%s", n++ ? " " : "", w->name + length + 1);
        last = w->name;
    }
    return n;
}

static void put_verb_words(const struct verb *v)
{
    const char *last = "";
    printf("    '%s 2 '*) all='", v->name);
    (void)put_words(v, NULL);
    printf("' ;;\n");
    for (const struct verb_word *w = v->word; w->name; w++) {
        size_t length = strcspn(w->name, " ");
        if (!w->name[length] || strncmp(last, w->name, length + 1) == 0) continue;
        printf("    '%s 3 %.*s') all='", v->name, (int)length, w->name);
        (void)put_words(v, w->name);
        printf("' ;;\n");
        last = w->name;
    }
}

static void put_values(const struct verb *v)
{
    for (const struct verb_option *o = v->option; o->name; o++) {
        if (!o->value) continue;
        printf("    '%s %s')", v->name, o->name);
        if (is_choice(o->value)) {
            printf(" COMPREPLY=($(compgen -W '");
            for (const char *c = o->value; *c; c++) putchar(*c == '|' ? ' ' : *c);
            printf("' -- \"$word\"));");
        }
        printf(" return ;;\n"); /* else readline's own: files */
    }
}

static void put_verb_names(void)
{
    for (int i = 0; VERBS[i]; i++)
        if (!VERBS[i]->hidden) printf("%s ", VERBS[i]->name);
}

static void print_bash(void)
{
    printf("# completion of trapeze for bash, made by `trapeze manual bash`\n"
           "_trapeze()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} all=\n"
           "    COMPREPLY=()\n"
           "    case \"$COMP_CWORD $verb\" in\n    '1 '*|'2 help') COMPREPLY=($(compgen -W '");
    put_verb_names();
    printf("help --help --version' -- \"$word\")); return ;;\n    esac\n"
           "    case \"$verb ${COMP_WORDS[COMP_CWORD-1]}\" in\n");
    for (int i = 0; VERBS[i]; i++)
        if (!VERBS[i]->hidden) put_values(VERBS[i]);
    printf("    esac\n    case \"$verb $COMP_CWORD ${COMP_WORDS[2]}\" in\n");
    for (int i = 0; VERBS[i]; i++)
        if (!VERBS[i]->hidden && VERBS[i]->word) put_verb_words(VERBS[i]);
    printf("    esac\n    case $word in -*)\n        case $verb in\n");
    for (int i = 0; VERBS[i]; i++) {
        if (VERBS[i]->hidden) continue;
        printf("        %s) all='--help", VERBS[i]->name);
        for (const struct verb_option *o = VERBS[i]->option; o->name; o++) printf(" %s", o->name);
        printf("' ;;\n");
    }
    printf("        esac ;;\n    esac\n"
           "    COMPREPLY=($(compgen -W \"$all\" -- \"$word\"))\n}\n"
           "complete -o default -F _trapeze trapeze\n");
}

static enum status pages_run(const struct verb_call *call)
{
    if (strcmp(call->argument[0], "man") == 0) {
        print_man();
    } else if (strcmp(call->argument[0], "bash") == 0) {
        print_bash();
    } else {
        fprintf(stderr, "trapeze manual: '%s' is neither man nor bash\n", call->argument[0]);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

const struct verb MANUAL_VERB = {.name = "manual",
                                 .arguments = "man|bash",
                                 .help = "print the man page, or the completion for bash",
                                 .option = OPTION,
                                 .least = 1,
                                 .most = 1,
                                 .hidden = 1,
                                 .run = pages_run};
