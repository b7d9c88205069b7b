/*
bullet.cpp - Bullet's two broad phases, the second in both of its ways, and its tree alone for queries (Debian: libbullet-dev)

A baseline x86-64 build, as Debian makes it. Pairs of static boxes are kept out by the groups that Bullet itself uses.
*/
#include "peer.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

struct Bullet : Peer {
    std::unique_ptr<btBroadphaseInterface> phase;
    std::vector<btBroadphaseProxy *> proxy;
    static btVector3 vector(const float *f) {
        return btVector3(f[0], f[1], f[2]);
    }
    virtual btBroadphaseInterface *make(const scene &s) = 0;
    void prepare(const scene &s) override {
        phase.reset(make(s));
        proxy.reserve((size_t)s.n);
    }
    void add_all(const scene &s) override {
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

/* The same with a public switch of it: pairs are looked for once a frame, by a join of trees, not for each box that moved. */
struct BulletDeferred : Bullet {
    btBroadphaseInterface *make(const scene &) override {
        btDbvtBroadphase *made = new btDbvtBroadphase();
        made->m_deferedcollide = true;
        return made;
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

const std::string version =
    "Bullet " + std::to_string(BT_BULLET_VERSION / 100) + "." + std::to_string(BT_BULLET_VERSION % 100);
const std::vector<peer_kind> peers = {
    {"Bullet SAP", FRAMES_3D | ADDS | REMOVES, 20000, make<BulletSap>,
     "bt32BitAxisSweep3: keeps pairs; bounds rounded out to a grid of 2^32"},
    {"Bullet dbvt immediate", FRAMES_3D | ADDS | REMOVES, 100000, make<BulletTree>,
     "btDbvtBroadphase: keeps pairs; margin 0.05 and more, pairs end late"},
    {"Bullet dbvt deferred", FRAMES_3D | ADDS | REMOVES, 100000, make<BulletDeferred>,
     "the same with m_deferedcollide; tables show the better one of the two"},
    {"Bullet tree", QUERIES_3D | QUERIES_2D, 1 << 20, make<BulletQueries>,
     "btDbvt alone, no margin, optimizeIncremental in every frame; collideTV, rayTestInternal"},
};
