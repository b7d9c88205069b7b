/* test_doc.c - what the doc blocks of sap.h and sap_multi.h promise, sentence by sentence.

   Each test has a sentence as the comment above it, in the order of the doc blocks; every_sentence_has_its_test reads
   the headers and this file and compares the two. In parentheses: where the sentence is tested thoroughly. */

#include <limits.h>
#include <pthread.h>
#include <time.h>

#include "alloc.h"

/* ---- an allocator for several threads, that knows of jobs ----------------------------------------------------- */

enum { LARGEST_BLOCK = 1 << 28 }; /* what is larger is refused: no test needs it */

static pthread_mutex_t alloc_lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs_running, calls_from_jobs;

static void *doc_realloc(void *p, size_t size) {
    void *answer = NULL;
    pthread_mutex_lock(&alloc_lock);
    calls_from_jobs += jobs_running;
    if (size <= LARGEST_BLOCK) answer = test_realloc(p, size);
    pthread_mutex_unlock(&alloc_lock);
    return answer;
}

static void doc_free(void *p) {
    pthread_mutex_lock(&alloc_lock);
    calls_from_jobs += jobs_running;
    test_free(p);
    pthread_mutex_unlock(&alloc_lock);
}

static int assertions;

#define SAP_REALLOC(p, size) doc_realloc(p, size)
#define SAP_FREE(p) doc_free(p)
#define SAP_ASSERT(condition) ((condition) ? (void)0 : (void)assertions++)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"

#include "scenes.h"
#include "ways.h"

/* ---- boxes and worlds ------------------------------------------------------------------------------------------ */

static sap_aabb box_at(float x, float y, float z, float size) {
    sap_aabb box;
    box.min[0] = x;
    box.min[1] = y;
    box.min[2] = z;
    box.max[0] = x + size;
    box.max[1] = y + size;
    box.max[2] = z + size;
    return box;
}

static sap_aabb on_x(float x) {
    return box_at(x, 0, 0, 1);
}

/* Whole numbers, one after the other, so that every compiler makes the same boxes. */
static sap_aabb lattice_box(test_rng *rng) {
    sap_aabb box;
    int axis;
    for (axis = 0; axis < 3; axis++) {
        box.min[axis] = (float)test_below(rng, 7);
        box.max[axis] = box.min[axis] + (float)test_below(rng, 3);
    }
    return box;
}

static sap_world *open_world(const sap_config *config) {
    sap_world *s = sap_create(config);
    if (!s) exit(2);
    return s;
}

static sap_id add(sap_world *s, sap_aabb box) {
    return sap_add(s, &box, NULL);
}

static sap_result move(sap_world *s, sap_id id, sap_aabb box) {
    return sap_move(s, id, &box);
}

static int count_of(const sap_pair *(*array)(const sap_world *, int *), const sap_world *s) {
    int count = -1;
    (void)array(s, &count);
    return count;
}

/* Numbers are hashed by arithmetic: their bytes lie in another order on other machines. */
static uint64_t mix(uint64_t hash, uint64_t number) {
    return (hash ^ number) * 0x100000001b3u;
}

/* Everything that calls can change, as one number: a snapshot and the events. */
static uint64_t state_of(const sap_world *s) {
    size_t size = sap_snapshot_size(s);
    void *bytes = malloc(size);
    uint64_t hash = 14695981039346656037u;
    const sap_pair *pairs;
    int count, i, deleted;
    if (!bytes || sap_save(s, bytes, size) != SAP_OK) exit(2); /* and no CHECK: threads call this */
    hash = test_hash(hash, bytes, size);
    free(bytes);
    for (deleted = 0; deleted < 2; deleted++) {
        pairs = deleted ? sap_deleted(s, &count) : sap_created(s, &count);
        for (i = 0; i < count; i++) hash = mix(mix(hash, pairs[i].id0), pairs[i].id1);
    }
    return hash;
}

static uint64_t state_of_multi(const sap_multi *m) {
    return state_of(m->whole);
}

enum { LIFE_BOXES = 50, LIFE_FRAMES = 20 };

/* Some of everything that changes a world: one number for all that was seen on the way. */
static uint64_t live(sap_world *s, uint64_t seed, const way *w) {
    test_rng rng, dice = {7};
    sap_id ids[2 * LIFE_BOXES];
    uint64_t hash = 1;
    int n = 0, frame, i, count;
    rng.state = seed;
    for (frame = 0; frame < LIFE_FRAMES; frame++) {
        const sap_pair *pairs;
        while (n < LIFE_BOXES) {
            sap_aabb box = lattice_box(&rng);
            ids[n] = test_chance(&rng, 20) ? sap_add_static(s, &box, NULL) : sap_add(s, &box, NULL);
            hash = mix(hash, ids[n++]);
        }
        for (i = 0; i < n; i++)
            if (test_chance(&rng, frame % 3 ? 80 : 10)) (void)move(s, ids[i], lattice_box(&rng));
        (void)sap_set_filter(s, ids[0], 1, (uint32_t)test_below(&rng, 2));
        for (i = 0; i < 5; i++) (void)sap_remove(s, ids[--n]);
        if (w) vary_way(s, w, &dice);
        hash = mix(hash, (uint64_t)sap_update(s));
        pairs = sap_pairs(s, &count);
        for (i = 0; i < count; i++) hash = mix(mix(hash, pairs[i].id0), pairs[i].id1);
        hash = mix(hash, state_of(s));
    }
    return hash;
}

static int count_hit(sap_id id, void *object, void *user) {
    (void)object;
    *(uint64_t *)user += mix(1, id); /* a sum: the order of visits does not matter */
    return 1;
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

enum { THREADS = 4 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* open when all threads are there */

/* Runs work(arguments[i]) on a thread each and waits for all. */
static void run_threads(void *(*work)(void *), char *arguments, size_t size) {
    pthread_t threads[THREADS];
    int i;
    (void)pthread_mutex_lock(&gate);
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, arguments + (size_t)i * size) != 0) exit(2);
    (void)pthread_mutex_unlock(&gate);
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

/* ================================================================================================================ */
/* sap.h: does not                                                                                                  */
/* ================================================================================================================ */

/* It does not collide shapes. */
static void does_not_collide_shapes(void) {
    sap_world *s = open_world(NULL);
    float corner[3] = {0.9f, 0.9f, 0.9f};
    uint64_t hits = 0;
    (void)add(s, box_at(0, 0, 0, 1)); /* of the ball around 0.5, which does not reach the corner */
    CHECK_EQUAL(sap_query_point(s, corner, ~0u, count_hit, &hits), 1);
    sap_destroy(s);
}

/* A pair says that two boxes overlap; what is in them is yours to test. */
static void does_not_test_what_is_in_boxes(void) {
    sap_world *s = open_world(NULL);
    int object0 = 0, object1 = 0;
    sap_aabb ball0 = box_at(0, 0, 0, 2), ball1 = box_at(1.9f, 1.9f, 1.9f, 2); /* balls of radius 1, 3.3 apart */
    sap_id id0 = sap_add(s, &ball0, &object0), id1 = sap_add(s, &ball1, &object1);
    const sap_pair *pair;
    CHECK_EQUAL(sap_update(s), SAP_OK);
    pair = sap_find_pair(s, id0, id1);
    if (CHECK(pair != NULL)) CHECK(pair->object0 == &object0 && pair->object1 == &object1);
    sap_destroy(s);
}

/* It does not fatten boxes. */
static void does_not_fatten_boxes(void) {
    sap_world *s = open_world(NULL);
    sap_aabb a = on_x(0), b = on_x(1), seen;
    b.min[0] = test_float(test_bits(1) + 1); /* the next float after 1 */
    (void)add(s, a);
    (void)add(s, b);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 0);
    CHECK_EQUAL(sap_get_box(s, 2, &seen), SAP_OK);
    CHECK(memcmp(&seen, &b, sizeof b) == 0);
    sap_destroy(s);
}

/* Add a margin to what you hand in, if you want pairs early. */
static void does_not_add_a_margin(void) {
    sap_world *s = open_world(NULL);
    sap_aabb wide = on_x(1.25f);
    sap_id id;
    (void)add(s, on_x(0));
    id = add(s, wide);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 0);
    wide.min[0] -= 0.25f;
    CHECK_EQUAL(move(s, id, wide), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 1);
    sap_destroy(s);
}

/* It does not sweep a fast box along its way. */
static void does_not_sweep(void) {
    sap_world *s = open_world(NULL);
    sap_id bullet = add(s, on_x(0));
    (void)add(s, on_x(5));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(move(s, bullet, on_x(10)), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_created, s), 0);
    sap_destroy(s);
}

/* Hand in the box that covers the way, if it may tunnel. */
static void does_not_tunnel_with_the_box_of_the_way(void) {
    sap_world *s = open_world(NULL);
    sap_id bullet = add(s, on_x(0));
    sap_aabb whole_way = on_x(0);
    whole_way.max[0] = 11;
    (void)add(s, on_x(5));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(move(s, bullet, whole_way), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_created, s), 1);
    sap_destroy(s);
}

/* Another thread moves a box while this one is inside a callback. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t end;
    sap_world *world;
    int is_done;
} mover = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

static void *move_box_1(void *box) {
    sap_result r = sap_move(mover.world, 1, (const sap_aabb *)box);
    pthread_mutex_lock(&mover.lock);
    mover.is_done = r == SAP_OK;
    pthread_cond_signal(&mover.end);
    pthread_mutex_unlock(&mover.lock);
    return NULL;
}

static void move_in_another_thread(sap_aabb box) {
    pthread_t thread;
    struct timespec until;
    int is_late = 0;
    until.tv_sec = time(NULL) + 20;
    until.tv_nsec = 0;
    mover.is_done = 0;
    if (pthread_create(&thread, NULL, move_box_1, &box) != 0) exit(2);
    pthread_mutex_lock(&mover.lock);
    while (!mover.is_done && !is_late) is_late = pthread_cond_timedwait(&mover.end, &mover.lock, &until) != 0;
    pthread_mutex_unlock(&mover.lock);
    if (!CHECK_MESSAGE(!is_late, "sap_move waits for another thread")) exit(test_summary());
    pthread_join(thread, NULL);
}

static int move_from_a_query(sap_id id, void *object, void *user) {
    (void)id;
    (void)object;
    (void)user;
    move_in_another_thread(on_x(7));
    return 0;
}

static void *move_from_an_update(const sap_pair *pair, void *user) {
    (void)pair;
    (void)user;
    move_in_another_thread(on_x(8));
    return NULL;
}

/* It does not lock. See threads. */
static void does_not_lock(void) {
    sap_world *s = open_world(NULL);
    sap_aabb box = on_x(0), seen;
    mover.world = s;
    (void)add(s, box);
    (void)add(s, box);
    CHECK_EQUAL(sap_query_box(s, &box, ~0u, move_from_a_query, NULL), 1);
    CHECK_EQUAL(sap_get_box(s, 1, &seen), SAP_OK);
    CHECK(test_key(seen.min[0]) == test_key(7));
    CHECK_EQUAL(move(s, 1, box), SAP_OK);
    CHECK_EQUAL(sap_dump_pairs(s, move_from_an_update, NULL, NULL), 1);
    CHECK_EQUAL(sap_get_box(s, 1, &seen), SAP_OK);
    CHECK(test_key(seen.min[0]) == test_key(8));
    sap_destroy(s);
}

/* ================================================================================================================ */
/* sap.h: how a frame goes                                                                                          */
/* ================================================================================================================ */

static int filter_answer;
static int answer_filter(const sap_pair *pair, void *user) {
    (void)pair;
    (void)user;
    return filter_answer;
}

/* sap_add, sap_move, sap_remove, sap_set_filter, sap_refilter and sap_shift_origin record; sap_update settles all of
   it in one batch and reports the net change: added and removed, or moved away and back, is nothing.
   (Thorough: test_model.c; test_contract.c, record_then_settle and only_the_net_change.) */
static void a_frame_records_then_settles(void) {
    const float offset[3] = {100, 0, 0};
    sap_config config;
    sap_world *s;
    sap_id a, b, c, d, e;
    memset(&config, 0, sizeof config);
    config.filter = answer_filter;
    s = open_world(&config);
    filter_answer = 1;
    a = add(s, on_x(0));
    b = add(s, on_x(0.5f));
    c = add(s, on_x(10));
    d = add(s, on_x(10.5f));
    e = add(s, on_x(20));
    CHECK_EQUAL(count_of(sap_pairs, s), 0); /* recorded */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_created, s), 2);

    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    CHECK_EQUAL(move(s, e, on_x(0.5f - 100)), SAP_OK);   /* meets a and b */
    CHECK_EQUAL(sap_remove(s, b), SAP_OK);               /* which is gone: a and b part */
    CHECK_EQUAL(sap_set_filter(s, d, 1, 0), SAP_OK);     /* c and d part */
    CHECK_EQUAL(move(s, c, on_x(50)), SAP_OK);           /* away, */
    CHECK_EQUAL(move(s, c, on_x(10 - 100)), SAP_OK);     /* and back */
    CHECK_EQUAL(sap_remove(s, add(s, on_x(0))), SAP_OK); /* nothing */
    CHECK_EQUAL(count_of(sap_pairs, s), 2);
    CHECK(sap_find_pair(s, a, b) != NULL && sap_find_pair(s, c, d) != NULL);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_created, s), 1);
    CHECK_EQUAL(count_of(sap_deleted, s), 2);
    CHECK(sap_find_pair(s, a, e) != NULL);

    filter_answer = 0;
    CHECK_EQUAL(sap_refilter(s, a), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 1);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 0);
    CHECK_EQUAL(count_of(sap_deleted, s), 1);
    sap_destroy(s);
}

static void *change_in_create(const sap_pair *pair, void *user) {
    sap_world *s = (sap_world *)user;
    CHECK_EQUAL(pair->id1, 2);
    CHECK_EQUAL(add(s, on_x(0)), 4);
    CHECK_EQUAL(move(s, 3, on_x(1)), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 1), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 1);
    return NULL;
}

static void count_deleted(const sap_pair *pair, void *user) {
    (void)pair;
    ++*(int *)user;
}

/* sap_dump_pairs is sap_update with two callbacks, in which you may add, move and remove: that counts at the next
   update. (Thorough: test_contract.c, dump_pairs and calls_inside_callbacks.) */
static void a_frame_may_change_boxes_in_callbacks(void) {
    sap_world *s = open_world(NULL);
    int deleted = 0;
    (void)add(s, on_x(0));
    (void)add(s, on_x(1));
    (void)add(s, on_x(9));
    CHECK_EQUAL(sap_dump_pairs(s, change_in_create, NULL, s), 1);
    CHECK_EQUAL(count_of(sap_pairs, s), 1);
    CHECK_EQUAL(sap_dump_pairs(s, NULL, count_deleted, &deleted), 3); /* of 2, 3 and 4 */
    CHECK_EQUAL(deleted, 1);
    sap_destroy(s);
}

/* Boxes that touch overlap. */
static void a_frame_pairs_boxes_that_touch(void) {
    sap_world *s = open_world(NULL);
    (void)add(s, box_at(0, 0, 0, 1));
    (void)add(s, box_at(1, 1, 1, 1)); /* in a corner */
    (void)add(s, box_at(2, 2, 2, 0)); /* a point, in the next one */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 2);
    sap_destroy(s);
}

/* Infinite bounds are legal: a plane is a box. */
static void a_frame_takes_infinite_bounds(void) {
    sap_world *s = open_world(NULL);
    sap_aabb plane = box_at(0, 0, 0, 0);
    sap_id ground, ball;
    plane.min[0] = plane.min[1] = -TEST_INFINITY; /* z = 0 */
    plane.max[0] = plane.max[1] = TEST_INFINITY;
    ground = add(s, plane);
    ball = add(s, box_at(1e20f, -3e30f, 0, 0));
    (void)add(s, box_at(0, 0, 1, 1));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 1);
    CHECK(sap_find_pair(s, ground, ball) != NULL);
    sap_destroy(s);
}

/* There are no world bounds. */
static void a_frame_has_no_world_bounds(void) {
    sap_world *s = open_world(NULL);
    float large = TEST_LARGEST;
    CHECK_EQUAL(add(s, box_at(large, -large, large, 0)), 1);
    CHECK_EQUAL(add(s, box_at(large, -large, large, 0)), 2);
    CHECK_EQUAL(add(s, box_at(-large, large, -large, 0)), 3);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 1);
    sap_destroy(s);
}

/* ================================================================================================================ */
/* sap.h: threads                                                                                                   */
/* ================================================================================================================ */

typedef struct life {
    sap_world *world;
    uint64_t seed, seen;
} life;

static void *live_in_thread(void *argument) {
    life *l = (life *)argument;
    l->seen = live(l->world, l->seed, NULL);
    return NULL;
}

/* Two worlds may be used by two threads. */
static void threads_have_worlds_of_their_own(void) {
    life lives[THREADS];
    int i;
    for (i = 0; i < THREADS; i++) {
        lives[i].world = open_world(NULL);
        lives[i].seed = (uint64_t)i;
    }
    run_threads(live_in_thread, (char *)lives, sizeof lives[0]);
    for (i = 0; i < THREADS; i++) {
        sap_world *alone = open_world(NULL);
        CHECK(lives[i].seen == live(alone, (uint64_t)i, NULL));
        sap_destroy(alone);
        sap_destroy(lives[i].world);
    }
}

typedef struct reader {
    sap_world *world;
    uint64_t seen;
} reader;

static uint64_t look_at_pairs(const sap_world *s) {
    uint64_t hash = 1;
    sap_id id;
    for (id = 1; id <= 40; id++) {
        sap_id others[4] = {0, 0, 0, 0};
        hash = mix(hash, (uint64_t)sap_pairs_of(s, id, others, 4) + others[0]);
        hash = mix(hash, sap_find_pair(s, id, others[0]) != NULL);
    }
    return hash;
}

static void *look_in_thread(void *argument) {
    reader *r = (reader *)argument; /* all of them are to find the links missing */
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
    r->seen = look_at_pairs(r->world);
    return NULL;
}

static uint64_t ask_everything(sap_world *s) {
    test_rng rng = {3};
    uint64_t hash = 1;
    int i;
    for (i = 0; i < 200; i++) {
        sap_aabb box = lattice_box(&rng), seen;
        float along[3] = {5, -3, 4}, t, distance;
        sap_id others[4] = {0, 0, 0, 0}, id = (sap_id)(1 + i % 40);
        uint64_t sum = 0;
        hash = mix(hash, (uint64_t)sap_query_box(s, &box, ~0u, count_hit, &sum));
        hash = mix(hash, (uint64_t)sap_query_sphere(s, box.min, 2, ~0u, count_hit, &sum));
        hash = mix(hash, sap_ray_closest(s, box.min, along, ~0u, &t) + test_bits(t));
        hash = mix(hash, sap_nearest(s, box.max, 9, ~0u, &distance) + test_bits(distance));
        hash = mix(hash, (uint64_t)sap_pairs_of(s, id, others, 4) + (uint64_t)sap_get_box(s, id, &seen) + others[0]);
        hash = mix(hash, sum + (sap_find_pair(s, id, others[0]) != NULL));
    }
    return hash;
}

static void *ask_in_thread(void *argument) {
    reader *r = (reader *)argument;
    r->seen = ask_everything(r->world);
    return NULL;
}

/* One world: one writer at a time, and no reader beside it; but until the next change any number of threads may look at
   boxes and pairs, and after sap_prepare_queries query; where the compiler has no atomics, as tcc 0.9, one at a time.
   (Thorough: test_query.c under the thread sanitizer.) */
static void threads_may_query_a_prepared_world(void) {
    sap_world *s = open_world(NULL);
    reader readers[THREADS];
    uint64_t expected, first = 0;
    int round, i;
    for (round = 0; round < 5; round++) { /* and again after changes */
        (void)live(s, (uint64_t)round, NULL);
        for (i = 0; i < THREADS; i++) readers[i].world = s;
        sap__unlink_all(s); /* the first of them makes the links */
        run_threads(look_in_thread, (char *)readers, sizeof readers[0]);
        expected = look_at_pairs(s);
        for (i = 0; i < THREADS; i++) CHECK(readers[i].seen == expected);
        CHECK_EQUAL(sap_prepare_queries(s), SAP_OK);
        run_threads(ask_in_thread, (char *)readers, sizeof readers[0]);
        expected = ask_everything(s);
        for (i = 0; i < THREADS; i++) CHECK(readers[i].seen == expected);
        CHECK(expected != first);
        first = expected;
    }
    sap_destroy(s);
}

/* ================================================================================================================ */
/* sap.h: determinism                                                                                               */
/* ================================================================================================================ */

/* Ids, events, their order, the order of sap_pairs and the bytes of snapshots are a pure function of the calls: the
   same on every compiler, optimisation level, word size, byte order, SIMD path. (Thorough: test_golden.c, which make
   portability runs on all platforms.) */
static void determinism_of_everything_seen(void) {
    const uint64_t expected = UINT64_C(0xda8199d2c9332a76); /* changes when ids, events or snapshots do */
    size_t i;
    for (i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        sap_world *s = open_way(NULL, &ways[i]);
        uint64_t seen;
        if (!s) continue; /* not on this machine */
        seen = live(s, 42, &ways[i]);
        CHECK_MESSAGE(seen == expected, "%s: the hash is 0x%08lx%08lx", ways[i].name, (unsigned long)(seen >> 32),
                      (unsigned long)(seen & 0xffffffffu));
        sap_destroy(s);
    }
}

/* The core compares integers; no float is added or rounded, but in sap_shift_origin, one subtraction a bound, and where
   the index is laid out or the way is chosen, on which no answer depends. (Thorough: test_proof.c, all floats;
   test_prune.c, slices.) */
static void determinism_by_integers(void) {
    static const uint32_t bits[] = {0x00000001u, 0x00400000u, 0x00800000u, 0x3f800000u, 0x7f000000u};
    const float offset[3] = {0.1f, 1000, -7};
    sap_world *s = open_world(NULL);
    sap_aabb box, seen;
    test_rng rng = {5};
    size_t i;
    int k;
    for (i = 0; i < sizeof bits / sizeof bits[0]; i++) { /* one step apart, also where machines take it for zero */
        float a = test_float(bits[i]), b = test_float(bits[i] + 1);
        (void)add(s, box_at(a, a, a, 0));
        (void)add(s, box_at(b, b, b, 0));
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 0);
    for (i = 0; i < 1000; i++) {
        scene_box(&rng, SCENE_BITS, &box);
        CHECK_EQUAL(move(s, 1, box), SAP_OK);
        CHECK_EQUAL(sap_get_box(s, 1, &seen), SAP_OK);
        for (k = 0; k < 3; k++)
            if (!CHECK(test_key(seen.min[k]) == test_key(box.min[k]) && test_key(seen.max[k]) == test_key(box.max[k])))
                break;
    }
    for (i = 0; i < 1000; i++) {
        scene_box(&rng, SCENE_UNIFORM, &box);
        CHECK_EQUAL(move(s, 1, box), SAP_OK);
        CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
        CHECK_EQUAL(sap_get_box(s, 1, &seen), SAP_OK);
        for (k = 0; k < 3; k++) {
            volatile float lo = box.min[k] - offset[k], hi = box.max[k] - offset[k];
            CHECK(test_key(seen.min[k]) == test_key(lo) && test_key(seen.max[k]) == test_key(hi));
        }
    }
    sap_destroy(s);
}

typedef struct cast_hit {
    sap_id wanted;
    float t;
    int hits;
} cast_hit;

static float take_t(sap_id id, void *object, float t, void *user) {
    cast_hit *h = (cast_hit *)user;
    (void)object;
    if (id == h->wanted) h->t = t, h->hits++;
    return 1;
}

/* Whether a query hits a box, and where, comes from one expression a box, never from the tree; its last bits are the
   compiler's. (Thorough: test_query.c.) */
static void determinism_of_hits(void) {
    sap_world *crowd = open_world(NULL);
    test_rng rng = {8};
    int round, i, k, hits = 0;
    for (i = 0; i < 300; i++) {
        sap_aabb box;
        scene_box(&rng, SCENE_UNIFORM, &box);
        (void)add(crowd, box);
    }
    for (round = 0; round < 300; round++) {
        sap_world *alone = open_world(NULL);
        cast_hit one = {1, 0, 0}, many = {0, 0, 0};
        float origin[3], along[3];
        sap_aabb box;
        scene_box(&rng, SCENE_UNIFORM, &box);
        for (k = 0; k < 3; k++) {
            origin[k] = test_uniform(&rng, -9, 9);
            along[k] = 1.5f * (test_uniform(&rng, box.min[k], box.max[k]) - origin[k]) * (k ? 1.1f : 1);
        }
        many.wanted = (sap_id)(1 + round);
        CHECK_EQUAL(move(crowd, many.wanted, box), SAP_OK); /* another tree each time */
        (void)add(alone, box);
        CHECK(sap_ray_cast(alone, origin, along, ~0u, take_t, &one) >= 0);
        CHECK(sap_ray_cast(crowd, origin, along, ~0u, take_t, &many) >= 0);
        CHECK_EQUAL(many.hits, one.hits);
        CHECK(test_bits(many.t) == test_bits(one.t));
        hits += one.hits;
        sap_destroy(alone);
    }
    CHECK(hits > 50 && hits < 300);
    sap_destroy(crowd);
}

/* The order of visits is not specified, and the tests that sap_get_stats counts are those of the way that was chosen.
 */
static void determinism_ends_at_visits_and_counts(void) {
    static const int paths[2] = {SAP_METHOD_SORT, SAP_METHOD_PRUNE};
    uint64_t sums[2] = {0, 0}, pairs[2];
    sap_stats stats[2];
    int i, k;
    for (k = 0; k < 2; k++) {
        sap_world *s = open_world(NULL);
        sap_aabb all = box_at(-100, -100, -100, 200);
        test_rng rng = {2};
        s->path = paths[k];
        for (i = 0; i < 400; i++) (void)add(s, lattice_box(&rng));
        if (k) CHECK_EQUAL(sap_prepare_queries(s), SAP_OK); /* so that its tree grows another way */
        for (i = 0; i < 400; i++) (void)move(s, (sap_id)(i + 1), lattice_box(&rng));
        CHECK_EQUAL(sap_query_box(s, &all, ~0u, count_hit, &sums[k]), 400);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        (void)move(s, 7, lattice_box(&rng));
        CHECK_EQUAL(sap_update(s), SAP_OK);
        sap_get_stats(s, &stats[k]);
        pairs[k] = state_of(s);
        sap_destroy(s);
    }
    CHECK(sums[0] == sums[1]);
    CHECK(pairs[0] == pairs[1]);
    CHECK(stats[0].swaps > 0 && stats[1].swaps == 0);
    CHECK(stats[0].overlap_tests != stats[1].overlap_tests);
}

/* ================================================================================================================ */
/* sap.h: limits                                                                                                    */
/* ================================================================================================================ */

/* 16,777,215 boxes, INT_MAX pairs; config.max_boxes and config.max_pairs set lower ones. */
static void limits_and_lower_ones(void) {
    const int most = 16777215;
    sap_config config;
    sap_world *s = open_world(NULL);
    CHECK_EQUAL(sap_reserve(s, most + 1, 0), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_reserve(s, 2, 16), SAP_OK);
    always_fail(); /* one less is a matter of memory only */
    CHECK_EQUAL(sap_reserve(s, most, 0), SAP_ERROR_MEMORY);
    sap__set_length(s->slots, most - 1); /* so many boxes are a gigabyte: let it believe that they are there */
    CHECK_EQUAL(add(s, on_x(0)), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_MEMORY);
    sap__set_length(s->slots, most);
    CHECK_EQUAL(add(s, on_x(0)), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_LIMIT);
    sap__set_length(s->slots, 0);
    never_fail();
    (void)add(s, on_x(0));
    (void)add(s, on_x(0));
    s->path = SAP_METHOD_QUERY;      /* which does not look at all pairs */
    sap__link_pairs(s, SAP__LISTS); /* none */
    sap__set_length(s->pairs, INT_MAX - 1);
    CHECK_EQUAL(sap_update(s), SAP_ERROR_MEMORY);
    sap__set_length(s->pairs, INT_MAX);
    CHECK_EQUAL(sap_update(s), SAP_ERROR_LIMIT);
    sap__set_length(s->pairs, 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_destroy(s);

    memset(&config, 0, sizeof config);
    config.max_boxes = 3;
    config.max_pairs = 2;
    s = open_world(&config);
    (void)add(s, on_x(0));
    (void)add(s, on_x(1));
    CHECK_EQUAL(add(s, on_x(2)), 3);
    CHECK_EQUAL(add(s, on_x(3)), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(count_of(sap_pairs, s), 2);
    CHECK_EQUAL(move(s, 3, on_x(0)), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_ERROR_LIMIT);
    sap_destroy(s);
}

/* The call answers so, and nothing has changed. */
#define REFUSED(s, call, code)                                                                                         \
    do {                                                                                                               \
        uint64_t before_ = state_of(s);                                                                                \
        CHECK_EQUAL(call, code);                                                                                       \
        CHECK(state_of(s) == before_);                                                                                 \
    } while (0)

/* The same, of a call that returns an id or a count and leaves the code to sap_last_error. */
#define REFUSED_WITH(s, call, answer, code)                                                                            \
    do {                                                                                                               \
        REFUSED(s, call, answer);                                                                                      \
        CHECK_EQUAL(sap_last_error(s), code);                                                                          \
    } while (0)

/* Nothing is ever dropped: a call that would exceed a limit fails, changes nothing, and succeeds once there is room.
   (Thorough: test_contract.c, limit_of_boxes and limit_of_pairs.) */
static void limits_fail_the_call_and_drop_nothing(void) {
    sap_config config;
    sap_world *s, *full = open_world(NULL);
    sap_aabb boxes[4];
    sap_id ids[4];
    char snapshot[4096];
    int i;
    memset(&config, 0, sizeof config);
    config.max_boxes = 4;
    config.max_pairs = 3;
    s = open_world(&config);
    for (i = 0; i < 4; i++) boxes[i] = on_x((float)i);
    CHECK_EQUAL(sap_add_many(s, 3, boxes, NULL, ids), SAP_OK);
    REFUSED_WITH(s, sap_add_many(s, 2, boxes, NULL, ids), SAP_ERROR_LIMIT, SAP_ERROR_LIMIT);
    REFUSED(s, sap_add_static_many(s, 2, boxes, NULL, ids), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_add_many(s, 1, boxes + 3, NULL, ids + 3), SAP_OK);
    REFUSED_WITH(s, add(s, boxes[0]), 0, SAP_ERROR_LIMIT);
    REFUSED_WITH(s, sap_add_static(s, boxes, NULL), 0, SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_remove(s, ids[0]), SAP_OK);
    CHECK((ids[0] = add(s, boxes[0])) != 0); /* there is room */

    CHECK_EQUAL(sap_update(s), SAP_OK); /* a row of four: three pairs */
    CHECK_EQUAL(move(s, ids[3], boxes[0]), SAP_OK);
    CHECK_EQUAL(move(s, ids[2], boxes[0]), SAP_OK);
    REFUSED_WITH(s, sap_update(s), SAP_ERROR_LIMIT, SAP_ERROR_LIMIT);
    REFUSED_WITH(s, sap_dump_pairs(s, NULL, NULL, NULL), -SAP_ERROR_LIMIT, SAP_ERROR_LIMIT);
    CHECK_EQUAL(count_of(sap_created, s), 3);
    CHECK_EQUAL(move(s, ids[1], boxes[3]), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK); /* three on one spot, and one apart */
    CHECK_EQUAL(count_of(sap_pairs, s), 3);

    for (i = 0; i < 4; i++) (void)add(full, boxes[0]);
    CHECK_EQUAL(sap_update(full), SAP_OK);
    CHECK_EQUAL(sap_save(full, snapshot, sizeof snapshot), SAP_OK);
    REFUSED_WITH(s, sap_restore(s, snapshot, sizeof snapshot), SAP_ERROR_LIMIT, SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_remove(full, 1), SAP_OK);
    CHECK_EQUAL(sap_update(full), SAP_OK);
    CHECK_EQUAL(sap_save(full, snapshot, sizeof snapshot), SAP_OK);
    CHECK_EQUAL(sap_restore(s, snapshot, sizeof snapshot), SAP_OK);
    sap_destroy(s);
    sap_destroy(full);
}

/* ================================================================================================================ */
/* sap.h: errors                                                                                                    */
/* ================================================================================================================ */

/* Calls with each kind of bad data that they can get. The world has the boxes 1 and 2, a pair, and no box 3 any more. */
static void hand_in_bad_data(sap_world *s) {
    static const uint32_t nans[] = {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xff800001u, 0x7fffffffu};
    static const sap_id bad_ids[] = {0, 3, 4, 99, 1 | 1 << 24, 0xffffffffu};
    const float fine[3] = {0, 0, 0};
    float vector[3] = {0, 0, 0}, answer;
    sap_aabb box;
    char snapshot[4096];
    uint64_t before;
    size_t i;
    int k;
    for (k = 0; k < 6; k++) /* every bound */
        for (i = 0; i <= sizeof nans / sizeof nans[0]; i++) {
            box = on_x(0);
            if (i < sizeof nans / sizeof nans[0])
                test_set_bits(k < 3 ? &box.min[k] : &box.max[k - 3], nans[i]);
            else
                box.min[k % 3] = 9;
            REFUSED_WITH(s, sap_add(s, &box, NULL), 0, SAP_ERROR_BOX);
            REFUSED_WITH(s, sap_add_static(s, &box, NULL), 0, SAP_ERROR_BOX);
            REFUSED_WITH(s, sap_move(s, 1, &box), SAP_ERROR_BOX, SAP_ERROR_BOX);
            REFUSED(s, sap_query_box(s, &box, ~0u, NULL, NULL), -SAP_ERROR_BOX);
            REFUSED(s, sap_box_cast(s, &box, fine, ~0u, NULL, NULL), -SAP_ERROR_BOX);
            CHECK_EQUAL(sap_box_prune(&box, 1, 0, NULL, NULL), -SAP_ERROR_BOX);
            CHECK_EQUAL(sap_box_prune_bipartite(&box, 1, &box, 1, 0, NULL, NULL), -SAP_ERROR_BOX);
        }
    box = on_x(0);
    for (k = 0; k < 3; k++)
        for (i = 0; i < sizeof nans / sizeof nans[0]; i++) {
            test_set_bits(&vector[k], nans[i]);
            REFUSED_WITH(s, sap_shift_origin(s, vector), SAP_ERROR_ARGUMENT, SAP_ERROR_ARGUMENT);
            REFUSED(s, sap_query_point(s, vector, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
            REFUSED(s, sap_query_sphere(s, vector, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
            REFUSED(s, sap_ray_cast(s, vector, fine, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
            REFUSED(s, sap_ray_cast(s, fine, vector, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
            REFUSED(s, sap_box_cast(s, &box, vector, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
            REFUSED(s, sap_ray_closest(s, vector, fine, ~0u, &answer), 0);
            CHECK(test_key(answer) == test_key(-1));
            REFUSED(s, sap_nearest(s, vector, 1, ~0u, &answer), 0);
            CHECK(test_key(answer) == test_key(-1));
            vector[k] = 0;
        }
    REFUSED(s, sap_query_sphere(s, fine, -1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_nearest(s, fine, -1, ~0u, &answer), 0);
    for (i = 0; i < sizeof bad_ids / sizeof bad_ids[0]; i++) {
        sap_id id = bad_ids[i];
        REFUSED_WITH(s, sap_move(s, id, &box), SAP_ERROR_ID, SAP_ERROR_ID);
        REFUSED_WITH(s, sap_remove(s, id), SAP_ERROR_ID, SAP_ERROR_ID);
        REFUSED_WITH(s, sap_set_filter(s, id, 1, 1), SAP_ERROR_ID, SAP_ERROR_ID);
        REFUSED_WITH(s, sap_refilter(s, id), SAP_ERROR_ID, SAP_ERROR_ID);
        REFUSED_WITH(s, sap_set_pair_data(s, 1, id, NULL), SAP_ERROR_ID, SAP_ERROR_ID);
        CHECK_EQUAL(sap_pairs_of(s, id, NULL, 0), -SAP_ERROR_ID);
        CHECK_EQUAL(sap_get_box(s, id, &box), SAP_ERROR_ID);
        CHECK(sap_get_object(s, id) == NULL && sap_find_pair(s, 1, id) == NULL && !sap_is_valid(s, id));
    }
    REFUSED_WITH(s, sap_add(s, NULL, NULL), 0, SAP_ERROR_ARGUMENT);
    REFUSED_WITH(s, sap_move(s, 1, NULL), SAP_ERROR_ARGUMENT, SAP_ERROR_ARGUMENT);
    REFUSED_WITH(s, sap_add_many(s, -1, &box, NULL, NULL), SAP_ERROR_ARGUMENT, SAP_ERROR_ARGUMENT);
    REFUSED_WITH(s, sap_remove_many(s, 1, NULL), SAP_ERROR_ARGUMENT, SAP_ERROR_ARGUMENT);
    REFUSED_WITH(s, sap_shift_origin(s, NULL), SAP_ERROR_ARGUMENT, SAP_ERROR_ARGUMENT);
    REFUSED_WITH(s, sap_reserve(s, -1, 0), SAP_ERROR_ARGUMENT, SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_query_point(s, NULL, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_save(s, snapshot, sap_snapshot_size(s) - 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_save(s, snapshot, sizeof snapshot), SAP_OK);
    for (i = 0; i < 32; i++) {
        snapshot[i] = (char)(snapshot[i] ^ 0x55);
        before = state_of(s);
        CHECK(sap_restore(s, snapshot, sap_snapshot_size(s)) != SAP_OK);
        CHECK(sap_last_error(s) != SAP_OK && state_of(s) == before);
        snapshot[i] = (char)(snapshot[i] ^ 0x55);
    }
    CHECK_EQUAL(sap_update(NULL), SAP_ERROR_ARGUMENT);
}

static sap_world *world_for_bad_data(void) {
    sap_world *s = open_world(NULL);
    (void)add(s, on_x(0));
    (void)add(s, on_x(1));
    (void)add(s, on_x(5));
    CHECK_EQUAL(sap_remove(s, 3), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    return s;
}

/* Bad data gets a code, in every build, and changes nothing: NaN is found by its bits, also under -ffast-math.
   (Thorough: test_contract.c, bad_boxes and refused_calls_leave_no_trace; fuzz.c.) */
static void errors_bad_data_gets_a_code_in_every_build_and_changes_nothing(void) {
    sap_world *s = world_for_bad_data();
    sap_config config;
    hand_in_bad_data(s);
    sap_destroy(s);
    memset(&config, 0, sizeof config);
    config.axes = 8;
    CHECK(sap_create(&config) == NULL);
    config.axes = 0;
    config.max_boxes = -1;
    CHECK(sap_create(&config) == NULL);
}

/* A _many call is all or nothing. (Thorough: test_contract.c, many.) */
static void errors_many_is_all_or_nothing(void) {
    sap_world *s = world_for_bad_data();
    sap_aabb boxes[3];
    sap_id ids[3] = {7, 7, 7}, good[3] = {1, 2, 1}, bad[3] = {1, 2, 3};
    boxes[0] = boxes[1] = boxes[2] = on_x(3);
    boxes[2].max[1] = TEST_NAN; /* the last one */
    REFUSED_WITH(s, sap_add_many(s, 3, boxes, NULL, ids), SAP_ERROR_BOX, SAP_ERROR_BOX);
    REFUSED_WITH(s, sap_add_static_many(s, 3, boxes, NULL, ids), SAP_ERROR_BOX, SAP_ERROR_BOX);
    CHECK(ids[0] == 7 && ids[1] == 7 && ids[2] == 7);
    REFUSED_WITH(s, sap_move_many(s, 3, good, boxes), SAP_ERROR_BOX, SAP_ERROR_BOX);
    boxes[2] = boxes[0];
    REFUSED_WITH(s, sap_move_many(s, 3, bad, boxes), SAP_ERROR_ID, SAP_ERROR_ID);
    REFUSED_WITH(s, sap_remove_many(s, 3, bad), SAP_ERROR_ID, SAP_ERROR_ID);
    REFUSED_WITH(s, sap_remove_many(s, 3, good), SAP_ERROR_ID, SAP_ERROR_ID);
    CHECK_EQUAL(sap_move_many(s, 3, good, boxes), SAP_OK);
    CHECK_EQUAL(sap_remove_many(s, 2, good), SAP_OK);
    CHECK_EQUAL(sap_add_many(s, 3, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_count(s), 3);
    sap_destroy(s);
}

/* sap_result_text says what to change; sap_last_error keeps the last result, queries and looks aside.
   (Thorough: test_contract.c, result_text and last_error.) */
static void errors_have_a_text_and_are_kept(void) {
    static const struct {
        sap_result result;
        const char *says;
    } advice[] = {{SAP_ERROR_BOX, "min <= max"},        {SAP_ERROR_ID, "removed"},
                  {SAP_ERROR_MEMORY, "free some"},      {SAP_ERROR_LIMIT, "raise config.max_boxes"},
                  {SAP_ERROR_ARGUMENT, "see the call"}, {SAP_ERROR_BUSY, "make this call when"},
                  {SAP_ERROR_SNAPSHOT, "save it again"}};
    sap_world *s = open_world(NULL);
    sap_aabb box = on_x(0);
    size_t i;
    for (i = 0; i < sizeof advice / sizeof advice[0]; i++)
        CHECK(strstr(sap_result_text(advice[i].result), advice[i].says) != NULL);
    CHECK_EQUAL(sap_add(s, NULL, NULL), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_point(s, NULL, 1, NULL, NULL), -SAP_ERROR_ARGUMENT); /* says it itself, and is not kept */
    box.max[2] = TEST_NAN;
    CHECK_EQUAL(sap_add(s, &box, NULL), 0);
    CHECK_EQUAL(sap_query_point(s, box.min, 1, NULL, NULL), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_BOX);
    CHECK_EQUAL(sap_remove(s, 9), SAP_ERROR_ID);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_ID);
    CHECK_EQUAL(sap_dump_pairs(s, NULL, NULL, NULL), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    sap_destroy(s);
}

/* Nothing asserts on your data. */
static void errors_never_assert(void) {
    sap_world *s = world_for_bad_data();
    test_rng rng = {6};
    int i;
    hand_in_bad_data(s);
    for (i = 0; i < 3000; i++) { /* any bits are data */
        sap_aabb box;
        sap_id id = test_chance(&rng, 50) ? (sap_id)test_random(&rng) : (sap_id)test_below(&rng, 60);
        uint32_t bits[6];
        int k;
        for (k = 0; k < 6; k++) bits[k] = (uint32_t)test_random(&rng) >> test_below(&rng, 32);
        memcpy(&box, bits, sizeof box);
        switch (test_below(&rng, 6)) {
        case 0: (void)sap_add(s, &box, NULL); break;
        case 1: (void)sap_move(s, id, &box); break;
        case 2: (void)sap_remove(s, id); break;
        case 3: (void)sap_query_box(s, &box, id, NULL, NULL); break;
        case 4: (void)sap_ray_cast(s, box.min, box.max, id, NULL, NULL); break;
        default: CHECK_EQUAL(sap_update(s), SAP_OK);
        }
    }
    CHECK_EQUAL(assertions, 0);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ================================================================================================================ */
/* sap.h: memory                                                                                                    */
/* ================================================================================================================ */

enum { MANY = 8000, IS_64_BIT = sizeof(void *) == 8 };

static sap_aabb many_boxes[2 * MANY];
static sap_id many_ids[2 * MANY];

/* n boxes of size 1 in a cube, so far apart along each axis. */
static void lay_out(int n, float apart) {
    int i, side = 1;
    while (side * side * side < n) side++;
    for (i = 0; i < n; i++)
        many_boxes[i] =
            box_at(apart * (float)(i % side), apart * (float)(i / side % side), apart * (float)(i / side / side), 1);
}

static size_t bytes_of(const sap_world *s) {
    sap_stats stats;
    sap_get_stats(s, &stats);
    return stats.bytes;
}

/* Bytes for each of n things, by what they added. */
static double each(size_t after, size_t before, int n) {
    return ((double)after - (double)before) / n;
}

#define CHECK_BETWEEN(value, low, high)                                                                                \
    CHECK_MESSAGE((value) >= (low) && (value) <= (high), "%s is %.1f, expected %.1f to %.1f", #value, (double)(value), \
                  (double)(low), (double)(high))

/* A box takes 76 bytes, and some 45 in the index in use (three sorted endpoint arrays, or strips). */
static void memory_of_a_box(void) {
    sap_world *s = open_world(NULL);
    size_t empty = bytes_of(s), added, settled;
    const double scratch = 8; /* a box */
    lay_out(MANY, 3);
    CHECK_EQUAL(sap_add_many(s, MANY, many_boxes, NULL, many_ids), SAP_OK);
    added = bytes_of(s);
    CHECK_BETWEEN(each(added, empty, MANY), IS_64_BIT ? 76 : 72, 76.5);
    s->path = SAP_METHOD_QUERY;
    CHECK_EQUAL(sap_update(s), SAP_OK);
    settled = bytes_of(s);
    CHECK_BETWEEN(each(settled, added, MANY) - scratch, 60, 100); /* strips: more than the sentence says */
    s->path = SAP_METHOD_SORT;
    many_boxes[0].max[0] = 1.5f;
    CHECK_EQUAL(move(s, 1, many_boxes[0]), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_BETWEEN(each(bytes_of(s), settled, MANY) - 4 * scratch, 47, 49); /* endpoints, beside the strips */
    sap_destroy(s);
}

/* A pair takes 52 and some 6 in the hash table. */
static void memory_of_a_pair(void) {
    enum { PAIRS = 20000 };
    sap_world *s = open_world(NULL);
    CHECK_EQUAL(sizeof(sap_pair) + sizeof(sap__links) + 4, IS_64_BIT ? 52 : 40);
    lay_out(MANY, 1); /* a cube of boxes that all touch their neighbours: 13 pairs a box */
    CHECK_EQUAL(sap_add_many(s, PAIRS / 13, many_boxes, NULL, many_ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(count_of(sap_pairs, s) > PAIRS / 2);
    CHECK_BETWEEN(
        each(sap__bytes_of(s->pairs) + sap__bytes_of(s->links) + sap__bytes_of(s->chain), 0, count_of(sap_pairs, s)),
        IS_64_BIT ? 52 : 40, 2 * 52);
    CHECK_BETWEEN(each(sap__bytes_of(s->buckets), 0, count_of(sap_pairs, s)), 4, 8.1);
    sap_destroy(s);
}

/* Arrays double, strips keep room for boxes that come, and builds and events need scratch: up to three times that is
   held. */
static void memory_doubles(void) {
    sap_world *s = open_world(NULL);
    size_t empty = bytes_of(s);
    long before = allocations;
    int i, frame;
    double pairs;
    test_rng rng = {4};
    lay_out(MANY, 1.5f);
    for (i = 0; i < MANY; i++) { /* one by one: no more than twice, and few allocations */
        CHECK_EQUAL(sap_add(s, &many_boxes[i], NULL), i + 1);
        if (i >= 100) CHECK_BETWEEN(each(bytes_of(s), empty, i + 1), IS_64_BIT ? 76 : 72, 2 * 76 + 2);
    }
    CHECK(allocations - before < 6 * 12);
    for (frame = 0; frame < 10; frame++) {
        for (i = 0; i < MANY; i++) {
            float x = test_uniform(&rng, -0.3f, 0.3f);
            many_boxes[i].min[0] += x;
            many_boxes[i].max[0] += x;
            (void)sap_move(s, (sap_id)(i + 1), &many_boxes[i]);
        }
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
    pairs = (double)count_of(sap_pairs, s) / MANY;
    CHECK_BETWEEN(each(bytes_of(s), empty, MANY), 76, 3 * (76 + 45 + pairs * 58));
    sap_destroy(s);
}

/* The tree of the queries takes some 120 more a box, scratch included, from the first query on. */
static void memory_of_the_tree(void) {
    sap_world *s = open_world(NULL);
    size_t before;
    lay_out(MANY, 1.5f);
    CHECK_EQUAL(sap_add_many(s, MANY, many_boxes, NULL, many_ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    before = bytes_of(s);
    CHECK(s->tree == NULL);
    CHECK_EQUAL(sap_query_point(s, many_boxes[0].min, ~0u, NULL, NULL), 1);
    CHECK_BETWEEN(each(bytes_of(s), before, MANY), 100, 140);
    sap_destroy(s);
}

/* Every call that a world has, with as many boxes as were reserved. */
static void call_everything(sap_world *s, int n, int frames) {
    const float offset[3] = {1, 2, 3}, along[3] = {3, 4, 5};
    test_rng rng = {9};
    sap_aabb box;
    sap_id others[4];
    int frame, i, calls = 0, count;
    for (frame = 0; frame < frames; frame++) {
        for (i = 0; i < n; i++) many_boxes[i] = lattice_box(&rng);
        CHECK_EQUAL(sap_add_many(s, n / 2, many_boxes, NULL, many_ids), SAP_OK);
        for (i = n / 2; i < n; i++) many_ids[i] = sap_add_static(s, &many_boxes[i], NULL);
        CHECK(sap_dump_pairs(s, NULL, count_deleted, &calls) >= 0);
        for (i = 0; i < n; i++) many_boxes[i] = lattice_box(&rng);
        CHECK_EQUAL(sap_move_many(s, n, many_ids, many_boxes), SAP_OK);
        CHECK_EQUAL(sap_set_filter(s, many_ids[0], 1, 0), SAP_OK);
        CHECK_EQUAL(sap_refilter(s, many_ids[1]), SAP_OK);
        CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        CHECK_EQUAL(sap_prepare_queries(s), SAP_OK);
        CHECK_EQUAL(sap_move(s, many_ids[2], &many_boxes[1]), SAP_OK);
        CHECK(sap_query_box(s, many_boxes, ~0u, NULL, NULL) >= 0);
        CHECK(sap_query_sphere(s, offset, 3, ~0u, NULL, NULL) >= 0);
        CHECK(sap_ray_cast(s, offset, along, ~0u, NULL, NULL) >= 0);
        CHECK(sap_box_cast(s, many_boxes, along, ~0u, NULL, NULL) >= 0);
        (void)sap_ray_closest(s, offset, along, ~0u, NULL);
        (void)sap_nearest(s, offset, 5, ~0u, NULL);
        (void)sap_pairs(s, &count);
        (void)sap_pairs_of(s, many_ids[3], others, 4);
        CHECK_EQUAL(sap_get_box(s, many_ids[3], &box), SAP_OK);
        (void)state_of(s); /* sap_save */
        CHECK_EQUAL(sap_remove_many(s, n, many_ids), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
}

/* After sap_reserve(boxes, pairs) no call allocates until one of the two is exceeded; a removed box counts until the
   update that reports it. (Thorough: test_alloc.c, reserved.) */
static void memory_is_reserved(void) {
    enum { N = 100 };
    sap_world *s = open_world(NULL), *other = open_world(NULL);
    char *snapshot;
    size_t size;
    long before;
    int i;
    CHECK_EQUAL(sap_reserve(s, N, N * (N - 1) / 2), SAP_OK);
    before = allocations;
    call_everything(s, N, 4);
    CHECK_EQUAL(allocations, before);
    for (i = 0; i < N; i++) (void)add(other, on_x((float)i));
    CHECK_EQUAL(sap_update(other), SAP_OK);
    size = sap_snapshot_size(other);
    snapshot = (char *)malloc(size);
    if (!snapshot) exit(2);
    CHECK_EQUAL(sap_save(other, snapshot, size), SAP_OK);
    before = allocations;
    CHECK_EQUAL(sap_restore(s, snapshot, size), SAP_OK);
    CHECK(sap_validate(s) == NULL);
    CHECK_EQUAL(allocations, before);
    free(snapshot);
    sap_destroy(other);

    CHECK_EQUAL(sap_remove(s, 1), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    before = allocations;
    CHECK(add(s, on_x(0)) != 0); /* in the place of the one that was reported */
    CHECK_EQUAL(allocations, before);
    CHECK_EQUAL(sap_remove(s, 2), SAP_OK);
    CHECK(add(s, on_x(0)) != 0); /* one too many */
    CHECK(allocations > before);
    sap_destroy(s);
}

/* Moves, removals and filter changes never allocate: the add has made their room. (Thorough: test_alloc.c,
   what_never_fails.) */
static void memory_for_changes_is_there(void) {
    enum { N = 300 };
    int queried, settled;
    for (queried = 0; queried < 2; queried++)
        for (settled = 0; settled < 2; settled++) {
            sap_world *s = open_world(NULL);
            long before;
            int i;
            lay_out(N, 2);
            CHECK_EQUAL(sap_add_many(s, N, many_boxes, NULL, many_ids), SAP_OK);
            if (settled) CHECK_EQUAL(sap_update(s), SAP_OK);
            if (queried) CHECK_EQUAL(sap_prepare_queries(s), SAP_OK);
            before = allocations;
            CHECK_EQUAL(sap_move_many(s, N - 1, many_ids, many_boxes + 1), SAP_OK);
            for (i = 0; i < N; i++) CHECK_EQUAL(sap_move(s, many_ids[i], &many_boxes[N - 1 - i]), SAP_OK);
            for (i = 0; i < N; i++) CHECK_EQUAL(sap_set_filter(s, many_ids[i], 1, 2), SAP_OK);
            for (i = 0; i < N; i++) CHECK_EQUAL(sap_refilter(s, many_ids[i]), SAP_OK);
            for (i = 0; i < N / 2; i++) CHECK_EQUAL(sap_remove(s, many_ids[i]), SAP_OK);
            CHECK_EQUAL(sap_remove_many(s, N - N / 2, many_ids + N / 2), SAP_OK);
            CHECK_EQUAL(allocations, before);
            sap_destroy(s);
        }
}

/* If memory fails in sap_update, pairs and events are as before, what was recorded stays recorded, and a later
   sap_update succeeds once there is memory. (Thorough: test_alloc.c, every_allocation_fails.) */
static void memory_may_fail_in_an_update(void) {
    sap_world *plain = open_world(NULL), *poor = open_world(NULL), *s;
    test_rng rng = {12};
    sap_result r;
    int k, i, failures = 0;
    for (k = 0; k < 2; k++) {
        s = k ? poor : plain;
        rng.state = 12;
        for (i = 0; i < 20; i++) (void)add(s, lattice_box(&rng));
        CHECK_EQUAL(sap_update(s), SAP_OK);
        for (i = 0; i < 400; i++) (void)add(s, lattice_box(&rng)); /* far more than there is room for */
        for (i = 0; i < 10; i++) CHECK_EQUAL(move(s, (sap_id)(1 + i), lattice_box(&rng)), SAP_OK);
        CHECK_EQUAL(sap_remove(s, 15), SAP_OK);
    }
    CHECK_EQUAL(sap_update(plain), SAP_OK);
    for (;;) { /* each time there is memory for one array more */
        uint64_t before = state_of(poor);
        allocations = 0;
        fail_from = failures > 0;
        fail_count = LONG_MAX / 2;
        r = sap_update(poor);
        never_fail();
        if (r == SAP_OK) break;
        failures++;
        CHECK_EQUAL(r, SAP_ERROR_MEMORY);
        CHECK_EQUAL(sap_last_error(poor), r);
        CHECK(state_of(poor) == before);
        CHECK(sap_validate(poor) == NULL);
    }
    CHECK(failures > 5);
    CHECK(state_of(poor) == state_of(plain));
    CHECK(sap_validate(poor) == NULL);
    sap_destroy(poor);
    sap_destroy(plain);
}

/* ================================================================================================================ */
/* sap_multi.h: the grid                                                                                            */
/* ================================================================================================================ */

enum { IN_CELL = 20 }; /* boxes; cells with fewer than sixteen on average are doubled */

static sap_multi *open_multi(const sap_multi_config *config) {
    sap_multi *m = sap_multi_create(config);
    if (!m) exit(2);
    m->grid_from = 0; /* the grid is used from the first box on */
    return m;
}

/* 4 * 4 cells of size 16; z is not divided. */
static sap_multi *open_fixed(void) {
    sap_multi_config c;
    int k;
    memset(&c, 0, sizeof c);
    for (k = 0; k < 3; k++) c.bounds.max[k] = 64, c.cells[k] = k < 2 ? 4 : 1;
    return open_multi(&c);
}

static sap_multi *open_hashed(float x, float y, float z, int entries) {
    sap_multi_config c;
    memset(&c, 0, sizeof c);
    c.hashed = 1;
    c.entries = entries;
    c.cell_size[0] = x;
    c.cell_size[1] = y;
    c.cell_size[2] = z;
    return open_multi(&c);
}

/* Fills the cell of size 16 that begins there; the first one's id. */
static sap_id fill_cell(sap_multi *m, float x, float y, float z) {
    sap_id first = 0;
    int i;
    for (i = 0; i < IN_CELL; i++) {
        sap_aabb box = box_at(x + 1 + (float)(i % 5) * 2, y + 1 + (float)(i / 5) * 2, z + 1, 1);
        sap_id id = sap_multi_add(m, &box, NULL);
        if (i == 0) first = id;
    }
    return first;
}

static void settle(sap_multi *m) {
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(m->whole->settle_in_cells != NULL);
    CHECK(sap_multi_validate(m) == NULL);
}

/* Its first one. */
static uint32_t cell_of(const sap_multi *m, sap_id id) {
    return m->places[sap__slot_of(id)].cell;
}

static int cells_of(const sap_multi *m, sap_id id) {
    const sap__place *place = &m->places[sap__slot_of(id)];
    int n = 1;
    for (; place->more != SAP__NONE; place = &m->more[place->more]) n++;
    return n;
}

static int cells_in_memory(const sap_multi *m) {
    int i, n = 0;
    for (i = 1; i < sap__length(m->cells); i++) n += m->cells[i] != NULL;
    return n;
}

static size_t multi_bytes_of(const sap_multi *m) {
    sap_stats stats;
    sap_multi_get_stats(m, &stats);
    return stats.bytes;
}

static int multi_pairs(const sap_multi *m) {
    int count = -1;
    (void)sap_multi_pairs(m, &count);
    return count;
}

/* fixed config.bounds, divided into config.cells. (Thorough for all of this section: test_multi.c.) */
static void multi_grid_is_fixed(void) {
    sap_multi *m = open_fixed();
    int i;
    for (i = 0; i < 16; i++) (void)fill_cell(m, 16 * (float)(i % 4), 16 * (float)(i / 4), 0);
    settle(m);
    CHECK_EQUAL(m->cells_used, 16);
    for (i = 0; i < 16; i++) (void)fill_cell(m, 16 * (float)(i % 4), 16 * (float)(i / 4), 32);
    settle(m);
    CHECK_EQUAL(m->cells_used, 16); /* not divided along z */
    sap_multi_destroy(m);
}

/* It is wrapped: what leaves the bounds is filed from the other end, so every place has a cell. */
static void multi_grid_is_wrapped(void) {
    sap_multi *m = open_fixed();
    sap_id first = fill_cell(m, 0, 48, 0), beyond = fill_cell(m, 64, 48, 0), before = fill_cell(m, 0, -16, 0);
    settle(m);
    CHECK_EQUAL(m->cells_used, 1);
    CHECK_EQUAL(cell_of(m, beyond), cell_of(m, first));
    CHECK_EQUAL(cell_of(m, before), cell_of(m, first));
    sap_multi_destroy(m);
}

/* Boxes at opposite ends may share one; they do not pair, for their bounds are compared */
static void multi_grid_leaves_no_box_outside(void) {
    sap_multi *m = open_fixed();
    float far[3] = {-1e30f, 1e9f, -300};
    sap_id first = fill_cell(m, 0, 0, 0), other = fill_cell(m, 64, 0, 0);
    int i;
    settle(m);
    CHECK_EQUAL(cell_of(m, first), cell_of(m, other));
    CHECK(multi_pairs(m) == 0 && sap_multi_find_pair(m, first, other) == NULL);
    for (i = 0; i < 3; i++) {
        sap_aabb box = box_at(far[i], far[2 - i], 0, 1);
        sap_id id = sap_multi_add(m, &box, NULL);
        settle(m);
        CHECK(cell_of(m, id) != SAP__OUTSIDE && cell_of(m, id) != SAP__NONE);
    }
    sap_multi_destroy(m);
}

/* Fills six cells far from each other, and checks how many there are. */
static void fill_far_cells(int entries, int fewest, int most) {
    const float places[6] = {0, 16, -16, 160000, -1600000, 8000000};
    sap_multi *m = open_hashed(16, 16, 16, entries);
    int i;
    for (i = 0; i < 6; i++) (void)fill_cell(m, places[i], 0, -places[5 - i]);
    settle(m);
    CHECK_BETWEEN(m->cells_used, fewest, most);
    sap_multi_destroy(m);
}

/* hashed config.hashed: cells of config.cell_size, as far as the boxes go. */
static void multi_grid_is_hashed(void) {
    fill_far_cells(0, 6, 6);
}

/* With config.entries cells share that many table entries, and what shares an entry is one cell */
static void multi_grid_has_entries(void) {
    fill_far_cells(3, 2, 3);
}

/* Adds n boxes anywhere in a cube. */
static void add_anywhere(sap_multi *m, test_rng *rng, int n, float size) {
    int i;
    for (i = 0; i < n; i++) {
        float x = test_uniform(rng, 0, size), y = test_uniform(rng, 0, size), z = test_uniform(rng, 0, size);
        sap_aabb box = box_at(x, y, z, 1);
        (void)sap_multi_add(m, &box, NULL);
    }
}

/* chosen neither is given: from a sample of the boxes, and again when there are twice or half as many, or when they have
   gathered in less than half of the cells. */
static void multi_grid_is_chosen(void) {
    enum { N = 9000 }; /* two cells of SAP__CELL_BOXES, and some */
    sap_multi *m = open_multi(NULL), *near = open_multi(NULL);
    test_rng rng = {1};
    const float far[3] = {5000, 5000, 5000};
    sap_aabb box;
    sap_id id;
    add_anywhere(m, &rng, N, 500);
    settle(m);
    CHECK_EQUAL(m->cells_used, 2);
    CHECK_EQUAL(m->grid_boxes, N);
    add_anywhere(near, &rng, N, 3); /* boxes as large as this world are not divided */
    CHECK_EQUAL(sap_multi_update(near), SAP_OK);
    CHECK_EQUAL(near->cells_used, 1);
    sap_multi_destroy(near);
    add_anywhere(m, &rng, 2 * N, 500);
    settle(m);
    settle(m);
    CHECK(m->grid_boxes > 2 * N);
    CHECK_EQUAL(m->cells_used, 8);
    CHECK_EQUAL(sap_multi_shift_origin(m, far), SAP_OK);
    settle(m);
    CHECK_EQUAL(m->cells_used, 1); /* an outer one */
    CHECK_EQUAL(sap_multi_get_box(m, 1, &box), SAP_OK);
    CHECK_EQUAL(sap_multi_move(m, 1, &box), SAP_OK);
    box.max[0] += 0.5f;
    CHECK_EQUAL(sap_multi_move(m, 1, &box), SAP_OK);
    settle(m);
    CHECK_EQUAL(m->cells_used, 8);
    for (id = 2000; id < 3 * N; id++) (void)sap_multi_remove(m, id);
    settle(m);
    settle(m);
    CHECK(m->grid_boxes < N);
    sap_multi_destroy(m);
}

/* The outer cells reach to infinity */
static void multi_grid_has_outer_cells_without_end(void) {
    enum { N = 9000 };
    const float far[4] = {2000, 1e9f, -2000, -1e30f};
    sap_multi *m = open_multi(NULL);
    uint32_t cells[4];
    test_rng rng = {1};
    int i;
    add_anywhere(m, &rng, N, 500);
    settle(m);
    for (i = 0; i < 4; i++) {
        sap_aabb box = box_at(far[i], far[i], far[i], 1);
        CHECK_EQUAL(sap_multi_move(m, (sap_id)(i + 1), &box), SAP_OK);
        settle(m);
        cells[i] = cell_of(m, (sap_id)(i + 1));
        CHECK(cells[i] != SAP__OUTSIDE);
    }
    CHECK_EQUAL(m->cells_used, 2);
    CHECK(cells[0] == cells[1] && cells[2] == cells[3] && cells[0] != cells[2]);
    sap_multi_destroy(m);
}

/* One, two or three axes may be divided. */
static void multi_grid_divides_any_axes(void) {
    int axes, i;
    for (axes = 1; axes <= 7; axes++) {
        int x = axes & 1, y = axes >> 1 & 1, z = axes >> 2;
        sap_multi *m = open_hashed(16 * (float)x, 16 * (float)y, 16 * (float)z, 0);
        for (i = 0; i < 8; i++) (void)fill_cell(m, 16 * (float)(i & 1), 16 * (float)(i >> 1 & 1), 16 * (float)(i >> 2));
        settle(m);
        CHECK_EQUAL(m->cells_used, (1 + x) * (1 + y) * (1 + z));
        sap_multi_destroy(m);
    }
}

/* A cell takes memory from the first box in it on. */
static void multi_grid_costs_where_boxes_are(void) {
    sap_multi_config c;
    sap_multi *m;
    size_t empty;
    int k;
    memset(&c, 0, sizeof c);
    for (k = 0; k < 3; k++) c.bounds.max[k] = 16777216, c.cells[k] = 1 << 20; /* 2^60 cells of size 16 */
    m = open_multi(&c);
    empty = multi_bytes_of(m);
    CHECK(empty < 4096);
    (void)fill_cell(m, 0, 0, 0);
    settle(m);
    CHECK_EQUAL(cells_in_memory(m), 1);
    CHECK(multi_bytes_of(m) > empty);
    (void)fill_cell(m, 160000, 0, 0);
    settle(m);
    CHECK_EQUAL(cells_in_memory(m), 2);
    sap_multi_destroy(m);
}

/* Moves boxes, and their cell with them. */
static void move_cell(sap_multi *m, sap_id first, float by) {
    sap_aabb box;
    int i;
    for (i = 0; i < IN_CELL; i++) {
        sap_id id = first + (sap_id)i;
        CHECK_EQUAL(sap_multi_get_box(m, id, &box), SAP_OK);
        box.min[0] += by;
        box.max[0] += by;
        CHECK_EQUAL(sap_multi_move(m, id, &box), SAP_OK);
    }
    settle(m);
}

/* Empty cells wait in a pool for the next new cell, and are freed after 64 updates. */
static void multi_grid_pools_empty_cells(void) {
    sap_multi *m = open_hashed(16, 0, 0, 0);
    sap_id first = fill_cell(m, 0, 0, 0);
    uint32_t cell;
    int i;
    settle(m);
    cell = cell_of(m, first);
    move_cell(m, first, 16);
    CHECK(cell_of(m, first) != cell);
    CHECK_EQUAL(cells_in_memory(m), 2); /* one of them in the pool */
    CHECK_EQUAL(m->cells_used, 1);
    move_cell(m, first, 16);
    CHECK_EQUAL(cell_of(m, first), cell);
    CHECK_EQUAL(cells_in_memory(m), 2);
    for (i = 1; i < 64; i++) settle(m);
    CHECK_EQUAL(cells_in_memory(m), 2);
    settle(m);
    CHECK_EQUAL(cells_in_memory(m), 1);
    sap_multi_destroy(m);
}

/* A box that would be in more than eight cells is in none: one sap_world beside the grid holds all such boxes, and boxes
   that change are compared with it too. */
static void multi_grid_has_one_more_sap(void) {
    sap_multi *m = open_hashed(16, 0, 0, 0);
    sap_aabb wide = box_at(1, 0, 0, 1), small = box_at(3, 0, 0, 1);
    sap_id large, first = fill_cell(m, 0, 0, 0), i;
    for (i = 1; i < 10; i++) (void)fill_cell(m, 16 * (float)i, 0, 0);
    wide.max[0] = 16 * SAP__MOST_CELLS - 1;
    large = sap_multi_add(m, &wide, NULL);
    settle(m);
    CHECK_EQUAL(cells_of(m, large), SAP__MOST_CELLS);
    CHECK(cell_of(m, large) != SAP__OUTSIDE);
    wide.max[0] += 1; /* touches the next one */
    CHECK_EQUAL(sap_multi_move(m, large, &wide), SAP_OK);
    settle(m);
    CHECK_EQUAL(cell_of(m, large), SAP__OUTSIDE);
    CHECK_EQUAL(cells_of(m, large), 1);
    CHECK(sap_multi_find_pair(m, large, first) != NULL);
    small.min[2] = small.max[2] = 50;
    CHECK_EQUAL(sap_multi_move(m, first, &small), SAP_OK); /* a box in a cell changed */
    settle(m);
    CHECK(sap_multi_find_pair(m, large, first) == NULL);
    small.min[2] = 0;
    CHECK_EQUAL(sap_multi_move(m, first, &small), SAP_OK);
    settle(m);
    CHECK(sap_multi_find_pair(m, large, first) != NULL);
    wide.min[1] = wide.max[1] = 50;
    CHECK_EQUAL(sap_multi_move(m, large, &wide), SAP_OK); /* the one outside did */
    settle(m);
    CHECK(sap_multi_find_pair(m, large, first) == NULL);
    sap_multi_destroy(m);
}

/* If cells are too small (too many boxes touch more than eight, or there are fewer than sixteen boxes a cell) they are
   doubled, yours too. */
static void multi_grid_doubles_small_cells(void) {
    enum { N = 400 };
    sap_multi *large = open_hashed(1, 1, 1, 0), *lonely = open_hashed(1, 1, 1, 0);
    int i, outside = 0;
    for (i = 0; i < N; i++) {
        sap_aabb box = box_at((float)(i % 20), (float)(i / 20), 0, 10), small = box_at(30 * (float)i, 0, 0, 0.5f);
        (void)sap_multi_add(large, &box, NULL);
        (void)sap_multi_add(lonely, &small, NULL);
    }
    settle(large);
    settle(lonely);
    for (i = 0; i < N; i++) outside += cell_of(large, (sap_id)(i + 1)) == SAP__OUTSIDE;
    CHECK(8 * outside <= N);
    CHECK(large->cells_per_unit[0] <= 0.125 && large->cells_per_unit[0] >= 0.03125); /* cells of size 8 to 32 */
    CHECK(lonely->cells_used <= N / 16 + 8);
    CHECK(lonely->cells_per_unit[0] <= 1.0 / 256 && lonely->cells_per_unit[0] >= 1.0 / 1024);
    CHECK(multi_pairs(large) > N && multi_pairs(lonely) == 0);
    sap_multi_destroy(large);
    sap_multi_destroy(lonely);
}

/* ================================================================================================================ */
/* sap_multi.h: threads                                                                                             */
/* ================================================================================================================ */

typedef struct batch { /* of jobs: every THREADS-th one, from first on */
    sap_job *job;
    void *data;
    int count, first;
} batch;

static void *run_batch(void *argument) {
    const batch *b = (const batch *)argument;
    int i;
    for (i = b->first; i < b->count; i += THREADS) b->job(b->data, i);
    return NULL;
}

static int batches_run;

static void run_in_threads(sap_job *job, void *data, int count, void *user) {
    batch batches[THREADS];
    int i;
    for (i = 0; i < THREADS; i++) {
        batches[i].job = job;
        batches[i].data = data;
        batches[i].count = count;
        batches[i].first = i;
    }
    batches_run += user == &batches_run;
    jobs_running = 1;
    run_threads(run_batch, (char *)batches, sizeof batches[0]);
    jobs_running = 0;
}

static void run_backwards(sap_job *job, void *data, int count, void *user) {
    batches_run += user == &batches_run;
    jobs_running = 1;
    while (count-- > 0) job(data, count);
    jobs_running = 0;
}

static pthread_t filter_thread;
static int filter_calls, filter_faults;

static int thread_filter(const sap_pair *pair, void *user) {
    (void)user;
    filter_calls++;
    filter_faults += jobs_running || !pthread_equal(pthread_self(), filter_thread);
    return (pair->id0 + pair->id1) % 5 != 0;
}

/* A few frames in which boxes move between cells: all that was seen, as one number. */
static uint64_t live_in_cells(sap_parallel_for *parallel, sap_filter *filter) {
    enum { N = 600, FRAMES = 8 };
    sap_multi_config c;
    sap_multi *m;
    test_rng rng = {21};
    uint64_t hash = 1;
    int i, frame;
    memset(&c, 0, sizeof c);
    c.hashed = 1;
    c.cell_size[0] = c.cell_size[1] = 8;
    c.parallel = parallel;
    c.parallel_user = &batches_run;
    c.sap.filter = filter;
    filter_thread = pthread_self();
    m = open_multi(&c);
    for (i = 0; i < N; i++) {
        sap_aabb box = box_at((float)test_below(&rng, 40), (float)test_below(&rng, 40), 0, 2);
        (void)sap_multi_add(m, &box, NULL);
    }
    for (frame = 0; frame < FRAMES; frame++) {
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        hash = mix(hash, state_of_multi(m));
        for (i = 0; i < (frame % 2 ? N : 20); i++) {
            sap_aabb box = box_at((float)test_below(&rng, 40), (float)test_below(&rng, 40), 0, 2);
            CHECK_EQUAL(sap_multi_move(m, (sap_id)(i + 1), &box), SAP_OK);
        }
    }
    CHECK(m->cells_used > 4);
    sap_multi_destroy(m);
    return hash;
}

/* config.parallel runs jobs: parallel(job, data, count, parallel_user) calls job(data, i) for all i from 0 to count - 1,
   on any threads, in any order, and returns when all are done. */
static void multi_threads_run_jobs(void) {
    uint64_t expected = live_in_cells(NULL, NULL);
    batches_run = 0;
    CHECK(live_in_cells(run_backwards, NULL) == expected);
    CHECK(batches_run > 8);
    batches_run = 0;
    CHECK(live_in_cells(run_in_threads, NULL) == expected);
    CHECK(batches_run > 8);
}

/* Jobs share nothing that they write, and call neither the allocator nor the filter. (That they share nothing is seen
   by the thread sanitizer, which runs this file and test_multi.c.) */
static void multi_threads_share_nothing(void) {
    uint64_t expected = live_in_cells(NULL, thread_filter);
    calls_from_jobs = filter_faults = filter_calls = 0;
    CHECK(live_in_cells(run_in_threads, thread_filter) == expected);
    CHECK(filter_calls > 100);
    CHECK_EQUAL(filter_faults, 0);
    CHECK_EQUAL(calls_from_jobs, 0);
}

/* Without it all runs on the caller's thread. */
static void multi_threads_are_yours(void) {
    batches_run = filter_calls = filter_faults = 0;
    (void)live_in_cells(NULL, thread_filter);
    CHECK_EQUAL(batches_run, 0);
    CHECK(filter_calls > 100);
    CHECK_EQUAL(filter_faults, 0);
}

typedef struct multi_reader {
    sap_multi *multi;
    int hits;
} multi_reader;

static void *ask_multi_in_thread(void *argument) {
    multi_reader *r = (multi_reader *)argument;
    test_rng rng = {3};
    int i;
    r->hits = 0;
    for (i = 0; i < 200; i++) {
        sap_aabb box = lattice_box(&rng);
        r->hits += sap_multi_pairs_of(r->multi, (sap_id)(1 + i), NULL, 0);
        r->hits += sap_multi_query_box(r->multi, &box, ~0u, NULL, NULL);
    }
    return NULL;
}

/* One sap_multi is used by one thread at a time, but for looks, and for queries after sap_multi_prepare_queries, as in
   sap.h. */
static void multi_threads_may_query(void) {
    sap_multi *m = open_fixed();
    multi_reader readers[THREADS], alone;
    test_rng rng = {4};
    int i;
    for (i = 0; i < 400; i++) {
        sap_aabb box = lattice_box(&rng);
        (void)sap_multi_add(m, &box, NULL);
    }
    settle(m);
    CHECK_EQUAL(sap_multi_prepare_queries(m), SAP_OK);
    for (i = 0; i < THREADS; i++) readers[i].multi = m;
    run_threads(ask_multi_in_thread, (char *)readers, sizeof readers[0]);
    alone.multi = m;
    (void)ask_multi_in_thread(&alone);
    CHECK(alone.hits > 400);
    for (i = 0; i < THREADS; i++) CHECK_EQUAL(readers[i].hits, alone.hits);
    sap_multi_destroy(m);
}

static int calls_since(int *batches) {
    int calls = batches_run - *batches;
    *batches = batches_run;
    return calls;
}

/* Jobs do what grows with the boxes, in some ten calls an update: they take moves in (sap_multi_move_many, ids or slots
   in ascending order, until the first query), bring strips and cells in step or build them, find what begins and ends, and
   link the pairs. */
static void multi_threads_do_what_grows(void) {
    sap_multi_config c;
    sap_multi *m;
    sap_id swap;
    int i, frame, batches = batches_run;
    memset(&c, 0, sizeof c);
    c.parallel = run_backwards;
    c.parallel_user = &batches_run;
    m = sap_multi_create(&c);
    if (!m) exit(2);
    m->whole->threads_from = MANY;
    lay_out(2 * MANY, 3);
    CHECK_EQUAL(sap_multi_add_many(m, 2 * MANY, many_boxes, NULL, many_ids), SAP_OK);
    CHECK_EQUAL(calls_since(&batches), 0);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK); /* builds */
    i = calls_since(&batches);
    CHECK_BETWEEN(i, 6, 12);
    for (frame = 0; frame < 5; frame++) {
        for (i = 0; i < 2 * MANY; i++) many_boxes[i].max[0] += 0.01f;
        if (frame == 1) { /* a recycled slot: slots ascend, ids do not */
            CHECK_EQUAL(sap_multi_remove(m, many_ids[0]), SAP_OK);
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            many_ids[0] = sap_multi_add(m, &many_boxes[0], NULL);
            CHECK(many_ids[0] > many_ids[1] && sap__slot_of(many_ids[0]) < sap__slot_of(many_ids[1]));
        }
        if (frame == 2) { /* ids ascend, slots do not */
            swap = many_ids[0];
            memmove(many_ids, many_ids + 1, (2 * MANY - 1) * sizeof *many_ids);
            many_ids[2 * MANY - 1] = swap;
        }
        if (frame == 3) { /* neither */
            swap = many_ids[0];
            many_ids[0] = many_ids[2 * MANY - 2];
            many_ids[2 * MANY - 2] = swap;
        }
        (void)calls_since(&batches);
        if (frame == 4) CHECK_EQUAL(sap_multi_prepare_queries(m), SAP_OK);
        CHECK_EQUAL(sap_multi_move_many(m, 2 * MANY, many_ids, many_boxes), SAP_OK);
        i = calls_since(&batches);
        if (frame == 0) CHECK_EQUAL(i, 1);
        if (frame == 1) CHECK_EQUAL(i, 3); /* looks for errors, as something is recorded; by ids in vain; by slots */
        if (frame == 2) CHECK_EQUAL(i, 2); /* by slots, as the last time, in vain; by ids */
        if (frame == 3) CHECK_EQUAL(i, 2); /* both in vain: the first box is beyond the second share's */
        if (frame == 4) CHECK_EQUAL(i, 0);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        i = calls_since(&batches);
        CHECK_BETWEEN(i, 4, 12);
    }
    for (i = 0; i < SAP__SHARES; i++) { /* each about an eighth */
        const sap__strips *t = &m->shares[i].moving;
        int s, chunks = 0;
        for (s = t->begin; s < t->end; s++) chunks += t->strip[s].count;
        CHECK_BETWEEN(chunks * SAP__SHARES, sap__length(t->chunks) / 3, 2 * sap__length(t->chunks));
    }
    CHECK_EQUAL(sap_multi_move_many(m, 10, many_ids, many_boxes), SAP_OK); /* with fewer one thread is faster */
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(calls_since(&batches), 0);
    sap_multi_destroy(m);
}

/* ================================================================================================================ */
/* sap_multi.h: memory                                                                                              */
/* ================================================================================================================ */

/* Threads take some 80 bytes a box on top of sap.h's, from the first update on that they share, and what is reserved for
   them is 64 bytes a pair more. */
static void multi_memory_of_threads(void) {
    enum { PAIRS = 100000 };
    sap_multi_config c;
    sap_multi *m;
    sap_world *s = open_world(NULL);
    size_t alone, both;
    memset(&c, 0, sizeof c);
    c.parallel = run_backwards;
    m = sap_multi_create(&c);
    if (!m) exit(2);
    lay_out(2 * MANY, 3);
    m->whole->threads_from = MANY;
    CHECK_EQUAL(sap_add_many(s, 2 * MANY, many_boxes, NULL, many_ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_multi_add_many(m, 2 * MANY, many_boxes, NULL, many_ids), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_BETWEEN(each(multi_bytes_of(m), bytes_of(s), 2 * MANY), 60, 100);
    CHECK_EQUAL(sap_reserve(s, 0, PAIRS), SAP_OK);
    CHECK_EQUAL(sap_multi_reserve(m, 0, PAIRS), SAP_OK);
    alone = bytes_of(s);
    both = multi_bytes_of(m);
    CHECK_EQUAL(sap_reserve(s, 0, 10 * PAIRS), SAP_OK);
    CHECK_EQUAL(sap_multi_reserve(m, 0, 10 * PAIRS), SAP_OK);
    CHECK_BETWEEN(each(multi_bytes_of(m) - both, bytes_of(s) - alone, 9 * PAIRS), 63, 67);
    sap_multi_destroy(m);
    sap_destroy(s);
}

/* A chosen grid takes some 200. */
static void multi_memory_of_a_box(void) {
    sap_world *s = open_world(NULL);
    sap_multi *m = open_multi(NULL);
    lay_out(2 * MANY, 3);
    CHECK_EQUAL(sap_add_many(s, 2 * MANY, many_boxes, NULL, many_ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_multi_add_many(m, 2 * MANY, many_boxes, NULL, many_ids), SAP_OK);
    settle(m);
    CHECK(m->cells_used > 1);
    CHECK_BETWEEN(each(multi_bytes_of(m), bytes_of(s), 2 * MANY), 100, 250);
    sap_multi_destroy(m);
    sap_destroy(s);
}

/* A cell takes 20 to 30 KB with its scratch: hashed cells of few boxes cost much more a box. */
static void multi_memory_of_a_cell(void) {
    enum { CELLS = 8 };
    sap_multi *m = open_hashed(16, 0, 0, 0);
    size_t with_one, with_all;
    int i;
    (void)fill_cell(m, 0, 0, 0);
    settle(m);
    with_one = multi_bytes_of(m);
    for (i = 1; i <= CELLS; i++) (void)fill_cell(m, 16 * (float)i, 0, 0);
    settle(m);
    with_all = multi_bytes_of(m);
    CHECK_BETWEEN((with_all - with_one) / CELLS, 10000, 40000);
    sap_multi_destroy(m);
}

/* After sap_multi_reserve no call allocates until a number is exceeded, but an update may in which a cell is entered for
   the first time, or holds more than it ever did. (Thorough: test_multi.c, reserved.) */
static void multi_memory_is_reserved(void) {
    sap_multi *m = open_hashed(16, 0, 0, 0);
    sap_id first;
    long before;
    int i;
    CHECK_EQUAL(sap_multi_reserve(m, 200, 2000), SAP_OK);
    first = fill_cell(m, 0, 0, 0);
    settle(m);
    before = allocations;
    move_cell(m, first, 16); /* a new cell */
    CHECK(allocations > before);
    for (i = 0; i < 6; i++) move_cell(m, first, i % 2 ? 16 : -16); /* until both have room */
    before = allocations;
    for (i = 0; i < 6; i++) move_cell(m, first, i % 2 ? 16 : -16);
    CHECK_EQUAL(allocations, before);
    for (i = 0; i < 5; i++) (void)fill_cell(m, 16, 0, 0); /* more than it ever held */
    settle(m);
    CHECK(allocations > before);
    sap_multi_destroy(m);
}

/* What fails for memory fails as in sap.h: nothing has changed, and a later call succeeds. (Thorough: test_multi.c,
   every_allocation_fails.) */
static void multi_memory_may_fail(void) {
    sap_multi *m = open_fixed();
    sap_result r;
    int failures = 0;
    (void)fill_cell(m, 0, 0, 0);
    settle(m);
    (void)fill_cell(m, 16, 0, 0);
    (void)fill_cell(m, 16.5f, 0, 0);
    for (;;) { /* each time there is memory for one array more */
        uint64_t before = state_of_multi(m);
        allocations = 0;
        fail_from = failures > 0;
        fail_count = LONG_MAX / 2;
        r = sap_multi_update(m);
        never_fail();
        if (r == SAP_OK) break;
        failures++;
        CHECK_EQUAL(r, SAP_ERROR_MEMORY);
        CHECK(state_of_multi(m) == before);
        CHECK(sap_multi_validate(m) == NULL);
    }
    CHECK(failures > 5);
    CHECK_EQUAL(multi_pairs(m), IN_CELL);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}

/* ================================================================================================================ */
/* Every sentence has its test                                                                                      */
/* ================================================================================================================ */

enum { LONGEST = 1000 }; /* sentence */

/* A file of the repository, from the path of this one. */
static char *read_source(const char *name) {
    const char *here = __FILE__, *end = strstr(here, "tests/test_doc.c");
    char path[1024], *text;
    size_t size = 1 << 20;
    FILE *file;
    if (!end) exit(2);
    snprintf(path, sizeof path, "%.*s%s", (int)(end - here), here, name);
    file = fopen(path, "rb");
    if (!CHECK_MESSAGE(file != NULL, "cannot read %s", path)) exit(test_summary());
    text = (char *)malloc(size);
    if (!text) exit(2);
    size = fread(text, 1, size - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* Appends text, every run of white space as one blank. */
static void append_folded(char *to, const char *text, size_t size) {
    size_t n = strlen(to), i;
    for (i = 0; i < size; i++) {
        int is_space = text[i] == ' ' || text[i] == '\n';
        if (is_space && (n == 0 || to[n - 1] == ' ')) continue;
        if (n + 1 == LONGEST) exit(2);
        to[n++] = is_space ? ' ' : text[i];
    }
    while (n && to[n - 1] == ' ') n--;
    to[n] = '\0';
}

/* The next comment that stands above a test, that is, a function of nothing; *at goes behind it. */
static int next_comment(const char **at, char comment[LONGEST]) {
    for (;;) {
        const char *begin = strstr(*at, "\n/* "), *end, *line_end;
        if (!begin) return 0;
        end = strstr(begin, "*/");
        *at = end;
        line_end = strchr(end + 3, '\n');
        if (strncmp(end + 3, "static void ", 12) != 0 || strncmp(line_end - 8, "(void) {", 8) != 0) continue;
        comment[0] = '\0';
        append_folded(comment, begin + 4, (size_t)(end - begin - 4));
        return 1;
    }
}

/* The comment is the sentence, or goes on in parentheses. */
static int is_comment_of(const char *comment, const char *sentence) {
    size_t n = strlen(sentence);
    return strncmp(comment, sentence, n) == 0 && (comment[n] == '\0' || strncmp(comment + n, " (", 2) == 0);
}

/* The sentences of a piece of prose, each against the next comment; one that begins with "See" belongs to the one before.
   0 after the first that differs. */
static int check_sentences(const char *file, char *piece, const char **at) {
    while (*piece) {
        char comment[LONGEST], *end = piece;
        char rest;
        do end += strcspn(end, ".?!"), end += *end != '\0';
        while (*end && (*end != ' ' || strncmp(end, " See ", 5) == 0));
        rest = *end;
        *end = '\0';
        if (!next_comment(at, comment)) comment[0] = '\0';
        if (!CHECK_MESSAGE(is_comment_of(comment, piece), "%s says '%s', the next test is of '%s'", file, piece,
                           comment))
            return 0;
        piece = end + (rest != '\0');
    }
    return 1;
}

/* Pieces end at blank lines, and where a list has its next item: "- ..." or "name   ...". */
static int check_section(const char *file, const char *header, const char *name, const char **at) {
    char title[64], piece[LONGEST] = "";
    const char *line;
    snprintf(title, sizeof title, "\n   ---- %s ----\n", name);
    line = strstr(header, title);
    if (!CHECK_MESSAGE(line != NULL, "%s has no section '%s'", file, name)) return 0;
    line += strlen(title);
    while (strncmp(line, "   ---- ", 8) != 0 && strncmp(line, "*/", 2) != 0) {
        size_t length = strcspn(line, "\n"), indent = strspn(line, " "), word = indent + strcspn(line + indent, " \n");
        int is_dash = strncmp(line + indent, "- ", 2) == 0;
        int is_item = indent == 3 && (is_dash || strncmp(line + word, "   ", 3) == 0);
        if (length == 0 || is_item) {
            if (!check_sentences(file, piece, at)) return 0;
            piece[0] = '\0';
        }
        if (is_dash) indent += 2;
        if (length > indent) {
            if (piece[0]) strcat(piece, " ");
            append_folded(piece, line + indent, length - indent);
        }
        line += length + 1;
    }
    return check_sentences(file, piece, at);
}

static void every_sentence_has_its_test(void) {
    static const char *const sections[][2] = {
        {"sap.h", "does not"},      {"sap.h", "how a frame goes"}, {"sap.h", "threads"}, {"sap.h", "determinism"},
        {"sap.h", "limits"},        {"sap.h", "errors"},           {"sap.h", "memory"},  {"sap_multi.h", "the grid"},
        {"sap_multi.h", "threads"}, {"sap_multi.h", "memory"},
    };
    char *source = read_source("tests/test_doc.c"), comment[LONGEST];
    const char *at = source;
    size_t i;
    int good = 1;
    for (i = 0; good && i < sizeof sections / sizeof sections[0]; i++) {
        char *header = read_source(sections[i][0]);
        good = check_section(sections[i][0], header, sections[i][1], &at);
        free(header);
    }
    if (good) CHECK_MESSAGE(!next_comment(&at, comment), "no header says '%s'", comment);
    free(source);
}

int main(void) {
    every_sentence_has_its_test();
    does_not_collide_shapes();
    does_not_test_what_is_in_boxes();
    does_not_fatten_boxes();
    does_not_add_a_margin();
    does_not_sweep();
    does_not_tunnel_with_the_box_of_the_way();
    does_not_lock();
    a_frame_records_then_settles();
    a_frame_may_change_boxes_in_callbacks();
    a_frame_pairs_boxes_that_touch();
    a_frame_takes_infinite_bounds();
    a_frame_has_no_world_bounds();
    threads_have_worlds_of_their_own();
    threads_may_query_a_prepared_world();
    determinism_of_everything_seen();
    determinism_by_integers();
    determinism_of_hits();
    determinism_ends_at_visits_and_counts();
    limits_and_lower_ones();
    limits_fail_the_call_and_drop_nothing();
    errors_bad_data_gets_a_code_in_every_build_and_changes_nothing();
    errors_many_is_all_or_nothing();
    errors_have_a_text_and_are_kept();
    errors_never_assert();
    memory_of_a_box();
    memory_of_a_pair();
    memory_doubles();
    memory_of_the_tree();
    memory_is_reserved();
    memory_for_changes_is_there();
    memory_may_fail_in_an_update();
    multi_grid_is_fixed();
    multi_grid_is_wrapped();
    multi_grid_leaves_no_box_outside();
    multi_grid_is_hashed();
    multi_grid_has_entries();
    multi_grid_is_chosen();
    multi_grid_has_outer_cells_without_end();
    multi_grid_divides_any_axes();
    multi_grid_costs_where_boxes_are();
    multi_grid_pools_empty_cells();
    multi_grid_has_one_more_sap();
    multi_grid_doubles_small_cells();
    multi_threads_run_jobs();
    multi_threads_share_nothing();
    multi_threads_are_yours();
    multi_threads_may_query();
    multi_threads_do_what_grows();
    multi_memory_of_threads();
    multi_memory_of_a_box();
    multi_memory_of_a_cell();
    multi_memory_is_reserved();
    multi_memory_may_fail();
    CHECK_EQUAL(faults, 0);
    CHECK_EQUAL(live_blocks, 0);
    return test_summary();
}
