/* Rig files: what they say, what is wrong with them, and how they fit a model. */
#include "services/load/rig/rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/link/name.h"
#include "rt/solve/method.h"
#include "tests/rt/testrig.h"

struct read {
    struct memory memory;
    struct diag_list diags;
    struct rig rig;
    enum status status;
};

static void read_text(struct read *r, const char *text)
{
    memset(r, 0, sizeof *r);
    r->status = rig_read_text("dir/r.yaml", text, strlen(text), &r->memory, &r->diags, &r->rig);
}

static void forget(struct read *r)
{
    diag_clear(&r->diags);
    memory_release(&r->memory);
}

static void defaults_are_those_of_the_manual(void **state)
{
    struct read r;

    (void)state;
    read_text(&r, "model: m.yaml\nstep: 2 ms\n");
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(r.rig.name, "r");
    assert_string_equal(r.rig.model, "dir/m.yaml");
    assert_true(fabs(r.rig.step - 2e-3) < 1e-15 && r.rig.deadline == r.rig.step);
    assert_int_equal(r.rig.core, -1);
    assert_int_equal(r.rig.priority, 80);
    assert_int_equal(r.rig.pace, RIG_REALTIME);
    assert_int_equal(r.rig.policy, RIG_SKIP);
    assert_int_equal(r.rig.trip_consecutive, 10);
    assert_int_equal(r.rig.trip_misses, 0);
    assert_int_equal(r.rig.command.action, RIG_RAMP);
    assert_true(r.rig.command.timeout == 0.1 && r.rig.command.ramp == 0.5);
    assert_true(r.rig.lease == 2 && r.rig.lockstep_timeout == 1);
    assert_int_equal(r.rig.autostart, 0);
    forget(&r);
}

static void every_key_is_read(void **state)
{
    struct read r;

    (void)state;
    read_text(
        &r,
        "rig: bench\nmodel: /m.yaml\nparameters: {n: 16, k: 2 N/m}\nstep: 1 ms\n"
        "deadline: 800 us\ncore: 3\nservice-cores: [0, 2]\npriority: 70\npace: lockstep\nspin: 50 us\n"
        "on-miss: hold\ntrip: {consecutive: 3, misses: 10, window: 500}\n"
        "commands: {timeout: 50 ms, action: zero, ramp: 1 s}\n"
        "actuators:\n  steer: {action: hold}\n  brake: {timeout: 20 ms}\n"
        "iterations: 2\nauthority: {lease: 5 s, preempt: [opcua]}\n"
        "lockstep: {timeout: 3 s, poll: 100 us}\nautostart: yes\n"
        "services:\n  opcua: {port: 4841}\n  null:\n"
        "drive:\n  left: {actuator: steer, rate: 30, back: 60}\n");
    assert_int_equal(r.status, STATUS_OK);
    assert_string_equal(r.rig.name, "bench");
    assert_string_equal(r.rig.model, "/m.yaml");
    assert_int_equal(r.rig.n_sets, 2);
    assert_string_equal(r.rig.set[1].value, "2 N/m");
    assert_true(fabs(r.rig.deadline - 800e-6) < 1e-15 && fabs(r.rig.spin - 50e-6) < 1e-15);
    assert_int_equal(r.rig.core, 3);
    assert_int_equal(r.rig.n_service_cores, 2);
    assert_true(r.rig.service_core[0] == 0 && r.rig.service_core[1] == 2);
    assert_int_equal(r.rig.pace, RIG_LOCKSTEP);
    assert_int_equal(r.rig.policy, RIG_HOLD);
    assert_int_equal(r.rig.trip_window, 500);
    assert_int_equal(r.rig.n_actuators, 2);
    assert_int_equal(r.rig.actuator[0].command.action, RIG_KEEP);
    assert_true(r.rig.actuator[0].command.timeout == 0.05); /* the rest as commands: says */
    assert_true(r.rig.actuator[1].command.timeout == 0.02);
    assert_int_equal(r.rig.actuator[1].command.action, RIG_ZERO);
    assert_int_equal(r.rig.n_preempts, 1);
    assert_int_equal(r.rig.n_services, 2);
    assert_non_null(r.rig.service[0].keys);
    assert_null(r.rig.service[1].keys);
    assert_int_equal(r.rig.n_keys, 1);
    assert_true(r.rig.key[0].rate == 30 && r.rig.key[0].back == 60);
    forget(&r);
}

#define LANE "model: m\nstep: 1 ms\nservices: {opcua: {pubsub: "

static void the_fast_lane_is_off_until_its_key_is_there(void **state)
{
    struct read r;

    (void)state;
    read_text(&r, "model: m\nstep: 1 ms\nservices: {opcua: }\n");
    assert_int_equal(r.rig.fastlane.on, 0);
    forget(&r);
    read_text(&r, LANE "}}\n");
    assert_int_equal(r.status, STATUS_OK);
    assert_int_equal(r.rig.fastlane.on, 1);
    assert_string_equal(r.rig.fastlane.address, "127.0.0.1");
    assert_int_equal(r.rig.fastlane.port, 4840);
    assert_int_equal(r.rig.fastlane.every, 1);
    assert_int_equal(r.rig.fastlane.command_port, 0);
    assert_null(r.rig.fastlane.keys);
    forget(&r);
    read_text(&r, LANE "{address: 239.0.0.22, interface: 127.0.0.1, port: 5001, every: 4,\n"
                       "  publisher: 7, group: 8, writer: 9, keys: k.txt,\n"
                       "  commands: {port: 5002, publisher: 10}}}}\n");
    assert_int_equal(r.status, STATUS_OK);
    assert_true(fastlane_is_local(&r.rig.fastlane));
    assert_int_equal(r.rig.fastlane.id.publisher, 7);
    assert_int_equal(r.rig.fastlane.id.writer, 9);
    assert_string_equal(r.rig.fastlane.keys, "dir/k.txt");
    assert_int_equal(r.rig.fastlane.command_port, 5002);
    assert_int_equal(r.rig.fastlane.command_id.publisher, 10);
    assert_int_equal(r.rig.fastlane.command_id.group, 2);
    forget(&r);
}

/* Place and words of the first message. */
static void mistakes_are_named_with_their_place(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } CASE[] = {
        {"step: 1 ms\n", 1, 1, "'model' is missing"},
        {"model: m\n", 1, 1, "'step' is missing"},
        {"model: m\nstep: 1 ms\ndeadlin: 1 ms\n", 3, 1, "did you mean 'deadline'?"},
        {"model: m\nstep: 1 m\n", 2, 7, "in s, not in m"},
        {"model: m\nstep: 1 s\n", 2, 7, "between 5e-05 and 0.1 s, not 1"},
        {"model: m\nstep: 1 ms\ndeadline: 2 ms\n", 3, 11, "between 1e-05 and 0.001 s"},
        {"model: m\nstep: 1 ms\npriority: 99\n", 3, 11, "from 1 to 98"},
        {"model: m\nstep: 1 ms\npace: fast\n", 3, 7, "fast"},
        {"model: m\nstep: 1 ms\nformulation: index4\n", 3, 14, "'index4'; it is one of: index3"},
        {"model: m\nstep: 1 ms\non-miss: skipp\n", 3, 10, "skip"},
        {"model: m\nstep: 1 ms\nspin: 200 us\n", 3, 7, "spin"},
        {"model: m\nstep: 1 ms\ntrip: {misses: 300}\n", 3, 16, "from 0 to 256"},
        {"model: m\nstep: 1 ms\ntrip: 3\n", 3, 7, "must be a map"},
        {"model: m\nstep: 1 ms\ncommands: {action: coast}\n", 3, 20, "coast"},
        {"model: m\nstep: 1 ms\nservices: {opcau: }\n", 3, 12, "did you mean 'opcua'?"},
        {"model: m\nstep: 1 ms\nservices: {opcua: 4840}\n", 3, 19, "must be a map"},
        {"model: m\nstep: 1 ms\nauthority: {preempt: [nobody]}\n", 3, 12, "'nobody' is no service"},
        {"model: m\nstep: 1 ms\ncore: x\n", 3, 7, "core"},
        {"model: m\nstep: 1 ms\nservice-cores: 0\n", 3, 16, "must be a list"},
        {"model: m\nstep: 1 ms\nservice-cores: []\n", 3, 16, "must name a core at least"},
        {"model: m\nstep: 1 ms\nservice-cores: [0, -1]\n", 3, 20, "from 0 to 1023"},
        {"model: m\nstep: 1 ms\ncore: 1\nservice-cores: [0, 1]\n", 4, 20, "core 1 is the step's"},
        {"model: m\nstep: 1 ms\ndrive: {left: {rate: 1}}\n", 3, 9, "'actuator' is missing"},
        {LANE "{address: here}}}\n", 3, 38, "a number like 127.0.0.1"},
        {LANE "{address: 192.168.1.2}}}\n", 3, 38, "'keys' is missing"},
        {LANE "{address: 239.0.0.22}}}\n", 3, 38, "'keys' is missing"},
        {LANE "{every: 0}}}\n", 3, 36, "from 1 to 10000"},
        {LANE "{port: 80}}}\n", 3, 35, "from 1024 to 65535"},
        {LANE "{publisher: 65536}}}\n", 3, 40, "from 1 to 65535"},
        {LANE "{publishers: 1}}}\n", 3, 29, "did you mean 'publisher'?"},
        {LANE "4841}}\n", 3, 28, "must be a map"},
        {LANE "{commands: {}}}}\n", 3, 29, "'port' is missing"},
        {LANE "{commands: {port: 5000, address: 0.0.0.0}}}}\n", 3, 61, "on the loopback only"},
        {LANE "{commands: {port: 5000, address: 10.0.0.1}}}}\n", 3, 61, "on the loopback only"},
        {LANE "{port: 5000, commands: {port: 5000}}}}\n", 3, 51, "give one of them another port"},
        {"[1, 2]\n", 1, 1, "must be a map"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct read r;
        read_text(&r, CASE[i].text);
        if (r.status != STATUS_REFUSED || r.diags.n < 1) fail_msg("accepted: %s", CASE[i].text);
        if (!strstr(r.diags.item[0].text, CASE[i].says))
            fail_msg("%sgives '%s', not '%s'", CASE[i].text, r.diags.item[0].text, CASE[i].says);
        if (r.diags.item[0].line != CASE[i].line || r.diags.item[0].column != CASE[i].column)
            fail_msg("%sat %d:%d, not %d:%d", CASE[i].text, r.diags.item[0].line,
                     r.diags.item[0].column, CASE[i].line, CASE[i].column);
        forget(&r);
    }
}

static void all_mistakes_of_a_file_are_named_at_once(void **state)
{
    struct read r;

    (void)state;
    read_text(&r, "modell: m\nstep: 2 s\npace: fast\ntrip: {window: 0}\n");
    assert_int_equal(r.diags.n_errors, 5);
    forget(&r);
}

/* The made-up model has 3 actuators without names of their own. */
static void a_rig_must_fit_its_model(void **state)
{
    struct testrig_model model;
    struct rig_command command[TESTRIG_ACTUATORS];
    struct read r;

    (void)state;
    testrig_model(&model);
    strcpy(model.text, "steer");
    for (int i = 0; i < TESTRIG_ACTUATORS; i++) model.actuator[i].name = i == 1 ? 0 : 20;
    read_text(&r, "model: m\nstep: 1 ms\nactuators: {steer: {action: zero}}\niterations: 2\n");
    assert_int_equal(rig_bind(&r.rig, &model.m, &r.diags, command), STATUS_OK);
    assert_int_equal(command[0].action, RIG_RAMP);
    assert_int_equal(command[1].action, RIG_ZERO);
    forget(&r);

    read_text(&r, "model: m\nstep: 1 ms\nactuators: {stear: {action: zero}}\niterations: 4\n");
    assert_int_equal(rig_bind(&r.rig, &model.m, &r.diags, command), STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 2);
    assert_non_null(strstr(r.diags.item[0].text, "did you mean 'steer'?"));
    assert_int_equal(r.diags.item[0].line, 3);
    assert_non_null(strstr(r.diags.item[1].text, "above the model's bound of 3"));
    assert_int_equal(r.diags.item[1].line, 4);
    forget(&r);

    read_text(&r,
              "model: m\nstep: 1 ms\ndrive: {left: {actuator: stear, rate: 1}}\nshow: [tip.x]\n");
    assert_int_equal(rig_bind(&r.rig, &model.m, &r.diags, command), STATUS_REFUSED);
    assert_int_equal(r.diags.n_errors, 2);
    assert_non_null(strstr(r.diags.item[0].text, "no actuator 'stear'; did you mean 'steer'?"));
    assert_int_equal(r.diags.item[0].line, 3);
    assert_non_null(strstr(r.diags.item[1].text, "no sensor 'tip'"));
    assert_int_equal(r.diags.item[1].line, 4);
    forget(&r);

    model.actuator[1].lower = 1;
    read_text(&r, "model: m\nstep: 1 ms\nactuators: {steer: {action: zero}}\n");
    assert_int_equal(rig_bind(&r.rig, &model.m, &r.diags, command), STATUS_REFUSED);
    assert_non_null(strstr(r.diags.item[0].text, "outside its range 1 ... 10"));
    forget(&r);
}

static const char *word(const char *words, int i, char *out)
{
    while (i-- > 0) words += strcspn(words, " ") + 1;
    memcpy(out, words, strcspn(words, " "));
    out[strcspn(words, " ")] = 0;
    return out;
}

/* The file's words are in the order of the enums of rt. */
static void words_and_enums_agree(void **state)
{
    char w[32];

    (void)state;
    int n = 1;
    for (const char *c = RIG_FORMULATIONS; *c; c++) n += *c == ' ';
    for (int i = 0; i < n; i++) assert_string_equal(word(RIG_FORMULATIONS, i, w), METHOD[i]->name);
    assert_null(METHOD[n]);
    for (int i = 0; i < PACE_COUNT; i++)
        assert_string_equal(word(RIG_PACES, i, w), name_pace((uint32_t)i));
    for (int i = 0; i < POLICY_COUNT; i++)
        assert_string_equal(word(RIG_POLICIES, i, w), name_policy((uint32_t)i));
    assert_string_equal(word(RIG_ACTIONS, SAFE_ZERO, w), "zero");
    assert_string_equal(word(RIG_ACTIONS, SAFE_HOLD, w), "hold");
    assert_string_equal(word(RIG_ACTIONS, SAFE_RAMP, w), "ramp");
}

static int refuse_nth(void *context) { return --*(int *)context == 0; }

/* The n-th piece of memory is refused, for every n: never a crash, always the status. */
static void running_out_of_memory_is_said(void **state)
{
    static const char TEXT[] = "model: m\nstep: 1 ms\nparameters: {n: 1}\nactuators: {a: {}}\n"
                               "services: {null: }\nauthority: {preempt: [opcua]}\n"
                               "drive: {left: {actuator: a, rate: 1}}\nshow: [tip]\n";
    int n, done = 0;

    (void)state;
    for (n = 1; !done && n < 1000; n++) {
        int left = n;
        struct memory memory = {.refuse = refuse_nth, .context = &left};
        struct diag_list diags = {0};
        struct rig rig;
        enum status s = rig_read_text("r", TEXT, strlen(TEXT), &memory, &diags, &rig);
        done = left > 0;
        assert_int_equal(s, done ? STATUS_OK : STATUS_NO_MEMORY);
        memory_release(&memory);
        diag_clear(&diags);
    }
    assert_true(done && n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_manual),
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(the_fast_lane_is_off_until_its_key_is_there),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(all_mistakes_of_a_file_are_named_at_once),
        cmocka_unit_test(a_rig_must_fit_its_model),
        cmocka_unit_test(words_and_enums_agree),
        cmocka_unit_test(running_out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
