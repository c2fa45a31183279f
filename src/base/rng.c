#include "base/base.h"

#include <math.h>

static uint64_t rotateLeft(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

// splitmix64 (Steele, Lea, Flood 2014): four different words from any seed, so never all zero,
// the one state from which xoshiro does not move.
plRng plRng_Seed(uint64_t seed)
{
    plRng rng;
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rng.state[i] = z ^ (z >> 31);
    }
    return rng;
}

// xoshiro256** 1.0 (Blackman, Vigna 2018).
uint64_t plRng_Next(plRng* rng)
{
    uint64_t* s = rng->state;
    uint64_t result = rotateLeft(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotateLeft(s[3], 45);
    return result;
}

// The high 53 bits: every multiple of 2^-53 in [0, 1).
static double unit(plRng* rng) { return (double)(plRng_Next(rng) >> 11) * 0x1p-53; }

double plRng_Uniform(plRng* rng, double min, double max)
{
    double value = min + (max - min) * unit(rng);
    // The sum may round up to max, which does not belong to the interval.
    return value < max || max <= min ? value : nextafter(max, min);
}

// Box and Muller's cosine; the sine is left unused, so that the state is the generator's alone.
double plRng_Normal(plRng* rng)
{
    double radius = sqrt(-2 * log(1 - unit(rng))); // 1 - [0, 1) is never zero
    return radius * cos(6.28318530717958647693 * unit(rng));
}
