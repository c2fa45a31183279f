// Whether a solid (convex, or a compound) has a point in common with another shape, once and without a memory.
#include "collide/core.h"
#include "collide/track.h"

static bool isSimple(const plShape* s) { return plShape_IsConvex(s) || s->kind == pl_shapePlane; }

// Of a compound that is convex by pieces, the origin of the first.
plVec3 plCollide_Inside(const plShape* s)
{
    plVec3 sum = {0, 0, 0};
    if (s->pieceCount > 0) return plCollide_Inside(&s->pieces[0]);
    if (!s->polytope) return s->frame.x;
    for (int i = 0; i < s->polytope->vertexCount; ++i) sum = plAdd(sum, s->polytope->vertices[i]);
    return plOut(&s->frame, plScale(1.0 / s->polytope->vertexCount, sum));
}

static bool touches(const plManifold* m)
{
    bool some = false;
    for (int i = 0; i < m->count; ++i) some = some || m->points[i].gap <= 0;
    return some;
}

// A solid that lies within another one as a whole meets no part of its surface.
static bool isSwallowed(const plShape* solid, const plFrame* fs, const plShape* other,
                        const plFrame* fo)
{
    return plShape_Nearest(other, plInto(fo, plOut(fs, plCollide_Inside(solid)))).distance <= 0;
}

bool plCollide_Overlap(const plShape* solid, const plFrame* fs, const plShape* other,
                       const plFrame* fo, plManifold* room)
{
    for (int i = 0; i < solid->pieceCount; ++i) {
        if (plCollide_Overlap(&solid->pieces[i], fs, other, fo, room)) return true;
    }
    for (int i = 0; i < other->pieceCount && solid->pieceCount == 0; ++i) {
        if (plCollide_Overlap(solid, fs, &other->pieces[i], fo, room)) return true;
    }
    if (solid->pieceCount > 0 || other->pieceCount > 0) return false;
    if (isSimple(other)) return plCollide_Gap(solid, fs, other, fo, NULL).gap <= 0;
    room->count = 0;
    if (other->kind == pl_shapeNurbs) {
        plTracks tracks = {0};
        plCollide_Track(solid, fs, other, fo, 0, &tracks, room);
    } else {
        plCollide_Manifold(solid, fs, other, fo, 0, NULL, room);
    }
    return touches(room) || isSwallowed(solid, fs, other, fo);
}

// A face as a polytope without faces: enough for a search of the distance, which asks for support alone.
bool plCollide_OverlapsFace(const plShape* solid, const plFrame* fs, const plVec3 x[3])
{
    const plPolytope polytope = {.vertexCount = 3, .vertices = x};
    const plFrame world = {.R = plIdentity3()}, own = plShape_Frame(solid, fs);
    const double size = plHigher(plNorm(plSub(x[1], x[0])), plNorm(plSub(x[2], x[0])));
    const plCore face = {.count = 3, .v = x, .polytope = &polytope, .size = size};
    plCore core;
    plWitness out = {.slow = false};
    for (int i = 0; i < solid->pieceCount; ++i) {
        if (plCollide_OverlapsFace(&solid->pieces[i], fs, x)) return true;
    }
    if (solid->pieceCount > 0) return false;
    plCore_Set(&core, solid);
    const plCorePair pair = plCorePair_Of(&core, &own, &face, &world);
    plGjk(&pair, NULL, &out);
    return out.overlap || out.d <= core.radius;
}
