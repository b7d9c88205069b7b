/* shapes.h - worlds of many shapes: flat boxes and points, long ones, planes, columns, sizes over nine decades, islands far
   apart, any unit of length. Each is a function that places box i of n.

   Include sap.h before it. */

#ifndef SHAPES_H
#define SHAPES_H

#include <math.h>
#include "test.h"

typedef struct shape_maker {
    test_rng rng;
    int n;
    float side; /* of a cube in which n boxes of about a unit lie as they do in most worlds */
} shape_maker;

static inline float shape_between(shape_maker *m, float low, float high) {
    return test_uniform(&m->rng, low, high);
}

static inline int shape_one_in(shape_maker *m, int n) {
    return test_below(&m->rng, n) == 0;
}

static inline float shape_gauss(shape_maker *m) {
    float sum = 0;
    for (int i = 0; i < 12; i++) sum += shape_between(m, -0.5f, 0.5f);
    return sum;
}

static inline sap_aabb shape_box_at(float x, float y, float z, float sx, float sy, float sz) {
    const sap_aabb box = {{x - sx / 2, y - sy / 2, z - sz / 2}, {x + sx / 2, y + sy / 2, z + sz / 2}};
    return box;
}

static inline sap_aabb shape_anywhere(shape_maker *m, float sx, float sy, float sz) {
    const float x = shape_between(m, 0, m->side), y = shape_between(m, 0, m->side), z = shape_between(m, 0, m->side);
    return shape_box_at(x, y, z, sx, sy, sz);
}

static inline sap_aabb shape_cube(shape_maker *m, float low, float high) {
    const float x = shape_between(m, low, high), y = shape_between(m, low, high), z = shape_between(m, low, high);
    return shape_anywhere(m, x, y, z);
}

static inline sap_aabb shape_usual(shape_maker *m) {
    return shape_cube(m, 0.5f, 1.5f);
}

static inline sap_aabb shape_flatten(sap_aabb box, int axes) {
    for (int k = 0; k < 3; k++)
        if (axes >> k & 1) box.min[k] = box.max[k] = (box.min[k] + box.max[k]) / 2;
    return box;
}

/* Makes a box infinite on some axes. */
static inline sap_aabb shape_endless(sap_aabb box, int below, int above) {
    for (int k = 0; k < 3; k++) {
        if (below >> k & 1) box.min[k] = -TEST_INFINITY;
        if (above >> k & 1) box.max[k] = TEST_INFINITY;
    }
    return box;
}

static inline sap_aabb shape_moved(sap_aabb box, float x, float y, float z) {
    const float by[3] = {x, y, z};
    for (int k = 0; k < 3; k++) box.min[k] += by[k], box.max[k] += by[k];
    return box;
}

/* A box about a point of a flat world of unit density. */
static inline sap_aabb shape_on_plane(shape_maker *m, float sx, float sy, float sz) {
    const float side = sqrtf((float)m->n) * 1.5f, x = shape_between(m, 0, side), z = shape_between(m, 0, side);
    return shape_box_at(x, sy / 2, z, sx, sy, sz);
}

/* In a lattice of so many axes the place of box i, in its cells. */
static inline void shape_lattice(const shape_maker *m, int i, int axes, float at[3]) {
    int edge = 1;
    while ((axes == 2 ? edge * edge : edge * edge * edge) < m->n) edge++;
    at[0] = (float)(i % edge);
    at[1] = axes == 2 ? 0 : (float)(i / edge / edge);
    at[2] = (float)(i / edge % edge);
}

/* The seed is of the tests: counts that were measured belong to it. */
enum { SHAPE_SEED = 12345 };

typedef sap_aabb shape_place(shape_maker *m, int i);

static inline sap_aabb shape_cubes(shape_maker *m, int i) {
    return (void)i, shape_usual(m);
}
static inline sap_aabb shape_dense(shape_maker *m, int i) {
    return (void)i, shape_cube(m, 2, 4);
}
static inline sap_aabb shape_crowded(shape_maker *m, int i) {
    return (void)i, shape_cube(m, 4, 6);
}
static inline sap_aabb shape_sparse(shape_maker *m, int i) {
    return (void)i, shape_cube(m, 0.05f, 0.15f);
}
static inline sap_aabb shape_offset(shape_maker *m, int i) {
    return (void)i, shape_moved(shape_usual(m), 50000, -20000, 90000);
}
static inline sap_aabb shape_points(shape_maker *m, int i) {
    return (void)i, shape_anywhere(m, 0, 0, 0);
}
static inline sap_aabb shape_half_points(shape_maker *m, int i) {
    return i & 1 ? shape_usual(m) : shape_anywhere(m, 0, 0, 0);
}
static inline sap_aabb shape_flat_all(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), 2);
}
static inline sap_aabb shape_flat_half(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 2) ? 2 : 0);
}
static inline sap_aabb shape_flat_tenth(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 10) ? 2 : 0);
}
static inline sap_aabb shape_flat_hundredth(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 100) ? 2 : 0);
}
static inline sap_aabb shape_thin_all(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), 5);
}
static inline sap_aabb shape_thin_half(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 2) ? 5 : 0);
}
static inline sap_aabb shape_thin_tenth(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 10) ? 5 : 0);
}
static inline sap_aabb shape_thin_hundredth(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 100) ? 5 : 0);
}
static inline sap_aabb shape_most_flat(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), shape_one_in(m, 10) ? 0 : 2);
}
static inline sap_aabb shape_flat_somewhere(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), 1 << test_below(&m->rng, 3));
}

static inline sap_aabb shape_flat_2d(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), 2);
}
static inline sap_aabb shape_three_tenths(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_usual(m), test_chance(&m->rng, 30) ? 2 : 0);
}

static inline sap_aabb shape_sprites(shape_maker *m, int i) {
    const float side = sqrtf((float)m->n) * 1.5f;
    (void)i;
    return shape_box_at(shape_between(m, 0, side), shape_between(m, 0, side), shape_between(m, 0, 100), 2, 2, 0);
}
static inline sap_aabb shape_layers(shape_maker *m, int i) {
    const float side = sqrtf((float)m->n) * 1.5f;
    const float z = (float)(i % 10);
    return shape_box_at(shape_between(m, 0, side), shape_between(m, 0, side), z, 2, 2, 0);
}
static inline sap_aabb shape_one_layer(shape_maker *m, int i) {
    return (void)i, shape_flatten(shape_on_plane(m, 2, 0, 2), 2);
}
static inline sap_aabb shape_quads(shape_maker *m, int i) {
    return shape_flatten(shape_cube(m, 2, 3), 1 << i % 3);
}
static inline sap_aabb shape_tiles(shape_maker *m, int i) {
    float at[3];
    shape_lattice(m, i, 2, at);
    return shape_box_at(at[0], 0, at[2], 1, 0, 1);
}
static inline sap_aabb shape_terrain(shape_maker *m, int i) { /* each of its own height */
    float at[3];
    shape_lattice(m, i, 2, at);
    return shape_box_at(at[0], 4 * sinf(at[0] / 9) + 3 * sinf(at[2] / 7), at[2], 1, 0, 1);
}
static inline sap_aabb shape_height_field(shape_maker *m, int i) {
    float at[3];
    shape_lattice(m, i, 2, at);
    const float top = 10 + 4 * sinf(at[0] / 9) + 3 * sinf(at[2] / 7) + shape_between(m, 0, 1);
    return shape_box_at(at[0], top / 2, at[2], 1, top, 1);
}
static inline sap_aabb shape_steps(shape_maker *m, int i) { /* triangles of a height field: some are flat */
    float at[3];
    shape_lattice(m, i, 2, at);
    const float low = floorf(4 * sinf(at[0] / 9) + 3 * sinf(at[2] / 7)), high = shape_one_in(m, 4) ? 1 : 0;
    return shape_box_at(at[0], low + high / 2, at[2], 1, high, 1);
}
static inline sap_aabb shape_voxels(shape_maker *m, int i) {
    float at[3];
    shape_lattice(m, i, 3, at);
    return shape_box_at(at[0], at[1], at[2], 1, 1, 1);
}
static inline sap_aabb shape_caves(shape_maker *m, int i) { /* two thirds of them are air */
    const shape_maker larger = {{0}, 3 * m->n, 0};
    float at[3];
    shape_lattice(&larger, 3 * i + test_below(&m->rng, 3), 3, at);
    return shape_box_at(at[0], at[1], at[2], 1, 1, 1);
}
static inline sap_aabb shape_rods(shape_maker *m, int i) {
    return (void)i, shape_anywhere(m, 0.2f, 20, 0.2f);
}
static inline sap_aabb shape_rods_about(shape_maker *m, int i) {
    const float s[3] = {0.2f, 0.2f, 0.2f}, length = shape_between(m, 5, 20);
    return shape_anywhere(m, i % 3 == 0 ? length : s[0], i % 3 == 1 ? length : s[1], i % 3 == 2 ? length : s[2]);
}
static inline sap_aabb shape_slabs(shape_maker *m, int i) {
    return (void)i, shape_anywhere(m, 10, 0.1f, 10);
}
static inline sap_aabb shape_slabs_about(shape_maker *m, int i) {
    return shape_anywhere(m, i % 3 == 0 ? 0.1f : 5, i % 3 == 1 ? 0.1f : 5, i % 3 == 2 ? 0.1f : 5);
}
static inline sap_aabb shape_walls(shape_maker *m, int i) {
    return i & 1 ? shape_on_plane(m, shape_between(m, 2, 12), 3, 0.2f)
                 : shape_on_plane(m, 0.2f, 3, shape_between(m, 2, 12));
}
static inline sap_aabb shape_walls_2d(shape_maker *m, int i) {
    const float side = sqrtf((float)m->n) * 1.5f, x = shape_between(m, 0, side), y = shape_between(m, 0, side);
    const float length = shape_between(m, 2, 12);
    return i & 1 ? shape_box_at(x, y, 0, length, 0, 0) : shape_box_at(x, y, 0, 0, length, 0);
}
static inline sap_aabb shape_decades(shape_maker *m, int i) {
    const float size = powf(10, shape_between(m, -7, 2)) * 0.5f;
    return (void)i, shape_anywhere(m, size, size, size);
}
static inline sap_aabb shape_decades_each(shape_maker *m, int i) {
    const float x = powf(10, shape_between(m, -7, 1)), y = powf(10, shape_between(m, -7, 1)),
                z = powf(10, shape_between(m, -7, 1));
    return (void)i, shape_anywhere(m, x, y, z);
}
static inline sap_aabb shape_two_sizes(shape_maker *m, int i) {
    return i % 20 ? shape_cube(m, 0.3f, 0.5f) : shape_cube(m, 6, 8);
}
static inline sap_aabb shape_heavy_tail(shape_maker *m, int i) {
    const float size = 0.2f / sqrtf(shape_between(m, 0.00001f, 1));
    return (void)i, shape_anywhere(m, size, size, size);
}
static inline sap_aabb shape_size_tree(shape_maker *m, int i) { /* eight times as many boxes, of half the side */
    float size = m->side / 2;
    for (int level = 8; i >= level && level < 100000; i -= level, level *= 8) size /= 2;
    return shape_anywhere(m, size, size, size);
}
static inline sap_aabb shape_planes(shape_maker *m, int i) {
    const sap_aabb box = shape_usual(m);
    const int axis = i / 100 % 3, all = 7 & ~(1 << axis);
    return i % 100 ? box : shape_endless(shape_flatten(box, 1 << axis), all, all);
}
static inline sap_aabb shape_half_spaces(shape_maker *m, int i) {
    const sap_aabb box = shape_usual(m);
    const int axis = i / 100 % 3, all = 7 & ~(1 << axis);
    return i % 100 ? box : shape_endless(box, all | 1 << axis, all);
}
static inline sap_aabb shape_columns(shape_maker *m, int i) {
    return i % 50 ? shape_usual(m) : shape_endless(shape_usual(m), 2, 2);
}
static inline sap_aabb shape_all_columns(shape_maker *m, int i) {
    return (void)i, shape_endless(shape_cube(m, 0.1f, 0.3f), 2, 2);
}
static inline sap_aabb shape_ground(shape_maker *m, int i) {
    return i ? shape_on_plane(m, shape_between(m, 0.5f, 2), shape_between(m, 0.5f, 2), shape_between(m, 0.5f, 2))
             : shape_endless(shape_box_at(0, -1, 0, 1, 2, 1), 5, 5);
}
static inline sap_aabb shape_one_far(shape_maker *m, int i) {
    return shape_moved(shape_usual(m), i ? 0 : 1e6f, 0, 0);
}
static inline sap_aabb shape_tenth_far(shape_maker *m, int i) {
    return i % 10 ? shape_usual(m)
                  : shape_moved(shape_usual(m), shape_between(m, -1e5f, 1e5f), shape_between(m, -1e5f, 1e5f), 0);
}
static inline sap_aabb shape_two_islands(shape_maker *m, int i) {
    return shape_moved(shape_usual(m), i & 1 ? 100000.0f : 0, 0, 0);
}
static inline sap_aabb shape_two_unlike(shape_maker *m, int i) {
    return i & 1 ? shape_moved(shape_cube(m, 0.05f, 0.1f), 5000, 3000, 0) : shape_usual(m);
}
static inline sap_aabb shape_islands(shape_maker *m, int i) {
    const int k = i % 100;
    const float size = m->side / 5;
    const sap_aabb box =
        shape_box_at(shape_between(m, 0, size), shape_between(m, 0, size), shape_between(m, 0, size), 1, 1, 1);
    return shape_moved(box, (float)(k * 7919 % 1000), (float)(k * 104729 % 1000), (float)(k * 1299709 % 1000));
}
static inline sap_aabb shape_islands_2d(shape_maker *m, int i) {
    const int k = i % 30;
    const float size = sqrtf((float)m->n) / 5;
    const sap_aabb box = shape_box_at(shape_between(m, 0, size), shape_between(m, 0, size), 0, 1, 1, 0);
    return shape_moved(box, (float)(k * 7919 % 1000), (float)(k * 104729 % 1000), 0);
}
static inline sap_aabb shape_normal(shape_maker *m, int i) {
    const float by = m->side / 5;
    return (void)i, shape_box_at(by * shape_gauss(m), by * shape_gauss(m), by * shape_gauss(m), 1, 1, 1);
}
static inline sap_aabb shape_shell(shape_maker *m, int i) {
    const float x = shape_gauss(m), y = shape_gauss(m), z = shape_gauss(m),
                by = m->side / sqrtf(x * x + y * y + z * z + 1e-6f);
    return (void)i, shape_box_at(by * x, by * y, by * z, 1, 1, 1);
}
static inline sap_aabb shape_line(shape_maker *m, int i) {
    return shape_box_at(0.7f * (float)i, shape_between(m, 0, 1), shape_between(m, 0, 1), 1, 1, 1);
}
static inline sap_aabb shape_diagonal(shape_maker *m, int i) {
    const float at = 0.4f * (float)i;
    return shape_box_at(at + shape_between(m, 0, 1), at + shape_between(m, 0, 1), at + shape_between(m, 0, 1), 1, 1, 1);
}
static inline sap_aabb shape_diagonal_2d(shape_maker *m, int i) {
    const float at = 0.4f * (float)i;
    return shape_box_at(at + shape_between(m, 0, 1), 1000 - at + shape_between(m, 0, 1), 0, 1, 1, 0);
}
static inline sap_aabb shape_road(shape_maker *m, int i) {
    const float at = (float)i / 4, x = 200 * sinf(at / 300);
    return shape_box_at(x + shape_between(m, 0, 8), shape_between(m, 0, 1), at + shape_between(m, 0, 1), 1, 1, 1);
}
static inline sap_aabb shape_galaxy(shape_maker *m, int i) {
    const float r = m->side * powf(shape_between(m, 0.0001f, 1), 1.5f), turn = 6 * r / m->side + (float)(i % 3) * 2.1f;
    const float angle = turn + 0.3f * shape_gauss(m);
    return shape_box_at(r * cosf(angle), shape_gauss(m), r * sinf(angle), 0.4f, 0.4f, 0.4f);
}
static inline sap_aabb shape_stacks(shape_maker *m, int i) { /* ten high */
    const shape_maker feet = {{0}, m->n / 10 + 1, 0};
    float at[3];
    shape_lattice(&feet, i / 10, 2, at);
    return shape_box_at(3 * at[0] + shape_between(m, 0, 0.1f), (float)(i % 10), 3 * at[2] + shape_between(m, 0, 0.1f),
                        1, 1, 1);
}
static inline sap_aabb shape_stacks_apart(shape_maker *m,
                                          int i) { /* twenty-five high, far from each other, in rows of twenty */
    (void)m;
    return shape_box_at(50 * (float)(i / 25 % 20), (float)(i % 25), 50 * (float)(i / 500), 1, 1, 1);
}
static inline sap_aabb shape_rods_of_fifty(shape_maker *m, int i) {
    return (void)i, shape_anywhere(m, 50, 0.2f, 0.2f);
}
static inline sap_aabb shape_long_rods(shape_maker *m, int i) {
    return (void)i, shape_anywhere(m, 50, 1, 1);
}
static inline sap_aabb shape_powers(shape_maker *m,
                                    int i) { /* places and sizes double along x, and tremble on the other axes */
    const float at = powf(2, shape_between(m, 0, 30)), size = at * 30 / (float)m->n;
    return (void)i, shape_box_at(at, shape_between(m, -0.01f, 0.01f), shape_between(m, -0.01f, 0.01f), size, 2, 2);
}
static inline sap_aabb shape_tower(shape_maker *m, int i) {
    return shape_box_at(shape_between(m, 0, 1), 0.9f * (float)i, shape_between(m, 0, 1), 3, 1, 3);
}
static inline sap_aabb shape_town(shape_maker *m, int i) { /* houses, floors, lamps and what walks about */
    switch (i % 8) {
    case 0: return shape_on_plane(m, shape_between(m, 5, 10), shape_between(m, 5, 20), shape_between(m, 5, 10));
    case 1: return shape_flatten(shape_on_plane(m, shape_between(m, 2, 10), 0, shape_between(m, 2, 10)), 2);
    case 2: return shape_on_plane(m, 0.2f, 5, 0.2f);
    case 3: return shape_on_plane(m, shape_between(m, 2, 15), 2, 0);
    default: return shape_on_plane(m, shape_between(m, 0.4f, 1), shape_between(m, 1, 2), shape_between(m, 0.4f, 1));
    }
}
static inline sap_aabb shape_town_and_sky(shape_maker *m, int i) {
    if (i == 0) return shape_endless(shape_box_at(0, -1, 0, 1, 2, 1), 5, 5);
    if (i % 50 == 1) return shape_endless(shape_on_plane(m, 1, 1, 1), 0, 2);
    return i % 7 ? shape_town(m, i) : shape_moved(shape_on_plane(m, 1, 1, 1), 0, shape_between(m, 0, 100), 0);
}
static inline sap_aabb shape_on_floor(shape_maker *m, int i) { /* heights differ by a hundredth of a side */
    return (void)i, shape_moved(shape_on_plane(m, 1, 1, 1), 0, shape_between(m, 0, 0.01f), 0);
}
static inline sap_aabb shape_same(shape_maker *m, int i) {
    return (void)i, i % 2 ? shape_usual(m) : shape_box_at(9, 9, 9, 1, 1, 1);
}

static const struct shape {
    const char *name;
    shape_place *place;
    int axes;
    float unit[3]; /* 0: 1 */
} shapes[] = {
    {"cubes", shape_cubes, 7, {0}},
    {"cubes 2d", shape_cubes, 3, {0}},
    {"dense", shape_dense, 7, {0}},
    {"crowded 2d", shape_crowded, 3, {0}},
    {"sparse", shape_sparse, 7, {0}},
    {"offset", shape_offset, 7, {0}},
    {"points", shape_points, 7, {0}},
    {"points 2d", shape_points, 3, {0}},
    {"half are points", shape_half_points, 7, {0}},
    {"flat, all", shape_flat_all, 7, {0}},
    {"flat, most", shape_most_flat, 7, {0}},
    {"flat, half", shape_flat_half, 7, {0}},
    {"flat, a tenth", shape_flat_tenth, 7, {0}},
    {"flat, a hundredth", shape_flat_hundredth, 7, {0}},
    {"flat on any axis", shape_flat_somewhere, 7, {0}},
    {"thin, all", shape_thin_all, 7, {0}},
    {"thin, half", shape_thin_half, 7, {0}},
    {"thin, a tenth", shape_thin_tenth, 7, {0}},
    {"thin, a hundredth", shape_thin_hundredth, 7, {0}},
    {"flat 2d, all", shape_flat_2d, 3, {0}},
    {"flat 2d, 3 of 10", shape_three_tenths, 3, {0}},
    {"flat 2d, a tenth", shape_flat_tenth, 3, {0}},
    {"sprites", shape_sprites, 7, {0}},
    {"sprites in layers", shape_layers, 7, {0}},
    {"sprites, one layer", shape_one_layer, 7, {0}},
    {"quads", shape_quads, 7, {0}},
    {"tiles", shape_tiles, 7, {0}},
    {"terrain", shape_terrain, 7, {0}},
    {"height field", shape_height_field, 7, {0}},
    {"steps", shape_steps, 7, {0}},
    {"voxels", shape_voxels, 7, {0}},
    {"caves", shape_caves, 7, {0}},
    {"rods", shape_rods, 7, {0}},
    {"rods about", shape_rods_about, 7, {0}},
    {"slabs", shape_slabs, 7, {0}},
    {"slabs about", shape_slabs_about, 7, {0}},
    {"walls", shape_walls, 7, {0}},
    {"walls 2d", shape_walls_2d, 3, {0}},
    {"nine decades", shape_decades, 7, {0}},
    {"nine decades 2d", shape_decades, 3, {0}},
    {"decades, each axis", shape_decades_each, 7, {0}},
    {"two sizes", shape_two_sizes, 7, {0}},
    {"two sizes 2d", shape_two_sizes, 3, {0}},
    {"heavy tail", shape_heavy_tail, 7, {0}},
    {"tree of sizes", shape_size_tree, 7, {0}},
    {"planes", shape_planes, 7, {0}},
    {"cubes on a floor", shape_on_floor, 7, {0}},
    {"half-spaces", shape_half_spaces, 7, {0}},
    {"columns", shape_columns, 7, {0}},
    {"all columns", shape_all_columns, 7, {0}},
    {"ground", shape_ground, 7, {0}},
    {"one far away", shape_one_far, 7, {0}},
    {"a tenth far away", shape_tenth_far, 7, {0}},
    {"two islands", shape_two_islands, 7, {0}},
    {"two unlike islands", shape_two_unlike, 7, {0}},
    {"hundred islands", shape_islands, 7, {0}},
    {"islands 2d", shape_islands_2d, 3, {0}},
    {"gauss", shape_normal, 7, {0}},
    {"gauss 2d", shape_normal, 3, {0}},
    {"shell", shape_shell, 7, {0}},
    {"line", shape_line, 7, {0}},
    {"diagonal", shape_diagonal, 7, {0}},
    {"diagonal 2d", shape_diagonal_2d, 3, {0}},
    {"road", shape_road, 7, {0}},
    {"galaxy", shape_galaxy, 7, {0}},
    {"unit 1e-30", shape_cubes, 7, {1e-30f, 1e-30f, 1e-30f}},
    {"unit 1e-12", shape_cubes, 7, {1e-12f, 1e-12f, 1e-12f}},
    {"unit 1e12", shape_cubes, 7, {1e12f, 1e12f, 1e12f}},
    {"unit 1e17", shape_cubes, 7, {1e17f, 1e17f, 1e17f}},
    {"unit 1e20", shape_cubes, 7, {1e20f, 1e20f, 1e20f}},
    {"unit 1e29", shape_cubes, 7, {1e29f, 1e29f, 1e29f}},
    {"unit 1e29, flat", shape_flat_tenth, 7, {1e29f, 1e29f, 1e29f}},
    {"unit 1e36", shape_cubes, 7, {1e36f, 1e36f, 1e36f}},
    {"unit 4e36, flat", shape_flat_tenth, 7, {4e36f, 4e36f, 4e36f}},
    {"unit 4e36, long", shape_long_rods, 7, {4e36f, 4e36f, 4e36f}},
    {"unit 1e20 2d", shape_cubes, 3, {1e20f, 1e20f, 1e20f}},
    {"units of each axis", shape_cubes, 7, {1e-9f, 1, 1e9f}},
    {"units far apart", shape_cubes, 7, {1e-12f, 1, 1e12f}},
    {"stacks", shape_stacks, 7, {0}},
    {"tower", shape_tower, 7, {0}},
    {"stacks apart", shape_stacks_apart, 7, {0}},
    {"rods of fifty", shape_rods_of_fifty, 7, {0}},
    {"long rods", shape_long_rods, 7, {0}},
    {"powers", shape_powers, 7, {0}},
    {"town", shape_town, 7, {0}},
    {"town and sky", shape_town_and_sky, 7, {0}},
    {"half in one place", shape_same, 7, {0}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static inline shape_maker shape_begin(const struct shape *shape, int n) {
    const float side = shape->axes == 3 ? 1.9f * sqrtf((float)n) : 2.8f * cbrtf((float)n);
    const shape_maker m = {{SHAPE_SEED}, n, side};
    return m;
}

static inline float shape_unit(const struct shape *shape, int axis) {
    return shape->unit[axis] > 0 ? shape->unit[axis] : 1;
}

/* Box i, in the shape's units, with 0 on an unused axis. */
static inline sap_aabb shape_box(const struct shape *shape, shape_maker *m, int i) {
    sap_aabb box = shape->place(m, i);
    for (int k = 0; k < 3; k++) {
        const float unit = shape->axes >> k & 1 ? shape_unit(shape, k) : 0;
        box.min[k] = unit > 0 ? box.min[k] * unit : 0;
        box.max[k] = unit > 0 ? box.max[k] * unit : 0;
    }
    return box;
}

#endif
