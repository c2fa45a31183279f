// Siconos: nonsmooth Gauss-Seidel for the cone, Lemke for complementarity.
#include "contacts.h"

#include <Friction_cst.h>
#include <FrictionContactProblem.h>
#include <lcp_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SiconosNumerics.h>
#include <SolverOptions.h>
#include <stdlib.h>
#include <string.h>

enum { mostSweeps = 2000, mostPivots = 20000 };

static void* take(int count, size_t size)
{
    void* memory = calloc((size_t)count, size);
    if (!memory) exit(1);
    return memory;
}

// The library does not free the options of inner solvers themselves.
static void freeOptions(SolverOptions* options)
{
    SolverOptions* inner =
        options->numberOfInternalSolvers > 0 ? options->internalSolvers[0] : NULL;
    solver_options_delete(options);
    free(inner);
    free(options);
}

typedef struct {
    int rows;
    FrictionContactProblem* problem;
    SolverOptions* options;
    double *mu, *u;
} Cone;

static void* createCone(const Contacts* c)
{
    Cone* s = take(1, sizeof *s);
    s->rows = 3 * c->count;
    s->mu = take(c->count, sizeof(double));
    s->u = take(s->rows, sizeof(double));
    for (int i = 0; i < c->count; ++i) s->mu[i] = c->mu;
    s->problem = frictionContactProblem_new_with_data(
        3, c->count, NM_create_from_data(NM_DENSE, s->rows, s->rows, c->W), c->q, s->mu);
    s->options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    s->options->dparam[SICONOS_DPARAM_TOL] = 1e-6;
    s->options->iparam[SICONOS_IPARAM_MAX_ITER] = mostSweeps;
    return s;
}

static bool solveCone(void* self, double* p)
{
    Cone* s = self;
    memset(p, 0, (size_t)s->rows * sizeof *p);
    memset(s->u, 0, (size_t)s->rows * sizeof *p);
    return fc3d_driver(s->problem, p, s->u, s->options) == 0;
}

// W and q are the caller's.
static void destroyCone(void* self)
{
    Cone* s = self;
    s->problem->M->matrix0 = NULL;
    s->problem->q = NULL;
    s->problem->mu = NULL;
    frictionContactProblem_free(s->problem);
    freeOptions(s->options);
    free(s->mu);
    free(s->u);
    free(s);
}

const ConeSolver* coneSiconos(void)
{
    static const ConeSolver solver = {createCone, solveCone, destroyCone};
    return &solver;
}

// --- complementarity

typedef struct {
    int n;
    double *M, *q, *w; // M by columns
    NumericsMatrix* matrix;
    LinearComplementarityProblem problem;
    SolverOptions* options;
} Lcp;

static void* createLcp(int n, const double* M, const double* q)
{
    Lcp* s = take(1, sizeof *s);
    s->n = n;
    s->M = take(n * n, sizeof(double));
    s->q = take(n, sizeof(double));
    s->w = take(n, sizeof(double));
    for (int k = 0; k < n * n; ++k) s->M[k / n + k % n * n] = M[k];
    memcpy(s->q, q, (size_t)n * sizeof *q);
    s->matrix = NM_create_from_data(NM_DENSE, n, n, s->M);
    s->problem = (LinearComplementarityProblem){n, s->matrix, s->q};
    s->options = solver_options_create(SICONOS_LCP_LEMKE);
    s->options->iparam[SICONOS_IPARAM_MAX_ITER] = mostPivots;
    s->options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    return s;
}

static void readyLcp(void* self) { (void)self; }

static bool solveLcp(void* self, double* z)
{
    Lcp* s = self;
    memset(z, 0, (size_t)s->n * sizeof *z);
    memset(s->w, 0, (size_t)s->n * sizeof *z);
    return linearComplementarity_driver(&s->problem, z, s->w, s->options) == 0;
}

static void destroyLcp(void* self)
{
    Lcp* s = self;
    NM_clear(s->matrix); // frees M too
    free(s->matrix);
    freeOptions(s->options);
    free(s->q);
    free(s->w);
    free(s);
}

const LcpSolver* lcpSiconos(void)
{
    static const LcpSolver solver = {createLcp, readyLcp, solveLcp, destroyLcp};
    return &solver;
}
