/*
Shows how sap.h serves as the broad phase of ODE, a 3D physics engine: a space that finds the geoms whose boxes overlap.

    c++ -I.. -I/usr/include/stb -O2 -o ode 14_ode.cpp -lode && ./ode

Needs ODE (Debian: libode-dev); `make engine` installs it, builds this and runs it. A ball hits a wall of bricks
beside a heap of bodies, once with this space and once with each of ODE's; pairs, contacts and positions are compared.
`./ode times` also prints how long each space takes to find the pairs of a step.
A space of ODE is a class inside of ODE, so SapSpace is no dSpace. It has the same functions, and the same rules by which
two geoms may collide.
ODE solves contacts in the order in which they are made, and in a pile that order changes the result. So the pairs of each
space are sorted by the numbers of their geoms, and then all simulations are the same, to the last bit. ODE's sweep also
reports pairs whose boxes do not overlap; they make no contacts. It prints:

    300 steps          pairs     contacts    asleep at the end
    sap               77829       190335               7 of 139
    ODE's list        77829       190335: the same to the last bit
    ODE's hash        77829       190335: the same to the last bit
    ODE's sweep      107569       190335: the same to the last bit
    ODE's quadtree    77829       190335: the same to the last bit
*/
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ode/ode.h>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>
#define SAP_IMPLEMENTATION
#include "sap.h"

/* ---- the adapter ------------------------------------------------------------------------------------------- */

/* The geoms themselves are in no space of ODE's (create them with space 0). Call remove before dGeomDestroy. */
class SapSpace {
  public:
    SapSpace() {
        sap_config config = {};
        config.filter = may_collide;
        world = sap_create(&config);
        if (!world) throw std::bad_alloc();
    }

    ~SapSpace() {
        sap_destroy(world);
    }

    SapSpace(const SapSpace &) = delete;
    SapSpace &operator=(const SapSpace &) = delete;

    /* Geoms without a body do not collide with one another. ODE leaves that to the callback; here they are static. */
    void add(dGeomID geom) {
        const sap_aabb box = box_of(geom);
        const sap_id id = (dGeomGetBody(geom) ? sap_add : sap_add_static)(world, &box, geom);
        if (!id) throw std::runtime_error(sap_result_text(sap_last_error(world)));
        ids[geom] = id;
    }

    void remove(dGeomID geom) {
        sap_remove(world, ids.at(geom));
        ids.erase(geom);
    }

    bool query(dGeomID geom) const {
        return ids.count(geom) != 0;
    }

    int count() const {
        return sap_count(world);
    }

    dGeomID get(int i) const { /* O(i), for loops over few; walk with sap_next otherwise */
        sap_id id = sap_next(world, 0);
        while (i-- > 0 && id) id = sap_next(world, id);
        return geom_of(sap_get_object(world, id));
    }

    /* Call this after dGeomSetCategoryBits or dGeomSetCollideBits: sap.h keeps what the filter returned for a pair. */
    void bits_changed(dGeomID geom) {
        sap_refilter(world, ids.at(geom));
    }

    /* A geom that sleeps or stands still costs one test: whether it has moved. */
    void collide(void *data, dNearCallback *callback) {
        int count;
        for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id)) {
            const dGeomID geom = geom_of(sap_get_object(world, id));
            const dBodyID body = dGeomGetBody(geom);
            if (body && !dBodyIsEnabled(body)) continue;
            const sap_aabb box = box_of(geom);
            sap_move(world, id, &box);
        }
        if (sap_update(world) != SAP_OK) throw std::runtime_error(sap_result_text(sap_last_error(world)));
        const sap_pair *pairs = sap_pairs(world, &count);
        for (int i = 0; i < count; i++) {
            const dGeomID a = geom_of(pairs[i].object0), b = geom_of(pairs[i].object1);
            if (dGeomIsEnabled(a) && dGeomIsEnabled(b) && overlap(a, b)) callback(data, a, b);
        }
    }

    /* Collides one geom with all of this space. It may be in no space, a ray for example. */
    void collide2(dGeomID geom, void *data, dNearCallback *callback) {
        struct Asking {
            dGeomID geom;
            void *data;
            dNearCallback *callback;
        } asking = {geom, data, callback};
        const sap_aabb box = box_of(geom);
        sap_query_box(
            world, &box, ~0u,
            [](sap_id, void *object, void *user) {
                const Asking *q = static_cast<const Asking *>(user);
                const dGeomID other = geom_of(object);
                if (other != q->geom && dGeomIsEnabled(other) && overlap(q->geom, other) && bits_agree(q->geom, other))
                    q->callback(q->data, q->geom, other);
                return 1;
            },
            &asking);
    }

  private:
    static dGeomID geom_of(void *object) {
        return static_cast<dGeomID>(object);
    }

    static sap_aabb box_of(dGeomID geom) {
        dReal b[6];
        dGeomGetAABB(geom, b);
        const double min[3] = {b[0], b[2], b[4]}, max[3] = {b[1], b[3], b[5]};
        return sap_aabb_from_doubles(min, max); /* rounded outward, so nothing is missed */
    }

    static bool overlap(dGeomID a, dGeomID b) { /* in ODE's own precision */
        dReal x[6], y[6];
        dGeomGetAABB(a, x);
        dGeomGetAABB(b, y);
        for (int k = 0; k < 6; k += 2)
            if (x[k] > y[k + 1] || y[k] > x[k + 1]) return false;
        return true;
    }

    static bool bits_agree(dGeomID a, dGeomID b) { /* in one direction at least: masks of sap.h need both */
        return (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) || (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a));
    }

    static int may_collide(const sap_pair *pair, void *) {
        const dGeomID a = geom_of(pair->object0), b = geom_of(pair->object1);
        return (dGeomGetBody(a) != dGeomGetBody(b) || !dGeomGetBody(a)) && bits_agree(a, b);
    }

    sap_world *world;
    std::unordered_map<dGeomID, sap_id> ids;
};

/* ---- the same scene, with any space --------------------------------------------------------------------------- */

enum { STEPS = 300, RAYS = 40, SIMPLE = 0, HASH, SWEEP, QUADTREE, SAP, KINDS };
static const char *const names[KINDS] = {"ODE's list", "ODE's hash", "ODE's sweep", "ODE's quadtree", "sap"};

typedef std::pair<dGeomID, dGeomID> Pair;

struct Run {
    long pairs, contacts; /* summed up over all steps */
    int asleep;
    std::vector<dReal> places; /* positions and turns of each body, at the end */
    std::vector<int> seen;     /* the number of boxes that each ray meets, at the end */
    double microseconds;       /* per step, to find the pairs */
};

static uintptr_t number_of(dGeomID geom) {
    return reinterpret_cast<uintptr_t>(dGeomGetData(geom));
}

static void collect(void *data, dGeomID a, dGeomID b) {
    if (!dGeomGetBody(a) && !dGeomGetBody(b)) return;
    static_cast<std::vector<Pair> *>(data)->push_back(number_of(a) < number_of(b) ? Pair(a, b) : Pair(b, a));
}

static void count_ray(void *data, dGeomID, dGeomID) {
    ++*static_cast<int *>(data);
}

/* A wall of bricks that a heavy ball hits, and a heap of balls and capsules beside it. Later some bricks go. */
class Scene {
  public:
    Scene(int the_kind, int bricks, int heap) : kind(the_kind), world(dWorldCreate()), joints(dJointGroupCreate(0)) {
        const dVector3 center = {0, 0, 0}, extents = {60, 60, 60};
        space = kind == SIMPLE     ? dSimpleSpaceCreate(nullptr)
                : kind == HASH     ? dHashSpaceCreate(nullptr)
                : kind == SWEEP    ? dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XZY)
                : kind == QUADTREE ? dQuadTreeSpaceCreate(nullptr, center, extents, 5)
                                   : nullptr;
        dWorldSetGravity(world, 0, 0, -9.8);
        dWorldSetQuickStepNumIterations(world, 12);
        dWorldSetAutoDisableFlag(world, 1);
        dWorldSetAutoDisableTime(world, 0.3);
        dRandSetSeed(1); /* dWorldQuickStep shuffles */
        add(dCreatePlane(nullptr, 0, 0, 1, 0), nullptr, 0, 0, 0);
        for (int i = 0; i < bricks; i++) {
            const int row = i / 12, column = i % 12;
            add_body(dCreateBox(nullptr, 1, 0.5, 0.5), 1, column - 5.5 + 0.5 * (row & 1), 0, 0.25 + 0.5 * row);
        }
        for (int i = 0; i < heap; i++) {
            const double x = 8 + i % 5 * 0.9, y = -3 + i / 5 % 5 * 0.9 + 0.01 * i, z = 0.6 + i / 25 * 1.1;
            add_body(i % 2 ? dCreateSphere(nullptr, 0.4) : dCreateCapsule(nullptr, 0.3, 0.4), 0.5, x, y, z);
        }
        dBodySetLinearVel(add_body(dCreateSphere(nullptr, 0.6), 30, 0.3, 12, 1.5), 0, -14, 2);
    }

    ~Scene() {
        for (dGeomID geom : geoms) dGeomDestroy(geom);
        for (dBodyID body : bodies) dBodyDestroy(body);
        if (space) dSpaceDestroy(space);
        dJointGroupDestroy(joints);
        dWorldDestroy(world);
    }

    Run run() {
        Run r = {};
        for (int step = 0; step < STEPS; step++) {
            if (step == 150)
                for (int i = 0; i < 8; i++) remove(3 * i + 1);
            const auto from = std::chrono::steady_clock::now();
            pairs.clear();
            if (space)
                dSpaceCollide(space, &pairs, collect);
            else
                sap.collide(&pairs, collect);
            r.microseconds +=
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count() /
                (double)STEPS;
            std::sort(pairs.begin(), pairs.end(), [](const Pair &a, const Pair &b) {
                return number_of(a.first) != number_of(b.first) ? number_of(a.first) < number_of(b.first)
                                                                : number_of(a.second) < number_of(b.second);
            });
            r.pairs += static_cast<long>(pairs.size());
            for (const Pair &pair : pairs) r.contacts += collide(pair);
            dWorldQuickStep(world, 1.0 / 60);
            dJointGroupEmpty(joints);
        }
        for (int i = 0; i < RAYS; i++) r.seen.push_back(look(i));
        for (dBodyID body : bodies) {
            r.places.insert(r.places.end(), dBodyGetPosition(body), dBodyGetPosition(body) + 3);
            r.places.insert(r.places.end(), dBodyGetQuaternion(body), dBodyGetQuaternion(body) + 4);
            r.asleep += !dBodyIsEnabled(body);
        }
        return r;
    }

  private:
    void add(dGeomID geom, dBodyID body, double x, double y, double z) {
        dGeomSetData(geom, reinterpret_cast<void *>(++last_number));
        if (body) {
            dGeomSetBody(geom, body);
            dBodySetPosition(body, x, y, z);
        }
        if (space)
            dSpaceAdd(space, geom);
        else
            sap.add(geom);
        geoms.push_back(geom);
    }

    dBodyID add_body(dGeomID geom, double density, double x, double y, double z) {
        dBodyID body = dBodyCreate(world);
        dMass mass;
        dMassSetBox(&mass, density, 1, 0.6, 0.6);
        dBodySetMass(body, &mass);
        bodies.push_back(body);
        add(geom, body, x, y, z);
        return body;
    }

    void remove(int index) { /* of a brick */
        const dGeomID geom = dBodyGetFirstGeom(bodies[static_cast<size_t>(index)]);
        if (space)
            dSpaceRemove(space, geom);
        else
            sap.remove(geom);
        geoms.erase(std::find(geoms.begin(), geoms.end(), geom));
        dGeomDestroy(geom);
        dBodyDestroy(bodies[static_cast<size_t>(index)]);
        bodies.erase(bodies.begin() + index);
    }

    int collide(const Pair &pair) {
        dContact contact[8];
        const dBodyID a = dGeomGetBody(pair.first), b = dGeomGetBody(pair.second);
        const int n = dCollide(pair.first, pair.second, 8, &contact[0].geom, sizeof(dContact));
        for (int i = 0; i < n; i++) {
            contact[i].surface.mode = 0;
            contact[i].surface.mu = 0.8;
            dJointAttach(dJointCreateContact(world, joints, &contact[i]), a, b);
        }
        return n;
    }

    int look(int i) {
        int seen = 0;
        const dGeomID ray = dCreateRay(nullptr, 40);
        dGeomRaySet(ray, 0, 15, 4, (i - RAYS / 2) * 0.03, -1, -0.2);
        dGeomSetCategoryBits(ray, 1);
        if (space)
            dSpaceCollide2(ray, reinterpret_cast<dGeomID>(space), &seen, count_ray);
        else
            sap.collide2(ray, &seen, count_ray);
        dGeomDestroy(ray);
        return seen;
    }

    int kind;
    dWorldID world;
    dJointGroupID joints;
    dSpaceID space;
    SapSpace sap;
    uintptr_t last_number = 0;
    std::vector<dGeomID> geoms;
    std::vector<dBodyID> bodies;
    std::vector<Pair> pairs;
};

int main(int argc, char **argv) {
    bool all_same = true;
    dInitODE2(0);
    const Run our = Scene(SAP, 96, 50).run();
    std::printf("%d steps          pairs     contacts    asleep at the end\n", STEPS);
    std::printf("%-14s %8ld %12ld %15d of %d\n", names[SAP], our.pairs, our.contacts, our.asleep,
                static_cast<int>(our.places.size() / 7));
    for (int kind = SIMPLE; kind < SAP; kind++) {
        const Run r = Scene(kind, 96, 50).run();
        const bool same = r.contacts == our.contacts && r.seen == our.seen && r.places.size() == our.places.size() &&
                          !std::memcmp(r.places.data(), our.places.data(), r.places.size() * sizeof(dReal));
        std::printf("%-14s %8ld %12ld: %s\n", names[kind], r.pairs, r.contacts,
                    same ? "the same to the last bit" : "different");
        all_same = all_same && same;
    }
    for (int kind = SIMPLE; kind < KINDS && argc > 1 && !std::strcmp(argv[1], "times"); kind++) {
        const double small = Scene(kind, 96, 50).run().microseconds, large = Scene(kind, 240, 750).run().microseconds;
        std::printf("%-14s %7.1f microseconds a step with 147 bodies, %7.1f with 991\n", names[kind], small, large);
    }
    dCloseODE();
    return !all_same;
}
