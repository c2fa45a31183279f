// Bullet: Dantzig's method for complementarity, which destroys what it is given.
#include "contacts.h"

#include <BulletDynamics/MLCPSolvers/btDantzigLCP.h>
#include <vector>

namespace
{

struct Lcp {
    int n;
    std::vector<double> M, q, A, b, w, lo, hi;
    std::vector<int> index;
    btDantzigScratchMemory scratch;
};

void* create(int n, const double* M, const double* q)
{
    Lcp* s = new Lcp;
    s->n = n;
    s->M.assign(M, M + n * n);
    s->q.assign(q, q + n);
    s->w.resize(n);
    return s;
}

void ready(void* self)
{
    Lcp* s = static_cast<Lcp*>(self);
    s->A = s->M;
    s->b = s->q;
    for (double& x : s->b) x = -x;
    s->lo.assign(s->n, 0);
    s->hi.assign(s->n, 1e30);
    s->index.assign(s->n, -1);
}

bool solve(void* self, double* z)
{
    Lcp* s = static_cast<Lcp*>(self);
    for (int i = 0; i < s->n; ++i) z[i] = 0;
    return btSolveDantzigLCP(s->n, s->A.data(), z, s->b.data(), s->w.data(), 0, s->lo.data(),
                             s->hi.data(), s->index.data(), s->scratch);
}

void destroy(void* self) { delete static_cast<Lcp*>(self); }

const LcpSolver solver = {create, ready, solve, destroy};

} // namespace

extern "C" const LcpSolver* lcpBullet(void) { return &solver; }
