// The tendon-driven hand of paper pmi, section 5.3: a palm and three fingers, each as in section 8 of its
// spec, around an object in SE(3). The palm's frame has z out of the palm; fingers stand along z on a
// ring and bend towards its axis.
#ifndef PALP_TEST_UATD_H
#define PALP_TEST_UATD_H

#include "math/math.h"
#include "worlds.h"

enum { uaFingers = 3, uaJoints = 3, uaTendons = 6, uaN = 6 + uaFingers * uaJoints };

static const double uaLengths[uaJoints] = {0.05, 0.03, 0.02};
static const double uaPulleys[uaTendons][uaJoints] = {
    {.010, .008, .006}, {.010, 0, 0}, {.006, 0, 0}, {0, .006, 0}, {0, 0, .005}, {0, .006, -.006}};
static const double uaStiffness[uaTendons] = {100, 100, 10, 10, 10, 10}; // [N/m]
static const double uaMotor = 0.01;                                      // radius of its pulley [m]

typedef struct {
    double ring;             ///< where fingers stand, from the axis [m]
    double height;           ///< of their first joints above the palm [m]
    double folded[uaJoints]; ///< q2 of the grip [rad]
    double time;             ///< to close [s]
    plLawName law;
    double friction;
    double radius; ///< of the ball, or half the side of the box [m]
    bool box;
    double mass;      ///< of the object [kg]
    double stiffer;   ///< factor of all tendons' stiffness
    double driftRate; ///< of contacts
    plVec3 gravity;
} UaDef;

/// The hand that the checks use, palm up.
static inline UaDef uaDefault(double radius, double friction)
{
    return (UaDef){.ring = 0.046,
                   .folded = {2, 2, 1.7},
                   .time = 1,
                   .law = pl_lawCone,
                   .friction = friction,
                   .radius = radius,
                   .mass = 0.005,
                   .stiffer = 1,
                   .driftRate = plDefaultContactDef().driftRate,
                   .gravity = {0, 0, -9.81}};
}

typedef struct {
    plWorld* world;
    plMechanismId hand, mover, ball;
} Ua;

/// theta = -(Jt^T Jt)^-1 Jt^T K q with Jt = J_a^T K_a R_a: what the motors do to hold q.
static inline void uaMotors(const double* q, double theta[2])
{
    double tau[uaJoints] = {0}, A[2][2] = {{0}}, b[2] = {0};
    for (int t = 0; t < uaTendons; ++t) {
        const double pull = uaStiffness[t] * plDotN(uaPulleys[t], q, uaJoints);
        for (int j = 0; j < uaJoints; ++j) tau[j] += uaPulleys[t][j] * pull;
    }
    for (int i = 0; i < 2; ++i) {
        const double gain = uaStiffness[i] * uaMotor;
        b[i] = -gain * plDotN(uaPulleys[i], tau, uaJoints);
        for (int j = 0; j < 2; ++j) {
            A[i][j] = gain * gain * plDotN(uaPulleys[i], uaPulleys[j], uaJoints);
        }
    }
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    theta[0] = (A[1][1] * b[0] - A[0][1] * b[1]) / det;
    theta[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
}

static inline plPose uaFingerFrame(const UaDef* d, int finger)
{
    // X = z, Y = -e_r, Z = -e_phi: a third of a turn
    const double angle = 2 * PL_PI * finger / uaFingers;
    const plQuat stand = {0.5, 0.5, -0.5, 0.5};
    const plQuat around = plRotor(plVec(0, 0, 1), angle);
    return (plPose){plVec(d->ring * cos(angle), d->ring * sin(angle), d->height),
                    plQuatMul(around, stand)};
}

static inline plMechanismId uaAddHand(plWorld* world, const UaDef* d)
{
    static const char* names[1 + uaFingers * uaJoints] = {
        "palm",     "near-1", "middle-1", "far-1",    "near-2",
        "middle-2", "far-2",  "near-3",   "middle-3", "far-3"};
    static double J[uaFingers * uaTendons][uaN];
    plChainBodyDef bodies[1 + uaFingers * uaJoints];
    plTendonDef tendons[uaFingers * uaTendons];
    plChainDef def = plDefaultChainDef();
    plMechanismId id;
    double theta[2];
    uaMotors(d->folded, theta);
    bodies[0] = plDefaultChainBodyDef();
    bodies[0].name = names[0];
    bodies[0].joint = pl_jointFree;
    bodies[0].mass = 0.2;
    bodies[0].inertia = plDiagonal3(2e-4, 2e-4, 4e-4);
    bodies[0].position[3] = 1;
    for (int f = 0; f < uaFingers; ++f) {
        for (int i = 0; i < uaJoints; ++i) {
            const int part = 1 + f * uaJoints + i;
            plChainBodyDef* b = &bodies[part];
            *b = rod(names[part], i ? part - 1 : 0, uaLengths[i], 1e-3);
            b->inertia.x.x = 1e-8;
            b->frame.p.x = i ? uaLengths[i - 1] : 0;
            if (i == 0) b->frame = uaFingerFrame(d, f);
            b->damping = 5e-5;
        }
        for (int t = 0; t < uaTendons; ++t) {
            plTendonDef* tendon = &tendons[f * uaTendons + t];
            double* row = J[f * uaTendons + t];
            for (int j = 0; j < uaN; ++j) row[j] = 0;
            for (int j = 0; j < uaJoints; ++j) row[6 + f * uaJoints + j] = uaPulleys[t][j];
            *tendon = plDefaultTendonDef();
            tendon->J = row;
            tendon->stiffness = d->stiffer * uaStiffness[t];
            if (t >= 2) continue;
            tendon->radius = uaMotor;
            tendon->command = theta[t];
            tendon->speed = fabs(theta[t]) / d->time;
        }
    }
    def.name = "hand";
    def.bodies = bodies;
    def.bodyCount = 1 + uaFingers * uaJoints;
    def.tendons = tendons;
    def.tendonCount = uaFingers * uaTendons;
    checkOk(world, plWorld_AddChain(world, &def, &id));
    plShapeId shape;
    plPartShapeDef palm = plDefaultPartShapeDef(pl_shapeBox);
    palm.mechanism = id;
    palm.shape.half = plVec(0.06, 0.06, 0.01);
    palm.shape.frame.p.z = -0.01;
    palm.group = 2;
    palm.mask = 1;
    checkOk(world, plWorld_AddShape(world, &palm, &shape));
    for (int part = 1; part < def.bodyCount; ++part) {
        plPartShapeDef link = plDefaultPartShapeDef(pl_shapeCapsule);
        const double length = uaLengths[(part - 1) % uaJoints];
        link.mechanism = id;
        link.part = part;
        link.shape.radius = 0.004;
        link.shape.length = length;
        link.shape.frame.p.x = length / 2;
        link.group = 2;
        link.mask = 1;
        checkOk(world, plWorld_AddShape(world, &link, &shape));
    }
    return id;
}

static inline Ua uaMake(const UaDef* d)
{
    plWorldDef def = plDefaultWorldDef();
    plPrescribedDef mover = plDefaultPrescribedDef();
    plAssemblyDef ball = plDefaultAssemblyDef();
    plLinkDef arm = plDefaultLinkDef();
    plPartShapeDef shape = plDefaultPartShapeDef(d->box ? pl_shapeBox : pl_shapeSphere);
    plLinkId link;
    plShapeId made;
    Ua u;
    def.gravity = d->gravity;
    def.contact.law = d->law;
    def.contact.driftRate = d->driftRate;
    def.contact.surface.friction = d->friction;
    checkOk(NULL, plWorld_Create(&def, &u.world));
    u.hand = uaAddHand(u.world, d);
    mover.name = "mover";
    checkOk(u.world, plWorld_AddPrescribed(u.world, &mover, &u.mover));
    arm.name = "arm";
    arm.a = (plSite){u.hand, 0, {0, 0, 0}};
    arm.b = (plSite){u.mover, 0, {0, 0, 0}};
    arm.turns = true;
    arm.stiffness = 2e4;
    arm.damping = 100;
    arm.turnStiffness = 50;
    arm.turnDamping = 0.2;
    checkOk(u.world, plWorld_AddLink(u.world, &arm, &link));
    const double r = d->radius, J = (d->box ? 2. / 3 : 2. / 5) * d->mass * r * r;
    ball.name = "ball";
    ball.mass = d->mass;
    ball.inertia = plDiagonal3(J, J, J);
    ball.pose.p = plVec(0, 0, r + 1e-5);
    checkOk(u.world, plWorld_AddAssembly(u.world, &ball, &u.ball));
    shape.mechanism = u.ball;
    shape.shape.radius = r;
    shape.shape.half = all3(r);
    checkOk(u.world, plWorld_AddShape(u.world, &shape, &made));
    return u;
}

#endif
