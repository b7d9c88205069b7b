/* chipmunk.cpp - the trees of Chipmunk 7, one of what moves and one of what stands, 2D (Debian: chipmunk-dev) */
#include "peer.h"

#include <chipmunk/chipmunk.h>

struct Chipmunk : Peer {
    cpSpatialIndex *standing = nullptr, *moving = nullptr;
    struct object {
        cpBB box;
        int i;
    };
    std::vector<object> objects;
    std::vector<cpSpatialIndex *> home;
    pair_list found;
    ~Chipmunk() override {
        cpSpatialIndexFree(moving);
        cpSpatialIndexFree(standing);
    }
    static cpBB box_of(void *o) {
        return ((object *)o)->box;
    }
    static cpVect speed_of(void *) {
        return cpvzero;
    }
    static cpCollisionID near(void *a, void *b, cpCollisionID id, void *user) {
        if (cpBBIntersects(((object *)a)->box, ((object *)b)->box)) /* as cpSpace does first */
            ((Chipmunk *)user)->found.emplace_back(((object *)a)->i, ((object *)b)->i);
        return id;
    }
    static cpBB bb(const sap_aabb &b) {
        return cpBBNew(b.min[0], b.min[1], b.max[0], b.max[1]);
    }
    void collide() {
        found.clear();
        cpSpatialIndexReindexQuery(moving, near, this);
    }
    void add_all(const scene &s) override {
        standing = cpBBTreeNew(box_of, nullptr);
        moving = cpBBTreeNew(box_of, standing);
        cpBBTreeSetVelocityFunc(moving, speed_of); /* as cpSpace does: it enlarges what moves by a tenth */
        objects.resize((size_t)s.n);
        for (int i = 0; i < s.n; i++) {
            objects[(size_t)i] = {bb(s.box[i]), i};
            home.push_back(s.is_static[i] ? standing : moving);
            cpSpatialIndexInsert(home.back(), &objects[(size_t)i], (cpHashValue)i);
        }
        collide();
    }
    void frame(const scene &s) override {
        for (int i = 0; i < s.moves; i++) objects[(size_t)s.moved[i]].box = bb(s.box[s.moved[i]]);
        collide();
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

const std::string version = std::string("Chipmunk ") + cpVersionString;
const std::vector<peer_kind> peers = {
    {"Chipmunk", FRAMES_2D | ADDS, 100000, make<Chipmunk>,
     "cpBBTree: keeps the pairs of boxes enlarged by a tenth, those that overlap are told; no margin"},
};
