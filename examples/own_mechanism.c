// A mechanism of one's own: a bead on a wire in the shape of a cycloid, x = r (q + sin q), z = r (1 - cos q). It swings with
// the period 2 pi sqrt(4 r/g), however far (Huygens 1673), and keeps its energy.
#include <math.h>
#include <palp/palp.h>
#include <stdio.h>

static const double pi = 3.14159265358979;

static void place(void* self, const double* q, plPose* parts)
{
    const double r = *(const double*)self;
    parts[0].p = (plVec3){r * (q[0] + sin(q[0])), 0, r * (1 - cos(q[0]))};
}

static void twist(void* self, const double* q, int part, double* J)
{
    const double r = *(const double*)self;
    (void)part;
    J[0] = r * (1 + cos(q[0])); // dx/dq
    J[2] = r * sin(q[0]);       // dz/dq
}

// Time of a full swing from q, found where the bead comes through the lowest point; -1: it cannot be made.
static double periodFrom(double start, double* drift)
{
    static double radius = 0.1;
    const double T = 1e-3;
    plMass bead = {.mass = 0.05};
    plWorldDef def = plDefaultWorldDef();
    plOwnMechanismDef wire = plDefaultOwnMechanismDef();
    plMechanismId id;
    plWorld* world;
    if (plWorld_Create(&def, &world) != pl_statusOk) return -1;
    wire.name = "bead";
    wire.self = &radius;
    wire.position = &start;
    wire.masses = &bead;
    wire.place = place;
    wire.twist = twist;
    if (plWorld_AddOwnMechanism(world, &wire, &id) != pl_statusOk) {
        fprintf(stderr, "%s\n", plWorld_Error(world));
        return -1;
    }
    const plAccount before = plWorld_Ledger(world);
    double q = start, last = start, first = 0, latest = 0;
    int swings = -1;
    for (int k = 0; k < 10000; ++k, last = q) {
        plWorld_Step(world, T);
        plWorld_State(world, id, &q, NULL);
        if (!(last > 0 && q <= 0)) continue;
        latest = plWorld_Time(world) - T * q / (q - last);
        if (++swings == 0) first = latest;
    }
    const plAccount after = plWorld_Ledger(world);
    *drift = fabs(after.kinetic + after.potential - before.kinetic - before.potential) /
             before.potential;
    plWorld_Destroy(world);
    return (latest - first) / swings;
}

int main(void)
{
    const double expected = 2 * pi * sqrt(4 * 0.1 / 9.81);
    int good = 1;
    for (double start = 0.3; start < 2.5; start += 1) {
        double drift;
        const double period = periodFrom(start, &drift);
        printf("from %.1f: period %.6f s, expected %.6f; energy to %.0e\n", start, period, expected,
               drift);
        good = good && fabs(period - expected) < 1e-4 * expected && drift < 1e-3;
    }
    puts(good ? "ok" : "wrong");
    return !good;
}
