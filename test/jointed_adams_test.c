// Single joints against ADAMS (projectchrono/chrono, data/testing/joints): places, rates, reactions.
#include "adams.h"

enum { substeps = 10 };

static plMechanismId addCase(plWorld* w, const Adams* a)
{
    plJointedBodyDef body = plDefaultJointedBodyDef();
    plJointDef joint = plDefaultJointDef();
    body.name = "body";
    body.inertia = plDiagonal3(0.04, 0.1, 0.1);
    body.pose = (plPose){plVec(2, 0, 0), adamsAxes(a)};
    joint.name = "joint";
    joint.kind = a->kind;
    joint.frameA.p = plVec(-2, 0, 0);
    joint.frameB.q = adamsAxes(a);
    return addJointed(w, "case", &body, 1, &joint, 1);
}

typedef struct {
    double place, turn, speed, spin, acceleration, spinning, force, torque, open;
} Worst;

static plVec3 spinOf(const Course* c)
{
    const plMat3 R = plRotation(plGet4(c->q + 3));
    return plMul(&R, plGet3(c->v + 3));
}

static void compareRow(plWorld* w, plMechanismId id, const Adams* a, int row, Worst* worst)
{
    const Course c = stateOf(w, id);
    double force[6];
    checkOk(w, plWorld_JointForce(w, id, 0, force));
    worst->place = fmax(worst->place, adamsFar(a, adamsPos, row, plGet3(c.q)));
    worst->turn = fmax(worst->turn, adamsTurn(a, row, plGet4(c.q + 3)));
    worst->speed = fmax(worst->speed, adamsFar(a, adamsVel, row, plGet3(c.v)));
    worst->spin = fmax(worst->spin, adamsFar(a, adamsAvel, row, spinOf(&c)));
    worst->force = fmax(worst->force, adamsFar(a, adamsForce, row, plScale(-1, plGet3(force))));
    worst->torque =
        fmax(worst->torque, adamsFar(a, adamsTorque, row, plScale(-1, plGet3(force + 3))));
    worst->open = fmax(worst->open, jointError(w, id));
}

// The rate of a velocity is its difference over two steps of 1 ms, right to (w T)^2/6 of it: 1e-6.
static void compareRates(const Course* before, const Course* after, const Adams* a, int row,
                         Worst* worst)
{
    const double s = 1 / 2e-3;
    const plVec3 rate = plScale(s, plSub(plGet3(after->v), plGet3(before->v)));
    const plVec3 spinning = plScale(s, plSub(spinOf(after), spinOf(before)));
    worst->acceleration = fmax(worst->acceleration, adamsFar(a, adamsAcc, row, rate));
    worst->spinning = fmax(worst->spinning, adamsFar(a, adamsAacc, row, spinning));
}

// The ball moves in the plane of the hinge, about an axis of the same inertia: the two courses are one
// motion. Where ADAMS has them apart, one of them is wrong by half of that at least.
static double apartInAdams(AdamsFile file)
{
    double most = 0;
    for (int row = 0; row < adamsRows; ++row) {
        most = fmax(most, adamsFar(&adams[0], file, row, plGet3(adams[1].value[file][row])));
    }
    return most;
}

static double reach(const Adams* a, AdamsFile file, double bar)
{
    return a->kind == pl_constraintSpherical ? bar + apartInAdams(file) : bar;
}

static void compareCase(const Adams* a)
{
    const double T = 0.01 / substeps;
    plWorld* w = makeWorld(adamsGravity, 2);
    const plMechanismId id = addCase(w, a);
    Worst worst = {0};
    Course last[3] = {0}; // around a row of the reference
    compareRow(w, id, a, 0, &worst);
    for (int k = 1; k <= substeps * (adamsRows - 1); ++k) {
        plWorld_Step(w, T);
        last[0] = last[1];
        last[1] = last[2];
        last[2] = stateOf(w, id);
        if (k % substeps == 0) compareRow(w, id, a, k / substeps, &worst);
        if (k % substeps == 1 && k > 1) compareRates(&last[0], &last[2], a, k / substeps, &worst);
    }
    plWorld_Destroy(w);
    print_message("%-9s place %.1e turn %.1e | speed %.1e spin %.1e | rates %.1e %.1e | force %.1e "
                  "torque %.1e | |c| %.1e\n",
                  a->name, worst.place, worst.turn, worst.speed, worst.spin, worst.acceleration,
                  worst.spinning, worst.force, worst.torque, worst.open);
    checkAtMost("place", worst.place, reach(a, adamsPos, 1e-3));
    checkAtMost("turn", worst.turn, 1e-3);
    checkAtMost("speed", worst.speed, reach(a, adamsVel, 1e-3));
    checkAtMost("spin", worst.spin, reach(a, adamsAvel, 1e-3));
    checkAtMost("acceleration", fmax(worst.acceleration, worst.spinning), 2e-2);
    checkAtMost("reactions", fmax(worst.force, worst.torque), 2e-2);
    checkAtMost("|c|", worst.open, 1e-5);
}

static void singleJointsMoveAndHoldAsInAdams(void** state)
{
    (void)state;
    loadAdams();
    print_message("ADAMS' ball and hinge, one motion, are apart by %.1e m, %.1e m/s, %.1e rad/s\n",
                  apartInAdams(adamsPos), apartInAdams(adamsVel), apartInAdams(adamsAvel));
    for (int i = 0; i < PL_COUNT(adams); ++i) compareCase(&adams[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(singleJointsMoveAndHoldAsInAdams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
