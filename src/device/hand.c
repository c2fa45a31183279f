// A simulated hand: a force of its own, and a spring and damper to where it wants to be.
#include "device/kind.h"

const char* plHand_Complaint(const plHandDef* h)
{
    if ((int)h->kind < 0 || h->kind >= pl_handCount) return "the kind of hand is not of the list";
    if (!plFinite3(h->wrench.force) || !plFinite3(h->wrench.torque) ||
        !isfinite(h->bias + h->amplitude + h->frequency + h->phase) || isnan(h->start + h->stop)) {
        return "the wrench of a hand must be finite";
    }
    if (!plNotNegative(h->stiffness) || !plNotNegative(h->damping) ||
        !plNotNegative(h->turnStiffness) || !plNotNegative(h->turnDamping)) {
        return "stiffness and damping of a hand must be finite and not negative";
    }
    if (h->pointCount < 0 || h->pointCount > plHandPoints) return "a hand has too many waypoints";
    for (int i = 0; i < h->pointCount; ++i) {
        if (!plFinitePose(h->points[i].pose) || !isfinite(h->points[i].time) ||
            (i > 0 && !(h->points[i].time > h->points[i - 1].time))) {
            return "waypoints must be finite and in order of time";
        }
    }
    if (h->kind == pl_handImpedance && h->pointCount == 0) {
        return "a hand with an impedance needs a waypoint";
    }
    return NULL;
}

// The last waypoint that is not in the future, or the first: a recorded hand has many.
static int waypointAt(const plHandDef* h, double time)
{
    int low = 0, high = h->pointCount;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (h->points[middle].time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

plPose plHand_Wanted(const plHandDef* h, double time, plVec3* v, plVec3* w)
{
    const plWaypoint* p = h->points;
    const int i = waypointAt(h, time);
    *v = *w = plVec(0, 0, 0);
    if (time <= p[0].time || i + 1 == h->pointCount) return p[time <= p[0].time ? 0 : i].pose;
    const double length = p[i + 1].time - p[i].time, part = (time - p[i].time) / length;
    const plQuat from = plQuatUnit(p[i].pose.q), to = plQuatUnit(p[i + 1].pose.q);
    const plVec3 way = plSub(p[i + 1].pose.p, p[i].pose.p);
    const plVec3 turn = plLogQuat(plQuatMul(to, plQuatConj(from))); // world axes
    *v = plScale(1 / length, way);
    *w = plScale(1 / length, turn);
    return (plPose){plAddScaled(p[i].pose.p, part, way),
                    plQuatMul(plExp(plScale(part, turn)), from)};
}

plWrench plHand_Own(const plHandDef* h, double time)
{
    if (time < h->start || time >= h->stop) return (plWrench){{0, 0, 0}, {0, 0, 0}};
    const double f = h->bias + h->amplitude * sin(2 * PL_PI * h->frequency * time + h->phase);
    return (plWrench){plScale(f, h->wrench.force), plScale(f, h->wrench.torque)};
}

void plHand_AddPull(const plHandDef* h, double time, const plGrip* grip, plWrench* sum)
{
    plVec3 v, w;
    if (h->kind != pl_handImpedance) return;
    const plPose to = plHand_Wanted(h, time, &v, &w);
    const plVec3 off = plSub(to.p, grip->pose.p);
    const plVec3 turn = plLogQuat(plQuatMul(to.q, plQuatConj(grip->pose.q)));
    sum->force = plAddScaled(sum->force, h->stiffness, off);
    sum->force = plAddScaled(sum->force, h->damping, plSub(v, grip->v));
    sum->torque = plAddScaled(sum->torque, h->turnStiffness, turn);
    sum->torque = plAddScaled(sum->torque, h->turnDamping, plSub(w, grip->w));
}
