/* test_golden.c - the same calls give the same bytes, everywhere.

   Each scenario makes a fixed sequence of calls, and everything that the library promises to be the same on every
   machine goes into three hashes:

   facts       ids, result codes, events, sets of pairs (sorted), boxes and the hits of queries. They follow from the
               contract alone and never change; a change here is a broken promise.
   order       the order of sap_pairs. It may change from version to version, with a note in the history.
   snapshots   the bytes of snapshots. They change with the version of the format (now 3), and with the order of
               pairs, which a snapshot keeps.

   They must be the constants below, whatever the compiler, its flags, the word size, the byte order, the forced way of
   settling, the SIMD kernel, the grid and the threads. A failed check prints the new ones.

   For the calls to be the same everywhere, coordinates are integers times a power of two, nothing here rounds, no
   function of libm is called, and every random number is drawn in a statement of its own, since C leaves the order
   within one open.

   usage: test_golden */

#include "ways.h"

/* ---- scenarios ------------------------------------------------------------------------------- */

enum { MOST_BOXES = 2048, MOST_SLOTS = 4096, MOST_OLD = 16 };

/* What a lattice coordinate stands for. */
typedef enum units {
    WHOLE, /* itself */
    TINY,  /* a denormal: its bits are the magnitude */
    VAST,  /* times 2^100 */
    COARSE /* plus 2^24 where positive, minus 2^24 where negative: odd ones are rounded */
} units;

/* What a scenario does besides adding, moving and removing. */
enum {
    STATICS = 1,
    PLANES = 2,  /* some bounds are infinite */
    MASKS = 4,   /* set_filter */
    FILTER = 8,  /* a filter callback, and refilter */
    SHIFTS = 16, /* shift_origin */
    QUERIES = 32,
    LEAPS = 64,    /* all boxes jump at once, twice */
    LIMITED = 128, /* max_boxes and max_pairs are reached */
    BLUNDERS = 256 /* bad boxes and ids */
};

typedef struct scenario {
    const char *name;
    int axes;
    units unit;
    int boxes, frames;
    int cells, size;                  /* coordinates are -cells..cells, extents 0..size */
    int movers, far;                  /* percent of the boxes that move in a frame, of these that go anywhere */
    int reach;                        /* how far the others go, in cells */
    int churn;                        /* percent of the boxes that are replaced in a frame */
    int does;                         /* STATICS and so on */
    uint64_t facts, order, snapshots; /* what must come out */
} scenario;

static const scenario scenarios[] = {
    /* name, axes, unit, boxes, frames, cells, size, movers, far, reach, churn, does, facts, order, snapshots */
    {"lattice", 0, WHOLE, 50, 60, 2, 2, 50, 10, 1, 5, STATICS | PLANES | SHIFTS | QUERIES | BLUNDERS,
     0x9d48cb622fd226c2u, 0xf2dfdf6ef1c0db5du, 0x15528ba2d886e751u},
    {"flat", SAP_2D, WHOLE, 80, 40, 20, 6, 30, 5, 1, 4, STATICS | PLANES | MASKS | QUERIES, 0x919138610efb86b2u,
     0x593431f3d8b80f2bu, 0x73aca471e492a21eu},
    {"x alone", SAP_AXIS_X, WHOLE, 24, 40, 30, 5, 40, 20, 2, 5, SHIFTS | QUERIES | BLUNDERS, 0x4a5bef959bf748fbu,
     0xc3aef2a06272c457u, 0xa28195e26915c11au},
    {"z alone", SAP_AXIS_Z, WHOLE, 24, 40, 30, 5, 40, 20, 2, 5, STATICS, 0x7b23036ab1187046u, 0xb9477aca122a26bau,
     0xd93ae139bf6706c9u},
    {"y and z", SAP_AXIS_Y | SAP_AXIS_Z, WHOLE, 40, 40, 12, 5, 100, 0, 1, 0, MASKS | FILTER | QUERIES,
     0xbf1cafc69a858c45u, 0x50b104671ad9a001u, 0x8c5a69e460fe37efu},
    {"filters", 0, WHOLE, 60, 50, 5, 4, 20, 10, 1, 5, STATICS | MASKS | FILTER | SHIFTS, 0x0859e7b30dceeac9u,
     0xa2a6ad4884212b45u, 0xfe790cb93e94c8c9u},
    {"limits", 0, WHOLE, 40, 50, 3, 3, 40, 10, 1, 10, LIMITED | BLUNDERS, 0x66b5b91c6f416549u, 0xc13e6244945bb571u,
     0xe81f03e754533be1u},
    {"generations", 0, WHOLE, 3, 700, 1, 2, 30, 50, 1, 100, QUERIES, 0x74a0d125b1bb6119u, 0xe8b0b8386c7e4cf8u,
     0x86ff6baeb28c7497u},
    {"denormals", 0, TINY, 40, 30, 4, 3, 50, 10, 1, 5, STATICS | QUERIES, 0xc2ba1a86109f765du, 0xe0ab6205cfefb9adu,
     0x2c72be26cf0e64bau},
    {"vast", 0, VAST, 40, 30, 4, 3, 50, 10, 1, 5, STATICS | PLANES | QUERIES, 0x7fa35a0e238f064au, 0x73d5dc20f4ea4c67u,
     0x0ce239fba82b1776u},
    {"rounded", 0, COARSE, 60, 30, 20, 12, 30, 5, 3, 5, SHIFTS | STATICS, 0x0a4bc39942e12c57u, 0x258b1810c54b6a19u,
     0x5f3d8a77c56e6db9u},
    {"calm", 0, WHOLE, 130, 60, 4000, 1500, 100, 0, 8, 1, LEAPS, 0x205525e0f21f7a51u, 0x7829222452ae5bebu,
     0xb24253b974dd339bu},
    {"crowd", 0, WHOLE, 1500, 10, 40, 6, 60, 2, 1, 2, STATICS | PLANES | QUERIES | LEAPS, 0x8dcc127801a4cc5cu,
     0x02d0ff0587dc3452u, 0x01af3d1e06aca956u},
};

/* ---- a game: one scenario on one way --------------------------------------------------------- */

typedef struct place {
    int lo[3], hi[3];
} place;

typedef struct game {
    const scenario *what;
    const way *way;
    sap_world *world;
    test_rng rng, dice; /* the calls; the ways of "changing" */
    uint64_t facts, order, snapshots;
    sap_id ids[MOST_BOXES], old[MOST_OLD]; /* live, in the order of adding but for removals; removed some time ago */
    int count, frame;
    place places[MOST_SLOTS];          /* by slot: where a box was put last */
    unsigned char version[MOST_SLOTS]; /* by slot: what refilter makes new */
} game;

static game playing;

static int draw(game *g, int n) {
    return test_below(&g->rng, n);
}

static int chance(game *g, int percent) {
    return test_chance(&g->rng, percent);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static uint64_t hash64(uint64_t hash, uint64_t value) {
    unsigned char bytes[8];
    int i;
    for (i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (8 * i)); /* little endian on every machine */
    return test_hash(hash, bytes, sizeof bytes);
}

static void note(game *g, long long value) {
    g->facts = hash64(g->facts, (uint64_t)value);
}

/* Events, which are sorted, or one pair. */
static void note_pairs(game *g, const sap_pair *pairs, int count) {
    int i;
    note(g, count);
    for (i = 0; i < count; i++) {
        note(g, pairs[i].id0);
        note(g, pairs[i].id1);
        note(g, (long long)(uintptr_t)pairs[i].object0);
        note(g, (long long)(uintptr_t)pairs[i].object1);
        note(g, (long long)(uintptr_t)pairs[i].user_data);
    }
}

static int compare_pairs(const void *a, const void *b) {
    const sap_pair *x = (const sap_pair *)a, *y = (const sap_pair *)b;
    if (x->id0 != y->id0) return x->id0 < y->id0 ? -1 : 1;
    return x->id1 < y->id1 ? -1 : x->id1 > y->id1;
}

/* The active pairs by their ids, so that nothing but the hash of their order depends on it. The caller frees them. */
static sap_pair *sorted_pairs(const game *g, int *count) {
    const sap_pair *pairs = sap_pairs(g->world, count);
    sap_pair *sorted = (sap_pair *)malloc(((size_t)*count + 1) * sizeof *sorted);
    if (!sorted) exit(2);
    if (*count) memcpy(sorted, pairs, (size_t)*count * sizeof *sorted);
    qsort(sorted, (size_t)*count, sizeof *sorted, compare_pairs);
    return sorted;
}

/* Visits come in no promised order: hits are added up. */
static int sum_hits(sap_id id, void *object, void *user) {
    uint64_t *sum = (uint64_t *)user;
    *sum += hash64(hash64(0, id), (uint64_t)(uintptr_t)object);
    return 1;
}

static float sum_ray_hits(sap_id id, void *object, float t, void *user) {
    (void)t;
    (void)sum_hits(id, object, user);
    return 1;
}

/* No box counts, as it were: none clips the search. */
static float sum_near_hits(sap_id id, void *object, float distance, void *user) {
    (void)distance;
    (void)sum_hits(id, object, user);
    return 3e38f;
}

static int sum_prune_hits(int i, int j, void *user) {
    uint64_t *sum = (uint64_t *)user;
    *sum += hash64(hash64(0, (uint64_t)i), (uint64_t)j);
    return 1;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

enum { FAR = 1 << 22 }; /* from here on infinite */

static uint32_t coordinate(units unit, int v) {
    uint32_t sign = v < 0 ? 0x80000000u : 0;
    int magnitude = v < 0 ? -v : v;
    if (magnitude >= FAR) return sign | 0x7f800000u;
    switch (unit) {
    case TINY: return sign | (uint32_t)magnitude;
    case VAST: return magnitude ? test_bits((float)v) + (100u << 23) : 0;
    case COARSE: return test_bits((float)(v < 0 ? v - (1 << 24) : v + (1 << 24)));
    default: return test_bits((float)v);
    }
}

static void make_box(game *g, const place *p, sap_aabb *box) {
    int k;
    for (k = 0; k < 3; k++) {
        test_set_bits(&box->min[k], coordinate(g->what->unit, p->lo[k]));
        test_set_bits(&box->max[k], coordinate(g->what->unit, p->hi[k]));
        if (g->what->unit == COARSE) continue; /* there 0 is 2^24 */
        if (p->lo[k] == 0 && chance(g, 50)) test_set_bits(&box->min[k], 0x80000000u);
        if (p->hi[k] == 0 && chance(g, 50)) test_set_bits(&box->max[k], 0x80000000u);
    }
}

static void any_place(game *g, place *p) {
    int k, whole = 2 * g->what->cells + 1;
    for (k = 0; k < 3; k++) {
        p->lo[k] = draw(g, whole) - g->what->cells;
        p->hi[k] = p->lo[k] + draw(g, g->what->size + 1);
    }
    if ((g->what->does & PLANES) && chance(g, 3)) {
        k = draw(g, 3);
        if (chance(g, 70)) p->lo[k] = -FAR;
        if (chance(g, 70)) p->hi[k] = FAR;
    }
}

/* A few cells on; now and then it grows or shrinks. */
static void nudge(game *g, place *p) {
    int k, reach = g->what->reach;
    for (k = 0; k < 3; k++) {
        int by = draw(g, 2 * reach + 1) - reach;
        if (p->lo[k] > -FAR) p->lo[k] += by;
        if (chance(g, 10)) by += draw(g, 3) - 1;
        if (p->hi[k] < FAR) p->hi[k] += by;
        if (p->hi[k] < p->lo[k]) p->hi[k] = p->lo[k];
    }
}

static place *place_of(game *g, sap_id id) {
    return &g->places[(id & 0xffffff) % MOST_SLOTS];
}

static sap_id any_id(game *g) {
    if (g->count == 0 || ((g->what->does & BLUNDERS) && chance(g, 5))) return g->old[draw(g, MOST_OLD)];
    return g->ids[draw(g, g->count)];
}

static void spoil(game *g, sap_aabb *box) {
    static const uint32_t nans[] = {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xff800001u};
    int k = draw(g, 3);
    if (!(g->what->does & BLUNDERS) || !chance(g, 5)) return;
    if (chance(g, 50))
        test_set_bits(&box->max[k], nans[draw(g, 4)]);
    else
        test_set_bits(&box->min[k], 0x7f7fffffu); /* the largest float: min > max */
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void *any_object(game *g) { /* fits every machine's pointers */
    return (void *)(uintptr_t)draw(g, 100000);
}

static void keep_id(game *g, sap_id id, const place *p) {
    note(g, id);
    if (id == 0) return;
    if (g->count == MOST_BOXES || (id & 0xffffff) >= MOST_SLOTS) {
        printf("%s needs more than MOST_BOXES or MOST_SLOTS\n", g->what->name);
        exit(1);
    }
    g->ids[g->count++] = id;
    *place_of(g, id) = *p;
    g->version[id & 0xffffff] = 0;
}

static void do_add(game *g) {
    place p;
    sap_aabb box;
    void *object = any_object(g);
    sap_id id;
    any_place(g, &p);
    make_box(g, &p, &box);
    spoil(g, &box);
    if ((g->what->does & STATICS) && chance(g, 30))
        id = sap_add_static(g->world, &box, object);
    else
        id = sap_add(g->world, &box, object);
    keep_id(g, id, &p);
    note(g, sap_last_error(g->world));
}

static void do_add_many(game *g, int n) {
    static sap_aabb boxes[MOST_BOXES];
    static place places[MOST_BOXES];
    static void *objects[MOST_BOXES];
    static sap_id ids[MOST_BOXES];
    void *const *given = chance(g, 80) ? objects : NULL;
    sap_result result;
    int i, bad;
    for (i = 0; i < n; i++) {
        any_place(g, &places[i]);
        make_box(g, &places[i], &boxes[i]);
        objects[i] = any_object(g);
    }
    bad = draw(g, n ? n : 1);
    if (n) spoil(g, &boxes[bad]);
    if ((g->what->does & STATICS) && chance(g, 30))
        result = sap_add_static_many(g->world, n, boxes, given, ids);
    else
        result = sap_add_many(g->world, n, boxes, given, ids);
    note(g, result);
    for (i = 0; result == SAP_OK && i < n; i++) keep_id(g, ids[i], &places[i]);
}

static void new_place(game *g, sap_id id, sap_aabb *box) {
    place *p = place_of(g, id);
    int leap = (g->what->does & LEAPS) && (g->frame == g->what->frames / 2 || g->frame == g->what->frames - 3);
    if (leap || chance(g, g->what->far))
        any_place(g, p);
    else
        nudge(g, p);
    make_box(g, p, box);
}

static void do_move(game *g) {
    sap_id id = any_id(g);
    sap_aabb box;
    place was = *place_of(g, id);
    new_place(g, id, &box);
    spoil(g, &box);
    note(g, sap_move(g->world, id, &box));
    if (chance(g, 10)) { /* there and back again is nothing */
        *place_of(g, id) = was;
        make_box(g, &was, &box);
        note(g, sap_move(g->world, id, &box));
    }
}

static void do_move_many(game *g, int n) {
    static sap_aabb boxes[MOST_BOXES];
    static sap_id ids[MOST_BOXES];
    int i, bad;
    if (g->count == 0) n = 0;
    for (i = 0; i < n; i++) {
        ids[i] = n == g->count ? g->ids[i] : any_id(g);
        new_place(g, ids[i], &boxes[i]);
    }
    bad = draw(g, n ? n : 1);
    if (n) spoil(g, &boxes[bad]);
    note(g, sap_move_many(g->world, n, ids, boxes));
}

/* Any of them, in any order: they gather at the end of ids. */
static sap_id take_id(game *g) {
    int i = draw(g, g->count), old = draw(g, MOST_OLD);
    sap_id id = g->ids[i];
    g->ids[i] = g->ids[--g->count];
    g->ids[g->count] = id;
    g->old[old] = id;
    return id;
}

static void do_remove_many(game *g, int n) {
    int i;
    if (n > g->count) n = g->count;
    if (n < 4) {
        for (i = 0; i < n; i++) note(g, sap_remove(g->world, take_id(g)));
        return;
    }
    for (i = 0; i < n; i++) (void)take_id(g);
    if (g->what->does & BLUNDERS) { /* one id twice: nothing happens */
        sap_id twice[2];
        twice[0] = twice[1] = g->ids[g->count];
        note(g, sap_remove_many(g->world, 2, twice));
    }
    note(g, sap_remove_many(g->world, n, g->ids + g->count));
}

static void do_set_filter(game *g) {
    sap_id id = any_id(g);
    uint32_t category = 1u << draw(g, 3);
    uint32_t mask = chance(g, 40) ? 0xffffffffu : (uint32_t)draw(g, 8);
    note(g, sap_set_filter(g->world, id, category, mask));
}

static void do_refilter(game *g) {
    sap_id id = any_id(g);
    if (sap_is_valid(g->world, id)) g->version[id & 0xffffff] = (unsigned char)draw(g, 4);
    note(g, sap_refilter(g->world, id));
}

static void do_set_pair_data(game *g) {
    int count, i, at, by_index = chance(g, 30);
    sap_pair *pairs = sorted_pairs(g, &count);
    void *data = any_object(g);
    sap_id a = any_id(g), b;
    i = draw(g, count ? count : 1);
    b = count ? pairs[i].id1 : 0;
    if (chance(g, 80) && count) a = pairs[i].id0;
    free(pairs);
    if (by_index) {
        const sap_pair *there = sap_find_pair(g->world, a, b);
        at = there ? (int)(there - sap_pairs(g->world, &count)) : count;
        note(g, sap_set_pair_data_at(g->world, at, data));
    } else
        note(g, sap_set_pair_data(g->world, b, a, data));
}

static void do_set_object(game *g) {
    sap_id id = any_id(g);
    note(g, sap_set_object(g->world, id, any_object(g)));
}

static void do_set_static(game *g) {
    sap_id id = any_id(g);
    note(g, sap_set_static(g->world, id, chance(g, 50)));
}

static void do_set_filter_many(game *g) {
    sap_id ids[3];
    uint32_t category = 1u << draw(g, 3);
    int i;
    for (i = 0; i < 3; i++) ids[i] = any_id(g);
    note(g, sap_set_filter_many(g->world, 3, ids, category, 0xffffffffu));
}

static void do_shift_origin(game *g) {
    float offset[3];
    int k, s;
    for (k = 0; k < 3; k++) offset[k] = (float)(draw(g, 9) - 4);
    if (chance(g, 10)) test_set_bits(&offset[draw(g, 3)], 0x7fc00000u);
    note(g, sap_shift_origin(g->world, offset));
    if (sap_last_error(g->world) != SAP_OK) return;
    for (s = 0; s < MOST_SLOTS; s++)
        for (k = 0; k < 3; k++) {
            if (test_is_nan(offset[k])) continue; /* on an axis that is not used */
            if (g->places[s].lo[k] > -FAR) g->places[s].lo[k] -= (int)offset[k];
            if (g->places[s].hi[k] < FAR) g->places[s].hi[k] -= (int)offset[k];
        }
}

/* ---- callbacks ------------------------------------------------------------------------------- */

/* Three of four pairs exist; the answer changes only with refilter. */
static int some_pairs(const sap_pair *pair, void *user) {
    const game *g = (const game *)user;
    uint64_t hash = hash64(hash64(0, (uint64_t)(uintptr_t)pair->object0), (uint64_t)(uintptr_t)pair->object1);
    uint32_t versions = (uint32_t)g->version[pair->id0 & 0xffffff] << 8 | g->version[pair->id1 & 0xffffff];
    return (hash64(hash, versions) >> 20 & 3) != 0;
}

static void end(const sap_pair *pair, void *user) {
    game *g = (game *)user;
    note_pairs(g, pair, 1);
    if (chance(g, 5)) note(g, sap_set_filter(g->world, pair->id0, 1, 0xffffffffu)); /* it may be gone */
}

/* What is recorded in here counts at the next update. */
static void *begin(const sap_pair *pair, void *user) {
    game *g = (game *)user;
    note_pairs(g, pair, 1);
    switch (draw(g, 60)) {
    case 0: do_add(g); break;
    case 1: do_move(g); break;
    case 2: do_refilter(g); break;
    case 3: note(g, sap_update(g->world)); break; /* refused */
    default: break;
    }
    return (void *)(uintptr_t)draw(g, 100000);
}

/* ---- a frame --------------------------------------------------------------------------------- */

static void record(game *g) {
    const scenario *w = g->what;
    int busy = w->boxes < 100 ? w->boxes : 100, i, n;
    if (w->churn && g->frame % 30 == 29) {
        note(g, sap_clear(g->world));
        while (g->count) (void)take_id(g);
    } else if (w->churn && g->frame % 10 == 9)
        do_remove_many(g, g->count / 2);
    else
        do_remove_many(g, w->churn == 100 ? g->count : draw(g, 2 * g->count * w->churn / 100 + 1));
    if (g->frame == 0)
        do_add_many(g, w->boxes / 2);
    else if (g->count < w->boxes) {
        n = draw(g, w->boxes - g->count + 1);
        if (w->churn == 100) n = w->boxes - g->count;
        if (chance(g, 50))
            do_add_many(g, n);
        else
            for (; n > 0; n--) do_add(g);
    }
    n = g->count * w->movers / 100;
    if (n == g->count || chance(g, 50))
        do_move_many(g, n);
    else
        for (i = 0; i < n; i++) do_move(g);
    for (i = draw(g, 2 + busy / 4); i > 0; i--) {
        switch (draw(g, 11)) {
        case 0:
            if (w->does & MASKS) do_set_filter(g);
            break;
        case 1: do_refilter(g); break;
        case 2: do_set_pair_data(g); break;
        case 3:
            if ((w->does & SHIFTS) && chance(g, 20)) do_shift_origin(g);
            break;
        case 4: /* added and gone before any update has seen it */
            if (g->count + 1 < w->boxes) {
                do_add(g);
                do_remove_many(g, 1);
            }
            break;
        case 5: do_set_object(g); break;
        case 6:
            if (w->does & STATICS) do_set_static(g);
            break;
        case 7:
            if (w->does & MASKS) do_set_filter_many(g);
            break;
        default: break;
        }
    }
}

/* What is recorded, and what is settled. */
static void look(game *g) {
    const sap_pair *pairs;
    sap_pair *sorted;
    sap_stats stats;
    int i, k, count;
    note(g, sap_count(g->world));
    note(g, sap_last_error(g->world));
    pairs = sap_created(g->world, &count);
    note_pairs(g, pairs, count);
    pairs = sap_deleted(g->world, &count);
    note_pairs(g, pairs, count);
    sorted = sorted_pairs(g, &count);
    note_pairs(g, sorted, count);
    free(sorted);
    pairs = sap_pairs(g->world, &count);
    for (i = 0; i < count; i++) g->order = hash64(g->order, (uint64_t)pairs[i].id0 << 32 | pairs[i].id1);
    for (i = 0; i < 8; i++) {
        sap_id id = any_id(g), old = g->old[draw(g, MOST_OLD)], others[20];
        uint32_t category = 0, mask = 0;
        sap_aabb box;
        const sap_pair *pair;
        memset(&box, 0, sizeof box);
        note(g, sap_is_valid(g->world, old));
        note(g, (long long)(uintptr_t)sap_get_object(g->world, id));
        note(g, sap_is_static(g->world, id));
        note(g, sap_next(g->world, old));
        note(g, sap_get_filter(g->world, id, &category, &mask));
        note(g, category);
        note(g, mask);
        note(g, sap_get_box(g->world, id, &box));
        for (k = 0; k < 3; k++) {
            note(g, test_bits(box.min[k]));
            note(g, test_bits(box.max[k]));
        }
        count = sap_pairs_of(g->world, id, others, 20);
        note(g, count);
        for (k = 0; k < count && k < 20; k++) note(g, others[k]);
        note(g, sap_pairs_of(g->world, old, others, 20));
        pair = sap_find_pair(g->world, id, old);
        if (count > 0) pair = sap_find_pair(g->world, id, others[0]);
        note_pairs(g, pair, pair != NULL);
    }
    sap_get_stats(g->world, &stats);
    note(g, stats.boxes);
    note(g, stats.static_boxes);
    note(g, stats.pairs);
    note(g, stats.created);
    note(g, stats.deleted);
}

/* Boxes and points are compared and not computed with; distances and times are small integers times powers of two,
   so that no rounding decides about a hit. */
static void ask(game *g) {
    sap_aabb box;
    place p;
    int k, axis;
    float point[3], along[3] = {0, 0, 0}, length, reach;
    uint64_t sum = 0;
    uint32_t mask = chance(g, 80) ? 0xffffffffu : (uint32_t)draw(g, 8);
    any_place(g, &p);
    make_box(g, &p, &box);
    note(g, sap_query_box(g->world, &box, mask, sum_hits, &sum));
    for (k = 0; k < 3; k++) {
        if (p.lo[k] <= -FAR) p.lo[k] = draw(g, 9);
        if (p.hi[k] >= FAR) p.hi[k] = p.lo[k] + 1;
    }
    make_box(g, &p, &box);
    for (k = 0; k < 3; k++) point[k] = box.min[k];
    note(g, sap_query_point(g->world, point, mask, sum_hits, &sum));
    test_set_bits(&length, coordinate(g->what->unit, 1 << draw(g, 5)));
    test_set_bits(&reach, coordinate(g->what->unit, draw(g, 10)));
    axis = draw(g, 3);
    test_set_bits(&along[axis], test_bits(length) | (chance(g, 50) ? 0x80000000u : 0));
    note(g, sap_query_sphere(g->world, point, reach, mask, sum_hits, &sum));
    note(g, sap_ray_cast(g->world, point, along, mask, sum_ray_hits, &sum));
    note(g, sap_box_cast(g->world, &box, along, mask, sum_ray_hits, &sum));
    note(g, sap_ray_closest(g->world, point, along, mask, NULL));
    note(g, sap_nearest(g->world, point, reach, mask, NULL));
    note(g, sap_query_nearest(g->world, point, reach, mask, sum_near_hits, &sum));
    note(g, sap_nearest_to(g->world, any_id(g), reach, mask, NULL));
    note(g, (long long)sum);
}

static void prune(game *g) {
    static sap_aabb boxes[MOST_BOXES];
    uint64_t sum = 0;
    int i, half = g->count / 2;
    for (i = 0; i < g->count; i++) (void)sap_get_box(g->world, g->ids[i], &boxes[i]);
    note(g, sap_box_prune(boxes, g->count, g->what->axes, sum_prune_hits, &sum));
    note(g, sap_box_prune_bipartite(boxes, half, boxes + half, g->count - half, g->what->axes, sum_prune_hits, &sum));
    note(g, (long long)sum);
}

static void settle(game *g) {
    vary_way(g->world, g->way, &g->dice);
    if (chance(g, 50))
        note(g, sap_update(g->world));
    else
        note(g, sap_dump_pairs(g->world, begin, end, g));
    look(g);
    if ((g->what->does & QUERIES) && chance(g, 50)) ask(g);
    if (g->frame % 8 == 7) prune(g);
    g->frame++;
}

/* ---- whole games ----------------------------------------------------------------------------- */

static sap_world *open_world(game *g) {
    sap_config config;
    memset(&config, 0, sizeof config);
    config.axes = g->what->axes;
    if (g->what->does & LIMITED) {
        config.max_boxes = g->what->boxes * 3 / 4;
        config.max_pairs = g->what->boxes / 2;
    }
    if (g->what->does & FILTER) {
        config.filter = some_pairs;
        config.filter_user = g;
    }
    return open_way(&config, g->way);
}

/* Saves, plays on for a while, and takes it back: with a part of the frame recorded and not yet settled. */
static void look_ahead(game *g) {
    static game before;
    size_t size = sap_snapshot_size(g->world);
    unsigned char *bytes = (unsigned char *)malloc(size);
    int other = chance(g, 50); /* restore into a new world */
    if (!bytes) exit(1);
    note(g, sap_save(g->world, bytes, size));
    g->snapshots = test_hash(g->snapshots, bytes, size);
    before = *g;
    settle(g);
    record(g);
    settle(g);
    before.facts = g->facts;
    before.order = g->order;
    before.world = g->world;
    *g = before;
    if (other) {
        sap_destroy(g->world);
        g->world = open_world(g);
    }
    note(g, sap_restore(g->world, bytes, size));
    look(g);
    free(bytes);
}

static void check_hash(const game *g, const char *what, uint64_t seen, uint64_t expected) {
    CHECK_MESSAGE(seen == expected, "%s, %s: the hash of %s is 0x%08lx%08lxu", g->what->name, g->way->name, what,
                  (unsigned long)(seen >> 32), (unsigned long)(seen & 0xffffffffu));
}

static void play(const scenario *w, const way *how) {
    game *g = &playing;
    memset(g, 0, sizeof *g);
    g->what = w;
    g->way = how;
    g->facts = g->order = g->snapshots = 14695981039346656037u;
    g->world = open_world(g);
    if (!g->world) return; /* not on this machine */
    while (g->frame < w->frames) {
        record(g);
        if (g->frame % 8 == 4) look_ahead(g);
        settle(g);
    }
    check_hash(g, "facts", g->facts, w->facts);
    check_hash(g, "order of pairs", g->order, w->order);
    check_hash(g, "snapshots", g->snapshots, w->snapshots);
    sap_destroy(g->world);
}

int main(void) {
    size_t i, k;
    for (i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        for (k = 0; k < WAYS; k++) play(&scenarios[i], &ways[k]);
    return test_summary();
}
