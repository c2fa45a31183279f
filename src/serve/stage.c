// An open scene.
#define _POSIX_C_SOURCE 200809L

#include "serve/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- opening and closing

enum { mostContacts = 1024, mostRows = 4096 };

static void listChannels(plStage* s, const plWorld* w)
{
    char name[128];
    int count = 0;
    while (plWorld_ChannelName(w, count, name, sizeof name) > 0) ++count;
    s->channels = calloc((size_t)count + 1, sizeof *s->channels);
    for (int i = 0; s->channels && i < count; ++i) {
        plWorld_ChannelName(w, i, name, sizeof name);
        plWorld_FindChannel(w, name, &s->channels[i]);
    }
    s->channelCount = s->channels ? count : 0;
}

static void describe(plStage* s, const plWorld* w, plOverrun overrun)
{
    json_t* o = plDescribe(s->scene, w);
    const int device = (int)s->pointer.device.index1 - 1;
    const int coupling = (int)s->pointer.coupling.index1 - 1;
    json_object_set_new(o, "touch", json_pack("{si si}", "device", device, "coupling", coupling));
    json_object_set_new(o, "step", json_real(s->step));
    json_object_set_new(o, "fixedStep", json_boolean(s->fixedStep > 0));
    json_object_set_new(o, "overrun", json_string(plOverrun_Name((int)overrun)));
    json_object_set_new(o, "driven", json_boolean(plStage_IsDriven(s)));
    s->world = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
}

static int partsOf(const plWorld* w)
{
    int sum = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        sum += plWorld_PartCount(w, plWorld_Mechanism(w, i));
    }
    return sum;
}

static bool reserve(plStage* s, const plWorld* w)
{
    const plPicture most = {.bodyCount = partsOf(w),
                            .contactCount = mostContacts,
                            .deviceCount = plWorld_DeviceCount(w)};
    const plPicture all = {.accounted = true,
                           .deviceCount = most.deviceCount,
                           .couplingCount = plWorld_CouplingCount(w),
                           .mechanismCount = plWorld_MechanismCount(w),
                           .linkCount = plWorld_LinkCount(w)};
    s->picture = malloc(s->before + plPicture_EncodedSize(&most));
    s->accounts = malloc(s->before + plAccounts_EncodedSize(&all));
    s->look = malloc(s->before + plLookBytes);
    if (!plSurfaces_List(w, &s->surfaces)) return false;
    s->surface = malloc(s->before + plSurfaces_EncodedSize(&s->surfaces));
    s->surfaceNext = malloc(s->before + plSurfaces_EncodedSize(&s->surfaces));
    if (!s->surface || !s->surfaceNext) return false;
    s->rows = malloc(sizeof(double) * plStageRows * plStageRowSize);
    return s->picture && s->accounts && s->look && s->rows && s->world && s->channels;
}

static plStatus start(plStage* s, plWorld* w, const plServerDef* served)
{
    plRuntimeDef def = plDefaultRuntimeDef();
    def.world = w;
    def.step = s->step;
    def.privileges = served->privileges && plStage_IsDriven(s);
    def.overrun = served->overrun;
    def.deviceRate = served->deviceRate;
    def.contacts = mostContacts;
    def.channelRoom = plStageSlots;
    def.rows = mostRows;
    def.commands = 1024;
    return plRuntime_Create(&def, &s->runtime);
}

// A tick of another step would do nothing where soft bodies are dynamic.
static bool isStep(const plStage* s, double T)
{
    return s->fixedStep == 0 || fabs(T - s->fixedStep) <= 1e-9 * s->fixedStep;
}

// The touchable world has what its scene has not: so it is asked.
static plStatus begin(plStage* s, plWorld* w, const plServerDef* served, plSceneError* error)
{
    const char* wrong = plOverrun_Complaint(served->overrun, w);
    s->fixedStep = plWorld_FixedStep(w);
    s->step = s->beginStep = 1 / (served->rate > 0 ? served->rate : plScene_Rate(s->scene));
    if (!wrong && !isStep(s, s->step)) wrong = "its soft bodies have one step: give no other rate";
    if (!wrong && s->fixedStep > 0 && served->overrun == pl_overrunStretch)
        wrong = "its soft bodies have one step, which cannot be stretched";
    snprintf(error->message, sizeof error->message, "%s",
             wrong ? wrong : "no memory, or a bad rate");
    if (wrong) return pl_statusBadArgument;
    s->ghost = plGhost_Of(w);
    if (s->drivers.scene) s->ghost.device = -1; // a hand that is there needs no ghost
    listChannels(s, w);
    describe(s, w, served->overrun);
    return reserve(s, w) ? start(s, w, served) : pl_statusNoMemory;
}

static plStatus attach(plStage* s, plWorld* w, const plDrivers* drivers, plSceneError* error)
{
    if (!drivers->scene || strcmp(drivers->scene, s->name) != 0) return pl_statusOk;
    const char* wrong = drivers->attach(drivers->self, s->scene, w);
    if (!wrong) {
        s->drivers = *drivers;
        return pl_statusOk;
    }
    snprintf(error->message, sizeof error->message, "%s", wrong);
    return pl_statusBadArgument;
}

plStatus plStage_Open(plStage* s, const plServedScene* from, const plServerDef* served,
                      size_t before, char* message, size_t size)
{
    plSceneError error = {.message = "no memory"};
    plWorld* w = NULL;
    *s = (plStage){.before = before, .speed = 1};
    snprintf(s->name, sizeof s->name, "%s", from->name);
    snprintf(s->file, sizeof s->file, "%s", from->file);
    plStatus status = plScene_Load(from->file, NULL, 0, &s->scene, &error);
    if (status == pl_statusOk) status = plScene_CreateTouchable(s->scene, &w, &s->pointer, &error);
    if (status == pl_statusOk) {
        status = attach(s, w, &served->drivers, &error);
        if (status == pl_statusOk) status = begin(s, w, served, &error);
        if (status != pl_statusOk) plWorld_Destroy(w);
    }
    if (status == pl_statusOk) return status;
    snprintf(message, size, "%s", error.message);
    plStage_Close(s);
    return status;
}

void plStage_Close(plStage* s)
{
    plRuntime_Destroy(s->runtime);
    if (s->drivers.scene) s->drivers.detach(s->drivers.self);
    plScene_Destroy(s->scene);
    free(s->world);
    free(s->channels);
    free(s->picture);
    free(s->accounts);
    free(s->look);
    free(s->surface);
    free(s->surfaceNext);
    plSurfaces_Free(&s->surfaces);
    free(s->rows);
    free(s->commands);
    *s = (plStage){0};
}

// --- the session

static bool roomForOne(plStage* s)
{
    if (s->commandCount < s->commandRoom) return true;
    const int room = s->commandRoom > 0 ? 2 * s->commandRoom : 256;
    if (room > plMaxCommands) return false;
    void* more = realloc(s->commands, (size_t)room * sizeof *s->commands);
    if (!more) return false;
    s->commands = more;
    s->commandRoom = room;
    return true;
}

// A reset brings back the start: what came before it no longer matters, but for the step, and for an
// alarm that waits for the next tick.
static void beginAnew(plStage* s, uint64_t tick)
{
    const int last = s->commandCount - 1;
    const bool alarmed = last >= 0 && s->commands[last].tick == tick &&
                         s->commands[last].command.kind == pl_commandAlarm;
    s->commandCount = 0;
    s->mark.sequence = 0;
    s->beginStep = s->step;
    if (alarmed) s->commands[s->commandCount++] = (plApplied){0, {.kind = pl_commandAlarm}};
}

static void keep(plStage* s, const plApplied* a)
{
    ++s->fetched;
    if (a->command.kind == pl_commandReset) {
        beginAnew(s, a->tick);
        return;
    }
    if (a->command.kind == pl_commandStep) s->step = a->command.value;
    if (roomForOne(s)) {
        s->commands[s->commandCount++] = *a;
    } else {
        ++s->unrecorded;
    }
}

// Those before the picture and no others, so that its hash is theirs.
static void fetchCommands(plStage* s, uint64_t recorded)
{
    plApplied a;
    while (s->fetched < recorded && plRuntime_Applied(s->runtime, &a, 1) > 0) keep(s, &a);
}

static bool copySession(const plStage* s, plSessionOf* o)
{
    const plMark* m = &s->mark;
    const size_t size = (size_t)m->commandCount * sizeof *o->commands;
    *o = (plSessionOf){.scene = strdup(plScene_Text(s->scene)),
                       .file = strdup(s->file),
                       .step = s->beginStep,
                       .tick = m->tick,
                       .hash = m->hash,
                       .count = m->commandCount,
                       .commands = malloc(size + 1)};
    if (!o->scene || !o->file || !o->commands) return false;
    if (size > 0) memcpy(o->commands, s->commands, size);
    return true;
}

void plSessionOf_Free(plSessionOf* o)
{
    free(o->scene);
    free(o->file);
    free(o->commands);
    *o = (plSessionOf){0};
}

bool plStage_CopySession(const plStage* s, plSessionOf* o, char* message, size_t size)
{
    *o = (plSessionOf){0};
    if (s->mark.sequence == 0 || s->unrecorded > 0) {
        snprintf(message, size,
                 s->unrecorded == 0
                     ? "there is nothing yet"
                     : "commands were lost, and the session cannot be run again: reset "
                       "begins a new one");
        return false;
    }
    if (copySession(s, o)) return true;
    snprintf(message, size, "no memory");
    plSessionOf_Free(o);
    return false;
}

// --- what the loop has made

static void pumpLook(plStage* s)
{
    bool fresh;
    uint64_t tick;
    const plLook* look = plRuntime_Looked(s->runtime, &tick, &fresh);
    if (!look || !fresh) return;
    s->lookSize = plLook_Encode(look, tick, s->look + s->before);
    ++s->lookNumber;
}

static void pumpAccounts(plStage* s, const plPicture* p)
{
    if (!p->accounted) return;
    s->accountsSize = plAccounts_EncodedSize(p);
    plAccounts_Encode(p, s->accounts + s->before);
    ++s->accountsNumber;
}

// Only while something moves; large ones with every second picture.
static void pumpSurfaces(plStage* s, const plPicture* p)
{
    enum { large = 4096 };
    const size_t size = plSurfaces_EncodedSize(&s->surfaces);
    const bool pauses = s->surfaces.pointCount > large && p->sequence % 2 > 0 && !p->paused;
    if (s->surfaces.bodyCount == 0 || (pauses && s->surfaceNumber > 0)) return;
    unsigned char* next = s->surfaceNext;
    plSurfaces_Encode(&s->surfaces, p, next + s->before);
    if (s->surfaceNumber > 0 && memcmp(next + s->before, s->surface + s->before, size) == 0) return;
    s->surfaceNext = s->surface;
    s->surface = next;
    ++s->surfaceNumber;
}

// Only where somebody looks, and nobody holds the tool. Side b does what side a does.
static void pumpGhost(plStage* s, const plPicture* p)
{
    const int device = s->ghost.device;
    plCommand c;
    if (device < 0 || s->second || s->holder != 0 || s->clients == 0 || p->paused) return;
    if (plGhost_Next(&s->ghost, p->time, &plPicture_Devices(p)[device].pose, &c)) {
        plPair_Post(s, &c);
    }
}

bool plStage_Pump(plStage* s)
{
    bool fresh;
    const plPicture* p = plRuntime_Picture(s->runtime, &fresh);
    s->rowCount = plRuntime_Rows(s->runtime, s->rows, plStageRows);
    if (s->lookers > 0) pumpLook(s);
    if (!p || !fresh) return false;
    if (!plPicture_Whole(p)) {
        ++s->torn;
        return false;
    }
    pumpAccounts(s, p);
    pumpSurfaces(s, p);
    fetchCommands(s, p->recorded);
    if (p->unrecorded > 0) s->unrecorded = p->unrecorded;
    s->size = plPicture_EncodedSize(p);
    plPicture_Encode(p, s->picture + s->before);
    s->sequence = p->sequence;
    s->tick = p->tick;
    s->timing = p->timing;
    s->paused = p->paused;
    s->speed = p->speed;
    s->time = p->time;
    pumpGhost(s, p);
    if (p->hashed) s->mark = (plMark){p->sequence, p->tick, p->hash, s->commandCount};
    return true;
}

// --- who may do what

static const char notHolder[] = "only who holds the tool may touch";
static const char notChanger[] =
    "a device drives this scene: only who holds the tool may change it; take the tool first";
static const char notLooker[] =
    "a device drives this scene: only who holds the tool may look at the response of contacts";
static const char notGiver[] = "who does not hold the tool cannot give it back";

bool plStage_IsDriven(const plStage* s) { return s->drivers.scene != NULL; }

bool plStage_IsFault(const char* why)
{
    return why != notHolder && why != notChanger && why != notLooker && why != notGiver;
}

const char* plStage_Look(plStage* s, int client, bool looks)
{
    if (looks && plStage_IsDriven(s) && s->holder != client) return notLooker;
    s->lookers += looks ? 1 : -1;
    plRuntime_Look(s->runtime, s->lookers > 0 ? 2 : 0);
    return NULL;
}

// --- commands

static bool isTouch(plCommandKind kind)
{
    return kind == pl_commandHold || kind == pl_commandLetGo || kind == pl_commandScript ||
           kind == pl_commandGrab || kind == pl_commandRelease || kind == pl_commandAlarm;
}

static bool isHeavy(plCommandKind kind)
{
    return kind == pl_commandReset || kind == pl_commandStep || kind == pl_commandLaw ||
           kind == pl_commandIntegrator || kind == pl_commandMaterial || kind == pl_commandLimit ||
           kind == pl_commandModel;
}

// Each side of a comparison may have these for itself.
static bool isOwn(plCommandKind kind)
{
    return kind == pl_commandLaw || kind == pl_commandIntegrator || kind == pl_commandMaterial ||
           kind == pl_commandLimit || kind == pl_commandModel;
}

static const char* spendHeavy(plStage* s, double now)
{
    if (now - s->heavySince >= 1) {
        s->heavySince = now;
        s->heavyLeft = plStageHeavy;
    }
    if (s->heavyLeft == 0) return "at most 20 such changes in a second";
    --s->heavyLeft;
    return NULL;
}

static void remember(plStage* s, const plCommand* c)
{
    if (c->index < 0 || c->index >= plStageDevices) return;
    if (c->kind == pl_commandHold) s->held[c->index] = true;
    if (c->kind == pl_commandLetGo || c->kind == pl_commandScript) s->held[c->index] = false;
    if (c->kind == pl_commandGrab) s->grabbed[c->index] = true;
    if (c->kind == pl_commandRelease) s->grabbed[c->index] = false;
}

const char* plStage_Command(plStage* s, int client, const plCommand* c, double now)
{
    if (s->second && !isOwn(c->kind))
        return "side b takes its own law, integrator, materials, limits "
               "and models; all else is for side a";
    if (isTouch(c->kind) && s->holder != client) return notHolder;
    if (plStage_IsDriven(s) && s->holder != client) return notChanger;
    if (c->kind == pl_commandStep && !isStep(s, c->value)) return "its soft bodies have one step";
    const char* heavy = isHeavy(c->kind) ? spendHeavy(s, now) : NULL;
    if (heavy) return heavy;
    plCommand told = *c;
    told.sender = client;
    if (!plPair_Post(s, &told)) return "too many commands wait";
    plGhost_Heard(&s->ghost, c, s->time);
    remember(s, c);
    return NULL;
}

const char* plStage_Take(plStage* s, int client, double now)
{
    if (s->second) return "the tool is taken on side a";
    if (s->holder != 0 && s->holder != client) return "another client holds the tool";
    plCommand c;
    if (plGhost_Yields(&s->ghost, &c)) plPair_Post(s, &c);
    s->holder = client;
    s->heard = now;
    return NULL;
}

void plStage_LetGo(plStage* s, bool meant)
{
    bool any = false;
    for (int i = 0; i < plStageDevices; ++i) any = any || s->held[i] || s->grabbed[i];
    if (any && !meant) plPair_Post(s, &(plCommand){.kind = pl_commandAlarm});
    for (int i = 0; i < plStageDevices; ++i) {
        if (s->grabbed[i]) plPair_Post(s, &(plCommand){.kind = pl_commandRelease, .index = i});
        if (s->held[i]) plPair_Post(s, &(plCommand){.kind = pl_commandLetGo, .index = i});
        s->grabbed[i] = s->held[i] = false;
    }
    s->holder = 0;
}

const char* plStage_Leave(plStage* s, int client)
{
    if (s->holder != client) return notGiver;
    plStage_LetGo(s, true);
    return NULL;
}

// --- channels

static int slotOf(const plStage* s, int channel)
{
    int free0 = -1;
    for (int i = 0; i < plStageSlots; ++i) {
        if (s->users[i] > 0 && s->slots[i] == channel) return i;
        if (s->users[i] == 0 && free0 < 0) free0 = i;
    }
    return free0;
}

static uint64_t sendList(plStage* s)
{
    plChannel list[plStageSlots];
    s->slotCount = 0;
    for (int i = 0; i < plStageSlots; ++i) {
        list[i] = s->channels[s->users[i] > 0 ? s->slots[i] : 0];
        if (s->users[i] > 0) s->slotCount = i + 1;
    }
    return plRuntime_Watch(s->runtime, list, s->slotCount);
}

static void drop(plStage* s, const int* slots, int count)
{
    for (int i = 0; i < count; ++i) --s->users[slots[i]];
}

const char* plStage_Watch(plStage* s, const int* channels, int count, int* slots, uint64_t* since)
{
    for (int i = 0; i < count; ++i) {
        const bool known = channels[i] >= 0 && channels[i] < s->channelCount;
        slots[i] = known ? slotOf(s, channels[i]) : -1;
        if (slots[i] < 0) {
            drop(s, slots, i);
            return known ? "all clients together watch at most 256 channels"
                         : "there is no such channel";
        }
        s->slots[slots[i]] = channels[i];
        ++s->users[slots[i]];
    }
    *since = sendList(s);
    return NULL;
}

void plStage_Unwatch(plStage* s, const int* slots, int count)
{
    if (count == 0) return;
    drop(s, slots, count);
    sendList(s);
}
