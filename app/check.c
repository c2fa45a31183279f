// palp check: reads a scene, makes its world, says what is in it.
#include "app.h"

#include "base/base.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

static const char* textOf(const json_t* object, const char* key, const char* fallback)
{
    const char* text = json_string_value(json_object_get(object, key));
    return text ? text : fallback;
}

static void printMechanisms(const plWorld* world, const json_t* root)
{
    const json_t* mechanisms = json_object_get(root, "mechanisms");
    const char* usual = textOf(root, "integrator", plIntegrator_Name(pl_integratorMidpoint));
    for (int i = 0; i < plWorld_MechanismCount(world); ++i) {
        const plMechanismId id = plWorld_Mechanism(world, i);
        const json_t* mechanism = json_array_get(mechanisms, (size_t)i);
        const int velocities = plWorld_VelocityCount(world, id);
        printf("  %-16s %-8s  %3d velocit%s  %s\n", plWorld_MechanismName(world, id),
               textOf(mechanism, "type", "?"), velocities, velocities == 1 ? "y  " : "ies",
               textOf(mechanism, "integrator", usual));
    }
}

static void printLinks(const plWorld* world, const json_t* root)
{
    const json_t* links = json_object_get(root, "links");
    for (int i = 0; i < plWorld_LinkCount(world); ++i) {
        const json_t* link = json_array_get(links, (size_t)i);
        printf("  %-16s link      %s\n", plWorld_LinkName(world, plWorld_Link(world, i)),
               textOf(link, "form", plLinkForm_Name(pl_linkPassive)));
    }
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
    const json_t* mechanisms = json_object_get(root, "mechanisms");
    const json_t* links = json_object_get(root, "links");
    const char* midpoint = plIntegrator_Name(pl_integratorMidpoint);
    const char* passive = plLinkForm_Name(pl_linkPassive);
    const char* usual = textOf(root, "integrator", midpoint);
    int count = 0;
    if (json_is_false(json_object_get(root, "guard"))) return;
    for (int i = 0; i < plWorld_MechanismCount(world); ++i) {
        const char* own = textOf(json_array_get(mechanisms, (size_t)i), "integrator", usual);
        if (strcmp(own, midpoint) != 0)
            printUnwatched(plWorld_MechanismName(world, plWorld_Mechanism(world, i)), count++);
    }
    for (int i = 0; i < plWorld_LinkCount(world); ++i) {
        const char* form = textOf(json_array_get(links, (size_t)i), "form", passive);
        if (strcmp(form, passive) != 0)
            printUnwatched(plWorld_LinkName(world, plWorld_Link(world, i)), count++);
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
        printMechanisms(opened.world, root);
        printLinks(opened.world, root);
        printGuard(opened.world, root);
        printf("  memory: %.1f kB used of %.1f kB\nok\n", 1e-3 * (double)memory.used,
               1e-3 * (double)memory.capacity);
        json_decref(root);
        plNoteLaw(a, &opened);
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
