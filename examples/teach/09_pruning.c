/*
Shows how box pruning finds all pairs in one sweep along one axis, of one set or of two (Terdiman I.4c).

    cc -I../.. -I.. -o 09_pruning 09_pruning.c -lm && ./09_pruning

Complete pruning tests the boxes of one set, bipartite pruning those of one set against those of another: here the boxes
that are new against the old ones, as after a batch (see 07_batch). The paper does both for a batch, so that pairs of old
boxes are left alone. teach_sweep and teach_sweep_two in teach.h are the two sweeps. How many tests a sweep makes depends
on the axis. The paper takes that of the largest variance: there the centres of the boxes are farthest from their mean,
squared, on average. In these worlds that is the better axis or as good a one; in others it is not (exercise 5).

It is not output sensitive: spread out along y, the boxes have fewer pairs, and the sweep along x makes the same tests.

The other way, which the paper names and leaves, is a list of open intervals. Walk along the sorted ends: a min is tested
against all boxes that are open, and opened; a max closes its box. In a batch only tests that involve a new box count, but
the walk visits all ends, and opens and closes all old boxes. It makes the tests of the sweep, and has a list to keep.

sap_box_prune finds the same pairs as a sweep, but does not sweep any more: see 10_join. It draws moments of both sweeps in
09_pruning.svg or the file you name. It prints:

    Sorted by min x, each box tests those that begin before it ends (=); ! they overlap:
      A  ..==C=B===..............................  C B!
      C  ....==B==...............................  B
      B  ......=====D==..........................  D!
      D  ...........====E=F=.....................  E F!
      E  ...............==F===...................  F
      F  .................=====G=H=..............  G H!
      G  ......................==H==I=...........  H I!
      H  ........................===I====........  I
      I  ...........................======J=.....  J!
      J  .................................======.

    Bipartite, C D H against the others: each tests only those of the other set:
      A  ..==C=====..............................  C
      C  ....==B==...............................  B
      B  ......=====D==..........................  D!
      D  ...........====E=F=.....................  E F!
      E  ...............======...................
      F  .................=======H=..............  H!
      G  ......................==H====...........  H
      H  ........................===I====........  I

    tests                  all pairs   along x   along y  overlaps  variance on x and y
    these ten                     45        13        27         6       98       19: x
    2000 in a square         1999000     66061     65948      2205      299      296: x
    spread out along y       1999000     66061      3311       103      299   118245: y
    2000 in a street         1999000      5584    716049      2029    43522        2: x

    500 with 1500, street     750000      2147    268839       787
    500 with 1500, square     750000     25035     24742       870
    100 with 1900, square     190000      6334      6145       207

    open intervals, x           ends looked at     tests  overlaps
    500 new of 2000             4000     66885     29233      1024
    100 new of 2000             4000     66885      6519       209
*/
#include "sap.h"
#include "teach.h"

enum { FEW = 10, MANY = 2000, NEW = 500, WIDTH = 40 };
#define IN_VAIN "stroke:#ffab5c;stroke-width:2.5"
#define DARK "fill:#10151c"
#define IS_NEW "fill:#8a5a9e;stroke:#10151c"

static const sap_aabb few[FEW] = {
    {{2, 1}, {9, 6}},     {{6, 4}, {13, 9}},  {{4, 12}, {8, 17}},   {{11, 7}, {18, 13}}, {{15, 1}, {20, 5}},
    {{17, 11}, {25, 16}}, {{22, 2}, {28, 8}}, {{24, 14}, {31, 18}}, {{27, 6}, {34, 11}}, {{33, 2}, {38, 16}},
};

static const int some_new[3] = {2, 3, 7}, some_old[7] = {0, 1, 4, 5, 6, 8, 9}; /* C D H, and the others */

/* ---- ten boxes, printed and drawn ---------------------------------------------------------------------------------- */

static svg picture;
static int moment, bipartite;

static int is_new(int box) {
    for (int i = 0; i < 3; i++)
        if (some_new[i] == box) return 1;
    return 0;
}

/* One moment: the band that the testing box covers, the candidates in it, and which of them it overlaps. */
static void draw(int box, const int *candidates, int count) {
    const float band_min[2] = {few[box].min[0], 0}, band_max[2] = {few[box].max[0], 20};
    svg_begin_panel(&picture, 40 + moment % 2 * 450, 110 + moment / 2 * 270 + (bipartite ? 35 : 0), 430, 240, -1, -1,
                    10.5);
    svg_box(&picture, band_min, band_max, "fill:#8fa3ba;fill-opacity:.14");
    for (int i = 0; i < FEW; i++) {
        const char *style = i == box ? "fill:#e8eef6" : bipartite && is_new(i) ? IS_NEW : SVG_PLAIN;
        const char *letter = i == box ? DARK : SVG_TITLE;
        for (int k = 0; k < count; k++)
            if (candidates[k] == i && teach_overlap_on(&few[i], &few[box], 1)) {
                style = SVG_LIT;
                letter = DARK;
            }
        svg_box(&picture, few[i].min, few[i].max, style);
        svg_text(&picture, (double)few[i].min[0] + .4, (double)few[i].min[1] + 1.7, 15, letter, "%c", 'A' + i);
    }
    for (int k = 0; k < count; k++)
        if (!teach_overlap_on(&few[candidates[k]], &few[box], 1))
            svg_box(&picture, few[candidates[k]].min, few[candidates[k]].max, "fill:none;" IN_VAIN);
    svg_end_panel(&picture);
    moment++;
}

static void say(int box, const int *candidates, int count) {
    char line[WIDTH + 1] = "";
    for (int x = 0; x < WIDTH; x++) line[x] = '.';
    for (int x = (int)few[box].min[0]; x <= (int)few[box].max[0]; x++) line[x] = '=';
    for (int k = 0; k < count; k++) line[(int)few[candidates[k]].min[0]] = (char)('A' + candidates[k]);
    printf("  %c  %s", 'A' + box, line);
    for (int k = 0; k < count; k++)
        printf("%s%c%s", k ? " " : "  ", 'A' + candidates[k],
               teach_overlap_on(&few[box], &few[candidates[k]], 1) ? "!" : "");
    printf("\n");
    if (bipartite ? box == 3 || box == 6 : box == 0 || box == 1 || box == 3 || box == 7) draw(box, candidates, count);
}

/* ---- many boxes, counted ------------------------------------------------------------------------------------------- */

static sap_aabb many[MANY];
static const sap_aabb *counted;
static long long hits;

static void count_hits(int box, const int *candidates, int count) {
    for (int i = 0; i < count; i++) hits += teach_overlap(&counted[box], &counted[candidates[i]]);
}

/* Pairs of boxes 0 to n - 1 of which at least one is 'fresh' or later, by two loops. */
static long long count_pairs(const sap_aabb *boxes, int n, int fresh) {
    long long pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) pairs += j >= fresh && teach_overlap(&boxes[i], &boxes[j]);
    return pairs;
}

/* The variance of the centres on an axis: how far they are from their mean, squared, on average. */
static double variance(const sap_aabb *boxes, int n, int axis) {
    double mean = 0, sum = 0;
    for (int i = 0; i < n; i++) mean += ((double)boxes[i].min[axis] + (double)boxes[i].max[axis]) / 2 / n;
    for (int i = 0; i < n; i++) {
        const double from = ((double)boxes[i].min[axis] + (double)boxes[i].max[axis]) / 2 - mean;
        sum += from * from / n;
    }
    return sum;
}

static int show_counts(const char *name, const sap_aabb *boxes, int n) {
    static int order[MANY];
    long long tests[2];
    const double spread[2] = {variance(boxes, n, 0), variance(boxes, n, 1)};
    for (int axis = 0; axis < 2; axis++) {
        counted = boxes;
        hits = 0;
        tests[axis] = teach_sweep(boxes, order, n, axis, count_hits);
    }
    const int good = hits == count_pairs(boxes, n, 0);
    printf("%-22s %9d %9lld %9lld %9lld %8.0f %8.0f: %c%s\n", name, n * (n - 1) / 2, tests[0], tests[1], hits,
           spread[0], spread[1], spread[1] > spread[0] ? 'y' : 'x', good ? "" : "  WRONG");
    return good;
}

/* The last 'fresh' of the many are new: a batch. Their pairs among themselves are found by complete pruning. */
static int show_counts_of_two(const char *name, int fresh) {
    static int a[NEW], b[MANY];
    long long tests[2];
    const int old = MANY - fresh;
    counted = many;
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < MANY; i++) *(i < old ? &b[i] : &a[i - old]) = i;
        hits = 0;
        tests[axis] = teach_sweep_two(many, a, fresh, b, old, axis, count_hits);
    }
    const int good = hits == count_pairs(many, MANY, old) - count_pairs(&many[old], fresh, 0);
    printf("%-22s %9d %9lld %9lld %9lld%s\n", name, fresh * old, tests[0], tests[1], hits, good ? "" : "  WRONG");
    return good;
}

/* The list of open intervals, for a batch: all pairs with a new box. */
static int show_open(const char *name, int fresh) {
    static teach_end ends[2 * MANY];
    static int open[MANY];
    const int old = MANY - fresh;
    int n = 0;
    long long tests = 0, looked_at = 0, found = 0;
    teach_ends(ends, many, MANY, 0, 0);
    for (int i = 0; i < 2 * MANY; i++) {
        const int box = ends[i].box;
        if (!ends[i].is_max) {
            for (int k = 0; k < n; k++) {
                looked_at++;
                if (box < old && open[k] < old) continue; /* both are old */
                tests++;
                found += teach_overlap(&many[box], &many[open[k]]);
            }
            open[n++] = box;
        } else {
            int k = 0;
            while (open[k] != box) k++;
            open[k] = open[--n];
        }
    }
    const int good = found == count_pairs(many, MANY, old);
    printf("%-22s %9d %9lld %9lld %9lld%s\n", name, 2 * MANY, looked_at, tests, found, good ? "" : "  WRONG");
    return good;
}

int main(int argc, char **argv) {
    int a[3], b[7], order[FEW], good = 1;
    picture = svg_open(argc > 1 ? argv[1] : "09_pruning.svg", 960, 960, "A sweep along x, at six moments");
    svg_key(&picture, 40, 68, "fill:#e8eef6", "tests those that begin in its band");
    svg_key(&picture, 330, 68, SVG_LIT, "tested, and it overlaps");
    svg_key(&picture, 550, 68, "fill:#4d6a8c;" IN_VAIN, "tested in vain");
    svg_key(&picture, 725, 68, IS_NEW, "new: in the other set");
    printf("Sorted by min x, each box tests those that begin before it ends (=); ! they overlap:\n");
    teach_sweep(few, order, FEW, 0, say);
    bipartite = 1;
    svg_text(&picture, 40, 665, 15, SVG_WORD, "bipartite: C, D and H are new, and no two old ones are tested");
    printf("\nBipartite, C D H against the others: each tests only those of the other set:\n");
    memcpy(a, some_new, sizeof a);
    memcpy(b, some_old, sizeof b);
    teach_sweep_two(few, a, 3, b, 7, 0, say);

    printf("\n%-22s %9s %9s %9s %9s  %s\n", "tests", "all pairs", "along x", "along y", "overlaps",
           "variance on x and y");
    teach_state = 7;
    good &= show_counts("these ten", few, FEW);
    teach_scatter(many, MANY, 60, 60, 0);
    good &= show_counts("2000 in a square", many, MANY);
    for (int i = 0; i < MANY; i++) many[i].min[1] *= 20, many[i].max[1] = many[i].min[1] + 1;
    good &= show_counts("spread out along y", many, MANY);
    teach_scatter(many, MANY, 720, 5, 0);
    good &= show_counts("2000 in a street", many, MANY);
    printf("\n");
    good &= show_counts_of_two("500 with 1500, street", NEW);
    teach_scatter(many, MANY, 60, 60, 0);
    good &= show_counts_of_two("500 with 1500, square", NEW);
    good &= show_counts_of_two("100 with 1900, square", 100);
    printf("\n%-22s %9s %9s %9s %9s\n", "open intervals, x", "ends", "looked at", "tests", "overlaps");
    good &= show_open("500 new of 2000", NEW);
    good &= show_open("100 new of 2000", 100);
    svg_close(&picture);
    return !good;
}
