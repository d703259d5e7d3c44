/* Views are orthogonal projections p -> (p.right, p.up), depth p.toward; faces are painted
 * from the far ones to the near ones and shaded by the angle to a light beside the viewer. */
#include "services/draw/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "services/draw/gnuplot.h"

enum { WIDTH = 1700, HEIGHT = 1300, MOST_FACES = 20000, MOST_NAMES = 400, CROWD = 60 };

struct view {
    const char *title;
    vec3 right, up, toward;
    int aside;             /* not along an axis: no scales */
    double low[2], high[2];
};

/* A face as seen. */
struct seen {
    const struct scene_face *face;
    double depth, area;
};

/* A name's box on the paper, m. */
struct box {
    double low[2], high[2];
};

static void choose_views(struct view view[4], vec3 down)
{
    vec3 up = vec_make(0, 0, 1), right = vec_make(1, 0, 0);
    int axis = 2;
    for (int i = 0; i < 3; i++)
        if (fabs(down[i]) > 0.9 * vec_norm(down)) axis = i;
    if (vec_norm(down) > 0) {
        up = vec_zero();
        up[axis] = down[axis] > 0 ? -1 : 1;
    }
    if (axis == 0) right = vec_make(0, 1, 0);
    vec3 back = vec_cross(up, right);
    vec3 toward = vec_unit(vec_splat(0.55) * right - vec_splat(0.9) * back + vec_splat(0.55) * up);
    vec3 level = vec_unit(vec_cross(up, toward));
    view[0] = (struct view){.title = "front", .right = right, .up = up, .toward = -back};
    view[1] = (struct view){.title = "from aside",
                            .right = level,
                            .up = vec_cross(toward, level),
                            .toward = toward,
                            .aside = 1};
    view[2] = (struct view){.title = "from above", .right = right, .up = back, .toward = up};
    view[3] = (struct view){.title = "from the right", .right = back, .up = up, .toward = right};
}

static void project(const struct view *v, vec3 p, double to[2])
{
    to[0] = vec_dot(p, v->right);
    to[1] = vec_dot(p, v->up);
}

static void fit(struct view *v, const struct scene *s)
{
    double middle[2], span = 0;
    for (int k = 0; k < 8; k++) {
        vec3 c = vec_make(k & 1 ? s->low[0] : s->high[0], k & 2 ? s->low[1] : s->high[1],
                          k & 4 ? s->low[2] : s->high[2]);
        double p[2];
        project(v, c, p);
        for (int i = 0; i < 2; i++) {
            v->low[i] = k ? fmin(v->low[i], p[i]) : p[i];
            v->high[i] = k ? fmax(v->high[i], p[i]) : p[i];
        }
    }
    const double shape[2] = {1, (double)HEIGHT / WIDTH};
    for (int i = 0; i < 2; i++) {
        middle[i] = (v->low[i] + v->high[i]) / 2;
        span = fmax(span, (v->high[i] - v->low[i]) / shape[i]);
    }
    if (!(span > 0)) span = 1;
    for (int i = 0; i < 2; i++) {
        v->low[i] = middle[i] - 0.56 * span * shape[i];
        v->high[i] = middle[i] + 0.56 * span * shape[i];
    }
}

/* ---- faces ---------------------------------------------------------------------- */

static int by_depth(const void *a, const void *b)
{
    double d = ((const struct seen *)a)->depth - ((const struct seen *)b)->depth;
    return d < 0 ? -1 : d > 0;
}

static int by_area(const void *a, const void *b)
{
    double d = ((const struct seen *)b)->area - ((const struct seen *)a)->area;
    return d < 0 ? -1 : d > 0;
}

static vec3 normal(const struct scene_face *f)
{
    return vec_cross(f->corner[1] - f->corner[0], f->corner[f->n - 1] - f->corner[0]);
}

static uint32_t shaded(const struct scene_face *f, const struct view *v)
{
    vec3 n = normal(f), light = v->toward + vec_splat(0.7) * v->up - vec_splat(0.3) * v->right;
    double length = vec_norm(n), bright = 1;
    if (length > 0) bright = 0.55 + 0.45 * fabs(vec_dot(n, vec_unit(light))) / length;
    uint32_t rgb = 0;
    for (int shift = 0; shift < 24; shift += 8)
        rgb |= (uint32_t)((f->rgb >> shift & 255) * bright) << shift;
    return rgb;
}

static void write_faces(FILE *to, const struct scene *s, const struct view *v, int *object)
{
    struct seen *seen = calloc(s->n_faces + 1, sizeof *seen);
    size_t n = s->n_faces;
    for (size_t i = 0; seen && i < n; i++) {
        const struct scene_face *f = &s->face[i];
        vec3 middle = vec_zero();
        for (int k = 0; k < f->n; k++) middle += f->corner[k] / vec_splat(f->n);
        seen[i] = (struct seen){f, vec_dot(middle, v->toward), fabs(vec_dot(normal(f), v->toward))};
    }
    if (seen && n > MOST_FACES) { /* the smallest are not missed */
        qsort(seen, n, sizeof *seen, by_area);
        n = MOST_FACES;
    }
    if (seen) qsort(seen, n, sizeof *seen, by_depth);
    for (size_t i = 0; seen && i < n; i++) {
        const struct scene_face *f = seen[i].face;
        uint32_t rgb = shaded(f, v);
        fprintf(to, "set object %d polygon from ", ++*object);
        for (int k = 0; k <= f->n; k++) {
            double p[2];
            project(v, f->corner[k % f->n], p);
            fprintf(to, "%s%.6g,%.6g", k ? " to " : "", p[0], p[1]);
        }
        if (f->ghost)
            fprintf(to,
                    " fillstyle transparent solid 0.16 border lc rgb '#%06x' fillcolor rgb "
                    "'#%06x' lw 0.6\n",
                    rgb, rgb);
        else
            fprintf(to, " fillstyle transparent solid 0.82 noborder fillcolor rgb '#%06x'\n", rgb);
    }
    free(seen);
}

static void write_lines(FILE *to, const struct scene *s, const struct view *v)
{
    static const char *const STYLE[LAYER_COUNT] = {[LAYER_SKELETON] = "lw 1.6",
                                                   [LAYER_GROUND] = "lw 1.2",
                                                   [LAYER_JOINT] = "lw 1.8",
                                                   [LAYER_AXIS] = "lw 1.2"};
    for (size_t i = 0; i < s->n_lines; i++) {
        const struct scene_line *l = &s->line[i];
        double a[2], b[2];
        project(v, l->end[0], a);
        project(v, l->end[1], b);
        fprintf(to, "set arrow from %.6g,%.6g to %.6g,%.6g %s lc rgb '#%06x' %s front\n", a[0],
                a[1], b[0], b[1], l->arrow ? "head filled size screen 0.004,18" : "nohead", l->rgb,
                STYLE[l->layer]);
    }
}

/* ---- names ---------------------------------------------------------------------- */

static int overlaps(const struct box *a, const struct box *b)
{
    return a->low[0] < b->high[0] && b->low[0] < a->high[0] && a->low[1] < b->high[1] &&
           b->low[1] < a->high[1];
}

/* The first place around a point where a name covers no other and stays on the paper. */
static int place_name(const struct view *v, const double p[2], double width, double height,
                      struct box *taken, int *n)
{
    static const double TRY[][2] = {{0.15, 0.8}, {-1.15, 0.8}, {0.15, -0.8}, {-1.15, -0.8},
                                    {0.3, 0},    {-1.3, 0},    {-0.5, 1.6},  {-0.5, -1.6},
                                    {0.2, 2.4},  {-1.2, 2.4},  {0.2, -2.4},  {-1.2, -2.4}};
    for (size_t k = 0; k < sizeof TRY / sizeof TRY[0]; k++) {
        double x = p[0] + TRY[k][0] * width, y = p[1] + TRY[k][1] * height;
        struct box b = {{x, y - height / 2}, {x + width, y + height / 2}};
        int good = x > v->low[0] && x + width < v->high[0] && b.low[1] > v->low[1] &&
                   b.high[1] < v->high[1];
        for (int i = 0; good && i < *n; i++) good = !overlaps(&b, &taken[i]);
        if (!good) continue;
        taken[(*n)++] = b;
        return 1;
    }
    return 0;
}

static void write_names(FILE *to, const struct scene *s, const struct view *v)
{
    static const char *const COLOUR[] = {[NAME_BODY] = "#103050",
                                         [NAME_JOINT] = "#902040",
                                         [NAME_SENSOR] = "#206040",
                                         [NAME_AXIS] = "#000000"};
    static struct box none;
    struct box taken[MOST_NAMES] = {none};
    double letter = (v->high[0] - v->low[0]) / 118, height = 2.1 * letter;
    static const int ORDER[] = {NAME_AXIS, NAME_BODY, NAME_JOINT, NAME_SENSOR};
    int n = 0, left_out = 0, crowd = s->n_names > CROWD;
    for (int turn = 0; turn < 4; turn++)
        for (size_t i = 0; i < s->n_names; i++) {
            const struct scene_name *name = &s->name[i];
            double p[2];
            int kind = ORDER[turn];
            if ((int)name->kind != kind) continue;
            if (!v->aside && (kind == NAME_SENSOR || (crowd && kind != NAME_AXIS))) continue;
            project(v, name->at, p);
            if (n == MOST_NAMES ||
                !place_name(v, p, letter * (double)strlen(name->text), height, taken, &n)) {
                left_out++;
                continue;
            }
            fprintf(to, "set label ");
            gnuplot_text(to, name->text);
            fprintf(to, " at %.6g,%.6g left tc rgb '%s' font ',9' boxed front\n",
                    taken[n - 1].low[0], (taken[n - 1].low[1] + taken[n - 1].high[1]) / 2,
                    COLOUR[kind]);
        }
    if (v->aside && left_out)
        fprintf(to,
                "set label '%d names left out for want of room' at graph 0.01,0.02 tc rgb "
                "'#808080' font ',9' front\n",
                left_out);
}

/* ---- the paper ------------------------------------------------------------------ */

static void write_axis(FILE *to, const char *which, vec3 d)
{
    static const char *const NAME[] = {"x [m]", "-x [m]", "y [m]", "-y [m]", "z [m]", "-z [m]"};
    for (int i = 0; i < 3; i++)
        if (fabs(d[i]) > 0.5) fprintf(to, "set %slabel '%s'\n", which, NAME[2 * i + (d[i] < 0)]);
}

static void write_view(FILE *to, const struct scene *s, struct view *v, int *object)
{
    fit(v, s);
    fprintf(to, "unset object\nunset arrow\nunset label\nset title '%s' offset 0,-0.6\n", v->title);
    if (v->aside) {
        fprintf(to, "unset tics\nunset grid\nset border 0\nset xlabel ''\nset ylabel ''\n");
    } else {
        fprintf(to, "set tics out nomirror\nset grid lc rgb '#e4e4e4'\nset border 3\n");
        write_axis(to, "x", v->right);
        write_axis(to, "y", v->up);
    }
    write_faces(to, s, v, object);
    write_lines(to, s, v);
    write_names(to, s, v);
    fprintf(to, "plot [%.6g:%.6g] [%.6g:%.6g] NaN notitle\n", v->low[0], v->high[0], v->low[1],
            v->high[1]);
}

void picture_script(const struct scene *s, const struct picture_text *text, const char *path,
                    FILE *to)
{
    const char *dot = strrchr(path, '.');
    struct view view[4];
    int object = 0;
    choose_views(view, text->down);
    fprintf(to,
            "set terminal %s size %d,%d noenhanced font 'DejaVu Sans,11' background rgb 'white'\n"
            "set output ",
            dot && strcmp(dot, ".svg") == 0 ? "svg" : "pngcairo", WIDTH, HEIGHT);
    gnuplot_path(to, path);
    fprintf(to, "\nset size ratio -1\nset style textbox opaque noborder fillcolor rgb '#60ffffff' "
                "margins 0.2,0.2\nset multiplot layout 2,2 title ");
    gnuplot_text(to, text->title);
    fprintf(to, " font 'DejaVu Sans,14'\n");
    for (int i = 0; i < 4; i++) write_view(to, s, &view[i], &object);
    fprintf(to, "unset multiplot\n");
}

enum status picture_write(const struct scene *s, const struct picture_text *text, const char *path,
                          const char *who)
{
    const char *dot = strrchr(path, '.');
    if (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0)) {
        fprintf(stderr, "%s: the picture's name must end in .png or .svg, not '%s'\n", who, path);
        return STATUS_USAGE;
    }
    FILE *to = gnuplot_open(who);
    if (!to) return STATUS_IO;
    picture_script(s, text, path, to);
    return gnuplot_close(to, who);
}
