// Any bytes as a file of tetrahedra, and if it is one, checked, given a surface, mirrored and made
// a body. Memory beyond a few times the input counts as a failure.
#include "bounded.h"
#include "soft/soft.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void checkIndices(const plTets* t)
{
    for (int i = 0; i < 4 * t->tetCount; i++) {
        if (t->tets[i] < 0 || t->tets[i] >= t->pointCount) abort();
    }
}

static void makeBody(const plTets* t, const plAllocator* allocator)
{
    const plElastic material = {1e6, 0.3, 1000};
    plSoft soft;
    plSoftFactor factor;
    plShapeError error;
    const plSoftFactorDef def = {.a = 1, .b = 1e-6};
    if (plSoft_Create(&soft, t, &material, allocator, &error) != pl_statusOk) {
        if (error.message[0] == '\0') abort();
        return;
    }
    if (t->tetCount < 1000) {
        plSoftFactor_Create(&factor, &soft, &def, allocator, &error);
        plSoftFactor_Destroy(&factor, allocator);
    }
    plSoft_Destroy(&soft, allocator);
}

static void use(plTets* t, const plAllocator* allocator)
{
    plTetsReport report;
    plTetsSurface surface;
    plShapeError error;
    checkIndices(t);
    plTets_Check(t, &report, &error);
    plTets_Orient(t);
    plTets_Check(t, &report, &error);
    if (report.inverted > 0) abort();
    if (plTets_Surface(t, allocator, &surface) != pl_statusOk) abort();
    plTetsSurface_Free(&surface);
    makeBody(t, allocator);
    if (plTets_Mirror(t, 0) != pl_statusOk) abort();
    checkIndices(t);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // A tetrahedron of eight characters becomes four faces, and blocks of stiffness.
    Account account = {.limit = 1024 * 1024 + 2048 * size};
    const plAllocator allocator = {take, release, &account};
    plTets mesh;
    plShapeError error;
    if (plTets_Parse("fuzz", data, size, 1, &allocator, &mesh, &error) != pl_statusOk) {
        if (error.message[0] == '\0' || mesh.points || mesh.tets) abort();
    } else {
        use(&mesh, &allocator);
        plTets_Free(&mesh);
    }
    if (account.taken != 0) abort();
    return 0;
}
