// Soft bodies: linear elasticity on tetrahedra, as mechanisms of a world.
//
//   plSoftDef def = plDefaultSoftDef();
//   def.name = "clip";
//   def.mesh = &tets;
//   plWorld_AddSoft(world, &def, &id);
#ifndef PALP_SOFT_H
#define PALP_SOFT_H

#include "palp/mechanism.h"
#include "palp/tets.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a soft body is made of.
typedef struct {
    double E;   ///< Young's modulus [Pa], > 0
    double nu;  ///< Poisson's ratio, -1 < nu < 0.5
    double rho; ///< density [kg/m^3], > 0
} plElastic;

/// Where the mass of a soft body is.
typedef enum {
    pl_softLumped,    ///< a quarter of each tetrahedron to each of its nodes
    pl_softConsistent ///< of the linear shape functions: its second moments are exact
} plSoftMass;

/// How a soft body moves and deforms.
typedef enum {
    /// A rigid frame, and a deformation in it that is at rest in every step: it has no memory. Right
    /// where the body settles within a step, omega_1 T > 3.               (signorini eq. 28-30)
    pl_softCorotational,
    /// Every node moves by itself, under a constant stiffness: small turns. The step is fixed.
    /// (signorini eq. 27)
    pl_softDynamic,
    /// The same, but the forces inside are those of tetrahedra that turn, as the last step left them.
    /// Its matrix is constant, and wrong for what has turned: it resists turning, and past some turn a
    /// stiff body is not stable (doc/soft.md).
    pl_softLagged,
    /// Every tetrahedron is linear in axes that turn with it: large turns. The matrix is made and
    /// factored anew in every step.
    pl_softElements,
    pl_softModelCount
} plSoftModel;

const char* plSoftModel_Name(int); ///< "corotational", "dynamic", "lagged", "elements"

/// A soft body. Its part 0 is its frame: of a corotational body that of its centre of mass, else the
/// world's. Its part 1 + i is face i of its surface, and a site's point there are the weights of the
/// face's three corners.
typedef struct {
    const char* name;        ///< copied; unique in the world
    const plTets* mesh;      ///< copied [m]
    plElastic elastic;       ///< default 1 MPa, 0.3, 1000 kg/m^3
    plSoftMass mass;         ///< default lumped
    plSoftModel model;       ///< default corotational
    plIntegrator integrator; ///< implicit [default]; of pl_softDynamic also midpoint
    double step;             ///< of all but a corotational body: its only step [s]
    double alpha, beta;      ///< of all but a corotational body: Rayleigh's damping [1/s], [s]
    plPose pose;             ///< of the mesh
    plVec3 velocity;         ///< of the centre of mass, world axes [m/s]
    plVec3 spin;             ///< about it, axes of the mesh [rad/s]
    /// Nodes that are held: of a corotational body in its frame, which then is what somebody holds;
    /// of the others in the world. None: it floats.
    int heldCount;
    const int* held;
    /// Nodes that can be touched, of its surface, each once; null: all of the surface. Memory and the
    /// time to load grow with the square of their number.
    int candidateCount;
    const int* candidates;
    /// Its surface touches, if the world has room for it (capacity.shapes, softFaces and softNodes).
    plMaterialId material; ///< null: the world's own
    bool nodesOnly; ///< its nodes touch, not the edges and faces between them: as the paper has it
    uint32_t group, mask; ///< two meet when each one's group is in the other's mask; default all
    void* userData;       ///< of the user, see palp/change.h
} plSoftDef;

/// With all defaults, without a mesh.
plSoftDef plDefaultSoftDef(void);

enum { plMostCandidates = 2000 };

/// Such a body in a world. Its matrices are factored here: it takes its time.
plStatus plWorld_AddSoft(plWorld*, const plSoftDef*, plMechanismId*);

/// What was found when a soft body was loaded.
typedef struct {
    plSoftModel model;                  ///< of its definition
    int nodes, tets, faces, candidates; ///< how many: all, all, of the surface, touchable
    plMass rigid;                       ///< of the whole, in the mesh's frame
    double omega;  ///< lowest angular frequency of its deformation [rad/s]; 0: not found
    double omegaT; ///< times the step that was asked about
    bool settles;  ///< omegaT > 3: a corotational body is right at this step
    double stored; ///< now, in its deformation [J]
} plSoftInfo;

/// At steps of T [s].
plStatus plWorld_SoftInfo(const plWorld*, plMechanismId, double T, plSoftInfo*);

/// Faces of its surface, three nodes each, counter-clockwise seen from outside; null: it is not soft.
const int* plWorld_SoftFaces(const plWorld*, plMechanismId, int* count);
/// Where its nodes are now, world axes; one solve of the whole body for a corotational one.
plStatus plWorld_SoftPoints(plWorld*, plMechanismId, plVec3* points);

#ifdef __cplusplus
}
#endif
#endif
