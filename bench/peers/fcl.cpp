/* fcl.cpp - collision objects in a manager of FCL, which reports all pairs in each frame (Debian: libfcl-dev) */
#include "peer.h"

#include <fcl/fcl.h>

struct Fcl : Peer {
    std::unique_ptr<fcl::BroadPhaseCollisionManagerd> manager;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> object;
    std::vector<fcl::CollisionObjectd *> pointers, moved;
    const unsigned char *is_static = nullptr;
    pair_list found;
    static bool near(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *user) {
        Fcl *me = (Fcl *)user;
        int i = (int)(intptr_t)a->getUserData(), j = (int)(intptr_t)b->getUserData();
        if (!(me->is_static[i] && me->is_static[j])) me->found.emplace_back(i, j);
        return false;
    }
    static void place(fcl::CollisionObjectd &o, const sap_aabb &b) {
        o.setTranslation(
            fcl::Vector3d((b.min[0] + b.max[0]) / 2.0, (b.min[1] + b.max[1]) / 2.0, (b.min[2] + b.max[2]) / 2.0));
        o.computeAABB();
    }
    void collide() {
        found.clear();
        manager->collide(this, near);
    }
    void prepare(const scene &s) override { /* objects are made, and are in no manager yet */
        is_static = s.is_static;
        for (int i = 0; i < s.n; i++) {
            const sap_aabb &b = s.box[i];
            object.emplace_back(new fcl::CollisionObjectd(
                std::make_shared<fcl::Boxd>(b.max[0] - b.min[0], b.max[1] - b.min[1], b.max[2] - b.min[2])));
            object.back()->setUserData((void *)(intptr_t)i);
            place(*object.back(), b);
            pointers.push_back(object.back().get());
        }
    }
    void add_all(const scene &) override {
        manager->registerObjects(pointers);
        manager->setup();
        collide();
    }
    void frame(const scene &s) override {
        moved.clear();
        for (int i = 0; i < s.moves; i++) {
            place(*object[(size_t)s.moved[i]], s.box[s.moved[i]]);
            moved.push_back(pointers[(size_t)s.moved[i]]);
        }
        if (s.moves == s.n)
            manager->update();
        else if (s.moves)
            manager->update(moved);
        collide();
    }
    void remove_all() override {
        for (fcl::CollisionObjectd *o : pointers) manager->unregisterObject(o);
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

struct FclSap : Fcl {
    FclSap() {
        manager.reset(new fcl::SaPCollisionManagerd());
    }
};

struct FclTree : Fcl {
    FclTree() {
        manager.reset(new fcl::DynamicAABBTreeCollisionManagerd());
    }
};

const std::string version = "FCL " FCL_VERSION;
const std::vector<peer_kind> peers = {
    {"FCL SaP", FRAMES_3D | ADDS | REMOVES, 20000, make<FclSap>,
     "SaPCollisionManager: keeps pairs, reports all; no margin"},
    {"FCL tree", FRAMES_3D | ADDS | REMOVES, 100000, make<FclTree>,
     "DynamicAABBTreeCollisionManager: all pairs anew; no margin"},
};
