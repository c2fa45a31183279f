// iapb figures 7 to 11: what they claim, and how they are drawn.                        (iapb spec 3)
#include "iapb/peg.h"
#include "base/base.h"
#include "iapb/iapb.h"
#include "iapb/peg_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------- claims

/// Bars are those of the spec: what it prints, to the last digit.
static void claimRms(plFigureJob* job, const plPegRuns* r, plPegMethod s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "rms-%s", plPegMethods[s].name);
    plFigureJob_Check(job, id, plPeg_Rms(r, plPegFlush, s),
                      plWithin(expected, 1e-5 + 1e-4 * expected),
                      "%s: rms distance of the hand to the ideal one, 0.5 s from the first "
                      "contact [mm]",
                      plPegMethods[s].name);
}

static void claimDepth(plFigureJob* job, const plPegRuns* r, plPegMethod s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "depth-%s", plPegMethods[s].name);
    plFigureJob_Check(job, id, 1e3 * plPeg_Depth(&r->track[plPegFlush][s]),
                      plWithin(expected, 5e-5), "%s: deepest place of the hand [mm]",
                      plPegMethods[s].name);
}

static void claimToolDepth(plFigureJob* job, const plPegRuns* r, plPegMethod s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "tool-%s", plPegMethods[s].name);
    plFigureJob_Check(job, id, 1e3 * r->track[plPegFlush][s].toolDepth, plWithin(expected, 5e-5),
                      "%s: deepest place of the peg that is seen [mm]", plPegMethods[s].name);
}

static void claimSettling(plFigureJob* job, const plPegRuns* r, plPegMethod s, double expected)
{
    char id[40];
    snprintf(id, sizeof id, "settling-%s", plPegMethods[s].name);
    plFigureJob_Check(job, id, plPeg_Settling(&r->track[plPegFlush][s]), plWithin(expected, 5e-4),
                      "%s: from when on the hand stays within 0.1 mm of its end [s]",
                      plPegMethods[s].name);
}

static void claimPeaks(plFigureJob* job, const plPegRuns* r, plPegMethod s, double x, double y,
                       double tolerance)
{
    const plPegTrack* t = &r->track[plPegFlush][s];
    char id[40];
    snprintf(id, sizeof id, "peak-x-%s", plPegMethods[s].name);
    plFigureJob_Check(job, id, plPeg_Peak(t->fx, t->count), plWithin(x, tolerance),
                      "%s: largest force on the hand along x [N]", plPegMethods[s].name);
    snprintf(id, sizeof id, "peak-y-%s", plPegMethods[s].name);
    plFigureJob_Check(job, id, plPeg_Peak(t->fy, t->count), plWithin(y, tolerance),
                      "and along y [N]");
}

static double torqueOf(const plPegRuns* r, plPegMethod s)
{
    return plPeg_Peak(r->track[plPegTilted][s].torque, plPegSteps);
}

/// The hand is closer to the ideal one than that of either rival.
static void claimClosest(plFigureJob* job, const plPegRuns* r, plPegMethod s)
{
    const double flush = fmax(plPeg_LargestRatio(r, plPegFlush, plPegLastFlush, s, pl_pegPenalty),
                              plPeg_LargestRatio(r, plPegFlush, plPegLastFlush, s, pl_pegCoupler));
    const double toPenalty = plPeg_LargestRatio(r, plPegTilted, plPegLastTilted, s, pl_pegPenalty);
    const double toCoupler = plPeg_LargestRatio(r, plPegTilted, plPegLastTilted, s, pl_pegCoupler);
    plFigureJob_Claim(
        job, "closest", flush, plAtMost(1),
        "\"The hand trajectory is closest to the ideal trajectory\": largest rms over "
        "that of penalty and coupler, 5 starts without tilt");
    plFigureJob_Claim(job, "closest-tilted", fmax(toPenalty, toCoupler), plAtMost(1),
                      "The same with tilts of 2 to 20 deg, 5 starts");
    plFigureJob_Check(
        job, "coupler",
        1 / plPeg_LargestRatio(r, plPegFlush, plPegLastFlush, pl_pegPenalty, pl_pegCoupler),
        plAtLeast(1.9),
        "The coupler is twice as far off as penalty, because a side of the peg rests "
        "on two springs of the same stiffness: least ratio, without tilt");
}

static bool judgePaths(plFigureJob* job, plPegRuns* r)
{
    const plPegTrack* t = &r->track[plPegFlush][pl_pegFull];
    const int end = t->count - 1;
    claimRms(job, r, pl_pegFull, .238220);
    claimRms(job, r, pl_pegPenalty, .676967);
    claimRms(job, r, pl_pegCoupler, 1.370351);
    claimClosest(job, r, pl_pegFull);
    claimDepth(job, r, pl_pegIdeal, .0326);
    claimDepth(job, r, pl_pegFull, .2288);
    claimDepth(job, r, pl_pegPenalty, 1.5334);
    claimDepth(job, r, pl_pegCoupler, 2.7125);
    claimSettling(job, r, pl_pegIdeal, .549);
    claimSettling(job, r, pl_pegFull, .551);
    claimSettling(job, r, pl_pegPenalty, .689);
    claimSettling(job, r, pl_pegCoupler, .844);
    plFigureJob_Check(job, "rest",
                      1e3 * hypot(plPeg_GapX(t, end) + 0.16e-3, plPeg_GapY(t, end) + 0.2e-3),
                      plAtMost(1e-3),
                      "full comes to rest where two springs hold the hand, 0.16 and 0.20 mm deep: "
                      "error after 4 s [mm]");
    return true;
}

/// Least peak of `a` over that of `b`, of both axes, in the corners from `first` to `last`.
static double leastPeakRatio(const plPegRuns* r, int first, int last, plPegMethod a, plPegMethod b)
{
    double ratio = (double)INFINITY;
    for (int c = first; c <= last; ++c) {
        const plPegTrack *s = &r->track[c][a], *t = &r->track[c][b];
        ratio = fmin(ratio, plPeg_Peak(s->fx, s->count) / plPeg_Peak(t->fx, t->count));
        ratio = fmin(ratio, plPeg_Peak(s->fy, s->count) / plPeg_Peak(t->fy, t->count));
    }
    return ratio;
}

/// Error of full to the ideal hand over that of the best rival, the largest of all starts.
static double largestErrorRatio(const plPegRuns* r,
                                double (*rms)(const plPegTrack*, const plPegTrack*, int))
{
    double ratio = 0;
    for (int c = plPegFlush; c <= plPegLastTilted; ++c) {
        const plPegTrack* t = r->track[c];
        const int first = plPeg_FirstContact(&t[pl_pegIdeal]);
        const double rival = fmin(rms(&t[pl_pegPenalty], &t[pl_pegIdeal], first),
                                  rms(&t[pl_pegCoupler], &t[pl_pegIdeal], first));
        ratio = fmax(ratio, rms(&t[pl_pegFull], &t[pl_pegIdeal], first) / rival);
    }
    return ratio;
}

/// A collision that never pulls, for comparison.
static bool claimTorques(plFigureJob* job, plPegRuns* r)
{
    plPegCorner pushing = plPegCorners[plPegTilted];
    const plPegTrack* truth = &r->track[plPegTilted][pl_pegIdeal];
    pushing.collision = pl_collisionComplementarity;
    if (!plPeg_Follow(job, &pushing, pl_pegFull, plPegSteps, &r->other)) return false;
    plFigureJob_Check(job, "torque-full", torqueOf(r, pl_pegFull), plWithin(1.54, 0.005),
                      "Tilted by 2 deg, full: largest torque, of a collision that pulls at one "
                      "corner, as the paper's rule may [N m]");
    plFigureJob_Check(job, "torque-pushing", plPeg_Peak(r->other.torque, plPegSteps),
                      plWithin(1.10, 0.005),
                      "the same of a collision that only pushes (complementarity) [N m]");
    plFigureJob_Check(job, "rms-pushing",
                      plPeg_RmsBetween(&r->other, truth, plPeg_FirstContact(truth)),
                      plWithin(.576, 5e-4),
                      "which is also closer to the ideal hand, 1.178 mm by the paper's rule: rms "
                      "distance [mm]");
    return true;
}

static bool judgeForces(plFigureJob* job, plPegRuns* r)
{
    const plPegTrack* t = &r->track[plPegFlush][pl_pegFull];
    const int end = t->count - 1;
    claimPeaks(job, r, pl_pegFull, 81.879, 112.346, 1e-3);
    claimPeaks(job, r, pl_pegPenalty, 8.171, 11.216, 1e-3);
    claimPeaks(job, r, pl_pegCoupler, 4.020, 5.520, 1e-3);
    claimPeaks(job, r, pl_pegIdeal, 45.8, 64.2, 0.05); // printed with one decimal
    plFigureJob_Claim(job, "larger",
                      leastPeakRatio(r, plPegFlush, plPegLastTilted, pl_pegFull, pl_pegPenalty),
                      plAtLeast(5),
                      "\"Users feel large forces when new contacts arise\": least peak of full "
                      "over that of penalty, 10 starts; of the size of m/(2 B T) = 10.24");
    plFigureJob_Claim(
        job, "closer", largestErrorRatio(r, plPeg_RmsOfForces), plAtMost(1),
        "\"The user-perceived forces are closer to the ideal forces, too\": rms error "
        "over that of the best rival, largest of 10 starts");
    plFigureJob_Differs(job, plBetween(1, 1.5),
                        "The ideal world gives an impulse in two steps and full in one, so that in "
                        "both steps the force is off by half of it; the impulse is closer.");
    plFigureJob_Check(job, "closer-impulse", largestErrorRatio(r, plPeg_RmsOfImpulses),
                      plAtMost(0.35), "The same of the impulse that the hand has got");
    plFigureJob_Claim(
        job, "rest", hypot(t->fx[end] - 0.32, t->fy[end] - 0.4), plAtMost(1e-5),
        "\"Forces that only balance the low hand force during contact\": error after 4 s [N]");
    return claimTorques(job, r);
}

/// With e = 1/2: how fast the peg leaves the first wall.
static bool rebound(plFigureJob* job, plPegRuns* r, plPegMethod s, double* speed)
{
    plPegCorner bouncing = plPegCorners[plPegFlush];
    bouncing.e = 0.5;
    if (!plPeg_Follow(job, &bouncing, s, plPegSomeSteps, &r->other)) return false;
    *speed = r->other.toolSpeed;
    return true;
}

static bool claimRebounds(plFigureJob* job, plPegRuns* r)
{
    double full, bank, spread;
    if (!rebound(job, r, pl_pegFull, &full) || !rebound(job, r, pl_pegBank, &bank) ||
        !rebound(job, r, pl_pegSpread, &spread)) {
        return false;
    }
    plFigureJob_Check(job, "rebound-full", full, plWithin(.0397, 5e-5),
                      "With e = 1/2 full throws the peg back with half of 0.08 m/s: largest speed "
                      "[m/s]");
    plFigureJob_Check(job, "rebound-bank", bank, plWithin(.0371, 5e-5), "a bank nearly so [m/s]");
    plFigureJob_Claim(job, "rebound-spread", spread / full, plWithin(1, 0.1),
                      "\"The amount extracted over several steps is equal to that prescribed by "
                      "(24)\", with e = 1/2: rebound of spread over that of full");
    plFigureJob_Differs(
        job, plBetween(.0038 / .0397, .0045 / .0397),
        "Each step restitutes what is left of the speed: the last one has almost "
        "none. With e = 0 the amount is right (iapb-11); a bank keeps it for any e.");
    return true;
}

static void claimOrder(plFigureJob* job, const plPegRuns* r)
{
    plFigureJob_Claim(
        job, "spread-best",
        plPeg_LargestRatio(r, plPegFlush, plPegLastTilted, pl_pegSpread, pl_pegScaled), plAtMost(1),
        "\"Device limitations are overcome best by spreading\": largest rms of spread over that of "
        "scaled, 10 starts");
    plFigureJob_Check(job, "bank",
                      plPeg_LargestRatio(r, plPegFlush, plPegWeak, pl_pegBank, pl_pegSpread),
                      plAtMost(1.05),
                      "A bank, which the paper does not know, is nearly as good: largest rms over "
                      "that of spread");
    plFigureJob_Check(
        job, "saturated-flush",
        1 / plPeg_LargestRatio(r, plPegFlush, plPegLastFlush, pl_pegSpread, pl_pegSaturated),
        plAtLeast(2.5), "Saturated is far worse: least rms over that of spread, without tilt");
    plFigureJob_Check(
        job, "saturated-tilted",
        1 / plPeg_LargestRatio(r, plPegTilted, plPegLastTilted, pl_pegSpread, pl_pegSaturated),
        plAtLeast(1.8), "and with tilt");
    plFigureJob_Claim(
        job, "saturated-worst",
        1 / plPeg_LargestRatio(r, plPegFlush, plPegLastTilted, pl_pegScaled, pl_pegSaturated),
        plAtLeast(1),
        "\"The loss of performance is highest if the interaction forces are saturated on the "
        "device\", walls of 50 N s/m: least rms over that of scaled, 10 starts");
    plFigureJob_Claim(job, "saturated-weak",
                      plPeg_Rms(r, plPegWeak, pl_pegSaturated) /
                          plPeg_Rms(r, plPegWeak, pl_pegScaled),
                      plAtLeast(1), "The same with walls of 5 N s/m");
    plFigureJob_Differs(
        job, plAtMost(0.25),
        "With so little damping scaled impulses bounce, and saturated ones do not.");
    plFigureJob_Check(
        job, "scaled",
        plPeg_LargestRatio(r, plPegFlush, plPegLastFlush, pl_pegScaled, pl_pegPenalty),
        plAtMost(1.05), "Scaled is hardly better than penalty: largest rms over it, without tilt");
    plFigureJob_Claim(job, "degrades",
                      plPeg_LargestRatio(r, plPegFlush, plPegLastFlush, pl_pegFull, pl_pegSpread),
                      plAtMost(1),
                      "\"The hand trajectory degrades as the force capabilities of the device "
                      "decrease\": largest rms of full over that of spread, 5 starts without tilt");
    plFigureJob_Claim(job, "degrades-tilted",
                      plPeg_Rms(r, plPegTiltedMore, pl_pegFull) /
                          plPeg_Rms(r, plPegTiltedMore, pl_pegSpread),
                      plAtMost(1), "The same with a tilt of 5 deg");
    plFigureJob_Differs(job, plAtLeast(1.5),
                        "Of a peg that lands on one corner the rule of equality also pulls at "
                        "corners, full at once and spread less.");
}

/// That full is worse than spread with a tilt is the pulling: without it the order is kept.
static bool claimPushing(plFigureJob* job, plPegRuns* r)
{
    plPegCorner pushing = plPegCorners[plPegTiltedMore];
    const plPegTrack* truth = &r->track[plPegTiltedMore][pl_pegIdeal];
    const plPegMethod both[2] = {pl_pegFull, pl_pegSpread};
    double distances[2];
    pushing.collision = pl_collisionComplementarity;
    for (int i = 0; i < 2; ++i) {
        if (!plPeg_Follow(job, &pushing, both[i], plPegSomeSteps, &r->other)) return false;
        distances[i] = plPeg_RmsBetween(&r->other, truth, plPeg_FirstContact(truth));
    }
    plFigureJob_Check(job, "degrades-pushing", distances[0] / distances[1], plAtMost(1),
                      "With collisions that only push (complementarity) it holds there");
    return true;
}

/// How far the hand is deeper in a wall than the peg that is seen [mm].
static double apart(const plPegTrack* t) { return 1e3 * fabs(plPeg_Depth(t) - t->toolDepth); }

static void claimSaturated(plFigureJob* job, const plPegTrack* t)
{
    const plPegTrack* saturated = &t[pl_pegSaturated];
    plFigureJob_Claim(job, "violation", plPeg_Depth(saturated) / plPeg_Depth(&t[pl_pegScaled]),
                      plAtLeast(1),
                      "Saturated, \"constraint violation is largest\": depth of the hand over that "
                      "of scaled");
    plFigureJob_Claim(job, "settling", plPeg_Settling(saturated) / plPeg_Settling(&t[pl_pegScaled]),
                      plAtLeast(1), "\"and settling time increases\": the same ratio of times");
    plFigureJob_Claim(job, "correspondence", fmax(apart(&t[pl_pegScaled]), apart(&t[pl_pegSpread])),
                      plAtMost(0.05),
                      "Scaled and spread, \"the kinematic correspondence is preserved\": depth of "
                      "the hand less that of the peg [mm]; saturated: %.2f",
                      apart(saturated));
}

static bool judgeLimits(plFigureJob* job, plPegRuns* r)
{
    claimRms(job, r, pl_pegSpread, .384269);
    claimRms(job, r, pl_pegBank, .395000);
    claimRms(job, r, pl_pegScaled, .649312);
    claimRms(job, r, pl_pegSaturated, 1.562223);
    claimOrder(job, r);
    if (!claimPushing(job, r)) return false;
    claimDepth(job, r, pl_pegScaled, 1.4830);
    claimDepth(job, r, pl_pegSaturated, 2.0800);
    claimToolDepth(job, r, pl_pegScaled, 1.4497);
    claimToolDepth(job, r, pl_pegSaturated, .7670);
    claimSettling(job, r, pl_pegSpread, .658);
    claimSettling(job, r, pl_pegScaled, .6875);
    claimSettling(job, r, pl_pegSaturated, 2.428);
    claimSaturated(job, r->track[plPegFlush]);
    return claimRebounds(job, r);
}

/// Depth of the hand with ten times its force, which is then not small against the limit [mm].
static bool pushedDepth(plFigureJob* job, plPegRuns* r, plPegMethod s, double* depth)
{
    const plPegCorner strong = {.gapX = 0.02, .gapY = 0.03, .damping = 50, .push = 10};
    if (!plPeg_Follow(job, &strong, s, plPegSteps, &r->other)) return false;
    *depth = 1e3 * plPeg_Depth(&r->other);
    return true;
}

static bool claimPenetration(plFigureJob* job, plPegRuns* r)
{
    const plPegTrack* t = r->track[plPegFlush];
    double spread, penalty;
    plFigureJob_Claim(
        job, "shallower", t[pl_pegSpread].toolDepth / t[pl_pegPenalty].toolDepth, plAtMost(1),
        "\"Constraint penetration is smaller than in the penalty-based one regardless "
        "of the device limitations\": depth of the peg over that of penalty");
    if (!pushedDepth(job, r, pl_pegSpread, &spread) ||
        !pushedDepth(job, r, pl_pegPenalty, &penalty))
        return false;
    plFigureJob_Claim(job, "shallower-pushed", spread / penalty, plAtMost(1),
                      "The same with ten times the hand's force: depth of the hand, %.1f over %.1f "
                      "mm",
                      spread, penalty);
    plFigureJob_Differs(
        job, plBetween(1.9, 2.3),
        "No spring acts while a collision is spread, and of a limit of 15 N a hand of "
        "5 N leaves little for the impulse.");
    return true;
}

/// "For e = -1, the simulation reduces to a penalty-based simulation."
static bool claimReduces(plFigureJob* job, plPegRuns* r)
{
    plPegCorner none = plPegCorners[plPegFlush];
    const plPegTrack* penalty = &r->track[plPegFlush][pl_pegPenalty];
    const int first = plPeg_FirstContact(&r->track[plPegFlush][pl_pegIdeal]);
    none.e = -1;
    if (!plPeg_Follow(job, &none, pl_pegFull, plPegSteps, &r->other)) return false;
    plFigureJob_Claim(
        job, "reduces", plPeg_RmsBetween(&r->other, penalty, first), plAtMost(1e-6),
        "\"For e = -1 it reduces to a penalty-based simulation\": rms between the hands "
        "[mm]");
    plFigureJob_Differs(
        job, plBetween(0.01, 0.15),
        "An impulse of nothing replaces the springs in the step of a collision, which "
        "therefore comes one step late.");
    none.walls = true;
    if (!plPeg_Follow(job, &none, pl_pegFull, plPegSteps, &r->other)) return false;
    plFigureJob_Check(job, "reduces-walls", plPeg_RmsBetween(&r->other, penalty, first),
                      plAtMost(0),
                      "With springs that act in collisions too it does, to the last bit [mm]");
    return true;
}

static bool judgeSpread(plFigureJob* job, plPegRuns* r)
{
    double ratio = 0;
    for (int c = plPegFlush; c <= plPegLastTilted; ++c) {
        const plPegTrack* t = r->track[c];
        const int first = plPeg_FirstContact(&t[pl_pegIdeal]);
        ratio = fmax(ratio, plPeg_RmsBetween(&t[pl_pegSpread], &t[pl_pegPenalty], first) /
                                plPeg_RmsBetween(&t[pl_pegFull], &t[pl_pegPenalty], first));
    }
    claimRms(job, r, pl_pegSpread, .384269);
    claimClosest(job, r, pl_pegSpread);
    claimDepth(job, r, pl_pegSpread, .8764);
    claimSettling(job, r, pl_pegSpread, .658);
    plFigureJob_Claim(job, "nearer-penalty", ratio, plAtMost(1),
                      "\"Closer to each other in figure 10 than in figure 7\": rms between spread "
                      "and penalty over that between full and penalty, largest of 10 starts");
    claimToolDepth(job, r, pl_pegFull, .2010);
    claimToolDepth(job, r, pl_pegSpread, .8436);
    claimToolDepth(job, r, pl_pegPenalty, 1.5001);
    return claimPenetration(job, r) && claimReduces(job, r);
}

static double largestOf(const plPegRuns* r, plPegMethod s, bool torque)
{
    double most = 0;
    for (int c = plPegFlush; c <= plPegWeak; ++c) {
        const plPegTrack* t = &r->track[c][s];
        const double force = fmax(plPeg_Peak(t->fx, t->count), plPeg_Peak(t->fy, t->count));
        most = fmax(most, torque ? plPeg_Peak(t->torque, t->count) : force);
    }
    return most;
}

static void claimAmount(plFigureJob* job, const plPegRuns* r)
{
    const plPegTrack *s = &r->track[plPegFlush][pl_pegSpread],
                     *f = &r->track[plPegFlush][pl_pegFull];
    double sum = 0;
    int count = 0;
    for (int k = 0; k < s->count; ++k) {
        if (s->fx[k] > 5) sum += s->fx[k];
        count += s->fx[k] > 5 || s->fy[k] > 5; // springs alone stay below
    }
    plFigureJob_Check(job, "steps", count, plWithin(14, 0),
                      "The two collisions take 6 and 8 steps, m v/(15 N T) rounded up");
    plFigureJob_Claim(
        job, "amount", sum / plPeg_Peak(f->fx, f->count), plWithin(1, 0.05),
        "\"The amount extracted over several steps is equal to that prescribed by (24)\", with e = "
        "0, but for what the hand adds meanwhile: impulse of the first over that of full");
}

static bool judgeLimitedForces(plFigureJob* job, plPegRuns* r)
{
    claimPeaks(job, r, pl_pegSpread, 15.005, 15.006, 1e-3);
    claimPeaks(job, r, pl_pegPenalty, 8.171, 11.216, 1e-3);
    plFigureJob_Claim(job, "still-larger",
                      leastPeakRatio(r, plPegFlush, plPegFlush, pl_pegSpread, pl_pegPenalty),
                      plAtLeast(1),
                      "\"Though limited, the forces applied upon collision are still larger than "
                      "the penalty-based forces\": least ratio of the peaks");
    plFigureJob_Claim(
        job, "still-larger-fast",
        leastPeakRatio(r, plPegLastFlush, plPegLastFlush, pl_pegSpread, pl_pegPenalty),
        plAtLeast(1), "The same from 50 and 80 mm away");
    plFigureJob_Differs(job, plBetween(0.8, 0.85),
                        "From afar penalty itself exceeds the limit, with 18.2 N.");
    plFigureJob_Claim(job, "torque", torqueOf(r, pl_pegSpread) / torqueOf(r, pl_pegPenalty),
                      plAtLeast(1),
                      "\"The forces and torques felt by users are larger\": the ratio of torques "
                      "with a tilt of 2 deg");
    plFigureJob_Check(job, "limit", largestOf(r, pl_pegSpread, false), plAtMost(15.02),
                      "The limit is kept by the contacts' force, to which the spring between "
                      "device and peg adds a little: largest force in all starts [N]");
    plFigureJob_Check(job, "limit-torque", largestOf(r, pl_pegSpread, true), plAtMost(1.001),
                      "and largest torque [N m]");
    claimAmount(job, r);
    return true;
}

// ------------------------------------------------------------------------------------ figures

static bool make(plFigureJob* job, unsigned wanted, unsigned drawn,
                 bool (*table)(plFigureJob*, const plPegRuns*, unsigned),
                 bool (*judge)(plFigureJob*, plPegRuns*))
{
    plPegRuns* r = calloc(1, sizeof *r);
    if (!r) snprintf(job->message, sizeof job->message, "no memory for the runs of a peg");
    const bool good = r && plPeg_FollowAll(job, wanted | drawn, r) && plPeg_AddTime(job) &&
                      table(job, r, drawn) && judge(job, r);
    free(r);
    return good;
}

static const unsigned rivals =
    PL_PEG_ONLY(pl_pegIdeal) | PL_PEG_ONLY(pl_pegPenalty) | PL_PEG_ONLY(pl_pegCoupler);
static const unsigned limited = PL_PEG_ONLY(pl_pegSpread) | PL_PEG_ONLY(pl_pegBank) |
                                PL_PEG_ONLY(pl_pegScaled) | PL_PEG_ONLY(pl_pegSaturated);

static bool make7(plFigureJob* job)
{
    return make(job, 0, rivals | PL_PEG_ONLY(pl_pegFull), plPeg_AddPaths, judgePaths);
}

static bool make8(plFigureJob* job)
{
    return make(job, 0, rivals | PL_PEG_ONLY(pl_pegFull), plPeg_AddForces, judgeForces);
}

static bool make9(plFigureJob* job)
{
    return make(job, PL_PEG_ONLY(pl_pegPenalty),
                PL_PEG_ONLY(pl_pegIdeal) | PL_PEG_ONLY(pl_pegFull) | limited, plPeg_AddPaths,
                judgeLimits);
}

static bool make10(plFigureJob* job)
{
    return make(job, PL_PEG_ONLY(pl_pegFull), rivals | PL_PEG_ONLY(pl_pegSpread), plPeg_AddPaths,
                judgeSpread);
}

static bool make11(plFigureJob* job)
{
    return make(job, PL_PEG_ONLY(pl_pegFull), rivals | PL_PEG_ONLY(pl_pegSpread), plPeg_AddForces,
                judgeLimitedForces);
}

#define PEG                                                                                        \
    "Peg of 21 x 10.5 mm, 2 kg, 0.005 kg m^2, device alike; hand (-0.32, 0.4) N; walls 1000 N/m, " \
    "50 N s/m, e = 0; controller 100 N/m, 70 N s/m; coupler 1000 N/m, 50 N s/m; start 19.98 and "  \
    "30.09 mm from the walls, T = 1/512 s"

const plFigure plFigureIapb7 = {
    .id = "iapb-7",
    .title = "A peg into a corner: hands",
    .caption = "A constant force pushes a peg into a corner; it meets one wall after half a "
               "second and the other soon after. The ideal walls stop the hand at once. Springs "
               "let it in and push it back slowly; collision impulses of one step stop it, and "
               "what is left is how far the springs yield at rest.",
    .parameters = PEG ".",
    .width = 960,
    .height = 520,
    .script = plPathScript,
    .make = make7,
};

const plFigure plFigureIapb8 = {
    .id = "iapb-8",
    .title = "A peg into a corner: forces",
    .caption = "What the hand feels of the same collisions. An impulse of one step is ten times "
               "the force of the springs. Without tilt there is no torque; on the right the peg is "
               "tilted, and the paper's rule, which stops all closing corners, also pulls.",
    .parameters = PEG ". Torques: tilted by 2 deg.",
    .width = 960,
    .height = 440,
    .script = plForceScript,
    .make = make8,
};

const plFigure plFigureIapb9 = {
    .id = "iapb-9",
    .title = "A peg into a corner: limits of a device",
    .caption = "A device that gives 15 N cannot give the impulses in one step. If it gives what "
               "it can, the peg stops and the hand goes on (saturated); if the peg gets no more "
               "than the hand, the collision stays incomplete (scaled), unless it goes on in the "
               "next steps (spread, or paid out from a bank).",
    .parameters = PEG "; limits 15 N and 1 N m.",
    .width = 960,
    .height = 520,
    .script = plLimitScript,
    .make = make9,
};

const plFigure plFigureIapb10 = {
    .id = "iapb-10",
    .title = "A peg into a corner: hands, impulses spread",
    .caption = "As figure 7, with impulses spread over as many steps as the limit asks for. The "
               "hand is further off than with full impulses, and still closer than with springs "
               "alone.",
    .parameters = PEG "; limits 15 N and 1 N m.",
    .width = 960,
    .height = 520,
    .script = plSpreadPathScript,
    .make = make10,
};

const plFigure plFigureIapb11 = {
    .id = "iapb-11",
    .title = "A peg into a corner: forces, impulses spread",
    .caption = "As figure 8, with impulses spread. The force rises at once to what the device can "
               "give and stays there until the peg stands.",
    .parameters = PEG "; limits 15 N and 1 N m. Torques: tilted by 2 deg.",
    .width = 960,
    .height = 440,
    .script = plSpreadForceScript,
    .make = make11,
};
