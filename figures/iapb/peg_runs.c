// Runs of the peg, what is measured of them, and their tables.
#include "base/base.h"
#include "iapb/peg.h"
#include "math/math.h"

#include <stdio.h>
#include <string.h>

bool plPeg_Follow(plFigureJob* job, const plPegCorner* c, plPegMethod s, int count, plPegTrack* t)
{
    plPeg p;
    const plStatus status = plPeg_Open(c, s, &p);
    if (status != pl_statusOk) {
        snprintf(job->message, sizeof job->message, "no world for a peg: %s",
                 plStatus_Name(status));
        return false;
    }
    t->count = count;
    t->toolDepth = t->toolSpeed = 0;
    for (int k = 0; k < count; ++k) {
        plPose hand;
        plWrench f;
        double q[7], v[6];
        plWorld_DevicePose(p.world, p.device, &hand);
        plWorld_Step(p.world, plPegStep);
        plWorld_DeviceForce(p.world, p.device, &f);
        plWorld_State(p.world, p.tool, q, v);
        t->x[k] = hand.p.x, t->y[k] = hand.p.y;
        t->fx[k] = f.force.x, t->fy[k] = -f.force.y, t->torque[k] = f.torque.z;
        t->toolDepth = fmax(t->toolDepth, fmax(plPegHalf.x - q[0], plPegHalf.y + q[1]));
        t->toolSpeed = fmax(t->toolSpeed, v[0]);
    }
    plWorld_Destroy(p.world);
    return true;
}

double plPeg_GapX(const plPegTrack* t, int k) { return t->x[k] - plPegHalf.x; }
double plPeg_GapY(const plPegTrack* t, int k) { return -t->y[k] - plPegHalf.y; }

double plPeg_Depth(const plPegTrack* t)
{
    double depth = 0;
    for (int k = 0; k < t->count; ++k)
        depth = fmax(depth, -fmin(plPeg_GapX(t, k), plPeg_GapY(t, k)));
    return depth;
}

double plPeg_Peak(const double* force, int count)
{
    double peak = 0;
    for (int k = 0; k < count; ++k) peak = fmax(peak, fabs(force[k]));
    return peak;
}

/// From when on the hand stays within 0.1 mm of where it ends [s].
double plPeg_Settling(const plPegTrack* t)
{
    int k = t->count - 1;
    const double x = t->x[k], y = t->y[k];
    while (k >= 0 && hypot(t->x[k] - x, t->y[k] - y) < 1e-4) --k;
    return (k + 1) * plPegStep;
}

/// Of the ideal hand: the first step with more than 1 N.
int plPeg_FirstContact(const plPegTrack* t)
{
    int k = 0;
    while (k < t->count - plPegWindow && hypot(t->fx[k], t->fy[k]) <= 1) ++k;
    return k;
}

static double distance(const plPegTrack* a, const plPegTrack* b, int k)
{
    return 1e3 * hypot(a->x[k] - b->x[k], a->y[k] - b->y[k]); // [mm]
}

double plPeg_RmsBetween(const plPegTrack* a, const plPegTrack* b, int first)
{
    double sum = 0;
    for (int k = first; k < first + plPegWindow; ++k) sum += pow(distance(a, b, k), 2);
    return sqrt(sum / plPegWindow);
}

/// The same of the impulses that two hands have got [N s].
double plPeg_RmsOfImpulses(const plPegTrack* a, const plPegTrack* b, int first)
{
    double sum = 0, px = 0, py = 0;
    for (int k = first; k < first + plPegWindow; ++k) {
        px += plPegStep * (a->fx[k] - b->fx[k]);
        py += plPegStep * (a->fy[k] - b->fy[k]);
        sum += px * px + py * py;
    }
    return sqrt(sum / plPegWindow);
}

/// The same of the forces themselves [N].
double plPeg_RmsOfForces(const plPegTrack* a, const plPegTrack* b, int first)
{
    double sum = 0;
    for (int k = first; k < first + plPegWindow; ++k)
        sum += pow(a->fx[k] - b->fx[k], 2) + pow(a->fy[k] - b->fy[k], 2);
    return sqrt(sum / plPegWindow);
}

/// The wanted strategies, the ideal one among them, in all corners.
bool plPeg_FollowAll(plFigureJob* job, unsigned wanted, plPegRuns* r)
{
    for (plPegMethod s = pl_pegIdeal; s < pl_pegMethodCount; ++s) {
        if (!(wanted & PL_PEG_ONLY(s))) continue;
        plFigureJob_Progress(job, plPegMethods[s].name);
        for (int c = 0; c < plPegCornerCount; ++c) {
            const int count = c == plPegFlush || c == plPegTilted ? plPegSteps : plPegSomeSteps;
            if (!plPeg_Follow(job, &plPegCorners[c], s, count, &r->track[c][s])) return false;
        }
    }
    return true;
}

double plPeg_Rms(const plPegRuns* r, int corner, plPegMethod s)
{
    const plPegTrack* truth = &r->track[corner][pl_pegIdeal];
    return plPeg_RmsBetween(&r->track[corner][s], truth, plPeg_FirstContact(truth));
}

/// Largest rms of `a` over that of `b` in the corners from `first` to `last`.
double plPeg_LargestRatio(const plPegRuns* r, int first, int last, plPegMethod a, plPegMethod b)
{
    double ratio = 0;
    for (int c = first; c <= last; ++c)
        ratio = fmax(ratio, plPeg_Rms(r, c, a) / plPeg_Rms(r, c, b));
    return ratio;
}

// ------------------------------------------------------------------------------------- tables

bool plPeg_AddTime(plFigureJob* job)
{
    double* t = plFigureJob_Column(job, plPegShown, "time");
    for (int k = 0; t && k < plPegShown; ++k) t[k] = k * plPegStep;
    return t != NULL;
}

/// Gaps of the hand and its distance to the ideal one [mm].
bool plPeg_AddPaths(plFigureJob* job, const plPegRuns* r, unsigned wanted)
{
    for (plPegMethod s = pl_pegIdeal; s < pl_pegMethodCount; ++s) {
        const plPegTrack* t = &r->track[plPegFlush][s];
        if (!(wanted & PL_PEG_ONLY(s))) continue;
        double* x = plFigureJob_Column(job, plPegShown, "x %s", plPegMethods[s].name);
        double* y = plFigureJob_Column(job, plPegShown, "y %s", plPegMethods[s].name);
        double* d = plFigureJob_Column(job, plPegShown, "d %s", plPegMethods[s].name);
        if (!x || !y || !d) return false;
        for (int k = 0; k < plPegShown; ++k) {
            x[k] = 1e3 * plPeg_GapX(t, k), y[k] = 1e3 * plPeg_GapY(t, k);
            d[k] = distance(t, &r->track[plPegFlush][pl_pegIdeal], k);
        }
    }
    return true;
}

bool plPeg_AddForces(plFigureJob* job, const plPegRuns* r, unsigned wanted)
{
    for (plPegMethod s = pl_pegIdeal; s < pl_pegMethodCount; ++s) {
        const plPegTrack* t = &r->track[plPegFlush][s];
        if (!(wanted & PL_PEG_ONLY(s))) continue;
        double* x = plFigureJob_Column(job, plPegShown, "fx %s", plPegMethods[s].name);
        double* y = plFigureJob_Column(job, plPegShown, "fy %s", plPegMethods[s].name);
        double* n = plFigureJob_Column(job, plPegShown, "torque %s", plPegMethods[s].name);
        if (!x || !y || !n) return false;
        memcpy(x, t->fx, plPegShown * sizeof *x);
        memcpy(y, t->fy, plPegShown * sizeof *y);
        memcpy(n, r->track[plPegTilted][s].torque, plPegShown * sizeof *n);
    }
    return true;
}
