/* How long a model takes from file to memory: load MODEL [name=value] prints the median
 * of 11 loads in ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "services/load/load.h"

enum { LOADS = 11 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    double took[LOADS];
    const char *sets[] = {argc > 2 ? argv[2] : NULL};
    const struct load_options options = {.sets = sets, .n_sets = argc > 2};
    if (argc < 2) return 2;
    for (int i = 0; i < LOADS; i++) {
        struct diag_list diags = {0};
        struct model *m = NULL;
        double begin = now_ms();
        enum status s = load_model(argv[1], &options, &m, &diags);
        took[i] = now_ms() - begin;
        diag_print(&diags, stderr);
        diag_clear(&diags);
        load_free(m);
        if (s != STATUS_OK) return 1;
    }
    qsort(took, LOADS, sizeof took[0], by_size);
    printf("%.2f\n", took[LOADS / 2]);
    return 0;
}
