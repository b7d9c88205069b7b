/*
Shows how new boxes are merged into the sorted endpoints in one pass (Terdiman I.4b).

    cc -I../.. -I.. -I/usr/include/stb -o 07_batch 07_batch.c -lm && ./07_batch

It draws 07_batch.svg or the file you name. The numbers are those of the paper: 42, 10, 60 and 12 are inserted into -6,
-1, 0, 11, 15, 20, 50 and 150. "<" marks the end just inserted, "." a free place.

The paper names two other ways to save work, markers and stabbing numbers, and leaves them. Markers are ends without a box
at known values, here 64 of them: an end starts its walk at the next one behind it, not at the last end of all. A batch
does without, for each end that it inserts is the marker of the next one. A stabbing number is kept by each end: how many
boxes are open there. A box that is put to its place without passing any end has applied no rules. It overlaps the boxes
that begin in it, and those that are open where it begins; the number says when the last of these is found. It prints:

    old          (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   D) 150
    new, sorted  (E 10   (F 12   E) 42   F) 60
      insert 60  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   .       .       .       F) 60<  D) 150
      insert 42  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   .       .       E) 42<  (D 50   F) 60   D) 150
      insert 12  (A -6   A) -1   (B 0    B) 11   .       (F 12<  (C 15   C) 20   E) 42   (D 50   F) 60   D) 150
      insert 10  (A -6   A) -1   (B 0    (E 10<  B) 11   (F 12   (C 15   C) 20   E) 42   (D 50   F) 60   D) 150
    sap.h adds both without any end passing another. New pairs, by pruning: B-E C-E C-F D-F E-F
    Comparisons: 9 in a batch, 19 one by one. Created far away and then moved in: 13 ends are passed.

       old    new     in a batch     one by one    moved in    by markers
        50      5            108            583         568            23
       500     50           1088          58127       57977           987
      5000    500          10982        5144947     5143447         80425
    Where 500 begin in 5000, 119 are open. They are found in 130 steps, without stabbing numbers in 2552205.
*/
#include <math.h>
#include <stdint.h>

static long long traced; /* SAP_TRACE: an end passes another */
#define SAP_TRACE(step, axis, id0, id1) (traced += (step) == SAP_STEP_PASS, (void)(axis), (void)(id0), (void)(id1))
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { OLD = 4, NEW = 2, MOST = 5000, MARKERS = 64 };

static const sap_aabb old_boxes[OLD] = {{{-6}, {-1}}, {{0}, {11}}, {{15}, {20}}, {{50}, {150}}};
static const sap_aabb new_boxes[NEW] = {{{10}, {42}}, {{12}, {60}}};

/* Merges m sorted ends into n sorted ones, from the back; there is room for m more behind them. The largest is inserted
   first, and the search for the next one continues from there. An end that is passed moves up by the number of ends
   that are still to be inserted, so it moves only once. 'say', if any, is called after each. Returns the number of
   comparisons. */
static long long merge(teach_end *ends, int n, const teach_end *incoming, int m, void (*say)(int place)) {
    const teach_end empty = {TEACH_EMPTY, 0, 0};
    int from = n - 1, to = n + m - 1;
    long long comparisons = 0;
    while (m > 0) {
        const teach_end *next = &incoming[m - 1];
        while (from >= 0) {
            comparisons++;
            if (teach_comes_before(ends[from], *next)) break;
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

/* The ends of n boxes as they come: box by box, the max first. */
static void unsorted_ends(teach_end *out, const sap_aabb *boxes, int n, int first) {
    for (int i = 0; i < 2 * n; i++)
        out[i] = (teach_end){first + i / 2, !(i & 1), (i & 1 ? boxes[i / 2].min : boxes[i / 2].max)[0]};
}

/* Inserts one end at a time: each starts at the end of the array again. */
static long long insert_one_by_one(teach_end *ends, int n, const teach_end *incoming, int m) {
    long long comparisons = 0;
    for (int i = 0; i < m; i++) comparisons += merge(ends, n + i, &incoming[i], 1, NULL);
    return comparisons;
}

/* Inserts in the simple way (I.4a): creates boxes behind all others, far away, and moves them to their places. Returns
   the ends passed. */
static long long move_in(teach_end *ends, int n, const sap_aabb *incoming, int m) {
    for (int i = 0; i < 2 * m; i++)
        ends[2 * n + i] = (teach_end){n + i / 2, i & 1, (i & 1 ? incoming[i / 2].max : incoming[i / 2].min)[0]};
    return teach_sort(ends, 2 * (n + m));
}

/* ---- one box alone: markers and stabbing numbers, which the paper names and leaves (I.4b) --------------------------- */

/* Inserts one end at a time, and each starts at the next marker behind it. A marker is an end without a box, at a multiple
   of 'apart'. Here no markers are in the array: where they would be is looked for, and not counted. */
static long long insert_by_markers(teach_end *ends, int n, const teach_end *incoming, int m, float apart) {
    long long comparisons = 0;
    for (int i = 0; i < m; i++) {
        const float marker = (floorf(incoming[i].value / apart) + 1) * apart;
        int at = n + i;
        while (at > 0 && ends[at - 1].value > marker) at--;
        memmove(&ends[at + 1], &ends[at], (size_t)(n + i - at) * sizeof *ends); /* markers save no shifts */
        comparisons += merge(ends, at, &incoming[i], 1, NULL);
    }
    return comparisons;
}

/* Walks left from a place to the boxes that are open there: they begin before this value, and end behind it. The stabbing
   number says how many they are, so the walk ends with the last of them. Returns the steps. */
static long long stab(const teach_end *ends, int place, float value, int stabbing_number, const sap_aabb *boxes) {
    int at = place;
    while (stabbing_number > 0) {
        at--;
        stabbing_number -= !ends[at].is_max && boxes[ends[at].box].max[0] >= value;
    }
    return place - at;
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

static void show_sap(void) {
    const sap_config config = {.axes = SAP_AXIS_X, .method = SAP_METHOD_SORT};
    sap_world *world = sap_create(&config);
    sap_id ids[OLD];
    int count;
    sap_add_many(world, OLD, old_boxes, NULL, ids);
    sap_update(world);
    traced = 0;
    sap_add_many(world, NEW, new_boxes, NULL, ids);
    sap_update(world);
    printf("sap.h adds both %s any end passing another. New pairs, by pruning:", traced ? "with" : "without");
    const sap_pair *pair = sap_created(world, &count);
    for (int i = 0; i < count; i++)
        printf(" %c-%c", teach_name((int)SAP_SLOT(pair[i].id0) - 1), teach_name((int)SAP_SLOT(pair[i].id1) - 1));
    printf("\n");
    sap_destroy(world);
}

static void show_paper(void) {
    teach_end incoming[2 * NEW], ends[2 * (OLD + NEW)];
    teach_row fresh = {2 * NEW, -1, {{0, 0, 0}}};
    row = teach_sorted(old_boxes, OLD, 0);
    printf("old          ");
    teach_print(&row, "");
    draw("old", &row);
    teach_ends(fresh.ends, new_boxes, NEW, 0, OLD);
    printf("new, sorted  ");
    teach_print(&fresh, "");
    draw("new, sorted", &fresh);
    for (int i = row.n; i < TEACH_MOST_ENDS; i++) row.ends[i].box = TEACH_EMPTY;
    const long long comparisons = merge(row.ends, row.n, fresh.ends, fresh.n, say_step);
    show_sap();
    unsorted_ends(incoming, new_boxes, NEW, OLD);
    teach_ends(ends, old_boxes, OLD, 0, 0);
    const long long one_by_one = insert_one_by_one(ends, 2 * OLD, incoming, 2 * NEW);
    teach_ends(ends, old_boxes, OLD, 0, 0);
    printf("Comparisons: %lld in a batch, %lld one by one. Created far away and then moved in: %lld ends are "
           "passed.\n\n",
           comparisons, one_by_one, move_in(ends, OLD, new_boxes, NEW));
}

static void show_growth(void) {
    static sap_aabb old[MOST], fresh[MOST / 10];
    static teach_end ends[2 * (MOST + MOST / 10)], incoming[MOST / 5];
    printf("   old    new     in a batch     one by one    moved in    by markers\n");
    for (int n = 50; n <= MOST; n *= 10) {
        const float length = 4.0f * (float)MOST;
        teach_scatter(old, n, length, 0, 0);
        teach_scatter(fresh, n / 10, length, 0, 0);
        teach_ends(ends, old, n, 0, 0);
        teach_ends(incoming, fresh, n / 10, 0, n);
        printf("%6d %6d %14lld ", n, n / 10, merge(ends, 2 * n, incoming, n / 5, NULL));
        teach_ends(ends, old, n, 0, 0);
        unsorted_ends(incoming, fresh, n / 10, n);
        printf("%14lld ", insert_one_by_one(ends, 2 * n, incoming, n / 5));
        teach_ends(ends, old, n, 0, 0);
        printf("%11lld ", move_in(ends, n, fresh, n / 10));
        teach_ends(ends, old, n, 0, 0);
        unsorted_ends(incoming, fresh, n / 10, n);
        printf("%13lld\n", insert_by_markers(ends, 2 * n, incoming, n / 5, length / MARKERS));
    }
    teach_ends(ends, old, MOST, 0, 0);
    long long open = 0, steps = 0, without = 0;
    for (int i = 0; i < MOST / 10; i++) {
        const teach_end min = {MOST + i, 0, fresh[i].min[0]};
        int place = 0, stabbing_number = 0; /* an end would keep its number: not counted */
        for (; place < 2 * MOST && teach_comes_before(ends[place], min); place++)
            stabbing_number += ends[place].is_max ? -1 : 1;
        open += stabbing_number;
        steps += stab(ends, place, min.value, stabbing_number, old);
        without += place;
    }
    printf("Where %d begin in %d, %lld are open. They are found in %lld steps, without stabbing numbers in %lld.\n",
           MOST / 10, MOST, open, steps, without);
}

int main(int argc, char **argv) {
    picture =
        svg_open(argc > 1 ? argv[1] : "07_batch.svg", 950, 424, "Four new ends are merged into eight in one pass");
    show_paper();
    show_growth();
    svg_close(&picture);
    return 0;
}
