// What collide.c and update.c share.
#ifndef PL_COLLIDE_INSIDE_H
#define PL_COLLIDE_INSIDE_H

#include "collide/skin_inside.h"
#include "collide/track.h"
#include "collide/tree.h"

/// What does not change.
typedef struct {
    const plShape* shape; ///< null: a skin
    plSkinBody* skin;
    int body;
    bool moving;
    uint32_t group, mask;
} plProxy;

PL_GAPLESS
/// A proxy's state. `way` is how far any of its points can have gone in all, measured from place to
/// place: two proxies that were d apart are now at least d - (way they went since).
typedef struct {
    plFrame frame;
    double way, speed; ///< [m], [m/s]
    double passed;     ///< speed of what touches it, of a moving one; of this update [m/s]
    plBounds fat;
    int node;     ///< in the tree; plNoNode for a plane
    bool touched; ///< moved since the last update
    bool fresh;   ///< fattened anew in this update
    bool unused[2];
} plPlace;

typedef struct {
    int a, b;
    bool touching; ///< had contacts in the last update
    bool unused[7];
    double apart;   ///< distance when last looked at, from below [m]
    double wayThen; ///< of both together, at that time
    plGuess guess;
    int slot; ///< + 1, of what a pair with a sculpted surface remembers; 0: none
    plPlanarMemory planar;
} plPair;

/// What a pair with a sculpted surface remembers.
typedef struct {
    bool used, unused[7];
    plTracks tracks;
} plTrackSlot;

/// Head of the state.
typedef struct {
    int proxyCount, pairCount;
    plBranches tree;
    bool lost;        ///< pairs were lost for want of room: all are looked for again
    bool staticMoved; ///< a proxy that does not move by itself was moved
    bool unused[2];
} plCollideHead;
PL_GAPLESS_END

struct plCollide {
    plCollideDef def;
    plProxy* proxies;
    int ignoredCount;
    int (*ignored)[2];
    int moverCount, planeCount;
    int freeCount; ///< ids below proxyCount that are free
    int* movers;
    int* planes;
    plSkins skins; // their points and bounds are state

    plCollideHead* head; // state
    plPlace* places;
    plBranch* nodes;
    plPair* pairs;
    plTrackSlot* slots;

    plTouch* contacts; // of the last update
    int* fresh;
    int freshCount;
    plProxyPair* began;
    plProxyPair* ended;
    plProxyPair* found;
    int foundCount;
    bool foundFull;
    plManifold manifold;
};

bool plCollide_MayMeet(const plCollide*, int a, int b);

#endif
