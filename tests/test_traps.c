/* test_traps.c - no call raises the floating-point exceptions invalid, divide by zero or overflow, nor leaves their flags:
   programs that trap them go on. Worlds of all sizes, methods, kernels, axes and units of length, with infinite boxes.

   Arguments: rounds. */

#if defined(__GLIBC__) || defined(__linux__)
#define _GNU_SOURCE /* feenableexcept */
#endif
#include <fenv.h>
#include <signal.h>

#include "ways.h"

/* -ffast-math lets a compiler raise what it likes: there the calls are made, and nothing is looked at. */
#ifdef __FAST_MATH__
#define ERRORS 0
#else
#define ERRORS (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)
#endif

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__i386__))
#define HAS_TRAPS
#include <unistd.h>
#endif

enum { MOST_BOXES = 1000 };

static const char *where = "";

#ifdef HAS_TRAPS
static void trapped(int signal_number) {
    (void)signal_number;
    if (write(1, "trapped: ", 9) < 0 || write(1, where, strlen(where)) < 0 ||
        write(1, "\n0 passed, 1 failed\n", 20) < 0)
        _exit(2);
    _exit(1);
}
#endif

/* Traps are set during calls alone: a compiler may make the test itself raise some. */
static void begin_traps(const char *call) {
    where = call;
    feclearexcept(FE_ALL_EXCEPT);
#ifdef HAS_TRAPS
    (void)feenableexcept(ERRORS);
#endif
}

static void end_traps(void) {
    const int flags = fetestexcept(ERRORS);
#ifdef HAS_TRAPS
    (void)fedisableexcept(ERRORS);
#endif
    CHECK_MESSAGE(!flags, "%s leaves the flags %x", where, (unsigned)flags);
}

#define TRAP(call) (begin_traps(#call), (void)(call), end_traps())

/* ---- what is put in ------------------------------------------------------------------------------ */

typedef struct scene {
    test_rng dice;
    float unit[3];
    int infinite; /* percent of the boxes that are infinite on some side */
} scene;

static const float units[] = {1e-44f, 1e-37f, 1e-30f, 1e-17f, 1, 1000, 1e17f, 1e19f, 1e30f, 1e37f, 3.4028235e38f};
enum { UNITS = sizeof units / sizeof units[0] };

/* -1 to 1 */
static float test_ratio(test_rng *dice) {
    return (float)(test_below(dice, 2000001) - 1000000) * 1e-6f;
}

static float coordinate(scene *s, int k) {
    static const float odd[] = {0, 1e-45f, -1e-45f, 3.4028235e38f, -3.4028235e38f, 1, -1e-38f};
    if (test_chance(&s->dice, 2)) return odd[test_below(&s->dice, 7)];
    return s->unit[k] * test_ratio(&s->dice);
}

static float length(scene *s, int k) {
    const float small = test_chance(&s->dice, 50) ? 0.03f : test_chance(&s->dice, 50) ? 1e-9f : 0;
    return test_chance(&s->dice, 20) ? coordinate(s, k) : s->unit[k] * test_ratio(&s->dice) * small;
}

static void vector(scene *s, float v[3]) {
    for (int k = 0; k < 3; k++) v[k] = coordinate(s, k);
}

static sap_aabb finite_box(scene *s) {
    sap_aabb box;
    for (int k = 0; k < 3; k++) {
        const double at = (double)coordinate(s, k), end = at + (double)length(s, k);
        const float other = end > 3.4028234e38 ? 3.4028235e38f : end < -3.4028234e38 ? -3.4028235e38f : (float)end;
        box.min[k] = (float)at < other ? (float)at : other;
        box.max[k] = (float)at < other ? other : (float)at;
    }
    return box;
}

static sap_aabb any_box(scene *s) {
    sap_aabb box = finite_box(s);
    const int all = test_chance(&s->dice, 10);
    if (!test_chance(&s->dice, s->infinite)) return box;
    for (int k = 0; k < 3; k++) {
        const int sides = all ? 3 : test_below(&s->dice, 6);
        if (sides & 1 && sides < 4) box.min[k] = -TEST_INFINITY;
        if (sides & 2 && sides < 4) box.max[k] = TEST_INFINITY;
        if (sides == 5 && test_chance(&s->dice, 10))
            box.min[k] = box.max[k] = (test_chance(&s->dice, 50) ? TEST_INFINITY : -TEST_INFINITY);
    }
    return box;
}

/* ---- what is called ------------------------------------------------------------------------------ */

static int next_hit(sap_id id, void *object, void *user) {
    (void)id, (void)object, (void)user;
    return 1;
}

static float same_end(sap_id id, void *object, float t, void *user) {
    (void)id, (void)object, (void)t;
    return *(const float *)user;
}

static float this_end(sap_id id, void *object, float t, void *user) {
    (void)id, (void)object, (void)user;
    return t;
}

static void look(sap_world *s, scene *c, sap_id some) {
    float from[3], by[3], t, normal[3], distances[20], far = TEST_INFINITY, limit;
    sap_aabb box = finite_box(c), other = any_box(c);
    sap_id ids[20];
    vector(c, from);
    vector(c, by);
    for (int k = 0; k < 3; k++)
        if (test_chance(&c->dice, 25)) by[k] = test_chance(&c->dice, 50) ? 0 : by[k] * 1e-12f;
    limit = test_chance(&c->dice, 50) ? far : coordinate(c, 0);
    limit = limit < 0 ? -limit : limit;
    TRAP(sap_query_box(s, &other, ~0u, next_hit, NULL));
    TRAP(sap_query_box_ids(s, &other, ~0u, ids, 20));
    TRAP(sap_query_point(s, from, ~0u, next_hit, NULL));
    TRAP(sap_query_sphere(s, from, limit, ~0u, next_hit, NULL));
    TRAP(sap_query_sphere_ids(s, from, limit, ~0u, ids, 20));
    TRAP(sap_ray_cast(s, from, by, ~0u, same_end, &far));
    TRAP(sap_ray_cast(s, from, by, ~0u, this_end, NULL));
    TRAP(sap_ray_closest(s, from, by, ~0u, &t));
    TRAP(sap_box_cast(s, &box, by, ~0u, same_end, &far));
    TRAP(sap_box_closest(s, &box, by, ~0u, 0, &t, normal));
    TRAP(sap_hit_normal(&box, by, &other, normal));
    TRAP(sap_nearest(s, from, limit, ~0u, &t));
    TRAP(sap_nearest_to(s, some, limit, ~0u, &t));
    TRAP(sap_nearest_ids(s, from, limit, ~0u, ids, distances, 20));
    TRAP(sap_query_nearest(s, from, limit, ~0u, same_end, &far));
    TRAP(sap_query_nearest(s, from, limit, ~0u, this_end, NULL));
}

static scene make_scene(int seed) {
    scene c;
    c.dice.state = (uint64_t)seed;
    const float unit = units[test_below(&c.dice, UNITS)];
    const int mixed = test_chance(&c.dice, 20), flat = test_below(&c.dice, 12);
    for (int k = 0; k < 3; k++) c.unit[k] = k == flat ? 0 : mixed ? units[test_below(&c.dice, UNITS)] : unit;
    c.infinite = test_chance(&c.dice, 50) ? 0 : test_chance(&c.dice, 50) ? 3 : 60;
    return c;
}

static void lead_world(const way *w, int seed, int n) {
    static sap_aabb boxes[MOST_BOXES];
    static sap_id ids[MOST_BOXES];
    scene c = make_scene(seed);
    sap_config config;
    memset(&config, 0, sizeof config);
    config.axes = seed % 3 ? 0 : 1 + test_below(&c.dice, 7);
    sap_world *s = open_way(&config, w);
    if (!s) return;
    for (int i = 0; i < n; i++) boxes[i] = any_box(&c);
    TRAP(sap_add_many(s, n / 2, boxes, NULL, ids));
    TRAP(sap_add_static_many(s, n - n / 2, boxes + n / 2, NULL, ids + n / 2));
    look(s, &c, ids[0]);
    for (int step = 0; step < 6; step++) {
        const int moved = step % 2 ? n : 1 + n / 20;
        vary_way(s, w, &c.dice);
        for (int i = 0; i < moved; i++) {
            const int at = test_below(&c.dice, n);
            if (test_chance(&c.dice, 10)) {
                TRAP(sap_remove(s, ids[at]));
                TRAP(ids[at] = sap_add(s, &boxes[at], NULL));
            }
            boxes[at] = any_box(&c);
            TRAP(sap_move(s, ids[at], &boxes[at]));
        }
        TRAP(sap_update(s));
        look(s, &c, ids[test_below(&c.dice, n)]);
        if (step == 3) {
            float offset[3];
            vector(&c, offset);
            TRAP(sap_shift_origin(s, offset));
        }
    }
    TRAP(sap_box_prune(boxes, n, config.axes, NULL, NULL));
    TRAP(sap_box_prune_bipartite(boxes, n / 3, boxes + n / 3, n - n / 3, config.axes, NULL, NULL));
    TRAP(sap_clear(s));
    TRAP(sap_update(s));
    look(s, &c, ids[0]);
    sap_destroy(s);
}

/* Few of many boxes jump in each update, and then few are removed: subtrees are repacked, ordered, and some are empty. */
static void lead_subtrees(void) {
    enum { MANY = 6000, FEW = 60 };
    static sap_aabb boxes[MANY];
    static sap_id ids[MANY];
    sap_config config = {0};
    config.method = SAP_METHOD_QUERY;
    sap_world *s = sap_create(&config);
    test_rng dice = {5};
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < 3; k++) boxes[i].min[k] = test_uniform(&dice, 0, 30), boxes[i].max[k] = boxes[i].min[k] + 1;
    TRAP(sap_add_many(s, MANY, boxes, NULL, ids));
    TRAP(sap_update(s));
    for (int n = MANY, u = 0; n > MANY / 3; u++) {
        for (int i = 0; i < FEW; i++) {
            const int at = test_below(&dice, n);
            for (int k = 0; k < 3; k++)
                boxes[at].min[k] = test_uniform(&dice, 0, 30), boxes[at].max[k] = boxes[at].min[k] + 1;
            if (u % 3 == 0) { /* those of one end go first */
                n--;
                TRAP(sap_remove(s, ids[n]));
            } else
                TRAP(sap_move(s, ids[at], &boxes[at]));
        }
        TRAP(sap_update(s));
    }
    sap_destroy(s);
}

/* Boxes across the whole world on some axes, and flat on the others: tiles are then longer than the world. */
static void lead_across(int seed, int n, float unit) {
    static sap_aabb boxes[MOST_BOXES];
    static sap_id ids[MOST_BOXES];
    scene c = make_scene(seed);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            const int is_across = seed >> k & 1 && i > 1;
            const float at = i > 1 ? 0.99f * unit * test_ratio(&c.dice) : i ? 0.99f * unit : -0.99f * unit;
            boxes[i].min[k] = is_across ? -0.95f * unit : at;
            boxes[i].max[k] = is_across ? 0.95f * unit : at;
        }
    sap_world *s = sap_create(NULL);
    if (!s) return;
    TRAP(sap_add_many(s, n, boxes, NULL, ids));
    TRAP(sap_update(s));
    TRAP(sap_box_prune(boxes, n, 7, NULL, NULL));
    TRAP(sap_query_box(s, &boxes[0], ~0u, NULL, NULL));
    sap_destroy(s);
}

static void lead_grid(int seed, int n) {
    static sap_aabb boxes[MOST_BOXES];
    static sap_id ids[MOST_BOXES];
    scene c = make_scene(seed);
    sap_config config;
    sap_grid g = grid_of(CHOSEN, 0, 0);
    memset(&config, 0, sizeof config);
    config.axes = seed % 3 ? 0 : 1 + test_below(&c.dice, 7);
    config.method = SAP_METHOD_SORT;
    for (int k = 0; k < 3 && seed % 3 == 1; k++) g.hashed = 1, g.cell_size[k] = c.unit[k] * 0.1f;
    for (int k = 0; k < 3 && seed % 3 == 2; k++) {
        g.bounds.min[k] = -c.unit[k];
        g.bounds.max[k] = c.unit[k];
        g.cells[k] = c.unit[k] > 0 ? 1 + test_below(&c.dice, 8) : 0;
    }
    for (int i = 0; i < n; i++) boxes[i] = any_box(&c);
    sap_world *m = sap_create(&config);
    if (!m) return;
    TRAP(sap_set_grid(m, &g));
    TRAP(sap_add_many(m, n, boxes, NULL, ids));
    TRAP(sap_update(m));
    for (int step = 0; step < 4; step++) {
        const int moved = step % 2 ? n : 1 + n / 20;
        for (int i = 0; i < moved; i++) {
            boxes[i] = any_box(&c);
            TRAP(sap_move(m, ids[i], &boxes[i]));
        }
        TRAP(sap_update(m));
    }
    TRAP(sap_nearest_to(m, ids[0], TEST_INFINITY, ~0u, NULL));
    sap_destroy(m);
}

static void test_doubles(void) {
    static const double far[3] = {1e300, -1e300, 3.5e38}, small[3] = {-1e300, -1.7e308, 1e-320};
    TRAP(sap_aabb_from_doubles(small, far));
    TRAP(sap_aabb_from_doubles(far, small));
}

int main(int argc, char **argv) {
    static const int sizes[] = {2, 3, 16, 17, 40, 100, 300, MOST_BOXES};
    const int rounds = test_argument(argc, argv, 1, 8);
#ifdef HAS_TRAPS
    (void)signal(SIGFPE, trapped);
#endif
    test_doubles();
    lead_subtrees();
    for (int seed = 0; seed < 8 * rounds; seed++)
        for (int i = 33; i < 100; i += 22)
            for (int u = 0; u < UNITS; u++) lead_across(seed, i, units[u]);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 8; i++) {
            for (int w = 0; w < WAYS; w++) lead_world(&ways[w], 8 * round + i, sizes[i]);
            lead_grid(8 * round + i, sizes[i]);
        }
    return test_summary();
}
