// From patches to Bezier pieces.
#include "shape/nurbs_inside.h"

// --- checks

// Narrower spans than this of the range are round-off of equal knots, and their derivatives would be
// too.
#define NARROWEST 1e-9

static bool isCount(int degree, int count)
{
    return degree >= 1 && degree <= plPatchDegree && count > degree;
}

static const char* checkKnots(const double* t, int degree, int count)
{
    const int last = count + degree;
    for (int i = 0; i <= last; i++) {
        if (!(fabs(t[i]) <= 1e9)) return "a knot is not finite or too large";
        if (i > 0 && t[i] < t[i - 1]) return "the knots decrease";
    }
    const double lo = t[degree], hi = t[count], width = hi - lo;
    if (!(width > 0)) return "the knots leave no room for the parameter";
    if (!(width >= 1e-6 * fmax(fabs(lo), fabs(hi)))) return "the knots hardly differ";
    for (int i = degree; i < count; i++) {
        const double span = t[i + 1] - t[i];
        if (span > 0 && span < NARROWEST * width) return "two knots nearly coincide";
        if (t[i] > lo && t[i] == t[i + degree] && t[i] < hi) {
            return "a knot inside is repeated more often than the degree";
        }
    }
    return NULL;
}

static const char* checkPoints(const plPatchDef* d)
{
    const int count = d->countU * d->countV;
    for (int i = 0; i < count; i++) {
        const plVec3 p = d->points[i];
        if (!(fabs(p.x) <= 1e6 && fabs(p.y) <= 1e6 && fabs(p.z) <= 1e6)) {
            return "a point is not finite or too far out";
        }
        if (d->weights && !(d->weights[i] > 0)) return "a weight is not positive";
        if (d->weights && !(d->weights[i] >= 1e-6 && d->weights[i] <= 1e6)) {
            return "a weight is out of range";
        }
    }
    return NULL;
}

const char* plNurbs_CheckPatch(const plPatchDef* d)
{
    if (d->degreeU < 1 || d->degreeV < 1) return "a degree is below 1";
    if (d->countU <= d->degreeU || d->countV <= d->degreeV) {
        return "a degree needs more control points";
    }
    if (!d->knotsU || !d->knotsV || !d->points) return "knots or points are missing";
    const char* why = checkKnots(d->knotsU, d->degreeU, d->countU);
    if (!why) why = checkKnots(d->knotsV, d->degreeV, d->countV);
    return why ? why : checkPoints(d);
}

plStatus plNurbs_Check(const plShapeDef* def, plShapeError* error)
{
    int64_t pieces = 0;
    if (def->patchCount < 1 || !def->patches) {
        return plShapeError_Set(error, pl_statusBadArgument, "nurbs: a patch is needed");
    }
    if (def->patchCount > plShapePatches) {
        return plShapeError_Set(error, pl_statusCapacity, "a surface has at most %d patches",
                                plShapePatches);
    }
    for (int i = 0; i < def->patchCount; i++) {
        const plPatchDef* d = &def->patches[i];
        if (d->degreeU > plPatchDegree || d->degreeV > plPatchDegree) {
            return plShapeError_Set(error, pl_statusCapacity,
                                    "patch %d of the surface has a degree above %d", i,
                                    plPatchDegree);
        }
        if (d->countU > 0 && d->countV > plPatchPoints / d->countU) {
            return plShapeError_Set(error, pl_statusCapacity,
                                    "patch %d of the surface has more than %d points", i,
                                    plPatchPoints);
        }
        const char* why = plNurbs_CheckPatch(d);
        if (why) {
            return plShapeError_Set(error, pl_statusBadArgument, "patch %d of the surface: %s", i,
                                    why);
        }
        pieces += (int64_t)(d->countU - d->degreeU) * (d->countV - d->degreeV);
    }
    if (pieces <= plNurbsPieces) return plNurbs_CheckLoops(def, error);
    return plShapeError_Set(error, pl_statusCapacity, "a surface has at most %d pieces",
                            plNurbsPieces);
}

// --- memory

static size_t piece(size_t count, size_t size) { return count * size + 64; }

// Definitions are measured before they are checked. Each span between two knots may be a piece.
size_t plNurbs_Memory(const plShapeDef* def)
{
    size_t pieces = 0, numbers = 0, count = 0;
    for (int i = 0; def->patches && i < def->patchCount && i < plShapePatches; i++) {
        const plPatchDef* d = &def->patches[i];
        count++;
        if (!isCount(d->degreeU, d->countU) || !isCount(d->degreeV, d->countV)) continue;
        if (d->countV > plPatchPoints / d->countU) continue;
        const size_t spansU = (size_t)(d->countU - d->degreeU);
        const size_t spansV = (size_t)(d->countV - d->degreeV);
        const size_t points = (size_t)(d->degreeU + 1) * (size_t)(d->degreeV + 1);
        pieces += spansU * spansV;
        numbers += 4 * points * spansU * spansV + spansU + spansV + 2;
    }
    return plNurbs_TrimMemory(def) + piece(1, sizeof(plNurbs)) + piece(count, sizeof(plPatch)) +
           3 * count * 64 + numbers * sizeof(double) + 2 * piece(pieces, sizeof(int)) +
           piece(pieces, sizeof(plBounds)) + piece(2 * pieces, sizeof(plTreeNode));
}

// --- pieces

// The control point c of the polynomial over [a, b] is its polar form at (a .. a, b .. b), c times b.
// De Boor's scheme finds it when each of its rounds takes an argument of its own. All its weights
// lie in [0, 1], since no knot lies inside (a, b).
void plExtract(const double* k, int p, double a, double b, double C[plOrder][plOrder])
{
    for (int c = 0; c <= p; c++) {
        double d[plOrder][plOrder]; // each a sum of the spline's control points
        for (int i = 0; i <= p; i++) {
            for (int j = 0; j <= p; j++) d[i][j] = i == j;
        }
        for (int r = 1; r <= p; r++) {
            const double x = r <= p - c ? a : b;
            for (int j = p; j >= r; j--) {
                const double lo = k[j - 1], share = (x - lo) / (k[j - r + p] - lo);
                for (int i = 0; i <= p; i++) {
                    d[j][i] = (1 - share) * d[j - 1][i] + share * d[j][i];
                }
            }
        }
        for (int i = 0; i <= p; i++) C[c][i] = d[p][i];
    }
}

void plTransform(const double* P, int stride, int p, int q, double Cu[plOrder][plOrder],
                 double Cv[plOrder][plOrder], double* H)
{
    double half[plOrder][plOrder][4]; // P Cv^T
    for (int i = 0; i <= p; i++) {
        for (int j = 0; j <= q; j++) {
            for (int k = 0; k < 4; k++) half[i][j][k] = 0;
            for (int l = 0; l <= q; l++) {
                const double* from = P + 4 * (i * stride + l);
                for (int k = 0; k < 4; k++) half[i][j][k] += Cv[j][l] * from[k];
            }
        }
    }
    for (int i = 0; i <= p; i++) {
        for (int j = 0; j <= q; j++, H += 4) {
            for (int k = 0; k < 4; k++) H[k] = 0;
            for (int l = 0; l <= p; l++) {
                for (int k = 0; k < 4; k++) H[k] += Cu[i][l] * half[l][j][k];
            }
        }
    }
}

plBounds plPointBounds(const double* H, int count)
{
    plBounds b = plBounds_None();
    for (int i = 0; i < count; i++) {
        b = plBounds_Add(&b, plScale(1 / H[4 * i + 3], plGet3(H + 4 * i)));
    }
    return b;
}

static int spanCount(const double* t, int degree, int count)
{
    int spans = 0;
    for (int i = degree; i < count; i++) spans += t[i + 1] > t[i];
    return spans;
}

static const double* makeBreaks(const double* t, int degree, int count, double* breaks)
{
    int spans = 0;
    breaks[0] = t[degree];
    for (int i = degree; i < count; i++) {
        if (t[i + 1] > t[i]) breaks[++spans] = t[i + 1];
    }
    return breaks;
}

/// The (p + 1) x (q + 1) points that knot spans i and j see, with their weights multiplied in.
static void gather(const plPatchDef* d, int i, int j, double* P)
{
    for (int k = i - d->degreeU; k <= i; k++) {
        for (int l = j - d->degreeV; l <= j; l++, P += 4) {
            const int at = k * d->countV + l;
            const double w = d->weights ? d->weights[at] : 1;
            plPut3(plScale(w, d->points[at]), P);
            P[3] = w;
        }
    }
}

static void makePieces(const plPatchDef* d, double* H)
{
    const int p = d->degreeU, q = d->degreeV;
    const double *U = d->knotsU, *V = d->knotsV;
    double Cu[plOrder][plOrder], Cv[plOrder][plOrder], P[4 * plPiecePoints];
    for (int i = p; i < d->countU; i++) {
        if (!(U[i + 1] > U[i])) continue;
        plExtract(&U[i - p + 1], p, U[i], U[i + 1], Cu);
        for (int j = q; j < d->countV; j++) {
            if (!(V[j + 1] > V[j])) continue;
            plExtract(&V[j - q + 1], q, V[j], V[j + 1], Cv);
            gather(d, i, j, P);
            plTransform(P, q + 1, p, q, Cu, Cv, H);
            H += 4 * (p + 1) * (q + 1);
        }
    }
}

static bool makePatch(const plPatchDef* d, plArena* arena, plPatch* a)
{
    a->degreeU = d->degreeU, a->degreeV = d->degreeV;
    a->spansU = spanCount(d->knotsU, d->degreeU, d->countU);
    a->spansV = spanCount(d->knotsV, d->degreeV, d->countV);
    const size_t points = (size_t)(d->degreeU + 1) * (size_t)(d->degreeV + 1);
    const size_t pieces = (size_t)a->spansU * (size_t)a->spansV;
    double* u = plArena_Alloc(arena, (size_t)a->spansU + 1, sizeof *u);
    double* v = plArena_Alloc(arena, (size_t)a->spansV + 1, sizeof *v);
    double* H = plArena_Alloc(arena, 4 * points * pieces, sizeof *H);
    if (!u || !v || !H) return false;
    a->breaksU = makeBreaks(d->knotsU, d->degreeU, d->countU, u);
    a->breaksV = makeBreaks(d->knotsV, d->degreeV, d->countV, v);
    a->paceU = a->spansU / (u[a->spansU] - u[0]);
    a->paceV = a->spansV / (v[a->spansV] - v[0]);
    makePieces(d, H);
    a->points = H;
    return true;
}

static bool makePatches(const plShapeDef* def, plArena* arena, plNurbs* n, plPatch* patches)
{
    for (int i = 0; i < def->patchCount; i++) {
        patches[i].firstPiece = n->pieceCount;
        if (!makePatch(&def->patches[i], arena, &patches[i])) return false;
        n->pieceCount += patches[i].spansU * patches[i].spansV;
    }
    n->patches = patches;
    n->patchCount = def->patchCount;
    return true;
}

/// Bounds of the pieces, and the tree over them.
static bool makeTree(plArena* arena, plNurbs* n, plPatch* patches)
{
    const size_t count = (size_t)n->pieceCount;
    int* pieces = plArena_Alloc(arena, count, sizeof *pieces);
    int* order = plArena_Alloc(arena, count, sizeof *order);
    plBounds* bounds = plArena_Alloc(arena, count, sizeof *bounds);
    plTreeNode* nodes = plArena_Alloc(arena, 2 * count, sizeof *nodes);
    if (!pieces || !order || !bounds || !nodes) return false;
    n->pieces = pieces;
    for (int i = 0; i < n->patchCount; i++) {
        plPatch* a = &patches[i];
        const int points = (a->degreeU + 1) * (a->degreeV + 1);
        plBounds all = plBounds_None();
        for (int k = a->firstPiece; k < a->firstPiece + a->spansU * a->spansV; k++) {
            pieces[k] = i;
            bounds[k] = plPointBounds(plNurbs_PiecePoints(n, k), points);
            all = plBounds_Join(&all, &bounds[k]);
        }
        const plVec3 side = plSub(all.hi, all.lo);
        a->area = plDot(side, side) / (a->breaksU[a->spansU] - a->breaksU[0]) /
                  (a->breaksV[a->spansV] - a->breaksV[0]);
    }
    n->nodeCount = plTree_Build(bounds, n->pieceCount, nodes, order);
    n->bounds = bounds;
    n->nodes = nodes;
    n->order = order;
    n->size = plNorm(plSub(nodes[0].bounds.hi, nodes[0].bounds.lo));
    n->middle = plScale(0.5, plAdd(nodes[0].bounds.lo, nodes[0].bounds.hi));
    return true;
}

plStatus plNurbs_Build(const plShapeDef* def, plArena* arena, const plAllocator* scratch,
                       const plNurbs** nurbs, plShapeError* error)
{
    plNurbs* n = plArena_Alloc(arena, 1, sizeof *n);
    plPatch* patches = plArena_Alloc(arena, (size_t)def->patchCount, sizeof *patches);
    if (!n || !patches || !makePatches(def, arena, n, patches) || !makeTree(arena, n, patches) ||
        !plNurbs_MakeTrims(def, arena, n, patches)) {
        return pl_statusOk; // the arena's flag is read by the caller
    }
    if (!(n->size >= 1e-9)) {
        return plShapeError_Set(error, pl_statusBadArgument, "nurbs: the surface is a point");
    }
    n->inward = def->inward;
    *nurbs = n;
    const plStatus status = plNurbs_Join(n, patches, scratch, error);
    if (def->loopCount > 0) n->closed = false; // by what was cut away
    return status;
}
