/* box2d_24.cpp - the broad phase of Box2D 2.4, 2D, and its tree alone for queries (Debian: libbox2d-dev) */
#include "pair_set.h"
#include "peer.h"

#include <box2d/box2d.h>

struct Box2D : Peer {
    b2BroadPhase phase;
    std::vector<int> proxy;
    std::vector<b2Vec2> centre;
    const unsigned char *is_static = nullptr;
    pair_set held;
    static b2AABB box(const sap_aabb &b) {
        b2AABB out;
        out.lowerBound.Set(b.min[0], b.min[1]);
        out.upperBound.Set(b.max[0], b.max[1]);
        return out;
    }
    void AddPair(void *a, void *b) { /* called by UpdatePairs, for pairs that are known too */
        uint32_t i = (uint32_t)(uintptr_t)a, j = (uint32_t)(uintptr_t)b;
        if (!(is_static[i] && is_static[j])) held.insert(i, j);
    }
    void settle() { /* as b2ContactManager: contacts end when the fat boxes come apart */
        for (size_t p = held.pair.size(); p--;)
            if (!phase.TestOverlap(proxy[held.pair[p] >> 32], proxy[held.pair[p] & 0xffffffff])) held.erase(p);
        phase.UpdatePairs(this);
    }
    void add_all(const scene &s) override {
        is_static = s.is_static;
        for (int i = 0; i < s.n; i++) {
            proxy.push_back(phase.CreateProxy(box(s.box[i]), (void *)(uintptr_t)i));
            centre.push_back(box(s.box[i]).GetCenter());
        }
        settle();
    }
    void frame(const scene &s) override {
        for (int i = 0; i < s.moves; i++) {
            size_t m = (size_t)s.moved[i];
            b2AABB b = box(s.box[m]);
            bool jumps = s.kind->motion == JUMP; /* b2Body::SetTransform foretells no motion */
            phase.MoveProxy(proxy[m], b, jumps ? b2Vec2(0, 0) : b.GetCenter() - centre[m]);
            centre[m] = b.GetCenter();
        }
        settle();
    }
    long long read_pairs() override {
        long long sum = 0;
        for (uint64_t p : held.pair) sum += (long long)p;
        return sum;
    }
    void pairs(pair_list &out) override {
        for (uint64_t p : held.pair) out.emplace_back((int)(p >> 32), (int)(p & 0xffffffff));
    }
};

/* The tree alone, nothing paired; boxes that do not foretell their motion, which fattens them least. */
struct Box2DQueries : Peer {
    b2DynamicTree tree;
    std::vector<int> proxy;
    const sap_aabb *box = nullptr;
    struct Count {
        Box2DQueries *me;
        const sap_aabb *area;
        int hits;
        bool QueryCallback(int id) {
            hits += boxes_meet(area, me->box_of(id));
            return true;
        }
    };
    struct Closest {
        Box2DQueries *me;
        query_ray ray;
        float end;
        float RayCastCallback(const b2RayCastInput &, int id) {
            return end = ray_meets(&ray, me->box_of(id), end);
        }
    };
    const sap_aabb *box_of(int id) const {
        return &box[(uintptr_t)tree.GetUserData(id)];
    }
    void add_all(const scene &s) override {
        box = s.box;
        for (int i = 0; i < s.n; i++) proxy.push_back(tree.CreateProxy(Box2D::box(s.box[i]), (void *)(uintptr_t)i));
    }
    void frame(const scene &s) override {
        for (int i = 0; i < s.moves; i++)
            tree.MoveProxy(proxy[(size_t)s.moved[i]], Box2D::box(s.box[s.moved[i]]), b2Vec2(0, 0));
    }
    double answer(int kind, const query &q) override {
        if (kind == QUERY_NEAREST) return -1;
        if (kind != QUERY_RAY) {
            Count count = {this, &q.box[kind], 0};
            tree.Query(&count, Box2D::box(q.box[kind]));
            return count.hits;
        }
        Closest closest = {this, ray_of(&q, 2), 1};
        b2RayCastInput in;
        in.p1.Set(q.origin[0], q.origin[1]);
        in.p2.Set(q.origin[0] + q.way[0], q.origin[1] + q.way[1]);
        in.maxFraction = 1;
        tree.RayCast(&closest, in);
        return closest.end;
    }
};

const std::string version = "Box2D " + std::to_string(b2_version.major) + "." + std::to_string(b2_version.minor) + "." +
                            std::to_string(b2_version.revision);
const std::vector<peer_kind> peers = {
    {"Box2D 2.4", FRAMES_2D | ADDS, 100000, make<Box2D>,
     "b2BroadPhase and a set of pairs: margin 0.1 and 4 times the step, pairs end late"},
    {"Box2D 2.4 tree", QUERIES_2D, 1 << 20, make<Box2DQueries>,
     "b2DynamicTree alone: margin 0.1, hits tested against the exact boxes; Query, RayCast"},
};
