// The contact frame of a surface, and how two of them move over each other.
//   in    places with derivatives of two surfaces, in one frame
//   out   velocities and Newton steps of the four parameters
//   letters  x, y, z frame at a place, z INTO the solid; E, F metric and curvature; f, g the surfaces;
//            R the turn between both frames; beta = (f - g).z_f; K u' = (v; w)     (nurbs eq. 11-20)
// The paper's normals point inwards. palp's point outwards, and those of contacts from b to a: with
// f on a, that normal is z_f. Which way S_u x S_v points does not matter, as long as z points inwards:
// y = z x x turns with it, and E gets a negative determinant.
#ifndef PL_COLLIDE_TRACK_FRAME_H
#define PL_COLLIDE_TRACK_FRAME_H

#include "shape/shape.h"

typedef struct {
    double m[2][2]; ///< by rows
} plMat2;

typedef struct {
    plVec3 p, x, y, z;
    plMat2 E, F;
    bool pole; ///< S_u and S_v do not span a plane here: nothing else is set
} plContactFrame;

/// `inward`: S_u x S_v points into the solid.                                   (nurbs eq. 11, 12)
void plContactFrame_Set(plContactFrame*, const plSurfel*, bool inward);

/// Two frames that look at each other.
typedef struct {
    double beta; ///< signed distance [m]
    plMat2 R;
    double K[4][4]; ///< for u_f, v_f, u_g, v_g
    double r[4];    ///< right-hand side of Newton: K du = r. At most its first two [m] and its last
                    ///< two [1] tell how far from collinear it is
} plContactKin;

/// K has the same zeros as the collinear normals have, but no rank is lost at beta = 0, unlike in the
/// gradient of the distance.                                                  (nurbs eq. 13, C3, C10)
void plContactKin_Set(plContactKin*, const plContactFrame* f, const plContactFrame* g);

/// Right-hand side of K u' = (v_x, v_y, w_y, -w_x): velocity v of g's body past f's at the place of g,
/// and w its turning past f's.                                                    (nurbs eq. 17, 18)
void plContactKin_Velocity(const plContactFrame* g, plVec3 v, plVec3 w, double rhs[4]);

/// K u = b in place. False: K is singular, and b is not a number's worth.
bool plContactKin_Solve(const plContactKin*, double b[4]);

/// The least singular value of the sum of curvatures K~_f + K_g + beta K_g K~_f [1/m], which decides
/// whether K can be inverted. With the sign of its determinant: < 0 is no minimum. 0 at a pole.
double plContactKin_Sigma(const plContactKin*, const plContactFrame* f, const plContactFrame* g);

/// Where sigma times this length is below plTrackSingular, K is taken as singular.
#define plTrackLength 0.01
#define plTrackSingular 1e-3

#endif
