/*
glue.c - what the page calls: boxes that move, three ways to find their pairs, and what is drawn

Compiled to WebAssembly together with sap.h. All arrays are static; the page reads them where they lie. The grid and
brute force stand here so that all three are built by one compiler with the same flags.
*/
#include <stdint.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

enum { MOST = 20000, MOST_CELLS = 1 << 16, MOST_PAIRS = 1 << 19 };

static int count;
static float width, height, largest; /* of the world in pixels; the longest side of a box */
static float corner[2];              /* the coordinates of its corner: 0, until the origin is shifted */
static sap_world *world;
static sap_aabb boxes[MOST];
static float speed[MOST][2]; /* pixels a second at speed 1 */
static sap_id ids[MOST];
static int partners[MOST]; /* with how many it overlaps, kept by events alone */
static float glow[MOST];   /* 2 when a pair begins, soon 1; 0 some time after the last one ended */
static int began, ended;   /* in the last update */
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

/* n boxes at random, their sides between a half and one and a half of 'side'; if mixed, every hundredth box is ten
   times as large. Returns 0 without memory. */
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

/* One more box, nearly as long as the world and thin: across, or if there is an odd number of boxes down. Returns how many
   boxes there are now. */
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

/* What a game pays per frame: hand in what moved, and update. Returns the number of pairs, or -1 without memory. */
WEB_EXPORT(settle) int settle(int movers) {
    int pairs;
    sap_move_many(world, movers < count ? movers : count, ids, boxes);
    if (sap_update(world) != SAP_OK) return -1;
    sap_pairs(world, &pairs);
    return pairs;
}

/* The box of an id is its slot, since nothing is ever removed. */
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

/* Each box against all behind it; with step 10 only each tenth box, for a sample. The number of pairs. */
WEB_EXPORT(brute_force) int brute_force(int from, int step) {
    int pairs = 0;
    for (int i = from; i < count; i += step)
        for (int j = i + 1; j < count; j++) pairs += overlap(&boxes[i], &boxes[j]);
    return pairs;
}

/* One box of the grid against a row of others. Each pair is written, but kept only if they overlap: no branch to
   predict. */
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
   overlap lie in the same cell or in two that touch. The number of pairs. */
WEB_EXPORT(grid) int grid(void) {
    static int first[MOST_CELLS + 1], cell_of[MOST], filed_box[MOST];
    static sap_aabb filed[MOST]; /* by cell */
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

/* What sap.h tells besides: which pairs began and which ended, by comparing the sorted pairs of two frames. Call it
   after grid. Returns how many began or ended. */
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

/* Are the pairs of sap.h and of the grid those of brute force, and did the events count them right? 1 or 0. */
WEB_EXPORT(check) int check(void) {
    static int met[MOST];
    int all, pairs = 0, good;
    sap_pairs(world, &all);
    memset(met, 0, sizeof met);
    good = grid() == all; /* not grid_events: that one is for once a frame */
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

/* A float as bits that sort as it does; the ends of boxes are sorted by these. */
static uint64_t sortable(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* The sorted ends of an axis, as in the paper: the lower word of each holds the box, bit 31 says that it is a max, so that
   at equal values mins come before maxs. Sorted for the drawing: sap.h keeps them only while it sorts. */
WEB_EXPORT(sorted_ends) uint64_t *sorted_ends(int axis) {
    static uint64_t ends[2 * MOST], scratch[2 * MOST];
    for (int i = 0; i < count; i++) {
        ends[2 * i] = sortable(boxes[i].min[axis]) << 32 | (uint32_t)i;
        ends[2 * i + 1] = sortable(boxes[i].max[axis]) << 32 | 0x80000000u | (uint32_t)i;
    }
    radix_sort(ends, scratch, 2 * count);
    return ends;
}

/* The smallest box at a point, -1 if there is none. */
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

/* The same where they are drawn. */
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
