/* test_shapes.c - new worlds of many shapes cost what a good tree would cost: counted, no clocks.

   cc -std=c99 -O2 -isystem /usr/include/stb -I. -o test_shapes tests/test_shapes.c -lm
   test_shapes [boxes] [shape] [-v]: 1,000 and 10,000 boxes and all shapes; -v prints all ratios

   Each shape is a new world, and beside it a tree of nodes with sixteen children that is cut slowly and well: on the
   axis and at the place, of all multiples of 16 and 256 boxes, that the surface area heuristic likes best. An update of
   all boxes, and box queries, test at most 1.6 times as many boxes (overlap_tests, query_tests) as they would in that
   tree; closest rays and nearest boxes twice as many. (Stacks of twenty-five, far apart, take twice as many: a leaf has
   the top of one stack and the bottom of the next.) A query may look at half a node more. Queries are asked among
   moving boxes and among static ones. Pairs and hits are those of that tree. */

#define SAP_IMPLEMENTATION
#include "sap.h"
#include "test.h"
#include <math.h>

enum { WIDTH = 16, MOST = 10000, QUERIES = 200 };

static int verbose;

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

typedef struct maker {
    test_rng rng;
    int n;
    float side; /* of a cube in which n boxes of about a unit lie as they do in most worlds */
} maker;

static float between(maker *m, float low, float high) {
    return test_uniform(&m->rng, low, high);
}

static int one_in(maker *m, int n) {
    return test_below(&m->rng, n) == 0;
}

static float gauss(maker *m) {
    float sum = 0;
    for (int i = 0; i < 12; i++) sum += between(m, -0.5f, 0.5f);
    return sum;
}

static sap_aabb box_at(float x, float y, float z, float sx, float sy, float sz) {
    const sap_aabb box = {{x - sx / 2, y - sy / 2, z - sz / 2}, {x + sx / 2, y + sy / 2, z + sz / 2}};
    return box;
}

static sap_aabb anywhere(maker *m, float sx, float sy, float sz) {
    const float x = between(m, 0, m->side), y = between(m, 0, m->side), z = between(m, 0, m->side);
    return box_at(x, y, z, sx, sy, sz);
}

static sap_aabb cube(maker *m, float low, float high) {
    const float x = between(m, low, high), y = between(m, low, high), z = between(m, low, high);
    return anywhere(m, x, y, z);
}

static sap_aabb usual(maker *m) {
    return cube(m, 0.5f, 1.5f);
}

static sap_aabb flatten(sap_aabb box, int axes) {
    for (int k = 0; k < 3; k++)
        if (axes >> k & 1) box.min[k] = box.max[k] = (box.min[k] + box.max[k]) / 2;
    return box;
}

/* Makes a box infinite on some axes. */
static sap_aabb endless(sap_aabb box, int below, int above) {
    for (int k = 0; k < 3; k++) {
        if (below >> k & 1) box.min[k] = -TEST_INFINITY;
        if (above >> k & 1) box.max[k] = TEST_INFINITY;
    }
    return box;
}

static sap_aabb moved(sap_aabb box, float x, float y, float z) {
    const float by[3] = {x, y, z};
    for (int k = 0; k < 3; k++) box.min[k] += by[k], box.max[k] += by[k];
    return box;
}

/* A box about a point of a flat world of unit density. */
static sap_aabb on_plane(maker *m, float sx, float sy, float sz) {
    const float side = sqrtf((float)m->n) * 1.5f, x = between(m, 0, side), z = between(m, 0, side);
    return box_at(x, sy / 2, z, sx, sy, sz);
}

/* In a lattice of so many axes the place of box i, in its cells. */
static void lattice(const maker *m, int i, int axes, float at[3]) {
    int edge = 1;
    while ((axes == 2 ? edge * edge : edge * edge * edge) < m->n) edge++;
    at[0] = (float)(i % edge);
    at[1] = axes == 2 ? 0 : (float)(i / edge / edge);
    at[2] = (float)(i / edge % edge);
}

typedef sap_aabb place(maker *m, int i);

static sap_aabb cubes(maker *m, int i) {
    return (void)i, usual(m);
}
static sap_aabb dense(maker *m, int i) {
    return (void)i, cube(m, 2, 4);
}
static sap_aabb sparse(maker *m, int i) {
    return (void)i, cube(m, 0.05f, 0.15f);
}
static sap_aabb offset(maker *m, int i) {
    return (void)i, moved(usual(m), 50000, -20000, 90000);
}
static sap_aabb points(maker *m, int i) {
    return (void)i, anywhere(m, 0, 0, 0);
}
static sap_aabb half_points(maker *m, int i) {
    return i & 1 ? usual(m) : anywhere(m, 0, 0, 0);
}
static sap_aabb flat_all(maker *m, int i) {
    return (void)i, flatten(usual(m), 2);
}
static sap_aabb flat_half(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 2) ? 2 : 0);
}
static sap_aabb flat_tenth(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 10) ? 2 : 0);
}
static sap_aabb flat_hundredth(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 100) ? 2 : 0);
}
static sap_aabb thin_all(maker *m, int i) {
    return (void)i, flatten(usual(m), 5);
}
static sap_aabb thin_half(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 2) ? 5 : 0);
}
static sap_aabb thin_tenth(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 10) ? 5 : 0);
}
static sap_aabb thin_hundredth(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 100) ? 5 : 0);
}
static sap_aabb most_flat(maker *m, int i) {
    return (void)i, flatten(usual(m), one_in(m, 10) ? 0 : 2);
}
static sap_aabb flat_somewhere(maker *m, int i) {
    return (void)i, flatten(usual(m), 1 << test_below(&m->rng, 3));
}

static sap_aabb flat_2d(maker *m, int i) {
    return (void)i, flatten(usual(m), 2);
}
static sap_aabb three_tenths(maker *m, int i) {
    return (void)i, flatten(usual(m), test_chance(&m->rng, 30) ? 2 : 0);
}

static sap_aabb sprites(maker *m, int i) {
    const float side = sqrtf((float)m->n) * 1.5f;
    (void)i;
    return box_at(between(m, 0, side), between(m, 0, side), between(m, 0, 100), 2, 2, 0);
}
static sap_aabb layers(maker *m, int i) {
    const float side = sqrtf((float)m->n) * 1.5f;
    const float z = (float)(i % 10);
    return box_at(between(m, 0, side), between(m, 0, side), z, 2, 2, 0);
}
static sap_aabb one_layer(maker *m, int i) {
    return (void)i, flatten(on_plane(m, 2, 0, 2), 2);
}
static sap_aabb quads(maker *m, int i) {
    return flatten(cube(m, 2, 3), 1 << i % 3);
}
static sap_aabb tiles(maker *m, int i) {
    float at[3];
    lattice(m, i, 2, at);
    return box_at(at[0], 0, at[2], 1, 0, 1);
}
static sap_aabb terrain(maker *m, int i) { /* each of its own height */
    float at[3];
    lattice(m, i, 2, at);
    return box_at(at[0], 4 * sinf(at[0] / 9) + 3 * sinf(at[2] / 7), at[2], 1, 0, 1);
}
static sap_aabb height_field(maker *m, int i) {
    float at[3];
    lattice(m, i, 2, at);
    const float top = 10 + 4 * sinf(at[0] / 9) + 3 * sinf(at[2] / 7) + between(m, 0, 1);
    return box_at(at[0], top / 2, at[2], 1, top, 1);
}
static sap_aabb steps(maker *m, int i) { /* triangles of a height field: some are flat */
    float at[3];
    lattice(m, i, 2, at);
    const float low = floorf(4 * sinf(at[0] / 9) + 3 * sinf(at[2] / 7)), high = one_in(m, 4) ? 1 : 0;
    return box_at(at[0], low + high / 2, at[2], 1, high, 1);
}
static sap_aabb voxels(maker *m, int i) {
    float at[3];
    lattice(m, i, 3, at);
    return box_at(at[0], at[1], at[2], 1, 1, 1);
}
static sap_aabb caves(maker *m, int i) { /* two thirds of them are air */
    const maker larger = {{0}, 3 * m->n, 0};
    float at[3];
    lattice(&larger, 3 * i + test_below(&m->rng, 3), 3, at);
    return box_at(at[0], at[1], at[2], 1, 1, 1);
}
static sap_aabb rods(maker *m, int i) {
    return (void)i, anywhere(m, 0.2f, 20, 0.2f);
}
static sap_aabb rods_about(maker *m, int i) {
    const float s[3] = {0.2f, 0.2f, 0.2f}, length = between(m, 5, 20);
    return anywhere(m, i % 3 == 0 ? length : s[0], i % 3 == 1 ? length : s[1], i % 3 == 2 ? length : s[2]);
}
static sap_aabb slabs(maker *m, int i) {
    return (void)i, anywhere(m, 10, 0.1f, 10);
}
static sap_aabb slabs_about(maker *m, int i) {
    return anywhere(m, i % 3 == 0 ? 0.1f : 5, i % 3 == 1 ? 0.1f : 5, i % 3 == 2 ? 0.1f : 5);
}
static sap_aabb walls(maker *m, int i) {
    return i & 1 ? on_plane(m, between(m, 2, 12), 3, 0.2f) : on_plane(m, 0.2f, 3, between(m, 2, 12));
}
static sap_aabb walls_2d(maker *m, int i) {
    const float side = sqrtf((float)m->n) * 1.5f, x = between(m, 0, side), y = between(m, 0, side);
    const float length = between(m, 2, 12);
    return i & 1 ? box_at(x, y, 0, length, 0, 0) : box_at(x, y, 0, 0, length, 0);
}
static sap_aabb decades(maker *m, int i) {
    const float size = powf(10, between(m, -7, 2)) * 0.5f;
    return (void)i, anywhere(m, size, size, size);
}
static sap_aabb decades_each(maker *m, int i) {
    const float x = powf(10, between(m, -7, 1)), y = powf(10, between(m, -7, 1)), z = powf(10, between(m, -7, 1));
    return (void)i, anywhere(m, x, y, z);
}
static sap_aabb two_sizes(maker *m, int i) {
    return i % 20 ? cube(m, 0.3f, 0.5f) : cube(m, 6, 8);
}
static sap_aabb heavy_tail(maker *m, int i) {
    const float size = 0.2f / sqrtf(between(m, 0.00001f, 1));
    return (void)i, anywhere(m, size, size, size);
}
static sap_aabb size_tree(maker *m, int i) { /* eight times as many boxes, of half the side */
    float size = m->side / 2;
    for (int level = 8; i >= level && level < 100000; i -= level, level *= 8) size /= 2;
    return anywhere(m, size, size, size);
}
static sap_aabb planes(maker *m, int i) {
    const sap_aabb box = usual(m);
    const int axis = i / 100 % 3, all = 7 & ~(1 << axis);
    return i % 100 ? box : endless(flatten(box, 1 << axis), all, all);
}
static sap_aabb half_spaces(maker *m, int i) {
    const sap_aabb box = usual(m);
    const int axis = i / 100 % 3, all = 7 & ~(1 << axis);
    return i % 100 ? box : endless(box, all | 1 << axis, all);
}
static sap_aabb columns(maker *m, int i) {
    return i % 50 ? usual(m) : endless(usual(m), 2, 2);
}
static sap_aabb all_columns(maker *m, int i) {
    return (void)i, endless(cube(m, 0.1f, 0.3f), 2, 2);
}
static sap_aabb ground(maker *m, int i) {
    return i ? on_plane(m, between(m, 0.5f, 2), between(m, 0.5f, 2), between(m, 0.5f, 2))
             : endless(box_at(0, -1, 0, 1, 2, 1), 5, 5);
}
static sap_aabb one_far(maker *m, int i) {
    return moved(usual(m), i ? 0 : 1e6f, 0, 0);
}
static sap_aabb tenth_far(maker *m, int i) {
    return i % 10 ? usual(m) : moved(usual(m), between(m, -1e5f, 1e5f), between(m, -1e5f, 1e5f), 0);
}
static sap_aabb two_islands(maker *m, int i) {
    return moved(usual(m), i & 1 ? 100000.0f : 0, 0, 0);
}
static sap_aabb two_unlike(maker *m, int i) {
    return i & 1 ? moved(cube(m, 0.05f, 0.1f), 5000, 3000, 0) : usual(m);
}
static sap_aabb islands(maker *m, int i) {
    const int k = i % 100;
    const float size = m->side / 5;
    const sap_aabb box = box_at(between(m, 0, size), between(m, 0, size), between(m, 0, size), 1, 1, 1);
    return moved(box, (float)(k * 7919 % 1000), (float)(k * 104729 % 1000), (float)(k * 1299709 % 1000));
}
static sap_aabb islands_2d(maker *m, int i) {
    const int k = i % 30;
    const float size = sqrtf((float)m->n) / 5;
    const sap_aabb box = box_at(between(m, 0, size), between(m, 0, size), 0, 1, 1, 0);
    return moved(box, (float)(k * 7919 % 1000), (float)(k * 104729 % 1000), 0);
}
static sap_aabb normal(maker *m, int i) {
    const float by = m->side / 5;
    return (void)i, box_at(by * gauss(m), by * gauss(m), by * gauss(m), 1, 1, 1);
}
static sap_aabb shell(maker *m, int i) {
    const float x = gauss(m), y = gauss(m), z = gauss(m), by = m->side / sqrtf(x * x + y * y + z * z + 1e-6f);
    return (void)i, box_at(by * x, by * y, by * z, 1, 1, 1);
}
static sap_aabb line(maker *m, int i) {
    return box_at(0.7f * (float)i, between(m, 0, 1), between(m, 0, 1), 1, 1, 1);
}
static sap_aabb diagonal(maker *m, int i) {
    const float at = 0.4f * (float)i;
    return box_at(at + between(m, 0, 1), at + between(m, 0, 1), at + between(m, 0, 1), 1, 1, 1);
}
static sap_aabb diagonal_2d(maker *m, int i) {
    const float at = 0.4f * (float)i;
    return box_at(at + between(m, 0, 1), 1000 - at + between(m, 0, 1), 0, 1, 1, 0);
}
static sap_aabb road(maker *m, int i) {
    const float at = (float)i / 4, x = 200 * sinf(at / 300);
    return box_at(x + between(m, 0, 8), between(m, 0, 1), at + between(m, 0, 1), 1, 1, 1);
}
static sap_aabb galaxy(maker *m, int i) {
    const float r = m->side * powf(between(m, 0.0001f, 1), 1.5f), turn = 6 * r / m->side + (float)(i % 3) * 2.1f;
    const float angle = turn + 0.3f * gauss(m);
    return box_at(r * cosf(angle), gauss(m), r * sinf(angle), 0.4f, 0.4f, 0.4f);
}
static sap_aabb stacks(maker *m, int i) { /* ten high */
    const maker feet = {{0}, m->n / 10 + 1, 0};
    float at[3];
    lattice(&feet, i / 10, 2, at);
    return box_at(3 * at[0] + between(m, 0, 0.1f), (float)(i % 10), 3 * at[2] + between(m, 0, 0.1f), 1, 1, 1);
}
static sap_aabb stacks_apart(maker *m, int i) { /* twenty-five high, far from each other, in rows of twenty */
    (void)m;
    return box_at(50 * (float)(i / 25 % 20), (float)(i % 25), 50 * (float)(i / 500), 1, 1, 1);
}
static sap_aabb rods_of_fifty(maker *m, int i) {
    return (void)i, anywhere(m, 50, 0.2f, 0.2f);
}
static sap_aabb long_rods(maker *m, int i) {
    return (void)i, anywhere(m, 50, 1, 1);
}
static sap_aabb powers(maker *m, int i) { /* places and sizes double along x, and tremble on the other axes */
    const float at = powf(2, between(m, 0, 30)), size = at * 30 / (float)m->n;
    return (void)i, box_at(at, between(m, -0.01f, 0.01f), between(m, -0.01f, 0.01f), size, 2, 2);
}
static sap_aabb tower(maker *m, int i) {
    return box_at(between(m, 0, 1), 0.9f * (float)i, between(m, 0, 1), 3, 1, 3);
}
static sap_aabb town(maker *m, int i) { /* houses, floors, lamps and what walks about */
    switch (i % 8) {
    case 0: return on_plane(m, between(m, 5, 10), between(m, 5, 20), between(m, 5, 10));
    case 1: return flatten(on_plane(m, between(m, 2, 10), 0, between(m, 2, 10)), 2);
    case 2: return on_plane(m, 0.2f, 5, 0.2f);
    case 3: return on_plane(m, between(m, 2, 15), 2, 0);
    default: return on_plane(m, between(m, 0.4f, 1), between(m, 1, 2), between(m, 0.4f, 1));
    }
}
static sap_aabb town_and_sky(maker *m, int i) {
    if (i == 0) return endless(box_at(0, -1, 0, 1, 2, 1), 5, 5);
    if (i % 50 == 1) return endless(on_plane(m, 1, 1, 1), 0, 2);
    return i % 7 ? town(m, i) : moved(on_plane(m, 1, 1, 1), 0, between(m, 0, 100), 0);
}
static sap_aabb on_floor(maker *m, int i) { /* heights differ by a hundredth of a side */
    return (void)i, moved(on_plane(m, 1, 1, 1), 0, between(m, 0, 0.01f), 0);
}
static sap_aabb same(maker *m, int i) {
    return (void)i, i % 2 ? usual(m) : box_at(9, 9, 9, 1, 1, 1);
}

static const struct shape {
    const char *name;
    place *place;
    int axes;
    float unit[3]; /* 0: 1 */
} shapes[] = {
    {"cubes", cubes, 7, {0}},
    {"cubes 2d", cubes, 3, {0}},
    {"dense", dense, 7, {0}},
    {"sparse", sparse, 7, {0}},
    {"offset", offset, 7, {0}},
    {"points", points, 7, {0}},
    {"points 2d", points, 3, {0}},
    {"half are points", half_points, 7, {0}},
    {"flat, all", flat_all, 7, {0}},
    {"flat, most", most_flat, 7, {0}},
    {"flat, half", flat_half, 7, {0}},
    {"flat, a tenth", flat_tenth, 7, {0}},
    {"flat, a hundredth", flat_hundredth, 7, {0}},
    {"flat on any axis", flat_somewhere, 7, {0}},
    {"thin, all", thin_all, 7, {0}},
    {"thin, half", thin_half, 7, {0}},
    {"thin, a tenth", thin_tenth, 7, {0}},
    {"thin, a hundredth", thin_hundredth, 7, {0}},
    {"flat 2d, all", flat_2d, 3, {0}},
    {"flat 2d, 3 of 10", three_tenths, 3, {0}},
    {"flat 2d, a tenth", flat_tenth, 3, {0}},
    {"sprites", sprites, 7, {0}},
    {"sprites in layers", layers, 7, {0}},
    {"sprites, one layer", one_layer, 7, {0}},
    {"quads", quads, 7, {0}},
    {"tiles", tiles, 7, {0}},
    {"terrain", terrain, 7, {0}},
    {"height field", height_field, 7, {0}},
    {"steps", steps, 7, {0}},
    {"voxels", voxels, 7, {0}},
    {"caves", caves, 7, {0}},
    {"rods", rods, 7, {0}},
    {"rods about", rods_about, 7, {0}},
    {"slabs", slabs, 7, {0}},
    {"slabs about", slabs_about, 7, {0}},
    {"walls", walls, 7, {0}},
    {"walls 2d", walls_2d, 3, {0}},
    {"nine decades", decades, 7, {0}},
    {"nine decades 2d", decades, 3, {0}},
    {"decades, each axis", decades_each, 7, {0}},
    {"two sizes", two_sizes, 7, {0}},
    {"two sizes 2d", two_sizes, 3, {0}},
    {"heavy tail", heavy_tail, 7, {0}},
    {"tree of sizes", size_tree, 7, {0}},
    {"planes", planes, 7, {0}},
    {"cubes on a floor", on_floor, 7, {0}},
    {"half-spaces", half_spaces, 7, {0}},
    {"columns", columns, 7, {0}},
    {"all columns", all_columns, 7, {0}},
    {"ground", ground, 7, {0}},
    {"one far away", one_far, 7, {0}},
    {"a tenth far away", tenth_far, 7, {0}},
    {"two islands", two_islands, 7, {0}},
    {"two unlike islands", two_unlike, 7, {0}},
    {"hundred islands", islands, 7, {0}},
    {"islands 2d", islands_2d, 3, {0}},
    {"gauss", normal, 7, {0}},
    {"gauss 2d", normal, 3, {0}},
    {"shell", shell, 7, {0}},
    {"line", line, 7, {0}},
    {"diagonal", diagonal, 7, {0}},
    {"diagonal 2d", diagonal_2d, 3, {0}},
    {"road", road, 7, {0}},
    {"galaxy", galaxy, 7, {0}},
    {"unit 1e-30", cubes, 7, {1e-30f, 1e-30f, 1e-30f}},
    {"unit 1e-12", cubes, 7, {1e-12f, 1e-12f, 1e-12f}},
    {"unit 1e12", cubes, 7, {1e12f, 1e12f, 1e12f}},
    {"unit 1e17", cubes, 7, {1e17f, 1e17f, 1e17f}},
    {"unit 1e20", cubes, 7, {1e20f, 1e20f, 1e20f}},
    {"unit 1e29", cubes, 7, {1e29f, 1e29f, 1e29f}},
    {"unit 1e29, flat", flat_tenth, 7, {1e29f, 1e29f, 1e29f}},
    {"unit 1e20 2d", cubes, 3, {1e20f, 1e20f, 1e20f}},
    {"units of each axis", cubes, 7, {1e-9f, 1, 1e9f}},
    {"units far apart", cubes, 7, {1e-12f, 1, 1e12f}},
    {"stacks", stacks, 7, {0}},
    {"tower", tower, 7, {0}},
    {"stacks apart", stacks_apart, 7, {0}},
    {"rods of fifty", rods_of_fifty, 7, {0}},
    {"long rods", long_rods, 7, {0}},
    {"powers", powers, 7, {0}},
    {"town", town, 7, {0}},
    {"town and sky", town_and_sky, 7, {0}},
    {"half in one place", same, 7, {0}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

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
    compare(shape->name, box_count, kind_names[kind], of, stats_of(s).query_tests - tests, WIDTH * visits,
            kind == RAY || kind == NEAREST ? 2 : 1.6, WIDTH / 2 * QUERIES);
}

static void test_shape(const struct shape *shape, int n) {
    maker m = {{12345}, n, 0};
    axes = shape->axes;
    m.side = axes == 3 ? 1.9f * sqrtf((float)n) : 2.8f * cbrtf((float)n);
    for (int i = 0; i < n; i++) {
        boxes[i] = shape->place(&m, i);
        for (int k = 0; k < 3; k++) {
            const float unit = shape->unit[k] > 0 ? shape->unit[k] : 1;
            boxes[i].min[k] = uses(k) ? boxes[i].min[k] * unit : 0;
            boxes[i].max[k] = uses(k) ? boxes[i].max[k] * unit : 0;
            unit_of_area[k] = (double)unit;
        }
    }
    build(n);
    visits = 0;
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
                    shape->place == stacks_apart ? 2 : 1.6, 0);
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
