// Walls. A spring whose force is sampled and held creates K dd^2/2 in every step, and a wall of it
// bounces things higher: E+/E = exp(pi w T/2). Three ways around it: a better estimate, blocks that
// rub, and the collision of the law `impulse` in front of the spring.             (planar sec. 5)
#include "law/wall.h"

static double within(double x, double most) { return fmax(-most, fmin(most, x)); }

// The springs that drag blocks, after the depth has changed by way; what their blocks lost.
static double drag(const plPair* c, double way, double stretch[3])
{
    double lost = 0;
    for (int i = 0; i < 3; ++i) {
        const double y = c->blockDepths[i], trial = stretch[i] + way;
        stretch[i] = within(trial, y);
        lost += c->blockShares[i] * c->stiffness * y * fabs(trial - stretch[i]);
    }
    return lost;
}

static double ownShare(const plPair* c)
{
    return fmax(0, 1 - c->blockShares[0] - c->blockShares[1] - c->blockShares[2]);
}

static double hysteretic(const plPair* c, double d, plWallMemory* m)
{
    double sum = ownShare(c) * d;
    drag(c, d - m->depth[0], m->stretch);
    for (int i = 0; i < 3; ++i) sum += c->blockShares[i] * m->stretch[i];
    return fmax(0, c->stiffness * sum);
}

static double spring(const plPair* c, double d, double T, plWallMemory* m)
{
    double x = d;
    if (c->wall == pl_wallEstimate) x = 2 * d - 1.5 * m->depth[0] + 0.5 * m->depth[1];
    m->integral += T * x;
    return fmax(0, c->stiffness * (x + c->integral * m->integral));
}

double plWall_Force(const plPair* c, double gap, double u, double T, plWallMemory* m)
{
    if (gap > 0) {
        *m = (plWallMemory){0};
        return 0;
    }
    const double d = -gap;
    const double push = c->wall == pl_wallHysteretic ? hysteretic(c, d, m) : spring(c, d, T, m);
    const double force = push - c->damping * u;
    m->depth[1] = m->depth[0];
    m->depth[0] = d;
    return c->clamp && force < 0 ? 0 : force;
}

double plWall_Stored(const plPair* c, const plWallMemory* m, double gap, double* slid)
{
    const double d = fmax(0, -gap), K = c->stiffness;
    *slid = 0;
    if (c->wall != pl_wallHysteretic) return 0.5 * K * d * d;
    double stretch[3] = {m->stretch[0], m->stretch[1], m->stretch[2]}, sum = 0;
    *slid = drag(c, d - m->depth[0], stretch);
    for (int i = 0; i < 3; ++i) sum += 0.5 * c->blockShares[i] * K * stretch[i] * stretch[i];
    if (gap <= 0) return 0.5 * ownShare(c) * K * d * d + sum;
    *slid += sum;
    return 0;
}
