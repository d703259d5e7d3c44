/* Fuzz the reader of command messages: whatever comes over UDP, it reads nothing beyond
 * the message, and what it takes is exactly as long as it says. A message that is taken
 * carries the ids asked for, so taking it twice gives the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "services/opcua/lane/uadp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A message that is taken, changed by the fuzzer: bytes (place, value). */
static size_t changed(const uint8_t *data, size_t size, uint8_t *to)
{
    static const uint8_t HEAD[] = {0xf1, 0x01, 2, 0, 0x01, 2, 0, 1, 2, 0, 0x01, 4, 0};
    size_t n = sizeof HEAD;

    memcpy(to, HEAD, n);
    for (int i = 0; i < 4; i++) {
        to[n] = i < 2 ? 9 : 11;
        memset(to + n + 1, i, 8);
        n += 9;
    }
    for (size_t i = 0; i + 1 < size && i < 16; i += 2) to[data[i] % n] = data[i + 1];
    return n;
}

static void check(const uint8_t *bytes, size_t n)
{
    static const struct fastlane_id ID = {2, 2, 2};
    double one[2] = {0}, two[2] = {0};
    struct uadp_command c = {.value = one, .n = 2}, d = {.value = two, .n = 2};
    uint8_t *exact = malloc(n ? n : 1);

    if (!exact) return;
    memcpy(exact, bytes, n);
    if (uadp_read(exact, n, &ID, &c) == UADP_OK) {
        if (n < 8 * 4 + 9) abort();
        if (uadp_read(exact, n, &ID, &d) != UADP_OK || c.epoch != d.epoch ||
            c.counter != d.counter || memcmp(one, two, sizeof one) != 0)
            abort();
        if (uadp_read(exact, n - 1, &ID, &d) == UADP_OK) abort();
    }
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[64];

    check(data, size);
    check(bytes, changed(data, size, bytes));
    return 0;
}
