#define _POSIX_C_SOURCE 200809L

#include "app.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

plProgress plProgress_Start(double total)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now = plClock_Now();
    return (plProgress){.total = total,
                        .start = now,
                        .last = now,
                        .period = terminal ? 0.2 : 2,
                        .terminal = terminal};
}

void plProgress_Tick(plProgress* p, double simulated)
{
    const double now = plClock_Now();
    if (now - p->last < p->period) return;
    const double wall = now - p->start, rate = simulated / wall;
    const double left = rate > 0 ? fmax(0, p->total - simulated) / rate : 0;
    p->last = now;
    p->shown = true;
    fprintf(stderr, "%s%3.0f %%  simulated %.4g of %.4g s  %.3g times real time  %.0f s left%s",
            p->terminal ? "\r\033[K" : "", 100 * fmin(1, simulated / p->total), simulated, p->total,
            rate, left, p->terminal ? "" : "\n");
    fflush(stderr);
}

void plProgress_Share(plProgress* p, double share)
{
    const double now = plClock_Now();
    if (now - p->last < p->period || !(share > 0)) return;
    const double left = (now - p->start) * fmax(0, 1 - share) / share;
    p->last = now;
    p->shown = true;
    fprintf(stderr, "%s%3.0f %%  %.0f s left%s", p->terminal ? "\r\033[K" : "",
            100 * fmin(1, share), left, p->terminal ? "" : "\n");
    fflush(stderr);
}

void plProgress_End(plProgress* p)
{
    if (p->terminal && p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}
