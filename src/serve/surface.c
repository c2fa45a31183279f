// Surfaces of soft bodies: which nodes are told, and how they are joined.
#include "serve/serve.h"

#include <stdlib.h>

static int nodesOf(const plWorld* w)
{
    int sum = 0;
    for (int i = 0; i < plWorld_MechanismCount(w); ++i) {
        sum += plWorld_SoftSurface(w, plWorld_Mechanism(w, i)).nodeCount;
    }
    return sum;
}

/// Nodes that faces use, ascending, counted from `first`; returns how many.
static int listNodes(const plSurfaceView* s, int first, int* list)
{
    int count = 0;
    unsigned char* used = calloc((size_t)s->nodeCount, 1);
    if (!used) return -1;
    for (int i = 0; i < 3 * s->faceCount; ++i) used[s->faces[i]] = 1;
    for (int i = 0; i < s->nodeCount; ++i) {
        if (used[i]) list[count++] = first + i;
    }
    free(used);
    return count;
}

bool plSurfaces_List(const plWorld* w, plSurfaceList* out)
{
    int first = 0;
    *out = (plSurfaceList){.points = calloc((size_t)nodesOf(w) + 1, sizeof(int))};
    for (int i = 0; out->points && i < plWorld_MechanismCount(w); ++i) {
        const plSurfaceView s = plWorld_SoftSurface(w, plWorld_Mechanism(w, i));
        if (s.nodeCount == 0) continue;
        const int count = listNodes(&s, first, out->points + out->pointCount);
        if (count < 0) {
            plSurfaces_Free(out);
            break;
        }
        ++out->bodyCount;
        out->pointCount += count;
        first += s.nodeCount;
    }
    return out->points;
}

void plSurfaces_Free(plSurfaceList* s)
{
    free(s->points);
    *s = (plSurfaceList){0};
}

// --- for the description

static void put3(json_t* list, plVec3 a)
{
    json_array_append_new(list, json_real(a.x));
    json_array_append_new(list, json_real(a.y));
    json_array_append_new(list, json_real(a.z));
}

/// Before the first tick nodes are at rest in the frame of their body.
json_t* plSurface_Describe(const plWorld* w, plMechanismId id)
{
    const plSurfaceView s = plWorld_SoftSurface(w, id);
    int* nodes = calloc((size_t)s.nodeCount, sizeof *nodes);
    int* place = calloc((size_t)s.nodeCount, sizeof *place);
    json_t *points = json_array(), *triangles = json_array();
    plMotion frame;
    plWorld_Motion(w, (plSite){.mechanism = id}, &frame);
    const int count = nodes && place ? listNodes(&s, 0, nodes) : 0;
    for (int i = 0; i < count; ++i) {
        place[nodes[i]] = i;
        put3(points, plMulT(&frame.R, plSub(s.x[nodes[i]], frame.x)));
    }
    for (int i = 0; count > 0 && i < 3 * s.faceCount; ++i) {
        json_array_append_new(triangles, json_integer(place[s.faces[i]]));
    }
    free(nodes);
    free(place);
    return json_pack("{ss s[fffffff] so so}", "kind", "soft", "frame", 0.0, 0.0, 0.0, 1.0, 0.0, 0.0,
                     0.0, "points", points, "triangles", triangles);
}
