// Rows of joints against finite differences, and the answer of jointed assemblies to impulses against
// the full system of masses and multipliers, solved by the test's own elimination.
#include "jointeds.h"
#include "mechanism/jointed.h"
#include "palp/nurbs.h"

#include <string.h>

enum { most = 4, maxN = 6 * most, maxRows = 24, maxSize = maxN + maxRows };

static plVec3 randomVec(plRng* rng, double size)
{
    return plVec(plRng_Uniform(rng, -size, size), plRng_Uniform(rng, -size, size),
                 plRng_Uniform(rng, -size, size));
}

static plQuat randomTurn(plRng* rng) { return plExp(randomVec(rng, 2)); }

typedef struct {
    plArena fixed, state;
    plMechanism* m;
    plJointedBodyDef bodies[most];
    plJointDef joints[most];
    int bodyCount, jointCount;
} Bench;

static const char* const names[most] = {"b0", "b1", "b2", "b3"};

static plJointedBodyDef randomBody(plRng* rng, int i)
{
    plJointedBodyDef b = plDefaultJointedBodyDef();
    const plMat3 R = plRotation(randomTurn(rng));
    const plMat3 D = plDiagonal3(plRng_Uniform(rng, 1e-3, 5e-3), plRng_Uniform(rng, 2e-3, 5e-3),
                                 plRng_Uniform(rng, 2e-3, 6e-3));
    const plMat3 RD = plMatMul(&R, &D);
    const plMat3 J = plMatMulT(&RD, &R), Jt = plTranspose(&J);
    b.name = names[i];
    b.mass = plRng_Uniform(rng, 0.1, 1);
    b.inertia = plMean(&J, &Jt); // symmetric to the last bit
    b.pose = (plPose){randomVec(rng, 0.5), randomTurn(rng)};
    b.velocity = randomVec(rng, 2);
    b.spin = randomVec(rng, 10);
    return b;
}

// The frame of the world in which a joint is closed, seen by a body.
static plPose seenBy(const Bench* x, int body, plPose world)
{
    if (body < 0) return world;
    const plPose at = x->bodies[body].pose;
    const plMat3 R = plRotation(at.q);
    return (plPose){plMulT(&R, plSub(world.p, at.p)),
                    plQuatUnit(plQuatMul(plQuatConj(at.q), world.q))};
}

static plJointDef closedJoint(const Bench* x, int i, plConstraint kind, int a, int b, plPose at)
{
    plJointDef j = plDefaultJointDef();
    j.name = names[i];
    j.kind = kind;
    j.a = a;
    j.b = b;
    j.frameA = seenBy(x, a, at);
    j.frameB = seenBy(x, b, at);
    return j;
}

static void stand(Bench* x)
{
    const plAllocator allocator = plDefaultAllocator();
    const char* why = NULL;
    plJointedDef d = plDefaultJointedDef();
    d.name = "bench";
    d.bodies = x->bodies;
    d.bodyCount = x->bodyCount;
    d.joints = x->joints;
    d.jointCount = x->jointCount;
    checkOk(NULL, plArena_Create(&x->fixed, 4u << 20, &allocator));
    checkOk(NULL, plArena_Create(&x->state, 1u << 18, &allocator));
    const plStatus status =
        plMechanism_CreateJointed(&d, 0, plVec(0, 0, -9.81), &x->fixed, &x->state, &x->m, &why);
    if (status != pl_statusOk) print_error("%s\n", why ? why : "");
    checkOk(NULL, status);
}

static void fall(Bench* x)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&x->fixed, &allocator);
    plArena_Destroy(&x->state, &allocator);
}

// --- finite differences

static void valuesAt(plMechanism* m, const double* q, double* c)
{
    plPlace places[most];
    plConstraintRow rows[maxRows];
    memset(places, 0, sizeof places);
    m->ops->place(m, q, places);
    plJointed_Rows(m, places, NULL, rows);
    for (int i = 0; i < plJointed_Of(m)->rowCount; ++i) c[i] = rows[i].value;
}

// C v of all rows at q.
static void ratesAt(plMechanism* m, const double* q, const double* v, double* rates)
{
    plPlace places[most];
    plConstraintRow rows[maxRows];
    memset(places, 0, sizeof places);
    m->ops->place(m, q, places);
    plJointed_Rows(m, places, NULL, rows);
    for (int i = 0; i < plJointed_Of(m)->rowCount; ++i) {
        double J[maxN] = {0};
        plJointed_AddRow(m, places, &rows[i], 1, J);
        rates[i] = plDotN(J, v, m->n);
    }
}

// (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h), with `rates` of c or of C v along w.
static void slopes(plMechanism* m, const double* w, const double* v, double h, double* out)
{
    static const double reach[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    double q[7 * most], f[maxRows];
    memset(out, 0, maxRows * sizeof *out);
    for (int k = 0; k < 4; ++k) {
        m->ops->move(m, m->q, reach[k] * h, w, q);
        if (v) {
            ratesAt(m, q, v, f);
        } else {
            valuesAt(m, q, f);
        }
        for (int i = 0; i < plJointed_Of(m)->rowCount; ++i) out[i] += weight[k] * f[i] / (12 * h);
    }
}

// A torus as patches, turned, and large: derivatives are taken half a metre off it, too.
static const plShapeDef* torus(void)
{
    static plPatches patches;
    static plShapeDef def;
    plShapeError error;
    if (patches.count > 0) return &def;
    assert_int_equal(plPatches_Torus(3, 1, NULL, &patches, &error), pl_statusOk);
    def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = patches.patches;
    def.patchCount = patches.count;
    def.frame = (plPose){{0.1, 0.2, 0.3}, plRotor(plVec(0.48, 0.6, 0.64), 0.9)};
    return &def;
}

// Two bodies with one joint of a kind, somewhere off its closed place too.
static void makePair(plRng* rng, Bench* x, plConstraint kind, int trial)
{
    const plPose at = {randomVec(rng, 0.5), randomTurn(rng)};
    x->bodyCount = 2;
    x->jointCount = 1;
    for (int i = 0; i < 2; ++i) x->bodies[i] = randomBody(rng, i);
    x->joints[0] = closedJoint(x, 0, kind, 0, trial % 3 == 2 ? -1 : 1, at);
    if (kind == pl_constraintDistance) {
        x->joints[0].frameB.p = plAdd(x->joints[0].frameB.p, randomVec(rng, 0.3));
    }
    if (kind == pl_constraintGuide) {
        plVec3 off = {0.1, 0.05, 0};
        x->joints[0].guide = (plGuide)(trial % pl_guideCount);
        x->joints[0].radius = x->joints[0].guide == pl_guidePlane ? 0 : 0.13;
        if (x->joints[0].guide == pl_guideSphere) off = plVec(0.05, 0.12, 0);
        if (x->joints[0].guide == pl_guideCylinder) off = plVec(0.05, 0.12, 0.2);
        if (x->joints[0].guide == pl_guidePatches) {
            const plFrame frame = plFrameOf(torus()->frame);
            x->joints[0].surface = torus();
            // outside 3.8 m from the axis and 0.6 m up, inside 2.4 m and 0.8 m down
            const plVec3 spot = trial == 7 ? plVec(0, -2.4, -0.8) : plVec(2.28, 3.04, 0.6);
            off = plAdd(frame.x, plMul(&frame.R, spot));
        }
        const plMat3 R = plRotation(x->joints[0].frameB.q);
        x->joints[0].frameB.p = plSub(x->joints[0].frameB.p, plMul(&R, off));
    }
}

static void rowsAndTheirRatesAreDerivatives(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(71);
    static Bench x;
    for (int kind = 0; kind < pl_constraintCount; ++kind) {
        double worst = 0, worstGamma = 0;
        for (int trial = 0; trial < 12; ++trial) {
            makePair(&rng, &x, (plConstraint)kind, trial);
            stand(&x);
            plMechanism* m = x.m;
            const int rows = plJointed_Of(m)->rowCount;
            assert_int_equal(rows, plConstraint_Rows((plConstraint)kind));
            double v[maxN], e[maxN], slope[maxRows], off[maxN];
            for (int i = 0; i < m->n; ++i) v[i] = plRng_Uniform(&rng, -3, 3), off[i] = 0.1 * v[i];
            m->ops->move(m, m->q, 1, off, m->q); // derivatives hold off the joint as well
            m->ops->place(m, m->q, m->start);
            plConstraintRow r[maxRows];
            plJointed_Rows(m, m->start, v, r);
            for (int i = 0; i < m->n; ++i) {
                memset(e, 0, sizeof e);
                e[i] = 1;
                slopes(m, e, NULL, 1e-3, slope);
                for (int k = 0; k < rows; ++k) {
                    double J[maxN] = {0};
                    plJointed_AddRow(m, m->start, &r[k], 1, J);
                    worst = fmax(worst, fabs(J[i] - slope[k]));
                }
            }
            slopes(m, v, v, 3e-4, slope);
            for (int k = 0; k < rows; ++k) {
                const double size = fmax(1, fabs(slope[k])); // short distances turn fast
                worstGamma = fmax(worstGamma, fabs(r[k].acceleration - slope[k]) / size);
            }
            fall(&x);
        }
        print_message("%-12s C %.1e, gamma %.1e\n", plConstraint_Name(kind), worst, worstGamma);
        checkAtMost("C", worst, 1e-8);
        checkAtMost("gamma", worstGamma, 1e-7);
    }
}

static void freePositionsGrowByTheirRows(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(72);
    static Bench x;
    double worst = 0;
    for (int kind = 0; kind < pl_constraintCount; ++kind) {
        for (int k = 0; k < plConstraint_Positions((plConstraint)kind); ++k) {
            makePair(&rng, &x, (plConstraint)kind, k);
            stand(&x);
            plMechanism* m = x.m;
            double J[maxN] = {0}, q[7 * most], v[maxN];
            plPlace places[most];
            plConstraintRow row;
            memset(places, 0, sizeof places);
            const double at = plJointed_Position(m, m->start, 0, k, &row);
            plJointed_AddRow(m, m->start, &row, 1, J);
            memcpy(v, m->v, sizeof(double) * (size_t)m->n); // what the joint allows
            m->ops->move(m, m->q, 1e-6, v, q);
            m->ops->place(m, q, places);
            const double next = plJointed_Position(m, places, 0, k, &row);
            worst = fmax(worst, fabs((next - at) / 1e-6 - plDotN(J, v, m->n)));
            fall(&x);
        }
    }
    print_message("rates of free positions: %.1e\n", worst);
    checkAtMost("rates", worst, 1e-3); // one-sided, a step of 1e-6 at 1e2 rad^2/s^2
}

// --- impulses

static void makeRus(plRng* rng, Bench* x, bool twice)
{
    static const plConstraint kinds[4] = {pl_constraintRevolute, pl_constraintUniversal,
                                          pl_constraintSpherical, pl_constraintSpherical};
    x->bodyCount = 3;
    x->jointCount = twice ? 4 : 3;
    for (int i = 0; i < 3; ++i) x->bodies[i] = randomBody(rng, i);
    for (int i = 0; i < 3; ++i) {
        const plPose at = {randomVec(rng, 0.5), randomTurn(rng)};
        x->joints[i] = closedJoint(x, i, kinds[i], i, i - 1, at);
    }
    x->joints[3] = x->joints[2]; // the same ball once more
    x->joints[3].name = names[3];
}

static plVec3 spinOf(const Bench* x, int body, const double* v)
{
    if (body < 0) return plVec(0, 0, 0);
    const plMat3 R = plRotation(plQuatUnit(x->bodies[body].pose.q));
    return plMul(&R, plGet3(v + 6 * body + 3));
}

static plVec3 speedOf(const Bench* x, int body, plVec3 at, const double* v)
{
    if (body < 0) return plVec(0, 0, 0);
    return plAdd(plGet3(v + 6 * body),
                 plCross(spinOf(x, body, v), plSub(at, x->bodies[body].pose.p)));
}

// Rates of what R, U and S forbid, by velocities of points and spins: not the rows of the engine.
static int forbidden(const Bench* x, const double* v, double* rates)
{
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        const plJointDef* j = &x->joints[i];
        const plPose A = x->bodies[j->a].pose;
        const plMat3 R = plRotation(plQuatUnit(A.q));
        const plQuat turn = plQuatMul(plQuatUnit(A.q), j->frameA.q);
        const plMat3 F = plRotation(turn), axes = plTranspose(&F);
        const plVec3 at = plAdd(A.p, plMul(&R, j->frameA.p));
        const plVec3 slip = plSub(speedOf(x, j->a, at, v), speedOf(x, j->b, at, v));
        const plVec3 spin = plSub(spinOf(x, j->a, v), spinOf(x, j->b, v));
        plPut3(slip, rates + n);
        n += 3;
        if (i == 0) rates[n++] = plDot(spin, axes.x);
        if (i == 0) rates[n++] = plDot(spin, axes.y);
        if (i == 1) rates[n++] = plDot(spin, axes.y); // across z_a and x_b, which are z and x here
    }
    return n;
}

// K x = b in extended precision, with row exchanges.
static void eliminate(long double K[maxSize][maxSize], long double* b, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k; i < n; ++i) p = fabsl(K[i][k]) > fabsl(K[p][k]) ? i : p;
        for (int j = 0; j < n; ++j) {
            const long double t = K[k][j];
            K[k][j] = K[p][j], K[p][j] = t;
        }
        const long double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < n; ++i) {
            const long double f = K[i][k] / K[k][k];
            for (int j = k; j < n; ++j) K[i][j] -= f * K[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= K[i][j] * b[j];
        b[i] /= K[i][i];
    }
}

// dv and multipliers of M dv + C^T l = g, C dv = 0.
static void kkt(const Bench* x, const double* g, double* dv)
{
    static long double K[maxSize][maxSize];
    long double b[maxSize] = {0};
    double rates[maxRows];
    const int n = 6 * x->bodyCount;
    int rows = 0;
    memset(K, 0, sizeof K);
    for (int i = 0; i < n; ++i) {
        double e[maxN] = {0};
        e[i] = 1;
        rows = forbidden(x, e, rates);
        for (int k = 0; k < rows; ++k) K[n + k][i] = K[i][n + k] = (long double)rates[k];
        b[i] = (long double)g[i];
    }
    for (int body = 0; body < x->bodyCount; ++body) {
        const plMat3* J = &x->bodies[body].inertia;
        const double block[9] = {J->x.x, J->x.y, J->x.z, J->y.x, J->y.y,
                                 J->y.z, J->z.x, J->z.y, J->z.z};
        for (int i = 0; i < 3; ++i) {
            K[6 * body + i][6 * body + i] = (long double)x->bodies[body].mass;
            for (int j = 0; j < 3; ++j) {
                K[6 * body + 3 + i][6 * body + 3 + j] = (long double)block[3 * i + j];
            }
        }
    }
    eliminate(K, b, n + rows);
    for (int i = 0; i < n; ++i) dv[i] = (double)b[i];
}

static void randomRows(plRng* rng, plRow* rows, int count)
{
    for (int i = 0; i < count; ++i) {
        rows[i] = (plRow){.a = {{1, 1}, (int)(plRng_Next(rng) % 3), randomVec(rng, 0.3)},
                          .lin = randomVec(rng, 1),
                          .ang = i % 2 ? randomVec(rng, 0.3) : plVec(0, 0, 0)};
    }
}

/// Sum of |a_i b_i|: what round-off of their product is a share of.
static double sizeOfProduct(const double* a, const double* b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += fabs(a[i] * b[i]);
    return sum;
}

static double kinetic(const plMechanism* m, const double* v)
{
    return 0.5 * plQuadN(v, m->Mk, v, m->n);
}

typedef struct {
    double velocity, restitution, joints, energy, gain;
} Worst;

// lambda = -(1 + e) J v/(J alpha L J^T); then v+ has the joints' rates zero, J v+ = -e J v-, and
// T falls by (1 - e^2) (J v-)^2/(2 H).                                            (nurbs eq. 1-4)
// A row along which the joints hardly let it move has an H, and a J v, that are left of larger terms.
static void strikeOnce(Bench* x, const plRow* row, double e, Worst* w)
{
    plMechanism* m = x->m;
    const int n = m->n;
    double J[maxN], Y[maxN], dv[maxN], g[maxN], after[maxN], rates[maxRows];
    plMechanism_Begin(m, (plPass){.T = 1e-3, .at = pl_lineariseStart});
    plMechanism_Response(m, pl_responseMass, row, 1, J, Y);
    const double before = plDotN(J, m->v, n), H = plDotN(J, Y, n);
    const double p = -(1 + e) * before / H;
    for (int i = 0; i < n; ++i) g[i] = p * J[i];
    kkt(x, g, dv);
    const double work = plMechanism_Strike(m, row, 1, &p);
    double size = 0, scale = 0;
    for (int i = 0; i < n; ++i) {
        after[i] = m->V0[i];
        size = fmax(size, fabs(after[i] - m->v[i] - dv[i]));
        scale = fmax(scale, fabs(dv[i]));
    }
    w->velocity = fmax(w->velocity, size / fmax(1, scale));
    const int rows = forbidden(x, after, rates);
    for (int i = 0; i < rows; ++i) w->joints = fmax(w->joints, fabs(rates[i]) / fmax(1, scale));
    const double end = plDotN(J, after, n);
    const double terms = sizeOfProduct(J, m->v, n) + sizeOfProduct(J, after, n);
    w->restitution = fmax(w->restitution, fabs(end + e * before) / terms);
    const double T0 = kinetic(m, m->v), dT = kinetic(m, after) - T0;
    const double formula = -0.5 * (1 - e * e) * before * before / H;
    w->energy = fmax(w->energy, fmax(fabs(dT - formula), fabs(work - formula)) / T0);
    w->gain = fmax(w->gain, dT / T0 * H / sizeOfProduct(J, Y, n));
}

static void impactsAreThoseOfTheWholeSystem(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(73);
    static Bench x;
    Worst w = {0};
    for (int trial = 0; trial < 200; ++trial) {
        plRow row;
        makeRus(&rng, &x, trial % 4 == 3);
        stand(&x);
        randomRows(&rng, &row, 1);
        strikeOnce(&x, &row, trial % 3 * 0.5, &w);
        fall(&x);
    }
    print_message("200 R-U-S: v+ %.1e, restitution %.1e, |C v+| %.1e, dT %.1e, gain %.1e\n",
                  w.velocity, w.restitution, w.joints, w.energy, w.gain);
    checkAtMost("v+", w.velocity, 1e-10);
    checkAtMost("restitution", w.restitution, 1e-11);
    checkAtMost("|C v+|", w.joints, 1e-10);
    checkAtMost("dT", w.energy, 1e-9);
    checkAtMost("gain", w.gain, 1e-12);
}

// W of a step is that of the mass, symmetric, and the trial answers by what W says.
static void stepAnswersAsItsResponseSays(void** state)
{
    (void)state;
    enum { rows = 4 };
    plRng rng = plRng_Seed(74);
    static Bench x;
    double worst = 0, skew = 0, trial = 0, closed = 0;
    for (int k = 0; k < 50; ++k) {
        plRow row[rows];
        double J[rows * maxN], Y[rows * maxN], p[rows], g[maxN], dv[maxN], u[rows];
        makeRus(&rng, &x, k % 2);
        stand(&x);
        plMechanism* m = x.m;
        const int n = m->n;
        randomRows(&rng, row, rows);
        plMechanism_Begin(m, (plPass){.T = 1e-3, .at = pl_lineariseStart});
        plMechanism_Response(m, pl_responseStep, row, rows, J, Y);
        for (int i = 0; i < rows; ++i) {
            kkt(&x, &J[i * n], dv);
            for (int j = 0; j < n; ++j) {
                worst = fmax(worst, fabs(dv[j] - Y[i * n + j]) / fmax(1, fabs(dv[j])));
            }
            for (int j = 0; j < rows; ++j) {
                const double ij = plDotN(&J[i * n], &Y[j * n], n);
                skew = fmax(skew, fabs(ij - plDotN(&J[j * n], &Y[i * n], n)) / fmax(1, fabs(ij)));
            }
            p[i] = plRng_Uniform(&rng, -0.01, 0.01);
            u[i] = plMechanism_RowVelocity(m, pl_atFree, &row[i]);
        }
        memset(g, 0, sizeof g);
        for (int i = 0; i < rows * n; ++i) g[i % n] += p[i / n] * J[i];
        plMechanism_Advance(m, row, rows, p);
        kkt(&x, g, dv);
        for (int i = 0; i < rows; ++i) {
            const double end = plMechanism_RowVelocity(m, pl_atEnd, &row[i]);
            trial = fmax(trial, fabs(end - u[i] - plDotN(&J[i * n], dv, n)));
        }
        plEnergy e;
        plMechanism_Audit(m, &e);
        const double change = e.kinetic1 + e.potential1 - e.kinetic0 - e.potential0;
        const double given = e.applied + e.rows + e.integrator + e.drift - e.dissipated;
        closed = fmax(closed, fabs(change - given) / (e.kinetic0 + e.kinetic1));
        fall(&x);
    }
    print_message("response %.1e, skew %.1e, trial %.1e, residual %.1e\n", worst, skew, trial,
                  closed);
    checkAtMost("response", worst, 1e-10);
    checkAtMost("skew", skew, 1e-12);
    checkAtMost("trial", trial, 1e-10);
    checkAtMost("residual", closed, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsAndTheirRatesAreDerivatives),
        cmocka_unit_test(freePositionsGrowByTheirRows),
        cmocka_unit_test(impactsAreThoseOfTheWholeSystem),
        cmocka_unit_test(stepAnswersAsItsResponseSays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
