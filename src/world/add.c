// Adding to a world: mechanisms, links, drives, forces of one step.
#include "world/inside.h"

#include <stdio.h>
#include <string.h>

bool plWorld_NameTaken(const plWorld* w, const char* name)
{
    plMechanismId mechanism;
    plLinkId link;
    plDeviceId device;
    plCouplingId coupling;
    return strcmp(name, "contacts") == 0 ||
           plWorld_FindMechanism(w, name, &mechanism) == pl_statusOk ||
           plWorld_FindLink(w, name, &link) == pl_statusOk ||
           plWorld_FindDevice(w, name, &device) == pl_statusOk ||
           plWorld_FindCoupling(w, name, &coupling) == pl_statusOk;
}

static bool valid(int value, int count) { return value >= 0 && value < count; }

static plStatus refuse(plWorld* w, plStatus status, const char* why, size_t fixed, size_t state)
{
    plArena_Rewind(&w->fixed, fixed);
    plArena_Rewind(&w->state, state);
    if (status == pl_statusCapacity) why = "the world's memory is full: raise capacity.memory";
    return plWorld_Fail(w, status, why);
}

static plStatus mayAdd(plWorld* w, const char* name, int integrator, int coefficients)
{
    if (w->mechanismCount >= w->def.capacity.mechanisms) {
        return plWorld_Fail(w, pl_statusCapacity, "too many mechanisms: raise capacity.mechanisms");
    }
    if (integrator == pl_integratorRungeKutta) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "runge-kutta is for jointed assemblies, and for nothing else");
    }
    if (!valid(integrator, pl_integratorCount) || !valid(coefficients, pl_coefficientsCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "integrator or coefficients not of the list");
    }
    if (name && plWorld_NameTaken(w, name)) return plWorld_Fail(w, pl_statusDuplicate, NULL);
    return pl_statusOk;
}

// What a new mechanism needs of the world, once it stands.
static plStatus enter(plWorld* w, plMechanism* m, const char** why)
{
    const int n = plMechanism_Velocities(m); // none, where nodes move by themselves
    const plStatus status = plRowSet_Fit(&w->system.set, n > 0 ? n : 1, &w->fixed);
    if (status != pl_statusOk) return status;
    if (!isfinite(plMechanism_Kinetic(m) + plMechanism_Potential(m))) {
        *why = "the energy at the start is not finite";
        return pl_statusBadArgument;
    }
    w->mechanisms[w->mechanismCount++] = m;
    plGroups_Enter(w, w->mechanismCount - 1);
    plLedger_EnterMechanism(w, w->mechanismCount - 1);
    return pl_statusOk;
}

plStatus plWorld_AddAssembly(plWorld* w, const plAssemblyDef* def, plMechanismId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, (int)def->integrator, (int)def->coefficients);
    if (status != pl_statusOk) return status;
    if (!valid((int)def->anchor.action, pl_actionCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "action not of the list");
    }
    status = plMechanism_CreateAssembly(def, w->mechanismCount, w->def.gravity, &w->fixed,
                                        &w->state, &m, &why);
    if (status == pl_statusOk) status = enter(w, m, &why);
    if (status != pl_statusOk) return refuse(w, status, why, fixed, state);
    *id = plWorld_Mechanism(w, w->mechanismCount - 1);
    return pl_statusOk;
}

plPrescribedDef plDefaultPrescribedDef(void) { return (plPrescribedDef){.pose.q = {1, 0, 0, 0}}; }

plStatus plWorld_AddPrescribed(plWorld* w, const plPrescribedDef* def, plMechanismId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, pl_integratorMidpoint, pl_coefficientsPredicted);
    if (status != pl_statusOk) return status;
    status = plMechanism_CreatePrescribed(def, w->mechanismCount, &w->fixed, &w->state, &m, &why);
    if (status == pl_statusOk) status = enter(w, m, &why);
    if (status != pl_statusOk) return refuse(w, status, why, fixed, state);
    *id = plWorld_Mechanism(w, w->mechanismCount - 1);
    return pl_statusOk;
}

plStatus plWorld_Steer(plWorld* w, plMechanismId id, plPose pose)
{
    const bool known = plWorld_MechanismName(w, id) != NULL;
    if (!known || plMechanism_Traits(w->mechanisms[id.index1 - 1])->yields) {
        return plWorld_Fail(w, pl_statusBadId, "only a prescribed frame can be steered");
    }
    if (!plFinitePose(pose)) {
        return plWorld_Fail(w, pl_statusBadArgument, "a pose must be finite");
    }
    plMechanism_Steer(w->mechanisms[id.index1 - 1], pose);
    return pl_statusOk;
}

// Laws that promise to create nothing are those that hold on gaps.
const char plSoftLaws[] = "soft bodies are met by cone or lcp: walls of springs would shake them";
bool plWorld_MeetsSoft(const plLaw* law) { return law->levels > 0 && !law->returns; }

// What is soft of a world's mechanisms lies outside its arenas.
static plStatus enterSoft(plWorld* w, plMechanism* m, const plSoftDef* def, plShapeError* error)
{
    const char* why = "the world's memory is full: raise capacity.memory";
    plStatus status = plRowSet_FitLocal(&w->system.set, w->system.size.rows, &w->fixed);
    if (status == pl_statusOk) status = enter(w, m, &why);
    if (status == pl_statusOk) {
        status = plShapes_AddSkin(w, w->mechanismCount - 1, def, &why);
        if (status != pl_statusOk) --w->mechanismCount;
    }
    if (status == pl_statusOk) return status;
    plMechanism_Destroy(m, &w->def.allocator);
    snprintf(error->message, sizeof error->message, "%s", why);
    return status;
}

plStatus plWorld_AddSoft(plWorld* w, const plSoftDef* def, plMechanismId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    plMechanism* m = NULL;
    plShapeError error = {0};
    plStatus status = mayAdd(w, def->name, (int)def->integrator, pl_coefficientsFrozen);
    if (status != pl_statusOk) return status;
    if (w->def.planar) return plWorld_Fail(w, pl_statusBadArgument, "soft bodies leave the plane");
    if (w->collide && !plWorld_MeetsSoft(w->law)) {
        return plWorld_Fail(w, pl_statusBadArgument, plSoftLaws);
    }
    status = plMechanism_CreateSoft(def, w->mechanismCount, w->def.gravity, &w->fixed, &w->state,
                                    &w->def.allocator, &m, &error);
    if (status == pl_statusOk) status = enterSoft(w, m, def, &error);
    if (status != pl_statusOk) {
        plArena_Rewind(&w->fixed, fixed);
        plArena_Rewind(&w->state, state);
        return plWorld_Fail(w, status, error.message);
    }
    *id = plWorld_Mechanism(w, w->mechanismCount - 1);
    return pl_statusOk;
}

plStatus plWorld_SoftInfo(const plWorld* w, plMechanismId id, double T, plSoftInfo* info)
{
    const plMechanism* m = plWorld_Inside(w, id);
    if (!m || !plMechanism_Traits(m)->deforms) return pl_statusBadId;
    plMechanism_SoftInfo(m, T, info);
    return pl_statusOk;
}

const int* plWorld_SoftFaces(const plWorld* w, plMechanismId id, int* count)
{
    const plMechanism* m = plWorld_Inside(w, id);
    if (!m || !plMechanism_Traits(m)->deforms) return NULL;
    const plSurfaceView view = plMechanism_Surface(m);
    *count = view.faceCount;
    return view.faces;
}

plStatus plWorld_SoftPoints(plWorld* w, plMechanismId id, plVec3* points)
{
    plMechanism* m = plWorld_Inside(w, id);
    if (!m || !plMechanism_Traits(m)->deforms) return pl_statusBadId;
    plMechanism_WholePoints(m, points);
    return pl_statusOk;
}

plStatus plWorld_AddChain(plWorld* w, const plChainDef* def, plMechanismId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, (int)def->integrator, (int)def->coefficients);
    if (status != pl_statusOk) return status;
    if (!valid((int)def->action, pl_actionCount) || !valid((int)def->route, pl_routeCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "action or route not of the list");
    }
    status = plMechanism_CreateChain(def, w->mechanismCount, w->def.gravity, &w->fixed, &w->state,
                                     &m, &why);
    if (status == pl_statusOk) status = enter(w, m, &why);
    if (status != pl_statusOk) return refuse(w, status, why, fixed, state);
    *id = plWorld_Mechanism(w, w->mechanismCount - 1);
    return pl_statusOk;
}

plStatus plWorld_AddJointed(plWorld* w, const plJointedDef* def, plMechanismId* id)
{
    const size_t fixed = w->fixed.used, state = w->state.used;
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, pl_integratorMidpoint, pl_coefficientsPredicted);
    if (status != pl_statusOk) return status;
    status = plMechanism_CreateJointed(def, w->mechanismCount, w->def.gravity, &w->fixed, &w->state,
                                       &m, &why);
    if (status == pl_statusOk) status = enter(w, m, &why);
    if (status != pl_statusOk) return refuse(w, status, why, fixed, state);
    *id = plWorld_Mechanism(w, w->mechanismCount - 1);
    return pl_statusOk;
}

int plWorld_JointCount(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Joints(m) : 0;
}

plStatus plWorld_JointForce(const plWorld* w, plMechanismId id, int joint, double force[6])
{
    if (joint < 0 || joint >= plWorld_JointCount(w, id)) return pl_statusNotFound;
    memcpy(force, plMechanism_JointForce(plWorld_Inside(w, id), joint), 6 * sizeof *force);
    return pl_statusOk;
}

plStatus plWorld_JointPosition(const plWorld* w, plMechanismId id, int joint, double position[2])
{
    if (joint < 0 || joint >= plWorld_JointCount(w, id)) return pl_statusNotFound;
    plMechanism_JointPosition(plWorld_Inside(w, id), joint, position);
    return pl_statusOk;
}

plStatus plWorld_JointError(const plWorld* w, plMechanismId id, double* position, double* velocity)
{
    const plMechanism* m = plWorld_Inside(w, id);
    if (!m || !plMechanism_Traits(m)->constrained) return pl_statusBadId;
    plMechanism_JointError(m, position, velocity);
    return pl_statusOk;
}

plStatus plWorld_AddLink(plWorld* w, const plLinkDef* def, plLinkId* id)
{
    const size_t state = w->state.used;
    const char* why = NULL;
    if (w->linkCount >= w->def.capacity.links) {
        return plWorld_Fail(w, pl_statusCapacity, "too many links: raise capacity.links");
    }
    if (!plText_IsName(def->name)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "a link's name must be 1 to 31 letters, digits, - or _");
    }
    if (plWorld_NameTaken(w, def->name)) return plWorld_Fail(w, pl_statusDuplicate, NULL);
    if (!plWorld_SiteOk(w, def->a) || !plWorld_SiteOk(w, def->b)) {
        return plWorld_Fail(w, pl_statusBadId, "a site of the link names no part of this world");
    }
    why = plWorld_SiteRefuses(w, def->a);
    if (!why) why = plWorld_SiteRefuses(w, def->b);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    if (!valid((int)def->form, pl_linkFormCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "form not of the list");
    }
    plLink* link = &w->links[w->linkCount];
    const plStatus status = plLink_Create(def, w->mechanisms, &w->state, link, &why);
    if (status != pl_statusOk) return refuse(w, status, why, w->fixed.used, state);
    if (!plGroups_Join(w, link)) {
        plArena_Rewind(&w->state, state);
        return plWorld_Fail(w, pl_statusCapacity,
                            "a group of joined mechanisms has too many link rows: raise "
                            "capacity.rows");
    }
    plLedger_EnterLink(w, w->linkCount++);
    *id = plWorld_Link(w, w->linkCount - 1);
    return pl_statusOk;
}

plDriveDef plDefaultDriveDef(void)
{
    return (plDriveDef){.coordinate = -1, .bias = 1, .stop = INFINITY};
}

plStatus plWorld_AddDrive(plWorld* w, const plDriveDef* d)
{
    if (w->driveCount >= w->def.capacity.drives) {
        return plWorld_Fail(w, pl_statusCapacity, "too many drives: raise capacity.drives");
    }
    if (d->site.mechanism.index1 == 0 || !plWorld_SiteOk(w, d->site) ||
        d->coordinate >= plWorld_VelocityCount(w, d->site.mechanism)) {
        return plWorld_Fail(w, pl_statusBadId, "a drive names no part or coordinate of this world");
    }
    const char* why = plWorld_SiteRefuses(w, d->site);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    if (!plFinite3(d->wrench.force) || !plFinite3(d->wrench.torque) ||
        !isfinite(d->effort + d->bias + d->amplitude + d->frequency + d->phase) ||
        isnan(d->start) || isnan(d->stop)) {
        return plWorld_Fail(w, pl_statusBadArgument, "a drive must be finite");
    }
    w->drives[w->driveCount++] = *d;
    return pl_statusOk;
}

plStatus plWorld_ApplyWrench(plWorld* w, plSite site, plWrench wrench)
{
    if (site.mechanism.index1 == 0 || !plWorld_SiteOk(w, site)) {
        return plWorld_Fail(w, pl_statusBadId, NULL);
    }
    const char* why = plWorld_SiteRefuses(w, site);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    if (!plFinite3(wrench.force) || !plFinite3(wrench.torque)) {
        return plWorld_Fail(w, pl_statusBadArgument, "a wrench must be finite");
    }
    plMechanism_AddForce(w->mechanisms[site.mechanism.index1 - 1], site, wrench);
    return pl_statusOk;
}

plStatus plWorld_ApplyEffort(plWorld* w, plMechanismId id, int coordinate, double effort)
{
    if (coordinate < 0 || coordinate >= plWorld_VelocityCount(w, id)) {
        return plWorld_Fail(w, pl_statusBadId, NULL);
    }
    if (!isfinite(effort)) {
        return plWorld_Fail(w, pl_statusBadArgument, "an effort must be finite");
    }
    plMechanism_AddEffort(w->mechanisms[id.index1 - 1], coordinate, effort);
    return pl_statusOk;
}
