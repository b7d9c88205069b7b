/* exact.h - which box is nearer, and which is met first, with no rounding at all: what queries are held against.

   A distance is the sum of squares of differences of floats, a moment of a cast the quotient of one such difference and
   a float. Both are kept as the floats that they come from, and compared in whole numbers of 640 bits: the same under
   -ffast-math, on an x87, and where denormals are flushed. Doubles only spare what is far from equal. */

#ifndef EXACT_H
#define EXACT_H

#include "sap.h"
#include "test.h"

/* ---- whole numbers: digits of 16 bits, the lowest first, each with the sign of the number or 0 ------------------- */

enum { EXACT_DIGITS = 40 };
typedef struct exact {
    int64_t digit[EXACT_DIGITS];
} exact;

/* Of 2^-149, the smallest float. An infinity is 2^128. */
static inline exact exact_of(float f) {
    const int32_t key = test_key(f), size = key < 0 ? -key : key, exponent = size >> 23;
    const int64_t digits = exponent ? (size & 0x7fffff) | 0x800000 : size, sign = key < 0 ? -1 : 1;
    const int shift = exponent ? exponent - 1 : 0;
    exact e = {{0}};
    int i;
    for (i = 0; i < 3; i++) e.digit[shift / 16 + i] = sign * ((digits << shift % 16) >> (16 * i) & 0xffff);
    return e;
}

static inline exact exact_difference(const exact *a, const exact *b) {
    exact e;
    int i;
    for (i = 0; i < EXACT_DIGITS; i++) e.digit[i] = a->digit[i] - b->digit[i];
    return e;
}

static inline exact exact_sum(const exact *a, const exact *b) {
    exact e;
    int i;
    for (i = 0; i < EXACT_DIGITS; i++) e.digit[i] = a->digit[i] + b->digit[i];
    return e;
}

static inline exact exact_product(const exact *a, const exact *b) {
    exact e = {{0}};
    int i, k;
    for (i = 0; i < EXACT_DIGITS; i++)
        for (k = 0; a->digit[i] && k < EXACT_DIGITS - i; k++) e.digit[i + k] += a->digit[i] * b->digit[k];
    return e;
}

static inline int exact_sign(const exact *a) {
    int64_t carry = 0, rest = 0;
    int i;
    for (i = 0; i < EXACT_DIGITS; i++) {
        const int64_t here = a->digit[i] + carry, low = (here % 65536 + 65536) % 65536;
        carry = (here - low) / 65536;
        rest |= low;
    }
    return carry < 0 ? -1 : carry > 0 || rest;
}

/* ---- floats as doubles, exactly, where denormals are flushed, too -------------------------------------------------- */

static inline double wide(float f) {
    const int32_t key = test_key(f);
    if (key > -0x800000 && key < 0x800000) return (double)key * 1.40129846432481707e-45;
    if (key >= 0x7f800000 || key <= -0x7f800000) return key > 0 ? 1e250 : -1e250; /* no arithmetic makes these NaN */
    return (double)f;
}

#define EXACT_ENDLESS 1e200 /* what is beyond comes from an infinity */

/* Below 0, above, or too close for doubles to tell: 0. */
static inline int compare_about(double a, double b) {
    const double more = ((a < 0 ? -a : a) + (b < 0 ? -b : b)) * 1e-13;
    return a < b - more ? -1 : a > b + more ? 1 : 0;
}

/* ---- distances ------------------------------------------------------------------------------------------------------- */

typedef struct distance {
    float from[3], to[3]; /* the gap on each axis, from < to, or none */
    double about;         /* its square */
} distance;

/* Between two boxes, or a box and a point. */
static inline distance distance_between(int axes, const sap_aabb *a, const sap_aabb *b) {
    distance d;
    int k;
    memset(&d, 0, sizeof d);
    for (k = 0; k < 3; k++) {
        double gap;
        if (!(axes >> k & 1)) continue;
        if (test_key(a->max[k]) < test_key(b->min[k])) d.from[k] = a->max[k], d.to[k] = b->min[k];
        if (test_key(b->max[k]) < test_key(a->min[k])) d.from[k] = b->max[k], d.to[k] = a->min[k];
        gap = wide(d.to[k]) - wide(d.from[k]);
        d.about = gap > EXACT_ENDLESS || d.about > EXACT_ENDLESS ? 1e250 : d.about + gap * gap;
    }
    return d;
}

static inline distance distance_of(float f) {
    distance d;
    memset(&d, 0, sizeof d);
    d.to[0] = f;
    d.about = wide(f) > EXACT_ENDLESS ? 1e250 : wide(f) * wide(f);
    return d;
}

static inline exact exact_square_of(const distance *d) {
    exact sum = {{0}};
    int k;
    for (k = 0; k < 3; k++) {
        const exact to = exact_of(d->to[k]), from = exact_of(d->from[k]), gap = exact_difference(&to, &from);
        const exact square = exact_product(&gap, &gap);
        sum = exact_sum(&sum, &square);
    }
    return sum;
}

/* -1, 0 or 1. All endless ones are equal. */
static inline int compare_distances(const distance *a, const distance *b) {
    const int about = compare_about(a->about, b->about);
    if (about || a->about > EXACT_ENDLESS) return about;
    {
        const exact x = exact_square_of(a), y = exact_square_of(b), difference = exact_difference(&x, &y);
        return exact_sign(&difference);
    }
}

/* The smallest float whose square is not below: by bisection, as the definition says. */
static inline float told_distance(const distance *d) {
    uint32_t low = 0, high = 0x7f800000u;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const distance here = distance_of(test_float(middle));
        if (compare_distances(&here, d) >= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return test_float(high);
}

/* ---- moments of casts ---------------------------------------------------------------------------------------------- */

typedef struct moment { /* (to - from) / by */
    float to, from, by;
    double about;
} moment;

static inline moment moment_of(float to, float from, float by) {
    moment m;
    m.to = to;
    m.from = from;
    m.by = by;
    m.about = (wide(to) - wide(from)) / wide(by);
    return m;
}

static inline int compare_moments(const moment *a, const moment *b) {
    const int about = compare_about(a->about, b->about);
    if (about || a->about > EXACT_ENDLESS || a->about < -EXACT_ENDLESS) return about;
    {
        const exact at = exact_of(a->to), af = exact_of(a->from), ab = exact_of(a->by), ad = exact_difference(&at, &af);
        const exact bt = exact_of(b->to), bf = exact_of(b->from), bb = exact_of(b->by), bd = exact_difference(&bt, &bf);
        const exact x = exact_product(&ad, &bb), y = exact_product(&bd, &ab), difference = exact_difference(&x, &y);
        return exact_sign(&difference) * ((test_key(a->by) < 0) == (test_key(b->by) < 0) ? 1 : -1);
    }
}

/* Does a box that goes along meet b, and when? *axis: of the side that it meets, -1 if they touch at the start. */
static inline int cast_meets(int axes, const sap_aabb *b, const sap_aabb *moving, const float along[3], moment *when,
                             int *axis) {
    moment leave = moment_of(1, 0, 1);
    int k;
    *when = moment_of(0, 0, 1);
    *axis = -1;
    for (k = 0; k < 3; k++) {
        const int forward = test_key(along[k]) > 0;
        moment in, out;
        if (!(axes >> k & 1)) continue;
        if (test_key(along[k]) == 0) {
            if (test_key(moving->max[k]) < test_key(b->min[k]) || test_key(moving->min[k]) > test_key(b->max[k]))
                return 0;
            continue;
        }
        in = forward ? moment_of(b->min[k], moving->max[k], along[k]) : moment_of(b->max[k], moving->min[k], along[k]);
        out = forward ? moment_of(b->max[k], moving->min[k], along[k]) : moment_of(b->min[k], moving->max[k], along[k]);
        if (compare_moments(&in, when) > 0) *when = in, *axis = k;
        if (compare_moments(&out, &leave) < 0) leave = out;
    }
    return compare_moments(when, &leave) <= 0;
}

/* The same for a mover that can leave what it touches or overlaps at the start: that it meets at 0, if its way goes
   deeper along the axis of least depth, or not at all. *side: where the side that it meets looks, on *axis. */
static inline int mover_meets(int axes, const sap_aabb *b, const sap_aabb *moving, const float along[3], moment *when,
                              int *axis, int *side) {
    moment least = moment_of(0, 0, 1);
    int k, apart = 0, any = 0;
    for (k = 0; k < 3; k++)
        if (axes >> k & 1)
            apart |= test_key(moving->max[k]) < test_key(b->min[k]) || test_key(b->max[k]) < test_key(moving->min[k]);
    if (apart) {
        if (!cast_meets(axes, b, moving, along, when, axis)) return 0;
        *side = test_key(along[*axis]) < 0 ? 1 : -1;
        return 1;
    }
    for (k = 0; k < 3; k++) {
        const moment down = moment_of(moving->max[k], b->min[k], 1), up = moment_of(b->max[k], moving->min[k], 1);
        if (!(axes >> k & 1)) continue;
        if (!any || compare_moments(&down, &least) < 0) least = down, *axis = k, *side = -1;
        if (compare_moments(&up, &least) < 0) least = up, *axis = k, *side = 1;
        any = 1;
    }
    *when = moment_of(0, 0, 1);
    return *side < 0 ? test_key(along[*axis]) > 0 : test_key(along[*axis]) < 0;
}

#endif
