// Two skins, and the list that contacts go to.
//
// All cases of two triangles: points of each over faces, edges and points of the other, and edges
// that cross. A contact with an edge or a point counts only where both surfaces are convex enough
// to touch there.
#include "collide/skin_inside.h"

// --- sides

plSkinSide plSkin_SideOfPoint(const plSkinBody* s, int point)
{
    const int face = s->around[s->first[point]];
    const int* v = &s->skin->faces[3 * face];
    const plVec3 w = {v[0] == point, v[1] == point, v[2] == point};
    return (plSkinSide){pl_skinPoint, (uint32_t)point, face, s->x[point], w, {0}};
}

plSkinSide plSkin_SideOfEdge(const plSkinBody* s, int edge, double t, plVec3 at)
{
    const plSkinEdge* e = &s->edges[edge];
    const int* v = &s->skin->faces[3 * e->face[0]];
    double w[3];
    for (int k = 0; k < 3; k++) w[k] = v[k] == e->p[0] ? 1 - t : v[k] == e->p[1] ? t : 0;
    return (plSkinSide){pl_skinEdge, (uint32_t)edge, e->face[0], at, plGet3(w), {0}};
}

plSkinSide plFoot_Side(const plFoot* f)
{
    return (plSkinSide){f->type, (uint32_t)f->feature, f->face, f->q, plGet3(f->w), {0}};
}

// --- the list

void plSkinOut_Add(plSkinOut* out, const plSkinSide* one, const plSkinSide* two, plVec3 n,
                   double gap)
{
    // A face that has collapsed to nothing under the point has no direction to push.
    if (!(plDot(n, n) > 0.5)) return;
    if (out->count == out->capacity) {
        out->full = true;
        return;
    }
    const plSkinSide* a = out->swap ? two : one;
    const plSkinSide* b = out->swap ? one : two;
    const uint64_t kind = (uint64_t)a->type << 2 | (uint64_t)b->type;
    const plVec3 normal = out->swap ? plScale(-1, n) : n;
    out->list[out->count++] =
        (plTouch){.a = out->a,
                  .b = out->b,
                  .p = {.key = kind << 60 | (uint64_t)a->feature << 30 | b->feature,
                        .a = a->at,
                        .b = b->at,
                        .localA = a->local,
                        .localB = b->local,
                        .n = normal,
                        .gap = gap,
                        .faceA = a->face + 1,
                        .faceB = b->face + 1,
                        .model = {.a = a->local, .b = b->local, .n = normal},
                        .endA = a->end,
                        .endB = b->end}};
    plPoint* p = &out->list[out->count - 1].p;
    p->endA.type = a->type;
    p->endB.type = b->type;
}

static void sink(plTouch* heap, int i, int count)
{
    const plTouch t = heap[i];
    for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child].p.key < heap[child + 1].p.key) child++;
        if (t.p.key >= heap[child].p.key) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = t;
}

void plSkinOut_Sort(plSkinOut* out, int first)
{
    plTouch* list = out->list + first;
    const int count = out->count - first;
    for (int i = count / 2 - 1; i >= 0; i--) sink(list, i, count);
    for (int last = count - 1; last > 0; last--) {
        const plTouch top = list[0];
        list[0] = list[last];
        list[last] = top;
        sink(list, 0, last);
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (kept > 0 && list[kept - 1].p.key == list[i].p.key) continue;
        if (kept != i) list[kept] = list[i];
        kept++;
    }
    out->count = first + kept;
}

// --- points

typedef struct {
    plSkinBody* over;  ///< whose points stand
    plSkinBody* under; ///< on this one
    bool overIsA;
    int point;
    double reach;
    plSkinOut* out;
} Job;

/// Can the point touch along n (inward)? At an edge or point only where it is lowest, nearly; over
/// a face also when it may become so, which a point on the far side of its own body will not.
static bool pointHolds(const Job* job, const plFoot* f)
{
    const plSkinBody* s = job->over;
    const bool away = plDot(plSkin_PointNormal(s, job->point), f->n) > 0;
    if (f->type == pl_skinFace && !away) return true;
    return plSkin_PointHolds(s, job->point, f->n);
}

static void addFoot(void* self, const plFoot* f)
{
    Job* job = self;
    const bool outside = f->height >= 0;
    // Two points are found from both sides.
    if (f->type == pl_skinPoint && outside && !job->overIsA) return;
    if (outside && !pointHolds(job, f)) return;
    const plSkinSide point = plSkin_SideOfPoint(job->over, job->point), foot = plFoot_Side(f);
    if (job->overIsA)
        plSkinOut_Add(job->out, &point, &foot, f->n, f->height);
    else
        plSkinOut_Add(job->out, &foot, &point, plScale(-1, f->n), f->height);
}

static void addPoints(Job* job)
{
    plSkinBody* s = job->over;
    const plBounds box = plBounds_Grow(job->under->bounds[0], job->reach);
    plSkinWalk walk = plSkin_Walk(s, &box);
    s->mark++;
    for (int face = plSkinWalk_Next(&walk); face >= 0; face = plSkinWalk_Next(&walk)) {
        for (int k = 0; k < 3; k++) {
            const int i = s->skin->faces[3 * face + k];
            if (s->pointMarks[i] == s->mark || !plSkin_Touchable(s, i)) continue;
            s->pointMarks[i] = s->mark;
            job->point = i;
            plSkin_Feet(job->under, s->x[i], job->reach, addFoot, job);
        }
    }
}

// --- edges

static bool isShortest(const plSkinBody* a, int edgeA, const plSkinBody* b, int edgeB, double depth)
{
    const int* fa = a->edges[edgeA].face;
    const int* fb = b->edges[edgeB].face;
    for (int i = 0; i < 4; i++) {
        plSkinTriangle ta, tb;
        if (fa[i / 2] < 0 || fb[i % 2] < 0) continue;
        plSkin_Triangle(a, fa[i / 2], &ta);
        plSkin_Triangle(b, fb[i % 2], &tb);
        if (plIsShortest(&ta.core, &ta.frame, &tb.core, &tb.frame, depth)) return true;
    }
    return false;
}

static void addCrossing(const plSkinBody* a, int edgeA, const plRim* rimA, const plSkinBody* b,
                        int edgeB, double reach, plSkinOut* out)
{
    const int* p = a->edges[edgeA].p;
    const int* q = b->edges[edgeB].p;
    plCrossing c;
    if (!plCrossing_Find(a->x[p[0]], a->x[p[1]], b->x[q[0]], b->x[q[1]], reach, &c)) return;
    const plRim rimB = plSkin_Rim(b, edgeB);
    const plVec3 n = plDot(c.n, rimB.out) < 0 ? plScale(-1, c.n) : c.n;
    if (!plRim_Holds(&rimB, n) || !plRim_Holds(rimA, plScale(-1, n))) return;
    const double gap = plDot(n, plSub(c.a, c.b));
    if (gap < 0 && !plSkin_IsDeep(a, c.b, -gap) && !plSkin_IsDeep(b, c.a, -gap) &&
        !isShortest(a, edgeA, b, edgeB, -gap)) {
        return;
    }
    const plSkinSide one = plSkin_SideOfEdge(a, edgeA, c.s, c.a);
    const plSkinSide two = plSkin_SideOfEdge(b, edgeB, c.t, c.b);
    plSkinOut_Add(out, &one, &two, n, gap);
}

static void addCrossingsOf(const plSkinBody* a, int edgeA, plSkinBody* b, double reach,
                           plSkinOut* out)
{
    const int* p = a->edges[edgeA].p;
    const plBounds segment = plBounds_Add(&(plBounds){a->x[p[0]], a->x[p[0]]}, a->x[p[1]]);
    const plBounds box = plBounds_Grow(segment, reach);
    plSkinWalk walk = plSkin_Walk(b, &box);
    plRim rim;
    bool known = false;
    b->mark++;
    for (int face = plSkinWalk_Next(&walk); face >= 0; face = plSkinWalk_Next(&walk)) {
        if (!known) rim = plSkin_Rim(a, edgeA);
        known = true;
        for (int k = 0; k < 3; k++) {
            const int edge = b->edgeOf[3 * face + k];
            if (b->edgeMarks[edge] == b->mark || !plSkin_EdgeTouchable(b, edge)) continue;
            b->edgeMarks[edge] = b->mark;
            addCrossing(a, edgeA, &rim, b, edge, reach, out);
        }
    }
}

static void addCrossings(plSkinBody* a, plSkinBody* b, double reach, plSkinOut* out)
{
    const plBounds box = plBounds_Grow(b->bounds[0], reach);
    plSkinWalk walk = plSkin_Walk(a, &box);
    a->mark++;
    for (int face = plSkinWalk_Next(&walk); face >= 0; face = plSkinWalk_Next(&walk)) {
        for (int k = 0; k < 3; k++) {
            const int edge = a->edgeOf[3 * face + k];
            if (a->edgeMarks[edge] == a->mark || !plSkin_EdgeTouchable(a, edge)) continue;
            a->edgeMarks[edge] = a->mark;
            addCrossingsOf(a, edge, b, reach, out);
        }
    }
}

void plSkin_MeetSkin(plSkinBody* a, plSkinBody* b, double reach, plSkinOut* out)
{
    Job job = {.over = a, .under = b, .overIsA = true, .reach = reach, .out = out};
    addPoints(&job);
    job = (Job){.over = b, .under = a, .overIsA = false, .reach = reach, .out = out};
    addPoints(&job);
    addCrossings(a, b, reach, out);
}
