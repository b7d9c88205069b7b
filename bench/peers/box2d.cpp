/*
box2d.cpp - the dynamic tree of Box2D v3, through its public header

Not in Debian (whose Box2D is 2.4). Needs a build of Box2D v3 in Release mode, made as Box2D says, and

    make bench-peers BOX2D=...        the flags are in bench/README.md

What makes pairs of it is in trees.h: its world does that inside, for its shapes alone.
*/
#include "trees.h"

#include <box2d/box2d.h>

struct Tree {
    b2DynamicTree tree = b2DynamicTree_Create(16);
    static b2AABB of(const sap_aabb &b) {
        return {{b.min[0], b.min[1]}, {b.max[0], b.max[1]}};
    }
    int create(const sap_aabb &b, uint64_t i) {
        return b2DynamicTree_CreateProxy(&tree, of(b), 1, i);
    }
    void enlarge(int proxy, const sap_aabb &b) {
        b2DynamicTree_EnlargeProxy(&tree, proxy, of(b));
    }
    void move(int proxy, const sap_aabb &b) {
        b2DynamicTree_MoveProxy(&tree, proxy, of(b));
    }
    void destroy(int proxy) {
        b2DynamicTree_DestroyProxy(&tree, proxy);
    }
    void rebuild(bool all) {
        b2DynamicTree_Rebuild(&tree, all);
    }
    template <class F> void meet(const sap_aabb &b, F f) const {
        auto hit = [](int, uint64_t i, void *to) { return (*(F *)to)(i), true; };
        b2DynamicTree_Query(&tree, of(b), ~(uint64_t)0, hit, &f);
    }
    struct Closest {
        query_ray ray;
        const sap_aabb *box;
        float end;
    };
    double closest(const query &q, const sap_aabb *box) const {
        Closest c = {ray_of(&q, 2), box, 1};
        b2RayCastInput in = {{q.origin[0], q.origin[1]}, {q.way[0], q.way[1]}, 1};
        auto hit = [](const b2RayCastInput *, int, uint64_t i, void *to) {
            Closest *me = (Closest *)to;
            return me->end = ray_meets(&me->ray, &me->box[i], me->end);
        };
        b2DynamicTree_RayCast(&tree, &in, ~(uint64_t)0, hit, &c);
        return c.end;
    }
    double nearest(const query &, const sap_aabb *) const {
        return -1;
    }
};

const std::string version = "Box2D " + std::to_string(b2GetVersion().major) + "." +
                            std::to_string(b2GetVersion().minor) + "." + std::to_string(b2GetVersion().revision);
const std::vector<peer_kind> peers = {
    {"Box2D v3", FRAMES_2D | ADDS, 1 << 20, make<TreePairs<Tree>>,
     "two b2DynamicTree and a set of pairs of fat boxes: margin 0.05, pairs end late"},
    {"Box2D v3 exact", FRAMES_2D, 1 << 20, make<TreePairs<Tree, true>>,
     "the same, and exact boxes tested for each of these pairs in each frame: no margin in what it tells"},
    {"Box2D v3 tree", QUERIES_2D, 1 << 20, make<TreeQueries<Tree>>, "b2DynamicTree alone: margin 0.05; Query, RayCast"},
};
