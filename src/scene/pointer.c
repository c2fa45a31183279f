// A pointer for a scene that was not made for one.
//   letters  K stiffness, B damping of the grasp; w its frequency [rad/s]; m mass of the pointer
// A grasp of stiffness K moves a body of mass K/w^2 at the frequency w. With w of a hand that moves
// something with care, 6 Hz, K suits the geometric mean of the lightest and the heaviest part: what is
// lighter follows at once, because the link is passive at any step, and what is heavier lags. K stays
// within what a hand can hold, and can still move things on springs of their own.
//
// The handle has the mass K/w^2, so that hand, handle and grasp are of one frequency. It has the damping
// that keeps a held force passive, K T/2 + |B| (plLoop_Needed), and a fifth to spare.
#include "math/math.h"
#include "scene/content.h"

#include <math.h>
#include <stdio.h>

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }

plWorldCapacity plPointer_Capacity(const plScene* s)
{
    enum { ownRows = 3, contacts = 320, perElement = 4096 };
    const size_t real = sizeof(double);
    plWorldCapacity c = plScene_Capacity(s);
    const size_t before = (size_t)c.rows;
    ++c.mechanisms;
    ++c.links;
    ++c.devices;
    ++c.couplings;
    // Most laws want a group with a link dense, and what is grabbed may lie among many contacts.
    const int felt = least(contacts, c.contacts) * (s->head.world.planar ? 2 : 3);
    c.rows = least(most(c.rows, s->linkRows + felt) + ownRows, plMaxRows);
    const size_t rows = (size_t)c.rows;
    c.memory += 4 * perElement + 4 * real * (rows * rows - before * before) + 64 * real * rows;
    return c;
}

static double stiffnessFor(const plScene* s, double w)
{
    const double low = 50, high = 1000; // [N/m]
    const double mass = sqrt(s->lightest * s->heaviest);
    return fmax(low, fmin(high, mass * w * w));
}

enum { tries = 32 };

/// NAME, then NAME-2, NAME-3: the first one that is not taken.
static void nameOf(const char* base, int i, char name[plNameSize])
{
    if (i == 0) snprintf(name, plNameSize, "%s", base);
    if (i > 0) snprintf(name, plNameSize, "%s-%d", base, i + 1);
}

static plStatus addPointer(plWorld* w, plDeviceDef* def, plDeviceId* id)
{
    plStatus status = pl_statusDuplicate;
    char name[plNameSize];
    def->name = name;
    for (int i = 0; i < tries && status == pl_statusDuplicate; i++) {
        nameOf("pointer", i, name);
        status = plWorld_AddDevice(w, def, id);
    }
    return status;
}

static plStatus addGrasp(plWorld* w, plCouplingDef* def, plCouplingId* id)
{
    plStatus status = pl_statusDuplicate;
    char name[plNameSize];
    def->name = name;
    for (int i = 0; i < tries && status == pl_statusDuplicate; i++) {
        nameOf("grasp", i, name);
        status = plWorld_AddCoupling(w, def, id);
    }
    return status;
}

static plVec3 alike(double x) { return plVec(x, x, x); }

plStatus plPointer_Add(plPointer* out, const plScene* s, plWorld* world)
{
    const double w = 2 * PL_PI * 6, K = stiffnessFor(s, w), B = K / w;
    const double T = 1 / plScene_Rate(s), reach = 0.1; // [s], [m]
    plDeviceDef pointer = plDefaultDeviceDef();
    plCouplingDef grasp = plDefaultCouplingDef();
    pointer.mass = alike(K / (w * w));
    pointer.damping = 1.2 * (K * T / 2 + B);
    pointer.turnDamping = 1e-3;
    pointer.forceLimit = alike(K * reach);
    const plStatus status = addPointer(world, &pointer, &out->device);
    if (status != pl_statusOk) return status;
    grasp.kind = pl_couplingVirtual;
    grasp.device = out->device;
    grasp.stiffness = alike(K);
    grasp.damping = alike(B);
    grasp.turnStiffness = grasp.turnDamping = alike(0); // a point, not a grip
    return addGrasp(world, &grasp, &out->coupling);
}
