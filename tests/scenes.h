/* scenes.h - random boxes of many kinds, each kind chosen because it has broken a broad phase before. */

#ifndef SCENES_H
#define SCENES_H

#include "sap.h"
#include "test.h"

typedef enum scene {
    SCENE_UNIFORM,
    SCENE_LATTICE,   /* small integers: most endpoints are equal to others */
    SCENE_TOUCHING,  /* unit cells side by side: every neighbour touches, none goes deeper */
    SCENE_POINTS,    /* boxes of no size, often at the same place */
    SCENE_CLUSTERED, /* all overlap on one axis */
    SCENE_PILE,      /* all overlap */
    SCENE_HUGE,      /* huge and infinite boxes among tiny ones */
    SCENE_FAR,       /* coordinates of 1e6 .. 1e30, boxes a few float steps wide */
    SCENE_ZEROS,     /* nothing but -0 and +0 */
    SCENE_STRETCHED, /* long on one axis, thin on the others */
    SCENE_FLAT,      /* a ground: no spread along y */
    SCENE_DENORMALS,
    SCENE_EDGES,  /* the largest float, infinity, zero and one in every combination */
    SCENE_BITS,   /* any bits that are no NaN */
    SCENE_SPARSE, /* small boxes; one in a hundred is a long or infinite beam */
    SCENE_MIXED,  /* each box from any of the above */
    SCENE_COUNT
} scene;

static const char *const scene_names[SCENE_COUNT] = {
    "uniform", "lattice",   "touching", "points",    "clustered", "pile", "huge",   "far",
    "zeros",   "stretched", "flat",     "denormals", "edges",     "bits", "sparse", "mixed"};

static inline void scene_interval(sap_aabb *box, int axis, float a, float b) {
    int turn = test_key(a) > test_key(b);
    box->min[axis] = turn ? b : a;
    box->max[axis] = turn ? a : b;
}

/* From `low` on, `size` wide; any rounding, also to infinity, is fine. */
static inline void scene_span(sap_aabb *box, int axis, float low, float size) {
    scene_interval(box, axis, low, low + size);
}

static inline float scene_edge(test_rng *rng) {
    static const uint32_t edges[] = {0xff800000u, 0xff7fffffu, 0xbf800000u, 0x80000000u, 0x00000000u,
                                     0x00000001u, 0x80000001u, 0x3f800000u, 0x7f7fffffu, 0x7f800000u};
    return test_float(edges[test_below(rng, (int)(sizeof edges / sizeof edges[0]))]);
}

static inline float scene_bits(test_rng *rng) {
    uint32_t bits = (uint32_t)test_random(rng);
    if ((bits & 0x7fffffffu) > 0x7f800000u) bits &= 0xff7fffffu; /* a NaN becomes a number */
    return test_float(bits);
}

/* A new box on all three axes. */
static inline void scene_box(test_rng *rng, scene kind, sap_aabb *box) {
    int axis, stretch = test_below(rng, 3), wide = test_chance(rng, 8), beam = test_chance(rng, 1);
    if (kind == SCENE_MIXED) kind = (scene)test_below(rng, SCENE_MIXED);
    for (axis = 0; axis < 3; axis++) {
        switch (kind) {
        case SCENE_LATTICE: scene_span(box, axis, (float)test_below(rng, 7), (float)test_below(rng, 3)); break;
        case SCENE_TOUCHING: scene_span(box, axis, (float)test_below(rng, 5), 1.0f); break;
        case SCENE_POINTS:
            scene_span(box, axis, (float)test_below(rng, 3), wide ? (float)test_below(rng, 3) : 0.0f);
            break;
        case SCENE_CLUSTERED:
            if (axis == 0)
                scene_span(box, axis, test_uniform(rng, 0, 0.5f), 1.0f);
            else
                scene_span(box, axis, test_uniform(rng, -20, 20), test_uniform(rng, 0, 8));
            break;
        case SCENE_PILE: scene_interval(box, axis, test_uniform(rng, -2, 0), test_uniform(rng, 0, 2)); break;
        case SCENE_HUGE:
            if (!wide)
                scene_span(box, axis, test_uniform(rng, -10, 10), 0.5f);
            else if (test_chance(rng, 40))
                scene_interval(box, axis, test_float(0xff800000u), TEST_INFINITY);
            else if (test_chance(rng, 50))
                scene_interval(box, axis, test_uniform(rng, -10, 10),
                               test_chance(rng, 50) ? TEST_INFINITY : test_float(0xff800000u));
            else
                scene_interval(box, axis, test_uniform(rng, -1e30f, 0), test_uniform(rng, 0, 1e30f));
            break;
        case SCENE_FAR: {
            static const float places[] = {1e6f, -1e6f, 1e12f, -3e18f, 1e30f, -1e30f};
            uint32_t bits = test_bits(places[stretch + 3 * wide]) + (uint32_t)test_below(rng, 40);
            scene_interval(box, axis, test_float(bits), test_float(bits + (uint32_t)test_below(rng, 12)));
            break;
        }
        case SCENE_ZEROS:
            box->min[axis] = test_chance(rng, 50) ? 0.0f : TEST_MINUS_0;
            box->max[axis] = test_chance(rng, 50) ? 0.0f : TEST_MINUS_0;
            break;
        case SCENE_STRETCHED:
            if (axis == stretch)
                scene_span(box, axis, test_uniform(rng, -10, 10), test_uniform(rng, 50, 500));
            else
                scene_span(box, axis, test_uniform(rng, -10, 10), 0.2f);
            break;
        case SCENE_FLAT:
            if (axis == 1)
                scene_span(box, axis, 0, test_uniform(rng, 0.5f, 2));
            else
                scene_span(box, axis, test_uniform(rng, -12, 12), test_uniform(rng, 0.5f, 2));
            break;
        case SCENE_DENORMALS:
            scene_interval(box, axis, test_float((uint32_t)test_below(rng, 12) | (uint32_t)test_below(rng, 2) << 31),
                           test_float((uint32_t)test_below(rng, 12) | (uint32_t)test_below(rng, 2) << 31));
            break;
        case SCENE_EDGES: scene_interval(box, axis, scene_edge(rng), scene_edge(rng)); break;
        case SCENE_BITS: scene_interval(box, axis, scene_bits(rng), scene_bits(rng)); break;
        case SCENE_SPARSE:
            if (beam && axis != stretch)
                scene_interval(box, axis, test_chance(rng, 40) ? test_float(0xff800000u) : test_uniform(rng, -100, 50),
                               test_chance(rng, 40) ? TEST_INFINITY : test_uniform(rng, 50, 100));
            else
                scene_span(box, axis, test_uniform(rng, -100, 100), test_uniform(rng, 0.5f, 4));
            break;
        case SCENE_UNIFORM:
        case SCENE_MIXED:
        case SCENE_COUNT: scene_span(box, axis, test_uniform(rng, -5, 5), test_uniform(rng, 0.1f, 3)); break;
        }
    }
}

/* The same box a little further, by up to `reach` of its size. Scenes that live from exact coincidences
   move by whole steps. */
static inline void scene_nudge(test_rng *rng, scene kind, float reach, sap_aabb *box) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        float size = box->max[axis] - box->min[axis], step;
        if (test_chance(rng, 20)) continue; /* often only some axes change */
        switch (kind) {
        case SCENE_LATTICE:
        case SCENE_TOUCHING:
        case SCENE_POINTS: step = (float)(test_below(rng, 3) - 1); break;
        default:
            if (!test_is_finite(size)) continue;
            step = size * test_uniform(rng, -reach, reach);
        }
        scene_interval(box, axis, box->min[axis] + step, box->max[axis] + step);
    }
}

/* What stands on an axis that a world does not use must not matter: fill it with the worst. */
static inline void scene_spoil_unused(test_rng *rng, int axes, sap_aabb *box) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (axes >> axis & 1) continue;
        switch (test_below(rng, 4)) {
        case 0: test_set_bits(&box->min[axis], 0x7fc00000u); break; /* NaN */
        case 1: test_set_bits(&box->max[axis], 0xff800001u); break; /* signalling NaN */
        case 2:
            box->min[axis] = 7;
            box->max[axis] = -7;
            break; /* inverted */
        default: box->min[axis] = TEST_INFINITY; box->max[axis] = test_float(0xff800000u);
        }
    }
}

/* Makes a good box bad on a used axis: a NaN in one of its bounds, or min > max. */
static inline void scene_damage(test_rng *rng, int axes, sap_aabb *box) {
    static const uint32_t nans[] = {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xff800001u, 0x7fffffffu};
    int axis;
    do axis = test_below(rng, 3);
    while (!(axes >> axis & 1));
    switch (test_below(rng, 3)) {
    case 0: test_set_bits(&box->min[axis], nans[test_below(rng, 5)]); break;
    case 1: test_set_bits(&box->max[axis], nans[test_below(rng, 5)]); break;
    default:
        box->min[axis] = 1;
        box->max[axis] = test_float(0x3f7fffffu);
        break; /* one step below 1 */
    }
}

#endif
