/*
trees.h - pairs from a bare dynamic tree, as an engine takes them: for box2d.cpp and box3d.cpp

One tree of what moves and one of what stands. A box that leaves its enlarged box gets a new one. Its proxy is enlarged,
as the solvers of these engines do; one that goes farther than bodies do in a frame, which is 4 on an axis in the scenes,
has been placed elsewhere, and its proxy is moved, as these engines do then. The tree of what moves is then rebuilt where it was enlarged, each such
box queries both trees, and what it meets is kept as a pair until the enlarged boxes come apart. The margin is the one
that these engines give their shapes: an eighth of the way from the centre to a corner, 0.05 at most, of what moves; what
stands has 0.02.

So these are pairs of fat boxes: more than there are, and they begin early and end late. That is what an engine wants,
which tests the shapes of each pair in each step. EXACT does that test, for boxes: it goes over the fat pairs after each
frame, and tells of which the exact boxes begin to overlap and cease to, as sap.h does.
*/
#ifndef TREES_H
#define TREES_H

#include "pair_set.h"
#include "peer.h"

#include <cmath>

template <class Tree, bool EXACT = false> struct TreePairs : Peer {
    Tree standing, moving;
    std::vector<int> proxy;
    std::vector<sap_aabb> fat;
    std::vector<unsigned char> is_static, is_new;
    std::vector<int> enlarged;
    pair_set held;
    int axes = 3;
    long long events = 0;

    sap_aabb enlarge(const sap_aabb &b, bool stands = false) const {
        sap_aabb out = b;
        float square = 0;
        for (int k = 0; k < axes; k++) square += (b.max[k] - b.min[k]) * (b.max[k] - b.min[k]) / 4;
        float margin = stands ? 0.02f : std::min(0.05f, std::sqrt(square) / 8);
        for (int k = 0; k < axes; k++) out.min[k] -= margin, out.max[k] += margin;
        return out;
    }
    static bool contains(const sap_aabb &a, const sap_aabb &b) {
        return (a.min[0] <= b.min[0]) & (a.min[1] <= b.min[1]) & (a.min[2] <= b.min[2]) & (b.max[0] <= a.max[0]) &
               (b.max[1] <= a.max[1]) & (b.max[2] <= a.max[2]);
    }
    void set_moving(int proxy, const sap_aabb &was, const sap_aabb &is) {
        float way = 0;
        for (int k = 0; k < axes; k++) way = std::max(way, std::fabs(is.min[k] - was.min[k]));
        if (way > 4.1f)
            moving.move(proxy, is);
        else
            moving.enlarge(proxy, is);
    }
    void settle() {
        if (enlarged.empty()) return;
        for (size_t p = held.pair.size(); p--;) {
            uint32_t i = (uint32_t)(held.pair[p] >> 32), j = (uint32_t)held.pair[p];
            if (!(is_new[i] | is_new[j]) || boxes_meet(&fat[i], &fat[j])) continue;
            if (held.meets[p]) events -= i ^ j;
            held.erase(p);
        }
        moving.rebuild(false);
        for (int i : enlarged) {
            auto note = [this, i](uint64_t other) {
                int j = (int)other;
                if (i != j && !(is_new[(size_t)j] && j < i)) held.insert((uint32_t)i, (uint32_t)j);
            };
            moving.meet(fat[(size_t)i], note);
            if (!is_static[(size_t)i]) standing.meet(fat[(size_t)i], note);
        }
        for (int i : enlarged) is_new[(size_t)i] = 0;
        enlarged.clear();
    }
    void prepare(const scene &s) override {
        fat.reserve((size_t)s.n);
        proxy.reserve((size_t)s.n);
        enlarged.reserve((size_t)s.n);
    }
    void add_all(const scene &s) override {
        axes = scene_axes(&s);
        is_static.assign(s.is_static, s.is_static + s.n);
        is_new.assign((size_t)s.n, 0);
        for (int i = 0; i < s.n; i++) {
            fat.push_back(enlarge(s.box[i], s.is_static[i]));
            proxy.push_back((s.is_static[i] ? standing : moving).create(fat.back(), (uint64_t)i));
            if (!s.is_static[i]) enlarged.push_back(i), is_new[(size_t)i] = 1;
        }
        standing.rebuild(true);
        moving.rebuild(true);
        settle();
    }
    void frame(const scene &s) override {
        for (int m = 0; m < s.moves; m++) {
            size_t i = (size_t)s.moved[m];
            if (contains(fat[i], s.box[i])) continue;
            const sap_aabb was = fat[i];
            fat[i] = enlarge(s.box[i], is_static[i]);
            if (is_static[i])
                standing.move(proxy[i], fat[i]);
            else
                set_moving(proxy[i], was, fat[i]);
            enlarged.push_back((int)i);
            is_new[i] = 1;
        }
        settle();
        if (EXACT) tell(s);
    }
    void tell(const scene &s) {
        for (size_t p = 0; p < held.pair.size(); p++) {
            uint32_t i = (uint32_t)(held.pair[p] >> 32), j = (uint32_t)held.pair[p];
            unsigned char meet = (unsigned char)boxes_meet(&s.box[i], &s.box[j]);
            if (meet == held.meets[p]) continue;
            held.meets[p] = meet;
            events += meet ? i ^ j : -(long long)(i ^ j);
        }
    }
    void remove_all() override {
        for (size_t i = 0; i < proxy.size(); i++) (is_static[i] ? standing : moving).destroy(proxy[i]);
        held = pair_set();
    }
    long long read_pairs() override {
        long long sum = 0;
        for (uint64_t p : held.pair) sum += (long long)p;
        return sum;
    }
    void pairs(pair_list &out) override {
        for (size_t p = 0; p < held.pair.size(); p++)
            if (!EXACT || held.meets[p]) out.emplace_back((int)(held.pair[p] >> 32), (int)(held.pair[p] & 0xffffffff));
    }
};

/* The tree alone, nothing paired; hits are tested against the exact boxes, as its users must. */
template <class Tree> struct TreeQueries : Peer {
    TreePairs<Tree> boxes;
    const sap_aabb *box = nullptr;
    void add_all(const scene &s) override {
        box = s.box;
        boxes.axes = scene_axes(&s);
        for (int i = 0; i < s.n; i++) {
            boxes.fat.push_back(boxes.enlarge(s.box[i]));
            boxes.proxy.push_back(boxes.moving.create(boxes.fat.back(), (uint64_t)i));
        }
        boxes.moving.rebuild(true);
    }
    void frame(const scene &s) override {
        for (int m = 0; m < s.moves; m++) {
            size_t i = (size_t)s.moved[m];
            if (boxes.contains(boxes.fat[i], s.box[i])) continue;
            const sap_aabb was = boxes.fat[i];
            boxes.fat[i] = boxes.enlarge(s.box[i]);
            boxes.set_moving(boxes.proxy[i], was, boxes.fat[i]);
        }
        boxes.moving.rebuild(false);
    }
    double answer(int kind, const query &q) override {
        if (kind == QUERY_NEAREST) return boxes.moving.nearest(q, box);
        if (kind == QUERY_RAY) return boxes.moving.closest(q, box);
        int hits = 0;
        boxes.moving.meet(q.box[kind],
                          [this, &hits, &q, kind](uint64_t i) { hits += boxes_meet(&q.box[kind], &box[i]); });
        return hits;
    }
};

#endif
