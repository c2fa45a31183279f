// base: what every room may use and that knows nothing of palp.
//   out   PL_ASSERT, arena, hash, seeded generator, clock, single-producer ring
#ifndef PL_BASE_H
#define PL_BASE_H

#include "palp/types.h"

#include <assert.h>

/// A programmer's mistake; never for data from outside.
#define PL_ASSERT(condition) assert(condition)

/// Around the structs that a state is made of: none has gaps, which copies would fill with anything, so that hashes and
/// snapshots depend on values alone. A member `unused` fills what would be one.
#define PL_GAPLESS _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wpadded\"")
#define PL_GAPLESS_END _Pragma("GCC diagnostic pop")

#define PL_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// --- arena: memory taken once, handed out in 64-byte aligned zeroed pieces, never given back singly

typedef struct {
    unsigned char* memory;
    size_t used, highWater, capacity;
    bool full; ///< an Alloc has failed since creation or the last Rewind
} plArena;

plStatus plArena_Create(plArena*, size_t capacity, const plAllocator*);
void plArena_Destroy(plArena*, const plAllocator*);
/// Zeroed; null when it does not fit (`full` is then set). A size of 0 gives a valid pointer.
void* plArena_Alloc(plArena*, size_t count, size_t size);
/// Back to an earlier `used`; what was handed out after it is void.
void plArena_Rewind(plArena*, size_t used);

// --- hash of bytes: 64 bits, FNV-like over words, not for adversaries

uint64_t plHash_Start(void);
uint64_t plHash_Add(uint64_t hash, const void* data, size_t size);

// --- seeded generator: xoshiro256**, seeded by splitmix64

typedef struct {
    uint64_t state[4];
} plRng;

plRng plRng_Seed(uint64_t seed);
uint64_t plRng_Next(plRng*);
double plRng_Uniform(plRng*, double min, double max); ///< [min, max)
double plRng_Normal(plRng*);                          ///< mean 0, variance 1

// --- clock

double plClock_Now(void); ///< monotonic [s]

// --- ring of fixed-size rows: one producer, one consumer, wait-free both ways

typedef struct plRing plRing;

plStatus plRing_Create(size_t rowSize, size_t rowCount, const plAllocator*, plRing**);
void plRing_Destroy(plRing*, const plAllocator*);
bool plRing_Push(plRing*, const void* row);           ///< false: full
size_t plRing_Pop(plRing*, void* rows, size_t count); ///< at most count rows; how many
size_t plRing_Room(const plRing*);                    ///< rows that a producer may push now

// --- requests of the web: a page of elsewhere can make a browser ask here. Its origin tells; and when its own
// name was made to mean this machine, the host does, because nobody calls the loopback by another name.

bool plHost_IsLoopback(const char* host); ///< a name or an address, without a port
/// Null: a request with these headers ("" for those that it has not) may come in; else why not. `local`: the
/// server listens on the loopback; `secure`: it speaks TLS. One that does not may stand behind one that does.
const char* plOrigin_Complaint(bool local, bool secure, const char* host, const char* origin);

// --- text

/// 1 to 31 letters, digits, - or _: what names things in a world.
bool plText_IsName(const char* text);

/// The nearest of `count` names to `word` by edit distance, or null when none is near.
const char* plText_Nearest(const char* word, const char* const* names, int count);

#endif
