// palp passivity: the walls that a scene's device can render, passively and stably.
#include "passivity.h"

#include "app.h"
#include "base/base.h"
#include "coupling/coupling.h"
#include "sweep_pool.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double defaultDepth = 1e-3;
enum { defaultGrid = 16, largestGrid = 200, mostThreads = 1024 };

// ------------------------------------------------------------------------------------ options

/// A number of an option that is >= least (> least if `above`). False: complained.
static bool readNumber(const plArguments* a, const char* option, const char* unit, double least,
                       bool above, double* value)
{
    const char* text = plArguments_Value(a, option);
    char* end;
    if (!text) return true;
    const double x = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(x) && (above ? x > least : x >= least)) {
        *value = x;
        return true;
    }
    plComplain(pl_exitInput, "%s takes a number %s %g [%s], found \"%s\"", option,
               above ? ">" : ">=", least, unit, text);
    return false;
}

static bool readCount(const plArguments* a, const char* option, int least, int most, int* value)
{
    const char* text = plArguments_Value(a, option);
    char* end;
    if (!text) return true;
    const long x = strtol(text, &end, 10);
    if (end != text && *end == '\0' && x >= least && x <= most) {
        *value = (int)x;
        return true;
    }
    plComplain(pl_exitInput, "%s takes a whole number, %d to %d, found \"%s\"", option, least, most,
               text);
    return false;
}

static bool readRange(const plArguments* a, const char* option, const char* unit, double* low,
                      double* high)
{
    const char* text = plArguments_Value(a, option);
    char *colon, *end;
    if (!text) return true;
    const double x = strtod(text, &colon);
    if (colon != text && *colon == ':') {
        const double y = strtod(colon + 1, &end);
        if (end != colon + 1 && *end == '\0' && x >= 0 && y > x && isfinite(y)) {
            *low = x;
            *high = y;
            return true;
        }
    }
    plComplain(pl_exitInput, "%s takes two numbers LOW:HIGH, 0 <= LOW < HIGH [%s], found \"%s\"",
               option, unit, text);
    return false;
}

static bool readVelocity(const plArguments* a, bool* exact)
{
    const char* text = plArguments_Value(a, "--velocity");
    *exact = text && strcmp(text, "exact") == 0;
    if (!text || *exact || strcmp(text, "difference") == 0) return true;
    plComplain(pl_exitInput, "--velocity takes one of difference, exact, found \"%s\"", text);
    return false;
}

/// What was given of the device in place of the scene's.
static bool readLoop(const plArguments* a, plLoop* l)
{
    double rate = 1 / l->T;
    const bool good = readNumber(a, "--rate", "Hz", 0, true, &rate) &&
                      readNumber(a, "--mass", "kg", 0, true, &l->mass) &&
                      readNumber(a, "--damping", "N s/m", 0, false, &l->damping) &&
                      readNumber(a, "--friction", "N", 0, false, &l->friction) &&
                      readNumber(a, "--encoder", "m", 0, false, &l->encoder) &&
                      readCount(a, "--delay", 0, plDeviceDelay, &l->delay) &&
                      readVelocity(a, &l->exact);
    l->T = 1 / rate;
    return good;
}

// ---------------------------------------------------------------------------------------- run

static char* lawOf(const plScene* scene)
{
    json_t* root = json_loads(plScene_Text(scene), 0, NULL);
    const char* law = json_string_value(json_object_get(root, "law"));
    const char* name = law ? law : plLawName_Name(pl_lawCone);
    char* copy = malloc(strlen(name) + 1);
    if (copy) memcpy(copy, name, strlen(name) + 1);
    json_decref(root);
    return copy;
}

/// Pressed so far that the stiffest wall of the map stays within half of what the device may give.
static double allowedDepth(const plZWidth* z)
{
    const plExperiment* e = z->experiment;
    plDeviceDef device;
    plWorld_DeviceDef(e->world, e->device, &device);
    const plVec3 n = e->n, limit = device.forceLimit;
    const double most =
        fmin(limit.x / fmax(fabs(n.x), 1e-9),
             fmin(limit.y / fmax(fabs(n.y), 1e-9), limit.z / fmax(fabs(n.z), 1e-9)));
    return 0.5 * most / (1.5 * z->highK * e->share);
}

/// Where the stiffness of walls plays no part the map is the same all over.
static void noteWalls(const plExperiment* e, const char* law)
{
    if (!plExperiment_HasWalls(law))
        fprintf(stderr, "palp: note: under the law %s walls are rigid: the map is of one piece\n",
                law);
    else if (plCoupling_Ops(e->coupling.kind)->traits.stops)
        fprintf(stderr,
                "palp: note: a unilateral coupling enters no wall that stands still: the map "
                "is of one piece\n");
}

static bool prepare(const plArguments* a, const plOpened* opened, plExperiment* e, plZWidth* z)
{
    char* law = lawOf(opened->scene);
    if (!law) {
        plComplain(pl_exitInput, "no memory");
        return false;
    }
    plExperimentDef def = {.device = plArguments_Value(a, "--device"),
                           .material = plArguments_Value(a, "--material"),
                           .law = law,
                           .depth = defaultDepth,
                           .T = plScene_Step(opened->scene),
                           .time = plScene_Time(opened->scene)};
    plLoop checked = {.T = 1};
    *z = (plZWidth){.experiment = e, .grid = defaultGrid, .workers = plPool_Cores()};
    *e = (plExperiment){0};
    // what is wrong with the command line is said before anything is run
    bool good = readNumber(a, "--depth", "m", 0, true, &def.depth) && readLoop(a, &checked) &&
                readCount(a, "--grid", 2, largestGrid, &z->grid) &&
                readCount(a, "--threads", 1, mostThreads, &z->workers) &&
                readRange(a, "--stiffness", "N/m", &z->lowK, &z->highK) &&
                readRange(a, "--wall-damping", "N s/m", &z->lowB, &z->highB);
    if (good && !plExperiment_Open(e, opened->world, &def)) {
        plComplain(pl_exitInput, "%s: %s", a->operands[0], e->message);
        good = false;
    }
    if (good) noteWalls(e, law);
    free(law);
    if (!good || !readLoop(a, &e->loop)) return false;
    if (!isfinite(e->loop.mass)) {
        plComplain(pl_exitInput, "the device is locked along the force that it feels: give --mass");
        return false;
    }
    plZWidth_Ranges(z);
    readRange(a, "--stiffness", "N/m", &z->lowK, &z->highK);
    readRange(a, "--wall-damping", "N s/m", &z->lowB, &z->highB);
    return true;
}

/// The depth of the command line stands; another is lowered to what the device can give.
static bool checkDepth(const plArguments* a, plZWidth* z)
{
    const double allowed = allowedDepth(z);
    if (z->experiment->depth <= allowed) return true;
    if (plArguments_Has(a, "--depth")) {
        plComplain(
            pl_exitInput,
            "--depth: at %g m the stiffest wall is more than half of the device's force limit; "
            "press by %.2g m at most, or lower --stiffness",
            z->experiment->depth, allowed);
        return false;
    }
    plExperiment_SetDepth(z->experiment, allowed);
    return true;
}

static void progress(void* self, double share) { plProgress_Share(self, share); }

static int passivity(const plArguments* a)
{
    const char* out = plArguments_Value(a, "--output");
    const char* folder = out ? out : plArguments_Value(a, "-o");
    plOpened opened;
    plExperiment e;
    plZWidth z;
    int code = plOpen(a, a->operands[0], &opened);
    if (code != pl_exitOk) {
        plClose(&opened);
        return code;
    }
    code = pl_exitInput;
    if (prepare(a, &opened, &e, &z) && checkDepth(a, &z)) {
        plProgress bar = plProgress_Start(1);
        const plZProgress call = {plArguments_Has(a, "--progress") ? progress : NULL, &bar};
        const bool made = plZWidth_Make(&z, call);
        plProgress_End(&bar);
        if (made) {
            plPassivity_Tell(&z, plScene_Title(opened.scene), stdout);
            code = plPassivity_Write(&z, plScene_Title(opened.scene),
                                     folder ? folder : "out/passivity");
        } else {
            plComplain(pl_exitInput, "no memory, or no process can be started");
        }
    }
    plZWidth_Free(&z);
    plExperiment_Close(&e);
    plClose(&opened);
    return code;
}

static const plOption options[] = {
    {"--rate", "HZ", "of the loop (default: by the scene's step)"},
    {"--mass", "KG", "of the device along the force (as all of these: default from the scene)"},
    {"--damping", "B", "of the device [N s/m]"},
    {"--friction", "F", "dry, of the device [N]"},
    {"--encoder", "D", "step of the encoder [m]; 0: exact"},
    {"--delay", "N", "of the force, 0 to 16 [ticks]"},
    {"--velocity", "NAME", "difference (default) or exact: what the stable device tells"},
    {"--stiffness", "LO:HI", "range of the wall's stiffness [N/m]"},
    {"--wall-damping", "LO:HI", "range of the wall's damping [N s/m]"},
    {"--grid", "N", "points along each axis of the map, 2 to 200 (default 16)"},
    {"--depth", "M", "how far to press [m] (default 1e-3, less where forces are limited)"},
    {"--device", "NAME", "of the scene (default: the first that is coupled)"},
    {"--material", "NAME", "whose walls change (default: all)"},
    {"--set", "PATH=VALUE", "put a value in place of the scene's; may be repeated"},
    {"--threads", "N", "walls to measure at a time (default: the cores)"},
    {"--output", "DIR", "where to write (default out/passivity)"},
    {"-o", "DIR", "the same"},
    {"--progress", NULL, "tell on standard error how far it is, and how long it will take"},
};

const plVerb plPassivityVerb = {
    .name = "passivity",
    .operands = "SCENE",
    .summary = "map the walls that a device can render, passively and stably",
    .details =
        "The scene's hand moves the device until it touches something; then an experimenter\n"
        "presses it there, moves it to and fro, and lets it go, on walls of many stiffnesses\n"
        "and dampings. Writes passivity.csv, passivity.json and passivity.svg (gnuplot).\n",
    .fewest = 1,
    .most = 1,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = passivity,
};
