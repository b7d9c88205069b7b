/* test_multi.c - a grid of SAPs gives the answers of one sap_world, byte for byte.

   One sequence of random calls goes to a sap_world, which test_model.c compares with brute force, and to several
   sap_multis, each with another grid, other threads, another path and kernel. After every update everything that can
   be seen must be the same: events, ids, results, the order of the pairs, snapshots, queries.

   usage: test_multi [seeds] [first seed]   default 96 from 1; a failure names its seed. With 60 seeds and more each
   allocation fails once, with fewer some of them; with fewer than 10, which is for the thread sanitizer, three long
   tests of a single thread are left out */

#include <limits.h>
#include <math.h>

#include "scenes.h"
#include "threads.h"
#include "ways.h"

static void *multi_realloc(void *p, size_t size) {
    if (is_in_a_job()) faults++;
    return test_realloc(p, size);
}

static void multi_free(void *p) {
    if (is_in_a_job()) faults++;
    test_free(p);
}

enum { MOST_BOXES = 24000, WORLDS = 4 };

/* ---- several worlds that are told the same ------------------------------------------------------------------- */

typedef struct run run;

typedef struct world {
    sap_world *one; /* the first world of a run */
    sap_multi *many;
    const char *grid;
    int threads;
    test_rng shuffle;
    uint32_t version[MOST_BOXES]; /* by slot: what the filter answers by */
    uint64_t heard;               /* by callbacks, all of it, in order */
    run *run;
} world;

struct run {
    test_rng rng;
    world worlds[WORLDS];
    sap_filter *filter; /* of all of them, now */
    scene scene;
    int axes, clusters, user_filter, masks, records_inside;
    int seed, step, update, bad;
    sap_id ids[MOST_BOXES]; /* live ones, and some that are gone */
    int count;
    struct { /* a snapshot of some time ago */
        void *bytes;
        size_t size;
        sap_id ids[MOST_BOXES];
        uint32_t version[MOST_BOXES];
        int count;
    } saved;
};

static run shared; /* too large for a stack */

/* The verb, with at least one more argument; without one: ASK. */
#define CALL(w, verb, ...) ((w)->many ? sap_multi_##verb((w)->many, __VA_ARGS__) : sap_##verb((w)->one, __VA_ARGS__))
#define ASK(w, verb) ((w)->many ? sap_multi_##verb((w)->many) : sap_##verb((w)->one))

static void holds(run *r, const world *w, int ok, const char *what, int line) {
    if (!test_check(ok, __FILE__, line, "%s (seed %d, step %d, %s, axes %d, %s, %d threads)", what, r->seed, r->step,
                    scene_names[r->scene], r->axes, w->grid, w->threads))
        r->bad = 1;
}

#define HOLDS(r, w, condition) holds(r, w, (condition) ? 1 : 0, #condition, __LINE__)

/* One call on every world w: each must answer what the first one does. */
#define ALL(r, call)                                                                                                   \
    do {                                                                                                               \
        long long first_ = 0, seen_;                                                                                   \
        int i_;                                                                                                        \
        for (i_ = 0; i_ < WORLDS && !(r)->bad; i_++) {                                                                 \
            world *w = &(r)->worlds[i_];                                                                               \
            seen_ = (long long)(call);                                                                                 \
            if (i_ == 0) first_ = seen_;                                                                               \
            holds(r, w, seen_ == first_, #call, __LINE__);                                                             \
            HOLDS(r, w, ASK(w, last_error) == ASK(&(r)->worlds[0], last_error));                                       \
        }                                                                                                              \
    } while (0)

/* ---- boxes --------------------------------------------------------------------------------------------------- */

static void new_box(run *r, test_rng *rng, sap_aabb *box) {
    int k, cluster = test_below(rng, 3) - 1;
    scene_box(rng, r->scene, box);
    if (r->clusters) /* thousands of cells apart */
        for (k = 0; k < 3; k++) {
            box->min[k] += (float)(cluster * (k + 1)) * 4096;
            box->max[k] += (float)(cluster * (k + 1)) * 4096;
        }
    scene_spoil_unused(rng, r->axes, box);
}

/* Live, or one that must be refused. */
static sap_id any_id(run *r) {
    return r->count ? r->ids[test_below(&r->rng, r->count)] : (sap_id)test_below(&r->rng, 3);
}

static void remember(run *r, sap_id id) {
    if (id && r->count < MOST_BOXES) r->ids[r->count++] = id;
}

/* Most of those that are gone are not needed any more. */
static void forget_some(run *r) {
    int i, n = 0;
    for (i = 0; i < r->count; i++)
        if (CALL(&r->worlds[0], is_valid, r->ids[i]) || test_chance(&r->rng, 5)) r->ids[n++] = r->ids[i];
    r->count = n;
}

/* ---- callbacks ------------------------------------------------------------------------------------------------- */

static int some_pairs(const sap_pair *pair, void *user) {
    const world *w = (const world *)user;
    uint32_t key[4];
    if (is_in_a_job()) faults++;
    if (!CALL(w, is_valid, pair->id0) || pair->user_data || pair->id0 >= pair->id1) faults++;
    key[0] = pair->id0;
    key[1] = pair->id1;
    key[2] = w->version[pair->id0 & 0xffffff];
    key[3] = w->version[pair->id1 & 0xffffff];
    return test_hash(14695981039346656037u, key, sizeof key) >> 20 & 3 ? 1 : 0;
}

static void hear(world *w, const void *data, size_t size) {
    w->heard = test_hash(w->heard, data, size);
}

/* Inside a callback all verbs but a few may be called. What is called hangs on the pair alone, so that every world
   does the same. */
static void record_inside(world *w, const sap_pair *pair, test_rng *rng) {
    run *r = w->run;
    long long answer = 0;
    sap_aabb box;
    sap_id id;
    new_box(r, rng, &box);
    switch (test_below(rng, 80)) {
    case 0: answer = CALL(w, move, pair->id0, &box); break;
    case 1: answer = CALL(w, remove, pair->id1); break;
    case 2:
        if (ASK(w, count) >= 400) return;
        id = CALL(w, add, &box, NULL);
        answer = id;
        if (w == &r->worlds[0]) remember(r, id);
        break;
    case 3: answer = CALL(w, set_filter, pair->id0, 3, (uint32_t)test_below(rng, 4)); break;
    case 4:
        w->version[pair->id1 & 0xffffff] = (uint32_t)test_below(rng, 4);
        answer = CALL(w, refilter, pair->id1);
        break;
    case 5: answer = CALL(w, set_pair_data, pair->id0, pair->id1, w); break;
    case 6: answer = CALL(w, query_box, &box, ~0u, NULL, NULL); break;
    case 7: answer = CALL(w, pairs_of, pair->id0, NULL, 0); break;
    case 9: answer = CALL(w, set_static, pair->id0, test_below(rng, 2)); break;
    case 10: answer = CALL(w, nearest_to, pair->id0, 5, ~0u, NULL); break;
    case 8: answer = (int)ASK(w, update) * 100 + CALL(w, dump_pairs, NULL, NULL, NULL); break;
    default: return;
    }
    hear(w, &answer, sizeof answer);
}

static void hear_pair(world *w, const sap_pair *pair, int kind) {
    test_rng rng;
    hear(w, &kind, sizeof kind);
    hear(w, pair, sizeof *pair);
    rng.state = ((uint64_t)pair->id0 << 32 | pair->id1) + (uint64_t)w->run->update * 2 + (uint64_t)kind;
    if (w->run->records_inside) record_inside(w, pair, &rng);
}

static void see_deleted(const sap_pair *pair, void *user) {
    hear_pair((world *)user, pair, 0);
}

static void *see_created(const sap_pair *pair, void *user) {
    world *w = (world *)user;
    hear_pair(w, pair, 1);
    return (void *)(uintptr_t)((pair->id0 * 7919u + pair->id1 * 104729u + (uint32_t)w->run->update) | 1);
}

/* ---- comparing ------------------------------------------------------------------------------------------------- */

static int same_arrays(const sap_pair *a, int count_a, const sap_pair *b, int count_b) {
    return count_a == count_b && (count_a == 0 || memcmp(a, b, (size_t)count_a * sizeof *a) == 0);
}

#define SAME_ARRAYS(r, w, verb)                                                                                        \
    do {                                                                                                               \
        int m_, n_;                                                                                                    \
        const sap_pair *a_ = sap_##verb((r)->worlds[0].one, &m_), *b_ = sap_multi_##verb((w)->many, &n_);              \
        holds(r, w, same_arrays(a_, m_, b_, n_), "sap_multi_" #verb, __LINE__);                                        \
    } while (0)

static void *save(run *r, const world *w, size_t *size) {
    void *bytes;
    *size = ASK(w, snapshot_size);
    bytes = malloc(*size + 1);
    if (!bytes) exit(2);
    HOLDS(r, w, CALL(w, save, bytes, *size) == SAP_OK);
    return bytes;
}

/* Boxes, ids, filters, free slots, what is recorded, pairs and their data: all of it is in a snapshot. */
static void compare_snapshots(run *r) {
    size_t size, seen_size;
    void *bytes = save(r, &r->worlds[0], &size), *seen;
    int i;
    for (i = 1; i < WORLDS && !r->bad; i++) {
        const world *w = &r->worlds[i];
        seen = save(r, w, &seen_size);
        HOLDS(r, w, size == seen_size && memcmp(bytes, seen, size) == 0);
        free(seen);
    }
    free(bytes);
}

static void compare_settled(run *r) {
    int i, k;
    for (i = 1; i < WORLDS && !r->bad; i++) {
        world *w = &r->worlds[i];
        const char *broken = sap_multi_validate(w->many);
        sap_stats a, b;
        holds(r, w, broken == NULL, broken ? broken : "sap_multi_validate", __LINE__);
        SAME_ARRAYS(r, w, created);
        SAME_ARRAYS(r, w, deleted);
        SAME_ARRAYS(r, w, pairs);
        HOLDS(r, w, w->heard == r->worlds[0].heard);
        sap_get_stats(r->worlds[0].one, &a);
        sap_multi_get_stats(w->many, &b);
        HOLDS(r, w, a.boxes == b.boxes && a.static_boxes == b.static_boxes && a.pairs == b.pairs);
        HOLDS(r, w, a.created == b.created && a.deleted == b.deleted && ASK(w, count) == a.boxes);
    }
    if (r->update % 3 == 0 && !r->bad) compare_snapshots(r);
    for (k = 0; k < 4; k++) {
        sap_id a = any_id(r), b = any_id(r);
        sap_id others[WORLDS][20];
        memset(others, 0, sizeof others);
        if (r->update % 2) { /* else chains and lists are not made, but where an update needs them */
            ALL(r, CALL(w, pairs_of, a, others[w - r->worlds], 20));
            for (i = 1; i < WORLDS && !r->bad; i++)
                HOLDS(r, &r->worlds[i], memcmp(others[0], others[i], sizeof others[0]) == 0);
            ALL(r, CALL(w, find_pair, a, b) != NULL);
        }
        ALL(r, CALL(w, is_valid, a));
        ALL(r, (uintptr_t)CALL(w, get_object, a));
    }
}

/* ---- queries --------------------------------------------------------------------------------------------------- */

typedef struct hit {
    sap_id id;
    float t;
} hit;

typedef struct hits {
    hit items[MOST_BOXES];
    int count;
} hits;

static hits expected_hits, seen_hits;

static int see_hit(sap_id id, void *object, void *user) {
    hits *h = (hits *)user;
    (void)object;
    if (h->count < MOST_BOXES) {
        h->items[h->count].id = id;
        h->items[h->count].t = 0;
        h->count++;
    }
    return 1;
}

static float see_ray_hit(sap_id id, void *object, float t, void *user) {
    hits *h = (hits *)user;
    (void)see_hit(id, object, user);
    h->items[h->count - 1].t = t;
    return 1;
}

static float see_near_hit(sap_id id, void *object, float t, void *user) {
    (void)see_ray_hit(id, object, t, user);
    return TEST_INFINITY; /* all of them */
}

static int compare_hits(const void *a, const void *b) {
    sap_id x = ((const hit *)a)->id, y = ((const hit *)b)->id;
    return x < y ? -1 : x > y;
}

typedef struct question {
    int kind;
    sap_aabb box;
    float point[3], way[3], reach;
    uint32_t mask;
    sap_id id;
} question;

/* The ids that a query has written, as hits. */
static int keep_ids(hits *h, int n, const sap_id *ids, int capacity) {
    int i;
    for (i = 0; i < n && i < capacity; i++) (void)see_hit(ids[i], NULL, h);
    return n;
}

/* One query; what it visits goes to h, sorted by id; what else it says is returned as one number. */
static uint64_t ask(const world *w, const question *q, hits *h) {
    struct {
        int64_t count;
        uint32_t id;
        float t;
    } answer;
    enum { MOST_IDS = 40 };
    sap_id ids[MOST_IDS];
    float distances[MOST_IDS], normal[3];
    const int capacity = (int)(q->mask + q->id) % MOST_IDS;
    memset(&answer, 0, sizeof answer);
    h->count = 0;
    switch (q->kind) {
    case 0: answer.count = CALL(w, query_box, &q->box, q->mask, see_hit, h); break;
    case 1: answer.count = CALL(w, query_point, q->point, q->mask, see_hit, h); break;
    case 2: answer.count = CALL(w, query_sphere, q->point, q->reach, q->mask, see_hit, h); break;
    case 3: answer.count = CALL(w, ray_cast, q->point, q->way, q->mask, see_ray_hit, h); break;
    case 4: answer.count = CALL(w, box_cast, &q->box, q->way, q->mask, see_ray_hit, h); break;
    case 5: answer.id = CALL(w, ray_closest, q->point, q->way, q->mask, &answer.t); break;
    case 6: answer.id = CALL(w, nearest, q->point, q->reach, q->mask, &answer.t); break;
    case 7: answer.id = CALL(w, nearest_to, q->id, q->reach, q->mask, &answer.t); break;
    case 8: answer.count = CALL(w, query_nearest, q->point, q->reach, q->mask, see_near_hit, h); break;
    case 9: answer.count = keep_ids(h, CALL(w, query_box_ids, &q->box, q->mask, ids, capacity), ids, capacity); break;
    case 10:
        answer.count =
            keep_ids(h, CALL(w, query_sphere_ids, q->point, q->reach, q->mask, ids, capacity), ids, capacity);
        break;
    case 11:
        answer.count = CALL(w, nearest_ids, q->point, q->reach, q->mask, ids, distances, capacity);
        answer.count = keep_ids(h, (int)answer.count, ids, capacity);
        if (answer.count > 0 && capacity > 0) answer.t = distances[answer.count - 1]; // without room it counts all
        break;
    case 12:
        answer.id = CALL(w, box_closest, &q->box, q->way, q->mask, q->id, &answer.t, normal);
        answer.count = (int)normal[0] * 100 + (int)normal[1] * 10 + (int)normal[2];
        break;
    default: answer.count = ASK(w, prepare_queries);
    }
    qsort(h->items, (size_t)h->count, sizeof *h->items, compare_hits);
    return test_hash(14695981039346656037u, &answer, sizeof answer);
}

static void compare_queries(run *r) {
    static const char *const names[] = {"query_box",     "query_point",    "query_sphere",     "ray_cast",
                                        "box_cast",      "ray_closest",    "nearest",          "nearest_to",
                                        "query_nearest", "query_box_ids",  "query_sphere_ids", "nearest_ids",
                                        "box_closest",   "prepare_queries"};
    question q;
    sap_aabb from, to;
    int k, i;
    new_box(r, &r->rng, &q.box);
    new_box(r, &r->rng, &from);
    new_box(r, &r->rng, &to);
    for (k = 0; k < 3; k++) q.point[k] = from.min[k], q.way[k] = to.max[k];
    q.id = any_id(r);
    q.reach = test_uniform(&r->rng, 0, 20);
    q.mask = test_chance(&r->rng, 80) ? ~0u : (uint32_t)test_below(&r->rng, 8);
    for (q.kind = 0; q.kind < 14; q.kind++) {
        uint64_t expected = ask(&r->worlds[0], &q, &expected_hits);
        for (i = 1; i < WORLDS && !r->bad; i++) {
            const world *w = &r->worlds[i];
            int same = ask(w, &q, &seen_hits) == expected && seen_hits.count == expected_hits.count &&
                       memcmp(seen_hits.items, expected_hits.items, (size_t)seen_hits.count * sizeof(hit)) == 0;
            holds(r, w, same, names[q.kind], __LINE__);
        }
    }
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

static void do_add(run *r) {
    sap_aabb box;
    sap_id id = 0;
    int is_static = test_chance(&r->rng, 25);
    void *object = (void *)(uintptr_t)test_below(&r->rng, 1000);
    new_box(r, &r->rng, &box);
    if (test_chance(&r->rng, 1)) scene_damage(&r->rng, r->axes, &box);
    ALL(r, id = is_static ? CALL(w, add_static, &box, object) : CALL(w, add, &box, object));
    remember(r, id);
    if (id && test_chance(&r->rng, r->masks)) {
        uint32_t category = 1u << test_below(&r->rng, 3), mask = (uint32_t)test_below(&r->rng, 8);
        if (r->masks > 50) mask = 1u << test_below(&r->rng, 3); /* most are apart */
        ALL(r, CALL(w, set_filter, id, category, mask));
    }
}

static sap_aabb some_boxes[MOST_BOXES];
static sap_id some_ids[MOST_BOXES];

static void do_add_many(run *r, int n) {
    int i, is_static = test_chance(&r->rng, 25);
    if (n > MOST_BOXES - r->count) n = MOST_BOXES - r->count;
    for (i = 0; i < n; i++) new_box(r, &r->rng, &some_boxes[i]);
    ALL(r, is_static ? CALL(w, add_static_many, n, some_boxes, NULL, some_ids)
                     : CALL(w, add_many, n, some_boxes, NULL, some_ids));
    for (i = 0; i < n; i++) remember(r, some_ids[i]);
}

static void do_remove_some(run *r, int n) {
    int i, k;
    for (; n > 0 && r->count && !r->bad; n--) {
        sap_id id = any_id(r);
        ALL(r, CALL(w, remove, id));
    }
    if (r->count < 4 || !test_chance(&r->rng, 30)) return;
    k = r->count / 2; /* half of them, or none if one is gone already */
    for (i = 0; i < k; i++) some_ids[i] = r->ids[2 * i];
    if (test_chance(&r->rng, 20)) ALL(r, CALL(w, remove_many, k, some_ids));
}

/* Of a box that is where `was` is: a step, anywhere else, far out along a line, or onto another box. */
static void move_box(run *r, float reach, int teleports, sap_aabb *box) {
    if (test_chance(&r->rng, teleports))
        new_box(r, &r->rng, box);
    else if (test_chance(&r->rng, 2))
        (void)sap_get_box(r->worlds[0].one, any_id(r), box);
    else
        scene_nudge(&r->rng, r->scene, reach, box);
    scene_spoil_unused(&r->rng, r->axes, box);
}

static void do_move_some(run *r, int n) {
    static const int teleports[] = {0, 0, 5, 100};
    float reach = test_chance(&r->rng, 50) ? 0.3f : 10;
    int chance = teleports[test_below(&r->rng, 4)], drift = test_chance(&r->rng, 10), i, k, good = 0;
    float by = test_uniform(&r->rng, -1, 1) * (test_chance(&r->rng, 50) ? 30.0f : 1e5f);
    for (i = 0; i < n && r->count; i++) {
        sap_aabb *box = &some_boxes[good];
        some_ids[good] = n >= r->count ? r->ids[i % r->count] : any_id(r);
        if (sap_get_box(r->worlds[0].one, some_ids[good], box) != SAP_OK) continue;
        if (drift)
            for (k = 0; k < 3; k++) box->min[k] += by, box->max[k] += by;
        else
            move_box(r, reach, chance, box);
        good++;
    }
    if (test_chance(&r->rng, 3)) some_ids[0] ^= 0x80000000u;
    if (test_chance(&r->rng, 50)) {
        ALL(r, CALL(w, move_many, good, some_ids, some_boxes));
    } else {
        for (i = 0; i < good && !r->bad; i++) ALL(r, CALL(w, move, some_ids[i], &some_boxes[i]));
    }
}

static void do_filters(run *r) {
    sap_id id = any_id(r);
    uint32_t category = 1u << test_below(&r->rng, 3), mask = (uint32_t)test_random(&r->rng);
    uint32_t version = (uint32_t)test_below(&r->rng, 4);
    sap_id a = any_id(r), b = any_id(r);
    int i;
    if (r->masks) ALL(r, CALL(w, set_filter, id, category, mask));
    id = any_id(r);
    for (i = 0; i < WORLDS; i++) r->worlds[i].version[id & 0xffffff] = version;
    ALL(r, CALL(w, refilter, id));
    ALL(r, CALL(w, set_pair_data, a, b, &shared));
}

/* Calls that are younger than the others; test_calls.c holds them against a model, here they meet grids. */
static void do_young_calls(run *r) {
    sap_id id = any_id(r), few[12];
    int i, n = test_below(&r->rng, 12), index = test_below(&r->rng, 40) - 1;
    uint32_t category = 1u << test_below(&r->rng, 3), mask = (uint32_t)test_below(&r->rng, 8);
    uint32_t categories[WORLDS], masks[WORLDS];
    for (i = 0; i < n; i++) few[i] = any_id(r);
    switch (test_below(&r->rng, 8)) {
    case 0: ALL(r, CALL(w, set_static, id, 0)); break;
    case 1: ALL(r, CALL(w, set_static, id, 1)); break;
    case 2:
        if (r->masks) ALL(r, CALL(w, set_filter_many, n, few, category, mask));
        break;
    case 3: ALL(r, CALL(w, set_object, id, &shared)); break;
    case 4: ALL(r, CALL(w, set_pair_data_at, index, &shared)); break;
    case 5:
        if (!test_chance(&r->rng, 20)) break;
        r->filter = r->filter ? NULL : some_pairs;
        ALL(r, CALL(w, set_pair_filter, r->filter, w));
        break;
    case 6:
        if (test_chance(&r->rng, 5)) ALL(r, ASK(w, clear));
        break;
    default:
        ALL(r, CALL(w, next, id));
        ALL(r, CALL(w, is_static, id));
        memset(categories, 0, sizeof categories);
        memset(masks, 0, sizeof masks);
        ALL(r, CALL(w, get_filter, id, &categories[w - r->worlds], &masks[w - r->worlds]));
        for (i = 1; i < WORLDS; i++) HOLDS(r, &r->worlds[i], categories[i] == categories[0] && masks[i] == masks[0]);
    }
}

static void do_shift_origin(run *r) {
    float offset[3];
    int k;
    for (k = 0; k < 3; k++) {
        offset[k] = r->scene == SCENE_LATTICE || r->scene == SCENE_TOUCHING ? (float)(test_below(&r->rng, 5) - 2)
                                                                            : test_uniform(&r->rng, -20, 20);
        if (!(r->axes >> k & 1)) offset[k] = TEST_NAN;
    }
    ALL(r, CALL(w, shift_origin, offset));
}

/* Either a new snapshot, or back to the last one: of any world, to all of them. */
static void do_snapshot(run *r) {
    int i;
    if (r->saved.bytes && test_chance(&r->rng, 60)) {
        ALL(r, CALL(w, restore, r->saved.bytes, r->saved.size));
        memcpy(r->ids, r->saved.ids, sizeof r->ids);
        r->count = r->saved.count;
        for (i = 0; i < WORLDS; i++) memcpy(r->worlds[i].version, r->saved.version, sizeof r->saved.version);
        ALL(r, CALL(w, set_pair_filter, r->filter, w)); /* a snapshot holds no filter: maybe another one asked */
    } else {
        free(r->saved.bytes);
        r->saved.bytes = save(r, &r->worlds[test_below(&r->rng, WORLDS)], &r->saved.size);
        memcpy(r->saved.ids, r->ids, sizeof r->ids);
        r->saved.count = r->count;
        memcpy(r->saved.version, r->worlds[0].version, sizeof r->saved.version);
    }
}

static void do_update(run *r) {
    int i, dump = test_chance(&r->rng, 60);
    r->update++;
    if (dump)
        ALL(r, CALL(w, dump_pairs, see_created, see_deleted, w));
    else
        ALL(r, ASK(w, update));
    for (i = 1; i < WORLDS; i++)
        if (!r->bad) compare_settled(r);
    if (!r->bad && test_chance(&r->rng, 30)) compare_queries(r);
    forget_some(r);
}

/* ---- grids ------------------------------------------------------------------------------------------------------ */

/* From far smaller than the boxes to far larger than the world; whole numbers often, for bounds on the edge. */
static float any_size(test_rng *rng) {
    static const float sizes[] = {0.5f, 1, 2, 3, 5, 16, 1e-30f, 1e-3f, 1e6f, 1e30f};
    if (test_chance(rng, 5)) return test_chance(rng, 50) ? TEST_INFINITY : test_float(1); /* the smallest of all */
    return test_chance(rng, 60) ? sizes[test_below(rng, 10)] : test_uniform(rng, 0.2f, 12);
}

/* What an axis that is not used is filled with. */
static void spoil_unused_grid(int axes, sap_multi_config *c) {
    int k;
    for (k = 0; k < 3; k++) {
        if (axes >> k & 1) continue;
        c->bounds.min[k] = TEST_NAN;
        c->bounds.max[k] = -7;
        c->cells[k] = -3;
        c->cell_size[k] = k == 1 ? TEST_NAN : -1;
    }
}

enum { FIXED, FIXED_BY_BOXES, BOUNDS_ALONE, HASHED, FEW_ENTRIES, HASHED_BY_BOXES, CHOSEN, GRIDS };
static const char *const grid_names[] = {"fixed",  "fixed, bounds from the boxes", "bounds alone",
                                         "hashed", "hashed into few entries",      "hashed, sizes from the boxes",
                                         "chosen"};

static void draw_grid(test_rng *rng, int kind, int axes, sap_multi_config *c) {
    int k, far_off = test_chance(rng, 15);
    for (k = 0; k < 3; k++) {
        if (kind == FIXED || kind == FIXED_BY_BOXES)
            c->cells[k] = test_chance(rng, 20) ? 1 << test_below(rng, 28) : test_below(rng, 7);
        if (kind == FIXED || kind == BOUNDS_ALONE) {
            c->bounds.min[k] = far_off ? 1e5f : test_uniform(rng, -20, 0);
            c->bounds.max[k] = c->bounds.min[k] + test_uniform(rng, 1, test_chance(rng, 20) ? 1e6f : 40);
        }
        if (kind == HASHED || kind == FEW_ENTRIES) c->cell_size[k] = test_chance(rng, 25) ? 0 : any_size(rng);
    }
    c->hashed = kind == HASHED || kind == FEW_ENTRIES || kind == HASHED_BY_BOXES;
    if (kind == FEW_ENTRIES) c->entries = 1 + test_below(rng, 20);
    for (k = 0; k < 3 && kind == FIXED; k++)
        if (c->cells[k] <= 1 && test_chance(rng, 20))
            c->bounds.min[k] = -TEST_INFINITY, c->bounds.max[k] = TEST_INFINITY;
    if (test_chance(rng, 50)) spoil_unused_grid(axes, c);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* as_shipped: no threshold is lowered. */
static void start(run *r, int seed, int as_shipped) {
    static const int axes[] = {0, 0, 0, 7, SAP_2D, SAP_2D, 1, 2, 4, 5, 6};
    sap_multi_config config;
    int i, kind;
    memset(r, 0, sizeof *r);
    r->seed = seed;
    r->rng.state = (uint64_t)seed * 7777777u;
    r->scene = (scene)(seed % SCENE_COUNT);
    r->clusters = test_chance(&r->rng, 25);
    r->user_filter = test_chance(&r->rng, 30);
    r->masks = test_chance(&r->rng, 30) ? (test_chance(&r->rng, 50) ? 50 : 95) : 0; /* percent of all boxes */
    r->records_inside = test_chance(&r->rng, 30);
    memset(&config, 0, sizeof config);
    config.sap.axes = axes[test_below(&r->rng, 11)];
    r->axes = config.sap.axes ? config.sap.axes : 7;
    r->filter = r->user_filter ? some_pairs : NULL;
    config.sap.filter = r->filter;
    for (i = 0; i < WORLDS; i++) {
        world *w = &r->worlds[i];
        sap_multi_config c = config;
        w->run = r;
        w->heard = 14695981039346656037u;
        w->grid = "one world";
        w->threads = 1;
        w->shuffle.state = (uint64_t)(seed * WORLDS + i);
        c.sap.filter_user = w;
        if (i == 0) {
            w->one = sap_create(&c.sap);
            continue;
        }
        kind = test_below(&r->rng, GRIDS);
        w->grid = grid_names[kind];
        draw_grid(&r->rng, kind, r->axes, &c);
        if (i == 1) { /* the third is without threads */
            w->threads = test_below(&r->rng, 5);
            c.parallel = run_in_threads;
            c.parallel_user = &w->threads;
        } else if (i == 2) {
            c.parallel = run_shuffled;
            c.parallel_user = &w->shuffle;
        }
        if (test_chance(&r->rng, 80))
            c.sap.method = test_chance(&r->rng, 60) ? SAP_METHOD_SORT : test_below(&r->rng, SAP_METHOD_QUERY + 1);
        w->many = sap_multi_create(&c);
        if (!CHECK(w->many != NULL)) exit(1);
        if (as_shipped) continue;
        force_threads(w->many, 1 + test_below(&r->rng, 4));
        if (test_chance(&r->rng, 50)) force_small(world_of(w->many), 1);
        if (test_chance(&r->rng, 40)) (void)force_kernel(world_of(w->many), test_below(&r->rng, KERNELS));
    }
}

static int in_many_cells; /* updates of sap_multis with boxes in several cells */

static int finish(run *r) {
    int i;
    free(r->saved.bytes);
    sap_destroy(r->worlds[0].one);
    for (i = 1; i < WORLDS; i++) sap_multi_destroy(r->worlds[i].many);
    CHECK_EQUAL(live_blocks, 0);
    if (!CHECK_EQUAL(faults, 0)) printf("seed %d: the allocator or the filter was called by a job\n", r->seed);
    return r->bad;
}

static void any_calls(run *r, int size, int steps) {
    int target = 0, i, n;
    for (r->step = 0; r->step < steps && !r->bad; r->step++) {
        if (r->step == 0 || test_chance(&r->rng, 15)) target = test_below(&r->rng, size + 1);
        if (test_chance(&r->rng, 4)) target = 0;
        n = target - r->count;
        if (n > 0 && test_chance(&r->rng, 60))
            do_add_many(r, n);
        else
            for (i = 0; i < n && i < 40 && !r->bad; i++) do_add(r);
        if (n < 0) do_remove_some(r, test_below(&r->rng, -n + 1));
        switch (test_below(&r->rng, 5)) {
        case 0: do_move_some(r, r->count); break;
        case 1: do_move_some(r, r->count / 2); break;
        case 2: do_move_some(r, r->count / 10); break;
        case 3: do_move_some(r, test_below(&r->rng, 4)); break;
        default: break;
        }
        if (test_chance(&r->rng, 40)) do_filters(r);
        for (i = test_below(&r->rng, 4); i > 0 && !r->bad; i--) do_young_calls(r);
        if (test_chance(&r->rng, 8)) do_shift_origin(r);
        if (test_chance(&r->rng, 10)) do_snapshot(r);
        if (!r->bad && test_chance(&r->rng, 10)) compare_snapshots(r); /* of what is recorded */
        if (!r->bad) do_update(r);
        for (i = 1; i < WORLDS; i++) {
            sap_stats stats;
            sap_multi_get_stats(r->worlds[i].many, &stats);
            in_many_cells += stats.cells > 1;
        }
    }
}

static int random_run(int seed, int size, int steps) {
    run *r = &shared;
    start(r, seed, seed % 4 == 0);
    switch (r->scene) { /* where nearly all boxes overlap, fewer do */
    case SCENE_PILE:
    case SCENE_HUGE:
    case SCENE_ZEROS:
    case SCENE_DENORMALS:
    case SCENE_EDGES:
    case SCENE_BITS: size = 10 + size / 6; break;
    default: break;
    }
    any_calls(r, size, steps);
    return finish(r);
}

/* Thousands of boxes: many cells, and work for threads as shipped. */
static int large_run(int seed) {
    static const scene scenes[] = {SCENE_SPARSE, SCENE_FLAT, SCENE_UNIFORM, SCENE_SPARSE, SCENE_STRETCHED};
    run *r = &shared;
    start(r, seed, seed / 20 % 2);
    r->scene = scenes[seed / 20 % 5];
    any_calls(r, r->scene == SCENE_SPARSE ? 6000 : 2000, 12);
    return finish(r);
}

/* 20,000 boxes in three dimensions: all move, few move, all are elsewhere, most go. */
static int full_size(int seed) {
    run *r = &shared;
    int i;
    start(r, seed, 1);
    if (r->axes != 7) return finish(r);
    r->scene = SCENE_SPARSE;
    r->records_inside = 0;
    for (r->step = 0; r->step < 8 && !r->bad; r->step++) {
        if (r->step == 0) do_add_many(r, 14000);
        if (r->step == 2) do_add_many(r, 6000);
        if (r->step == 3) do_move_some(r, r->count);
        if (r->step == 4) do_move_some(r, 500);
        if (r->step == 5) do_shift_origin(r);
        if (r->step == 6) {
            for (i = 0; i < r->count - 6000; i++) some_ids[i] = r->ids[i];
            ALL(r, CALL(w, remove_many, i, some_ids));
        }
        do_move_some(r, 50);
        if (!r->bad) do_update(r);
    }
    return finish(r);
}

/* Hashed cells of these sizes; NULL: all else is default. */
static sap_multi *open_hashed(const sap_multi_config *given, float x, float y, float z) {
    sap_multi_config c;
    sap_multi *m;
    memset(&c, 0, sizeof c);
    if (given) c = *given;
    c.hashed = 1;
    c.cell_size[0] = x;
    c.cell_size[1] = y;
    c.cell_size[2] = z;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    return m;
}

/* Both worlds get the boxes, or move theirs there, and settle; the pairs must be the same. How many. */
static int take_step(sap_world *one, sap_multi *m, int is_first, int n, sap_id *ids, const sap_aabb *boxes) {
    int expected, count;
    if (is_first)
        CHECK(sap_add_many(one, n, boxes, NULL, ids) == SAP_OK && sap_multi_add_many(m, n, boxes, NULL, ids) == SAP_OK);
    else
        CHECK(sap_move_many(one, n, ids, boxes) == SAP_OK && sap_multi_move_many(m, n, ids, boxes) == SAP_OK);
    CHECK(sap_update(one) == SAP_OK && sap_multi_update(m) == SAP_OK);
    CHECK(sap_multi_validate(m) == NULL);
    (void)sap_pairs(one, &expected);
    (void)sap_multi_pairs(m, &count);
    CHECK(expected == count &&
          !memcmp(sap_pairs(one, NULL), sap_multi_pairs(m, NULL), (size_t)count * sizeof(sap_pair)));
    return count;
}

/* All creep, but for those of one region: they jump, along the strips (how == 0), or in a single strip (1), or across.
   That is more than a share has room to list, so all is built anew. */
static void shares_give_up(int how) {
    enum { N = 4000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *m;
    sap_world *one;
    test_rng rng = {5}, shuffle = {6};
    const float side = 30;
    int i, k, frame;
    memset(&c, 0, sizeof c);
    if (how == 1) c.sap.axes = SAP_AXIS_X;
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    c.sap.method = SAP_METHOD_PRUNE;
    m = sap_multi_create(&c);
    one = sap_create(&c.sap);
    if (!CHECK(one && m)) exit(1);
    force_threads(m, 1);
    for (frame = 0; frame < 8; frame++) {
        int turn = frame % 3;
        for (i = 0; i < N; i++) {
            int jumps = frame && (how == 1 ? i % 5 == 1 : boxes[i].min[turn] < side / 7);
            for (k = 0; k < 3; k++) {
                float by = how == 1 ? side / 3 : how == 0 || k != turn ? side / 7 : 0;
                if (frame == 0) boxes[i].min[k] = test_uniform(&rng, 0, side);
                boxes[i].min[k] += jumps ? by : 0.001f;
                if (boxes[i].min[k] > side) boxes[i].min[k] -= side;
                boxes[i].max[k] = boxes[i].min[k] + (how == 1 ? 0.01f : 0.5f);
            }
        }
        (void)take_step(one, m, frame == 0, N, ids, boxes);
    }
    sap_destroy(one);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* A crowd joins a heap, some of which go: more begin than the shares of the search have room for, and each share has met
   old pairs when it finds that out and begins again. Those may not count twice, or pairs that end are missed. */
static void shares_begin_again(void) {
    enum { N = 6000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *m;
    sap_world *one;
    test_rng rng = {7}, shuffle = {8};
    int i, k, frame, expected, count;
    memset(&c, 0, sizeof c);
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    c.sap.method = SAP_METHOD_PRUNE;
    m = sap_multi_create(&c);
    one = sap_create(&c.sap);
    if (!CHECK(one && m)) exit(1);
    force_threads(m, 1);
    for (frame = 0; frame < 3; frame++) {
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                const int is_far = frame == 0 ? i % 2 : i % 20 == 0;
                boxes[i].min[k] =
                    (is_far ? 1000.0f + 5 * (float)i : 0) + (float)(i / 2 % (5 + 10 * k)) * 0.9f / (float)(1 + k);
                boxes[i].min[k] += test_uniform(&rng, -0.01f, 0.01f);
                boxes[i].max[k] = boxes[i].min[k] + 1;
            }
        CHECK(take_step(one, m, frame == 0, N, ids, boxes) > N);
        (void)sap_deleted(one, &expected);
        (void)sap_multi_deleted(m, &count);
        CHECK(expected == count && (frame != 1 || expected > N));
    }
    sap_destroy(one);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

#if defined(__SSE2__)
#include <xmmintrin.h>
/* sap_parallel_for on a thread that takes denormals for zero, as those of audio and physics often do. */
static void run_flushing(sap_job *job, void *data, int count, void *user) {
    unsigned before = _mm_getcsr();
    (void)user;
    _mm_setcsr(before | 0x8040u);
    while (count-- > 0) job(data, count);
    _mm_setcsr(before);
}

/* Found by review: a job and its caller must agree on the cell of a denormal. */
static void threads_that_flush(void) {
    sap_multi_config config;
    sap_multi *m;
    sap_aabb a = {{0.2f, 0, 0}, {0.4f, 1, 1}}, b = {{-0.5f, 0, 0}, {0, 1, 1}};
    test_set_bits(&b.max[0], 0x80001000u);
    memset(&config, 0, sizeof config);
    config.parallel = run_flushing;
    m = open_hashed(&config, 1, 0, 0);
    CHECK(sap_multi_add(m, &a, NULL) == 1 && sap_multi_add(m, &b, NULL) == 2);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    a.min[0] = b.max[0];
    CHECK_EQUAL(sap_multi_move(m, 1, &a), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(sap_multi_find_pair(m, 1, 2) != NULL);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}
#else
static void threads_that_flush(void) {
}
#endif

/* ---- what sap_multi_create refuses ------------------------------------------------------------------------------- */

static int is_refused(const sap_multi_config *c) {
    sap_multi *m = sap_multi_create(c);
    CHECK_EQUAL(sap_multi_check_config(c), m ? SAP_OK : SAP_ERROR_ARGUMENT);
    sap_multi_destroy(m);
    return m == NULL;
}

/* In a grid nothing needs a tree until the first query, so until then there is no memory for one. */
static void no_tree_without_queries(void) {
    sap_multi_config c;
    sap_multi *m;
    sap_stats before, after;
    sap_id ids[4];
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    int i;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    m = open_hashed(&c, 16, 16, 16);
    for (i = 0; i < 2000; i++) {
        box.min[0] = (float)(2 * i);
        box.max[0] = box.min[0] + 1;
        CHECK(sap_multi_add(m, &box, NULL) != 0);
        if (i % 500 == 499) CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    }
    CHECK(sap_multi_remove(m, 1) == SAP_OK && sap_multi_set_static(m, 2, 1) == SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    sap_multi_get_stats(m, &before);
    CHECK_EQUAL(sap_multi_prepare_queries(m), SAP_OK);
    sap_multi_get_stats(m, &after);
    CHECK(after.bytes > before.bytes + 2000 * 24); /* six floats for each box */
    box.min[0] = 0, box.max[0] = 5;
    CHECK_EQUAL(sap_multi_query_box_ids(m, &box, ~0u, ids, 4), 2);
    CHECK(ids[0] == 2 && ids[1] == 3);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}

/* Cells without bounds are ignored: the grid is chosen, as in a world without them. */
static void cells_without_bounds(void) {
    int with_cells, i, cells[2];
    for (with_cells = 0; with_cells < 2; with_cells++) {
        sap_multi_config c;
        sap_multi *m;
        sap_stats stats;
        memset(&c, 0, sizeof c);
        c.sap.method = SAP_METHOD_SORT;
        for (i = 0; i < 3; i++) c.cells[i] = with_cells ? 2 : 0;
        m = sap_multi_create(&c);
        for (i = 0; i < 1000; i++) {
            const sap_aabb box = {{(float)i, 0, 0}, {(float)i + 0.5f, 1, 1}};
            CHECK(sap_multi_add(m, &box, NULL) != 0);
        }
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        sap_multi_get_stats(m, &stats);
        cells[with_cells] = stats.cells;
        sap_multi_destroy(m);
    }
    CHECK(cells[0] > 2);
    CHECK_EQUAL(cells[1], cells[0]);
}

/* Each of the sentences of the contract, on each axis; and on an axis that is not used none of them. */
static void refusals(void) {
    static const float bad_sizes[] = {-1, -1e-30f};
    static const uint32_t nans[] = {0x7fc00000u, 0xff800001u};
    sap_multi_config good, c;
    int axis, i, others;
    memset(&good, 0, sizeof good);
    CHECK(!is_refused(&good) && !is_refused(NULL));
    for (i = -1; i <= 8; i += 9) { /* what sap_create refuses */
        c = good;
        c.sap.axes = i;
        CHECK(is_refused(&c));
    }
    c = good, c.sap.max_boxes = -1;
    CHECK(is_refused(&c));
    c = good, c.sap.max_pairs = -1;
    CHECK(is_refused(&c));
    c = good, c.sap.method = SAP_METHOD_QUERY + 1;
    CHECK(is_refused(&c));
    c = good, c.sap.method = -1;
    CHECK(is_refused(&c));
    c = good, c.entries = -1;
    CHECK(is_refused(&c));
    for (axis = 0; axis < 3; axis++) {
        others = 7 & ~(1 << axis);
#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        c = good;                                                                                                      \
        change;                                                                                                        \
        CHECK_MESSAGE(is_refused(&c), "not refused on axis %d: %s", axis, #change);                                    \
        c.sap.axes = others;                                                                                           \
        CHECK_MESSAGE(!is_refused(&c), "refused, but axis %d is not used: %s", axis, #change);                         \
    } while (0)
        REFUSED(c.cells[axis] = -1);
        for (i = 0; i < 2; i++) REFUSED(c.cell_size[axis] = bad_sizes[i]);
        for (i = 0; i < 2; i++) { /* NaN, of either sign */
            REFUSED(test_set_bits(&c.cell_size[axis], nans[i]));
            REFUSED(test_set_bits(&c.bounds.min[axis], nans[i]));
            REFUSED(test_set_bits(&c.bounds.max[axis], nans[i]));
        }
        REFUSED(c.bounds.min[axis] = 1);
        REFUSED(c.bounds.max[axis] = -1);
        REFUSED((c.cells[axis] = 2, c.bounds.max[axis] = TEST_INFINITY));
        REFUSED((c.cells[axis] = 2, c.bounds.min[axis] = -TEST_INFINITY));
        good.bounds.max[(axis + 1) % 3] = 10;
        REFUSED((c.cells[axis] = 2)); /* bounds are given, and of no size here */
        REFUSED((c.cells[axis] = 2, c.bounds.min[axis] = c.bounds.max[axis] = 3));
        good.bounds.max[(axis + 1) % 3] = 0;
#undef REFUSED
        c = good; /* and these are good */
        c.cells[axis] = 2;
        CHECK(!is_refused(&c)); /* no bounds are given, so cells are ignored and the grid is chosen */
        c.bounds.min[axis] = -1;
        CHECK(!is_refused(&c));
        c.cells[axis] = 1;
        c.bounds.min[axis] = -TEST_INFINITY;
        CHECK(!is_refused(&c)); /* not divided */
        c = good;
        c.bounds.min[axis] = TEST_MINUS_0;
        c.cells[axis] = 0x7fffffff;
        CHECK(!is_refused(&c)); /* -0 is 0: no bounds */
        c = good;
        c.hashed = 1;
        c.cell_size[axis] = TEST_MINUS_0;
        CHECK(!is_refused(&c));
        c.cell_size[axis] = TEST_INFINITY;
        CHECK(!is_refused(&c));
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- null arguments, and calls from inside callbacks ------------------------------------------------------------- */

static void null_arguments(void) {
    const float zero[3] = {0, 0, 0};
    const sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    sap_multi *m = sap_multi_create(NULL);
    sap_aabb got;
    sap_id id = 5;
    sap_stats stats;
    float number;
    int count = 7;
    char byte = 0;
    if (!CHECK(m != NULL)) exit(1);
    sap_multi_destroy(NULL);
    CHECK_EQUAL(sap_multi_reserve(NULL, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_reserve(m, -1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add(NULL, &box, NULL), 0);
    CHECK_EQUAL(sap_multi_add(m, NULL, NULL), 0);
    CHECK_EQUAL(sap_multi_last_error(m), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add_static(NULL, &box, NULL), 0);
    CHECK_EQUAL(sap_multi_move(NULL, 1, &box), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_move(m, 1, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_remove(NULL, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add_many(NULL, 1, &box, NULL, &id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add_many(m, 1, NULL, NULL, &id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add_many(m, 1, &box, NULL, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add_many(m, -1, &box, NULL, &id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_add_many(m, 0, NULL, NULL, NULL), SAP_OK);
    CHECK_EQUAL(sap_multi_add_static_many(NULL, 1, &box, NULL, &id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_move_many(NULL, 1, &id, &box), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_move_many(m, 1, NULL, &box), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_remove_many(NULL, 1, &id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_remove_many(m, 1, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_set_filter(NULL, 1, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_refilter(NULL, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_shift_origin(NULL, zero), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_shift_origin(m, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_last_error(NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_update(NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_dump_pairs(NULL, NULL, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK(sap_multi_created(NULL, &count) == NULL && count == 0 && sap_multi_created(NULL, NULL) == NULL);
    CHECK(sap_multi_deleted(NULL, &count) == NULL && sap_multi_pairs(NULL, &count) == NULL);
    CHECK(sap_multi_find_pair(NULL, 1, 2) == NULL);
    CHECK_EQUAL(sap_multi_set_pair_data(NULL, 1, 2, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_pairs_of(NULL, 1, &id, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_count(NULL), 0);
    CHECK_EQUAL(sap_multi_is_valid(NULL, 1), 0);
    CHECK_EQUAL(sap_multi_get_box(NULL, 1, &got), SAP_ERROR_ARGUMENT);
    CHECK(sap_multi_get_object(NULL, 1) == NULL);
    CHECK_EQUAL(sap_multi_prepare_queries(NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_query_box(NULL, &box, 1, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_query_point(NULL, zero, 1, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_query_sphere(NULL, zero, 1, 1, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_ray_cast(NULL, zero, zero, 1, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_box_cast(NULL, &box, zero, 1, NULL, NULL), -SAP_ERROR_ARGUMENT);
    CHECK(sap_multi_ray_closest(NULL, zero, zero, 1, &number) == 0 && test_key(number) == test_key(-1));
    CHECK(sap_multi_nearest(NULL, zero, 1, 1, &number) == 0 && test_key(number) == test_key(-1));
    CHECK(sap_multi_box_closest(NULL, &box, zero, 1, 0, &number, NULL) == 0 && test_key(number) == test_key(-1));
    CHECK_EQUAL(sap_multi_query_box_ids(NULL, &box, 1, NULL, 0), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_query_sphere_ids(NULL, zero, 1, 1, NULL, 0), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_nearest_ids(NULL, zero, 1, 1, NULL, NULL, 0), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_snapshot_size(NULL), 0);
    CHECK_EQUAL(sap_multi_save(NULL, &byte, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_save(m, &byte, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_restore(NULL, &byte, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_restore(m, NULL, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_multi_restore(m, &byte, 1), SAP_ERROR_SNAPSHOT);
    (void)sap_multi_validate(NULL);
    sap_multi_get_stats(m, NULL);
    memset(&stats, 0xff, sizeof stats);
    sap_multi_get_stats(NULL, &stats);
    CHECK_EQUAL(stats.boxes, 0);
    CHECK_EQUAL(sap_multi_count(m), 0);
    sap_multi_destroy(m);
}

static int busy_calls;

static void all_are_busy(sap_multi *m) {
    const float zero[3] = {0, 0, 0};
    char bytes[4096];
    size_t size = sap_multi_snapshot_size(m);
    CHECK_EQUAL(sap_multi_update(m), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_multi_last_error(m), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_multi_dump_pairs(m, NULL, NULL, NULL), -SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_multi_reserve(m, 1000, 1000), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_multi_shift_origin(m, zero), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_multi_prepare_queries(m), SAP_ERROR_BUSY);
    CHECK(size <= sizeof bytes);
    CHECK_EQUAL(sap_multi_save(m, bytes, sizeof bytes), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_multi_restore(m, bytes, sizeof bytes), SAP_ERROR_BUSY);
    sap_multi_refilter(m, 1);
    CHECK_EQUAL(sap_multi_last_error(m), SAP_OK);
    sap_multi_destroy(m);
    CHECK_EQUAL(sap_multi_last_error(m), SAP_ERROR_BUSY);
    busy_calls++;
}

static void *busy_create(const sap_pair *pair, void *user) {
    (void)pair;
    all_are_busy((sap_multi *)user);
    return user;
}

static void busy_delete(const sap_pair *pair, void *user) {
    CHECK(pair->user_data == user);
    all_are_busy((sap_multi *)user);
}

static int busy_hit(sap_id id, void *object, void *user) {
    (void)id;
    (void)object;
    all_are_busy((sap_multi *)user);
    return 1;
}

static void busy_in_callbacks(void) {
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}}, away = {{8, 8, 8}, {9, 9, 9}};
    sap_multi *m = sap_multi_create(NULL);
    if (!CHECK(m != NULL)) exit(1);
    busy_calls = 0;
    sap_multi_add(m, &box, NULL);
    sap_multi_add(m, &box, NULL);
    CHECK_EQUAL(sap_multi_dump_pairs(m, busy_create, busy_delete, m), 1);
    CHECK_EQUAL(sap_multi_query_box(m, &box, ~0u, busy_hit, m), 2);
    sap_multi_move(m, 1, &away);
    CHECK_EQUAL(sap_multi_dump_pairs(m, busy_create, busy_delete, m), 0);
    CHECK_EQUAL(busy_calls, 4);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* A call over a limit changes nothing and succeeds once there is room, whatever the cells. */
static void limits(float size_of_cells) {
    enum { N = 40 };
    sap_multi_config c;
    sap_aabb boxes[N];
    sap_id ids[N];
    sap_multi *m;
    int i, k, count, seen;
    memset(&c, 0, sizeof c);
    c.sap.max_boxes = N;
    c.sap.max_pairs = N;
    m = open_hashed(&c, size_of_cells, 0, 0);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = k ? 0 : 2 * (float)i, boxes[i].max[k] = boxes[i].min[k] + 2;
    CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_multi_add(m, &boxes[0], NULL), 0);
    CHECK_EQUAL(sap_multi_last_error(m), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK); /* a chain */
    (void)sap_multi_pairs(m, &count);
    CHECK_EQUAL(count, N - 1);
    for (i = 0; i < 3; i++) { /* 10 on one spot are 45 */
        for (k = 0; k < 10; k++) CHECK_EQUAL(sap_multi_move(m, ids[k], &boxes[20]), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_ERROR_LIMIT);
        CHECK_EQUAL(sap_multi_dump_pairs(m, NULL, NULL, NULL), -SAP_ERROR_LIMIT);
        (void)sap_multi_pairs(m, &seen);
        CHECK_EQUAL(seen, count);
        (void)sap_multi_created(m, &seen);
        CHECK_EQUAL(seen, i ? 0 : N - 1);
        CHECK(sap_multi_validate(m) == NULL);
        for (k = 0; k < 10; k++) CHECK_EQUAL(sap_multi_move(m, ids[k], &boxes[k]), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        (void)sap_multi_created(m, &seen);
        CHECK_EQUAL(seen, 0);
        CHECK(sap_multi_validate(m) == NULL);
    }
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- cells: that they are used, and what they hold */

enum { CLUSTERS = 32, IN_CLUSTER = 24 };

/* Clusters far apart, each well within a cell of size 16. */
static void cluster_box(test_rng *rng, int cluster, sap_aabb *box) {
    int k;
    for (k = 0; k < 3; k++) {
        box->min[k] = (k ? 0 : 1024 * (float)cluster) + test_uniform(rng, 1, 10);
        box->max[k] = box->min[k] + 1;
    }
}

static sap_stats stats_of(const sap_multi *m) {
    sap_stats stats;
    sap_multi_get_stats(m, &stats);
    return stats;
}

/* As many cells as an int can count are halved until there are few enough. */
static void most_cells(void) {
    sap_multi_config c;
    sap_multi *m;
    int i;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    for (i = 0; i < 3; i++) c.cells[i] = INT_MAX, c.bounds.max[i] = 100;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) return;
    for (i = 0; i < 40; i++) {
        sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
        box.min[0] = (float)(2 * i);
        box.max[0] = box.min[0] + 2;
        CHECK(sap_multi_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).pairs, 39);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}

/* An axis without a size of cells is not cut: the entries of the table go to the other axes. */
static void entries_of_two_axes(void) {
    enum { SIDE = 4 };
    sap_multi_config c;
    sap_multi *m;
    int i;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    c.entries = SIDE * SIDE;
    m = open_hashed(&c, 10, 0, 10);
    for (i = 0; i < 4 * SIDE * SIDE; i++) {
        sap_aabb box = {{0, 0, 0}, {0, 1, 0}};
        box.min[0] = box.max[0] = 10 * (float)(i % SIDE) + 5;
        box.min[2] = box.max[2] = 10 * (float)(i / SIDE % SIDE) + 5;
        CHECK(sap_multi_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).cells, SIDE * SIDE);
    sap_multi_destroy(m);
}

/* The cells of a wrapped grid that boxes touch, none larger than a cell. */
static int touched_cells(int n, const sap_aabb *boxes, const float from[2], const float size[2], const int cells[2]) {
    static unsigned char used[64];
    int i, x, y, count = 0;
    memset(used, 0, sizeof used);
    for (i = 0; i < n; i++) {
        const int x0 = (int)floorf((boxes[i].min[0] - from[0]) / size[0]);
        const int x1 = (int)floorf((boxes[i].max[0] - from[0]) / size[0]);
        const int y0 = (int)floorf((boxes[i].min[1] - from[1]) / size[1]);
        const int y1 = (int)floorf((boxes[i].max[1] - from[1]) / size[1]);
        for (x = x0; x <= x1; x++)
            for (y = y0; y <= y1; y++) {
                const int wrapped_x = (x % cells[0] + cells[0]) % cells[0];
                const int wrapped_y = (y % cells[1] + cells[1]) % cells[1];
                unsigned char *cell = &used[wrapped_y * cells[0] + wrapped_x];
                count += !*cell;
                *cell = 1;
            }
    }
    return count;
}

/* Given cells divide the given bounds, wherever these are, into equal parts, and a box is in each that it touches; with any
   number of boxes, and from the other end outside of the bounds. */
static void given_cells(int n) {
    enum { X = 8, Y = 4, MOST = 400 };
    static const float from[2] = {96, -320}, size[2] = {8, 32};
    static const int cells[2] = {X, Y};
    static sap_aabb boxes[MOST];
    sap_multi_config c;
    sap_multi *m, *hashed;
    test_rng rng = {3};
    int i, k, round, wrong = 0;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    hashed = open_hashed(&c, size[0], size[1], 0);
    for (k = 0; k < 2; k++) {
        c.cells[k] = cells[k];
        c.bounds.min[k] = from[k];
        c.bounds.max[k] = from[k] + (float)cells[k] * size[k];
    }
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    CHECK(stats_of(m).cells == 0 && stats_of(hashed).cells == 0);
    for (round = 0; round < 6; round++) { /* within the bounds, then farther and farther out of them */
        for (i = 0; i < n; i++) {
            for (k = 0; k < 2; k++) {
                const float side = size[k] * (float)cells[k] * (float)(1 + round * round);
                boxes[i].min[k] = from[k] + test_uniform(&rng, -side, side);
                boxes[i].max[k] = boxes[i].min[k] + test_uniform(&rng, 0, size[k] * 0.9f);
            }
            boxes[i].min[2] = boxes[i].max[2] = 0;
            if (round == 0) wrong += sap_multi_add(m, &boxes[i], NULL) != sap_multi_add(hashed, &boxes[i], NULL);
            if (round) wrong += sap_multi_move(m, (sap_id)(i + 1), &boxes[i]) != SAP_OK;
            if (round) wrong += sap_multi_move(hashed, (sap_id)(i + 1), &boxes[i]) != SAP_OK;
        }
        CHECK(sap_multi_update(m) == SAP_OK && sap_multi_update(hashed) == SAP_OK);
        CHECK_EQUAL(stats_of(m).cells, touched_cells(n, boxes, from, size, cells));
        CHECK(stats_of(hashed).cells >= stats_of(m).cells);
        CHECK(sap_multi_validate(m) == NULL && sap_multi_validate(hashed) == NULL);
    }
    for (i = 1; i < n; i++) wrong += sap_multi_remove(m, (sap_id)(i + 1)) != SAP_OK;
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).cells, touched_cells(1, boxes, from, size, cells)); /* what emptied has gone */
    CHECK_EQUAL(sap_multi_clear(m), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(stats_of(m).cells, 0);
    CHECK_EQUAL(wrong, 0);
    sap_multi_destroy(m);
    sap_multi_destroy(hashed);
    CHECK_EQUAL(live_blocks, 0);
}

static sap_multi *looked_at;

static int counts_cells(const sap_pair *pair, void *user) {
    (void)user;
    (void)stats_of(looked_at);
    return pair->id1 % 3 > 0;
}

/* The filter may look, also at how many cells there are, in the middle of an update. */
static void cells_are_counted_at_any_time(void) {
    sap_multi_config c;
    test_rng rng = {5};
    sap_aabb box;
    int i, k, n[2];
    sap_multi *m;
    memset(&c, 0, sizeof c);
    for (i = 0; i < 2; i++) {
        c.sap.filter = i ? counts_cells : NULL;
        c.sap.method = SAP_METHOD_SORT;
        looked_at = m = open_hashed(&c, 4, 4, 4);
        rng.state = 5;
        n[i] = 0;
        for (k = 0; k < 3000; k++) {
            int axis;
            for (axis = 0; axis < 3; axis++) {
                box.min[axis] = test_uniform(&rng, 0, 20);
                box.max[axis] = box.min[axis] + 2;
            }
            CHECK(sap_multi_add(m, &box, NULL) != 0);
        }
        CHECK_EQUAL(stats_of(m).cells, 0);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK(stats_of(m).cells > 20);
        for (k = 0; k < stats_of(m).pairs; k++) {
            int count;
            n[i] += sap_multi_pairs(m, &count)[k].id1 % 3 > 0;
        }
        CHECK(sap_multi_validate(m) == NULL);
        sap_multi_destroy(m);
    }
    CHECK(n[0] > 10000);
    CHECK_EQUAL(n[1], n[0]);
}

/* Of boxes of one size that walk a grid makes each cheaper, whatever its cells, also where these have left the bounds; the
   chosen one makes it far cheaper. Counted: shifts of ends, and boxes tested. */
static void grids_cost_less(void) {
    enum { N = 4000, WAYS = 8, SIDE = 40 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    long long none = 0;
    int grid, i, k, frame;
    for (grid = 0; grid < WAYS; grid++) {
        test_rng rng = {17};
        sap_multi_config c;
        sap_multi *m;
        long long steps = 0;
        memset(&c, 0, sizeof c);
        c.sap.method = SAP_METHOD_SORT;
        for (k = 0; k < 3; k++) { /* 0: one cell; 7: chosen */
            static const int cells[] = {1, 2, 7, 40, 9};
            c.bounds.min[k] = (float)(grid == 4 ? -1000 : 0);
            c.bounds.max[k] = c.bounds.min[k] + SIDE;
            c.cells[k] = grid < 5 ? cells[grid] : 0;
            c.cell_size[k] = grid == 5 ? 1.5f : 11;
        }
        c.hashed = grid == 5 || grid == 6;
        if (grid == 0) c.hashed = 1, c.cell_size[0] = c.cell_size[1] = c.cell_size[2] = 1e6f;
        m = sap_multi_create(&c);
        if (!CHECK(m != NULL)) exit(1);
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++)
                boxes[i].min[k] = test_uniform(&rng, 0, SIDE), boxes[i].max[k] = boxes[i].min[k] + 1;
        CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        for (frame = 0; frame < 20; frame++) {
            for (i = 0; i < N; i++)
                for (k = 0; k < 3; k++) {
                    const float step = test_uniform(&rng, -0.2f, 0.2f);
                    boxes[i].min[k] += step, boxes[i].max[k] += step;
                }
            CHECK_EQUAL(sap_multi_move_many(m, N, ids, boxes), SAP_OK);
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            steps += stats_of(m).swaps + stats_of(m).overlap_tests;
        }
        if (grid == 0) none = steps;
        CHECK_MESSAGE(grid == 0 || steps < none, "grid %d: %lld steps, %lld in one cell", grid, steps, none);
        CHECK_MESSAGE(grid < 7 || 10 * steps < none, "chosen: %lld steps, %lld in one cell", steps, none);
        sap_multi_destroy(m);
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* Memory follows the boxes: not the number of cells, nor where the boxes have been. */
static void memory_follows_the_boxes(void) {
    enum { N = CLUSTERS * IN_CLUSTER, MOVES = 60 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *many[3];
    test_rng rng = {3};
    size_t one = 0, first = 0;
    int i, k, turn;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    for (k = 0; k < 3; k++) {
        for (i = 0; i < 3 && k > 0; i++) c.bounds.max[i] = 16777216, c.cells[i] = k == 1 ? 100 : 1 << 20;
        many[k] = sap_multi_create(&c);
        if (!CHECK(many[k] != NULL)) exit(1);
        CHECK(stats_of(many[k]).bytes < 65536);
        rng.state = 3;
        for (i = 0; i < N; i++) cluster_box(&rng, i % CLUSTERS, &boxes[i]);
        CHECK_EQUAL(sap_multi_add_many(many[k], N, boxes, NULL, ids), SAP_OK);
        for (turn = 0; turn < MOVES; turn++) { /* from place to place, all together and one by one */
            CHECK_EQUAL(sap_multi_update(many[k]), SAP_OK);
            if (turn == 4) first = stats_of(many[k]).bytes;
            for (i = 0; i < N; i++) cluster_box(&rng, turn % 7 * 100 + i % CLUSTERS, &boxes[i]);
            CHECK_EQUAL(sap_multi_move_many(many[k], turn % 3 ? N : N / 20, ids, boxes), SAP_OK);
        }
        CHECK_EQUAL(sap_multi_update(many[k]), SAP_OK);
        if (k == 0) one = stats_of(many[k]).bytes;
        CHECK_MESSAGE(stats_of(many[k]).bytes <= first + first / 2, "%lu bytes, %lu at first",
                      (unsigned long)stats_of(many[k]).bytes, (unsigned long)first);
        CHECK_MESSAGE(stats_of(many[k]).bytes <= 2 * one + 65536, "%lu bytes, %lu without a grid",
                      (unsigned long)stats_of(many[k]).bytes, (unsigned long)one);
        sap_multi_destroy(many[k]);
    }
    CHECK_EQUAL(live_blocks, 0);
}

/* Cells that boxes have left are given back, and what is reserved stays: many boxes come, each in a cell of its own, then
   all but a few go, and these walk on. */
static void cells_are_given_back(int is_reserved) {
    enum { N = 3000, FEW = 20 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *m;
    size_t most = 0;
    int i, k, turn;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    m = open_hashed(&c, 4, 4, 4);
    if (is_reserved) CHECK_EQUAL(sap_multi_reserve(m, N, N), SAP_OK);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) {
            boxes[i].min[k] = 8 * (float)(k == 0 ? i % 15 : k == 1 ? i / 15 % 15 : i / 225) + 1;
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
    for (turn = 0; turn < 3; turn++) {
        CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK_EQUAL(stats_of(m).cells, N);
        if (turn == 0) most = stats_of(m).bytes;
        CHECK_EQUAL(sap_multi_remove_many(m, N - FEW, ids + FEW), SAP_OK);
        for (k = 0; k < 20; k++) {
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            CHECK(sap_multi_validate(m) == NULL);
            for (i = 0; i < FEW; i++) {
                sap_aabb box = boxes[i];
                box.min[0] += 8 * (float)(k % 2), box.max[0] += 8 * (float)(k % 2);
                if (i % 3) CHECK_EQUAL(sap_multi_move(m, ids[i], &box), SAP_OK);
            }
        }
        CHECK(stats_of(m).cells <= FEW);
        CHECK_MESSAGE(is_reserved ? stats_of(m).bytes >= most : 2 * stats_of(m).bytes < most, "%lu bytes, %lu before",
                      (unsigned long)stats_of(m).bytes, (unsigned long)most);
        CHECK_EQUAL(sap_multi_remove_many(m, FEW, ids), SAP_OK);
    }
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- one SAP of all boxes */

/* A world for which one SAP is best: a slow crowd, or boxes of sizes over nine decades. */
static void crowd_box(test_rng *rng, int decades, sap_aabb *box) {
    float size = 1;
    int k;
    if (decades) size = 10 * (float)pow(10, test_uniform(rng, -9, 0));
    for (k = 0; k < 3; k++) {
        box->min[k] = test_uniform(rng, 0, k < 2 ? 8 : 1);
        box->max[k] = box->min[k] + size;
    }
}

/* The counts of two worlds that do the same. */
static int same_work(const sap_world *one, const sap_multi *m) {
    const sap_stats b = stats_of(m);
    sap_stats a;
    sap_get_stats(one, &a);
    return a.method == b.method && a.swaps == b.swaps && a.overlap_tests == b.overlap_tests && a.pairs == b.pairs &&
           a.created == b.created && a.deleted == b.deleted;
}

/* A sap_multi does what a sap_world does, no more and no less, in each update: with AUTO whatever the grid, and it takes
   SORT as that does; with SORT where the grid divides no axis, as it is given, or chosen. So it costs the same. */
static void works_as_one_sap(int method, int decades, int axes, int grid) {
    enum { N = 600 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    test_rng rng = {5};
    sap_world *one;
    sap_multi *m;
    int i, k, frame, sorts = 0, other = 0;
    memset(&c, 0, sizeof c);
    c.sap.method = method;
    c.sap.axes = axes;
    c.hashed = grid > 0;
    c.entries = grid == 1 ? 1 : 0;
    for (k = 0; k < 3; k++) c.cell_size[k] = grid == 3 ? 0 : 2;
    one = sap_create(&c.sap);
    m = sap_multi_create(&c);
    if (!CHECK(one && m)) exit(1);
    for (i = 0; i < N; i++) {
        crowd_box(&rng, decades, &boxes[i]);
        ids[i] = sap_add(one, &boxes[i], NULL);
        CHECK_EQUAL(sap_multi_add(m, &boxes[i], NULL), ids[i]);
    }
    for (frame = 0; frame < 60; frame++) {
        sap_stats stats;
        const int n = frame % 20 == 19 ? N / 50 : N;
        CHECK_EQUAL(sap_multi_update(m), sap_update(one));
        other += !same_work(one, m);
        sap_get_stats(one, &stats);
        sorts += stats.method == SAP_METHOD_SORT;
        if (frame % 10 == 9) CHECK(sap_multi_validate(m) == NULL);
        if (frame == 30) { /* some come, some go, some ask their filter again */
            CHECK_EQUAL(sap_multi_remove_many(m, 20, ids), sap_remove_many(one, 20, ids));
            for (i = 0; i < 20; i++) {
                ids[i] = sap_add_static(one, &boxes[i], NULL);
                CHECK_EQUAL(sap_multi_add_static(m, &boxes[i], NULL), ids[i]);
            }
            CHECK_EQUAL(sap_multi_refilter(m, ids[40]), sap_refilter(one, ids[40]));
        }
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++) {
                const float step = test_uniform(&rng, -.0002f, .0002f);
                boxes[i].min[k] += step;
                boxes[i].max[k] += step;
                if (boxes[i].max[k] < boxes[i].min[k]) boxes[i].max[k] = boxes[i].min[k];
            }
        CHECK_EQUAL(sap_multi_move_many(m, n, ids, boxes), sap_move_many(one, n, ids, boxes));
    }
    CHECK_MESSAGE(other == 0, "%d of 60 updates are not those of one SAP: method %d, decades %d, axes %d, grid %d",
                  other, method, decades, axes, grid);
    CHECK(sorts > 20);
    CHECK(stats_of(m).cells == (method == SAP_METHOD_SORT));
    sap_multi_destroy(m);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

/* Boxes grow until one SAP is better than cells, and shrink again, and are removed: the chosen grid goes and comes. All
   that is kept of it is right at any time, and the events are those of one world. */
static void grid_comes_and_goes(int is_reserved) {
    enum { N = 800, FRAMES = 110 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    test_rng rng = {5};
    sap_world *one = sap_create(NULL);
    sap_multi *m;
    int i, k, frame, changes = 0, cells = 0;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    m = sap_multi_create(&c);
    if (!CHECK(one && m)) exit(1);
    if (is_reserved) CHECK_EQUAL(sap_multi_reserve(m, N, 1000), SAP_OK);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = test_uniform(&rng, 0, 48), boxes[i].max[k] = boxes[i].min[k] + 1;
    CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_add_many(one, N, boxes, NULL, ids), SAP_OK);
    for (frame = 0; frame < FRAMES; frame++) {
        const int is_grown = frame / 20 % 2, few = frame % 20 == 7;
        int created, deleted, count;
        CHECK(sap_multi_update(m) == SAP_OK && sap_update(one) == SAP_OK);
        CHECK(sap_multi_validate(m) == NULL);
        (void)sap_created(one, &created), (void)sap_multi_created(m, &count);
        CHECK(same_arrays(sap_created(one, NULL), created, sap_multi_created(m, NULL), count));
        (void)sap_deleted(one, &deleted), (void)sap_multi_deleted(m, &count);
        CHECK(same_arrays(sap_deleted(one, NULL), deleted, sap_multi_deleted(m, NULL), count));
        changes += (stats_of(m).cells > 1) != (cells > 1);
        cells = stats_of(m).cells;
        if (frame == 70 && is_reserved) CHECK_EQUAL(sap_multi_reserve(m, N + N / 2, 1000), SAP_OK);
        if (frame == 90) CHECK(sap_multi_clear(m) == SAP_OK && sap_clear(one) == SAP_OK);
        if (frame == 90) CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
        if (frame == 90) CHECK_EQUAL(sap_add_many(one, N, boxes, NULL, ids), SAP_OK);
        for (i = 0; i < (few ? N / 50 : N); i++)
            for (k = 0; k < 3; k++) {
                boxes[i].min[k] += test_uniform(&rng, -.05f, .05f);
                boxes[i].max[k] = boxes[i].min[k] + (is_grown ? (float)(i % 20) : 1);
            }
        CHECK_EQUAL(sap_multi_move_many(m, few ? N / 50 : N, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_move_many(one, few ? N / 50 : N, ids, boxes), SAP_OK);
    }
    CHECK_MESSAGE(changes >= 4, "the grid changed %d times", changes);
    sap_multi_destroy(m);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

/* Large boxes, tiny cells: the pairs are the same, and no box is put into more than a bounded number of cells. */
static void large_boxes_and_small_cells(void) {
    enum { N = 3000 };
    sap_multi_config c;
    sap_multi *m;
    sap_world *one = sap_create(NULL);
    test_rng rng = {5};
    sap_stats stats;
    int i, k, expected, count;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    m = open_hashed(&c, 1e-3f, 1e-3f, 1e-3f);
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, 0, 8);
            box.max[k] = box.min[k] + (i % 12 ? 0.01f : i % 7 ? 3.0f : 1e6f);
        }
        CHECK(sap_multi_add(m, &box, NULL) == sap_add(one, &box, NULL));
    }
    CHECK(sap_multi_update(m) == SAP_OK && sap_update(one) == SAP_OK);
    (void)sap_pairs(one, &expected);
    (void)sap_multi_pairs(m, &count);
    CHECK(same_arrays(sap_multi_pairs(m, NULL), count, sap_pairs(one, NULL), expected));
    sap_get_stats(one, &stats);
    CHECK_MESSAGE(stats_of(m).bytes <= 2 * stats.bytes + 65536, "%lu bytes, %lu without cells",
                  (unsigned long)stats_of(m).bytes, (unsigned long)stats.bytes);
    CHECK(stats_of(m).cells > 0 && sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
    sap_destroy(one);
    CHECK_EQUAL(live_blocks, 0);
}

/* Every byte that was asked for is counted. */
static void all_bytes_are_counted(int method) {
    sap_multi_config c;
    sap_multi *m;
    sap_aabb box;
    test_rng rng = {9}, shuffle = {10};
    int i, round;
    memset(&c, 0, sizeof c);
    c.sap.method = method;
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = open_hashed(&c, 16, 16, 0);
    force_threads(m, 1);
    for (round = 0; round < 3; round++) {
        for (i = 0; i < 400; i++) {
            cluster_box(&rng, i % 5, &box);
            if (i % 50 == 0) box.max[0] += 1e6f;
            CHECK((i % 5 ? sap_multi_add(m, &box, NULL) : sap_multi_add_static(m, &box, NULL)) != 0);
        }
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK_EQUAL(sap_multi_prepare_queries(m), SAP_OK);
        CHECK_MESSAGE(stats_of(m).bytes == live_bytes, "%lu counted, %lu held", (unsigned long)stats_of(m).bytes,
                      (unsigned long)live_bytes);
        CHECK(sap_multi_clear(m) == SAP_OK && sap_multi_update(m) == SAP_OK);
        CHECK_MESSAGE(stats_of(m).bytes == live_bytes, "%lu counted, %lu held", (unsigned long)stats_of(m).bytes,
                      (unsigned long)live_bytes);
    }
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- moves on threads, and no allocation where there need not be one */

/* Whether the boxes stand where they should. */
static int stand(const sap_multi *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap_aabb box;
    int i, same = sap_multi_validate(m) == NULL;
    for (i = 0; i < n; i++)
        same &= sap_multi_get_box(m, ids[i], &box) == SAP_OK && memcmp(&box, &boxes[i], sizeof box) == 0;
    return same;
}

/* On threads as on one: a box that is moved twice in a call, wherever in the list, is
   where the later one says; and if the last move is bad, nothing has moved. Whether something was recorded before, or
   nothing. */
static void moves_that_meet(void) {
    enum { N = 64 };
    sap_multi_config c;
    sap_multi *m;
    test_rng shuffle = {9};
    sap_aabb boxes[N], to[N], twice_to[2 * N];
    sap_id ids[N], some[N], twice[2 * N], dead;
    int i, k, round;
    memset(&c, 0, sizeof c);
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    force_threads(m, 1);
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = (float)i, boxes[i].max[k] = (float)i + 2;
    dead = sap_multi_add(m, &boxes[0], NULL);
    CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_multi_remove(m, dead), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    for (round = 1; round < N; round++) {
        int at = round; /* wherever a share of the moves ends */
        if (round % 2) {
            boxes[N / 2 + 1].max[0] += 1;
            CHECK_EQUAL(sap_multi_move(m, ids[N / 2 + 1], &boxes[N / 2 + 1]), SAP_OK);
        }
        for (k = 0; k < N; k++) to[k] = boxes[k], to[k].max[1] += 1;
        memcpy(some, ids, sizeof some);
        some[N - 1] = dead;
        CHECK_EQUAL(sap_multi_move_many(m, N, some, to), SAP_ERROR_ID);
        CHECK(stand(m, N, ids, boxes));
        some[N - 1] = ids[N - 1];
        to[N - 1].max[0] = -10;
        CHECK_EQUAL(sap_multi_move_many(m, N, some, to), SAP_ERROR_BOX);
        CHECK(stand(m, N, ids, boxes));
        to[N - 1].max[0] = 1e6f;
        some[at - 1] = ids[at];
        CHECK_EQUAL(sap_multi_move_many(m, N, some, to), SAP_OK);
        to[at - 1] = boxes[at - 1];
        memcpy(boxes, to, sizeof boxes);
        CHECK(stand(m, N, ids, boxes));
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    }
    for (i = 0; i < 2 * N; i++) { /* more moves than there are boxes */
        twice[i] = ids[i / 2];
        twice_to[i] = boxes[i / 2];
        twice_to[i].max[1] += (float)i;
    }
    CHECK_EQUAL(sap_multi_move_many(m, 2 * N, twice, twice_to), SAP_OK);
    for (i = 0; i < N; i++) boxes[i] = twice_to[2 * i + 1];
    CHECK(stand(m, N, ids, boxes));
    sap_multi_destroy(m);
}

static int no_pairs(const sap_pair *pair, void *user) {
    (void)pair, (void)user;
    if (is_in_a_job()) faults++;
    return 0;
}

/* user: the world. */
static int moves_both(const sap_pair *pair, void *user) {
    const sap_aabb boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    sap_id ids[2];
    ids[0] = pair->id0;
    ids[1] = pair->id1;
    CHECK_EQUAL(sap_multi_move_many(*(sap_multi **)user, 2, ids, boxes), SAP_ERROR_BUSY);
    busy_calls++;
    return 1;
}

/* Moves that threads would share, from where nothing may be moved. */
static void busy_in_the_filter(void) {
    sap_multi_config c;
    sap_multi *m = NULL;
    test_rng shuffle = {6};
    const sap_aabb boxes[2] = {{{0, 0, 0}, {2, 2, 2}}, {{1, 1, 1}, {3, 3, 3}}};
    sap_id ids[2];
    sap_aabb box;
    memset(&c, 0, sizeof c);
    c.sap.filter = moves_both;
    c.sap.filter_user = &m;
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    force_threads(m, 1);
    CHECK_EQUAL(sap_multi_add_many(m, 2, boxes, NULL, ids), SAP_OK);
    busy_calls = 0;
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(busy_calls, 1);
    CHECK_EQUAL(sap_multi_get_box(m, ids[1], &box), SAP_OK);
    CHECK(memcmp(&box, &boxes[1], sizeof box) == 0);
    sap_multi_destroy(m);
}

/* As long as no cell is new or holds more than it ever did, nothing is allocated. Without a grid never, in shares
   neither, not even for pairs that the filter refuses. */
static void reserved(int method, int has_grid, int with_threads, sap_filter *filter) {
    enum { N = CLUSTERS * IN_CLUSTER, ROUNDS = 12 };
    static sap_aabb layouts[3][N];
    sap_multi_config c;
    sap_multi *m;
    sap_id ids[N];
    test_rng rng = {5}, shuffle = {6};
    int i, k, round;
    long before = 0;
    memset(&c, 0, sizeof c);
    c.sap.filter = filter;
    c.sap.method = method;
    if (with_threads) c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = open_hashed(&c, has_grid ? 16 : 0, 0, 0);
    force_threads(m, 1);
    CHECK_EQUAL(sap_multi_reserve(m, 2 * N, filter ? 1 : 40 * N), SAP_OK);
    for (k = 0; k < 3; k++)
        for (i = 0; i < N; i++) {
            cluster_box(&rng, i % CLUSTERS + (k == 2 ? 100 : 0), &layouts[k][i]);
            if (i % 100 == 0) layouts[k][i].max[0] += 1e5f; /* outside */
            if (i % 10 == 1) layouts[k][i].max[0] += 16;    /* in two cells */
        }
    if (!has_grid) before = allocations; /* no cells: not even the first time */
    for (round = 0; round < ROUNDS; round++) {
        if (round == 4 && (has_grid || method == SAP_METHOD_SORT)) before = allocations;
        for (k = 0; k < 3; k++) {
            if (k == 0)
                CHECK_EQUAL(sap_multi_add_many(m, N, layouts[0], NULL, ids), SAP_OK);
            else
                CHECK_EQUAL(sap_multi_move_many(m, N, ids, layouts[k]), SAP_OK);
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            for (i = 0; i < 20; i++) CHECK_EQUAL(sap_multi_move(m, ids[i], &layouts[k][i + CLUSTERS]), SAP_OK);
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        }
        CHECK_EQUAL(sap_multi_remove_many(m, N, ids), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_multi_reserve, grid %d, threads %d, filter %d",
                  allocations - before, has_grid, with_threads, filter != NULL);
    CHECK_EQUAL(faults, 0);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* Only a cell that is entered for the first time may allocate: not one that holds more than it ever did, whether boxes
   crowd in one corner of cells, each in eight of them, or spread. */
static void reserved_for_any_cell(int with_threads) {
    enum { N = 600, CELLS = 4, FRAMES = 60 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *m;
    test_rng rng = {5}, shuffle = {6};
    int i, k, frame;
    long before = 0;
    memset(&c, 0, sizeof c);
    c.sap.method = SAP_METHOD_SORT;
    for (k = 0; k < 3; k++) c.cells[k] = CELLS, c.bounds.max[k] = 10 * CELLS;
    if (with_threads) c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    force_threads(m, 1);
    CHECK_EQUAL(sap_multi_reserve(m, N, N * N / 2), SAP_OK);
    for (i = 0; i < N; i++) /* one in each cell, and one in all */
        for (k = 0; k < 3; k++) {
            const int cell = (k == 0 ? i : k == 1 ? i / CELLS : i / (CELLS * CELLS)) % CELLS;
            boxes[i].min[k] = 10 * (float)cell + 5;
            boxes[i].max[k] = boxes[i].min[k] + (i == 0 ? 50.0f : 0.01f);
        }
    CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    for (frame = 0; frame < FRAMES; frame++) {
        const int crowd = frame % 3 == 1, part = frame % 5 ? N : N / 20;
        if (frame == 2) before = allocations; /* now all that the first update made for cells is there */
        for (i = 0; i < part; i++)
            for (k = 0; k < 3; k++) {
                const float corner = 10 * (float)(1 + test_below(&rng, CELLS - 1));
                boxes[i].min[k] = crowd && i % 20 ? 20 - 0.5f / (float)(i + 1) : corner - test_uniform(&rng, 0.01f, 9);
                boxes[i].max[k] = (crowd ? 20 : corner) + test_uniform(&rng, 0.01f, 0.5f);
                if (boxes[i].min[k] > boxes[i].max[k]) boxes[i].max[k] = boxes[i].min[k];
            }
        CHECK_EQUAL(sap_multi_move_many(m, part, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK(sap_multi_validate(m) == NULL);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_multi_reserve, threads %d", allocations - before,
                  with_threads);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

static int first_two(const sap_pair *pair, void *user) {
    (void)user;
    if (is_in_a_job()) faults++;
    return pair->id0 == 1 && pair->id1 == 2;
}

/* Found by review: shares find many pairs that the filter refuses, with as many pairs as were reserved, or none. */
static void reserved_to_the_last_pair(int pairs, sap_filter *filter, int method) {
    enum { N = 1200, FRAMES = 4 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *m;
    test_rng rng = {5}, shuffle = {6};
    int i, k, frame, count;
    long before;
    memset(&c, 0, sizeof c);
    c.sap.filter = filter;
    c.sap.method = method;
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    force_threads(m, 1);
    CHECK_EQUAL(sap_multi_reserve(m, N, pairs), SAP_OK);
    before = allocations;
    for (frame = 0; frame < FRAMES; frame++) {
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                boxes[i].min[k] = i < 2 ? 0 : test_uniform(&rng, 0, 6);
                boxes[i].max[k] = boxes[i].min[k] + 1;
            }
        CHECK_EQUAL(frame ? sap_multi_move_many(m, N, ids, boxes) : sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        (void)sap_multi_pairs(m, &count);
        CHECK_EQUAL(count, filter == first_two);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_multi_reserve of %d pairs, method %d",
                  allocations - before, pairs, method);
    CHECK_EQUAL(faults, 0);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* Nearly all pairs are those of one crowd, and so of one share. */
static void reserved_for_a_crowd(int method) {
    enum { N = 1200, CROWD = 70, PAIRS = CROWD * (CROWD - 1) / 2, FRAMES = 4 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_multi_config c;
    sap_multi *m;
    test_rng rng = {5}, shuffle = {6};
    int i, k, frame, count;
    long before;
    memset(&c, 0, sizeof c);
    c.sap.method = method;
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    force_threads(m, 1);
    CHECK_EQUAL(sap_multi_reserve(m, N, PAIRS), SAP_OK);
    before = allocations;
    for (frame = 0; frame < FRAMES; frame++) {
        for (i = 0; i < N; i++)
            for (k = 0; k < 3; k++) {
                const int in_crowd = i < CROWD && frame != 1;
                boxes[i].min[k] = (in_crowd ? 0.f : 10.f * (float)(1 + (k ? i : i % 32))) + test_uniform(&rng, 0, 1);
                boxes[i].max[k] = boxes[i].min[k] + 2;
            }
        CHECK_EQUAL(frame ? sap_multi_move_many(m, N, ids, boxes) : sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        (void)sap_multi_pairs(m, &count);
        CHECK_EQUAL(count, frame == 1 ? 0 : PAIRS);
    }
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_multi_reserve, method %d", allocations - before,
                  method);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- every allocation fails once */

static long failures; /* calls that reported SAP_ERROR_MEMORY */

/* test_hash, eight bytes at a time: whole snapshots are hashed thousands of times. */
static uint64_t hash_fast(uint64_t hash, const void *data, size_t size) {
    const char *byte = (const char *)data;
    uint64_t word;
    for (; size >= sizeof word; size -= sizeof word, byte += sizeof word) {
        memcpy(&word, byte, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return test_hash(hash, byte, size);
}

/* What can be seen: a call that fails must not change it. */
static uint64_t look(const sap_multi *m) {
    size_t size = sap_multi_snapshot_size(m);
    void *bytes = malloc(size);
    uint64_t hash;
    const sap_pair *p;
    int n;
    if (!bytes) exit(2);
    CHECK_EQUAL(sap_multi_save(m, bytes, size), SAP_OK);
    hash = hash_fast(14695981039346656037u, bytes, size);
    free(bytes);
    p = sap_multi_created(m, &n);
    hash = hash_fast(hash, p, (size_t)n * sizeof *p);
    p = sap_multi_deleted(m, &n);
    return hash_fast(hash, p, (size_t)n * sizeof *p);
}

static int may_fail(void) {
    return fail_from >= 0 && allocations < fail_from + fail_count;
}

/* Calls until it is not memory that is missing. Each failure must leave everything as it was. */
#define TRY(m, call)                                                                                                   \
    do {                                                                                                               \
        for (;;) {                                                                                                     \
            uint64_t before_ = may_fail() ? look(m) : 0;                                                               \
            int result_ = (int)(call);                                                                                 \
            CHECK_EQUAL(sap_multi_last_error(m), result_);                                                             \
            if (result_ != SAP_ERROR_MEMORY) {                                                                         \
                CHECK_EQUAL(result_, SAP_OK);                                                                          \
                break;                                                                                                 \
            }                                                                                                          \
            failures++;                                                                                                \
            CHECK(look(m) == before_);                                                                                 \
            CHECK(sap_multi_validate(m) == NULL);                                                                      \
        }                                                                                                              \
    } while (0)

static int four_of_five(const sap_pair *pair, void *user) {
    (void)user;
    if (is_in_a_job()) faults++;
    return (pair->id0 + pair->id1) % 5 != 0;
}

/* Boxes within cells, across them and far outside, statics, crowds, few moves and many, a snapshot, and none left. One
   number for all that was seen. */
static uint64_t scenario(const sap_multi_config *config) {
    enum { N = 90 };
    test_rng rng = {11};
    sap_multi *m;
    sap_aabb boxes[N];
    sap_id ids[N], more[N];
    uint64_t hash = 1;
    float offset[3] = {1, 2, 3};
    size_t size;
    void *bytes;
    int i, round, batch;
    while ((m = sap_multi_create(config)) == NULL) failures++;
    force_threads(m, 1);
    for (round = 0; round < 2; round++) {
        for (batch = 0; batch < 2; batch++) { /* below 40, and above */
            int first = batch ? 20 : 0, n = batch ? N - 20 : 20;
            for (i = 0; i < n; i++) scene_box(&rng, i % 20 ? SCENE_LATTICE : SCENE_HUGE, &boxes[first + i]);
            TRY(m, batch ? sap_multi_add_static_many(m, 10, boxes + first, NULL, ids + first) : SAP_OK);
            i = batch ? 10 : 0;
            TRY(m, sap_multi_add_many(m, n - i, boxes + first + i, NULL, ids + first + i));
            TRY(m, sap_multi_update(m));
            hash = hash * 31 + look(m);
        }
        for (i = 0; i < 6; i++) scene_box(&rng, SCENE_LATTICE, &boxes[i]);
        TRY(m, sap_multi_move_many(m, 6, ids, boxes)); /* few */
        TRY(m, sap_multi_update(m));
        hash = hash * 31 + look(m);
        for (i = 0; i < N; i++)
            scene_box(&rng, i % 20 ? SCENE_LATTICE : SCENE_HUGE, &boxes[i]), boxes[i].max[0] += (float)round;
        TRY(m, sap_multi_move_many(m, N, ids, boxes)); /* all */
        TRY(m, sap_multi_refilter(m, ids[4]));
        TRY(m, sap_multi_set_static(m, ids[5], round == 0));
        TRY(m, sap_multi_set_filter_many(m, 3, ids + 6, 1, 1));
        TRY(m, sap_multi_update(m));
        hash = hash * 31 + look(m);
        TRY(m, sap_multi_shift_origin(m, offset));
        TRY(m, sap_multi_update(m));
        for (i = 0; i < N; i++) boxes[i] = boxes[0]; /* on one spot: more pairs in a cell than there is room for */
        TRY(m, sap_multi_move_many(m, 40, ids, boxes));
        TRY(m, sap_multi_update(m));
        TRY(m, sap_multi_prepare_queries(m));
        CHECK_EQUAL(sap_multi_update(m), SAP_OK); /* of nothing */
        for (i = 0; i < N; i++) scene_box(&rng, SCENE_LATTICE, &boxes[i]);
        TRY(m, sap_multi_move_many(m, N, ids, boxes));
        TRY(m, sap_multi_update(m));
        hash = hash * 31 + look(m);
        size = sap_multi_snapshot_size(m);
        bytes = malloc(size);
        if (!bytes) exit(2);
        CHECK_EQUAL(sap_multi_save(m, bytes, size), SAP_OK);
        TRY(m, sap_multi_restore(m, bytes, size));
        free(bytes);
        TRY(m, sap_multi_add_many(m, 30, boxes, NULL, more));
        TRY(m, sap_multi_update(m));
        TRY(m, sap_multi_remove_many(m, N, ids));
        TRY(m, sap_multi_update(m));
        hash = hash * 31 + look(m);
        TRY(m, sap_multi_remove_many(m, 20, more)); /* back below 40 */
        TRY(m, sap_multi_update(m));
        TRY(m, sap_multi_remove_many(m, 10, more + 20));
        TRY(m, sap_multi_update(m));
        hash = hash * 31 + look(m);
        if (round == 0) TRY(m, sap_multi_reserve(m, 150, 3000));
    }
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
    return hash;
}

/* Every step-th allocation, from the first-th on, and the one after it. */
static void every_allocation_fails(const sap_multi_config *config, int step) {
    uint64_t expected;
    long count, k;
    never_fail();
    allocations = failures = 0;
    expected = scenario(config);
    count = allocations;
    CHECK_EQUAL(failures, 0);
    for (k = 0; k < count; k += step) {
        allocations = failures = failed_shrinks = 0;
        fail_from = k;
        fail_count = 1 + k % 2;
        CHECK_MESSAGE(scenario(config) == expected, "allocation %ld of %ld failed, and events differ", k, count);
        CHECK_MESSAGE(failures + failed_shrinks > 0, "allocation %ld of %ld failed and nobody said so", k, count);
    }
    never_fail();
    CHECK(count > 20);
    CHECK_EQUAL(faults, 0);
}

static void out_of_memory(int step) {
    sap_multi_config fixed, hashed;
    test_rng shuffle = {1};
    int k;
    memset(&fixed, 0, sizeof fixed);
    for (k = 0; k < 3; k++) fixed.bounds.max[k] = 6, fixed.cells[k] = 3 - k;
    fixed.sap.filter = four_of_five;
    fixed.parallel = run_shuffled;
    fixed.parallel_user = &shuffle;
    memset(&hashed, 0, sizeof hashed);
    hashed.hashed = 1;
    hashed.cell_size[0] = hashed.cell_size[2] = 3;
    every_allocation_fails(&fixed, step);
    fixed.sap.method = SAP_METHOD_SORT;
    every_allocation_fails(&fixed, step);
    fixed.sap.method = SAP_METHOD_PRUNE;
    every_allocation_fails(&fixed, step);
    hashed.sap.method = SAP_METHOD_SORT;
    every_allocation_fails(&hashed, step);
    hashed.sap.method = SAP_METHOD_QUERY;
    every_allocation_fails(&hashed, step);
    fixed.cells[0] = fixed.cells[1] = fixed.cells[2] = 1;
    every_allocation_fails(&fixed, step);
}

int main(int argc, char **argv) {
    int seeds = test_argument(argc, argv, 1, 96), first = test_argument(argc, argv, 2, 1), seed, method, bad = 0, k;
    use_realloc = multi_realloc, use_free = multi_free;
    for (seed = first; seed < first + seeds && bad < 5; seed++) {
        if (seed % 20 == 11)
            bad += large_run(seed);
        else
            bad += random_run(seed, seed % 9 ? 10 + seed * 53 % 700 : 1 + seed % 7, 24);
        fflush(stdout);
    }
    for (k = 0; k < (seeds < 50 ? 2 : 6) && bad < 5; k++) bad += full_size(first + k);
    CHECK(seeds < 10 || in_many_cells > 0);
    refusals();
    cells_without_bounds();
    no_tree_without_queries();
    null_arguments();
    busy_in_callbacks();
    limits(4);
    limits(0);
    most_cells();
    entries_of_two_axes();
    given_cells(1);
    given_cells(10);
    given_cells(400);
    cells_are_counted_at_any_time();
    if (seeds >= 10) grids_cost_less();
    memory_follows_the_boxes();
    cells_are_given_back(0);
    cells_are_given_back(1);
    grid_comes_and_goes(0);
    grid_comes_and_goes(1);
    for (k = 0; k < 2; k++) { /* decades or not */
        for (method = 0; method < 4; method++) works_as_one_sap(SAP_METHOD_AUTO, k, SAP_2D, method);
        works_as_one_sap(SAP_METHOD_SORT, k, 0, 1);
        works_as_one_sap(SAP_METHOD_SORT, k, SAP_2D, 1);
    }
    works_as_one_sap(SAP_METHOD_SORT, 1, 0, 0);
    works_as_one_sap(SAP_METHOD_SORT, 1, 0, 3);
    large_boxes_and_small_cells();
    all_bytes_are_counted(SAP_METHOD_AUTO);
    all_bytes_are_counted(SAP_METHOD_SORT);
    moves_that_meet();
    busy_in_the_filter();
    reserved(SAP_METHOD_AUTO, 1, 0, NULL);
    reserved(SAP_METHOD_SORT, 1, 0, NULL);
    reserved(SAP_METHOD_AUTO, 1, 1, NULL);
    reserved(SAP_METHOD_SORT, 1, 1, NULL);
    reserved(SAP_METHOD_AUTO, 0, 0, NULL);
    reserved(SAP_METHOD_SORT, 0, 0, NULL);
    reserved(SAP_METHOD_AUTO, 0, 1, NULL);
    reserved(SAP_METHOD_SORT, 0, 1, NULL);
    reserved(SAP_METHOD_AUTO, 0, 1, no_pairs);
    reserved(SAP_METHOD_SORT, 0, 1, no_pairs);
    if (seeds >= 10) reserved_for_any_cell(0);
    if (seeds >= 10) reserved_for_any_cell(1);
    for (method = SAP_METHOD_PRUNE; method <= SAP_METHOD_QUERY; method++) {
        reserved_for_a_crowd(method);
        reserved_to_the_last_pair(100, no_pairs, method);
        reserved_to_the_last_pair(0, no_pairs, method);
        reserved_to_the_last_pair(1, first_two, method);
    }
    threads_that_flush();
    for (k = 0; k < 3; k++) shares_give_up(k);
    shares_begin_again();
    out_of_memory(seeds < 20 ? 25 : seeds < 60 ? 5 : 1);
    return test_summary();
}
