/* test_calls.c - the calls that came with version 0.2, against loops over all boxes: sap_next, sap_clear,
   sap_set_object, sap_get_filter, sap_set_filter_many, sap_set_static, sap_is_static, sap_set_pair_filter,
   sap_nearest_to, sap_query_nearest, sap_hit_normal, sap_set_pair_data_at, sap_aabb_from_doubles, SAP_SLOT.

   Random calls go to a sap_world and to three sap_multis, and to a model; the answers of all must be the model's,
   also when memory fails, from inside callbacks and inside the filter, and after a snapshot.

   usage: test_calls [seeds] [first seed]   default 60 from 1; a failure names its seed */

#include <float.h>
#include <math.h>

#include "scenes.h"
#include "threads.h"
#include "ways.h"

static void *calls_realloc(void *p, size_t size) {
    if (is_in_a_job()) faults++;
    return test_realloc(p, size);
}

static void calls_free(void *p) {
    if (is_in_a_job()) faults++;
    test_free(p);
}

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
enum { EXACT = 0 };
#else
enum { EXACT = 1 };
#endif

/* ---- several worlds and their model ---------------------------------------------------------------------------- */

enum { WORLDS = 4, MOST_LIVE = 120, MOST_SLOTS = 4096, MOST_PAIRS = MOST_LIVE * MOST_LIVE, MOST_LOG = 1 << 16 };

typedef struct world {
    sap_world *one; /* the first world of a run */
    sap_multi *many;
    int threads;
    test_rng shuffle;
} world;

typedef struct box {
    sap_id id; /* the last one of this slot */
    int live, is_static;
    sap_aabb box; /* 0 on unused axes */
    uint32_t category, mask;
    void *object;
} box;

typedef struct state { /* all that a snapshot holds */
    box boxes[MOST_SLOTS];
    int slots; /* from 1; so many have been used, and slot 0 */
    sap_pair pairs[MOST_PAIRS];
    int count;
    int salt; /* of the filter that the pairs were asked with */
} state;

typedef struct run {
    test_rng rng;
    world worlds[WORLDS];
    state now, saved;
    scene scene;
    int axes, salt;          /* of the filter in use; 0: none */
    int live, removed, most; /* boxes; removed since the last update; the most of both between two updates */
    int seed, step, update, bad;
    sap_pair created[MOST_PAIRS], deleted[MOST_PAIRS];
    int created_count, deleted_count, heard;
    void *snapshot;
    size_t size;
} run;

static run shared;          /* too large for a stack */
static const world *asking; /* the world whose update runs: for the filter */

/* The verb, with at least one more argument; without one: ASK. */
#define CALL(w, verb, ...) ((w)->many ? sap_multi_##verb((w)->many, __VA_ARGS__) : sap_##verb((w)->one, __VA_ARGS__))
#define ASK(w, verb) ((w)->many ? sap_multi_##verb((w)->many) : sap_##verb((w)->one))

static void holds(run *r, const world *w, int ok, const char *what, int line) {
    if (!test_check(ok, __FILE__, line, "%s (seed %d, step %d, world %d, %s, axes %d)", what, r->seed, r->step,
                    (int)(w - r->worlds), scene_names[r->scene], r->axes))
        r->bad = 1;
}

#define HOLDS(r, w, condition) holds(r, w, (condition) ? 1 : 0, #condition, __LINE__)

/* A call on every world w must answer this, and be the last error. */
#define ALL(r, call, expected)                                                                                         \
    do {                                                                                                               \
        const long long expected_ = (long long)(expected);                                                             \
        int i_;                                                                                                        \
        for (i_ = 0; i_ < WORLDS && !(r)->bad; i_++) {                                                                 \
            world *w = &(r)->worlds[i_];                                                                               \
            const int starves_ = test_chance(&(r)->rng, 30);                                                           \
            if (starves_) always_fail();                                                                               \
            holds(r, w, (long long)(call) == expected_, #call, __LINE__);                                              \
            never_fail();                                                                                              \
            HOLDS(r, w, (long long)ASK(w, last_error) == expected_);                                                   \
        }                                                                                                              \
    } while (0)

/* So that a box may know how it came to be where it is. */
static void *some_object(test_rng *rng) {
    return (void *)(uintptr_t)(test_random(rng) & 0xffffff);
}

static void any_box(run *r, test_rng *rng, sap_aabb *b) {
    scene_box(rng, r->scene, b);
    scene_spoil_unused(rng, r->axes, b);
}

static sap_aabb used_box(const run *r, const sap_aabb *b) {
    sap_aabb used = *b;
    int axis;
    for (axis = 0; axis < 3; axis++)
        if (!(r->axes >> axis & 1)) used.min[axis] = used.max[axis] = 0;
    return used;
}

static box *find(run *r, sap_id id) {
    box *b = &r->now.boxes[SAP_SLOT(id) % MOST_SLOTS];
    return SAP_SLOT(id) < MOST_SLOTS && b->live && b->id == id ? b : NULL;
}

/* Live mostly, or one that must be refused. */
static sap_id any_id(run *r) {
    int tries;
    sap_id id = 0;
    for (tries = 0; tries < 40; tries++) {
        int slot = test_below(&r->rng, r->now.slots);
        id = r->now.boxes[slot].id;
        if (r->now.boxes[slot].live || test_chance(&r->rng, 3)) break;
    }
    if (test_chance(&r->rng, 1)) id ^= test_chance(&r->rng, 50) ? 0x1000000u : 0x800000u;
    return id;
}

static void remember(run *r, sap_id id, const sap_aabb *b, void *object, int is_static) {
    box *to = &r->now.boxes[SAP_SLOT(id) % MOST_SLOTS];
    if (!CHECK_MESSAGE(SAP_SLOT(id) > 0 && SAP_SLOT(id) < MOST_SLOTS && !to->live && to->id != id,
                       "seed %d: id %u is given out twice, or out of range", r->seed, (unsigned)id)) {
        r->bad = 1;
        return;
    }
    to->id = id;
    to->live = 1;
    to->is_static = is_static;
    to->box = used_box(r, b);
    to->category = 1;
    to->mask = 0xffffffffu;
    to->object = object;
    if ((int)SAP_SLOT(id) >= r->now.slots) r->now.slots = (int)SAP_SLOT(id) + 1;
    r->live++;
    if (r->live + r->removed > r->most) r->most = r->live + r->removed;
    CHECK_MESSAGE((int)SAP_SLOT(id) <= r->most + 257, "slot %d, but there were never more than %d boxes",
                  (int)SAP_SLOT(id), r->most);
}

static void forget(run *r, box *b) {
    b->live = 0;
    r->live--;
    r->removed++;
}

/* ---- pairs ----------------------------------------------------------------------------------------------------- */

static uint32_t hash_ids(sap_id a, sap_id b, uint32_t salt) {
    uint32_t key[3];
    key[0] = a;
    key[1] = b;
    key[2] = salt;
    return (uint32_t)(test_hash(14695981039346656037u, key, sizeof key) >> 20);
}

static int salted(int salt, sap_id a, sap_id b) {
    return salt == 0 || hash_ids(a, b, (uint32_t)salt) % 4 != 0;
}

/* Of what the filter may not do, some now and some another time. */
static void must_be_busy(const world *w, const sap_pair *pair, uint32_t which) {
    const sap_aabb b = {{0, 0, 0}, {1, 1, 1}};
    const float zero[3] = {0, 0, 0};
    float number;
    sap_id id = pair->id0;
    switch (which % 9) {
    case 0: CHECK_EQUAL(ASK(w, clear), SAP_ERROR_BUSY); break;
    case 1: CHECK_EQUAL(CALL(w, set_object, id, NULL), SAP_ERROR_BUSY); break;
    case 2: CHECK_EQUAL(CALL(w, set_static, id, 1), SAP_ERROR_BUSY); break;
    case 3: CHECK_EQUAL(CALL(w, set_filter_many, 1, &id, 0, 0), SAP_ERROR_BUSY); break;
    case 4: CHECK_EQUAL(CALL(w, set_pair_filter, NULL, NULL), SAP_ERROR_BUSY); break;
    case 5: CHECK_EQUAL(CALL(w, set_pair_data_at, 0, NULL), SAP_ERROR_BUSY); break;
    case 6: CHECK(CALL(w, nearest_to, id, 1, ~0u, &number) == 0 && test_key(number) == test_key(-1)); break;
    case 7: CHECK_EQUAL(CALL(w, query_nearest, zero, 1, ~0u, NULL, NULL), -SAP_ERROR_BUSY); break;
    default: CHECK(CALL(w, add, &b, NULL) == 0); break;
    }
    if (which % 9 < 6) CHECK_EQUAL(ASK(w, last_error), SAP_ERROR_BUSY);
}

/* user: the salt. Looks are allowed here. */
static int by_salt(const sap_pair *pair, void *user) {
    run *r = &shared;
    const box *a = find(r, pair->id0), *b = find(r, pair->id1);
    uint32_t which = hash_ids(pair->id0, pair->id1, 77);
    if (is_in_a_job() || *(const int *)user != r->salt || pair->id0 >= pair->id1 || pair->user_data) faults++;
    if (asking && which % 8 == 0) must_be_busy(asking, pair, which / 8);
    if (asking == &r->worlds[0] && which % 8 == 1) { /* the model is ahead of the others, by this one's callbacks */
        uint32_t category = 0, mask = 0;
        CHECK(a && b && pair->object0 == a->object && pair->object1 == b->object);
        CHECK(a && CALL(asking, get_filter, pair->id0, &category, &mask) == SAP_OK && category == a->category &&
              mask == a->mask);
        CHECK(b && CALL(asking, is_static, pair->id1) == b->is_static && !(a->is_static && b->is_static));
        CHECK(CALL(asking, next, 0) != 0 && CALL(asking, get_object, pair->id1) == b->object);
    }
    return salted(*(const int *)user, pair->id0, pair->id1);
}

static const int salts[4] = {0, 1, 2, 3};

static int overlaps(const run *r, const sap_aabb *a, const sap_aabb *b) {
    int axis;
    for (axis = 0; axis < 3; axis++)
        if ((r->axes >> axis & 1) &&
            (test_key(a->min[axis]) > test_key(b->max[axis]) || test_key(b->min[axis]) > test_key(a->max[axis])))
            return 0;
    return 1;
}

static int compare_pairs(const void *a, const void *b) {
    const sap_pair *x = (const sap_pair *)a, *y = (const sap_pair *)b;
    if (x->id0 != y->id0) return x->id0 < y->id0 ? -1 : 1;
    return x->id1 < y->id1 ? -1 : x->id1 > y->id1;
}

static void *data_of(const run *r, const sap_pair *pair) {
    return (void *)(uintptr_t)(hash_ids(pair->id0, pair->id1, (uint32_t)r->update) | 1);
}

/* What the next update must find, and what it does to the model. */
static void settle_model(run *r, int is_dump) {
    static sap_pair found[MOST_PAIRS];
    int i, j, k, n = 0;
    state *s = &r->now;
    for (i = 1; i < s->slots; i++)
        for (j = i + 1; j < s->slots && s->boxes[i].live; j++) {
            const box *a = &s->boxes[i], *b = &s->boxes[j];
            sap_pair pair;
            if (!b->live || !overlaps(r, &a->box, &b->box) || (a->is_static && b->is_static)) continue;
            if (!(a->category & b->mask) || !(b->category & a->mask)) continue;
            if (a->id > b->id) a = &s->boxes[j], b = &s->boxes[i];
            if (!salted(r->salt, a->id, b->id)) continue;
            memset(&pair, 0, sizeof pair);
            pair.id0 = a->id;
            pair.id1 = b->id;
            pair.object0 = a->object;
            pair.object1 = b->object;
            found[n++] = pair;
        }
    qsort(found, (size_t)n, sizeof *found, compare_pairs);
    r->created_count = r->deleted_count = 0;
    for (i = j = 0; i < s->count || j < n;) {
        k = i == s->count ? 1 : j == n ? -1 : compare_pairs(&s->pairs[i], &found[j]);
        if (k < 0)
            r->deleted[r->deleted_count++] = s->pairs[i++];
        else if (k == 0)
            found[j++].user_data = s->pairs[i++].user_data;
        else {
            if (is_dump) found[j].user_data = data_of(r, &found[j]);
            r->created[r->created_count++] = found[j++];
        }
    }
    memcpy(s->pairs, found, (size_t)n * sizeof *found);
    s->count = n;
    s->salt = r->salt;
    r->removed = 0;
}

static int same_pairs(const sap_pair *a, int count_a, const sap_pair *b, int count_b) {
    return count_a == count_b && (count_a == 0 || memcmp(a, b, (size_t)count_a * sizeof *a) == 0);
}

static void compare_pairs_now(run *r) {
    static sap_pair sorted[MOST_PAIRS];
    const sap_pair *first, *seen;
    int i, n, m;
    first = sap_pairs(r->worlds[0].one, &n);
    HOLDS(r, &r->worlds[0], n == r->now.count);
    if (r->bad) return;
    if (n) memcpy(sorted, first, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_pairs);
    HOLDS(r, &r->worlds[0], same_pairs(sorted, n, r->now.pairs, r->now.count));
    for (i = 1; i < WORLDS; i++) {
        seen = sap_multi_pairs(r->worlds[i].many, &m);
        HOLDS(r, &r->worlds[i], same_pairs(first, n, seen, m));
    }
}

/* ---- callbacks that call --------------------------------------------------------------------------------------- */

static long long answers[MOST_LOG]; /* of the first world's callbacks; the others must get the same */
static int answer_count, answer_at;

/* What is called hangs on the pair alone, and on nothing that the calls themselves change. The model is told what the
   first world is. */
static void call_inside(run *r, const world *w, const sap_pair *pair, uint32_t kind) {
    const int is_first = w == &r->worlds[0];
    test_rng rng;
    box *a = find(r, pair->id0), *b = find(r, pair->id1);
    sap_id ids[2];
    sap_aabb at;
    long long answer = 0, expected = 0;
    uint32_t category, mask;
    void *object;
    float number;
    never_fail(); /* the update is over; a query may need memory */
    rng.state = (uint64_t)hash_ids(pair->id0, pair->id1, kind) + (uint64_t)r->update * 1000003u;
    ids[0] = pair->id0;
    ids[1] = pair->id1;
    object = some_object(&rng);
    category = 1u << test_below(&rng, 3);
    mask = (uint32_t)test_below(&rng, 8);
    any_box(r, &rng, &at);
    switch (test_below(&rng, 60)) {
    case 0:
        answer = CALL(w, set_static, ids[0], (int)(mask & 1));
        expected = a ? SAP_OK : SAP_ERROR_ID;
        if (is_first && a) a->is_static = (int)(mask & 1);
        break;
    case 1:
        answer = CALL(w, set_filter_many, 2, ids, category, mask);
        expected = a && b ? SAP_OK : SAP_ERROR_ID;
        if (is_first && a && b) a->category = b->category = category, a->mask = b->mask = mask;
        break;
    case 2:
        answer = CALL(w, remove, ids[1]);
        expected = b ? SAP_OK : SAP_ERROR_ID;
        if (is_first && b) forget(r, b);
        break;
    case 3:
        answer = CALL(w, move, ids[0], &at);
        expected = a ? SAP_OK : SAP_ERROR_ID;
        if (is_first && a) a->box = used_box(r, &at);
        break;
    case 4:
        if (test_below(&rng, 20) == 0) {
            answer = ASK(w, clear);
            if (is_first) {
                int slot;
                for (slot = 1; slot < r->now.slots; slot++)
                    if (r->now.boxes[slot].live) forget(r, &r->now.boxes[slot]);
            }
        }
        break;
    case 5: answer = CALL(w, set_pair_data_at, -1, NULL), expected = SAP_ERROR_ARGUMENT; break;
    case 6: answer = (long long)CALL(w, nearest_to, 0, 1, ~0u, &number); break;
    case 7: answer = (long long)ASK(w, update), expected = SAP_ERROR_BUSY; break;
    case 8: answer = (long long)CALL(w, next, 0); break;
    case 9: answer = CALL(w, is_static, ids[0]); break;
    case 10: answer = (long long)CALL(w, nearest_to, ids[1], TEST_INFINITY, mask, NULL); break;
    case 11: answer = CALL(w, query_nearest, at.min, -1, mask, NULL, NULL), expected = -SAP_ERROR_ARGUMENT; break;
    case 12:
        answer = CALL(w, set_pair_filter, salts[r->salt] ? by_salt : NULL, (void *)(uintptr_t)&salts[r->salt]);
        break;
    case 13: (void)object; break;
    default: return;
    }
    if (is_first) {
        if (answer_count < MOST_LOG) answers[answer_count++] = answer;
        if (expected) CHECK_EQUAL(answer, expected);
    } else {
        HOLDS(r, w, answer_at < answer_count && answers[answer_at] == answer);
        answer_at++;
    }
}

typedef struct dump {
    run *r;
    const world *w;
    int calls_inside;
} dump;

static void see_deleted(const sap_pair *pair, void *user) {
    const dump *d = (const dump *)user;
    run *r = d->r;
    int i = r->heard++;
    HOLDS(r, d->w, i < r->deleted_count && same_pairs(pair, 1, &r->deleted[i], 1));
    if (d->calls_inside) call_inside(r, d->w, pair, 0);
}

static void *see_created(const sap_pair *pair, void *user) {
    const dump *d = (const dump *)user;
    run *r = d->r;
    int i = r->heard++ - r->deleted_count;
    HOLDS(r, d->w, i >= 0 && i < r->created_count && compare_pairs(pair, &r->created[i]) == 0);
    if (d->calls_inside) call_inside(r, d->w, pair, 1);
    return data_of(r, pair);
}

static void do_update(run *r) {
    int i, n, is_dump = test_chance(&r->rng, 60), calls_inside = is_dump && test_chance(&r->rng, 40);
    r->update++;
    settle_model(r, is_dump);
    answer_count = 0;
    for (i = 0; i < WORLDS && !r->bad; i++) {
        world *w = &r->worlds[i];
        const sap_pair *p;
        const char *broken;
        int tries, result = SAP_ERROR_MEMORY;
        for (tries = 0; result == SAP_ERROR_MEMORY; tries++) { /* memory fails, once or twice, and then it does not */
            dump d;
            d.r = r;
            d.w = asking = w;
            d.calls_inside = calls_inside;
            r->heard = answer_at = 0;
            if (tries < 2 && test_chance(&r->rng, 50)) fail_from = allocations + test_below(&r->rng, 6), fail_count = 1;
            if (is_dump) {
                n = CALL(w, dump_pairs, see_created, see_deleted, &d);
                result = n < 0 ? -n : SAP_OK;
            } else
                result = (int)ASK(w, update);
            never_fail();
            asking = NULL;
            HOLDS(r, w, result == SAP_OK || (result == SAP_ERROR_MEMORY && r->heard == 0));
        }
        if (is_dump) HOLDS(r, w, r->heard == r->created_count + r->deleted_count);
        HOLDS(r, w, i == 0 || !calls_inside || answer_at == answer_count);
        p = CALL(w, created, &n);
        HOLDS(r, w, same_pairs(p, n, r->created, r->created_count));
        p = CALL(w, deleted, &n);
        HOLDS(r, w, same_pairs(p, n, r->deleted, r->deleted_count));
        broken = ASK(w, validate);
        holds(r, w, broken == NULL, broken ? broken : "", __LINE__);
        HOLDS(r, w, ASK(w, count) == r->live);
    }
    if (!r->bad) compare_pairs_now(r);
}

/* ---- the calls ------------------------------------------------------------------------------------------------- */

static void do_add(run *r) {
    int i, n = 1 + test_below(&r->rng, 8), is_static = test_chance(&r->rng, 30);
    for (; n > 0 && r->live < MOST_LIVE && !r->bad; n--) {
        void *object = some_object(&r->rng);
        sap_id id = 0;
        sap_aabb b;
        any_box(r, &r->rng, &b);
        for (i = 0; i < WORLDS; i++) {
            const world *w = &r->worlds[i];
            sap_id got = is_static ? CALL(w, add_static, &b, object) : CALL(w, add, &b, object);
            HOLDS(r, w, got != 0 && (i == 0 || got == id));
            id = got;
        }
        if (!r->bad) remember(r, id, &b, object, is_static);
    }
}

static void do_remove(run *r) {
    sap_id id = any_id(r);
    box *b = find(r, id);
    ALL(r, CALL(w, remove, id), b ? SAP_OK : SAP_ERROR_ID);
    if (b) forget(r, b);
}

static void do_move(run *r) {
    int n = test_below(&r->rng, 20);
    for (; n > 0 && !r->bad; n--) {
        sap_id id = any_id(r);
        box *b = find(r, id);
        sap_aabb to;
        if (b && test_chance(&r->rng, 70)) {
            to = b->box;
            scene_nudge(&r->rng, r->scene, 1, &to);
            scene_spoil_unused(&r->rng, r->axes, &to);
        } else
            any_box(r, &r->rng, &to);
        ALL(r, CALL(w, move, id, &to), b ? SAP_OK : SAP_ERROR_ID);
        if (b) b->box = used_box(r, &to);
    }
}

static void do_clear(run *r) {
    int slot;
    ALL(r, ASK(w, clear), SAP_OK);
    for (slot = 1; slot < r->now.slots; slot++)
        if (r->now.boxes[slot].live) forget(r, &r->now.boxes[slot]);
}

static void do_set_object(run *r) {
    sap_id id = any_id(r);
    box *b = find(r, id);
    void *object = some_object(&r->rng);
    int i;
    ALL(r, CALL(w, set_object, id, object), b ? SAP_OK : SAP_ERROR_ID);
    if (!b || r->bad) return;
    b->object = object;
    for (i = 0; i < r->now.count; i++) {
        if (r->now.pairs[i].id0 == id) r->now.pairs[i].object0 = object;
        if (r->now.pairs[i].id1 == id) r->now.pairs[i].object1 = object;
    }
    compare_pairs_now(r); /* at once */
}

static void do_set_static(run *r) {
    sap_id id = any_id(r);
    box *b = find(r, id);
    int is_static = test_chance(&r->rng, 50) ? test_below(&r->rng, 2) * 5 : b && !b->is_static;
    ALL(r, CALL(w, set_static, id, is_static), b ? SAP_OK : SAP_ERROR_ID);
    if (b) b->is_static = is_static != 0;
}

static void do_set_filter(run *r) {
    sap_id id = any_id(r);
    box *b = find(r, id);
    uint32_t category = 1u << test_below(&r->rng, 3), mask = (uint32_t)test_random(&r->rng);
    if (test_chance(&r->rng, 30)) category = 1, mask = ~0u;
    ALL(r, CALL(w, set_filter, id, category, mask), b ? SAP_OK : SAP_ERROR_ID);
    if (b) b->category = category, b->mask = mask;
}

static void do_set_filter_many(run *r) {
    sap_id ids[24];
    int i, n = test_below(&r->rng, 24), bad = 0;
    uint32_t category = 1u << test_below(&r->rng, 3), mask = (uint32_t)test_random(&r->rng);
    if (test_chance(&r->rng, 30)) category = 1, mask = ~0u;
    for (i = 0; i < n; i++) ids[i] = any_id(r), bad |= !find(r, ids[i]); /* one twice is fine */
    ALL(r, CALL(w, set_filter_many, n, n ? ids : NULL, category, mask), bad ? SAP_ERROR_ID : SAP_OK);
    for (i = 0; i < n && !bad; i++) find(r, ids[i])->category = category, find(r, ids[i])->mask = mask;
}

static void use_filter(run *r, int salt) {
    r->salt = salt;
    ALL(r, CALL(w, set_pair_filter, salt ? by_salt : NULL, (void *)(uintptr_t)&salts[salt]), SAP_OK);
}

static void do_set_pair_data_at(run *r) {
    int i, index = test_below(&r->rng, r->now.count + 2) - 1;
    void *data = some_object(&r->rng);
    sap_pair key;
    ALL(r, CALL(w, set_pair_data_at, index, data), index >= 0 && index < r->now.count ? SAP_OK : SAP_ERROR_ARGUMENT);
    if (index < 0 || index >= r->now.count || r->bad) return;
    key = sap_pairs(r->worlds[0].one, NULL)[index];
    for (i = 0; i < r->now.count; i++)
        if (compare_pairs(&key, &r->now.pairs[i]) == 0) r->now.pairs[i].user_data = data;
    for (i = 0; i < WORLDS; i++) {
        const world *w = &r->worlds[i];
        const sap_pair *p = CALL(w, find_pair, key.id1, key.id0);
        HOLDS(r, w, p && p->user_data == data);
    }
    compare_pairs_now(r);
}

static void do_look(run *r) {
    sap_id id = any_id(r), expected = 0;
    const box *b = find(r, id);
    int i, slot, starves = test_chance(&r->rng, 50);
    for (slot = (int)SAP_SLOT(id) + 1; slot < r->now.slots && !expected; slot++)
        if (r->now.boxes[slot].live) expected = r->now.boxes[slot].id;
    if (starves) always_fail();
    for (i = 0; i < WORLDS && !r->bad; i++) {
        const world *w = &r->worlds[i];
        uint32_t category = 7, mask = 7;
        sap_aabb at;
        sap_result error = ASK(w, last_error);
        HOLDS(r, w, CALL(w, get_filter, id, &category, &mask) == (b ? SAP_OK : SAP_ERROR_ID));
        HOLDS(r, w, !b || (category == b->category && mask == b->mask));
        HOLDS(r, w, CALL(w, get_filter, id, NULL, &mask) == (b ? SAP_OK : SAP_ERROR_ID));
        HOLDS(r, w, CALL(w, get_filter, id, &category, NULL) == (b ? SAP_OK : SAP_ERROR_ID));
        HOLDS(r, w, CALL(w, is_static, id) == (b && b->is_static));
        HOLDS(r, w, CALL(w, get_object, id) == (b ? b->object : NULL));
        HOLDS(r, w, CALL(w, next, id) == expected);
        HOLDS(r, w, !b || CALL(w, get_box, id, &at) == SAP_OK);
        HOLDS(r, w, ASK(w, last_error) == error);
    }
    never_fail();
}

/* All boxes, in the order of their slots. */
static void do_walk(run *r) {
    int i, slot;
    for (i = 0; i < WORLDS && !r->bad; i++) {
        const world *w = &r->worlds[i];
        sap_id id = 0;
        int n = 0;
        for (slot = 1; slot < r->now.slots; slot++)
            if (r->now.boxes[slot].live) {
                id = CALL(w, next, id);
                HOLDS(r, w, id == r->now.boxes[slot].id);
                n++;
            }
        HOLDS(r, w, CALL(w, next, id) == 0 && n == r->live);
    }
}

/* ---- the nearest ----------------------------------------------------------------------------------------------- */

/* Exact where denormals are flushed, too. */
static double wide(float f) {
    int32_t key = test_key(f);
    if (key > -0x800000 && key < 0x800000) return (double)key * 1.40129846432481707e-45;
    return (double)f;
}

/* The square of the distance between two boxes. */
static double distance2(int axes, const sap_aabb *a, const sap_aabb *b) {
    double sum = 0;
    int k;
    for (k = 0; k < 3; k++) {
        double d = 0;
        if (!(axes >> k & 1)) continue;
        if (test_key(a->max[k]) < test_key(b->min[k])) d = wide(b->min[k]) - wide(a->max[k]);
        if (test_key(a->min[k]) > test_key(b->max[k])) d = wide(a->min[k]) - wide(b->max[k]);
        sum += d * d;
    }
    return sum;
}

static int is_near(double a, double b) {
    return EXACT ? a == b : a <= b * 1.000001 + 1e-80 && a >= b * 0.999999 - 1e-80;
}

static float some_distance(test_rng *rng) {
    static const float some[] = {0, 1, 2, 0.5f, 1e30f};
    if (test_chance(rng, 50)) return TEST_INFINITY;
    return test_chance(rng, 50) ? some[test_below(rng, 5)] : test_uniform(rng, 0, 10);
}

static void check_nearest_to(run *r) {
    sap_id id = any_id(r), best_id = 0;
    const box *of = find(r, id);
    float most = some_distance(&r->rng), distance;
    uint32_t mask = test_chance(&r->rng, 60) ? ~0u : (uint32_t)test_below(&r->rng, 8);
    double limit = wide(most) * wide(most), best = 0;
    int slot, i;
    if (of)
        for (slot = 1; slot < r->now.slots; slot++) {
            const box *b = &r->now.boxes[slot];
            double d;
            if (!b->live || b == of || !(b->category & mask)) continue;
            d = distance2(r->axes, &of->box, &b->box);
            if (d > limit && test_is_finite(most)) continue;
            if (!best_id || d < best || (d == best && b->id < best_id)) best = d, best_id = b->id;
        }
    for (i = 0; i < WORLDS && !r->bad; i++) {
        const world *w = &r->worlds[i];
        sap_result error = ASK(w, last_error);
        sap_id got;
        distance = 7;
        got = CALL(w, nearest_to, id, most, mask, &distance);
        HOLDS(r, w, ASK(w, last_error) == error);
        HOLDS(r, w, CALL(w, nearest_to, id, most, mask, NULL) == got);
        if (!of)
            HOLDS(r, w, got == 0 && test_key(distance) == test_key(-1));
        else if (!best_id)
            HOLDS(r, w, got == 0 && test_key(distance) == test_key(most));
        else {
            const box *b = find(r, got);
            HOLDS(r, w, b && b != of && (b->category & mask));
            HOLDS(r, w, b && is_near(distance2(r->axes, &of->box, &b->box), best));
            if (test_is_finite(distance) && best < 1e70)
                HOLDS(r, w,
                      wide(distance) * wide(distance) <= best * 1.000001 + 1e-80 &&
                          wide(distance) * wide(distance) >= best * 0.999999 - 1e-80);
        }
    }
}

enum { MOST_WANTED = 6 };
enum { COLLECT, ACCEPT, K_NEAREST, STOP, NAN_STOPS, HOWS };

typedef struct visits {
    run *r;
    int how, count, stop_after, k;
    float limit, best, nearest[MOST_WANTED]; /* ascending */
    sap_id accepted;
    float *t; /* by slot; -1: not visited */
    int faults;
} visits;

static int is_accepted(sap_id id) {
    return hash_ids(id, 0, 9) % 3 == 0;
}

static float visit(sap_id id, void *object, float t, void *user) {
    visits *v = (visits *)user;
    const box *b = find(v->r, id);
    int i;
    if (!b || b->object != object || v->t[SAP_SLOT(id)] >= 0 || test_is_nan(t) || t < 0) {
        v->faults++;
        return 0;
    }
    if (test_key(t) > test_key(v->limit)) v->faults++; /* beyond what is wanted */
    v->t[SAP_SLOT(id)] = t;
    v->count++;
    switch (v->how) {
    case COLLECT: return v->count % 2 || test_key(v->limit) == 0 ? TEST_INFINITY : v->limit; /* does not count */
    case ACCEPT:
        if (!is_accepted(id)) return TEST_INFINITY;
        if (!v->accepted || test_key(t) < test_key(v->best)) v->accepted = id, v->best = t;
        if (test_key(t) == 0) return TEST_FLOAT_MAX; /* 0 would stop */
        v->limit = t;
        return t;
    case K_NEAREST:
        for (i = v->k < MOST_WANTED ? v->k++ : MOST_WANTED; i > 0 && test_key(v->nearest[i - 1]) > test_key(t); i--)
            if (i < MOST_WANTED) v->nearest[i] = v->nearest[i - 1];
        if (i < MOST_WANTED) v->nearest[i] = t;
        if (v->k < MOST_WANTED || test_key(v->nearest[MOST_WANTED - 1]) == 0) return TEST_INFINITY;
        if (test_key(v->nearest[MOST_WANTED - 1]) < test_key(v->limit)) v->limit = v->nearest[MOST_WANTED - 1];
        return v->nearest[MOST_WANTED - 1];
    default: break;
    }
    if (v->count < v->stop_after) return TEST_INFINITY;
    return v->how == NAN_STOPS ? TEST_NAN : v->count % 2 ? 0.0f : -1.0f;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void check_query_nearest(run *r) {
    static float t[MOST_SLOTS];
    static double all[MOST_SLOTS];
    sap_aabb point;
    float most = some_distance(&r->rng);
    uint32_t mask = test_chance(&r->rng, 60) ? ~0u : (uint32_t)test_below(&r->rng, 8);
    double limit = wide(most) * wide(most), accepted = -1;
    int i, k, slot, n = 0, edge = 0, stop;
    any_box(r, &r->rng, &point);
    for (k = 0; k < 3; k++) {
        if ((r->axes >> k & 1) && !test_is_finite(point.min[k])) point.min[k] = 3;
        point.max[k] = point.min[k];
    }
    for (slot = 1; slot < r->now.slots; slot++) {
        const box *b = &r->now.boxes[slot];
        double d;
        if (!b->live || !(b->category & mask)) continue;
        d = distance2(r->axes, &point, &b->box);
        if (!EXACT && d < limit * 1.000001 && d > limit * 0.999999) edge = 1;
        for (k = 0; k < 3; k++) { /* a gap so small that the sum in doubles has lost it */
            const double gap2 = distance2(1 << k & r->axes, &point, &b->box);
            const float near_zero[3] = {b->box.min[k], b->box.max[k], point.min[k]};
            edge |= gap2 > 0 && gap2 < 1e-12 * d && d < limit * 1.000001 && d > limit * 0.999999;
            for (int j = 0; j < 3; j++) /* or so small a bound that the difference has lost it */
                edge |= near_zero[j] != 0 && near_zero[j] < 1e-12f && near_zero[j] > -1e-12f && d < limit * 1.000001 &&
                        d > limit * 0.999999;
        }
        if (d > limit && test_is_finite(most)) continue;
        all[n++] = d;
        if (is_accepted(b->id) && (accepted < 0 || d < accepted)) accepted = d;
    }
    qsort(all, (size_t)n, sizeof *all, compare_doubles);
    stop = n ? 1 + test_below(&r->rng, n) : 1;
    for (i = 0; i < WORLDS && !r->bad && !edge; i++) {
        const world *w = &r->worlds[i];
        int how;
        HOLDS(r, w, CALL(w, query_nearest, point.min, most, mask, NULL, NULL) == n);
        for (how = 0; how < HOWS && !r->bad; how++) {
            visits v;
            int returned;
            memset(&v, 0, sizeof v);
            v.r = r;
            v.how = how;
            v.stop_after = stop;
            v.limit = most;
            v.t = t;
            for (slot = 0; slot < MOST_SLOTS; slot++) t[slot] = -1;
            returned = CALL(w, query_nearest, point.min, most, mask, visit, &v);
            HOLDS(r, w, returned == v.count && v.faults == 0 && v.count <= n);
            for (slot = 1; slot < r->now.slots; slot++)
                if (t[slot] >= 0) HOLDS(r, w, r->now.boxes[slot].category & mask);
            if (how == COLLECT) HOLDS(r, w, v.count == n || all[n - 1] > 1e76); /* then infinity is a t, too */
            if (how == STOP || how == NAN_STOPS) HOLDS(r, w, v.count == (n ? stop : 0) || (n && all[n - 1] > 1e76));
            if (how == ACCEPT && accepted >= 0 && accepted < 1e70)
                HOLDS(r, w,
                      v.accepted && wide(v.best) <= sqrt(accepted) * 1.000001 + 1e-40 &&
                          wide(v.best) >= sqrt(accepted) * 0.999999 - 1e-40);
            if (how == ACCEPT) HOLDS(r, w, (v.accepted != 0) == (accepted >= 0));
            if (how == K_NEAREST) {
                HOLDS(r, w, v.k == (n < MOST_WANTED ? n : MOST_WANTED));
                for (k = 0; k < v.k; k++)
                    if (all[k] < 1e70)
                        HOLDS(r, w,
                              wide(v.nearest[k]) <= sqrt(all[k]) * 1.000001 + 1e-40 &&
                                  wide(v.nearest[k]) >= sqrt(all[k]) * 0.999999 - 1e-40);
            }
            if (how == COLLECT)
                for (slot = 1; slot < r->now.slots; slot++)
                    if (t[slot] >= 0) {
                        double d = sqrt(distance2(r->axes, &point, &r->now.boxes[slot].box));
                        if (d < 1e35)
                            HOLDS(r, w, wide(t[slot]) <= d * 1.000001 + 1e-40 && wide(t[slot]) >= d * 0.999999 - 1e-40);
                    }
        }
    }
}

/* Without memory a query answers right, or says so. */
static void check_starving(run *r) {
    const float origin[3] = {0, 0, 0};
    sap_id id = any_id(r);
    int i;
    for (i = 0; i < WORLDS && !r->bad; i++) {
        const world *w = &r->worlds[i];
        float distance;
        sap_id got;
        int n;
        fail_from = allocations + test_below(&r->rng, 2);
        fail_count = 1L << 30;
        n = CALL(w, query_nearest, origin, TEST_INFINITY, ~0u, NULL, NULL);
        got = CALL(w, nearest_to, id, TEST_INFINITY, ~0u, &distance);
        never_fail();
        HOLDS(r, w, n == -SAP_ERROR_MEMORY || n == CALL(w, query_nearest, origin, TEST_INFINITY, ~0u, NULL, NULL));
        HOLDS(r, w,
              (got == 0 && test_key(distance) == test_key(-1)) ||
                  got == CALL(w, nearest_to, id, TEST_INFINITY, ~0u, NULL));
    }
}

/* ---- snapshots ------------------------------------------------------------------------------------------------- */

static void open_world(run *r, int i) {
    world *w = &r->worlds[i];
    sap_multi_config c;
    int k;
    memset(&c, 0, sizeof c);
    c.sap.axes = r->axes == 7 ? 0 : r->axes;
    c.sap.filter = r->salt ? by_salt : NULL;
    c.sap.filter_user = (void *)(uintptr_t)&salts[r->salt];
    c.sap.method = test_chance(&r->rng, 50) ? SAP_METHOD_AUTO : test_below(&r->rng, SAP_METHOD_QUERY + 1);
    w->one = NULL;
    w->many = NULL;
    if (i == 0) {
        w->one = sap_create(&c.sap);
    } else {
        if (i == 1) c.parallel = run_shuffled, c.parallel_user = &w->shuffle;
        if (i == 2) c.parallel = run_in_threads, c.parallel_user = &w->threads;
        for (k = 0; k < 3; k++) {
            if (i == 2) c.cells[k] = test_below(&r->rng, 5), c.bounds.min[k] = -4, c.bounds.max[k] = 4;
            if (i == 3) c.hashed = 1, c.cell_size[k] = (float)test_below(&r->rng, 4);
        }
        w->threads = test_below(&r->rng, 4);
        w->many = sap_multi_create(&c);
        if (w->many && test_chance(&r->rng, 60)) force_threads(w->many, 1);
        if (w->many && test_chance(&r->rng, 40)) force_small(world_of(w->many), 1);
    }
    if (!CHECK(w->one || w->many)) exit(1);
}

static void close_world(world *w) {
    sap_destroy(w->one);
    sap_multi_destroy(w->many);
}

static void *save(run *r, const world *w, size_t *size) {
    void *bytes;
    *size = ASK(w, snapshot_size);
    bytes = malloc(*size + 1);
    if (!bytes) exit(2);
    HOLDS(r, w, CALL(w, save, bytes, *size) == SAP_OK);
    return bytes;
}

/* What is recorded is in a snapshot: all worlds save the same bytes. */
static void compare_snapshots(run *r) {
    size_t size, seen_size;
    void *bytes = save(r, &r->worlds[0], &size), *seen;
    int i;
    for (i = 1; i < WORLDS && !r->bad; i++) {
        seen = save(r, &r->worlds[i], &seen_size);
        HOLDS(r, &r->worlds[i], size == seen_size && memcmp(bytes, seen, size) == 0);
        free(seen);
    }
    free(bytes);
}

static void do_snapshot(run *r) {
    int i, slot;
    if (!r->snapshot || test_chance(&r->rng, 50)) {
        free(r->snapshot);
        r->snapshot = save(r, &r->worlds[test_below(&r->rng, WORLDS)], &r->size);
        r->saved = r->now;
        return;
    }
    for (i = 0; i < WORLDS && !r->bad; i++) {
        world *w = &r->worlds[i];
        if (test_chance(&r->rng, 30)) close_world(w), open_world(r, i);
        HOLDS(r, w, CALL(w, restore, r->snapshot, r->size) == SAP_OK);
    }
    r->now = r->saved;
    for (slot = r->live = 0; slot < r->now.slots; slot++) r->live += r->now.boxes[slot].live;
    r->removed =
        MOST_SLOTS; /* whoever was removed then is not counted here: bounds of slots are not checked any more */
    r->most = MOST_SLOTS;
    if (r->now.salt != r->salt || test_chance(&r->rng, 20)) use_filter(r, r->salt); /* a snapshot holds no filter */
    if (!r->bad) compare_pairs_now(r);
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static int random_run(int seed) {
    static const int axes[] = {7, 7, 7, SAP_2D, SAP_2D, 1, 4, 6};
    run *r = &shared;
    int i, steps, size;
    memset(r, 0, sizeof *r);
    r->seed = seed;
    r->rng.state = (uint64_t)seed * 7777777u;
    r->scene = (scene)(seed % SCENE_COUNT);
    r->axes = axes[test_below(&r->rng, 8)];
    r->salt = test_chance(&r->rng, 50) ? 0 : 1 + test_below(&r->rng, 3);
    r->now.slots = 1;
    size = 2 + seed * 7 % (MOST_LIVE - 10);
    for (i = 0; i < WORLDS; i++) {
        r->worlds[i].shuffle.state = (uint64_t)(seed * WORLDS + i);
        open_world(r, i);
    }
    steps = 150;
    for (r->step = 0; r->step < steps && !r->bad; r->step++) {
        if (r->live < size / 2 || test_chance(&r->rng, 5)) do_add(r);
        switch (test_below(&r->rng, 26)) {
        case 0:
        case 1: do_remove(r); break;
        case 2:
        case 3: do_move(r); break;
        case 4:
            if (test_chance(&r->rng, 20)) do_clear(r);
            break;
        case 5: do_set_object(r); break;
        case 6:
        case 7:
        case 8: do_set_static(r); break;
        case 9: do_set_filter(r); break;
        case 10: do_set_filter_many(r); break;
        case 11:
            if (test_chance(&r->rng, 50)) use_filter(r, test_below(&r->rng, 4));
            break;
        case 12:
        case 13: do_set_pair_data_at(r); break;
        case 14:
        case 15: do_look(r); break;
        case 16: do_walk(r); break;
        case 17:
            if (test_chance(&r->rng, 30)) do_snapshot(r);
            break;
        case 18: check_nearest_to(r); break;
        case 19: check_query_nearest(r); break;
        case 20: check_starving(r); break;
        case 21: compare_snapshots(r); break;
        default: do_update(r); break;
        }
    }
    if (!r->bad) do_update(r);
    free(r->snapshot);
    for (i = 0; i < WORLDS; i++) close_world(&r->worlds[i]);
    CHECK_EQUAL(live_blocks, 0);
    CHECK_EQUAL(faults, 0);
    return r->bad;
}

/* ---- by hand --------------------------------------------------------------------------------------------------- */

static const sap_aabb unit = {{0, 0, 0}, {1, 1, 1}}, beside = {{3, 0, 0}, {4, 1, 1}};

/* The same checks for both: S is sap_ or sap_multi_ and OPEN what makes one. */
#define REFUSALS(TYPE, S, w)                                                                                           \
    do {                                                                                                               \
        TYPE *none_ = NULL;                                                                                            \
        const float point_[3] = {0, 0, 0}, nan_[3] = {0, TEST_NAN, 0}, far_[3] = {0, 0, TEST_INFINITY};                \
        sap_id id_ = S##add(w, &unit, NULL), other_ = S##add(w, &beside, NULL), gone_ = S##add(w, &unit, NULL);        \
        sap_id ids_[3];                                                                                                \
        uint32_t category_ = 0, mask_ = 0;                                                                             \
        float distance_;                                                                                               \
        CHECK(id_ == 1 && other_ == 2 && gone_ == 3 && S##remove(w, gone_) == SAP_OK);                                 \
        ids_[0] = id_, ids_[1] = gone_, ids_[2] = other_;                                                              \
        CHECK_EQUAL(S##clear(none_), SAP_ERROR_ARGUMENT);                                                              \
        CHECK_EQUAL(S##set_object(none_, id_, NULL), SAP_ERROR_ARGUMENT);                                              \
        CHECK_EQUAL(S##set_static(none_, id_, 1), SAP_ERROR_ARGUMENT);                                                 \
        CHECK_EQUAL(S##set_filter_many(none_, 1, &id_, 1, 1), SAP_ERROR_ARGUMENT);                                     \
        CHECK_EQUAL(S##set_filter_many(w, -1, &id_, 1, 1), SAP_ERROR_ARGUMENT);                                        \
        CHECK_EQUAL(S##last_error(w), SAP_ERROR_ARGUMENT);                                                             \
        CHECK_EQUAL(S##set_filter_many(w, 1, NULL, 1, 1), SAP_ERROR_ARGUMENT);                                         \
        CHECK_EQUAL(S##set_filter_many(w, 0, NULL, 1, 1), SAP_OK);                                                     \
        CHECK_EQUAL(S##set_filter_many(w, 3, ids_, 4, 5), SAP_ERROR_ID);                                               \
        CHECK_EQUAL(S##get_filter(w, id_, &category_, &mask_), SAP_OK);                                                \
        CHECK(category_ == 1 && mask_ == 0xffffffffu);                                                                 \
        CHECK_EQUAL(S##get_filter(none_, id_, &category_, &mask_), SAP_ERROR_ARGUMENT);                                \
        CHECK_EQUAL(S##get_filter(w, gone_, &category_, &mask_), SAP_ERROR_ID);                                        \
        CHECK_EQUAL(S##get_filter(w, id_, NULL, NULL), SAP_OK);                                                        \
        CHECK_EQUAL(S##set_pair_filter(none_, NULL, NULL), SAP_ERROR_ARGUMENT);                                        \
        CHECK_EQUAL(S##set_pair_data_at(none_, 0, NULL), SAP_ERROR_ARGUMENT);                                          \
        CHECK_EQUAL(S##set_pair_data_at(w, 0, NULL), SAP_ERROR_ARGUMENT);                                              \
        CHECK(S##is_static(none_, id_) == 0 && S##is_static(w, 0) == 0 && S##is_static(w, gone_) == 0);                \
        CHECK(S##next(none_, 0) == 0 && S##next(w, 0) == id_ && S##next(w, id_) == other_);                            \
        CHECK(S##next(w, other_) == 0 && S##next(w, gone_) == 0 && S##next(w, 0xffffffu) == 0);                        \
        CHECK_EQUAL(S##set_object(w, gone_, NULL), SAP_ERROR_ID);                                                      \
        CHECK_EQUAL(S##set_static(w, gone_, 1), SAP_ERROR_ID);                                                         \
        CHECK_EQUAL(S##set_static(w, 0, 1), SAP_ERROR_ID);                                                             \
        CHECK_EQUAL(S##refilter(w, id_), SAP_OK);                                                                      \
        NEAREST_FAILS(S##nearest_to(none_, id_, 1, ~0u, &distance_));                                                  \
        NEAREST_FAILS(S##nearest_to(w, 0, 1, ~0u, &distance_));                                                        \
        NEAREST_FAILS(S##nearest_to(w, gone_, 1, ~0u, &distance_));                                                    \
        NEAREST_FAILS(S##nearest_to(w, id_, -1, ~0u, &distance_));                                                     \
        NEAREST_FAILS(S##nearest_to(w, id_, TEST_NAN, ~0u, &distance_));                                               \
        CHECK(S##nearest_to(w, gone_, 1, ~0u, NULL) == 0);                                                             \
        CHECK(S##nearest_to(w, id_, 2, ~0u, &distance_) == other_ && test_key(distance_) == test_key(2));              \
        CHECK(S##nearest_to(w, other_, 1.5f, ~0u, &distance_) == 0 && test_key(distance_) == test_key(1.5f));          \
        CHECK(S##nearest_to(w, id_, TEST_INFINITY, 2, &distance_) == 0 && !test_is_finite(distance_));                 \
        CHECK_EQUAL(S##query_nearest(none_, point_, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);                         \
        CHECK_EQUAL(S##query_nearest(w, NULL, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);                               \
        CHECK_EQUAL(S##query_nearest(w, nan_, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);                               \
        CHECK_EQUAL(S##query_nearest(w, far_, 1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);                               \
        CHECK_EQUAL(S##query_nearest(w, point_, -1, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);                            \
        CHECK_EQUAL(S##query_nearest(w, point_, TEST_NAN, ~0u, NULL, NULL), -SAP_ERROR_ARGUMENT);                      \
        CHECK_EQUAL(S##query_nearest(w, point_, 3, ~0u, NULL, NULL), 2); /* closed */                                  \
        CHECK_EQUAL(S##query_nearest(w, point_, 2.5f, ~0u, NULL, NULL), 1);                                            \
        CHECK_EQUAL(S##last_error(w), SAP_OK); /* queries and looks leave it */                                        \
        CHECK_EQUAL(S##update(w), SAP_OK);                                                                             \
        CHECK_EQUAL(S##clear(w), SAP_OK);                                                                              \
        CHECK(S##count(w) == 0 && S##next(w, 0) == 0 && !S##is_valid(w, id_));                                         \
        CHECK_EQUAL(S##clear(w), SAP_OK);                                                                              \
        CHECK_EQUAL(S##update(w), SAP_OK);                                                                             \
        CHECK(S##validate(w) == NULL);                                                                                 \
    } while (0)

#define NEAREST_FAILS(call)                                                                                            \
    do {                                                                                                               \
        distance_ = 5;                                                                                                 \
        CHECK((call) == 0 && test_key(distance_) == test_key(-1));                                                     \
    } while (0)

static void refusals(void) {
    sap_world *s = sap_create(NULL);
    sap_multi *m = sap_multi_create(NULL);
    if (!CHECK(s && m)) exit(1);
    REFUSALS(sap_world, sap_, s);
    REFUSALS(sap_multi, sap_multi_, m);
    sap_destroy(s);
    sap_multi_destroy(m);
    CHECK_EQUAL(live_blocks, 0);
}

static int pair_count(const sap_world *s) {
    int n;
    (void)sap_pairs(s, &n);
    return n;
}

/* Which pairs are allowed changes with who is static, and only by the net change. */
static void statics_by_hand(void) {
    sap_world *s = sap_create(NULL);
    sap_stats stats;
    int n;
    if (!CHECK(s != NULL)) exit(1);
    CHECK(sap_add(s, &unit, NULL) == 1 && sap_add_static(s, &unit, NULL) == 2 && sap_add_static(s, &unit, NULL) == 3);
    CHECK(!sap_is_static(s, 1) && sap_is_static(s, 2) == 1);
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 2);
    CHECK(sap_set_static(s, 1, 1) == SAP_OK && sap_is_static(s, 1) == 1 && pair_count(s) == 2);
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 0);
    (void)sap_deleted(s, &n);
    CHECK_EQUAL(n, 2);
    sap_get_stats(s, &stats);
    CHECK_EQUAL(stats.static_boxes, 3);
    CHECK(sap_set_static(s, 3, 0) == SAP_OK && sap_set_static(s, 2, 0) == SAP_OK && sap_set_static(s, 2, 1) == SAP_OK);
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 2 && !sap_find_pair(s, 1, 2));
    CHECK(sap_set_static(s, 3, 1) == SAP_OK && sap_set_static(s, 3, 0) == SAP_OK); /* there and back is nothing */
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 2);
    (void)sap_created(s, &n);
    CHECK_EQUAL(n, 0);
    CHECK(sap_set_static(s, 3, 1) == SAP_OK && sap_remove(s, 3) == SAP_OK);
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 0);
    sap_get_stats(s, &stats);
    CHECK_EQUAL(stats.static_boxes, 2);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

static int is_given(const sap_pair *pair, void *user) {
    (void)pair;
    return *(const int *)user;
}

/* A new filter that lets too many pairs begin is refused by the update, and can be taken back. */
static void filters_by_hand(void) {
    sap_config c;
    sap_world *s;
    int yes = 1, no = 0, i;
    memset(&c, 0, sizeof c);
    c.max_pairs = 2;
    c.filter = is_given;
    c.filter_user = &no;
    s = sap_create(&c);
    if (!CHECK(s != NULL)) exit(1);
    for (i = 0; i < 3; i++) CHECK(sap_add(s, &unit, NULL) != 0);
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 0);
    CHECK(sap_set_pair_filter(s, NULL, NULL) == SAP_OK && pair_count(s) == 0);
    CHECK(sap_update(s) == SAP_ERROR_LIMIT && pair_count(s) == 0);
    CHECK(sap_update(s) == SAP_ERROR_LIMIT); /* it stays recorded */
    CHECK(sap_remove(s, 3) == SAP_OK && sap_update(s) == SAP_OK && pair_count(s) == 1);
    CHECK(sap_set_pair_filter(s, is_given, &no) == SAP_OK && pair_count(s) == 1);
    CHECK(sap_update(s) == SAP_OK && pair_count(s) == 0);
    yes = 0;
    CHECK(sap_set_pair_filter(s, is_given, &yes) == SAP_OK && sap_update(s) == SAP_OK && pair_count(s) == 0);
    yes = 1; /* the same filter may answer anew, once it is set anew */
    CHECK(sap_set_pair_filter(s, is_given, &yes) == SAP_OK && sap_update(s) == SAP_OK && pair_count(s) == 1);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* What is recorded with them goes into a snapshot and counts after it. */
static void recorded_in_a_snapshot(void) {
    int which, yes = 1, no = 0;
    for (which = 0; which < 4; which++) {
        sap_config c;
        sap_world *s, *t;
        size_t size;
        void *bytes;
        sap_id ids[2] = {1, 2};
        memset(&c, 0, sizeof c);
        s = sap_create(&c);
        c.filter = which == 3 ? is_given : NULL;
        c.filter_user = &no;
        t = sap_create(&c);
        if (!CHECK(s && t)) exit(1);
        CHECK(sap_add_static(s, &unit, NULL) == 1 && sap_add(s, &unit, &yes) == 2 && sap_update(s) == SAP_OK);
        switch (which) {
        case 0: CHECK_EQUAL(sap_clear(s), SAP_OK); break;
        case 1: CHECK_EQUAL(sap_set_static(s, 2, 1), SAP_OK); break;
        case 2: CHECK_EQUAL(sap_set_filter_many(s, 2, ids, 1, 2), SAP_OK); break;
        default: CHECK_EQUAL(sap_set_pair_filter(s, is_given, &no), SAP_OK);
        }
        size = sap_snapshot_size(s);
        bytes = malloc(size);
        if (!bytes) exit(2);
        CHECK_EQUAL(sap_save(s, bytes, size), SAP_OK);
        CHECK_EQUAL(sap_restore(t, bytes, size), SAP_OK);
        CHECK(pair_count(t) == 1 && sap_is_static(t, 2) == (which == 1));
        CHECK(sap_update(t) == SAP_OK && pair_count(t) == 0 && sap_validate(t) == NULL);
        CHECK(sap_restore(s, bytes, size) == SAP_OK && sap_update(s) == SAP_OK && pair_count(s) == 0);
        free(bytes);
        sap_destroy(s);
        sap_destroy(t);
    }
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
    int seeds = test_argument(argc, argv, 1, 60), first = test_argument(argc, argv, 2, 1), seed, bad = 0;
    use_realloc = calls_realloc, use_free = calls_free;
    texts_and_version();
    refusals();
    statics_by_hand();
    filters_by_hand();
    recorded_in_a_snapshot();
    ids_rest();
    normals_by_hand();
    normals(seeds * 500);
    from_doubles(seeds * 500);
    for (seed = first; seed < first + seeds && bad < 5; seed++) {
        bad += random_run(seed);
        fflush(stdout);
    }
    return test_summary();
}
