/* ways.h - all ways in which a world can settle an update: each method with every SIMD kernel, on threads, in each kind of
   grid; and what small worlds would hardly ever do by themselves. The one file of the tests that names private parts of
   sap.h and sap_multi.h.

   A test includes only this, and is linked with tests/ways.c, which holds the implementation, with the allocator of
   alloc.h:   cc -I. -isystem build/stb tests/test_model.c tests/ways.c -lm -pthread
   A test that needs the implementation compiled in another way includes it first, and this behind it; it is one file. */

#ifndef WAYS_H
#define WAYS_H

#if defined(SAP_IMPLEMENTATION_ONCE)
#define WAYS_IMPLEMENTATION
#define WAYS_DEF static inline
#elif defined(WAYS_IMPLEMENTATION)
#define WAYS_DEF
#define WAYS_DAMAGES
#define ALLOC_DEF
#include "alloc.h"
void test_free(void *p);
void *test_realloc(void *p, size_t size);
void *(*use_realloc)(void *p, size_t size) = test_realloc;
void (*use_free)(void *p) = test_free;
#define SAP_REALLOC(p, size) use_realloc(p, size)
#define SAP_FREE(p) use_free(p)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#else
#define WAYS_DEF
#define ALLOC_ELSEWHERE
#include "alloc.h"
#include "sap_multi.h"
#endif

#include "test.h"
#include "threads.h"

struct sap_grid; /* of sap_multi.h, which tests that compile sap.h alone lack */

enum { ANY = -1, METHODS = SAP_METHOD_QUERY + 1 };
enum { KERNEL_FIRST, KERNEL_AVX2, KERNEL_AVX512, KERNELS }; /* FIRST: SSE2, NEON, wasm or plain C, as the build has */

/* ---- knobs ---------------------------------------------------------------------------------- */

/* Before any update; sap_create's config.method does the same for good. */
WAYS_DEF void force_method(sap_world *s, int method);

/* kernel from 0 to KERNELS - 1; returns 0 if this build or machine lacks it, and then nothing has changed. */
WAYS_DEF int force_kernel(sap_world *s, int kernel);

/* What large worlds do now and then, for small ones: the indices are worn, and are built before they are used next.
   0 does nothing. */
WAYS_DEF void force_small(sap_world *s, int small);

/* Threads are used from so much work on, counted in boxes or pairs. */
WAYS_DEF void force_threads(sap_world *s, int from);

/* The least number of bytes between what two threads count at a time. */
WAYS_DEF size_t gap_between_threads(void);

/* What can be broken, and what sap_validate then says: one for each of its sentences. The world was settled by
   `method`, and has everything that test_contract.c gives it; afterwards it may only be destroyed. */
typedef struct damage {
    int method;
    const char *sentence;
    void (*spoil)(sap_world *s);
} damage;

/* All of them; the last one has no sentence. Not in tests that hold the implementation. */
const damage *all_damages(void);

/* The same for a world with a grid, which has hashed cells, large boxes, and an empty cell. */
const damage *all_grid_damages(void);

/* ---- ways ------------------------------------------------------------------------------------ */

typedef enum grid_kind { NO_GRID, CHOSEN, FIXED, HASHED, GRID_KINDS } grid_kind;

typedef struct way {
    const char *name;
    int method, kernel;
    grid_kind grid;
    int threads; /* 0: none are lent */
} way;

static const way ways[] = {
    {"auto", SAP_METHOD_AUTO, ANY, NO_GRID, 0},
    {"sort", SAP_METHOD_SORT, ANY, NO_GRID, 0},
    {"query/first", SAP_METHOD_QUERY, KERNEL_FIRST, NO_GRID, 0},
    {"query/avx2", SAP_METHOD_QUERY, KERNEL_AVX2, NO_GRID, 0},
    {"query/avx512", SAP_METHOD_QUERY, KERNEL_AVX512, NO_GRID, 0},
    {"prune/first", SAP_METHOD_PRUNE, KERNEL_FIRST, NO_GRID, 0},
    {"prune/avx2", SAP_METHOD_PRUNE, KERNEL_AVX2, NO_GRID, 0},
    {"prune/avx512", SAP_METHOD_PRUNE, KERNEL_AVX512, NO_GRID, 0},
    {"changing", ANY, ANY, NO_GRID, 0}, /* another method and kernel before every update */
    {"auto, 4 threads", SAP_METHOD_AUTO, ANY, NO_GRID, 4},
    {"prune, 8 threads", SAP_METHOD_PRUNE, ANY, NO_GRID, 8},
    {"chosen grid", SAP_METHOD_SORT, ANY, CHOSEN, 0},
    {"fixed grid", SAP_METHOD_SORT, ANY, FIXED, 0},
    {"hashed grid", SAP_METHOD_SORT, ANY, HASHED, 0},
    {"fixed grid, 1 thread", SAP_METHOD_SORT, ANY, FIXED, 1},
    {"hashed grid, 7 threads", SAP_METHOD_SORT, ANY, HASHED, 7},
    {"changing, chosen grid, 3 threads", ANY, ANY, CHOSEN, 3},
    {"changing, fixed grid, 6 threads", ANY, ANY, FIXED, 6},
    {"changing, hashed grid, 5 threads", ANY, ANY, HASHED, 5},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

#ifdef SAP_MULTI_H
/* A grid of this kind; its cells on each axis are so long, if bit k of divided is set. A fixed one has bounds which are
   smaller than most worlds, so boxes wrap around; a hashed one so few entries that cells far apart are one. */
static inline sap_grid grid_of(grid_kind kind, float length, int divided) {
    sap_grid grid;
    int k;
    memset(&grid, 0, sizeof grid);
    grid.hashed = kind == HASHED;
    grid.entries = kind == HASHED ? 7 : 0;
    for (k = 0; k < 3 && kind > CHOSEN; k++) {
        grid.bounds.min[k] = kind == FIXED ? -2 * length : 0;
        grid.bounds.max[k] = kind == FIXED ? (float)k * length : 0;
        grid.cells[k] = kind == FIXED && divided >> k & 1 ? 2 + k : 0;
        grid.cell_size[k] = kind == HASHED && divided >> k & 1 ? length : 0;
    }
    return grid;
}
#endif

/* A new world with this grid and these threads, either NULL. */
static inline sap_world *open_with(const sap_config *config, const struct sap_grid *grid, sap_parallel_for *parallel,
                                   void *user) {
    sap_world *s = sap_create(config);
    if (!s) exit(1);
#ifdef SAP_MULTI_H
    if (grid && sap_set_grid(s, grid) != SAP_OK) exit(1);
#else
    if (grid) exit(1);
#endif
    if (sap_set_parallel(s, parallel, user) != SAP_OK) exit(1);
    return s;
}

/* A new world on this way; NULL if this build or this machine lacks the kernel, or the grid. */
static inline sap_world *open_way(const sap_config *config, const way *w) {
    sap_config c;
    sap_world *s;
    memset(&c, 0, sizeof c);
    if (config) c = *config;
    if (w->method != ANY) c.method = w->method;
    s = open_with(&c, NULL, w->threads ? run_in_threads : NULL, (void *)(uintptr_t)&w->threads);
    if (w->threads) force_threads(s, 0); /* also for a handful of boxes */
#ifdef SAP_MULTI_H
    if (w->grid) {
        const sap_grid grid = grid_of(w->grid, 4, 7);
        if (sap_set_grid(s, &grid) != SAP_OK) exit(1);
    }
    if (w->kernel == ANY || force_kernel(s, w->kernel)) return s;
#else
    if (!w->grid && (w->kernel == ANY || force_kernel(s, w->kernel))) return s;
#endif
    sap_destroy(s);
    return NULL;
}

/* Before an update. */
static inline void vary_way(sap_world *s, const way *w, test_rng *dice) {
    if (w->method != ANY) return;
    force_method(s, test_below(dice, METHODS));
    force_small(s, test_chance(dice, 30));
    (void)force_kernel(s, test_below(dice, KERNELS)); /* if there is such a kernel */
}

/* ---- inside ---------------------------------------------------------------------------------- */

#ifdef WAYS_IMPLEMENTATION
typedef char ways_knows_all_kernels[(int)KERNELS == (int)SAP__KERNELS ? 1 : -1];

WAYS_DEF void force_method(sap_world *s, int method) {
    if (method != s->config.method && s->endpoints.in_cells) s->endpoints.valid = s->endpoints.in_cells = 0;
    s->config.method = method;
}

WAYS_DEF int force_kernel(sap_world *s, int kernel) {
    if (kernel > sap__best_kernel()) return 0;
    s->kernel = kernel;
    return 1;
}

WAYS_DEF void force_small(sap_world *s, int small) {
    for (int tree = 0; small && tree < SAP__TREES; tree++)
        if (s->tree[tree].state == SAP__TREE_VALID) s->tree[tree].state = SAP__TREE_NEEDS_REFIT;
}

WAYS_DEF void force_threads(sap_world *s, int from) {
    s->threads.min_parallel_work = from;
}

WAYS_DEF size_t gap_between_threads(void) {
    static const sap__task tasks[2];
    static const sap__query_counters counters[2];
    const size_t of_tasks = (size_t)((const char *)&tasks[1] - (const char *)(&tasks[0].tests + 1));
    const size_t of_counters = (size_t)((const char *)&counters[1] - (const char *)(&counters[0].visits + 1));
    return of_tasks < of_counters ? of_tasks : of_counters;
}

/* ---- damages: one for each sentence of sap_validate -------------------------------------------- */

#ifdef WAYS_DAMAGES
/* A live box that moves nowhere, is in no pair, and of which nothing is recorded. */
static uint32_t plain_slot(const sap_world *s) {
    uint32_t slot = 0;
    while ((s->slot_array[slot].flags & SAP__FLAGS) != SAP__LIVE || s->pairs.head_edge[slot] != SAP__NONE) slot++;
    return slot;
}

/* The first slot with all of these flags and none of those. */
static uint32_t slot_with(const sap_world *s, uint32_t flags, uint32_t others) {
    uint32_t slot = 0;
    while ((s->slot_array[slot].flags & flags) != flags || (s->slot_array[slot].flags & others)) slot++;
    return slot;
}

/* A chunk of this level of the index of moving boxes with a free lane and with one that is used. */
static int chunk_with_room(const sap_world *s, int level, int *free_lane, int *used_lane) {
    const sap__bvh *t = &s->tree[0];
    int at = t->first[level];
    while (!t->occupied[at] || t->occupied[at] == (1 << SAP__NODE_WIDTH) - 1) at++;
    *free_lane = *used_lane = 0;
    while (t->occupied[at] >> *free_lane & 1) ++*free_lane;
    while (!(t->occupied[at] >> *used_lane & 1)) ++*used_lane;
    return at;
}

static void move_for_good(sap_world *s, uint32_t slot, int axis) {
    s->slot_array[slot].box.lo[axis] -= 1 << 29;
    s->slot_array[slot].box.hi[axis] = s->slot_array[slot].box.lo[axis];
    s->slot_array[slot].previous = s->slot_array[slot].box;
}

static void become_static(sap_world *s, uint32_t slot) {
    if (s->slot_array[slot].flags & SAP__STATIC) return;
    sap__count_box(s, slot, -1);
    s->slot_array[slot].flags |= SAP__STATIC;
    sap__count_box(s, slot, 1);
}

static void live_and_removed(sap_world *s) {
    s->slot_array[plain_slot(s)].flags |= SAP__REMOVED;
}
static void free_with_flags(sap_world *s) {
    s->slot_array[slot_with(s, 0, SAP__LIVE | SAP__REMOVED)].flags |= SAP__CHANGED;
}
static void moved_unseen(sap_world *s) {
    s->slot_array[plain_slot(s)].box.hi[0]++;
}
static void fresh_unrecorded(sap_world *s) {
    s->slot_array[plain_slot(s)].flags |= SAP__REFILTER;
}
static void not_mixed(sap_world *s) {
    s->changes.flags &= ~(uint32_t)SAP__REFILTER;
}
static void held_too_many(sap_world *s) {
    s->boxes.held_count = s->boxes.free.count + 1;
}
static void added_elsewhere(sap_world *s) {
    s->slot_array[slot_with(s, SAP__ADDED, 0)].previous.lo[0] = 0;
}
static void min_above_max(sap_world *s) {
    s->slot_array[slot_with(s, SAP__CHANGED | SAP__LIVE, 0)].box.lo[2] = SAP__INFINITY;
}
static void masked_unseen(sap_world *s) {
    s->slot_array[plain_slot(s)].filter.mask = 1;
}
static void room_for_one(sap_world *s) {
    stbds_header(s->slot_array)->capacity = 1;
}
static void without_bit(sap_world *s) {
    s->boxes.live_bits[0][plain_slot(s) / 64] ^= UINT64_C(1) << plain_slot(s) % 64;
}
static void one_more_lives(sap_world *s) {
    s->boxes.live_count++;
}
static void one_more_in_tree(sap_world *s) {
    s->boxes.tree_count[1]++;
}
static void one_more_removed(sap_world *s) {
    s->boxes.removed.count++;
}
static void removed_lives(sap_world *s) {
    s->boxes.removed.first = s->boxes.removed.last = plain_slot(s);
}
static void record_too_short(sap_world *s) {
    sap__set_length(s->changes.list, 1);
}
static void plain_in_record(sap_world *s) {
    s->changes.list[0] = plain_slot(s);
}
static void again_not_stale(sap_world *s) {
    s->slot_array[s->changes.unsynced[0]].flags &= ~(uint32_t)SAP__UNSYNCED;
}
static void stale_twice(sap_world *s) {
    stbds_arrlast(s->changes.unsynced) = s->changes.unsynced[0];
}
static void one_more_free(sap_world *s) {
    s->boxes.free.count++;
}
static void free_lives(sap_world *s) {
    s->boxes.free.first = plain_slot(s);
}

static void bound_not_a_number(sap_world *s) {
    s->slot_array[slot_with(s, SAP__CHANGED | SAP__LIVE, 0)].box.hi[0] = SAP__INFINITY + 1;
}
static void bound_on_unused_axis(sap_world *s) {
    s->used[2] = 0;
}
static void bit_behind_the_last(sap_world *s) {
    s->boxes.live_bits[SAP__TREE_LONERS][sap__length(s->slot_array) / 64] |= UINT64_C(1) << 63;
}
static void queue_ends_early(sap_world *s) {
    s->boxes.free.last = s->boxes.free.first;
}
static void changed_twice(sap_world *s) {
    const int n = sap__length(s->changes.list);
    s->changes.list[n - 1] = s->changes.list[n - 2];
}
static void none_is_stale(sap_world *s) {
    sap__set_length(s->changes.unsynced, 0);
}
static void ghost_at_rest(sap_world *s) {
    s->slot_array[plain_slot(s)].flags |= SAP__GHOST;
}
static void edits_without_lists(sap_world *s) {
    s->pairs.index[SAP__LISTS].is_valid = 0;
    s->pairs.index[SAP__LISTS].edits = 1;
}
static void wrong_bucket(sap_world *s) {
    uint32_t *at = s->pairs.buckets, *other;
    while (*at == SAP__NONE) at++;
    other = at == s->pairs.buckets ? at + 1 : at - 1;
    s->pairs.next[*at] = *other;
    *other = *at;
    *at = SAP__NONE;
}
static void pair_not_in_table(sap_world *s) {
    uint32_t *at = s->pairs.buckets;
    while (*at == SAP__NONE) at++;
    *at = s->pairs.next[*at];
}
static void sorted_from_beyond(sap_world *s) {
    s->pairs.sorted_from = sap__length(s->pairs.active) + 1;
}
static void pair_without_slot(sap_world *s) {
    s->pairs.active[0].id1 |= SAP__SLOT_MASK;
}

static void without_links(sap_world *s) {
    sap__set_length(s->pairs.edges, 1);
}
static void pair_with_itself(sap_world *s) {
    s->pairs.active[0].id1 = s->pairs.active[0].id0;
}
static void pairs_unsorted(sap_world *s) {
    sap_pair first = s->pairs.active[0];
    s->pairs.active[0] = s->pairs.active[1], s->pairs.active[1] = first;
    s->pairs.sorted_from = 0;
}
static void pair_of_nobody(sap_world *s) {
    s->pairs.active[0].id1 |= 0x70000000;
}
static void pair_apart(sap_world *s) {
    move_for_good(s, sap__slot_of(s->pairs.active[0].id0), 0);
}
static void pair_of_static(sap_world *s) {
    uint32_t a = sap__slot_of(s->pairs.active[0].id0), b = sap__slot_of(s->pairs.active[0].id1);
    become_static(s, a);
    become_static(s, b);
}
static void pair_against_bits(sap_world *s) {
    const uint32_t slot = sap__slot_of(s->pairs.active[0].id0);
    sap__count_box(s, slot, -1);
    s->slot_array[slot].filter.category = 0; /* it cannot be in a pair */
    sap__count_box(s, slot, 1);
}
static void pair_of_others(sap_world *s) {
    s->pairs.active[0].object1 = s;
}
static void list_of_another(sap_world *s) {
    s->pairs.head_edge[plain_slot(s)] = 0;
}
static void list_back(sap_world *s) {
    sap__edges_of(s, 0)->prev_edge[0] ^= 2;
}
static void list_too_short(sap_world *s) {
    s->pairs.head_edge[sap__slot_of(s->pairs.active[0].id0)] = SAP__NONE;
}

static void created_elsewhere(sap_world *s) {
    s->pairs.created[0].id1++;
}
static void overlap_without_pair(sap_world *s) {
    uint32_t slot = plain_slot(s), other = sap__slot_of(s->pairs.active[0].id0);
    for (int i = 0; i < sap__length(s->slot_array); i++) s->slot_array[i].flags &= ~(uint32_t)SAP__REFILTER;
    s->slot_array[slot].box = s->slot_array[slot].previous = s->slot_array[other].box;
}

static void empty_with_boxes(sap_world *s) {
    s->tree[0].state = SAP__TREE_EMPTY;
}
static void free_lane_overlaps(sap_world *s) {
    int free_lane, used_lane, at = chunk_with_room(s, 0, &free_lane, &used_lane);
    s->tree[0].nodes[at].lo[0][free_lane] = s->tree[0].nodes[at].hi[0][free_lane] = 0;
}
static void bound_too_small(sap_world *s) {
    int free_lane, used_lane, at = chunk_with_room(s, 0, &free_lane, &used_lane);
    s->tree[0].bounds[at].hi[1] = s->tree[0].bounds[at].lo[1];
}
static void child_elsewhere(sap_world *s) {
    int free_lane, used_lane, at = chunk_with_room(s, 1, &free_lane, &used_lane);
    s->tree[0].nodes[at].child[used_lane]++;
}
static void lane_too_small(sap_world *s) {
    int free_lane, used_lane, at = chunk_with_room(s, 1, &free_lane, &used_lane);
    s->tree[0].nodes[at].lo[0][used_lane]++;
}
static void leaf_unseen(sap_world *s) {
    sap__bvh *t = &s->tree[0];
    int j = 0;
    while (!t->occupied[j]) j++;
    t->occupied[t->first[1] + j / SAP__NODE_WIDTH] &= (uint16_t) ~(1 << j % SAP__NODE_WIDTH);
}
static void home_too_small(sap_world *s) {
    s->tree[0].home[s->slot_array[plain_slot(s)].leaf_position / SAP__NODE_WIDTH] = sap__empty_box;
}
static void young_first(sap_world *s) {
    s->tree[0].young = s->tree[0].count[0] + 1;
}
static void many_newborn(sap_world *s) {
    s->tree[0].packed = -16 * 1000;
    s->tree[0].appended = 1;
}
static void lane_unknown(sap_world *s) {
    s->slot_array[plain_slot(s)].leaf_position ^= 1;
}
static void static_among_moving(sap_world *s) {
    become_static(s, plain_slot(s));
}
static void lane_elsewhere(sap_world *s) {
    uint32_t place = s->slot_array[plain_slot(s)].leaf_position;
    s->tree[0].nodes[place / SAP__NODE_WIDTH].lo[0][place % SAP__NODE_WIDTH]++;
}
static void leaf_without_masks(sap_world *s) {
    s->tree[0].filter[s->slot_array[plain_slot(s)].leaf_position / SAP__NODE_WIDTH].mask = 0;
}
static void chunk_without_masks(sap_world *s) {
    s->tree[0].filter[s->tree[0].first[1]].category = 0;
}
static void not_in_index(sap_world *s) {
    uint32_t slot = plain_slot(s), place = s->slot_array[slot].leaf_position, lane = place % SAP__NODE_WIDTH;
    sap__node *c = &s->tree[0].nodes[place / SAP__NODE_WIDTH];
    int k;
    for (k = 0; k < 3; k++) c->lo[k][lane] = sap__empty_box.lo[k], c->hi[k][lane] = sap__empty_box.hi[k];
    s->tree[0].occupied[place / SAP__NODE_WIDTH] &= (uint16_t) ~(1u << lane);
    s->slot_array[slot].leaf_position = SAP__NONE;
}
static void room_of_another(sap_world *s) {
    s->tree[SAP__TREES - 1].room++;
}
static void no_room(sap_world *s) {
    s->tree[0].room = s->tree[0].count[0] - 1;
}
static void part_moved(sap_world *s) {
    s->tree[0].begin += 1000000;
}
static void one_more_in_index(sap_world *s) {
    s->tree[0].boxes++;
}
static void one_more_young(sap_world *s) {
    s->tree[0].young_boxes++;
}

static void end_missing(sap_world *s) {
    s->endpoints.sap.count--;
}
static void ends_beyond_capacity(sap_world *s) {
    s->endpoints.sap.capacity = 1;
}
static void no_sentinel(sap_world *s) {
    s->endpoints.sap.sorted[1][0] = 1;
}
static void ends_equal(sap_world *s) {
    s->endpoints.sap.sorted[1][3] = s->endpoints.sap.sorted[1][4];
}
static void end_elsewhere(sap_world *s) {
    sap__drop_trees(s);
    move_for_good(s, plain_slot(s), 1);
}

static const damage damage_table[] = {
    {SAP_METHOD_QUERY, "A slot is live or removed, not both.", live_and_removed},
    {SAP_METHOD_QUERY, "A slot that is neither live nor removed has no flags.", free_with_flags},
    {SAP_METHOD_QUERY, "A box is a ghost only during an update.", ghost_at_rest},
    {SAP_METHOD_QUERY, "A box that was added, removed, moved, refiltered or is not synchronised is marked as changed.",
     moved_unseen},
    {SAP_METHOD_QUERY, "A box that was added, removed, moved, refiltered or is not synchronised is marked as changed.",
     fresh_unrecorded},
    {SAP_METHOD_QUERY, "changes.flags has the flags of all changed boxes.", not_mixed},
    {SAP_METHOD_QUERY, "An added box was empty before.", added_elsewhere},
    {SAP_METHOD_QUERY, "Held slots are free.", held_too_many},
    {SAP_METHOD_QUERY, "No min is above its max.", min_above_max},
    {SAP_METHOD_QUERY, "Bounds are numbers.", bound_not_a_number},
    {SAP_METHOD_QUERY, "Bounds are 0 on unused axes.", bound_on_unused_axis},
    {SAP_METHOD_QUERY, "No live bit is set behind the last slot.", bit_behind_the_last},
    {SAP_METHOD_QUERY, "A queue of slots ends at its last one.", queue_ends_early},
    {SAP_METHOD_QUERY, "Only valid indices have edits.", edits_without_lists},
    {SAP_METHOD_QUERY, "A bucket holds the pairs with its hash.", wrong_bucket},
    {SAP_METHOD_QUERY, "Every pair is in the table.", pair_not_in_table},
    {SAP_METHOD_QUERY, "sorted_from is not beyond the last pair.", sorted_from_beyond},
    {SAP_METHOD_QUERY, "A pair's boxes have slots.", pair_without_slot},
    {SAP_METHOD_QUERY, "filtered_count is the number of live boxes with filter bits of their own.", masked_unseen},
    {SAP_METHOD_QUERY, "All arrays of boxes have the capacity of the list of changes.", room_for_one},
    {SAP_METHOD_QUERY, "Live bits are set for live boxes, by tree.", without_bit},
    {SAP_METHOD_QUERY, "live_count and static_count are the numbers of such boxes.", one_more_lives},
    {SAP_METHOD_QUERY, "tree_count is the number of live boxes by tree.", one_more_in_tree},
    {SAP_METHOD_QUERY, "A queue counts the slots that are free, or removed.", one_more_removed},
    {SAP_METHOD_QUERY, "A queue holds free slots, or removed ones.", removed_lives},
    {SAP_METHOD_QUERY, "The list of changes holds the changed boxes, each once.", record_too_short},
    {SAP_METHOD_QUERY, "The list of changes holds the changed boxes, each once.", plain_in_record},
    {SAP_METHOD_QUERY, "The list of changes holds the changed boxes, each once.", changed_twice},
    {SAP_METHOD_QUERY, "The list of unsynced boxes holds those that are marked so, each once.", again_not_stale},
    {SAP_METHOD_QUERY, "The list of unsynced boxes holds those that are marked so, each once.", stale_twice},
    {SAP_METHOD_QUERY, "The list of unsynced boxes holds those that are marked so, each once.", none_is_stale},
    {SAP_METHOD_QUERY, "A queue counts the slots that are free, or removed.", one_more_free},
    {SAP_METHOD_QUERY, "A queue holds free slots, or removed ones.", free_lives},
    {SAP_METHOD_QUERY, "Every pair has edges.", without_links},
    {SAP_METHOD_QUERY, "In a pair id0 < id1.", pair_with_itself},
    {SAP_METHOD_QUERY, "Pairs from sorted_from on are sorted by their ids.", pairs_unsorted},
    {SAP_METHOD_QUERY, "A pair's boxes are live, or were removed since the last update.", pair_of_nobody},
    {SAP_METHOD_QUERY, "A pair's boxes overlapped at the last update.", pair_apart},
    {SAP_METHOD_QUERY, "Two static boxes are not a pair.", pair_of_static},
    {SAP_METHOD_QUERY, "The filter bits of a pair's boxes allow it.", pair_against_bits},
    {SAP_METHOD_QUERY, "A pair has its boxes' objects.", pair_of_others},
    {SAP_METHOD_QUERY, "A box's list holds the edges of its pairs.", list_of_another},
    {SAP_METHOD_QUERY, "prev_edge leads back to the edge before.", list_back},
    {SAP_METHOD_QUERY, "Every pair has an edge in the lists of its two boxes.", list_too_short},
    {SAP_METHOD_QUERY, "The created pairs are the last active ones.", created_elsewhere},
    {SAP_METHOD_QUERY, "Without a filter callback every overlap of the last update is a pair.", overlap_without_pair},
    {SAP_METHOD_QUERY, "An empty tree counts no boxes.", empty_with_boxes},
    {SAP_METHOD_QUERY, "An empty lane has the empty box.", free_lane_overlaps},
    {SAP_METHOD_QUERY, "A node's bounds contain its lanes.", bound_too_small},
    {SAP_METHOD_QUERY, "A node's children are the next 16 nodes of the level below.", child_elsewhere},
    {SAP_METHOD_QUERY, "A lane of an inner node has the bounds of its child.", lane_too_small},
    {SAP_METHOD_QUERY, "A node that holds boxes is a child of the node above it.", leaf_unseen},
    {SAP_METHOD_QUERY, "A leaf's home contains its boxes.", home_too_small},
    {SAP_METHOD_QUERY, "The young come after the old, and the newborn after the young.", young_first},
    {SAP_METHOD_QUERY, "The young are not too many for the old.", many_newborn},
    {SAP_METHOD_QUERY, "leaf_position is the lane that holds the box.", lane_unknown},
    {SAP_METHOD_QUERY, "A tree holds live boxes that belong in it.", static_among_moving},
    {SAP_METHOD_QUERY, "The parts of two trees do not overlap.", room_of_another},
    {SAP_METHOD_QUERY, "A tree has room for its leaves.", no_room},
    {SAP_METHOD_QUERY, "A tree has its part of the arrays of all trees.", part_moved},
    {SAP_METHOD_QUERY, "A lane of a leaf has the box of its slot.", lane_elsewhere},
    {SAP_METHOD_QUERY, "A node has the filter bits of its children.", chunk_without_masks},
    {SAP_METHOD_QUERY, "A leaf has the filter bits of its boxes.", leaf_without_masks},
    {SAP_METHOD_QUERY, "Every live box is in its tree.", not_in_index},
    {SAP_METHOD_QUERY, "A tree counts the boxes of its young leaves.", one_more_young},
    {SAP_METHOD_QUERY, "A tree counts the boxes that it holds.", one_more_in_index},
    {SAP_METHOD_SORT, "Every box of the last update has two endpoints on each used axis.", end_missing},
    {SAP_METHOD_SORT, "A SAP has capacity for its endpoints.", ends_beyond_capacity},
    {SAP_METHOD_SORT, "The first and the last endpoint are sentinels.", no_sentinel},
    {SAP_METHOD_SORT, "Endpoints are sorted, and no two are equal.", ends_equal},
    {SAP_METHOD_SORT, "An endpoint has its box's bound of the last update.", end_elsewhere},
    {0, NULL, NULL},
};

const damage *all_damages(void) {
    return damage_table;
}

/* The first cell with boxes that is not that of the large boxes. */
static sap__cell *small_cell(sap_world *s) {
    sap__cell *c = s->multi->cells + 1;
    while (c->sap.count < 4) c++;
    return c;
}

/* The range of the first slot with a box. */
static sap__range *range_in(sap_world *s) {
    uint32_t slot = 0;
    while (!sap__has_previous_box(s->slot_array[slot].flags)) slot++;
    return &s->multi->range[slot];
}

static void cell_waits(sap_world *s) {
    small_cell(s)->waiting[SAP__MOVE] = 1;
}
static void cell_listed(sap_world *s) {
    small_cell(s)->is_listed = 1;
}
static void cell_not_in_table(sap_world *s) {
    small_cell(s)->key ^= 1 << 10;
}
static void cells_swapped(sap_world *s) {
    sap__cell *a = small_cell(s), *b = a + 1;
    sap__sap swap;
    while (b->sap.count < 4) b++;
    swap = a->sap;
    a->sap = b->sap, b->sap = swap;
}
static void cell_unsorted(sap_world *s) {
    uint64_t *ends = small_cell(s)->sap.sorted[2], swap = ends[1];
    ends[1] = ends[2], ends[2] = swap;
}
static void range_missing(sap_world *s) {
    range_in(s)->hi[0] = range_in(s)->lo[0] - 1;
}
static void range_elsewhere(sap_world *s) {
    range_in(s)->lo[1]--;
}
static void one_more_copy(sap_world *s) {
    s->multi->copies++;
}
static void large_in_a_small_cell(sap_world *s) {
    sap__cell *c = small_cell(s);
    sap__sap swap = s->multi->cells[0].sap;
    s->multi->cells[0].sap = c->sap;
    c->sap = swap;
}
static void not_in_one_cell(sap_world *s) { /* the first box of a cell that holds several */
    sap__cell *c = s->multi->cells;
    uint32_t slot;
    int k, i, n = 0;
    while (c->sap.count < 6) c++;
    slot = sap__endpoint_slot(c->sap.sorted[0][1]);
    for (k = 0; k < 3; k++)
        for (i = n = 0; i < c->sap.count; i++)
            if (i == 0 || i == c->sap.count - 1 || sap__endpoint_slot(c->sap.sorted[k][i]) != slot)
                c->sap.sorted[k][n++] = c->sap.sorted[k][i];
    c->sap.count = n;
}
static void one_more_cell(sap_world *s) {
    s->multi->occupied++;
}
static void more_memory_held(sap_world *s) {
    small_cell(s)->sap.capacity += s->multi->end;
}
static void ends_of_before(sap_world *s) { /* where the arena does not reach */
    s->multi->end = (int)(small_cell(s)->sap.sorted[0] - s->multi->arena);
}

static const damage grid_damage_table[] = {
    {SAP_METHOD_SORT, "Nothing waits for a cell between updates.", cell_waits},
    {SAP_METHOD_SORT, "Nothing waits for a cell between updates.", cell_listed},
    {SAP_METHOD_SORT, "A cell is in the table.", cell_not_in_table},
    {SAP_METHOD_SORT, "A cell holds boxes that touch it, or the large ones.", cells_swapped},
    {SAP_METHOD_SORT, "A cell holds boxes that touch it, or the large ones.", large_in_a_small_cell},
    {SAP_METHOD_SORT, "Endpoints are sorted, and no two are equal.", cell_unsorted},
    {SAP_METHOD_SORT, "A range of cells is that of the box at the last update.", range_missing},
    {SAP_METHOD_SORT, "A range of cells is that of the box at the last update.", range_elsewhere},
    {SAP_METHOD_SORT, "The boxes in all cells are counted.", one_more_copy},
    {SAP_METHOD_SORT, "A box is in each cell that it touches.", not_in_one_cell},
    {SAP_METHOD_SORT, "The cells in use are counted.", one_more_cell},
    {SAP_METHOD_SORT, "The arrays of cells are in the arena.", more_memory_held},
    {SAP_METHOD_SORT, "The arrays of cells are in the arena.", ends_of_before},
    {0, NULL, NULL},
};

const damage *all_grid_damages(void) {
    return grid_damage_table;
}
#endif
#endif

#endif
