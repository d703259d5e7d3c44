#include "rt/status.h"

#include "rt/rtsafe.h"

static const struct {
    enum severity severity;
    const char *text;
} ROW[STATUS_COUNT] = {
#define X(code, severity, text) [code] = {severity, text},
    STATUS_LIST(X)
#undef X
};

enum severity status_severity(enum status s)
{
    return s < STATUS_COUNT ? ROW[s].severity : SEVERITY_BAD;
}

const char *status_text(enum status s) { return s < STATUS_COUNT ? ROW[s].text : "unknown status"; }
