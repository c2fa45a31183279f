// Courses of single joints by ADAMS: a body of 1 kg, its centre 2 m from the joint along x, under
// 9.80665 m/s^2 along -z, for 5 s in steps of 10 ms. The set-up is in the files test_*.adm.
// Body axes are those of the marker at its centre. Forces are those on the ground.
#ifndef PALP_TEST_ADAMS_H
#define PALP_TEST_ADAMS_H

#include "jointeds.h"
#include "reference.h"

#include <stdio.h>

enum { adamsRows = 501 };

typedef enum {
    adamsPos,
    adamsQuat,
    adamsVel,
    adamsAvel,
    adamsAcc,
    adamsAacc,
    adamsForce,
    adamsTorque,
    adamsFiles
} AdamsFile;

typedef struct {
    const char* name;
    plConstraint kind;
    bool turned; ///< markers have their z along the world's y
    double value[adamsFiles][adamsRows][4];
} Adams;

static Adams adams[] = {{.name = "Revolute", .kind = pl_constraintRevolute, .turned = true},
                        {.name = "Spherical", .kind = pl_constraintSpherical},
                        {.name = "Prismatic", .kind = pl_constraintPrismatic}};

static const plVec3 adamsGravity = {0, 0, -9.80665};

static inline void readAdams(Adams* a, AdamsFile file)
{
    static const char* const names[adamsFiles] = {"Pos", "Quat", "Vel",    "Avel",
                                                  "Acc", "Aacc", "Rforce", "Rtorque"};
    char name[128], line[256];
    snprintf(name, sizeof name, "data/joints/%s_Case01_ADAMS_%s.txt", a->name, names[file]);
    FILE* f = fopen(publishedFile(name), "r");
    assert_non_null(f);
    int row = 0;
    while (row < adamsRows && fgets(line, sizeof line, f)) {
        char* at = line;
        char* end;
        strtod(line, &end);
        if (end == line) continue; // of the head
        at = end;
        for (int i = 0; i < (file == adamsQuat ? 4 : 3); ++i) {
            a->value[file][row][i] = strtod(at, &at);
        }
        ++row;
    }
    fclose(f);
    assert_int_equal(row, adamsRows);
}

static inline void loadAdams(void)
{
    for (int i = 0; i < PL_COUNT(adams); ++i) {
        for (int file = 0; file < adamsFiles; ++file) readAdams(&adams[i], (AdamsFile)file);
    }
}

/// Axes of the markers of a case, in the world.
static inline plQuat adamsAxes(const Adams* a) { return a->turned ? zToY() : (plQuat){1, 0, 0, 0}; }

static inline double adamsFar(const Adams* a, AdamsFile file, int row, plVec3 ours)
{
    return plNorm(plSub(ours, plGet3(a->value[file][row])));
}

/// Largest difference of two turns [rad].
static inline double adamsTurn(const Adams* a, int row, plQuat ours)
{
    const plQuat theirs = plQuatUnit(plGet4(a->value[adamsQuat][row]));
    return plNorm(plLogQuat(plQuatMul(plQuatConj(theirs), ours)));
}

#endif
