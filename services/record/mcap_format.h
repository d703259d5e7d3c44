/* mcap_format.h: what the writer and the reader of MCAP files share: marks and limits. */
#ifndef MCAP_FORMAT_H
#define MCAP_FORMAT_H

#include <stdint.h>

/* X(code, opcode): the kinds of records. */
#define MCAP_OPCODES(X)              \
    X(MCAP_HEADER, 0x01)             \
    X(MCAP_FOOTER, 0x02)             \
    X(MCAP_SCHEMA, 0x03)             \
    X(MCAP_CHANNEL, 0x04)            \
    X(MCAP_MESSAGE, 0x05)            \
    X(MCAP_CHUNK, 0x06)              \
    X(MCAP_MESSAGE_INDEX, 0x07)      \
    X(MCAP_CHUNK_INDEX, 0x08)        \
    X(MCAP_ATTACHMENT, 0x09)         \
    X(MCAP_ATTACHMENT_INDEX, 0x0a)   \
    X(MCAP_STATISTICS, 0x0b)         \
    X(MCAP_METADATA, 0x0c)           \
    X(MCAP_METADATA_INDEX, 0x0d)     \
    X(MCAP_SUMMARY_OFFSET, 0x0e)     \
    X(MCAP_DATA_END, 0x0f)

enum mcap_opcode {
#define X(code, opcode) code = opcode,
    MCAP_OPCODES(X)
#undef X
};

#define MCAP_MAGIC "\x89MCAP0\r\n"
enum { MCAP_MAGIC_BYTES = 8, MCAP_RECORD_HEAD = 9 }; /* opcode and length */

#endif
