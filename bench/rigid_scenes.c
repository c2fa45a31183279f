// The rigid scenes: as in the measurements of the peers, which the bars come from.
#include "rigid.h"

#include "math/math.h"

#include <string.h>

static RigidBody* add(RigidScene* s)
{
    PL_ASSERT(s->count < rigidMost);
    RigidBody* b = &s->bodies[s->count++];
    *b = (RigidBody){.parent = -1, .pose.q.w = 1};
    return b;
}

static RigidBody* addBox(RigidScene* s, plVec3 half, plVec3 at, RigidJoint joint)
{
    RigidBody* b = add(s);
    b->form = rigidBox;
    b->joint = joint;
    b->half = half;
    b->pose.p = at;
    b->mass = 8000 * half.x * half.y * half.z; // of water
    return b;
}

// From one point to another, which is along x or y; its joint is at the first one.
static RigidBody* addCapsule(RigidScene* s, int parent, RigidJoint joint, plVec3 from, plVec3 to,
                             double radius, double mass)
{
    RigidBody* b = add(s);
    const plVec3 way = plSub(to, from);
    b->form = rigidCapsule;
    b->joint = joint;
    b->parent = parent;
    b->half.x = 0.5 * plNorm(way);
    b->radius = radius;
    b->pose.p = plScale(0.5, plAdd(from, to));
    b->pose.q = plRotor(plVec(0, 0, 1), atan2(way.y, way.x));
    b->anchor = from;
    b->mass = mass;
    return b;
}

static void makeStack(RigidScene* s, int count)
{
    for (int i = 0; i < count; ++i) {
        addBox(s, plVec(0.05, 0.05, 0.05), plVec(0.002 * (i % 2), 0, 0.05 + 0.1 * i + 1e-4),
               rigidFree);
    }
}

static void addBin(RigidScene* s, double half, double height)
{
    const double w = half + 0.05;
    addBox(s, plVec(0.05, half + 0.1, height), plVec(-w, 0, height), rigidStatic);
    addBox(s, plVec(0.05, half + 0.1, height), plVec(w, 0, height), rigidStatic);
    addBox(s, plVec(half, 0.05, height), plVec(0, -w, height), rigidStatic);
    addBox(s, plVec(half, 0.05, height), plVec(0, w, height), rigidStatic);
}

// Boxes of about 0.1 m, tilted, in layers above a bin whose floor takes 16 or 36 of them.
static void makePile(RigidScene* s, int count)
{
    const double half = count > 50 ? 0.42 : 0.28;
    const int side = (int)floor(2 * half / 0.135);
    plRng r = plRng_Seed(7);
    addBin(s, half, 0.6);
    for (int i = 0; i < count; ++i) {
        const int layer = i / (side * side), a = i / side % side, c = i % side;
        const double pitch = 2 * half / side;
        plVec3 size, tilt;
        size.x = plRng_Uniform(&r, 0.0425, 0.0575), size.y = plRng_Uniform(&r, 0.0425, 0.0575);
        size.z = plRng_Uniform(&r, 0.0425, 0.0575);
        tilt.x = plRng_Uniform(&r, -0.5, 0.5), tilt.y = plRng_Uniform(&r, -0.5, 0.5);
        tilt.z = plRng_Uniform(&r, -0.5, 0.5);
        const plVec3 at = {-half + (a + 0.5) * pitch + plRng_Uniform(&r, -0.01, 0.01),
                           -half + (c + 0.5) * pitch + plRng_Uniform(&r, -0.01, 0.01),
                           0.08 + 0.15 * layer};
        addBox(s, size, at, rigidFree)->pose.q = plExp(tilt);
    }
    s->settle = 1500;
}

// Three links that press on a block and a wall.
static void makeLinkage(RigidScene* s)
{
    int parent = -1;
    addBox(s, plVec(0.05, 0.3, 0.3), plVec(0.6, 0, 0.3), rigidStatic);
    addBox(s, plVec(0.05, 0.3, 0.05), plVec(0.3, 0, 0.02), rigidStatic);
    for (int k = 0; k < 3; ++k) {
        const plVec3 from = {0.2 * k, 0, 0.35}, to = {0.2 * k + (k == 2 ? 0.12 : 0.2), 0, 0.35};
        RigidBody* b = addCapsule(s, parent, rigidHinge, from, to, 0.02, 0.5);
        b->axis = plVec(0, 1, 0);
        b->damping = 0.05;
        b->torque = k == 0 ? 0.5 : 0.3;
        parent = s->count - 1;
    }
}

// A palm on a sprung ball joint, three fingers of three capsules; torques close them on the peg.
static void addHand(RigidScene* s, double side, double z)
{
    const double fy[] = {0.0421, 0.0421, -0.0421}, fz[] = {z + 0.025, z - 0.025, z};
    const double torque[] = {0.12, 0.08, 0.04}, length = 0.055;
    const int palm = s->count;
    RigidBody* b = addCapsule(s, -1, rigidBall, plVec(side * 0.15, -0.05, z),
                              plVec(side * 0.15, 0.05, z), 0.015, 0.2);
    b->anchor.y = 0;
    b->axis = plVec(0, 0, 1);
    b->stiffness = 20, b->damping = 0.1;
    for (int f = 0; f < 3; ++f) {
        int parent = palm;
        for (int k = 0; k < 3; ++k) {
            const double x = 0.13 - k * length;
            b = addCapsule(s, parent, k == 0 ? rigidBall : rigidHinge,
                           plVec(side * x, fy[f], fz[f]), plVec(side * (x - length), fy[f], fz[f]),
                           0.012, 0.05);
            b->axis = plVec(0, 0, side * (fy[f] > 0 ? 1 : -1));
            b->torque = torque[k];
            b->damping = k == 0 ? 0.01 : 0.004;
            b->stiffness = k == 0 ? 2 : 0;
            parent = s->count - 1;
        }
    }
}

static void makeTwoHands(RigidScene* s)
{
    addBox(s, plVec(0.03, 0.03, 0.12), plVec(0, 0, 0.3), rigidFree)->mass = 0.2;
    addHand(s, -1, 0.35);
    addHand(s, 1, 0.25);
    s->friction = 0.8;
    s->settle = 1500;
    s->grasp = true;
}

void rigidMake(RigidScene* s, RigidProblem problem, int size)
{
    memset(s, 0, sizeof *s);
    s->friction = 0.5;
    s->settle = 1000;
    if (problem == rigidOneBox) makeStack(s, 1);
    if (problem == rigidStack) makeStack(s, size);
    if (problem == rigidPile) makePile(s, size);
    if (problem == rigidLinkage) makeLinkage(s);
    if (problem == rigidTwoHands) makeTwoHands(s);
}
