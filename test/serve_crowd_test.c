// Fifty clients, half of them misbehaving: the world does not notice. With PALP_FULL they come and go for
// ten minutes.
#define _GNU_SOURCE

#include "wire.h"

#include <malloc.h>

enum { crowd = 50, each = 200, ticksInAll = 1000 };

/// How a client behaves.
typedef enum {
    goodOne,
    watcher,
    slowOne,
    silentOne,
    garbler,
    halfOpen,
    leaver,
    tooLong,
    flooder,
    kinds
} Kind;

typedef struct {
    int port;
    Kind kind;
    _Atomic bool* ending;
    uint64_t pictures;
    unsigned seed;
} Guest;

// Not through cmocka, whose checks are for one thread: what goes wrong is counted.
static _Atomic int torn;

// Once a second the server tells how many pictures it found torn.
static bool tellsTorn(const Wire* w)
{
    const char* at = strstr((const char*)w->bytes, "\"torn\":");
    return at && at[7] != '0';
}

static void look(Guest* g, Wire* w, double* last)
{
    if (w->type == textFrame && tellsTorn(w)) ++torn;
    if (w->type != binaryFrame || w->bytes[0] != 1) return;
    if (w->size != sizeOfPicture(w) || !(numberOf(w, ofSequence) > *last)) ++torn;
    *last = numberOf(w, ofSequence);
    ++g->pictures;
}

static bool enter(Guest* g, Wire* w)
{
    return upgradeAt(w, g->port, "?scene=stack", "Sec-WebSocket-Protocol: palp-1\r\n") == 101;
}

static void readOn(Guest* g, Wire* w)
{
    double last = 0;
    while (!*g->ending && nextFrame(w)) look(g, w, &last);
}

static void watchMany(Wire* w)
{
    unsigned char bytes[plMessageBytes];
    plMessage m = {.kind = pl_messageWatch, .channelCount = plMessageChannels};
    for (int i = 0; i < m.channelCount; ++i) m.channels[i] = 3 * i;
    sendFrame(w, binaryFrame, bytes, plMessage_Encode(&m, bytes));
}

static unsigned draw(Guest* g) { return g->seed = g->seed * 1664525u + 1013904223u; }

// Comes again when it was shown the door.
static void garble(Guest* g, Wire* w)
{
    unsigned char bytes[1024];
    for (int i = 0; i < 40 && !*g->ending; ++i) {
        size_t size = draw(g) >> 8 & 1023;
        if (size == 4) ++size; // that would be understood: it asks for the tool
        for (size_t k = 0; k < size; ++k) bytes[k] = (unsigned char)(draw(g) >> 16 & 255);
        bytes[0] = (unsigned char)(i & 3);
        bytes[1] = bytes[2] = bytes[3] = 0;
        const bool frame = (draw(g) >> 20 & 3) != 0;
        if (frame ? !sendFrame(w, binaryFrame, bytes, size) : !put(w->fd, bytes, size)) break;
        rest(2e-3);
    }
}

// Frames of 60 kB, and more messages than are allowed; shown the door, it comes again.
static void exceed(Guest* g, Wire* w)
{
    static const unsigned char large[60000];
    const bool isLong = g->kind == tooLong;
    for (int i = 0; i < (isLong ? 5 : 2000) && !*g->ending; ++i) {
        unsigned char bytes[plMessageBytes];
        const plMessage m = {.kind = pl_messageWatch, .channelCount = 1};
        const size_t size = plMessage_Encode(&m, bytes);
        if (!sendFrame(w, binaryFrame, isLong ? large : bytes, isLong ? sizeof large : size)) break;
        if (isLong) rest(2e-3);
    }
}

static void behave(Guest* g, Wire* w)
{
    const bool in = g->kind != halfOpen && enter(g, w);
    if (g->kind == halfOpen) {
        *w = (Wire){.fd = dial(g->port)};
        put(w->fd, "GET /ws?scene=st", 16);
    }
    if (in && g->kind == watcher) watchMany(w);
    if (in && (g->kind == goodOne || g->kind == watcher)) readOn(g, w);
    if (in && g->kind == garbler) garble(g, w);
    if (in && (g->kind == tooLong || g->kind == flooder)) exceed(g, w);
    if (in && g->kind == leaver && nextFrame(w)) rest(0.02);
    const bool stays = g->kind == slowOne || g->kind == silentOne || g->kind == halfOpen;
    if (stays && g->kind == slowOne) watchMany(w);
    while (stays && !*g->ending) { // reads nothing, or a byte now and then
        char byte;
        if (g->kind == slowOne && recv(w->fd, &byte, 1, MSG_DONTWAIT) == 0) break;
        rest(0.02);
    }
}

static void* visit(void* self)
{
    Guest* g = self;
    while (!*g->ending) {
        Wire w;
        behave(g, &w);
        hangUp(&w);
        rest(5e-3);
    }
    return NULL;
}

/// Half of them as they should be.
static Kind kindOf(int i)
{
    static const Kind bad[] = {slowOne, silentOne, garbler, halfOpen, leaver, tooLong, flooder};
    return i % 2 == 0 ? (i % 4 == 0 ? goodOne : watcher) : bad[i / 2 % 7];
}

/// The hash after a script of ticks and changes, each of which waits for the one before.
static uint64_t script(int port)
{
    Wire w;
    json_decref(openScene(&w, port, "?scene=stack"));
    command(&w, (plCommand){.kind = pl_commandPause});
    do nextPicture(&w);
    while (!(w.bytes[1] & 1));
    command(&w, (plCommand){.kind = pl_commandStep, .value = 1e-3}); // a reset leaves it
    command(&w, (plCommand){.kind = pl_commandReset});
    pictureAtTick(&w, 0);
    for (int i = 1; i * each <= ticksInAll; ++i) {
        command(&w, (plCommand){.kind = pl_commandTicks, .index = each});
        pictureAtTick(&w, i * each);
        if (i == 1) command(&w, (plCommand){.kind = pl_commandLaw, .index = pl_lawPenalty});
        if (i == 3) command(&w, (plCommand){.kind = pl_commandStep, .value = 5e-4});
    }
    const uint64_t hash = hashOf(&w);
    hangUp(&w);
    return hash;
}

/// Memory that is in use [bytes], that of the clients here included. What is resident wanders by
/// megabytes with what the allocator keeps.
static size_t inUse(void)
{
    const struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/// The least in a part of the time: from run to run it goes up and down by what is on its way to clients.
typedef struct {
    long warm, end;
    bool warming, ending; ///< their part of the time has begun
} Memory;

static void lessen(long* least, bool* begun, bool now, long size)
{
    if (!*begun || (now && size < *least)) *least = size;
    *begun = *begun || now;
}

// Warm after a tenth of the time: until then rings of a fixed size are filled for the first time.
static void weigh(Memory* m, double share)
{
    const long size = (long)(inUse() / 1024);
    lessen(&m->warm, &m->warming, share > 0.1 && share < 0.3, size);
    lessen(&m->end, &m->ending, share > 0.9, size);
}

// Only in the full run. Sanitizers keep what was given back.
static void checkMemory(const Memory* m)
{
    print_message("least in use: %ld kB when warm, %ld kB at the end\n", m->warm, m->end);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (getenv("PALP_FULL")) assert_true(m->end < m->warm + 256);
#endif
}

static void theWorldIsTheSameWithFiftyClientsAsWithNone(void** state)
{
    (void)state;
    static Served served;
    static Guest guests[crowd];
    static pthread_t threads[crowd];
    static _Atomic bool ending;
    plServerDef def = servedDef(&served);
    serve(&served, &def);
    const uint64_t alone = script(served.port);
    for (int i = 0; i < crowd; ++i) {
        guests[i] = (Guest){served.port, kindOf(i), &ending, 0, (unsigned)i};
        assert_int_equal(pthread_create(&threads[i], NULL, visit, &guests[i]), 0);
    }
    rest(0.5);
    const double begun = clockNow(), until = begun + (getenv("PALP_FULL") ? 600 : 3);
    uint64_t among = script(served.port);
    int runs = 1;
    Memory memory = {0};
    weigh(&memory, 0);
    for (; among == alone && clockNow() < until; ++runs) {
        among = script(served.port);
        weigh(&memory, (clockNow() - begun) / (until - begun));
    }
    ending = true;
    uint64_t pictures = 0;
    for (int i = 0; i < crowd; ++i) {
        pthread_join(threads[i], NULL);
        pictures += guests[i].pictures;
    }
    print_message("%.0f s, %d runs, %llu pictures, hash %016llx alone, %016llx among %d\n",
                  clockNow() - begun, runs, (unsigned long long)pictures, (unsigned long long)alone,
                  (unsigned long long)among, crowd);
    assert_int_equal(torn, 0);
    assert_true(pictures > 100);
    assert_true(alone == among);
    checkMemory(&memory);
    endServer(&served);
}

// --- memory

static void visitShortly(int port)
{
    Wire w;
    json_decref(openScene(&w, port, "?scene=arm"));
    watchMany(&w);
    for (int k = 0; k < 3; ++k) nextPicture(&w);
    ask(port, "/api/session/arm");
    hangUp(&w);
}

// Stages are opened and closed as well: they do not linger.
static void comingAndGoingLeavesNoMemoryBehind(void** state)
{
    (void)state;
    enum { visits = 120, first = 20 };
    static Served served;
    plServerDef def = servedDef(&served);
    size_t begin = 0;
    def.linger = 0.01;
    serve(&served, &def);
    for (int i = 0; i < visits; ++i) {
        visitShortly(served.port);
        rest(0.02);
        if (i + 1 < first) continue;
        rest(i + 1 == first || i + 1 == visits ? 0.5 : 0); // until nothing is open
        if (i + 1 == first) begin = inUse();
    }
    const size_t end = inUse();
    print_message("%zu bytes after %d visits, %zu after %d\n", begin, first, end, visits);
    assert_true(end < begin + 65536); // less than 1 kB for a visit; a stage takes megabytes
    endServer(&served);
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1); // mallinfo2 counts the first arena only
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theWorldIsTheSameWithFiftyClientsAsWithNone),
        cmocka_unit_test(comingAndGoingLeavesNoMemoryBehind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
