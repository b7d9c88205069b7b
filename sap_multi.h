/* SPDX-License-Identifier: MIT OR Unlicense

   sap_multi.h - v0.1 - a grid of SAPs, and threads: sap.h for worlds of many ten thousand boxes.

   The same verbs as sap.h, with the prefix sap_multi_, and the same answers: ids, events, their order, the order of
   the pairs and snapshots are those of one sap_world given the same calls, byte for byte, whatever the grid, wherever
   the boxes are, and whatever the number of threads. Grid and threads are only about speed. The grid is the multi-SAP
   of Pierre Terdiman's paper ("Sweep-and-prune", version 0.2, 2007, part II); "Terdiman II.3b" and the like name its
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

   ---- when it pays ----

   Threads (config.parallel) pay where 16,384 boxes and more change in an update, or 1,024 that have to ask (few of
   many, or movers among standing boxes). They share the strips of one world: on an Intel Xeon two of them settle
   100,000 boxes that all move 1.45 to 1.65 times as fast as one, 20,000 1.0 to 1.1 times, and 100,000 of which one in
   twenty moves 1.3 to 1.5 times; on an AMD EPYC, with an earlier version, 1.6 to 2.1 and 1.4 to 1.7 times; on both,
   two threads that update small worlds of their own gain 1.8. With fewer changes one thread does it alone, unless
   there is a grid. More than eight threads never help, nor do two where all boxes overlap across, for then they are
   one strip. Threads that sleep between the calls of an update, and have to be woken, lose most of the gain at 20,000
   boxes and a tenth of it at 100,000; those of examples/pool.h look again for a while before they do, and each takes
   about the same jobs in every update, whose data its cache may still hold.

   The grid pays in worlds of more than two million boxes of which a part moves: where that is one in twenty, one thread
   settles 4,000,000 in 0.95 to 1.0 of the time of one sap_world, for it touches less memory. (Where one in a hundred
   jumps anywhere it takes 1.0 to 1.04 of it.) With fewer than 2,097,152 boxes, and while most boxes move, no grid is
   used, not even one that you gave: there none is faster. With SAP_TRACE neither grid nor shared strips are: the steps
   are those of one sap_world.

   If none of this is your world, take sap.h alone. make bench-multi prints such figures.

   ---- the grid ----

   fixed     config.bounds, divided into config.cells. It is wrapped: what leaves the bounds is filed from the other
             end, so every place has a cell. Boxes at opposite ends may share one; they do not pair, for their bounds
             are compared
   hashed    config.hashed: cells of config.cell_size, as far as the boxes go. With config.entries cells share that
             many table entries, and what shares an entry is one cell
   chosen    neither is given: from a sample of the boxes, and again when there are twice or half as many, or when they
             have gathered in less than half of the cells. The outer cells reach to infinity

   One, two or three axes may be divided. A cell takes memory from the first box in it on. Empty cells wait in a pool
   for the next new cell, and are freed after 64 updates. A box that would be in more than eight cells is in none: one
   sap_world beside the grid holds all such boxes, and boxes that change are compared with it too. If cells are too
   small (too many boxes touch more than eight, or there are fewer than sixteen boxes a cell) they are doubled, yours
   too.

   ---- threads ----

   config.parallel runs jobs: parallel(job, data, count, parallel_user) calls job(data, i) for all i from 0 to
   count - 1, on any threads, in any order, and returns when all are done. Jobs share nothing that they write, and
   call neither the allocator nor the filter. Without it all runs on the caller's thread. One sap_multi is used by one
   thread at a time, but for looks, and for queries after sap_multi_prepare_queries, as in sap.h.

   Jobs do what grows with the boxes, in some ten calls an update: they take moves in (sap_multi_move_many, ids or
   slots in ascending order, until the first query), bring strips and cells in step or build them, find what begins
   and ends, and link the pairs.

   ---- memory ----

   Threads take some 80 bytes a box on top of sap.h's, from the first update on that they share, and what is reserved
   for them is 64 bytes a pair more. A chosen grid takes some 200. A cell takes 20 to 30 KB with its scratch: hashed
   cells of few boxes cost much more a box. After sap_multi_reserve no call allocates until a number is exceeded, but
   an update may in which a cell is entered for the first time, or holds more than it ever did.
   What fails for memory fails as in sap.h: nothing has changed, and a later call succeeds.
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
    sap_aabb bounds;              /* fixed grid: the region that the cells divide; all zero = that of the boxes */
    int cells[3];                 /* cells along each axis; 0 or 1 = not divided; all zero = chosen from the boxes */
    int hashed;                   /* 1: unbounded grid of cell_size, hashed */
    int entries;                  /* hashed: size of the table; 0 = one for every cell that holds a box */
    float cell_size[3];           /* hashed: size of a cell; 0 = that axis is not divided; all zero = chosen */
    sap_parallel_for *parallel;   /* NULL = this thread only */
    void *parallel_user;
} sap_multi_config;

/* ---- life: as in sap.h ------------------------------------------------------------------------------ */

/* NULL config = defaults. NULL on failure: no memory, or a config that contradicts itself: what sap_create refuses,
   negative counts, cell sizes that are negative or NaN, bounds that are NaN or inverted, or infinite or of no size on
   an axis that is divided. Axes that config.sap.axes leaves out are not looked at. */
SAP_DEF sap_multi *sap_multi_create(const sap_multi_config *config);
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
SAP_DEF sap_result sap_multi_refilter(sap_multi *m, sap_id id);
SAP_DEF sap_result sap_multi_shift_origin(sap_multi *m, const float offset[3]);
SAP_DEF sap_result sap_multi_last_error(const sap_multi *m);

/* ---- pairs: as in sap.h ----------------------------------------------------------------------------- */

SAP_DEF sap_result sap_multi_update(sap_multi *m);
SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user);
SAP_DEF const sap_pair *sap_multi_created(const sap_multi *m, int *count);
SAP_DEF const sap_pair *sap_multi_deleted(const sap_multi *m, int *count);
SAP_DEF const sap_pair *sap_multi_pairs(const sap_multi *m, int *count);
SAP_DEF const sap_pair *sap_multi_find_pair(const sap_multi *m, sap_id a, sap_id b);
SAP_DEF sap_result sap_multi_set_pair_data(sap_multi *m, sap_id a, sap_id b, void *user_data);
SAP_DEF int sap_multi_pairs_of(const sap_multi *m, sap_id id, sap_id *others, int capacity);

/* ---- look: as in sap.h ------------------------------------------------------------------------------ */

SAP_DEF int sap_multi_count(const sap_multi *m);
SAP_DEF int sap_multi_is_valid(const sap_multi *m, sap_id id);
SAP_DEF sap_result sap_multi_get_box(const sap_multi *m, sap_id id, sap_aabb *box);
SAP_DEF void *sap_multi_get_object(const sap_multi *m, sap_id id);

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
/* Implementation                                                                                           */
/* ====================================================================================================== */

#if defined(SAP_MULTI_IMPLEMENTATION) && !defined(SAP_MULTI_IMPLEMENTED)
#define SAP_MULTI_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* ====================================================================================================== */
/* >> cells: small worlds                                                                                    */
/* ====================================================================================================== */

/* One sap_world, the whole, holds what users see: ids, boxes, filters, the record, pairs, the tree of the queries.
   Only the way of settling is another one. Each cell is a sap_world of its own that has boxes and strips, and
   nothing else: no ids, no pairs, no objects. What is found in the cells becomes the whole's pairs. The places of a
   slot say in which cells its box is filed, and as which local slot; slot leads back. Local 1 of cell 7 is free.

       whole                                 cell 7                          outside
         slot 0   place -> cell 7, local 2     local 0   slot 4   range        boxes that touch more than
         slot 1   place -> cell 3, local 0     local 1   -                     eight cells
                      \-> cell 7, local 3      local 2   slot 0   range
         slot 2   place -> outside, local 0    local 3   slot 1   range

   A pair is owned by the cell that holds the larger of the two boxes' lowest cells on each axis: there, on every
   axis, one of the two starts. That is what edge says of a box in a cell. It is the rule of the strips again, and the
   paper's shared pair manager without its counters (Terdiman II.3c): nobody else reports the pair. Where wrapping or
   hashing folds two cells into one, a pair may be seen twice; a sort of what was found lets one of them through. */
enum {
    SAP__CELLS_FROM = 2097152, /* boxes: with fewer the whole settles by itself */
    SAP__THREADS_FROM = 16384, /* changed boxes: with fewer the whole settles on one thread; see SAP__ASKING */
    SAP__CELL_BOXES = 4096,    /* in a cell of a chosen grid, about: cells that fit the second-level cache */
    SAP__MOST_CELLS = 8,       /* that a box is filed in */
    SAP__POOL_UPDATES = 64,    /* after which an empty cell is freed */
    SAP__CROWDED = 8,          /* updates that most boxes moved in: the grid is given up */
    SAP__GRID_SAMPLE = 1024    /* boxes that the choice of a grid looks at */
};

#define SAP__FAR_CELL (1 << 30) /* cells beyond are one */
#define SAP__OUTSIDE 0u         /* the cell that is no part of the grid */

/* The cells that a box touches: n along each axis, from lo on. n[0] == 0: too many, it is outside. */
typedef struct sap__range {
    int32_t lo[3];
    unsigned char n[3];
    unsigned char edge; /* of a box in a cell: bit k: on axis k this is the lowest of its cells */
} sap__range;

enum { SAP__ALL_EDGES = 7 }; /* of a box in the cell of its lowest corner: this cell looks after it */

typedef struct sap__cell {
    sap_world world;              /* by local slot: now, was, state; and list, filed, strips */
    uint32_t *slot;               /* by local slot: the slot in the whole */
    sap__range *range;            /* by local slot */
    uint32_t *free;               /* local slots */
    uint32_t *leaving;            /* slots of boxes that touch other cells now */
    uint64_t *out;                /* what the last job found: pairs by ids; or, if sap__must_ask, candidates by slots */
    sap__box bounds;              /* all its boxes are in here */
    sap__box borders;             /* keys from lo on and below hi lie in this cell on each axis */
    int32_t at[3];                /* its coordinates; of cells folded into one, where the first box came from */
    uint64_t key;                 /* where it is in the grid */
    uint32_t chain;               /* next cell in the same bucket */
    int is_pooled;                /* has no box, and no place in the grid */
    int is_dirty;                 /* has something to settle */
    int lacks_room;               /* a job could not end: it needs more room and is run again */
    int is_edited;                /* its strips are in step */
    int path;                     /* how it settles: SAP_METHOD_PRUNE or SAP_METHOD_QUERY */
    int changed[3];               /* moving and static boxes in the world's list; those that came or went */
    long long since;              /* the update in which it went to the pool */
    const struct sap_multi *grid; /* whose cell it is */
} sap__cell;

typedef struct sap__build sap__build;

typedef struct sap__place { /* where a box is filed */
    uint32_t cell, local;
    uint32_t more; /* next one of a box in several cells */
} sap__place;

struct sap_multi {
    sap_world *whole;
    sap_multi_config config;
    int grid_from;      /* so many boxes make the grid worth it */
    int is_reserved;    /* the whole keeps the memory of its own indices */
    int reserved_pairs; /* with so many no update allocates */
    int crowded;        /* rises to SAP__CROWDED with updates that most boxes moved in, falls to 0 with the others */

    /* the grid; an axis that is not divided has cells_per_unit == 0 */
    double origin[3], cells_per_unit[3]; /* the cell of v is floor((v - origin) * cells_per_unit) */
    int32_t wrap[3];                     /* cells along the axis, then from the start again; 0 = without end */
    int32_t last_cell[3]; /* of a grid chosen from the boxes: the outer cells, 0 and last_cell, have no end */
    int finds_twice;      /* cells that are far apart may be one, so a pair may be found twice */
    int grid_boxes;       /* how many there were when the grid was chosen; 0 = choose */
    int most_outside;     /* more boxes outside: choose again */
    int is_filed;         /* 0: all boxes are to be filed anew */

    sap__cell **cells;              /* cells[SAP__OUTSIDE] is no part of the grid; NULL = freed */
    uint32_t *table;                /* first cell of each chain */
    uint32_t *pool;                 /* cells without a box, the oldest first */
    int pool_freed;                 /* so many of the first ones have been freed */
    uint32_t *dirty;                /* cells that have something to settle */
    uint32_t *todo;                 /* cells of the jobs that run */
    sap__place *places;             /* by slot of the whole */
    sap__place *more;               /* further places of boxes in several cells */
    uint32_t free_more;             /* list of those that are free */
    int cells_used, cells_filed;    /* with a box; as many as there were when all boxes were filed */
    int lost[SAP__SHARES];          /* pairs found lost in each share of all pairs; or 1: the lists were not too long */
    void (*step)(sap_world *, int); /* of the whole, which runs now */

    /* the whole's own strips, on threads; see shares */
    sap_world *shares;
    int path;
    uint32_t flags;           /* of the boxes whose changes are looked for */
    sap__change *changes;     /* of the strips */
    const sap__box *filed_at; /* by slot: where the strips have the boxes of the changes still */
    sap__build *builds;
    const uint32_t *build_slots; /* to be filed; NULL: all */
    int build_count;             /* how many */
    int is_done[SAP__SHARES];    /* found all that there is */

    /* moves that are recorded on threads */
    const sap_id *ids;
    const sap_aabb *boxes;
    int moves;                                         /* how many */
    int by_slot;                                       /* what tells the shares apart; see sap__move_key */
    int record_at[SAP__SHARES], recorded[SAP__SHARES]; /* where a share records, and how many */
    sap_result result[SAP__SHARES];
    long long updates;
};

/* Runs a job for each of count indices: on the user's threads, if there are any. */
static void sap__run(sap_multi *m, sap_job *job, int count) {
    int i;
    if (m->config.parallel && count > 1)
        m->config.parallel(job, m, count, m->config.parallel_user);
    else
        for (i = 0; i < count; i++) job(m, i);
}

static void sap__step_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    m->step(m->whole, index);
}

/* The whole's own loops, in shares. */
static void sap__run_steps(sap_world *s, void (*step)(sap_world *, int), int count) {
    s->multi->step = step;
    sap__run(s->multi, sap__step_job, count);
}

/* ---- pairs that end, in shares of all pairs -------------------------------------------------------------------- */

/* Only the user's filter knows whether a pair goes on, and that is not for a job to ask. */
static int sap__asks_user(const sap_world *s) {
    return s->fresh && s->config.filter;
}

/* How many jobs look through the pairs, one a share: none if there is nothing for them to do, -1 without memory. */
static int sap__shares_of_pairs(sap_multi *m) {
    sap_world *s = m->whole;
    if (sap__length(s->pairs) == 0 || sap__asks_user(s)) return 0;
    if (sap__room(&s->lost, sap__length(s->pairs))) return SAP__SHARES;
    (void)sap__trouble(s, SAP_ERROR_MEMORY);
    return -1;
}

static void sap__lose_share(sap_multi *m, int share) {
    int n = sap__length(m->whole->pairs);
    m->lost[share] =
        sap__lose_range(m->whole, (uint32_t)sap__share_from(n, share), (uint32_t)sap__share_from(n, share + 1));
}

static int sap__join_lost(sap_multi *m) {
    sap_world *s = m->whole;
    int k, lost = 0, n = sap__length(s->pairs);
    for (k = 0; k < SAP__SHARES; k++) {
        memmove(s->lost + lost, s->lost + sap__share_from(n, k), (size_t)m->lost[k] * sizeof *s->lost);
        lost += m->lost[k];
    }
    sap__set_length(s->lost, lost);
    return 1;
}

/* ---- the grid: from bounds to cells ------------------------------------------------------------------------ */

#if defined(__GNUC__) || defined(__clang__)
#define SAP__NOINLINE __attribute__((noinline))
#else
#define SAP__NOINLINE
#endif

/* Monotone, and one piece of code for all who ask: two bounds that are equal lie in the same cell, also where the
   compiler keeps more digits than a double has, or a thread takes denormals for zero and another does not. Clamped
   before any cast: 1e30 and infinity have cells too. */
SAP__NOINLINE static int32_t sap__cell_index(const sap_multi *m, int k, int32_t key) {
    double at;
    if (key > SAP__INFINITY - 1) key = SAP__INFINITY - 1;
    if (key < 1 - SAP__INFINITY) key = 1 - SAP__INFINITY;
    at = (sap__double(sap__float(key)) - m->origin[k]) * m->cells_per_unit[k];
    if (m->last_cell[k]) {
        if (at <= 0) return 0;
        if (at >= m->last_cell[k]) return m->last_cell[k];
    }
    if (at >= SAP__FAR_CELL) return SAP__FAR_CELL;
    if (at <= -SAP__FAR_CELL) return -SAP__FAR_CELL;
    return (int32_t)at - (at < (int32_t)at);
}

/* The lowest key whose cell index is index or more. Bisection over sap__cell_index itself: so comparing a key with
   borders says exactly what computing its index would, rounding included. */
static int32_t sap__border(const sap_multi *m, int k, int32_t index) {
    int32_t lo = SAP__BEFORE_ALL, hi = SAP__AFTER_ALL;
    if (!(m->cells_per_unit[k] > 0)) return index <= 0 ? lo : hi;
    while (lo + 1 < hi) {
        int32_t middle = (int32_t)(((int64_t)lo + hi) / 2);
        if (sap__cell_index(m, k, middle) >= index)
            hi = middle;
        else
            lo = middle;
    }
    return hi;
}

/* The cells that a box touches. */
static void sap__range_of(const sap_multi *m, const sap__box *box, sap__range *range) {
    int cells = 1, k;
    for (k = 0; k < 3; k++) {
        int32_t lo = 0, hi = 0, n;
        if (m->cells_per_unit[k] > 0) lo = sap__cell_index(m, k, box->lo[k]), hi = sap__cell_index(m, k, box->hi[k]);
        n = (hi - SAP__MOST_CELLS >= lo) ? SAP__MOST_CELLS + 1 : hi - lo + 1;
        if (m->wrap[k] && n > m->wrap[k]) n = m->wrap[k];
        range->lo[k] = lo;
        range->n[k] = (unsigned char)n;
        cells *= n;
    }
    range->edge = SAP__ALL_EDGES;
    if (cells > SAP__MOST_CELLS)
        for (k = 0; k < 3; k++) range->lo[k] = 0, range->n[k] = 0;
}

static int sap__same_range(const sap__range *a, const sap__range *b) {
    return memcmp(a->lo, b->lo, sizeof a->lo) == 0 && memcmp(a->n, b->n, sizeof a->n) == 0;
}

/* What a cell is found by. Coordinates are folded: into the fixed grid, into 21 bits each, into the entries of the
   table. Cells that fall together are one. (Terdiman II.2, II.5) */
static uint64_t sap__cell_key(const sap_multi *m, const int32_t at[3]) {
    uint64_t key = 0;
    int k;
    for (k = 0; k < 3; k++) {
        int32_t i = at[k];
        if (m->wrap[k] && (i %= m->wrap[k]) < 0) i += m->wrap[k];
        key = key << 21 | ((uint32_t)i & 0x1fffffu);
    }
    if (m->config.hashed && m->config.entries)
        key = (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (uint64_t)m->config.entries;
    return key;
}

/* On one axis: where the middle four fifths of the starts begin and how far they reach, widened by an eighth at each
   side; and the median size. */
typedef struct sap__extent {
    double lo, length, size;
} sap__extent;

/* The i-th slot of a sample of them; no pattern in the order of adding shows. Of few slots each, once. */
static uint32_t sap__sampled_slot(uint32_t i, uint32_t slots) {
    return slots <= SAP__GRID_SAMPLE ? i : sap__sample_at(i, slots);
}

static void sap__measure(const sap_multi *m, int k, sap__extent *extent) {
    const sap_world *s = m->whole;
    uint64_t starts[SAP__GRID_SAMPLE], sizes[SAP__GRID_SAMPLE], tmp[SAP__GRID_SAMPLE];
    uint32_t i, slots = (uint32_t)sap__length(s->slots);
    int n = 0;
    for (i = 0; i < slots && i < SAP__GRID_SAMPLE; i++) {
        uint32_t slot = sap__sampled_slot(i, slots);
        int32_t lo = s->now[slot].lo[k], hi = s->now[slot].hi[k];
        if (!(s->state[slot] & SAP__LIVE) || lo <= -SAP__INFINITY || hi >= SAP__INFINITY) continue;
        starts[n] = sap__item(sap__sortable(lo), 0);
        sizes[n] = sap__item(sap__sortable(sap__key(sap__float(hi) - sap__float(lo))), 0);
        n++;
    }
    extent->lo = extent->length = extent->size = 0;
    if (n == 0) return;
    sap__sort(starts, tmp, n);
    sap__sort(sizes, tmp, n);
    extent->lo = (double)sap__float(sap__key_of(starts[n / 10]));
    extent->length = (double)sap__float(sap__key_of(starts[n - 1 - n / 10])) - extent->lo;
    extent->size = (double)sap__float(sap__key_of(sizes[n / 2]));
    extent->lo -= extent->length / 8;
    extent->length *= 1.25;
}

static void sap__double_cells(sap_multi *m) {
    int k;
    for (k = 0; k < 3; k++) m->cells_per_unit[k] *= 0.5;
}

/* More than an eighth of a sample; boxes without an end are outside of any grid. */
static int sap__most_are_outside(const sap_multi *m) {
    const sap_world *s = m->whole;
    uint32_t i, slots = (uint32_t)sap__length(s->slots);
    int n = 0, outside = 0, k;
    for (i = 0; i < slots && i < SAP__GRID_SAMPLE; i++) {
        uint32_t slot = sap__sampled_slot(i, slots);
        const sap__box *box = &s->now[slot];
        sap__range range;
        int endless = !(s->state[slot] & SAP__LIVE);
        for (k = 0; k < 3; k++)
            endless |= m->cells_per_unit[k] > 0 && (box->lo[k] <= -SAP__INFINITY || box->hi[k] >= SAP__INFINITY);
        if (endless) continue;
        sap__range_of(m, box, &range);
        outside += range.n[0] == 0;
        n++;
    }
    return 8 * outside > n;
}

/* The longest axis is halved until a cell has SAP__CELL_BOXES boxes, or would be less than four boxes long. One that is
   given without an end is not divided. */
static void sap__halve_longest(const sap__extent extent[3], int boxes, int parts[3]) {
    while (boxes / SAP__CELL_BOXES > parts[0] * parts[1] * parts[2]) {
        int k, best = -1;
        for (k = 0; k < 3; k++)
            if (extent[k].length < 1e39 && extent[k].length / parts[k] > 8 * extent[k].size &&
                (best < 0 || extent[k].length / parts[k] > extent[best].length / parts[best]))
                best = k;
        if (best < 0) return;
        parts[best] *= 2;
    }
}

/* What the user gave, and what is missing from a sample of the boxes. Cells too small for an eighth of the boxes are
   doubled. */
static void sap__choose_cells(sap_multi *m) {
    const sap_multi_config *c = &m->config;
    int axes = m->whole->config.axes, k, live = m->whole->live;
    int sized = 0, counted = 0, bounded = 0, parts[3] = {1, 1, 1};
    sap__extent extent[3];
    for (k = 0; k < 3; k++) {
        if (!(axes >> k & 1)) continue;
        sized |= c->hashed && c->cell_size[k] > 0;
        counted |= !c->hashed && c->cells[k] > 0;
        bounded |= !c->hashed && c->bounds.max[k] > c->bounds.min[k];
    }
    for (k = 0; k < 3; k++) {
        m->origin[k] = m->cells_per_unit[k] = 0;
        m->wrap[k] = m->last_cell[k] = 0;
        extent[k].lo = extent[k].length = extent[k].size = 0;
        if (axes >> k & 1) sap__measure(m, k, &extent[k]);
        if ((axes >> k & 1) && bounded) {
            extent[k].lo = (double)c->bounds.min[k];
            extent[k].length = (double)c->bounds.max[k] - (double)c->bounds.min[k];
        }
    }
    if (!sized && !counted) sap__halve_longest(extent, live, parts);
    for (k = 0; k < 3; k++) {
        int n = counted ? c->cells[k] : parts[k];
        if (!(axes >> k & 1)) continue;
        m->origin[k] = extent[k].lo;
        if (sized) {
            m->origin[k] = 0;
            m->cells_per_unit[k] = c->cell_size[k] > 0 ? 1 / (double)c->cell_size[k] : 0;
        } else if (n > 1 && extent[k].length > 0) {
            m->cells_per_unit[k] = n / extent[k].length;
            if (counted || bounded)
                m->wrap[k] = n;
            else
                m->last_cell[k] = n - 1;
        }
    }
    m->finds_twice = c->hashed && c->entries;
    for (k = 0; k < 3; k++) m->finds_twice |= m->wrap[k] > 0;
    m->grid_boxes = live;
    while (sap__most_are_outside(m)) sap__double_cells(m);
}

/* ---- filing: which boxes are in a cell --------------------------------------------------------------------- */

static void sap__mark_dirty(sap_multi *m, uint32_t cell) {
    if (m->cells[cell]->is_dirty) return;
    m->cells[cell]->is_dirty = 1;
    sap__push(m->dirty, cell); /* room has been made with the cell */
}

/* Forgets all boxes; keeps the memory. */
static void sap__empty_cell(sap__cell *c) {
    sap_world *w = &c->world;
    sap__set_length(w->state, 0);
    sap__set_length(w->list, 0);
    sap__set_length(c->slot, 0);
    sap__set_length(c->range, 0);
    sap__set_length(c->free, 0);
    sap__set_length(c->leaving, 0);
    w->live = w->live_static = 0;
    w->moving.ready = w->standing.ready = 0;
    w->moving.grid_boxes = w->standing.grid_boxes = 0;
    c->changed[0] = c->changed[1] = c->changed[2] = 0;
    c->is_dirty = 0;
    c->bounds = sap__nowhere;
}

static void sap__free_cell(sap_multi *m, uint32_t cell) {
    sap__cell *c = m->cells[cell];
    if (!c) return;
    sap__free_all(&c->world);
    sap__free_array(&c->slot);
    sap__free_array(&c->range);
    sap__free_array(&c->free);
    sap__free_array(&c->leaving);
    sap__free_array(&c->out);
    SAP_FREE(c);
    m->cells[cell] = NULL;
}

static uint32_t *sap__cell_chain(const sap_multi *m, uint64_t key) {
    return &m->table[sap__hash((uint32_t)(key >> 32), (uint32_t)key) & (uint32_t)(sap__length(m->table) - 1)];
}

/* A cell without boxes waits in the pool for another place in the grid. */
static void sap__pool_cell(sap_multi *m, uint32_t cell) {
    uint32_t *at = sap__cell_chain(m, m->cells[cell]->key);
    while (*at != cell) at = &m->cells[*at]->chain;
    *at = m->cells[cell]->chain;
    sap__empty_cell(m->cells[cell]);
    m->cells[cell]->is_pooled = 1;
    m->cells[cell]->since = m->updates;
    sap__push(m->pool, cell); /* room has been made with the cell */
    m->cells_used--;
}

/* Frees what has been in the pool for long: a step at an update. */
static void sap__drain_pool(sap_multi *m) {
    if (m->pool_freed == sap__length(m->pool)) return;
    if (m->updates - m->cells[m->pool[m->pool_freed]]->since > SAP__POOL_UPDATES)
        sap__free_cell(m, m->pool[m->pool_freed++]);
}

static int sap__new_cell(sap_multi *m, uint32_t cell) {
    if (m->cells[cell]) return 1;
    m->cells[cell] = (sap__cell *)SAP_REALLOC(NULL, sizeof **m->cells);
    if (!m->cells[cell]) return 0;
    memset(m->cells[cell], 0, sizeof **m->cells);
    m->cells[cell]->grid = m;
    m->cells[cell]->world.moving.frozen = m->cells[cell]->world.standing.frozen = 1;
    m->cells[cell]->world.standing.only_asked = 1;
    sap__empty_cell(m->cells[cell]);
    return 1;
}

/* Room in the lists of cells, and a table with as many chains as there are cells. */
static int sap__room_for_cells(sap_multi *m, int n) {
    int chains = sap__length(m->table), i;
    if (!sap__room(&m->cells, n) || !sap__room(&m->pool, n) || !sap__room(&m->dirty, n) || !sap__room(&m->todo, n))
        return 0;
    if (chains >= n) return 1;
    for (chains = chains ? chains : 16; chains < n;) chains *= 2;
    if (!sap__room(&m->table, chains)) return 0;
    sap__set_length(m->table, chains);
    for (i = 0; i < chains; i++) m->table[i] = SAP__NONE;
    for (i = 1; i < sap__length(m->cells); i++) {
        sap__cell *c = m->cells[i];
        if (!c || c->is_pooled) continue;
        c->chain = *sap__cell_chain(m, c->key);
        *sap__cell_chain(m, c->key) = (uint32_t)i;
    }
    return 1;
}

/* The cell of a key; SAP__NONE without memory. A new one comes from the pool, the last one first. */
static uint32_t sap__cell_of(sap_multi *m, const int32_t at[3]) {
    uint64_t key = sap__cell_key(m, at);
    uint32_t cell = *sap__cell_chain(m, key);
    int k;
    while (cell != SAP__NONE && m->cells[cell]->key != key) cell = m->cells[cell]->chain;
    if (cell != SAP__NONE) return cell;
    if (sap__length(m->pool)) {
        cell = m->pool[sap__length(m->pool) - 1];
        if (!sap__new_cell(m, cell)) return SAP__NONE;
        sap__set_length(m->pool, sap__length(m->pool) - 1);
        if (m->pool_freed > sap__length(m->pool)) m->pool_freed = sap__length(m->pool);
    } else {
        cell = (uint32_t)sap__length(m->cells);
        if (!sap__room_for_cells(m, (int)cell + 1)) return SAP__NONE;
        sap__set_length(m->cells, (int)cell + 1);
        m->cells[cell] = NULL;
        if (!sap__new_cell(m, cell)) {
            sap__set_length(m->cells, (int)cell);
            return SAP__NONE;
        }
    }
    m->cells[cell]->is_pooled = 0;
    m->cells[cell]->key = key;
    memcpy(m->cells[cell]->at, at, sizeof m->cells[cell]->at);
    for (k = 0; k < 3; k++) {
        m->cells[cell]->borders.lo[k] = sap__border(m, k, at[k]);
        m->cells[cell]->borders.hi[k] = sap__border(m, k, at[k] + 1);
    }
    m->cells[cell]->chain = *sap__cell_chain(m, key);
    *sap__cell_chain(m, key) = cell;
    m->cells_used++;
    return cell;
}

/* The box has changed: takes the whole's word for it. Each box is noted once an update. */
static void sap__note_change(const sap_multi *m, sap__cell *c, uint32_t local) {
    sap_world *w = &c->world;
    uint32_t slot = c->slot[local], state = m->whole->state[slot];
    w->now[local] = m->whole->now[slot];
    w->state[local] |= SAP__RECORDED | (state & SAP__FRESH);
    sap__push(w->list, local);
    c->changed[(state & SAP__STATIC) != 0]++;
    sap__unite(&c->bounds, &w->now[local]);
}

/* The first place of a box stands in places, the one that was there moves on to the list. */
static int sap__push_place(sap_multi *m, uint32_t slot, uint32_t cell, uint32_t local) {
    sap__place *place = &m->places[slot];
    if (place->cell != SAP__NONE) {
        uint32_t more = m->free_more;
        if (more != SAP__NONE) {
            m->free_more = m->more[more].more;
        } else {
            more = (uint32_t)sap__length(m->more);
            if (!sap__room(&m->more, more + 1)) return 0;
            sap__set_length(m->more, more + 1);
        }
        m->more[more] = *place;
        place->more = more;
    }
    place->cell = cell;
    place->local = local;
    return 1;
}

static sap__place sap__pop_place(sap_multi *m, uint32_t slot) {
    sap__place *place = &m->places[slot], first = *place;
    if (first.more == SAP__NONE) {
        place->cell = SAP__NONE;
    } else {
        *place = m->more[first.more];
        m->more[first.more].more = m->free_more;
        m->free_more = first.more;
    }
    return first;
}

/* Files a box in a cell; one that has not changed too, when all are filed anew. */
static int sap__enter(sap_multi *m, uint32_t cell, uint32_t slot, const sap__range *range, int edge) {
    sap__cell *c = m->cells[cell];
    sap_world *w = &c->world;
    uint32_t state = m->whole->state[slot], local, is_static = state & SAP__STATIC;
    if (sap__length(c->free)) {
        local = stbds_arrpop(c->free);
    } else {
        int n = sap__length(w->state) + 1;
        local = (uint32_t)n - 1;
        if (!sap__room(&w->now, n) || !sap__room(&w->was, n) || !sap__room(&w->state, n) || !sap__room(&w->list, n) ||
            !sap__room(&c->slot, n) || !sap__room(&c->range, n) || !sap__room(&c->free, n) ||
            !sap__room(&c->leaving, n))
            return 0;
        sap__set_length(w->state, n);
        sap__set_length(c->slot, n);
        sap__set_length(c->range, n);
    }
    if (!sap__push_place(m, slot, cell, local)) return 0;
    c->slot[local] = slot;
    c->range[local] = *range;
    c->range[local].edge = (unsigned char)edge;
    w->state[local] = SAP__LIVE | is_static;
    w->now[local] = m->whole->now[slot];
    w->was[local] = m->whole->was[slot];
    w->live++;
    w->live_static += is_static != 0;
    if (state & SAP__RECORDED) {
        w->state[local] |= SAP__ADDED;
        c->changed[2]++;
        sap__note_change(m, c, local);
    }
    sap__unite(&c->bounds, &w->now[local]);
    sap__mark_dirty(m, cell);
    return 1;
}

/* The box is in this cell no more; its strips learn it when the cell settles. */
static void sap__leave(sap_multi *m, uint32_t cell, uint32_t local) {
    sap__cell *c = m->cells[cell];
    sap_world *w = &c->world;
    if (!(w->state[local] & SAP__RECORDED)) sap__note_change(m, c, local);
    c->changed[2]++;
    sap__mark_dirty(m, cell);
    w->live--;
    w->live_static -= (w->state[local] & SAP__STATIC) != 0;
    w->state[local] = (w->state[local] & ~(uint32_t)SAP__LIVE) | SAP__REMOVED;
    w->now[local] = sap__nowhere;
}

/* The cells of a range, each once, with the edges of a box in it; 0 without memory. */
static int sap__cells_of(sap_multi *m, const sap__range *range, uint32_t cells[SAP__MOST_CELLS],
                         int edges[SAP__MOST_CELLS], int *count) {
    int32_t at[3], i, j, k, n = 0, e;
    *count = 1;
    cells[0] = SAP__OUTSIDE;
    edges[0] = SAP__ALL_EDGES;
    if (range->n[0] == 0) return 1;
    for (i = 0; i < range->n[0]; i++)
        for (j = 0; j < range->n[1]; j++)
            for (k = 0; k < range->n[2]; k++) {
                int edge = (i == 0) | (j == 0) << 1 | (k == 0) << 2;
                at[0] = range->lo[0] + i, at[1] = range->lo[1] + j, at[2] = range->lo[2] + k;
                cells[n] = sap__cell_of(m, at);
                if (cells[n] == SAP__NONE) return 0;
                for (e = 0; cells[e] != cells[n];) e++;
                edges[e] = e == n ? edge : edges[e] | edge;
                n += e == n;
            }
    *count = n;
    return 1;
}

/* Files a box as the whole has it now: added to cells that it has come to, moved in those that it is in still,
   removed from those that it has left. (Terdiman II.3) */
static int sap__refile_box(sap_multi *m, uint32_t slot) {
    uint32_t cells[SAP__MOST_CELLS];
    int edges[SAP__MOST_CELLS], count = 0, keep = 0, i;
    sap__place kept[SAP__MOST_CELLS];
    sap__range range;
    if (!(m->whole->state[slot] & SAP__REMOVED)) {
        sap__range_of(m, &m->whole->now[slot], &range);
        if (!sap__cells_of(m, &range, cells, edges, &count)) return 0;
    }
    while (m->places[slot].cell != SAP__NONE) {
        sap__place place = sap__pop_place(m, slot);
        sap__cell *c = m->cells[place.cell];
        for (i = 0; i < count && cells[i] != place.cell;) i++;
        if (i == count) {
            sap__leave(m, place.cell, place.local);
            continue;
        }
        c->range[place.local] = range;
        c->range[place.local].edge = (unsigned char)edges[i];
        if (!(c->world.state[place.local] & SAP__RECORDED)) sap__note_change(m, c, place.local);
        sap__mark_dirty(m, place.cell);
        kept[keep++] = place;
        cells[i] = cells[--count];
        edges[i] = edges[count];
    }
    while (keep--) (void)sap__push_place(m, slot, kept[keep].cell, kept[keep].local); /* in the room they had */
    for (i = 0; i < count; i++)
        if (!sap__enter(m, cells[i], slot, &range, edges[i])) return 0;
    return 1;
}

/* Files a box that has changed. Usually it moved within its cells, and nothing is taken apart. */
static int sap__file_one(sap_multi *m, uint32_t slot) {
    const sap__place *place = &m->places[slot];
    sap__range range;
    if (place->cell == SAP__NONE || (m->whole->state[slot] & SAP__REMOVED)) return sap__refile_box(m, slot);
    sap__range_of(m, &m->whole->now[slot], &range);
    if (!sap__same_range(&range, &m->cells[place->cell]->range[place->local])) return sap__refile_box(m, slot);
    for (;; place = &m->more[place->more]) {
        sap__note_change(m, m->cells[place->cell], place->local);
        sap__mark_dirty(m, place->cell);
        if (place->more == SAP__NONE) return 1;
    }
}

/* Slots that are new are in no cell. */
static int sap__room_for_places(sap_multi *m) {
    int slot = sap__length(m->places), slots = sap__length(m->whole->slots);
    if (!sap__room(&m->places, slots)) return 0;
    sap__set_length(m->places, slots);
    for (; slot < slots; slot++) m->places[slot].cell = m->places[slot].more = SAP__NONE;
    return 1;
}

/* Too many cells for so few boxes, most of them would be alone; or for so many outside, for each of those that changes
   is compared with each cell. */
static int sap__has_too_many_cells(const sap_multi *m) {
    long long live = m->whole->live, outside = m->cells[SAP__OUTSIDE]->world.live;
    return m->cells_used > live / 16 + 8 || m->cells_used * outside > 64 * live + 4096;
}

/* The grid was chosen for twice as many boxes, or for half as many. */
static int sap__cells_are_old(const sap_multi *m) {
    return m->whole->live > 2 * m->grid_boxes || 2 * m->whole->live < m->grid_boxes;
}

/* Files all boxes anew, in another grid if this one is not what they need. 0 without memory. */
static int sap__file_in_cells(sap_multi *m) {
    sap_world *s = m->whole;
    uint32_t slot, slots = (uint32_t)sap__length(s->slots);
    int i;
    if (m->grid_boxes == 0 || sap__cells_are_old(m)) sap__choose_cells(m);
    for (;; sap__double_cells(m)) {
        if (!sap__room_for_cells(m, 1)) return 0;
        if (sap__length(m->cells) == 0) {
            sap__set_length(m->cells, 1);
            m->cells[0] = NULL;
        }
        if (!sap__new_cell(m, SAP__OUTSIDE)) return 0;
        sap__empty_cell(m->cells[SAP__OUTSIDE]);
        for (i = 1; i < sap__length(m->cells); i++)
            if (m->cells[i] && !m->cells[i]->is_pooled) sap__pool_cell(m, (uint32_t)i);
        sap__set_length(m->dirty, 0);
        sap__set_length(m->more, 0);
        m->free_more = SAP__NONE;
        for (slot = 0; slot < slots; slot++) m->places[slot].cell = m->places[slot].more = SAP__NONE;
        for (slot = 0; slot < slots && !sap__has_too_many_cells(m); slot++)
            if ((s->state[slot] & SAP__LIVE) && !sap__refile_box(m, slot)) return 0;
        if (slot == slots) break;
    }
    m->most_outside = 2 * m->cells[SAP__OUTSIDE]->world.live + s->live / 8 + 64;
    m->cells_filed = m->cells_used;
    return 1;
}

/* ====================================================================================================== */
/* >> settling in cells                                                                                      */
/* ====================================================================================================== */

/* An update goes in rounds: what the user's memory or filter is needed for runs on the caller's thread, the rest in
   jobs, one a cell. A job that lacks room ends early, says how much it needs, and is run again.

       file      caller   changed boxes to their cells (few), or
       gather    jobs     each cell fetches its boxes and tells which have left it (many); caller refiles these
       edit      caller   the boxes outside come in step, for all cells ask them
       settle    jobs     each cell brings its strips in step and finds overlaps that were none before
       end       jobs     each cell forgets what changed; shares of all pairs are looked through for those that end
       merge     caller   what was found becomes the whole's (Terdiman II.3d) */

static sap__cell *sap__job_cell(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    return m->cells[m->todo[index]];
}

static int sap__lies_between(const sap__box *box, const sap__box *borders) {
    return (box->lo[0] >= borders->lo[0]) & (box->hi[0] < borders->hi[0]) & (box->lo[1] >= borders->lo[1]) &
           (box->hi[1] < borders->hi[1]) & (box->lo[2] >= borders->lo[2]) & (box->hi[2] < borders->hi[2]);
}

static void sap__gather_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap__cell *c = sap__job_cell(data, index);
    sap_world *w = &c->world;
    uint32_t local, n = (uint32_t)sap__length(w->state);
    sap__range alone = {{0, 0, 0}, {1, 1, 1}, SAP__ALL_EDGES}; /* of a box in this cell only */
    memcpy(alone.lo, c->at, sizeof alone.lo);
    for (local = 0; local < n; local++) {
        uint32_t slot = c->slot[local];
        sap__range range;
        if (local + SAP__AHEAD < n) sap__prefetch_box(&m->whole->now[c->slot[local + SAP__AHEAD]]);
        if (!(w->state[local] & SAP__LIVE) || (w->state[local] & SAP__RECORDED)) continue;
        if (!(m->whole->state[slot] & SAP__RECORDED) || (m->whole->state[slot] & SAP__REMOVED)) continue;
        sap__note_change(m, c, local);
        if (c->range[local].edge != SAP__ALL_EDGES) continue; /* one of its cells looks after it */
        if (sap__lies_between(&w->now[local], &c->borders) && sap__same_range(&c->range[local], &alone)) continue;
        sap__range_of(m, &w->now[local], &range);
        if (!sap__same_range(&range, &c->range[local])) sap__push(c->leaving, slot);
    }
}

static void sap__edit_cell(sap__cell *c) {
    sap_world *w = &c->world;
    int k, forced = c->grid->whole->path;
    if (c->lacks_room) { /* a second run: the first one left strips that are in step, or not ready: build those */
        c->is_edited = (w->moving.ready || sap__file_all(w, &w->moving)) &&
                       (w->standing.ready || w->live_static == 0 || sap__file_all(w, &w->standing));
        return;
    }
    w->tests = 0;
    c->path = SAP__PRUNE_PART * (long long)c->changed[0] > w->live - w->live_static ? SAP_METHOD_PRUNE : SAP_METHOD_QUERY;
    if (forced == SAP_METHOD_PRUNE || forced == SAP_METHOD_QUERY) c->path = forced;
    if (2 * sap__length(w->list) > w->live) /* bounds only grow; now is the time to fit them */
        for (c->bounds = sap__nowhere, k = 0; k < sap__length(w->state); k++)
            if (w->state[k] & SAP__LIVE) sap__unite(&c->bounds, &w->now[k]);
    c->is_edited = sap__file_changes(w, c->path, c->changed);
    c->lacks_room = !c->is_edited;
}

/* The filter may have to be asked, which a job must not do: then it is left to the caller's thread. */
static int sap__must_ask(const sap_world *s) {
    return s->config.filter || s->fresh;
}

/* Hands on what overlaps now and did not before, or has a filter that may answer anew. As in sap__take_found, the
   news are picked out without a branch: nine of ten pairs are old ones. 0 if there is no room.
   asked: a asked for its overlaps. If b changed too it asked as well, and of the two answers one counts: within a cell
   that of the lower local slot, across cells that of b. Where asked is 0 all count. */
static int sap__report(sap__cell *c, sap__sink *sink, const sap__cell *cell_a, const sap__cell *cell_b, int asked) {
    sap_world *whole = c->grid->whole;
    const sap_world *a = &cell_a->world, *b = &cell_b->world;
    size_t n = (size_t)stbds_arrlen(c->out), first = n, news = n;
    uint32_t changed = asked ? SAP__RECORDED : 0;
    int fresh = whole->fresh > 0, i;
    if (n + (size_t)sink->found.count > stbds_arrcap(c->out)) return 0;
    for (i = 0; i < sink->found.count; i++) {
        uint32_t ia = sink->found.a[i] & SAP__SLOT, ib = sink->found.b[i] & SAP__SLOT;
        int is_fresh = fresh && ((a->state[ia] | b->state[ib]) & SAP__FRESH);
        int edge_a = cell_a->range[ia].edge, edge_b = cell_b->range[ib].edge;
        int owned = cell_a == cell_b ? (ia != ib) & ((edge_a | edge_b) == SAP__ALL_EDGES) : edge_b == SAP__ALL_EDGES;
        int twice = (b->state[ib] & changed) && (cell_a != cell_b || ib < ia);
        c->out[news] = sap__item(cell_a->slot[ia], cell_b->slot[ib]);
        news += (size_t)(owned & !twice & ((!sap__overlap(&a->was[ia], &b->was[ib])) | is_fresh));
    }
    if (sap__must_ask(whole)) n = news;
    for (; first < news && n != news; first++) {
        uint32_t sa = (uint32_t)(c->out[first] >> 32), sb = (uint32_t)c->out[first];
        sap_id ida = sap__id_of(whole, sa), idb = sap__id_of(whole, sb);
        c->out[n] = ida < idb ? sap__item(ida, idb) : sap__item(idb, ida);
        n += (size_t)sap__allowed(whole, sa, sb);
    }
    sap__set_length(c->out, n);
    return 1;
}

static int sap__take_swept(sap__sink *sink) {
    sap__cell *c = (sap__cell *)sink->context;
    return sap__report(c, sink, c, c, 0);
}

static int sap__take_answer(sap__sink *sink) {
    sap__cell *c = (sap__cell *)sink->context;
    return sap__report(c, sink, c, c, 1);
}

static int sap__take_from_outside(sap__sink *sink) {
    sap__cell *c = (sap__cell *)sink->context;
    return sap__report(c, sink, c, c->grid->cells[SAP__OUTSIDE], 0);
}

static int sap__take_for_outside(sap__sink *sink) {
    sap__cell *c = (sap__cell *)sink->context;
    return sap__report(c, sink, c->grid->cells[SAP__OUTSIDE], c, 1);
}

/* A box of one world asks another one: those that move, and if it is not static, static ones. */
static void sap__ask_world(const sap_world *s, const sap_world *of, uint32_t local, sap__sink *sink) {
    const sap__box *box = &of->now[local];
    sap__ask_moving(s, box, local, sink);
    if (s->live_static && !(of->state[local] & SAP__STATIC)) sap__ask(&s->standing, &s->kernel, box, local, sink);
}

/* Changed boxes of the cell ask the boxes outside, changed boxes outside ask those of the cell. Where
   both changed, the first answer counts. */
static int sap__ask_across(sap__cell *c, sap__cell *outside) {
    sap_world *w = &c->world, *o = &outside->world;
    sap__sink sink;
    int i;
    sap__sink_init(&sink, c, sap__take_from_outside);
    for (i = 0; i < sap__length(w->list) && o->live && !sink.stopped; i++) {
        uint32_t local = w->list[i];
        if (!(w->state[local] & SAP__LIVE) || c->range[local].edge != SAP__ALL_EDGES) continue;
        sap__ask_world(o, w, local, &sink);
    }
    sap__sink_flush(&sink);
    w->tests += sink.tests;
    if (sink.stopped) return 0;
    sap__sink_init(&sink, c, sap__take_for_outside);
    for (i = 0; i < sap__length(o->list) && w->live && !sink.stopped; i++) {
        uint32_t local = o->list[i];
        if (!(o->state[local] & SAP__LIVE) || !sap__overlap(&o->now[local], &c->bounds)) continue;
        sap__ask_world(w, o, local, &sink);
    }
    sap__sink_flush(&sink);
    w->tests += sink.tests;
    return !sink.stopped;
}

static void sap__find_in_cell(sap__cell *c) {
    sap__cell *outside = c->grid->cells[SAP__OUTSIDE];
    sap__set_length(c->out, 0);
    c->lacks_room = !sap__find_overlaps(&c->world, c->path, sap__take_swept, sap__take_answer, c) ||
                    (c != outside && !sap__ask_across(c, outside));
}

/* Both at once, for much of the cell is still in the cache. (All cells edited, and then all asked: with 1,050,000 and
   2,000,000 boxes, of which one in twenty walks, updates take 1.1 times as long.) */
static void sap__settle_job(void *data, int index) {
    sap__cell *c = sap__job_cell(data, index);
    if (!c->is_edited) sap__edit_cell(c);
    if (c->is_edited) sap__find_in_cell(c);
}

/* Cells forget what changed; the jobs behind them look through a share of all pairs each. */
static void sap__end_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap__cell *c;
    sap_world *w;
    int cells = sap__length(m->todo), i;
    if (index >= cells) {
        sap__lose_share(m, index - cells);
        return;
    }
    c = sap__job_cell(data, index);
    w = &c->world;
    for (i = 0; i < sap__length(w->list); i++) {
        uint32_t local = w->list[i];
        w->was[local] = w->now[local];
        if (w->state[local] & SAP__LIVE) {
            w->state[local] &= SAP__LIVE | SAP__STATIC;
        } else {
            w->state[local] = 0;
            sap__push(c->free, local);
        }
    }
    sap__set_length(w->list, 0);
    c->changed[0] = c->changed[1] = c->changed[2] = 0;
}

/* Room for all that a job may do with so many boxes, but for what nobody can know before: a build's chunks, and how
   many pairs are found. */
static int sap__room_for_job(sap__cell *c) {
    sap_world *w = &c->world;
    int n = sap__length(w->state), strips = sap__most_strips(n);
    return sap__room(&w->filed, n) && sap__room_to_build(&w->moving, n, n, strips) &&
           ((w->live_static == 0 && c->changed[1] == 0) || sap__room_to_build(&w->standing, n, n, strips)) &&
           sap__room(&c->out, 2 * SAP__BATCH);
}

static int sap__grow_strips(sap__cell *c) {
    return sap__strips_grow(&c->world.moving) && sap__strips_grow(&c->world.standing);
}

static int sap__grow_out(sap__cell *c) {
    if (!sap__room(&c->out, 4 * stbds_arrcap(c->out))) return 0;
    c->world.moving.grid_tests = -1; /* it was an unfinished sweep that counted */
    return 1;
}

/* A job for each dirty cell. Returns how many these are. */
static int sap__list_jobs(sap_multi *m) {
    int i, n = sap__length(m->dirty);
    sap__set_length(m->todo, n);
    for (i = 0; i < n; i++) m->todo[i] = m->dirty[i];
    return n;
}

/* Every dirty cell. Those that lack room grow and are run again, until none does. 0 without memory. */
static int sap__settle_cells(sap_multi *m) {
    sap__cell *outside = m->cells[SAP__OUTSIDE];
    int i, n = sap__list_jobs(m);
    for (i = 0; i < n; i++) m->cells[m->todo[i]]->lacks_room = m->cells[m->todo[i]]->is_edited = 0;
    while (outside->is_dirty && !outside->is_edited) {
        sap__edit_cell(outside);
        if (!outside->is_edited && !sap__grow_strips(outside)) return 0;
    }
    while (n > 0) {
        int again = 0;
        sap__run(m, sap__settle_job, n);
        for (i = 0; i < n; i++) {
            sap__cell *c = m->cells[m->todo[i]];
            if (!c->lacks_room) continue;
            if (!(c->is_edited ? sap__grow_out(c) : sap__grow_strips(c))) return 0;
            m->todo[again++] = m->todo[i];
        }
        n = again;
    }
    return 1;
}

/* Which pairs end: of few changed boxes by their lists, of many by looking through all pairs, in shares. */
static int sap__lose_in_shares(sap_multi *m, int many) {
    int cells = sap__list_jobs(m), shares = many ? sap__shares_of_pairs(m) : 0;
    if (shares < 0) return 0;
    sap__run(m, sap__end_job, cells + shares);
    if (shares) return sap__join_lost(m);
    return many ? sap__lose_by_pairs(m->whole) : sap__lose_changed(m->whole);
}

/* What the cells found becomes the whole's, each pair once. */
static int sap__merge(sap_multi *m) {
    sap_world *s = m->whole;
    int i, j, count = 0, cells = sap__length(m->dirty);
    long long n = 0;
    for (i = 0; i < cells; i++) {
        const sap__cell *c = m->cells[m->dirty[i]];
        s->tests += c->world.tests;
        n += sap__length(c->out);
    }
    if (n > INT_MAX) return sap__trouble(s, SAP_ERROR_LIMIT);
    if (!sap__room(&s->found, n) || !sap__room(&s->tmp, n)) return sap__trouble(s, SAP_ERROR_MEMORY);
    for (i = 0, n = 0; i < cells; i++) {
        uint64_t *out = m->cells[m->dirty[i]]->out;
        int more = sap__length(out);
        if (!sap__must_ask(s)) {
            if (more) memcpy(s->found + n, out, (size_t)more * sizeof *out);
            n += more;
            sap__set_length(s->found, n);
        } else
            for (j = 0; j < more; j++) sap__take_overlap(s, (uint32_t)(out[j] >> 32), (uint32_t)out[j]);
    }
    n = m->finds_twice ? sap__length(s->found) : 0; /* else each has been found once, and the whole will sort them */
    if (n == 0) return 1;
    sap__sort_pairs(s->found, s->tmp, (int)n);
    for (i = 0; i < n; i++)
        if (i == 0 || s->found[i] != s->found[i - 1]) s->found[count++] = s->found[i];
    sap__set_length(s->found, count);
    return 1;
}

/* Boxes outside that changed will ask all cells that they overlap, also those where nothing changed. */
static void sap__mark_asked(sap_multi *m) {
    const sap__cell *outside = m->cells[SAP__OUTSIDE];
    int i, j;
    for (i = 1; i < sap__length(m->cells); i++) {
        const sap__cell *c = m->cells[i];
        if (!c || c->is_pooled || c->is_dirty) continue;
        for (j = 0; j < sap__length(outside->world.list) && !c->is_dirty; j++) {
            uint32_t local = outside->world.list[j];
            if (sap__overlap(&outside->world.now[local], &c->bounds)) sap__mark_dirty(m, (uint32_t)i);
        }
    }
}

/* Files, box by box, what changed and has one of the flags. */
static int sap__file_each(sap_multi *m, uint32_t flags) {
    const sap_world *s = m->whole;
    int i, n = sap__length(s->list);
    for (i = 0; i < n; i++)
        if ((s->state[s->list[i]] & flags) && !sap__file_one(m, s->list[i])) return 0;
    return 1;
}

/* The boxes that a gather job found to touch other cells now. */
static int sap__refile_leaving(sap_multi *m, sap__cell *c) {
    int i, n = sap__length(c->leaving);
    for (i = 0; i < n; i++) {
        if (i + SAP__AHEAD < n) {
            sap__prefetch(&m->places[c->leaving[i + SAP__AHEAD]]);
            sap__prefetch_box(&m->whole->now[c->leaving[i + SAP__AHEAD]]);
        }
        if (!sap__refile_box(m, c->leaving[i])) return 0;
    }
    sap__set_length(c->leaving, 0);
    return 1;
}

/* Files what changed where that is much: every cell fetches its boxes in a job. Left to this thread are boxes that
   touch other cells now, and those that came or went. */
static int sap__gather_changes(sap_multi *m) {
    int i, n;
    sap__set_length(m->dirty, 0);
    for (i = 0; i < sap__length(m->cells); i++)
        if (m->cells[i] && !m->cells[i]->is_pooled) sap__mark_dirty(m, (uint32_t)i);
    n = sap__list_jobs(m); /* cells that are new come behind these, and have gathered nothing */
    sap__run(m, sap__gather_job, n);
    for (i = 0; i < n; i++)
        if (!sap__refile_leaving(m, m->cells[m->dirty[i]])) return 0;
    return sap__file_each(m, SAP__ADDED | SAP__REMOVED);
}

/* What the jobs need in each cell, and must not fetch themselves. */
static int sap__prepare_cells(sap_multi *m) {
    int i;
    for (i = 0; i < sap__length(m->dirty); i++) {
        m->cells[m->dirty[i]]->world.kernel = m->whole->kernel;
        if (!sap__room_for_job(m->cells[m->dirty[i]])) return 0;
    }
    return 1;
}

/* The cells have settled. Those that have lost their last box go to the pool. */
static void sap__clean_cells(sap_multi *m) {
    int i;
    for (i = 0; i < sap__length(m->dirty); i++) {
        uint32_t cell = m->dirty[i];
        m->cells[cell]->is_dirty = 0;
        if (cell != SAP__OUTSIDE && m->cells[cell]->world.live == 0) sap__pool_cell(m, cell);
    }
    sap__set_length(m->dirty, 0);
}

/* The whole calls it in place of its own ways; see sap__settle. */
static int sap__settle_in_cells(sap_world *s) {
    sap_multi *m = s->multi;
    int many = SAP__PRUNE_PART * (long long)sap__length(s->list) > s->live, good;
    const int filed = m->is_filed && !sap__cells_are_old(m);
    m->is_filed = 0; /* until all is well */
    if (!sap__room_for_places(m)) return 0;
    good = !filed ? sap__file_in_cells(m) : many ? sap__gather_changes(m) : sap__file_each(m, SAP__RECORDED);
    if (!good) return 0;
    sap__mark_asked(m);
    if (!sap__prepare_cells(m) || !sap__settle_cells(m) || !sap__merge(m) || !sap__lose_in_shares(m, many)) return 0;
    sap__clean_cells(m);
    m->is_filed = 1;
    return 1;
}

/* ====================================================================================================== */
/* >> shares: one world's strips on several threads                                                          */
/* ====================================================================================================== */

/* Where no grid is in use, threads share the strips of the whole. A share is the whole as one thread sees it: the same
   boxes and strips, but lists and results of its own; and of the strips it writes and sweeps those [begin, end) only.
   So what a job runs is sap.h's code, given a share in place of the world.

       span      jobs     few changed: which strips do they leave and enter, or:
       reread    jobs     many: filed boxes take their new bounds where they are; who leaves its strips is listed
       file      jobs     those who leave and enter strips: each share looks through all of them for its own
       find      jobs     each share sweeps its strips, or its part of the changed boxes asks
       lose      jobs     of the changed boxes, or of all pairs a part: which of them end; beside the others
       merge     caller   what was found and lost becomes the whole's

   A build from nothing is that of sap__strips_build, each of its loops in shares of the boxes; where slices do not suit
   these, the caller sorts them. */

struct sap__build { /* what a share counts in a build */
    sap__corners corners;
    int copies[SAP__MOST_STRIPS], cursor[SAP__MOST_STRIPS];
    uint32_t slices[SAP__MOST_SLICES];
};

static sap_world *sap__job_share(void *data, int index) {
    return &((sap_multi *)data)->shares[index];
}

/* What a share has for itself. 0 without memory. */
static int sap__room_for_shares(sap_multi *m, int boxes, int chunks, int pairs, int lost) {
    int k;
    if (!sap__room(&m->shares, SAP__SHARES) || !sap__room(&m->changes, (long long)boxes + 1) ||
        !sap__room(&m->builds, SAP__SHARES))
        return 0;
    for (k = sap__length(m->shares); k < SAP__SHARES; k++) memset(&m->shares[k], 0, sizeof *m->shares);
    sap__set_length(m->shares, SAP__SHARES);
    for (k = 0; k < SAP__SHARES; k++) {
        sap_world *v = &m->shares[k];
        if (!sap__room(&v->list, boxes / SAP__SHARES + 1) || !sap__room(&v->moving.free_chunks, chunks) ||
            !sap__room(&v->moving.tmp, 3 * (boxes / 2 / SAP__SHARES) + 128) ||
            !sap__room(&v->found, (long long)pairs + SAP__MOST_FOUND) || !sap__room(&v->lost, lost))
            return 0;
    }
    return 1;
}

static void sap__free_shares(sap_multi *m) {
    int k;
    for (k = 0; k < sap__length(m->shares); k++) {
        sap_world *v = &m->shares[k];
        sap__free_array(&v->list);
        sap__free_array(&v->moving.free_chunks);
        sap__free_array(&v->moving.tmp);
        sap__free_array(&v->found);
        sap__free_array(&v->lost);
    }
    sap__free_array(&m->shares);
    sap__free_array(&m->changes);
    sap__free_array(&m->builds);
}

static size_t sap__shares_bytes(const sap_multi *m) {
    size_t bytes = sap__bytes_of(m->shares) + sap__bytes_of(m->changes) + sap__bytes_of(m->builds);
    int k;
    for (k = 0; k < sap__length(m->shares); k++) {
        const sap_world *v = &m->shares[k];
        bytes += sap__bytes_of(v->list) + sap__bytes_of(v->moving.free_chunks) + sap__bytes_of(v->moving.tmp) +
                 sap__bytes_of(v->found) + sap__bytes_of(v->lost);
    }
    return bytes;
}

/* Each share becomes the whole again, but for what is its own: strips of about as many chunks, a part of the free ones,
   and room for what it will find. 0 without memory. */
static int sap__open_shares(sap_multi *m) {
    sap_world *s = m->whole;
    sap__strips *t = &s->moving;
    int k, at = 0, strips = sap__wide_strip(t) + 1, spare = sap__length(t->free_chunks);
    long long chunks = (long long)sap__length(t->chunks) - spare, seen = 0;
    if (!sap__room_for_shares(m, sap__length(s->state), sap__length(t->chunks),
                              m->is_reserved ? 0 : 2 * s->newcomers / SAP__SHARES,
                              sap__length(s->pairs) / SAP__LISTS_PART / SAP__SHARES))
        return 0;
    for (k = 0; k < SAP__SHARES; k++) {
        sap_world *v = &m->shares[k], own = *v;
        int from = sap__share_from(spare, k), n = sap__share_from(spare, k + 1) - from;
        *v = *s;
        v->is_share = 1;
        v->list = own.list;
        v->found = own.found;
        v->lost = own.lost;
        v->moving.tmp = own.moving.tmp;
        v->moving.free_chunks = own.moving.free_chunks;
        sap__set_length(v->moving.free_chunks, n);
        if (n) memcpy(v->moving.free_chunks, t->free_chunks + from, (size_t)n * sizeof *t->free_chunks);
        v->moving.walked = 0;
        v->moving.begin = at;
        while (at < strips && (k + 1 == SAP__SHARES || seen * SAP__SHARES < chunks * (k + 1)))
            seen += t->strip[at++].count;
        v->moving.end = at;
    }
    return 1;
}

/* The free chunks are the whole's again. The strips are in step if those of all shares are. */
static void sap__close_shares(sap_multi *m) {
    sap__strips *t = &m->whole->moving;
    int k, n = 0;
    for (k = 0; k < SAP__SHARES; k++) {
        const sap__strips *part = &m->shares[k].moving;
        int more = sap__length(part->free_chunks);
        if (more) memcpy(t->free_chunks + n, part->free_chunks, (size_t)more * sizeof *t->free_chunks);
        n += more;
        t->ready &= part->ready;
    }
    sap__set_length(t->free_chunks, n);
}

static void sap__span_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap_world *s = m->whole;
    int i, n = sap__length(s->list), end = sap__share_from(n, index + 1);
    for (i = sap__share_from(n, index); i < end; i++) {
        uint32_t slot = s->list[i];
        if (i + SAP__AHEAD < n) sap__prefetch_box(&s->now[s->list[i + SAP__AHEAD]]);
        if ((s->state[slot] & m->flags) && !(s->state[slot] & SAP__STATIC))
            sap__change_of(s, &s->moving, slot, &m->changes[i]);
        else
            m->changes[i].from = m->changes[i].to = SAP__NO_SPAN;
    }
}

/* May one of the span's strips be ours? By its rows. */
SAP__INLINE int sap__span_is_ours(const sap__strips *t, uint32_t packed) {
    int first = (int)(packed & 255), last = (int)(packed >> 8 & 255);
    if (packed == SAP__WIDE_SPAN) return t->end > sap__wide_strip(t);
    return first << t->bits[1] < t->end && (last + 1) << t->bits[1] > t->begin;
}

static void sap__file_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap_world *v = sap__job_share(data, index);
    sap__strips *t = &v->moving;
    int i, n = sap__length(m->changes);
    for (i = 0; i < n && t->ready; i++) {
        const sap__change *change = &m->changes[i];
        if (!sap__span_is_ours(t, change->from) && !sap__span_is_ours(t, change->to)) continue;
        (void)sap__change_strips(t, &m->filed_at[change->slot], &v->now[change->slot], change);
        if (t->walked > 4 * (long long)v->live) t->ready = 0;
    }
}

static void sap__reread_job(void *data, int index) {
    sap_world *v = sap__job_share(data, index);
    int leaving = sap__strips_reread(&v->moving, v->now, (int)stbds_arrcap(v->moving.tmp) / 3);
    if (leaving < 0) v->moving.ready = 0;
    sap__set_length(v->moving.tmp, leaving < 0 ? 0 : leaving);
}

/* The boxes that have one of the flags: from the strips where they were to those where they are. */
static int sap__change_in_shares(sap_multi *m, uint32_t flags) {
    if (!sap__open_shares(m)) return 0;
    m->flags = flags;
    m->filed_at = m->whole->was;
    sap__set_length(m->changes, sap__length(m->whole->list));
    sap__run(m, sap__span_job, SAP__SHARES);
    sap__run(m, sap__file_job, SAP__SHARES);
    sap__close_shares(m);
    return 1;
}

/* As sap__strips_refresh. */
static int sap__refresh_in_shares(sap_multi *m) {
    sap__strips *t = &m->whole->moving;
    int i, k, n = 0;
    if (!sap__open_shares(m)) return 0;
    sap__run(m, sap__reread_job, SAP__SHARES);
    for (k = 0; k < SAP__SHARES; k++) {
        uint64_t *leaving = m->shares[k].moving.tmp;
        for (i = 0; i < sap__length(leaving); i++) n += sap__take_leaving(t, leaving[i], &m->changes[n]);
    }
    sap__set_length(m->changes, n);
    m->filed_at = m->whole->now;
    sap__run(m, sap__file_job, SAP__SHARES);
    sap__close_shares(m);
    return 1;
}

/* ---- a build in shares ---------------------------------------------------------------------------------------- */

static void sap__span_boxes_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap__build *b = &m->builds[index];
    sap__strips *t = &m->whole->moving;
    sap__span_boxes(t, &m->whole->kernel, m->whole->now, m->build_slots, sap__share_from(m->build_count, index),
                    sap__share_from(m->build_count, index + 1), &b->corners, b->slices);
    sap__sum_corners(t, &b->corners, b->copies);
}

static void sap__slice_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap__slice_boxes(&m->whole->moving, m->build_slots, sap__share_from(m->build_count, index),
                     sap__share_from(m->build_count, index + 1), m->builds[index].slices);
}

/* What a share has of a slice comes behind what those before it have. The sum of the squares of the slices' counts. */
static uint64_t sap__sum_slices(sap_multi *m) {
    uint64_t squares = 0;
    uint32_t sum = 0;
    int i, k;
    for (i = 0; i < m->whole->moving.slices; i++) {
        uint32_t before = sum;
        for (k = 0; k < SAP__SHARES; k++) {
            uint32_t count = m->builds[k].slices[i];
            m->builds[k].slices[i] = sum;
            sum += count;
        }
        squares += (uint64_t)(sum - before) * (sum - before);
    }
    return squares;
}

/* The copies of the boxes in slice order, so that each share knows where in each strip its own begin. */
static void sap__count_copies_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap__build *b = &m->builds[index];
    const sap__strips *t = &m->whole->moving;
    int i, n = m->build_count, end = sap__share_from(n, index + 1);
    memset(&b->corners, 0, sizeof b->corners);
    for (i = sap__share_from(n, index); i < end; i++) {
        sap__span span;
        int low, high;
        sap__unpack_span((uint32_t)(t->tmp[i] >> 32), &span);
        low = span.lo[0] * SAP__COLUMNS + span.lo[1];
        high = (span.hi[0] + 1) * SAP__COLUMNS + span.lo[1];
        if (span.wide)
            b->corners.wide++;
        else
            sap__count_corners(&b->corners, low, high, span.hi[1] + 1 - span.lo[1]);
    }
    sap__sum_corners(t, &b->corners, b->copies);
}

static void sap__fill_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap__fill_strips(&m->whole->moving, sap__share_from(m->build_count, index),
                     sap__share_from(m->build_count, index + 1), m->builds[index].cursor);
}

static void sap__read_job(void *data, int index) {
    sap_world *v = sap__job_share(data, index);
    sap__read_strips(&v->moving, v->now);
}

/* As sap__file_all. */
static int sap__build_in_shares(sap_multi *m) {
    sap_world *s = m->whole;
    sap__strips *t = &s->moving;
    int copies[SAP__MOST_STRIPS], k, i, n = sap__list_kind(s, 0, &m->build_slots);
    t->ready = 0;
    if (n < 0 || !sap__room(&m->builds, SAP__SHARES)) return 0;
    m->build_count = n;
    t->slices = sap__slices_for(n);
    if (sap__grid_is_old(t, n)) sap__choose_grid(t, s->now, m->build_slots, n);
    if (!sap__room_to_build(t, n, sap__length(s->state), sap__wide_strip(t) + 1)) return 0;
    sap__slice_axis(t);
    for (;; sap__halve_grid(t)) {
        sap__run(m, sap__span_boxes_job, SAP__SHARES);
        for (i = 0; i <= sap__wide_strip(t); i++)
            for (copies[i] = k = 0; k < SAP__SHARES; k++) copies[i] += m->builds[k].copies[i];
        if (sap__are_few_copies(t, copies, n)) break;
    }
    if (!sap__lay_directory(t, copies)) return 0;
    if (sap__slices_suit(t, sap__sum_slices(m), copies, n))
        sap__run(m, sap__slice_job, SAP__SHARES);
    else
        sap__sort_boxes(t, s->now, m->build_slots, n);
    sap__note_slices(t, s->now, n);
    sap__lay_chunks(t, copies);
    sap__run(m, sap__count_copies_job, SAP__SHARES);
    for (i = t->begin; i < t->end; i++) {
        int before = 0;
        for (k = 0; k < SAP__SHARES; k++) {
            m->builds[k].cursor[i] = sap__cursor_after(t, i, before);
            before += m->builds[k].copies[i];
        }
    }
    sap__run(m, sap__fill_job, SAP__SHARES);
    if (!sap__open_shares(m)) return 0;
    sap__run(m, sap__read_job, SAP__SHARES);
    return t->ready = 1;
}

/* Brings the strips of moving boxes in step; those of static ones, of which few move, are the caller's thread's. */
static int sap__file_in_shares(sap_multi *m, const int changed[3]) {
    sap_world *s = m->whole;
    sap__strips *t = &s->moving;
    int moving = s->live - s->live_static, good = 1, refreshes = m->path == SAP_METHOD_PRUNE;
    t->ready &= refreshes ? sap__may_refresh(s) : 4 * (long long)changed[0] <= moving;
    if (!sap__room(&t->spans, sap__length(s->state))) return sap__trouble(s, SAP_ERROR_MEMORY);
    if (t->ready && (refreshes ? changed[2] : changed[0]))
        good = sap__change_in_shares(m, refreshes ? SAP__ADDED | SAP__REMOVED : SAP__RECORDED);
    if (good && t->ready && refreshes) good = sap__refresh_in_shares(m);
    if (!good) return sap__trouble(s, SAP_ERROR_MEMORY);
    return (t->ready || sap__build_in_shares(m) || sap__trouble(s, SAP_ERROR_MEMORY)) &&
           sap__refile(s, &s->standing, changed[1], s->live_static);
}

/* A share that lacks room ends early, and is run again. The jobs behind those of the shares look through pairs. */
static void sap__find_share_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    sap_world *v;
    if (index >= SAP__SHARES) {
        sap__lose_share(m, index - SAP__SHARES);
        return;
    }
    v = sap__job_share(data, index);
    if (m->is_done[index]) return;
    sap__set_length(v->found, 0);
    sap__set_length(v->lost, 0);
    v->tests = 0;
    if (!sap__find_overlaps(v, m->path, sap__take_found, sap__take_asked, v)) return;
    m->is_done[index] = 1;
    if (m->path == SAP_METHOD_QUERY && !sap__asks_user(v))
        m->lost[index] =
            sap__look_through_lists(v, SAP__RECORDED, sap__length(v->pairs) / SAP__LISTS_PART / SAP__SHARES) > 0;
}

/* What the shares found becomes the whole's, if the filter allows it. */
static int sap__merge_shares(sap_multi *m) {
    sap_world *s = m->whole;
    long long tests = 0;
    int i, k;
    for (k = 0; k < SAP__SHARES; k++) {
        uint64_t *found = m->shares[k].found;
        int n = sap__length(found);
        tests += m->shares[k].moving.sweep_tests;
        s->tests += m->shares[k].tests;
        if (!s->config.filter && !sap__room_for_news(s, n)) return 0;
        for (i = 0; i < n; i++) {
            if (s->config.filter) {
                uint32_t a = sap__slot_of((sap_id)(found[i] >> 32)), b = sap__slot_of((sap_id)found[i]);
                if (!sap__filter_allows(s, a, b)) continue;
                if (!sap__room_for_news(s, 1)) return 0;
            }
            sap__push(s->found, found[i]);
        }
    }
    if (m->path == SAP_METHOD_PRUNE) sap__note_sweep(&s->moving, tests);
    return 1;
}

/* Which pairs of few changed boxes end, as their shares found; if those were too many, all pairs are looked through. */
static int sap__merge_lost(sap_multi *m) {
    sap_world *s = m->whole;
    int k, n = 0, good = !sap__asks_user(s);
    for (k = 0; k < SAP__SHARES; k++) {
        good = good && m->lost[k];
        n += sap__length(m->shares[k].lost);
    }
    if (!good) return sap__lose_by_pairs(s);
    if (!sap__room(&s->lost, n)) return sap__trouble(s, SAP_ERROR_MEMORY);
    for (k = 0; k < SAP__SHARES; k++) {
        uint32_t *lost = m->shares[k].lost;
        int i;
        for (i = 0; i < sap__length(lost); i++) sap__push(s->lost, lost[i]);
    }
    return sap__sort_lost(s);
}

/* Finds what begins; and, where much changed, what ends. */
static int sap__find_in_shares(sap_multi *m) {
    sap_world *s = m->whole;
    int k, n = sap__length(s->list), lists = m->path == SAP_METHOD_QUERY || s->live_static;
    int more = m->path == SAP_METHOD_PRUNE ? sap__shares_of_pairs(m) : 0, jobs = SAP__SHARES + more;
    if (more < 0) return sap__trouble(s, SAP_ERROR_MEMORY);
    if (m->path == SAP_METHOD_QUERY) sap__link_pairs(s, SAP__LISTS);
    if (!sap__open_shares(m)) return sap__trouble(s, SAP_ERROR_MEMORY);
    for (k = 0; k < SAP__SHARES; k++) {
        sap_world *v = &m->shares[k];
        int from = sap__share_from(n, k), count = lists ? sap__share_from(n, k + 1) - from : 0;
        sap__set_length(v->list, count);
        if (count) memcpy(v->list, s->list + from, (size_t)count * sizeof *v->list);
        m->is_done[k] = 0;
    }
    while (jobs) {
        sap__run(m, sap__find_share_job, jobs);
        for (jobs = k = 0; k < SAP__SHARES; k++) {
            sap_world *v = &m->shares[k];
            if (m->is_done[k]) continue;
            if (v->trouble == SAP_ERROR_LIMIT) return sap__trouble(s, SAP_ERROR_LIMIT);
            if (m->is_reserved && sap__length(s->pairs) <= m->reserved_pairs) /* alone, in the room that was reserved */
                return sap__find_changes(s, m->path);
            if (!sap__room(&v->found, 4 * stbds_arrcap(v->found))) return sap__trouble(s, SAP_ERROR_MEMORY);
            jobs = SAP__SHARES;
        }
    }
    if (!sap__merge_shares(m)) return 0;
    return more ? sap__join_lost(m) : m->path == SAP_METHOD_PRUNE ? sap__lose_by_pairs(s) : sap__merge_lost(m);
}

/* The whole calls it in place of sap__settle_by_strips where much has changed. */
static int sap__settle_in_shares(sap_world *s, int path, const int changed[3]) {
    s->multi->path = path;
    return sap__file_in_shares(s->multi, changed) && sap__find_in_shares(s->multi);
}

/* ---- recording on threads ------------------------------------------------------------------------------------ */

/* Live boxes differ in their ids as in their slots: by either of the two the shares can be told apart. */
static uint32_t sap__move_key(const sap_multi *m, int i) {
    return m->by_slot ? sap__slot_of(m->ids[i]) : m->ids[i];
}

/* Whether the share moves none but its own boxes: those from its first key on, before the next share's first. Ids or
   slots that ascend are told apart, and some that nearly do. */
static int sap__is_apart(const sap_multi *m, int from, int to) {
    uint32_t first = from ? sap__move_key(m, from) : 0, end = to < m->moves ? sap__move_key(m, to) : ~0u;
    int i, apart = 1;
    for (i = from; i < to; i++) {
        uint32_t key = sap__move_key(m, i);
        apart &= (key >= first) & (key < end);
    }
    return apart;
}

static void sap__check_moves_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    const sap_world *s = m->whole;
    int i, from = sap__share_from(m->moves, index), to = sap__share_from(m->moves, index + 1);
    m->result[index] = sap__check_moves(s, m->ids, m->boxes, from, to);
    m->recorded[index] = 0;
    if (m->result[index] != SAP_OK) return;
    for (i = from; i < to; i++) m->recorded[index] += !(s->state[sap__slot_of(m->ids[i])] & SAP__RECORDED);
}

static void sap__write_moves_job(void *data, int index) {
    sap_multi *m = (sap_multi *)data;
    int from = sap__share_from(m->moves, index), to = sap__share_from(m->moves, index + 1);
    m->recorded[index] = 0;
    m->result[index] = SAP_ERROR_ARGUMENT;
    if (sap__is_apart(m, from, to))
        m->recorded[index] =
            sap__write_moves(m->whole, m->ids, m->boxes, from, to, m->record_at[index], &m->result[index]);
}

/* Moves all in shares that m->by_slot tells apart. 0 if it does not, or a move is bad: then nothing was moved. */
static int sap__write_moves_apart(sap_multi *m) {
    sap_world *s = m->whole;
    int k, good = 1, recorded = sap__length(s->record);
    for (k = 2; k < SAP__SHARES; k++) /* what is not sorted at all is seen here */
        good &= sap__move_key(m, sap__share_from(m->moves, k - 1)) <= sap__move_key(m, sap__share_from(m->moves, k));
    if (!good) return 0;
    sap__run(m, sap__write_moves_job, SAP__SHARES);
    for (k = 0; k < SAP__SHARES; k++) good &= m->result[k] == SAP_OK;
    for (k = 0; k < SAP__SHARES; k++) {
        if (!good)
            sap__take_moves_back(s, m->record_at[k], m->recorded[k]);
        else if (recorded < m->record_at[k])
            memmove(s->record + recorded, s->record + m->record_at[k], (size_t)m->recorded[k] * sizeof *s->record);
        recorded += m->recorded[k];
    }
    if (good) sap__set_length(s->record, recorded);
    return good;
}

/* As sap_move_many; 0 if that is to do it, and to say what is wrong. */
static int sap__move_in_shares(sap_multi *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap_world *s = m->whole;
    int k, recorded = sap__length(s->record), at = recorded;
    if (!m->config.parallel || s->in_filter || (s->tree && s->tree->ready) || n < s->threads_from) return 0;
    m->ids = ids;
    m->boxes = boxes;
    m->moves = n;
    for (k = 0; k < SAP__SHARES; k++) {
        m->recorded[k] = sap__share_from(n, k + 1) - sap__share_from(n, k); /* at most */
        m->result[k] = SAP_OK;
    }
    if (recorded) sap__run(m, sap__check_moves_job, SAP__SHARES); /* those could not be taken back */
    for (k = 0; k < SAP__SHARES; k++) {
        if (m->result[k] != SAP_OK) return 0;
        m->record_at[k] = at;
        at += m->recorded[k];
    }
    if (at > sap__length(s->slots)) return 0; /* some are moved twice: no room to record them all */
    if (sap__write_moves_apart(m)) return 1;
    m->by_slot = !m->by_slot; /* stays so for the next time */
    return sap__write_moves_apart(m);
}

/* ====================================================================================================== */
/* >> multi: the verbs                                                                                        */
/* ====================================================================================================== */

/* A grid in the config that contradicts itself; axes that are not used are not looked at. */
static int sap__is_bad_grid(const sap_multi_config *c) {
    int axes = c->sap.axes ? c->sap.axes : 7, given = 0, k;
    if (c->entries < 0) return 1;
    for (k = 0; k < 3; k++)
        given |= (axes >> k & 1) && (sap__key(c->bounds.min[k]) != 0 || sap__key(c->bounds.max[k]) != 0);
    for (k = 0; k < 3; k++) {
        int32_t lo, hi, size;
        if (!(axes >> k & 1)) continue;
        lo = sap__key(c->bounds.min[k]), hi = sap__key(c->bounds.max[k]), size = sap__key(c->cell_size[k]);
        if (c->cells[k] < 0 || size < 0 || size > SAP__INFINITY) return 1;
        if (lo > hi || lo < -SAP__INFINITY || hi > SAP__INFINITY) return 1;
        if (given && c->cells[k] > 1 && (lo == hi || lo == -SAP__INFINITY || hi == SAP__INFINITY)) return 1;
    }
    return 0;
}

SAP_DEF sap_multi *sap_multi_create(const sap_multi_config *config) {
    sap_multi *m;
    if (config && sap__is_bad_grid(config)) return NULL;
    m = (sap_multi *)SAP_REALLOC(NULL, sizeof *m);
    if (!m) return NULL;
    memset(m, 0, sizeof *m);
    if (config) m->config = *config;
    m->grid_from = SAP__TRACES ? INT_MAX : SAP__CELLS_FROM;
    m->free_more = SAP__NONE;
    m->whole = sap_create(config ? &config->sap : NULL);
    if (!m->whole) {
        SAP_FREE(m);
        return NULL;
    }
    m->whole->multi = m;
    if (!m->config.parallel) return m;
    m->whole->run_steps = sap__run_steps;
    m->whole->settle_in_shares = sap__settle_in_shares;
    m->whole->threads_from = SAP__THREADS_FROM;
    return m;
}

/* Gives back all memory of the grid; from now on the whole settles by itself. */
static void sap__free_cells(sap_multi *m) {
    int i;
    for (i = 0; i < sap__length(m->cells); i++) sap__free_cell(m, (uint32_t)i);
    sap__free_array(&m->cells);
    sap__free_array(&m->table);
    sap__free_array(&m->pool);
    sap__free_array(&m->dirty);
    sap__free_array(&m->todo);
    sap__free_array(&m->places);
    sap__free_array(&m->more);
    m->pool_freed = m->cells_used = m->is_filed = m->grid_boxes = 0;
}

SAP_DEF void sap_multi_destroy(sap_multi *m) {
    if (!m) return;
    if (sap__is_busy(m->whole)) {
        m->whole->last_error = SAP_ERROR_BUSY;
        return;
    }
    sap__free_cells(m);
    sap__free_shares(m);
    sap_destroy(m->whole);
    SAP_FREE(m);
}

/* The grid is used from m->grid_from boxes on, and until half of them are gone. While most boxes move it is not worth
   it: the whole then settles by itself, in shares if there are threads, until so many updates have been calm.
   grid_from == 0: the grid always, for tests. The grid's time by that of one world, one in twenty boxes moving: with a
   lower limit 1,050,000 boxes 1.00, 2,000,000 0.97; with this one 2,100,000 0.97, 4,000,000 0.95, 8,400,000 0.94. */
static void sap__choose_cells_or_whole(sap_multi *m) {
    sap_world *s = m->whole;
    int uses = s->settle_in_cells != NULL, most_move = 4 * (long long)sap__length(s->record) > s->live, calm = 1;
    if (m->grid_from > 0) {
        if (most_move && m->crowded < SAP__CROWDED)
            m->crowded++;
        else if (!most_move && m->crowded > 0)
            m->crowded--;
        calm = uses ? m->crowded < SAP__CROWDED : m->crowded == 0;
    }
    if (!uses && s->live >= m->grid_from && calm) { /* the whole's own indices are in use no more */
        s->settle_in_cells = sap__settle_in_cells;
        s->ends_ready = s->moving.ready = s->standing.ready = 0;
        if (!m->is_reserved) {
            sap__strips_free(&s->moving);
            sap__strips_free(&s->standing);
        }
    } else if (uses && (2 * (long long)s->live < m->grid_from || !calm)) {
        s->settle_in_cells = NULL;
        sap__free_cells(m);
    }
}

/* A failed update leaves the cells ahead of the pairs: next time all is filed anew. As it is where the boxes have left
   the grid, or gathered in a corner of it: after a shift of the origin all may be in one outer cell. */
static void sap__after_update(sap_multi *m, int failed) {
    if (failed) m->is_filed = 0;
    if (!m->whole->settle_in_cells || !m->is_filed) return;
    m->updates++;
    sap__drain_pool(m);
    if (sap__has_too_many_cells(m)) m->is_filed = 0;
    if (m->cells[SAP__OUTSIDE]->world.live > m->most_outside || 2 * m->cells_used < m->cells_filed)
        m->is_filed = m->grid_boxes = 0;
}

SAP_DEF sap_result sap_multi_update(sap_multi *m) {
    sap_result r;
    if (!m) return SAP_ERROR_ARGUMENT;
    if (!sap__is_busy(m->whole)) sap__choose_cells_or_whole(m);
    r = sap_update(m->whole);
    if (r != SAP_ERROR_BUSY) sap__after_update(m, r != SAP_OK);
    return r;
}

SAP_DEF int sap_multi_dump_pairs(sap_multi *m, sap_create_pair *create, sap_delete_pair *del, void *user) {
    sap_result r = sap_multi_update(m);
    return r == SAP_OK ? sap__report_pairs(m->whole, create, del, user) : -(int)r;
}

SAP_DEF sap_result sap_multi_reserve(sap_multi *m, int boxes, int pairs) {
    sap_result r = sap_reserve(m ? m->whole : NULL, boxes, pairs);
    if (r == SAP_OK && boxes >= m->grid_from && !sap__room(&m->places, boxes))
        r = sap__end_call(m->whole, SAP_ERROR_MEMORY);
    if (r == SAP_OK && m->config.parallel &&
        !sap__room_for_shares(m, boxes, (int)m->whole->moving.need_chunks, pairs,
                              pairs / SAP__LISTS_PART / SAP__SHARES))
        r = sap__end_call(m->whole, SAP_ERROR_MEMORY);
    if (r != SAP_OK) return r;
    m->is_reserved = 1;
    if (pairs > m->reserved_pairs) m->reserved_pairs = pairs;
    return r;
}

SAP_DEF sap_result sap_multi_restore(sap_multi *m, const void *buffer, size_t size) {
    sap_result r = sap_restore(m ? m->whole : NULL, buffer, size);
    if (r == SAP_OK) m->is_filed = 0;
    return r;
}

SAP_DEF void sap_multi_get_stats(const sap_multi *m, sap_stats *stats) {
    int i;
    sap_get_stats(m ? m->whole : NULL, stats);
    if (!m || !stats) return;
    stats->bytes += sizeof *m + sap__bytes_of(m->cells) + sap__bytes_of(m->table) + sap__bytes_of(m->pool) +
                    sap__bytes_of(m->dirty) + sap__bytes_of(m->todo) + sap__bytes_of(m->places) +
                    sap__bytes_of(m->more) + sap__shares_bytes(m);
    for (i = 0; i < sap__length(m->cells); i++) {
        const sap__cell *c = m->cells[i];
        if (!c) continue;
        stats->bytes += sizeof *c - sizeof c->world + sap__all_bytes(&c->world) + sap__bytes_of(c->slot) +
                        sap__bytes_of(c->range) + sap__bytes_of(c->free) + sap__bytes_of(c->leaving) +
                        sap__bytes_of(c->out);
    }
}

/* ---- and what the whole does as one sap_world ---------------------------------------------------------------- */

/* m's world. It is not part of *m, so a const m may hand it out. */
static sap_world *sap__whole(const sap_multi *m) {
    return m ? m->whole : NULL;
}

SAP_DEF sap_id sap_multi_add(sap_multi *m, const sap_aabb *box, void *object) {
    return sap_add(sap__whole(m), box, object);
}

SAP_DEF sap_id sap_multi_add_static(sap_multi *m, const sap_aabb *box, void *object) {
    return sap_add_static(sap__whole(m), box, object);
}

SAP_DEF sap_result sap_multi_move(sap_multi *m, sap_id id, const sap_aabb *box) {
    return sap_move(sap__whole(m), id, box);
}

SAP_DEF sap_result sap_multi_remove(sap_multi *m, sap_id id) {
    return sap_remove(sap__whole(m), id);
}

SAP_DEF sap_result sap_multi_add_many(sap_multi *m, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids) {
    return sap_add_many(sap__whole(m), n, boxes, objects, ids);
}

SAP_DEF sap_result sap_multi_add_static_many(sap_multi *m, int n, const sap_aabb *boxes, void *const *objects,
                                             sap_id *ids) {
    return sap_add_static_many(sap__whole(m), n, boxes, objects, ids);
}

SAP_DEF sap_result sap_multi_move_many(sap_multi *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    if (m && ids && boxes && sap__move_in_shares(m, n, ids, boxes)) return sap__end_call(m->whole, SAP_OK);
    return sap_move_many(sap__whole(m), n, ids, boxes);
}

SAP_DEF sap_result sap_multi_remove_many(sap_multi *m, int n, const sap_id *ids) {
    return sap_remove_many(sap__whole(m), n, ids);
}

SAP_DEF sap_result sap_multi_set_filter(sap_multi *m, sap_id id, uint32_t category, uint32_t mask) {
    return sap_set_filter(sap__whole(m), id, category, mask);
}

SAP_DEF sap_result sap_multi_refilter(sap_multi *m, sap_id id) {
    return sap_refilter(sap__whole(m), id);
}

SAP_DEF sap_result sap_multi_shift_origin(sap_multi *m, const float offset[3]) {
    return sap_shift_origin(sap__whole(m), offset);
}

SAP_DEF sap_result sap_multi_last_error(const sap_multi *m) {
    return sap_last_error(sap__whole(m));
}

SAP_DEF const sap_pair *sap_multi_created(const sap_multi *m, int *count) {
    return sap_created(sap__whole(m), count);
}

SAP_DEF const sap_pair *sap_multi_deleted(const sap_multi *m, int *count) {
    return sap_deleted(sap__whole(m), count);
}

SAP_DEF const sap_pair *sap_multi_pairs(const sap_multi *m, int *count) {
    return sap_pairs(sap__whole(m), count);
}

SAP_DEF const sap_pair *sap_multi_find_pair(const sap_multi *m, sap_id a, sap_id b) {
    return sap_find_pair(sap__whole(m), a, b);
}

SAP_DEF sap_result sap_multi_set_pair_data(sap_multi *m, sap_id a, sap_id b, void *user_data) {
    return sap_set_pair_data(sap__whole(m), a, b, user_data);
}

SAP_DEF int sap_multi_pairs_of(const sap_multi *m, sap_id id, sap_id *others, int capacity) {
    return sap_pairs_of(sap__whole(m), id, others, capacity);
}

SAP_DEF int sap_multi_count(const sap_multi *m) {
    return sap_count(sap__whole(m));
}

SAP_DEF int sap_multi_is_valid(const sap_multi *m, sap_id id) {
    return sap_is_valid(sap__whole(m), id);
}

SAP_DEF sap_result sap_multi_get_box(const sap_multi *m, sap_id id, sap_aabb *box) {
    return sap_get_box(sap__whole(m), id, box);
}

SAP_DEF void *sap_multi_get_object(const sap_multi *m, sap_id id) {
    return sap_get_object(sap__whole(m), id);
}

SAP_DEF sap_result sap_multi_prepare_queries(sap_multi *m) {
    return sap_prepare_queries(sap__whole(m));
}

SAP_DEF int sap_multi_query_box(sap_multi *m, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user) {
    return sap_query_box(sap__whole(m), box, mask, hit, user);
}

SAP_DEF int sap_multi_query_point(sap_multi *m, const float point[3], uint32_t mask, sap_hit *hit, void *user) {
    return sap_query_point(sap__whole(m), point, mask, hit, user);
}

SAP_DEF int sap_multi_query_sphere(sap_multi *m, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                                   void *user) {
    return sap_query_sphere(sap__whole(m), center, radius, mask, hit, user);
}

SAP_DEF int sap_multi_ray_cast(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                               sap_ray_hit *hit, void *user) {
    return sap_ray_cast(sap__whole(m), origin, translation, mask, hit, user);
}

SAP_DEF int sap_multi_box_cast(sap_multi *m, const sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_ray_hit *hit, void *user) {
    return sap_box_cast(sap__whole(m), box, translation, mask, hit, user);
}

SAP_DEF sap_id sap_multi_ray_closest(sap_multi *m, const float origin[3], const float translation[3], uint32_t mask,
                                     float *t) {
    return sap_ray_closest(sap__whole(m), origin, translation, mask, t);
}

SAP_DEF sap_id sap_multi_nearest(sap_multi *m, const float point[3], float max_distance, uint32_t mask,
                                 float *distance) {
    return sap_nearest(sap__whole(m), point, max_distance, mask, distance);
}

SAP_DEF size_t sap_multi_snapshot_size(const sap_multi *m) {
    return sap_snapshot_size(sap__whole(m));
}

SAP_DEF sap_result sap_multi_save(const sap_multi *m, void *buffer, size_t size) {
    return sap_save(sap__whole(m), buffer, size);
}

/* ---- every invariant of the grid, in one sentence each -------------------------------------------------------- */

static const char *sap__validate_cell(const sap_multi *m, uint32_t cell, long long *filed) {
    const sap__cell *c = m->cells[cell];
    const sap_world *w = &c->world;
    uint32_t local, n = (uint32_t)sap__length(w->state), live = 0, standing = 0;
    const char *broken;
    if (c->is_dirty || sap__length(w->list)) return "No cell has anything to settle between updates.";
    for (local = 0; local < n; local++) {
        uint32_t slot = c->slot[local], state = w->state[local];
        sap__box both = c->bounds;
        sap__place place;
        sap__range range;
        if (state & ~(uint32_t)(SAP__LIVE | SAP__STATIC)) return "In a cell no box has changed between updates.";
        if (!(state & SAP__LIVE)) continue;
        live++;
        standing += (state & SAP__STATIC) != 0;
        if (slot >= (uint32_t)sap__length(m->places) || !sap__is_settled(m->whole, slot))
            return "A cell holds settled boxes.";
        if ((state & SAP__STATIC) != (m->whole->state[slot] & SAP__STATIC)) return "A box is static in its cells too.";
        if (!sap__same(&w->now[local], &m->whole->was[slot]) || !sap__same(&w->was[local], &m->whole->was[slot]))
            return "A box is in its cells where it was at the last update.";
        sap__unite(&both, &w->now[local]);
        if (!sap__same(&both, &c->bounds)) return "A cell's bounds enclose its boxes.";
        sap__range_of(m, &w->now[local], &range);
        if (!sap__same_range(&range, &c->range[local])) return "A box is filed by the cells that it touches.";
        if ((range.n[0] == 0) != (cell == SAP__OUTSIDE)) return "Outside are the boxes that touch too many cells.";
        for (place = m->places[slot]; place.cell != cell && place.more != SAP__NONE;) place = m->more[place.more];
        if (place.cell != cell || place.local != local) return "A box knows the cells that it is in.";
        ++*filed;
    }
    if (live != (uint32_t)w->live || standing != (uint32_t)w->live_static) return "A cell counts its boxes.";
    if (live + (uint32_t)sap__length(c->free) != n) return "A local slot is in use or free.";
    broken = sap__validate_strips(w, &w->moving, 0);
    return broken ? broken : sap__validate_strips(w, &w->standing, SAP__STATIC);
}

SAP_DEF const char *sap_multi_validate(const sap_multi *m) {
    const char *broken = sap_validate(sap__whole(m));
    long long filed = 0, places = 0;
    uint32_t slot, cell;
    int chained = 0, used = 0;
    if (broken || !m || !m->whole->settle_in_cells || !m->is_filed) return broken;
    for (cell = 0; cell < (uint32_t)sap__length(m->cells); cell++) {
        const sap__cell *c = m->cells[cell];
        if (!c || c->is_pooled) continue;
        if (cell != SAP__OUTSIDE && c->world.live == 0) return "A cell without a box is in the pool.";
        used += cell != SAP__OUTSIDE;
        broken = sap__validate_cell(m, cell, &filed);
        if (broken) return broken;
    }
    if (used != m->cells_used) return "The count of cells is right.";
    for (slot = 0; slot < (uint32_t)sap__length(m->table); slot++)
        for (cell = m->table[slot]; cell != SAP__NONE && chained <= used; cell = m->cells[cell]->chain) chained++;
    if (chained != used) return "The table finds every cell once.";
    for (slot = 0; slot < (uint32_t)sap__length(m->places); slot++) {
        sap__place place = m->places[slot];
        int settled = sap__is_settled(m->whole, slot);
        if (settled != (place.cell != SAP__NONE)) return "A settled box is in a cell, and no other is.";
        for (; settled; place = m->more[place.more]) {
            places++;
            if (place.more == SAP__NONE) break;
        }
    }
    return places == filed ? NULL : "A box is in a cell once.";
}

#ifdef __cplusplus
}
#endif
#endif /* SAP_MULTI_IMPLEMENTATION */
