// Pairs of pieces of two shapes that may be near, by bounds, tree against tree.
#include "collide/track_inside.h"

enum { visitsMost = 1 << 14, stackMost = 4 * plTreeDepth };

typedef struct {
    const plSide *f, *g;
    plPiecePairs* out;
    const plTreeNode *nodesF, *nodesG; // nodesG: null for what has no pieces
    const int *orderF, *orderG;
} Job;

typedef struct {
    int f, g;
    double bound;
} Visit;

double plPiecePairs_Limit(const plPiecePairs* p) { return plHigher(p->reach, p->least); }

/// Keeps the nearest, in no order.
static void keepPair(plPiecePairs* out, plPiecePair pair)
{
    if (out->count < plPiecePairsMost) {
        out->list[out->count++] = pair;
        return;
    }
    int worst = 0;
    for (int i = 1; i < plPiecePairsMost; i++) {
        if (out->list[i].bound > out->list[worst].bound) worst = i;
    }
    if (pair.bound < out->list[worst].bound) out->list[worst] = pair;
}

static plVec3 middleOf(const plSide* s, int piece)
{
    const plVec3 p = plNurbs_Place(s->shape->nurbs, plNurbs_UvOf(s->shape->nurbs, piece, 0.5, 0.5));
    return s->still ? p : plOut(&s->frame, p);
}

/// A distance that there is.
static double middlesApart(const Job* job, int f, int g)
{
    plTrackEnd end;
    const plVec3 p = middleOf(job->f, f);
    const double d =
        job->nodesG ? plNorm(plSub(p, middleOf(job->g, g))) : plEnd_Near(job->g, p, &end);
    return plHigher(0, d);
}

/// Of bounds of both; g counts for what has pieces only.
static double boundOf(const Job* job, const plBounds* f, const plBounds* g)
{
    if (!g) return plSide_Apart(job->g, f);
    const plBounds turned = plBounds_Turn(&job->g->frame, g);
    return plBounds_Apart(f, &turned);
}

static double pieceBound(const Job* job, const plBounds* f, int g)
{
    if (!job->nodesG) return boundOf(job, f, NULL);
    const plBounds b = plNurbs_PieceBounds(job->g->shape->nurbs, g);
    return boundOf(job, f, &b);
}

static void meetLeaves(Job* job, const Visit* v)
{
    const plTreeNode* f = &job->nodesF[v->f];
    const plTreeNode* g = job->nodesG ? &job->nodesG[v->g] : NULL;
    for (int i = 0; i < f->count; i++) {
        const int pieceF = job->orderF[f->first + i];
        const plBounds b = plNurbs_PieceBounds(job->f->shape->nurbs, pieceF);
        for (int k = 0; k < (g ? g->count : 1); k++) {
            const int pieceG = g ? job->orderG[g->first + k] : 0;
            const double bound = pieceBound(job, &b, pieceG);
            if (bound > plPiecePairs_Limit(job->out)) continue;
            job->out->least = plLower(job->out->least, middlesApart(job, pieceF, pieceG));
            keepPair(job->out, (plPiecePair){pieceF, pieceG, bound});
        }
    }
}

/// The larger of both is split; the nearer half is looked at first.
static int split(const Job* job, const Visit* v, Visit* stack, int count)
{
    const plTreeNode* f = &job->nodesF[v->f];
    const plTreeNode* g = job->nodesG ? &job->nodesG[v->g] : NULL;
    const bool leafG = !g || g->count > 0;
    bool splitF = f->count == 0;
    if (splitF && !leafG) {
        splitF =
            plNorm(plSub(f->bounds.hi, f->bounds.lo)) >= plNorm(plSub(g->bounds.hi, g->bounds.lo));
    }
    Visit halves[2];
    for (int i = 0; i < 2; i++) {
        Visit* h = &halves[i];
        h->f = splitF ? f->first + i : v->f;
        h->g = splitF || !g ? v->g : g->first + i;
        h->bound = boundOf(job, &job->nodesF[h->f].bounds, g ? &job->nodesG[h->g].bounds : NULL);
    }
    const bool swap = halves[0].bound < halves[1].bound;
    stack[count++] = halves[swap];
    stack[count++] = halves[!swap];
    return count;
}

static void visitAll(Job* job)
{
    Visit stack[stackMost];
    int count = 1;
    stack[0] = (Visit){0, 0, 0};
    for (int i = 0; i < visitsMost && count > 0; i++) {
        const Visit v = stack[--count];
        if (v.bound > plPiecePairs_Limit(job->out)) continue;
        const bool leafG = !job->nodesG || job->nodesG[v.g].count > 0;
        if ((job->nodesF[v.f].count > 0 && leafG) || count + 2 > stackMost) {
            meetLeaves(job, &v);
        } else {
            count = split(job, &v, stack, count);
        }
    }
}

static void sortPairs(plPiecePairs* out, int first)
{
    for (int i = first + 1; i < out->count; i++) {
        const plPiecePair p = out->list[i];
        int k = i;
        for (; k > first && out->list[k - 1].bound > p.bound; k--) out->list[k] = out->list[k - 1];
        out->list[k] = p;
    }
}

/// One piece of f against all of g.
static void visitPiece(Job* job, int piece)
{
    const plBounds b = plNurbs_PieceBounds(job->f->shape->nurbs, piece);
    const int count = job->nodesG ? plNurbs_Pieces(job->g->shape->nurbs) : 1;
    const int first = job->out->count;
    for (int k = 0; k < count; k++) {
        const double bound = pieceBound(job, &b, k);
        if (bound <= job->out->reach) keepPair(job->out, (plPiecePair){piece, k, bound});
    }
    sortPairs(job->out, first);
}

static Job jobOf(const plSide* f, const plSide* g, plPiecePairs* out)
{
    Job job = {.f = f, .g = g, .out = out};
    job.nodesF = plNurbs_Tree(f->shape->nurbs, &job.orderF);
    if (plSide_IsNurbs(g)) job.nodesG = plNurbs_Tree(g->shape->nurbs, &job.orderG);
    return job;
}

void plPiecePairs_Find(const plSide* f, const plSide* g, double reach, const plPick* pick,
                       plPiecePairs* out)
{
    Job job = jobOf(f, g, out);
    out->count = 0;
    out->reach = reach;
    out->least = pick ? 0 : INFINITY;
    if (!pick) {
        visitAll(&job);
        sortPairs(out, 0);
        return;
    }
    for (int i = 0; i < pick->count; i++) visitPiece(&job, pick->list[i]);
}
