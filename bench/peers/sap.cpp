/*
sap.cpp - sap.h as a peer; with -DSAP_NO_AVX512 and -DSAP_NO_AVX2 with narrower kernels

The boxes are handed in from where they lie: by sap_move_many if all moved, else one by one.
*/
#define SAP_IMPLEMENTATION
#include "../../sap.h"
#include "pair_set.h"
#include "peer.h"

struct Sap : Peer {
    sap_world *world = nullptr;
    std::vector<sap_id> id;
    pair_set by_events;
    bool noted = false;
    long long events = 0;
    float margin = 0;
    ~Sap() override {
        sap_destroy(world);
    }
    virtual void settle() {
        int created, deleted;
        if (sap_update(world) != SAP_OK) fail("sap_update");
        const sap_pair *c = sap_created(world, &created), *d = sap_deleted(world, &deleted);
        for (int i = 0; i < created; i++) events += c[i].id0 ^ c[i].id1;
        for (int i = 0; i < deleted; i++) events -= d[i].id0 ^ d[i].id1;
    }
    void prepare(const scene &s) override {
        sap_config config = {};
        config.axes = s.kind->axes;
        config.margin = margin;
        world = sap_create(&config);
        id.resize((size_t)s.n);
    }
    void add_all(const scene &s) override {
        for (int i = 0, n; i < s.n; i += n) { /* boxes of one kind that stand in a row make a batch */
            for (n = 1; i + n < s.n && s.is_static[i + n] == s.is_static[i]; n++) continue;
            (s.is_static[i] ? sap_add_static_many : sap_add_many)(world, n, &s.box[i], nullptr, &id[(size_t)i]);
        }
        settle();
    }
    void frame(const scene &s) override {
        if (s.moves == s.n)
            sap_move_many(world, s.n, id.data(), s.box);
        else
            for (int i = 0; i < s.moves; i++) sap_move(world, id[(size_t)s.moved[i]], &s.box[s.moved[i]]);
        settle();
    }
    void remove_all() override {
        sap_remove_many(world, (int)id.size(), id.data());
        settle();
    }
    long long read_pairs() override {
        int n;
        long long sum = 0;
        const sap_pair *p = sap_pairs(world, &n);
        for (int i = 0; i < n; i++) sum += p[i].id0 ^ p[i].id1;
        return sum;
    }
    void note_events() override {
        int created, deleted;
        const sap_pair *c = sap_created(world, &created), *d = sap_deleted(world, &deleted);
        noted = true;
        for (int i = 0; i < deleted; i++)
            if (!by_events.remove(d[i].id0, d[i].id1)) fail("a pair ended that had not begun");
        for (int i = 0; i < created; i++)
            if (!by_events.insert(c[i].id0, c[i].id1)) fail("a pair began that had not ended");
    }
    void pairs(pair_list &out) override {
        int n;
        const sap_pair *p = sap_pairs(world, &n);
        if (noted && by_events.pair.size() != (size_t)n) fail("events and pairs differ");
        for (int i = 0; i < n; i++) /* a world that removed nothing counts its ids from 1 */
            out.emplace_back((int)(p[i].id0 & 0xffffff) - 1, (int)(p[i].id1 & 0xffffff) - 1);
    }
};

/* With the margin that Box2D v3 gives boxes as large as these: pairs of fat boxes. */
struct SapMargin : Sap {
    SapMargin() {
        margin = 0.05f;
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

const std::string version = SAP_VERSION;
const std::vector<peer_kind> peers = {
    {"sap.h", FRAMES_3D | FRAMES_2D | ADDS | REMOVES, 1 << 20, make<Sap>,
     "keeps pairs and reports what began and ended; no margin"},
    {"sap.h margin", FRAMES_3D | FRAMES_2D, 1 << 20, make<SapMargin>,
     "config.margin 0.05: pairs of fat boxes, which begin early and end late"},
    {"sap.h queries", QUERIES_3D | QUERIES_2D, 1 << 20, make<SapQueries>, "sap_prepare_queries, no pairs taken"},
    {"sap_box_prune", ONE_SHOT, 1 << 20, make<SapPrune>, "keeps nothing; no margin"},
};
