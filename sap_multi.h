/* SPDX-License-Identifier: MIT OR Unlicense (both texts stand at the end of sap.h)

   sap_multi.h - v0.6 - a grid of SAPs for sap.h: what to add for Pierre Terdiman's multi-SAP ("Sweep-and-prune",
   version 0.2, 2007, part II). "II.3a" names its section 3) a) of part II.

   It adds one function, sap_set_grid, to those of sap.h. All calls stay the same, and so do ids, events, pairs, their
   order and snapshots, byte for byte: a grid is about speed alone. Threads need no grid: see sap_set_parallel in sap.h.

   ---- do this ----

       #define SAP_MULTI_IMPLEMENTATION      in one C or C++ file, before the include; it implies SAP_IMPLEMENTATION
       #include "sap_multi.h"                in place of sap.h: there, and wherever sap_set_grid is called

   That one file may include sap.h before, but not with SAP_IMPLEMENTATION: then sap.h is compiled without grids. Such
   code rejects a world that has one: sap_update, sap_reserve and the like return SAP_ERROR_ARGUMENT, and sap_destroy
   does nothing, with "grid" from sap_last_error_argument.

   ---- example ----

       #define SAP_MULTI_IMPLEMENTATION
       #include "sap_multi.h"

       int main(void) {
           sap_aabb a = {{0, 0, 0}, {1, 1, 1}}, b = {{1, 1, 1}, {2, 2, 2}};
           sap_config config = {.method = SAP_METHOD_SORT}; // the one method that uses a grid
           sap_grid grid = {0};                             // chosen from the boxes
           sap_world *world = sap_create(&config);
           int pairs;
           sap_set_grid(world, &grid);
           sap_add(world, &a, NULL); // from here on all is as in sap.h
           sap_add(world, &b, NULL);
           sap_update(world);
           sap_pairs(world, &pairs); // 1
           sap_destroy(world);
           return 0;
       }

   ---- when to take which method ----

   SAP_METHOD_AUTO    (0) for speed, with or without threads: PRUNE or QUERY, which search in a tree, or one SAP of all
                      boxes. It does not use the grid. Where boxes move it is three to ten times as fast
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

   sap_grid says which grid it is:

   fixed     grid.cells divide grid.bounds. A box that leaves the bounds comes in at the other end (II.3a)
   hashed    grid.hashed: cells of grid.cell_size, without bounds. Places are wrapped at a, b and c cells (II.3a):
             powers of two whose product is at most grid.entries
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
   so a world that is divided has none without queries. With a grid sap_reserve also reserves memory for each box in
   eight cells in 3D, about 1,000 bytes a box. After it, memory is allocated only when a cell is entered for the first
   time.

   Differences from the paper: sap_update applies all recorded changes in one batch. Deleted pairs are found in the pair
   manager, because a box that leaves a cell passes no ends there. Duplicates are left out by the owner cell (the "SAP
   owner" of II.3d) instead of by the pair manager (II.3b).

   Threads update the cells as in II.3d: first one thread fills the queues of each cell, then all threads work through
   them. In the grid the work of a loop is the number of changed boxes: see sap_set_parallel.
*/
#if defined(SAP_MULTI_IMPLEMENTATION) && !defined(SAP_IMPLEMENTATION)
#define SAP_IMPLEMENTATION /* before the guard: the second include of this file may be the one that asks for it */
#endif
#include "sap.h"
#if defined(SAP_IMPLEMENTATION_ONCE) && !defined(SAP__HAS_GRID)
#error "sap_multi.h: in the file with the implementation define SAP_MULTI_IMPLEMENTATION and include only sap_multi.h"
#endif

#pragma pack(push, 16)
#ifndef SAP_MULTI_H
#define SAP_MULTI_H

#ifdef __cplusplus
extern "C" {
#endif

/* A grid; zeroed, or if no used axis is divided, it is chosen from the boxes. */
typedef struct sap_grid {
    sap_aabb bounds;    /* fixed grid: the region that the cells divide; all 0 = none, cells are ignored */
    int cells[3];       /* fixed grid: cells on each axis; 0 or 1 = not divided */
    int hashed;         /* 1 = hashed grid: unbounded, cells of cell_size; bounds and cells are ignored */
    int entries;        /* hashed grid: the most cells before places are wrapped; 0 = 65,536 */
    float cell_size[3]; /* hashed grid: length of a cell on each axis; 0 or INFINITY = not divided */
} sap_grid;

/* Gives a world a grid, in the place of the one that it has; NULL takes that away. SAP_METHOD_SORT alone uses it. The
   next update builds its cells. A world with reserved memory gets as much for the grid as sap_reserve would reserve.
   sap_destroy frees the grid, sap_validate checks it, sap_get_stats counts it, and no snapshot holds it.

   It rejects negative cells or entries, a cell_size that is negative or NaN, and bounds that are NaN or inverted. On a
   divided axis it also rejects bounds that are infinite or empty, unless all bounds are 0: then there is no fixed grid.
   Axes that the world does not use are not checked. On an error the world keeps the grid that it has. */
SAP_DEF sap_result sap_set_grid(sap_world *s, const sap_grid *grid);

#ifdef __cplusplus
}
#endif
#endif /* SAP_MULTI_H */

/* ====================================================================================================== */
#if defined(SAP__HAS_GRID) && !defined(SAP_MULTI_IMPLEMENTATION_ONCE)
#define SAP_MULTI_IMPLEMENTATION_ONCE

enum {
    SAP__LAST_PLACE = 1 << 29,        /* the outermost place; all boxes beyond it share its cell */
    SAP__MAX_CELLS_ON_AXIS = 1 << 19, /* most cells on an axis: a key has 20 bits for each */
    SAP__ENTRIES = 65536 /* cells of a hashed grid by default: too few where more than these are occupied */
};

#define SAP__LARGE (~UINT64_C(0)) /* the key of the cell of large boxes */
#define SAP__NO_SIZE 1e-300       /* is added to sizes, as that of an axis that is not divided is 0 */

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

/* The grid of a world: its SAPs are the cells. */
struct sap__multi {
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
    long long reserved;     /* boxes in all cells that sap_reserve asked for */
};

/* SAP__MULTI_ARRAYS names each array of a grid, to free and to measure them. */
#define SAP__MULTI_ARRAYS(X) X(range) X(cells) X(table) X(arena) X(operations) X(listed)

/* ====================================================================================================== */
/* >> grid: which cells a box touches                                                                       */
/* ====================================================================================================== */

/* Reads a grid of the user's, and checks the fields of the other kind of grid, too. */
static sap_result sap__read_grid(sap_world *s, const sap_grid *g, sap__grid *grid) {
    const char *bad = g->entries < 0 ? "entries" : NULL;
    int has_bounds = 0, axis = -1;
    *grid = sap__undivided;
    for (int k = 0; k < 3; k++)
        has_bounds |= s->used[k] && (sap__key(g->bounds.min[k]) | sap__key(g->bounds.max[k])) != 0;
    for (int k = 0; k < 3 && !bad; k++) {
        const float min = g->bounds.min[k], max = g->bounds.max[k], size = g->cell_size[k];
        const int is_cut = has_bounds && g->cells[k] > 1, ends = sap__is_finite(min) && sap__is_finite(max);
        if (!s->used[k]) continue;
        if (g->cells[k] < 0) bad = "cells";
        if (!sap__is_number(size) || sap__key(size) < 0) bad = "cell_size";
        if (has_bounds && (!sap__is_number(min) || !sap__is_number(max) || sap__key(min) > sap__key(max) ||
                           (is_cut && (!ends || sap__key(min) == sap__key(max)))))
            bad = "bounds";
        axis = k;
        if (bad || !(g->hashed ? sap__is_finite(size) && sap__key(size) > 0 : is_cut)) continue;
        grid->is_given = 1;
        grid->size[k] = g->hashed ? sap__double(size) : (sap__double(max) - sap__double(min)) / g->cells[k];
        grid->origin[k] = g->hashed ? 0 : sap__double(min);
        grid->count[k] = g->hashed ? 1 : g->cells[k];
    }
    if (bad) return sap__bad_argument(s, SAP_ERROR_ARGUMENT, bad, axis);
    /* entries are divided among the divided axes as evenly as powers of two can be */
    for (int k = 0, left = g->entries ? g->entries : SAP__ENTRIES; left > 1 && g->hashed && grid->is_given;
         k = (k + 1) % 3)
        if (grid->size[k] > 0) grid->count[k] *= 2, left /= 2;
    for (int k = 0; k < 3; k++) { /* cells are made longer until their numbers have 20 bits */
        for (; grid->count[k] > SAP__MAX_CELLS_ON_AXIS; grid->count[k] = grid->count[k] / 2 + (grid->count[k] & 1))
            grid->size[k] *= 2;
        grid->cells_per_unit[k] = 1 / (grid->size[k] + SAP__NO_SIZE);
    }
    return SAP_OK;
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
        if (touched > 2) return keys[0] = SAP__LARGE, 1;
        for (int i = 0; i < n; i++) keys[n + i] = keys[i] | second, keys[i] |= first;
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
static int sap__is_owner(const sap_world *s, const sap__sap *p, uint32_t a, uint32_t b) {
    const sap__multi *m = s->multi;
    const sap__cell *c = (const sap__cell *)(const void *)p;
    const sap__box *x = &s->slot_array[a].box, *y = &s->slot_array[b].box;
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

/* Lists the slots of a sample: live boxes that are evenly spread over all of them, wherever their slots are. */
static void sap__sample_slots(sap_world *s, uint32_t sample[SAP__CELL_SAMPLE]) {
    uint64_t *at = s->update.sort_items; /* which of the live boxes they are */
    uint32_t slot = sap__next_live(s, 0), passed = 0;
    for (int i = 0; i < SAP__CELL_SAMPLE; i++) at[i] = sap__sample_index(i, s->boxes.live_count);
    sap__sort(at, s->update.sort_scratch, SAP__CELL_SAMPLE, 0);
    for (int i = 0; i < SAP__CELL_SAMPLE; i++) {
        for (; passed < at[i]; passed++) slot = sap__next_live(s, slot + 1);
        sample[i] = slot;
    }
}

/* Returns the value of an endpoint. */
static double sap__endpoint_value(uint64_t endpoint) {
    return sap__wide((int32_t)((uint32_t)(endpoint >> 32) ^ 0x80000000u));
}

/* Returns a quantile, in sixteenths, of the lengths of the sampled boxes on an axis, or of their mins. */
static double sap__quantile(sap_world *s, const uint32_t *sample, int k, int of_mins, int sixteenths) {
    uint64_t *items = s->update.sort_items;
    for (int i = 0; i < SAP__CELL_SAMPLE; i++) {
        const sap__box *box = &s->slot_array[sample[i]].box;
        const double length = sap__wide(box->hi[k]) - sap__wide(box->lo[k]);
        items[i] = sap__endpoint(of_mins ? box->lo[k] : sap__key((float)(length > 3e38 ? 3e38 : length)), 0, 0);
    }
    sap__sort(items, s->update.sort_scratch, SAP__CELL_SAMPLE, 32);
    return sap__endpoint_value(items[(SAP__CELL_SAMPLE - 1) * sixteenths / 16]);
}

/* Returns what an update takes for each box in a grid, by the sample, if no box is large. near_parts is the sum over
   all axes of the part of the boxes in a cell that are near a box. */
static double sap__cost_of_cells(const sap__multi *m, const uint32_t *sample, const sap__grid *g, double near_parts) {
    uint64_t *items = m->world->update.sort_items;
    double pairs = 0;
    int n = 0;
    for (int i = 0; i < SAP__CELL_SAMPLE; i++) {
        sap__range range;
        sap__find_range(g, &m->world->slot_array[sample[i]].box, &range);
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
static void sap__choose_cells(sap__multi *m, sap__grid *chosen) {
    sap_world *s = m->world;
    const double live = s->boxes.live_count, apart = (double)SAP__APART * sap__nth_root(1 / live, m->axes);
    double least = 2 * m->axes, divided = 0, others = 0; /* near parts on divided axes, and on others */
    sap__grid g = sap__undivided;
    *chosen = m->given;
    if (m->given.is_given && sap__count_long(s, chosen) <= SAP__FEW_LARGE) return;
    *chosen = g;
    uint32_t sample[SAP__CELL_SAMPLE];
    sap__sample_slots(s, sample);
    for (int k = 0; k < 3; k++) {
        if (!s->used[k]) continue;
        const double first = sap__quantile(s, sample, k, 1, 1), spread = sap__quantile(s, sample, k, 1, 15) - first;
        const double length = (double)SAP__MEDIANS * sap__quantile(s, sample, k, 0, 8);
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
        for (int k = 0; k < 3; k++) g.cells_per_unit[k] = 1 / (g.size[k] + SAP__NO_SIZE);
        double cost = sap__cost_of_cells(m, sample, &g, divided + others);
        if (cost < least) cost += sap__count_long(s, &g);
        if (cost < least) least = cost, *chosen = g;
        for (int k = 0; k < 3; k++) g.size[k] *= 2;
        divided /= 2;
    }
}

/* Chooses the grid when the cells are built again, and looks for a better one after some changes for each box. Returns
   whether the cells are to be built again. */
static int sap__choose_grid(sap__multi *m, int is_new) {
    sap__grid grid;
    m->changes_left -= sap__length(m->world->changes.list);
    if (!is_new && m->changes_left > 0) return 0;
    sap__choose_cells(m, &grid);
    const int words = sap__length(m->world->slot_array) / 64; /* of live bits, which were looked at */
    m->changes_left = SAP__RECHOOSE * ((long long)m->world->boxes.live_count + words);
    for (int k = 0; k < 3; k++) {
        const double before = m->grid.size[k], now = grid.size[k];
        is_new |= now > (double)SAP__SIMILAR * before || before > (double)SAP__SIMILAR * now;
    }
    if (is_new) m->grid = grid, m->world->endpoints.valid = 0;
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
static uint32_t *sap__table_entry(const sap__multi *m, uint64_t key) {
    const uint32_t *end = m->table + sap__length(m->table);
    uint32_t *entry = sap__bucket(m->table, key);
    while (*entry != SAP__NONE && m->cells[*entry].key != key)
        if (++entry == end) entry = m->table;
    return entry;
}

/* Makes the table large enough for one more cell. Returns 0 without memory. */
static int sap__grow_table(sap__multi *m) {
    const int cells = sap__length(m->cells);
    if (SAP__ROOM * cells < sap__length(m->table)) return 1;
    if (!sap__reserve(&m->table, 2 * SAP__ROOM * (cells + 1))) return 0;
    sap__set_length(m->table, 2 * SAP__ROOM * (cells + 1));
    memset(m->table, 0xff, (size_t)sap__length(m->table) * sizeof *m->table);
    for (uint32_t i = 0; i < (uint32_t)cells; i++) *sap__table_entry(m, m->cells[i].key) = i;
    return 1;
}

/* Returns the cell of a key, or a new one without arrays. Returns SAP__NONE without memory. */
static uint32_t sap__cell_of(sap__multi *m, uint64_t key) {
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
static void sap__clear_cells(sap__multi *m) {
#define SAP__CLEAR_OF_MULTI(a) sap__set_length(m->a, 0);
    SAP__MULTI_ARRAYS(SAP__CLEAR_OF_MULTI)
    m->copies = m->occupied = m->end = 0;
}

#define SAP__FREE_OF_MULTI(a) sap__free_array(&m->a), m->a = NULL;
static void sap__free_grid(sap__multi *m) {
    if (!m) return;
    SAP__MULTI_ARRAYS(SAP__FREE_OF_MULTI)
    SAP_FREE(m);
}

/* Removes all cells and frees their memory, unless it is reserved. */
static void sap__drop_cells(sap_world *s) {
    sap__multi *m = s->multi;
    if (m) sap__clear_cells(m);
    if (!m || s->update.is_reserved) return;
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

/* Returns the endpoints that the arena has room for after sap_reserve, with the sentinels of all cells. */
static long long sap__promised_room(const sap__multi *m) {
    return m->world->update.is_reserved ? m->axes * (2 * m->reserved + 2LL * sap__length(m->cells)) : 0;
}

/* Lays out the arena again, by way of sort_items. It is twice as large as the cells need, or as promised, and half of
   what they do not need is divided among them. Returns 0 without memory: then the cells are to be built again. */
static int sap__lay_out(sap__multi *m) {
    sap_world *s = m->world;
    const int cells = sap__length(m->cells);
    long long needed = 0, room = sap__promised_room(m);
    for (int i = 0; i < cells; i++) needed += m->axes * (long long)sap__needed_count(&m->cells[i]);
    if (room < needed) room = s->update.is_reserved || needed > INT_MAX / SAP__ROOM ? needed : SAP__ROOM * needed;
    if (!sap__reserve(&s->update.sort_items, needed)) return 0;
    uint64_t *to = s->update.sort_items;
    for (int i = 0; i < cells; i++) to = sap__move_cell(s, &m->cells[i], to, m->cells[i].sap.count);
    if (!sap__reserve(&m->arena, room) && !sap__reserve(&m->arena, room = needed)) return 0;
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
static int sap__give_room(sap__multi *m) {
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
static int sap__is_wasteful(const sap__multi *m) {
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

static void sap__list_cell(sap__multi *m, uint32_t cell) {
    if (m->cells[cell].is_listed) return;
    m->cells[cell].is_listed = 1;
    sap__push(m->listed, cell);
}

static int sap__push_operation(sap__multi *m, uint64_t key, int queue, uint32_t slot) {
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
        if (sap__endpoint(box->lo[k], 0, 0) > ends[c->sap.count - 2] ||
            sap__endpoint(box->hi[k], 1, 0x7fffffff) < ends[1])
            return 0;
    }
    return 1;
}

/* Plans the box of a slot as it is now. Its cells of before get an operation if it leaves them, those of now if it
   enters them or moves in them. A box to be refiltered leaves all and enters again. Adds up crossed boxes. Returns 0
   without memory. */
static int sap__plan_box(sap__multi *m, uint32_t slot, int is_new, int *crossed) {
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
        const int leaves = asks || !sap__has_key(now, n_now, was[i]);
        if (leaves && !sap__push_operation(m, was[i], SAP__LEAVE, slot)) return 0;
    }
    for (int i = 0; i < n_now; i++) {
        const int enters = asks || !sap__has_key(was, n_was, now[i]), queue = enters ? SAP__ENTER : SAP__MOVE;
        if ((enters || moves) && !sap__push_operation(m, now[i], queue, slot)) return 0;
    }
    if (m->all_move || n_now == 0 || now[0] != SAP__LARGE) return 1;
    for (uint32_t cell = 0; cell < (uint32_t)sap__length(m->cells); cell++) /* it may meet boxes that did not change */
        if (sap__overlaps_cell(m->world, &m->cells[cell], &of->box)) sap__list_cell(m, cell);
    return 1;
}

/* Plans all boxes as they are now: each enters its cells, which are emptied. Returns 0 without memory. */
static int sap__plan_all(sap__multi *m) {
    const sap_world *s = m->world;
    int crossed = 0;
    sap__clear_cells(m);
    m->all_move = 1;
    if (sap__cell_of(m, SAP__LARGE) == SAP__NONE) return 0;
    sap__list_cell(m, 0); /* it gets arrays, though it may stay empty */
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++)
        if (!sap__plan_box(m, slot, 1, &crossed)) return 0;
    return 1;
}

/* Plans all changed boxes; or all boxes, if more than half of them cross. Returns 0 without memory. */
static int sap__plan_changed(sap__multi *m) {
    const sap_world *s = m->world;
    const int n = sap__length(s->changes.list);
    int crossed = 0;
    sap__set_length(m->operations, 0);
    sap__set_length(m->listed, 0);
    m->all_move = SAP__MOVE_PART * (long long)n > s->boxes.live_count;
    for (int i = 0; i < n; i++) {
        if (!sap__plan_box(m, s->changes.list[i], 0, &crossed)) return 0;
        if (SAP__CROSSED_PART * (long long)crossed > s->boxes.live_count + s->boxes.removed.count)
            return sap__plan_all(m);
    }
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
SAP__FORCE_INLINE int sap__prune_ahead(sap__search *q, const sap__cell *c, int axis, uint32_t x, const uint64_t *at,
                                       const uint64_t *end) {
    const sap__slot *a = &q->s->slot_array[x];
    const uint64_t max = sap__endpoint(a->box.hi[axis], 1, x);
    for (; at < end && *at < max; at++) {
        const uint32_t y = sap__endpoint_slot(*at);
        const sap__slot *b = &q->s->slot_array[y];
        if (sap__endpoint_is_max(*at) || !((a->flags | b->flags) & SAP__CHANGED)) continue;
        q->task->tests++;
        if (!sap__overlap(&a->box, &b->box)) continue;
        if (!((a->flags | b->flags) & SAP__REFILTER) && sap__overlap(&a->previous, &b->previous)) continue;
        if (!sap__is_owner(q->s, &c->sap, x, y)) continue;
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
        const uint64_t *ends = p->sorted[k];
        const double width = s->used[k] ? sap__endpoint_value(ends[p->count - 2]) - sap__endpoint_value(ends[1]) : -1;
        if (width > widest) widest = width, axis = k;
    }
    return axis;
}

/* Appends the slots of a queue of this cell to n items. Returns the new n. */
static int sap__list_queue(sap__sort_state *u, int queue, int n) {
    const sap__multi *m = u->s->multi;
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
static int sap__prune_cell(sap__sort_state *u, sap__search *q, const sap__cell *c, int all_enter) {
    if (c->sap.count <= 2) return 1; /* a cell without boxes may have no arrays */
    u->axis = sap__widest_axis(u->s, u->sap);
    const int n = all_enter ? 0 : sap__list_endpoints(u, sap__list_queue(u, SAP__ENTER, 0), 1);
    const uint64_t *ends = c->sap.sorted[u->axis], *last = ends + c->sap.count - 1, *items = u->items;
    for (int i = 1, next = 0; ends + i < last && (all_enter || next < n); i++) {
        const int enters = all_enter || items[next] == ends[i];
        next += enters;
        if (sap__endpoint_is_max(ends[i])) continue;
        const uint64_t *at = enters ? ends + i + 1 : items + next, *end = enters ? last : items + n;
        if (!sap__prune_ahead(q, c, u->axis, sap__endpoint_slot(ends[i]), at, end)) return 0;
    }
    return sap__flush(q, 0);
}

/* Works through the queues of a cell. Returns 0 on failure, but 1 on threads: a task that overflowed runs once more. */
static int sap__update_cell(sap__sort_state *u, sap__search *q, const sap__multi *m, sap__cell *c) {
    const int boxes = c->sap.count / 2 - 1, prunes = c->waiting[SAP__ENTER] != 0;
    int ok = sap__update_sap(u, sap__list_queue, m->all_move || SAP__FEW_MOVERS * c->waiting[SAP__MOVE] > boxes);
    if (ok && prunes && !u->task->overflowed) ok = sap__prune_cell(u, q, c, 0);
    memset(c->waiting, 0, sizeof c->waiting);
    c->is_listed = 0;
    return ok || u->s->threads.in_parallel;
}

/* A task updates its part of the listed cells. On threads it cannot allocate: if it finds more pairs than it has memory
   for, it goes on without pruning. It then runs once more, on the calling thread, and prunes all boxes of its cells. */
static void sap__update_cells_task(sap_world *s, void *args, int task, int tasks) {
    sap__multi *m = (sap__multi *)args;
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
        if (!(again ? sap__prune_cell(&u, &q, c, 1) : sap__update_cell(&u, &q, m, c))) return;
    }
}

/* A task tests the large boxes with the boxes of its part of the listed cells. */
static void sap__meet_task(sap_world *s, void *args, int task, int tasks) {
    const sap__multi *m = (const sap__multi *)args;
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
            if (!sap__prune_ahead(&q, c, axis, slot, mins + 1, last)) return;
        }
    }
    (void)sap__flush(&q, 0);
}

/* Finds the created pairs in all cells. The pair manager finds the deleted ones: a box that leaves a cell passes no
   ends there. A grid that divides no axis is not used: the SAP of all boxes is the same. Returns 0 on failure. */
static int sap__find_created_in_cells(sap_world *s) {
    sap__multi *m = s->multi;
    const int work = sap__length(s->changes.list);
    if (!sap__reserve_scratch(s, 8 * SAP__CELL_SAMPLE)) return sap__fail(s, SAP_ERROR_MEMORY);
    const int is_wasteful = sap__is_wasteful(m), is_new = sap__choose_grid(m, !s->endpoints.valid || is_wasteful);
    s->endpoints.in_cells = m->grid.count[0] > 1 || m->grid.count[1] > 1 || m->grid.count[2] > 1;
    if (is_wasteful || !s->endpoints.in_cells) sap__drop_cells(s);
    if (!s->endpoints.in_cells) return 1;
    if (!sap__reserve(&m->range, sap__length(s->slot_array)) || !(is_new ? sap__plan_all(m) : sap__plan_changed(m)) ||
        !sap__give_room(m))
        return sap__fail(s, SAP_ERROR_MEMORY);
    s->endpoints.valid = sap__run_search(s, sap__update_cells_task, m, work) &&
                         (m->cells[0].sap.count == 2 || sap__run_search(s, sap__meet_task, m, work));
    return s->endpoints.valid;
}

/* Reserves memory for this number of boxes, each in as many cells as it can touch. The cells are built again in it.
   Their number is not known yet, so a cell that is entered for the first time may still allocate. Returns 0 without
   memory: then nothing more is promised. */
static int sap__reserve_cells(sap__multi *m, int boxes) {
    if (!m || m->world->config.method != SAP_METHOD_SORT) return 1;
    sap_world *s = m->world;
    long long most = (long long)boxes << m->axes;
    if (s->update.is_reserved && most < m->reserved) most = m->reserved;
    const long long room = 2 * m->axes * (most + sap__length(m->cells));
    if (m == s->multi && s->endpoints.in_cells) s->endpoints.valid = 0;
    sap__clear_cells(m);
    if (!sap__reserve(&m->range, sap__capacity(s->changes.list)) || !sap__reserve(&m->operations, 2 * most) ||
        !sap__reserve_scratch(s, 2 * most + 8 * SAP__CELL_SAMPLE) || !sap__reserve(&s->update.sort_items, room) ||
        !sap__reserve(&m->arena, room))
        return 0;
    m->reserved = most;
    return 1;
}

/* ====================================================================================================== */
/* >> validate: every invariant of the grid, in one sentence each                                           */
/* ====================================================================================================== */

static const char *sap__validate_cells(const sap_world *s) {
    const sap__multi *m = s->multi;
    long long copies = 0, held = 0;
    int occupied = 0;
    uint64_t keys[8];
    if (!s->endpoints.valid || !s->endpoints.in_cells) return NULL;
    for (int slot = 0; slot < sap__length(s->slot_array); slot++) {
        sap__range range;
        if (!sap__has_previous_box(s->slot_array[slot].flags)) continue;
        sap__find_range(&m->grid, &s->slot_array[slot].previous, &range);
        if (!sap__same(&range, &m->range[slot])) return "A range of cells is that of the box at the last update.";
        copies += sap__list_cells(&m->grid, &range, keys);
    }
    for (uint32_t i = 0; i < (uint32_t)sap__length(m->cells); i++) {
        const sap__cell *c = &m->cells[i];
        const char *broken = sap__validate_sap(s, &c->sap);
        if (c->is_listed || c->waiting[SAP__LEAVE] || c->waiting[SAP__MOVE] || c->waiting[SAP__ENTER])
            return "Nothing waits for a cell between updates.";
        if (*sap__table_entry(m, c->key) != i) return "A cell is in the table.";
        for (int k = 0; k < 3; k++)
            if (s->used[k] && (c->sap.sorted[k] < m->arena || c->sap.sorted[k] + c->sap.capacity > m->arena + m->end))
                return "The arrays of cells are in the arena.";
        if (broken) return broken;
        for (int j = 1; j < c->sap.count - 1; j++) {
            const uint32_t slot = sap__endpoint_slot(c->sap.sorted[sap__widest_axis(s, &c->sap)][j]);
            if (!sap__has_key(keys, sap__list_cells(&m->grid, &m->range[slot], keys), c->key))
                return "A cell holds boxes that touch it, or the large ones.";
        }
        occupied += c->sap.count > 2;
        held += c->sap.count / 2 - 1;
    }
    if (held != copies) return "A box is in each cell that it touches.";
    if (copies != m->copies) return "The boxes in all cells are counted.";
    return occupied == m->occupied ? NULL : "The cells in use are counted.";
}

/* ====================================================================================================== */
/* >> life: what a world does with its grid                                                                 */
/* ====================================================================================================== */

static void sap__count_cells(const sap_world *s, sap_stats *stats) {
    const sap__multi *m = s->multi;
    if (!m) return;
    stats->bytes += sizeof *m;
#define SAP__BYTES_OF_MULTI(a) stats->bytes += sap__bytes_of(m->a);
    SAP__MULTI_ARRAYS(SAP__BYTES_OF_MULTI)
    if (s->endpoints.valid && sap__has_grid(s)) stats->cells = s->endpoints.in_cells ? m->occupied : 1;
}

/* A failure changes nothing: the new grid takes the place of the old one when it has all its memory. */
SAP_DEF sap_result sap_set_grid(sap_world *s, const sap_grid *grid) {
    sap__multi *m = NULL;
    sap__grid given;
    sap_result r = sap__begin_call(s, NULL, 1);
    if (r == SAP_OK && grid) r = sap__read_grid(s, grid, &given);
    if (r != SAP_OK) return r;
    if (grid) {
        m = (sap__multi *)SAP_REALLOC(NULL, sizeof *m);
        if (!m) return s->call.last_error = SAP_ERROR_MEMORY;
        memset(m, 0, sizeof *m);
        m->world = s;
        m->axes = sap__count_bits((uint32_t)s->config.axes);
        m->given = given;
        if (s->update.is_reserved && !sap__reserve_cells(m, sap__capacity(s->changes.list))) {
            sap__free_grid(m);
            return s->call.last_error = SAP_ERROR_MEMORY;
        }
    }
    if (s->config.method == SAP_METHOD_SORT) s->endpoints.valid = s->endpoints.in_cells = 0;
    sap__free_grid(s->multi);
    s->multi = m;
    return r;
}

#endif /* SAP_MULTI_IMPLEMENTATION */
#pragma pack(pop)
