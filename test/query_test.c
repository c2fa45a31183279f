// Rays, closest points and overlaps over every kind of shape, against closed forms and against each other.
#include "base/base.h"
#include "worlds.h"

#include <string.h>

static plWorld* makeEmpty(void)
{
    plWorldDef def = plDefaultWorldDef();
    plWorld* w;
    def.gravity = (plVec3){0, 0, 0};
    checkOk(NULL, plWorld_Create(&def, &w));
    return w;
}

static plShapeId addToGround(plWorld* w, const plShapeDef* shape)
{
    plPartShapeDef def = plDefaultPartShapeDef(shape->kind);
    plShapeId id;
    def.shape = *shape;
    checkOk(w, plWorld_AddShape(w, &def, &id));
    return id;
}

static bool same(plShapeId a, plShapeId b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

static void checkNear3(const char* what, plVec3 a, plVec3 b, double tolerance)
{
    checkNear(what, a.x, b.x, tolerance);
    checkNear(what, a.y, b.y, tolerance);
    checkNear(what, a.z, b.z, tolerance);
}

// --- one of each kind, all a cube of half 0.5 or a ball of radius 0.5 at the origin

enum { ball, capsule, box, plane, polygon, hull, compound, mesh, kinds };

static const plVec3 corners[8] = {{-.5, -.5, -.5}, {.5, -.5, -.5}, {.5, .5, -.5}, {-.5, .5, -.5},
                                  {-.5, -.5, .5},  {.5, -.5, .5},  {.5, .5, .5},  {-.5, .5, .5}};
static const int faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                              1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static plShapeDef defOf(int kind, plShapeDef pieces[2])
{
    plShapeDef d = plDefaultShapeDef((plShapeKind)kind);
    switch (kind) {
    case capsule:
        d.length = 0.4;
        break;
    case plane:
        d.frame.p.z = 0.5;
        break;
    case polygon:
        d.pointCount = 4;
        d.points = corners;
        d.thickness = 1;
        break;
    case hull:
    case mesh:
        d.pointCount = 8;
        d.points = corners;
        d.triangleCount = 12;
        d.triangles = faces;
        break;
    case compound:
        for (int i = 0; i < 2; ++i) {
            pieces[i] = plDefaultShapeDef(pl_shapeBox);
            pieces[i].half.x = 0.25;
            pieces[i].frame.p.x = i ? 0.25 : -0.25;
        }
        d.pieces = pieces;
        d.pieceCount = 2;
        break;
    default:
        break;
    }
    return d;
}

// The tops of all of them are at z = 0.5.
static void raysAndClosestPointsMeetEveryKind(void** state)
{
    (void)state;
    for (int kind = 0; kind < kinds; ++kind) {
        plWorld* w = makeEmpty();
        plShapeDef pieces[2];
        const plShapeDef def = defOf(kind, pieces);
        const plShapeId id = addToGround(w, &def);
        const plQueryFilter all = plDefaultQueryFilter();
        plQueryHit hit;
        checkOk(w, plWorld_CastRay(w, (plVec3){0.02, 0.01, 3}, (plVec3){0, 0, -5}, all, &hit));
        assert_true(same(hit.shape, id));
        assert_int_equal(hit.site.mechanism.index1, 0);
        checkNear("where the ray ends", hit.point.z, 0.5,
                  kind == ball || kind == capsule ? 1e-3 : 1e-12);
        checkNear("its way", hit.distance, 3 - hit.point.z, 1e-12);
        assert_true(hit.normal.z > 0.99);
        assert_int_equal(
            plWorld_CastRay(w, (plVec3){0.02, 0.01, 3}, (plVec3){0, 0, -2.4}, all, &hit),
            pl_statusNotFound);
        assert_int_equal(plWorld_CastRay(w, (plVec3){0.02, 0.01, 3}, (plVec3){0, 0, 5}, all, &hit),
                         pl_statusNotFound);
        checkOk(w, plWorld_ClosestPoint(w, (plVec3){0, 0, 2}, 9, all, &hit));
        assert_true(same(hit.shape, id));
        checkNear("distance", hit.distance, 1.5, 1e-9);
        checkNear3("closest", hit.point, (plVec3){0, 0, 0.5}, 1e-6);
        assert_int_equal(plWorld_ClosestPoint(w, (plVec3){0, 0, 2}, 1.4, all, &hit),
                         pl_statusNotFound);
        checkOk(w, plWorld_ClosestPoint(w, (plVec3){0.05, 0.01, 0.4}, 9, all, &hit));
        assert_true(hit.distance < 0);
        plWorld_Destroy(w);
    }
}

static int overlapsAt(plWorld* w, const plShapeDef* solid, plVec3 p, plShapeId* first)
{
    int count;
    plShapeId list[8] = {{0, 0}};
    checkOk(w, plWorld_Overlap(w, solid, (plPose){p, {1, 0, 0, 0}}, plDefaultQueryFilter(), 8, list,
                               &count));
    if (first) *first = list[0];
    return count;
}

// Above the top by a little: none; below by a little, and deep inside: one. For every solid on every kind.
static void overlapsMeetEveryKind(void** state)
{
    (void)state;
    for (int kind = 0; kind < kinds; ++kind) {
        plWorld* w = makeEmpty();
        plShapeDef pieces[2], more[2];
        const plShapeDef def = defOf(kind, pieces);
        const plShapeId id = addToGround(w, &def);
        for (int other = 0; other < kinds; ++other) {
            plShapeDef solid = defOf(other, more);
            plShapeId found;
            if (other == plane || other == mesh) continue;
            checkNear("above", overlapsAt(w, &solid, (plVec3){0, 0, 1.0001}, NULL), 0, 0);
            checkNear("below", overlapsAt(w, &solid, (plVec3){0, 0, 0.9999}, &found), 1, 0);
            assert_true(same(found, id));
            checkNear("inside", overlapsAt(w, &solid, (plVec3){0.01, 0, 0}, NULL), 1, 0);
        }
        plShapeDef grain = plDefaultShapeDef(pl_shapeSphere);
        grain.radius = 0.01;
        checkNear("a grain within", overlapsAt(w, &grain, (plVec3){0.1, 0.1, 0.1}, NULL), 1, 0);
        checkNear("a grain outside", overlapsAt(w, &grain, (plVec3){0.1, 0.1, 0.6}, NULL), 0, 0);
        plWorld_Destroy(w);
    }
}

static void sculptedSurfacesAreMet(void** state)
{
    (void)state;
    plWorld* w = makeEmpty();
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    const plVec3 flat[4] = {{-1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {1, 1, 0}};
    const double knots[4] = {0, 0, 1, 1};
    const plPatchDef patch[1] = {{.degreeU = 1,
                                  .degreeV = 1,
                                  .countU = 2,
                                  .countV = 2,
                                  .knotsU = knots,
                                  .knotsV = knots,
                                  .points = flat}};
    def.patches = patch, def.patchCount = 1;
    const plShapeId id = addToGround(w, &def);
    plQueryHit hit;
    checkOk(w, plWorld_CastRay(w, (plVec3){0.1, 0.2, 2}, (plVec3){0, 0, -3}, plDefaultQueryFilter(),
                               &hit));
    assert_true(same(hit.shape, id));
    checkNear3("ray", hit.point, (plVec3){0.1, 0.2, 0}, 1e-9);
    checkOk(w, plWorld_ClosestPoint(w, (plVec3){0.3, 0.1, 0.4}, 1, plDefaultQueryFilter(), &hit));
    checkNear3("closest", hit.point, (plVec3){0.3, 0.1, 0}, 1e-9);
    plShapeDef solid = plDefaultShapeDef(pl_shapeBox);
    solid.half = all3(0.1);
    checkNear("above", overlapsAt(w, &solid, (plVec3){0, 0, 0.11}, NULL), 0, 0);
    checkNear("across", overlapsAt(w, &solid, (plVec3){0, 0, 0.05}, NULL), 1, 0);
    plWorld_Destroy(w);
}

// --- many shapes: the queries agree with each other, and with every single shape

static void nearestOfManyIsTheLeastOfEach(void** state)
{
    (void)state;
    plWorld* w = makeEmpty();
    plRng rng = plRng_Seed(7);
    plShapeDef balls[20];
    plShapeId ids[20];
    for (int i = 0; i < 20; ++i) {
        balls[i] = plDefaultShapeDef(pl_shapeSphere);
        balls[i].radius = plRng_Uniform(&rng, 0.05, 0.3);
        balls[i].frame.p = (plVec3){plRng_Uniform(&rng, -2, 2), plRng_Uniform(&rng, -2, 2),
                                    plRng_Uniform(&rng, -2, 2)};
        ids[i] = addToGround(w, &balls[i]);
    }
    for (int k = 0; k < 2000; ++k) {
        const plVec3 p = {plRng_Uniform(&rng, -3, 3), plRng_Uniform(&rng, -3, 3),
                          plRng_Uniform(&rng, -3, 3)};
        const plVec3 d = {plRng_Uniform(&rng, -4, 4), plRng_Uniform(&rng, -4, 4),
                          plRng_Uniform(&rng, -4, 4)};
        double least = INFINITY, first = INFINITY;
        int nearest = -1, hitBy = -1, touched = 0;
        const double reach = 0.4;
        for (int i = 0; i < 20; ++i) {
            const plVec3 c = balls[i].frame.p, r = {p.x - c.x, p.y - c.y, p.z - c.z};
            const double away = sqrt(r.x * r.x + r.y * r.y + r.z * r.z) - balls[i].radius;
            const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
            const double b = (r.x * d.x + r.y * d.y + r.z * d.z) / length;
            const double root = b * b - (away + 2 * balls[i].radius) * away;
            touched += away <= reach;
            if (away < least) least = away, nearest = i;
            if (away < 0 || root < 0 || b >= 0 || -b - sqrt(root) > length) continue;
            if (-b - sqrt(root) < first) first = -b - sqrt(root), hitBy = i;
        }
        plQueryHit hit;
        checkOk(w, plWorld_ClosestPoint(w, p, 100, plDefaultQueryFilter(), &hit));
        assert_true(same(hit.shape, ids[nearest]));
        checkNear("distance", hit.distance, least, 1e-12);
        const plStatus ray = plWorld_CastRay(w, p, d, plDefaultQueryFilter(), &hit);
        assert_int_equal(ray, hitBy < 0 ? pl_statusNotFound : pl_statusOk);
        if (hitBy >= 0) {
            assert_true(same(hit.shape, ids[hitBy]));
            checkNear("way", hit.distance, first, 1e-9);
        }
        plShapeDef solid = plDefaultShapeDef(pl_shapeSphere);
        solid.radius = reach;
        checkNear("overlaps", overlapsAt(w, &solid, p, NULL), touched, 0);
    }
    plWorld_Destroy(w);
}

static void queriesFollowBodiesAndObeyMasks(void** state)
{
    (void)state;
    plWorld* w = makeEmpty();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef shape = plDefaultPartShapeDef(pl_shapeSphere);
    plQueryFilter filter = plDefaultQueryFilter();
    plShapeId id;
    plQueryHit hit;
    double q[7] = {5, 0, 0, 0, 0, 0, 1}, v[6] = {0}; // turned half round about z
    body.name = "body";
    checkOk(w, plWorld_AddAssembly(w, &body, &shape.mechanism));
    shape.shape.radius = 0.1, shape.shape.frame.p.x = 1, shape.group = 4;
    checkOk(w, plWorld_AddShape(w, &shape, &id));
    checkOk(w, plWorld_SetState(w, shape.mechanism, q, v));
    checkOk(w, plWorld_ClosestPoint(w, (plVec3){4, 0, 2}, 9, filter, &hit));
    checkNear("distance", hit.distance, 1.9, 1e-12);
    checkNear3("on the part", hit.site.point, (plVec3){1, 0, 0.1}, 1e-12);
    assert_int_equal(hit.site.mechanism.index1, shape.mechanism.index1);
    plMotion motion;
    checkOk(w, plWorld_Motion(w, hit.site, &motion));
    checkNear3("the same in the world", motion.x, hit.point, 1e-12);
    filter.mask = 3;
    assert_int_equal(plWorld_ClosestPoint(w, (plVec3){4, 0, 2}, 9, filter, &hit),
                     pl_statusNotFound);
    assert_int_equal(plWorld_CastRay(w, (plVec3){4, 0, 2}, (plVec3){0, 0, -3}, filter, &hit),
                     pl_statusNotFound);
    filter.mask = 4;
    checkOk(w, plWorld_CastRay(w, (plVec3){4, 0, 2}, (plVec3){0, 0, -3}, filter, &hit));
    checkNear("way", hit.distance, 1.9, 1e-12);
    const uint64_t hash = plWorld_Hash(w);
    overlapsAt(w, &shape.shape, (plVec3){0, 0, 0}, NULL);
    assert_true(plWorld_Hash(w) == hash);
    plWorld_Destroy(w);
}

static void nonsenseIsRefused(void** state)
{
    (void)state;
    plWorld* w = makeEmpty();
    const plQueryFilter f = plDefaultQueryFilter();
    const plPose here = {.q = {1, 0, 0, 0}}, nowhere = {{NAN, 0, 0}, {1, 0, 0, 0}};
    plShapeDef solid = plDefaultShapeDef(pl_shapeSphere), bad = plDefaultShapeDef(pl_shapePlane);
    plQueryHit hit;
    plShapeId list[1];
    int count = 5;
    const plVec3 o = {0, 0, 0}, none = {INFINITY, 0, 0}, x = {1, 0, 0};
    assert_int_equal(plWorld_CastRay(w, o, x, f, &hit), pl_statusNotFound);
    assert_int_equal(plWorld_CastRay(w, o, o, f, &hit), pl_statusBadArgument);
    assert_int_equal(plWorld_CastRay(w, none, x, f, &hit), pl_statusBadArgument);
    assert_int_equal(plWorld_CastRay(w, o, none, f, &hit), pl_statusBadArgument);
    assert_int_equal(plWorld_ClosestPoint(w, none, 1, f, &hit), pl_statusBadArgument);
    assert_int_equal(plWorld_ClosestPoint(w, o, -1, f, &hit), pl_statusBadArgument);
    assert_int_equal(plWorld_ClosestPoint(w, o, NAN, f, &hit), pl_statusBadArgument);
    assert_int_equal(plWorld_Overlap(w, &bad, here, f, 1, list, &count), pl_statusBadArgument);
    assert_int_equal(count, 0);
    assert_int_equal(plWorld_Overlap(w, &solid, nowhere, f, 1, list, &count), pl_statusBadArgument);
    assert_int_equal(plWorld_Overlap(w, &solid, here, f, -1, list, &count), pl_statusBadArgument);
    solid.radius = -1;
    assert_int_equal(plWorld_Overlap(w, &solid, here, f, 1, list, &count), pl_statusBadArgument);
    assert_non_null(strstr(plWorld_Error(w), "radius"));
    solid.radius = 1;
    for (int i = 0; i < 3; ++i) addToGround(w, &solid);
    checkOk(w, plWorld_Overlap(w, &solid, here, f, 1, list, &count)); // more than there is room for
    assert_int_equal(count, 3);
    assert_int_equal(list[0].index1, 1);
    plWorld_Destroy(w);
}

// --- soft bodies

static void softBodiesAreMetWhereTheyAre(void** state)
{
    (void)state;
    plWorld* w = makeEmpty();
    plTets tets;
    const plAllocator allocator = plDefaultAllocator();
    plSoftDef def = plDefaultSoftDef();
    plMechanismId id;
    assert_int_equal(
        plTets_Box(4, 2, 2, (plVec3){0, 0, 0}, (plVec3){0.2, 0.1, 0.06}, &allocator, &tets),
        pl_statusOk);
    def.name = "soft", def.mesh = &tets, def.pose.p = (plVec3){1, 2, 3};
    checkOk(w, plWorld_AddSoft(w, &def, &id));
    plQueryHit hit, again;
    const plQueryFilter all = plDefaultQueryFilter();
    const plVec3 c = {1.1, 2.05, 3.03};
    const plVec3 above = {c.x + 1e-3, c.y + 2e-3, c.z + 1};
    checkOk(w, plWorld_CastRay(w, above, (plVec3){0, 0, -2}, all, &hit));
    assert_true(hit.site.part > 0);
    checkNear("weights of a face", hit.site.point.x + hit.site.point.y + hit.site.point.z, 1,
              1e-12);
    plMotion motion;
    checkOk(w, plWorld_Motion(w, hit.site, &motion));
    checkNear3("the site is there", motion.x, hit.point, 1e-9);
    checkOk(w, plWorld_ClosestPoint(w, hit.point, 1, all, &again));
    checkNear("distance on the surface", again.distance, 0, 1e-9);
    checkOk(w, plWorld_ClosestPoint(w, c, 1, all, &again));
    assert_true(again.distance < 0);
    plShapeDef grain = plDefaultShapeDef(pl_shapeSphere);
    grain.radius = 1e-4;
    checkNear("within", overlapsAt(w, &grain, c, NULL), 1, 0);
    checkNear("on the surface", overlapsAt(w, &grain, hit.point, NULL), 1, 0);
    checkNear("above",
              overlapsAt(w, &grain, (plVec3){hit.point.x, hit.point.y, hit.point.z + 2e-4}, NULL),
              0, 0);
    plWorld_Destroy(w);
    plTets_Free(&tets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raysAndClosestPointsMeetEveryKind),
        cmocka_unit_test(overlapsMeetEveryKind),
        cmocka_unit_test(sculptedSurfacesAreMet),
        cmocka_unit_test(nearestOfManyIsTheLeastOfEach),
        cmocka_unit_test(queriesFollowBodiesAndObeyMasks),
        cmocka_unit_test(nonsenseIsRefused),
        cmocka_unit_test(softBodiesAreMetWhereTheyAre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
