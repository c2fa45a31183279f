// Skins against rigid shapes.
//
// Every point of the skin near the shape has its own signed distance, with the plane through the
// nearest point of the surface: a convex shape lies behind it, so that holding the points holds all
// of a face whose points share a plane. Where they do not (a small ball, a corner or an edge of a
// box in the middle of a coarse face), the corners and edges of the shape's core have contacts with
// the faces and edges of the skin. Those that the points' own contacts imply are left out.
#include "collide/skin_inside.h"

typedef struct {
    plSkinBody* s;
    const plShape* shape;
    const plFrame* carrier;
    plFrame frame; ///< of the shape in the world
    plCore core;
    plVec3 middle; ///< of the core, world
    double reach;
    uint32_t piece; ///< in place, above the features
    plBounds near;  ///< of the faces near the shape
    uint64_t mark;  ///< of the points' contacts
    int vertex;     ///< of the core, looked at
    plVec3 at;      ///< and its place
    plSkinOut* out;
} Job;

static plSkinSide shapeSide(const Job* job, plSkinFeature type, int feature, plVec3 at)
{
    const plVec3 local = plInto(job->carrier, at);
    return (plSkinSide){type,  job->piece | (uint32_t)feature, -1, at,
                        local, {.radius = job->core.radius}};
}

// --- points of the skin

/// A point so near to a polytope that its direction is round-off lies on a face.
static plNearest onFace(const plShape* shape, plVec3 p)
{
    const plVec3 q = plInto(&shape->frame, p);
    plNearest near = {.distance = -INFINITY};
    for (int i = 0; i < shape->polytope->faceCount; i++) {
        const plFace* f = &shape->polytope->faces[i];
        const double d = plDot(f->n, q) - f->d;
        if (d > near.distance) near = (plNearest){d, plAddScaled(q, -d, f->n), f->n};
    }
    near.point = plOut(&shape->frame, near.point);
    near.normal = plMul(&shape->frame.R, near.normal);
    return near;
}

static void addPoint(Job* job, int i)
{
    plSkinBody* s = job->s;
    const plVec3 p = plInto(job->carrier, s->x[i]);
    plNearest near = plShape_Nearest(job->shape, p);
    if (!(near.distance <= job->reach)) return;
    const bool grazes = near.distance > 0 && near.distance < 1e-10 * job->shape->size;
    if (grazes && job->shape->polytope) near = onFace(job->shape, p);
    const plVec3 n = plMul(&job->carrier->R, near.normal);
    const plSkinSide one = plSkin_SideOfPoint(s, i);
    plSkinSide two = shapeSide(job, pl_skinShape, 0, plOut(job->carrier, near.point));
    two.local = near.point;
    two.end = (plSkinEnd){.shape = job->shape};
    s->spots[i] = (plSkinSpot){job->mark, near.distance, n};
    plSkinOut_Add(job->out, &one, &two, n, near.distance);
}

static void addPointsOf(Job* job, int face)
{
    plSkinBody* s = job->s;
    for (int k = 0; k < 3; k++) {
        const int i = s->skin->faces[3 * face + k];
        if (s->pointMarks[i] == job->mark || !plSkin_Touchable(s, i)) continue;
        s->pointMarks[i] = job->mark;
        addPoint(job, i);
    }
}

/// The contacts of the points with weights hold this one too: they push the same way, and when all
/// are closed it is open, to a millionth of the reach.
static bool isImplied(const Job* job, int face, plVec3 w, plVec3 n, double gap)
{
    const double weight[3] = {w.x, w.y, w.z};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        if (weight[k] == 0) continue;
        const plSkinSpot* spot = &job->s->spots[job->s->skin->faces[3 * face + k]];
        if (spot->mark != job->mark || plDot(spot->n, n) < 0.99) return false;
        sum += weight[k] * spot->gap;
    }
    return sum - gap <= 1e-6 * job->reach + 1e-12;
}

static void addUnlessImplied(Job* job, const plSkinSide* one, const plSkinSide* two, plVec3 n,
                             double gap)
{
    if (!isImplied(job, one->face, one->local, n, gap)) {
        plSkinOut_Add(job->out, one, two, n, gap);
    }
}

// --- vertices of the core

/// Is the vertex lowest along n, nearly? Its surface lies there then.
static bool coreHolds(const Job* job, plVec3 n)
{
    const plVec3 d = plMulT(&job->frame.R, n), v = job->core.v[job->vertex];
    for (int i = 0; i < job->core.count; i++) {
        const plVec3 r = plSub(job->core.v[i], v);
        if (plDot(d, r) < -plSkinTilt * plNorm(r)) return false;
    }
    return true;
}

static void addFoot(void* self, const plFoot* f)
{
    Job* job = self;
    const double r = job->core.radius, gap = f->height - r;
    const bool inside = f->height < 0;
    // Outside, a point of the skin has its own contact. Over a face any corner on the near side of
    // its body may come down, but what is round has its surface elsewhere.
    const bool away = plDot(f->n, plSub(job->at, job->middle)) > 0;
    if (f->type == pl_skinPoint && !inside) return;
    if ((f->type == pl_skinEdge || r > 0 || away) && !inside && !coreHolds(job, f->n)) return;
    const plSkinSide one = plFoot_Side(f);
    plSkinSide two = shapeSide(job, pl_skinPoint, job->vertex, plAddScaled(job->at, -r, f->n));
    two.end.point = plInto(job->carrier, job->at);
    addUnlessImplied(job, &one, &two, plScale(-1, f->n), gap);
}

static void addVertices(Job* job)
{
    const double limit = job->reach + job->core.radius;
    plVec3 sum = {0, 0, 0};
    for (int i = 0; i < job->core.count; i++) sum = plAdd(sum, job->core.v[i]);
    job->middle = plOut(&job->frame, plScale(1.0 / job->core.count, sum));
    for (int i = 0; i < job->core.count; i++) {
        job->vertex = i;
        job->at = plOut(&job->frame, job->core.v[i]);
        const plBounds box = plBounds_Grow((plBounds){job->at, job->at}, limit);
        if (plBounds_Meet(&box, &job->near)) plSkin_Feet(job->s, job->at, limit, addFoot, job);
    }
}

// --- edges of the core

typedef struct {
    int index;
    plVec3 c0, c1;
    plRim rim;
} CoreEdge;

static CoreEdge segmentOf(const Job* job)
{
    return (CoreEdge){
        0, plOut(&job->frame, job->core.v[0]), plOut(&job->frame, job->core.v[1]), {0}};
}

static CoreEdge edgeOfPolytope(const Job* job, int index)
{
    const plPolytope* t = job->core.polytope;
    const int twin = t->edges[index].twin, half[2] = {index, twin};
    CoreEdge e = {.index = index,
                  .c0 = plOut(&job->frame, t->vertices[t->edges[index].origin]),
                  .c1 = plOut(&job->frame, t->vertices[t->edges[twin].origin]),
                  .rim = {.count = 2}};
    const plVec3 d = plSub(e.c1, e.c0);
    const double length = plNorm(d);
    for (int i = 0; i < 2; i++) {
        const plVec3 n = plMul(&job->frame.R, t->faces[t->edges[half[i]].face].n);
        e.rim.into[i] = plScale((i == 0 ? 1 : -1) / length, plCross(n, d));
        e.rim.out = plAdd(e.rim.out, plSub(n, e.rim.into[i]));
    }
    return e;
}

static bool isShortest(const Job* job, int edge, plVec3 at, double depth)
{
    if (plSkin_IsDeep(job->s, at, depth)) return true;
    const int* faces = job->s->edges[edge].face;
    for (int i = 0; i < 2 && faces[i] >= 0; i++) {
        plSkinTriangle t;
        plSkin_Triangle(job->s, faces[i], &t);
        if (plIsShortest(&job->core, &job->frame, &t.core, &t.frame, depth)) return true;
    }
    return false;
}

static void addCrossing(Job* job, const CoreEdge* e, int edge)
{
    const plSkinBody* s = job->s;
    const int* p = s->edges[edge].p;
    const double r = job->core.radius;
    plCrossing c;
    if (!plCrossing_Find(e->c0, e->c1, s->x[p[0]], s->x[p[1]], job->reach + r, &c)) return;
    const plRim rim = plSkin_Rim(s, edge);
    const plVec3 out = plDot(c.n, rim.out) < 0 ? plScale(-1, c.n) : c.n;
    const plVec3 n = plScale(-1, out); // from the shape to the skin
    if (!plRim_Holds(&rim, out) || !plRim_Holds(&e->rim, n)) return;
    const double height = plDot(out, plSub(c.a, c.b));
    if (height < 0 && !isShortest(job, edge, c.a, -height)) return;
    const plSkinSide one = plSkin_SideOfEdge(s, edge, c.t, c.b);
    plSkinSide two = shapeSide(job, pl_skinEdge, e->index, plAddScaled(c.a, r, n));
    const plVec3 along = plSub(e->c1, e->c0);
    two.end.point = plInto(job->carrier, c.a);
    two.end.edge = plMulT(&job->carrier->R, plScale(1 / plNorm(along), along));
    addUnlessImplied(job, &one, &two, n, height - r);
}

static void addCrossings(Job* job, const CoreEdge* e)
{
    plSkinBody* s = job->s;
    plBounds box = plBounds_Add(&(plBounds){e->c0, e->c0}, e->c1);
    box = plBounds_Grow(box, job->reach + job->core.radius);
    if (!plBounds_Meet(&box, &job->near)) return;
    plSkinWalk walk = plSkin_Walk(s, &box);
    s->mark++;
    for (int face = plSkinWalk_Next(&walk); face >= 0; face = plSkinWalk_Next(&walk)) {
        for (int k = 0; k < 3; k++) {
            const int edge = s->edgeOf[3 * face + k];
            if (s->edgeMarks[edge] == s->mark || !plSkin_EdgeTouchable(s, edge)) continue;
            s->edgeMarks[edge] = s->mark;
            addCrossing(job, e, edge);
        }
    }
}

static void addEdges(Job* job)
{
    if (job->core.count == 2) {
        const CoreEdge e = segmentOf(job);
        addCrossings(job, &e);
    }
    const plPolytope* t = job->core.polytope;
    for (int i = 0; t && i < t->edgeCount; i++) {
        if (t->edges[i].twin < i) continue;
        const CoreEdge e = edgeOfPolytope(job, i);
        addCrossings(job, &e);
    }
}

// --- all together

static void meetConvex(Job* job)
{
    plSkinBody* s = job->s;
    const plBounds box = plBounds_Grow(plShape_Bounds(job->shape, job->carrier), job->reach);
    plSkinWalk walk = plSkin_Walk(s, &box);
    job->near = plBounds_None();
    job->mark = ++s->mark;
    for (int face = plSkinWalk_Next(&walk); face >= 0; face = plSkinWalk_Next(&walk)) {
        const plBounds b = plSkin_FaceBounds(s, face);
        job->near = plBounds_Join(&job->near, &b);
        addPointsOf(job, face);
    }
    if (job->near.lo.x > job->near.hi.x) return;
    job->frame = plShape_Frame(job->shape, job->carrier);
    plCore_Set(&job->core, job->shape);
    addVertices(job);
    addEdges(job);
}

/// A half-space holds faces by their points alone.
static void meetPlane(Job* job)
{
    plSkinBody* s = job->s;
    const plFrame f = plShape_Frame(job->shape, job->carrier);
    const plVec3 n = plMul(&f.R, job->shape->normal);
    job->mark = ++s->mark;
    for (int i = 0; i < s->nodeCount;) {
        const plSkinNode* node = &s->nodes[i];
        const plBounds* b = &s->bounds[i];
        const plVec3 low = plVec(n.x > 0 ? b->lo.x : b->hi.x, n.y > 0 ? b->lo.y : b->hi.y,
                                 n.z > 0 ? b->lo.z : b->hi.z);
        const bool far = plDot(n, plSub(low, f.x)) > job->reach;
        for (int k = 0; !far && k < node->count; k++) addPointsOf(job, s->order[node->first + k]);
        i = far ? node->skip : i + 1;
    }
}

void plSkin_MeetShape(plSkinBody* s, const plShape* shape, const plFrame* carrier, double reach,
                      plSkinOut* out)
{
    Job job = {.s = s, .shape = shape, .carrier = carrier, .reach = reach, .out = out};
    if (shape->kind == pl_shapePlane) {
        meetPlane(&job);
        return;
    }
    const bool compound = shape->kind == pl_shapeCompound;
    for (int i = 0; i < (compound ? shape->pieceCount : 1); i++) {
        if (compound) job.shape = &shape->pieces[i];
        job.piece = (uint32_t)i << 15;
        meetConvex(&job);
    }
}
