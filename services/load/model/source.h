/* source.h: a model file read, checked for its form and unrolled.
 *
 * Components are opened, repeats are counted out, parameters have their values; what
 * remains is a flat list of elements per section, each with its node, its full path
 * and the scope its expressions are read in. Place on the arrow: file -> [source] ->
 * model. SERVICE context; lives in one memory arena, freed with it. */
#ifndef SOURCE_H
#define SOURCE_H

#include "services/load/text/expr.h"
#include "services/base/names.h"
#include "services/load/model/placement.h"
#include "services/load/text/reader.h"
#include "services/load/text/value.h"

enum source_section {
    SECTION_BODIES,
    SECTION_JOINTS,
    SECTION_MOTIONS,
    SECTION_FORCES,
    SECTION_ACTUATORS,
    SECTION_SENSORS,
    SECTION_SWITCHES,
    SECTION_COUNT
};

enum {
    SOURCE_MAX_ELEMENTS = 200000,  /* of all sections together */
    SOURCE_MAX_COMPONENTS = 20000,
    SOURCE_MAX_PARAMETERS = 1000,  /* of one component */
    SOURCE_MAX_DEPTH = 128,        /* components in each other; repeats are few by the reader */
    SOURCE_MAX_PATH = 255,         /* letters of a full path */
    SOURCE_MAX_CHAIN = 32,         /* parameters that wait for each other */
    SOURCE_MAX_ERRORS = 10000      /* after which nothing further is looked at */
};

/* The value of a repeat's index, and the repeats around it. */
struct source_loop {
    const char *index;
    double value;
    const struct source_loop *outer;
};

/* Where an expression is read: whose parameters, which indices. */
struct source_scope {
    struct source *source;
    int component;
    const struct source_loop *loop;
};

enum source_state { PARAMETER_UNREAD, PARAMETER_BUSY, PARAMETER_GOOD, PARAMETER_WRONG };

struct source_parameter {
    const char *path;            /* full path */
    const struct node *node;     /* its expression or map; NULL: must be given */
    const struct node *declared; /* where the component declares it */
    int component;               /* that declares it */
    struct source_scope scope;   /* of the expression: the user's where given there */
    const char *set;             /* text of --set, instead of the node */
    enum source_state state;
    int live;
    double lower, upper;
    struct expr_value value;
};

struct source_component {
    const char *path;            /* "" for the model itself */
    const char *file;
    const struct node *root;
    struct place place;          /* where it is used */
    int parent;
    int depth;
    struct placement placement;
    struct names parameters;     /* local name -> index in source.parameter */
    struct names shows;          /* full paths */
};

struct source_element {
    const struct node *node;     /* its map; node->key is its name */
    const char *path;            /* full path */
    struct source_scope scope;
};

/* A growing array in the source's memory. */
struct source_elements {
    struct source_element *item;
    size_t n, capacity;
    struct names names;          /* full path -> index */
};

/* A value of --set. */
struct source_set {
    const char *name, *value;
    int used;
};

struct source {
    struct memory *memory;
    struct diag_list *diags;
    struct source_elements section[SECTION_COUNT];
    struct source_component *component;
    size_t n_components, component_capacity;
    struct source_parameter *parameter;
    size_t n_parameters, parameter_capacity;
    struct names parameters;     /* full path -> index */
    struct names files;          /* path -> index in tree */
    struct names broken;         /* paths of components that could not be read */
    const struct node **tree;    /* every file is read once */
    size_t n_trees, tree_capacity;
    struct source_set *set;
    int n_sets;
    size_t n_elements, max_elements; /* counted so far; allowed */
    int chain;                   /* parameters being read */
};

/* The key of a section in the file. */
const char *source_section_key(enum source_section s);

/* 1 if a path leads into a component that could not be read: what is missing there is not
 * worth a message of its own. */
int source_is_broken(const struct source *s, const char *path);

/* The name nearest to a wrong one, for a message that is about to be added; NULL also
 * when that message would find no room, so that many mistakes stay cheap. */
const char *source_nearest(const struct source *s, const struct names *known, const char *word);

/* 1 when it is of no use to read on: no memory, or more mistakes than anybody mends. */
int source_is_hopeless(const struct source *s);

/* Prefix a local name with a component's path. Returns NULL after a message. */
const char *source_path(struct source *s, int component, const char *name, struct place at);

/* Replace every {expression} of a name by its whole number. Returns NULL after a
 * message; the text itself where there is none. */
const char *source_name(const struct source_scope *scope, const struct node *node);

#endif
