/* plain.cpp - what anyone could write in a few lines: two loops, a sort and a sweep, all new in every frame */
#include "peer.h"

struct Loops : Peer {
    pair_list found;
    void add_all(const scene &s) override {
        frame(s);
    }
    void frame(const scene &s) override {
        found.clear();
        for (int i = 0; i < s.n; i++)
            for (int j = i + 1; j < s.n; j++)
                if (boxes_meet(&s.box[i], &s.box[j]) && !(s.is_static[i] && s.is_static[j])) found.emplace_back(i, j);
    }
    void remove_all() override {
        found.clear();
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

/* The order is kept from frame to frame; 'once' starts from none each time. */
struct Sweep : Peer {
    pair_list found;
    bool once = false;
    std::vector<int> order;
    void add_all(const scene &s) override {
        for (int i = 0; i < s.n; i++) order.push_back(i);
        frame(s);
    }
    void frame(const scene &s) override {
        const sap_aabb *b = s.box;
        for (int i = 0; i < s.n && once; i++) order[(size_t)i] = i;
        std::sort(order.begin(), order.end(), [b](int i, int j) { return b[i].min[0] < b[j].min[0]; });
        found.clear();
        for (size_t i = 0; i < order.size(); i++)
            for (size_t j = i + 1; j < order.size() && b[order[j]].min[0] <= b[order[i]].max[0]; j++)
                if (boxes_meet(&b[order[i]], &b[order[j]]) && !(s.is_static[order[i]] && s.is_static[order[j]]))
                    found.emplace_back(order[i], order[j]);
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

struct SweepOnce : Sweep {
    SweepOnce() {
        once = true;
    }
};

struct Loop : Peer {
    const scene *boxes = nullptr;
    void add_all(const scene &s) override {
        boxes = &s;
    }
    void frame(const scene &) override {
    }
    double answer(int kind, const query &q) override {
        return linear_answer(boxes, kind, &q);
    }
};

const std::string version = "";
const std::vector<peer_kind> peers = {
    {"two loops", FRAMES_3D | FRAMES_2D, 10000, make<Loops>, "every two boxes, all pairs anew; no margin"},
    {"sort, sweep", FRAMES_3D | FRAMES_2D | ADDS, 100000, make<Sweep>,
     "std::sort on min x and a sweep, all pairs anew; no margin"},
    {"sort, sweep once", ONE_SHOT, 100000, make<SweepOnce>, "as above, from no order"},
    {"plain loop", QUERIES_3D | QUERIES_2D, 1 << 20, make<Loop>, "over an array of boxes"},
};
