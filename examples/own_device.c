// A device of one's own: a handle on a machine that this program stands for. It is pushed to and fro along x, against a
// ball; what palp writes to it is summed up here, as a driver would send it to motors.
#include <math.h>
#include <palp/palp.h>
#include <stdio.h>

typedef struct {
    double x;       // where the handle is now [m]
    double largest; // force that was written [N]
    int samples, writes;
} Machine;

static void sample(void* self, double time, plSample* s)
{
    Machine* m = self;
    const double rate = 2 * 3.14159265358979; // once in a second
    m->x = 0.02 * sin(rate * time);
    s->pose = (plPose){{m->x, 0, 0}, {1, 0, 0, 0}};
    s->velocity = (plVec3){0.02 * rate * cos(rate * time), 0, 0};
    m->samples++;
}

static void write(void* self, const plWrench* wrench, double T)
{
    Machine* m = self;
    (void)T;
    m->largest = fmax(m->largest, fabs(wrench->force.x));
    m->writes++;
}

int main(void)
{
    Machine machine = {0};
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.gravity = (plVec3){0, 0, 0};
    if (plWorld_Create(&def, &world) != pl_statusOk) return 1;

    plAssemblyDef ball = plDefaultAssemblyDef();
    plMechanismId id;
    ball.name = "ball";
    ball.mass = 0.1;
    if (plWorld_AddAssembly(world, &ball, &id) != pl_statusOk) return 1;

    plDeviceDef device = plDefaultDeviceDef();
    plDeviceId hand;
    device.name = "machine";
    device.calls = (plDeviceCalls){.self = &machine, .sample = sample, .write = write};
    device.forceLimit = (plVec3){3, 3, 3};
    if (plWorld_AddDevice(world, &device, &hand) != pl_statusOk) return 1;

    plCouplingDef coupling = plDefaultCouplingDef();
    plCouplingId held;
    coupling.name = "hand";
    coupling.kind = pl_couplingVirtual;
    coupling.device = hand;
    coupling.tool.mechanism = id;
    if (plWorld_AddCoupling(world, &coupling, &held) != pl_statusOk) {
        fprintf(stderr, "%s\n", plWorld_Error(world));
        return 1;
    }

    double q[7], worst = 0;
    for (int k = 0; k < 3000; ++k) {
        plWorld_Step(world, 1e-3);
        plWorld_State(world, id, q, NULL);
        worst = fmax(worst, fabs(q[0] - machine.x));
    }
    // the ball is carried by m x'' = 0.1 kg * 0.02 m * (2 pi/s)^2 = 0.079 N, once what it began with has died out
    printf("%d samples, %d writes, at most %.3f N, the ball at most %.2f mm behind\n",
           machine.samples, machine.writes, machine.largest, 1e3 * worst);
    const int good = machine.samples == 3000 && machine.writes >= 3000 && machine.largest > 0.05 &&
                     machine.largest < 3 && worst < 5e-3;
    puts(good ? "ok" : "wrong");
    plWorld_Destroy(world);
    return !good;
}
