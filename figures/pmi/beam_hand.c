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

// Without calls the device is held fast by its user. The damper of the coupling is that of the box.
static plStatus couple(Held* h, plDeviceCalls calls, double damping)
{
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef c = plDefaultCouplingDef();
    plCouplingId id;
    device.name = "omega";
    device.calls = calls;
    device.mass = device.inertia = all3(INFINITY);
    c.name = "coupling";
    c.kind = pl_couplingVirtual;
    c.feedback = pl_feedbackHeld;
    c.scale = alpha;
    c.tool.mechanism = h->box;
    c.stiffness = c.turnStiffness = all3(stiffness);
    c.damping = c.turnDamping = all3(damping);
    const plStatus status = plWorld_AddDevice(h->world, &device, &h->device);
    c.device = h->device;
    return status == pl_statusOk ? plWorld_AddCoupling(h->world, &c, &id) : status;
}

static bool open(plFigureJob* job, const double* start, plDeviceCalls calls, double damping,
                 Held* h)
{
    plWorldDef def = plDefaultWorldDef();
    def.gravity = plVec(0, 0, 0);
    *h = (Held){0};
    plStatus status = plWorld_Create(&def, &h->world);
    if (status != pl_statusOk) h->world = NULL;
    if (status == pl_statusOk) status = addBeam(h, start);
    if (status == pl_statusOk) status = addBox(h);
    if (status == pl_statusOk) status = tie(h);
    if (status == pl_statusOk) status = couple(h, calls, damping);
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
    if (!open(job, bent, (plDeviceCalls){0}, 0, &h)) return false;
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
        plFigureJob_Claim(job, id, worst, plAtMost(1e-10),
                          "\"Lossless\": beam, box and springs keep their energy without any "
                          "damping at %s Hz: largest |E/E0 - 1| in 5 s",
                          rates[i].name);
    }
    return true;
}

// -------------------------------------------------------------------------- a hand that moves

enum { movingSteps = 5000 };

typedef struct {
    double force;   ///< largest of the coupling, before it is scaled [N]
    double balance; ///< largest [J]
    double
        created; ///< what the device and the box got from the coupling and nobody gave, at the end [J]
    double paid; ///< what a device of the least damping and the box took by then [J]
    int devices;
} Moved;

// A device that goes its own way, and is told a force.
typedef struct {
    double y, force, squares;
    int tick;
} Shaker;

static const double T = 1e-3;

static void sampleShaker(void* self, double time, plSample* sample)
{
    Shaker* s = self;
    (void)time;
    const double y = 0.01 * sin(2 * PL_PI * s->tick++ * T);
    s->squares += (y - s->y) * (y - s->y);
    s->y = y;
    *sample = (plSample){.pose = {{0, y, 0}, {1, 0, 0, 0}}};
}

static void writeShaker(void* self, const plWrench* f, double step)
{
    (void)step;
    ((Shaker*)self)->force = f->force.y;
}

static bool shake(plFigureJob* job, const char* name, double damping, Moved* m)
{
    Held h;
    Shaker s = {0};
    plPort port = {0};
    const plDeviceCalls calls = {.self = &s, .sample = sampleShaker, .write = writeShaker};
    plFigureJob_Progress(job, name);
    if (!open(job, NULL, calls, damping, &h)) return false;
    double* t = plFigureJob_Column(job, movingSteps + 1, "time %s", name);
    double* f = plFigureJob_Column(job, movingSteps + 1, "force %s", name);
    double* y = plFigureJob_Column(job, movingSteps + 1, "hand %s", name);
    double* end = plFigureJob_Column(job, movingSteps + 1, "end %s", name);
    const bool good = t && f && y && end;
    *m = (Moved){.devices = plWorld_DeviceCount(h.world)};
    for (int k = 0; good && k <= movingSteps; ++k) {
        plWorld_Step(h.world, T);
        const plAccount a = plWorld_Ledger(h.world);
        t[k] = k * T;
        y[k] = s.y;
        f[k] = 1e3 * s.force;
        end[k] = heightOf(&h, h.beam, 1);
        m->force = fmax(m->force, fabs(s.force / alpha));
        m->balance = fmax(m->balance, fabs(a.kinetic + a.potential - a.applied + a.dissipated));
        m->paid = alpha * (a.dissipated + plHeldDamping(stiffness, damping, 1, T) * s.squares / T);
    }
    plWorld_Port(h.world, (plCouplingId){1, 1}, &port);
    m->created = alpha * port.tool + port.device;
    plWorld_Destroy(h.world);
    return good;
}

static bool makeMoved(plFigureJob* job)
{
    Moved bare, damped;
    if (!shake(job, "bare", 0, &bare) || !shake(job, "damped", 3.75, &damped)) return false;
    plFigureJob_Claim(job, "device", damped.devices, plAtLeast(1),
                      "\"In turn connected to haptic device via virtual coupling\": devices in the "
                      "world");
    plFigureJob_Claim(
        job, "passified", damped.created / damped.paid, plAtMost(1),
        "The held force \"can still be passified by the device damping and by the "
        "virtual damping B_r\", alpha = 0.001: what was created, over what a device of "
        "%.2g N s/m and the box take in 5 s",
        plHeldDamping(stiffness, 3.75, alpha, T));
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
