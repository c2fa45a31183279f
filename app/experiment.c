// The experimenter: who drives the device, what it touches, and how it is pressed on.
#include "experiment.h"

#include "coupling/coupling.h"
#include "math/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------- the driver

static void tell(void* self, double time, plSample* s)
{
    const plExperiment* e = self;
    (void)time;
    *s = (plSample){.pose = {plAddScaled(e->base.p, e->told, e->n), e->base.q},
                    .velocity = plScale(e->toldSpeed, e->n)};
}

static void hear(void* self, const plWrench* w, double T)
{
    plExperiment* e = self;
    (void)T;
    e->heard = plDot(w->force, e->n);
}

double plExperiment_Tick(plExperiment* e, double x, double speed)
{
    e->told = x;
    e->toldSpeed = speed;
    plWorld_Step(e->world, e->loop.T);
    ++e->ticks;
    return e->heard;
}

double plExperiment_TickAt(plExperiment* e, double x)
{
    return plExperiment_Tick(e, x, (x - e->told) / e->loop.T);
}

// ----------------------------------------------------------------------------------- surfaces

static plMaterialId materialAt(int i) { return (plMaterialId){(uint32_t)i, i > 0}; }

static bool readSurfaces(plExperiment* e, const char* material)
{
    plMaterialId only = {0};
    e->materials = plWorld_MaterialCount(e->world) + 1;
    const size_t n = (size_t)e->materials;
    e->pairs = calloc(n * n, sizeof *e->pairs);
    e->changes = calloc(n * n, sizeof *e->changes);
    if (!e->pairs || !e->changes) {
        snprintf(e->message, sizeof e->message, "no memory");
        return false;
    }
    if (material && plWorld_FindMaterial(e->world, material, &only) != pl_statusOk) {
        snprintf(e->message, sizeof e->message, "the scene has no material \"%s\"", material);
        return false;
    }
    for (int i = 0; i < e->materials; ++i) {
        for (int k = 0; k < e->materials; ++k) {
            const int at = i * e->materials + k;
            plWorld_Pair(e->world, materialAt(i), materialAt(k), &e->pairs[at]);
            e->changes[at] = !material || (int)only.index1 == i || (int)only.index1 == k;
        }
    }
    return true;
}

/// All pairs as the scene has them, or with another wall. A pair is set as it is felt, so that K and B
/// are what the device meets, however its two materials would mix.
static void setSurfaces(plExperiment* e, const plSurface* wall)
{
    for (int i = 0; i < e->materials; ++i) {
        for (int k = 0; k <= i; ++k) {
            plSurface s = e->pairs[i * e->materials + k];
            if (wall && e->changes[i * e->materials + k]) {
                s.stiffness = wall->stiffness;
                s.damping = wall->damping;
            }
            plWorld_SetPair(e->world, materialAt(i), materialAt(k), &s);
        }
    }
}

// ---------------------------------------------------------------------------------- the place

static bool fail(plExperiment* e, const char* why)
{
    snprintf(e->message, sizeof e->message, "%s", why);
    return false;
}

static bool findDevice(plExperiment* e, const char* name)
{
    const int count = plWorld_CouplingCount(e->world);
    plDeviceDef def;
    if (plWorld_DeviceCount(e->world) == 0) return fail(e, "the scene has no device");
    if (name && plWorld_FindDevice(e->world, name, &e->device) != pl_statusOk) {
        snprintf(e->message, sizeof e->message, "the scene has no device \"%s\"", name);
        return false;
    }
    for (int i = 0; i < count; ++i) {
        plWorld_CouplingDef(e->world, (plCouplingId){(uint32_t)i + 1, 1}, &e->coupling);
        if (name && e->coupling.device.index1 != e->device.index1) continue;
        e->device = e->coupling.device;
        plWorld_DeviceDef(e->world, e->device, &def);
        e->isPantograph = def.kind == pl_devicePantograph;
        e->loop.damping = e->isPantograph ? 0 : def.damping;
        e->loop.friction = e->isPantograph ? 0 : def.friction;
        e->loop.encoder = e->isPantograph ? 0 : def.encoderStep;
        e->loop.delay = def.delay;
        return true;
    }
    return fail(e, "no coupling joins the device to a tool");
}

/// A contact on the tool: its force there along its normal, and the normal as the tool feels it.
static double onTool(const plExperiment* e, const plContactInfo* c, plVec3* normal)
{
    const plSite tool = e->coupling.tool;
    const bool isA = c->a.mechanism.index1 == tool.mechanism.index1 && c->a.part == tool.part;
    const bool isB = c->b.mechanism.index1 == tool.mechanism.index1 && c->b.part == tool.part;
    *normal = plScale(isB ? -1 : 1, c->normal);
    return isA != isB ? plDot(c->force, c->normal) : 0;
}

/// Direction of what the contacts do to the tool; the pair of the strongest of them, and its gap.
static bool feelsContact(plExperiment* e, double* gap)
{
    plVec3 sum = {0, 0, 0};
    double most = 0;
    *gap = 0;
    for (int i = 0; i < plWorld_ContactCount(e->world); ++i) {
        plContactInfo c;
        plVec3 normal;
        plMaterialId a, b;
        plWorld_Contact(e->world, i, &c);
        const double force = onTool(e, &c, &normal);
        sum = plAddScaled(sum, force, normal);
        if (force <= most) continue;
        most = force;
        *gap = c.gap;
        plWorld_ShapeMaterial(e->world, c.shapeA, &a);
        plWorld_ShapeMaterial(e->world, c.shapeB, &b);
        plWorld_Pair(e->world, a, b, &e->own);
        e->ownAt = (int)a.index1 * e->materials + (int)b.index1;
    }
    if (most == 0 || plNorm(sum) == 0) return false;
    e->n = plScale(1 / plNorm(sum), sum);
    return true;
}

/// A proxy stays outside of what it touches: only the device feels it.
static bool feelsProxy(plExperiment* e, double* gap)
{
    plWrench w;
    plWorld_DeviceForce(e->world, e->device, &w);
    const double force = plNorm(w.force);
    *gap = 0;
    if (!plCoupling_Ops(e->coupling.kind)->traits.stops || force < 1e-9) return false;
    plWorld_Pair(e->world, materialAt(0), materialAt(0), &e->own);
    e->n = plScale(1 / force, w.force);
    return true;
}

bool plExperiment_HasWalls(const char* law)
{
    return strcmp(law, plLawName_Name(pl_lawPenalty)) == 0 ||
           strcmp(law, plLawName_Name(pl_lawImpulse)) == 0;
}

static bool failTouch(plExperiment* e, const plExperimentDef* def)
{
    const bool felt =
        !plCoupling_Ops(e->coupling.kind)->traits.isTool || plExperiment_HasWalls(def->law);
    snprintf(e->message, sizeof e->message,
             "the device touches nothing in the %g s of the scene: %s", def->time,
             felt ? "give its hand a way to a wall, or more time (--set time=...)"
                  : "a direct coupling feels what stands still under the laws penalty and impulse "
                    "only (--set law=penalty)");
    return false;
}

static bool findPlace(plExperiment* e, const plExperimentDef* def)
{
    const double steps = ceil(def->time / def->T);
    double gap = 0;
    bool touches = false;
    for (double i = 0; i < steps && !touches; ++i) {
        plWorld_Step(e->world, def->T);
        touches = feelsContact(e, &gap) || feelsProxy(e, &gap);
    }
    if (!touches) return failTouch(e, def);
    if (!e->changes[e->ownAt]) return fail(e, "what the device touches is of another material");
    plSample sample;
    plWorld_DeviceSample(e->world, e->device, &sample);
    e->time = plWorld_Time(e->world);
    e->base = sample.pose;
    e->start = e->depth + gap;
    e->base.p = plAddScaled(sample.pose.p, -e->start, e->n);
    return true;
}

/// The device's mass along n: what resists an axis, each in its part.
static double massAlong(plVec3 mass, plVec3 n)
{
    return 1 / (n.x * n.x / mass.x + n.y * n.y / mass.y + n.z * n.z / mass.z);
}

/// How often the wall is felt: four corners of a box on a floor are four walls.
static double shareFelt(const plExperiment* e, bool* standing)
{
    double share = 0;
    for (int i = 0; i < plWorld_ContactCount(e->world); ++i) {
        plContactInfo c;
        plVec3 normal;
        plWorld_Contact(e->world, i, &c);
        if (onTool(e, &c, &normal) == 0) continue;
        const double along = plDot(normal, e->n);
        share += along * along;
        if (c.a.mechanism.index1 && c.b.mechanism.index1) *standing = false;
    }
    return share;
}

static const char* whyUnknown(const plExperiment* e, const char* law, bool standing)
{
    if (!plCoupling_Ops(e->coupling.kind)->traits.isTool) return "the coupling is not direct";
    if (strcmp(law, plLawName_Name(pl_lawPenalty)) != 0) return "the law is not penalty";
    if (e->own.wall != pl_wallHold || e->own.integral > 0) return "the wall is no plain spring";
    if (!standing) return "what it touches can move";
    return NULL;
}

bool plExperiment_Open(plExperiment* e, plWorld* world, const plExperimentDef* def)
{
    const plDeviceCalls calls = {.self = e, .sample = tell, .write = hear};
    double masses[6];
    bool standing = true;
    *e = (plExperiment){.world = world, .depth = def->depth, .loop.T = def->T, .share = 1};
    if (!findDevice(e, def->device) || !readSurfaces(e, def->material) || !findPlace(e, def)) {
        return false;
    }
    plWorld_DeviceMasses(world, e->device, masses);
    e->loop.mass = massAlong((plVec3){masses[0], masses[1], masses[2]}, e->n);
    e->size = plWorld_SnapshotSize(world);
    e->touching = malloc(e->size);
    e->pressed = malloc(e->size);
    if (!e->touching || !e->pressed) return fail(e, "no memory");
    plWorld_Save(world, e->touching);
    plWorld_AttachDevice(world, e->device, &calls);
    plExperiment_Press(e, e->own.stiffness > 0 ? e->own.stiffness : 1, e->own.damping);
    const double share = shareFelt(e, &standing);
    e->unknown = whyUnknown(e, def->law, standing);
    if (!e->unknown) e->share = share;
    return true;
}

void plExperiment_SetDepth(plExperiment* e, double depth)
{
    const double less = e->depth - depth;
    e->base.p = plAddScaled(e->base.p, less, e->n);
    e->start -= less;
    e->depth = depth;
}

void plExperiment_Close(plExperiment* e)
{
    free(e->pairs);
    free(e->changes);
    free(e->touching);
    free(e->pressed);
}

// ----------------------------------------------------------------------------------- pressing

/// How much the force varies over some ticks of standing still; the last one is kept.
static double stand(plExperiment* e, int ticks)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < ticks; ++i) {
        e->force = plExperiment_TickAt(e, 0);
        low = fmin(low, e->force);
        high = fmax(high, e->force);
    }
    return high - low;
}

// Until nothing changes. A tool that swings for long is steady, too, when it swings less and less.
static bool settle(plExperiment* e)
{
    enum { ticks = 16, blocks = 256 };
    double early = 0, late = 0;
    for (int i = 0; i < blocks; ++i) {
        const double varies = stand(e, ticks);
        if (varies <= 1e-9 * fabs(e->force)) return true;
        if (i < blocks / 4) early = fmax(early, varies);
        if (i >= 3 * blocks / 4) late = fmax(late, varies);
    }
    return late < early;
}

// Down in some ticks rather than at once, for tools that have a mass.
bool plExperiment_Press(plExperiment* e, double K, double B)
{
    enum { ramp = 32 };
    const plSurface wall = {.stiffness = K, .damping = B};
    setSurfaces(e, NULL);
    plWorld_Restore(e->world, e->touching, e->size);
    setSurfaces(e, &wall);
    e->told = e->start;
    for (int i = 1; i <= ramp; ++i) plExperiment_TickAt(e, e->start * (ramp - i) / ramp);
    const bool steady = settle(e);
    plWorld_Save(e->world, e->pressed);
    return steady;
}

void plExperiment_Restore(plExperiment* e)
{
    plWorld_Restore(e->world, e->pressed, e->size);
    e->told = 0;
}

double plExperiment_Amplitude(const plExperiment* e)
{
    const double K = fabs(e->force) / e->depth;
    plSurface now;
    double B = 0;
    for (int i = 0; i < e->materials * e->materials; ++i) {
        if (!e->changes[i]) continue;
        plWorld_Pair(e->world, materialAt(i / e->materials), materialAt(i % e->materials), &now);
        B = fmax(B, now.damping * e->share);
    }
    return e->depth * fmin(0.25, K > 0 ? 0.25 * K / (K + 2 * B / e->loop.T) : 0.25);
}
