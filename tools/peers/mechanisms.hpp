// The mechanisms of the bench as plain numbers, for engines that have no reader of our files:
//   chain    config/models/chain.yaml: revolutes along z, joints and mass centres on y = sin x
//   fourbar  config/models/nfourbar.yaml: n loops of 1 m rods, crank tops at 1 m/s
//   car      config/models/bench-car.yaml: chassis, four corners, wavy road
// A change there must be followed here; solver.sh compares the motions.
#pragma once
#include <cmath>

namespace mechanisms {

struct Point {
    double x, y, z;
};
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline double length(Point a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

struct Inertia {
    double mass, xx, yy, zz; // about the mass centre, along the world's axes at the start
};

constexpr double GRAVITY = 9.81;

// ---- chain: body i hangs on joint i ---------------------------------------------------

inline Point on_sine(int k)
{
    double x = k * M_PI / 16;
    return {x, std::sin(x), 0};
}
inline Point chain_joint(int i) { return on_sine(2 * i); }
inline Point chain_centre(int i) { return on_sine(2 * i + 1); }
constexpr Inertia LINK = {1, 1, 1, 1};

// ---- four-bars: cranks 0..n at (i, 0), couplers 0..n-1 between the tops i and i+1 -------

constexpr Inertia CRANK = {1, 1. / 12, 0.001, 1. / 12}, COUPLER = {1, 0.001, 1. / 12, 1. / 12};

// ---- car: bodies chassis, then per corner lower arm, upper arm, upright, wheel ----------

constexpr Point CHASSIS_AT = {0, 0, 0.5};
constexpr Inertia CHASSIS = {1200, 500, 1800, 2000}, LOWER = {5, 0.05, 0.02, 0.06},
                  UPPER = {3, 0.03, 0.01, 0.03}, UPRIGHT = {12, 0.2, 0.2, 0.2},
                  WHEEL = {18, 0.6, 1, 0.6};
constexpr double SPRING_K = 40e3, SPRING_C = 3e3, PRELOAD = 0.115, SPIN = 30;

struct Corner {
    Point lower, upper, upright, wheel;          // mass centres
    Point lower_hinge, upper_hinge, lower_ball, upper_ball;
    Point toe_chassis, toe_upright, spring_chassis, spring_lower;
    double spring_length, phase;
};

inline Corner corner(int c) // front left, front right, rear left, rear right
{
    const double x = c < 2 ? 1.3 : -1.3, s = c % 2 ? -1 : 1, phase[] = {0, 0.5, 1, 1.7};
    auto at = [=](double dx, double y, double z) { return Point{x + dx, s * y, z}; };
    Corner k = {at(0, 0.525, 0.19), at(-0.01, 0.54, 0.49),  at(0, 0.70, 0.30),
                at(0, 0.75, 0.30),  at(0, 0.35, 0.20),      at(0, 0.42, 0.50),
                at(0, 0.70, 0.18),  at(-0.02, 0.66, 0.48),  at(-0.12, 0.38, 0.25),
                at(-0.12, 0.68, 0.24), at(0, 0.45, 0.60),   at(0, 0.58, 0.19),
                0,                  phase[c]};
    k.spring_length = length(k.spring_chassis - k.spring_lower) + PRELOAD;
    return k;
}

// Force of the road on a wheel whose centre is at p and moves with v.
inline Point tyre(const Corner &k, double t, Point p, Point v)
{
    const double w = 3 * M_PI, grown = std::fmin(t, 0.5);
    double a = 0.5 * (1 - std::cos(2 * M_PI * grown));
    double da = t < 0.5 ? M_PI * std::sin(2 * M_PI * t) : 0;
    double s = std::sin(w * t + k.phase), ds = w * std::cos(w * t + k.phase);
    double z = 0.3166 + 0.03 * a * s, dz = 0.03 * (da * s + a * ds);
    return {-5e3 * v.x, -5e3 * v.y, 200e3 * (z - p.z) + 500 * (dz - v.z)};
}

} // namespace mechanisms
