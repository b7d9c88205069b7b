/*
jolt.cpp - the broad phase of Jolt (BroadPhaseQuadTree), with bodies that are boxes

Not in Debian. Needs a build of Jolt in its Distribution configuration (no profiler; AVX2, as is its default), and the
definitions of that build:

    make bench-peers JOLT=...        the flags are in bench/README.md

Two layers, what stands and what moves, so that static boxes never meet. A box that moves is a body that is awake, and
one that did not move in the last frame sleeps. In a frame bodies are placed, their bounds handed in, the trees updated,
and all pairs of the bodies that are awake collected anew: Jolt's broad phase keeps no pairs. Its bodies' memory is
counted with it.
*/
#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Body/BodyManager.h>
#include <Jolt/Physics/Body/BodyPair.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseQuadTree.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/RegisterTypes.h>

#include "peer.h"

struct Layers : JPH::BroadPhaseLayerInterface {
    JPH::uint GetNumBroadPhaseLayers() const override {
        return 2;
    }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
        return JPH::BroadPhaseLayer((JPH::uint8)layer);
    }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
    const char *GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override {
        return "";
    }
#endif
};

struct AllTrees : JPH::ObjectVsBroadPhaseLayerFilter {
    bool ShouldCollide(JPH::ObjectLayer, JPH::BroadPhaseLayer) const override {
        return true;
    }
};

struct AllPairs : JPH::ObjectLayerPairFilter {
    bool ShouldCollide(JPH::ObjectLayer, JPH::ObjectLayer) const override {
        return true;
    }
};

struct Collect : JPH::BodyPairCollector {
    pair_list *to;
    void AddHit(const JPH::BodyPair &p) override {
        to->emplace_back((int)p.mBodyA.GetIndex(), (int)p.mBodyB.GetIndex());
    }
};

struct Jolt : Peer {
    Layers layers;
    AllTrees trees;
    AllPairs any;
    JPH::BodyManager bodies;
    JPH::BroadPhaseQuadTree phase;
    std::vector<JPH::BodyID> id, list;
    std::vector<int> last_moved, frame_of; /* a body sleeps if its frame is not the last one */
    pair_list found;
    int frames = 0;

    static JPH::Vec3 centre(const sap_aabb &b) {
        return JPH::Vec3((b.min[0] + b.max[0]) * 0.5f, (b.min[1] + b.max[1]) * 0.5f, (b.min[2] + b.max[2]) * 0.5f);
    }
    void settle() {
        Collect collect;
        collect.to = &found;
        found.clear();
        phase.FrameSync();
        phase.LockModifications();
        JPH::BroadPhase::UpdateState state = phase.UpdatePrepare();
        phase.UpdateFinalize(state);
        phase.UnlockModifications();
        list.clear();
        for (int i : last_moved)
            if (!bodies.GetBody(id[(size_t)i]).IsStatic()) list.push_back(id[(size_t)i]);
        phase.FindCollidingPairs(list.data(), (int)list.size(), 0, trees, any, collect);
    }
    void prepare(const scene &s) override { /* bodies are made, and are in no broad phase yet */
        JPH::RegisterDefaultAllocator();
        JPH::Factory::sInstance = new JPH::Factory();
        JPH::RegisterTypes();
        bodies.Init((JPH::uint)s.n + 1, 0, layers);
        phase.Init(&bodies, layers);
        frame_of.assign((size_t)s.n, 0);
        for (int i = 0; i < s.n; i++) {
            const sap_aabb &b = s.box[i];
            JPH::Vec3 half((b.max[0] - b.min[0]) * 0.5f, (b.max[1] - b.min[1]) * 0.5f, (b.max[2] - b.min[2]) * 0.5f);
            JPH::BodyCreationSettings settings(new JPH::BoxShape(half, 0), centre(b), JPH::Quat::sIdentity(),
                                               s.is_static[i] ? JPH::EMotionType::Static : JPH::EMotionType::Dynamic,
                                               (JPH::ObjectLayer)!s.is_static[i]);
            JPH::Body *body = bodies.AllocateBody(settings);
            if (!bodies.AddBody(body)) fail("too many bodies");
            id.push_back(body->GetID());
            if (!s.is_static[i]) last_moved.push_back(i);
        }
    }
    void add_all(const scene &s) override {
        list = id; /* which it may put into another order */
        JPH::BroadPhase::AddState state = phase.AddBodiesPrepare(list.data(), s.n);
        phase.AddBodiesFinalize(list.data(), s.n, state);
        wake();
        settle();
    }
    void wake() {
        list.clear();
        for (int i : last_moved) {
            JPH::Body &body = bodies.GetBody(id[(size_t)i]);
            if (!body.IsStatic() && !body.IsActive()) list.push_back(body.GetID());
        }
        if (!list.empty()) bodies.ActivateBodies(list.data(), (int)list.size());
    }
    void frame(const scene &s) override {
        frames++;
        for (int m = 0; m < s.moves; m++) frame_of[(size_t)s.moved[m]] = frames;
        list.clear();
        for (int i : last_moved)
            if (frame_of[(size_t)i] != frames && bodies.GetBody(id[(size_t)i]).IsActive())
                list.push_back(id[(size_t)i]);
        if (!list.empty()) bodies.DeactivateBodies(list.data(), (int)list.size());
        last_moved.assign(s.moved, s.moved + s.moves);
        wake();
        list.clear();
        for (int i : last_moved) {
            bodies.GetBody(id[(size_t)i])
                .SetPositionAndRotationInternal(centre(s.box[i]), JPH::Quat::sIdentity(), false);
            list.push_back(id[(size_t)i]);
        }
        if (!list.empty()) phase.NotifyBodiesAABBChanged(list.data(), (int)list.size(), true);
        settle();
    }
    void remove_all() override {
        list = id;
        phase.RemoveBodies(list.data(), (int)list.size());
    }
    void pairs(pair_list &out) override { /* of all, awake or not */
        last_moved.clear();
        for (size_t i = 0; i < id.size(); i++) last_moved.push_back((int)i);
        wake();
        settle();
        out = found;
    }
};

const std::string version = "Jolt " + std::to_string(JPH_VERSION_MAJOR) + "." + std::to_string(JPH_VERSION_MINOR) +
                            "." + std::to_string(JPH_VERSION_PATCH);
const std::vector<peer_kind> peers = {
    {"Jolt", FRAMES_3D | ADDS | REMOVES, 1 << 20, make<Jolt>,
     "BroadPhaseQuadTree: all pairs of the bodies that are awake anew, none kept; no margin"},
};
