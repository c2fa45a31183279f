// Writes a scene of tick_scene.h as a scene file, with all digits.
#ifndef PALP_TEST_TICK_DUMP_H
#define PALP_TEST_TICK_DUMP_H

#include "tick_scene.h"

static inline void putVec(FILE* f, const char* key, plVec3 v)
{
    fprintf(f, ", \"%s\": [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

static inline void putQuat(FILE* f, const char* key, plQuat q)
{
    fprintf(f, ", \"%s\": [%.17g, %.17g, %.17g, %.17g]", key, q.w, q.x, q.y, q.z);
}

static inline void putNumber(FILE* f, const char* key, double x)
{
    if (isinf(x))
        fprintf(f, ", \"%s\": \"rigid\"", key);
    else if (x != 0)
        fprintf(f, ", \"%s\": %.17g", key, x);
}

static inline void putNumbers(FILE* f, const char* key, const double* x, int count)
{
    fprintf(f, ", \"%s\": [", key);
    for (int i = 0; i < count; ++i) fprintf(f, "%s%.17g", i ? ", " : "", x[i]);
    fputs("]", f);
}

static inline void putInertia(FILE* f, const plMat3* J)
{
    fprintf(f,
            ", \"inertia\": [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]",
            J->x.x, J->x.y, J->x.z, J->y.x, J->y.y, J->y.z, J->z.x, J->z.y, J->z.z);
}

static inline void putShape(FILE* f, const plShapeDef* s)
{
    fprintf(f, "{\"type\": \"%s\"", plShapeKind_Name((int)s->kind));
    putVec(f, "position", s->frame.p);
    putQuat(f, "orientation", s->frame.q);
    if (s->kind == pl_shapeSphere || s->kind == pl_shapeCapsule) putNumber(f, "radius", s->radius);
    if (s->kind == pl_shapeCapsule) putNumber(f, "length", s->length);
    if (s->kind == pl_shapeBox) putVec(f, "half", s->half);
    if (s->kind == pl_shapePlane) putVec(f, "normal", s->normal);
    if (s->kind == pl_shapeHull) {
        fputs(", \"points\": [", f);
        for (int i = 0; i < s->pointCount; ++i) {
            const plVec3 p = s->points[i];
            fprintf(f, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", p.x, p.y, p.z);
        }
        fputs("]", f);
    }
    fputs("}", f);
}

static inline void putShapes(FILE* f, uint32_t mechanism, int part)
{
    const char* before = "";
    fputs("\"shapes\": [", f);
    for (int i = 0; i < recorded.shapeCount; ++i) {
        const plPartShapeDef* d = &recorded.shapes[i];
        if (d->mechanism.index1 != mechanism || d->part != part) continue;
        fputs(before, f);
        putShape(f, &d->shape);
        before = ", ";
    }
    fputs("]", f);
}

static inline void putBody(FILE* f, const plAssemblyDef* d)
{
    fprintf(f, "\"type\": \"assembly\", \"mass\": %.17g", d->mass);
    putInertia(f, &d->inertia);
    putVec(f, "position", d->pose.p);
    putQuat(f, "orientation", d->pose.q);
    putVec(f, "velocity", d->velocity);
    putVec(f, "spin", d->spin);
}

static inline void putBeam(FILE* f, const plBeamDef* b, const double* start)
{
    fprintf(
        f,
        ", \"beam\": {\"length\": %.17g, \"mass\": %.17g, \"modes\": [%d, %d], \"damping\": %.17g",
        b->length, b->mass, b->modes[0], b->modes[1], b->damping);
    putNumbers(f, "bending", b->bending, 2);
    const double all[2 * plBeamModes] = {start[0], start[1]};
    putNumbers(f, "start", all, b->modes[0] + b->modes[1]);
    fputs("}", f);
}

static inline void putChain(FILE* f, int mechanism, uint32_t index1)
{
    const plChainDef* d = &recorded.chains[mechanism];
    fputs("\"type\": \"chain\"", f);
    putVec(f, "position", d->base.p);
    putQuat(f, "orientation", d->base.q);
    fputs(", \"bodies\": [", f);
    for (int i = 0; i < d->bodyCount; ++i) {
        const plChainBodyDef* b = &recorded.chainBodies[mechanism][i];
        const int positions = plJoint_Positions(b->joint);
        fprintf(f, "%s{\"name\": \"b%d\", \"joint\": \"%s\", \"mass\": %.17g", i ? ",\n    " : "",
                i, plJoint_Name((int)b->joint), b->mass);
        if (b->parent >= 0)
            fprintf(f, ", \"parent\": \"b%d\"", b->parent);
        else
            fputs(", \"parent\": \"base\"", f);
        putVec(f, "at", b->frame.p);
        putQuat(f, "orientation", b->frame.q);
        if (b->joint == pl_jointRevolute) putVec(f, "axis", b->axis);
        putVec(f, "center", b->center);
        putInertia(f, &b->inertia);
        putNumber(f, "stiffness", b->stiffness);
        putNumber(f, "damping", b->damping);
        if (positions > 0) putNumbers(f, "start", b->position, positions);
        if (positions > 0 && b->stiffness > 0) putNumbers(f, "rest", b->rest, positions);
        if (b->beam.length > 0) putBeam(f, &b->beam, recorded.beamStarts[mechanism][i]);
        fputs(", ", f);
        putShapes(f, index1, i);
        fputs("}", f);
    }
    fputs("]", f);
}

static inline void putMechanism(FILE* f, const Scene* s, int i)
{
    fprintf(f, "%s\n  {\"name\": \"m%d\", ", i ? "," : "", i);
    if (recorded.kinds[i] == isChain) {
        putChain(f, i, s->ids[i].index1);
    } else {
        if (recorded.kinds[i] == isBody) {
            putBody(f, &recorded.bodies[i]);
        } else {
            fputs("\"type\": \"prescribed\"", f);
            putVec(f, "position", recorded.frames[i].p);
            putQuat(f, "orientation", recorded.frames[i].q);
        }
        fputs(", ", f);
        putShapes(f, s->ids[i].index1, 0);
    }
    fputs("}", f);
}

static inline void putSite(FILE* f, const Scene* s, const char* key, plSite site)
{
    int i = 0;
    if (site.mechanism.index1 == 0) {
        fprintf(f, ", \"%s\": {\"ground\": [%.17g, %.17g, %.17g]}", key, site.point.x, site.point.y,
                site.point.z);
        return;
    }
    while (s->ids[i].index1 != site.mechanism.index1) ++i;
    fprintf(f, ", \"%s\": {\"mechanism\": \"m%d\"", key, i);
    if (recorded.kinds[i] == isChain) fprintf(f, ", \"part\": \"b%d\"", site.part);
    putVec(f, "point", site.point);
    fputs("}", f);
}

static inline void putLink(FILE* f, const Scene* s, int i)
{
    const plLinkDef* d = &s->links[i];
    fprintf(f, "%s\n  {\"name\": \"l%d\"", i ? "," : "", i);
    putSite(f, s, "a", d->a);
    putSite(f, s, "b", d->b);
    putNumber(f, "stiffness", d->stiffness);
    putNumber(f, "damping", d->damping);
    putNumber(f, "distance", d->distance);
    if (plNorm(d->slide) > 0) putVec(f, "slide", d->slide);
    if (d->turns) {
        fputs(", \"turns\": true", f);
        putNumber(f, "turnStiffness", d->turnStiffness);
        putNumber(f, "turnDamping", d->turnDamping);
        putQuat(f, "rest", d->rest);
        if (plNorm(d->hinge) > 0) putVec(f, "hinge", d->hinge);
        if (plNorm(d->cross) > 0) putVec(f, "cross", d->cross);
    }
    fputs("}", f);
}

static inline void putDrive(FILE* f, const Scene* s, int i)
{
    const plDriveDef* d = &s->drives[i];
    int m = 0;
    while (s->ids[m].index1 != d->site.mechanism.index1) ++m;
    fprintf(f, "%s\n  {\"mechanism\": \"m%d\"", i ? "," : "", m);
    if (recorded.kinds[m] == isChain) fprintf(f, ", \"part\": \"b%d\"", d->site.part);
    putVec(f, "point", d->site.point);
    putVec(f, "force", d->wrench.force);
    fprintf(f, ", \"bias\": %.17g, \"amplitude\": %.17g, \"frequency\": %.17g}", d->bias,
            d->amplitude, d->frequency);
}

/// Writes the scene at work as a scene file where PALP_DUMP says, if it says so.
static inline void dumpScene(const Scene* s, double time)
{
    const char* path = getenv("PALP_DUMP");
    FILE* f = path ? fopen(path, "w") : NULL;
    const plWorldDef* w = &recorded.world;
    if (!f) return;
    fprintf(f, "{\"title\": \"dumped\", \"step\": %.17g, \"time\": %.17g, \"law\": \"%s\"",
            1 / s->rate, time, plLawName_Name((int)w->contact.law));
    putVec(f, "gravity", w->gravity);
    fprintf(f,
            ", \"contact\": {\"surface\": {\"friction\": %.17g, \"restitution\": "
            "%.17g}},\n\"ground\": {",
            w->contact.surface.friction, w->contact.surface.restitution);
    putShapes(f, 0, 0);
    fputs("},\n\"mechanisms\": [", f);
    for (int i = 0; i < s->count; ++i) putMechanism(f, s, i);
    fputs("],\n\"links\": [", f);
    for (int i = 0; i < s->linkCount; ++i) putLink(f, s, i);
    fputs("],\n\"drives\": [", f);
    for (int i = 0; i < s->driveCount; ++i) putDrive(f, s, i);
    fputs("]}\n", f);
    fclose(f);
    print_message("written to %s\n", path);
}

#endif
