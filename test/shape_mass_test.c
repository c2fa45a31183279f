// Mass properties against closed forms.
#include "collide_shapes.h"

static void checkMass(const plShapeDef* def, double mass, plVec3 center, plMat3 inertia,
                      double tolerance)
{
    plMass m;
    plShapeError error;
    assert_int_equal(plShapeDef_Mass(def, 1000, &m, &error), pl_statusOk);
    const plVec3 rows[2][3] = {{m.inertia.x, m.inertia.y, m.inertia.z},
                               {inertia.x, inertia.y, inertia.z}};
    checkNear("mass", m.mass, mass, tolerance * mass);
    checkAtMost("centre", plNorm(plSub(m.center, center)), tolerance);
    for (int i = 0; i < 3; i++) {
        checkAtMost("inertia", plNorm(plSub(rows[0][i], rows[1][i])),
                    tolerance * plNorm(inertia.z));
    }
}

static void massesEqualClosedForms(void** state)
{
    (void)state;
    plShapeDef def = plDefaultShapeDef(pl_shapeSphere);
    const double r = 0.2, l = 0.5, ball = 4000 * PL_PI / 3 * r * r * r;
    def.radius = r;
    checkMass(&def, ball, plVec(0, 0, 0),
              plDiagonal3(0.4 * ball * r * r, 0.4 * ball * r * r, 0.4 * ball * r * r), 1e-14);
    def = plDefaultShapeDef(pl_shapeCapsule);
    def.radius = r;
    def.length = l;
    // By Simpson's rule over slices along x, exact for the polynomials that these are.
    double m = 0, axial = 0, across = 0;
    const double cuts[4] = {-l / 2 - r, -l / 2, l / 2, l / 2 + r};
    for (int part = 0; part < 3; part++) {
        const int n = 2000;
        const double h = (cuts[part + 1] - cuts[part]) / n;
        for (int i = 0; i <= n; i++) {
            const double x = cuts[part] + i * h, out = fmax(0, fabs(x) - l / 2);
            const double R2 = fmax(0, r * r - out * out), dm = 1000 * PL_PI * R2;
            const double w = h / 3 * (i == 0 || i == n ? 1 : i % 2 ? 4 : 2);
            m += w * dm;
            axial += w * dm * R2 / 2;
            across += w * dm * (R2 / 4 + x * x);
        }
    }
    checkMass(&def, m, plVec(0, 0, 0), plDiagonal3(axial, across, across), 1e-12);

    def = plDefaultShapeDef(pl_shapeBox);
    def.half = plVec(0.1, 0.2, 0.3);
    const double box = 1000 * 8 * 0.006;
    const plMat3 J = plDiagonal3(box * 0.13 / 3, box * 0.10 / 3, box * 0.05 / 3);
    checkMass(&def, box, plVec(0, 0, 0), J, 1e-14);
    // A hull, a prism and a compound of two halves of the same box, turned and moved.
    const plMat3 R = plRotation(plRotor(plVec(0, 0, 1), 0.5));
    const plMat3 RJ = plMatMul(&R, &J), turnedJ = plMatMulT(&RJ, &R);
    const plPose frame = {{1, 2, 3}, plRotor(plVec(0, 0, 1), 0.5)};
    plVec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = plVec(i & 1 ? 0.1 : -0.1, i & 2 ? 0.2 : -0.2, i & 4 ? 0.3 : -0.3);
    }
    def.frame = frame;
    checkMass(&def, box, frame.p, turnedJ, 1e-13);
    def.kind = pl_shapeHull;
    def.points = corners;
    def.pointCount = 8;
    checkMass(&def, box, frame.p, turnedJ, 1e-13);
    const plVec3 outline[4] = {corners[0], corners[2], corners[3], corners[1]}; // clockwise
    def.kind = pl_shapePolygon;
    def.points = outline;
    def.pointCount = 4;
    def.thickness = 0.6;
    checkMass(&def, box, frame.p, turnedJ, 1e-13);
    plShapeDef halves[2] = {plDefaultShapeDef(pl_shapeBox), plDefaultShapeDef(pl_shapeBox)};
    halves[0].half = halves[1].half = plVec(0.05, 0.2, 0.3);
    halves[0].frame.p.x = 0.05, halves[1].frame.p.x = -0.05;
    def.kind = pl_shapeCompound;
    def.pieces = halves;
    def.pieceCount = 2;
    checkMass(&def, box, frame.p, turnedJ, 1e-13);
}

static void meshMassConvergesToTheTorus(void** state)
{
    (void)state;
    static plVec3 points[ringPoints * ringCount];
    static int triangles[6 * ringPoints * ringCount];
    plShapeDef def = torus(points, triangles);
    plShapeError error;
    plMass m;
    assert_int_equal(plShapeDef_Mass(&def, 1, &m, &error), pl_statusOk);
    // Of the inscribed mesh: below the smooth one, by about (1 - sin(x)/x) of both polygons.
    const double smooth = 2 * PL_PI * PL_PI * 0.09;
    checkAtMost("mass", m.mass, smooth);
    checkAtMost("mass missing", smooth - m.mass, 0.06 * smooth);
    checkAtMost("centre", plNorm(m.center), 1e-14);

    plRng rng = plRng_Seed(13);
    const int kept = def.triangleCount;
    def.triangleCount = kept - 1;
    assert_int_equal(plShapeDef_Mass(&def, 1, &m, &error), pl_statusBadArgument); // a hole
    def.triangleCount = kept;
    const int one = 3 * (int)plRng_Uniform(&rng, 0, kept);
    int swap = triangles[one];
    triangles[one] = triangles[one + 1], triangles[one + 1] = swap;
    assert_int_equal(plShapeDef_Mass(&def, 1, &m, &error), pl_statusBadArgument); // one turned
    for (int i = 0; i < 3 * kept; i += 3) {
        if (i == one) continue;
        swap = triangles[i];
        triangles[i] = triangles[i + 1], triangles[i + 1] = swap;
    }
    assert_int_equal(plShapeDef_Mass(&def, 1, &m, &error), pl_statusBadArgument); // all turned
    assert_non_null(strstr(error.message, "inside out"));
    const plShapeDef plane = plDefaultShapeDef(pl_shapePlane);
    assert_int_equal(plShapeDef_Mass(&plane, 1, &m, &error), pl_statusBadArgument);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(massesEqualClosedForms),
        cmocka_unit_test(meshMassConvergesToTheTorus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
