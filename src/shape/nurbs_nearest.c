// The nearest place of the whole surface. Pieces are cut in halves; a half is dropped when its
// control points prove that it lies farther away than a place already found:
//   |p - S| >= m.(p - S) >= min_i m.(p - P_i)   for any unit vector m,
// which is tight to the second order of the half's size when m points from it to p.
#include "shape/nurbs_inside.h"

enum { searchSteps = 4096, searchDepth = 96 };

typedef struct {
    const plNurbs* n;
    plVec3 p;
    plUv at;
    double least; // distance of the best place
    double slack; // by which a half must be nearer to be worth a look
    int left;     // halves that may still be looked at
} Search;

/// A place on the surface; when it is the best so far, or asked for, also what Newton makes of it.
static void tryPlace(Search* s, plUv at, plVec3 place, bool always)
{
    const double d = plNorm(plSub(s->p, place));
    if (!(d < s->least) && !always) return;
    if (d < s->least) s->least = d, s->at = at;
    plNurbs_Project(s->n, s->p, &at);
    const double e = plNorm(plSub(s->p, plNurbs_Place(s->n, at)));
    if (e <= s->least) s->least = e, s->at = at;
}

/// What the control points prove.
static double bound(const double* H, int count, plVec3 p, plVec3 toward)
{
    const plBounds box = plPointBounds(H, count);
    const double norm = plNorm(toward);
    double least = INFINITY;
    if (!(norm > 0)) return 0;
    for (int i = 0; i < count; i++) {
        const plVec3 P = plScale(1 / H[4 * i + 3], plGet3(H + 4 * i));
        least = plLower(least, plDot(toward, plSub(p, P)) / norm);
    }
    return plHigher(least, sqrt(plBounds_Outside2(&box, p)));
}

static void searchPiece(Search* s, int piece)
{
    const plPatch* a = &s->n->patches[s->n->pieces[piece]];
    const int points = (a->degreeU + 1) * (a->degreeV + 1);
    plPieceBox stack[searchDepth];
    int count = 1;
    stack[0] = (plPieceBox){piece, {0, 1}, {0, 1}};
    // When all steps are used up, Newton's method still starts once in every piece.
    for (bool first = true; count > 0 && (first || s->left > 0); first = false) {
        const plPieceBox b = stack[--count];
        double H[4 * plPiecePoints];
        if (s->left > 0) s->left--;
        plNurbs_BoxPoints(s->n, &b, H);
        const plUv middle =
            plNurbs_UvOf(s->n, piece, 0.5 * (b.s[0] + b.s[1]), 0.5 * (b.t[0] + b.t[1]));
        const plVec3 place = plNurbs_Place(s->n, middle);
        tryPlace(s, middle, place, s->left <= 0);
        if (bound(H, points, s->p, plSub(s->p, place)) >= s->least - s->slack) continue;
        if (count + 2 > searchDepth) continue;
        plNurbs_Halve(s->n, &b, H, &stack[count]);
        count += 2;
    }
}

static void searchTree(Search* s)
{
    const plNurbs* n = s->n;
    int stack[plTreeDepth + 1], count = 1;
    stack[0] = 0;
    while (count > 0) {
        const plTreeNode* node = &n->nodes[stack[--count]];
        if (sqrt(plBounds_Outside2(&node->bounds, s->p)) > s->least - s->slack) continue;
        if (node->count == 0) {
            const double left = plBounds_Outside2(&n->nodes[node->first].bounds, s->p);
            const double right = plBounds_Outside2(&n->nodes[node->first + 1].bounds, s->p);
            const int nearer = left <= right ? node->first : node->first + 1;
            stack[count++] = 2 * node->first + 1 - nearer;
            stack[count++] = nearer;
        }
        for (int i = 0; i < node->count; i++) {
            const int piece = n->order[node->first + i];
            const double d = sqrt(plBounds_Outside2(&n->bounds[piece], s->p));
            if (d <= s->least - s->slack) searchPiece(s, piece);
        }
    }
}

/// All of it, for places nearer by the slack. False: there were not enough steps.
static bool searchFor(Search* s, double slack)
{
    s->slack = slack * s->n->size;
    s->left = searchSteps;
    searchTree(s);
    return s->left > 0;
}

// Coarsely first: a good place drops most of the rest. Where much of the surface is nearly as near
// (about the axis of a round body), a fine search uses up its steps on the first pieces and never sees
// the others: then less finely once more.
double plNurbs_Nearest(const plNurbs* n, plVec3 p, plUv* at, bool* sure)
{
    Search s = {.n = n, .p = p, .least = INFINITY};
    searchFor(&s, 1e-2);
    const bool fine = searchFor(&s, 1e-9);
    if (!fine) searchFor(&s, 1e-4);
    *at = s.at;
    if (sure) *sure = fine;
    return s.least;
}
