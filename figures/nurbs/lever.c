#include "nurbs/lever.h"

#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

plLeverDef plDefaultLeverDef(plLawName law) { return (plLeverDef){.law = law, .stiffness = 2000}; }

plQuat plLever_Turn(void) { return plExp(plVec(PL_PI / 2, 0, 0)); }

// -------------------------------------------------------------------------------------- world

enum { net = 8, degree = 3 };

/// The lower face: a bicubic net of 8 x 8 points over x = -80 .. 100 mm and y = -50 .. 50 mm of the body,
/// which bulges down by 4 mm.
static plStatus addFace(plLever* l)
{
    plVec3 points[net * net];
    double knots[net + degree + 1];
    plShapeId id;
    for (int i = 0; i < net + degree + 1; ++i) {
        knots[i] = fmin(fmax((i - degree) / (double)(net - degree), 0), 1);
    }
    for (int i = 0; i < net * net; ++i) {
        const double x = 0.02 + 0.18 * (i / net) / 7, y = -0.05 + 0.1 * (i % net) / 7;
        const double s = (x - 0.11) / 0.09, t = y / 0.05;
        points[i] = plVec(x - 0.1, y, -0.005 - 0.004 * (1 - s * s) * (1 - t * t));
    }
    const plPatchDef face = {.degreeU = degree,
                             .degreeV = degree,
                             .countU = net,
                             .countV = net,
                             .knotsU = knots,
                             .knotsV = knots,
                             .points = points};
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeNurbs);
    shape.mechanism = l->lever;
    shape.shape.patchCount = 1;
    shape.shape.patches = &face;
    shape.shape.inward = true;
    return plWorld_AddShape(l->world, &shape, &id);
}

static plStatus addLever(plLever* l, const plLeverDef* d)
{
    const plPose hinge = {{0, 0, 0}, plExp(plVec(-PL_PI / 2, 0, 0))};
    plJointedBodyDef body = plDefaultJointedBodyDef();
    plJointDef joint = plDefaultJointDef();
    plJointedDef def = plDefaultJointedDef();
    body.name = "slab";
    body.mass = 0.3;
    body.inertia = plDiagonal3(2.525e-4, 1.0025e-3, 1.25e-3);
    body.pose.p = plVec(0.1, 0, 0);
    joint.name = "hinge";
    joint.kind = pl_constraintRevolute;
    joint.a = 0, joint.b = -1;
    joint.frameA = joint.frameB = hinge;
    joint.frameA.p = plVec(-0.1, 0, 0);
    joint.stiffness[0] = d->spring;
    joint.damping[0] = d->damper;
    def.name = "lever";
    def.bodyCount = def.jointCount = 1;
    def.bodies = &body;
    def.joints = &joint;
    const plStatus status = plWorld_AddJointed(l->world, &def, &l->lever);
    return status == pl_statusOk ? addFace(l) : status;
}

static plStatus addFinger(plLever* l, plPose pose)
{
    plPrescribedDef def = plDefaultPrescribedDef();
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeNurbs);
    plPatches ball;
    plShapeError error;
    plShapeId id;
    def.name = "finger";
    def.pose = pose;
    plStatus status = plWorld_AddPrescribed(l->world, &def, &l->finger);
    if (status != pl_statusOk) return status;
    status = plPatches_Sphere(1, NULL, &ball, &error);
    if (status != pl_statusOk) return status;
    for (int i = 0; i < ball.count; ++i) {
        plVec3* p = (plVec3*)(uintptr_t)ball.patches[i].points; // its own
        for (int k = 0; k < ball.patches[i].countU * ball.patches[i].countV; ++k) {
            p[k] = plVec(8e-3 * p[k].x, 6e-3 * p[k].y, 5e-3 * p[k].z);
        }
    }
    shape.mechanism = l->finger;
    shape.shape.patchCount = ball.count;
    shape.shape.patches = ball.patches;
    shape.shape.inward = ball.inward;
    status = plWorld_AddShape(l->world, &shape, &id);
    plPatches_Free(&ball);
    return status;
}

bool plLever_Open(plLever* l, const plLeverDef* d, plPose finger)
{
    plWorldDef def = plDefaultWorldDef();
    *l = (plLever){0};
    def.gravity = plVec(0, 0, -d->gravity);
    def.contact.law = d->law;
    def.contact.bias = pl_biasOneSided;
    def.contact.reach = d->reach;
    def.contact.driftRate = d->rate;
    def.contact.surface.friction = 0;
    def.contact.surface.restitution = d->restitution;
    def.contact.surface.stiffness = d->stiffness;
    def.contact.surface.damping = d->damping;
    def.contact.surface.clamp = true;
    plStatus status = plWorld_Create(&def, &l->world);
    if (status != pl_statusOk) l->world = NULL;
    if (status == pl_statusOk) status = addLever(l, d);
    if (status == pl_statusOk) status = addFinger(l, finger);
    if (status == pl_statusOk) return true;
    snprintf(l->message, sizeof l->message, "no lever: %s: %s", plStatus_Name(status),
             l->world ? plWorld_Error(l->world) : "");
    plLever_Close(l);
    return false;
}

void plLever_Close(plLever* l)
{
    plWorld_Destroy(l->world);
    l->world = NULL;
}

plLeverTick plLever_Step(plLever* l, plPose pose, plVec3 velocity, plVec3 spin, double T)
{
    plLeverTick tick = {0};
    const plMat3 R = plRotation(pose.q);
    double q[7], v[6];
    plPut3(pose.p, q), plPut4(pose.q, q + 3);
    plPut3(velocity, v), plPut3(plMulT(&R, spin), v + 3);
    plWorld_SetState(l->world, l->finger, q, v);
    const plQuat turn = plExp(plScale(T, spin));
    plWorld_Steer(l->world, l->finger,
                  (plPose){plAddScaled(pose.p, T, velocity), plQuatMul(turn, pose.q)});
    plWorld_Step(l->world, T);
    for (int i = 0; i < plWorld_ContactCount(l->world); ++i) {
        plContactInfo c;
        plWorld_Contact(l->world, i, &c);
        const bool isA = c.a.mechanism.index1 == l->finger.index1;
        tick.depth = fmax(tick.depth, -c.gap);
        tick.force = plAdd(tick.force, plScale(isA ? 1 : -1, c.force));
    }
    return tick;
}

// ------------------------------------------------------------------------------------- impacts

static const double T = 1e-3;

bool plLever_Impact(const plLeverDef* d, plVec3 velocity, double touch, plLeverImpact* out)
{
    enum { mostTicks = 4000, freeTicks = 20 };
    const plVec3 there = {0.15, 0, plLeverTouch};
    plPose pose = {plAddScaled(there, -touch, velocity), plLever_Turn()};
    plLever l;
    *out = (plLeverImpact){0};
    if (!plLever_Open(&l, d, pose)) return false;
    for (int k = 0, apart = 0; k < mostTicks && apart < freeTicks; ++k) {
        pose.p = plAddScaled(there, k * T - touch, velocity);
        const plLeverTick t = plLever_Step(&l, pose, velocity, plVec(0, 0, 0), T);
        const double force = plNorm(t.force);
        out->depth = fmax(out->depth, t.depth);
        out->force = fmax(out->force, force);
        out->impulse = plAddScaled(out->impulse, T, t.force);
        out->ticks += force > 0;
        apart = out->ticks > 0 && force == 0 && t.depth == 0 ? apart + 1 : 0;
    }
    plLever_Close(&l);
    return true;
}

// ----------------------------------------------------------------------------------------- ways

plLeverWay plLeverWay_Rest(void)
{
    return (plLeverWay){.seconds = 2,
                        .from = 0.3,
                        .below = 0.5e-3,
                        .swing = {10e-3, 5e-3, 10e-3},
                        .hertz = {0.7, 1.1, 2},
                        .rock = 0.3,
                        .rockHertz = 0.9};
}

static plPose wayAt(const plLeverWay* w, double t)
{
    double s[3];
    for (int k = 0; k < 3; ++k) s[k] = w->swing[k] * sin(2 * PL_PI * w->hertz[k] * t);
    const plQuat rock = plExp(plVec(w->rock * sin(2 * PL_PI * w->rockHertz * t), 0, 0));
    return (plPose){{0.15 + s[0], s[1], plLeverTouch - w->below + s[2]},
                    plQuatMul(rock, plLever_Turn())};
}

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void judge(const plLeverWay* w, plLeverRun* run)
{
    static _Thread_local double sorted[plLeverTicks];
    const int from = (int)(w->from / T + 0.5), count = run->count - from;
    int in = 0;
    for (int i = from; i < run->count; ++i) {
        if (run->depth[i] > 0) sorted[in++] = run->depth[i];
    }
    qsort(sorted, (size_t)in, sizeof *sorted, compare);
    if (in > 0) {
        run->middle = sorted[in / 2];
        run->most95 = sorted[(int)(0.95 * in)];
        run->most = sorted[in - 1];
    }
    for (int i = 0; i < run->count; ++i) {
        if (run->first == 0) run->first = run->depth[i];
        if (i < from) continue;
        run->mean -= run->force[i] / count;
        run->peak = fmax(run->peak, -run->force[i]);
    }
}

bool plLever_Run(const plLeverDef* d, const plLeverWay* w, plLeverRun* run)
{
    plLever l;
    *run = (plLeverRun){0};
    if (!plLever_Open(&l, d, wayAt(w, 0))) return false;
    run->count = (int)(w->seconds / T + 0.5);
    for (int i = 0; i < run->count; ++i) {
        // all that is known of a velocity is the way since the last sample
        const plPose before = wayAt(w, (i - 1) * T), now = wayAt(w, i * T);
        const plVec3 velocity = plScale(1 / T, plSub(now.p, before.p));
        const plVec3 spin = plScale(1 / T, plLogQuat(plQuatMul(now.q, plQuatConj(before.q))));
        const plLeverTick t = plLever_Step(&l, now, velocity, spin, T);
        run->depth[i] = t.depth;
        run->force[i] = t.force.z;
    }
    run->created = -plWorld_ContactLedger(l.world).dissipated;
    run->worst = plWorld_Ledger(l.world).worst;
    judge(w, run);
    plLever_Close(&l);
    return true;
}
