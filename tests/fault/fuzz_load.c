/* libFuzzer target: any bytes as a model file, through reader, schema, expansion and
 * compilation. Whatever comes, the loader answers in bounded time and memory with a model
 * or with messages. FUZZ_SEEDS=tests/data/bad,config/models,config/components */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "services/load/model/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list diags = {0};
    struct model *m = NULL;
    const struct load_options options = {.max_elements = 1000}; /* the bound itself has its test */
    enum status s = load_text("fuzz.yaml", (const char *)data, size, &options, &m, &diags);
    /* refused exactly when there is an error to show */
    if ((s == STATUS_OK) != (m != NULL)) abort();
    if (s == STATUS_REFUSED && diags.n_errors == 0) abort();
    if (s == STATUS_OK && diags.n_errors != 0) abort();
    load_free(m);
    diag_clear(&diags);
    return 0;
}
