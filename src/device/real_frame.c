// From the axes of a device to those of a world.
//   letters  as in real.h
#include "device/real.h"

// A person sits before both: right is right. In a world of three dimensions forward is y and up is z. A
// planar one stands upright like a screen, so up is y; what moves on a table has forward for that, as
// a mouse has.
plMat3 plAxes_Of(const plDriver* d, bool planar)
{
    const plVec3 right = d->axes.x, forward = d->axes.y, up = d->axes.z;
    if (!planar || d->flat) return (plMat3){right, forward, up};
    return (plMat3){right, up, plScale(-1, forward)};
}

static void findCentre(plPlacing* f, const plRaw* raw)
{
    if (f->known) return;
    f->centre = raw->p;
    f->turned = raw->turns ? raw->R : plIdentity3();
    f->known = true;
}

// The handle's turn since it was at the centre, in world axes, is put before the start.
void plPlacing_Tell(plPlacing* f, const plRaw* raw, plSample* s)
{
    findCentre(f, raw);
    s->pose.p = plAddScaled(f->start.p, f->scale, plMul(&f->A, plSub(raw->p, f->centre)));
    s->velocity = plScale(f->scale, plMul(&f->A, raw->v));
    s->pose.q = f->start.q;
    if (raw->turns) {
        const plMat3 turn = plMatMulT(&raw->R, &f->turned);
        const plMat3 left = plMatMul(&f->A, &turn), W = plMatMulT(&left, &f->A);
        s->pose.q = plQuatUnit(plQuatMul(plQuatOf(&W), f->start.q));
        s->spin = plMul(&f->A, raw->w);
    }
    s->buttons = raw->buttons;
}
