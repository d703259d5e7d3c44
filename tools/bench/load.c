/* How long a model takes from file to memory: load MODEL [name=value] prints the median
 * of 11 loads in ms. */
#include <stdio.h>

#include "services/load/model/load.h"
#include "tools/bench/figure.h"

enum { LOADS = 11 };

int main(int argc, char **argv)
{
    double took[LOADS];
    const char *sets[] = {argc > 2 ? argv[2] : NULL};
    const struct load_options options = {.sets = sets, .n_sets = argc > 2};
    if (argc < 2) return 2;
    for (int i = 0; i < LOADS; i++) {
        struct diag_list diags = {0};
        struct model *m = NULL;
        double begin = figure_now_us();
        enum status s = load_model(argv[1], &options, &m, &diags);
        took[i] = 1e-3 * (figure_now_us() - begin);
        diag_print(&diags, stderr);
        diag_clear(&diags);
        load_free(m);
        if (s != STATUS_OK) return 1;
    }
    printf("%.2f\n", figure_share(took, LOADS, 0.5));
    return 0;
}
