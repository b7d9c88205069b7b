/* test_query.c - every query against a brute force that asks each box by itself.

   The brute force is written from the contract: overlap by the order of floats (test_key), distances and casts in whole
   numbers (exact.h). So hits and ties are checked in every build, and only the last bits of t may differ. */

#include <float.h>

#include "exact.h"
#include "threads.h"
#include "ways.h"

/* From now on so many allocations succeed, and then none. */
static void fail_after(int n) {
    fail_from = allocations + n;
    fail_count = 1L << 30;
}

/* ---- the model ------------------------------------------------------------------------------- */

enum { MOST = 3000 };
typedef struct item {
    sap_id id;
    sap_aabb box;
    uint32_t category;
    int live;
} item;
typedef struct model {
    item items[MOST];
    int count, axes, kind, apart; /* apart: masks keep boxes apart, which stand by their categories */
    sap_world *world;
    test_rng rng;
} model;

static model shared; /* too large for a stack */

enum { UNIFORM, LATTICE, TOUCHING, POINTS, IMMENSE, FAR_OFF, FLAT, MIXED, CLUSTERS, DENORMAL, ONE_SPOT, KINDS };

static float pick(model *m, float low, float high) {
    return test_uniform(&m->rng, low, high);
}

static float near_whole(model *m, int range) {
    return (float)(test_below(&m->rng, 2 * range + 1) - range);
}

/* A coordinate, and an extent from there, of this kind of world. */
static void pick_interval(model *m, int axis, float *low, float *high) {
    float at, size;
    test_rng *rng = &m->rng;
    switch (m->kind) {
    case LATTICE: at = near_whole(m, 8), size = (float)test_below(rng, 3); break;
    case TOUCHING: at = 2 * near_whole(m, 4), size = 2; break;
    case POINTS: at = pick(m, -5, 5), size = 0; break;
    case IMMENSE:
        at = pick(m, -1, 1) * (test_chance(rng, 50) ? 1e30f : test_chance(rng, 50) ? 10.0f : 3e38f);
        size = pick(m, 0, 1) * (test_chance(rng, 50) ? 1e30f : 10.0f);
        if (test_chance(rng, 10)) size = 0;
        if (test_chance(rng, 5)) at = test_chance(rng, 50) ? TEST_FLOAT_MAX : -TEST_FLOAT_MAX, size = 0;
        break;
    case FAR_OFF: at = 1e6f + pick(m, -20, 20), size = pick(m, 0, 2); break;
    case FLAT: at = axis == 1 ? 0 : pick(m, -20, 20), size = axis == 1 ? 0 : pick(m, 0, 2); break;
    case MIXED: at = pick(m, -30, 30), size = test_chance(rng, 10) ? pick(m, 5, 60) : pick(m, 0, 0.5f); break;
    case CLUSTERS: at = near_whole(m, 3) * 1000 + pick(m, -1, 1), size = pick(m, 0, 0.5f); break;
    case DENORMAL:
        at = test_float((uint32_t)test_below(rng, 64)) * (test_chance(rng, 50) ? 1.0f : -1.0f), size = 0;
        break;
    case ONE_SPOT: at = 1, size = 1; break;
    default: at = pick(m, -20, 20), size = pick(m, 0.5f, 3); break;
    }
    *low = at;
    *high = at + size;
    if (m->kind == DENORMAL) { /* by bits: arithmetic may flush these */
        int32_t a = test_below(rng, 80) - 40, b = a + test_below(rng, 20);
        test_set_bits(low, a < 0 ? 0x80000000u | (uint32_t)-a : (uint32_t)a);
        test_set_bits(high, b < 0 ? 0x80000000u | (uint32_t)-b : (uint32_t)b);
    }
    if (test_chance(rng, 3) && test_key(*low) == 0) *low = TEST_MINUS_0;
    if (m->kind == IMMENSE || test_chance(rng, 1)) {
        if (test_chance(rng, 5)) *low = -TEST_INFINITY;
        if (test_chance(rng, 5)) *high = TEST_INFINITY;
    }
}

static sap_aabb pick_box(model *m) {
    sap_aabb box;
    int k;
    for (k = 0; k < 3; k++) {
        pick_interval(m, k, &box.min[k], &box.max[k]);
        if (!(m->axes >> k & 1)) box.min[k] = box.max[k] = test_chance(&m->rng, 50) ? TEST_NAN : TEST_INFINITY;
    }
    return box;
}

static void pick_point(model *m, float p[3]) {
    int k;
    sap_aabb box = pick_box(m);
    for (k = 0; k < 3; k++) {
        p[k] = test_chance(&m->rng, 50) ? box.min[k] : box.max[k];
        if (m->count && test_chance(&m->rng, 30)) { /* a corner of a box, or on one of its faces */
            const item *i = &m->items[test_below(&m->rng, m->count)];
            p[k] = test_chance(&m->rng, 50) ? i->box.min[k] : i->box.max[k];
        }
        if (!test_is_finite(p[k]) && (m->axes >> k & 1)) p[k] = 0;
    }
}

/* ---- brute force ------------------------------------------------------------------------------ */

static int brute_overlap(const model *m, const sap_aabb *a, const sap_aabb *b) {
    int k;
    for (k = 0; k < 3; k++)
        if ((m->axes >> k & 1) &&
            (test_key(a->min[k]) > test_key(b->max[k]) || test_key(b->min[k]) > test_key(a->max[k])))
            return 0;
    return 1;
}

/* How far b is from a point. */
static distance distance_to(const model *m, const sap_aabb *b, const float p[3]) {
    sap_aabb point;
    memcpy(point.min, p, sizeof point.min);
    memcpy(point.max, p, sizeof point.max);
    return distance_between(m->axes, b, &point);
}

/* A t that was told: the last bits are the compiler's, and the machine may flush it to 0. */
static int is_moment(float t, const moment *m) {
    const double more = m->about * 1e-7 + 1.2e-38;
    return wide(t) <= m->about + more && wide(t) >= m->about - more;
}

/* ---- what a query visits ----------------------------------------------------------------------- */

typedef struct seen {
    sap_id ids[MOST];
    float t[MOST];
    int count, stop_after;
    float clip;
} seen;

static int see(sap_id id, void *object, void *user) {
    seen *s = (seen *)user;
    if ((sap_id)(uintptr_t)object != (id & 0xffffffu) % 1000) CHECK(!"a hit has its box's object");
    if (s->count < MOST) s->ids[s->count] = id;
    s->count++;
    return s->count != s->stop_after;
}

static float see_cast(sap_id id, void *object, float t, void *user) {
    seen *s = (seen *)user;
    if ((sap_id)(uintptr_t)object != (id & 0xffffffu) % 1000) CHECK(!"a hit has its box's object");
    if (s->count < MOST) s->ids[s->count] = id, s->t[s->count] = t;
    s->count++;
    if (s->count == s->stop_after) return 0;
    return s->clip > 0 ? s->clip : 1;
}

static int find_seen(const seen *s, sap_id id) {
    int i, n = 0;
    for (i = 0; i < s->count; i++) n += s->ids[i] == id;
    return n;
}

static int wanted(const item *i, uint32_t mask) {
    return i->live && (i->category & mask);
}

/* Exactly these were seen, each once: flags[i] 0 no, 1 yes, 2 either. */
static void compare(const model *m, const seen *s, int returned, const char *flags, const char *what) {
    int i, total = 0;
    CHECK_MESSAGE(returned == s->count, "%s, kind %d: returned %d, visited %d", what, m->kind, returned, s->count);
    for (i = 0; i < m->count; i++) {
        int n = find_seen(s, m->items[i].id);
        if (!m->items[i].live) n = 0; /* another item may have this id's slot, never this id: counted below */
        total += n;
        if (flags[i] == 2 ? n > 1 : n != flags[i]) {
            CHECK_MESSAGE(0, "%s, kind %d, axes %d: id %u visited %d times, expected %d", what, m->kind, m->axes,
                          (unsigned)m->items[i].id, n, flags[i]);
            return;
        }
    }
    CHECK_MESSAGE(total == s->count, "%s: %d visited, %d of them live", what, s->count, total);
}

static seen *new_seen(void) {
    seen *s = (seen *)calloc(1, sizeof *s);
    if (!s) exit(2);
    return s;
}

static char flags[MOST];

static void check_box(model *m, uint32_t mask) {
    sap_aabb q = pick_box(m);
    seen *s = new_seen();
    int i, n, yes = 0;
    if (test_chance(&m->rng, 20)) {
        float p[3];
        pick_point(m, p);
        memcpy(q.min, p, sizeof p);
        memcpy(q.max, p, sizeof p);
        n = sap_query_point(m->world, p, mask, see, s);
    } else
        n = sap_query_box(m->world, &q, mask, see, s);
    for (i = 0; i < m->count; i++)
        yes += flags[i] = wanted(&m->items[i], mask) && brute_overlap(m, &m->items[i].box, &q);
    compare(m, s, n, flags, "query_box");
    CHECK_EQUAL(sap_query_box(m->world, &q, mask, NULL, NULL), yes);
    if (yes > 1) {
        s->count = 0;
        s->stop_after = 1 + test_below(&m->rng, yes);
        CHECK_EQUAL(sap_query_box(m->world, &q, mask, see, s), s->stop_after);
    }
    free(s);
}

static void check_sphere(model *m, uint32_t mask) {
    float p[3], radius = pick(m, 0, 8);
    seen *s = new_seen();
    int i, n;
    pick_point(m, p);
    if (test_chance(&m->rng, 10)) radius = 0;
    if (test_chance(&m->rng, 10)) radius = 3;
    if (test_chance(&m->rng, 10)) radius = 1e30f;
    if (test_chance(&m->rng, 5)) radius = TEST_INFINITY;
    n = sap_query_sphere(m->world, p, radius, mask, see, s);
    for (i = 0; i < m->count; i++) {
        const distance d = distance_to(m, &m->items[i].box, p), most = distance_of(radius);
        flags[i] = wanted(&m->items[i], mask) && compare_distances(&d, &most) <= 0;
    }
    if (test_chance(&m->rng, 50)) { /* the same by another call, which tells the distances */
        s->count = 0;
        s->clip = TEST_INFINITY;
        n = sap_query_nearest(m->world, p, radius, mask, see_cast, s);
        for (i = 0; i < m->count; i++) {
            int k, told = 0;
            const distance d = distance_to(m, &m->items[i].box, p);
            for (k = 0; flags[i] && k < s->count; k++)
                if (s->ids[k] == m->items[i].id) told = test_key(s->t[k]) == test_key(told_distance(&d));
            CHECK_EQUAL(told, flags[i]);
        }
    }
    compare(m, s, n, flags, "query_sphere");
    free(s);
}

static void check_nearest(model *m, uint32_t mask) {
    float p[3], told, most = test_chance(&m->rng, 50) ? TEST_INFINITY : pick(m, 0, 5);
    distance best;
    sap_id id = 0, got;
    int i;
    pick_point(m, p);
    if (test_chance(&m->rng, 10)) most = 0;
    best = distance_of(most);
    for (i = 0; i < m->count; i++) {
        const distance d = distance_to(m, &m->items[i].box, p);
        const int order = wanted(&m->items[i], mask) ? compare_distances(&d, &best) : 1;
        if (order < 0 || (order == 0 && (!id || m->items[i].id < id))) best = d, id = m->items[i].id;
    }
    got = sap_nearest(m->world, p, most, mask, &told);
    CHECK_MESSAGE(got == id, "nearest, kind %d: %u, expected %u", m->kind, (unsigned)got, (unsigned)id);
    if (!got)
        CHECK(test_key(told) == test_key(most));
    else { /* rounded up, so the same call with it finds the same box */
        float again;
        CHECK_MESSAGE(test_key(told) == test_key(told_distance(&best)), "kind %d: told %g, expected %g", m->kind,
                      (double)told, (double)told_distance(&best));
        CHECK_EQUAL(sap_nearest(m->world, p, told, mask, &again), got);
        CHECK(test_key(again) == test_key(told));
        CHECK(sap_query_sphere(m->world, p, told, mask, NULL, NULL) > 0);
        CHECK(sap_query_nearest(m->world, p, told, mask, NULL, NULL) > 0);
    }
}

static void pick_translation(model *m, float d[3]) {
    int k;
    float scale = test_chance(&m->rng, 20) ? 100.0f : test_chance(&m->rng, 20) ? 0.5f : 10.0f;
    if (test_chance(&m->rng, 5)) scale = test_chance(&m->rng, 50) ? 1e30f : 3e38f;
    if (test_chance(&m->rng, 3)) scale = 1e-20f;
    if (m->kind == IMMENSE && test_chance(&m->rng, 50)) scale = test_chance(&m->rng, 50) ? 1e30f : TEST_FLOAT_MAX;
    for (k = 0; k < 3; k++) {
        d[k] = test_chance(&m->rng, 50) ? pick(m, -1, 1) * scale : near_whole(m, 1) * scale;
        if (test_chance(&m->rng, 25)) d[k] = test_chance(&m->rng, 50) ? 0 : TEST_MINUS_0;
        if (!(m->axes >> k & 1)) d[k] = TEST_NAN;
    }
    if (test_chance(&m->rng, 3))
        for (k = 0; k < 3; k++) d[k] = m->axes >> k & 1 ? 0 : TEST_NAN;
}

static void check_cast(model *m, uint32_t mask) {
    sap_aabb moving;
    float d[3], clip = test_chance(&m->rng, 30) ? pick(m, 0, 1) : 0;
    seen *s = new_seen();
    int i, k, n, is_ray = test_chance(&m->rng, 60);
    pick_translation(m, d);
    pick_point(m, moving.min);
    memcpy(moving.max, moving.min, sizeof moving.min);
    if (!is_ray)
        for (k = 0; k < 3; k++) {
            float a, b;
            pick_interval(m, k, &a, &b);
            if (test_is_finite(a) && test_is_finite(b) && (m->axes >> k & 1)) moving.min[k] = a, moving.max[k] = b;
        }
    n = is_ray ? sap_ray_cast(m->world, moving.min, d, mask, see_cast, s)
               : sap_box_cast(m->world, &moving, d, mask, see_cast, s);
    for (i = 0; i < m->count; i++) {
        int axis;
        moment t;
        flags[i] = wanted(&m->items[i], mask) && cast_meets(m->axes, &m->items[i].box, &moving, d, &t, &axis);
        for (k = 0; flags[i] && k < s->count; k++)
            if (s->ids[k] == m->items[i].id && !is_moment(s->t[k], &t))
                CHECK_MESSAGE(0, "t is %g, expected %g", (double)s->t[k], t.about);
    }
    compare(m, s, n, flags, is_ray ? "ray_cast" : "box_cast");
    if (clip > 0 && m->count) { /* clipped at the first hit: no later one is beyond, and none before was missed */
        s->count = 0;
        s->clip = clip;
        n = is_ray ? sap_ray_cast(m->world, moving.min, d, mask, see_cast, s)
                   : sap_box_cast(m->world, &moving, d, mask, see_cast, s);
        CHECK_EQUAL(n, s->count);
        for (k = 1; k < s->count; k++) CHECK(s->t[k] <= clip);
        for (i = 0; i < m->count; i++) {
            int axis;
            moment t;
            const moment end = moment_of(clip, 0, 1);
            if (wanted(&m->items[i], mask) && cast_meets(m->axes, &m->items[i].box, &moving, d, &t, &axis) &&
                compare_moments(&t, &end) <= 0)
                CHECK_EQUAL(find_seen(s, m->items[i].id), 1);
        }
    }
    free(s);
}

static void check_closest(model *m, uint32_t mask) {
    sap_aabb o;
    float d[3], t;
    moment best = moment_of(1, 0, 1);
    sap_id id = 0, got;
    int i;
    pick_translation(m, d);
    pick_point(m, o.min);
    memcpy(o.max, o.min, sizeof o.min);
    for (i = 0; i < m->count; i++) {
        int axis, order;
        moment hit;
        if (!wanted(&m->items[i], mask) || !cast_meets(m->axes, &m->items[i].box, &o, d, &hit, &axis)) continue;
        order = compare_moments(&hit, &best);
        if (order < 0 || (order == 0 && (!id || m->items[i].id < id))) best = hit, id = m->items[i].id;
    }
    got = sap_ray_closest(m->world, o.min, d, mask, &t);
    CHECK_MESSAGE(got == id && is_moment(t, &best), "ray_closest, kind %d: %u at %g, expected %u at %g", m->kind,
                  (unsigned)got, (double)t, (unsigned)id, best.about);
}

/* A predicate: ids that do not divide by a number. */
static int accept_some(sap_id id, void *object, void *user) {
    const int number = *(const int *)user;
    (void)object;
    return number == 0 || id % (sap_id)number != 0;
}

/* The first box of a mover's way. */
static void check_box_closest(model *m, uint32_t mask) {
    sap_aabb box;
    float along[3], t = 7, normal[3] = {7, 7, 7};
    moment best = moment_of(1, 0, 1);
    sap_id id = 0, got, ignore = m->count && test_chance(&m->rng, 30) ? m->items[test_below(&m->rng, m->count)].id : 0;
    int i, k, best_axis = -1, best_side = 0, number = test_chance(&m->rng, 50) ? 0 : 1 + test_below(&m->rng, 3);
    if (number) ignore = 0;
    pick_translation(m, along);
    pick_point(m, box.min);
    memcpy(box.max, box.min, sizeof box.min);
    for (k = 0; k < 3; k++) {
        float a, b;
        pick_interval(m, k, &a, &b);
        if (test_chance(&m->rng, 80) && test_is_finite(a) && test_is_finite(b)) box.min[k] = a, box.max[k] = b;
        if (!(m->axes >> k & 1)) box.min[k] = TEST_NAN, box.max[k] = TEST_NAN;
    }
    if (m->count && test_chance(&m->rng, 30)) { /* at the side of another, or a little into it */
        const item *other = &m->items[test_below(&m->rng, m->count)];
        k = test_below(&m->rng, 3);
        if ((m->axes >> k & 1) && test_is_finite(other->box.min[k]) && test_is_finite(box.max[k] - box.min[k])) {
            box.max[k] = other->box.min[k] + (box.max[k] - box.min[k]);
            box.min[k] = other->box.min[k];
            if (test_key(box.min[k]) > test_key(box.max[k])) box.max[k] = box.min[k];
        }
    }
    for (i = 0; i < m->count; i++) {
        int axis = -1, side = 0, order;
        moment when;
        if (!wanted(&m->items[i], mask) || m->items[i].id == ignore || !accept_some(m->items[i].id, NULL, &number) ||
            !mover_meets(m->axes, &m->items[i].box, &box, along, &when, &axis, &side))
            continue;
        order = compare_moments(&when, &best);
        if (order > 0 || (order == 0 && id && m->items[i].id > id)) continue;
        best = when, id = m->items[i].id, best_axis = axis, best_side = side;
    }
    got = ignore ? sap_box_closest(m->world, &box, along, mask, ignore, &t, normal)
                 : sap_box_closest_if(m->world, &box, along, mask, accept_some, &number, &t, normal);
    CHECK_MESSAGE(got == id && is_moment(t, &best), "box_closest, kind %d: %u at %g, expected %u at %g", m->kind,
                  (unsigned)got, (double)t, (unsigned)id, best.about);
    for (k = 0; k < 3; k++)
        CHECK_MESSAGE(test_key(normal[k]) == test_key(k == best_axis ? (float)best_side : 0.0f),
                      "box_closest, kind %d: normal %g on axis %d, expected side %d of axis %d", m->kind,
                      (double)normal[k], k, best_side, best_axis);
    if (!number) CHECK_EQUAL(sap_box_closest(m->world, &box, along, mask, ignore, NULL, NULL), id);
    if (!number && !ignore) CHECK_EQUAL(sap_box_closest_if(m->world, &box, along, mask, NULL, NULL, NULL, NULL), id);
}

static int compare_ids(const void *a, const void *b) {
    const sap_id x = *(const sap_id *)a, y = *(const sap_id *)b;
    return x < y ? -1 : x > y;
}

/* n ids, of which the first few must have been written, in order; and nothing behind them. */
static void check_written(const sap_id *all, int n, const sap_id *ids, int capacity, const char *what) {
    int i;
    for (i = 0; i < n && i < capacity; i++)
        if (!CHECK_MESSAGE(ids[i] == all[i], "%s: %u at %d of %d, expected %u", what, (unsigned)ids[i], i, n,
                           (unsigned)all[i]))
            return;
    while (i <= capacity && ids[i] == 0xbad1d) i++;
    CHECK_MESSAGE(i == capacity + 1, "%s: writes beyond, at %d of %d", what, i, n);
}

static int some_capacity(model *m) {
    return test_chance(&m->rng, 30) ? MOST : test_below(&m->rng, test_chance(&m->rng, 50) ? 6 : 60);
}

/* Ids without a callback. */
static void check_ids(model *m, uint32_t mask) {
    static sap_id all[MOST], ids[MOST + 1];
    const sap_aabb box = pick_box(m);
    const float radius = test_chance(&m->rng, 10) ? TEST_INFINITY : pick(m, 0, 12);
    const distance most = distance_of(radius);
    float p[3];
    int i, n = 0, capacity = some_capacity(m);
    for (i = 0; i < m->count; i++)
        if (wanted(&m->items[i], mask) && brute_overlap(m, &m->items[i].box, &box)) all[n++] = m->items[i].id;
    qsort(all, (size_t)n, sizeof *all, compare_ids);
    for (i = 0; i <= MOST; i++) ids[i] = 0xbad1d;
    CHECK_EQUAL(sap_query_box_ids(m->world, &box, mask, ids, capacity), n);
    check_written(all, n, ids, capacity, "query_box_ids");
    CHECK_EQUAL(sap_query_box_ids(m->world, &box, mask, NULL, 0), n);

    pick_point(m, p);
    for (i = 0, n = 0; i < m->count; i++) {
        const distance d = distance_to(m, &m->items[i].box, p);
        if (wanted(&m->items[i], mask) && compare_distances(&d, &most) <= 0) all[n++] = m->items[i].id;
    }
    qsort(all, (size_t)n, sizeof *all, compare_ids);
    capacity = some_capacity(m);
    for (i = 0; i <= MOST; i++) ids[i] = 0xbad1d;
    CHECK_EQUAL(sap_query_sphere_ids(m->world, p, radius, mask, ids, capacity), n);
    check_written(all, n, ids, capacity, "query_sphere_ids");
    CHECK_EQUAL(sap_query_sphere_ids(m->world, p, radius, mask, NULL, 0), n);
}

typedef struct ranked {
    distance d;
    sap_id id;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = (const ranked *)a, *y = (const ranked *)b;
    const int order = compare_distances(&x->d, &y->d);
    return order ? order : compare_ids(&x->id, &y->id);
}

/* The nearest of a point, or of a box of the world. */
static void check_nearest_ids(model *m, uint32_t mask) {
    static ranked all[MOST];
    static sap_id expected[MOST], ids[MOST + 1];
    static float distances[MOST + 1];
    const float radius = test_chance(&m->rng, 50) ? TEST_INFINITY : pick(m, 0, 12);
    const distance most = distance_of(radius);
    const int capacity = some_capacity(m), tells = test_chance(&m->rng, 50);
    const item *from = m->count && test_chance(&m->rng, 50) ? &m->items[test_below(&m->rng, m->count)] : NULL;
    float p[3];
    int i, n = 0;
    pick_point(m, p);
    for (i = 0; i < m->count; i++) {
        if (&m->items[i] == from) continue;
        all[n].d = from ? distance_between(m->axes, &m->items[i].box, &from->box) : distance_to(m, &m->items[i].box, p);
        all[n].id = m->items[i].id;
        n += wanted(&m->items[i], mask) && compare_distances(&all[n].d, &most) <= 0;
    }
    qsort(all, (size_t)n, sizeof *all, compare_ranked);
    for (i = 0; i < n; i++) expected[i] = all[i].id;
    for (i = 0; i <= MOST; i++) ids[i] = 0xbad1d, distances[i] = -7;
    CHECK_EQUAL(from ? sap_nearest_to_ids(m->world, from->id, radius, mask, ids, tells ? distances : NULL, capacity)
                     : sap_nearest_ids(m->world, p, radius, mask, ids, tells ? distances : NULL, capacity),
                capacity == 0 || n < capacity ? n : capacity);
    check_written(expected, n, ids, capacity, "nearest_ids");
    for (i = 0; tells && i < n && i < capacity; i++)
        CHECK(test_key(distances[i]) == test_key(told_distance(&all[i].d)));
    CHECK(distances[i] == -7);
    CHECK_EQUAL(from ? sap_nearest_to_ids(m->world, from->id, radius, mask, NULL, NULL, 0)
                     : sap_nearest_ids(m->world, p, radius, mask, NULL, NULL, 0),
                n);
}

typedef struct ranked_moment {
    moment t;
    sap_id id;
} ranked_moment;

static int compare_ranked_moments(const void *a, const void *b) {
    const ranked_moment *x = (const ranked_moment *)a, *y = (const ranked_moment *)b;
    const int order = compare_moments(&x->t, &y->t);
    return order ? order : compare_ids(&x->id, &y->id);
}

/* The boxes on a ray, in order. */
static void check_ray_cast_ids(model *m, uint32_t mask) {
    static ranked_moment all[MOST];
    static sap_id expected[MOST], ids[MOST + 1];
    static float ts[MOST + 1];
    const int capacity = some_capacity(m), tells = test_chance(&m->rng, 50);
    sap_aabb o;
    float d[3];
    int i, n = 0;
    pick_translation(m, d);
    pick_point(m, o.min);
    memcpy(o.max, o.min, sizeof o.min);
    for (i = 0; i < m->count; i++) {
        int axis;
        all[n].id = m->items[i].id;
        n += wanted(&m->items[i], mask) && cast_meets(m->axes, &m->items[i].box, &o, d, &all[n].t, &axis);
    }
    qsort(all, (size_t)n, sizeof *all, compare_ranked_moments);
    for (i = 0; i < n; i++) expected[i] = all[i].id;
    for (i = 0; i <= MOST; i++) ids[i] = 0xbad1d, ts[i] = -7;
    CHECK_EQUAL(sap_ray_cast_ids(m->world, o.min, d, mask, ids, tells ? ts : NULL, capacity),
                capacity == 0 || n < capacity ? n : capacity);
    check_written(expected, n, ids, capacity, "ray_cast_ids");
    for (i = 0; tells && i < n && i < capacity; i++) CHECK(is_moment(ts[i], &all[i].t));
    CHECK(ts[i] == -7);
    CHECK_EQUAL(sap_ray_cast_ids(m->world, o.min, d, mask, NULL, NULL, 0), n);
}

static void check_queries(model *m, int rounds) {
    for (; rounds > 0; rounds--) {
        uint32_t mask = test_chance(&m->rng, m->apart ? 30 : 70) ? ~0u : (uint32_t)(1 + test_below(&m->rng, 6));
        check_box(m, mask);
        check_sphere(m, mask);
        check_cast(m, mask);
        check_closest(m, mask);
        check_nearest(m, mask);
        check_box_closest(m, mask);
        check_ids(m, mask);
        if (test_chance(&m->rng, 30)) check_nearest_ids(m, mask);
        if (test_chance(&m->rng, 30)) check_ray_cast_ids(m, mask);
    }
}

/* ---- what happens to a world --------------------------------------------------------------------- */

static void add_box(model *m) {
    item *i = &m->items[m->count];
    if (m->count == MOST) return;
    i->box = pick_box(m);
    i->id = (test_chance(&m->rng, 20) ? sap_add_static : sap_add)(m->world, &i->box, NULL);
    i->category = 1;
    i->live = 1;
    if (!CHECK_MESSAGE(i->id != 0, "kind %d, axes %d: %s", m->kind, m->axes,
                       sap_result_text(sap_last_error(m->world)))) {
        printf("%g %g  %g %g  %g %g\n", (double)i->box.min[0], (double)i->box.max[0], (double)i->box.min[1],
               (double)i->box.max[1], (double)i->box.min[2], (double)i->box.max[2]);
        exit(1);
    }
    CHECK_EQUAL(sap_set_object(m->world, i->id, (void *)(uintptr_t)(SAP_SLOT(i->id) % 1000)), SAP_OK);
    m->count++;
    if (test_chance(&m->rng, m->apart ? 90 : 30)) {
        i->category = 1u << test_below(&m->rng, 3);
        CHECK_EQUAL(sap_set_filter(m->world, i->id, i->category, m->apart ? 0 : ~0u), SAP_OK);
    }
}

static void remove_box(model *m, int at) {
    CHECK_EQUAL(sap_remove(m->world, m->items[at].id), SAP_OK);
    m->items[at] = m->items[--m->count];
}

static void move_box(model *m, int at) {
    int k;
    sap_aabb *b = &m->items[at].box;
    if (test_chance(&m->rng, 70) && m->kind != DENORMAL && m->kind != IMMENSE) { /* a step */
        for (k = 0; k < 3; k++) {
            float step = m->kind == LATTICE ? near_whole(m, 1) : pick(m, -0.3f, 0.3f);
            if (!(m->axes >> k & 1) || !test_is_finite(b->min[k]) || !test_is_finite(b->max[k])) continue;
            b->min[k] += step;
            b->max[k] += step;
        }
    } else
        *b = pick_box(m);
    CHECK_EQUAL(sap_move(m->world, m->items[at].id, b), SAP_OK);
}

static void check_valid(model *m) {
    const char *broken = sap_validate(m->world);
    CHECK_MESSAGE(broken == NULL, "kind %d, axes %d, %d boxes: broken: %s", m->kind, m->axes, m->count,
                  broken ? broken : "");
    if (broken) exit(1);
}

static void start(model *m, int kind, int axes, int seed) {
    sap_config config;
    memset(&config, 0, sizeof config);
    memset(m, 0, sizeof *m);
    config.axes = axes;
    m->rng.state = (uint64_t)seed * 1000003 + 17;
    m->kind = kind;
    m->axes = axes ? axes : 7;
    m->apart = seed % 3 == 0;
    m->world = sap_create(&config);
    if (!m->world) exit(2);
}

static void change(model *m, int changes) {
    for (; changes > 0; changes--) {
        int what = test_below(&m->rng, 100);
        if (what < 30 || !m->count)
            add_box(m);
        else if (what < 50)
            remove_box(m, test_below(&m->rng, m->count));
        else
            move_box(m, test_below(&m->rng, m->count));
    }
}

static void move_all(model *m) {
    int i;
    for (i = 0; i < m->count; i++) move_box(m, i);
}

static void test_worlds(int seed) {
    static const int axes[] = {0, 0, SAP_2D, SAP_AXIS_X, SAP_AXIS_X | SAP_AXIS_Z, SAP_AXIS_Z, 0};
    model *m = &shared;
    int round, kind = seed % KINDS, n;
    start(m, kind, axes[seed / KINDS % 7], seed);
    n = test_chance(&m->rng, 30) ? 1200 : test_chance(&m->rng, 50) ? 200 : 20;
    if (test_chance(&m->rng, 50)) check_queries(m, 1); /* of an empty world */
    for (round = 0; round < n; round++) add_box(m);
    for (round = 0; round < 12; round++) {
        check_queries(m, 3);
        check_valid(m);
        if (test_chance(&m->rng, 30)) move_all(m);
        change(m, 1 + test_below(&m->rng, test_chance(&m->rng, 50) ? 5 : 1 + n / 3));
        if (test_chance(&m->rng, 20)) check_valid(m);
        if (test_chance(&m->rng, 30)) CHECK_EQUAL(sap_update(m->world), SAP_OK);
        if (test_chance(&m->rng, 20)) CHECK_EQUAL(sap_prepare_queries(m->world), SAP_OK);
        if (test_chance(&m->rng, 10))
            while (m->count > n / 20) remove_box(m, test_below(&m->rng, m->count));
        if (test_chance(&m->rng, 10)) CHECK_EQUAL(sap_update(m->world), SAP_OK);
        if (test_chance(&m->rng, 10))
            while (m->count < n) add_box(m);
    }
    check_queries(m, 2);
    sap_destroy(m->world);
}

/* ---- changes from inside hits --------------------------------------------------------------------- */

typedef struct mischief {
    model *m;
    seen *s;
    int depth, added;
    char touched[MOST];
} mischief;

static void check_refusals(sap_world *w) {
    static const float zero[3] = {0, 0, 0};
    void *bytes;
    CHECK_EQUAL(sap_update(w), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_last_error(w), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_dump_pairs(w, NULL, NULL, NULL), -SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_reserve(w, 10, 10), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_shift_origin(w, zero), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_prepare_queries(w), SAP_ERROR_BUSY);
    bytes = malloc(sap_snapshot_size(w));
    if (!bytes) exit(2);
    CHECK_EQUAL(sap_save(w, bytes, sap_snapshot_size(w)), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_restore(w, bytes, 0), SAP_ERROR_BUSY);
    free(bytes);
    sap_destroy(w);
    CHECK_EQUAL(sap_last_error(w), SAP_ERROR_BUSY);
}

static int disturb(sap_id id, void *object, void *user) {
    mischief *x = (mischief *)user;
    model *m = x->m;
    int i, at = -1, n = x->s->count;
    (void)object;
    for (i = 0; i < n; i++) CHECK(x->s->ids[i] != id);
    for (i = 0; i < m->count; i++)
        if (m->items[i].id == id) at = i;
    CHECK_MESSAGE(at >= 0 && m->items[at].live, "a removed box is visited");
    CHECK_MESSAGE(at < MOST - x->added && x->touched[at] != 3, "a box added meanwhile is visited");
    if (n < MOST) x->s->ids[x->s->count++] = id;
    if (n == 0) check_refusals(m->world);
    if (n > 30) return 1;
    switch (test_below(&m->rng, 5)) {
    case 0: /* removed, in place in the model */
        i = test_below(&m->rng, m->count);
        if (m->items[i].live) {
            CHECK_EQUAL(sap_remove(m->world, m->items[i].id), SAP_OK);
            m->items[i].live = 0;
            if (!x->touched[i]) x->touched[i] = 1;
        }
        break;
    case 1:
    case 2:
        i = test_below(&m->rng, m->count);
        if (m->items[i].live) {
            move_box(m, i);
            if (!x->touched[i]) x->touched[i] = 1;
        }
        break;
    case 3:
        if (m->count < MOST) {
            add_box(m);
            x->touched[m->count - 1] = 3;
        }
        break;
    default: /* a nested query sees all changes made before it */ check_queries(m, 1); break;
    }
    return 1;
}

static float disturb_cast(sap_id id, void *object, float t, void *user) {
    (void)t;
    return disturb(id, object, user) ? 1.0f : 0.0f;
}

static void test_mutation(int seed) {
    model *m = &shared;
    static mischief x;
    static char before[MOST];
    int i, round;
    start(m, seed % 3 == 0 ? UNIFORM : seed % 3 == 1 ? LATTICE : MIXED, 0, seed);
    for (i = 0; i < 300; i++) add_box(m);
    for (round = 0; round < 6; round++) {
        sap_aabb q = pick_box(m);
        float zero[3] = {-8, -8, -8}, along[3] = {16, 16, 16};
        int k, n, axis;
        moment t;
        sap_aabb ray;
        for (k = 0; k < 3; k++) q.min[k] -= 3, q.max[k] += 3, ray.min[k] = zero[k], ray.max[k] = zero[k];
        memset(&x, 0, sizeof x);
        x.m = m;
        x.s = new_seen();
        for (i = 0; i < m->count; i++) {
            before[i] = (char)(round & 1 ? brute_overlap(m, &m->items[i].box, &q)
                                         : cast_meets(m->axes, &m->items[i].box, &ray, along, &t, &axis));
        }
        if (round & 1)
            n = sap_query_box(m->world, &q, ~0u, disturb, &x);
        else
            n = sap_ray_cast(m->world, zero, along, ~0u, disturb_cast, &x);
        CHECK_EQUAL(n, x.s->count);
        for (i = 0; i < m->count; i++)
            if (!x.touched[i] && m->items[i].live)
                CHECK_MESSAGE(find_seen(x.s, m->items[i].id) == before[i], "an untouched box is visited as it was");
        for (i = m->count - 1; i >= 0; i--)
            if (!m->items[i].live) m->items[i] = m->items[--m->count];
        free(x.s);
        check_valid(m);
        check_queries(m, 1);
        check_valid(m);
        if (test_chance(&m->rng, 50)) CHECK_EQUAL(sap_update(m->world), SAP_OK);
    }
    sap_destroy(m->world);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void test_memory(int seed) {
    model *m = &shared;
    int i, fail, round;
    sap_aabb all;
    for (i = 0; i < 3; i++) all.min[i] = -1000, all.max[i] = 1000;
    start(m, UNIFORM, 0, seed);
    for (round = 0; round < 40; round++) {
        float t, p[3] = {0, 0, 0}, d[3] = {1, 1, 1};
        for (i = 0; i < 1 + round * 3; i++) add_box(m);
        if (m->count > 50)
            for (i = 0; i < 20; i++)
                move_box(m, test_below(&m->rng, m->count)), remove_box(m, test_below(&m->rng, m->count));
        for (fail = 0; fail < 20; fail++) {
            int n;
            fail_after(fail);
            n = sap_query_box(m->world, &all, ~0u, NULL, NULL);
            if (n >= 0) break;
            CHECK_EQUAL(n, -SAP_ERROR_MEMORY);
            fail_after(0); /* a second try may need less; from then on all is the same */
            if (sap_prepare_queries(m->world) == SAP_OK) {
                CHECK_EQUAL(sap_query_box(m->world, &all, ~0u, NULL, NULL), sap_count(m->world));
                break;
            }
            CHECK_EQUAL(sap_ray_closest(m->world, p, d, ~0u, &t), 0);
            CHECK(t == -1.0f);
            CHECK_EQUAL(sap_prepare_queries(m->world), SAP_ERROR_MEMORY);
            CHECK_EQUAL(sap_nearest(m->world, p, 1, ~0u, &t), 0);
            CHECK(t == -1.0f);
            CHECK_EQUAL(sap_query_box_ids(m->world, &all, ~0u, NULL, 0), -SAP_ERROR_MEMORY);
            CHECK_EQUAL(sap_query_sphere_ids(m->world, p, 1, ~0u, NULL, 0), -SAP_ERROR_MEMORY);
            CHECK_EQUAL(sap_nearest_ids(m->world, p, 1, ~0u, NULL, NULL, 0), -SAP_ERROR_MEMORY);
            CHECK_EQUAL(sap_box_closest(m->world, &all, d, ~0u, 0, &t, p), 0);
            CHECK(t == -1.0f);
            check_valid(m);
            if (m->count && test_chance(&m->rng, 50)) move_box(m, test_below(&m->rng, m->count));
        }
        never_fail();
        CHECK_EQUAL(sap_query_box(m->world, &all, ~0u, NULL, NULL), sap_count(m->world));
        check_valid(m);
        check_queries(m, 1);
    }
    sap_destroy(m->world);

    start(m, seed & 1 ? UNIFORM : CLUSTERS, 0, seed); /* reserved: nothing allocates */
    CHECK_EQUAL(sap_reserve(m->world, 1000, 200000), SAP_OK);
    fail_after(0);
    for (round = 0; round < 60; round++) {
        while (m->count < 1000) add_box(m);
        CHECK(sap_query_box(m->world, &all, ~0u, NULL, NULL) >= 0);
        for (i = 0; i < (round & 1 ? 20 : 200); i++) move_box(m, test_below(&m->rng, m->count));
        CHECK(sap_query_box(m->world, &all, ~0u, NULL, NULL) >= 0);
        for (i = 0; i < (round & 2 ? 5 : 400); i++) remove_box(m, test_below(&m->rng, m->count));
        CHECK(sap_query_box(m->world, &all, ~0u, NULL, NULL) >= 0);
        CHECK_EQUAL(sap_update(m->world), SAP_OK);
    }
    never_fail();
    check_queries(m, 2);
    check_valid(m);
    sap_destroy(m->world);
}

/* Memory that ends anywhere while boxes are put into the index: nothing is lost, the others come with a later query. */
static void test_memory_midway(void) {
    model *m = &shared;
    int i, round, failed = 1;
    for (round = 0; failed; round++) {
        start(m, UNIFORM, 0, 1);
        for (i = 0; i < 400; i++) add_box(m);
        CHECK_EQUAL(sap_prepare_queries(m->world), SAP_OK);
        for (i = 0; i < 1200; i++) { /* many at one place */
            add_box(m);
            m->items[m->count - 1].box = m->items[0].box;
            CHECK_EQUAL(sap_move(m->world, m->items[m->count - 1].id, &m->items[0].box), SAP_OK);
        }
        fail_after(round);
        failed = sap_prepare_queries(m->world) != SAP_OK;
        if (failed) {
            CHECK_EQUAL(sap_last_error(m->world), SAP_ERROR_MEMORY);
            check_valid(m);
            move_all(m);
            CHECK_EQUAL(sap_prepare_queries(m->world), SAP_ERROR_MEMORY);
            check_valid(m);
        }
        never_fail();
        check_queries(m, 1);
        check_valid(m);
        sap_destroy(m->world);
    }
    CHECK(round > 1);
}

/* ---- threads: a prepared world is only read ------------------------------------------------------------ */

#if defined(__TINYC__) /* without atomics threads ask one at a time */
enum { THREADS = 1 };
#else
enum { THREADS = 4 };
#endif

typedef struct job {
    const model *m;
    test_rng rng;
    long hits;
    int wrong;
} job;

static int count_hit(sap_id id, void *object, void *user) {
    job *j = (job *)user;
    (void)object;
    if (!sap_is_valid(j->m->world, id)) j->wrong++;
    if (++j->hits % 64 == 0 && sap_update(j->m->world) == SAP_OK) j->wrong++; /* is busy */
    return 1;
}

static int count_hit_only(sap_id id, void *object, void *user) {
    job *j = (job *)user;
    float p[3] = {0, 0, 0};
    (void)object;
    if (!sap_is_valid(j->m->world, id)) j->wrong++;
    if (++j->hits % 16 == 0) j->hits += sap_query_point(j->m->world, p, ~0u, NULL, NULL);
    return 1;
}

static float count_cast(sap_id id, void *object, float t, void *user) {
    return count_hit_only(id, object, user) ? (t > 0.5f ? 0.9f : 1.0f) : 0.0f;
}

static void ask(void *data, int index) {
    job *j = (job *)data + index;
    sap_id ids[8] = {0};
    int i, k, n;
    for (i = 0; i < 300; i++) {
        float p[3], d[3], t;
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            p[k] = test_uniform(&j->rng, -20, 20);
            d[k] = test_uniform(&j->rng, -10, 10);
            box.min[k] = p[k] - 2, box.max[k] = p[k] + 2;
        }
        if (sap_query_box(j->m->world, &box, ~0u, count_hit_only, j) < 0) j->wrong++;
        if (sap_query_sphere(j->m->world, p, 3, ~0u, count_hit_only, j) < 0) j->wrong++;
        if (sap_ray_cast(j->m->world, p, d, ~0u, count_cast, j) < 0) j->wrong++;
        j->hits += (long)(sap_ray_closest(j->m->world, p, d, ~0u, &t) & 0xffff);
        j->hits += (long)(sap_nearest(j->m->world, p, 10, 1, NULL) & 0xffff);
        j->hits += (long)(sap_nearest_to(j->m->world, j->m->items[i].id, 10, 1, NULL) & 0xffff);
        j->hits += (long)(sap_box_closest(j->m->world, &box, d, ~0u, 0, &t, NULL) & 0xffff);
        n = sap_nearest_ids(j->m->world, p, 10, ~0u, ids, NULL, 8) +
            sap_query_sphere_ids(j->m->world, p, 3, ~0u, ids, 8);
        j->hits += n + sap_query_box_ids(j->m->world, &box, ~0u, ids, 8);
        for (k = 0; k < 8 && k < n; k++) j->hits += (long)(ids[k] & 0xff);
        if (sap_query_nearest(j->m->world, p, 3, ~0u, count_cast, j) < 0) j->wrong++;
    }
}

static void test_threads(int seed) {
    model *m = &shared;
    job jobs[THREADS], alone;
    int i, round, threads = THREADS;
    start(m, UNIFORM, 0, seed);
    for (i = 0; i < 1000; i++) add_box(m);
    for (round = 0; round < 3; round++) {
        CHECK_EQUAL(sap_prepare_queries(m->world), SAP_OK);
        for (i = 0; i < THREADS; i++) {
            memset(&jobs[i], 0, sizeof jobs[i]);
            jobs[i].m = m;
            jobs[i].rng.state = (uint64_t)seed;
        }
        run_in_threads(ask, jobs, THREADS, &threads);
        memset(&alone, 0, sizeof alone);
        alone.m = m;
        alone.rng.state = (uint64_t)seed;
        ask(&alone, 0);
        for (i = 0; i < THREADS; i++) CHECK(jobs[i].hits == alone.hits && !jobs[i].wrong && alone.hits);
        move_all(m);
        change(m, 50);
    }
    memset(&alone, 0, sizeof alone); /* one thread alone is refused an update, and is not busy afterwards */
    alone.m = m;
    {
        sap_aabb all;
        for (i = 0; i < 3; i++) all.min[i] = -1000, all.max[i] = 1000;
        CHECK(sap_query_box(m->world, &all, ~0u, count_hit, &alone) > 64);
        CHECK_EQUAL(alone.wrong, 0);
    }
    CHECK_EQUAL(sap_update(m->world), SAP_OK);
    sap_destroy(m->world);
}

/* ---- by hand ------------------------------------------------------------------------------------------ */

static float go_on(sap_id id, void *object, float t, void *user) {
    (void)id, (void)object, (void)t;
    ++*(int *)user;
    return TEST_INFINITY;
}

/* A distance that no float can hold is told as infinity: to return that is no clip. */
static void test_beyond_floats(void) {
    sap_world *w = sap_create(NULL);
    const float from[3] = {-3e38f, 0, 0};
    int i, visited = 0;
    for (i = 1; i <= 3; i++) {
        const sap_aabb box = {{1e38f * (float)i, 0, 0}, {1e38f * (float)i, 0, 0}};
        CHECK(sap_add(w, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_query_nearest(w, from, TEST_INFINITY, ~0u, go_on, &visited), 3);
    CHECK_EQUAL(visited, 3);
    sap_destroy(w);
}

static void test_by_hand(void) {
    sap_world *w = sap_create(NULL);
    sap_aabb unit = {{0, 0, 0}, {1, 1, 1}}, next = {{1, 0, 0}, {2, 1, 1}}, bad = {{0, 0, 0}, {1, 1, 1}}, far_one;
    float o[3] = {-1, 0.5f, 0.5f}, d[3] = {2, 0, 0}, zero[3] = {0, 0, 0}, nan[3] = {0, 0, 0}, inf[3] = {0, 0, 0}, t = 7;
    sap_id a, b;
    int i;
    nan[1] = TEST_NAN;
    inf[2] = TEST_INFINITY;
    bad.max[1] = TEST_NAN;
    CHECK_EQUAL(sap_query_box(w, &unit, ~0u, NULL, NULL), 0);
    CHECK_EQUAL(sap_ray_closest(w, o, d, ~0u, &t), 0);
    CHECK(t == 1.0f);
    a = sap_add(w, &unit, NULL);
    b = sap_add(w, &next, NULL);
    CHECK_EQUAL(sap_ray_closest(w, o, d, ~0u, &t), a);
    CHECK(t == 0.5f);
    o[0] = 1; /* on the face of both: the lower id */
    CHECK_EQUAL(sap_ray_closest(w, o, zero, ~0u, &t), a);
    CHECK(t == 0.0f);
    CHECK_EQUAL(sap_ray_closest(w, o, d, ~0u, &t), a);
    o[1] = 1; /* along an edge */
    CHECK_EQUAL(sap_ray_cast(w, o, d, ~0u, NULL, NULL), 2);
    o[1] = test_float(0x3f800001u);
    CHECK_EQUAL(sap_ray_cast(w, o, d, ~0u, NULL, NULL), 0);
    CHECK_EQUAL(sap_nearest(w, o, 0, ~0u, &t), 0);
    CHECK(t == 0.0f);
    CHECK_EQUAL(sap_nearest(w, o, 1, ~0u, &t), a);
    CHECK_EQUAL(sap_query_sphere(w, o, 0, ~0u, NULL, NULL), 0);
    CHECK_EQUAL(sap_query_sphere(w, o, test_float(0x34000000u), ~0u, NULL, NULL), 2); /* 2^-23: the gap exactly */
    CHECK_EQUAL(sap_query_sphere(w, o, test_float(0x33ffffffu), ~0u, NULL, NULL), 0);
    CHECK_EQUAL(sap_set_filter(w, a, 4, ~0u), SAP_OK);
    CHECK_EQUAL(sap_query_box(w, &unit, 4, NULL, NULL), 1);
    CHECK_EQUAL(sap_query_box(w, &unit, 1, NULL, NULL), 1);
    CHECK_EQUAL(sap_query_box(w, &unit, 5, NULL, NULL), 2);
    CHECK_EQUAL(sap_query_box(w, &unit, 0, NULL, NULL), 0);
    for (i = 0; i < 3; i++) far_one.min[i] = TEST_INFINITY, far_one.max[i] = TEST_INFINITY;
    CHECK(sap_add(w, &far_one, NULL) != 0);
    CHECK_EQUAL(sap_query_box(w, &far_one, ~0u, NULL, NULL), 1);
    CHECK_EQUAL(sap_query_sphere(w, zero, TEST_INFINITY, ~0u, NULL, NULL), 3);
    CHECK_EQUAL(sap_query_sphere(w, zero, 1e30f, ~0u, NULL, NULL), 2);

    CHECK_EQUAL(sap_query_box(NULL, &unit, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_box(w, NULL, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_box(w, &bad, ~0u, NULL, NULL), -SAP_ERROR_BOX);
    CHECK_EQUAL(sap_query_point(w, nan, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_point(w, inf, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_point(w, NULL, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_sphere(w, zero, -1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_sphere(w, zero, TEST_MINUS_0, ~0u, NULL, NULL), 1);
    CHECK_EQUAL(sap_query_sphere(w, zero, TEST_NAN, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_cast(w, inf, d, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_cast(w, o, nan, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_cast(w, &far_one, d, ~0u, NULL, NULL), -SAP_ERROR_BOX);
    CHECK_EQUAL(sap_box_cast(w, &unit, inf, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_closest(w, nan, d, ~0u, &t), 0);
    CHECK(t == -1.0f);
    CHECK_EQUAL(sap_nearest(w, zero, -1, ~0u, &t), 0);
    CHECK(t == -1.0f);
    CHECK_EQUAL(sap_nearest(NULL, zero, 1, ~0u, NULL), 0);
    CHECK_EQUAL(sap_prepare_queries(NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_prepare_queries(w), SAP_OK);
    CHECK_EQUAL(sap_remove(w, b), SAP_OK);
    CHECK_EQUAL(sap_query_box(w, &next, ~0u, NULL, NULL), 1);
    CHECK(sap_validate(w) == NULL);
    sap_destroy(w);
}

/* Found by the fuzzer: a ray as long as floats go ends at a box that lies there. */
static void test_as_long_as_floats(void) {
    int k, back;
    for (k = 0; k < 3; k++) {
        for (back = 0; back < 2; back++) {
            sap_world *w = sap_create(NULL);
            sap_aabb end = {{3.75f, 3.75f, 3.75f}, {9, 9, 9}};
            float from[3] = {0, 0, 0}, along[3] = {5, 5, 5}, t;
            end.min[k] = end.max[k] = along[k] = back ? -TEST_FLOAT_MAX : TEST_FLOAT_MAX;
            CHECK(sap_add(w, &end, NULL) != 0);
            CHECK_EQUAL(sap_ray_cast(w, from, along, ~0u, NULL, NULL), 1);
            CHECK(sap_ray_closest(w, from, along, ~0u, &t) != 0 && t == 1.0f);
            sap_destroy(w);
        }
    }
}

/* From here on the machine takes denormals for zero, and makes none; 0 if it cannot. */
static int flush_denormals(int flush) {
#if defined(__SSE2__) && defined(__GNUC__) && !defined(__TINYC__)
    const unsigned bits = 0x8040;
    __builtin_ia32_ldmxcsr(flush ? __builtin_ia32_stmxcsr() | bits : __builtin_ia32_stmxcsr() & ~bits);
    return 1;
#else
    (void)flush;
    return 0;
#endif
}

/* The nearest of boxes on the way of a ray as long as floats go: t is no number that a float can hold. */
static void test_endless_rays(void) {
    static const float at[] = {3, 0.25f, 1, 0.25f, 1e-20f, 1e-45f};
    int k, i, back, flush;
    for (flush = 0; flush < 2; flush++) {
        for (k = 0; k < 6; k++) {
            for (back = 0; back < 2; back++) {
                sap_world *w = sap_create(NULL);
                float from[3] = {0, 0, 0}, along[3] = {0, 0, 0}, t;
                along[k % 3] = back ? -TEST_FLOAT_MAX : TEST_FLOAT_MAX;
                if (k > 2) along[(k + 1) % 3] = -along[k % 3]; /* aslant */
                for (i = 0; i < 6; i++) {
                    sap_aabb box = {{-5, -5, -5}, {5, 5, 5}};
                    test_set_bits(&box.min[k % 3], test_bits(at[i]) | (back ? 0x80000000u : 0));
                    box.max[k % 3] = box.min[k % 3];
                    CHECK(sap_add(w, &box, NULL) != 0);
                    if (!flush_denormals(flush)) continue;
                    CHECK_EQUAL(sap_ray_closest(w, from, along, ~0u, &t), i < 1 ? 1 : i < 4 ? 2 : i + 1);
                    CHECK(test_key(t) >= 0 && t < 1e-37f);
                    CHECK_EQUAL(sap_ray_cast(w, from, along, ~0u, NULL, NULL), i + 1);
                    (void)flush_denormals(0);
                }
                sap_destroy(w);
            }
        }
    }
}

static float clip_at_hit(sap_id id, void *object, float t, void *user) {
    (void)id, (void)object;
    ++*(int *)user;
    return t;
}

/* The box that is as far on the other side on some axes. */
static sap_aabb mirrored(sap_aabb box, int axes) {
    int k;
    for (k = 0; k < 3; k++) {
        const float min = box.min[k];
        if (!(axes >> k & 1)) continue;
        box.min[k] = -box.max[k];
        box.max[k] = -min;
    }
    return box;
}

/* Two boxes at one t as a float, but not as they are; and two at one t, one of them on another axis. */
static void test_ties_of_casts(void) {
    const sap_aabb behind = {{0.01f, -9, -9}, {2, 9, 9}}, before = {{0, -9, -9}, {2, 9, 9}},
                   beside = {{-2e6f, 0, -9}, {1e6f, 9, 9}}, corner = {{7, 14, -9}, {99, 99, 9}},
                   east = {{1048576, -9e9f, 0}, {9e9f, 9e9f, 0}}, north = {{-9e9f, 1048576, 0}, {9e9f, 9e9f, 0}};
    sap_id id;
    int axes, visited;
    for (axes = 0; axes < 4; axes++) {
        const float x = axes & 1 ? -1.0f : 1.0f, y = axes & 2 ? -1.0f : 1.0f, zero[3] = {0, 0, 0};
        const float from[3] = {x * -1e6f, y * -333333.3125f, 0}, along[3] = {x * 3e6f, y * 1e6f, 0};
        const float to_corner[3] = {x * 10, y * 20, 0};
        const float near_zero[3] = {x * 1e-12f, 0, 0}, aslant[3] = {x * 1048576, y * 1048576, 0};
        sap_world *w = sap_create(NULL);
        sap_aabb box = mirrored(behind, axes);
        float t;
        CHECK_EQUAL(sap_add(w, &box, NULL), 1);
        box = mirrored(before, axes);
        CHECK_EQUAL(sap_add(w, &box, NULL), 2);
        CHECK_EQUAL(sap_ray_closest(w, from, along, ~0u, &t), 2);
        CHECK(t > 0.33333f && t < 0.33334f);
        CHECK_EQUAL(sap_add(w, &box, NULL), 3);
        CHECK_EQUAL(sap_ray_closest(w, from, along, ~0u, &t), 2);
        box = mirrored(beside, axes);
        CHECK_EQUAL(sap_add(w, &box, NULL), 4); /* met a little earlier, by less than floats can tell */
        CHECK_EQUAL(sap_ray_closest(w, from, along, ~0u, &t), 4);
        CHECK_EQUAL(sap_clear(w), SAP_OK);
        box = mirrored(corner, axes); /* both slabs are entered at 7 / 10, which is more than the float 0.7 */
        CHECK(sap_add(w, &box, NULL) && sap_add(w, &box, NULL) && sap_add(w, &box, NULL));
        visited = 0;
        CHECK_EQUAL(sap_ray_cast(w, zero, to_corner, ~0u, clip_at_hit, &visited), 3);
        CHECK_EQUAL(visited, 3);
        CHECK_EQUAL(sap_clear(w), SAP_OK);
        box = mirrored(north, axes); /* met at 1, and the other before that, by less than doubles can tell */
        id = sap_add(w, &box, NULL);
        box = mirrored(east, axes);
        CHECK_EQUAL(sap_add(w, &box, NULL), id + 1);
        CHECK_EQUAL(sap_ray_closest(w, near_zero, aslant, ~0u, &t), id + 1);
        sap_destroy(w);
    }
}

/* A corner is passed, met or just touched, at moments that are apart by less than doubles can tell: 8388607 / 16777215 is
   more than 8388606 / 16777213 by one 2.8e14th. */
static void test_corners_that_casts_graze(void) {
    const sap_aabb passed = {{8388607, -9e9f, -1}, {9e9f, 8388606, 1}},
                   met = {{-9e9f, 8388606, -1}, {8388607, 9e9f, 1}},
                   touched = {{5592405, -9e9f, -1}, {9e9f, 5592405, 1}}, point = {{0, 0, 0}, {0, 0, 0}};
    for (int axes = 0; axes < 4; axes++) {
        const float x = axes & 1 ? -1.0f : 1.0f, y = axes & 2 ? -1.0f : 1.0f, zero[3] = {0, 0, 0};
        const float by[3] = {x * 16777215, y * 16777213, 0}, straight[3] = {x * 16777215, y * 16777215, 0};
        const sap_aabb boxes[3] = {mirrored(passed, axes), mirrored(met, axes), mirrored(touched, axes)};
        sap_world *w = sap_create(NULL);
        sap_id id[3];
        float t;
        CHECK_EQUAL(sap_add_many(w, 1, boxes, NULL, id), SAP_OK);
        CHECK_EQUAL(sap_ray_closest(w, zero, by, ~0u, &t), 0);
        CHECK_EQUAL(sap_box_cast(w, &point, by, ~0u, NULL, NULL), 0);
        CHECK_EQUAL(sap_add_many(w, 1, boxes + 1, NULL, id + 1), SAP_OK);
        CHECK_EQUAL(sap_ray_closest(w, zero, by, ~0u, &t), id[1]);
        CHECK(t > 0.49999f && t < 0.5f);
        CHECK_EQUAL(sap_ray_cast(w, zero, by, ~0u, NULL, NULL), 1);
        CHECK_EQUAL(sap_clear(w), SAP_OK);
        CHECK_EQUAL(sap_add_many(w, 1, boxes + 2, NULL, id + 2), SAP_OK);
        CHECK_EQUAL(sap_ray_closest(w, zero, straight, ~0u, &t), id[2]);
        sap_destroy(w);
    }
}

typedef struct nearest_two { /* the recipe of the docs: return t of the worst one that you keep */
    sap_id id[2];
    float t[2];
} nearest_two;

static float keep_two(sap_id id, void *object, float t, void *user) {
    nearest_two *two = (nearest_two *)user;
    int i = 1;
    (void)object;
    if (t > two->t[1] || (t >= two->t[1] && id > two->id[1])) return two->t[1];
    if (t < two->t[0] || (t <= two->t[0] && id < two->id[0])) two->id[1] = two->id[0], two->t[1] = two->t[0], i = 0;
    two->id[i] = id;
    two->t[i] = t;
    return two->t[1];
}

/* A distance that is told is found again, and the nearest by callbacks lose no tie. */
static void test_told_distances(void) {
    static const float sides[][2] = {{1, 1},
                                     {3, 4},
                                     {0.1f, 0.2f},
                                     {1e-30f, 3e-38f},
                                     {1e-45f, 1e-45f},
                                     {3e-39f, 4e-39f},
                                     {2e38f, 3e38f},
                                     {1.5f, 1e-8f},
                                     {16777216, 0.001f},
                                     {1e20f, 1e-20f},
                                     {7, 0}};
    const int kinds = (int)(sizeof sides / sizeof sides[0]);
    int kind, i, k, flush;
    for (kind = 0; kind < 2 * kinds; kind++) {
        sap_config config = {0};
        const float *side = sides[kind % kinds], zero[3] = {0, 0, 0};
        sap_aabb box = {{0, 0, 0}, {0, 0, 0}}, origin = box;
        distance exactly;
        sap_world *w = sap_create(&config);
        for (i = 0; i < 8; i++) { /* eight points at one distance */
            for (k = 0; k < 2; k++)
                test_set_bits(&box.min[k], test_bits(side[(k + i / 4) % 2]) | (i >> k & 1 ? 0x80000000u : 0));
            memcpy(box.max, box.min, sizeof box.max);
            CHECK(sap_add(w, &box, NULL) != 0);
        }
        exactly = distance_between(7, &box, &origin);
        flush = flush_denormals(kind >= kinds);
        for (i = 0; i < 2 && (flush || kind < kinds); i++) {
            nearest_two two = {{0, 0}, {TEST_INFINITY, TEST_INFINITY}};
            float told = -1, below;
            CHECK_EQUAL(sap_nearest(w, zero, TEST_INFINITY, ~0u, &told), 1);
            CHECK(test_key(told) == test_key(told_distance(&exactly)));
            test_set_bits(&below, test_bits(told) - 1);
            CHECK_EQUAL(sap_query_sphere(w, zero, told, ~0u, NULL, NULL), 8);
            CHECK_EQUAL(sap_query_sphere(w, zero, below, ~0u, NULL, NULL), 0);
            CHECK_EQUAL(sap_nearest(w, zero, told, ~0u, &told), 1);
            CHECK_EQUAL(sap_nearest(w, zero, below, ~0u, NULL), 0);
            CHECK_EQUAL(sap_query_nearest(w, zero, told, ~0u, NULL, NULL), 8);
            if (kind < kinds && test_bits(told) >= 0x800000 &&
                test_is_finite(told)) { /* the callback compares floats */
                CHECK(sap_query_nearest(w, zero, TEST_INFINITY, ~0u, keep_two, &two) == 8);
                CHECK(two.id[0] == 1 && two.id[1] == 2 && two.t[0] == told && two.t[1] == told);
            }
            if (i) break;
            CHECK_EQUAL(sap_add(w, &origin, NULL), 9); /* asked from box to box, the same */
            CHECK_EQUAL(sap_nearest_to(w, 9, TEST_INFINITY, ~0u, &told), 1);
            CHECK(test_key(told) == test_key(told_distance(&exactly)));
            CHECK_EQUAL(sap_nearest_to(w, 9, told, ~0u, NULL), 1);
            CHECK_EQUAL(sap_nearest_to(w, 9, below, ~0u, NULL), 0);
            CHECK_EQUAL(sap_remove(w, 9), SAP_OK);
        }
        (void)flush_denormals(0);
        sap_destroy(w);
    }
}

/* Two distances that doubles call equal. */
static void test_nearest_by_a_hair(void) {
    const sap_aabb first = {{0, 1e30f, 2e-20f}, {9, 1e30f, 1}}, second = {{0, 1e30f, 1e-20f}, {9, 1e30f, 1}};
    const float zero[3] = {0, 0, 0};
    sap_world *w = sap_create(NULL);
    CHECK_EQUAL(sap_add(w, &first, NULL), 1);
    CHECK_EQUAL(sap_add(w, &second, NULL), 2);
    CHECK_EQUAL(sap_nearest(w, zero, TEST_INFINITY, ~0u, NULL), 2);
    CHECK_EQUAL(sap_set_filter(w, 1, 2, 0), SAP_OK);
    CHECK_EQUAL(sap_add(w, &second, NULL), 3);
    CHECK_EQUAL(sap_nearest(w, zero, TEST_INFINITY, ~0u, NULL), 2);
    sap_destroy(w);
}

typedef struct meeting { /* a mover, where to, and what it meets */
    sap_aabb box;
    float along[3];
    sap_id id;
    float t, normal[3];
} meeting;

/* The rule for what is touched at the start, case by case. */
static void test_box_closest(void) {
    const float down = -TEST_INFINITY, up = TEST_INFINITY;
    const sap_aabb ground = {{down, down, down}, {up, 0, up}}, wall = {{5, 0, 0}, {6, 9, 9}},
                   all = {{down, down, down}, {up, up, up}};
    const meeting meetings[] = {
        {{{0, 0, 0}, {1, 1, 1}}, {2, 0, 0}, 0, 1, {0, 0, 0}},               /* along the ground that it stands on */
        {{{0, 0, 0}, {1, 1, 1}}, {0, 1, 0}, 0, 1, {0, 0, 0}},               /* away */
        {{{0, 0, 0}, {1, 1, 1}}, {0, -1, 0}, 1, 0, {0, 1, 0}},              /* into it */
        {{{0, 0, 0}, {1, 1, 1}}, {8, 0, 0}, 2, 0.5f, {-1, 0, 0}},           /* along, to the wall */
        {{{0, 0, 0}, {1, 1, 1}}, {8, -1e-30f, 0}, 1, 0, {0, 1, 0}},         /* however little into it */
        {{{0, -0.25f, 0}, {1, 1, 1}}, {8, 1e-30f, 0}, 2, 0.5f, {-1, 0, 0}}, /* stuck a little: away, and along */
        {{{0, -0.25f, 0}, {1, 1, 1}}, {1, -1e-30f, 0}, 1, 0, {0, 1, 0}},
        {{{4, 1, 1}, {5, 2, 2}}, {1, 1, 0}, 2, 0, {-1, 0, 0}},     /* at the wall, and into it */
        {{{4, 1, 1}, {5, 2, 2}}, {0, -4, 0}, 1, 0.25f, {0, 1, 0}}, /* down along the wall */
        {{{4, 0, 1}, {5, 1, 2}}, {1, -1, 0}, 1, 0, {0, 1, 0}},     /* in the corner: the lower id */
        {{{4, 0, 1}, {5, 1, 2}}, {1, 0, 0}, 2, 0, {-1, 0, 0}},
        {{{4, 0, 1}, {5, 1, 2}}, {-1, 1, 1}, 0, 1, {0, 0, 0}},
        {{{5.75f, 3, 3}, {7, 4, 4}}, {-1, 0, 0}, 2, 0, {1, 0, 0}}, /* comes out on the other side */
        {{{5.75f, 3, 3}, {7, 4, 4}}, {1, 0, 0}, 0, 1, {0, 0, 0}},
        {{{5.25f, 3, 3}, {5.75f, 4, 4}}, {1, 0, 0}, 2, 0, {-1, 0, 0}}, /* in the middle: towards minus */
        {{{5.25f, 3, 3}, {5.75f, 4, 4}}, {-1, 0, 0}, 0, 1, {0, 0, 0}},
        {{{6, 9, 3}, {7, 10, 4}}, {-1, -1, 0}, 2, 0, {1, 0, 0}}, /* at an edge: the lower axis */
        {{{6, 9, 3}, {7, 10, 4}}, {0, -1, 0}, 0, 1, {0, 0, 0}},
        {{{0, 3, 0}, {1, 4, 1}}, {0, 0, 0}, 0, 1, {0, 0, 0}},  /* nowhere */
        {{{0, 3, 0}, {1, 4, 1}}, {4, 0, 0}, 2, 1, {-1, 0, 0}}, /* just reaches it */
    };
    sap_world *w = sap_create(NULL);
    const float by[3] = {1, 0, 0}, back[3] = {-1, 0, 0};
    float t, normal[3];
    sap_aabb box = {{0, 3, 0}, {1, 4, 1}};
    sap_id me;
    int i, k, kind;
    CHECK_EQUAL(sap_add_static(w, &ground, NULL), 1);
    CHECK_EQUAL(sap_add_static(w, &wall, NULL), 2);
    me = sap_add(w, &box, NULL);
    for (i = 0; i < (int)(sizeof meetings / sizeof meetings[0]); i++) {
        const meeting *m = &meetings[i];
        CHECK_EQUAL(sap_move(w, me, &m->box), SAP_OK); /* itself in its own way, unless it is passed over */
        CHECK_MESSAGE(sap_box_closest(w, &m->box, m->along, ~0u, me, &t, normal) == m->id && t == m->t &&
                          normal[0] == m->normal[0] && normal[1] == m->normal[1] && normal[2] == m->normal[2],
                      "case %d: at %g, %g %g %g", i, (double)t, (double)normal[0], (double)normal[1],
                      (double)normal[2]);
        CHECK_EQUAL(sap_box_closest(w, &m->box, m->along, ~0u, me, NULL, NULL), m->id);
        if (!m->id) CHECK_EQUAL(sap_box_closest(w, &m->box, m->along, 2, 0, &t, NULL), 0);
    }
    CHECK_EQUAL(sap_add(w, &all, NULL), 4); /* no side is near: the one towards minus x */
    CHECK_EQUAL(sap_move(w, me, &box), SAP_OK);
    CHECK_EQUAL(sap_set_filter(w, 4, 4, 0), SAP_OK);
    CHECK_EQUAL(sap_box_closest(w, &box, by, 4, 0, &t, normal), 4);
    CHECK(t == 0 && normal[0] == -1 && normal[1] == 0 && normal[2] == 0);
    CHECK_EQUAL(sap_box_closest(w, &box, back, 4, 0, &t, normal), 0);
    CHECK(t == 1 && normal[0] == 0);
    for (kind = 0; kind < 7; kind++) { /* an error is 0, -1 and zeros */
        sap_aabb bad = box;
        float infinite[3] = {0, 0, 0};
        if (kind == 0) bad.min[1] = TEST_NAN;
        if (kind == 1) bad.min[1] = 9;
        if (kind == 2) bad.max[2] = TEST_INFINITY;
        if (kind == 3) bad.min[2] = -TEST_INFINITY;
        infinite[1] = kind == 4 ? TEST_INFINITY : TEST_NAN;
        t = 7;
        for (k = 0; k < 3; k++) normal[k] = 7;
        CHECK_EQUAL(sap_box_closest(kind == 5 ? NULL : w, kind == 6 ? NULL : &bad, kind == 4 ? infinite : by, ~0u, 0,
                                    &t, normal),
                    0);
        CHECK(t == -1 && normal[0] == 0 && normal[1] == 0 && normal[2] == 0);
        CHECK_EQUAL(sap_box_closest(kind == 5 ? NULL : w, kind == 6 ? NULL : &bad, kind == 4 ? infinite : by, ~0u, 0,
                                    NULL, NULL),
                    0);
    }
    CHECK_EQUAL(sap_box_closest(w, &box, NULL, ~0u, 0, &t, normal), 0);
    CHECK(t == -1);
    CHECK_EQUAL(sap_query_box_ids(w, &box, ~0u, NULL, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_box_ids(w, &box, ~0u, &me, -1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_box_ids(w, NULL, ~0u, &me, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_box_ids(NULL, &box, ~0u, &me, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_sphere_ids(w, by, 1, ~0u, NULL, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_sphere_ids(w, by, -1, ~0u, &me, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_query_sphere_ids(w, by, 1, ~0u, &me, -1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_nearest_ids(w, by, 1, ~0u, NULL, &t, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_nearest_ids(w, by, 1, ~0u, &me, &t, -1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_nearest_ids(w, NULL, 1, ~0u, &me, &t, 1), -SAP_ERROR_ARGUMENT);
    box.max[1] = TEST_NAN;
    CHECK_EQUAL(sap_query_box_ids(w, &box, ~0u, &me, 1), -SAP_ERROR_BOX);
    sap_destroy(w);
}

/* Each kernel visits the same boxes. */
static void test_kernels(int seed) {
    model *m = &shared;
    int kernel, k;
    for (kernel = 0; kernel < KERNELS; kernel++) {
        start(m, seed % KINDS, 0, seed);
        if (force_kernel(m->world, kernel)) {
            for (k = 0; k < 150; k++) add_box(m);
            check_queries(m, 6);
        }
        sap_destroy(m->world);
    }
}

/* In the filter and in the callbacks of an update. */
static int asked_in_filter;
static int filter_that_queries(const sap_pair *pair, void *user) {
    sap_world *w = *(sap_world **)user;
    sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
    (void)sap_get_box(w, pair->id0, &box);
    asked_in_filter += sap_query_box(w, &box, ~0u, NULL, NULL) == -SAP_ERROR_BUSY;
    return 1;
}

static void *create_that_queries(const sap_pair *pair, void *user) {
    sap_world *w = *(sap_world **)user;
    sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
    (void)sap_get_box(w, pair->id0, &box);
    CHECK(sap_query_box(w, &box, ~0u, NULL, NULL) >= 2);
    box.min[0] -= 0.25f;
    CHECK_EQUAL(sap_move(w, pair->id0, &box), SAP_OK);
    CHECK(sap_query_box(w, &box, ~0u, NULL, NULL) >= 2);
    CHECK_EQUAL(sap_prepare_queries(w), SAP_ERROR_BUSY);
    return NULL;
}

static void test_update_callbacks(void) {
    sap_config config;
    sap_world *w;
    int i;
    memset(&config, 0, sizeof config);
    config.filter = filter_that_queries;
    config.filter_user = &w;
    w = sap_create(&config);
    for (i = 0; i < 20; i++) {
        sap_aabb box = {{0, 0, 0}, {1.5f, 1, 1}};
        box.min[0] = (float)i, box.max[0] = (float)i + 1.5f;
        CHECK(sap_add(w, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_dump_pairs(w, create_that_queries, NULL, &w), 19);
    CHECK(asked_in_filter > 0);
    CHECK(sap_validate(w) == NULL);
    sap_destroy(w);
}

static int stop_at_once(sap_id id, void *object, void *user) {
    (void)id, (void)object;
    ++*(int *)user;
    return 0;
}

static float stop_ray_at_once(sap_id id, void *object, float t, void *user) {
    (void)t;
    return (float)stop_at_once(id, object, user);
}

/* A query's callback adds boxes and asks again: a nested query that stops at the first hit has seen one, new or old. */
static int ask_for_one(sap_id id, void *object, void *user) {
    sap_world *w = (sap_world *)user;
    const float from[3] = {-1, 0.5f, 0.5f}, to[3] = {9, 0, 0};
    const sap_aabb all = {{0, 0, 0}, {9, 9, 9}}, box = {{0, 0, 0}, {1, 1, 1}};
    int i, calls;
    (void)id, (void)object;
    for (i = 0; i < 3; i++) {
        calls = 0;
        CHECK_EQUAL(sap_query_box(w, &all, 0xffffffffu, stop_at_once, &calls), 1);
        CHECK_EQUAL(calls, 1);
        calls = 0;
        CHECK_EQUAL(sap_ray_cast(w, from, to, 0xffffffffu, stop_ray_at_once, &calls), 1);
        CHECK_EQUAL(calls, 1);
        CHECK(sap_add(w, &box, NULL) != 0);
    }
    return 1;
}

/* A box that is cast is finite at both ends. */
static void test_infinite_casts(void) {
    const float by[3] = {1, 0, 0};
    sap_world *w = sap_create(NULL);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    box.min[1] = -TEST_INFINITY;
    CHECK_EQUAL(sap_box_cast(w, &box, by, 0xffffffffu, NULL, NULL), -SAP_ERROR_BOX);
    box.min[1] = 0, box.max[1] = TEST_INFINITY;
    CHECK_EQUAL(sap_box_cast(w, &box, by, 0xffffffffu, NULL, NULL), -SAP_ERROR_BOX);
    box.max[1] = 1;
    CHECK_EQUAL(sap_box_cast(w, &box, by, 0xffffffffu, NULL, NULL), 0);
    sap_destroy(w);
}

static void test_stop_among_new_boxes(void) {
    sap_world *w = sap_create(NULL);
    const sap_aabb box = {{2, 0, 0}, {3, 1, 1}};
    CHECK(sap_add(w, &box, NULL) != 0);
    CHECK(sap_add(w, &box, NULL) != 0);
    CHECK_EQUAL(sap_query_box(w, &box, 0xffffffffu, ask_for_one, w), 2);
    CHECK_EQUAL(sap_count(w), 8);
    sap_destroy(w);
}

static unsigned met; /* bits of slots */

/* A nested query's callback moves a box that it has not met yet, a little: it still comes, and once. */
static int move_the_others(sap_id id, void *object, void *user) {
    sap_world *w = (sap_world *)user;
    sap_aabb box;
    sap_id other;
    (void)object;
    met |= 1u << SAP_SLOT(id);
    for (other = sap_next(w, 0); other; other = sap_next(w, other)) {
        if (other == id) continue;
        CHECK_EQUAL(sap_get_box(w, other, &box), SAP_OK);
        box.max[0] += 0.125f;
        CHECK_EQUAL(sap_move(w, other, &box), SAP_OK);
    }
    return 1;
}

static int ask_for_all(sap_id id, void *object, void *user) {
    const sap_aabb all = {{0, 0, 0}, {9, 9, 9}};
    sap_world *w = (sap_world *)user;
    sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
    (void)id;
    (void)object;
    CHECK_EQUAL(sap_get_box(w, 1, &box), SAP_OK);
    box.max[1] += 0.125f;
    CHECK_EQUAL(sap_move(w, 1, &box), SAP_OK);
    met = 0;
    CHECK_EQUAL(sap_query_box(w, &all, 0xffffffffu, move_the_others, w), sap_count(w));
    CHECK_EQUAL(met, (2u << sap_count(w)) - 2);
    return 0;
}

static void test_move_before_the_visit(void) {
    const sap_aabb box = {{2, 0, 0}, {3, 1, 1}}, moved = {{2, 0, 0}, {3, 1, 2}};
    int i, settled;
    for (settled = 0; settled < 2; settled++) { /* all are new, or one has changed since an update, before the query */
        sap_world *w = sap_create(NULL);
        for (i = 0; i < 7; i++) CHECK(sap_add(w, &box, NULL) != 0);
        if (settled) CHECK(sap_update(w) == SAP_OK && sap_move(w, 1, &moved) == SAP_OK);
        CHECK_EQUAL(sap_query_box(w, &box, 0xffffffffu, ask_for_all, w), 1);
        CHECK(sap_validate(w) == NULL);
        sap_destroy(w);
    }
}

/* ---- queries within queries, each of which moves boxes ---------------------------------------------------------- */

enum { NESTED = 24, DEPTH = 3 };
typedef struct nest {
    sap_world *w;
    test_rng *rng;
    int depth, busy; /* busy: percent of the callbacks that move boxes, or ask */
    unsigned met;    /* bits of slots, of the query whose callback runs */
} nest;

static void ask_within(nest *outer);

static int meet_nested(sap_id id, nest *n) {
    const unsigned bit = 1u << SAP_SLOT(id);
    CHECK(!(n->met & bit));
    n->met |= bit;
    for (int i = 0; i < 2 && test_chance(n->rng, n->busy); i++) { /* one that was met, or was not, or itself */
        const sap_id other = (sap_id)(1 + test_below(n->rng, NESTED));
        sap_aabb box;
        CHECK_EQUAL(sap_get_box(n->w, other, &box), SAP_OK);
        box.max[0] += 0.125f;
        CHECK_EQUAL(sap_move(n->w, other, &box), SAP_OK);
    }
    if (n->depth < DEPTH && test_chance(n->rng, n->busy / 2)) ask_within(n);
    return 1;
}

static int hit_nested(sap_id id, void *object, void *user) {
    (void)object;
    return meet_nested(id, (nest *)user);
}

static float ray_hit_nested(sap_id id, void *object, float t, void *user) {
    (void)object, (void)t;
    (void)meet_nested(id, (nest *)user);
    return TEST_INFINITY;
}

/* All boxes are hits, whatever is asked, and stay so. Each is met once. */
static void ask_within(nest *outer) {
    static const sap_aabb all = {{0, 0, 0}, {99, 9, 9}};
    static const float point[3] = {0, 0.5f, 0.5f}, by[3] = {9, 0, 0};
    nest n = {outer->w, outer->rng, outer->depth + 1, outer->busy, 0};
    int count = 0;
    switch (test_below(n.rng, 5)) {
    case 0: count = sap_query_box(n.w, &all, ~0u, hit_nested, &n); break;
    case 1: count = sap_query_sphere(n.w, point, 9, ~0u, hit_nested, &n); break;
    case 2: count = sap_query_nearest(n.w, point, 9, ~0u, ray_hit_nested, &n); break;
    case 3: count = sap_ray_cast(n.w, point, by, ~0u, ray_hit_nested, &n); break;
    default: count = sap_box_cast(n.w, &all, by, ~0u, ray_hit_nested, &n);
    }
    CHECK_EQUAL(count, NESTED);
    CHECK_EQUAL(n.met, (2u << NESTED) - 2);
    CHECK(sap_validate(n.w) == NULL);
}

static void test_nested(int seed) {
    test_rng rng = {(uint64_t)seed};
    sap_world *w = sap_create(NULL);
    nest n = {w, &rng, 0, 5 + test_below(&rng, 36), 0};
    const sap_aabb box = {{2, 0, 0}, {3, 1, 1}};
    for (int i = 0; i < NESTED; i++) CHECK(sap_add(w, &box, NULL) != 0);
    for (int i = 0; i < 10; i++) {
        if (test_chance(&rng, 50)) CHECK_EQUAL(sap_update(w), SAP_OK);
        ask_within(&n);
    }
    CHECK_EQUAL(sap_update(w), SAP_OK);
    CHECK(sap_validate(w) == NULL);
    sap_destroy(w);
}

/* What queries have looked at since the last update grows by as much with each query, however many there were. */
static void test_looks_of_many(void) {
    enum { BOXES = 300, ASKED = 50 };
    const sap_aabb all = {{-1, -1, -1}, {2000, 2, 2}};
    sap_stats before, after;
    sap_world *w = sap_create(NULL);
    for (int i = 0; i < BOXES; i++) {
        const sap_aabb box = {{(float)i, 0, 0}, {(float)i + 0.5f, 1, 1}};
        CHECK(sap_add(w, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_query_box(w, &all, ~0u, NULL, NULL), BOXES);
    sap_get_stats(w, &before);
    CHECK(before.query_tests >= BOXES);
    for (int i = 2; i <= ASKED; i++) {
        CHECK_EQUAL(sap_query_box(w, &all, ~0u, NULL, NULL), BOXES);
        sap_get_stats(w, &after);
        CHECK_EQUAL(after.query_tests, i * before.query_tests);
    }
    sap_destroy(w);
}

/* What queries have looked at since the last update is a sum, whatever changes between them. */
static void test_sum_of_looks(int method) {
    sap_config config = {0};
    sap_aabb box = {{2, 0, 0}, {3, 1, 1}};
    sap_stats first, second;
    config.method = method;
    sap_world *w = sap_create(&config);
    sap_id id = sap_add(w, &box, NULL);
    CHECK_EQUAL(sap_update(w), SAP_OK);
    for (int i = 0; i < 10; i++) CHECK_EQUAL(sap_query_box(w, &box, 0xffffffffu, NULL, NULL), 1);
    sap_get_stats(w, &first);
    CHECK(first.query_tests > 0);
    box.max[0] = 4;
    CHECK_EQUAL(sap_move(w, id, &box), SAP_OK);
    CHECK_EQUAL(sap_prepare_queries(w), SAP_OK);
    CHECK_EQUAL(sap_query_box(w, &box, 0xffffffffu, NULL, NULL), 1);
    sap_get_stats(w, &second);
    CHECK(second.query_tests > first.query_tests);
    CHECK_EQUAL(sap_update(w), SAP_OK);
    sap_get_stats(w, &second);
    CHECK(second.query_tests == 0);
    CHECK_EQUAL(sap_query_box(w, &box, 0xffffffffu, NULL, NULL), 1);
    CHECK_EQUAL(sap_update(w), SAP_OK); /* nothing is recorded */
    sap_get_stats(w, &second);
    CHECK(second.query_tests == 0);
    CHECK_EQUAL(sap_query_box(w, &box, 0xffffffffu, NULL, NULL), 1);
    CHECK_EQUAL(sap_remove(w, id), SAP_OK);
    CHECK_EQUAL(sap_update(w), SAP_OK); /* no box is left */
    sap_get_stats(w, &second);
    CHECK(second.query_tests == 0);
    sap_destroy(w);
}

/* Many take the largest floats for infinite. A floor with such bounds costs queries of the boxes above it nothing. */
static void test_endless_floor(void) {
    const float ends[] = {0, 30, TEST_FLOAT_MAX, TEST_INFINITY};
    long long least = 0;
    for (int e = 0; e < 4; e++) {
        const sap_aabb ground = {{-ends[e], -ends[e], -2}, {ends[e], ends[e], -1}};
        test_rng rng = {9};
        sap_stats stats;
        sap_world *w = sap_create(NULL);
        if (!CHECK(sap_add(w, &ground, NULL) != 0)) return;
        for (int i = 0; i < 3000; i++) {
            sap_aabb box;
            for (int k = 0; k < 3; k++) {
                box.min[k] = test_uniform(&rng, 0, 30);
                box.max[k] = box.min[k] + 1;
            }
            (void)sap_add(w, &box, NULL);
        }
        CHECK_EQUAL(sap_update(w), SAP_OK);
        for (int i = 0; i < 200; i++) {
            const float at[3] = {test_uniform(&rng, 0, 30), test_uniform(&rng, 0, 30), test_uniform(&rng, 0, 30)};
            const float along[3] = {test_uniform(&rng, -9, 9), test_uniform(&rng, -9, 9), test_uniform(&rng, -9, 9)};
            CHECK(sap_nearest(w, at, TEST_INFINITY, ~0u, NULL) != 0);
            CHECK(sap_query_sphere(w, at, 1, ~0u, NULL, NULL) >= 0);
            (void)sap_ray_closest(w, at, along, ~0u, NULL);
        }
        sap_get_stats(w, &stats);
        if (e == 0) least = stats.query_tests;
        CHECK_MESSAGE(stats.query_tests <= 2 * least, "%lld boxes are tested, not %lld", stats.query_tests, least);
        sap_destroy(w);
    }
}

/* ---- the calls of 0.4 by hand ---------------------------------------------------------------------------------- */

static int accept_asks(sap_id id, void *object, void *user) {
    sap_world *s = (sap_world *)user;
    CHECK(sap_is_valid(s, id) && sap_get_object(s, id) == object);
    CHECK_EQUAL(sap_update(s), SAP_ERROR_BUSY);
    return id != 1;
}

static int filter_asks(const sap_pair *pair, void *user) {
    sap_world *s = *(sap_world **)user;
    const float by[3] = {1, 0, 0};
    const sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    float t = 7;
    sap_id ids[2];
    CHECK_EQUAL(sap_ray_cast_ids(s, by, by, ~0u, ids, NULL, 2), -SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_nearest_to_ids(s, pair->id0, 1, ~0u, ids, NULL, 2), -SAP_ERROR_BUSY);
    CHECK(sap_box_closest_if(s, &box, by, ~0u, NULL, NULL, &t, NULL) == 0 && test_key(t) == test_key(-1));
    return 1;
}

static void test_new_calls(void) {
    static sap_world *s;
    const float from[3] = {-1, 0.5f, 0.5f}, by[3] = {10, 0, 0}, bad[3] = {0, TEST_NAN, 0};
    const sap_aabb endless = {{0, 0, 0}, {TEST_INFINITY, 1, 1}}, mover = {{-3, 0, 0}, {-2, 1, 1}};
    float t = 7, ts[4], normal[3];
    sap_id ids[4];
    sap_config config;
    memset(&config, 0, sizeof config);
    config.filter = filter_asks;
    config.filter_user = &s;
    s = sap_create(&config);
    for (int i = 0; i < 3; i++) {
        const sap_aabb box = {{(float)i * 0.75f, 0, 0}, {(float)i * 0.75f + 1, 1, 1}};
        CHECK_EQUAL(sap_add(s, &box, &ids[i]), (sap_id)i + 1);
    }
    CHECK_EQUAL(sap_ray_cast_ids(s, from, by, ~0u, ids, ts, 4), 3);
    CHECK(ids[0] == 1 && ids[1] == 2 && ids[2] == 3 && ts[0] < ts[1] && ts[1] < ts[2]);
    CHECK_EQUAL(sap_ray_cast_ids(s, from, by, ~0u, NULL, NULL, 0), 3);
    CHECK_EQUAL(sap_ray_cast_ids(s, from, by, 2, ids, ts, 4), 0);
    CHECK_EQUAL(sap_ray_cast_ids(NULL, from, by, ~0u, ids, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_cast_ids(s, NULL, by, ~0u, ids, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_cast_ids(s, from, bad, ~0u, ids, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_cast_ids(s, from, by, ~0u, NULL, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_ray_cast_ids(s, from, by, ~0u, ids, ts, -1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_nearest_to_ids(s, 1, TEST_INFINITY, ~0u, ids, ts, 4), 2);
    CHECK(ids[0] == 2 && ids[1] == 3 && ts[0] == 0 && ts[1] == 0.5f);
    CHECK_EQUAL(sap_nearest_to_ids(s, 1, 0.25f, ~0u, NULL, NULL, 0), 1);
    CHECK_EQUAL(sap_nearest_to_ids(NULL, 1, 1, ~0u, ids, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_nearest_to_ids(s, 9, 1, ~0u, ids, ts, 4), -SAP_ERROR_ID);
    CHECK_EQUAL(sap_nearest_to_ids(s, 1, -1, ~0u, ids, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_nearest_to_ids(s, 1, 1, ~0u, NULL, ts, 4), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_closest_if(s, &mover, by, ~0u, accept_asks, s, &t, normal), 2);
    CHECK(t > 0.27f && t < 0.28f && test_key(normal[0]) == test_key(-1));
    CHECK(sap_box_closest_if(s, &endless, by, ~0u, NULL, NULL, &t, normal) == 0 && test_key(t) == test_key(-1));
    CHECK(sap_box_closest_if(NULL, &mover, by, ~0u, NULL, NULL, NULL, NULL) == 0 && test_key(normal[0]) == 0);
    CHECK(sap_box_closest_if(s, &mover, by, 2, accept_asks, s, &t, normal) == 0 && t >= 1);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_destroy(s);
}

/* An array of as many floats as the used axes need, and no more: a sanitizer sees what is read beyond. */
static float *exact_array(int axes, float value) {
    const int n = axes & SAP_AXIS_Z ? 3 : axes & SAP_AXIS_Y ? 2 : 1;
    float *v = (float *)malloc((size_t)n * sizeof *v);
    if (!v) exit(2);
    for (int k = 0; k < n; k++) v[k] = axes >> k & 1 ? value : TEST_NAN;
    return v;
}

static void test_exact_arrays(void) {
    for (int axes = 1; axes < 8; axes++) {
        const sap_config config = {.axes = axes};
        sap_world *w = sap_create(&config);
        float *at = exact_array(axes, 0.5f), *from = exact_array(axes, -4), *by = exact_array(axes, 9), told, normal[3];
        sap_aabb unit = {{0, 0, 0}, {1, 1, 1}}, mover = {{-3, -3, -3}, {-2, -2, -2}}, box;
        const sap_id id = sap_add(w, &unit, NULL);
        sap_id ids[3];
        CHECK_EQUAL(sap_query_point(w, at, ~0u, NULL, NULL), 1);
        CHECK_EQUAL(sap_query_sphere(w, at, 1, ~0u, NULL, NULL), 1);
        CHECK_EQUAL(sap_query_sphere_ids(w, at, 1, ~0u, ids, 3), 1);
        CHECK_EQUAL(sap_query_nearest(w, from, 100, ~0u, NULL, NULL), 1);
        CHECK(sap_nearest(w, from, 100, ~0u, &told) == id && told >= 4);
        CHECK_EQUAL(sap_nearest_ids(w, from, 100, ~0u, ids, &told, 3), 1);
        CHECK_EQUAL(sap_ray_cast(w, from, by, ~0u, NULL, NULL), 1);
        CHECK_EQUAL(sap_ray_cast_ids(w, from, by, ~0u, ids, &told, 3), 1);
        CHECK_EQUAL(sap_ray_closest(w, from, by, ~0u, &told), id);
        CHECK_EQUAL(sap_box_cast(w, &mover, by, ~0u, NULL, NULL), 1);
        CHECK_EQUAL(sap_box_closest(w, &mover, by, ~0u, 0, &told, normal), id);
        CHECK_EQUAL(sap_box_closest_if(w, &mover, by, ~0u, NULL, NULL, &told, normal), id);
        box = mover;
        CHECK_EQUAL(sap_slide(w, &box, by, ~0u, 0, ids), 1); /* at a corner on all used axes: the lowest stops */
        box = mover;
        CHECK_EQUAL(sap_slide_if(w, &box, by, ~0u, NULL, NULL, ids), 1);
        CHECK_EQUAL(sap_shift_origin(w, at), SAP_OK);
        CHECK_EQUAL(sap_update(w), SAP_OK);
        sap_destroy(w);
        free(at), free(from), free(by);
    }
}

/* A predicate may not change the world. If it does, the change is recorded as any other, and nothing worse happens. */
typedef struct spoiler {
    sap_world *world;
    int deed, asked;
} spoiler;

static int accept_that_changes(sap_id id, void *object, void *user) {
    spoiler *p = (spoiler *)user;
    const sap_aabb away = {{50, 0, 0}, {51, 1, 1}};
    (void)object;
    CHECK_EQUAL(sap_update(p->world), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_query_box(p->world, &away, 1, NULL, NULL) >= 0, 1);
    switch (p->deed) {
    case 0: CHECK_EQUAL(sap_remove(p->world, id), SAP_OK); break;
    case 1: CHECK_EQUAL(sap_move(p->world, id, &away), SAP_OK); break;
    case 2:
        for (int i = 0; i < 300; i++) CHECK(sap_add(p->world, &away, NULL) != 0);
        break;
    default: CHECK_EQUAL(sap_clear(p->world), SAP_OK); break;
    }
    return ++p->asked > 10;
}

static void test_changes_in_accept(void) {
    for (int run = 0; run < 16; run++) {
        spoiler p = {sap_create(NULL), run % 4, 0};
        sap_aabb box = {{-5, 0, 0}, {-4, 1, 1}};
        const float by[3] = {30, 0, 0};
        float t, normal[3];
        sap_id ids[3];
        for (int i = 0; i < 40; i++) {
            const sap_aabb wall = {{(float)(i % 20), 0, 0}, {(float)(i % 20) + 0.5f, 1, 1}};
            CHECK(sap_add(p.world, &wall, NULL) != 0);
            if (i == 20 && run / 4 % 2) CHECK_EQUAL(sap_update(p.world), SAP_OK);
        }
        if (run < 8)
            (void)sap_box_closest_if(p.world, &box, by, ~0u, accept_that_changes, &p, &t, normal);
        else
            CHECK(sap_slide_if(p.world, &box, by, ~0u, accept_that_changes, &p, ids) >= 0);
        CHECK(p.asked > 0 && !sap_validate(p.world));
        CHECK_EQUAL(sap_update(p.world), SAP_OK);
        CHECK(!sap_validate(p.world));
        sap_destroy(p.world);
    }
}

/* More of the nearest than a query keeps values of, with many ties: in order, whatever the capacity. */
static void test_many_nearest(void) {
    static sap_id ids[2000], all[2000];
    const float at[3] = {20, 20, 0};
    sap_world *s = sap_create(NULL);
    for (int i = 0; i < 1600; i++) {
        const sap_aabb box = {{(float)(i % 40), (float)(i / 40), 0},
                              {(float)(i % 40) + 0.5f, (float)(i / 40) + 0.5f, 0}};
        if (!sap_add(s, &box, NULL)) exit(2);
    }
    CHECK_EQUAL(sap_nearest_ids(s, at, TEST_INFINITY, ~0u, all, NULL, 2000), 1600);
    for (int i = 1; i < 1600; i++) {
        sap_aabb a, b;
        (void)sap_get_box(s, all[i - 1], &a);
        (void)sap_get_box(s, all[i], &b);
        const distance before = distance_between(7, &a, &(sap_aabb){{20, 20, 0}, {20, 20, 0}});
        const distance here = distance_between(7, &b, &(sap_aabb){{20, 20, 0}, {20, 20, 0}});
        const int order = compare_distances(&before, &here);
        CHECK(order < 0 || (order == 0 && all[i - 1] < all[i]));
    }
    for (int capacity = 1; capacity < 1600; capacity += capacity < 140 ? 1 : 97) {
        CHECK_EQUAL(sap_nearest_ids(s, at, TEST_INFINITY, ~0u, ids, NULL, capacity), capacity);
        CHECK(!memcmp(ids, all, (size_t)capacity * sizeof *ids));
    }
    sap_destroy(s);
}

int main(int argc, char **argv) {
    int seeds = test_argument(argc, argv, 1, 150), seed;
    test_stop_among_new_boxes();
    test_move_before_the_visit();
    test_looks_of_many();
    for (seed = 0; seed < seeds / 3 + 1; seed++) test_nested(seed);
    for (int method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY; method++) test_sum_of_looks(method);
    test_endless_floor();
    test_infinite_casts();
    test_by_hand();
    test_beyond_floats();
    test_exact_arrays();
    test_as_long_as_floats();
    test_endless_rays();
    test_ties_of_casts();
    test_corners_that_casts_graze();
    test_told_distances();
    test_nearest_by_a_hair();
    test_box_closest();
    test_new_calls();
    test_changes_in_accept();
    test_many_nearest();
    test_update_callbacks();
    test_memory_midway();
    for (seed = 0; seed < seeds; seed++) test_worlds(seed);
    for (seed = 0; seed < KINDS; seed++) test_kernels(seed);
    if (flush_denormals(1))
        for (seed = 0; seed < KINDS; seed++) test_kernels(seed);
    (void)flush_denormals(0);
    for (seed = 0; seed < seeds / 5 + 1; seed++) test_mutation(seed);
    for (seed = 0; seed < seeds / 50 + 1; seed++) test_memory(seed);
    test_threads(1);
    CHECK_EQUAL(live_blocks, 0);
    CHECK_EQUAL(faults, 0);
    return test_summary();
}
