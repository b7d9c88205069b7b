/* test_calls.c - the calls that came with version 0.2, by hand: sap_next, sap_clear, sap_set_object, sap_get_filter,
   sap_set_filter_many, sap_set_static, sap_is_static, sap_set_pair_filter, sap_nearest_to, sap_query_nearest,
   sap_hit_normal, sap_set_pair_data_at, sap_aabb_from_doubles, SAP_SLOT. Random lives have them in test_lives.c and
   test_laws.c.

   usage: test_calls [rounds]   default 60 */

#include <float.h>
#include <math.h>

#include "scenes.h"
#include "ways.h"

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
enum { EXACT = 0 };
#else
enum { EXACT = 1 };
#endif

/* ---- by hand --------------------------------------------------------------------------------------------------- */

static const sap_aabb unit = {{0, 0, 0}, {1, 1, 1}}, beside = {{3, 0, 0}, {4, 1, 1}};

#define NEAREST_FAILS(call)                                                                                            \
    do {                                                                                                               \
        distance = 5;                                                                                                  \
        CHECK((call) == 0 && test_key(distance) == test_key(-1));                                                      \
    } while (0)

static void refusals(void) {
    sap_world *s = sap_create(NULL);
    sap_world *none = NULL;
    const float point[3] = {0, 0, 0}, nan[3] = {0, TEST_NAN, 0}, far[3] = {0, 0, TEST_INFINITY};
    sap_id id = sap_add(s, &unit, NULL), other = sap_add(s, &beside, NULL), gone = sap_add(s, &unit, NULL);
    sap_id ids[3];
    uint32_t category = 0, mask = 0;
    float distance;
    CHECK(id == 1 && other == 2 && gone == 3 && sap_remove(s, gone) == SAP_OK);
    ids[0] = id, ids[1] = gone, ids[2] = other;
    CHECK_EQUAL(sap_clear(none), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_object(none, id, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_static(none, id, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_filter_many(none, 1, &id, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_filter_many(s, -1, &id, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_filter_many(s, 1, NULL, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_filter_many(s, 0, NULL, 1, 1), SAP_OK);
    CHECK_EQUAL(sap_set_filter_many(s, 3, ids, 4, 5), SAP_ERROR_ID);
    CHECK_EQUAL(sap_get_filter(s, id, &category, &mask), SAP_OK);
    CHECK(category == 1 && mask == 0xffffffffu);
    CHECK_EQUAL(sap_get_filter(none, id, &category, &mask), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_get_filter(s, gone, &category, &mask), SAP_ERROR_ID);
    CHECK_EQUAL(sap_get_filter(s, id, NULL, NULL), SAP_OK);
    CHECK_EQUAL(sap_set_pair_filter(none, NULL, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_pair_data_at(none, 0, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_pair_data_at(s, 0, NULL), SAP_ERROR_ARGUMENT);
    CHECK(sap_is_static(none, id) == 0 && sap_is_static(s, 0) == 0 && sap_is_static(s, gone) == 0);
    CHECK(sap_next(none, 0) == 0 && sap_next(s, 0) == id && sap_next(s, id) == other);
    CHECK(sap_next(s, other) == 0 && sap_next(s, gone) == 0 && sap_next(s, 0xffffffu) == 0);
    CHECK_EQUAL(sap_set_object(s, gone, NULL), SAP_ERROR_ID);
    CHECK_EQUAL(sap_set_static(s, gone, 1), SAP_ERROR_ID);
    CHECK_EQUAL(sap_set_static(s, 0, 1), SAP_ERROR_ID);
    CHECK_EQUAL(sap_refilter(s, id), SAP_OK);
    NEAREST_FAILS(sap_nearest_to(none, id, 1, ~0u, &distance));
    NEAREST_FAILS(sap_nearest_to(s, 0, 1, ~0u, &distance));
    NEAREST_FAILS(sap_nearest_to(s, gone, 1, ~0u, &distance));
    NEAREST_FAILS(sap_nearest_to(s, id, -1, ~0u, &distance));
    NEAREST_FAILS(sap_nearest_to(s, id, TEST_NAN, ~0u, &distance));
    CHECK(sap_nearest_to(s, gone, 1, ~0u, NULL) == 0);
    CHECK(sap_nearest_to(s, id, 2, ~0u, &distance) == other && test_key(distance) == test_key(2));
    CHECK(sap_nearest_to(s, other, 1.5f, ~0u, &distance) == 0 && test_key(distance) == test_key(1.5f));
    CHECK(sap_nearest_to(s, id, TEST_INFINITY, 2, &distance) == 0 && !test_is_finite(distance));
    CHECK_EQUAL(sap_query_nearest(none, point, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_nearest(s, NULL, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_nearest(s, nan, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_nearest(s, far, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_nearest(s, point, -1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_nearest(s, point, TEST_NAN, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_nearest(s, point, 3, ~0u, NULL, NULL), 2); /* closed */
    CHECK_EQUAL(sap_query_nearest(s, point, 2.5f, ~0u, NULL, NULL), 1);
    CHECK_EQUAL(sap_last_error(s), SAP_OK); /* queries and looks leave it */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_clear(s), SAP_OK);
    CHECK(sap_count(s) == 0 && sap_next(s, 0) == 0 && !sap_is_valid(s, id));
    CHECK_EQUAL(sap_clear(s), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

static int compare_ids(const void *a, const void *b) {
    sap_id x = *(const sap_id *)a, y = *(const sap_id *)b;
    return x < y ? -1 : x > y;
}

/* A removed box's id is refused until 65,536 more have gone, and slots stay below the most boxes and 257. */
static void ids_rest(void) {
    enum { ROUNDS = 66000, WINDOW = 65536 };
    static sap_id ring[WINDOW];
    sap_world *s = sap_create(NULL);
    uint32_t largest = 0;
    sap_id stays = sap_add(s, &unit, NULL);
    test_rng rng = {9};
    int i, repeats = 0;
    CHECK_EQUAL(stays, 1);
    for (i = 0; i < ROUNDS; i++) {
        sap_id id = sap_add(s, &beside, NULL);
        if (SAP_SLOT(id) > largest) largest = SAP_SLOT(id);
        if (id == 0 || sap_remove(s, id) != SAP_OK || sap_is_valid(s, id) || sap_update(s) != SAP_OK) repeats++;
        ring[i % WINDOW] = id;
        if (i % 7 == 0 && sap_is_valid(s, ring[test_below(&rng, i < WINDOW ? i + 1 : WINDOW)])) repeats++;
    }
    CHECK_EQUAL(repeats, 0);
    CHECK_MESSAGE(largest <= 2 + 257, "slot %u, for two boxes", (unsigned)largest);
    qsort(ring, WINDOW, sizeof *ring, compare_ids);
    for (i = 1; i < WINDOW; i++) repeats += ring[i] == ring[i - 1];
    CHECK_EQUAL(repeats, 0);
    sap_destroy(s);
}

/* ---- pure functions -------------------------------------------------------------------------------------------- */

/* Exact where denormals are flushed, too. */
static double wide(float f) {
    const int32_t key = test_key(f);
    return key > -0x800000 && key < 0x800000 ? (double)key * 1.40129846432481707e-45 : (double)f;
}

/* The normal by times of entry; *sure: rounding does not decide. */
static int brute_normal(const sap_aabb *moving, const float d[3], const sap_aabb *hit, float normal[3], int *sure) {
    double first = 0, last = 1, best = -1;
    int k, axis = -1, inside = 1;
    *sure = 1;
    normal[0] = normal[1] = normal[2] = 0;
    for (k = 0; k < 3; k++) {
        double in, out;
        int apart =
            test_key(moving->max[k]) < test_key(hit->min[k]) || test_key(moving->min[k]) > test_key(hit->max[k]);
        inside &= !apart;
        if (test_key(d[k]) == 0) {
            if (apart) return 0;
            continue;
        }
        in = (d[k] > 0 ? wide(hit->min[k]) - wide(moving->max[k]) : wide(hit->max[k]) - wide(moving->min[k])) /
             wide(d[k]);
        out = (d[k] > 0 ? wide(hit->max[k]) - wide(moving->min[k]) : wide(hit->min[k]) - wide(moving->max[k])) /
              wide(d[k]);
        if (best >= 0 && in > best * (1 - 1e-6) && in < best * (1 + 1e-6) && in != best) *sure = 0;
        if (apart && in > best) best = in, axis = k;
        if (in > first) first = in;
        if (out < last) last = out;
    }
    if (inside) return 0;
    if (first - last < 1e-6 * last && last - first < 1e-6 * last && first != last) *sure = 0;
    if (first > last || axis < 0) return 0;
    normal[axis] = d[axis] > 0 ? -1.0f : 1.0f;
    return 1;
}

static float count_one(sap_id id, void *object, float t, void *user) {
    (void)id, (void)object;
    *(float *)user = t;
    return 1;
}

static void normals(int rounds) {
    static const float steps[] = {0, 0.25f, 0.5f, 1, 2, 3, 4, 8, -0.25f, -0.5f, -1, -2, -3, -4, -8};
    test_rng rng = {3};
    int met = 0, missed = 0, k, i;
    sap_world *s = sap_create(NULL);
    sap_id id = sap_add(s, &unit, NULL);
    for (i = 0; i < rounds; i++) {
        sap_aabb moving, hit;
        float d[3], seen[3] = {7, 7, 7}, expected[3], t = 9;
        int yes, got, sure, whole = test_chance(&rng, 60);
        scene_box(&rng, whole ? SCENE_LATTICE : SCENE_UNIFORM, &moving);
        scene_box(&rng, whole ? SCENE_LATTICE : SCENE_UNIFORM, &hit);
        for (k = 0; k < 3; k++) {
            if (i % 3 == 0) moving.max[k] = moving.min[k]; /* a ray */
            d[k] = whole ? steps[test_below(&rng, 15)] : test_uniform(&rng, -8, 8);
            if (i % 50 == 0) hit.max[k] = TEST_INFINITY;
        }
        yes = brute_normal(&moving, d, &hit, expected, &sure);
        got = sap_hit_normal(&moving, d, &hit, seen);
        if (!sure || (!EXACT && !whole)) continue;
        if (!CHECK_MESSAGE(got == yes && memcmp(seen, expected, sizeof seen) == 0,
                           "normal of round %d: %d, %g %g %g; expected %d, %g %g %g", i, got, (double)seen[0],
                           (double)seen[1], (double)seen[2], yes, (double)expected[0], (double)expected[1],
                           (double)expected[2]))
            break;
        yes ? met++ : missed++;
        CHECK_EQUAL(sap_move(s, id, &hit), SAP_OK); /* and the cast says the same */
        got = sap_box_cast(s, &moving, d, ~0u, count_one, &t);
        if (yes) CHECK(got == 1 && t >= 0);
        if (!yes) CHECK(got == 0 || test_key(t) == 0);
    }
    CHECK(met > 0 && missed > 0);
    sap_destroy(s);
}

static void normals_by_hand(void) {
    static const struct {
        float from[3], by[3];
        int is_hit;
        float normal[3];
    } rays[] = {
        {{-1, 0.5f, 0.5f}, {4, 0, 0}, 1, {-1, 0, 0}},  {{2, 0.5f, 0.5f}, {-4, 0, 0}, 1, {1, 0, 0}},
        {{0.5f, 3, 0.5f}, {0, -2, 0}, 1, {0, 1, 0}},   {{0.5f, 3.5f, 0.5f}, {0, -2, 0}, 0, {0, 0, 0}},
        {{0.5f, 0.5f, -1}, {0, 0, 1}, 1, {0, 0, -1}},  {{0.5f, 0.5f, 0.5f}, {1, 0, 0}, 0, {0, 0, 0}},
        {{-1, -1, 0.5f}, {2, 2, 0}, 1, {-1, 0, 0}},    {{0.5f, -1, -1}, {0, 1, 1}, 1, {0, -1, 0}},
        {{0, 0.5f, 0.5f}, {-1, 0, 0}, 0, {0, 0, 0}},   {{-1, 0.5f, 0.5f}, {0, 0, 0}, 0, {0, 0, 0}},
        {{-1, -2, 0.5f}, {1.5f, 4, 0}, 1, {-1, 0, 0}}, {{5, 5, 5}, {1, 1, 1}, 0, {0, 0, 0}},
    };
    sap_aabb moving, bad = {{0, 0, 0}, {1, -1, 1}};
    float seen[3], by[3] = {4, 0, 0}, nan[3] = {0, 0, 0};
    int i;
    nan[1] = TEST_NAN;
    for (i = 0; i < (int)(sizeof rays / sizeof rays[0]); i++) {
        memcpy(moving.min, rays[i].from, sizeof moving.min);
        memcpy(moving.max, rays[i].from, sizeof moving.max);
        CHECK_EQUAL(sap_hit_normal(&moving, rays[i].by, &unit, seen), rays[i].is_hit);
        CHECK_MESSAGE(memcmp(seen, rays[i].normal, sizeof seen) == 0, "ray %d: %g %g %g", i, (double)seen[0],
                      (double)seen[1], (double)seen[2]);
    }
    memcpy(moving.min, rays[0].from, sizeof moving.min);
    memcpy(moving.max, rays[0].from, sizeof moving.max);
#define NO_NORMAL(moving, by, hit)                                                                                     \
    do {                                                                                                               \
        seen[0] = seen[1] = seen[2] = 5;                                                                               \
        CHECK_EQUAL(sap_hit_normal(moving, by, hit, seen), 0);                                                         \
        CHECK(test_key(seen[0]) == 0 && test_key(seen[1]) == 0 && test_key(seen[2]) == 0);                             \
    } while (0)
    NO_NORMAL(NULL, by, &unit);
    NO_NORMAL(&moving, NULL, &unit);
    NO_NORMAL(&moving, by, NULL);
    NO_NORMAL(&moving, nan, &unit);
    NO_NORMAL(&moving, by, &bad);
    NO_NORMAL(&bad, by, &unit);
    bad.max[1] = TEST_NAN;
    NO_NORMAL(&moving, by, &bad);
    by[0] = TEST_INFINITY;
    NO_NORMAL(&moving, by, &unit);
    by[0] = 4;
    bad = moving;
    bad.min[0] = -TEST_INFINITY;
    NO_NORMAL(&bad, by, &unit);
    CHECK_EQUAL(sap_hit_normal(&moving, by, &unit, NULL), 0);
}

/* The float beside f: up 1, down -1. */
static float beside_float(float f, int step) {
    int32_t key = test_key(f) + step;
    return test_float(key < 0 ? 0x80000000u | (uint32_t)-key : (uint32_t)key);
}

/* By keys where the float is a denormal, for those may be flushed. */
static int is_less_or_equal(double a, float b) {
    return test_is_finite(b) ? a <= wide(b) : test_bits(b) >> 31 == 0;
}
static int is_more_or_equal(double a, float b) {
    return test_is_finite(b) ? a >= wide(b) : test_bits(b) >> 31 == 1;
}

static void from_doubles(int rounds) {
    const double most[3] = {(double)TEST_FLOAT_MAX, 0, 0}, least[3] = {-(double)TEST_FLOAT_MAX, 0, 0};
    test_rng rng = {7};
    double min[3] = {0, 0, 0}, max[3] = {0, 0, 0};
    sap_aabb b;
    int i, k;
    for (i = 0; i < rounds; i++) {
        for (k = 0; k < 3; k++) {
            float f = scene_bits(&rng);
            if (!test_is_finite(f)) f = 1;
            min[k] = wide(f);
            switch (test_below(&rng, 5)) {
            case 0: break; /* a float: stays as it is */
            case 1: min[k] *= 1 + 1e-9 * test_below(&rng, 100); break;
            case 2: min[k] = (double)test_uniform(&rng, -1000, 1000) / 3; break;
            case 3: min[k] *= 1e20; break;
            default: min[k] *= 1e-20; break;
            }
            max[k] = min[k] + (test_chance(&rng, 50) ? 0 : (double)test_uniform(&rng, 0, 10) / 7);
        }
        b = sap_aabb_from_doubles(min, max);
        for (k = 0; k < 3; k++) {
            if (!EXACT && (test_key(b.min[k]) < 0x800000 && test_key(b.min[k]) > -0x800000)) continue;
            if (!CHECK_MESSAGE(is_more_or_equal(min[k], b.min[k]) && is_less_or_equal(max[k], b.max[k]) &&
                                   !test_is_nan(b.min[k]) && !test_is_nan(b.max[k]),
                               "%.17g .. %.17g is not within %.9g .. %.9g", min[k], max[k], (double)b.min[k],
                               (double)b.max[k]))
                return;
            if (!CHECK_MESSAGE(
                    (test_key(b.min[k]) == 0x7f800000 || !is_more_or_equal(min[k], beside_float(b.min[k], 1))) &&
                        (test_key(b.max[k]) == -0x7f800000 || !is_less_or_equal(max[k], beside_float(b.max[k], -1))),
                    "%.17g .. %.17g is rounded too far: %.9g .. %.9g", min[k], max[k], (double)b.min[k],
                    (double)b.max[k]))
                return;
        }
    }
    for (k = 0; k < 3; k++) min[k] = max[k] = 0;
    min[0] = (double)TEST_FLOAT_MAX * 2, max[0] = min[0] * 2;
    max[1] = -(double)TEST_FLOAT_MAX * 2, min[1] = max[1] * 2;
    min[2] = -(double)TEST_INFINITY, max[2] = (double)TEST_INFINITY;
    b = sap_aabb_from_doubles(min, max);
    CHECK(test_bits(b.min[0]) == 0x7f7fffffu && test_bits(b.max[0]) == 0x7f800000u);
    CHECK(test_bits(b.min[1]) == 0xff800000u && test_bits(b.max[1]) == 0xff7fffffu);
    CHECK(test_bits(b.min[2]) == 0xff800000u && test_bits(b.max[2]) == 0x7f800000u);
    CHECK(test_bits(sap_aabb_from_doubles(most, most).max[0]) == 0x7f7fffffu);
    CHECK(test_bits(sap_aabb_from_doubles(least, least).min[0]) == 0xff7fffffu);
    b = sap_aabb_from_doubles(max, min); /* infinite mins, and maxs */
    CHECK(test_bits(b.min[2]) == 0x7f800000u && test_bits(b.max[2]) == 0xff800000u);
    for (k = 0; k < 3; k++) {
        const uint64_t nan = k == 1 ? 0xfff0000000000001u : k ? 0x7ff0000020000000u : 0x7ff8000000000000u;
        min[0] = max[0] = 1;
        memcpy(&min[1], &nan, sizeof nan);
        memcpy(&max[2], &nan, sizeof nan);
        b = sap_aabb_from_doubles(min, max);
        CHECK(test_is_nan(b.min[1]) && test_is_nan(b.max[2]) && test_key(b.min[0]) == test_key(1));
    }
    for (k = 0; k < 2; k++) { /* so small that a machine may take it for 0 */
        const uint64_t tiny = (uint64_t)k << 63 | 1;
        memcpy(&min[0], &tiny, sizeof tiny);
        memcpy(&max[0], &tiny, sizeof tiny);
        b = sap_aabb_from_doubles(min, max);
        CHECK(test_bits(b.min[0]) == (k ? 0x80000001u : 0) && test_bits(b.max[0]) == (k ? 0 : 1u));
    }
}

static void texts_and_version(void) {
    const char *version = SAP_VERSION;
    int number[3] = {0, 0, 0}, i, k;
    (void)sscanf(version, "%d.%d.%d", &number[0], &number[1], &number[2]);
    CHECK_EQUAL(SAP_VERSION_NUMBER, number[0] * 10000 + number[1] * 100 + number[2]);
#if SAP_VERSION_NUMBER < 200
    CHECK(!"this is version 0.2 or later");
#endif
    CHECK_EQUAL(sap_version(), SAP_VERSION_NUMBER);
    for (i = -300; i <= 300; i++) {
        const char *text = sap_result_text((sap_result)i);
        CHECK_MESSAGE(text && strlen(text) > 1, "no text for %d", i);
    }
    for (i = 1; i <= SAP_ERROR_SNAPSHOT; i++) { /* as counts give them: negative */
        CHECK(strcmp(sap_result_text((sap_result)i), sap_result_text((sap_result)-i)) == 0);
        for (k = 0; k < i; k++) CHECK(strcmp(sap_result_text((sap_result)i), sap_result_text((sap_result)k)) != 0);
        CHECK(strcmp(sap_result_text((sap_result)i), sap_result_text((sap_result)99)) != 0);
    }
    CHECK(SAP_SLOT(0x01000005u) == 5 && SAP_SLOT(0xffffffffu) == 0xffffffu);
}

int main(int argc, char **argv) {
    const int seeds = test_argument(argc, argv, 1, 60);
    texts_and_version();
    refusals();
    ids_rest();
    normals_by_hand();
    normals(seeds * 500);
    from_doubles(seeds * 500);
    return test_summary();
}
