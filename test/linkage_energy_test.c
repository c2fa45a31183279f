// A hand in a linkage: what collisions do to the energy of world and device, and the limits of devices.
#include "linkages.h"

// --- energy

/// An arm on a pin, held at the pin by a knob that turns with it: I = 1/(D^-1)_00 is the inertia of
/// the arm there. World and knob before and after [J].
typedef struct {
    double world[2], knob[2], off; ///< off: spins of knob and arm after the collision [rad/s]
} Knob;

static Knob strikeKnob(const Chain* c, const Touch* t, double e)
{
    const int n = velocitiesOf(c);
    const plWorldDef def = strikeDef(pl_lawImpulse, e);
    Held h = {.world = create(&def)};
    plDeviceDef device = plDefaultDeviceDef();
    plCouplingDef coupling = plDefaultCouplingDef();
    plSample sample;
    Knob k;
    double D[most * most], unit[most] = {1}, x[most], v[most];
    h.id = addChain(h.world, c, pl_integratorMidpoint);
    addWall(h.world, h.id, c, t);
    checkOk(h.world, plWorld_Inertia(h.world, h.id, D, NULL));
    solve(D, n, unit, x);
    const double inertia = 1 / x[0];
    device.name = "knob";
    device.mass = plVec(INFINITY, INFINITY, INFINITY);
    device.inertia = plVec(INFINITY, INFINITY, inertia);
    device.spin.z = c->v[0];
    device.hand.bias = 0;
    checkOk(h.world, plWorld_AddDevice(h.world, &device, &h.device));
    coupling.name = "hold";
    coupling.device = h.device;
    coupling.tool.mechanism = h.id;
    coupling.stiffness = coupling.damping = plVec(0, 0, 0);
    coupling.turnStiffness = coupling.turnDamping = plVec(0, 0, 0);
    checkOk(h.world, plWorld_AddCoupling(h.world, &coupling, &h.hold));
    k.world[0] = plWorld_Ledger(h.world).kinetic;
    plWorld_Step(h.world, T);
    k.world[1] = plWorld_Ledger(h.world).kinetic;
    checkOk(h.world, plWorld_State(h.world, h.id, NULL, v));
    plWorld_Step(h.world, T);
    checkOk(h.world, plWorld_DeviceSample(h.world, h.device, &sample));
    k.knob[0] = 0.5 * inertia * c->v[0] * c->v[0];
    k.knob[1] = 0.5 * inertia * sample.spin.z * sample.spin.z;
    k.off = fabs(sample.spin.z - v[0]);
    plWorld_Destroy(h.world);
    return k;
}

// A device as heavy as the tool where it is held does what the tool does, so it never has more energy
// than the world had. It may gain what the world keeps: that is no error of the map but of having two.
static void handKeepsUpWithTheTool(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(13);
    double off = 0, over = -INFINITY, created = -INFINITY, gain = -INFINITY;
    int gains = 0, count = 0;
    for (int i = 0; i < sized(200, 5000); ++i) {
        const Chain c = randomChain(&rng, 2 + i % 2, false);
        const Touch t = randomTouch(&rng, &c, 0, 1 + i % (c.links - 1));
        const Knob k = strikeKnob(&c, &t, plRng_Uniform(&rng, 0, 1));
        off = fmax(off, k.off / sqrt(2 * k.world[0] / (c.mass[0] * c.length[0] * c.length[0])));
        over = fmax(over, k.knob[1] / k.world[0]);
        created = fmax(created, k.world[1] / k.world[0] - 1);
        const double sum = (k.knob[1] + k.world[1]) / (k.knob[0] + k.world[0]) - 1;
        gain = fmax(gain, sum);
        gains += sum > 1e-9;
        ++count;
    }
    print_message(
        "%d collisions: knob and arm differ by %.1g; knob has at most %.3f of the world's "
        "energy; world gains %.1g; knob and world together gain in %d, by %.2f at most\n",
        count, off, over, created, gains, gain);
    checkAtMost("spins", off, 1e-4); // one step of Coriolis forces
    checkAtMost("energy of the knob, of the world's", over, 1 + 1e-6);
    checkAtMost("created by the world", created, 1e-9);
}

// The arm of the spec swings its second link against a wall, and its first speeds up: (1, 1) becomes
// (1.75, -3.5). The world loses 1.3125 J, the knob gains 7/24 (1.75^2 - 1). Faster in the first link
// and slower in the tip, both together gain.
static void knobGainsWhereTheArmSpeedsUp(void** state)
{
    (void)state;
    const Touch t = {0, 1, 0, 1, {1, 0, 0}};
    Chain c = {.links = 2, .length = {1, 1}, .mass = {1, 1}, .q = {PL_PI / 2, 0}, .v = {1, 1}};
    Knob k = strikeKnob(&c, &t, 0);
    checkNear("world loses [J]", k.world[0] - k.world[1], 1.3125, 1e-4);
    checkNear("knob gains [J]", k.knob[1] - k.knob[0], 7. / 24 * (1.75 * 1.75 - 1), 1e-4);
    c.v[1] = -1.5;
    k = strikeKnob(&c, &t, 0);
    const double s = 0.5, d = 0.25 * s; // closing 2 a + b; spin of the first link
    checkNear("world loses [J]", k.world[0] - k.world[1], 7. / 48 * s * s, 1e-4);
    checkNear("knob gains [J]", k.knob[1] - k.knob[0], 7. / 24 * (2 * d + d * d), 1e-4);
    const double sum = k.knob[1] + k.world[1] - k.knob[0] - k.world[0];
    print_message("both together gain %.4f J\n", sum);
    assert_true(sum > 0);
}

// --- limits

/// A floating arm of three links thrown at a wall, held in the middle.
static void throwArm(plLimit limit, double e, double* force, double* created, int* colliding)
{
    const double step = 1. / 512, bound = 3;
    const Chain c = {.links = 3,
                     .floats = true,
                     .length = {0.2, 0.2, 0.2},
                     .mass = {0.5, 0.5, 0.5},
                     .q = {0.3, 0, 0.7, -0.4, 0.9},
                     .v = {-0.8, 0.1, 2, -3, 1}};
    plWorldDef def = strikeDef(pl_lawImpulse, e);
    def.contact.collision = pl_collisionComplementarity;
    def.contact.surface.friction = 0;
    def.contact.surface.stiffness = 1e-6; // next to no walls: what is created is the collisions'
    def.contact.surface.damping = 0;
    Held h = {.world = create(&def)};
    h.id = addChain(h.world, &c, pl_integratorMidpoint);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) addBall(h.world, h.id, i, plVec(0.2 * k, 0, 0), 0.02);
    }
    addPlane(h.world, plVec(0, 0, 0), plVec(1, 0, 0));
    hold(&h, (plSite){h.id, 1, plVec(0.1, 0, 0)}, limit, plVec(bound, bound, bound));
    *force = 0;
    *created = -INFINITY;
    *colliding = 0;
    for (int i = 0; i < 800; ++i) {
        plWrench f;
        const double before = plWorld_Ledger(h.world).kinetic;
        plWorld_Step(h.world, step);
        const double after = plWorld_Ledger(h.world).kinetic;
        checkOk(h.world, plWorld_DeviceForce(h.world, h.device, &f));
        *force = fmax(*force, fmax(fabs(f.force.x), fabs(f.force.y)));
        *created = fmax(*created, after - before);
        *colliding += plWorld_ContactState(h.world, h.id) == pl_contactColliding;
    }
    plWorld_Destroy(h.world);
}

static void limitsHoldForWhatHitsOtherLinks(void** state)
{
    (void)state;
    for (plLimit limit = pl_limitNone; limit < pl_limitCount; ++limit) {
        for (int e = 0; e < 2; ++e) {
            double force, created;
            int colliding;
            throwArm(limit, e, &force, &created, &colliding);
            print_message("%s, e = %d: %.3f N at most, %d colliding ticks, a tick creates %.1g J\n",
                          plLimit_Name((int)limit), e, force, colliding, created);
            assert_true(colliding > 0);
            if (limit == pl_limitNone) {
                assert_true(force > 3);
            } else {
                checkAtMost("force [N]", force, 3 * (1 + 1e-12));
            }
            // the midpoint keeps the energy of free motion to round-off, and walls hold 1e-9 J
            checkAtMost("created in a tick [J]", created, 1e-8);
        }
    }
}

// Walls are silent, and yet there is a force.
static bool pays(const Held* h, const plWrench* f)
{
    for (int i = 0; i < plWorld_ContactCount(h->world); ++i) {
        plContactInfo contact;
        checkOk(h->world, plWorld_Contact(h->world, i, &contact));
        if (plNorm(contact.force) > 0) return false;
    }
    return plNorm(f->force) > 0;
}

// Links answer a payment as they answer a collision: they stay closed, and nothing is created.
static void banksPayThroughRigidLinks(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(14);
    double created = -INFINITY, gap = 0;
    int payments = 0;
    for (int i = 0; i < sized(20, 500); ++i) {
        const int links = 2 + i % 2;
        const Chain c = randomChain(&rng, links, false);
        const Touch t = randomTouch(&rng, &c, i % links, links - 1);
        const plVec3 limit = {20, 20, 20};
        Held h = openLinked(&c, &t, pl_lawImpulse, 0.5, (double)INFINITY, pl_limitBank, limit);
        const double start = plWorld_Ledger(h.world).kinetic;
        for (int k = 0; k < 50; ++k) {
            plWrench f;
            const double before = plWorld_Ledger(h.world).kinetic;
            plWorld_Step(h.world, 1e-4);
            checkOk(h.world, plWorld_DeviceForce(h.world, h.device, &f));
            if (!pays(&h, &f)) continue;
            ++payments;
            checkAtMost("force [N]", fmax(fabs(f.force.x), fabs(f.force.y)), 20 * (1 + 1e-12));
            const double after = plWorld_Ledger(h.world).kinetic;
            created = fmax(created, (after - before) / start);
            gap = fmax(gap, plWorld_Report(h.world).gap);
        }
        plWorld_Destroy(h.world);
    }
    print_message("%d ticks of payment: created %.1g of the energy, links open by %.1g m\n",
                  payments, created, gap);
    assert_true(payments > 0);
    checkAtMost("created, of the energy", created, 1e-9); // rigid rows yield by 1e-10
    checkAtMost("links [m]", gap, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handKeepsUpWithTheTool),
        cmocka_unit_test(knobGainsWhereTheArmSpeedsUp),
        cmocka_unit_test(limitsHoldForWhatHitsOtherLinks),
        cmocka_unit_test(banksPayThroughRigidLinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
