/*
Shows how to put sap into Jolt Physics, whose broad phase keeps no pairs and is asked by many threads.

    c++ -std=c++17 -O2 -fno-rtti -I.. -I/usr/include/stb -o jolt 21_jolt.cpp $JOLT && ./jolt

Needs a build of Jolt 5.5.1, and its flags in $JOLT: bench/README.md has both. `make engine JOLT="$JOLT"` does the same.
PhysicsSystem makes its broad phase by the name of a class. So this file includes Jolt's PhysicsSystem.cpp with that
name replaced, and the linker takes this PhysicsSystem, not the library's. Nothing of Jolt is changed. A program that
always takes sap needs one line for it: #define BroadPhaseQuadTree SapBroadPhase.
Blocks and balls fall onto a level of static boxes. They fall in the same way, bit for bit, with Jolt's own broad phase
and with sap, on one thread, and on four while a fifth one casts rays, and adds and removes a body. Jolt's own unit
tests pass with sap, too: `make jolt-tests` runs them. It prints, with other times:

    Jolt's tree                 1.05 ms a step
    sap                         0.89 ms a step: the same to the last bit
    Jolt's tree, 4 threads      1.33 ms a step: the same to the last bit
    sap, 4 threads              1.22 ms a step: the same to the last bit
*/
#include <Jolt/Jolt.h>
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Geometry/OrientedBox.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/AABoxCast.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseLayerInterfaceTable.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseQuadTree.h>
#include <Jolt/Physics/Collision/BroadPhase/ObjectVsBroadPhaseLayerFilterTable.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/ObjectLayerPairFilterTable.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <shared_mutex>
#include <thread>
#include <vector>
#define SAP_IMPLEMENTATION
#include "sap.h"
using namespace JPH;

/* Jolt asks from many threads: its jobs in an update, and the game's threads at any time. Two rules make that safe. The
   lock is held for calls of sap alone. Meanwhile no filter and no collector is called, and no other lock is taken: a
   collector may wait for a body, which the thread that updates holds, while that one waits for this lock. (A cast that
   calls its collector under the lock stops the scene below for ever.) So hits are copied, and handed on afterwards.
   The world is never updated: Jolt asks for the pairs of its active bodies in each step, and keeps contacts itself. */
class SapBroadPhase final : public BroadPhase {
  public:
    typedef const BroadPhaseLayerFilter Trees; /* which broad phase layers are asked: Jolt has a tree for each */
    typedef const ObjectLayerFilter Layers;
    typedef CollideShapeBodyCollector Collector;
    JPH_OVERRIDE_NEW_DELETE

    ~SapBroadPhase() override {
        sap_destroy(world);
    }

    void Init(BodyManager *manager, const BroadPhaseLayerInterface &layers) override {
        BroadPhase::Init(manager, layers);
        tree_count = layers.GetNumBroadPhaseLayers();
        entries.resize(manager->GetMaxBodies());
        if (!world || tree_count > 32) std::abort(); /* a category has 32 bits */
    }

    void AddBodiesFinalize(BodyID *list, int n, AddState) override {
        store(list, n, true);
        for (int i = 0; i < n; i++) mBodyManager->GetBody(list[i]).SetInBroadPhaseInternal(true);
    }

    void NotifyBodiesAABBChanged(BodyID *list, int n, bool) override { /* several jobs call it at the same time */
        store(list, n, false);
    }

    void NotifyBodiesLayerChanged(BodyID *list, int n) override {
        store(list, n, true);
    }

    void RemoveBodies(BodyID *list, int n) override {
        const std::lock_guard<std::shared_mutex> writing(lock);
        prepared = false;
        for (int i = 0; i < n; i++) {
            Entry &entry = entries[list[i].GetIndex()];
            sap_remove(world, entry.id);
            entry.id = 0;
            mBodyManager->GetBody(list[i]).SetInBroadPhaseInternal(false);
        }
    }

    void FindCollidingPairs(BodyID *active, int n, float distance, const ObjectVsBroadPhaseLayerFilter &rules,
                            const ObjectLayerPairFilter &pairs, BodyPairCollector &to) const override {
        Hits hits; /* several jobs are here at the same time */
        for (int i = 0; i < n; i++) {
            const Body &body = mBodyManager->GetBody(active[i]);
            const DefaultBroadPhaseLayerFilter trees(rules, body.GetObjectLayer());
            AABox bounds = body.GetWorldSpaceBounds();
            bounds.ExpandBy(Vec3::sReplicate(distance));
            const sap_aabb box = box_of(bounds);
            const uint32_t mask = mask_of(trees);
            hits.clear();
            ask([&] { sap_query_box(world, &box, mask, collect, &hits); });
            for (const Entry &hit : hits)
                if (pairs.ShouldCollide(body.GetObjectLayer(), hit.layer) &&
                    Body::sFindCollidingPairsCanCollide(body, mBodyManager->GetBody(hit.body)))
                    to.AddHit({active[i], hit.body});
        }
    }

    void CollideAABox(const AABox &bounds, Collector &to, Trees &trees, Layers &layers) const override {
        const sap_aabb box = box_of(bounds);
        collide(to, trees, layers, [&](uint32_t m, Hits &hits) { sap_query_box(world, &box, m, collect, &hits); });
    }

    void CollideSphere(Vec3Arg center, float r, Collector &to, Trees &trees, Layers &layers) const override {
        const float point[3] = {center.GetX(), center.GetY(), center.GetZ()};
        collide(to, trees, layers,
                [&](uint32_t m, Hits &hits) { sap_query_sphere(world, point, r, m, collect, &hits); });
    }

    void CollidePoint(Vec3Arg point, Collector &to, Trees &trees, Layers &layers) const override {
        CollideAABox(AABox(point, point), to, trees, layers);
    }

    void CollideOrientedBox(const OrientedBox &oriented, Collector &to, Trees &trees, Layers &layers) const override {
        const AABox own(-oriented.mHalfExtents, oriented.mHalfExtents);
        const sap_aabb box = box_of(own.Transformed(oriented.mOrientation));
        collide(to, trees, layers, [&](uint32_t mask, Hits &hits) {
            sap_query_box(world, &box, mask, collect, &hits);
            auto apart = [&](const Entry &hit) { return !oriented.Overlaps(bounds_of(hit.id)); };
            hits.erase(std::remove_if(hits.begin(), hits.end(), apart), hits.end());
        });
    }

    void CastRay(const RayCast &ray, RayCastBodyCollector &to, Trees &trees, Layers &layers) const override {
        cast(AABox(ray.mOrigin, ray.mOrigin), ray.mDirection, to, trees, layers);
    }

    void CastAABox(const AABoxCast &moving, CastShapeBodyCollector &to, Trees &trees, Layers &layers) const override {
        cast(moving.mBox, moving.mDirection, to, trees, layers);
    }

    void CastAABoxNoLock(const AABoxCast &moving, CastShapeBodyCollector &to, Trees &trees,
                         Layers &layers) const override {
        cast(moving.mBox, moving.mDirection, to, trees, layers);
    }

    AABox GetBounds() const override {
        AABox all; /* empty */
        const std::shared_lock<std::shared_mutex> reading(lock);
        for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id)) all.Encapsulate(bounds_of(id));
        return all;
    }

  private:
    struct Entry { /* the object of a box; a copy of it is a hit */
        sap_id id = 0;
        BodyID body;
        ObjectLayer layer = 0;
        float t = 0; /* of a cast */
    };
    typedef std::vector<Entry> Hits;

    static sap_aabb box_of(const AABox &b) {
        return {{b.mMin.GetX(), b.mMin.GetY(), b.mMin.GetZ()}, {b.mMax.GetX(), b.mMax.GetY(), b.mMax.GetZ()}};
    }

    AABox bounds_of(sap_id id) const {
        sap_aabb b = {};
        sap_get_box(world, id, &b);
        return {Vec3(b.min[0], b.min[1], b.min[2]), Vec3(b.max[0], b.max[1], b.max[2])};
    }

    uint32_t mask_of(Trees &trees) const {
        uint32_t mask = 0;
        for (uint8 i = 0; i < tree_count; i++)
            if (trees.ShouldCollide(BroadPhaseLayer(i))) mask |= 1u << i;
        return mask;
    }

    void store(const BodyID *list, int n, bool with_layers) {
        const std::lock_guard<std::shared_mutex> writing(lock);
        prepared = false;
        for (int i = 0; i < n; i++) {
            const Body &body = mBodyManager->GetBody(list[i]);
            Entry &entry = entries[list[i].GetIndex()];
            const sap_aabb box = box_of(body.GetWorldSpaceBounds());
            if (entry.id && sap_move(world, entry.id, &box) == SAP_OK && !with_layers) continue;
            if (!entry.id) entry.id = (body.IsStatic() ? sap_add_static : sap_add)(world, &box, &entry);
            if (!entry.id && sap_last_error(world) != SAP_ERROR_BOX) std::abort(); /* there is no memory */
            entry.body = list[i]; /* a box that is NaN is refused, and stored when it has numbers again */
            entry.layer = body.GetObjectLayer();
            sap_set_filter(world, entry.id, 1u << body.GetBroadPhaseLayer().GetValue(), ~0u);
            sap_set_static(world, entry.id, body.IsStatic());
        }
    }

    /* Between changes any number of threads query at once. The first one after a change prepares the queries, alone. */
    template <class Query> void ask(const Query &query) const {
        std::shared_lock<std::shared_mutex> reading(lock);
        if (prepared) return query();
        reading.unlock();
        const std::lock_guard<std::shared_mutex> writing(lock);
        prepared = sap_prepare_queries(world) == SAP_OK;
        query();
    }

    static int collect(sap_id, void *object, void *hits) {
        static_cast<Hits *>(hits)->push_back(*static_cast<const Entry *>(object));
        return 1;
    }

    template <class Query> void collide(Collector &to, Trees &trees, Layers &layers, const Query &query) const {
        const uint32_t mask = mask_of(trees);
        Hits hits;
        ask([&] { query(mask, hits); });
        for (const Entry &hit : hits) {
            if (to.ShouldEarlyOut()) return;
            if (layers.ShouldCollide(hit.layer)) to.AddHit(hit.body);
        }
    }

    /* A ray is a box that is a point. All hits are copied; the nearest goes first, and the collector may stop there. */
    template <class CastCollector>
    void cast(const AABox &bounds, Vec3Arg direction, CastCollector &to, Trees &trees, Layers &layers) const {
        const sap_aabb box = box_of(bounds);
        const float way[3] = {direction.GetX(), direction.GetY(), direction.GetZ()};
        const uint32_t mask = mask_of(trees);
        Hits hits;
        auto copy = [](sap_id id, void *object, float t, void *user) {
            collect(id, object, user);
            static_cast<Hits *>(user)->back().t = t;
            return 1.0f;
        };
        ask([&] { sap_box_cast(world, &box, way, mask, copy, &hits); });
        std::sort(hits.begin(), hits.end(),
                  [](const Entry &a, const Entry &b) { return a.t != b.t ? a.t < b.t : a.body < b.body; });
        for (const Entry &hit : hits) {
            if (to.ShouldEarlyOut() || hit.t >= to.GetPositiveEarlyOutFraction()) return;
            if (layers.ShouldCollide(hit.layer)) to.AddHit({hit.body, hit.t});
        }
    }

    sap_world *const world = sap_create(nullptr);
    mutable std::shared_mutex lock;
    mutable bool prepared = false;
    uint tree_count = 0;
    std::vector<Entry> entries; /* by the index of the body */
};

static bool jolts_own = false; /* a choice, for the comparison */
#define BroadPhaseQuadTree                                                                                             \
    SapBroadPhase();                                                                                                   \
    if (jolts_own) delete mBroadPhase, mBroadPhase = new BroadPhaseQuadTree
#include <Jolt/Physics/PhysicsSystem.cpp>
#undef BroadPhaseQuadTree

/* ---- the same scene, with any broad phase ----------------------------------------------------------------------- */
#ifndef NO_SCENE
enum { STEPS = 300, LEVEL = 900, BODIES = 3600, RAYS = 100 };
enum { STANDS, MOVES, DEBRIS, GHOST, LAYERS };

struct Run {
    std::vector<RMat44> places; /* of each body, at the end */
    std::vector<float> seen;    /* how far each ray gets then */
    double milliseconds;        /* a step */
};

static Run simulate(bool own, JobSystem &jobs, bool disturb) {
    Run run = {};
    std::vector<BodyID> bodies;
    BroadPhaseLayerInterfaceTable trees(LAYERS, LAYERS);
    for (uint8 i = 0; i < LAYERS; i++) trees.MapObjectToBroadPhaseLayer(i, BroadPhaseLayer(i));
    ObjectLayerPairFilterTable pairs(LAYERS); /* a ghost meets nothing */
    pairs.EnableCollision(MOVES, STANDS);
    pairs.EnableCollision(MOVES, MOVES);
    pairs.EnableCollision(DEBRIS, STANDS);
    ObjectVsBroadPhaseLayerFilterTable rules(trees, LAYERS, pairs, LAYERS);
    TempAllocatorImpl memory(64 << 20);
    PhysicsSystem system;
    jolts_own = own;
    system.Init(BODIES + 1, 0, 65536, 32768, trees, rules, pairs);
    BodyInterface &interface = system.GetBodyInterface();
    auto create = [&](const Shape *shape, ObjectLayer layer, RVec3Arg at) {
        const EMotionType type = layer == STANDS ? EMotionType::Static : EMotionType::Dynamic;
        return interface.CreateBody({shape, at, Quat::sIdentity(), type, layer})->GetID();
    };
    auto look = [&](int i) {
        RayCastResult hit;
        const Vec3 way(static_cast<float>(i % 10 * 3), -20, static_cast<float>(i / 10 * 3));
        system.GetNarrowPhaseQuery().CastRay({RVec3(0, 20, 0), way}, hit); /* its collector locks bodies */
        return hit.mFraction;
    };
    const RefConst<Shape> tile = new BoxShape(Vec3(0.5f, 1, 0.5f)), ball = new SphereShape(0.4f);
    const RefConst<Shape> block = new BoxShape(Vec3(0.4f, 0.3f, 0.4f));
    for (int i = 0; i < BODIES; i++) {
        const RVec3 at(static_cast<float>(i % 30), static_cast<float>(i / LEVEL * 2), static_cast<float>(i / 30 % 30));
        const Vec3 uneven(0, static_cast<float>(i * i % 7) / 10, 0);
        const ObjectLayer layer = i < LEVEL ? STANDS : i % 5 ? MOVES : DEBRIS;
        bodies.push_back(create(i < LEVEL ? tile : i % 3 ? block : ball, layer, at + uneven));
        interface.AddBody(bodies.back(), EActivation::Activate);
    }
    const BodyID ghost = create(ball, GHOST, RVec3(10, 2, 10));
    std::atomic<bool> ended{!disturb};
    std::thread other([&] {
        for (int i = 0; !ended; i = (i + 1) % RAYS) {
            interface.AddBody(ghost, EActivation::DontActivate);
            look(i);
            interface.RemoveBody(ghost);
        }
    });
    const auto from = std::chrono::steady_clock::now();
    for (int step = 0; step < STEPS; step++) {
        if (step >= 100 && step < 200) interface.RemoveBody(bodies[static_cast<size_t>(step * 8)]);
        system.Update(1.0f / 60, 1, &memory, &jobs);
    }
    run.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count() / STEPS;
    ended = true;
    other.join();
    for (BodyID body : bodies) run.places.push_back(interface.GetWorldTransform(body));
    for (int i = 0; i < RAYS; i++) run.seen.push_back(look(i));
    return run;
}

int main() {
    RegisterDefaultAllocator();
    Factory::sInstance = new Factory();
    RegisterTypes();
    JobSystemSingleThreaded one(cMaxPhysicsJobs);
    JobSystemThreadPool four(cMaxPhysicsJobs, cMaxPhysicsBarriers, 3);
    const Run runs[] = {simulate(true, one, false), simulate(false, one, false), simulate(true, four, true),
                        simulate(false, four, true)};
    const char *const names[] = {"Jolt's tree", "sap", "Jolt's tree, 4 threads", "sap, 4 threads"};
    bool all_same = true;
    for (int i = 0; i < 4; i++) {
        const bool same = runs[i].seen == runs[0].seen &&
                          !std::memcmp(runs[i].places.data(), runs[0].places.data(), BODIES * sizeof(RMat44));
        std::printf("%-22s %9.2f ms a step%s\n", names[i], runs[i].milliseconds,
                    !i     ? ""
                    : same ? ": the same to the last bit"
                           : ": different");
        all_same = all_same && same;
    }
    return !all_same;
}
#endif
