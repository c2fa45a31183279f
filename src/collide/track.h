// Contacts of sculpted surfaces, followed from tick to tick.
//   in    two shapes, of which at least one is a NURBS, and their frames
//   out   local minima of their signed distance, as contacts
//   letters  f the surface of a, g that of b; beta = signed gap; E, F metric and curvature of a surface
//            in its contact frame; R the turn between both frames; K u' = (v; w)      (nurbs eq. 11-20)
// Three steps: a global search by bounds when a pair is new; Newton on the collinear normals; and at
// every tick the contact velocity formulation with a counted number of Newton steps behind it.
//
// Where a surface ends (an open edge) or has a crease, a contact may stand on the curve: then its
// normal is the other surface's, or for two curves square to both, or along the line between the two
// points. At an open edge there is no inside, and the gap is never negative by that line.
#ifndef PL_COLLIDE_TRACK_H
#define PL_COLLIDE_TRACK_H

#include "collide/collide.h"
#include "shape/shape.h"

enum { plTrackMost = 8 }; ///< local minima of a pair

/// What of a shape touches. A sphere is its centre, a capsule its axis, both grown by the radius.
typedef enum { pl_trackFace, pl_trackEdge, pl_trackCorner } plTrackPart;

PL_GAPLESS
/// Where one shape of a pair touches. Plain data.
typedef struct {
    plUv
        at; ///< of a NURBS. Of another shape: `patch` counts its faces, half-edges or vertices; u is
            ///< the place along an edge, u and v are that on a face's plane, by plTangents [m]
    plTrackPart part;
    int edge;  ///< of a NURBS's patch, when part is an edge
    int piece; ///< of a compound
    int unused;
} plTrackEnd;

/// A local minimum. Plain data.
typedef struct {
    plTrackEnd a, b;
    uint64_t key;   ///< stays as long as it is followed
    double gap;     ///< at the last tick [m]
    uint32_t flags; ///< of the last tick: pl_track...
    uint32_t unused;
} plTrack;
PL_GAPLESS_END

enum {
    pl_trackCrossed = 1,  ///< went over a seam
    pl_trackOpen = 2,     ///< stands on an edge: there its normal is not the surfaces'
    pl_trackPole = 4,     ///< stands on a pole
    pl_trackSingular = 8, ///< K is near-singular: a line or an area touches, or equal curvatures do
    pl_trackSupport = 16  ///< no minimum, but a corner that helps to carry a face
};

PL_GAPLESS
/// What a pair remembers. Zeroed: nothing. Plain data.
typedef struct {
    int count;
    bool known; ///< followed at the last tick
    bool unused[3];
    plFrame between; ///< carrier of the other in the shape of the (first) NURBS, at the last tick
    uint64_t next;   ///< key of the next new one
    int turn;        ///< piece that is looked at next for new minima
    int unusedToo;
    double way; ///< gone since the last such look; < 0: away from what is nearest, at least [m]
    int64_t searches, jumps,
        crossings; ///< in all: global searches, minima lost and found elsewhere, seams
    plTrack list[plTrackMost];
} plTracks;
PL_GAPLESS_END

/// Contacts of a pair with a NURBS, by keys in ascending order; minima farther than `reach` are
/// followed too, but not reported. Nothing is searched while bounds tell that the shapes are farther
/// apart than `reach`. Meshes are not met.
void plCollide_Track(const plShape* a, const plFrame* carrierA, const plShape* b,
                     const plFrame* carrierB, double reach, plTracks*, plManifold*);

#endif
