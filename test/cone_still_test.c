// The cone by the factors of W: what it finds and tells, against the same problem with W multiplied out.
#include "law_problems.h"

enum { mostContacts = 60, mostBodies = 12, row = 6, site = 3 * row };

/// Bodies that touch the ground and each other; J and Y = J M^-1 of every side of every contact.
typedef struct {
    plFactorSite sites[mostContacts];
    double J[2 * site * mostContacts], Y[2 * site * mostContacts], V[row * mostBodies];
    plFactors f;
} Bodies;

static void makeSide(Bodies* b, int at, int body, const plMat3* R, plVec3 arm, double sign,
                     const double* inverse)
{
    const plVec3 axes[3] = {R->x, R->y, R->z};
    for (int k = 0; k < 3; ++k) {
        double *J = &b->J[at + row * k], *Y = &b->Y[at + row * k];
        putArm(J, axes[k], arm, sign);
        for (int j = 0; j < row; ++j) Y[j] = J[j] * inverse[row * body + j];
    }
}

static void makeContact(Bodies* b, int i, int bodies, Splitmix* r, const double* inverse)
{
    plFactorSite* s = &b->sites[i];
    const plMat3 R = mixFrame(r, 0.3);
    const int other = (i + 1) % bodies;
    const bool two = i / bodies % 2 == 1 && bodies > 1;
    *s = (plFactorSite){.body = {i % bodies, other}, .at = {2 * site * i, -1, -1}};
    makeSide(b, s->at[0], s->body[0], &R, plVec(mixSigned(r), mixSigned(r), -1), 1, inverse);
    if (!two) return;
    s->at[1] = s->at[0] + site;
    makeSide(b, s->at[1], other, &R, plVec(mixSigned(r), mixSigned(r), 1), -1, inverse);
}

static Bodies* makeBodies(int bodies, int contacts, uint64_t seed)
{
    static Bodies b;
    double inverse[row * mostBodies];
    Splitmix r = mixSeed(seed);
    for (int k = 0; k < row * bodies; ++k) inverse[k] = 0.5 + mixUniform(&r);
    for (int i = 0; i < contacts; ++i) makeContact(&b, i, bodies, &r, inverse);
    b.f = (plFactors){.bodies = bodies, .sites = b.sites, .J = b.J, .Y = b.Y, .V = b.V};
    return &b;
}

/// J_m Y_n^T over the bodies that both touch; in `size` the same of absolute values.
static double productOf(const Bodies* b, int m, int n, double* size)
{
    const plFactorSite *s = &b->sites[m / 3], *t = &b->sites[n / 3];
    double w = 0;
    *size = 0;
    for (int i = 0; i < 4; ++i) {
        const int x = i / 2, y = i % 2;
        if (s->at[x] < 0 || t->at[y] < 0 || s->body[x] != t->body[y]) continue;
        const double* J = &b->J[s->at[x] + row * (m % 3)];
        const double* Y = &b->Y[t->at[y] + row * (n % 3)];
        w += plDotN(J, Y, row);
        for (int k = 0; k < row; ++k) *size += fabs(J[k] * Y[k]);
    }
    return w;
}

/// W_mn, with the compliance of the diagonal.
static double responseOf(const Bodies* b, int m, int n, double compliance)
{
    double size;
    return (m == n ? 1 + compliance : 1) * productOf(b, m, n, &size);
}

static void fillSpace(Bench* bench, const Bodies* b, int contacts, double mu, double compliance,
                      Splitmix* r)
{
    plSpace* s = &bench->space;
    s->count = contacts;
    s->compliance = compliance;
    for (int i = 0; i < contacts; ++i) s->pair[i] = (plPair){.mu = mu};
    for (int m = 0; m < plSpace_Rows(s); ++m) {
        bench->q[m] = m % 3 == 0 ? -0.5 - mixUniform(r) : 0.4 * mixNormal(r);
        for (int n = 0; n < plSpace_Rows(s); ++n) {
            s->W[m * plSpace_Rows(s) + n] = responseOf(b, m, n, compliance);
        }
    }
}

/// Over all problems of a test that it took.
typedef struct {
    int taken;
    double res;     ///< the judge's
    double told;    ///< how far the report is from it
    double product; ///< W p against the dense one, relative to the terms of a row of J Y^T p
} Worst;

/// Impulses of a tick that knew of the problem but for one part in 1e5.
static void warmUp(Bench* b, int ticks, Splitmix* r)
{
    plLawReport report = {0};
    memset(b->p, 0, (size_t)plSpace_Rows(&b->space) * sizeof(double));
    plCone_Solve(&b->space, b->q, b->p, &b->work, &report);
    for (int i = 0; i < b->space.count; ++i) {
        b->before[i] = (plContactMemory){.age = ticks};
        for (int k = 0; k < 3; ++k) {
            b->before[i].p[k] = b->p[3 * i + k] * (1 + 1e-5 * mixSigned(r));
        }
    }
}

// Both ways to W p sum J Y p of all axes, one over the axes first, one over the contacts. An entry of W
// may itself be what is left of larger terms: 1e-5 of them, where a tangent hardly feels a normal. So
// round-off is a share of |J| |Y| |p|; of |W| |p| it would be any.
static double sizeOfRow(const Bench* b, const Bodies* all, int m)
{
    double sum = 0, size;
    for (int n = 0; n < plSpace_Rows(&b->space); ++n) {
        productOf(all, m, n, &size);
        sum += size * fabs(b->p[n]);
    }
    return sum;
}

static void judge(const Bench* b, const Bodies* all, const double* product,
                  const plLawReport* report, Worst* worst)
{
    const plSpace* s = &b->space;
    const int rows = plSpace_Rows(s);
    const double res = plJudge_Res(s, b->q, b->p), soft = s->compliance / (1 + s->compliance);
    double dense[3 * mostContacts];
    plSpace_Apply(s, b->p, dense);
    for (int i = 0; i < rows; ++i) {
        // compliance is a matter of the contact, and not in the bodies' velocities
        const double own = soft * s->W[i * (rows + 1)] * b->p[i], size = sizeOfRow(b, all, i);
        if (size == 0) continue;
        worst->product = fmax(worst->product, fabs(dense[i] - own - product[i]) / size);
    }
    worst->taken++;
    worst->res = fmax(worst->res, res);
    worst->told = fmax(worst->told, fabs(report->residual - res));
}

static void compare(int bodies, int contacts, double mu, double compliance, int ticks,
                    uint64_t seed, Worst* worst)
{
    Bench b = makeBench(3, contacts, 4);
    const Bodies* all = makeBodies(bodies, contacts, seed);
    Splitmix r = mixSeed(seed + 77);
    double product[3 * mostContacts];
    plLawReport report;
    fillSpace(&b, all, contacts, mu, compliance, &r);
    warmUp(&b, ticks, &r);
    if (plCone_Still(&b.space, &all->f, b.q, b.before, b.after, b.p, product, &b.work, &report)) {
        judge(&b, all, product, &report, worst);
        for (int i = 0; i < contacts; ++i) assert_int_equal(b.after[i].age, ticks + 1);
    }
    freeBench(&b);
}

static Worst compareMany(double compliance, int ticks)
{
    Worst worst = {0};
    const double friction[] = {0, 0.3, 0.8};
    for (int seed = 0; seed < sized(60, 2000); ++seed) {
        const int bodies = 1 + seed % (mostBodies - 1),
                  contacts = 2 + 7 * seed % (mostContacts - 2);
        compare(bodies, contacts, friction[seed % 3], compliance, ticks, (uint64_t)seed, &worst);
    }
    print_message("compliance %g, %d ticks old: took %d, RES %.1e, told to %.1e, W p to %.1e\n",
                  compliance, ticks, worst.taken, worst.res, worst.told, worst.product);
    assert_true(worst.taken >= sized(20, 600));
    checkAtMost("W p", worst.product, 1e-14); // two sums of 190 terms: 4e-14 at most
    checkAtMost("told", worst.told, 1e-12);
    return worst;
}

static void youngGroupsAreTakenAtTheToleranceOnly(void** state)
{
    (void)state;
    checkAtMost("RES", compareMany(0, 0).res, 1e-9);
    checkAtMost("RES, compliant", compareMany(1e-3, 0).res, 1e-9);
}

static void oldGroupsAreTakenAtWhatAReportCallsConverged(void** state)
{
    (void)state;
    checkAtMost("RES", compareMany(0, 20).res, 1e-6);
}

static void whereNothingCanMoveItDoesNothing(void** state)
{
    (void)state;
    Bench b = makeBench(3, 4, 4);
    Bodies* all = makeBodies(1, 4, 5);
    Splitmix r = mixSeed(6);
    double product[12];
    plLawReport report;
    fillSpace(&b, all, 4, 0.5, 0, &r);
    warmUp(&b, 0, &r);
    memset(all->Y, 0, sizeof all->Y);
    assert_false(
        plCone_Still(&b.space, &all->f, b.q, b.before, b.after, b.p, product, &b.work, &report));
    freeBench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(youngGroupsAreTakenAtTheToleranceOnly),
        cmocka_unit_test(oldGroupsAreTakenAtWhatAReportCallsConverged),
        cmocka_unit_test(whereNothingCanMoveItDoesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
