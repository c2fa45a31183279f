// Whether two surfaces that are inside each other look out of each other, or through.
#include "collide/track_inside.h"

/// Next to p on a piece: from the best of nine places.
static double footOf(const plNurbs* n, int piece, plVec3 p, plUv* foot)
{
    double least = INFINITY;
    for (int k = 0; k < 9; k++) {
        const plUv at = plNurbs_UvOf(n, piece, 0.5 * (k / 3), 0.5 * (k % 3));
        const double d = plNorm(plSub(plNurbs_Place(n, at), p));
        if (d < least) least = d, *foot = at;
    }
    if (plNurbs_Project(n, p, foot) == 0) return least;
    return plNorm(plSub(plNurbs_Place(n, *foot), p));
}

/// The nearest place of a surface to p, as far as r, by the pieces around and a sample of each. False:
/// there is none.
static bool findWall(const plNurbs* n, plVec3 p, double r, double* distance, plUv* at)
{
    const int* order;
    const plTreeNode* nodes = plNurbs_Tree(n, &order);
    const plBounds point = {p, p};
    int stack[2 * plTreeDepth], count = 1;
    stack[0] = 0;
    *distance = r;
    while (count > 0) {
        const plTreeNode* node = &nodes[stack[--count]];
        if (plBounds_Apart(&node->bounds, &point) >= *distance) continue;
        if (node->count == 0 && count + 2 <= PL_COUNT(stack)) {
            stack[count++] = node->first;
            stack[count++] = node->first + 1;
        }
        for (int i = 0; i < node->count; i++) {
            const int piece = order[node->first + i];
            const plBounds b = plNurbs_PieceBounds(n, piece);
            if (plBounds_Apart(&b, &point) >= *distance) continue;
            plUv foot = {0};
            const double d = footOf(n, piece, p, &foot);
            if (d < *distance) *distance = d, *at = foot;
        }
    }
    return *distance < r;
}

/// Is p, which lies `depth` under a place, inside? Only a nearer wall can tell otherwise.
static bool isInside(const plSide* side, plVec3 p, double depth, bool* doubtful)
{
    const plNurbs* n = side->shape->nurbs;
    double distance;
    plUv at;
    if (!side->still) p = plInto(&side->frame, p);
    if (!findWall(n, p, depth * (1 - 1e-6) - 1e-9, &distance, &at)) return true;
    *doubtful |= distance < 0.5 * depth;
    return plDot(plSub(p, plNurbs_Place(n, at)), plNurbs_Normal(n, at)) <= 1e-9;
}

bool plTrack_IsWayOut(const plSide* f, const plSide* g, const plMeeting* m, bool* doubtful)
{
    *doubtful = false;
    if (m->beta > -1e-9) return true;
    if (g->shape->kind == pl_shapePlane) return true;
    if (!isInside(f, m->g.p, -m->beta, doubtful)) return false;
    return !plSide_IsNurbs(g) || isInside(g, m->f.p, -m->beta, doubtful);
}
