// Skins for tests, a world of two proxies, and slow answers for pairs of features.
#ifndef PALP_TEST_COLLIDE_SKINS_H
#define PALP_TEST_COLLIDE_SKINS_H

#include "collide_oracle.h"
#include "collide_shapes.h"
#include "palp/tets.h"

enum { mostPoints = 2000, mostFaces = 4000 };

typedef struct {
    int pointCount, faceCount;
    plVec3 x[mostPoints];
    int faces[3 * mostFaces];
    unsigned char touchable[mostPoints];
    plSkinDef skin;
} Surface;

static inline void closeSurface(Surface* s)
{
    assert_true(s->pointCount <= mostPoints && s->faceCount <= mostFaces);
    s->skin = (plSkinDef){s->pointCount, s->faceCount, s->faces, s->x, NULL};
}

/// A ball of rings and sectors about z.
static inline void makeBall(Surface* s, double radius, int rings, int sectors)
{
    int f = 0;
    s->pointCount = rings * sectors + 2;
    s->x[0] = plVec(0, 0, -radius), s->x[1] = plVec(0, 0, radius);
    for (int i = 0; i < rings; i++) {
        for (int k = 0; k < sectors; k++) {
            const double u = PL_PI * ((i + 1.0) / (rings + 1) - 0.5), v = 2 * PL_PI * k / sectors;
            s->x[2 + i * sectors + k] =
                plScale(radius, plVec(cos(u) * cos(v), cos(u) * sin(v), sin(u)));
        }
    }
    for (int k = 0; k < sectors; k++) {
        const int next = (k + 1) % sectors, top = 2 + (rings - 1) * sectors;
        const int caps[6] = {0, 2 + next, 2 + k, 1, top + k, top + next};
        for (int m = 0; m < 6; m++) s->faces[f++] = caps[m];
        for (int i = 0; i + 1 < rings; i++) {
            const int a = 2 + i * sectors + k, b = 2 + i * sectors + next;
            const int both[6] = {a, b, b + sectors, a, b + sectors, a + sectors};
            for (int m = 0; m < 6; m++) s->faces[f++] = both[m];
        }
    }
    s->faceCount = f / 3;
    closeSurface(s);
}

/// The surface of a mesh, its points numbered anew.
static inline void makeSurface(Surface* s, const plTets* tets)
{
    const plAllocator allocator = plDefaultAllocator();
    plTetsSurface surface;
    assert_int_equal(plTets_Surface(tets, &allocator, &surface), pl_statusOk);
    s->pointCount = surface.pointCount;
    s->faceCount = surface.triangleCount;
    for (int i = 0; i < surface.pointCount; i++) s->x[i] = tets->points[surface.points[i]];
    for (int i = 0; i < 3 * surface.triangleCount; i++) {
        int k = 0;
        while (surface.points[k] != surface.triangles[i]) k++;
        s->faces[i] = k;
    }
    plTetsSurface_Free(&surface);
    closeSurface(s);
}

static inline void makeBlock(Surface* s, plVec3 lo, plVec3 hi, int nx, int ny, int nz)
{
    const plAllocator allocator = plDefaultAllocator();
    plTets tets;
    assert_int_equal(plTets_Box(nx, ny, nz, lo, hi, &allocator, &tets), pl_statusOk);
    makeSurface(s, &tets);
    plTets_Free(&tets);
}

/// A tetrahedron, its apex along `up` from the middle of its base, and its base's first edge along
/// x.
static inline void makeTet(Surface* s, plVec3 apex, double up, double size)
{
    static const int faces[12] = {0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1};
    s->pointCount = s->faceCount = 4;
    s->x[0] = plAdd(apex, plScale(size, plVec(-1, -1, -1.5 * up)));
    s->x[1] = plAdd(apex, plScale(size, plVec(1, -1, -1.5 * up)));
    s->x[2] = plAdd(apex, plScale(size, plVec(0, 1, -1.5 * up)));
    s->x[3] = apex;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) s->faces[3 * i + k] = faces[3 * i + (up > 0 ? k : 2 - k)];
    }
    closeSurface(s);
}

/// Smooth waves, and noise of each point by itself.
static inline void deform(Surface* s, plRng* rng, double wave, double noise, double length)
{
    const plVec3 k = plScale(3 / length, randomDirection(rng)), d = randomDirection(rng);
    const double phase = plRng_Uniform(rng, 0, 6);
    for (int i = 0; i < s->pointCount; i++) {
        s->x[i] = plAddScaled(s->x[i], wave * sin(plDot(k, s->x[i]) + phase), d);
        s->x[i] = plAddScaled(s->x[i], noise * plRng_Uniform(rng, 0, 1), randomDirection(rng));
    }
}

/// Its outside becomes its inside: a ball becomes a cave.
static inline void turnInsideOut(Surface* s)
{
    for (int i = 0; i < s->faceCount; i++) {
        const int first = s->faces[3 * i];
        s->faces[3 * i] = s->faces[3 * i + 1];
        s->faces[3 * i + 1] = first;
    }
}

static inline void shift(Surface* s, plVec3 by)
{
    for (int i = 0; i < s->pointCount; i++) s->x[i] = plAdd(s->x[i], by);
}

static inline void turnSurface(Surface* s, plMat3 R)
{
    for (int i = 0; i < s->pointCount; i++) s->x[i] = plMul(&R, s->x[i]);
}

// --- two proxies

typedef struct {
    plArena arena, state;
    plCollide* collide;
    int id[2];
} Pair;

static inline void openPair(Pair* p, double reach, int contacts)
{
    const plAllocator allocator = plDefaultAllocator();
    plCollideDef def = plDefaultCollideDef();
    def.proxies = 4, def.pairs = 8, def.ignored = 0;
    def.contacts = contacts;
    def.reach = def.skinReach = reach;
    def.skinFaces = 2 * mostFaces, def.skinPoints = 2 * mostPoints;
    const size_t memory = plCollide_Memory(&def);
    assert_int_equal(plArena_Create(&p->arena, memory, &allocator), pl_statusOk);
    assert_int_equal(plArena_Create(&p->state, memory, &allocator), pl_statusOk);
    assert_int_equal(plCollide_Create(&def, &p->arena, &p->state, &p->collide), pl_statusOk);
    assert_true(p->arena.used + p->state.used <= memory);
}

static inline void closePair(Pair* p)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&p->arena, &allocator);
    plArena_Destroy(&p->state, &allocator);
}

static inline int addSkin(Pair* p, const plSkinDef* skin, int body)
{
    plProxyDef def = plDefaultProxyDef();
    int id;
    def.skin = skin;
    def.body = body;
    assert_int_equal(plCollide_Add(p->collide, &def, &id), pl_statusOk);
    return id;
}

static inline int addRigid(Pair* p, const plShape* shape, const plFrame* f, int body)
{
    plProxyDef def = plDefaultProxyDef();
    int id;
    def.shape = shape;
    def.frame = *f;
    def.body = body;
    assert_int_equal(plCollide_Add(p->collide, &def, &id), pl_statusOk);
    return id;
}

// --- slow answers

static inline plVec3 corner(const Surface* s, int face, int k)
{
    return s->x[s->faces[3 * face + k]];
}

static inline plVec3 faceNormal(const Surface* s, int face)
{
    const plVec3 a = corner(s, face, 0);
    const plVec3 n = plCross(plSub(corner(s, face, 1), a), plSub(corner(s, face, 2), a));
    return plScale(1 / plNorm(n), n);
}

static inline void solidOfFace(const Surface* s, int face, Solid* out)
{
    out->vertexCount = out->edgeCount = 3;
    out->faceCount = 1;
    out->radius = 0;
    out->corners[0] = 3;
    for (int k = 0; k < 3; k++) {
        out->v[k] = corner(s, face, k);
        out->edge[k][0] = k, out->edge[k][1] = (k + 1) % 3;
        out->face[0][k] = k;
    }
}

/// Distance of a surface and a solid's core by all pairs of features; its points.
static inline Closest closestToSolid(const Surface* s, const Solid* solid)
{
    static Solid face;
    Closest best = {.d = 1e300};
    for (int i = 0; i < s->faceCount; i++) {
        solidOfFace(s, i, &face);
        const Closest c = closestFeatures(&face, solid);
        if (c.d < best.d) best = c;
    }
    return best;
}

static inline Closest closestSurfaces(const Surface* a, const Surface* b)
{
    static Solid face;
    Closest best = {.d = 1e300};
    for (int i = 0; i < b->faceCount; i++) {
        solidOfFace(b, i, &face);
        // Faces farther away than the best so far by their corners alone are left out.
        const plVec3 m = face.v[0];
        const double size = fmax(plNorm(plSub(face.v[1], m)), plNorm(plSub(face.v[2], m)));
        for (int k = 0; k < a->faceCount; k++) {
            static Solid other;
            const plVec3 n = corner(a, k, 0);
            const double own =
                fmax(plNorm(plSub(corner(a, k, 1), n)), plNorm(plSub(corner(a, k, 2), n)));
            if (plNorm(plSub(m, n)) > best.d + size + own) continue;
            solidOfFace(a, k, &other);
            const Closest c = closestFeatures(&other, &face);
            if (c.d < best.d) best = c;
        }
    }
    return best;
}

/// Six times the volume of a tetrahedron: on which side of the face a b c is p?
static inline double sideOf(plVec3 a, plVec3 b, plVec3 c, plVec3 p)
{
    return plDot(plCross(plSub(b, a), plSub(c, a)), plSub(p, a));
}

/// Does an edge of a go through a face of b?
static inline bool pierces(const Surface* a, const Surface* b)
{
    for (int i = 0; i < 3 * a->faceCount; i++) {
        const plVec3 p = corner(a, i / 3, i % 3), q = corner(a, i / 3, (i + 1) % 3);
        for (int k = 0; k < b->faceCount; k++) {
            const plVec3 u = corner(b, k, 0), v = corner(b, k, 1), w = corner(b, k, 2);
            if (sideOf(u, v, w, p) * sideOf(u, v, w, q) > 0) continue;
            const double s = sideOf(p, q, u, v), t = sideOf(p, q, v, w), r = sideOf(p, q, w, u);
            if ((s > 0 && t > 0 && r > 0) || (s < 0 && t < 0 && r < 0)) return true;
        }
    }
    return false;
}

/// Place on a surface of one side of a contact.
static inline plVec3 placeOn(const Surface* s, int face1, plVec3 w)
{
    const plVec3 sum =
        plAddScaled(plScale(w.x, corner(s, face1 - 1, 0)), w.y, corner(s, face1 - 1, 1));
    return plAddScaled(sum, w.z, corner(s, face1 - 1, 2));
}

static inline void checkSide(const Surface* s, int face1, plVec3 w, plVec3 at)
{
    assert_true(face1 >= 1 && face1 <= s->faceCount);
    assert_true(w.x >= 0 && w.y >= 0 && w.z >= 0);
    checkNear("sum of weights", w.x + w.y + w.z, 1, 1e-14);
    checkNear("place by weights", plNorm(plSub(placeOn(s, face1, w), at)), 0, 1e-14);
}

static inline double leastGap(const plCollideReport* r)
{
    double least = 1e300;
    for (int i = 0; i < r->contactCount; i++) least = fmin(least, r->contacts[i].p.gap);
    return least;
}

// --- what every contact must be

static inline void checkContacts(const plCollideReport* r, const Surface* a, const Surface* b)
{
    assert_false(r->contactsFull);
    for (int i = 0; i < r->contactCount; i++) {
        const plPoint* p = &r->contacts[i].p;
        checkNear("n", plNorm(p->n), 1, 1e-12);
        checkNear("gap", plDot(p->n, plSub(p->a, p->b)), p->gap, 1e-12);
        // The points differ along the normal only, but for what round-off leaves of parallel edges.
        checkNear("across n", plNorm(plAddScaled(plSub(p->a, p->b), -p->gap, p->n)), 0, 1e-9);
        assert_int_equal(p->faceA > 0, a != NULL);
        assert_int_equal(p->faceB > 0, b != NULL);
        if (a) checkSide(a, p->faceA, p->localA, p->a);
        if (b) checkSide(b, p->faceB, p->localB, p->b);
        if (i > 0) assert_true(p->key > r->contacts[i - 1].p.key);
        assert_int_equal(p->model.kind, pl_normalFixed);
        checkNear("model", plNorm(plSub(p->model.a, p->localA)), 0, 0);
        checkNear("model", plNorm(plSub(p->model.b, p->localB)), 0, 0);
        checkNear("model", plNorm(plSub(p->model.n, p->n)), 0, 0);
        checkNear("model", p->model.radiusA + p->model.radiusB, 0, 0);
    }
}

// --- random worlds of two

static Surface one, two;

static inline const plShape* anyRigid(plRng* rng, int kind)
{
    static plVec3 points[40];
    const double size = pow(10, plRng_Uniform(rng, -3, -1.3));
    if (kind == 0) return makeSphere(size);
    if (kind == 1) return makeCapsule(0.5 * size, 2 * size);
    if (kind == 2) return makeBox(size, 0.6 * size, 0.4 * size);
    plShapeDef def = plDefaultShapeDef(pl_shapeHull);
    def.points = points;
    def.pointCount = 24;
    for (int i = 0; i < 24; i++) points[i] = plScale(size, randomDirection(rng));
    return makeShape(&def);
}

/// A bumpy ball of 5 cm, or a coarse block.
static inline void anySurface(plRng* rng, Surface* s, bool coarse)
{
    if (coarse) {
        makeBlock(s, plVec(-0.03, -0.03, -0.03), plVec(0.03, 0.03, 0.03), 1, 2, 1);
        deform(s, rng, 0.004, 0.002, 0.06);
    } else {
        makeBall(s, 0.05, 9, 14);
        deform(s, rng, 0.01, 0.002, 0.05);
    }
    turnSurface(s, randomRotation(rng));
}

/// Surface `one` beside the solid (from where it is, for a cave), nearer than `reach`.
static inline bool bringNear(plRng* rng, const Solid* solid, double reach, bool cave)
{
    if (!cave) shift(&one, plScale(0.2, randomDirection(rng)));
    for (int i = 0; i < 4; i++) { // a way along the nearest direction may pass another part
        const Closest c = closestToSolid(&one, solid);
        const double gap = c.d - solid->radius;
        if (gap > 0 && gap < reach) return true;
        const double wanted = plRng_Uniform(rng, 0.05, 0.5) * reach;
        shift(&one, plScale((wanted - gap) / c.d, plSub(c.a, c.b)));
    }
    return false;
}

/// A closed solid's corners and the skin's: none of one lies in the other.
static inline bool isApart(const Surface* s, const plShape* shape, const plFrame* f)
{
    for (int i = 0; i < s->pointCount; i++) {
        if (plShape_Nearest(shape, plInto(f, s->x[i])).distance <= 0) return false;
    }
    return true;
}

/// A bumpy cave around the shape, a little wider than it.
static inline void makeCave(plRng* rng, const plShape* shape, const plFrame* f)
{
    makeBall(&one, 1.3 * shape->extent, 9, 14);
    deform(&one, rng, 0.1 * shape->extent, 0.05 * shape->extent, 2 * shape->extent);
    turnInsideOut(&one);
    shift(&one, f->x);
}

static inline plCollideReport meet(Pair* p, double reach)
{
    openPair(p, reach, 4000);
    addSkin(p, &one.skin, 0);
    addSkin(p, &two.skin, 1);
    const plCollideReport r = plCollide_Update(p->collide, 0);
    checkContacts(&r, &one, &two);
    return r;
}

#endif
