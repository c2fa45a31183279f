// Real tosses of a cube, tracked at 148 Hz, and the same cube here from each one's first frame.
//   data     100 tosses by DAIRLab/contact-nets, in SI units                (reference data, toss)
//   errors   |x - x_real| in widths of the cube, and the angle of R^T R_real, in the mean over all
//            frames of all tosses; the first frame, where both agree, is one of them
// Nothing is fitted to a toss. Mass, size, inertia and mu are published. The tick is an eighth of a
// frame, about 1 kHz, where it no longer matters: with 1, 2, 4, 8, 16 and 32 ticks in a frame all
// tosses come to 0.136, 0.130, 0.131, 0.131, 0.132 and 0.132 widths, and to 18.2, 17.8, 17.7, 17.9,
// 17.9 and 17.9 degrees. Impacts are plastic, the default: with mu = 0.18 the cubes then slide as
// far as the real ones did. Restitutions of 0, 0.1, 0.2, 0.3 and 0.4 give 0.131, 0.128, 0.132,
// 0.143 and 0.177 widths, and 17.9, 18.4, 18.1, 18.7 and 22.5 degrees.
//
// Of what is left, 61 % of all angles is in the 17 cubes that come to lie on another face than the
// real one; the others' mean is 8.5 degrees. First velocities are differences of tracked poses:
// from a fit over each free flight they would give 0.125 widths and 15.9 degrees. The real cube
// rests 1.1 mm lower than the floor and its size say.
#define _POSIX_C_SOURCE 200809L
#include "law_problems.h"

enum { tossCount = 100, frameCapacity = 160, columns = 13, ticksPerFrame = 8 };

static const double frameTime = 1.0 / 148, width = 0.1048;

// What was tracked: x y z, the quaternion w x y z, then velocities, of the spin in body axes.
typedef struct {
    int frames;
    double at[frameCapacity][columns];
} Toss;

static Toss tosses[tossCount];

// --- the data

static bool readRow(const char* line)
{
    char* rest;
    const long toss = strtol(line, &rest, 10);
    const long frame = *rest == ',' ? strtol(rest + 1, &rest, 10) : -1;
    if (toss < 0 || toss >= tossCount || frame < 0 || frame >= frameCapacity) return false;
    if (frame != tosses[toss].frames) return false;
    for (int i = 0; i < columns; ++i) {
        if (*rest != ',') return false;
        tosses[toss].at[frame][i] = strtod(rest + 1, &rest);
    }
    tosses[toss].frames++;
    return true;
}

static bool readRows(FILE* pipe)
{
    char line[512];
    int rows = 0;
    if (!fgets(line, sizeof line, pipe)) return false;
    while (fgets(line, sizeof line, pipe)) {
        if (!readRow(line)) return false;
        ++rows;
    }
    return rows == 10208;
}

/// Once for all tests.
static void loadTosses(void)
{
    char command[1200];
    if (tosses[0].frames > 0) return;
    snprintf(command, sizeof command, "gzip -dc '%s'",
             publishedFile("data/toss/tosses-000-099.csv.gz"));
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    const bool complete = readRows(pipe);
    assert_true(pclose(pipe) == 0 && complete);
}

// A seeded order; the first ones are the sample.
static void shuffle(int order[tossCount])
{
    plRng rng = plRng_Seed(1);
    for (int i = 0; i < tossCount; ++i) order[i] = i;
    for (int i = tossCount - 1; i > 0; --i) {
        const int k = (int)(plRng_Next(&rng) % (uint64_t)(i + 1)), other = order[k];
        order[k] = order[i];
        order[i] = other;
    }
}

// --- a cube

typedef struct {
    plLawName law;
    plBias bias;
    int sides;
    double e, driftRate;
} Setting;

// What a set of tosses came to.
typedef struct {
    int frames, tosses;
    double position, angle; // sums over frames [widths], [degrees]
    double slide;           // sum over tosses: how much too far they slid [widths]
    int turned;             // lie on another face than the real one in the end
    double growth;          // largest of a tick, by its energy at start
    double settled;         // the same of a cube that rests [J]
    double depth;           // [m]
    double late;            // depth by T times the fastest way down of a corner, largest of a toss
    int trouble;
} Outcome;

typedef struct {
    plWorld* world;
    plMechanismId id;
    double e0, energy, drift; // at the start; now
    double fastest, depth;
} Cube;

static Cube throwCube(const Toss* toss, const Setting* setting)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    const double* start = toss->at[0];
    Cube c = {0};
    plShapeId shape;
    def.contact.law = setting->law;
    def.contact.bias = setting->bias;
    def.contact.sides = setting->sides;
    def.contact.driftRate = setting->driftRate;
    def.contact.surface.friction = 0.18;
    def.contact.surface.restitution = setting->e;
    checkOk(NULL, plWorld_Create(&def, &c.world));
    body.name = "cube";
    body.mass = 0.37;
    body.inertia = diagonal(8.1e-4, 8.1e-4, 8.1e-4);
    body.pose = (plPose){plGet3(start), plGet4(start + 3)};
    body.velocity = plGet3(start + 7);
    body.spin = plGet3(start + 10);
    checkOk(c.world, plWorld_AddAssembly(c.world, &body, &c.id));
    checkOk(c.world, plWorld_AddShape(c.world, &floor, &shape));
    box.mechanism = c.id;
    box.shape.half = plVec(width / 2, width / 2, width / 2);
    checkOk(c.world, plWorld_AddShape(c.world, &box, &shape));
    c.e0 = c.energy = energyOf(c.world);
    return c;
}

static double fastestDown(const Cube* c)
{
    double fastest = 0;
    for (int i = 0; i < 8; ++i) {
        plSite corner = {.mechanism = c->id};
        plMotion motion;
        corner.point = plScale(width / 2, plVec(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
        checkOk(c->world, plWorld_Motion(c->world, corner, &motion));
        fastest = fmax(fastest, -motion.v.z);
    }
    return fastest;
}

// A tick may lift the cube out of its depth. This is booked as drift, and paid from what contacts
// took before: beside it energy never grows, and all in all there is never more than at the start.
static void tick(Cube* c, double T, Outcome* o)
{
    c->fastest = fmax(c->fastest, fastestDown(c));
    plWorld_Step(c->world, T);
    const plAccount account = plWorld_Ledger(c->world);
    const plStepReport report = plWorld_Report(c->world);
    const double energy = account.kinetic + account.potential;
    const double grown = energy - c->energy - (account.drift - c->drift);
    if (account.kinetic == 0) {
        o->settled = fmax(o->settled, grown);
    } else {
        o->growth = fmax(o->growth, grown / c->e0);
    }
    o->growth = fmax(o->growth, (energy - c->e0) / c->e0);
    c->energy = energy;
    c->drift = account.drift;
    c->depth = fmax(c->depth, report.depth);
    o->trouble |= report.trouble;
}

// --- against the real one

static void compare(const Cube* c, const double* real, Outcome* o)
{
    double q[7];
    checkOk(c->world, plWorld_State(c->world, c->id, q, NULL));
    const plQuat turn = plQuatMul(plQuatConj(plGet4(q + 3)), plQuatUnit(plGet4(real + 3)));
    o->position += plNorm(plSub(plGet3(q), plGet3(real))) / width;
    o->angle += plNorm(plLogQuat(turn)) * 180 / PL_PI;
    o->frames++;
}

// Along the way that the real one went on the floor.
static double slidTooFar(const double* q, const Toss* toss)
{
    const double *first = toss->at[0], *last = toss->at[toss->frames - 1];
    const double x = last[0] - first[0], y = last[1] - first[1];
    return ((q[0] - last[0]) * x + (q[1] - last[1]) * y) / hypot(x, y) / width;
}

// The one of the six sides that looks up most.
static int faceUp(const double* q)
{
    const plMat3 R = plRotation(plQuatUnit(plGet4(q + 3)));
    const double up[3] = {R.z.x, R.z.y, R.z.z};
    int k = 0;
    for (int i = 1; i < 3; ++i) k = fabs(up[i]) > fabs(up[k]) ? i : k;
    return up[k] > 0 ? k : k + 3;
}

static void judgeEnd(const Cube* c, const Toss* toss, Outcome* o)
{
    double q[7];
    checkOk(c->world, plWorld_State(c->world, c->id, q, NULL));
    o->slide += slidTooFar(q, toss);
    o->turned += faceUp(q) != faceUp(toss->at[toss->frames - 1]);
}

static void follow(const Toss* toss, const Setting* setting, Outcome* o)
{
    const double T = frameTime / ticksPerFrame;
    Cube c = throwCube(toss, setting);
    for (int i = 0; i < toss->frames; ++i) {
        for (int k = 0; i > 0 && k < ticksPerFrame; ++k) tick(&c, T, o);
        compare(&c, toss->at[i], o);
    }
    judgeEnd(&c, toss, o);
    o->depth = fmax(o->depth, c.depth);
    o->late = fmax(o->late, c.depth / (T * c.fastest));
    o->tosses++;
    if (setting->driftRate == 0) assert_true(c.drift == 0);
    plWorld_Destroy(c.world);
}

static Outcome followAll(const char* what, const Setting* setting, int count)
{
    Outcome o = {0};
    int order[tossCount];
    shuffle(order);
    for (int i = 0; i < count; ++i) follow(&tosses[order[i]], setting, &o);
    o.position /= o.frames, o.angle /= o.frames, o.slide /= o.tosses;
    print_message("%s, %d tosses: %.4f widths, %.2f degrees; %d on another face;\n"
                  "  slides %+.3f widths too far;"
                  " energy grows by %.1e at most; %.2f mm deep, %.2f T times the fastest corner\n",
                  what, count, o.position, o.angle, o.turned, o.slide, o.growth, 1e3 * o.depth,
                  o.late);
    return o;
}

// --- facts

typedef struct {
    double position, angle;
} Bars;

static const Bars noBars = {INFINITY, INFINITY};

// A cone that fell back to its proximal chain is solved, too; all other trouble is wrong.
// Under `gap` contacts are found ahead, and nothing sinks. Contacts of a cube that rests are solved to 1e-6 of their impulses,
// which moves it by 1e-6 g T^2/2 at most, against its weight.
// Under `one-sided` depth is late discovery, not sinking: a corner that comes down with u is seen after T u at
// most, and the tick that turns u into -e u moves it by their mean, T u (1 - e)/2, further down.
static void checkOutcome(const Outcome* o, const Setting* setting, Bars bars)
{
    const bool gap = setting->bias == pl_biasGap;
    const double gained = 9.81 * frameTime / ticksPerFrame;
    checkAtMost("position", o->position, bars.position);
    checkAtMost("angle", o->angle, bars.angle);
    checkAtMost("growth of energy", o->growth, 1e-12);
    checkAtMost("growth at rest", o->settled,
                gap ? 1e-6 * 0.37 * gained * gained / 2 : 1e-12 * 0.37);
    if (gap) checkAtMost("depth", o->depth, 1e-8);
    checkAtMost("depth by T and the fastest corner", o->late, (3 - setting->e) / 2);
    assert_int_equal(o->trouble & ~pl_troubleFellBack, 0);
}

// The whole comes to 0.1310 and 17.91. The sample comes to 0.1335 and 19.19, since 4 of its 20
// cubes lie on another face: its bars leave it the same room. Others over all 570 tosses that were
// published: MuJoCo 2.2.2 0.141 and 18.4, ODE 0.25 and 20.5.
static Bars barsOf(int count)
{
    return count == tossCount ? (Bars){0.15, 19} : (Bars){0.1525, 20.3};
}

static int countOf(void) { return sized(20, tossCount); }

static void cubesFallAsRealOnesDid(void** unused)
{
    (void)unused;
    loadTosses();
    for (int bias = 0; bias < 2; ++bias) {
        const Setting setting = {.law = pl_lawCone,
                                 .bias = bias ? pl_biasOneSided : pl_biasGap,
                                 .sides = 8,
                                 .driftRate = 0.2};
        const Outcome o = followAll(plBias_Name((int)setting.bias), &setting, countOf());
        checkOutcome(&o, &setting, barsOf(countOf()));
        // 2.6 % of the mean way of 3.9 widths. A mu of 0.17 or 0.19 moves it by 0.18.
        checkNear("slide", o.slide, 0, 0.1);
    }
}

// Real corners rebound from their first impact with a quarter of their speed, in the median of the
// 66 that hit alone. With it cubes slide 0.12 widths too far, and the bars still hold for the
// whole. The sample, with 0.178 and 21.6, is too small for a bar here.
static void restitutionOfRealCornersServesToo(void** unused)
{
    (void)unused;
    loadTosses();
    const Setting setting = {.law = pl_lawCone, .bias = pl_biasGap, .sides = 8, .e = 0.25};
    const Outcome o = followAll("e = 0.25", &setting, countOf());
    checkOutcome(&o, &setting, countOf() == tossCount ? barsOf(tossCount) : noBars);
}

// Nothing is booked aside here: the energy itself falls in every tick.
static void energyNeverGrowsWhereDepthIsLeft(void** unused)
{
    (void)unused;
    loadTosses();
    const Setting setting = {.law = pl_lawCone, .bias = pl_biasOneSided, .sides = 8};
    const Outcome o = followAll("no correction of depth", &setting, countOf());
    checkOutcome(&o, &setting, barsOf(countOf()));
}

// A pyramid within the cone gives less friction between its edges: cubes slide too far.
static void pyramidsComeToTheConeWithTheirSides(void** unused)
{
    (void)unused;
    loadTosses();
    Setting setting = {.law = pl_lawCone, .bias = pl_biasGap, .sides = sized(8, 16)};
    const Outcome cone = followAll("cone", &setting, countOf());
    Outcome last = cone;
    setting.law = pl_lawLcp;
    for (; setting.sides >= 4; setting.sides /= 2) {
        char what[32];
        snprintf(what, sizeof what, "%d sides", setting.sides);
        const Outcome o = followAll(what, &setting, countOf());
        checkOutcome(&o, &setting, noBars);
        assert_true(o.slide > last.slide);
        assert_true(o.position > last.position);
        last = o;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubesFallAsRealOnesDid),
        cmocka_unit_test(restitutionOfRealCornersServesToo),
        cmocka_unit_test(energyNeverGrowsWhereDepthIsLeft),
        cmocka_unit_test(pyramidsComeToTheConeWithTheirSides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
