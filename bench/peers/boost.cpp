/* boost.cpp - Boost.Geometry's R-tree, packed anew of all boxes (Debian: libboost-dev) */
#include "peer.h"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace rtree = boost::geometry::index;

struct Boost : Peer {
    typedef boost::geometry::model::point<float, 3, boost::geometry::cs::cartesian> point;
    typedef boost::geometry::model::box<point> box;
    typedef std::pair<box, int> value;
    typedef rtree::rtree<value, rtree::quadratic<16>> tree;
    pair_list found;
    static box box_of(const sap_aabb &b) {
        return box(point(b.min[0], b.min[1], b.min[2]), point(b.max[0], b.max[1], b.max[2]));
    }
    static std::vector<value> values_of(const scene &s) {
        std::vector<value> values;
        for (int i = 0; i < s.n; i++) values.emplace_back(box_of(s.box[i]), i);
        return values;
    }
    void add_all(const scene &) override {
    }
    void frame(const scene &s) override {
        std::vector<value> values = values_of(s), hits;
        tree packed(values); /* from a range: packed */
        found.clear();
        for (const value &v : values) {
            hits.clear();
            packed.query(rtree::intersects(v.first), std::back_inserter(hits));
            for (const value &h : hits)
                if (v.second < h.second) found.emplace_back(v.second, h.second);
        }
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

/* Packed anew of what there is after the last frame: it never decays. */
struct BoostQueries : Boost {
    std::unique_ptr<tree> packed;
    void add_all(const scene &s) override {
        be_ready(s);
    }
    void frame(const scene &) override {
    }
    void be_ready(const scene &s) override {
        packed.reset(new tree(values_of(s)));
    }
    double answer(int kind, const query &q) override {
        int hits = 0;
        if (kind == QUERY_RAY) return -1; /* its intersects(segment) knows no closest one */
        if (kind == QUERY_NEAREST) {
            point from(q.origin[0], q.origin[1], q.origin[2]);
            return std::sqrt(
                boost::geometry::comparable_distance(packed->qbegin(rtree::nearest(from, 1))->first, from));
        }
        packed->query(rtree::intersects(box_of(q.box[kind])),
                      boost::make_function_output_iterator([&hits](const value &) { hits++; }));
        return hits;
    }
};

const std::string version = "Boost " BOOST_LIB_VERSION;
const std::vector<peer_kind> peers = {
    {"Boost", ONE_SHOT, 1 << 20, make<Boost>, "R-tree, packed in the time, one query a box; no margin"},
    {"Boost rtree", QUERIES_3D | QUERIES_2D, 1 << 20, make<BoostQueries>,
     "packed anew after the last frame, so it has not decayed"},
};
