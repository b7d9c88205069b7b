/* test_prune.c - sap_box_prune and sap_box_prune_bipartite against two nested loops; the kernels against each other,
   the sort against qsort.

   usage: test_prune [rounds] [first seed]   default 800 from 1 */

#define SAP_IMPLEMENTATION
#include "sap.h"

#include "test.h"
#include "model.h"
#include "scenes.h"

/* A table of which pairs have been reported, and how often the callback may still say "go on". */
typedef struct hits {
    unsigned char *seen; /* na x nb */
    int na, nb, bipartite;
    long long count, stop_at;
    int faults;
} hits;

static int hit(int i, int j, void *user) {
    hits *h = (hits *)user;
    if (i < 0 || j < 0 || i >= h->na || j >= h->nb || (!h->bipartite && i >= j))
        h->faults++;
    else if (h->seen[i * h->nb + j]++)
        h->faults++; /* reported twice */
    h->count++;
    return h->stop_at == 0 || h->count < h->stop_at;
}

static int must_not_be_called(int i, int j, void *user) {
    (void)i;
    (void)j;
    ++*(int *)user;
    return 1;
}

static long long prune(const sap_aabb *a, int na, const sap_aabb *b, int nb, int axes, int bipartite,
                       sap_prune_hit *callback, void *user) {
    return bipartite ? sap_box_prune_bipartite(a, na, b, nb, axes, callback, user)
                     : sap_box_prune(a, na, axes, callback, user);
}

static void one_round(int seed) {
    static const int masks[] = {0, 0, 0, 7, SAP_2D, 1, 2, 4, 5, 6};
    test_rng rng;
    scene kind;
    int axes, used, na, nb, bipartite, i, j, wrong = 0, called = 0;
    long long expected = 0, answer;
    sap_aabb *a, *b;
    hits h;
    rng.state = (uint64_t)seed * 31337u;
    kind = (scene)(seed % SCENE_COUNT);
    bipartite = test_chance(&rng, 50);
    axes = masks[test_below(&rng, 10)];
    used = axes ? axes : 7;
    na = test_below(&rng, 70);
    nb = test_below(&rng, 70);
    if (seed % 25 == 3) {
        na = 500 + test_below(&rng, 2500);
        nb = test_below(&rng, 3000);
    }
    if (seed % 100 == 50) { /* enough to cut space into many strips, with boxes across most of them */
        kind = SCENE_SPARSE;
        axes = 0;
        used = 7;
        bipartite = seed / 100 % 2;
        na = 8000;
        nb = 3000;
    }
    if (!bipartite) nb = na;
    a = (sap_aabb *)malloc(((size_t)na + 1) * sizeof *a);
    b = bipartite ? (sap_aabb *)malloc(((size_t)nb + 1) * sizeof *b) : a;
    memset(&h, 0, sizeof h);
    h.seen = (unsigned char *)calloc((size_t)na * (size_t)nb + 1, 1);
    if (!a || !b || !h.seen) exit(2);
    for (i = 0; i < na; i++) {
        scene_box(&rng, kind, &a[i]);
        scene_spoil_unused(&rng, used, &a[i]);
    }
    for (i = 0; bipartite && i < nb; i++) {
        scene_box(&rng, kind, &b[i]);
        scene_spoil_unused(&rng, used, &b[i]);
    }
    h.na = na;
    h.nb = nb;
    h.bipartite = bipartite;
    for (i = 0; i < na; i++)
        for (j = bipartite ? 0 : i + 1; j < nb; j++) expected += model_overlap(used, &a[i], &b[j]);

    answer = prune(a, na, b, nb, axes, bipartite, hit, &h);
    CHECK_MESSAGE(answer == expected && h.count == expected && h.faults == 0,
                  "seed %d (%s, axes %d, %d and %d boxes%s): %lld hits, %lld answered, %lld expected, %d faults", seed,
                  scene_names[kind], axes, na, nb, bipartite ? ", bipartite" : "", h.count, answer, expected, h.faults);
    for (i = 0; i < na; i++)
        for (j = bipartite ? 0 : i + 1; j < nb; j++)
            wrong += h.seen[i * nb + j] != (model_overlap(used, &a[i], &b[j]) ? 1 : 0);
    CHECK_MESSAGE(wrong == 0, "seed %d (%s): %d pairs are wrong", seed, scene_names[kind], wrong);
    CHECK_EQUAL(prune(a, na, b, nb, axes, bipartite, NULL, NULL), expected);

    if (expected) { /* stop early: the hit that stops is counted */
        memset(h.seen, 0, (size_t)na * (size_t)nb);
        h.count = 0;
        h.stop_at = 1 + (long long)(test_random(&rng) % (uint64_t)expected);
        answer = prune(a, na, b, nb, axes, bipartite, hit, &h);
        CHECK_EQUAL(answer, h.stop_at);
        CHECK_EQUAL(h.count, h.stop_at);
        CHECK_EQUAL(h.faults, 0);
    }
    if (na) { /* one bad box: refused before anything is reported */
        scene_damage(&rng, used,
                     bipartite && nb && test_chance(&rng, 50) ? &b[test_below(&rng, nb)] : &a[test_below(&rng, na)]);
        CHECK_EQUAL(prune(a, na, b, nb, axes, bipartite, must_not_be_called, &called), -SAP_ERROR_BOX);
        CHECK_EQUAL(prune(a, na, b, nb, axes, bipartite, NULL, NULL), -SAP_ERROR_BOX);
        CHECK_EQUAL(called, 0);
    }
    free(h.seen);
    if (bipartite) free(b);
    free(a);
}

static void arguments(void) {
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}}, bad;
    static const int wrong_axes[] = {-1, 8, 9, 256, (int)0x80000000u, 0x7fffffff};
    int called = 0;
    size_t i;
    hits h;
    unsigned char seen[4] = {0, 0, 0, 0};

    CHECK_EQUAL(sap_box_prune(NULL, 0, 0, NULL, NULL), 0);
    CHECK_EQUAL(sap_box_prune(&box, 0, 0, must_not_be_called, &called), 0);
    CHECK_EQUAL(sap_box_prune(&box, 1, 0, must_not_be_called, &called), 0);
    CHECK_EQUAL(sap_box_prune(NULL, 1, 0, must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_prune(&box, -1, 0, must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_prune_bipartite(NULL, 0, NULL, 0, 0, NULL, NULL), 0);
    CHECK_EQUAL(sap_box_prune_bipartite(&box, 1, NULL, 0, 0, must_not_be_called, &called), 0);
    CHECK_EQUAL(sap_box_prune_bipartite(NULL, 0, &box, 1, 0, must_not_be_called, &called), 0);
    CHECK_EQUAL(sap_box_prune_bipartite(NULL, 1, &box, 1, 0, must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_prune_bipartite(&box, 1, NULL, 1, 0, must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_prune_bipartite(&box, -1, &box, 1, 0, must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_box_prune_bipartite(&box, 1, &box, -1, 0, must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
    for (i = 0; i < sizeof wrong_axes / sizeof wrong_axes[0]; i++) {
        CHECK_EQUAL(sap_box_prune(&box, 1, wrong_axes[i], must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
        CHECK_EQUAL(sap_box_prune(NULL, 0, wrong_axes[i], must_not_be_called, &called), -SAP_ERROR_ARGUMENT);
        CHECK_EQUAL(sap_box_prune_bipartite(&box, 1, &box, 1, wrong_axes[i], must_not_be_called, &called),
                    -SAP_ERROR_ARGUMENT);
    }

    /* A bad box is an error also where it has nobody to meet. */
    bad = box;
    test_set_bits(&bad.max[1], 0x7f800001u);
    CHECK_EQUAL(sap_box_prune(&bad, 1, 0, must_not_be_called, &called), -SAP_ERROR_BOX);
    CHECK_EQUAL(sap_box_prune(&bad, 1, SAP_AXIS_Y, must_not_be_called, &called), -SAP_ERROR_BOX);
    CHECK_EQUAL(sap_box_prune(&bad, 1, SAP_AXIS_X | SAP_AXIS_Z, must_not_be_called, &called), 0);
    CHECK_EQUAL(sap_box_prune_bipartite(&bad, 1, NULL, 0, 0, must_not_be_called, &called), -SAP_ERROR_BOX);
    CHECK_EQUAL(sap_box_prune_bipartite(NULL, 0, &bad, 1, 0, must_not_be_called, &called), -SAP_ERROR_BOX);
    CHECK_EQUAL(called, 0);

    /* One array may stand on both sides: then a box also meets itself. */
    memset(&h, 0, sizeof h);
    h.seen = seen;
    h.na = h.nb = 1;
    h.bipartite = 1;
    CHECK_EQUAL(sap_box_prune_bipartite(&box, 1, &box, 1, 0, hit, &h), 1);
    CHECK_EQUAL(h.faults, 0);
}

/* The answer is wider than an int: a pile of 70,000 boxes has 2,449,965,000 pairs. */
static void more_than_an_int(void) {
    int n = 70000, i;
    sap_aabb *pile = (sap_aabb *)malloc((size_t)n * sizeof *pile);
    if (!pile) exit(2);
    for (i = 0; i < n; i++) memset(&pile[i], 0, sizeof pile[i]);
    CHECK_EQUAL(sap_box_prune(pile, n, 0, NULL, NULL), 2449965000);
    free(pile);
}

/* ---- what it costs, counted ------------------------------------------------------------------ */

enum { CROWD = 8000 };

/* Boxes of a kind, and the most tests that they may take: swept; 5 in 100 moved anywhere, and asked for; all moved by a
   little, and swept. The figures were counted, and are a tenth too large, so that a better choice of strips is no
   failure; half of them would be a miracle, or a mistake in the counting. */
typedef struct shape {
    const char *name;
    float spread[3], size[3];
    int beams, crowds; /* percent of the boxes: without end on an axis; in a tenth of the spread */
    long long swept, asked, again;
} shape;

static const shape shapes[] = {
    {"uniform", {20, 20, 20}, {1, 1, 1}, 0, 0, 600000, 62000, 640000},
    {"flat", {100, 1, 100}, {1, 1, 1}, 0, 0, 265000, 21000, 280000},
    {"towers", {4, 2000, 4}, {1, 1, 1}, 0, 0, 180000, 11500, 190000},
    {"long", {20, 20, 20}, {12, 0.3f, 0.3f}, 0, 0, 335000, 30500, 360000},
    {"beams", {50, 50, 50}, {1, 1, 1}, 3, 0, 370000, 38000, 385000},
    {"crowds", {60, 60, 60}, {1, 1, 1}, 0, 50, 1650000, 185000, 1880000},
};

static void shape_box(test_rng *rng, const shape *kind, sap_aabb *box) {
    int axis, beam = test_chance(rng, kind->beams) ? test_below(rng, 3) : -1, crowd = test_chance(rng, kind->crowds);
    for (axis = 0; axis < 3; axis++) {
        float at = test_uniform(rng, 0, kind->spread[axis]);
        if (crowd) at = 0.3f * kind->spread[axis] + 0.1f * at;
        box->min[axis] = axis == beam ? -TEST_INFINITY : at;
        box->max[axis] = axis == beam ? TEST_INFINITY : at + kind->size[axis] * test_uniform(rng, 0.5f, 1.5f);
    }
}

/* A chunk knows which of its boxes leave their strips or its stretch when they move, as the cuts do. */
static void check_misfits(const sap_world *s, test_rng *rng, const shape *kind) {
    static const int32_t all[6] = {-1, -1, -1, -1, -1, -1};
    const sap__strips *t = &s->moving;
    int i, e, lane, wrong = 0, astray = 0, leaving = 0;
    sap__box *boxes = (sap__box *)malloc(CROWD * sizeof *boxes);
    if (!CHECK(boxes != NULL)) exit(1);
    for (i = 0; i < CROWD; i++) { /* a third stands, a third creeps on a lattice, a third goes anywhere */
        sap_aabb box;
        shape_box(rng, kind, &box);
        (void)sap__encode(&box, all, &boxes[i]);
        if (i % 3 == 0) boxes[i] = *sap__recorded_box(s, (uint32_t)i);
        if (i % 3 != 1) continue;
        boxes[i] = *sap__recorded_box(s, (uint32_t)i);
        boxes[i].lo[i % 9 / 3] -= test_below(rng, 1 << 18);
        boxes[i].hi[i % 9 / 3] += test_below(rng, 1 << 18);
    }
    for (i = 0; i <= sap__wide_strip(t); i++)
        for (e = t->strip[i].start; e < t->strip[i].start + t->strip[i].count; e++) {
            sap__chunk c = t->chunks[t->chunk[e]];
            int32_t reach, most = SAP__BEFORE_ALL;
            uint32_t misfits;
            sap__limits at;
            sap__strip_limits(t, i, &at);
            at.first = t->first[e];
            at.last = e + 1 < t->strip[i].start + t->strip[i].count ? t->first[e + 1] : SAP__AFTER_ALL;
            sap__chunk_read(t, &c, t->fill[e], boxes);
            misfits = sap__chunk_misfits(&c, &at, &reach);
            for (lane = 0; lane < SAP__LANES; lane++) {
                uint32_t slot = c.ref[lane] & SAP__SLOT;
                sap__box turned = sap__nowhere, read;
                sap__span from, to;
                int row = i >> t->bits[1], column = i & ((1 << t->bits[1]) - 1), leaves, strays;
                sap__lane_box(&c, lane, &read);
                if (lane < t->fill[e]) sap__turn(t, &boxes[slot], &turned);
                wrong += !sap__same(&turned, &read);
                if (lane >= t->fill[e]) continue;
                most = turned.hi[0] > most ? turned.hi[0] : most;
                strays = turned.lo[0] < at.first || turned.lo[0] > at.last;
                wrong += strays != (int)(misfits >> lane & 1);
                astray += strays;
                sap__unpack_span(t->spans[slot], &from);
                sap__span_of(t, &turned, &to);
                if (from.wide) row = column = 0, to = from;
                leaves = (from.lo[0] == row && to.lo[0] != row) || (from.lo[1] == column && to.lo[1] != column) ||
                         (from.hi[0] == row && to.hi[0] != row) || (from.hi[1] == column && to.hi[1] != column);
                wrong += leaves != (int)(misfits >> (SAP__LANES + lane) & 1);
                leaving += leaves;
            }
            wrong += t->fill[e] && most != reach;
        }
    CHECK_EQUAL(wrong, 0);
    CHECK(astray > CROWD / 8);
    CHECK(leaving > CROWD / 16 || t->bits[0] + t->bits[1] == 0);
    free(boxes);
}

static int by_items(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Pairs that were found, in order. In a chunk either of two boxes may be named first: then the smaller ref is. */
static void sort_found(const sap__found *found, int either, uint64_t *items) {
    int i;
    for (i = 0; i < found->count; i++) {
        uint32_t a = found->a[i], b = found->b[i];
        items[i] = either && b < a ? sap__item(b, a) : sap__item(a, b);
    }
    qsort(items, (size_t)found->count, sizeof *items, by_items);
}

/* Have both kernels found the same, in any order? Both began behind one pair. */
static int are_same(const sap__found *found, const sap__found *other, int either) {
    uint64_t items[SAP__MOST_FOUND], others[SAP__MOST_FOUND];
    if (found->count != other->count) return 0;
    sort_found(found, either, items);
    sort_found(other, either, others);
    return memcmp(items, others, (size_t)found->count * sizeof *items) == 0;
}

static void begin_found(sap__found *found) {
    found->count = 1;
    found->a[0] = 1;
    found->b[0] = 2;
}

/* Chunk a with b, which may be a, and all boxes of a with b. How often the kernels differ. */
static int compare_kernels(const sap__kernel *kernel, const sap__kernel *other, const sap__chunk *a, int fill,
                           const sap__chunk *b, int32_t first) {
    static sap__found found, expected;
    long long tests = 1, expected_tests = 1;
    int lane, wrong;
    begin_found(&found);
    begin_found(&expected);
    kernel->meet(a, b, first, &found, &tests);
    other->meet(a, b, first, &expected, &expected_tests);
    wrong = tests != expected_tests;
    wrong += !are_same(&found, &expected, a == b);
    for (lane = 0; lane < fill; lane++) {
        sap__box box;
        sap__lane_box(a, lane, &box);
        begin_found(&found);
        begin_found(&expected);
        kernel->hits(b, &box, a->ref[lane], &found);
        other->hits(b, &box, a->ref[lane], &expected);
        wrong += !are_same(&found, &expected, 0);
    }
    return wrong;
}

/* In how many of eight boxes kernels differ as to where they are filed. */
static int compare_spans(const sap__kernel *kernel, const sap__kernel *other, const sap__strips *t,
                         const sap__box boxes[8]) {
    const sap__box *eight[8];
    sap__eight_spans spans, others;
    int i, wrong = 0;
    for (i = 0; i < 8; i++) eight[i] = &boxes[i];
    kernel->span(t, eight, &spans);
    other->span(t, eight, &others);
    for (i = 0; i < 8; i++)
        wrong += spans.packed[i] != others.packed[i] || spans.low[i] != others.low[i] ||
                 spans.high[i] != others.high[i] || spans.width[i] != others.width[i] ||
                 spans.slice[i] != others.slice[i];
    return wrong;
}

/* A box that starts and ends at cuts, or just below them: so it touches any number of strips. */
static void box_between_cuts(test_rng *rng, const sap__strips *t, sap__box *box) {
    int d;
    for (d = 0; d < 2; d++) {
        int strips = 1 << t->bits[d], first = test_below(rng, strips), last = first + test_below(rng, strips - first);
        box->lo[t->axis[d + 1]] = first ? t->cut[d][first] - test_below(rng, 2) : -SAP__INFINITY;
        box->hi[t->axis[d + 1]] = last ? t->cut[d][last] : SAP__INFINITY * test_below(rng, 2);
        if (last) box->hi[t->axis[d + 1]] -= test_below(rng, 2);
    }
    box->lo[t->axis[0]] = t->slice_from + test_below(rng, 1 << 16);
    box->hi[t->axis[0]] = SAP__INFINITY;
}

/* Of the boxes of a world, and of any that it may have. */
static int compare_all_spans(const sap__kernel *kernel, const sap__kernel *other, const sap_world *s) {
    test_rng rng = {20261123};
    sap__box boxes[8];
    int i, k, wrong = 0;
    for (i = 0; i + 8 <= sap__length(s->slots); i += 8) {
        for (k = 0; k < 8; k++) boxes[k] = *sap__recorded_box(s, (uint32_t)(i + k));
        wrong += compare_spans(kernel, other, &s->moving, boxes);
    }
    for (i = 0; i < 100; i++) {
        for (k = 0; k < 8; k++) box_between_cuts(&rng, &s->moving, &boxes[k]);
        wrong += compare_spans(kernel, other, &s->moving, boxes);
    }
    return wrong;
}

/* The kernels that this machine has are different ones, and say the same of each two chunks of a strip and of where
   each box is filed. */
static void check_kernels(const sap_world *s) {
    const sap__strips *t = &s->moving;
    sap__kernel scalar, best = sap__best_kernel(), kernel;
    int which, i, e, f, others = 0, wrong = 0;
    CHECK(sap__get_kernel(SAP__KERNEL_SCALAR, &scalar));
    for (which = SAP__KERNEL_SCALAR + 1; which <= SAP__KERNEL_WASM; which++) {
        if (!sap__get_kernel(which, &kernel)) continue;
        others++;
        wrong += compare_all_spans(&kernel, &scalar, s);
        CHECK(kernel.hits != scalar.hits && kernel.meet != scalar.meet);
        for (i = 0; i < 3; i++) CHECK(kernel.ask[i] != scalar.ask[i]);
        for (i = 0; i <= sap__wide_strip(t); i++) {
            int end = t->strip[i].start + t->strip[i].count;
            for (e = t->strip[i].start; e < end; e++)
                for (f = e; f < end && f < e + 4; f++)
                    wrong += compare_kernels(&kernel, &scalar, &t->chunks[t->chunk[e]], t->fill[e],
                                             &t->chunks[t->chunk[f]], t->first[f]);
        }
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(others > 0, best.hits != scalar.hits);
#ifdef SAP__LANES4_KERNEL
    CHECK(others > 0);
#endif
}

/* Chunks of any fill, in which any part of boxes overlap, up to all of them. */
static void kernels_agree(void) {
    test_rng rng = {20261122};
    sap__kernel scalar, kernel;
    int round, which, k, i, wrong = 0, most = 0;
    CHECK(sap__get_kernel(SAP__KERNEL_SCALAR, &scalar));
    for (round = 0; round < 2000; round++) {
        sap__chunk chunk[2];
        static sap__found found;
        long long tests = 0;
        int fill[2], extent = 1 + test_below(&rng, 200), first = SAP__AFTER_ALL;
        for (k = 0; k < 2; k++) {
            fill[k] = test_below(&rng, SAP__LANES + 1);
            for (i = 0; i < SAP__LANES; i++) {
                sap__box box = sap__nowhere;
                int d;
                for (d = 0; d < 3 && i < fill[k]; d++) {
                    box.lo[d] = test_below(&rng, 20) + (k && d == 0 ? 20 : 0);
                    box.hi[d] = box.lo[d] + test_below(&rng, extent);
                }
                if (k && box.lo[0] < first) first = box.lo[0];
                sap__put_lane(&chunk[k], i, &box, (uint32_t)(16 * k + i) | (uint32_t)test_below(&rng, 16) << 24);
            }
        }
        found.count = 0;
        scalar.meet(&chunk[0], &chunk[1], first, &found, &tests);
        if (found.count > most) most = found.count;
        for (which = SAP__KERNEL_SCALAR + 1; which <= SAP__KERNEL_WASM; which++) {
            if (!sap__get_kernel(which, &kernel)) continue;
            wrong += compare_kernels(&kernel, &scalar, &chunk[0], fill[0], &chunk[1], first);
            wrong += compare_kernels(&kernel, &scalar, &chunk[0], fill[0], &chunk[0], SAP__BEFORE_ALL);
        }
    }
    CHECK_EQUAL(wrong, 0);
    CHECK(most > 100);
}

static void check_tests(const sap_world *s, const shape *kind, const char *what, long long most) {
    sap_stats stats;
    sap_get_stats(s, &stats);
    CHECK_MESSAGE(stats.overlap_tests <= most && stats.overlap_tests >= most / 2, "%s, %s: %lld tests, expected %lld",
                  kind->name, what, stats.overlap_tests, most);
}

static void few_tests(const shape *kind) {
    static sap_id ids[CROWD];
    test_rng rng = {1};
    sap_world *s = sap_create(NULL);
    sap_aabb box;
    int i, axis;
    if (!CHECK(s != NULL)) exit(1);
    s->path = SAP_METHOD_PRUNE;
    for (i = 0; i < CROWD; i++) {
        shape_box(&rng, kind, &box);
        ids[i] = sap_add(s, &box, NULL);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    check_tests(s, kind, "swept", kind->swept);
    check_kernels(s);
    check_misfits(s, &rng, kind);
    s->path = SAP_METHOD_QUERY;
    for (i = 0; i < CROWD; i += 20) {
        shape_box(&rng, kind, &box);
        CHECK_EQUAL(sap_move(s, ids[i], &box), SAP_OK);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    check_tests(s, kind, "asked", kind->asked);
    CHECK(s->moving.ready);
    s->path = SAP_METHOD_PRUNE;
    for (i = 0; i < CROWD; i++) {
        (void)sap_get_box(s, ids[i], &box);
        for (axis = 0; axis < 3; axis++) {
            float step = test_uniform(&rng, -0.02f, 0.02f);
            box.min[axis] += step;
            box.max[axis] += step;
        }
        CHECK_EQUAL(sap_move(s, ids[i], &box), SAP_OK);
    }
    s->moving.need_chunks = -1; /* a build would say how many it needs */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    check_tests(s, kind, "swept again", kind->again);
    CHECK_EQUAL(s->moving.need_chunks, -1); /* the strips were taken along, not built anew */
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ---- the sort ------------------------------------------------------------------------------------------------- */

enum {
    SORT_ANY,
    SORT_FLOATS,
    SORT_LOW_OUTLIER,
    SORT_HIGH_OUTLIER,
    SORT_FEW_VALUES,
    SORT_ROWS,
    SORT_BACKWARDS,
    SORT_KINDS
};

static uint32_t sort_key(test_rng *rng, int kind, int i, int n) {
    float x = (float)test_below(rng, 1 << 24) / (1 << 18);
    switch (kind) {
    case SORT_FLOATS: return sap__sortable(sap__key(x));
    case SORT_LOW_OUTLIER: return sap__sortable(sap__key(i == n / 2 ? -1e30f : 40 + x / 100000)); /* the others alike */
    case SORT_HIGH_OUTLIER: return sap__sortable(sap__key(i == n / 2 ? 1e30f : 40 + x / 100000));
    case SORT_FEW_VALUES: return (uint32_t)test_below(rng, 5) * 0x31415926u;
    case SORT_ROWS: return (uint32_t)(i % 3) << 30 | (uint32_t)test_below(rng, 1 << 9);
    case SORT_BACKWARDS: return 0xffffffffu - (uint32_t)i * 100001u;
    default: return (uint32_t)test_below(rng, 1 << 16) << 16 | (uint32_t)test_below(rng, 1 << 16);
    }
}

static int by_item(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

enum { MOST_SORTED = 20000 };

static const int sort_sizes[] = {0,    1,    2,          SAP__FEW_ITEMS,      SAP__FEW_ITEMS + 1,
                                 63,   64,   300,        SAP__MANY_ITEMS - 1, SAP__MANY_ITEMS,
                                 1000, 4096, MOST_SORTED};

/* Sorted by keys, and equal keys by their payload, which ascends from the start: so the sort is stable. On each side of
   every limit at which it goes another way. */
static void sorts(void) {
    static uint64_t items[MOST_SORTED], tmp[MOST_SORTED], expected[MOST_SORTED];
    test_rng rng;
    size_t size;
    int kind, i;
    rng.state = 4711;
    for (size = 0; size < sizeof sort_sizes / sizeof sort_sizes[0]; size++)
        for (kind = 0; kind < SORT_KINDS; kind++) {
            int n = sort_sizes[size];
            for (i = 0; i < n; i++) expected[i] = items[i] = sap__item(sort_key(&rng, kind, i, n), (uint32_t)i);
            qsort(expected, (size_t)n, sizeof *expected, by_item);
            sap__sort(items, tmp, n);
            CHECK_MESSAGE(n == 0 || memcmp(items, expected, (size_t)n * sizeof *items) == 0, "%d keys of kind %d", n,
                          kind);
        }
}

enum {
    PAIRS_ANY,
    PAIRS_IN_ORDER,
    PAIRS_BACKWARDS,
    PAIRS_OF_ONE,      /* all have the first id in common */
    PAIRS_OF_FEW,      /* many have */
    PAIRS_IN_CROWDS,   /* six here and there have */
    PAIRS_OF_THE_SAME, /* equal ones */
    PAIRS_OF_OLD_SLOTS,
    PAIR_KINDS
};

static uint64_t pair_item(test_rng *rng, int kind, int i, int n) {
    uint32_t a = (uint32_t)test_below(rng, n), b = (uint32_t)(n + test_below(rng, n));
    switch (kind) {
    case PAIRS_IN_ORDER: a = (uint32_t)i / 3, b = (uint32_t)i % 3; break;
    case PAIRS_BACKWARDS: a = (uint32_t)(n - i) / 3, b = 3 - (uint32_t)i % 3; break;
    case PAIRS_OF_ONE: a = 7; break;
    case PAIRS_OF_FEW: a = a % 5 * 1000; break;
    case PAIRS_IN_CROWDS: a = i % 50 < 6 ? (uint32_t)(i / 50 * 50) : a; break;
    case PAIRS_OF_THE_SAME: b = a + 1; break;
    case PAIRS_OF_OLD_SLOTS: a |= (uint32_t)test_below(rng, 4) << 24, b |= (uint32_t)test_below(rng, 256) << 24; break;
    default: break;
    }
    return sap__item(a, b);
}

/* Pairs, by both of their ids. */
static void sorts_pairs(void) {
    static uint64_t items[MOST_SORTED], tmp[MOST_SORTED], expected[MOST_SORTED];
    test_rng rng = {4712};
    size_t size;
    int kind, i;
    for (size = 0; size < sizeof sort_sizes / sizeof sort_sizes[0]; size++)
        for (kind = 0; kind < PAIR_KINDS; kind++) {
            int n = sort_sizes[size];
            for (i = 0; i < n; i++) expected[i] = items[i] = pair_item(&rng, kind, i, n);
            qsort(expected, (size_t)n, sizeof *expected, by_item);
            sap__sort_pairs(items, tmp, n);
            CHECK_MESSAGE(n == 0 || memcmp(items, expected, (size_t)n * sizeof *items) == 0, "%d pairs of kind %d", n,
                          kind);
        }
}

/* Items that are all different, of any size: each kernel says how many are below each, and writes to no place more than
   an array of ranked ones has. */
static void ranks(void) {
    test_rng rng = {4713};
    sap__kernel kernel;
    int which, n, i, j, wrong = 0;
    for (which = SAP__KERNEL_SCALAR; which <= SAP__KERNEL_WASM; which++) {
        if (!sap__get_kernel(which, &kernel)) continue;
        CHECK(kernel.ranked >= SAP__FEW_ITEMS && kernel.ranked <= SAP__RANKED);
        for (n = 0; n <= kernel.ranked; n++) {
            uint64_t items[SAP__RANKED], extent = UINT64_MAX / SAP__RANKED >> (n % 3 * 25);
            int place[SAP__RANKED + 1];
            for (i = 0; i < n; i++) items[i] = extent * (uint64_t)i + (uint64_t)test_below(&rng, 1000);
            for (i = n - 1; i > 0; i--) { /* in any order */
                uint64_t item = items[i];
                j = test_below(&rng, i + 1);
                items[i] = items[j];
                items[j] = item;
            }
            place[SAP__RANKED] = -1;
            kernel.rank(items, n, place);
            for (i = 0; i < n; i++) {
                int below = 0;
                for (j = 0; j < n; j++) below += items[j] < items[i];
                wrong += place[i] != below;
            }
            wrong += place[SAP__RANKED] != -1;
        }
    }
    CHECK_EQUAL(wrong, 0);
}

/* ---- slices --------------------------------------------------------------------------------------------------- */

enum { SLICED = 3000 };

/* How many boxes share the fullest slice of the last build. */
static int fullest_slice(const sap__strips *t) {
    static int count[SAP__MOST_SLICES];
    int i, most = 0;
    memset(count, 0, sizeof count);
    for (i = 0; i < SLICED; i++) {
        CHECK(t->slice[i] < t->slices);
        if (++count[t->slice[i]] > most) most = count[t->slice[i]];
    }
    return most;
}

/* Chunks of any fill, whose boxes start at a few places. */
static void chunks_in_order(void) {
    test_rng rng = {78};
    int round, k, i, d, in_order = 0, wrong = 0;
    for (round = 0; round < 20000; round++) {
        sap__chunk chunk[2];
        int fill[2], expected = 1, behind = test_below(&rng, 12);
        for (k = 0; k < 2; k++) {
            fill[k] = 1 + test_below(&rng, SAP__LANES);
            for (i = 0; i < SAP__LANES; i++) {
                sap__box box = sap__nowhere;
                for (d = 0; d < 3 && i < fill[k]; d++) {
                    box.lo[d] = test_below(&rng, 8) + k * behind - (k && i == 0 ? 5 : 0);
                    box.hi[d] = box.lo[d] + test_below(&rng, 8);
                }
                sap__put_lane(&chunk[k], i, &box, 0);
            }
        }
        for (k = 0; k < 2; k++)
            for (i = 0; i < fill[k]; i++)
                expected &= k ? chunk[1].lo[0][i] >= chunk[1].lo[0][0] : chunk[0].lo[0][i] <= chunk[1].lo[0][0];
        wrong += sap__are_in_order(&chunk[0], &chunk[1]) != expected;
        in_order += expected;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK(in_order > 2000 && in_order < 18000);
}

/* Whatever a build believes of where boxes start: chunks come out the same, but for who of those that start at one
   place is where; and some builds later slices suit the boxes. */
static void slices(void) {
    static const float ends[][2] = {{0, 0} /* infinite ones */,
                                    {-1, 101},
                                    {-1e30f, 1e30f},
                                    {1e6f, 2e6f},
                                    {-3e6f, -2},
                                    {50, 50.1f},
                                    {60, 40},
                                    {-3e38f, 3e38f}};
    static sap__box boxes[SLICED];
    static int32_t first[4 * SLICED];
    sap__kernel kernel = sap__best_kernel();
    sap__strips t;
    test_rng rng = {77};
    size_t belief;
    int i, k, kind, build;
    for (kind = 0; kind < 5; kind++) {
        memset(&t, 0, sizeof t);
        for (i = 0; i < SLICED; i++)
            for (k = 0; k < 3; k++) {
                float at = kind ? test_uniform(&rng, 0, 100) : test_uniform(&rng, -300, -200);
                if (kind == 1 && i % 2) at = 50;                                            /* a crowd at one place */
                if (kind == 2) at = at < 99 ? at / 1000 : at * at * at;                     /* and some far away */
                if (kind == 3 && i % 40 == 0) at = i % 80 ? TEST_INFINITY : -TEST_INFINITY; /* halls without walls */
                if (kind == 4 && i % 40 == 0) at = 50 + at / 1e6f;                          /* a knot in one slice */
                boxes[i].lo[k] = sap__key(at);
                boxes[i].hi[k] = sap__key(at + test_uniform(&rng, 0, 3));
            }
        for (belief = 0; belief < sizeof ends / sizeof ends[0]; belief++) {
            for (build = 0; build < 12; build++) {
                int wrong = 0, e, s;
                CHECK(sap__strips_build(&t, &kernel, boxes, SLICED, NULL, SLICED));
                if (!CHECK(t.need_entries <= 4 * SLICED)) exit(1);
                for (s = t.begin; s < t.end; s++)
                    for (e = t.strip[s].start; e < t.strip[s].start + t.strip[s].count; e++) {
                        int32_t to = e + 1 < t.strip[s].start + t.strip[s].count ? t.first[e + 1] : SAP__AFTER_ALL;
                        const sap__chunk *c = &t.chunks[t.chunk[e]];
                        for (i = 0; i < t.fill[e]; i++) wrong += c->lo[0][i] < t.first[e] || c->lo[0][i] > to;
                        if (belief == 0 && build == 0) first[e] = t.first[e];
                        wrong += first[e] != t.first[e];
                    }
                CHECK_MESSAGE(wrong == 0, "kind %d, belief %d, build %d: %d starts are wrong", kind, (int)belief, build,
                              wrong);
                if (build == 0) {
                    t.slice_from = belief ? sap__key(ends[belief][0]) : -SAP__INFINITY;
                    t.slice_to = belief ? sap__key(ends[belief][1]) : SAP__INFINITY;
                }
            }
            if (kind == 0) CHECK_MESSAGE(fullest_slice(&t) < SLICED / 16, "slices after belief %d", (int)belief);
        }
        sap__strips_free(&t);
    }
}

int main(int argc, char **argv) {
    int rounds = test_argument(argc, argv, 1, 800), first = test_argument(argc, argv, 2, 1), seed;
    size_t i;
    arguments();
    sorts();
    sorts_pairs();
    ranks();
    chunks_in_order();
    slices();
    kernels_agree();
    for (i = 0; i < sizeof shapes / sizeof shapes[0]; i++) few_tests(&shapes[i]);
    for (seed = first; seed < first + rounds; seed++) one_round(seed);
    if (rounds > 2000) more_than_an_int(); /* takes seconds */
    return test_summary();
}
