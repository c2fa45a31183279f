// Followed contacts for tests: sides made by hand, nets that a NURBS shape is made of.
#ifndef PALP_TEST_TRACKS_H
#define PALP_TEST_TRACKS_H

#include "collide/track.h"
#include "collide/track_frame.h"
#include "collide/track_inside.h"
#include "nurbses.h"

static inline const plShape* makeNurbsShape(const plPatchDef* patches, int count, bool inward)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = patches;
    def.patchCount = count;
    def.inward = inward;
    return makeShape(&def);
}

static inline const plShape* loadNurbsShape(const char* name)
{
    static Net net;
    loadNet(name, &net);
    return makeNurbsShape(&net.def, 1, true);
}

/// The teapot of the reference, a unit of it 10 mm.
static inline const plShape* loadTeapotShape(void)
{
    static Net nets[teapotPatches];
    plPatchDef patches[teapotPatches];
    loadTeapot(nets, NULL);
    for (int i = 0; i < teapotPatches; i++) {
        for (int k = 0; k < 16; k++) nets[i].points[k] = plScale(0.01, nets[i].points[k]);
        patches[i] = nets[i].def;
    }
    return makeNurbsShape(patches, teapotPatches, true);
}

static inline double largest(const double* a, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/// Largest difference, as a share of the largest expected entry.
static inline double relative(const double* is, const double* expected, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(is[i] - expected[i]));
    return most / largest(expected, n);
}

static inline void contactFrame(const plShape* s, const plFrame* f, plUv at, plContactFrame* c)
{
    plSurfel e;
    plNurbs_At(s->nurbs, at, &e);
    e.S = plOut(f, e.S);
    e.u = plMul(&f->R, e.u), e.v = plMul(&f->R, e.v);
    e.uu = plMul(&f->R, e.uu), e.uv = plMul(&f->R, e.uv), e.vv = plMul(&f->R, e.vv);
    plContactFrame_Set(c, &e, plNurbs_Inward(s->nurbs));
}

#endif
