// Two hands that put a peg into a hole: the scene peg-in-hole, what is asked of it in every tick, and
// what comes of a run.                                                          (pmi sec. 5.1)
#ifndef PALP_TEST_HANDS_H
#define PALP_TEST_HANDS_H

#include "base/base.h"
#include "math/math.h"
#include "palp/scene.h"
#include "world/inside.h"
#include "worlds.h"

#include <string.h>

enum { handPoints = 32, handSettings = 2 * handPoints + 8, handTips = 6 };

static const char* const handNames[2] = {"right", "left"};
static const char* const tipNames[3] = {"thumb3", "index3", "middle3"};

/// Where the scene has them [m], [s].
static const double pegStart[3] = {0.055, 0, 0.04}, pegHalf = 0.04;
static const double liftedAt = 6, openedAt = 10.7;

typedef struct {
    double min, max;     ///< of the steps [s]; equal: constant
    uint64_t seed;       ///< of steps and of where the peg stands; 0: where the scene has it
    double stiffness;    ///< of the joints' points [N/m]
    double damping;      ///< of the same [N s/m]
    double time;         ///< 0: the scene's
    const char* setting; ///< one more; null: none
} HandCase;

static const double smallGap = 1e-9;  ///< no ratio below: round-off of places [m]
static const double smallMean = 1e-8; ///< the same of mean gaps, known to 1e-10 [m]
static const double pegShift = 0.003, pegYaw = 5 * PL_PI / 180; ///< at most, each axis [m], [rad]

/// A joint's point: what it had when the last tick ended, and its most.
typedef struct {
    plLinkId id;
    plVec3 gap;   ///< world axes [m]
    double force; ///< of the last tick [N]
    double mostGap, mostForce;
} HandPoint;

typedef struct {
    plScene* scene;
    plWorld* world;
    plStepper stepper;
    plMechanismId peg, box, tips[handTips];
    HandPoint points[handPoints];
    int pointCount;
    double start; ///< energy [J]
} Hands;

typedef struct {
    plSite bottom; ///< of the peg
    int steps;
    double
        depth[2]; ///< of its bottom above that of the hole: when the hands are open, at the end [m]
    double aside; ///< of its bottom from the middle of the hole, at the end, per axis [m]
    double touched;  ///< last time at which a hand touched it [s]
    double lifted;   ///< highest place of its bottom [m]
    double sunk;     ///< deepest place of its bottom in the floor [m]
    double gap;      ///< largest of a joint's point [m]
    double ratio;    ///< largest of a point and tick: gap over its own force over stiffness
    double often;    ///< share of points and ticks with more than 1.1 of that
    double mean;     ///< as `ratio`, of the mean gap of a tick and its force; of undamped points
    double peak;     ///< largest of a point: its largest gap over its largest force over stiffness
    double off;      ///< largest distance of a mean gap from what the link's force says [m]
    double rise;     ///< of the energy in one tick, beyond what was applied, of what has flowed
    double created;  ///< largest that came from nowhere, of what has flowed so far
    double excess;   ///< largest E - E0 - applied, of the same
    double residual; ///< largest of the ledger, of the same
    double shifted;  ///< farthest that the box was from where it started [m]
    double pressed;  ///< largest normal force on a tip [N]
    double loosest;  ///< smallest sum of normal forces on the right tips while it hangs [N]
    int stopped;     ///< ticks in which a group stood still
    bool finite;
} Insertion;

// ---------------------------------------------------------------------------------- the world

typedef struct {
    char text[handSettings][128];
    int count;
} HandSettings;

static inline void addHandSetting(HandSettings* s, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void addHandSetting(HandSettings* s, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text[s->count], sizeof s->text[0], format, arguments);
    va_end(arguments);
    ++s->count;
}

/// Joints of a hand: hinges of two points, and two balls.
static inline int pointNames(char names[handPoints][32])
{
    static const char* const fingers[3] = {"thumb", "index", "middle"};
    int count = 0;
    for (int i = 0; i < 18; ++i) {
        const char *hand = handNames[i / 9], *finger = fingers[i / 3 % 3];
        const bool ball = i % 3 == 0 && i / 3 % 3 < 2;
        for (int k = 0; k < (ball ? 1 : 2); ++k) {
            snprintf(names[count++], 32, "%s-%s%d-%s", hand, finger, i % 3 + 1,
                     ball ? "ball"
                     : k  ? "b"
                          : "a");
        }
    }
    return count;
}

static inline void placePeg(HandSettings* s, uint64_t seed)
{
    plRng rng = plRng_Seed(seed);
    const double x = pegStart[0] + plRng_Uniform(&rng, -pegShift, pegShift);
    const double y = pegStart[1] + plRng_Uniform(&rng, -pegShift, pegShift);
    const double yaw = plRng_Uniform(&rng, -pegYaw, pegYaw);
    addHandSetting(s, "mechanisms.peg.position=[%.17g, %.17g, %.17g]", x, y, pegStart[2]);
    addHandSetting(s, "mechanisms.peg.orientation={\"axis\": [0, 0, 1], \"angle\": %.17g}", yaw);
}

static inline HandSettings settingsOf(const HandCase* c)
{
    HandSettings s = {.count = 0};
    char names[handPoints][32];
    const int points = pointNames(names);
    for (int i = 0; i < points; ++i) {
        addHandSetting(&s, "links.%s.stiffness=%.17g", names[i], c->stiffness);
        addHandSetting(&s, "links.%s.damping=%.17g", names[i], c->damping);
    }
    if (c->seed) placePeg(&s, c->seed);
    if (c->min < c->max) {
        addHandSetting(&s, "step={\"min\": %.17g, \"max\": %.17g, \"seed\": %d}", c->min, c->max,
                       (int)c->seed + 1);
    } else {
        addHandSetting(&s, "step=%.17g", c->min);
    }
    if (c->time > 0) addHandSetting(&s, "time=%.17g", c->time);
    if (c->setting) addHandSetting(&s, "%s", c->setting);
    return s;
}

/// From the one point that a link holds to the other, by where their parts are [m].
static inline plVec3 gapOf(const Hands* h, plLinkId id)
{
    const plLink* link = &h->world->links[id.index1 - 1];
    plMotion a, b;
    checkOk(h->world, plWorld_Motion(h->world, link->a, &a));
    checkOk(h->world, plWorld_Motion(h->world, link->b, &b));
    return plSub(a.x, b.x);
}

static inline void findHands(Hands* h)
{
    char names[handPoints][32];
    h->pointCount = pointNames(names);
    checkOk(h->world, plWorld_FindMechanism(h->world, "peg", &h->peg));
    checkOk(h->world, plWorld_FindMechanism(h->world, "box", &h->box));
    for (int i = 0; i < h->pointCount; ++i)
        checkOk(h->world, plWorld_FindLink(h->world, names[i], &h->points[i].id));
    for (int i = 0; i < handTips; ++i) {
        char name[32];
        snprintf(name, sizeof name, "%s-%s", handNames[i / 3], tipNames[i % 3]);
        checkOk(h->world, plWorld_FindMechanism(h->world, name, &h->tips[i]));
    }
}

static inline Hands openHands(const HandCase* c)
{
    const HandSettings s = settingsOf(c);
    const char* file = PALP_SOURCE_SCENES "/peg-in-hole.json";
    const char* list[handSettings];
    plSceneError error;
    Hands h = {0};
    for (int i = 0; i < s.count; ++i) list[i] = s.text[i];
    if (plScene_Load(file, list, s.count, &h.scene, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    if (plScene_CreateWorld(h.scene, &h.world, &error) != pl_statusOk)
        fail_msg("%s", error.message);
    h.stepper = plScene_Stepper(h.scene);
    h.start = energyOf(h.world);
    findHands(&h);
    for (int i = 0; i < h.pointCount; ++i) h.points[i].gap = gapOf(&h, h.points[i].id);
    return h;
}

static inline void closeHands(Hands* h)
{
    plWorld_Destroy(h->world);
    plScene_Destroy(h->scene);
}

// ------------------------------------------------------------------------------------- a tick

/// Of each tip against the peg, in the last tick [N]; true: some shape of a hand is at the peg.
static inline bool tipForces(const Hands* h, double normal[handTips])
{
    bool touched = false;
    for (int k = 0; k < handTips; ++k) normal[k] = 0;
    for (int i = 0; i < plWorld_ContactCount(h->world); ++i) {
        plContactInfo c;
        checkOk(h->world, plWorld_Contact(h->world, i, &c));
        const bool mine = c.a.mechanism.index1 == h->peg.index1;
        const plMechanismId other = mine ? c.b.mechanism : c.a.mechanism;
        if (!mine && c.b.mechanism.index1 != h->peg.index1) continue;
        if (other.index1 == 0 || other.index1 == h->box.index1) continue;
        touched |= plDot(c.force, c.normal) > 0;
        for (int k = 0; k < handTips; ++k)
            if (other.index1 == h->tips[k].index1) normal[k] += plDot(c.force, c.normal);
    }
    return touched;
}

/// A passive link's force is that of the mean of its stretch over the tick, f = -(k d^ + b dd/T): so
/// must it be with the gap that the parts' places have.
static inline double offOf(const HandCase* c, plVec3 d0, plVec3 d1, plVec3 f, double T)
{
    const plVec3 spring = plScale(0.5 * c->stiffness, plAdd(d0, d1));
    const plVec3 damper = plScale(c->damping / T, plSub(d1, d0));
    return plNorm(plAdd(f, plAdd(spring, damper))) / c->stiffness;
}

/// The gap between two ticks has a part in the forces of both: it is held against the larger one.
static inline void measurePoints(Hands* h, const HandCase* c, double T, Insertion* r)
{
    const bool whole = plWorld_Report(h->world).halvings == 0; // else a tick has several means
    for (int i = 0; i < h->pointCount; ++i) {
        HandPoint* p = &h->points[i];
        const plVec3 gap = gapOf(h, p->id);
        const double before = plNorm(p->gap);
        double force[3];
        checkOk(h->world, plWorld_LinkForce(h->world, p->id, force));
        const double now = plNorm(plGet3(force)), says = fmax(now, p->force) / c->stiffness;
        const double mean = 0.5 * plNorm(plAdd(p->gap, gap));
        if (whole) r->off = fmax(r->off, offOf(c, p->gap, gap, plGet3(force), T));
        if (whole && mean > smallMean) r->mean = fmax(r->mean, mean * c->stiffness / now);
        if (before > smallGap) {
            r->ratio = fmax(r->ratio, before / says);
            r->often += before > 1.1 * says;
        }
        p->mostGap = fmax(p->mostGap, plNorm(gap));
        p->mostForce = fmax(p->mostForce, now);
        p->gap = gap;
        p->force = now;
        if (!isfinite(plNorm(gap)) || !isfinite(now)) r->finite = false;
    }
}

static inline void closePoints(const Hands* h, const HandCase* c, Insertion* r)
{
    for (int i = 0; i < h->pointCount; ++i) {
        const HandPoint* p = &h->points[i];
        r->gap = fmax(r->gap, p->mostGap);
        r->peak = fmax(r->peak, p->mostGap * c->stiffness / p->mostForce);
    }
    r->often /= (double)r->steps * h->pointCount;
}

/// What the correction of depth gives (drift of contacts) is paid by what the same tick loses, or from what contacts took
/// before; the rest of what is neither supplied, stored nor dissipated came from nowhere.
static inline void measureEnergy(const Hands* h, Insertion* r)
{
    const plAccount a = plWorld_Ledger(h->world), c = plWorld_ContactLedger(h->world);
    const double paid = c.dissipated - plWorld_Tank(h->world) + c.drift;
    const double gain = a.kinetic + a.potential - h->start - a.applied;
    const double scale = fabs(a.applied) + a.dissipated + a.kinetic + fabs(a.potential);
    r->excess = fmax(r->excess, gain / scale);
    r->created = fmax(r->created, (gain + a.dissipated - paid) / scale);
    r->residual = fmax(r->residual, fabs(a.residual) / scale);
    r->rise = a.rise / scale;
    if (!isfinite(gain) || !isfinite(scale)) r->finite = false;
}

static inline void measurePeg(const Hands* h, Insertion* r)
{
    const double time = plWorld_Time(h->world);
    double normal[handTips];
    plMotion m, box;
    if (tipForces(h, normal)) r->touched = time;
    checkOk(h->world, plWorld_Motion(h->world, r->bottom, &m));
    checkOk(h->world, plWorld_Motion(h->world, (plSite){.mechanism = h->box}, &box));
    r->shifted = fmax(r->shifted, plNorm(plSub(box.x, plVec(0, 0.02, 0.0125))));
    r->lifted = fmax(r->lifted, m.x.z);
    r->sunk = fmax(r->sunk, -m.x.z);
    r->aside = fmax(fabs(m.x.x), fabs(m.x.y));
    r->depth[1] = m.x.z;
    if (time < openedAt) r->depth[0] = m.x.z;
    for (int k = 0; k < handTips; ++k) r->pressed = fmax(r->pressed, normal[k]);
    if (time > liftedAt - 2 && time < liftedAt)
        r->loosest = fmin(r->loosest, fmin(normal[0], normal[1] + normal[2]));
}

static inline Insertion insertPeg(const HandCase* c)
{
    const int stops = pl_troubleStopped | pl_troubleNotFinite;
    Hands h = openHands(c);
    const double time = plScene_Time(h.scene);
    Insertion r = {.bottom = {h.peg, 0, {0, 0, -pegHalf}},
                   .created = -INFINITY,
                   .excess = -INFINITY,
                   .loosest = INFINITY,
                   .finite = true};
    while (plWorld_Time(h.world) < time && r.finite) {
        const double T = plStepper_Next(&h.stepper);
        plWorld_Step(h.world, T);
        r.stopped += (plWorld_Report(h.world).trouble & stops) != 0;
        ++r.steps;
        measurePeg(&h, &r);
        measureEnergy(&h, &r);
        measurePoints(&h, c, T, &r);
    }
    closePoints(&h, c, &r);
    closeHands(&h);
    return r;
}

/// At the bottom when the hands are open, and still there when nothing has touched it for a second.
/// `aside` tells this hole, 21 mm wide, from the floor beside the box.
static inline bool isDone(const Insertion* r, double end)
{
    const double deep = 1e-3; // of a hole of 25 mm
    return r->finite && r->lifted > 0.03 && r->depth[0] <= deep && r->depth[1] <= deep &&
           r->aside <= 0.0105 && r->touched <= end - 1;
}

#endif
