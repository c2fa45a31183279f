// Holding all contacts of a skin holds the surfaces apart, to second order of the motion.
#include "collide_skins.h"

static Surface old;

/// Moves the points by dx, changed as little as may be so that no contact closes.
static void holdContacts(const plCollideReport* r, const Surface* s, plVec3* dx, bool pointsOnly)
{
    for (int sweep = 0; sweep < 2000; sweep++) {
        double worst = 0;
        for (int i = 0; i < r->contactCount; i++) {
            const plPoint* p = &r->contacts[i].p;
            if (pointsOnly && plSkinKey_B(p->key) != pl_skinShape) continue;
            const int* v = &s->faces[3 * (p->faceA - 1)];
            const double w[3] = {p->localA.x, p->localA.y, p->localA.z};
            double u = p->gap, ww = 0;
            for (int k = 0; k < 3; k++) u += w[k] * plDot(p->n, dx[v[k]]), ww += w[k] * w[k];
            if (u >= 0) continue;
            worst = fmax(worst, -u);
            for (int k = 0; k < 3; k++) dx[v[k]] = plAddScaled(dx[v[k]], -u * w[k] / ww, p->n);
        }
        if (worst < 1e-12) return;
    }
}

static double depthOf(const Surface* s, const Solid* solid)
{
    static Solid face;
    double least = 1e300;
    for (int i = 0; i < s->faceCount; i++) {
        solidOfFace(s, i, &face);
        least = fmin(least, signedDistance(&face, solid));
    }
    return -least;
}

/// Steps of d against the shape: what gets through falls with the square of d; where only points
/// are held, it does not.
static void heldContactsHoldTheSurfaces(void** state)
{
    (void)state;
    static plVec3 dx[mostPoints];
    static const char* names[4] = {"sphere", "capsule", "box", "hull"};
    for (int kind = 0; kind < 4; kind++) {
        double worst[2][3] = {{0}};
        for (int size = 0; size < 3; size++) {
            plRng rng = plRng_Seed(76);
            const double reach = 4e-4 * pow(0.5, size); // and so much motion
            for (int i = 0; i < sized(25, 500); i++) {
                static Solid solid;
                Pair p;
                shapesBegin();
                const plShape* shape = anyRigid(&rng, kind);
                const plFrame f = {plVec(0, 0, 0), randomRotation(&rng)};
                solidOf(shape, &f, &solid);
                anySurface(&rng, &one, true);
                if (!bringNear(&rng, &solid, 0.2 * reach, false) || !isApart(&one, shape, &f))
                    continue;
                const Closest c = closestToSolid(&one, &solid);
                openPair(&p, reach, 4000);
                addSkin(&p, &one.skin, 0);
                addRigid(&p, shape, &f, 1);
                const plCollideReport r = plCollide_Update(p.collide, 0);
                old = one;
                for (int only = 0; only < 2; only++) {
                    plRng push = plRng_Seed(77 + (uint64_t)i);
                    for (int k = 0; k < one.pointCount; k++) {
                        dx[k] = plScale(-0.5 * reach / c.d, plSub(c.a, c.b));
                        dx[k] = plAddScaled(dx[k], 0.3 * reach, randomDirection(&push));
                    }
                    holdContacts(&r, &one, dx, only);
                    for (int k = 0; k < one.pointCount; k++) one.x[k] = plAdd(old.x[k], dx[k]);
                    worst[only][size] = fmax(worst[only][size], depthOf(&one, &solid));
                    for (int k = 0; k < one.pointCount; k++) one.x[k] = old.x[k];
                }
                closePair(&p);
            }
        }
        print_message("%s: steps of 0.4, 0.2, 0.1 mm leave depths of %.2f %.2f %.2f um; where only "
                      "points are held %.0f %.0f %.0f um\n",
                      names[kind], 1e6 * worst[0][0], 1e6 * worst[0][1], 1e6 * worst[0][2],
                      1e6 * worst[1][0], 1e6 * worst[1][1], 1e6 * worst[1][2]);
        // A tenth of what points alone leave, and the square of the step: a sixteenth over the
        // range, with a factor of two for the random worlds.
        checkAtMost("depth", worst[0][2], 0.1 * worst[1][2]);
        checkAtMost("order", worst[0][2], worst[0][0] / 8 + 1e-9);
    }
}

/// The same for two skins that both move.
static void holdBoth(const plCollideReport* r, plVec3* da, plVec3* db)
{
    for (int sweep = 0; sweep < 2000; sweep++) {
        double worst = 0;
        for (int i = 0; i < r->contactCount; i++) {
            const plPoint* p = &r->contacts[i].p;
            const int* v = &one.faces[3 * (p->faceA - 1)];
            const int* u = &two.faces[3 * (p->faceB - 1)];
            const double w[6] = {p->localA.x,  p->localA.y,  p->localA.z,
                                 -p->localB.x, -p->localB.y, -p->localB.z};
            double gap = p->gap, ww = 0;
            for (int k = 0; k < 6; k++) {
                gap += w[k] * plDot(p->n, k < 3 ? da[v[k]] : db[u[k - 3]]);
                ww += w[k] * w[k];
            }
            if (gap >= 0) continue;
            worst = fmax(worst, -gap);
            for (int k = 0; k < 6; k++) {
                plVec3* d = k < 3 ? &da[v[k]] : &db[u[k - 3]];
                *d = plAddScaled(*d, -gap * w[k] / ww, p->n);
            }
        }
        if (worst < 1e-12) return;
    }
}

static double depthOfBoth(void)
{
    static Solid fa, fb;
    double least = 1e300;
    for (int i = 0; i < one.faceCount; i++) {
        solidOfFace(&one, i, &fa);
        for (int k = 0; k < two.faceCount; k++) {
            solidOfFace(&two, k, &fb);
            least = fmin(least, signedDistance(&fa, &fb));
        }
    }
    return -least;
}

static void heldContactsHoldTwoSkins(void** state)
{
    (void)state;
    static plVec3 da[mostPoints], db[mostPoints];
    double worst[2][3] = {{0}};
    int worlds = 0;
    for (int size = 0; size < 3; size++) {
        plRng rng = plRng_Seed(82);
        const double reach = 4e-4 * pow(0.5, size);
        for (int i = 0; i < sized(25, 300); i++) {
            Pair p;
            const bool flat = i % 3 == 0;
            makeBlock(&one, plVec(-0.01, -0.01, 0.03), plVec(0.01, 0.01, 0.05), 1, 2, 1);
            makeBlock(&two, plVec(-0.01, -0.01, -0.01), plVec(0.01, 0.01, 0.01), 2, 1, 1);
            if (!flat) turnSurface(&two, randomRotation(&rng));
            if (!flat) deform(&one, &rng, 2e-3, 1e-3, 0.02);
            Closest c = closestSurfaces(&one, &two);
            shift(&one, plScale((0.2 * reach - c.d) / c.d, plSub(c.a, c.b)));
            if (flat) shift(&one, plVec(0.003, 0.004, 0));
            c = closestSurfaces(&one, &two);
            if (c.d > reach || pierces(&one, &two) || pierces(&two, &one)) continue;
            const plCollideReport r = meet(&p, reach);
            for (int k = 0; k < one.pointCount; k++) {
                da[k] = plScale(-0.3 * reach / c.d, plSub(c.a, c.b));
                da[k] = plAddScaled(da[k], 0.2 * reach, randomDirection(&rng));
            }
            for (int k = 0; k < two.pointCount; k++) {
                db[k] = plScale(0.3 * reach, randomDirection(&rng));
            }
            for (int held = 0; held < 2; held++) {
                static Surface a, b;
                a = one, b = two;
                if (held) holdBoth(&r, da, db);
                for (int k = 0; k < one.pointCount; k++) one.x[k] = plAdd(one.x[k], da[k]);
                for (int k = 0; k < two.pointCount; k++) two.x[k] = plAdd(two.x[k], db[k]);
                worst[held][size] = fmax(worst[held][size], depthOfBoth());
                one = a, two = b;
            }
            worlds++;
            closePair(&p);
        }
    }
    print_message("%d pairs: steps of 0.4, 0.2, 0.1 mm leave depths of %.2f %.2f %.2f um; not held "
                  "%.0f %.0f %.0f um\n",
                  worlds, 1e6 * worst[1][0], 1e6 * worst[1][1], 1e6 * worst[1][2],
                  1e6 * worst[0][0], 1e6 * worst[0][1], 1e6 * worst[0][2]);
    checkAtMost("depth", worst[1][2], 0.1 * worst[0][2]);
    checkAtMost("order", worst[1][2], worst[1][0] / 8 + 1e-9);
}

/// Whatever lies in whatever, folded and collapsed: contacts are finite and what they say.
static void anyTangleGivesSoundContacts(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(83);
    int deep = 0, contacts = 0;
    for (int i = 0; i < sized(60, 1000); i++) {
        Pair p;
        shapesBegin();
        anySurface(&rng, &one, i % 2);
        anySurface(&rng, &two, i % 4 < 2);
        deform(&two, &rng, 0.03, 0.01, 0.02); // folds over
        for (int k = 0; k < 5; k++) {         // and faces without area
            const int from = (int)plRng_Uniform(&rng, 0, two.pointCount);
            two.x[(int)plRng_Uniform(&rng, 0, two.pointCount)] = two.x[from];
            one.x[(int)plRng_Uniform(&rng, 0, one.pointCount)] = two.x[from];
        }
        shift(&one, plScale(0.02, randomVector(&rng)));
        openPair(&p, 5e-3, 20000);
        addSkin(&p, &one.skin, 0);
        if (i % 3 > 0) {
            addSkin(&p, &two.skin, 1);
        } else {
            const plFrame f = {plScale(0.02, randomVector(&rng)), randomRotation(&rng)};
            addRigid(&p, anyRigid(&rng, i / 3 % 4), &f, 1);
        }
        const plCollideReport r = plCollide_Update(p.collide, 1e-3);
        checkContacts(&r, &one, i % 3 > 0 ? &two : NULL);
        contacts += r.contactCount;
        for (int k = 0; k < r.contactCount; k++) deep += r.contacts[k].p.gap < 0;
        closePair(&p);
    }
    print_message("%d contacts, %d of them behind the surface\n", contacts, deep);
    assert_true(deep > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heldContactsHoldTheSurfaces),
        cmocka_unit_test(heldContactsHoldTwoSkins),
        cmocka_unit_test(anyTangleGivesSoundContacts),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
