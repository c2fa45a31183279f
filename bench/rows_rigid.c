// Rigid steps of 1 ms. Both engines start from the same places; piles from those to which palp has
// let them settle. What is measured first: how fast what should rest drifts, and how deep it sinks.
#include "bench.h"
#include "rigid.h"

#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>

enum { againstMuJoCo, againstBullet, againstOde };
enum { window = 500 }; // steps that are looked at

typedef struct {
    const BenchRow* row;
    RigidScene scene;
    const RigidEngine* engine[2]; // palp, the peer
    void* world[2];
} Problem;

// What an engine did in the window.
typedef struct {
    double drift; // [mm/s]
    double depth; // [mm]
    double residual;
    int contacts;
} Rest;

static const RigidEngine* peerOf(const BenchRow* row)
{
    if (row->against == againstMuJoCo) return rigidMuJoCo();
    return row->against == againstBullet ? rigidBullet() : rigidOde();
}

static void advance(const RigidEngine* e, void* world, int steps)
{
    for (int k = 0; k < steps; ++k) e->step(world);
}

static void* openProblem(const BenchRow* row, bool quick)
{
    const RigidEngine* peer = peerOf(row);
    (void)quick;
    if (!peer) return NULL;
    Problem* p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->row = row;
    p->engine[0] = &rigidPalp, p->engine[1] = peer;
    rigidMake(&p->scene, (RigidProblem)row->variant, row->size);
    if (row->variant == rigidPile) rigidSettle(&p->scene, row->size);
    for (int k = 0; k < 2; ++k) {
        p->world[k] = p->engine[k]->create(&p->scene);
        advance(p->engine[k], p->world[k], p->scene.settle);
    }
    return p;
}

static Rest watch(const Problem* p, int k)
{
    const RigidEngine* e = p->engine[k];
    plPose from[rigidMost], to[rigidMost];
    Rest r = {0};
    e->poses(p->world[k], from);
    for (int i = 0; i < window; ++i) {
        e->step(p->world[k]);
        r.depth = fmax(r.depth, 1e3 * e->depth(p->world[k]));
        if (e->residual) r.residual = fmax(r.residual, e->residual(p->world[k]));
    }
    e->poses(p->world[k], to);
    for (int i = 0; i < p->scene.count; ++i) {
        // Of the two hands only the peg counts.
        if (p->scene.grasp && p->scene.bodies[i].joint != rigidFree) continue;
        r.drift = fmax(r.drift, 1e6 / window * plNorm(plSub(to[i].p, from[i].p)));
    }
    r.contacts = e->contacts(p->world[k]);
    return r;
}

// Drift and depth that the bars ask for [mm/s, mm].
static void asked(const BenchRow* row, double* drift, double* depth)
{
    *drift = *depth = INFINITY;
    if (row->variant == rigidOneBox) *drift = 0.001;
    if (row->variant == rigidStack) *drift = 0.02, *depth = 0.1;
    if (row->variant == rigidPile && row->size <= 50) *drift = 1;
    if (row->variant == rigidTwoHands) *drift = 0.1;
}

static bool check(void* self, char* words, size_t size)
{
    const Problem* p = self;
    const Rest a = watch(p, 0), b = watch(p, 1);
    double drift, depth;
    asked(p->row, &drift, &depth);
    snprintf(words, size,
             "drift %.2g mm/s; %.2g; depth %.2g mm; %.2g; contacts %d; %d; residual %.1g", a.drift,
             b.drift, a.depth, b.depth, a.contacts, b.contacts, a.residual);
    return a.drift < drift && a.depth < depth && a.residual <= 1e-6;
}

static void stepPalp(void* self, int sample)
{
    const Problem* p = self;
    (void)sample;
    advance(p->engine[0], p->world[0], p->row->batch);
}

static void stepPeer(void* self, int sample)
{
    const Problem* p = self;
    (void)sample;
    advance(p->engine[1], p->world[1], p->row->batch);
}

static void closeProblem(void* self)
{
    Problem* p = self;
    for (int k = 0; k < 2; ++k) p->engine[k]->destroy(p->world[k]);
    free(p);
}

#define ROW(NAME, PEER, AGAINST, PROBLEM, SIZE, BATCH, BAR)                                        \
    {                                                                                              \
        .group = "rigid", .name = (NAME), .peer = (PEER), .bar = (BAR), .size = (SIZE),            \
        .variant = (PROBLEM), .against = (AGAINST), .batch = (BATCH), .slow = (SIZE) >= 200,       \
        .open = openProblem, .check = check, .palp = stepPalp, .other = stepPeer,                  \
        .close = closeProblem                                                                      \
    }

const BenchRow* benchRows_rigid(int* count)
{
    static const BenchRow rows[] = {
        ROW("box on a plane", "MuJoCo Newton", againstMuJoCo, rigidOneBox, 1, 16, 2),
        ROW("box on a plane", "Bullet SI-10", againstBullet, rigidOneBox, 1, 16, 1.5),
        ROW("box on a plane", "ODE Quick-20", againstOde, rigidOneBox, 1, 16, 0),
        ROW("stack of 10", "MuJoCo Newton", againstMuJoCo, rigidStack, 10, 1, 2),
        ROW("stack of 10", "Bullet SI-10", againstBullet, rigidStack, 10, 1, 1),
        ROW("stack of 10", "ODE Quick-20", againstOde, rigidStack, 10, 1, 0),
        ROW("pile of 50", "Bullet SI-10", againstBullet, rigidPile, 50, 1, 1),
        ROW("pile of 50", "ODE Quick-20", againstOde, rigidPile, 50, 1, 0),
        ROW("pile of 200", "Bullet SI-10", againstBullet, rigidPile, 200, 1, 1.2),
        ROW("pile of 200", "ODE Quick-20", againstOde, rigidPile, 200, 1, 0),
        ROW("linkage of 3", "MuJoCo Newton", againstMuJoCo, rigidLinkage, 3, 4, 2),
        ROW("two hands and peg", "MuJoCo Newton", againstMuJoCo, rigidTwoHands, 20, 1, 2),
    };
    *count = PL_COUNT(rows);
    return rows;
}
