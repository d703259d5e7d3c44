#include "services/base/message.h"

static const struct {
    const char *name;
    enum diag_level level;
} MESSAGE[MESSAGE_COUNT] = {
#define X(code, name, level) [code] = {name, level},
    MESSAGE_LIST(X)
#undef X
};

void message_add(struct diag_list *list, struct place at, enum message kind, const char *format,
                 ...)
{
    va_list args;
    va_start(args, format);
    diag_add_kind(list, MESSAGE[kind].level, MESSAGE[kind].name, at.file, at.line, at.column,
                  format, args);
    va_end(args);
}

const char *message_name(enum message kind) { return MESSAGE[kind].name; }

struct place message_place(const struct model *m, struct model_origin origin)
{
    return (struct place){model_text(m, origin.file), (int)origin.line, (int)origin.column};
}
