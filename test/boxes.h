// The falling box of the pmi paper: its world, its variants, and what its corners do. (pmi spec 4)
#ifndef PALP_TEST_BOXES_H
#define PALP_TEST_BOXES_H

#include "law_problems.h"

static const double g = 9.81, E0 = 4.905; ///< [m/s^2]; [J], of 1 kg at 0.5 m

typedef struct {
    plLawName law;
    plBias bias;
    int sides;
    double mu, e;
    double driftRate;
    plIntegrator integrator;
    plVec3 gravity, velocity;
    plVec3 position;
    plQuat turn;
} Box;

/// Cube of 0.1 m and 1 kg at 0.5 m, turned by exp(S(0.4, 0.2, 0)).
static inline Box paperBox(plLawName law, plBias bias, int sides, double mu, double e)
{
    return (Box){.law = law,
                 .bias = bias,
                 .sides = sides,
                 .mu = mu,
                 .e = e,
                 .gravity = {0, 0, -g},
                 .position = {0, 0, 0.5},
                 .turn = plExp(plVec(0.4, 0.2, 0))};
}

static inline plWorld* boxWorld(const Box* box, plMechanismId* id)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef cube = plDefaultPartShapeDef(pl_shapeBox);
    plWorld* w;
    plShapeId shape;
    def.gravity = box->gravity;
    def.contact.law = box->law;
    def.contact.bias = box->bias;
    def.contact.sides = box->sides;
    def.contact.surface.friction = box->mu;
    def.contact.surface.restitution = box->e;
    def.contact.driftRate = box->driftRate;
    checkOk(NULL, plWorld_Create(&def, &w));
    body.name = "box";
    body.mass = 1;
    body.inertia = diagonal(0.01 / 6, 0.01 / 6, 0.01 / 6);
    body.pose = (plPose){box->position, box->turn};
    body.velocity = box->velocity;
    body.integrator = box->integrator;
    checkOk(w, plWorld_AddAssembly(w, &body, id));
    checkOk(w, plWorld_AddShape(w, &floor, &shape));
    cube.mechanism = *id;
    cube.shape.half = (plVec3){0.05, 0.05, 0.05};
    checkOk(w, plWorld_AddShape(w, &cube, &shape));
    return w;
}

static inline void run(plWorld* w, double T, int steps)
{
    for (int i = 0; i < steps; ++i) plWorld_Step(w, T);
}

static inline plContactInfo contactAt(const plWorld* w, int i)
{
    plContactInfo c;
    assert_int_equal(plWorld_Contact(w, i, &c), pl_statusOk);
    return c;
}

// --- slip

/// The slip speed that a pyramid sees: the largest -d_j.v of its directions in the floor. 0 sides:
/// that of the cone.
static inline double slipOf(plVec3 v, int sides)
{
    double most = sides ? 0 : hypot(v.x, v.y);
    for (int j = 0; j < sides; ++j) {
        const double angle = 2 * PL_PI * j / sides;
        most = fmax(most, -cos(angle) * v.x - sin(angle) * v.y);
    }
    return most;
}

/// What a step starts from: the axes of the box, and its velocities.
typedef struct {
    plMat3 R;
    double v[6];
} Before;

static inline Before beforeStep(const plWorld* w, plMechanismId id)
{
    Before b;
    plMotion motion;
    checkOk(w, plWorld_Motion(w, (plSite){.mechanism = id}, &motion));
    checkOk(w, plWorld_State(w, id, NULL, b.v));
    b.R = motion.R;
    return b;
}

/// Velocity of a point of the body, `share` of the way from the start of the step to its end, by the
/// Jacobian of its start: what the law has met.
static inline plVec3 velocityOf(const plWorld* w, plMechanismId id, const Before* b, plVec3 r,
                                double share)
{
    double v[6];
    checkOk(w, plWorld_State(w, id, NULL, v));
    for (int i = 0; i < 6; ++i) v[i] = (1 - share) * b->v[i] + share * v[i];
    return plAdd(plVec(v[0], v[1], v[2]), plMul(&b->R, plCross(plVec(v[3], v[4], v[5]), r)));
}

// --- the rows of the table

typedef struct {
    const char* what;
    plBias bias;
    int sides;
    double mu, e;
} Variant;

static const Variant elastic4 = {"elastic, 4 sides", pl_biasElastic, 4, 0.3, 0};
static const Variant elastic8 = {"elastic, 8 sides", pl_biasElastic, 8, 0.3, 0};
static const Variant smooth = {"elastic, no friction", pl_biasElastic, 4, 0, 0};
static const Variant plastic4 = {"plastic, 4 sides", pl_biasPlastic, 4, 0.3, 0};
static const Variant oneSided = {"one-sided, e 0", pl_biasOneSided, 4, 0.3, 0};
static const Variant rebound = {"one-sided, e 0.5", pl_biasOneSided, 4, 0.3, 0.5};

static const Variant* const variants[] = {&elastic4, &elastic8, &smooth,
                                          &plastic4, &oneSided, &rebound};

static inline Box boxOf(plLawName law, const Variant* v)
{
    return paperBox(law, v->bias, v->sides, v->mu, v->e);
}

#endif
