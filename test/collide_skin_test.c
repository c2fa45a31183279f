// Skins: all pairs of features that are near have their contact, and each contact is what it says.
#include "collide_skins.h"

// --- the oracle: pairs of points that are nearest among their neighbours

/// Do all faces of the surface that have p lie on the side of the plane to which n points?
static bool stays(const Surface* s, plVec3 p, plVec3 n)
{
    for (int i = 0; i < s->faceCount; i++) {
        double w[3];
        const plVec3 q =
            plNearestOnTriangle(p, corner(s, i, 0), corner(s, i, 1), corner(s, i, 2), w);
        if (plNorm(plSub(p, q)) > 1e-11) continue;
        for (int k = 0; k < 3; k++) {
            if (plDot(n, plSub(corner(s, i, k), p)) < -1e-10) return false;
        }
    }
    return true;
}

/// A contact at these two points.
static bool isHeld(const plCollideReport* r, plVec3 a, plVec3 b, double gap)
{
    for (int i = 0; i < r->contactCount; i++) {
        const plPoint* p = &r->contacts[i].p;
        if (fabs(p->gap - gap) > 1e-10) continue;
        if (plNorm(plSub(p->a, a)) < 1e-8 && plNorm(plSub(p->b, b)) < 1e-8) return true;
    }
    return false;
}

static double gapOfPoint(const plCollideReport* r, plVec3 x)
{
    for (int i = 0; i < r->contactCount; i++) {
        const plPoint* p = &r->contacts[i].p;
        if (plSkinKey_B(p->key) == pl_skinShape && plNorm(plSub(p->a, x)) < 1e-15) return p->gap;
    }
    return 1e300;
}

/// Or the points of the face hold it.
static bool isImplied(const plCollideReport* r, const Surface* s, int face, plVec3 p, double gap,
                      double reach)
{
    double w[3], sum = 0;
    plNearestOnTriangle(p, corner(s, face, 0), corner(s, face, 1), corner(s, face, 2), w);
    for (int k = 0; k < 3; k++) {
        if (w[k] > 0) sum += w[k] * gapOfPoint(r, corner(s, face, k));
    }
    return sum - gap <= 1e-6 * reach + 1e-11;
}

typedef struct {
    int expected, implied, contacts, points, worlds;
    double worst;
} Tally;

static void compareWithSolid(const plCollideReport* r, const Surface* s, const Solid* solid,
                             double reach, Tally* t)
{
    static Solid face, point;
    double least = 1e300;
    for (int i = 0; i < s->pointCount; i++) {
        point = (Solid){.vertexCount = 1, .v = {s->x[i]}};
        const double d = closestFeatures(&point, solid).d - solid->radius;
        if (d > reach - 1e-9) continue;
        checkNear("gap of a point", gapOfPoint(r, s->x[i]), d, 1e-11);
        t->points++;
    }
    for (int i = 0; i < s->faceCount; i++) {
        solidOfFace(s, i, &face);
        const Closest c = closestFeatures(&face, solid);
        const plVec3 n = plScale(1 / c.d, plSub(c.a, c.b));
        const double gap = c.d - solid->radius;
        least = fmin(least, gap);
        if (gap > reach - 1e-9 || !stays(s, c.a, n)) continue;
        t->expected++;
        if (isHeld(r, c.a, plAddScaled(c.b, solid->radius, n), gap)) continue;
        assert_true(isImplied(r, s, i, c.a, gap, reach));
        t->implied++;
    }
    t->contacts += r->contactCount;
    t->worlds++;
    if (least > reach - 1e-9) return;
    t->worst = fmax(t->worst, fabs(leastGap(r) - least));
    checkNear("least gap", leastGap(r), least, 1e-9);
}

static void everyNearPairWithARigidShapeIsHeld(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(71);
    static const char* names[4] = {"sphere", "capsule", "box", "hull"};
    for (int kind = 0; kind < 4; kind++) {
        Tally t = {0};
        for (int i = 0; i < sized(60, 2000); i++) {
            const double reach = i % 3 == 0 ? 1e-3 : 1e-2;
            static Solid solid;
            Pair p;
            shapesBegin();
            const plShape* shape = anyRigid(&rng, kind);
            const plFrame f = {plScale(0.01, randomVector(&rng)), randomRotation(&rng)};
            solidOf(shape, &f, &solid);
            const bool cave = i % 4 == 3;
            anySurface(&rng, &one, i % 2);
            if (cave) makeCave(&rng, shape, &f);
            if (!bringNear(&rng, &solid, reach, cave) || !isApart(&one, shape, &f)) continue;
            openPair(&p, reach, 4000);
            addSkin(&p, &one.skin, 0);
            addRigid(&p, shape, &f, 1);
            const plCollideReport r = plCollide_Update(p.collide, 0);
            checkContacts(&r, &one, NULL);
            compareWithSolid(&r, &one, &solid, reach, &t);
            for (int k = 0; k < r.contactCount; k++) {
                const plVec3 at = plInto(&f, r.contacts[k].p.b);
                // The far end of a capsule that lies nearly along a face is inside the round part
                // by 1 - cos of the tilt.
                const double off = kind == 1 ? 0.006 * shape->radius : 1e-12;
                checkNear("on the shape", plShape_Nearest(shape, at).distance, 0, off);
                checkNear("local", plNorm(plSub(at, r.contacts[k].p.localB)), 0, 1e-12);
            }
            closePair(&p);
        }
        print_message(
            "%s: %d worlds, %.1f contacts (%.1f of points), %.2f nearest pairs, %d of them "
            "implied; least gap to %.1e\n",
            names[kind], t.worlds, (double)t.contacts / t.worlds, (double)t.points / t.worlds,
            (double)t.expected / t.worlds, t.implied, t.worst);
        assert_true(t.worlds > sized(40, 1000) && t.expected > t.worlds);
    }
}

static void planesHoldPoints(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(72);
    shapesBegin();
    const plShape* plane = makePlane(plVec(0, 0.6, 0.8));
    for (int i = 0; i < 20; i++) {
        Pair p;
        const plFrame f = {plScale(0.01, randomVector(&rng)), randomRotation(&rng)};
        const plVec3 n = plMul(&f.R, plVec(0, 0.6, 0.8));
        int expected = 0, found = 0;
        anySurface(&rng, &one, i % 2);
        shift(&one, plAddScaled(f.x, 0.04, n));
        openPair(&p, 1e-3, 4000);
        addRigid(&p, plane, &f, 1);
        addSkin(&p, &one.skin, 0);
        const plCollideReport r = plCollide_Update(p.collide, 0);
        checkContacts(&r, NULL, &one);
        for (int k = 0; k < one.pointCount; k++) {
            const double d = plDot(n, plSub(one.x[k], f.x));
            expected += d <= 1e-3;
            for (int m = 0; m < r.contactCount; m++) {
                const plPoint* c = &r.contacts[m].p;
                if (plNorm(plSub(c->b, one.x[k])) > 0) continue;
                checkNear("over the plane", c->gap, d, 1e-14);
                checkNear("normal", plDot(c->n, n), -1, 1e-14); // from the skin to the plane
                found++;
            }
        }
        assert_int_equal(expected, r.contactCount);
        assert_int_equal(found, expected);
        closePair(&p);
    }
}

static void compoundsAreTheirPieces(void** state)
{
    (void)state;
    Pair p, q;
    plShapeDef pieces[2] = {plDefaultShapeDef(pl_shapeSphere), plDefaultShapeDef(pl_shapeBox)};
    plShapeDef def = plDefaultShapeDef(pl_shapeCompound);
    pieces[0].radius = 0.01, pieces[0].frame.p.x = -0.02;
    pieces[1].half = plVec(0.01, 0.01, 0.01), pieces[1].frame.p.x = 0.02;
    def.pieces = pieces;
    def.pieceCount = 2;
    shapesBegin();
    const plFrame f = turned(0, 0, 0.0105, plVec(0, 0, 1), 0.3);
    const plShape* compound = makeShape(&def);
    makeBlock(&one, plVec(-0.05, -0.05, -0.02), plVec(0.05, 0.05, 0), 3, 3, 1);
    openPair(&p, 1e-3, 1000);
    addSkin(&p, &one.skin, 0);
    addRigid(&p, compound, &f, 1);
    const plCollideReport r = plCollide_Update(p.collide, 0);
    checkContacts(&r, &one, NULL);
    int count = 0;
    for (int i = 0; i < 2; i++) {
        openPair(&q, 1e-3, 1000);
        addSkin(&q, &one.skin, 0);
        addRigid(&q, makeShape(&pieces[i]), &f, 1);
        const plCollideReport s = plCollide_Update(q.collide, 0);
        assert_true(s.contactCount > 0);
        for (int k = 0; k < s.contactCount; k++) {
            assert_true(isHeld(&r, s.contacts[k].p.a, s.contacts[k].p.b, s.contacts[k].p.gap));
        }
        count += s.contactCount;
        closePair(&q);
    }
    assert_int_equal(r.contactCount, count);
    closePair(&p);
}

// --- two skins

static const plPoint* findKey(const plCollideReport* r, plSkinFeature a, plSkinFeature b, int i,
                              int k)
{
    const uint64_t kind = (uint64_t)a << 2 | (uint64_t)b;
    const uint64_t key = kind << 60 | (uint64_t)i << 30 | (uint64_t)k;
    for (int m = 0; m < r->contactCount; m++) {
        if (r->contacts[m].p.key == key) return &r->contacts[m].p;
    }
    return NULL;
}

static plVec3 pointNormal(const Surface* s, int point)
{
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < 3 * s->faceCount; i++) {
        if (s->faces[i] != point) continue;
        const int face = i / 3, k = i % 3;
        const plVec3 u = plSub(corner(s, face, (k + 1) % 3), s->x[point]);
        const plVec3 v = plSub(corner(s, face, (k + 2) % 3), s->x[point]);
        const double angle = acos(plDot(u, v) / (plNorm(u) * plNorm(v)));
        sum = plAddScaled(sum, angle, faceNormal(s, face));
    }
    return sum;
}

/// Every point that stands in front of a face.
static int comparePoints(const plCollideReport* r, const Surface* over, const Surface* under,
                         double reach, bool overIsA)
{
    int count = 0;
    for (int i = 0; i < over->pointCount; i++) {
        for (int k = 0; k < under->faceCount; k++) {
            double w[3];
            const plVec3 q = plNearestOnTriangle(over->x[i], corner(under, k, 0),
                                                 corner(under, k, 1), corner(under, k, 2), w);
            const double h = plDot(faceNormal(under, k), plSub(over->x[i], q));
            if (!(w[0] > 1e-9 && w[1] > 1e-9 && w[2] > 1e-9) || h < 0 || h > reach - 1e-9) continue;
            // A point that looks away is none of the near side.
            if (plDot(pointNormal(over, i), faceNormal(under, k)) > 0) continue;
            const plPoint* p = overIsA ? findKey(r, pl_skinPoint, pl_skinFace, i, k)
                                       : findKey(r, pl_skinFace, pl_skinPoint, k, i);
            assert_non_null(p);
            checkNear("over a face", p->gap, h, 1e-14);
            count++;
        }
    }
    return count;
}

static void compareSurfaces(const plCollideReport* r, const Surface* a, const Surface* b,
                            double reach, Tally* t)
{
    static Solid fa, fb;
    double least = 1e300;
    for (int i = 0; i < a->faceCount; i++) {
        solidOfFace(a, i, &fa);
        for (int k = 0; k < b->faceCount; k++) {
            if (plNorm(plSub(fa.v[0], corner(b, k, 0))) > 0.06) continue; // faces are smaller
            solidOfFace(b, k, &fb);
            const Closest c = closestFeatures(&fa, &fb);
            if (c.d > reach - 1e-9) continue;
            least = fmin(least, c.d);
            const plVec3 n = plScale(1 / c.d, plSub(c.a, c.b));
            if (!stays(a, c.a, n) || !stays(b, c.b, plScale(-1, n))) continue;
            t->expected++;
            assert_true(isHeld(r, c.a, c.b, c.d));
        }
    }
    t->contacts += r->contactCount;
    t->worlds++;
    t->worst = fmax(t->worst, fabs(leastGap(r) - least));
    checkNear("least gap", leastGap(r), least, 1e-9);
}

/// A ball beside a block, a block in a cave, or two blocks under one wave, which fit each other.
static void makeTwo(plRng* rng, int kind)
{
    const double gap = plRng_Uniform(rng, 2e-4, 6e-4);
    makeBlock(&two, plVec(-0.03, -0.03, -0.02), plVec(0.03, 0.03, 0.02), 3, 2, 2);
    if (kind == 2) {
        makeBlock(&one, plVec(-0.03, -0.03, 0.02 + gap), plVec(0.03, 0.03, 0.05), 3, 4, 2);
        plRng same = *rng;
        deform(&one, &same, 0.008, 0, 0.1);
        deform(&two, rng, 0.008, 0, 0.1);
        return;
    }
    makeBall(&one, kind == 1 ? 0.06 : 0.03, 5, 8);
    deform(&one, rng, 0.008, 0.003, 0.05);
    deform(&two, rng, 0.008, 0.003, 0.05);
    turnSurface(&two, randomRotation(rng));
    if (kind == 1) turnInsideOut(&one);
    if (kind == 0) shift(&one, plScale(0.15, randomDirection(rng)));
}

static void everyNearPairOfTwoSkinsIsHeld(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(73);
    Tally t = {0};
    for (int i = 0; i < sized(30, 1000); i++) {
        const double reach = i % 3 == 0 ? 1e-3 : 1e-2;
        Pair p;
        makeTwo(&rng, i % 4 < 2 ? 0 : i % 4 - 1);
        Closest c = closestSurfaces(&one, &two);
        for (int k = 0; k < 4 && c.d > reach; k++) {
            const double wanted = plRng_Uniform(&rng, 0.05, 0.5) * reach;
            shift(&one, plScale((wanted - c.d) / c.d, plSub(c.a, c.b)));
            c = closestSurfaces(&one, &two);
        }
        // Surfaces that pass through each other have no distance.
        if (c.d > reach || pierces(&one, &two) || pierces(&two, &one)) continue;
        openPair(&p, reach, 4000);
        addSkin(&p, &one.skin, 0);
        addSkin(&p, &two.skin, 1);
        const plCollideReport r = plCollide_Update(p.collide, 0);
        checkContacts(&r, &one, &two);
        compareSurfaces(&r, &one, &two, reach, &t);
        t.points += comparePoints(&r, &one, &two, reach, true);
        t.points += comparePoints(&r, &two, &one, reach, false);
        closePair(&p);
    }
    print_message(
        "%d worlds, %.1f contacts, %.1f points over faces, %.2f nearest pairs; least gap to "
        "%.1e\n",
        t.worlds, (double)t.contacts / t.worlds, (double)t.points / t.worlds,
        (double)t.expected / t.worlds, t.worst);
    assert_true(t.worlds > sized(15, 500) && t.expected >= t.worlds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyNearPairWithARigidShapeIsHeld),
        cmocka_unit_test(planesHoldPoints),
        cmocka_unit_test(compoundsAreTheirPieces),
        cmocka_unit_test(everyNearPairOfTwoSkinsIsHeld),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
