// Soft bodies whose elements turn, and a hand that pulls at them.
#ifndef PALP_TEST_SOFT_THINGS_H
#define PALP_TEST_SOFT_THINGS_H

#include "fems.h"

// --- bodies in a world

static inline const char* nameOf(plSoftModel model) { return plSoftModel_Name((int)model); }

/// A box in a world, with the mesh that it was made of.
typedef struct {
    plWorld* world;
    plMechanismId id;
    plTets mesh;
    plVec3* x; // where its nodes are
    double T;
} Thing;

static inline bool atStart(plVec3 X) { return X.x < 1e-9; }
static inline bool never(plVec3 X)
{
    (void)X;
    return false;
}

static inline Thing thingIn(plWorld* world, plTets mesh, plSoftDef def, bool (*isHeld)(plVec3))
{
    Thing t = {.world = world, .mesh = mesh, .T = def.step};
    int* held = calloc((size_t)mesh.pointCount, sizeof *held);
    t.x = calloc((size_t)mesh.pointCount, sizeof *t.x);
    for (int i = 0; i < mesh.pointCount; ++i) {
        if (isHeld(mesh.points[i])) held[def.heldCount++] = i;
    }
    def.name = "thing";
    def.mesh = &t.mesh;
    def.held = held;
    checkOk(t.world, plWorld_AddSoft(t.world, &def, &t.id));
    free(held);
    return t;
}

/// Takes the mesh over.
static inline Thing makeThing(plTets mesh, plSoftDef def, plVec3 gravity, bool (*isHeld)(plVec3))
{
    return thingIn(makeWorld(gravity, 2), mesh, def, isHeld);
}

static inline void freeThing(Thing* t)
{
    plWorld_Destroy(t->world);
    plTets_Free(&t->mesh);
    free(t->x);
}

static inline void look(Thing* t)
{
    assert_int_equal(plWorld_SoftPoints(t->world, t->id, t->x), pl_statusOk);
}

static inline double volumeOf(const plTets* mesh, const plVec3* x, int* inverted)
{
    double sum = 0;
    *inverted = 0;
    for (int i = 0; i < mesh->tetCount; ++i) {
        const int* v = &mesh->tets[4 * i];
        const plVec3 b = plSub(x[v[1]], x[v[0]]), c = plSub(x[v[2]], x[v[0]]);
        const double volume = plDot(plCross(b, c), plSub(x[v[3]], x[v[0]])) / 6;
        sum += volume;
        *inverted += volume < 0;
    }
    return sum;
}

/// Volume now over that at rest.
static inline double swell(Thing* t)
{
    int none;
    look(t);
    return volumeOf(&t->mesh, t->x, &none) / volumeOf(&t->mesh, t->mesh.points, &none);
}

/// How far its nodes are from the best rigid place of its rest shape, of its size; how it turned.
static inline double distortion(Thing* t, plMat3* R)
{
    const int n = t->mesh.pointCount;
    const plVec3* X = t->mesh.points;
    plVec3 a = {0}, b = {0};
    plMat3 F = {0};
    double worst = 0, size = 0;
    look(t);
    for (int i = 0; i < n; ++i) {
        a = plAddScaled(a, 1.0 / n, X[i]);
        b = plAddScaled(b, 1.0 / n, t->x[i]);
    }
    for (int i = 0; i < n; ++i) {
        const plVec3 from = plSub(X[i], a), to = plSub(t->x[i], b);
        F.x = plAddScaled(F.x, to.x, from);
        F.y = plAddScaled(F.y, to.y, from);
        F.z = plAddScaled(F.z, to.z, from);
    }
    *R = plNearestTurn(&F);
    for (int i = 0; i < n; ++i) {
        const plVec3 from = plSub(X[i], a), to = plSub(t->x[i], b);
        worst = fmax(worst, plNorm(plSub(to, plMul(R, from))));
        size = fmax(size, plNorm(from));
    }
    return worst / size;
}

/// What the ledger does not explain, of what flowed.
static inline double residual(const plWorld* w)
{
    const plAccount a = plWorld_Ledger(w);
    return fabs(a.residual) /
           (fabs(a.kinetic) + fabs(a.potential) + fabs(a.applied) + a.dissipated + 1e-12);
}

static inline plSoftDef limp(plSoftModel model)
{
    plSoftDef def = plDefaultSoftDef();
    def.model = model;
    def.elastic = (plElastic){1e5, 0.3, 1000};
    def.step = 2e-3;
    def.alpha = 20;
    return def;
}

static inline plTets bar(void)
{
    return boxMesh(8, 2, 2, (plVec3){0, -0.01, -0.01}, (plVec3){0.2, 0.01, 0.01});
}

// --- energy

static uint64_t seed = 1;

static inline double anyOf(double lo, double hi)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(seed >> 11) * 0x1p-53;
}

/// A corner of the far end of a bar, as a site.
static inline plSite farSite(const Thing* t, plVec3 at)
{
    plSite site = {.mechanism = t->id};
    int count;
    const int* faces = plWorld_SoftFaces(t->world, t->id, &count);
    for (int i = 0; i < 3 * count && site.part == 0; ++i) {
        if (plNorm(plSub(t->mesh.points[faces[i]], at)) > 1e-9) continue;
        site.part = 1 + i / 3;
        site.point = (plVec3){i % 3 == 0, i % 3 == 1, i % 3 == 2};
    }
    assert_true(site.part > 0);
    return site;
}

typedef struct {
    double flowed;  // of the hand, at most
    double created; // the largest sum of what the body's integrator gave since the start
    double tick;    // the most that one tick gave
    double residual;
    int gave, ticks; // ticks that gave more than round-off
    bool finite;
} Course;

static inline bool atFarEnd(plVec3 X) { return X.x > 0.2 - 1e-9; }

/// What a tick showed.
static inline void note(Course* c, const Thing* t, double* before)
{
    plAccount a;
    assert_int_equal(plWorld_MechanismLedger(t->world, t->id, &a), pl_statusOk);
    const plAccount all = plWorld_Ledger(t->world);
    const double sum = a.integrator + a.leak;
    c->flowed = fmax(c->flowed, fabs(all.applied) + fabs(a.kinetic) + fabs(a.potential));
    c->created = fmax(c->created, sum);
    c->tick = fmax(c->tick, sum - *before);
    c->gave += sum - *before > 1e-12 * c->flowed;
    c->finite = plWorld_Report(t->world).trouble == 0;
    c->residual = residual(t->world);
    *before = sum;
}

/// A hand at the far end of a bar, on a spring at each of some corners.
static inline plMechanismId addHand(Thing* t, plVec3 at, double K, double B, int corners)
{
    static const char* const names[4] = {"a", "b", "c", "d"};
    const plVec3 sides[4] = {
        {0.2, 0.01, 0.01}, {0.2, -0.01, 0.01}, {0.2, 0.01, -0.01}, {0.2, -0.01, -0.01}};
    plPrescribedDef hand = {.name = "hand", .pose = {at, {1, 0, 0, 0}}};
    plLinkDef def = plDefaultLinkDef();
    plMechanismId frame;
    plLinkId link;
    checkOk(t->world, plWorld_AddPrescribed(t->world, &hand, &frame));
    def.form = pl_linkImplicit;
    def.stiffness = K;
    def.damping = B;
    def.b.mechanism = frame;
    for (int i = 0; i < corners; ++i) {
        def.name = names[i];
        def.a = farSite(t, sides[i]);
        def.b.point = plSub(sides[i], at);
        checkOk(t->world, plWorld_AddLink(t->world, &def, &link));
    }
    return frame;
}

static inline void steer(Thing* t, plMechanismId hand, plVec3 p)
{
    checkOk(t->world, plWorld_Steer(t->world, hand, (plPose){p, {1, 0, 0, 0}}));
    plWorld_Step(t->world, t->T);
}

static inline Thing barFor(plSoftModel model, double E, double T, bool held, plVec3 gravity)
{
    plSoftDef def = limp(model);
    plTets mesh = bar();
    int list[9], count = 0;
    for (int i = 0; i < mesh.pointCount; ++i) {
        if (atFarEnd(mesh.points[i])) list[count++] = i;
    }
    assert_int_equal(count, 9);
    def.elastic.E = E;
    def.alpha = 0;
    def.step = T;
    def.candidates = list;
    def.candidateCount = count;
    return makeThing(mesh, def, gravity, held ? atStart : never);
}

/// A hand that goes to places at random, a new one every 50 ticks.
static inline Course drag(plSoftModel model, bool held, double E, int ticks, uint64_t from)
{
    const double reach = 0.15;
    const plVec3 home = {0.2, 0.01, 0.01};
    Thing t = barFor(model, E, 2e-3, held, (plVec3){0, 0, -9.81});
    const plMechanismId hand = addHand(&t, home, 200, 0, 1);
    Course c = {.ticks = ticks, .finite = true};
    plVec3 goal = home, p = home;
    double before = 0;
    seed = from;
    for (int k = 0; k < ticks && c.finite; ++k) {
        if (k % 50 == 0) {
            goal.x = home.x + anyOf(-reach, reach);
            goal.y = home.y + anyOf(-reach, reach);
            goal.z = home.z + anyOf(-reach, reach);
        }
        p = plAddScaled(p, 0.1, plSub(goal, p));
        steer(&t, hand, p);
        note(&c, &t, &before);
    }
    freeThing(&t);
    return c;
}

static inline void say(plSoftModel model, double E, const char* what, const Course* c)
{
    print_message("%s, %s, E %.0e: created %.1e of %.2e J, most in a tick %.1e (%d of %d gave), "
                  "residual %.1e%s\n",
                  nameOf(model), what, E, c->created, c->flowed, c->tick, c->gave, c->ticks,
                  c->residual, c->finite ? "" : ", stopped");
}

#endif
