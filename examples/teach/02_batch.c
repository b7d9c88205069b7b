/*
Shows how new boxes are merged into the sorted endpoints in one pass (Terdiman I.4b).

    cc -I../.. -I.. -I/usr/include/stb -o 02_batch 02_batch.c -lm && ./02_batch

It draws 02_batch.svg or the file you name. The numbers are those of the paper: 42, 10, 60 and 12 are inserted into -6,
-1, 0, 11, 15, 20, 50 and 150. "<" marks the end just inserted, "." a free place. It prints:

    old          (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   D) 150
    new, sorted  (E 10   (F 12   E) 42   F) 60
      insert 60  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   .       .       .       F) 60<  D) 150
      insert 42  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   .       .       E) 42<  (D 50   F) 60   D) 150
      insert 12  (A -6   A) -1   (B 0    B) 11   .       (F 12<  (C 15   C) 20   E) 42   (D 50   F) 60   D) 150
      insert 10  (A -6   A) -1   (B 0    (E 10<  B) 11   (F 12   (C 15   C) 20   E) 42   (D 50   F) 60   D) 150
    sap.h adds both without any end passing another. New pairs, by pruning: B-E C-E C-F D-F E-F
    Comparisons: 9 in a batch, 19 one by one. Created far away and then moved in: 13 ends are passed.

       old    new     in a batch     one by one    moved in
        50      5            108            583         568
       500     50           1088          58126       57976
      5000    500          10982        5144944     5143444
*/
#include <stdint.h>

static long long passes; /* SAP_TRACE: an end passes another */
#define SAP_TRACE(step, axis, id0, id1) (passes += (step) == SAP_STEP_PASS, (void)(axis), (void)(id0), (void)(id1))
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { OLD = 4, NEW = 2, MOST = 5000 };

static const sap_aabb old_boxes[OLD] = {{{-6}, {-1}}, {{0}, {11}}, {{15}, {20}}, {{50}, {150}}};
static const sap_aabb new_boxes[NEW] = {{{10}, {42}}, {{12}, {60}}};

/* Merges m sorted ends into n sorted ones, from the back; there is room for m more behind them. The largest is inserted
   first, and the search for the next one continues from there. An end that is passed moves up by the number of ends
   that are still to be inserted, so it moves only once. 'say', if any, is called after each. Returns the number of
   comparisons. */
static long long merge(teach_end *ends, int n, const teach_end *incoming, int m, void (*say)(int place)) {
    const teach_end empty = {0, 0, 0};
    int from = n - 1, to = n + m - 1;
    long long comparisons = 0;
    while (m > 0) {
        const teach_end *next = &incoming[m - 1];
        while (from >= 0) {
            comparisons++;
            if (ends[from].value <= next->value) break;
            ends[to--] = ends[from];
            ends[from--] = empty;
        }
        ends[to] = *next;
        m--;
        if (say) say(to);
        to--;
    }
    return comparisons;
}

static int by_value(const void *a, const void *b) {
    float x = ((const teach_end *)a)->value, y = ((const teach_end *)b)->value;
    return (x > y) - (x < y);
}

/* Makes both ends of n boxes, the first of which is called 'name': sorted, or box by box with the max first. */
static void ends_of(const sap_aabb *boxes, int n, char name, int sorted, teach_end *out) {
    for (int i = 0; i < 2 * n; i++)
        out[i] = (teach_end){(char)(name + i / 2), !(i & 1), (i & 1 ? boxes[i / 2].min : boxes[i / 2].max)[0]};
    if (sorted) qsort(out, (size_t)n * 2, sizeof *out, by_value);
}

/* Inserts one end at a time: each starts at the end of the array again. */
static long long insert_one_by_one(teach_end *ends, int n, const teach_end *incoming, int m) {
    long long comparisons = 0;
    for (int i = 0; i < m; i++) comparisons += merge(ends, n + i, &incoming[i], 1, NULL);
    return comparisons;
}

static sap_world *line_world(const sap_aabb *boxes, int n, sap_id *ids) {
    const sap_config config = {.axes = SAP_AXIS_X, .method = SAP_METHOD_SORT};
    sap_world *world = sap_create(&config);
    sap_add_many(world, n, boxes, NULL, ids);
    sap_update(world);
    passes = 0;
    return world;
}

/* Inserts in the simple way (I.4a): creates boxes far away, and moves them to their places. Returns the ends passed. */
static long long move_in(const sap_aabb *old, int n, const sap_aabb *incoming, int m) {
    static sap_id ids[MOST];
    sap_world *world = line_world(old, n, ids);
    for (int i = 0; i < m; i++) {
        const sap_aabb far_away = {{1e9f + 128 * (float)i}, {1e9f + 128 * (float)i + 64}};
        ids[i] = sap_add(world, &far_away, NULL);
    }
    sap_update(world);
    passes = 0;
    sap_move_many(world, m, ids, incoming);
    sap_update(world);
    sap_destroy(world);
    return passes;
}

/* The picture shows the paper's merge, step by step. */
static teach_row row;
static svg picture;
static double row_y = 80;

static void draw(const char *label, const teach_row *what) {
    svg_text(&picture, 40, row_y + 22, 15, SVG_WORD, "%s", label);
    teach_draw(&picture, 170, row_y, 62, what);
    row_y += 56;
}

static void say_step(int place) {
    char label[24];
    row.n = 2 * (OLD + NEW);
    row.walker = place;
    snprintf(label, sizeof label, "insert %g", (double)row.ends[place].value);
    printf("  %-11s", label);
    teach_print(&row, "");
    draw(label, &row);
}

static void show_paper(void) {
    teach_end incoming[2 * NEW], ends[2 * (OLD + NEW)];
    teach_row fresh = {2 * NEW, -1, {{0, 0, 0}}};
    sap_id ids[OLD + NEW];
    sap_world *world = line_world(old_boxes, OLD, ids);
    row = teach_sorted(old_boxes, OLD, 0);
    printf("old          ");
    teach_print(&row, "");
    draw("old", &row);
    ends_of(new_boxes, NEW, 'A' + OLD, 1, fresh.ends);
    printf("new, sorted  ");
    teach_print(&fresh, "");
    draw("new, sorted", &fresh);
    long long comparisons = merge(row.ends, row.n, fresh.ends, fresh.n, say_step);

    int count;
    passes = 0;
    sap_add_many(world, NEW, new_boxes, NULL, ids);
    sap_update(world);
    printf("sap.h adds both %s any end passing another. New pairs, by pruning:", passes ? "with" : "without");
    const sap_pair *pair = sap_created(world, &count);
    for (int i = 0; i < count; i++) printf(" %c-%c", teach_name(pair[i].id0), teach_name(pair[i].id1));
    sap_destroy(world);

    ends_of(old_boxes, OLD, 'A', 1, ends);
    ends_of(new_boxes, NEW, 'A' + OLD, 0, incoming);
    printf("\nComparisons: %lld in a batch, %lld one by one. Created far away and then moved in: %lld ends are "
           "passed.\n\n",
           comparisons, insert_one_by_one(ends, 2 * OLD, incoming, 2 * NEW), move_in(old_boxes, OLD, new_boxes, NEW));
}

/* Scatters boxes over the line, the same on every machine. */
static void scatter(sap_aabb *boxes, int n) {
    static uint32_t state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        boxes[i] = (sap_aabb){{(float)(state >> 8)}, {(float)(state >> 8) + 50}};
    }
}

static void show_growth(void) {
    static sap_aabb old[MOST], fresh[MOST / 10];
    static teach_end ends[2 * (MOST + MOST / 10)], incoming[MOST / 5];
    printf("   old    new     in a batch     one by one    moved in\n");
    for (int n = 50; n <= MOST; n *= 10) {
        scatter(old, n);
        scatter(fresh, n / 10);
        ends_of(old, n, 'A', 1, ends);
        ends_of(fresh, n / 10, 'A', 1, incoming);
        printf("%6d %6d %14lld ", n, n / 10, merge(ends, 2 * n, incoming, n / 5, NULL));
        ends_of(old, n, 'A', 1, ends);
        ends_of(fresh, n / 10, 'A', 0, incoming);
        printf("%14lld %11lld\n", insert_one_by_one(ends, 2 * n, incoming, n / 5), move_in(old, n, fresh, n / 10));
    }
}

int main(int argc, char **argv) {
    picture =
        svg_open(argc > 1 ? argv[1] : "02_batch.svg", 950, 424, "Four new ends are merged into eight in one pass");
    show_paper();
    show_growth();
    svg_close(&picture);
    return 0;
}
