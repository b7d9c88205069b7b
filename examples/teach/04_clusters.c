/*
Shows why boxes at the same height are bad for insertion sort, and what the paper's other methods do (Terdiman II.1).

    cc -I../.. -I.. -I/usr/include/stb -o 04_clusters 04_clusters.c -lm && ./04_clusters

Boxes walk about. All scenes are equally dense, so a box meets about as many others however many there are. All figures
are per box and update. Shifts: the places by which ends move in the sorted arrays, with SAP_METHOD_SORT. Tests: the
number of others that begin before a box ends along x, which box pruning in one sweep has to test (see 03_pruning.c).
Both grow with the number of boxes. So sap.h keeps boxes in a tree and compares a box only with those nearby, whose
number does not grow. It prunes in that way or, where few boxes move, queries for each of them.
All methods report the same events.
It draws 04_clusters.svg or the file you name. It prints:

                  insertion sort, shifts        one sweep, tests    all flat, events in all updates
     boxes       in a cube       all flat       all flat                sort   prune   query    auto
        64             3.0           24.2            3.8                  73      73      73      73
       216             6.8           83.2            7.2                 225     225     225     225
       512            12.4          196.2           11.2                 594     594     594     594
      1728            28.2          650.9           20.5                2136    2136    2136    2136
      4096            50.4         1521.5           31.9                5323    5323    5323    5323
      8000            79.3         2968.4           44.6               10508   10508   10508   10508
*/
#include <math.h>
#include <stdint.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "svg.h"

enum { SIZES = 6, UPDATES = 20, MOST = 8000 };
static const int cube_sides[SIZES] = {8, 12, 16, 24, 32, 40}; /* a box in every 2 * 2 * 2 of it: 64 to 8000 boxes */

typedef struct cost {
    double shifts, tests; /* per box and update */
    long long events;
    uint32_t hash; /* of all events in their order */
} cost;

typedef struct crowd {
    float size[3]; /* the size of the world; a box is 1 wide */
    sap_aabb boxes[MOST];
    float speed[MOST][3];
    uint32_t state; /* of the random numbers */
} crowd;

static float random_in(crowd *c, float low, float high) {
    c->state = c->state * 1664525u + 1013904223u;
    float part = (float)(c->state >> 8) / 16777216.0f * (high - low);
    return low + part; /* in two steps: in one, some compilers round once and others twice */
}

/* Makes the boxes. In a flat scene all stand on the ground and move a little up and down; else they fill a cube. */
static void set_up(crowd *c, int n, float side, int flat) {
    c->state = 1;
    for (int k = 0; k < 3; k++) c->size[k] = flat && k == 2 ? 0.2f : side;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            c->boxes[i].min[k] = random_in(c, 0, c->size[k]);
            c->boxes[i].max[k] = c->boxes[i].min[k] + 1;
            c->speed[i][k] = random_in(c, -0.1f, 0.1f);
        }
}

static void walk(crowd *c, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float at = c->boxes[i].min[k];
            if (at + c->speed[i][k] < 0 || at + c->speed[i][k] > c->size[k]) c->speed[i][k] *= -1;
            c->boxes[i].min[k] = at + c->speed[i][k];
            c->boxes[i].max[k] = c->boxes[i].min[k] + 1;
        }
}

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Returns the number of pairs that a sweep along x tests: all boxes are 1 wide, so those that begin within 1. */
static long long swept(const crowd *c, int n) {
    static float mins[MOST];
    long long tests = 0;
    for (int i = 0; i < n; i++) mins[i] = c->boxes[i].min[0];
    qsort(mins, (size_t)n, sizeof *mins, ascending);
    for (int i = 0, j = 0; i < n; i++) {
        while (j < n && mins[j] <= mins[i] + 1) j++;
        tests += j - i - 1;
    }
    return tests;
}

static void count_events(cost *sum, const sap_pair *pairs, int n) {
    sum->events += n;
    for (int i = 0; i < n; i++) sum->hash = (sum->hash ^ pairs[i].id0 ^ pairs[i].id1 << 16) * 16777619u + pairs[i].id1;
}

static cost measure(crowd *c, int cube_side, int flat, sap_method method) {
    static sap_id ids[MOST];
    sap_world *world = sap_create(&(sap_config){.method = (int)method});
    int n = cube_side * cube_side * cube_side / 8;
    cost sum = {0, 0, 0, 0};
    set_up(c, n, flat ? sqrtf(4 * (float)n) : (float)cube_side, flat);
    sap_add_many(world, n, c->boxes, NULL, ids);
    sap_update(world);
    for (int i = 0; i < UPDATES; i++) {
        sap_stats stats;
        int count;
        walk(c, n);
        sap_move_many(world, n, ids, c->boxes);
        sap_update(world);
        sap_get_stats(world, &stats);
        sum.shifts += (double)stats.swaps / n / UPDATES;
        sum.tests += (double)swept(c, n) / n / UPDATES;
        const sap_pair *pairs = sap_created(world, &count);
        count_events(&sum, pairs, count);
        pairs = sap_deleted(world, &count);
        count_events(&sum, pairs, count);
    }
    sap_destroy(world);
    return sum;
}

static double across(int n) {
    return 90 + 100 * log2((double)n / 64);
}

static double up(double value) {
    return 470 - 90 * log10(fmax(value, 1));
}

static void draw_curve(svg *p, const double values[SIZES], const char *style, const char *name) {
    double xy[2 * SIZES];
    for (int i = 0; i < SIZES; i++) {
        xy[2 * i] = across(cube_sides[i] * cube_sides[i] * cube_sides[i] / 8);
        xy[2 * i + 1] = up(values[i]);
        svg_circle(p, xy[2 * i], xy[2 * i + 1], 4, style);
    }
    svg_path(p, SIZES, xy, 0, style);
    svg_text(p, xy[2 * SIZES - 2] + 14, xy[2 * SIZES - 1] + 5, 15, SVG_WORD, "%s", name);
}

static void draw(const char *path, double (*curve)[SIZES]);

int main(int argc, char **argv) {
    static crowd c;
    double curve[3][SIZES];
    printf("              insertion sort, shifts        one sweep, tests    all flat, events in all updates\n");
    printf(" boxes       in a cube       all flat       all flat                sort   prune   query    auto\n");
    for (int i = 0; i < SIZES; i++) {
        int side = cube_sides[i], n = side * side * side / 8, same = 1;
        cost cube = measure(&c, side, 0, SAP_METHOD_SORT), flat = measure(&c, side, 1, SAP_METHOD_SORT);
        printf("%6d %15.1f %14.1f %14.1f %19lld", n, cube.shifts, flat.shifts, flat.tests, flat.events);
        for (int k = 0; k < 3; k++) {
            const sap_method methods[3] = {SAP_METHOD_PRUNE, SAP_METHOD_QUERY, SAP_METHOD_AUTO};
            cost other = measure(&c, side, 1, methods[k]);
            printf(" %7lld", other.events);
            same = same && other.events == flat.events && other.hash == flat.hash;
        }
        printf("%s\n", same ? "" : " NOT the same");
        curve[0][i] = cube.shifts;
        curve[1][i] = flat.shifts;
        curve[2][i] = flat.tests;
    }
    draw(argc > 1 ? argv[1] : "04_clusters.svg", curve);
    return 0;
}

static void draw(const char *path, double (*curve)[SIZES]) {
    svg p = svg_open(path, 1120, 540, "What a box costs, the larger the crowd");
    for (int i = 0; i < SIZES; i++) {
        int n = cube_sides[i] * cube_sides[i] * cube_sides[i] / 8;
        svg_text(&p, across(n) - 16, 505, 14, SVG_WORD, "%d", n);
    }
    for (int power = 0; power <= 4; power++) {
        double y = up(pow(10, power));
        svg_line(&p, 40, y, 830, y, "stroke:#26303d");
        svg_text(&p, 40, y - 4, 14, SVG_WORD, "%g", pow(10, power));
    }
    svg_text(&p, 40, 76, 15, SVG_WORD,
             "Shifts or tests per box and update, by the number of boxes; both scales are logarithmic");
    draw_curve(&p, curve[1], "fill:none;stroke:#ff5c4d;stroke-width:2.5", "insertion sort, same height");
    draw_curve(&p, curve[0], "fill:none;stroke:#ffab5c;stroke-width:2.5", "insertion sort, in a cube");
    draw_curve(&p, curve[2], "fill:none;stroke:#7fd0a0;stroke-width:2.5", "one sweep along x, same height");
    svg_close(&p);
}
