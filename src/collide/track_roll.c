// Two surfaces that roll over each other for a step: the velocity formulation, and Newton behind it.
#include "collide/track_inside.h"

// A Newton step as short as this is the last one. It is made as well: in smooth spans it leaves its
// square over a radius of curvature, and where it goes over a knot or a seam at most itself.
#define lastStep 5e-9

typedef struct {
    plContactFrame f, g;
    plContactKin kin;
} Places;

static void frameOf(const plSide* side, plUv at, plContactFrame* c)
{
    plSurfel s;
    plNurbs_At(side->shape->nurbs, at, &s);
    if (!side->still) {
        const plMat3* R = &side->frame.R;
        s.S = plOut(&side->frame, s.S);
        s.u = plMul(R, s.u), s.v = plMul(R, s.v);
        s.uu = plMul(R, s.uu), s.uv = plMul(R, s.uv), s.vv = plMul(R, s.vv);
    }
    plContactFrame_Set(c, &s, plNurbs_Inward(side->shape->nurbs));
}

/// False: a pole.
static bool look(const plRoll* r, const plSide* g, Places* p)
{
    frameOf(r->f, r->endF->at, &p->f);
    frameOf(g, r->endG->at, &p->g);
    if (p->f.pole || p->g.pole) return false;
    plContactKin_Set(&p->kin, &p->f, &p->g);
    return true;
}

/// False: it ends at an edge or a pole.
static bool go(plRoll* r, const double* d)
{
    const plSide* sides[2] = {r->f, r->now};
    plTrackEnd* ends[2] = {r->endF, r->endG};
    for (int i = 0; i < 2; i++) {
        const plWalk walk =
            plNurbs_Walk(sides[i]->shape->nurbs, &ends[i]->at, d[2 * i], d[2 * i + 1]);
        if (walk == pl_walkCrossed) r->flags |= pl_trackCrossed;
        if (walk == pl_walkOpen || walk == pl_walkPole) return false;
    }
    return true;
}

/// By a short step, to first order: E gives the place, F the normal. Length of the step.
static double shift(plContactFrame* c, const double* d)
{
    const double x = c->E.m[0][0] * d[0] + c->E.m[0][1] * d[1], y = c->E.m[1][1] * d[1];
    const double tiltX = c->F.m[0][0] * d[0] + c->F.m[0][1] * d[1];
    const double tiltY = c->F.m[1][0] * d[0] + c->F.m[1][1] * d[1];
    c->p = plAddScaled(plAddScaled(c->p, x, c->x), y, c->y);
    c->z = plAddScaled(plAddScaled(c->z, tiltX, c->x), tiltY, c->y);
    return sqrt(x * x + y * y);
}

/// u += A B (change of the frames), from where both were.                           (nurbs eq. 20)
static bool predict(plRoll* r)
{
    Places p;
    double d[4];
    if (!look(r, r->then, &p)) return false;
    r->from[0] = p.f.p;
    r->from[1] = plOut(&r->now->frame, plInto(&r->then->frame, p.g.p));
    const plMat3 turn = plMatMulT(&r->now->frame.R, &r->then->frame.R);
    plContactKin_Velocity(&p.g, plSub(r->from[1], p.g.p), plLog(&turn), d);
    if (!plContactKin_Solve(&p.kin, d)) return false;
    r->steps[0] = shift(&p.f, d) + shift(&p.g, d + 2);
    return go(r, d);
}

static void meet(const Places* p, plMeeting* m)
{
    *m = (plMeeting){.f = {.dim = 2, .p = p->f.p}, .g = {.dim = 2, .p = p->g.p}};
    m->n = plScale(1 / plNorm(p->f.z), p->f.z);
    m->beta = m->gap = plDot(m->n, plSub(p->f.p, p->g.p));
    const double sigma = plContactKin_Sigma(&p->kin, &p->f, &p->g);
    m->sound = sigma > 0 && plDot(p->f.z, p->g.z) < 0;
    m->singular = fabs(sigma) * plTrackLength < plTrackSingular;
}

/// Newton with the same K. False: not settled.                                      (nurbs eq. 13)
static bool correct(plRoll* r, plMeeting* m)
{
    enum { steps = 5 };
    for (int i = 0; i < steps; i++) {
        Places p;
        double d[4];
        if (!look(r, r->now, &p)) return false;
        for (int j = 0; j < 4; j++) d[j] = p.kin.r[j];
        if (!plContactKin_Solve(&p.kin, d)) return false;
        const double length = shift(&p.f, d) + shift(&p.g, d + 2);
        if (i == 0) r->steps[1] = length;
        if (!(length < 0.1 * r->f->shape->size) || !go(r, d)) return false;
        if (length > lastStep) continue;
        meet(&p, m);
        return !m->singular && m->sound;
    }
    return false;
}

/// Over a crease the normals jump; K knows nothing of it.
static bool isSmooth(const plSide* side, plUv was, plUv is)
{
    const plNurbs* n = side->shape->nurbs;
    return was.patch == is.patch || plDot(plNurbs_Normal(n, was), plNurbs_Normal(n, is)) >= 0.9;
}

bool plRoll_Run(plRoll* r, plMeeting* m)
{
    const plTrackEnd wasF = *r->endF, wasG = *r->endG;
    if (predict(r) && correct(r, m) && isSmooth(r->f, wasF.at, r->endF->at) &&
        isSmooth(r->now, wasG.at, r->endG->at)) {
        return true;
    }
    *r->endF = wasF, *r->endG = wasG;
    return false;
}
