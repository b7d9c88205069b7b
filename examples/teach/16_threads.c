/*
Shows cells on threads: queues, cells side by side, and one merge (Terdiman II.3d), by hand and in sap_multi.h.

    cc -I../.. -I.. -I/usr/include/stb -o 16_threads 16_threads.c -pthread -lm && ./16_threads

Nothing is shared by two threads, so nothing is locked. By hand, an update has the paper's three parts:

    one thread     rasterizes all boxes and records what each cell has to do, in the queue of the cell
    all threads    take cells; a cell works through its queue and finds its own pairs, for its own pair manager
    one thread     merges the pair managers, leaves out what comes twice, and compares with the last update

Figures are those of the last update. A cell's SAP is here a list that is swept. The largest cell says how well the work can
be shared: no thread helps to finish it. Then sap_multi.h does the same, with SAP_METHOD_SORT, which alone uses the grid,
and sap_set_parallel: a pool of threads (pool.h). Events are the same with one thread and with four; so are those of one SAP.
How long it takes on your machine goes to stderr; for some threads to gain much there must be as many cores.
It draws 16_threads.svg or the file you name. It prints:

    by hand: 2000 boxes in 36 cells, 2384 entries; the largest cell has 87
      recorded    2320 updates, 64 adds, 58 removes
      merged      2526 pairs of all cells, 242 of them come again: 2284, as two loops say
    sap_multi.h, SAP_METHOD_SORT: 20000 boxes, 12911 events
      1 thread, 4 threads, no grid: the same events in the same order
*/
#define _POSIX_C_SOURCE 200112L /* clock_gettime */
#include <math.h>
#include <time.h>
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "pool.h"
#include "teach.h"

enum { BOXES = 2000, CELLS = 6, ALL_CELLS = CELLS * CELLS, UPDATES = 5, MOST = 20000, IN_CELL = 400, IN_PAIRS = 4000 };
#define SIDE 60.0f
#define LENGTH (SIDE / CELLS)

/* ---- by hand --------------------------------------------------------------------------------------------------------- */

enum { ADD, REMOVE, UPDATE, KINDS };

typedef struct cell { /* all of it is its own */
    int members[IN_CELL], member_count;
    int queue[2 * IN_CELL], queue_count; /* box * KINDS + what to do */
    uint32_t pairs[IN_PAIRS];            /* its pair manager: lower box << 16 | higher box, ascending */
    int pair_count;
} cell;

static cell cells[ALL_CELLS];
static sap_aabb boxes[BOXES];
static int first[BOXES][2], last[BOXES][2]; /* handles: columns and rows */
static long long recorded[KINDS];

static int place(float at) {
    const int i = (int)floorf(at / LENGTH);
    return i < 0 ? 0 : i < CELLS ? i : CELLS - 1;
}

static void record(int column, int row, int box, int what) {
    cell *c = &cells[row * CELLS + column];
    c->queue[c->queue_count++] = box * KINDS + what;
    recorded[what]++;
}

/* The first serial part. */
static void rasterize(int is_new) {
    memset(recorded, 0, sizeof recorded);
    for (int i = 0; i < BOXES; i++) {
        int was[2][2] = {{first[i][0], first[i][1]}, {last[i][0], last[i][1]}};
        for (int k = 0; k < 2; k++) {
            first[i][k] = place(boxes[i].min[k]);
            last[i][k] = place(boxes[i].max[k]);
        }
        for (int row = 0; row < CELLS; row++)
            for (int column = 0; column < CELLS; column++) {
                const int in_old =
                    !is_new && column >= was[0][0] && column <= was[1][0] && row >= was[0][1] && row <= was[1][1];
                const int in_new =
                    column >= first[i][0] && column <= last[i][0] && row >= first[i][1] && row <= last[i][1];
                if (in_new) record(column, row, i, in_old ? UPDATE : ADD);
                if (in_old && !in_new) record(column, row, i, REMOVE);
            }
    }
}

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The parallel part: one cell. It reads boxes, which are not written now, and writes to itself. */
static void update_cell(void *data, int index) {
    cell *c = &((cell *)data)[index];
    for (int i = 0; i < c->queue_count; i++) {
        const int box = c->queue[i] / KINDS, what = c->queue[i] % KINDS;
        int at = 0;
        if (what == ADD) c->members[c->member_count++] = box;
        if (what != REMOVE) continue;
        while (c->members[at] != box) at++;
        c->members[at] = c->members[--c->member_count];
    }
    c->queue_count = c->pair_count = 0;
    for (int i = 0; i < c->member_count; i++)
        for (int j = i + 1; j < c->member_count; j++) {
            const int a = c->members[i], b = c->members[j];
            if (teach_overlap(&boxes[a], &boxes[b]))
                c->pairs[c->pair_count++] = (uint32_t)(a < b ? a : b) << 16 | (uint32_t)(a < b ? b : a);
        }
    qsort(c->pairs, (size_t)c->pair_count, sizeof *c->pairs, ascending);
}

/* The last serial part. Returns the number of pairs; in all pair managers there are *found. */
static int merge(uint32_t *pairs, int *found) {
    int n = 0;
    *found = 0;
    for (int i = 0; i < ALL_CELLS; i++) {
        memcpy(&pairs[*found], cells[i].pairs, (size_t)cells[i].pair_count * sizeof *pairs);
        *found += cells[i].pair_count;
    }
    qsort(pairs, (size_t)*found, sizeof *pairs, ascending);
    for (int i = 0; i < *found; i++)
        if (i == 0 || pairs[i] != pairs[i - 1]) pairs[n++] = pairs[i];
    return n;
}

static int two_loops(void) {
    int n = 0;
    for (int i = 0; i < BOXES; i++)
        for (int j = i + 1; j < BOXES; j++) n += teach_overlap(&boxes[i], &boxes[j]);
    return n;
}

static int run_by_hand(pool *threads) {
    static uint32_t pairs[ALL_CELLS * IN_PAIRS];
    int good = 1, n = 0, found = 0, largest = 0, members = 0;
    teach_scatter(boxes, BOXES, SIDE - 1, SIDE - 1, 0);
    for (int u = 0; u < UPDATES; u++) {
        if (u)
            for (int i = 0; i < BOXES; i++) teach_walk(&boxes[i], 2, .3f);
        rasterize(u == 0);
        pool_run(update_cell, cells, ALL_CELLS, threads);
        n = merge(pairs, &found);
        good &= n == two_loops();
    }
    for (int i = 0; i < ALL_CELLS; i++) {
        members += cells[i].member_count;
        if (cells[i].member_count > largest) largest = cells[i].member_count;
    }
    printf("by hand: %d boxes in %d cells, %d entries; the largest cell has %d\n", BOXES, ALL_CELLS, members, largest);
    printf("  recorded    %lld updates, %lld adds, %lld removes\n", recorded[UPDATE], recorded[ADD], recorded[REMOVE]);
    printf("  merged      %d pairs of all cells, %d of them come again: %d, %s\n", found, found - n, n,
           good ? "as two loops say" : "and two loops say ELSE");
    return good;
}

/* ---- sap_multi.h ------------------------------------------------------------------------------------------------------- */

typedef struct result {
    uint32_t hash; /* of all events, in their order */
    long long events;
    double milliseconds; /* of an update */
    int cells;
} result;

static double milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void count(result *r, const sap_pair *pairs, int n) {
    r->events += n;
    for (int i = 0; i < n; i++) r->hash = (r->hash ^ pairs[i].id0 ^ pairs[i].id1 << 12) * 16777619u;
}

static result run_multi(pool *threads, int has_grid) {
    static sap_aabb many[MOST];
    static sap_id ids[MOST];
    sap_config config = {0};
    const sap_grid grid = {0}; /* chosen from the boxes */
    result r = {2166136261u, 0, 0, 0};
    int n;
    config.axes = SAP_2D;
    config.method = has_grid ? SAP_METHOD_SORT : SAP_METHOD_AUTO;
    sap_world *world = sap_create(&config);
    if (threads) sap_set_parallel(world, pool_run, threads);
    if (has_grid) sap_set_grid(world, &grid);
    teach_state = 1;
    teach_scatter(many, MOST, 200, 200, 0);
    sap_add_many(world, MOST, many, NULL, ids);
    sap_update(world);
    for (int u = 0; u < UPDATES; u++) {
        sap_stats stats;
        for (int i = 0; i < MOST; i++) teach_walk(&many[i], 2, .1f);
        sap_move_many(world, MOST, ids, many);
        const double begin = milliseconds();
        sap_update(world);
        r.milliseconds += (milliseconds() - begin) / UPDATES;
        const sap_pair *pairs = sap_created(world, &n);
        count(&r, pairs, n);
        pairs = sap_deleted(world, &n);
        count(&r, pairs, n);
        sap_get_stats(world, &stats);
        r.cells = stats.cells;
    }
    sap_destroy(world);
    return r;
}

/* ---- the picture ------------------------------------------------------------------------------------------------------- */

static void draw(const char *path) {
    svg p = svg_open(path, 1000, 560, "Cells that threads can update side by side");
    svg_text(&p, 40, 80, 15, SVG_WORD, "each fourth box, and the cells");
    svg_text(&p, 560, 80, 15, SVG_WORD, "the work of each cell: tests in its list, then in one merge");
    svg_begin_panel(&p, 40, 96, 430, 430, -.5, -.5, 7);
    for (int i = 0; i < BOXES; i += 4)
        svg_box(&p, boxes[i].min, boxes[i].max,
                first[i][0] != last[i][0] || first[i][1] != last[i][1] ? "fill:#ffab5c;stroke:#10151c;stroke-width:.5"
                                                                       : "fill:#4d6a8c;stroke:#10151c;stroke-width:.5");
    for (int i = 0; i <= CELLS; i++) {
        svg_line(&p, LENGTH * (double)i, 0, LENGTH * (double)i, SIDE, "stroke:#8fa3ba");
        svg_line(&p, 0, LENGTH * (double)i, SIDE, LENGTH * (double)i, "stroke:#8fa3ba");
    }
    svg_end_panel(&p);
    for (int i = 0; i < ALL_CELLS; i++) {
        const float y = 100 + 11 * (float)i, long_as = (float)cells[i].member_count * (float)cells[i].member_count / 28;
        const float min[2] = {560, y}, max[2] = {560 + long_as, y + 8};
        svg_box(&p, min, max, "fill:#6fa3e0");
    }
    const float min[2] = {560, 504}, max[2] = {960, 512};
    svg_box(&p, min, max, "fill:#ffd877");
    svg_close(&p);
}

int main(int argc, char **argv) {
    pool threads;
    pool_start(&threads, 4);
    int good = run_by_hand(&threads);
    const result alone = run_multi(NULL, 1), four = run_multi(&threads, 1), tree = run_multi(&threads, 0);
    const int same = alone.hash == four.hash && alone.hash == tree.hash && alone.events == tree.events;
    printf("sap_multi.h, SAP_METHOD_SORT: %d boxes, %lld events\n", MOST, alone.events);
    printf("  1 thread, 4 threads, no grid: %s\n", same ? "the same events in the same order" : "NOT the same events");
    fprintf(stderr, "an update of %d boxes in %d cells: 1 thread %.2f ms, 4 threads %.2f ms; without a grid %.2f ms\n",
            MOST, four.cells, alone.milliseconds, four.milliseconds, tree.milliseconds);
    draw(argc > 1 ? argv[1] : "16_threads.svg");
    pool_stop(&threads);
    return !(good && same);
}
