// Random assemblies of rigid links: in every tick all links stay closed, energy never rises beyond what was
// applied, and no group is stopped. Gaps come from the motion of the sites, not from the report.
#include "ticks.h"

enum { ropes, chains, loops, grids, redundant, mixed, kindCount };

static const char* const kindNames[] = {"rope", "chains", "loop", "grid", "redundant", "mixed"};

typedef enum {
    ball,
    hinge,
    universal,
    fixed,
    prismatic,
    cylindrical,
    pointOnLine,
    distance,
    jointKinds
} JointKind;

/// A scene, and what its random choices share.
typedef struct {
    Scene s;
    double ratio;        ///< of masses, at most
    bool slides;         ///< something may slide away
    int frame;           ///< a prescribed frame that moves, or -1
    plPose start;        ///< of it
    double sway, sways;  ///< how far [m] and how often [Hz] it moves
    bool anchored;       ///< joined to the ground or to a frame
    plVec3 spin, origin; ///< of the rigid motion at the start
    plVec3 velocity;
} Links;

// ---------------------------------------------------------------------------------- parts

static double randomMass(Links* l) { return 0.02 * logUniform(&l->s.rng, 1, l->ratio); }

static plMat3 randomInertia(Links* l, double mass, double size)
{
    const double J = mass * size * size / 12, across = between(&l->s.rng, 0.2, 1);
    return diagonal(across * J, J, J * between(&l->s.rng, 1, 1 + 0.8 * across));
}

// A body from `from` to `to` along its x.
static int addRod(Links* l, plVec3 from, plVec3 to)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    const plVec3 way = plSub(to, from);
    def.mass = randomMass(l);
    def.inertia = randomInertia(l, def.mass, fmax(0.01, plNorm(way)));
    def.pose.p = plAddScaled(from, 0.5, way);
    def.pose.q = alongX(unitOf(way));
    const plMat3 R = plRotation(def.pose.q);
    def.velocity = plAdd(l->velocity, plCross(l->spin, plSub(def.pose.p, l->origin)));
    def.spin = plMulT(&R, l->spin);
    return addBodyOf(&l->s, def);
}

// A chain of `n` bodies on joints, from `from`, free to move as a whole or fixed there.
static int addSerialArm(Links* l, plVec3 from, int n, bool isFree, bool parallel)
{
    plChainBodyDef bodies[8];
    plChainDef def = plDefaultChainDef();
    plRng* rng = &l->s.rng;
    const double length = between(rng, 0.03, 0.15);
    for (int i = 0; i < n; ++i) {
        plChainBodyDef* b = &bodies[i];
        *b = plDefaultChainBodyDef();
        b->name = partName(i);
        b->parent = i - 1;
        b->joint = i == 0 && isFree            ? pl_jointFree
                   : !parallel && once(rng, 4) ? pl_jointSpherical
                                               : pl_jointRevolute;
        b->axis = parallel ? plVec(0, 0, 1) : randomUnit(rng);
        if (i > 0) b->frame.p.x = length;
        b->mass = randomMass(l);
        b->center.x = 0.5 * length;
        b->inertia = randomInertia(l, b->mass, length);
        if (b->joint == pl_jointRevolute) b->position[0] = between(rng, -0.6, 0.6);
        if (b->joint == pl_jointSpherical) plPut4(plExp(normalVec(rng, 0.3)), b->position);
        if (b->joint == pl_jointFree) {
            plPut3(from, b->position);
            plPut4(plExp(normalVec(rng, 0.5)), b->position + 3);
        }
    }
    if (!isFree) def.base.p = from;
    def.bodies = bodies;
    def.bodyCount = n;
    return addChainOf(&l->s, def);
}

static plVec3 tipOf(const Links* l, int arm)
{
    const int last = l->s.parts[arm] - 1;
    return motionOf(l->s.world, (plSite){l->s.ids[arm], last, {0.08, 0, 0}}).x;
}

static int lastPart(const Links* l, int mechanism)
{
    return mechanism < 0 ? 0 : l->s.parts[mechanism] - 1;
}

// ---------------------------------------------------------------------------------- joints

// Two bodies as they are now, joined at x; free axes are along `axis`, in the world. -1: the ground.
static void join(Links* l, int a, int partA, int b, int partB, plVec3 x, JointKind kind,
                 plVec3 axis)
{
    plLinkDef def = plDefaultLinkDef();
    plVec3 t1, t2;
    def.a = siteAt(&l->s, a, partA, x);
    def.b = siteAt(&l->s, b, partB, x);
    const plMotion A = motionOf(l->s.world, def.a), B = motionOf(l->s.world, def.b);
    const plMat3 rest = plTransMul(&B.R, &A.R);
    const plVec3 local = plMulT(&B.R, axis);
    plTangents(local, &t1, &t2);
    def.stiffness = INFINITY;
    def.turns = kind != ball && kind != pointOnLine && kind != distance;
    def.turnStiffness = def.turns ? (double)INFINITY : 0;
    def.rest = plQuatOf(&rest);
    if (kind == hinge || kind == universal || kind == cylindrical) def.hinge = local;
    if (kind == universal) def.cross = t1;
    if (kind == prismatic || kind == cylindrical || kind == pointOnLine) def.slide = local;
    l->slides = l->slides || plNorm(def.slide) > 0;
    if (kind == distance) {
        const plVec3 other = plAddScaled(x, between(&l->s.rng, 0.02, 0.1), axis);
        def.b = siteAt(&l->s, b, partB, other);
        def.distance = plNorm(plSub(motionOf(l->s.world, def.b).x, A.x));
    }
    addLinkOf(&l->s, def);
}

static JointKind ropeJoint(plRng* rng)
{
    const JointKind list[] = {ball, ball, ball, ball, hinge, hinge, universal, fixed};
    return list[below(rng, 8)];
}

// The ground, a frame that stands or sways, or nothing (-2). With two anchors a frame stands: a rope between
// them could not follow.
static int anchorOf(Links* l, plVec3 x, bool must)
{
    plRng* rng = &l->s.rng;
    const int choice = below(rng, must ? 3 : 4);
    const bool isSecond = l->anchored;
    if (isSecond) l->sway = 0;
    if (choice < 3) l->anchored = true;
    if (choice == 0) return -1;
    if (choice == 3) return -2;
    if (l->frame < 0) {
        const bool sways = choice == 2 && !isSecond;
        l->start = (plPose){x, randomTurn(rng)};
        l->frame = addFrameAt(&l->s, l->start);
        l->sway = sways ? between(rng, 0.01, 0.1) : 0;
        l->sways = between(rng, 0.2, 3);
    }
    return l->frame;
}

// ---------------------------------------------------------------------------------- kinds

// Bends a direction by up to `bend` [rad].
static plVec3 bent(plRng* rng, plVec3 d, double bend)
{
    const plMat3 R = plRotation(plExp(normalVec(rng, 0.5 * bend)));
    return plMul(&R, d);
}

// Bodies end to end from `at`, with a weight at the end of some.
static void makeRope(Links* l, plVec3 at)
{
    plRng* rng = &l->s.rng;
    const int n = 3 + below(rng, 10);
    const double length = between(rng, 0.02, 0.1), bend = once(rng, 3) ? 0 : once(rng, 2) ? 0.3 : 2;
    plVec3 d = randomUnit(rng);
    int before = anchorOf(l, at, false);
    for (int i = 0; i < n; ++i) {
        const plVec3 to = plAddScaled(at, length, d);
        const int body = addRod(l, at, to);
        if (before > -2)
            join(l, body, 0, before, 0, at, i ? ropeJoint(rng) : ball, randomUnit(rng));
        at = to;
        before = body;
        d = bent(rng, d, bend);
    }
    const int last = once(rng, 3) ? anchorOf(l, at, true) : -2;
    if (last > -2) join(l, before, 0, last, 0, at, ball, plVec(1, 0, 0));
}

// Articulated mechanisms and bodies, one linked to the next.
static void makeChains(Links* l)
{
    plRng* rng = &l->s.rng;
    const int n = 2 + below(rng, 3);
    const bool isFree = once(rng, 2), held = once(rng, 2);
    int before = addSerialArm(l, plVec(0, 0, 0), 1 + below(rng, 4), isFree, once(rng, 3));
    l->anchored = !isFree || held;
    if (held) join(l, before, 0, -1, 0, plVec(0, 0, 0), ball, plVec(1, 0, 0));
    for (int i = 1; i < n; ++i) {
        const plVec3 at = tipOf(l, before);
        const int next = once(rng, 3) ? addRod(l, at, plAddScaled(at, 0.08, randomUnit(rng)))
                                      : addSerialArm(l, at, 1 + below(rng, 4), true, once(rng, 3));
        join(l, next, 0, before, lastPart(l, before), at, ropeJoint(rng), randomUnit(rng));
        before = next;
    }
    const plVec3 at = tipOf(l, before);
    if (once(rng, 3)) {
        join(l, before, lastPart(l, before), anchorOf(l, at, true), 0, at, ball, plVec(1, 0, 0));
    }
}

// A polygon of bodies; in a plane all hinges are parallel, and three of their rows are redundant.
static void makeLoop(Links* l)
{
    plRng* rng = &l->s.rng;
    const int n = 3 + below(rng, 7);
    const double R = between(rng, 0.05, 0.2);
    const bool plane = once(rng, 2);
    const plVec3 z = plVec(0, 0, 1);
    plVec3 corners[10];
    int bodies[10];
    for (int i = 0; i < n; ++i) {
        const double a = 2 * PL_PI * (i + between(rng, -0.2, 0.2)) / n;
        corners[i] = plVec(R * cos(a), R * sin(a), plane ? 0 : between(rng, -0.05, 0.05));
    }
    for (int i = 0; i < n; ++i) bodies[i] = addRod(l, corners[i], corners[(i + 1) % n]);
    for (int i = 0; i < n; ++i) {
        join(l, bodies[(i + 1) % n], 0, bodies[i], 0, corners[(i + 1) % n], plane ? hinge : ball,
             z);
    }
    const int anchor = anchorOf(l, corners[0], false);
    if (anchor > -2) join(l, bodies[0], 0, anchor, 0, corners[0], plane ? hinge : ball, z);
}

// Bodies in a net, joined at the middles of their sides or by distances.
static void makeGrid(Links* l)
{
    plRng* rng = &l->s.rng;
    const int rows = 2 + below(rng, 3), columns = 2 + below(rng, 4);
    const double side = between(rng, 0.03, 0.1);
    const bool apart = once(rng, 3);
    int ids[4][5];
    for (int i = 0; i < rows * columns; ++i) {
        const plVec3 at = plVec(side * (i % columns), side * (i / columns), 0);
        const plVec3 half = plVec(0.4 * side, 0, 0);
        ids[i / columns][i % columns] = addRod(l, plSub(at, half), plAdd(at, half));
    }
    for (int i = 0; i < rows * columns; ++i) {
        const int r = i / columns, c = i % columns;
        const plVec3 at = plVec(side * c, side * r, 0), x = plVec(1, 0, 0), y = plVec(0, 1, 0);
        const plVec3 right = plAddScaled(at, 0.5 * side, x), up = plAddScaled(at, 0.5 * side, y);
        const JointKind kind = apart ? distance : ball;
        if (c + 1 < columns) join(l, ids[r][c], 0, ids[r][c + 1], 0, right, kind, x);
        if (r + 1 < rows) join(l, ids[r][c], 0, ids[r + 1][c], 0, up, kind, y);
    }
    const plVec3 corner = plVec(side * (columns - 1), side * (rows - 1), 0);
    const int first = anchorOf(l, plVec(0, 0, 0), false);
    if (first > -2) join(l, ids[0][0], 0, first, 0, plVec(0, 0, 0), ball, plVec(1, 0, 0));
    if (first > -2 && once(rng, 2)) {
        l->sway = 0;
        join(l, ids[rows - 1][columns - 1], 0, -1, 0, corner, ball, plVec(1, 0, 0));
    }
}

// Two arms whose tips are fixed to one body; their axes may all be parallel. Then links that are given twice.
static void makeRedundant(Links* l)
{
    plRng* rng = &l->s.rng;
    const bool parallel = once(rng, 2);
    const plVec3 bases[2] = {{0, 0, 0}, {0.3, 0.1, parallel ? 0 : 0.1}};
    int arms[2];
    for (int i = 0; i < 2; ++i)
        arms[i] = addSerialArm(l, bases[i], 2 + below(rng, 5), false, parallel);
    const plVec3 tips[2] = {tipOf(l, arms[0]), tipOf(l, arms[1])};
    const int body = addRod(l, tips[0], tips[1]);
    for (int i = 0; i < 2; ++i) {
        join(l, body, 0, arms[i], lastPart(l, arms[i]), tips[i], fixed, plVec(1, 0, 0));
    }
    const int given = l->s.linkCount, twice = 1 + below(rng, 2);
    for (int i = 0; i < twice; ++i) addLinkOf(&l->s, l->s.links[below(rng, given)]);
    if (once(rng, 2)) { // a hinge of two balls, and a third one on its axis
        const plVec3 at = plVec(-0.2, 0, 0);
        const int rod = addRod(l, at, plVec(-0.2, 0.1, 0));
        for (int i = 0; i < 3; ++i) {
            join(l, rod, 0, -1, 0, plAdd(at, plVec(0.03 * i, 0, 0)), ball, plVec(1, 0, 0));
        }
    }
    l->anchored = true;
}

// A tree of bodies on joints of all kinds, with up to two loops closed.
static void makeMixed(Links* l)
{
    plRng* rng = &l->s.rng;
    const int n = 3 + below(rng, 7), anchor = anchorOf(l, plVec(0, 0, 0), true), first = l->s.count;
    for (int i = 0; i < n; ++i) {
        const int parent = i == 0 ? anchor : first + below(rng, i);
        const plVec3 from =
            i == 0 ? plVec(0, 0, 0)
                   : motionOf(l->s.world, (plSite){l->s.ids[parent], 0, normalVec(rng, 0.04)}).x;
        const int body =
            addRod(l, from, plAddScaled(from, between(rng, 0.03, 0.1), randomUnit(rng)));
        join(l, body, 0, parent, 0, from, (JointKind)below(rng, jointKinds), randomUnit(rng));
    }
    for (int i = below(rng, 3); i > 0; --i) {
        const int a = first + below(rng, n), b = first + (a - first + 1 + below(rng, n - 1)) % n;
        const JointKind kinds[] = {ball, distance, pointOnLine};
        const plVec3 x = motionOf(l->s.world, (plSite){l->s.ids[a], 0, normalVec(rng, 0.04)}).x;
        join(l, a, 0, b, 0, x, kinds[below(rng, 3)], randomUnit(rng));
    }
}

// ---------------------------------------------------------------------------------- drives

static plDriveDef driveOf(Links* l, int mechanism, plVec3 force)
{
    plDriveDef def = plDefaultDriveDef();
    def.site = (plSite){l->s.ids[mechanism], lastPart(l, mechanism), {0, 0, 0}};
    def.wrench.force = force;
    if (once(&l->s.rng, 2)) {
        def.bias = 0;
        def.amplitude = 1;
        def.frequency = between(&l->s.rng, 0.5, 5);
    }
    return def;
}

// Up to a thousand times the weight. Nothing that is free to leave is driven away: then two forces
// stretch it.
static void addDrives(Links* l)
{
    plRng* rng = &l->s.rng;
    if (once(rng, 3)) return;
    const double F = l->s.weight * logUniform(rng, 0.1, l->slides ? 10 : 1e3);
    int a = l->s.count - 1, b = 0;
    if (a == l->frame) --a;
    if (b == l->frame) ++b;
    plDriveDef drive = driveOf(l, a, plScale(F, randomUnit(rng)));
    addDriveOf(&l->s, drive);
    if (l->anchored) return;
    drive.site = (plSite){l->s.ids[b], 0, {0, 0, 0}};
    drive.wrench.force = plScale(-1, drive.wrench.force);
    addDriveOf(&l->s, drive);
}

// ---------------------------------------------------------------------------------- a scene

static void makeLinks(Range range, int scene, Links* l)
{
    const double ratios[] = {1, 10, 100, 1e4};
    plWorldDef def = plDefaultWorldDef();
    *l = (Links){.s.rng = rngOf(range, scene), .frame = -1};
    plRng* rng = &l->s.rng;
    l->s.rate = tickRates[scene % 4];
    l->ratio = ratios[below(rng, 4)];
    l->s.gravity = once(rng, 4) ? plVec(0, 0, 0) : plScale(9.81, randomUnit(rng));
    if (once(rng, 2)) l->spin = normalVec(rng, 3);
    if (once(rng, 4)) l->velocity = normalVec(rng, 1);
    def.gravity = l->s.gravity;
    def.step = 1 / l->s.rate;
    def.capacity.links = mostLinks;
    def.capacity.rows = 3 * mostLinks;
    def.capacity.memory = 16u << 20;
    def.capacity.shapes = def.capacity.contacts = 4;
    createScene(&l->s, &def);
    switch (scene / 4 % kindCount) {
    case ropes:
        makeRope(l, plVec(0, 0, 0));
        break;
    case chains:
        makeChains(l);
        break;
    case loops:
        makeLoop(l);
        break;
    case grids:
        makeGrid(l);
        break;
    case redundant:
        makeRedundant(l);
        break;
    default:
        makeMixed(l);
    }
    addDrives(l);
}

static void sway(Links* l)
{
    const double t = plWorld_Time(l->s.world) + 1 / l->s.rate, a = 2 * PL_PI * l->sways * t;
    plPose pose = l->start;
    if (l->frame < 0) return;
    pose.p = plAdd(pose.p, plScale(l->sway, plVec(sin(a), 1 - cos(a), 0)));
    pose.q = plQuatMul(plExp(plVec(0, 0, 5 * l->sway * sin(a))), pose.q);
    checkOk(l->s.world, plWorld_Steer(l->s.world, l->s.ids[l->frame], pose));
}

static const Measure measures[] = {
    {"gap", 1e-5, true},       {"gap/goal", 1, false}, {"rise", 1e-9, true},  {"stopped", 0, true},
    {"residual", 1e-12, true}, {"books", 1e-12, true}, {"work", 1e-9, false}, {"apart", 0, false}};

// Work of the drives on the free bodies in the last tick, from the displacement of their centres; INFINITY
// where a chain is driven or a frame moves.
static double workOf(const Links* l, const plVec3* before)
{
    const double t = plWorld_Time(l->s.world) - 0.5 / l->s.rate;
    double work = l->sway > 0 ? (double)INFINITY : 0;
    for (int i = 0; i < l->s.driveCount; ++i) {
        const plDriveDef* d = &l->s.drives[i];
        const double share = d->bias + d->amplitude * sin(2 * PL_PI * d->frequency * t + d->phase);
        const plVec3 way = plSub(motionOf(l->s.world, d->site).x, before[i]);
        if (strcmp(plWorld_MechanismType(l->s.world, d->site.mechanism), "assembly") != 0) {
            return INFINITY;
        }
        work += share * plDot(d->wrench.force, way);
    }
    return work;
}

// One tick; the ledger's energies and work are compared with those of places and velocities.
static void stepAndCompare(Links* l, Watch* watch)
{
    const plAccount a = watch->last;
    const double height = heightEnergyOf(&l->s);
    plVec3 before[mostDrives];
    for (int i = 0; i < l->s.driveCount; ++i) {
        before[i] = motionOf(l->s.world, l->s.drives[i].site).x;
    }
    sway(l);
    watchStep(l->s.world, 1 / l->s.rate, watch);
    watchBooks(l->s.world, watch);
    const plAccount b = watch->last;
    const double work = workOf(l, before), lifted = heightEnergyOf(&l->s) - height;
    larger(&watch->books, fabs(lifted - (b.potential - a.potential)) / watch->scale);
    if (isinf(work)) return;
    larger(&watch->work, fabs(work - (b.applied - a.applied)) / (watch->scale + fabs(work)));
}

// Ticks on, and what was worst.
static void follow(Links* l, int ticks, bool trace, double values[])
{
    const double goal = l->s.rate < 200 ? 1e-6 : 1e-9;
    Watch watch = watchOf(l->s.world, 0.01 * l->s.weight);
    double gap = 0;
    int apart = 0;
    for (int i = 0; i < ticks; ++i) {
        stepAndCompare(l, &watch);
        const double now = gapOfLinks(&l->s);
        larger(&gap, now);
        apart += !(now <= goal);
        const plStepReport r = plWorld_Report(l->s.world);
        if (!trace) continue;
        print_message("tick %d: gap %.3g (report %.3g), energy %.9g J, worst rise %.2g of %.3g J, "
                      "trouble %d, level %d, passes %d\n",
                      i, now, r.gap, energyOf(l->s.world), watch.rise, watch.scale, r.trouble,
                      r.level, r.passes);
    }
    const double list[] = {gap,         gap / goal, watch.rise, watch.stopped, watch.residual,
                           watch.books, watch.work, apart};
    memcpy(values, list, sizeof list);
}

static void describe(const Links* l)
{
    const double F = l->s.driveCount ? plNorm(l->s.drives[0].wrench.force) : 0;
    print_message("%d mechanisms, %d links, %g Hz, mass ratio %g, %s, frame moves by %.3g m, drive "
                  "of %.3g weights\n",
                  l->s.count, l->s.linkCount, l->s.rate, l->ratio,
                  l->anchored ? "anchored" : "free", l->sway, F / l->s.weight);
}

static void rigidLinksStayClosed(void** unused)
{
    (void)unused;
    const Range range = rangeOf(12, 1000);
    static Board board;
    static Links l;
    board = boardOf("rigid links", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makeLinks(range, i, &l);
        if (range.alone) describe(&l), dumpScene(&l.s, 200 / l.s.rate);
        follow(&l, l.s.rate > 500 ? 200 : 100, range.alone && isVerbose(), values);
        snprintf(name, sizeof name, "%s, %g Hz", kindNames[i / 4 % kindCount], l.s.rate);
        enter(&board, name, i, values);
        plWorld_Destroy(l.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigidLinksStayClosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
