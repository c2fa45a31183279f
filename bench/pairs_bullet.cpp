// Bullet's queries of convex pairs, in doubles and without margins.
#include "pairs.h"

#include <btBulletCollisionCommon.h>
#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <cmath>

namespace
{

struct Solids {
    btConvexShape* shape[2];
    btTransform pose[2][2 * pairCount];
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver penetration;
};

struct Counter : public btDiscreteCollisionDetectorInterface::Result {
    int count = 0;
    void setShapeIdentifiersA(int, int) override {}
    void setShapeIdentifiersB(int, int) override {}
    void addContactPoint(const btVector3&, const btVector3&, btScalar) override { ++count; }
};

btConvexShape* shapeOf(const PairSolid& s)
{
    if (s.half.x > 0) {
        btBoxShape* box = new btBoxShape(btVector3(s.half.x, s.half.y, s.half.z));
        box->setMargin(0);
        return box;
    }
    btConvexHullShape* hull = new btConvexHullShape();
    for (int i = 0; i < s.count; ++i) {
        hull->addPoint(btVector3(s.points[i].x, s.points[i].y, s.points[i].z), false);
    }
    hull->setMargin(0);
    hull->recalcLocalAabb();
    return hull;
}

void* create(const Pairs* pairs)
{
    Solids* s = new Solids;
    for (int k = 0; k < 2; ++k) {
        s->shape[k] = shapeOf(pairs->solid[k]);
        for (int i = 0; i < 2 * pairCount; ++i) {
            const plPose& p = pairs->pose[k][i];
            s->pose[k][i] = btTransform(btQuaternion(p.q.x, p.q.y, p.q.z, p.q.w),
                                        btVector3(p.p.x, p.p.y, p.p.z));
        }
    }
    return s;
}

double distance(void* self, int i)
{
    Solids* s = static_cast<Solids*>(self);
    s->simplex.reset();
    btGjkPairDetector detector(s->shape[0], s->shape[1], &s->simplex, &s->penetration);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = s->pose[0][i];
    input.m_transformB = s->pose[1][i];
    btPointCollector out;
    detector.getClosestPoints(input, out, nullptr);
    return out.m_hasResult ? out.m_distance : NAN;
}

double depth(void* self, int i)
{
    Solids* s = static_cast<Solids*>(self);
    btGjkEpaSolver2::sResults out;
    const btTransform &a = s->pose[0][i], &b = s->pose[1][i];
    const bool met = btGjkEpaSolver2::Penetration(s->shape[0], a, s->shape[1], b,
                                                  b.getOrigin() - a.getOrigin(), out);
    return met ? out.distance : NAN;
}

int manifold(void* self, int i)
{
    Solids* s = static_cast<Solids*>(self);
    btBoxBoxDetector detector(static_cast<btBoxShape*>(s->shape[0]),
                              static_cast<btBoxShape*>(s->shape[1]));
    btBoxBoxDetector::ClosestPointInput input;
    input.m_transformA = s->pose[0][i];
    input.m_transformB = s->pose[1][i];
    Counter out;
    detector.getClosestPoints(input, out, nullptr);
    return out.count;
}

void destroy(void* self)
{
    Solids* s = static_cast<Solids*>(self);
    delete s->shape[0];
    delete s->shape[1];
    delete s;
}

const PairPeer peer = {create, distance, depth, manifold, destroy};

} // namespace

extern "C" const PairPeer* pairBullet(void) { return &peer; }
