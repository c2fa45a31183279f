// Jointed assemblies with links are of second order.
// Andrews' squeezing mechanism (Hairer and Wanner 1996, VII.7): seven bodies in a plane, ten hinges with 50 rows
// of rank 41, and a spring to the ground, which is a link. The state at 0.03 s is that of the Test Set for IVP
// Solvers (Mazzia and Magherini 2008).
#include "jointeds.h"

enum { beta, theta, gamma_, phi, delta, omega, epsilon, angles };

static const double start[angles] = {
    -0.0617138900142764496358948458001, 0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};
static const double reference[angles] = {
    0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
    0.5244099658805304,   0.5347301163226948,    0.1048080741042263e1};

static const double rr = 7e-3, ra = 92e-5, d = 28e-3, da = 115e-4, sa = 1874e-5, sb = 1043e-5,
                    sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5,
                    ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5, e = 2e-2, ea = 1421e-5;
static const plVec3 A = {-0.06934, -0.00227, 0}, B = {-0.03635, 0.03273, 0}, C = {0.014, 0.072, 0};

// Of a body: its angle, the joint where it is placed, and its centre from there in its own axes.
typedef struct {
    double mass, inertia, angle;
    plVec3 at, centre;
} Member;

static plVec3 turned(double angle, plVec3 r)
{
    const double c = cos(angle), s = sin(angle);
    return plVec(c * r.x - s * r.y, s * r.x + c * r.y, 0);
}

static plVec3 along(plVec3 from, double angle, double x, double y)
{
    return plAdd(from, turned(angle, plVec(x, y, 0)));
}

typedef struct {
    Member members[7];
    plVec3 joints[10];
} Places;

static Places placesOf(const double* y)
{
    const double four = y[phi] + y[delta], six = y[omega] + y[epsilon], two = y[beta] + y[theta];
    const plVec3 O = {0, 0, 0}, R = along(O, y[beta], rr, 0), P = along(R, two, -d, 0);
    const plVec3 G = along(A, y[delta], zt, 0), H = along(A, y[epsilon], 0, -u);
    return (Places){.members = {{0.04325, 2.194e-6, y[beta], O, {ra, 0, 0}},
                                {0.00365, 4.410e-7, two, R, {-da, 0, 0}},
                                {0.02373, 5.255e-6, y[gamma_], B, {sb, -sa, 0}},
                                {0.00706, 5.667e-7, four, G, {0, -(e - ea), 0}},
                                {0.07050, 1.169e-5, y[delta], A, {ta, tb, 0}},
                                {0.00706, 5.667e-7, six, H, {zf - fa, 0, 0}},
                                {0.05498, 1.912e-5, y[epsilon], A, {ub, -ua, 0}}},
                    .joints = {O, R, B, P, P, P, A, G, A, H}};
}

// The joints' bodies, as `placesOf` lists their points.
static const int ends[10][2] = {{0, -1}, {1, 0},  {2, -1}, {2, 1},  {3, 1},
                                {5, 1},  {4, -1}, {3, 4},  {6, -1}, {5, 6}};

typedef struct {
    plWorld* w;
    plMechanismId id;
    plLinkId spring;
} Squeezer;

static Squeezer makeSqueezer(void)
{
    const Places p = placesOf(start);
    plJointedBodyDef bodies[7];
    plJointDef joints[10];
    Squeezer s = {.w = makeWorld(plVec(0, 0, 0), 2)};
    for (int b = 0; b < 7; ++b) {
        const Member* m = &p.members[b];
        bodies[b] = plDefaultJointedBodyDef();
        bodies[b].name = partName(b);
        bodies[b].mass = m->mass;
        bodies[b].inertia = plDiagonal3(m->inertia, m->inertia, m->inertia);
        bodies[b].pose =
            poseAt(plAdd(m->at, turned(m->angle, m->centre)), plRotor(plVec(0, 0, 1), m->angle));
    }
    for (int j = 0; j < 10; ++j) {
        joints[j] = plDefaultJointDef();
        joints[j].name = partName(10 + j);
        plPose* const frames[2] = {&joints[j].frameA, &joints[j].frameB};
        joints[j].a = ends[j][0];
        joints[j].b = ends[j][1];
        for (int k = 0; k < 2; ++k) {
            const int b = ends[j][k];
            frames[k]->p = p.joints[j];
            if (b < 0) continue;
            const plVec3 r = plSub(p.joints[j], bodies[b].pose.p);
            frames[k]->p = turned(-p.members[b].angle, r);
        }
    }
    s.id = addJointed(s.w, "squeezer", bodies, 7, joints, 10);
    plLinkDef link = plDefaultLinkDef();
    link.name = "spring";
    link.a = (plSite){s.id, 2, plVec(sd - sb, -sc + sa, 0)};
    link.b.point = C;
    link.stiffness = 4530;
    link.distance = 7785e-5;
    checkOk(s.w, plWorld_AddLink(s.w, &link, &s.spring));
    return s;
}

static void stepSqueezer(Squeezer* s, double T)
{
    const plWrench drive = {.torque = {0, 0, 0.033}};
    checkOk(s->w, plWorld_ApplyWrench(s->w, (plSite){s->id, 0, {0, 0, 0}}, drive));
    plWorld_Step(s->w, T);
}

// Angles of the mechanism are those of joints.
static void anglesOf(const Squeezer* s, double* y)
{
    static const int joint[angles] = {0, 1, 2, 7, 6, 9, 8};
    for (int i = 0; i < angles; ++i) {
        double position[2];
        checkOk(s->w, plWorld_JointPosition(s->w, s->id, joint[i], position));
        y[i] = position[0];
    }
}

static double errorAt(double T)
{
    Squeezer s = makeSqueezer();
    double y[angles] = {0}, error = 0;
    for (int k = 0; k < (int)lround(0.03 / T); ++k) stepSqueezer(&s, T);
    anglesOf(&s, y);
    for (int i = 0; i < angles; ++i) error = fmax(error, fabs(y[i] - reference[i]));
    print_message("squeezer, T %.0e s: error %.2e rad, |c| %.1e m, residual %.1e J\n", T, error,
                  jointError(s.w, s.id), plWorld_Ledger(s.w).worst);
    checkAtMost("|c|", jointError(s.w, s.id), 1e-13);
    checkAtMost("residual", plWorld_Ledger(s.w).worst, 1e-13);
    plWorld_Destroy(s.w);
    return error;
}

// The crank has turned by 15.8 rad; of first order it would be 2.3e-2 rad off at 1e-5 s.
static void squeezerMovesAsPublished(void** state)
{
    (void)state;
    const double coarse = errorAt(8e-5), fine = errorAt(sized(2, 1) * 1e-5);
    checkAtMost("coarse", coarse, 3e-4);
    checkAtMost("fine", fine, sized(200, 50) * 1e-7);
}

// --- reactions

typedef struct {
    plVec3 v[7], force[7];
    double largest;
} Forces;

// Velocities of the centres, and what joints and the spring give each body.
static Forces forcesOf(const Squeezer* s)
{
    Forces f = {0};
    const Course c = stateOf(s->w, s->id);
    double pull[6] = {0};
    for (int b = 0; b < 7; ++b) f.v[b] = plGet3(c.v + 6 * b);
    for (int j = 0; j < 10; ++j) {
        double force[6];
        checkOk(s->w, plWorld_JointForce(s->w, s->id, j, force));
        f.force[ends[j][0]] = plAdd(f.force[ends[j][0]], plGet3(force));
        if (ends[j][1] >= 0) f.force[ends[j][1]] = plSub(f.force[ends[j][1]], plGet3(force));
        f.largest = fmax(f.largest, plNorm(plGet3(force)));
    }
    checkOk(s->w, plWorld_LinkForce(s->w, s->spring, pull));
    f.force[2] = plAdd(f.force[2], plGet3(pull));
    return f;
}

// Newton's law for each body, with the accelerations from velocities: largest miss as a share of the largest
// reaction. The spring's force is its mean of the step, so that it is of first order.
static double reactionError(double T)
{
    Squeezer s = makeSqueezer();
    const Places p = placesOf(start);
    double worst = 0;
    Forces last = {0}, now = {0};
    for (int k = 0; k < (int)lround(sized(3, 10) * 1e-3 / T); ++k) {
        const Forces next = (stepSqueezer(&s, T), forcesOf(&s));
        for (int b = 0; b < 7 && k > 2; ++b) {
            const plVec3 a = plScale(0.5 / T, plSub(next.v[b], last.v[b]));
            const plVec3 miss = plAddScaled(now.force[b], -p.members[b].mass, a);
            worst = fmax(worst, plNorm(miss) / now.largest);
        }
        last = now;
        now = next;
    }
    plWorld_Destroy(s.w);
    return worst;
}

static void reactionsAccelerateTheBodies(void** state)
{
    (void)state;
    const double coarse = reactionError(2e-5), fine = reactionError(1e-5);
    print_message("m a against reactions: %.1e, in half the step %.1e\n", coarse, fine);
    checkAtMost("m a", fine, 2e-3);
    checkAtMost("first order", fine, 0.6 * coarse);
}

// The same reactions by the names of channels.
static void reactionsAreChannels(void** state)
{
    (void)state;
    Squeezer s = makeSqueezer();
    for (int k = 0; k < 5; ++k) stepSqueezer(&s, 1e-5);
    for (int j = 0; j < 10; ++j) {
        double force[6], position[2];
        checkOk(s.w, plWorld_JointForce(s.w, s.id, j, force));
        checkOk(s.w, plWorld_JointPosition(s.w, s.id, j, position));
        for (int i = 0; i < 7; ++i) {
            char name[64];
            plChannel c;
            snprintf(name, sizeof name, "squeezer.%s.%s[%d]", partName(10 + j),
                     i < 6 ? "force" : "position", i < 6 ? i : 0);
            checkOk(s.w, plWorld_FindChannel(s.w, name, &c));
            assert_true(plWorld_ReadChannel(s.w, c) == (i < 6 ? force[i] : position[0]));
        }
    }
    plChannel none;
    assert_int_equal(plWorld_FindChannel(s.w, "squeezer.b10.force[6]", &none), pl_statusNotFound);
    assert_int_equal(plWorld_FindChannel(s.w, "squeezer.b10.position[1]", &none),
                     pl_statusNotFound);
    plWorld_Destroy(s.w);
}

// --- an arm that tumbles, with all that depends on velocities: spin, a damper, joints that turn

typedef struct {
    const char* name;
    bool body, turns; ///< to a free body; with a spring on turns
    double stiffness, damping;
} Tie;

static const Tie ties[] = {
    {"spring to the ground", .stiffness = 50},
    {"spring and damper, also on turns", .turns = true, .stiffness = 20, .damping = 0.5},
    {"spring to a body", .body = true, .stiffness = 100},
    {"rigid, to a body", .body = true, .stiffness = HUGE_VAL},
};

static plMechanismId addThreeBodies(plWorld* w)
{
    plJointedBodyDef b[3];
    plJointDef j[3];
    for (int i = 0; i < 3; ++i) {
        b[i] = plDefaultJointedBodyDef();
        b[i].name = partName(i);
        b[i].mass = 0.3;
        b[i].inertia = plDiagonal3(2e-3, 1e-3, 3e-3);
        b[i].pose.p = plVec(0.1 + 0.2 * i, 0, 0);
        j[i] = plDefaultJointDef();
        j[i].name = partName(10 + i);
        j[i].kind = i == 1 ? pl_constraintRevolute : pl_constraintSpherical;
        j[i].a = i;
        j[i].b = i - 1;
        j[i].frameA.p = plVec(-0.1, 0, 0);
        j[i].frameB.p = plVec(i ? 0.1 : 0, 0, 0);
    }
    j[1].damping[0] = 0.02;
    j[1].stiffness[0] = 0.5;
    j[1].frameA.q = j[1].frameB.q = zToY();
    return addJointed(w, "arm", b, 3, j, 3);
}

// Where its tip is after half a second.
static plVec3 tipOf(const Tie* tie, double T)
{
    plWorld* w = makeWorld(plVec(0, 0, -9.81), 2);
    const plMechanismId id = addThreeBodies(w);
    const plVec3 tip = {0.1, 0, 0};
    plLinkDef def = plDefaultLinkDef();
    plLinkId link;
    def.name = "tie";
    def.a = (plSite){id, 2, tip};
    def.b.point = plVec(0.6, 0.3, 0.2);
    def.stiffness = tie->stiffness;
    def.damping = tie->damping;
    def.turns = tie->turns;
    def.turnStiffness = 0.4;
    def.turnDamping = 0.01;
    if (tie->body) {
        plAssemblyDef a = plDefaultAssemblyDef();
        a.name = "ball";
        a.mass = 0.2;
        a.inertia = plDiagonal3(1e-3, 2e-3, 1.5e-3);
        a.pose.p = plVec(0.7, 0, 0);
        if (isfinite(def.stiffness)) a.spin = plVec(1, 5, 2);
        checkOk(w, plWorld_AddAssembly(w, &a, &def.b.mechanism));
        def.b.point = plVec(-0.1, 0, 0);
    }
    checkOk(w, plWorld_AddLink(w, &def, &link));
    for (int k = 0; k < (int)lround(0.5 / T); ++k) plWorld_Step(w, T);
    checkAtMost("residual", plWorld_Ledger(w).worst, 1e-13);
    const plVec3 x = pointOf(w, id, 2, tip);
    plWorld_Destroy(w);
    return x;
}

static void linksAreOfSecondOrder(void** state)
{
    (void)state;
    for (int i = 0; i < PL_COUNT(ties); ++i) {
        const plVec3 exact = tipOf(&ties[i], sized(1, 0) ? 1.25e-4 : 3.125e-5);
        const double coarse = plNorm(plSub(tipOf(&ties[i], 2e-3), exact));
        const double fine = plNorm(plSub(tipOf(&ties[i], 1e-3), exact));
        print_message("%s: %.1e m at 2 ms, %.1e at 1 ms\n", ties[i].name, coarse, fine);
        checkAtMost("coarse", coarse, 3e-4);
        checkAtMost("order two", fine, 0.27 * coarse);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squeezerMovesAsPublished),
        cmocka_unit_test(reactionsAccelerateTheBodies),
        cmocka_unit_test(reactionsAreChannels),
        cmocka_unit_test(linksAreOfSecondOrder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
