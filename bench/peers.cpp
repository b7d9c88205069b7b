/*
peers.cpp - measures the broad phases in Debian's packages on the scenes of scenes.h, beside sap.h

    peers [-n 1000,10000] [-s brownian,add,prune:sphere] [-r rounds]

Each is used as its users would: what moved is handed in, one box at a time where there is no other call, it
is brought up to date, and its pairs are taken. What differs is said in 'peers' below: some keep pairs and
report changes, others find all of them anew in every frame; some fatten boxes and hold pairs that do not
overlap. Each holds every pair of the plain sort-and-sweep, or it is marked: boxes are compared without
margins after the last frame.

Every run of one peer on one scene is a process of its own, so that none disturbs the next one or brings all
down. Runs go round: each peer once, then again. A figure is the median of the rounds; a round's is the median
of its frames. The table goes to build/peers.md, a plot to build/peers.svg (if there is gnuplot).
*/
#define SAP_IMPLEMENTATION
#include "../sap.h"
#include "scenes.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <box2d/box2d.h>
#include <chipmunk/chipmunk.h>
#include <fcl/fcl.h>
#include <ode/ode.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef std::vector<std::pair<int, int>> pair_list;

/* A broad phase with the boxes of a scene in it; box i of the scene is named i. */
struct Peer {
    virtual ~Peer() {}
    virtual void add_all(const scene &s) = 0; /* with the first pairs */
    virtual void frame(const scene &s) = 0;   /* takes in s.moved, finds the pairs */
    virtual void remove_all() {}
    virtual void pairs(pair_list &out) = 0; /* what it holds now; not timed */
};

/* ---- sap.h ---- */

struct Sap : Peer {
    sap_world *world = nullptr;
    std::vector<sap_id> id, moved_id;
    std::vector<sap_aabb> moved_box;
    int events = 0;
    ~Sap() override { sap_destroy(world); }
    void settle() {
        int created, deleted;
        sap_update(world);
        sap_created(world, &created);
        sap_deleted(world, &deleted);
        events += created + deleted;
    }
    void add_all(const scene &s) override {
        sap_config config = {};
        config.axes = s.kind->axes;
        world = sap_create(&config);
        id.resize((size_t)s.n);
        if (std::find(s.is_static, s.is_static + s.n, 1) == s.is_static + s.n)
            sap_add_many(world, s.n, s.box, nullptr, id.data());
        else
            for (int i = 0; i < s.n; i++)
                id[(size_t)i] = s.is_static[i] ? sap_add_static(world, &s.box[i], nullptr)
                                               : sap_add(world, &s.box[i], nullptr);
        settle();
    }
    void frame(const scene &s) override {
        moved_id.clear();
        moved_box.clear();
        for (int i = 0; i < s.moves; i++) {
            moved_id.push_back(id[(size_t)s.moved[i]]);
            moved_box.push_back(s.box[s.moved[i]]);
        }
        sap_move_many(world, s.moves, moved_id.data(), moved_box.data());
        settle();
    }
    void remove_all() override {
        sap_remove_many(world, (int)id.size(), id.data());
        settle();
    }
    void pairs(pair_list &out) override {
        int n;
        const sap_pair *p = sap_pairs(world, &n);
        for (int i = 0; i < n; i++) /* a world that removed nothing counts its ids from 1 */
            out.emplace_back((int)(p[i].id0 & 0xffffff) - 1, (int)(p[i].id1 & 0xffffff) - 1);
    }
};

/* ---- plain ways, new in every frame ---- */

static bool overlap(const sap_aabb &a, const sap_aabb &b) {
    return a.min[0] <= b.max[0] && b.min[0] <= a.max[0] && a.min[1] <= b.max[1] && b.min[1] <= a.max[1] &&
           a.min[2] <= b.max[2] && b.min[2] <= a.max[2];
}

struct Brute : Peer {
    pair_list found;
    void add_all(const scene &s) override { frame(s); }
    void frame(const scene &s) override {
        found.clear();
        for (int i = 0; i < s.n; i++)
            for (int j = i + 1; j < s.n; j++)
                if (overlap(s.box[i], s.box[j]) && !(s.is_static[i] && s.is_static[j]))
                    found.emplace_back(i, j);
    }
    void pairs(pair_list &out) override { out = found; }
};

struct Sweep : Peer {
    pair_list found;
    bool once = false; /* start from no order each time */
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
                if (overlap(b[order[i]], b[order[j]]) && !(s.is_static[order[i]] && s.is_static[order[j]]))
                    found.emplace_back(order[i], order[j]);
    }
    void pairs(pair_list &out) override { out = found; }
};

/* ---- Bullet ---- */

struct Bullet : Peer {
    std::unique_ptr<btBroadphaseInterface> phase;
    std::vector<btBroadphaseProxy *> proxy;
    static btVector3 vector(const float *f) { return btVector3(f[0], f[1], f[2]); }
    virtual btBroadphaseInterface *make(const scene &s) = 0;
    void add_all(const scene &s) override {
        phase.reset(make(s));
        for (int i = 0; i < s.n; i++) {
            int group = s.is_static[i] ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter;
            int mask = s.is_static[i] ? btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter
                                      : btBroadphaseProxy::AllFilter;
            proxy.push_back(phase->createProxy(vector(s.box[i].min), vector(s.box[i].max),
                                               BOX_SHAPE_PROXYTYPE, (void *)(intptr_t)i, group, mask,
                                               nullptr));
        }
        phase->calculateOverlappingPairs(nullptr);
    }
    void frame(const scene &s) override {
        for (int i = 0; i < s.moves; i++) {
            const sap_aabb &b = s.box[s.moved[i]];
            phase->setAabb(proxy[(size_t)s.moved[i]], vector(b.min), vector(b.max), nullptr);
        }
        phase->calculateOverlappingPairs(nullptr);
    }
    void remove_all() override {
        for (btBroadphaseProxy *p : proxy) phase->destroyProxy(p, nullptr);
    }
    void pairs(pair_list &out) override {
        btBroadphasePairArray &held = phase->getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < held.size(); i++)
            out.emplace_back((int)(intptr_t)held[i].m_pProxy0->m_clientObject,
                             (int)(intptr_t)held[i].m_pProxy1->m_clientObject);
    }
};

struct BulletSap : Bullet {
    btBroadphaseInterface *make(const scene &s) override {
        return new bt32BitAxisSweep3(btVector3(-50, -50, -50),
                                     btVector3(s.side + 50, s.side + 50, s.side + 50), (unsigned)s.n + 16,
                                     nullptr, true);
    }
};

struct BulletTree : Bullet {
    btBroadphaseInterface *make(const scene &) override { return new btDbvtBroadphase(); }
};

/* ---- ODE: geoms in a space ---- */

struct Ode : Peer {
    dSpaceID space = nullptr;
    std::vector<dGeomID> geom;
    pair_list found;
    virtual dSpaceID make() = 0;
    static void near(void *user, dGeomID a, dGeomID b) {
        ((Ode *)user)->found.emplace_back((int)(intptr_t)dGeomGetData(a), (int)(intptr_t)dGeomGetData(b));
    }
    static void place(dGeomID g, const sap_aabb &b) {
        dGeomSetPosition(g, (b.min[0] + b.max[0]) / 2.0, (b.min[1] + b.max[1]) / 2.0,
                         (b.min[2] + b.max[2]) / 2.0);
    }
    void collide() {
        found.clear();
        dSpaceCollide(space, this, near);
    }
    void add_all(const scene &s) override {
        dInitODE();
        space = make();
        for (int i = 0; i < s.n; i++) {
            const sap_aabb &b = s.box[i];
            dGeomID g = dCreateBox(space, b.max[0] - b.min[0], b.max[1] - b.min[1], b.max[2] - b.min[2]);
            place(g, b);
            dGeomSetData(g, (void *)(intptr_t)i);
            dGeomSetCategoryBits(g, s.is_static[i] ? 2 : 1);
            dGeomSetCollideBits(g, s.is_static[i] ? 1 : 3);
            geom.push_back(g);
        }
        collide();
    }
    void frame(const scene &s) override {
        for (int i = 0; i < s.moves; i++) place(geom[(size_t)s.moved[i]], s.box[s.moved[i]]);
        collide();
    }
    void remove_all() override {
        for (dGeomID g : geom) dGeomDestroy(g);
    }
    void pairs(pair_list &out) override { out = found; }
};

struct OdeSap : Ode {
    dSpaceID make() override { return dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY); }
};

struct OdeHash : Ode {
    dSpaceID make() override { return dHashSpaceCreate(nullptr); }
};

/* ---- FCL: collision objects in a manager ---- */

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
        o.setTranslation(fcl::Vector3d((b.min[0] + b.max[0]) / 2.0, (b.min[1] + b.max[1]) / 2.0,
                                       (b.min[2] + b.max[2]) / 2.0));
        o.computeAABB();
    }
    void collide() {
        found.clear();
        manager->collide(this, near);
    }
    void add_all(const scene &s) override {
        is_static = s.is_static;
        for (int i = 0; i < s.n; i++) {
            const sap_aabb &b = s.box[i];
            object.emplace_back(new fcl::CollisionObjectd(
                std::make_shared<fcl::Boxd>(b.max[0] - b.min[0], b.max[1] - b.min[1], b.max[2] - b.min[2])));
            object.back()->setUserData((void *)(intptr_t)i);
            place(*object.back(), b);
            pointers.push_back(object.back().get());
        }
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
    void pairs(pair_list &out) override { out = found; }
};

struct FclSap : Fcl {
    FclSap() { manager.reset(new fcl::SaPCollisionManagerd()); }
};

struct FclTree : Fcl {
    FclTree() { manager.reset(new fcl::DynamicAABBTreeCollisionManagerd()); }
};

/* ---- 2D ---- */

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
    static cpBB box_of(void *o) { return ((object *)o)->box; }
    static cpCollisionID near(void *a, void *b, cpCollisionID id, void *user) {
        if (cpBBIntersects(((object *)a)->box, ((object *)b)->box)) /* as cpSpace does first */
            ((Chipmunk *)user)->found.emplace_back(((object *)a)->i, ((object *)b)->i);
        return id;
    }
    static cpBB bb(const sap_aabb &b) { return cpBBNew(b.min[0], b.min[1], b.max[0], b.max[1]); }
    void collide() {
        found.clear();
        cpSpatialIndexReindexQuery(moving, near, this);
    }
    void add_all(const scene &s) override {
        standing = cpBBTreeNew(box_of, nullptr);
        moving = cpBBTreeNew(box_of, standing);
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
    void pairs(pair_list &out) override { out = found; }
};

struct Box2D : Peer {
    b2BroadPhase phase;
    std::vector<int> proxy;
    std::vector<b2Vec2> centre;
    const unsigned char *is_static = nullptr;
    std::unordered_set<uint64_t> held;
    static b2AABB box(const sap_aabb &b) {
        b2AABB out;
        out.lowerBound.Set(b.min[0], b.min[1]);
        out.upperBound.Set(b.max[0], b.max[1]);
        return out;
    }
    void AddPair(void *a, void *b) { /* called by UpdatePairs, for pairs that are known too */
        uint32_t i = (uint32_t)(uintptr_t)a, j = (uint32_t)(uintptr_t)b;
        if (!(is_static[i] && is_static[j]))
            held.insert(i < j ? (uint64_t)i << 32 | j : (uint64_t)j << 32 | i);
    }
    void settle() { /* as b2ContactManager: contacts end when the fat boxes come apart */
        for (auto it = held.begin(); it != held.end();)
            it =
                phase.TestOverlap(proxy[*it >> 32], proxy[*it & 0xffffffff]) ? std::next(it) : held.erase(it);
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
    void pairs(pair_list &out) override {
        for (uint64_t p : held) out.emplace_back((int)(p >> 32), (int)(p & 0xffffffff));
    }
};

/* ---- one-shot ---- */

struct SweepOnce : Sweep {
    SweepOnce() { once = true; }
};

struct SapPrune : Peer {
    pair_list found;
    static int hit(int i, int j, void *user) {
        ((SapPrune *)user)->found.emplace_back(i, j);
        return 1;
    }
    void add_all(const scene &) override {}
    void frame(const scene &s) override {
        found.clear();
        sap_box_prune(s.box, s.n, 0, hit, this);
    }
    void pairs(pair_list &out) override { out = found; }
};

struct Cgal : Peer {
    typedef CGAL::Box_intersection_d::Box_with_info_d<float, 3, int> box;
    pair_list found;
    void add_all(const scene &) override {}
    void frame(const scene &s) override {
        std::vector<box> boxes;
        boxes.reserve((size_t)s.n);
        for (int i = 0; i < s.n; i++) boxes.emplace_back(s.box[i].min, s.box[i].max, i);
        found.clear();
        CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [this](const box &a, const box &b) {
            found.emplace_back(a.info(), b.info());
        });
    }
    void pairs(pair_list &out) override { out = found; }
};

struct Boost : Peer {
    typedef boost::geometry::model::point<float, 3, boost::geometry::cs::cartesian> point;
    typedef boost::geometry::model::box<point> box;
    typedef std::pair<box, int> value;
    pair_list found;
    void add_all(const scene &) override {}
    void frame(const scene &s) override {
        namespace index = boost::geometry::index;
        std::vector<value> values;
        for (int i = 0; i < s.n; i++) {
            const sap_aabb &b = s.box[i];
            values.emplace_back(box(point(b.min[0], b.min[1], b.min[2]), point(b.max[0], b.max[1], b.max[2])),
                                i);
        }
        index::rtree<value, index::quadratic<16>> tree(values); /* from a range: packed */
        found.clear();
        std::vector<value> hits;
        for (const value &v : values) {
            hits.clear();
            tree.query(index::intersects(v.first), std::back_inserter(hits));
            for (const value &h : hits)
                if (v.second < h.second) found.emplace_back(v.second, h.second);
        }
    }
    void pairs(pair_list &out) override { out = found; }
};

/* ---- who takes part ---- */

enum { FRAMES_3D = 1, FRAMES_2D = 2, ONE_SHOT = 4, REMOVES = 8 };

template <class T> static Peer *make() { return new T; }

static const struct peer_kind {
    const char *name;
    int where, most; /* boxes it is asked to manage, so that a run ends */
    Peer *(*make)();
    const char *note;
} peers[] = {
    {"sap.h", FRAMES_3D | FRAMES_2D | REMOVES, 1 << 20, make<Sap>,
     "keeps pairs and reports changes; no margin"},
    {"Bullet SAP", FRAMES_3D | REMOVES, 20000, make<BulletSap>,
     "bt32BitAxisSweep3: keeps pairs; bounds rounded out to a grid of 2^32"},
    {"Bullet dbvt", FRAMES_3D | REMOVES, 100000, make<BulletTree>,
     "btDbvtBroadphase: keeps pairs; margin 0.05 and more, pairs end late"},
    {"ODE SAP", FRAMES_3D | REMOVES, 100000, make<OdeSap>, "dSweepAndPruneSpace: all pairs anew; no margin"},
    {"ODE hash", FRAMES_3D | REMOVES, 10000, make<OdeHash>, "dHashSpace: all pairs anew; no margin"},
    {"FCL SaP", FRAMES_3D | REMOVES, 20000, make<FclSap>,
     "SaPCollisionManager: keeps pairs, reports all; no margin"},
    {"FCL tree", FRAMES_3D | REMOVES, 100000, make<FclTree>,
     "DynamicAABBTreeCollisionManager: all pairs anew; no margin"},
    {"Chipmunk", FRAMES_2D, 100000, make<Chipmunk>,
     "cpBBTree: keeps its leaves' pairs, reports all; no velocity function, so no margin"},
    {"Box2D", FRAMES_2D, 100000, make<Box2D>,
     "b2BroadPhase 2.4 and a hash set of pairs: margin 0.1 and 4 times the step"},
    {"sort, sweep", FRAMES_3D | FRAMES_2D, 100000, make<Sweep>,
     "std::sort on min x and a sweep, all pairs anew; no margin"},
    {"brute force", FRAMES_3D | FRAMES_2D, 10000, make<Brute>, "every two boxes, all pairs anew; no margin"},
    {"sap.h", ONE_SHOT, 1 << 20, make<SapPrune>, "sap_box_prune; no margin"},
    {"CGAL", ONE_SHOT, 1 << 20, make<Cgal>, "box_self_intersection_d, boxes made in the time; no margin"},
    {"Boost", ONE_SHOT, 1 << 20, make<Boost>,
     "Boost.Geometry R-tree, packed in the time, one query a box; no margin"},
    {"sort, sweep", ONE_SHOT, 100000, make<SweepOnce>, "as above"},
};

/* ---- one run, in a process of its own ---- */

enum { WARM_UP = 3, MOST_FRAMES = 40, LEAST_FRAMES = 3, RUN_SECONDS = 1, TIMEOUT_SECONDS = 12 };

struct outcome {
    double time; /* microseconds, median; negative: no result */
    long long held, missed;
    const char *why; /* no result */
};

static double now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

enum what { FRAMES, ADD, REMOVE };

static outcome measure(const peer_kind &kind, const scene_kind &place, what what, int n) {
    scene s;
    outcome out = {-1, 0, 0, nullptr};
    if (!scene_make(&s, &place, n)) _exit(1);
    std::vector<double> time;
    if (what == FRAMES) {
        std::unique_ptr<Peer> peer(kind.make());
        peer->add_all(s);
        double begin = now();
        for (int frame = -WARM_UP; frame < MOST_FRAMES; frame++) {
            if (frame >= LEAST_FRAMES && now() - begin > RUN_SECONDS * 1e6) break;
            scene_step(&s);
            double start = now();
            peer->frame(s);
            if (frame >= 0) time.push_back(now() - start);
        }
        pair_list held, found;
        Sweep truth;
        peer->pairs(held);
        truth.add_all(s);
        truth.pairs(found);
        out.held = (long long)held.size();
        for (pair_list *list : {&held, &found}) {
            for (auto &p : *list)
                if (p.first > p.second) std::swap(p.first, p.second);
            std::sort(list->begin(), list->end());
        }
        for (auto &p : found) out.missed += !std::binary_search(held.begin(), held.end(), p);
        peer.release(); /* some crash when they are destroyed; the process ends here */
    } else {
        double begin = now();
        for (int i = 0; i < 5 && (i < 1 || now() - begin < RUN_SECONDS * 1e6); i++) {
            Peer *peer = kind.make();
            double start = now();
            peer->add_all(s);
            if (what == REMOVE) {
                start = now();
                peer->remove_all();
            }
            time.push_back(now() - start);
        }
    }
    out.time = median(time);
    return out;
}

static outcome run(const peer_kind &kind, const scene_kind &place, what what, int n) {
    outcome out = {-1, 0, 0, "crashed"};
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (!child) {
        alarm(TIMEOUT_SECONDS);
        out = measure(kind, place, what, n);
        _exit(write(ends[1], &out, sizeof out) != (ssize_t)sizeof out);
    }
    close(ends[1]);
    if (read(ends[0], &out, sizeof out) != (ssize_t)sizeof out) out.time = -1;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        out.why = "over 12 s";
    else if (out.time < 0)
        out.why = "crashed";
    return out;
}

/* ---- all runs ---- */

struct task {
    std::string name;
    const scene_kind *place;
    what kind;
    int where;
};

static std::vector<task> tasks() {
    static const char *const framed[] = {"static",   "sparse",     "brownian", "fast",      "gravity",
                                         "town",     "teleport",   "sizes",    "bigworld",  "stretched",
                                         "sparse2d", "brownian2d", "town2d",   "teleport2d"};
    std::vector<task> all;
    for (const char *name : framed)
        for (int i = 0; i < SCENE_KINDS; i++)
            if (!strcmp(scene_kinds[i].name, name))
                all.push_back(
                    {name, &scene_kinds[i], FRAMES, scene_kinds[i].axes == 3 ? FRAMES_2D : FRAMES_3D});
    all.push_back({"add", &scene_kinds[0], ADD, FRAMES_3D});
    all.push_back({"remove", &scene_kinds[0], REMOVE, REMOVES});
    for (int i = 0; i < PRUNE_KINDS; i++)
        all.push_back({std::string("prune:") + prune_kinds[i].name, &prune_kinds[i], FRAMES, ONE_SHOT});
    return all;
}

static std::string text(double x) {
    char t[32];
    snprintf(t, sizeof t, x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
    return t;
}

/* One row per scene: sap.h's time, then each peer's ratio to it. */
static void measure_group(FILE *md, FILE *data, const char *title, int where, int n, int rounds,
                          const std::string &wanted) {
    std::vector<const peer_kind *> column;
    for (const peer_kind &p : peers)
        if (p.where & where) column.push_back(&p);
    bool head = false;
    for (const task &t : tasks()) {
        if (!(t.where & where) && !(t.kind == REMOVE && where & FRAMES_3D)) continue;
        if (!wanted.empty() && ("," + wanted + ",").find("," + t.name + ",") == std::string::npos) continue;
        if (!head) {
            head = true;
            for (FILE *f : {md, stdout}) {
                fprintf(f, "\n%s, %d boxes\n\n| scene | sap.h, microseconds |", title, n);
                for (size_t c = 1; c < column.size(); c++) fprintf(f, " %s |", column[c]->name);
                fprintf(f, "\n|---|--:|");
                for (size_t c = 1; c < column.size(); c++) fprintf(f, "--:|");
                fprintf(f, "\n");
            }
        }
        std::vector<std::vector<double>> time(column.size());
        std::vector<outcome> last(column.size(), outcome{-1, 0, 0, "-"});
        for (int round = 0; round < rounds; round++)
            for (size_t c = 0; c < column.size(); c++)
                if (n <= column[c]->most && (t.kind != REMOVE || column[c]->where & REMOVES) &&
                    (!round || last[c].time >= 0)) {
                    last[c] = run(*column[c], *t.place, t.kind, n);
                    if (last[c].time >= 0) time[c].push_back(last[c].time);
                }
        double own = time[0].empty() ? 0 : median(time[0]);
        std::string row = "| " + t.name + " | " + (own > 0 ? text(own) : last[0].why) +
                          (last[0].missed ? ", WRONG" : "") + " |";
        for (size_t c = 1; c < column.size(); c++) {
            row += " ";
            if (time[c].empty())
                row += last[c].why;
            else
                row += text(median(time[c]) / own) +
                       (last[c].missed ? " (misses " + std::to_string(last[c].missed) + ")" : "");
            row += " |";
        }
        for (FILE *f : {md, stdout}) {
            fprintf(f, "%s\n", row.c_str());
            fflush(f);
        }
        if (data) {
            fprintf(data, "\"%s\"", t.name.c_str());
            for (size_t c = 0; c < column.size(); c++)
                fprintf(data, time[c].empty() ? " NaN" : " %.3f", time[c].empty() ? 0 : median(time[c]));
            fprintf(data, "\n");
        }
    }
}

static void plot(int n) {
    FILE *g = popen("gnuplot 2>/dev/null", "w");
    if (!g) return;
    fprintf(
        g,
        "set terminal svg size 1100,520 font 'sans-serif,13' background '#ffffff'\nset output "
        "'build/peers.svg'\n"
        "set title 'microseconds a frame, %d boxes, lower is better'\nset logscale y\nset format y "
        "'%%g'\n"
        "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
        "set grid ytics lc '#dddddd'\nset border 3\nset tics nomirror\nset key outside top horizontal\nplot ",
        n);
    int c = 2;
    static const char *const colour[] = {"#d7301f", "#41729f", "#7fa8d1", "#5b8c5a", "#a3c9a8",
                                         "#8a6d9e", "#c3b1d6", "#999999", "#cccccc"};
    for (const peer_kind &p : peers)
        if (p.where & FRAMES_3D) {
            fprintf(g, "%s'build/peers.dat' using %d%s title '%s' lc '%s'", c > 2 ? ", " : "", c,
                    c == 2 ? ":xtic(1)" : "", p.name, colour[(c - 2) % 9]);
            c++;
        }
    fprintf(g, "\n");
    pclose(g);
}

int main(int argc, char **argv) {
    std::string sizes = "1000,10000", wanted;
    int rounds = 3, n = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-n"))
            sizes = argv[i + 1];
        else if (!strcmp(argv[i], "-s"))
            wanted = argv[i + 1];
        else if (!strcmp(argv[i], "-r"))
            rounds = std::max(1, atoi(argv[i + 1]));
    }
    FILE *md = fopen("build/peers.md", "w");
    if (!md) {
        fprintf(stderr, "cannot write build/peers.md\n");
        return 1;
    }
    char line[256], cpu[256] = "?";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %255[^\n]", cpu) == 1) break;
    if (f) fclose(f);
    for (FILE *to : {md, stdout})
        fprintf(to,
                "%s, g++ %s, " FLAGS
                ", one thread. Numbers are how many times as long as sap.h a peer takes.\n",
                cpu, __VERSION__);
    for (const char *p = sizes.c_str(); p; p = strchr(p, ',') ? strchr(p, ',') + 1 : nullptr) {
        n = atoi(p);
        FILE *data = fopen("build/peers.dat", "w");
        measure_group(md, data, "3D", FRAMES_3D, n, rounds, wanted);
        if (data) fclose(data);
        measure_group(md, nullptr, "2D", FRAMES_2D, n, rounds, wanted);
        measure_group(md, nullptr, "One-shot", ONE_SHOT, n, rounds, wanted);
    }
    for (FILE *to : {md, stdout}) {
        fprintf(to, "\n");
        for (const peer_kind &p : peers) fprintf(to, "- %s: %s\n", p.name, p.note);
    }
    fclose(md);
    plot(n);
    return 0;
}
