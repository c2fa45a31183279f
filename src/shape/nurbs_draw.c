// Triangles for drawing: every piece a grid of squares, cut along one diagonal. All pieces between
// the same two breaks have as many, so that a patch has no cracks. Of a trimmed patch those triangles
// are left out whose middle was cut away: its squares are small, and its border is a staircase.
#include "shape/nurbs_inside.h"

enum { mostSquares = 64, trimmedSquares = 96 }; // of a piece, and across a trimmed patch

/// Largest |S_uu| du^2 (or v) over a piece, at a few places.
static double bend(const plNurbs* n, int piece, bool alongV)
{
    double r[4], most = 0;
    plSurfel f;
    plNurbs_Piece(n, piece, r);
    const double width = alongV ? r[3] - r[2] : r[1] - r[0];
    for (int k = 0; k < 9; k++) {
        // Not quite at the ends, where the next piece begins.
        plNurbs_At(n, plNurbs_UvOf(n, piece, 0.001 + 0.499 * (k / 3), 0.001 + 0.499 * (k % 3)), &f);
        most = fmax(most, width * width * plNorm(alongV ? f.vv : f.uu));
    }
    return most;
}

// A chord over h is h^2/8 times the second derivative away from its arc. Half of the tolerance is for
// either parameter.
static int squares(const plNurbs* n, const plPatch* a, int span, bool alongV, double tolerance)
{
    double most = 0;
    const int others = alongV ? a->spansU : a->spansV;
    for (int k = 0; k < others; k++) {
        const int i = alongV ? k : span, j = alongV ? span : k;
        most = fmax(most, bend(n, a->firstPiece + i * a->spansV + j, alongV));
    }
    const int spans = alongV ? a->spansV : a->spansU;
    const double least = a->loopCount > 0 ? ceil((double)trimmedSquares / spans) : 1;
    const double count = fmax(least, ceil(sqrt(most / (4 * tolerance))));
    return count >= 1 ? (int)fmin(count, mostSquares) : 1;
}

typedef struct {
    const plNurbs* n;
    int points, triangles;
    plVec3 *point, *normal;
    int* triangle;
} Drawing;

/// Three corners, and the middle of the triangle in the piece.
static void addTriangle(Drawing* d, int a, int b, int c, plUv middle)
{
    if (!plNurbs_Inside(d->n, middle)) return;
    if (d->triangle) {
        int* t = &d->triangle[3 * (size_t)d->triangles];
        t[0] = a, t[1] = d->n->inward ? c : b, t[2] = d->n->inward ? b : c;
    }
    d->triangles++;
}

static void drawPiece(Drawing* d, int piece, int countU, int countV)
{
    const int first = d->points;
    for (int i = 0; i <= countU && (d->point || d->normal); i++) {
        for (int j = 0; j <= countV; j++) {
            const plUv at = plNurbs_UvOf(d->n, piece, (double)i / countU, (double)j / countV);
            const int k = first + i * (countV + 1) + j;
            if (d->point) d->point[k] = plNurbs_Place(d->n, at);
            if (d->normal) d->normal[k] = plNurbs_Normal(d->n, at);
        }
    }
    for (int i = 0; i < countU; i++) {
        for (int j = 0; j < countV; j++) {
            const int k = first + i * (countV + 1) + j, next = k + countV + 1;
            const double s = (double)i / countU, t = (double)j / countV;
            const double ds = 1 / (3.0 * countU), dt = 1 / (3.0 * countV);
            addTriangle(d, k, next, next + 1, plNurbs_UvOf(d->n, piece, s + 2 * ds, t + dt));
            addTriangle(d, k, next + 1, k + 1, plNurbs_UvOf(d->n, piece, s + ds, t + 2 * dt));
        }
    }
    d->points += (countU + 1) * (countV + 1);
}

void plNurbs_Triangles(const plNurbs* n, double tolerance, int* pointCount, plVec3* points,
                       plVec3* normals, int* triangleCount, int* triangles)
{
    Drawing d = {n, 0, 0, points, normals, triangles};
    tolerance = plHigher(tolerance, 1e-9 * n->size);
    for (int k = 0; k < n->patchCount; k++) {
        const plPatch* a = &n->patches[k];
        for (int i = 0; i < a->spansU; i++) {
            const int countU = squares(n, a, i, false, tolerance);
            for (int j = 0; j < a->spansV; j++) {
                const int countV = squares(n, a, j, true, tolerance);
                drawPiece(&d, a->firstPiece + i * a->spansV + j, countU, countV);
            }
        }
    }
    *pointCount = d.points;
    *triangleCount = d.triangles;
}
