/*
Shows what the size of a world costs: neighbours that are far away, and an insertion (Terdiman II.1).

    cc -I../.. -I.. -I/usr/include/stb -o 13_clusters 13_clusters.c -lm && ./13_clusters

Boxes walk about. All scenes are equally dense, so a box meets about as many others however many there are.

II.1a: boxes far away. Figures are per box and update. Shifts: the places by which ends move in the sorted arrays, with
SAP_METHOD_SORT. Tests: the number of others that begin before a box ends along x, which box pruning in one sweep has to
test (see 09_pruning). Both grow with the number of boxes. So sap.h keeps boxes in a tree and compares a box only with
those nearby, whose number does not grow. It prunes in that way or, where few boxes move, queries for each of them. All
methods report the same events.

II.1b: an insertion. One box comes to the flat scene, and no batch helps it: all ends behind its own ones move up, on each
axis. In one SAP that is half of the world. In a grid of SAPs (see 14_grid), here with cells of 8 by 8, it enters a few
small ones, and only ends in these move.
It draws 13_clusters.svg or the file you name. It prints:

    II.1a         insertion sort, shifts        one sweep, tests    all flat, events in all updates
     boxes       in a cube       all flat       all flat                sort   prune   query    auto
        64             2.9           10.4            3.7                  26      26      26      26
       216             6.6           32.6            7.3                 100     100     100     100
       512            12.4           78.4           11.1                 330     330     330     330
      1728            28.1          254.4           20.7                1025    1025    1025    1025
      4096            50.2          604.3           31.9                2544    2544    2544    2544

    II.1b    one box comes: ends moved    cells that
     boxes       in one SAP    in a grid  it enters
        64              222           73        1.2
       216              865           75        1.2
       512             1867           77        1.1
      1728             6264           87        1.2
      4096            14322           90        1.3
*/
#include <math.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { SIZES = 5, CURVES = 5, UPDATES = 10, MOST = 4096, COMERS = 50 };
#define CELL 8.0f
#define STEP 0.1f
static const int cube_sides[SIZES] = {8, 12, 16, 24, 32}; /* a box in every 2 * 2 * 2 of it: 64 to 4096 boxes */

typedef struct cost {
    double shifts, tests; /* per box and update */
    long long events;
    uint32_t hash; /* of all events in their order */
} cost;

static sap_aabb boxes[MOST];

/* Makes the boxes. In a flat scene all stand on the ground and move a little up and down; else they fill a cube. */
static void set_up(int n, float cube_side, int flat) {
    const float side = flat ? sqrtf(4 * (float)n) : cube_side;
    teach_state = 1;
    teach_scatter(boxes, n, side, side, flat ? 0.2f : side);
}

static void count_events(cost *sum, const sap_pair *pairs, int n) {
    sum->events += n;
    for (int i = 0; i < n; i++) sum->hash = (sum->hash ^ pairs[i].id0 ^ pairs[i].id1 << 16) * 16777619u + pairs[i].id1;
}

static cost measure(int n, float cube_side, int flat, int method) {
    static sap_id ids[MOST];
    static int order[MOST];
    sap_world *world = sap_create(&(sap_config){.method = method});
    cost sum = {0, 0, 0, 0};
    set_up(n, cube_side, flat);
    sap_add_many(world, n, boxes, NULL, ids);
    sap_update(world);
    for (int u = 0; u < UPDATES; u++) {
        sap_stats stats;
        int count;
        for (int i = 0; i < n; i++) teach_walk(&boxes[i], 3, STEP);
        sap_move_many(world, n, ids, boxes);
        sap_update(world);
        sap_get_stats(world, &stats);
        sum.shifts += (double)stats.swaps / n / UPDATES;
        if (method == SAP_METHOD_SORT) sum.tests += (double)teach_sweep(boxes, order, n, 0, NULL) / n / UPDATES;
        const sap_pair *pairs = sap_created(world, &count);
        count_events(&sum, pairs, count);
        pairs = sap_deleted(world, &count);
        count_events(&sum, pairs, count);
    }
    sap_destroy(world);
    return sum;
}

/* ---- one box comes --------------------------------------------------------------------------------------------------- */

/* Returns the number of ends that move up when a box is inserted, in the SAP of the boxes that touch a cell. */
static long long ends_behind(int n, const sap_aabb *box, const sap_aabb *cell) {
    long long moved = 0;
    for (int i = 0; i < n; i++) {
        if (!teach_overlap(&boxes[i], cell)) continue;
        for (int k = 0; k < 3; k++)
            moved += (boxes[i].min[k] > box->min[k]) + (boxes[i].max[k] > box->min[k]); /* its max comes along */
    }
    return moved;
}

/* The means of some boxes that come to the flat scene: ends that move in one SAP, those in a grid, and cells entered. */
static void insert(int n, double means[3]) {
    const sap_aabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    const float side = sqrtf(4 * (float)n);
    set_up(n, 0, 1);
    means[0] = means[1] = means[2] = 0;
    for (int i = 0; i < COMERS; i++) {
        sap_aabb box;
        teach_scatter(&box, 1, side, side, 0.2f);
        means[0] += (double)ends_behind(n, &box, &all) / COMERS;
        for (float x = floorf(box.min[0] / CELL) * CELL; x <= box.max[0]; x += CELL)
            for (float y = floorf(box.min[1] / CELL) * CELL; y <= box.max[1]; y += CELL) {
                const sap_aabb cell = {{x, y, -INFINITY}, {x + CELL, y + CELL, INFINITY}};
                means[1] += (double)ends_behind(n, &box, &cell) / COMERS;
                means[2] += 1.0 / COMERS;
            }
    }
}

static int boxes_in(int size) {
    return cube_sides[size] * cube_sides[size] * cube_sides[size] / 8;
}

/* ---- the picture ------------------------------------------------------------------------------------------------------ */

static double across(int n) {
    return 90 + 100 * log2((double)n / 64);
}

static double up(double value) {
    return 470 - 80 * log10(fmax(value, 1));
}

static void draw_curve(svg *p, const double values[SIZES], const char *style, const char *name) {
    double xy[2 * SIZES];
    for (int i = 0; i < SIZES; i++) {
        xy[2 * i] = across(boxes_in(i));
        xy[2 * i + 1] = up(values[i]);
        svg_circle(p, xy[2 * i], xy[2 * i + 1], 4, style);
    }
    svg_path(p, SIZES, xy, 0, style);
    svg_text(p, xy[2 * SIZES - 2] + 14, xy[2 * SIZES - 1] + 5, 15, SVG_WORD, "%s", name);
}

static void draw(const char *path, double (*curve)[SIZES]) {
    svg p = svg_open(path, 1040, 540, "What a box costs, the larger the world");
    for (int i = 0; i < SIZES; i++) {
        svg_text(&p, across(boxes_in(i)) - 16, 505, 14, SVG_WORD, "%d", boxes_in(i));
    }
    for (int power = 0; power <= 4; power++) {
        double y = up(pow(10, power));
        svg_line(&p, 40, y, 740, y, "stroke:#26303d");
        svg_text(&p, 40, y - 4, 14, SVG_WORD, "%g", pow(10, power));
    }
    svg_text(&p, 40, 76, 15, SVG_WORD,
             "Ends moved or tests, by the number of boxes: per box and update, or when one box comes. Both scales are "
             "logarithmic");
    draw_curve(&p, curve[1], "fill:none;stroke:#ff5c4d;stroke-width:2.5", "insertion sort, same height");
    draw_curve(&p, curve[0], "fill:none;stroke:#ffab5c;stroke-width:2.5", "insertion sort, in a cube");
    draw_curve(&p, curve[2], "fill:none;stroke:#7fd0a0;stroke-width:2.5", "one sweep along x, same height");
    draw_curve(&p, curve[3], "fill:none;stroke:#6fa3e0;stroke-width:2.5", "one box comes to one SAP");
    draw_curve(&p, curve[4], "fill:none;stroke:#c678c9;stroke-width:2.5", "one box comes to a grid of SAPs");
    svg_close(&p);
}

int main(int argc, char **argv) {
    double curve[CURVES][SIZES];
    int good = 1;
    printf("II.1a         insertion sort, shifts        one sweep, tests    all flat, events in all updates\n");
    printf(" boxes       in a cube       all flat       all flat                sort   prune   query    auto\n");
    for (int i = 0; i < SIZES; i++) {
        const int n = boxes_in(i);
        const float side = (float)cube_sides[i];
        int same = 1;
        const cost cube = measure(n, side, 0, SAP_METHOD_SORT), flat = measure(n, side, 1, SAP_METHOD_SORT);
        printf("%6d %15.1f %14.1f %14.1f %19lld", n, cube.shifts, flat.shifts, flat.tests, flat.events);
        for (int k = 0; k < 3; k++) {
            const int methods[3] = {SAP_METHOD_PRUNE, SAP_METHOD_QUERY, SAP_METHOD_AUTO};
            const cost other = measure(n, side, 1, methods[k]);
            printf(" %7lld", other.events);
            same = same && other.events == flat.events && other.hash == flat.hash;
        }
        printf("%s\n", same ? "" : " NOT the same");
        good &= same;
        curve[0][i] = cube.shifts;
        curve[1][i] = flat.shifts;
        curve[2][i] = flat.tests;
    }
    printf("\nII.1b    one box comes: ends moved    cells that\n");
    printf(" boxes       in one SAP    in a grid  it enters\n");
    for (int i = 0; i < SIZES; i++) {
        double means[3];
        insert(boxes_in(i), means);
        printf("%6d %16.0f %12.0f %10.1f\n", boxes_in(i), means[0], means[1], means[2]);
        curve[3][i] = means[0];
        curve[4][i] = means[1];
    }
    draw(argc > 1 ? argv[1] : "13_clusters.svg", curve);
    return !good;
}
