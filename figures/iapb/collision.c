// iapb figure 3: what a two-link arm loses when it hits a wall, by the coefficient of restitution.
//   loss(e) = (1 - e^2) loss(0),   loss(0) = v0^2/(2 A),   A = J D^-1 J^T             (iapb spec 1)
// The pose is singular: every wall that touches a point of the arm takes the same from it, so that the
// two geometries are two points of the second link. At its percussion point all is lost, at the
// tip a part. The print of (18) lacks the factor 1/2 and would leave less than nothing.
#include "base/base.h"
#include "iapb/iapb.h"
#include "math/math.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    const char* name; ///< of its column
    bool rods;        ///< else point masses at the ends
    double s;         ///< of the point along the second link [m]
    double energy, loss;
} Case;

enum { rodTip, rodPercussion, pointTip, pointPercussion, caseCount };

static const Case cases[caseCount] = {
    {"rods tip", true, 1, 7. / 3, 1.3125},
    {"rods percussion", true, 0.5, 7. / 3, 7. / 3},
    {"points tip", false, 1, 5, 4.5},
    {"points percussion", false, 0.75, 5, 5},
};

enum { count = 41 }; // values of e, 0 .. 1
static const double radius = 0.05;

// -------------------------------------------------------------------------------------- world

static plStatus addArm(plWorld* world, const Case* c, plMechanismId* arm)
{
    plChainBodyDef links[2] = {plDefaultChainBodyDef(), plDefaultChainBodyDef()};
    plChainDef chain = plDefaultChainDef();
    for (int i = 0; i < 2; ++i) {
        links[i].name = i ? "lower" : "upper";
        links[i].parent = i - 1;
        links[i].frame.p.x = i;
        links[i].mass = 1;
        links[i].center.x = c->rods ? 0.5 : 1;
        if (c->rods) links[i].inertia = plDiagonal3(0, 1. / 12, 1. / 12);
        links[i].velocity[0] = 1;
    }
    links[0].position[0] = PL_PI / 2;
    chain.name = "arm";
    chain.bodies = links;
    chain.bodyCount = 2;
    return plWorld_AddChain(world, &chain, arm);
}

/// The wall touches a ball about the point; the ball's offset is along the normal and has no part in
/// the collision.
static plStatus addShapes(plWorld* world, plMechanismId arm, double s)
{
    plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef ball = plDefaultPartShapeDef(pl_shapeSphere);
    plShapeId id;
    wall.shape.normal = plVec(1, 0, 0);
    wall.shape.frame.p.x = 1e-9 - radius;
    ball.mechanism = arm;
    ball.part = 1;
    ball.shape.radius = radius;
    ball.shape.frame.p.x = s;
    const plStatus status = plWorld_AddShape(world, &wall, &id);
    return status == pl_statusOk ? plWorld_AddShape(world, &ball, &id) : status;
}

static bool open(plFigureJob* job, const Case* c, double e, plFigureRun* run)
{
    plWorldDef def = plDefaultWorldDef();
    plMechanismId arm;
    def.gravity = plVec(0, 0, 0);
    def.planar = true;
    def.contact.law = pl_lawImpulse;
    def.contact.collision = pl_collisionEquality;
    def.contact.surface.restitution = e;
    *run = (plFigureRun){.T = 1e-9, .steps = 1};
    plStatus status = plWorld_Create(&def, &run->world);
    if (status != pl_statusOk) run->world = NULL;
    if (status == pl_statusOk) status = addArm(run->world, c, &arm);
    if (status == pl_statusOk) status = addShapes(run->world, arm, c->s);
    if (status == pl_statusOk) return true;
    snprintf(job->message, sizeof job->message, "no world for an arm: %s", plStatus_Name(status));
    plFigureRun_Close(run);
    return false;
}

// --------------------------------------------------------------------------------------- runs

typedef struct {
    double* loss;   ///< by e [J]
    double worst;   ///< largest |loss - (1 - e^2) loss(0)| [J]
    double before;  ///< kinetic energy [J]
    double left[2]; ///< of it, at e = 0 and 1 [J]
} Curve;

static bool collide(plFigureJob* job, const Case* c, Curve* curve)
{
    *curve = (Curve){.loss = plFigureJob_Column(job, count, "%s", c->name)};
    plFigureJob_Progress(job, c->name);
    if (!curve->loss) return false;
    for (int i = 0; i < count; ++i) {
        const double e = (double)i / (count - 1);
        plFigureRun run;
        if (!open(job, c, e, &run)) return false;
        curve->before = plWorld_Ledger(run.world).kinetic;
        plWorld_Step(run.world, run.T); // so short that only the collision counts
        const double after = plWorld_Ledger(run.world).kinetic;
        plFigureRun_Close(&run);
        curve->loss[i] = curve->before - after;
        curve->worst = fmax(curve->worst, fabs(curve->loss[i] - (1 - e * e) * c->loss));
        if (i == 0) curve->left[0] = after;
        if (i == count - 1) curve->left[1] = after;
    }
    return true;
}

static void claims(plFigureJob* job, const Curve* curves)
{
    for (int i = 0; i < caseCount; ++i) {
        char id[40];
        const Case* c = &cases[i];
        const Curve* curve = &curves[i];
        snprintf(id, sizeof id, "%s-%s", c->rods ? "rods" : "points", i % 2 ? "percussion" : "tip");
        plFigureJob_Check(
            job, id, curve->loss[0] / curve->before, plWithin(c->loss / c->energy, 1e-9),
            "%s, hit %s: share of the energy that is lost with e = 0",
            c->rods ? "Rods" : "Point masses", i % 2 ? "at the percussion point" : "at the tip");
    }
    double worst = 0, elastic = 0;
    for (int i = 0; i < caseCount; ++i) {
        worst = fmax(worst, curves[i].worst);
        elastic = fmax(elastic, fabs(curves[i].left[1] - curves[i].before));
    }
    plFigureJob_Claim(job, "restitution", worst, plAtMost(1e-9 * 5),
                      "(18), in e: the loss is (1 - e^2) times that of e = 0, for %d values of e "
                      "and all four: largest error [J]",
                      count);
    plFigureJob_Claim(
        job, "elastic", elastic, plAtMost(1e-9 * 5),
        "\"Kinetic energy is conserved during a perfectly elastic collision\": largest change [J]");
    plFigureJob_Check(job, "percussion-stop", curves[rodPercussion].left[0], plAtMost(1e-15),
                      "At the percussion point e = 0 stops both links: what is left [J]");
    plFigureJob_Claim(
        job, "total", curves[rodPercussion].loss[0] / curves[rodPercussion].before,
        plWithin(1, 1e-9),
        "\"Either a total\" loss, of rods hit at the percussion point with e = 0: share "
        "of the energy");
    plFigureJob_Claim(job, "partial", curves[rodTip].loss[0] / curves[rodTip].before,
                      plBetween(0.01, 0.99), "\"or a partial loss\": hit at the tip");
    // v0^2/A, with v0 = J q' = -3 m/s and A = J D^-1 J' = 9 / 2.625 at the tip of rods.
    plFigureJob_Claim(
        job, "formula", curves[rodTip].loss[0], plWithin(2.625, 1e-9),
        "(18), in size: (1 - e^2) q' J' Jbar' D Jbar J q' at the tip of rods, e = 0 [J]");
    plFigureJob_Differs(job, plWithin(1.3125, 1e-9),
                        "(18) lacks the factor 1/2 of (32): of 2.33 J it would take 2.63.");
}

static bool make(plFigureJob* job)
{
    Curve curves[caseCount];
    double* e = plFigureJob_Column(job, count, "e");
    if (!e) return false;
    for (int i = 0; i < count; ++i) e[i] = (double)i / (count - 1);
    for (int i = 0; i < caseCount; ++i)
        if (!collide(job, &cases[i], &curves[i])) return false;
    claims(job, curves);
    return plIapbFriction_Check(job);
}

static const char script[] =
    "set multiplot\n"
    "set tmargin at screen 0.92\n"
    "set bmargin at screen 0.13\n"
    "set xrange [0:1]\n"
    "set xtics 0.25\n"
    "set xlabel 'coefficient of restitution e' offset 0,0.4\n"
    "set ylabel 'loss of kinetic energy [J]' offset 0.8,0\n"
    "array name[2] = ['uniform rods', 'point masses at the ends']\n"
    "array key[2] = ['rods', 'points']\n"
    "array all[2] = [7./3, 5]\n"
    "array part[2] = [1.3125, 4.5]\n"
    "do for [i=1:2] {\n"
    "  set lmargin at screen (i == 1 ? 0.08 : 0.58)\n"
    "  set rmargin at screen (i == 1 ? 0.475 : 0.975)\n"
    "  set yrange [0:(i == 1 ? 2.6 : 5.6)]\n"
    "  d = i == 1 ? 0.5 : 1\n"
    "  set ytics d\n"
    "  set label 1 name[i] at graph 0,1.0 left offset 0,0.7\n"
    "  set arrow 1 from 0,all[i] to 1,all[i] nohead ls 9 dt 2\n"
    "  set label 2 'all' at 0.99,all[i] right offset 0,0.6 textcolor rgb '#555555'\n"
    "  set key at graph 0.04,0.05 left bottom Left reverse\n"
    "  plot all[i]*(1 - x*x) ls 2 notitle, part[i]*(1 - x*x) ls 1 notitle, \\\n"
    "       csv using 'e':(column(key[i].' percussion')) every 4 with points ls 2 pt 7 ps 0.6 "
    "title 'at the percussion point', \\\n"
    "       '' using 'e':(column(key[i].' tip')) every 4 with points ls 1 pt 5 ps 0.6 title "
    "'at the tip'\n"
    "}\n"
    "unset multiplot\n";

const plFigure plFigureIapb3 = {
    .id = "iapb-3",
    .title = "What a collision takes from an arm",
    .caption = "A straight arm of two links swings against a wall. How much of its energy a "
               "collision takes depends on the restitution and on where it is hit: at the tip a "
               "part, at the percussion point of the second link all of it. Points are collisions "
               "in the world, curves the closed form (1 - e²) v₀²/(2 A).",
    .parameters = "Links of 1 m and 1 kg, q = (pi/2, 0) rad, q' = (1, 1) rad/s, no gravity, law "
                  "impulse, equality. Percussion point: 0.5 m along the second link for rods, "
                  "0.75 m for point masses.",
    .width = 960,
    .height = 460,
    .script = script,
    .make = make,
};
