// Joints: the child's frame in the joint's frame is a shift d and then a rotation E. Translations
// come first in a joint's velocities, rotations after them.
#include "mechanism/chain.h"

static const struct {
    const char* name;
    int positions, velocities, quatAt;
} joints[pl_jointCount] = {
    [pl_jointFixed] = {"fixed", 0, 0, -1},         [pl_jointRevolute] = {"revolute", 1, 1, -1},
    [pl_jointPrismatic] = {"prismatic", 1, 1, -1}, [pl_jointSpherical] = {"spherical", 4, 3, 0},
    [pl_jointPlanar] = {"planar", 3, 3, -1},       [pl_jointFree] = {"free", 7, 6, 3},
};

static bool known(int joint) { return joint >= 0 && joint < pl_jointCount; }

const char* plJoint_Name(int joint) { return known(joint) ? joints[joint].name : "unknown"; }
int plJoint_Positions(plJoint joint) { return known((int)joint) ? joints[joint].positions : 0; }
int plJoint_Velocities(plJoint joint) { return known((int)joint) ? joints[joint].velocities : 0; }
int plJoint_QuatAt(plJoint joint) { return joints[joint].quatAt; }

static const plVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

void plJoint_Axes(plBody* body)
{
    const plJoint joint = body->joint;
    for (int i = 0; i < 3; ++i) body->shiftAxes[i] = body->turnAxes[i] = unit[i];
    if (joint == pl_jointPrismatic) body->shiftAxes[0] = body->axis;
    if (joint == pl_jointRevolute) body->turnAxes[0] = body->axis;
    if (joint == pl_jointPlanar) body->turnAxes[0] = unit[2];
    body->shifts = joint == pl_jointPrismatic ? 1
                   : joint == pl_jointPlanar  ? 2
                   : joint == pl_jointFree    ? 3
                                              : 0;
    body->turns = joints[joint].velocities - body->shifts;
}

static double angleOf(const plBody* body, const double* q)
{
    return body->joint == pl_jointRevolute ? q[0] : body->joint == pl_jointPlanar ? q[2] : 0;
}

void plJoint_Place(const plBody* body, const double* q, plMat3* E, plVec3* d)
{
    const int quatAt = joints[body->joint].quatAt;
    *d = plVec(0, 0, 0);
    for (int i = 0; i < body->shifts; ++i) *d = plAddScaled(*d, q[i], body->shiftAxes[i]);
    if (quatAt >= 0) {
        *E = plRotation(plGet4(q + quatAt));
    } else if (body->turns > 0) {
        *E = plRotation(plRotor(body->turnAxes[0], angleOf(body, q)));
    } else {
        *E = plIdentity3();
    }
}

// Quaternion round-off grows like the square root of the count of steps; plQuatUnit undoes it.
void plJoint_Move(const plBody* body, const double* from, double s, const double* w, double* to)
{
    const int quatAt = joints[body->joint].quatAt;
    const int vectors = quatAt < 0 ? joints[body->joint].positions : quatAt;
    for (int i = 0; i < vectors; ++i) to[i] = from[i] + s * w[i];
    if (quatAt < 0) return;
    const plQuat turn = plExp(plScale(s, plGet3(w + vectors)));
    plPut4(plQuatUnit(plQuatMul(plGet4(from + quatAt), turn)), to + quatAt);
}

double plJoint_Turn(const plBody* body, const double* q0, const double* q1)
{
    const int quatAt = joints[body->joint].quatAt;
    if (quatAt < 0) return angleOf(body, q1) - angleOf(body, q0);
    return plNorm(plLogQuat(plQuatMul(plQuatConj(plGet4(q0 + quatAt)), plGet4(q1 + quatAt))));
}
