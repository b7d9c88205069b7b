/*
Shows the overlap test behind the update rules: how seldom it says yes, and how positions answer it (Terdiman I.3, I.4a).

    cc -I../.. -I.. -o 06_tests 06_tests.c -lm && ./06_tests

This is UpdateObject of the paper in 3D: one box at a time, on x, then y, then z; each end walks left or right to its
place, and the box knows the positions of its ends. A min that passes a max looks like a start, a max that passes a min like
a stop, but most such boxes are apart on another axis. So the two boxes are tested before the pair manager is asked, for a
stop as well as for a start. The paper has another way, too: a counter for each two boxes, of the axes on which they overlap;
at 3 they are a pair. It needs no test at all, but it needs a counter for any two boxes that overlap on one axis.
The test needs no values. On the two other axes the arrays are sorted, so positions of ends compare as their values do,
and lie in the boxes themselves. On the axis at hand ends are under way: there one comparison of values remains, since the
walk has made the other. Start comes before stop, because ends that enlarge the box walk first.
A box that is new (I.4a) comes from far away, first along x, then y, then z. On x and y it is still far away on z, so all
of its tests fail, and only z needs any. A flat world (II.1) has more that look like a start or a stop: boxes far apart are
neighbours along z. sap.h keeps neither counters nor positions, which would have to be written whenever ends shift. It
compares the boxes themselves, as they were and as they are.
It draws 06_tests.svg or the file you name. It prints:

    in a cube, an update of 1000 boxes that walk
      look like a start      8758, and 122 are
      look like a stop       8743, and 122 are
      counters: 160582, of which 870 are 3
    100 come from far away    along x   along y   along z
      look like a start        66720     62291     58156
      are a start                  0         0       193
    positions say what values say: always; pairs and counters as of two loops: yes

    nearly flat, an update of 1000 boxes that walk
      look like a start     14320, and 93 are
      look like a stop      14109, and 93 are
      counters: 381236, of which 750 are 3
    100 come from far away    along x   along y   along z
      look like a start        60012     52816     93487
      are a start                  0         0       161
    positions say what values say: always; pairs and counters as of two loops: yes
*/
#include <math.h>
#include "sap.h"
#include "teach.h"

enum { OLD = 1000, NEW = 100, BOXES = OLD + NEW, MOST_ENDS = 2 * BOXES + 2, UPDATES = 20, WORLDS = 2 };

typedef struct end {
    float value;
    int box, is_max;
} end;

typedef struct box {
    int min[3], max[3]; /* positions of its ends */
} box;

typedef struct count {
    long long starts, real_starts, stops,
        real_stops;  /* what looks like one by the rules, and what the test lets pass */
    long long agree; /* tests in which positions say what values say */
} count;

static end ends[3][MOST_ENDS]; /* between sentinels */
static box boxes[BOXES];
static sap_aabb bounds[BOXES];      /* as far as they are known: on axes to come still those of the last update */
static char are_pair[BOXES][BOXES]; /* a pair manager (I.6), the simplest: a table, by lower and higher box */
static char axes_of[BOXES][BOXES];  /* the counters: on how many axes two boxes overlap */
static count counts[3];             /* by axis */
static int box_count;

static int *position(const end *e, int axis) {
    return e->is_max ? &boxes[e->box].max[axis] : &boxes[e->box].min[axis];
}

static void place(int axis, int at, end e) {
    ends[axis][at] = e;
    if (e.box >= 0) *position(&e, axis) = at;
}

/* ---- the overlap test ------------------------------------------------------------------------------------------------ */

/* On the other axes positions are enough. */
static int overlap_by_positions(int a, int b, int axis) {
    for (int k = 0; k < 3; k++)
        if (k != axis && (boxes[a].min[k] > boxes[b].max[k] || boxes[b].min[k] > boxes[a].max[k])) return 0;
    return 1;
}

static int overlap_by_values(int a, int b, int axis) {
    for (int k = 0; k < 3; k++)
        if (k != axis && (bounds[a].min[k] > bounds[b].max[k] || bounds[b].min[k] > bounds[a].max[k])) return 0;
    return 1;
}

/* An end of box a has passed one of box b, of the other kind. 'range' is that of a on this axis, for a start as it will be
   and for a stop as it was. */
static void apply_rule(int a, int b, int axis, int is_start, const float range[2]) {
    const int yes = overlap_by_positions(a, b, axis);
    const int low = a < b ? a : b, high = a < b ? b : a;
    const int meets = range[0] <= bounds[b].max[axis] && bounds[b].min[axis] <= range[1]; /* half of it is known */
    counts[axis].agree += yes == overlap_by_values(a, b, axis);
    axes_of[low][high] = (char)(axes_of[low][high] + (is_start ? 1 : -1)); /* no test */
    if (is_start) {
        counts[axis].starts++;
        counts[axis].real_starts += yes && meets;
        if (yes && meets) are_pair[low][high] = 1;
    } else {
        counts[axis].stops++;
        counts[axis].real_stops += yes && meets;
        if (yes && meets) are_pair[low][high] = 0;
    }
}

/* ---- UpdateObject ------------------------------------------------------------------------------------------------- */

/* One end gets its value and walks to its place. */
static void walk(int a, int axis, int is_max, float value, const float was[2], const float is[2]) {
    int at = is_max ? boxes[a].max[axis] : boxes[a].min[axis];
    const int left = value < ends[axis][at].value;
    const int next = left ? -1 : 1, is_start = left != is_max; /* a min that goes left, or a max that goes right */
    for (;; at += next) {
        const end other = ends[axis][at + next];
        /* at the same value a min stays before a max: boxes that touch overlap */
        const int passes = left ? other.value > value || (other.value == value && other.is_max && !is_max)
                                : other.value < value || (other.value == value && !other.is_max && is_max);
        if (!passes) break;
        place(axis, at, other);
        if (other.is_max != is_max && other.box != a) apply_rule(a, other.box, axis, is_start, is_start ? is : was);
    }
    place(axis, at, (end){value, a, is_max});
}

static void update_object(int a, const sap_aabb *to) {
    for (int k = 0; k < 3; k++) {
        const float was[2] = {bounds[a].min[k], bounds[a].max[k]}, is[2] = {to->min[k], to->max[k]};
        if (is[0] < was[0]) walk(a, k, 0, is[0], was, is); /* larger first: starts */
        if (is[1] > was[1]) walk(a, k, 1, is[1], was, is);
        if (is[0] > was[0]) walk(a, k, 0, is[0], was, is); /* then smaller: stops */
        if (is[1] < was[1]) walk(a, k, 1, is[1], was, is);
        bounds[a].min[k] = is[0];
        bounds[a].max[k] = is[1];
    }
}

/* AddObject: the box is created behind all others, and moved. */
static void add_object(const sap_aabb *to) {
    const int a = box_count++;
    for (int k = 0; k < 3; k++) {
        bounds[a].min[k] = 1e9f + 128 * (float)a;
        bounds[a].max[k] = 1e9f + 128 * (float)a + 64;
        place(k, 2 * a + 3, ends[k][2 * a + 1]); /* the sentinel */
        place(k, 2 * a + 1, (end){bounds[a].min[k], a, 0});
        place(k, 2 * a + 2, (end){bounds[a].max[k], a, 1});
    }
    update_object(a, to);
}

/* ---- two worlds ------------------------------------------------------------------------------------------------------- */

static count sum(void) {
    count all = {0, 0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        all.starts += counts[k].starts;
        all.real_starts += counts[k].real_starts;
        all.stops += counts[k].stops;
        all.real_stops += counts[k].real_stops;
        all.agree += counts[k].agree;
    }
    return all;
}

/* Returns whether the pairs are those of two loops, and those whose counter is 3. */
static int same_pairs(const sap_aabb *all) {
    int same = 1;
    for (int i = 0; i < BOXES; i++)
        for (int j = i + 1; j < BOXES; j++) {
            const int overlap = teach_overlap(&all[i], &all[j]);
            same &= are_pair[i][j] == overlap && (axes_of[i][j] == 3) == overlap;
        }
    return same;
}

/* Counters that are not 0, or that are 'axes'. */
static int counters(int axes) {
    int n = 0;
    for (int i = 0; i < OLD; i++)
        for (int j = i + 1; j < OLD; j++) n += axes ? axes_of[i][j] == axes : axes_of[i][j] > 0;
    return n;
}

static svg picture;

static void draw_bar(double x, double y, long long value, const char *style, const char *label) {
    const float min[2] = {(float)x + 170, (float)y};
    const float max[2] = {min[0] + (value < 1 ? 2 : 2 + 38 * (float)log10((double)value)), (float)y + 18};
    svg_text(&picture, x, y + 14, 14, SVG_WORD, "%s", label);
    svg_box(&picture, min, max, style);
    svg_text(&picture, (double)max[0] + 6, y + 14, 14, SVG_TITLE, "%lld", value);
}

static int run(int which, const char *name, const float size[3]) {
    static sap_aabb all[BOXES];
    const double x = 40 + 480 * which;
    memset(axes_of, 0, sizeof axes_of);
    memset(are_pair, 0, sizeof are_pair);
    memset(counts, 0, sizeof counts);
    box_count = 0;
    for (int k = 0; k < 3; k++) {
        ends[k][0] = (end){-INFINITY, -1, 0};
        ends[k][1] = (end){INFINITY, -1, 1};
    }
    teach_scatter(all, BOXES, size[0], size[1], size[2]);
    for (int i = 0; i < OLD; i++) add_object(&all[i]);
    memset(counts, 0, sizeof counts);
    for (int u = 0; u < UPDATES; u++)
        for (int i = 0; i < OLD; i++) {
            for (int k = 0; k < 3; k++) {
                const float at = all[i].min[k] + teach_random(-0.1f, 0.1f);
                if (at < 0 || at > size[k]) continue;
                all[i].min[k] = at;
                all[i].max[k] = at + 1;
            }
            update_object(i, &all[i]);
        }
    const count walking = sum();
    printf("%s%s, an update of %d boxes that walk\n", which ? "\n" : "", name, OLD);
    printf("  look like a start %9lld, and %lld are\n", walking.starts / UPDATES, walking.real_starts / UPDATES);
    printf("  look like a stop  %9lld, and %lld are\n", walking.stops / UPDATES, walking.real_stops / UPDATES);
    printf("  counters: %d, of which %d are 3\n", counters(0), counters(3));
    memset(counts, 0, sizeof counts);
    for (int i = OLD; i < BOXES; i++) add_object(&all[i]);
    printf("%d come from far away    along x   along y   along z\n", NEW);
    printf("  look like a start    %9lld %9lld %9lld\n", counts[0].starts, counts[1].starts, counts[2].starts);
    printf("  are a start          %9lld %9lld %9lld\n", counts[0].real_starts, counts[1].real_starts,
           counts[2].real_starts);
    const count coming = sum();
    const long long tests = walking.starts + walking.stops + coming.starts + coming.stops;
    const int agree = walking.agree + coming.agree == tests, same = same_pairs(all);
    printf("positions say what values say: %s; pairs and counters as of two loops: %s\n",
           agree ? "always" : "NOT always", same ? "yes" : "NO");

    svg_text(&picture, x, 116, 18, SVG_TITLE, "%s", name);
    svg_text(&picture, x, 148, 15, SVG_WORD, "an update of %d boxes that walk", OLD);
    draw_bar(x, 160, walking.starts / UPDATES, "fill:#4d6a8c", "look like a start");
    draw_bar(x, 182, walking.real_starts / UPDATES, "fill:#ffd877", "are starts");
    draw_bar(x, 210, walking.stops / UPDATES, "fill:#4d6a8c", "look like a stop");
    draw_bar(x, 232, walking.real_stops / UPDATES, "fill:#ffd877", "are stops");
    svg_text(&picture, x, 282, 15, SVG_WORD, "%d come from far away", NEW);
    for (int k = 0; k < 3; k++) {
        char label[32];
        snprintf(label, sizeof label, "like a start on %c", 'x' + k);
        draw_bar(x, 294 + 50 * k, counts[k].starts, "fill:#4d6a8c", label);
        draw_bar(x, 316 + 50 * k, counts[k].real_starts, "fill:#ffd877", "are starts");
    }
    return same && agree;
}

int main(int argc, char **argv) {
    const float cube[3] = {16, 16, 16}, flat[3] = {45, 45, 2};
    picture =
        svg_open(argc > 1 ? argv[1] : "06_tests.svg", 1000, 470, "What looks like a start or a stop, and what is one");
    svg_text(&picture, 40, 76, 15, SVG_WORD, "Bars are logarithmic: each tenfold is as much longer.");
    const int good = run(0, "in a cube", cube) & run(1, "nearly flat", flat);
    svg_close(&picture);
    return !good;
}
