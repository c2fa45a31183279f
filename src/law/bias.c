// Biases: which velocity a law holds to zero, w = W p + q.
//
// In the pmi paper the unknown is the mean velocity of the step, v^ = (v- + v)/2, and a force f:
//   v^ = A^-1 (b + G f),  A = 2M/T + C,   sigma = G^T v^ - c,   0 <= f | sigma >= 0   (pmi 28-34)
// Here u is the end velocity and p = T f. From u = 2 u^ - u-, and with W_pmi = G^T A^-1 G,
//   du/dp = 2 du^/df / T = (2/T) W_pmi = W,     2 u^ = u + u- = W p + u_free + u-
// so that sigma doubled, which changes no complementarity, is
//   w = W p + u_free + u- - 2 c.
// Work of p on its row is p (u- + u)/2 = p u^ = p (w/2 + c), and p w = 0 on normal rows:
//   elastic    c = 0                      q = u_free + u-            work 0
//   one-sided  c = min(0, (1-e)/2 u-)     q = u_free + max(u-, e u-) work p c <= 0
//   plastic    c = u-/2 (paper's Fig. 8)  q = u_free                 work p u-/2, of any sign:
//              an opening contact (u- > 0) that is pushed shut in the step gains energy.
//   gap        c = (goal - gap)/T on normals: u^ >= (goal - gap)/T keeps the gap at the end of the step above
//              its goal; 0 on tangents. Work p (gap1 - gap)/T <= 0: friction is held against the mean velocity,
//              too. Impacts are the business of a stage of their own (world/impact.c).
// One-sided restitution at a closing contact gives u = -e u-; at an opening one it asks no more
// than the elastic law.
#include "law/law.h"

// A contact that is met before it touches may close as fast as its gap allows, u >= -gap/T, and has
// nothing to rebound from yet:
//   w = W p + u_free + gap/T                  work p (u- - gap/T)/2 <= 0 while u- <= gap/T
// One that opens faster than that, and is pushed shut in the step, would gain. The levels that are safe
// hold it to u^ >= 0, which keeps its gap, so that c = min(0, (u- - gap/T)/2):
//   w = W p + u_free + max(u-, gap/T)         work p c <= 0
// A contact of what deforms is always met so: its surface is where the last step put it, and what went
// too deep by the bend of the way is taken back, paid from the tank.
static bool ahead(const plSpace* s, int i)
{
    return s->T > 0 && (s->gap[i] > 0 || (s->placed && s->placed[i]));
}

static double aheadBias(const plSpace* s, int i, bool safe)
{
    const double closing = s->gap[i] / s->T;
    const bool placed = s->placed && s->placed[i];
    return safe && !placed ? fmax(s->uStart[s->dim * i], closing) : closing;
}

static double oneSided(double uStart, double e) { return fmax(uStart, e * uStart); }

// Tangents: sticking reverses u_t- by eTangent. The cone's tangential bias is one vector, so the
// one-sided rule, which differs from direction to direction, has no place in it: with forces in the
// step this may create energy, and the levels below are the answer.
void plBias_Cone(const plSpace* s, plBias kind, double* q)
{
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < s->dim; ++k) {
            const int row = s->dim * i + k;
            const double u = s->uStart[row];
            double bias = 0;
            if (kind == pl_biasElastic) bias = u;
            if (kind == pl_biasOneSided) {
                bias = k == 0 ? oneSided(u, s->pair[i].e) : s->pair[i].eTangent * u;
            }
            if (k == 0 && ahead(s, i)) bias = aheadBias(s, i, kind == pl_biasElastic);
            if (kind == pl_biasGap) bias = k == 0 ? s->hold[i] : u;
            q[row] = s->uFree[row] + bias;
        }
    }
}

// The smallest e of the group on all rows: w = J (V+ + e V-) lies in the range of J, so redundant
// contacts agree. Per-contact rebounds of two corners that stick contradict a rigid edge, and p then
// creeps along W's null space. Without forces in the step (u_free = u-) u = w - e u- and
//   work = p (u- + u)/2 = p w/2 + (1-e) p u-/2,   p u- = (p w - p W p)/(1+e)
//        <= -(1-e)/(2(1+e)) p W p <= 0, since p w <= 0.
void plBias_CommonCone(const plSpace* s, double* q)
{
    double e = 1;
    for (int i = 0; i < s->count; ++i) e = fmin(e, s->pair[i].e);
    for (int i = 0; i < plSpace_Rows(s); ++i) q[i] = s->uFree[i] + e * s->uStart[i];
    for (int i = 0; i < s->count; ++i) {
        const int n = s->dim * i;
        if (ahead(s, i)) q[n] = s->uFree[n] + aheadBias(s, i, true);
    }
}

// Every direction d_j of the pyramid has its own one-sided rule with e_t; p_j >= 0 on each, so the
// proof above holds for them all.
void plBias_Pyramid(const plSpace* s, plBias kind, double* q)
{
    const int sides = plPyramid_Sides(s);
    for (int i = 0; i < s->count; ++i) {
        const int n = s->dim * i;
        double* qi = &q[i * (1 + sides)];
        for (int j = 0; j <= sides; ++j) {
            double d[2], uStart = s->uStart[n], uFree = s->uFree[n];
            if (j > 0) {
                plPyramid_Direction(sides, j - 1, d);
                uStart = uFree = 0;
                for (int k = 1; k < s->dim; ++k) {
                    uStart += d[k - 1] * s->uStart[n + k];
                    uFree += d[k - 1] * s->uFree[n + k];
                }
            }
            if (kind == pl_biasGap) {
                qi[j] = uFree + (j == 0 ? s->hold[i] : uStart);
                continue;
            }
            const double e = j == 0 ? s->pair[i].e : s->pair[i].eTangent;
            const double kept = kind == pl_biasElastic ? uStart : oneSided(uStart, e);
            qi[j] = uFree + (kind == pl_biasPlastic ? 0 : kept);
            if (j == 0 && ahead(s, i)) qi[j] = uFree + aheadBias(s, i, kind == pl_biasElastic);
        }
    }
}
