// The rigid scenes of free bodies in Bullet, in doubles: ten sequential impulses.
#include "rigid.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>

namespace
{

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    int count;
    btRigidBody* bodies[rigidMost];

    World()
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration),
          count(0)
    {
    }
};

btRigidBody* add(World* w, btCollisionShape* shape, double mass, const plPose& pose,
                 double friction)
{
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = btTransform(btQuaternion(pose.q.x, pose.q.y, pose.q.z, pose.q.w),
                                             btVector3(pose.p.x, pose.p.y, pose.p.z));
    info.m_friction = std::sqrt(friction); // the product of two counts
    btRigidBody* body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    w->world.addRigidBody(body);
    return body;
}

void* create(const RigidScene* s)
{
    World* w = new World;
    const plPose ground = {{0, 0, 0}, {1, 0, 0, 0}};
    w->world.setGravity(btVector3(0, 0, -9.81));
    w->world.getSolverInfo().m_numIterations = 10;
    add(w, new btStaticPlaneShape(btVector3(0, 0, 1), 0), 0, ground, s->friction);
    for (; w->count < s->count; ++w->count) {
        const RigidBody& b = s->bodies[w->count];
        btBoxShape* box = new btBoxShape(btVector3(b.half.x, b.half.y, b.half.z));
        box->setMargin(0.002);
        w->bodies[w->count] = add(w, box, b.joint == rigidStatic ? 0 : b.mass, b.pose, s->friction);
    }
    return w;
}

void step(void* self) { static_cast<World*>(self)->world.stepSimulation(0.001, 0); }

void poses(void* self, plPose* out)
{
    const World* w = static_cast<World*>(self);
    for (int i = 0; i < w->count; ++i) {
        const btTransform& t = w->bodies[i]->getWorldTransform();
        const btQuaternion q = t.getRotation();
        out[i] = {{t.getOrigin().x(), t.getOrigin().y(), t.getOrigin().z()},
                  {q.w(), q.x(), q.y(), q.z()}};
    }
}

// Contacts, and the deepest of them.
int look(void* self, double* depth)
{
    World* w = static_cast<World*>(self);
    int n = 0;
    *depth = 0;
    for (int i = 0; i < w->dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold* m = w->dispatcher.getManifoldByIndexInternal(i);
        for (int k = 0; k < m->getNumContacts(); ++k, ++n) {
            *depth = std::fmax(*depth, -m->getContactPoint(k).getDistance());
        }
    }
    return n;
}

int contacts(void* self)
{
    double depth;
    return look(self, &depth);
}

double depth(void* self)
{
    double most;
    look(self, &most);
    return most;
}

void destroy(void* self)
{
    World* w = static_cast<World*>(self);
    for (int i = w->world.getNumCollisionObjects() - 1; i >= 0; --i) {
        btCollisionObject* object = w->world.getCollisionObjectArray()[i];
        btCollisionShape* shape = object->getCollisionShape();
        w->world.removeCollisionObject(object);
        delete object;
        delete shape;
    }
    delete w;
}

const RigidEngine engine = {create, step, poses, contacts, depth, nullptr, destroy};

} // namespace

extern "C" const RigidEngine* rigidBullet(void) { return &engine; }
