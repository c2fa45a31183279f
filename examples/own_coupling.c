// A coupling of one's own: rate control, as of a joystick. How far the handle is from where it began is how fast the tool
// is to go. The hand feels a spring that centres the handle, and the contacts of the tool, low-passed: its memory
// (where the handle began, what is felt) is state, so that a snapshot holds it.
#include <math.h>
#include <palp/palp.h>
#include <stdio.h>
#include <stdlib.h>

enum { known, beganAt, felt }; // the coupling's memory

typedef struct {
    double rate, drag, spring, share;
} Joystick;

static plWrench command(void* self, double* memory, const plCouplingSight* s)
{
    const Joystick* j = self;
    if (memory[known] == 0) memory[known] = 1, memory[beganAt] = s->device.pose.p.x;
    const double wanted = j->rate * (s->device.pose.p.x - memory[beganAt]);
    memory[felt] += j->share * (s->device.hand.force.x - memory[felt]);
    return (plWrench){.force = {j->drag * (wanted - s->tool.v.x), 0, 0}};
}

static plWrench feedback(void* self, const double* memory, const plCouplingSight* s, double at)
{
    const Joystick* j = self;
    (void)at;
    const double way = s->device.pose.p.x - memory[beganAt];
    return (plWrench){.force = {0.1 * s->reaction.force.x - j->spring * way, 0, 0}};
}

static double speedOf(const plWorld* world, plMechanismId id)
{
    double v[6];
    plWorld_State(world, id, NULL, v);
    return v[0];
}

int main(void)
{
    static Joystick stick = {.rate = 10, .drag = 20, .spring = 100, .share = 0.1};
    plWorldDef def = plDefaultWorldDef();
    plWorld* world;
    def.gravity = (plVec3){0, 0, 0};
    if (plWorld_Create(&def, &world) != pl_statusOk) return 1;

    plAssemblyDef tool = plDefaultAssemblyDef();
    plMechanismId id;
    tool.name = "tool";
    plDeviceDef device = plDefaultDeviceDef();
    device.name = "handle";
    device.damping = 2;
    device.hand.wrench.force.x = 1; // a hand that pushes with 1 N: the spring gives way by 1 cm
    plCouplingCalls calls = plDefaultCouplingCalls();
    calls.self = &stick;
    calls.command = command;
    calls.feedback = feedback;
    plCouplingDef coupling = plDefaultCouplingDef();
    plCouplingId couplingId;
    coupling.name = "joystick";
    coupling.kind = pl_couplingOwn;
    coupling.own = &calls;
    if (plWorld_AddAssembly(world, &tool, &id) != pl_statusOk ||
        plWorld_AddDevice(world, &device, &coupling.device) != pl_statusOk)
        return 1;
    coupling.tool.mechanism = id;
    if (plWorld_AddCoupling(world, &coupling, &couplingId) != pl_statusOk) {
        fprintf(stderr, "%s\n", plWorld_Error(world));
        return 1;
    }

    for (int k = 0; k < 3000; ++k) plWorld_Step(world, 1e-3);
    const size_t size = plWorld_SnapshotSize(world);
    void* snapshot = malloc(size);
    plWorld_Save(world, snapshot);
    for (int k = 0; k < 100; ++k) plWorld_Step(world, 1e-3);
    const uint64_t hash = plWorld_Hash(world);
    const int restored = plWorld_Restore(world, snapshot, size) == pl_statusOk;
    for (int k = 0; k < 100; ++k) plWorld_Step(world, 1e-3);
    const int exact = restored && plWorld_Hash(world) == hash;
    printf("the tool goes at %.4f m/s, wanted 0.1; %s after a snapshot\n", speedOf(world, id),
           exact ? "equal" : "different");
    const int good = exact && fabs(speedOf(world, id) - 0.1) < 2e-3;
    puts(good ? "ok" : "wrong");
    free(snapshot);
    plWorld_Destroy(world);
    return !good;
}
