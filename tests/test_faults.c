/* test_faults.c - faults that were found and mended, each as the small world that showed it.

   Each test fails with the version that is named in its comment. What kind of world shows more of a kind is for
   test_lives.c to look for. */

#include "ways.h"

#include "oracle.h"
#include "threads.h"

static sap_world *open_method(sap_config *config, int method) {
    sap_world *s;
    config->method = method;
    s = sap_create(config);
    if (!s) exit(1);
    return s;
}

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

static sap_aabb drawn_box(test_rng *rng, float side) {
    const float x = test_uniform(rng, 0, side), y = test_uniform(rng, 0, side);
    return box_at(x, y, test_uniform(rng, 0, side), 1);
}

/* ---- what a failed update leaves (0.2) ------------------------------------------------------------------------ */

static int refuses_first_two(const sap_pair *pair, void *user) {
    (void)user;
    return !(pair->id0 == 1 && pair->id1 == 2);
}

/* A snapshot brings boxes 1 and 2, whose pair a filter had refused, to a world without that filter. An update that
   fails in between made the world forget this: then pair (3, 4) stayed when it had ended. */
static void test_pair_that_never_ended(int method) {
    const sap_aabb here = box_at(0, 0, 0, 1), there = box_at(10, 0, 0, 1), elsewhere = box_at(50, 0, 0, 1),
                   long_one = box_at(0, 0, 0, 20);
    sap_config config = {0};
    sap_world *source, *s;
    sap_id added;
    size_t size;
    void *bytes;
    int count;
    config.filter = refuses_first_two;
    source = open_method(&config, SAP_METHOD_AUTO);
    CHECK(sap_add(source, &here, NULL) == 1 && sap_add(source, &here, NULL) == 2);
    CHECK(sap_add(source, &there, NULL) == 3 && sap_add(source, &there, NULL) == 4);
    CHECK(sap_update(source) == SAP_OK);
    size = sap_snapshot_size(source);
    bytes = malloc(size);
    if (!bytes) exit(2);
    CHECK(sap_save(source, bytes, size) == SAP_OK);
    config.filter = NULL;
    config.max_pairs = 1;
    s = open_method(&config, method);
    CHECK(sap_restore(s, bytes, size) == SAP_OK);
    CHECK(sap_move(s, 2, &elsewhere) == SAP_OK);
    added = sap_add(s, &long_one, NULL);
    CHECK(sap_update(s) == SAP_ERROR_LIMIT);
    CHECK(sap_remove(s, added) == SAP_OK);
    CHECK(sap_move(s, 2, &here) == SAP_OK);
    CHECK(sap_move(s, 3, &elsewhere) == SAP_OK);
    CHECK(sap_update(s) == SAP_OK);
    (void)sap_deleted(s, &count);
    CHECK_MESSAGE(count == 1, "method %d: the pair that has ended is not reported", method);
    CHECK_MESSAGE(sap_find_pair(s, 3, 4) == NULL, "method %d: the pair that has ended stays", method);
    CHECK(sap_validate(s) == NULL);
    free(bytes);
    sap_destroy(source);
    sap_destroy(s);
}

/* ---- max_pairs (0.2) ------------------------------------------------------------------------------------------ */

/* All boxes at one point: an update that is refused must not collect all their pairs first, nor in cells of a grid, which
   search one by one. */
enum { GRID_OF_ITS_OWN, HASHED_CELLS, CELLS_THAT_MEET_THERE, GRIDS };

static void test_limit_of_a_crowd(int method, int n, int threads, int grid) {
    const sap_aabb box = box_at(0, 0, 0, 1);
    const size_t granted = 400 * (size_t)n + 1000000; /* a tree, and some thousand pairs */
    size_t before;
    sap_config config;
    sap_grid g;
    sap_world *m;
    sap_id *ids = (sap_id *)malloc((size_t)n * sizeof *ids);
    sap_aabb *boxes = (sap_aabb *)malloc((size_t)n * sizeof *boxes);
    int i, count;
    if (!ids || !boxes) exit(2);
    memset(&config, 0, sizeof config);
    memset(&g, 0, sizeof g);
    config.method = method;
    config.max_pairs = 1000;
    g.hashed = grid == HASHED_CELLS;
    for (i = 0; i < 3 && grid != GRID_OF_ITS_OWN; i++) {
        g.cell_size[i] = grid == HASHED_CELLS ? 4.0f : 0;
        g.cells[i] = grid == CELLS_THAT_MEET_THERE ? 2 : 0;
        g.bounds.max[i] = grid == CELLS_THAT_MEET_THERE ? 1 : 0; /* the middle of a box */
    }
    m = open_with(&config, &g, threads ? run_in_threads : NULL, &threads);
    for (i = 0; i < n; i++) boxes[i] = box;
    CHECK(sap_add_many(m, n, boxes, NULL, ids) == SAP_OK);
    before = live_bytes;
    for (i = 0; i < 3; i++) {
        peak_bytes = 0;
        CHECK(sap_update(m) == SAP_ERROR_LIMIT);
        CHECK_MESSAGE(peak_bytes <= before + granted,
                      "%d boxes, method %d, grid %d: update %d takes %zu bytes to find that there are too many pairs",
                      n, method, grid, i, peak_bytes - before);
        CHECK(sap_pairs(m, &count) == NULL || count == 0);
    }
    CHECK(sap_validate(m) == NULL);
    CHECK(sap_remove_many(m, n - 40, ids) == SAP_OK);
    CHECK(sap_update(m) == SAP_OK);
    (void)sap_pairs(m, &count);
    CHECK_EQUAL(count, 40 * 39 / 2);
    sap_destroy(m);
    free(ids);
    free(boxes);
}

/* Pairs that there are already count, too, and a limit that is just met is none. */
static void test_limit_that_is_just_met(int method) {
    const sap_aabb here = box_at(0, 0, 0, 1), away = box_at(5, 0, 0, 1);
    sap_config config = {0};
    sap_world *s;
    int i, count;
    config.max_pairs = 45;
    s = open_method(&config, method);
    for (i = 0; i < 10; i++) CHECK(sap_add(s, &here, NULL) != 0);
    CHECK(sap_update(s) == SAP_OK);
    CHECK(sap_add(s, &here, NULL) == 11);
    CHECK(sap_update(s) == SAP_ERROR_LIMIT);
    for (i = 1; i <= 11; i++)
        CHECK(sap_move(s, (sap_id)i, i <= 1 ? &here : &away) == SAP_OK); /* all pairs anew but 45 */
    CHECK(sap_update(s) == SAP_OK);
    (void)sap_pairs(s, &count);
    CHECK_EQUAL(count, 45);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ---- objects that move inside callbacks (0.2) ------------------------------------------------------------------ */

typedef struct entities { /* in an array that grows: all objects change */
    sap_world *s;
    int generation;
    int calls, stale;
} entities;

static void *object_of(int generation, sap_id id) {
    return (void *)(uintptr_t)(generation * 1000 + (int)id);
}

static void let_grow(entities *e) {
    sap_id id;
    e->generation++;
    for (id = 1; id <= 6; id++) CHECK(sap_set_object(e->s, id, object_of(e->generation, id)) == SAP_OK);
}

static void look_at_objects(entities *e, const sap_pair *pair) {
    e->stale += pair->object0 != object_of(e->generation, pair->id0);
    e->stale += pair->object1 != object_of(e->generation, pair->id1);
    if (e->calls++ % 2 == 0) let_grow(e);
}

static void *grow_at_create(const sap_pair *pair, void *user) {
    look_at_objects((entities *)user, pair);
    return NULL;
}

static void grow_at_delete(const sap_pair *pair, void *user) {
    look_at_objects((entities *)user, pair);
}

static void look_at_events(entities *e) {
    int count, i, k;
    for (k = 0; k < 3; k++) {
        const sap_pair *p = k == 0   ? sap_created(e->s, &count)
                            : k == 1 ? sap_deleted(e->s, &count)
                                     : sap_pairs(e->s, &count);
        CHECK(count > 0);
        for (i = 0; i < count; i++) {
            CHECK(p[i].object0 == object_of(e->generation, p[i].id0));
            CHECK(p[i].object1 == object_of(e->generation, p[i].id1));
        }
    }
}

static void test_objects_in_callbacks(const way *w) {
    const sap_aabb here = box_at(0, 0, 0, 1), away = box_at(5, 0, 0, 1);
    entities e;
    sap_id id;
    memset(&e, 0, sizeof e);
    e.s = open_way(NULL, w);
    if (!e.s) return;
    for (id = 1; id <= 6; id++) {
        const sap_aabb *box = id <= 3 ? &here : &away;
        CHECK(sap_add(e.s, box, object_of(0, id)) == id);
    }
    CHECK(sap_update(e.s) == SAP_OK);
    CHECK(sap_move(e.s, 1, &away) == SAP_OK);
    CHECK(sap_dump_pairs(e.s, grow_at_create, grow_at_delete, &e) == 7);
    CHECK_EQUAL(e.calls, 5);
    CHECK_MESSAGE(e.stale == 0, "%d objects in events are those of before", e.stale);
    look_at_events(&e);
    sap_destroy(e.s);
}

/* The same for a box that the callback then removes, and whose slot another one takes: its object is the one it had
   last. (While this was mended.) */
static void set_and_remove(const sap_pair *pair, void *user) {
    sap_world *s = (sap_world *)user;
    CHECK(sap_set_object(s, pair->id0, s) == SAP_OK);
    CHECK(sap_remove(s, pair->id0) == SAP_OK);
}

static void test_object_of_a_box_that_goes(void) {
    const sap_aabb here = box_at(0, 0, 0, 1), away = box_at(5, 0, 0, 1);
    sap_world *s = sap_create(NULL);
    const sap_pair *p;
    int count;
    CHECK(sap_add(s, &here, NULL) == 1 && sap_add(s, &here, NULL) == 2 && sap_update(s) == SAP_OK);
    CHECK(sap_move(s, 2, &away) == SAP_OK);
    CHECK(sap_dump_pairs(s, NULL, set_and_remove, s) == 0);
    p = sap_deleted(s, &count);
    CHECK_EQUAL(count, 1);
    CHECK(count == 1 && p[0].id0 == 1 && p[0].object0 == s && p[0].object1 == NULL);
    sap_destroy(s);
}

/* ---- upkeep of trees in which nothing changed (0.4) ------------------------------------------------------------- */

/* Movers walk among many static boxes, and in each update `added` boxes of another kind come: static ones, or bullets
   that meet only others. Upkeep touches what changed, and now and then all boxes of a kind that came. */
static long long upkeep_beside(int method, int movers, int statics, int added, int are_bullets) {
    enum { UPDATES = 60 };
    static sap_aabb box[20000];
    static sap_id id[20000];
    sap_config config = {0};
    test_rng rng = {11};
    sap_world *s = open_method(&config, method);
    sap_stats stats;
    long long upkeep = 0;
    for (int i = 0; i < statics; i++) box[i] = drawn_box(&rng, 60);
    CHECK(sap_add_static_many(s, statics, box, NULL, id) == SAP_OK);
    for (int i = 0; i < movers; i++) box[i] = drawn_box(&rng, 60);
    CHECK(sap_add_many(s, movers, box, NULL, id) == SAP_OK && sap_update(s) == SAP_OK);
    for (int update = 0; update < UPDATES; update++) {
        for (int i = 0; i < movers; i++) {
            const float by = (test_uniform(&rng, 0, 1) - 0.5f) * 0.02f;
            box[i].min[0] += by;
            box[i].max[0] += by;
        }
        CHECK(sap_move_many(s, movers, id, box) == SAP_OK);
        for (int i = 0; i < added; i++) {
            const sap_aabb comes = drawn_box(&rng, 60);
            const sap_id new_id = are_bullets ? sap_add(s, &comes, NULL) : sap_add_static(s, &comes, NULL);
            if (are_bullets) CHECK(sap_set_filter(s, new_id, 2, 1) == SAP_OK);
        }
        CHECK(sap_update(s) == SAP_OK && sap_prepare_queries(s) == SAP_OK);
        sap_get_stats(s, &stats);
        upkeep += stats.upkeep;
    }
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
    return upkeep / UPDATES;
}

static void test_upkeep_of_another_kind(void) {
    /* the tree of moving boxes is refitted in each update (10,000), and not packed because others come */
    const long long alone = upkeep_beside(SAP_METHOD_PRUNE, 10000, 0, 0, 0);
    CHECK_AT_MOST(upkeep_beside(SAP_METHOD_PRUNE, 10000, 0, 80, 0), alone + alone / 10 + 10 * 80);
    CHECK_AT_MOST(upkeep_beside(SAP_METHOD_PRUNE, 10000, 0, 80, 1), alone + alone / 10 + 10 * 80);
    /* the tree of static boxes rests while bullets come, whose tree grows, and while others move */
    CHECK_AT_MOST(upkeep_beside(SAP_METHOD_QUERY, 0, 20000, 20, 1), 10 * 20);
    CHECK_AT_MOST(upkeep_beside(SAP_METHOD_SORT, 100, 20000, 0, 0), 300);
    CHECK_AT_MOST(upkeep_beside(SAP_METHOD_QUERY, 100, 20000, 0, 0), 300);
}

/* ---- upkeep between queries (while generations were built) -------------------------------------------------------- */

static sap_stats stats_now(const sap_world *s) {
    sap_stats stats;
    sap_get_stats(s, &stats);
    return stats;
}

/* Boxes that are added look at the newborn, also where SORT finds all other pairs: these are packed when that took as long
   as their pack does. */
static void test_added_boxes_look(int method) {
    enum { N = 8000, COME = 200, STEPS = 40 };
    static sap_aabb box[N];
    static sap_id id[N];
    test_rng rng = {11};
    sap_config config = {0};
    sap_world *s = open_method(&config, method);
    long long tests = 0;
    for (int i = 0; i < N; i++) box[i] = drawn_box(&rng, 100);
    CHECK(sap_add_many(s, N, box, NULL, id) == SAP_OK && sap_update(s) == SAP_OK);
    for (int step = 0; step < STEPS; step++) {
        const int from = COME * step;
        CHECK(sap_remove_many(s, COME, id + from) == SAP_OK);
        CHECK(sap_add_many(s, COME, box + from, NULL, id + from) == SAP_OK && sap_update(s) == SAP_OK);
        tests += stats_now(s).overlap_tests;
    }
    CHECK_AT_MOST(tests, 150LL * COME * STEPS);
    sap_destroy(s);
}

/* Few boxes come in each step, and look for others: they are packed once in a while, and not in each step. */
static void test_newborn_grow_old_together(void) {
    enum { N = 10000, COME = 8, STEPS = 100 };
    static sap_aabb box[N];
    static sap_id id[N];
    test_rng rng = {4};
    sap_config config = {0};
    sap_world *s = open_method(&config, SAP_METHOD_QUERY);
    long long upkeep = 0;
    for (int i = 0; i < N; i++) box[i] = drawn_box(&rng, 100);
    CHECK(sap_add_many(s, N, box, NULL, id) == SAP_OK && sap_update(s) == SAP_OK);
    for (int step = 0; step < STEPS; step++) {
        CHECK(sap_add_many(s, COME, box + COME * step, NULL, id) == SAP_OK && sap_update(s) == SAP_OK);
        upkeep += stats_now(s).upkeep;
    }
    CHECK_AT_MOST(upkeep, 5 * COME * STEPS);
    sap_destroy(s);
}

/* Many queries, and then moves and queries in turns: the queries pay for one pack, and not for one at each step. */
static void test_queries_pay_once(void) {
    enum { N = 4096, STEPS = 100 };
    static sap_aabb box[N];
    static sap_id id[N];
    const float at[3] = {30, 30, 30};
    test_rng rng = {3};
    sap_world *s = sap_create(NULL);
    for (int i = 0; i < N; i++) box[i] = drawn_box(&rng, 60);
    CHECK(sap_add_many(s, N, box, NULL, id) == SAP_OK && sap_update(s) == SAP_OK);
    box[0].max[0] += 0.1f;
    CHECK(sap_move(s, id[0], &box[0]) == SAP_OK && sap_update(s) == SAP_OK);
    for (int i = 0; i < 60000; i++) (void)sap_query_point(s, at, ~0u, NULL, NULL);
    const long long before = stats_now(s).upkeep;
    for (int i = 1; i <= STEPS; i++) {
        box[i] = drawn_box(&rng, 60);
        CHECK(sap_move(s, id[i], &box[i]) == SAP_OK && sap_query_point(s, at, ~0u, NULL, NULL) >= 0);
    }
    CHECK_AT_MOST(stats_now(s).upkeep - before, 4 * N);
    sap_destroy(s);
}

/* A world that is only queried packs what came, and its queries look at about as many boxes as in a new world. A tree of
   one box, in which nothing changes, is not packed. */
static void test_world_without_updates(void) {
    enum { N = 16384, MORE = 1000, ASKED = 1000 };
    static sap_aabb box[N + MORE];
    static sap_id id[N + MORE];
    test_rng rng = {5};
    sap_world *s = sap_create(NULL), *fresh = sap_create(NULL);
    const sap_aabb ground = {{0, -2, 0}, {200, -1, 200}};
    long long tests[2];
    for (int i = 0; i < N + MORE; i++) box[i] = drawn_box(&rng, 200);
    CHECK(sap_add_static(s, &ground, NULL) && sap_add_static(fresh, &ground, NULL));
    CHECK(sap_add_many(s, N, box, NULL, id) == SAP_OK);
    CHECK(sap_add_many(fresh, N + MORE, box, NULL, id) == SAP_OK);
    for (int i = 0; i < MORE; i++) {
        (void)sap_query_point(s, box[i].min, ~0u, NULL, NULL);
        CHECK(sap_add(s, &box[N + i], NULL) != 0);
    }
    for (int turn = 0; turn < 2; turn++) {
        sap_world *asked = turn ? fresh : s;
        CHECK(sap_prepare_queries(asked) == SAP_OK);
        tests[turn] = -stats_now(asked).query_tests;
        for (int i = 0; i < ASKED; i++) (void)sap_query_point(asked, box[i].max, ~0u, NULL, NULL);
        tests[turn] += stats_now(asked).query_tests;
    }
    CHECK_AT_MOST(tests[0], 3 * tests[1]);
    const long long before = stats_now(fresh).upkeep;
    for (int i = 0; i < 50; i++) { /* it stays at home */
        box[0].max[0] += i & 1 ? 0.001f : -0.001f;
        CHECK(sap_move(fresh, id[0], &box[0]) == SAP_OK);
        (void)sap_query_point(fresh, box[0].min, ~0u, NULL, NULL);
    }
    CHECK_EQUAL(stats_now(fresh).upkeep, before);
    sap_destroy(s);
    sap_destroy(fresh);
}

/* ---- memory that nothing needs any more (0.5) ------------------------------------------------------------------- */

enum { PEAK_MOVES, PEAK_GOES, PEAK_COMES, PEAK_IS_CLEARED, PEAKS };

/* A peak of pairs, events or boxes is given back in updates that have nothing to do, too, and these come to rest. */
static void test_idle_memory(int peak, int method, int asks) {
    enum { N = 700, IDLE = 40 };
    static sap_id id[N];
    sap_config config = {0};
    sap_world *s = open_method(&config, method);
    size_t before = 0;
    for (int step = 0; step < 3; step++) { /* apart, all in one place, and apart or gone */
        for (int i = 0; i < N; i++) {
            const sap_aabb box = box_at(step == 1 ? 0 : 3 * (float)i, 0, 0, 1);
            if (step == 0 || (step == 1 && peak == PEAK_COMES))
                id[i] = sap_add(s, &box, NULL);
            else if (step == 2 && peak == PEAK_COMES)
                CHECK_EQUAL(sap_remove(s, id[i]), SAP_OK);
            else if (step != 2 || peak == PEAK_MOVES)
                CHECK_EQUAL(sap_move(s, id[i], &box), SAP_OK);
            else if (peak == PEAK_GOES)
                CHECK_EQUAL(sap_remove(s, id[i]), SAP_OK);
        }
        if (step == 2 && peak == PEAK_IS_CLEARED) CHECK_EQUAL(sap_clear(s), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        (void)sap_find_pair(s, id[0], id[asks ? 1 : 0]);
        if (asks) (void)sap_pairs_of(s, id[0], NULL, 0);
        if (step == 0) before = stats_now(s).bytes;
    }
    CHECK(stats_now(s).bytes > 10 * before);
    for (int i = 0; i < IDLE; i++) CHECK_EQUAL(sap_update(s), SAP_OK);
    const size_t after = stats_now(s).bytes;
    const long calls = allocations;
    CHECK_MESSAGE(after < 3 * before, "peak %d, method %d: %.0f bytes before, %.0f when idle", peak, method,
                  (double)before, (double)after);
    for (int i = 0; i < IDLE; i++) CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(stats_now(s).bytes == after && allocations == calls);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

int main(void) {
    int method, grid;
    for (method = 0; method < METHODS; method++) {
        test_pair_that_never_ended(method);
        for (grid = 0; grid < GRIDS; grid++) test_limit_of_a_crowd(method, 4000, 0, grid);
        for (grid = 0; grid < GRIDS; grid++) test_limit_of_a_crowd(method, 4000, 3, grid);
        test_limit_that_is_just_met(method);
        if (method != SAP_METHOD_PRUNE) test_added_boxes_look(method);
    }
    for (int i = 0; i < WAYS; i++) test_objects_in_callbacks(&ways[i]);
    test_object_of_a_box_that_goes();
    test_upkeep_of_another_kind();
    test_newborn_grow_old_together();
    test_queries_pay_once();
    test_world_without_updates();
    for (int peak = 0; peak < PEAKS; peak++)
        for (method = 0; method < METHODS; method++)
            test_idle_memory(peak, method, 0), test_idle_memory(peak, method, 1);
    CHECK(faults == 0 && live_blocks == 0);
    return test_summary();
}
