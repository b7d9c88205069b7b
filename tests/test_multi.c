/* test_multi.c - a grid of SAPs gives the answers of one sap_world, byte for byte.

   One sequence of random calls goes to a sap_world, which test_model.c compares with brute force, and to several
   sap_multis, each with another grid, other threads, another path and kernel. After every update everything that can
   be seen must be the same: events, ids, results, the order of the pairs, snapshots, queries.

   usage: test_multi [seeds] [first seed]   default 96 from 1; a failure names its seed. With 60 seeds and more each
   allocation fails once, with fewer some of them */

#include <pthread.h>

#include "alloc.h"

/* ---- jobs: the allocator and the filter are the calling thread's, and never a job's -------------------------- */

static pthread_t calling_thread;
static int jobs_running;

static int is_in_a_job(void) {
    return jobs_running || !pthread_equal(pthread_self(), calling_thread);
}

static void *multi_realloc(void *p, size_t size) {
    if (is_in_a_job()) faults++;
    return test_realloc(p, size);
}

static void multi_free(void *p) {
    if (is_in_a_job()) faults++;
    test_free(p);
}

#define SAP_REALLOC(p, size) multi_realloc(p, size)
#define SAP_FREE(p) multi_free(p)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"

#include "scenes.h"
#include "ways.h"

enum { MOST_THREADS = 8, MOST_JOBS = 1 << 16, MOST_BOXES = 24000, WORLDS = 4 };

typedef struct share { /* of the jobs: first, first + step, ... */
    sap_job *job;
    void *data;
    int first, step, count;
} share;

static void *run_share(void *argument) {
    const share *s = (const share *)argument;
    int i;
    for (i = s->first; i < s->count; i += s->step) s->job(s->data, i);
    return NULL;
}

/* sap_parallel_for on as many threads as user says; the calling one only waits. The threads are new ones and their
   shares are fixed: so nothing puts an order between jobs of two threads, not even that one was done before the other
   woke, and the thread sanitizer sees every race. */
static void run_in_threads(sap_job *job, void *data, int count, void *user) {
    pthread_t threads[MOST_THREADS];
    share shares[MOST_THREADS];
    int i, n = *(int *)user;
    if (n > count) n = count;
    jobs_running = 1;
    for (i = 0; i < n; i++) {
        shares[i].job = job;
        shares[i].data = data;
        shares[i].first = i;
        shares[i].step = n;
        shares[i].count = count;
        if (pthread_create(&threads[i], NULL, run_share, &shares[i]) != 0) exit(2);
    }
    for (i = 0; i < n; i++) pthread_join(threads[i], NULL);
    jobs_running = 0;
}

/* sap_parallel_for on this thread, in an order that is another one each time. */
static void run_shuffled(sap_job *job, void *data, int count, void *user) {
    static int order[MOST_JOBS];
    test_rng *rng = (test_rng *)user;
    int i;
    if (count > MOST_JOBS) exit(2);
    for (i = 0; i < count; i++) {
        int j = test_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    jobs_running = 1;
    for (i = 0; i < count; i++) job(data, order[i]);
    jobs_running = 0;
}

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

/* No box is in more than so many cells. */
static void check_places(run *r, const world *w) {
    const sap_multi *m = w->many;
    uint32_t slot;
    int most = 0;
    if (!m->whole->settle_in_cells || !m->is_filed) return;
    for (slot = 0; slot < (uint32_t)sap__length(m->places); slot++) {
        sap__place place = m->places[slot];
        int n = place.cell != SAP__NONE;
        for (; place.cell != SAP__NONE && place.more != SAP__NONE; place = m->more[place.more]) n++;
        if (n > most) most = n;
    }
    HOLDS(r, w, most <= SAP__MOST_CELLS);
}

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
        check_places(r, w);
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

static int compare_hits(const void *a, const void *b) {
    sap_id x = ((const hit *)a)->id, y = ((const hit *)b)->id;
    return x < y ? -1 : x > y;
}

typedef struct question {
    int kind;
    sap_aabb box;
    float point[3], way[3], reach;
    uint32_t mask;
} question;

/* One query; what it visits goes to h, sorted by id; what else it says is returned as one number. */
static uint64_t ask(const world *w, const question *q, hits *h) {
    struct {
        int64_t count;
        uint32_t id;
        float t;
    } answer;
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
    default: answer.count = ASK(w, prepare_queries);
    }
    qsort(h->items, (size_t)h->count, sizeof *h->items, compare_hits);
    return test_hash(14695981039346656037u, &answer, sizeof answer);
}

static void compare_queries(run *r) {
    static const char *const names[] = {"query_box", "query_point", "query_sphere", "ray_cast",
                                        "box_cast",  "ray_closest", "nearest",      "prepare_queries"};
    question q;
    sap_aabb from, to;
    int k, i;
    new_box(r, &r->rng, &q.box);
    new_box(r, &r->rng, &from);
    new_box(r, &r->rng, &to);
    for (k = 0; k < 3; k++) q.point[k] = from.min[k], q.way[k] = to.max[k];
    q.reach = test_uniform(&r->rng, 0, 20);
    q.mask = test_chance(&r->rng, 80) ? ~0u : (uint32_t)test_below(&r->rng, 8);
    for (q.kind = 0; q.kind < 8; q.kind++) {
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
    if (id && r->masks && test_chance(&r->rng, 50)) {
        uint32_t category = 1u << test_below(&r->rng, 3), mask = (uint32_t)test_below(&r->rng, 8);
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
        if (test_chance(&r->rng, 30)) exchange_boxes(r->worlds[i].many->whole);
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
    if (test_chance(rng, 50)) spoil_unused_grid(axes, c);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* The grids are used from so many boxes on; -1: as they would be. They are of these kinds; NULL: of any. */
static void start(run *r, int seed, int from, const int *kinds) {
    static const int axes[] = {0, 0, 0, 7, SAP_2D, SAP_2D, 1, 2, 4, 5, 6};
    sap_multi_config config;
    int i, kind;
    memset(r, 0, sizeof *r);
    r->seed = seed;
    r->rng.state = (uint64_t)seed * 7777777u;
    r->scene = (scene)(seed % SCENE_COUNT);
    r->clusters = test_chance(&r->rng, 25);
    r->user_filter = test_chance(&r->rng, 30);
    r->masks = test_chance(&r->rng, 30);
    r->records_inside = test_chance(&r->rng, 30);
    memset(&config, 0, sizeof config);
    config.sap.axes = kinds ? 0 : axes[test_below(&r->rng, 11)]; /* with kinds the world is large: space for all */
    r->axes = config.sap.axes ? config.sap.axes : 7;
    if (r->user_filter) config.sap.filter = some_pairs;
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
        kind = kinds ? kinds[i] : test_below(&r->rng, GRIDS);
        w->grid = grid_names[kind];
        draw_grid(&r->rng, kind, r->axes, &c);
        if (i == 1) { /* the third is without threads */
            w->threads = 1 + test_below(&r->rng, MOST_THREADS);
            c.parallel = run_in_threads;
            c.parallel_user = &w->threads;
        } else if (i == 2) {
            c.parallel = run_shuffled;
            c.parallel_user = &w->shuffle;
        }
        w->many = sap_multi_create(&c);
        if (!CHECK(w->many != NULL)) exit(1);
        if (from >= 0) w->many->grid_from = from;
        if (from == 0 && test_chance(&r->rng, 40)) { /* no grid: if it has threads, they share its strips */
            w->grid = "shares";
            w->many->grid_from = INT_MAX;
        }
        if (!kinds) w->many->whole->threads_from = 1 + test_below(&r->rng, 4);
        if (test_chance(&r->rng, 50)) w->many->whole->order_from = 0;
        if (test_chance(&r->rng, 40)) w->many->whole->path = test_below(&r->rng, SAP_METHOD_QUERY + 1);
        if (test_chance(&r->rng, 40)) /* if there is such a kernel */
            (void)sap__use_kernel(w->many->whole, test_below(&r->rng, SAP__KERNEL_WASM + 1));
    }
}

static int in_cells, in_whole, in_shares; /* updates of sap_multis; worlds whose threads share their strips */

static int finish(run *r) {
    int i;
    for (i = 1; i < WORLDS; i++) in_shares += r->worlds[i].many->shares != NULL;
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
        if (test_chance(&r->rng, 8)) do_shift_origin(r);
        if (test_chance(&r->rng, 10)) do_snapshot(r);
        if (!r->bad && test_chance(&r->rng, 10)) compare_snapshots(r); /* of what is recorded */
        if (!r->bad) do_update(r);
        for (i = 1; i < WORLDS; i++) r->worlds[i].many->whole->settle_in_cells ? in_cells++ : in_whole++;
    }
}

static int random_run(int seed, int size, int steps) {
    run *r = &shared;
    start(r, seed, seed % 3 == 0 ? size / 2 : 0, NULL); /* then the grid comes and goes */
    switch (r->scene) {                                 /* where nearly all boxes overlap, fewer do */
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

/* Thousands of boxes, so that there are many cells and places; or no cells, and threads share the whole's loops. */
static int large_run(int seed) {
    static const scene scenes[] = {SCENE_SPARSE, SCENE_FLAT, SCENE_UNIFORM, SCENE_SPARSE, SCENE_STRETCHED};
    run *r = &shared;
    start(r, seed, seed / 20 % 2 ? -1 : 0, NULL);
    r->scene = scenes[seed / 20 % 5];
    any_calls(r, r->scene == SCENE_SPARSE ? 6000 : 2000, 12);
    return finish(r);
}

/* Hashed cells of these sizes, from the first box on; NULL: all else is default. */
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
    m->grid_from = 0;
    return m;
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
    int i, k, frame, expected, count;
    memset(&c, 0, sizeof c);
    if (how == 1) c.sap.axes = SAP_AXIS_X;
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    one = sap_create(&c.sap);
    if (!CHECK(one && m)) exit(1);
    m->whole->threads_from = 1;
    m->whole->path = one->path = SAP_METHOD_PRUNE;
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
        if (frame)
            CHECK(sap_move_many(one, N, ids, boxes) == SAP_OK && sap_multi_move_many(m, N, ids, boxes) == SAP_OK);
        else
            CHECK(sap_add_many(one, N, boxes, NULL, ids) == SAP_OK &&
                  sap_multi_add_many(m, N, boxes, NULL, ids) == SAP_OK);
        CHECK(sap_update(one) == SAP_OK && sap_multi_update(m) == SAP_OK);
        CHECK(sap_multi_validate(m) == NULL);
        (void)sap_pairs(one, &expected);
        (void)sap_multi_pairs(m, &count);
        CHECK(expected == count &&
              !memcmp(sap_pairs(one, NULL), sap_multi_pairs(m, NULL), (size_t)count * sizeof(sap_pair)));
    }
    sap_destroy(one);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

static int first_large(const char *is_large) {
    int i = 0;
    while (!is_large[i]) i++;
    return i;
}

/* Large boxes that the choice of strips cannot foresee, for its sample passes by them. Most are large: then there are too
   many copies, and the strips get wider. Or a few, wide ones: while strips are brought in step where they are, some of
   these shrink, and others grow. */
static void large_boxes_in_strips(int most_are) {
    enum { N = 24000, LARGE = 12, SAMPLE = 512, FRAMES = 4 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_world *one = sap_create(NULL);
    sap_multi_config c;
    sap_multi *many[2];
    test_rng rng = {5}, shuffle = {6};
    char is_large[N] = {0};
    const int n = most_are ? 3000 : N, sample = n / 16 < SAMPLE ? n / 16 : SAMPLE;
    const float side = most_are ? 100 : 30, large = most_are ? 15 : 28, small = most_are ? 1 : 0.25f;
    int i, k, w, frame, wide = 0;
    memset(&c, 0, sizeof c);
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    one->path = SAP_METHOD_PRUNE;
    for (w = 0; w < 2; w++) {
        many[w] = sap_multi_create(&c);
        if (!CHECK(one && many[w])) exit(1);
        many[w]->whole->threads_from = 1;
        many[w]->whole->path = w ? SAP_METHOD_QUERY : SAP_METHOD_PRUNE;
    }
    for (i = 0; i < sample; i++) is_large[(uint64_t)(uint32_t)i * 2654435761u % (uint32_t)n] = 2;
    for (i = k = 0; i < n; i++)
        if (is_large[i] == 2)
            is_large[i] = 0;
        else
            is_large[i] = most_are || k++ < LARGE;
    for (frame = 0; frame < FRAMES; frame++) {
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++) {
                float size = is_large[i] ? large : small, step = test_uniform(&rng, -0.05f, 0.05f);
                if (frame == 0) boxes[i].min[k] = test_uniform(&rng, 0, side - size);
                boxes[i].min[k] += step;
                boxes[i].max[k] = boxes[i].min[k] + size;
            }
        if (frame == 0) CHECK_EQUAL(sap_add_many(one, n, boxes, NULL, ids), SAP_OK);
        if (frame) CHECK_EQUAL(sap_move_many(one, n, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_update(one), SAP_OK);
        CHECK(sap_validate(one) == NULL);
        wide += one->moving.strip[sap__wide_strip(&one->moving)].count > 0;
        for (w = 0; w < 2; w++) {
            int expected, count;
            if (frame == 0) CHECK_EQUAL(sap_multi_add_many(many[w], n, boxes, NULL, ids), SAP_OK);
            if (frame) CHECK_EQUAL(sap_multi_move_many(many[w], n, ids, boxes), SAP_OK);
            CHECK_EQUAL(sap_multi_update(many[w]), SAP_OK);
            CHECK(sap_multi_validate(many[w]) == NULL);
            (void)sap_pairs(one, &expected);
            (void)sap_multi_pairs(many[w], &count);
            CHECK(expected == count &&
                  !memcmp(sap_pairs(one, NULL), sap_multi_pairs(many[w], NULL), (size_t)count * sizeof(sap_pair)));
        }
        i = test_below(&rng, n);
        if (!most_are) is_large[i] = !is_large[i], is_large[first_large(is_large)] = 0;
    }
    CHECK(most_are || wide == FRAMES);
    sap_destroy(one);
    for (w = 0; w < 2; w++) sap_multi_destroy(many[w]);
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

/* Found by review: many large boxes beside many small cells. Each of those that moves is compared with each cell. */
static void large_boxes_and_small_cells(void) {
    enum { N = 6000 };
    sap_multi *m;
    test_rng rng = {5};
    int i, k;
    m = open_hashed(NULL, 1, 1, 1);
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, 0, 8);
            box.max[k] = box.min[k] + (i % 12 ? 0.01f : 3.0f);
        }
        CHECK(sap_multi_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK((long long)m->cells_used * m->cells[SAP__OUTSIDE]->world.live <= 64LL * N + 4096);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}

/* 1 cell is not divided, as 0 is; but only all zeros are chosen. An axis without an end is not divided, others are. */
static void one_cell_is_not_divided(void) {
    enum { N = 2 * SAP__CELL_BOXES };
    int how;
    for (how = 0; how < 3; how++) {
        sap_multi_config config;
        sap_multi *m;
        test_rng rng = {5};
        int i, k;
        memset(&config, 0, sizeof config);
        for (k = 0; k < 3; k++) {
            config.bounds.max[k] = 500;
            config.cells[k] = how == 0;
        }
        if (how == 2) config.bounds.min[0] = -TEST_INFINITY, config.bounds.max[0] = TEST_INFINITY;
        m = sap_multi_create(&config);
        if (!CHECK(m != NULL)) exit(1);
        m->grid_from = 0;
        for (i = 0; i < N; i++) {
            sap_aabb box;
            for (k = 0; k < 3; k++) box.min[k] = test_uniform(&rng, 0, 499), box.max[k] = box.min[k] + 1;
            CHECK(sap_multi_add(m, &box, NULL) != 0);
        }
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK_EQUAL(m->cells_used, how == 0 ? 1 : 2);
        CHECK(how != 2 || !(m->cells_per_unit[0] > 0));
        sap_multi_destroy(m);
    }
}

/* What was reserved stays so while the grid comes into use and goes out of it. */
static void reserved_for_both_ways(void) {
    enum { N = 700 };
    sap_multi *m = sap_multi_create(NULL);
    test_rng rng = {5};
    int i, k;
    long before;
    if (!CHECK(m != NULL)) exit(1);
    m->grid_from = N;
    CHECK_EQUAL(sap_multi_reserve(m, N, 4 * N), SAP_OK);
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) box.min[k] = test_uniform(&rng, 0, 99), box.max[k] = box.min[k] + 1;
        CHECK(sap_multi_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(sap_multi_refilter(m, 1), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(m->whole->settle_in_cells != NULL);
    before = allocations;
    for (i = 0; i < N / 2 + 1; i++) CHECK_EQUAL(sap_multi_remove(m, (sap_id)(i + 1)), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(m->whole->settle_in_cells == NULL);
    CHECK_EQUAL(allocations, before);
    sap_multi_destroy(m);
}

/* On one thread the grid is given up while most boxes move, and taken up again when few do; with threads it stays. */
static void one_thread_in_a_crowd(void) {
    enum { N = 400 };
    sap_multi_config config;
    sap_world *one = sap_create(NULL);
    sap_multi *alone, *threads;
    test_rng rng = {7}, order = {8};
    sap_aabb box[N];
    sap_id id[N];
    int i, k, frame, pairs[3];
    memset(&config, 0, sizeof config);
    alone = sap_multi_create(&config);
    config.parallel = run_shuffled;
    config.parallel_user = &order;
    threads = sap_multi_create(&config);
    if (!CHECK(one && alone && threads)) exit(1);
    alone->grid_from = threads->grid_from = N / 2;
    for (i = 0; i < N; i++) {
        for (k = 0; k < 3; k++) box[i].min[k] = test_uniform(&rng, 0, 100), box[i].max[k] = box[i].min[k] + 8;
        id[i] = sap_add(one, &box[i], NULL);
        CHECK(sap_multi_add(alone, &box[i], NULL) == id[i] && sap_multi_add(threads, &box[i], NULL) == id[i]);
    }
    for (frame = 0; frame < 80; frame++) {
        int moves = frame < 20 || frame >= 50 ? N : 10;
        for (i = 0; i < moves; i++)
            for (k = 0; k < 3; k++) {
                float step = test_uniform(&rng, -2, 2);
                box[i].min[k] += step;
                box[i].max[k] += step;
            }
        CHECK_EQUAL(sap_move_many(one, moves, id, box), SAP_OK);
        CHECK_EQUAL(sap_multi_move_many(alone, moves, id, box), SAP_OK);
        CHECK_EQUAL(sap_multi_move_many(threads, moves, id, box), SAP_OK);
        CHECK_EQUAL(sap_update(one), SAP_OK);
        CHECK_EQUAL(sap_multi_update(alone), SAP_OK);
        CHECK_EQUAL(sap_multi_update(threads), SAP_OK);
        if (frame == 40 || frame == 52)
            CHECK(alone->whole->settle_in_cells != NULL && threads->whole->settle_in_cells != NULL);
        if (frame < 24 || frame > 60)
            CHECK(alone->whole->settle_in_cells == NULL && threads->whole->settle_in_cells == NULL);
        CHECK(sap_multi_validate(alone) == NULL && sap_multi_validate(threads) == NULL);
        (void)sap_pairs(one, &pairs[0]);
        (void)sap_multi_pairs(alone, &pairs[1]);
        (void)sap_multi_pairs(threads, &pairs[2]);
        CHECK(pairs[0] == pairs[1] && pairs[0] == pairs[2] &&
              !memcmp(sap_pairs(one, NULL), sap_multi_pairs(alone, NULL), (size_t)pairs[0] * sizeof(sap_pair)));
    }
    sap_destroy(one);
    sap_multi_destroy(alone);
    sap_multi_destroy(threads);
}

/* Updates in which so many boxes move, until the grid is taken into use, or out of it; how many. */
static int updates_until(sap_multi *m, const sap_id *ids, int moves, int is_used) {
    int n = 0, i;
    while ((m->whole->settle_in_cells != NULL) != is_used && n < 1000) {
        for (i = 0; i < moves; i++) {
            sap_aabb box;
            CHECK_EQUAL(sap_multi_get_box(m, ids[i], &box), SAP_OK);
            box.min[0] += 0.25f;
            box.max[0] += 0.25f;
            CHECK_EQUAL(sap_multi_move(m, ids[i], &box), SAP_OK);
        }
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        n++;
    }
    return n;
}

/* How long that takes: an update in which few boxes move makes up for one in which most do. */
static void crowds_are_counted(void) {
    enum { N = 400, LATE = 40 };
    static sap_id ids[N];
    sap_multi *m = sap_multi_create(NULL);
    test_rng rng = {7};
    int i, k;
    if (!CHECK(m != NULL)) exit(1);
    m->grid_from = N;
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, 0, 100);
            box.max[k] = box.min[k] + 8;
        }
        if (i == N - LATE) { /* calm for long before there are boxes enough */
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            for (k = 0; k < 2 * SAP__CROWDED; k++) {
                CHECK_EQUAL(sap_multi_move(m, ids[0], &box), SAP_OK);
                CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            }
            CHECK(m->whole->settle_in_cells == NULL);
        }
        ids[i] = sap_multi_add(m, &box, NULL);
        CHECK(ids[i] != 0);
    }
    CHECK_EQUAL(updates_until(m, ids, 1, 1), 1);
    CHECK_EQUAL(updates_until(m, ids, N / 4 + 1, 0), SAP__CROWDED);
    for (i = 0; i < SAP__CROWDED; i++) { /* more of them change nothing */
        CHECK_EQUAL(sap_multi_shift_origin(m, (const float[3]){1, 0, 0}), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    }
    CHECK_EQUAL(updates_until(m, ids, N / 4, 1), SAP__CROWDED);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}

/* With numbers of boxes from which a grid is used: up, across, and down again. */
static void full_size(int seed) {
    static const int kinds[WORLDS] = {0, CHOSEN, BOUNDS_ALONE, HASHED_BY_BOXES};
    run *r = &shared;
    const sap_multi *with_threads;
    int i, used[10] = {0};
    start(r, seed, -1, kinds);
    with_threads = r->worlds[1].many;
    CHECK_EQUAL(with_threads->grid_from, SAP__CELLS_FROM);
    CHECK_EQUAL(with_threads->whole->threads_from, SAP__THREADS_FROM);
    for (i = 1; i < 3; i++) r->worlds[i].many->grid_from = 16384;
    r->worlds[3].many->grid_from = 10000;
    r->scene = SCENE_SPARSE;
    r->clusters = r->records_inside = 0;
    for (i = 1; i < WORLDS; i++) r->worlds[i].many->whole->path = SAP_METHOD_AUTO;
    for (r->step = 0; r->step < 10 && !r->bad; r->step++) {
        if (r->step == 0) do_add_many(r, 12000);
        if (r->step == 2 || r->step == 4) do_add_many(r, 5000);
        if (r->step == 5) do_move_some(r, r->count);
        if (r->step == 6) do_move_some(r, 500);
        if (r->step == 7) do_shift_origin(r);
        if (r->step == 8) {
            for (i = 0; i < r->count - 6000; i++) some_ids[i] = r->ids[i];
            ALL(r, CALL(w, remove_many, i, some_ids));
        }
        do_move_some(r, 50);
        if (!r->bad) do_update(r);
        used[r->step] = with_threads->whole->settle_in_cells != NULL;
    }
    CHECK(!used[1] && used[3] && used[7] && !used[8]); /* 12,000 boxes, 17,000, 22,000, 6,000 */
    (void)finish(r);
}

/* ---- what sap_multi_create refuses ------------------------------------------------------------------------------- */

static int is_refused(const sap_multi_config *c) {
    sap_multi *m = sap_multi_create(c);
    sap_multi_destroy(m);
    return m == NULL;
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
        CHECK(!is_refused(&c)); /* no bounds are given: those of the boxes */
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

static void busy_in_callbacks(int from) {
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}}, away = {{8, 8, 8}, {9, 9, 9}};
    sap_multi *m = sap_multi_create(NULL);
    if (!CHECK(m != NULL)) exit(1);
    m->grid_from = from;
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

/* A call over a limit changes nothing and succeeds once there is room, in cells as without. */
static void limits(int from) {
    enum { N = 40 };
    sap_multi_config c;
    sap_aabb boxes[N];
    sap_id ids[N];
    sap_multi *m;
    int i, k, count, seen;
    memset(&c, 0, sizeof c);
    c.sap.max_boxes = N;
    c.sap.max_pairs = N;
    m = open_hashed(&c, 4, 0, 0);
    m->grid_from = from;
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

/* ---- memory: cells, their pool, and no allocation where there need not be one ------------------------------------- */

enum { CLUSTERS = 32, IN_CLUSTER = 24 };

/* Clusters far apart, each well within a cell of size 16. */
static void cluster_box(test_rng *rng, int cluster, sap_aabb *box) {
    int k;
    for (k = 0; k < 3; k++) {
        box->min[k] = (k ? 0 : 1024 * (float)cluster) + test_uniform(rng, 1, 10);
        box->max[k] = box->min[k] + 1;
    }
}

static size_t bytes_of(const sap_multi *m) {
    sap_stats stats;
    sap_multi_get_stats(m, &stats);
    return stats.bytes;
}

static int cells_in_memory(const sap_multi *m) {
    int i, n = 0;
    for (i = 1; i < sap__length(m->cells); i++) n += m->cells[i] != NULL;
    return n;
}

/* A cell costs memory once a box has been in it, not before; empty cells are pooled, used again, and freed in time. */
static void cells_cost_when_entered(void) {
    sap_multi_config c;
    sap_multi *m;
    sap_aabb boxes[CLUSTERS * IN_CLUSTER];
    sap_id ids[CLUSTERS * IN_CLUSTER];
    test_rng rng = {3};
    const int n = CLUSTERS * IN_CLUSTER;
    size_t empty, full, pooled;
    int i, turn, kept_for = 0;
    memset(&c, 0, sizeof c);
    for (i = 0; i < 3; i++) c.bounds.max[i] = 16777216, c.cells[i] = 1 << 20; /* 2^60 cells of size 16 */
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    m->grid_from = 0;
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    empty = bytes_of(m);
    CHECK(empty < 4096);
    for (i = 0; i < n; i++) cluster_box(&rng, i % CLUSTERS, &boxes[i]);
    CHECK_EQUAL(sap_multi_add_many(m, n, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(m->cells_used, CLUSTERS);
    CHECK_EQUAL(cells_in_memory(m), CLUSTERS);
    full = bytes_of(m);
    CHECK(full > empty);

    for (i = 0; i < n; i++) cluster_box(&rng, 500 + i % CLUSTERS, &boxes[i]); /* all elsewhere */
    CHECK_EQUAL(sap_multi_move_many(m, n, ids, boxes), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(m->cells_used, CLUSTERS);
    CHECK_EQUAL(cells_in_memory(m), 2 * CLUSTERS);
    for (i = 0; i < n; i++) cluster_box(&rng, 900 + i % CLUSTERS, &boxes[i]); /* the pool serves these */
    CHECK_EQUAL(sap_multi_move_many(m, n, ids, boxes), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(cells_in_memory(m), 2 * CLUSTERS);
    CHECK(sap_multi_validate(m) == NULL);

    for (turn = 0; turn < 2; turn++) {
        pooled = bytes_of(m);
        for (i = 0; cells_in_memory(m) > CLUSTERS && i < 4 * SAP__POOL_UPDATES; i++) {
            kept_for += cells_in_memory(m) == 2 * CLUSTERS;
            cluster_box(&rng, turn ? 0 : 900, &boxes[0]); /* the world goes on */
            CHECK_EQUAL(sap_multi_move(m, ids[0], &boxes[0]), SAP_OK);
            CHECK_EQUAL(sap_multi_update(m), SAP_OK);
            CHECK(sap_multi_validate(m) == NULL);
        }
        CHECK_EQUAL(cells_in_memory(m), CLUSTERS);
        CHECK_EQUAL(kept_for, (turn + 1) * SAP__POOL_UPDATES);
        CHECK(bytes_of(m) < pooled);
        if (turn) break;
        for (i = 0; i < n; i++) cluster_box(&rng, i % CLUSTERS, &boxes[i]); /* what was freed serves again */
        CHECK_EQUAL(sap_multi_move_many(m, n, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK_EQUAL(cells_in_memory(m), 2 * CLUSTERS);
        CHECK(sap__length(m->cells) <= 2 * CLUSTERS + 1);
        CHECK(sap_multi_validate(m) == NULL);
    }
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* Cells far too small for the boxes are doubled until boxes share them: most would stand alone, or be outside. */
static void small_cells_are_doubled(float size_of_boxes) {
    enum { N = 2000 };
    sap_multi *m;
    test_rng rng = {7};
    int i, k;
    m = open_hashed(NULL, 1e-3f, 1e-3f, 1e-3f);
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, -100, 100);
            box.max[k] = box.min[k] + size_of_boxes;
        }
        CHECK(sap_multi_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(m->cells_used > 1 && m->cells_used <= N / 16 + 8);
    CHECK(m->cells[SAP__OUTSIDE]->world.live <= N / 4);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
}

/* Boxes without an end, and slots without a box, say nothing about the size of cells. */
static void endless_boxes_leave_cells_as_they_are(void) {
    enum { N = 800 };
    static sap_id ids[N];
    sap_multi *m;
    test_rng rng = {7};
    int i, k;
    m = open_hashed(NULL, 11, 11, 11);
    m->grid_from = N;
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, 0, 31);
            box.max[k] = box.min[k] + 1;
        }
        if (i % 4 == 1) box.min[i / 4 % 3] = -TEST_INFINITY;
        if (i % 4 == 2) box.max[i / 4 % 3] = TEST_INFINITY;
        ids[i] = sap_multi_add(m, &box, NULL);
        CHECK(ids[i] != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    for (i = 3; i < N; i += 4) CHECK_EQUAL(sap_multi_remove(m, ids[i]), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    m->grid_from = 0; /* only now is the grid chosen */
    CHECK_EQUAL(sap_multi_remove(m, ids[0]), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(m->cells_used, 27);
    CHECK_EQUAL(m->cells[SAP__OUTSIDE]->world.live, N / 2);
    sap_multi_destroy(m);
}

/* Given cells divide the given bounds, wherever these are, into equal parts. */
static void given_cells(void) {
    enum { X = 4, Y = 2, EACH = 100 };
    static const float from[2] = {100, -300}, size[2] = {10, 40};
    sap_multi_config c;
    sap_multi *m;
    int i;
    memset(&c, 0, sizeof c);
    c.cells[0] = X;
    c.cells[1] = Y;
    for (i = 0; i < 2; i++) {
        c.bounds.min[i] = from[i];
        c.bounds.max[i] = from[i] + (float)c.cells[i] * size[i];
    }
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    m->grid_from = 0;
    for (i = 0; i < X * Y * EACH; i++) { /* in the middle of a cell, the cells in turn */
        sap_aabb box = {{0, 0, 0}, {0, 0, 1}};
        box.min[0] = box.max[0] = from[0] + size[0] * ((float)(i % X) + 0.5f);
        box.min[1] = box.max[1] = from[1] + size[1] * ((float)(i / X % Y) + 0.5f);
        CHECK(sap_multi_add(m, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(m->cells_used, X * Y);
    for (i = 1; i < sap__length(m->cells); i++) CHECK_EQUAL(m->cells[i]->world.live, EACH);
    sap_multi_destroy(m);
}

/* A chosen grid divides the longest axis, again and again, until a cell has SAP__CELL_BOXES boxes, or would be less than
   four boxes long; and cells get about equally many boxes. */
static void chosen_cells(int hashed, float size_of_boxes, int x, int y, int z) {
    enum { N = 10 * SAP__CELL_BOXES };
    static const float spread[3] = {1000, 300, 100};
    const int parts[3] = {x, y, z};
    sap_multi_config config;
    sap_multi *m;
    test_rng rng = {4};
    int i, k, cells, used = 0;
    memset(&config, 0, sizeof config);
    config.hashed = hashed; /* without a size of cells */
    m = sap_multi_create(&config);
    if (!CHECK(m != NULL)) exit(1);
    m->grid_from = 0;
    for (i = 0; i < N; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = test_uniform(&rng, 0, spread[k]);
            box.max[k] = box.min[k] + size_of_boxes;
        }
        if (sap_multi_add(m, &box, NULL) == 0) exit(2);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    for (k = 0; k < 3; k++) CHECK_EQUAL(m->last_cell[k] + 1, parts[k]);
    cells = x * y * z;
    for (i = 1; i < sap__length(m->cells); i++) {
        int live = m->cells[i]->world.live;
        used++;
        CHECK_MESSAGE(live > N / cells / 2 && live < 2 * N / cells, "a cell of %d has %d boxes", cells, live);
    }
    CHECK_EQUAL(used, cells);
    CHECK_EQUAL(m->cells_used, cells);
    CHECK_EQUAL(m->cells[SAP__OUTSIDE]->world.live, 0);
    sap_multi_destroy(m);
}

/* The grid's memory goes when the boxes do, and stats count every byte that was asked for. */
static void all_bytes_are_counted(void) {
    sap_multi_config c;
    sap_multi *m;
    sap_aabb box;
    test_rng rng = {9}, shuffle = {10};
    int i;
    memset(&c, 0, sizeof c);
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = open_hashed(&c, 16, 16, 0);
    m->grid_from = 100;
    m->whole->threads_from = 100;
    for (i = 0; i < 400; i++) {
        cluster_box(&rng, i % 5, &box);
        if (i % 50 == 0) box.max[0] += 1e6f;
        if (i % 10 == 1) box.max[0] += 16;
        sap_multi_add(m, &box, NULL);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(sap_multi_move(m, 1, &box), SAP_OK); /* a calm one: the grid waits for that */
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(m->whole->settle_in_cells != NULL && m->shares != NULL);
    CHECK_MESSAGE(bytes_of(m) == live_bytes, "%lu counted, %lu held", (unsigned long)bytes_of(m),
                  (unsigned long)live_bytes);
    for (i = 0; i < 360; i++) sap_multi_remove(m, (sap_id)(i + 1));
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    CHECK(m->whole->settle_in_cells == NULL && m->cells == NULL && m->places == NULL && m->more == NULL);
    CHECK_MESSAGE(bytes_of(m) == live_bytes, "%lu counted, %lu held", (unsigned long)bytes_of(m),
                  (unsigned long)live_bytes);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

static void count_calls(sap_job *job, void *data, int count, void *user) {
    int i;
    ++*(int *)user;
    for (i = 0; i < count; i++) job(data, i);
}

/* Threads share the work from so many boxes on, new ones as those that move. */
static void few_boxes_are_not_shared(void) {
    enum { MOST = 200 };
    sap_aabb boxes[MOST];
    sap_id ids[MOST];
    int n, i, k;
    for (i = 0; i < MOST; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = (float)(i * (k + 1) % 40), boxes[i].max[k] = boxes[i].min[k] + 1;
    for (n = MOST - 1; n <= MOST; n++) {
        sap_multi_config c;
        sap_multi *m;
        int calls = 0;
        memset(&c, 0, sizeof c);
        c.parallel = count_calls;
        c.parallel_user = &calls;
        m = sap_multi_create(&c);
        if (!CHECK(m != NULL)) exit(1);
        m->whole->threads_from = MOST;
        CHECK_EQUAL(sap_multi_add_many(m, n, boxes, NULL, ids), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK_EQUAL(m->shares != NULL, n == MOST);
        for (i = 0; i < n; i++) boxes[i].max[0] += 0.5f;
        CHECK_EQUAL(sap_multi_move_many(m, n, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_multi_update(m), SAP_OK);
        CHECK_EQUAL(m->shares != NULL && calls > 5, n == MOST);
        sap_multi_destroy(m);
    }
}

/* Whether the boxes stand where they should. */
static int stand(const sap_multi *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap_aabb box;
    int i, same = sap_multi_validate(m) == NULL;
    for (i = 0; i < n; i++)
        same &= sap_multi_get_box(m, ids[i], &box) == SAP_OK && memcmp(&box, &boxes[i], sizeof box) == 0;
    return same;
}

/* On threads as on one: a box that is moved twice in a call, by the last move of a share and the first of the next, is
   where the later one says; and if the last move is bad, nothing has moved. Whether something was recorded before, or
   nothing. */
static void moves_that_meet(void) {
    enum { N = 8 * SAP__SHARES };
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
    m->whole->threads_from = 1;
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) boxes[i].min[k] = (float)i, boxes[i].max[k] = (float)i + 2;
    dead = sap_multi_add(m, &boxes[0], NULL);
    CHECK_EQUAL(sap_multi_add_many(m, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_multi_remove(m, dead), SAP_OK);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    for (round = 1; round < 8 * SAP__SHARES; round++) {
        int at = sap__share_from(N, 1 + round % (SAP__SHARES - 1));
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
    m->whole->threads_from = 1;
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
static void reserved(int from, int with_threads, sap_filter *filter) {
    enum { N = CLUSTERS * IN_CLUSTER, ROUNDS = 12 };
    static sap_aabb layouts[3][N];
    sap_multi_config c;
    sap_multi *m;
    sap_id ids[N];
    test_rng rng = {5}, shuffle = {6};
    const sap__place *places;
    int i, k, round;
    long before = 0;
    memset(&c, 0, sizeof c);
    c.sap.filter = filter;
    if (with_threads) c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = open_hashed(&c, 16, 0, 0);
    m->grid_from = from;
    m->whole->threads_from = 1;
    CHECK_EQUAL(sap_multi_reserve(m, 2 * N, filter ? 1 : 40 * N), SAP_OK);
    places = m->places;
    CHECK((places != NULL) == (from == 0));
    for (k = 0; k < 3; k++)
        for (i = 0; i < N; i++) {
            cluster_box(&rng, i % CLUSTERS + (k == 2 ? 100 : 0), &layouts[k][i]);
            if (i % 100 == 0) layouts[k][i].max[0] += 1e5f; /* outside */
            if (i % 10 == 1) layouts[k][i].max[0] += 16;    /* in two cells */
        }
    if (from) before = allocations; /* no cells: not even the first time */
    for (round = 0; round < ROUNDS; round++) {
        if (round == 4 && !from) before = allocations;
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
    CHECK(m->places == places); /* the room of sap_multi_reserve */
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_multi_reserve, grid from %d boxes on, %d, %d",
                  allocations - before, from, with_threads, filter != NULL);
    CHECK_EQUAL(faults, 0);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

static int first_two(const sap_pair *pair, void *user) {
    (void)user;
    if (is_in_a_job()) faults++;
    return pair->id0 == 1 && pair->id1 == 2;
}

/* Found by review: shares find many pairs that the filter refuses, with as many pairs as were reserved, or none. */
static void reserved_to_the_last_pair(int pairs, sap_filter *filter, int path) {
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
    c.parallel = run_shuffled;
    c.parallel_user = &shuffle;
    m = sap_multi_create(&c);
    if (!CHECK(m != NULL)) exit(1);
    m->whole->threads_from = 1;
    m->whole->path = path;
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
    CHECK_MESSAGE(allocations == before, "%ld allocations after sap_multi_reserve of %d pairs, path %d",
                  allocations - before, pairs, path);
    CHECK_EQUAL(faults, 0);
    CHECK(sap_multi_validate(m) == NULL);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- every allocation fails once ------------------------------------------------------------------------------------ */

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

/* Into all that a grid does: comes into being, boxes within cells, across them and outside, cells that are left,
   pooled and freed, all filed anew, and the grid goes again; or, from == INT_MAX, into all that shares do. One number
   for all that was seen. */
static uint64_t scenario(const sap_multi_config *config, int from, int path) {
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
    m->grid_from = from;
    m->whole->path = path;
    m->whole->threads_from = 1;
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
        TRY(m, sap_multi_update(m));
        hash = hash * 31 + look(m);
        TRY(m, sap_multi_shift_origin(m, offset));
        TRY(m, sap_multi_update(m));
        for (i = 0; i < N; i++) boxes[i] = boxes[0]; /* on one spot: more pairs in a cell than there is room for */
        TRY(m, sap_multi_move_many(m, 40, ids, boxes));
        TRY(m, sap_multi_update(m));
        TRY(m, sap_multi_prepare_queries(m));
        for (i = 0; i < SAP__POOL_UPDATES + 4; i++) CHECK_EQUAL(sap_multi_update(m), SAP_OK); /* of nothing */
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
static void every_allocation_fails(const sap_multi_config *config, int from, int path, int step) {
    uint64_t expected;
    long count, k;
    never_fail();
    allocations = failures = 0;
    expected = scenario(config, from, path);
    count = allocations;
    CHECK_EQUAL(failures, 0);
    for (k = 0; k < count; k += step) {
        allocations = failures = 0;
        fail_from = k;
        fail_count = 1 + k % 2;
        CHECK_MESSAGE(scenario(config, from, path) == expected, "allocation %ld of %ld failed, and events differ", k,
                      count);
        CHECK_MESSAGE(failures > 0, "allocation %ld of %ld failed and nobody said so", k, count);
    }
    never_fail();
    CHECK(count > 200);
    CHECK_EQUAL(faults, 0);
}

/* Memory fails between the growth of one array of a cell's directory and the next, and the cell fills all the same. */
static void cells_grow_unevenly(void) {
    enum { MOST = 1143, STEPS = 4 };
    static const int boxes_in[STEPS] = {418, 584, 773, MOST};
    static sap_aabb boxes[MOST];
    static sap_id ids[MOST];
    test_rng rng = {7};
    int failing, step, i, k;
    for (failing = 0; failing < 120; failing++) {
        sap_multi *m = sap_multi_create(NULL);
        int n = 0;
        if (!CHECK(m != NULL)) exit(1);
        m->grid_from = 0;
        for (step = 0; step < STEPS; step++) {
            CHECK_EQUAL(sap_multi_remove_many(m, n, ids), SAP_OK);
            n = boxes_in[step];
            for (i = 0; i < n; i++)
                for (k = 0; k < 3; k++) {
                    boxes[i].min[k] = test_uniform(&rng, 0, 1000);
                    boxes[i].max[k] = boxes[i].min[k] + 5;
                }
            CHECK_EQUAL(sap_multi_add_many(m, n, boxes, NULL, ids), SAP_OK);
            allocations = 0;
            if (step == 0) fail_from = failing, fail_count = 1;
            (void)sap_multi_update(m);
            never_fail();
            CHECK(sap_multi_validate(m) == NULL);
        }
        sap_multi_destroy(m);
    }
    CHECK_EQUAL(live_blocks, 0);
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
    every_allocation_fails(&fixed, 0, SAP_METHOD_AUTO, step);
    every_allocation_fails(&fixed, 40, SAP_METHOD_PRUNE, step);
    every_allocation_fails(&hashed, 40, SAP_METHOD_QUERY, step);
    every_allocation_fails(&fixed, INT_MAX, SAP_METHOD_PRUNE, step);
    every_allocation_fails(&fixed, INT_MAX, SAP_METHOD_QUERY, step);
}

/* ---- sap_multi_validate -------------------------------------------------------------------------------------- */

/* Boxes in cells and outside, and a slot that is free: *vacant. */
static sap_multi *make_full_grid(uint32_t *vacant) {
    test_rng rng = {3};
    sap_multi *m;
    sap_aabb box;
    sap_id id = 0;
    int i, axis;
    m = open_hashed(NULL, 10, 10, 10);
    for (i = 0; i < 400; i++) {
        for (axis = 0; axis < 3; axis++) {
            box.min[axis] = test_uniform(&rng, 0, 20);
            box.max[axis] = box.min[axis] + (i % 50 ? 1.0f : 100.0f);
        }
        id = i % 9 ? sap_multi_add(m, &box, NULL) : sap_multi_add_static(m, &box, NULL);
    }
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    sap_multi_remove(m, id);
    CHECK_EQUAL(sap_multi_update(m), SAP_OK);
    *vacant = sap__slot_of(id);
    CHECK(m->is_filed && sap__length(m->cells) > 2 && m->cells[SAP__OUTSIDE]->world.live > 0);
    return m;
}

/* Damage number `which`, and what sap_multi_validate then says; NULL: there are no more. */
static const char *damage(sap_multi *m, uint32_t vacant, int which) {
    sap__cell *c = m->cells[1];
    sap_world *w = &c->world;
    uint32_t slot;
    int i = 0;
    while (!(w->state[i] & SAP__LIVE)) i++;
    slot = c->slot[i];
    switch (which) {
    case 0: c->is_dirty = 1; return "No cell has anything to settle between updates.";
    case 1: w->state[i] |= SAP__RECORDED; return "In a cell no box has changed between updates.";
    case 2: c->slot[i] = vacant; return "A cell holds settled boxes.";
    case 3: w->state[i] ^= SAP__STATIC; return "A box is static in its cells too.";
    case 4: w->now[i].hi[2]++; return "A box is in its cells where it was at the last update.";
    case 5: c->bounds = sap__nowhere; return "A cell's bounds enclose its boxes.";
    case 6: c->range[i].lo[0]++; return "A box is filed by the cells that it touches.";
    case 7:
        m->cells[1] = m->cells[SAP__OUTSIDE];
        m->cells[SAP__OUTSIDE] = c;
        return "Outside are the boxes that touch too many cells.";
    case 8: m->places[slot].local ^= 1; return "A box knows the cells that it is in.";
    case 9: w->live++; return "A cell counts its boxes.";
    case 10: w->live_static++; return "A cell counts its boxes.";
    case 11: stbds_arrput(c->free, 0); return "A local slot is in use or free.";
    case 12: w->live = 0; return "A cell without a box is in the pool.";
    case 13: m->cells_used++; return "The count of cells is right.";
    case 14: *sap__cell_chain(m, c->key) = SAP__NONE; return "The table finds every cell once.";
    case 15: m->places[vacant].cell = 1; return "A settled box is in a cell, and no other is.";
    case 16: CHECK(sap__push_place(m, slot, 1, (uint32_t)i)); return "A box is in a cell once.";
    case 17: w->moving.reach[w->moving.strip[0].start]++; return "A chunk's reach is its largest max.";
    case 18: w->standing.reach[w->standing.strip[0].start]++; return "A chunk's reach is its largest max.";
    case 19: m->whole->fresh++; return "The count of boxes with a new filter is right.";
    default: return NULL;
    }
}

/* A broken invariant is found, and called by its name. */
static void validate(void) {
    const char *expected = "";
    int which;
    for (which = 0; expected; which++) {
        uint32_t vacant;
        sap_multi *m = make_full_grid(&vacant);
        const char *said = sap_multi_validate(m);
        CHECK_MESSAGE(!said, "of a grid that is well sap_multi_validate says '%s'", said);
        expected = damage(m, vacant, which);
        said = sap_multi_validate(m);
        CHECK_MESSAGE(!expected == !said && (!said || strcmp(said, expected) == 0),
                      "of damage %d sap_multi_validate says '%s', not '%s'", which, said ? said : "",
                      expected ? expected : "");
        sap_multi_destroy(m);
    }
}

int main(int argc, char **argv) {
    int seeds = test_argument(argc, argv, 1, 96), first = test_argument(argc, argv, 2, 1), seed, from, path, bad = 0;
    calling_thread = pthread_self();
    for (seed = first; seed < first + seeds && bad < 5; seed++) {
        if (seed % 20 == 11)
            bad += large_run(seed);
        else
            bad += random_run(seed, 10 + seed * 53 % 700, 24);
        fflush(stdout);
    }
    CHECK(seeds < 10 || (in_cells > 0 && in_whole > 0 && in_shares > 0));
    full_size(first);
    refusals();
    null_arguments();
    validate();
    for (from = 0; from <= SAP__CELLS_FROM; from += SAP__CELLS_FROM) {
        busy_in_callbacks(from);
        limits(from);
        reserved(from, 0, NULL);
    }
    few_boxes_are_not_shared();
    moves_that_meet();
    busy_in_the_filter();
    reserved(INT_MAX, 1, NULL);
    reserved(INT_MAX, 1, no_pairs);
    for (path = SAP_METHOD_PRUNE; path <= SAP_METHOD_QUERY; path++) {
        reserved_to_the_last_pair(100, no_pairs, path);
        reserved_to_the_last_pair(0, no_pairs, path);
        reserved_to_the_last_pair(1, first_two, path);
    }
    one_thread_in_a_crowd();
    crowds_are_counted();
    threads_that_flush();
    for (path = 0; path < 3; path++) shares_give_up(path);
    large_boxes_in_strips(0);
    large_boxes_in_strips(1);
    large_boxes_and_small_cells();
    one_cell_is_not_divided();
    reserved_for_both_ways();
    cells_cost_when_entered();
    all_bytes_are_counted();
    small_cells_are_doubled(1e-6f);
    small_cells_are_doubled(5);
    endless_boxes_leave_cells_as_they_are();
    given_cells();
    chosen_cells(0, 1, 8, 2, 1);
    chosen_cells(0, 40, 4, 1, 1);
    chosen_cells(1, 1, 8, 2, 1);
    out_of_memory(seeds < 20 ? 25 : seeds < 60 ? 5 : 1);
    cells_grow_unevenly();
    return test_summary();
}
