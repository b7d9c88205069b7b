/* test_alloc.c - memory: every allocation may fail, none is forgotten, and after sap_reserve there is none.

   usage: test_alloc [seed]   default 1 */

#include "model.h"
#include "scenes.h"
#include "ways.h"

/* A world that settles by this method. */
static sap_world *open_method(int method) {
    sap_config config;
    memset(&config, 0, sizeof config);
    config.method = method;
    return sap_create(&config);
}

/* ---- every allocation fails once ------------------------------------------------------------- */

static long failures; /* calls that reported SAP_ERROR_MEMORY */

/* A hash of eight bytes at a time: each failure of an allocation has two of them. */
static uint64_t hash_words(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t word;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return test_hash(hash, bytes, size);
}

/* What can be seen of a world; a call that fails for memory must not change it. */
static uint64_t look(const sap_world *s) {
    uint64_t hash = 14695981039346656037u;
    int count, i;
    const sap_pair *p;
    p = sap_pairs(s, &count);
    hash = hash_words(hash, p, (size_t)count * sizeof *p);
    p = sap_created(s, &count);
    hash = hash_words(hash, p, (size_t)count * sizeof *p);
    p = sap_deleted(s, &count);
    hash = hash_words(hash, p, (size_t)count * sizeof *p);
    count = sap_count(s);
    hash = hash_words(hash, &count, sizeof count);
    for (i = 0; i < 400; i++) {
        int answers[2];
        sap_aabb box;
        memset(&box, 0, sizeof box);
        answers[0] = sap_is_valid(s, (sap_id)i);
        answers[1] = (int)sap_get_box(s, (sap_id)i, &box);
        hash = hash_words(hash, answers, sizeof answers);
        hash = hash_words(hash, &box, sizeof box);
    }
    return hash;
}

/* Calls until it is not memory that is missing. Each failure must leave everything as it was. */
#define TRY(s, result)                                                                                                 \
    do {                                                                                                               \
        for (;;) {                                                                                                     \
            uint64_t before_ = look(s);                                                                                \
            int result_ = (int)(result);                                                                               \
            CHECK_EQUAL(sap_last_error(s), result_);                                                                   \
            if (result_ != SAP_ERROR_MEMORY) {                                                                         \
                CHECK_EQUAL(result_, SAP_OK);                                                                          \
                break;                                                                                                 \
            }                                                                                                          \
            failures++;                                                                                                \
            CHECK(look(s) == before_);                                                                                 \
            CHECK(sap_validate(s) == NULL);                                                                            \
        }                                                                                                              \
    } while (0)

static sap_result add_one(sap_world *s, const sap_aabb *box, void *object, int is_static, sap_id *id) {
    *id = is_static ? sap_add_static(s, box, object) : sap_add(s, box, object);
    return *id ? SAP_OK : sap_last_error(s);
}

static void *data_of(const sap_pair *pair, void *user) {
    ++*(int *)user;
    return (void *)(uintptr_t)(pair->id0 * 1000 + pair->id1);
}

static void count_deleted(const sap_pair *pair, void *user) {
    (void)pair;
    ++*(int *)user;
}

static sap_result dump(sap_world *s, int *calls) {
    int answer;
    *calls = 0;
    answer = sap_dump_pairs(s, data_of, count_deleted, calls);
    if (answer < 0) CHECK_EQUAL(*calls, 0);
    return answer < 0 ? (sap_result)-answer : SAP_OK;
}

static sap_result prune(const sap_aabb *boxes, int n, sap_world *s, long long *answer) {
    long long other, alone;
    *answer = sap_box_prune(boxes, n, 0, NULL, NULL);
    other = sap_box_prune_bipartite(boxes, n / 2, boxes + n / 2, n - n / 2, 0, NULL, NULL);
    alone = sap_box_prune_bipartite(boxes, n, NULL, 0, 0, NULL, NULL);
    if (*answer < 0 || other < 0 || alone < 0) {
        CHECK(*answer >= 0 || *answer == -SAP_ERROR_MEMORY);
        CHECK(other >= 0 || other == -SAP_ERROR_MEMORY);
        CHECK(alone == 0 || alone == -SAP_ERROR_MEMORY);
        failures++;
        return SAP_ERROR_MEMORY;
    }
    *answer += other * 1000000;
    (void)s;
    return SAP_OK;
}

static int allow(const sap_pair *pair, void *user) {
    (void)user;
    return (pair->id0 + pair->id1) % 5 != 0;
}

/* Queries until none of them lacks memory; each failure is said in its own way. */
static uint64_t query(sap_world *s, const sap_aabb *boxes, int n, sap_id id) {
    uint64_t hash = 5;
    int i, count;
    for (i = 0; i < n; i += 5) {
        float distance;
        sap_id nearest, ids[4];
        while ((count = sap_query_box(s, &boxes[i], ~0u, NULL, NULL)) < 0) {
            CHECK_EQUAL(count, -SAP_ERROR_MEMORY);
            failures++;
        }
        hash = hash * 31 + (uint64_t)count;
        while ((count = sap_query_nearest(s, boxes[i].min, 3, ~0u, NULL, NULL)) < 0) failures++;
        hash = hash * 31 + (uint64_t)count;
        while ((nearest = sap_nearest_to(s, id, 1000, ~0u, &distance)) == 0 && test_key(distance) == test_key(-1))
            failures++;
        hash = hash * 31 + nearest;
        while ((count = sap_query_box_ids(s, &boxes[i], ~0u, ids, 4)) < 0) failures++;
        hash = hash * 31 + (uint64_t)count * 1000 + (count ? ids[0] : 0);
        while ((count = sap_nearest_ids(s, boxes[i].min, 100, ~0u, ids, &distance, 1)) < 0) failures++;
        hash = hash * 31 + (uint64_t)count * 1000 + (count ? ids[0] : 0);
        while ((count = sap_query_sphere_ids(s, boxes[i].min, 2, ~0u, NULL, 0)) < 0) failures++;
        hash = hash * 31 + (uint64_t)count;
        while ((nearest = sap_box_closest(s, &boxes[i], boxes[0].max, ~0u, id, &distance, NULL)) == 0 && distance < 0)
            failures++;
        hash = hash * 31 + nearest;
    }
    return hash;
}

/* A scenario that uses every call at least once, growing enough for every array to be enlarged. Returns
   one number for all that it has seen: the same, however often memory was missing on the way. */
static uint64_t scenario(int method, uint64_t seed) {
    test_rng rng;
    sap_config config;
    sap_world *s;
    sap_aabb boxes[300], box;
    sap_id ids[300], id;
    uint64_t hash = 1;
    long long pruned;
    int i, round, calls, n;
    float offset[3] = {1, 2, 3};
    rng.state = seed;
    memset(&config, 0, sizeof config);
    config.filter = allow;
    config.method = method;
    while ((s = sap_create(&config)) == NULL) failures++;
    for (round = 0; round < 5; round++) {
        n = round == 2 ? 150 : 12;
        for (i = 0; i < n; i++) scene_box(&rng, round == 3 ? SCENE_PILE : SCENE_LATTICE, &boxes[i]);
        for (i = 0; i < n; i++) ids[i] = 7;
        TRY(s, round & 1 ? sap_add_static_many(s, n, boxes, NULL, ids) : sap_add_many(s, n, boxes, NULL, ids));
        hash = test_hash(hash, ids, (size_t)n * sizeof *ids);
        for (i = 0; i < 4; i++) {
            scene_box(&rng, SCENE_LATTICE, &box);
            TRY(s, add_one(s, &box, NULL, i % 3 == 0, &id));
            hash = test_hash(hash, &id, sizeof id);
        }
        TRY(s, dump(s, &calls));
        hash = test_hash(hash, &calls, sizeof calls);
        hash ^= look(s) * 3;
        for (i = 0; i < n; i++) {
            scene_nudge(&rng, SCENE_LATTICE, 0.3f, &boxes[i]);
            CHECK_EQUAL(sap_move(s, ids[i], &boxes[i]), SAP_OK);
        }
        TRY(s, sap_set_filter(s, ids[0], 2, 2));
        TRY(s, sap_refilter(s, ids[1]));
        TRY(s, sap_set_static(s, ids[2], round & 1 ? 0 : 1));
        TRY(s, sap_set_pair_filter(s, round % 2 ? allow : NULL, NULL));
        TRY(s, sap_set_filter_many(s, 3, ids + 3, 1, 1));
        TRY(s, sap_update(s));
        hash = hash * 31 + look(s);
        for (i = 0; i < n; i++) scene_box(&rng, SCENE_LATTICE, &boxes[i]);
        TRY(s, sap_move_many(s, n, ids, boxes));
        hash = hash * 31 + query(s, boxes, n, ids[5]);
        TRY(s, sap_remove(s, ids[0]));
        TRY(s, sap_remove_many(s, n / 2, ids + 1));
        TRY(s, sap_shift_origin(s, offset));
        TRY(s, sap_update(s));
        hash = hash * 31 + look(s);
        while (prune(boxes, n, s, &pruned) != SAP_OK) {
        }
        hash = test_hash(hash, &pruned, sizeof pruned);
        if (round == 3) TRY(s, sap_reserve(s, 1000, 5000));
        if (round == 4) TRY(s, sap_clear(s));
    }
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
    return hash;
}

static void every_allocation_fails(int method, uint64_t seed) {
    uint64_t expected;
    long count, k, reported = 0;
    static const int in_a_row[] = {1, 3};
    int j;
    never_fail();
    allocations = 0;
    failures = 0;
    expected = scenario(method, seed);
    count = allocations;
    CHECK_EQUAL(failures, 0);
    CHECK(count > 20);
    for (j = 0; j < 2; j++)
        for (k = 0; k < count; k += in_a_row[j]) {
            allocations = 0;
            failures = 0;
            fail_from = k;
            fail_count = in_a_row[j];
            CHECK(scenario(method, seed) == expected);
            CHECK_MESSAGE(failures > 0, "allocation %ld of %ld failed and nobody said so", k, count);
            reported += failures;
        }
    never_fail();
    CHECK(reported > count);
}

/* ---- calls that never fail for memory -------------------------------------------------------- */

static void what_never_fails(int method) {
    enum { N = 200 };
    sap_world *s = open_method(method);
    sap_aabb boxes[N];
    sap_id ids[N];
    test_rng rng;
    int i, round;
    if (!CHECK(s != NULL)) exit(1);
    rng.state = 5;
    for (i = 0; i < N; i++) scene_box(&rng, SCENE_UNIFORM, &boxes[i]);
    CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
    for (round = 0; round < 2; round++) { /* with boxes just added, and with settled ones */
        always_fail();
        for (i = 0; i < N; i++) scene_nudge(&rng, SCENE_UNIFORM, 0.3f, &boxes[i]);
        for (i = 0; i < N; i += 2) CHECK_EQUAL(sap_move(s, ids[i], &boxes[i]), SAP_OK);
        CHECK_EQUAL(sap_move_many(s, N, ids, boxes), SAP_OK);
        for (i = 0; i < N; i++) CHECK_EQUAL(sap_refilter(s, ids[i]), SAP_OK);
        for (i = 0; i < N; i++) CHECK_EQUAL(sap_set_filter(s, ids[i], 1, 3), SAP_OK);
        CHECK_EQUAL(sap_set_filter_many(s, N, ids, 1, 7), SAP_OK);
        for (i = 0; i < N; i += 3) CHECK_EQUAL(sap_set_static(s, ids[i], round == 0), SAP_OK);
        for (i = 0; i < N; i++) CHECK_EQUAL(sap_set_object(s, ids[i], &rng), SAP_OK);
        CHECK_EQUAL(sap_set_pair_filter(s, allow, NULL), SAP_OK);
        if (round == 1) {
            for (i = 0; i < N / 2; i++) CHECK_EQUAL(sap_remove(s, ids[i]), SAP_OK);
            CHECK_EQUAL(sap_remove_many(s, N / 4, ids + N / 2), SAP_OK);
            CHECK_EQUAL(sap_clear(s), SAP_OK);
        }
        CHECK(sap_validate(s) == NULL);
        never_fail();
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
    CHECK_EQUAL(sap_count(s), 0);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* An update that cannot get memory again and again keeps all that is recorded. */
static void update_waits_for_memory(int method) {
    enum { N = 300 };
    sap_world *s = open_method(method);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    int i, count;
    if (!CHECK(s != NULL)) exit(1);
    for (i = 0; i < N; i++) CHECK_EQUAL(sap_add(s, &box, NULL), i + 1);
    always_fail();
    for (i = 0; i < 5; i++) {
        CHECK_EQUAL(sap_update(s), SAP_ERROR_MEMORY);
        CHECK_EQUAL(sap_remove(s, (sap_id)(i + 1)), SAP_OK); /* and recording goes on */
        CHECK(sap_validate(s) == NULL);
    }
    sap_pairs(s, &count);
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(sap_add(s, &box, NULL) == 0 || sap_last_error(s) == SAP_OK, 1);
    never_fail();
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_created(s, &count);
    i = sap_count(s);
    CHECK_EQUAL(count, i * (i - 1) / 2);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* Memory fails between the growth of one array and the next; then boxes come, as many as there is room for. */
static void rooms_grow_unevenly(uint64_t seed) {
    enum { ROUNDS = 100, STEPS = 12, MOST = 300 };
    static sap_aabb boxes[MOST];
    static sap_id ids[MOST];
    test_rng rng;
    int round, step, i;
    rng.state = seed;
    for (i = 0; i < MOST; i++) scene_box(&rng, SCENE_UNIFORM, &boxes[i]);
    for (round = 0; round < ROUNDS; round++) {
        sap_world *s = sap_create(NULL);
        if (!CHECK(s != NULL)) exit(1);
        for (step = 0; step < STEPS; step++) {
            int n = 1 + test_below(&rng, MOST);
            allocations = 0;
            fail_from = test_below(&rng, 12);
            fail_count = 1;
            switch (test_below(&rng, 3)) {
            case 0: (void)sap_reserve(s, 4 * n, 0); break;
            case 1: (void)sap_add_many(s, n, boxes, NULL, ids); break;
            default:
                for (i = 0; i < n; i++) (void)sap_add(s, &boxes[i], NULL);
            }
            never_fail();
            CHECK(sap_validate(s) == NULL);
        }
        CHECK_EQUAL(sap_update(s), SAP_OK);
        CHECK(sap_validate(s) == NULL);
        sap_destroy(s);
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* One box meets more others than there has been room for: those who ask one by one say so, too. */
static void one_meets_many(int method) {
    enum { N = 100, MANY = 90 };
    sap_world *s = open_method(method);
    sap_aabb pile = {{0, 0, 0}, {1, 1, 1}}, apart = {{10, 10, 10}, {11, 11, 11}};
    sap_id id = 0;
    int i, count;
    if (!CHECK(s != NULL)) exit(1);
    for (i = 0; i < MANY; i++) CHECK(sap_add_static(s, &pile, NULL) != 0);
    for (i = 0; i < N; i++) {
        apart.min[0] = 10 * (float)i;
        apart.max[0] = apart.min[0] + 1;
        CHECK((id = sap_add(s, &apart, NULL)) != 0);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    apart.min[0]++;
    CHECK_EQUAL(sap_move(s, id, &apart), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK); /* all indices are there now */
    CHECK_EQUAL(sap_move(s, id, &pile), SAP_OK);
    always_fail();
    CHECK_EQUAL(sap_update(s), SAP_ERROR_MEMORY);
    CHECK(sap_validate(s) == NULL);
    sap_pairs(s, &count);
    CHECK_EQUAL(count, 0);
    never_fail();
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_created(s, &count);
    CHECK_EQUAL(count, MANY);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- after sap_reserve ----------------------------------------------------------------------- */

/* Boxes go from tree to tree, a few at a time or most of them, walk or jump anywhere: the trees share what is reserved. */
static void reserved_trees(int method, uint64_t seed) {
    enum { N = 700, STEPS = 120, SIDE = 14 };
    test_rng rng;
    sap_world *s = open_method(method);
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_id found[1];
    int n = 0, step, i, k;
    rng.state = seed;
    if (!CHECK(s != NULL)) exit(1);
    CHECK_EQUAL(sap_reserve(s, N, N * N / 2), SAP_OK);
    for (step = 0; step < STEPS; step++) {
        const int kind = test_below(&rng, 4), percent = test_chance(&rng, 50) ? 3 : test_below(&rng, 101);
        const int jumps = test_chance(&rng, 30), to_shelf = test_chance(&rng, 30);
        long before = allocations;
        int gone = test_chance(&rng, 20) ? test_below(&rng, n + 1) : 0;
        n -= gone;
        CHECK_EQUAL(sap_remove_many(s, gone, ids + n), SAP_OK);
        while (n + gone < N) { /* removed boxes count until the next update */
            for (k = 0; k < 3; k++)
                boxes[n].min[k] = test_uniform(&rng, 0, SIDE), boxes[n].max[k] = boxes[n].min[k] + 1;
            if (!CHECK((ids[n] = sap_add(s, &boxes[n], NULL)) != 0)) exit(1);
            n++;
        }
        for (i = 0; i < n; i++) {
            if (!test_chance(&rng, percent)) continue;
            CHECK_EQUAL(sap_set_static(s, ids[i], kind == 1), SAP_OK);
            CHECK_EQUAL(sap_set_filter(s, ids[i], kind == 2 ? 2 : 1, kind == 2 ? 1 : kind == 3 ? 0 : ~0u), SAP_OK);
            for (k = 0; k < 3; k++) {
                const float at = to_shelf && k ? (float)(i % 3) : test_uniform(&rng, 0, SIDE);
                const float to_go = jumps ? at - boxes[i].min[k] : test_uniform(&rng, -0.2f, 0.2f);
                boxes[i].min[k] += to_go, boxes[i].max[k] = boxes[i].min[k] + 1;
            }
            CHECK_EQUAL(sap_move(s, ids[i], &boxes[i]), SAP_OK);
        }
        if (step % 3 == 0) (void)sap_nearest_ids(s, boxes[0].min, 2, ~0u, found, NULL, 1);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        if (!CHECK_MESSAGE(allocations == before, "%ld allocations in step %d of seed %d, method %d",
                           allocations - before, step, (int)seed, method))
            break;
        const char *broken = sap_validate(s);
        if (!CHECK_MESSAGE(!broken, "%s: step %d of seed %d, method %d", broken, step, (int)seed, method)) break;
    }
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* Boxes jump ever farther apart, so that their tree opens as many subtrees as there is memory for, and then some become
   static: the tree is packed again to make room for another one. A world that has reserved nothing has the same pairs. */
static void reserved_trees_far_apart(void) {
    enum { N = 6000, STEPS = 200, FEW = N / 100 };
    test_rng rng = {1};
    sap_world *worlds[2];
    sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
    static sap_id ids[2][N];
    float far_away = 1;
    long before;
    int i, k, w, step;
    for (w = 0; w < 2; w++) worlds[w] = open_method(SAP_METHOD_QUERY);
    if (!CHECK(worlds[0] && worlds[1])) exit(1);
    CHECK_EQUAL(sap_reserve(worlds[0], N, 8 * N), SAP_OK);
    for (i = 0; i < N; i++) {
        for (k = 0; k < 3; k++) box.min[k] = test_uniform(&rng, 0, 100), box.max[k] = box.min[k] + 1;
        for (w = 0; w < 2; w++) ids[w][i] = sap_add(worlds[w], &box, NULL);
    }
    for (step = 0; step < STEPS; step++, far_away *= 1.1f) {
        int pairs[2], created[2], deleted[2];
        CHECK_EQUAL(sap_update(worlds[1]), SAP_OK);
        before = allocations;
        CHECK_EQUAL(sap_update(worlds[0]), SAP_OK);
        CHECK_EQUAL(allocations, before);
        for (w = 0; w < 2; w++) {
            sap_pairs(worlds[w], &pairs[w]);
            sap_created(worlds[w], &created[w]);
            sap_deleted(worlds[w], &deleted[w]);
        }
        CHECK_MESSAGE(pairs[0] == pairs[1] && created[0] == created[1] && deleted[0] == deleted[1],
                      "step %d: %d pairs, %d created, %d deleted, not %d, %d, %d", step, pairs[0], created[0],
                      deleted[0], pairs[1], created[1], deleted[1]);
        for (i = 0; i < FEW; i++) {
            const int at = test_below(&rng, N);
            for (k = 0; k < 3; k++)
                box.min[k] = far_away * test_uniform(&rng, -100, 100), box.max[k] = box.min[k] + far_away * 4;
            for (w = 0; w < 2; w++) {
                CHECK_EQUAL(sap_move(worlds[w], ids[w][at], &box), SAP_OK);
                if (step > STEPS / 2) CHECK_EQUAL(sap_set_static(worlds[w], ids[w][at], 1), SAP_OK);
            }
        }
    }
    for (w = 0; w < 2; w++) {
        CHECK(sap_validate(worlds[w]) == NULL);
        sap_destroy(worlds[w]);
    }
}

/* The failure of sap_reserve is reported, too, and an exceeded reservation only means that memory is asked
   for again. */
static void reserve_itself(void) {
    sap_world *s = sap_create(NULL);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    int i, count;
    if (!CHECK(s != NULL)) exit(1);
    always_fail();
    CHECK_EQUAL(sap_reserve(s, 100000, 100000), SAP_ERROR_MEMORY);
    CHECK_EQUAL(sap_reserve(s, 0, 100000), SAP_ERROR_MEMORY);
    CHECK_EQUAL(sap_create(NULL) == NULL, 1);
    never_fail();
    CHECK_EQUAL(sap_reserve(s, 10, 10), SAP_OK);
    for (i = 0; i < 100; i++) CHECK(sap_add(s, &box, NULL) != 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_pairs(s, &count);
    CHECK_EQUAL(count, 4950);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* Free slots count as what they are: as room. */
static void reserve_counts_free_slots(void) {
    enum { N = 16 }; /* the least that arrays grow to */
    sap_world *s = sap_create(NULL);
    sap_aabb boxes[N];
    sap_id ids[N] = {0};
    long before;
    if (!CHECK(s != NULL)) exit(1);
    memset(boxes, 0, sizeof boxes);
    CHECK_EQUAL(sap_reserve(s, N, N * N), SAP_OK);
    before = allocations;
    CHECK_EQUAL(sap_add_many(s, N / 2, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_remove_many(s, N / 4, ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_add_many(s, N - N / 4, boxes, NULL, ids), SAP_OK); /* some in free slots, some in new ones */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(allocations, before);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* A method has one place for each slot: also for those of a crowd that left before the method was first used. */
static void reserve_after_a_crowd(int method) {
    enum { N = 1000 };
    static sap_id ids[N];
    sap_world *s = open_method(method);
    const sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    long before;
    int i;
    for (i = 0; i < N; i++) ids[i] = sap_add(s, &box, NULL);
    CHECK_EQUAL(sap_remove_many(s, N - 1, ids), SAP_OK);
    CHECK_EQUAL(sap_reserve(s, 2, 1), SAP_OK);
    before = allocations;
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_add(s, &box, NULL) != 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(allocations, before);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* A tree keeps the leaves of which it was packed while boxes leave it one by one, and has young ones beside them: they
   may be more than the reserved boxes need, and a refit takes a place for each of their lanes. */
static void reserve_below_what_was_packed(void) {
    enum { N = 5000, JUMP = 256, LEAVE = 4, QUIET = 40 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    test_rng rng = {7};
    sap_world *s = open_method(SAP_METHOD_QUERY);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].min[k] = test_uniform(&rng, 0, 100);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
    CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    for (int i = 0; i < JUMP; i++) { /* these become young */
        for (int k = 0; k < 3; k++) boxes[i].min[k] = 100 - boxes[i].min[k], boxes[i].max[k] = boxes[i].min[k] + 1;
        CHECK_EQUAL(sap_move(s, ids[i], &boxes[i]), SAP_OK);
        CHECK_EQUAL(sap_remove_many(s, LEAVE, ids + N - LEAVE * (i + 1)), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
    for (int i = 0; i < QUIET; i++) { /* scratch memory is trimmed meanwhile */
        boxes[0].max[0] += i & 1 ? 0.01f : -0.01f;
        CHECK_EQUAL(sap_move(s, ids[0], &boxes[0]), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
    const int left = sap_count(s);
    CHECK_EQUAL(sap_reserve(s, left, N), SAP_OK);
    const long before = allocations;
    for (int i = 0; i < left; i++) boxes[i].max[0] += 0.01f;
    CHECK_EQUAL(sap_move_many(s, left, ids, boxes), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(allocations, before);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* A snapshot may have slots for all boxes that were reserved and for those that wait: it is restored in the same memory. */
static void restore_after_reserve(int method) {
    static unsigned char snapshot[1 << 16];
    sap_world *s = open_method(method);
    const sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    CHECK_EQUAL(sap_reserve(s, 10, 0), SAP_OK);
    for (int i = 0; i < 300; i++) { /* each removed box leaves a slot that waits */
        CHECK_EQUAL(sap_remove(s, sap_add(s, &box, NULL)), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
    const long before = allocations;
    CHECK_EQUAL(sap_save(s, snapshot, sizeof snapshot), SAP_OK);
    CHECK_EQUAL(sap_restore(s, snapshot, sizeof snapshot), SAP_OK);
    CHECK_EQUAL(allocations, before);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

int main(int argc, char **argv) {
    uint64_t seed = (uint64_t)test_argument(argc, argv, 1, 1);
    int method, kind;
    for (method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY; method++) {
        every_allocation_fails(method, seed);
        what_never_fails(method);
        update_waits_for_memory(method);
        one_meets_many(method);
        reserve_after_a_crowd(method);
        restore_after_reserve(method);
        for (kind = 1; kind <= 20; kind++) reserved_trees(method, seed + (uint64_t)kind);
    }
    rooms_grow_unevenly(seed);
    reserved_trees_far_apart();
    reserve_itself();
    reserve_counts_free_slots();
    reserve_below_what_was_packed();
    CHECK_EQUAL(faults, 0);
    CHECK_EQUAL(live_blocks, 0);
    return test_summary();
}
