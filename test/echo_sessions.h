// A runtime of 30 Hz whose hand has a thread of its own, at 1 kHz: the driver, which notes all writes, and the
// session.
//   letters  as in echoes.h
#ifndef PALP_TEST_ECHO_SESSIONS_H
#define PALP_TEST_ECHO_SESSIONS_H

#include "clock.h"
#include "echoes.h"
#include "palp/runtime.h"

#include <stdatomic.h>

// ---------------------------------------------------------------------------------- the outside

enum { most = 20000 };

typedef enum { isWell, isNotFinite, isLost, hangs } Fault;

/// A write.
typedef struct {
    double clock;    // [s]
    double time;     // of the hand's motion [s]
    double dx;       // way of the hand since the write before [m]
    double given;    // work on the hand before it [J]
    double moved;    // the same without signs [J]
    uint64_t echoes; // that were felt up to this one
    plVec3 force;    // on the hand
} Write;

/// An arm that holds still until the force is there, and then goes where it is told to, by the clock. Of the
/// devices' thread.
typedef struct {
    Arm arm;
    const Stop* stops;
    int stopCount;
    Fault fault;
    double from, until; // of the fault [s]
    double start;       // of the clock [s]; 0: not yet
    int steps;          // of h, that the arm has made
    Write now;
    plRuntime* _Atomic runtime;
    _Atomic double share, least; // told by the watchdog, and the least of these
    atomic_int count;
    Write writes[most];
} Driver;

static const double still = 0.6; // [s]

static inline void moveOn(Driver* d)
{
    const int due = (int)((clockNow() - d->start) / h);
    const plVec3 from = d->arm.x;
    for (; d->steps < due; ++d->steps) {
        const double time = d->steps * h - still;
        const plVec3 x = d->arm.x;
        if (time < 0) continue;
        if (time < h) d->arm.carries = d->now.force; // its muscles hold the tool
        moveArm(&d->arm, placeAt(d->stops, d->stopCount, time), d->now.force);
        const double work = dot(d->now.force, sub(d->arm.x, x));
        d->now.given += work;
        d->now.moved += fabs(work);
    }
    d->now.dx = sizeOf(sub(d->arm.x, from));
    d->now.time = d->steps * h - still;
}

static inline void sampleArm(void* self, double time, plSample* s)
{
    Driver* d = self;
    (void)time;
    if (d->start == 0) {
        d->arm.x = d->stops[0].p;
        d->start = clockNow() - h / 2; // a clock that trembles does not change the count of steps
    }
    moveOn(d);
    const bool now = d->now.time >= d->from && d->now.time < d->until;
    *s = (plSample){.pose = {d->arm.x, {1, 0, 0, 0}}};
    if (now && d->fault == isNotFinite) s->pose.p.z = (double)NAN;
    if (now && d->fault == isLost) s->flags = pl_sampleLost;
    if (now && d->fault == hangs) {
        d->fault = isWell;
        rest(d->until - d->from);
    }
}

// How many echoes were felt is told behind a write: the one before is noted here.
static inline void writeArm(void* self, const plWrench* f, double step)
{
    Driver* d = self;
    plRuntime* r = d->runtime;
    const int i = d->count;
    plTouched t = {0};
    (void)step;
    if (r) plRuntime_Touched(r, (plDeviceId){1, 1}, &t);
    d->now.clock = clockNow();
    d->now.force = f->force;
    if (i >= most) return;
    if (i > 0) d->writes[i - 1].echoes = t.echoes;
    d->writes[i] = d->now;
    d->count = i + 1;
}

static inline void hushArm(void* self, double share)
{
    Driver* d = self;
    d->share = share;
    d->least = fmin(d->least, share);
}

/// A device that nothing holds on to: its driver is called in the world's ticks, and may hang there.
typedef struct {
    double hangsAt, pause; // of the world's time; [s]
    double work;           // that each tick takes besides [s]
    int writes;
    _Atomic double hung; // when [s]
} Other;

static inline void sampleOther(void* self, double time, plSample* s)
{
    Other* o = self;
    *s = (plSample){.pose.q.w = 1};
    if (o->work > 0) rest(o->work);
    if (!(time >= o->hangsAt) || o->hung > 0) return;
    o->hung = clockNow();
    rest(o->pause);
}

static inline void writeOther(void* self, const plWrench* f, double step)
{
    Other* o = self;
    (void)f, (void)step;
    ++o->writes;
}

// ------------------------------------------------------------------------------------ the inside

typedef struct {
    Driver driver;
    Other other;
    plRuntime* runtime;
} Session;

static inline plWorld* ballWith(const plDeviceCalls* hand, const plDeviceCalls* other)
{
    Rig r;
    plDeviceDef device = plDefaultDeviceDef();
    plDeviceId id;
    makeBall(&r, 0.3, 0.005, 20);
    plEcho_Destroy(r.echo);
    plEcho_Destroy(r.next);
    checkOk(r.world, plWorld_AttachDevice(r.world, r.device, hand));
    device.name = "other";
    device.calls = *other;
    checkOk(r.world, plWorld_AddDevice(r.world, &device, &id));
    return r.world;
}

static inline plWorld* worldOf(Session* s)
{
    const plDeviceCalls hand = {&s->driver, sampleArm, writeArm, hushArm};
    const plDeviceCalls other = {&s->other, sampleOther, writeOther, NULL};
    return ballWith(&hand, &other);
}

/// Presses, slides and leaves, as in echo_felt_test; then holds still.
static const Stop course[] = {{0, {0, 0, 0.015}},      {0.5, {0, 0, 0.007}},
                              {1, {0, 0, 0.005}},      {2, {0.03, 0, 0.005}},
                              {2.5, {0.03, 0, 0.015}}, {9, {0.03, 0, 0.015}}};
/// Presses and stays.
static const Stop press[] = {{0, {0, 0, 0.015}}, {0.5, {0, 0, 0.008}}, {9, {0, 0, 0.008}}};

static inline void prepare(Session* s, const Stop* stops, int count, Arm arm)
{
    memset(s, 0, sizeof *s);
    s->driver.arm = arm;
    s->driver.stops = stops;
    s->driver.stopCount = count;
    s->driver.share = s->driver.least = 1;
    s->other.hangsAt = HUGE_VAL;
}

static inline void start(Session* s)
{
    static const char* const channels[] = {"hand.x", "hand.y", "hand.z", "trouble"};
    plRuntimeDef def = plDefaultRuntimeDef();
    def.world = worldOf(s);
    def.step = T;
    def.privileges = false;
    def.pictureRate = 500;
    def.deviceRate = 1 / h;
    def.channelCount = 4;
    def.channels = channels;
    assert_int_equal(plRuntime_Create(&def, &s->runtime), pl_statusOk);
    s->driver.runtime = s->runtime;
}

/// Until the hand's time is this [s].
static inline void waitUntil(const Session* s, double time)
{
    const double start0 = clockNow();
    const Driver* d = &s->driver;
    while (clockNow() - start0 < 60) {
        const int count = d->count;
        if (count > 0 && d->writes[count - 1].time >= time) return;
        rest(1e-3);
    }
    fail_msg("the hand did not get to %g s", time);
}

static inline plPort lastPort(Session* s)
{
    for (int i = 0; i < 20000; ++i) {
        bool fresh;
        const plPicture* p = plRuntime_Picture(s->runtime, &fresh);
        if (p && fresh && p->accounted) return plPicture_Ports(p)[0];
        rest(5e-4);
    }
    fail_msg("no picture came");
    return (plPort){0};
}

#endif
