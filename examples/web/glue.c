/*
glue.c - the functions that the page calls: boxes that move, three ways to find their pairs, and the figures that are
drawn; then the worlds of the lessons on batches, on the grid, and on the cost of each method

Compiled to WebAssembly together with sap_multi.h. All arrays are static; the page reads them where they lie. The grid and
brute force stand here so that all three are built by one compiler with the same flags.
*/
#include <stdint.h>
#include <string.h>
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

enum { MOST = 20000, MOST_CELLS = 1 << 16, MOST_PAIRS = 1 << 19 };

static int count;
static float width, height, largest; /* the world, and the longest side of a box, in pixels */
static float corner[2];              /* the coordinates of its corner: 0, until the origin is shifted */
static sap_world *world;
static sap_aabb boxes[MOST];
static float speed[MOST][2]; /* pixels a second at speed 1 */
static sap_id ids[MOST];
static int partners[MOST]; /* the number of boxes that each overlaps, counted by events alone */
static float glow[MOST];   /* 2 when a pair begins, soon 1; 0 some time after the last one ended */
static int began, ended;   /* pairs that began or ended in the last update */
static uint32_t random_state;

/* The pairs that the grid found, as (lower box, higher box), in this frame and, sorted, in the one before. */
static uint64_t found[2][MOST_PAIRS];
static int found_count[2];
static uint64_t *now_found = found[0];

static float random_in(float low, float high) {
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

/* ---- the world --------------------------------------------------------------------------------------- */

/* Makes n boxes at random, whose sides are 0.5 to 1.5 times 'side'. If mixed, one box in a hundred is ten times as
   large. Returns 0 without memory. */
WEB_EXPORT(setup) int setup(int n, float side, float w, float h, int mixed, int method) {
    const sap_config flat = {.axes = SAP_2D, .method = method};
    sap_destroy(world);
    world = sap_create(&flat);
    count = n < MOST ? n : MOST;
    width = w;
    height = h;
    largest = 0;
    corner[0] = corner[1] = 0;
    random_state = 1;
    memset(partners, 0, sizeof partners);
    memset(glow, 0, sizeof glow);
    found_count[1] = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            float length = random_in(0.5f, 1.5f) * side * (mixed && i % 100 == 0 ? 10 : 1);
            float room = (k ? h : w) - length;
            boxes[i].min[k] = random_in(0, room > 0 ? room : 0);
            boxes[i].max[k] = boxes[i].min[k] + length;
            speed[i][k] = random_in(-side, side);
            if (length > largest) largest = length;
        }
    return world && sap_add_many(world, count, boxes, NULL, ids) == SAP_OK;
}

/* Moves the first 'movers' boxes for some seconds; they turn back at the walls. */
WEB_EXPORT(move) void move(float seconds, int movers) {
    for (int i = 0; i < movers && i < count; i++)
        for (int k = 0; k < 2; k++) {
            float length = boxes[i].max[k] - boxes[i].min[k], room = (k ? height : width) - length;
            float at = boxes[i].min[k] + speed[i][k] * seconds, end = corner[k] + (room > 0 ? room : 0);
            if (at < corner[k] || at > end) {
                speed[i][k] = -speed[i][k];
                at = at < corner[k] ? corner[k] : end;
            }
            boxes[i].min[k] = at;
            boxes[i].max[k] = at + length;
        }
}

/* Adds a thin box nearly as long as the world: across, or down if the number of boxes is odd. Returns the new number of
   boxes. */
WEB_EXPORT(drop) int drop(float side) {
    if (count == MOST) return count;
    const int along = count & 1;
    const float length = 0.9f * (along ? height : width), room = (along ? width : height) - side;
    sap_aabb *box = &boxes[count];
    box->min[along] = corner[along];
    box->max[along] = corner[along] + length;
    box->min[!along] = corner[!along] + random_in(0, room > 0 ? room : 0);
    box->max[!along] = box->min[!along] + side;
    speed[count][along] = random_in(-side, side);
    speed[count][!along] = 2 * side;
    ids[count] = sap_add(world, box, NULL);
    if (!ids[count]) return count;
    partners[count] = 0;
    glow[count] = 0;
    if (length > largest) largest = length;
    return ++count;
}

/* Moves the origin: the boxes stay where they are drawn, but their coordinates change. */
WEB_EXPORT(shift) void shift(float x, float y) {
    const float offset[3] = {x, y, 0};
    if (sap_shift_origin(world, offset) != SAP_OK) return;
    corner[0] -= x;
    corner[1] -= y;
    for (int i = 0; i < count; i++) sap_get_box(world, ids[i], &boxes[i]);
}

/* Does the work of a game's frame: records moves, and updates. Returns the number of pairs, or -1 without memory. */
WEB_EXPORT(settle) int settle(int movers) {
    int pairs;
    sap_move_many(world, movers < count ? movers : count, ids, boxes);
    if (sap_update(world) != SAP_OK) return -1;
    sap_pairs(world, &pairs);
    return pairs;
}

/* Returns the box of an id: its slot, as nothing is ever removed. */
static int index_of(sap_id id) {
    return (int)SAP_SLOT(id) - 1;
}

static void light(const sap_pair *pair, int more, float least) {
    const int both[2] = {index_of(pair->id0), index_of(pair->id1)};
    for (int k = 0; k < 2; k++) {
        partners[both[k]] += more;
        if (glow[both[k]] < least) glow[both[k]] = least;
    }
}

/* Lights the boxes whose pairs began in the last update, and lets those fade whose pairs have ended. */
WEB_EXPORT(shine) void shine(float seconds) {
    const sap_pair *created = sap_created(world, &began), *deleted = sap_deleted(world, &ended);
    for (int i = 0; i < ended; i++) light(&deleted[i], -1, 0);
    for (int i = 0; i < count; i++) {
        float least = partners[i] ? 1 : 0;
        glow[i] -= 2 * seconds;
        if (glow[i] < least) glow[i] = least;
    }
    for (int i = 0; i < began; i++) light(&created[i], 1, 2);
}

/* ---- the same pairs, found in other ways ---------------------------------------------------------------- */

static int overlap(const sap_aabb *a, const sap_aabb *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1];
}

/* Tests each box with all behind it; with step 10 one box in ten, for a sample. Returns the number of pairs. */
WEB_EXPORT(brute_force) int brute_force(int from, int step) {
    int pairs = 0;
    for (int i = from; i < count; i += step)
        for (int j = i + 1; j < count; j++) pairs += overlap(&boxes[i], &boxes[j]);
    return pairs;
}

/* Tests one box of the grid with a row of others. Each pair is written, but counted only if they overlap: so there is
   no branch to predict. */
static void grid_ask(const sap_aabb *filed, const int *filed_box, int asking, int from, int to) {
    int pairs = found_count[0], a = filed_box[asking];
    for (int i = from; i < to && pairs < MOST_PAIRS; i++) {
        int b = filed_box[i];
        now_found[pairs] = a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
        pairs += overlap(&filed[asking], &filed[i]);
    }
    found_count[0] = pairs;
}

static float cell_used;

/* A uniform grid: each box lies in the cell of its middle. A cell is as wide as the largest box, so that boxes which
   overlap lie in the same cell or in two that touch. Returns the number of pairs. */
WEB_EXPORT(grid) int grid(void) {
    static int first[MOST_CELLS + 1], cell_of[MOST], filed_box[MOST];
    static sap_aabb filed[MOST]; /* sorted by cell */
    int columns, rows;
    float cell = largest;
    do {
        columns = (int)(width / cell) + 1;
        rows = (int)(height / cell) + 1;
        cell *= 2;
    } while (columns * rows > MOST_CELLS);
    cell /= 2;
    cell_used = cell;
    memset(first, 0, sizeof *first * (size_t)(columns * rows + 1));
    for (int i = 0; i < count; i++) {
        int column = (int)(((boxes[i].min[0] + boxes[i].max[0]) / 2 - corner[0]) / cell);
        int row = (int)(((boxes[i].min[1] + boxes[i].max[1]) / 2 - corner[1]) / cell);
        cell_of[i] = (row < rows ? row : rows - 1) * columns + (column < columns ? column : columns - 1);
        first[cell_of[i]]++;
    }
    for (int c = 0, sum = 0; c <= columns * rows; c++) { /* first[c]: behind its last box, until all are filed */
        sum += first[c];
        first[c] = sum;
    }
    for (int i = count - 1; i >= 0; i--) {
        int place = --first[cell_of[i]];
        filed[place] = boxes[i];
        filed_box[place] = i;
    }
    found_count[0] = 0;
    for (int c = 0; c < columns * rows; c++) {
        int right = c % columns<columns - 1, left = c % columns> 0, below = c + columns;
        for (int i = first[c]; i < first[c + 1]; i++) {
            grid_ask(filed, filed_box, i, i + 1, first[c + 1 + right]);
            if (below < columns * rows) grid_ask(filed, filed_box, i, first[below - left], first[below + 1 + right]);
        }
    }
    return found_count[0];
}

/* Sorts by all 64 bits, a byte at a time; bytes that are the same in all are skipped. */
static void radix_sort(uint64_t *values, uint64_t *scratch, int n) {
    uint64_t *from = values, *to = scratch;
    for (int shift = 0; shift < 64; shift += 8) {
        int start[257] = {0};
        for (int i = 0; i < n; i++) start[(from[i] >> shift & 255) + 1]++;
        if (n == 0 || start[(from[0] >> shift & 255) + 1] == n) continue;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (int i = 0; i < n; i++) to[start[from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != values) memcpy(values, from, (size_t)n * sizeof *values);
}

/* Finds the pairs of the grid that began or ended, by comparing the sorted pairs of two frames: sap.h reports these,
   too. Call it after grid. Returns their number. */
WEB_EXPORT(grid_events) int grid_events(void) {
    static uint64_t scratch[MOST_PAIRS];
    uint64_t *before = now_found == found[0] ? found[1] : found[0];
    int i = 0, j = 0, same = 0;
    radix_sort(now_found, scratch, found_count[0]);
    while (i < found_count[0] && j < found_count[1]) {
        uint64_t a = now_found[i], b = before[j];
        same += a == b;
        i += a <= b;
        j += b <= a;
    }
    int events = found_count[0] + found_count[1] - 2 * same;
    found_count[1] = found_count[0];
    now_found = before;
    return events;
}

/* Returns whether the pairs of sap.h and of the grid are those of brute force, and the events count them right. */
WEB_EXPORT(check) int check(void) {
    static int met[MOST];
    int all, pairs = 0, good;
    sap_pairs(world, &all);
    memset(met, 0, sizeof met);
    good = grid() == all; /* not grid_events, which may be called once a frame only */
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if (!overlap(&boxes[i], &boxes[j])) continue;
            pairs++;
            met[i]++;
            met[j]++;
            good = good && sap_find_pair(world, ids[i], ids[j]) != NULL;
        }
    return good && pairs == all && memcmp(met, partners, sizeof met) == 0;
}

/* ---- for the drawing --------------------------------------------------------------------------------- */

/* Returns the bits of a float so that they sort as floats do. The ends of boxes are sorted by these. */
static uint64_t sortable(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* The sorted ends of an axis, as in the paper: the lower word of each holds the box, bit 31 says that it is a max, so
   that at equal values mins come before maxs. Sorted for the drawing: sap.h keeps them only while it sorts. */
WEB_EXPORT(sorted_ends) uint64_t *sorted_ends(int axis) {
    static uint64_t ends[2 * MOST], scratch[2 * MOST];
    for (int i = 0; i < count; i++) {
        ends[2 * i] = sortable(boxes[i].min[axis]) << 32 | (uint32_t)i;
        ends[2 * i + 1] = sortable(boxes[i].max[axis]) << 32 | 0x80000000u | (uint32_t)i;
    }
    radix_sort(ends, scratch, 2 * count);
    return ends;
}

/* Returns the smallest box at a point, -1 if there is none. */
WEB_EXPORT(pick) int pick(float x, float y) {
    const sap_aabb point = {{x + corner[0], y + corner[1], 0}, {x + corner[0], y + corner[1], 0}};
    int best = -1;
    for (int i = 0; i < count; i++)
        if (overlap(&boxes[i], &point) &&
            (best < 0 || boxes[i].max[0] - boxes[i].min[0] < boxes[best].max[0] - boxes[best].min[0]))
            best = i;
    return best;
}

WEB_EXPORT(are_pair) int are_pair(int a, int b) {
    return sap_find_pair(world, ids[a], ids[b]) != NULL;
}

WEB_EXPORT(boxes_at) sap_aabb *boxes_at(void) {
    return boxes;
}

/* Returns the boxes where they are drawn. */
WEB_EXPORT(shown_at) sap_aabb *shown_at(void) {
    static sap_aabb shown[MOST];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) {
            shown[i].min[k] = boxes[i].min[k] - corner[k];
            shown[i].max[k] = boxes[i].max[k] - corner[k];
        }
    return shown;
}

WEB_EXPORT(glow_at) float *glow_at(void) {
    return glow;
}

WEB_EXPORT(begun) int begun(void) {
    return began;
}

WEB_EXPORT(over) int over(void) {
    return ended;
}

/* 0 shifts in sorted arrays and 1 tests, in the last update, 2 kilobytes that the world holds, 3 the method of the last
   update, 4 the coordinate of the left side, 5 how wide a cell of the grid is. */
WEB_EXPORT(statistic) double statistic(int which) {
    sap_stats stats;
    sap_get_stats(world, &stats);
    switch (which) {
    case 0: return (double)stats.swaps;
    case 1: return (double)stats.overlap_tests;
    case 2: return (double)(stats.bytes / 1024);
    case 3: return stats.method;
    case 4: return (double)corner[0];
    default: return (double)cell_used;
    }
}

/* ---- the lessons: batches --------------------------------------------------------------------------------- */

static sap_world *batch_world;
static sap_aabb batch_boxes[MOST];
static sap_id batch_ids[MOST];
static int batch_old, batch_more;

/* Makes a world with SAP_METHOD_SORT: n boxes on a line. 'more' boxes will be added; or, if they are to leave, they are
   there from the start. Returns 0 without memory. */
WEB_EXPORT(batch_prepare) int batch_prepare(int n, int more, int leaving) {
    const sap_config line = {.axes = SAP_AXIS_X, .method = SAP_METHOD_SORT};
    if (n + more > MOST) return 0;
    sap_destroy(batch_world);
    batch_world = sap_create(&line);
    batch_old = n;
    batch_more = more;
    random_state = 5;
    for (int i = 0; i < n + more; i++) {
        memset(&batch_boxes[i], 0, sizeof batch_boxes[i]);
        batch_boxes[i].min[0] = random_in(0, 10 * (float)n);
        batch_boxes[i].max[0] = batch_boxes[i].min[0] + random_in(1, 9);
    }
    return batch_world && sap_add_many(batch_world, leaving ? n + more : n, batch_boxes, NULL, batch_ids) == SAP_OK &&
           sap_update(batch_world) == SAP_OK;
}

/* Adds or removes these boxes, with an update after each or one after all. Returns the number of pairs. */
WEB_EXPORT(batch_run) int batch_run(int leaving, int in_a_batch) {
    int pairs;
    for (int i = batch_old; i < batch_old + batch_more; i++) {
        if (leaving)
            sap_remove(batch_world, batch_ids[i]);
        else
            sap_add(batch_world, &batch_boxes[i], NULL);
        if (!in_a_batch) sap_update(batch_world);
    }
    sap_update(batch_world);
    sap_pairs(batch_world, &pairs);
    return pairs;
}

/* ---- the lessons: a grid ------------------------------------------------------------------------------------ */

enum { MOST_IN_GRID = 200 };

static sap_world *grid_world;
static sap_aabb grid_boxes[MOST_IN_GRID];
static float grid_speed[MOST_IN_GRID][2], grid_size[2];
static sap_id grid_ids[MOST_IN_GRID];
static int32_t grid_pair_list[MOST_IN_GRID * MOST_IN_GRID];
static int grid_n;

/* Boxes anywhere in a world of this size, whose sides are 0.4 to 1 times 'side', of at most four up to 4 times. */
WEB_EXPORT(grid_fill) void grid_fill(int n, float w, float h, float side) {
    grid_n = n < MOST_IN_GRID ? n : MOST_IN_GRID;
    grid_size[0] = w;
    grid_size[1] = h;
    random_state = 9;
    for (int i = 0; i < grid_n; i++)
        for (int k = 0; k < 2; k++) {
            const float length = side * (i % 25 ? random_in(0.4f, 1) : random_in(1, 4));
            grid_boxes[i].min[k] = random_in(0, grid_size[k] - length);
            grid_boxes[i].max[k] = grid_boxes[i].min[k] + length;
            grid_speed[i][k] = random_in(-side, side);
        }
}

/* Gives these boxes to a new world. Its lower left part, of columns times rows cells, is the grid, and the rest is
   wrapped into it. Returns 0 without memory. */
WEB_EXPORT(grid_divide) int grid_divide(int columns, int rows, float cell) {
    const sap_config config = {.axes = SAP_2D, .method = SAP_METHOD_SORT};
    const sap_grid grid_of_cells = {.bounds = {{0, 0, 0}, {(float)columns * cell, (float)rows * cell, 0}},
                                    .cells = {columns, rows, 1}};
    sap_destroy(grid_world);
    grid_world = sap_create(&config);
    return sap_set_grid(grid_world, &grid_of_cells) == SAP_OK &&
           sap_add_many(grid_world, grid_n, grid_boxes, NULL, grid_ids) == SAP_OK;
}

/* Moves all and updates. Returns the number of pairs, which are at grid_pairs_at: two boxes for each. */
WEB_EXPORT(grid_move) int grid_move(float seconds) {
    int pairs;
    for (int i = 0; i < grid_n; i++)
        for (int k = 0; k < 2; k++) {
            const float length = grid_boxes[i].max[k] - grid_boxes[i].min[k];
            float at = grid_boxes[i].min[k] + grid_speed[i][k] * seconds;
            if (at < 0 || at > grid_size[k] - length) {
                grid_speed[i][k] = -grid_speed[i][k];
                at = at < 0 ? 0 : grid_size[k] - length;
            }
            grid_boxes[i].min[k] = at;
            grid_boxes[i].max[k] = at + length;
        }
    sap_move_many(grid_world, grid_n, grid_ids, grid_boxes);
    sap_update(grid_world);
    const sap_pair *pair = sap_pairs(grid_world, &pairs);
    for (int i = 0; i < pairs; i++) {
        grid_pair_list[2 * i] = index_of(pair[i].id0);
        grid_pair_list[2 * i + 1] = index_of(pair[i].id1);
    }
    return pairs;
}

WEB_EXPORT(grid_boxes_at) sap_aabb *grid_boxes_at(void) {
    return grid_boxes;
}

WEB_EXPORT(grid_pairs_at) int32_t *grid_pairs_at(void) {
    return grid_pair_list;
}

/* ---- the lessons: what each method costs -------------------------------------------------------------------- */

enum { COST_SORT, COST_GRID, COST_PRUNE, COST_QUERY, COST_AUTO, COST_BRUTE, COST_SWEEP, LAYOUTS = 4 };
enum { STILL, FEW_WALK, ALL_TREMBLE, ALL_WALK, FEW_JUMP, ALL_JUMP };

static sap_world *cost_world;
static sap_aabb cost_boxes[LAYOUTS][MOST];
static sap_id cost_ids[MOST];
static int cost_way, cost_n, cost_movers, cost_turn;

/* Makes n boxes of sides from 1 to 3, each in about one pair. They move through four layouts and back, so that only the
   cost of moving is measured. Returns 0 without memory. */
WEB_EXPORT(cost_setup) int cost_setup(int way, int n, int motion) {
    static const int methods[] = {SAP_METHOD_SORT, SAP_METHOD_SORT, SAP_METHOD_PRUNE, SAP_METHOD_QUERY,
                                  SAP_METHOD_AUTO};
    const float step = motion == ALL_TREMBLE ? 0.01f : 0.2f;
    sap_config flat = {.axes = SAP_2D};
    float side = 4;
    sap_destroy(cost_world);
    cost_world = NULL;
    cost_way = way;
    cost_n = n < MOST ? n : MOST;
    cost_turn = 0;
    cost_movers = motion == STILL ? 0 : motion == FEW_WALK ? n / 20 : motion == FEW_JUMP ? n / 100 : n;
    while (side * side < 8 * (float)n) side *= 1.05f;
    random_state = 3;
    for (int i = 0; i < cost_n; i++)
        for (int k = 0; k < 2; k++) {
            const float length = random_in(1, 3);
            float at = random_in(0, side);
            for (int l = 0; l < LAYOUTS; l++) {
                cost_boxes[l][i].min[k] = at;
                cost_boxes[l][i].max[k] = at + length;
                if (i < cost_movers) at = motion >= FEW_JUMP ? random_in(0, side) : at + random_in(-step, step);
            }
        }
    if (way >= COST_BRUTE) return 1;
    flat.method = methods[way];
    cost_world = sap_create(&flat);
    if (way == COST_GRID) {
        sap_grid cells = {.bounds = {{0, 0, 0}, {side, side, 0}}, .cells = {1, 1, 1}};
        while ((float)cells.cells[0] * 24 < side) cells.cells[0] = ++cells.cells[1]; /* about 64 boxes a cell */
        if (sap_set_grid(cost_world, &cells) != SAP_OK) return 0;
    }
    return cost_world && sap_add_many(cost_world, cost_n, cost_boxes[0], NULL, cost_ids) == SAP_OK &&
           sap_update(cost_world) == SAP_OK;
}

static int all_pairs_of(const sap_aabb *all, int n) {
    int pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) pairs += overlap(&all[i], &all[j]);
    return pairs;
}

static int sweep_of(const sap_aabb *all, int n) {
    static uint64_t items[MOST], scratch[MOST];
    static sap_aabb sorted[MOST];
    int pairs = 0;
    for (int i = 0; i < n; i++) items[i] = sortable(all[i].min[0]) << 32 | (uint32_t)i;
    radix_sort(items, scratch, n);
    for (int i = 0; i < n; i++) sorted[i] = all[(uint32_t)items[i]];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n && sorted[j].min[0] <= sorted[i].max[0]; j++)
            pairs += overlap(&sorted[i], &sorted[j]);
    return pairs;
}

/* Runs a number of frames. Returns the number of pairs of the last one. */
WEB_EXPORT(cost_run) int cost_run(int frames) {
    static const int path[] = {1, 2, 3, 2, 1, 0};
    int pairs = 0;
    for (int i = 0; i < frames; i++) {
        const sap_aabb *to = cost_boxes[path[cost_turn++ % 6]];
        if (cost_way == COST_BRUTE)
            pairs = all_pairs_of(to, cost_n);
        else if (cost_way == COST_SWEEP)
            pairs = sweep_of(to, cost_n);
        else {
            sap_move_many(cost_world, cost_movers, cost_ids, to);
            sap_update(cost_world);
            sap_pairs(cost_world, &pairs);
        }
    }
    return pairs;
}
