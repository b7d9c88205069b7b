/*
box3d.cpp - the dynamic tree of Box3D, through its public header

Not in Debian. Needs a build of Box3D in Release mode, made as Box3D says, and

    make bench-peers BOX3D=...        the flags are in bench/README.md

What makes pairs of it is in trees.h: its world does that inside, for its shapes alone.
*/
#include "trees.h"

#include <box3d/box3d.h>

struct Tree {
    b3DynamicTree tree = b3DynamicTree_Create(16);
    static b3AABB of(const sap_aabb &b) {
        return {{b.min[0], b.min[1], b.min[2]}, {b.max[0], b.max[1], b.max[2]}};
    }
    int create(const sap_aabb &b, uint64_t i) {
        return b3DynamicTree_CreateProxy(&tree, of(b), 1, i);
    }
    void enlarge(int proxy, const sap_aabb &b) {
        b3DynamicTree_EnlargeProxy(&tree, proxy, of(b));
    }
    void move(int proxy, const sap_aabb &b) {
        b3DynamicTree_MoveProxy(&tree, proxy, of(b));
    }
    void destroy(int proxy) {
        b3DynamicTree_DestroyProxy(&tree, proxy);
    }
    void rebuild(bool all) {
        b3DynamicTree_Rebuild(&tree, all);
    }
    template <class F> void meet(const sap_aabb &b, F f) const {
        auto hit = [](int, uint64_t i, void *to) { return (*(F *)to)(i), true; };
        b3DynamicTree_Query(&tree, of(b), ~(uint64_t)0, false, hit, &f);
    }
    struct Closest {
        query_ray ray;
        const sap_aabb *box;
        float end;
    };
    double closest(const query &q, const sap_aabb *box) const {
        Closest c = {ray_of(&q, 3), box, 1};
        b3RayCastInput in = {{q.origin[0], q.origin[1], q.origin[2]}, {q.way[0], q.way[1], q.way[2]}, 1};
        auto hit = [](const b3RayCastInput *, int, uint64_t i, void *to) {
            Closest *me = (Closest *)to;
            return me->end = ray_meets(&me->ray, &me->box[i], me->end);
        };
        b3DynamicTree_RayCast(&tree, &in, ~(uint64_t)0, false, hit, &c);
        return c.end;
    }
    double nearest(const query &, const sap_aabb *) const {
        return -1;
    }
};

const std::string version = "Box3D " + std::to_string(b3GetVersion().major) + "." +
                            std::to_string(b3GetVersion().minor) + "." + std::to_string(b3GetVersion().revision);
const std::vector<peer_kind> peers = {
    {"Box3D", FRAMES_3D | ADDS | REMOVES, 1 << 20, make<TreePairs<Tree>>,
     "two b3DynamicTree and a set of pairs of fat boxes: margin 0.05, pairs end late"},
    {"Box3D exact", FRAMES_3D, 1 << 20, make<TreePairs<Tree, true>>,
     "the same, and exact boxes tested for each of these pairs in each frame: no margin in what it tells"},
    {"Box3D tree", QUERIES_3D, 1 << 20, make<TreeQueries<Tree>>, "b3DynamicTree alone: margin 0.05; Query, RayCast"},
};
