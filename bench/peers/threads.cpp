/* threads.cpp - sap.h as a peer, on one thread and on two */
#define SAP_IMPLEMENTATION
#include "../../sap.h"
#include "../../examples/pool.h"
#include "peer.h"
#include <sched.h>

template <int THREADS> struct Sap : Peer {
    sap_world *world = nullptr;
    std::vector<sap_id> id;
    pool threads;
    long long events = 0;
    Sap() {
        cpu_set_t all;
        memset(&all, 0xff, sizeof all);
        if (THREADS > 1) sched_setaffinity(0, sizeof all, &all);
        pool_start(&threads, THREADS);
    }
    ~Sap() override {
        sap_destroy(world);
        pool_stop(&threads);
    }
    void settle() {
        int created, deleted;
        if (sap_update(world) != SAP_OK) fail("sap_update");
        const sap_pair *c = sap_created(world, &created), *d = sap_deleted(world, &deleted);
        for (int i = 0; i < created; i++) events += c[i].id0 ^ c[i].id1;
        for (int i = 0; i < deleted; i++) events -= d[i].id0 ^ d[i].id1;
    }
    void add_all(const scene &s) override {
        sap_config config = {};
        config.axes = s.kind->axes;
        world = sap_create(&config);
        if (THREADS > 1) sap_set_parallel(world, pool_run, &threads);
        for (int i = 0; i < s.n; i++)
            id.push_back(s.is_static[i] ? sap_add_static(world, &s.box[i], nullptr)
                                        : sap_add(world, &s.box[i], nullptr));
        settle();
    }
    void frame(const scene &s) override {
        if (s.moves == s.n)
            sap_move_many(world, s.n, id.data(), s.box);
        else
            for (int i = 0; i < s.moves; i++) sap_move(world, id[(size_t)s.moved[i]], &s.box[s.moved[i]]);
        settle();
    }
    void pairs(pair_list &out) override {
        int n;
        const sap_pair *p = sap_pairs(world, &n);
        for (int i = 0; i < n; i++) out.emplace_back((int)(p[i].id0 & 0xffffff) - 1, (int)(p[i].id1 & 0xffffff) - 1);
    }
};

const std::string version = SAP_VERSION;
const std::vector<peer_kind> peers = {
    {"1 thread", FRAMES_3D | FRAMES_2D, 1 << 20, make<Sap<1>>, "sap.h on one thread; no margin"},
    {"2 threads", FRAMES_3D | FRAMES_2D, 1 << 20, make<Sap<2>>, "sap.h on two threads; no margin"},
};
