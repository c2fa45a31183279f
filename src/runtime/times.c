#include "runtime/runtime.h"

#include <math.h>

// Below 2^plTimesBits every nanosecond has its bucket; above, an octave has 2^plTimesBits of them.
static int bucketOf(uint64_t ns)
{
    int shift = 0;
    while (ns >> (shift + plTimesBits + 1)) ++shift;
    return (shift << plTimesBits) + (int)(ns >> shift);
}

// The largest duration of a bucket.
static uint64_t topOf(int bucket)
{
    const int octave = bucket >> plTimesBits, within = bucket & ((1 << plTimesBits) - 1);
    if (octave == 0) return (uint64_t)within;
    const int shift = octave - 1;
    return (((uint64_t)within + (1u << plTimesBits) + 1) << shift) - 1;
}

void plTimes_Add(plTimes* t, double seconds)
{
    const double ns = seconds * 1e9, most = 9e18;
    const uint64_t n = ns > 0 ? (uint64_t)fmin(ns, most) : 0;
    ++t->counts[bucketOf(n)];
    ++t->count;
    t->sum += n;
    if (n > t->most) t->most = n;
}

// The largest that a bucket can hold, but no more than there was [s].
static double within(const plTimes* t, int bucket)
{
    const uint64_t top = topOf(bucket);
    return 1e-9 * (double)(top < t->most ? top : t->most);
}

void plTimes_Quantiles(const plTimes* t, const double* shares, int count, double* out)
{
    uint64_t seen = 0;
    int next = 0;
    for (int i = 0; i < plTimesBuckets && next < count && seen < t->count; ++i) {
        if (t->counts[i] == 0) continue;
        seen += t->counts[i];
        while (next < count && (double)seen >= shares[next] * (double)t->count) {
            out[next++] = within(t, i);
        }
    }
    while (next < count) out[next++] = plTimes_Most(t);
}

double plTimes_Quantile(const plTimes* t, double share)
{
    double out;
    plTimes_Quantiles(t, &share, 1, &out);
    return out;
}

double plTimes_Most(const plTimes* t) { return 1e-9 * (double)t->most; }

double plTimes_Mean(const plTimes* t)
{
    return t->count > 0 ? 1e-9 * (double)t->sum / (double)t->count : 0;
}
