/* trapeze plot FILE.csv: draw columns with gnuplot, one panel per unit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/cli/verbs.h"
#include "services/base/names.h"
#include "services/draw/gnuplot.h"
#include "services/sim/sheet.h"

enum { OPTION_X, OPTION_Y, OPTION_O, OPTION_OUT, OPTION_TITLE, OPTION_LOG };

static const struct verb_option OPTION[] = {
    [OPTION_X] = {"-x", "COLUMN", "horizontal axis (default: the first column)"},
    [OPTION_Y] = {"-y", "COLUMN,...",
                  "what to draw; tip stands for tip.x, tip.y, tip.z (default: all)"},
    [OPTION_O] = {"-o", "FILE", "picture, .png or .svg (default: FILE.csv with .png)"},
    [OPTION_OUT] = {"--out", "FILE", "the same"},
    [OPTION_TITLE] = {"--title", "TEXT", "heading (default: the file's name)"},
    [OPTION_LOG] = {"--log", NULL, "logarithmic vertical axis"},
    {NULL, NULL, NULL},
};

enum { MAX_CURVES = 24, ALL_CURVES = 12, WIDTH = 1200, PANEL = 300, MARGIN = 110 };

static const char *const COLOUR[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#e69f00", "#56b4e9", "#882255", "#000000",
                                     "#999933", "#7f7f7f", "#aa4499", "#117733"};
enum { N_COLOURS = sizeof COLOUR / sizeof COLOUR[0] };

struct picture {
    const char *file, *title;
    char *out;             /* its name, path and ending; owned */
    struct sheet sheet;
    int x;                 /* column */
    int y[MAX_CURVES], n;
    int panel[MAX_CURVES]; /* of each curve */
    int n_panels;
    int log;               /* vertical axis */
};

static int complain(const char *what, const char *name)
{
    fprintf(stderr, "trapeze plot: %s%s%s\n", what, name ? " " : "", name ? name : "");
    return 0;
}

static int unknown_column(const struct sheet *s, const char *name)
{
    const char *near = NULL;
    int best = 1000;
    for (int i = 0; i < s->n; i++) {
        int d = names_distance(name, s->column[i].name);
        if (d < best) best = d, near = s->column[i].name;
    }
    fprintf(stderr, "trapeze plot: there is no column '%s'", name);
    if (near && names_is_near(name, best)) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "%s", near && names_is_near(name, best) ? "\n" : "; the columns are:");
    for (int i = 0; i < s->n && !(near && names_is_near(name, best)); i++)
        fprintf(stderr, " %s%s", s->column[i].name, i + 1 < s->n ? "" : "\n");
    return 0;
}

static int add_curve(struct picture *p, int column)
{
    if (p->n == MAX_CURVES)
        return complain("more than 24 curves in one picture; choose with -y", NULL);
    p->y[p->n++] = column;
    return 1;
}

/* A column of this name, or all whose names go on with a dot. */
static int add_named(struct picture *p, const char *name)
{
    int before = p->n, column = sheet_find(&p->sheet, name);
    size_t length = strlen(name);
    if (column >= 0) return add_curve(p, column);
    for (int i = 0; i < p->sheet.n; i++) {
        const char *c = p->sheet.column[i].name;
        if (strncmp(c, name, length) == 0 && c[length] == '.' && !add_curve(p, i)) return 0;
    }
    return p->n > before ? 1 : unknown_column(&p->sheet, name);
}

static int choose_all(struct picture *p)
{
    int left = 0;
    for (int i = 0; i < p->sheet.n; i++) {
        if (i == p->x) continue;
        if (p->n == ALL_CURVES)
            left++;
        else
            p->y[p->n++] = i;
    }
    if (left)
        fprintf(stderr,
                "trapeze plot: the first %d columns are drawn, %d are left; choose with -y\n",
                ALL_CURVES, left);
    return p->n > 0 ? 1 : complain("there is nothing to draw in", p->file);
}

static int choose(struct picture *p, const char *list)
{
    if (!list) return choose_all(p);
    char *copy = strdup(list), *rest = copy, *name;
    int good = copy != NULL;
    while (good && (name = strsep(&rest, ","))) good = !name[0] || add_named(p, name);
    free(copy);
    return good && p->n == 0 ? complain("-y names no column", NULL) : good;
}

/* One panel per unit, in the order they come. */
static void group(struct picture *p)
{
    for (int i = 0; i < p->n; i++) {
        p->panel[i] = p->n_panels;
        for (int k = 0; k < i; k++)
            if (strcmp(p->sheet.column[p->y[k]].unit, p->sheet.column[p->y[i]].unit) == 0)
                p->panel[i] = p->panel[k];
        if (p->panel[i] == p->n_panels) p->n_panels++;
    }
}

static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && dot > slash ? dot : "";
}

static int choose_out(struct picture *p, const char *out)
{
    int stem = (int)(strlen(p->file) - strlen(ending(p->file)));
    int made = out ? asprintf(&p->out, "%s", out) : asprintf(&p->out, "%.*s.png", stem, p->file);
    if (made < 0) {
        p->out = NULL;
        return complain("out of memory", NULL);
    }
    if (strcmp(ending(p->out), ".png") == 0 || strcmp(ending(p->out), ".svg") == 0) return 1;
    return complain("the picture's name must end in .png or .svg, not", p->out);
}

/* ---- the script ---------------------------------------------------------------- */

static void axis_label(FILE *to, const char *axis, const char *name, const char *unit)
{
    char text[256];
    if (unit[0])
        snprintf(text, sizeof text, "%s%s[%s]", name, name[0] ? " " : "", unit);
    else
        snprintf(text, sizeof text, "%s", name);
    fprintf(to, "set %slabel ", axis);
    gnuplot_text(to, text);
    fputc('\n', to);
}

/* The column of a panel's only curve, or -1 if it has several. */
static int only_curve(const struct picture *p, int panel)
{
    int only = -1, n = 0;
    for (int i = 0; i < p->n; i++)
        if (p->panel[i] == panel) only = p->y[i], n++;
    return n == 1 ? only : -1;
}

/* The label of a panel: its only curve, or the unit of all. */
static void panel_label(FILE *to, const struct picture *p, int panel)
{
    int only = only_curve(p, panel), i = 0;
    while (p->panel[i] != panel) i++;
    axis_label(to, "y", only >= 0 ? p->sheet.column[only].name : "", p->sheet.column[p->y[i]].unit);
}

/* Room for the names of curves right of the panels, in characters. */
static int name_room(const struct picture *p)
{
    size_t longest = 0;
    for (int i = 0; i < p->n; i++) {
        size_t n = strlen(p->sheet.column[p->y[i]].name);
        if (only_curve(p, p->panel[i]) < 0 && n > longest) longest = n;
    }
    return longest ? (int)longest + 8 : 4;
}

static void write_panel(FILE *to, const struct picture *p, int panel)
{
    const struct sheet_column *x = &p->sheet.column[p->x];
    int last = panel == p->n_panels - 1, alone = only_curve(p, panel) >= 0, n = 0;
    panel_label(to, p, panel);
    axis_label(to, "x", last ? x->name : "", last ? x->unit : "");
    fprintf(to, "set format x '%s'\nplot ", last ? "%g" : "");
    for (int i = 0; i < p->n; i++) {
        if (p->panel[i] != panel) continue;
        if (n) fprintf(to, ", \\\n     ");
        gnuplot_path(to, p->file);
        fprintf(to, " skip 1 using %d:%d with lines linewidth 1.6 linecolor rgb '%s' %s ", p->x + 1,
                p->y[i] + 1, COLOUR[n % N_COLOURS], alone ? "notitle" : "title");
        if (!alone) gnuplot_text(to, p->sheet.column[p->y[i]].name);
        n++;
    }
    fputc('\n', to);
}

/* A path in space is drawn with equal scales. */
static int is_path(const struct picture *p)
{
    const char *unit = p->sheet.column[p->x].unit;
    return p->n_panels == 1 && strcmp(unit, "m") == 0 &&
           strcmp(p->sheet.column[p->y[0]].unit, unit) == 0;
}

static void write_script(FILE *to, const struct picture *p)
{
    int svg = strcmp(ending(p->out), ".svg") == 0;
    int height = MARGIN + (p->n_panels == 1 ? 2 : p->n_panels) * PANEL;
    fprintf(to,
            "set terminal %s size %d,%d noenhanced font 'DejaVu Sans,%d' background rgb 'white'\n",
            svg ? "svg" : "pngcairo", WIDTH, height, svg ? 14 : 12);
    fprintf(to, "set output ");
    gnuplot_path(to, p->out);
    fprintf(
        to,
        "\nset datafile separator ','\nset grid linetype 1 linecolor rgb '#dddddd' linewidth 0.7\n"
        "set border 3 linecolor rgb '#404040'\nset tics nomirror\n"
        "set key outside right top reverse Left samplen 2\n");
    if (is_path(p)) fprintf(to, "set size ratio -1\n");
    if (!is_path(p))
        fprintf(to, "set lmargin 12\nset rmargin %d\nset autoscale xfix\n", name_room(p));
    if (p->log) fprintf(to, "set logscale y\nset format y '%%.0e'\n");
    fprintf(to, "set multiplot layout %d,1 title ", p->n_panels);
    gnuplot_text(to, p->title);
    fprintf(to, " font 'DejaVu Sans,%d'\n", svg ? 17 : 15);
    for (int i = 0; i < p->n_panels; i++) write_panel(to, p, i);
    fprintf(to, "unset multiplot\n");
}

static enum status draw(const struct picture *p)
{
    FILE *to = gnuplot_open("trapeze plot");
    if (!to) return STATUS_IO;
    write_script(to, p);
    enum status s = gnuplot_close(to, "trapeze plot");
    if (s == STATUS_OK) printf("%s\n", p->out);
    return s;
}

static int prepare(struct picture *p, const struct verb_call *call)
{
    const char *slash = strrchr(p->file, '/'), *out = call->value[OPTION_O];
    const char *x = call->value[OPTION_X];
    p->title = call->value[OPTION_TITLE] ? call->value[OPTION_TITLE] : slash ? slash + 1 : p->file;
    if (!choose_out(p, out ? out : call->value[OPTION_OUT])) return 0;
    if (x && (p->x = sheet_find(&p->sheet, x)) < 0) return unknown_column(&p->sheet, x);
    if (!choose(p, call->value[OPTION_Y])) return 0;
    group(p);
    return 1;
}

static enum status plot_run(const struct verb_call *call)
{
    struct picture p = {.file = call->argument[0], .log = call->value[OPTION_LOG] != NULL};
    enum status s = sheet_open(&p.sheet, p.file);
    if (s == STATUS_IO)
        fprintf(stderr, "trapeze plot: %s: %s\n", p.file,
                errno ? strerror(errno) : "no table of numbers");
    else if (s == STATUS_OK)
        s = prepare(&p, call) ? draw(&p) : STATUS_USAGE;
    free(p.out);
    sheet_close(&p.sheet);
    return s;
}

const struct verb PLOT_VERB = {.name = "plot",
                               .arguments = "FILE.csv",
                               .help = "draw columns against time or against each other",
                               .option = OPTION,
                               .least = 1,
                               .most = 1,
                               .run = plot_run};
