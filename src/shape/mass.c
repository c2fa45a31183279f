// Mass properties.
#include "shape/inside.h"
#include "shape/nurbs_inside.h"

/// Volume integrals of a closed surface, fed triangle by triangle (divergence theorem).
typedef struct {
    double volume;
    plVec3 first;  ///< integral of p
    plMat3 second; ///< integral of p p^T
} Moments;

static plMat3 outer(plVec3 a, plVec3 b)
{
    return (plMat3){plScale(a.x, b), plScale(a.y, b), plScale(a.z, b)};
}

// A closed surface is a sum of signed tetrahedra from one point o to its triangles. With a, b, c
// relative to o and V = a.(b x c)/6:
//   integral of p     = V (a + b + c)/4
//   integral of p p^T = V/20 (a a^T + b b^T + c c^T + s s^T),  s = a + b + c
static void addTriangle(Moments* m, plVec3 a, plVec3 b, plVec3 c)
{
    const double V = plDot(a, plCross(b, c)) / 6;
    const plVec3 s = plAdd(a, plAdd(b, c));
    const plMat3 squares[4] = {outer(a, a), outer(b, b), outer(c, c), outer(s, s)};
    m->volume += V;
    m->first = plAddScaled(m->first, V / 4, s);
    for (int i = 0; i < 4; i++) m->second = plMatAdd(&m->second, V / 20, &squares[i]);
}

/// J = tr(C) I - C, of the second moments C.
static plMat3 inertiaOf(const plMat3* C)
{
    const double trace = C->x.x + C->y.y + C->z.z;
    const plMat3 all = plDiagonal3(trace, trace, trace);
    return plMatAdd(&all, -1, C);
}

/// In the shape's frame, for density 1.
static plMass fromMoments(const Moments* m, plVec3 o)
{
    const plVec3 c = plScale(1 / m->volume, m->first);
    const plMat3 shift = outer(c, c);
    const plMat3 central = plMatAdd(&m->second, -m->volume, &shift);
    return (plMass){m->volume, plAdd(o, c), inertiaOf(&central)};
}

// The origin of the tetrahedra lies on the body, not at the frame's origin, which may be far away.
static plMass ofPolytope(const plPolytope* t)
{
    Moments m = {0};
    const plVec3 o = t->vertices[0];
    for (int f = 0; f < t->faceCount; f++) {
        const plHalfEdge* e = &t->edges[t->faces[f].first];
        const plVec3 a = plSub(t->vertices[e[0].origin], o);
        for (int i = 1; i + 1 < t->faces[f].count; i++) {
            addTriangle(&m, a, plSub(t->vertices[e[i].origin], o),
                        plSub(t->vertices[e[i + 1].origin], o));
        }
    }
    return fromMoments(&m, o);
}

static plMass ofMesh(const plMesh* mesh)
{
    Moments m = {0};
    const plVec3 o = mesh->points[mesh->triangles[0]];
    for (int i = 0; i < mesh->triangleCount; i++) {
        const int* v = &mesh->triangles[3 * i];
        addTriangle(&m, plSub(mesh->points[v[0]], o), plSub(mesh->points[v[1]], o),
                    plSub(mesh->points[v[2]], o));
    }
    return fromMoments(&m, o);
}

/// Places and weights of Gauss's rule on [0, 1]: the roots of Legendre's polynomial of that order, by
/// Newton's method.
enum { gaussOrder = 16 };

static void gauss(double x[gaussOrder], double w[gaussOrder])
{
    for (int i = 0; i < gaussOrder; i++) {
        double z = cos(PL_PI * (i + 0.75) / (gaussOrder + 0.5)), slope = 1;
        for (int round = 0; round < 8; round++) {
            double P = 1, before = 0;
            for (int k = 0; k < gaussOrder; k++) {
                const double next = ((2 * k + 1) * z * P - k * before) / (k + 1);
                before = P;
                P = next;
            }
            slope = gaussOrder * (z * P - before) / (z * z - 1);
            z -= P / slope;
        }
        x[i] = 0.5 * (1 - z);
        w[i] = 1 / ((1 - z * z) * slope * slope);
    }
}

// The cone from o over a piece dA of the surface with normal N, r from o, holds r.N dA/3. In it the
// integral of p is r r.N dA/4, and that of p p^T is r r^T r.N dA/5.
static plMass ofNurbs(const plNurbs* n)
{
    double x[gaussOrder], w[gaussOrder];
    Moments m = {0};
    const plVec3 o = n->middle;
    gauss(x, w);
    for (int i = 0; i < n->pieceCount * gaussOrder * gaussOrder; i++) {
        const int piece = i / (gaussOrder * gaussOrder);
        const int j = i / gaussOrder % gaussOrder, k = i % gaussOrder;
        double side[4];
        plSurfel f;
        plNurbs_Piece(n, piece, side);
        plNurbs_At(n, plNurbs_UvOf(n, piece, x[j], x[k]), &f);
        const double dA = w[j] * w[k] * (side[1] - side[0]) * (side[3] - side[2]);
        const plVec3 r = plSub(f.S, o);
        const double flow = (n->inward ? -dA : dA) * plDot(r, plCross(f.u, f.v));
        const plMat3 square = outer(r, r);
        m.volume += flow / 3;
        m.first = plAddScaled(m.first, flow / 4, r);
        m.second = plMatAdd(&m.second, flow / 5, &square);
    }
    return fromMoments(&m, o);
}

static plMass ofSphere(double r)
{
    const double V = 4 * PL_PI / 3 * r * r * r, J = 0.4 * V * r * r;
    return (plMass){V, {0, 0, 0}, plDiagonal3(J, J, J)};
}

// A cylinder of length l and two half balls, whose centres of mass lie 3 r/8 beyond its ends. A
// half ball has 2/5 m r^2 about an axis in its flat face; moved from there to its centre, then out.
static plMass ofCapsule(double r, double l)
{
    const double c = PL_PI * r * r * l, b = 4 * PL_PI / 3 * r * r * r;
    const double axial = c * r * r / 2 + 0.4 * b * r * r;
    const double across =
        c * (l * l / 12 + r * r / 4) + b * (0.4 * r * r + l * l / 4 + 0.375 * l * r);
    return (plMass){c + b, {0, 0, 0}, plDiagonal3(axial, across, across)};
}

static plMass ofBox(plVec3 h)
{
    const double V = 8 * h.x * h.y * h.z, xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    return (plMass){
        V, {0, 0, 0}, plDiagonal3(V / 3 * (yy + zz), V / 3 * (zz + xx), V / 3 * (xx + yy))};
}

/// Parts about their common centre: each inertia gains m (|r|^2 I - r r^T).
static plMass join(plMass a, plMass b)
{
    plMass sum = {.mass = a.mass + b.mass};
    sum.center = plScale(1 / sum.mass, plAdd(plScale(a.mass, a.center), plScale(b.mass, b.center)));
    sum.inertia = plMatAdd(&a.inertia, 1, &b.inertia);
    for (int i = 0; i < 2; i++) {
        const plMass* part = i == 0 ? &a : &b;
        const plVec3 r = plSub(part->center, sum.center);
        const plMat3 square = outer(r, r);
        const plMat3 moved = inertiaOf(&square);
        sum.inertia = plMatAdd(&sum.inertia, part->mass, &moved);
    }
    return sum;
}

static plMass ofVolume(const plShape* s)
{
    switch (s->kind) {
    case pl_shapeSphere:
        return ofSphere(s->radius);
    case pl_shapeCapsule:
        return ofCapsule(s->radius, 2 * s->half.x);
    case pl_shapeBox:
        return ofBox(s->half);
    case pl_shapeMesh:
        return ofMesh(s->mesh);
    case pl_shapeNurbs:
        return ofNurbs(s->nurbs);
    default:
        return ofPolytope(s->polytope);
    }
}

plStatus plShape_Mass(const plShape* s, double density, plMass* mass, plShapeError* error)
{
    *mass = (plMass){0};
    if (!(density > 0 && isfinite(density))) {
        return plShapeError_Set(error, pl_statusBadArgument, "the density must be positive");
    }
    if (s->kind == pl_shapePlane) {
        return plShapeError_Set(error, pl_statusBadArgument, "a plane has no mass");
    }
    if (s->kind == pl_shapeCompound) {
        for (int i = 0; i < s->pieceCount; i++) {
            plMass piece;
            const plStatus status = plShape_Mass(&s->pieces[i], density, &piece, error);
            if (status != pl_statusOk) return status;
            *mass = i == 0 ? piece : join(*mass, piece);
        }
        return pl_statusOk;
    }
    if (s->kind == pl_shapeMesh && !s->mesh->closed) {
        return plShapeError_Set(error, pl_statusBadArgument,
                                "the mesh is not closed, or its triangles do not agree on outside");
    }
    if (s->kind == pl_shapeNurbs && !s->nurbs->closed) {
        return plShapeError_Set(error, pl_statusBadArgument,
                                "the surface is open, or its patches do not agree on outside");
    }
    const plMass one = ofVolume(s);
    if (!(one.mass > 0)) {
        return plShapeError_Set(error, pl_statusBadArgument,
                                "the %s is inside out: its volume is negative",
                                plShapeKind_Name((int)s->kind));
    }
    // Into the carrier's frame: R J R^T.
    const plMat3 turned = plMatMul(&s->frame.R, &one.inertia);
    mass->mass = density * one.mass;
    mass->center = plOut(&s->frame, one.center);
    mass->inertia = plMatMulT(&turned, &s->frame.R);
    mass->inertia = plMatAdd(&(plMat3){0}, density, &mass->inertia);
    return pl_statusOk;
}
