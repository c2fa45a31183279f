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

static plStatus mayAdd(plWorld* w, const char* name, int integrator, int coefficients)
{
    if (plSlots_Full(w->slots.mechanisms, w->mechanismCount, w->def.capacity.mechanisms)) {
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

static void findRoom(plRoom* r, plWorld* w)
{
    plRoom_Find(r, w, w->slots.mechanisms, w->mechanismCount, w->def.capacity.mechanisms);
}

// What a new mechanism needs of the world, once it stands.
static plStatus enter(plRoom* r, plMechanism* m, void* data, const char** why)
{
    plWorld* w = r->world;
    const int n = plMechanism_Velocities(m); // none, where nodes move by themselves
    plRoom_Keep(r);
    const plStatus status = plRowSet_Fit(&w->system.set, n > 0 ? n : 1, &w->fixed);
    if (status != pl_statusOk) return status;
    if (!isfinite(plMechanism_Kinetic(m) + plMechanism_Potential(m))) {
        *why = "the energy at the start is not finite";
        return pl_statusBadArgument;
    }
    w->mechanisms[r->index] = m;
    if (r->index == w->mechanismCount) w->mechanismCount++;
    plSlot_Enter(&w->slots.mechanisms[r->index], data);
    plGroups_Enter(w, r->index);
    plLedger_EnterMechanism(w, r->index);
    return pl_statusOk;
}

// The end of an addition: the mechanism enters, or all is as it was.
static plStatus finish(plRoom* r, plStatus status, plMechanism* m, void* data, const char* why,
                       plMechanismId* id)
{
    plWorld* w = r->world;
    if (status == pl_statusOk) status = enter(r, m, data, &why);
    if (status == pl_statusOk) {
        *id = plWorld_Mechanism(w, r->index);
        return status;
    }
    plRoom_GiveUp(r);
    if (status == pl_statusCapacity) why = "the world's memory is full: raise capacity.memory";
    return plWorld_Fail(w, status, why);
}

plStatus plWorld_AddAssembly(plWorld* w, const plAssemblyDef* def, plMechanismId* id)
{
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, (int)def->integrator, (int)def->coefficients);
    if (status != pl_statusOk) return status;
    if (!valid((int)def->anchor.action, pl_actionCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "action not of the list");
    }
    plRoom r;
    findRoom(&r, w);
    do {
        status =
            plMechanism_CreateAssembly(def, r.index, w->def.gravity, r.fixed, r.state, &m, &why);
    } while (plRoom_Another(&r, status));
    return finish(&r, status, m, def->userData, why, id);
}

plPrescribedDef plDefaultPrescribedDef(void) { return (plPrescribedDef){.pose.q = {1, 0, 0, 0}}; }

plStatus plWorld_AddPrescribed(plWorld* w, const plPrescribedDef* def, plMechanismId* id)
{
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, pl_integratorMidpoint, pl_coefficientsPredicted);
    if (status != pl_statusOk) return status;
    plRoom r;
    findRoom(&r, w);
    do {
        status = plMechanism_CreatePrescribed(def, r.index, r.fixed, r.state, &m, &why);
    } while (plRoom_Another(&r, status));
    return finish(&r, status, m, def->userData, why, id);
}

plStatus plWorld_Steer(plWorld* w, plMechanismId id, plPose pose)
{
    const plStatus known = plWorld_Look(w, id);
    if (known == pl_statusStale) return plWorld_Fail(w, known, NULL);
    if (known != pl_statusOk || plMechanism_Traits(w->mechanisms[id.index1 - 1])->yields) {
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
static plStatus enterSoft(plRoom* r, plMechanism* m, const plSoftDef* def, plShapeError* error)
{
    plWorld* w = r->world;
    const char* why = "the world's memory is full: raise capacity.memory";
    plRoom_Keep(r);
    plStatus status = plRowSet_FitLocal(&w->system.set, w->system.size.rows, &w->fixed);
    if (status == pl_statusOk) status = enter(r, m, def->userData, &why);
    if (status == pl_statusOk) {
        status = plShapes_AddSkin(w, r->index, def, &why);
        if (status == pl_statusOk) return status;
        plWorld_TakeBack(w, r->index);
    }
    plMechanism_Destroy(m, &w->def.allocator);
    snprintf(error->message, sizeof error->message, "%s", why);
    return status;
}

plStatus plWorld_AddSoft(plWorld* w, const plSoftDef* def, plMechanismId* id)
{
    plMechanism* m = NULL;
    plShapeError error = {0};
    plStatus status = mayAdd(w, def->name, (int)def->integrator, pl_coefficientsFrozen);
    if (status != pl_statusOk) return status;
    if (w->def.planar) return plWorld_Fail(w, pl_statusBadArgument, "soft bodies leave the plane");
    if (w->collide && !plWorld_MeetsSoft(w->law)) {
        return plWorld_Fail(w, pl_statusBadArgument, plSoftLaws);
    }
    plRoom r;
    findRoom(&r, w);
    do {
        status = plMechanism_CreateSoft(def, r.index, w->def.gravity, r.fixed, r.state,
                                        &w->def.allocator, &m, &error);
    } while (plRoom_Another(&r, status));
    if (status == pl_statusOk) status = enterSoft(&r, m, def, &error);
    if (status != pl_statusOk) {
        plRoom_GiveUp(&r);
        return plWorld_Fail(w, status, error.message);
    }
    *id = plWorld_Mechanism(w, r.index);
    return pl_statusOk;
}

plStatus plWorld_SoftInfo(const plWorld* w, plMechanismId id, double T, plSoftInfo* info)
{
    const plMechanism* m = plWorld_Inside(w, id);
    if (plWorld_Look(w, id) == pl_statusStale) return pl_statusStale;
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
    if (plWorld_Look(w, id) == pl_statusStale) return pl_statusStale;
    if (!m || !plMechanism_Traits(m)->deforms) return pl_statusBadId;
    plMechanism_WholePoints(m, points);
    return pl_statusOk;
}

plStatus plWorld_AddChain(plWorld* w, const plChainDef* def, plMechanismId* id)
{
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, (int)def->integrator, (int)def->coefficients);
    if (status != pl_statusOk) return status;
    if (!valid((int)def->action, pl_actionCount) || !valid((int)def->route, pl_routeCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "action or route not of the list");
    }
    plRoom r;
    findRoom(&r, w);
    do {
        status = plMechanism_CreateChain(def, r.index, w->def.gravity, r.fixed, r.state, &m, &why);
    } while (plRoom_Another(&r, status));
    return finish(&r, status, m, def->userData, why, id);
}

plStatus plWorld_AddJointed(plWorld* w, const plJointedDef* def, plMechanismId* id)
{
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, pl_integratorMidpoint, pl_coefficientsPredicted);
    if (status != pl_statusOk) return status;
    plRoom r;
    findRoom(&r, w);
    do {
        status =
            plMechanism_CreateJointed(def, r.index, w->def.gravity, r.fixed, r.state, &m, &why);
    } while (plRoom_Another(&r, status));
    return finish(&r, status, m, def->userData, why, id);
}

plStatus plWorld_AddOwnMechanism(plWorld* w, const plOwnMechanismDef* def, plMechanismId* id)
{
    plMechanism* m = NULL;
    const char* why = NULL;
    plStatus status = mayAdd(w, def->name, (int)def->integrator, pl_coefficientsPredicted);
    if (status != pl_statusOk) return status;
    plRoom r;
    findRoom(&r, w);
    do {
        status = plMechanism_CreateOwn(def, r.index, w->def.gravity, r.fixed, r.state, &m, &why);
    } while (plRoom_Another(&r, status));
    return finish(&r, status, m, def->userData, why, id);
}

int plWorld_JointCount(const plWorld* w, plMechanismId id)
{
    const plMechanism* m = plWorld_Inside(w, id);
    return m ? plMechanism_Joints(m) : 0;
}

plStatus plWorld_JointForce(const plWorld* w, plMechanismId id, int joint, double force[6])
{
    if (plWorld_Look(w, id) == pl_statusStale) return pl_statusStale;
    if (joint < 0 || joint >= plWorld_JointCount(w, id)) return pl_statusNotFound;
    memcpy(force, plMechanism_JointForce(plWorld_Inside(w, id), joint), 6 * sizeof *force);
    return pl_statusOk;
}

plStatus plWorld_JointPosition(const plWorld* w, plMechanismId id, int joint, double position[2])
{
    if (plWorld_Look(w, id) == pl_statusStale) return pl_statusStale;
    if (joint < 0 || joint >= plWorld_JointCount(w, id)) return pl_statusNotFound;
    plMechanism_JointPosition(plWorld_Inside(w, id), joint, position);
    return pl_statusOk;
}

plStatus plWorld_JointError(const plWorld* w, plMechanismId id, double* position, double* velocity)
{
    const plMechanism* m = plWorld_Inside(w, id);
    if (plWorld_Look(w, id) == pl_statusStale) return pl_statusStale;
    if (!m || !plMechanism_Traits(m)->constrained) return pl_statusBadId;
    plMechanism_JointError(m, position, velocity);
    return pl_statusOk;
}

// Of two sites, what is wrong with them.
static plStatus lookBoth(const plWorld* w, plSite a, plSite b)
{
    const plStatus first = plWorld_LookSite(w, a), second = plWorld_LookSite(w, b);
    if (first == pl_statusStale || second == pl_statusOk) return first;
    return second;
}

static plStatus mayLink(plWorld* w, const plLinkDef* def)
{
    const plStatus sites = lookBoth(w, def->a, def->b);
    const char* why = NULL;
    if (plSlots_Full(w->slots.links, w->linkCount, w->def.capacity.links)) {
        return plWorld_Fail(w, pl_statusCapacity, "too many links: raise capacity.links");
    }
    if (!plText_IsName(def->name)) {
        return plWorld_Fail(w, pl_statusBadArgument,
                            "a link's name must be 1 to 31 letters, digits, - or _");
    }
    if (plWorld_NameTaken(w, def->name)) return plWorld_Fail(w, pl_statusDuplicate, NULL);
    if (sites != pl_statusOk) {
        return plWorld_FailId(w, sites, "a site of the link names no part of this world");
    }
    why = plWorld_SiteRefuses(w, def->a);
    if (!why) why = plWorld_SiteRefuses(w, def->b);
    if (why) return plWorld_Fail(w, pl_statusBadArgument, why);
    if (!valid((int)def->form, pl_linkFormCount)) {
        return plWorld_Fail(w, pl_statusBadArgument, "form not of the list");
    }
    return pl_statusOk;
}

plStatus plWorld_AddLink(plWorld* w, const plLinkDef* def, plLinkId* id)
{
    const char* why = NULL;
    plStatus status = mayLink(w, def);
    if (status != pl_statusOk) return status;
    plRoom r;
    plRoom_Find(&r, w, w->slots.links, w->linkCount, w->def.capacity.links);
    const plLink before = w->links[r.index];
    do {
        status = plLink_Create(def, w->mechanisms, r.state, &w->links[r.index], &why);
    } while (plRoom_Another(&r, status));
    if (status == pl_statusOk) plRoom_Keep(&r);
    if (status == pl_statusCapacity) why = "the world's memory is full: raise capacity.memory";
    if (status == pl_statusOk && !plGroups_Join(w, &w->links[r.index])) {
        status = pl_statusCapacity;
        why = "a group of joined mechanisms has too many link rows: raise capacity.rows";
    }
    if (status != pl_statusOk) {
        w->links[r.index] = before;
        plRoom_GiveUp(&r);
        return plWorld_Fail(w, status, why);
    }
    if (r.index == w->linkCount) w->linkCount++;
    plSlot_Enter(&w->slots.links[r.index], def->userData);
    w->linkSums[r.index] = w->linkEnergies[r.index] = (plEnergy){0};
    plLedger_EnterLink(w, r.index);
    *id = plWorld_Link(w, r.index);
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
    const plStatus status = plWorld_LookSite(w, d->site);
    if (status == pl_statusStale) return plWorld_Fail(w, status, NULL);
    if (d->site.mechanism.index1 == 0 || status != pl_statusOk ||
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
    const plStatus status = plWorld_LookSite(w, site);
    if (site.mechanism.index1 == 0 || status != pl_statusOk) {
        return plWorld_Fail(w, status == pl_statusStale ? status : pl_statusBadId, NULL);
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
        const bool stale = plWorld_Look(w, id) == pl_statusStale;
        return plWorld_Fail(w, stale ? pl_statusStale : pl_statusBadId, NULL);
    }
    if (!isfinite(effort)) {
        return plWorld_Fail(w, pl_statusBadArgument, "an effort must be finite");
    }
    plMechanism_AddEffort(w->mechanisms[id.index1 - 1], coordinate, effort);
    return pl_statusOk;
}
