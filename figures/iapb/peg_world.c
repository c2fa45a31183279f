// The worlds of the peg: who holds it, and what it meets.
#include "iapb/peg.h"
#include "math/math.h"

const plPegLook plPegMethods[pl_pegMethodCount] = {
    [pl_pegIdeal] = {"ideal", pl_lawCone, pl_limitNone},
    [pl_pegFull] = {"full", pl_lawImpulse, pl_limitNone},
    [pl_pegSpread] = {"spread", pl_lawImpulse, pl_limitSpread},
    [pl_pegBank] = {"bank", pl_lawImpulse, pl_limitBank},
    [pl_pegScaled] = {"scaled", pl_lawImpulse, pl_limitScale},
    [pl_pegSaturated] = {"saturated", pl_lawImpulse, pl_limitSaturate},
    [pl_pegPenalty] = {"penalty", pl_lawPenalty, pl_limitNone},
    [pl_pegCoupler] = {"coupler", pl_lawPenalty, pl_limitNone}};

// The last four are the same in all: e = 0, the hand as it is, the equality of the paper, no walls.
const plPegCorner plPegCorners[plPegCornerCount] = {
    {.01998, .03009, 0, 50, 0, 1, 0, false},  {.01998, .02497, 0, 50, 0, 1, 0, false},
    {.03006, .01998, 0, 50, 0, 1, 0, false},  {.00499, .00801, 0, 50, 0, 1, 0, false},
    {.05002, .07998, 0, 50, 0, 1, 0, false},  {.01998, .03009, 2, 50, 0, 1, 0, false},
    {.01998, .03009, -2, 50, 0, 1, 0, false}, {.01998, .03009, 5, 50, 0, 1, 0, false},
    {.01998, .03009, 10, 50, 0, 1, 0, false}, {.01998, .03009, -20, 50, 0, 1, 0, false},
    {.01998, .03009, 0, 5, 0, 1, 0, false}};

const plVec3 plPegHalf = {0.0105, 0.00525, 0.005};
const double plPegStep = 1.0 / 512;

/// Where the centre is when the closest corner has the gaps.
static plPose startOf(const plPegCorner* c)
{
    const double a = c->tilt * PL_PI / 180, co = fabs(cos(a)), si = fabs(sin(a));
    return (plPose){plVec(c->gapX + co * plPegHalf.x + si * plPegHalf.y,
                          -c->gapY - (si * plPegHalf.x + co * plPegHalf.y), 0),
                    plRotor(plVec(0, 0, 1), a)};
}

/// The walls of the ideal world do not yield: contacts are met before they touch, and what the steps
/// leave of depth is taken back at once.
static plContactDef contactDef(const plPegCorner* c, plPegMethod s)
{
    plContactDef d = plDefaultContactDef();
    d.law = plPegMethods[s].law;
    d.bias = pl_biasOneSided;
    d.collision = c->collision;
    d.surface.friction = 0;
    d.surface.restitution = c->e;
    d.surface.stiffness = 1000;
    d.surface.damping = c->damping;
    d.wallsInCollision = c->walls;
    d.cluster = 0;
    if (s != pl_pegIdeal) return d;
    d.reach = d.coherence = 0.05;
    d.driftRate = 1;
    d.slop = 0;
    return d;
}

static plStatus addTool(plPeg* p, const plPegCorner* c)
{
    plChainBodyDef body = plDefaultChainBodyDef();
    plChainDef chain = plDefaultChainDef();
    const plPose start = startOf(c);
    body.name = "peg";
    body.joint = pl_jointPlanar;
    body.mass = 2;
    body.inertia = plDiagonal3(0.005, 0.005, 0.005);
    body.position[0] = start.p.x;
    body.position[1] = start.p.y;
    body.position[2] = c->tilt * PL_PI / 180;
    chain.name = "tool";
    chain.bodies = &body;
    chain.bodyCount = 1;
    chain.integrator = pl_integratorSemiImplicit;
    return plWorld_AddChain(p->world, &chain, &p->tool);
}

static plStatus addProxy(plPeg* p, const plPegCorner* c)
{
    plPrescribedDef frame = plDefaultPrescribedDef();
    frame.name = "tool";
    frame.pose = startOf(c);
    return plWorld_AddPrescribed(p->world, &frame, &p->tool);
}

static plStatus addShapes(const plPeg* p)
{
    plPartShapeDef wall = plDefaultPartShapeDef(pl_shapePlane);
    plPartShapeDef box = plDefaultPartShapeDef(pl_shapeBox);
    plShapeId id;
    box.mechanism = p->tool;
    box.shape.half = plPegHalf;
    wall.shape.normal = plVec(1, 0, 0);
    plStatus status = plWorld_AddShape(p->world, &wall, &id);
    wall.shape.normal = plVec(0, -1, 0);
    if (status == pl_statusOk) status = plWorld_AddShape(p->world, &wall, &id);
    if (status == pl_statusOk) status = plWorld_AddShape(p->world, &box, &id);
    return status;
}

static plStatus addDevice(plPeg* p, const plPegCorner* c)
{
    plDeviceDef device = plDefaultDeviceDef();
    device.name = "stick";
    device.mass = plVec(2, 2, 2);
    device.inertia = plVec(0.005, 0.005, 0.005);
    device.pose = startOf(c);
    device.hand.wrench.force = plScale(c->push, plVec(-0.32, 0.4, 0));
    return plWorld_AddDevice(p->world, &device, &p->device);
}

static plStatus addCoupling(const plPeg* p, plPegMethod s)
{
    plCouplingDef hold = plDefaultCouplingDef();
    plCouplingId id;
    const bool proxy = s == pl_pegCoupler;
    const double K = proxy ? 1000 : 100, B = proxy ? 50 : 70;
    const double Kr = proxy ? 2.5 : 0.5, Br = proxy ? 0.125 : 0.375;
    hold.name = "hold";
    if (proxy) hold.kind = pl_couplingUnilateral;
    hold.device = p->device;
    hold.tool.mechanism = p->tool;
    hold.stiffness = plVec(K, K, K);
    hold.damping = plVec(B, B, B);
    hold.turnStiffness = plVec(Kr, Kr, Kr);
    hold.turnDamping = plVec(Br, Br, Br);
    hold.limit = plPegMethods[s].limit;
    hold.forceLimit = plVec(15, 15, 15);
    hold.torqueLimit = plVec(1, 1, 1);
    return plWorld_AddCoupling(p->world, &hold, &id);
}

plStatus plPeg_Open(const plPegCorner* c, plPegMethod s, plPeg* p)
{
    plWorldDef def = plDefaultWorldDef();
    def.planar = true;
    def.gravity = plVec(0, 0, 0);
    def.contact = contactDef(c, s);
    plStatus status = plWorld_Create(&def, &p->world);
    if (status != pl_statusOk) return status;
    status = s == pl_pegCoupler ? addProxy(p, c) : addTool(p, c);
    if (status == pl_statusOk) status = addShapes(p);
    if (status == pl_statusOk) status = addDevice(p, c);
    if (status == pl_statusOk) status = addCoupling(p, s);
    if (status != pl_statusOk) plWorld_Destroy(p->world);
    return status;
}
