// The contact space: the contact problem as plain data, with no world around it.
//   u = W p + u_free on rows; contact i has rows dim*i .. dim*i + dim-1: normal, then tangents
//   letters  u velocity at the END of the step [m/s], u > 0 separates; u- at its start;
//            p impulse [N s]; W response [1/kg], which may be nonsymmetric; T step [s]
// A problem that was frozen elsewhere may be in other units (displacements and forces): laws and
// judge only need that u = W p + u_free holds.
#ifndef PL_CONTACT_SPACE_H
#define PL_CONTACT_SPACE_H

#include "base/base.h"
#include "palp/contact.h"

/// What two materials do when they meet.
typedef struct {
    double mu;        ///< friction coefficient
    double e;         ///< restitution, -1 (no answer) .. 0 plastic .. 1 elastic
    double eTangent;  ///< restitution of the tangential velocity when sticking, 0 .. 1
    double stiffness; ///< of the wall, K [N/m]: penalty laws only
    double damping;   ///< of the wall, B [N s/m]
    double slipSpeed; ///< v_th, where smoothed friction saturates [m/s]
    bool clamp;       ///< the wall never pulls (the print of iapb eq. 5 lets it)

    plWallModel wall;
    double integral;       ///< Ki/K [1/s]
    double blockShares[3]; ///< of K
    double blockDepths[3]; ///< [m]

    plFrictionModel friction;
    double stiction;    ///< F_s/F_c - 1
    double bristle;     ///< strain at which it slips [m]
    double bristleTime; ///< [s]
    double viscous;     ///< [N s/m]
} plPair;

/// Of a wall, at its last sample.
typedef struct {
    double depth[2];   ///< then, and one sample before; 0 outside [m]
    double integral;   ///< of the depth [m s]
    double stretch[3]; ///< of the springs that drag blocks [m]
} plWallMemory;

/// Of friction, at its last sample; vectors along the contact's tangents.
typedef struct {
    double strain[2]; ///< of the bristles [m]
    double u[2];      ///< velocity [m/s]
    double normal;    ///< force [N]
    double T;         ///< step since then [s]
    int64_t slips;    ///< 0: it sticks; of eight bytes, so that there is no gap
} plFrictionMemory;

/// What a law keeps of a contact from tick to tick. Age 0: the contact is new.
typedef struct {
    int age;
    double p[3]; ///< normal, tangents: the warm start
    plWallMemory wall;
    plFrictionMemory friction;
    double owed; ///< of a pulse that a limit has cut [N s]
    bool pulses; ///< of after: p is a pulse, and no wall
} plContactMemory;

/// Dense when W is there, else block-sparse: rows of dim x dim blocks, columns ascending, the
/// diagonal block always present.
typedef struct {
    int count, dim; ///< contacts; 3 in space, 2 in the plane, 1 without friction
    int capacity, blockCapacity;
    double T;      ///< [s]
    int sides;     ///< of friction pyramids, even, 4 .. 32
    bool pyramids; ///< friction cones have that many flat sides; else they are round
    plBias bias;   ///< at level 0 of a law
    double rate;   ///< share of the depth that `multiplier` takes back in a step
    plCollision collision;
    bool touchingCollide, collisionFriction, heldPulses; ///< of a collision, as in plContactDef
    double pulseLimit;                                   ///< [N]; 0: none

    plPair* pair;
    double* gap;     ///< per contact, at the start of the step [m]
    double* gapFree; ///< per contact, after the free motion [m]
    /// Per contact, of the bias `gap`: w = u + hold is 2/T times what the gap at the end of the step has above its
    /// goal [m/s].
    double* hold;
    bool centred; ///< compliance acts on the change of p from the last tick
    /// Per contact: a law holds on its gap at the end, u >= -gap/T, also where that is negative.
    bool* placed;
    double* uStart; ///< per row, u-
    double* uFree;  ///< per row
    double* W;      ///< by rows, stride dim*count; null when block-sparse
    /// W's diagonal is 1 + compliance times that of the response; 0: it is the response.
    double compliance;

    int* blockStart;  ///< count + 1: blocks of contact i are blockStart[i] .. blockStart[i+1]-1
    int* blockColumn; ///< contact of the column
    int* diagonal;    ///< per contact: its diagonal block
    double* blocks;   ///< dim*dim each, by rows
    bool thin;        ///< block-sparse, though few contacts: what factors W may do so
} plSpace;

/// Room for `contacts` of `dim` rows; `blocks` 0: dense, else block-sparse with room for so many.
plStatus plSpace_Create(plSpace*, int dim, int contacts, int blocks, plArena*);

/// Bytes that Create takes from an arena.
size_t plSpace_Size(int dim, int contacts, int blocks);

static inline int plSpace_Rows(const plSpace* s) { return s->dim * s->count; }

/// The diagonal block of contact i; *stride numbers from one row to the next.
static inline const double* plSpace_Diagonal(const plSpace* s, int i, int* stride)
{
    if (s->W) {
        *stride = plSpace_Rows(s);
        return &s->W[s->dim * i * *stride + s->dim * i];
    }
    *stride = s->dim;
    return &s->blocks[s->diagonal[i] * s->dim * s->dim];
}

/// What the compliance of a contact adds to the velocity of a row [m/s].
static inline double plSpace_Yielded(const plSpace* s, int row, const double* p)
{
    int stride;
    const double* W = plSpace_Diagonal(s, row / s->dim, &stride);
    const double share = s->compliance / (1 + s->compliance);
    return share * W[row % s->dim * (stride + 1)] * p[row];
}

/// Some contact is placed: something in this space deforms.
static inline bool plSpace_IsSoft(const plSpace* s)
{
    for (int i = 0; s->placed && i < s->count; ++i) {
        if (s->placed[i]) return true;
    }
    return false;
}

/// After filling blockStart and blockColumn: finds the diagonal blocks. False when the columns of a
/// row are not ascending or its diagonal block is missing.
bool plSpace_Index(plSpace*);

/// Wp = W p.
void plSpace_Apply(const plSpace*, const double* p, double* Wp);

/// A copy of a block-sparse space's response as a dense one, rows x rows by rows.
void plSpace_Dense(const plSpace*, double* W);

// --- files

/// Rows that hold without a cone, which stand beside the contacts in a file: V^T p + R l + s = 0, and V l
/// in the contacts' u. They are eliminated where a file is read: W - V N V^T, u_free - V N s, with N the
/// inverse of R, or of as many of its rows as are independent.
typedef struct {
    int count;
    double* V; ///< rows x count, by rows
    double* R; ///< count x count, symmetric, positive semi-definite
    double* s;
    double* N; ///< count x count
    double* Z; ///< V N
} plBilateral;

/// The multipliers l that go with impulses of contacts. Returns how much of V^T p + R l + s is left,
/// relative to the largest of its parts: dependent rows may contradict each other.
double plBilateral_Recover(const plBilateral*, const plSpace*, const double* p, double* l);

typedef enum {
    pl_spaceAny,     ///< told apart by the first lines
    pl_spaceOwn,     ///< palp's own text, all digits
    pl_spaceContact, ///< Siconos: dimension, contacts, matrix (dense, block, sparse), q, mu
    pl_spaceLcp,     ///< Siconos: order, matrix, q; becomes a space of dim 1
    pl_spacePaper    ///< m; mu; W; delta_free; a known solution
} plSpaceFormat;

/// A space read from a file, with the memory that it lies in.
typedef struct {
    plSpace space;
    double* known; ///< a known solution per row, or null
    plArena arena;
    plBilateral bilateral;
    plArena bilateralArena;
    char error[256]; ///< "file:line: what was expected", when loading failed
} plSpaceFile;

/// On failure `error` says where and what, and nothing is kept. Memory is taken only after the
/// file's length has shown that it can hold what its counts promise.
plStatus plSpaceFile_Load(plSpaceFile*, const char* path, plSpaceFormat, const plAllocator*);
void plSpaceFile_Destroy(plSpaceFile*, const plAllocator*);

// --- problems of other readers, as entries of matrices

typedef struct {
    int row, column;
    double value;
} plEntry;

/// Entries of a matrix, of the same place added, in any order.
typedef struct {
    int rows, columns, count;
    plEntry* entries;
} plEntries;

/// A space in blocks from W, u_free and the friction of contacts, with bilateral rows where V has columns;
/// R is then their matrix and s their vector. On failure `error` says why.
plStatus plSpaceFile_Fill(plSpaceFile*, int dim, const plEntries* W, const double* uFree,
                          const double* mu, const plEntries* V, const plEntries* R, const double* s,
                          const plAllocator*);

/// The same of the global form M v = H p + G l + f, u = H^T v + w, G^T v + b = 0, with M symmetric and
/// positive definite: W = H^T M^-1 H and so forth. M falls apart into bodies, each of at most
/// plGlobalRows rows; G may have no columns. What is made on the way has at most plEntriesMost entries.
enum { plGlobalRows = 4000, plBilateralRows = 4000, plEntriesMost = 1 << 26 };
typedef struct {
    int dim;
    plEntries M, H, G;
    const double *f, *w, *b, *mu;
} plGlobalProblem;
plStatus plSpaceFile_FillGlobal(plSpaceFile*, const plGlobalProblem*, const plAllocator*);

/// Writes palp's own format: a commented header, then every number with 17 digits.
plStatus plSpace_Save(const plSpace*, const char* path);

#endif
