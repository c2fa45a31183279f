// How much damping a device needs, lest a coupling that is sampled gives it energy.
//
// A spring K with a damper B whose force F_k = -K x_k - B (x_k - x_k-1)/T acts d ticks later, held, gives
// a device that goes to and fro by x_k = cos(theta k) as much as a damper takes of
//     b(theta) = (T/2)/(1 - cos theta) Re((1 - 1/z) (K + B (1 - 1/z)/T) z^-d),    z = exp(j theta)
//              = (K T/2) sin((d + 1/2) theta)/sin(theta/2) - B cos((d + 1) theta)
// Without a delay the most of it over theta is K T/2 + |B|.            (Colgate and Schenkel 1997)
//
// Of a virtual coupling whose tool is held fast the hand feels the mean force of the tick before,
//     alpha (K (x_k + x_k-1)/2 + B (x_k - x_k-1)/T),
// which is such a wall of stiffness alpha K with the damper alpha (B - K T/2): b >= alpha max(K T - B, B).
//
// The hybrid one is a spring that the world meets by its midpoint, and the hand by its value when the tick
// begins, held. In a tick the frame stands at h, the tool goes from r by dr, the hand by dh. With e = h - r:
//   to the tool    K (e - dr/2).dr        the midpoint rule: what the spring loses, exactly
//   to the hand    -K e.dh                held
//   stored         K (e + dh - dr)^2/2 - K e^2/2
// The sum is what the coupling created: K (dh^2/2 - dh.dr), from the time between h and the world's
// knowledge of it. With alpha of it at the hand, b_d there and B_r at the tool, all in a tick is passive
// when  b_d dh^2/T + alpha B_r dr^2/T >= alpha K (dh^2/2 - dh.dr)  for all dh, dr: a quadratic form
// whose determinant gives b_d >= alpha (K T/2 + K^2 T^2/(4 B_r)).            (pmi 5.2, Lee et al. 2012)
// Limits: no alpha, nothing to pay; no B_r, nothing that could pay for dh.dr. A delay of d ticks adds
// alpha K dh.(sum of the last d dh - sum of the last d dr), which by Schwarz's inequality is paid by
//     b >= alpha (K T (1/2 + d) + (K T (1 + d))^2/(4 B_r))
#include "coupling/kinds.h"

double plSampledDampingAt(double K, double B, double T, int delay, double theta)
{
    const double d = delay;
    const double kernel = theta > 0 ? sin((d + 0.5) * theta) / sin(0.5 * theta) : 2 * d + 1;
    return 0.5 * K * T * kernel - B * cos((d + 1) * theta);
}

// Its slopes are steep as d + 1 says: so fine must the search be, and then a parabola's width finer.
double plSampledDamping(double K, double B, double T, int delay)
{
    const int count = 64 * (delay + 1);
    double most = plSampledDampingAt(K, B, T, delay, 0), at = 0;
    for (int i = 1; i <= count; ++i) {
        const double theta = PL_PI * i / count;
        const double needed = plSampledDampingAt(K, B, T, delay, theta);
        if (needed > most) most = needed, at = theta;
    }
    for (double step = PL_PI / count; at > 0 && step > 1e-9; step *= 0.5) {
        for (int side = -1; side <= 1; side += 2) {
            const double theta = fmax(0, fmin(PL_PI, at + side * step));
            const double needed = plSampledDampingAt(K, B, T, delay, theta);
            if (needed > most) most = needed, at = theta;
        }
    }
    return most;
}

double plHeldDampingLate(double K, double Br, double alpha, double T, int delay)
{
    const double half = 0.5 * K * T, late = (1 + delay) * half;
    if (alpha * half == 0) return 0;
    return alpha * ((1 + 2 * delay) * half + late * late / Br);
}

double plHeldDamping(double K, double Br, double alpha, double T)
{
    return plHeldDampingLate(K, Br, alpha, T, 0);
}
