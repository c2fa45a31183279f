// Why a followed minimum ended: the tick is gone through again in steps as short as it takes.
#ifndef PALP_TEST_TRACK_JUMPS_H
#define PALP_TEST_TRACK_JUMPS_H

#include "tracks.h"

typedef enum {
    jumpPut,   ///< the finger was put elsewhere
    jumpOpen,  ///< at an open edge
    jumpCross, ///< inside two parts of the pot at once
    jumpFold,  ///< met a saddle, when another one was nearer
    jumpFault, ///< for no reason
    jumpReasons
} JumpReason;

static const char* const jumpNames[jumpReasons] = {"put elsewhere", "open edge", "parts intersect",
                                                   "met a saddle", "no reason"};

/// A minimum on its way through a tick.
typedef struct {
    const plShape *pot, *finger;
    plFrame then, now;
    plTrackEnd a, b;
    plMeeting at;
    double share; ///< of the tick that is gone
} Passage;

static inline plFrame frameBetween(const plFrame* then, const plFrame* now, double share)
{
    const plMat3 whole = plMatMulT(&now->R, &then->R);
    const plMat3 turn = plRotation(plExp(plScale(share, plLog(&whole))));
    return (plFrame){plAddScaled(then->x, share, plSub(now->x, then->x)),
                     plMatMul(&turn, &then->R)};
}

static inline plSide potSide(const plShape* pot)
{
    return (plSide){.shape = pot, .frame = {.R = plIdentity3()}, .still = true};
}

static inline bool settleAt(const plShape* pot, const plShape* finger, const plFrame* place,
                            plTrackEnd* a, plTrackEnd* b, plMeeting* m)
{
    const plSide f = potSide(pot), g = {.shape = finger, .frame = *place};
    plSettle s = {.f = &f, .g = &g, .endF = a, .endG = b, .most = 1e-3, .tilt = 1e-6};
    return plSettle_Run(&s, 40, m);
}

/// One step: still a minimum, and no place went farther than 10 um.
static inline bool stepTo(Passage* p, double share)
{
    const plFrame place = frameBetween(&p->then, &p->now, share);
    plTrackEnd a = p->a, b = p->b;
    const plSide g = {.shape = p->finger, .frame = place};
    plMeeting m;
    plElement e;
    plEnd_Element(&g, &b, &e);
    if (!settleAt(p->pot, p->finger, &place, &a, &b, &m)) return false;
    if (!plMeeting_IsMinimum(&m) || fabs(m.gap - p->at.gap) > 1e-5) return false;
    if (plNorm(plSub(m.f.p, p->at.f.p)) > 1e-5 || plNorm(plSub(m.g.p, e.p)) > 1e-5) return false;
    p->a = a, p->b = b, p->at = m, p->share = share;
    return true;
}

/// Goes as far as it gets, in steps of a 64th down to where nothing moves. True: to its end.
static inline bool pass(Passage* p)
{
    double step = 1.0 / 64;
    if (!settleAt(p->pot, p->finger, &p->then, &p->a, &p->b, &p->at)) return false;
    while (p->share < 1 && step > 1e-8) {
        if (stepTo(p, fmin(1, p->share + step))) {
            step = fmin(1.0 / 64, 2 * step);
        } else {
            step *= 0.5;
        }
    }
    return p->share >= 1;
}

static inline int partOf(int patch)
{
    return patch < 12 || patch >= 28 ? 0 : patch < 16 ? 1 : patch < 20 ? 2 : 3;
}

/// Is a place within `near` of an open edge?
static inline bool isAtOpenEdge(const plNurbs* n, plVec3 p, double near)
{
    enum { places = 64 };
    for (int patch = 0; patch < plNurbs_Patches(n); patch++) {
        for (int edge = 0; edge < plPatchEdges; edge++) {
            if (plNurbs_Edge(n, patch, edge)->kind != pl_edgeOpen) continue;
            for (int i = 0; i <= places; i++) {
                const plVec3 q = plNurbs_Place(n, plEdge_Uv(n, patch, edge, (double)i / places));
                if (plNorm(plSub(p, q)) < near) return true;
            }
        }
    }
    return false;
}

#endif
