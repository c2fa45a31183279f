// Exact surfaces about z. Quarters of circles are conics with weights 1, cos 45 degrees, 1; the
// middle control point is the corner of the square about them.
//   u runs round z, v along the profile: S_u x S_v points outwards where the profile runs upwards.
#include "shape/nurbs_patches.h"

#include <string.h>

#define HALF_ROOT 0.70710678118654752440

static bool isLength(double x) { return x >= 1e-9 && x <= 1e6; }

static void begin(const plAllocator* allocator, plPatches* out, plShapeError* error)
{
    const plAllocator standard = plDefaultAllocator();
    if (error) *error = (plShapeError){0};
    *out = (plPatches){.allocator = allocator ? *allocator : standard};
}

static plStatus refuse(plPatches* out, plShapeError* error, const char* why)
{
    plPatches_Free(out);
    return plShapeError_Set(error, pl_statusBadArgument, "%s", why);
}

static plStatus finish(plPatches* out, plShapeError* error, bool good)
{
    if (good) return pl_statusOk;
    plPatches_Free(out);
    return plShapeError_Set(error, pl_statusNoMemory, "no memory for the patches");
}

static void setClamped(double* knots, int degree)
{
    for (int i = 0; i <= degree; i++) knots[i] = 0, knots[degree + 1 + i] = 1;
}

/// A curve in the x-z plane.
typedef struct {
    int degree, count;
    const double* knots;
    const plVec3* points;
    const double* weights; // null: all 1
} Profile;

enum { circlePoints = 9, circleKnots = 12 };

static const double circleKnot[circleKnots] = {0, 0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1, 1, 1};

/// Point i of a full circle of radius 1, with its weight as z.
static plVec3 circlePoint(int i)
{
    static const double x[8] = {1, 1, 0, -1, -1, -1, 0, 1};
    return plVec(x[i % 8], x[(i + 6) % 8], i % 2 ? HALF_ROOT : 1);
}

static bool revolve(const Profile* c, plPatches* out)
{
    plPatchRoom room;
    if (!plPatches_Add(out, 2, c->degree, circlePoints, c->count, &room)) return false;
    memcpy(room.knotsU, circleKnot, sizeof circleKnot);
    memcpy(room.knotsV, c->knots, (size_t)(c->count + c->degree + 1) * sizeof *c->knots);
    for (int i = 0; i < circlePoints; i++) {
        const plVec3 round = circlePoint(i);
        for (int j = 0; j < c->count; j++) {
            const plVec3 p = c->points[j];
            room.points[i * c->count + j] = plVec(round.x * p.x, round.y * p.x, p.z);
            room.weights[i * c->count + j] = round.z * (c->weights ? c->weights[j] : 1);
        }
    }
    return true;
}

plStatus plPatches_Revolve(int degree, int count, const double* knots, const plVec3* points,
                           const double* weights, const plAllocator* allocator, plPatches* out,
                           plShapeError* error)
{
    begin(allocator, out, error);
    if (degree < 1 || degree > plPatchDegree || count <= degree || !knots || !points) {
        return refuse(out, error, "the profile needs a degree of 1 to 9 and more points than that");
    }
    if (count > plPatchPoints / circlePoints) {
        return refuse(out, error, "the profile has too many points");
    }
    for (int i = 0; i < count; i++) {
        if (!(points[i].x >= 0) || points[i].y != 0) {
            return refuse(out, error, "the profile leaves the half plane x >= 0, y = 0");
        }
    }
    const bool good = revolve(&(Profile){degree, count, knots, points, weights}, out);
    if (!good) return finish(out, error, good);
    const char* why = plNurbs_CheckPatch(&out->patches[0]);
    return why ? refuse(out, error, why) : pl_statusOk;
}

plStatus plPatches_Sphere(double r, const plAllocator* allocator, plPatches* out,
                          plShapeError* error)
{
    static const double knots[8] = {0, 0, 0, 0.5, 0.5, 1, 1, 1};
    static const double weights[5] = {1, HALF_ROOT, 1, HALF_ROOT, 1};
    const plVec3 points[5] = {{0, 0, -r}, {r, 0, -r}, {r, 0, 0}, {r, 0, r}, {0, 0, r}};
    begin(allocator, out, error);
    if (!isLength(r)) return refuse(out, error, "the radius is out of range");
    return finish(out, error, revolve(&(Profile){2, 5, knots, points, weights}, out));
}

plStatus plPatches_Torus(double R, double tube, const plAllocator* allocator, plPatches* out,
                         plShapeError* error)
{
    plVec3 points[circlePoints];
    double weights[circlePoints];
    begin(allocator, out, error);
    if (!isLength(R) || !isLength(tube)) return refuse(out, error, "a radius is out of range");
    if (!(tube < R)) return refuse(out, error, "the tube is as thick as the torus");
    for (int i = 0; i < circlePoints; i++) {
        const plVec3 c = circlePoint(i);
        points[i] = plVec(R + tube * c.x, 0, tube * c.y);
        weights[i] = c.z;
    }
    const Profile circle = {2, circlePoints, circleKnot, points, weights};
    return finish(out, error, revolve(&circle, out));
}

// --- bodies with flat ends: four quarters of a side, and caps without a pole

/// Control point i of quarter k of a circle, which begins at 45 degrees before axis k.
static plVec3 quarterPoint(int k, int i)
{
    static const double corner[4][2] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    static const double middle[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const double* c = i == 1 ? middle[k] : corner[(k + i / 2) % 4];
    const double s = i == 1 ? 2 * HALF_ROOT : HALF_ROOT;
    return plVec(s * c[0], s * c[1], 0);
}

/// From radius and height below to those above, round a quarter.
static bool addSide(plPatches* out, int k, double below, double z0, double above, double z1)
{
    plPatchRoom room;
    if (!plPatches_Add(out, 2, 1, 3, 2, &room)) return false;
    setClamped(room.knotsU, 2);
    setClamped(room.knotsV, 1);
    for (int i = 0; i < 6; i++) {
        const plVec3 c = quarterPoint(k, i / 2);
        const double r = i % 2 ? above : below;
        room.points[i] = plVec(r * c.x, r * c.y, i % 2 ? z1 : z0);
        room.weights[i] = i / 2 == 1 ? HALF_ROOT : 1;
    }
    return true;
}

/// A disc with the four quarters as edges. S_u and S_v are parallel at its four corners, nowhere
/// else.
static bool addCap(plPatches* out, double r, double z, bool up)
{
    plPatchRoom room;
    if (!plPatches_Add(out, 2, 2, 3, 3, &room)) return false;
    setClamped(room.knotsU, 2);
    setClamped(room.knotsV, 2);
    for (int k = 0; k < 9; k++) {
        const double x = (up ? k / 3 : k % 3) - 1, y = (up ? k % 3 : k / 3) - 1;
        const bool corner = x != 0 && y != 0, center = x == 0 && y == 0;
        const double s = r * (corner ? HALF_ROOT : 2 * HALF_ROOT);
        room.points[k] = plVec(s * x, s * y, z);
        room.weights[k] = corner || center ? 1 : HALF_ROOT;
    }
    return true;
}

static bool addSides(plPatches* out, double below, double z0, double above, double z1)
{
    for (int k = 0; k < 4; k++) {
        if (!addSide(out, k, below, z0, above, z1)) return false;
    }
    return true;
}

plStatus plPatches_Cylinder(double r, double length, const plAllocator* allocator, plPatches* out,
                            plShapeError* error)
{
    const double h = length / 2;
    begin(allocator, out, error);
    if (!isLength(r)) return refuse(out, error, "the radius is out of range");
    if (!isLength(length)) return refuse(out, error, "the length is out of range");
    const bool good = addSides(out, r, -h, r, h) && addCap(out, r, -h, false);
    return finish(out, error, good && addCap(out, r, h, true));
}

plStatus plPatches_Cone(double r, double length, const plAllocator* allocator, plPatches* out,
                        plShapeError* error)
{
    const double h = length / 2;
    begin(allocator, out, error);
    if (!isLength(r)) return refuse(out, error, "the radius is out of range");
    if (!isLength(length)) return refuse(out, error, "the length is out of range");
    return finish(out, error, addSides(out, r, -h, 0, h) && addCap(out, r, -h, false));
}
