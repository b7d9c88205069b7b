/*
Shows why boxes at the same height are bad for insertion sort, and what sap.h does instead (Terdiman II.1).

    cc -I../.. -I.. -I/usr/include/stb -o 04_clusters 04_clusters.c -lm && ./04_clusters

Boxes walk about. All scenes are equally dense, so a box meets about as many others however many there are. All figures
are per box and update. Shifts: by how many places ends move in the sorted arrays. Tests: boxes that sap.h compares,
sixteen at a time. It draws 04_clusters.svg or the file you name. It prints:

                   insertion sort, shifts         sap.h as it is, flat
     boxes       in a cube       all flat       shifts          tests
        64             3.0           24.2          0.0           21.6
       216             6.8           83.2          0.0           21.8
       512            12.4          196.2          0.0           21.3
      1728            28.2          650.9          0.0           22.1
      4096            50.4         1521.5          0.0           21.5
      8000            79.3         2968.4          0.0           24.0
*/
#include <math.h>
#include <stdint.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "svg.h"

enum { SIZES = 6, UPDATES = 20, MOST = 8000 };
static const int cube_sides[SIZES] = {8, 12, 16, 24, 32, 40}; /* a box in every 2 * 2 * 2 of it: 64 to 8000 boxes */

typedef struct cost {
    double shifts, tests; /* per box and update */
} cost;

typedef struct crowd {
    float size[3]; /* of the world; a box is 1 wide */
    sap_aabb boxes[MOST];
    float speed[MOST][3];
    uint32_t state; /* of the random numbers */
} crowd;

static float random_in(crowd *c, float low, float high) {
    c->state = c->state * 1664525u + 1013904223u;
    float part = (float)(c->state >> 8) / 16777216.0f * (high - low);
    return low + part; /* in two steps: in one, some compilers round once and others twice */
}

/* Flat: all stand on the ground and tremble a little. Otherwise they fill a cube. */
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

/* path: SAP__PATH_AUTO, as users get it, or SAP__PATH_SORT, which is there for tests: only the paper's insertion sort,
   without a budget. */
static cost measure(crowd *c, int cube_side, int flat, int path) {
    static sap_id ids[MOST];
    sap_world *world = sap_create(NULL);
    int n = cube_side * cube_side * cube_side / 8;
    cost sum = {0, 0};
    world->path = path;
    set_up(c, n, flat ? sqrtf(4 * (float)n) : (float)cube_side, flat);
    sap_add_many(world, n, c->boxes, NULL, ids);
    sap_update(world);
    for (int i = 0; i < UPDATES; i++) {
        sap_stats stats;
        walk(c, n);
        sap_move_many(world, n, ids, c->boxes);
        sap_update(world);
        sap_get_stats(world, &stats);
        sum.shifts += (double)stats.swaps / n / UPDATES;
        sum.tests += (double)stats.overlap_tests / n / UPDATES;
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

int main(int argc, char **argv) {
    static crowd c;
    double curve[3][SIZES];
    svg p = svg_open(argc > 1 ? argv[1] : "04_clusters.svg", 1120, 540, "What a box costs, the larger the crowd");
    printf("               insertion sort, shifts         sap.h as it is, flat\n");
    printf(" boxes       in a cube       all flat       shifts          tests\n");
    for (int i = 0; i < SIZES; i++) {
        int side = cube_sides[i], n = side * side * side / 8;
        cost cube = measure(&c, side, 0, SAP__PATH_SORT), flat = measure(&c, side, 1, SAP__PATH_SORT);
        cost own = measure(&c, side, 1, SAP__PATH_AUTO);
        printf("%6d %15.1f %14.1f %12.1f %14.1f\n", n, cube.shifts, flat.shifts, own.shifts, own.tests);
        curve[0][i] = cube.shifts;
        curve[1][i] = flat.shifts;
        curve[2][i] = own.shifts + own.tests;
        svg_text(&p, across(n) - 16, 505, 14, SVG_WORD, "%d", n);
    }
    for (int power = 0; power <= 4; power++) {
        double y = up(pow(10, power));
        svg_line(&p, 40, y, 830, y, "stroke:#26303d");
        svg_text(&p, 40, y - 4, 14, SVG_WORD, "%g", pow(10, power));
    }
    svg_text(&p, 40, 76, 15, SVG_WORD,
             "Shifts and tests per box and update, by the number of boxes; both scales are logarithmic");
    draw_curve(&p, curve[1], "fill:none;stroke:#ff5c4d;stroke-width:2.5", "insertion sort, same height");
    draw_curve(&p, curve[0], "fill:none;stroke:#ffab5c;stroke-width:2.5", "insertion sort, in a cube");
    draw_curve(&p, curve[2], "fill:none;stroke:#7fd0a0;stroke-width:2.5", "sap.h, same height");
    svg_close(&p);
    return 0;
}
