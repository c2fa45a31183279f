// The falling box of the pmi paper: its table, its energy, its incline, its drift.  (spec-pmi 4)
#include "math/math.h"
#include "worlds.h"

typedef struct {
    plLawName law;
    plBias bias;
    int sides;
    double mu, e;
    double driftRate;
    plIntegrator integrator;
    plVec3 gravity, velocity;
    plVec3 position;
    plQuat turn;
} Box;

// Cube of 0.1 m and 1 kg at 0.5 m, turned by exp(S(0.4, 0.2, 0)).
static Box paperBox(plBias bias, int sides, double mu)
{
    return (Box){.law = pl_lawLcp,
                 .bias = bias,
                 .sides = sides,
                 .mu = mu,
                 .gravity = {0, 0, -9.81},
                 .position = {0, 0, 0.5},
                 .turn = plExp(plVec(0.4, 0.2, 0))};
}

static plWorld* boxWorld(const Box* box, plMechanismId* id)
{
    plWorldDef def = plDefaultWorldDef();
    plAssemblyDef body = plDefaultAssemblyDef();
    plPartShapeDef floor = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef cube = plDefaultPartShapeDef(pl_shapeBox);
    plWorld* w;
    plShapeId shape;
    def.gravity = box->gravity;
    def.contact.law = box->law;
    def.contact.bias = box->bias;
    def.contact.sides = box->sides;
    def.contact.surface.friction = box->mu;
    def.contact.surface.restitution = box->e;
    def.contact.driftRate = box->driftRate;
    checkOk(NULL, plWorld_Create(&def, &w));
    body.name = "box";
    body.mass = 1;
    body.inertia = diagonal(0.01 / 6, 0.01 / 6, 0.01 / 6);
    body.pose = (plPose){box->position, box->turn};
    body.velocity = box->velocity;
    body.integrator = box->integrator;
    checkOk(w, plWorld_AddAssembly(w, &body, id));
    checkOk(w, plWorld_AddShape(w, &floor, &shape));
    cube.mechanism = *id;
    cube.shape.half = (plVec3){0.05, 0.05, 0.05};
    checkOk(w, plWorld_AddShape(w, &cube, &shape));
    return w;
}

static void run(plWorld* w, double T, int steps)
{
    for (int i = 0; i < steps; ++i) plWorld_Step(w, T);
}

static double normalForce(const plWorld* w)
{
    double sum = 0;
    for (int i = 0; i < plWorld_ContactCount(w); ++i) {
        plContactInfo c;
        assert_int_equal(plWorld_Contact(w, i, &c), pl_statusOk);
        sum += plDot(c.force, c.normal);
    }
    return sum;
}

static void firstContactIsThatOfTheTable(void** unused)
{
    (void)unused;
    const struct {
        const char* what;
        plBias bias;
        int sides;
        double mu, e, force, change;
    } table[] = {
        {"elastic, 4 sides", pl_biasElastic, 4, 0.3, 0, 3295.468109806, -1.211336252},
        {"elastic, 8 sides", pl_biasElastic, 8, 0.3, 0, 3550.527520754, -1.349652655},
        {"elastic, no friction", pl_biasElastic, 4, 0, 0, 2627.964170990, 0},
        {"plastic, 4 sides", pl_biasPlastic, 4, 0.3, 0, 1650.522098989, -2.692123963},
        {"one-sided, e 0", pl_biasOneSided, 4, 0.3, 0, 1650.522098989, -2.692123963},
        {"one-sided, e 0.5", pl_biasOneSided, 4, 0.3, 0.5, 2472.995104397, -2.471326519},
    };
    for (int k = 0; k < (int)(sizeof table / sizeof table[0]); ++k) {
        Box box = paperBox(table[k].bias, table[k].sides, table[k].mu);
        plMechanismId id;
        box.e = table[k].e;
        plWorld* w = boxWorld(&box, &id);
        run(w, 1e-3, 295);
        assert_int_equal(plWorld_ContactCount(w), 0);
        const double before = energyOf(w);
        run(w, 1e-3, 1);
        assert_int_equal(plWorld_ContactCount(w), 1);
        checkNear(table[k].what, normalForce(w), table[k].force, 1e-6 * table[k].force);
        checkNear(table[k].what, energyOf(w) - before, table[k].change, 2e-6);
        plWorld_Destroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(firstContactIsThatOfTheTable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
