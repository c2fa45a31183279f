// Rows of joints: c, its gradient and its second derivative along the motion, and the free positions
// with their springs. With u fixed in b, w fixed in a, r = p_a - p_b, all in world axes:
//   e.r           c' = e.r'                                   c'' = e.r''
//   u.r           c' = u.r' + w_b.(u x r)                     c'' = u.r'' + 2 r'.u' + r.u''
//   u.w           c' = (w_a - w_b).(w x u)                    c'' = u.w'' + 2 u'.w' + w.u''
//   |r| - l       c' = n.r'                                   c'' = n.r'' + (r'.r' - (n.r')^2)/|r|
//   s(x)          c' = n.x'                                   c'' = n.x'' + x'.H x'
// where x = R_b^T r, and the second derivatives of points and axes are those at a = 0: w x (w x r).
#include "mechanism/jointed.h"

#include <string.h>

static const struct {
    const char* name;
    int rows, positions;
} kinds[pl_constraintCount] = {
    [pl_constraintSpherical] = {"spherical", 3, 0},
    [pl_constraintRevolute] = {"revolute", 5, 1},
    [pl_constraintUniversal] = {"universal", 4, 2},
    [pl_constraintCylindrical] = {"cylindrical", 4, 2},
    [pl_constraintPrismatic] = {"prismatic", 5, 1},
    [pl_constraintFixed] = {"fixed", 6, 0},
    [pl_constraintDistance] = {"distance", 1, 0},
    [pl_constraintGuide] = {"guide", 1, 0},
};

static bool known(int kind) { return kind >= 0 && kind < pl_constraintCount; }

const char* plConstraint_Name(int kind) { return known(kind) ? kinds[kind].name : "unknown"; }
int plConstraint_Rows(plConstraint kind) { return known((int)kind) ? kinds[kind].rows : 0; }
int plConstraint_Positions(plConstraint kind)
{
    return known((int)kind) ? kinds[kind].positions : 0;
}

/// One end of a joint: its frame in the world and how it moves.
typedef struct {
    plVec3 p, s;       ///< the point; from the body's origin to it
    plVec3 axes[3];    ///< x, y, z of the frame
    plVec3 v, w, bend; ///< velocity of the point, spin, w x (w x s)
} End;

static End endOf(const plPlace* places, const double* v, int body, const plFrame* frame)
{
    End e = {.p = frame->x};
    plMat3 R = frame->R;
    if (body >= 0) {
        const plFrame* world = &places[body].world;
        R = plMatMul(&world->R, &frame->R);
        e.s = plMul(&world->R, frame->x);
        e.p = plAdd(world->x, e.s);
    }
    const plMat3 columns = plTranspose(&R);
    e.axes[0] = columns.x;
    e.axes[1] = columns.y;
    e.axes[2] = columns.z;
    if (body < 0 || !v) return e;
    e.w = plMul(&places[body].world.R, plGet3(v + 6 * body + 3));
    e.v = plAdd(plGet3(v + 6 * body), plCross(e.w, e.s));
    e.bend = plCross(e.w, plCross(e.w, e.s));
    return e;
}

static plVec3 bent(plVec3 w, plVec3 u) { return plCross(w, plCross(w, u)); }

// The point of a along a world axis.
static plConstraintRow pointRow(const End* a, const End* b, plVec3 axis)
{
    return (plConstraintRow){.lin = axis,
                             .value = plDot(axis, plSub(a->p, b->p)),
                             .acceleration = plDot(axis, plSub(a->bend, b->bend))};
}

// The point of a along an axis u of b.
static plConstraintRow acrossRow(const End* a, const End* b, plVec3 u)
{
    const plVec3 r = plSub(a->p, b->p), rate = plSub(a->v, b->v), turn = plCross(b->w, u);
    return (plConstraintRow){.lin = u,
                             .turnB = plCross(u, r),
                             .value = plDot(u, r),
                             .acceleration = plDot(u, plSub(a->bend, b->bend)) +
                                             2 * plDot(rate, turn) + plDot(r, bent(b->w, u))};
}

// An axis w of a and one u of b stay perpendicular.
static plConstraintRow axesRow(const End* a, const End* b, plVec3 w, plVec3 u)
{
    const plVec3 turn = plCross(w, u);
    return (plConstraintRow){.turnA = turn,
                             .turnB = plScale(-1, turn),
                             .value = plDot(u, w),
                             .acceleration = plDot(u, bent(a->w, w)) + plDot(w, bent(b->w, u)) +
                                             2 * plDot(plCross(a->w, w), plCross(b->w, u))};
}

// Points that meet have no direction: then any one, and the row pulls nowhere that matters.
static plConstraintRow distanceRow(const plConstraintBody* joint, const End* a, const End* b)
{
    const plVec3 r = plSub(a->p, b->p), rate = plSub(a->v, b->v);
    const double size = plNorm(r), safe = fmax(size, 1e-12 * joint->length);
    const plVec3 n = size > 0 ? plScale(1 / size, r) : plVec(1, 0, 0);
    const double along = plDot(n, rate);
    return (plConstraintRow){.lin = n,
                             .value = size - joint->length,
                             .acceleration = plDot(n, plSub(a->bend, b->bend)) +
                                             (plDot(rate, rate) - along * along) / safe};
}

// x' = R_b^T (r' - w_b x r) in axes of the guide; r'' as b sees it has Coriolis and centrifugal parts.
static plConstraintRow guideRow(const plConstraintBody* joint, const End* a, const End* b,
                                double* foot)
{
    const plMat3 Rt = {b->axes[0], b->axes[1], b->axes[2]};
    const plVec3 r = plSub(a->p, b->p);
    const plVec3 slip = plSub(plSub(a->v, b->v), plCross(b->w, r));
    const plGuidePoint at = plGuide_At(joint, plMul(&Rt, r), foot);
    const plVec3 n = plMulT(&Rt, at.normal), rate = plMul(&Rt, slip);
    const plVec3 seen =
        plSub(plSub(plSub(a->bend, b->bend), bent(b->w, r)), plScale(2, plCross(b->w, slip)));
    return (plConstraintRow){.lin = n,
                             .turnB = plCross(n, r),
                             .value = at.distance,
                             .acceleration = plDot(n, seen) + plDot(rate, plMul(&at.bend, rate))};
}

static int pointRows(const End* a, const End* b, plConstraintRow* rows)
{
    rows[0] = pointRow(a, b, plVec(1, 0, 0));
    rows[1] = pointRow(a, b, plVec(0, 1, 0));
    rows[2] = pointRow(a, b, plVec(0, 0, 1));
    return 3;
}

static int lineRows(const End* a, const End* b, plConstraintRow* rows)
{
    rows[0] = acrossRow(a, b, b->axes[0]);
    rows[1] = acrossRow(a, b, b->axes[1]);
    return 2;
}

static int alongRows(const End* a, const End* b, plConstraintRow* rows)
{
    rows[0] = axesRow(a, b, a->axes[2], b->axes[0]);
    rows[1] = axesRow(a, b, a->axes[2], b->axes[1]);
    return 2;
}

static void jointRows(const plConstraintBody* joint, const End* a, const End* b, double* foot,
                      plConstraintRow* rows)
{
    const plConstraint kind = joint->kind;
    const bool slides = kind == pl_constraintCylindrical || kind == pl_constraintPrismatic;
    int n = 0;
    if (kind == pl_constraintDistance) {
        rows[0] = distanceRow(joint, a, b);
        return;
    }
    if (kind == pl_constraintGuide) {
        rows[0] = guideRow(joint, a, b, foot);
        return;
    }
    n += slides ? lineRows(a, b, rows) : pointRows(a, b, rows);
    if (kind == pl_constraintSpherical) return;
    if (kind == pl_constraintUniversal) {
        rows[n] = axesRow(a, b, a->axes[2], b->axes[0]);
        return;
    }
    n += alongRows(a, b, rows + n);
    if (kind == pl_constraintPrismatic || kind == pl_constraintFixed) {
        rows[n] = axesRow(a, b, a->axes[1], b->axes[0]);
    }
}

void plJointed_Rows(const plMechanism* m, const plPlace* places, const double* v,
                    plConstraintRow* rows)
{
    const plJointed* x = plJointed_Of(m);
    for (int j = 0; j < x->jointCount; ++j) {
        const plConstraintBody* joint = &x->joints[j];
        const End a = endOf(places, v, joint->a, &joint->A);
        const End b = endOf(places, v, joint->b, &joint->B);
        double* foot = joint->surface ? x->near + 3 * j : NULL;
        jointRows(joint, &a, &b, foot, rows + joint->row0);
        for (int k = 0; k < joint->rowCount; ++k) rows[joint->row0 + k].joint = j;
    }
}

void plJointed_Seek(const plMechanism* m, const plPlace* places, double* foot)
{
    const plJointed* x = plJointed_Of(m);
    for (int j = 0; j < x->jointCount; ++j) {
        const plConstraintBody* joint = &x->joints[j];
        if (!joint->surface) continue;
        const End a = endOf(places, NULL, joint->a, &joint->A);
        const End b = endOf(places, NULL, joint->b, &joint->B);
        const plMat3 Rt = {b.axes[0], b.axes[1], b.axes[2]};
        plGuide_Seek(joint->surface, plMul(&Rt, plSub(a.p, b.p)), foot + 3 * j);
    }
}

static void addEnd(const plPlace* place, plVec3 point, plVec3 lin, plVec3 turn, double s, double* g)
{
    const plVec3 arm = plMul(&place->world.R, point);
    const plVec3 torque = plMulT(&place->world.R, plAdd(plCross(arm, lin), turn));
    plPut3(plAddScaled(plGet3(g), s, lin), g);
    plPut3(plAddScaled(plGet3(g + 3), s, torque), g + 3);
}

static void addRow(const plMechanism* m, const plPlace* places, const plConstraintRow* row,
                   double s, double* a, double* b)
{
    const plConstraintBody* joint = &plJointed_Of(m)->joints[row->joint];
    if (joint->a >= 0) addEnd(&places[joint->a], joint->A.x, row->lin, row->turnA, s, a);
    if (joint->b < 0) return;
    addEnd(&places[joint->b], joint->B.x, plScale(-1, row->lin), row->turnB, s, b);
}

void plJointed_AddRow(const plMechanism* m, const plPlace* places, const plConstraintRow* row,
                      double s, double* g)
{
    const plConstraintBody* joint = &plJointed_Of(m)->joints[row->joint];
    const int a = joint->a, b = joint->b;
    addRow(m, places, row, s, a < 0 ? NULL : g + 6 * a, b < 0 ? NULL : g + 6 * b);
}

void plJointed_RowEnds(const plMechanism* m, const plPlace* places, const plConstraintRow* row,
                       double* a, double* b)
{
    addRow(m, places, row, 1, a, b);
}

// --- free positions

// Relative angle of two axes of b and one of a, counted on from where it was.
static double countOn(double last, double angle)
{
    return last + remainder(angle - last, 2 * PL_PI);
}

double plJointed_Position(const plMechanism* m, const plPlace* places, int index, int k,
                          plConstraintRow* row)
{
    const plJointed* x = plJointed_Of(m);
    const plConstraintBody* joint = &x->joints[index];
    const End a = endOf(places, NULL, joint->a, &joint->A);
    const End b = endOf(places, NULL, joint->b, &joint->B);
    const plConstraint kind = joint->kind;
    const double last = x->angle[2 * index + k];
    *row = (plConstraintRow){.joint = index};
    if (kind == pl_constraintPrismatic || (kind == pl_constraintCylindrical && k == 1)) {
        const plVec3 r = plSub(a.p, b.p);
        row->lin = b.axes[2];
        row->turnB = plCross(b.axes[2], r);
        return plDot(b.axes[2], r);
    }
    double sine = plDot(b.axes[1], a.axes[0]), cosine = plDot(b.axes[0], a.axes[0]);
    row->turnA = b.axes[2];
    if (kind == pl_constraintUniversal) {
        row->turnA = k == 0 ? b.axes[0] : a.axes[2];
        sine = -plDot(b.axes[k == 0], a.axes[k == 0 ? 2 : 1]);
        cosine = k == 0 ? plDot(b.axes[2], a.axes[2]) : plDot(b.axes[0], a.axes[0]);
    }
    row->turnB = plScale(-1, row->turnA);
    return countOn(last, atan2(sine, cosine));
}

static bool sprung(const plConstraintBody* joint)
{
    return joint->kind != pl_constraintUniversal && plConstraint_Positions(joint->kind) > 0;
}

double plJointed_Spring(const plMechanism* m, const plPlace* places)
{
    const plJointed* x = plJointed_Of(m);
    plConstraintRow row;
    double energy = 0;
    for (int j = 0; j < x->jointCount; ++j) {
        const plConstraintBody* joint = &x->joints[j];
        for (int k = 0; sprung(joint) && k < plConstraint_Positions(joint->kind); ++k) {
            if (joint->stiffness[k] == 0) continue;
            const double way = plJointed_Position(m, places, j, k, &row) - joint->rest[k];
            energy += 0.5 * joint->stiffness[k] * way * way;
        }
    }
    return energy;
}

double plJointed_Springs(const plMechanism* m, const plPlace* places, const double* v, double* g)
{
    const plJointed* x = plJointed_Of(m);
    double* J = x->z;
    double power = 0;
    plConstraintRow row;
    for (int j = 0; j < x->jointCount; ++j) {
        const plConstraintBody* joint = &x->joints[j];
        for (int k = 0; sprung(joint) && k < plConstraint_Positions(joint->kind); ++k) {
            if (joint->stiffness[k] == 0 && joint->damping[k] == 0) continue;
            const double way = plJointed_Position(m, places, j, k, &row) - joint->rest[k];
            memset(J, 0, (size_t)m->n * sizeof *J);
            plJointed_AddRow(m, places, &row, 1, J);
            const double rate = plDotN(J, v, m->n);
            const double force = -joint->stiffness[k] * way - joint->damping[k] * rate;
            for (int i = 0; i < m->n; ++i) g[i] += force * J[i];
            power += joint->damping[k] * rate * rate;
        }
    }
    return power;
}
