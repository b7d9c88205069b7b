/*
peers.cpp - measures the broad phases in Debian's packages on the scenes of scenes.h, beside sap.h

    peers [-n 1000,10000] [-s brownian,add,prune:sphere,level,query] [-q 10000,100000] [-r rounds]
          [--cpu]

Each is used as its users would: what moved is handed in, one box at a time where there is no other call, it
is brought up to date, and its pairs are taken. What differs is said in 'peers' below: some keep pairs and
report changes, others find all of them anew in every frame; some fatten boxes and hold pairs that do not
overlap. Each holds every pair of the plain sort-and-sweep, or it is marked: boxes are compared without
margins after the last frame.

Every run of one peer on one scene is a process of its own, so that none disturbs the next one or brings all
down. All run on the same core, for those of a shared machine may differ by half; but what has threads takes
all cores. Runs go round: each peer once, then again. A figure is the median of the rounds; a round's is the
median of its frames.

'query' asks the queries of queries.h after 300 frames of motion, -q boxes (above 10,000 in one round, as the
motion alone takes a minute). Trees without pairs take part, in their fastest form; where they hold fattened
boxes, what they hit is tested as their users must. A figure is the best of several rounds of 2,000 queries. All
answers are compared: some with a plain loop, the sums of all with those of sap.h. 'level' is 100,000 static
boxes in one batch.

Times are those of the wall clock; --cpu takes the processor time instead. The table goes to build/peers.md, a plot to build/peers.svg (if there is gnuplot).
*/
#define SAP_MULTI_IMPLEMENTATION
#include "../sap_multi.h"
#include "../examples/pool.h"
#include "queries.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <box2d/box2d.h>
#include <chipmunk/chipmunk.h>
#include <fcl/fcl.h>
#include <ode/ode.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef std::vector<std::pair<int, int>> pair_list;

static cpu_set_t all_cores, one_core; /* the fastest at the moment */

/* A broad phase with the boxes of a scene in it; box i of the scene is named i. */
struct Peer {
    virtual ~Peer() {
    }
    virtual void add_all(const scene &s) = 0; /* with the first pairs */
    virtual void frame(const scene &s) = 0;   /* takes in s.moved, finds the pairs */
    virtual void remove_all() {
    }
    virtual void pairs(pair_list &) {
    } /* what it holds now; not timed */
    virtual void be_ready(const scene &) {
    } /* for queries, after the last frame */
    virtual double answer(int, const query &) {
        return -1;
    } /* less than 0: has no such query */
};

/* ---- sap.h ---- */

/* What sap.h and sap_multi.h have in common. */
struct SapBoxes : Peer {
    std::vector<sap_id> id, moved_id;
    std::vector<sap_aabb> moved_box;
    int events = 0;
    void collect_moves(const scene &s) {
        moved_id.clear();
        moved_box.clear();
        for (int i = 0; i < s.moves; i++) {
            moved_id.push_back(id[(size_t)s.moved[i]]);
            moved_box.push_back(s.box[s.moved[i]]);
        }
    }
    static void name_pairs(const sap_pair *p, int n, pair_list &out) {
        for (int i = 0; i < n; i++) /* a world that removed nothing counts its ids from 1 */
            out.emplace_back((int)(p[i].id0 & 0xffffff) - 1, (int)(p[i].id1 & 0xffffff) - 1);
    }
};

struct Sap : SapBoxes {
    sap_world *world = nullptr;
    ~Sap() override {
        sap_destroy(world);
    }
    virtual void settle() {
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
        int standing = (int)std::count(s.is_static, s.is_static + s.n, 1);
        if (!standing)
            sap_add_many(world, s.n, s.box, nullptr, id.data());
        else if (standing == s.n)
            sap_add_static_many(world, s.n, s.box, nullptr, id.data());
        else
            for (int i = 0; i < s.n; i++)
                id[(size_t)i] =
                    s.is_static[i] ? sap_add_static(world, &s.box[i], nullptr) : sap_add(world, &s.box[i], nullptr);
        settle();
    }
    void frame(const scene &s) override {
        collect_moves(s);
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
        name_pairs(p, n, out);
    }
};

/* The same verbs, on so many threads. */
template <int THREADS> struct SapMulti : SapBoxes {
    sap_multi *world = nullptr;
    pool threads;
    SapMulti() {
        if (THREADS > 1) sched_setaffinity(0, sizeof all_cores, &all_cores);
        pool_start(&threads, THREADS);
    }
    ~SapMulti() override {
        sap_multi_destroy(world);
        pool_stop(&threads);
    }
    void settle() {
        int created, deleted;
        sap_multi_update(world);
        sap_multi_created(world, &created);
        sap_multi_deleted(world, &deleted);
        events += created + deleted;
    }
    void add_all(const scene &s) override {
        sap_multi_config config = {};
        config.sap.axes = s.kind->axes;
        if (THREADS > 1) config.parallel = pool_run, config.parallel_user = &threads;
        world = sap_multi_create(&config);
        for (int i = 0; i < s.n; i++)
            id.push_back(s.is_static[i] ? sap_multi_add_static(world, &s.box[i], nullptr)
                                        : sap_multi_add(world, &s.box[i], nullptr));
        settle();
    }
    void frame(const scene &s) override {
        collect_moves(s);
        sap_multi_move_many(world, s.moves, moved_id.data(), moved_box.data());
        settle();
    }
    void pairs(pair_list &out) override {
        int n;
        const sap_pair *p = sap_multi_pairs(world, &n);
        name_pairs(p, n, out);
    }
};

/* Kept ready for queries, its pairs not asked for. */
struct SapQueries : Sap {
    void settle() override {
        sap_prepare_queries(world);
    }
    double answer(int kind, const query &q) override {
        return sap_answer(world, kind, &q);
    }
};

/* ---- plain ways, new in every frame ---- */

struct Linear : Peer {
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

struct Brute : Peer {
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
    void pairs(pair_list &out) override {
        out = found;
    }
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
                if (boxes_meet(&b[order[i]], &b[order[j]]) && !(s.is_static[order[i]] && s.is_static[order[j]]))
                    found.emplace_back(order[i], order[j]);
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

/* ---- Bullet ---- */

struct Bullet : Peer {
    std::unique_ptr<btBroadphaseInterface> phase;
    std::vector<btBroadphaseProxy *> proxy;
    static btVector3 vector(const float *f) {
        return btVector3(f[0], f[1], f[2]);
    }
    virtual btBroadphaseInterface *make(const scene &s) = 0;
    void add_all(const scene &s) override {
        phase.reset(make(s));
        for (int i = 0; i < s.n; i++) {
            int group = s.is_static[i] ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter;
            int mask = s.is_static[i] ? btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter
                                      : btBroadphaseProxy::AllFilter;
            proxy.push_back(phase->createProxy(vector(s.box[i].min), vector(s.box[i].max), BOX_SHAPE_PROXYTYPE,
                                               (void *)(intptr_t)i, group, mask, nullptr));
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
        return new bt32BitAxisSweep3(btVector3(-50, -50, -50), btVector3(s.side + 50, s.side + 50, s.side + 50),
                                     (unsigned)s.n + 16, nullptr, true);
    }
};

struct BulletTree : Bullet {
    btBroadphaseInterface *make(const scene &) override {
        return new btDbvtBroadphase();
    }
};

/* The tree alone, as btDbvtBroadphase uses it but with exact boxes and nothing paired. */
struct BulletQueries : Peer {
    btDbvt tree;
    std::vector<btDbvtNode *> leaf;
    btAlignedObjectArray<const btDbvtNode *> stack;
    const sap_aabb *box = nullptr;
    int axes = 3;
    btDbvtVolume volume(const sap_aabb &b) const {
        btVector3 thick(0, 0, axes == 2 ? 1 : 0); /* no ray hits what is flat */
        return btDbvtVolume::FromMM(Bullet::vector(b.min) - thick, Bullet::vector(b.max) + thick);
    }
    struct Count : btDbvt::ICollide {
        int hits = 0;
        void Process(const btDbvtNode *) override {
            hits++;
        }
    };
    struct Closest : btDbvt::ICollide {
        query_ray ray;
        const sap_aabb *box;
        float end = 1;
        void Process(const btDbvtNode *n) override {
            end = ray_meets(&ray, &box[(intptr_t)n->data], end);
        }
    };
    void add_all(const scene &s) override {
        box = s.box;
        axes = scene_axes(&s);
        for (int i = 0; i < s.n; i++) leaf.push_back(tree.insert(volume(s.box[i]), (void *)(intptr_t)i));
    }
    void frame(const scene &s) override {
        for (int i = 0; i < s.moves; i++) {
            btDbvtVolume v = volume(s.box[s.moved[i]]);
            tree.update(leaf[(size_t)s.moved[i]], v);
        }
        tree.optimizeIncremental(1 + s.n / 100); /* as btDbvtBroadphase does */
    }
    double answer(int kind, const query &q) override {
        if (kind == QUERY_NEAREST) return -1;
        if (kind != QUERY_RAY) {
            Count count;
            tree.collideTV(tree.m_root, volume(q.box[kind]), count);
            return count.hits;
        }
        Closest closest;
        closest.ray = ray_of(&q, axes);
        closest.box = box;
        btVector3 from = Bullet::vector(q.origin), way = Bullet::vector(q.way), inverse;
        btScalar length = way.length();
        unsigned signs[3];
        for (int k = 0; k < 3; k++) { /* as btCollisionWorld does */
            inverse[k] = way[k] == 0 ? BT_LARGE_FLOAT : length / way[k];
            signs[k] = inverse[k] < 0;
        }
        tree.rayTestInternal(tree.m_root, from, from + way, inverse, signs, length, btVector3(0, 0, 0),
                             btVector3(0, 0, 0), stack, closest);
        return closest.end;
    }
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
        dGeomSetPosition(g, (b.min[0] + b.max[0]) / 2.0, (b.min[1] + b.max[1]) / 2.0, (b.min[2] + b.max[2]) / 2.0);
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
    void pairs(pair_list &out) override {
        out = found;
    }
};

struct OdeSap : Ode {
    dSpaceID make() override {
        return dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY);
    }
};

struct OdeHash : Ode {
    dSpaceID make() override {
        return dHashSpaceCreate(nullptr);
    }
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
        o.setTranslation(
            fcl::Vector3d((b.min[0] + b.max[0]) / 2.0, (b.min[1] + b.max[1]) / 2.0, (b.min[2] + b.max[2]) / 2.0));
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
    static cpBB box_of(void *o) {
        return ((object *)o)->box;
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
        if (!(is_static[i] && is_static[j])) held.insert(i < j ? (uint64_t)i << 32 | j : (uint64_t)j << 32 | i);
    }
    void settle() { /* as b2ContactManager: contacts end when the fat boxes come apart */
        for (auto it = held.begin(); it != held.end();)
            it = phase.TestOverlap(proxy[*it >> 32], proxy[*it & 0xffffffff]) ? std::next(it) : held.erase(it);
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

/* ---- one-shot ---- */

struct SweepOnce : Sweep {
    SweepOnce() {
        once = true;
    }
};

struct SapPrune : Peer {
    pair_list found;
    static int hit(int i, int j, void *user) {
        ((SapPrune *)user)->found.emplace_back(i, j);
        return 1;
    }
    void add_all(const scene &) override {
    }
    void frame(const scene &s) override {
        found.clear();
        sap_box_prune(s.box, s.n, 0, hit, this);
    }
    void pairs(pair_list &out) override {
        out = found;
    }
};

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

/* ---- who takes part ---- */

enum {
    FRAMES_3D = 1,
    FRAMES_2D = 2,
    ONE_SHOT = 4,
    REMOVES = 8,
    LEVELS = 16,
    LEVELS_READY = 32,
    QUERIES_3D = 64,
    QUERIES_2D = 128
};

template <class T> static Peer *make() {
    return new T;
}

static const struct peer_kind {
    const char *name;
    int where, most; /* boxes it is asked to manage, so that a run ends */
    Peer *(*make)();
    const char *note;
} peers[] = {
    {"sap.h", FRAMES_3D | FRAMES_2D | REMOVES | LEVELS, 1 << 20, make<Sap>,
     "keeps pairs and reports changes; no margin"},
    {"sap_multi", FRAMES_3D, 1 << 20, make<SapMulti<1>>, "on one thread; no margin"},
    {"2 threads", FRAMES_3D, 1 << 20, make<SapMulti<2>>, "sap_multi on two threads; no margin"},
    {"Bullet SAP", FRAMES_3D | REMOVES, 20000, make<BulletSap>,
     "bt32BitAxisSweep3: keeps pairs; bounds rounded out to a grid of 2^32"},
    {"Bullet dbvt", FRAMES_3D | REMOVES | LEVELS, 100000, make<BulletTree>,
     "btDbvtBroadphase: keeps pairs; margin 0.05 and more, pairs end late"},
    {"ODE SAP", FRAMES_3D | REMOVES, 100000, make<OdeSap>, "dSweepAndPruneSpace: all pairs anew; no margin"},
    {"ODE hash", FRAMES_3D | REMOVES, 10000, make<OdeHash>, "dHashSpace: all pairs anew; no margin"},
    {"FCL SaP", FRAMES_3D | REMOVES, 20000, make<FclSap>, "SaPCollisionManager: keeps pairs, reports all; no margin"},
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
    {"Boost", ONE_SHOT, 1 << 20, make<Boost>, "Boost.Geometry R-tree, packed in the time, one query a box; no margin"},
    {"sort, sweep", ONE_SHOT, 100000, make<SweepOnce>, "as above"},
    {"sap.h", LEVELS_READY | QUERIES_3D | QUERIES_2D, 1 << 20, make<SapQueries>, "sap_prepare_queries, no pairs taken"},
    {"plain loop", QUERIES_3D | QUERIES_2D, 1 << 20, make<Linear>, "over an array of boxes"},
    {"Bullet tree", LEVELS_READY | QUERIES_3D | QUERIES_2D, 1 << 20, make<BulletQueries>,
     "btDbvt alone, no margin, optimizeIncremental in every frame; collideTV, rayTestInternal"},
    {"Boost rtree", LEVELS_READY | QUERIES_3D | QUERIES_2D, 1 << 20, make<BoostQueries>,
     "packed anew after the last frame, so it has not decayed"},
    {"Box2D tree", QUERIES_2D, 1 << 20, make<Box2DQueries>,
     "b2DynamicTree 2.4 alone: margin 0.1, hits tested against the exact boxes; Query, RayCast"},
};

/* ---- one run, in a process of its own ---- */

enum { WARM_UP = 3, MOST_FRAMES = 40, LEAST_FRAMES = 3, RUN_SECONDS = 1, LEVEL_BOXES = 100000 };
enum { TIMEOUT_SECONDS = 12, QUERY_TIMEOUT_SECONDS = 200 };

struct outcome {
    double time; /* microseconds, median; negative: no result */
    long long held, missed;
    const char *why;                 /* no result */
    query_result query[QUERY_KINDS]; /* no time: has no such query */
};

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now() {
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

enum what { FRAMES, ADD, REMOVE, QUERY };

static double ask(const void *peer, int kind, const query *q) {
    return ((Peer *)peer)->answer(kind, *q);
}

/* 'time' is that of being in step with a frame. */
static outcome measure_query(const peer_kind &kind, const scene_kind &place, int n) {
    scene s;
    outcome out = {};
    if (!scene_make(&s, &place, n)) _exit(1);
    std::unique_ptr<Peer> peer(kind.make());
    std::vector<double> time;
    std::vector<query> list(QUERIES);
    peer->add_all(s);
    for (int frame = 0; frame < QUERY_FRAMES; frame++) {
        scene_step(&s);
        double start = now();
        peer->frame(s);
        time.push_back(now() - start);
    }
    out.time = now();
    peer->be_ready(s);
    out.time = now() - out.time + median(time);
    queries_make(list.data(), &s);
    bool is_slow = kind.make == make<Linear>;
    for (int k = 0; k < QUERY_KINDS; k++) {
        if (peer->answer(k, list[0]) < 0) continue;
        for (int round = 0; round < QUERY_ROUNDS; round++)
            queries_ask(&out.query[k], ask, peer.get(), k, list.data(), is_slow ? QUERIES_CHECKED : QUERIES);
        out.query[k].wrong = queries_wrong(ask, peer.get(), k, list.data(), &s);
        if (is_slow) out.query[k].sum = -1; /* of fewer */
    }
    peer.release();
    return out;
}

static outcome measure(const peer_kind &kind, const scene_kind &place, what what, int n) {
    scene s;
    outcome out = {};
    if (what == QUERY) return measure_query(kind, place, n);
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
            for (int k = 0; i && k < n; k++) scene_place(&s, k); /* branches of a world seen before are foreseen */
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

/* By which sorts numbers in the least time. */
static void choose_core() {
    double best = 0;
    sched_getaffinity(0, sizeof all_cores, &all_cores);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        cpu_set_t only;
        if (!CPU_ISSET(core, &all_cores)) continue;
        CPU_ZERO(&only);
        CPU_SET(core, &only);
        if (sched_setaffinity(0, sizeof only, &only)) continue;
        double time = 1e30;
        for (int round = 0; round < 20; round++) {
            std::vector<uint32_t> numbers(10000, 1);
            for (size_t i = 1; i < numbers.size(); i++) numbers[i] = numbers[i - 1] * 1664525u + 1013904223u;
            double start = now();
            std::sort(numbers.begin(), numbers.end());
            time = std::min(time, now() - start);
        }
        if (best == 0 || time < best) best = time, one_core = only;
    }
    sched_setaffinity(0, sizeof all_cores, &all_cores);
}

static outcome run(const peer_kind &kind, const scene_kind &place, what what, int n) {
    outcome out = {};
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (!child) {
        alarm(what == QUERY ? QUERY_TIMEOUT_SECONDS : TIMEOUT_SECONDS);
        sched_setaffinity(0, sizeof one_core, &one_core);
        out = measure(kind, place, what, n);
        _exit(write(ends[1], &out, sizeof out) != (ssize_t)sizeof out);
    }
    close(ends[1]);
    if (read(ends[0], &out, sizeof out) != (ssize_t)sizeof out) out.time = -1;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        out.why = what == QUERY ? "over 200 s" : "over 12 s";
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
                all.push_back({name, &scene_kinds[i], FRAMES, scene_kinds[i].axes == 3 ? FRAMES_2D : FRAMES_3D});
    all.push_back({"add", &scene_kinds[0], ADD, FRAMES_3D});
    all.push_back({"remove", &scene_kinds[0], REMOVE, REMOVES});
    all.push_back({"level", &level_kind, ADD, LEVELS});
    all.push_back({"level", &level_kind, ADD, LEVELS_READY});
    for (int i = 0; i < PRUNE_KINDS; i++)
        all.push_back({std::string("prune:") + prune_kinds[i].name, &prune_kinds[i], FRAMES, ONE_SHOT});
    return all;
}

static std::string text(double x) {
    char t[32];
    snprintf(t, sizeof t, x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
    return t;
}

struct cell {
    double time; /* 0: none */
    long long missed;
    const char *why; /* no time */
};

struct table {
    FILE *md;
    std::vector<const peer_kind *> column;
    std::string title, unit;
    bool has_head = false;

    table(FILE *f, int where, const std::string &name, int n, const char *of)
        : md(f), title(name + ", " + std::to_string(n) + " boxes"), unit(of) {
        for (const peer_kind &p : peers)
            if (p.where & where) column.push_back(&p);
    }
    void print(const std::string &line) {
        for (FILE *f : {md, stdout}) {
            fprintf(f, "%s\n", line.c_str());
            fflush(f);
        }
    }
    /* sap.h's time, then each peer's ratio to it. */
    void row(const std::string &name, const std::vector<cell> &cells) {
        const cell &own = cells[0];
        if (!has_head) {
            std::string head = "| scene | sap.h, " + unit + " |", line = "|---|--:|";
            for (size_t c = 1; c < column.size(); c++) {
                head += std::string(" ") + column[c]->name + " |";
                line += "--:|";
            }
            print("\n" + title + "\n\n" + head + "\n" + line);
            has_head = true;
        }
        std::string row =
            "| " + name + " | " + (own.time > 0 ? text(own.time) : own.why) + (own.missed ? ", WRONG" : "") + " |";
        for (size_t c = 1; c < cells.size(); c++) {
            row += std::string(" ") + (cells[c].time > 0 ? text(cells[c].time / own.time) : cells[c].why);
            if (cells[c].time > 0 && cells[c].missed) row += " (misses " + std::to_string(cells[c].missed) + ")";
            row += " |";
        }
        print(row);
    }
};

/* What every column's rounds give, in the order of the columns. */
static std::vector<std::vector<outcome>> run_rounds(const table &in, const task &t, int n, int rounds) {
    std::vector<std::vector<outcome>> done(in.column.size());
    for (int round = 0; round < rounds; round++)
        for (size_t c = 0; c < in.column.size(); c++) {
            const peer_kind &p = *in.column[c];
            if (n <= p.most && (t.kind != REMOVE || p.where & REMOVES) && (!round || done[c].back().time >= 0))
                done[c].push_back(run(p, *t.place, t.kind, n));
        }
    return done;
}

/* The median of the rounds: of a frame, or of a kind of query. */
static cell cell_of(const std::vector<outcome> &rounds, int query) {
    cell out = {0, 0, "-"};
    std::vector<double> time;
    for (const outcome &o : rounds) {
        double t = query < 0 ? o.time : o.query[query].nanoseconds;
        if (o.time >= 0 && t > 0) time.push_back(t);
        if (o.time < 0) out.why = o.why;
        out.missed = query < 0 ? o.missed : o.query[query].wrong;
    }
    if (!time.empty()) out.time = median(time);
    return out;
}

static bool is_wanted(const std::string &wanted, const std::string &name) {
    return wanted.empty() || ("," + wanted + ",").find("," + name + ",") != std::string::npos;
}

static void measure_group(FILE *md, FILE *data, const char *title, int where, int n, int rounds,
                          const std::string &wanted) {
    table out(md, where, title, n, "microseconds");
    for (const task &t : tasks()) {
        if (!(t.where & where) && !(t.kind == REMOVE && where & FRAMES_3D)) continue;
        if (!is_wanted(wanted, t.name)) continue;
        std::vector<cell> cells;
        for (const std::vector<outcome> &done : run_rounds(out, t, n, rounds)) cells.push_back(cell_of(done, -1));
        out.row(t.name, cells);
        if (data) {
            fprintf(data, "\"%s\"", t.name.c_str());
            for (const cell &c : cells) fprintf(data, c.time > 0 ? " %.3f" : " NaN", c.time);
            fprintf(data, "\n");
        }
    }
}

/* One row a kind of query. What the peers answer is compared with what sap.h does. */
static void measure_queries(FILE *md, int where, int n, int rounds) {
    int flat = where == QUERIES_2D;
    task t = {"query", scene_named(query_scenes[flat]), QUERY, where};
    table out(md, where, flat ? "2D queries after 300 frames" : "3D queries after 300 frames", n, "nanoseconds");
    std::vector<std::vector<outcome>> done = run_rounds(out, t, n, rounds);
    for (int k = 0; k < QUERY_KINDS; k++) {
        std::vector<cell> cells;
        for (const std::vector<outcome> &rounds_of : done) {
            cells.push_back(cell_of(rounds_of, k));
            double own = done[0].back().query[k].sum, sum = rounds_of.back().query[k].sum;
            cells.back().missed += sum >= 0 && !answers_agree(sum / QUERIES, own / QUERIES);
        }
        out.row(query_kinds[k].name, cells);
    }
    std::vector<cell> cells;
    for (const std::vector<outcome> &rounds_of : done) {
        cells.push_back(cell_of(rounds_of, -1));
        if (&rounds_of == &done[1]) cells.back().time = 0; /* the loop has nothing to do */
    }
    out.row("in step with a frame, microseconds", cells);
}

static void plot(int n) {
    FILE *g = popen("gnuplot 2>/dev/null", "w");
    if (!g) return;
    fprintf(g,
            "set terminal svg noenhanced size 1100,520 font 'sans-serif,13' background '#ffffff'\nset output "
            "'build/peers.svg'\n"
            "set title 'microseconds a frame, %d boxes, lower is better'\nset logscale y\nset format y "
            "'%%g'\n"
            "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
            "set grid ytics lc '#dddddd'\nset border 3\nset tics nomirror\nset key outside top horizontal\nplot ",
            n);
    int c = 2;
    static const char *const colour[] = {"#d7301f", "#f08a6c", "#f7c4a9", "#41729f", "#7fa8d1", "#5b8c5a",
                                         "#a3c9a8", "#8a6d9e", "#c3b1d6", "#999999", "#cccccc"};
    for (const peer_kind &p : peers)
        if (p.where & FRAMES_3D) {
            fprintf(g, "%s'build/peers.dat' using %d%s title '%s' lc '%s'", c > 2 ? ", " : "", c,
                    c == 2 ? ":xtic(1)" : "", p.name, colour[(c - 2) % 11]);
            c++;
        }
    fprintf(g, "\n");
    pclose(g);
}

int main(int argc, char **argv) {
    std::string sizes = "1000,10000", query_sizes = "10000,100000", wanted;
    int rounds = 3, n = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--cpu"))
            clock_used = CLOCK_THREAD_CPUTIME_ID;
        else if (i + 1 == argc)
            break;
        else if (!strcmp(argv[i], "-n"))
            sizes = argv[++i];
        else if (!strcmp(argv[i], "-s"))
            wanted = argv[++i];
        else if (!strcmp(argv[i], "-q"))
            query_sizes = argv[++i];
        else if (!strcmp(argv[i], "-r"))
            rounds = std::max(1, atoi(argv[++i]));
    }
    FILE *md = fopen("build/peers.md", "w");
    if (!md) {
        fprintf(stderr, "cannot write build/peers.md\n");
        return 1;
    }
    choose_core();
    char line[256], cpu[256] = "?";
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %255[^\n]", cpu) == 1) break;
    if (f) fclose(f);
    for (FILE *to : {md, stdout})
        fprintf(to, "%s, g++ %s, " FLAGS ", one thread. Numbers are how many times as long as sap.h a peer takes.\n",
                cpu, __VERSION__);
    for (const char *p = sizes.c_str(); p; p = strchr(p, ',') ? strchr(p, ',') + 1 : nullptr) {
        n = atoi(p);
        FILE *data = fopen("build/peers.dat", "w");
        measure_group(md, data, "3D", FRAMES_3D, n, rounds, wanted);
        if (data) fclose(data);
        measure_group(md, nullptr, "2D", FRAMES_2D, n, rounds, wanted);
        measure_group(md, nullptr, "One-shot", ONE_SHOT, n, rounds, wanted);
    }
    measure_group(md, nullptr, "Static, with the first update", LEVELS, LEVEL_BOXES, rounds, wanted);
    measure_group(md, nullptr, "Static, ready for queries", LEVELS_READY, LEVEL_BOXES, rounds, wanted);
    for (const char *p = query_sizes.c_str(); p && is_wanted(wanted, "query");
         p = strchr(p, ',') ? strchr(p, ',') + 1 : nullptr)
        for (int where : {QUERIES_3D, QUERIES_2D}) measure_queries(md, where, atoi(p), atoi(p) > 10000 ? 1 : rounds);
    for (FILE *to : {md, stdout}) {
        fprintf(to, "\n");
        for (const peer_kind &p : peers) fprintf(to, "- %s: %s\n", p.name, p.note);
    }
    fclose(md);
    plot(n);
    return 0;
}
