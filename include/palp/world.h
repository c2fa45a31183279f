// A world: mechanisms, links between them, and one tick of it all.
//
//   plWorldDef def = plDefaultWorldDef();
//   plWorld* world;
//   plWorld_Create(&def, &world);
//   ... plWorld_AddAssembly, plWorld_AddChain, plWorld_AddLink ...
//   plWorld_Step(world, 1e-3);
//
// All memory is taken at creation. A step cannot fail and does not allocate, lock or print; trouble
// sets a bit in the step's report.
#ifndef PALP_WORLD_H
#define PALP_WORLD_H

#include "palp/contact.h"
#include "palp/device.h"
#include "palp/lists.h"
#include "palp/mechanism.h"
#include "palp/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------- the world

/// Sizes fixed at creation. A call that needs more returns pl_statusCapacity.
typedef struct {
    int mechanisms; ///< with one more for each virtual coupling
    int links;      ///< likewise
    int drives;     ///< plWorld_AddDrive
    int rows;       ///< of one group with links (3 or 6 for each link, and 3 for each contact)
    int shapes;     ///< on parts and on the ground
    int materials;  ///< without the world's own
    int contacts; ///< in one tick; a group without links may have them all. 0, the default: 12 for each of `shapes`
    int pairs;   ///< of shapes whose bounds meet. 0, the default: 24 for each of `shapes`
    int ignored; ///< pairs of parts that pass through each other
    int softFaces, softNodes; ///< of the surfaces and meshes of all soft bodies that can be touched
    int surfaces;             ///< pairs with a sculpted surface (pl_shapeNurbs) whose bounds meet
    int devices;              ///< simulated and of the outside
    int couplings;            ///< of all kinds
    size_t
        memory; ///< bytes for everything; see plWorld_Memory. 0, the default: 64 MB, and 20 kB for each contact
} plWorldCapacity;

/// What a world is made with.
typedef struct {
    plVec3 gravity; ///< [m/s^2], default (0, 0, -9.81)
    int passes;  ///< linearisations of a group with links in a tick, 1 .. 64, default 2. 0: one, at
                 ///< the start of the step, and links stretch as they may: as printed, creates
                 ///< energy                                                    (pmi eq. 22-26)
    bool guard;  ///< redo a group's step when it would have created energy; default true. Watches
                 ///< groups of midpoint mechanisms and passive links: others declare what they do
    bool planar; ///< everything moves in the x-y plane; contacts have 2 rows; default false
    double step; ///< longest that is meant [s], > 0, for plWorld_Advice only; default 1e-3
    /// Operations that a tick may take, for each second of its step [1/s], >= 0: products, as its trials, laws and
    /// factors count them. When they are spent the best answer so far is taken, which creates no energy, and
    /// pl_troubleBudget is set. They are counted, never timed: the same inputs are cut off at the same place. In
    /// any case contacts are found, and every group makes a trial. Default 0: no end, for what nobody waits for.
    double budget;
    plContactDef contact;     ///< how contacts are found and solved
    plWorldCapacity capacity; ///< what there is room for
    plAllocator allocator;    ///< default malloc and free
} plWorldDef;

/// The budget of a world that somebody touches. An operation takes 0.15 to 0.7 ns on a processor of 3 GHz, and
/// up to 1.6 ns with soft bodies.
static const double plBudgetOfHands = 2e9;

/// With all defaults, and an empty world of a definition.
plWorldDef plDefaultWorldDef(void);
plStatus plWorld_Create(const plWorldDef*, plWorld** world);
void plWorld_Destroy(plWorld*); ///< null is legal

/// Why the last call that could change this world returned a status other than Ok, in one sentence.
/// Calls that only look leave no sentence here: theirs is plStatus_Sentence.
const char* plWorld_Error(const plWorld*);

// ----------------------------------------------------------------------------------- contacts

/// A surface by name. Two materials meet as their pair says, if one was set; else with the
/// geometric mean of their frictions, the smaller restitutions, the harmonic means of stiffness and
/// damping, the larger slip speed, and a wall that never pulls if either does not.
typedef struct {
    const char* name;  ///< unique among materials
    plSurface surface; ///< before it is mixed
} plMaterialDef;

/// With all defaults, and such a material in a world.
plMaterialDef plDefaultMaterialDef(void);
plStatus plWorld_AddMaterial(plWorld*, const plMaterialDef*, plMaterialId*);

/// What two materials do to each other, in place of the rule above. A null id is the world's own
/// surface, contact.surface.
plStatus plWorld_SetPair(plWorld*, plMaterialId, plMaterialId, const plSurface*);

/// Another surface for a material of a running world, between two ticks: all shapes that have it feel
/// it from the next tick on. A null id is the world's own surface. Pairs that were set stay. A
/// snapshot fits the surfaces that it was taken with: put those back before it is restored.
plStatus plWorld_SetMaterial(plWorld*, plMaterialId, const plSurface*);

int plWorld_MaterialCount(const plWorld*); ///< without the world's own surface
plStatus plWorld_FindMaterial(const plWorld*, const char* name, plMaterialId*); ///< or NotFound
plStatus plWorld_Material(const plWorld*, plMaterialId, plSurface*);            ///< its own surface
/// What two materials do to each other now, mixed or set; either may be null.
plStatus plWorld_Pair(const plWorld*, plMaterialId, plMaterialId, plSurface*);

/// A shape carried by a part, or by the ground (a null mechanism). Shapes of one part never touch,
/// nor do those of two bodies of a chain that a joint joins, nor two on the ground, nor two meshes.
typedef struct {
    plMechanismId mechanism; ///< null: the ground
    int part;                ///< of it
    plShapeDef shape;        ///< its frame is in the part's frame
    plMaterialId material;   ///< null: the world's own surface
    uint32_t group, mask; ///< two meet when each one's group is in the other's mask; default 1, all
    void* userData;       ///< of the user, see palp/change.h
} plPartShapeDef;

/// With all defaults, of the ground.
plPartShapeDef plDefaultPartShapeDef(plShapeKind);

/// In a planar world the part must not be able to leave the plane.
plStatus plWorld_AddShape(plWorld*, const plPartShapeDef*, plShapeId*);
plStatus plWorld_ShapeMaterial(const plWorld*, plShapeId, plMaterialId*); ///< null: it has none

/// All shapes of two parts pass through each other; the points of the sites are not read. Before
/// the first step.
plStatus plWorld_Ignore(plWorld*, plSite, plSite);

/// A contact of the last tick.
typedef struct {
    plShapeId shapeA, shapeB; ///< that touched
    plSite a, b;              ///< where the surfaces touched, on their parts; b may be the ground
    plVec3 normal;            ///< from b to a, world axes
    double gap;               ///< at the start of the tick; < 0 is depth [m]
    plVec3 force;             ///< mean over the tick, on a, world axes [N]
    int age;                  ///< ticks since it was new
} plContactInfo;

/// Contacts of the last tick, and what they mean for a mechanism.
int plWorld_ContactCount(const plWorld*);
plStatus plWorld_Contact(const plWorld*, int index, plContactInfo*);
plContactState plWorld_ContactState(const plWorld*, plMechanismId);

/// Writes the contact space of the largest group as the next tick of T would meet it, for
/// `palp solve`. A rehearsal: the state stays as it is. pl_statusNotFound: no contacts.
plStatus plWorld_Freeze(plWorld*, double T, const char* path);

// -------------------------------------------------------------------- devices and couplings

/// A device enters the world; without calls it is simulated, and part of the state.
plStatus plWorld_AddDevice(plWorld*, const plDeviceDef*, plDeviceId*);

/// A driver of the outside takes over a device, between two ticks; it answers for the pose from the
/// next tick on, and the limits of the device still hold. Null gives the device back to its simulated
/// self, which goes on from the last sample, with nothing on its way through its delay. Who drives is
/// no part of a snapshot: a restored world keeps its drivers.
plStatus plWorld_AttachDevice(plWorld*, plDeviceId, const plDeviceCalls*);

/// How a device was made; its hand's waypoints are the world's own.
plStatus plWorld_DeviceDef(const plWorld*, plDeviceId, plDeviceDef*);
/// What forces and torques meet at a simulated device, as it stands now: along and about each axis of
/// the world [kg, kg m^2]; INFINITY: it is locked.
plStatus plWorld_DeviceMasses(const plWorld*, plDeviceId, double masses[6]);

/// A finger of a grip, or several on one palm: a chain with motors on its tendons.
typedef struct {
    plMechanismId mechanism; ///< the chain
    /// q1, q2: a position per velocity, copied; those that no tendon bends are not read
    const double *open, *closed;
} plGripFinger;

/// Where the handle of a grip is between its ends, s in 0 .. 1, the motors of all fingers go to
///   theta = -(Jt^T Jt)^-1 Jt^T K (q_d - rest),   q_d = q1 + s (q2 - q1),   Jt = J_a^T K_a R_a
/// with K of all the chain's springs; the nearest where motors are redundant. The handle is pulled
/// along the axis by  -stiffness (z - z_proj),  z_proj the projection of all fingers together, as they
/// are when a tick begins. Beyond its ends s and z are those of the ends.             (pmi 5.3)
/// It is no passive two-port: motors have a supply of their own, and their work is in `applied` of
/// the chains.
typedef struct {
    plVec3 axis; ///< of the world, made unit; default z
    double open,
        closed; ///< z of the handle's origin along it, z_min and z_max [m]; default 0, 0.05
    plProjection projection;     ///< how far fingers are closed
    int fingerCount;             ///< 1 .. plGripFingers
    const plGripFinger* fingers; ///< copied
} plGripDef;

enum { plGripFingers = 16, plFilterTicks = 16 };

/// What joins a device to a tool, a site of the world. Stiffness and damping are per axis of the
/// world; those of a virtual coupling and of a grip are equal. Limits are for collision impulses; a
/// device has limits of its own besides.
///
/// A fingertip feels f = R^T H: R of the tool's part when the tick begins, H of the contacts' force on
/// this part in the `filter` ticks before, never in this one. H goes, in the course of the tick,
/// straight from where it was to the mean of these forces by the ticks' durations; each write is the
/// mean of its share of the way. Weights are convex: H never leaves the range of the forces. It needs
/// a cutaneous device, whose wrench is then in the axes of the part, without a torque. (pmi 5.1)
typedef struct {
    const char* name;          ///< unique in the world; a virtual one's frame and link have it too
    plCouplingKind kind;       ///< default four-channel
    plDeviceId device;         ///< that the hand holds
    plSite tool;               ///< that it moves
    plVec3 stiffness, damping; ///< [N/m], [N s/m]
    plVec3 turnStiffness, turnDamping; ///< [N m/rad], [N m s/rad]
    plLimit limit;                     ///< of collision impulses
    plVec3 forceLimit, torqueLimit;    ///< per axis [N], [N m]; default none
    double
        scale; ///< alpha of a virtual or set-position one, >= 0: the hand feels so much of the force; 0: it
    ///< only commands. Default 1                              (pmi 5.1, 5.2)
    plFeedback feedback; ///< of a virtual one
    double tank; ///< of a set-position one: energy at the start, and at most kept [J]; default 1e-3
    int filter;  ///< ticks that a fingertip feels, 1 .. plFilterTicks; default 4
    plGripDef grip;                    ///< of a grip, which has no tool
    const struct plCouplingCalls* own; ///< of pl_couplingOwn, copied (palp/own.h)
    void* userData;                    ///< of the user, see palp/change.h
} plCouplingDef;

/// With all defaults, and such a coupling in a world.
plCouplingDef plDefaultCouplingDef(void);
plStatus plWorld_AddCoupling(plWorld*, const plCouplingDef*, plCouplingId*);

/// By name: pl_statusNotFound.
int plWorld_DeviceCount(const plWorld*);
int plWorld_CouplingCount(const plWorld*);
plStatus plWorld_FindDevice(const plWorld*, const char* name, plDeviceId*);
plStatus plWorld_FindCoupling(const plWorld*, const char* name, plCouplingId*);
plStatus plWorld_CouplingDef(const plWorld*, plCouplingId, plCouplingDef*);

/// The sample of the last tick, and the wrench that was written then, within the device's limits; the
/// mean of them where there were several.
plStatus plWorld_DeviceSample(const plWorld*, plDeviceId, plSample*);
plStatus plWorld_DeviceForce(const plWorld*, plDeviceId, plWrench*);
/// Where a simulated device is now.
plStatus plWorld_DevicePose(const plWorld*, plDeviceId, plPose*);

/// Damping that a device needs, so that a spring K that is held over steps of T, of which the hand feels
/// the share alpha, and which has a damper B_r on the tool, creates nothing between them:
///   alpha (K T/2 + K^2 T^2/(4 B_r))                                        (pmi 5.2, Lee)
/// INFINITY without a damper. Sufficient; loops may be stable with less.
double plHeldDamping(double K, double Br, double alpha, double T);

/// Damping that a coupling asks of its device in steps of T, along and about the axes of the world
/// [N s/m, N m s/rad], the delay of a simulated device included: of a virtual one while its tool is held,
/// or (held feedback) whatever its tool does; of a unilateral one in touch; of a grip whose fingers are
/// blocked. Zero for all others. What several couplings ask of one device adds up.
plStatus plWorld_DampingNeeded(const plWorld*, plCouplingId, double T, double needed[6]);

/// The i-th warning of this world, one sentence: devices and couplings that will go wrong, shapes that pass
/// through each other because contacts of their kinds are not computed, mechanisms without shapes, materials
/// that no shape has. Returns its length; 0: there is none.
int plWorld_Advice(const plWorld*, int i, char* text, size_t size);

/// Energy of a coupling, since creation or the last plWorld_ResetLedger [J]. What sampling created,
/// less what dampers took, is tool + device + the change of stored; with four channels the contacts'
/// force on the hand is in `device` besides. With a scale alpha it is alpha tool + device: what else the
/// tool got, an amplifier gave. Of a grip, motors have a supply of their own: tool + device + stored is
/// what they brought in beyond what the hand gave, and nothing bounds it but their speed and stiffness.
typedef struct {
    double tool;   ///< given to the tool by coordination and bank; by a frame that the device moves
                   ///< (virtual, unilateral), to all that it touches or is linked to; by the motors
                   ///< of a grip to its fingers
    double device; ///< given to the device by what was written, within its limits, on the way that
                   ///< it truly went; up to its last sample
    double stored; ///< in its own springs, now. The spring of a virtual one is its link's;
                   ///< here is what the hand gave, at the limit of its device, and the link not
} plPort;
plStatus plWorld_Port(const plWorld*, plCouplingId, plPort*);

/// Of a grip when the last tick began: where its handle is, and where its fingers are, both in 0 .. 1
/// between the ends; the fingers may be beyond. Either may be null.
plStatus plWorld_Grip(const plWorld*, plCouplingId, double* wanted, double* closed);

// ----------------------------------------------------- a world that is slower than its device

/// What the next tick of a world would answer to a hand, by itself: the device's thread asks it at the
/// device's own rate while the world computes. It has memory of its own, and nothing in it is the
/// world's. See doc/hand.md.
typedef struct plEcho plEcho;

enum { plEchoContacts = 64 };

/// For groups of at most so many contacts that push, 0 .. plEchoContacts.
plStatus plEcho_Create(int contacts, const plAllocator*, plEcho** echo);
void plEcho_Destroy(plEcho*); ///< null is legal

/// Behind a tick, by the thread that steps: the space that a virtual coupling (with mean feedback) meets
/// next, with the contacts of where things are now. The state stays as it is. What the echo knows of its
/// hand is kept. Memory is taken at the first call only. False: the coupling is of another kind or holds nothing, there was no tick, or too
/// many contacts push; it then renders the force of the last tick.
bool plWorld_TakeEcho(plWorld*, plCouplingId, plEcho*);

/// The hand goes on with another echo, from the one that it felt until now.
void plEcho_Follow(plEcho*, const plEcho* before);

/// The mean force on the hand in the next tick, should the hand be at this pose when it ends; not
/// limited. Wants no memory of the hand, and leaves none. False: there is no space, or the pose is not
/// finite, and the force is that of the last tick.
bool plEcho_Answer(plEcho*, plPose hand, plWrench*);

/// The force that a hand feels which is here now, to be held for h seconds; within the limits of its
/// device, and always finite. Zero for a pose or time that is not. Bounded work, no allocation.
void plEcho_Render(plEcho*, double h, plPose hand, plWrench*);

/// What the hand's side knows of its energy [J].
typedef struct {
    double given;   ///< to the hand, by forces that were held on the way it went
    double moved;   ///< the same without signs
    double created; ///< given, and what the world took for its ticks, as of the last tick
} plEchoPort;
plEchoPort plEcho_Port(const plEcho*);

// ---------------------------------------------------------------- changes while a world runs

/// A hand takes the handle of a simulated device and wants it at a pose: a spring and damper of a
/// person's stiffness. Called again, it wants it elsewhere. Its script stops.
plStatus plWorld_Hold(plWorld*, plDeviceId, plPose);
plStatus plWorld_LetGo(plWorld*, plDeviceId);  ///< nobody holds it
plStatus plWorld_Script(plWorld*, plDeviceId); ///< the hand of its definition goes on

/// A virtual coupling takes a site of a body that can move, in place of what it held; its device is
/// put there. Its tool may be null when it is added: then it holds nothing.
plStatus plWorld_Grab(plWorld*, plCouplingId, plSite);
plStatus plWorld_Release(plWorld*, plCouplingId); ///< it holds nothing, and gives no force
bool plWorld_Holds(const plWorld*, plCouplingId); ///< true for other kinds

/// Another contact law from the next tick on. Contacts stay; what walls and bristles remembered is
/// forgotten, and the energy that this brings or takes counts as applied.
plStatus plWorld_SetLaw(plWorld*, plLawName);
plLawName plWorld_Law(const plWorld*);

/// Another limit of collision impulses; what waits to be paid is forgotten.
plStatus plWorld_SetLimit(plWorld*, plCouplingId, plLimit);

/// Other limits of a device from the next tick on: largest that is written, per axis [N], [N m], >= 0.
/// plWorld_DeviceDef still tells those that it was made with. No part of a snapshot.
plStatus plWorld_SetDeviceLimits(plWorld*, plDeviceId, plVec3 force, plVec3 torque);

/// Another integrator from the next tick on; positions and velocities stay to the last bit.
plStatus plWorld_SetIntegrator(plWorld*, plMechanismId, plIntegrator);

/// Where the motor of a tendon goes from the next tick on; a passive tendon has none, and does not care.
plStatus plWorld_CommandTendon(plWorld*, plMechanismId, int tendon, double angle);
int plWorld_TendonCount(const plWorld*, plMechanismId);
/// Angle of its motor now [rad] and pull [N]; either may be null.
plStatus plWorld_Tendon(const plWorld*, plMechanismId, int tendon, double* angle, double* pull);

/// No step will come for a while: drivers of the outside are told to give no force.
void plWorld_Rest(plWorld*);

/// Something outside went wrong (a tick that came late, a client that vanished): in the next tick
/// forces on all devices go down as they do by themselves when a device is lost, a force or a motion is
/// not finite, a group was stopped, or a step created more energy than there was. Each such tick takes
/// its share of 20 ms from full force to none, of the last force that was right; afterwards it comes
/// back within 200 ms.
void plWorld_Alarm(plWorld*);

/// The same when a part of the force, 0 .. 1, has been taken away already: forces go on from there.
void plWorld_Hushed(plWorld*, double taken);

/// Tells all drivers that can be told so to give only this share of their force. From a thread that does
/// not step, while the one that does hangs; nobody may attach a driver meanwhile.
void plWorld_Hush(const plWorld*, double share);

// ------------------------------------------------------------------------------ outer forces

/// A force of the outside that varies in time, held over each step at its value in the middle of
/// it: wrench (world axes, at the site) times  bias + amplitude sin(2 pi frequency t + phase).
typedef struct {
    plSite site;     ///< where it acts
    plWrench wrench; ///< before the factor
    int coordinate; ///< >= 0: acts on this velocity of the mechanism, `effort`, instead of the site
    double effort;  ///< [N or N m]
    double bias, amplitude, frequency, phase; ///< [1], [1], [Hz], [rad]; default 1, 0, 0, 0
    double start, stop;                       ///< acts in start <= t < stop [s]; default 0, inf
} plDriveDef;

/// With all defaults, and such a force in a world.
plDriveDef plDefaultDriveDef(void);
plStatus plWorld_AddDrive(plWorld*, const plDriveDef*);

/// A wrench at a site, world axes, held over the next step and then forgotten.
plStatus plWorld_ApplyWrench(plWorld*, plSite, plWrench);

/// The same for one velocity coordinate of a mechanism [N or N m].
plStatus plWorld_ApplyEffort(plWorld*, plMechanismId, int coordinate, double effort);

// ------------------------------------------------------------------------------------- a tick

/// Trouble inside a tick: bits of plStepReport.trouble. See PL_TROUBLE_LIST for what happened and what to change.
enum {
#define X(name, bit, shown, what, mend) pl_trouble##name = bit,
    PL_TROUBLE_LIST(X)
#undef X
};

/// What the last tick did.
typedef struct {
    double T;     ///< [s]
    int trouble;  ///< bits of the enum above
    int groups;   ///< of mechanisms joined by links or contacts
    int passes;   ///< most of any group
    int level;    ///< highest of any group, 0: nothing was redone
    int halvings; ///< most of any group: its tick was made in steps of T/2^halvings at the shortest
    int trials; ///< most of any group, of all its steps; each solves the law once. 0: all repeat themselves
    int impacts; ///< groups whose velocities were solved for once more, behind the step
    double gap;  ///< largest error of a rigid link after the tick [m or rad]

    int contacts;    ///< found at the start of the tick
    int active;      ///< of them pushing
    int sliding;     ///< of these sliding
    int colliding;   ///< mechanisms in the colliding state
    int iterations;  ///< most of any group, by its law
    double residual; ///< worst of any group, by the judge; 0 for explicit laws
    double spent;    ///< operations, as the budget counts them
    double depth;    ///< deepest contact at the start of the tick [m], >= 0
    double rise; ///< of the world's energy in the tick, less what was applied in it [J]; negative:
                 ///< it lost energy
} plStepReport;

/// Owners of the joules. `kinetic` and `potential` are those of now, the rest is summed up since
/// creation or the last plWorld_ResetLedger. The balance
///   change of (kinetic + potential) = applied + rows + integrator + leak + drift - dissipated
/// is closed by nothing: its residual is round-off, or a bug.
typedef struct {
    double kinetic;    ///< now [J]
    double potential;  ///< now [J]: gravity, springs
    double applied;    ///< work of wrenches, efforts and drives
    double rows;       ///< work of links and contacts on a mechanism; with the other sign, of a
                       ///< link or of all contacts on their mechanisms; of actuators on a device
    double dissipated; ///< by dampers, friction and impacts; >= 0 but for explicit laws
    double integrator; ///< gained (> 0) or lost by the integrator, from its own formula
    double leak;       ///< created (> 0) or lost by an approximate potential, from its own formula
    double drift;      ///< given by the correction of positions
    double residual;   ///< sum over all ticks
    double worst;      ///< largest |residual| of one tick
    double rise;       ///< of the total: largest rise of one tick, >= 0 (plStepReport); else 0
} plAccount;

/// One tick of T seconds, 0 < T < inf. T may differ at every tick.
void plWorld_Step(plWorld*, double T);

/// The response W of the largest group of contacts in a tick, block by block.
enum { plLookContacts = 64 };
typedef struct {
    int count, dim; ///< contacts looked at, the first ones; 3 rows each in space, 2 in the plane
    int all;        ///< contacts that the group has
    int shapes[plLookContacts][2];                  ///< indices of the shapes of each
    float squares[plLookContacts * plLookContacts]; ///< count x count by rows: sums of the squares
                                                    ///< of a block's elements [1/kg^2]
} plLook;

/// A tick that also looks at its response, as its law meets it in the first pass; the state that comes
/// out is that of plWorld_Step.
void plWorld_StepAndLook(plWorld*, double T, plLook*);

plStepReport plWorld_Report(const plWorld*); ///< of the last tick
double plWorld_Time(const plWorld*);         ///< [s]
uint64_t plWorld_Tick(const plWorld*);       ///< count of steps
plAccount plWorld_Ledger(const plWorld*);    ///< total
/// Of one owner.
plStatus plWorld_MechanismLedger(const plWorld*, plMechanismId, plAccount*);
plStatus plWorld_LinkLedger(const plWorld*, plLinkId, plAccount*);

/// Of a simulated device: `kinetic` of its handle, `applied` by the hand (whose spring is outside),
/// `rows` by the actuators, `dissipated` by damping and dry friction. Of a device of the outside only
/// `rows` is known, the work of what was written on the way that it told, up to its last sample; all
/// else is zero. No part of the total: a coupling's port lies between them.
/// `rows` and the ports of a device differ by what encoders hide and by what waits for its delay.
plStatus plWorld_DeviceLedger(const plWorld*, plDeviceId, plAccount*);
plAccount plWorld_ContactLedger(const plWorld*); ///< of all contacts together

/// Energy of the world, its devices and its couplings together [J], since creation or the last
/// plWorld_ResetLedger. Passive: kinetic + potential never exceed what was there at the start and
/// what was applied since, so that `lost` is never negative. Outside are hands, drives, motors of
/// grips and tendons, the amplifier of a scaled coupling, and calls that place bodies. Cutaneous
/// devices and the handles of grips are left out: their motors have a supply of their own.
typedef struct {
    double kinetic;   ///< now, of bodies and of the handles of simulated devices
    double potential; ///< now: gravity, springs of bodies, links, contacts and couplings
    double applied;   ///< put in from outside; by the hand at an external device: -`rows` of it
    double lost;      ///< start + applied - (kinetic + potential); negative: energy was created
} plBalance;
plBalance plWorld_Balance(const plWorld*);
double plWorld_Tank(const plWorld*); ///< what contacts dissipated, less what drift has spent [J]
void plWorld_ResetLedger(plWorld*);  ///< all sums are zero; energies of now stay

// --------------------------------------------------------------------------------- inspection

/// What is in a world, by index or by name; a name that is not there is pl_statusNotFound, and an index
/// that is not there gives a null id.
int plWorld_MechanismCount(const plWorld*);
int plWorld_LinkCount(const plWorld*);
plMechanismId plWorld_Mechanism(const plWorld*, int index);
plLinkId plWorld_Link(const plWorld*, int index);
plStatus plWorld_FindMechanism(const plWorld*, const char* name, plMechanismId*);
plStatus plWorld_FindLink(const plWorld*, const char* name, plLinkId*);
const char* plWorld_MechanismName(const plWorld*, plMechanismId); ///< null for a bad id
const char* plWorld_LinkName(const plWorld*, plLinkId);
const char*
plWorld_MechanismType(const plWorld*,
                      plMechanismId); ///< "assembly", "chain", "soft", "prescribed", "jointed"
plIntegrator plWorld_MechanismIntegrator(const plWorld*, plMechanismId);
plLinkForm plWorld_LinkKind(const plWorld*, plLinkId);
int plWorld_ShapeCount(const plWorld*);

int plWorld_PartCount(const plWorld*, plMechanismId); ///< 1, or the bodies of a chain; 0: bad id

int plWorld_PositionCount(const plWorld*, plMechanismId); ///< 7 for an assembly; 0 for a bad id
int plWorld_VelocityCount(const plWorld*, plMechanismId); ///< 6 for an assembly

/// Copies of positions (an assembly: x y z, then w x y z) and velocities (world axes, then body
/// axes); either may be null.
plStatus plWorld_State(const plWorld*, plMechanismId, double* q, double* v);

/// Places a mechanism between ticks. Quaternions are made unit; the bodies of a jointed assembly are
/// shifted onto its joints, and their velocities lose what these do not allow. The energy this brings
/// counts as applied.
plStatus plWorld_SetState(plWorld*, plMechanismId, const double* q, const double* v);

plStatus plWorld_Motion(const plWorld*, plSite, plMotion*); ///< now

/// M(q) and C(q, v) of a mechanism at its state, n x n by rows; either may be null.
/// Mdot = C + C^T.
plStatus plWorld_Inertia(const plWorld*, plMechanismId, double* M, double* C);

/// Mean force of a link on its site a in the last tick, world axes [N, N m]: three or six values; the
/// site b gets the opposite.
plStatus plWorld_LinkForce(const plWorld*, plLinkId, double* force);

/// Bytes taken by the world, the most that were in use, and the capacity.
typedef struct {
    size_t used, highWater, capacity; ///< bytes
} plMemory;
plMemory plWorld_Memory(const plWorld*); ///< now

// ----------------------------------------------------------------------------------- channels

/// A scalar of a world by name, for recording:
///   time step energy kinetic potential applied dissipated integrator leak drift residual
///   gap level trouble contacts active sliding colliding iterations defect depth tank
///   rise largestRise          of energy in the last tick (plStepReport), in any tick (plAccount)
///   balance.energy .kinetic .potential .applied .lost  with devices (as in plBalance)
///   contacts.energy contacts.dissipated ... of all contacts together
///   NAME.state                0 free, 1 colliding, 2 resting: of a mechanism
///   NAME.energy NAME.kinetic ... of a mechanism, link or device (as in plAccount)
///   NAME.q[i] NAME.v[i]       positions and velocities of a mechanism
///   NAME.PART.x .y .z         place of a part of a chain;  NAME.x .y .z of an assembly
///   NAME.force[i]             of a link
///   NAME.x .y .z .angle       of a device: its place now, and z of its rotation vector [rad]
///   NAME.force[i] NAME.hand[i]  on a device in the last tick: what was written, and the hand's
///                             wrench as it was told; i = 0..5
///   NAME.push[i] NAME.torque[k] of a pantograph: the hand's true wrench; its motors, k = 0..3
///   NAME.cut NAME.stops NAME.lost  ticks at the motors' limit, at a stop, without a pose
///   NAME.port.tool .port.device .port.stored  energy of a coupling (as in plPort)
///   NAME.felt[i]              what the hand got of a coupling in the last tick, i = 0..5
///   NAME.wanted NAME.closed   of a grip, 0..1: its handle, its fingers (as in plWorld_Grip)
/// Mechanisms, links, devices and couplings have names of their own, but for a virtual coupling and
/// its link; where a program gave one name twice, the first of this order answers.
typedef struct {
    int kind, owner, index, part; ///< for the world alone
    uint32_t generation;          ///< of the owner
} plChannel;

/// Found once by name (or pl_statusNotFound), then read as often as one likes; NAN once its owner was removed.
plStatus plWorld_FindChannel(const plWorld*, const char* name, plChannel*);
double plWorld_ReadChannel(const plWorld*, plChannel);

/// Name of the i-th channel of all, 0 when there is none: a way to list them. Returns its length.
int plWorld_ChannelName(const plWorld*, int i, char* name, size_t size);

// --------------------------------------------------------------- snapshot, hash, restoration

size_t plWorld_SnapshotSize(const plWorld*);       ///< the same until something is added
void plWorld_Save(const plWorld*, void* snapshot); ///< plWorld_SnapshotSize bytes
/// Refuses (pl_statusMismatch) a snapshot of a world with another structure, and (pl_statusDamaged) one of
/// which a bit has changed; the world is then as it was. Law, integrators and
/// surfaces are then those of the snapshot, too.
plStatus plWorld_Restore(plWorld*, const void* snapshot, size_t size);

/// Hash of the whole state: equal for equal runs of one build on one type of processor.
uint64_t plWorld_Hash(const plWorld*);

#ifdef __cplusplus
}
#endif
#endif
