/* soak.c - a world in use for a long time: boxes come, move and go at a constant population, queries are asked,
   snapshots taken and put back.

   Memory must stay flat, no id may come back too early, sap_validate must find nothing. Frame times are printed by
   tenth of the run, for you to look at; no time makes it fail.

   usage: soak [minutes]   default 60 */

#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <time.h>

#include "alloc.h"

#define SAP_REALLOC(p, size) test_realloc(p, size)
#define SAP_FREE(p) test_free(p)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"

enum {
    BOXES = 2000,
    COMING = 40,     /* boxes that are exchanged each frame */
    QUERIES = 20,    /* of each kind, each frame */
    ROLLBACK = 500,  /* every so many frames a snapshot is put back */
    CHECK_EACH = 200 /* frames between two looks at every invariant */
};

enum { TENTHS = 10, MOST_TIMES = 4096 };

typedef struct soak {
    sap_world *world;
    sap_world *grid; /* the same calls, so the same ids and pairs */
    test_rng rng;
    sap_aabb boxes[BOXES];
    sap_id ids[BOXES];
    /* by slot */
    unsigned char used[2 * BOXES], generation[2 * BOXES]; /* has it ever been given out, and how */
    long freed[2 * BOXES];                                /* when it came free: the one longest free comes first */
    long frees, reused;
    sap_id last_removed[COMING];
    void *snapshot;
    size_t snapshot_size;
} soak;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void any_box(soak *k, sap_aabb *box) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        box->min[axis] = test_uniform(&k->rng, 0, 40);
        box->max[axis] = box->min[axis] + test_uniform(&k->rng, 0.5f, 3);
    }
}

/* A slot that was used before comes back with the next generation, and only when more than 256 are free and no other
   has been free longer; else a new one. */
static void look_at_id(soak *k, sap_id id) {
    uint32_t slot = id & 0xffffff, i;
    int longer = 0;
    if (!CHECK(slot < 2 * BOXES)) exit(1);
    for (i = 1; i < 2 * BOXES; i++) longer += k->freed[i] >= 0 && k->freed[i] < k->freed[slot];
    CHECK_EQUAL(longer, 0);
    CHECK_EQUAL(k->used[slot], k->frees - k->reused > 256);
    if (k->used[slot]) {
        CHECK_EQUAL(id >> 24, (k->generation[slot] + 1) & 255);
        CHECK(k->freed[slot] >= 0);
        k->reused++;
    }
    k->used[slot] = 1;
    k->generation[slot] = (unsigned char)(id >> 24);
    k->freed[slot] = -1;
}

static void add_some(soak *k, int from, int n) {
    sap_id same[BOXES];
    int i;
    for (i = from; i < from + n; i++) any_box(k, &k->boxes[i]);
    CHECK_EQUAL(sap_add_many(k->world, n, k->boxes + from, NULL, k->ids + from), SAP_OK);
    CHECK_EQUAL(sap_add_many(k->grid, n, k->boxes + from, NULL, same), SAP_OK);
    CHECK(memcmp(same, k->ids + from, (size_t)n * sizeof *same) == 0);
    for (i = from; i < from + n; i++) look_at_id(k, k->ids[i]);
}

/* Half of the boxes move a little, one in a hundred anywhere; some go and as many come. */
static void record_frame(soak *k) {
    int i, axis;
    for (i = test_below(&k->rng, 2); i < BOXES; i += 2) {
        if (test_chance(&k->rng, 1))
            any_box(k, &k->boxes[i]);
        else
            for (axis = 0; axis < 3; axis++) {
                float step = test_uniform(&k->rng, -0.1f, 0.1f);
                k->boxes[i].min[axis] += step;
                k->boxes[i].max[axis] += step;
            }
        sap_move(k->world, k->ids[i], &k->boxes[i]);
        sap_move(k->grid, k->ids[i], &k->boxes[i]);
    }
    for (i = 0; i < COMING; i++) { /* any of them: they gather at the end */
        int last = BOXES - 1 - i, j = test_below(&k->rng, last + 1);
        sap_id id = k->ids[j];
        sap_aabb box = k->boxes[j];
        k->ids[j] = k->ids[last];
        k->boxes[j] = k->boxes[last];
        k->ids[last] = id;
        k->boxes[last] = box;
        k->last_removed[i] = id;
        CHECK_EQUAL(sap_remove(k->world, id), SAP_OK);
        CHECK_EQUAL(sap_remove(k->grid, id), SAP_OK);
    }
    add_some(k, BOXES - COMING, COMING);
}

static void update_and_compare(soak *k) {
    int n[2], i;
    const sap_pair *a, *b;
    CHECK_EQUAL(sap_update(k->world), SAP_OK);
    CHECK_EQUAL(sap_update(k->grid), SAP_OK);
    for (i = 0; i < COMING; i++) k->freed[k->last_removed[i] & 0xffffff] = k->frees++;
    a = sap_created(k->world, &n[0]);
    b = sap_created(k->grid, &n[1]);
    CHECK(n[0] == n[1] && (n[0] == 0 || memcmp(a, b, (size_t)n[0] * sizeof *a) == 0));
    a = sap_deleted(k->world, &n[0]);
    b = sap_deleted(k->grid, &n[1]);
    CHECK(n[0] == n[1] && (n[0] == 0 || memcmp(a, b, (size_t)n[0] * sizeof *a) == 0));
}

static void ask(soak *k) {
    int i, axis;
    for (i = 0; i < QUERIES; i++) {
        sap_aabb box;
        float way[3], t[2];
        any_box(k, &box);
        for (axis = 0; axis < 3; axis++) way[axis] = test_uniform(&k->rng, -30, 30);
        CHECK_EQUAL(sap_query_box(k->world, &box, 1, NULL, NULL), sap_query_box(k->grid, &box, 1, NULL, NULL));
        CHECK_EQUAL(sap_ray_closest(k->world, box.min, way, 1, &t[0]),
                    sap_ray_closest(k->grid, box.min, way, 1, &t[1]));
        CHECK_EQUAL(sap_nearest(k->world, box.min, TEST_INFINITY, 1, NULL),
                    sap_nearest(k->grid, box.min, TEST_INFINITY, 1, NULL));
    }
}

/* Saved, and put back at once: whatever follows must not know the difference. */
static void roll_back(soak *k) {
    size_t size = sap_snapshot_size(k->world);
    if (size > k->snapshot_size) {
        k->snapshot_size = 2 * size;
        k->snapshot = realloc(k->snapshot, k->snapshot_size);
        if (!k->snapshot) exit(2);
    }
    CHECK_EQUAL(sap_save(k->world, k->snapshot, size), SAP_OK);
    CHECK_EQUAL(sap_restore(k->world, k->snapshot, size), SAP_OK);
    CHECK_EQUAL(sap_restore(k->grid, k->snapshot, size), SAP_OK);
}

static void look_at_all(soak *k) {
    sap_stats stats[2];
    CHECK(sap_validate(k->world) == NULL);
    CHECK(sap_validate(k->grid) == NULL);
    CHECK_EQUAL(sap_count(k->world), BOXES);
    sap_get_stats(k->world, &stats[0]);
    sap_get_stats(k->grid, &stats[1]);
    CHECK_EQUAL(stats[0].bytes + stats[1].bytes, live_bytes);
}

static int compare_times(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    static soak k; /* too large for a stack */
    static float times[MOST_TIMES];
    sap_config config;
    sap_grid grid;
    double seconds = 60.0 * (argc > 1 ? atof(argv[1]) : 60.0), start = now(), begin;
    size_t most_early = 0, most_late = 0;
    long frames = 0, in_tenth = 0;
    int tenth, i;

    memset(&config, 0, sizeof config);
    config.method = SAP_METHOD_SORT;
    memset(&grid, 0, sizeof grid);
    grid.hashed = 1;
    for (i = 0; i < 3; i++) grid.cell_size[i] = 8;
    k.rng.state = 1;
    k.world = sap_create(NULL);
    k.grid = sap_create(&config);
    if (!CHECK(k.world && k.grid) || !CHECK(sap_set_grid(k.grid, &grid) == SAP_OK)) return test_summary();
    for (i = 0; i < 2 * BOXES; i++) k.freed[i] = -1;
    add_some(&k, 0, BOXES);
    CHECK_EQUAL(sap_update(k.world), SAP_OK);
    CHECK_EQUAL(sap_update(k.grid), SAP_OK);

    printf("%d boxes, %d exchanged a frame\n", BOXES, COMING);
    printf("%8s %10s %14s %12s\n", "tenth", "frames", "median us", "bytes");
    for (tenth = 0; tenth < TENTHS; tenth++) {
        for (in_tenth = 0; now() - start < seconds * (tenth + 1) / TENTHS || in_tenth == 0; in_tenth++, frames++) {
            record_frame(&k);
            begin = now();
            update_and_compare(&k);
            times[in_tenth % MOST_TIMES] = (float)(1e6 * (now() - begin)); /* of a long tenth the last ones */
            ask(&k);
            if (frames % ROLLBACK == ROLLBACK - 1) roll_back(&k);
            if (frames % CHECK_EACH == 0) look_at_all(&k);
            if (tenth == 0 && live_bytes > most_early) most_early = live_bytes;
            if (tenth > 0 && live_bytes > most_late) most_late = live_bytes;
        }
        if (in_tenth > MOST_TIMES) in_tenth = MOST_TIMES;
        qsort(times, (size_t)in_tenth, sizeof *times, compare_times);
        printf("%8d %10ld %14.1f %12lu\n", tenth + 1, frames, (double)times[in_tenth / 2], (unsigned long)live_bytes);
        fflush(stdout);
    }
    look_at_all(&k);
    CHECK(seconds == 0 || k.reused > BOXES);
    /* Arrays have doubled to the usual peaks in the first tenth; a rarer peak may double one of them once more. */
    CHECK_MESSAGE(most_late <= most_early + most_early / 2, "memory grew from %lu to %lu bytes",
                  (unsigned long)most_early, (unsigned long)most_late);
    sap_destroy(k.world);
    sap_destroy(k.grid);
    free(k.snapshot);
    CHECK_EQUAL(live_bytes, 0);
    return test_summary();
}
