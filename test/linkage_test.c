// A hand that holds one link of a linkage feels what hits the others. Every wrench is compared with
// what D, J_h and J_c of the paper ask for, from kinematics that are written out here.
// (iapb eq. 26; see src/world/linkage.c)
#include "linkages.h"

// --- what the hand must feel

/// Errors, each over the same with |J_c^T| |p|: normal and friction may nearly cancel.
typedef struct {
    double site;  ///< |J_h D^-1 (J_h^T F - J_c^T p)|: eq. 26 in the metric of D^-1
    double whole; ///< |J_h^T F - J_c^T p|: eq. 26 itself
    double stray; ///< |part of Md^-1 F outside of what the site can do| over |Md^-1 F|
    double F[3];  ///< [N s, N m s]
} Felt;

static double norm3(const double* a) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/// What is left of a twist without those that the columns of J can do; lengths in the device's radius
/// of gyration, so that angles count.
static double leftOf(double J[3][most], int n, const double* twist)
{
    const double scale[3] = {1, 1, 0.07};
    double basis[3][3], x[3];
    int rank = 0;
    for (int i = 0; i < n && rank < 3; ++i) {
        double a[3];
        for (int k = 0; k < 3; ++k) a[k] = J[k][i] * scale[k];
        const double size = norm3(a);
        for (int again = 0; again < 2; ++again) {
            for (int r = 0; r < rank; ++r) {
                const double s = a[0] * basis[r][0] + a[1] * basis[r][1] + a[2] * basis[r][2];
                for (int k = 0; k < 3; ++k) a[k] -= s * basis[r][k];
            }
        }
        if (!(norm3(a) > 1e-9 * size)) continue;
        for (int k = 0; k < 3; ++k) basis[rank][k] = a[k] / norm3(a);
        ++rank;
    }
    for (int k = 0; k < 3; ++k) x[k] = twist[k] * scale[k];
    const double size = norm3(x);
    for (int r = 0; r < rank; ++r) {
        const double s = x[0] * basis[r][0] + x[1] * basis[r][1] + x[2] * basis[r][2];
        for (int k = 0; k < 3; ++k) x[k] -= s * basis[r][k];
    }
    return size > 0 ? norm3(x) / size : 0;
}

/// After the step: what was felt, and what D of the chain before it asks for.
static Felt compare(const Held* h, const double* D, const Chain* c, const Touch* t)
{
    const int n = velocitiesOf(c);
    const double Md[3] = {deviceMass.x, deviceMass.y, deviceInertia};
    double Jh[3][most], Jc[3][most], g[most], sizes[most], miss[most], x[most], y[most];
    plContactInfo contact;
    plWrench written;
    jacobian(c, t->held, pointOf(c, t->held, t->at), Jh);
    assert_int_equal(plWorld_ContactCount(h->world), 1);
    checkOk(h->world, plWorld_Contact(h->world, 0, &contact));
    checkOk(h->world, plWorld_DeviceForce(h->world, h->device, &written));
    // the point of the ball, at the start
    double angle;
    const plVec3 o = originOf(c, t->hit, &angle), in = contact.a.point;
    const plVec3 at = plVec(o.x + cos(angle) * in.x - sin(angle) * in.y,
                            o.y + sin(angle) * in.x + cos(angle) * in.y, 0);
    jacobian(c, t->hit, at, Jc);
    Felt f = {.F = {T * written.force.x, T * written.force.y, T * written.torque.z}};
    double size = 0, off = 0;
    for (int i = 0; i < n; ++i) {
        g[i] = T * (Jc[0][i] * contact.force.x + Jc[1][i] * contact.force.y);
        miss[i] = Jh[0][i] * f.F[0] + Jh[1][i] * f.F[1] + Jh[2][i] * f.F[2] - g[i];
        sizes[i] = T * (fabs(Jc[0][i] * contact.force.x) + fabs(Jc[1][i] * contact.force.y));
        size += sizes[i] * sizes[i];
        off += miss[i] * miss[i];
    }
    f.whole = sqrt(off / size);
    solve(D, n, miss, x);
    solve(D, n, sizes, y);
    double error[3] = {0}, change[3] = {0}, twist[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < n; ++i) {
            error[k] += Jh[k][i] * x[i];
            change[k] += Jh[k][i] * y[i];
        }
        twist[k] = f.F[k] / Md[k];
    }
    f.site = norm3(error) / norm3(change);
    f.stray = leftOf(Jh, n, twist);
    return f;
}

static Felt strike(Held* h, const Chain* c, const Touch* t)
{
    double D[most * most];
    checkOk(h->world, plWorld_Inertia(h->world, h->id, D, NULL));
    plWorld_Step(h->world, T);
    return compare(h, D, c, t);
}

static void handFeelsWhatHitsAnyLink(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(7);
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        double site = 0, whole = 0, stray = 0, most26 = 0;
        int count = 0;
        for (int i = 0; i < sized(10, 500); ++i) {
            const int links = 2 + i % 2;
            const Chain c = randomChain(&rng, links, i % 4 >= 2);
            for (int k = 0; k < links * links; ++k) {
                const Touch t = randomTouch(&rng, &c, k / links, k % links);
                Held h = openHeld(&c, &t, law, plRng_Uniform(&rng, 0, 1));
                const Felt f = strike(&h, &c, &t);
                site = fmax(site, f.site);
                stray = fmax(stray, f.stray);
                most26 = fmax(most26, f.whole);
                // a pinned chain of as many links as the tip has freedoms, held at its end
                if (!c.floats && t.held == links - 1) whole = fmax(whole, f.whole);
                ++count;
                plWorld_Destroy(h.world);
            }
        }
        print_message("%s, %d hits: site to %.1g, eq. 26 to %.1g where it can be met (else %.2g), "
                      "in directions that joints block %.1g\n",
                      plLawName_Name((int)law), count, site, whole, most26, stray);
        // poses are up to 1e-6 of a blocked one, which costs as many digits
        checkAtMost("velocity of the site", site, 1e-9);
        checkAtMost("momentum of all links", whole, 1e-9);
        checkAtMost("force into joints", stray, 1e-9);
    }
}

// --- a free body is its own linkage

/// A brick of two halves, or in one piece, thrown into a corner of three walls, spinning: the
/// difference between what its hand feels and the sum of the wrenches of its contacts, in shares.
static double throwBrick(plLawName law, plBias bias, int parts)
{
    plWorldDef def = strikeDef(law, 0.5);
    plChainBodyDef bodies[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
    plChainDef chain = plDefaultChainDef();
    plWrench f;
    def.planar = false;
    def.contact.bias = bias;
    Held h = {.world = create(&def)};
    const double v[6] = {-1, -0.8, -1.2, 3, -2, 1}, m = 2. / parts;
    bodies[0].name = "left";
    bodies[0].joint = pl_jointFree;
    bodies[0].position[3] = 1;
    memcpy(bodies[0].velocity, v, sizeof v);
    bodies[1].name = "right";
    bodies[1].parent = 0;
    bodies[1].joint = pl_jointFixed;
    for (int i = 0; i < parts; ++i) { // halves apart along x, of the same inertia together
        const double d = parts == 2 ? 0.05 : 0, x = i ? -d : d;
        bodies[i].mass = m;
        bodies[i].center.x = x;
        bodies[i].inertia =
            diagonal(0.02 / parts, 0.03 / parts - m * d * d, 0.04 / parts - m * d * d);
    }
    chain.name = "brick";
    chain.bodies = bodies;
    chain.bodyCount = parts;
    checkOk(h.world, plWorld_AddChain(h.world, &chain, &h.id));
    const plVec3 at[3] = {{-0.1, 0.03, 0.02}, {0.04, -0.1, 0.01}, {-0.03, 0.02, -0.1}};
    const plVec3 normals[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        addBall(h.world, h.id, i % parts, at[i], 0.02);
        addPlane(h.world, plScale(1e-7 - 0.12, normals[i]), normals[i]);
    }
    const plVec3 site = {0.03, -0.02, 0.05};
    hold(&h, (plSite){h.id, parts - 1, site}, pl_limitNone, noLimit);
    plWorld_Step(h.world, T);
    assert_int_equal(plWorld_ContactCount(h.world), 3);
    checkOk(h.world, plWorld_DeviceForce(h.world, h.device, &f));
    plWrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        plContactInfo contact;
        checkOk(h.world, plWorld_Contact(h.world, i, &contact));
        const plVec3 arm = plSub(contact.a.point, site); // all frames are those of the world
        sum.force = plAdd(sum.force, contact.force);
        sum.torque = plAdd(sum.torque, plCross(arm, contact.force));
    }
    plWorld_Destroy(h.world);
    return fmax(plNorm(plSub(sum.force, f.force)) / plNorm(sum.force),
                plNorm(plSub(sum.torque, f.torque)) / plNorm(sum.torque));
}

static void bodyInTwoPartsFeelsAsInOne(void** state)
{
    (void)state;
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        const double one = throwBrick(law, pl_biasOneSided, 1);
        const double two = throwBrick(law, pl_biasOneSided, 2);
        const double gap = throwBrick(law, pl_biasGap, 2);
        print_message(
            "%s: the sum of the wrenches to %.1g in one part, %.1g in two, %.1g by gaps\n",
            plLawName_Name((int)law), one, two, gap);
        checkAtMost("one part", one, 1e-6); // contacts are taken halfway between the surfaces
        checkAtMost("two parts", two, 1e-12);
        checkAtMost("two parts by gaps", gap,
                    1e-6); // the same halfway points, at both ends of the step
    }
}

// --- mechanisms joined by links

static void rigidLinksCarryWhatJointsCarry(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(11);
    for (plLawName law = pl_lawPenalty; law <= pl_lawCone; ++law) {
        double site = 0, stray = 0;
        for (int i = 0; i < sized(5, 100); ++i) {
            const int links = 2 + i % 2;
            Chain c = randomChain(&rng, links, false);
            // rigid rows yield by 1e-10 of a mass, which near a straight pose is much more of F
            for (int k = 1; k < links; ++k) c.q[k] = (k % 2 ? 1 : -1) * plRng_Uniform(&rng, 0.5, 2);
            for (int k = 0; k < links * links; ++k) {
                const Touch t = randomTouch(&rng, &c, k / links, k % links);
                Held chain = openHeld(&c, &t, law, 0.5);
                Held linked = openLinked(&c, &t, law, 0.5, (double)INFINITY, pl_limitNone, noLimit);
                double D[most * most];
                checkOk(chain.world, plWorld_Inertia(chain.world, chain.id, D, NULL));
                plWorld_Step(linked.world, T);
                const Felt f = compare(&linked, D, &c, &t);
                site = fmax(site, f.site);
                stray = fmax(stray, f.stray);
                plWorld_Destroy(chain.world);
                plWorld_Destroy(linked.world);
            }
        }
        print_message("%s through links: site to %.1g, in directions that joints block %.1g\n",
                      plLawName_Name((int)law), site, stray);
        checkAtMost("velocity of the site", site, 1e-6);
        checkAtMost("force into joints", stray, 1e-6);
    }
}

// A spring gives nothing at an instant: the hand feels it when the tool has moved.
static void springsCarryNothingAtAnInstant(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(12);
    for (int i = 0; i < 10; ++i) {
        const Chain c = randomChain(&rng, 2, false);
        const Touch t = randomTouch(&rng, &c, 0, 1);
        Held h = openLinked(&c, &t, pl_lawImpulse, 0.5, 1000, pl_limitNone, noLimit);
        plContactInfo contact;
        plWrench f;
        plWorld_Step(h.world, T);
        checkOk(h.world, plWorld_Contact(h.world, 0, &contact));
        checkOk(h.world, plWorld_DeviceForce(h.world, h.device, &f));
        assert_true(plNorm(contact.force) > 0);
        checkAtMost("force through a spring [N]", plNorm(f.force) + plNorm(f.torque), 0);
        plWorld_Destroy(h.world);
    }
}

// --- singular poses

// A straight arm of three links, held at its end, is hit at its middle: along it the end cannot
// move, and there is no force; a little bent, the force grows as 1/bend, to a bound.
static void straightArmsKeepTheForceFinite(void** state)
{
    (void)state;
    double largest = 0, last = 0;
    for (int i = 0; i < 40; ++i) {
        const double bend = i == 0 ? 0 : pow(10, -0.25 * i);
        const Chain c = {.links = 3,
                         .length = {0.3, 0.3, 0.3},
                         .mass = {1, 1, 1},
                         .q = {0, bend, -2 * bend},
                         .v = {-1, 0.3, 0.2}};
        const Touch t = {2, 1, 0.3, 0.15, {0, 1, 0}};
        Held h = openHeld(&c, &t, pl_lawImpulse, 0);
        const Felt f = strike(&h, &c, &t);
        const double F = hypot(f.F[0], f.F[1]);
        assert_true(isfinite(F + f.F[2]));
        if (i == 0) checkAtMost("force along a straight arm [N s]", fabs(f.F[0]), 1e-12);
        if (bend > 1e-2) checkAtMost("velocity of the site", f.site, 1e-9);
        if (bend > 1e-2 && last > 0 && i < 8) assert_true(F > last);
        last = F;
        largest = fmax(largest, F);
        plWorld_Destroy(h.world);
    }
    print_message("largest %.3g N s, straight again %.3g N s\n", largest, last);
    assert_true(largest > 5); // it is a lever
    // below 1e-6 of the device's mass a direction is blocked: sqrt(2 E m/1e-6), E = energy
    checkAtMost("impulse [N s]", largest, 1e3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handFeelsWhatHitsAnyLink),
        cmocka_unit_test(bodyInTwoPartsFeelsAsInOne),
        cmocka_unit_test(rigidLinksCarryWhatJointsCarry),
        cmocka_unit_test(springsCarryNothingAtAnInstant),
        cmocka_unit_test(straightArmsKeepTheForceFinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
