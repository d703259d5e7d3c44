// Simbody as a contender (contender.h): joint coordinates, O(n) recursion, loops by constraints.
//   simbody chain N | fourbar N | car 4     Runge-Kutta-Merson, fixed step, projection each step
#include <memory>
#include <vector>

#include <Simbody.h>

#include "../bench/contender.h"
#include "mechanisms.hpp"

using namespace SimTK;
namespace me = mechanisms;

static Vec3 vec(me::Point p) { return Vec3(p.x, p.y, p.z); }
// Mass properties of a body whose frame origin lies at -centre from the mass centre.
static Body::Rigid rigid(me::Inertia i, Vec3 centre = Vec3(0))
{
    Inertia central(i.xx, i.yy, i.zz);
    return Body::Rigid(MassProperties(i.mass, centre, central.shiftFromMassCenter(-centre, i.mass)));
}

static const me::Corner CORNER[4] = {me::corner(0), me::corner(1), me::corner(2), me::corner(3)};

struct Road : Force::Custom::Implementation {
    std::vector<MobilizedBody> wheel;
    void calcForce(const State &s, Vector_<SpatialVec> &forces, Vector_<Vec3> &, Vector &) const override
    {
        for (int c = 0; c < 4; c++) {
            Vec3 p = wheel[c].getBodyOriginLocation(s), v = wheel[c].getBodyOriginVelocity(s);
            me::Point f = me::tyre(CORNER[c], s.getTime(), {p[0], p[1], p[2]}, {v[0], v[1], v[2]});
            wheel[c].applyForceToBodyPoint(s, Vec3(0), vec(f), forces);
        }
    }
    Real calcPotentialEnergy(const State &) const override { return 0; }
};

struct Engine {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::vector<MobilizedBody> body; // in the order of the model file
    State start;
    std::unique_ptr<RungeKuttaMersonIntegrator> integrator;
    double h = 1e-3;

    void chain(int n)
    {
        MobilizedBody parent = matter.Ground();
        Vec3 before(0);
        for (int i = 0; i < n; i++) {
            Vec3 joint = vec(me::chain_joint(i)), centre = vec(me::chain_centre(i)) - joint;
            parent = MobilizedBody::Pin(parent, Transform(joint - before), rigid(me::LINK, centre),
                                        Transform());
            before = joint;
            body.push_back(parent);
        }
        start = system.realizeTopology();
    }

    void fourbar(int n)
    {
        std::vector<MobilizedBody> coupler;
        for (int i = 0; i <= n; i++)
            body.push_back(MobilizedBody::Pin(matter.Ground(), Transform(Vec3(i, 0, 0)),
                                              rigid(me::CRANK, Vec3(0, .5, 0)), Transform()));
        for (int i = 0; i < n; i++) {
            coupler.push_back(MobilizedBody::Pin(body[i], Transform(Vec3(0, 1, 0)),
                                                 rigid(me::COUPLER, Vec3(.5, 0, 0)), Transform()));
            // the two rows of the planar loop that are independent
            Constraint::PointInPlane(body[i + 1], UnitVec3(1, 0, 0), 0., coupler[i], Vec3(1, 0, 0));
            Constraint::PointInPlane(body[i + 1], UnitVec3(0, 1, 0), 1., coupler[i], Vec3(1, 0, 0));
        }
        start = system.realizeTopology();
        for (auto &b : body) b.setOneU(start, 0, -1.);
        for (auto &b : coupler) b.setOneU(start, 0, 1.);
        body.insert(body.end(), coupler.begin(), coupler.end());
    }

    void car()
    {
        const Rotation along_x(Pi / 2, YAxis), along_y(-Pi / 2, XAxis); // a pin turns about z
        auto rel = [](me::Point p, me::Point centre) { return vec(p - centre); };
        MobilizedBody::Free chassis(matter.Ground(), Transform(vec(me::CHASSIS_AT)), rigid(me::CHASSIS),
                                    Transform());
        body.push_back(chassis);
        auto *road = new Road; // owned by the force below
        for (int c = 0; c < 4; c++) {
            const me::Corner &k = CORNER[c];
            auto hinge = [&](me::Point p, me::Point centre, me::Inertia i) {
                return MobilizedBody::Pin(chassis, Transform(along_x, rel(p, me::CHASSIS_AT)), rigid(i),
                                          Transform(along_x, rel(p, centre)));
            };
            MobilizedBody::Pin lower = hinge(k.lower_hinge, k.lower, me::LOWER);
            MobilizedBody::Pin upper = hinge(k.upper_hinge, k.upper, me::UPPER);
            MobilizedBody::Ball upright(lower, Transform(rel(k.lower_ball, k.lower)), rigid(me::UPRIGHT),
                                        Transform(rel(k.lower_ball, k.upright)));
            MobilizedBody::Pin wheel(upright, Transform(along_y, rel(k.wheel, k.upright)),
                                     rigid(me::WHEEL), Transform(along_y));
            Constraint::Ball(upper, rel(k.upper_ball, k.upper), upright, rel(k.upper_ball, k.upright));
            Vec3 toe = rel(k.toe_chassis, me::CHASSIS_AT), spring = rel(k.spring_chassis, me::CHASSIS_AT);
            Constraint::Rod(chassis, toe, upright, rel(k.toe_upright, k.upright),
                            me::length(k.toe_chassis - k.toe_upright));
            Vec3 foot = rel(k.spring_lower, k.lower);
            Force::TwoPointLinearSpring(forces, chassis, spring, lower, foot, me::SPRING_K,
                                        k.spring_length);
            Force::TwoPointLinearDamper(forces, chassis, spring, lower, foot, me::SPRING_C);
            body.insert(body.end(), {lower, upper, upright, wheel});
            road->wheel.push_back(wheel);
        }
        std::vector<MobilizedBody> wheel = road->wheel;
        Force::Custom(forces, road);
        start = system.realizeTopology();
        for (auto &w : wheel) w.setOneU(start, 0, me::SPIN);
    }

    void reset()
    {
        integrator.reset(new RungeKuttaMersonIntegrator(system));
        integrator->setFixedStepSize(h);
        integrator->setAccuracy(0.1); // of no effect at a fixed step
        integrator->setConstraintTolerance(1e-6);
        integrator->setProjectEveryStep(true);
        integrator->initialize(start);
        integrator->stepTo(0., Infinity); // takes the return at the start of the interval
    }
    // from its own time: a target off by rounding would cost a second, tiny step
    void step() { integrator->stepTo(integrator->getTime() + h, Infinity); }
    void centres(double *xyz)
    {
        const State &s = integrator->getState();
        system.realize(s, Stage::Position);
        for (auto &b : body) {
            Vec3 p = b.findMassCenterLocationInGround(s);
            for (int i = 0; i < 3; i++) *xyz++ = p[i];
        }
    }
};

int main(int argc, char **argv)
{
    if (argc < 3) return fprintf(stderr, "usage: simbody chain|fourbar|car N [STEP]\n"), 2;
    Engine e;
    const std::string kind = argv[1];
    const int n = atoi(argv[2]);
    if (argc > 3) e.h = atof(argv[3]);
    Force::Gravity(e.forces, e.matter,
                   kind == "car" ? Vec3(0, 0, -me::GRAVITY) : Vec3(0, -me::GRAVITY, 0));
    if (kind == "chain") e.chain(n);
    else if (kind == "fourbar") e.fourbar(n);
    else e.car();
    e.reset();
    contender c = {};
    c.self = &e;
    c.h = e.h;
    c.n_bodies = (int)e.body.size();
    c.reset = [](void *p) { ((Engine *)p)->reset(); };
    c.step = [](void *p) { ((Engine *)p)->step(); };
    c.centres = [](void *p, double *xyz) { ((Engine *)p)->centres(xyz); };
    return contender_serve(&c);
}
