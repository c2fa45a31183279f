// A tower of thin planks, laid crosswise by threes, as a contact problem in blocks: four corners to every
// overlap, so that W has some six rows for each that is independent.
#ifndef PALP_TEST_TOWERS_H
#define PALP_TEST_TOWERS_H

#include "law_problems.h"

typedef struct {
    plArena arena;
    plSpace space;
} Tower;

enum { towerMost = 640 };

/// J of a contact for one of its two planks, by rows: force, then moment about its middle.
typedef struct {
    int plank[2]; // -1: the ground
    double J[2][3][6];
} TowerContact;

static const double towerLength = 0.117, towerWidth = 0.0234, towerHeight = 0.0078;

/// Middle of plank k; every second layer lies across.
static inline plVec3 towerMiddle(int k)
{
    const double side = (k % 3 - 1) * 0.04, z = (k / 3 + 0.5) * towerHeight;
    return k / 3 % 2 ? plVec(0, side, z) : plVec(side, 0, z);
}

static inline void towerContact(TowerContact* c, int above, int below, plVec3 x)
{
    const plVec3 axes[3] = {plVec(0, 0, 1), plVec(1, 0, 0), plVec(0, 1, 0)};
    *c = (TowerContact){.plank = {above, below}};
    for (int side = 0; side < 2; ++side) {
        if (c->plank[side] < 0) continue;
        const plVec3 arm = plSub(x, towerMiddle(c->plank[side]));
        for (int k = 0; k < 3; ++k) putArm(c->J[side][k], axes[k], arm, side == 0 ? 1 : -1);
    }
}

/// Corners of the overlap of two planks that cross, or of a plank on the ground.
static inline int towerCorners(TowerContact* list, int above, int below)
{
    const plVec3 a = towerMiddle(above);
    const double z = a.z - 0.5 * towerHeight;
    for (int k = 0; k < 4; ++k) {
        const double x = k % 2 ? 0.5 : -0.5, y = k / 2 ? 0.5 : -0.5;
        plVec3 at = plVec(a.x + x * towerWidth, a.y + y * towerLength, z);
        if (below >= 0) {
            const plVec3 b = towerMiddle(below);
            const bool across = above / 3 % 2;
            at = plVec((across ? b.x : a.x) + x * towerWidth, (across ? a.y : b.y) + y * towerWidth,
                       z);
        }
        towerContact(&list[k], above, below, at);
    }
    return 4;
}

/// 1/mass and 1/inertia of a plank of 14 g.
static inline double towerInverse(int plank, int k)
{
    const bool across = plank / 3 % 2;
    const double m = 0.014, x = across ? towerLength : towerWidth,
                 y = across ? towerWidth : towerLength;
    const double z = towerHeight;
    const double inertia[3] = {y * y + z * z, x * x + z * z, x * x + y * y};
    return k < 3 ? 1 / m : 12 / (m * inertia[k - 3]);
}

/// The block of two contacts; false: they share no plank.
static inline bool towerBlock(const TowerContact* a, const TowerContact* b, double* B)
{
    bool share = false;
    memset(B, 0, 9 * sizeof *B);
    for (int i = 0; i < 4; ++i) {
        const int s = i / 2, t = i % 2, plank = a->plank[s];
        if (plank < 0 || plank != b->plank[t]) continue;
        share = true;
        for (int e = 0; e < 9; ++e) {
            for (int k = 0; k < 6; ++k) {
                B[e] += a->J[s][e / 3][k] * towerInverse(plank, k) * b->J[t][e % 3][k];
            }
        }
    }
    return share;
}

/// So many layers, in a step of 5 ms under gravity, after a push to the side by every plank's own bit.
/// `compliance` is added to the diagonal of W, relative to it.
static inline Tower makeTower(int layers, double mu, double compliance)
{
    static TowerContact list[towerMost];
    const plAllocator allocator = plDefaultAllocator();
    const double T = 5e-3;
    int count = 0, blocks = 0;
    for (int above = 0; above < 3 * layers; ++above) {
        const int first = above / 3 * 3;
        for (int below = first - 3; below < first; ++below) {
            if (first == 0 && below < -1) continue;
            assert_true(count + 4 <= towerMost);
            count += towerCorners(&list[count], above, below);
        }
    }
    double B[9];
    for (int k = 0; k < count * count; ++k)
        blocks += towerBlock(&list[k / count], &list[k % count], B);
    Tower t;
    plArena_Create(&t.arena, plSpace_Size(3, count, blocks), &allocator);
    assert_int_equal(plSpace_Create(&t.space, 3, count, blocks, &t.arena), pl_statusOk);
    plSpace* s = &t.space;
    s->count = count, s->T = T, s->sides = 4;
    for (int i = 0, b = 0; i < count; ++i) {
        s->pair[i].mu = mu;
        for (int j = 0; j < count; ++j) {
            if (!towerBlock(&list[i], &list[j], &s->blocks[9 * b])) continue;
            for (int k = 0; i == j && k < 9; k += 4) s->blocks[9 * b + k] *= 1 + compliance;
            s->blockColumn[b++] = j;
            s->blockStart[i + 1] = b;
        }
        for (int side = 0; side < 2; ++side) {
            const int plank = list[i].plank[side];
            if (plank < 0) continue;
            const double v[6] = {0.02 * sin(plank),    0.02 * cos(2 * plank), -9.81 * T,
                                 0.1 * sin(3 * plank), 0.1 * cos(5 * plank),  0.3 * sin(7 * plank)};
            for (int k = 0; k < 3; ++k) s->uFree[3 * i + k] += plDotN(list[i].J[side][k], v, 6);
        }
    }
    assert_true(plSpace_Index(s));
    return t;
}

static inline void freeTower(Tower* t)
{
    const plAllocator allocator = plDefaultAllocator();
    plArena_Destroy(&t->arena, &allocator);
}

#endif
