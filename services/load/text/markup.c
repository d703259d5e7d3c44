/* The SAX calls of libxml2 become a tree; a stack of open elements is the only state.
 * A DOCTYPE ends the reading at once, before anything it declares is looked at. */
#include "services/load/text/markup.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECLARATION = 256 }; /* bytes of <?xml ... ?> at most */

struct markup_frame {
    struct markup *element;
    struct markup *last; /* its newest element */
    char *text;          /* MARKUP_MAX_TEXT bytes; NULL: none yet */
    size_t n_text;
};

struct markup_work {
    xmlParserCtxt *parser;
    struct memory *memory;
    struct diag_list *diags;
    const char *file;
    struct markup *root;
    struct markup_frame stack[MARKUP_MAX_DEPTH];
    int depth;
    int n_elements;
    const xmlChar *seen, *seen_base; /* byte whose column is known, and its buffer */
    int seen_column;
    int refused;
    struct place complaint; /* first fatal one of the parser; line 0: none */
    char complaint_text[160];
};

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *as_text(const xmlChar *c) { return (const char *)c; }

static void stop(struct markup_work *w)
{
    w->refused = 1;
    xmlStopParser(w->parser);
}

static const char *keep(struct markup_work *w, const char *text, size_t n)
{
    const char *copy = memory_text(w->memory, text, n);
    if (!copy) stop(w);
    return copy ? copy : "";
}

/* The place of a byte of the text not behind the one read last. Columns are counted on from
 * the place asked for before, so that one long line costs no more than many short ones. */
static struct place place_of(struct markup_work *w, const xmlChar *at)
{
    const xmlParserInput *in = w->parser->input;
    struct place p = {w->file, in->line, 1};
    int goes_on = w->seen_base == in->base && w->seen && w->seen <= at;
    const xmlChar *from = goes_on ? w->seen : in->base;
    if (!from || !at) return p;
    for (const xmlChar *c = at; c < in->cur; c++) p.line -= *c == '\n';
    if (goes_on) p.column = w->seen_column;
    for (const xmlChar *c = from; c < at; c++) {
        p.column += (*c & 0xc0) != 0x80; /* count characters, not bytes */
        if (*c == '\n') p.column = 1;
    }
    w->seen_base = in->base;
    w->seen = at;
    w->seen_column = p.column;
    return p;
}

/* The `<` of the tag that was just read; no other can stand inside a tag. */
static const xmlChar *tag_begin(const struct markup_work *w)
{
    const xmlParserInput *in = w->parser->input;
    const xmlChar *c = in->cur;
    while (c > in->base && *c != '<') c--;
    return c;
}

/* The place of an attribute of that tag: its name behind a blank and before `=`. *from is
 * where to look from on, and moves behind it: they come in their order. */
static struct place attribute_place(struct markup_work *w, const xmlChar **from, const char *name)
{
    const xmlParserInput *in = w->parser->input;
    size_t n = strlen(name);
    xmlChar quote = 0;
    for (const xmlChar *c = *from + 1; c + n < in->cur; c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'') quote = quote ? 0 : *c;
        if (quote || memcmp(c, name, n) != 0) continue;
        int begins = is_blank((char)c[-1]) || c[-1] == ':';
        const xmlChar *e = c + n;
        while (e < in->cur && is_blank((char)*e)) e++;
        if (!begins || e >= in->cur || *e != '=') continue;
        struct place p = place_of(w, c);
        *from = e;
        return p;
    }
    return place_of(w, *from);
}

/* libxml2 hands over five pointers per attribute: name, prefix, URI, value, its end. */
static void take_attributes(struct markup_work *w, struct markup *e, const xmlChar *tag, int n,
                            const xmlChar **given)
{
    struct markup_attribute *a = memory_take(w->memory, (size_t)n, sizeof *a);
    if (!a) {
        stop(w);
        return;
    }
    for (int i = 0; i < n; i++) {
        const xmlChar **g = given + (ptrdiff_t)5 * i;
        a[i].name = keep(w, as_text(g[0]), strlen(as_text(g[0])));
        a[i].value = keep(w, as_text(g[3]), (size_t)(g[4] - g[3]));
        a[i].place = attribute_place(w, &tag, a[i].name);
    }
    e->attribute = a;
    e->n_attributes = n;
}

static int is_within_bounds(struct markup_work *w, struct place at)
{
    if (w->depth == MARKUP_MAX_DEPTH)
        message_add(w->diags, at, MESSAGE_TOO_DEEP, "tags stand more than %d deep in each other",
                    MARKUP_MAX_DEPTH);
    else if (w->n_elements == MARKUP_MAX_ELEMENTS)
        message_add(w->diags, at, MESSAGE_TOO_MANY, "the file has more than %d tags",
                    MARKUP_MAX_ELEMENTS);
    else
        return 1;
    stop(w);
    return 0;
}

static void on_begin(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct markup_work *w = context;
    (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    if (w->refused) return;
    const xmlChar *tag = tag_begin(w);
    struct place at = place_of(w, tag);
    if (!is_within_bounds(w, at)) return;
    struct markup *e = memory_take(w->memory, 1, sizeof *e);
    if (!e) {
        stop(w);
        return;
    }
    w->n_elements++;
    const char *p = prefix ? as_text(prefix) : "";
    *e = (struct markup){.text = "", .place = at};
    e->name = keep(w, as_text(name), strlen(as_text(name)));
    e->prefix = keep(w, p, strlen(p));
    if (n_attributes > 0) take_attributes(w, e, tag, n_attributes, attributes);
    struct markup_frame *f = w->depth ? &w->stack[w->depth - 1] : NULL;
    if (f && f->last)
        f->last->next = e;
    else if (f)
        f->element->first = e;
    else
        w->root = e;
    if (f) f->last = e;
    w->stack[w->depth++] = (struct markup_frame){.element = e};
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct markup_work *w = context;
    (void)name, (void)prefix, (void)uri;
    if (w->refused || w->depth == 0) return;
    struct markup_frame *f = &w->stack[--w->depth];
    while (f->n_text && is_blank(f->text[f->n_text - 1])) f->n_text--;
    if (f->n_text) f->element->text = keep(w, f->text, f->n_text);
    free(f->text);
    f->text = NULL;
}

static void on_text(void *context, const xmlChar *text, int n)
{
    struct markup_work *w = context;
    if (w->refused || w->depth == 0) return;
    struct markup_frame *f = &w->stack[w->depth - 1];
    for (int i = 0; i < n && f->n_text < MARKUP_MAX_TEXT; i++) {
        if (f->n_text == 0 && is_blank((char)text[i])) continue;
        if (!f->text) f->text = malloc(MARKUP_MAX_TEXT);
        if (!f->text) {
            w->memory->failed = 1;
            stop(w);
            return;
        }
        f->text[f->n_text++] = (char)text[i];
    }
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    struct markup_work *w = context;
    (void)name, (void)external, (void)system;
    if (w->refused) return;
    message_add(w->diags, (struct place){w->file, w->parser->input->line, 1}, MESSAGE_TAG,
                "a DOCTYPE and the entities it may declare are not read; leave it out");
    stop(w);
}

static xmlEntityPtr on_entity(void *context, const xmlChar *name)
{
    (void)context;
    return xmlGetPredefinedEntity(name);
}

/* The first fatal complaint is kept: those after it follow from it. */
static void on_complaint(void *context, const char *format, ...)
{
    struct markup_work *w = context;
    const xmlError *e = xmlCtxtGetLastError(w->parser);
    (void)format;
    if (!e || e->level != XML_ERR_FATAL || w->complaint.line) return;
    w->complaint = (struct place){w->file, e->line > 0 ? e->line : 1, e->int2 > 0 ? e->int2 : 1};
    snprintf(w->complaint_text, sizeof w->complaint_text, "%s", e->message ? e->message : "");
    w->complaint_text[strcspn(w->complaint_text, "\n")] = 0;
}

static void report_syntax(struct markup_work *w)
{
    message_add(w->diags, w->complaint, MESSAGE_SYNTAX, "not well-formed XML: %s",
                w->complaint.line ? w->complaint_text : "there is no tag");
    w->refused = 1;
}

static enum status parse(struct markup_work *w)
{
    xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                         .startElementNs = on_begin,
                         .endElementNs = on_end,
                         .characters = on_text,
                         .cdataBlock = on_text,
                         .internalSubset = on_doctype,
                         .getEntity = on_entity,
                         .warning = on_complaint,
                         .error = on_complaint};
    *w->parser->sax = sax;
    w->parser->userData = w;
    xmlCtxtUseOptions(w->parser, XML_PARSE_NONET | XML_PARSE_NOCDATA);
    xmlParseDocument(w->parser);
    for (int i = 0; i < w->depth; i++) free(w->stack[i].text);
    xmlFreeDoc(w->parser->myDoc); /* made for declarations, not freed where reading was stopped */
    w->parser->myDoc = NULL;
    if (!w->refused && (!w->parser->wellFormed || !w->root)) report_syntax(w);
    if (w->memory->failed) return STATUS_NO_MEMORY;
    return w->refused ? STATUS_REFUSED : STATUS_OK;
}

static void blank(char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (from[i] != '\n') from[i] = ' ';
}

/* Comments become blanks: files made by hand have -- in them, which XML forbids. */
static void blank_comments(char *text)
{
    char *c = text;
    while ((c = strstr(c, "<!--")) != NULL) {
        char *end = strstr(c + 4, "-->");
        if (!end) return;
        blank(c, (size_t)(end + 3 - c));
        c = end + 3;
    }
}

/* XML declarations that stand too late, or name no version or one there is not, as files made
 * by hand have them, become blanks; lines and columns stay. */
static void blank_declarations(char *text, const char *file, struct diag_list *diags)
{
    for (char *c = text; (c = strstr(c, "<?xml")) != NULL; c += 5) {
        size_t n = strnlen(c, DECLARATION);
        char *end = memchr(c, '>', n);
        if (!end || !(is_blank(c[5]) || c[5] == '?')) continue;
        const char *version = memmem(c, (size_t)(end - c), "version", 7);
        size_t skip = version ? strcspn(version, "'\">") : 0;
        int known = version && strncmp(version + skip + 1, "1.", 2) == 0;
        if (version && !known && c == text)
            diag_add(diags, DIAG_WARNING, file, 1, 1,
                     "the XML version is '%.*s', there are 1.0 and 1.1; read as 1.0",
                     (int)strcspn(version + skip + 1, "'\">"), version + skip + 1);
        if (c != text || !known) blank(c, (size_t)(end + 1 - c));
    }
}

/* The parser's work grows with the square of the attributes of a tag: they are counted before
 * it sees them. Returns the tag with too many, or NULL. */
static const char *crowded_tag(const char *text, size_t n)
{
    const char *tag = NULL;
    char quote = 0;
    int count = 0;
    for (const char *c = text; c < text + n; c++) {
        if (*c == '<') tag = c, count = 0, quote = 0;
        if (!tag) continue;
        if (quote ? *c == quote : *c == '"' || *c == '\'') quote = quote ? 0 : *c;
        if (!quote && *c == '=' && ++count > MARKUP_MAX_ATTRIBUTES) return tag;
        if (!quote && *c == '>') tag = NULL;
    }
    return NULL;
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (const char *c = text; c < at; c++) line += *c == '\n';
    return line;
}

enum status markup_read(const char *file, const char *text, size_t n, struct memory *memory,
                        struct diag_list *diags, const struct markup **root)
{
    struct place whole = {file, 0, 0};
    if (n > MARKUP_MAX_BYTES) {
        message_add(diags, whole, MESSAGE_TOO_LARGE, "the file has %zu bytes, more than %d MiB", n,
                    MARKUP_MAX_BYTES >> 20);
        return STATUS_REFUSED;
    }
    if (n == 0) {
        message_add(diags, whole, MESSAGE_EMPTY, "the file is empty");
        return STATUS_REFUSED;
    }
    struct markup_work *w = memory_take(memory, 1, sizeof *w);
    if (!w) return STATUS_NO_MEMORY;
    *w = (struct markup_work){.memory = memory, .diags = diags, .file = file};
    char *copy = memory_text(memory, text, n);
    if (!copy) return STATUS_NO_MEMORY;
    blank_comments(copy);
    blank_declarations(copy, file, diags);
    const char *crowded = crowded_tag(copy, n);
    if (crowded) {
        message_add(diags, (struct place){file, line_of(copy, crowded), 1}, MESSAGE_TOO_MANY,
                    "a tag has more than %d attributes", MARKUP_MAX_ATTRIBUTES);
        return STATUS_REFUSED;
    }
    w->parser = xmlCreateMemoryParserCtxt(copy, (int)n);
    enum status s = w->parser ? parse(w) : STATUS_NO_MEMORY;
    if (w->parser) xmlFreeParserCtxt(w->parser);
    xmlResetLastError(); /* which owns the text of a complaint */
    if (s == STATUS_OK) *root = w->root;
    return s;
}

const struct markup *markup_find(const struct markup *in, const char *name)
{
    for (const struct markup *e = in->first; e; e = e->next)
        if (!e->prefix[0] && strcmp(e->name, name) == 0) return e;
    return NULL;
}

const struct markup_attribute *markup_attribute(const struct markup *of, const char *name)
{
    for (int i = 0; i < of->n_attributes; i++)
        if (strcmp(of->attribute[i].name, name) == 0) return &of->attribute[i];
    return NULL;
}
