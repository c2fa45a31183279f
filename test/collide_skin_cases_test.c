// Skins in places where the answer is known.
#include "collide_skins.h"

/// A roof: its ridge along x at the given height, turned about z.
static void makeRoof(Surface* s, double height, double up, double angle)
{
    static const int faces[24] = {0, 1, 5, 0, 5, 4, 2, 3, 4, 2, 4, 5,
                                  1, 2, 5, 3, 0, 4, 0, 2, 1, 0, 3, 2};
    const plVec3 x[6] = {{-1, -1, -1}, {1, -1, -1},  {1, 1, -1},
                         {-1, 1, -1},  {-0.8, 0, 0}, {0.8, 0, 0}};
    s->pointCount = 6;
    s->faceCount = 8;
    for (int i = 0; i < 6; i++) {
        const plVec3 p = plScale(0.01, x[i]);
        s->x[i] = plVec(cos(angle) * p.x - sin(angle) * p.y, sin(angle) * p.x + cos(angle) * p.y,
                        up * p.z + height);
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) s->faces[3 * i + k] = faces[3 * i + (up > 0 ? k : 2 - k)];
    }
    closeSurface(s);
}

static int countKind(const plCollideReport* r, plSkinFeature a, plSkinFeature b)
{
    int count = 0;
    for (int i = 0; i < r->contactCount; i++) {
        const uint64_t key = r->contacts[i].p.key;
        count += plSkinKey_A(key) == a && plSkinKey_B(key) == b;
    }
    return count;
}

static void aPointOverAFaceTouchesOnce(void** state)
{
    (void)state;
    Pair p;
    makeTet(&one, plVec(0.002, 0.001, 5e-4), -1, 0.01);
    makeBlock(&two, plVec(-0.02, -0.02, -0.02), plVec(0.02, 0.02, 0), 1, 1, 1);
    plCollideReport r = meet(&p, 1e-3);
    assert_int_equal(r.contactCount, 1);
    assert_int_equal(countKind(&r, pl_skinPoint, pl_skinFace), 1);
    checkNear("gap", r.contacts[0].p.gap, 5e-4, 1e-15);
    checkNear("n", r.contacts[0].p.n.z, 1, 1e-15);
    closePair(&p);
    // Over a diagonal of the block's top, and over one of its corners.
    makeTet(&one, plVec(0.005, 0.005, 5e-4), -1, 0.01);
    r = meet(&p, 1e-3);
    assert_true(r.contactCount >= 1 && r.contactCount <= 2);
    checkNear("gap over an edge", r.contacts[0].p.gap, 5e-4, 1e-15);
    closePair(&p);
    makeTet(&one, plVec(0.0203, 0.0203, 5e-4), -1, 0.01);
    r = meet(&p, 1e-3);
    assert_int_equal(r.contactCount, 1);
    assert_int_equal(countKind(&r, pl_skinPoint, pl_skinPoint), 1);
    checkNear("gap at a corner", r.contacts[0].p.gap, sqrt(25e-8 + 2 * 9e-8), 1e-15);
    closePair(&p);
    makeTet(&one, plVec(0.0203, 0.001, 5e-4), -1, 0.01);
    r = meet(&p, 1e-3);
    assert_int_equal(r.contactCount, 1);
    assert_int_equal(countKind(&r, pl_skinPoint, pl_skinEdge), 1);
    checkNear("gap at an edge", r.contacts[0].p.gap, sqrt(25e-8 + 9e-8), 1e-15);
    closePair(&p);
}

static void edgesThatCrossTouchOnce(void** state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        Pair p;
        const double gap = 4e-4 - 2e-4 * i, angle = 0.5 + 0.2 * i; // down to 0.6 mm of depth
        makeRoof(&one, gap, -1, angle);
        makeRoof(&two, 0, 1, 0);
        const plCollideReport r = meet(&p, 1e-3);
        assert_int_equal(r.contactCount, 1);
        assert_int_equal(countKind(&r, pl_skinEdge, pl_skinEdge), 1);
        checkNear("gap of edges", r.contacts[0].p.gap, gap, 1e-15);
        checkNear("n of edges", r.contacts[0].p.n.z, 1, 1e-14);
        closePair(&p);
    }
}

static void parallelEdgesTouchAtBothEnds(void** state)
{
    (void)state;
    Pair p;
    makeRoof(&one, 4e-4, -1, 0);
    makeRoof(&two, 0, 1, 0);
    shift(&one, plVec(0.003, 0, 0));
    const plCollideReport r = meet(&p, 1e-3);
    // Of each ridge one end lies over the other.
    assert_int_equal(r.contactCount, 2);
    assert_int_equal(countKind(&r, pl_skinPoint, pl_skinEdge), 1);
    assert_int_equal(countKind(&r, pl_skinEdge, pl_skinPoint), 1);
    for (int i = 0; i < 2; i++) checkNear("gap", r.contacts[i].p.gap, 4e-4, 1e-15);
    checkNear("length", fabs(r.contacts[0].p.a.x - r.contacts[1].p.a.x), 0.013, 1e-15);
    closePair(&p);
}

/// Where two flat parallel surfaces overlap, the contacts' hull is the overlap.
static void flatSurfacesTouchOverTheirOverlap(void** state)
{
    (void)state;
    shapesBegin();
    const plShape* box = makeBox(0.01, 0.01, 0.01);
    const plFrame below = placed(0, 0, -0.01);
    for (int i = 0; i < 6; i++) {
        Pair p;
        plRng rng = plRng_Seed(74 + (uint64_t)i);
        const bool rigid = i >= 3;
        const double gap = i % 3 == 2 ? -2e-4 : 3e-4;
        const plMat3 turn = plRotation(plRotor(plVec(0, 0, 1), i % 3 == 0 ? 0 : 0.4));
        double most = 0;
        makeBlock(&one, plVec(-0.01, -0.01, gap), plVec(0.01, 0.01, 0.02), 2, 2, 2);
        turnSurface(&one, turn);
        shift(&one, plVec(0.004, 0.003, 0));
        makeBlock(&two, plVec(-0.01, -0.01, -0.02), plVec(0.01, 0.01, 0), 3, 3, 3);
        if (rigid) openPair(&p, 1e-3, 1000);
        if (rigid) addSkin(&p, &one.skin, 0);
        if (rigid) addRigid(&p, box, &below, 1);
        const plCollideReport r = rigid ? plCollide_Update(p.collide, 0) : meet(&p, 1e-3);
        for (int k = 0; k < r.contactCount; k++) {
            const plPoint* c = &r.contacts[k].p;
            // A point beside the rigid box has its own distance to it.
            if (fmax(fabs(c->a.x), fabs(c->a.y)) > 0.01 + 1e-12) {
                assert_true(rigid && plSkinKey_A(c->key) == pl_skinPoint);
                continue;
            }
            checkNear("n", r.contacts[k].p.n.z, 1, 1e-14);
            checkNear("gap", r.contacts[k].p.gap, gap, 1e-15);
        }
        // In any direction a contact lies as far out as the overlap does.
        for (int k = 0; k < 200; k++) {
            const plVec3 d = randomDirection(&rng);
            const plVec3 across = {d.x, d.y, 0};
            double far = -1e300, overlap = -1e300;
            for (int m = 0; m < r.contactCount; m++) {
                far = fmax(far, plDot(across, r.contacts[m].p.b));
            }
            for (int m = 0; m < 4000; m++) { // a grid of points of the overlap
                const plVec3 b = {-0.01 + 0.02 * (m % 64) / 63.0, -0.01 + 0.02 * (m / 64) / 62.0,
                                  0};
                const plVec3 a = plMulT(&turn, plSub(b, plVec(0.004, 0.003, 0)));
                if (fabs(a.x) > 0.01 || fabs(a.y) > 0.01) continue;
                overlap = fmax(overlap, plDot(across, b));
            }
            most = fmax(most, overlap - far);
        }
        print_message("flat on a %s, gap %g: %d contacts; overlap beyond them %.1e\n",
                      rigid ? "box" : "skin", gap, r.contactCount, most);
        checkAtMost("overlap that is not held", most, 1e-12);
        closePair(&p);
    }
}

static void shallowPenetrationIsPushedOut(void** state)
{
    (void)state;
    Pair p;
    // A point behind a face, by less than the reach, and deeper.
    for (int i = 1; i < 12; i++) {
        const double depth = 1e-4 * i;
        makeTet(&one, plVec(0.002, 0.001, -depth), -1, 0.01);
        makeBlock(&two, plVec(-0.02, -0.02, -0.02), plVec(0.02, 0.02, 0), 1, 1, 1);
        const plCollideReport r = meet(&p, 1.05e-3);
        assert_int_equal(r.contactCount, i < 11);
        if (i < 11) checkNear("depth", r.contacts[0].p.gap, -depth, 1e-15);
        if (i < 11) checkNear("n", r.contacts[0].p.n.z, 1, 1e-15);
        closePair(&p);
    }
    // Small rigid things in the middle of a coarse face.
    shapesBegin();
    const plShape* shapes[3] = {makeSphere(0.002), makeCapsule(0.002, 0.006),
                                makeBox(1e-3, 1e-3, 2e-3)};
    for (int i = 0; i < 3; i++) {
        plFrame f = turned(0.003, 0.002, 0, plVec(1, 0.4, 0.2), i == 2 ? 0.8 : 0.3);
        const plGap gap = plCollide_Gap(shapes[i], &f, makePlane(plVec(0, 0, 1)),
                                        &(plFrame){.R = plIdentity3()}, NULL);
        f.x.z -= gap.gap + 5e-4; // half a millimetre deep
        makeBlock(&one, plVec(-0.02, -0.02, -0.02), plVec(0.02, 0.02, 0), 1, 1, 1);
        openPair(&p, 1e-3, 100);
        addRigid(&p, shapes[i], &f, 1);
        addSkin(&p, &one.skin, 0);
        const plCollideReport r = plCollide_Update(p.collide, 0);
        checkContacts(&r, NULL, &one);
        checkNear("depth of a rigid thing", leastGap(&r), -5e-4, 1e-12);
        for (int k = 0; k < r.contactCount; k++) checkNear("up", r.contacts[k].p.n.z, 1, 1e-12);
        closePair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aPointOverAFaceTouchesOnce),
        cmocka_unit_test(edgesThatCrossTouchOnce),
        cmocka_unit_test(parallelEdgesTouchAtBothEnds),
        cmocka_unit_test(flatSurfacesTouchOverTheirOverlap),
        cmocka_unit_test(shallowPenetrationIsPushedOut),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
