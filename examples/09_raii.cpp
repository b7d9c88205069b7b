/*
Shows how to use sap.h from C++, with a small wrapper to copy as it is: typed objects, lambdas, exceptions, RAII.

    c++ -std=c++11 -I.. -I/usr/include/stb -o raii 09_raii.cpp && ./raii

It prints:

    0: moon meets station
    2: comet meets moon
    4: comet meets station
    7: comet leaves moon after 5 frames
    9: comet leaves station after 5 frames
    restored: moon and station
    in the corner: 2
    a probe stops at the moon, a ghost at the station
    a ray meets the moon at 0.3, and 2 in all; the station is nearest to its end
    the comet is back: 1 begins, beside a moon that stands
    a lambda may throw
    refused: 99 is no box
*/
#define SAP_IMPLEMENTATION

/* ---- copy from here -------------------------------------------------------------------------------------------- */

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>
#include "sap.h"

/* A sap_world that frees itself, whose objects are T, and whose errors are exceptions. It can be moved, not copied. For
   all that is left out: world.check(sap_refilter(world.get(), id)). Lambdas may throw: their exception passes through the
   C code only afterwards. */
template <class T> class World {
  public:
    explicit World(const sap_config &config = sap_config()) : world(sap_create(&config)) {
        if (!world) throw std::bad_alloc(); /* or a config that contradicts itself */
    }

    sap_world *get() const {
        return world.get();
    }

    sap_id add(const sap_aabb &box, T &object) {
        return checked(sap_add(get(), &box, &object));
    }

    sap_id add_static(const sap_aabb &box, T &object) {
        return checked(sap_add_static(get(), &box, &object));
    }

    void move(sap_id id, const sap_aabb &box) {
        check(sap_move(get(), id, &box));
    }

    void move_many(const std::vector<sap_id> &ids, const std::vector<sap_aabb> &boxes) { /* as many of both */
        check(ids.size() == boxes.size() ? SAP_OK : SAP_ERROR_ARGUMENT);
        check(sap_move_many(get(), static_cast<int>(ids.size()), ids.data(), boxes.data()));
    }

    void remove(sap_id id) { /* its object must live until the next update is over */
        check(sap_remove(get(), id));
    }

    void set_filter(sap_id id, uint32_t category, uint32_t mask) {
        check(sap_set_filter(get(), id, category, mask));
    }

    bool is_valid(sap_id id) const {
        return sap_is_valid(get(), id) != 0;
    }

    T *object(sap_id id) const { /* nullptr for a bad id */
        return static_cast<T *>(sap_get_object(get(), id));
    }

    void update() { /* events are in sap_created and sap_deleted then, pairs in each_pair */
        check(sap_update(get()));
    }

    /* begin(T &, T &, const sap_pair &) for each pair that begins, end for each that ends. If begin returns a pointer, it
       is kept as the pair's user_data, which end finds there. Returns the number of pairs. */
    template <class Begin, class End> int update(Begin begin, End end) {
        Calls<Begin, End> calls = {begin, end, nullptr};
        const int pairs = sap_dump_pairs(get(), Calls<Begin, End>::create, Calls<Begin, End>::del, &calls);
        calls.rethrow();
        check(static_cast<sap_result>(pairs < 0 ? -pairs : SAP_OK));
        return pairs;
    }

    /* f(T &, T &, const sap_pair &) for each pair that there is. */
    template <class F> void each_pair(F f) const {
        int count;
        const sap_pair *pairs = sap_pairs(get(), &count);
        for (int i = 0; i < count; i++) f(*object0(pairs[i]), *object1(pairs[i]), pairs[i]);
    }

    /* f(sap_id, T &) for each box that overlaps this one; it returns false to stop. */
    template <class F> int query_box(const sap_aabb &box, uint32_t mask, F f) {
        Calls<F, F> calls = {f, f, nullptr};
        const int hits = sap_query_box(get(), &box, mask, Calls<F, F>::hit, &calls);
        calls.rethrow();
        check(static_cast<sap_result>(hits < 0 ? -hits : SAP_OK));
        return hits;
    }

    /* f(sap_id, T &, float t) for each box on the ray; it returns the new end of the ray, 1 to go on, 0 to stop. */
    template <class F> int ray_cast(const float (&origin)[3], const float (&way)[3], uint32_t mask, F f) {
        Calls<F, F> calls = {f, f, nullptr};
        const int hits = sap_ray_cast(get(), origin, way, mask, Calls<F, F>::ray_hit, &calls);
        calls.rethrow();
        check(static_cast<sap_result>(hits < 0 ? -hits : SAP_OK));
        return hits;
    }

    /* The first box on the ray, or 0; t is where, in 0..1. */
    sap_id ray_closest(const float (&origin)[3], const float (&way)[3], uint32_t mask, float *t = nullptr) {
        float at;
        const sap_id id = sap_ray_closest(get(), origin, way, mask, &at);
        return found(id, at, t);
    }

    /* The nearest box that is not farther than that, or 0. */
    sap_id nearest(const float (&point)[3], float max_distance, uint32_t mask, float *distance = nullptr) {
        float at;
        const sap_id id = sap_nearest(get(), point, max_distance, mask, &at);
        return found(id, at, distance);
    }

    /* Moves the box up to others and along them; stopped_by has one id for each axis. On how many axes it was stopped. */
    int slide(sap_aabb &box, const float (&way)[3], uint32_t mask, sap_id ignore, sap_id *stopped_by = nullptr) {
        const int stops = sap_slide(get(), &box, way, mask, ignore, stopped_by);
        check(static_cast<sap_result>(stops < 0 ? -stops : SAP_OK));
        return stops;
    }

    /* The same among boxes for which accept(sap_id, T &) returns true; it may call getters only. */
    template <class F>
    int slide_if(sap_aabb &box, const float (&way)[3], uint32_t mask, F accept, sap_id *stopped_by = nullptr) {
        Calls<F, F> calls = {accept, accept, nullptr};
        const int stops = sap_slide_if(get(), &box, way, mask, Calls<F, F>::hit, &calls, stopped_by);
        calls.rethrow();
        check(static_cast<sap_result>(stops < 0 ? -stops : SAP_OK));
        return stops;
    }

    std::vector<unsigned char> save() const {
        std::vector<unsigned char> bytes(sap_snapshot_size(get()));
        check(sap_save(get(), bytes.data(), bytes.size()));
        return bytes;
    }

    void restore(const std::vector<unsigned char> &bytes) {
        check(sap_restore(get(), bytes.data(), bytes.size()));
    }

    static void check(sap_result result) { /* throws unless it is SAP_OK */
        if (result == SAP_ERROR_MEMORY) throw std::bad_alloc();
        if (result != SAP_OK) throw std::runtime_error(sap_result_text(result));
    }

  private:
    struct Destroy {
        void operator()(sap_world *w) const {
            sap_destroy(w);
        }
    };

    static T *object0(const sap_pair &pair) {
        return static_cast<T *>(pair.object0);
    }

    static T *object1(const sap_pair &pair) {
        return static_cast<T *>(pair.object1);
    }

    template <class A, class B> struct Calls { /* after the first exception nothing more is called */
        A &a;
        B &b;
        std::exception_ptr error;

        template <class F> void guarded(F f) {
            if (error) return;
            try {
                f();
            } catch (...) {
                error = std::current_exception();
            }
        }

        void rethrow() const {
            if (error) std::rethrow_exception(error);
        }

        /* A begin that returns nothing, and one that returns the user_data. */
        void *begin(const sap_pair &pair, std::true_type) {
            a(*object0(pair), *object1(pair), pair);
            return nullptr;
        }

        void *begin(const sap_pair &pair, std::false_type) {
            return a(*object0(pair), *object1(pair), pair);
        }

        static void *create(const sap_pair *pair, void *user) {
            Calls *c = static_cast<Calls *>(user);
            void *data = nullptr;
            c->guarded([&] {
                data = c->begin(*pair, std::is_void<decltype(c->a(*object0(*pair), *object1(*pair), *pair))>());
            });
            return data;
        }

        static void del(const sap_pair *pair, void *user) {
            Calls *c = static_cast<Calls *>(user);
            c->guarded([&] { c->b(*object0(*pair), *object1(*pair), *pair); });
        }

        static int hit(sap_id id, void *object, void *user) {
            Calls *c = static_cast<Calls *>(user);
            bool go_on = false;
            c->guarded([&] { go_on = c->a(id, *static_cast<T *>(object)); });
            return go_on;
        }

        static float ray_hit(sap_id id, void *object, float t, void *user) {
            Calls *c = static_cast<Calls *>(user);
            float end = 0;
            c->guarded([&] { end = c->a(id, *static_cast<T *>(object), t); });
            return end;
        }
    };

    static sap_id found(sap_id id, float at, float *told) { /* -1 tells an error: NaN, or something infinite */
        if (at < 0) check(SAP_ERROR_ARGUMENT);
        if (told) *told = at;
        return id;
    }

    sap_id checked(sap_id id) const {
        if (!id) check(sap_last_error(get()));
        return id;
    }

    std::unique_ptr<sap_world, Destroy> world;
};

/* ---- to here --------------------------------------------------------------------------------------------------- */

#include <cstdio>
#include <string>
#include <utility>

int main() {
    std::vector<std::string> names = {"comet", "moon", "station"};
    std::vector<sap_aabb> boxes = {{{0, 0, 0}, {1, 1, 1}}, {{3, 0, 0}, {6, 3, 3}}, {{5, 1, 1}, {8, 2, 2}}};
    std::vector<sap_id> ids;
    World<std::string> world;
    for (size_t i = 0; i < names.size(); i++) ids.push_back(world.add(boxes[i], names[i]));

    int frame = 0;
    auto begin = [&](const std::string &a, const std::string &b, const sap_pair &) {
        std::printf("%d: %s meets %s\n", frame, a.c_str(), b.c_str());
        return reinterpret_cast<void *>(static_cast<intptr_t>(frame)); /* kept with the pair */
    };
    auto end = [&](const std::string &a, const std::string &b, const sap_pair &pair) {
        const int since = static_cast<int>(reinterpret_cast<intptr_t>(pair.user_data));
        std::printf("%d: %s leaves %s after %d frames\n", frame, a.c_str(), b.c_str(), frame - since);
    };
    const std::vector<unsigned char> start = world.save();
    for (; frame < 10; frame++) {
        world.update(begin, end);
        boxes[0].min[0] += 1;
        boxes[0].max[0] += 1;
        world.move_many(ids, boxes); /* those that stand still cost next to nothing */
    }

    world.restore(start); /* the world as it was before the first update; names are where they were */
    world.update([](std::string &, std::string &, const sap_pair &) {}, end);
    world.each_pair([](const std::string &a, const std::string &b, const sap_pair &) {
        std::printf("restored: %s and %s\n", a.c_str(), b.c_str());
    });
    const int seen = world.query_box({{0, 0, 0}, {4, 4, 4}}, ~0u, [](sap_id, const std::string &) { return true; });
    std::printf("in the corner: %d\n", seen);

    sap_aabb probe = {{0, 4, 0.5f}, {1, 5, 1.5f}};
    sap_id stopped_by[3];
    world.slide(probe, {0, -3, 0}, ~0u, 0, stopped_by); /* down, onto the comet */
    world.slide(probe, {9, 0, 0}, ~0u, 0, stopped_by);
    std::printf("a probe stops at the %s", world.object(stopped_by[0])->c_str());
    world.slide_if(
        probe, {9, 0, 0}, ~0u, [](sap_id, const std::string &name) { return name != "moon"; }, stopped_by);
    std::printf(", a ghost at the %s\n", world.object(stopped_by[0])->c_str());
    const float eye[3] = {0, 1.5f, 1.5f}, east[3] = {10, 0, 0};
    float t;
    const sap_id first = world.ray_closest(eye, east, ~0u, &t);
    const int pierced = world.ray_cast(eye, east, ~0u, [](sap_id, const std::string &, float) { return 1.f; });
    std::printf("a ray meets the %s at %.1f, and %d in all; ", world.object(first)->c_str(), t, pierced);
    std::printf("the %s is nearest to its end\n", world.object(world.nearest({10, 1.5f, 1.5f}, 9, ~0u))->c_str());

    World<std::string> other = std::move(world); /* the same world, with a new owner */
    other.move(ids[0], {{2, 1, 1}, {3, 2, 2}});
    other.update();
    int count;
    sap_created(other.get(), &count);
    other.check(sap_set_static(other.get(), ids[1], 1));
    std::printf("the comet is back: %d begins, beside a moon that stands\n", count);
    try {
        other.query_box({{0, 0, 0}, {9, 9, 9}}, ~0u, [](sap_id, std::string &) -> bool { throw 1; });
    } catch (int) {
        std::printf("a lambda may throw\n");
    }
    try {
        other.remove(99);
    } catch (const std::exception &) {
        std::printf("refused: 99 is no box\n");
    }
    return 0;
}
