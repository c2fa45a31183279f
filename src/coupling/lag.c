// A virtual coupling whose device cannot give more than a limit: its frame lags behind the device.
//
// A hand that feels less than the tool gets would be an amplifier. So what the limit takes from the hand
// is taken from the tool: the frame stays where the spring reaches the limit, and follows again when the
// device is back. Along each axis the force of the coupling is then that of the potential
//     K e^2/2 while |K e| <= L,  else L |e| - L^2/(2 K),      e = device - tool,
// which is finite, has no memory, and is felt alike on both sides.
//
// The frame moves twice in a tick. It leaps, from a stretch e to e + l, which brings
//     K ((e + l)^2 - e^2)/2
// into the link, known before the tick; and it moves with the device by a part of the device's own way,
// which brings F way, known after the tick. The hand pays with what was written, on its whole way. Of both
// an account is kept along each axis, the credit:
//     credit += written way_hand - F way_frame - leap.
// A leap costs no more than the credit, and takes what is owed out of the spring. So a limit, a device that
// fades, or several couplings that share one device create nothing but what is owed for the tick in which
// the force went above the limit unseen; and this is what the next leap takes back.
//   letters  e stretch, L limit, K and B of the link
#include "coupling/coupling.h"

static const double roundOff = 1e-15; // of the work of a tick [J]

static double within(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

double plLag_Along(double x, double way)
{
    return way > 0 ? fmax(0, fmin(x, way)) : fmin(0, fmax(x, way));
}

// Mean force F of the link, if its frame moves by a way and its tool goes on as it moves, but for what F
// does to it: F W T^2/2 further, with W = 1/mass.
static double forceOf(const plLagAxis* a, double stretch, double way)
{
    const double gained = way - a->drift, T = a->T;
    const double stiff = a->K * (stretch + 0.5 * gained) + (a->B > 0 ? a->B * gained / T : 0);
    return stiff / (1 + a->yields * T * (0.25 * a->K * T + 0.5 * a->B));
}

bool plLag_Needed(const plLagAxis* a)
{
    const double force = a->held ? a->K * a->full : forceOf(a, a->stretch, a->way);
    return a->credit < -roundOff || !(fabs(force) <= a->limit);
}

// The part of a way after which the force is within the limit.
static double bearable(const plLagAxis* a, double stretch, double way)
{
    const double rest = forceOf(a, stretch, 0), slope = forceOf(a, stretch, 1) - rest;
    if (a->held || isinf(a->limit) || !(slope > 0)) return way;
    const double lowest = (-a->limit - rest) / slope, highest = (a->limit - rest) / slope;
    return plLag_Along(fmax(lowest, fmin(highest, way)), way);
}

static double cost(const plLagAxis* a, double stretch)
{
    return 0.5 * a->K * (stretch * stretch - a->stretch * a->stretch);
}

// The part of the hand's way that the frame goes with it. Where the tool runs ahead and would drive the hand
// on over the rest, nobody pays for that, and the frame goes as far as the limit allows.
static double goWith(const plLagAxis* a, double start, double wanted)
{
    const double way = bearable(a, start, wanted), force = forceOf(a, start, way);
    const double left = a->credit - cost(a, start);
    if (a->held) return way;
    return left + force * (a->way - way) >= 0 ? way : bearable(a, start, a->way);
}

plLagMove plLag_Go(const plLagAxis* a)
{
    const double end = a->K > 0 ? within(a->full, a->limit / a->K) : a->full;
    const double gone = end - a->stretch, way = plLag_Along(gone, a->way);
    const double start = a->stretch + (gone - way), before = a->stretch * a->stretch;
    plLagMove m = {.start = start};
    if (a->K > 0) m.start = within(start, sqrt(fmax(0, before + 2 * a->credit / a->K)));
    m.way = goWith(a, m.start, way);
    m.cost = cost(a, a->held ? m.start + m.way : m.start);
    m.arrives = end == a->full && m.start == start && m.way == way;
    return m;
}

// --- a tick that turned out otherwise

// With a hand that moves by h > 0, the frame by w <= h and a force F(w) that grows with w, a tick creates
//     F w - min(F, L) h
// which is not positive where 0 <= F <= L, where F < 0 and w = h, and where F > L and w = 0: the frame goes as far
// as the limit allows. (h < 0: the same with all signs changed.) F is found by trials: no way, all of it, then between
// the two.
static bool creates(const plLagTick* t, double felt)
{
    const double given = felt * t->hand, small = 1e-12 * (fabs(t->work) + fabs(given)) + roundOff;
    return t->work - given > fmax(0, t->credit) + small;
}

// F is not linear where contacts come and go: every other trial halves.
static double between(const plLagTrial* trial, double wanted, int n)
{
    const double part = (wanted - trial->nearForce) / (trial->farForce - trial->nearForce);
    return trial->near + (n % 2 ? part : 0.5) * (trial->far - trial->near);
}

double plLag_Relent(const plLagTick* t, plLagTrial* trial, int n)
{
    const double sign = t->hand < 0 ? -1 : 1;
    if (n == 0) *trial = (plLagTrial){NAN, NAN, NAN, NAN};
    if (!creates(t, within(t->force, t->limit))) return t->way;
    if (sign * t->force > 0) {
        trial->far = t->way, trial->farForce = t->force;
    } else {
        trial->near = t->way, trial->nearForce = t->force;
    }
    if (isnan(trial->near)) return 0;
    if (isnan(trial->far)) return t->most;
    return between(trial, sign * 0.5 * fmin(t->limit, fabs(trial->farForce)), n);
}

// A hand that is driven by more than frame and credit give feels less.
double plLag_Felt(const plLagTick* t)
{
    const double felt = within(t->force, t->limit);
    if (!(felt * t->hand < 0) || !creates(t, felt)) return felt;
    return fmin(0, t->work - fmax(0, t->credit)) / t->hand;
}

bool plLag_Creates(const plLagTick* t) { return creates(t, plLag_Felt(t)); }
