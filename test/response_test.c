// Rows of a chain answer to impulses as dense algebra of the test's own says.
#include "trees.h"

static double M[maxSize], C[maxSize], other[maxSize];

enum { rowCount = 5 };

typedef struct {
    plArena fixed, state;
    plMechanism* mechanism;
    plRow rows[rowCount];
    double J[rowCount][maxN]; ///< by unit velocities
    double factors[2][rowCount * maxN];
} Bench;

static Bench bench;

// A x = b by elimination in extended precision; A is destroyed.
static void solveDense(long double* A, int n, long double* b)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) p = fabsl(A[i * n + k]) > fabsl(A[p * n + k]) ? i : p;
        for (int j = 0; p != k && j < n; ++j) {
            const long double t = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        const long double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < n; ++i) {
            const long double l = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; ++j) A[i * n + j] -= l * A[k * n + j];
            b[i] -= l * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

// x = A^-1 (sum of rows times p)
static void solveRows(const double* A, int n, const double* p, double* x)
{
    static long double fine[maxSize], b[maxN];
    for (int i = 0; i < n * n; ++i) fine[i] = (long double)A[i];
    for (int i = 0; i < n; ++i) {
        b[i] = 0;
        for (int r = 0; r < rowCount; ++r) b[i] += (long double)bench.J[r][i] * (long double)p[r];
    }
    solveDense(fine, n, b);
    for (int i = 0; i < n; ++i) x[i] = (double)b[i];
}

static double rowOf(const plRow* row)
{
    const plSite sites[2] = {row->a, row->b};
    double u = 0;
    for (int k = 0; k < 2; ++k) {
        if (sites[k].mechanism.index1 != 1) continue;
        const Body* b = &bodies[sites[k].part];
        u += (k == 0 ? 1 : -1) *
             (plDot(row->lin, pointVelocity(b, sites[k].point)) + plDot(row->ang, b->w));
    }
    return u;
}

// Rows from anywhere to the ground, from the ground, and between two parts; joints have springs and
// dampers where they have no quaternion.
static void setUpBench(plRng* rng, Tree* t, plIntegrator integrator, plCoefficients coefficients)
{
    const plAllocator allocator = plDefaultAllocator();
    plChainDef def = plDefaultChainDef();
    const char* why = NULL;
    for (int i = 0; i < t->count; ++i) {
        const plJoint joint = t->bodies[i].joint;
        const bool ball = plJoint_Positions(joint) > plJoint_Velocities(joint);
        t->bodies[i].stiffness = ball ? 0 : plRng_Uniform(rng, 0, 100);
        t->bodies[i].damping = plRng_Uniform(rng, 0, 1);
    }
    def.name = "tree";
    def.integrator = integrator;
    def.coefficients = coefficients;
    def.base = t->base;
    def.bodies = t->bodies;
    def.bodyCount = t->count;
    checkOk(NULL, plArena_Create(&bench.fixed, 8u << 20, &allocator));
    checkOk(NULL, plArena_Create(&bench.state, 1u << 20, &allocator));
    checkOk(NULL, plMechanism_CreateChain(&def, 0, plVec(0, 0, -9.81), &bench.fixed, &bench.state,
                                          &bench.mechanism, &why));
    const plMechanismId id = {1, 1}, ground = {0, 0};
    for (int r = 0; r < rowCount; ++r) {
        const int a = (int)(plRng_Next(rng) % (uint64_t)t->count);
        const int b = (int)(plRng_Next(rng) % (uint64_t)t->count);
        plRow* row = &bench.rows[r];
        *row = (plRow){.a = {id, a, randomVec(rng, 0.5)}, .b = {id, b, randomVec(rng, 0.5)}};
        if (r % 3 == 1) row->a.mechanism = ground, row->a.part = 0;
        if (r % 3 == 2) row->b.mechanism = ground, row->b.part = 0;
        if (r % 5 != 3) row->lin = randomVec(rng, 1);
        if (r % 5 > 1) row->ang = randomVec(rng, 1);
        for (int i = 0; i < t->n; ++i) {
            double e[maxN];
            unitVector(e, i);
            moveAll(t, t->q, e, zeros);
            bench.J[r][i] = rowOf(row);
        }
    }
}

static void tearDownBench(void)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&bench.fixed, &allocator);
    plArena_Destroy(&bench.state, &allocator);
}

static double dense(const double* x, int r, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += bench.J[r][i] * x[i];
    return sum;
}

// W of the bench's rows.
static void respond(plResponse response, double* W)
{
    const int n = plMechanism_Velocities(bench.mechanism);
    double *J = bench.factors[0], *Y = bench.factors[1];
    plMechanism_Response(bench.mechanism, response, bench.rows, rowCount, J, Y);
    for (int i = 0; i < rowCount * rowCount; ++i) {
        W[i] = plDotN(&J[i / rowCount * n], &Y[i % rowCount * n], n);
    }
}

static double worstResponse(plResponse response, const double* A, int n)
{
    double W[rowCount * rowCount] = {0}, x[maxN], error[rowCount * rowCount], worst = 0;
    respond(response, W);
    for (int c = 0; c < rowCount; ++c) {
        double p[rowCount] = {0};
        p[c] = 1;
        solveRows(A, n, p, x);
        for (int r = 0; r < rowCount; ++r) {
            error[r * rowCount + c] = fabs(W[r * rowCount + c] - dense(x, r, n));
        }
    }
    for (int i = 0; i < rowCount * rowCount; ++i) {
        const double Wr = W[i / rowCount * (rowCount + 1)], Wc = W[i % rowCount * (rowCount + 1)];
        if (error[i] > 0) worst = fmax(worst, error[i] / sqrt(Wr * Wc));
    }
    return worst;
}

static double joints(const Tree* t, int velocity, bool stiffness)
{
    for (int i = 0, v0 = 0; i < t->count; ++i) {
        v0 += plJoint_Velocities(t->bodies[i].joint);
        if (velocity < v0) return stiffness ? t->bodies[i].stiffness : t->bodies[i].damping;
    }
    return 0;
}

// Round-off times the condition of M, in which a body of 0.1 kg may carry forty others on arms of
// some metres.
static const double roundOff = 1e-11;

static void rowsAnswerAsDenseAlgebraSays(void** state)
{
    (void)state;
    static const plIntegrator integrators[] = {pl_integratorExplicit, pl_integratorSemiImplicit,
                                               pl_integratorImplicit};
    plRng rng = plRng_Seed(8);
    const double T = 0.01;
    double worst = 0;
    for (int k = 0; nextTree(&rng, k, sized(9, 60), &tree); ++k) {
        const plIntegrator integrator = integrators[k % 3];
        const int n = tree.n;
        setUpBench(&rng, &tree, integrator, pl_coefficientsPredicted);
        plMechanism_Begin(bench.mechanism, (plPass){.T = T, .at = pl_lineariseStart});
        massByNewton(&tree, M);
        plMechanism_Inertia(bench.mechanism, NULL, C);
        worst = fmax(worst, worstResponse(pl_responseMass, M, n));
        worst = fmax(worst, worstResponse(pl_responseShift, M, n));
        for (int i = 0; i < n * n; ++i) {
            const bool on = i % n == i / n;
            const double B = on ? joints(&tree, i / n, false) : 0;
            const double K = on ? joints(&tree, i / n, true) : 0;
            other[i] = M[i];
            if (integrator == pl_integratorSemiImplicit) other[i] += T * B;
            if (integrator == pl_integratorImplicit) other[i] += T * (C[i] + B) + T * T * K;
        }
        worst = fmax(worst, worstResponse(pl_responseStep, other, n));
        tearDownBench();
    }
    print_message("responses: largest error %.2g\n", worst);
    checkAtMost("response", worst, roundOff);
}

// u_end = u_free + W p for every integrator: to round-off where the step is linear, to the third
// order of p (by both signs of p) for those in momenta.
static void impulsesOfAStepActByTheResponse(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(9);
    for (int k = 0; nextTree(&rng, k, sized(10, 60), &tree); ++k) {
        const plIntegrator integrator = (plIntegrator)(k % pl_integratorCount);
        const plLinearise at = k % 2 ? pl_lineariseStart : pl_linearisePrediction;
        const bool linear =
            integrator != pl_integratorSymplectic && integrator != pl_integratorImplicitMidpoint;
        double W[rowCount * rowCount] = {0}, p[rowCount], minus[rowCount], u[rowCount];
        setUpBench(&rng, &tree, integrator, pl_coefficientsPredicted);
        for (int r = 0; r < rowCount; ++r) {
            p[r] = (linear ? 1 : 1e-4) * plRng_Normal(&rng);
            minus[r] = -p[r];
        }
        assert_true(plMechanism_Begin(bench.mechanism, (plPass){.T = 1e-3, .at = at}));
        respond(pl_responseStep, W);
        assert_true(plMechanism_Advance(bench.mechanism, bench.rows, rowCount, minus));
        for (int r = 0; r < rowCount; ++r) {
            u[r] = plMechanism_RowVelocity(bench.mechanism, pl_atEnd, &bench.rows[r]);
        }
        assert_true(plMechanism_Advance(bench.mechanism, bench.rows, rowCount, p));
        for (int r = 0; r < rowCount; ++r) {
            const double end = plMechanism_RowVelocity(bench.mechanism, pl_atEnd, &bench.rows[r]);
            double Wp = 0, size = 0;
            for (int c = 0; c < rowCount; ++c) {
                Wp += W[r * rowCount + c] * p[c];
                size += fabs(W[r * rowCount + c] * p[c]);
            }
            // velocities of up to 1e2 m/s carry round-off; p^2 of the curvature is left at 1e-4
            checkNear("change of a row", 0.5 * (end - u[r]), Wp,
                      (linear ? roundOff : 1e-6) * size + 1e-13 * (fabs(end) + 10));
        }
        tearDownBench();
    }
}

// v+ = v + M^-1 J^T p at the start, and the work is the change of kinetic energy.
static void strikesChangeVelocitiesByMassAndDoTheirWork(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(10);
    for (int k = 0; nextTree(&rng, k, sized(10, 60), &tree); ++k) {
        const plIntegrator integrator = (plIntegrator)(k % pl_integratorCount);
        const int n = tree.n;
        double before[rowCount], p[rowCount], x[maxN], work = 0, size = 0;
        plEnergy still, struck;
        setUpBench(&rng, &tree, integrator, pl_coefficientsFrozen);
        massByNewton(&tree, M);
        const plPass pass = {.T = 1e-4, .at = pl_lineariseStart};
        plMechanism_Begin(bench.mechanism, pass);
        plMechanism_Advance(bench.mechanism, bench.rows, 0, p);
        plMechanism_Audit(bench.mechanism, &still);
        plMechanism_Begin(bench.mechanism, pass);
        for (int r = 0; r < rowCount; ++r) {
            p[r] = plRng_Normal(&rng);
            before[r] = plMechanism_RowVelocity(bench.mechanism, pl_atStart, &bench.rows[r]);
        }
        solveRows(M, n, p, x);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                work += x[i] * M[i * n + j] * (tree.v[j] + 0.5 * x[j]);
                size += fabs(x[i] * M[i * n + j] * x[j]);
            }
        }
        plMechanism_Strike(bench.mechanism, bench.rows, rowCount, p);
        for (int r = 0; r < rowCount; ++r) {
            const double jump = dense(x, r, n);
            const double after =
                plMechanism_RowVelocity(bench.mechanism, pl_atStart, &bench.rows[r]);
            checkNear("jump of a row", after - before[r], jump,
                      roundOff * (fabs(jump) + fabs(after) + fabs(before[r])));
        }
        plMechanism_Advance(bench.mechanism, bench.rows, 0, p);
        plMechanism_Audit(bench.mechanism, &struck);
        checkNear("work of rows without a strike", still.rows, 0, 0);
        checkNear("work of a strike", struck.rows, work, roundOff * (size + still.kinetic0));
        tearDownBench();
    }
}

// ----------------------------------------------------------------------------------- places

// lin.x + ang.turn of a row's sites from one trial to another; turns of less than 1e-3 rad.
static double wayOf(const plRow* row, const plFrame* from, const plFrame* to)
{
    const plSite sites[2] = {row->a, row->b};
    double way = 0;
    for (int k = 0; k < 2; ++k) {
        if (sites[k].mechanism.index1 != 1) continue;
        const plMat3 S = plMatMulT(&to[k].R, &from[k].R);
        const plVec3 turn = plVec(0.5 * (S.z.y - S.y.z), 0.5 * (S.x.z - S.z.x), //
                                  0.5 * (S.y.x - S.x.y));
        way += (k == 0 ? 1 : -1) *
               (plDot(row->lin, plSub(to[k].x, from[k].x)) + plDot(row->ang, turn));
    }
    return way;
}

static void trialFrames(const double* p, plFrame frames[rowCount][2])
{
    assert_true(plMechanism_Advance(bench.mechanism, bench.rows, rowCount, p));
    for (int r = 0; r < rowCount; ++r) {
        const plSite sites[2] = {bench.rows[r].a, bench.rows[r].b};
        for (int k = 0; k < 2; ++k) {
            if (sites[k].mechanism.index1 != 1) continue;
            frames[r][k] = plMechanism_Frame(bench.mechanism, pl_atEnd, sites[k]);
        }
    }
}

// dx/dp by both signs of p. From rest, so that rows have turned only by T^2 g of fall where the
// places answer.
static void impulsesOfAStepMovePlacesByTheResponse(void** state)
{
    (void)state;
    static const plIntegrator integrators[] = {pl_integratorMidpoint, pl_integratorExplicit,
                                               pl_integratorSymplectic};
    static plFrame back[rowCount][2], forth[rowCount][2];
    plRng rng = plRng_Seed(13);
    const double T = 1e-5;
    for (int k = 0; nextTree(&rng, k, sized(9, 60), &tree); ++k) {
        const plIntegrator integrator = integrators[k % 3];
        double W[rowCount * rowCount] = {0}, p[rowCount], minus[rowCount];
        setUpBench(&rng, &tree, integrator, (plCoefficients)(k / 3 % 2));
        plMechanism_SetState(bench.mechanism, tree.q, zeros);
        for (int r = 0; r < rowCount; ++r) {
            p[r] = 0.1 * plRng_Normal(&rng);
            minus[r] = -p[r];
        }
        plMechanism_Begin(bench.mechanism, (plPass){.T = T, .at = pl_lineariseStart});
        respond(pl_responsePlace, W);
        trialFrames(minus, back);
        trialFrames(p, forth);
        for (int r = 0; r < rowCount; ++r) {
            double Wp = 0, size = 0;
            for (int c = 0; c < rowCount; ++c) {
                Wp += W[r * rowCount + c] * p[c];
                size += fabs(W[r * rowCount + c] * p[c]);
            }
            // joints of light bodies turn by up to 1e4 T^2 g; places of up to 1e2 m
            checkNear("way of a row", 0.5 * wayOf(&bench.rows[r], back[r], forth[r]), Wp,
                      1e-5 * size + 1e-13);
            if (integrator == pl_integratorExplicit) checkNear("theta = 0", size, 0, 0);
        }
        tearDownBench();
    }
}

// u of a row from the motions of its sites.
static double rowOfMotions(const plRow* row, plWhen when)
{
    const plSite sites[2] = {row->a, row->b};
    double u = 0;
    for (int k = 0; k < 2; ++k) {
        if (sites[k].mechanism.index1 != 1) continue;
        const plMotion m = plMechanism_Motion(bench.mechanism, when, sites[k]);
        u += (k == 0 ? 1 : -1) * (plDot(row->lin, m.v) + plDot(row->ang, m.w));
    }
    return u;
}

static void checkMotionsOfRows(plWhen when)
{
    for (int r = 0; r < rowCount; ++r) {
        const double u = plMechanism_RowVelocity(bench.mechanism, when, &bench.rows[r]);
        // the same products in another order, of velocities of up to 1e3 m/s
        checkNear("row of motions", rowOfMotions(&bench.rows[r], when), u, 1e-12 * (1e3 + fabs(u)));
    }
}

static void checkPlaces(const plMotion* m, const plSite* site)
{
    const Body* b = &bodies[site->part];
    const plVec3 x = plAdd(b->x, plMul(&b->R, site->point));
    // round-off of up to 40 frames
    checkAtMost("place", plNorm(plSub(m->x, x)), 1e-13 * (1 + plNorm(x)));
    checkAtMost("axes", plNorm(plSub(m->R.x, b->R.x)) + plNorm(plSub(m->R.y, b->R.y)), 1e-13);
}

// Without impulses the trial is the free motion; with them its places are those that the step
// leaves, and its velocities J V, where V is the velocity that it leaves (all but the midpoint and
// the symplectic integrator).
static void motionsAreThoseOfTheTrial(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(14);
    for (int k = 0; nextTree(&rng, k, sized(10, 60), &tree); ++k) {
        const plIntegrator integrator = (plIntegrator)(k % pl_integratorCount);
        const plLinearise at = k / 5 % 2 ? pl_linearisePrediction : pl_lineariseStart;
        const bool plain =
            integrator != pl_integratorMidpoint && integrator != pl_integratorSymplectic;
        double p[rowCount], u[rowCount];
        setUpBench(&rng, &tree, integrator, pl_coefficientsPredicted);
        const plSite site = {
            {1, 1}, (int)(plRng_Next(&rng) % (uint64_t)tree.count), randomVec(&rng, 0.5)};
        for (int r = 0; r < rowCount; ++r) p[r] = 0.1 * plRng_Normal(&rng);
        assert_true(plMechanism_Begin(bench.mechanism, (plPass){.T = 1e-3, .at = at}));
        plMechanism_Advance(bench.mechanism, bench.rows, 0, p);
        const plMotion start = plMechanism_Motion(bench.mechanism, pl_atStart, site);
        const plMotion free = plMechanism_Motion(bench.mechanism, pl_atFree, site);
        const plMotion none = plMechanism_Motion(bench.mechanism, pl_atEnd, site);
        const double fast = 1 + plNorm(free.v) + plNorm(free.w), far = 1 + plNorm(free.x);
        checkMotionsOfRows(pl_atFree);
        checkAtMost("place without impulses", plNorm(plSub(none.x, free.x)), 1e-13 * far);
        checkAtMost("velocity without impulses", plNorm(plSub(none.v, free.v)), roundOff * fast);
        checkAtMost("spin without impulses", plNorm(plSub(none.w, free.w)), roundOff * fast);
        assert_true(plNorm(plSub(free.x, start.x)) > 0); // it does move

        assert_true(plMechanism_Advance(bench.mechanism, bench.rows, rowCount, p));
        const plMotion end = plMechanism_Motion(bench.mechanism, pl_atEnd, site);
        checkMotionsOfRows(pl_atEnd);
        for (int r = 0; r < rowCount; ++r) u[r] = rowOfMotions(&bench.rows[r], pl_atEnd);
        assert_true(plMechanism_Commit(bench.mechanism));
        const double* v1 = plMechanism_V(bench.mechanism);
        moveAll(&tree, plMechanism_Q(bench.mechanism), v1, zeros);
        checkPlaces(&end, &site);
        for (int r = 0; r < rowCount && plain && at == pl_lineariseStart; ++r) {
            double Jv = 0, size = 0;
            for (int i = 0; i < tree.n; ++i) {
                Jv += bench.J[r][i] * v1[i];
                size += fabs(bench.J[r][i] * v1[i]);
            }
            checkNear("J V", u[r], Jv, 1e-13 * size); // sums of up to 90 terms
        }
        tearDownBench();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsAnswerAsDenseAlgebraSays),
        cmocka_unit_test(impulsesOfAStepActByTheResponse),
        cmocka_unit_test(strikesChangeVelocitiesByMassAndDoTheirWork),
        cmocka_unit_test(impulsesOfAStepMovePlacesByTheResponse),
        cmocka_unit_test(motionsAreThoseOfTheTrial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
