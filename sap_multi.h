/* SPDX-License-Identifier: MIT OR Unlicense (both texts stand at the end of sap.h)

   sap_multi.h - v0.5 - a grid of SAPs, and threads: sap.h for large worlds.

   sap_multi.h has the functions of sap.h, with the prefix sap_multi_, and keeps their promises. Ids, events, pairs,
   their order and snapshots equal those of one sap_world that is given the same calls, byte for byte: grid and threads
   are about speed alone. The grid is the multi-SAP of Pierre Terdiman's paper ("Sweep-and-prune", version 0.2, 2007,
   part II). "II.3a" names its section 3) a) of part II.

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
   range        the places that a box touches, the lowest and the highest on each axis
   owner cell   of the cells that hold both boxes of a pair, the one that reports it: computed from the two ranges
   large box    a box that touches three cells or more on an axis. It is in no cell of the grid, but in one SAP that
                holds all large boxes
   crossed      a crossed box is one whose range or filter has changed: it enters cells, leaves them, or is pruned again
   pool         the cells that hold no box, to be used again
   arena        one array for each axis, which holds the endpoint arrays of all cells

   The config says which grid it is:

   fixed     config.cells divide config.bounds. A box that leaves the bounds comes in at the other end (II.3a)
   hashed    config.hashed: cells of config.cell_size, without bounds. Places are wrapped at a, b and c cells (II.3a):
             powers of two whose product is at most config.entries
   chosen    neither is given. Cells are as long as a sample of the boxes says that an update takes least. Where one SAP
             takes less, as in a small world, along a line or among boxes of all sizes, no axis is divided. Cells are
             chosen again after many changes

   Wrapped places share a SAP, but boxes that are far from each other never pair. An axis has at most 524,288 cells: if
   there are more, cells are made longer. A good cell is four to sixteen times as long as a box. In shorter cells boxes
   cross often and are large; in longer cells they pass more ends.

   The paper suggests to limit the size of objects, so that each touches at most four cells, or eight in 3D (II.2b).
   Here boxes have any size. A few large ones, a ground and walls for example (II.2c), are tested with the boxes of each
   cell that they overlap, where one of the two has changed. Many would take longer than one SAP. So a given grid is
   replaced by a chosen one, with longer cells or none, while more than four boxes are longer than its cells and that
   takes less. A chosen grid takes at most 1.5 times what one SAP does, whatever the boxes: see test_grid_shapes.c.

   The arrays of a cell that becomes empty are used by other cells. When most boxes have left, memory is freed. The
   memory used depends on the boxes, not on the number of cells. sap_stats.cells is the number of cells that hold boxes.
   Queries use a tree, not the grid. The first query packs it, so a world without queries has none.
   With SAP_METHOD_SORT sap_multi_reserve also reserves memory for each box in eight cells in 3D, about 800 bytes a box.
   After it, memory is allocated only when a cell is entered for the first time.

   Differences from the paper: sap_multi_update applies all recorded changes in one batch. Deleted pairs are found in
   the pair manager, because a box that leaves a cell passes no ends there. Duplicates are left out by the owner cell
   (the "SAP owner" of II.3d) instead of by the pair manager (II.3b).

   ---- threads ----

   config.parallel serves all methods. parallel(job, data, count, parallel_user) calls job(data, 0) to
   job(data, count - 1), on any threads and in any order, and returns when all are done. No job writes what another one
   reads or writes, and no job calls the allocator or the filter. A loop over fewer than 16,384 boxes or pairs (in the
   grid, changed boxes) runs on the caller's thread. make bench-multi measures the gain. Threads update the cells as in
   II.3d: first one thread fills the queues of each cell, then all threads work through them. Who may call what from
   which thread is as in sap.h.
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
SAP_DEF int sap_multi_nearest_to_ids(sap_multi *m, sap_id id, float max_distance, uint32_t mask, sap_id *ids,
                                     float *distances, int capacity);
SAP_DEF int sap_multi_ray_cast_ids(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                                   sap_id *ids, float *ts, int capacity);
SAP_DEF sap_id sap_multi_box_closest(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                                     sap_id ignore, float *t, float normal[3]);
SAP_DEF sap_id sap_multi_box_closest_if(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                                        sap_accept *accept, void *user, float *t, float normal[3]);
SAP_DEF int sap_multi_slide(sap_multi *m, sap_aabb *box, const float translation[3], uint32_t mask, sap_id ignore,
                            sap_id stopped_by[3]);
SAP_DEF int sap_multi_slide_if(sap_multi *m, sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_accept *accept, void *user, sap_id stopped_by[3]);

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

enum {
    SAP__LAST_PLACE = 1 << 29,              /* the outermost place; boxes beyond it are in it, too */
    SAP__MAX_CELLS_ON_AXIS = 1 << 19,       /* most cells on an axis: a hash is of three numbers of 20 bits */
    SAP__AT_LARGE = SAP__MAX_CELLS_ON_AXIS, /* see sap__at_large */
    SAP__ENTRIES = 65536,                   /* cells of a hashed grid before places are wrapped, by default */
    SAP__THREADS_FROM = 16384               /* a loop over this number of boxes or pairs uses threads */
};

static const uint32_t sap__at_large[3] = {SAP__AT_LARGE, 0, 0}; /* the number of the cell of large boxes */

/* A grid has cells of one size, count of them on each axis. Behind the last one the first one follows again. */
typedef struct sap__grid {
    int count[3]; /* cells on each axis; 1: this axis is not divided */
    int is_given; /* by the config */
    double origin[3], size[3], cells_per_unit[3];
} sap__grid;

/* A range holds the places that a box touches. A slot without a box has a range of no places: hi is below lo. */
typedef struct sap__cell_range {
    int32_t lo[3], hi[3];
} sap__cell_range;

/* The queues of a cell hold what an update has to do there (II.3d): boxes that leave it, that move within it, and that
   enter it, as in any SAP, and boxes that stay but are pruned again, because their filter changed. */
enum { SAP__PRUNE_AGAIN = SAP__ENTER + 1, SAP__QUEUES };

/* A cell holds boxes, or it is in the pool. */
typedef struct sap__cell {
    sap__sap sap;                 /* the first field: sap__is_owner and sap__list_queue cast */
    uint32_t at[3];               /* its number on each axis, wrapped; or sap__at_large */
    uint32_t last[SAP__QUEUES];   /* the operation that each queue got last */
    int32_t waiting[SAP__QUEUES]; /* the number of boxes in each queue */
    uint32_t next;                /* the next cell of its bucket, or in the pool */
    size_t scratch;               /* the index of its scratch in this update */
    int is_listed;                /* it has something to do in this update */
    int axis;                     /* its boxes are pruned along this axis, chosen when boxes last entered */
} sap__cell;

typedef struct sap__cells {
    sap__grid given, grid;  /* the grid of the config; the grid in use */
    sap__cell_range *range; /* the range of each slot */
    sap__cell *cells;
    uint32_t *buckets;       /* the first cell of each, by hash of its number */
    uint32_t first_free;     /* the first cell in the pool */
    int occupied;            /* cells that hold boxes */
    long long copies;        /* boxes in all cells; a box in four cells counts four times */
    uint64_t *arena[3];      /* by axis, the endpoint arrays of all cells */
    int room, end;           /* of the arena of each used axis: its capacity, and where the last array ends */
    uint64_t *operations;    /* items of the queues: the index of the operation before it in its queue, and a slot */
    uint32_t *listed;        /* cells that have something to do in this update */
    int all_move;            /* in this update cells read every end, and moves are not queued */
    int live_when_chosen;    /* boxes when the grid was chosen, */
    long long changes_since; /* and changed boxes since then */
    long long reserved;      /* endpoints on an axis that sap_multi_reserve asked for, without sentinels */
} sap__cells;

/* SAP__CELLS_ARRAYS names each array of sap__cells, to free and to measure them. */
/* clang-format off */
#define SAP__CELLS_ARRAYS(X)                                                                                           \
    X(range) X(cells) X(buckets) X(arena[0]) X(arena[1]) X(arena[2]) X(operations) X(listed)
/* clang-format on */

/* A sap_multi is a world whose SAPs are the cells of a grid. */
struct sap_multi {
    sap_world *world;
    sap__cells cells;
};

/* ====================================================================================================== */
/* >> grid: which cells a box touches                                                                       */
/* ====================================================================================================== */

/* Returns 0 for 0, and never divides by 0: a compiler may divide before it compares. */
static double sap__inverse(double size) {
    return size > 0 ? 1 / (size + 1e-300) : 0;
}

/* Reads the grid of a config, and checks the fields of the other kind of grid, too. Returns 0 if one is invalid. */
static int sap__read_grid(const sap_multi_config *c, sap__grid *grid) {
    int32_t used[6];
    int has_bounds = 0;
    memset(grid, 0, sizeof *grid);
    for (int k = 0; k < 3; k++) grid->count[k] = 1;
    if (!c) return 1;
    if (sap_check_config(&c->sap) != SAP_OK || c->entries < 0) return 0;
    sap__axes_used(c->sap.axes ? c->sap.axes : 7, used);
    for (int k = 0; k < 3; k++) has_bounds |= used[k] && (sap__key(c->bounds.min[k]) | sap__key(c->bounds.max[k])) != 0;
    for (int k = 0; k < 3; k++) {
        const float min = c->bounds.min[k], max = c->bounds.max[k], size = c->cell_size[k];
        const int is_cut = has_bounds && c->cells[k] > 1;
        if (!used[k]) continue;
        if (c->cells[k] < 0 || !sap__is_number(size) || sap__key(size) < 0) return 0;
        if (has_bounds && (!sap__is_number(min) || !sap__is_number(max) || sap__key(min) > sap__key(max))) return 0;
        if (is_cut && (!sap__is_finite(min) || !sap__is_finite(max) || sap__key(min) == sap__key(max))) return 0;
        if (!(c->hashed ? sap__is_finite(size) && sap__key(size) > 0 : is_cut)) continue;
        grid->is_given = 1;
        grid->size[k] = c->hashed ? sap__double(size) : (sap__double(max) - sap__double(min)) / c->cells[k];
        grid->origin[k] = c->hashed ? 0 : sap__double(min);
        grid->count[k] = c->hashed ? 1 : c->cells[k];
    }
    /* entries are divided among the divided axes as evenly as powers of two can be */
    for (int k = 0, left = c->entries ? c->entries : SAP__ENTRIES; left > 1 && c->hashed && grid->is_given;
         k = (k + 1) % 3)
        if (grid->size[k] > 0) grid->count[k] *= 2, left /= 2;
    for (int k = 0; k < 3; k++) { /* cells are made longer until their numbers have 20 bits */
        for (; grid->count[k] > SAP__MAX_CELLS_ON_AXIS; grid->count[k] = grid->count[k] / 2 + (grid->count[k] & 1))
            grid->size[k] *= 2;
        grid->cells_per_unit[k] = sap__inverse(grid->size[k]);
    }
    return 1;
}

/* Returns the place of a bound. It is monotone, so two boxes that overlap have a place in common on each axis. It is
   not inlined, so that every call rounds alike. */
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

/* Writes the range of a slot without a box: it touches no cell. */
static void sap__clear_range(sap__cell_range *r) {
    for (int k = 0; k < 3; k++) r->lo[k] = 0, r->hi[k] = -1;
}

/* Returns the number of the cell at a place. */
SAP__FORCE_INLINE uint32_t sap__wrap(int32_t place, int32_t count) {
    if ((count & (count - 1)) == 0) return (uint32_t)place & (uint32_t)(count - 1);
    place %= count;
    return (uint32_t)(place < 0 ? place + count : place);
}

/* Returns the number of cells that a range touches on an axis. */
SAP__FORCE_INLINE int32_t sap__touched_on(const sap__grid *g, const sap__cell_range *r, int k) {
    const int32_t n = r->hi[k] - r->lo[k] + 1;
    return n < g->count[k] ? n : g->count[k];
}

SAP__FORCE_INLINE int sap__is_large(const sap__grid *g, const sap__cell_range *r) {
    return sap__touched_on(g, r, 0) > 2 || sap__touched_on(g, r, 1) > 2 || sap__touched_on(g, r, 2) > 2;
}

/* Returns whether the box of a range is in this cell. */
SAP__FORCE_INLINE int sap__touches(const sap__grid *g, const sap__cell_range *r, const uint32_t at[3]) {
    if (at[0] == SAP__AT_LARGE || sap__is_large(g, r)) return at[0] == SAP__AT_LARGE && sap__is_large(g, r);
    for (int k = 0; k < 3; k++) {
        int32_t ahead = (int32_t)at[k] - (int32_t)sap__wrap(r->lo[k], g->count[k]);
        if (ahead < 0) ahead += g->count[k];
        if (ahead >= sap__touched_on(g, r, k)) return 0;
    }
    return 1;
}

/* Writes the number of cell i, of eight, that the box of a range is in. Returns 0 if there is none: on each axis a box
   touches no more than two cells. A large box is in the cell of large boxes alone. */
SAP__FORCE_INLINE int sap__cell_of(const sap__grid *g, const sap__cell_range *r, int i, uint32_t at[3]) {
    if (sap__is_large(g, r)) {
        memcpy(at, sap__at_large, sizeof sap__at_large);
        return i == 0;
    }
    for (int k = 0; k < 3; k++) {
        if ((i >> k & 1) >= sap__touched_on(g, r, k)) return 0;
        at[k] = sap__wrap(r->lo[k] + (i >> k & 1), g->count[k]);
    }
    return 1;
}

/* Returns whether this cell owns the pair of x and y. The owner cell is the lowest on each axis that both boxes touch.
   That is the larger of their two lowest places, wrapped after the comparison. The cell of large boxes owns all pairs
   in it. A small and a large box meet in a cell of the small one. */
SAP__FORCE_INLINE int sap__is_owner_at(const sap__grid *g, const uint32_t at[3], const sap__cell_range *x,
                                       const sap__cell_range *y) {
    if (at[0] == SAP__AT_LARGE) return 1;
    for (int k = 0; k < 3; k++) {
        const int32_t lo = x->lo[k] > y->lo[k] ? x->lo[k] : y->lo[k];
        if (sap__wrap(lo, g->count[k]) != at[k]) return 0;
    }
    return 1;
}

static int sap__is_owner(const void *grid, const sap__sap *p, uint32_t a, uint32_t b) {
    const sap__cells *g = (const sap__cells *)grid;
    const sap__cell *c = (const sap__cell *)(const void *)p;
    return sap__is_owner_at(&g->grid, c->at, &g->range[a], &g->range[b]);
}

/* ====================================================================================================== */
/* >> choose: how long the cells are                                                                        */
/* ====================================================================================================== */

/* Cells are chosen by what an update takes if all boxes move a little. A sample of the boxes says it for cells of the
   given length, or of a few median boxes, and for cells twice, four times, ... as long. If one SAP, which divides no
   axis, takes least, it is chosen. A given grid is kept as long as few boxes are longer than its cells.

   The unit is an end that is read. On each axis the sample says how many boxes begin near a box in one SAP, and how
   many in its cell: a part of them passes it. Near is within half of a reach, which is four median boxes, or the
   distance of neighbours if that is more. In longer cells there are more boxes; in shorter ones there are more copies
   of a box, and more boxes are large. */
enum {
    SAP__CELL_SAMPLE = 512, /* boxes that cells are chosen from */
    SAP__NEAR_TO_PASS = 32, /* one of 32 boxes that begin near a box passes it in an update */
    SAP__BOX_COST = 5,      /* a box takes as long as 5 ends to find its cells */
    SAP__CELL_COST = 20,    /* a cell takes as long as 20 ends */
    SAP__FEW_LARGE = 4      /* a given grid is kept with at most four large boxes */
};

typedef struct sap__choice {
    sap__grid grid;
    double reach[3], spread[3]; /* on each axis: see above; the length in which seven eighths of the boxes begin */
    double large, covers;       /* boxes that are large in the grid; the sum of the parts of space that these cover */
    int n;                      /* boxes in the sample */
    uint32_t sample[SAP__CELL_SAMPLE]; /* their slots */
} sap__choice;

/* Writes the slots of a sample of the boxes. */
static void sap__sample_slots(const sap_world *s, sap__choice *c) {
    const uint32_t all = (uint32_t)sap__length(s->slot_array);
    const int live = s->boxes.live_count, is_part = live > 2 * SAP__CELL_SAMPLE;
    uint32_t slot = 0;
    c->n = 0;
    for (uint32_t i = 0; i < 2 * SAP__CELL_SAMPLE && c->n < SAP__CELL_SAMPLE; i++, slot++) {
        if (is_part) slot = (uint32_t)((uint64_t)(i * 2654435761u) * all >> 32);
        slot = sap__next_live(s, slot);
        if (slot == SAP__NONE && !is_part) return;
        if (slot != SAP__NONE) c->sample[c->n++] = slot;
    }
}

/* Returns the length of a box on an axis: of one without an end a number that is larger than any other. */
static double sap__length_on(const sap__box *box, int k) {
    return sap__wide(box->hi[k]) - sap__wide(box->lo[k]);
}

/* Returns the value of an endpoint. */
static double sap__endpoint_value(uint64_t endpoint) {
    return sap__wide((int32_t)((uint32_t)(endpoint >> 32) ^ 0x80000000u));
}

/* Sorts the lengths of the boxes of a sample on an axis, or their mins, as endpoints in sort_items. */
static void sap__sort_sample(sap_world *s, const sap__choice *c, int k, int of_mins) {
    for (int i = 0; i < c->n; i++) {
        const sap__box *box = &s->slot_array[c->sample[i]].box;
        const double length = sap__length_on(box, k);
        const int32_t key = of_mins ? box->lo[k] : sap__key((float)(length > 3e38 ? 3e38 : length));
        s->update.sort_items[i] = sap__endpoint(key, 0, (uint32_t)i);
    }
    sap__sort(s->update.sort_items, s->update.sort_scratch, c->n, 32);
}

/* Returns a quantile, in sixteenths, of the sample that is sorted in sort_items. */
static double sap__quantile(const sap_world *s, const sap__choice *c, int sixteenths) {
    return sap__endpoint_value(s->update.sort_items[(c->n - 1) * sixteenths / 16]);
}

/* Returns the average number of other boxes of the world that begin in the same cell as a box, or near it, from the
   number of such pairs in the sample. */
static double sap__boxes_beside(const sap_world *s, const sap__choice *c, double pairs) {
    return 2 * pairs / c->n * (s->boxes.live_count - 1) / (c->n - 1);
}

/* Measures the boxes on an axis, and begins with the shortest cells. Returns the number of boxes that begin near a
   box. */
static double sap__measure_axis(sap_world *s, const sap__cells *g, sap__choice *c, int k) {
    const uint64_t *items = s->update.sort_items;
    const int axes = sap__count_bits((uint32_t)s->config.axes);
    double pairs = 0, on_axis = 1;
    sap__sort_sample(s, c, k, 0);
    const double length = 4 * sap__quantile(s, c, 8);
    sap__sort_sample(s, c, k, 1);
    c->spread[k] = sap__quantile(s, c, 15) - sap__quantile(s, c, 1);
    for (double all = 1; all < s->boxes.live_count; all *= 1 << axes) on_axis *= 2;
    c->reach[k] = length > c->spread[k] / on_axis ? length : c->spread[k] / on_axis;
    if (!g->given.is_given) {
        c->grid.origin[k] = sap__quantile(s, c, 8);
        c->grid.size[k] = length;
    }
    if (c->grid.size[k] < c->spread[k] / s->boxes.live_count) c->grid.size[k] = c->spread[k] / s->boxes.live_count;
    if (!g->given.is_given || g->given.count[k] > 1) c->grid.count[k] = SAP__MAX_CELLS_ON_AXIS;
    for (int i = 0, first = 0; i < c->n; i++) {
        while (sap__endpoint_value(items[i]) - sap__endpoint_value(items[first]) > c->reach[k] / 2) first++;
        pairs += i - first;
    }
    return sap__boxes_beside(s, c, pairs);
}

/* Counts the boxes that are large in the grid: only a box that is longer than a cell is. */
static void sap__count_large(const sap_world *s, sap__choice *c) {
    c->large = c->covers = 0;
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++) {
        double covers = 1;
        int is_large = 0;
        for (int k = 0; k < 3; k++) {
            const double length = sap__length_on(&s->slot_array[slot].box, k);
            is_large |= c->grid.count[k] > 1 && length > c->grid.size[k];
            if (length + c->grid.size[k] < c->spread[k])
                covers *= (length + c->grid.size[k]) * sap__inverse(c->spread[k]);
        }
        c->large += is_large;
        c->covers += is_large ? covers : 0;
    }
}

/* Returns the average number of other boxes that begin in the cell of a box, and the average number of cells that a box
   is in. */
static double sap__count_neighbours(sap_world *s, const sap__choice *c, double *copies) {
    uint64_t *items = s->update.sort_items;
    double pairs = 0;
    *copies = 0;
    for (int i = 0; i < c->n; i++) {
        const sap__box *box = &s->slot_array[c->sample[i]].box;
        uint32_t hash = 0;
        double cells = 1;
        for (int k = 0; k < 3; k++) {
            if (c->grid.count[k] < 2) continue;
            const double length = sap__length_on(box, k);
            hash = (hash ^ (uint32_t)sap__grid_place(&c->grid, k, box->lo[k])) * 2654435761u;
            hash ^= hash >> 15;
            cells *= length > c->grid.size[k] ? 0 : 1 + length * c->grid.cells_per_unit[k];
        }
        items[i] = sap__item(hash, (uint32_t)i);
        *copies += (cells > 0 ? cells : 1) / c->n;
    }
    sap__sort(items, s->update.sort_scratch, c->n, 32);
    for (int i = 0, first = 0; i < c->n; i++) {
        if ((items[i] ^ items[first]) >> 32) first = i;
        pairs += i - first;
    }
    return sap__boxes_beside(s, c, pairs);
}

/* Returns what an update takes for each box in a grid, and the part of it that grows with the cells. */
static double sap__cost_of_cells(sap_world *s, const sap__choice *c, double *grows) {
    double copies, ends = 0, reaches = 0;
    const double beside = sap__count_neighbours(s, c, &copies) * copies;
    for (int k = 0; k < 3; k++) {
        if (!s->used[k]) continue;
        const double size = c->grid.count[k] > 1 ? c->grid.size[k] : c->spread[k];
        ends += 2;
        reaches += c->reach[k] < size || c->grid.count[k] > 1 ? c->reach[k] * sap__inverse(size) : 1;
    }
    *grows = (double)SAP__BOX_COST + ends + copies * reaches * beside / (double)SAP__NEAR_TO_PASS;
    return *grows + (copies - 1) * ends + copies * (((double)SAP__CELL_COST + c->large) / (beside + 1) + c->covers);
}

/* Chooses the grid for the boxes as they are now. The caller has reserved scratch for the sample. */
static void sap__choose_cells(sap_world *s, const sap__cells *g, sap__grid *chosen) {
    sap__choice c;
    double least = 0, grows = 0;
    memset(&c, 0, sizeof c);
    c.grid = *chosen = g->given;
    if (g->given.is_given) sap__count_large(s, &c);
    if (g->given.is_given && c.large <= (double)SAP__FEW_LARGE) return;
    memset(chosen, 0, sizeof *chosen);
    for (int k = 0; k < 3; k++) chosen->count[k] = 1;
    sap__sample_slots(s, &c);
    if (c.n < 8) return;
    for (int k = 0; k < 3; k++) /* one SAP is preferred, as boxes may move less */
        if (s->used[k]) least += 2 + sap__measure_axis(s, g, &c, k) / (2 * (double)SAP__NEAR_TO_PASS);
    for (int is_divided = 1; is_divided && grows < least;) {
        is_divided = 0;
        for (int k = 0; k < 3; k++) {
            if (!(c.spread[k] > 2 * c.grid.size[k])) c.grid.count[k] = 1;
            c.grid.cells_per_unit[k] = sap__inverse(c.grid.size[k]);
            is_divided |= c.grid.count[k] > 1;
        }
        sap__count_large(s, &c);
        const double cost = sap__cost_of_cells(s, &c, &grows);
        if (is_divided && cost < least) {
            least = cost;
            *chosen = c.grid;
        }
        for (int k = 0; k < 3; k++) c.grid.size[k] *= 2;
    }
}

/* Chooses the grid when the cells are built again. It also looks for a better one if the number of boxes has more than
   quadrupled, or fallen below a quarter, or after 16 changes for each box. Returns whether the cells are to be built
   again. */
static int sap__choose_grid(sap_world *s, sap__cells *g, int is_new) {
    const long long live = s->boxes.live_count, chosen = g->live_when_chosen;
    sap__grid grid;
    g->changes_since += sap__length(s->changes.list);
    if (!is_new && live <= 4 * chosen + 64 && chosen <= 4 * live + 64 && g->changes_since < 16 * live) return 0;
    sap__choose_cells(s, g, &grid);
    g->live_when_chosen = s->boxes.live_count;
    g->changes_since = 0;
    for (int k = 0; k < 3; k++) {
        const double was = g->grid.size[k], now = grid.size[k];
        is_new |= grid.count[k] != g->grid.count[k] || (grid.count[k] > 1 && (now > 3 * was || was > 3 * now));
    }
    if (is_new) g->grid = grid;
    return is_new;
}

/* ====================================================================================================== */
/* >> cells: the table of cells, the pool, and the memory of their arrays                                   */
/* ====================================================================================================== */

SAP__FORCE_INLINE uint32_t *sap__bucket_of_cell(const sap__cells *g, const uint32_t at[3]) {
    return sap__bucket(g->buckets, (uint64_t)at[0] | (uint64_t)at[1] << 20 | (uint64_t)at[2] << 40);
}

/* Returns the index of a cell, or SAP__NONE if it holds no box. */
SAP__FORCE_INLINE uint32_t sap__find_cell(const sap__cells *g, const uint32_t at[3]) {
    uint32_t cell = sap__length(g->buckets) ? *sap__bucket_of_cell(g, at) : SAP__NONE;
    while (cell != SAP__NONE && memcmp(g->cells[cell].at, at, sizeof g->cells->at) != 0) cell = g->cells[cell].next;
    return cell;
}

static void sap__insert_cell(sap__cells *g, uint32_t cell) {
    uint32_t *bucket = sap__bucket_of_cell(g, g->cells[cell].at);
    g->cells[cell].next = *bucket;
    *bucket = cell;
}

static int sap__grow_buckets(sap__cells *g) {
    const int n = 2 * sap__length(g->cells) + 64;
    if (!sap__reserve(&g->buckets, n)) return 0;
    sap__set_length(g->buckets, n);
    memset(g->buckets, 0xff, (size_t)n * sizeof *g->buckets);
    for (uint32_t i = 0; i < (uint32_t)sap__length(g->cells); i++)
        if (g->cells[i].sap.count) sap__insert_cell(g, i);
    return 1;
}

/* Returns a cell without arrays, for boxes that enter it: one from the pool or a new one. Returns SAP__NONE without
   memory. */
static uint32_t sap__make_cell(sap__cells *g, const uint32_t at[3]) {
    uint32_t cell = g->first_free;
    if (cell == SAP__NONE) {
        cell = (uint32_t)sap__length(g->cells);
        if (!sap__reserve(&g->cells, cell + 1) || !sap__reserve(&g->listed, cell + 1)) return SAP__NONE;
        if (cell >= (uint32_t)sap__length(g->buckets) && !sap__grow_buckets(g)) return SAP__NONE;
        sap__set_length(g->cells, cell + 1);
    } else
        g->first_free = g->cells[cell].next;
    sap__cell *c = &g->cells[cell];
    memset(c, 0, sizeof *c);
    memcpy(c->at, at, sizeof c->at);
    c->sap.count = 2;
    for (int k = 0; k < 3; k++) c->sap.sorted[k] = (uint64_t *)(uintptr_t)sap__sentinels; /* it has no room yet */
    sap__insert_cell(g, cell);
    g->occupied++;
    return cell;
}

/* Puts an empty cell into the pool. */
static void sap__drop_cell(sap__cells *g, uint32_t cell) {
    sap__cell *c = &g->cells[cell];
    uint32_t *link = sap__bucket_of_cell(g, c->at);
    while (*link != cell) link = &g->cells[*link].next;
    *link = c->next;
    memset(c, 0, sizeof *c);
    c->next = g->first_free;
    g->first_free = cell;
    g->occupied--;
}

/* Removes all cells; their memory stays. */
static void sap__clear_cells(sap__cells *g) {
    sap__set_length(g->cells, 0);
    sap__set_length(g->operations, 0);
    sap__set_length(g->listed, 0);
    g->end = 0;
    for (int i = 0; i < sap__length(g->buckets); i++) g->buckets[i] = SAP__NONE;
    g->first_free = SAP__NONE;
    g->occupied = 0;
    g->copies = 0;
    for (int i = 0; i < sap__length(g->range); i++) sap__clear_range(&g->range[i]);
}

/* Removes all cells and frees their memory. */
static void sap__free_cells(sap__cells *g) {
#define SAP__FREE_OF_CELLS(a) sap__free_array(&g->a), g->a = NULL;
    SAP__CELLS_ARRAYS(SAP__FREE_OF_CELLS)
    g->room = 0;
    sap__clear_cells(g);
}

/* Returns the number of endpoints on an axis that a cell needs room for in this update: boxes leave before others
   enter. */
static int sap__planned_count(const sap__cell *c) {
    const int planned = c->sap.count + 2 * (c->waiting[SAP__ENTER] - c->waiting[SAP__LEAVE]);
    return planned > c->sap.count ? planned : c->sap.count;
}

/* Returns the room that sap_multi_reserve promised, with the sentinels of all cells entered so far. */
static long long sap__promised_room(const sap_world *s, const sap__cells *g) {
    return s->update.is_reserved ? g->reserved + 2LL * sap__length(g->cells) : 0;
}

/* Lays out the arenas again, by way of sort_items. They grow if the cells need more, or to what is promised. If there
   is room, a cell gets half more than it needs. Returns 0 on failure. */
static int sap__lay_out(sap_world *s, sap__cells *g) {
    const int cells = sap__length(g->cells);
    long long needed = 0, room = sap__promised_room(s, g);
    for (int i = 0; i < cells; i++) needed += sap__planned_count(&g->cells[i]);
    if (room < needed) room = s->update.is_reserved || needed > INT_MAX / 2 ? needed : 2 * needed;
    if (room > INT_MAX) return sap__fail(s, SAP_ERROR_LIMIT);
    if (room < g->room) room = g->room;
    if (!sap__reserve(&s->update.sort_items, room)) return sap__fail(s, SAP_ERROR_MEMORY);
    for (int k = 0; k < 3; k++) {
        uint64_t *item = s->update.sort_items;
        if (!s->used[k]) continue;
        for (int i = 0; i < cells; i++)
            for (int j = 0; j < g->cells[i].sap.count; j++) *item++ = g->cells[i].sap.sorted[k][j];
        if (!sap__reserve(&g->arena[k], room)) {
            g->room = s->endpoints.valid = 0; /* other axes are laid out: the cells are to be built again */
            return sap__fail(s, SAP_ERROR_MEMORY);
        }
        item = s->update.sort_items;
        g->end = 0;
        for (int i = 0; i < cells; i++) {
            sap__sap *sap = &g->cells[i].sap;
            sap->sorted[k] = g->arena[k] + g->end;
            for (int j = 0; j < sap->count; j++) sap->sorted[k][j] = *item++;
            sap->capacity = sap__planned_count(&g->cells[i]);
            if (room >= 2 * needed) sap->capacity += sap->capacity / 2;
            g->end += sap->capacity;
        }
    }
    g->room = (int)room;
    return 1;
}

/* Gives all listed cells room for the boxes that enter. A cell that needs more moves to the end of the arenas:

       a | b | hole | c | a, larger | room

   If there is no room at the end, the arenas are laid out again. Returns 0 on failure. */
static int sap__give_room(sap_world *s, sap__cells *g) {
    if (g->room < sap__promised_room(s, g)) return sap__lay_out(s, g);
    for (int i = 0; i < sap__length(g->listed); i++) {
        sap__cell *c = &g->cells[g->listed[i]];
        const int count = sap__planned_count(c), capacity = count + count / 2;
        if (count <= c->sap.capacity) continue;
        if (g->end + (long long)capacity > g->room) return sap__lay_out(s, g);
        for (int k = 0; k < 3; k++) {
            if (!s->used[k]) continue;
            memcpy(g->arena[k] + g->end, c->sap.sorted[k], (size_t)c->sap.count * sizeof **g->arena);
            c->sap.sorted[k] = g->arena[k] + g->end;
        }
        c->sap.capacity = capacity;
        g->end += capacity;
    }
    return 1;
}

/* Returns whether the arrays are far larger than needed, because most boxes have left. Reserved memory stays. */
static int sap__is_wasteful(const sap_world *s, const sap__cells *g) {
    if (s->update.is_reserved) return 0;
    return g->room > 12 * (g->copies + g->occupied) + 16384 || sap__capacity(g->cells) > 4 * g->occupied + 1024;
}

/* ====================================================================================================== */
/* >> plan: what each cell has to do (Terdiman II.3c)                                                       */
/* ====================================================================================================== */

/* An update of the grid goes this way:

       plan     The calling thread puts changed boxes into the queues of cells: crossed boxes leave some cells and
                enter others, the rest move within their cells. All memory but that of created pairs is reserved
       update   runs on threads, cell by cell. A cell removes the boxes that leave (I.5b), moves those that move by the
                rules (I.3), merges in those that enter (I.4b), and prunes these with all its boxes (I.4c). A box
                enters after the sort, so no rule sees it
       meet     runs on threads, if there are large boxes: in each cell they are tested with its boxes, unless neither
                has changed

   Every end in every cell is read if more than one box in eight changed; else only cells with something in a queue are
   visited, and those that a changed large box touches. If more than half of the boxes crossed, the cells are built
   again from nothing, and every box enters. A new pair filter does that, too. */

static void sap__list_cell(sap__cells *g, uint32_t cell) {
    if (g->cells[cell].is_listed) return;
    g->cells[cell].is_listed = 1;
    sap__push(g->listed, cell);
}

static int sap__push_operation(sap__cells *g, uint32_t cell, int queue, uint32_t slot) {
    sap__cell *c = &g->cells[cell];
    const int n = sap__length(g->operations);
    if (!sap__reserve(&g->operations, n + 1)) return 0;
    sap__push(g->operations, sap__item(c->last[queue], slot));
    c->last[queue] = (uint32_t)n;
    c->waiting[queue]++;
    sap__list_cell(g, cell);
    return 1;
}

/* Plans the box of a slot as it is now. A cell of its old or new range gets an operation if the box leaves it, enters
   it, moves in it, or is pruned there again. Adds up crossed boxes. Returns 0 without memory. */
static int sap__plan_box(sap_world *s, sap__cells *g, uint32_t slot, int *crossed) {
    const sap__slot *of = &s->slot_array[slot];
    const sap__cell_range was = g->range[slot];
    const int moves = !g->all_move && !sap__same(&of->box, &of->previous);
    const int prunes_again = (of->flags & SAP__REFILTER) != 0;
    sap__cell_range now;
    uint32_t at[3];
    sap__clear_range(&now);
    if (of->flags & SAP__LIVE) sap__find_range(&g->grid, &of->box, &now);
    const int crosses = prunes_again || memcmp(&now, &was, sizeof now) != 0;
    if (!crosses && !moves) return 1;
    *crossed += crosses;
    g->range[slot] = now;
    for (int i = 0; i < 8 && crosses; i++) {
        if (!sap__cell_of(&g->grid, &was, i, at)) continue;
        g->copies--;
        if (sap__touches(&g->grid, &now, at)) continue;
        if (!sap__push_operation(g, sap__find_cell(g, at), SAP__LEAVE, slot)) return 0;
    }
    for (int i = 0; i < 8; i++) {
        if (!sap__cell_of(&g->grid, &now, i, at)) continue;
        g->copies += crosses;
        const int stays = !crosses || sap__touches(&g->grid, &was, at);
        if (stays && !moves && !prunes_again) continue;
        uint32_t cell = sap__find_cell(g, at);
        if (cell == SAP__NONE) cell = sap__make_cell(g, at);
        if (cell == SAP__NONE) return 0;
        if (!stays && !sap__push_operation(g, cell, SAP__ENTER, slot)) return 0;
        if (stays && moves && !sap__push_operation(g, cell, SAP__MOVE, slot)) return 0;
        if (stays && prunes_again && !sap__push_operation(g, cell, SAP__PRUNE_AGAIN, slot)) return 0;
    }
    return 1;
}

/* Returns whether a cell holds boxes, and a box overlaps the space from the first end to the last on each axis. */
static int sap__overlaps_cell(const sap_world *s, const sap__cell *c, const sap__box *box) {
    if (c->sap.count <= 2) return 0;
    for (int k = 0; k < 3; k++) {
        const uint64_t *ends = c->sap.sorted[k];
        if (!s->used[k]) continue;
        if (sap__endpoint(box->lo[k], 0, 0) > ends[c->sap.count - 2]) return 0;
        if (sap__endpoint(box->hi[k], 1, 0x7fffffff) < ends[1]) return 0;
    }
    return 1;
}

/* Reserves a range for each slot. Returns 0 without memory. */
static int sap__reserve_ranges(const sap_world *s, sap__cells *g) {
    const int slot_count = sap__length(s->slot_array);
    if (!sap__reserve(&g->range, slot_count)) return 0;
    for (int i = sap__length(g->range); i < slot_count; i++) sap__clear_range(&g->range[i]);
    sap__set_length(g->range, slot_count);
    return 1;
}

/* Plans all boxes as they are now: each enters its cells, which are emptied. Returns 0 without memory. */
static int sap__plan_all(sap_world *s, sap__cells *g) {
    int crossed = 0;
    g->all_move = 0;
    if (sap__is_wasteful(s, g)) sap__free_cells(g);
    sap__clear_cells(g);
    if (!sap__reserve_ranges(s, g)) return 0;
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++)
        if (!sap__plan_box(s, g, slot, &crossed)) return 0;
    return 1;
}

/* Plans all changed boxes, or all boxes if more than half of them cross. Returns 0 without memory. */
static int sap__plan_changes(sap_world *s, sap__cells *g) {
    const int n = sap__length(s->changes.list), boxes = s->boxes.live_count + s->boxes.removed.count;
    const uint32_t *list = s->changes.list;
    const int may_cross = s->changes.flags || g->grid.count[0] > 1 || g->grid.count[1] > 1 || g->grid.count[2] > 1;
    int crossed = 0;
    for (int i = 0; i < n && (may_cross || !g->all_move); i++) {
        if (!sap__plan_box(s, g, list[i], &crossed)) return 0;
        if (2LL * crossed > boxes) return sap__plan_all(s, g);
    }
    const uint32_t cells = (uint32_t)sap__length(g->cells);
    for (int i = 0; i < n && !g->all_move; i++) /* a large box may meet boxes that did not change */
        for (uint32_t cell = 0; cell < cells && sap__is_large(&g->grid, &g->range[list[i]]); cell++)
            if (sap__overlaps_cell(s, &g->cells[cell], &s->slot_array[list[i]].box)) sap__list_cell(g, cell);
    for (uint32_t cell = 0; cell < cells && g->all_move; cell++)
        if (g->cells[cell].sap.count) sap__list_cell(g, cell);
    return 1;
}

/* Reserves scratch for each listed cell, for the boxes of its largest step: remove, move, insert or prune. Returns 0
   without memory. */
static int sap__reserve_steps(sap_world *s, sap__cells *g) {
    long long ends = 0;
    for (int i = 0; i < sap__length(g->listed); i++) {
        sap__cell *c = &g->cells[g->listed[i]];
        const int32_t *n = c->waiting, entering = n[SAP__ENTER] + n[SAP__PRUNE_AGAIN];
        const int32_t going = n[SAP__LEAVE] > n[SAP__MOVE] ? n[SAP__LEAVE] : n[SAP__MOVE];
        c->scratch = (size_t)ends;
        ends += 2 * (entering > going ? entering : going);
    }
    return sap__reserve_scratch(s, ends);
}

/* ====================================================================================================== */
/* >> update: the work of a cell                                                                            */
/* ====================================================================================================== */

/* Tests box x with the boxes whose mins are in [at, end) and not above its max, unless neither has changed. Most
   overlap as before: they are no new pairs, unless a filter has changed. New pairs that this cell owns go to the
   search. Returns 0 on failure. */
SAP__FORCE_INLINE int sap__prune_ahead(sap__search *q, const sap__cells *g, const sap__cell *c, uint32_t x,
                                       const uint64_t *at, const uint64_t *end) {
    const sap__slot *a = &q->s->slot_array[x];
    const uint64_t max = sap__endpoint(a->box.hi[c->axis], 1, x);
    for (; at < end && *at < max; at++) {
        const uint32_t y = sap__endpoint_slot(*at);
        const sap__slot *b = &q->s->slot_array[y];
        if (sap__endpoint_is_max(*at) || !((a->flags | b->flags) & SAP__CHANGED)) continue;
        q->task->tests++;
        if (!sap__overlap(&a->box, &b->box)) continue;
        if (!((a->flags | b->flags) & SAP__REFILTER) && sap__overlap(&a->previous, &b->previous)) continue;
        if (!sap__is_owner_at(&g->grid, c->at, &g->range[x], &g->range[y])) continue;
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
        if (!sap__prune_ahead(q, g, c, sap__endpoint_slot(ends[i]), at, end)) return 0;
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

/* Appends the slots of a queue of this cell to n items. Returns the new n. */
static int sap__list_queue(sap__sort_state *u, int queue, int n) {
    const sap__cells *g = (const sap__cells *)u->s->grid->grid;
    const sap__cell *c = (const sap__cell *)(const void *)u->sap;
    uint64_t *items = u->items;
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
    const int boxes = c->sap.count / 2 - 1, entering = c->waiting[SAP__ENTER] + c->waiting[SAP__PRUNE_AGAIN];
    const int all_move = g->all_move || SAP__FEW_MOVERS * c->waiting[SAP__MOVE] > boxes;
    int ok = sap__update_sap(u, sap__list_queue, all_move);
    if (!ok) return 0;
    if (entering) c->axis = sap__widest_axis(s, &c->sap);
    if (entering && !u->task->overflowed) {
        const int n = sap__list_queue(u, SAP__PRUNE_AGAIN, sap__list_queue(u, SAP__ENTER, 0));
        u->axis = c->axis;
        for (int i = 0; i < n; i++) {
            const uint32_t slot = (uint32_t)u->items[i];
            u->items[i] = sap__endpoint(s->slot_array[slot].box.lo[u->axis], 0, slot);
        }
        sap__sort(u->items, u->scratch, n, 0);
        ok = sap__prune_cell(q, g, c, u->items, n);
    }
    memset(c->waiting, 0, sizeof c->waiting);
    c->is_listed = 0;
    return ok || s->threads.in_parallel;
}

/* A task updates its part of the listed cells. On threads it cannot allocate: if it finds more pairs than it has memory
   for, it goes on without pruning. It then runs once more, on the calling thread, and prunes all boxes of its cells. */
static void sap__update_cells_task(sap_world *s, void *args, int task, int tasks) {
    sap__cells *g = (sap__cells *)args;
    const int n = sap__length(g->listed), end = sap__task_begin(n, task + 1, tasks);
    const int prunes_all = s->update.task[task].overflowed && !s->threads.in_parallel;
    sap__search q;
    sap__sort_state u;
    sap__begin_search(&q, s, task, 0);
    q.on_pairs = sap__emit_events;
    u.s = s;
    u.task = q.task;
    for (int i = sap__task_begin(n, task, tasks); i < end; i++) {
        sap__cell *c = &g->cells[g->listed[i]];
        u.sap = &c->sap;
        u.items = s->update.sort_items + c->scratch;
        u.scratch = s->update.sort_scratch + c->scratch;
        if (!(prunes_all ? sap__prune_cell(&q, g, c, NULL, -1) : sap__update_cell(&u, &q, g, c))) return;
    }
}

/* A task tests the large boxes with the boxes of its part of the listed cells. */
static void sap__meet_task(sap_world *s, void *args, int task, int tasks) {
    const sap__cells *g = (const sap__cells *)args;
    const sap__cell *large = &g->cells[sap__find_cell(g, sap__at_large)];
    const int n = sap__length(g->listed), end = sap__task_begin(n, task + 1, tasks);
    sap__search q;
    sap__begin_search(&q, s, task, 0);
    q.on_pairs = sap__emit_events;
    for (int i = sap__task_begin(n, task, tasks); i < end; i++) {
        const sap__cell *c = &g->cells[g->listed[i]];
        const uint64_t *ends = c->sap.sorted[large->axis];
        for (const uint64_t *y = large->sap.sorted[large->axis] + 1; c != large && *y < ends[c->sap.count - 2]; y++) {
            const uint32_t slot = sap__endpoint_slot(*y);
            if (sap__endpoint_is_max(*y)) continue;
            q.task->tests++;
            if (!sap__overlaps_cell(s, c, &s->slot_array[slot].box)) continue;
            const uint64_t *mins = c->sap.sorted[c->axis];
            if (!sap__prune_ahead(&q, g, c, slot, mins + 1, mins + c->sap.count - 1)) return;
        }
    }
    (void)sap__flush(&q, 0);
}

/* ---- all of an update --------------------------------------------------------------------------------------- */

/* Updates all listed cells. Cells that became empty go into the pool. Then large boxes and the boxes of cells meet.
   Returns 0 on failure. */
static int sap__update_cells(sap_world *s, sap__cells *g) {
    const int n_changed = sap__length(s->changes.list), n_queued = sap__length(g->operations);
    const int work = n_changed > n_queued ? n_changed : n_queued;
    int n = 0;
    if (!sap__run_search(s, sap__update_cells_task, g, work)) return 0;
    for (int i = 0; i < sap__length(g->listed); i++) {
        const uint32_t cell = g->listed[i];
        if (g->cells[cell].sap.count == 2)
            sap__drop_cell(g, cell);
        else
            g->listed[n++] = cell;
    }
    sap__set_length(g->listed, n);
    return sap__find_cell(g, sap__at_large) == SAP__NONE || sap__run_search(s, sap__meet_task, g, work);
}

/* Chooses the grid, and plans for it. Returns 0 without memory. */
static int sap__plan(sap_world *s, sap__cells *g) {
    sap__set_length(g->operations, 0);
    sap__set_length(g->listed, 0);
    if (!sap__reserve_ranges(s, g) || !sap__reserve_scratch(s, SAP__CELL_SAMPLE)) return 0;
    if (sap__choose_grid(s, g, !s->endpoints.valid || sap__is_wasteful(s, g))) return sap__plan_all(s, g);
    g->all_move = SAP__PRUNE_PART * (long long)sap__length(s->changes.list) > s->boxes.live_count;
    return sap__plan_changes(s, g);
}

/* Finds the created pairs in all cells. The pair manager finds the deleted ones: a box that leaves a cell passes no
   ends there. Returns 0 on failure. */
static int sap__find_created_in_cells(sap_world *s, void *grid) {
    sap__cells *g = (sap__cells *)grid;
    s->update.failure = SAP_OK;
    if (s->changes.flags & SAP__REFILTER) sap__require_index(s, SAP__TABLE);
    if (!sap__plan(s, g)) return sap__fail(s, SAP_ERROR_MEMORY);
    if (!sap__give_room(s, g)) return 0;
    if (!sap__reserve_steps(s, g)) return sap__fail(s, SAP_ERROR_MEMORY);
    s->endpoints.valid = sap__update_cells(s, g);
    sap__add_counts(s);
    return s->endpoints.valid;
}

/* Reserves memory for this number of boxes, each in as many cells as it can touch. The number of cells is not known
   yet, so a cell that is entered for the first time may still allocate. Returns 0 on failure. */
static int sap__reserve_cells(sap_world *s, sap__cells *g, int boxes) {
    const int slot_count = sap__capacity(s->changes.list);
    const long long copies = (long long)boxes << sap__count_bits((uint32_t)s->config.axes);
    if (2 * copies > g->reserved) g->reserved = 2 * copies;
    if (!s->endpoints.valid) sap__clear_cells(g);
    return sap__reserve(&g->range, slot_count) && sap__reserve(&g->operations, 2 * copies) &&
           sap__reserve_scratch(s, 2 * copies + SAP__CELL_SAMPLE) && sap__lay_out(s, g);
}

/* ====================================================================================================== */
/* >> validate: every invariant of the grid, in one sentence each                                           */
/* ====================================================================================================== */

static const char *sap__validate_cell(const sap_world *s, const sap__cells *g, uint32_t i) {
    const sap__cell *c = &g->cells[i];
    const char *broken = sap__validate_sap(s, &c->sap);
    if (c->sap.count == 2) return "A cell in use holds boxes.";
    if (c->is_listed || c->waiting[0] || c->waiting[1] || c->waiting[2] || c->waiting[3])
        return "Nothing waits for a cell between updates.";
    if (sap__find_cell(g, c->at) != i) return "A cell in use is in the table.";
    for (int j = 1; j < c->sap.count - 1 && !broken; j++) {
        const uint32_t slot = sap__endpoint_slot(c->sap.sorted[c->axis][j]);
        if (slot >= (uint32_t)sap__length(g->range) || !sap__touches(&g->grid, &g->range[slot], c->at))
            return "A cell holds boxes that touch it, or the large ones.";
    }
    return broken;
}

static const char *sap__validate_cells(const sap_world *s, const sap__cells *g) {
    long long copies = 0, held = 0, room = 0;
    int in_use = 0, in_pool = 0;
    uint32_t free_cell = g->first_free;
    if (!s->endpoints.valid) return NULL;
    for (int slot = 0; slot < sap__length(s->slot_array); slot++) {
        sap__cell_range range;
        uint32_t at[3];
        sap__clear_range(&range);
        const sap__cell_range *r = slot < sap__length(g->range) ? &g->range[slot] : &range;
        if (sap__has_previous_box(s->slot_array[slot].flags))
            sap__find_range(&g->grid, &s->slot_array[slot].previous, &range);
        if (memcmp(r, &range, sizeof range) != 0) return "A range of cells is that of the box at the last update.";
        for (int i = 0; i < 8; i++) copies += sap__cell_of(&g->grid, r, i, at);
    }
    if (copies != g->copies) return "The boxes in all cells are counted.";
    for (uint32_t i = 0; i < (uint32_t)sap__length(g->cells); i++) {
        const char *broken = g->cells[i].sap.count ? sap__validate_cell(s, g, i) : NULL;
        if (broken) return broken;
        in_use += g->cells[i].sap.count > 0;
        held += g->cells[i].sap.count ? g->cells[i].sap.count / 2 - 1 : 0;
        room += g->cells[i].sap.capacity;
    }
    if (held != copies) return "A box is in each cell that it touches.";
    if (in_use != g->occupied) return "The cells in use are counted.";
    if (room > g->end || g->end > g->room) return "The arrays of cells are in the arena.";
    for (; free_cell != SAP__NONE && in_pool <= sap__length(g->cells); in_pool++) {
        if (free_cell >= (uint32_t)sap__length(g->cells) || g->cells[free_cell].sap.count)
            return "The pool holds cells that are not in use.";
        free_cell = g->cells[free_cell].next;
    }
    return in_pool == sap__length(g->cells) - in_use ? NULL : "A cell is in use or in the pool.";
}

/* ====================================================================================================== */
/* >> life                                                                                                  */
/* ====================================================================================================== */

SAP_DEF sap_result sap_multi_check_config(const sap_multi_config *config) {
    sap__grid grid;
    return sap__read_grid(config, &grid) ? SAP_OK : SAP_ERROR_ARGUMENT;
}

SAP_DEF sap_multi *sap_multi_create(const sap_multi_config *config) {
    sap__grid grid;
    sap_world *s = sap__read_grid(config, &grid) ? sap_create(config ? &config->sap : NULL) : NULL;
    sap_multi *m = s ? (sap_multi *)SAP_REALLOC(NULL, sizeof *m) : NULL;
    if (!m) {
        sap_destroy(s);
        return NULL;
    }
    memset(m, 0, sizeof *m);
    m->world = s;
    s->has_grid = 1;
    m->cells.given = grid;
    sap__clear_cells(&m->cells);
    s->threads.parallel_for = config ? config->parallel : NULL;
    s->threads.parallel_user = config ? config->parallel_user : NULL;
    s->threads.min_parallel_work = SAP__THREADS_FROM;
    return m;
}

SAP_DEF void sap_multi_destroy(sap_multi *m) {
    if (!m) return;
    const int is_busy = sap__is_busy(m->world);
    sap_destroy(m->world); /* a busy world sets the error, and does nothing else */
    if (is_busy) return;
    sap__free_cells(&m->cells);
    SAP_FREE(m);
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

/* Lends the grid to the world for one call. Between calls the world holds no address of this code, which may be
   reloaded. A call from a callback is rejected, and leaves the grid to the outer call. If the grid is not valid at the
   end, as when no box is left, its memory is freed, unless it was reserved. */
SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user) {
    if (!m) return -SAP_ERROR_ARGUMENT;
    const sap__grid_calls lent = {sap__find_created_in_cells, sap__is_owner, &m->cells}, *before = m->world->grid;
    m->world->grid = &lent;
    const int n = sap_dump_pairs(m->world, create, del, user);
    m->world->grid = before;
    if (!before && !m->world->endpoints.valid && !m->world->update.is_reserved) sap__free_cells(&m->cells);
    return n;
}

SAP_DEF sap_result sap_multi_update(sap_multi *m) {
    const int n = sap_multi_dump_pairs(m, NULL, NULL, NULL);
    return n < 0 ? (sap_result)-n : SAP_OK;
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

/* All other functions hand their arguments on to those of sap.h. A line has the result, the name, the type of the
   world, and the types of the other parameters, which the number counts. */
/* clang-format off */
typedef float sap__point[3];
typedef sap_id sap__axis_ids[3];
#define SAP__CALL_0(R, name, M) \
    SAP_DEF R sap_multi_##name(M *m) { return sap_##name(sap__world_of(m)); }
#define SAP__CALL_1(R, name, M, A) \
    SAP_DEF R sap_multi_##name(M *m, A a) { return sap_##name(sap__world_of(m), a); }
#define SAP__CALL_2(R, name, M, A, B) \
    SAP_DEF R sap_multi_##name(M *m, A a, B b) { return sap_##name(sap__world_of(m), a, b); }
#define SAP__CALL_3(R, name, M, A, B, C) \
    SAP_DEF R sap_multi_##name(M *m, A a, B b, C c) { return sap_##name(sap__world_of(m), a, b, c); }
#define SAP__CALL_4(R, name, M, A, B, C, D) \
    SAP_DEF R sap_multi_##name(M *m, A a, B b, C c, D d) { return sap_##name(sap__world_of(m), a, b, c, d); }
#define SAP__CALL_5(R, name, M, A, B, C, D, E) \
    SAP_DEF R sap_multi_##name(M *m, A a, B b, C c, D d, E e) { return sap_##name(sap__world_of(m), a, b, c, d, e); }
#define SAP__CALL_6(R, name, M, A, B, C, D, E, F) \
    SAP_DEF R sap_multi_##name(M *m, A a, B b, C c, D d, E e, F f) { \
        return sap_##name(sap__world_of(m), a, b, c, d, e, f); }
#define SAP__CALL_7(R, name, M, A, B, C, D, E, F, G) \
    SAP_DEF R sap_multi_##name(M *m, A a, B b, C c, D d, E e, F f, G g) { \
        return sap_##name(sap__world_of(m), a, b, c, d, e, f, g); }

SAP__CALL_2(sap_id, add, sap_multi, const sap_aabb *, void *)
SAP__CALL_2(sap_id, add_static, sap_multi, const sap_aabb *, void *)
SAP__CALL_2(sap_result, move, sap_multi, sap_id, const sap_aabb *)
SAP__CALL_1(sap_result, remove, sap_multi, sap_id)
SAP__CALL_4(sap_result, add_many, sap_multi, int, const sap_aabb *, void *const *, sap_id *)
SAP__CALL_4(sap_result, add_static_many, sap_multi, int, const sap_aabb *, void *const *, sap_id *)
SAP__CALL_3(sap_result, move_many, sap_multi, int, const sap_id *, const sap_aabb *)
SAP__CALL_2(sap_result, remove_many, sap_multi, int, const sap_id *)
SAP__CALL_3(sap_result, set_filter, sap_multi, sap_id, uint32_t, uint32_t)
SAP__CALL_4(sap_result, set_filter_many, sap_multi, int, const sap_id *, uint32_t, uint32_t)
SAP__CALL_1(sap_result, refilter, sap_multi, sap_id)
SAP__CALL_2(sap_result, set_pair_filter, sap_multi, sap_filter *, void *)
SAP__CALL_2(sap_result, set_static, sap_multi, sap_id, int)
SAP__CALL_2(sap_result, set_object, sap_multi, sap_id, void *)
SAP__CALL_0(sap_result, clear, sap_multi)
SAP__CALL_1(sap_result, shift_origin, sap_multi, const sap__point)
SAP__CALL_0(sap_result, last_error, const sap_multi)
SAP__CALL_1(const char *, last_error_argument, const sap_multi, int *)
SAP__CALL_1(const sap_pair *, created, const sap_multi, int *)
SAP__CALL_1(const sap_pair *, deleted, const sap_multi, int *)
SAP__CALL_1(const sap_pair *, pairs, const sap_multi, int *)
SAP__CALL_2(const sap_pair *, find_pair, const sap_multi, sap_id, sap_id)
SAP__CALL_3(sap_result, set_pair_data, sap_multi, sap_id, sap_id, void *)
SAP__CALL_2(sap_result, set_pair_data_at, sap_multi, int, void *)
SAP__CALL_3(int, pairs_of, const sap_multi, sap_id, sap_id *, int)
SAP__CALL_0(int, count, const sap_multi)
SAP__CALL_1(int, is_valid, const sap_multi, sap_id)
SAP__CALL_2(sap_result, get_box, const sap_multi, sap_id, sap_aabb *)
SAP__CALL_1(void *, get_object, const sap_multi, sap_id)
SAP__CALL_3(sap_result, get_filter, const sap_multi, sap_id, uint32_t *, uint32_t *)
SAP__CALL_1(int, is_static, const sap_multi, sap_id)
SAP__CALL_1(sap_id, next, const sap_multi, sap_id)
SAP__CALL_0(sap_result, prepare_queries, sap_multi)
SAP__CALL_4(int, query_box, sap_multi, const sap_aabb *, uint32_t, sap_hit *, void *)
SAP__CALL_4(int, query_point, sap_multi, const sap__point, uint32_t, sap_hit *, void *)
SAP__CALL_5(int, query_sphere, sap_multi, const sap__point, float, uint32_t, sap_hit *, void *)
SAP__CALL_5(int, ray_cast, sap_multi, const sap__point, const sap__point, uint32_t, sap_ray_hit *, void *)
SAP__CALL_5(int, box_cast, sap_multi, const sap_aabb *, const sap__point, uint32_t, sap_ray_hit *, void *)
SAP__CALL_4(sap_id, ray_closest, sap_multi, const sap__point, const sap__point, uint32_t, float *)
SAP__CALL_4(sap_id, nearest, sap_multi, const sap__point, float, uint32_t, float *)
SAP__CALL_4(sap_id, nearest_to, sap_multi, sap_id, float, uint32_t, float *)
SAP__CALL_5(int, query_nearest, sap_multi, const sap__point, float, uint32_t, sap_ray_hit *, void *)
SAP__CALL_4(int, query_box_ids, sap_multi, const sap_aabb *, uint32_t, sap_id *, int)
SAP__CALL_5(int, query_sphere_ids, sap_multi, const sap__point, float, uint32_t, sap_id *, int)
SAP__CALL_6(int, nearest_ids, sap_multi, const sap__point, float, uint32_t, sap_id *, float *, int)
SAP__CALL_6(int, nearest_to_ids, sap_multi, sap_id, float, uint32_t, sap_id *, float *, int)
SAP__CALL_6(int, ray_cast_ids, sap_multi, const sap__point, const sap__point, uint32_t, sap_id *, float *, int)
SAP__CALL_6(sap_id, box_closest, sap_multi, const sap_aabb *, const sap__point, uint32_t, sap_id, float *, sap__point)
SAP__CALL_7(sap_id, box_closest_if, sap_multi, const sap_aabb *, const sap__point, uint32_t, sap_accept *, void *,
            float *, sap__point)
SAP__CALL_5(int, slide, sap_multi, sap_aabb *, const sap__point, uint32_t, sap_id, sap__axis_ids)
SAP__CALL_6(int, slide_if, sap_multi, sap_aabb *, const sap__point, uint32_t, sap_accept *, void *, sap__axis_ids)
SAP__CALL_0(size_t, snapshot_size, const sap_multi)
SAP__CALL_2(sap_result, save, const sap_multi, void *, size_t)
SAP__CALL_2(sap_result, restore, sap_multi, const void *, size_t)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#pragma pack(pop)
#endif /* SAP_MULTI_IMPLEMENTATION */
