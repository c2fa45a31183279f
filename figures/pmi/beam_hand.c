// pmi figures 15 and 16: the beam in a hand. Its clamp is on a box of 1 g by a spring of 1e5 N/m, the
// box on a device by a virtual coupling of 7500 N/m, whose force the hand feels as it is when a step
// begins, held, and scaled by alpha.                              (Kim et al. 2017, 5.2; Lee et al. 2012)
#include "base/base.h"
#include "math/math.h"
#include "pmi/pmi.h"

#include <math.h>
#include <stdio.h>

static const double length = 0.907, stiffness = 7500, alpha = 1e-3;
static const double bent[3] = {2.43024967e-2, -6.18606944e-4, 7.88963976e-5}; // 5 cm at the end

// -------------------------------------------------------------------------------------- world

typedef struct {
    plWorld* world;
    plMechanismId beam, box;
    plDeviceId device;
} Held;

static plStatus addBeam(Held* h, const double* start)
{
    static const double frequencies[3] = {11.91, 74.65, 209.03}; // [Hz]
    plChainBodyDef bodies[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
    plChainDef chain = plDefaultChainDef();
    bodies[0].name = "clamp";
    bodies[0].joint = pl_jointPlanar;
    bodies[0].beam = (plBeamDef){.length = length,
                                 .mass = 1.4683,
                                 .frequency = frequencies,
                                 .modes = {3, 0},
                                 .position = start};
    bodies[1].name = "end";
    bodies[1].parent = 0;
    bodies[1].joint = pl_jointFixed;
    bodies[1].frame.p.x = length;
    chain.name = "beam";
    chain.bodies = bodies;
    chain.bodyCount = 2;
    return plWorld_AddChain(h->world, &chain, &h->beam);
}

static plStatus addBox(Held* h)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    body.name = "box";
    body.joint = pl_jointPlanar;
    body.mass = 1e-3;
    body.inertia = plDiagonal3(1e-3, 1e-3, 1e-3);
    chain.name = "box";
    chain.bodies = &body;
    chain.bodyCount = 1;
    return plWorld_AddChain(h->world, &chain, &h->box);
}

static plStatus tie(Held* h)
{
    plLinkDef link = plDefaultLinkDef();
    plLinkId id;
    link.name = "spring";
    link.a.mechanism = h->beam;
    link.b.mechanism = h->box;
    link.turns = true;
    link.stiffness = link.turnStiffness = 1e5;
    return plWorld_AddLink(h->world, &link, &id);
}

static plVec3 all3(double x) { return plVec(x, x, x); }

// A device that is held fast by its user, if nothing else is said. The damper of the coupling is that of the box.
typedef struct {
    const double* start; ///< amplitudes of the beam; null: straight
    plDeviceCalls calls;
    plCouplingKind kind;
    plFeedback feedback;
    double scale, damping;            ///< of the coupling
    double deviceMass, deviceDamping; ///< 0: held fast
    double tank;                      ///< [J]
} Setup;

enum { waveParts = 40, waves = 5 };

// The user's hand moves to and fro by 1 cm, once a second.
static int wave(plWaypoint* points)
{
    for (int i = 0; i <= waves * waveParts; ++i) {
        const double t = (double)i / waveParts;
        points[i] = (plWaypoint){t, {{0, 0.01 * sin(2 * PL_PI * t), 0}, {1, 0, 0, 0}}};
    }
    return waves * waveParts + 1;
}

static plStatus couple(Held* h, const Setup* setup)
{
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plWaypoint points[waves * waveParts + 1];
    plCouplingId id;
    device.name = "omega";
    device.calls = setup->calls;
    device.mass = device.inertia = all3(INFINITY);
    if (setup->deviceMass > 0) {
        device.mass.y = setup->deviceMass;
        device.damping = setup->deviceDamping;
        device.hand.kind = pl_handImpedance;
        device.hand.stiffness = 200;
        device.hand.points = points;
        device.hand.pointCount = wave(points);
    }
    c.name = "coupling";
    c.kind = setup->kind;
    c.feedback = setup->feedback;
    c.scale = setup->scale;
    if (setup->tank > 0) c.tank = setup->tank;
    c.tool.mechanism = h->box;
    c.stiffness = c.turnStiffness = all3(stiffness);
    c.damping = c.turnDamping = all3(setup->damping);
    const plStatus status = plWorld_AddDevice(h->world, &device, &h->device);
    c.device = h->device;
    return status == pl_statusOk ? plWorld_AddCoupling(h->world, &c, &id) : status;
}

static bool open(plFigureJob* job, const Setup* setup, Held* h)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = plVec(0, 0, 0);
    *h = (Held){0};
    plStatus status = plWorld_Create(&def, &h->world);
    if (status != pl_statusOk) h->world = NULL;
    if (status == pl_statusOk) status = addBeam(h, setup->start);
    if (status == pl_statusOk) status = addBox(h);
    if (status == pl_statusOk) status = tie(h);
    if (status == pl_statusOk) status = couple(h, setup);
    if (status == pl_statusOk) return true;
    snprintf(job->message, sizeof job->message, "no world for a beam: %s: %s",
             plStatus_Name(status), h->world ? plWorld_Error(h->world) : "");
    plWorld_Destroy(h->world);
    return false;
}

static double energyOf(const plWorld* world)
{
    const plAccount a = plWorld_Ledger(world);
    return a.kinetic + a.potential;
}

static double heightOf(const Held* h, plMechanismId id, int part)
{
    plMotion motion = {0};
    plWorld_Motion(h->world, (plSite){.mechanism = id, .part = part}, &motion);
    return motion.x.y;
}

// ------------------------------------------------------------------------ held by a hand at rest

static const struct {
    const char* name;
    double T;
} rates[3] = {{"1000", 1e-3}, {"300", 1. / 300}, {"30", 1. / 30}};

static bool swing(plFigureJob* job, int i, double* worst)
{
    Held h;
    const double T = rates[i].T;
    const int steps = (int)lround(5 / T);
    plFigureJob_Progress(job, rates[i].name);
    if (!open(job,
              &(Setup){.start = bent,
                       .kind = pl_couplingVirtual,
                       .feedback = pl_feedbackHeld,
                       .scale = alpha},
              &h)) {
        return false;
    }
    double* t = plFigureJob_Column(job, steps + 1, "time %s", rates[i].name);
    double* end = plFigureJob_Column(job, steps + 1, "end %s", rates[i].name);
    double* box = plFigureJob_Column(job, steps + 1, "box %s", rates[i].name);
    double* E = plFigureJob_Column(job, steps + 1, "E %s", rates[i].name);
    const bool good = t && end && box && E;
    const double E0 = energyOf(h.world);
    *worst = 0;
    for (int k = 0; good && k <= steps; ++k) {
        if (k > 0) plWorld_Step(h.world, T);
        t[k] = k * T;
        end[k] = heightOf(&h, h.beam, 1);
        box[k] = heightOf(&h, h.box, 0);
        E[k] = energyOf(h.world) / E0 - 1;
        if (!(fabs(E[k]) <= *worst)) *worst = fabs(E[k]);
    }
    plWorld_Destroy(h.world);
    return good;
}

static bool makeHeld(plFigureJob* job)
{
    for (int i = 0; i < PL_COUNT(rates); ++i) {
        double worst;
        char id[40];
        if (!swing(job, i, &worst)) return false;
        snprintf(id, sizeof id, "energy-%s", rates[i].name);
        plFigureJob_Claim(
            job, id, worst, plAtMost(1e-10),
            "%s: beam, box and springs keep their energy without any damping at %s Hz: "
            "largest |E/E0 - 1| in 5 s",
            i == 0 ? "\"Lossless/marginally-stable\""
                   : "The same \"regardless of (possibly varying/slow) integration "
                     "steps\"",
            rates[i].name);
    }
    return true;
}

// -------------------------------------------------------------------------- a hand that moves

enum { movingSteps = 5000 };

typedef struct {
    double force;   ///< largest of the coupling, before it is scaled [N]
    double balance; ///< largest [J]
    double excess;  ///< most that a tick created above what device and box took in it [J]
    double created; ///< most that a tick created [J]
    int devices;
} Moved;

// A device that goes its own way, and is told a force.
typedef struct {
    double y, way, force;
    int tick;
} Shaker;

static const double T = 1e-3;

static void sampleShaker(void* self, double time, plSample* sample)
{
    Shaker* s = self;
    (void)time;
    const double y = 0.01 * sin(2 * PL_PI * s->tick++ * T);
    s->way = y - s->y;
    s->y = y;
    *sample = (plSample){.pose = {{0, y, 0}, {1, 0, 0, 0}}};
}

static void writeShaker(void* self, const plWrench* f, double step)
{
    (void)step;
    ((Shaker*)self)->force = f->force.y;
}

static const double boxDamping = 3.75; ///< B_r [N s/m]

/// Of a device, as Omega 3's "turns out to be fairly small" [N s/m]; energy of a set-position coupling [J].
static const double omegaDamping = 0.05, tank = 1e-5;

typedef struct {
    double created;      ///< most at the end of a tick, above what the device took [J]
    double moved;        ///< by the hand, forth and back [J]
    double force;        ///< largest on the device [N]
    double alpha, bound; ///< its alpha, and the damping that a held spring of it asks for
} Wielded;

static double leastDamping(void) { return plHeldDamping(stiffness, boxDamping, alpha, T); }

static bool shake(plFigureJob* job, const char* name, double damping, Moved* m)
{
    Held h;
    Shaker s = {0};
    plPort port = {0};
    const plDeviceCalls calls = {.self = &s, .sample = sampleShaker, .write = writeShaker};
    const Setup setup = {.calls = calls,
                         .kind = pl_couplingVirtual,
                         .feedback = pl_feedbackHeld,
                         .scale = alpha,
                         .damping = damping};
    plFigureJob_Progress(job, name);
    if (!open(job, &setup, &h)) return false;
    double* t = plFigureJob_Column(job, movingSteps + 1, "time %s", name);
    double* f = plFigureJob_Column(job, movingSteps + 1, "force %s", name);
    double* y = plFigureJob_Column(job, movingSteps + 1, "hand %s", name);
    double* end = plFigureJob_Column(job, movingSteps + 1, "end %s", name);
    const bool good = t && f && y && end;
    double before = 0, taken = 0, took = 0;
    *m = (Moved){.devices = plWorld_DeviceCount(h.world), .excess = -INFINITY};
    for (int k = 0; good && k <= movingSteps; ++k) {
        plWorld_Step(h.world, T);
        const plAccount a = plWorld_Ledger(h.world);
        t[k] = k * T;
        y[k] = s.y;
        f[k] = 1e3 * s.force;
        end[k] = heightOf(&h, h.beam, 1);
        m->force = fmax(m->force, fabs(s.force / alpha));
        m->balance = fmax(m->balance, fabs(a.kinetic + a.potential - a.applied + a.dissipated));
        // the leap of a tick and the force of the one before it act on the same way of the hand, after the
        // box has moved
        plWorld_Port(h.world, (plCouplingId){1, 1}, &port);
        const double all = alpha * port.tool + port.device;
        m->created = fmax(m->created, all - before);
        m->excess = fmax(m->excess, all - before - alpha * (taken - took) -
                                        leastDamping() * s.way * s.way / T);
        before = all, took = taken, taken = a.dissipated;
    }
    plWorld_Destroy(h.world);
    return good;
}

// A gain that the damping of a device allows by itself, 2 b/(K T), and twice what a held spring may have.
static bool wield(plFigureJob* job, Wielded* r)
{
    Held h;
    plSample sample = {.pose = {{0, 0, 0}, {1, 0, 0, 0}}};
    const Setup setup = {.kind = pl_couplingSetPosition,
                         .scale = 2 * omegaDamping / (stiffness * T),
                         .deviceMass = 0.3,
                         .deviceDamping = omegaDamping,
                         .tank = tank};
    plFigureJob_Progress(job, "set positions");
    if (!open(job, &setup, &h)) return false;
    double damped = 0, before = 0;
    *r = (Wielded){.created = -INFINITY, .alpha = setup.scale};
    for (int k = 0; k < movingSteps; ++k) {
        plPort port;
        plWrench f;
        const double y = sample.pose.p.y;
        plWorld_Step(h.world, T);
        plWorld_DeviceSample(h.world, h.device, &sample);
        plWorld_DeviceForce(h.world, h.device, &f);
        plWorld_Port(h.world, (plCouplingId){1, 1}, &port);
        damped += omegaDamping * (sample.pose.p.y - y) * (sample.pose.p.y - y) / T;
        r->created = fmax(r->created, setup.scale * port.tool + port.device - damped);
        r->moved += fabs(port.device - before);
        r->force = fmax(r->force, fabs(f.force.y));
        before = port.device;
    }
    r->bound = plHeldDamping(stiffness, boxDamping, setup.scale, T);
    plWorld_Destroy(h.world);
    return true;
}

static bool makeLarger(plFigureJob* job)
{
    Wielded modulated;
    if (!wield(job, &modulated)) return false;
    plFigureJob_Claim(
        job, "larger", modulated.created - tank, plAtMost(0),
        "\"We may choose larger gain if we adopt less conservative techniques (e.g., "
        "passive set-position modulation)\": at alpha = %.3g, for which a held spring "
        "asks %.2g N s/m of a device of %.2g: most that was created above what the "
        "device took, and a tank of 10 uJ [J]",
        modulated.alpha, modulated.bound, omegaDamping);
    plFigureJob_Check(
        job, "felt", modulated.force, plAtLeast(0.02),
        "The force is felt: largest on the device, of %.2g J that went forth and back "
        "[N]",
        modulated.moved);
    return true;
}

static bool makeMoved(plFigureJob* job)
{
    Moved bare, damped;
    if (!shake(job, "bare", 0, &bare) || !shake(job, "damped", boxDamping, &damped)) return false;
    plFigureJob_Claim(job, "device", damped.devices, plAtLeast(1),
                      "\"In turn connected to haptic device via virtual coupling\": devices in the "
                      "world");
    plFigureJob_Claim(
        job, "passified", damped.excess / damped.created, plAtMost(1e-9),
        "The held force \"can still be passified by the device damping and by the "
        "virtual damping B_r\", alpha = 0.001: most that one of 5000 ticks created above "
        "what a device of %.2g N s/m and the box took in it, over the most that one "
        "created",
        leastDamping());
    plFigureJob_Check(job, "not-passified", bare.excess / damped.created, plAtLeast(0.1),
                      "Both are needed: the same without B_r");
    if (!makeLarger(job)) return false;
    plFigureJob_Check(job, "balance-bare", bare.balance, plAtMost(1e-12),
                      "All energy of the world came from the hand: largest difference in 5 s [J]");
    plFigureJob_Check(job, "balance-damped", damped.balance, plAtMost(1e-12),
                      "The same with a virtual damping of 3.75 N s/m, less what that took [J]");
    // Values of the linear system of small angles (box, clamp and three modes, 7 coordinates), stepped by
    // itself, the device held during each step; its small angles are right to 1e-4 here.
    plFigureJob_Check(job, "force-bare", bare.force, plWithin(6.2303, 1e-3),
                      "Largest force of the coupling [N]: that of the linear system");
    plFigureJob_Check(job, "force-damped", damped.force, plWithin(4.4406, 1e-3),
                      "The same with the virtual damping [N]");
    return true;
}

// ----------------------------------------------------------------------------------- drawings

static const char heldScript[] =
    "set multiplot\n"
    "set lmargin at screen 0.085\n"
    "set rmargin at screen 0.975\n"
    "set tmargin at screen 0.90\n"
    "set bmargin at screen 0.50\n"
    "set xrange [0:1]\n"
    "set ylabel 'across [mm]' offset 0.8,0\n"
    "set xlabel 'time [s]' offset 0,0.5\n"
    "set key at graph 0.995,1.14 right top horizontal Left reverse width 2\n"
    "plot csv using 'time 1000':(1000*column('end 1000')) with lines ls 1 title 'end of the beam', "
    "\\\n"
    "     '' using 'time 1000':(1000*column('box 1000')) with lines ls 2 title 'box', \\\n"
    "     '' using 'time 30':(1000*column('end 30')) with points pt 7 ps 0.5 lc '#808080' title "
    "'end, at 30 Hz'\n"
    "set tmargin at screen 0.36\n"
    "set bmargin at screen 0.12\n"
    "set xrange [0:5]\n"
    "set autoscale y\n"
    "set ylabel 'E/E₀ - 1 [10⁻¹⁵]' offset 0.8,0\n"
    "plot csv using 'time 1000':(1e15*column('E 1000')) with lines ls 1 title '1 kHz', \\\n"
    "     '' using 'time 300':(1e15*column('E 300')) with lines ls 3 title '300 Hz', \\\n"
    "     '' using 'time 30':(1e15*column('E 30')) with lines ls 2 title '30 Hz'\n"
    "unset multiplot\n";

static const char movedScript[] =
    "set multiplot\n"
    "set lmargin at screen 0.085\n"
    "set rmargin at screen 0.975\n"
    "set xrange [0:5]\n"
    "set tmargin at screen 0.92\n"
    "set bmargin at screen 0.62\n"
    "set ylabel 'across [mm]' offset 0.8,0\n"
    "set key at graph 0.995,1.18 right top horizontal Left reverse width 2\n"
    "plot csv using 'time bare':(1000*column('hand bare')) with lines ls 9 dt 2 title 'hand', \\\n"
    "     '' using 'time damped':(1000*column('end damped')) with lines ls 1 title "
    "'end of the beam'\n"
    "set tmargin at screen 0.50\n"
    "set bmargin at screen 0.12\n"
    "set ylabel 'force on the device [mN]' offset 0.8,0\n"
    "set xlabel 'time [s]' offset 0,0.5\n"
    "plot csv using 'time bare':'force bare' with lines lc '#b0b0b0' lw 0.7 title 'no damping', "
    "\\\n"
    "     '' using 'time damped':'force damped' with lines ls 1 title 'B_r = 3.75 N s/m'\n"
    "unset multiplot\n";

#define HELD                                                                                       \
    "Beam of figure 12 on a planar base; box 1e-3 kg and 1e-3 kg m^2; 1e5 N/m and N m/rad "        \
    "between "                                                                                     \
    "them, 7500 to the hand. "

const plFigure plFigurePmi15 = {
    .id = "pmi-15",
    .title = "A beam, a box and a hand",
    .caption =
        "The beam in generalized coordinates, its clamp on a light box by a hard spring, the "
        "box on a hand by a virtual coupling; the hand rests, the beam starts bent. Above: the "
        "end of the beam and the box at 1 kHz, and the end at 30 Hz, where the step is too "
        "long to see the motion. Below: the energy, which no step disturbs. The box by "
        "itself swings at 10 368 rad/s.",
    .parameters = HELD "5 s at 1000, 300 and 30 Hz, no damping.",
    .width = 960,
    .height = 560,
    .script = heldScript,
    .make = makeHeld,
};

const plFigure plFigurePmi16 = {
    .id = "pmi-16",
    .title = "Force of the beam on a hand",
    .caption =
        "The hand moves to and fro by 1 cm. The force that it feels is that of the coupling at "
        "the start of each step; without damping it rings with the box, which nothing stops.",
    .parameters = HELD "The hand: 1 cm, 1 Hz, the beam straight and at rest; T = 1 ms, 5 s; force "
                       "before it is scaled for a device; damping 3.75 N s/m and N m s/rad.",
    .width = 960,
    .height = 560,
    .script = movedScript,
    .make = makeMoved,
};
