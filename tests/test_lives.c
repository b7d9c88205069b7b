/* test_lives.c - structured lives of worlds against brute force: no pair is lost.

   A life is a world of one to four roles (bullets that do not meet their like, few players, walls, planes, ...), with a
   population near a number at which the code changes its ways, that goes through a few phases (waves, streaming, quiet,
   migration, ...). Each life takes few of all these. The same calls go to one to three worlds: other methods and
   kernels, any grid, threads, a world restored half-way. After every update everything that can be
   seen is what oracle.h says, and all worlds agree byte by byte.

   usage: test_lives [lives] [first seed]    default 300 from 1; a failure names its seed, and the life is run again by
                                             test_lives 1 SEED
          test_lives -s SECONDS [first seed]
          test_lives -v ...                  also says what each life consists of
          test_lives -w N ...                worlds 0 to N - 1 of each life alone, to find a smaller case */

#include <time.h>

#include "ways.h"

#include "oracle.h"
#include "scenes.h"
#include "threads.h"

enum { MOST_WORLDS = 3, MOST_ROLES = 4, MOST_PHASES = 5, MOST_ACTIONS = 4, MOST_PAIRS = 150000 };

typedef struct life life;

typedef struct world {
    sap_world *s;
    const char *name;
    int method;   /* of its config */
    int changing; /* another method and kernel before each update */
    int threads;
    int has_no_events; /* a snapshot brings none */
    test_rng shuffle;
} world;

/* ---- roles --------------------------------------------------------------------------------------------------- */

typedef enum shape { CUBE, POINT, LONG_X, LONG_Y, LONG_Z, GROUND, PLANE, SIZES, UNIT } shape;

typedef struct role_kind {
    const char *name;
    shape shape;
    float size;
    int is_static;
    uint32_t category, mask; /* category 0: one for each box, from 2 on */
    int few;                 /* at most so many; 0: it may be the crowd */
    int moves;               /* percent of its boxes that move in a step; */
    int jumps;               /* percent of these that jump anywhere */
} role_kind;

enum {
    CROWD = 0x1,
    BULLET = 0x10000,
    SPARK = 0x20000,
    PLAYER = 0x40000,
    WALL = 0x80000,
    TRIGGER = 0x100000,
    ALONE = 0x200000
};

static const role_kind role_kinds[] = {
    {"walkers", CUBE, 1, 0, CROWD, ~0u, 0, 100, 0},
    {"some that walk", CUBE, 1, 0, CROWD, ~0u, 0, 20, 2},
    {"sleepers", CUBE, 1, 0, CROWD, ~0u, 0, 1, 0},
    {"apart", CUBE, 1, 0, CROWD, ~(uint32_t)CROWD, 0, 100, 0},
    {"bullets", POINT, 0, 0, BULLET, ~(uint32_t)BULLET, 0, 100, 3},
    {"sparks", CUBE, 0.1f, 0, SPARK, PLAYER | WALL, 0, 100, 20},
    {"statics", CUBE, 1, 1, CROWD, ~0u, 0, 0, 0},
    {"scenery", UNIT, 1, 1, WALL, ~0u, 0, 0, 0},
    {"sizes", SIZES, 1, 0, CROWD, ~0u, 0, 30, 5},
    {"units", UNIT, 1, 0, CROWD, ~0u, 0, 40, 10},
    {"points", POINT, 0, 0, CROWD, ~0u, 0, 50, 10},
    {"ghosts", CUBE, 3, 0, CROWD, 0, 0, 10, 0},
    {"disabled", CUBE, 5, 0, 0x400000, 0, 150, 10, 10},
    {"own categories", CUBE, 1, 0, 0, ~0u, 30, 33, 100},
    {"players", CUBE, 2, 0, PLAYER, ~0u, 8, 100, 5},
    {"one alone", CUBE, 1, 0, ALONE, ~0u, 1, 100, 30},
    {"triggers", CUBE, 6, 1, TRIGGER, PLAYER | CROWD, 40, 0, 0},
    {"walls along x", LONG_X, 0.5f, 1, WALL, ~0u, 60, 0, 0},
    {"walls along y", LONG_Y, 0.5f, 1, WALL, ~(uint32_t)WALL, 60, 2, 100},
    {"walls along z", LONG_Z, 0.5f, 0, WALL, ~0u, 40, 10, 50},
    {"ground", GROUND, 1, 1, WALL, ~0u, 2, 0, 0},
    {"planes", PLANE, 0, 0, WALL, ~(uint32_t)WALL, 6, 5, 100},
    {"beams", LONG_X, 0.2f, 0, BULLET, ~(uint32_t)BULLET, 100, 50, 50},
};
enum { ROLE_KINDS = sizeof role_kinds / sizeof role_kinds[0] };

typedef struct role {
    const role_kind *kind;
    int wanted; /* so many boxes */
    int moves, jumps;
} role;

typedef enum layout { UNIFORM, LATTICE, ONE_POINT, FEW_POINTS, LINE, PLATE, CLUSTERS, LAYOUTS } layout;
static const char *const layout_names[] = {"uniform", "lattice", "one point", "few points",
                                           "line",    "plate",   "clusters"};

/* ---- a life -------------------------------------------------------------------------------------------------- */

typedef struct action { /* inside a callback */
    enum { MOVE, ADD, REMOVE, SET_OBJECT, SET_FILTER, SET_STATIC } kind;
    long at; /* with the event of this number, those that end first; or with the first hit */
    sap_id id;
    sap_aabb box;
    void *object, *old_object;
    uint32_t category, mask;
    sap_result result;
} action;

struct life {
    uint64_t seed;
    test_rng rng;  /* the calls */
    test_rng dice; /* what is asked; */
    test_rng look; /* how each world is looked at; */
    test_rng draw; /* what worlds are */
    oracle o;
    unsigned char *role_of; /* by slot */
    int role_capacity;
    world worlds[MOST_WORLDS];
    int world_count;
    int restores_half_way;

    role roles[MOST_ROLES];
    int role_count, population;
    layout layout;
    int axes, spread; /* axes on which boxes differ in place */
    float side, middle[3], reach;
    int exact; /* all coordinates are small multiples of 1/8 */

    int filtered;      /* a filter refuses one pair in four, */
    uint32_t salt;     /* drawn by this */
    uint32_t *version; /* by slot */
    int version_capacity;
    int memory_fails, asks, acts, dumps; /* percent of the steps */

    action actions[MOST_ACTIONS];
    int action_count;
    long shown;
    const world *shown_to;

    struct {
        int is_there, filtered;
        void *bytes;
        size_t size;
        oracle o;
        unsigned char *role_of;
        uint32_t *version, salt;
    } saved;

    const char *phase;
    int phase_number, step, update, bad;
    long long work, most_work;
};

static long long all_updates, all_settled; /* updates, and these times worlds */
static int most_worlds = MOST_WORLDS, verbose;

static int holds(life *l, const world *w, int ok, const char *what, int line) {
    if (test_check(ok, __FILE__, line, "%s (life %llu, step %d, %s, %s; again: test_lives 1 %llu)", what,
                   (unsigned long long)l->seed, l->step, l->phase, w ? w->name : "oracle", (unsigned long long)l->seed))
        return 1;
    l->bad = 1;
    return 0;
}

#define HOLDS(l, w, condition) holds(l, w, (condition) ? 1 : 0, #condition, __LINE__)

static void arm(life *l) {
    if (!l->memory_fails || !test_chance(&l->look, l->memory_fails)) return;
    fail_from = allocations + test_below(&l->look, test_chance(&l->look, 50) ? 2 : 12);
    fail_count = 1 + test_below(&l->look, 3);
}

/* Whether the call may be made again: memory had been told to fail. */
static int is_to_repeat(sap_result result) {
    const int armed = fail_from >= 0;
    never_fail();
    return armed && result == SAP_ERROR_MEMORY;
}

/* One call on every world w, which answers what is expected. Where it has no memory it has done nothing, and is made
   again. */
#define ALL(l, call, expected)                                                                                         \
    do {                                                                                                               \
        int i_;                                                                                                        \
        for (i_ = 0; i_ < (l)->world_count && !(l)->bad; i_++) {                                                       \
            world *w = &(l)->worlds[i_];                                                                               \
            sap_result seen_;                                                                                          \
            int tries_ = 0;                                                                                            \
            do {                                                                                                       \
                if (tries_++ < 8) arm(l);                                                                              \
                seen_ = (call);                                                                                        \
            } while (is_to_repeat(seen_));                                                                             \
            HOLDS(l, w, seen_ == (expected));                                                                          \
            if (seen_ != (expected)) printf("  " #call ": %s\n", sap_result_text(seen_));                              \
            HOLDS(l, w, sap_last_error(w->s) == (expected));                                                           \
        }                                                                                                              \
    } while (0)

static void set_role(life *l, sap_id id, int r) {
    const int slot = (int)SAP_SLOT(id), before = l->version_capacity;
    l->role_of = (unsigned char *)model_grow(l->role_of, &l->role_capacity, slot + 1, 1);
    l->role_of[slot] = (unsigned char)r;
    l->version = (uint32_t *)model_grow(l->version, &l->version_capacity, slot + 1, sizeof *l->version);
    if (l->version_capacity > before)
        memset(l->version + before, 0, (size_t)(l->version_capacity - before) * sizeof *l->version);
}

static role *role_of(life *l, int slot) {
    return &l->roles[l->role_of[slot]];
}

/* Three of four pairs exist. */
static int some_pairs(const sap_pair *pair, void *user) {
    const life *l = (const life *)user;
    uint32_t key[5];
    key[0] = pair->id0;
    key[1] = pair->id1;
    key[2] = l->salt;
    key[3] = l->version[SAP_SLOT(pair->id0)];
    key[4] = l->version[SAP_SLOT(pair->id1)];
    return test_hash(14695981039346656037u, key, sizeof key) >> 20 & 3 ? 1 : 0;
}

/* ---- places -------------------------------------------------------------------------------------------------- */

static float eighth(float x) {
    return (float)(int)(x * 8) / 8;
}

static float place_on(life *l, int axis) {
    const float half = l->side / 2;
    if (!(l->spread >> axis & 1)) return l->middle[axis];
    switch (l->layout) {
    case LATTICE: return l->middle[axis] + (float)(test_below(&l->rng, 1 + (int)l->side) - (int)half);
    case ONE_POINT: return l->middle[axis];
    case FEW_POINTS: return l->middle[axis] + (float)(test_below(&l->rng, 3) - 1) * half;
    case CLUSTERS:
        return l->middle[axis] + (float)(test_below(&l->rng, 5) - 2) * half / 2 + test_uniform(&l->rng, -2, 2);
    default: return l->middle[axis] + test_uniform(&l->rng, -half, half);
    }
}

static void shape_on(life *l, const role_kind *kind, int axis, float at, float scale, float *low, float *high) {
    static const shape along[] = {LONG_X, LONG_Y, LONG_Z};
    float size = kind->size * scale;
    switch (kind->shape) {
    case POINT: size = 0; break;
    case GROUND: size = axis == 1 ? 1 : 4 * l->side + 1000; break;
    case LONG_X:
    case LONG_Y:
    case LONG_Z:
        if (kind->shape == along[axis]) size = l->side * test_uniform(&l->rng, 0.2f, 1.5f);
        break;
    case PLANE:
        if (axis == 1) break;
        *low = -TEST_INFINITY;
        *high = TEST_INFINITY;
        return;
    case CUBE:
        if (!l->exact) size *= test_uniform(&l->rng, 0.5f, 1.5f);
        break;
    default: break;
    }
    if (l->exact) size = eighth(size);
    *low = at - size / 2;
    *high = at + size / 2;
    if (l->exact && kind->shape != GROUND) {
        *low = eighth(at);
        *high = eighth(at) + size;
    }
}

static sap_aabb new_box(life *l, const role_kind *kind) {
    sap_aabb box;
    int axis, turn = test_below(&l->rng, 3);
    float scale = 1;
    memset(&box, 0, sizeof box);
    if (kind->shape == SIZES) {
        const int tens = test_below(&l->rng, 100);
        scale = tens < 60 ? 1 : tens < 85 ? 10 : tens < 97 ? 100 : tens < 99 ? 1e4f : 1e6f;
    }
    if (kind->shape != PLANE) turn = 0;
    for (axis = 0; axis < 3; axis++)
        shape_on(l, kind, (axis + turn) % 3, place_on(l, axis), scale, &box.min[axis], &box.max[axis]);
    scene_spoil_unused(&l->rng, l->axes, &box);
    return box;
}

static sap_aabb moved_by(const life *l, sap_aabb box, const float by[3]) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (!(l->axes >> axis & 1) || !test_is_finite(box.min[axis]) || !test_is_finite(box.max[axis])) continue;
        scene_interval(&box, axis, box.min[axis] + by[axis], box.max[axis] + by[axis]);
    }
    return box;
}

static sap_aabb walked(life *l, sap_aabb box) {
    float by[3];
    int axis;
    for (axis = 0; axis < 3; axis++) {
        by[axis] = l->spread >> axis & 1 ? test_uniform(&l->rng, -l->reach, l->reach) : 0;
        if (l->exact) by[axis] = (float)(test_below(&l->rng, 3) - 1) * 0.5f;
    }
    return moved_by(l, box, by);
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

static void *any_object(life *l) {
    return (void *)(uintptr_t)(test_random(&l->rng) & 0xffffff);
}

static sap_id any_live(life *l) {
    int i;
    if (l->o.m.live == 0) return 0;
    for (i = 0; i < 400; i++) {
        const int slot = test_below(&l->rng, l->o.m.slot_count);
        if (l->o.m.slots[slot].live) return l->o.m.slots[slot].id;
    }
    for (i = 1; !l->o.m.slots[i].live;) i++;
    return l->o.m.slots[i].id;
}

/* Ids of live boxes of a role, or of all (-1), in an array of the caller. */
static sap_id *ids_of(const life *l, int r, int *count) {
    sap_id *ids = (sap_id *)malloc((size_t)l->o.m.slot_count * sizeof *ids);
    int slot;
    if (!ids) exit(2);
    *count = 0;
    for (slot = 1; slot < l->o.m.slot_count; slot++)
        if (l->o.m.slots[slot].live && (r < 0 || l->role_of[slot] == r)) ids[(*count)++] = l->o.m.slots[slot].id;
    return ids;
}

static int count_of(const life *l, int r) {
    int slot, n = 0;
    for (slot = 1; slot < l->o.m.slot_count; slot++) n += l->o.m.slots[slot].live && l->role_of[slot] == r;
    return n;
}

/* The first n are drawn from all count. */
static void draw_first(life *l, sap_id *ids, int count, int n) {
    int i;
    for (i = 0; i < n; i++) {
        const int j = i + test_below(&l->rng, count - i);
        const sap_id id = ids[i];
        ids[i] = ids[j];
        ids[j] = id;
    }
}

static void set_filter(life *l, sap_id id, uint32_t category, uint32_t mask) {
    const model_box *b = model_find(&l->o.m, id);
    sap_result result;
    if (b) oracle_ask(&l->o, (int)SAP_SLOT(id));
    result = model_set_filter(&l->o.m, id, category, mask);
    ALL(l, sap_set_filter(w->s, id, category, mask), result);
}

static void set_filter_many(life *l, int n, const sap_id *ids, uint32_t category, uint32_t mask) {
    int i;
    for (i = 0; i < n; i++) {
        const model_box *b = model_find(&l->o.m, ids[i]);
        if (b) oracle_ask(&l->o, (int)SAP_SLOT(ids[i]));
        (void)model_set_filter(&l->o.m, ids[i], category, mask);
    }
    if (test_chance(&l->rng, 50))
        ALL(l, sap_set_filter_many(w->s, n, ids, category, mask), SAP_OK);
    else
        for (i = 0; i < n && !l->bad; i++) ALL(l, sap_set_filter(w->s, ids[i], category, mask), SAP_OK);
}

static void set_static(life *l, sap_id id, int is_static) {
    const model_box *b = model_find(&l->o.m, id);
    sap_result result;
    if (b && b->is_static != is_static) oracle_ask(&l->o, (int)SAP_SLOT(id));
    result = model_set_static(&l->o.m, id, is_static);
    ALL(l, sap_set_static(w->s, id, is_static), result);
}

/* SAP_ERROR_ID if the ids are not those that are expected. One by one an add that had no memory is made again. */
static sap_result added(world *w, int is_static, int at_once, int n, const sap_aabb *boxes, void *const *objects,
                        const sap_id *ids, sap_id *seen) {
    sap_result result = SAP_OK;
    int i;
    for (i = 0; i < n; i++) seen[i] = 77;
    if (at_once)
        result = is_static ? sap_add_static_many(w->s, n, boxes, objects, seen)
                           : sap_add_many(w->s, n, boxes, objects, seen);
    else
        for (i = 0; i < n; i++) {
            seen[i] = is_static ? sap_add_static(w->s, &boxes[i], objects[i]) : sap_add(w->s, &boxes[i], objects[i]);
            if (seen[i]) continue;
            result = sap_last_error(w->s);
            if (!is_to_repeat(result)) return result;
            i--;
            result = SAP_OK;
        }
    if (result == SAP_OK && n && memcmp(ids, seen, (size_t)n * sizeof *ids) != 0) return SAP_ERROR_ID;
    return result;
}

/* So many boxes of a role come, in one call or one by one; fewer where there is a limit. */
static void add_boxes(life *l, int r, int n) {
    const role_kind *kind = l->roles[r].kind;
    sap_aabb *boxes = (sap_aabb *)malloc((size_t)(n + 1) * sizeof *boxes);
    void **objects = (void **)malloc((size_t)(n + 1) * sizeof *objects);
    sap_id *ids = (sap_id *)malloc((size_t)(n + 1) * sizeof *ids),
           *seen = (sap_id *)malloc((size_t)(n + 1) * sizeof *ids);
    const int at_once = test_chance(&l->rng, 70);
    sap_result result;
    int i;
    if (!boxes || !objects || !ids || !seen) exit(2);
    if (l->o.m.max_boxes && n > l->o.m.max_boxes - l->o.m.live) { /* one more than there may be is refused */
        const sap_aabb box = new_box(l, kind);
        n = l->o.m.max_boxes - l->o.m.live;
        if (n == 0) ALL(l, sap_add(w->s, &box, NULL) ? SAP_OK : sap_last_error(w->s), SAP_ERROR_LIMIT);
    }
    for (i = 0; i < n; i++) {
        boxes[i] = new_box(l, kind);
        objects[i] = any_object(l);
    }
    result = model_add_many(&l->o.m, n, boxes, objects, kind->is_static, ids);
    for (i = 0; i < n; i++) set_role(l, ids[i], r);
    if (n) ALL(l, added(w, kind->is_static, at_once, n, boxes, objects, ids, seen), result);
    if (!l->bad && kind->category == 0)
        for (i = 0; i < n; i++) set_filter(l, ids[i], 2u << test_below(&l->rng, 15), kind->mask);
    else if (!l->bad && (kind->category != 1 || kind->mask != ~0u))
        set_filter_many(l, n, ids, kind->category, kind->mask);
    free(boxes);
    free(objects);
    free(ids);
    free(seen);
}

static void remove_boxes(life *l, int n, const sap_id *ids) {
    int i;
    for (i = 0; i < n; i++) HOLDS(l, NULL, model_remove_many(&l->o.m, 1, &ids[i]) == SAP_OK);
    if (test_chance(&l->rng, 70))
        ALL(l, sap_remove_many(w->s, n, ids), SAP_OK);
    else
        for (i = 0; i < n && !l->bad; i++) ALL(l, sap_remove(w->s, ids[i]), SAP_OK);
}

/* Makes moves of which the last is of no box, which moves none. */
static void move_in_vain(life *l, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap_id *bad = (sap_id *)malloc((size_t)n * sizeof *bad);
    if (!bad) exit(2);
    memcpy(bad, ids, (size_t)n * sizeof *bad);
    bad[n - 1] = 0;
    ALL(l, sap_move_many(w->s, n, bad, boxes), SAP_ERROR_ID);
    free(bad);
}

static void move_boxes(life *l, int n, const sap_id *ids, const sap_aabb *boxes) {
    int i;
    if (n % 4 == 2) move_in_vain(l, n, ids, boxes);
    HOLDS(l, NULL, model_move_many(&l->o.m, n, ids, boxes) == SAP_OK);
    if (n > 1 && test_chance(&l->rng, 50))
        ALL(l, sap_move_many(w->s, n, ids, boxes), SAP_OK);
    else
        for (i = 0; i < n && !l->bad; i++) ALL(l, sap_move(w->s, ids[i], &boxes[i]), SAP_OK);
}

/* Moves what a function says, of the boxes of a role or of all: it answers 0 for a box that stays. */
typedef int moves_how(life *l, int slot, const void *how, sap_aabb *box);
static void move_all(life *l, int r, moves_how *moves, const void *how) {
    int count, i, n = 0;
    sap_id *ids = ids_of(l, r, &count);
    sap_aabb *boxes = (sap_aabb *)malloc((size_t)(count + 1) * sizeof *boxes);
    if (!boxes) exit(2);
    for (i = 0; i < count; i++) {
        const int slot = (int)SAP_SLOT(ids[i]);
        boxes[n] = l->o.m.slots[slot].box;
        if (!moves(l, slot, how, &boxes[n])) continue;
        scene_spoil_unused(&l->rng, l->axes, &boxes[n]);
        ids[n++] = ids[i];
    }
    move_boxes(l, n, ids, boxes);
    free(ids);
    free(boxes);
}

/* ---- what is seen -------------------------------------------------------------------------------------------- */

static uint64_t print_of_pair(const sap_pair *p) {
    uint64_t z = ((uint64_t)p->id0 << 32 | p->id1) * 0x9e3779b97f4a7c15u;
    z ^= (uint64_t)(uintptr_t)p->object0 * 0xbf58476d1ce4e5b9u + (uint64_t)(uintptr_t)p->object1 * 0x94d049bb133111ebu;
    z ^= (uint64_t)(uintptr_t)p->user_data * 0xd6e8feb86659fd93u;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
    return z ^ (z >> 29);
}

static uint64_t print_of_pairs(const sap_pair *pairs, int count) {
    uint64_t sum = (uint64_t)count;
    int i;
    for (i = 0; i < count; i++) sum += print_of_pair(&pairs[i]);
    return sum;
}

static uint64_t print_of_world(const world *w) {
    int count = -1;
    const sap_pair *pairs = sap_pairs(w->s, &count);
    return print_of_pairs(pairs, count);
}

static void print_first_difference(const char *what, const sap_pair *seen, int seen_count, const sap_pair *expected,
                                   int count) {
    int i = 0, j = 0;
    printf("  %s: %d, expected %d\n", what, seen_count, count);
    while (i < seen_count && j < count && memcmp(&seen[i], &expected[j], sizeof *seen) == 0) i++, j++;
    if (i < seen_count)
        printf("  seen     %08x %08x %p %p %p\n", (unsigned)seen[i].id0, (unsigned)seen[i].id1, seen[i].object0,
               seen[i].object1, seen[i].user_data);
    if (j < count)
        printf("  expected %08x %08x %p %p %p\n", (unsigned)expected[j].id0, (unsigned)expected[j].id1,
               expected[j].object0, expected[j].object1, expected[j].user_data);
}

static void compare_events(life *l, const world *w, const sap_pair *seen, int count, const model_pairs *expected,
                           const char *what) {
    const int same =
        count == expected->count && (count == 0 || memcmp(seen, expected->items, (size_t)count * sizeof *seen) == 0);
    if (!same) print_first_difference(what, seen, count, expected->items, expected->count);
    holds(l, w, same, what, __LINE__);
}

static void compare_pairs(life *l, const world *w) {
    const model_pairs *expected = &l->o.m.pairs;
    int count = -1, first_count = -1, i, wrong = 0;
    const sap_pair *pairs = sap_pairs(w->s, &count), *first = sap_pairs(l->worlds[0].s, &first_count);
    if (w != &l->worlds[0])
        HOLDS(l, w, count == first_count && (count == 0 || memcmp(pairs, first, (size_t)count * sizeof *pairs) == 0));
    else if (print_of_pairs(pairs, count) != print_of_pairs(expected->items, expected->count)) {
        sap_pair *sorted = (sap_pair *)malloc((size_t)(count + 1) * sizeof *sorted);
        if (!sorted) exit(2);
        if (count) memcpy(sorted, pairs, (size_t)count * sizeof *sorted);
        if (count) qsort(sorted, (size_t)count, sizeof *sorted, model_compare_pairs);
        print_first_difference("pairs", sorted, count, expected->items, expected->count);
        free(sorted);
        holds(l, w, 0, "the pairs are those that overlap", __LINE__);
    }
    for (i = 0; i < 4 && count > 0 && test_chance(&l->look, 30); i++) {
        const sap_pair *p = &expected->items[test_below(&l->look, expected->count)];
        const sap_pair *there = sap_find_pair(w->s, p->id1, p->id0);
        wrong += !there || memcmp(there, p, sizeof *p) != 0;
        wrong += sap_pairs_of(w->s, p->id0, NULL, 0) < 1;
    }
    HOLDS(l, w, wrong == 0);
}

static void compare_boxes(life *l, const world *w, int tries) {
    const model *m = &l->o.m;
    int i, wrong = 0;
    for (i = 0; i < tries; i++) {
        const model_box *b = &m->slots[test_below(&l->look, m->slot_count)];
        sap_aabb box;
        uint32_t category = 0, mask = 0;
        if (!b->live) {
            wrong += sap_is_valid(w->s, b->id) || sap_get_box(w->s, b->id, &box) != SAP_ERROR_ID;
            continue;
        }
        wrong += sap_get_box(w->s, b->id, &box) != SAP_OK || !model_same_box(&b->box, &box);
        wrong += !sap_is_valid(w->s, b->id) || sap_get_object(w->s, b->id) != b->object;
        wrong += sap_get_filter(w->s, b->id, &category, &mask) != SAP_OK || category != b->category || mask != b->mask;
        wrong += sap_is_static(w->s, b->id) != b->is_static;
    }
    HOLDS(l, w, wrong == 0);
    HOLDS(l, w, sap_count(w->s) == m->live);
}

static void validate(life *l, const world *w) {
    const char *broken = sap_validate(w->s);
    holds(l, w, broken == NULL, broken ? broken : "sap_validate", __LINE__);
}

static void compare_settled(life *l, const world *w) {
    const model *m = &l->o.m;
    sap_stats stats;
    static const model_pairs none;
    int count = -1;
    const sap_pair *events = sap_created(w->s, &count);
    compare_events(l, w, events, count, w->has_no_events ? &none : &m->created, "created");
    events = sap_deleted(w->s, &count);
    compare_events(l, w, events, count, w->has_no_events ? &none : &m->deleted, "deleted");
    compare_pairs(l, w);
    compare_boxes(l, w, 4);
    sap_get_stats(w->s, &stats);
    HOLDS(l, w, stats.boxes == m->live && stats.static_boxes == m->statics && stats.pairs == m->pairs.count);
    if (!l->bad && (w == l->worlds || test_chance(&l->look, 25))) validate(l, w);
}

/* ---- actions inside callbacks -------------------------------------------------------------------------------- */

static void draw_action(life *l, action *a) {
    memset(a, 0, sizeof *a);
    a->kind = test_below(&l->rng, SET_STATIC + 1);
    a->id = any_live(l);
    a->object = any_object(l);
    a->box = new_box(l, l->roles[0].kind);
    a->category = test_chance(&l->rng, 50) ? 1u << test_below(&l->rng, 23) : 0;
    a->mask = test_chance(&l->rng, 50) ? ~0u : 1u << test_below(&l->rng, 23);
}

/* What the oracle answers; and does. */
static void do_action_in_oracle(life *l, action *a) {
    model *m = &l->o.m;
    model_box *b = model_find(m, a->id);
    const int slot = (int)SAP_SLOT(a->id);
    switch (a->kind) {
    case MOVE: a->result = model_move_many(m, 1, &a->id, &a->box); break;
    case ADD:
        a->id = 0;
        a->result = model_add(m, &a->box, a->object, 0, &a->id);
        if (a->id) set_role(l, a->id, 0);
        break;
    case REMOVE: a->result = model_remove_many(m, 1, &a->id); break;
    case SET_OBJECT:
        a->old_object = b ? b->object : NULL;
        a->result = model_set_object(m, a->id, a->object);
        break;
    case SET_FILTER:
        if (b) oracle_ask(&l->o, slot);
        a->result = model_set_filter(m, a->id, a->category, a->mask);
        break;
    default:
        if (b && b->is_static) oracle_ask(&l->o, slot);
        a->result = model_set_static(m, a->id, 0);
        break;
    }
}

static void do_action(life *l, const world *w, const action *a) {
    sap_result result = SAP_OK;
    sap_id id;
    switch (a->kind) {
    case MOVE: result = sap_move(w->s, a->id, &a->box); break;
    case ADD:
        never_fail();
        id = sap_add(w->s, &a->box, a->object);
        result = sap_last_error(w->s);
        HOLDS(l, w, id == a->id);
        break;
    case REMOVE: result = sap_remove(w->s, a->id); break;
    case SET_OBJECT: result = sap_set_object(w->s, a->id, a->object); break;
    case SET_FILTER: result = sap_set_filter(w->s, a->id, a->category, a->mask); break;
    default: result = sap_set_static(w->s, a->id, 0); break;
    }
    HOLDS(l, w, result == a->result);
}

static void set_object_in(model_pairs *events, sap_id id, void *object) {
    int i;
    for (i = 0; i < events->count; i++) {
        if (events->items[i].id0 == id) events->items[i].object0 = object;
        if (events->items[i].id1 == id) events->items[i].object1 = object;
    }
}

/* Of an update whose events are known: the oracle does at once what the worlds will do in their callbacks. */
static void plan_actions(life *l) {
    const int events = l->o.m.created.count + l->o.m.deleted.count;
    int i, at = 0;
    if (events == 0) return;
    for (i = 1 + test_below(&l->rng, MOST_ACTIONS); i > 0; i--) {
        action *a = &l->actions[l->action_count++];
        at += test_below(&l->rng, 1 + (events - at) / 2);
        if (at >= events) at = events - 1;
        draw_action(l, a);
        if (test_chance(&l->rng, 40)) { /* of a box in one of the next events */
            const int e = at + test_below(&l->rng, events - at);
            const sap_pair *p =
                e < l->o.m.deleted.count ? &l->o.m.deleted.items[e] : &l->o.m.created.items[e - l->o.m.deleted.count];
            a->id = test_chance(&l->rng, 50) ? p->id0 : p->id1;
        }
        a->at = at;
        do_action_in_oracle(l, a);
        if (a->kind != SET_OBJECT || a->result != SAP_OK) continue;
        set_object_in(&l->o.m.created, a->id, a->object);
        set_object_in(&l->o.m.deleted, a->id, a->object);
    }
}

/* ---- updates ------------------------------------------------------------------------------------------------- */

/* A pair's data is made from its ids and the number of the update, so that oracle and worlds agree. */
static void *data_of(const sap_pair *pair, void *user) {
    const life *l = (const life *)user;
    const uint32_t data = pair->id0 * 7919u + pair->id1 * 104729u + (uint32_t)l->update;
    return (void *)(uintptr_t)(data | 1);
}

/* The event of this number, as callbacks see it: the objects that are set by later actions are not yet there. */
static void see_event(life *l, const sap_pair *seen, const model_pairs *events, long i) {
    sap_pair expected;
    int k;
    if (l->bad) return;
    if (!HOLDS(l, l->shown_to, i >= 0 && i < events->count)) return;
    expected = events->items[i];
    if (events == &l->o.m.created) expected.user_data = NULL;
    for (k = l->action_count - 1; k >= 0; k--) {
        const action *a = &l->actions[k];
        if (a->kind != SET_OBJECT || a->result != SAP_OK || a->at < l->shown) continue;
        if (expected.id0 == a->id) expected.object0 = a->old_object;
        if (expected.id1 == a->id) expected.object1 = a->old_object;
    }
    if (!HOLDS(l, l->shown_to, memcmp(seen, &expected, sizeof expected) == 0))
        print_first_difference("in a callback", seen, 1, &expected, 1);
    for (k = 0; k < l->action_count && !l->bad; k++)
        if (l->actions[k].at == l->shown) do_action(l, l->shown_to, &l->actions[k]);
}

static void see_deleted(const sap_pair *pair, void *user) {
    life *l = (life *)user;
    see_event(l, pair, &l->o.m.deleted, l->shown);
    l->shown++;
}

static void *see_created(const sap_pair *pair, void *user) {
    life *l = (life *)user;
    sap_pair named = *pair;
    see_event(l, pair, &l->o.m.created, l->shown - l->o.m.deleted.count);
    l->shown++;
    return data_of(&named, user);
}

/* Another method and kernel, for a world that changes them, which the public face does not offer. */
static void vary(life *l, world *w) {
    if (!w->changing) return;
    force_method(w->s, test_below(&l->look, METHODS));
    force_small(w->s, test_chance(&l->look, 20));
    (void)force_kernel(w->s, test_below(&l->look, KERNELS));
}

static void update_world(life *l, world *w, int dump, sap_result expected) {
    int tries = 0, count = -1;
    sap_result result;
    vary(l, w);
    do {
        const uint64_t before = print_of_world(w);
        if (tries++ < 6) arm(l);
        l->shown = 0;
        l->shown_to = w;
        if (dump) {
            const int answer = sap_dump_pairs(w->s, see_created, see_deleted, l);
            result = answer < 0 ? (sap_result)-answer : SAP_OK;
            if (answer >= 0) count = answer;
        } else
            result = sap_update(w->s);
        if (result != SAP_OK) {
            HOLDS(l, w, l->shown == 0);
            HOLDS(l, w, print_of_world(w) == before);
            validate(l, w);
        }
    } while (is_to_repeat(result) && !l->bad);
    if (!HOLDS(l, w, result == expected)) printf("  %s\n", sap_result_text(result));
    if (result == SAP_OK) w->has_no_events = 0;
    if (dump && result == SAP_OK) {
        HOLDS(l, w, count == l->o.m.pairs.count || l->bad);
        HOLDS(l, w, l->shown == l->o.m.created.count + l->o.m.deleted.count);
    }
    all_settled++;
}

/* ---- queries ------------------------------------------------------------------------------------------------- */

typedef enum question {
    IN_BOX,
    AT_POINT,
    IN_SPHERE,
    ALONG_RAY,
    ALONG_BOX,
    CLOSEST,
    NEAREST,
    NEAREST_TO,
    ALL_NEAREST,
    FEW_NEAREST,
    BOX_IDS,
    SPHERE_IDS,
    NEAREST_IDS,
    BOX_CLOSEST,
    QUESTIONS
} question;
static const char *const question_names[QUESTIONS] = {
    "query_box",  "query_point",   "query_sphere", "ray_cast",      "box_cast",         "ray_closest", "nearest",
    "nearest_to", "query_nearest", "few nearest",  "query_box_ids", "query_sphere_ids", "nearest_ids", "box_closest"};

enum { NO, YES, EITHER, MOST_KEPT = 8, MOST_IDS = 40, UNTOUCHED = 77 };

typedef struct query {
    life *life;
    const world *world;
    question kind;
    sap_aabb box;
    float point[3], way[3], radius; /* radius: also the largest distance */
    sap_id from;                    /* or whom sap_box_closest ignores */
    int capacity;
    uint32_t mask;
    char *verdict;   /* by slot: whether it is hit; */
    double *value;   /* and t, or the squared distance */
    int hits, maybe; /* that are expected */
    char *seen;      /* by slot */
    int slots;       /* so many were there */
    int visits, stop_at;
    const struct query *nested; /* asked inside the first hit */
    float kept[MOST_KEPT];      /* distances of the nearest, ascending */
    int kept_count, kept_most;
} query;

static double as_double(float f) {
    if (test_is_finite(f)) return (double)f;
    return f > 0 ? 1e200 : -1e200;
}

static double gap_on(const sap_aabb *a, const sap_aabb *b, int axis) {
    if (test_key(a->max[axis]) < test_key(b->min[axis])) return as_double(b->min[axis]) - as_double(a->max[axis]);
    if (test_key(b->max[axis]) < test_key(a->min[axis])) return as_double(a->min[axis]) - as_double(b->max[axis]);
    return 0;
}

/* Its relative error is some 1e-15; in exact lives it has none. */
static double distance_squared(const life *l, const sap_aabb *a, const sap_aabb *b) {
    double sum = 0;
    int axis;
    for (axis = 0; axis < 3; axis++)
        if (l->axes >> axis & 1) sum += gap_on(a, b, axis) * gap_on(a, b, axis);
    return sum;
}

/* The smallest t at which box, that moves by way, meets the other one: its error is below 1e-12. */
static int cast_verdict(const life *l, const sap_aabb *box, const float by[3], const sap_aabb *other, double *t) {
    double enter = 0, leave = 1;
    int axis;
    for (axis = 0; axis < 3; axis++) {
        double from, to;
        if (!(l->axes >> axis & 1)) continue;
        if ((test_bits(by[axis]) & 0x7fffffffu) == 0) {
            if (gap_on(box, other, axis) > 0) return NO;
            continue;
        }
        from = (as_double(other->min[axis]) - (double)box->max[axis]) / (double)by[axis];
        to = (as_double(other->max[axis]) - (double)box->min[axis]) / (double)by[axis];
        if (from > to) {
            const double turned = from;
            from = to;
            to = turned;
        }
        if (from > enter) enter = from;
        if (to < leave) leave = to;
    }
    *t = enter;
    if (l->exact) return enter <= leave ? YES : NO;
    return leave - enter > 1e-12 ? YES : leave - enter < -1e-12 ? NO : EITHER;
}

/* What sap_box_closest says of a box: NO also where the moving box may leave it, YES at once where it would go deeper. */
static int closest_verdict(const life *l, const sap_aabb *box, const float by[3], const sap_aabb *other, double *t,
                           float normal[3]) {
    double least = -1, second = -1, latest = -1;
    int axis, side, on = 0, apart = 0;
    memset(normal, 0, 3 * sizeof *normal);
    for (axis = 0; axis < 3; axis++)
        if ((l->axes >> axis & 1) && gap_on(box, other, axis) > 0) apart = 1;
    for (axis = 0; axis < 3 && apart; axis++) { /* the side that is met last */
        double from;
        if (!(l->axes >> axis & 1) || gap_on(box, other, axis) <= 0) continue;
        if ((test_bits(by[axis]) & 0x7fffffffu) == 0) return NO;
        from = by[axis] > 0 ? as_double(other->min[axis]) - (double)box->max[axis]
                            : as_double(other->max[axis]) - (double)box->min[axis];
        from /= (double)by[axis];
        if (from > latest) {
            latest = from;
            on = axis;
        }
    }
    if (apart) {
        normal[on] = by[on] > 0 ? -1.0f : 1.0f;
        return cast_verdict(l, box, by, other, t);
    }
    *t = 0;
    for (axis = 0; axis < 3; axis++)
        for (side = 0; side < 2 && (l->axes >> axis & 1); side++) {
            const double depth = side ? as_double(other->max[axis]) - (double)box->min[axis]
                                      : (double)box->max[axis] - as_double(other->min[axis]);
            if (least < 0 || depth < least) {
                second = least;
                least = depth;
                memset(normal, 0, 3 * sizeof *normal);
                normal[axis] = side ? 1.0f : -1.0f;
                on = axis;
            } else if (second < 0 || depth < second)
                second = depth;
        }
    if (!l->exact && second >= 0 && second - least <= 1e-14 * second) return EITHER;
    return normal[on] * by[on] < 0 ? YES : NO;
}

static int distance_verdict(const life *l, const query *q, double squared) {
    const double limit = (double)q->radius * (double)q->radius;
    if (!test_is_finite(q->radius)) return YES;
    if (l->exact || squared == 0) return squared <= limit ? YES : NO;
    return squared < limit * (1 - 1e-14) ? YES : squared > limit * (1 + 1e-14) ? NO : EITHER;
}

static void judge(query *q) {
    const life *l = q->life;
    const model *m = &l->o.m;
    sap_aabb box = q->box;
    float normal[3];
    int slot, axis;
    if (q->kind != IN_BOX && q->kind != ALONG_BOX && q->kind != BOX_IDS && q->kind != BOX_CLOSEST)
        for (axis = 0; axis < 3; axis++) box.min[axis] = box.max[axis] = q->point[axis];
    if (q->kind == NEAREST_TO) box = model_find(m, q->from)->box;
    q->hits = q->maybe = 0;
    for (slot = 1; slot < q->slots; slot++) {
        const model_box *b = &m->slots[slot];
        int verdict;
        q->verdict[slot] = NO;
        q->seen[slot] = 0;
        q->value[slot] = 0;
        if (!b->live || !(b->category & q->mask) || b->id == q->from) continue;
        switch (q->kind) {
        case IN_BOX:
        case BOX_IDS:
        case AT_POINT: verdict = model_overlap(m->axes, &box, &b->box); break;
        case ALONG_RAY:
        case ALONG_BOX:
        case CLOSEST: verdict = cast_verdict(l, &box, q->way, &b->box, &q->value[slot]); break;
        case BOX_CLOSEST: verdict = closest_verdict(l, &box, q->way, &b->box, &q->value[slot], normal); break;
        default: q->value[slot] = distance_squared(l, &box, &b->box); verdict = distance_verdict(l, q, q->value[slot]);
        }
        q->verdict[slot] = (char)verdict;
        q->hits += verdict == YES;
        q->maybe += verdict == EITHER;
    }
}

/* Whether f is the smallest float whose square is not below. */
static int is_told_distance(const life *l, float f, double squared) {
    const double slack = l->exact ? 0 : 4e-15 * squared;
    const uint32_t bits = test_bits(f);
    if ((bits & 0x7fffffffu) == 0) return squared <= 0;
    if (bits >> 31 || !test_is_finite(f)) return 0;
    return (double)f * (double)f >= squared - slack &&
           (double)test_float(bits - 1) * (double)test_float(bits - 1) < squared + slack;
}

static int is_told_time(float t, double expected) {
    const double off = (double)t - expected;
    return off <= 1e-11 + 1e-6 * expected && off >= -1e-11 - 1e-6 * expected;
}

static int run_query(query *q);

static int see_hit(sap_id id, void *object, void *user) {
    query *q = (query *)user;
    life *l = q->life;
    const model_box *b = model_find(&l->o.m, id);
    const int slot = (int)SAP_SLOT(id), first = q->visits++ == 0;
    int i;
    if (l->bad || !HOLDS(l, q->world, slot < q->slots)) return 0;
    if (first && l->action_count == 0 && q->nested) {
        query nested = *q->nested;
        nested.world = q->world;
        (void)run_query(&nested);
    }
    for (i = 0; first && i < l->action_count; i++) do_action(l, q->world, &l->actions[i]);
    for (i = 0; i < l->action_count; i++) /* a removed box is at most the first one */
        if (l->actions[i].kind == REMOVE && l->actions[i].id == id) {
            HOLDS(l, q->world, first);
            q->seen[slot] = 1;
            return 1;
        }
    if (!HOLDS(l, q->world, b != NULL && (b->object == object || l->action_count))) return 0;
    HOLDS(l, q->world, q->verdict[slot] != NO);
    HOLDS(l, q->world, !q->seen[slot]);
    q->seen[slot] = 1;
    return q->visits != q->stop_at;
}

static float see_ray_hit(sap_id id, void *object, float t, void *user) {
    query *q = (query *)user;
    const double value = (int)SAP_SLOT(id) < q->slots ? q->value[SAP_SLOT(id)] : 0;
    const int goes_on = see_hit(id, object, user);
    int i;
    if (q->life->bad) return 0;
    if (q->kind == ALONG_RAY || q->kind == ALONG_BOX) {
        HOLDS(q->life, q->world, is_told_time(t, value));
        return goes_on ? 1.0f : 0.0f;
    }
    HOLDS(q->life, q->world, is_told_distance(q->life, t, value));
    if (q->kind == ALL_NEAREST) return goes_on ? q->radius + 1 : 0.0f; /* more than the limit: goes on as before */
    if (q->kept_count == q->kept_most && t >= q->kept[q->kept_most - 1]) return q->kept[q->kept_most - 1];
    i = q->kept_count < q->kept_most ? q->kept_count++ : q->kept_most - 1;
    for (; i > 0 && q->kept[i - 1] > t; i--) q->kept[i] = q->kept[i - 1];
    q->kept[i] = t;
    if (q->kept_count < q->kept_most) return q->radius + 1;
    return q->kept[q->kept_most - 1]; /* at 0 none can be nearer */
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The recipe for the k nearest keeps the k smallest distances. */
static void check_kept(query *q) {
    const life *l = q->life;
    double *values = (double *)malloc((size_t)l->o.m.slot_count * sizeof *values);
    int slot, n = 0, i;
    if (!values) exit(2);
    for (slot = 1; slot < q->slots; slot++)
        if (q->verdict[slot] == YES) values[n++] = q->value[slot];
    if (n) qsort(values, (size_t)n, sizeof *values, compare_doubles);
    if (n > q->kept_most) n = q->kept_most;
    HOLDS(q->life, q->world, q->kept_count == n);
    for (i = 0; i < n && !l->bad; i++) HOLDS(q->life, q->world, is_told_distance(l, q->kept[i], values[i]));
    free(values);
}

/* The answer of a query for one box: the closest or nearest, the lower id at a tie. */
static void check_one(query *q, sap_id id, float told) {
    life *l = q->life;
    const model *m = &l->o.m;
    const int is_ray = q->kind == CLOSEST || q->kind == BOX_CLOSEST;
    const double slack = l->exact ? 0 : is_ray ? 1e-12 : 1e-14;
    double best = -1, value = id ? q->value[SAP_SLOT(id)] : 0;
    int slot;
    if (id == 0) {
        HOLDS(l, q->world, q->hits == 0);
        HOLDS(l, q->world, test_bits(told) == test_bits(is_ray ? 1.0f : q->radius));
        return;
    }
    if (!HOLDS(l, q->world, model_find(m, id) != NULL) || !HOLDS(l, q->world, q->verdict[SAP_SLOT(id)] != NO)) return;
    for (slot = 1; slot < q->slots; slot++) {
        if (q->verdict[slot] != YES) continue;
        if (best < 0 || q->value[slot] < best) best = q->value[slot];
        if (l->exact) HOLDS(l, q->world, q->value[slot] > value || m->slots[slot].id >= id);
    }
    if (best >= 0) HOLDS(l, q->world, value <= best + slack * (is_ray ? 1 : best));
    HOLDS(l, q->world, is_ray ? is_told_time(told, value) : is_told_distance(l, told, value));
}

static int accept_others(sap_id id, void *object, void *user) {
    (void)object;
    return id != *(const sap_id *)user;
}

/* Other calls that answer the same question say the same; and a slide starts where it was. */
static void ask_otherwise(const query *q, sap_id id, float told) {
    life *l = q->life;
    const world *w = q->world;
    sap_id first = 0, from = q->from, stopped_by[3];
    float again = -1;
    sap_aabb box = q->box;
    if (q->kind == CLOSEST) {
        const int n = sap_ray_cast_ids(w->s, q->point, q->way, q->mask, &first, &again, 1);
        HOLDS(l, w, id ? n == 1 && first == id && test_bits(again) == test_bits(told) : n == 0);
    } else if (q->kind == NEAREST_TO) {
        const int n = sap_nearest_to_ids(w->s, q->from, q->radius, q->mask, &first, &again, 1);
        HOLDS(l, w, id ? n == 1 && first == id && test_bits(again) == test_bits(told) : n == 0);
    } else if (q->kind == BOX_CLOSEST) {
        first = sap_box_closest_if(w->s, &q->box, q->way, q->mask, accept_others, &from, &again, NULL);
        HOLDS(l, w, first == id && test_bits(again) == test_bits(told));
        const int n = sap_slide(w->s, &box, q->way, q->mask, q->from, stopped_by);
        if (n >= 0) HOLDS(l, w, n == (stopped_by[0] != 0) + (stopped_by[1] != 0) + (stopped_by[2] != 0));
        if (n > 0) HOLDS(l, w, id != 0); /* what stops a slide is met */
        sap_aabb box_if = q->box;
        sap_id by_if[3];
        HOLDS(l, w, sap_slide_if(w->s, &box_if, q->way, q->mask, accept_others, &from, by_if) == n);
        HOLDS(l, w, !memcmp(&box_if, &box, sizeof box) && !memcmp(by_if, stopped_by, sizeof by_if));
    }
}

/* Asked again with the distance that was told, the same box is found. */
static void ask_again(query *q, sap_id id, float told) {
    life *l = q->life;
    const world *w = q->world;
    float again = -1;
    if (q->kind == NEAREST_TO) {
        HOLDS(l, w, sap_nearest_to(w->s, q->from, told, q->mask, &again) == id && test_bits(again) == test_bits(told));
        return;
    }
    HOLDS(l, w, sap_nearest(w->s, q->point, told, q->mask, &again) == id && test_bits(again) == test_bits(told));
    HOLDS(l, w, sap_query_sphere(w->s, q->point, told, q->mask, NULL, NULL) > 0);
    HOLDS(l, w, sap_query_nearest(w->s, q->point, told, q->mask, NULL, NULL) > 0);
}

/* The ids that are to be told: by id, or by distance. Exact lives have no doubtful ones. */
static int compare_told(const query *q, sap_id a, sap_id b) {
    const double x = q->value[SAP_SLOT(a)], y = q->value[SAP_SLOT(b)];
    if (q->kind == NEAREST_IDS && x != y) return x < y ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Whether these are the first of all hits, in their order, and nothing was written behind them. */
static void check_ids(query *q, const sap_id *ids, const float *distances, int n) {
    life *l = q->life;
    const world *w = q->world;
    const int told = n < q->capacity ? n : q->capacity;
    const double slack = l->exact ? 0 : 1e-14;
    int i, slot, wrong = 0, before = 0;
    if (q->kind == NEAREST_IDS && q->capacity) { /* without capacity it counts */
        HOLDS(l, w, n <= q->capacity && n <= q->hits + q->maybe);
        HOLDS(l, w, n >= q->capacity || n >= q->hits);
    } else
        HOLDS(l, w, n >= q->hits && n <= q->hits + q->maybe);
    for (i = 0; i < told && !l->bad; i++) {
        slot = (int)SAP_SLOT(ids[i]);
        if (!HOLDS(l, w, slot < q->slots && model_find(&l->o.m, ids[i]) && q->verdict[slot] != NO)) return;
        wrong += q->seen[slot];
        q->seen[slot] = 1;
        if (q->kind != NEAREST_IDS || l->exact)
            wrong += i > 0 && compare_told(q, ids[i - 1], ids[i]) >= 0;
        else
            wrong += i > 0 && q->value[SAP_SLOT(ids[i - 1])] > q->value[slot] * (1 + slack);
        if (distances) wrong += !is_told_distance(l, distances[i], q->value[slot]);
    }
    for (; i < MOST_IDS && !l->bad; i++) wrong += ids[i] != UNTOUCHED;
    for (slot = 1; slot < q->slots && told > 0 && !l->bad; slot++) { /* none that is left out comes before the last */
        const sap_id last = ids[told - 1];
        if (q->verdict[slot] != YES || q->seen[slot]) continue;
        if (q->kind == NEAREST_IDS && !l->exact)
            before += q->value[slot] * (1 + slack) < q->value[SAP_SLOT(last)];
        else
            before += compare_told(q, l->o.m.slots[slot].id, last) < 0;
    }
    HOLDS(l, w, wrong == 0);
    HOLDS(l, w, before == 0);
}

/* Of the box that is met first: t as for rays, and the side. */
static void check_normal(query *q, sap_id id, const float normal[3]) {
    life *l = q->life;
    float expected[3] = {0, 0, 0};
    double t;
    int axis, same = 1, sides = 0;
    if (id) (void)closest_verdict(l, &q->box, q->way, &model_find(&l->o.m, id)->box, &t, expected);
    for (axis = 0; axis < 3; axis++) {
        same &= test_key(normal[axis]) == test_key(expected[axis]);
        sides += test_key(normal[axis]) != 0;
        if (test_key(normal[axis]) != 0) HOLDS(l, q->world, normal[axis] * q->way[axis] < 0);
    }
    HOLDS(l, q->world, sides == (id != 0));
    if (l->exact) HOLDS(l, q->world, same);
}

/* -SAP_ERROR_MEMORY, or what the query answers. */
static int run_query(query *q) {
    const world *w = q->world;
    life *l = q->life;
    sap_id id = 0, ids[MOST_IDS];
    float told = 0, distances[MOST_IDS], normal[3] = {9, 9, 9};
    int n, slot;
    for (n = 0; n < MOST_IDS; n++) ids[n] = UNTOUCHED;
    q->visits = q->kept_count = 0;
    memset(q->seen, 0, (size_t)q->slots);
    switch (q->kind) {
    case IN_BOX: n = sap_query_box(w->s, &q->box, q->mask, see_hit, q); break;
    case AT_POINT: n = sap_query_point(w->s, q->point, q->mask, see_hit, q); break;
    case IN_SPHERE: n = sap_query_sphere(w->s, q->point, q->radius, q->mask, see_hit, q); break;
    case ALONG_RAY: n = sap_ray_cast(w->s, q->point, q->way, q->mask, see_ray_hit, q); break;
    case ALONG_BOX: n = sap_box_cast(w->s, &q->box, q->way, q->mask, see_ray_hit, q); break;
    case CLOSEST: id = sap_ray_closest(w->s, q->point, q->way, q->mask, &told), n = 0; break;
    case NEAREST: id = sap_nearest(w->s, q->point, q->radius, q->mask, &told), n = 0; break;
    case NEAREST_TO: id = sap_nearest_to(w->s, q->from, q->radius, q->mask, &told), n = 0; break;
    case BOX_IDS: n = sap_query_box_ids(w->s, &q->box, q->mask, ids, q->capacity); break;
    case SPHERE_IDS: n = sap_query_sphere_ids(w->s, q->point, q->radius, q->mask, ids, q->capacity); break;
    case NEAREST_IDS: n = sap_nearest_ids(w->s, q->point, q->radius, q->mask, ids, distances, q->capacity); break;
    case BOX_CLOSEST: id = sap_box_closest(w->s, &q->box, q->way, q->mask, q->from, &told, normal), n = 0; break;
    default: n = sap_query_nearest(w->s, q->point, q->radius, q->mask, see_ray_hit, q);
    }
    if (n == 0 && id == 0 && told < 0) n = -(int)SAP_ERROR_MEMORY;
    if (n == -(int)SAP_ERROR_MEMORY && fail_from >= 0) return n;
    if (!HOLDS(l, w, n >= 0)) return n;
    if (q->kind == BOX_IDS || q->kind == SPHERE_IDS || q->kind == NEAREST_IDS)
        check_ids(q, ids, q->kind == NEAREST_IDS ? distances : NULL, n);
    else if (q->kind == BOX_CLOSEST) {
        check_one(q, id, told);
        if (!l->bad) check_normal(q, id, normal);
        never_fail();
        if (!l->bad) ask_otherwise(q, id, told);
    } else if (!HOLDS(l, w, n == q->visits))
        ;
    else if (q->kind == CLOSEST || q->kind == NEAREST || q->kind == NEAREST_TO) {
        check_one(q, id, told);
        never_fail();
        if (id && q->kind != CLOSEST && !l->bad) ask_again(q, id, told);
        if (!l->bad) ask_otherwise(q, id, told);
    } else if (q->kind == FEW_NEAREST) {
        if (q->maybe == 0) check_kept(q);
    } else if (q->stop_at && (q->stop_at <= q->hits || n == q->stop_at))
        HOLDS(l, w, n == q->stop_at);
    else if (!l->bad)
        for (slot = 1; slot < q->slots; slot++)
            if (q->verdict[slot] == YES) HOLDS(l, w, q->seen[slot]);
    if (l->bad)
        printf("  %s: at %g %g %g by %g %g %g, radius %g, mask %08x; %d hits and %d doubtful ones, visited %d\n",
               question_names[q->kind], (double)q->point[0], (double)q->point[1], (double)q->point[2],
               (double)q->way[0], (double)q->way[1], (double)q->way[2], (double)q->radius, (unsigned)q->mask, q->hits,
               q->maybe, q->visits);
    return n;
}

static void draw_query(life *l, query *q, char *verdict, double *value, char *seen, question kind) {
    test_rng rng = l->rng; /* what is asked changes no later call */
    int axis, slot = test_below(&l->dice, l->o.m.slot_count);
    const float sizes[] = {0.1f, 1, 3, 10, l->side / 2, l->side * 3};
    const float size = sizes[test_below(&l->dice, 6)];
    memset(q, 0, sizeof *q);
    q->life = l;
    q->kind = kind;
    q->verdict = verdict;
    q->value = value;
    q->seen = seen;
    q->slots = l->o.m.slot_count;
    l->rng.state = test_random(&l->dice);
    q->box = new_box(l, &role_kinds[0]);
    if (l->o.m.slots[slot].live && test_chance(&l->dice, 50)) q->box = l->o.m.slots[slot].box;
    l->rng = rng;
    for (axis = 0; axis < 3; axis++) {
        float low = q->box.min[axis], high = q->box.max[axis];
        if (!(l->axes >> axis & 1) || !test_is_finite(low) || !test_is_finite(high)) low = high = 0;
        q->point[axis] = test_chance(&l->dice, 50) ? low : high;
        q->way[axis] = test_chance(&l->dice, 30) ? 0 : test_uniform(&l->dice, -size, size);
        if (l->exact) {
            q->point[axis] = eighth(q->point[axis]);
            q->way[axis] = (float)(1 << test_below(&l->dice, 7)) * (float)(test_below(&l->dice, 3) - 1);
        }
        q->box.min[axis] = low;
        q->box.max[axis] = high;
        if ((kind == IN_BOX || kind == BOX_IDS) && test_chance(&l->dice, 50))
            scene_interval(&q->box, axis, low - size, high + size);
        if (l->axes >> axis & 1) continue;
        q->point[axis] = q->way[axis] = q->box.min[axis] = q->box.max[axis] = TEST_NAN;
    }
    q->radius = test_chance(&l->dice, 10) ? TEST_INFINITY : l->exact ? eighth(size) : size;
    q->mask = test_chance(&l->dice, 40)   ? ~0u
              : test_chance(&l->dice, 50) ? 1u << test_below(&l->dice, 23)
                                          : (uint32_t)test_random(&l->dice);
    if (l->role_count && test_chance(&l->dice, 30))
        q->mask = l->roles[test_below(&l->dice, l->role_count)].kind->category;
    for (q->from = 0; kind == NEAREST_TO && q->from == 0;) { /* there are boxes */
        slot = test_below(&l->dice, l->o.m.slot_count);
        if (l->o.m.slots[slot].live) q->from = l->o.m.slots[slot].id;
    }
    if (kind == BOX_CLOSEST && test_chance(&l->dice, 50)) /* the box that moves is in the world */
        q->from = l->o.m.slots[slot].live ? l->o.m.slots[slot].id : 0;
    q->capacity = test_chance(&l->dice, 20) ? test_below(&l->dice, 3) : test_below(&l->dice, MOST_IDS + 1);
    q->kept_most = 1 + test_below(&l->dice, MOST_KEPT);
}

/* One query, of all worlds; inside its first hit another one, or actions. */
static void ask(life *l) {
    const size_t slots = (size_t)l->o.m.slot_count;
    char *bytes = (char *)malloc(4 * slots);
    double *values = (double *)malloc(2 * slots * sizeof *values);
    const question kind = (question)test_below(&l->dice, QUESTIONS);
    query q, nested;
    int i, k, fits;
    if (!bytes || !values) exit(2);
    if (l->o.m.live > 0 || kind != NEAREST_TO) {
        draw_query(l, &q, bytes, values, bytes + slots, kind);
        judge(&q);
        l->action_count = 0;
        if (test_chance(&l->dice, 20) && l->o.m.live > 0) {
            draw_query(l, &nested, bytes + 2 * slots, values + slots, bytes + 3 * slots,
                       (question)test_below(&l->dice, QUESTIONS));
            judge(&nested);
            q.nested = &nested;
        }
        fits = (kind == IN_BOX || kind == AT_POINT) && q.hits > 0 && !l->memory_fails && !q.nested;
        if (fits && test_chance(&l->rng, l->acts)) {
            for (i = 1 + test_below(&l->rng, MOST_ACTIONS); i > 0; i--) {
                action *a = &l->actions[l->action_count++];
                draw_action(l, a);
                if (a->kind == SET_OBJECT) a->kind = MOVE;
                do_action_in_oracle(l, a);
                if (a->result == SAP_OK && a->kind != ADD && q.verdict[SAP_SLOT(a->id)] == YES)
                    q.verdict[SAP_SLOT(a->id)] = EITHER;
                if (a->result == SAP_OK && (a->kind == MOVE || a->kind == SET_FILTER))
                    if (SAP_SLOT(a->id) < slots) q.verdict[SAP_SLOT(a->id)] = EITHER;
            }
        } else if (test_chance(&l->dice, 10))
            q.stop_at = 1 + test_below(&l->dice, 5);
        for (k = 0; k < l->world_count && !l->bad; k++) {
            int tries = 0;
            q.world = &l->worlds[k];
            do {
                if (tries++ < 6 && l->action_count == 0) arm(l);
            } while (is_to_repeat((sap_result)(run_query(&q) == -(int)SAP_ERROR_MEMORY ? SAP_ERROR_MEMORY : SAP_OK)));
        }
        l->action_count = 0;
    }
    free(bytes);
    free(values);
}

static void compare_snapshots(life *l);

/* ---- steps --------------------------------------------------------------------------------------------------- */

static void make_room(life *l) {
    int count, n;
    sap_id *ids = ids_of(l, -1, &count);
    n = count - count / 3;
    draw_first(l, ids, count, n);
    remove_boxes(l, n, ids);
    free(ids);
}

/* An update of all worlds, and all that can be seen after it. */
static void settle(life *l) {
    const int dump = test_chance(&l->rng, l->dumps), acts = test_chance(&l->rng, l->acts);
    sap_result result;
    int i;
    if (l->bad) return;
    if (l->step % 4 == 0) validate(l, l->worlds); /* changed since queries have seen it */
    if (test_chance(&l->dice, l->asks / 2)) ask(l);
    if (l->bad) return;
    if (test_chance(&l->rng, 3)) {
        const sap_id id = any_live(l);
        void *object = any_object(l);
        result = model_set_object(&l->o.m, id, object);
        ALL(l, sap_set_object(w->s, id, object), result);
    }
    l->update++;
    l->step++;
    l->action_count = 0;
    result = oracle_update(&l->o, dump ? data_of : NULL, l);
    if (result == SAP_OK && dump && acts) plan_actions(l);
    for (i = 0; i < l->world_count && !l->bad; i++) update_world(l, &l->worlds[i], dump, result);
    l->action_count = 0;
    for (i = 0; i < l->world_count && !l->bad; i++) compare_settled(l, &l->worlds[i]);
    if (!l->bad && l->o.m.recorded == MODEL_NOTHING && test_chance(&l->dice, l->o.m.live < 300 ? 5 : 1))
        HOLDS(l, NULL, oracle_verify(&l->o));
    while (!l->bad && test_chance(&l->dice, l->asks)) ask(l);
    if (!l->bad && l->world_count > 1 && test_chance(&l->dice, 2)) compare_snapshots(l);
    all_updates++;
    l->work += 60 + (long long)(l->o.m.live + l->o.m.pairs.count) * (1 + l->world_count) / 2;
    if (!l->bad && result == SAP_ERROR_LIMIT) {
        make_room(l);
        settle(l);
    }
}

static int is_over(const life *l) {
    return l->bad || l->work > l->most_work || l->o.m.pairs.count > MOST_PAIRS;
}

static int role_moves(life *l, int slot, const void *how, sap_aabb *box) {
    const role *r = role_of(l, slot);
    (void)how;
    if (!test_chance(&l->rng, r->moves)) return 0;
    *box = test_chance(&l->rng, r->jumps) ? new_box(l, r->kind) : walked(l, *box);
    return 1;
}

/* All do what their roles do. */
static void play(life *l, int steps) {
    for (; steps > 0 && !is_over(l); steps--) {
        move_all(l, -1, role_moves, NULL);
        settle(l);
    }
}

/* ---- phases -------------------------------------------------------------------------------------------------- */

typedef struct offset {
    float by[3], scale;
    const char *chosen; /* by slot; NULL: all */
    int chosen_slots;   /* what callbacks have added since has later ones */
} offset;

static int moves_by(life *l, int slot, const void *how, sap_aabb *box) {
    const offset *o = (const offset *)how;
    if (o->chosen && (slot >= o->chosen_slots || !o->chosen[slot])) return 0;
    *box = moved_by(l, *box, o->by);
    return 1;
}

/* Towards the middle, or away from it; sizes stay. */
static int moves_apart(life *l, int slot, const void *how, sap_aabb *box) {
    const offset *o = (const offset *)how;
    float by[3];
    int axis;
    (void)slot;
    for (axis = 0; axis < 3; axis++) {
        const float low = box->min[axis], high = box->max[axis];
        by[axis] =
            test_is_finite(low) && test_is_finite(high) ? ((low + high) / 2 - l->middle[axis]) * (o->scale - 1) : 0;
    }
    *box = moved_by(l, *box, by);
    return 1;
}

static int grows(life *l, int slot, const void *how, sap_aabb *box) {
    const offset *o = (const offset *)how;
    int axis;
    if (slot >= o->chosen_slots || !o->chosen[slot]) return 0;
    for (axis = 0; axis < 3; axis++) {
        const float low = box->min[axis], high = box->max[axis], middle = (low + high) / 2;
        if (!(l->axes >> axis & 1) || !test_is_finite(low) || !test_is_finite(high)) continue;
        scene_interval(box, axis, middle - (high - low) / 2 * o->scale, middle + (high - low) / 2 * o->scale);
    }
    return 1;
}

static offset any_offset(life *l, float size) {
    offset o;
    int axis;
    memset(&o, 0, sizeof o);
    for (axis = 0; axis < 3; axis++) {
        o.by[axis] = l->spread >> axis & 1 ? test_uniform(&l->rng, -size, size) : 0;
        if (l->exact) o.by[axis] = (float)(int)o.by[axis];
    }
    return o;
}

/* By slot: so many of all boxes. */
static char *choose(life *l, int n) {
    char *chosen = (char *)calloc((size_t)l->o.m.slot_count, 1);
    int count, i;
    sap_id *ids = ids_of(l, -1, &count);
    if (!chosen) exit(2);
    if (n > count) n = count;
    draw_first(l, ids, count, n);
    for (i = 0; i < n; i++) chosen[SAP_SLOT(ids[i])] = 1;
    free(ids);
    return chosen;
}

static void load(life *l) {
    const int steps = test_chance(&l->rng, 40) ? 1 : 1 + test_below(&l->rng, 8);
    int i, r;
    for (i = 0; i < steps && !is_over(l); i++) {
        for (r = 0; r < l->role_count && !l->bad; r++) {
            const int missing = l->roles[r].wanted - count_of(l, r);
            if (missing > 0) add_boxes(l, r, i == steps - 1 ? missing : missing / (steps - i));
        }
        if (test_chance(&l->rng, 50)) move_all(l, -1, role_moves, NULL);
        settle(l);
    }
}

static void unload(life *l, int left) {
    const int steps = test_chance(&l->rng, 40) ? 1 : 1 + test_below(&l->rng, 6);
    int i;
    for (i = 0; i < steps && !l->bad; i++) {
        int count, n;
        sap_id *ids = ids_of(l, -1, &count);
        n = count <= left ? 0 : i == steps - 1 ? count - left : (count - left) / (steps - i);
        draw_first(l, ids, count, n);
        remove_boxes(l, n, ids);
        free(ids);
        settle(l);
    }
}

static void waves(life *l) {
    int i;
    for (i = 2 + test_below(&l->rng, 3); i > 0 && !is_over(l); i--) {
        unload(l, test_below(&l->rng, 1 + l->o.m.live / 4));
        play(l, 2);
        load(l);
        play(l, 2);
    }
}

static void die(life *l) {
    unload(l, 1 + test_below(&l->rng, 8));
    play(l, 12);
    if (test_chance(&l->rng, 60)) load(l);
}

/* A few more come and a few go: the population stays about where it is. */
static void turn_over(life *l) {
    int i;
    for (i = 10 + test_below(&l->rng, 20); i > 0 && !is_over(l); i--) {
        int count, n;
        sap_id *ids = ids_of(l, -1, &count);
        n = count < 3 ? 0 : test_below(&l->rng, 2 + count / 8);
        draw_first(l, ids, count, n);
        remove_boxes(l, n, ids);
        free(ids);
        if (test_chance(&l->rng, 50)) settle(l);
        if (!l->bad) add_boxes(l, test_below(&l->rng, l->role_count), n + test_below(&l->rng, 3));
        play(l, 1);
    }
}

/* The window wanders: what falls behind goes, or comes again ahead. */
static void stream(life *l) {
    const int axis = l->spread & 1 ? 0 : l->spread & 2 ? 1 : 2, replaced = test_chance(&l->rng, 50);
    int i;
    for (i = 8 + test_below(&l->rng, 20); i > 0 && !is_over(l); i--) {
        int count, k, n = 0;
        sap_id *ids = ids_of(l, -1, &count);
        l->middle[axis] += l->exact ? 2 : l->side / 10;
        for (k = 0; k < count; k++) {
            const float high = l->o.m.slots[SAP_SLOT(ids[k])].box.max[axis];
            if (high < l->middle[axis] - l->side / 2) ids[n++] = ids[k];
        }
        if (replaced)
            remove_boxes(l, n, ids);
        else
            for (k = 0; k < n && !l->bad; k++) {
                const sap_aabb box = new_box(l, role_of(l, (int)SAP_SLOT(ids[k]))->kind);
                move_boxes(l, 1, &ids[k], &box);
            }
        free(ids);
        if (replaced && n && !l->bad) add_boxes(l, test_below(&l->rng, l->role_count), n);
        if (test_chance(&l->rng, 50)) move_all(l, -1, role_moves, NULL);
        settle(l);
    }
}

static void teleport(life *l) {
    int i;
    for (i = 4 + test_below(&l->rng, 8); i > 0 && !is_over(l); i--) {
        offset o = any_offset(l, l->side * (test_chance(&l->rng, 20) ? 10 : 1));
        char *chosen = choose(l, 1 + l->o.m.live / (1 << test_below(&l->rng, 5)));
        o.chosen = chosen;
        o.chosen_slots = l->o.m.slot_count;
        move_all(l, -1, moves_by, &o);
        free(chosen);
        settle(l);
        if (test_chance(&l->rng, 50)) play(l, 1);
    }
}

static void migrate(life *l) {
    const offset o = any_offset(l, l->side / 4 + 1);
    int i, axis;
    for (i = 10 + test_below(&l->rng, 30); i > 0 && !is_over(l); i--) {
        move_all(l, -1, moves_by, &o);
        for (axis = 0; axis < 3; axis++) l->middle[axis] += o.by[axis];
        settle(l);
    }
    play(l, 4);
}

static void gather(life *l) {
    const float step = test_uniform(&l->rng, 0.6f, 0.9f);
    offset o;
    int i, done;
    memset(&o, 0, sizeof o);
    l->exact = 0;
    o.scale = step;
    for (done = 0; done < 14 && !is_over(l); done++) {
        if (l->o.m.pairs.count > 20000 + 4 * l->o.m.live) break;
        move_all(l, -1, moves_apart, &o);
        settle(l);
    }
    o.scale = 1 / step;
    for (i = 0; i < done && !l->bad; i++) {
        move_all(l, -1, moves_apart, &o);
        settle(l);
    }
    play(l, 4);
}

static void shift(life *l) {
    int i, axis;
    for (i = 1 + test_below(&l->rng, 4); i > 0 && !is_over(l); i--) {
        offset o = any_offset(l, l->side * 3);
        sap_result result = SAP_OK;
        for (axis = 0; axis < 3; axis++)
            if (!(l->axes >> axis & 1)) o.by[axis] = TEST_NAN;
        result = model_shift_origin(&l->o.m, o.by);
        ALL(l, sap_shift_origin(w->s, o.by), result);
        for (axis = 0; axis < 3; axis++)
            if (l->axes >> axis & 1) l->middle[axis] -= o.by[axis];
        if (!l->exact) l->exact = 0;
        settle(l);
        play(l, test_below(&l->rng, 4));
    }
}

/* Some become a thousand times as large, and small again. */
static void grow(life *l) {
    const int most = 1 + 40000 / (1 + l->o.m.live);
    offset o;
    char *chosen = choose(l, 1 + test_below(&l->rng, most));
    memset(&o, 0, sizeof o);
    l->exact = 0;
    o.chosen = chosen;
    o.chosen_slots = l->o.m.slot_count;
    o.scale = test_chance(&l->rng, 50) ? 1000.0f : 10.0f;
    move_all(l, -1, grows, &o);
    settle(l);
    if (test_chance(&l->rng, 50)) settle(l);
    o.scale = 1 / o.scale;
    move_all(l, -1, grows, &o);
    settle(l);
    free(chosen);
    play(l, 8);
}

static void toggle_masks(life *l) {
    int i;
    for (i = 4 + test_below(&l->rng, 10); i > 0 && !is_over(l); i--) {
        int count, n, k;
        sap_id *ids = ids_of(l, test_chance(&l->rng, 50) ? test_below(&l->rng, l->role_count) : -1, &count);
        n = count == 0 ? 0 : test_chance(&l->rng, 30) ? count : 1 + test_below(&l->rng, count);
        draw_first(l, ids, count, n);
        if (test_chance(&l->rng, 40)) /* back to what their roles have */
            for (k = 0; k < n && !l->bad; k++) {
                const role_kind *kind = role_of(l, (int)SAP_SLOT(ids[k]))->kind;
                set_filter(l, ids[k], kind->category ? kind->category : 2u << test_below(&l->rng, 15), kind->mask);
            }
        else
            set_filter_many(l, n, ids, test_chance(&l->rng, 20) ? 0 : 1u << test_below(&l->rng, 23),
                            test_chance(&l->rng, 20)   ? 0
                            : test_chance(&l->rng, 50) ? ~0u
                                                       : 1u << test_below(&l->rng, 23));
        free(ids);
        if (test_chance(&l->rng, 50)) move_all(l, -1, role_moves, NULL);
        settle(l);
    }
}

static void toggle_statics(life *l) {
    int i;
    for (i = 4 + test_below(&l->rng, 10); i > 0 && !is_over(l); i--) {
        const int is_static = test_chance(&l->rng, 50);
        int count, n, k;
        sap_id *ids = ids_of(l, -1, &count);
        n = count == 0 ? 0 : test_chance(&l->rng, 30) ? count : 1 + test_below(&l->rng, count);
        draw_first(l, ids, count, n);
        for (k = 0; k < n && !l->bad; k++) set_static(l, ids[k], is_static);
        free(ids);
        if (test_chance(&l->rng, 50)) move_all(l, -1, role_moves, NULL);
        settle(l);
    }
}

static void set_pair_filter(life *l, int filtered) {
    l->filtered = filtered;
    l->o.m.filter = filtered ? some_pairs : NULL;
    l->o.m.filter_user = l;
    l->o.ask_all = 1;
    l->o.partial = 0;
    model_record(&l->o.m, MODEL_MAYBE);
    ALL(l, sap_set_pair_filter(w->s, filtered ? some_pairs : NULL, l), SAP_OK);
}

static void filter_pairs(life *l) {
    int i;
    for (i = 2 + test_below(&l->rng, 6); i > 0 && !is_over(l); i--) {
        if (test_chance(&l->rng, 40)) {
            l->salt = (uint32_t)test_random(&l->rng);
            set_pair_filter(l, test_chance(&l->rng, 70));
        } else {
            int k;
            for (k = test_below(&l->rng, 20); k > 0 && l->o.m.live > 0 && !l->bad; k--) {
                const sap_id id = any_live(l);
                l->version[SAP_SLOT(id)]++;
                oracle_ask(&l->o, (int)SAP_SLOT(id));
                ALL(l, sap_refilter(w->s, id), SAP_OK);
            }
        }
        if (test_chance(&l->rng, 50)) move_all(l, -1, role_moves, NULL);
        settle(l);
    }
}

static void clear(life *l) {
    model_clear(&l->o.m);
    ALL(l, sap_clear(w->s), SAP_OK);
    if (test_chance(&l->rng, 70)) settle(l);
    if (!l->bad) load(l);
    play(l, 5);
}

static void reserve(life *l) {
    const int boxes = test_below(&l->rng, 2 + 2 * l->o.m.live), pairs = test_below(&l->rng, 2 + 2 * l->o.m.pairs.count);
    ALL(l, sap_reserve(w->s, boxes, pairs), SAP_OK);
    play(l, 8);
    if (test_chance(&l->rng, 50)) waves(l);
}

/* One or two boxes walk or jump, a long time. */
static void quiet(life *l) {
    const int one_in = 1 + test_below(&l->rng, 3);
    int i;
    for (i = 200 << test_below(&l->rng, 5); i > 0 && l->o.m.live > 0 && !is_over(l); i--) {
        const sap_id id = any_live(l);
        const int slot = (int)SAP_SLOT(id);
        sap_aabb box = l->o.m.slots[slot].box;
        box = test_chance(&l->rng, 5) ? new_box(l, role_of(l, slot)->kind) : walked(l, box);
        if (test_chance(&l->rng, 2)) {
            const int r = l->role_of[slot];
            remove_boxes(l, 1, &id);
            if (!l->bad) add_boxes(l, r, 1);
        } else if (test_below(&l->rng, one_in) == 0)
            move_boxes(l, 1, &id, &box);
        settle(l);
    }
}

/* A visitor of a category of its own is there, far away; comes to one of the boxes, goes, and is no more. */
static void visit(life *l) {
    const sap_aabb far_away = {{500, 500, 500}, {501, 501, 501}};
    int i;
    for (i = 10 + test_below(&l->rng, 60); i > 0 && l->o.m.live > 0 && !is_over(l); i--) {
        const sap_id host = any_live(l);
        const uint32_t category = 8u << test_below(&l->rng, 12);
        const role_kind *kind = role_of(l, (int)SAP_SLOT(host))->kind;
        sap_aabb there = l->o.m.slots[SAP_SLOT(host)].box, home = there;
        int k;
        sap_id id;
        if (test_chance(&l->rng, 50)) home = far_away;
        add_boxes(l, (int)(role_of(l, (int)SAP_SLOT(host)) - l->roles), 1);
        if (l->bad || l->o.m.live == 0) return;
        for (k = 1, id = 0; k < l->o.m.slot_count; k++) /* the youngest is the one that no update has seen */
            if (l->o.m.slots[k].live && (k >= l->o.settled_count || l->o.settled[k].id != l->o.m.slots[k].id))
                id = l->o.m.slots[k].id;
        if (id == 0) return; /* there is a limit */
        set_filter(l, id, category, ~0u);
        move_boxes(l, 1, &id, &home);
        for (k = test_below(&l->rng, 12); k >= 0 && !l->bad && l->o.m.live > 0; k--) { /* callbacks remove boxes */
            const sap_id other = any_live(l);
            const sap_aabb box = walked(l, l->o.m.slots[SAP_SLOT(other)].box);
            if (other != id) move_boxes(l, 1, &other, &box);
            settle(l);
        }
        if (!model_find(&l->o.m, id)) continue;
        if (test_chance(&l->rng, 50) && model_find(&l->o.m, host)) { /* or a box comes to it */
            there = home;
            move_boxes(l, 1, &host, &there);
            settle(l);
            there = new_box(l, kind);
            if (model_find(&l->o.m, host)) move_boxes(l, 1, &host, &there);
        } else {
            move_boxes(l, 1, &id, &there);
            settle(l);
            if (model_find(&l->o.m, id)) move_boxes(l, 1, &id, &home);
        }
        settle(l);
        if (model_find(&l->o.m, id)) remove_boxes(l, 1, &id);
        settle(l);
    }
}

/* ---- snapshots ----------------------------------------------------------------------------------------------- */

static void *save(life *l, const world *w, size_t *size) {
    void *bytes;
    *size = sap_snapshot_size(w->s);
    bytes = malloc(*size + 1);
    if (!bytes) exit(2);
    HOLDS(l, w, sap_save(w->s, bytes, *size) == SAP_OK);
    return bytes;
}

/* Those of all worlds are equal byte by byte. */
static void compare_snapshots(life *l) {
    size_t first_size, size;
    void *first = save(l, &l->worlds[0], &first_size), *bytes;
    int i;
    for (i = 1; i < l->world_count && !l->bad; i++) {
        bytes = save(l, &l->worlds[i], &size);
        HOLDS(l, &l->worlds[i], size == first_size && memcmp(bytes, first, size) == 0);
        free(bytes);
    }
    free(first);
}

static void forget_saved(life *l) {
    if (!l->saved.is_there) return;
    free(l->saved.bytes);
    free(l->saved.role_of);
    free(l->saved.version);
    oracle_free(&l->saved.o);
    l->saved.is_there = 0;
}

static void keep_snapshot(life *l) {
    int capacity;
    forget_saved(l);
    l->saved.is_there = 1;
    l->saved.filtered = l->filtered;
    l->saved.salt = l->salt;
    l->saved.bytes = save(l, &l->worlds[test_below(&l->rng, l->world_count)], &l->saved.size);
    l->saved.o = oracle_copy(&l->o);
    l->saved.role_of = (unsigned char *)oracle_double(l->role_of, l->role_capacity, &capacity, 1);
    l->saved.version = (uint32_t *)oracle_double(l->version, l->version_capacity, &capacity, sizeof *l->version);
}

/* All worlds go back to the snapshot. It holds no filter: the worlds have the one of now, and either ask it about all,
   or leave pairs away that another one refused. */
static void go_back(life *l) {
    const oracle *o = &l->saved.o;
    const int same = l->filtered == l->saved.filtered && l->salt == l->saved.salt;
    const sap_result expected = l->o.m.max_boxes && o->m.live > l->o.m.max_boxes ? SAP_ERROR_LIMIT : SAP_OK;
    model now = l->o.m;
    if (!l->saved.is_there) return;
    ALL(l, sap_restore(w->s, l->saved.bytes, l->saved.size), expected);
    if (l->bad || expected != SAP_OK) return;
    now = l->o.m;
    oracle_free(&l->o);
    l->o = oracle_copy(o);
    l->o.m.filter = now.filter;
    l->o.m.filter_user = now.filter_user;
    if (o->m.slot_count > 1) {
        memcpy(l->role_of, l->saved.role_of, (size_t)o->m.slot_count);
        memcpy(l->version, l->saved.version, (size_t)o->m.slot_count * sizeof *l->version);
    }
    if (same) return;
    if (l->filtered || test_chance(&l->rng, 50))
        set_pair_filter(l, l->filtered);
    else
        l->o.partial = 1;
}

static void restore(life *l) {
    int i;
    if (!l->saved.is_there || test_chance(&l->rng, 50)) keep_snapshot(l);
    play(l, 3);
    if (test_chance(&l->rng, 30)) filter_pairs(l);
    for (i = 1 + test_below(&l->rng, 3); i > 0 && !is_over(l); i--) {
        if (test_chance(&l->rng, 30)) move_all(l, -1, role_moves, NULL); /* what is recorded is forgotten */
        if (!l->bad) go_back(l);
        if (test_chance(&l->rng, 50)) settle(l);
        play(l, 1 + test_below(&l->rng, 6));
    }
}

/* ---- lives --------------------------------------------------------------------------------------------------- */

static void play_some(life *l) {
    play(l, 10 + test_below(&l->rng, 30));
}

typedef struct phase {
    const char *name;
    void (*lead)(life *l);
} phase;
static const phase phases[] = {
    {"play", play_some},      {"waves", waves},        {"die", die},
    {"turn over", turn_over}, {"stream", stream},      {"teleport", teleport},
    {"migrate", migrate},     {"gather", gather},      {"shift", shift},
    {"grow", grow},           {"masks", toggle_masks}, {"statics", toggle_statics},
    {"filter", filter_pairs}, {"clear", clear},        {"reserve", reserve},
    {"quiet", quiet},         {"visit", visit},        {"restore", restore},
};
enum { PHASES = sizeof phases / sizeof phases[0] };

/* The first world is plain: one SAP or trees, on one thread. */
static void open_world(life *l, world *w, const sap_config *config, int i) {
    static const int grid_cells[] = {1, 3, 8, 40};
    static const char *const methods[] = {"auto", "sort", "prune", "query"};
    static const char *const names[] = {"threads", "chosen grid", "fixed grid", "hashed grid"};
    const int has_more = i > 0 && test_chance(&l->draw, 50);
    const grid_kind grid = has_more ? (grid_kind)test_below(&l->draw, GRID_KINDS) : NO_GRID;
    const int runs = !has_more || (grid && test_chance(&l->draw, 30)) ? 0 : test_chance(&l->draw, 80) ? 1 : 2;
    sap_config c = *config;
    sap_grid g = grid_of(grid, 1, 7);
    int axis;
    memset(w, 0, sizeof *w);
    c.method = test_chance(&l->draw, 40) ? SAP_METHOD_AUTO : test_below(&l->draw, METHODS);
    if (grid && test_chance(&l->draw, 70)) c.method = SAP_METHOD_SORT; /* which has a grid */
    w->method = c.method;
    w->shuffle.state = l->seed + (uint64_t)i;
    w->changing = i > 0 && test_chance(&l->draw, 20);
    w->name = has_more ? names[grid] : w->changing ? "changing" : methods[w->method];
    for (axis = 0; axis < 3; axis++) {
        const float length = l->side / (float)grid_cells[test_below(&l->draw, 4)];
        if (grid == FIXED) {
            g.bounds.min[axis] = l->middle[axis] - l->side / 2;
            g.bounds.max[axis] = l->middle[axis] + l->side / 2 + 1;
            g.cells[axis] = grid_cells[test_below(&l->draw, 4)];
        } else if (grid == HASHED)
            g.cell_size[axis] = axis == 0 ? l->side / 4 : test_chance(&l->draw, 20) ? 0 : length;
    }
    if (grid == HASHED) g.entries = test_chance(&l->draw, 50) ? 0 : 1 << test_below(&l->draw, 10);
    w->threads = 2;
    w->s = open_with(&c, grid ? &g : NULL,
                     runs > 1 ? run_in_threads
                     : runs   ? run_shuffled
                              : NULL,
                     runs > 1 ? (void *)&w->threads : (void *)&w->shuffle);
    if (test_chance(&l->draw, 70)) force_threads(w->s, 1 + test_below(&l->draw, 300));
    if (test_chance(&l->draw, 30)) (void)force_kernel(w->s, test_below(&l->draw, KERNELS));
}

/* The last world begins anew from a snapshot of another. */
static void replace_last_world(life *l, const sap_config *config) {
    const int last = l->world_count - 1;
    size_t size;
    void *bytes = save(l, &l->worlds[0], &size);
    sap_config now = *config;
    sap_destroy(l->worlds[last].s);
    now.filter = l->o.m.filter;
    now.filter_user = l;
    open_world(l, &l->worlds[last], &now, last);
    HOLDS(l, &l->worlds[last], sap_restore(l->worlds[last].s, bytes, size) == SAP_OK);
    l->worlds[last].has_no_events = 1;
    free(bytes);
}

static void draw_roles(life *l) {
    static const int thresholds[] = {2,  15, 16,  17,  31,  32,  33,  47,  48,   49,   64,   95,
                                     96, 97, 128, 160, 256, 300, 512, 700, 1000, 4096, 12288};
    enum { THRESHOLDS = sizeof thresholds / sizeof thresholds[0] };
    int n = thresholds[test_below(&l->rng, test_chance(&l->rng, 80)   ? THRESHOLDS - 5
                                           : test_chance(&l->rng, 70) ? THRESHOLDS - 2
                                                                      : THRESHOLDS)];
    int r, left;
    if (test_chance(&l->rng, 60)) n += test_below(&l->rng, 4) - 1;
    if (test_chance(&l->rng, 20)) n += n / 16 + test_below(&l->rng, 20);
    l->population = left = n;
    l->role_count = 1 + test_below(&l->rng, MOST_ROLES);
    for (r = l->role_count - 1; r >= 0; r--) {
        role *one = &l->roles[r];
        const int is_few = r > 0 && test_chance(&l->rng, 55);
        do one->kind = &role_kinds[test_below(&l->rng, ROLE_KINDS)];
        while ((r == 0 && one->kind->few) || (is_few && !one->kind->few));
        one->wanted = r == 0           ? left
                      : one->kind->few ? 1 + test_below(&l->rng, one->kind->few)
                                       : left / (2 + test_below(&l->rng, 6));
        if (one->wanted > left) one->wanted = left;
        left -= one->wanted;
        one->moves = one->kind->moves;
        one->jumps = one->kind->jumps;
        if (test_chance(&l->rng, 30)) one->moves = test_below(&l->rng, 101);
        if (test_chance(&l->rng, 20)) one->jumps = test_below(&l->rng, 101);
    }
}

/* How many pairs n boxes that lie in one place would be is what limits them. */
static void draw_space(life *l) {
    static const int all_axes[] = {0, 0, 0, 7, SAP_2D, SAP_2D, 1, 2, 4, 5, 6};
    const role_kind *crowd = l->roles[0].kind;
    float room = test_chance(&l->rng, 70) ? test_uniform(&l->rng, 2, 30) : test_uniform(&l->rng, 0.5f, 2);
    float n = (float)l->population, side;
    int axis, spread = 0;
    l->axes = all_axes[test_below(&l->rng, 11)];
    l->layout = test_chance(&l->rng, 55) ? UNIFORM : (layout)test_below(&l->rng, LAYOUTS);
    if (l->axes == 0) l->axes = 7;
    l->spread = l->axes;
    if (l->layout == LINE) l->spread = l->axes & 1 ? 1 : l->axes & 2 ? 2 : 4;
    if (l->layout == PLATE && l->axes == 7) l->spread = 5;
    for (axis = 0; axis < 3; axis++) spread += l->spread >> axis & 1;
    side = n * room;
    if (spread > 1) {
        float low = 1, high = side;
        int i;
        for (i = 0; i < 40; i++) { /* the root, without a library that may round differently */
            const float half = (low + high) / 2;
            if ((spread == 2 ? half * half : half * half * half) < side)
                low = half;
            else
                high = half;
        }
        side = high;
    }
    l->side = side < 4 ? 4 : (float)(int)side;
    l->exact = l->layout == LATTICE;
    if ((l->layout == ONE_POINT || l->layout == FEW_POINTS || l->layout == CLUSTERS) && l->population > 260 &&
        (crowd->category & crowd->mask))
        l->layout = UNIFORM;
    if (test_chance(&l->rng, 20))
        for (axis = 0; axis < 3; axis++) l->middle[axis] = (float)(test_below(&l->rng, 2001) - 1000);
    l->reach = test_chance(&l->rng, 50) ? 0.2f : test_chance(&l->rng, 50) ? 1 : 0.02f;
}

static void live(uint64_t seed) {
    static const float margins[] = {0.1f, 0.5f, 3, 0.01f};
    life *l = (life *)calloc(1, sizeof *l);
    sap_config config;
    int i, n;
    if (!l) exit(2);
    memset(&config, 0, sizeof config);
    l->seed = seed;
    l->rng.state = seed * 7777777u;
    l->dice.state = seed ^ 0x5eed;
    l->look.state = ~seed;
    l->draw.state = seed * 31;
    draw_roles(l);
    draw_space(l);
    config.axes = l->axes;
    l->filtered = test_chance(&l->rng, 15);
    l->memory_fails = test_chance(&l->rng, 12) ? 1 + test_below(&l->rng, 40) : 0;
    l->asks = test_chance(&l->rng, 70) ? test_below(&l->rng, 60) : 0;
    l->dumps = test_chance(&l->rng, 60) ? test_below(&l->rng, 101) : 0;
    l->acts = test_chance(&l->rng, 25) ? test_below(&l->rng, 60) : 0;
    if (test_chance(&l->rng, 6)) config.max_boxes = 1 + l->population / 2 + test_below(&l->rng, l->population);
    if (test_chance(&l->rng, 8)) config.max_pairs = 1 + test_below(&l->rng, 2 * l->population);
    if (seed % 11 == 0) config.margin = margins[seed / 11 % 4];
    config.filter = l->filtered ? some_pairs : NULL;
    config.filter_user = l;
    oracle_init(&l->o, &config);
    l->world_count = test_chance(&l->rng, 35) ? 1 : test_chance(&l->rng, 70) ? 2 : 3;
    for (i = 0; i < l->world_count; i++) open_world(l, &l->worlds[i], &config, i);
    if (l->world_count > most_worlds) {
        for (i = most_worlds; i < l->world_count; i++) sap_destroy(l->worlds[i].s);
        l->world_count = most_worlds;
    }
    l->most_work = 600000;
    l->phase = "load";
    if (verbose) {
        printf("life %llu: %d boxes, axes %d, %s, side %g, %d worlds (", (unsigned long long)seed, l->population,
               l->axes, layout_names[l->layout], (double)l->side, l->world_count);
        for (i = 0; i < l->world_count; i++) printf("%s%s", i ? ", " : "", l->worlds[i].name);
        printf(");");
        for (i = 0; i < l->role_count; i++) printf(" %d %s;", l->roles[i].wanted, l->roles[i].kind->name);
        printf(" fails %d asks %d dumps %d acts %d limits %d %d filter %d margin %g:", l->memory_fails, l->asks,
               l->dumps, l->acts, config.max_boxes, config.max_pairs, l->filtered, (double)config.margin);
    }
    set_role(l, 0, 0);
    load(l);
    play(l, 3);
    n = 1 + test_below(&l->rng, MOST_PHASES);
    for (i = 0; i < n && !is_over(l); i++) {
        const phase *p = &phases[test_below(&l->rng, PHASES)];
        l->phase = p->name;
        if (verbose) printf(" %s", p->name);
        if (test_chance(&l->draw, 25) && l->world_count > 1) replace_last_world(l, &config);
        if (!l->bad) p->lead(l);
    }
    l->phase = "end";
    if (!l->bad && test_chance(&l->rng, 30)) unload(l, 0);
    if (!l->bad) HOLDS(l, NULL, l->o.m.recorded != MODEL_NOTHING || oracle_verify(&l->o));
    if (!l->bad && l->world_count > 1) compare_snapshots(l);
    if (verbose) printf(" (%d updates, %lld work)\n", l->update, l->work);
    for (i = 0; i < l->world_count; i++) sap_destroy(l->worlds[i].s);
    forget_saved(l);
    oracle_free(&l->o);
    free(l->role_of);
    free(l->version);
    HOLDS(l, NULL, live_blocks == 0 && faults == 0);
    free(l);
}

int main(int argc, char **argv) {
    int lives = 300, seconds = 0, i, n = 0, bad = 0;
    unsigned long long first = 1, seed;
    const time_t began = time(NULL);
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            seconds = atoi(argv[++i]), n = 1;
        else if (!strcmp(argv[i], "-w") && i + 1 < argc)
            most_worlds = atoi(argv[++i]);
        else if (n++ == 0)
            lives = atoi(argv[i]);
        else
            first = strtoull(argv[i], NULL, 10);
    }
    for (seed = first; seconds ? time(NULL) - began < seconds : seed < first + (unsigned)lives; seed++) {
        const long failed = test_failed;
        live(seed);
        fflush(stdout);
        if (test_failed > failed && ++bad >= 5) break;
    }
    printf("lives %llu to %llu: %lld updates, %lld with those of twins\n", first, seed - 1, all_updates, all_settled);
    return test_summary();
}
