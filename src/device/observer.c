// Observers of the hand's force.
//
// Over a step of held acceleration a, x moves by T v + T^2/2 a and v by T a. With corrections
// x += k1 e, v += k2 e before it, the error obeys
//   e+ = (1 - k1 - T k2) e + T dv,   dv+ = dv - k2 e,
//   z^2 - (2 - k1 - T k2) z + 1 - k1 = 0.
// Poles r exp(+-i phi) need k1 = 1 - r^2 and T k2 = 1 + r^2 - 2 r cos phi. A held force F of the
// hand, which the prediction lacks, leaves e = M^-1 F T/k2 in the end: so F is read as M e k2/T.
#include "device/observer.h"

static bool isPositive(double x) { return x > 0 && isfinite(x); }

// What the model says of a step from the last sensed pose to x: its acceleration.
static bool accelerate(const plPantographDef* def, plVec3 seen, plVec3 x, const double tau[4],
                       plVec3 v, plVec3 hand, plVec3* a)
{
    plPantographPose p;
    plVec3 motors;
    if (!plPantograph_Inverse(def, plScale(0.5, plAdd(seen, x)), &p)) return false;
    if (!plPantograph_Force(&p, tau, &motors)) return false;
    return plPantograph_Acceleration(def, &p, v, plAdd(motors, hand), a);
}

static plVec3 glide(plVec3 x, double T, plVec3 v, plVec3 a)
{
    return plAddScaled(plAddScaled(x, T, v), T * T / 2, a);
}

// M(x) s e
static bool forceOf(const plPantographDef* def, plVec3 x, double s, plVec3 e, plVec3* F)
{
    plPantographPose p;
    plMat3 M;
    if (!plPantograph_Inverse(def, x, &p) || !plPantograph_Inertia(def, &p, &M)) return false;
    *F = plScale(s, plMul(&M, e));
    return plFinite3(*F);
}

// --------------------------------------------------------------------------- Nicosia and Tomei

bool plNtObserver_Tune(plNtObserver* o, double T, double w, double zeta)
{
    if (!isPositive(T) || !isPositive(w) || !(zeta > 0 && zeta <= 1)) return false;
    const double r = exp(-zeta * w * T), phi = w * T * sqrt(1 - zeta * zeta);
    o->T = T;
    o->k1 = 1 - r * r;
    o->k2 = (1 + r * r - 2 * r * cos(phi)) / T;
    return true;
}

bool plNtObserver_Start(plNtObserver* o, double T, double w, double zeta, plVec3 x)
{
    *o = (plNtObserver){0};
    if (!plFinite3(x) || !plNtObserver_Tune(o, T, w, zeta)) return false;
    o->x = o->seen = x;
    return true;
}

// Under a held hand the estimate trails behind at rest: x is constant, v = -(k1 e/T + T a/2) is not
// zero. C with that v would see a motion that is none, a bias that grows with the force: 0.04 % at
// 0.8 N, up to 2.7 % at 8 N. So C takes the rate. The rate is that of the middle of the step to come:
// the velocity of now is less by T/2 (a + M^-1 F). A damper that took the rate, half a step early,
// would take 4 % of the energy of every bounce.
bool plNtObserver_Update(plNtObserver* o, const plPantographDef* def, plVec3 x, const double tau[4])
{
    plVec3 a, F;
    const plVec3 none = plVec(0, 0, 0);
    if (!(o->T > 0) || !accelerate(def, o->seen, x, tau, o->rate, none, &a)) return false;
    const plVec3 e = plSub(x, glide(o->x, o->T, o->v, a));
    if (!forceOf(def, x, o->k2 / o->T, e, &F)) return false;
    o->x = plAddScaled(x, o->k1 - 1, e);
    o->v = plAddScaled(plAddScaled(o->v, o->T, a), o->k2, e);
    o->rate = plAddScaled(plAddScaled(o->v, o->k1 / o->T, e), o->T / 2, a);
    o->velocity = plAddScaled(o->v, o->k1 / o->T - o->k2 / 2, e);
    o->seen = x;
    o->F = F;
    return true;
}

// ------------------------------------------------------------------------------- disturbance

// The same with a third state: the characteristic polynomial of the step is (z - p)^3 for the gains
// k1 = 1 - p^3, T k2 = 3/2 (1 - p)^2 (1 + p), T^2 k3 = (1 - p)^3.
bool plDobObserver_Tune(plDobObserver* o, double T, double w)
{
    if (!isPositive(T) || !isPositive(w)) return false;
    const double p = exp(-w * T), gap = 1 - p;
    o->T = T;
    o->k1 = 1 - p * p * p;
    o->k2 = 1.5 * gap * gap * (1 + p) / T;
    o->k3 = gap * gap * gap / (T * T);
    return true;
}

bool plDobObserver_Start(plDobObserver* o, double T, double w, plVec3 x)
{
    *o = (plDobObserver){0};
    if (!plFinite3(x) || !plDobObserver_Tune(o, T, w)) return false;
    o->x = o->seen = x;
    return true;
}

bool plDobObserver_Update(plDobObserver* o, const plPantographDef* def, plVec3 x,
                          const double tau[4])
{
    plVec3 a, change;
    if (!(o->T > 0) || !accelerate(def, o->seen, x, tau, o->v, o->F, &a)) return false;
    const plVec3 e = plSub(x, glide(o->x, o->T, o->v, a));
    if (!forceOf(def, x, o->k3, e, &change)) return false;
    o->x = plAddScaled(x, o->k1 - 1, e);
    o->v = plAddScaled(plAddScaled(o->v, o->T, a), o->k2, e);
    o->F = plAdd(o->F, change);
    o->seen = x;
    return true;
}
