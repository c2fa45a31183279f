// Kinds of the user: a shape, a coupling, a mechanism and a contact law of his own. (A device of his own is
// plDeviceCalls, palp/device.h.) Each is a struct of functions from its plDefault... function, whose cookie tells that it
// was: one without it is refused as pl_statusBadArgument. The library copies the struct; `self` must outlive the world.
//
// Functions are called by the thread that steps. They must not call the world, wait, or allocate, and must give
// equal answers to equal questions, else snapshots and repeats are not exact. `self` is no part of a snapshot. Numbers
// that are not finite are refused where a definition is checked, and taken as zero in a tick.
#ifndef PALP_OWN_H
#define PALP_OWN_H

#include "palp/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------ a shape

/// A convex body by its support function: the point of it that is farthest along a direction (not zero, not unit),
/// in the shape's frame. It becomes a hull when it is made: corners on the body are added until none of the hull's faces can
/// be moved out by more than the tolerance before it leaves the body. So contacts, rays, mass and snapshots are those
/// of hulls, and exact for that hull. More than plHullVertices corners: pl_statusCapacity; a ball is met to a
/// hundredth of its radius.
typedef struct plSupportDef {
    uint32_t cookie;                                 ///< of plDefaultSupportDef
    plVec3 (*support)(void* self, plVec3 direction); ///< farthest point [m]
    void* self;                                      ///< handed to it
    double tolerance; ///< [m], >= 0; default 0: a two-hundredth of the body's size
} plSupportDef;

plSupportDef plDefaultSupportDef(void); ///< without a function yet

// --------------------------------------------------------------------------------- a coupling

enum { plCouplingMemory = 16 }; ///< numbers that a coupling of the user keeps

/// What a coupling sees, as the tick begins; `reaction` and `T` of feedback are those of the tick.
typedef struct {
    plSample device;   ///< its sample of this tick
    plMotion tool;     ///< of the site that it moves
    plWrench reaction; ///< mean force of the contacts on the tool [N], [N m]; of command: zero
    double T;          ///< of the tick [s]; of command: of the last one
} plCouplingSight;

/// A coupling: plCouplingDef with kind pl_couplingOwn and `own`. Its tool is a site of a mechanism that can move.
/// `memory` begins as zero and is all that the coupling may remember: it is in the hash and in snapshots.
typedef struct plCouplingCalls {
    uint32_t cookie; ///< of plDefaultCouplingCalls
    void* self;      ///< handed to each
    /// Once in a tick, before it: the wrench on the tool, at its site, world axes, held over the tick.
    plWrench (*command)(void* self, double* memory, const plCouplingSight*);
    /// For each write to the device, at a share 0 .. 1 of the tick: the wrench on the hand, world axes.
    plWrench (*feedback)(void* self, const double* memory, const plCouplingSight*, double at);
    /// Energy in its springs after a command [J], for plPort and plBalance; null: none.
    double (*stored)(void* self, const double* memory);
} plCouplingCalls;

plCouplingCalls plDefaultCouplingCalls(void); ///< without functions yet

// -------------------------------------------------------------------------------- a mechanism

enum { plOwnCoordinates = 64, plOwnParts = 64 }; ///< most of a mechanism of the user

/// A mechanism of rigid parts in coordinates q of the user, whose velocities are q'. palp derives from the places of the
/// parts and their twists the mass matrix, Coriolis forces, gravity, the rows of contacts and links, and steps it with
/// its integrators, passive midpoint by default. The twists are compared with the places at the start.
typedef struct {
    uint32_t cookie;                   ///< of plDefaultOwnMechanismDef
    const char* name;                  ///< copied; unique in the world
    void* self;                        ///< handed to each function
    plIntegrator integrator;           ///< default midpoint
    int coordinates, parts;            ///< 1 .. plOwnCoordinates, 1 .. plOwnParts
    const double *position, *velocity; ///< at the start, copied; null: zero
    const plMass* masses;              ///< of each part, in its frame, copied; a part may have none
    const double* damping; ///< of each coordinate, copied [N s/m or N m s/rad], >= 0; null: none
    void (*place)(void* self, const double* q, plPose* parts); ///< writes the frame of each part
    /// Writes how a part moves for each q' (6 rows of `coordinates` numbers): velocity of the origin of its frame, then
    /// spin, world axes.
    void (*twist)(void* self, const double* q, int part, double* J);
    plPotentialFunction potential; ///< beside gravity, as of plPotentialDef; null: none
    void* userData;                ///< of the user, see palp/change.h
} plOwnMechanismDef;

plOwnMechanismDef
plDefaultOwnMechanismDef(void); ///< one coordinate, one part, without functions yet
/// Adds one; pl_statusBadArgument with a sentence when it cannot be.
plStatus plWorld_AddOwnMechanism(plWorld*, const plOwnMechanismDef*, plMechanismId*);

// -------------------------------------------------------------------------------------- a law

/// The contacts of a group in a step: u = W p + free on rows, `dim` rows each: normal, then tangents; u > 0 separates.
typedef struct plLawProblem plLawProblem;

/// One of them, as it is when the step begins.
typedef struct {
    double gap;      ///< < 0: depth [m]
    double start[3]; ///< velocity of its rows at the start of the step [m/s]
    double free[3];  ///< at its end, without impulses of contacts [m/s]
    double last[3];  ///< impulses of the last tick [N s]
    int age;         ///< ticks since it was new; 0: it is
    double friction, restitution, stiffness, damping; ///< of its pair of surfaces
} plLawContact;

int plLawProblem_Count(const plLawProblem*);   ///< contacts
int plLawProblem_Dim(const plLawProblem*);     ///< rows of each: 3, in planar worlds 2
double plLawProblem_Step(const plLawProblem*); ///< T [s]
plLawContact plLawProblem_Contact(const plLawProblem*, int i); ///< 0 .. Count - 1
/// Block of W of a contact with itself, dim x dim by rows [1/kg].
void plLawProblem_Block(const plLawProblem*, int i, double* block);
void plLawProblem_Apply(const plLawProblem*, const double* p,
                        double* Wp); ///< Count * Dim numbers each

/// An explicit law, as `penalty` is: it is asked once for a group, at what penetrates, and what it says is done.
/// plContactDef with law pl_lawOwn and `own`. It may create energy: the ledger tells, in `dissipated` of the contacts.
struct plLawDef {
    uint32_t cookie; ///< of plDefaultLawDef
    void* self;      ///< handed to it
    /// Writes the impulses of all rows [N s]; p is zero before.
    void (*solve)(void* self, const plLawProblem*, double* p);
};

plLawDef plDefaultLawDef(void); ///< without a function yet

#ifdef __cplusplus
}
#endif
#endif
