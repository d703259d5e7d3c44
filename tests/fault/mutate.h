/* mutate.h: requests of a logged-in client, encoded, broken at random and sent to the OPC
 * UA server of a rig on the loopback, policy None.
 *
 * Each line is a raw socket with a session of its own: hello, channel, session by the
 * library's encoder, no code of the server. Requests of every service the server has are
 * encoded with arguments that are right, then changed: bits, bytes, numbers at their ends,
 * lengths, pieces cut, doubled, taken from another request; header and token stay, so that
 * they get through to the services. A line the server closes is opened anew. Answers are
 * taken and thrown away. Sends to 127.0.0.1 only. Deterministic for a seed, as far as the
 * server's answers are. */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdint.h>

struct mutate_count {
    uint64_t sent;      /* broken requests */
    uint64_t answered;  /* bytes of answers came since */
    uint64_t lines;     /* opened, the first one too */
    uint64_t failed;    /* lines that could not be opened */
};

/* Send n broken requests. Returns 0 when the server could not be reached any more (a line
 * could not be opened within 5 s), else 1. */
int mutate_run(int port, uint32_t seed, uint64_t n, struct mutate_count *count);

#endif
