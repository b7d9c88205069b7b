/* test_threads.c - which threads may use a world at once: each its own, and one world, until its next change, any
   number that look at it. (Queries: test_query.c. Threads that sap_multi.h is lent: test_multi.c.)

   For the thread sanitizer above all; so its allocator is that of the C library, which has no counters. */

#if defined(__wasi__)
#include "test.h"
int main(void) {
    printf("test_threads: skipped, there are no threads\n");
    CHECK(1);
    return test_summary();
}
#else
#include <pthread.h>

#include "ways.h"

enum { THREADS = 4, BOXES = 60, FRAMES = 20 };

#if defined(__TINYC__) /* without atomics threads look one at a time */
enum { AT_ONCE = 1 };
#else
enum { AT_ONCE = THREADS };
#endif

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* open when all threads are there */

typedef struct task {
    sap_world *world;
    uint64_t seed, seen;
} task;

/* Runs work(tasks[i]) on a thread each, at most so many at once. */
static void run_threads(void *(*work)(void *), task *tasks, int at_once) {
    pthread_t threads[THREADS];
    int i, k;
    for (k = 0; k < THREADS; k += at_once) {
        (void)pthread_mutex_lock(&gate);
        for (i = k; i < k + at_once; i++)
            if (pthread_create(&threads[i], NULL, work, &tasks[i]) != 0) exit(2);
        (void)pthread_mutex_unlock(&gate);
        for (i = k; i < k + at_once; i++) pthread_join(threads[i], NULL);
    }
}

static void wait_for_all(void) {
    (void)pthread_mutex_lock(&gate);
    (void)pthread_mutex_unlock(&gate);
}

static uint64_t mix(uint64_t hash, uint64_t number) {
    return (hash ^ number) * 0x100000001b3u;
}

/* Whole numbers: then most boxes touch others. */
static sap_aabb lattice_box(test_rng *rng) {
    sap_aabb box;
    int axis;
    for (axis = 0; axis < 3; axis++) {
        box.min[axis] = (float)test_below(rng, 7);
        box.max[axis] = box.min[axis] + (float)test_below(rng, 3);
    }
    return box;
}

static uint64_t look_at_events(const sap_world *s, uint64_t hash) {
    const sap_pair *pairs;
    int count, i;
    pairs = sap_created(s, &count);
    for (i = 0; i < count; i++) hash = mix(mix(hash, pairs[i].id0), pairs[i].id1);
    pairs = sap_deleted(s, &count);
    for (i = 0; i < count; i++) hash = mix(mix(hash, pairs[i].id0), pairs[i].id1);
    return hash;
}

/* Some of everything that changes a world, and all that was seen on the way. No CHECK: threads call this. */
static uint64_t live(sap_world *s, uint64_t seed) {
    test_rng rng;
    sap_id ids[BOXES];
    uint64_t hash = 1;
    int n = 0, frame, i;
    rng.state = seed;
    for (frame = 0; frame < FRAMES; frame++) {
        while (n < BOXES) {
            sap_aabb box = lattice_box(&rng);
            ids[n] = test_chance(&rng, 20) ? sap_add_static(s, &box, NULL) : sap_add(s, &box, NULL);
            hash = mix(hash, ids[n++]);
        }
        for (i = 0; i < n; i++) {
            sap_aabb box = lattice_box(&rng);
            if (test_chance(&rng, frame % 3 ? 80 : 10)) (void)sap_move(s, ids[i], &box);
        }
        for (i = 0; i < 5; i++) (void)sap_remove(s, ids[--n]);
        hash = mix(hash, (uint64_t)sap_update(s));
        hash = mix(look_at_events(s, hash), (uint64_t)sap_query_point(s, lattice_box(&rng).min, ~0u, NULL, NULL));
    }
    return hash;
}

static void *live_in_thread(void *argument) {
    task *t = (task *)argument;
    wait_for_all();
    t->seen = live(t->world, t->seed);
    return NULL;
}

static void worlds_of_their_own(int method) {
    task tasks[THREADS];
    sap_config config;
    int i;
    memset(&config, 0, sizeof config);
    config.method = method;
    for (i = 0; i < THREADS; i++) {
        tasks[i].world = sap_create(&config);
        tasks[i].seed = (uint64_t)i;
        if (!CHECK(tasks[i].world != NULL)) exit(1);
    }
    run_threads(live_in_thread, tasks, THREADS);
    for (i = 0; i < THREADS; i++) {
        sap_world *alone = sap_create(&config);
        CHECK(tasks[i].seen == live(alone, (uint64_t)i));
        sap_destroy(alone);
        sap_destroy(tasks[i].world);
    }
}

static uint64_t look(const sap_world *s) {
    uint64_t hash = look_at_events(s, 1);
    sap_id id, others[4];
    const sap_pair *pair;
    sap_aabb box;
    for (id = sap_next(s, 0); id; id = sap_next(s, id)) {
        others[0] = 0;
        hash = mix(hash, (uint64_t)sap_pairs_of(s, id, others, 4));
        pair = sap_find_pair(s, id, others[0]);
        hash = mix(mix(hash, others[0]), pair ? pair->id1 : 0);
        hash = mix(hash, sap_get_box(s, id, &box) == SAP_OK ? test_bits(box.max[1]) : 0);
    }
    return hash;
}

static void *look_in_thread(void *argument) {
    task *t = (task *)argument;
    wait_for_all(); /* what is made at the first look is made by one of them, while the others look */
    t->seen = look(t->world);
    return NULL;
}

static void *ask_in_thread(void *argument) {
    task *t = (task *)argument;
    test_rng rng = {3};
    uint64_t hash = look(t->world);
    int i;
    for (i = 0; i < 100; i++) {
        sap_aabb box = lattice_box(&rng);
        float along[3] = {5, -3, 4}, distance = 0;
        hash = mix(hash, (uint64_t)sap_query_box(t->world, &box, ~0u, NULL, NULL));
        hash = mix(hash, sap_ray_closest(t->world, box.min, along, ~0u, NULL));
        hash = mix(hash, sap_nearest(t->world, box.max, 9, ~0u, &distance) + test_bits(distance));
    }
    t->seen = hash;
    return NULL;
}

/* All threads see what one sees. */
static void readers_of_one_world(void) {
    int round, i;
    for (round = 0; round < 10; round++) {
        sap_world *s = sap_create(NULL);
        task tasks[THREADS], alone;
        if (!CHECK(s != NULL)) exit(1);
        (void)live(s, (uint64_t)round);
        alone.world = s;
        for (i = 0; i < THREADS; i++) tasks[i].world = s;
        run_threads(look_in_thread, tasks, AT_ONCE);
        for (i = 0; i < THREADS; i++) CHECK(tasks[i].seen == look(s));
        CHECK_EQUAL(sap_prepare_queries(s), SAP_OK);
        run_threads(ask_in_thread, tasks, AT_ONCE);
        (void)ask_in_thread(&alone);
        for (i = 0; i < THREADS; i++) CHECK(tasks[i].seen == alone.seen);
        CHECK(sap_validate(s) == NULL);
        sap_destroy(s);
    }
}

int main(void) {
    int method;
    use_realloc = realloc, use_free = free;
    for (method = SAP_METHOD_AUTO; method < METHODS; method++) worlds_of_their_own(method);
    readers_of_one_world();
    CHECK(gap_between_threads() >= 63); /* no cache line has the counters of two */
    return test_summary();
}
#endif
