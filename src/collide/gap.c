// Signed distance of two shapes.
#include "collide/core.h"

// Very near to each other, the direction between the nearest points is mostly round-off. It is right if it parts the
// two as far as it says.

static bool parts(const plCorePair* p, const plWitness* out)
{
    if (out->d > 1e-6 * p->scale) return true;
    const plVertex w = plCorePair_Support(p, plScale(-1, out->n), NULL);
    return plDot(out->n, w.w) >= out->d - plTouching * p->scale;
}

static void findDepth(const plCorePair* p, plWitness* out)
{
    if (p->a->count == 1 && p->b->count == 1) { // two points at one place
        *out = (plWitness){.n = {1, 0, 0},
                           .a = out->simplex.v[0].a,
                           .b = out->simplex.v[0].b,
                           .simplex = out->simplex,
                           .overlap = true,
                           .exact = true};
        return;
    }
    plEpa(p, out);
    out->slow = !out->exact;
    if (out->slow) plTryAllFaces(p, out);
}

void plCorePair_Search(const plCorePair* p, plGuess* guess, plWitness* out)
{
    out->slow = false;
    if (!isfinite(p->scale)) { // a place that is no place is near nothing
        *out = (plWitness){.d = INFINITY, .n = {1, 0, 0}};
        return;
    }
    plGjk(p, guess, out);
    if (out->overlap) {
        findDepth(p, out);
        return;
    }
    out->slow = !out->exact;
    if (out->slow) plTryAllFeatures(p, out);
    if (parts(p, out)) return;
    // They overlap, or a face is nearest, whose plane parts them as far and has a direction. Else edges or corners
    // are nearest: a plane of a face parts them too, but by less than their distance.
    plWitness face = *out;
    face.overlap = true;
    findDepth(p, &face);
    if (face.d <= 0 || face.d >= out->d - plTouching * p->scale) *out = face;
}

static plGap mirror(plGap g)
{
    const plVec3 a = g.a;
    g.n = plScale(-1, g.n);
    g.a = g.b;
    g.b = a;
    return g;
}

/// The lowest point of a over the plane b.
static plGap overPlane(const plShape* a, const plFrame* fa, const plShape* b, const plFrame* fb)
{
    const plVec3 n = plMul(&fb->R, b->normal);
    int index = 0;
    const plVec3 low = plOut(fa, plShape_Support(a, plMulT(&fa->R, plScale(-1, n)), &index));
    const double gap = plDot(n, plSub(low, fb->x));
    return (plGap){.gap = gap, .n = n, .a = low, .b = plAddScaled(low, -gap, n), .exact = true};
}

/// Without a copy where the shape's frame is its carrier's own.
static const plFrame* frameOf(const plShape* s, const plFrame* carrier, plFrame* own)
{
    if (s->centered) return carrier;
    *own = plFrameMul(carrier, &s->frame);
    return own;
}

plGap plCollide_Gap(const plShape* a, const plFrame* carrierA, const plShape* b,
                    const plFrame* carrierB, plGuess* guess)
{
    plFrame ofA, ofB;
    const plFrame* fa = frameOf(a, carrierA, &ofA);
    const plFrame* fb = frameOf(b, carrierB, &ofB);
    if (b->kind == pl_shapePlane) return overPlane(a, fa, b, fb);
    if (a->kind == pl_shapePlane) return mirror(overPlane(b, fb, a, fa));
    PL_ASSERT(plShape_IsConvex(a) && plShape_IsConvex(b));
    plCore ca, cb;
    plCore_Set(&ca, a);
    plCore_Set(&cb, b);
    const plCorePair pair = plCorePair_Of(&ca, fa, &cb, fb);
    plWitness w;
    plCorePair_Search(&pair, guess, &w);
    const plVec3 n = plMul(&fa->R, w.n);
    return (plGap){.gap = w.d - ca.radius - cb.radius,
                   .n = n,
                   .a = plAddScaled(plOut(fa, w.a), -ca.radius, n),
                   .b = plAddScaled(plOut(fa, w.b), cb.radius, n),
                   .iterations = w.iterations,
                   .exact = w.exact,
                   .slow = w.slow};
}
