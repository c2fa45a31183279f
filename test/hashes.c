// Prints the state and the outputs of every gallery scene, tick by tick, as hashes. A change that leaves
// arithmetic alone leaves every line as it is: `./dev hashes` records the lines and compares them.
//   usage: hashes [TICKS [SCENE]]
// A line: scene, variant, tick, hash of the state, hash of all channels; the last line of a run has the
// identity of the world, which a snapshot begins with, in place of the channels. Variants: the scene
// as it is, integrators and laws set after creation, and a run that applies wrenches and restores snapshots.
// A run ends early after as many contacts as `plenty`, so that large scenes take no longer than others.
#define _POSIX_C_SOURCE 200809L

#include "app.h"

#include "base/base.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { plenty = 1500, everyWhich = 5 };

typedef enum { asItIs, shaken, byIntegrator, byLaw = byIntegrator + pl_integratorCount } Variant;
enum { variantCount = byLaw + pl_lawCount };

static void quit(const char* name, const char* why)
{
    fprintf(stderr, "%s: %s\n", name, why);
    exit(1);
}

static void nameOf(int variant, char* text, size_t size)
{
    if (variant == asItIs) {
        snprintf(text, size, "scene");
    } else if (variant == shaken) {
        snprintf(text, size, "shaken");
    } else if (variant < byLaw) {
        snprintf(text, size, "%s", plIntegrator_Name(variant - byIntegrator));
    } else {
        snprintf(text, size, "%s", plLawName_Name(variant - byLaw));
    }
}

/// False: nothing takes it, and the run would be that of the scene.
static bool prepare(plWorld* world, int variant)
{
    bool taken = variant < byIntegrator;
    if (variant >= byLaw) return plWorld_SetLaw(world, (plLawName)(variant - byLaw)) == pl_statusOk;
    for (int i = 0; variant >= byIntegrator && i < plWorld_MechanismCount(world); ++i) {
        const plIntegrator integrator = (plIntegrator)(variant - byIntegrator);
        taken |=
            plWorld_SetIntegrator(world, plWorld_Mechanism(world, i), integrator) == pl_statusOk;
    }
    return taken;
}

/// A wrench on a part of each mechanism, and every tenth tick a step that is taken back.
static void shake(plWorld* world, int tick, double T, void* snapshot)
{
    for (int i = 0; i < plWorld_MechanismCount(world); ++i) {
        const plMechanismId id = plWorld_Mechanism(world, i);
        const plSite site = {.mechanism = id,
                             .part = tick % plWorld_PartCount(world, id),
                             .point = {0.01, 0.002, -0.003}};
        plWorld_ApplyWrench(world, site, (plWrench){{0.1, -0.2, 0.05}, {1e-3, 2e-3, -1e-3}});
        if (plWorld_VelocityCount(world, id) > 0) plWorld_ApplyEffort(world, id, 0, 0.01);
    }
    if (tick % 10 != 9) return;
    plWorld_Save(world, snapshot);
    plWorld_Step(world, T);
    if (plWorld_Restore(world, snapshot, plWorld_SnapshotSize(world)) != pl_statusOk) {
        quit("shaken", plWorld_Error(world));
    }
}

static uint64_t hashOutputs(const plWorld* world, const plChannelList* list)
{
    uint64_t hash = plHash_Start();
    for (int i = 0; i < list->count; ++i) {
        const double value = plWorld_ReadChannel(world, list->channels[i]);
        hash = plHash_Add(hash, &value, sizeof value);
    }
    const int trouble = plWorld_Report(world).trouble;
    return plHash_Add(hash, &trouble, sizeof trouble);
}

static void run(const plOpened* opened, const char* name, const char* variant, int ticks)
{
    plWorld* world = opened->world;
    plChannelList channels = {0};
    plStepper stepper = plScene_Stepper(opened->scene);
    const size_t size = plWorld_SnapshotSize(world);
    void* snapshot = malloc(size);
    long contacts = 0;
    int tick = 0;
    if (!snapshot || plChannelList_Make(&channels, opened, "all") != pl_exitOk)
        quit(name, "no memory");
    for (; tick < ticks && contacts < plenty; ++tick) {
        const double T = plStepper_Next(&stepper);
        if (strcmp(variant, "shaken") == 0) shake(world, tick, T, snapshot);
        plWorld_Step(world, T);
        contacts += plWorld_ContactCount(world);
        printf("%s %s %d %016llx %016llx\n", name, variant, tick,
               (unsigned long long)plWorld_Hash(world),
               (unsigned long long)hashOutputs(world, &channels));
    }
    plWorld_Save(world, snapshot);
    uint64_t identity; // behind the magic number
    memcpy(&identity, (char*)snapshot + sizeof identity, sizeof identity);
    printf("%s %s end %016llx %016llx\n", name, variant, (unsigned long long)plWorld_Hash(world),
           (unsigned long long)identity);
    fflush(stdout);
    free(snapshot);
    plChannelList_Free(&channels);
}

static void runVariants(const char* name, int ticks)
{
    char path[1024], variant[32];
    plOpened opened;
    plSceneError error;
    snprintf(path, sizeof path, "%s/%s", PALP_SOURCE_SCENES, name);
    if (plScene_Load(path, NULL, 0, &opened.scene, &error) != pl_statusOk)
        quit(name, error.message);
    for (int i = 0; i < variantCount; ++i) {
        if (plScene_CreateWorld(opened.scene, &opened.world, &error) != pl_statusOk) {
            quit(name, error.message);
        }
        nameOf(i, variant, sizeof variant);
        if (prepare(opened.world, i)) {
            run(&opened, name, variant, i == asItIs ? ticks : ticks / everyWhich);
        }
        plWorld_Destroy(opened.world);
    }
    plScene_Destroy(opened.scene);
}

static int isScene(const struct dirent* entry)
{
    const char* dot = strchr(entry->d_name, '.');
    return dot && strcmp(dot, ".json") == 0;
}

int main(int count, char** arguments)
{
    const int ticks = count > 1 ? atoi(arguments[1]) : 200;
    struct dirent** entries;
    const int found = scandir(PALP_SOURCE_SCENES, &entries, isScene, alphasort);
    for (int i = 0; i < found; ++i) {
        const char* name = entries[i]->d_name;
        if (count < 3 || strcmp(name, arguments[2]) == 0) runVariants(name, ticks);
        free(entries[i]);
    }
    if (found >= 0) free(entries);
    return 0;
}
