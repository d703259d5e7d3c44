/* The car one can drive (config/models/car-drive.yaml) against closed forms of vehicle dynamics:
 * braking distance, understeer of the bicycle model, step steer, standstill, hill and bump. */
#include "tests/physics/model_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char MODEL[] = "config/models/car-drive.yaml";
static const double G = 9.81, BASE = 2.579, DEG = M_PI / 180;
static const double MASS = 1116, INERTIA = 2135, AHEAD = 1.1681, BEHIND = 1.4109, LAG = 0.3,
                    TRAIL = 0.03;
enum { STEERING = 0, THROTTLE = 1, BRAKE = 2 };

static void open_with(struct model_run *p, const char *const *sets, int n)
{
    struct trial_options o = model_run_options(1e-3);
    o.load = (struct load_options){.sets = sets, .n_sets = n};
    model_run_open(p, MODEL, &o);
}

static void command(struct model_run *p, int actuator, double si)
{
    p->trial.mechanism.ws.command[actuator] = si;
}

/* Sensors in km/h, in m/s. */
static double speed(struct model_run *p, const char *name) { return model_run_see(p, name) / 3.6; }

/* The file's preloads are those of the balance by hand: nothing moves at the start. */
static void the_car_is_drawn_at_rest(void **state)
{
    (void)state;
    struct model_run p;
    open_with(&p, NULL, 0);
    model_run_until(&p, 3);
    model_run_within("z", model_run_see(&p, "position.z"), 0.61 - 1e-5, 0.61 + 1e-5);
    model_run_within("front load",
                     model_run_see(&p, "front-left/tyre.z") +
                         model_run_see(&p, "front-right/tyre.z"),
                     2 * 2994.675 - 0.5, 2 * 2994.675 + 0.5);
    model_run_within("the energy balance, J", p.trial.figures.balance_max, 0, 1e-3);
    model_run_close(&p);
}

/* Locked wheels slide with mu N: v²/(2 mu g), 45.87 m from 30 m/s. The wheels take 50 ms to
 * lock, in which the force builds up: within 2 %. Then it stands: pitching dies out with 2.5 1/s,
 * e^-22 in 9 s, and there is neither creep nor chatter. */
static void full_braking_takes_the_distance_of_sliding_and_ends_at_rest(void **state)
{
    (void)state;
    static const char *const SETS[] = {"speed=30"};
    struct model_run p;
    open_with(&p, SETS, 1);
    command(&p, BRAKE, 2000);
    while (model_run_see(&p, "velocity.x") > 0) model_run_until(&p, trial_time(&p.trial) + 1e-3);
    double way = 30 * 30 / (2 * G);
    model_run_within("the distance, m", model_run_see(&p, "position.x"), 0.98 * way, 1.02 * way);
    model_run_within("sideways, m", model_run_see(&p, "position.y"), -0.05, 0.05);
    model_run_until(&p, trial_time(&p.trial) + 9);
    double x = model_run_see(&p, "position.x");
    for (int i = 0; i < 1000; i++) {
        model_run_until(&p, trial_time(&p.trial) + 1e-3);
        model_run_within("the speed at rest", model_run_see(&p, "velocity.x"), -1e-5, 1e-5);
    }
    model_run_within("the creep, m", model_run_see(&p, "position.x") - x, -1e-6, 1e-6);
    model_run_close(&p);
}

/* Linear part Q of the brush that gives the force F, both over the load: mu = 1. */
static double brush(double F)
{
    double Q = F;
    for (int i = 0; i < 50; i++) Q = F / (1 - Q / 3 + Q * Q / 27);
    return Q;
}

struct request_scope {
    double speed, yaw, steer;
};

/* Steering wheel held; what is left after 6 s. */
static struct request_scope steady_turn(const char *speed, double wheel_deg)
{
    struct model_run p;
    open_with(&p, &speed, 1);
    command(&p, STEERING, wheel_deg * DEG);
    model_run_until(&p, 6);
    double left = model_run_see(&p, "front-left/tyre.z"),
           right = model_run_see(&p, "front-right/tyre.z");
    struct request_scope t = {
        hypot(model_run_see(&p, "velocity.x"), model_run_see(&p, "velocity.y")),
        model_run_see(&p, "turning.z"),
        DEG / (left + right) *
            (left * model_run_see(&p, "front-left-steer") +
             right * model_run_see(&p, "front-right-steer"))};
    model_run_within("the drift", p.trial.figures.error_max[0], 0, 1e-10);
    model_run_close(&p);
    return t;
}

/* Trail of the brush at its linear part Q over the load. */
static double trail(double Q)
{
    double r = Q / 3;
    return TRAIL * (1 - r) * (1 - r) * (1 - r) / (1 - r + r * r / 3);
}

/* Slip of the front less slip of the rear at lateral acceleration a, in g: F_f + F_r = m a, and the
 * moments with the trails: (AHEAD - e_f) F_f = (BEHIND + e_r) F_r. */
static double understeer(double a)
{
    double front = a, rear = a, e_f = trail(a), e_r = trail(a);
    for (int i = 0; i < 20; i++) {
        double base = BASE - e_f + e_r;
        front = brush(a * BASE / BEHIND * (BEHIND + e_r) / base);
        rear = brush(a * BASE / AHEAD * (AHEAD - e_f) / base);
        e_f = trail(front), e_r = trail(rear);
    }
    return front / 14 - rear / 17;
}

/* Steer = L/R + slip of the front - slip of the rear; without trails it is (1/c_f - 1/c_r) Q(a/g).
 * Lateral forces go with the loads, so the load transfer drops out of them; the steer of the two
 * wheels, which differs by the tie rods' arcs, is the mean by load. Finite angles and roll, which
 * go with a², are left out: some 1 % at 0.17 g. */
static void the_car_understeers_as_the_bicycle_model(void **state)
{
    (void)state;
    static const char *const SPEED[] = {"speed=15", "speed=20", "speed=25"};
    static const double WHEEL[] = {20, 12, 8};
    for (int i = 0; i < 3; i++) {
        struct request_scope t = steady_turn(SPEED[i], WHEEL[i]);
        double a = t.speed * t.yaw / G, beyond = t.steer - BASE * t.yaw / t.speed;
        model_run_within("the understeer, of its closed form", beyond / understeer(a), 0.97, 1.03);
        /* the trails are a fifth of it */
        model_run_within("and without trails", beyond / ((1. / 14 - 1. / 17) * brush(a)), 1.1, 1.3);
    }
}

/* The bicycle with tyres that lag by their relaxation length; forces per steer of the file. */
struct bicycle {
    double side, yaw, front, rear;
};

static struct bicycle ride(struct bicycle b, double u, double steer, double h)
{
    double load_f = MASS * G * BEHIND / BASE, load_r = MASS * G * AHEAD / BASE;
    double slip_f = steer - (b.side + AHEAD * b.yaw) / u, slip_r = -(b.side - BEHIND * b.yaw) / u;
    return (struct bicycle){b.side + h * ((b.front + b.rear) / MASS - u * b.yaw),
                            b.yaw + h * ((AHEAD - TRAIL) * b.front - (BEHIND + TRAIL) * b.rear) /
                                        INERTIA,
                            b.front + h * u / LAG * (14 * load_f * slip_f - b.front),
                            b.rear + h * u / LAG * (17 * load_r * slip_r - b.rear)};
}

/* 8 degrees at the steering wheel, 20 m/s. The bicycle gets the steer the front wheels have; it
 * knows no roll, which delays the forces on a body 0.6 m above the ground: 6 % of the final rate
 * while it builds up, 3 % at the end (the brush is 4 % softer at 0.1 g, on both axles). */
static void a_step_of_steering_turns_the_car_as_the_bicycle(void **state)
{
    (void)state;
    static const char *const SETS[] = {"speed=20"};
    struct model_run p;
    struct bicycle b = {0};
    double worst = 0;
    open_with(&p, SETS, 1);
    command(&p, STEERING, 8 * DEG);
    for (int i = 1; i <= 2500; i++) {
        model_run_until(&p, i * 1e-3);
        double steer = 0.5 * DEG *
                       (model_run_see(&p, "front-left-steer") +
                        model_run_see(&p, "front-right-steer"));
        for (int k = 0; k < 10; k++) b = ride(b, 20, steer, 1e-4);
        worst = fmax(worst, fabs(b.yaw - model_run_see(&p, "turning.z")));
    }
    model_run_within("the greatest difference over the final rate", worst / b.yaw, 0, 0.06);
    model_run_within("the final rate over the bicycle's", model_run_see(&p, "turning.z") / b.yaw,
                     0.97, 1.03);
    model_run_close(&p);
}

/* ---- the ground ---- */

/* A tyre on a test bench: carried along at 20 m/s with a slip angle, its height held. Q = c N tan,
 * F = Q (1 - r + r²/3), torque = trail (1 - r)³ Q, r = Q/(3 mu N), after 10 relaxation lengths.
 * Above Q = 3 mu N it slides: F = mu N, no torque. Rounding, and e^-20 of the start. */
static void a_tyre_at_a_slip_angle_aligns_as_the_brush_says(void **state)
{
    (void)state;
    static const double ANGLE[] = {0.5, 2, 5, 10, 14};
    for (size_t i = 0; i < sizeof ANGLE / sizeof ANGLE[0]; i++) {
        char text[1500];
        double a = ANGLE[i] * DEG, N = 3000, Q = 15 * N * tan(a), r = Q / (3 * N);
        double F = r < 1 ? Q * (1 - r + r * r / 3) : N, M = r < 1 ? 0.03 * pow(1 - r, 3) * Q : 0;
        struct model_run p;
        struct trial_options o = model_run_options(1e-3);
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  carriage: {mass: 1000, inertia: [100, 100, 100], position: [0, 0, 0.32]}\n"
            "  wheel: {mass: 20, inertia: [1.5, 1.5, 1.5], position: [0, 0, 0.32], velocity: [20, 0, 0], "
            "angular-velocity: [%.12f, %.12f, 0]}\n"
            "joints:\n"
            "  rail: {type: prismatic, between: [ground, carriage], at: [0, 0, 0.32], axis: [1, 0, 0]}\n"
            "  hub: {type: revolute, between: [carriage, wheel], at: [0, 0, 0.32], axis: [%.12f, %.12f, 0]}\n"
            "motions: {go: {joint: rail, value: 20*t}}\n"
            "forces:\n"
            "  tyre: {type: tyre, body: wheel, axle: [%.12f, %.12f, 0], radius: 0.34, "
            "stiffness: 150000, cornering: 15, driving: 20, trail: 0.03, relaxation: 0.3}\n"
            "sensors:\n"
            "  tyre: {type: force, force: tyre}\n"
            "  hub: {type: reaction-torque, joint: hub}\n",
            -sin(a) * 20 * cos(a) / 0.32, cos(a) * 20 * cos(a) / 0.32, -sin(a), cos(a), -sin(a),
            cos(a));
        model_run_open_text(&p, text, &o);
        model_run_until(&p, 0.3);
        model_run_within("the load", model_run_see(&p, "tyre.z"), N - 1e-6, N + 1e-6);
        model_run_within("the sideways force", fabs(model_run_see(&p, "tyre.y")) - F, -1e-5 * N,
                         1e-5 * N);
        /* steered to the left: pushed to the left, turned back to the right; y of the joint is down,
         * and the hub holds against it */
        assert_true(model_run_see(&p, "tyre.y") > 0);
        model_run_within("the aligning torque", -model_run_see(&p, "hub.y") - M, -1e-3, 1e-3);
        model_run_close(&p);
    }
}

/* A long hill, coasted up: what it takes from the speed is weight, and rolling masses slow down with
 * it: v² = v0² - 2 m g H/(m + sum J/R²). Four wheels of 1.5 kg m2 and a shaft of 0.05 that turns
 * three times as fast. The bump is (1 - cos), 80 m long, so the car stands on it as on flat ground:
 * the chassis' height is that of the ground under its axles, shared by their distances, and the
 * top's curvature v²/r lifts it by that part of its sag of 142 mm. What is left goes with the
 * square of the slopes between the axles and its own frequency over the hill's: 1e-4 m. */
static void a_hill_takes_its_height_from_the_speed(void **state)
{
    (void)state;
    static const char *const SETS[] = {"speed=8", "bump=0.8", "bump_from=10", "bump_length=80"};
    struct model_run p;
    open_with(&p, SETS, 4);
    while (model_run_see(&p, "position.x") < 50.13)
        model_run_until(&p, trial_time(&p.trial) + 1e-3);
    double R2 = 0.34 * 0.34, rolling = MASS + 4 * 1.5 / R2 + 9 * 0.05 / R2;
    double v = sqrt(64 - 2 * MASS * G * 0.8 / rolling),
           climb = model_run_see(&p, "position.z") - 0.61;
    double axle[2] = {model_run_see(&p, "position.x") + 1.156,
                      model_run_see(&p, "position.x") - 1.423};
    double h[2];
    for (int i = 0; i < 2; i++) h[i] = 0.4 * (1 - cos(2 * M_PI * (axle[i] - 10) / 80));
    model_run_within("the speed on top", speed(&p, "speed.x"), v - 0.01, v + 0.01);
    double lift = 0.1424 * v * v * 0.4 * pow(2 * M_PI / 80, 2) / G;
    model_run_within("the climb", climb - lift - (1.423 * h[0] + 1.156 * h[1]) / 2.579, -3e-4,
                     3e-4);
    while (model_run_see(&p, "position.x") < 95) model_run_until(&p, trial_time(&p.trial) + 1e-3);
    model_run_within("the speed beyond", speed(&p, "speed.x"), 8 - 0.01, 8 + 0.01);
    model_run_within("the energy balance, J", p.trial.figures.balance_max, 0, 5);
    model_run_close(&p);
}

/* The car seen from the side, linear: heave, pitch (nose down), front and rear wheels. A mass at
 * z = c.y adds m c c' to M; a spring over c.y adds k c c'. */
enum { DOF = 4 };

struct half_car {
    double M[DOF][DOF], K[DOF][DOF], C[DOF][DOF], tyre[2], tyre_damping[2], load[2];
    double y[DOF], v[DOF];
};

static void add(double A[DOF][DOF], double k, const double c[DOF])
{
    for (int i = 0; i < DOF; i++)
        for (int j = 0; j < DOF; j++) A[i][j] += k * c[i] * c[j];
}

/* Between the chassis at x and the wheel of axle a, `part` of the way to the wheel. */
static void between(double c[DOF], int a, double x, double part)
{
    c[0] = 1 - part, c[1] = -x * (1 - part);
    c[2] = a ? 0 : part, c[3] = a ? part : 0;
}

static void add_axle(struct half_car *s, int a, double hub, double k, double d, double load)
{
    double c[DOF], e[DOF], pivot = hub + 0.45, leg = hub + 0.09;
    between(c, a, pivot, 1);
    add(s->M, 2 * (18 + 6), c); /* wheels and knuckles, which stay upright */
    between(c, a, pivot, 0.25 / 0.45);
    add(s->M, 2 * 12, c);
    between(c, a, pivot, 1), between(e, a, pivot, 0);
    for (int i = 0; i < DOF; i++) c[i] = (c[i] - e[i]) / 0.45;
    add(s->M, 2 * 0.3, c); /* the arms turn */
    between(c, a, pivot, 0.8);
    add(s->M, 2 * 3, c);
    between(e, a, leg, 0);
    add(s->M, 2 * 4, e);
    for (int i = 0; i < DOF; i++) c[i] -= e[i];
    add(s->K, 2 * k, c), add(s->C, 2 * d, c);
    s->tyre[a] = 2 * 158300, s->tyre_damping[a] = 0.1 * 2 * load, s->load[a] = 2 * load;
    s->K[2 + a][2 + a] += s->tyre[a], s->C[2 + a][2 + a] += s->tyre_damping[a];
}

static void make_half_car(struct half_car *s)
{
    static const double HEAVE[DOF] = {1}, PITCH[DOF] = {0, 1};
    static const double AT[][2] = {{4, 1.036}, {2, 0.6}, {8, -1}};
    memset(s, 0, sizeof *s);
    add(s->M, 930, HEAVE), add(s->M, 1560, PITCH);
    for (int i = 0; i < 3; i++) add(s->M, AT[i][0], (double[DOF]){1, -AT[i][1]});
    add_axle(s, 0, 1.156, 38000, 2800, 2994.675);
    add_axle(s, 1, -1.423, 30500, 2580, 2479.305);
}

/* Solve M a = f by elimination. */
static void solve(const struct half_car *s, double f[DOF])
{
    double A[DOF][DOF];
    memcpy(A, s->M, sizeof A);
    for (int k = 0; k < DOF; k++)
        for (int i = k + 1; i < DOF; i++) {
            double part = A[i][k] / A[k][k];
            for (int j = k; j < DOF; j++) A[i][j] -= part * A[k][j];
            f[i] -= part * f[k];
        }
    for (int i = DOF - 1; i >= 0; i--) {
        for (int j = i + 1; j < DOF; j++) f[i] -= A[i][j] * f[j];
        f[i] /= A[i][i];
    }
}

/* Semi-implicit Euler, 20 us: first order, far below what is compared. h, h1: height of the ground
 * under the axles and its rate; slope: pushes the wheels back, 0.27 m below the mass centre. */
static void roll(struct half_car *s, const double h[2], const double h1[2], const double slope[2],
                 double dt)
{
    double f[DOF] = {0};
    for (int i = 0; i < DOF; i++)
        for (int j = 0; j < DOF; j++) f[i] -= s->K[i][j] * s->y[j] + s->C[i][j] * s->v[j];
    for (int a = 0; a < 2; a++) {
        f[2 + a] += s->tyre[a] * h[a] + s->tyre_damping[a] * h1[a];
        f[1] += 0.27 * s->load[a] * slope[a];
    }
    solve(s, f);
    for (int i = 0; i < DOF; i++) s->v[i] += dt * f[i], s->y[i] += dt * s->v[i];
}

static double ground(double x, double *slope)
{
    double part = (x - 10) / 3, on = part > 0 && part < 1;
    *slope = on * M_PI * 0.03 / 3 * sin(2 * M_PI * part);
    return on * 0.015 * (1 - cos(2 * M_PI * part));
}

/* A bump of 30 mm, 3 m long, at 10 m/s. The half car is linear and knows neither the arms' arcs nor
 * the wheels' way in x; 5 % of the peaks. */
static void a_bump_shakes_the_car_as_it_shakes_a_half_car(void **state)
{
    (void)state;
    static const char *const SETS[] = {"speed=10", "bump=0.03", "bump_from=10", "bump_length=3"};
    struct half_car s;
    struct model_run p;
    double worst[3] = {0}, peak[3] = {0};
    make_half_car(&s);
    open_with(&p, SETS, 4);
    for (int n = 1; n <= 2500; n++) {
        double x = model_run_see(&p, "position.x"), v = speed(&p, "speed.x");
        for (int k = 0; k < 50; k++) {
            double slope[2], h[2], h1[2];
            for (int a = 0; a < 2; a++) {
                h[a] = ground(x + k * 2e-5 * v + (a ? -1.423 : 1.156), &slope[a]);
                h1[a] = slope[a] * v;
            }
            roll(&s, h, h1, slope, 2e-5);
        }
        model_run_until(&p, n * 1e-3);
        double leg = 0.8 * s.y[2] + 0.2 * (s.y[0] - 1.606 * s.y[1]) - (s.y[0] - 1.246 * s.y[1]);
        double pitch = 2 * asin(model_run_see(&p, "attitude.y"));
        double right[3] = {s.y[0], -leg, s.y[1]};
        double seen[3] = {model_run_see(&p, "position.z") - 0.61,
                          model_run_see(&p, "front-left/damper/travel") * 1e-3 - 0, pitch};
        for (int i = 0; i < 3; i++) {
            worst[i] = fmax(worst[i], fabs(seen[i] - right[i]));
            peak[i] = fmax(peak[i], fabs(right[i]));
        }
    }
    model_run_within("the peak of the chassis, m", peak[0], 0.01, 0.04);
    model_run_within("its difference", worst[0] / peak[0], 0, 0.05);
    model_run_within("of the leg's travel", worst[1] / peak[1], 0, 0.05);
    model_run_within("of the pitch", worst[2] / peak[2], 0, 0.05);
    model_run_within("the energy balance, J", p.trial.figures.balance_max, 0, 5);
    model_run_close(&p);
}

/* The sensors of the driver, in a turn to the left: ahead, sideways, yaw and felt acceleration go
 * together as in a steady turn, v w; wheels roll, the outer ones faster. */
static void sensors_of_the_driver_agree_in_a_turn(void **state)
{
    (void)state;
    static const char *const SETS[] = {"speed=15"};
    struct model_run p;
    open_with(&p, SETS, 1);
    command(&p, STEERING, 20 * DEG);
    model_run_until(&p, 6);
    double v = speed(&p, "speed.x"), w = model_run_see(&p, "turning.z");
    model_run_within("the speed",
                     hypot(v, speed(&p, "speed.y")) -
                         hypot(model_run_see(&p, "velocity.x"), model_run_see(&p, "velocity.y")),
                     -1e-3, 1e-3); /* roll and pitch tilt the car's axes: 1e-4 */
    /* felt: v w and the weight's part along the rolled axis */
    double roll = 2 * (model_run_see(&p, "attitude.x") * model_run_see(&p, "attitude.w") +
                       model_run_see(&p, "attitude.y") * model_run_see(&p, "attitude.z"));
    model_run_within("the felt acceleration", model_run_see(&p, "felt.y") / (v * w + G * roll),
                     0.99, 1.01);
    model_run_within("inner wheel", model_run_see(&p, "rear-left/wheel") * 0.34 / (v - 0.68 * w),
                     0.99, 1.01);
    model_run_within("outer wheel", model_run_see(&p, "rear-right/wheel") * 0.34 / (v + 0.68 * w),
                     0.99, 1.01);
    model_run_within("the outer leg is shorter, mm",
                     model_run_see(&p, "front-right/damper/travel") -
                         model_run_see(&p, "front-left/damper/travel"),
                     -100, -1);
    model_run_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_car_is_drawn_at_rest),
        cmocka_unit_test(full_braking_takes_the_distance_of_sliding_and_ends_at_rest),
        cmocka_unit_test(the_car_understeers_as_the_bicycle_model),
        cmocka_unit_test(a_step_of_steering_turns_the_car_as_the_bicycle),
        cmocka_unit_test(a_tyre_at_a_slip_angle_aligns_as_the_brush_says),
        cmocka_unit_test(a_hill_takes_its_height_from_the_speed),
        cmocka_unit_test(a_bump_shakes_the_car_as_it_shakes_a_half_car),
        cmocka_unit_test(sensors_of_the_driver_agree_in_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
