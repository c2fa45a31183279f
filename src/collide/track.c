// Following contacts of sculpted surfaces from tick to tick.
//
// A tick costs a prediction and one or two Newton steps for each minimum, in parts of the tick where a
// minimum runs fast. It is lost when it does not settle, when it is none any more (the sign of its
// matrix's determinant changed: it met a saddle), when it went farther than the motion explains, or
// through a wall. Then the pair is searched anew, and what is found at the same place keeps its key.
// The pair is also searched when the shapes went farther than the reach in one tick.
// New minima are looked for piece by piece: one piece of f for each sixteenth of the reach that the
// shapes have gone, at most four a tick, those with bounds near g only, in turn. So a pair of n near
// pieces is looked over once in n/16 of the reach.
#include "collide/manifold.h"
#include "collide/track_inside.h"

typedef struct {
    plSide f;
    const plShape* other; ///< nurbs, plane, convex or compound
    plFrame between;      ///< carrier of g in the shape of f
    bool swap;            ///< f is b
    double reach;
    double way; ///< that any point of g near f can have gone since the last tick [m]
    plTracks* tracks;
} Job;

// --- sides

static plSide sideOf(const Job* job, const plFrame* between, int piece)
{
    const plShape* s =
        job->other->kind == pl_shapeCompound ? &job->other->pieces[piece] : job->other;
    return (plSide){.shape = s, .frame = plShape_Frame(s, between), .piece = piece};
}

static int pieceCount(const Job* job)
{
    return job->other->kind == pl_shapeCompound ? job->other->pieceCount : 1;
}

static plTrackEnd* endF(const Job* job, plTrack* t) { return job->swap ? &t->b : &t->a; }
static plTrackEnd* endG(const Job* job, plTrack* t) { return job->swap ? &t->a : &t->b; }

// --- one minimum

static bool isOnEdge(const Job* job, plTrack* t)
{
    const plTrackEnd* f = endF(job, t);
    const plTrackEnd* g = endG(job, t);
    const bool surfaceG = job->other->kind == pl_shapeNurbs;
    return f->part != pl_trackFace || (surfaceG && g->part != pl_trackFace);
}

/// A part of the tick: where the other was and is, and how far any point went at most.
typedef struct {
    plFrame then, now;
    double way;
} Stretch;

/// How a minimum came through it: where its places were, carried along, and the first two steps.
typedef struct {
    plVec3 from[2];
    double steps[2];
} Passage;

static bool followSurfaces(const Job* job, const Stretch* s, plTrack* t, Passage* p, plMeeting* m)
{
    const plSide then = sideOf(job, &s->then, 0), now = sideOf(job, &s->now, 0);
    plRoll roll = {
        .f = &job->f, .then = &then, .now = &now, .endF = endF(job, t), .endG = endG(job, t)};
    if (!plRoll_Run(&roll, m)) return false;
    t->flags |= roll.flags;
    for (int i = 0; i < 2; i++) p->from[i] = roll.from[i], p->steps[i] = roll.steps[i];
    return true;
}

/// Points, edges and what K does not serve.
static bool followParts(const Job* job, const Stretch* s, plTrack* t, Passage* p, plMeeting* m)
{
    enum { steps = 12 };
    const plSide g = sideOf(job, &s->now, endG(job, t)->piece);
    plElement e;
    plSettle settle = {.f = &job->f,
                       .g = &g,
                       .endF = endF(job, t),
                       .endG = endG(job, t),
                       .most = 0.02 * job->f.shape->size,
                       .tilt = 1e-6,
                       .fixed = t->flags & pl_trackSupport};
    plEnd_Element(settle.f, settle.endF, &e), p->from[0] = e.p;
    plEnd_Element(settle.g, settle.endG, &e), p->from[1] = e.p;
    const bool settled = plSettle_Run(&settle, steps, m);
    t->flags |= settle.flags;
    for (int i = 0; i < 2; i++) p->steps[i] = settle.steps[i];
    return settled && (m->sound || m->singular) && plMeeting_IsOpposed(m);
}

/// The gap of a minimum cannot change by more than the shapes went. Its places may go farther, as in a
/// hollow that is nearly as round as what rolls in it. Then Newton must go straight to it, or it might
/// be another one.
static bool hasJumped(const Job* job, const Stretch* s, const plTrack* t, const Passage* p,
                      const plMeeting* m)
{
    const double size = job->f.shape->size;
    const bool straight = m->singular || p->steps[1] <= 0.25 * p->steps[0];
    const double most = straight ? 0.02 * size + 50 * s->way : 0.125 * job->way + 1e-6 * size;
    return fabs(m->gap - t->gap) > 1.001 * s->way + 1e-9 ||
           plNorm(plSub(m->f.p, p->from[0])) > most || plNorm(plSub(m->g.p, p->from[1])) > most;
}

static bool followFor(const Job* job, const Stretch* s, plTrack* t, plMeeting* m)
{
    Passage p;
    const bool smooth = job->other->kind == pl_shapeNurbs && !isOnEdge(job, t);
    if (!(smooth && followSurfaces(job, s, t, &p, m)) && !followParts(job, s, t, &p, m)) {
        return false;
    }
    if (hasJumped(job, s, t, &p, m)) return false;
    t->gap = m->gap;
    return true;
}

static plFrame frameAt(const Job* job, double share)
{
    const plFrame* then = &job->tracks->between;
    const plFrame* now = &job->between;
    if (share <= 0) return *then;
    if (share >= 1) return *now;
    const plMat3 whole = plMatMulT(&now->R, &then->R);
    const plMat3 turn = plRotation(plExp(plScale(share, plLog(&whole))));
    return (plFrame){plAddScaled(then->x, share, plSub(now->x, then->x)),
                     plMatMul(&turn, &then->R)};
}

/// In one step; where that goes too far or nowhere, in shorter ones, and longer again behind it. A
/// minimum that is about to meet a saddle runs ever faster: a thousandth of the tick is short enough.
static bool follow(const Job* job, plTrack* t, plMeeting* m)
{
    enum { most = 48 };
    Stretch s = {.then = job->tracks->between};
    double share = 0, step = 1;
    t->flags &= pl_trackSupport;
    for (int i = 0; i < most && share < 1 && step >= 1.0 / 1024; i++) {
        plTrack next = *t;
        const double to = plLower(1, share + step);
        s.now = frameAt(job, to);
        s.way = (to - share) * job->way;
        if (followFor(job, &s, &next, m)) {
            *t = next;
            share = to, step *= 2;
            s.then = s.now;
        } else {
            step = 0.25 * (to - share);
        }
    }
    if (share < 1) return false;
    if (m->singular) t->flags |= pl_trackSingular;
    if (isOnEdge(job, t)) t->flags |= pl_trackOpen;
    return true;
}

// --- all of them

static plFound foundOf(const Job* job, plTrack* t, const plMeeting* m, int index)
{
    return (plFound){
        .f = *endF(job, t), .g = *endG(job, t), .at = *m, .flags = t->flags, .known = index + 1};
}

/// What went deep may have gone through, and lead to the far side of a wall.
static bool isThrough(const Job* job, const plTrackEnd* endG, const plMeeting* m)
{
    const plSide g = sideOf(job, &job->between, endG->piece);
    bool doubtful;
    return -m->beta > job->reach && !plTrack_IsWayOut(&job->f, &g, m, &doubtful);
}

/// How far the places of an old one, carried along, are from those of a found one.
static double offOf(const Job* job, plTrack* was, const plFound* found)
{
    const plSide g = sideOf(job, &job->between, found->g.piece);
    plElement f, e;
    plEnd_Element(&job->f, endF(job, was), &f);
    plEnd_Element(&g, endG(job, was), &e);
    return plNorm(plSub(f.p, found->at.f.p)) + plNorm(plSub(e.p, found->at.g.p));
}

/// Two that come to one place: that which went farther has slipped. True: the place is new.
static bool addFollowed(const Job* job, const plTracks* old, const plFound* found, plFounds* out)
{
    plFound* same = plFounds_Find(out, found);
    plFounds_Add(out, found);
    if (!same) return true;
    plTrack was = old->list[found->known - 1], other = old->list[same->known - 1];
    if (offOf(job, &was, found) < offOf(job, &other, same)) *same = *found;
    return false;
}

/// Those that are still there, as found; false: some are not.
static bool followAll(Job* job, const plTracks* old, plFounds* out)
{
    plTracks* tracks = job->tracks;
    bool all = true;
    for (int i = 0; i < tracks->count; i++) {
        plTrack* t = &tracks->list[i];
        plMeeting m;
        const bool support = t->flags & pl_trackSupport;
        const bool kept = follow(job, t, &m) && !isThrough(job, endG(job, t), &m);
        if (kept && support && m.gap > job->reach) continue; // is not needed any more
        if (kept) {
            const plFound found = foundOf(job, t, &m, i);
            all &= addFollowed(job, old, &found, out) || support;
            tracks->crossings += (t->flags & pl_trackCrossed) != 0;
        } else if (!support) {
            all = false;
        }
    }
    return all;
}

/// All minima, unless bounds tell that the shapes are apart: then it is looked again when they may have
/// come near.
static void searchAll(Job* job, plFounds* out)
{
    double apart = INFINITY;
    for (int i = 0; i < pieceCount(job); i++) {
        const plSide g = sideOf(job, &job->between, i);
        apart = plLower(apart, plTrack_Search(&job->f, &g, job->reach, NULL, out));
    }
    const bool far = apart > job->reach;
    job->tracks->way = far ? -apart : 0;
    job->tracks->searches += !far;
}

static bool isNear(const Job* job, const plBounds* b)
{
    for (int k = 0; k < pieceCount(job); k++) {
        const plSide g = sideOf(job, &job->between, k);
        if (plSide_Apart(&g, b) <= job->reach) return true;
    }
    return false;
}

/// The next pieces of f that are near g, as many as are wanted.
static void searchPieces(Job* job, int wanted, plFounds* out)
{
    plTracks* tracks = job->tracks;
    const plNurbs* n = job->f.shape->nurbs;
    const int count = plNurbs_Pieces(n);
    enum { most = 64 }; // bounds a tick
    plPick pick = {.count = 0};
    for (int i = 0; i < most && i < count && pick.count < wanted; i++) {
        const int piece = tracks->turn % count;
        const plBounds b = plNurbs_PieceBounds(n, piece);
        tracks->turn = piece + 1;
        if (isNear(job, &b)) pick.list[pick.count++] = piece;
    }
    for (int k = 0; pick.count > 0 && k < pieceCount(job); k++) {
        const plSide g = sideOf(job, &job->between, k);
        plTrack_Search(&job->f, &g, job->reach, &pick, out);
    }
}

static void addSupports(Job* job, plFounds* out)
{
    for (int i = 0; i < pieceCount(job); i++) {
        const plSide g = sideOf(job, &job->between, i);
        plTrack_Supports(&job->f, &g, job->reach, out);
    }
}

/// A lost one whose place is found again was not lost: the nearest that is free, or -1.
static int findAgain(const Job* job, const plTracks* old, const plFound* found, const bool* used)
{
    double least = 0.02 * job->f.shape->size;
    int nearest = -1;
    for (int i = 0; i < old->count; i++) {
        plTrack was = old->list[i];
        if (used[i] || endG(job, &was)->piece != found->g.piece) continue;
        const double off = offOf(job, &was, found);
        if (off <= least) least = off, nearest = i;
    }
    return nearest;
}

/// Minima first, nearest first, then supports; those far away are let go, except the nearest.
/// `from`: which of the found each one is.
static void keep(Job* job, const plTracks* old, const plFounds* found, int* from)
{
    plTracks* tracks = job->tracks;
    bool used[plTrackMost] = {false};
    for (int i = 0; i < found->count; i++) {
        if (found->list[i].known) used[found->list[i].known - 1] = true;
    }
    tracks->count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < found->count && tracks->count < plTrackMost; i++) {
            const plFound* x = &found->list[i];
            if (((x->flags & pl_trackSupport) != 0) != pass) continue;
            if (tracks->count > 0 && x->at.gap > 2 * job->reach) continue;
            plTrack t = {.gap = x->at.gap, .flags = x->flags};
            *endF(job, &t) = x->f;
            *endG(job, &t) = x->g;
            if (x->at.singular) t.flags |= pl_trackSingular;
            if (isOnEdge(job, &t)) t.flags |= pl_trackOpen;
            const int was = x->known ? x->known - 1 : findAgain(job, old, x, used);
            if (was >= 0) used[was] = true;
            t.key = was >= 0 ? old->list[was].key : ++tracks->next;
            from[tracks->count] = i;
            tracks->list[tracks->count++] = t;
        }
    }
    for (int i = 0; i < old->count; i++) {
        tracks->jumps += !used[i] && !(old->list[i].flags & pl_trackSupport);
    }
}

/// A foot in what trimming has cut away touches nothing.
static bool isCutAway(const Job* job, plTrack* t)
{
    return !plNurbs_Inside(job->f.shape->nurbs, endF(job, t)->at) ||
           (job->other->kind == pl_shapeNurbs &&
            !plNurbs_Inside(job->other->nurbs, endG(job, t)->at));
}

/// Of a NURBS only the foot is known, as a point of the material. A flat face has the better normal.
static plNormalKind kindOf(const Job* job, const plMeeting* m)
{
    if (job->other->kind == pl_shapeNurbs) return pl_normalFixed;
    const plNormalKind kind = plNormalKind_Of(m->f.dim, m->g.dim);
    return job->swap ? plNormalKind_Swapped(kind) : kind;
}

static void setModel(const Job* job, const plFrame* world, const plMeeting* m, plGapSides* sides,
                     plPoint* p)
{
    const plElement* a = job->swap ? &m->g : &m->f;
    const plElement* b = job->swap ? &m->f : &m->g;
    sides->radiusA = a->radius, sides->radiusB = b->radius;
    plGapModel_Set(p, sides, kindOf(job, m), plMulT(&sides->carrierA->R, plMul(&world->R, a->t[0])),
                   plMulT(&sides->carrierB->R, plMul(&world->R, b->t[0])));
}

static void report(const Job* job, const plFrame* world, const plFounds* found, const int* from,
                   const plFrame* carrierA, const plFrame* carrierB, plManifold* out)
{
    plGapSides sides = {carrierA, carrierB, .size = plLower(job->f.shape->size, job->other->size)};
    for (int i = 0; i < job->tracks->count; i++) {
        plTrack* t = &job->tracks->list[i];
        if (t->gap > job->reach || out->count == plPairPoints || isCutAway(job, t)) continue;
        const plMeeting* m = &found->list[from[i]].at;
        const plVec3 n = plMul(&world->R, m->n);
        const plVec3 f = plOut(world, m->f.p);
        const plVec3 g = plAddScaled(plOut(world, m->g.p), m->g.radius, n);
        plPoint* p = &out->points[out->count++];
        *p = (plPoint){.key = t->key, .gap = m->gap};
        p->a = job->swap ? g : f;
        p->b = job->swap ? f : g;
        p->n = job->swap ? plScale(-1, n) : n;
        p->localA = plInto(carrierA, p->a);
        p->localB = plInto(carrierB, p->b);
        setModel(job, world, m, &sides, p);
    }
    plManifold_Sort(out);
}

/// How far any point of g near f can have gone past f.
static double wayOf(const Job* job)
{
    const plFrame* now = &job->between;
    const plFrame* then = &job->tracks->between;
    const plMat3 turn = plMatMulT(&now->R, &then->R);
    const double size = job->f.shape->size + plNorm(now->x);
    return plNorm(plSub(now->x, then->x)) + plNorm(plLog(&turn)) * size;
}

/// Supports go before a search, and are found again after it: near them there may be a minimum.
static void dropSupports(plFounds* found)
{
    int kept = 0;
    for (int i = 0; i < found->count; i++) {
        if (!(found->list[i].flags & pl_trackSupport)) found->list[kept++] = found->list[i];
    }
    found->count = kept;
}

/// Looks for new minima, as often as the way tells. False: it is better to search anew.
static bool lookAround(Job* job, plFounds* found)
{
    plTracks* tracks = job->tracks;
    const double pace = job->reach / 16;
    if (tracks->way < 0) return tracks->way < -job->reach;
    if (!(tracks->way > pace)) return true;
    dropSupports(found);
    if (found->count == 0) return false;
    const int wanted = (int)plLower(tracks->way / pace, plPickMost);
    searchPieces(job, wanted, found);
    tracks->way = plLower(tracks->way - wanted * pace, pace);
    addSupports(job, found);
    return true;
}

static void searchAnew(Job* job, plFounds* found)
{
    dropSupports(found);
    searchAll(job, found);
    addSupports(job, found);
}

static bool isPlace(const plFrame* f)
{
    return plFinite3(f->x) && plFinite3(f->R.x) && plFinite3(f->R.y) && plFinite3(f->R.z);
}

void plCollide_Track(const plShape* a, const plFrame* carrierA, const plShape* b,
                     const plFrame* carrierB, double reach, plTracks* tracks, plManifold* out)
{
    const bool swap = a->kind != pl_shapeNurbs;
    const plShape* f = swap ? b : a;
    const plFrame world = plShape_Frame(f, swap ? carrierB : carrierA);
    Job job = {.f = {.shape = f, .frame = {.R = plIdentity3()}, .still = true},
               .other = swap ? a : b,
               .between = plBetween(&world, swap ? carrierA : carrierB),
               .swap = swap,
               .reach = reach,
               .tracks = tracks};
    plFounds found; // large: only its count is set
    found.count = 0;
    int from[plTrackMost];
    out->count = 0;
    out->full = false;
    if (!isPlace(&job.between)) return;
    const plTracks old = *tracks;
    if (tracks->known) job.way = wayOf(&job);
    tracks->way += job.way;
    const bool all = tracks->known && followAll(&job, &old, &found);
    // Farther than the reach in one tick: it may be anywhere.
    if (!all || job.way > reach || !lookAround(&job, &found)) searchAnew(&job, &found);
    keep(&job, &old, &found, from);
    tracks->known = true;
    tracks->between = job.between;
    report(&job, &world, &found, from, carrierA, carrierB, out);
}
