// Random scenes: which ones run, and how they are built.
#ifndef PALP_TEST_TICK_SCENE_H
#define PALP_TEST_TICK_SCENE_H

#include "math/math.h"
#include "worlds.h"

#include <string.h>

// ------------------------------------------------------------------------------ which scenes

typedef struct {
    uint64_t seed;
    int first, end; ///< scenes first .. end - 1
    bool alone;     ///< one scene by name
} Range;

static inline int numberOf(const char* variable, int otherwise)
{
    const char* text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

static inline Range rangeOf(int sample, int full)
{
    Range r = {(uint64_t)numberOf("PALP_SEED", 1), numberOf("PALP_FIRST", 0), 0, false};
    const int count = numberOf("PALP_COUNT", sized(sample, full) - r.first);
    r.end = r.first + count;
    r.alone = count == 1;
    return r;
}

/// Random numbers of one scene, whichever others are run.
static inline plRng rngOf(Range r, int scene)
{
    return plRng_Seed(r.seed * 1000003u + (uint64_t)scene);
}

static inline int below(plRng* rng, int n) { return (int)(plRng_Next(rng) % (uint64_t)n); }

static inline bool once(plRng* rng, int n) { return below(rng, n) == 0; }

static inline double between(plRng* rng, double min, double max)
{
    return plRng_Uniform(rng, min, max);
}

static inline double logUniform(plRng* rng, double min, double max)
{
    return exp(plRng_Uniform(rng, log(min), log(max)));
}

// One after the other: the order of arguments is the compiler's.
static inline plVec3 normalVec(plRng* rng, double size)
{
    const double x = plRng_Normal(rng), y = plRng_Normal(rng), z = plRng_Normal(rng);
    return plVec(size * x, size * y, size * z);
}

static inline plVec3 vecBetween(plRng* rng, double min, double max)
{
    const double x = between(rng, min, max), y = between(rng, min, max);
    return plVec(x, y, between(rng, min, max));
}

static inline plVec3 unitOf(plVec3 v) { return plScale(1 / plNorm(v), v); }

static inline plVec3 randomUnit(plRng* rng) { return unitOf(normalVec(rng, 1)); }

static inline plQuat randomTurn(plRng* rng) { return plExp(normalVec(rng, 1.5)); }

/// A rotation that takes x to d.
static inline plQuat alongX(plVec3 d)
{
    plVec3 t1, t2;
    plTangents(d, &t1, &t2);
    const plMat3 columns = {d, t1, t2};
    const plMat3 R = plTranspose(&columns);
    return plQuatOf(&R);
}

static const double tickRates[] = {30, 100, 300, 1000};

// -------------------------------------------------------------------------------------- scenes

enum {
    mostMechanisms = 64,
    mostLinks = 192,
    mostDrives = 8,
    mostParts = 8,
    mostShapes = 96,
    hullPoints = 14
};

/// A world, with all that the judge must know of it.
typedef struct {
    plWorld* world;
    plRng rng;
    double rate; ///< [Hz]
    plVec3 gravity;
    int count; ///< of mechanisms
    plMechanismId ids[mostMechanisms];
    int parts[mostMechanisms];
    int linkCount;
    plLinkDef links[mostLinks];
    int driveCount;
    plDriveDef drives[mostDrives];
    double weight; ///< of all bodies, without gravity's direction [N]
} Scene;

/// What was added to the scene at work, for dumpScene. Pointers of the definitions lead into this.
typedef struct {
    plWorldDef world;
    enum { isBody, isChain, isFrame } kinds[mostMechanisms];
    plAssemblyDef bodies[mostMechanisms];
    plChainDef chains[mostMechanisms];
    plChainBodyDef chainBodies[mostMechanisms][mostParts];
    double beamStarts[mostMechanisms][mostParts][2];
    plPose frames[mostMechanisms];
    int shapeCount;
    plPartShapeDef shapes[mostShapes];
    plVec3 points[mostShapes][hullPoints];
} Recorded;

static Recorded recorded;

/// The world of a scene, empty.
static inline void createScene(Scene* s, const plWorldDef* def)
{
    memset(&recorded, 0, sizeof recorded);
    recorded.world = *def;
    checkOk(NULL, plWorld_Create(def, &s->world));
}

static inline const char* sceneName(char kind, int i)
{
    static char names[2][mostLinks][16];
    char* name = names[kind == 'l'][i];
    snprintf(name, sizeof names[0][0], "%c%d", kind, i);
    return name;
}

static inline int enterMechanism(Scene* s, plMechanismId id, int parts)
{
    assert_true(s->count < mostMechanisms);
    s->ids[s->count] = id;
    s->parts[s->count] = parts;
    return s->count++;
}

static inline int addBodyOf(Scene* s, plAssemblyDef def)
{
    plMechanismId id;
    def.name = sceneName('m', s->count);
    checkOk(s->world, plWorld_AddAssembly(s->world, &def, &id));
    s->weight += 9.81 * def.mass;
    recorded.kinds[s->count] = isBody;
    recorded.bodies[s->count] = def;
    return enterMechanism(s, id, 1);
}

static inline int addChainOf(Scene* s, plChainDef def)
{
    plMechanismId id;
    def.name = sceneName('m', s->count);
    checkOk(s->world, plWorld_AddChain(s->world, &def, &id));
    assert_true(def.bodyCount <= mostParts);
    recorded.kinds[s->count] = isChain;
    recorded.chains[s->count] = def;
    for (int i = 0; i < def.bodyCount; ++i) {
        const double* start = def.bodies[i].beam.position;
        s->weight += 9.81 * def.bodies[i].mass;
        recorded.chainBodies[s->count][i] = def.bodies[i];
        if (start) memcpy(recorded.beamStarts[s->count][i], start, 2 * sizeof *start);
    }
    return enterMechanism(s, id, def.bodyCount);
}

static inline int addFrameAt(Scene* s, plPose pose)
{
    plPrescribedDef def = {.name = sceneName('m', s->count), .pose = pose};
    plMechanismId id;
    checkOk(s->world, plWorld_AddPrescribed(s->world, &def, &id));
    recorded.kinds[s->count] = isFrame;
    recorded.frames[s->count] = pose;
    return enterMechanism(s, id, 1);
}

static inline void addLinkOf(Scene* s, plLinkDef def)
{
    plLinkId id;
    assert_true(s->linkCount < mostLinks);
    def.name = sceneName('l', s->linkCount);
    checkOk(s->world, plWorld_AddLink(s->world, &def, &id));
    s->links[s->linkCount++] = def;
}

static inline void addDriveOf(Scene* s, plDriveDef def)
{
    assert_true(s->driveCount < mostDrives);
    checkOk(s->world, plWorld_AddDrive(s->world, &def));
    s->drives[s->driveCount++] = def;
}

static inline plMotion motionOf(const plWorld* w, plSite site)
{
    plMotion m = {site.point, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}, {0, 0, 0}};
    if (site.mechanism.index1) checkOk(w, plWorld_Motion(w, site, &m));
    return m;
}

/// The site of a part, or of the ground (mechanism -1), that is now at x.
static inline plSite siteAt(const Scene* s, int mechanism, int part, plVec3 x)
{
    if (mechanism < 0) return (plSite){.point = x};
    plSite site = {s->ids[mechanism], part, {0, 0, 0}};
    const plMotion m = motionOf(s->world, site);
    site.point = plMulT(&m.R, plSub(x, m.x));
    return site;
}

// -------------------------------------------------------------------------------------- solids

/// Adds a shape. Returns its index.
static inline int addShapeOf(Scene* s, plPartShapeDef def)
{
    plShapeId id;
    checkOk(s->world, plWorld_AddShape(s->world, &def, &id));
    assert_true(recorded.shapeCount < mostShapes);
    plPartShapeDef* copy = &recorded.shapes[recorded.shapeCount];
    plVec3* points = recorded.points[recorded.shapeCount++];
    *copy = def;
    copy->shape.points = points;
    for (int i = 0; i < def.shape.pointCount && i < hullPoints; ++i)
        points[i] = def.shape.points[i];
    return plWorld_ShapeCount(s->world) - 1;
}

/// A convex shape of about `size` [m]; a hull has random corners, which are put into `points`.
static inline plShapeDef convexShape(plRng* rng, plShapeKind kind, double size, plVec3* points)
{
    plShapeDef def = plDefaultShapeDef(kind);
    def.radius = kind == pl_shapeCapsule ? 0.5 * size : size;
    def.length = between(rng, 0.5, 1.5) * size;
    def.half = plScale(size, vecBetween(rng, 0.4, 1));
    if (kind != pl_shapeHull) return def;
    def.pointCount = 8 + below(rng, hullPoints - 7);
    def.points = points;
    for (int i = 0; i < def.pointCount; ++i) points[i] = plScale(size, randomUnit(rng));
    return def;
}

/// A free body of one shape; its origin is the centre of mass. The density follows from the mass.
static inline int addSolid(Scene* s, plShapeDef shape, double mass, plAssemblyDef body)
{
    plPartShapeDef def = plDefaultPartShapeDef(shape.kind);
    plShapeError error;
    plMass of;
    if (plShapeDef_Mass(&shape, 1, &of, &error) != pl_statusOk) fail_msg("%s", error.message);
    const double density = mass / of.mass;
    const plMat3 none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    body.mass = mass;
    body.inertia = plMatAdd(&none, density, &of.inertia);
    shape.frame.p = plSub(shape.frame.p, of.center);
    const int index = addBodyOf(s, body);
    def.mechanism = s->ids[index];
    def.shape = shape;
    addShapeOf(s, def);
    return index;
}

static inline void addGround(Scene* s, plShapeDef shape)
{
    plPartShapeDef def = plDefaultPartShapeDef(shape.kind);
    def.shape = shape;
    addShapeOf(s, def);
}

static inline void addWallAt(Scene* s, plVec3 normal, plVec3 at)
{
    plShapeDef plane = plDefaultShapeDef(pl_shapePlane);
    plane.normal = normal;
    plane.frame.p = at;
    addGround(s, plane);
}

#endif
