/* fuzz.c - bytes become calls: every function of sap.h and sap_multi.h, with good and with hostile arguments, against
   the model of model.h.

   Several worlds get the same calls, each on another path and kernel. After every update pairs and events must be
   the model's, and all arrays the same in all worlds; after every call that is refused nothing may have changed.
   A byte may make an allocation of the next call fail, a callback make calls, a snapshot come back forged.

   Whatever is wrong prints one line and aborts. Built in three ways (see fuzz.sh): with libFuzzer or AFL++, which
   call LLVMFuzzerTestOneInput, and with -DFUZZ_REPLAY as a program that runs the files it is given. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static const char *file_now = "the input"; /* of a replay */

static void fail(const char *what, int line) {
    printf("%s: fuzz.c:%d: %s\n", file_now, line, what);
    fflush(stdout);
    abort();
}

/* ---- memory ---------------------------------------------------------------------------------- */

#include "alloc.h"

enum { MOST_BYTES = 1 << 24 }; /* no block is larger */

static int in_jobs; /* jobs run: they neither allocate nor ask the filter */

static void fuzz_free(void *p) {
    HOLDS(!in_jobs);
    test_free(p);
}

static void *fuzz_realloc(void *p, size_t size) {
    HOLDS(!in_jobs);
    if (size <= MOST_BYTES) return test_realloc(p, size);
    allocations++;
    return NULL;
}

#define SAP_REALLOC(p, size) fuzz_realloc(p, size)
#define SAP_FREE(p) fuzz_free(p)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"

#if defined(__clang__) /* the fuzzer shall look for new ways through the headers, not through the model */
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif
#include "exact.h"
#include "model.h"
#include "scenes.h"
#include "ways.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a run ----------------------------------------------------------------------------------- */

enum { WORLDS = 3, MOST_BOXES = 400, MOST_SLOTS = 1400, MOST_NESTING = 2 };

typedef struct subject {
    sap_world *s;
    int has_grid;
    int reserved_boxes, reserved_pairs; /* while these are not exceeded no call allocates; -1: no promise */
} subject;

typedef struct shot { /* a snapshot, and what the model was then */
    unsigned char *bytes;
    size_t size;
} shot;

static struct run {
    const uint8_t *data;
    size_t size, at;
    model model, saved_model;
    sap_config config;
    sap_grid grid;
    int has_threads; /* where there is a grid */
    subject subjects[WORLDS];
    shot saved[WORLDS];
    int most_boxes;          /* of this run */
    int has_saved;           /* saved and saved_model are filled */
    int nesting;             /* callbacks that make calls, in each other */
    long armed, armed_count; /* allocations of the next call that fail; armed -1: none */
    int updates;
    subject *asking; /* the world that may call the filter now; NULL: the model does, or a forged world */
    long asked;
    unsigned char touched[MOST_SLOTS]; /* slots whose boxes changed during a query */
} run;

/* ---- bytes ----------------------------------------------------------------------------------- */

static unsigned take(void) {
    return run.at < run.size ? run.data[run.at++] : 0;
}

static int take_below(int n) {
    return n > 0 ? (int)take() % n : 0;
}

static uint32_t take_32(void) {
    uint32_t bits = take();
    bits |= take() << 8;
    bits |= take() << 16;
    return bits | take() << 24;
}

static test_rng take_rng(void) {
    test_rng rng;
    rng.state = take() * 7777777u;
    return rng;
}

/* Half of all floats are small whole numbers: they meet. */
static float take_float(void) {
    static const uint32_t special[] = {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xff800001u, 0x80000000u,
                                       0x00000001u, 0x80000001u, 0x007fffffu, 0x7f7fffffu, 0xff7fffffu,
                                       0x7149f2cau, 0x0da24260u, 0x3f7fffffu, 0x00800000u};
    unsigned b = take();
    if (b < 128) return (float)((int)b % 24 - 8);
    if (b < 192) return (float)((int)b - 160) * 0.25f;
    if (b < 240) return test_float(special[b % (sizeof special / sizeof special[0])]);
    return test_float(take_32());
}

static void take_vector(float v[3]) {
    int k;
    for (k = 0; k < 3; k++) v[k] = take_float();
}

/* Mostly small boxes; one in five has any bounds, good or bad. */
static sap_aabb take_box(void) {
    sap_aabb box;
    unsigned kind = take();
    int k;
    if (kind < 160) {
        for (k = 0; k < 3; k++) {
            unsigned b = take();
            scene_span(&box, k, (float)((int)(b & 31) - 8), (float)(b >> 5) * 0.5f);
        }
    } else if (kind < 200) {
        test_rng rng = take_rng();
        scene_box(&rng, (scene)(kind % SCENE_COUNT), &box);
    } else
        for (k = 0; k < 3; k++) {
            box.min[k] = take_float();
            box.max[k] = take_float();
            if ((kind & 1) && !test_is_nan(box.min[k]) && !test_is_nan(box.max[k]))
                scene_interval(&box, k, box.min[k], box.max[k]);
        }
    return box;
}

/* An id that was given out, live or not; one in sixteen is something else. */
static sap_id take_id(void) {
    unsigned b = take();
    int n = run.model.slot_count - 1;
    if (b >= 240 || n == 0) {
        sap_id id = n ? run.model.slots[1 + (int)b % n].id : 0;
        switch (b & 3) {
        case 0: return 0;
        case 1: return id ^ (1u << 24 << (b >> 2 & 7));
        case 2: return (sap_id)n + 1;
        default: return take_32();
        }
    }
    if (n > 240) b = b << 8 | take();
    return run.model.slots[1 + (int)b % n].id;
}

static sap_aabb take_moved_box(sap_id id) {
    const model_box *b = model_find(&run.model, id);
    sap_aabb box;
    unsigned way = take();
    int k;
    if (!b || way < 100) return take_box();
    box = b->box;
    for (k = 0; k < 3; k++) {
        float step = (float)((int)(way >> 2 * k & 3) - 1) * (way < 180 ? 1.0f : 0.125f);
        if (test_is_finite(box.min[k]) && test_is_finite(box.max[k]))
            scene_interval(&box, k, box.min[k] + step, box.max[k] + step);
    }
    return box;
}

static void *take_pointer(void) {
    return (void *)(uintptr_t)take();
}

/* ---- what a refused call must leave alone ----------------------------------------------------------- */

typedef struct image {
    unsigned char *bytes;
    size_t size;
} image;

static image image_of(const subject *w) {
    image i;
    int created, deleted;
    const sap_pair *c = sap_created(w->s, &created), *d = sap_deleted(w->s, &deleted);
    size_t snapshot = sap_snapshot_size(w->s), size_c = (size_t)created * sizeof *c,
           size_d = (size_t)deleted * sizeof *d;
    i.size = snapshot + size_c + size_d;
    i.bytes = (unsigned char *)malloc(i.size);
    if (!i.bytes) exit(2);
    HOLDS(sap_save(w->s, i.bytes, snapshot) == SAP_OK);
    if (created) memcpy(i.bytes + snapshot, c, size_c);
    if (deleted) memcpy(i.bytes + snapshot + size_c, d, size_d);
    return i;
}

/* And sap_validate finds nothing. */
static void must_be_as(image *before, const subject *w) {
    image now = image_of(w);
    HOLDS(now.size == before->size && memcmp(now.bytes, before->bytes, now.size) == 0);
    HOLDS(sap_validate(w->s) == NULL);
    free(now.bytes);
}

/* ---- a call ------------------------------------------------------------------------------------ */

/* Where an allocation was made to fail, the call must say so and change nothing; then it is made again. */
typedef struct attempt {
    subject *subject;
    image before;
    long allocations, fail_from, fail_count; /* as they were outside: calls nest */
    int is_refused;                          /* as the model says */
} attempt;

/* Not in a callback: there sap_save is refused. */
static void begin_attempt(attempt *a, subject *w, int is_refused) {
    memset(a, 0, sizeof *a);
    a->subject = w;
    a->is_refused = is_refused;
    a->allocations = allocations;
    a->fail_from = fail_from;
    a->fail_count = fail_count;
    if (run.nesting == 0 && (is_refused || run.armed >= 0)) a->before = image_of(w);
    allocations = 0;
    fail_from = run.armed;
    fail_count = run.armed_count;
}

/* The promise holds until what was reserved is exceeded. */
static void check_reserved(subject *w, const model *m) {
    if (m->live + m->gone.count > w->reserved_boxes || m->pairs.count > w->reserved_pairs)
        w->reserved_boxes = w->reserved_pairs = -1;
}

/* 1: memory failed as it was told to, make the call once more. */
static int end_attempt(attempt *a, int is_out_of_memory) {
    subject *w = a->subject;
    if (is_out_of_memory) {
        HOLDS(fail_from >= 0 && allocations > fail_from);
        if (a->before.bytes) must_be_as(&a->before, w);
        fail_from = -1;
        return 1;
    }
    if (a->before.bytes && a->is_refused) must_be_as(&a->before, w);
    free(a->before.bytes);
    check_reserved(w, &run.model);
    HOLDS(w->reserved_boxes < 0 || allocations == 0);
    allocations = a->allocations;
    fail_from = a->fail_from;
    fail_count = a->fail_count;
    return 0;
}

#define EACH(w) for (w = run.subjects; w < run.subjects + WORLDS; w++)

/* A call that gives a sap_result and leaves it in sap_last_error, on every world. */
#define ALL_WORLDS(call, expected, never_for_memory)                                                                   \
    do {                                                                                                               \
        subject *w;                                                                                                    \
        EACH(w) {                                                                                                      \
            attempt attempt_;                                                                                          \
            sap_result result_;                                                                                        \
            begin_attempt(&attempt_, w, (expected) != SAP_OK);                                                         \
            do {                                                                                                       \
                result_ = (call);                                                                                      \
                HOLDS(sap_last_error(w->s) == result_);                                                                \
            } while (end_attempt(&attempt_, result_ == SAP_ERROR_MEMORY && !(never_for_memory)));                      \
            HOLDS(result_ == (expected));                                                                              \
        }                                                                                                              \
    } while (0)
#define ALL(call, expected) ALL_WORLDS(call, expected, 0)
#define ALL_SURELY(call, expected) ALL_WORLDS(call, expected, 1) /* what never fails for memory */

/* ---- callbacks ----------------------------------------------------------------------------------- */

static void act(subject *w);

static void must_be_busy(subject *w) {
    float offset[3] = {0, 0, 0};
    unsigned char byte = 0;
    HOLDS(sap_update(w->s) == SAP_ERROR_BUSY && sap_last_error(w->s) == SAP_ERROR_BUSY);
    HOLDS(sap_dump_pairs(w->s, NULL, NULL, NULL) == -SAP_ERROR_BUSY);
    HOLDS(sap_restore(w->s, &byte, 1) == SAP_ERROR_BUSY);
    HOLDS(sap_reserve(w->s, 1, 1) == SAP_ERROR_BUSY);
    HOLDS(sap_shift_origin(w->s, offset) == SAP_ERROR_BUSY);
    HOLDS(sap_prepare_queries(w->s) == SAP_ERROR_BUSY);
    HOLDS(sap_save(w->s, &byte, sap_snapshot_size(w->s) + 1) == SAP_ERROR_BUSY);
    sap_destroy(w->s);
    HOLDS(sap_last_error(w->s) == SAP_ERROR_BUSY);
}

static void must_be_busy_in_filter(subject *w, sap_id id) {
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    must_be_busy(w);
    HOLDS(sap_add(w->s, &box, NULL) == 0 && sap_last_error(w->s) == SAP_ERROR_BUSY);
    HOLDS(sap_move(w->s, id, &box) == SAP_ERROR_BUSY && sap_remove(w->s, id) == SAP_ERROR_BUSY);
    HOLDS(sap_set_filter(w->s, id, 1, 1) == SAP_ERROR_BUSY && sap_refilter(w->s, id) == SAP_ERROR_BUSY);
    HOLDS(sap_set_pair_data(w->s, id, id, NULL) == SAP_ERROR_BUSY && sap_clear(w->s) == SAP_ERROR_BUSY);
    HOLDS(sap_set_static(w->s, id, 1) == SAP_ERROR_BUSY && sap_set_object(w->s, id, NULL) == SAP_ERROR_BUSY);
    HOLDS(sap_set_filter_many(w->s, 1, &id, 1, 1) == SAP_ERROR_BUSY &&
          sap_set_pair_filter(w->s, NULL, NULL) == SAP_ERROR_BUSY);
    HOLDS(sap_nearest_to(w->s, id, 1, 1, NULL) == 0 && sap_set_pair_data_at(w->s, 0, NULL) == SAP_ERROR_BUSY);
    HOLDS(sap_query_box(w->s, &box, 1, NULL, NULL) == -SAP_ERROR_BUSY);
    HOLDS(sap_query_box_ids(w->s, &box, 1, NULL, 0) == -SAP_ERROR_BUSY);
    HOLDS(sap_nearest_ids(w->s, box.min, 1, 1, NULL, NULL, 0) == -SAP_ERROR_BUSY);
    HOLDS(sap_box_closest(w->s, &box, box.min, 1, 0, NULL, NULL) == 0);
}

/* Three of four pairs exist, by the versions of the two boxes; only sap_refilter comes with a new version. */
static int some_pairs(const sap_pair *pair, void *user) {
    const model_box *a = model_find(&run.model, pair->id0), *b = model_find(&run.model, pair->id1);
    uint32_t key[4];
    (void)user;
    HOLDS(!in_jobs);
    if (run.asking) {
        HOLDS(a && b && pair->id0 < pair->id1 && !pair->user_data);
        HOLDS(pair->object0 == a->object && pair->object1 == b->object);
        HOLDS(model_overlap(run.model.axes, &a->box, &b->box) && model_masks_allow(a, b));
        if (run.asked++ % 32 == 0) must_be_busy_in_filter(run.asking, pair->id0);
    }
    key[0] = pair->id0;
    key[1] = pair->id1;
    key[2] = a ? a->version : 0;
    key[3] = b ? b->version : 0;
    return test_hash(14695981039346656037u, key, sizeof key) >> 20 & 3 ? 1 : 0;
}

static void *data_of(const sap_pair *pair, void *user) {
    (void)user;
    return (void *)(uintptr_t)((pair->id0 * 7919u + pair->id1 * 104729u + (uint32_t)run.updates) | 1);
}

typedef struct dump {
    subject *w;
    int seen, acts;
} dump;

static void see_deleted(const sap_pair *pair, void *user) {
    dump *d = (dump *)user;
    HOLDS(d->seen < run.model.deleted.count);
    HOLDS(memcmp(pair, &run.model.deleted.items[d->seen], sizeof *pair) == 0);
    d->seen++;
    if (d->acts) act(d->w);
}

static void *see_created(const sap_pair *pair, void *user) {
    dump *d = (dump *)user;
    int i = d->seen++ - run.model.deleted.count; /* every del comes before the first create */
    sap_pair expected;
    HOLDS(i >= 0 && i < run.model.created.count);
    expected = run.model.created.items[i];
    expected.user_data = NULL;
    HOLDS(memcmp(pair, &expected, sizeof expected) == 0);
    if (d->acts) act(d->w);
    return data_of(pair, NULL);
}

/* ---- comparing ----------------------------------------------------------------------------------- */

static void must_be_pairs(const sap_pair *seen, int count, const model_pairs *expected) {
    HOLDS(count == expected->count);
    HOLDS(count == 0 || memcmp(seen, expected->items, (size_t)count * sizeof *seen) == 0);
}

static void compare_pairs_of(const subject *w, sap_id id, int capacity) {
    int n, i, room = run.model.slot_count + 1;
    sap_id *expected = (sap_id *)malloc(2 * (size_t)room * sizeof *expected), *seen = expected + room;
    if (!expected) exit(2);
    n = model_pairs_of(&run.model, id, expected);
    if (capacity >= room) capacity = room - 1;
    for (i = 0; i < room; i++) seen[i] = 0xdeadbeefu;
    HOLDS(sap_pairs_of(w->s, id, capacity ? seen : NULL, capacity) ==
          (model_is_settled_id(&run.model, id) ? n : -SAP_ERROR_ID));
    if (capacity > n) capacity = n;
    if (model_is_settled_id(&run.model, id)) HOLDS(memcmp(seen, expected, (size_t)capacity * sizeof *seen) == 0);
    HOLDS(seen[capacity] == 0xdeadbeefu || !model_is_settled_id(&run.model, id));
    free(expected);
}

static void compare_boxes(const subject *w) {
    const model *m = &run.model;
    int slot;
    HOLDS(sap_count(w->s) == m->live);
    for (slot = 0; slot < m->slot_count; slot++) {
        const model_box *b = &m->slots[slot];
        sap_aabb box;
        memset(&box, 0xff, sizeof box);
        HOLDS(sap_is_valid(w->s, b->id) == b->live);
        HOLDS(sap_get_object(w->s, b->id) == (b->live ? b->object : NULL));
        HOLDS(sap_get_box(w->s, b->id, &box) == (b->live ? SAP_OK : SAP_ERROR_ID));
        HOLDS(b->live ? model_same_box(&b->box, &box) : test_is_nan(box.min[0]));
    }
}

/* Pairs and events, all that is settled. The order of sap_pairs is the same in all worlds. */
static void compare_settled(const subject *w) {
    const model *m = &run.model;
    const subject *first = &run.subjects[0];
    const sap_pair *pairs;
    sap_stats stats;
    int count, first_count, i;
    HOLDS(sap_validate(w->s) == NULL);
    pairs = sap_created(w->s, &count);
    must_be_pairs(pairs, count, &m->created);
    pairs = sap_deleted(w->s, &count);
    must_be_pairs(pairs, count, &m->deleted);
    pairs = sap_pairs(w->s, &count);
    HOLDS(count == m->pairs.count);
    for (i = 0; i < count; i += 1 + count / 256) {
        const sap_pair *p = &m->pairs.items[i], *there = sap_find_pair(w->s, p->id1, p->id0);
        HOLDS(there && memcmp(there, p, sizeof *p) == 0 && sap_find_pair(w->s, p->id0, p->id1) == there);
        HOLDS(there >= pairs && there < pairs + count);
    }
    pairs = sap_pairs(first->s, &first_count);
    HOLDS(count == first_count && (!count || memcmp(pairs, sap_pairs(w->s, NULL), (size_t)count * sizeof *pairs) == 0));
    sap_get_stats(w->s, &stats);
    HOLDS(stats.boxes == m->live && stats.static_boxes == m->statics && stats.pairs == m->pairs.count);
    HOLDS(stats.created == m->created.count && stats.deleted == m->deleted.count);
    compare_boxes(w);
}

/* The settled worlds, each, and their memory: sap_get_stats counts every byte. */
static void compare_all(void) {
    subject *w;
    size_t bytes = 0;
    EACH(w) {
        sap_stats stats;
        compare_settled(w);
        sap_get_stats(w->s, &stats);
        bytes += stats.bytes;
    }
    HOLDS(bytes == live_bytes);
}

/* ---- calls that record ------------------------------------------------------------------------------ */

static void touch(sap_id id) {
    uint32_t slot = id & 0xffffff;
    if (slot < sizeof run.touched) run.touched[slot] = 1;
}

/* So many boxes may be added. */
static int room_for_boxes(void) {
    int rested = run.model.unused.count > 256 ? run.model.unused.count - 256 : 0;
    int slots = MOST_SLOTS - run.model.slot_count + rested, boxes = run.most_boxes - run.model.live;
    return slots < boxes ? slots : boxes;
}

static void do_add(void) {
    sap_aabb box = take_box();
    void *object = take_pointer();
    int is_static = take_below(4) == 0;
    sap_id id = 0, seen;
    sap_result expected;
    if (room_for_boxes() <= 0) return;
    expected = model_add(&run.model, &box, object, is_static, &id);
    ALL((seen = is_static ? sap_add_static(w->s, &box, object) : sap_add(w->s, &box, object),
         HOLDS(seen == (sap_last_error(w->s) ? 0 : id)), sap_last_error(w->s)),
        expected);
}

/* Many at once: from a scene, or one by one from the bytes, perhaps bad ones among them. */
static void do_add_many(void) {
    sap_aabb boxes[MOST_BOXES];
    void *objects[MOST_BOXES], *const *given = NULL;
    sap_id ids[MOST_BOXES], seen[MOST_BOXES];
    int n, i, room = room_for_boxes(), is_static = take_below(4) == 0, is_scene = take_below(2);
    sap_result expected;
    if (is_scene) {
        scene kind = (scene)take_below(SCENE_COUNT);
        test_rng rng = take_rng();
        n = run.most_boxes * take_below(256) / 255;
        if (n > room) n = room;
        for (i = 0; i < n; i++) scene_box(&rng, kind, &boxes[i]);
    } else {
        n = take_below(6);
        if (n > room) n = room;
        for (i = 0; i < n; i++) boxes[i] = take_box();
    }
    if (take_below(2)) given = objects;
    for (i = 0; i < n; i++) objects[i] = (void *)(uintptr_t)(unsigned)(i * 17);
    expected = model_add_many(&run.model, n, boxes, given, is_static, ids);
    for (i = 0; i < n; i++) seen[i] = 0xdeadbeefu;
    ALL(is_static ? sap_add_static_many(w->s, n, n ? boxes : NULL, given, n ? seen : NULL)
                  : sap_add_many(w->s, n, n ? boxes : NULL, given, n ? seen : NULL),
        expected);
    for (i = 0; i < n; i++) HOLDS(seen[i] == (expected == SAP_OK ? ids[i] : 0xdeadbeefu));
}

static void do_move(void) {
    sap_id id = take_id();
    sap_aabb box = take_moved_box(id);
    sap_result expected;
    if (!model_find(&run.model, id)) memset(&box, 0, sizeof box); /* with two faults either may be named */
    expected = model_move_many(&run.model, 1, &id, &box);
    touch(id);
    ALL_SURELY(sap_move(w->s, id, &box), expected);
}

/* A few from the bytes, duplicates and bad ones among them; or all that live, a little or anywhere. */
static void do_move_many(void) {
    sap_aabb boxes[MOST_BOXES];
    sap_id ids[MOST_BOXES];
    int n = 0, i, slot, is_all = take_below(2), are_valid = 1;
    sap_result expected;
    if (is_all) {
        scene kind = (scene)take_below(SCENE_COUNT);
        unsigned way = take();
        test_rng rng = take_rng();
        for (slot = 1; slot < run.model.slot_count; slot++) {
            if (!run.model.slots[slot].live || (way >= 200 && test_chance(&rng, 90))) continue;
            ids[n] = run.model.slots[slot].id;
            boxes[n] = run.model.slots[slot].box;
            if (way < 40)
                scene_box(&rng, kind, &boxes[n]);
            else
                scene_nudge(&rng, kind, way & 1 ? 0.3f : 0.01f, &boxes[n]);
            n++;
        }
    } else {
        n = take_below(6);
        for (i = 0; i < n; i++) {
            ids[i] = take_id();
            boxes[i] = take_moved_box(ids[i]);
            are_valid &= model_find(&run.model, ids[i]) != NULL;
        }
        for (i = 0; i < n && !are_valid; i++) memset(&boxes[i], 0, sizeof boxes[i]);
    }
    expected = model_move_many(&run.model, n, ids, boxes);
    for (i = 0; i < n; i++) touch(ids[i]);
    ALL_SURELY(sap_move_many(w->s, n, n ? ids : NULL, n ? boxes : NULL), expected);
}

static void do_remove(void) {
    sap_id id = take_id();
    sap_result expected = model_remove_many(&run.model, 1, &id);
    touch(id);
    ALL_SURELY(sap_remove(w->s, id), expected);
}

static void do_remove_many(void) {
    sap_id ids[MOST_BOXES];
    int n = 0, i, slot, is_all = take_below(2);
    sap_result expected;
    if (is_all) { /* in any order: it is the one in which slots come free */
        int step = 1 + take_below(8);
        test_rng rng = take_rng();
        for (slot = 1; slot < run.model.slot_count; slot += step)
            if (run.model.slots[slot].live) ids[n++] = run.model.slots[slot].id;
        for (i = 0; i < n; i++) {
            int j = i + test_below(&rng, n - i);
            sap_id id = ids[i];
            ids[i] = ids[j];
            ids[j] = id;
        }
    } else
        for (n = take_below(6), i = 0; i < n; i++) ids[i] = take_id();
    expected = model_remove_many(&run.model, n, ids);
    for (i = 0; i < n; i++) touch(ids[i]);
    ALL_SURELY(sap_remove_many(w->s, n, n ? ids : NULL), expected);
}

static void do_set_filter(void) {
    sap_id id = take_id();
    uint32_t bits = take(), category = bits & 7, mask = bits & 0x80 ? 0xffffffffu : bits >> 3 & 7;
    sap_result expected = model_set_filter(&run.model, id, category, mask);
    touch(id);
    ALL_SURELY(sap_set_filter(w->s, id, category, mask), expected);
}

static void do_set_filter_many(void) {
    sap_id ids[8];
    int i, n = take_below(8);
    unsigned bits = take();
    sap_result expected = SAP_OK;
    for (i = 0; i < n; i++)
        if (!model_find(&run.model, ids[i] = take_id())) expected = SAP_ERROR_ID;
    for (i = 0; i < n && !expected; i++) model_set_filter(&run.model, ids[i], bits & 7, ~(bits >> 3));
    for (i = 0; i < n; i++) touch(ids[i]);
    ALL_SURELY(sap_set_filter_many(w->s, n, n ? ids : NULL, bits & 7, ~(bits >> 3)), expected);
}

static void do_set_static(void) {
    sap_id id = take_id();
    model_box *b = model_find(&run.model, id);
    int is_static = take() & 1;
    if (b) run.model.statics += is_static - b->is_static, b->is_static = is_static;
    ALL_SURELY(sap_set_static(w->s, id, is_static), b ? SAP_OK : SAP_ERROR_ID);
}

/* Not in a callback: what deleted pairs and those to be created then show is not said. */
static void do_set_object(void) {
    sap_id id = take_id();
    model_box *b = model_find(&run.model, id);
    void *object = take_pointer();
    int i;
    if (b) b->object = object;
    for (i = 0; i < run.model.pairs.count && b; i++) {
        if (run.model.pairs.items[i].id0 == id) run.model.pairs.items[i].object0 = object;
        if (run.model.pairs.items[i].id1 == id) run.model.pairs.items[i].object1 = object;
    }
    ALL_SURELY(sap_set_object(w->s, id, object), b ? SAP_OK : SAP_ERROR_ID);
}

static void do_set_pair_data_at(void) {
    int index = (int)take() - 2, is_pair = index >= 0 && index < run.model.pairs.count;
    void *data = take_pointer();
    if (is_pair) {
        sap_pair pair = sap_pairs(run.subjects[0].s, NULL)[index];
        model_find_pair(&run.model, pair.id0, pair.id1)->user_data = data;
    }
    ALL_SURELY(sap_set_pair_data_at(w->s, index, data), is_pair ? SAP_OK : SAP_ERROR_ARGUMENT);
}

static int some_pairs(const sap_pair *pair, void *user);

/* The same or another: every pair is asked anew. */
static void use_filter(sap_filter *filter) {
    run.model.filter = run.config.filter = filter;
    ALL_SURELY(sap_set_pair_filter(w->s, filter, NULL), SAP_OK);
}

static void do_clear(void) {
    int slot;
    for (slot = 1; slot < run.model.slot_count; slot++) {
        sap_id id = run.model.slots[slot].id;
        if (!run.model.slots[slot].live) continue;
        touch(id);
        model_remove_many(&run.model, 1, &id);
    }
    ALL_SURELY(sap_clear(w->s), SAP_OK);
}

static void do_refilter(void) {
    sap_id id = take_id();
    model_box *b = model_find(&run.model, id);
    if (b) b->version = take() & 3;
    ALL_SURELY(sap_refilter(w->s, id), b ? SAP_OK : SAP_ERROR_ID);
}

/* Of a pair, or of any two ids. What is created right now has no data yet: dump gives it. */
static void do_set_pair_data(void) {
    void *data = take_pointer();
    sap_id a = take_id(), b = take_id();
    sap_pair *p;
    int i;
    if (run.model.pairs.count && take_below(4)) {
        p = &run.model.pairs.items[take_below(run.model.pairs.count)];
        a = p->id1;
        b = p->id0;
    }
    p = model_find_pair(&run.model, a, b);
    for (i = 0; p && run.nesting && i < run.model.created.count; i++)
        if (model_compare_pairs(p, &run.model.created.items[i]) == 0) return;
    if (p) p->user_data = data;
    ALL_SURELY(sap_set_pair_data(w->s, a, b, data), p ? SAP_OK : SAP_ERROR_ID);
}

static void do_shift_origin(void) {
    float offset[3];
    sap_result expected;
    take_vector(offset);
    expected = model_shift_origin(&run.model, offset);
    ALL_SURELY(sap_shift_origin(w->s, offset), expected);
}

/* ---- updates ----------------------------------------------------------------------------------------- */

/* The last world of the round is the one whose callbacks make calls, on all worlds: the others have settled. */
static void do_update(int is_dump) {
    int i, first = take_below(WORLDS), acts = is_dump && take_below(4) == 0, is_silent = is_dump && take_below(8) == 0;
    int pairs;
    subject *w;
    sap_result expected;
    run.asking = NULL;
    run.updates++;
    expected = model_update(&run.model, is_dump && !is_silent ? data_of : NULL, NULL);
    pairs = run.model.pairs.count;
    for (i = 0; i < WORLDS; i++) {
        attempt a;
        dump d;
        int answer;
        w = &run.subjects[(first + i) % WORLDS];
        if (expected) w->reserved_boxes = -1; /* the pairs that were too many may be more than were reserved */
        d.w = w;
        d.acts = acts && i == WORLDS - 1;
        begin_attempt(&a, w, expected != SAP_OK);
        do {
            d.seen = 0;
            run.asking = w;
            if (!is_dump)
                answer = -(int)sap_update(w->s);
            else if (is_silent)
                answer = sap_dump_pairs(w->s, NULL, NULL, NULL);
            else
                answer = sap_dump_pairs(w->s, see_created, see_deleted, &d);
            run.asking = NULL;
            HOLDS(sap_last_error(w->s) == (answer < 0 ? (sap_result)-answer : SAP_OK));
        } while (end_attempt(&a, answer == -SAP_ERROR_MEMORY));
        HOLDS(answer == (expected ? -(int)expected : is_dump ? pairs : 0));
        HOLDS(d.seen == (is_dump && !is_silent && !expected ? run.model.created.count + run.model.deleted.count : 0));
    }
    compare_all();
    if (expected == SAP_ERROR_LIMIT) do_remove_many(); /* make room, sooner or later */
}

/* ---- queries ------------------------------------------------------------------------------------------- */

typedef struct query {
    enum { BOX, POINT, SPHERE, RAY, CAST, KINDS } kind;
    sap_aabb box;
    float point[3], way[3], radius;
    uint32_t mask;
    int stop_after; /* so many hits; 0: never */
    float clip;     /* what the callback of a cast returns; NaN: stop */
    /* what was seen */
    subject *w;
    int acts, count, is_stopped;
    float end;
    unsigned char expected[MOST_SLOTS], seen[MOST_SLOTS]; /* by slot */
} query;

static int is_finite_vector(const float v[3]) {
    int k, yes = 1;
    for (k = 0; k < 3; k++) yes &= !(run.model.axes >> k & 1) || test_is_finite(v[k]);
    return yes;
}

static sap_result query_error(const query *q) {
    switch (q->kind) {
    case BOX: return model_box_is_good(&run.model, &q->box) ? SAP_OK : SAP_ERROR_BOX;
    case POINT: return is_finite_vector(q->point) ? SAP_OK : SAP_ERROR_ARGUMENT;
    case SPHERE:
        if (!is_finite_vector(q->point) || test_is_nan(q->radius)) return SAP_ERROR_ARGUMENT;
        return test_key(q->radius) < 0 ? SAP_ERROR_ARGUMENT : SAP_OK;
    case RAY: return is_finite_vector(q->point) && is_finite_vector(q->way) ? SAP_OK : SAP_ERROR_ARGUMENT;
    default:
        if (!model_box_is_good(&run.model, &q->box)) return SAP_ERROR_BOX;
        if (!is_finite_vector(q->box.min) || !is_finite_vector(q->box.max)) return SAP_ERROR_BOX;
        return is_finite_vector(q->way) ? SAP_OK : SAP_ERROR_ARGUMENT;
    }
}

static sap_aabb box_of_point(const float p[3]) {
    sap_aabb box;
    memcpy(box.min, p, sizeof box.min);
    memcpy(box.max, p, sizeof box.max);
    return box;
}

/* Is b within this distance of a box? *d: how far away it is. */
static int is_within(const model_box *b, const sap_aabb *box, float most, distance *d) {
    const distance limit = distance_of(most);
    *d = distance_between(run.model.axes, &b->box, box);
    return compare_distances(d, &limit) <= 0;
}

/* Does this box answer? *t: when, for a cast. */
static int is_hit(const query *q, const model_box *b, moment *t) {
    const sap_aabb point = box_of_point(q->point);
    distance d;
    int axis;
    *t = moment_of(0, 0, 1);
    if (!b->live || !(b->category & q->mask)) return 0;
    switch (q->kind) {
    case BOX: return model_overlap(run.model.axes, &b->box, &q->box);
    case POINT: return model_overlap(run.model.axes, &b->box, &point);
    case SPHERE: return is_within(b, &point, q->radius, &d);
    case RAY: return cast_meets(run.model.axes, &b->box, &point, q->way, t, &axis);
    default: return cast_meets(run.model.axes, &b->box, &q->box, q->way, t, &axis);
    }
}

static int count_hits(const query *q) {
    int slot, n = 0;
    moment t;
    for (slot = 1; slot < run.model.slot_count; slot++) n += is_hit(q, &run.model.slots[slot], &t);
    return n;
}

static int ask(const subject *w, query *q, sap_hit *hit, sap_ray_hit *ray_hit) {
    switch (q->kind) {
    case BOX: return sap_query_box(w->s, &q->box, q->mask, hit, q);
    case POINT: return sap_query_point(w->s, q->point, q->mask, hit, q);
    case SPHERE: return sap_query_sphere(w->s, q->point, q->radius, q->mask, hit, q);
    case RAY: return sap_ray_cast(w->s, q->point, q->way, q->mask, ray_hit, q);
    default: return sap_box_cast(w->s, &q->box, q->way, q->mask, ray_hit, q);
    }
}

static int compare_ids(const void *a, const void *b) {
    const sap_id x = *(const sap_id *)a, y = *(const sap_id *)b;
    return x < y ? -1 : x > y;
}

/* The same without a callback: all hits, sorted, as far as there is room. */
static void ask_for_ids(subject *w, const query *q) {
    static sap_id expected[MOST_SLOTS], ids[MOST_SLOTS];
    const int capacity = (int)(q->mask % 9 + (uint32_t)run.model.slot_count % 3);
    attempt a;
    moment t;
    int i, slot, n = 0, answer;
    if (q->kind != BOX && q->kind != SPHERE) return;
    for (slot = 1; slot < run.model.slot_count; slot++)
        if (is_hit(q, &run.model.slots[slot], &t)) expected[n++] = run.model.slots[slot].id;
    qsort(expected, (size_t)n, sizeof *expected, compare_ids);
    ids[capacity] = 0xdeadbeefu;
    begin_attempt(&a, w, 0);
    do {
        answer = q->kind == BOX ? sap_query_box_ids(w->s, &q->box, q->mask, ids, capacity)
                                : sap_query_sphere_ids(w->s, q->point, q->radius, q->mask, ids, capacity);
    } while (end_attempt(&a, answer == -SAP_ERROR_MEMORY));
    HOLDS(answer == n && ids[capacity] == 0xdeadbeefu);
    for (i = 0; i < n && i < capacity; i++) HOLDS(ids[i] == expected[i]);
    begin_attempt(&a, w, 0);
    answer = q->kind == BOX ? sap_query_box_ids(w->s, &q->box, q->mask, NULL, 0)
                            : sap_query_sphere_ids(w->s, q->point, q->radius, q->mask, NULL, 0);
    (void)end_attempt(&a, 0);
    HOLDS(answer == n);
}

/* A hit must be live now, and one of the expected, or have been changed by a callback of this query. */
static void visit(query *q, sap_id id, void *object) {
    const model_box *b = model_find(&run.model, id);
    uint32_t slot = id & 0xffffff;
    HOLDS(!q->is_stopped && b && b->object == object && slot < sizeof q->seen && !q->seen[slot]);
    HOLDS(q->expected[slot] || (run.touched[slot] && q->acts));
    q->seen[slot] = 1;
    q->count++;
    q->is_stopped = q->count == q->stop_after;
}

static int see_hit(sap_id id, void *object, void *user) {
    query *q = (query *)user;
    visit(q, id, object);
    if (q->acts) act(q->w);
    return !q->is_stopped;
}

static float see_ray_hit(sap_id id, void *object, float t, void *user) {
    query *q = (query *)user;
    moment expected;
    visit(q, id, object);
    HOLDS(t <= q->end);
    if (!run.touched[id & 0xffffff] || !q->acts) {
        HOLDS(is_hit(q, model_find(&run.model, id), &expected) && t == (float)expected.about);
    }
    if (q->acts) act(q->w);
    if (q->is_stopped) return 0;
    if (!(q->clip > 0)) q->is_stopped = 1;
    if (q->clip < q->end) q->end = q->clip;
    return q->clip;
}

static void take_query(query *q) {
    unsigned b = take();
    memset(q, 0, sizeof *q);
    q->kind = b % KINDS;
    q->mask = b & 0x80 ? 0xffffffffu : b >> 4 & 7;
    q->box = take_box();
    if (take_below(4)) {
        memcpy(q->point, q->box.min, sizeof q->point);
    } else
        take_vector(q->point);
    take_vector(q->way);
    q->radius = take_float();
}

/* The last world of the round is the one whose callbacks make calls. */
static void do_query(void) {
    query q;
    unsigned how = take();
    int i, slot, slots, first = take_below(WORLDS), hits;
    sap_result expected;
    moment t;
    take_query(&q);
    q.stop_after = how & 1 ? 1 + (int)(how >> 1 & 7) : 0;
    q.clip = how & 16 ? take_float() : 1;
    expected = query_error(&q);
    slots = run.model.slot_count;
    hits = expected ? 0 : count_hits(&q);
    for (slot = 1; slot < slots; slot++) q.expected[slot] = (unsigned char)is_hit(&q, &run.model.slots[slot], &t);
    memset(run.touched, 0, sizeof run.touched);
    for (i = 0; i < WORLDS; i++) {
        attempt a;
        int answer;
        q.w = &run.subjects[(first + i) % WORLDS];
        begin_attempt(&a, q.w, expected != SAP_OK);
        do {
            answer = ask(q.w, &q, NULL, NULL);
        } while (end_attempt(&a, answer == -SAP_ERROR_MEMORY));
        HOLDS(answer == (expected ? -(int)expected : hits));
        if (expected) continue;
        q.acts = i == WORLDS - 1 && (how & 32);
        q.count = q.is_stopped = 0;
        q.end = 1;
        memset(q.seen, 0, sizeof q.seen);
        begin_attempt(&a, q.w, 0);
        answer = ask(q.w, &q, see_hit, see_ray_hit); /* the tree is in step: no memory is needed */
        (void)end_attempt(&a, 0);
        HOLDS(answer == q.count);
        if (q.is_stopped) continue;
        for (slot = 1; slot < slots; slot++) {
            if (!q.expected[slot] || q.seen[slot] || (q.acts && run.touched[slot])) continue;
            const moment end = moment_of(q.end, 0, 1);
            (void)is_hit(&q, &run.model.slots[slot], &t);
            HOLDS(compare_moments(&t, &end) > 0);
        }
        if (!q.acts) ask_for_ids(q.w, &q);
    }
}

/* What a mover meets first, itself passed over. */
static void ask_for_meeting(const query *q, sap_id ignore) {
    moment best = moment_of(1, 0, 1), t;
    int slot, k, axis = 0, side = 0, best_axis = -1, best_side = 0;
    sap_id best_id = 0;
    subject *w;
    const int is_bad = query_error(q) != SAP_OK;
    for (slot = 1; slot < run.model.slot_count && !is_bad; slot++) {
        const model_box *b = &run.model.slots[slot];
        int order;
        if (!b->live || !(b->category & q->mask) || b->id == ignore) continue;
        if (!mover_meets(run.model.axes, &b->box, &q->box, q->way, &t, &axis, &side)) continue;
        order = compare_moments(&t, &best);
        if (order < 0 || (order == 0 && (!best_id || b->id < best_id)))
            best = t, best_id = b->id, best_axis = axis, best_side = side;
    }
    EACH(w) {
        attempt a;
        sap_id id;
        float told, normal[3] = {7, 7, 7};
        begin_attempt(&a, w, is_bad);
        do {
            told = 7;
            id = sap_box_closest(w->s, &q->box, q->way, q->mask, ignore, &told, normal);
        } while (end_attempt(&a, !is_bad && id == 0 && told < 0));
        HOLDS(id == best_id && told == (is_bad ? -1 : (float)best.about));
        for (k = 0; k < 3; k++) HOLDS(normal[k] == (k == best_axis ? (float)best_side : 0.0f));
    }
}

/* The lower id at a tie. */
static void do_closest(void) {
    query q;
    subject *w;
    sap_id best = 0;
    moment end = moment_of(1, 0, 1), when;
    float t;
    int slot;
    sap_result expected;
    take_query(&q);
    q.kind = RAY;
    expected = query_error(&q);
    for (slot = 1; slot < run.model.slot_count; slot++) {
        const model_box *b = &run.model.slots[slot];
        int order;
        if (expected || !is_hit(&q, b, &when)) continue;
        order = compare_moments(&when, &end);
        if (order > 0 || (best && order == 0 && b->id > best)) continue;
        best = b->id;
        end = when;
    }
    EACH(w) {
        attempt a;
        sap_id id;
        begin_attempt(&a, w, expected != SAP_OK);
        do {
            t = 7;
            id = sap_ray_closest(w->s, q.point, q.way, q.mask, &t);
        } while (end_attempt(&a, !expected && id == 0 && t < 0));
        HOLDS(id == best && t == (expected ? -1 : (float)end.about));
    }
    q.kind = CAST;
    ask_for_meeting(&q, best);
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

static void do_nearest(void) {
    static ranked near_by[MOST_SLOTS];
    enum { MOST_IDS = 12 };
    query q;
    subject *w;
    sap_aabb point;
    int slot, i, n = 0, capacity;
    sap_result expected;
    take_query(&q);
    q.kind = SPHERE;
    expected = query_error(&q);
    point = box_of_point(q.point);
    for (slot = 1; slot < run.model.slot_count && !expected; slot++) {
        const model_box *b = &run.model.slots[slot];
        if (!b->live || !(b->category & q.mask) || !is_within(b, &point, q.radius, &near_by[n].d)) continue;
        near_by[n++].id = b->id;
    }
    qsort(near_by, (size_t)n, sizeof *near_by, compare_ranked);
    capacity = (int)(q.mask % MOST_IDS);
    EACH(w) {
        attempt a;
        sap_id id, ids[MOST_IDS];
        float told, distances[MOST_IDS];
        int answer;
        begin_attempt(&a, w, expected != SAP_OK);
        do {
            told = 7;
            id = sap_nearest(w->s, q.point, q.radius, q.mask, &told);
        } while (end_attempt(&a, !expected && id == 0 && told < 0));
        HOLDS(id == (n ? near_by[0].id : 0));
        HOLDS(test_key(told) == test_key(expected ? -1 : n ? told_distance(&near_by[0].d) : q.radius));
        begin_attempt(&a, w, expected != SAP_OK);
        do answer = sap_nearest_ids(w->s, q.point, q.radius, q.mask, ids, distances, capacity);
        while (end_attempt(&a, answer == -SAP_ERROR_MEMORY));
        HOLDS(answer == (expected ? -(int)expected : capacity && n > capacity ? capacity : n));
        for (i = 0; i < n && i < capacity; i++)
            HOLDS(ids[i] == near_by[i].id && test_key(distances[i]) == test_key(told_distance(&near_by[i].d)));
    }
}

/* To a box, itself aside; and all that are near a point. */
static void do_nearest_to(void) {
    sap_id id = take_id(), best = 0;
    float most = take() & 1 ? TEST_INFINITY : (float)take_below(20), at[3] = {0, 0, 0};
    uint32_t mask = take() & 7;
    const model_box *of = model_find(&run.model, id);
    distance best_distance = distance_of(0), d;
    sap_aabb point;
    int slot, k, all = 0;
    subject *w;
    for (k = 0; k < 3; k++) at[k] = (float)take_below(9) - 4;
    point = box_of_point(at);
    for (slot = 1; slot < run.model.slot_count; slot++) {
        const model_box *b = &run.model.slots[slot];
        int order;
        if (!b->live || !(b->category & mask)) continue;
        all += is_within(b, &point, most, &d);
        if (!of || b == of || !is_within(b, &of->box, most, &d)) continue;
        order = compare_distances(&d, &best_distance);
        if (!best || order < 0 || (order == 0 && b->id < best)) best = b->id, best_distance = d;
    }
    EACH(w) {
        attempt a;
        float told;
        sap_id got;
        int n;
        begin_attempt(&a, w, 0);
        do got = sap_nearest_to(w->s, id, most, mask, &told);
        while (end_attempt(&a, got == 0 && of && test_key(told) == test_key(-1)));
        HOLDS(got == best);
        HOLDS(test_key(told) == test_key(!of ? -1 : best ? told_distance(&best_distance) : most));
        begin_attempt(&a, w, 0);
        do n = sap_query_nearest(w->s, at, most, mask, NULL, NULL);
        while (end_attempt(&a, n == -SAP_ERROR_MEMORY));
        HOLDS(n == all);
    }
}

/* ---- from inside a callback ------------------------------------------------------------------------------ */

static void act(subject *w) {
    unsigned b = take();
    query q;
    if (b < 128 || run.nesting >= MOST_NESTING) return;
    run.nesting++;
    switch (b % 11) {
    case 8: do_set_static(); break;
    case 9: do_set_filter_many(); break;
    case 0: do_add(); break;
    case 1: do_move(); break;
    case 2: do_remove(); break;
    case 3: do_set_filter(); break;
    case 4: do_refilter(); break;
    case 5: do_set_pair_data(); break;
    case 6: do_move_many(); break;
    case 7: must_be_busy(w); break;
    default: /* a query within: it sees all that has been recorded */
        take_query(&q);
        if (query_error(&q) == SAP_OK) {
            attempt a;
            int answer;
            begin_attempt(&a, w, 0);
            do {
                answer = ask(w, &q, NULL, NULL);
            } while (end_attempt(&a, answer == -SAP_ERROR_MEMORY));
            HOLDS(answer == count_hits(&q));
            ask_for_ids(w, &q);
        }
    }
    run.nesting--;
}

/* ---- snapshots --------------------------------------------------------------------------------------------- */

static void *copy_of(const void *items, size_t size) {
    void *copy = malloc(size + 1);
    if (!copy) exit(2);
    if (size) memcpy(copy, items, size);
    return copy;
}

static void copy_model(model *to, const model *from) {
    *to = *from;
    to->slots = (model_box *)copy_of(from->slots, (size_t)from->slot_capacity * sizeof *from->slots);
    to->unused.items = (sap_id *)copy_of(from->unused.items, (size_t)from->unused.capacity * sizeof(sap_id));
    to->gone.items = (sap_id *)copy_of(from->gone.items, (size_t)from->gone.capacity * sizeof(sap_id));
    to->order.items = (sap_id *)copy_of(from->order.items, (size_t)from->order.capacity * sizeof(sap_id));
    to->pairs.items = (sap_pair *)copy_of(from->pairs.items, (size_t)from->pairs.capacity * sizeof(sap_pair));
    memset(&to->created, 0, sizeof to->created);
    memset(&to->deleted, 0, sizeof to->deleted);
}

static shot shot_of(const subject *w) {
    shot taken;
    taken.size = sap_snapshot_size(w->s);
    taken.bytes = (unsigned char *)malloc(taken.size);
    if (!taken.bytes) exit(2);
    HOLDS(sap_save(w->s, taken.bytes, taken.size - 1) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_save(w->s, taken.bytes, taken.size) == SAP_OK);
    return taken;
}

static void forget_saved(void) {
    int i;
    if (!run.has_saved) return;
    for (i = 0; i < WORLDS; i++) free(run.saved[i].bytes);
    model_free(&run.saved_model);
    run.has_saved = 0;
}

static void do_save(void) {
    int i;
    forget_saved();
    for (i = 0; i < WORLDS; i++) {
        run.saved[i] = shot_of(&run.subjects[i]);
        HOLDS(run.saved[i].size == run.saved[0].size);
        HOLDS(memcmp(run.saved[i].bytes, run.saved[0].bytes, run.saved[0].size) == 0);
    }
    copy_model(&run.saved_model, &run.model);
    run.has_saved = 1;
}

/* Each world gets the snapshot of another, with rubbish behind it. */
static void do_restore(void) {
    const shot *from = &run.saved[take_below(WORLDS)];
    unsigned char *bytes;
    subject *target;
    size_t size = from->size + (size_t)take_below(3);
    if (!run.has_saved) return;
    EACH(target) check_reserved(target, &run.saved_model);
    bytes = (unsigned char *)malloc(size);
    if (!bytes) exit(2);
    memset(bytes, 0xa5, size);
    memcpy(bytes, from->bytes, from->size);
    ALL(sap_restore(w->s, bytes, size), SAP_OK);
    free(bytes);
    model_free(&run.model);
    copy_model(&run.model, &run.saved_model);
    compare_all();
    use_filter(run.config.filter); /* a snapshot holds none */
}

/* ---- worlds ------------------------------------------------------------------------------------------------ */

/* Jobs in other orders than their own: backwards, from anywhere. */
static void shuffled_jobs(sap_job *job, void *data, int count, void *user) {
    static unsigned turn;
    int i, first = (int)(turn++ % (unsigned)count);
    HOLDS(user == &run && !in_jobs);
    in_jobs = 1;
    for (i = count - 1; i >= 0; i--) job(data, (i + first) % count);
    in_jobs = 0;
}

/* A grid may contradict itself. */
static int is_good_grid(const sap_grid *c, int axes) {
    int k, given = 0;
    if (c->entries < 0) return 0;
    for (k = 0; k < 3; k++)
        given |= (axes >> k & 1) && (test_key(c->bounds.min[k]) != 0 || test_key(c->bounds.max[k]) != 0);
    for (k = 0; k < 3; k++) {
        const float lo = c->bounds.min[k], hi = c->bounds.max[k], size = c->cell_size[k];
        if (!(axes >> k & 1)) continue;
        if (c->cells[k] < 0 || test_is_nan(size) || test_key(size) < 0) return 0;
        if (test_is_nan(lo) || test_is_nan(hi) || test_key(lo) > test_key(hi)) return 0;
        if (given && c->cells[k] > 1 && (!test_is_finite(lo) || !test_is_finite(hi) || test_key(lo) == test_key(hi)))
            return 0;
    }
    return 1;
}

/* Chosen, fixed or hashed; some with hostile numbers, which must be refused if they make no sense. */
static void take_grid(sap_grid *c) {
    unsigned b = take();
    sap_world *refuses;
    int k;
    memset(c, 0, sizeof *c);
    run.has_threads = b >> 2 & 1;
    if (b & 8) {
        c->hashed = b >> 4 & 1;
        c->entries = take() & 31;
        for (k = 0; k < 3; k++) c->cells[k] = take() & 7;
        for (k = 0; k < 3; k++) c->cell_size[k] = (float)(take() & 31) * 0.25f;
        if (take() & 1) c->bounds = take_box();
    }
    if ((b & 0xc0) == 0xc0) { /* anything */
        take_vector(c->cell_size);
        c->entries = (int)(take_32() >> (take() & 31));
        for (k = 0; k < 3; k++) c->cells[k] = (int)(take_32() >> (take() & 31));
    }
    if (is_good_grid(c, run.model.axes)) return;
    refuses = sap_create(&run.config);
    HOLDS(sap_set_grid(refuses, c) == SAP_ERROR_ARGUMENT && sap_last_error_argument(refuses, NULL));
    sap_destroy(refuses);
    memset(&c->bounds, 0, sizeof c->bounds);
    memset(c->cells, 0, sizeof c->cells);
    memset(c->cell_size, 0, sizeof c->cell_size);
    c->entries = 0;
}

static void make_subject(subject *w, int has_grid) {
    memset(w, 0, sizeof *w);
    w->has_grid = has_grid;
    w->reserved_boxes = w->reserved_pairs = -1;
    w->s = sap_create(&run.config);
    HOLDS(w->s != NULL);
    if (has_grid) HOLDS(sap_set_grid(w->s, &run.grid) == SAP_OK);
    if (has_grid && run.has_threads) HOLDS(sap_set_parallel(w->s, shuffled_jobs, &run) == SAP_OK);
    force_threads(w->s, 1);
}

/* ---- hostile snapshots ------------------------------------------------------------------------------------ */

enum { MOST_WORDS = 1 << 15 };
typedef struct forgery {
    unsigned char bytes[4 * MOST_WORDS];
    size_t size; /* in bytes */
} forgery;
static forgery forged; /* too large for a stack */

/* The format, in words of 32 bits: see test_snapshot.c. */
enum {
    MAGIC = 0x53504153,
    FORMAT = 3,
    HEADER_WORDS = 12,
    SLOT_WORDS = 17,
    PAIR_WORDS = 4,
    SLOT_RECORDED = 4,
    SLOT_FRESH = 32
};

static uint32_t f_get(size_t word) {
    const unsigned char *p = forged.bytes + 4 * word;
    if (word >= forged.size / 4) return 0;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void f_put(size_t word, uint32_t value) {
    int i;
    if (word >= forged.size / 4) return;
    for (i = 0; i < 4; i++) forged.bytes[4 * word + (size_t)i] = (unsigned char)(value >> 8 * i);
}

static void f_insert(size_t word, size_t words) {
    if (4 * word > forged.size || forged.size + 4 * words > sizeof forged.bytes) return;
    memmove(forged.bytes + 4 * (word + words), forged.bytes + 4 * word, forged.size - 4 * word);
    memset(forged.bytes + 4 * word, 0, 4 * words);
    forged.size += 4 * words;
}

static void f_erase(size_t word, size_t words) {
    if (4 * (word + words) > forged.size) return;
    memmove(forged.bytes + 4 * word, forged.bytes + 4 * (word + words), forged.size - 4 * (word + words));
    forged.size -= 4 * words;
}

static uint64_t f_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Makes the check right, so that the lies themselves have to be found. */
static void f_sign(void) {
    uint64_t words = HEADER_WORDS + SLOT_WORDS * (uint64_t)f_get(4) + f_get(5) + f_get(6) + f_get(7) +
                     PAIR_WORDS * (uint64_t)f_get(8);
    uint64_t check[4] = {4 * words, 1, 2, 3}, i;
    if (forged.size < 4 * HEADER_WORDS || words > forged.size / 4) return;
    for (i = 0; i < words / 2; i++)
        if (i != 5)
            check[i % 4] = f_mix(check[i % 4], f_get((size_t)(2 * i)) | (uint64_t)f_get((size_t)(2 * i + 1)) << 32);
    if (words % 2) check[0] = f_mix(check[0], f_get((size_t)(words - 1)));
    check[0] = f_mix(f_mix(f_mix(check[0], check[1]), check[2]), check[3]);
    f_put(10, (uint32_t)check[0]);
    f_put(11, (uint32_t)(check[0] >> 32));
}

/* Where lies are worth telling: in the header, a slot, a queue, a pair. */
static size_t take_word(void) {
    size_t words = forged.size / 4, slots = HEADER_WORDS, queues, pairs, at = take() << 8;
    unsigned where;
    at |= take();
    where = take() & 3;
    if (!words) return 0;
    queues = slots + SLOT_WORDS * (size_t)f_get(4);
    pairs = queues + (size_t)f_get(5) + f_get(6) + f_get(7);
    if (where == 0) return at % HEADER_WORDS;
    if (where == 1 && queues > slots && queues <= words) return slots + at % (queues - slots);
    if (where == 2 && pairs > queues && pairs <= words) return queues + at % (pairs - queues);
    if (where == 3 && words > pairs) return pairs + at % (words - pairs);
    return at % words;
}

static void forge(void) {
    static const uint32_t special[] = {0,           1,           2,           0xffffffffu, 0x7f800000u, 0x80800000u,
                                       0x7fffffffu, 0x80000000u, 0x00ffffffu, 0x01000000u, 0x80000001u, 0x7f800001u};
    size_t word = take_word(), k;
    unsigned b = take();
    switch (b % 10) {
    case 0: f_put(word, f_get(word) ^ 1u << take_below(32)); break;
    case 1: f_put(word, special[take_below(12)]); break;
    case 2: f_put(word, take_32()); break;
    case 3: f_put(word, f_get(take_word())); break;
    case 4: f_put(word, f_get(word) + 1); break;
    case 5: f_put(word, f_get(word) - 1); break;
    case 6: /* one slot, queue entry or pair more, or less, than the header says; or just as many */
        k = 4 + (size_t)take_below(5);
        f_put(k, f_get(k) + (b & 16 ? 1u : ~0u));
        k = k == 4 ? SLOT_WORDS : k == 8 ? PAIR_WORDS : 1;
        if (b & 16)
            f_insert(word, k);
        else
            f_erase(word, k);
        break;
    case 7: { /* two slots, or two pairs, change places */
        size_t other = take_word(), n = b & 16 ? SLOT_WORDS : PAIR_WORDS;
        for (k = 0; k < n && 4 * (word + k + 1) <= forged.size && 4 * (other + k + 1) <= forged.size; k++) {
            uint32_t value = f_get(word + k);
            f_put(word + k, f_get(other + k));
            f_put(other + k, value);
        }
        break;
    }
    case 8: /* recorded, though nothing happened to it: a state that a world may be in */
        if (f_get(4) == 0) break;
        k = HEADER_WORDS + SLOT_WORDS * (word % f_get(4));
        if (4 * k + 4 > forged.size || (f_get(k) & SLOT_RECORDED)) break;
        f_put(k, f_get(k) | SLOT_RECORDED | (b & 16 ? SLOT_FRESH : 0u));
        f_insert(HEADER_WORDS + SLOT_WORDS * (size_t)f_get(4) + f_get(5) + f_get(6) + f_get(7), 1);
        f_put(HEADER_WORDS + SLOT_WORDS * (size_t)f_get(4) + f_get(5) + f_get(6) + f_get(7),
              (uint32_t)((k - HEADER_WORDS) / SLOT_WORDS));
        f_put(7, f_get(7) + 1);
        break;
    default: forged.size = b & 16 ? forged.size * (b >> 5) / 8 : forged.size; break;
    }
}

static const sap_pair *one_array(const subject *w, int which, int *count) {
    return which == 0 ? sap_pairs(w->s, count) : which == 1 ? sap_created(w->s, count) : sap_deleted(w->s, count);
}

/* A strange but possible world: on two paths it must go on in the same way. */
static void play_forged(subject subjects[2]) {
    int round, w, slot, which, n[2];
    for (round = 0; round < 4; round++) {
        unsigned how = take();
        test_rng rng;
        rng.state = how;
        sap_id id, next;
        for (id = sap_next(subjects[0].s, 0); id; id = next) {
            sap_aabb box;
            slot = (int)SAP_SLOT(id) - 1;
            next = sap_next(subjects[0].s, id);
            HOLDS(sap_next(subjects[1].s, id) == next && SAP_SLOT(next) != SAP_SLOT(id));
            HOLDS(sap_get_box(subjects[0].s, id, &box) == SAP_OK && model_box_is_good(&run.model, &box));
            if (how & 1) scene_nudge(&rng, SCENE_LATTICE, 0.3f, &box);
            for (w = 0; w < 2 && round; w++)
                HOLDS((how & 2) && slot % 3 == 0   ? sap_remove(subjects[w].s, id) == SAP_OK
                      : (how & 8) && slot % 3 == 2 ? sap_set_static(subjects[w].s, id, slot & 1) == SAP_OK
                      : (how & 4) && slot % 3 == 1 ? sap_refilter(subjects[w].s, id) == SAP_OK
                                                   : sap_move(subjects[w].s, id, &box) == SAP_OK);
        }
        HOLDS(sap_update(subjects[0].s) == sap_update(subjects[1].s));
        HOLDS(sap_last_error(subjects[0].s) == sap_last_error(subjects[1].s));
        for (w = 0; w < 2; w++) HOLDS(sap_validate(subjects[w].s) == NULL);
        for (which = 0; which < 3; which++) {
            const sap_pair *a = one_array(&subjects[0], which, &n[0]), *b = one_array(&subjects[1], which, &n[1]);
            HOLDS(n[0] == n[1] && (n[0] == 0 || memcmp(a, b, (size_t)n[0] * sizeof *a) == 0));
        }
    }
}

/* The forged bytes, in a block of their exact size, so that reading beyond is seen. */
static void offer_forged(void) {
    subject subjects[2];
    sap_result answers[2];
    unsigned char *bytes = (unsigned char *)copy_of(forged.bytes, forged.size);
    int w, method = take_below(4);
    bytes = (unsigned char *)realloc(bytes, forged.size ? forged.size : 1);
    if (!bytes) exit(2);
    for (w = 0; w < 2; w++) {
        make_subject(&subjects[w], method == 3 && w == 1);
        force_method(subjects[w].s, SAP_METHOD_SORT + (method + w) % 3);
        answers[w] = sap_restore(subjects[w].s, bytes, forged.size);
    }
    HOLDS(answers[0] == answers[1]);
    if (answers[0] == SAP_OK) {
        for (w = 0; w < 2; w++) HOLDS(sap_validate(subjects[w].s) == NULL);
        play_forged(subjects);
    } else { /* refused: then a world in use is left as it is */
        subject *in_use = &run.subjects[take_below(WORLDS)];
        image before = image_of(in_use);
        HOLDS(answers[0] == SAP_ERROR_SNAPSHOT || answers[0] == SAP_ERROR_ARGUMENT || answers[0] == SAP_ERROR_LIMIT ||
              answers[0] == SAP_ERROR_MEMORY);
        HOLDS(sap_restore(in_use->s, bytes, forged.size) == answers[0]);
        HOLDS(sap_last_error(in_use->s) == answers[0]);
        must_be_as(&before, in_use);
        free(before.bytes);
        if (forged.size / 4 > HEADER_WORDS) in_use->reserved_boxes = -1; /* it may have grown before it knew */
    }
    for (w = 0; w < 2; w++) sap_destroy(subjects[w].s);
    free(bytes);
}

static void do_forgery(void) {
    shot real = shot_of(&run.subjects[0]);
    int lies = take_below(6), is_signed = take_below(8) != 0;
    if (real.size <= sizeof forged.bytes) {
        memcpy(forged.bytes, real.bytes, real.size);
        forged.size = real.size;
        for (; lies > 0; lies--) forge();
        if (is_signed) f_sign();
        offer_forged();
    }
    free(real.bytes);
}

/* A snapshot made of nothing but the bytes. */
static void do_raw_snapshot(void) {
    size_t words = take(), word;
    unsigned how = take();
    memset(forged.bytes, 0, sizeof forged.bytes);
    forged.size = 4 * words;
    for (word = 0; word < words; word++) f_put(word, how & 8 ? take() : take_32());
    if (how & 1) f_put(0, MAGIC);
    if (how & 1) f_put(1, FORMAT);
    if (how & 1) f_put(2, 0);
    if (how & 1) f_put(9, 0);
    if (how & 2) f_put(3, (uint32_t)run.model.axes);
    if (how & 4) f_sign();
    forged.size -= forged.size ? how >> 6 : 0;
    offer_forged();
}

/* ---- box pruning ----------------------------------------------------------------------------------------- */

enum { MOST_PRUNED = 80 };
typedef struct pruning {
    int na, nb, is_bipartite, count, stop_after;
    unsigned char seen[MOST_PRUNED][MOST_PRUNED];
} pruning;

static int see_pruned(int i, int j, void *user) {
    pruning *p = (pruning *)user;
    HOLDS(i >= 0 && j >= 0 && i < p->na && j < p->nb && (p->is_bipartite || i < j));
    HOLDS(!p->seen[i][j]++ && (p->stop_after == 0 || p->count < p->stop_after));
    p->count++;
    return p->count != p->stop_after;
}

static void do_prune(void) {
    static pruning p; /* too large for some stacks */
    sap_aabb boxes[2][MOST_PRUNED];
    int set, i, j, n[2], axes = take_below(10) - 1, used, expected = 0;
    long long answer, bad = 0;
    unsigned how = take();
    memset(&p, 0, sizeof p);
    p.is_bipartite = (how & 1) != 0;
    p.stop_after = how & 2 ? 1 + take_below(20) : 0;
    used = axes == 0 ? 7 : axes;
    for (set = 0; set < 2; set++) {
        scene kind = (scene)take_below(SCENE_COUNT);
        test_rng rng = take_rng();
        n[set] = take_below(MOST_PRUNED + 1);
        for (i = 0; i < n[set]; i++) scene_box(&rng, kind, &boxes[set][i]);
        if (n[set] && (how & 12) == 12) boxes[set][0] = take_box();
    }
    p.na = n[0];
    p.nb = p.is_bipartite ? n[1] : n[0];
    if (axes < 0 || axes > 7) bad = -SAP_ERROR_ARGUMENT;
    for (set = 0; set < 1 + p.is_bipartite && !bad; set++)
        for (i = 0; i < n[set]; i++) {
            model m;
            m.axes = used;
            if (!model_box_is_good(&m, &boxes[set][i])) bad = -SAP_ERROR_BOX;
        }
    allocations = 0;
    fail_from = run.armed;
    fail_count = run.armed_count;
    for (;;) {
        answer = p.is_bipartite ? sap_box_prune_bipartite(boxes[0], p.na, boxes[1], p.nb, axes, see_pruned, &p)
                                : sap_box_prune(boxes[0], p.na, axes, see_pruned, &p);
        if (answer != -SAP_ERROR_MEMORY) break;
        HOLDS(fail_from >= 0 && allocations > fail_from && p.count == 0);
        fail_from = -1;
    }
    fail_from = -1;
    HOLDS(answer == (bad ? bad : p.count));
    for (i = 0; i < p.na && !bad; i++)
        for (j = p.is_bipartite ? 0 : i + 1; j < p.nb; j++) {
            int yes = model_overlap(used, &boxes[0][i], &boxes[p.is_bipartite][j]);
            expected += yes;
            HOLDS(p.seen[i][j] <= yes);
        }
    HOLDS(p.count == expected || (p.stop_after && p.count == p.stop_after && expected > p.count));
    HOLDS((p.is_bipartite ? sap_box_prune_bipartite(boxes[0], p.na, boxes[1], p.nb, axes, NULL, NULL)
                          : sap_box_prune(boxes[0], p.na, axes, NULL, NULL)) == (bad ? bad : expected));
}

/* ---- arguments that no program should give ------------------------------------------------------------------ */

static void wrong_arguments(subject *w) {
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    float v[3] = {0, 0, 0}, t;
    sap_id ids[2] = {1, 1};
    int count = 7;
    const int bad = -SAP_ERROR_ARGUMENT;
    HOLDS(sap_add(w->s, NULL, NULL) == 0 && sap_last_error(w->s) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_add_static(w->s, NULL, NULL) == 0 && sap_move(w->s, 1, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_add_many(w->s, 1, NULL, NULL, ids) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_add_many(w->s, 1, &box, NULL, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_add_static_many(w->s, -1, &box, NULL, ids) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_move_many(w->s, 1, NULL, &box) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_move_many(w->s, 1, ids, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_move_many(w->s, -1, ids, &box) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_remove_many(w->s, 1, NULL) == SAP_ERROR_ARGUMENT && sap_remove_many(w->s, -1, ids) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_shift_origin(w->s, NULL) == SAP_ERROR_ARGUMENT && sap_restore(w->s, NULL, 100) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_save(w->s, NULL, 1u << 20) == SAP_ERROR_ARGUMENT && sap_save(w->s, &box, 0) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_reserve(w->s, -1, 0) == SAP_ERROR_ARGUMENT && sap_reserve(w->s, 0, -1) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_pairs_of(w->s, 1, ids, -1) == bad && sap_pairs_of(w->s, 1, NULL, 1) == bad);
    HOLDS(sap_get_box(w->s, 1, NULL) == SAP_ERROR_ARGUMENT && sap_query_box(w->s, NULL, 1, NULL, NULL) == bad);
    HOLDS(sap_query_point(w->s, NULL, 1, NULL, NULL) == bad && sap_query_sphere(w->s, NULL, 1, 1, NULL, NULL) == bad);
    HOLDS(sap_ray_cast(w->s, NULL, v, 1, NULL, NULL) == bad && sap_ray_cast(w->s, v, NULL, 1, NULL, NULL) == bad);
    HOLDS(sap_box_cast(w->s, NULL, v, 1, NULL, NULL) == bad && sap_box_cast(w->s, &box, NULL, 1, NULL, NULL) == bad);
    HOLDS(sap_ray_closest(w->s, NULL, v, 1, &t) == 0 && t == -1 && sap_ray_closest(w->s, v, NULL, 1, NULL) == 0);
    HOLDS(sap_nearest(w->s, NULL, 1, 1, &t) == 0 && t == -1);
    HOLDS(sap_set_filter_many(w->s, 1, NULL, 1, 1) == SAP_ERROR_ARGUMENT &&
          sap_query_nearest(w->s, NULL, 1, 1, NULL, NULL) == bad);
    HOLDS(sap_query_box_ids(w->s, NULL, 1, ids, 2) == bad && sap_query_box_ids(w->s, &box, 1, NULL, 1) == bad);
    HOLDS(sap_query_sphere_ids(w->s, NULL, 1, 1, ids, 2) == bad && sap_query_sphere_ids(w->s, v, 1, 1, ids, -1) == bad);
    HOLDS(sap_nearest_ids(w->s, NULL, 1, 1, ids, &t, 1) == bad && sap_nearest_ids(w->s, v, 1, 1, NULL, &t, 1) == bad);
    HOLDS(sap_box_closest(w->s, NULL, v, 1, 0, &t, NULL) == 0 && t == -1 &&
          sap_box_closest(w->s, &box, NULL, 1, 0, NULL, v) == 0);
    sap_get_stats(w->s, NULL);
    if (w->s) return;
    HOLDS(sap_set_grid(w->s, NULL) == SAP_ERROR_ARGUMENT && sap_set_parallel(w->s, NULL, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_clear(w->s) == SAP_ERROR_ARGUMENT && sap_next(w->s, 0) == 0 && sap_is_static(w->s, 1) == 0);
    HOLDS(sap_set_static(w->s, 1, 1) == SAP_ERROR_ARGUMENT && sap_set_object(w->s, 1, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_get_filter(w->s, 1, NULL, NULL) == SAP_ERROR_ARGUMENT &&
          sap_set_pair_filter(w->s, NULL, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_set_pair_data_at(w->s, 0, NULL) == SAP_ERROR_ARGUMENT && sap_nearest_to(w->s, 1, 1, 1, NULL) == 0);
    HOLDS(sap_add(w->s, &box, NULL) == 0 && sap_add_many(w->s, 1, &box, NULL, ids) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_move(w->s, 1, &box) == SAP_ERROR_ARGUMENT && sap_remove(w->s, 1) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_set_filter(w->s, 1, 1, 1) == SAP_ERROR_ARGUMENT && sap_refilter(w->s, 1) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_shift_origin(w->s, v) == SAP_ERROR_ARGUMENT && sap_last_error(w->s) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_update(w->s) == SAP_ERROR_ARGUMENT && sap_dump_pairs(w->s, NULL, NULL, NULL) == bad);
    HOLDS(sap_created(w->s, &count) == NULL && count == 0 && sap_deleted(w->s, NULL) == NULL &&
          sap_pairs(w->s, NULL) == NULL);
    HOLDS(sap_find_pair(w->s, 1, 2) == NULL && sap_set_pair_data(w->s, 1, 2, NULL) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_pairs_of(w->s, 1, ids, 2) == bad && sap_count(w->s) == 0 && !sap_is_valid(w->s, 1) &&
          !sap_get_object(w->s, 1));
    HOLDS(sap_get_box(w->s, 1, &box) == SAP_ERROR_ARGUMENT && sap_prepare_queries(w->s) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_query_box(w->s, &box, 1, NULL, NULL) == bad && sap_query_point(w->s, v, 1, NULL, NULL) == bad);
    HOLDS(sap_query_sphere(w->s, v, 1, 1, NULL, NULL) == bad && sap_ray_cast(w->s, v, v, 1, NULL, NULL) == bad);
    HOLDS(sap_box_cast(w->s, &box, v, 1, NULL, NULL) == bad && sap_ray_closest(w->s, v, v, 1, NULL) == 0);
    HOLDS(sap_query_box_ids(w->s, &box, 1, ids, 2) == bad && sap_query_sphere_ids(w->s, v, 1, 1, ids, 2) == bad);
    HOLDS(sap_nearest_ids(w->s, v, 1, 1, ids, NULL, 2) == bad && sap_box_closest(w->s, &box, v, 1, 0, NULL, NULL) == 0);
    HOLDS(sap_nearest(w->s, v, 1, 1, NULL) == 0 && sap_snapshot_size(w->s) == 0 &&
          sap_reserve(w->s, 1, 1) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_save(w->s, &box, 24) == SAP_ERROR_ARGUMENT && sap_restore(w->s, &box, 24) == SAP_ERROR_ARGUMENT);
    HOLDS(sap_validate(w->s) == NULL);
    sap_destroy(w->s);
    HOLDS(sap_box_prune(NULL, 1, 0, NULL, NULL) == bad && sap_box_prune(&box, -1, 0, NULL, NULL) == bad);
    HOLDS(sap_box_prune_bipartite(NULL, 1, &box, 1, 0, NULL, NULL) == bad);
    HOLDS(sap_box_prune_bipartite(&box, 1, NULL, 1, 0, NULL, NULL) == bad);
    HOLDS(sap_box_prune_bipartite(&box, 1, &box, -1, 0, NULL, NULL) == bad);
}

static void do_wrong_arguments(void) {
    subject nobody = {0}, *w;
    wrong_arguments(&nobody);
    EACH(w) {
        image before = image_of(w);
        wrong_arguments(w);
        must_be_as(&before, w);
        free(before.bytes);
    }
    HOLDS(sap_result_text((sap_result)(take() - 8))[0] != 0);
}

/* ---- the rest ---------------------------------------------------------------------------------------------- */

/* Large reservations fail, for the limit or for memory; what they made of it is no promise. */
static void do_reserve(void) {
    static const int numbers[] = {0, 1, 16, 64, 500, 2000, 10000, 0xffffff, 0x1000000, 0x7fffffff};
    int boxes = numbers[take_below(10)], pairs = numbers[take_below(10)];
    subject *w;
    EACH(w) {
        image before = image_of(w);
        sap_result r;
        allocations = 0;
        fail_from = run.armed;
        fail_count = run.armed_count;
        r = sap_reserve(w->s, boxes, pairs);
        fail_from = -1;
        HOLDS(r == sap_last_error(w->s));
        HOLDS(boxes > 0xffffff ? r == SAP_ERROR_LIMIT : r == SAP_OK || r == SAP_ERROR_MEMORY);
        must_be_as(&before, w);
        free(before.bytes);
        if (r == SAP_OK && boxes + (long long)pairs == 0) w->reserved_boxes = w->reserved_pairs = -1;
        if (r == SAP_OK && !w->has_grid && boxes > w->reserved_boxes && pairs > w->reserved_pairs &&
            boxes >= run.model.live + run.model.gone.count && pairs >= run.model.pairs.count) {
            w->reserved_boxes = boxes;
            w->reserved_pairs = pairs;
        }
    }
}

static void do_look(void) {
    subject *w;
    sap_id a = take_id(), b = take_id();
    int capacity = take_below(8);
    EACH(w) {
        const sap_pair *p = sap_find_pair(w->s, a, b), *there = model_find_pair(&run.model, a, b);
        HOLDS(!p == !there && (!p || memcmp(p, there, sizeof *p) == 0));
        compare_pairs_of(w, a, capacity);
        compare_pairs_of(w, b, MOST_BOXES);
        compare_boxes(w);
        HOLDS(sap_validate(w->s) == NULL);
    }
}

static void do_change_way(void) {
    subject *w = &run.subjects[take_below(WORLDS)];
    unsigned b;
    force_method(w->s, take_below(SAP_METHOD_QUERY + 1)); /* it may need arrays that the config's did not */
    w->reserved_boxes = w->reserved_pairs = -1;
    b = take();
    (void)force_kernel(w->s, (int)b % KERNELS); /* if there is such a kernel */
    if (!w->has_grid) return;
    if (b & 64) HOLDS(sap_set_grid(w->s, b & 32 ? &run.grid : NULL) == SAP_OK);
    if (b & 128) HOLDS(sap_set_parallel(w->s, b & 16 ? shuffled_jobs : NULL, &run) == SAP_OK);
}

static void do_one(void) {
    int is_armed = run.armed >= 0;
    switch (take() % 32) {
    case 0:
    case 1: do_add(); break;
    case 2:
    case 3: do_add_many(); break;
    case 4:
    case 5: do_move(); break;
    case 6:
    case 7: do_move_many(); break;
    case 8: do_remove(); break;
    case 9: do_remove_many(); break;
    case 10: do_set_filter(); break;
    case 11: do_refilter(); break;
    case 12: do_set_pair_data(); break;
    case 13: do_shift_origin(); break;
    case 14:
    case 15:
    case 16: do_update(0); break;
    case 17:
    case 18: do_update(1); break;
    case 19:
    case 20:
    case 21: do_query(); break;
    case 22: do_closest(); break;
    case 23: do_nearest(); break;
    case 24: ALL(sap_prepare_queries(w->s), SAP_OK); break;
    case 25: do_reserve(); break;
    case 26: do_save(); break;
    case 27: do_restore(); break;
    case 28: take_below(4) ? do_forgery() : do_raw_snapshot(); break;
    case 29: do_prune(); break;
    case 30: { /* of the next call, one allocation fails, or all from there on */
        unsigned b = take();
        run.armed = b >> 1;
        run.armed_count = b & 1 ? 1L << 30 : 1;
        return;
    }
    default:
        switch (take_below(10)) {
        case 3: do_set_static(); break;
        case 4: do_set_filter_many(); break;
        case 5: do_set_object(); break;
        case 6: do_set_pair_data_at(); break;
        case 7: use_filter(take() & 1 ? some_pairs : NULL); break;
        case 8: do_nearest_to(); break;
        case 9:
            if (take() < 64) do_clear();
            break;
        case 0: do_look(); break;
        case 1: do_change_way(); break;
        default: do_wrong_arguments();
        }
    }
    if (is_armed) run.armed = -1;
}

/* A configuration that contradicts itself makes no world. */
static int take_config(sap_config *config) {
    static const int sizes[] = {6, 10, 16, 24, 40, 40, 100, MOST_BOXES}; /* small worlds are fast, and tell most */
    unsigned b = take();
    memset(config, 0, sizeof *config);
    config->axes = (int)(b & 15) - 1;
    if (config->axes > 8) config->axes = 7;
    if (b & 16) config->filter = some_pairs;
    if (b & 32) config->max_boxes = (int)take() - 4;
    if (b & 64) config->max_pairs = (int)take() - 4;
    run.most_boxes = sizes[take_below(8)];
    return config->axes >= 0 && config->axes <= 7 && config->max_boxes >= 0 && config->max_pairs >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int w;
    memset(&run, 0, sizeof run);
    run.data = data;
    run.size = size;
    run.armed = -1;
    if (!take_config(&run.config)) {
        HOLDS(sap_create(&run.config) == NULL && live_blocks == 0);
        return 0;
    }
    model_init(&run.model, &run.config);
    take_grid(&run.grid);
    for (w = 0; w < WORLDS; w++) make_subject(&run.subjects[w], w == WORLDS - 1);
    force_method(run.subjects[0].s, take_below(SAP_METHOD_QUERY + 1));
    (void)force_kernel(run.subjects[1].s, 0);
    while (run.at < run.size) do_one();
    run.armed = -1;
    do_update(0);
    forget_saved();
    for (w = 0; w < WORLDS; w++) sap_destroy(run.subjects[w].s);
    model_free(&run.model);
    HOLDS(live_blocks == 0 && live_bytes == 0 && faults == 0);
    return 0;
}

#ifdef FUZZ_REPLAY
int main(int argc, char **argv) {
    int i;
    for (i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        unsigned char *bytes = (unsigned char *)malloc(1 << 20);
        size_t size;
        if (!file || !bytes) {
            printf("cannot read %s\n0 passed, 1 failed\n", argv[i]);
            return 1;
        }
        size = fread(bytes, 1, 1 << 20, file);
        fclose(file);
        bytes = (unsigned char *)realloc(bytes, size ? size : 1); /* so that reading beyond is seen */
        file_now = argv[i];
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    printf("%d passed, 0 failed\n", argc - 1);
    return argc < 2;
}
#endif
