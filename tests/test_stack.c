/* test_stack.c - how much stack a call takes: each call of sap.h runs on a thread of its own, whose stack was painted
   before, and what it has written over is what it took. With every method, and in a grid, in worlds of 1, 100 and 50,000
   boxes, on the calling thread: a thread of yours has a stack of yours.

   A wasm program has 64 KB of stack by default, callbacks included: half of that is the most that a call may take.
   Compiled with a sanitizer frames are larger, and nothing is tested.

   usage: test_stack [1]   1: prints what each call took */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 600 /* pthread_attr_setstack */
#endif

#include "ways.h"

#if !defined(__has_feature)
#define __has_feature(x) 0
#endif

#if defined(__wasi__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                              \
    __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer) ||          \
    __has_feature(undefined_behavior_sanitizer)

int main(void) {
    printf("test_stack: skipped, frames are larger in this build\n");
    CHECK(1);
    return test_summary();
}

#else
#include <pthread.h>

enum { STACK = 1 << 20, MOST = 32 * 1024, PAGE = 1 << 16, PAINT = 0xa5, MANY = 50000 };

/* ---- the world, and what the calls say ------------------------------------------------------- */

static sap_world *s;
static sap_config config;
static sap_grid grid;
static int n;
static float width; /* of the world */
static sap_id ids[MANY + 2];
static sap_aabb boxes[MANY + 2];
static sap_result result; /* of the last call, SAP_OK where it has none */
static long long answer;  /* so that no call is left out */
static void *bytes;
static size_t size;
static test_rng rng;

/* One box in ten is long, and one in a thousand without end. */
static void place_boxes(void) {
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            boxes[i].min[k] = test_uniform(&rng, 0, width);
            boxes[i].max[k] = boxes[i].min[k] + (i % 10 == 3 && k == i % 3 ? width / 8 : 1);
            if (i % 1000 == 7 && k == 1) boxes[i].max[k] = TEST_INFINITY;
        }
}

static void shift_boxes(float step, int every) {
    int i, k;
    for (i = 0; i < n; i += every)
        for (k = 0; k < 3; k++) {
            float by = test_uniform(&rng, -step, step);
            boxes[i].min[k] += by;
            boxes[i].max[k] += by;
        }
}

static int most_pairs(const sap_pair *pair, void *user) {
    (void)user;
    return (pair->id0 + pair->id1) % 16 != 0;
}

static void *begin(const sap_pair *pair, void *user) {
    (void)user;
    return pair->object0;
}

static void end(const sap_pair *pair, void *user) {
    (void)user;
    answer += pair->id0;
}

static int hit(sap_id id, void *object, void *user) {
    (void)object;
    (void)user;
    answer += id;
    return 1;
}

static float ray_hit(sap_id id, void *object, float t, void *user) {
    (void)hit(id, object, user);
    return t;
}

static int prune_hit(int i, int j, void *user) {
    (void)user;
    answer += i < j;
    return 1;
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define CALL(name, ...)                                                                                                \
    static void name(void) {                                                                                           \
        __VA_ARGS__;                                                                                                   \
    }
#define RESULT(name, ...) CALL(name, result = sap_##__VA_ARGS__)
#define ANSWER(name, ...) CALL(name, answer += (long long)(sap_##__VA_ARGS__))

static const float place[3] = {3, 2, 1}, along[3] = {20, 10, 30};
static const sap_aabb region = {{1, 1, 1}, {6, 6, 6}};
static float number;
static sap_id found[9];
static int count;

CALL(nothing, answer++)
CALL(do_create, s = sap_create(&config))
RESULT(do_set_grid, set_grid(s, &grid))
CALL(do_destroy, sap_destroy(s))
RESULT(do_reserve, reserve(s, n + 10, 3 * n))
RESULT(do_add_many, add_many(s, n, boxes, NULL, ids))
RESULT(do_add_static_many, add_static_many(s, n, boxes, NULL, ids))
CALL(do_add, ids[n] = sap_add(s, &region, NULL))
CALL(do_add_static, ids[n + 1] = sap_add_static(s, &region, NULL))
RESULT(do_move, move(s, ids[0], &boxes[0]))
RESULT(do_move_many, move_many(s, n, ids, boxes))
RESULT(do_remove, remove(s, ids[n]))
RESULT(do_remove_many, remove_many(s, (n + 2) / 3, ids))
RESULT(do_clear, clear(s))
RESULT(do_set_filter, set_filter(s, ids[0], 2, 3))
RESULT(do_set_filter_many, set_filter_many(s, n, ids, 1, 3))
RESULT(do_set_pair_filter, set_pair_filter(s, most_pairs, NULL))
RESULT(do_set_static, set_static(s, ids[0], 1))
RESULT(do_set_object, set_object(s, ids[0], &rng))
RESULT(do_refilter, refilter(s, ids[0]))
RESULT(do_shift_origin, shift_origin(s, place))
RESULT(do_last_error, last_error(s))
RESULT(do_update, update(s))
ANSWER(do_dump_pairs, dump_pairs(s, begin, end, NULL))
ANSWER(do_created, created(s, &count) != NULL)
ANSWER(do_deleted, deleted(s, &count) != NULL)
ANSWER(do_pairs, pairs(s, &count) != NULL)
ANSWER(do_find_pair, find_pair(s, ids[0], ids[n]) != NULL)
ANSWER(do_set_pair_data, set_pair_data(s, ids[0], ids[n], NULL))
ANSWER(do_set_pair_data_at, set_pair_data_at(s, 0, NULL))
ANSWER(do_pairs_of, pairs_of(s, ids[0], &ids[n + 1], 1))
ANSWER(do_count, count(s))
ANSWER(do_is_valid, is_valid(s, ids[0]))
RESULT(do_get_box, get_box(s, ids[0], &boxes[n]))
ANSWER(do_get_object, get_object(s, ids[0]) != NULL)
RESULT(do_get_filter, get_filter(s, ids[0], NULL, NULL))
ANSWER(do_is_static, is_static(s, ids[0]))
ANSWER(do_next, next(s, 0))
RESULT(do_prepare_queries, prepare_queries(s))
ANSWER(do_query_box, query_box(s, &region, ~0u, hit, NULL))
ANSWER(do_query_point, query_point(s, place, ~0u, hit, NULL))
ANSWER(do_query_sphere, query_sphere(s, place, 9, ~0u, hit, NULL))
ANSWER(do_ray_cast, ray_cast(s, place, along, ~0u, ray_hit, NULL))
ANSWER(do_box_cast, box_cast(s, &region, along, ~0u, ray_hit, NULL))
ANSWER(do_ray_closest, ray_closest(s, place, along, ~0u, &number))
ANSWER(do_nearest, nearest(s, place, 99, ~0u, &number))
ANSWER(do_nearest_to, nearest_to(s, ids[0], 99, ~0u, &number))
ANSWER(do_query_nearest, query_nearest(s, place, 99, ~0u, ray_hit, NULL))
ANSWER(do_query_box_ids, query_box_ids(s, &region, ~0u, found, 9))
ANSWER(do_query_sphere_ids, query_sphere_ids(s, place, 9, ~0u, found, 9))
ANSWER(do_nearest_ids, nearest_ids(s, place, 99, ~0u, found, NULL, 9))
ANSWER(do_box_closest, box_closest(s, &region, along, ~0u, 0, &number, NULL))
ANSWER(do_snapshot_size, snapshot_size(s))
RESULT(do_save, save(s, bytes, size))
RESULT(do_restore, restore(s, bytes, size))
ANSWER(do_validate, validate(s) != NULL)
CALL(do_get_stats, sap_stats stats; sap_get_stats(s, &stats); answer += stats.boxes)
ANSWER(do_result_text, result_text(SAP_ERROR_BOX)[0])
CALL(do_hit_normal, float normal[3]; answer += sap_hit_normal(&region, along, &boxes[0], normal))
CALL(do_from_doubles, static const double edge[3] = {.1, .2, .3}; boxes[n] = sap_aabb_from_doubles(edge, edge))
ANSWER(do_box_prune, box_prune(boxes, n, 0, prune_hit, NULL))
ANSWER(do_bipartite, box_prune_bipartite(boxes, n / 2, boxes + n / 2, n - n / 2, 0, prune_hit, NULL))

/* ---- one call on a painted stack ------------------------------------------------------------- */

typedef void call(void);

static unsigned char *stack;
static unsigned char *volatile top; /* where the call begins */
static call *volatile called;
static int prints, most; /* what the greediest call took */
static const char *greediest;

static void *run(void *unused) {
    unsigned char here;
    top = &here;
    called();
    return unused;
}

static int taken_by(call *c) {
    pthread_attr_t attributes;
    pthread_t thread;
    int i = 0;
    memset(stack, PAINT, STACK);
    called = c;
    if (pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, stack, STACK) ||
        pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, NULL))
        exit(2);
    pthread_attr_destroy(&attributes);
    while (i < STACK && stack[i] == PAINT) i++;
    return (int)(top - (stack + i));
}

static void measure_call(call *c, const char *name, const char *with) {
    static const char *const methods[] = {"auto", "sort", "prune", "query", "a grid"};
    const char *method = methods[grid.hashed ? 4 : config.method];
    int taken;
    result = SAP_OK;
    taken = taken_by(c);
    CHECK_EQUAL(result, SAP_OK);
    CHECK_MESSAGE(taken <= MOST, "%s (%s), %d boxes, %s: %d bytes of stack", name, with, n, method, taken);
    if (prints) printf("%6d  %-18s %-28s %6d boxes, %s\n", taken, name, with, n, method);
    if (taken <= most) return;
    most = taken;
    greediest = name;
}

#define MEASURE(name, with) measure_call(do_##name, #name, with)

/* Updates after moves, large and small, of all and of a few. */
static void measure_moves(void) {
    shift_boxes(0.01f, 1);
    MEASURE(move_many, "by a little");
    MEASURE(update, "all by a little");
    shift_boxes(0.01f, 1);
    MEASURE(move_many, "again");
    MEASURE(dump_pairs, "all by a little again");
    shift_boxes(3, 100);
    MEASURE(move_many, "one of 100");
    MEASURE(update, "one of 100");
    if (config.method != SAP_METHOD_SORT || n < MANY) { /* there, shifts without end */
        place_boxes();
        MEASURE(move_many, "anywhere");
        MEASURE(dump_pairs, "anywhere");
    }
    MEASURE(move, "one");
    MEASURE(update, "one");
    MEASURE(update, "nothing");
}

static void measure_looks(void) {
    MEASURE(last_error, "");
    MEASURE(created, "");
    MEASURE(deleted, "");
    MEASURE(pairs, "");
    MEASURE(find_pair, "");
    MEASURE(set_pair_data, "");
    MEASURE(set_pair_data_at, "");
    MEASURE(pairs_of, "");
    MEASURE(count, "");
    MEASURE(is_valid, "");
    MEASURE(get_box, "");
    MEASURE(get_object, "");
    MEASURE(get_filter, "");
    MEASURE(is_static, "");
    MEASURE(next, "");
    MEASURE(get_stats, "");
    MEASURE(validate, "");
    MEASURE(result_text, "");
    MEASURE(hit_normal, "");
    MEASURE(from_doubles, "");
}

static void measure_queries(const char *when) {
    MEASURE(query_box, when);
    MEASURE(move, "one");
    MEASURE(prepare_queries, when);
    MEASURE(query_point, when);
    MEASURE(query_sphere, when);
    MEASURE(ray_cast, when);
    MEASURE(box_cast, when);
    MEASURE(ray_closest, when);
    MEASURE(nearest, when);
    MEASURE(nearest_to, when);
    MEASURE(query_nearest, when);
    MEASURE(query_box_ids, when);
    MEASURE(query_sphere_ids, when);
    MEASURE(nearest_ids, when);
    MEASURE(box_closest, when);
}

static void measure_changes(void) {
    MEASURE(set_filter, "");
    MEASURE(set_filter_many, "");
    MEASURE(set_static, "");
    MEASURE(set_object, "");
    MEASURE(refilter, "");
    MEASURE(update, "filters changed");
    MEASURE(set_pair_filter, "");
    MEASURE(update, "another filter");
    MEASURE(shift_origin, "");
    MEASURE(update, "another origin");
    MEASURE(remove, "");
    MEASURE(remove_many, "a third");
    MEASURE(update, "a third removed");
}

static void measure_snapshots(void) {
    MEASURE(snapshot_size, "");
    size = sap_snapshot_size(s);
    bytes = malloc(size);
    if (!bytes) exit(2);
    MEASURE(save, "");
    MEASURE(restore, "");
    MEASURE(update, "nothing, restored");
    free(bytes);
}

static void measure_world(int method, int boxes_of_it) {
    memset(&config, 0, sizeof config);
    grid = grid_of(method == METHODS ? HASHED : CHOSEN, 10, 7);
    config.method = grid.hashed ? SAP_METHOD_SORT : method;
    grid.entries = 0;
    n = boxes_of_it;
    rng.state = 20261123;
    width = n == MANY ? 90.0f : 8.0f;
    place_boxes();
    measure_call(nothing, "nothing", "");
    MEASURE(create, "");
    if (!CHECK(s != NULL)) exit(1);
    if (grid.hashed) MEASURE(set_grid, "");
    MEASURE(add_many, "");
    MEASURE(add, "");
    MEASURE(add_static, "");
    CHECK(ids[n] && ids[n + 1]);
    MEASURE(update, "all new");
    measure_looks();
    measure_queries("a new tree");
    measure_moves();
    measure_queries("");
    MEASURE(reserve, "");
    measure_moves();
    measure_snapshots();
    measure_changes();
    MEASURE(clear, "");
    MEASURE(update, "cleared");
    MEASURE(add_static_many, "");
    MEASURE(update, "all static");
    MEASURE(destroy, "");
    MEASURE(box_prune, "");
    MEASURE(bipartite, "");
}

int main(int argc, char **argv) {
    static const int sizes[] = {1, 100, MANY};
    int method, k, print = test_argument(argc, argv, 1, 0);
    unsigned char *room = (unsigned char *)malloc(STACK + PAGE);
    if (!room) exit(2);
    stack = room + (PAGE - (uintptr_t)room % PAGE);
    measure_world(SAP_METHOD_AUTO, 100); /* a linker that binds functions when they are first called does so here */
    if (test_failed) test_failed = most = 0;
    prints = print;
    for (method = SAP_METHOD_AUTO; method <= METHODS; method++) /* the last one is SORT in a grid */
        for (k = 0; k < 3; k++) measure_world(method, sizes[k]);
    CHECK(most > 64); /* else nothing was measured */
    if (prints) printf("at most %d bytes: %s\n", most, greediest);
    free(room);
    return test_summary();
}
#endif
