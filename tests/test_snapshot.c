/* test_snapshot.c - sap_save and sap_restore: what a snapshot holds, what it refuses, what it costs.

   A game makes random calls on a world and writes all that can be seen of it on a tape, snapshots included.
   A game is a plain struct: copy it together with a snapshot, restore the snapshot anywhere, play the copy
   there, and the tapes must be the same byte by byte.

   usage: test_snapshot [seeds] [first seed]   default 400 from 1; a failure names its seed */

#include "model.h"
#include "scenes.h"
#include "ways.h"

/* New blocks come filled with another byte each time: a snapshot that holds what nobody wrote is not the same twice. */
static void *snapshot_realloc(void *p, size_t size) {
    static unsigned char rubbish;
    void *got = test_realloc(p, size);
    if (got && !p) memset(got, rubbish++ | 0x40, size);
    return got;
}

static int seed_now; /* for messages */

#define HOLDS(condition) CHECK_MESSAGE(condition, "%s (seed %d)", #condition, seed_now)

/* ---- tapes: growing arrays of bytes ---------------------------------------------------------- */

typedef struct tape {
    unsigned char *bytes;
    size_t count, room;
} tape;

static unsigned char *tape_more(tape *t, size_t size) {
    if (t->count + size > t->room) {
        t->room = 2 * (t->count + size) + 4096;
        t->bytes = (unsigned char *)realloc(t->bytes, t->room);
        if (!t->bytes) exit(2);
    }
    t->count += size;
    return t->bytes + t->count - size;
}

static void tape_put(tape *t, const void *data, size_t size) {
    if (size) memcpy(tape_more(t, size), data, size);
}

static void tape_number(tape *t, long long number) {
    tape_put(t, &number, sizeof number);
}

static void tape_free(tape *t) {
    free(t->bytes);
    memset(t, 0, sizeof *t);
}

static int same_tapes(const tape *a, const tape *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->bytes, b->bytes, a->count) == 0);
}

static void tape_pairs(tape *t, const sap_pair *pairs, int count) {
    tape_number(t, count);
    tape_put(t, pairs, (size_t)count * sizeof *pairs);
}

static void tape_snapshot(tape *t, const sap_world *s) {
    size_t size = sap_snapshot_size(s);
    unsigned char *bytes = tape_more(t, size);
    long before = allocations;
    sap_result error = sap_last_error(s);
    HOLDS(sap_save(s, bytes, size) == SAP_OK);
    HOLDS(allocations == before && sap_last_error(s) == error);
}

/* All that a refused call must leave alone. */
static void tape_world(tape *t, const sap_world *s) {
    int count;
    const sap_pair *pairs = sap_pairs(s, &count);
    tape_pairs(t, pairs, count);
    pairs = sap_created(s, &count);
    tape_pairs(t, pairs, count);
    pairs = sap_deleted(s, &count);
    tape_pairs(t, pairs, count);
    tape_number(t, sap_count(s));
    tape_snapshot(t, s);
}

static int is_as(const tape *before, const sap_world *s) {
    tape now = {0};
    int same;
    tape_world(&now, s);
    same = same_tapes(before, &now) && sap_validate(s) == NULL;
    tape_free(&now);
    return same;
}

/* ---- games ----------------------------------------------------------------------------------- */

enum { MOST_BOXES = 160, MOST_OLD = 16, MOST_SLOTS = 1024 };

typedef struct game {
    test_rng rng;
    scene scene;
    int axes, size, target, movers, teleports, statics, masks, filter, updates;
    float reach;
    sap_id ids[MOST_BOXES], old[MOST_OLD]; /* live; removed some time ago */
    int n;
    unsigned char versions[MOST_SLOTS]; /* by slot, for the filter: what sap_refilter makes new */
} game;

static const game *playing; /* whom the callbacks belong to */

static int some_pairs(const sap_pair *pair, void *user) {
    uint32_t key[4], a = pair->id0 & 0xffffff, b = pair->id1 & 0xffffff;
    (void)user;
    key[0] = pair->id0;
    key[1] = pair->id1;
    key[2] = a < MOST_SLOTS ? playing->versions[a] : 0;
    key[3] = b < MOST_SLOTS ? playing->versions[b] : 0;
    return test_hash(14695981039346656037u, key, sizeof key) >> 20 & 3 ? 1 : 0;
}

static void *data_of(const sap_pair *pair, void *user) {
    ++*(int *)user;
    return (void *)(uintptr_t)(pair->id0 * 7919u + pair->id1 * 104729u + (uint32_t)playing->updates);
}

static void see_deleted(const sap_pair *pair, void *user) {
    (void)pair;
    ++*(int *)user;
}

static int sum_hits(sap_id id, void *object, void *user) { /* in any order */
    (void)object;
    *(uint64_t *)user += test_hash(14695981039346656037u, &id, sizeof id);
    return 1;
}

static void new_game(game *g, int seed) {
    static const int axes[] = {7, 7, 7, 7, SAP_2D, SAP_2D, 1, 2, 4, 5, 6};
    static const int movers[] = {0, 5, 30, 100}, teleports[] = {0, 3, 30, 100};
    memset(g, 0, sizeof *g);
    g->rng.state = (uint64_t)seed * 1000003u;
    g->scene = (scene)(seed % SCENE_COUNT);
    g->axes = axes[test_below(&g->rng, 11)];
    g->size = 1 + test_below(&g->rng, 50);
    g->movers = movers[test_below(&g->rng, 4)];
    g->teleports = teleports[test_below(&g->rng, 4)];
    g->statics = test_chance(&g->rng, 60) ? 25 : 0;
    g->masks = test_chance(&g->rng, 40);
    g->filter = test_chance(&g->rng, 40);
    g->reach = test_chance(&g->rng, 50) ? 0.3f : 0.02f;
    if (seed % 20 == 11) { /* many that hardly move: where insertion sort is chosen */
        g->size = 80 + test_below(&g->rng, 60);
        g->scene = SCENE_UNIFORM;
        g->movers = 100;
        g->teleports = g->statics = 0;
        g->reach = 0.02f;
    }
}

static sap_world *new_world(const game *g, test_rng *rng) {
    sap_config config;
    sap_world *s;
    memset(&config, 0, sizeof config);
    config.axes = g->axes;
    if (g->filter) config.filter = some_pairs;
    if (test_chance(rng, 60)) config.method = test_below(rng, SAP_METHOD_QUERY + 1);
    s = sap_create(&config);
    if (!CHECK(s != NULL)) exit(1);
    (void)force_kernel(s, test_below(rng, KERNELS)); /* if there is such a kernel */
    if (test_chance(rng, 10)) sap_reserve(s, test_below(rng, 200), test_below(rng, 2000));
    return s;
}

static void any_box(game *g, sap_aabb *box) {
    scene_box(&g->rng, g->scene, box);
    scene_spoil_unused(&g->rng, g->axes, box);
}

static void *any_pointer(game *g) {
    uint64_t bits = test_random(&g->rng);
    return test_chance(&g->rng, 20) ? NULL : (void *)(uintptr_t)bits;
}

static void add(game *g, sap_world *s, tape *t, int is_static) {
    sap_aabb box;
    void *object = any_pointer(g);
    sap_id id;
    any_box(g, &box);
    id = is_static ? sap_add_static(s, &box, object) : sap_add(s, &box, object);
    tape_number(t, id);
    if (id && g->n < MOST_BOXES) g->ids[g->n++] = id;
}

static void add_many(game *g, sap_world *s, tape *t, int n) {
    sap_aabb boxes[MOST_BOXES];
    void *objects[MOST_BOXES];
    int i, is_static = test_chance(&g->rng, g->statics);
    sap_result r;
    if (n > MOST_BOXES - g->n) n = MOST_BOXES - g->n;
    for (i = 0; i < n; i++) {
        any_box(g, &boxes[i]);
        objects[i] = any_pointer(g);
    }
    r = is_static ? sap_add_static_many(s, n, boxes, objects, g->ids + g->n)
                  : sap_add_many(s, n, boxes, objects, g->ids + g->n);
    tape_number(t, r);
    if (r == SAP_OK) g->n += n;
    tape_put(t, g->ids, (size_t)g->n * sizeof *g->ids);
}

static sap_id any_id(game *g) { /* now and then a bad one */
    if (g->n == 0 || test_chance(&g->rng, 4)) return g->old[test_below(&g->rng, MOST_OLD)];
    return g->ids[test_below(&g->rng, g->n)];
}

static void moved_box(game *g, const sap_world *s, sap_id id, sap_aabb *box) {
    if (test_chance(&g->rng, g->teleports) || sap_get_box(s, id, box) != SAP_OK)
        any_box(g, box);
    else
        scene_nudge(&g->rng, g->scene, g->reach, box);
}

static void move_many(game *g, sap_world *s, tape *t, int n) {
    sap_aabb boxes[MOST_BOXES];
    sap_id ids[MOST_BOXES];
    int i;
    if (g->n == 0) n = 0;
    for (i = 0; i < n; i++) {
        ids[i] = g->ids[n == g->n ? i : test_below(&g->rng, g->n)];
        moved_box(g, s, ids[i], &boxes[i]);
    }
    tape_number(t, sap_move_many(s, n, ids, boxes));
}

static void remove_some(game *g, sap_world *s, tape *t, int n) {
    int i;
    if (n > g->n) n = g->n;
    for (i = 0; i < n; i++) { /* any of them, in any order: they gather at the end */
        int last = g->n - 1 - i, j = test_below(&g->rng, last + 1);
        sap_id id = g->ids[j];
        g->ids[j] = g->ids[last];
        g->ids[last] = id;
        g->old[test_below(&g->rng, MOST_OLD)] = id;
    }
    g->n -= n;
    tape_number(t, sap_remove_many(s, n, g->ids + g->n));
}

static void refilter(game *g, sap_world *s, tape *t) {
    sap_id id = any_id(g);
    uint32_t slot = id & 0xffffff;
    sap_result r = SAP_OK;
    if (sap_is_valid(s, id) && slot < MOST_SLOTS) g->versions[slot] = (unsigned char)test_below(&g->rng, 4);
    if (g->masks && test_chance(&g->rng, 50))
        r = sap_set_filter(s, id, (uint32_t)test_below(&g->rng, 8), (uint32_t)test_random(&g->rng));
    else
        r = sap_refilter(s, id);
    tape_number(t, r);
}

static void set_data(game *g, sap_world *s, tape *t) {
    int count, i;
    const sap_pair *pairs = sap_pairs(s, &count);
    void *data = any_pointer(g);
    if (count == 0) return;
    i = test_below(&g->rng, count);
    tape_number(t, sap_set_pair_data(s, pairs[i].id1, pairs[i].id0, data));
}

static void shift(game *g, sap_world *s, tape *t) {
    float offset[3];
    int k;
    for (k = 0; k < 3; k++) {
        offset[k] = (float)(test_below(&g->rng, 5) - 2);
        if (!(g->axes >> k & 1)) offset[k] = TEST_NAN;
    }
    tape_number(t, sap_shift_origin(s, offset));
}

static void look_around(game *g, sap_world *s, tape *t) {
    sap_aabb box;
    uint64_t sum = 0;
    any_box(g, &box);
    tape_number(t, sap_query_box(s, &box, (uint32_t)test_random(&g->rng), sum_hits, &sum));
    tape_put(t, &sum, sizeof sum);
}

static void set_many(game *g, sap_world *s, tape *t) {
    sap_id ids[8];
    int i, n = test_below(&g->rng, 8), count;
    (void)sap_pairs(s, &count);
    for (i = 0; i < n; i++) ids[i] = any_id(g);
    if (g->masks) tape_number(t, sap_set_filter_many(s, n, ids, (uint32_t)test_below(&g->rng, 8), 7));
    tape_number(t, sap_set_pair_data_at(s, test_below(&g->rng, count + 1), any_pointer(g)));
}

/* What happens between two updates; `size` is where the number of boxes wanders to. */
static void some_calls(game *g, sap_world *s, tape *t) {
    int i, movers = g->n * g->movers / 100;
    if (test_chance(&g->rng, 30) || g->updates == 0) g->target = test_below(&g->rng, g->size + 1);
    if (g->size >= 80 && g->target < 70) g->target = g->size;
    if (test_chance(&g->rng, 3)) g->target = 0;
    if (g->n < g->target) add_many(g, s, t, test_below(&g->rng, g->target - g->n + 1));
    if (g->n > g->target) remove_some(g, s, t, test_below(&g->rng, g->n - g->target + 1));
    if (movers) move_many(g, s, t, movers);
    for (i = test_below(&g->rng, 12); i > 0; i--) {
        sap_aabb box;
        sap_id id;
        switch (test_below(&g->rng, 16)) {
        case 0:
        case 1: add(g, s, t, test_chance(&g->rng, g->statics)); break;
        case 2: remove_some(g, s, t, 1); break;
        case 3:
        case 4:
        case 5:
            id = any_id(g);
            moved_box(g, s, id, &box);
            tape_number(t, sap_move(s, id, &box));
            break;
        case 6:
        case 7: refilter(g, s, t); break;
        case 8: set_data(g, s, t); break;
        case 9: look_around(g, s, t); break;
        case 10:
            if (test_chance(&g->rng, 10)) shift(g, s, t);
            break;
        case 11:
            id = any_id(g);
            tape_number(t, sap_set_object(s, id, any_pointer(g)));
            break;
        case 12:
            id = any_id(g);
            if (g->statics) tape_number(t, sap_set_static(s, id, test_below(&g->rng, 2)));
            break;
        case 13: set_many(g, s, t); break;
        case 14:
            if (test_chance(&g->rng, 30)) tape_number(t, sap_set_pair_filter(s, g->filter ? some_pairs : NULL, NULL));
            if (test_chance(&g->rng, 2)) g->n = 0, tape_number(t, sap_clear(s));
            break;
        default: /* added and gone before any update has seen it */
            add(g, s, t, 0);
            if (g->n) {
                sap_id last = g->ids[--g->n];
                tape_number(t, sap_remove(s, last));
            }
        }
    }
    tape_number(t, sap_count(s));
    for (i = 0; i < g->n; i++) {
        sap_aabb box;
        void *object = sap_get_object(s, g->ids[i]);
        memset(&box, 0, sizeof box);
        tape_number(t, (int)sap_get_box(s, g->ids[i], &box) + 100 * sap_is_valid(s, g->ids[i]));
        tape_number(t, sap_is_static(s, g->ids[i]) + (long long)sap_next(s, g->ids[i]));
        tape_put(t, &box, sizeof box);
        tape_put(t, &object, sizeof object);
    }
}

static void settle(game *g, sap_world *s, tape *t) {
    int count, i, calls = 0, all = test_chance(&g->rng, 25);
    sap_id others[MOST_SLOTS];
    const sap_pair *pairs;
    const char *broken;
    g->updates++;
    if (test_chance(&g->rng, 50))
        tape_number(t, sap_update(s));
    else
        tape_number(t, sap_dump_pairs(s, data_of, see_deleted, &calls));
    tape_number(t, calls);
    pairs = sap_created(s, &count);
    tape_pairs(t, pairs, count);
    pairs = sap_deleted(s, &count);
    tape_pairs(t, pairs, count);
    pairs = sap_pairs(s, &count);
    tape_pairs(t, pairs, count);
    for (i = 0; i < g->n; i++) {
        if (!all && !test_chance(&g->rng, 10)) continue;
        memset(others, 0, sizeof others);
        count = sap_pairs_of(s, g->ids[i], others, MOST_SLOTS);
        tape_number(t, count);
        if (count > 0) tape_put(t, others, (size_t)count * sizeof *others);
    }
    tape_snapshot(t, s);
    broken = sap_validate(s);
    CHECK_MESSAGE(broken == NULL, "%s (seed %d, update %d)", broken ? broken : "", seed_now, g->updates);
}

static void play(game *g, sap_world *s, tape *t, int updates) {
    int i;
    playing = g;
    for (i = 0; i < updates; i++) {
        some_calls(g, s, t);
        if (test_chance(&g->rng, 30)) tape_snapshot(t, s);
        settle(g, s, t);
    }
}

/* Some updates, and often something recorded after the last of them. */
static void play_to_any_moment(game *g, sap_world *s, int updates) {
    tape t = {0};
    play(g, s, &t, updates);
    if (test_chance(&g->rng, 75)) some_calls(g, s, &t);
    tape_free(&t);
}

/* ---- snapshots as blocks of their own, so that the sanitizer sees every step beyond ---------- */

typedef struct snapshot {
    unsigned char *bytes;
    size_t size;
} snapshot;

static void take(snapshot *shot, const sap_world *s) {
    tape t = {0};
    tape_snapshot(&t, s);
    shot->size = t.count;
    shot->bytes = (unsigned char *)malloc(t.count ? t.count : 1);
    if (!shot->bytes) exit(2);
    memcpy(shot->bytes, t.bytes, t.count);
    tape_free(&t);
}

static void drop(snapshot *shot) {
    free(shot->bytes);
    shot->bytes = NULL;
}

static int is_saved_as(const sap_world *s, const snapshot *shot) {
    tape t = {0};
    int same;
    tape_snapshot(&t, s);
    same = t.count == shot->size && memcmp(t.bytes, shot->bytes, t.count) == 0;
    tape_free(&t);
    return same;
}

/* What must hold right after a restore. */
static void restored(const sap_world *s, const snapshot *shot) {
    int created = -1, deleted = -1;
    const char *broken = sap_validate(s);
    sap_created(s, &created);
    sap_deleted(s, &deleted);
    HOLDS(created == 0 && deleted == 0);
    HOLDS(sap_last_error(s) == SAP_OK);
    HOLDS(sap_snapshot_size(s) == shot->size);
    HOLDS(is_saved_as(s, shot));
    CHECK_MESSAGE(broken == NULL, "%s (seed %d)", broken ? broken : "", seed_now);
}

static uint32_t get_word(const unsigned char *bytes, size_t word) {
    bytes += 4 * word;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_word(unsigned char *bytes, size_t word, uint32_t value) {
    int i;
    for (i = 0; i < 4; i++) bytes[4 * word + (size_t)i] = (unsigned char)(value >> 8 * i);
}

/* The format, in words of 32 bits: a header, slots, queues of slots (free, removed, recorded), pairs. */
enum { FORMAT = 3, HEADER_WORDS = 12, SLOT_WORDS = 17, PAIR_WORDS = 4 };
enum { AXES = 3, SLOTS, FREE, REMOVED, RECORDED, PAIRS, MARGIN, CHECKSUM }; /* words of the header */
enum {
    SLOT_LIVE = 1,
    SLOT_RECORDED = 4,
    SLOT_FRESH = 32,
    NOW = 1,
    WAS = 7,
    OBJECT = 13
}; /* flags, and words, of a slot */

/* Words that a header promises. */
static uint64_t words_of(const unsigned char *bytes) {
    return HEADER_WORDS + SLOT_WORDS * (uint64_t)get_word(bytes, SLOTS) + get_word(bytes, FREE) +
           get_word(bytes, REMOVED) + get_word(bytes, RECORDED) + PAIR_WORDS * (uint64_t)get_word(bytes, PAIRS);
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t checksum(const unsigned char *bytes, uint64_t words) {
    uint64_t hash[4] = {4 * words, 1, 2, 3}, i;
    for (i = 0; i < words / 2; i++) {
        uint64_t two = get_word(bytes, (size_t)(2 * i)) | (uint64_t)get_word(bytes, (size_t)(2 * i + 1)) << 32;
        if (i != CHECKSUM / 2) hash[i % 4] = mix(hash[i % 4], two);
    }
    if (words % 2) hash[0] = mix(hash[0], get_word(bytes, (size_t)(words - 1)));
    return mix(mix(mix(hash[0], hash[1]), hash[2]), hash[3]);
}

/* Makes the check word right again. 0 if the header promises more than there is. */
static int sign(unsigned char *bytes, size_t size) {
    uint64_t words = words_of(bytes), check;
    if (words > size / 4) return 0;
    check = checksum(bytes, words);
    put_word(bytes, CHECKSUM, (uint32_t)check);
    put_word(bytes, CHECKSUM + 1, (uint32_t)(check >> 32));
    return 1;
}

/* ---- round trips ----------------------------------------------------------------------------- */

/* Saved at any moment; what is played on afterwards is the same in the same world put back, in a fresh one,
   in one that was reserved, and in one that has seen something quite different. */
static void round_trip(int seed) {
    game g, other, later;
    test_rng dice;
    sap_world *s, *targets[4];
    tape expected = {0}, seen = {0};
    snapshot shot;
    unsigned char *roomy;
    int i, updates, wide = seed % 20 == 11;
    seed_now = seed;
    dice.state = (uint64_t)seed;
    new_game(&g, seed);
    s = new_world(&g, &dice);
    play_to_any_moment(&g, s, wide ? 14 : test_below(&dice, 10));
    take(&shot, s);
    HOLDS(shot.size == sap_snapshot_size(s) && shot.size % 4 == 0);

    /* To an odd address, with room to spare: nothing but the snapshot is written, and all of it. */
    roomy = (unsigned char *)malloc(shot.size + 101);
    if (!roomy) exit(2);
    memset(roomy, 0x5a, shot.size + 101);
    HOLDS(sap_save(s, roomy + 1, shot.size + 50) == SAP_OK);
    HOLDS(memcmp(roomy + 1, shot.bytes, shot.size) == 0);
    HOLDS(roomy[0] == 0x5a);
    for (i = 0; i < 100; i++) HOLDS(roomy[shot.size + 1 + (size_t)i] == 0x5a);

    later = g;
    updates = wide ? 12 : 2 + test_below(&dice, 5);
    play(&later, s, &expected, updates);
    targets[0] = s;
    targets[1] = new_world(&g, &dice);
    targets[2] = new_world(&g, &dice);
    sap_reserve(targets[2], 300, 1000);
    new_game(&other, seed + 1000 + test_below(&dice, 100));
    other.axes = g.axes;
    other.filter = g.filter;
    targets[3] = new_world(&g, &dice);
    play_to_any_moment(&other, targets[3], test_below(&dice, 8));
    for (i = 0; i < 4; i++) {
        sap_world *to = targets[i];
        int odd = test_chance(&dice, 50); /* from an odd address, and more follows it */
        sap_result r = sap_restore(to, odd ? roomy + 1 : shot.bytes, shot.size + (odd ? 100 : 0));
        HOLDS(r == SAP_OK);
        restored(to, &shot);
        later = g;
        seen.count = 0;
        play(&later, to, &seen, updates);
        CHECK_MESSAGE(same_tapes(&expected, &seen), "another story after a restore (seed %d, target %d)", seed, i);
    }
    for (i = 0; i < 4; i++) sap_destroy(targets[i]);
    free(roomy);
    drop(&shot);
    tape_free(&expected);
    tape_free(&seen);
    CHECK_EQUAL(live_blocks, 0);
}

/* Slots rest, and generations go all the way round: a restored world gives the ids of the saved one. */
static void generations(void) {
    sap_world *s = sap_create(NULL), *to = sap_create(NULL);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    int i, rounds = 0;
    sap_id last = 0;
    seed_now = 0;
    if (!s || !to) exit(2);
    for (i = 0; rounds < 2; i++) {
        snapshot shot;
        sap_id id = sap_add(s, &box, NULL);
        if (!CHECK(id != 0)) exit(1);
        rounds += id >> 24 == 0 && last >> 24 == 255;
        last = id;
        if (i % 3 == 0) sap_update(s);
        CHECK_EQUAL(sap_remove(s, id), SAP_OK);
        if (i % 2) sap_update(s);
        if (i % 997) continue;
        take(&shot, s);
        CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
        restored(to, &shot);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        CHECK_EQUAL(sap_update(to), SAP_OK);
        CHECK_EQUAL(sap_is_valid(to, id), 0);
        id = sap_add(s, &box, NULL);
        CHECK_EQUAL(sap_add(to, &box, NULL), id);
        CHECK_EQUAL(sap_remove(s, id), SAP_OK);
        drop(&shot);
    }
    CHECK(i > 65000);
    sap_destroy(s);
    sap_destroy(to);
}

/* A world that holds nothing yet, and one that holds nothing any more. */
static void empty_worlds(void) {
    sap_world *s = sap_create(NULL), *to = sap_create(NULL);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    snapshot nothing, one;
    sap_id id;
    if (!s || !to) exit(2);
    take(&nothing, s);
    CHECK_EQUAL(nothing.size, 48);
    id = sap_add(s, &box, NULL);
    sap_add(s, &box, NULL);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    take(&one, s);
    CHECK_EQUAL(sap_restore(to, nothing.bytes, nothing.size), SAP_OK);
    restored(to, &nothing);
    CHECK_EQUAL(sap_update(to), SAP_OK);
    CHECK_EQUAL(sap_restore(s, nothing.bytes, nothing.size), SAP_OK);
    restored(s, &nothing);
    CHECK_EQUAL(sap_is_valid(s, id), 0);
    CHECK_EQUAL(sap_pairs_of(s, id, NULL, 0), -SAP_ERROR_ID);
    CHECK_EQUAL(sap_add(s, &box, NULL), 1);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_restore(to, one.bytes, one.size), SAP_OK);
    restored(to, &one);
    drop(&nothing);
    drop(&one);
    sap_destroy(s);
    sap_destroy(to);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Small, and with everything in it: settled, added, moved, removed and given a filter, static, free slots. */
static sap_world *rich_world(const sap_config *config) {
    sap_world *s = sap_create(config);
    sap_aabb box = {{0, 0, 0}, {2, 2, 2}};
    int i;
    if (!CHECK(s != NULL)) exit(1);
    for (i = 0; i < 8; i++) {
        box.min[0] = (float)i;
        box.max[0] = (float)(i + 2);
        if (i % 4 == 3)
            sap_add_static(s, &box, (void *)(uintptr_t)(100 + i));
        else
            sap_add(s, &box, (void *)(uintptr_t)(100 + i));
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 6), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 2), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_add(s, &box, NULL), 9); /* slots 2 and 6 rest */
    CHECK_EQUAL(sap_remove(s, 5), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 1), SAP_OK);
    CHECK_EQUAL(sap_set_filter(s, 3, 6, 5), SAP_OK);
    CHECK_EQUAL(sap_move(s, 7, &box), SAP_OK);
    CHECK_EQUAL(sap_set_pair_data(s, 3, 4, (void *)(uintptr_t)77), SAP_OK);
    return s;
}

typedef struct busy {
    sap_world *s;
    snapshot shot;
    unsigned char *space;
    int calls;
} busy;

static void must_be_busy(busy *b) {
    b->calls++;
    CHECK_EQUAL(sap_save(b->s, b->space, b->shot.size + 1000), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_restore(b->s, b->shot.bytes, b->shot.size), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_last_error(b->s), SAP_ERROR_BUSY);
}

static int busy_filter(const sap_pair *pair, void *user) {
    (void)pair;
    must_be_busy((busy *)user);
    return 1;
}

static void *busy_create(const sap_pair *pair, void *user) {
    (void)pair;
    must_be_busy((busy *)user);
    return NULL;
}

static void busy_delete(const sap_pair *pair, void *user) {
    (void)pair;
    must_be_busy((busy *)user);
}

static int busy_hit(sap_id id, void *object, void *user) {
    (void)id;
    (void)object;
    must_be_busy((busy *)user);
    return 1;
}

static float busy_ray_hit(sap_id id, void *object, float t, void *user) {
    (void)id;
    (void)object;
    (void)t;
    must_be_busy((busy *)user);
    return 1;
}

static void not_from_callbacks(void) {
    busy b;
    sap_config config;
    sap_aabb all = {{-100, -100, -100}, {100, 100, 100}};
    float origin[3] = {-1, 1, 1}, along[3] = {100, 0, 0};
    sap_world *from = rich_world(NULL);
    int before;
    memset(&b, 0, sizeof b);
    take(&b.shot, from);
    b.space = (unsigned char *)calloc(1, b.shot.size + 1000);
    memset(&config, 0, sizeof config);
    config.filter = busy_filter;
    config.filter_user = &b;
    b.s = sap_create(&config);
    if (!b.s || !b.space) exit(2);
    CHECK_EQUAL(sap_restore(b.s, b.shot.bytes, b.shot.size), SAP_OK); /* asks no filter */
    CHECK_EQUAL(b.calls, 0);
    CHECK_EQUAL(sap_update(b.s), SAP_OK);
    CHECK(b.calls > 0);
    CHECK_EQUAL(sap_restore(b.s, b.shot.bytes, b.shot.size), SAP_OK);
    CHECK_EQUAL(sap_set_pair_filter(b.s, NULL, NULL), SAP_OK);
    before = b.calls;
    CHECK(sap_dump_pairs(b.s, busy_create, NULL, &b) > 0);
    CHECK(b.calls > before);
    CHECK_EQUAL(sap_restore(b.s, b.shot.bytes, b.shot.size), SAP_OK);
    before = b.calls;
    CHECK(sap_dump_pairs(b.s, NULL, busy_delete, &b) > 0);
    CHECK(b.calls > before);
    before = b.calls;
    CHECK(sap_query_box(b.s, &all, ~0u, busy_hit, &b) > 0);
    CHECK(b.calls > before);
    before = b.calls;
    CHECK(sap_ray_cast(b.s, origin, along, ~0u, busy_ray_hit, &b) > 0);
    CHECK(b.calls > before);
    CHECK_EQUAL(sap_save(b.s, b.space, b.shot.size + 1000), SAP_OK); /* and now it is over */
    CHECK_EQUAL(sap_restore(b.s, b.shot.bytes, b.shot.size), SAP_OK);
    restored(b.s, &b.shot);
    drop(&b.shot);
    free(b.space);
    sap_destroy(b.s);
    sap_destroy(from);
}

/* Refused with this answer, and nothing changed. */
static void refused(sap_world *s, const tape *before, const void *bytes, size_t size, sap_result expected, int line) {
    sap_result r = sap_restore(s, bytes, size);
    test_check(r == expected, __FILE__, line, "restore answers %d, expected %d", (int)r, (int)expected);
    test_check(sap_last_error(s) == expected, __FILE__, line, "last error %d", (int)sap_last_error(s));
    test_check(is_as(before, s), __FILE__, line, "a refused snapshot has changed the world");
}

#define REFUSED(s, before, bytes, size, expected) refused(s, before, bytes, size, expected, __LINE__)

static void bad_arguments(void) {
    sap_world *s = rich_world(NULL), *to;
    snapshot shot;
    tape before = {0};
    sap_config config;
    unsigned char *space;
    size_t size;
    int axes, live = sap_count(s), pairs;
    take(&shot, s);
    sap_pairs(s, &pairs);
    tape_world(&before, s);
    space = (unsigned char *)malloc(shot.size);
    if (!space) exit(2);
    memset(space, 0x5a, shot.size);
    CHECK_EQUAL(sap_snapshot_size(NULL), 0);
    CHECK_EQUAL(sap_save(NULL, space, shot.size), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_save(s, NULL, shot.size), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_save(s, NULL, 0), SAP_ERROR_ARGUMENT);
    for (size = 0; size < shot.size; size++) CHECK_EQUAL(sap_save(s, space, size), SAP_ERROR_ARGUMENT);
    for (size = 0; size < shot.size; size++)
        if (space[size] != 0x5a) break;
    CHECK_EQUAL(size, shot.size); /* not a byte written */
    CHECK_EQUAL(sap_restore(NULL, shot.bytes, shot.size), SAP_ERROR_ARGUMENT);
    REFUSED(s, &before, NULL, shot.size, SAP_ERROR_ARGUMENT);
    REFUSED(s, &before, NULL, 0, SAP_ERROR_ARGUMENT);
    free(space);

    /* Other axes. */
    for (axes = 1; axes <= 7; axes++) {
        tape empty = {0};
        memset(&config, 0, sizeof config);
        config.axes = axes;
        to = sap_create(&config);
        if (!to) exit(2);
        tape_world(&empty, to);
        if (axes == 7) {
            CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK); /* which is what 0 means */
            restored(to, &shot);
        } else {
            snapshot flat;
            REFUSED(to, &empty, shot.bytes, shot.size, SAP_ERROR_ARGUMENT);
            CHECK(sap_last_error_argument(to, NULL) && strcmp(sap_last_error_argument(to, NULL), "axes") == 0);
            take(&flat, to);
            REFUSED(s, &before, flat.bytes, flat.size, SAP_ERROR_ARGUMENT);
            drop(&flat);
        }
        tape_free(&empty);
        sap_destroy(to);
    }

    /* Limits: exactly as many, and one less. Only live boxes count. */
    for (axes = 0; axes < 4; axes++) {
        tape empty = {0};
        int fits = axes % 2 == 0;
        memset(&config, 0, sizeof config);
        if (axes < 2)
            config.max_boxes = fits ? live : live - 1;
        else
            config.max_pairs = fits ? pairs : pairs - 1;
        to = sap_create(&config);
        if (!to) exit(2);
        tape_world(&empty, to);
        if (fits) {
            CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
            restored(to, &shot);
            if (axes < 2) { /* the limit is the world's own, not the snapshot's */
                sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
                CHECK_EQUAL(sap_add(to, &box, NULL), 0);
                CHECK_EQUAL(sap_last_error(to), SAP_ERROR_LIMIT);
            }
        } else
            REFUSED(to, &empty, shot.bytes, shot.size, SAP_ERROR_LIMIT);
        tape_free(&empty);
        sap_destroy(to);
    }
    CHECK(is_as(&before, s));
    tape_free(&before);
    drop(&shot);
    sap_destroy(s);
}

/* An update that met a limit can be saved, and settled where there is room. */
static void after_a_failed_update(int method) {
    sap_config config;
    sap_world *s, *to = sap_create(NULL);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    snapshot shot;
    int i, count;
    memset(&config, 0, sizeof config);
    config.max_pairs = 20;
    config.method = method;
    s = sap_create(&config);
    if (!s || !to) exit(2);
    for (i = 0; i < 6; i++) CHECK_EQUAL(sap_add(s, &box, NULL), i + 1);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_add(s, &box, NULL), 7);
    CHECK_EQUAL(sap_update(s), SAP_ERROR_LIMIT); /* 21 */
    take(&shot, s);
    CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
    restored(to, &shot);
    CHECK_EQUAL(sap_update(to), SAP_OK);
    sap_created(to, &count);
    CHECK_EQUAL(count, 6);
    CHECK_EQUAL(sap_restore(s, shot.bytes, shot.size), SAP_OK);
    restored(s, &shot);
    CHECK_EQUAL(sap_update(s), SAP_ERROR_LIMIT);
    drop(&shot);
    sap_destroy(s);
    sap_destroy(to);
}

/* Cut off anywhere, a bit wrong anywhere. */
static void damaged(void) {
    sap_world *s = rich_world(NULL), *to = sap_create(NULL);
    sap_aabb box = {{0, 0, 0}, {1, 1, 1}};
    snapshot shot;
    tape before = {0};
    size_t size, bit;
    static const uint32_t wrong[][2] = {{0, 0x54504153}, {1, 0}, {1, FORMAT - 1}, {1, FORMAT + 1}, {2, 1}};
    if (!to) exit(2);
    take(&shot, s);
    sap_add(to, &box, NULL);
    sap_add(to, &box, NULL);
    sap_update(to); /* there are events to lose */
    sap_move(to, 1, &box);
    tape_world(&before, to);
    for (size = 0; size < shot.size; size++) {
        unsigned char *cut = (unsigned char *)malloc(size ? size : 1);
        if (!cut) exit(2);
        memcpy(cut, shot.bytes, size);
        REFUSED(to, &before, cut, size, SAP_ERROR_SNAPSHOT);
        free(cut);
    }
    for (bit = 0; bit < 8 * shot.size; bit++) {
        shot.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        REFUSED(to, &before, shot.bytes, shot.size, SAP_ERROR_SNAPSHOT);
        shot.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    /* Whole, but of another version or kind. */
    for (bit = 0; bit < sizeof wrong / sizeof wrong[0]; bit++) {
        uint32_t right = get_word(shot.bytes, wrong[bit][0]);
        put_word(shot.bytes, wrong[bit][0], wrong[bit][1]);
        sign(shot.bytes, shot.size);
        REFUSED(to, &before, shot.bytes, shot.size, SAP_ERROR_SNAPSHOT);
        put_word(shot.bytes, wrong[bit][0], right);
        sign(shot.bytes, shot.size);
    }
    CHECK(is_saved_as(s, &shot));
    CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
    restored(to, &shot);
    tape_free(&before);
    drop(&shot);
    sap_destroy(s);
    sap_destroy(to);
}

/* States that no world is ever in, signed as if they were. No pairs, so that nothing else is wrong. */
static void impossible(int axes) {
    static const uint32_t bad_lo[] = {0x80000000u, 0x807fffffu, 0x7f800001u},
                          bad_hi[] = {0x7fffffffu, 0x7f800001u, 0x807fffffu};
    enum { REMOVED_SLOT = 0, FRESH_SLOT = 2, ADDED_SLOT = 8, MOVED_SLOT = 6, STILL_SLOT = 7 };
    static const int places[][2] = {{REMOVED_SLOT, WAS}, {FRESH_SLOT, NOW}, {FRESH_SLOT, WAS}, {ADDED_SLOT, NOW},
                                    {MOVED_SLOT, NOW},   {MOVED_SLOT, WAS}, {STILL_SLOT, 0}};
    sap_config config;
    sap_world *s, *to;
    snapshot shot;
    tape before = {0};
    unsigned char *good;
    size_t i, j, k, at, to_word;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    s = rich_world(&config);
    to = sap_create(&config);
    if (!to) exit(2);
    tape_world(&before, to);
    take(&shot, s);
    put_word(shot.bytes, PAIRS, 0);
    sign(shot.bytes, shot.size);
    good = (unsigned char *)malloc(shot.size);
    if (!good) exit(2);
    memcpy(good, shot.bytes, shot.size);
    for (i = 0; i < sizeof places / sizeof places[0]; i++)
        for (k = 0; k < 6; k++)
            for (j = 0; j < 4; j++) {
                uint32_t value = k < 3 ? bad_lo[j % 3] : bad_hi[j % 3];
                int used = axes >> k % 3 & 1;
                if (!used) value = k < 3 ? 0xffffffffu : 1; /* keys of a box that is not flat there */
                if (used && j == 3) value = k < 3 ? 0x80800000u : 0x7f800000u;
                at = HEADER_WORDS + SLOT_WORDS * (size_t)places[i][0];
                to_word = at + (size_t)places[i][1] + k;
                if (places[i][1])
                    put_word(shot.bytes, to_word, value);
                else { /* where it is and was */
                    put_word(shot.bytes, at + NOW + k, value);
                    put_word(shot.bytes, at + WAS + k, value);
                }
                sign(shot.bytes, shot.size);
                if (used && j == 3) { /* the infinities are fine */
                    sap_world *other = sap_create(&config);
                    CHECK_EQUAL(sap_restore(other, shot.bytes, shot.size), SAP_OK);
                    CHECK(sap_validate(other) == NULL);
                    CHECK_EQUAL(sap_update(other), SAP_OK);
                    CHECK(sap_validate(other) == NULL);
                    sap_destroy(other);
                } else
                    REFUSED(to, &before, shot.bytes, shot.size, SAP_ERROR_SNAPSHOT);
                memcpy(shot.bytes, good, shot.size);
            }

    /* Live and removed at once. */
    at = HEADER_WORDS + SLOT_WORDS * (size_t)REMOVED_SLOT;
    put_word(shot.bytes, at, get_word(shot.bytes, at) | SLOT_LIVE);
    memmove(shot.bytes + 4 * (at + NOW), shot.bytes + 4 * (at + WAS), 24);
    sign(shot.bytes, shot.size);
    REFUSED(to, &before, shot.bytes, shot.size, SAP_ERROR_SNAPSHOT);
    CHECK_EQUAL(sap_restore(to, good, shot.size), SAP_OK); /* the rest was in order */
    CHECK(sap_validate(to) == NULL);
    tape_free(&before);
    free(good);
    drop(&shot);
    sap_destroy(s);
    sap_destroy(to);
}

/* A pointer of a machine with larger ones. */
static void large_pointers(void) {
    sap_world *s = rich_world(NULL), *to = sap_create(NULL);
    snapshot shot;
    tape before = {0};
    size_t i, slots, places[2];
    if (!to) exit(2);
    take(&shot, s);
    tape_world(&before, to);
    slots = get_word(shot.bytes, SLOTS);
    places[0] = HEADER_WORDS + SLOT_WORDS * 2 + 13;
    places[1] = HEADER_WORDS + SLOT_WORDS * slots + get_word(shot.bytes, FREE) + get_word(shot.bytes, REMOVED) +
                get_word(shot.bytes, RECORDED) + PAIR_WORDS + 2;
    for (i = 0; i < 2; i++) {
        put_word(shot.bytes, places[i], 0xfffffff0u);
        sign(shot.bytes, shot.size);
        CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
        restored(to, &shot);
        before.count = 0;
        tape_world(&before, to);
        put_word(shot.bytes, places[i] + 1, 1);
        sign(shot.bytes, shot.size);
        if (sizeof(void *) > 4) {
            const uint64_t large = ((uint64_t)1 << 32) + 0xfffffff0u;
            CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
            restored(to, &shot);
            if (i == 0) CHECK((uint64_t)(uintptr_t)sap_get_object(to, 3) == large);
            if (i == 1) CHECK((uint64_t)(uintptr_t)sap_pairs(to, NULL)[1].user_data == large);
        } else
            REFUSED(to, &before, shot.bytes, shot.size, SAP_ERROR_SNAPSHOT);
        put_word(shot.bytes, places[i] + 1, 0);
    }
    tape_free(&before);
    drop(&shot);
    sap_destroy(s);
    sap_destroy(to);
}

/* The first pair once more, instead of the last one: not side by side. */
static void repeated_pair(void) {
    sap_world *s = rich_world(NULL), *to = sap_create(NULL);
    snapshot shot;
    tape before = {0};
    size_t word, pairs, first;
    if (!to) exit(2);
    take(&shot, s);
    tape_world(&before, to);
    pairs = get_word(shot.bytes, PAIRS);
    first = shot.size / 4 - PAIR_WORDS * pairs;
    CHECK(pairs > 2);
    for (word = 0; word < PAIR_WORDS; word++)
        put_word(shot.bytes, first + PAIR_WORDS * (pairs - 1) + word, get_word(shot.bytes, first + word));
    sign(shot.bytes, shot.size);
    REFUSED(to, &before, shot.bytes, shot.size, SAP_ERROR_SNAPSHOT);
    tape_free(&before);
    drop(&shot);
    sap_destroy(s);
    sap_destroy(to);
}

/* ---- hostile buffers ------------------------------------------------------------------------- */

static long hostile_taken, hostile_refused;

typedef struct forgery {
    unsigned char bytes[1 << 16];
    size_t words;
    test_rng rng;
} forgery;

static uint32_t f_get(const forgery *f, size_t word) {
    return get_word(f->bytes, word);
}
static void f_put(forgery *f, size_t word, uint32_t value) {
    put_word(f->bytes, word, value);
}
static size_t f_any(forgery *f, size_t n) {
    return n ? (size_t)(test_random(&f->rng) % n) : 0;
}
static size_t f_slot(size_t slot) {
    return HEADER_WORDS + SLOT_WORDS * slot;
}
static size_t f_queues(const forgery *f) {
    return f_slot(f_get(f, SLOTS));
}
static size_t f_pairs(const forgery *f) {
    return f_queues(f) + f_get(f, FREE) + f_get(f, REMOVED) + f_get(f, RECORDED);
}

static void f_insert(forgery *f, size_t at, size_t words) {
    if (at > f->words || 4 * (f->words + words) > sizeof f->bytes) return;
    memmove(f->bytes + 4 * (at + words), f->bytes + 4 * at, 4 * (f->words - at));
    memset(f->bytes + 4 * at, 0, 4 * words);
    f->words += words;
}

static void f_erase(forgery *f, size_t at, size_t words) {
    if (at + words > f->words) return;
    memmove(f->bytes + 4 * at, f->bytes + 4 * (at + words), 4 * (f->words - at - words));
    f->words -= words;
}

static void f_swap(forgery *f, size_t a, size_t b, size_t words) {
    for (; words > 0; words--, a++, b++) {
        uint32_t value = f_get(f, a);
        f_put(f, a, f_get(f, b));
        f_put(f, b, value);
    }
}

static uint32_t f_special(forgery *f) {
    static const uint32_t special[] = {0,           1,           2,           3,           4,           5,
                                       8,           0x10,        0x15,        0x7f800000u, 0x7f800001u, 0x80800000u,
                                       0x807fffffu, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffffeu, 0x00ffffffu,
                                       0x01000000u, 0x01000001u, 0x3f800000u, 0xc0800000u, 0x00010000u};
    return test_chance(&f->rng, 20) ? (uint32_t)test_random(&f->rng)
                                    : special[f_any(f, sizeof special / sizeof special[0])];
}

/* One lie, large or small; some of them are states that a world may well be in. Headers that were spoilt
   before may promise anything, so that nothing is touched beyond what is there. */
static void forge(forgery *f) {
    size_t slots = f_get(f, SLOTS), pairs = f_get(f, PAIRS), queues, first, n, a, b, k;
    uint32_t value;
    if (slots > 1000 || pairs > 2000 || f_get(f, FREE) > 1000 || f_get(f, REMOVED) > 1000 ||
        f_get(f, RECORDED) > 1000 || f_pairs(f) + PAIR_WORDS * pairs > f->words) {
        f_put(f, f_any(f, f->words), f_special(f));
        return;
    }
    queues = f_queues(f);
    first = f_pairs(f);
    n = first - queues;
    a = f_any(f, slots);
    b = f_any(f, slots);
    switch (f_any(f, 19)) {
    case 0: f_put(f, f_any(f, f->words), f_special(f)); break;
    case 1: f_put(f, f_any(f, f->words), f_get(f, f_any(f, f->words))); break;
    case 2:
        k = f_any(f, f->words);
        f_put(f, k, f_get(f, k) ^ 1u << f_any(f, 32));
        break;
    case 3:
        if (slots) f_put(f, f_slot(a), f_get(f, f_slot(a)) ^ 1u << f_any(f, test_chance(&f->rng, 80) ? 8 : 32));
        break;
    case 4:
        k = AXES + f_any(f, 7);
        value = f_get(f, k) + (test_chance(&f->rng, 50) ? 1u : ~0u);
        f_put(f, k, test_chance(&f->rng, 50) ? value : f_special(f));
        break;
    case 5:
        if (n) f_put(f, queues + f_any(f, n), (uint32_t)f_any(f, slots + 2));
        break;
    case 6: /* in another order: fine within a queue */
        if (n) f_swap(f, queues + f_any(f, n), queues + f_any(f, n), 1);
        break;
    case 7: /* fine */
        if (pairs) f_swap(f, first + 4 * f_any(f, pairs), first + 4 * f_any(f, pairs), 4);
        break;
    case 8: /* fine: a filter may have refused it */
        if (!pairs) break;
        f_erase(f, first + 4 * f_any(f, pairs), 4);
        f_put(f, PAIRS, (uint32_t)pairs - 1);
        break;
    case 9: /* the same twice */
        if (!pairs) break;
        k = f_any(f, pairs);
        f_insert(f, first, 4);
        f_put(f, PAIRS, (uint32_t)pairs + 1);
        f_swap(f, first, first + 4 * (k + 1), 4);
        for (k = first + 4 * (k + 1), b = 0; b < 4; b++) f_put(f, k + b, f_get(f, first + b));
        break;
    case 10: { /* any two as a pair */
        uint32_t id0, id1;
        if (slots < 2) break;
        if (a > b) k = a, a = b, b = k;
        id0 = (f_get(f, f_slot(a)) & 0xff000000u) | (uint32_t)(a + 1);
        id1 = (f_get(f, f_slot(b)) & 0xff000000u) | (uint32_t)(b + 1);
        f_insert(f, first, 4);
        f_put(f, PAIRS, (uint32_t)pairs + 1);
        f_put(f, first, test_chance(&f->rng, 80) && id0 > id1 ? id1 : id0);
        f_put(f, first + 1, test_chance(&f->rng, 80) && id0 > id1 ? id0 : id1);
        break;
    }
    case 11: /* a bound, as recorded or as it was */
        if (slots) f_put(f, f_slot(a) + 1 + f_any(f, 12), f_special(f));
        break;
    case 12: /* another box's boxes */
        if (!slots) break;
        k = test_chance(&f->rng, 50) ? 0 : 6;
        for (n = k; n < k + (test_chance(&f->rng, 50) ? 6u : 12u) && n < 12; n++)
            f_put(f, f_slot(a) + 1 + n, f_get(f, f_slot(b) + 1 + n));
        break;
    case 13: /* recorded, though nothing happened to it: fine for a live one */
        if (!slots || (f_get(f, f_slot(a)) & SLOT_RECORDED)) break;
        f_put(f, f_slot(a), f_get(f, f_slot(a)) | SLOT_RECORDED | (test_chance(&f->rng, 50) ? SLOT_FRESH : 0u));
        f_insert(f, first, 1);
        f_put(f, first, (uint32_t)a);
        f_put(f, RECORDED, f_get(f, RECORDED) + 1);
        break;
    case 14:
        if (slots) f_swap(f, f_slot(a), f_slot(b), SLOT_WORDS);
        break;
    case 15: /* one free slot more, full of rubbish */
        f_insert(f, queues, SLOT_WORDS);
        for (k = 0; k < SLOT_WORDS; k++) f_put(f, queues + k, f_special(f));
        f_put(f, queues, (uint32_t)f_any(f, 256) << 24);
        f_put(f, SLOTS, (uint32_t)slots + 1);
        f_insert(f, f_queues(f), 1);
        f_put(f, f_queues(f), (uint32_t)slots);
        f_put(f, FREE, f_get(f, FREE) + 1);
        break;
    case 16: /* what is nobody's business: object, category, mask */
        if (slots) f_put(f, f_slot(a) + 13 + f_any(f, 4), f_special(f));
        break;
    case 17:
        if (pairs) f_put(f, first + 4 * f_any(f, pairs) + f_any(f, 4), f_special(f));
        break;
    default: /* a new generation; its pairs name the old one */
        if (!slots) break;
        value = f_get(f, f_slot(a));
        f_put(f, f_slot(a), (value & 0xffffffu) | (uint32_t)f_any(f, 256) << 24);
    }
}

static void hostile(int seed) {
    static forgery f; /* too large for some stacks */
    game g, after;
    sap_world *s, *to, *other;
    snapshot shot;
    tape before = {0}, one = {0}, two = {0};
    const sap_pair *pairs;
    sap_result r;
    uint32_t slot;
    int i;
    seed_now = seed;
    f.rng.state = (uint64_t)seed * 31337;
    new_game(&g, seed);
    g.size = seed % 40 == 39 ? 40 : 1 + seed % 14;
    if (g.scene == SCENE_UNIFORM || g.scene == SCENE_FLAT) g.scene = SCENE_LATTICE; /* so few would not meet */
    s = new_world(&g, &f.rng);
    to = new_world(&g, &f.rng);
    other = new_world(&g, &f.rng);
    after = g;
    play_to_any_moment(&after, to, 1);
    play_to_any_moment(&g, s, 3);
    take(&shot, s);
    f.words = shot.size / 4;
    if (!HOLDS(shot.size < sizeof f.bytes)) exit(1);
    memcpy(f.bytes, shot.bytes, shot.size);
    drop(&shot);
    for (i = test_below(&f.rng, 4); i >= 0; i--) forge(&f);
    sign(f.bytes, 4 * f.words);
    shot.size = 4 * f.words;
    shot.bytes = (unsigned char *)malloc(shot.size);
    if (!shot.bytes) exit(2);
    memcpy(shot.bytes, f.bytes, shot.size);
    tape_world(&before, to);
    pairs = sap_pairs(to, NULL);
    r = sap_restore(to, shot.bytes, shot.size);
    if (r != SAP_OK) {
        hostile_refused++;
        HOLDS(sap_pairs(to, NULL) == pairs);
        HOLDS(r == SAP_ERROR_SNAPSHOT ||
              (r == SAP_ERROR_ARGUMENT && (f_get(&f, AXES) != (uint32_t)g.axes || f_get(&f, MARGIN))));
        HOLDS(sap_last_error(to) == r);
        HOLDS(is_as(&before, to));
    } else {
        hostile_taken++;
        HOLDS(sap_validate(to) == NULL);
        drop(&shot);
        take(&shot, to);
        HOLDS(sap_restore(other, shot.bytes, shot.size) == SAP_OK);
        restored(other, &shot);
        g.n = 0;
        for (slot = 1; slot <= f_get(&f, SLOTS) && g.n < MOST_BOXES; slot++) {
            sap_id id = (f_get(&f, f_slot(slot - 1)) & 0xff000000u) | slot;
            sap_aabb box;
            if (!sap_is_valid(to, id)) continue;
            g.ids[g.n++] = id;
            HOLDS(sap_get_box(to, id, &box) == SAP_OK);
            for (i = 0; i < 3; i++) {
                HOLDS(!test_is_nan(box.min[i]) && !test_is_nan(box.max[i]));
                HOLDS(test_key(box.min[i]) <= test_key(box.max[i]));
                if (!(g.axes >> i & 1)) HOLDS(test_bits(box.min[i]) == 0 && test_bits(box.max[i]) == 0);
            }
        }
        HOLDS(g.n == sap_count(to));
        after = g;
        play(&g, to, &one, 5);
        play(&after, other, &two, 5);
        CHECK_MESSAGE(same_tapes(&one, &two), "two stories after a strange snapshot (seed %d)", seed);
    }
    drop(&shot);
    tape_free(&before);
    tape_free(&one);
    tape_free(&two);
    sap_destroy(s);
    sap_destroy(to);
    sap_destroy(other);
    CHECK_EQUAL(live_blocks, 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void crowd(sap_world *s, int n) {
    sap_aabb box;
    int i;
    for (i = 0; i < n; i++) {
        box.min[0] = box.min[1] = box.min[2] = (float)i;
        box.max[0] = box.max[1] = box.max[2] = (float)(i + 3);
        CHECK(sap_add(s, &box, NULL) != 0);
        if (i == n - 5) CHECK_EQUAL(sap_update(s), SAP_OK);
    }
    CHECK_EQUAL(sap_remove(s, 2), SAP_OK);
}

/* Each allocation of a restore fails once; nothing changes, and the next try succeeds. */
static void every_allocation_fails(int boxes) {
    sap_world *s = sap_create(NULL);
    snapshot shot;
    long i, failures = 0;
    sap_result r = SAP_ERROR_MEMORY;
    seed_now = boxes;
    if (!s) exit(2);
    crowd(s, 60);
    take(&shot, s);
    for (i = 0; r == SAP_ERROR_MEMORY; i++) {
        sap_world *to = sap_create(NULL);
        tape before = {0};
        if (!to) exit(2);
        if (boxes) crowd(to, boxes);
        tape_world(&before, to);
        fail_from = allocations + i;
        fail_count = 1;
        r = sap_restore(to, shot.bytes, shot.size);
        never_fail();
        HOLDS(r == SAP_OK || r == SAP_ERROR_MEMORY);
        HOLDS(sap_last_error(to) == r);
        if (r == SAP_ERROR_MEMORY) {
            failures++;
            HOLDS(is_as(&before, to));
            if (i % 2) HOLDS(sap_update(to) == SAP_OK); /* the world goes on */
            HOLDS(sap_restore(to, shot.bytes, shot.size) == SAP_OK);
        }
        restored(to, &shot);
        HOLDS(sap_update(to) == SAP_OK);
        HOLDS(sap_validate(to) == NULL);
        tape_free(&before);
        sap_destroy(to);
    }
    CHECK(failures > 0);
    drop(&shot);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* After sap_reserve neither call allocates, nor does the update that follows. */
static void reserved(int method) {
    sap_config config;
    sap_world *s, *to;
    snapshot shot;
    int count, i, n;
    uint32_t slots;
    memset(&config, 0, sizeof config);
    config.method = method;
    s = sap_create(&config);
    to = sap_create(&config);
    if (!s || !to) exit(2);
    crowd(s, 100);
    take(&shot, s);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_pairs(s, &count);
    slots = get_word(shot.bytes, SLOTS);
    n = (int)get_word(shot.bytes, PAIRS);
    if (n > count) count = n;
    CHECK_EQUAL(sap_reserve(to, (int)slots, count), SAP_OK);
    always_fail();
    for (i = 0; i < 3; i++) {
        long before = allocations;
        CHECK_EQUAL(sap_restore(to, shot.bytes, shot.size), SAP_OK);
        CHECK_EQUAL(allocations, before);
        restored(to, &shot);
        before = allocations;
        CHECK_EQUAL(sap_update(to), SAP_OK);
        CHECK_EQUAL(sap_save(s, shot.bytes, 0), SAP_ERROR_ARGUMENT);
        CHECK_EQUAL(allocations, before);
    }
    never_fail();
    drop(&shot);
    sap_destroy(s);
    sap_destroy(to);
}

/* ---- the same everywhere --------------------------------------------------------------------- */

/* Calls with numbers that every machine computes alike; the bytes must be those that the first one wrote. */
static uint64_t golden(int axes, int method) {
    sap_config config;
    sap_world *s;
    sap_id ids[48];
    snapshot shot;
    uint64_t hash;
    float offset[3] = {2, -1, 0.5f};
    int i, k, count, round;
    const sap_pair *pairs;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    config.method = method;
    s = sap_create(&config);
    if (!s) exit(2);
    for (i = 0; i < 48; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = (float)((i * (37 + 12 * k)) % 31 - 15) * 0.5f;
            box.max[k] = box.min[k] + (float)(i % 9) * 0.75f;
        }
        if (i % 16 == 5) test_set_bits(&box.max[i / 16], 0x7f800000u);
        if (i % 16 == 9) test_set_bits(&box.min[i / 16], 0xff800000u);
        if (i % 16 == 13) box.min[0] = box.max[0] = TEST_MINUS_0;
        ids[i] = i % 6 == 4 ? sap_add_static(s, &box, (void *)(uintptr_t)(1000 + i))
                            : sap_add(s, &box, (void *)(uintptr_t)(1000 + i));
        CHECK(ids[i] != 0);
    }
    for (round = 0; round < 3; round++) {
        CHECK_EQUAL(sap_update(s), SAP_OK);
        pairs = sap_pairs(s, &count);
        for (i = round; i < count; i += 7)
            CHECK_EQUAL(sap_set_pair_data(s, pairs[i].id0, pairs[i].id1, (void *)(uintptr_t)(i + 1)), SAP_OK);
        for (i = round; i < 48; i += 5) {
            sap_aabb box;
            for (k = 0; k < 3; k++) {
                box.min[k] = (float)((i * (11 + 2 * k) + round) % 23 - 11);
                box.max[k] = box.min[k] + (float)(i % 4) * 1.5f;
            }
            if (i % 3 == 0)
                CHECK_EQUAL(sap_remove(s, ids[i]), SAP_OK);
            else
                CHECK_EQUAL(sap_move(s, ids[i], &box), SAP_OK);
            if (i % 3 == 1) CHECK_EQUAL(sap_set_filter(s, ids[i], 3, 0xfffffffdu), SAP_OK);
            if (i % 3 == 0 && round != 1) ids[i] = sap_add(s, &box, NULL);
            if (i % 3 == 0 && round == 1) {
                CHECK_EQUAL(sap_update(s), SAP_OK);
                ids[i] = sap_add_static(s, &box, (void *)(uintptr_t)(2000 + i));
            }
        }
        if (round == 1) CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    }
    take(&shot, s);
    CHECK(memcmp(shot.bytes, "SAPS\3\0\0", 8) == 0);
    CHECK(get_word(shot.bytes, FREE) > 0 && get_word(shot.bytes, REMOVED) > 0);
    CHECK(get_word(shot.bytes, RECORDED) > 0 && get_word(shot.bytes, PAIRS) > 0);
    hash = test_hash(14695981039346656037u, shot.bytes, shot.size);
    drop(&shot);
    sap_destroy(s);
    return hash;
}

static void same_everywhere(void) {
    int method;
    for (method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY; method++) {
        uint64_t solid = golden(0, method), flat = golden(SAP_2D, method);
        CHECK_MESSAGE(solid == UINT64_C(0xc3fbacc192d94cae), "method %d: 3D snapshot is %016llx", method,
                      (unsigned long long)solid);
        CHECK_MESSAGE(flat == UINT64_C(0xdcf8ae3b6027d5e2), "method %d: 2D snapshot is %016llx", method,
                      (unsigned long long)flat);
    }
}

int main(int argc, char **argv) {
    int seeds = test_argument(argc, argv, 1, 400), first = test_argument(argc, argv, 2, 1), seed, method;
    use_realloc = snapshot_realloc;
    same_everywhere();
    empty_worlds();
    generations();
    bad_arguments();
    not_from_callbacks();
    damaged();
    impossible(7);
    impossible(SAP_2D);
    impossible(SAP_AXIS_X | SAP_AXIS_Z);
    large_pointers();
    repeated_pair();
    for (method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY; method++) {
        after_a_failed_update(method);
        reserved(method);
    }
    every_allocation_fails(0);
    every_allocation_fails(9);
    for (seed = first; seed < first + seeds && test_failed < TEST_MESSAGES; seed++) {
        round_trip(seed);
    }
    for (seed = 30 * first; seed < 30 * (first + seeds) && test_failed < TEST_MESSAGES; seed++) hostile(seed);
    if (seeds >= 20) CHECK(hostile_taken > seeds && hostile_refused > seeds);
    CHECK_EQUAL(live_blocks, 0);
    CHECK_EQUAL(faults, 0);
    return test_summary();
}
