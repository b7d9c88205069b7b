/* SPDX-License-Identifier: MIT OR Unlicense (both texts stand at the end of sap.h)

   sap_multi.h - v0.3 - a grid of SAPs, and threads: sap.h for large worlds.

   The same verbs as sap.h, with the prefix sap_multi_, and the same answers: ids, events, their order, the order of
   the pairs and snapshots are those of one sap_world given the same calls, byte for byte, whatever the grid, wherever
   the boxes are, and whatever the number of threads. Grid and threads are only about speed. The grid is the multi-SAP
   of Pierre Terdiman's paper ("Sweep-and-prune", version 0.2, 2007, part II); "Terdiman II.3" and the like name its
   sections.

   ---- do this ----

       #define SAP_MULTI_IMPLEMENTATION      in one C or C++ file, before the include; it implies SAP_IMPLEMENTATION
       #include "sap_multi.h"                everywhere else without the define

   ---- example ----

       #define SAP_MULTI_IMPLEMENTATION
       #include "sap_multi.h"

       int main(void) {
           sap_aabb a = {{0, 0, 0}, {1, 1, 1}}, b = {{1, 1, 1}, {2, 2, 2}};
           sap_multi *world = sap_multi_create(NULL); // the grid is chosen from the boxes
           int pairs;
           sap_multi_add(world, &a, NULL);
           sap_multi_add(world, &b, NULL);
           sap_multi_update(world);
           sap_multi_pairs(world, &pairs); // 1
           sap_multi_destroy(world);
           return 0;
       }

   ---- when to take it ----

   Threads (config.parallel) are woken where 16,384 boxes or pairs are worth it; with fewer, one thread does the work
   of a sap_world. Two threads take 100,000 boxes through a frame 1.6 to 1.75 times as fast, on a machine that could
   1.85 (brownian, fast, gravity, sizes of make bench-multi). Of a frame in which they walk a fifteenth stays on one
   thread (holes in the pair array, the upper levels of the index, the order of its tiles), and two sort what began
   and what ended: by Amdahl's law eight threads could make it five times as fast, sixteen between six and seven
   times. Moves are recorded on threads by sap_multi_move_many, if their ids ascend by slot. A grid of your own may
   pay where you know better than a sample of the boxes where they gather. If you have neither threads nor such a
   grid, take sap.h alone. make bench-multi measures what your machine gains.

   ---- the grid ----

   A grid that you give is the grid that is used, with any number of boxes:

   fixed     config.bounds, divided into config.cells (Terdiman II.2). It is wrapped: what leaves the bounds comes in at
             the other end, so every place has a cell
   hashed    config.hashed: cells of config.cell_size, as far as the boxes go (II.3). Cell (i, j, k) has the entry
             (i mod a, j mod b, k mod c) of a table: powers of two whose product is at most config.entries
   chosen    neither is given: tiles from a sample of the boxes, as in sap.h

   Fixed and hashed are one formula: which cell, wrapped by how many there are. The tiles that boxes are laid in are
   blocks of whole cells, or whole parts of one, of about sixteen boxes each: no tile crosses a border that it does not
   take in whole. So what is near in the grid is near in memory and is settled together; tiles may be settled by
   different threads. Cells go on beyond the bounds, and have the names of those at the other end: what leaves the
   bounds is in that cell, but stands beside what it is near. In sap_stats.cells an axis counts as halved while there
   are more than sixteen cells for each box.

   The paper puts an object into every cell that it touches, and lets a shared pair manager count in how many of them a
   pair overlaps (II.4, II.5). Here each box has one home, the cell of its middle, and a pair across a border is found
   where the bounds of chunks touch; so no pair is found twice, and a box that is larger than a cell, or than the world,
   stands in one place like any other, apart from those that are not. A cell that empties costs nothing: it is an empty
   run in the order of boxes. sap_stats.cells says how many cells are the home of a box that moves.

   ---- threads ----

   config.parallel runs jobs: parallel(job, data, count, parallel_user) calls job(data, i) for all i from 0 to
   count - 1, on any threads, in any order, and returns when all are done. Jobs share nothing that they write, and
   call neither the allocator nor the filter. Without it all runs on the caller's thread. One sap_multi is used by one
   thread at a time, but for looks, and for queries after sap_multi_prepare_queries, as in sap.h.

   Memory follows the boxes, not the cells. What fails for memory fails as in sap.h: nothing has changed, and a later
   call succeeds.
*/
#if defined(SAP_MULTI_IMPLEMENTATION) && !defined(SAP_IMPLEMENTATION)
#define SAP_IMPLEMENTATION /* also where only the second include of this file asks for it */
#endif
#include "sap.h"

#ifndef SAP_MULTI_H
#define SAP_MULTI_H

#if defined(SAP_STATIC) && !defined(SAP_MULTI_IMPLEMENTATION) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function" /* gcc looks at the end of the file: a pop would undo it */
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sap_multi sap_multi;          /* one world; its inside is private */
typedef void sap_job(void *data, int index); /* one of count jobs; touches nothing that another one writes */
/* Runs job(data, 0) to job(data, count - 1), in any order, on any threads; returns when all are done. */
typedef void sap_parallel_for(sap_job *job, void *data, int count, void *user);

typedef struct sap_multi_config { /* zeroed = all defaults */
    sap_config sap;               /* what holds for every cell */
    sap_aabb bounds;              /* fixed grid: the region that the cells divide */
    int cells[3];                 /* cells along each axis; 0 or 1 = not divided; all zero = chosen from the boxes */
    int hashed;                   /* 1: unbounded grid of cell_size, hashed */
    int entries;                  /* hashed: size of the table; 0 = 65,536 */
    float cell_size[3];           /* hashed: size of a cell; 0 = that axis is not divided */
    sap_parallel_for *parallel;   /* NULL = this thread only */
    void *parallel_user;
} sap_multi_config;

/* ---- life: as in sap.h ------------------------------------------------------------------------------ */

/* NULL config = defaults. NULL on failure: no memory, or a config that contradicts itself: what sap_create refuses,
   negative counts, cell sizes that are negative or NaN, bounds that are NaN or inverted, or infinite or of no size on
   an axis that is divided. Axes that config.sap.axes leaves out are not looked at. */
SAP_DEF sap_multi *sap_multi_create(const sap_multi_config *config);
SAP_DEF sap_result sap_multi_check_config(const sap_multi_config *config); /* SAP_OK, or why that is NULL */
SAP_DEF void sap_multi_destroy(sap_multi *m);
SAP_DEF sap_result sap_multi_reserve(sap_multi *m, int boxes, int pairs);

/* ---- boxes: as in sap.h ----------------------------------------------------------------------------- */

SAP_DEF sap_id sap_multi_add(sap_multi *m, const sap_aabb *box, void *object);
SAP_DEF sap_id sap_multi_add_static(sap_multi *m, const sap_aabb *box, void *object);
SAP_DEF sap_result sap_multi_move(sap_multi *m, sap_id id, const sap_aabb *box);
SAP_DEF sap_result sap_multi_remove(sap_multi *m, sap_id id);
SAP_DEF sap_result sap_multi_add_many(sap_multi *m, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids);
SAP_DEF sap_result sap_multi_add_static_many(sap_multi *m, int n, const sap_aabb *boxes, void *const *objects,
                                             sap_id *ids);
SAP_DEF sap_result sap_multi_move_many(sap_multi *m, int n, const sap_id *ids, const sap_aabb *boxes);
SAP_DEF sap_result sap_multi_remove_many(sap_multi *m, int n, const sap_id *ids);
SAP_DEF sap_result sap_multi_set_filter(sap_multi *m, sap_id id, uint32_t category, uint32_t mask);
SAP_DEF sap_result sap_multi_set_filter_many(sap_multi *m, int n, const sap_id *ids, uint32_t category, uint32_t mask);
SAP_DEF sap_result sap_multi_refilter(sap_multi *m, sap_id id);
SAP_DEF sap_result sap_multi_set_pair_filter(sap_multi *m, sap_filter *filter, void *user);
SAP_DEF sap_result sap_multi_set_static(sap_multi *m, sap_id id, int is_static);
SAP_DEF sap_result sap_multi_set_object(sap_multi *m, sap_id id, void *object);
SAP_DEF sap_result sap_multi_clear(sap_multi *m);
SAP_DEF sap_result sap_multi_shift_origin(sap_multi *m, const float offset[3]);
SAP_DEF sap_result sap_multi_last_error(const sap_multi *m);
SAP_DEF const char *sap_multi_last_error_argument(const sap_multi *m, int *element);

/* ---- pairs: as in sap.h ----------------------------------------------------------------------------- */

SAP_DEF sap_result sap_multi_update(sap_multi *m);
SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user);
SAP_DEF const sap_pair *sap_multi_created(const sap_multi *m, int *count);
SAP_DEF const sap_pair *sap_multi_deleted(const sap_multi *m, int *count);
SAP_DEF const sap_pair *sap_multi_pairs(const sap_multi *m, int *count);
SAP_DEF const sap_pair *sap_multi_find_pair(const sap_multi *m, sap_id a, sap_id b);
SAP_DEF sap_result sap_multi_set_pair_data(sap_multi *m, sap_id a, sap_id b, void *user_data);
SAP_DEF sap_result sap_multi_set_pair_data_at(sap_multi *m, int index, void *user_data);
SAP_DEF int sap_multi_pairs_of(const sap_multi *m, sap_id id, sap_id *others, int capacity);

/* ---- look: as in sap.h ------------------------------------------------------------------------------ */

SAP_DEF int sap_multi_count(const sap_multi *m);
SAP_DEF int sap_multi_is_valid(const sap_multi *m, sap_id id);
SAP_DEF sap_result sap_multi_get_box(const sap_multi *m, sap_id id, sap_aabb *box);
SAP_DEF void *sap_multi_get_object(const sap_multi *m, sap_id id);
SAP_DEF sap_result sap_multi_get_filter(const sap_multi *m, sap_id id, uint32_t *category, uint32_t *mask);
SAP_DEF int sap_multi_is_static(const sap_multi *m, sap_id id);
SAP_DEF sap_id sap_multi_next(const sap_multi *m, sap_id id);

/* ---- queries: as in sap.h --------------------------------------------------------------------------- */

SAP_DEF sap_result sap_multi_prepare_queries(sap_multi *m);
SAP_DEF int sap_multi_query_box(sap_multi *m, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user);
SAP_DEF int sap_multi_query_point(sap_multi *m, const float point[3], uint32_t mask, sap_hit *hit, void *user);
SAP_DEF int sap_multi_query_sphere(sap_multi *m, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                                   void *user);
SAP_DEF int sap_multi_ray_cast(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                               sap_ray_hit *hit, void *user);
SAP_DEF int sap_multi_box_cast(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_ray_hit *hit, void *user);
SAP_DEF sap_id sap_multi_ray_closest(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                                     float *t);
SAP_DEF sap_id sap_multi_nearest(sap_multi *m, const float point[3], float max_distance, uint32_t mask,
                                 float *distance);
SAP_DEF sap_id sap_multi_nearest_to(sap_multi *m, sap_id id, float max_distance, uint32_t mask, float *distance);
SAP_DEF int sap_multi_query_nearest(sap_multi *m, const float point[3], float max_distance, uint32_t mask,
                                    sap_ray_hit *hit, void *user);
SAP_DEF int sap_multi_query_box_ids(sap_multi *m, const sap_aabb *box, uint32_t mask, sap_id *ids, int capacity);
SAP_DEF int sap_multi_query_sphere_ids(sap_multi *m, const float center[3], float radius, uint32_t mask, sap_id *ids,
                                       int capacity);
SAP_DEF int sap_multi_nearest_ids(sap_multi *m, const float point[3], float max_distance, uint32_t mask, sap_id *ids,
                                  float *distances, int capacity);
SAP_DEF sap_id sap_multi_box_closest(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                                     sap_id ignore, float *t, float normal[3]);

/* ---- state, inspection: as in sap.h ----------------------------------------------------------------- */

/* A snapshot holds no grid: it is the same as that of one sap_world, and either restores the other's. */
SAP_DEF size_t sap_multi_snapshot_size(const sap_multi *m);
SAP_DEF sap_result sap_multi_save(const sap_multi *m, void *buffer, size_t size);
SAP_DEF sap_result sap_multi_restore(sap_multi *m, const void *buffer, size_t size);
SAP_DEF const char *sap_multi_validate(const sap_multi *m);
SAP_DEF void sap_multi_get_stats(const sap_multi *m, sap_stats *stats);

#ifdef __cplusplus
}
#endif
#endif /* SAP_MULTI_H */

/* ====================================================================================================== */
#if defined(SAP_MULTI_IMPLEMENTATION) && !defined(SAP_MULTI_IMPLEMENTATION_ONCE)
#define SAP_MULTI_IMPLEMENTATION_ONCE

#ifdef __cplusplus
extern "C" {
#endif

/* The cells along which the world cuts its tiles. */
typedef struct sap__grid {
    int count[3]; /* cells on each axis, wrapped; powers of two if hashed */
    int is_given, hashed;
    float origin[3], size[3];
} sap__grid;

/* One world, which borrows the threads, and the grid. */
struct sap_multi {
    sap_world *world;
    sap__grid grid;
};

enum {
    SAP__THREADS_FROM = 16384, /* boxes or pairs that are worth waking threads for */
    SAP__ENTRIES = 65536       /* of a hashed grid, if none are given */
};

/* ====================================================================================================== */
/* >> grid: from the config to cells                                                                        */
/* ====================================================================================================== */

/* The region of a fixed grid: not given, good, or bad on an axis that is divided. */
static int sap__fixed_grid(const sap_multi_config *c, const int32_t used[3], sap__grid *grid) {
    int given = 0;
    for (int k = 0; k < 3; k++) given |= used[k] && (sap__key(c->bounds.min[k]) | sap__key(c->bounds.max[k])) != 0;
    for (int k = 0; k < 3; k++) {
        const float min = c->bounds.min[k], max = c->bounds.max[k];
        if (!used[k]) continue;
        if (c->cells[k] < 0) return 0;
        if (!given) continue;
        if (!sap__is_number(min) || !sap__is_number(max) || sap__key(min) > sap__key(max)) return 0;
        if (c->cells[k] < 2) continue;
        if (!sap__is_finite(min) || !sap__is_finite(max) || sap__key(min) == sap__key(max)) return 0;
        grid->origin[k] = min;
        grid->size[k] = (float)(((double)max - (double)min) / c->cells[k]);
        grid->count[k] = grid->size[k] > 0 ? c->cells[k] : 1;
        grid->is_given |= grid->count[k] > 1;
    }
    return 1;
}

/* A hashed grid divides its entries evenly between the axes: powers of two. */
static int sap__hashed_grid(const sap_multi_config *c, const int32_t used[3], sap__grid *grid) {
    int axes = 0, left = c->entries ? c->entries : SAP__ENTRIES;
    if (c->entries < 0) return 0;
    for (int k = 0; k < 3; k++) {
        const float size = c->cell_size[k];
        if (!used[k]) continue;
        if (!sap__is_number(size) || sap__key(size) < 0) return 0;
        grid->size[k] = size;
        axes += size > 0 && sap__is_finite(size);
    }
    grid->is_given = axes > 0;
    grid->hashed = 1;
    for (int k = 0; left > 1 && axes > 0; k = (k + 1) % 3) {
        if (!(grid->size[k] > 0) || !sap__is_finite(grid->size[k])) continue;
        grid->count[k] *= 2;
        left /= 2;
    }
    return 1;
}

static double sap__floor(double v) {
    const double whole = v > 1e15 ? 1e15 : v < -1e15 ? -1e15 : (double)(long long)v;
    return whole - (whole > v);
}

/* A tile becomes a block of whole cells of the user's grid, or a whole part of one; cells go on beyond the bounds. */
static void sap__snap_tiles_to_cells(const sap_world *s, sap__tile_grid *t, float range[3]) {
    const sap__grid *g = &((const sap_multi *)s->threads.multi)->grid;
    int k;
    for (k = 0; k < 3; k++) {
        const double cell = (double)g->size[k], from = 0.5 * (double)t->origin[k] - (double)g->origin[k];
        double tile = (double)range[k] / t->count[k], first, count;
        if (g->count[k] < 2 || t->count[k] < 2 || tile > 1e6 * cell || cell > 1e6 * tile) continue;
        tile = tile > cell ? cell * sap__floor(tile / cell + 0.5) : cell / sap__floor(cell / tile + 0.5);
        first = sap__floor(from / tile);
        count = sap__floor((from + (double)range[k]) / tile) - first + 1;
        t->origin[k] = (float)(2 * ((double)g->origin[k] + first * tile));
        range[k] = (float)(count * tile);
        t->count[k] = (int)count;
    }
}

/* ====================================================================================================== */
/* >> life                                                                                                  */
/* ====================================================================================================== */

/* The grid of a config. What it says of the grid that is not used is to make sense, too. */
static int sap__read_grid(const sap_multi_config *config, sap__grid *grid) {
    int32_t used[6];
    memset(grid, 0, sizeof *grid);
    for (int k = 0; k < 3; k++) grid->count[k] = 1;
    sap__grid other = *grid;
    if (!config) return 1;
    if (sap_check_config(&config->sap) != SAP_OK) return 0;
    sap__axes_used(config->sap.axes ? config->sap.axes : 7, used);
    return sap__fixed_grid(config, used, config->hashed ? &other : grid) &&
           sap__hashed_grid(config, used, config->hashed ? grid : &other);
}

SAP_DEF sap_result sap_multi_check_config(const sap_multi_config *config) {
    sap__grid grid;
    return sap__read_grid(config, &grid) ? SAP_OK : SAP_ERROR_ARGUMENT;
}

SAP_DEF sap_multi *sap_multi_create(const sap_multi_config *config) {
    sap__grid grid;
    sap_multi *m;
    if (!sap__read_grid(config, &grid)) return NULL;
    m = (sap_multi *)SAP_REALLOC(NULL, sizeof *m);
    if (!m) return NULL;
    m->world = sap_create(config ? &config->sap : NULL);
    if (!m->world) {
        SAP_FREE(m);
        return NULL;
    }
    m->grid = grid;
    m->world->threads.multi = m;
    if (grid.is_given) m->world->threads.snap_tiles = sap__snap_tiles_to_cells;
    if (config && config->parallel) {
        m->world->threads.parallel_for = config->parallel;
        m->world->threads.parallel_user = config->parallel_user;
        m->world->threads.min_parallel_work = SAP__THREADS_FROM;
    }
    return m;
}

SAP_DEF void sap_multi_destroy(sap_multi *m) {
    if (!m) return;
    if (sap__is_busy(m->world)) {
        sap_destroy(m->world); /* which says so, and does nothing */
        return;
    }
    sap_destroy(m->world);
    SAP_FREE(m);
}

/* ---- how many cells hold a box that moves ----------------------------------------------------------------- */

/* The grid for so many boxes: an axis is halved until there are no more than sixteen cells for each. */
static sap__grid sap__coarsen_grid(const sap_multi *m, int n) {
    sap__grid g = m->grid;
    while ((double)g.count[0] * g.count[1] * g.count[2] > 16.0 * (n + 1)) {
        const int k = g.count[0] >= g.count[1] ? (g.count[0] >= g.count[2] ? 0 : 2) : g.count[1] >= g.count[2] ? 1 : 2;
        if (!g.hashed) g.size[k] *= 2; /* two cells become one; of a table two entries do */
        g.count[k] = g.count[k] / 2 + (g.count[k] & 1);
    }
    return g;
}

/* Where along an axis of the grid a box has its home: in the cell of its middle, wrapped. */
static uint32_t sap__cell_on(const sap__grid *g, const sap__box *box, int k) {
    const double lo = (double)sap__clamp_far(sap__float(box->lo[k])),
                 hi = (double)sap__clamp_far(sap__float(box->hi[k]));
    if (g->count[k] < 2) return 0;
    const double at = sap__floor(((lo + hi) * 0.5 - (double)g->origin[k]) / (double)g->size[k]);
    const long long cell = (long long)at % g->count[k];
    return (uint32_t)(cell < 0 ? cell + g->count[k] : cell);
}

/* How many cells of the grid are the home of a box that moves: counted when somebody looks. s->items, which
   nobody uses between updates, has a bit for each cell. Of several threads that look one counts, the others wait. */
static int sap__count_cells(const sap_multi *m) {
    sap_world *s = m->world;
    const int moving = sap__live_in_tree(s, 0);
    const sap__grid g = sap__coarsen_grid(m, moving);
    int cells = 0;
    if (sap__capacity(s->update.sort_items) < moving / 4 + 2) return 0; /* an update has failed */
    while (sap__atomic_swap(&s->pairs.lists_lock, 1)) continue;
    memset(s->update.sort_items, 0, (size_t)(moving / 4 + 2) * sizeof *s->update.sort_items);
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++) {
        uint32_t cell = 0;
        if (sap__tree_of(s->slots[slot].flags)) continue;
        for (int k = 0; k < 3; k++) cell = cell * (uint32_t)g.count[k] + sap__cell_on(&g, &s->slots[slot].box, k);
        cells += (s->update.sort_items[cell / 64] >> cell % 64 & 1) == 0;
        s->update.sort_items[cell / 64] |= UINT64_C(1) << cell % 64;
    }
    sap__atomic_set(&s->pairs.lists_lock, 0);
    return cells;
}

/* ====================================================================================================== */
/* >> verbs: those of sap.h                                                                                 */
/* ====================================================================================================== */

/* The world is not part of *m, so a const m may hand it out. */
static sap_world *sap__world_of(const sap_multi *m) {
    return m ? m->world : NULL;
}

SAP_DEF sap_result sap_multi_reserve(sap_multi *m, int boxes, int pairs) {
    return sap_reserve(sap__world_of(m), boxes, pairs);
}

SAP_DEF sap_id sap_multi_add(sap_multi *m, const sap_aabb *box, void *object) {
    return sap_add(sap__world_of(m), box, object);
}

SAP_DEF sap_id sap_multi_add_static(sap_multi *m, const sap_aabb *box, void *object) {
    return sap_add_static(sap__world_of(m), box, object);
}

SAP_DEF sap_result sap_multi_move(sap_multi *m, sap_id id, const sap_aabb *box) {
    return sap_move(sap__world_of(m), id, box);
}

SAP_DEF sap_result sap_multi_remove(sap_multi *m, sap_id id) {
    return sap_remove(sap__world_of(m), id);
}

SAP_DEF sap_result sap_multi_add_many(sap_multi *m, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids) {
    return sap_add_many(sap__world_of(m), n, boxes, objects, ids);
}

SAP_DEF sap_result sap_multi_add_static_many(sap_multi *m, int n, const sap_aabb *boxes, void *const *objects,
                                             sap_id *ids) {
    return sap_add_static_many(sap__world_of(m), n, boxes, objects, ids);
}

SAP_DEF sap_result sap_multi_move_many(sap_multi *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    return sap_move_many(sap__world_of(m), n, ids, boxes);
}

SAP_DEF sap_result sap_multi_remove_many(sap_multi *m, int n, const sap_id *ids) {
    return sap_remove_many(sap__world_of(m), n, ids);
}

SAP_DEF sap_result sap_multi_set_filter(sap_multi *m, sap_id id, uint32_t category, uint32_t mask) {
    return sap_set_filter(sap__world_of(m), id, category, mask);
}

SAP_DEF sap_result sap_multi_set_filter_many(sap_multi *m, int n, const sap_id *ids, uint32_t category, uint32_t mask) {
    return sap_set_filter_many(sap__world_of(m), n, ids, category, mask);
}

SAP_DEF sap_result sap_multi_refilter(sap_multi *m, sap_id id) {
    return sap_refilter(sap__world_of(m), id);
}

SAP_DEF sap_result sap_multi_set_pair_filter(sap_multi *m, sap_filter *filter, void *user) {
    return sap_set_pair_filter(sap__world_of(m), filter, user);
}

SAP_DEF sap_result sap_multi_set_static(sap_multi *m, sap_id id, int is_static) {
    return sap_set_static(sap__world_of(m), id, is_static);
}

SAP_DEF sap_result sap_multi_set_object(sap_multi *m, sap_id id, void *object) {
    return sap_set_object(sap__world_of(m), id, object);
}

SAP_DEF sap_result sap_multi_clear(sap_multi *m) {
    return sap_clear(sap__world_of(m));
}

SAP_DEF sap_result sap_multi_shift_origin(sap_multi *m, const float offset[3]) {
    return sap_shift_origin(sap__world_of(m), offset);
}

SAP_DEF sap_result sap_multi_last_error(const sap_multi *m) {
    return sap_last_error(sap__world_of(m));
}

SAP_DEF const char *sap_multi_last_error_argument(const sap_multi *m, int *element) {
    return sap_last_error_argument(sap__world_of(m), element);
}

SAP_DEF sap_result sap_multi_update(sap_multi *m) {
    return sap_update(sap__world_of(m));
}

SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user) {
    return sap_dump_pairs(sap__world_of(m), create, del, user);
}

SAP_DEF const sap_pair *sap_multi_created(const sap_multi *m, int *count) {
    return sap_created(sap__world_of(m), count);
}

SAP_DEF const sap_pair *sap_multi_deleted(const sap_multi *m, int *count) {
    return sap_deleted(sap__world_of(m), count);
}

SAP_DEF const sap_pair *sap_multi_pairs(const sap_multi *m, int *count) {
    return sap_pairs(sap__world_of(m), count);
}

SAP_DEF const sap_pair *sap_multi_find_pair(const sap_multi *m, sap_id a, sap_id b) {
    return sap_find_pair(sap__world_of(m), a, b);
}

SAP_DEF sap_result sap_multi_set_pair_data(sap_multi *m, sap_id a, sap_id b, void *user_data) {
    return sap_set_pair_data(sap__world_of(m), a, b, user_data);
}

SAP_DEF sap_result sap_multi_set_pair_data_at(sap_multi *m, int index, void *user_data) {
    return sap_set_pair_data_at(sap__world_of(m), index, user_data);
}

SAP_DEF int sap_multi_pairs_of(const sap_multi *m, sap_id id, sap_id *others, int capacity) {
    return sap_pairs_of(sap__world_of(m), id, others, capacity);
}

SAP_DEF int sap_multi_count(const sap_multi *m) {
    return sap_count(sap__world_of(m));
}

SAP_DEF int sap_multi_is_valid(const sap_multi *m, sap_id id) {
    return sap_is_valid(sap__world_of(m), id);
}

SAP_DEF sap_result sap_multi_get_box(const sap_multi *m, sap_id id, sap_aabb *box) {
    return sap_get_box(sap__world_of(m), id, box);
}

SAP_DEF void *sap_multi_get_object(const sap_multi *m, sap_id id) {
    return sap_get_object(sap__world_of(m), id);
}

SAP_DEF sap_result sap_multi_get_filter(const sap_multi *m, sap_id id, uint32_t *category, uint32_t *mask) {
    return sap_get_filter(sap__world_of(m), id, category, mask);
}

SAP_DEF int sap_multi_is_static(const sap_multi *m, sap_id id) {
    return sap_is_static(sap__world_of(m), id);
}

SAP_DEF sap_id sap_multi_next(const sap_multi *m, sap_id id) {
    return sap_next(sap__world_of(m), id);
}

SAP_DEF sap_result sap_multi_prepare_queries(sap_multi *m) {
    return sap_prepare_queries(sap__world_of(m));
}

SAP_DEF int sap_multi_query_box(sap_multi *m, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user) {
    return sap_query_box(sap__world_of(m), box, mask, hit, user);
}

SAP_DEF int sap_multi_query_point(sap_multi *m, const float point[3], uint32_t mask, sap_hit *hit, void *user) {
    return sap_query_point(sap__world_of(m), point, mask, hit, user);
}

SAP_DEF int sap_multi_query_sphere(sap_multi *m, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                                   void *user) {
    return sap_query_sphere(sap__world_of(m), center, radius, mask, hit, user);
}

SAP_DEF int sap_multi_ray_cast(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                               sap_ray_hit *hit, void *user) {
    return sap_ray_cast(sap__world_of(m), origin, translation, mask, hit, user);
}

SAP_DEF int sap_multi_box_cast(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_ray_hit *hit, void *user) {
    return sap_box_cast(sap__world_of(m), box, translation, mask, hit, user);
}

SAP_DEF sap_id sap_multi_ray_closest(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                                     float *t) {
    return sap_ray_closest(sap__world_of(m), origin, translation, mask, t);
}

SAP_DEF sap_id sap_multi_nearest(sap_multi *m, const float point[3], float max_distance, uint32_t mask,
                                 float *distance) {
    return sap_nearest(sap__world_of(m), point, max_distance, mask, distance);
}

SAP_DEF sap_id sap_multi_nearest_to(sap_multi *m, sap_id id, float max_distance, uint32_t mask, float *distance) {
    return sap_nearest_to(sap__world_of(m), id, max_distance, mask, distance);
}

SAP_DEF int sap_multi_query_nearest(sap_multi *m, const float point[3], float max_distance, uint32_t mask,
                                    sap_ray_hit *hit, void *user) {
    return sap_query_nearest(sap__world_of(m), point, max_distance, mask, hit, user);
}

SAP_DEF int sap_multi_query_box_ids(sap_multi *m, const sap_aabb *box, uint32_t mask, sap_id *ids, int capacity) {
    return sap_query_box_ids(sap__world_of(m), box, mask, ids, capacity);
}

SAP_DEF int sap_multi_query_sphere_ids(sap_multi *m, const float center[3], float radius, uint32_t mask, sap_id *ids,
                                       int capacity) {
    return sap_query_sphere_ids(sap__world_of(m), center, radius, mask, ids, capacity);
}

SAP_DEF int sap_multi_nearest_ids(sap_multi *m, const float point[3], float max_distance, uint32_t mask, sap_id *ids,
                                  float *distances, int capacity) {
    return sap_nearest_ids(sap__world_of(m), point, max_distance, mask, ids, distances, capacity);
}

SAP_DEF sap_id sap_multi_box_closest(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                                     sap_id ignore, float *t, float normal[3]) {
    return sap_box_closest(sap__world_of(m), box, translation, mask, ignore, t, normal);
}

SAP_DEF size_t sap_multi_snapshot_size(const sap_multi *m) {
    return sap_snapshot_size(sap__world_of(m));
}

SAP_DEF sap_result sap_multi_save(const sap_multi *m, void *buffer, size_t size) {
    return sap_save(sap__world_of(m), buffer, size);
}

SAP_DEF sap_result sap_multi_restore(sap_multi *m, const void *buffer, size_t size) {
    return sap_restore(sap__world_of(m), buffer, size);
}

SAP_DEF const char *sap_multi_validate(const sap_multi *m) {
    return sap_validate(sap__world_of(m));
}

SAP_DEF void sap_multi_get_stats(const sap_multi *m, sap_stats *stats) {
    sap_get_stats(sap__world_of(m), stats);
    if (!m || !stats) return;
    stats->bytes += sizeof *m;
    if (m->grid.is_given && !m->world->call.in_filter) stats->cells = sap__count_cells(m);
}

#ifdef __cplusplus
}
#endif
#endif /* SAP_MULTI_IMPLEMENTATION */
