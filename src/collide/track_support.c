// Corners and ends beside a minimum: they carry a face that lies flat.
#include "collide/track_inside.h"

static void trySupport(const plSide* f, const plSide* g, double reach, const plFound* by,
                       int corner, plFounds* out)
{
    plFound found = {.f = by->f,
                     .g = {.at = plUvAt(corner, 0, 0), .part = pl_trackCorner, .piece = g->piece}};
    plElement e;
    plEnd_Element(g, &found.g, &e);
    found.f.part = pl_trackFace;
    if (plNurbs_Project(f->shape->nurbs, e.p, &found.f.at) == 0) return;
    plSettle s = {
        .f = f, .g = g, .endF = &found.f, .endG = &found.g, .most = f->shape->size, .fixed = true};
    if (!plSettle_Run(&s, 4, &found.at) || found.f.part != pl_trackFace) return;
    if (found.at.gap > reach || plDot(found.at.n, by->at.n) < 0.995) return;
    found.flags = pl_trackSupport;
    plFounds_Add(out, &found);
}

static void supportFace(const plSide* f, const plSide* g, double reach, const plFound* by,
                        plFounds* out)
{
    const plPolytope* t = g->shape->polytope;
    const plVec3 n = plMulT(&g->frame.R, by->at.n);
    int face = 0;
    for (int i = 1; i < t->faceCount; i++) {
        if (plDot(t->faces[i].n, n) > plDot(t->faces[face].n, n)) face = i;
    }
    const plFace* low = &t->faces[face];
    if (plDot(low->n, n) < 0.995) return;
    for (int i = 0; i < low->count; i++) {
        trySupport(f, g, reach, by, t->edges[low->first + i].origin, out);
    }
}

void plTrack_Supports(const plSide* f, const plSide* g, double reach, plFounds* out)
{
    const plFounds minima = *out;
    for (int i = 0; i < minima.count && i < 2; i++) {
        const plFound* by = &minima.list[i];
        if (by->at.gap > reach || by->g.piece != g->piece || (by->flags & pl_trackSupport))
            continue;
        if (g->shape->polytope) supportFace(f, g, reach, by, out);
        if (g->shape->kind != pl_shapeCapsule) continue;
        if (fabs(plMulT(&g->frame.R, by->at.n).x) > 0.1) continue;
        for (int k = 0; k < 2; k++) trySupport(f, g, reach, by, k, out);
    }
}
