// Rays: pieces are cut in halves while the ray meets the bounds of their control points; where little
// is left, Newton's method.
//   letters  e1, e2 two unit vectors across the ray: it is where e1.(S - p) = e2.(S - p) = 0
#include "shape/nurbs_inside.h"

enum { raySteps = 4096, rayCuts = 10 };

typedef struct {
    const plNurbs* n;
    plVec3 p, d, e1, e2;
    double tMax;
    plRayHit best;
    int left;
} Ray;

/// The crossing near the middle of a box. It may lie a little outside of the box: its neighbours
/// find it too.
static void cross(Ray* ray, plUv at)
{
    const plNurbs* n = ray->n;
    plSurfel f;
    for (int i = 0; i < 12; i++) {
        plNurbs_At(n, at, &f);
        const plVec3 r = plSub(f.S, ray->p);
        const double x = plDot(r, ray->e1), y = plDot(r, ray->e2);
        const double a = plDot(f.u, ray->e1), b = plDot(f.v, ray->e1);
        const double c = plDot(f.u, ray->e2), d = plDot(f.v, ray->e2), det = a * d - b * c;
        if (!(fabs(det) > 0)) return;
        if (fabs(x) + fabs(y) <= 1e-14 * n->size) break;
        plUv next = plUvAt(at.patch, at.u - (d * x - b * y) / det, at.v - (a * y - c * x) / det);
        next = plNurbs_Clamp(n, next); // beyond the border lies a neighbour
        at = next;
    }
    plNurbs_At(n, at, &f);
    const plVec3 r = plSub(f.S, ray->p);
    if (!(fabs(plDot(r, ray->e1)) + fabs(plDot(r, ray->e2)) <= 1e-9 * n->size)) return;
    const double t = plDot(r, ray->d) / plDot(ray->d, ray->d);
    const plVec3 normal = plNurbs_Normal(n, at);
    if (t < 0 || !(t <= ray->tMax) || !(t < ray->best.t) || plDot(normal, ray->d) >= 0) return;
    if (!plNurbs_Inside(n, at)) return;
    ray->best = (plRayHit){true, t, normal, at.patch};
}

static void crossPiece(Ray* ray, int piece)
{
    const plPatch* a = &ray->n->patches[ray->n->pieces[piece]];
    const int points = (a->degreeU + 1) * (a->degreeV + 1);
    plPieceBox stack[rayCuts + 2];
    int cuts[rayCuts + 2] = {0}, count = 1;
    stack[0] = (plPieceBox){piece, {0, 1}, {0, 1}};
    while (count > 0 && ray->left > 0) {
        const plPieceBox b = stack[--count];
        const int cut = cuts[count];
        double H[4 * plPiecePoints];
        ray->left--;
        plNurbs_BoxPoints(ray->n, &b, H);
        const plBounds bounds = plPointBounds(H, points);
        const plBounds wide = plBounds_Grow(bounds, 1e-12 * ray->n->size);
        if (!plBounds_Crossed(&wide, ray->p, ray->d, plLower(ray->tMax, ray->best.t))) continue;
        if (cut == rayCuts) {
            cross(ray,
                  plNurbs_UvOf(ray->n, piece, 0.5 * (b.s[0] + b.s[1]), 0.5 * (b.t[0] + b.t[1])));
            continue;
        }
        plNurbs_Halve(ray->n, &b, H, &stack[count]);
        cuts[count] = cuts[count + 1] = cut + 1;
        count += 2;
    }
}

plRayHit plNurbs_Ray(const plNurbs* n, plVec3 p, plVec3 d, double tMax)
{
    Ray ray = {.n = n, .p = p, .d = d, .tMax = tMax, .left = raySteps};
    int stack[plTreeDepth + 1], count = 1;
    ray.best = (plRayHit){.hit = false, .t = INFINITY};
    if (!(plDot(d, d) > 0)) return ray.best;
    plTangents(plScale(1 / plNorm(d), d), &ray.e1, &ray.e2);
    stack[0] = 0;
    while (count > 0) {
        const plTreeNode* node = &n->nodes[stack[--count]];
        if (!plBounds_Crossed(&node->bounds, p, d, plLower(tMax, ray.best.t))) continue;
        if (node->count == 0) {
            stack[count++] = node->first;
            stack[count++] = node->first + 1;
        }
        for (int i = 0; i < node->count; i++) crossPiece(&ray, n->order[node->first + i]);
    }
    return ray.best;
}
