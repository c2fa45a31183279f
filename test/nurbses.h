// Sculpted surfaces for tests: nets of the reference data, made ones and random ones.
#ifndef PALP_TEST_NURBSES_H
#define PALP_TEST_NURBSES_H

#include "collide_shapes.h"
#include "palp/nurbs.h"
#include "reference.h"

#include <jansson.h>

enum { netKnots = 64, netPoints = 1024, teapotPatches = 32, teapotVertices = 306 };

/// A patch that owns what it points to.
typedef struct {
    plPatchDef def;
    double knotsU[netKnots], knotsV[netKnots];
    plVec3 points[netPoints];
    double weights[netPoints];
} Net;

static inline void beginNet(Net* net, int degreeU, int degreeV, int countU, int countV)
{
    assert_true(countU * countV <= netPoints);
    assert_true(countU + degreeU < netKnots && countV + degreeV < netKnots);
    net->def = (plPatchDef){degreeU,     degreeV,     countU,      countV,
                            net->knotsU, net->knotsV, net->points, net->weights};
    for (int i = 0; i < countU * countV; i++) net->weights[i] = 1;
}

/// 0 .. 0, evenly up to 1 .. 1.
static inline void clampKnots(double* knots, int degree, int count)
{
    for (int i = 0; i <= count + degree; i++) {
        knots[i] = i <= degree ? 0 : i >= count ? 1 : (double)(i - degree) / (count - degree);
    }
}

static inline const plNurbs* makeNurbs(const plPatchDef* patches, int count, bool inward)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    def.patches = patches;
    def.patchCount = count;
    def.inward = inward;
    return makeShape(&def)->nurbs;
}

static inline const plNurbs* makeNet(const Net* net) { return makeNurbs(&net->def, 1, false); }

// --- reference

static inline void readNumbers(const json_t* list, double* out)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        out[i] = json_number_value(json_array_get(list, i));
    }
}

static inline int intOf(const json_t* s, const char* key)
{
    return (int)json_integer_value(json_object_get(s, key));
}

/// A surface of surfaces.json.
static inline void loadNet(const char* name, Net* net)
{
    json_t* all = json_load_file(ownFile("nurbs/surfaces.json"), 0, NULL);
    const json_t* s = json_object_get(all, name);
    assert_non_null(s);
    beginNet(net, intOf(s, "pu"), intOf(s, "pv"), intOf(s, "nu"), intOf(s, "nv"));
    readNumbers(json_object_get(s, "U"), net->knotsU);
    readNumbers(json_object_get(s, "V"), net->knotsV);
    readNumbers(json_object_get(s, "w"), net->weights);
    const json_t* P = json_object_get(s, "P");
    for (size_t i = 0; i < json_array_size(P); i++) {
        double x[3];
        readNumbers(json_array_get(P, i), x);
        net->points[i] = plGet3(x);
    }
    json_decref(all);
}

/// The teapot as 32 nets; which vertices they use, if asked. Read here on purpose without the
/// library.
static inline void loadTeapot(Net nets[teapotPatches], bool used[teapotVertices])
{
    int indices[teapotPatches][16], count;
    plVec3 vertices[teapotVertices];
    FILE* file = fopen(ownFile("nurbs/teapot.bpt306"), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &count), 1);
    assert_int_equal(count, teapotPatches);
    for (int i = 0; i < 16 * teapotPatches; i++) {
        assert_int_equal(fscanf(file, i % 16 ? " ,%d" : "%d", &indices[i / 16][i % 16]), 1);
    }
    assert_int_equal(fscanf(file, "%d", &count), 1);
    assert_int_equal(count, teapotVertices);
    for (int i = 0; i < teapotVertices; i++) {
        plVec3* v = &vertices[i];
        assert_int_equal(fscanf(file, "%lf ,%lf ,%lf", &v->x, &v->y, &v->z), 3);
    }
    fclose(file);
    for (int i = 0; i < teapotPatches; i++) {
        beginNet(&nets[i], 3, 3, 4, 4);
        clampKnots(nets[i].knotsU, 3, 4);
        clampKnots(nets[i].knotsV, 3, 4);
        for (int k = 0; k < 16; k++) {
            nets[i].points[k] = vertices[indices[i][k] - 1];
            if (used) used[indices[i][k] - 1] = true;
        }
    }
}

static inline const plNurbs* makeTeapot(void)
{
    static Net nets[teapotPatches];
    plPatchDef patches[teapotPatches];
    loadTeapot(nets, NULL);
    for (int i = 0; i < teapotPatches; i++) patches[i] = nets[i].def;
    return makeNurbs(patches, teapotPatches, true);
}

// --- made

/// The shape of patches, which are freed.
static inline const plShape* makePatched(plStatus status, plPatches* patches)
{
    plShapeDef def = plDefaultShapeDef(pl_shapeNurbs);
    assert_int_equal(status, pl_statusOk);
    def.patches = patches->patches;
    def.patchCount = patches->count;
    def.inward = patches->inward;
    const plShape* shape = makeShape(&def);
    plPatches_Free(patches);
    return shape;
}

static inline const plShape* makeNurbsSphere(double radius)
{
    plPatches p;
    return makePatched(plPatches_Sphere(radius, NULL, &p, NULL), &p);
}

static inline const plShape* makeNurbsTorus(double radius, double tube)
{
    plPatches p;
    return makePatched(plPatches_Torus(radius, tube, NULL, &p, NULL), &p);
}

static inline const plShape* makeNurbsCylinder(double radius, double length)
{
    plPatches p;
    return makePatched(plPatches_Cylinder(radius, length, NULL, &p, NULL), &p);
}

static inline const plShape* makeNurbsCone(double radius, double length)
{
    plPatches p;
    return makePatched(plPatches_Cone(radius, length, NULL, &p, NULL), &p);
}

/// A wavy rational sheet over the unit square, knots evenly spaced.
static inline void randomNet(uint64_t seed, int p, int q, int countU, int countV, Net* net)
{
    plRng rng = plRng_Seed(seed);
    beginNet(net, p, q, countU, countV);
    clampKnots(net->knotsU, p, countU);
    clampKnots(net->knotsV, q, countV);
    for (int i = 0; i < countU * countV; i++) {
        const double x = (double)(i / countV) / (countU - 1),
                     y = (double)(i % countV) / (countV - 1);
        const double z = 0.15 * sin(6 * x) * cos(5 * y) + plRng_Uniform(&rng, -0.02, 0.02);
        net->points[i] = plVec(x, y, z);
        net->weights[i] = plRng_Uniform(&rng, 0.7, 1.3);
    }
}

/// A tube whose knots are not clamped: cubic and periodic round z, quadratic along it.
static inline void periodicNet(Net* net)
{
    enum { around = 8, along = 5 };
    beginNet(net, 3, 2, around + 3, along);
    for (int i = 0; i <= around + 6; i++) net->knotsU[i] = i - 3;
    clampKnots(net->knotsV, 2, along);
    for (int i = 0; i < around + 3; i++) {
        const double a = 2 * PL_PI * (i % around) / around;
        for (int j = 0; j < along; j++) {
            const double r = 1 + 0.2 * cos(2 * a) + 0.1 * j * sin(a);
            net->points[i * along + j] = plVec(r * cos(a), r * sin(a), 0.5 * j);
            net->weights[i * along + j] = 1 + 0.1 * (i % around % 3) + 0.05 * j;
        }
    }
}

static inline plUv randomUv(plRng* rng, const plNurbs* n)
{
    double u[2], v[2];
    const int patch = (int)(plRng_Next(rng) % (uint64_t)plNurbs_Patches(n));
    plNurbs_Domain(n, patch, u, v);
    const double x = plRng_Uniform(rng, u[0], u[1]);
    return plUvAt(patch, x, plRng_Uniform(rng, v[0], v[1]));
}

/// Of a group of tests.
static inline int nurbsesBegin(void** state)
{
    (void)state;
    shapesBegin();
    return 0;
}

#endif
