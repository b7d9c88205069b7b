/*
physx.cpp - PhysX 5's broad phases on their own, through PxBroadPhase.h

Not in Debian. Needs its low-level broad phases as a static library: bench/README.md says which files, and the flags of

    make bench-peers PHYSX=...

Only PxCreateBroadPhase, update and fetchResults are used: no scene, no actors. Bounds are read where they lie, the
user's own array; groups make static boxes static, and each other box its own. Both lists of pairs are fetched in
every frame. ABP sorts and splits by itself. PABP, the same for threads, and MBP, which needs regions that the user
knows, are left out.
*/
#ifndef NDEBUG
#define NDEBUG /* PhysX wants this or _DEBUG */
#endif
#include "pair_set.h"
#include "peer.h"

#include <PxPhysicsAPI.h>

using namespace physx;

static_assert(sizeof(PxBounds3) == sizeof(sap_aabb), "boxes are handed over as they lie");

struct Complain : PxErrorCallback {
    void reportError(PxErrorCode::Enum, const char *message, const char *, int) override {
        fail(message);
    }
};

template <PxBroadPhaseType::Enum TYPE> struct PhysX : Peer {
    PxBroadPhase *phase = nullptr;
    std::vector<PxU32> all;
    std::vector<PxBpFilterGroup> group;
    std::vector<float> distance;
    pair_set held; /* by the events of all frames */
    PxBroadPhaseResults results;
    const scene *of = nullptr;
    long long events = 0;

    void update(const PxU32 *created, size_t adds, const PxU32 *updated, size_t moves, const PxU32 *removed,
                size_t ends, const sap_aabb *box) {
        PxBroadPhaseUpdateData data(created, (PxU32)adds, updated, (PxU32)moves, removed, (PxU32)ends,
                                    (const PxBounds3 *)box, group.data(), distance.data(), (PxU32)group.size());
        phase->update(data);
        phase->fetchResults(results);
        for (PxU32 i = 0; i < results.mNbCreatedPairs; i++)
            events += results.mCreatedPairs[i].mID0 ^ results.mCreatedPairs[i].mID1;
        for (PxU32 i = 0; i < results.mNbDeletedPairs; i++)
            events -= results.mDeletedPairs[i].mID0 ^ results.mDeletedPairs[i].mID1;
    }
    void prepare(const scene &s) override {
        static PxDefaultAllocator allocator;
        static Complain complain;
        static PxFoundation *foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, complain);
        if (!foundation) fail("PxCreateFoundation");
        phase = PxCreateBroadPhase(PxBroadPhaseDesc(TYPE));
        of = &s;
        distance.assign((size_t)s.n, 0.0f);
        for (int i = 0; i < s.n; i++) {
            all.push_back((PxU32)i);
            group.push_back(s.is_static[i] ? PxGetBroadPhaseStaticFilterGroup()
                                           : PxGetBroadPhaseDynamicFilterGroup((PxU32)i));
        }
    }
    void add_all(const scene &s) override {
        update(all.data(), all.size(), nullptr, 0, nullptr, 0, s.box);
    }
    void frame(const scene &s) override {
        update(nullptr, 0, (const PxU32 *)s.moved, (size_t)s.moves, nullptr, 0, s.box);
    }
    void remove_all() override {
        update(nullptr, 0, nullptr, 0, all.data(), all.size(), of->box);
    }
    void note_events() override {
        for (PxU32 i = 0; i < results.mNbDeletedPairs; i++)
            held.remove(results.mDeletedPairs[i].mID0, results.mDeletedPairs[i].mID1);
        for (PxU32 i = 0; i < results.mNbCreatedPairs; i++)
            held.insert(results.mCreatedPairs[i].mID0, results.mCreatedPairs[i].mID1);
    }
    void pairs(pair_list &out) override {
        for (uint64_t p : held.pair) out.emplace_back((int)(p >> 32), (int)(p & 0xffffffff));
    }
};

const std::string version = "PhysX " + std::to_string(PX_PHYSICS_VERSION_MAJOR) + "." +
                            std::to_string(PX_PHYSICS_VERSION_MINOR) + "." + std::to_string(PX_PHYSICS_VERSION_BUGFIX);
const std::vector<peer_kind> peers = {
    {"PhysX ABP", FRAMES_3D | ADDS | REMOVES, 1 << 20, make<PhysX<PxBroadPhaseType::eABP>>,
     "keeps pairs and reports what began and ended; no margin; the pairs of removed boxes are not reported"},
    {"PhysX SAP", FRAMES_3D | ADDS | REMOVES, 20000, make<PhysX<PxBroadPhaseType::eSAP>>,
     "the same, by endpoints sorted on three axes; bounds rounded out a little"},
};
