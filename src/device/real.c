// A real device: its thread, and what a world sees of it.
#define _GNU_SOURCE

#include "device/real.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// From the device's thread to the world's.
typedef struct {
    double time; ///< when it was heard [s]
    bool lost, cut;
    plRaw raw;
} Heard;

/// From the world's thread to the device's.
typedef struct {
    double due;    ///< when the next one should come [s]
    plWrench give; ///< axes of the device
} Asked;
_Static_assert(sizeof(Heard) <= plMailBytes && sizeof(Asked) <= plMailBytes, "mail has room");

struct plReal {
    plRealDef def;
    const plDriver* driver;
    void* state; ///< the driver's
    pthread_t thread;
    atomic_bool ending;
    plMail heard, asked;
    plPlacing placing; ///< of the world's thread

    pthread_mutex_t lock;
    pthread_cond_t tried;
    int tries;        ///< to open it
    plRealState told; ///< all of these under the lock

    // of the device's thread
    plFound found;
    Heard last;
    double fullTime;  ///< from no force to the limit at the slew limit [s]
    plWrench given;   ///< that the device was given last,
    double givenTime; ///< and when [s]
    double share;     ///< of the force that is asked for
    double roundTime; ///< of the last round [s]
    int calm;         ///< quick rounds to come before a slow device is trusted again
    bool leaving;     ///< it did not answer: its force goes, in case that it hears
    double goodTime;  ///< of the last sample that could be true [s]; 0: there was none
    uint64_t rounds, slewed;
};

static void rest(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

static bool isEnding(const plReal* r)
{
    return atomic_load_explicit(&r->ending, memory_order_relaxed);
}

// --- how it is

static void tell(plReal* r, bool works, bool triedNow, const char* text)
{
    pthread_mutex_lock(&r->lock);
    r->told.losses += r->told.works && !works;
    r->told.works = works;
    r->told.limit = r->found.force;
    r->told.slew = r->fullTime > 0 ? r->found.force / r->fullTime : 0;
    snprintf(r->told.text, sizeof r->told.text, "%s", text);
    r->tries += triedNow;
    pthread_cond_broadcast(&r->tried);
    pthread_mutex_unlock(&r->lock);
}

static void tellRounds(plReal* r)
{
    if (pthread_mutex_trylock(&r->lock) != 0) return;
    r->told.rounds = r->rounds;
    r->told.slewed = r->slewed;
    r->told.share = r->share;
    pthread_mutex_unlock(&r->lock);
}

plRealState plReal_State(plReal* r)
{
    pthread_mutex_lock(&r->lock);
    const plRealState state = r->told;
    pthread_mutex_unlock(&r->lock);
    return state;
}

// --- can it be true?

// Within the reach of an arm, and slower than a thrown ball. A leap is one that no hand could make since
// the last place that was true: after a while any place can be.
static bool isPlausible(const plReal* r, const plRaw* raw, double now)
{
    const double reach = 2, fast = 20, noise = 0.01, spin = 200; // [m], [m/s], [m], [rad/s]
    const plVec3 rows[] = {raw->R.x, raw->R.y, raw->R.z};
    if (!plFinite3(raw->p) || plNorm(raw->p) > reach) return false;
    if (raw->rates && !(plNorm(raw->v) <= fast && plNorm(raw->w) <= spin)) return false;
    for (int i = 0; i < 3 && raw->turns; ++i) {
        if (!(fabs(plNorm(rows[i]) - 1) < 0.01)) return false;
    }
    const double way = plNorm(plSub(raw->p, r->last.raw.p));
    return r->goodTime == 0 || way <= noise + fast * (now - r->goodTime);
}

// Differences through a low-pass, for who does not tell rates.
static void addRates(const plReal* r, plRaw* raw, double now)
{
    const double tau = 5e-3; // [s]: what encoders leave of their steps
    const double T = now - r->goodTime;
    const plRaw* before = &r->last.raw;
    if (raw->rates || r->goodTime == 0 || !(T > 0)) return;
    const double share = T / (T + tau);
    const plVec3 v = plScale(1 / T, plSub(raw->p, before->p));
    raw->v = plAddScaled(plScale(1 - share, before->v), share, v);
    if (!raw->turns) return;
    const plMat3 turn = plMatMulT(&raw->R, &before->R);
    raw->w = plAddScaled(plScale(1 - share, before->w), share / T, plLog(&turn));
}

// --- a round

// A write that is this late is one of a busy machine. With a round, all force is gone after 20 ms.
static const double patience = 3e-3, easeDown = 16e-3, easeUp = 0.2; // [s]

static double shorten(plVec3* a, double limit)
{
    const double size = plNorm(*a), factor = size > limit ? limit / size : 1;
    *a = plScale(factor, *a);
    return factor;
}

// The direction stays.
static bool cut(const plReal* r, plWrench* f)
{
    if (!plFinite3(f->force) || !plFinite3(f->torque)) {
        *f = (plWrench){{0, 0, 0}, {0, 0, 0}};
        return true;
    }
    const double force = shorten(&f->force, r->found.force);
    // A device without torques loses nothing that it could have given.
    const double torque = shorten(&f->torque, r->found.torque);
    return force < 1 || (torque < 1 && r->found.torque > 0);
}

// `T` since the last round. What is eased is what the device can give: else the share of a force far above its
// limit would be the limit, up to the end.
static plWrench forceNow(plReal* r, double now, double T, bool* isCut)
{
    Asked asked = {.due = -1};
    const bool any = plMail_Get(&r->asked, &asked, sizeof asked, NULL);
    const bool asks = any && now <= asked.due + patience;
    const bool well = asks && !r->last.lost && !r->leaving && !isEnding(r);
    r->share = well ? fmin(1, r->share + T / easeUp) : fmax(0, r->share - T / easeDown);
    *isCut = cut(r, &asked.give);
    if (r->leaving) r->share = 0;
    return (plWrench){plScale(r->share, asked.give.force), plScale(r->share, asked.give.torque)};
}

static bool isNone(const plWrench* f) { return plNorm(f->force) == 0 && plNorm(f->torque) == 0; }

double plSlewTime(double time, bool toNothing)
{
    const double longest = 2e-3; // [s]: two rounds
    return toNothing ? time : fmin(time, longest);
}

// The last word before the device: whatever is asked, after a pause, a reset or what was no number, the
// force goes there at the slew limit. Time counts from when the last force was handed over, so that a thread that was
// held up in between makes no larger step than the device sees. True: it was held back.
static bool slew(plReal* r, const plWrench* wanted, double now, plWrench* next)
{
    const double share = plSlewTime(now - r->givenTime, isNone(wanted)) / r->fullTime;
    *next = r->given;
    const bool held =
        !plWrench_Approach(next, wanted, share * r->found.force, share * r->found.torque);
    r->slewed += held;
    return held;
}

// While an answer is waited for, the device keeps its force. One that takes longer than `slowest` costs the device its
// force, until it has been quicker for a while.
static void clock1(plReal* r, double took)
{
    enum { rounds = 50 };
    const double slowest = 0.015; // [s]
    r->calm = took > slowest ? rounds : r->calm > 0 ? r->calm - 1 : 0;
}

static const char* complaint(const plReal* r, const plRaw* raw, const char* why)
{
    return why[0]        ? why
           : raw->poor   ? "the device says that it cannot be trusted now"
           : r->calm > 0 ? "the device takes longer than 15 ms for an answer"
                         : "the device tells of places where no hand can be";
}

static void publish(plReal* r, const plRaw* raw, double now, bool isCut, const char* why)
{
    const bool good = !raw->poor && r->calm == 0 && !r->leaving && isPlausible(r, raw, now);
    const bool wasLost = r->last.lost;
    r->last.time = now;
    r->last.lost = !good;
    r->last.cut = isCut;
    if (good) {
        plRaw with = *raw;
        addRates(r, &with, now);
        r->last.raw = with;
        r->goodTime = now;
    }
    plMail_Put(&r->heard, &r->last, sizeof r->last);
    if (good == wasLost) tell(r, good, false, good ? r->found.name : complaint(r, raw, why));
}

static bool goRound(plReal* r)
{
    char why[plRealText] = "";
    plRaw raw = {.R = plIdentity3()};
    const double now = plClock_Now(), T = fmin(now - r->roundTime, easeDown);
    r->roundTime = now;
    bool isCut;
    const plWrench wanted = forceNow(r, now, T, &isCut);
    plGive give = {.slew = r->found.force / r->fullTime};
    isCut = slew(r, &wanted, now, &give.f) || isCut;
    const bool answers = r->driver->round(r->state, &give, &raw, why);
    if (raw.given > 0) {
        r->given = give.f;
        r->givenTime = raw.given;
    }
    clock1(r, plClock_Now() - now);
    ++r->rounds;
    tellRounds(r);
    if (answers) {
        publish(r, &raw, plClock_Now(), isCut, why);
        return true;
    }
    r->last.lost = true;
    r->last.time = plClock_Now();
    plMail_Put(&r->heard, &r->last, sizeof r->last);
    tell(r, false, false, why);
    return false;
}

// --- the thread

// Above the loop of a world: should that hang, somebody takes its force away.
static void claim(const plReal* r)
{
    const struct sched_param param = {.sched_priority = 65};
    if (r->def.privileges) pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
}

// No maker says how fast a force may change. From nothing to the data sheet's limit in 10 ms is a wall of
// 2400 N/m that an omega meets at 0.5 m/s, and no jolt; slower than in 15 ms, a force that must go would
// not be gone in time.
static bool findSlew(plReal* r, char why[plRealText])
{
    const double usual = 0.01, slowest = 0.015; // [s]
    r->fullTime = r->def.slew > 0 && r->found.force > 0 ? r->found.force / r->def.slew : usual;
    if (r->fullTime <= slowest) return true;
    return plFailWith(why, "slew must be %g N/s at least, so that %g N can be gone in time",
                      r->found.force / slowest, r->found.force);
}

static bool find(plReal* r, char why[plRealText])
{
    memset(r->state, 0, r->driver->size);
    r->found = (plFound){0};
    if (!r->driver->open(r->state, &r->def, &r->found, why)) return false;
    if (r->def.limit > 0) r->found.force = fmin(r->found.force, r->def.limit);
    if (findSlew(r, why)) return true;
    r->driver->close(r->state);
    return false;
}

static bool open1(plReal* r)
{
    char why[plRealText] = "";
    const bool found = find(r, why);
    if (!found) r->found = (plFound){0};
    r->share = 0;
    r->given = (plWrench){{0, 0, 0}, {0, 0, 0}};
    r->last.lost = true; // until a place is heard
    r->leaving = false;
    r->calm = 0;
    r->roundTime = r->givenTime = plClock_Now();
    tell(r, false, true, found ? "it was found, and has not told its place yet" : why);
    return found;
}

static void waitUntil(double deadline)
{
    const struct timespec at = {(time_t)deadline, (long)(1e9 * (deadline - floor(deadline)))};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

// On closing the force goes as when nobody asks.
static bool goesOn(plReal* r, double* end)
{
    if (!isEnding(r)) return true;
    if (*end == 0) *end = plClock_Now() + patience + easeDown;
    return !isNone(&r->given) && plClock_Now() < *end;
}

// One that did not answer may hear all the same: its force goes at the slew limit before the device is closed.
static void fade(plReal* r)
{
    const double end = plClock_Now() + easeDown;
    r->leaving = true;
    while (!isNone(&r->given)) {
        const bool late = plClock_Now() >= end; // by now the force may go in one step
        goRound(r);
        if (late) return;
        rest(1e-3);
    }
}

static void* drive(void* self)
{
    enum { pauses = 10 }; // of 20 ms, from a try to open it to the next
    const double period = 1e-3;
    double end0 = 0;
    plReal* r = self;
    claim(r);
    while (!isEnding(r)) {
        if (!open1(r)) {
            for (int i = 0; i < pauses && !isEnding(r); ++i) rest(0.02);
            continue;
        }
        double next = plClock_Now();
        while (goesOn(r, &end0) && goRound(r)) {
            next = fmax(next + period, plClock_Now() - period);
            waitUntil(next);
        }
        fade(r);
        r->driver->close(r->state);
    }
    return NULL;
}

// --- opening and closing

static plStatus start(plReal* r)
{
    if (pthread_create(&r->thread, NULL, drive, r) != 0) return pl_statusNoMemory;
    pthread_mutex_lock(&r->lock);
    while (r->tries == 0) pthread_cond_wait(&r->tried, &r->lock);
    pthread_mutex_unlock(&r->lock);
    return pl_statusOk;
}

static void end(plReal* r)
{
    atomic_store_explicit(&r->ending, true, memory_order_relaxed);
    pthread_join(r->thread, NULL);
}

static void release(plReal* r)
{
    pthread_cond_destroy(&r->tried);
    pthread_mutex_destroy(&r->lock);
    free(r->state);
    free(r);
}

/// Zeroed, and aligned as mails want it.
static void* take(size_t size)
{
    const size_t line = 64, whole = (size + line - 1) / line * line;
    void* memory = aligned_alloc(line, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

static plReal* make(const plRealDef* def)
{
    plReal* r = take(sizeof *r);
    if (!r) return NULL;
    r->def = *def;
    r->driver = plDriver_Of(def->kind);
    r->state = take(r->driver->size);
    plMail_Start(&r->heard);
    plMail_Start(&r->asked);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->tried, NULL);
    plReal_Place(r, (plPose){.q = {1, 0, 0, 0}}, false);
    if (r->state) return r;
    release(r);
    return NULL;
}

// The first try has failed when it ends without a place to come; the thread that would go on is ended.
plStatus plReal_Open(const plRealDef* def, plReal** out, char* message, size_t size)
{
    *out = NULL;
    snprintf(message, size, "no memory");
    if (!plDriver_Of(def->kind)) return pl_statusBadArgument;
    plReal* r = make(def);
    if (!r) return pl_statusNoMemory;
    if (start(r) != pl_statusOk) {
        release(r);
        return pl_statusNoMemory;
    }
    const plRealState state = plReal_State(r);
    if (state.limit > 0) {
        *out = r;
        return pl_statusOk;
    }
    snprintf(message, size, "%s", state.text);
    end(r);
    release(r);
    return pl_statusNotFound;
}

void plReal_Close(plReal* r)
{
    if (!r) return;
    end(r);
    release(r);
}

bool plReal_Find(const plRealDef* def, char* text, size_t size)
{
    const plDriver* d = plDriver_Of(def->kind);
    char why[plRealText] = "no memory";
    plFound found = {0};
    if (!d) return false;
    const bool looks = d->look && def->address[0] == '\0';
    void* state = looks ? NULL : take(d->size);
    const bool good = looks ? d->look(def, why) : state && d->open(state, def, &found, why);
    if (good && !looks) {
        d->close(state);
        plFailWith(why, "%s, up to %g N", found.name, found.force);
    }
    free(state);
    snprintf(text, size, "%s", why);
    return good;
}

// --- what a world calls

void plReal_Place(plReal* r, plPose start1, bool planar)
{
    r->placing = (plPlacing){.A = plAxes_Of(r->driver, planar),
                             .start = start1,
                             .scale = r->def.scale,
                             .known = r->def.centred,
                             .centre = r->def.centre,
                             .turned = plIdentity3()};
}

// What is older than 20 ms is not known any more.
static void sample(void* self, double time, plSample* s)
{
    const double old = 0.02;
    plReal* r = self;
    Heard heard = {.lost = true};
    (void)time;
    plMail_Get(&r->heard, &heard, sizeof heard, NULL);
    if (heard.lost || plClock_Now() - heard.time > old) {
        s->flags |= pl_sampleLost;
        return;
    }
    plPlacing_Tell(&r->placing, &heard.raw, s);
    if (heard.cut) s->flags |= pl_sampleCut;
}

static void write1(void* self, const plWrench* f, double T)
{
    plReal* r = self;
    const plMat3* A = &r->placing.A;
    const Asked asked = {.due = plClock_Now() + T,
                         .give = {plMulT(A, f->force), plMulT(A, f->torque)}};
    plMail_Put(&r->asked, &asked, sizeof asked);
}

plDeviceCalls plReal_Calls(plReal* r)
{
    return (plDeviceCalls){.self = r, .sample = sample, .write = write1};
}
