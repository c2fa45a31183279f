// Yardsticks that are not installed.
#include "contacts.h"
#include "pairs.h"
#include "rigid.h"
#include "sculpted.h"

#ifndef BENCH_MUJOCO
const RigidEngine* rigidMuJoCo(void) { return NULL; }
#endif
#ifndef BENCH_BULLET
const RigidEngine* rigidBullet(void) { return NULL; }
const LcpSolver* lcpBullet(void) { return NULL; }
const PairPeer* pairBullet(void) { return NULL; }
#endif
#ifndef BENCH_ODE
const RigidEngine* rigidOde(void) { return NULL; }
const PairPeer* pairOde(void) { return NULL; }
#endif
#ifndef BENCH_CCD
const PairPeer* pairCcd(void) { return NULL; }
#endif
#ifndef BENCH_SICONOS
const ConeSolver* coneSiconos(void) { return NULL; }
const LcpSolver* lcpSiconos(void) { return NULL; }
#endif
#ifndef BENCH_SISL
const SculptedPeer* sculptedSisl(void) { return NULL; }
#endif
