// palp check: reads a scene, makes its world, says what is in it.
#include "app.h"

#include "base/base.h"

#include <jansson.h>

#include <stdio.h>

/// What was found when it was loaded, and whether a corotational one settles within the step: it would
/// yield to every push as if it had all the time to.
static void printSoft(const plWorld* world, plMechanismId id, double T)
{
    plSoftInfo info;
    if (plWorld_SoftInfo(world, id, T, &info) != pl_statusOk) return;
    printf("    %s: %d nodes, %d tetrahedra, %d faces, %d nodes can be touched; %.6g kg\n",
           plSoftModel_Name((int)info.model), info.nodes, info.tets, info.faces, info.candidates,
           info.rigid.mass);
    if (info.omega > 0)
        printf("    its slowest deformation has %.6g rad/s, times the step %.3g\n", info.omega,
               info.omegaT);
    else
        puts("    its slowest deformation was not found");
    if (info.omega > 0 && info.model == pl_softCorotational && !info.settles)
        puts("    too soft for this step: its deformation would be too compliant; use model "
             "dynamic, a longer step or a stiffer material");
}

static void printMechanisms(const plWorld* world, double T)
{
    enum { most = 24 };
    const int count = plWorld_MechanismCount(world);
    for (int i = 0; i < count && i < most; ++i) {
        const plMechanismId id = plWorld_Mechanism(world, i);
        const int velocities = plWorld_VelocityCount(world, id);
        printf("  %-16s %-10s%3d velocit%s  %s\n", plWorld_MechanismName(world, id),
               plWorld_MechanismType(world, id), velocities, velocities == 1 ? "y  " : "ies",
               plIntegrator_Name((int)plWorld_MechanismIntegrator(world, id)));
        printSoft(world, id, T);
    }
    if (count > most) printf("  ... and %d more\n", count - most);
}

static void printLinks(const plWorld* world)
{
    for (int i = 0; i < plWorld_LinkCount(world); ++i) {
        const plLinkId id = plWorld_Link(world, i);
        printf("  %-16s link      %s\n", plWorld_LinkName(world, id),
               plLinkForm_Name((int)plWorld_LinkKind(world, id)));
    }
}

static const char* textOf(const json_t* object, const char* key, const char* otherwise)
{
    const char* text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

static void printDevices(const json_t* root)
{
    const json_t *devices = json_object_get(root, "devices"),
                 *couplings = json_object_get(root, "couplings");
    for (size_t i = 0; i < json_array_size(devices); ++i) {
        printf("  %-16s device    simulated\n", textOf(json_array_get(devices, i), "name", ""));
    }
    for (size_t i = 0; i < json_array_size(couplings); ++i) {
        const json_t* c = json_array_get(couplings, i);
        printf("  %-16s coupling  %s, %s to %s\n", textOf(c, "name", ""),
               textOf(c, "type", plCouplingKind_Name(pl_couplingFourChannel)),
               textOf(c, "device", ""), textOf(c, "mechanism", "its fingers"));
    }
}

static void printContacts(const plWorld* world, const json_t* root)
{
    const char* law = json_string_value(json_object_get(root, "law"));
    if (plWorld_ShapeCount(world) == 0) return;
    printf("  %d shapes, contacts by %s%s\n", plWorld_ShapeCount(world),
           law ? law : plLawName_Name(pl_lawCone),
           json_is_true(json_object_get(root, "planar")) ? ", in the plane" : "");
}

/// Names after the first `most` are counted only.
static void printUnwatched(const char* name, int count)
{
    enum { most = 8 };
    if (count == 0) printf("  guard is on, but cannot act on the groups of");
    if (count < most) printf("%s %s", count > 0 ? "," : "", name);
    if (count == most) printf(", ...");
}

/// The guard watches groups whose mechanisms are all midpoint and whose links are all passive.
static void printGuard(const plWorld* world, const json_t* root)
{
    int count = 0;
    if (json_is_false(json_object_get(root, "guard"))) return;
    for (int i = 0; i < plWorld_MechanismCount(world); ++i) {
        const plMechanismId id = plWorld_Mechanism(world, i);
        if (plWorld_MechanismIntegrator(world, id) != pl_integratorMidpoint)
            printUnwatched(plWorld_MechanismName(world, id), count++);
    }
    for (int i = 0; i < plWorld_LinkCount(world); ++i) {
        const plLinkId id = plWorld_Link(world, i);
        if (plWorld_LinkKind(world, id) != pl_linkPassive)
            printUnwatched(plWorld_LinkName(world, id), count++);
    }
    if (count > 0) puts(" (not midpoint, or implicit)");
}

static void printSteps(const plScene* scene)
{
    const plStepper stepper = plScene_Stepper(scene);
    printf("  %g s in steps of %g s", plScene_Time(scene), stepper.min);
    if (stepper.min < stepper.max) printf(" to %g s, at random", stepper.max);
    putchar('\n');
}

static int check(const plArguments* a)
{
    plOpened opened;
    const int code = plOpen(a, a->operands[0], &opened);
    if (code == pl_exitOk) {
        const plMemory memory = plWorld_Memory(opened.world);
        json_t* root = json_loads(plScene_Text(opened.scene), 0, NULL);
        printf("%s\n", plScene_Title(opened.scene));
        if (plScene_Description(opened.scene)[0]) printf("%s\n", plScene_Description(opened.scene));
        printSteps(opened.scene);
        printMechanisms(opened.world, plScene_Stepper(opened.scene).min);
        printLinks(opened.world);
        printDevices(root);
        printContacts(opened.world, root);
        printGuard(opened.world, root);
        printf("  memory: %.1f kB used of %.1f kB\nok\n", 1e-3 * (double)memory.used,
               1e-3 * (double)memory.capacity);
        json_decref(root);
        plNoteLaw(a, &opened);
        plAdvise(opened.world);
    }
    plClose(&opened);
    return code;
}

static const plOption options[] = {
    {"--set", "PATH=VALUE", "put a value in place of the scene's; may be repeated"},
};

const plVerb plCheckVerb = {
    .name = "check",
    .operands = "SCENE",
    .summary = "say what is in a scene, or what is wrong with it",
    .fewest = 1,
    .most = 1,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = check,
};
