/*
Shows how boxes leave the sorted endpoints: far away, one by one, or all of them in one pass (Terdiman I.5).

    cc -I../.. -I.. -I/usr/include/stb -o 08_removal 08_removal.c -lm && ./08_removal

It goes the way of 07_batch backwards: E and F leave. "x" marks an end that is to go, "." a free place, and the number is
how many other ends are passed or moved. Far away is the simple way (I.5a): the box moves beyond all others by a usual
update, which ends its pairs on the way, but each end that it passes is a step. One by one needs no such walk where the
pair manager ends all pairs of a box by itself (see 11_pairs); but all ends behind the one that leaves move down, each
time. In a batch (I.5b) the ends are marked first, and then one pass closes all gaps: an end moves at most once.
It draws 08_removal.svg or the file you name. How long sap.h takes on your machine goes to stderr. It prints:

    old            (A -6   A) -1   (B 0    (E 10   B) 11   (F 12   (C 15   C) 20   E) 42   (D 50   F) 60   D) 150
    E far away 10  (A -6   A) -1   (B 0    B) 11   (F 12   (C 15   C) 20   (D 50   F) 60   D) 150  (E 900  E) 932
    one by one
      (E goes   8  (A -6   A) -1   (B 0    B) 11   (F 12   (C 15   C) 20   E) 42   (D 50   F) 60   D) 150  .
      E) goes   3  (A -6   A) -1   (B 0    B) 11   (F 12   (C 15   C) 20   (D 50   F) 60   D) 150  .       .
      (F goes   5  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   F) 60   D) 150  .       .       .
      F) goes   1  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   D) 150  .       .       .       .
    in a batch
      marked       (A -6   A) -1   (B 0    (x 10   B) 11   (x 12   (C 15   C) 20   x) 42   (D 50   x) 60   D) 150
      one pass  5  (A -6   A) -1   (B 0    B) 11   (C 15   C) 20   (D 50   D) 150  .       .       .       .
    sap.h removes both without any end passing another. Pairs that end: B-E C-E C-F D-F E-F

     boxes   leave       far away    one by one    in a batch
        50       5            464           493            72
       500      50          44374         43972           874
      5000     500        4979243       4960205          8978
*/
#include <stdint.h>
#include <time.h>

static long long traced; /* SAP_TRACE: an end passes another */
#define SAP_TRACE(step, axis, id0, id1) (traced += (step) == SAP_STEP_PASS, (void)(axis), (void)(id0), (void)(id1))
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { OLD = 4, LEAVE = 2, ALL = OLD + LEAVE, MOST = 5000 };

static const sap_aabb paper[ALL] = {{{-6}, {-1}}, {{0}, {11}}, {{15}, {20}}, {{50}, {150}}, {{10}, {42}}, {{12}, {60}}};

static sap_aabb boxes[MOST];

/* ---- three ways to take ends out of an array; each returns how many other ends it moved ------------------------ */

/* One end leaves: all behind it move down. */
static long long take_out(teach_end *ends, int n, int place) {
    memmove(&ends[place], &ends[place + 1], (size_t)(n - place - 1) * sizeof *ends);
    return n - place - 1;
}

/* Closes all gaps in one pass; 'goes' says of each box whether it leaves. */
static long long close_gaps(teach_end *ends, int n, const char *goes) {
    long long moves = 0;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (goes[ends[i].box]) continue;
        moves += kept < i;
        ends[kept++] = ends[i];
    }
    return moves;
}

/* All that leave are moved beyond the others, by the usual update; returns the ends passed. */
static long long move_far_away(teach_end *ends, sap_aabb *all, int n, const char *goes) {
    for (int i = 0; i < n; i++)
        if (goes[i]) all[i] = (sap_aabb){{1e9f + 128 * (float)i}, {1e9f + 128 * (float)i + 64}};
    teach_refresh(ends, 2 * n, all, 0);
    return teach_sort(ends, 2 * n);
}

/* A world whose ends sap.h keeps sorted. */
static sap_world *line_world(const sap_aabb *from, int n, sap_id *ids) {
    const sap_config config = {.axes = SAP_AXIS_X, .method = SAP_METHOD_SORT};
    sap_world *world = sap_create(&config);
    sap_add_many(world, n, from, NULL, ids);
    sap_update(world);
    traced = 0;
    return world;
}

/* ---- the paper's boxes, step by step ---------------------------------------------------------------------------- */

static svg picture;
static double row_y = 100;

static void show(const char *label, long long moves, const teach_row *what) {
    printf("%-10s", label);
    printf(moves >= 0 ? "%3lld  " : "     ", moves);
    teach_print(what, "");
    svg_text(&picture, 40, row_y + 22, 15, SVG_WORD, "%s", label);
    if (moves >= 0) svg_text(&picture, 148, row_y + 22, 15, SVG_TITLE, "%lld", moves);
    teach_draw(&picture, 190, row_y, 62, what);
    for (int i = 0; i < what->n; i++)
        if (what->ends[i].box == TEACH_MARKED)
            svg_line(&picture, 190 + 62 * i, row_y + 34, 248 + 62 * i, row_y, "stroke:#e8836f;stroke-width:2");
    row_y += 52;
}

/* The rows below belong together. */
static void show_title(const char *title) {
    row_y += 24;
    svg_text(&picture, 40, row_y - 8, 15, SVG_TITLE, "%s", title);
}

static void show_far_away(void) {
    sap_aabb moved[ALL];
    teach_row row = teach_sorted(paper, ALL, 0);
    memcpy(moved, paper, sizeof moved);
    moved[OLD] = (sap_aabb){{900}, {932}}; /* E */
    teach_refresh(row.ends, row.n, moved, 0);
    const long long passes = teach_sort(row.ends, row.n);
    show_title("moved far away (I.5a): E passes all that is behind it, and F would follow");
    show("E far away", passes, &row);
}

static void show_one_by_one(void) {
    const teach_end empty = {TEACH_EMPTY, 0, 0};
    teach_row row = teach_sorted(paper, ALL, 0);
    printf("one by one\n");
    show_title("one by one: all that is behind moves down, each time");
    for (int i = 0; i < 2 * LEAVE; i++) {
        const int box = OLD + i / 2, is_max = i & 1;
        char label[16];
        int place = 0;
        while (row.ends[place].box != box || row.ends[place].is_max != is_max) place++;
        const long long moves = take_out(row.ends, 2 * ALL - i, place);
        row.ends[2 * ALL - i - 1] = empty;
        snprintf(label, sizeof label, is_max ? "  %c) goes" : "  (%c goes", teach_name(box));
        show(label, moves, &row);
    }
}

static void show_batch(void) {
    const char goes[ALL] = {0, 0, 0, 0, 1, 1};
    teach_row row = teach_sorted(paper, ALL, 0), marked = row;
    printf("in a batch\n");
    show_title("in a batch (I.5b): marked first, then one pass moves each end at most once");
    for (int i = 0; i < row.n; i++)
        if (goes[row.ends[i].box]) marked.ends[i].box = TEACH_MARKED;
    show("  marked", -1, &marked);
    const long long moves = close_gaps(row.ends, row.n, goes);
    for (int i = 2 * OLD; i < row.n; i++) row.ends[i].box = TEACH_EMPTY;
    show("  one pass", moves, &row);
}

static void show_sap(void) {
    sap_id ids[ALL];
    sap_world *world = line_world(paper, ALL, ids);
    int count;
    sap_remove_many(world, LEAVE, &ids[OLD]);
    sap_update(world);
    printf("sap.h removes both %s any end passing another. Pairs that end:", traced ? "with" : "without");
    const sap_pair *pair = sap_deleted(world, &count);
    for (int i = 0; i < count; i++)
        printf(" %c-%c", teach_name((int)SAP_SLOT(pair[i].id0) - 1), teach_name((int)SAP_SLOT(pair[i].id1) - 1));
    printf("\n\n");
    sap_destroy(world);
}

/* ---- counts, where there are many --------------------------------------------------------------------------------- */

/* Box by box. */
static long long take_one_by_one(teach_end *ends, int boxes_here, const char *goes) {
    long long moves = 0;
    int n = 2 * boxes_here;
    for (int box = 0; box < boxes_here; box++)
        for (int place = 0; goes[box] && place < n; place++)
            if (ends[place].box == box) moves += take_out(ends, n--, place--);
    return moves;
}

static double microseconds(void) {
    return (double)clock() * 1e6 / CLOCKS_PER_SEC;
}

/* How long sap.h takes to remove each tenth, with an update after each or after all. */
static double time_sap(int n, const char *goes, int in_a_batch) {
    static sap_id ids[MOST];
    sap_world *world = line_world(boxes, n, ids);
    const double begin = microseconds();
    for (int i = 0; i < n; i++) {
        if (!goes[i]) continue;
        sap_remove(world, ids[i]);
        if (!in_a_batch) sap_update(world);
    }
    sap_update(world);
    const double end = microseconds();
    sap_destroy(world);
    return end - begin;
}

int main(int argc, char **argv) {
    static char goes[MOST];
    static teach_end sorted[2 * MOST], ends[2 * MOST];
    static sap_aabb moved[MOST];
    for (int i = 0; i < MOST; i++) goes[i] = i % 10 == 0;
    picture = svg_open(argc > 1 ? argv[1] : "08_removal.svg", 970, 604, "Two boxes leave the sorted ends");
    svg_text(&picture, 40, 74, 15, SVG_WORD, "The number: how many other ends are passed, or moved");
    const teach_row row = teach_sorted(paper, ALL, 0);
    show("old", -1, &row);
    show_far_away();
    show_one_by_one();
    show_batch();
    show_sap();
    printf(" boxes   leave       far away    one by one    in a batch\n");
    for (int n = MOST / 100; n <= MOST; n *= 10) {
        const size_t bytes = (size_t)n * 2 * sizeof *ends;
        teach_scatter(boxes, n, 4.0f * MOST, 0, 0);
        teach_ends(sorted, boxes, n, 0, 0);
        memcpy(ends, sorted, bytes);
        memcpy(moved, boxes, sizeof boxes);
        printf("%6d %7d %14lld", n, n / 10, move_far_away(ends, moved, n, goes));
        memcpy(ends, sorted, bytes);
        printf(" %13lld", take_one_by_one(ends, n, goes));
        memcpy(ends, sorted, bytes);
        printf(" %13lld\n", close_gaps(ends, 2 * n, goes));
    }
    fprintf(stderr, "sap.h, %d of %d boxes: one by one %.0f microseconds, in a batch %.0f\n", MOST / 10, MOST,
            time_sap(MOST, goes, 0), time_sap(MOST, goes, 1));
    svg_close(&picture);
    return 0;
}
