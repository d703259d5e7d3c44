/* trapeze opcua nodes RIG: what a rig shows over OPC UA, without running it; and the words
 * pubsub, cert and user, which have files of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "services/cli/opcua.h"
#include "services/cli/verbs.h"
#include "services/opcua/space/nodeset.h"
#include "services/opcua/server.h"
#include "services/run/rig_setup.h"

enum { DEPTH = 8 };
enum {
    OPTION_SET,
    OPTION_ROLE,
    OPTION_JSON,
    OPTION_XML,
    OPTION_FINGERPRINT,
    OPTION_YES,
    OPTION_STATE
};

/* The blocks of a rig that does not run, in ordinary memory. */
struct still {
    struct block_head head;
    char *step, *supervisor, *service;
    struct attach attach;
};

static int still_create(struct still *s, const struct rig_setup *l)
{
    if (block_layout(l->model, &s->head) != STATUS_OK) return 0;
    s->step = calloc(1, s->head.step.size);
    s->supervisor = calloc(1, s->head.supervisor.size);
    s->service = calloc(1, s->head.service.size);
    if (!s->step || !s->supervisor || !s->service) return 0;
    memcpy(s->step + s->head.step.model_at, l->model, l->model->size);
    port_init(&s->attach.port, &s->head, s->step, s->supervisor);
    port_own(&s->attach.port, 1, 1, s->service);
    s->attach.rig = &l->rig;
    s->attach.insecure = 1;
    return 1;
}

static void still_destroy(struct still *s)
{
    free(s->step);
    free(s->supervisor);
    free(s->service);
}

/* ---- the table --------------------------------------------------------------------- */

static void print_text(const UA_String *s, int width)
{
    printf("%-*.*s ", width, (int)s->length, (const char *)s->data);
}

static void print_unit(struct server *s, const UA_NodeId *node)
{
    char name[512];
    UA_Variant v;
    UA_NodeId id;

    UA_Variant_init(&v);
    snprintf(name, sizeof name, "%.*s.engineering-units", (int)node->identifier.string.length,
             (const char *)node->identifier.string.data);
    id = UA_NODEID_STRING_ALLOC(s->ns, name);
    if (UA_Server_readValue(s->ua, id, &v) == UA_STATUSCODE_GOOD &&
        v.type == &UA_TYPES[UA_TYPES_EUINFORMATION])
        print_text(&((const UA_EUInformation *)v.data)->displayName.text, 8);
    else
        printf("%-8s ", "");
    UA_Variant_clear(&v);
    UA_NodeId_clear(&id);
}

static void print_type(struct server *s, const UA_NodeId *node)
{
    UA_NodeId type;
    UA_Int32 rank = -1;
    char text[32];

    if (UA_Server_readDataType(s->ua, *node, &type) != UA_STATUSCODE_GOOD) return;
    UA_Server_readValueRank(s->ua, *node, &rank);
    const UA_DataType *t = UA_findDataType(&type);
    snprintf(text, sizeof text, "%s%s", t ? t->typeName : "?", rank == 1 ? "[]" : "");
    printf("%-10s ", text);
    UA_NodeId_clear(&type);
}

/* The arguments a method takes, a line each: name, type, meaning. */
static void print_arguments(struct server *s, const UA_NodeId *method, int depth)
{
    static const char INPUT[] = "InputArguments";
    UA_BrowseDescription what;
    UA_Variant v;
    UA_BrowseDescription_init(&what);
    UA_Variant_init(&v);
    what.nodeId = *method;
    what.referenceTypeId = UA_NODEID_NUMERIC(0, UA_NS0ID_HASPROPERTY);
    what.resultMask = UA_BROWSERESULTMASK_BROWSENAME;
    UA_BrowseResult found = UA_Server_browse(s->ua, 0, &what);
    for (size_t i = 0; i < found.referencesSize; i++) {
        const UA_ReferenceDescription *r = &found.references[i];
        const UA_String *name = &r->browseName.name;
        if (name->length != sizeof INPUT - 1 || memcmp(name->data, INPUT, name->length) != 0 ||
            UA_Server_readValue(s->ua, r->nodeId.nodeId, &v) != UA_STATUSCODE_GOOD)
            continue;
        for (size_t k = 0; v.type == &UA_TYPES[UA_TYPES_ARGUMENT] && k < v.arrayLength; k++) {
            const UA_Argument *a = &((const UA_Argument *)v.data)[k];
            const UA_DataType *type = UA_findDataType(&a->dataType);
            printf("%*s", 2 * depth + 4, "");
            print_text(&a->name, 26);
            printf("%-10s%-2s  %.*s\n", type ? type->typeName : "?", a->valueRank == 1 ? "[]" : "",
                   (int)a->description.text.length, (const char *)a->description.text.data);
        }
        UA_Variant_clear(&v);
    }
    UA_BrowseResult_clear(&found);
}

static void print_node(struct server *s, const UA_ReferenceDescription *r, int depth)
{
    const UA_NodeId *id = &r->nodeId.nodeId;
    UA_LocalizedText help;
    UA_Byte access = 0;
    char indented[256];

    snprintf(indented, sizeof indented, "%*s%.*s", 2 * depth, "", (int)r->browseName.name.length,
             (const char *)r->browseName.name.data);
    printf("%-32s %-44.*s ", indented, (int)id->identifier.string.length,
           (const char *)id->identifier.string.data);
    if (r->nodeClass == UA_NODECLASS_VARIABLE) {
        UA_Server_readAccessLevel(s->ua, *id, &access);
        print_type(s, id);
        printf("%-2s ", access & UA_ACCESSLEVELMASK_WRITE ? "rw" : "r");
        print_unit(s, id);
    } else {
        printf("%-22s ", r->nodeClass == UA_NODECLASS_METHOD ? "method" : "object");
    }
    if (UA_Server_readDescription(s->ua, *id, &help) == UA_STATUSCODE_GOOD) {
        printf("%.*s", (int)help.text.length, (const char *)help.text.data);
        UA_LocalizedText_clear(&help);
    }
    printf("\n");
    if (r->nodeClass == UA_NODECLASS_METHOD) print_arguments(s, id, depth);
}

/* Variables, then methods, then objects; each by name. */
static int by_kind(const void *a, const void *b)
{
    static const int RANK[] = {
        [UA_NODECLASS_OBJECT] = 2, [UA_NODECLASS_VARIABLE] = 0, [UA_NODECLASS_METHOD] = 1};
    const UA_ReferenceDescription *p = a, *q = b;
    size_t n = p->browseName.name.length, m = q->browseName.name.length;
    int order;

    if (p->nodeClass != q->nodeClass && p->nodeClass <= UA_NODECLASS_METHOD &&
        q->nodeClass <= UA_NODECLASS_METHOD)
        return RANK[p->nodeClass] - RANK[q->nodeClass];
    order = memcmp(p->browseName.name.data, q->browseName.name.data, n < m ? n : m);
    return order ? order : (n > m) - (n < m);
}

static void print_below(struct server *s, UA_NodeId parent, int depth)
{
    UA_BrowseDescription d;
    UA_BrowseResult b;

    UA_BrowseDescription_init(&d);
    d.nodeId = parent;
    d.referenceTypeId = UA_NODEID_NUMERIC(0, UA_NS0ID_HASCOMPONENT);
    d.resultMask = UA_BROWSERESULTMASK_ALL;
    b = UA_Server_browse(s->ua, 0, &d);
    qsort(b.references, b.referencesSize, sizeof *b.references, by_kind);
    for (size_t i = 0; i < b.referencesSize; i++) {
        if (b.references[i].nodeId.nodeId.namespaceIndex != s->ns) continue;
        print_node(s, &b.references[i], depth);
        if (b.references[i].nodeClass == UA_NODECLASS_OBJECT && depth < DEPTH)
            print_below(s, b.references[i].nodeId.nodeId, depth + 1);
    }
    UA_BrowseResult_clear(&b);
}

static enum status print_table(struct server *s)
{
    UA_NodeId rig = UA_NODEID_STRING_ALLOC(s->ns, "rig");

    printf("namespace %s; node ids are strings in it\n", SERVER_NAMESPACE);
    print_below(s, rig, 0);
    UA_NodeId_clear(&rig);
    return STATUS_OK;
}

/* The table, or the file where one is named. */
static enum status print_nodes(const struct rig_setup *l, const char *xml)
{
    struct still still = {.attach = {.insecure = 1}};
    struct settings *settings = calloc(1, sizeof *settings);
    enum status status = STATUS_IO;
    struct server *s = NULL;

    if (still_create(&still, l) && settings && settings_read(&still.attach, settings) == STATUS_OK)
        s = server_create(&still.attach, settings);
    if (s) status = xml ? nodeset_write(s, xml) : print_table(s);
    server_destroy(s);
    still_destroy(&still);
    free(settings);
    return status;
}

static enum status run_nodes(const struct verb_call *call)
{
    struct rig_setup l;
    enum status s;

    if (call->n_arguments != 2) return STATUS_USAGE;
    s = rig_setup_create(&l, call->argument[1], call->set, call->n_sets);
    if (s != STATUS_OK) return s;
    s = print_nodes(&l, call->value[OPTION_XML]);
    rig_setup_destroy(&l);
    return s;
}

static enum status run_user(const struct verb_call *call)
{
    return opcua_user(call, call->value[OPTION_ROLE], call->value[OPTION_STATE]);
}

static enum status run_cert(const struct verb_call *call)
{
    return opcua_cert(
        call, call->value[OPTION_STATE],
        (struct opcua_sure){call->value[OPTION_FINGERPRINT], call->value[OPTION_YES] != NULL});
}

static enum status run_pubsub(const struct verb_call *call)
{
    return opcua_pubsub(call, call->value[OPTION_JSON] != NULL);
}

/* ---- the verb ---------------------------------------------------------------------- */

/* The words, as --help lists them and as they are called. */
static const struct verb_word WORD[] = {
    {"nodes", "RIG [--xml FILE]", "what the rig shows, and the arguments of its methods"},
    {"pubsub", "RIG [--json]", "what its fast lane sends and takes"},
    {"cert make", "", "make the server's certificate and key anew"},
    {"cert show", "[LAST|NAME|FILE]", "a certificate in words: the server's own, or that one"},
    {"cert list", "", "all of trusted, issuers, crl, rejected and withdrawn"},
    {"cert check", "NAME|FILE", "would a client with it be let in, and why not"},
    {"cert trust", "LAST|NAME|FILE [--fingerprint DIGITS|--yes]",
     "let a client in; LAST is the one refused last"},
    {"cert reject", "NAME", "trust it no longer, end its sessions; cert trust NAME takes it back"},
    {"cert issuer", "FILE", "take the certificate of an authority"},
    {"cert crl", "FILE", "take an authority's list of what it revoked"},
    {"user list", "", "who may log in, as which role"},
    {"user add", "NAME --role ROLE", "a new user; asks for the password"},
    {"user passwd", "NAME", "a new password; sessions with the old one end"},
    {"user role", "NAME --role ROLE", "another role, also of open sessions"},
    {"user remove", "NAME", "take a user away; open sessions end"},
    {NULL, NULL, NULL},
};

static const struct {
    const char *name;
    enum status (*run)(const struct verb_call *call);
} RUN[] = {
    {"nodes", run_nodes},
    {"pubsub", run_pubsub},
    {"cert", run_cert},
    {"user", run_user},
};

static enum status run(const struct verb_call *call)
{
    const char *word = call->argument[0];
    enum status s = STATUS_USAGE;

    for (size_t i = 0; i < sizeof RUN / sizeof RUN[0]; i++) {
        if (strcmp(RUN[i].name, word) != 0) continue;
        if (call->n_arguments > 1) s = RUN[i].run(call);
        if (s == STATUS_USAGE) verb_print_words(&OPCUA_VERB, word, stderr);
        return s;
    }
    fprintf(stderr,
            "trapeze opcua: '%s' is none of: nodes pubsub cert user; see trapeze opcua --help\n",
            word);
    return s;
}

static const struct verb_option OPTION[] = {
    [OPTION_SET] = {"--set", "NAME=VALUE", "give a parameter another value; may be repeated"},
    [OPTION_ROLE] = {"--role", "ROLE", "of a user: observer, operator or engineer"},
    [OPTION_JSON] = {"--json", NULL, "print the messages of pubsub as JSON"},
    [OPTION_XML] = {"--xml", "FILE", "of nodes: write NodeSet2 XML to FILE, - for standard output"},
    [OPTION_FINGERPRINT] = {"--fingerprint", "DIGITS",
                            "of cert trust: the first digits of the right one, at least 8"},
    [OPTION_YES] = {"--yes", NULL, "of cert trust LAST: do not ask whether it is the right one"},
    [OPTION_STATE] = {"--state", "FOLDER",
                      "keys and users lie there (default: TRAPEZE_STATE, or /var/lib/trapeze as "
                      "root, else $XDG_STATE_HOME/trapeze or ~/.local/state/trapeze)"},
    {NULL, NULL, NULL},
};

const struct verb OPCUA_VERB = {
    .name = "opcua",
    .arguments = "nodes RIG | pubsub RIG | cert WORD ... | user WORD ...",
    .help = "what a rig shows over OPC UA, what its fast lane sends; certificates; users",
    .word = WORD,
    .option = OPTION,
    .least = 1,
    .most = 3,
    .run = run};
