// Heaps of boxes dropped into a pit: they come to rest, no tick is stopped, and no pair enters each other.
// Depth is the gap of all near pairs after each tick, not that of the report.
#include "ticks.h"

enum { mostBoxes = 30 };

static const double longestTime = 20; // to rest [s]
static const double restFor = 0.5;    // below the limit for so long: it rests [s]
static const double restEnergy = 1e-9;

typedef struct {
    Scene s;
    int boxes;
    double friction;
    double half; ///< of the pit [m]
} Heap;

static void addPit(Heap* h)
{
    addWallAt(&h->s, plVec(0, 0, 1), plVec(0, 0, 0));
    for (int i = 0; i < 4; ++i) {
        const double s = i % 2 ? -1 : 1;
        const plVec3 n = plVec(i < 2 ? s : 0, i < 2 ? 0 : s, 0);
        addWallAt(&h->s, n, plScale(-h->half, n));
    }
}

// Half sides of 1 to 3 cm; masses differ by a factor of 10 at most.
static void addBox(Heap* h, plVec3 at)
{
    plAssemblyDef def = plDefaultAssemblyDef();
    const plVec3 half = vecBetween(&h->s.rng, 0.01, 0.03);
    const plVec3 s = plVec(half.x * half.x, half.y * half.y, half.z * half.z);
    def.mass = logUniform(&h->s.rng, 0.05, 0.5);
    def.inertia = diagonal(def.mass / 3 * (s.y + s.z), def.mass / 3 * (s.z + s.x),
                           def.mass / 3 * (s.x + s.y));
    def.pose = (plPose){at, randomTurn(&h->s.rng)};
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    box.shape.half = half;
    box.mechanism = h->s.ids[addBodyOf(&h->s, def)];
    addShapeOf(&h->s, box);
}

// Layers of one or four boxes, apart from each other at the start.
static void addBoxes(Heap* h, int across)
{
    const double pitch = 0.11; // twice the largest half diagonal, and some
    for (int i = 0; i < h->boxes; ++i) {
        const int inLayer = i % (across * across);
        const double x = pitch * (inLayer % across - 0.5 * (across - 1));
        const double y = pitch * (inLayer / across - 0.5 * (across - 1));
        addBox(h, plVec(x, y, 0.06 + pitch * (i / (across * across))));
    }
}

static void makeHeap(Range range, int scene, Heap* h)
{
    const int fewest[] = {5, 9, 16, 24}, most[] = {8, 15, 23, 30};
    const int size = scene / 4 % 4;
    plWorldDef def = plDefaultWorldDef();
    *h = (Heap){.s.rng = rngOf(range, scene), .s.rate = tickRates[scene % 4]};
    h->boxes = fewest[size] + below(&h->s.rng, most[size] - fewest[size] + 1);
    h->friction = between(&h->s.rng, 0.3, 1);
    const int across = h->boxes > 8 ? 2 : 1;
    h->half = 0.06 * across;
    def.step = 1 / h->s.rate;
    def.contact.surface.friction = h->friction;
    def.contact.law = once(&h->s.rng, 4) ? pl_lawLcp : pl_lawCone;
    def.capacity.contacts = def.capacity.pairs = 2048;
    def.capacity.memory = 256u << 20;
    createScene(&h->s, &def);
    addPit(h);
    addBoxes(h, across);
    checkAtMost("overlap at the start [m]", depthOf(h->s.world, NULL), 0);
}

static const Measure measures[] = {{"rest [s]", 20, true},    {"kinetic", 1e-9, true},
                                   {"depth", 1e-4, true},     {"stopped", 0, true},
                                   {"rise", 1e-9, true},      {"refused", 0, true},
                                   {"residual", 1e-12, true}, {"ms/tick", 1e3, false}};

// Ticks until the heap rests or the time is over. A refused tick is one that moved nothing although the
// heap had kinetic energy.
static void follow(const Heap* h, bool trace, double values[])
{
    plWorld* w = h->s.world;
    const double T = 1 / h->s.rate, began = plClock_Now();
    Watch watch = watchOf(w, 0.01 * h->s.weight);
    double depth = 0, quiet = -1;
    int refused = 0;
    while (plWorld_Time(w) < longestTime && !(quiet >= 0 && plWorld_Time(w) - quiet > restFor)) {
        const uint64_t before = stateHash(w);
        watchStep(w, T, &watch);
        const double kinetic = watch.last.kinetic, now = depthOf(w, NULL);
        larger(&depth, now);
        refused += stateHash(w) == before && kinetic > restEnergy;
        if (!(kinetic < restEnergy))
            quiet = -1;
        else if (quiet < 0)
            quiet = plWorld_Time(w);
        if (trace) {
            const plStepReport r = plWorld_Report(w);
            print_message("%.4f s: kinetic %.3g J, depth %.3g m, worst rise %.2g, contacts %d, "
                          "trouble %d, level %d, passes %d, iterations %d, residual %.2g\n",
                          plWorld_Time(w), kinetic, now, watch.rise, r.contacts, r.trouble, r.level,
                          r.passes, r.iterations, r.residual);
        }
    }
    const double list[] = {quiet < 0 ? 99 : quiet,
                           watch.last.kinetic,
                           depth,
                           watch.stopped,
                           watch.rise,
                           refused,
                           watch.residual,
                           1e3 * (plClock_Now() - began) / (double)plWorld_Tick(w)};
    memcpy(values, list, sizeof list);
}

static void heapsComeToRest(void** unused)
{
    (void)unused;
    const Range range = rangeOf(4, 100);
    static Board board;
    static Heap h;
    board = boardOf("heaps", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makeHeap(range, i, &h);
        if (range.alone) {
            print_message("%d boxes, friction %.3f, %s, %g Hz\n", h.boxes, h.friction,
                          plLawName_Name((int)plWorld_Law(h.s.world)), h.s.rate);
        }
        if (range.alone) dumpScene(&h.s, longestTime);
        follow(&h, range.alone && isVerbose(), values);
        snprintf(name, sizeof name, "%s boxes, %g Hz",
                 h.boxes < 9    ? "5 to 8"
                 : h.boxes < 16 ? "9 to 15"
                 : h.boxes < 24 ? "16 to 23"
                                : "24 to 30",
                 h.s.rate);
        enter(&board, name, i, values);
        plWorld_Destroy(h.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(heapsComeToRest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
