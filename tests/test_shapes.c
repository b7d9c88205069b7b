/* test_shapes.c - new worlds of many shapes cost what a good tree would cost: counted, no clocks.

   cc -std=c99 -O2 -isystem /usr/include/stb -I. -o test_shapes tests/test_shapes.c -lm
   test_shapes [boxes] [shape] [-v]: 1,000 and 10,000 boxes and all shapes; -v prints all ratios

   Each shape is a new world, and beside it a tree of nodes with sixteen children that is cut slowly and well: on the
   axis and at the place, of all multiples of 16 and 256 boxes, that the surface area heuristic likes best. An update of
   all boxes, and box queries, test at most 1.6 times as many boxes (overlap_tests, query_tests) as they would in that
   tree; closest rays and nearest boxes twice as many. (Stacks of twenty-five, far apart, take twice as many: a leaf has
   the top of one stack and the bottom of the next.) A query may look at half a node more. Queries are asked among
   moving boxes and among static ones. Pairs and hits are those of that tree. At another scale, from 2^-60 to 2^100, a
   world takes at most 1.7 times the tests. */

#define SAP_IMPLEMENTATION
#include "sap.h"
#include "shapes.h"
#include "test.h"
#include <math.h>

enum { WIDTH = 16, MOST = 10000, QUERIES = 200 };

static int verbose;

/* ---- the tree beside it ---------------------------------------------------------------------------------------- */

static int axes; /* of the shape */

static int uses(int k) {
    return axes >> k & 1;
}

typedef struct node {
    sap_aabb box;
    int first, count, level; /* children: nodes from first on; of a leaf (level 0) entries of `order` */
} node;

static sap_aabb boxes[MOST];
static sap_id ids[MOST];
static int box_count, order[MOST], node_count, root_of_tree;
static node nodes[MOST];      /* more than enough */
static double limit_of[3][2]; /* what is infinite counts as a little more than the finite range */

static void grow(sap_aabb *to, const sap_aabb *box) {
    for (int k = 0; k < 3; k++) {
        if (box->min[k] < to->min[k]) to->min[k] = box->min[k];
        if (box->max[k] > to->max[k]) to->max[k] = box->max[k];
    }
}

static int meets(const sap_aabb *a, const sap_aabb *b) {
    for (int k = 0; k < 3; k++)
        if (uses(k) && (a->min[k] > b->max[k] || b->min[k] > a->max[k])) return 0;
    return 1;
}

static double low(const sap_aabb *box, int k) {
    return fmin(fmax((double)box->min[k], limit_of[k][0]), limit_of[k][1]);
}

static double high(const sap_aabb *box, int k) {
    return fmin(fmax((double)box->max[k], limit_of[k][0]), limit_of[k][1]);
}

/* In units of the world's range on each axis; a line has a little area, too, so that it is cut at its middle. */
static double area(const sap_aabb *box, const double unit[3]) {
    double side[3], sum = 0;
    for (int k = 0; k < 3; k++) side[k] = uses(k) ? (high(box, k) - low(box, k)) / unit[k] : 0;
    if (!uses(2)) return side[0] + side[1];
    for (int k = 0; k < 3; k++) sum += side[k];
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0] + 1e-6 * sum;
}

static double unit_of_area[3];
static double place_of[MOST];
static int sorted[3][MOST]; /* boxes along each axis; those of one part stand together in all three */

static int by_place(const void *a, const void *b) {
    const int i = *(const int *)a, j = *(const int *)b;
    if (place_of[i] != place_of[j]) return place_of[i] < place_of[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

static void sort_along(int k, int n) {
    for (int i = 0; i < n; i++) {
        place_of[i] = low(&boxes[i], k) + high(&boxes[i], k);
        sorted[k][i] = i;
    }
    qsort(sorted[k], (size_t)n, sizeof *sorted[k], by_place);
}

/* Cuts n boxes, from `from` on, into parts that begin at multiples of 16 or 256; their order is that along any axis. */
static void cut(int from, int n) {
    const int step = n > WIDTH * WIDTH ? WIDTH * WIDTH : WIDTH;
    static double below[MOST];
    static int rest[MOST];
    static char is_first[MOST];
    double least = INFINITY;
    int axis = 0, best = 0;
    if (n <= WIDTH) return;
    for (int k = 0; k < 3; k++) {
        const int *list = sorted[k] + from;
        if (!uses(k)) continue;
        sap_aabb whole = boxes[list[0]];
        for (int i = 0; i < n; i++) {
            if (i % step == 0) below[i] = area(&whole, unit_of_area);
            grow(&whole, &boxes[list[i]]);
        }
        whole = boxes[list[n - 1]];
        for (int i = n - 1; i > 0; i--) {
            grow(&whole, &boxes[list[i]]);
            if (i % step) continue;
            const double cost = below[i] * i + area(&whole, unit_of_area) * (n - i);
            if (cost < least) least = cost, axis = k, best = i;
        }
    }
    for (int i = 0; i < n; i++) is_first[sorted[axis][from + i]] = i < best;
    for (int k = 0; k < 3; k++) {
        int *list = sorted[k] + from, first = 0, others = 0;
        if (!uses(k) || k == axis) continue;
        for (int i = 0; i < n; i++)
            if (is_first[list[i]])
                list[first++] = list[i];
            else
                rest[others++] = list[i];
        memcpy(list + first, rest, (size_t)others * sizeof *rest);
    }
    cut(from, best);
    cut(from + best, n - best);
}

static void build(int n) {
    for (int k = 0; k < 3; k++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < n; i++) {
            if (boxes[i].min[k] > -TEST_FLOAT_MAX) least = fmin(least, (double)boxes[i].min[k]);
            if (boxes[i].max[k] < TEST_FLOAT_MAX) most = fmax(most, (double)boxes[i].max[k]);
        }
        if (least > most) least = most = 0; /* all are infinite */
        limit_of[k][0] = least - (most - least) / 100;
        limit_of[k][1] = most + (most - least) / 100;
    }
    box_count = n;
    for (int k = 0; k < 3; k++)
        if (uses(k)) sort_along(k, n);
    cut(0, n);
    memcpy(order, sorted[uses(0) ? 0 : uses(1) ? 1 : 2], (size_t)n * sizeof *order);
    int from = 0;
    node_count = 0;
    for (int i = 0; i < n; i += WIDTH) {
        node *leaf = &nodes[node_count++];
        leaf->first = i;
        leaf->count = n - i < WIDTH ? n - i : WIDTH;
        leaf->level = 0;
        leaf->box = boxes[order[i]];
        for (int j = 1; j < leaf->count; j++) grow(&leaf->box, &boxes[order[i + j]]);
    }
    for (int level = 1; node_count - from > 1; level++) {
        const int end = node_count;
        for (int i = from; i < end; i += WIDTH) {
            node *x = &nodes[node_count++];
            x->first = i;
            x->count = end - i < WIDTH ? end - i : WIDTH;
            x->level = level;
            x->box = nodes[i].box;
            for (int j = 1; j < x->count; j++) grow(&x->box, &nodes[i + j].box);
        }
        from = end;
    }
    root_of_tree = node_count - 1;
}

/* ---- what is counted -------------------------------------------------------------------------------------------- */

enum { UPDATE, SMALL, WIDE, RAY, NEAREST, KINDS };
static const char *const kind_names[KINDS] = {"update", "small box", "wide box", "ray", "nearest"};

static long long visits; /* of nodes of the tree beside it; each has sixteen boxes */

/* As sap.h does: of two nodes the one of the higher level is opened, the second if both have the same; level -1 is a
   box. Returns the pairs of boxes. */
static long long join(int a, int level_a, int b, int level_b) {
    const sap_aabb *box =
        level_a > level_b ? (level_b < 0 ? &boxes[b] : &nodes[b].box) : (level_a < 0 ? &boxes[a] : &nodes[a].box);
    const node *opened = &nodes[level_a > level_b ? a : b];
    long long pairs = 0;
    if (level_a == 1 && level_b == 1 && a >= b) return 0;
    visits++;
    for (int i = 0; i < opened->count; i++) {
        const int child = opened->level ? opened->first + i : order[opened->first + i];
        if (!meets(box, opened->level ? &nodes[child].box : &boxes[child])) continue;
        if (level_a > level_b)
            pairs += level_a == 0 && level_b < 0 ? 1 : join(child, level_a - 1, b, level_b);
        else
            pairs += level_b == 0 && level_a < 0 ? 1 : join(a, level_a, child, level_b - 1);
    }
    return pairs;
}

static long long join_with_itself(int a) {
    const node *x = &nodes[a];
    long long pairs = 0;
    visits++;
    for (int i = 0; i < x->count; i++)
        for (int j = i + 1; j < x->count; j++) {
            if (x->level == 0)
                pairs += meets(&boxes[order[x->first + i]], &boxes[order[x->first + j]]);
            else if (meets(&nodes[x->first + i].box, &nodes[x->first + j].box))
                pairs += join(x->first + i, x->level - 1, x->first + j, x->level - 1);
        }
    for (int i = 0; i < x->count && x->level; i++) pairs += join_with_itself(x->first + i);
    return pairs;
}

static long long count_pairs(void) {
    long long pairs = 0;
    for (int a = 0; a < node_count; a++)
        if (nodes[a].level == 1) pairs += join(a, 1, root_of_tree, nodes[root_of_tree].level) + join_with_itself(a);
    return pairs;
}

static long long count_hits(int a, const sap_aabb *box) {
    const node *x = &nodes[a];
    long long hits = 0;
    visits++;
    for (int i = 0; i < x->count; i++) {
        const int child = x->level ? x->first + i : order[x->first + i];
        if (!meets(box, x->level ? &nodes[child].box : &boxes[child])) continue;
        hits += x->level ? count_hits(child, box) : 1;
    }
    return hits;
}

typedef struct question {
    sap_aabb box;
    float point[3], way[3];
} question;

/* Where on its way a ray meets a box, or how far a point is from it; INFINITY: nowhere. */
static double reach(const question *q, const sap_aabb *box, int is_ray) {
    double enter = 0, leave = 1, sum = 0;
    for (int k = 0; k < 3; k++) {
        if (!uses(k)) continue;
        const double lo = (double)box->min[k] - (double)q->point[k], hi = (double)box->max[k] - (double)q->point[k];
        const double gap = lo > 0 ? lo : hi < 0 ? -hi : 0, way = (double)q->way[k];
        sum += gap * gap;
        if (way == 0 && gap > 0 && is_ray) return INFINITY;
        if (way == 0) continue;
        enter = fmax(enter, (way > 0 ? lo : hi) / way);
        leave = fmin(leave, (way > 0 ? hi : lo) / way);
    }
    if (!is_ray) return sqrt(sum);
    return enter <= leave ? enter : INFINITY;
}

/* Nearest children first. What is as near as the best is visited, too: of equals the lowest id is the answer. */
static void search(int a, const question *q, int is_ray, double *best) {
    const node *x = &nodes[a];
    double at[WIDTH];
    visits++;
    for (int i = 0; i < x->count; i++)
        at[i] = reach(q, x->level ? &nodes[x->first + i].box : &boxes[order[x->first + i]], is_ray);
    for (;;) {
        int nearest = 0;
        for (int i = 1; i < x->count; i++)
            if (at[i] < at[nearest]) nearest = i;
        if (at[nearest] > *best || at[nearest] > 1e300) return;
        if (x->level == 0) *best = at[nearest];
        const int child = x->first + nearest;
        at[nearest] = INFINITY;
        if (x->level) search(child, q, is_ray, best);
    }
}

/* Small boxes are as large as boxes are, wide ones as boxes are far apart; points lie near boxes, or anywhere between
   them; rays go from one box towards another. */
static question ask(test_rng *rng, const struct shape *shape, int kind, float small, float wide) {
    const sap_aabb *a = &boxes[test_below(rng, box_count)], *b = &boxes[test_below(rng, box_count)];
    const int far = test_below(rng, 2);
    question q;
    for (int k = 0; k < 3; k++) {
        const float unit = shape->unit[k] > 0 ? shape->unit[k] : 1, side = unit * (kind == SMALL ? small : wide);
        const float jitter = unit * wide * test_uniform(rng, -0.5f, 0.5f);
        const double from = (low(a, k) + high(a, k)) / 2 + (double)jitter, to = (low(b, k) + high(b, k)) / 2;
        const double share = kind == NEAREST && far ? (double)test_uniform(rng, 0, 1) : 0;
        q.point[k] = (float)(from + share * (to - from));
        q.way[k] = kind == RAY ? (float)(to - from) : 0;
        q.box.min[k] = q.point[k] - side / 2;
        q.box.max[k] = q.point[k] + side / 2;
        if (!uses(k)) q.point[k] = q.way[k] = q.box.min[k] = q.box.max[k] = 0;
    }
    return q;
}

static int count_hit(sap_id id, void *object, void *user) {
    (void)id, (void)object, (void)user;
    return 1;
}

static int is_near(double a, double b) {
    return fabs(a - b) <= 1e-3 * (fabs(a) + fabs(b));
}

static void compare(const char *name, int n, const char *kind, const char *of, long long tests, long long expected,
                    double most, int more) {
    const double ratio = (double)tests / (double)expected;
    if (verbose) printf("%6.2f  %-20s %6d %-9s %-7s %10lld %10lld\n", ratio, name, n, kind, of, tests, expected);
    CHECK_MESSAGE((double)(tests - more) <= most * (double)expected,
                  "%s, %d boxes: %s, %s boxes: tests %lld, a good tree %lld (%.2f times)", name, n, kind, of, tests,
                  expected, ratio);
}

static int by_size(const void *a, const void *b) {
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* The middle one of the longest finite sides, in the shape's units. */
static float middle_side(const struct shape *shape, int n) {
    static float size[MOST];
    for (int i = 0; i < n; i++) {
        size[i] = 0;
        for (int k = 0; k < 3; k++) {
            const float side = (boxes[i].max[k] - boxes[i].min[k]) / (shape->unit[k] > 0 ? shape->unit[k] : 1);
            if (uses(k) && side < TEST_FLOAT_MAX && side > size[i]) size[i] = side;
        }
    }
    qsort(size, (size_t)n, sizeof *size, by_size);
    return size[n / 2];
}

/* The distance between boxes: the middle one of those of some boxes to their nearest neighbour but three. */
static float middle_gap(const struct shape *shape, int n) {
    enum { SOME = 40, NEIGHBOURS = 4 };
    float gap[SOME];
    for (int i = 0; i < SOME; i++) {
        const sap_aabb *a = &boxes[i * (n / SOME)];
        float near[NEIGHBOURS];
        for (int j = 0; j < NEIGHBOURS; j++) near[j] = TEST_FLOAT_MAX;
        for (int j = 0; j < n; j++) {
            float most = 0;
            for (int k = 0; k < 3; k++) {
                const double way = (low(a, k) + high(a, k) - low(&boxes[j], k) - high(&boxes[j], k)) / 2;
                const float far = (float)(fabs(way) / (shape->unit[k] > 0 ? (double)shape->unit[k] : 1));
                if (uses(k) && far > most) most = far;
            }
            for (int k = 0; k < NEIGHBOURS; k++)
                if (most < near[k]) {
                    const float other = near[k];
                    near[k] = most;
                    most = other;
                }
        }
        gap[i] = near[NEIGHBOURS - 1];
    }
    qsort(gap, SOME, sizeof *gap, by_size);
    return gap[SOME / 2];
}

static sap_stats stats_of(const sap_world *s) {
    sap_stats stats;
    sap_get_stats(s, &stats);
    return stats;
}

static void test_queries(const struct shape *shape, sap_world *s, int kind, const char *of, float small, float wide) {
    test_rng rng = {77};
    long long tests = 0;
    visits = 0;
    (void)sap_prepare_queries(s);
    tests = stats_of(s).query_tests;
    for (int i = 0; i < QUERIES; i++) {
        const question q = ask(&rng, shape, kind, small, wide);
        if (kind == SMALL || kind == WIDE) {
            const long long hits = sap_query_box(s, &q.box, ~0u, count_hit, NULL);
            const long long expected = count_hits(root_of_tree, &q.box);
            CHECK_EQUAL(hits, expected);
        } else {
            double best = INFINITY;
            float at = 0;
            const sap_id id = kind == RAY ? sap_ray_closest(s, q.point, q.way, ~0u, &at)
                                          : sap_nearest(s, q.point, TEST_INFINITY, ~0u, &at);
            search(root_of_tree, &q, kind == RAY, &best);
            CHECK_MESSAGE((id == 0) == (best > 1e300) && (!id || is_near(best, (double)at) || kind == RAY),
                          "%s: %s finds %g, not %g", shape->name, kind_names[kind], (double)at, best);
        }
    }
    if (kind == NEAREST && shape->unit[0] > 0) return; /* squares of distances are no floats beyond 1e-18 and 1e19 */
    if (kind == RAY && shape->unit[0] > 0 && shape->unit[0] < 1e-20f) return; /* nor is 1 / 1e-30 times a length */
    if (kind == RAY && shape->unit[0] > 1e30f) return;                        /* rays are not computed beyond 1e31 */
    compare(shape->name, box_count, kind_names[kind], of, stats_of(s).query_tests - tests, WIDTH * visits,
            kind == RAY || kind == NEAREST ? 2 : 1.6, WIDTH / 2 * QUERIES);
}

/* What an update of all boxes tests, and queries of each box, if all bounds are multiplied by a power of two. */
static long long tests_at_scale(int exponent) {
    sap_config config = {0};
    config.axes = axes;
    sap_world *s = sap_create(&config);
    static sap_aabb scaled[MOST];
    if (!CHECK(s != NULL)) return 0;
    for (int i = 0; i < box_count; i++)
        for (int k = 0; k < 3; k++) {
            scaled[i].min[k] = ldexpf(boxes[i].min[k], exponent);
            scaled[i].max[k] = ldexpf(boxes[i].max[k], exponent);
        }
    CHECK(sap_add_many(s, box_count, scaled, NULL, ids) == SAP_OK && sap_update(s) == SAP_OK);
    for (int i = 0; i < box_count; i++) CHECK(sap_query_box(s, &scaled[i], ~0u, NULL, NULL) > 0);
    const long long tests = stats_of(s).overlap_tests + stats_of(s).query_tests;
    sap_destroy(s);
    return tests;
}

/* A world at another scale costs as much, as long as its bounds are floats. */
static void test_scales(const struct shape *shape) {
    const long long expected = tests_at_scale(0);
    for (int exponent = -60; exponent <= 100; exponent += 20) {
        const long long tests = tests_at_scale(exponent);
        CHECK_MESSAGE(10 * tests <= 17 * expected && 10 * expected <= 17 * tests,
                      "%s, times 2^%d: tests %lld, at 1 %lld", shape->name, exponent, tests, expected);
    }
}

static void test_shape(const struct shape *shape, int n) {
    shape_maker m = shape_begin(shape, n);
    axes = shape->axes;
    for (int i = 0; i < n; i++) boxes[i] = shape_box(shape, &m, i);
    for (int k = 0; k < 3; k++) unit_of_area[k] = (double)shape_unit(shape, k);
    build(n);
    visits = 0;
    if (n <= 1000 && shape->unit[0] == 0) test_scales(shape);
    const long long expected = count_pairs(), of_update = visits;
    const float small = middle_side(shape, n), wide = middle_gap(shape, n);
    for (int is_static = 0; is_static < 2; is_static++) {
        sap_config config = {0};
        int pairs;
        config.axes = axes;
        sap_world *s = sap_create(&config);
        if (!CHECK(s != NULL)) return;
        CHECK((is_static ? sap_add_static_many : sap_add_many)(s, n, boxes, NULL, ids) == SAP_OK);
        CHECK(sap_update(s) == SAP_OK);
        (void)sap_pairs(s, &pairs);
        if (!is_static) {
            CHECK_EQUAL(pairs, expected);
            compare(shape->name, n, "update", "moving", stats_of(s).overlap_tests, WIDTH * of_update,
                    shape->place == shape_stacks_apart ? 2 : 1.6, 0);
        }
        for (int kind = SMALL; kind < KINDS; kind++)
            test_queries(shape, s, kind, is_static ? "static" : "moving", small, wide);
        sap_destroy(s);
    }
}

int main(int argc, char **argv) {
    const char *only = NULL;
    int n = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else if (argv[i][0] >= '0' && argv[i][0] <= '9')
            n = atoi(argv[i]);
        else
            only = argv[i];
    }
    for (int i = 0; i < SHAPES; i++)
        for (int size = 1000; size <= MOST; size *= 10)
            if ((!only || !strcmp(only, shapes[i].name)) && (!n || size == 1000))
                test_shape(&shapes[i], n && n <= MOST ? n : size);
    return test_summary();
}
