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
   SAP_METHOD_AUTO    (0) for speed, with or without threads. AUTO chooses as in sap.h: PRUNE or QUERY, which search in
                      a tree, or one SAP of all boxes. It does not use the grid. Where boxes move it is three to ten
                      times as fast as the grid of SAPs
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
   crossed      a crossed box is one whose range or filter has changed: it enters cells, leaves them, or does both
   arena        one array, which holds the endpoint arrays of all cells

   The config says which grid it is:

   fixed     config.cells divide config.bounds. A box that leaves the bounds comes in at the other end (II.3a)
   hashed    config.hashed: cells of config.cell_size, without bounds. Places are wrapped at a, b and c cells (II.3a):
             powers of two whose product is at most config.entries
   chosen    neither is given. Cells are 4, 8, 16 or 32 times as long as most boxes, as a sample of the boxes says that
             an update takes least; or no axis is divided, if one SAP takes less, as in a small world or among boxes of
             all sizes. Cells are chosen again after many changes

   A grid that divides no axis is one SAP: the update is that of sap.h with SAP_METHOD_SORT, and takes as long.
   Wrapped places share a SAP, but boxes that are far from each other never pair. An axis has at most 524,288 cells: if
   there are more, cells are made longer. A good cell is four to sixteen times as long as a box. In shorter cells boxes
   cross often and are large; in longer cells they pass more ends.

   The paper suggests to limit the size of objects, so that each touches at most four cells, or eight in 3D (II.2b).
   Here boxes have any size. A few large ones, a ground and walls for example (II.2c), are tested with the boxes of each
   cell that they overlap, where one of the two has changed. Many would take longer than one SAP. So a given grid gives
   way to a chosen one while more than four boxes are longer than its cells. A chosen grid takes at most 1.5 times what
   one SAP does, and a given one twice, whatever the boxes: see test_grid_shapes.c.

   A cell that boxes have left stays, for boxes that enter it again. When most cells are empty, or most of the arena is
   not used, the cells are built again. The memory used depends on the boxes, not on the number of cells.
   sap_stats.cells is the number of cells that hold boxes. Queries use a tree, not the grid. The first query packs it,
   so a world that is divided has none without queries. With SAP_METHOD_SORT sap_multi_reserve also reserves memory for
   each box in eight cells in 3D, about 1,100 bytes a box. After it, memory is allocated only when a cell is entered for
   the first time.

   Differences from the paper: sap_multi_update applies all recorded changes in one batch. Deleted pairs are found in
   the pair manager, because a box that leaves a cell passes no ends there. Duplicates are left out by the owner cell
   (the "SAP owner" of II.3d) instead of by the pair manager (II.3b).

   ---- threads ----

   config.parallel serves all methods. parallel(job, data, count, parallel_user) calls job(data, 0) to
   job(data, count - 1), on any threads and in any order, and returns when all are done. No job writes what another one
   reads or writes, and no job calls the allocator or the filter. A loop over fewer than 16,384 boxes or pairs (in the
   grid, changed boxes) runs on the caller's thread; an event counts as four, and a box that searches alone as eight.
   make bench-multi measures the gain. Threads update the cells as in II.3d: first one thread fills the queues of each
   cell, then all threads work through them. Who may call what from which thread is as in sap.h.
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

/* All functions below but update, dump_pairs, validate and get_stats only forward: they hand their arguments on to the
   function of sap.h without multi_ in its name, which describes them, and return what it returns. */

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

enum {
    SAP__LAST_PLACE = 1 << 29,        /* the outermost place; all boxes beyond it share its cell */
    SAP__MAX_CELLS_ON_AXIS = 1 << 19, /* most cells on an axis: a key has 20 bits for each */
    SAP__ENTRIES = 65536,     /* cells of a hashed grid by default: too few where more than these are occupied */
    SAP__THREADS_FROM = 16384 /* work of a loop that uses threads, in boxes: too much where these wake at once */
};

#define SAP__LARGE (~UINT64_C(0)) /* the key of the cell of large boxes */

/* A grid has cells of one size, count of them on each axis. Behind the last one the first one follows again. */
typedef struct sap__grid {
    int count[3]; /* cells on each axis; 1: this axis is not divided */
    int is_given; /* by the config */
    double origin[3], size[3], cells_per_unit[3];
} sap__grid;
static const sap__grid sap__undivided = {{1, 1, 1}, 0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

/* A range is the places that a box touches: lo to hi on each axis. */
typedef sap__box sap__range;

/* A cell has a queue for each step of its SAP: slots of boxes that leave, move, and enter (II.3d). */
enum { SAP__QUEUES = SAP__ENTER + 1 };

typedef struct sap__cell {
    sap__sap sap;                 /* the first field: sap__is_owner and sap__list_queue cast */
    uint64_t key;                 /* its numbers on the three axes: see sap__cell_key; or SAP__LARGE */
    uint32_t last[SAP__QUEUES];   /* the operation that each queue got last */
    int32_t waiting[SAP__QUEUES]; /* the number of boxes in each queue */
    int is_listed;                /* it has something to do in this update */
    size_t scratch;               /* the index of its scratch in this update */
} sap__cell;

/* A sap_multi is a world whose SAPs are the cells of a grid. */
struct sap_multi {
    sap_world *world;
    int axes;               /* used axes */
    sap__grid given, grid;  /* the grid of the config; the grid in use */
    sap__range *range;      /* by slot, of the boxes of the last update */
    sap__cell *cells;       /* all cells that boxes have entered; the first is that of the large boxes */
    uint32_t *table;        /* the cells by their keys: a hash table with open addressing */
    int occupied;           /* cells that hold boxes */
    long long copies;       /* boxes in all cells; a box in four cells counts four times */
    uint64_t *arena;        /* the endpoint arrays of all cells */
    int end;                /* where the last array in the arena ends */
    uint64_t *operations;   /* items of the queues: the index of the operation before it in its queue, and a slot */
    uint32_t *listed;       /* cells that have something to do in this update */
    int all_move;           /* in this update cells read every end, and moves are not queued */
    long long changes_left; /* changed boxes before the grid is chosen again */
    long long reserved;     /* boxes in all cells that sap_multi_reserve asked for */
};

/* SAP__MULTI_ARRAYS names each array of a sap_multi, to free and to measure them. */
#define SAP__MULTI_ARRAYS(X) X(range) X(cells) X(table) X(arena) X(operations) X(listed)

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
    *grid = sap__undivided;
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
    if (g->count[k] < 2) return 0;
    const double at = (sap__double(sap__float(key)) - g->origin[k]) * g->cells_per_unit[k];
    const double last = SAP__LAST_PLACE, inside = at < -last ? -last : at > last ? last : at;
    const double shifted = inside + 6755399441055744.0; /* 2^52 + 2^51: the low bits are the integer next to it */
    uint64_t u;
    memcpy(&u, &shifted, sizeof u);
    const int32_t whole = (int32_t)(uint32_t)u; /* a cast would raise an exception where a compiler casts first */
    return whole - (whole > inside);
}

static void sap__find_range(const sap__grid *g, const sap__box *box, sap__range *r) {
    for (int k = 0; k < 3; k++) {
        r->lo[k] = sap__grid_place(g, k, box->lo[k]);
        r->hi[k] = sap__grid_place(g, k, box->hi[k]);
    }
}

/* Returns the part of a cell's key that a place on an axis gives: the number of the cell there, in 20 bits. */
SAP__FORCE_INLINE uint64_t sap__cell_key(const sap__grid *g, int k, int32_t place) {
    const int32_t count = g->count[k];
    if ((count & (count - 1)) == 0) return (uint64_t)((uint32_t)place & (uint32_t)(count - 1)) << 20 * k;
    place %= count;
    return (uint64_t)(uint32_t)(place < 0 ? place + count : place) << 20 * k;
}

/* Lists the keys of the cells that the box of a range is in. Returns their number: a large box is in the cell of large
   boxes alone, and any other one touches no more than two cells on each axis. */
static int sap__list_cells(const sap__grid *g, const sap__range *r, uint64_t keys[8]) {
    int n = 1;
    keys[0] = 0;
    for (int k = 0; k < 3; k++) {
        const int32_t places = r->hi[k] - r->lo[k] + 1, touched = places < g->count[k] ? places : g->count[k];
        const uint64_t first = sap__cell_key(g, k, r->lo[k]), second = sap__cell_key(g, k, r->lo[k] + 1);
        if (touched > 2) {
            keys[0] = SAP__LARGE;
            return 1;
        }
        for (int i = 0; i < n; i++) {
            keys[n + i] = keys[i] | second;
            keys[i] |= first;
        }
        n *= touched;
    }
    return n;
}

static int sap__has_key(const uint64_t *keys, int n, uint64_t key) {
    for (int i = 0; i < n; i++)
        if (keys[i] == key) return 1;
    return 0;
}

/* Returns whether a cell owns the pair of two boxes that overlap. The owner cell is the lowest on each axis that both
   touch: it holds the lowest corner of what they share. The cell of large boxes owns all pairs in it. A small and a
   large box meet in a cell of the small one. */
static int sap__is_owner(const void *multi, const sap__sap *p, uint32_t a, uint32_t b) {
    const sap_multi *m = (const sap_multi *)multi;
    const sap__cell *c = (const sap__cell *)(const void *)p;
    const sap__box *x = &m->world->slot_array[a].box, *y = &m->world->slot_array[b].box;
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        const int32_t lo = x->lo[k] > y->lo[k] ? x->lo[k] : y->lo[k];
        key |= sap__cell_key(&m->grid, k, sap__grid_place(&m->grid, k, lo));
    }
    return c->key == key || c->key == SAP__LARGE;
}

/* ====================================================================================================== */
/* >> choose: how long the cells are                                                                        */
/* ====================================================================================================== */

/* Cells are chosen by what an update takes if all boxes move a little. A sample of the boxes says it for one SAP and
   for four grids. In the first grid cells are as long as four median boxes, or as twice the distance of neighbours if
   that is more; in the others they are twice, four and eight times as long. A given grid is kept as long as few boxes
   are longer than its cells.

   The unit is an end that is read. A box is near another one on an axis if it begins within the length of a cell of the
   first grid. One of 32 boxes that are near passes the other: in one SAP of all that are near in the world, in a grid
   of those in the same cell. In longer cells there are more of these. In shorter ones there are more copies of a box,
   and more boxes are large: each of these is tested with all others. One SAP is preferred, as boxes may move less.

   A number that is wrong costs time, not pairs. Its comment says in which worlds it is wrong. */
enum {
    SAP__CELL_SAMPLE = 256, /* boxes in the sample: too few where less than 1% of the boxes are all that meet */
    SAP__CELL_LENGTHS = 4,  /* grids: too few where boxes are longer than 32 medians and far apart */
    SAP__MEDIANS = 4,       /* median boxes in a cell: too many where boxes cross no cell, in a crowd that trembles */
    SAP__APART = 2,         /* distances of neighbours in a cell: too many where boxes lie on a line or in clusters */
    SAP__LEAST_CELLS = 4,   /* cells on a divided axis: too many where boxes move along a narrow axis alone */
    SAP__NEAR_TO_PASS = 32, /* boxes near one that it passes: too few where boxes tremble, too many where they fly */
    SAP__BOX_COST = 5,      /* ends that take as long as to find a box's cells: too few where cells miss the cache */
    SAP__FEW_LARGE = 4,     /* boxes longer than cells: too many in a given grid of a thousand cells that they touch */
    SAP__RECHOOSE = 16,     /* changes for each box before cells are chosen again: too many where boxes grow fast */
    SAP__SIMILAR = 3        /* times that cells may be too long: too many where they are so by just less */
};

/* Returns one of the boxes of the sample, which are evenly spread over the slots. */
static const sap__box *sap__sampled_box(const sap_world *s, int i) {
    const uint32_t slot = sap__next_live(s, sap__sample_index(i, sap__length(s->slot_array)));
    return &s->slot_array[slot == SAP__NONE ? sap__next_live(s, 0) : slot].box;
}

/* Returns the value of an endpoint. */
static double sap__endpoint_value(uint64_t endpoint) {
    return sap__wide((int32_t)((uint32_t)(endpoint >> 32) ^ 0x80000000u));
}

/* Returns a quantile, in sixteenths, of the lengths of the sampled boxes on an axis, or of their mins. */
static double sap__quantile(sap_world *s, int k, int of_mins, int sixteenths) {
    uint64_t *items = s->update.sort_items;
    for (int i = 0; i < SAP__CELL_SAMPLE; i++) {
        const sap__box *box = sap__sampled_box(s, i);
        const double length = sap__wide(box->hi[k]) - sap__wide(box->lo[k]);
        items[i] = sap__endpoint(of_mins ? box->lo[k] : sap__key((float)(length > 3e38 ? 3e38 : length)), 0, 0);
    }
    sap__sort(items, s->update.sort_scratch, SAP__CELL_SAMPLE, 32);
    return sap__endpoint_value(items[(SAP__CELL_SAMPLE - 1) * sixteenths / 16]);
}

/* Returns what an update takes for each box in a grid, by the sample, if no box is large. near_parts is the sum over
   all axes of the part of the boxes in a cell that are near a box. */
static double sap__cost_of_cells(const sap_multi *m, const sap__grid *g, double near_parts) {
    uint64_t *items = m->world->update.sort_items;
    double pairs = 0;
    int n = 0;
    for (int i = 0; i < SAP__CELL_SAMPLE; i++) {
        sap__range range;
        sap__find_range(g, sap__sampled_box(m->world, i), &range);
        n += sap__list_cells(g, &range, items + n);
    }
    sap__sort(items, m->world->update.sort_scratch, n, 0);
    for (int i = 0, first = 0; i < n; i++) {
        if (items[i] != items[first]) first = i;
        pairs += i - first;
    }
    const double beside = 2 * pairs * m->world->boxes.live_count / (SAP__CELL_SAMPLE * SAP__CELL_SAMPLE);
    const double ends = 2.0 * m->axes * n / (double)SAP__CELL_SAMPLE;
    return (double)SAP__BOX_COST + ends + near_parts * beside / (double)SAP__NEAR_TO_PASS;
}

/* Returns the number of boxes that are longer than the cells of a grid: only these can be large. */
static int sap__count_long(const sap_world *s, const sap__grid *g) {
    int n = 0;
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++) {
        const sap__box *box = &s->slot_array[slot].box;
        int is_long = 0;
        for (int k = 0; k < 3; k++)
            is_long |= g->count[k] > 1 && sap__wide(box->hi[k]) - sap__wide(box->lo[k]) > g->size[k];
        n += is_long;
    }
    return n;
}

/* Chooses the grid for the boxes as they are now. The caller has reserved scratch for the sample. */
static void sap__choose_cells(sap_multi *m, sap__grid *chosen) {
    sap_world *s = m->world;
    const double live = s->boxes.live_count, apart = (double)SAP__APART * sap__nth_root(1 / live, m->axes);
    double least = 2 * m->axes, divided = 0, others = 0; /* near parts on divided axes, and on others */
    sap__grid g = sap__undivided;
    *chosen = m->given;
    if (m->given.is_given && sap__count_long(s, chosen) <= SAP__FEW_LARGE) return;
    *chosen = g;
    for (int k = 0; k < 3; k++) {
        if (!s->used[k]) continue;
        const double first = sap__quantile(s, k, 1, 1), spread = sap__quantile(s, k, 1, 15) - first;
        const double length = (double)SAP__MEDIANS * sap__quantile(s, k, 0, 8);
        const double size = length > apart * spread ? length : apart * spread;
        const double near_part = size < spread ? size / spread : 1;
        const int is_divided = (double)SAP__LEAST_CELLS * near_part < 1;
        least += live * near_part / (2 * SAP__NEAR_TO_PASS);
        divided += is_divided;
        others += is_divided ? 0 : near_part;
        g.origin[k] = first;
        g.size[k] = is_divided ? size : 0;
        g.count[k] = is_divided ? SAP__MAX_CELLS_ON_AXIS : 1;
    }
    for (int i = 0; i < SAP__CELL_LENGTHS && divided > 0; i++) {
        for (int k = 0; k < 3; k++) g.cells_per_unit[k] = sap__inverse(g.size[k]);
        double cost = sap__cost_of_cells(m, &g, divided + others);
        if (cost < least) cost += sap__count_long(s, &g);
        if (cost < least) least = cost, *chosen = g;
        for (int k = 0; k < 3; k++) g.size[k] *= 2;
        divided /= 2;
    }
}

/* Chooses the grid when the cells are built again, and looks for a better one after some changes for each box. Returns
   whether the cells are to be built again. */
static int sap__choose_grid(sap_multi *m, int is_new) {
    sap__grid grid;
    m->changes_left -= sap__length(m->world->changes.list);
    if (!is_new && m->changes_left > 0) return 0;
    sap__choose_cells(m, &grid);
    m->changes_left = SAP__RECHOOSE * (long long)m->world->boxes.live_count;
    for (int k = 0; k < 3; k++) {
        const double before = m->grid.size[k], now = grid.size[k];
        is_new |= now > (double)SAP__SIMILAR * before || before > (double)SAP__SIMILAR * now;
    }
    if (is_new) m->grid = grid;
    return is_new;
}

/* ====================================================================================================== */
/* >> cells: the table of cells, and the memory of their arrays                                             */
/* ====================================================================================================== */

enum {
    SAP__ROOM = 2,         /* times the memory that cells need: too much where boxes enter cells once and stay */
    SAP__SLACK_PART = 2,   /* 1 / 2 more for a cell that needs room: too little where crowds come and go */
    SAP__WASTE = 4,        /* times the cells, and the memory, that are used: too few where crowds come and go */
    SAP__SPARE_CELLS = 256 /* empty cells that are no waste: too many in a program of a thousand small worlds */
};

/* Returns the entry of a key in the table: its cell, or SAP__NONE if no box has entered it. */
static uint32_t *sap__table_entry(const sap_multi *m, uint64_t key) {
    const uint32_t *end = m->table + sap__length(m->table);
    uint32_t *entry = sap__bucket(m->table, key);
    while (*entry != SAP__NONE && m->cells[*entry].key != key)
        if (++entry == end) entry = m->table;
    return entry;
}

/* Makes the table large enough for one more cell. Returns 0 without memory. */
static int sap__grow_table(sap_multi *m) {
    const int cells = sap__length(m->cells);
    if (SAP__ROOM * cells < sap__length(m->table)) return 1;
    if (!sap__reserve(&m->table, 2 * SAP__ROOM * (cells + 1))) return 0;
    sap__set_length(m->table, 2 * SAP__ROOM * (cells + 1));
    memset(m->table, 0xff, (size_t)sap__length(m->table) * sizeof *m->table);
    for (uint32_t i = 0; i < (uint32_t)cells; i++) *sap__table_entry(m, m->cells[i].key) = i;
    return 1;
}

/* Returns the cell of a key, or a new one without arrays. Returns SAP__NONE without memory. */
static uint32_t sap__cell_of(sap_multi *m, uint64_t key) {
    const uint32_t cell = (uint32_t)sap__length(m->cells);
    if (!sap__grow_table(m)) return SAP__NONE;
    uint32_t *entry = sap__table_entry(m, key);
    if (*entry != SAP__NONE) return *entry;
    if (!sap__reserve(&m->cells, cell + 1) || !sap__reserve(&m->listed, cell + 1)) return SAP__NONE;
    sap__set_length(m->cells, cell + 1);
    sap__cell *c = &m->cells[cell];
    memset(c, 0, sizeof *c);
    c->key = key;
    c->sap.count = 2;
    for (int k = 0; k < 3; k++) /* it has no room yet */
        c->sap.sorted[k] = m->world->used[k] ? (uint64_t *)(uintptr_t)sap__sentinels : NULL;
    *entry = cell;
    return cell;
}

/* Removes all cells; their memory stays. */
static void sap__clear_cells(sap_multi *m) {
    sap__set_length(m->cells, 0);
    sap__set_length(m->table, 0);
    sap__set_length(m->operations, 0);
    sap__set_length(m->listed, 0);
    m->copies = m->occupied = m->end = 0;
}

/* Removes all cells and frees their memory, unless it is reserved. */
static void sap__free_cells(sap_multi *m) {
    sap__clear_cells(m);
    if (m->world->update.is_reserved) return;
#define SAP__FREE_OF_MULTI(a) sap__free_array(&m->a), m->a = NULL;
    SAP__MULTI_ARRAYS(SAP__FREE_OF_MULTI)
}

/* Returns the number of endpoints on an axis that a cell needs room for in this update: boxes leave before others
   enter. */
static int sap__needed_count(const sap__cell *c) {
    const int more = c->waiting[SAP__ENTER] - c->waiting[SAP__LEAVE];
    return c->sap.count + (more > 0 ? 2 * more : 0);
}

/* Copies the arrays of a cell. Returns where they end. */
static uint64_t *sap__move_cell(const sap_world *s, sap__cell *c, uint64_t *to, int capacity) {
    for (int k = 0; k < 3; k++) {
        if (!s->used[k]) continue;
        memcpy(to, c->sap.sorted[k], (size_t)c->sap.count * sizeof *to);
        c->sap.sorted[k] = to;
        to += capacity;
    }
    c->sap.capacity = capacity;
    return to;
}

/* Returns the endpoints that the arena has room for after sap_multi_reserve, with the sentinels of all cells. */
static long long sap__promised_room(const sap_multi *m) {
    return m->world->update.is_reserved ? m->axes * (2 * m->reserved + 2LL * sap__length(m->cells)) : 0;
}

/* Lays out the arena again, by way of sort_items. It is twice as large as the cells need, or as promised, and half of
   what they do not need is divided among them. Returns 0 without memory: then the cells are to be built again. */
static int sap__lay_out(sap_multi *m) {
    sap_world *s = m->world;
    const int cells = sap__length(m->cells);
    long long needed = 0, room = sap__promised_room(m);
    for (int i = 0; i < cells; i++) needed += m->axes * (long long)sap__needed_count(&m->cells[i]);
    if (room < needed) room = s->update.is_reserved || needed > INT_MAX / SAP__ROOM ? needed : SAP__ROOM * needed;
    if (!sap__reserve(&s->update.sort_items, needed)) return 0;
    uint64_t *to = s->update.sort_items;
    for (int i = 0; i < cells; i++) to = sap__move_cell(s, &m->cells[i], to, m->cells[i].sap.count);
    if (!sap__reserve(&m->arena, room)) return 0;
    to = m->arena;
    for (int i = 0; i < cells; i++) {
        const long long count = sap__needed_count(&m->cells[i]),
                        more = count * (room - needed) / (SAP__SLACK_PART * needed);
        to = sap__move_cell(s, &m->cells[i], to, (int)(count + more));
    }
    m->end = (int)(to - m->arena);
    return 1;
}

/* Gives all listed cells scratch, for the boxes of their largest step, and room for the boxes that enter. A cell that
   needs more room moves to the end of the arena:

       a | b | hole | c | a, larger | room

   If there is no room at the end, the arena is laid out again. Returns 0 without memory. */
static int sap__give_room(sap_multi *m) {
    int fits = sap__capacity(m->arena) >= sap__promised_room(m);
    long long scratch = 0;
    for (int i = 0; i < sap__length(m->listed); i++) {
        sap__cell *c = &m->cells[m->listed[i]];
        const int more = c->waiting[SAP__ENTER] - c->waiting[SAP__LEAVE];
        const int needed = sap__needed_count(c), capacity = needed + needed / SAP__SLACK_PART;
        int most = 0;
        for (int step = 0; step < SAP__QUEUES; step++) most = c->waiting[step] > most ? c->waiting[step] : most;
        c->scratch = (size_t)scratch;
        scratch += 2 * most;
        m->occupied += (c->sap.count + 2 * more > 2) - (c->sap.count > 2);
        m->copies += more;
        if (!fits || needed <= c->sap.capacity) continue;
        fits = m->axes * (long long)capacity <= sap__capacity(m->arena) - m->end;
        if (fits) m->end = (int)(sap__move_cell(m->world, c, m->arena + m->end, capacity) - m->arena);
    }
    return sap__reserve_scratch(m->world, scratch) && (fits || sap__lay_out(m));
}

/* Returns whether most cells are empty, or most of the arena is not used, because boxes have left. Reserved memory
   stays. */
static int sap__is_wasteful(const sap_multi *m) {
    const long long used = 6 * (m->copies + m->occupied + SAP__SPARE_CELLS); /* endpoints, with sentinels */
    return sap__length(m->cells) > SAP__WASTE * (m->occupied + SAP__SPARE_CELLS) ||
           (!m->world->update.is_reserved && sap__capacity(m->arena) > SAP__WASTE * SAP__ROOM * used);
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
enum { SAP__CROSSED_PART = 2 }; /* 1 / 2 of the boxes; it is more where boxes cross into few cells */

static void sap__list_cell(sap_multi *m, uint32_t cell) {
    if (m->cells[cell].is_listed) return;
    m->cells[cell].is_listed = 1;
    sap__push(m->listed, cell);
}

static int sap__push_operation(sap_multi *m, uint64_t key, int queue, uint32_t slot) {
    const uint32_t cell = sap__cell_of(m, key);
    const int n = sap__length(m->operations);
    if (cell == SAP__NONE || !sap__reserve(&m->operations, n + 1)) return 0;
    sap__cell *c = &m->cells[cell];
    sap__push(m->operations, sap__item(c->last[queue], slot));
    c->last[queue] = (uint32_t)n;
    c->waiting[queue]++;
    sap__list_cell(m, cell);
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

/* Plans the box of a slot as it is now. Its cells of before get an operation if it leaves them, those of now if it
   enters them or moves in them. A box to be refiltered leaves all and enters again. Adds up crossed boxes. Returns 0
   without memory. */
static int sap__plan_box(sap_multi *m, uint32_t slot, int is_new, int *crossed) {
    const sap__slot *of = &m->world->slot_array[slot];
    const int had = !is_new && sap__has_previous_box(of->flags), has = (of->flags & SAP__LIVE) != 0;
    const int moves = !m->all_move && !sap__same(&of->box, &of->previous), asks = (of->flags & SAP__REFILTER) != 0;
    const sap__range range = m->range[slot];
    uint64_t was[8], now[8];
    if (has) sap__find_range(&m->grid, &of->box, &m->range[slot]);
    const int stays = had && has && !asks && sap__same(&range, &m->range[slot]);
    *crossed += !stays;
    if (stays && !moves) return 1;
    const int n_was = had ? sap__list_cells(&m->grid, &range, was) : 0;
    const int n_now = has ? sap__list_cells(&m->grid, &m->range[slot], now) : 0;
    for (int i = 0; i < n_was; i++) {
        if (!asks && sap__has_key(now, n_now, was[i])) continue;
        if (!sap__push_operation(m, was[i], SAP__LEAVE, slot)) return 0;
    }
    for (int i = 0; i < n_now; i++) {
        const int enters = asks || !sap__has_key(was, n_was, now[i]);
        if (!enters && !moves) continue;
        if (!sap__push_operation(m, now[i], enters ? SAP__ENTER : SAP__MOVE, slot)) return 0;
    }
    if (m->all_move || n_now == 0 || now[0] != SAP__LARGE) return 1;
    for (uint32_t cell = 0; cell < (uint32_t)sap__length(m->cells); cell++) /* it may meet boxes that did not change */
        if (sap__overlaps_cell(m->world, &m->cells[cell], &of->box)) sap__list_cell(m, cell);
    return 1;
}

/* Plans all changed boxes; or all boxes as they are now, if the grid is new or more than half of them cross: then each
   enters its cells, which are emptied. Returns 0 without memory. */
static int sap__plan(sap_multi *m, int is_new) {
    const sap_world *s = m->world;
    const int n = sap__length(s->changes.list);
    int crossed = 0;
    if (is_new && sap__is_wasteful(m)) sap__free_cells(m);
    if (is_new) sap__clear_cells(m);
    sap__set_length(m->operations, 0);
    sap__set_length(m->listed, 0);
    if (!sap__reserve(&m->range, sap__length(s->slot_array))) return 0;
    m->all_move = is_new || SAP__PRUNE_PART * (long long)n > s->boxes.live_count;
    for (int i = 0; i < n && !is_new; i++) {
        if (!sap__plan_box(m, s->changes.list[i], 0, &crossed)) return 0;
        if (SAP__CROSSED_PART * (long long)crossed > s->boxes.live_count + s->boxes.removed.count)
            return sap__plan(m, 1);
    }
    if (is_new) {
        if (sap__cell_of(m, SAP__LARGE) == SAP__NONE) return 0;
        sap__list_cell(m, 0); /* it gets arrays, though it may stay empty */
    }
    for (uint32_t slot = 0; is_new && (slot = sap__next_live(s, slot)) != SAP__NONE; slot++)
        if (!sap__plan_box(m, slot, 1, &crossed)) return 0;
    for (uint32_t cell = 0; cell < (uint32_t)sap__length(m->cells) && m->all_move; cell++)
        if (m->cells[cell].sap.count > 2) sap__list_cell(m, cell);
    return 1;
}

/* ====================================================================================================== */
/* >> update: the work of a cell                                                                            */
/* ====================================================================================================== */

/* Tests box x with the boxes whose mins are in [at, end) and not above its max, unless neither has changed. Most
   overlap as before: they are no new pairs, unless one is refiltered. New pairs that this cell owns go to the
   search. Returns 0 on failure. */
SAP__FORCE_INLINE int sap__prune_ahead(sap__search *q, const sap_multi *m, const sap__cell *c, int axis, uint32_t x,
                                       const uint64_t *at, const uint64_t *end) {
    const sap__slot *a = &q->s->slot_array[x];
    const uint64_t max = sap__endpoint(a->box.hi[axis], 1, x);
    for (; at < end && *at < max; at++) {
        const uint32_t y = sap__endpoint_slot(*at);
        const sap__slot *b = &q->s->slot_array[y];
        if (sap__endpoint_is_max(*at) || !((a->flags | b->flags) & SAP__CHANGED)) continue;
        q->task->tests++;
        if (!sap__overlap(&a->box, &b->box)) continue;
        if (!((a->flags | b->flags) & SAP__REFILTER) && sap__overlap(&a->previous, &b->previous)) continue;
        if (!sap__is_owner(m, &c->sap, x, y)) continue;
        q->a[q->n] = x;
        q->b[q->n] = y;
        q->n++;
        if (!sap__flush(q, SAP__PAIR_BATCH - 1)) return 0;
    }
    return 1;
}

/* Returns the axis on which the boxes of a cell reach farthest, from the first end to the last. */
static int sap__widest_axis(const sap_world *s, const sap__sap *p) {
    double widest = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        if (!s->used[k]) continue;
        const double width = sap__endpoint_value(p->sorted[k][p->count - 2]) - sap__endpoint_value(p->sorted[k][1]);
        if (width > widest) widest = width, axis = k;
    }
    return axis;
}

/* Appends the slots of a queue of this cell to n items. Returns the new n. */
static int sap__list_queue(sap__sort_state *u, int queue, int n) {
    const sap_multi *m = (const sap_multi *)u->s->grid->multi;
    const sap__cell *c = (const sap__cell *)(const void *)u->sap;
    uint32_t at = c->last[queue];
    for (int i = 0; i < c->waiting[queue]; i++) {
        u->items[n++] = (uint32_t)m->operations[at];
        at = (uint32_t)(m->operations[at] >> 32);
    }
    return n;
}

/* Box pruning along one axis (I.4c) finds the pairs of entering boxes, with each other and with the boxes of the cell.
   The sweep goes from min to min. An entering box is tested with all boxes that begin between its min and its max, any
   other box with the entering ones that do. items holds the n endpoints of the boxes that enter, sorted. */
static int sap__prune_cell(sap__sort_state *u, sap__search *q, const sap_multi *m, const sap__cell *c, int all_enter) {
    if (c->sap.count <= 2) return 1; /* a cell without boxes may have no arrays */
    u->axis = sap__widest_axis(u->s, u->sap);
    const int n = all_enter ? 0 : sap__list_endpoints(u, sap__list_queue(u, SAP__ENTER, 0), 1);
    const uint64_t *ends = c->sap.sorted[u->axis], *last = ends + c->sap.count - 1, *items = u->items;
    for (int i = 1, next = 0; ends + i < last && (all_enter || next < n); i++) {
        const int enters = all_enter || items[next] == ends[i];
        next += enters;
        if (sap__endpoint_is_max(ends[i])) continue;
        const uint64_t *at = enters ? ends + i + 1 : items + next, *end = enters ? last : items + n;
        if (!sap__prune_ahead(q, m, c, u->axis, sap__endpoint_slot(ends[i]), at, end)) return 0;
    }
    return sap__flush(q, 0);
}

/* Works through the queues of a cell. Returns 0 on failure, but 1 on threads: a task that overflowed runs once more. */
static int sap__update_cell(sap__sort_state *u, sap__search *q, const sap_multi *m, sap__cell *c) {
    const int boxes = c->sap.count / 2 - 1, prunes = c->waiting[SAP__ENTER] != 0;
    int ok = sap__update_sap(u, sap__list_queue, m->all_move || SAP__FEW_MOVERS * c->waiting[SAP__MOVE] > boxes);
    if (ok && prunes && !u->task->overflowed) ok = sap__prune_cell(u, q, m, c, 0);
    memset(c->waiting, 0, sizeof c->waiting);
    c->is_listed = 0;
    return ok || u->s->threads.in_parallel;
}

/* A task updates its part of the listed cells. On threads it cannot allocate: if it finds more pairs than it has memory
   for, it goes on without pruning. It then runs once more, on the calling thread, and prunes all boxes of its cells. */
static void sap__update_cells_task(sap_world *s, void *args, int task, int tasks) {
    sap_multi *m = (sap_multi *)args;
    const int n = sap__length(m->listed), end = sap__task_begin(n, task + 1, tasks);
    const int again = s->update.task[task].overflowed && !s->threads.in_parallel;
    sap__search q;
    sap__sort_state u;
    sap__begin_search(&q, s, task, 0);
    q.on_pairs = sap__emit_events;
    u.s = s;
    u.task = q.task;
    for (int i = sap__task_begin(n, task, tasks); i < end; i++) {
        sap__cell *c = &m->cells[m->listed[i]];
        u.sap = &c->sap;
        u.items = s->update.sort_items + c->scratch;
        u.scratch = s->update.sort_scratch + c->scratch;
        if (!(again ? sap__prune_cell(&u, &q, m, c, 1) : sap__update_cell(&u, &q, m, c))) return;
    }
}

/* A task tests the large boxes with the boxes of its part of the listed cells. */
static void sap__meet_task(sap_world *s, void *args, int task, int tasks) {
    const sap_multi *m = (const sap_multi *)args;
    const sap__sap *large = &m->cells[0].sap;
    const int n = sap__length(m->listed), end = sap__task_begin(n, task + 1, tasks);
    sap__search q;
    sap__begin_search(&q, s, task, 0);
    q.on_pairs = sap__emit_events;
    for (int i = sap__task_begin(n, task, tasks); i < end; i++) {
        const sap__cell *c = &m->cells[m->listed[i]];
        if (c == m->cells || c->sap.count <= 2) continue;
        const int axis = sap__widest_axis(s, &c->sap);
        const uint64_t *mins = c->sap.sorted[axis], *last = mins + c->sap.count - 1;
        for (const uint64_t *y = large->sorted[axis] + 1; *y < last[-1]; y++) {
            const uint32_t slot = sap__endpoint_slot(*y);
            if (sap__endpoint_is_max(*y)) continue;
            q.task->tests++;
            if (!sap__overlaps_cell(s, c, &s->slot_array[slot].box)) continue;
            if (!sap__prune_ahead(&q, m, c, axis, slot, mins + 1, last)) return;
        }
    }
    (void)sap__flush(&q, 0);
}

/* Finds the created pairs in all cells. The pair manager finds the deleted ones: a box that leaves a cell passes no
   ends there. A grid that divides no axis is given back: the SAP of all boxes is the same. Returns 0 on failure. */
static int sap__find_created_in_cells(sap_world *s, void *multi) {
    sap_multi *m = (sap_multi *)multi;
    s->update.failure = SAP_OK;
    if (!sap__reserve_scratch(s, 8 * SAP__CELL_SAMPLE)) return sap__fail(s, SAP_ERROR_MEMORY);
    const int is_new = sap__choose_grid(m, !s->endpoints.valid || sap__is_wasteful(m));
    if (is_new) s->endpoints.valid = 0;
    s->endpoints.in_cells = m->grid.count[0] > 1 || m->grid.count[1] > 1 || m->grid.count[2] > 1;
    if (!s->endpoints.in_cells) {
        s->grid = NULL;
        sap__free_cells(m);
        return 1;
    }
    if (!sap__plan(m, is_new) || !sap__give_room(m)) return sap__fail(s, SAP_ERROR_MEMORY);
    const int work = sap__length(s->changes.list);
    s->endpoints.valid = sap__run_search(s, sap__update_cells_task, m, work) &&
                         (m->cells[0].sap.count == 2 || sap__run_search(s, sap__meet_task, m, work));
    return s->endpoints.valid;
}

/* Reserves memory for this number of boxes, each in as many cells as it can touch. The cells are built again in it.
   Their number is not known yet, so a cell that is entered for the first time may still allocate. Returns 0 on
   failure. */
static int sap__reserve_cells(sap_multi *m, int boxes) {
    sap_world *s = m->world;
    const long long copies = (long long)boxes << m->axes;
    if (copies > m->reserved) m->reserved = copies;
    const long long room = sap__promised_room(m);
    if (s->endpoints.in_cells) s->endpoints.valid = 0;
    sap__clear_cells(m);
    return sap__reserve(&m->range, sap__capacity(s->changes.list)) && sap__reserve(&m->operations, 2 * copies) &&
           sap__reserve_scratch(s, 2 * copies + 8 * SAP__CELL_SAMPLE) && sap__reserve(&s->update.sort_items, room) &&
           sap__reserve(&m->arena, room);
}

/* ====================================================================================================== */
/* >> validate: every invariant of the grid, in one sentence each                                           */
/* ====================================================================================================== */

static const char *sap__validate_cell(const sap_multi *m, uint32_t i) {
    const sap_world *s = m->world;
    const sap__cell *c = &m->cells[i];
    const char *broken = sap__validate_sap(s, &c->sap);
    if (c->is_listed || c->waiting[SAP__LEAVE] || c->waiting[SAP__MOVE] || c->waiting[SAP__ENTER])
        return "Nothing waits for a cell between updates.";
    if (*sap__table_entry(m, c->key) != i) return "A cell is in the table.";
    for (int k = 0; k < 3; k++)
        if (s->used[k] && (c->sap.sorted[k] < m->arena || c->sap.sorted[k] + c->sap.capacity > m->arena + m->end))
            return "The arrays of cells are in the arena.";
    for (int j = 1; j < c->sap.count - 1 && !broken; j++) {
        const uint32_t slot = sap__endpoint_slot(c->sap.sorted[sap__widest_axis(s, &c->sap)][j]);
        uint64_t keys[8];
        if (!sap__has_key(keys, sap__list_cells(&m->grid, &m->range[slot], keys), c->key))
            return "A cell holds boxes that touch it, or the large ones.";
    }
    return broken;
}

static const char *sap__validate_cells(const sap_multi *m) {
    const sap_world *s = m->world;
    long long copies = 0, held = 0;
    int occupied = 0;
    const char *broken = NULL;
    if (!s->endpoints.valid || !s->endpoints.in_cells) return NULL;
    for (int slot = 0; slot < sap__length(s->slot_array); slot++) {
        sap__range range;
        uint64_t keys[8];
        if (!sap__has_previous_box(s->slot_array[slot].flags)) continue;
        sap__find_range(&m->grid, &s->slot_array[slot].previous, &range);
        if (!sap__same(&range, &m->range[slot])) return "A range of cells is that of the box at the last update.";
        copies += sap__list_cells(&m->grid, &range, keys);
    }
    for (uint32_t i = 0; i < (uint32_t)sap__length(m->cells) && !broken; i++) {
        broken = sap__validate_cell(m, i);
        occupied += m->cells[i].sap.count > 2;
        held += m->cells[i].sap.count / 2 - 1;
    }
    if (broken) return broken;
    if (held != copies) return "A box is in each cell that it touches.";
    if (copies != m->copies) return "The boxes in all cells are counted.";
    return occupied == m->occupied ? NULL : "The cells in use are counted.";
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
    m->axes = sap__count_bits((uint32_t)s->config.axes);
    m->given = grid;
    s->threads.parallel_for = config ? config->parallel : NULL;
    s->threads.parallel_user = config ? config->parallel_user : NULL;
    s->threads.min_parallel_work = SAP__THREADS_FROM;
    return m;
}

SAP_DEF void sap_multi_destroy(sap_multi *m) {
    if (!m || sap__begin_call(m->world, NULL, 1) != SAP_OK) return;
    m->world->update.is_reserved = 0;
    sap__free_cells(m);
    sap_destroy(m->world);
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
    if (r != SAP_OK || m->world->config.method != SAP_METHOD_SORT || sap__reserve_cells(m, boxes)) return r;
    return m->world->call.last_error = SAP_ERROR_MEMORY;
}

/* Lends the grid to the world for one call. Between calls the world holds no address of this code, which may be
   reloaded. A call from a callback is rejected, and leaves the grid to the outer call. If the grid is not valid at the
   end, as when no box is left, its memory is freed, unless it was reserved. */
SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user) {
    if (!m) return -SAP_ERROR_ARGUMENT;
    const sap__grid_calls lent = {sap__find_created_in_cells, sap__is_owner, m}, *before = m->world->grid;
    if (m->world->config.method == SAP_METHOD_SORT) m->world->grid = &lent;
    const int n = sap_dump_pairs(m->world, create, del, user);
    m->world->grid = before;
    if (!before && !m->world->endpoints.valid) sap__free_cells(m);
    return n;
}

SAP_DEF sap_result sap_multi_update(sap_multi *m) {
    const int n = sap_multi_dump_pairs(m, NULL, NULL, NULL);
    return n < 0 ? (sap_result)-n : SAP_OK;
}

SAP_DEF const char *sap_multi_validate(const sap_multi *m) {
    const char *broken = sap_validate(sap__world_of(m));
    return m && !broken ? sap__validate_cells(m) : broken;
}

SAP_DEF void sap_multi_get_stats(const sap_multi *m, sap_stats *stats) {
    sap_get_stats(sap__world_of(m), stats);
    if (!m || !stats) return;
    stats->bytes += sizeof *m;
#define SAP__BYTES_OF_MULTI(a) stats->bytes += sap__bytes_of(m->a);
    SAP__MULTI_ARRAYS(SAP__BYTES_OF_MULTI)
    if (m->world->endpoints.valid && m->world->config.method == SAP_METHOD_SORT)
        stats->cells = m->world->endpoints.in_cells ? m->occupied : 1;
}

SAP_DEF sap_id sap_multi_box_closest_if(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                                        sap_accept *accept, void *user, float *t, float normal[3]) {
    return sap_box_closest_if(sap__world_of(m), box, translation, mask, accept, user, t, normal);
}

/* The functions that only forward. A line has the result, the name, the type of the world, and the types of the other
   parameters, which the number counts. */
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
SAP__CALL_5(int, slide, sap_multi, sap_aabb *, const sap__point, uint32_t, sap_id, sap__axis_ids)
SAP__CALL_6(int, slide_if, sap_multi, sap_aabb *, const sap__point, uint32_t, sap_accept *, void *, sap__axis_ids)
SAP__CALL_0(size_t, snapshot_size, const sap_multi)
SAP__CALL_2(sap_result, save, const sap_multi, void *, size_t)
SAP__CALL_2(sap_result, restore, sap_multi, const void *, size_t)
/* clang-format on */

#pragma pack(pop)
#endif /* SAP_MULTI_IMPLEMENTATION */
