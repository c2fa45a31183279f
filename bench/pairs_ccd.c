// libccd: depth of convex pairs by MPR, which may be one or two hundredths too deep.
#include "pairs.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <stdlib.h>

typedef struct {
    const PairSolid* solid;
    ccd_quat_t q, back;
    ccd_vec3_t p;
} Body;

typedef struct {
    const Pairs* pairs;
    Body body[2];
    ccd_t ccd;
} Solids;

static void support(const void* self, const ccd_vec3_t* direction, ccd_vec3_t* out)
{
    const Body* b = self;
    const PairSolid* s = b->solid;
    ccd_vec3_t d = *direction;
    int best = 0;
    double most = -CCD_REAL_MAX;
    ccdQuatRotVec(&d, &b->back);
    for (int i = 0; i < s->count; ++i) {
        const plVec3 x = s->points[i];
        const double along = x.x * d.v[0] + x.y * d.v[1] + x.z * d.v[2];
        if (along > most) most = along, best = i;
    }
    ccdVec3Set(out, s->points[best].x, s->points[best].y, s->points[best].z);
    ccdQuatRotVec(out, &b->q);
    ccdVec3Add(out, &b->p);
}

static void center(const void* self, ccd_vec3_t* out) { *out = ((const Body*)self)->p; }

static void* create(const Pairs* pairs)
{
    Solids* s = calloc(1, sizeof *s);
    if (!s) exit(1);
    s->pairs = pairs;
    CCD_INIT(&s->ccd);
    s->ccd.support1 = s->ccd.support2 = support;
    s->ccd.center1 = s->ccd.center2 = center;
    s->ccd.max_iterations = 100;
    s->ccd.mpr_tolerance = 1e-6;
    for (int k = 0; k < 2; ++k) s->body[k].solid = &pairs->solid[k];
    return s;
}

static double depth(void* self, int i)
{
    Solids* s = self;
    ccd_real_t deep = 0;
    ccd_vec3_t direction, at;
    for (int k = 0; k < 2; ++k) {
        const plPose* p = &s->pairs->pose[k][i];
        Body* b = &s->body[k];
        ccdQuatSet(&b->q, p->q.x, p->q.y, p->q.z, p->q.w);
        ccdQuatInvert2(&b->back, &b->q);
        ccdVec3Set(&b->p, p->p.x, p->p.y, p->p.z);
    }
    ccdMPRPenetration(&s->body[0], &s->body[1], &s->ccd, &deep, &direction, &at);
    return -deep;
}

static void destroy(void* self) { free(self); }

const PairPeer* pairCcd(void)
{
    static const PairPeer peer = {create, NULL, depth, NULL, destroy};
    return &peer;
}
