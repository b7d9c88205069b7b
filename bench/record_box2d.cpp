/*
record_box2d.cpp - steps Box2D 2.4 and writes a trace of its fixtures and of its broad phase's pairs

    g++ -O2 -o record_box2d record_box2d.cpp $(pkg-config --cflags --libs box2d)
    ./record_box2d pile|pinball out.trace

The boxes are tight: b2Shape::ComputeAABB at the body's transform after the step. That holds the skin of 0.01
that is part of every polygon in Box2D, and nothing else. The pairs are the world's contacts, one for each
pair of its broad phase, at the same moment. Box2D's own boxes also cover the way of the step, 0.1 on each
side and a lead along the motion; a pair ends when those larger boxes come apart, and is dropped in the next
step. Bodies that sleep keep their pairs.

Box2D pairs two fixtures only when one body is dynamic: those of static and kinematic bodies are recorded as
TRACE_STATIC. Two fixtures of one dynamic body never pair and joints may forbid pairs: in these scenes a
dynamic body has one fixture, and what a joint ties is held by an anchor without fixtures.
*/
#include <box2d/box2d.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include "trace.h"

static uint32_t random_state = 1;
static float random_between(float low, float high) {
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

/* Box2D's world; every fixture is a body of the trace, numbered in the order of creation. */
struct Scene {
    b2World world;
    trace_writer trace;
    int count = 0;

    Scene(const b2Vec2 &gravity, int most, const char *about) : world(gravity) {
        trace_begin(&trace, 3, most, about);
    }
    b2Body *add(b2BodyType type, const b2Shape &shape, float x, float y, float angle = 0, float bounce = 0.1f) {
        b2BodyDef body;
        b2FixtureDef fixture;
        body.type = type;
        body.position.Set(x, y);
        body.angle = angle;
        fixture.shape = &shape;
        fixture.density = 1;
        fixture.restitution = bounce;
        fixture.userData.pointer = (uintptr_t)count++;
        b2Body *b = world.CreateBody(&body);
        b->CreateFixture(&fixture);
        return b;
    }
    void step() {
        world.Step(1.0f / 60, 8, 3);
        std::vector<trace_body> bodies((size_t)trace.bodies, trace_body());
        for (b2Body *b = world.GetBodyList(); b; b = b->GetNext())
            for (b2Fixture *f = b->GetFixtureList(); f; f = f->GetNext()) {
                trace_body &t = bodies.at(f->GetUserData().pointer);
                b2AABB box;
                f->GetShape()->ComputeAABB(&box, b->GetTransform(), 0);
                t.kind = b->GetType() == b2_dynamicBody ? TRACE_DYNAMIC : TRACE_STATIC;
                t.min[0] = box.lowerBound.x;
                t.min[1] = box.lowerBound.y;
                t.max[0] = box.upperBound.x;
                t.max[1] = box.upperBound.y;
            }
        std::vector<uint64_t> pairs;
        for (b2Contact *c = world.GetContactList(); c; c = c->GetNext())
            pairs.push_back(
                trace_pair((int)c->GetFixtureA()->GetUserData().pointer, (int)c->GetFixtureB()->GetUserData().pointer));
        std::sort(pairs.begin(), pairs.end());
        trace_write(&trace, bodies.data(), pairs.data(), (int)pairs.size());
    }
    void destroy_below(float y) {
        for (b2Body *b = world.GetBodyList(), *next; b; b = next) {
            next = b->GetNext();
            if (b->GetType() == b2_dynamicBody && b->GetPosition().y < y) world.DestroyBody(b);
        }
    }
};

static b2PolygonShape box(float half_width, float half_height) {
    b2PolygonShape s;
    s.SetAsBox(half_width, half_height);
    return s;
}

static b2CircleShape circle(float radius) {
    b2CircleShape s;
    s.m_radius = radius;
    return s;
}

/* Boxes, discs and odd polygons are poured into a pit whose floor opens near the end. */
static void pile(Scene &s) {
    s.add(b2_staticBody, box(0.5f, 20), -12, 20);
    s.add(b2_staticBody, box(0.5f, 20), 12, 20);
    b2Body *floor = s.add(b2_staticBody, box(12.5f, 0.5f), 0, -0.5f);
    for (int frame = 0; frame < 540; frame++) {
        if (frame % 3 == 0 && frame < 360)
            for (int i = 0; i < 6; i++) {
                float r = random_between(0.15f, 0.45f), x = -10 + 4 * (float)i + random_between(-1, 1),
                      angle = random_between(0, 3);
                if (i % 3 == 0) {
                    s.add(b2_dynamicBody, box(r, r * random_between(0.4f, 1)), x, 30, angle);
                } else if (i % 3 == 1) {
                    s.add(b2_dynamicBody, circle(r), x, 30);
                } else {
                    b2Vec2 corner[5];
                    b2PolygonShape shape;
                    for (int k = 0; k < 5; k++)
                        corner[k].Set(r * std::cos(1.2566f * (float)k), r * std::sin(1.2566f * (float)k));
                    shape.Set(corner, 5);
                    s.add(b2_dynamicBody, shape, x, 30, angle);
                }
            }
        if (frame == 440) s.world.DestroyBody(floor);
        s.step();
        s.destroy_below(-30);
    }
}

/* A pinball table: fast small balls among bumpers, pins, turning bars and two flippers that keep beating. */
static void pinball(Scene &s) {
    s.add(b2_staticBody, box(0.5f, 20), -10.5f, 20);
    s.add(b2_staticBody, box(0.5f, 20), 10.5f, 20);
    s.add(b2_staticBody, box(11, 0.5f), 0, 40.5f);
    s.add(b2_staticBody, box(4, 0.2f), -7.5f, 5, -0.5f);
    s.add(b2_staticBody, box(4, 0.2f), 7.5f, 5, 0.5f);
    for (int row = 0; row < 6; row++)
        for (int i = 0; i < 6 - (row & 1); i++)
            s.add(b2_staticBody, circle(row % 3 == 1 ? 0.8f : 0.25f), -8 + 3.2f * (float)i + (row & 1 ? 1.6f : 0),
                  12 + 4 * (float)row, 0, 1.2f);
    for (int i = 0; i < 3; i++)
        s.add(b2_kinematicBody, box(1.6f, 0.12f), -6 + 6 * (float)i, 9, 0)->SetAngularVelocity(i & 1 ? -3.0f : 3.0f);
    b2RevoluteJoint *flipper[2];
    for (int side = 0; side < 2; side++) {
        float sign = side ? 1.0f : -1.0f;
        b2BodyDef anchor;
        anchor.position.Set(3.3f * sign, 2.6f);
        b2RevoluteJointDef joint;
        joint.Initialize(s.world.CreateBody(&anchor), s.add(b2_dynamicBody, box(1.2f, 0.15f), 2.1f * sign, 2.6f),
                         anchor.position);
        joint.enableMotor = joint.enableLimit = true;
        joint.maxMotorTorque = 4000;
        joint.lowerAngle = side ? -0.5f : -0.4f;
        joint.upperAngle = side ? 0.4f : 0.5f;
        flipper[side] = static_cast<b2RevoluteJoint *>(s.world.CreateJoint(&joint));
    }
    for (int frame = 0; frame < 600; frame++) {
        if (frame % 6 == 0) {
            b2Body *ball =
                s.add(b2_dynamicBody, circle(random_between(0.12f, 0.3f)), random_between(-9, 9), 38, 0, 0.7f);
            ball->SetLinearVelocity(b2Vec2(random_between(-15, 15), random_between(-25, 0)));
            ball->SetBullet(true);
        }
        for (int side = 0; side < 2; side++)
            flipper[side]->SetMotorSpeed((frame / 12 % 3 == side ? 18.0f : -18.0f) * (side ? -1.0f : 1.0f));
        s.step();
        s.destroy_below(-8);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name, *what;
        int most;
        void (*run)(Scene &);
    } scenes[] = {{"pile", "a pile in a pit whose floor opens", 800, pile},
                  {"pinball", "a pinball table", 160, pinball}};
    for (const auto &scene : scenes)
        if (argc == 3 && scene.name == std::string(argv[1])) {
            std::string about = "Box2D " + std::to_string(b2_version.major) + "." + std::to_string(b2_version.minor) +
                                "." + std::to_string(b2_version.revision) + ": " + scene.what;
            Scene s(b2Vec2(0, -10), scene.most, about.c_str());
            scene.run(s);
            int bodies = s.count, frames = s.trace.frames;
            const char *error = trace_save(&s.trace, argv[2]);
            printf("%s: %s, %d bodies, %d frames%s%s\n", argv[2], about.c_str(), bodies, frames, error ? ": " : "",
                   error ? error : "");
            return error != nullptr;
        }
    fprintf(stderr, "usage: record_box2d pile|pinball file\n");
    return 2;
}
