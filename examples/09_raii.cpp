/*
Shows how to use sap.h from C++: a world that frees itself, lambdas for events, boxes in a std::vector.

    c++ -std=c++11 -I.. -I/usr/include/stb -o raii 09_raii.cpp && ./raii

It prints:

    0: moon meets station
    2: comet meets moon
    4: comet meets station
    7: comet leaves moon
    9: comet leaves station
    refused: The id names no box: it is 0, was never given out, or its box has been removed.
*/
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#define SAP_IMPLEMENTATION
#include "sap.h"

/* This is all the wrapping that is needed: an owner, and errors as exceptions. Call the rest of sap.h with get(). */
class World {
  public:
    explicit World(const sap_config &config = sap_config()) : world(sap_create(&config)) {
        if (!world) throw std::bad_alloc();
    }

    sap_world *get() const {
        return world.get();
    }

    std::vector<sap_id> add(const std::vector<sap_aabb> &boxes, const std::vector<void *> &objects) {
        std::vector<sap_id> ids(boxes.size());
        check(sap_add_many(get(), static_cast<int>(boxes.size()), boxes.data(), objects.data(), ids.data()));
        return ids;
    }

    /* begin and end can be anything that takes a const sap_pair &. They must not throw: C code calls them. */
    template <class Begin, class End> int dump_pairs(Begin begin, End end) {
        struct Both {
            Begin &begin;
            End &end;
        } both = {begin, end};
        int pairs = sap_dump_pairs(
            get(),
            [](const sap_pair *pair, void *user) -> void * {
                static_cast<Both *>(user)->begin(*pair);
                return nullptr;
            },
            [](const sap_pair *pair, void *user) { static_cast<Both *>(user)->end(*pair); }, &both);
        check(static_cast<sap_result>(pairs < 0 ? -pairs : SAP_OK));
        return pairs;
    }

    void check(sap_result result) const {
        if (result != SAP_OK) throw std::runtime_error(sap_result_text(result));
    }

  private:
    struct Destroy {
        void operator()(sap_world *w) const {
            sap_destroy(w);
        }
    };
    std::unique_ptr<sap_world, Destroy> world; /* so a World can be moved but not copied */
};

int main() {
    std::vector<std::string> names = {"comet", "moon", "station"};
    std::vector<sap_aabb> boxes = {{{0, 0, 0}, {1, 1, 1}}, {{3, 0, 0}, {6, 3, 3}}, {{5, 1, 1}, {8, 2, 2}}};
    std::vector<void *> objects;
    for (std::string &name : names) objects.push_back(&name);
    auto name = [](void *object) { return static_cast<std::string *>(object)->c_str(); };

    World world;
    const std::vector<sap_id> ids = world.add(boxes, objects);
    int frame = 0;
    auto begin = [&](const sap_pair &p) { std::printf("%d: %s meets %s\n", frame, name(p.object0), name(p.object1)); };
    auto end = [&](const sap_pair &p) { std::printf("%d: %s leaves %s\n", frame, name(p.object0), name(p.object1)); };
    for (; frame < 10; frame++) {
        world.dump_pairs(begin, end);
        boxes[0].min[0] += 1;
        boxes[0].max[0] += 1;
        world.check(sap_move(world.get(), ids[0], &boxes[0]));
    }

    World other = std::move(world); /* the same world, with a new owner */
    try {
        other.check(sap_remove(other.get(), 99));
    } catch (const std::exception &e) {
        std::printf("refused: %s\n", e.what());
    }
    return 0;
}
