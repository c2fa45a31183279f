// The lists of names that scenes, commands and reports share.
#include "world/inside.h"

#include <string.h>

static const char* at(const char* const* names, int count, int i)
{
    return i >= 0 && i < count && names[i] ? names[i] : "unknown";
}

const char* plIntegrator_Name(int i)
{
#define X(name, word, what) word,
    static const char* const names[] = {PL_INTEGRATOR_LIST(X)};
#undef X
    return at(names, PL_COUNT(names), i);
}

const char* plLawName_Name(int i)
{
#define X(name, word, what, source) [pl_law##name] = word,
    static const char* const names[] = {PL_LAW_LIST(X)[pl_lawOwn] = "own"};
#undef X
    return at(names, PL_COUNT(names), i);
}

const char* plAction_Name(int i)
{
    static const char* const names[pl_actionCount] = {"full", "simple", "hess", "rank1"};
    return at(names, pl_actionCount, i);
}

const char* plCoefficients_Name(int i)
{
    static const char* const names[pl_coefficientsCount] = {"predicted", "frozen"};
    return at(names, pl_coefficientsCount, i);
}

const char* plRoute_Name(int i)
{
    static const char* const names[pl_routeCount] = {"cholesky", "square-root"};
    return at(names, pl_routeCount, i);
}

const char* plLinkForm_Name(int i)
{
    static const char* const names[pl_linkFormCount] = {"passive", "implicit"};
    return at(names, pl_linkFormCount, i);
}

const char* plSoftModel_Name(int i)
{
    static const char* const names[pl_softModelCount] = {"corotational", "dynamic", "lagged",
                                                         "elements"};
    return at(names, pl_softModelCount, i);
}

const char* plBias_Name(int i)
{
    static const char* const names[pl_biasCount] = {"one-sided", "elastic", "plastic", "gap"};
    return at(names, pl_biasCount, i);
}

const char* plCollision_Name(int i)
{
    static const char* const names[pl_collisionCount] = {"equality", "complementarity", "poisson"};
    return at(names, pl_collisionCount, i);
}

const char* plWallModel_Name(int i)
{
    static const char* const names[pl_wallCount] = {"hold", "estimate", "hysteretic"};
    return at(names, pl_wallCount, i);
}

const char* plFrictionModel_Name(int i)
{
    static const char* const names[pl_frictionCount] = {"smoothed",   "classical", "reset",
                                                        "drift-free", "dahl",      "stick-point",
                                                        "finger-pad", "lugre",     "karnopp"};
    return at(names, pl_frictionCount, i);
}

const char* plContactState_Name(int i)
{
    static const char* const names[pl_contactStateCount] = {"free", "colliding", "resting"};
    return at(names, pl_contactStateCount, i);
}

const char* plHandKind_Name(int i)
{
    static const char* const names[pl_handCount] = {"force", "impedance"};
    return at(names, pl_handCount, i);
}

const char* plCouplingKind_Name(int i)
{
    static const char* const names[] = {
        "four-channel", "virtual", "unilateral",   "direct",
        "fingertip",    "grip",    "set-position", [pl_couplingOwn] = "own"};
    return at(names, PL_COUNT(names), i);
}

const char* plFeedback_Name(int i)
{
    static const char* const names[pl_feedbackCount] = {"mean", "held"};
    return at(names, pl_feedbackCount, i);
}

const char* plProjection_Name(int i)
{
    static const char* const names[pl_projectionCount] = {"line", "norm"};
    return at(names, pl_projectionCount, i);
}

const char* plLimit_Name(int i)
{
    static const char* const names[pl_limitCount] = {"none", "saturate", "scale", "spread", "bank"};
    return at(names, pl_limitCount, i);
}

int plName_Find(const char* name, int count, const char* (*nameOf)(int))
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(nameOf(i), name) == 0) return i;
    }
    return -1;
}
