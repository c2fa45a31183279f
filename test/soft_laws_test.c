// Two laws that should agree on soft contacts: the cone, and pyramids whose sides grow. The problems
// are frozen from the snap-in of the clip.
#include "softs.h"

#include <string.h>

// --- a pyramid's own error

/// |p - p of the cone|/|p of the cone| of uniform slip at an angle, of contacts that do not feel each
/// other: the force sits on the direction nearest to it.                    (signorini spec 1.3)
static double uncoupledError(double mu, int sides, double angle)
{
    const double step = 2 * PL_PI / sides, off = fabs(angle - step * round(angle / step));
    return 2 * mu * sin(off / 2) / sqrt(1 + mu * mu);
}

static double distanceTo(const double* p, const double* other, int rows)
{
    double error = 0, size = 0;
    for (int i = 0; i < rows; ++i) {
        error = hypot(error, p[i] - other[i]);
        size = hypot(size, other[i]);
    }
    return error / size;
}

// A long way: near the middle between two sides, what friction itself moves would decide.
static void slidingContactsSitOnTheNearestSide(void** state)
{
    (void)state;
    enum { m = 5 };
    for (int sides = 4; sides <= 32; sides *= 2) {
        Bench b = makeBench(3, m, sides);
        double worst = 0, mean = 0;
        b.space.count = m;
        for (int i = 0; i < 3 * m; ++i) b.space.W[i * (3 * m + 1)] = 1e-4;
        for (int j = 0; j < 30; ++j) {
            const double mu = 0.1, slip = 60, angle = plTable_Angle(j) + 1e-3;
            double cone[3 * m];
            for (int i = 0; i < m; ++i) {
                b.space.pair[i].mu = mu;
                plPut3(plVec(-1e-3, slip * cos(angle), slip * sin(angle)), &b.space.uFree[3 * i]);
            }
            runLaw(&plConeLaw, &b.space, 0, &b);
            memcpy(cone, b.p, sizeof cone);
            runLaw(&plLcpLaw, &b.space, 0, &b);
            const double error = distanceTo(b.p, cone, 3 * m);
            worst = fmax(worst, fabs(error - uncoupledError(mu, sides, angle)));
            mean += error / 30;
        }
        print_message("k = %d: mean %.3f %%, formula %.3f %%, every one to %.1e\n", sides,
                      100 * mean, 100 * 0.1 * PL_PI / (2 * sides) / sqrt(1.01), worst);
        checkAtMost("error against the closed form", worst, 1e-11);
        freeBench(&b);
    }
}

// --- frozen problems

enum { ticks = 100, mostContacts = 20 };

/// The tangents of every contact turned by an angle of its own. A cone does not see it; a pyramid,
/// whose first direction is t1, does. The clip slides along t1 but for its Poisson's ratio, and a
/// pyramid that has this direction would look better than it is.
static void turnTangents(plSpace* s, double first)
{
    const int rows = plSpace_Rows(s);
    for (int i = 0; i < s->count; ++i) {
        const double angle = first + 2.399963229728653 * i, c = cos(angle), d = sin(angle);
        double *u = &s->uFree[3 * i], *r1 = &s->W[(3 * i + 1) * rows], *r2 = r1 + rows;
        const double x = u[1], y = u[2];
        u[1] = c * x + d * y, u[2] = -d * x + c * y;
        for (int j = 0; j < rows; ++j) {
            const double a = r1[j], b = r2[j];
            r1[j] = c * a + d * b, r2[j] = -d * a + c * b;
        }
        for (int j = 0; j < rows; ++j) {
            double* w = &s->W[j * rows + 3 * i];
            const double a = w[1], b = w[2];
            w[1] = c * a + d * b, w[2] = -d * a + c * b;
        }
    }
}

typedef struct {
    int contacts;
    double mu, *uFree, *W;
} Tick;

static int tickCount;
static Tick frozen[ticks];

static void freeze(const plSpace* s)
{
    const int rows = plSpace_Rows(s);
    Tick* t = &frozen[tickCount++];
    *t = (Tick){s->count, s->pair[0].mu, numbers(rows), numbers(rows * rows)};
    memcpy(t->uFree, s->uFree, (size_t)rows * sizeof(double));
    memcpy(t->W, s->W, (size_t)(rows * rows) * sizeof(double));
}

static void thaw(const Tick* t, plSpace* s)
{
    const size_t rows = 3 * (size_t)t->contacts;
    s->count = t->contacts;
    for (int i = 0; i < s->count; ++i) s->pair[i] = (plPair){.mu = t->mu};
    memcpy(s->uFree, t->uFree, rows * sizeof(double));
    memcpy(s->W, t->W, rows * rows * sizeof(double));
}

/// From the way on and off, of clips with more and more nodes along an arm's end, and of more and
/// more friction; down to 0.5 mm and up again by 0.1 mm.
static void freezeTicks(void)
{
    static plSnap snap;
    static const double mus[4] = {0.1, 0.2, 0.4, 0.8};
    for (int i = 0; i < 4; ++i) {
        plClipDef def = plDefaultClipDef();
        def.depthCells = 1 + i;
        openClip(&snap, &def);
        plSnap_Start(&snap, 9e-3);
        for (int k = 1; k <= 170; ++k) {
            plSnap_Move(&snap, mus[i], 1e-3 * (0.5 + 0.1 * abs(85 - k)), 2);
            const plSpace* s = &snap.desk->space;
            if (k % 6 != 5 || snap.place.active == 0 || s->count > mostContacts) continue;
            if (tickCount < ticks / 4 * (i + 1)) freeze(s);
        }
        plSnap_Close(&snap);
    }
    assert_int_equal(tickCount, ticks);
}

/// Distance of a pyramid's forces from the cone's.
static double gammaOf(Bench* b, const double* cone, int sides)
{
    b->space.sides = sides;
    const plLawReport report = runLaw(&plLcpLaw, &b->space, 0, b);
    assert_int_equal(report.flags, 0);
    checkAtMost("pyramid's judge", plJudge_Pyramid(&b->space, b->q, b->p), 1e-8);
    return distanceTo(b->p, cone, plSpace_Rows(&b->space));
}

static void solveCone(Bench* b, double* cone)
{
    checkAtMost("RES", runLaw(&plConeLaw, &b->space, 0, b).residual, 1e-8);
    memcpy(cone, b->p, (size_t)plSpace_Rows(&b->space) * sizeof(double));
}

// Half the error from 16 to 32 sides, and no tick above what one side may be wrong by.
static void pyramidsApproachTheConeOnFrozenTicks(void** state)
{
    (void)state;
    Bench b = makeBench(3, mostContacts, 32);
    double mean[2] = {0}, most[2] = {0}, share[2] = {0}, turned = 0;
    int contacts = 0;
    freezeTicks();
    for (int i = 0; i < ticks; ++i) {
        double before[3 * mostContacts], cone[3 * mostContacts];
        thaw(&frozen[i], &b.space);
        solveCone(&b, before);
        turnTangents(&b.space, 0.7 * i);
        solveCone(&b, cone);
        contacts = b.space.count > contacts ? b.space.count : contacts;
        for (int k = 0; k < b.space.count; ++k) {
            turned = fmax(turned, fabs(cone[3 * k] - before[3 * k]) / (1 + before[3 * k]));
        }
        for (int k = 0; k < 2; ++k) {
            const int sides = k ? 32 : 16;
            const double gamma = gammaOf(&b, cone, sides);
            mean[k] += gamma / ticks;
            most[k] = fmax(most[k], gamma);
            share[k] = fmax(share[k], gamma / uncoupledError(frozen[i].mu, sides, PL_PI / sides));
        }
    }
    print_message(
        "%d ticks of at most %d contacts: k = 16 mean %.3f, most %.3f %%; k = 32 mean "
        "%.3f, most %.3f %%; ratio of means %.3f, of mosts %.3f; of a side's own error at "
        "most %.2f and %.2f\n",
        ticks, contacts, 100 * mean[0], 100 * most[0], 100 * mean[1], 100 * most[1],
        mean[1] / mean[0], most[1] / most[0], share[0], share[1]);
    assert_true(contacts > 14);
    checkNear("ratio of means", mean[1] / mean[0], 0.5, 0.05);
    checkAtMost("of a side's own error, k = 16", share[0], 1);
    checkAtMost("of a side's own error, k = 32", share[1], 1);
    checkAtMost("cone of turned tangents", turned, 1e-6);
    for (int i = 0; i < ticks; ++i) free(frozen[i].uFree), free(frozen[i].W);
    freeBench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slidingContactsSitOnTheNearestSide),
        cmocka_unit_test(pyramidsApproachTheConeOnFrozenTicks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
