/* SPDX-License-Identifier: MIT OR Unlicense (both texts stand at the end of sap.h)

   sap_multi.h - v0.4 - a grid of SAPs, and threads: sap.h for large worlds.

   sap_multi.h has the functions of sap.h, with the prefix sap_multi_, and they return the same results. Ids, events,
   pairs, their order and snapshots equal those of one sap_world that is given the same calls, byte for byte. Neither
   the grid nor the number of threads changes a result: both are about speed alone. The grid is the multi-SAP of Pierre
   Terdiman's paper ("Sweep-and-prune", version 0.2, 2007, part II). "II.3a" names its section 3) a) of part II.

   ---- do this ----

       #define SAP_MULTI_IMPLEMENTATION      in one C or C++ file, before the include; it implies SAP_IMPLEMENTATION
       #include "sap_multi.h"                everywhere else without the define

   ---- example ----

       #define SAP_MULTI_IMPLEMENTATION
       #include "sap_multi.h"

       int main(void) {
           sap_aabb a = {{0, 0, 0}, {1, 1, 1}}, b = {{1, 1, 1}, {2, 2, 2}};
           sap_multi *world = sap_multi_create(NULL);
           int pairs;
           sap_multi_add(world, &a, NULL);
           sap_multi_add(world, &b, NULL);
           sap_multi_update(world);
           sap_multi_pairs(world, &pairs); // 1
           sap_multi_destroy(world);
           return 0;
       }

   ---- when to take which method ----

   sap.h alone        if you need neither threads nor the grid
   SAP_METHOD_AUTO    (0) for speed, with or without threads. AUTO, PRUNE and QUERY search in a tree and do not use the
                      grid. Where boxes move they are three to ten times as fast as the grid of SAPs
   SAP_METHOD_SORT    to learn, to compare, or to run the paper's algorithm. This method alone uses the grid

   One SAP is slow in a large world: a moved box passes the ends of boxes that are far away (II.1a), so its cost grows
   with the world. In a grid of SAPs it passes the ends in its own cells alone, so its cost stays the same. A new box is
   cheaper, too, as it is sorted into smaller arrays (II.1b). make bench-grid measures and draws this.

   Threads (config.parallel) serve all methods. A loop uses them if it goes over 16,384 boxes or pairs: in the grid,
   that many changed boxes. A shorter loop runs on the calling thread. make bench-multi measures the gain.

   ---- the grid of SAPs ----

   The grid divides space into cells. Each cell that holds boxes has a SAP of its own, and a box is in every cell that
   it touches (II.2a). All cells share one pair manager (II.3b).

              i = 0       i = 1       i = 2
          +-----------+-----------+-----------+
          |  A-----------------+  |           |     A touches four cells: (0, 0), (1, 0), (0, 1) and (1, 1).
   j = 1  |  |        |  B-----|--------+     |     B touches four cells: (1, 0), (2, 0), (1, 1) and (2, 1).
          |  |        |  |     |  |     |     |
          +--|--------+--|-----|--+-----|-----+     Two cells hold both boxes: (1, 0) and (1, 1). One of them, the
          |  |        |  |     |  |     |     |     owner cell (*), reports the pair. On each axis it is the larger
   j = 0  |  |        | *|     |  |     |     |     of the two lowest cells: max(0, 1) = 1 for i, max(0, 0) = 0
          |  +-----------|-----+  |     |     |     for j.
          |           |  +--------------+     |
          +-----------+-----------+-----------+

       place    -2  -1 | 0   1   2 | 3   4          The grid has ends, space has none: cells are wrapped (II.3a).
       cell      1   2 | 0   1   2 | 0   1          A box from place 2 to place 3 is in the cells 2 and 0.

   cell         a part of space with a SAP of its own: the sorted endpoint arrays of the boxes that touch it
   place        the number of a cell on an axis before it is wrapped: any integer. Of n cells, place i is cell i mod n
   range        the places of the base grid that a box touches, the lowest and the highest on each axis
   owner cell   of the cells that hold both boxes of a pair, the one that reports it: computed from the two ranges
   level        a grid whose cells are 1, 4, 16, 64, ... times as long as those of the base grid, which the config
                says. Each box is in the cells of one level
   level query  a search of the cells of another level for the boxes that a changed box overlaps
   crossed      a crossed box is one whose range or filter has changed: it enters cells, leaves them, or is pruned again
   pool         the cells that hold no box, to be used again
   arena        one array that holds the endpoint arrays of all cells. The part of one cell is a block

   The config says which grid it is:

   fixed     config.cells divide config.bounds. A box that leaves the bounds comes in at the other end (II.3a)
   hashed    config.hashed: cells of config.cell_size, without bounds. Places are wrapped at a, b and c cells (II.3a):
             powers of two whose product is at most config.entries
   chosen    neither is given. A cell is a few times as long as the boxes, longer where they are sparse. An axis on
             which seven eighths of the boxes lie within two cells is not divided, and with fewer than eight boxes no
             axis is. Cells are chosen again after many changes

   Wrapped places share a SAP, but boxes that are far from each other never pair. An axis has at most 524,288 cells: if
   there are more, cells are made longer. A good cell is two to eight times as long as a box. In shorter cells boxes
   cross often and need more levels; in longer cells they pass more ends.

   The paper suggests to limit the size of objects, so that each touches at most four cells, or eight in 3D (II.2b).
   Here boxes have any size. A box that touches three or more cells on an axis belongs to a coarser level, where it
   touches at most two on each axis. Boxes of different levels find each other by level queries. A large static box, a
   ground for example, is in a few large cells instead of in all cells (II.2c).

   The arrays of a cell that becomes empty are used by other cells. When most boxes have left, memory is freed. The
   memory used depends on the boxes, not on the number of cells. sap_stats.cells is the number of cells that hold boxes.
   Queries use a tree, not the grid. The first query packs it, so a world without queries has none.
   With SAP_METHOD_SORT sap_multi_reserve also reserves memory for each box in eight cells in 3D, about 600 bytes a box.
   After it, memory is allocated only when a cell is entered for the first time.

   Differences from the paper: sap_multi_update applies all recorded changes in one batch. Deleted pairs are found in
   the pair manager, because a box that leaves a cell passes no ends there. Duplicates are left out by the owner cell
   (the "SAP owner" of II.3d) instead of by the pair manager (II.3b).

   ---- threads ----

   config.parallel runs jobs. parallel(job, data, count, parallel_user) calls job(data, 0) to job(data, count - 1), on
   any threads and in any order, and returns when all are done. No job writes what another one reads or writes, and no
   job calls the allocator or the filter. Without config.parallel all jobs run on the caller's thread.

   One thread at a time may change a sap_multi. As in sap.h, until the next change any number of threads may call
   getters, and queries after sap_multi_prepare_queries. Threads update the cells as in II.3d: first one thread fills
   the queues of each cell, then all threads work through them. A call that fails for memory fails as in sap.h: nothing
   has changed, and a later call succeeds.
*/
#if defined(SAP_MULTI_IMPLEMENTATION) && !defined(SAP_IMPLEMENTATION)
#define SAP_IMPLEMENTATION /* before the guard: the second include of this file may be the one that asks for it */
#endif
#include "sap.h"

#ifndef SAP_MULTI_H
#define SAP_MULTI_H

#if defined(SAP_STATIC) && !defined(SAP_MULTI_IMPLEMENTATION) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function" /* no pop: gcc warns at the end of the file */
#endif

#pragma pack(push, 16)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sap_multi sap_multi;          /* one world; its fields are private */
typedef void sap_job(void *data, int index); /* one of count jobs; it touches nothing that another job writes */
/* Runs job(data, 0) to job(data, count - 1), in any order, on any threads. Returns when all are done. */
typedef void sap_parallel_for(sap_job *job, void *data, int count, void *user);

/* The config of a sap_multi; zeroed = all defaults. If no axis is divided, the grid is chosen from the boxes. */
typedef struct sap_multi_config {
    sap_config sap;             /* the config of the world, as for sap_create */
    sap_aabb bounds;            /* fixed grid: the region that the cells divide; all 0 = none, cells are ignored */
    int cells[3];               /* fixed grid: cells on each axis; 0 or 1 = not divided */
    int hashed;                 /* 1 = hashed grid: unbounded, cells of cell_size; bounds and cells are ignored */
    int entries;                /* hashed grid: the most cells before places are wrapped; 0 = 65,536 */
    float cell_size[3];         /* hashed grid: length of a cell on each axis; 0 or INFINITY = not divided */
    sap_parallel_for *parallel; /* runs jobs on threads; NULL = the caller's thread only */
    void *parallel_user;
} sap_multi_config;

/* ---- life: as in sap.h ------------------------------------------------------------------------------ */

/* Returns a new world; NULL config = defaults. Returns NULL without memory, or if sap_multi_check_config rejects the
   config. It rejects what sap_check_config rejects, negative cells or entries, a cell_size that is negative or NaN, and
   bounds that are NaN or inverted. On a divided axis it also rejects bounds that are infinite or empty, unless all
   bounds are 0: then there is no fixed grid. Axes that config.sap.axes leaves out are not checked. */
SAP_DEF sap_multi *sap_multi_create(const sap_multi_config *config);
SAP_DEF sap_result sap_multi_check_config(const sap_multi_config *config); /* SAP_OK, or SAP_ERROR_ARGUMENT */
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

/* ---- getters: as in sap.h --------------------------------------------------------------------------- */

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

/* A snapshot holds no grid: sap_world and sap_multi write the same bytes, and each restores the other's. */
SAP_DEF size_t sap_multi_snapshot_size(const sap_multi *m);
SAP_DEF sap_result sap_multi_save(const sap_multi *m, void *buffer, size_t size);
SAP_DEF sap_result sap_multi_restore(sap_multi *m, const void *buffer, size_t size);
SAP_DEF const char *sap_multi_validate(const sap_multi *m);
SAP_DEF void sap_multi_get_stats(const sap_multi *m, sap_stats *stats);

#ifdef __cplusplus
}
#endif
#pragma pack(pop)
#endif /* SAP_MULTI_H */

/* ====================================================================================================== */
#if defined(SAP_MULTI_IMPLEMENTATION) && !defined(SAP_MULTI_IMPLEMENTATION_ONCE)
#define SAP_MULTI_IMPLEMENTATION_ONCE

#pragma pack(push, 16)

#ifdef __cplusplus
extern "C" {
#endif

/* A grid has cells of one size, count of them on each axis. Behind the last one the first one follows again. */
typedef struct sap__grid {
    int count[3]; /* cells on each axis; 1: this axis is not divided */
    int is_given; /* by the config */
    double origin[3], size[3], cells_per_unit[3];
} sap__grid;

/* ====================================================================================================== */
/* >> cells: which cells a box touches                                                                      */
/* ====================================================================================================== */

/* A range is computed when its box has changed: sap__grid_place turns each float into a place of the base grid.
   Everything after that compares these integers. sap__grid_place is monotone, so two boxes that overlap have a place in
   common on each axis.

   Levels are those of a hierarchical grid: the cells of a level are 4^n times as long as those of the base grid, with
   an n for each axis. A box is in the finest level of which it touches at most two cells on each axis, eight in 3D
   (II.2b). On an axis with n = 1 a cell is four places long. Its place at that level is the place in the base grid,
   shifted by two bits:

       place in the base grid   -2  -1   0   1   2   3   4   5   6   7
       place, n = 1              |  -1 |       0       |       1       |       place >> 2 */
enum {
    SAP__LEVEL_BITS = 2,       /* a cell is 2^2 times as long as one of the next finer level */
    SAP__ROD_BITS = 6,         /* an axis on which cells are more than 2^6 times shorter keeps its own */
    SAP__MAX_GRID_LEVELS = 64, /* levels that hold boxes */
    SAP__NO_LEVEL = 255,
    SAP__POSSIBLE_LEVELS = 4096,      /* possible levels: 16 on each of three axes */
    SAP__LAST_PLACE = 1 << 29,        /* the outermost place; boxes beyond it are in it, too */
    SAP__MAX_CELLS_ON_AXIS = 1 << 19, /* most cells on an axis: a key holds three numbers of 19 bits and a level */
    SAP__CELL_SAMPLE = 1024,          /* the number of boxes that cells are chosen from */
    SAP__SIZES_IN_CELL = 4,           /* a chosen cell is at least four median boxes of the sample long, */
    SAP__BOXES_IN_CELL = 12,          /* and in it a box has at least twelve neighbours on average */
    SAP__QUEUES = 4,
    SAP__TASK_BOXES = 1024 /* boxes in the largest step of a task; the calling thread does larger ones */
};

/* A range holds the places of a box in the base grid. */
typedef struct sap__cell_range {
    int32_t lo[3], hi[3];
    uint32_t level; /* SAP__NO_LEVEL: the box is in no cell */
} sap__cell_range;

typedef struct sap__level {
    int32_t shift[3];   /* a cell is 2^shift places of the base grid long */
    int32_t count[3];   /* cells on each axis */
    int boxes, changed; /* boxes in its cells; how many of them changed since the last update */
    int coarseness;     /* the sum of shift */
} sap__level;

/* The queues of a cell hold what an update has to do there (II.3d): boxes that leave it, that enter it, that move
   within it, and that stay but are pruned again, because their filter changed. */
enum { SAP__LEAVE, SAP__ENTER, SAP__MOVE, SAP__PRUNE_AGAIN };

/* A cell holds boxes, or it is in the pool. */
typedef struct sap__cell {
    sap__sap sap;                 /* the first field: sap__is_owner casts */
    uint32_t at[3], level;        /* its number on each axis, wrapped; the index of its level */
    uint32_t block;               /* the index of its arrays in the arena */
    uint32_t last[SAP__QUEUES];   /* the operation that each queue got last */
    int32_t waiting[SAP__QUEUES]; /* the number of boxes in each queue */
    uint32_t next_free;           /* the next cell in the pool */
    int is_listed;                /* it has something to do in this update */
    int axis;                     /* its boxes are pruned along this axis, chosen when boxes last entered */
} sap__cell;

typedef struct sap__entry { /* an entry of the hash table of cells */
    uint64_t key;
    uint32_t cell; /* the index of the cell plus 1; 0: free */
} sap__entry;

typedef struct sap__cells {
    sap__grid given, grid; /* the grid of the config; the grid in use */
    sap__level level[SAP__MAX_GRID_LEVELS];
    int levels;
    uint8_t level_of[SAP__POSSIBLE_LEVELS]; /* the index of a level, by its shifts; SAP__NO_LEVEL: not used yet */
    sap__cell_range *range;                 /* the range of each slot */
    sap__cell *cells;
    sap__entry *table; /* cells by key: open addressing, at most half full */
    uint32_t table_bits, first_free;
    int occupied;               /* cells that hold boxes */
    uint64_t *arena;            /* the endpoint arrays of all cells, in blocks */
    uint32_t free_blocks[32];   /* heads of the lists of free blocks, by log2 of the capacity: index + 1, 0: none */
    uint64_t *operations;       /* items of the queues: the index of the operation before it in its queue, and a slot */
    uint32_t *listed, *crossed; /* cells that have something to do; slots whose range or filter changed */
    int task_boxes;             /* boxes in the largest step that a task has scratch for */
    int axes;                   /* the number of used axes */
    int is_new;                 /* in this update every box enters its cells */
    int all_move;               /* in this update cells read every end, and moves are not queued */
    int live_when_chosen;       /* boxes when the grid was chosen, */
    int changes_since;          /* and changed boxes since then, or since the last check of the choice */
    long long reserved;         /* endpoints in the arena that sap_multi_reserve asked for, without sentinels */
    long long held;             /* endpoints on one axis that the blocks of cells in use have room for */
    int idle_updates;           /* calls since it was valid, up to SAP__TRIM */
} sap__cells;

/* A sap_multi is a world whose SAPs are the cells of a grid. */
struct sap_multi {
    sap_world *world;
    sap__cells cells;
};

enum {
    SAP__THREADS_FROM = 16384, /* a loop over this number of boxes or pairs uses threads */
    SAP__ENTRIES = 65536       /* cells of a hashed grid before places are wrapped, by default */
};

/* ====================================================================================================== */
/* >> grid: from the config to cells                                                                        */
/* ====================================================================================================== */

/* Reads the bounds and cells of a fixed grid, if they are given. Returns 0 if they are invalid. */
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
        grid->origin[k] = sap__double(min);
        grid->size[k] = (sap__double(max) - sap__double(min)) / c->cells[k];
        grid->count[k] = c->cells[k];
        grid->is_given = 1;
    }
    return 1;
}

/* Reads a hashed grid. config.entries are divided among the divided axes as evenly as powers of two can be. Returns 0
   if cell_size or entries are invalid. */
static int sap__hashed_grid(const sap_multi_config *c, const int32_t used[3], sap__grid *grid) {
    int axes = 0, left = c->entries ? c->entries : SAP__ENTRIES;
    if (c->entries < 0) return 0;
    for (int k = 0; k < 3; k++) {
        const float size = c->cell_size[k];
        if (!used[k]) continue;
        if (!sap__is_number(size) || sap__key(size) < 0) return 0;
        if (!sap__is_finite(size) || sap__key(size) == 0) continue;
        grid->size[k] = sap__double(size);
        axes++;
    }
    grid->is_given = axes > 0;
    for (int k = 0; left > 1 && axes > 0; k = (k + 1) % 3) {
        if (!(grid->size[k] > 0)) continue;
        grid->count[k] *= 2;
        left /= 2;
    }
    return 1;
}

/* Returns 0 for 0, and never divides by 0: a compiler may divide before it compares. */
static double sap__inverse(double size) {
    return size > 0 ? 1 / (size + 1e-300) : 0;
}

/* Returns the place of a bound. It is monotone. It is not inlined, so that every call rounds alike. */
SAP__NO_INLINE int32_t sap__grid_place(const sap__grid *g, int k, int32_t key) {
    if (key <= -SAP__INFINITY) return -SAP__LAST_PLACE;
    if (key >= SAP__INFINITY) return SAP__LAST_PLACE;
    const double at = (sap__double(sap__float(key)) - g->origin[k]) * g->cells_per_unit[k];
    const double last = SAP__LAST_PLACE, inside = at < -last ? -last : at > last ? last : at;
    const double shifted = inside + 6755399441055744.0; /* 2^52 + 2^51: the low bits are the integer next to it */
    uint64_t u;
    memcpy(&u, &shifted, sizeof u);
    const int32_t whole = (int32_t)(uint32_t)u; /* a cast would raise an exception where a compiler casts first */
    return whole - (whole > inside);
}

static void sap__find_range(const sap__grid *g, const sap__box *box, sap__cell_range *r) {
    for (int k = 0; k < 3; k++) {
        r->lo[k] = g->count[k] < 2 ? 0 : sap__grid_place(g, k, box->lo[k]);
        r->hi[k] = g->count[k] < 2 ? 0 : sap__grid_place(g, k, box->hi[k]);
    }
}

SAP__FORCE_INLINE int sap__same_range(const sap__cell_range *a, const sap__cell_range *b) {
    return memcmp(a->lo, b->lo, sizeof a->lo) == 0 && memcmp(a->hi, b->hi, sizeof a->hi) == 0;
}

/* Returns the number of the cell at a place. */
SAP__FORCE_INLINE uint32_t sap__wrap(int32_t place, int32_t count) {
    if ((count & (count - 1)) == 0) return (uint32_t)place & (uint32_t)(count - 1);
    place %= count;
    return (uint32_t)(place < 0 ? place + count : place);
}

/* Returns the place at a coarser level: place / 2^shift, rounded down. C leaves >> of negative numbers to compilers. */
SAP__FORCE_INLINE int32_t sap__coarsen(int32_t place, int32_t shift) {
    return place >= 0 ? place >> shift : ~(~place >> shift);
}

SAP__FORCE_INLINE int32_t sap__cells_at_level(int32_t count, int32_t shift) {
    return count >> shift ? count >> shift : 1;
}

/* Returns the number of the cell of a level that holds a place of the base grid. */
SAP__FORCE_INLINE uint32_t sap__cell_on(const sap__level *l, int k, int32_t place) {
    return sap__wrap(sap__coarsen(place, l->shift[k]), l->count[k]);
}

/* Returns the number of cells of a level that a range touches on an axis. */
SAP__FORCE_INLINE int32_t sap__touched_on(const sap__cell_range *r, int k, int32_t shift, int32_t count) {
    const int32_t n = sap__coarsen(r->hi[k], shift) - sap__coarsen(r->lo[k], shift) + 1;
    return n < count ? n : count;
}

/* SAP__CELLS_ARRAYS names each array of sap__cells, to free and to measure them. */
/* clang-format off */
#define SAP__CELLS_ARRAYS(X) X(range) X(cells) X(table) X(arena) X(operations) X(listed) X(crossed)
/* clang-format on */

static uint32_t sap__add_level(sap__cells *g, const int32_t shift[3]) {
    sap__level *l = &g->level[g->levels];
    memset(l, 0, sizeof *l);
    for (int k = 0; k < 3; k++) {
        l->shift[k] = shift[k];
        l->count[k] = sap__cells_at_level(g->grid.count[k], shift[k]);
        l->coarseness += shift[k];
    }
    return (uint32_t)g->levels++;
}

/* Returns the level of a range. On each axis it finds the finest cells of which the range touches at most two. All axes
   take the coarsest of these, but an axis on which the cells are more than 2^SAP__ROD_BITS times shorter keeps its own:
   a rod or a ground has one. As each level costs queries, there is no such exception if there are many levels. */
static uint32_t sap__level_of(sap__cells *g, const sap__cell_range *r) {
    int32_t shift[3] = {0, 0, 0}, longest = 0;
    uint32_t code = 0;
    for (int k = 0; k < 3; k++) {
        while (sap__touched_on(r, k, shift[k], sap__cells_at_level(g->grid.count[k], shift[k])) > 2)
            shift[k] += SAP__LEVEL_BITS;
        if (shift[k] > longest) longest = shift[k];
    }
    for (int k = 0; k < 3; k++) {
        if (g->grid.count[k] > 1 && (longest - shift[k] <= SAP__ROD_BITS || g->levels >= SAP__MAX_GRID_LEVELS / 2))
            shift[k] = longest;
        code |= (uint32_t)(shift[k] / SAP__LEVEL_BITS) << 4 * k;
    }
    if (g->level_of[code] == SAP__NO_LEVEL) g->level_of[code] = (uint8_t)sap__add_level(g, shift);
    return g->level_of[code];
}

/* Returns whether the range touches this cell. */
SAP__FORCE_INLINE int sap__touches(const sap__level *l, const sap__cell_range *r, const uint32_t at[3]) {
    for (int k = 0; k < 3; k++) {
        const int32_t count = l->count[k], n = sap__touched_on(r, k, l->shift[k], count);
        int32_t ahead = (int32_t)at[k] - (int32_t)sap__cell_on(l, k, r->lo[k]);
        if (ahead < 0) ahead += count;
        if (ahead >= n) return 0;
    }
    return 1;
}

/* A walk visits the cells that a range touches at a level. */
typedef struct sap__walk {
    uint32_t from[3], at[3];      /* the first cell; this cell */
    int32_t n[3], i[3], count[3]; /* cells to visit on each axis; visited; cells of the level */
    long long all;                /* cells to visit */
} sap__walk;

static void sap__begin_walk(const sap__level *l, const sap__cell_range *r, sap__walk *w) {
    w->all = 1;
    for (int k = 0; k < 3; k++) {
        w->count[k] = l->count[k];
        w->n[k] = sap__touched_on(r, k, l->shift[k], l->count[k]);
        w->from[k] = w->at[k] = sap__cell_on(l, k, r->lo[k]);
        w->i[k] = 0;
        w->all *= w->n[k];
    }
}

/* Goes to the next cell. Returns 0 after the last one. */
SAP__FORCE_INLINE int sap__next_cell(sap__walk *w) {
    for (int k = 0; k < 3; k++) {
        if (++w->i[k] < w->n[k]) {
            if (++w->at[k] == (uint32_t)w->count[k]) w->at[k] = 0;
            return 1;
        }
        w->i[k] = 0;
        w->at[k] = w->from[k];
    }
    return 0;
}

/* Returns whether this cell owns the pair of x and y. The owner cell is the lowest on each axis that both boxes touch.
   That is the larger of their two lowest places, wrapped after the comparison. */
SAP__FORCE_INLINE int sap__is_owner_at(const sap__level *l, const uint32_t at[3], const sap__cell_range *x,
                                       const sap__cell_range *y) {
    for (int k = 0; k < 3; k++) {
        const int32_t lo = x->lo[k] > y->lo[k] ? x->lo[k] : y->lo[k];
        if (sap__cell_on(l, k, lo) != at[k]) return 0;
    }
    return 1;
}

static int sap__is_owner(const void *grid, const sap__sap *p, uint32_t a, uint32_t b) {
    const sap__cells *g = (const sap__cells *)grid;
    const sap__cell *c = (const sap__cell *)(const void *)p;
    return sap__is_owner_at(&g->level[c->level], c->at, &g->range[a], &g->range[b]);
}

/* ---- the table of cells, the pool, and their memory -------------------------------------------------------- */

SAP__FORCE_INLINE uint64_t sap__cell_key(const uint32_t at[3], uint32_t level) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 19 | (uint64_t)at[2] << 38 | (uint64_t)level << 57;
}

SAP__FORCE_INLINE uint32_t sap__hash_key(const sap__cells *g, uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - g->table_bits));
}

/* Returns the entry of a key, or the free entry where it belongs. */
SAP__FORCE_INLINE uint32_t sap__find_entry(const sap__cells *g, uint64_t key) {
    const uint32_t mask = (1u << g->table_bits) - 1;
    uint32_t i = sap__hash_key(g, key);
    while (g->table[i].cell && g->table[i].key != key) i = (i + 1) & mask;
    return i;
}

/* Returns the index of a cell, or SAP__NONE if it holds no box. */
SAP__FORCE_INLINE uint32_t sap__find_cell(const sap__cells *g, const uint32_t at[3], uint32_t level) {
    if (g->table_bits == 0) return SAP__NONE;
    return g->table[sap__find_entry(g, sap__cell_key(at, level))].cell - 1;
}

static void sap__enter_into_table(sap__cells *g, uint32_t cell) {
    const sap__cell *c = &g->cells[cell];
    const uint64_t key = sap__cell_key(c->at, c->level);
    const uint32_t i = sap__find_entry(g, key);
    g->table[i].key = key;
    g->table[i].cell = cell + 1;
}

static int sap__grow_table(sap__cells *g) {
    sap__entry *table = NULL;
    const uint32_t bits = g->table_bits ? g->table_bits + 1 : 6;
    if (!sap__reserve(&table, (size_t)1 << bits)) return 0;
    memset(table, 0, sizeof *table << bits);
    sap__free_array(&g->table);
    g->table = table;
    g->table_bits = bits;
    for (uint32_t i = 0; i < (uint32_t)sap__length(g->cells); i++)
        if (g->cells[i].sap.count) sap__enter_into_table(g, i);
    return 1;
}

/* Returns a cell without arrays, for boxes that enter it: one from the pool or a new one. Returns SAP__NONE without
   memory. */
static uint32_t sap__make_cell(sap__cells *g, const uint32_t at[3], uint32_t level) {
    uint32_t cell = g->first_free;
    if (2 * ((uint32_t)g->occupied + 1) > (g->table_bits ? 1u << g->table_bits : 0) && !sap__grow_table(g))
        return SAP__NONE;
    if (cell == SAP__NONE) {
        cell = (uint32_t)sap__length(g->cells);
        if (!sap__reserve(&g->cells, cell + 1) || !sap__reserve(&g->listed, cell + 1)) return SAP__NONE;
        sap__set_length(g->cells, cell + 1);
    } else
        g->first_free = g->cells[cell].next_free;
    sap__cell *c = &g->cells[cell];
    memset(c, 0, sizeof *c);
    memcpy(c->at, at, sizeof c->at);
    c->level = level;
    c->sap.count = 2; /* the sentinels, which sap__give_block writes */
    sap__enter_into_table(g, cell);
    g->occupied++;
    return cell;
}

/* Returns the exponent of the smallest power of two that is at least n and at least 8. */
static int sap__block_bits(int n) {
    int bits = 3;
    while (1LL << bits < n) bits++;
    return bits;
}

/* Frees a block. It joins the list of the largest power of two that its capacity holds; its first word is the next. */
static void sap__free_block(sap__cells *g, uint32_t at, int capacity) {
    int bits = sap__block_bits(capacity);
    if (1 << bits > capacity) bits--;
    g->arena[at] = g->free_blocks[bits];
    g->free_blocks[bits] = at + 1;
    g->held -= capacity;
}

/* Moves the arrays of a cell to a larger block, a free one or a new one at the end of the arena. It frees the old one.
   The caller has made room in the arena. */
static void sap__give_block(const sap_world *s, sap__cells *g, sap__cell *c, int capacity) {
    const uint32_t old = c->block;
    const int bits = sap__block_bits(capacity), old_capacity = c->sap.capacity;
    if (1 << bits == capacity && g->free_blocks[bits]) {
        c->block = g->free_blocks[bits] - 1;
        g->free_blocks[bits] = (uint32_t)g->arena[c->block];
    } else {
        c->block = (uint32_t)sap__length(g->arena);
        sap__set_length(g->arena, c->block + (uint32_t)(capacity * g->axes));
    }
    g->held += capacity;
    if (old_capacity == 0) c->sap.count = 0; /* nothing to copy */
    sap__place_sap(s, &c->sap, g->arena + c->block, capacity);
    if (old_capacity)
        sap__free_block(g, old, old_capacity);
    else
        sap__clear_sap(s, &c->sap);
}

/* Puts an empty cell into the pool, and its block among the free ones. Entries behind its own in the table move up. */
static void sap__drop_cell(sap__cells *g, uint32_t cell) {
    sap__cell *c = &g->cells[cell];
    const uint32_t mask = (1u << g->table_bits) - 1;
    uint32_t hole = sap__find_entry(g, sap__cell_key(c->at, c->level));
    for (uint32_t i = (hole + 1) & mask; g->table[i].cell; i = (i + 1) & mask) {
        const uint32_t home = sap__hash_key(g, g->table[i].key);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        g->table[hole] = g->table[i];
        hole = i;
    }
    g->table[hole].cell = 0;
    sap__free_block(g, c->block, c->sap.capacity);
    memset(c, 0, sizeof *c);
    c->next_free = g->first_free;
    g->first_free = cell;
    g->occupied--;
}

/* ====================================================================================================== */
/* >> choose: the cells of a grid that is not given                                                         */
/* ====================================================================================================== */

/* Writes the slots of a sample of the boxes with finite bounds. Returns their number. */
static int sap__sample_slots(const sap_world *s, uint32_t *sample) {
    const uint32_t all = (uint32_t)sap__length(s->slot_array);
    const int live = s->boxes.live_count;
    uint32_t slot = 0;
    int n = 0;
    for (uint32_t i = 0; i < 2 * SAP__CELL_SAMPLE && n < SAP__CELL_SAMPLE; i++, slot++) {
        if (live > 2 * SAP__CELL_SAMPLE) slot = (uint32_t)((uint64_t)(i * 2654435761u) * all >> 32);
        slot = sap__next_live(s, slot);
        if (slot == SAP__NONE && live <= 2 * SAP__CELL_SAMPLE) break;
        if (slot == SAP__NONE) continue;
        const sap__box *box = &s->slot_array[slot].box;
        int ok = 1;
        for (int k = 0; k < 3; k++) ok &= box->lo[k] > -SAP__INFINITY && box->hi[k] < SAP__INFINITY;
        sample[n] = slot;
        n += ok;
    }
    return n;
}

/* Returns the value of an endpoint. */
static double sap__endpoint_value(uint64_t endpoint) {
    return sap__wide((int32_t)((uint32_t)(endpoint >> 32) ^ 0x80000000u));
}

/* Sorts the lengths of the boxes of a sample on an axis, or their mins, as endpoints in sort_items. */
static void sap__sort_sample(sap_world *s, const uint32_t *sample, int n, int k, int of_mins) {
    for (int i = 0; i < n; i++) {
        const sap__box *box = &s->slot_array[sample[i]].box;
        const double lo = sap__double(sap__float(box->lo[k])), hi = sap__double(sap__float(box->hi[k]));
        const int32_t key = of_mins ? box->lo[k] : sap__key((float)(hi - lo > 3e38 ? 3e38 : hi - lo));
        s->update.sort_items[i] = sap__endpoint(key, 0, (uint32_t)i);
    }
    sap__sort(s->update.sort_items, s->update.sort_scratch, n, 32);
}

/* Returns a quantile, in sixteenths, of n floats, which are sorted in sort_items as endpoints. */
static double sap__quantile(const sap_world *s, int n, int sixteenths) {
    return sap__endpoint_value(s->update.sort_items[(n - 1) * sixteenths / 16]);
}

/* Returns the average number of other boxes in the cell of a box. It counts them in the sample, where a box is in the
   one cell of its mins, and multiplies, as the world has more boxes than the sample. */
static double sap__count_neighbours(sap_world *s, const sap__grid *g, const uint32_t *sample, int n) {
    double pairs = 0;
    for (int i = 0; i < n; i++) {
        uint32_t hash = 0;
        for (int k = 0; k < 3; k++) {
            const sap__box *box = &s->slot_array[sample[i]].box;
            if (s->used[k]) hash = (hash ^ (uint32_t)sap__grid_place(g, k, box->lo[k])) * 2654435761u;
            hash ^= hash >> 15;
        }
        s->update.sort_items[i] = sap__item(hash, (uint32_t)i);
    }
    sap__sort(s->update.sort_items, s->update.sort_scratch, n, 32);
    for (int i = 0, first = 0; i < n; i++) {
        if ((s->update.sort_items[i] ^ s->update.sort_items[first]) >> 32) first = i;
        pairs += 2 * (i - first);
    }
    return pairs * (s->boxes.live_count - 1) / ((double)n * (n - 1) + 1e-30); /* also of one box, or none */
}

/* Chooses cells that are a few times as long as the median box on each axis. They grow until a box has enough
   neighbours in its cell. An axis on which seven eighths of the boxes lie within two cells is not divided.
   The caller has reserved scratch for SAP__CELL_SAMPLE endpoints. */
static void sap__choose_cells(sap_world *s, sap__grid *grid) {
    uint32_t sample[SAP__CELL_SAMPLE];
    double spread[3] = {0, 0, 0};
    const int n = sap__sample_slots(s, sample);
    memset(grid, 0, sizeof *grid);
    for (int k = 0; k < 3; k++) {
        grid->count[k] = 1;
        if (!s->used[k] || n < 8) continue;
        sap__sort_sample(s, sample, n, k, 0);
        grid->size[k] = (double)SAP__SIZES_IN_CELL * sap__quantile(s, n, 8);
        sap__sort_sample(s, sample, n, k, 1);
        grid->origin[k] = sap__quantile(s, n, 8);
        spread[k] = sap__quantile(s, n, 15) - sap__quantile(s, n, 1);
        if (grid->size[k] < spread[k] / (SAP__MAX_CELLS_ON_AXIS / 2))
            grid->size[k] = spread[k] / (SAP__MAX_CELLS_ON_AXIS / 2);
    }
    for (int grows = 1; grows;) {
        for (int k = 0; k < 3; k++) grid->cells_per_unit[k] = sap__inverse(grid->size[k]);
        grows = 0;
        if (sap__count_neighbours(s, grid, sample, n) >= (double)SAP__BOXES_IN_CELL) break;
        for (int k = 0; k < 3; k++) {
            if (!(spread[k] > grid->size[k])) continue;
            grid->size[k] *= 1.25;
            grows = 1;
        }
    }
    for (int k = 0; k < 3; k++)
        if (grid->size[k] > 0 && spread[k] > 2 * grid->size[k]) grid->count[k] = SAP__MAX_CELLS_ON_AXIS;
}

/* Sets the grid to the one of the config, or to one chosen for the boxes as they are now. Returns 0 without memory. */
static int sap__choose_grid(sap_world *s, sap__cells *g) {
    if (g->given.is_given) {
        g->grid = g->given;
        return 1;
    }
    if (!sap__reserve_scratch(s, SAP__CELL_SAMPLE)) return sap__fail(s, SAP_ERROR_MEMORY);
    sap__choose_cells(s, &g->grid);
    g->live_when_chosen = s->boxes.live_count;
    g->changes_since = 0;
    return 1;
}

/* Returns whether a chosen grid no longer suits the boxes: if there are more than 4 times as many as when it was
   chosen, or fewer than a quarter. After 16 changes for each box it also chooses cells again, and compares them with
   those in use. */
static int sap__is_outgrown(sap_world *s, sap__cells *g) {
    const long long live = s->boxes.live_count, chosen = g->live_when_chosen;
    sap__grid grid;
    if (g->given.is_given) return 0;
    if (live > 4 * chosen + 64 || chosen > 4 * live + 64) return 1;
    g->changes_since += sap__length(s->changes.list);
    if (g->changes_since < 16 * live || !sap__reserve_scratch(s, SAP__CELL_SAMPLE)) return 0;
    g->changes_since = 0;
    sap__choose_cells(s, &grid);
    for (int k = 0; k < 3; k++)
        if (grid.count[k] != g->grid.count[k] ||
            (grid.count[k] > 1 && (grid.size[k] > 2 * g->grid.size[k] || g->grid.size[k] > 2 * grid.size[k])))
            return 1;
    return 0;
}

/* Returns whether the arrays are far larger than needed, because most boxes have left. Reserved memory stays. */
static int sap__is_wasteful(const sap_world *s, const sap__cells *g) {
    if (s->update.is_reserved) return 0;
    return sap__capacity(g->arena) > 4 * g->axes * g->held + 16384 || sap__capacity(g->cells) > 4 * g->occupied + 1024;
}

/* ====================================================================================================== */
/* >> plan: what each cell has to do (Terdiman II.3c)                                                       */
/* ====================================================================================================== */

/* An update of the grid goes this way:

       plan     Threads list the crossed boxes. The calling thread puts changed boxes into the queues of cells: crossed
                boxes leave some cells and enter others, the rest move within their cells. All memory but that of
                created pairs is reserved
       update   runs on threads, cell by cell. A cell removes the boxes that leave (I.5b), moves those that move by the
                rules (I.3), merges in those that enter (I.4b), and prunes these with all its boxes (I.4c). A box
                enters after the sort, so no rule sees it
       query    runs on threads, if there are several levels: each changed box queries the cells of the other levels

   Every end in every cell is read if more than one box in eight moved; else only cells with something in a queue are
   visited. If more than half of the boxes crossed, the cells are built again from nothing, and every box enters. A new
   pair filter does that, too. */

static int sap__push_operation(sap__cells *g, uint32_t cell, int queue, uint32_t slot) {
    sap__cell *c = &g->cells[cell];
    const int n = sap__length(g->operations);
    if (!sap__reserve(&g->operations, n + 1)) return 0;
    sap__push(g->operations, sap__item(c->last[queue], slot));
    c->last[queue] = (uint32_t)n;
    c->waiting[queue]++;
    if (!c->is_listed) sap__push(g->listed, cell);
    c->is_listed = 1;
    return 1;
}

/* Clears the range of a slot without a box: it touches no cell. */
static void sap__clear_range(sap__cell_range *r) {
    memset(r, 0, sizeof *r);
    r->level = SAP__NO_LEVEL;
}

/* Finds the range of a slot as it is now, with its level if the range is the same as before. Returns whether its box
   crossed. */
static int sap__find_range_now(const sap_world *s, const sap__cells *g, uint32_t slot, sap__cell_range *now) {
    const sap__cell_range *was = &g->range[slot];
    const uint32_t flags = s->slot_array[slot].flags;
    sap__clear_range(now);
    if (flags & SAP__LIVE) sap__find_range(&g->grid, &s->slot_array[slot].box, now);
    if ((flags & SAP__LIVE) && sap__same_range(now, was)) now->level = was->level;
    if ((flags & SAP__LIVE) && now->level == SAP__NO_LEVEL) return 1;
    return now->level != was->level || (flags & SAP__REFILTER);
}

/* Gives a slot its new range. A cell of the old or the new range gets an operation if the box leaves it, enters it,
   moves in it, or is pruned there again. Returns 0 without memory. */
static int sap__change_range(sap_world *s, sap__cells *g, uint32_t slot, const sap__cell_range *now) {
    const sap__slot *of = &s->slot_array[slot];
    const sap__cell_range was = g->range[slot];
    sap__walk w;
    g->range[slot] = *now;
    if (was.level != SAP__NO_LEVEL) {
        g->level[was.level].boxes--;
        sap__begin_walk(&g->level[was.level], &was, &w);
        do {
            if (now->level == was.level && sap__touches(&g->level[was.level], now, w.at)) continue;
            if (!sap__push_operation(g, sap__find_cell(g, w.at, was.level), SAP__LEAVE, slot)) return 0;
        } while (sap__next_cell(&w));
    }
    if (now->level == SAP__NO_LEVEL) return 1;
    g->level[now->level].boxes++;
    const int moves = !g->all_move && !sap__same(&of->box, &of->previous),
              prunes_again = (of->flags & SAP__REFILTER) != 0;
    sap__begin_walk(&g->level[now->level], now, &w);
    do {
        const int stays = was.level == now->level && sap__touches(&g->level[was.level], &was, w.at);
        if (stays && !moves && !prunes_again) continue;
        uint32_t cell = sap__find_cell(g, w.at, now->level);
        if (cell == SAP__NONE) cell = sap__make_cell(g, w.at, now->level);
        if (cell == SAP__NONE) return 0;
        if (!stays && !sap__push_operation(g, cell, SAP__ENTER, slot)) return 0;
        if (stays && moves && !sap__push_operation(g, cell, SAP__MOVE, slot)) return 0;
        if (stays && prunes_again && !sap__push_operation(g, cell, SAP__PRUNE_AGAIN, slot)) return 0;
    } while (sap__next_cell(&w));
    return 1;
}

/* A task lists, of its part of the changed boxes, those that crossed. */
static void sap__list_crossed_task(sap_world *s, void *args, int task, int tasks) {
    sap__cells *g = (sap__cells *)args;
    const uint32_t *changed = s->changes.list;
    const int n = sap__length(s->changes.list), from = sap__task_begin(n, task, tasks),
              end = sap__task_begin(n, task + 1, tasks);
    const int prefetch_end = from + sap__prefetch_end_for_slots(s, changed + from, end - from);
    int count = 0;
    for (int i = from; i < end; i++) {
        sap__cell_range now;
        if (i < prefetch_end) {
            sap__prefetch_slot(s, changed[i + SAP__PREFETCH_AHEAD]);
            sap__prefetch(&g->range[changed[i + SAP__PREFETCH_AHEAD]]);
        }
        g->crossed[from + count] = changed[i];
        count += sap__find_range_now(s, g, changed[i], &now);
    }
    s->update.task[task].count = count;
}

/* Reserves a range for each slot, and the list of crossed boxes. Returns 0 without memory. */
static int sap__reserve_slots(const sap_world *s, sap__cells *g) {
    const int slot_count = sap__length(s->slot_array);
    if (!sap__reserve(&g->range, slot_count) || !sap__reserve(&g->crossed, sap__length(s->changes.list))) return 0;
    for (int i = sap__length(g->range); i < slot_count; i++) sap__clear_range(&g->range[i]);
    sap__set_length(g->range, slot_count);
    return 1;
}

static void sap__list_all_cells(sap__cells *g) {
    sap__set_length(g->listed, 0);
    for (uint32_t i = 0; i < (uint32_t)sap__length(g->cells); i++)
        if (g->cells[i].sap.count) {
            sap__push(g->listed, i);
            g->cells[i].is_listed = 1;
        }
}

/* Returns the number of endpoints on an axis that a cell will have after the update, with its sentinels. */
static int sap__planned_count(const sap__cell *c) {
    return c->sap.count + 2 * (c->waiting[SAP__ENTER] - c->waiting[SAP__LEAVE]);
}

/* Makes the arena larger. As it may move, the arrays of all cells are set again. Returns 0 on failure. */
static int sap__grow_arena(sap_world *s, sap__cells *g, long long size) {
    if (size > INT_MAX) return sap__fail(s, SAP_ERROR_LIMIT);
    if (!sap__reserve(&g->arena, size)) return sap__fail(s, SAP_ERROR_MEMORY);
    for (int i = 0; i < sap__length(g->cells); i++) {
        sap__cell *c = &g->cells[i];
        uint64_t *array = g->arena + c->block;
        for (int k = 0; k < 3 && c->sap.capacity; k++) {
            if (!s->used[k]) continue;
            c->sap.sorted[k] = array;
            array += c->sap.capacity;
        }
    }
    return 1;
}

/* Makes the arena as large as sap_multi_reserve promised, with room for the sentinels of all cells entered so far. */
static int sap__reserve_arena(sap_world *s, sap__cells *g) {
    const long long size = g->reserved + 2LL * g->axes * sap__length(g->cells);
    return size <= sap__capacity(g->arena) || sap__grow_arena(s, g, size);
}

/* Gives all listed cells blocks that are large enough. Returns 1, or -1 on failure. Returns 0 if the reserved memory is
   used up although it would suffice, as blocks are rounded up to powers of two. Then the cells are built again, if need
   be in blocks of the exact size. */
static int sap__reserve_blocks(sap_world *s, sap__cells *g) {
    const int n = sap__length(g->listed);
    long long wanted = 0, exact = 0;
    int is_exact = 0;
    if (s->update.is_reserved && !sap__reserve_arena(s, g)) return -1;
    for (int i = 0; i < n && g->is_new; i++) {
        const int count = sap__planned_count(&g->cells[g->listed[i]]);
        wanted += (long long)g->axes << sap__block_bits(count);
        exact += (long long)g->axes * count;
    }
    if (g->is_new && wanted > sap__capacity(g->arena)) {
        is_exact = s->update.is_reserved && exact <= sap__capacity(g->arena);
        if (!is_exact && !sap__grow_arena(s, g, wanted)) return -1;
    }
    for (int i = 0; i < n; i++) {
        sap__cell *c = &g->cells[g->listed[i]];
        const int count = sap__planned_count(c), bits = sap__block_bits(count), capacity = is_exact ? count : 1 << bits;
        const long long size = sap__length(g->arena) + (long long)g->axes * capacity;
        if (count <= c->sap.capacity) continue;
        if (size > sap__capacity(g->arena) && (is_exact || !g->free_blocks[bits])) {
            if (s->update.is_reserved && !g->is_new) return 0;
            if (!sap__grow_arena(s, g, size)) return -1;
        }
        sap__give_block(s, g, c, capacity);
    }
    return 1;
}

/* Returns the number of boxes in the largest step (remove, move, insert or prune) of a cell. */
static int sap__largest_step(const sap__cell *c) {
    const int32_t *n = c->waiting, entering = n[SAP__ENTER] + n[SAP__PRUNE_AGAIN];
    const int32_t going = n[SAP__LEAVE] > n[SAP__MOVE] ? n[SAP__LEAVE] : n[SAP__MOVE];
    return (int)(entering > going ? entering : going);
}

/* Reserves scratch: a part for each task, and enough for the largest step, which may be larger than such a part. */
static int sap__reserve_step(sap_world *s, sap__cells *g) {
    int most = 0;
    for (int i = 0; i < sap__length(g->listed); i++) {
        const int n = sap__largest_step(&g->cells[g->listed[i]]);
        if (n > most) most = n;
    }
    g->task_boxes = most < SAP__TASK_BOXES ? most : SAP__TASK_BOXES;
    long long needed = 2LL * g->task_boxes * sap__task_count(s);
    if (needed < 2LL * most) needed = 2LL * most;
    return sap__reserve_scratch(s, needed) || sap__fail(s, SAP_ERROR_MEMORY);
}

/* Plans the box of a slot as it is now. Returns 0 without memory. */
static int sap__plan_box(sap_world *s, sap__cells *g, uint32_t slot) {
    sap__cell_range now;
    (void)sap__find_range_now(s, g, slot, &now);
    if ((s->slot_array[slot].flags & SAP__LIVE) && now.level == SAP__NO_LEVEL) now.level = sap__level_of(g, &now);
    return sap__change_range(s, g, slot, &now);
}

/* Plans all changed boxes. Returns 1; 0 if all cells are to be built again; -1 on failure. */
static int sap__plan_changes(sap_world *s, sap__cells *g) {
    const int n = sap__length(s->changes.list), boxes = s->boxes.live_count + s->boxes.removed.count;
    const uint32_t *list = s->changes.list;
    int planned = n;
    if (g->all_move || 2LL * n > boxes) {
        const int crossed = sap__compact_tasks(s, g->crossed, n, sap__parallel_for(s, sap__list_crossed_task, g, n));
        if (2LL * crossed > boxes) return 0;
        if (g->all_move) {
            list = g->crossed;
            planned = crossed;
        }
    }
    for (int i = 0; i < planned; i++)
        if (!sap__plan_box(s, g, list[i])) return sap__fail(s, SAP_ERROR_MEMORY) - 1;
    if (g->all_move) sap__list_all_cells(g);
    return sap__reserve_blocks(s, g);
}

/* Removes all cells and levels; their memory stays. */
static void sap__clear_cells(sap__cells *g) {
    sap__set_length(g->cells, 0);
    sap__set_length(g->arena, 0);
    sap__set_length(g->operations, 0);
    sap__set_length(g->listed, 0);
    if (g->table_bits) memset(g->table, 0, sizeof *g->table << g->table_bits);
    memset(g->free_blocks, 0, sizeof g->free_blocks);
    memset(g->level_of, SAP__NO_LEVEL, sizeof g->level_of);
    g->first_free = SAP__NONE;
    g->occupied = g->levels = 0;
    g->held = 0;
    for (int i = 0; i < sap__length(g->range); i++) sap__clear_range(&g->range[i]);
}

/* Removes all cells and frees their memory. */
static void sap__free_cells(sap__cells *g) {
#define SAP__FREE_OF_CELLS(a) sap__free_array(&g->a), g->a = NULL;
    SAP__CELLS_ARRAYS(SAP__FREE_OF_CELLS)
    g->table_bits = 0;
    sap__clear_cells(g);
}

/* Plans all boxes as they are now: each enters its cells, which were emptied. Returns 1, or -1 on failure. */
static int sap__plan_all(sap_world *s, sap__cells *g) {
    g->is_new = 1;
    if (sap__is_wasteful(s, g)) sap__free_cells(g);
    sap__clear_cells(g);
    if (!sap__reserve_slots(s, g)) return sap__fail(s, SAP_ERROR_MEMORY) - 1;
    if (!sap__choose_grid(s, g)) return -1;
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++)
        if (!sap__plan_box(s, g, slot)) return sap__fail(s, SAP_ERROR_MEMORY) - 1;
    return sap__reserve_blocks(s, g);
}

/* ====================================================================================================== */
/* >> update: the work of a cell, and queries of other levels                                                */
/* ====================================================================================================== */

/* Returns whether two boxes may be a new pair. Most overlapped before: they are not new, unless a filter has
   changed. */
SAP__FORCE_INLINE int sap__may_be_created(const sap_world *s, uint32_t x, uint32_t y) {
    const sap__slot *a = &s->slot_array[x], *b = &s->slot_array[y];
    if (!sap__overlap(&a->box, &b->box)) return 0;
    if ((a->flags | b->flags) & SAP__REFILTER) return 1;
    return !sap__overlap(&a->previous, &b->previous) && !(a->flags & b->flags & SAP__STATIC);
}

/* Tests box x with the boxes whose mins are in [at, end) and not above its max. Boxes with one of the flags are left
   out. New pairs that this cell owns go to the search. Returns 0 on failure. */
SAP__FORCE_INLINE int sap__prune_ahead(sap__search *q, const sap__cells *g, const sap__cell *c, uint32_t x,
                                       const uint64_t *at, const uint64_t *end, uint32_t flags) {
    const uint64_t max = sap__endpoint(q->s->slot_array[x].box.hi[c->axis], 1, x);
    for (; at < end && *at < max; at++) {
        const uint32_t y = sap__endpoint_slot(*at);
        if (sap__endpoint_is_max(*at)) continue;
        q->task->tests++;
        if (!sap__may_be_created(q->s, x, y) || (q->s->slot_array[y].flags & flags)) continue;
        if (!sap__is_owner_at(&g->level[c->level], c->at, &g->range[x], &g->range[y])) continue;
        q->a[q->n] = x;
        q->b[q->n] = y;
        q->n++;
        if (!sap__flush(q, SAP__PAIR_BATCH - 1)) return 0;
    }
    return 1;
}

/* Box pruning along one axis (I.4c) finds the pairs of entering boxes, with each other and with the boxes of the cell.
   The sweep goes from min to min. An entering box is tested with all boxes that begin between its min and its max, any
   other box with the entering ones that do. Boxes to be pruned again count as entering. items holds the n mins of
   entering boxes, sorted; n < 0: all boxes enter. */
static int sap__prune_cell(sap__search *q, const sap__cells *g, const sap__cell *c, const uint64_t *items, int n) {
    const uint64_t *ends = c->sap.sorted[c->axis], *last = ends + c->sap.count - 1;
    for (int i = 1, next = 0; ends + i < last && (n < 0 || next < n); i++) {
        if (sap__endpoint_is_max(ends[i])) continue;
        const int is_new = n < 0 || items[next] == ends[i];
        next += is_new;
        const uint64_t *at = is_new ? ends + i + 1 : items + next, *end = is_new ? last : items + n;
        if (!sap__prune_ahead(q, g, c, sap__endpoint_slot(ends[i]), at, end, 0)) return 0;
    }
    return sap__flush(q, 0);
}

/* Returns the axis on which the boxes of a cell reach farthest, from the first end to the last. */
static int sap__widest_axis(const sap_world *s, const sap__sap *p) {
    double widest = -1;
    int axis = -1;
    for (int k = 0; k < 3; k++) {
        if (!s->used[k]) continue;
        const uint64_t *ends = p->sorted[k];
        const double width = sap__endpoint_value(ends[p->count - 2]) - sap__endpoint_value(ends[1]);
        if (axis < 0 || width > widest) widest = width, axis = k;
    }
    return axis;
}

/* Appends the slots of a queue to n items. Returns the new n. */
static int sap__list_queue(const sap__cells *g, const sap__cell *c, int queue, uint64_t *items, int n) {
    uint32_t at = c->last[queue];
    for (int i = 0; i < c->waiting[queue]; i++) {
        items[n++] = (uint32_t)g->operations[at];
        at = (uint32_t)(g->operations[at] >> 32);
    }
    return n;
}

/* Works through the queues of a cell. Returns 0 on failure, but 1 on threads: a task that overflowed runs once more. */
static int sap__update_cell(sap__sort_state *u, sap__search *q, const sap__cells *g, sap__cell *c) {
    sap_world *s = u->s;
    const int boxes = c->sap.count / 2 - 1, moves = c->waiting[SAP__MOVE];
    const int entering = c->waiting[SAP__ENTER] + c->waiting[SAP__PRUNE_AGAIN];
    int ok = 1;
    for (u->axis = 0; u->axis < 3 && ok; u->axis++) {
        if (!s->used[u->axis]) continue;
        u->count = c->sap.count;
        if (c->waiting[SAP__LEAVE]) sap__remove_endpoints(u, sap__list_queue(g, c, SAP__LEAVE, u->items, 0));
        if (g->all_move || SAP__FEW_MOVERS * moves > boxes)
            ok = sap__sort_endpoints(u);
        else if (moves)
            ok = sap__move_endpoints(u, sap__list_queue(g, c, SAP__MOVE, u->items, 0));
        if (c->waiting[SAP__ENTER]) sap__insert_endpoints(u, sap__list_queue(g, c, SAP__ENTER, u->items, 0), 1);
    }
    if (!ok) return 0;
    c->sap.count = u->count;
    if (entering) c->axis = sap__widest_axis(s, &c->sap);
    if (entering && !u->task->overflowed) {
        int n = 0;
        u->axis = c->axis;
        if (!g->is_new)
            n = sap__list_queue(g, c, SAP__PRUNE_AGAIN, u->items, sap__list_queue(g, c, SAP__ENTER, u->items, 0));
        for (int i = 0; i < n; i++) {
            const uint32_t slot = (uint32_t)u->items[i];
            u->items[i] = sap__endpoint(s->slot_array[slot].box.lo[u->axis], 0, slot);
        }
        sap__sort(u->items, u->scratch, n, 0);
        ok = sap__prune_cell(q, g, c, u->items, g->is_new ? -1 : n);
    }
    memset(c->waiting, 0, sizeof c->waiting);
    c->is_listed = 0;
    return ok || s->threads.in_parallel;
}

typedef struct sap__cells_args {
    sap__cells *g;
    int is_large; /* this pass does the cells that are too large for a task */
} sap__cells_args;

/* A task updates its part of the listed cells. On threads it cannot allocate: if it finds more pairs than it has memory
   for, it goes on without pruning. It then runs once more, on the calling thread, and prunes all boxes of its cells. */
static void sap__update_cells_task(sap_world *s, void *args, int task, int tasks) {
    const sap__cells_args *a = (const sap__cells_args *)args;
    sap__cells *g = a->g;
    const int n = sap__length(g->listed), end = sap__task_begin(n, task + 1, tasks);
    const int again = s->update.task[task].overflowed && !s->threads.in_parallel;
    sap__search q;
    sap__sort_state u;
    sap__begin_search(&q, s, task, SAP__NOW);
    q.on_pairs = sap__emit_events;
    memset(&u, 0, sizeof u);
    u.s = s;
    u.task = q.task;
    u.items = s->update.sort_items + (tasks > 1 ? 2 * g->task_boxes * task : 0);
    u.scratch = s->update.sort_scratch + (tasks > 1 ? 2 * g->task_boxes * task : 0);
    for (int i = sap__task_begin(n, task, tasks); i < end; i++) {
        sap__cell *c = &g->cells[g->listed[i]];
        if (tasks > 1 && sap__largest_step(c) > g->task_boxes) continue;
        if (a->is_large && !c->is_listed) continue;
        u.sap = &c->sap;
        if (!(again ? sap__prune_cell(&q, g, c, NULL, -1) : sap__update_cell(&u, &q, g, c))) return;
    }
}

/* ---- queries of other levels -------------------------------------------------------------------------------- */

/* Tests a changed box with the boxes of one cell of another level, except those with one of the flags. */
static int sap__query_cell(sap__search *q, const sap__cells *g, const sap__cell *c, uint32_t x, uint32_t flags) {
    const uint64_t *ends = c->sap.sorted[c->axis];
    return sap__prune_ahead(q, g, c, x, ends + 1, ends + c->sap.count - 1, flags);
}

static int sap__query_level(sap__search *q, const sap__cells *g, uint32_t level, uint32_t x, uint32_t flags) {
    const sap__level *l = &g->level[level];
    sap__walk w;
    sap__begin_walk(l, &g->range[x], &w);
    if (w.all > sap__length(g->cells)) { /* it is faster to go over all cells than to search the table for each */
        for (int i = 0; i < sap__length(g->cells); i++) {
            const sap__cell *c = &g->cells[i];
            if (c->sap.count == 0 || c->level != level || !sap__touches(l, &g->range[x], c->at)) continue;
            if (!sap__query_cell(q, g, c, x, flags)) return 0;
        }
        return 1;
    }
    do {
        const uint32_t cell = sap__find_cell(g, w.at, level);
        if (cell != SAP__NONE && !sap__query_cell(q, g, &g->cells[cell], x, flags)) return 0;
    } while (sap__next_cell(&w));
    return 1;
}

/* A task takes its part of the changed boxes, which query all levels but their own. If both boxes of a pair changed,
   the one of the finer level finds the other. So a box queries finer levels for unchanged boxes only. Finer is the
   level with the smaller sum of shifts, at a tie the one with the lower index. */
static void sap__query_levels_task(sap_world *s, void *args, int task, int tasks) {
    const sap__cells *g = (const sap__cells *)args;
    const int n = sap__length(s->changes.list), end = sap__task_begin(n, task + 1, tasks);
    int ok = 1;
    sap__search q;
    sap__begin_search(&q, s, task, SAP__NOW);
    q.on_pairs = sap__emit_events;
    for (int i = sap__task_begin(n, task, tasks); i < end && ok; i++) {
        const uint32_t x = s->changes.list[i], own = g->range[x].level;
        for (uint32_t v = 0; v < (uint32_t)g->levels && own != SAP__NO_LEVEL && ok; v++) {
            const sap__level *l = &g->level[v], *mine = &g->level[own];
            const int finds_all = l->coarseness != mine->coarseness ? l->coarseness > mine->coarseness : v > own;
            if (v == own || (finds_all ? l->boxes : l->boxes - l->changed) == 0) continue;
            ok = sap__query_level(&q, g, v, x, finds_all ? 0 : SAP__CHANGED);
        }
    }
    if (ok) (void)sap__flush(&q, 0);
}

/* ---- all of an update --------------------------------------------------------------------------------------- */

/* Runs tasks on cells, and adds their swaps and tests to those of the update. */
static int sap__run_on_cells(sap_world *s, sap__task_function *function, void *args, long long work) {
    for (int i = 0; i < SAP__TASKS; i++) s->update.task[i].swaps = s->update.task[i].tests = 0;
    const int ok = sap__run_search(s, function, args, work < INT_MAX ? (int)work : INT_MAX);
    for (int i = 0; i < SAP__TASKS; i++) {
        s->update.swaps += s->update.task[i].swaps;
        s->update.tests += s->update.task[i].tests;
    }
    return ok;
}

/* Updates all listed cells, then, on the calling thread, those that are too large for a task. Cells that became empty
   go into the pool. If boxes are on several levels, changed boxes query the others. Returns 0 on failure. */
static int sap__update_cells(sap_world *s, sap__cells *g) {
    sap__cells_args args;
    const int n = sap__length(s->changes.list);
    int levels = 0, large = 0;
    args.g = g;
    args.is_large = 0;
    for (int i = 0; i < sap__length(g->listed); i++)
        large += sap__largest_step(&g->cells[g->listed[i]]) > g->task_boxes;
    if (!sap__run_on_cells(s, sap__update_cells_task, &args, g->is_new ? s->boxes.live_count : n)) return 0;
    args.is_large = 1;
    if (large && s->threads.parallel_for && !sap__run_on_cells(s, sap__update_cells_task, &args, -1)) return 0;
    for (int i = 0; i < sap__length(g->listed); i++)
        if (g->cells[g->listed[i]].sap.count == 2) sap__drop_cell(g, g->listed[i]);
    for (int v = 0; v < g->levels; v++) {
        levels += g->level[v].boxes > 0;
        g->level[v].changed = 0;
    }
    if (levels < 2) return 1;
    for (int i = 0; i < n; i++)
        if (g->range[s->changes.list[i]].level != SAP__NO_LEVEL) g->level[g->range[s->changes.list[i]].level].changed++;
    return sap__run_on_cells(s, sap__query_levels_task, g, n);
}

/* Finds the created pairs in all cells. The pair manager finds the deleted ones: a box that leaves a cell passes no
   ends there. Returns 0 on failure. */
static int sap__find_created_in_cells(sap_world *s, void *grid) {
    sap__cells *g = (sap__cells *)grid;
    long long moved = sap__length(s->changes.list);
    s->update.failure = SAP_OK;
    if (!sap__reserve_slots(s, g)) return sap__fail(s, SAP_ERROR_MEMORY);
    if (s->changes.flags & SAP__REFILTER) sap__require_index(s, SAP__TABLE);
    sap__set_length(g->operations, 0);
    sap__set_length(g->listed, 0);
    g->is_new = !s->endpoints.valid || sap__is_wasteful(s, g) || sap__is_outgrown(s, g);
    for (int i = 0; i < sap__length(s->changes.list) && (s->changes.flags & (SAP__ADDED | SAP__REMOVED)); i++)
        moved -= (s->slot_array[s->changes.list[i]].flags & (SAP__ADDED | SAP__REMOVED)) != 0;
    g->all_move = !g->is_new && SAP__PRUNE_PART * moved > s->boxes.live_count;
    int planned = g->is_new ? 0 : sap__plan_changes(s, g);
    g->all_move = g->all_move && planned == 1;
    if (planned == 0) planned = sap__plan_all(s, g);
    if (planned < 0 || !sap__reserve_step(s, g) || !sap__update_cells(s, g)) return 0;
    s->endpoints.valid = 1;
    return 1;
}

/* Reserves memory for this number of boxes, each in as many cells as it can touch. The number of cells is not known
   yet, so a cell that is entered for the first time may still allocate. */
static int sap__reserve_cells(sap_world *s, sap__cells *g, int boxes) {
    const int slot_count = sap__capacity(s->changes.list),
              listed = slot_count > SAP__CELL_SAMPLE ? slot_count : SAP__CELL_SAMPLE;
    const long long copies = (long long)boxes << g->axes;
    const long long scratch =
        2LL * (SAP__TASK_BOXES * sap__task_count(s) > listed ? SAP__TASK_BOXES * sap__task_count(s) : listed);
    if (2 * copies * g->axes > g->reserved) g->reserved = 2 * copies * g->axes;
    return sap__reserve(&g->range, slot_count) && sap__reserve(&g->crossed, slot_count) &&
           sap__reserve(&g->operations, 2 * copies) && sap__reserve_arena(s, g) && sap__reserve_scratch(s, scratch);
}

/* ====================================================================================================== */
/* >> validate: every invariant of the grid, in one sentence each                                           */
/* ====================================================================================================== */

static const char *sap__validate_cell(const sap_world *s, const sap__cells *g, uint32_t i) {
    const sap__cell *c = &g->cells[i];
    const int axis = s->used[0] ? 0 : s->used[1] ? 1 : 2;
    const char *broken = sap__validate_sap(s, &c->sap);
    if (c->sap.count == 2) return "A cell in use holds boxes.";
    if (c->is_listed || c->waiting[0] || c->waiting[1] || c->waiting[2] || c->waiting[3])
        return "Nothing waits for a cell between updates.";
    if (sap__find_cell(g, c->at, c->level) != i) return "A cell in use is in the table.";
    for (int j = 1; j < c->sap.count - 1 && !broken; j++) {
        const uint32_t slot = sap__endpoint_slot(c->sap.sorted[axis][j]);
        if (slot >= (uint32_t)sap__length(g->range) || g->range[slot].level != c->level ||
            !sap__touches(&g->level[c->level], &g->range[slot], c->at))
            return "A cell holds boxes that touch it.";
    }
    return broken;
}

static const char *sap__validate_cells(const sap_world *s, const sap__cells *g) {
    long long copies = 0, held = 0, capacity = 0;
    int boxes[SAP__MAX_GRID_LEVELS], in_use = 0, in_pool = 0;
    uint32_t free_cell = g->first_free;
    if (!s->endpoints.valid) return NULL;
    memset(boxes, 0, sizeof boxes);
    for (int slot = 0; slot < sap__length(s->slot_array); slot++) {
        sap__cell_range none, range;
        sap__walk w;
        sap__clear_range(&none);
        const sap__cell_range *r = slot < sap__length(g->range) ? &g->range[slot] : &none;
        if ((r->level != SAP__NO_LEVEL) != sap__has_previous_box(s->slot_array[slot].flags))
            return "A slot has a range of cells exactly if it had a box at the last update.";
        if (r->level == SAP__NO_LEVEL) continue;
        sap__find_range(&g->grid, &s->slot_array[slot].previous, &range);
        if (!sap__same_range(r, &range)) return "A range of cells is that of the box at the last update.";
        if (r->level >= (uint32_t)g->levels) return "A box is in cells of a level that there is.";
        sap__begin_walk(&g->level[r->level], r, &w);
        if (w.n[0] > 2 || w.n[1] > 2 || w.n[2] > 2) return "A box touches at most two cells on each axis.";
        boxes[r->level]++;
        copies += w.all;
    }
    for (int v = 0; v < g->levels; v++)
        if (boxes[v] != g->level[v].boxes) return "The boxes of a level are counted.";
    for (uint32_t i = 0; i < (uint32_t)sap__length(g->cells); i++) {
        const char *broken = g->cells[i].sap.count ? sap__validate_cell(s, g, i) : NULL;
        if (broken) return broken;
        in_use += g->cells[i].sap.count > 0;
        held += g->cells[i].sap.count ? g->cells[i].sap.count / 2 - 1 : 0;
        capacity += g->cells[i].sap.capacity;
    }
    if (held != copies) return "A box is in each cell that it touches.";
    if (in_use != g->occupied) return "The cells in use are counted.";
    if (capacity != g->held) return "The memory that cells hold is counted.";
    for (; free_cell != SAP__NONE && in_pool <= sap__length(g->cells); in_pool++) {
        if (free_cell >= (uint32_t)sap__length(g->cells) || g->cells[free_cell].sap.count)
            return "The pool holds cells that are not in use.";
        free_cell = g->cells[free_cell].next_free;
    }
    return in_pool == sap__length(g->cells) - in_use ? NULL : "A cell is in use or in the pool.";
}

/* ====================================================================================================== */
/* >> life                                                                                                  */
/* ====================================================================================================== */

/* Reads the grid of a config, and checks the fields of the other kind of grid, too. Returns 0 if one is invalid. */
static int sap__read_grid(const sap_multi_config *config, sap__grid *grid) {
    int32_t used[6];
    memset(grid, 0, sizeof *grid);
    for (int k = 0; k < 3; k++) grid->count[k] = 1;
    sap__grid other = *grid;
    if (!config) return 1;
    if (sap_check_config(&config->sap) != SAP_OK) return 0;
    sap__axes_used(config->sap.axes ? config->sap.axes : 7, used);
    if (!sap__fixed_grid(config, used, config->hashed ? &other : grid) ||
        !sap__hashed_grid(config, used, config->hashed ? grid : &other))
        return 0;
    for (int k = 0; k < 3; k++) { /* a key has 19 bits for each axis: cells are made longer until their numbers fit */
        for (; grid->count[k] > SAP__MAX_CELLS_ON_AXIS; grid->count[k] = grid->count[k] / 2 + (grid->count[k] & 1))
            grid->size[k] *= 2;
        grid->cells_per_unit[k] = sap__inverse(grid->size[k]);
    }
    return 1;
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
    memset(m, 0, sizeof *m);
    m->world = sap_create(config ? &config->sap : NULL);
    if (!m->world) {
        SAP_FREE(m);
        return NULL;
    }
    m->world->has_grid = 1;
    m->cells.given = grid;
    for (int k = 0; k < 3; k++) m->cells.axes += m->world->used[k] & 1;
    sap__clear_cells(&m->cells);
    m->world->threads.parallel_for = config ? config->parallel : NULL;
    m->world->threads.parallel_user = config ? config->parallel_user : NULL;
    m->world->threads.min_parallel_work = SAP__THREADS_FROM;
    return m;
}

SAP_DEF void sap_multi_destroy(sap_multi *m) {
    if (!m) return;
    if (sap__is_busy(m->world)) {
        sap_destroy(m->world); /* sets the error, and does nothing else */
        return;
    }
    sap_destroy(m->world);
    sap__free_cells(&m->cells);
    SAP_FREE(m);
}

/* Lends the grid to the world for one call. Between calls the world holds no address of this code, which may be
   reloaded. Returns what the world had before: in a call from a callback, which is rejected, that is the grid of the
   outer call. */
static const sap__grid_calls *sap__lend_grid(sap_multi *m, sap__grid_calls *lent) {
    const sap__grid_calls *before = m->world->grid;
    lent->find_created = sap__find_created_in_cells;
    lent->is_owner = sap__is_owner;
    lent->grid = &m->cells;
    m->world->grid = lent;
    return before;
}

/* Takes the grid back after a call. If it was not valid for SAP__TRIM calls, as when no box is left, its memory is
   freed, unless it was reserved. */
static void sap__end_grid(sap_multi *m, const sap__grid_calls *before) {
    m->world->grid = before;
    if (before) return;
    if (m->world->endpoints.valid) m->cells.idle_updates = 0;
    if (m->world->endpoints.valid || m->cells.idle_updates == SAP__TRIM) return;
    m->cells.idle_updates++;
    if (m->cells.idle_updates == SAP__TRIM && !m->world->update.is_reserved) sap__free_cells(&m->cells);
}

/* ====================================================================================================== */
/* >> calls: the functions of sap.h                                                                         */
/* ====================================================================================================== */

/* Returns the world, or NULL. It is not part of *m, so a const m may return it. */
static sap_world *sap__world_of(const sap_multi *m) {
    return m ? m->world : NULL;
}

SAP_DEF sap_result sap_multi_reserve(sap_multi *m, int boxes, int pairs) {
    const sap_result r = sap_reserve(sap__world_of(m), boxes, pairs);
    if (r != SAP_OK || (m->world->config.method != SAP_METHOD_SORT && !SAP__TRACES)) return r;
    return sap__set_result(m->world, sap__reserve_cells(m->world, &m->cells, boxes) ? SAP_OK : SAP_ERROR_MEMORY);
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
    sap__grid_calls lent;
    if (!m) return SAP_ERROR_ARGUMENT;
    const sap__grid_calls *before = sap__lend_grid(m, &lent);
    const sap_result r = sap_update(m->world);
    sap__end_grid(m, before);
    return r;
}

SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user) {
    sap__grid_calls lent;
    if (!m) return -SAP_ERROR_ARGUMENT;
    const sap__grid_calls *before = sap__lend_grid(m, &lent);
    const int n = sap_dump_pairs(m->world, create, del, user);
    sap__end_grid(m, before);
    return n;
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
    const char *broken = sap_validate(sap__world_of(m));
    return m && !broken ? sap__validate_cells(m->world, &m->cells) : broken;
}

SAP_DEF void sap_multi_get_stats(const sap_multi *m, sap_stats *stats) {
    sap_get_stats(sap__world_of(m), stats);
    if (!m || !stats) return;
    stats->bytes += sizeof *m;
#define SAP__COUNT_OF_CELLS(a) stats->bytes += sap__bytes_of(m->cells.a);
    SAP__CELLS_ARRAYS(SAP__COUNT_OF_CELLS)
    if (m->world->endpoints.valid) stats->cells = m->cells.occupied;
}

#ifdef __cplusplus
}
#endif
#pragma pack(pop)
#endif /* SAP_MULTI_IMPLEMENTATION */
