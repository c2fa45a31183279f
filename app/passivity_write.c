// The files of a map: its table, what it is off the closed forms by, its drawing.
#include "passivity.h"

#include "app.h"
#include "figure.h"

#include <math.h>
#include <stdlib.h>

enum { passive, onlyStable, neither };

static double classOf(const plExperiment* e, const plZPoint* p)
{
    if (plZPoint_IsPassive(e, p)) return passive;
    return plZPoint_IsStable(p) ? onlyStable : neither;
}

static bool addPoints(plFigureJob* job, const plZWidth* z)
{
    const int n = z->grid * z->grid;
    double* columns[] = {plFigureJob_Column(job, n, "map_B"),
                         plFigureJob_Column(job, n, "map_K"),
                         plFigureJob_Column(job, n, "map_halfB"),
                         plFigureJob_Column(job, n, "map_halfK"),
                         plFigureJob_Column(job, n, "map_class"),
                         plFigureJob_Column(job, n, "map_needed_damping"),
                         plFigureJob_Column(job, n, "map_needed_damping_closed"),
                         plFigureJob_Column(job, n, "map_needed_friction"),
                         plFigureJob_Column(job, n, "map_needed_friction_closed"),
                         plFigureJob_Column(job, n, "map_growth"),
                         plFigureJob_Column(job, n, "map_radius")};
    enum { count = sizeof columns / sizeof columns[0] };
    for (int k = 0; k < count; ++k) {
        if (!columns[k]) return false;
    }
    for (int i = 0; i < n; ++i) {
        const plZPoint* p = &z->points[i];
        const double values[count] = {p->B,
                                      p->K,
                                      0.5 * (z->highB - z->lowB) / z->grid,
                                      0.5 * (z->highK - z->lowK) / z->grid,
                                      classOf(z->experiment, p),
                                      p->needed,
                                      p->neededClosed,
                                      p->neededFriction,
                                      p->neededFrictionClosed,
                                      p->growth,
                                      p->radius};
        for (int k = 0; k < count; ++k) columns[k][i] = values[k];
    }
    return true;
}

static bool addLimits(plFigureJob* job, const plZWidth* z)
{
    const int n = z->grid + 1;
    double* columns[] = {plFigureJob_Column(job, n, "limit_B"),
                         plFigureJob_Column(job, n, "limit_passive"),
                         plFigureJob_Column(job, n, "limit_passive_closed"),
                         plFigureJob_Column(job, n, "limit_stable"),
                         plFigureJob_Column(job, n, "limit_stable_closed")};
    enum { count = sizeof columns / sizeof columns[0] };
    for (int k = 0; k < count; ++k) {
        if (!columns[k]) return false;
    }
    for (int i = 0; i < n; ++i) {
        const plZLimit* l = &z->limits[i];
        const double values[count] = {l->B, l->passive, l->passiveClosed, l->stable,
                                      l->stableClosed};
        for (int k = 0; k < count; ++k) columns[k][i] = values[k];
    }
    return true;
}

/// Smooth curves for the drawing, on which a limit that ends goes down to zero once.
static bool addClosed(plFigureJob* job, const plZWidth* z)
{
    enum { count = 301 };
    const plExperiment* e = z->experiment;
    const double share = e->share, most = 1.5 * z->highK;
    if (e->unknown) return true;
    double* B = plFigureJob_Column(job, count, "closed_B");
    double* passiveK = plFigureJob_Column(job, count, "closed_passive");
    double* stableK = plFigureJob_Column(job, count, "closed_stable");
    if (!B || !passiveK || !stableK) return false;
    for (int i = 0; i < count; ++i) {
        B[i] = z->lowB + (z->highB - z->lowB) * i / (count - 1);
        passiveK[i] = plLoop_PassiveStiffness(&e->loop, share * B[i], share * most) / share;
        stableK[i] = plLoop_StableStiffness(&e->loop, share * B[i], share * most) / share;
        if (i > 0 && passiveK[i] == 0 && !(passiveK[i - 1] > 0)) passiveK[i] = NAN;
        if (i > 0 && stableK[i] == 0 && !(stableK[i - 1] > 0)) stableK[i] = NAN;
    }
    return true;
}

static bool addOwn(plFigureJob* job, const plZWidth* z)
{
    double* B = plFigureJob_Column(job, 1, "own_B");
    double* K = plFigureJob_Column(job, 1, "own_K");
    if (!B || !K) return false;
    *B = z->own.B;
    *K = z->own.K;
    return true;
}

// The bars that the method is held to.
static void addClaims(plFigureJob* job, const plZWidth* z)
{
    double passiveError, stableError;
    if (z->experiment->unknown) return;
    plZWidth_WorstErrors(z, &passiveError, &stableError);
    if (isfinite(passiveError)) {
        plFigureJob_Check(job, "passive-limit", passiveError, plAtMost(0.05),
                          "Passive limits, off the closed form, as a share of the damping that the "
                          "device has.");
    }
    if (isfinite(stableError)) {
        plFigureJob_Check(
            job, "stable-limit", stableError, plAtMost(0.02),
            "Stable limits, off those of the eigenvalues, as a share of the stiffness.");
    }
}

// ---------------------------------------------------------------------------------- the drawing

static const char cells[] =
    "set style fill solid 1 noborder\n"
    "set xlabel 'damping of the wall  B  [N s/m]'\n"
    "set ylabel 'stiffness of the wall  K  [N/m]'\n"
    "set key outside right top vertical Left reverse width -2 spacing 1.35 samplen 1.6\n"
    "unset grid\n"
    "some(name) = column(name) > 0 ? column(name) : NaN\n"
    "cell(c) = column('map_class') == c ? column('map_K') : NaN\n"
    "plot csv using (column('map_B')):(cell(2)):(column('map_halfB')):(column('map_halfK')) "
    "with boxxyerror lc rgb '#F4D3C6' title 'grows', "
    "csv using (column('map_B')):(cell(1)):(column('map_halfB')):(column('map_halfK')) "
    "with boxxyerror lc rgb '#FBEFD0' title 'stable only', "
    "csv using (column('map_B')):(cell(0)):(column('map_halfB')):(column('map_halfK')) "
    "with boxxyerror lc rgb '#CBE7DA' title 'passive'";

static const char closed[] =
    ", csv using (column('closed_B')):(column('closed_passive')) with lines lc rgb '#005F45' "
    "lw 1.4 title 'passive limit, closed form'"
    ", csv using (column('closed_B')):(column('closed_stable')) with lines lc rgb '#A34700' "
    "lw 1.4 title 'stable limit, eigenvalues'";

static const char measured[] =
    ", csv using (column('limit_B')):(some('limit_passive')) with %s lc rgb '#009E73' lw 1.6 "
    "pt 7 ps 0.7 title 'passive limit, measured'"
    ", csv using (column('limit_B')):(some('limit_stable')) with %s lc rgb '#D55E00' lw 1.6 "
    "pt 7 ps 0.7 title 'stable limit, measured'"
    ", csv using (column('own_B')):(column('own_K')) with points pt 2 lc rgb '#000000' lw 2.2 "
    "ps 1.3 title 'the scene''s own wall'\n";

static void writeScript(const plZWidth* z, char* text, size_t size)
{
    const bool known = !z->experiment->unknown;
    const char* style = known ? "points" : "linespoints";
    int used = snprintf(text, size, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n%s%s", z->lowB,
                        z->highB, z->lowK, z->highK, cells, known ? closed : "");
    snprintf(text + used, size - (size_t)used, measured, style, style);
}

int plPassivity_Write(const plZWidth* z, const char* title, const char* folder)
{
    enum { scriptSize = 4096, textSize = 512 };
    char script[scriptSize], parameters[textSize];
    const plLoop* l = &z->experiment->loop;
    const plFigure figure = {.id = "passivity",
                             .title = title,
                             .caption = "Walls by stiffness and damping: passive, stable, neither.",
                             .parameters = parameters,
                             .width = 860,
                             .height = 520,
                             .script = script};
    plFigureJob* job = calloc(1, sizeof *job);
    int code = pl_exitOk;
    if (!job) return plComplain(pl_exitInput, "no memory");
    job->figure = &figure;
    writeScript(z, script, sizeof script);
    snprintf(parameters, sizeof parameters,
             "rate %.9g Hz, mass %.9g kg, damping %.9g N s/m, dry friction %.9g N, encoder %.9g m, "
             "delay %d ticks, depth %.9g m",
             1 / l->T, l->mass, l->damping, l->friction, l->encoder, l->delay,
             z->experiment->depth);
    addClaims(job, z);
    const bool made = addPoints(job, z) && addLimits(job, z) && addClosed(job, z) && addOwn(job, z);
    if (!made || plFigureJob_Write(job, folder) != pl_writtenAll) {
        code = plComplain(pl_exitOutput, "%s", job->message);
    } else {
        printf("  written   %s/passivity.csv, .json, .svg\n", folder);
    }
    plFigureJob_Free(job);
    free(job);
    return code;
}
