// palp serve: scenes to be seen and touched in a browser.
#define _POSIX_C_SOURCE 200809L

#include "app.h"

#include "base/base.h"
#include "devices.h"
#include "scene/scene.h"
#include "serve/serve.h"
#include "token.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PALP_SOURCE_VIEW
#define PALP_SOURCE_VIEW ""
#endif
#ifndef PALP_DATA_DIR
#define PALP_DATA_DIR ""
#endif

static plServer* server;

static void interrupt(int number)
{
    (void)number;
    plServer_Stop(server);
}

/// Once: a second interrupt ends the process at once.
static void listenTo(int number)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

// ----------------------------------------------------------------------------------- scenes

typedef struct {
    int count;
    plServedScene* scenes;
} Served;

static void addScene(Served* s, const char* name, const char* file)
{
    plServedScene* scene = &s->scenes[s->count++];
    snprintf(scene->name, sizeof scene->name, "%s", name);
    snprintf(scene->file, sizeof scene->file, "%s", file);
}

/// The name of a path without folders and ending.
static void nameOfPath(const char* path, char* name, size_t size)
{
    const char* slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char* end = strrchr(name, '.');
    if (end && strcmp(end, ".json") == 0) *end = '\0';
    for (char* at = name; *at; ++at)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *at))
            *at = '-';
}

static bool isOfGallery(const plGallery* g, const char* name)
{
    for (int i = 0; i < g->count; ++i)
        if (strcmp(g->names[i], name) == 0) return true;
    return false;
}

/// The scene of the command line comes first, and wins over one of the gallery with its name.
static int listScenes(Served* s, const char* asked, char* first, size_t size)
{
    char file[plPathLength], message[256];
    plGallery gallery;
    first[0] = '\0';
    if (!plGallery_List(&gallery) ||
        !(s->scenes = calloc((size_t)gallery.count + 1, sizeof *s->scenes))) {
        plGallery_Free(&gallery);
        return plComplain(pl_exitInput, "no memory");
    }
    if (asked && !plGallery_Find(asked, file, sizeof file, message, sizeof message)) {
        plGallery_Free(&gallery);
        return plComplain(pl_exitInput, "%s", message);
    }
    if (asked) {
        nameOfPath(asked, first, size);
        if (!isOfGallery(&gallery, asked)) addScene(s, first, file);
    }
    for (int i = 0; i < gallery.count; ++i) {
        const char* name = gallery.names[i];
        if (s->count > 0 && strcmp(s->scenes[0].name, name) == 0) continue;
        if (plGallery_Find(name, file, sizeof file, message, sizeof message))
            addScene(s, name, file);
    }
    plGallery_Free(&gallery);
    return pl_exitOk;
}

/// Tells early, on the command line, what is wrong with a scene.
static int tryScene(const plArguments* a, const char* asked, plOverrun overrun)
{
    plOpened opened;
    int code = asked ? plOpen(a, asked, &opened) : pl_exitOk;
    const char* wrong =
        asked && code == pl_exitOk ? plOverrun_Complaint(overrun, opened.world) : NULL;
    if (wrong) code = plComplain(pl_exitInput, "%s: %s", asked, wrong);
    if (asked) plClose(&opened);
    return code;
}

// ---------------------------------------------------------------------------------- options

static int takeNumber(const plArguments* a, const char* option, double low, double high,
                      double* out)
{
    const char* text = plArguments_Value(a, option);
    char* end;
    if (!text) return pl_exitOk;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && *out >= low && *out <= high) return pl_exitOk;
    return plComplain(pl_exitInput, "%s takes a number from %g to %g, found \"%s\"", option, low,
                      high, text);
}

static const char* findView(const char* given)
{
    static const char* const folders[] = {PALP_SOURCE_VIEW,
                                          sizeof PALP_DATA_DIR > 1 ? PALP_DATA_DIR "/view" : ""};
    if (given) return given;
    for (int i = 0; i < PL_COUNT(folders); ++i) {
        char index[plPathLength];
        snprintf(index, sizeof index, "%s/index.html", folders[i]);
        if (folders[i][0] && access(index, R_OK) == 0) return folders[i];
    }
    return NULL;
}

/// Who may come in, and how they are spoken with.
static int readDoor(const plArguments* a, plServerDef* def, plToken* token)
{
    double connections = def->connections;
    if (plArguments_Value(a, "--host")) def->address = plArguments_Value(a, "--host");
    const bool local = plHost_IsLoopback(def->address);
    int code = takeNumber(a, "--connections", 1, 1000, &connections);
    if (code == pl_exitOk && connections != floor(connections))
        code = plComplain(pl_exitInput, "--connections takes an integer");
    if (code == pl_exitOk) code = plToken_Take(token, plArguments_Value(a, "--token-file"), !local);
    def->connections = (int)connections;
    def->token = token->text[0] ? token->text : NULL;
    def->certificate = plArguments_Value(a, "--certificate");
    def->key = plArguments_Value(a, "--key");
    if (code == pl_exitOk && !local && !def->certificate)
        fprintf(stderr,
                "palp: note: whoever carries the bytes can read the token; --certificate and --key "
                "encrypt them\n");
    return code;
}

static int readOptions(const plArguments* a, plServerDef* def, plToken* token)
{
    double port = def->port, rate = 0, deviceRate = 0;
    int code = takeNumber(a, "--port", 0, 65535, &port);
    if (code == pl_exitOk) code = takeNumber(a, "--rate", 10, 10000, &rate);
    if (code == pl_exitOk) code = takeNumber(a, "--device-rate", 10, plDeviceRate, &deviceRate);
    if (code != pl_exitOk) return code;
    if (deviceRate > 0 && !plArguments_Has(a, "--device")) {
        return plComplain(pl_exitInput, "--device-rate needs a --device");
    }
    if (port != floor(port)) return plComplain(pl_exitInput, "--port takes an integer");
    const char* overrun = plArguments_Value(a, "--overrun");
    const int policy = overrun ? plName_Find(overrun, pl_overrunCount, plOverrun_Name) : 0;
    if (policy < 0) return plComplain(pl_exitInput, "--overrun is skip or stretch");
    def->overrun = (plOverrun)policy;
    def->port = (int)port;
    def->rate = rate;
    def->deviceRate = deviceRate;
    def->view = findView(plArguments_Value(a, "--view"));
    return readDoor(a, def, token);
}

// -------------------------------------------------------------------------------- the verb

static int serveAll(const plServerDef* def, const plToken* token, const char* first,
                    int servicePort)
{
    char message[512];
    if (plServer_Create(def, &server, message, sizeof message) != pl_statusOk)
        return plComplain(pl_exitInput, "%s", message);
    listenTo(SIGINT);
    listenTo(SIGTERM);
    if (!def->view)
        fprintf(stderr, "palp: note: the viewer's files are missing; --view names their folder\n");
    const bool sixth = strchr(def->address, ':');
    printf("palp is at http%s://%s%s%s:%d/%s%s%s (Ctrl-C ends it)\n", def->certificate ? "s" : "",
           sixth ? "[" : "", def->address, sixth ? "]" : "", plServer_Port(server),
           def->token ? "?token=TOKEN" : "", first[0] ? "#" : "", first);
    if (token->text[0])
        printf("the TOKEN is in %s\n",
               token->file[0] ? token->file : "the environment, PALP_TOKEN");
    fflush(stdout);
    if (servicePort >= 0) {
        printf("the Inverse Service is at ws://127.0.0.1:%d\n", servicePort);
        fflush(stdout);
    }
    plServer_Run(server);
    plServer_Destroy(server);
    server = NULL;
    return pl_exitOk;
}

static int serve(const plArguments* a)
{
    const char* asked = a->operandCount > 0 ? a->operands[0] : NULL;
    plServerDef def = plDefaultServerDef();
    Served served = {0};
    plDevices* devices = NULL;
    plToken token;
    char first[64];
    int code = readOptions(a, &def, &token);
    if (code == pl_exitOk) code = tryScene(a, asked, def.overrun);
    if (code == pl_exitOk) code = listScenes(&served, asked, first, sizeof first);
    def.sceneCount = served.count;
    def.scenes = served.scenes;
    if (code == pl_exitOk) code = plDevices_Open(a, &devices);
    def.drivers = plDevices_Drivers(devices, first);
    if (code == pl_exitOk)
        code = serveAll(&def, &token, first, devices ? plDevices_ServicePort(devices) : -1);
    plDevices_Close(devices);
    free(served.scenes);
    return code;
}

static const plOption options[] = {
    {"--port", "N", "where to listen; default 8080, 0: any that is free"},
    {"--rate", "HZ", "ticks in a second, 10 .. 10000; default: as each scene says"},
    {"--device-rate", "HZ", "writes in a second to real devices; default: as the scene ticks"},
    {"--overrun", "NAME", "when a tick takes too long: skip (default), or stretch the next steps"},
    {"--host", "ADDRESS", "where others reach it, 0.0.0.0: everywhere; who asks needs a token"},
    {"--token-file", "FILE", "has the token, or gets a new one; PALP_TOKEN wins"},
    {"--certificate", "FILE", "speak TLS: the certificate, PEM; needs --key"},
    {"--key", "FILE", "its key, PEM"},
    {"--connections", "N", "most of one address at once, 1 .. 1000; default 32"},
    {"--view", "DIR", "folder of the viewer's files"},
    {"--device", "DEVICE", "a real device for the SCENE: inverse3, 2diy, force-dimension, touch"},
    {"--inverse-service", "[PORT]", "be an Inverse3 to its clients; default port 10001"},
};

const plVerb plServeVerb = {
    .name = "serve",
    .operands = "[SCENE]",
    .summary = "touch scenes in a browser; without a SCENE the gallery opens",
    .details = "Prints one address. doc/protocol.md says what other programs can ask there.\n"
               "A DEVICE is [NAME=]KIND[:ADDRESS][,KEY=VALUE]..., once for each: doc/devices.md.\n",
    .most = 1,
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = serve,
};
