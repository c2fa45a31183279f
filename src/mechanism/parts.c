// What others ask of parts, surfaces and joints: the kind answers.
#include "mechanism/kind.h"

void plMechanism_Destroy(plMechanism* m, const plAllocator* allocator)
{
    if (m->ops->destroy) m->ops->destroy(m, allocator);
}

const char* plMechanism_PartName(const plMechanism* m, int part)
{
    return m->ops->partName ? m->ops->partName(m, part) : NULL;
}

int plMechanism_Parent(const plMechanism* m, int part)
{
    return m->ops->parent ? m->ops->parent(m, part) : -1;
}

bool plMechanism_HasPart(const plMechanism* m, int part)
{
    return part >= 0 && part < m->parts + plMechanism_Surface(m).faceCount;
}

// --- surfaces

plSurfaceView plMechanism_Surface(const plMechanism* m)
{
    return m->ops->deform ? m->ops->deform->surface(m) : (plSurfaceView){0};
}

void plMechanism_ShowSurface(plMechanism* m, plWhen when) { m->ops->deform->show(m, when); }

double plMechanism_LargestSpeed(const plMechanism* m) { return m->ops->deform->largestSpeed(m); }

double plMechanism_RowCost(const plMechanism* m)
{
    return m->ops->deform ? m->ops->deform->rowCost(m) : 0;
}

void plMechanism_WholePoints(plMechanism* m, plVec3* x) { m->ops->deform->wholePoints(m, x); }

void plMechanism_SoftInfo(const plMechanism* m, double T, plSoftInfo* info)
{
    m->ops->deform->info(m, T, info);
}

bool plMechanism_Hold(plMechanism* m, bool hold)
{
    return m->ops->deform && m->ops->deform->hold(m, hold);
}

bool plMechanism_HeldFace(const plMechanism* m, int part)
{
    return m->ops->deform && part > 0 && m->ops->deform->heldFace(m, part);
}

void plMechanism_Corners(const plMechanism* m, plWhen when, int face, plVec3 x[3])
{
    m->ops->deform->corners(m, when, face, x);
}

plVec3 plMechanism_RestPoint(const plMechanism* m, plSite site)
{
    return m->ops->deform->carried(m, site, pl_carryRest).point;
}

// --- joints

bool plMechanism_CanClose(plMechanism* m, const double* q)
{
    return !m->ops->joints || m->ops->joints->canClose(m, q);
}

int plMechanism_Joints(const plMechanism* m)
{
    return m->ops->joints ? m->ops->joints->count(m) : 0;
}

const char* plMechanism_JointName(const plMechanism* m, int joint)
{
    return m->ops->joints->name(m, joint);
}

int plMechanism_JointPositions(const plMechanism* m, int joint)
{
    return m->ops->joints->positions(m, joint);
}

const double* plMechanism_JointForce(plMechanism* m, int joint)
{
    return m->ops->joints->force(m, joint);
}

void plMechanism_JointPosition(const plMechanism* m, int joint, double position[2])
{
    m->ops->joints->position(m, joint, position);
}

void plMechanism_JointError(const plMechanism* m, double* position, double* velocity)
{
    m->ops->joints->error(m, position, velocity);
}
