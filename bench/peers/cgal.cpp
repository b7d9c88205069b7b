/* cgal.cpp - CGAL's box intersection, which keeps nothing (Debian: libcgal-dev) */
#include "peer.h"

#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/box_intersection_d.h>

struct Cgal : Peer {
    typedef CGAL::Box_intersection_d::Box_with_info_d<float, 3, int> box;
    pair_list found;
    void add_all(const scene &) override {
    }
    void frame(const scene &s) override {
        std::vector<box> boxes;
        boxes.reserve((size_t)s.n);
        for (int i = 0; i < s.n; i++) boxes.emplace_back(s.box[i].min, s.box[i].max, i);
        found.clear();
        CGAL::box_self_intersection_d(boxes.begin(), boxes.end(),
                                      [this](const box &a, const box &b) { found.emplace_back(a.info(), b.info()); });
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

const std::string version = "CGAL " CGAL_VERSION_STR;
const std::vector<peer_kind> peers = {
    {"CGAL", ONE_SHOT, 1 << 20, make<Cgal>, "box_self_intersection_d, boxes made in the time; no margin"},
};
