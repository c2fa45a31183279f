// palp doctor: what this machine gives, in plain words, and what to do about each problem.
#define _GNU_SOURCE

#include "app.h"

#include "base/base.h"
#include "devices.h"
#include "runtime/runtime.h"

#include <hdf5.h>
#include <jansson.h>
#include <libwebsockets.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char* openblas_get_config(void);

/// What a thread of the loop would meet: measured on one, so that the command itself stays as it is.
typedef struct {
    plPrivilege privilege;
    plTimes lateness;
    double resolution; ///< between two readings of the clock that differ [s]
    uint64_t missed;
} Trial;

static double resolutionOf(void)
{
    double least = 1;
    for (int i = 0; i < 1000; ++i) {
        const double start = plClock_Now();
        double next = start;
        while (next == start) next = plClock_Now();
        if (next - start < least) least = next - start;
    }
    return least;
}

static void* try1(void* self)
{
    enum { rate = 1000 };
    Trial* t = self;
    t->privilege = plPace_Claim();
    t->resolution = resolutionOf();
    plPace pace = plPace_Start(1. / rate);
    for (int i = 0; i < rate; ++i) {
        plPace_Wait(&pace);
        plTimes_Add(&t->lateness, pace.lateness);
    }
    t->missed = pace.missed;
    return NULL;
}

static void tellSystem(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    printf("processor      %ld core%s\n", cores, cores == 1 ? "" : "s");
    if (cores < 2)
        puts("               The loop needs one for itself: with a single core, pictures wait for "
             "it.");
}

static void tellScheduling(const plPrivilege* p)
{
    if (p->realtime) {
        printf("scheduling     real-time (SCHED_FIFO, priority %d)\n", p->priority);
        return;
    }
    puts("scheduling     ordinary: real-time scheduling was refused\n"
         "               The loop works, but other programs can delay a tick. To allow it, put\n"
         "                   @audio - rtprio 80\n"
         "               into /etc/security/limits.d/palp.conf, join the group, log in again;\n"
         "               in a container, start it with --cap-add SYS_NICE.");
}

static void tellMemory(const plPrivilege* p)
{
    if (p->locked) {
        puts("memory         locked: it cannot be paged out");
        return;
    }
    puts("memory         not locked: a tick may wait for the disk when memory is short\n"
         "               To allow it, put\n"
         "                   @audio - memlock unlimited\n"
         "               into the same file; in a container, --ulimit memlock=-1.");
}

static void tellTimer(const Trial* t)
{
    struct timespec r;
    clock_getres(CLOCK_MONOTONIC, &r);
    printf("timer          %.0f ns by the system, %.0f ns measured\n",
           1e9 * (double)r.tv_sec + (double)r.tv_nsec, 1e9 * t->resolution);
    if (t->resolution > 1e-5)
        puts("               That is coarse: look for another clock source in\n"
             "               /sys/devices/system/clocksource/clocksource0.");
}

static void tellLateness(const Trial* t)
{
    const double p99 = plTimes_Quantile(&t->lateness, 0.99);
    printf("wake-up        of 1000 deadlines at 1 kHz: median %.2f us late, 99%% within %.2f us, "
           "worst %.1f us, %llu missed\n",
           1e6 * plTimes_Quantile(&t->lateness, 0.5), 1e6 * p99, 1e6 * plTimes_Most(&t->lateness),
           (unsigned long long)t->missed);
    if (t->missed == 0 && p99 < 1e-4) {
        puts("               Good for 1 kHz.");
        return;
    }
    puts("               A hand may feel that. Close other programs, take the machine's power\n"
         "               saving off, use real-time scheduling, or lower the rate (--rate).");
}

static void tellDevice(const char* name, const plRealDef* def)
{
    char text[plRealText];
    const bool found = plReal_Find(def, text, sizeof text);
    printf("               %-16s %s%s\n", name, found ? "found: " : "", text);
}

// Those that were named are tried; of the others it is said what is there.
static int tellDevices(const plArguments* a)
{
    const bool named = plArguments_Has(a, "--device");
    puts(
        "devices        A pointer in the browser (palp serve) and simulated devices work. Others:");
    for (int i = 0; i < pl_realCount && !named; ++i) {
        const plRealDef def = plDefaultRealDef((plRealKind)i);
        tellDevice(plRealKind_Name(i), &def);
    }
    for (int i = 0; i < a->givenCount; ++i) {
        plDeviceAsked asked;
        const int code = plDeviceAsked_Read(&asked, a->given[i].value);
        if (code != pl_exitOk) return code;
        tellDevice(asked.text, &asked.def);
    }
    return pl_exitOk;
}

static void tellLibraries(void)
{
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    printf("libraries      palp %s, jansson %s, HDF5 %u.%u.%u, libwebsockets %s\n", plVersion(),
           jansson_version_str(), major, minor, release, lws_get_library_version());
    printf("               %s\n", openblas_get_config());
}

static int doctor(const plArguments* a)
{
    static Trial trial;
    pthread_t thread;
    if (pthread_create(&thread, NULL, try1, &trial) != 0)
        return plComplain(pl_exitInput, "no thread can be made to measure on");
    pthread_join(thread, NULL);
    tellSystem();
    tellScheduling(&trial.privilege);
    tellMemory(&trial.privilege);
    tellTimer(&trial);
    tellLateness(&trial);
    const int code = tellDevices(a);
    tellLibraries();
    return code;
}

static const plOption options[] = {
    {"--device", "DEVICE", "try this one, as palp serve would; may be repeated"},
};

const plVerb plDoctorVerb = {
    .name = "doctor",
    .operands = "",
    .summary = "say what this machine gives for work in real time, and what to do about it",
    .optionCount = PL_COUNT(options),
    .options = options,
    .run = doctor,
};
