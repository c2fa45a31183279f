// A law of the user, as explicit as walls of springs are: asked once, at what penetrates, and what it says is done.
#include "law/explicit.h"

#include <string.h>

static const uint32_t cookie = 0x6c704c0b; ///< "\vLpl": of the defaults

plLawDef plDefaultLawDef(void) { return (plLawDef){.cookie = cookie}; }

const plLaw* plLaw_For(const plLawWork* w, plLawName name)
{
    return name == pl_lawOwn && !w->own.solve ? NULL : plLaw_Of(name);
}

const char* plLaw_Complaint(plLawName name, const plLawDef* d)
{
    if (!plLaw_Of(name)) return "there is no such law";
    if (name != pl_lawOwn && !d) return NULL;
    if (!d) return "the law of the user needs contact.own";
    if (d->cookie != cookie) return "contact.own is not made by plDefaultLawDef";
    return d->solve ? NULL : "contact.own needs a function that solves";
}

struct plLawProblem {
    const plSpace* space;
    const plContactMemory* before;
};

int plLawProblem_Count(const plLawProblem* p) { return p->space->count; }
int plLawProblem_Dim(const plLawProblem* p) { return p->space->dim; }
double plLawProblem_Step(const plLawProblem* p) { return p->space->T; }

plLawContact plLawProblem_Contact(const plLawProblem* p, int i)
{
    const plSpace* s = p->space;
    const plPair* pair = &s->pair[i];
    plLawContact c = {.gap = s->gap[i],
                      .age = p->before[i].age,
                      .friction = pair->mu,
                      .restitution = pair->e,
                      .stiffness = pair->stiffness,
                      .damping = pair->damping};
    for (int k = 0; k < s->dim; ++k) {
        c.start[k] = s->uStart[s->dim * i + k];
        c.free[k] = s->uFree[s->dim * i + k];
        c.last[k] = p->before[i].p[k];
    }
    return c;
}

void plLawProblem_Block(const plLawProblem* p, int i, double* block)
{
    const int dim = p->space->dim;
    int stride;
    const double* W = plSpace_Diagonal(p->space, i, &stride);
    for (int k = 0; k < dim; ++k) memcpy(block + dim * k, W + stride * k, (size_t)dim * sizeof *W);
}

void plLawProblem_Apply(const plLawProblem* p, const double* impulses, double* Wp)
{
    plSpace_Apply(p->space, impulses, Wp);
}

static void solve(const plSpace* s, const double* q, int level, const plContactMemory* before,
                  plContactMemory* after, double* p, plLawWork* w, plLawReport* report)
{
    const plLawProblem problem = {s, before};
    const int rows = plSpace_Rows(s);
    bool good = true;
    (void)q, (void)level;
    *report = (plLawReport){0};
    memset(p, 0, (size_t)rows * sizeof *p);
    w->own.solve(w->own.self, &problem, p);
    for (int i = 0; i < rows; ++i) good = good && isfinite(p[i]);
    if (!good) { // as if nothing touched
        memset(p, 0, (size_t)rows * sizeof *p);
        report->flags |= pl_reportNotConverged;
    }
    plLaw_CountStates(s, p, report);
    plLaw_Remember(s, before, after, p);
}

const plLaw plOwnLaw = {.name = "own",
                        .response = pl_responseStep,
                        .biasCount = plLaw_NoBias,
                        .bias = plLaw_WriteNoBias,
                        .solve = solve,
                        .judge = plLaw_NoJudgement,
                        .natural = plLaw_NoJudgement};
