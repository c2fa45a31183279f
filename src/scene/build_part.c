// The shapes of a part, and its mass when they are of one density.
#include "scene/build.h"
#include "shape/shape.h"

static const plField densityField = {
    .key = "density", .kind = pl_fieldNumber, .range = pl_rangePositive, .unit = "kg/m^3"};

// -------------------------------------------------------------------------------------- mass

/// Two bodies about their common centre. With d between their centres and the reduced mass
/// m = m_a m_b/(m_a + m_b) the inertia is J_a + J_b + m (|d|^2 I - d d^T) = J_a + J_b - m S(d)^2.
static plMass join(const plMass* a, const plMass* b)
{
    const double sum = a->mass + b->mass;
    const plVec3 d = plSub(b->center, a->center);
    const plMat3 S = plSkew(d), square = plMatMul(&S, &S);
    const plMat3 both = plMatAdd(&a->inertia, 1, &b->inertia);
    return (plMass){.mass = sum,
                    .center = plAddScaled(a->center, b->mass / sum, d),
                    .inertia = plMatAdd(&both, -a->mass * b->mass / sum, &square)};
}

static plStatus weigh(const plShape* shape, plPartShapes* sum, plShapeError* error)
{
    plMass mass;
    const plStatus status = plShape_Mass(shape, sum->density, &mass, error);
    if (status != pl_statusOk) return status;
    sum->mass = sum->mass.mass > 0 ? join(&sum->mass, &mass) : mass;
    sum->extent = plHigher(sum->extent, shape->extent);
    return status;
}

bool plBuilder_TryShape(plBuilder* b, const plShapeDef* def, plPartShapes* sum)
{
    const plAllocator allocator = plDefaultAllocator();
    const plShape* shape;
    plArena arena;
    plShapeError error = {0};
    if (plArena_Create(&arena, plShape_Memory(def), &allocator) != pl_statusOk)
        return plReader_FailMemory(b->reader);
    plStatus status = plShape_Create(def, &arena, &allocator, &shape, &error);
    if (status == pl_statusOk && sum && sum->density > 0) status = weigh(shape, sum, &error);
    plArena_Destroy(&arena, &allocator);
    if (status == pl_statusOk) return true;
    if (status == pl_statusNoMemory) return plReader_FailMemory(b->reader);
    return plReader_Fail(b->reader, pl_statusSceneContent, "%s", error.message);
}

static bool checkDensity(plReader* r, const json_t* json, int shapeCount)
{
    static const char* const others[] = {"mass", "center", "inertia", "rod"};
    for (int i = 0; i < PL_COUNT(others); i++) {
        if (!json_object_get(json, others[i])) continue;
        return plReader_FailAt(r, "density", "found beside \"%s\", expected one of the two",
                               others[i]);
    }
    if (shapeCount > 0) return true;
    return plReader_FailAt(r, "density", "found without shapes, expected at least one beside it");
}

// ------------------------------------------------------------------------------------ shapes

bool plBuilder_ReadShapes(plBuilder* b, const json_t* json, plPartShapes* out)
{
    plReader* r = b->reader;
    json_t* array;
    *out = (plPartShapes){0};
    if (!plReader_Field(r, json, &densityField, &out->density)) return false;
    int count = plReader_EnterArray(r, json, "shapes", plMaxShapes, &array);
    if (count > 0) out->shapes = plBuilder_Take(b, count, sizeof *out->shapes);
    for (int i = 0; i < count && !r->failed; i++) {
        plPartShapeDef* def = &out->shapes[i];
        plReader_EnterIndex(r, i);
        // A world tries shapes itself; but it does not weigh them.
        const bool tried = b->world && out->density == 0;
        if (plBuilder_ReadShape(b, json_array_get(array, (size_t)i), def) &&
            (tried || plBuilder_TryShape(b, &def->shape, out)))
            out->memory += plShape_Memory(&def->shape);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    out->count = count;
    return !r->failed && (out->density == 0 || checkDensity(r, json, count));
}

static bool addShape(plBuilder* b, plPartShapeDef def, plMechanismId mechanism, int part)
{
    plShapeId id;
    def.mechanism = mechanism;
    def.part = part;
    return plBuilder_Passed(b, plWorld_AddShape(b->world, &def, &id));
}

bool plBuilder_AddShapes(plBuilder* b, const plPartShapes* s, plMechanismId mechanism, int part)
{
    plReader* r = b->reader;
    plReader_Enter(r, "shapes");
    b->shapeCount += s->count;
    b->shapeMemory += s->memory;
    b->carrierCount += s->count > 0 && mechanism.index1 > 0;
    if (b->shapeCount > plMaxShapes)
        plReader_Fail(r, pl_statusSceneContent,
                      "found %d shapes up to here, expected at most %d in all", b->shapeCount,
                      plMaxShapes);
    for (int i = 0; i < s->count && b->world && !r->failed; i++) {
        plReader_EnterIndex(r, i);
        addShape(b, s->shapes[i], mechanism, part);
        plReader_Leave(r);
    }
    plReader_Leave(r);
    return !r->failed;
}

bool plBuilder_Ground(plBuilder* b, const json_t* root)
{
    static const plField fields[] = {{.key = "shapes", .kind = pl_fieldOther}};
    const json_t* ground = json_object_get(root, "ground");
    plPartShapes shapes;
    if (!ground) return true;
    plReader_Enter(b->reader, "ground");
    if (plReader_Object(b->reader, ground, fields, PL_COUNT(fields), &shapes) &&
        plBuilder_ReadShapes(b, ground, &shapes))
        plBuilder_AddShapes(b, &shapes, (plMechanismId){0}, 0);
    plReader_Leave(b->reader);
    return !b->reader->failed;
}
