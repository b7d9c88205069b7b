/* test_prune.c - sap_box_prune and sap_box_prune_bipartite against two nested loops: every size around a chunk of boxes,
   every kind of scene, stops, bad boxes, and every allocation failing once; and worlds with each kernel, pruned.

   usage: test_prune [rounds] [first seed]   default 400 from 1 */

#include "ways.h"

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

/* What game worlds look like; scenes.h has the awkward kinds. */
typedef struct shape {
    float spread[3], size[3];
    int beams, crowds; /* percent of the boxes: without end on an axis; in a tenth of the spread */
} shape;

static const shape shapes[] = {
    {{20, 20, 20}, {1, 1, 1}, 0, 0},        /* uniform */
    {{100, 1, 100}, {1, 1, 1}, 0, 0},       /* flat */
    {{4, 2000, 4}, {1, 1, 1}, 0, 0},        /* towers */
    {{20, 20, 20}, {12, 0.3f, 0.3f}, 0, 0}, /* long */
    {{50, 50, 50}, {1, 1, 1}, 3, 0},        /* beams */
    {{60, 60, 60}, {1, 1, 1}, 0, 50},       /* crowds */
};

enum { SHAPES = sizeof shapes / sizeof shapes[0], KINDS = SCENE_COUNT + SHAPES };

static void shape_box(test_rng *rng, const shape *kind, sap_aabb *box) {
    int axis, beam = test_chance(rng, kind->beams) ? test_below(rng, 3) : -1, crowd = test_chance(rng, kind->crowds);
    for (axis = 0; axis < 3; axis++) {
        float at = test_uniform(rng, 0, kind->spread[axis]);
        if (crowd) at = 0.3f * kind->spread[axis] + 0.1f * at;
        box->min[axis] = axis == beam ? -TEST_INFINITY : at;
        box->max[axis] = axis == beam ? TEST_INFINITY : at + kind->size[axis] * test_uniform(rng, 0.5f, 1.5f);
    }
}

static const char *kind_name(int kind) {
    return kind < SCENE_COUNT ? scene_names[kind] : "a shape";
}

/* n boxes and one more, so that none is no null pointer. */
static sap_aabb *some_boxes(test_rng *rng, int kind, int used, int n) {
    sap_aabb *boxes = (sap_aabb *)malloc(((size_t)n + 1) * sizeof *boxes);
    int i;
    if (!boxes) exit(2);
    for (i = 0; i < n; i++) {
        if (kind < SCENE_COUNT)
            scene_box(rng, (scene)kind, &boxes[i]);
        else
            shape_box(rng, &shapes[kind - SCENE_COUNT], &boxes[i]);
        scene_spoil_unused(rng, used, &boxes[i]);
    }
    return boxes;
}

static const int axis_masks[] = {0, 0, 0, 7, SAP_2D, 1, 2, 4, 5, 6};

static void one_round(int seed, int kind, int na, int nb, int bipartite) {
    test_rng rng;
    int axes, used, i, j, wrong = 0, called = 0;
    long blocks = live_blocks;
    long long expected = 0, answer;
    sap_aabb *a, *b;
    hits h;
    rng.state = (uint64_t)seed * 31337u;
    axes = axis_masks[test_below(&rng, 10)];
    used = axes ? axes : 7;
    if (!bipartite) nb = na;
    a = some_boxes(&rng, kind, used, na);
    b = bipartite ? some_boxes(&rng, kind, used, nb) : a;
    memset(&h, 0, sizeof h);
    h.seen = (unsigned char *)calloc((size_t)na * (size_t)nb + 1, 1);
    if (!h.seen) exit(2);
    h.na = na;
    h.nb = nb;
    h.bipartite = bipartite;

    answer = prune(a, na, b, nb, axes, bipartite, hit, &h);
    for (i = 0; i < na; i++)
        for (j = bipartite ? 0 : i + 1; j < nb; j++) {
            int overlap = model_overlap(used, &a[i], &b[j]);
            expected += overlap;
            wrong += h.seen[(size_t)i * (size_t)nb + (size_t)j] != overlap;
        }
    CHECK_MESSAGE(
        answer == expected && h.count == expected && h.faults == 0 && wrong == 0,
        "seed %d (%s, axes %d, %d and %d boxes%s): %lld hits, %lld answered, %lld expected, %d faults, %d wrong", seed,
        kind_name(kind), axes, na, nb, bipartite ? ", bipartite" : "", h.count, answer, expected, h.faults, wrong);
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
    CHECK_EQUAL(live_blocks, blocks); /* nothing is kept */
    free(h.seen);
    if (bipartite) free(b);
    free(a);
}

/* Around 16, and where there are chunks of chunks. */
static void sizes(void) {
    static const int counts[] = {0, 1, 2, 15, 16, 17, 33, 300};
    size_t i, j;
    int kind;
    for (kind = 0; kind < KINDS; kind++)
        for (i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            one_round(kind + 1, kind, counts[i], 0, 0);
            for (j = 0; j < sizeof counts / sizeof counts[0]; j++)
                one_round(kind + 1 + (int)(i * j), kind, counts[i], counts[j], 1);
        }
}

static void random_round(int seed) {
    test_rng rng;
    int na, nb, bipartite;
    rng.state = (uint64_t)seed;
    na = test_below(&rng, 70);
    nb = test_below(&rng, 70);
    bipartite = test_chance(&rng, 50);
    if (seed % 25 == 3) {
        na = 3000 - test_below(&rng, 100);
        nb = test_below(&rng, 3000);
    }
    if (seed % 200 == 50) na = 8000;
    one_round(seed, seed % KINDS, na, nb, bipartite);
}

/* Each allocation fails once. Until none does, the answer is that there is no memory, nothing is reported before, and
   nothing is left behind. */
static void every_allocation_fails(int kind, int na, int nb, int bipartite) {
    test_rng rng = {4711};
    sap_aabb *a = some_boxes(&rng, kind, 7, na), *b = bipartite ? some_boxes(&rng, kind, 7, nb) : a;
    long blocks = live_blocks, first, i;
    long long expected = prune(a, na, b, nb, 0, bipartite, NULL, NULL), answer = -SAP_ERROR_MEMORY;
    CHECK(expected > 0);
    for (i = 0; answer == -SAP_ERROR_MEMORY && i < 1000; i++) {
        int called = 0;
        first = allocations;
        fail_from = first + i;
        fail_count = 1;
        answer = prune(a, na, b, nb, 0, bipartite, must_not_be_called, &called);
        never_fail();
        if (answer == -SAP_ERROR_MEMORY) CHECK_EQUAL(called, 0);
        CHECK_EQUAL(live_blocks, blocks);
        CHECK(answer == -SAP_ERROR_MEMORY || allocations - first <= i); /* one that failed is never passed over */
    }
    CHECK_EQUAL(answer, expected);
    CHECK(i > 1);
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

/* Each kernel this machine has finds the same pairs, in worlds that prune, and in worlds in which boxes look around. */
static void kernels_agree(int kind, int n) {
    test_rng rng = {815};
    sap_aabb *boxes = some_boxes(&rng, kind, 7, n);
    long long expected = sap_box_prune(boxes, n, 0, NULL, NULL);
    uint64_t hash = 0, first = 0;
    size_t w;
    for (w = 0; w < WAYS; w++) {
        sap_world *s = open_way(NULL, &ways[w]);
        sap_id *ids;
        const sap_pair *created;
        int i, round, count;
        if (!s) continue; /* not on this machine */
        ids = (sap_id *)malloc(((size_t)n + 1) * sizeof *ids);
        if (!ids) exit(2);
        hash = 14695981039346656037u;
        CHECK_EQUAL(sap_add_many(s, n, boxes, NULL, ids), SAP_OK);
        for (round = 0; round < 3; round++) { /* all, every third, every seventh box goes where another was */
            for (i = 0; round && i < n; i += 4 * round - 1)
                CHECK_EQUAL(sap_move(s, ids[i], &boxes[(i * 7 + round) % n]), SAP_OK);
            CHECK_EQUAL(sap_update(s), SAP_OK);
            created = sap_created(s, &count);
            if (round == 0) CHECK_EQUAL(count, expected);
            for (i = 0; i < count; i++) {
                uint64_t pair = (uint64_t)created[i].id0 << 32 | created[i].id1;
                hash = test_hash(hash, &pair, sizeof pair);
            }
        }
        if (w == 0) first = hash;
        CHECK_MESSAGE(hash == first, "%s, %d boxes (%s): other events than %s", ways[w].name, n, kind_name(kind),
                      ways[0].name);
        free(ids);
        sap_destroy(s);
    }
    free(boxes);
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

int main(int argc, char **argv) {
    int rounds = test_argument(argc, argv, 1, 400), first = test_argument(argc, argv, 2, 1), seed, kind;
    arguments();
    sizes();
    for (kind = 0; kind < KINDS; kind++) {
        if (kind == SCENE_ZEROS) continue; /* all pairs there are */
        kernels_agree(kind, 33);
        kernels_agree(kind, 700);
    }
    every_allocation_fails(SCENE_UNIFORM, 1500, 0, 0);
    every_allocation_fails(SCENE_UNIFORM, 900, 700, 1);
    every_allocation_fails(SCENE_SPARSE, 3000, 0, 0);
    for (seed = first; seed < first + rounds; seed++) random_round(seed);
    if (rounds > 2000) more_than_an_int(); /* takes seconds */
    return test_summary();
}
