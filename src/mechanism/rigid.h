// Private to the room: one rigid body, as an assembly or as the frame of something else.
#ifndef PL_MECHANISM_RIGID_H
#define PL_MECHANISM_RIGID_H

#include "mechanism/kind.h"

/// The first member of what such a mechanism owns.
typedef struct {
    double mass;
    plMat3 inertia;
    plMat3 inertiaInverse;
    plAnchor anchor;
} plRigid;

static inline plRigid* plRigid_Of(const plMechanism* m) { return m->own; }

/// Takes the definition into `own`, a plRigid or what begins with one.
plStatus plRigid_Create(const plAssemblyDef*, const plMechanismOps*, void* own, int index,
                        plVec3 gravity, plArena* fixed, plArena* state, plMechanism**,
                        const char** why);

void plRigid_Place(const plMechanism*, const double* q, plPlace*);
void plRigid_Move(const plMechanism*, const double* from, double s, const double* w, double* to);
void plRigid_Turns(const plMechanism*, const double* q0, const double* q1, double* angle);
void plRigid_Inertia(plMechanism*, const plPlace*, const double* v, double* M, double* C);
void plRigid_Jacobian(const plMechanism*, const plChart*, int part, plVec3 point, plVec3 lin,
                      plVec3 ang, double* g);
void plRigid_Gravity(const plMechanism*, const plChart*, double* G);
void plRigid_TurnSprings(const plMechanism*, const double* q, plAction, double* gradient,
                         double* D);
double plRigid_GravityEnergy(const plMechanism*, const plPlace*);
double plRigid_TurnEnergy(const plMechanism*, const double* q);
void plRigid_SolveMass(const plMechanism*, double* b);
double plRigid_Kinetic(const plMechanism*, const double* M, const double* v);
void plRigid_Refresh(plMechanism*);
double plRigid_LeastMass(const plMechanism*);
double plRigid_Push(const plMechanism*, double T);
uint64_t plRigid_Identity(const plMechanism*, uint64_t hash);
plMotion plRigid_Motion(const plMechanism*, plWhen, plSite);
void plRigid_Row(const plMechanism*, const plChart*, const plRow*, bool isA, double* g);
void plRigid_Jacobians(const plMechanism*, bool start, const plRow*, int n, double* J);
bool plRigid_RespondMany(const plMechanism*, plResponse, double* Y, int n);
void plRigid_AddStiffness(plMechanism*, plSite, plVec3 impulse);
void plRigid_AddTurnStiffness(plMechanism*, plSite, double s);
double plRigid_Turn(const plMechanism*);
void plRigid_TurnRows(const plMechanism*, const plEndRows*);

/// What all kinds with such a frame have in their tables.
// clang-format off
#define PL_RIGID_FRAME                                                                             \
    .constantMass = true, .constantGravity = true, .separate = true, .place = plRigid_Place,       \
    .move = plRigid_Move, .turns = plRigid_Turns, .inertia = plRigid_Inertia,                      \
    .jacobian = plRigid_Jacobian, .gravity = plRigid_Gravity, .turnSprings = plRigid_TurnSprings,  \
    .gravityEnergy = plRigid_GravityEnergy, .turnEnergy = plRigid_TurnEnergy,                      \
    .solveMass = plRigid_SolveMass, .kinetic = plRigid_Kinetic
// clang-format on

#endif
