// All local minima of a pair, by bounds and samples.
//
// Pairs of pieces that bounds do not prove to be farther than the best minimum so far (and than the
// reach) are sampled; from samples that are nearest to each other, descent and Newton run. Everything
// is counted: pairs of pieces, nearest first, and runs.
#include "collide/track_inside.h"

enum { across = 5, samples = across * across, gridsMost = 16 };
enum { settlesMost = 32, settlesOfPiece = 3 };

typedef struct {
    plUv at;
    plVec3 p, n;
} Sample;

typedef struct {
    int piece;            ///< + 1
    double pitch, narrow; ///< largest and least distance of neighbours, about
    Sample s[samples];
} Grid;

typedef struct {
    const plSide *f, *g;
    plFounds* out;
    int settles; ///< runs that are left
    int deniedCount;
    plVec3 denied[plFoundMost]; ///< minima of f that were none
    bool hasDoubtful;
    plFound doubtful; ///< the shallowest of those with another wall nearby
    plPiecePairs pairs;
    Grid gridsF[gridsMost], gridsG[gridsMost];
} Job;

// --- samples

static void sample(const plNurbs* n, Sample* s)
{
    plSurfel e;
    plNurbs_At(n, s->at, &e);
    const plVec3 N = plCross(e.u, e.v);
    const double length = plNorm(N);
    s->p = e.S;
    s->n = plScale((plNurbs_Inward(n) ? -1 : 1) / length, N);
    if (!(length > 1e-6 * plDot(e.u, e.u)) || !(length > 1e-6 * plDot(e.v, e.v))) {
        s->n = plNurbs_Normal(n, s->at);
    }
}

static const Grid* gridOf(const plSide* side, int piece, Grid* grids)
{
    Grid* grid = &grids[piece % gridsMost];
    if (grid->piece == piece + 1) return grid;
    const plNurbs* n = side->shape->nurbs;
    grid->piece = piece + 1;
    for (int i = 0; i < samples; i++) {
        Sample* s = &grid->s[i];
        const double u = (double)(i / across) / (across - 1),
                     v = (double)(i % across) / (across - 1);
        s->at = plNurbs_UvOf(n, piece, u, v);
        sample(n, s);
        if (side->still) continue;
        s->p = plOut(&side->frame, s->p);
        s->n = plMul(&side->frame.R, s->n);
    }
    const plVec3 d1 = plSub(grid->s[samples - 1].p, grid->s[0].p);
    const plVec3 d2 = plSub(grid->s[across - 1].p, grid->s[samples - across].p);
    grid->pitch = plHigher(plNorm(d1), plNorm(d2)) / (across - 1);
    const int middle = samples / 2;
    const double u = plNorm(plSub(grid->s[middle + across].p, grid->s[middle].p));
    const double v = plNorm(plSub(grid->s[middle + 1].p, grid->s[middle].p));
    grid->narrow = plLower(u, v);
    return grid;
}

/// Is it next to a known one? In another patch that may be another sheet: there, only if very near.
static bool isNearFound(const Job* job, int patch, plVec3 f, plVec3 g, double pitch)
{
    for (int i = 0; i < job->out->count; i++) {
        const plFound* x = &job->out->list[i];
        const double near = x->f.at.patch == patch ? pitch : 1e-3 * pitch;
        if (plNorm(plSub(x->at.f.p, f)) < near && plNorm(plSub(x->at.g.p, g)) < near) return true;
    }
    return false;
}

/// Two minima are one where both places agree; where lines or areas touch, when they are close.
static bool isSame(const plFound* a, const plFound* b)
{
    const double near = a->at.singular && b->at.singular ? 1e-3 : 1e-7;
    return a->g.piece == b->g.piece && plNorm(plSub(a->at.f.p, b->at.f.p)) < near &&
           plNorm(plSub(a->at.g.p, b->at.g.p)) < near;
}

// --- from a start to a minimum

/// Found already, or turned down already.
static bool isOld(const Job* job, const plFound* x)
{
    for (int i = 0; i < job->out->count; i++) {
        if (isSame(&job->out->list[i], x)) return true;
    }
    for (int i = 0; i < job->deniedCount; i++) {
        if (plNorm(plSub(job->denied[i], x->at.f.p)) < 1e-7) return true;
    }
    return false;
}

static void deny(Job* job, const plFound* x)
{
    if (job->deniedCount < PL_COUNT(job->denied)) job->denied[job->deniedCount++] = x->at.f.p;
}

/// Where it would come to is too far to matter, or known.
static bool isPointless(const Job* job, const plFound* x, double near)
{
    plElement f, g;
    plEnd_Element(job->f, &x->f, &f);
    plEnd_Element(job->g, &x->g, &g);
    if (isNearFound(job, x->f.at.patch, f.p, g.p, near)) return true;
    const double gap = plNorm(plSub(f.p, g.p)) - g.radius;
    return job->out->count > 0 && gap > 1.2 * plPiecePairs_Limit(&job->pairs) + 0.1 * near;
}

/// Newton from a start; `near`: how far the starts are from each other.
static void tryFrom(Job* job, plTrackEnd f, plTrackEnd g, bool apart, double near)
{
    enum { descents = 8, steps = 12, rounds = 3 };
    plFound found = {.f = f, .g = g};
    double size = job->f->shape->size;
    if (plSide_IsNurbs(job->g)) size = plLower(size, job->g->shape->size);
    plSettle s = {.f = job->f,
                  .g = job->g,
                  .endF = &found.f,
                  .endG = &found.g,
                  .most = 0.1 * size,
                  .tilt = 1e-7};
    if (job->settles == 0) return;
    job->settles--;
    bool settled = false;
    for (int i = 0; i < (apart ? rounds : 1) && !settled; i++) {
        if (apart) plSettle_Descend(&s, descents);
        if (apart && isPointless(job, &found, 0.2 * near)) return;
        settled = plSettle_Run(&s, apart ? steps : 2 * steps, &found.at) &&
                  (found.at.sound || found.at.singular);
    }
    bool doubtful;
    if (!settled || isOld(job, &found) || !plMeeting_IsMinimum(&found.at)) return;
    const bool out = plTrack_IsWayOut(job->f, job->g, &found.at, &doubtful);
    if (!out || doubtful) {
        deny(job, &found);
        if (!out || (job->hasDoubtful && found.at.gap <= job->doubtful.at.gap)) return;
        job->doubtful = found;
        job->hasDoubtful = true;
        return;
    }
    found.flags = s.flags;
    job->pairs.least = plLower(job->pairs.least, plHigher(0, found.at.gap));
    plFounds_Add(job->out, &found);
}

static plTrackEnd endOf(plUv at, int piece) { return (plTrackEnd){.at = at, .piece = piece}; }

// --- two surfaces

static void trySamples(Job* job, const Sample* f, const Sample* g, double pitch, bool apart)
{
    if (isNearFound(job, f->at.patch, f->p, g->p, 0.5 * pitch)) return;
    tryFrom(job, endOf(f->at, 0), endOf(g->at, 0), apart, pitch);
}

static bool areApart(const Sample* f, const Sample* g)
{
    return plDot(plSub(f->p, g->p), plSub(g->n, f->n)) > 0;
}

/// How far two samples are from looking at each other: offset across the normals, and their angle.
static double askew(const Sample* f, const Sample* g, double size)
{
    const plVec3 d = plSub(f->p, g->p), n = plSub(g->n, f->n);
    const double n2 = plDot(n, n), along = n2 > 0 ? plDot(d, n) : 0;
    const double off2 = plDot(d, d) - (n2 > 0 ? along * along / n2 : 0);
    const double turn = size * (1 + plDot(f->n, g->n));
    return off2 + turn * turn;
}

static void meetGrids(Job* job, const Grid* f, const Grid* g, bool overlap)
{
    int nearestF[samples], nearestG[samples], bestF = 0, bestG = 0;
    double leastF[samples], leastG[samples], best = INFINITY;
    for (int i = 0; i < samples; i++)
        leastF[i] = leastG[i] = INFINITY, nearestF[i] = nearestG[i] = 0;
    for (int i = 0; i < samples; i++) {
        for (int k = 0; k < samples; k++) {
            const plVec3 d = plSub(f->s[i].p, g->s[k].p);
            const double d2 = plDot(d, d);
            if (d2 < leastF[i]) leastF[i] = d2, nearestF[i] = k;
            if (d2 < leastG[k]) leastG[k] = d2, nearestG[k] = i;
            if (!overlap) continue;
            const double a = askew(&f->s[i], &g->s[k], plLower(f->pitch, g->pitch));
            if (a < best) best = a, bestF = i, bestG = k;
        }
    }
    const double pitch = plLower(f->narrow, g->narrow);
    for (int i = 0; i < samples; i++) {
        const int k = nearestF[i];
        const double off = sqrt(leastF[i]) - 0.7 * (f->pitch + g->pitch);
        if (nearestG[k] != i || off > plPiecePairs_Limit(&job->pairs) ||
            !areApart(&f->s[i], &g->s[k]))
            continue;
        trySamples(job, &f->s[i], &g->s[k], pitch, true);
    }
    if (!overlap) return;
    trySamples(job, &f->s[bestF], &g->s[bestG], pitch, areApart(&f->s[bestF], &g->s[bestG]));
}

// --- a surface and something else

static bool isLeast(const double* d, int i)
{
    const int row = i / across, column = i % across;
    for (int r = row - 1; r <= row + 1; r++) {
        for (int c = column - 1; c <= column + 1; c++) {
            if (r < 0 || c < 0 || r >= across || c >= across) continue;
            if (d[r * across + c] < d[i]) return false;
        }
    }
    return true;
}

static void meetSolid(Job* job, const Grid* f)
{
    double d[samples];
    plTrackEnd ends[samples];
    for (int i = 0; i < samples; i++) d[i] = plEnd_Near(job->g, f->s[i].p, &ends[i]);
    for (int i = 0; i < samples; i++) {
        if (!isLeast(d, i) || d[i] - f->pitch > plPiecePairs_Limit(&job->pairs)) continue;
        plElement e;
        plEnd_Element(job->g, &ends[i], &e);
        if (isNearFound(job, f->s[i].at.patch, f->s[i].p, e.p, 0.5 * f->narrow)) continue;
        const plVec3 off = plSub(e.p, f->s[i].p);
        // From a point the unsigned distance leads to a minimum on both sides of the surface.
        const bool point = job->g->shape->kind == pl_shapeSphere;
        const bool apart = point || (d[i] > 0 && plDot(off, f->s[i].n) > 0);
        tryFrom(job, endOf(f->s[i].at, 0), ends[i], apart, f->narrow);
    }
}

/// The surface knows its place nearest to a point, by bounds alone.
static void startAtPoint(Job* job)
{
    plTrackEnd end;
    plElement e;
    plUv at;
    plEnd_Near(job->g, job->g->frame.x, &end);
    plEnd_Element(job->g, &end, &e);
    plNurbs_Nearest(job->f->shape->nurbs, e.p, &at, NULL);
    tryFrom(job, endOf(at, 0), end, true, 0);
}

// --- the list

plFound* plFounds_Find(plFounds* list, const plFound* found)
{
    for (int i = 0; i < list->count; i++) {
        if (isSame(&list->list[i], found)) return &list->list[i];
    }
    return NULL;
}

void plFounds_Add(plFounds* list, const plFound* found)
{
    if (plFounds_Find(list, found)) return;
    int k = list->count;
    if (k == plFoundMost) {
        k--;
        if (list->list[k].at.gap <= found->at.gap) return;
    } else {
        list->count++;
    }
    for (; k > 0 && list->list[k - 1].at.gap > found->at.gap; k--)
        list->list[k] = list->list[k - 1];
    list->list[k] = *found;
}

double plTrack_Search(const plSide* f, const plSide* g, double reach, const plPick* pick,
                      plFounds* out)
{
    Job job; // large: what is not set here is not read
    job.f = f, job.g = g, job.out = out;
    job.deniedCount = 0;
    job.settles = settlesMost;
    job.hasDoubtful = false;
    for (int i = 0; i < gridsMost; i++) job.gridsF[i].piece = job.gridsG[i].piece = 0;
    plPiecePairs_Find(f, g, reach, pick, &job.pairs);
    const double apart = job.pairs.count > 0 ? job.pairs.list[0].bound : 0;
    if (apart > reach) return apart;
    if (!pick && g->shape->kind == pl_shapeSphere) startAtPoint(&job);
    for (int i = 0; i < job.pairs.count; i++) {
        const plPiecePair* p = &job.pairs.list[i];
        if (p->bound > plPiecePairs_Limit(&job.pairs)) break;
        if (pick && (i == 0 || p->f != p[-1].f)) job.settles = settlesOfPiece;
        const Grid* gridF = gridOf(f, p->f, job.gridsF);
        if (plSide_IsNurbs(g)) {
            meetGrids(&job, gridF, gridOf(g, p->g, job.gridsG), p->bound == 0);
        } else {
            meetSolid(&job, gridF);
        }
    }
    const bool inside = out->count > 0 && out->list[0].at.gap <= 0;
    if (job.hasDoubtful && !inside) plFounds_Add(out, &job.doubtful);
    return apart;
}
