// Private to the room: what is soft of a mechanism. Rows on faces have a share in the motion of the
// body's frame, which is that of any mechanism, and a share in its deformation, which is here.
//
// Of a tick the deformation is three velocities of the candidates in axes of the frame: at the start
// s, after the free motion e, at the end e. Work of an impulse p is p.((1 - theta) s + theta e), and
// candidates move by T times the same.
//   corotational  theta 1, s = 0, e = (u1 - u0)/T with u1 = C f, f = p/T:    W = C/T^2
//   dynamic       s = v0, e = v1, w the mean: A w = f + ..., v1 = v0 + (w - v0)/theta:
//                 W = A^-1/(theta T). Implicit Euler's s counts as 0: its work is p.e alone.
//   lagged        as dynamic, with the forces of elements that turn in place of K u0
//   elements      and with their stiffness in A, factored anew in every step
#ifndef PL_MECHANISM_FLESH_H
#define PL_MECHANISM_FLESH_H

#include "mechanism/rigid.h"
#include "soft/soft.h"

typedef struct {
    plRigid frame; ///< of a corotational body; else zero
    plSoftModel model;
    double theta;
    plSoft body;
    plSoft now;              ///< the same with K as its elements are turned: what A is made of
    plSoftFloating floating; ///< of a corotational body while it floats
    plSoftFactor held;       ///< of one that has nodes to hold it by, while it is held
    plSoftStepper stepper;   ///< of one whose nodes move by themselves
    bool canHold;
    double omega; ///< lowest of the deformation [rad/s]; 0: not found
    plMass rigid;

    int faceCount, count, n; ///< faces; candidates; numbers of theirs, 3 each
    int nodes;               ///< numbers of all nodes
    const int* faces;
    const int* slot;       ///< per node: its place among the candidates, -1: none
    const int* candidates; ///< nodes
    const plVec3* X;       ///< nodes at rest, in the frame
    const double* C;       ///< of the candidates, n x n, now; dynamic: that of A
    const double *CFloat, *CHeld;
    double* CNow; ///< elements: C, to be found when it is asked for; else null
    double* K;    ///< elements: of `now`
    /// How the frame must move when the body is let go and when it is held: six numbers a row of the
    /// candidates, per force there.
    const double *letGo, *take;
    const unsigned char* isHeld; ///< per node
    const unsigned char* touchable;
    plVec3* x; ///< nodes now, world; follows from the state

    // state: of a corotational body of its candidates, of others of all nodes
    double *u, *v;
    double* holds; ///< 1: it is held
    double* f;     ///< corotational: all forces on the candidates, axes of the frame [N]

    // trial
    double *u1, *v1;
    double* f1;            ///< of the rows, on the candidates [N]
    double* g1;            ///< corotational: and of the load
    double *s, *eFree, *e; ///< velocities of the candidates [m/s]
    double* eLast;         ///< e of the trial that the pass is linearised at; without one: u stays
    double* load;          ///< applied: of a corotational body on candidates, else on nodes [N]
    double* inside;        ///< of all nodes: forces of the deformation at the start [N]
    double* wFree;         ///< of all nodes
    double* w;
    double* whole; ///< numbers of all nodes: scratch
    double* more;  ///< the same
    bool begun;    ///< the free motion of this tick is known
    bool answers;  ///< CNow is of this tick
    plArena arena;
} plFlesh;

static inline plFlesh* plFlesh_Of(const plMechanism* m) { return m->own; }

/// Its nodes move by themselves.
static inline bool plFlesh_Nodal(const plFlesh* f) { return f->model != pl_softCorotational; }

/// Its elements turn, in its forces and in what it stores.
static inline bool plFlesh_Turns(const plFlesh* f)
{
    return f->model == pl_softLagged || f->model == pl_softElements;
}

// flesh_step.c
extern const plDeformOps plFleshDeform;
bool plFlesh_Begin(plMechanism*);
bool plFlesh_Advance(plMechanism*, const plRow*, int n, const double* p);
void plFlesh_Audit(plMechanism*, plEnergy*);
void plFlesh_Kicked(plMechanism*, const double* g); ///< the kick of the last KickWork
void plFlesh_Exchange(plMechanism*);
void plFlesh_Stand(plMechanism*);
void plFlesh_Retreat(plMechanism*, double s);
void plFlesh_Release(plMechanism*);
bool plFlesh_Finite(const plMechanism*);
void plFlesh_Show(plMechanism*, plWhen);
plVec3 plFlesh_Rest(const plMechanism*, plSite);            ///< in the frame
double plFlesh_Stored(const plMechanism*, const double* u); ///< of nodes that move by themselves
double plFlesh_Potential(const plMechanism*, bool trial);

// flesh_kind.c
extern const plMechanismOps plFleshFloating, plFleshNodal;
void plFlesh_Destroy(plFlesh*, const plAllocator*);
plSurfaceView plFlesh_Surface(const plMechanism*);
double plFlesh_LargestSpeed(const plMechanism*);
void plFlesh_WholePoints(plMechanism*, plVec3* x);
double plFlesh_RowCost(const plMechanism*);
void plFlesh_Info(const plMechanism*, double T, plSoftInfo*);

// flesh.c
bool plFlesh_Hold(plMechanism*, bool hold);
bool plFlesh_HeldFace(const plMechanism*, int part);

#endif
