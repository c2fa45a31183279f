// A contact law of one's own: Hunt and Crossley's, F = K d^n (1 + c d'), in which the damper fades in with the depth. A
// ball comes with v and leaves with e v: m v dv = -F dd gives  f(v) = f(-e v),  f(v) = c v - log(1 + c v),  whatever the
// mass and K. To first order e = 1 - alpha v, c = 3 alpha/2 (Hunt and Crossley 1975): faster impacts lose more.
#include <math.h>
#include <palp/palp.h>
#include <stdio.h>

typedef struct {
    double K, n, alpha; // [N/m^n], 1, [s/m]
} HuntCrossley;

static void solve(void* self, const plLawProblem* problem, double* p)
{
    const HuntCrossley* h = self;
    const int dim = plLawProblem_Dim(problem);
    const double T = plLawProblem_Step(problem);
    for (int i = 0; i < plLawProblem_Count(problem); ++i) {
        const plLawContact c = plLawProblem_Contact(problem, i);
        if (c.gap >= 0) continue;
        const double depth = -c.gap, into = -c.start[0];
        const double force = h->K * pow(depth, h->n) * (1 + 1.5 * h->alpha * into);
        p[dim * i] = T * fmax(0, force);
        // friction of Coulomb, full from 1 mm/s on
        const double slip = hypot(c.start[1], dim == 3 ? c.start[2] : 0);
        for (int k = 1; k < dim; ++k)
            p[dim * i + k] = -c.friction * p[dim * i] * c.start[k] / fmax(slip, 1e-3);
    }
}

// Speed after an impact over that before it; -1: it cannot be made.
static double bounce(double speed, HuntCrossley* h)
{
    plLawDef law = plDefaultLawDef();
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    law.self = h;
    law.solve = solve;
    def.gravity = (plVec3){0, 0, 0};
    def.contact.law = pl_lawOwn;
    def.contact.own = &law;
    if (plWorld_Create(&def, &world) != pl_statusOk) return -1;

    plPartShapeDef ground = plDefaultPartShapeDef(pl_shapePlane),
                   ball = plDefaultPartShapeDef(pl_shapeSphere);
    plAssemblyDef body = plDefaultAssemblyDef();
    plShapeId shape;
    body.name = "ball";
    body.mass = 0.1;
    body.pose.p.z = 0.051;
    body.velocity.z = -speed;
    ball.shape.radius = 0.05;
    double v[6] = {0, 0, -1};
    if (plWorld_AddShape(world, &ground, &shape) != pl_statusOk ||
        plWorld_AddAssembly(world, &body, &ball.mechanism) != pl_statusOk ||
        plWorld_AddShape(world, &ball, &shape) != pl_statusOk)
        return -1;
    int ended = 0;
    for (int k = 0; k < 2000000 && !ended; ++k) {
        plWorld_Step(world, 1e-6);
        ended = plWorld_ContactEvents(world).endCount > 0;
    }
    plWorld_State(world, ball.mechanism, NULL, v);
    plWorld_Destroy(world);
    return ended ? v[2] / speed : -1;
}

// e by bisection: f(-e v) grows with e.
static double expectedAt(double speed, double c)
{
    double low = 0, high = 1;
    const double f = c * speed - log(1 + c * speed);
    for (int i = 0; i < 60; ++i) {
        const double e = 0.5 * (low + high), x = -c * e * speed;
        *(x - log(1 + x) < f ? &low : &high) = e;
    }
    return low;
}

int main(void)
{
    HuntCrossley h = {.K = 1e5, .n = 1.5, .alpha = 0.2};
    int good = 1;
    for (double speed = 0.1; speed < 1; speed *= 2) {
        const double e = bounce(speed, &h), expected = expectedAt(speed, 1.5 * h.alpha);
        printf("at %.1f m/s: restitution %.4f, expected %.4f; to first order %.4f\n", speed, e,
               expected, 1 - h.alpha * speed);
        good = good && fabs(e - expected) <
                           2e-3; // a step is 1e-6 of a second, an impact some thousands of them
    }
    puts(good ? "ok" : "wrong");
    return !good;
}
