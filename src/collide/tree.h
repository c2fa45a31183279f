// A tree of bounds that changes: leaves are put in and taken out one by one.
#ifndef PL_COLLIDE_TREE_H
#define PL_COLLIDE_TREE_H

#include "collide/collide.h"

enum { plNoNode = -1 };

PL_GAPLESS
typedef struct {
    plBounds bounds;
    int parent; ///< of a free node: the next free one
    int child[2];
    int height; ///< 0: a leaf
    int item;
    int unused;
} plBranch;

/// Plain data; the nodes are the caller's, 2 for each leaf.
typedef struct {
    int root, firstFree;
} plBranches;
PL_GAPLESS_END

void plBranches_Clear(plBranches*, plBranch* nodes, int capacity);
int plBranches_Insert(plBranches*, plBranch* nodes, const plBounds*, int item); ///< its node
void plBranches_Remove(plBranches*, plBranch* nodes, int node);

/// Calls `visit` with every item whose bounds meet the given ones.
void plBranches_Visit(const plBranches*, const plBranch* nodes, const plBounds*,
                      void (*visit)(void* self, int item), void* self);

#endif
