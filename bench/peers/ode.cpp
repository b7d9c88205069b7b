/* ode.cpp - geoms in a space of ODE, which reports all pairs in each frame (Debian: libode-dev) */
#include "peer.h"

#include <ode/ode.h>

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
    void prepare(const scene &s) override { /* geoms are made, and are in no space yet */
        dInitODE();
        space = make();
        for (int i = 0; i < s.n; i++) {
            const sap_aabb &b = s.box[i];
            dGeomID g = dCreateBox(nullptr, b.max[0] - b.min[0], b.max[1] - b.min[1], b.max[2] - b.min[2]);
            place(g, b);
            dGeomSetData(g, (void *)(intptr_t)i);
            dGeomSetCategoryBits(g, s.is_static[i] ? 2 : 1);
            dGeomSetCollideBits(g, s.is_static[i] ? 1 : 3);
            geom.push_back(g);
        }
    }
    void add_all(const scene &) override {
        for (dGeomID g : geom) dSpaceAdd(space, g);
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

const std::string version = "ODE " dODE_VERSION;
const std::vector<peer_kind> peers = {
    {"ODE SAP", FRAMES_3D | ADDS | REMOVES, 100000, make<OdeSap>, "dSweepAndPruneSpace: all pairs anew; no margin"},
    {"ODE hash", FRAMES_3D | ADDS | REMOVES, 10000, make<OdeHash>, "dHashSpace: all pairs anew; no margin"},
};
