/*
record_bullet.cpp - steps Bullet and writes a trace of its bodies and of its broad phase's pairs

    g++ -O2 -o record_bullet record_bullet.cpp $(pkg-config --cflags --libs bullet)
    ./record_bullet wall|rubble|ragdolls out.trace

The boxes are tight: btCollisionShape::getAabb at the transform that this step's collision detection used.
That holds the shape's collision margin, which is part of the shape in Bullet, and nothing else. The pairs are
those of btDbvtBroadphase's pair cache right after that detection. Bullet makes its own boxes larger in three
ways, so its pairs are more: it adds the contact breaking threshold (0.02) on each side, unites the box with
the one at the predicted transform (continuous collision, for dynamic bodies), and the tree adds 0.05 and a
lead along the motion; a pair that has come apart may stay some frames, because a part of the cache is looked
at in each.

Bullet never pairs two bodies that are static or kinematic: both are recorded as TRACE_STATIC. It does pair
bodies that sleep, and bodies that a constraint joins: their collisions are turned off behind the broad phase.
*/
#include <btBulletDynamicsCommon.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include "trace.h"

/* The same numbers on every machine, unlike rand(). */
static uint32_t random_state = 1;
static float random_between(float low, float high) {
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

/* A world that records itself in the middle of a step, when boxes and pairs belong together. */
class Recorder : public btDiscreteDynamicsWorld {
  public:
    Recorder(btDispatcher *d, btBroadphaseInterface *b, btConstraintSolver *s, btCollisionConfiguration *c)
        : btDiscreteDynamicsWorld(d, b, s, c) {
    }
    trace_writer *trace = nullptr;
    void performDiscreteCollisionDetection() override {
        btDiscreteDynamicsWorld::performDiscreteCollisionDetection();
        std::vector<trace_body> bodies((size_t)trace->bodies, trace_body());
        for (int i = 0; i < getNumCollisionObjects(); i++) {
            const btCollisionObject *o = getCollisionObjectArray()[i];
            trace_body &b = bodies.at((size_t)o->getUserIndex());
            btVector3 low, high;
            o->getCollisionShape()->getAabb(o->getWorldTransform(), low, high);
            b.kind = o->isStaticOrKinematicObject() ? TRACE_STATIC : TRACE_DYNAMIC;
            for (int k = 0; k < 3; k++) {
                b.min[k] = low[k];
                b.max[k] = high[k];
            }
        }
        std::vector<uint64_t> pairs;
        btBroadphasePairArray &held = getPairCache()->getOverlappingPairArray();
        for (int i = 0; i < held.size(); i++)
            pairs.push_back(trace_pair(index(held[i].m_pProxy0), index(held[i].m_pProxy1)));
        std::sort(pairs.begin(), pairs.end());
        trace_write(trace, bodies.data(), pairs.data(), (int)pairs.size());
    }

  private:
    static int index(const btBroadphaseProxy *p) {
        return static_cast<const btCollisionObject *>(p->m_clientObject)->getUserIndex();
    }
};

/* One scene's world; bodies are numbered in the order in which they are added. */
struct Scene {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    Recorder world{&dispatcher, &broadphase, &solver, &configuration};
    trace_writer trace;
    std::vector<btCollisionShape *> shapes;
    std::vector<btRigidBody *> bodies;
    int count = 0;

    Scene(int most, const char *about) {
        trace_begin(&trace, 7, most, about);
        world.trace = &trace;
        world.setGravity(btVector3(0, -9.81f, 0));
    }
    ~Scene() { /* constraints first, then bodies, then shapes: each refers to the next */
        while (world.getNumConstraints()) {
            btTypedConstraint *c = world.getConstraint(0);
            world.removeConstraint(c);
            delete c;
        }
        while (!bodies.empty()) remove(bodies.back());
        for (btCollisionShape *s : shapes) delete s;
    }
    btCollisionShape *shape(btCollisionShape *s) {
        shapes.push_back(s);
        return s;
    }
    btRigidBody *add(btCollisionShape *s, float mass, const btTransform &at) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) s->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, s, inertia);
        info.m_startWorldTransform = at;
        info.m_friction = 0.6f;
        btRigidBody *b = new btRigidBody(info);
        b->setUserIndex(count++);
        world.addRigidBody(b);
        bodies.push_back(b);
        return b;
    }
    btRigidBody *add(btCollisionShape *s, float mass, float x, float y, float z) {
        return add(s, mass, btTransform(btQuaternion::getIdentity(), btVector3(x, y, z)));
    }
    void remove(btRigidBody *b) {
        while (b->getNumConstraintRefs()) {
            btTypedConstraint *c = b->getConstraintRef(0);
            world.removeConstraint(c);
            delete c;
        }
        world.removeRigidBody(b);
        bodies.erase(std::find(bodies.begin(), bodies.end(), b));
        delete b;
    }
    void remove_below(float y) {
        for (size_t i = bodies.size(); i-- > 0;)
            if (bodies[i]->getWorldTransform().getOrigin().y() < y && !bodies[i]->isStaticObject()) remove(bodies[i]);
    }
    void step() {
        world.stepSimulation(1.0f / 60, 0);
    } /* one step of just that length, no interpolation */
};

/* A brick wall on a table; heavy balls come one after the other. What falls off the table is taken away. */
static void wall(Scene &s) {
    const int courses = 12, length = 12;
    btCollisionShape *brick = s.shape(new btBoxShape(btVector3(0.5f, 0.25f, 0.25f)));
    btCollisionShape *half = s.shape(new btBoxShape(btVector3(0.25f, 0.25f, 0.25f)));
    btCollisionShape *ball = s.shape(new btSphereShape(0.8f));
    s.add(s.shape(new btBoxShape(btVector3(9, 0.5f, 6))), 0, 0, -0.5f, 0);
    for (int row = 0; row < courses; row++) {
        float y = 0.25f + 0.5f * (float)row;
        for (int i = 0; i < length; i++) s.add(brick, 1, (float)(i - length / 2) + (row & 1 ? 0.5f : 0.0f), y, 0);
        s.add(half, 0.5f, row & 1 ? -(float)length / 2 - 0.25f : (float)length / 2 - 0.25f, y, 0);
    }
    btRigidBody *thrown = nullptr;
    for (int frame = 0; frame < 300; frame++) {
        if (frame % 60 == 15) {
            if (thrown && thrown->isInWorld()) s.remove(thrown);
            thrown = s.add(ball, 60, random_between(-3, 3), random_between(2, 4), 9);
            thrown->setLinearVelocity(btVector3(random_between(-2, 2), 3, -26));
            thrown->setActivationState(DISABLE_DEACTIVATION);
        }
        s.step();
        if (thrown && thrown->getWorldTransform().getOrigin().y() < -4) thrown = nullptr; /* remove_below takes it */
        s.remove_below(-4);
    }
}

/* Rocks of many shapes and sizes fall in loads onto an endless plane, between four walls. */
static void rubble(Scene &s) {
    std::vector<btCollisionShape *> rocks;
    for (int i = 0; i < 24; i++) {
        float r = 0.2f * std::exp(random_between(0, 1.6f));
        if (i % 3 == 0) {
            rocks.push_back(
                s.shape(new btBoxShape(btVector3(r, r * random_between(0.5f, 1), r * random_between(0.5f, 1)))));
        } else if (i % 3 == 1) {
            rocks.push_back(s.shape(new btSphereShape(r)));
        } else {
            btConvexHullShape *hull = new btConvexHullShape();
            for (int k = 0; k < 14; k++)
                hull->addPoint(
                    r * btVector3(random_between(-1, 1), random_between(-1, 1), random_between(-1, 1)).normalized());
            rocks.push_back(s.shape(hull));
        }
    }
    s.add(s.shape(new btStaticPlaneShape(btVector3(0, 1, 0), 0)), 0, 0, 0, 0);
    btCollisionShape *side = s.shape(new btBoxShape(btVector3(8, 2, 0.5f)));
    for (int i = 0; i < 4; i++) {
        btQuaternion turn(btVector3(0, 1, 0), SIMD_HALF_PI * (float)i);
        s.add(side, 0, btTransform(turn, quatRotate(turn, btVector3(0, 2, 8))));
    }
    for (int frame = 0; frame < 480; frame++) {
        if (frame % 20 == 0 && frame < 400)
            for (int i = 0; i < 60; i++) {
                float spread = 6, x = random_between(-spread, spread), z = random_between(-spread, spread);
                btQuaternion turn(random_between(-3, 3), random_between(-3, 3), random_between(-3, 3));
                btTransform at(turn, btVector3(x, random_between(8, 16), z));
                s.add(rocks[(size_t)random_between(0, 23.99f)], 1, at)->setLinearVelocity(btVector3(0, -4, 0));
            }
        s.step();
    }
}

/* A figure of eleven capsules, hinged and cone-twisted together. */
static void ragdoll(Scene &s, const btVector3 &at) {
    static const struct {
        float radius, height, x, y;
        int joined_to; /* -1: the pelvis itself */
    } parts[] = {{0.15f, 0.20f, 0, 1.00f, -1},     {0.15f, 0.28f, 0, 1.30f, 0},      {0.10f, 0.05f, 0, 1.65f, 1},
                 {0.07f, 0.40f, -0.18f, 0.65f, 0}, {0.05f, 0.37f, -0.18f, 0.20f, 3}, {0.07f, 0.40f, 0.18f, 0.65f, 0},
                 {0.05f, 0.37f, 0.18f, 0.20f, 5},  {0.05f, 0.33f, -0.30f, 1.35f, 1}, {0.04f, 0.25f, -0.30f, 1.00f, 7},
                 {0.05f, 0.33f, 0.30f, 1.35f, 1},  {0.04f, 0.25f, 0.30f, 1.00f, 9}};
    btTransform turn(btQuaternion(random_between(-3, 3), random_between(-1, 1), random_between(-1, 1)), at);
    std::vector<btRigidBody *> made;
    for (const auto &p : parts) {
        btTransform here = turn * btTransform(btQuaternion::getIdentity(), btVector3(p.x, p.y - 1, 0));
        btRigidBody *b = s.add(s.shape(new btCapsuleShape(p.radius, p.height)), 1, here);
        b->setDamping(0.05f, 0.85f);
        if (p.joined_to >= 0) {
            btRigidBody *a = made[(size_t)p.joined_to];
            btTransform joint = turn * btTransform(btQuaternion::getIdentity(),
                                                   btVector3(p.x, p.y - 1 + (p.y > 1.5f ? -0.1f : p.height / 2), 0));
            btConeTwistConstraint *c = new btConeTwistConstraint(*a, *b, a->getWorldTransform().inverse() * joint,
                                                                 b->getWorldTransform().inverse() * joint);
            c->setLimit(0.8f, 0.8f, 0.4f);
            s.world.addConstraint(c, true);
        }
        made.push_back(b);
    }
}

/* Ragdolls tumble down stairs, past a turning kinematic bar, over the edge and out of the world. */
static void ragdolls(Scene &s) {
    btCollisionShape *stair = s.shape(new btBoxShape(btVector3(4, 0.25f, 0.5f)));
    for (int i = 0; i < 20; i++) s.add(stair, 0, 0, -0.5f * (float)i, 0.8f * (float)i);
    btRigidBody *bar = s.add(s.shape(new btBoxShape(btVector3(3, 0.2f, 0.2f))), 0, 0, -3.5f, 8);
    bar->setCollisionFlags(bar->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    bar->setActivationState(DISABLE_DEACTIVATION);
    for (int frame = 0; frame < 600; frame++) {
        if (frame % 12 == 0 && frame < 480)
            ragdoll(s, btVector3(random_between(-3, 3), 2.5f, random_between(-0.2f, 1)));
        btTransform at = bar->getWorldTransform();
        at.setRotation(btQuaternion(btVector3(0, 1, 0), 0.04f * (float)frame));
        bar->setWorldTransform(at);
        s.step();
        s.remove_below(-14);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name, *what;
        int most;
        void (*run)(Scene &);
    } scenes[] = {{"wall", "a brick wall, hit by balls", 200, wall},
                  {"rubble", "a rubble pile on an infinite plane", 1400, rubble},
                  {"ragdolls", "ragdolls on stairs, past a turning bar", 600, ragdolls}};
    for (const auto &scene : scenes)
        if (argc == 3 && scene.name == std::string(argv[1])) {
            int version = btGetVersion();
            std::string about =
                "Bullet " + std::to_string(version / 100) + "." + std::to_string(version % 100) + ": " + scene.what;
            Scene s(scene.most, about.c_str());
            scene.run(s);
            int bodies = s.count, frames = s.trace.frames;
            const char *error = trace_save(&s.trace, argv[2]);
            s.trace = trace_writer(); /* removing the bodies at the end is no frame */
            printf("%s: %s, %d bodies, %d frames%s%s\n", argv[2], about.c_str(), bodies, frames, error ? ": " : "",
                   error ? error : "");
            return error != nullptr;
        }
    fprintf(stderr, "usage: record_bullet wall|rubble|ragdolls file\n");
    return 2;
}
