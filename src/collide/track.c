// Following contacts of sculpted surfaces from tick to tick.
//
// A tick costs a prediction and one or two Newton steps for each minimum. A minimum is lost when it
// does not settle, when it is none any more (the sign of its matrix's determinant changed: it met a
// saddle), or when it went farther than the motion explains. Then the pair is searched anew, and what
// is found at the same place keeps its key.
// New minima are looked for piece by piece: one piece of f each time the shapes have gone a sixteenth
// of the reach, those with bounds near g only, in turn. So a pair of n near pieces is looked over
// once in n/16 of the reach.
#include "collide/manifold.h"
#include "collide/track_inside.h"

typedef struct {
    plSide f;
    const plShape* other; ///< nurbs, plane, convex or compound
    plFrame between;      ///< carrier of g in the shape of f
    bool swap;            ///< f is b
    double reach;
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

// --- two surfaces: the velocity formulation

static void frameOf(const plSide* side, plUv at, plContactFrame* c)
{
    plSurfel s;
    plNurbs_At(side->shape->nurbs, at, &s);
    if (!side->still) {
        const plMat3* R = &side->frame.R;
        s.S = plOut(&side->frame, s.S);
        s.u = plMul(R, s.u), s.v = plMul(R, s.v);
        s.uu = plMul(R, s.uu), s.uv = plMul(R, s.uv), s.vv = plMul(R, s.vv);
    }
    plContactFrame_Set(c, &s, plNurbs_Inward(side->shape->nurbs));
}

/// False: a step that K does not give, or that ends at an edge or a pole.
static bool step(const plSide* f, const plSide* g, plTrack* t, plTrackEnd* ends[2], double* d)
{
    const plSide* sides[2] = {f, g};
    for (int i = 0; i < 2; i++) {
        const plWalk walk =
            plNurbs_Walk(sides[i]->shape->nurbs, &ends[i]->at, d[2 * i], d[2 * i + 1]);
        if (walk == pl_walkCrossed) t->flags |= pl_trackCrossed;
        if (walk == pl_walkOpen || walk == pl_walkPole) return false;
    }
    return true;
}

/// u += A B (change of the frames), from where both were at the last tick.        (nurbs eq. 20)
static bool predict(const Job* job, const plSide* f, const plSide* g, plTrack* t,
                    plTrackEnd* ends[2])
{
    plContactFrame cf, cg;
    plContactKin k;
    double d[4];
    const plSide then = sideOf(job, &job->tracks->between, 0);
    frameOf(f, ends[0]->at, &cf);
    frameOf(&then, ends[1]->at, &cg);
    if (cf.pole || cg.pole) return false;
    plContactKin_Set(&k, &cf, &cg);
    const plVec3 p = plOut(&g->frame, plInto(&then.frame, cg.p));
    const plMat3 turn = plMatMulT(&g->frame.R, &then.frame.R);
    plContactKin_Velocity(&cg, plSub(p, cg.p), plLog(&turn), d);
    return plContactKin_Solve(&k, d) && step(f, g, t, ends, d);
}

static double lengthOf(const plContactFrame* c, const double* d)
{
    const double x = c->E.m[0][0] * d[0] + c->E.m[0][1] * d[1], y = c->E.m[1][1] * d[1];
    return sqrt(x * x + y * y);
}

static void meet(const plContactFrame* cf, const plContactFrame* cg, const plContactKin* k,
                 plMeeting* m)
{
    *m = (plMeeting){.f = {.dim = 2, .p = cf->p}, .g = {.dim = 2, .p = cg->p}};
    m->n = cf->z;
    m->beta = m->gap = k->beta;
    const double sigma = plContactKin_Sigma(k, cf, cg);
    m->sound = sigma > 0 && plDot(cf->z, cg->z) < 0;
    m->singular = fabs(sigma) * plTrackLength < plTrackSingular;
}

/// Newton with the same K until steps are below 1e-12 m. False: not settled.      (nurbs eq. 13)
static bool correct(const plSide* f, const plSide* g, plTrack* t, plTrackEnd* ends[2], plMeeting* m)
{
    enum { steps = 5 };
    for (int i = 0; i < steps; i++) {
        plContactFrame cf, cg;
        plContactKin k;
        double d[4];
        frameOf(f, ends[0]->at, &cf);
        frameOf(g, ends[1]->at, &cg);
        if (cf.pole || cg.pole) return false;
        plContactKin_Set(&k, &cf, &cg);
        for (int j = 0; j < 4; j++) d[j] = k.r[j];
        if (!plContactKin_Solve(&k, d)) return false;
        const double length = lengthOf(&cf, d) + lengthOf(&cg, d + 2);
        if (length <= 1e-12) {
            meet(&cf, &cg, &k, m);
            return !m->singular && m->sound;
        }
        if (!(length < 0.1 * f->shape->size) || !step(f, g, t, ends, d)) return false;
    }
    return false;
}

/// Over a crease the normals jump; K knows nothing of it.
static bool isSmooth(const Job* job, const plSide* f, const plSide* g, const plTrack* before,
                     const plTrack* t)
{
    const plTrackEnd* was[2] = {&before->a, &before->b};
    const plTrackEnd* is[2] = {&t->a, &t->b};
    for (int i = 0; i < 2; i++) {
        if (was[i]->at.patch == is[i]->at.patch) continue;
        const plNurbs* n = ((i == 0) != job->swap ? f : g)->shape->nurbs;
        if (plDot(plNurbs_Normal(n, was[i]->at), plNurbs_Normal(n, is[i]->at)) < 0.9) return false;
    }
    return true;
}

static bool followSurfaces(const Job* job, const plSide* f, const plSide* g, plTrack* t,
                           plMeeting* m)
{
    const plTrack before = *t;
    plTrackEnd* ends[2] = {endF(job, t), endG(job, t)};
    if (predict(job, f, g, t, ends) && correct(f, g, t, ends, m) &&
        isSmooth(job, f, g, &before, t)) {
        return true;
    }
    *t = before;
    return false;
}

// --- one minimum

static bool isOnEdge(const Job* job, plTrack* t)
{
    const plTrackEnd* f = endF(job, t);
    const plTrackEnd* g = endG(job, t);
    const bool surfaceG = job->other->kind == pl_shapeNurbs;
    return f->part != pl_trackFace || (surfaceG && g->part != pl_trackFace);
}

/// Points, edges and what K does not serve.
static bool followParts(const Job* job, const plSide* f, const plSide* g, plTrack* t, plMeeting* m)
{
    enum { steps = 12 };
    const bool support = t->flags & pl_trackSupport;
    plSettle s = {.f = f,
                  .g = g,
                  .endF = endF(job, t),
                  .endG = endG(job, t),
                  .most = 0.02 * f->shape->size,
                  .tilt = 1e-6,
                  .fixed = support};
    const bool settled = plSettle_Run(&s, steps, m);
    t->flags |= s.flags;
    return settled && (m->sound || m->singular) && plMeeting_IsOpposed(m);
}

/// The gap of a minimum cannot change by more than the shapes went. Its places may go faster: rolling
/// does where they nearly conform.
static bool hasJumped(const Job* job, const plTrack* t, const plVec3 before[2], const plMeeting* m,
                      double way)
{
    const double most = 0.02 * job->f.shape->size + 50 * way;
    return fabs(m->gap - t->gap) > 1.001 * way + 1e-9 || plNorm(plSub(m->f.p, before[0])) > most ||
           plNorm(plSub(m->g.p, before[1])) > most;
}

static bool follow(const Job* job, plTrack* t, double way, plMeeting* m)
{
    const plSide g = sideOf(job, &job->between, endG(job, t)->piece);
    const bool both = job->other->kind == pl_shapeNurbs;
    plElement e[2];
    plEnd_Element(&job->f, endF(job, t), &e[0]);
    plEnd_Element(&g, endG(job, t), &e[1]);
    const plVec3 before[2] = {e[0].p, e[1].p};
    t->flags &= pl_trackSupport;
    const bool smooth = both && !isOnEdge(job, t) && !e[0].pole && !e[1].pole;
    if (!(smooth && followSurfaces(job, &job->f, &g, t, m)) &&
        !followParts(job, &job->f, &g, t, m)) {
        return false;
    }
    if (hasJumped(job, t, before, m, way)) return false;
    t->gap = m->gap;
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

/// Those that are still there, as found; false: some are not.
static bool followAll(Job* job, double way, plFounds* out)
{
    plTracks* tracks = job->tracks;
    bool all = true;
    for (int i = 0; i < tracks->count; i++) {
        plTrack* t = &tracks->list[i];
        plMeeting m;
        const bool support = t->flags & pl_trackSupport;
        const bool kept = follow(job, t, way, &m);
        if (kept && support && m.gap > job->reach) continue; // is not needed any more
        if (kept) {
            const plFound found = foundOf(job, t, &m, i);
            plFounds_Add(out, &found);
            tracks->crossings += (t->flags & pl_trackCrossed) != 0;
        } else if (!support) {
            all = false;
        }
    }
    return all;
}

static void searchAll(Job* job, plFounds* out)
{
    job->tracks->searches++;
    for (int i = 0; i < pieceCount(job); i++) {
        const plSide g = sideOf(job, &job->between, i);
        const int* order;
        const plBounds* all = &plNurbs_Tree(job->f.shape->nurbs, &order)->bounds;
        if (pieceCount(job) > 1 && plSide_Apart(&g, all) > job->reach) continue;
        plTrack_Search(&job->f, &g, job->reach, -1, out);
    }
}

static void searchPiece(Job* job, plFounds* out)
{
    plTracks* tracks = job->tracks;
    const plNurbs* n = job->f.shape->nurbs;
    const int count = plNurbs_Pieces(n);
    enum { most = 64 }; // bounds a tick
    for (int i = 0; i < most && i < count; i++) {
        const int piece = tracks->turn++ % count;
        const plBounds b = plNurbs_PieceBounds(n, piece);
        bool met = false;
        for (int k = 0; k < pieceCount(job); k++) {
            const plSide g = sideOf(job, &job->between, k);
            if (plSide_Apart(&g, &b) > job->reach) continue;
            plTrack_Search(&job->f, &g, job->reach, piece, out);
            met = true;
        }
        tracks->turn %= count;
        if (met) return;
    }
}

static void addSupports(Job* job, plFounds* out)
{
    for (int i = 0; i < pieceCount(job); i++) {
        const plSide g = sideOf(job, &job->between, i);
        plTrack_Supports(&job->f, &g, job->reach, out);
    }
}

/// A lost one whose place is found again was not lost.
static void rename(const Job* job, const plTracks* old, const plFound* found, bool* used,
                   plTrack* t)
{
    for (int i = 0; i < old->count && !found->known; i++) {
        plTrack was = old->list[i];
        if (used[i] || endG(job, &was)->piece != found->g.piece) continue;
        const plSide g = sideOf(job, &job->between, found->g.piece);
        plElement f, e;
        plEnd_Element(&job->f, endF(job, &was), &f);
        plEnd_Element(&g, endG(job, &was), &e);
        const double off = plNorm(plSub(f.p, found->at.f.p)) + plNorm(plSub(e.p, found->at.g.p));
        if (off > 0.02 * job->f.shape->size) continue;
        used[i] = true;
        t->key = was.key;
        return;
    }
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
            if (x->known)
                t.key = old->list[x->known - 1].key;
            else
                rename(job, old, x, used, &t);
            if (t.key == 0) t.key = ++tracks->next;
            from[tracks->count] = i;
            tracks->list[tracks->count++] = t;
        }
    }
    for (int i = 0; i < old->count; i++) {
        tracks->jumps += !used[i] && !(old->list[i].flags & pl_trackSupport);
    }
}

static void report(const Job* job, const plFrame* world, const plFounds* found, const int* from,
                   const plFrame* carrierA, const plFrame* carrierB, plManifold* out)
{
    for (int i = 0; i < job->tracks->count; i++) {
        plTrack* t = &job->tracks->list[i];
        if (t->gap > job->reach || out->count == plPairPoints) continue;
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
    const double way = tracks->known ? wayOf(&job) : 0;
    tracks->way += way;
    if (!tracks->known || !followAll(&job, way, &found)) {
        searchAll(&job, &found);
        addSupports(&job, &found);
        tracks->way = 0;
    } else if (tracks->way > reach / 16) {
        searchPiece(&job, &found);
        addSupports(&job, &found);
        tracks->way = 0;
    }
    keep(&job, &old, &found, from);
    tracks->known = true;
    tracks->between = job.between;
    report(&job, &world, &found, from, carrierA, carrierB, out);
}
