// MuJoCo as a contender (contender.h): joint coordinates, loops by stiff equality constraints.
//   mujoco chain N METHOD | fourbar N METHOD | car 4 METHOD     METHOD: Euler or RK4
#include <cstdarg>
#include <memory>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "../bench/contender.h"
#include "mechanisms.hpp"

namespace me = mechanisms;

__attribute__((format(printf, 1, 2))) static std::string text(const char *format, ...)
{
    char out[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(out, sizeof out, format, args);
    va_end(args);
    return out;
}

static std::string point(me::Point p) { return text("\"%.17g %.17g %.17g\"", p.x, p.y, p.z); }

// <body ...> with joint and inertia, left open; `at` from the parent's frame, `centre` from its own.
static std::string body(const std::string &name, me::Point at, const std::string &joint,
                        me::Inertia i, me::Point centre)
{
    return "<body name=\"" + name + "\" pos=" + point(at) + ">" + joint + "<inertial pos=" + point(centre) +
           text(" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>", i.mass, i.xx, i.yy, i.zz);
}

// Loops as stiff as the step allows; the defaults leave gaps of a millimetre.
static std::string stiff(double h)
{
    return text("solref=\"%.9g 1\" solimp=\"0.9999 0.9999 0.001 0.5 2\"", 2 * h);
}

static std::string head(const std::string &method, const std::string &gravity, double h, int rows)
{
    return text("<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option timestep=\"%.9g\" "
                "gravity=\"%s\" integrator=\"%s\" solver=\"Newton\" iterations=\"50\" "
                "tolerance=\"1e-10\"><flag contact=\"disable\"/></option><size njmax=\"%d\" nconmax=\"10\"/>",
                h, gravity.c_str(), method.c_str(), rows);
}

struct Engine {
    std::unique_ptr<mjVFS> files{new mjVFS};
    mjModel *model = nullptr;
    mjData *data = nullptr;
    std::vector<std::string> name; // in the order of the model file
    std::vector<int> id;
    std::vector<double> speed;     // of each body's first joint at the start
    double h = 1e-3;

    void file(const std::string &path, const std::string &xml)
    {
        mj_makeEmptyFileVFS(files.get(), path.c_str(), (int)xml.size());
        memcpy(files->filedata[mj_findFileVFS(files.get(), path.c_str())], xml.data(), xml.size());
    }
    void add(const std::string &n, double v) { name.push_back(n), speed.push_back(v); }

    // The reader limits the depth of elements, so bodies nest over several files.
    void chain(int n, const std::string &method)
    {
        const int part = 48;
        const std::string hinge = "<joint type=\"hinge\" axis=\"0 0 1\"/>";
        for (int first = 0; first < n; first += part) {
            int last = std::min(n, first + part);
            std::string xml = first ? "<mujocoinclude>" : head(method, "0 -9.81 0", h, 10) + "<worldbody>";
            for (int i = first; i < last; i++) {
                me::Point joint = me::chain_joint(i), before = i ? me::chain_joint(i - 1) : me::Point{};
                add(text("b%d", i), 0);
                xml += body(name.back(), joint - before, hinge, me::LINK, me::chain_centre(i) - joint);
            }
            if (last < n) xml += text("<include file=\"%d.xml\"/>", last);
            for (int i = first; i < last; i++) xml += "</body>";
            file(text("%d.xml", first), xml + (first ? "</mujocoinclude>" : "</worldbody></mujoco>"));
        }
    }

    void fourbar(int n, const std::string &method)
    {
        const std::string hinge = "<joint type=\"hinge\" axis=\"0 0 1\"/>";
        std::string xml = head(method, "0 -9.81 0", h, 4 * n + 10) + "<worldbody>", loops;
        for (int i = 0; i <= n; i++) {
            xml += body(text("crank%d", i), {(double)i, 0, 0}, hinge, me::CRANK, {0, .5, 0});
            if (i < n) {
                xml += body(text("coupler%d", i), {0, 1, 0}, hinge, me::COUPLER, {.5, 0, 0}) + "</body>";
                loops += text("<connect body1=\"coupler%d\" body2=\"crank%d\" anchor=\"1 0 0\" ", i, i + 1) +
                         stiff(h) + "/>";
            }
            xml += "</body>";
        }
        file("0.xml", xml + "</worldbody><equality>" + loops + "</equality></mujoco>");
        for (int i = 0; i <= n; i++) add(text("crank%d", i), -1);
        for (int i = 0; i < n; i++) add(text("coupler%d", i), 1); // from its crank: it does not turn
    }

    void car(const std::string &method)
    {
        std::string xml = head(method, "0 0 -9.81", h, 100) + "<worldbody>", loops, lines;
        xml += body("chassis", me::CHASSIS_AT, "<freejoint/>", me::CHASSIS, {});
        add("chassis", 0);
        auto joint = [](const char *kind, me::Point p) {
            return std::string("<joint ") + kind + " pos=" + point(p) + "/>";
        };
        auto site = [](const char *what, int c, me::Point p) {
            return text("<site name=\"%s%d\" pos=", what, c) + point(p) + "/>";
        };
        const char *arm = "type=\"hinge\" axis=\"1 0 0\"", *hub = "type=\"hinge\" axis=\"0 1 0\"";
        for (int c = 0; c < 4; c++) {
            const me::Corner k = me::corner(c);
            xml += site("spring", c, k.spring_chassis - me::CHASSIS_AT) +
                   site("toe", c, k.toe_chassis - me::CHASSIS_AT);
            xml += body(text("lower%d", c), k.lower - me::CHASSIS_AT,
                        joint(arm, k.lower_hinge - k.lower), me::LOWER, {}) +
                   site("foot", c, k.spring_lower - k.lower);
            xml += body(text("upright%d", c), k.upright - k.lower,
                        joint("type=\"ball\"", k.lower_ball - k.upright), me::UPRIGHT, {}) +
                   site("lever", c, k.toe_upright - k.upright);
            xml += body(text("wheel%d", c), k.wheel - k.upright, joint(hub, {}), me::WHEEL, {}) +
                   "</body></body></body>";
            xml += body(text("upper%d", c), k.upper - me::CHASSIS_AT,
                        joint(arm, k.upper_hinge - k.upper), me::UPPER, {}) + "</body>";
            loops += text("<connect body1=\"upper%d\" body2=\"upright%d\" anchor=", c, c) +
                     point(k.upper_ball - k.upper) + " " + stiff(h) + "/>" +
                     text("<tendon tendon1=\"toe%d\" ", c) + stiff(h) + "/>";
            lines += text("<spatial name=\"toe%d\"><site site=\"toe%d\"/><site site=\"lever%d\"/></spatial>", c, c, c) +
                     text("<spatial stiffness=\"%g\" damping=\"%g\" springlength=\"%.17g\">", me::SPRING_K,
                          me::SPRING_C, k.spring_length) +
                     text("<site site=\"spring%d\"/><site site=\"foot%d\"/></spatial>", c, c);
            add(text("lower%d", c), 0), add(text("upper%d", c), 0);
            add(text("upright%d", c), 0), add(text("wheel%d", c), me::SPIN);
        }
        file("0.xml", xml + "</body></worldbody><tendon>" + lines + "</tendon><equality>" + loops +
                          "</equality></mujoco>");
    }

    int compile()
    {
        char error[1000] = "";
        model = mj_loadXML("0.xml", files.get(), error, sizeof error);
        if (!model) return fprintf(stderr, "mujoco: %s\n", error), 0;
        data = mj_makeData(model);
        for (auto &n : name) id.push_back(mj_name2id(model, mjOBJ_BODY, n.c_str()));
        return 1;
    }
    void reset()
    {
        mj_resetData(model, data);
        for (size_t i = 0; i < id.size(); i++)
            if (speed[i] != 0) data->qvel[model->body_dofadr[id[i]]] = speed[i];
        mj_forward(model, data);
    }
    void centres(double *xyz)
    {
        mj_kinematics(model, data);
        for (int b : id)
            for (int i = 0; i < 3; i++) *xyz++ = data->xipos[3 * b + i];
    }
};

static int wheel_id[4];
static const me::Corner CORNER[4] = {me::corner(0), me::corner(1), me::corner(2), me::corner(3)};

// Called at every evaluation of the forces, the inner ones of RK4 too.
static void road(const mjModel *m, mjData *d)
{
    for (int c = 0; c < 4; c++) {
        const mjtNum *x = d->xipos + 3 * wheel_id[c];
        mjtNum v[6];
        mj_objectVelocity(m, d, mjOBJ_BODY, wheel_id[c], v, 0);
        me::Point f = me::tyre(CORNER[c], d->time, {x[0], x[1], x[2]}, {v[3], v[4], v[5]});
        const mjtNum force[3] = {f.x, f.y, f.z}, none[3] = {0, 0, 0};
        mj_applyFT(m, d, force, none, x, wheel_id[c], d->qfrc_passive);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: mujoco chain|fourbar|car N Euler|RK4 [STEP]\n"), 2;
    Engine e;
    const std::string kind = argv[1], method = argv[3];
    if (argc > 4) e.h = atof(argv[4]);
    mj_defaultVFS(e.files.get());
    if (kind == "chain") e.chain(atoi(argv[2]), method);
    else if (kind == "fourbar") e.fourbar(atoi(argv[2]), method);
    else e.car(method);
    if (!e.compile()) return 1;
    if (kind == "car") {
        for (int c = 0; c < 4; c++) wheel_id[c] = e.id[4 + 4 * c];
        mjcb_passive = road;
    }
    e.reset();
    contender c = {};
    c.self = &e;
    c.h = e.h;
    c.n_bodies = (int)e.id.size();
    c.reset = [](void *p) { ((Engine *)p)->reset(); };
    c.step = [](void *p) { mj_step(((Engine *)p)->model, ((Engine *)p)->data); };
    c.centres = [](void *p, double *xyz) { ((Engine *)p)->centres(xyz); };
    return contender_serve(&c);
}
