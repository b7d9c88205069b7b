/*
Shows how boxes leave the sorted endpoints: far away, one by one, or all of them in one pass (Terdiman I.5).

    cc -I../.. -I.. -I/usr/include/stb -o 06_removal 06_removal.c -lm && ./06_removal

It goes the way of 02_batch backwards: E and F leave. "x" marks an end that is to go, "." a free place, and the number is
how many other ends are passed or moved. Far away is the simple way (I.5a): the box moves beyond all others by a usual
update, which ends its pairs on the way, but each end that it passes is a step. One by one needs no such walk where the
pair manager ends all pairs of a box by itself (see 07_pairs); but all ends behind the one that leaves move down, each
time. In a batch (I.5b) the ends are marked first, and then one pass closes all gaps: an end moves at most once.
It draws 06_removal.svg or the file you name. How long sap.h takes on your machine goes to stderr. It prints:

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
       500      50          44376         43974           874
      5000     500        4979235       4960199          8978
*/
#include <stdint.h>
#include <string.h>
#include <time.h>

static void watch(int step, int axis, uint32_t id0, uint32_t id1);
#define SAP_TRACE(step, axis, id0, id1) watch((int)(step), (int)(axis), id0, id1)
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { OLD = 4, LEAVE = 2, ALL = OLD + LEAVE, MOST = 5000 };
#define MARKED 'x' /* the name of an end that is to go */

static const sap_aabb paper[ALL] = {{{-6}, {-1}}, {{0}, {11}}, {{15}, {20}}, {{50}, {150}}, {{10}, {42}}, {{12}, {60}}};

static sap_aabb boxes[MOST];
static teach_row row; /* followed while 'following' */
static int following;
static long long passes;

static void watch(int step, int axis, uint32_t id0, uint32_t id1) {
    if (step != SAP_STEP_PASS) return;
    passes++;
    if (following) teach_pass(&row, boxes, axis, id0, id1);
}

/* ---- three ways to take ends out of an array; each returns how many other ends it moved ------------------------ */

/* One end leaves: all behind it move down. */
static long long take_out(teach_end *ends, int n, int place) {
    memmove(&ends[place], &ends[place + 1], (size_t)(n - place - 1) * sizeof *ends);
    return n - place - 1;
}

/* Closes all gaps in one pass; 'goes' says of each box whether it leaves. */
static long long close_gaps(teach_end *ends, const int *owner, int n, const char *goes) {
    long long moves = 0;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (goes[owner[i]]) continue;
        moves += kept < i;
        ends[kept++] = ends[i];
    }
    return moves;
}

/* A world whose ends sap.h keeps sorted. */
static sap_world *line_world(const sap_aabb *from, int n, sap_id *ids) {
    const sap_config config = {.axes = SAP_AXIS_X, .method = SAP_METHOD_SORT};
    sap_world *world = sap_create(&config);
    sap_add_many(world, n, from, NULL, ids);
    sap_update(world);
    passes = 0;
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
        if (what->ends[i].box == MARKED)
            svg_line(&picture, 190 + 62 * i, row_y + 34, 248 + 62 * i, row_y, "stroke:#e8836f;stroke-width:2");
    row_y += 52;
}

static void show_far_away(void) {
    sap_id ids[ALL];
    sap_world *world = line_world(paper, ALL, ids);
    const int leaver = OLD; /* E */
    row = teach_sorted(paper, ALL, 0);
    memcpy(boxes, paper, sizeof paper);
    boxes[leaver] = (sap_aabb){{900}, {932}};
    following = 1;
    sap_move(world, ids[leaver], &boxes[leaver]);
    sap_update(world);
    following = 0;
    row.walker = -1;
    show("E far away", passes, &row);
    sap_destroy(world);
}

static void show_one_by_one(void) {
    const teach_end empty = {0, 0, 0};
    row = teach_sorted(paper, ALL, 0);
    printf("one by one\n");
    for (int i = 0; i < 2 * LEAVE; i++) {
        const char name = (char)('A' + OLD + i / 2);
        const int is_max = i & 1;
        char label[16];
        int place = 0;
        while (row.ends[place].box != name || row.ends[place].is_max != is_max) place++;
        const long long moves = take_out(row.ends, 2 * ALL - i, place);
        row.ends[2 * ALL - i - 1] = empty;
        snprintf(label, sizeof label, is_max ? "  %c) goes" : "  (%c goes", name);
        show(label, moves, &row);
    }
}

static void show_batch(void) {
    int owner[2 * ALL];
    const char goes[ALL] = {0, 0, 0, 0, 1, 1};
    row = teach_sorted(paper, ALL, 0);
    printf("in a batch\n");
    teach_row marked = row;
    for (int i = 0; i < row.n; i++) {
        owner[i] = row.ends[i].box - 'A';
        if (goes[owner[i]]) marked.ends[i].box = MARKED;
    }
    show("  marked", -1, &marked);
    const long long moves = close_gaps(row.ends, owner, row.n, goes);
    memset(&row.ends[2 * OLD], 0, 2 * LEAVE * sizeof *row.ends);
    show("  one pass", moves, &row);
}

static void show_sap(void) {
    sap_id ids[ALL];
    sap_world *world = line_world(paper, ALL, ids);
    int count;
    sap_remove_many(world, LEAVE, &ids[OLD]);
    sap_update(world);
    printf("sap.h removes both %s any end passing another. Pairs that end:", passes ? "with" : "without");
    const sap_pair *pair = sap_deleted(world, &count);
    for (int i = 0; i < count; i++) printf(" %c-%c", teach_name(pair[i].id0), teach_name(pair[i].id1));
    printf("\n\n");
    sap_destroy(world);
}

/* ---- counts, where there are many --------------------------------------------------------------------------------- */

/* Boxes scattered over the line, the same on every machine; each tenth will leave. */
static void scatter(int n) {
    static uint32_t state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        boxes[i] = (sap_aabb){{(float)(state >> 8)}, {(float)(state >> 8) + 50}};
    }
}

typedef struct numbered_end {
    float value;
    int owner;
} numbered_end;

static int by_value(const void *a, const void *b) {
    const numbered_end *x = (const numbered_end *)a, *y = (const numbered_end *)b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : x->owner - y->owner;
}

/* Fills 'owner': whose end stands at each place. */
static void sort_owners(int n, int *owner) {
    static numbered_end all[2 * MOST];
    for (int i = 0; i < 2 * n; i++) all[i] = (numbered_end){i & 1 ? boxes[i / 2].max[0] : boxes[i / 2].min[0], i / 2};
    qsort(all, (size_t)n * 2, sizeof *all, by_value);
    for (int i = 0; i < 2 * n; i++) owner[i] = all[i].owner;
}

static long long count_one_by_one(int n, const int *owner, const char *goes) {
    static teach_end ends[2 * MOST];
    static int left[2 * MOST];
    long long moves = 0;
    int kept = 2 * n;
    memcpy(left, owner, sizeof *left * 2 * (size_t)n);
    for (int box = 0; box < n; box++)
        for (int place = 0; goes[box] && place < kept; place++) {
            if (left[place] != box) continue;
            moves += take_out(ends, kept, place);
            memmove(&left[place], &left[place + 1], (size_t)(kept - place - 1) * sizeof *left);
            kept--;
            place--;
        }
    return moves;
}

static long long count_far_away(int n, const char *goes) {
    static sap_id ids[MOST];
    sap_world *world = line_world(boxes, n, ids);
    for (int i = 0; i < n; i++) {
        const sap_aabb far_away = {{1e9f + 128 * (float)i}, {1e9f + 128 * (float)i + 64}};
        if (goes[i]) sap_move(world, ids[i], &far_away);
    }
    sap_update(world);
    sap_destroy(world);
    return passes;
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
    static int owner[2 * MOST];
    static teach_end ends[2 * MOST];
    for (int i = 0; i < MOST; i++) goes[i] = i % 10 == 0;
    picture = svg_open(argc > 1 ? argv[1] : "06_removal.svg", 970, 540, "Two boxes leave the sorted ends");
    svg_text(&picture, 40, 74, 15, SVG_WORD, "The number: how many other ends are passed, or moved");
    row = teach_sorted(paper, ALL, 0);
    show("old", -1, &row);
    show_far_away();
    show_one_by_one();
    show_batch();
    show_sap();
    printf(" boxes   leave       far away    one by one    in a batch\n");
    for (int n = MOST / 100; n <= MOST; n *= 10) {
        scatter(n);
        sort_owners(n, owner);
        printf("%6d %7d %14lld", n, n / 10, count_far_away(n, goes));
        printf(" %13lld %13lld\n", count_one_by_one(n, owner, goes), close_gaps(ends, owner, 2 * n, goes));
    }
    fprintf(stderr, "sap.h, %d of %d boxes: one by one %.0f microseconds, in a batch %.0f\n", MOST / 10, MOST,
            time_sap(MOST, goes, 0), time_sap(MOST, goes, 1));
    svg_close(&picture);
    return 0;
}
