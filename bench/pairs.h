// Pairs of convex solids, and what the peers can say of them.
#ifndef PALP_BENCH_PAIRS_H
#define PALP_BENCH_PAIRS_H

#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { pairCount = 100, pairPoints = 100 };

/// A box when it has a half length, else the hull of its points; a box has its corners, too.
typedef struct {
    plVec3 half;
    int count;
    plVec3 points[pairPoints];
} PairSolid;

typedef struct {
    PairSolid solid[2];
    plPose pose[2][2 * pairCount]; ///< of both; from pairCount on a tick later
} Pairs;

/// Signed: depth is negative. What a peer cannot say is null.
typedef struct {
    void* (*create)(const Pairs*);
    double (*distance)(void*, int i);
    double (*depth)(void*, int i);
    int (*manifold)(void*, int i); ///< of boxes: count of contacts
    void (*destroy)(void*);
} PairPeer;

const PairPeer* pairBullet(void); ///< GJK's pair detector; EPA; boxes by separating axes
const PairPeer* pairOde(void);    ///< boxes only
const PairPeer* pairCcd(void);    ///< depth by MPR, to 1e-6

#ifdef __cplusplus
}
#endif
#endif
