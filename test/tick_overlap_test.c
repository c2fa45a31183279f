// Bodies that were placed in overlap: depth is taken back only as far as the same tick loses energy, so that no tick
// raises the energy, none is stopped, and all comes to rest.
#include "ticks.h"

typedef struct {
    Scene s;
    plVec3 points[hullPoints];
} Pile;

static void makePile(Range range, int scene, Pile* p)
{
    plWorldDef def = plDefaultWorldDef();
    *p = (Pile){.s.rng = rngOf(range, scene), .s.rate = tickRates[1 + scene % 3]};
    plRng* rng = &p->s.rng;
    const double size = logUniform(rng, 0.02, 0.1);
    const int n = 2 + below(rng, 4);
    def.contact.law = once(rng, 2) ? pl_lawCone : pl_lawLcp;
    def.contact.surface.friction = between(rng, 0.3, 1);
    createScene(&p->s, &def);
    addWallAt(&p->s, plVec(0, 0, 1), plVec(0, 0, 0));
    for (int i = 0; i < n; ++i) {
        plAssemblyDef body = plDefaultAssemblyDef();
        const plShapeKind kind = once(rng, 2) ? pl_shapeBox : pl_shapeHull;
        const plShapeDef shape = convexShape(rng, kind, size, p->points);
        body.pose.p = plAdd(plVec(0, 0, 0.8 * size), vecBetween(rng, -0.6 * size, 0.8 * size));
        body.pose.q = randomTurn(rng);
        addSolid(&p->s, shape, logUniform(rng, 0.05, 0.5), body);
    }
}

static const Measure measures[] = {{"rise", 1e-9, true},      {"standing", 1, true},
                                   {"kinetic", 1e-9, true},   {"residual", 1e-12, true},
                                   {"rest [s]", 20, false},   {"depth at start", 1, false},
                                   {"depth at end", 1, false}};

// Until it has rested for a quarter of a second.
static void follow(const Pile* p, double values[])
{
    plWorld* w = p->s.world;
    const double first = depthOfAll(&p->s);
    Watch watch = watchOf(w, 0.01 * p->s.weight);
    double quiet = -1;
    while (plWorld_Time(w) < 20 && !(quiet >= 0 && plWorld_Time(w) > quiet + 0.25)) {
        watchStep(w, 1 / p->s.rate, &watch);
        if (!(watch.last.kinetic < 1e-9))
            quiet = -1;
        else if (quiet < 0)
            quiet = plWorld_Time(w);
    }
    const double list[] = {watch.rise, watch.longest, watch.last.kinetic, watch.residual,
                           quiet,      first,         depthOfAll(&p->s)};
    memcpy(values, list, sizeof list);
}

static void overlapGivesNoEnergy(void** unused)
{
    (void)unused;
    const Range range = rangeOf(12, 300);
    static Board board;
    static Pile pile;
    board = boardOf("overlap", measures, PL_COUNT(measures));
    for (int i = range.first; i < range.end; ++i) {
        double values[mostMeasures];
        char name[48];
        makePile(range, i, &pile);
        if (range.alone) dumpScene(&pile.s, 20);
        follow(&pile, values);
        snprintf(name, sizeof name, "%g Hz", pile.s.rate);
        enter(&board, name, i, values);
        plWorld_Destroy(pile.s.world);
    }
    conclude(&board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(overlapGivesNoEnergy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
