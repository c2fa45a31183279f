// Shapes: hulls, bounds, nearest points, rays.
#include "collide_shapes.h"

static plStatus refusal(const plShapeDef* def, plShapeError* error)
{
    const plAllocator allocator = plDefaultAllocator();
    const plShape* shape;
    const size_t before = shapeArena.used;
    const plStatus status = plShape_Create(def, &shapeArena, &allocator, &shape, error);
    assert_null(shape);
    assert_int_equal(shapeArena.used, before);
    assert_true(error->message[0] != '\0');
    return status;
}

// --- polytopes and hulls

/// Loops close, twins run each other's way back, faces hold all vertices, Euler's sum is 2.
static void checkTopology(const plPolytope* t, double size)
{
    for (int f = 0; f < t->faceCount; f++) {
        const plFace* face = &t->faces[f];
        assert_true(face->count >= 3);
        checkNear("normal", plNorm(face->n), 1, 1e-14);
        for (int i = 0; i < face->count; i++) {
            const int e = face->first + i, next = face->first + (i + 1) % face->count;
            const plHalfEdge* twin = &t->edges[t->edges[e].twin];
            assert_int_equal(t->edges[e].face, f);
            assert_int_equal(twin->twin, e);
            assert_int_equal(twin->origin, t->edges[next].origin);
            // Flat to the merging tolerance, seen from the region's largest triangle.
            const double off = face->d - plDot(face->n, t->vertices[t->edges[e].origin]);
            checkAtMost("vertex off its face", off, 8 * plFlat * size);
        }
        for (int i = 0; i < t->vertexCount; i++) {
            checkAtMost("vertex above a face", plDot(face->n, t->vertices[i]) - face->d, 0);
        }
    }
}

static int usedVertices(const plPolytope* t)
{
    int count = 0;
    for (int v = 0; v < t->vertexCount; v++) {
        bool used = false;
        for (int e = 0; e < t->edgeCount; e++) used |= t->edges[e].origin == v;
        count += used;
    }
    return count;
}

static void hullsHoldAllTheirPointsAndClose(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(1);
    static plVec3 points[400];
    int flat = 0, made = 0;
    for (int i = 0; i < sized(300, 20000); i++) {
        const plAllocator allocator = plDefaultAllocator();
        const double size = pow(10, plRng_Uniform(&rng, -4, 3));
        const plVec3 sides = {randomSide(&rng, size), randomSide(&rng, size),
                              randomSide(&rng, size)};
        plShapeDef def = plDefaultShapeDef(pl_shapeHull);
        plShapeError error;
        const plShape* s;
        shapesBegin();
        def.points = points;
        def.pointCount = randomPoints(&rng, sides, i % 10 == 0 ? 400 : 40, i % 3 == 0, points);
        // A third of the points again, as they are or off by round-off.
        for (int k = 0; k < def.pointCount / 3; k++) {
            points[k] = plScale(1 + (k % 2) * 1e-15, points[def.pointCount - 1 - k]);
        }
        const plStatus status = plShape_Create(&def, &shapeArena, &allocator, &s, &error);
        if (status == pl_statusBadArgument) {
            flat++;
            continue;
        }
        assert_int_equal(status, pl_statusOk);
        const plPolytope* t = s->polytope;
        checkTopology(t, s->size);
        assert_int_equal(usedVertices(t) - t->edgeCount / 2 + t->faceCount, 2);
        for (int k = 0; k < def.pointCount; k++) {
            for (int f = 0; f < t->faceCount; f++) {
                // The last of the builder's tolerances, 1e-8, four times, and the merging of faces.
                checkAtMost("point outside", plDot(t->faces[f].n, points[k]) - t->faces[f].d,
                            1e-7 * s->size);
            }
        }
        made++;
    }
    print_message("%d hulls, %d sets too flat\n", made, flat);
    assert_true(flat < made / 10);
}

static void gridCubeHasSixFaces(void** state)
{
    (void)state;
    plVec3 points[125];
    plRng rng = plRng_Seed(3);
    for (int turn = 0; turn < 20; turn++) {
        const plMat3 R = randomRotation(&rng);
        for (int i = 0; i < 125; i++) {
            points[i] = plMul(&R, plVec(i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2));
        }
        shapesBegin();
        plShapeDef def = plDefaultShapeDef(pl_shapeHull);
        def.points = points;
        def.pointCount = 125;
        const plShape* s = makeShape(&def);
        assert_int_equal(s->polytope->faceCount, 6);
        assert_int_equal(s->polytope->edgeCount, 24);
    }
}

static void flatPointsAreRefused(void** state)
{
    (void)state;
    plVec3 points[20];
    plRng rng = plRng_Seed(4);
    plShapeError error;
    plShapeDef def = plDefaultShapeDef(pl_shapeHull);
    def.points = points;
    def.pointCount = 20;
    shapesBegin();
    for (int dimension = 0; dimension < 3; dimension++) {
        const plVec3 u = randomDirection(&rng), v = randomDirection(&rng);
        for (int i = 0; i < 20; i++) {
            points[i] = plVec(1, 2, 3);
            if (dimension > 0) points[i] = plAddScaled(points[i], plRng_Normal(&rng), u);
            if (dimension > 1) points[i] = plAddScaled(points[i], plRng_Normal(&rng), v);
        }
        static const char* const words[3] = {"at one place", "on a line", "in a plane"};
        assert_int_equal(refusal(&def, &error), pl_statusBadArgument);
        assert_non_null(strstr(error.message, words[dimension]));
    }
}

static void tooManyVerticesAreRefused(void** state)
{
    (void)state;
    static plVec3 points[3000];
    plRng rng = plRng_Seed(5);
    plShapeError error;
    plShapeDef def = plDefaultShapeDef(pl_shapeHull);
    for (int i = 0; i < 3000; i++) points[i] = randomDirection(&rng);
    def.points = points;
    shapesBegin();
    def.pointCount = 3000;
    assert_int_equal(refusal(&def, &error), pl_statusCapacity);
    def.pointCount = 1000;
    const plShape* s = makeShape(&def);
    assert_int_equal(s->polytope->vertexCount, 1000);
}

static void climbingEqualsScanning(void** state)
{
    (void)state;
    static plVec3 points[300];
    plRng rng = plRng_Seed(6);
    for (int i = 0; i < sized(60, 2000); i++) {
        shapesBegin();
        plShapeDef def = plDefaultShapeDef(pl_shapeHull);
        const plVec3 sides = {plRng_Uniform(&rng, 1e-6, 1), plRng_Uniform(&rng, 1e-3, 1), 1};
        def.points = points;
        def.pointCount = 60 + randomPoints(&rng, sides, 200, false, points);
        for (int k = def.pointCount - 60; k < def.pointCount; k++) {
            const plVec3 d = randomDirection(&rng);
            points[k] = plVec(d.x * sides.x, d.y * sides.y, d.z * sides.z);
        }
        const plPolytope* t = makeShape(&def)->polytope;
        int at = 0;
        for (int k = 0; k < 200; k++) {
            const plVec3 d = randomDirection(&rng);
            double most = -INFINITY;
            for (int v = 0; v < t->vertexCount; v++) most = fmax(most, plDot(d, t->vertices[v]));
            at = plPolytope_Support(t, d, at);
            // Ends at a top of the same height, to the tolerance of the hull.
            checkNear("height", plDot(d, t->vertices[at]), most, 1e-13);
        }
    }
}

// --- definitions that are refused

static void badDefinitionsAreRefused(void** state)
{
    (void)state;
    const plVec3 star[5] = {
        {1, 0, 0}, {-0.8, 0.6, 0}, {0.3, -0.95, 0}, {0.3, 0.95, 0}, {-0.8, -0.6, 0}};
    const plVec3 dent[4] = {{0, 0, 0}, {1, 0, 0}, {0.1, 0.1, 0}, {0, 1, 0}};
    const int triangles[3] = {0, 1, 4}, line[3] = {0, 1, 1};
    const plShapeDef plane = plDefaultShapeDef(pl_shapePlane);
    plShapeError error;
    shapesBegin();
    plShapeDef bad[14];
    for (int i = 0; i < 14; i++) bad[i] = plDefaultShapeDef(pl_shapeSphere);
    bad[0].radius = 0;
    bad[1].radius = NAN;
    bad[2].frame.p.x = INFINITY;
    bad[3].frame.q = (plQuat){0, 0, 0, 0};
    bad[4].kind = pl_shapeCapsule, bad[4].length = -1;
    bad[5].kind = pl_shapeBox, bad[5].half.y = 0;
    bad[6].kind = pl_shapePlane, bad[6].normal = plVec(0, 0, 0);
    bad[7].kind = pl_shapePolygon, bad[7].points = star, bad[7].pointCount = 5;
    bad[8].kind = pl_shapePolygon, bad[8].points = dent, bad[8].pointCount = 4;
    bad[9].kind = pl_shapeHull, bad[9].points = dent, bad[9].pointCount = 3;
    bad[10].kind = pl_shapeCompound, bad[10].pieces = &plane, bad[10].pieceCount = 1;
    bad[11].kind = pl_shapeMesh, bad[11].points = dent, bad[11].pointCount = 4;
    bad[11].triangles = triangles, bad[11].triangleCount = 1;
    bad[12] = bad[11], bad[12].triangles = line;
    bad[13].kind = (plShapeKind)99;
    for (int i = 0; i < 14; i++) assert_int_equal(refusal(&bad[i], &error), pl_statusBadArgument);

    plArena small;
    const plAllocator allocator = plDefaultAllocator();
    const plShapeDef box = plDefaultShapeDef(pl_shapeBox);
    const plShape* shape;
    assert_int_equal(plArena_Create(&small, 512, &allocator), pl_statusOk);
    assert_int_equal(plShape_Create(&box, &small, &allocator, &shape, &error), pl_statusCapacity);
    plArena_Destroy(&small, &allocator);
}

// --- nearest points, rays, bounds

static const plShape* anyShape(plRng* rng, int i)
{
    static plVec3 points[64];
    const plShapeKind kinds[] = {pl_shapeSphere, pl_shapeCapsule, pl_shapeBox, pl_shapePolygon,
                                 pl_shapeHull};
    const plShape* s = NULL;
    while (!s) s = randomConvex(rng, kinds[i % 5], 1, points, 40);
    return s;
}

static void boundsAndSupportAgree(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(8);
    for (int i = 0; i < sized(500, 20000); i++) {
        shapesBegin();
        const plShape* s = anyShape(&rng, i);
        const plFrame f = {randomVector(&rng), randomRotation(&rng)};
        const plBounds b = plShape_Bounds(s, &f);
        const double bound[6] = {b.lo.x, b.hi.x, b.lo.y, b.hi.y, b.lo.z, b.hi.z};
        for (int k = 0; k < 6; k++) {
            const double sign = k % 2 ? 1 : -1;
            const plVec3 d = plVec(k < 2 ? sign : 0, k / 2 == 1 ? sign : 0, k > 3 ? sign : 0);
            int index = 0;
            const plVec3 p = plOut(&f, plShape_Support(s, plMulT(&f.R, d), &index));
            checkNear("bound", sign * bound[k], plDot(d, p), 1e-13);
        }
        checkAtMost("size", plNorm(plSub(b.hi, b.lo)), sqrt(3) * s->size * (1 + 1e-12));
    }
}

// The distance of the nearest point is right (the point is at that distance, on the surface), and
// no support plane is nearer outside or farther inside.
static void nearestPointsAreNearest(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(9);
    for (int i = 0; i < sized(2000, 100000); i++) {
        if (i % 20 == 0) shapesBegin();
        const plShape* s = anyShape(&rng, i);
        const plVec3 p = plScale(plRng_Uniform(&rng, 0, 2), randomDirection(&rng));
        const plNearest q = plShape_Nearest(s, p);
        const plVec3 off = plSub(plAddScaled(q.point, q.distance, q.normal), p);
        checkAtMost("p - q - d n", plNorm(off), 1e-12);
        // The plane through the point is a support plane: nothing lies above it. Merged faces are
        // flat to plFlat of the size.
        const double above = plDot(q.normal, plSub(plShape_Support(s, q.normal, NULL), q.point));
        if (q.distance > 0) checkAtMost("above the nearest point", above, 4e-7);
        for (int k = 0; k < 10; k++) {
            const plVec3 d = randomDirection(&rng);
            const double plane = plDot(d, plSub(p, plShape_Support(s, d, NULL)));
            if (q.distance < 0)
                checkAtMost("a plane nearer than the surface", plane, q.distance + 4e-7);
            if (q.distance > 0)
                checkAtMost("a plane farther than the surface", plane, q.distance + 4e-7);
        }
    }
}

static void raysHitWhereDistanceVanishes(void** state)
{
    (void)state;
    plRng rng = plRng_Seed(10);
    int hits = 0;
    for (int i = 0; i < sized(2000, 100000); i++) {
        if (i % 20 == 0) shapesBegin();
        const plShape* s = anyShape(&rng, i);
        const plVec3 p = plScale(3, randomDirection(&rng));
        const plVec3 aim = plScale(plRng_Uniform(&rng, 0, 1), randomDirection(&rng));
        const plVec3 d = plSub(aim, p);
        const plRayHit h = plShape_Ray(s, p, d, 2);
        double least = INFINITY;
        for (int k = 0; k <= 50; k++) {
            least = fmin(least, plShape_Nearest(s, plAddScaled(p, 0.04 * k, d)).distance);
        }
        if (!h.hit) {
            // Samples 0.16 apart may miss a thin shape, but none may lie inside.
            checkAtMost("a miss that enters by", -least, 4e-7);
            continue;
        }
        hits++;
        const plVec3 q = plAddScaled(p, h.t, d);
        checkAtMost("distance at the hit", fabs(plShape_Nearest(s, q).distance), 4e-7);
        checkAtMost("normal along the ray", plDot(h.normal, d), 0);
        assert_false(plShape_Ray(s, p, d, 0.99 * h.t).hit);
    }
    assert_true(hits > 100);
    shapesBegin();
    const plVec3 inside = {0, 0, 0}, way = {1, 0, 0};
    assert_false(plShape_Ray(makeBox(1, 1, 1), inside, way, 10).hit);
}

// --- meshes

static void meshAnswersEqualBruteForce(void** state)
{
    (void)state;
    static plVec3 points[ringPoints * ringCount];
    static int triangles[6 * ringPoints * ringCount];
    plRng rng = plRng_Seed(11);
    const plShapeDef def = torus(points, triangles);
    shapesBegin();
    const plShape* s = makeShape(&def);
    assert_true(s->mesh->closed);
    for (int i = 0; i < sized(500, 20000); i++) {
        const plVec3 p = plScale(plRng_Uniform(&rng, 0, 2), randomDirection(&rng));
        const plVec3 d = randomDirection(&rng);
        double least = INFINITY, first = INFINITY;
        for (int t = 0; t < def.triangleCount; t++) {
            const plVec3 a = points[triangles[3 * t]], b = points[triangles[3 * t + 1]];
            const plVec3 c = points[triangles[3 * t + 2]];
            double w[3];
            least = fmin(least, plNorm(plSub(p, plNearestOnTriangle(p, a, b, c, w))));
            // Moeller and Trumbore.
            const plVec3 e = plSub(b, a), f = plSub(c, a), h = plCross(d, f);
            const double det = plDot(e, h);
            if (det <= 0) continue; // from behind
            const plVec3 r = plSub(p, a), q = plCross(r, e);
            const double u = plDot(r, h) / det, v = plDot(d, q) / det;
            if (u >= 0 && v >= 0 && u + v <= 1 && plDot(f, q) / det >= 0) {
                first = fmin(first, plDot(f, q) / det);
            }
        }
        const plNearest near = plShape_Nearest(s, p);
        checkNear("distance", fabs(near.distance), least, 1e-14);
        // The mesh deviates from the smooth torus by less than 0.012, so far from it the sign is
        // known.
        const double ring = hypot(p.x, p.y) - 1, tube = hypot(ring, p.z);
        if (tube > 0.32) assert_true(near.distance >= 0);
        if (tube < 0.28) assert_true(near.distance < 0);
        const plRayHit hit = plShape_Ray(s, p, d, 10);
        if (isfinite(first) != hit.hit && first < 10) fail();
        if (hit.hit) checkNear("ray", hit.t, first, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hullsHoldAllTheirPointsAndClose),
        cmocka_unit_test(gridCubeHasSixFaces),
        cmocka_unit_test(flatPointsAreRefused),
        cmocka_unit_test(tooManyVerticesAreRefused),
        cmocka_unit_test(climbingEqualsScanning),
        cmocka_unit_test(badDefinitionsAreRefused),
        cmocka_unit_test(boundsAndSupportAgree),
        cmocka_unit_test(nearestPointsAreNearest),
        cmocka_unit_test(raysHitWhereDistanceVanishes),
        cmocka_unit_test(meshAnswersEqualBruteForce),
    };
    return cmocka_run_group_tests(tests, NULL, shapesEnd);
}
