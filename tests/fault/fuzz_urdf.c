/* libFuzzer target: any bytes as URDF, through the reader of XML to the model text, and that
 * through the reader of models. Whatever comes, the importer answers in bounded time and
 * memory with a model that can be read or with messages.
 * FUZZ_SEEDS=tests/data/urdf,tests/data/urdf/bad */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "services/load/model/load.h"
#include "services/load/urdf/urdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const char *text)
{
    struct diag_list diags = {0};
    struct model *m = NULL;
    if (load_text("fuzz.yaml", text, strlen(text), NULL, &m, &diags) == STATUS_REFUSED) {
        diag_print(&diags, stderr);
        fputs(text, stderr);
        abort();
    }
    load_free(m);
    diag_clear(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list diags = {0};
    char *text = NULL;
    uint8_t way = size ? data[size - 1] : 0; /* the last byte chooses the options */
    const struct urdf_options o = {.floating = way & 1,
                                   .merge = way >> 1 & 1,
                                   .strict = way >> 2 & 1,
                                   .no_io = way >> 3 & 1,
                                   .density = way & 16 ? 1000 : 0};
    enum status s = urdf_import("fuzz.urdf", (const char *)data, size, &o, &text, &diags);
    if ((s == STATUS_OK) != (text != NULL)) abort();
    if (s == STATUS_REFUSED && diags.n_errors == 0) abort();
    if (s == STATUS_OK && diags.n_errors != 0) abort();
    if (text) read_back(text);
    free(text);
    diag_clear(&diags);
    return 0;
}
