/* The events of libyaml become a tree; a stack of open lists and maps is the only
 * state. Every node is counted when it comes, an alias with the whole subtree it
 * stands for, so the count bounds the work of all who walk the tree later. */
#include "services/load/text/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "services/base/names.h"

struct reader_frame {
    struct node *node;       /* the open list or map */
    struct node *last;       /* its newest entry */
    const struct node *key;  /* map: a key that waits for its value */
    const struct node *merge; /* map: what stands under << */
    const char *anchor;      /* to register when it closes */
    struct names seen;       /* map: its keys, with their lines */
};

struct reader {
    yaml_parser_t parser;
    struct memory *memory;
    struct diag_list *diags;
    const char *file;
    const char *text;
    size_t n_text;
    struct reader_frame stack[READER_MAX_DEPTH];
    int depth;
    uint32_t n_nodes;
    struct names anchors;
    const struct node **anchored;
    size_t n_anchored, anchored_capacity;
    struct node *root;
    int documents;
    int refused; /* an error was found */
    int fatal;   /* ... after which the tree cannot be continued */
};

static struct place reader_place(const struct reader *r, yaml_mark_t mark)
{
    return (struct place){r->file, (int)mark.line + 1, (int)mark.column + 1};
}

/* The bytes from a mark on, "" outside of the text. */
static const char *reader_at(const struct reader *r, yaml_mark_t mark)
{
    const char *c = r->text, *end = r->text + r->n_text;
    for (size_t line = 0; line < mark.line && c; line++) {
        c = memchr(c, '\n', (size_t)(end - c));
        if (c) c++;
    }
    return c && mark.column < (size_t)(end - c) ? c + mark.column : "";
}

/* 1 if the line up to this place holds an open [ or { and the place a brace. */
static int reader_is_brace_in_flow(const struct reader *r, yaml_mark_t mark)
{
    const char *at = reader_at(r, mark);
    if (*at != '{' && *at != '}') return 0;
    const char *c = at;
    while (c > r->text && c[-1] != '\n')
        if (*--c == '[') return 1;
    return 0;
}

static void reader_report_syntax(struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    struct place at = reader_place(r, p->problem_mark);
    const char *problem = p->problem ? p->problem : "not YAML";
    if (*reader_at(r, p->problem_mark) == '\t')
        message_add(r->diags, at, MESSAGE_SYNTAX, "a tab stands here; indent with blanks");
    else if (reader_is_brace_in_flow(r, p->problem_mark))
        message_add(r->diags, at, MESSAGE_SYNTAX,
                    "%s; inside [ ] a name with {index} must be quoted: \"link-{i}\"", problem);
    else if (*reader_at(r, p->problem_mark) == ':')
        message_add(r->diags, at, MESSAGE_SYNTAX, "%s; a blank must follow the ':' of a key",
                    problem);
    else if (p->context)
        message_add(r->diags, at, MESSAGE_SYNTAX, "%s, %s (begun in line %d)", problem, p->context,
                    (int)p->context_mark.line + 1);
    else
        message_add(r->diags, at, MESSAGE_SYNTAX, "%s", problem);
}

static void reader_report_encoding(struct reader *r)
{
    struct place at = {r->file, 1, 1};
    size_t offset = r->parser.problem_offset < r->n_text ? r->parser.problem_offset : r->n_text;
    for (size_t i = 0; i < offset; i++) {
        at.column++;
        if (r->text[i] == '\n') at.line++, at.column = 1;
    }
    message_add(r->diags, at, MESSAGE_ENCODING,
                "%s; the file must be UTF-8 text without control characters",
                r->parser.problem ? r->parser.problem : "unreadable byte");
}

static void reader_report_parser(struct reader *r)
{
    if (r->parser.error == YAML_MEMORY_ERROR)
        r->memory->failed = 1;
    else if (r->parser.error == YAML_READER_ERROR)
        reader_report_encoding(r);
    else
        reader_report_syntax(r);
    r->refused = r->fatal = 1;
}

/* Count nodes; 0 when there are too many. */
static int reader_count(struct reader *r, struct place at, uint32_t weight)
{
    if (weight <= READER_MAX_NODES - r->n_nodes) {
        r->n_nodes += weight;
        return 1;
    }
    message_add(r->diags, at, MESSAGE_TOO_MANY,
                "the file has more than %d values, aliases counted as often as they are used",
                READER_MAX_NODES);
    r->refused = r->fatal = 1;
    return 0;
}

static struct node *reader_node(struct reader *r, enum node_kind kind, yaml_mark_t mark)
{
    struct place at = reader_place(r, mark);
    if (!reader_count(r, at, 1)) return NULL;
    struct node *node = memory_take(r->memory, 1, sizeof *node);
    if (node) *node = (struct node){.kind = kind, .place = at, .weight = 1};
    return node;
}

static void reader_take_key(struct reader *r, struct reader_frame *f, const struct node *node)
{
    if (node->kind == NODE_SCALAR) {
        f->key = node;
        return;
    }
    message_add(r->diags, node->place, MESSAGE_WRONG_KIND, "a key must be a word, not %s",
                reader_kind_text(node));
    r->refused = r->fatal = 1;
}

/* 1 after a message if the innermost map has this key already. */
static int reader_is_duplicate(struct reader *r, struct reader_frame *f)
{
    const struct node *key = f->key;
    if (!key || names_add(&f->seen, key->text, key->place.line) != 0) return 0;
    message_add(r->diags, key->place, MESSAGE_DUPLICATE_KEY,
                "'%.60s' stands twice; first in line %d", key->text,
                names_find(&f->seen, key->text));
    r->refused = 1;
    return 1;
}

static void reader_link(struct reader_frame *f, struct node *node)
{
    if (f->last)
        f->last->next = node;
    else
        f->node->first = node;
    f->last = node;
    f->node->n++;
}

/* Hang a node into the innermost open list or map; of two with one key the first stays. */
static void reader_append(struct reader *r, struct node *node)
{
    if (r->depth == 0) {
        r->root = node;
        return;
    }
    struct reader_frame *f = &r->stack[r->depth - 1];
    if (f->node->kind == NODE_MAP && !f->key) {
        reader_take_key(r, f, node);
        return;
    }
    int twice = reader_is_duplicate(r, f);
    node->key = f->key;
    f->key = NULL;
    if (twice) return;
    if (node->key && !node->key->quoted && strcmp(node->key->text, "<<") == 0)
        f->merge = node;
    else
        reader_link(f, node);
}

static void reader_register(struct reader *r, const char *anchor, const struct node *node)
{
    if (!anchor) return;
    const struct node **grown = memory_grow(r->memory, r->anchored, r->n_anchored,
                                            &r->anchored_capacity, sizeof *grown);
    if (!grown) return;
    r->anchored = grown;
    r->anchored[r->n_anchored] = node;
    int added = names_add(&r->anchors, anchor, (int)r->n_anchored++);
    if (added != 0) return;
    message_add(r->diags, node->place, MESSAGE_ALIAS, "the anchor &%s is used twice", anchor);
    r->refused = 1;
}

static const char *reader_keep(struct reader *r, const yaml_char_t *text)
{
    return text ? memory_text(r->memory, (const char *)text, strlen((const char *)text)) : NULL;
}

static void reader_refuse_tag(struct reader *r, const yaml_char_t *tag, yaml_mark_t mark)
{
    if (!tag) return;
    message_add(r->diags, reader_place(r, mark), MESSAGE_TAG,
                "the tag %.60s has no meaning here; leave it out", (const char *)tag);
    r->refused = 1;
}

static int reader_text_column(const yaml_event_t *e, const struct node *node)
{
    size_t raw = e->end_mark.index - e->start_mark.index;
    if (e->start_mark.line != e->end_mark.line) return 0;
    if (raw == e->data.scalar.length) return node->place.column;
    if (raw == e->data.scalar.length + 2 && node->quoted) return node->place.column + 1;
    return 0;
}

/* Zero bytes, escape sequences and the like, which quotes can bring into a text, become ?,
 * so that messages are safe to show. Returns how many there are. */
static int reader_take_controls(char *text, size_t n)
{
    int found = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i], next = (unsigned char)text[i + 1];
        int one = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
        int two = c == 0xc2 && next >= 0x80 && next < 0xa0 && next != 0x85;
        if (one || two) text[i] = '?', found++;
        if (two) text[i + 1] = '?';
    }
    return found;
}

static void reader_scalar(struct reader *r, const yaml_event_t *e)
{
    struct node *node = reader_node(r, NODE_SCALAR, e->start_mark);
    if (!node) return;
    const char *text = (const char *)e->data.scalar.value;
    node->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    char *kept = memory_text(r->memory, text, e->data.scalar.length);
    node->text = kept;
    if (!kept) return;
    if (reader_take_controls(kept, e->data.scalar.length)) {
        message_add(r->diags, node->place, MESSAGE_ENCODING,
                    "a text must not hold control characters other than line ends and tabs");
        r->refused = 1;
    }
    node->text_column = reader_text_column(e, node);
    reader_refuse_tag(r, e->data.scalar.tag, e->start_mark);
    reader_register(r, reader_keep(r, e->data.scalar.anchor), node);
    reader_append(r, node);
}

static void reader_open(struct reader *r, enum node_kind kind, const yaml_event_t *e,
                        const yaml_char_t *anchor, const yaml_char_t *tag)
{
    struct place at = reader_place(r, e->start_mark);
    if (r->depth == READER_MAX_DEPTH) {
        message_add(r->diags, at, MESSAGE_TOO_DEEP,
                    "lists and maps stand more than %d deep in each other", READER_MAX_DEPTH);
        r->refused = r->fatal = 1;
        return;
    }
    struct node *node = reader_node(r, kind, e->start_mark);
    if (!node) return;
    reader_refuse_tag(r, tag, e->start_mark);
    reader_append(r, node);
    r->stack[r->depth++] = (struct reader_frame){
        .node = node, .anchor = reader_keep(r, anchor), .seen = {.memory = r->memory}};
}

/* Hang the entries of a map whose keys are not there yet behind those of the frame. */
static void reader_merge_map(struct reader *r, struct reader_frame *f, const struct node *map)
{
    if (map->kind != NODE_MAP) {
        message_add(r->diags, map->place, MESSAGE_WRONG_KIND,
                    "<< must be a map whose keys are taken over, or a list of such, not %s",
                    reader_kind_text(map));
        r->refused = 1;
        return;
    }
    for (const struct node *e = map->first; e; e = e->next) {
        if (names_add(&f->seen, e->key->text, e->key->place.line) <= 0) continue;
        struct node *copy = reader_count(r, map->place, e->weight + 1)
                                ? memory_take(r->memory, 1, sizeof *copy)
                                : NULL;
        if (!copy) return;
        *copy = *e;
        copy->next = NULL;
        reader_link(f, copy);
    }
}

/* YAML's merge key: own keys come first, then those of the maps in their order. */
static void reader_merge(struct reader *r, struct reader_frame *f)
{
    const struct node *merge = f->merge;
    if (!merge) return;
    if (merge->kind != NODE_LIST) reader_merge_map(r, f, merge);
    for (const struct node *e = merge->kind == NODE_LIST ? merge->first : NULL; e && !r->fatal;
         e = e->next)
        reader_merge_map(r, f, e);
}

static void reader_close(struct reader *r)
{
    struct reader_frame *f = &r->stack[--r->depth];
    reader_merge(r, f);
    for (const struct node *e = f->node->first; e; e = e->next)
        f->node->weight += e->weight + (e->key != NULL);
    reader_register(r, f->anchor, f->node);
}

static void reader_alias(struct reader *r, const yaml_event_t *e)
{
    const char *name = (const char *)e->data.alias.anchor;
    struct place at = reader_place(r, e->start_mark);
    int i = names_find(&r->anchors, name);
    if (i < 0) {
        message_add(r->diags, at, MESSAGE_ALIAS,
                    "*%.60s stands for nothing: &%.60s must be complete before it is used", name,
                    name);
        r->refused = r->fatal = 1;
        return;
    }
    if (!reader_count(r, at, r->anchored[i]->weight)) return;
    struct node *node = memory_take(r->memory, 1, sizeof *node);
    if (!node) return;
    *node = *r->anchored[i];
    node->key = node->next = NULL;
    reader_append(r, node);
}

static void reader_event(struct reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->documents++ == 0) break;
        message_add(r->diags, reader_place(r, e->start_mark), MESSAGE_TWO_DOCUMENTS,
                    "a second document begins here; one file holds one");
        r->refused = r->fatal = 1;
        break;
    case YAML_ALIAS_EVENT:
        reader_alias(r, e);
        break;
    case YAML_SCALAR_EVENT:
        reader_scalar(r, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        reader_open(r, NODE_LIST, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        reader_open(r, NODE_MAP, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reader_close(r);
        break;
    default:
        break;
    }
}

static void reader_run(struct reader *r)
{
    for (int done = 0; !done && !r->fatal && !r->memory->failed;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            reader_report_parser(r);
            return;
        }
        done = event.type == YAML_STREAM_END_EVENT;
        reader_event(r, &event);
        yaml_event_delete(&event);
    }
}

enum status reader_read_text(const char *file, const char *text, size_t n, struct memory *memory,
                             struct diag_list *diags, const struct node **root)
{
    struct reader r = {.memory = memory, .diags = diags, .text = text, .n_text = n};
    *root = NULL;
    r.anchors.memory = memory;
    r.file = memory_text(memory, file, strlen(file));
    if (!r.file || !yaml_parser_initialize(&r.parser)) return STATUS_NO_MEMORY;
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
    reader_run(&r);
    yaml_parser_delete(&r.parser);
    if (memory->failed) return STATUS_NO_MEMORY;
    if (r.fatal) return STATUS_REFUSED;
    if (!r.root || reader_is_empty(r.root)) {
        message_add(diags, (struct place){r.file, 1, 1}, MESSAGE_EMPTY, "the file is empty");
        return STATUS_REFUSED;
    }
    *root = r.root;
    return r.refused ? STATUS_REFUSED : STATUS_OK;
}

/* Read all of an open regular file; NULL after a message or without memory. */
static char *reader_slurp(int fd, const char *path, struct memory *memory, struct diag_list *diags,
                          size_t *n)
{
    struct stat st;
    struct place at = {path, 0, 0};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        message_add(diags, at, MESSAGE_FILE, "not a file that can be read");
        return NULL;
    }
    if (st.st_size > READER_MAX_BYTES) {
        message_add(diags, at, MESSAGE_TOO_LARGE, "the file has %lld bytes, at most %d are read",
                    (long long)st.st_size, READER_MAX_BYTES);
        return NULL;
    }
    char *text = memory_take(memory, (size_t)st.st_size + 1, 1);
    *n = 0;
    while (text && *n < (size_t)st.st_size) {
        ssize_t got = read(fd, text + *n, (size_t)st.st_size - *n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *n += (size_t)got;
    }
    return text;
}

const char *reader_file_text(const char *path, struct memory *memory, struct diag_list *diags,
                             size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        message_add(diags, (struct place){path, 0, 0}, MESSAGE_FILE, "cannot be read: %s",
                    strerror(errno));
        return NULL;
    }
    char *text = reader_slurp(fd, path, memory, diags, n);
    close(fd);
    return text;
}

enum status reader_read_file(const char *path, struct memory *memory, struct diag_list *diags,
                             const struct node **root)
{
    size_t n = 0;
    *root = NULL;
    const char *text = reader_file_text(path, memory, diags, &n);
    if (!text) return memory->failed ? STATUS_NO_MEMORY : STATUS_REFUSED;
    return reader_read_text(path, text, n, memory, diags, root);
}

const struct node *reader_find(const struct node *map, const char *key)
{
    if (map->kind != NODE_MAP) return NULL;
    for (const struct node *e = map->first; e; e = e->next)
        if (strcmp(e->key->text, key) == 0) return e;
    return NULL;
}

int reader_is_empty(const struct node *node)
{
    if (node->kind != NODE_SCALAR || node->quoted) return 0;
    return node->text[0] == 0 || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

const char *reader_kind_text(const struct node *node)
{
    static const char *const TEXT[] = {
        [NODE_SCALAR] = "a single value", [NODE_LIST] = "a list", [NODE_MAP] = "a map"};
    return reader_is_empty(node) ? "nothing" : TEXT[node->kind];
}
