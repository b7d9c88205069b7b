/* test_multi.c - a grid of SAPs and threads: cells, memory, limits, and sap_set_grid and sap_set_parallel at any time. That
   worlds with them give the answers of those without, byte for byte, is in test_lives.c, test_laws.c and test_golden.c.

   usage: test_multi [rounds]   default 96; with fewer than 10, which is for the thread sanitizer, three long tests of a
   single thread are left out */

#include <limits.h>
#include <math.h>

#include "scenes.h"
#include "threads.h"
#include "ways.h"

static void *multi_realloc(void *p, size_t size) {
    if (is_in_a_job()) faults++;
    return test_realloc(p, size);
}

static void multi_free(void *p) {
    if (is_in_a_job()) faults++;
    test_free(p);
}

static int same_arrays(const sap_pair *a, int count_a, const sap_pair *b, int count_b) {
    return count_a == count_b && (count_a == 0 || memcmp(a, b, (size_t)count_a * sizeof *a) == 0);
}

static sap_grid hashed(float x, float y, float z) {
    sap_grid g;
    memset(&g, 0, sizeof g);
    g.hashed = 1;
    g.cell_size[0] = x;
    g.cell_size[1] = y;
    g.cell_size[2] = z;
    return g;
}

/* With SAP_METHOD_SORT, and hashed cells. */
static sap_world *open_hashed(float x, float y, float z) {
    const sap_grid g = hashed(x, y, z);
    sap_config c;
    memset(&c, 0, sizeof c);
    c.method = SAP_METHOD_SORT;
    return open_with(&c, &g, NULL, NULL);
}

/* Both worlds get the boxes, or move theirs there, and settle; the pairs must be the same. How many. */
static int take_step(sap_world *one, sap_world *m, int is_first, int n, sap_id *ids, const sap_aabb *boxes) {
    int expected, count;
    if (is_first)
        CHECK(sap_add_many(one, n, boxes, NULL, ids) == SAP_OK && sap_add_many(m, n, boxes, NULL, ids) == SAP_OK);
    else
        CHECK(sap_move_many(one, n, ids, boxes) == SAP_OK && sap_move_many(m, n, ids, boxes) == SAP_OK);
    CHECK(sap_update(one) == SAP_OK && sap_update(m) == SAP_OK);
    CHECK(sap_validate(m) == NULL);
    (void)sap_pairs(one, &expected);
    (void)sap_pairs(m, &count);
    CHECK(expected == count && !memcmp(sap_pairs(one, NULL), sap_pairs(m, NULL), (size_t)count * sizeof(sap_pair)));
    return count;
}

/* All creep, but for those of one region: they jump, along the strips (how == 0), or in a single strip (1), or across.
   That is more than a share has room to list, so all is built anew. */
static void shares_give_up(int how) {
    enum { N = 4000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_config c;
    sap_world *m;
    sap_world *one;
    test_rng rng = {5}, shuffle = {6};
    const float side = 30;
    int i, k, frame;
    memset(&c, 0, sizeof c);
    if (how == 1) c.axes = SAP_AXIS_X;
    c.method = SAP_METHOD_PRUNE;
    m = open_with(&c, NULL, run_shuffled, &shuffle);
    one = sap_create(&c);
    if (!CHECK(one && m)) exit(1);
    force_threads(m, 1);
    for (frame = 0; frame < 8; frame++) {
        int turn = frame % 3;
        for (i = 0; i < N; i++) {
            int jumps = frame && (how == 1 ? i % 5 == 1 : boxes[i].min[turn] < side / 7);
            for (k = 0; k < 3; k++) {
                float by = how == 1 ? side / 3 : how == 0 || k != turn ? side / 7 : 0;
                if (frame == 0) boxes[i].min[k] = test_uniform(&rng, 0, side);
                boxes[i].min[k] += jumps ? by : 0.001f;
                if (boxes[i].min[k] > side) boxes[i].min[k] -= side;
                boxes[i].max[k] = boxes[i].min[k] + (how == 1 ? 0.01f : 0.5f);
            }
        }
        (void)take_step(one, m, frame == 0, N, ids, boxes);
    }
    sap_destroy(one);
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* A crowd joins a heap, some of which go: more begin than the shares of the search have room for, and each share has met
   old pairs when it finds that out and begins again. Those may not count twice, or pairs that end are missed. */
static void shares_begin_again(void) {
    enum { N = 6000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_config c;
    sap_world *m;
    sap_world *one;
    test_rng rng = {7}, shuffle = {8};
    int i, k, frame, expected, count;
    memset(&c, 0, sizeof c);
    c.method = SAP_METHOD_PRUNE;
    m = open_with(&c, NULL, run_shuffled, &shuffle);
    one = sap_create(&c);
    if (!CHECK(one && m)) exit(1);
    force_threads(m, 1);
    for (frame = 0; frame < 3; frame++) {
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                const int is_far = frame == 0 ? i % 2 : i % 20 == 0;
                boxes[i].min[k] =
                    (is_far ? 1000.0f + 5 * (float)i : 0) + (float)(i / 2 % (5 + 10 * k)) * 0.9f / (float)(1 + k);
                boxes[i].min[k] += test_uniform(&rng, -0.01f, 0.01f);
                boxes[i].max[k] = boxes[i].min[k] + 1;
            }
        CHECK(take_step(one, m, frame == 0, N, ids, boxes) > N);
        (void)sap_deleted(one, &expected);
        (void)sap_deleted(m, &count);
        CHECK(expected == count && (frame != 1 || expected > N));
    }
    sap_destroy(one);
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

#if defined(__SSE2__)
#include <xmmintrin.h>
/* sap_parallel_for on a thread that takes denormals for zero, as those of audio and physics often do. */
static void run_flushing(sap_job *job, void *data, int count, void *user) {
    unsigned before = _mm_getcsr();
    (void)user;
    _mm_setcsr(before | 0x8040u);
    while (count-- > 0) job(data, count);
    _mm_setcsr(before);
}

/* A job and its caller must agree on the cell of a denormal. */
static void threads_that_flush(void) {
    sap_world *m = open_hashed(1, 0, 0);
    sap_aabb a = {{0.2f, 0, 0}, {0.4f, 1, 1}}, b = {{-0.5f, 0, 0}, {0, 1, 1}};
    test_set_bits(&b.max[0], 0x80001000u);
    CHECK_EQUAL(sap_set_parallel(m, run_flushing, NULL), SAP_OK);
    force_threads(m, 1);
    CHECK(sap_add(m, &a, NULL) == 1 && sap_add(m, &b, NULL) == 2);
    CHECK_EQUAL(sap_update(m), SAP_OK);
    a.min[0] = b.max[0];
    CHECK_EQUAL(sap_move(m, 1, &a), SAP_OK);
    CHECK_EQUAL(sap_update(m), SAP_OK);
    CHECK(sap_find_pair(m, 1, 2) != NULL);
    CHECK(sap_validate(m) == NULL);
    sap_destroy(m);
}
#else
static void threads_that_flush(void) {
}
#endif

/* ---- what sap_set_grid refuses ----------------------------------------------------------------------------------- */

/* Whether a world of these axes refuses the grid: then it says which field is bad, and on which axis, or -1. */
static int is_refused(int axes, const sap_grid *g, const char *field, int axis) {
    sap_config c;
    sap_world *s;
    sap_result r;
    int element = -2;
    memset(&c, 0, sizeof c);
    c.axes = axes;
    s = sap_create(&c);
    r = sap_set_grid(s, g);
    CHECK_EQUAL(sap_last_error(s), r);
    if (r == SAP_ERROR_ARGUMENT) {
        const char *said = sap_last_error_argument(s, &element);
        CHECK_MESSAGE(said && strcmp(said, field) == 0 && element == axis, "%s[%d] is refused as %s[%d]", field, axis,
                      said, element);
    } else
        CHECK_EQUAL(r, SAP_OK);
    sap_destroy(s);
    return r != SAP_OK;
}

/* In a grid nothing needs a tree until the first query, so until then there is no memory for one. */
static void no_tree_without_queries(void) {
    sap_world *m = open_hashed(16, 16, 16);
    sap_stats before, after;
    sap_id ids[4];
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    int i;
    for (i = 0; i < 2000; i++) {
        box.min[0] = (float)(2 * i);
        box.max[0] = box.min[0] + 1;
        CHECK(sap_add(m, &box, NULL) != 0);
        if (i % 500 == 499) CHECK_EQUAL(sap_update(m), SAP_OK);
    }
    CHECK(sap_remove(m, 1) == SAP_OK && sap_set_static(m, 2, 1) == SAP_OK);
    CHECK_EQUAL(sap_update(m), SAP_OK);
    sap_get_stats(m, &before);
    CHECK_EQUAL(sap_prepare_queries(m), SAP_OK);
    sap_get_stats(m, &after);
    CHECK(after.bytes > before.bytes + 2000 * 24); /* six floats for each box */
    box.min[0] = 0, box.max[0] = 5;
    CHECK_EQUAL(sap_query_box_ids(m, &box, ~0u, ids, 4), 2);
    CHECK(ids[0] == 2 && ids[1] == 3);
    CHECK(sap_validate(m) == NULL);
    sap_destroy(m);
}

/* Cells without bounds are ignored: the grid is chosen, as in a world without them. */
static void cells_without_bounds(void) {
    int with_cells, i, cells[2];
    for (with_cells = 0; with_cells < 2; with_cells++) {
        sap_grid g = hashed(0, 0, 0);
        sap_world *m = open_hashed(0, 0, 0);
        sap_stats stats;
        g.hashed = 0;
        for (i = 0; i < 3; i++) g.cells[i] = with_cells ? 2 : 0;
        CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
        for (i = 0; i < 1000; i++) {
            const sap_aabb box = {{(float)i, 0, 0}, {(float)i + 0.5f, 1, 1}};
            CHECK(sap_add(m, &box, NULL) != 0);
        }
        CHECK_EQUAL(sap_update(m), SAP_OK);
        sap_get_stats(m, &stats);
        cells[with_cells] = stats.cells;
        sap_destroy(m);
    }
    CHECK(cells[0] > 2);
    CHECK_EQUAL(cells[1], cells[0]);
}

/* Each of the sentences of the contract, on each axis; and on an axis that is not used none of them. */
static void refusals(void) {
    static const float bad_sizes[] = {-1, -1e-30f};
    static const uint32_t nans[] = {0x7fc00000u, 0xff800001u};
    sap_grid good, c;
    int axis, i;
    memset(&good, 0, sizeof good);
    CHECK(!is_refused(0, &good, "", -1) && !is_refused(0, NULL, "", -1));
    CHECK_EQUAL(sap_set_grid(NULL, &good), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_grid(NULL, NULL), SAP_ERROR_ARGUMENT);
    c = good, c.entries = -1;
    CHECK(is_refused(0, &c, "entries", -1));
    for (axis = 0; axis < 3; axis++) {
        const int others = 7 & ~(1 << axis);
#define REFUSED(field, change)                                                                                         \
    do {                                                                                                               \
        c = good;                                                                                                      \
        change;                                                                                                        \
        CHECK_MESSAGE(is_refused(0, &c, field, axis), "not refused on axis %d: %s", axis, #change);                    \
        CHECK_MESSAGE(!is_refused(others, &c, "", -1), "refused, but axis %d is not used: %s", axis, #change);         \
    } while (0)
        REFUSED("cells", c.cells[axis] = -1);
        for (i = 0; i < 2; i++) REFUSED("cell_size", c.cell_size[axis] = bad_sizes[i]);
        for (i = 0; i < 2; i++) { /* NaN, of either sign */
            REFUSED("cell_size", test_set_bits(&c.cell_size[axis], nans[i]));
            REFUSED("bounds", test_set_bits(&c.bounds.min[axis], nans[i]));
            REFUSED("bounds", test_set_bits(&c.bounds.max[axis], nans[i]));
        }
        REFUSED("bounds", c.bounds.min[axis] = 1);
        REFUSED("bounds", c.bounds.max[axis] = -1);
        REFUSED("bounds", (c.cells[axis] = 2, c.bounds.max[axis] = TEST_INFINITY));
        REFUSED("bounds", (c.cells[axis] = 2, c.bounds.min[axis] = -TEST_INFINITY));
        good.bounds.max[(axis + 1) % 3] = 10;
        REFUSED("bounds", (c.cells[axis] = 2)); /* bounds are given, and of no size here */
        REFUSED("bounds", (c.cells[axis] = 2, c.bounds.min[axis] = c.bounds.max[axis] = 3));
        good.bounds.max[(axis + 1) % 3] = 0;
#undef REFUSED
        c = good; /* and these are good */
        c.cells[axis] = 2;
        CHECK(!is_refused(0, &c, "", -1)); /* no bounds are given, so cells are ignored and the grid is chosen */
        c.bounds.min[axis] = -1;
        CHECK(!is_refused(0, &c, "", -1));
        c.cells[axis] = 1;
        c.bounds.min[axis] = -TEST_INFINITY;
        CHECK(!is_refused(0, &c, "", -1)); /* not divided */
        c = good;
        c.bounds.min[axis] = TEST_MINUS_0;
        c.cells[axis] = 0x7fffffff;
        CHECK(!is_refused(0, &c, "", -1)); /* -0 is 0: no bounds */
        c = good;
        c.hashed = 1;
        c.cell_size[axis] = TEST_MINUS_0;
        CHECK(!is_refused(0, &c, "", -1));
        c.cell_size[axis] = TEST_INFINITY;
        CHECK(!is_refused(0, &c, "", -1));
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* A call over a limit changes nothing and succeeds once there is room, whatever the cells. */
static void limits(float size_of_cells) {
    enum { N = 40 };
    const sap_grid g = hashed(size_of_cells, 0, 0);
    sap_config c;
    sap_aabb boxes[N];
    sap_id ids[N];
    sap_world *m;
    int i, k, count, seen;
    memset(&c, 0, sizeof c);
    c.method = SAP_METHOD_SORT;
    c.max_boxes = N;
    c.max_pairs = N;
    m = open_with(&c, &g, NULL, NULL);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = k ? 0 : 2 * (float)i, boxes[i].max[k] = boxes[i].min[k] + 2;
    CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_add(m, &boxes[0], NULL), 0);
    CHECK_EQUAL(sap_last_error(m), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_update(m), SAP_OK); /* a chain */
    (void)sap_pairs(m, &count);
    CHECK_EQUAL(count, N - 1);
    for (i = 0; i < 3; i++) { /* 10 on one spot are 45 */
        for (k = 0; k < 10; k++) CHECK_EQUAL(sap_move(m, ids[k], &boxes[20]), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_ERROR_LIMIT);
        CHECK_EQUAL(sap_dump_pairs(m, NULL, NULL, NULL), -SAP_ERROR_LIMIT);
        (void)sap_pairs(m, &seen);
        CHECK_EQUAL(seen, count);
        (void)sap_created(m, &seen);
        CHECK_EQUAL(seen, i ? 0 : N - 1);
        CHECK(sap_validate(m) == NULL);
        for (k = 0; k < 10; k++) CHECK_EQUAL(sap_move(m, ids[k], &boxes[k]), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        (void)sap_created(m, &seen);
        CHECK_EQUAL(seen, 0);
        CHECK(sap_validate(m) == NULL);
    }
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- cells: that they are used, and what they hold */

enum { CLUSTERS = 32, IN_CLUSTER = 24 };

/* Clusters far apart, each well within a cell of size 16. */
static void cluster_box(test_rng *rng, int cluster, sap_aabb *box) {
    int k;
    for (k = 0; k < 3; k++) {
        box->min[k] = (k ? 0 : 1024 * (float)cluster) + test_uniform(rng, 1, 10);
        box->max[k] = box->min[k] + 1;
    }
}

static sap_stats stats_of(const sap_world *m) {
    sap_stats stats;
    sap_get_stats(m, &stats);
    return stats;
}

/* As many cells as an int can count are halved until there are few enough. */
static void most_cells(void) {
    sap_grid g = hashed(0, 0, 0);
    sap_world *m = open_hashed(0, 0, 0);
    int i;
    g.hashed = 0;
    for (i = 0; i < 3; i++) g.cells[i] = INT_MAX, g.bounds.max[i] = 100;
    CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
    for (i = 0; i < 40; i++) {
        sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
        box.min[0] = (float)(2 * i);
        box.max[0] = box.min[0] + 2;
        CHECK(sap_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).pairs, 39);
    CHECK(sap_validate(m) == NULL);
    sap_destroy(m);
}

/* An axis without a size of cells is not cut: the entries of the table go to the other axes. */
static void entries_of_two_axes(void) {
    enum { SIDE = 4 };
    sap_grid g = hashed(10, 0, 10);
    sap_world *m = open_hashed(0, 0, 0);
    int i;
    g.entries = SIDE * SIDE;
    CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
    for (i = 0; i < 4 * SIDE * SIDE; i++) {
        sap_aabb box = {{0, 0, 0}, {0, 1, 0}};
        box.min[0] = box.max[0] = 10 * (float)(i % SIDE) + 5;
        box.min[2] = box.max[2] = 10 * (float)(i / SIDE % SIDE) + 5;
        CHECK(sap_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).cells, SIDE * SIDE);
    sap_destroy(m);
}

/* The cells of a wrapped grid that boxes touch, none larger than a cell. */
static int touched_cells(int n, const sap_aabb *boxes, const float from[2], const float size[2], const int cells[2]) {
    static unsigned char used[64];
    int i, x, y, count = 0;
    memset(used, 0, sizeof used);
    for (i = 0; i < n; i++) {
        const int x0 = (int)floorf((boxes[i].min[0] - from[0]) / size[0]);
        const int x1 = (int)floorf((boxes[i].max[0] - from[0]) / size[0]);
        const int y0 = (int)floorf((boxes[i].min[1] - from[1]) / size[1]);
        const int y1 = (int)floorf((boxes[i].max[1] - from[1]) / size[1]);
        for (x = x0; x <= x1; x++)
            for (y = y0; y <= y1; y++) {
                const int wrapped_x = (x % cells[0] + cells[0]) % cells[0];
                const int wrapped_y = (y % cells[1] + cells[1]) % cells[1];
                unsigned char *cell = &used[wrapped_y * cells[0] + wrapped_x];
                count += !*cell;
                *cell = 1;
            }
    }
    return count;
}

/* Given cells divide the given bounds, wherever these are, into equal parts, and a box is in each that it touches; with any
   number of boxes, and from the other end outside of the bounds. */
static void given_cells(int n) {
    enum { X = 8, Y = 4, MOST = 400 };
    static const float from[2] = {96, -320}, size[2] = {8, 32};
    static const int cells[2] = {X, Y};
    static sap_aabb boxes[MOST];
    sap_world *m = open_hashed(0, 0, 0), *other = open_hashed(size[0], size[1], 0);
    sap_grid g = hashed(0, 0, 0);
    test_rng rng = {3};
    int i, k, round, wrong = 0;
    g.hashed = 0;
    for (k = 0; k < 2; k++) {
        g.cells[k] = cells[k];
        g.bounds.min[k] = from[k];
        g.bounds.max[k] = from[k] + (float)cells[k] * size[k];
    }
    CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
    CHECK(stats_of(m).cells == 0 && stats_of(other).cells == 0);
    for (round = 0; round < 6; round++) { /* within the bounds, then farther and farther out of them */
        for (i = 0; i < n; i++) {
            for (k = 0; k < 2; k++) {
                const float side = size[k] * (float)cells[k] * (float)(1 + round * round);
                boxes[i].min[k] = from[k] + test_uniform(&rng, -side, side);
                boxes[i].max[k] = boxes[i].min[k] + test_uniform(&rng, 0, size[k] * 0.9f);
            }
            boxes[i].min[2] = boxes[i].max[2] = 0;
            if (round == 0) wrong += sap_add(m, &boxes[i], NULL) != sap_add(other, &boxes[i], NULL);
            if (round) wrong += sap_move(m, (sap_id)(i + 1), &boxes[i]) != SAP_OK;
            if (round) wrong += sap_move(other, (sap_id)(i + 1), &boxes[i]) != SAP_OK;
        }
        CHECK(sap_update(m) == SAP_OK && sap_update(other) == SAP_OK);
        CHECK_EQUAL(stats_of(m).cells, touched_cells(n, boxes, from, size, cells));
        CHECK(stats_of(other).cells >= stats_of(m).cells);
        CHECK(sap_validate(m) == NULL && sap_validate(other) == NULL);
    }
    for (i = 1; i < n; i++) wrong += sap_remove(m, (sap_id)(i + 1)) != SAP_OK;
    CHECK_EQUAL(sap_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).cells, touched_cells(1, boxes, from, size, cells)); /* what emptied has gone */
    CHECK_EQUAL(sap_clear(m), SAP_OK);
    CHECK_EQUAL(sap_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).cells, 0);
    CHECK_EQUAL(wrong, 0);
    sap_destroy(m);
    sap_destroy(other);
    CHECK_EQUAL(live_blocks, 0);
}

static sap_world *looked_at;

static int counts_cells(const sap_pair *pair, void *user) {
    (void)user;
    (void)stats_of(looked_at);
    return pair->id1 % 3 > 0;
}

/* The filter may look, also at how many cells there are, in the middle of an update. */
static void cells_are_counted_at_any_time(void) {
    const sap_grid g = hashed(4, 4, 4);
    sap_config c;
    test_rng rng = {5};
    sap_aabb box;
    int i, k, n[2];
    sap_world *m;
    memset(&c, 0, sizeof c);
    for (i = 0; i < 2; i++) {
        c.filter = i ? counts_cells : NULL;
        c.method = SAP_METHOD_SORT;
        looked_at = m = open_with(&c, &g, NULL, NULL);
        rng.state = 5;
        n[i] = 0;
        for (k = 0; k < 3000; k++) {
            int axis;
            for (axis = 0; axis < 3; axis++) {
                box.min[axis] = test_uniform(&rng, 0, 20);
                box.max[axis] = box.min[axis] + 2;
            }
            CHECK(sap_add(m, &box, NULL) != 0);
        }
        CHECK_EQUAL(stats_of(m).cells, 0);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        CHECK(stats_of(m).cells > 20);
        for (k = 0; k < stats_of(m).pairs; k++) {
            int count;
            n[i] += sap_pairs(m, &count)[k].id1 % 3 > 0;
        }
        CHECK(sap_validate(m) == NULL);
        sap_destroy(m);
    }
    CHECK(n[0] > 10000);
    CHECK_EQUAL(n[1], n[0]);
}

/* Of boxes of one size that walk a grid makes each cheaper, whatever its cells, also where these have left the bounds; the
   chosen one makes it far cheaper. Counted: shifts of ends, and boxes tested. */
static void grids_cost_less(void) {
    enum { N = 4000, GRIDS = 8, SIDE = 40 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    long long none = 0;
    int grid, i, k, frame;
    for (grid = 0; grid < GRIDS; grid++) {
        test_rng rng = {17};
        sap_grid g = hashed(0, 0, 0);
        sap_world *m = open_hashed(0, 0, 0);
        long long steps = 0;
        for (k = 0; k < 3; k++) { /* 0: one cell; 7: chosen */
            static const int cells[] = {1, 2, 7, 40, 9};
            g.bounds.min[k] = (float)(grid == 4 ? -1000 : 0);
            g.bounds.max[k] = g.bounds.min[k] + SIDE;
            g.cells[k] = grid < 5 ? cells[grid] : 0;
            g.cell_size[k] = grid == 5 ? 1.5f : 11;
        }
        g.hashed = grid == 5 || grid == 6;
        if (grid == 0) g.hashed = 1, g.cell_size[0] = g.cell_size[1] = g.cell_size[2] = 1e6f;
        CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++)
                boxes[i].min[k] = test_uniform(&rng, 0, SIDE), boxes[i].max[k] = boxes[i].min[k] + 1;
        CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        for (frame = 0; frame < 20; frame++) {
            for (i = 0; i < N; i++)
                for (k = 0; k < 3; k++) {
                    const float step = test_uniform(&rng, -0.2f, 0.2f);
                    boxes[i].min[k] += step, boxes[i].max[k] += step;
                }
            CHECK_EQUAL(sap_move_many(m, N, ids, boxes), SAP_OK);
            CHECK_EQUAL(sap_update(m), SAP_OK);
            steps += stats_of(m).swaps + stats_of(m).overlap_tests;
        }
        if (grid == 0) none = steps;
        CHECK_MESSAGE(grid == 0 || steps < none, "grid %d: %lld steps, %lld in one cell", grid, steps, none);
        CHECK_MESSAGE(grid < 7 || 10 * steps < none, "chosen: %lld steps, %lld in one cell", steps, none);
        sap_destroy(m);
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* Memory follows the boxes: not the number of cells, nor where the boxes have been. */
static void memory_follows_the_boxes(void) {
    enum { N = CLUSTERS * IN_CLUSTER, MOVES = 60 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_grid g = hashed(0, 0, 0);
    sap_world *many[3];
    test_rng rng = {3};
    size_t one = 0, first = 0;
    int i, k, turn;
    g.hashed = 0;
    for (k = 0; k < 3; k++) {
        for (i = 0; i < 3 && k > 0; i++) g.bounds.max[i] = 16777216, g.cells[i] = k == 1 ? 100 : 1 << 20;
        many[k] = open_hashed(0, 0, 0);
        CHECK_EQUAL(sap_set_grid(many[k], &g), SAP_OK);
        CHECK(stats_of(many[k]).bytes < 65536);
        rng.state = 3;
        for (i = 0; i < N; i++) cluster_box(&rng, i % CLUSTERS, &boxes[i]);
        CHECK_EQUAL(sap_add_many(many[k], N, boxes, NULL, ids), SAP_OK);
        for (turn = 0; turn < MOVES; turn++) { /* from place to place, all together and one by one */
            CHECK_EQUAL(sap_update(many[k]), SAP_OK);
            if (turn == 4) first = stats_of(many[k]).bytes;
            for (i = 0; i < N; i++) cluster_box(&rng, turn % 7 * 100 + i % CLUSTERS, &boxes[i]);
            CHECK_EQUAL(sap_move_many(many[k], turn % 3 ? N : N / 20, ids, boxes), SAP_OK);
        }
        CHECK_EQUAL(sap_update(many[k]), SAP_OK);
        if (k == 0) one = stats_of(many[k]).bytes;
        CHECK_MESSAGE(stats_of(many[k]).bytes <= first + first / 2, "%lu bytes, %lu at first",
                      (unsigned long)stats_of(many[k]).bytes, (unsigned long)first);
        CHECK_MESSAGE(stats_of(many[k]).bytes <= 2 * one + 65536, "%lu bytes, %lu without a grid",
                      (unsigned long)stats_of(many[k]).bytes, (unsigned long)one);
        sap_destroy(many[k]);
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* Cells that boxes have left are given back, and what is reserved stays: many boxes come, each in a cell of its own, then
   all but a few go, and these walk on. */
static void cells_are_given_back(int is_reserved) {
    enum { N = 3000, FEW = 20 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_world *m = open_hashed(4, 4, 4);
    size_t most = 0;
    int i, k, turn;
    if (is_reserved) CHECK_EQUAL(sap_reserve(m, N, N), SAP_OK);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) {
            boxes[i].min[k] = 8 * (float)(k == 0 ? i % 15 : k == 1 ? i / 15 % 15 : i / 225) + 1;
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
    for (turn = 0; turn < 3; turn++) {
        CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        CHECK_EQUAL(stats_of(m).cells, N);
        if (turn == 0) most = stats_of(m).bytes;
        CHECK_EQUAL(sap_remove_many(m, N - FEW, ids + FEW), SAP_OK);
        for (k = 0; k < 20; k++) {
            CHECK_EQUAL(sap_update(m), SAP_OK);
            CHECK(sap_validate(m) == NULL);
            for (i = 0; i < FEW; i++) {
                sap_aabb box = boxes[i];
                box.min[0] += 8 * (float)(k % 2), box.max[0] += 8 * (float)(k % 2);
                if (i % 3) CHECK_EQUAL(sap_move(m, ids[i], &box), SAP_OK);
            }
        }
        CHECK(stats_of(m).cells <= FEW);
        CHECK_MESSAGE(is_reserved ? stats_of(m).bytes >= most : 2 * stats_of(m).bytes < most, "%lu bytes, %lu before",
                      (unsigned long)stats_of(m).bytes, (unsigned long)most);
        CHECK_EQUAL(sap_remove_many(m, FEW, ids), SAP_OK);
    }
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- one SAP of all boxes */

/* A world for which one SAP is best: a slow crowd, or boxes of sizes over nine decades. */
static void crowd_box(test_rng *rng, int decades, sap_aabb *box) {
    float size = 1;
    int k;
    if (decades) size = 10 * (float)pow(10, test_uniform(rng, -9, 0));
    for (k = 0; k < 3; k++) {
        box->min[k] = test_uniform(rng, 0, k < 2 ? 8 : 1);
        box->max[k] = box->min[k] + size;
    }
}

/* The counts of two worlds that do the same. */
static int same_work(const sap_world *one, const sap_world *m) {
    const sap_stats b = stats_of(m);
    sap_stats a;
    sap_get_stats(one, &a);
    return a.method == b.method && a.swaps == b.swaps && a.overlap_tests == b.overlap_tests && a.pairs == b.pairs &&
           a.created == b.created && a.deleted == b.deleted;
}

/* A world with a grid does what one without does, no more and no less, in each update: with AUTO whatever the grid, and it
   takes SORT as that does; with SORT where the grid divides no axis, as it is given, or chosen. So it costs the same. */
static void works_as_one_sap(int method, int decades, int axes, int grid) {
    enum { N = 600 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    const float length = grid == 3 ? 0 : 2;
    sap_grid g = hashed(length, length, length);
    sap_config c;
    test_rng rng = {5};
    sap_world *one;
    sap_world *m;
    int i, k, frame, sorts = 0, other = 0;
    memset(&c, 0, sizeof c);
    c.method = method;
    c.axes = axes;
    g.hashed = grid > 0;
    g.entries = grid == 1 ? 1 : 0;
    one = sap_create(&c);
    m = open_with(&c, &g, NULL, NULL);
    if (!CHECK(one && m)) exit(1);
    for (i = 0; i < N; i++) {
        crowd_box(&rng, decades, &boxes[i]);
        ids[i] = sap_add(one, &boxes[i], NULL);
        CHECK_EQUAL(sap_add(m, &boxes[i], NULL), ids[i]);
    }
    for (frame = 0; frame < 60; frame++) {
        sap_stats stats;
        const int n = frame % 20 == 19 ? N / 50 : N;
        CHECK_EQUAL(sap_update(m), sap_update(one));
        other += !same_work(one, m);
        sap_get_stats(one, &stats);
        sorts += stats.method == SAP_METHOD_SORT;
        if (frame % 10 == 9) CHECK(sap_validate(m) == NULL);
        if (frame == 30) { /* some come, some go, some ask their filter again */
            CHECK_EQUAL(sap_remove_many(m, 20, ids), sap_remove_many(one, 20, ids));
            for (i = 0; i < 20; i++) {
                ids[i] = sap_add_static(one, &boxes[i], NULL);
                CHECK_EQUAL(sap_add_static(m, &boxes[i], NULL), ids[i]);
            }
            CHECK_EQUAL(sap_refilter(m, ids[40]), sap_refilter(one, ids[40]));
        }
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++) {
                const float step = test_uniform(&rng, -.0002f, .0002f);
                boxes[i].min[k] += step;
                boxes[i].max[k] += step;
                if (boxes[i].max[k] < boxes[i].min[k]) boxes[i].max[k] = boxes[i].min[k];
            }
        CHECK_EQUAL(sap_move_many(m, n, ids, boxes), sap_move_many(one, n, ids, boxes));
    }
    CHECK_MESSAGE(other == 0, "%d of 60 updates are not those of one SAP: method %d, decades %d, axes %d, grid %d",
                  other, method, decades, axes, grid);
    CHECK(sorts > 20);
    CHECK(stats_of(m).cells == (method == SAP_METHOD_SORT));
    sap_destroy(m);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

/* Boxes grow until one SAP is better than cells, and shrink again, and are removed: the chosen grid goes and comes. All
   that is kept of it is right at any time, and the events are those of one world. */
static void grid_comes_and_goes(int is_reserved) {
    enum { N = 800, FRAMES = 110 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    test_rng rng = {5};
    sap_world *one = sap_create(NULL), *m = open_hashed(0, 0, 0);
    int i, k, frame, changes = 0, cells = 0;
    if (!CHECK(one && m)) exit(1);
    if (is_reserved) CHECK_EQUAL(sap_reserve(m, N, 1000), SAP_OK);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = test_uniform(&rng, 0, 48), boxes[i].max[k] = boxes[i].min[k] + 1;
    CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_add_many(one, N, boxes, NULL, ids), SAP_OK);
    for (frame = 0; frame < FRAMES; frame++) {
        const int is_grown = frame / 20 % 2, few = frame % 20 == 7;
        int created, deleted, count;
        CHECK(sap_update(m) == SAP_OK && sap_update(one) == SAP_OK);
        CHECK(sap_validate(m) == NULL);
        (void)sap_created(one, &created), (void)sap_created(m, &count);
        CHECK(same_arrays(sap_created(one, NULL), created, sap_created(m, NULL), count));
        (void)sap_deleted(one, &deleted), (void)sap_deleted(m, &count);
        CHECK(same_arrays(sap_deleted(one, NULL), deleted, sap_deleted(m, NULL), count));
        changes += (stats_of(m).cells > 1) != (cells > 1);
        cells = stats_of(m).cells;
        if (frame == 70 && is_reserved) CHECK_EQUAL(sap_reserve(m, N + N / 2, 1000), SAP_OK);
        if (frame == 90) CHECK(sap_clear(m) == SAP_OK && sap_clear(one) == SAP_OK);
        if (frame == 90) CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
        if (frame == 90) CHECK_EQUAL(sap_add_many(one, N, boxes, NULL, ids), SAP_OK);
        for (i = 0; i < (few ? N / 50 : N); i++)
            for (k = 0; k < 3; k++) {
                boxes[i].min[k] += test_uniform(&rng, -.05f, .05f);
                boxes[i].max[k] = boxes[i].min[k] + (is_grown ? (float)(i % 20) : 1);
            }
        CHECK_EQUAL(sap_move_many(m, few ? N / 50 : N, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_move_many(one, few ? N / 50 : N, ids, boxes), SAP_OK);
    }
    CHECK_MESSAGE(changes >= 4, "the grid changed %d times", changes);
    sap_destroy(m);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

/* Large boxes, tiny cells: the pairs are the same, and no box is put into more than a bounded number of cells. */
static void large_boxes_and_small_cells(void) {
    enum { N = 3000 };
    sap_world *m = open_hashed(1e-3f, 1e-3f, 1e-3f);
    sap_world *one = sap_create(NULL);
    test_rng rng = {5};
    sap_stats stats;
    int i, k, expected, count;
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, 0, 8);
            box.max[k] = box.min[k] + (i % 12 ? 0.01f : i % 7 ? 3.0f : 1e6f);
        }
        CHECK(sap_add(m, &box, NULL) == sap_add(one, &box, NULL));
    }
    CHECK(sap_update(m) == SAP_OK && sap_update(one) == SAP_OK);
    (void)sap_pairs(one, &expected);
    (void)sap_pairs(m, &count);
    CHECK(same_arrays(sap_pairs(m, NULL), count, sap_pairs(one, NULL), expected));
    sap_get_stats(one, &stats);
    CHECK_MESSAGE(stats_of(m).bytes <= 2 * stats.bytes + 65536, "%lu bytes, %lu without cells",
                  (unsigned long)stats_of(m).bytes, (unsigned long)stats.bytes);
    CHECK(stats_of(m).cells > 0 && sap_validate(m) == NULL);
    sap_destroy(m);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

/* Every byte that was asked for is counted. */
static void all_bytes_are_counted(int method) {
    const sap_grid g = hashed(16, 16, 0);
    sap_config c;
    sap_world *m;
    sap_aabb box;
    test_rng rng = {9}, shuffle = {10};
    int i, round;
    memset(&c, 0, sizeof c);
    c.method = method;
    m = open_with(&c, &g, run_shuffled, &shuffle);
    force_threads(m, 1);
    for (round = 0; round < 3; round++) {
        for (i = 0; i < 400; i++) {
            cluster_box(&rng, i % 5, &box);
            if (i % 50 == 0) box.max[0] += 1e6f;
            CHECK((i % 5 ? sap_add(m, &box, NULL) : sap_add_static(m, &box, NULL)) != 0);
        }
        CHECK_EQUAL(sap_update(m), SAP_OK);
        CHECK_EQUAL(sap_prepare_queries(m), SAP_OK);
        CHECK_MESSAGE(stats_of(m).bytes == live_bytes, "%lu counted, %lu held", (unsigned long)stats_of(m).bytes,
                      (unsigned long)live_bytes);
        CHECK(sap_clear(m) == SAP_OK && sap_update(m) == SAP_OK);
        CHECK_MESSAGE(stats_of(m).bytes == live_bytes, "%lu counted, %lu held", (unsigned long)stats_of(m).bytes,
                      (unsigned long)live_bytes);
    }
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- moves on threads, and no allocation where there need not be one */

/* Whether the boxes stand where they should. */
static int stand(const sap_world *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap_aabb box;
    int i, same = sap_validate(m) == NULL;
    for (i = 0; i < n; i++) same &= sap_get_box(m, ids[i], &box) == SAP_OK && memcmp(&box, &boxes[i], sizeof box) == 0;
    return same;
}

/* On threads as on one: a box that is moved twice in a call, wherever in the list, is
   where the later one says; and if the last move is bad, nothing has moved. Whether something was recorded before, or
   nothing. */
static void moves_that_meet(void) {
    enum { N = 64 };
    sap_config c;
    sap_world *m;
    test_rng shuffle = {9};
    sap_aabb boxes[N], to[N], twice_to[2 * N];
    sap_id ids[N], some[N], twice[2 * N], dead;
    int i, k, round;
    memset(&c, 0, sizeof c);
    m = open_with(&c, NULL, run_shuffled, &shuffle);
    force_threads(m, 1);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = (float)i, boxes[i].max[k] = (float)i + 2;
    dead = sap_add(m, &boxes[0], NULL);
    CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_remove(m, dead), SAP_OK);
    CHECK_EQUAL(sap_update(m), SAP_OK);
    for (round = 1; round < N; round++) {
        int at = round; /* wherever a share of the moves ends */
        if (round % 2) {
            boxes[N / 2 + 1].max[0] += 1;
            CHECK_EQUAL(sap_move(m, ids[N / 2 + 1], &boxes[N / 2 + 1]), SAP_OK);
        }
        for (k = 0; k < N; k++) to[k] = boxes[k], to[k].max[1] += 1;
        memcpy(some, ids, sizeof some);
        some[N - 1] = dead;
        CHECK_EQUAL(sap_move_many(m, N, some, to), SAP_ERROR_ID);
        CHECK(stand(m, N, ids, boxes));
        some[N - 1] = ids[N - 1];
        to[N - 1].max[0] = -10;
        CHECK_EQUAL(sap_move_many(m, N, some, to), SAP_ERROR_BOX);
        CHECK(stand(m, N, ids, boxes));
        to[N - 1].max[0] = 1e6f;
        some[at - 1] = ids[at];
        CHECK_EQUAL(sap_move_many(m, N, some, to), SAP_OK);
        to[at - 1] = boxes[at - 1];
        memcpy(boxes, to, sizeof boxes);
        CHECK(stand(m, N, ids, boxes));
        CHECK_EQUAL(sap_update(m), SAP_OK);
    }
    for (i = 0; i < 2 * N; i++) { /* more moves than there are boxes */
        twice[i] = ids[i / 2];
        twice_to[i] = boxes[i / 2];
        twice_to[i].max[1] += (float)i;
    }
    CHECK_EQUAL(sap_move_many(m, 2 * N, twice, twice_to), SAP_OK);
    for (i = 0; i < N; i++) boxes[i] = twice_to[2 * i + 1];
    CHECK(stand(m, N, ids, boxes));
    sap_destroy(m);
}

static int no_pairs(const sap_pair *pair, void *user) {
    (void)pair, (void)user;
    if (is_in_a_job()) faults++;
    return 0;
}

static int busy_moves;

/* user: the world. */
static int moves_both(const sap_pair *pair, void *user) {
    const sap_aabb boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    sap_id ids[2];
    ids[0] = pair->id0;
    ids[1] = pair->id1;
    CHECK_EQUAL(sap_move_many(*(sap_world **)user, 2, ids, boxes), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_set_grid(*(sap_world **)user, NULL), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_set_parallel(*(sap_world **)user, NULL, NULL), SAP_ERROR_BUSY);
    busy_moves++;
    return 1;
}

/* Moves that threads would share, from where nothing may be moved. */
static void busy_in_the_filter(void) {
    sap_config c;
    sap_world *m = NULL;
    test_rng shuffle = {6};
    const sap_aabb boxes[2] = {{{0, 0, 0}, {2, 2, 2}}, {{1, 1, 1}, {3, 3, 3}}};
    sap_id ids[2];
    sap_aabb box;
    memset(&c, 0, sizeof c);
    c.filter = moves_both;
    c.filter_user = &m;
    m = open_with(&c, NULL, run_shuffled, &shuffle);
    force_threads(m, 1);
    CHECK_EQUAL(sap_add_many(m, 2, boxes, NULL, ids), SAP_OK);
    busy_moves = 0;
    CHECK_EQUAL(sap_update(m), SAP_OK);
    CHECK_EQUAL(busy_moves, 1);
    CHECK_EQUAL(sap_get_box(m, ids[1], &box), SAP_OK);
    CHECK(memcmp(&box, &boxes[1], sizeof box) == 0);
    sap_destroy(m);
}

/* As long as no cell is new or holds more than it ever did, nothing is allocated. Without a grid never, in shares
   neither, not even for pairs that the filter refuses. is_late: the world gets its grid and its threads afterwards. */
static void reserved(int method, int has_grid, int with_threads, sap_filter *filter, int is_late) {
    enum { N = CLUSTERS * IN_CLUSTER, ROUNDS = 12 };
    static sap_aabb layouts[3][N];
    const sap_grid g = hashed(16, 0, 0);
    sap_config c;
    sap_world *m;
    sap_id ids[N];
    test_rng rng = {5}, shuffle = {6};
    int i, k, round;
    long before = 0;
    memset(&c, 0, sizeof c);
    c.filter = filter;
    c.method = method;
    if (!is_late) {
        m = open_with(&c, has_grid ? &g : NULL, with_threads ? run_shuffled : NULL, &shuffle);
        CHECK_EQUAL(sap_reserve(m, 2 * N, filter ? 1 : 40 * N), SAP_OK);
    } else {
        m = open_with(&c, NULL, NULL, NULL);
        CHECK_EQUAL(sap_reserve(m, 2 * N, filter ? 1 : 40 * N), SAP_OK);
        if (has_grid) CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
        CHECK_EQUAL(sap_set_parallel(m, with_threads ? run_shuffled : NULL, &shuffle), SAP_OK);
    }
    force_threads(m, 1);
    for (k = 0; k < 3; k++)
        for (i = 0; i < N; i++) {
            cluster_box(&rng, i % CLUSTERS + (k == 2 ? 100 : 0), &layouts[k][i]);
            if (i % 100 == 0) layouts[k][i].max[0] += 1e5f; /* outside */
            if (i % 10 == 1) layouts[k][i].max[0] += 16;    /* in two cells */
        }
    if (!has_grid) before = allocations; /* no cells: not even the first time */
    for (round = 0; round < ROUNDS; round++) {
        if (round == 4 && (has_grid || method == SAP_METHOD_SORT)) before = allocations;
        for (k = 0; k < 3; k++) {
            if (k == 0)
                CHECK_EQUAL(sap_add_many(m, N, layouts[0], NULL, ids), SAP_OK);
            else
                CHECK_EQUAL(sap_move_many(m, N, ids, layouts[k]), SAP_OK);
            CHECK_EQUAL(sap_update(m), SAP_OK);
            for (i = 0; i < 20; i++) CHECK_EQUAL(sap_move(m, ids[i], &layouts[k][i + CLUSTERS]), SAP_OK);
            CHECK_EQUAL(sap_update(m), SAP_OK);
        }
        CHECK_EQUAL(sap_remove_many(m, N, ids), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_reserve, grid %d, threads %d, filter %d, late %d",
                  allocations - before, has_grid, with_threads, filter != NULL, is_late);
    CHECK_EQUAL(faults, 0);
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* Only a cell that is entered for the first time may allocate: not one that holds more than it ever did, whether boxes
   crowd in one corner of cells, each in eight of them, or spread. */
static void reserved_for_any_cell(int with_threads, int is_late) {
    enum { N = 600, CELLS = 4, FRAMES = 60 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_grid g = hashed(0, 0, 0);
    sap_world *m = open_hashed(0, 0, 0);
    test_rng rng = {5}, shuffle = {6};
    int i, k, frame;
    long before = 0;
    g.hashed = 0;
    for (k = 0; k < 3; k++) g.cells[k] = CELLS, g.bounds.max[k] = 10 * CELLS;
    if (is_late) CHECK_EQUAL(sap_reserve(m, N, N * N / 2), SAP_OK);
    CHECK_EQUAL(sap_set_grid(m, &g), SAP_OK);
    CHECK_EQUAL(sap_set_parallel(m, with_threads ? run_shuffled : NULL, &shuffle), SAP_OK);
    force_threads(m, 1);
    if (!is_late) CHECK_EQUAL(sap_reserve(m, N, N * N / 2), SAP_OK);
    for (i = 0; i < N; i++) /* one in each cell, and one in all */
        for (k = 0; k < 3; k++) {
            const int cell = (k == 0 ? i : k == 1 ? i / CELLS : i / (CELLS * CELLS)) % CELLS;
            boxes[i].min[k] = 10 * (float)cell + 5;
            boxes[i].max[k] = boxes[i].min[k] + (i == 0 ? 50.0f : 0.01f);
        }
    CHECK_EQUAL(sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_update(m), SAP_OK);
    for (frame = 0; frame < FRAMES; frame++) {
        const int crowd = frame % 3 == 1, part = frame % 5 ? N : N / 20;
        if (frame == 2) before = allocations; /* now all that the first update made for cells is there */
        for (i = 0; i < part; i++)
            for (k = 0; k < 3; k++) {
                const float corner = 10 * (float)(1 + test_below(&rng, CELLS - 1));
                boxes[i].min[k] = crowd && i % 20 ? 20 - 0.5f / (float)(i + 1) : corner - test_uniform(&rng, 0.01f, 9);
                boxes[i].max[k] = (crowd ? 20 : corner) + test_uniform(&rng, 0.01f, 0.5f);
                if (boxes[i].min[k] > boxes[i].max[k]) boxes[i].max[k] = boxes[i].min[k];
            }
        CHECK_EQUAL(sap_move_many(m, part, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        CHECK(sap_validate(m) == NULL);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_reserve, threads %d, late %d", allocations - before,
                  with_threads, is_late);
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

static int first_two(const sap_pair *pair, void *user) {
    (void)user;
    if (is_in_a_job()) faults++;
    return pair->id0 == 1 && pair->id1 == 2;
}

/* Shares find many pairs that the filter refuses, with as many pairs as were reserved, or none. */
static void reserved_to_the_last_pair(int pairs, sap_filter *filter, int method) {
    enum { N = 1200, FRAMES = 4 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_config c;
    sap_world *m;
    test_rng rng = {5}, shuffle = {6};
    int i, k, frame, count;
    long before;
    memset(&c, 0, sizeof c);
    c.filter = filter;
    c.method = method;
    m = open_with(&c, NULL, run_shuffled, &shuffle);
    force_threads(m, 1);
    CHECK_EQUAL(sap_reserve(m, N, pairs), SAP_OK);
    before = allocations;
    for (frame = 0; frame < FRAMES; frame++) {
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                boxes[i].min[k] = i < 2 ? 0 : test_uniform(&rng, 0, 6);
                boxes[i].max[k] = boxes[i].min[k] + 1;
            }
        CHECK_EQUAL(frame ? sap_move_many(m, N, ids, boxes) : sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        (void)sap_pairs(m, &count);
        CHECK_EQUAL(count, filter == first_two);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_reserve of %d pairs, method %d",
                  allocations - before, pairs, method);
    CHECK_EQUAL(faults, 0);
    CHECK(sap_validate(m) == NULL);
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* Nearly all pairs are those of one crowd, and so of one share. */
static void reserved_for_a_crowd(int method) {
    enum { N = 1200, CROWD = 70, PAIRS = CROWD * (CROWD - 1) / 2, FRAMES = 4 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_config c;
    sap_world *m;
    test_rng rng = {5}, shuffle = {6};
    int i, k, frame, count;
    long before;
    memset(&c, 0, sizeof c);
    c.method = method;
    m = open_with(&c, NULL, run_shuffled, &shuffle);
    force_threads(m, 1);
    CHECK_EQUAL(sap_reserve(m, N, PAIRS), SAP_OK);
    before = allocations;
    for (frame = 0; frame < FRAMES; frame++) {
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                const int in_crowd = i < CROWD && frame != 1;
                boxes[i].min[k] = (in_crowd ? 0.f : 10.f * (float)(1 + (k ? i : i % 32))) + test_uniform(&rng, 0, 1);
                boxes[i].max[k] = boxes[i].min[k] + 2;
            }
        CHECK_EQUAL(frame ? sap_move_many(m, N, ids, boxes) : sap_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_update(m), SAP_OK);
        (void)sap_pairs(m, &count);
        CHECK_EQUAL(count, frame == 1 ? 0 : PAIRS);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_reserve, method %d", allocations - before, method);
    sap_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- a grid and threads that come and go ------------------------------------------------------------------------- */

enum { CHANGING = 300 };

typedef struct changing {
    sap_world *world, *plain;
    sap_aabb boxes[CHANGING];
    sap_id ids[CHANGING];
    test_rng rng;
    sap_grid grid; /* of the world, if it has one */
    int has_grid, is_reserved;
} changing;

/* What a call that may fail for memory answers; a failure is told. */
static int succeeds(sap_world *s, sap_result r) {
    CHECK(r == SAP_OK || r == SAP_ERROR_MEMORY);
    CHECK_EQUAL(sap_last_error(s), r);
    never_fail();
    return r == SAP_OK;
}

/* Another grid or none, other threads or none, a reserve or the end of one: in one of three cases without memory, at any
   allocation of the call. Then all is as before. */
static void change_something(changing *c) {
    static test_rng shuffle = {3};
    static const int two = 2;
    const grid_kind kind = (grid_kind)test_below(&c->rng, GRID_KINDS);
    const sap_grid g = grid_of(kind, (float)(2 + test_below(&c->rng, 6)), 1 + test_below(&c->rng, 7));
    const int what = test_below(&c->rng, 6), how = test_below(&c->rng, 3);
    if (test_chance(&c->rng, 33)) fail_from = allocations + test_below(&c->rng, 12), fail_count = 1000;
    if (what < 3) {
        if (!succeeds(c->world, sap_set_grid(c->world, kind ? &g : NULL))) return;
        c->has_grid = kind != NO_GRID;
        c->grid = g;
    } else if (what == 3)
        (void)succeeds(c->world, sap_set_parallel(c->world,
                                                  how == 0   ? NULL
                                                  : how == 1 ? run_in_threads
                                                             : run_shuffled,
                                                  how == 1 ? (void *)(uintptr_t)&two : (void *)&shuffle));
    else if (what == 4) {
        if (succeeds(c->world, sap_reserve(c->world, CHANGING + test_below(&c->rng, 200), CHANGING * CHANGING / 2)))
            c->is_reserved = 1;
    } else {
        c->is_reserved = 0;
        CHECK(succeeds(c->world, sap_reserve(c->world, 0, 0)));
    }
}

/* Cells in use are those of a new world with the same boxes and the same grid. */
static void compare_cells(const changing *c, const sap_config *config) {
    sap_world *fresh;
    sap_id ids[CHANGING];
    if (config->method != SAP_METHOD_SORT || !c->has_grid || stats_of(c->world).method != SAP_METHOD_SORT) {
        CHECK(config->method == SAP_METHOD_SORT || stats_of(c->world).cells == 0);
        return;
    }
    fresh = open_with(config, &c->grid, NULL, NULL);
    CHECK_EQUAL(sap_add_many(fresh, CHANGING, c->boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_update(fresh), SAP_OK);
    if (c->grid.cells[0] || c->grid.cells[1] || c->grid.cells[2] || c->grid.hashed)
        CHECK_EQUAL(stats_of(c->world).cells, stats_of(fresh).cells);
    sap_destroy(fresh);
}

/* Events, pairs, their order and snapshots are those of a plain world, whatever the world gets and loses, and whatever
   fails. */
static void grids_and_threads_come_and_go(int method, unsigned seed) {
    enum { FRAMES = 60 };
    static changing c;
    static unsigned char bytes[2][1 << 20];
    sap_config config;
    int frame, i, k, n[2];
    memset(&c, 0, sizeof c);
    memset(&config, 0, sizeof config);
    config.method = method;
    c.rng.state = seed;
    c.world = sap_create(&config);
    c.plain = sap_create(NULL);
    if (!CHECK(c.world && c.plain)) exit(1);
    force_threads(c.world, 1);
    for (i = 0; i < CHANGING; i++)
        for (k = 0; k < 3; k++) {
            c.boxes[i].min[k] = test_uniform(&c.rng, -10, 10);
            c.boxes[i].max[k] = c.boxes[i].min[k] + test_uniform(&c.rng, 0, 1.5f);
        }
    CHECK_EQUAL(sap_add_many(c.world, CHANGING, c.boxes, NULL, c.ids), SAP_OK);
    CHECK_EQUAL(sap_add_many(c.plain, CHANGING, c.boxes, NULL, c.ids), SAP_OK);
    for (frame = 0; frame < FRAMES; frame++) {
        const int few = frame % 4 == 3, moved = few ? CHANGING / 20 : CHANGING;
        size_t size = sap_snapshot_size(c.world);
        change_something(&c);
        CHECK(sap_validate(c.world) == NULL);
        (void)sap_query_box(c.world, &c.boxes[frame], ~0u, NULL, NULL);
        CHECK(sap_update(c.world) == SAP_OK && sap_update(c.plain) == SAP_OK);
        CHECK(sap_validate(c.world) == NULL);
        compare_cells(&c, &config);
        if (!c.is_reserved && !is_in_a_job())
            CHECK_EQUAL(stats_of(c.world).bytes + stats_of(c.plain).bytes, live_bytes);
        (void)sap_created(c.plain, &n[0]), (void)sap_created(c.world, &n[1]);
        CHECK(same_arrays(sap_created(c.plain, NULL), n[0], sap_created(c.world, NULL), n[1]));
        (void)sap_deleted(c.plain, &n[0]), (void)sap_deleted(c.world, &n[1]);
        CHECK(same_arrays(sap_deleted(c.plain, NULL), n[0], sap_deleted(c.world, NULL), n[1]));
        (void)sap_pairs(c.plain, &n[0]), (void)sap_pairs(c.world, &n[1]);
        CHECK(same_arrays(sap_pairs(c.plain, NULL), n[0], sap_pairs(c.world, NULL), n[1]) && n[0] > 0);
        size = sap_snapshot_size(c.world);
        CHECK(size <= sizeof bytes[0] && size == sap_snapshot_size(c.plain));
        CHECK(sap_save(c.world, bytes[0], size) == SAP_OK && sap_save(c.plain, bytes[1], size) == SAP_OK);
        CHECK(memcmp(bytes[0], bytes[1], size) == 0);
        if (frame % 9 == 8) CHECK_EQUAL(sap_restore(c.world, bytes[1], size), SAP_OK);
        if (frame % 9 == 8) CHECK_EQUAL(sap_restore(c.plain, bytes[1], size), SAP_OK);
        for (i = 0; i < moved; i++)
            for (k = 0; k < 3; k++) {
                const float step = test_uniform(&c.rng, -0.5f, 0.5f);
                c.boxes[i].min[k] += step;
                c.boxes[i].max[k] += step;
            }
        CHECK_EQUAL(sap_move_many(c.world, moved, c.ids, c.boxes), SAP_OK);
        CHECK_EQUAL(sap_move_many(c.plain, moved, c.ids, c.boxes), SAP_OK);
    }
    sap_destroy(c.world);
    sap_destroy(c.plain);
    CHECK_EQUAL(live_blocks, 0);
    CHECK_EQUAL(faults, 0);
}

/* A grid that gets no memory, before or after sap_reserve, leaves the old one and its cells as they are: the next update
   does no more than one in a world that was not asked. */
static void failed_grid_changes_nothing(int is_reserved) {
    enum { N = 2000, FEW = 20 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    const sap_grid g = hashed(8, 8, 8), other = hashed(4, 4, 0);
    sap_world *worlds[2];
    test_rng rng = {4};
    int i, k, w, fail, frame = 0;
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = test_uniform(&rng, 0, 60), boxes[i].max[k] = boxes[i].min[k] + 1;
    for (w = 0; w < 2; w++) {
        worlds[w] = open_hashed(0, 0, 0);
        CHECK_EQUAL(sap_set_grid(worlds[w], &g), SAP_OK);
        if (is_reserved) CHECK_EQUAL(sap_reserve(worlds[w], N, N), SAP_OK);
        CHECK_EQUAL(sap_add_many(worlds[w], N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_update(worlds[w]), SAP_OK);
    }
    for (fail = 0; fail < (is_reserved ? 4 : 1); fail++) {
        fail_from = allocations + fail, fail_count = 1;
        CHECK_EQUAL(sap_set_grid(worlds[0], &other), SAP_ERROR_MEMORY);
        CHECK_EQUAL(sap_last_error(worlds[0]), SAP_ERROR_MEMORY);
        never_fail();
        for (w = 0; w < 2; w++) {
            for (i = 0; i < FEW; i++) boxes[i].max[0] = boxes[i].min[0] + 1 + (float)((frame + i) % 3);
            CHECK_EQUAL(sap_move_many(worlds[w], FEW, ids, boxes), SAP_OK);
            CHECK_EQUAL(sap_update(worlds[w]), SAP_OK);
            CHECK(sap_validate(worlds[w]) == NULL);
        }
        frame++;
        CHECK_EQUAL(stats_of(worlds[0]).swaps, stats_of(worlds[1]).swaps);
        CHECK_EQUAL(stats_of(worlds[0]).overlap_tests, stats_of(worlds[1]).overlap_tests);
        CHECK_EQUAL(stats_of(worlds[0]).cells, stats_of(worlds[1]).cells);
    }
    for (w = 0; w < 2; w++) sap_destroy(worlds[w]);
    CHECK_EQUAL(live_blocks, 0);
}

static size_t most_memory; /* that granting_realloc grants */

static void *granting_realloc(void *p, size_t size) {
    return live_bytes + size > most_memory ? NULL : multi_realloc(p, size);
}

/* A reserve of more than there is memory for fails, at any of its allocations. What comes after it needs what it would
   have needed without it, and but for the arrays of boxes its memory is given back. */
static void failed_reserve_promises_nothing(int method, int has_grid) {
    enum { N = 1000, MANY = 20000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    const sap_grid g = grid_of(CHOSEN, 0, 0);
    sap_config c;
    test_rng rng = {2};
    int i, k;
    size_t granted;
    memset(&c, 0, sizeof c);
    c.method = method;
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = test_uniform(&rng, 0, 200), boxes[i].max[k] = boxes[i].min[k] + 2;
    for (granted = 8192; granted < (size_t)MANY * (has_grid ? 1000 : 150); granted *= 2) {
        sap_world *s = open_with(&c, has_grid ? &g : NULL, NULL, NULL);
        use_realloc = granting_realloc;
        most_memory = granted;
        CHECK_EQUAL(sap_reserve(s, MANY, MANY), SAP_ERROR_MEMORY);
        most_memory = live_bytes + 1000000;
        CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
        for (k = 0; k < 40; k++) {
            CHECK_EQUAL(sap_update(s), SAP_OK);
            for (i = 0; i < N; i++) boxes[i].min[k % 3] += 0.01f, boxes[i].max[k % 3] += 0.01f;
            CHECK_EQUAL(sap_move_many(s, N, ids, boxes), SAP_OK);
        }
        CHECK(sap_validate(s) == NULL && stats_of(s).bytes == live_bytes);
        CHECK_MESSAGE(live_bytes <= 300 * (size_t)MANY, "%lu bytes are left of it", (unsigned long)live_bytes);
        sap_destroy(s);
        use_realloc = multi_realloc;
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* sap_reserve(s, 0, 0) ends a reserve: what it has reserved for pairs, events, scratch and cells is given back after some
   updates, and AUTO may take SORT again. */
static void reserves_end(int method, int has_grid, int with_threads, int lose_threads) {
    enum { N = 600 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    const sap_grid g = grid_of(CHOSEN, 0, 0);
    sap_config c;
    sap_world *s;
    test_rng rng = {5}, shuffle = {6};
    size_t before = 0;
    int turn, i, k, frame, sorts[2] = {0, 0};
    memset(&c, 0, sizeof c);
    c.method = method;
    s = open_with(&c, has_grid ? &g : NULL, with_threads ? run_shuffled : NULL, &shuffle);
    for (i = 0; i < N; i++) crowd_box(&rng, 0, &boxes[i]);
    CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
    for (turn = 0; turn < 2; turn++) {
        CHECK_EQUAL(turn ? sap_reserve(s, 0, 0) : sap_reserve(s, N, N * N), SAP_OK);
        if (turn && lose_threads) CHECK_EQUAL(sap_set_parallel(s, NULL, NULL), SAP_OK);
        for (frame = 0; frame < 40; frame++) {
            CHECK_EQUAL(sap_update(s), SAP_OK);
            sorts[turn] += stats_of(s).method == SAP_METHOD_SORT;
            for (i = 0; i < N; i++)
                for (k = 0; k < 3; k++) {
                    const float step = test_uniform(&rng, -.0002f, .0002f);
                    boxes[i].min[k] += step, boxes[i].max[k] += step;
                }
            CHECK_EQUAL(sap_move_many(s, N, ids, boxes), SAP_OK);
        }
        CHECK(sap_validate(s) == NULL);
        if (turn == 0) before = live_bytes;
    }
    CHECK_MESSAGE(20 * live_bytes < before, "%lu bytes, %lu reserved", (unsigned long)live_bytes,
                  (unsigned long)before);
    if (method == SAP_METHOD_AUTO) CHECK(sorts[0] == 0 && sorts[1] > 10);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

typedef struct counted_loops {
    int threads, loops;
} counted_loops;

static void count_loops(sap_job *job, void *data, int count, void *user) {
    counted_loops *c = (counted_loops *)user;
    c->loops++;
    run_in_threads(job, data, count, &c->threads);
}

static int asks_outside(const sap_pair *pair, void *user) {
    if (is_in_a_job()) faults++;
    ++*(int *)user;
    return pair->id0 % 3 > 0;
}

/* Two threads and sixteen do what none do, in updates, in the packs of queries, and with a filter, which is asked outside
   of jobs. After NULL none are used. */
static void threads_of_any_number(int threads, int method, int has_grid) {
    enum { N = 3000, FRAMES = 8 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    const sap_grid g = hashed(4, 4, 4);
    sap_config c;
    sap_world *s, *one;
    counted_loops counted = {threads, 0};
    test_rng rng = {9};
    int i, k, frame, asked[2] = {0, 0}, n[2];
    memset(&c, 0, sizeof c);
    c.method = method;
    c.filter = asks_outside;
    c.filter_user = &asked[0];
    one = sap_create(&c);
    c.filter_user = &asked[1];
    s = open_with(&c, has_grid ? &g : NULL, count_loops, &counted);
    force_threads(s, 1);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = test_uniform(&rng, 0, 30), boxes[i].max[k] = boxes[i].min[k] + 2;
    CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_add_many(one, N, boxes, NULL, ids), SAP_OK);
    for (frame = 0; frame < FRAMES; frame++) {
        const int before = counted.loops, is_off = frame % 4 == 3;
        CHECK_EQUAL(sap_set_parallel(s, is_off ? NULL : count_loops, &counted), SAP_OK);
        if (frame % 2) CHECK_EQUAL(sap_prepare_queries(s), SAP_OK); /* packs a new tree, or refits one */
        CHECK_EQUAL(sap_query_box(s, &boxes[frame], ~0u, NULL, NULL),
                    sap_query_box(one, &boxes[frame], ~0u, NULL, NULL));
        if (frame < 2 && !has_grid) CHECK(is_off || counted.loops > before);
        CHECK(sap_update(s) == SAP_OK && sap_update(one) == SAP_OK);
        CHECK(is_off ? counted.loops == before : counted.loops > before);
        (void)sap_created(one, &n[0]), (void)sap_created(s, &n[1]);
        CHECK(same_arrays(sap_created(one, NULL), n[0], sap_created(s, NULL), n[1]));
        (void)sap_pairs(one, &n[0]), (void)sap_pairs(s, &n[1]);
        CHECK(same_arrays(sap_pairs(one, NULL), n[0], sap_pairs(s, NULL), n[1]) && n[0] > N);
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                const float step = test_uniform(&rng, -1, 1);
                boxes[i].min[k] += step, boxes[i].max[k] += step;
            }
        CHECK_EQUAL(sap_move_many(s, N, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_move_many(one, N, ids, boxes), SAP_OK);
    }
    CHECK(asked[0] > 0 && asked[1] > 0);
    CHECK_EQUAL(faults, 0);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

int main(int argc, char **argv) {
    const int seeds = test_argument(argc, argv, 1, 96);
    int method, k;
    use_realloc = multi_realloc, use_free = multi_free;
    refusals();
    cells_without_bounds();
    no_tree_without_queries();
    limits(4);
    limits(0);
    most_cells();
    entries_of_two_axes();
    given_cells(1);
    given_cells(10);
    given_cells(400);
    cells_are_counted_at_any_time();
    if (seeds >= 10) grids_cost_less();
    memory_follows_the_boxes();
    cells_are_given_back(0);
    cells_are_given_back(1);
    grid_comes_and_goes(0);
    grid_comes_and_goes(1);
    for (k = 0; k < 2; k++) { /* decades or not */
        for (method = 0; method < 4; method++) works_as_one_sap(SAP_METHOD_AUTO, k, SAP_2D, method);
        works_as_one_sap(SAP_METHOD_SORT, k, 0, 1);
        works_as_one_sap(SAP_METHOD_SORT, k, SAP_2D, 1);
    }
    works_as_one_sap(SAP_METHOD_SORT, 1, 0, 0);
    works_as_one_sap(SAP_METHOD_SORT, 1, 0, 3);
    large_boxes_and_small_cells();
    all_bytes_are_counted(SAP_METHOD_AUTO);
    all_bytes_are_counted(SAP_METHOD_SORT);
    moves_that_meet();
    busy_in_the_filter();
    for (k = 0; k < 8; k++) {
        reserved(SAP_METHOD_AUTO, k & 1, k >> 1 & 1, NULL, k >> 2);
        reserved(SAP_METHOD_SORT, k & 1, k >> 1 & 1, NULL, k >> 2);
    }
    for (k = 0; k < 2; k++) {
        reserved(SAP_METHOD_AUTO, 0, 1, no_pairs, k);
        reserved(SAP_METHOD_SORT, 0, 1, no_pairs, k);
    }
    for (k = 0; k < 4 && seeds >= 10; k++) reserved_for_any_cell(k & 1, k >> 1);
    for (method = SAP_METHOD_PRUNE; method <= SAP_METHOD_QUERY; method++) {
        reserved_for_a_crowd(method);
        reserved_to_the_last_pair(100, no_pairs, method);
        reserved_to_the_last_pair(0, no_pairs, method);
        reserved_to_the_last_pair(1, first_two, method);
    }
    for (method = SAP_METHOD_AUTO; method < METHODS; method++) {
        for (k = 0; k < 1 + seeds / 24; k++) grids_and_threads_come_and_go(method, (unsigned)(4 * k + method + 1));
        threads_of_any_number(2, method, method == SAP_METHOD_SORT);
        threads_of_any_number(16, method, method == SAP_METHOD_SORT);
        failed_reserve_promises_nothing(method, 0);
        reserves_end(method, 0, 1, 0);
        reserves_end(method, 0, 1, 1);
    }
    failed_grid_changes_nothing(0);
    failed_grid_changes_nothing(1);
    failed_reserve_promises_nothing(SAP_METHOD_SORT, 1);
    reserves_end(SAP_METHOD_SORT, 1, 0, 0);
    reserves_end(SAP_METHOD_SORT, 1, 1, 1);
    threads_that_flush();
    for (k = 0; k < 3; k++) shares_give_up(k);
    shares_begin_again();
    return test_summary();
}
