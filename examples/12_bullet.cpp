/*
Shows how to put sap into a physics engine: it replaces the broad phase of Bullet, through Bullet's own interface.

    c++ -I.. -I/usr/include/stb -I/usr/include/bullet -o bullet 12_bullet.cpp -lBulletDynamics -lBulletCollision \
        -lLinearMath && ./bullet

Needs Bullet (Debian: libbullet-dev); `make engine` installs it, builds this and runs it.
The wall falls in the same way, bit for bit, with two of Bullet's broad phases and with sap. They differ in how many
pairs they keep, summed up here over all steps: the tree enlarges boxes, the sweep rounds them, and sap keeps exactly
the pairs whose boxes overlap.
It prints:

    in 600 steps        pairs      boxes that overlap   shapes that touch
    Bullet's tree      187399                  172669              103091
    Bullet's sweep     173201                  172669              103091
    sap                172669                  172669              103091
    contacts in each step, 100 bodies at the end, what 101 rays hit: the same to the last bit
*/
#include <btBulletDynamicsCommon.h>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>
#define SAP_IMPLEMENTATION
#include "sap.h"

/* Bullet calls this class for everything about boxes. Pairs are kept in Bullet's pair cache, whose entries own the
   contacts. */
class SapBroadphase : public btBroadphaseInterface {
  public:
    SapBroadphase() : world(sap_create(nullptr)) {
    }

    ~SapBroadphase() override {
        sap_destroy(world);
    }

    btBroadphaseProxy *createProxy(const btVector3 &min, const btVector3 &max, int, void *object, int group, int mask,
                                   btDispatcher *) override {
        btBroadphaseProxy *proxy = new btBroadphaseProxy(min, max, object, group, mask);
        const sap_aabb box = box_of(min, max);
        const sap_id id = sap_add(world, &box, proxy);
        sap_set_filter(world, id, static_cast<uint32_t>(group), static_cast<uint32_t>(mask)); /* Bullet's rule, too */
        proxy->m_uniqueId = static_cast<int>(id);
        return proxy;
    }

    void destroyProxy(btBroadphaseProxy *proxy, btDispatcher *dispatcher) override {
        pairs.removeOverlappingPairsContainingProxy(proxy, dispatcher); /* at once: the object is about to be freed */
        sap_remove(world, id_of(proxy));
        delete proxy;
    }

    void setAabb(btBroadphaseProxy *proxy, const btVector3 &min, const btVector3 &max, btDispatcher *) override {
        const sap_aabb box = box_of(min, max);
        proxy->m_aabbMin = min;
        proxy->m_aabbMax = max;
        sap_move(world, id_of(proxy), &box);
    }

    void getAabb(btBroadphaseProxy *proxy, btVector3 &min, btVector3 &max) const override {
        min = proxy->m_aabbMin;
        max = proxy->m_aabbMax;
    }

    void calculateOverlappingPairs(btDispatcher *dispatcher) override {
        int count;
        sap_update(world);
        const sap_pair *pair = sap_deleted(world, &count);
        for (int i = 0; i < count; i++)
            if (sap_is_valid(world, pair[i].id0) && sap_is_valid(world, pair[i].id1)) /* else it went with its proxy */
                pairs.removeOverlappingPair(proxy_of(pair[i].object0), proxy_of(pair[i].object1), dispatcher);
        pair = sap_created(world, &count);
        for (int i = 0; i < count; i++) pairs.addOverlappingPair(proxy_of(pair[i].object0), proxy_of(pair[i].object1));
    }

    void rayTest(const btVector3 &from, const btVector3 &to, btBroadphaseRayCallback &callback, const btVector3 &min,
                 const btVector3 &max) override {
        const sap_aabb box = box_of(from + min, from + max); /* a ray, or a swept box */
        const float way[3] = {to.x() - from.x(), to.y() - from.y(), to.z() - from.z()};
        sap_box_cast(
            world, &box, way, ~0u,
            [](sap_id, void *object, float, void *user) {
                static_cast<btBroadphaseAabbCallback *>(user)->process(proxy_of(object));
                return 1.0f; /* go on: the callback tests the shape */
            },
            static_cast<btBroadphaseAabbCallback *>(&callback));
    }

    void aabbTest(const btVector3 &min, const btVector3 &max, btBroadphaseAabbCallback &callback) override {
        const sap_aabb box = box_of(min, max);
        sap_query_box(
            world, &box, ~0u,
            [](sap_id, void *object, void *user) {
                return static_cast<int>(static_cast<btBroadphaseAabbCallback *>(user)->process(proxy_of(object)));
            },
            &callback);
    }

    btOverlappingPairCache *getOverlappingPairCache() override {
        return &pairs;
    }

    const btOverlappingPairCache *getOverlappingPairCache() const override {
        return &pairs;
    }

    void getBroadphaseAabb(btVector3 &min, btVector3 &max) const override { /* there are no world bounds */
        min.setValue(-BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT);
        max.setValue(BT_LARGE_FLOAT, BT_LARGE_FLOAT, BT_LARGE_FLOAT);
    }

    void printStats() override {
    }

  private:
    static sap_aabb box_of(const btVector3 &min, const btVector3 &max) {
        return {{min.x(), min.y(), min.z()}, {max.x(), max.y(), max.z()}};
    }

    static sap_id id_of(const btBroadphaseProxy *proxy) {
        return static_cast<sap_id>(proxy->m_uniqueId);
    }

    static btBroadphaseProxy *proxy_of(void *object) {
        return static_cast<btBroadphaseProxy *>(object);
    }

    sap_world *world;
    btHashedOverlappingPairCache pairs;
};

/* ---- the same scene, with any broad phase --------------------------------------------------- */

enum { STEPS = 600, RAYS = 101 };

struct Run {
    long pairs, overlapping, touching; /* summed up over all steps */
    std::vector<int> contacts;         /* of each step */
    std::vector<btTransform> places;   /* of each body, at the end */
    std::vector<int> seen;             /* the body that each ray hits, at the end */
};

static bool same_places(const Run &a, const Run &b) { /* to the last bit */
    return a.places.size() == b.places.size() &&
           !std::memcmp(a.places.data(), b.places.data(), a.places.size() * sizeof(btTransform));
}

/* A wall of bricks on an infinite plane, and a heavy ball that hits it. Later some bricks are removed. */
static Run simulate(btBroadphaseInterface &broadphase) {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    btStaticPlaneShape plane(btVector3(0, 1, 0), 0);
    btBoxShape brick(btVector3(0.5f, 0.25f, 0.25f));
    btSphereShape ball(0.6f);
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    Run run = {};
    auto add = [&](btCollisionShape &shape, float mass, float x, float y, float z) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape.calculateLocalInertia(mass, inertia);
        bodies.emplace_back(new btRigidBody(mass, nullptr, &shape, inertia));
        bodies.back()->setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(x, y, z)));
        /* Bullet puts whole islands to sleep: bodies linked by pairs, touching or not. Other pairs would make other
           islands, so here no body sleeps. */
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    };

    /* Bullet solves contacts in the order in which pairs were found, and in a pile that changes the result. Here it
       is the order of the ids, for every broad phase. */
    world.getDispatchInfo().m_deterministicOverlappingPairs = true;
    add(plane, 0, 0, 0, 0);
    for (int row = 0; row < 9; row++)
        for (int i = 0; i < 12; i++)
            add(brick, 1, static_cast<float>(i) - 5.5f + (row & 1 ? 0.5f : 0), 0.25f + 0.5f * static_cast<float>(row),
                0);
    add(ball, 30, 0.3f, 1.5f, 12);
    bodies.back()->setLinearVelocity(btVector3(0, 2, -14));

    for (int step = 0; step < STEPS; step++) {
        if (step == 200)
            for (int i = 0; i < 10; i++) {
                world.removeRigidBody(bodies[1].get());
                bodies.erase(bodies.begin() + 1);
            }
        world.stepSimulation(1.0f / 60, 0);
        int contacts = 0;
        for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
            const int points = dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
            run.touching += points > 0;
            contacts += points;
        }
        run.contacts.push_back(contacts);
        btBroadphasePairArray &pairs = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < pairs.size(); i++) {
            const btBroadphaseProxy *a = pairs[i].m_pProxy0, *b = pairs[i].m_pProxy1;
            run.overlapping += TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax);
        }
        run.pairs += pairs.size();
    }

    for (int i = 0; i < RAYS; i++) {
        const btVector3 from(0, 6, 10), to(static_cast<float>(i - RAYS / 2) / 5, -1, -10);
        btCollisionWorld::ClosestRayResultCallback closest(from, to);
        world.rayTest(from, to, closest);
        run.seen.push_back(closest.hasHit() ? closest.m_collisionObject->getBroadphaseHandle()->m_uniqueId : 0);
    }
    for (auto &body : bodies) {
        run.places.push_back(body->getWorldTransform());
        world.removeRigidBody(body.get());
    }
    return run;
}

int main() {
    btDbvtBroadphase tree;
    btAxisSweep3 sweep(btVector3(-100, -100, -100), btVector3(100, 100, 100));
    SapBroadphase sap;
    const struct {
        const char *name;
        Run run;
    } all[] = {{"Bullet's tree", simulate(tree)}, {"Bullet's sweep", simulate(sweep)}, {"sap", simulate(sap)}};
    const Run &ours = all[2].run;
    bool same = true; /* pairs that do not touch change nothing, as no body sleeps */

    std::printf("in %d steps        pairs      boxes that overlap   shapes that touch\n", STEPS);
    for (auto &its : all) {
        std::printf("%-14s %10ld %23ld %19ld\n", its.name, its.run.pairs, its.run.overlapping, its.run.touching);
        same = same && its.run.contacts == ours.contacts && its.run.seen == ours.seen && same_places(its.run, ours);
    }
    std::printf("contacts in each step, %d bodies at the end, what %d rays hit: %s\n",
                static_cast<int>(ours.places.size()), RAYS, same ? "the same to the last bit" : "different");
    return !same;
}
