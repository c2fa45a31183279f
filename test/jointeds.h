// Jointed assemblies that several tests build.
#ifndef PALP_TEST_JOINTEDS_H
#define PALP_TEST_JOINTEDS_H

#include "math/math.h"
#include "worlds.h"

static inline plPose poseAt(plVec3 p, plQuat q) { return (plPose){p, plQuatUnit(q)}; }

/// Turns z to y: the frame of a hinge about y.
static inline plQuat zToY(void) { return plRotor(plVec(1, 0, 0), -0.5 * PL_PI); }

/// A thin rod, its centre at `center`, turned by `angle` about y; it lies along its x.
static inline plJointedBodyDef rodBody(const char* name, double length, double mass, plVec3 center,
                                       double angle)
{
    plJointedBodyDef b = plDefaultJointedBodyDef();
    const double J = mass * length * length / 12;
    b.name = name;
    b.mass = mass;
    b.inertia = plDiagonal3(0.01 * J, J, J);
    b.pose = poseAt(center, plRotor(plVec(0, 1, 0), angle));
    return b;
}

/// A joint about y between points of two bodies.
static inline plJointDef jointAt(const char* name, plConstraint kind, int a, plVec3 onA, int b,
                                 plVec3 onB)
{
    plJointDef j = plDefaultJointDef();
    j.name = name;
    j.kind = kind;
    j.a = a;
    j.b = b;
    j.frameA = poseAt(onA, zToY());
    j.frameB = poseAt(onB, zToY());
    return j;
}

static inline plMechanismId addJointed(plWorld* w, const char* name, const plJointedBodyDef* bodies,
                                       int bodyCount, const plJointDef* joints, int jointCount)
{
    plJointedDef d = plDefaultJointedDef();
    plMechanismId id;
    d.name = name;
    d.bodies = bodies;
    d.bodyCount = bodyCount;
    d.joints = joints;
    d.jointCount = jointCount;
    checkOk(w, plWorld_AddJointed(w, &d, &id));
    return id;
}

/// A rod of 0.3 m that hangs by one end at the origin, from the horizontal.
static inline plMechanismId addPendulum(plWorld* w)
{
    const plJointedBodyDef body = rodBody("rod", 0.3, 0.2, plVec(0.15, 0, 0), 0);
    const plJointDef hinge =
        jointAt("hinge", pl_constraintRevolute, 0, plVec(-0.15, 0, 0), -1, plVec(0, 0, 0));
    return addJointed(w, "pendulum", &body, 1, &hinge, 1);
}

static inline plMechanismId addDoublePendulum(plWorld* w)
{
    const plJointedBodyDef bodies[2] = {rodBody("upper", 0.3, 0.2, plVec(0.15, 0, 0), 0),
                                        rodBody("lower", 0.3, 0.2, plVec(0.45, 0, 0), 0)};
    const plJointDef joints[2] = {
        jointAt("shoulder", pl_constraintRevolute, 0, plVec(-0.15, 0, 0), -1, plVec(0, 0, 0)),
        jointAt("elbow", pl_constraintRevolute, 1, plVec(-0.15, 0, 0), 0, plVec(0.15, 0, 0))};
    return addJointed(w, "arm", bodies, 2, joints, 2);
}

/// Crank 0.1 m, coupler 0.3 m, rocker 0.25 m over a ground of 0.3 m along x, in the plane y = 0. The
/// joints are four revolutes, or a revolute, universal, spherical and revolute one.
typedef struct {
    plJointedBodyDef bodies[3];
    plJointDef joints[4];
} FourBar;

static inline FourBar fourBar(bool redundant)
{
    FourBar bar;
    const double crank = 0.1, coupler = 0.3, rocker = 0.25, ground = 0.3, angle = 1;
    const plVec3 o = {0, 0, 0}, end = {ground, 0, 0};
    const plVec3 p = {crank * cos(angle), 0, crank * sin(angle)};
    const plVec3 way = plSub(end, p);
    const double d = plNorm(way);
    const double along = (coupler * coupler - rocker * rocker + d * d) / (2 * d);
    const double up = sqrt(coupler * coupler - along * along);
    const plVec3 u = plScale(1 / d, way), v = {-u.z, 0, u.x};
    const plVec3 q = plAddScaled(plAddScaled(p, along, u), up, v);
    const plVec3 ends[4] = {o, p, q, end};
    const double lengths[3] = {crank, coupler, rocker};
    const char* const names[3] = {"crank", "coupler", "rocker"};
    for (int i = 0; i < 3; ++i) {
        const plVec3 a = ends[i], b = ends[i + 1];
        bar.bodies[i] = rodBody(names[i], lengths[i], lengths[i], plScale(0.5, plAdd(a, b)),
                                -atan2(b.z - a.z, b.x - a.x));
    }
    const plConstraint kinds[4] = {
        pl_constraintRevolute, redundant ? pl_constraintRevolute : pl_constraintUniversal,
        redundant ? pl_constraintRevolute : pl_constraintSpherical, pl_constraintRevolute};
    const char* const jointNames[4] = {"j0", "j1", "j2", "j3"};
    for (int i = 0; i < 4; ++i) {
        const plVec3 onA = i == 3 ? plVec(0.5 * lengths[2], 0, 0) : plVec(-0.5 * lengths[i], 0, 0);
        const plVec3 onB = i == 0 ? o : i == 3 ? end : plVec(0.5 * lengths[i - 1], 0, 0);
        const int a = i == 3 ? 2 : i, b = i == 0 || i == 3 ? -1 : i - 1;
        bar.joints[i] = jointAt(jointNames[i], kinds[i], a, onA, b, onB);
    }
    return bar;
}

static inline plMechanismId addFourBar(plWorld* w, bool redundant)
{
    const FourBar bar = fourBar(redundant);
    return addJointed(w, "four-bar", bar.bodies, 3, bar.joints, 4);
}

typedef struct {
    double q[7 * 8], v[6 * 8];
} Course;

/// State of a mechanism of at most eight bodies.
static inline Course stateOf(const plWorld* w, plMechanismId id)
{
    Course s = {0};
    checkOk(w, plWorld_State(w, id, s.q, s.v));
    return s;
}

static inline double jointError(const plWorld* w, plMechanismId id)
{
    double position, velocity;
    checkOk(w, plWorld_JointError(w, id, &position, &velocity));
    return position;
}

static inline double jointRate(const plWorld* w, plMechanismId id)
{
    double position, velocity;
    checkOk(w, plWorld_JointError(w, id, &position, &velocity));
    return velocity;
}

static inline plVec3 pointOf(const plWorld* w, plMechanismId id, int part, plVec3 point)
{
    plMotion m;
    checkOk(w, plWorld_Motion(w, (plSite){id, part, point}, &m));
    return m.x;
}

#endif
