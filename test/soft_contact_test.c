// A soft block on a plane: it slides, stops, holds on a slope, and its feet share the load as they
// should. (signorini spec 5)
#include "worlds.h"

#include <string.h>

/// 0.2 x 0.1 x 0.1 m, 2 kg, its lower face at z = 0, mirrored in y.
static plTets block(void)
{
    const plAllocator allocator = plDefaultAllocator();
    plTets mesh;
    assert_int_equal(
        plTets_Box(4, 1, 2, (plVec3){-0.1, 0, 0}, (plVec3){0.1, 0.05, 0.1}, &allocator, &mesh),
        pl_statusOk);
    assert_int_equal(plTets_Mirror(&mesh, 1), pl_statusOk);
    assert_int_equal(mesh.pointCount, 45);
    return mesh;
}

typedef struct {
    plWorld* world;
    plMechanismId id;
    plVec3 start;
} Slide;

/// Gravity leans by an angle towards +x.
static Slide makeSlide(double E, double mu, double angle, double v0)
{
    plWorldDef world = plDefaultWorldDef();
    plSoftDef def = plDefaultSoftDef();
    plTets mesh = block();
    Slide s;
    plMotion m;
    int list[45], count = 0;
    world.gravity = (plVec3){9.81 * sin(angle), 0, -9.81 * cos(angle)};
    world.contact.law = pl_lawCone;
    world.contact.surface.friction = mu;
    checkOk(NULL, plWorld_Create(&world, &s.world));
    addFloor(s.world, 0);
    for (int i = 0; i < mesh.pointCount; ++i) {
        if (mesh.points[i].z < 1e-9) list[count++] = i;
    }
    assert_int_equal(count, 15);
    def.name = "block";
    def.mesh = &mesh;
    def.elastic.E = E;
    def.velocity.x = v0;
    def.candidates = list;
    def.candidateCount = count;
    checkOk(s.world, plWorld_AddSoft(s.world, &def, &s.id));
    plTets_Free(&mesh);
    plWorld_Motion(s.world, (plSite){.mechanism = s.id}, &m);
    s.start = m.x;
    return s;
}

static plVec3 sumOfForces(const plWorld* w, int* active)
{
    plVec3 sum = {0, 0, 0};
    *active = 0;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        checkOk(w, plWorld_Contact(w, i, &c));
        sum.x += c.force.x, sum.y += c.force.y, sum.z += c.force.z;
        *active += c.force.z > 0;
    }
    return sum;
}

static plVec3 placeOf(const Slide* s, plVec3* v)
{
    plMotion m;
    plWorld_Motion(s->world, (plSite){.mechanism = s->id}, &m);
    if (v) *v = m.v;
    return (plVec3){m.x.x - s->start.x, m.x.y - s->start.y, m.x.z - s->start.z};
}

static void step(Slide* s, double T)
{
    plWorld_Step(s->world, T);
    assert_int_equal(plWorld_Report(s->world).trouble, 0);
}

static void aSlidingBlockStopsWhereItShould(void** state)
{
    (void)state;
    const struct {
        double E, T, stop, bar;
    } cases[] = {{1e9, 3e-3, .16839723300, 1e-7},
                 {1e7, 3e-3, .16839723300, 4e-6},
                 {1e9, 1e-3, .16939491, 1e-6}};
    for (int i = 0; i < 3; ++i) {
        Slide s = makeSlide(cases[i].E, 0.3, 0, 1);
        double worst = 0;
        int active;
        for (int k = 0; k < (int)(0.5 / cases[i].T); ++k) {
            step(&s, cases[i].T);
            const plVec3 f = sumOfForces(s.world, &active);
            if (k > 3 && k * cases[i].T < 0.3) worst = fmax(worst, fabs(-f.x / f.z - 0.3));
            const plAccount a = plWorld_Ledger(s.world), c = plWorld_ContactLedger(s.world);
            checkAtMost("created", a.integrator + a.leak, 1e-12);
            assert_true(c.dissipated >= -1e-12);
        }
        const plVec3 x = placeOf(&s, NULL), f = sumOfForces(s.world, &active);
        const plAccount a = plWorld_Ledger(s.world);
        print_message("E %.0e T %g: stops at %.9f (%.9f), F_t/F_n off by %.1e, holds %.9f N, "
                      "residual %.1e J, side %.1e, depth %.1e m\n",
                      cases[i].E, cases[i].T, x.x, cases[i].stop, worst, f.z, a.residual, x.y,
                      plWorld_Report(s.world).depth);
        checkNear("stop", x.x, cases[i].stop, cases[i].bar);
        checkAtMost("cone", worst, 1e-9);
        checkNear("weight", f.z, 19.62, 1e-6);
        checkAtMost("residual", fabs(a.residual), 1e-9);
        plWorld_Destroy(s.world);
    }
}

static void aBlockOnASlopeStaysOrSlidesAsTheConeSays(void** state)
{
    (void)state;
    const double T = 3e-3, degree = acos(-1) / 180;
    Slide s = makeSlide(1e9, 0.3, 16 * degree, 0);
    plVec3 v, w;
    for (int k = 0; k < 300; ++k) step(&s, T);
    plVec3 x = placeOf(&s, &v);
    print_message("16 degrees: creeps %.1e m, %.1e m/s\n", x.x, v.x);
    checkAtMost("creep", fabs(x.x), 1e-6);
    checkAtMost("speed", fabs(v.x), 1e-9);
    plWorld_Destroy(s.world);
    s = makeSlide(1e9, 0.3, 17.5 * degree, 0);
    for (int k = 0; k < 100; ++k) step(&s, T);
    placeOf(&s, &v);
    for (int k = 0; k < 100; ++k) step(&s, T);
    placeOf(&s, &w);
    const double a = (w.x - v.x) / (100 * T);
    print_message("17.5 degrees: %.12f m/s^2\n", a);
    checkNear("acceleration", a, .143134907085, 1e-7);
    plWorld_Destroy(s.world);
}

// One step from rest: the load is shared as stiffness says, and not as the order of contacts does.
static void feetShareTheLoadByStiffness(void** state)
{
    (void)state;
    const double degree = acos(-1) / 180;
    const struct {
        double E, sum;
    } cases[] = {{1e6, 14.907228}, {1e7, 18.763217}, {1e8, 19.264500}, {1e9, 19.316169}};
    for (int i = 0; i < 4; ++i) {
        Slide s = makeSlide(cases[i].E, 0.5, 10 * degree, 0);
        int active;
        step(&s, 3e-3);
        const plVec3 f = sumOfForces(s.world, &active);
        double odd = 0, size = 0;
        for (int a = 0; a < plWorld_ContactCount(s.world); ++a) {
            plContactInfo c, d;
            plMotion at, to;
            plWorld_Contact(s.world, a, &c);
            plWorld_Motion(s.world, c.shapeA.index1 == 2 ? c.a : c.b, &at);
            for (int b = 0; b < plWorld_ContactCount(s.world); ++b) {
                plWorld_Contact(s.world, b, &d);
                plWorld_Motion(s.world, d.shapeA.index1 == 2 ? d.a : d.b, &to);
                if (fabs(at.x.x - to.x.x) + fabs(at.x.y + to.x.y) > 1e-3) continue;
                odd = fmax(odd, fabs(c.force.z - d.force.z));
                size = fmax(size, fabs(c.force.z));
            }
        }
        print_message(
            "E %.0e: sum %.6f N (%.6f), %d of %d contacts, left and right differ by %.1e\n",
            cases[i].E, f.z, cases[i].sum, active, plWorld_ContactCount(s.world), odd / size);
        checkNear("sum", f.z, cases[i].sum, 2e-3 * cases[i].sum);
        checkAtMost("asymmetry", odd / size, 1e-6);
        plWorld_Destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSlidingBlockStopsWhereItShould),
        cmocka_unit_test(aBlockOnASlopeStaysOrSlidesAsTheConeSays),
        cmocka_unit_test(feetShareTheLoadByStiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
