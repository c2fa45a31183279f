// Contact problems without a world around them, and the solvers of the peers.
//   letters  w = W p + q, a contact has the rows n, t1, t2; W by rows, symmetric
#ifndef PALP_BENCH_CONTACTS_H
#define PALP_BENCH_CONTACTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    contactsElastic, ///< a compliance that falls off with distance, as of one soft body
    contactsRigid    ///< cubes with four contacts each: W has half rank, and 1e-6 on its diagonal
} ContactsKind;

typedef struct {
    int count;
    double mu;
    double *W, *q;
} Contacts;

void contactsMake(Contacts*, ContactsKind, int count, double mu, uint64_t seed);
void contactsFree(Contacts*);

/// Solvers of the cone, to a natural map of 1e-6 of |q|.
typedef struct {
    void* (*create)(const Contacts*); ///< which must stay
    bool (*solve)(void*, double* p);  ///< from p = 0; false: it says that it failed
    void (*destroy)(void*);
} ConeSolver;

const ConeSolver* coneSiconos(void); ///< nonsmooth Gauss-Seidel; null: not installed

/// Solvers of w = M z + q, w and z >= 0, w z = 0; M by rows.
typedef struct {
    void* (*create)(int n, const double* M, const double* q);
    void (*ready)(void*); ///< makes anew what solving destroys
    bool (*solve)(void*, double* z);
    void (*destroy)(void*);
} LcpSolver;

const LcpSolver* lcpSiconos(void); ///< Lemke, lexicographic
const LcpSolver* lcpBullet(void);  ///< Dantzig; symmetric M only

#ifdef __cplusplus
}
#endif
#endif
