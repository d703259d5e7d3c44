/* Contacts: a ball never bounces higher than it fell, slides and rolls as mechanics says,
 * and a braked bicycle comes to rest and stays there. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A ball of 1 kg dropped on a floor whose stiffness makes a contact last `steps` steps. */
static void open_ball(struct model_run *p, double steps, double damping, double height)
{
    char text[1024];
    struct trial_options o = model_run_options(1e-3);
    double w = M_PI / (steps * 1e-3);
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, %.17g]}}\n"
        "forces: {floor: {type: sphere-contact, body: ball, radius: 0.1, stiffness: %.17g, damping: %g}}\n"
        "sensors: {ball: {type: position, body: ball}, energy: {type: energy}}\n",
        height, w * w, damping);
    model_run_open_text(p, text, &o);
}

/* In flight the rule keeps energy to rounding, so any growth from one flight to the next is
 * the contact's; heights are varied so that contacts begin and end at any part of a step. */
static void an_elastic_ball_never_gains_energy_in_a_bounce(void **state)
{
    (void)state;
    static const double STEPS[] = {3.003, 4, 5.5, 8, 10, 13, 20, 40};
    for (size_t n = 0; n < sizeof STEPS / sizeof STEPS[0]; n++)
        for (double height = 0.3; height < 0.7; height += 0.0317) {
            struct model_run p;
            open_ball(&p, STEPS[n], 0, height);
            double least = model_run_see(&p, "energy"), start = least;
            for (int i = 0; i < 3000; i++) {
                model_run_until(&p, i * 1e-3);
                if (model_run_see(&p, "ball.z") < 0.1) continue;
                model_run_within("the energy gained in a bounce",
                                 model_run_see(&p, "energy") - least, -start, 1e-11);
                least = fmin(least, model_run_see(&p, "energy"));
            }
            assert_true(p.trial.figures.redone > 0);
            model_run_close(&p);
        }
}

/* From ten steps on a bounce takes little: at least 0.93 of the energy stays per bounce, of
 * which there are at most twelve here. */
static void an_elastic_ball_loses_little_when_its_contacts_are_resolved(void **state)
{
    (void)state;
    for (double height = 0.3; height < 0.7; height += 0.0317) {
        struct model_run p;
        open_ball(&p, 20, 0, height);
        double start = 9.81 * (height - 0.1);
        model_run_until(&p, 5);
        model_run_within("the part of the energy left",
                         (model_run_see(&p, "energy") - 0.981) / start, 0.93, 1);
        model_run_close(&p);
    }
}

/* Sinking by m g/k at rest, also where a contact lasts three steps only. */
static void a_damped_ball_comes_to_rest(void **state)
{
    (void)state;
    for (double steps = 3.01; steps < 30; steps *= 2) {
        struct model_run p;
        open_ball(&p, steps, 0.3, 0.5);
        model_run_until(&p, 12);
        double w = M_PI / (steps * 1e-3), rest = 0.1 - 9.81 / (w * w), worst = 0;
        for (double t = 12; t < 13; t += 1e-3) {
            model_run_until(&p, t);
            worst = fmax(worst, fabs(model_run_see(&p, "ball.z") - rest));
        }
        model_run_within("the height beyond that of rest", worst, 0, 2e-4);
        model_run_close(&p);
    }
}

static const char BOWLING[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {ball: {mass: 2, sphere: {radius: 0.1}, position: [0, 0, 0.1 - 9.81*2/1e5], velocity: [7, 0, 0], angular-velocity: [0, 0, 0]}}\n"
    "forces: {floor: {type: sphere-contact, body: ball, radius: 0.1, stiffness: 1e5, friction: 0.2}}\n"
    "sensors:\n"
    "  x: {type: position, body: ball}\n"
    "  v: {type: velocity, body: ball}\n"
    "  w: {type: angular-velocity, body: ball}\n";

/* A ball thrown at 7 m/s without spin slides for 2 v/(7 mu g) = 1.019 s and rolls on with
 * 5/7 of its speed. The friction law is softened over 1 mm/s and the ball is 0.2 mm lower
 * than its radius: 0.2 %. */
static void a_sliding_ball_ends_rolling_with_five_sevenths_of_its_speed(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(&p, BOWLING, &o);
    model_run_until(&p, 0.5);
    model_run_within("the speed while it slides", model_run_see(&p, "v.x"),
                     (7 - 0.2 * 9.81 * 0.5) * 0.998, (7 - 0.2 * 9.81 * 0.5) * 1.002);
    model_run_until(&p, 1.5);
    model_run_within("the speed it rolls with", model_run_see(&p, "v.x"), 5 * 0.998, 5 * 1.002);
    model_run_within("the slip", model_run_see(&p, "v.x") - 0.1 * model_run_see(&p, "w.y"), -0.02,
                     0.02);
    double before = model_run_see(&p, "v.x");
    model_run_until(&p, 4);
    model_run_within("the speed lost in rolling", before - model_run_see(&p, "v.x"), -1e-4, 0.02);
    model_run_close(&p);
}

/* A ball that rolls down a plane of 20 degrees: 5/7 g sin. */
static void a_ball_rolls_down_a_slope_with_five_sevenths_of_its_pull(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(
        &p,
        "gravity: [0, 0, -9.81]\n"
        "parameters: {s: sin(20 deg), c: cos(20 deg), z: 0.1 - 9.81*2*c/1e5}\n"
        "bodies: {ball: {mass: 2, sphere: {radius: 0.1}, position: [s*z, 0, c*z]}}\n"
        "forces: {floor: {type: sphere-contact, body: ball, radius: 0.1, stiffness: 1e5, friction: 0.5,\n"
        "                 normal: [s, 0, c]}}\n"
        "sensors: {v: {type: velocity, body: ball}}\n",
        &o);
    model_run_until(&p, 2);
    double v = hypot(model_run_see(&p, "v.x"), model_run_see(&p, "v.z")),
           wanted = 5. / 7 * 9.81 * sin(M_PI / 9) * 2;
    model_run_within("the speed after 2 s", v, wanted * 0.996, wanted * 1.004);
    model_run_close(&p);
}

/* A bicycle that rolls at 10 m/s, braked by friction in both hubs. */
static const char BICYCLE[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {r: 0.3, v: 10, k: 5e4, sag: 9.81*50/k, mu: 0.8, front: 40, rear: 25}\n"
    "bodies:\n"
    "  frame: {mass: 80, inertia: [4, 8, 8], position: [0, 0, 0.9 - sag], velocity: [v, 0, 0], angular-velocity: [0, 0, 0]}\n"
    "  front: {mass: 10, inertia: [0.3, 0.5, 0.3], position: [0.6, 0, r - sag], velocity: [v, 0, 0], angular-velocity: [0, v/r, 0]}\n"
    "  rear: {mass: 10, inertia: [0.3, 0.5, 0.3], position: [-0.6, 0, r - sag], velocity: [v, 0, 0], angular-velocity: [0, v/r, 0]}\n"
    "joints:\n"
    "  upright: {type: planar, between: [ground, frame], at: [0, 0, 0.9 - sag], axis: [0, 1, 0]}\n"
    "  front-hub: {type: revolute, between: [frame, front], at: [0.6, 0, r - sag], axis: [0, 1, 0]}\n"
    "  rear-hub: {type: revolute, between: [frame, rear], at: [-0.6, 0, r - sag], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  front-road: {type: wheel-contact, body: front, radius: r, stiffness: k, damping: 0.5, friction: mu, axle: [0, 1, 0]}\n"
    "  rear-road: {type: wheel-contact, body: rear, radius: r, stiffness: k, damping: 0.5, friction: mu, axle: [0, 1, 0]}\n"
    "  front-brake: {type: friction, joint: front-hub, constant: front}\n"
    "  rear-brake: {type: friction, joint: rear-hub, constant: rear}\n"
    "sensors:\n"
    "  x: {type: position, body: frame}\n"
    "  v: {type: velocity, body: frame}\n"
    "  front: {type: joint-speed, joint: front-hub}\n"
    "  rear: {type: joint-speed, joint: rear-hub}\n"
    "  road: {type: force, force: front-road}\n"
    "  energy: {type: energy}\n";

/* At rest: nothing moves by more than a few micrometres in the last second but for the
 * springs' own pitching, which dies out. */
static void check_rest(struct model_run *p, double from)
{
    model_run_until(p, from);
    double x = model_run_see(p, "x.x"), worst = 0;
    for (int i = 1; i <= 1000; i++) {
        model_run_until(p, from + i * 1e-3);
        worst = fmax(worst, fabs(model_run_see(p, "v.x")));
    }
    model_run_within("the creep in a second", fabs(model_run_see(p, "x.x") - x), 0, 2e-6);
    model_run_within("the speed at rest", worst, 0, 5e-5);
    const struct trial_figures *f = &p->trial.figures;
    model_run_within("the mean of iterations", (double)f->iterations / (double)f->steps, 1, 1.5);
}

/* 65 N m at 0.3 m on 100 kg and two wheels of 0.5 kg m2: 1.95 m/s2. The frame starts to
 * pitch when the brakes grip, which costs some centimetres: 0.2 %. */
static void a_braked_bicycle_stops_where_its_brakes_say_and_stays(void **state)
{
    (void)state;
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    model_run_open_text(&p, BICYCLE, &o);
    double slow = 65 / 0.3 / (100 + 2 * 0.5 / 0.09), way = 100 / (2 * slow);
    model_run_until(&p, 4);
    model_run_within("the speed at 4 s", model_run_see(&p, "v.x"), (10 - 4 * slow) * 0.998,
                     (10 - 4 * slow) * 1.002);
    model_run_until(&p, 8);
    model_run_within("the way to rest", model_run_see(&p, "x.x"), way * 0.998, way * 1.002);
    check_rest(&p, 14); /* the tyres hold: pitching dies by their damping alone */
    model_run_close(&p);
}

/* Wheels locked on a slippery road: mu g, v²/(2 mu g) within 1 %. */
static void a_bicycle_with_locked_wheels_slides_to_rest(void **state)
{
    (void)state;
    static const char *const SETS[] = {"mu=0.4", "front=1000", "rear=1000"};
    struct model_run p;
    struct trial_options o = model_run_options(1e-3);
    o.load = (struct load_options){.sets = SETS, .n_sets = 3};
    model_run_open_text(&p, BICYCLE, &o);
    double way = 100 / (2 * 0.4 * 9.81);
    model_run_until(&p, 1);
    model_run_within("the turning of the wheel", model_run_see(&p, "front"), -0.01, 0.01);
    model_run_until(&p, 6);
    model_run_within("the way to rest", model_run_see(&p, "x.x"), way * 0.99, way * 1.01);
    check_rest(&p, 11);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elastic_ball_never_gains_energy_in_a_bounce),
        cmocka_unit_test(an_elastic_ball_loses_little_when_its_contacts_are_resolved),
        cmocka_unit_test(a_damped_ball_comes_to_rest),
        cmocka_unit_test(a_sliding_ball_ends_rolling_with_five_sevenths_of_its_speed),
        cmocka_unit_test(a_ball_rolls_down_a_slope_with_five_sevenths_of_its_pull),
        cmocka_unit_test(a_braked_bicycle_stops_where_its_brakes_say_and_stays),
        cmocka_unit_test(a_bicycle_with_locked_wheels_slides_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
