// Private to the room: an articulated tree.
//   letters  S motion subspace, I spatial inertia, both about one point (Featherstone's spatial
//            vectors: angular part first)
#ifndef PL_MECHANISM_CHAIN_H
#define PL_MECHANISM_CHAIN_H

#include "mechanism/kind.h"

typedef struct {
    char name[32];
    int parent;
    plJoint joint;
    plVec3 axis;
    plFrame frame; ///< joint frame in the parent
    double mass;
    plVec3 center;
    plMat3 inertia;
    int q0, v0; ///< first position, first velocity
    double turnStiffness;
    plQuat rest; ///< of spherical and free joints
} plBody;

typedef struct {
    double w[3], v[3];
} plSpatial;

struct plChain {
    int bodyCount;
    plFrame base;
    plBody* bodies;

    // scratch of the inertia
    plSpatial* S;     ///< per velocity
    plSpatial* Sdot;  ///< per velocity
    plSpatial* twist; ///< per body
    double* I;        ///< per body, 6 x 6: composite
    double* D;        ///< per body, 6 x 6: composite Coriolis
};

// chain.c
uint64_t plChain_Identity(const plChain*, uint64_t hash);

// joint.c
int plJoint_Translations(plJoint, const plBody*, plVec3 axes[3]); ///< in the joint frame
int plJoint_Rotations(plJoint, const plBody*, plVec3 axes[3]);    ///< in the child frame
void plJoint_Place(const plBody*, const double* q, plMat3* E, plVec3* d);
void plJoint_Move(const plBody*, const double* from, double s, const double* w, double* to);
double plJoint_Turn(const plBody*, const double* q0, const double* q1); ///< [rad]
int plJoint_QuatAt(plJoint); ///< position index of the quaternion, -1: none

// tree.c
void plTree_Place(const plMechanism*, const double* q, plPlace*);
void plTree_Inertia(plMechanism*, const plPlace*, const double* v, double* M, double* C);
void plTree_Jacobian(const plMechanism*, const plChart*, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g);
void plTree_Gravity(const plMechanism*, const plChart*, double* G);
double plTree_GravityEnergy(const plMechanism*, const plPlace*);

#endif
