/* test_trace.c - SAP_TRACE: the update rules of the sweep-and-prune, watched one by one.

   With SAP_TRACE defined every update is an insertion sort, unless the config asks for another method, and says
     PASS    an endpoint of id0 passes one of id1
     START   a pair starts on this axis, and now overlaps on all
     STOP    a pair stops on this axis, and before overlapped on all
     REJECT  the rule fired, but the other axes say no
   The examples are those of Terdiman's paper (Sweep-and-prune, I.3, "Update rules"), in one dimension. */

#include "test.h"

typedef struct trace_step {
    int step, axis;
    uint32_t id0, id1;
} trace_step;

enum { MOST_STEPS = 1 << 20 };
static trace_step steps[MOST_STEPS];
static int step_count;

static void note(int step, int axis, uint32_t id0, uint32_t id1) {
    trace_step *e = &steps[step_count < MOST_STEPS - 1 ? step_count++ : step_count];
    e->step = step;
    e->axis = axis;
    e->id0 = id0;
    e->id1 = id1;
}

#define SAP_TRACE(step, axis, id0, id1) note((int)(step), (int)(axis), (uint32_t)(id0), (uint32_t)(id1))
#define SAP_IMPLEMENTATION
#include "sap.h"

#include "model.h"
#include "scenes.h"

/* How often this step was seen for these two boxes, whichever is named first. */
static int seen(int step, sap_id a, sap_id b) {
    int i, n = 0;
    for (i = 0; i < step_count; i++)
        n += steps[i].step == step &&
             ((steps[i].id0 == a && steps[i].id1 == b) || (steps[i].id0 == b && steps[i].id1 == a));
    return n;
}

static int all(int step) {
    int i, n = 0;
    for (i = 0; i < step_count; i++) n += steps[i].step == step;
    return n;
}

static sap_aabb interval(int axis, float low, float high) {
    sap_aabb box;
    memset(&box, 0, sizeof box);
    box.min[axis] = low;
    box.max[axis] = high;
    return box;
}

static sap_world *open_world(int axes, int method) {
    sap_config config;
    sap_world *s;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    config.method = method;
    s = sap_create(&config);
    if (!CHECK(s != NULL)) exit(1);
    return s;
}

/* A world of one axis with settled boxes, its trace still empty. */
static sap_world *line_world(int axis, int n, const sap_aabb *boxes) {
    sap_world *s = open_world(1 << axis, SAP_METHOD_SORT);
    int i;
    for (i = 0; i < n; i++) sap_add(s, &boxes[i], NULL);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    step_count = 0;
    return s;
}

static void moves(sap_world *s, int axis, sap_id id, float low, float high) {
    sap_aabb box = interval(axis, low, high);
    step_count = 0;
    CHECK_EQUAL(sap_move(s, id, &box), SAP_OK);
    CHECK_EQUAL(step_count, 0); /* recording passes nothing */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_validate(s) == NULL);
}

/* What one update must have shown: so many endpoints passed, and at most one start and one stop. */
static void shown(int axis, int passes, sap_id start0, sap_id start1, sap_id stop0, sap_id stop1) {
    int i;
    CHECK_EQUAL(all(SAP_STEP_PASS), passes);
    CHECK_EQUAL(all(SAP_STEP_START), start0 != 0);
    CHECK_EQUAL(all(SAP_STEP_STOP), stop0 != 0);
    if (start0) CHECK_EQUAL(seen(SAP_STEP_START, start0, start1), 1);
    if (stop0) CHECK_EQUAL(seen(SAP_STEP_STOP, stop0, stop1), 1);
    for (i = 0; i < step_count; i++) CHECK_EQUAL(steps[i].axis, axis);
}

static void paper_examples(int axis) {
    sap_aabb boxes[3];
    sap_world *s;
    int count, i, first_start, first_stop;

    /* [0] is box 1, [1] is box 2, and [2], box 3, moves right:
           [0] *---------*     [1] *---------*
                   [2] *---------*                 */
    boxes[0] = interval(axis, 0, 2);
    boxes[1] = interval(axis, 4, 5);
    boxes[2] = interval(axis, 1, 3);
    s = line_world(axis, 3, boxes);
    moves(s, axis, 3, 2.5f, 3); /* its min passes a max: [0] and [2] stop */
    shown(axis, 1, 0, 0, 1, 3);
    moves(s, axis, 3, 2.5f, 4.5f); /* its max passes a min: [1] and [2] start */
    shown(axis, 1, 2, 3, 0, 0);
    moves(s, axis, 3, 2.5f, 5.5f); /* its max passes a max: nothing to report */
    shown(axis, 1, 0, 0, 0, 0);
    CHECK_EQUAL(all(SAP_STEP_REJECT), 0);
    moves(s, axis, 3, 4.5f, 5.5f); /* its min passes a min: nothing to report */
    shown(axis, 1, 0, 0, 0, 0);
    moves(s, axis, 3, 4.6f, 5.6f); /* passes nothing */
    CHECK_EQUAL(step_count, 0);
    sap_destroy(s);

    /* and left */
    boxes[0] = interval(axis, 0, 2);
    boxes[1] = interval(axis, 3, 5);
    boxes[2] = interval(axis, 2.5f, 4);
    s = line_world(axis, 3, boxes);
    moves(s, axis, 3, 2.5f, 2.75f); /* its max passes a min: [1] and [2] stop */
    shown(axis, 1, 0, 0, 2, 3);
    moves(s, axis, 3, 1.5f, 2.75f); /* its min passes a max: [0] and [2] start */
    shown(axis, 1, 1, 3, 0, 0);
    moves(s, axis, 3, 1.5f, 1.75f); /* its max passes a max: nothing */
    shown(axis, 1, 0, 0, 0, 0);
    moves(s, axis, 3, -1, 1.75f); /* its min passes a min: nothing */
    shown(axis, 1, 0, 0, 0, 0);
    sap_destroy(s);

    /* [2] leaps over [0] in one update: start comes before stop, if they come at all, and the net change
       is nothing. */
    boxes[0] = interval(axis, 0, 1);
    boxes[1] = interval(axis, 2, 4);
    s = line_world(axis, 2, boxes);
    moves(s, axis, 2, -4, -2);
    CHECK_EQUAL(all(SAP_STEP_PASS), 4);
    CHECK_EQUAL(all(SAP_STEP_START), all(SAP_STEP_STOP));
    first_start = first_stop = -1;
    for (i = step_count - 1; i >= 0; i--) {
        if (steps[i].step == SAP_STEP_START) first_start = i;
        if (steps[i].step == SAP_STEP_STOP) first_stop = i;
    }
    CHECK(first_start <= first_stop);
    sap_created(s, &count);
    CHECK_EQUAL(count, 0);
    sap_deleted(s, &count);
    CHECK_EQUAL(count, 0);
    sap_destroy(s);

    /* Boxes that touch overlap: at equal values the min stands before the max. */
    boxes[0] = interval(axis, 0, 1);
    boxes[1] = interval(axis, 2, 3);
    s = line_world(axis, 2, boxes);
    moves(s, axis, 2, 1, 3);
    shown(axis, 1, 1, 2, 0, 0);
    moves(s, axis, 2, 0.5f, 3);
    CHECK_EQUAL(step_count, 0);
    moves(s, axis, 2, 1, 3);
    CHECK_EQUAL(step_count, 0);
    moves(s, axis, 2, test_float(0x3f800001u), 3); /* one step further */
    shown(axis, 1, 0, 0, 1, 2);
    sap_destroy(s);
}

/* Far apart on another axis, the rule fires and is turned down. */
static void reject(void) {
    sap_world *s = open_world(0, SAP_METHOD_SORT);
    sap_aabb a = {{0, 0, 0}, {1, 1, 1}}, b = {{2, 50, 0}, {3, 51, 1}};
    sap_add(s, &a, NULL);
    sap_add(s, &b, NULL);
    sap_update(s);
    step_count = 0;
    b.min[0] = 0.5f; /* starts along x, not on y */
    sap_move(s, 2, &b);
    sap_update(s);
    CHECK_EQUAL(all(SAP_STEP_PASS), 1);
    CHECK_EQUAL(all(SAP_STEP_REJECT), 1);
    CHECK_EQUAL(all(SAP_STEP_START) + all(SAP_STEP_STOP), 0);
    step_count = 0;
    b.min[0] = 2;
    sap_move(s, 2, &b);
    sap_update(s);
    CHECK_EQUAL(all(SAP_STEP_PASS), 1);
    CHECK_EQUAL(all(SAP_STEP_REJECT), 1);
    CHECK_EQUAL(all(SAP_STEP_START) + all(SAP_STEP_STOP), 0);
    sap_destroy(s);
}

/* In random scenes the pairs that start are those created, the pairs that stop are those deleted. */
static void random_scenes(int seed) {
    enum { N = 40 };
    test_rng rng;
    model m;
    sap_config config;
    sap_world *s;
    sap_id ids[N];
    sap_aabb boxes[N];
    int i, step, wrong = 0;
    scene kind = (scene)(seed % SCENE_COUNT);
    rng.state = (uint64_t)seed;
    memset(&config, 0, sizeof config);
    config.axes = 1 + seed % 7;
    model_init(&m, &config);
    s = open_world(config.axes, seed % 2 ? SAP_METHOD_SORT : SAP_METHOD_AUTO);
    for (i = 0; i < N; i++) {
        scene_box(&rng, kind, &boxes[i]);
        model_add(&m, &boxes[i], NULL, 0, &ids[i]);
        CHECK_EQUAL(sap_add(s, &boxes[i], NULL), ids[i]);
    }
    for (step = 0; step < 12; step++) {
        int created, deleted;
        const sap_pair *p, *q;
        model_update(&m, NULL, NULL);
        step_count = 0;
        CHECK_EQUAL(sap_update(s), SAP_OK);
        p = sap_created(s, &created);
        q = sap_deleted(s, &deleted);
        wrong += created != m.created.count || deleted != m.deleted.count;
        wrong += created && memcmp(p, m.created.items, (size_t)created * sizeof *p) != 0;
        wrong += deleted && memcmp(q, m.deleted.items, (size_t)deleted * sizeof *q) != 0;
        wrong += sap_validate(s) != NULL;
        for (i = 0; i < step_count; i++) {
            const trace_step *e = &steps[i];
            wrong += !sap_is_valid(s, e->id0) || !sap_is_valid(s, e->id1) || e->id0 == e->id1;
            wrong += e->axis < 0 || e->axis > 2 || !(config.axes >> e->axis & 1);
            if (!step) continue; /* whatever the first boxes do to come in */
            if (e->step == SAP_STEP_START) wrong += !model_find_pair(&m, e->id0, e->id1);
            if (e->step == SAP_STEP_STOP) wrong += model_find_pair(&m, e->id0, e->id1) != NULL;
        }
        for (i = 0; step && i < created; i++) wrong += seen(SAP_STEP_START, p[i].id0, p[i].id1) == 0;
        for (i = 0; step && i < deleted; i++) wrong += seen(SAP_STEP_STOP, q[i].id0, q[i].id1) == 0;
        if (step) {
            sap_stats stats;
            sap_get_stats(s, &stats);
            wrong += stats.swaps != all(SAP_STEP_PASS);
            wrong += stats.method != 0 && stats.method != SAP_METHOD_SORT; /* AUTO, too: it is what there is to see */
        }
        for (i = 0; i < N; i++) {
            if (test_chance(&rng, 30)) continue;
            if (test_chance(&rng, 10))
                scene_box(&rng, kind, &boxes[i]);
            else
                scene_nudge(&rng, kind, 0.3f, &boxes[i]);
            model_move_many(&m, 1, &ids[i], &boxes[i]);
            sap_move(s, ids[i], &boxes[i]);
        }
    }
    CHECK_MESSAGE(wrong == 0, "seed %d (%s): %d things are wrong", seed, scene_names[kind], wrong);
    model_free(&m);
    sap_destroy(s);
}

int main(int argc, char **argv) {
    int seeds = test_argument(argc, argv, 1, 100), seed, axis;
    for (axis = 0; axis < 3; axis++) paper_examples(axis);
    reject();
    for (seed = 1; seed <= seeds; seed++) random_scenes(seed);
    return test_summary();
}
