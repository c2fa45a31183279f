// Contacts of sculpted surfaces, followed from tick to tick.
//   in    two shapes, of which at least one is a NURBS, and their frames
//   out   local minima of their signed distance, as contacts
//   letters  f the surface of a, g that of b; beta = signed gap; E, F metric and curvature of a surface
//            in its contact frame; R the turn between both frames; K u' = (v; w)      (nurbs eq. 11-20)
// Three steps: a global search by bounds when a pair is new; Newton on the collinear normals; and at
// every tick the contact velocity formulation with a counted number of Newton steps behind it.
#ifndef PL_COLLIDE_TRACK_H
#define PL_COLLIDE_TRACK_H

#include "collide/collide.h"
#include "shape/nurbs.h"

enum { plTrackMost = 8 }; ///< local minima of a pair

/// A local minimum. Plain data.
typedef struct {
    plUv a,
        b; ///< of a surface; of another shape: feature in `patch` (its own count), u and v on it
    uint64_t key;   ///< stays as long as it is followed
    double gap;     ///< at the last tick [m]
    uint32_t flags; ///< of the last tick: pl_track...
} plTrack;

enum {
    pl_trackCrossed = 1, ///< went over a seam
    pl_trackOpen = 2,    ///< stands on an open edge: there its normal is not the surfaces'
    pl_trackPole = 4,
    pl_trackSingular = 8 ///< K is near-singular: a line or an area touches, or equal curvatures do
};

/// What a pair remembers. Zeroed: nothing. Plain data.
typedef struct {
    int count;
    bool known;      ///< followed at the last tick
    plFrame between; ///< b's shape in a's at the last tick
    uint64_t next;   ///< key of the next new one
    int64_t searches, jumps,
        crossings; ///< in all: global searches, minima lost and found elsewhere, seams
    plTrack list[plTrackMost];
} plTracks;

/// Contacts of a pair with a NURBS, by keys in ascending order; minima farther than `reach` are
/// followed too, but not reported.
void plCollide_Track(const plShape* a, const plFrame* carrierA, const plShape* b,
                     const plFrame* carrierB, double reach, plTracks*, plManifold*);

#endif
