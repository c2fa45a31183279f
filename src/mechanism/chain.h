// Private to the room: an articulated tree.
//   letters  S motion subspace, I spatial inertia, both about one point (Featherstone's spatial
//            vectors: angular part first)
#ifndef PL_MECHANISM_CHAIN_H
#define PL_MECHANISM_CHAIN_H

#include "mechanism/kind.h"

/// A mode of a beam. With phi its shape, int phi_i phi_j rho A ds = m for modes of one number, else 0.
typedef struct {
    int number;  ///< from 0, in its direction
    int towards; ///< 0: y, 1: z
    double a1;   ///< int phi dm [kg]
    double a2;   ///< int s phi dm [kg m]
} plBeamMode;

typedef struct {
    double length, mass;
    int count;
    int q0, v0; ///< of the first mode
    plBeamMode* modes;
} plBeam;

/// What a mode does where a body rides: it shifts the section, and turns it.
typedef struct {
    double shift; ///< phi
    double turn;  ///< phi' [1/m]
} plBeamShare;

typedef struct {
    char name[32];
    int parent;
    plJoint joint;
    plVec3 axis;
    plFrame frame; ///< joint frame in the parent; on a beam, in the section that carries it
    double mass;
    plVec3 center;
    plMat3 inertia;
    int q0, v0; ///< first position, first velocity
    int shifts, turns;
    plVec3 shiftAxes[3]; ///< in the joint frame
    plVec3 turnAxes[3];  ///< in the child frame
    plBeam beam;
    double along;        ///< where it rides on its parent's beam [m]
    plBeamShare* shares; ///< of each mode of the parent's beam; null: it does not ride
    int column0;         ///< its columns of S: modes that carry it, then its joint's velocities
    int columnCount;
    double turnStiffness;
    plQuat rest; ///< of spherical and free joints
} plBody;

typedef struct {
    double w[3], v[3];
} plSpatial;

typedef struct {
    int bodyCount;
    plFrame base;
    plBody* bodies;

    int* velocity; ///< per column of S: a mode has a column for every body that rides on its beam

    // scratch of the inertia
    plSpatial* S;     ///< per column
    plSpatial* Sdot;  ///< per column
    plSpatial* twist; ///< per body
    double* I;        ///< per body, 6 x 6: composite
    double* D;        ///< per body, 6 x 6: composite Coriolis
} plChain;

static inline plChain* plChain_Of(const plMechanism* m) { return m->own; }

// chain.c
extern const plMechanismOps plChainOps;

// chain_stiffness.c
void plChain_AddStiffness(plMechanism*, plSite, plVec3 impulse);
void plChain_AddTurnStiffness(plMechanism*, plSite, double s);
double plChain_Turn(const plMechanism*);
void plChain_TurnRows(const plMechanism*, const plEndRows*);

// joint.c
void plJoint_Axes(plBody*); ///< shifts and turns, from joint and axis
void plJoint_Place(const plBody*, const double* q, plMat3* E, plVec3* d);
void plJoint_Move(const plBody*, const double* from, double s, const double* w, double* to);
double plJoint_Turn(const plBody*, const double* q0, const double* q1); ///< [rad]
int plJoint_QuatAt(plJoint); ///< position index of the quaternion, -1: none

// beam.c
void plBeam_Make(const plBeamDef*, plBeam*); ///< into beam->modes, which has room
plBeamShare plBeam_Share(const plBeam*, const plBeamMode*, double along);
void plBeam_Ride(const plBody*, const plBeam*, const double* modes, plPlace*); ///< mount, turns
plVec3 plBeam_Moment(const plBeam*, const double* modes); ///< int y dm, frame of the beam [kg m]
/// Adds the beam's inertia, and where B is not null its Coriolis matrix, in spatial vectors about
/// `origin`; `rate` of the modes.
void plBeam_Inertia(const plBeam*, const plPlace*, plVec3 origin, const plSpatial* twist,
                    const double* rate, double* I, double* B);
/// Momentum F of a mode's unit rate; H = int J^T Jdot_k and E = int J_k^T Jdot, the Coriolis terms
/// beyond F.Sdot, of column and of row k.
typedef struct {
    plSpatial F, H, E;
} plBeamRow;
plBeamRow plBeam_Row(const plBeam*, const plPlace*, plVec3 origin, const plSpatial* twist,
                     const double* rate, int k);
/// M_kl and C_kl of two modes.
void plBeam_Pair(const plBeam*, const plPlace*, const plSpatial* twist, int k, int l, double* M,
                 double* C);

// tree.c
void plSpatial_AddSkew(double* out, double s,
                       plVec3 a); ///< out += s S(a), a block of a 6 x 6 matrix
void plTree_Place(const plMechanism*, const double* q, plPlace*);
void plTree_Average(const plMechanism*, const plChart*, plAverage*);
void plTree_Inertia(plMechanism*, const plPlace*, const double* v, double* M, double* C);
void plTree_Jacobian(const plMechanism*, const plChart*, int part, plVec3 point, plVec3 lin,
                     plVec3 ang, double* g);
/// Velocity of a point of a part and its spin, world; without beams.
void plTree_Twist(const plMechanism*, const plPlace*, const double* v, int part, plVec3 point,
                  plVec3* speed, plVec3* spin);
bool plTree_Rides(const plChain*); ///< a body rides on a beam
void plTree_Gravity(const plMechanism*, const plChart*, double* G);
double plTree_GravityEnergy(const plMechanism*, const plPlace*);

#endif
