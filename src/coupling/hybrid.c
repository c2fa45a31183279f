// The hybrid coupling: a spring that the world meets by its midpoint, and the hand by its value when the
// tick begins, held.
//
// In a tick the frame stands at h, the tool goes from r by dr, the hand by dh. With e = h - r:
//   to the tool    K (e - dr/2).dr        the midpoint rule: what the spring loses, exactly
//   to the hand    -K e.dh                held
//   stored         K (e + dh - dr)^2/2 - K e^2/2
// The sum is what the coupling created: K (dh^2/2 - dh.dr), from the time between h and the world's
// knowledge of it. With alpha of it at the hand, b_d there and B_r at the tool, all in a tick is passive
// when  b_d dh^2/T + alpha B_r dr^2/T >= alpha K (dh^2/2 - dh.dr)  for all dh, dr: a quadratic form
// whose determinant gives b_d >= alpha (K T/2 + K^2 T^2/(4 B_r)).            (pmi 5.2, spec 7)
// Limits: no alpha, nothing to pay; no B_r, nothing that could pay for dh.dr.
#include "coupling/coupling.h"

double plHeldDamping(double K, double Br, double alpha, double T)
{
    const double half = 0.5 * K * T;
    if (alpha * half == 0) return 0;
    return alpha * (half + half * half / Br);
}
