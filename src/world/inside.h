// Private to the room: what a world is made of.
#ifndef PL_WORLD_INSIDE_H
#define PL_WORLD_INSIDE_H

#include "palp/change.h"
#include "palp/own.h"
#include "palp/query.h"
#include "world/world.h"

/// An owner's joules.
typedef struct {
    plAccount account;
} plOwner;

typedef struct {
    double time, T; ///< now, and the last step [s]
    uint64_t tick;
    plAccount total;
    plAccount contacts;
    double tank;     ///< dissipated by contacts, less what drift has spent [J]
    double adjusted; ///< 1: walls were changed from outside since the last tick
} plWorldState;

/// How much of its force a device gets, and the last one that was right [N, N m] (state).
typedef struct {
    double share;
    double last[6];
} plEase;

/// A device and what it said and heard in the last tick (state).
typedef struct {
    char name[32];
    plDeviceCalls calls; ///< null functions: simulated
    plVec3 forceLimit, torqueLimit;
    plSimulated simulated;
    plSample* sample;
    plWrench* written;
    plAccount* account;
    plEase* ease;
} plWorldDevice;

/// How impulses on a linkage reach the site by which a hand holds it; of the pass. See linkage.c.
typedef struct {
    bool holds;     ///< the tool is part of a linkage: the numbers below are in use
    double *J, *Y;  ///< rows of the site, and D^-1 J^T: 6 x velocities of the tool's mechanism
    double *Wl, *l; ///< 6 x rows of links: W_lh, and what they answer to a unit wrench of the hand
    double A[36];   ///< W_hh [1/kg ...]
    double inverse[36]; ///< A^+, in the metric of the device
    double* W;          ///< W_ch, 6 for each row of contacts in the system
    double* contacts;   ///< the same by contact of the group and axis
    double* row;        ///< velocities of the tool's mechanism: scratch
    plEigen eigen;
} plLinkage;

/// Writes of one tick, where there are several.
typedef struct {
    plWrench sum;
    double work; ///< on the device [J]
} plSeveral;

typedef struct {
    char name[32];
    plCoupling coupling;
    int device;
    plLinkage linkage; ///< of one whose collisions strike the hand
    plWrench reaction; ///< of the contacts on the tool, and on what hangs on it, in this tick
    plSeveral several; ///< what it wrote in this tick
} plWorldCoupling;

/// Pairs of shapes that touched, and what the last tick changed about them (events.c).
typedef struct {
    int beforeCount, nowCount;
    uint64_t *before, *now; ///< pairs as words, ascending: of the tick before, of this one
    int* fastest;           ///< per pair of this one: its fastest new contact; -1: none
    int beginCount, endCount, hitCount;
    int gone;    ///< the first ends: of shapes that were removed since the last tick
    bool asleep; ///< a rehearsal is under way
    plTouchEvent *begins, *ends;
    plHitEvent* hits;
} plEvents;

/// A place for a mechanism, a link or a shape, and the piece of each arena that belongs to it.
typedef struct {
    uint32_t generation; ///< of what is there, or was last
    bool vacant;
    void* data; ///< of the user
    size_t fixed, fixedSize, state, stateSize;
} plSlot;

typedef struct {
    plSlot *mechanisms, *links, *shapes;
} plSlots;

/// The last step of a group that ended where it began.
typedef struct {
    uint64_t inputs; ///< hash of all that the step was made of; 0: it did not end there
    double spent;    ///< operations
    plLawReport law;
} plRest;

struct plWorld {
    plWorldDef def;
    plArena fixed, state;
    char error[256];

    int mechanismCount, linkCount, driveCount;
    plMechanism** mechanisms;
    plLink* links;
    plDriveDef* drives;
    plSystem system;
    plSlots slots;

    // contacts
    const plLaw* law;
    plLawWork work;
    plSurfaces surfaces;
    char (*materialNames)[32];
    plCollide* collide; ///< null: the world can have no shapes
    plContacts contacts;
    int shapeCount, bodyCount, vacantShapes;
    plManifold found; ///< contacts of a pair in a trial
    plEvents events;
    double* gains;          ///< per mechanism: of speed in the coming step, by forces [m/s]
    uint64_t ignored;       ///< hash of the pairs that were given
    const plShape** shapes; ///< a shape and its proxy have the same index; null: a skin
    plCarrier* carriers;    ///< per shape
    uint32_t (*masks)[2];   ///< per shape: group, mask
    plSite* bodies;         ///< parts that carry shapes
    double* bias;
    double* impulses;
    double* taken; ///< velocity that compliance took, per row
    plContactMemory *before, *after;
    /// Meets the space of every group, when it stands: a rehearsal writes it to a file.
    void (*meet)(void* self, const plSpace*);
    void* meetSelf;

    int deviceCount, couplingCount;
    plWorldDevice* devices;
    plWorldCoupling* couplings;
    bool alarm; ///< something outside went wrong before this tick

    // state
    int* contactStates; ///< per mechanism
    plWorldState* now;
    plOwner* mechanismOwners;
    plOwner* linkOwners;

    // groups: the forest, and lists sorted by group
    int* groupParent; ///< per mechanism
    int* groupRows;   ///< per root: of links
    int* liveParent;  ///< the same with this tick's contacts
    int* liveRows;
    int* liveContacts;
    bool groupsStale; ///< something was added since the lists were sorted
    int groupCount;
    int* groupOf; ///< per mechanism
    int* mechanismList;
    int* linkList;
    int* contactList;
    int* groupList; ///< of contacts: of the group at work, with room for those that its trial finds
    int* mechanismFirst; ///< per group, and one more
    int* linkFirst;
    int* contactFirst;
    int* pairFirst;
    int* pairList;    ///< of the collider: within a group, or with the ground
    int* shapeGroups; ///< see search.c
    bool pairsSorted; ///< in this tick: the first search of a trial does that

    plRest* rests; ///< per mechanism: of the group that begins with it

    // of the tick
    plEnergy* mechanismEnergies; ///< of the step at work
    plEnergy* linkEnergies;
    plEnergy* mechanismSums; ///< of all steps of the tick
    plEnergy* linkSums;
    plEnergy contactEnergy; ///< of all groups that were kept
    plEnergy groupContact;  ///< of the group at work
    double groupStrike;     ///< work of its strike [J]
    double groupScale;      ///< of the work of its contacts [J]
    bool groupCareful;      ///< passes did not converge: its contacts give less than they could
    plLawReport groupLaw;
    bool groupCollides;
    bool groupFinite;   ///< its last trial was
    bool groupAdvanced; ///< the trial has the impulses of its law already
    bool groupComplete; ///< the trial has been searched for contacts, and there were no others
    bool groupStays;    ///< the trial moves by nothing that counts: it need not be kept
    bool groupStopped;  ///< it stays for the rest of the tick
    double groupBudget; ///< trials that it may still make in this tick
    int groupTrials;    ///< of the tick
    bool groupImpact;   ///< its velocities were solved for behind a step
    int groupChosen;    ///< contacts that have rows: the first of the list
    double groupSpent, spent; ///< of the tank, by the group and by all in this tick [J]
    plStepReport report;      ///< saved in snapshots, but no part of the hash
};

plStatus plWorld_Fail(plWorld*, plStatus, const char* why);
bool plWorld_HasSoft(const plWorld*);
bool plWorld_MeetsSoft(const plLaw*);
extern const char plSoftLaws[];                             ///< why another law does not
plMechanism* plWorld_Inside(const plWorld*, plMechanismId); ///< null: there is none
bool plWorld_SiteOk(const plWorld*, plSite);
/// Null, or why no force can be given to it: the frame of nodes that move by themselves is the world's.
const char* plWorld_SiteRefuses(const plWorld*, plSite);
/// Mechanisms, links, devices and couplings have names of their own: channels begin with them.
bool plWorld_NameTaken(const plWorld*, const char* name);

// slots.c
plStatus plSlots_Create(plWorld*);
plShapeId plShapes_Id(const plWorld*, int shape); ///< with its generation
/// Ok, Stale or BadId.
plStatus plWorld_Look(const plWorld*, plMechanismId);
plStatus plWorld_LookLink(const plWorld*, plLinkId);
plStatus plWorld_LookShape(const plWorld*, plShapeId);
plStatus plWorld_LookSite(const plWorld*, plSite); ///< the ground's is good
plStatus plWorld_FailId(plWorld*, plStatus,
                        const char* why); ///< what is stale has its own sentence
bool plSlots_Full(const plSlot*, int count, int capacity);
void plSlot_Enter(plSlot*, void* data);
void plSlot_Leave(plSlot*);
uint64_t plSlots_Identity(const plWorld*,
                          uint64_t hash); ///< of places that were used more than once
/// Where something new may go: first into the memory of what was removed, then behind all that there is.
typedef struct {
    plWorld* world;
    plSlot* slots;
    int count, capacity, index;
    plArena ownFixed, ownState;
    plArena *fixed, *state;
    size_t fixedMark, stateMark;
    bool isNew, kept;
    plSlot before; ///< of the place, when it was kept
} plRoom;
void plRoom_Find(plRoom*, plWorld*, plSlot*, int count, int capacity); ///< it must not be copied
bool plRoom_Another(plRoom*, plStatus); ///< there was too little memory there: another one
void plRoom_Behind(plRoom*);            ///< the same place, with new memory
void plRoom_Keep(plRoom*);              ///< what was made stays; before others take memory
void plRoom_GiveUp(plRoom*);

// remove.c
void plWorld_Vacate(plWorld*, int mechanism); ///< it is removed
void plWorld_TakeBack(
    plWorld*,
    int mechanism); ///< it has just been added, and was not: the last one or a vacant place

// group.c
void plGroups_Enter(plWorld*, int mechanism);
bool plGroups_Join(plWorld*, const plLink*); ///< false: more rows than capacity.rows
bool plGroups_Rebuild(plWorld*);             ///< the same of all links
void plGroups_Sort(plWorld*);                ///< with the contacts of this tick
plGroup plGroups_At(const plWorld*, int group);
bool plGroups_Yields(const plWorld*, plSite); ///< it moves when it is pushed

// shape.c
/// The surface of a soft body touches, too.
plStatus plShapes_AddSkin(plWorld*, int mechanism, const plSoftDef*, const char** why);
/// Contacts of this tick, and the groups that they join.
void plShapes_Collide(plWorld*, double T);
/// Products that it took to find the contacts of this tick.
double plShapes_Cost(const plWorld*);
/// How many times their half thicknesses two may come nearer in a step and are met for sure.
double plShapes_Pace(const plWorld*, plSite, plSite);
/// The normal between sharp features that would turn far within the step stays as it was found.
void plShapes_Steady(const plWorld*, plContact*, double T);

// search.c
/// Contacts that the trial of a group has and its list has not; they are added. How many.
int plShapes_Search(plWorld*, plGroup*);

// events.c
plStatus plEvents_Create(plEvents*, int contacts, plArena*);
void plEvents_Open(plWorld*);   ///< contacts are found, and the state is that of the start
void plEvents_Close(plWorld*);  ///< contacts are kept
void plEvents_Recall(plWorld*); ///< the state was set from outside
void plEvents_Forget(plWorld*); ///< no tick was made
void plEvents_Drop(plWorld*, int shape);
double plEvents_Closing(const plWorld*, const plContact*); ///< at the start of the step [m/s]

// rest.c
/// Hash of all that the step of a group is made of; 0: something moves, or the group is of another kind.
uint64_t plRest_Inputs(const plWorld*, const plGroup*, double T);
/// They are those of the last step, which ended where it began.
bool plRest_Repeats(const plWorld*, const plGroup*, uint64_t inputs);
void plRest_Recall(plWorld*, const plGroup*); ///< impulses and report of that step
void plRest_Note(plWorld*, const plGroup*, uint64_t inputs,
                 double spent); ///< 0: the group has moved

// satisfy.c
/// Speed at which depth is taken back at most [m/s].
static const double plLiftSpeed = 0.1;
/// Rows of the pass; the law on its contacts; impulses of all rows. False: the links' system is
/// singular.
bool plSatisfy_Group(plWorld*, const plGroup*, plPass);
/// Takes depth back at position level, paid from the tank.                        (pmi spec 4.3)
void plSatisfy_Drift(plWorld*, const plGroup*, double T);
void plSatisfy_Audit(plWorld*, const plGroup*, double T);
/// Contacts of a law that promises to take energy would give some in the trial.
bool plSatisfy_Gives(plWorld*, const plGroup*, double T);
/// By how much contacts of the trial are deeper than they may be, and those that push are open [m].
typedef struct {
    double deep, open;
} plGapError;
plGapError plSatisfy_GapError(const plWorld*, const plGroup*);
/// Contacts without rows that are deeper in the trial than they may be get them. How many.
int plSatisfy_ChooseDeep(plWorld*, const plGroup*, double deep);

plBias plSatisfy_Bias(const plWorld*); ///< of the group that was carried last
/// What it would cost to lift what is deep, by as much as a step may, with the impulses of the trial [J]; 0: nothing is.
double plSatisfy_LiftPrice(const plWorld*, const plGroup*, double T);

/// Between the steps of a tick: contacts are where the last step left them, and what they gave is carried.
void plSatisfy_Carry(plWorld*, const plGroup*);
/// Gaps at the start of a step, and the least that it may end with.
void plSatisfy_Aim(plWorld*, const plGroup*);
/// Depth that the law left undone, and that the next step would mend, stays where the trial created too much energy by
/// that [J]. False: that was not the reason.
bool plSatisfy_LetBe(plWorld*, const plGroup*, double excess);
void plSatisfy_Commit(plWorld*, const plGroup*,
                      bool keep);                ///< behind a step; without `keep`: none was made
void plSatisfy_Finish(plWorld*, const plGroup*); ///< behind the tick

// impact.c
/// Velocities that the law of the contacts has left undone in the trial, by its residual [m/s].
double plImpact_Noise(const plWorld*, const plGroup*);
/// All that moves in a group with contacts is what its law leaves undone: it rests.
bool plImpact_IsNoise(const plWorld*, const plGroup*);
/// The group stood still, and its trial moves by no more than the law leaves undone.
bool plImpact_Rests(const plWorld*, const plGroup*);
/// So it stays where it is.
bool plImpact_Stays(const plWorld*, const plGroup*);
/// What is left of the velocities of a group that turns on sharp contacts, after the step.
double plPivot_Share(const plWorld*, const plGroup*);
/// After a step was committed: end velocities of contacts.
void plImpact_Step(plWorld*, const plGroup*, double T);

// group_newton.c
/// A step within the tick: how long it takes, and how much of the tick is left before it [s].
typedef struct {
    double T, left;
} plSpan;
/// What a step may cost, and what is asked of it.
typedef struct {
    int level;     ///< of plPass
    int trials;    ///< at most
    bool positive; ///< only the positive part of the geometric stiffness
    double open;   ///< largest error of a rigid link at its end [m or rad]
    double share;  ///< of the kinetic energy that the brake may take
    bool
        rough; ///< gaps as the law left them, and joints of chains that turn by over half a radian, will do
} plRung;
/// Makes the trial of a group; false: it must not be kept.
bool plGroup_Try(plWorld*, plGroup*, plSpan, const plRung*);
/// Mechanisms whose positions answer to impulses as their rows say: Newton's method holds for them, and a tick
/// may be cut in two.
bool plGroup_IsStrict(const plWorld*, const plGroup*);

// group_step.c
void plGroup_Step(plWorld*, const plGroup*, double T);
void plEnergy_Add(plEnergy* sum, const plEnergy*); ///< of steps that follow each other

// advice_shapes.c
/// The i-th warning about shapes and materials that have no effect; see plWorld_Advice.
int plAdvice_Shapes(const plWorld*, int i, char* text, size_t size);
/// The same of bodies; counts `i` down by how many there are.
int plAdvice_Bodies(const plWorld*, int* i, char* text, size_t size);

// port.c
void plDevices_Sample(plWorld*); ///< and what couplings command
void plDevices_Write(plWorld*, double T);
int plDevices_Delay(const plWorldDevice*, double T); ///< of what is written [ticks], rounded up
void plDevices_Quiet(plWorldDevice*, double T); ///< a driver of the outside is told to give nothing

// coupling_host.c
/// The step of a group is solved, for the n-th time. True: frames that hands move are to move otherwise.
bool plDevices_Relent(plWorld*, const plGroup*, plSpan, int n);
void plDevices_Lead(plWorld*, const plGroup*, plSpan);  ///< the step is as it is
double plWorld_DampingOf(const plDeviceDef*, int axis); ///< of the device itself
plCouplingHost plWorld_Host(plWorld*);                  ///< what couplings ask of it
plCouplingView plWorld_View(const plCouplingHost*, plWorldCoupling*, double T);

// advice_passive.c
/// Warnings of a coupling, along or about the axes: 0, or the length of the text.
int plAdvice_Passive(const plWorld*, int coupling, bool turns, char* text, size_t size);
/// Walls that are felt directly.
int plAdvice_Walls(const plWorld*, int coupling, char* text, size_t size);
/// To three digits, so that it is no more, or (`up`) no less.
double plAdvice_Rounded(double x, bool up);
int plAdvice_Stable(const plWorld*, int coupling, bool turns, char* text, size_t size);
/// Inertia of a tool along (0 to 2) or about (3 to 5) an axis, as its site resists [kg, kg m^2].
double plAdvice_ToolMass(const plWorld*, plSite, int axis);

// grasp.c
/// After what a coupling holds has changed: groups, and soft bodies that are held by their frames.
void plGrasp_Start(plWorld*, plWorldCoupling*);
/// Links of couplings hold what the state says: after it was restored.
void plGrasps_Recall(plWorld*);

// share.c
bool plDevices_InGroup(const plGroup*, const plWorldCoupling*); ///< its tool is
void plDevices_SiteRows(const plWorldCoupling*, plRow rows[6]); ///< along x y z, then about them
bool plDevices_Pending(const plWorld*, const plGroup*);         ///< a spread collision goes on
void plDevices_Rest(plWorld*, const plGroup*); ///< nothing touches: nothing is owed
/// Without a collision: banks pay what they owe, as strikes on their tools. False: nothing was owed.
bool plDevices_Pay(plWorld*, const plGroup*, double T);
/// Share of a collision's impulses that the tools' limits allow; what the limits keep for later.
double plDevices_Share(plWorld*, const plGroup*, const double* impulses, double T);
void plDevices_Keep(plWorld*, const plGroup*, bool keep);

// linkage.c
plStatus plLinkage_Create(plWorld*, plWorldCoupling*);
/// Once in a pass that has contacts, while the state is that of the start: finds which couplings hold
/// a linkage, and what impulses on the rows of contacts do to their hands.
void plLinkages_Meet(plWorld*, const plGroup*, double T);
/// Wrench at the site of a coupling that holds a linkage [N s, N m s], for impulses on all rows of
/// contacts of the system; for those of one contact of the group, along its axes.
plWrench plLinkage_Felt(const plWorld*, const plWorldCoupling*, const double* impulses);
plWrench plLinkage_FeltOf(const plWorldCoupling*, int contact, const double* p);
/// Strikes the linkage at its site with the share of F that does no positive work; F becomes that
/// share. Returns the work [J].
double plLinkage_Strike(plWorld*, const plGroup*, const plWorldCoupling*, double F[6]);

// guard.c
/// Energy that the trial of a group has created in this step [J]; 0: passive.
double plGuard_Excess(const plWorld*, const plGroup*);
/// Energy that the trial of a group has more than its state and what is applied [J].
double plGuard_Rise(const plWorld*, const plGroup*);
/// Bodies of the group gained more energy in this step than all that it had at its start.
bool plGuard_BlewUp(const plWorld*, const plGroup*);
/// The trial of a group lost more than all that moved and was strained in it: no model of a step
/// holds there, and the trial may be anywhere.
bool plGuard_Lost(const plWorld*, const plGroup*);
/// The balance of the trial of every mechanism closes to 1e-10.
bool plGuard_Balances(const plWorld*, const plGroup*);
bool plGuard_Watches(const plWorld*, const plGroup*);
/// The lowest level at which braking may help: no majorizing action is left to try.
int plGuard_BrakeLevel(const plWorld*, const plGroup*);
double plGuard_Kinetic(const plWorld*, const plGroup*);
double plGuard_Tolerance(const plWorld*, const plGroup*);    ///< of the excess [J]
void plGuard_Brake(plWorld*, const plGroup*, double excess); ///< as much of it as there is to take

// ledger.c
void plLedger_Place(plWorld*, int mechanism); ///< after SetState: the jump counts as applied
void plLedger_PlaceLink(plWorld*, int index);
void plLedger_EnterMechanism(plWorld*, int index);
void plLedger_Sum(plWorld*);                  ///< the total, from its owners
void plLedger_Leave(plWorld*, int mechanism); ///< its energy goes with it
void plLedger_EnterLink(plWorld*, int index);
void plLedger_EnterDevice(plWorldDevice*);
void plLedger_PlaceDevice(plWorldDevice*);
void plLedger_CloseDevice(plWorldDevice*, const plDeviceEnergy*);
void plLedger_Adjust(plWorld*); ///< walls change: the next tick's jump is applied
/// Balance of a group that was stopped, and keeps a share of its velocity.
void plLedger_Slow(plWorld*, const plGroup*, double share);
void plLedger_Close(plWorld*); ///< after commit

#endif
