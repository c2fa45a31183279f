// Which side of the surface a point is on: told by the normal of the nearest place, and at creases,
// corners and tips by the sum of all normals there, corners weighted by their angles (Baerentzen,
// Aanaes 2005).
#include "shape/nurbs_inside.h"

// Spots as near to an edge as this share of the domain lie on it; normals next to a knot are taken
// that far from it.
#define NEXT 1e-7

/// The sum of the normals on all sides of a spot, inside its patch: a knot may be a crease.
static plVec3 normalsAt(const plNurbs* n, plUv at)
{
    double u[2], v[2];
    plVec3 sum = {0, 0, 0};
    plNurbs_Domain(n, at.patch, u, v);
    for (int k = 0; k < 4; k++) {
        const double du = (k & 1 ? NEXT : -NEXT) * (u[1] - u[0]);
        const double dv = (k & 2 ? NEXT : -NEXT) * (v[1] - v[0]);
        const plUv next = plNurbs_Clamp(n, plUvAt(at.patch, at.u + du, at.v + dv));
        sum = plAdd(sum, plNurbs_Normal(n, next));
    }
    return sum;
}

/// Edges of the patch that the spot lies on; how many.
static int edgesAt(const plNurbs* n, plUv at, int edges[2])
{
    double u[2], v[2];
    int count = 0;
    plNurbs_Domain(n, at.patch, u, v);
    const double nearU = NEXT * (u[1] - u[0]), nearV = NEXT * (v[1] - v[0]);
    if (at.u - u[0] <= nearU) {
        edges[count++] = plEdgeU0;
    } else if (u[1] - at.u <= nearU) {
        edges[count++] = plEdgeU1;
    }
    if (at.v - v[0] <= nearV) {
        edges[count++] = plEdgeV0;
    } else if (v[1] - at.v <= nearV) {
        edges[count++] = plEdgeV1;
    }
    return count;
}

/// Angle of the patch at its corner.
static double cornerAngle(const plNurbs* n, plUv at, const int edges[2])
{
    plSurfel f;
    plNurbs_At(n, at, &f);
    const plVec3 a = plScale(edges[0] == plEdgeU0 ? 1 : -1, f.u);
    const plVec3 b = plScale(edges[1] == plEdgeV0 ? 1 : -1, f.v);
    return atan2(plNorm(plCross(a, b)), plDot(a, b));
}

/// Round the corner over one edge after the other.
static plVec3 cornerNormals(const plNurbs* n, plUv at, const int edges[2])
{
    enum { most = 32 };
    plVec3 sum = plScale(cornerAngle(n, at, edges), plNurbs_Normal(n, at));
    for (int way = 0; way < 2; way++) { // the other way when one ends at an open edge
        plUv spot = at;
        int edge = edges[way], here[2];
        for (int i = 0; i < most; i++) {
            const plPatchEdge* e = plNurbs_Edge(n, spot.patch, edge);
            if (e->kind != pl_edgeJoined) break;
            spot = plNurbs_OtherSide(n, spot, edge);
            if (edgesAt(n, spot, here) < 2) break;
            // Round: met again from the edge that it did not begin with.
            if (spot.patch == at.patch && e->edge == edges[1 - way]) return sum;
            edge = here[0] == e->edge ? here[1] : here[0];
            const double angle = cornerAngle(n, spot, here);
            sum = plAddScaled(sum, angle, plNurbs_Normal(n, spot));
        }
    }
    return sum;
}

/// Round a pole, over all edges that end there.
static plVec3 poleNormals(const plNurbs* n, plUv at, int edge)
{
    enum { places = 16, most = 64 };
    plVec3 sum = {0, 0, 0};
    int patch = at.patch, k = edge;
    for (int i = 0; i < most; i++) {
        for (int j = 0; j < places; j++) {
            const plUv spot = plNurbs_EdgeUv(n, patch, k, (j + 0.5) / places);
            sum = plAdd(sum, plNurbs_Normal(n, spot));
        }
        const plPatchEdge* next = plNurbs_Edge(n, patch, k);
        patch = next->patch, k = next->edge;
        if (patch == at.patch && k == edge) break;
    }
    return sum;
}

static plVec3 sideNormal(const plNurbs* n, plUv at, bool* open)
{
    int edges[2];
    const int count = edgesAt(n, at, edges);
    *open = false;
    for (int i = 0; i < count; i++) {
        const plEdgeKind kind = plNurbs_Edge(n, at.patch, edges[i])->kind;
        if (kind == pl_edgeCollapsed) return poleNormals(n, at, edges[i]);
        *open |= kind == pl_edgeOpen;
    }
    if (count == 2) return cornerNormals(n, at, edges);
    plVec3 sum = normalsAt(n, at);
    if (count == 1 && !*open) {
        sum = plAdd(sum, normalsAt(n, plNurbs_OtherSide(n, at, edges[0])));
    }
    return sum;
}

// Beyond an open edge there is no side: the distance is not negative there.
plNearest plNurbs_Signed(const plNurbs* n, plVec3 p)
{
    plUv at;
    bool open;
    const double d = plNurbs_Nearest(n, p, &at, NULL);
    const plVec3 S = plNurbs_Place(n, at), r = plSub(p, S);
    const plVec3 N = sideNormal(n, at, &open);
    const double along = plDot(r, N);
    const bool beyond = open && fabs(along) < 0.9 * d * plNorm(N);
    const double sign = along < 0 && !beyond ? -1 : 1;
    // So near, the direction of r is round-off.
    const bool on = d <= 1e-9 * n->size;
    return (plNearest){sign * d, S, on ? plNurbs_Normal(n, at) : plScale(sign / d, r)};
}
