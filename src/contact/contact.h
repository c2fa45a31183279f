// contact: contacts with a past, links between mechanisms, and the system of rows of one group.
//   in    touches (collide), site response (mechanism)
//   out   the contact space for a law; impulses on rows
//   letters  u = W p + u_free; u + R p = c on link rows; d stretch; p impulse [N s]; n normal from b
//            to a, t tangents; rows of contacts come first, then those of links
#ifndef PL_CONTACT_H
#define PL_CONTACT_H

#include "collide/collide.h"
#include "contact/space.h"
#include "mechanism/mechanism.h"

// ----------------------------------------------------------------------------------- surfaces

/// Surfaces of all pairs of materials; material 0 is the world's own.
typedef struct {
    int capacity, count;
    plSurface* own;
    plSurface* mixed; ///< capacity x capacity
    bool* given;      ///< the same: by plSurfaces_Give, not mixed
} plSurfaces;

plStatus plSurfaces_Create(plSurfaces*, int materials, const plSurface* first, plArena*);
plStatus plSurfaces_Add(plSurfaces*, const plSurface*, int* index);
/// Another surface for a material: mixed anew with all others, but for pairs that were given.
void plSurfaces_Set(plSurfaces*, int index, const plSurface*);
void plSurfaces_Give(plSurfaces*, int a, int b, const plSurface*);
plPair plSurfaces_Pair(const plSurfaces*, int a, int b);
const char* plSurface_Complaint(const plSurface*); ///< null: nothing to complain of

// ----------------------------------------------------------------------------------- contacts

/// What carries a proxy.
typedef struct {
    plSite site;    ///< the part; the ground's mechanism is null
    int body;       ///< a number of the part, the ground 0
    int material;   ///< index
    bool nodesOnly; ///< soft: edges and faces between its nodes touch nothing
    double half;    ///< half the least thickness of its shape [m]; 0: a surface, INFINITY: a plane
} plCarrier;

/// A contact of this tick. Its a is the part with the larger number, so that the ground is b.
typedef struct {
    int a, b; ///< proxies
    uint64_t key;
    int bodyA, bodyB;
    plSite siteA, siteB;
    plVec3 n, t[2];
    plVec3 at;      ///< between the two surfaces, world [m]
    double gap;     ///< at the start of the step [m]
    double gapTick; ///< at the start of the tick [m]
    plPair pair;
    bool fresh;     ///< there was none in its place in the last tick
    double closing; ///< of a fresh one: speed at which it closed when it was found [m/s]
    bool
        found; ///< in the trial: at the start its features were not there yet, and its gap is their extension
    bool
        misled; ///< found, and deep where this step starts, although the pair was apart: it has no row
    bool comes;       ///< it touches, or will probably touch in this tick
    int deep;         ///< ticks running in which it began deeper than the slop, this one with them
    bool soft;        ///< one of the two deforms: the law holds on the gap at the end of the step
    plGapModel model; ///< how the gap follows the two parts within the step
    plSkinEnd endA, endB; ///< the same where one of them deforms
    plContactMemory memory;

    // of the pass
    double gapStart; ///< of the model, where the step starts [m]
    plVec3 nStart;
    double gapLast; ///< at pl_atLast [m]
    plVec3 nLast;
    uint64_t trial; ///< that the next two are of; 0: none
    double gapTrial;
    plVec3 nTrial;
    double goal;   ///< the least gap that the step may end with [m]
    double uFree;  ///< of the normal, at the end of the step without contacts [m/s]
    double wanted; ///< of the normal, behind an impact [m/s]
    double uStart[3], u[3], p[3];
    double mean[3]; ///< what p does its work on
    plVec3
        struck[2];  ///< impulse of a strike on a and on b, world axes; opposite but for `absolute`
    plVec3 carried; ///< on a, of the steps of this tick before this one, world axes [N s]
} plContact;

/// What is kept of a contact until the next tick, without gaps between the members.
typedef struct {
    int a, b, bodyA, bodyB;
    int partA, partB;
    uint64_t key;
    int64_t age, deep;
    double p[3], gap;
    plVec3 pointA, pointB, n, at;
    plVec3 impulse; ///< on a, world axes [N s]
    plWallMemory wall;
    plFrictionMemory friction;
    double owed;
} plContactRecord;

typedef struct {
    double reach, cluster, coherence; ///< [m]
    double slop;                      ///< contacts that are deeper are counted as deep [m]
    bool planar;
    /// Of contacts that are apart: will this one probably close in the coming step? Null: the reach says which
    /// there are.
    bool (*comes)(const void* self, const plTouch*);
    const void* self;
} plContactRules;

/// The contacts of a world, and those of its last tick (state).
typedef struct {
    int capacity, count;
    plContact* list; ///< with room for one more than the capacity
    int* first;      ///< per body, of a chain of contacts through `next`; -1: none
    int* next;
    int *lastFirst, *lastNext; ///< the same of the last tick
    int bodies;

    int* lastCount; ///< state
    plContactRecord* last;
} plContacts;

plStatus plContacts_Create(plContacts*, int contacts, int bodies, plArena* fixed, plArena* state);

/// Contacts of this tick from touches, which are in order of (a, b, key): those that penetrate,
/// close ones of two parts collapsed into the deepest, each with the memory of the one in its place
/// in the last tick. False when some did not fit.                                (iapb sec. III)
bool plContacts_Update(plContacts*, const plTouch*, int count, const plCarrier*, const plSurfaces*,
                       plContactRules);

/// Whether a touch of a skin may be a contact: nodesOnly leaves out what is of no node.
bool plContacts_Means(const plTouch*, const plCarrier*);

/// One more contact, found in the trial; -1: no room. Its gap is that of the start by its model.
int plContacts_Add(plContacts*, const plTouch*, const plCarrier*, const plSurfaces*, bool planar);

bool plContact_Touched(const plContact*); ///< in this tick; others leave no trace
/// At the end of the tick.
void plContacts_Keep(plContacts*);

/// Energy in the springs of a contact [J].
typedef struct {
    double wall, bristles;
    double slid; ///< lost by the wall's blocks since the sample
} plContactStore;

/// The store at a gap and at a slip [m] since the sample in the memory; a law's own.
typedef plContactStore (*plStored)(const plPair*, const plContactMemory*, double gap,
                                   const double slip[2]);

/// Balance of a contact in the step, from its memory before (its own) and after. `stored` null: all
/// work that is taken is dissipated.
void plContact_Audit(const plContact*, const plContactMemory* after, plMechanism* const* mechanisms,
                     double T, plStored stored, plEnergy*);

/// In the springs of its wall and bristles at the start [J].
double plContact_Stored(const plContact*, plStored);

/// Gap by the model, and its normal in the world.
double plContact_Gap(const plContact*, plMechanism* const* mechanisms, plWhen, plVec3* n);

/// Rows of a contact between the start and an end of the step, `dim` of them; finds gapLast. The first one
/// gives the change of the gap, the others the slip.
/// `known`: gap and normal at the end are.
void plContact_Rows(plContact*, plMechanism* const* mechanisms, plWhen end, bool known, int dim,
                    plRow* rows);
void plContact_FindStart(plContact*, plMechanism* const* mechanisms); ///< where the step starts
/// Behind the rows of the pass.
plRow plContact_EndRow(const plContact*, plMechanism* const* mechanisms, plWhen end);
/// The least gap that the step may end with, where what is deep is lifted [m].
static inline double plContact_Goal(const plContact* c, double lift)
{
    return c->goal < -lift ? c->goal + lift : 0;
}

/// The same of a contact of what deforms (soft_rows.c).
double plContact_SoftGap(const plContact*, plMechanism* const* mechanisms, plWhen, plVec3* n);
plRow plContact_SoftEndRow(const plContact*, plMechanism* const* mechanisms, plWhen end);
void plContact_SoftRows(plContact*, plMechanism* const* mechanisms, plWhen end, int dim,
                        plRow* rows);

/// Distance along the normal of the two points that touched, in the trial [m].
double plContact_EndGap(const plContact*, plMechanism* const* mechanisms, plWhen);

// -------------------------------------------------------------------------------------- links

/// A spring, damper or rigid joint between two sites: rows of points (three, or two where one
/// slides), and three of turns where it holds those too.
///
/// Its stretch d is a state of its own. Over a step it moves by T times the mean velocity of its
/// rows, so that the work of its force and its stored energy agree to the last bit, however the
/// sites turn; the trial's positions are then shifted (by the third order of the step, or by
/// round-off) until the geometry agrees with d again. What cannot be shifted becomes leak.
///   point rows   d = x_a - x_b, world axes; sliding: across.(x_a - x_b), turning with b's part
///   turn rows    d = log(R_b^T R_a R_rest^T), axes of b's part; rows carry the derivative of log
typedef struct {
    char name[32];
    plSite a, b;
    bool grasps; ///< of a coupling: its site a changes while the world runs
    bool idle;   ///< holds nothing: no group has it
    plLinkForm form;
    int pointRows; ///< 3, sliding 2, of a distance 1
    bool turns;
    int turnRows;      ///< 0, or 3; with a hinge 2, with two axes 1
    double distance;   ///< 0: the point is held, or slides
    int rowCount;      ///< of both
    double K[6], B[6]; ///< K infinite: rigid
    plVec3 across[2];  ///< of a sliding link, in b's part
    /// Axes of a's and of b's part that stay perpendicular, of a link with a hinge: one pair a row.
    plVec3 pairA[2], pairB[2];
    plQuat rest;

    double* d;       ///< state
    double* impulse; ///< state: of the last tick on a, world axes [N s, N m s]; what a user reads

    // of the pass
    double R[6], c[6], uStart[6], u[6], mean[6], p[6], move[6], target[6];
    bool byWay[6];  ///< uStart, and what R and c act on, are of the displacement: see plRowSet
    double goal[6]; ///< stretch of rigid rows at the end of the step
    double law
        [6]; ///< c of a spring on the rows of the pass: its law, whether or not the trial repeats itself
    double uLast[6], moveLast[6], dLast[6], pLast[6]; ///< of the last trial: u^, m^, d^, p^ below
    plVec3 axes[6];                                   ///< of the rows, world
    plVec3 force;                                     ///< of the last step on a, world axes [N]
} plLink;

plStatus plLink_Create(const plLinkDef*, plMechanism* const* mechanisms, plArena* state, plLink*,
                       const char** why);

/// Rows of the pass. After Begin of both mechanisms. J T (V0 + V1)/2 is the change of the stretch once the
/// trial repeats itself.
void plLink_Rows(plLink*, plMechanism* const* mechanisms, plLinearise, plRow* rows);

/// Rows at pl_atLast: how the stretch there answers to a small change of the trial.
void plLink_EndRows(const plLink*, plMechanism* const* mechanisms, plRow* rows);

/// A hinge that is the wrong way round has its rows closed, too.
bool plLink_TurnedRound(const plLink*, plMechanism* const* mechanisms, plWhen);

/// Stretch by the geometry at a place [m, rad]. A turn beyond half of a round counts on from that of the start of
/// the step.
void plLink_Geometry(const plLink*, plMechanism* const* mechanisms, plWhen, double* d);
/// Turns beyond half of a round become those the other way, which store less.
void plLink_Wind(const plLink*, double* d);

/// R and c of the rows, u + R p = c, from uStart, the diagonal of W and the last trial. With u the velocity
/// of the end rows, u^ that of the last trial, d^ its stretch and m^ = T J U^ its change of the stretch:
///   rigid     R small,                       c = u^ - 2 d^/T + R p^
///   passive   G = T^2 K/2 + T B,  R = 2/G,  c = u^ - 2 m^/T - R T K d
///   implicit  G = T^2 K   + T B,  R = 1/G,  c =             - R T K d
/// A rigid row gets R = `softness` of its plLink_Yield, 1e-10 or more: redundant joints share their load. R acts
/// on the change of p from trial to trial, so that the stretch ends at zero all the same. The law of a spring by
/// itself is u + R p = law, with u the velocity of its rows: law = -uStart - R T K d (passive), - R T K d (implicit).
void plLink_Equation(plLink*, double T, double softness, const double* diagonal, int ld);

/// W_ii of row i, but no less than 1e-4 of the largest of its kind (points or turns) in the link: in
/// a direction in which neither end can move, W_ii is round-off or zero. Then 1.
double plLink_Yield(const plLink*, int i, const double* diagonal, int ld);

/// Stretch after the step, from the impulses; `exact`: both ends move as the form assumes.
void plLink_Target(plLink*, double T, bool exact);
/// Rigid rows close; or, where it holds, they keep what is left open: a rope that is straight between two ends
/// cannot give back a nanometre, and tries would not end. To keep it does no work.
void plLink_Aim(plLink*, bool holds);

/// Before the steps of a tick: no impulse yet. After each, of T: keeps the target as stretch, and adds the
/// impulse.
void plLink_Begin(plLink*, double rate); ///< 1/T of the last tick [1/s]; 0: there was none
void plLink_Commit(plLink*, double T);
void plLink_Push(plLink*, const double* p); ///< adds the impulses of its rows to what a user reads

double plLink_Stored(const plLink*, const double* d); ///< [J]
int plLink_Forces(const plLink*); ///< numbers that a user reads: 3, or 6 with turns

/// Balance of the step; `final` is the stretch that is kept.
void plLink_Audit(const plLink*, double T, bool exact, const double* final, plEnergy*);

/// True when every end of the link moves as its form assumes: the mean velocity for a passive link,
/// the end velocity for an implicit one.
bool plLink_Exact(const plLink*, plMechanism* const* mechanisms);

// --------------------------------------------------------------------------------- the system

/// A group: mechanisms joined by links and contacts, as lists of indices.
typedef struct {
    plMechanism* const* mechanisms; ///< all of the world
    plLink* links;                  ///< all of the world
    plContact* contacts;            ///< all of the tick
    const int* mechanismList;
    const int* linkList;
    int* contactList;
    int mechanismCount, linkCount, contactCount;
} plGroup;

typedef enum { pl_jacobianNone, pl_jacobianPass, pl_jacobianStart } plJacobian;

/// Rows over the mechanisms of a group. Each row has a share in one or two mechanisms; the shares of
/// one mechanism lie one after the other, so that work grows with the rows that touch it.
typedef struct {
    int capacity, count;
    int ofContacts; ///< of the capacity: rows that may be asked for by their factors
    plRow* rows;
    int* slot;        ///< per mechanism of the world: its place in the group
    int* shareFirst;  ///< per place in the group, and one more
    int* shareRow;    ///< the row of a share
    plRow* shareRows; ///< and a copy of it
    double* shareP;
    int velocities; ///< of the largest mechanism
    double* J;      ///< of all shares, each over the velocities of its mechanism
    int* placeJ;    ///< per place in the group: where in J its shares begin
    plJacobian has; ///< what J holds
    double* Y;      ///< response to the shares of one mechanism; where all are bodies, as J
    plRow* ends;    ///< rows at the end of the last trial, where `atEnd`
    bool* atEnd;    ///< per row
    bool hasEnds;   ///< some row is atEnd
    bool* byWay;    ///< per row: of the displacement, 2 theta J where it is not atEnd
    double* E;      ///< as J, but of the ends: W = E Y. J itself where there are none
    double* local;  ///< what its deformation adds; null: no mechanism is soft
    const plRow**
        shareEnds; ///< with it: rows at the end of the shares of one mechanism; null: none
} plRowSet;

/// What links of a large group answer to, and what answers to them: the contacts of what they join.
typedef struct {
    int rows;     ///< of links
    int count;    ///< of such contacts
    int* contact; ///< ascending
    int* place;   ///< per contact of the group: its place among them, or -1
    double* own;  ///< W_ll, rows x rows; `push` lies behind it
    double* push; ///< W_cl, per row of such a contact `rows` numbers
    double* pull; ///< W_lc, by contact rows as well; later N^-1 of it
} plLinked;

plStatus plRowSet_Create(plRowSet*, int rows, int ofContacts, int mechanisms, plArena*);
/// Makes room for mechanisms of n velocities.
plStatus plRowSet_Fit(plRowSet*, int n, plArena*);
plStatus plRowSet_FitLocal(plRowSet*, int rows, plArena*); ///< and for soft ones, of so many rows
/// After the rows were written: finds the shares.
void plRowSet_Share(plRowSet*, const plGroup*);
/// W = response, count x count by rows.
void plRowSet_Dense(plRowSet*, const plGroup*, plResponse, double* W);
/// The same in blocks of dim rows, into a block-sparse space; rows of links, which come last, apart from
/// them; null: there are none. False when the blocks do not fit; then the space holds as many contacts
/// as do.
bool plRowSet_Sparse(plRowSet*, const plGroup*, plResponse, plLinked*, plSpace*);
/// Y of all shares, beside J. Bodies of six velocities only; both have room for 18 numbers a row.
void plRowSet_Respond(plRowSet*, const plGroup*, plResponse);
/// The links' part of the response, after that of contacts is known: begins with nothing, and adds what is
/// in the Y of one mechanism of v velocities.
void plRowSet_BeginLinked(const plRowSet*, const plGroup*, const plSpace*, plLinked*);
void plRowSet_AddLinked(const plRowSet*, const double* left, int place, int v, const double* Y,
                        int dim, plLinked*);
/// u = J V of every row.
void plRowSet_Velocities(plRowSet*, const plGroup*, plWhen, double* u);
/// After the rows and ends were written and shared: E of the ends.
void plRowSet_FindEnds(plRowSet*, const plGroup*);
/// Velocities at the start as the displacement has them, 2 (1 - theta) J V0: with 2 theta J V1 they are 2/T
/// times the displacement of the row.
void plRowSet_StartWays(plRowSet*, const plGroup*, double* u);
/// u = E V of every row.
void plRowSet_EndVelocities(const plRowSet*, const plGroup*, plWhen, double* u);
static inline const double* plRowSet_Left(const plRowSet* s) { return s->hasEnds ? s->E : s->J; }
/// The trial of every mechanism under impulses p on the rows. False: one did not converge.
bool plRowSet_Advance(plRowSet*, const plGroup*, const double* p);
/// Values of rows, gathered for the shares of the mechanism at a place.
const double* plRowSet_Gather(plRowSet*, int place, const double* values);
/// Positions of the trial by impulses z on the rows.
void plRowSet_Displace(plRowSet*, const plGroup*, const double* z, plEnergy* mechanismEnergies);

typedef struct {
    int rows;     ///< of a group with links, or solved dense
    int contacts; ///< of a group without
    int dim;
    int mechanisms;
} plSystemSize;

enum {
    plSystemDense = 48, ///< contacts; larger groups without links are block-sparse
    plSystemThin = 8,   ///< contacts; smaller groups are dense
    plSystemBlocks = 96 ///< room for blocks, for each contact of those
};

/// W of contacts between bodies of six velocities, in factors: W_ij is the sum of J_i.Y_j over the
/// bodies that both touch. Its cost grows with the contacts alone. Links, at most six rows of them, are
/// one body more, which all contacts of what they join touch: J is W_cl, and Y is -N^-1 W_lc.
enum { plFactorSides = 3 };
typedef struct {
    int body[plFactorSides]; ///< places in the group; that of the links comes behind them
    int at[plFactorSides]; ///< where J and Y of the contact's three rows begin; -1: no more bodies
} plFactorSite;
typedef struct {
    int bodies;
    const plFactorSite* sites; ///< per contact
    const double *J, *Y;       ///< six numbers a row
    double* V;                 ///< six per body: scratch
} plFactors;

/// All rows of one group in one pass.
typedef struct {
    plSystemSize size;
    plRowSet set;
    int chosen;       ///< only the first so many of a group's contacts; the others give nothing
    int contacts;     ///< of the group, as many as were chosen and fit
    int contactRows;  ///< they come first
    double* W;        ///< of all rows; dense groups only
    double* N;        ///< factor of W_ll + R
    double* response; ///< N^-1 W_lc, by contact rows
    int* pivot;
    double *p, *u, *uStart, *uFree, *uMean;
    double *endFree, *endLast; ///< E V of the free motion and of the last trial
    double* startWay;          ///< see plRowSet_StartWays
    plLinked linked;           ///< contacts that answer to links
    plRow* linkRows;           ///< of the last pass, for the projection
    int* source;               ///< per contact of the space: its place in the group's list
    plSpace dense, sparse, shift, sparseShift;
    plFactorSite* sites;
    double* V;       ///< six per mechanism, and for links
    double softness; ///< of rigid links: R as a share of W; 0: 1e-10
    bool first;      ///< the pass is the first of its step: there was no trial
    bool gaps;       ///< rows of contacts are those of their gaps, at the end of the step
    double lift;     ///< by how much contacts that are deep are lifted in the step [m], >= 0
    uint64_t trial;  ///< number of the trial: another one each time that its positions change
    bool closes;     ///< pl_responseMass: rigid links end with no velocity, and do not keep theirs
    bool regular;
    bool
        thins; ///< blocks may take the place of a W: in large groups with links, and where that saves half
    bool thin; ///< the group has few contacts, and is block-sparse all the same
    bool full; ///< contacts were left out: their rows or blocks did not fit
} plSystem;

plStatus plSystem_Create(plSystem*, const plSystemSize*, plArena*);

bool plSystem_IsSoft(const plSystem*, const plGroup*); ///< one of its mechanisms deforms
int plSystem_LinkRows(const plGroup*);                 ///< of all its links

/// Whether a group of so many rows of links and so many contacts can be solved as a whole.
bool plSystem_HasRoom(const plSystem*, int links, int contacts);

/// Before Begin of a pass: the geometric stiffness of what links carry in the trial; `first`: of what they
/// carried in the last step. `positive`: only the positive part of it.
void plSystem_Stiffen(const plGroup*, double T, bool first, bool positive);

/// After Advance: how far Newton's method has moved the trial, as a share of its velocities, and the energy
/// that is not yet balanced, as a share of the kinetic energy. Trials that turn a part by more than two radians
/// are shortened.
typedef struct {
    double velocity, energy;
} plTrialChange;
plTrialChange plSystem_Change(plSystem*, const plGroup*, double most);

/// Rows of the pass, contacts first; after Begin.
void plSystem_Rows(plSystem*, const plGroup*, plLinearise);

/// After Advance: the largest error of a link's stretch in the trial, of rigid ones and of all [m or rad]; and by
/// how much the rows, which are those of the trial before, miss the change of a stretch.
typedef struct {
    double rigid, all, rows;
} plLinkError;
plLinkError plSystem_LinkError(const plGroup*);

/// The contact space with links eliminated:
///   u_c = (W_cc - W_cl N W_lc) p_c + u_free_c + W_cl N (c_l - u_free_l),  N = (W_ll + R)^-1
/// pl_responseMass is that of a strike: u- of the state, rigid links keep their velocity, soft ones
/// give nothing. False when the links' system is singular; they then give nothing.
bool plSystem_Build(plSystem*, const plGroup*, plResponse, double T, plSpace** space);

/// After Rows: the space of the step without its W and free gaps, and W in factors. False: the group is small
/// and has links, or has many of them, or something that is no rigid body by itself, or the world is planar.
bool plSystem_Factors(plSystem*, const plGroup*, double T, plSpace** space, plFactors*);

/// One link of a group by itself: what its impulses p_l and the contacts' u_free are when its equation
/// is moved by r, u + R p = c + r, and nothing else is:
///   p_l = p + own r - pull^T p_c,    u_free_c += push r
enum { plLinkRows = 6 };
typedef struct {
    int rows;
    double p[plLinkRows]; ///< without contacts
    double own[plLinkRows * plLinkRows];
    double *push, *pull; ///< per row of a contact, plLinkRows numbers each
} plLinkAnswer;

/// After Build of a dense group, before Recover; index of the link in the world. The space is copied
/// besides, into one that was made dense for 3 rows. False: more contacts than the copy has room for,
/// or the links' system is singular.
bool plSystem_Answer(plSystem*, const plGroup*, int link, plSpace* copy, plLinkAnswer*);

void plSystem_Soften(plSpace*); ///< redundant rows share what they carry

/// Impulses of all rows from those of the contacts.
void plSystem_Recover(plSystem*, const plGroup*, const double* contactImpulses);

/// The impulses as a stage of their own after a step was committed, at the state: how much energy the share s of
/// them gives, s b + s^2 a [J]; and that share. Returns the work, which is added to the mechanisms' rows.
void plSystem_Work(const plSystem*, const plGroup*, double* b, double* a);
double plSystem_Kick(plSystem*, const plGroup*, double share, plEnergy* mechanismSums);

/// The impulses act at the instant x_k. Returns their work [J].
double plSystem_Strike(plSystem*, const plGroup*);

/// Closing contacts between two mechanisms become two, each of one mechanism against the world: for
/// the absolute rule of collisions. `pulls`: a half that opens is reversed too, as printed. False when
/// they do not fit; nothing is changed then.                                       (iapb eq. 13, 14)
bool plSystem_Split(plSystem*, const plGroup*, bool pulls, plSpace** space);

/// The trial of every mechanism under the impulses, then the velocities of the rows at the end and
/// the stretch of each link. False when a momentum (symplectic) did not converge.
bool plSystem_Advance(plSystem*, const plGroup*, double T);

/// After Advance: improves the impulses of links by what their rows still miss, from the velocities
/// that really came out; then Advance again. The rounding of W and of its factor is the same in
/// every tick and would drain or feed a stiff link by 1e-16 a step. Returns the largest miss, as a
/// share of the largest velocity.
double plSystem_Refine(plSystem*, const plGroup*);
/// By how much a gap of the trial is not what its rows and impulses say [m]: what another trial mends.
double plSystem_TrialGap(const plSystem*, const plGroup*,
                         plContact*); ///< at the end of the trial [m]
double plSystem_GapMiss(plSystem*, const plGroup*, double T);

/// Shifts the trial's positions until the geometry of all links has their stretch; at most three
/// rounds, and what would leave more than there was is taken back. Returns the largest error that is
/// left [m or rad].
double plSystem_Project(plSystem*, const plGroup*, plEnergy* mechanismEnergies);

/// Normal rows of the contacts deeper than `slop` in the trial, as a space of displacements: the law
/// 0 <= z | W z - rate (depth - slop) >= 0 in u_free. Null: there are none, or all are within 1e-3 of
/// the slop: what rests is left alone.
plSpace* plSystem_Shift(plSystem*, const plGroup*, double T, double rate, double slop);
/// Positions of the trial by the impulses of that space.
void plSystem_Displace(plSystem*, const plGroup*, const double* z, plEnergy* mechanismEnergies);

#endif
