// Contact: what surfaces do to each other, and how a world finds and solves its contacts.
#ifndef PALP_CONTACT_H
#define PALP_CONTACT_H

#include "palp/lists.h"
#include "palp/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Contact laws: see PL_LAW_LIST.
typedef enum {
#define X(name, word, what, source) pl_law##name,
    PL_LAW_LIST(X)
#undef X
        pl_lawCount,
    pl_lawOwn = 64 ///< of the user: plContactDef.own (palp/own.h); not of the list that scenes name
} plLawName;

const char* plLawName_Name(int); ///< "penalty", "impulse", "lcp", "cone", "multiplier"

/// Which velocity the laws `lcp` and `cone` hold to zero.
typedef enum {
    pl_biasOneSided, ///< restitution on closing rows                                     (pmi 4.3)
    pl_biasElastic, ///< the mean velocity: strictly passive, never loses on normals (pmi eq. 28-34)
    pl_biasPlastic, ///< the end velocity, as printed; the world scales away what it creates (pmi Fig. 8)
    pl_biasGap, ///< the gap at the end of the step, and impacts in a stage of their own: nothing sinks, and no
                ///< tick creates energy [default]
    pl_biasCount
} plBias;

const char* plBias_Name(int); ///< "one-sided", "elastic", "plastic", "gap"

/// What the law `impulse` does at all closing contacts of a collision at once.
typedef enum {
    pl_collisionEquality,        ///< v = -e v0 at each: may pull                  (iapb eq. 15, 20)
    pl_collisionComplementarity, ///< 0 <= p | v + e v0 >= 0: never pulls [default] (iapb spec 0.11)
    /// Compression until nothing closes, then e times its impulses and what keeps contacts from closing
    /// again: never pulls; e counts at each contact for itself.        (Pfeiffer and Glocker 1996)
    pl_collisionPoisson,
    pl_collisionCount
} plCollision;

const char* plCollision_Name(int); ///< "equality", "complementarity", "poisson"

/// How a wall answers depth d under the laws `penalty` and `impulse`; its force is held over the
/// step.
typedef enum {
    pl_wallHold,       ///< K d: creates up to K dd^2/2 in a step [default]          (iapb eq. 5)
    pl_wallEstimate,   ///< K (2 d - 1.5 d1 + 0.5 d2), by the depths before        (planar eq. 1)
    pl_wallHysteretic, ///< a spring, and three that drag blocks: loses       (Goldfarb and Wang)
    pl_wallCount
} plWallModel;

const char* plWallModel_Name(int); ///< "hold", "estimate", "hysteretic"

/// Dry friction under the same laws. F_c is friction times the normal force, F_s = (1 + stiction)
/// F_c; a bristle is a spring along the surface, of strain z.
typedef enum {
    pl_frictionSmoothed,   ///< F_c u/slipSpeed, at most F_c: creeps [default]       (iapb eq. 6)
    pl_frictionClassical,  ///< F_s u/slipSpeed below slipSpeed, else F_c: creeps
    pl_frictionReset,      ///< bristle of F_s/bristle, slips there with F_c       (planar eq. 2)
    pl_frictionDriftFree,  ///< bristle of F_c/bristle, slips with F_c    (Hayward and Armstrong)
    pl_frictionDahl,       ///< z' = u - |u| z/bristle: creeps when the load sways
    pl_frictionStickPoint, ///< spring and damper up to F_s, then F_c      (Salcudean and Vlaar)
    pl_frictionFingerPad,  ///< a spring that gets softer up to F_s, then F_c     (Nahvi et al.)
    pl_frictionLuGre,      ///< z' = u - |u| z/z_s(u); F_s falls to F_c by slipSpeed
    pl_frictionKarnopp,    ///< below slipSpeed what stops the contact, up to F_s; else F_c
    pl_frictionCount
} plFrictionModel;

const char* plFrictionModel_Name(int); ///< "smoothed", "classical", "reset", "drift-free", ...

/// What two surfaces do when they meet. What is below `slipSpeed` only the laws `penalty` and
/// `impulse` read.
typedef struct {
    double friction;           ///< coefficient of Coulomb, >= 0; default 0.5
    double restitution;        ///< -1 (no answer) .. 0 plastic .. 1 elastic; default 0
    double tangentRestitution; ///< of the tangential velocity where it sticks, 0 .. 1; default 0
    double stiffness;          ///< of the wall [N/m], penalty and impulse only, >= 0; default 1e4
    double damping;            ///< of the wall [N s/m], >= 0; default 20
    double slipSpeed;          ///< at which smoothed friction is full [m/s], >= 0; default 1e-2
    bool clamp;                ///< the wall never pulls; default false, as printed

    plWallModel wall; ///< default hold
    /// Of the integral of depth, in stiffnesses per second [1/s], >= 0: stiffer when pressed for
    /// long, and creates energy. Default 0: none; not for hysteretic.
    double integral;
    /// Springs that drag blocks: shares of the stiffness, at most 1 in sum, and the stretch at
    /// which each block slides [m], >= 0. Default 0.8/3 each; 0.1875, 0.375, 0.75 mm.
    double blockShares[3], blockDepths[3];

    plFrictionModel frictionModel; ///< default smoothed
    double stiction;               ///< what F_s is above F_c, as a share of it, >= 0; default 0.2
    double bristle;                ///< strain at which it slips [m], > 0; default 1e-4
    double bristleTime; ///< damping of bristles over their stiffness [s], >= 0; default 5e-3
    double viscous;     ///< friction where it slides, not of smoothed [N s/m], >= 0; default 0
} plSurface;

/// With all defaults.
plSurface plDefaultSurface(void);

/// See palp/own.h.
typedef struct plLawDef plLawDef;

/// How a world treats its contacts.
typedef struct {
    plLawName law;         ///< default cone
    plBias bias;           ///< of lcp and cone
    plCollision collision; ///< of impulse
    bool absolute; ///< impulse: two moving parts collide each with the world (iapb eq. 13, 14)
    bool wallsInCollision; ///< impulse: walls act in the tick of a collision too (iapb spec 0.13)
    /// Impulse: contacts that touch and do not close take part in a collision too. With equality they
    /// share it, and of many solutions the least norm is taken.
    bool touchingCollide;
    bool
        collisionFriction; ///< impulse: collisions rub by Coulomb's law, and never pull (iapb sec. VIII)
    /// Impulse: a collision is a force that is held over the tick, the pulse of a wall, instead of a jump of
    /// the velocity at its start. Not with `absolute`.         (Salcudean and Vlaar 1997, iapb eq. 26)
    bool heldPulses;
    /// Largest force of a held pulse at a contact [N]; what is left follows in the next ticks, in the place of
    /// the wall. Default 0: none.
    double pulseLimit;
    int sides;         ///< of friction pyramids, even, 4 .. 32; default 8
    plSurface surface; ///< where no material is given
    /// Contacts are met before they touch, from this gap on [m]: u >= -gap/T there. Default 0: only
    /// what penetrates is a contact. For cone and lcp.
    double
        softReach; ///< the same of soft bodies, which may spring back so far in a step; default 1 mm
    double reach;
    double cluster;   ///< contacts of two parts nearer than this become one [m]; default 2e-4
    double coherence; ///< a contact this near to one of the last tick is the same [m]; default 5e-3
    /// Share of the depth beyond `slop` that is taken back in each tick, at position level, paid
    /// from energy that contacts dissipated before; 0: none. Default 0.2, 1e-5 m, and no faster than
    /// 1 m/s, 0.1 m/s where there are links. Not for penalty and impulse. What is placed in overlap
    /// at rest stays there: nothing was dissipated that could pay for lifting it.
    double driftRate, slop;
    const plLawDef* own; ///< of pl_lawOwn, copied; null: the world has none
    double
        hitSpeed; ///< contacts that begin faster are hit events [m/s], >= 0; default 1 (palp/query.h)
} plContactDef;

/// With all defaults.
plContactDef plDefaultContactDef(void);

/// Of a mechanism: it touches nothing, something new hit its group, or neither.
typedef enum {
    pl_contactFree,
    pl_contactColliding,
    pl_contactResting,
    pl_contactStateCount
} plContactState;

const char* plContactState_Name(int); ///< "free", "colliding", "resting"

#ifdef __cplusplus
}
#endif
#endif
