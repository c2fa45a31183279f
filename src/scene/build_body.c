// What bodies of several kinds of mechanisms have in common: mass, shapes, numbers of a joint.
#include "math/math.h"
#include "scene/build.h"

// The frame of such a body is at its centre of mass.
bool plBuilder_BodyMass(plBuilder* b, const json_t* json, const plPartShapes* s, double* mass,
                        plMat3* inertia)
{
    static const char* const keys[] = {"mass", "inertia"};
    const plVec3 c = s->mass.center;
    for (int i = 0; i < PL_COUNT(keys) && s->density == 0; i++) {
        if (json_object_get(json, keys[i])) continue;
        return plReader_Fail(b->reader, pl_statusSceneContent,
                             "missing \"%s\", expected \"mass\" and \"inertia\", or \"density\" "
                             "and \"shapes\"",
                             keys[i]);
    }
    if (s->density == 0) return true;
    *mass = s->mass.mass;
    *inertia = s->mass.inertia;
    if (plNorm(c) <= 1e-6 * s->extent) return true;
    return plReader_FailAt(b->reader, "density",
                           "found the centre of mass of the shapes at [%.9g, %.9g, %.9g], "
                           "expected it at the origin: shift the shapes",
                           c.x, c.y, c.z);
}

int plBuilder_EnterBodies(plBuilder* b, const json_t* json, int most, json_t** array)
{
    const int count = plReader_EnterArray(b->reader, json, "bodies", most, array);
    if (count == 0) plReader_Expect(b->reader, *array, "an array of at least one body");
    return count;
}

bool plBuilder_AddBodyShapes(plBuilder* b, const plPartShapes* shapes, int count, plMechanismId id)
{
    plReader_Enter(b->reader, "bodies");
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        plBuilder_AddShapes(b, &shapes[i], id, i);
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}

bool plReader_OneOrMore(plReader* r, const json_t* value, int count, double* out)
{
    if (count == 1 && json_is_number(value)) {
        out[0] = json_number_value(value);
        return isfinite(out[0]) || plReader_Expect(r, value, "a finite number");
    }
    if (count == 1 && !json_is_array(value))
        return plReader_Expect(r, value, "a number, or an array of 1 number");
    return plReader_Numbers(r, value, NULL, count, out);
}
