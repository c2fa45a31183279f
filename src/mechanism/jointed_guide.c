// Surfaces that guide a point, as signed distances: more kinds need no more than these three numbers.
// Of patches the nearest place is followed from where it was, over their seams. With its forms
// G = (S_u, S_v)^T (S_u, S_v) and II = N.(S_uu, S_uv; S_uv, S_vv), at a distance d along the normal N:
//   d = N.(x - S)     gradient N     second derivative -(S_u, S_v) G^-1 II (G - d II)^-1 (S_u, S_v)^T
// since N' = -(S_u, S_v) G^-1 II u' and x - S = d N says (G - d II) u' = (S_u, S_v)^T x'.
#include "mechanism/jointed.h"

static const char* const names[pl_guideCount] = {"plane", "sphere", "cylinder", "patches"};

const char* plGuide_Name(int i) { return i >= 0 && i < pl_guideCount ? names[i] : "unknown"; }

// --- patches

/// a b^T s
static plMat3 outer(double s, plVec3 a, plVec3 b)
{
    return (plMat3){plScale(s * a.x, b), plScale(s * a.y, b), plScale(s * a.z, b)};
}

/// A symmetric matrix of 2 x 2.
typedef struct {
    double uu, uv, vv;
} Form;

static double detOf(Form f) { return f.uu * f.vv - f.uv * f.uv; }

static Form metricAt(const plSurfel* f)
{
    return (Form){plDot(f->u, f->u), plDot(f->u, f->v), plDot(f->v, f->v)};
}

static Form curvatureAt(const plSurfel* f, plVec3 N)
{
    return (Form){plDot(N, f->uu), plDot(N, f->uv), plDot(N, f->vv)};
}

// A pole has no metric, nor has its surrounding to round-off: the derivatives are those of a place next
// to it, a hundred-thousandth of the patch away.
static bool isPole(Form G) { return !(detOf(G) > 1e-12 * (G.uu + G.vv) * (G.uu + G.vv)); }

static plUv besides(const plNurbs* n, plUv at)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    return plUvAt(at.patch, at.u + 1e-5 * (0.5 * (u[0] + u[1]) - at.u),
                  at.v + 1e-5 * (0.5 * (v[0] + v[1]) - at.v));
}

static plMat3 bendInside(const plSurfel* f, Form G, Form II, double d)
{
    const Form A = {G.uu - d * II.uu, G.uv - d * II.uv, G.vv - d * II.vv};
    const double scale = detOf(G) * detOf(A);
    if (!(fabs(scale) > 1e-12 * detOf(G) * detOf(G))) return (plMat3){0}; // a centre of curvature
    // rows of adj(G) II adj(A), which is symmetric: G and A commute through II
    const double a = G.vv * II.uu - G.uv * II.uv, b = G.vv * II.uv - G.uv * II.vv;
    const double c = G.uu * II.uv - G.uv * II.uu, e = G.uu * II.vv - G.uv * II.uv;
    const double uu = a * A.vv - b * A.uv, uv = b * A.uu - a * A.uv;
    const double vu = c * A.vv - e * A.uv, vv = e * A.uu - c * A.uv;
    const plVec3 alongU = plAdd(plScale(uu, f->u), plScale(vu, f->v));
    const plVec3 alongV = plAdd(plScale(uv, f->u), plScale(vv, f->v));
    const plMat3 first = outer(-1 / scale, alongU, f->u), second = outer(-1 / scale, alongV, f->v);
    return plMatAdd(&first, 1, &second);
}

// Beyond an open edge the surface goes on straight: only what bends along the edge is left.
static plMat3 bendBeyond(const plNurbs* n, plUv at, const plSurfel* f, Form G, Form II)
{
    double u[2], v[2];
    plNurbs_Domain(n, at.patch, u, v);
    const bool alongV = at.u <= u[0] || at.u >= u[1];
    const double pace = alongV ? G.vv : G.uu, curve = alongV ? II.vv : II.uu;
    const plVec3 way = alongV ? f->v : f->u;
    return pace > 0 ? outer(-curve / (pace * pace), way, way) : (plMat3){0};
}

static plGuidePoint patchesAt(const plShape* s, plVec3 x, double foot[3])
{
    const plNurbs* n = s->nurbs;
    plUv at = plUvAt((int)foot[0], foot[1], foot[2]);
    plSurfel f;
    if (plNurbs_Project(n, x, &at) == 0) plNurbs_Nearest(n, x, &at, NULL);
    foot[0] = at.patch, foot[1] = at.u, foot[2] = at.v;
    plNurbs_At(n, at, &f);
    const plVec3 N = plNurbs_Normal(n, at), r = plSub(x, f.S);
    const double d = plDot(N, r);
    const bool beyond = plNorm(plAddScaled(r, -d, N)) > 1e-9 * s->size;
    Form G = metricAt(&f);
    if (isPole(G)) {
        plNurbs_At(n, besides(n, at), &f);
        G = metricAt(&f);
    }
    plGuidePoint out = {.distance = d, .normal = N};
    if (isPole(G)) return out;
    const Form II = curvatureAt(&f, N);
    out.bend = beyond ? bendBeyond(n, at, &f, G, II) : bendInside(&f, G, II, d);
    return out;
}

// In the frame of the joint.
static plGuidePoint sculptedAt(const plShape* s, plVec3 x, double foot[3])
{
    const plMat3* R = &s->frame.R;
    plGuidePoint at = patchesAt(s, plInto(&s->frame, x), foot);
    if (s->centered) return at;
    const plMat3 turned = plMatMul(R, &at.bend), Rt = plTranspose(R);
    return (plGuidePoint){at.distance, plMul(R, at.normal), plMatMul(&turned, &Rt)};
}

void plGuide_Seek(const plShape* s, plVec3 x, double foot[3])
{
    plUv at = plUvAt(0, 0, 0);
    plNurbs_Nearest(s->nurbs, plInto(&s->frame, x), &at, NULL);
    foot[0] = at.patch, foot[1] = at.u, foot[2] = at.v;
}

uint64_t plGuide_Identity(const plShape* s, uint64_t h)
{
    const plNurbs* n = s->nurbs;
    h = plHash_Add(h, &s->frame, sizeof s->frame);
    for (int i = 0; i < plNurbs_Pieces(n); ++i) {
        const plBounds bounds = plNurbs_PieceBounds(n, i);
        const plVec3 middle = plNurbs_Place(n, plNurbs_UvOf(n, i, 0.5, 0.5));
        h = plHash_Add(h, &bounds, sizeof bounds);
        h = plHash_Add(h, &middle, sizeof middle);
    }
    return h;
}

// --- round ones

// (I - n n^T)/r: what bends the distance from a point or, with n across it, from a line.
static plMat3 bendOf(plMat3 I, plVec3 n, double r)
{
    const plMat3 nn = outer(1, n, n), across = plMatAdd(&I, -1, &nn);
    return (plMat3){plScale(1 / r, across.x), plScale(1 / r, across.y), plScale(1 / r, across.z)};
}

plGuidePoint plGuide_At(const plConstraintBody* joint, plVec3 x, double foot[3])
{
    const plGuide guide = joint->guide;
    if (guide == pl_guidePatches) return sculptedAt(joint->surface, x, foot);
    if (guide == pl_guidePlane) return (plGuidePoint){.distance = x.z, .normal = {0, 0, 1}};
    const bool sphere = guide == pl_guideSphere;
    const plVec3 way = sphere ? x : plVec(x.x, x.y, 0);
    const double r = plNorm(way);
    if (!(r > 0)) return (plGuidePoint){.distance = -joint->radius, .normal = {1, 0, 0}}; // any
    const plVec3 n = plScale(1 / r, way);
    const plMat3 I = sphere ? plIdentity3() : plDiagonal3(1, 1, 0);
    return (plGuidePoint){r - joint->radius, n, bendOf(I, n, r)};
}
