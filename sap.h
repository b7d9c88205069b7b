/* SPDX-License-Identifier: MIT OR Unlicense

   sap.h - v0.1 - which boxes overlap? A broad phase for games: sweep-and-prune in one header.

   You hand in axis-aligned boxes, move them, and ask once a frame which pairs begin to overlap, which end and which
   there are. A frame in which nothing changes costs nothing. It is the persistent sweep-and-prune of Pierre Terdiman's
   paper ("Sweep-and-prune", version 0.2, 2007), with its box pruning, batches and pair manager; "Terdiman I.4b" and
   the like name the section that a piece comes from.
   Worlds of many ten thousand boxes, and threads: see sap_multi.h, beside this file.

   ---- do this ----

       #define SAP_IMPLEMENTATION      in one C or C++ file, before the include
       #include "sap.h"                everywhere else without the define

   It needs stb_ds.h (Debian: apt install libstb-dev, then cc -I/usr/include/stb) and the C library, nothing else.

   ---- example ----

       #include <stdio.h>
       #define SAP_IMPLEMENTATION
       #include "sap.h"

       static void *begin(const sap_pair *pair, void *user) {
           (void)user;
           printf("%s meets %s\n", (const char *)pair->object0, (const char *)pair->object1);
           return NULL;
       }

       static void end(const sap_pair *pair, void *user) {
           (void)user;
           printf("%s leaves %s\n", (const char *)pair->object0, (const char *)pair->object1);
       }

       int main(void) {
           sap_aabb here = {{0, 0, 0}, {1, 1, 1}}, there = {{5, 0, 0}, {6, 1, 1}};
           sap_world *world = sap_create(NULL);
           sap_id cat = sap_add(world, &here, (void *)"the cat");
           sap_add(world, &there, (void *)"the dog");
           sap_dump_pairs(world, begin, end, NULL); // nothing
           sap_move(world, cat, &there);
           sap_dump_pairs(world, begin, end, NULL); // the cat meets the dog
           sap_remove(world, cat);
           sap_dump_pairs(world, begin, end, NULL); // the cat leaves the dog
           sap_destroy(world);
           return 0;
       }

   ---- does not ----

   - It does not collide shapes. A pair says that two boxes overlap; what is in them is yours to test.
   - It does not fatten boxes. Add a margin to what you hand in, if you want pairs early.
   - It does not sweep a fast box along its way. Hand in the box that covers the way, if it may tunnel.
   - It does not lock. See threads.

   ---- how a frame goes ----

   sap_add, sap_move, sap_remove, sap_set_filter, sap_refilter and sap_shift_origin record; sap_update settles all of
   it in one batch and reports the net change: added and removed, or moved away and back, is nothing. sap_dump_pairs
   is sap_update with two callbacks, in which you may add, move and remove: that counts at the next update. Boxes
   that touch overlap. Infinite bounds are legal: a plane is a box. There are no world bounds.

   ---- options ----

   To be defined before the include; none changes the layout of a struct.

   SAP_IMPLEMENTATION               in one file: the code
   SAP_STATIC                       in every file that includes sap.h: all functions are static
   SAP_NO_STB_DS_IMPLEMENTATION     with SAP_IMPLEMENTATION: stb_ds's code is in another file of yours. (Without it
                                    the file with SAP_IMPLEMENTATION holds it, unless stb_ds.h came before.)
   SAP_ASSERT(condition)            with SAP_IMPLEMENTATION: for our own invariants, never for your data; default assert
   SAP_REALLOC(p, size), SAP_FREE(p)  with SAP_IMPLEMENTATION, both or neither: all memory comes from here. p may be
                                    NULL, size is never 0; default realloc and free
   SAP_NO_SIMD                      with SAP_IMPLEMENTATION: plain C. Else SSE2, NEON or wasm simd128 is used, if you
                                    compile for it, and with gcc and clang AVX2 or AVX-512, if the machine has it,
                                    whatever your flags; all give the same answers
   SAP_TRACE(step, axis, id0, id1)  with SAP_IMPLEMENTATION: called for the steps of the insertion sort, which then
                                    settles every update; see SAP_STEP_PASS

   ---- cost ----

   n boxes, m of them changed, k pairs, c pairs that begin or end.

   sap_add, sap_move, sap_remove    O(1)
   sap_update                       nothing recorded: O(1). Few changed: O(m log n), and what they meet on the sweep
                                    axis within their strips (at most 1,024 strips: in worlds of millions that grows
                                    with n). Many: O(n) and what they meet, or O(n + shifts) if they moved by so
                                    little that insertion sort is cheaper, which it can be on machines that compare
                                    four boxes at a time or one. In all cases + O(c), and O(n + k) if many changed, or
                                    did in the last update before with anything recorded. Counts choose the way, never
                                    a clock, and a shift budget keeps insertion sort from going quadratic
   sap_find_pair, sap_set_pair_data O(1)
   sap_pairs_of                     O(its own pairs * log capacity). The first call of each kind (by two ids, by one)
                                    also links all pairs, O(n + k): the first of all, and after sap_restore, or when
                                    since the last one a quarter of the pairs came or went; where nobody asks, neither
                                    you nor an update, that is spared
   sap_box_prune                    O(n log n + what overlaps on the sweep axis within a strip)
   queries                          O(log n + hits), by a tree that a world has from its first query on; what moved
                                    since the last one is taken along first, O(1) a box, O(log n) where it leaves its
                                    leaf. Until the first query it costs nothing
   sap_save, sap_restore            O(n + k)

   Recursion stays below a hundred calls, and no call takes more than 64 KB of stack (of sap_multi.h, 80).

   The bound that is held: with boxes of similar size in a world of constant density a frame is linear. Where it
   fails: boxes that all overlap on two axes are swept along the third alone, and boxes that overlap on all three
   are k = n^2 / 2 pairs.

   ---- threads ----

   Two worlds may be used by two threads. One world: one writer at a time, and no reader beside it; but until the next
   change any number of threads may look at boxes and pairs, and after sap_prepare_queries query; where the compiler has
   no atomics, as tcc 0.9, one at a time.

   ---- determinism ----

   Ids, events, their order, the order of sap_pairs and the bytes of snapshots are a pure function of the calls: the
   same on every compiler, optimisation level, word size, byte order, SIMD path. The core compares integers; no float is
   added or rounded, but in sap_shift_origin, one subtraction a bound, and where the index is laid out or the way is
   chosen, on which no answer depends. Whether a query hits a box, and where, comes from one expression a box, never
   from the tree; its last bits are the compiler's. The order of visits is not specified, and the tests that
   sap_get_stats counts are those of the way that was chosen.

   ---- limits ----

   16,777,215 boxes, INT_MAX pairs; config.max_boxes and config.max_pairs set lower ones. Nothing is ever dropped: a
   call that would exceed a limit fails, changes nothing, and succeeds once there is room.

   ---- errors ----

   Bad data gets a code, in every build, and changes nothing: NaN is found by its bits, also under -ffast-math. A
   _many call is all or nothing. sap_result_text says what to change; sap_last_error keeps the last result, queries and
   looks aside. Nothing asserts on your data.

   ---- memory ----

   A box takes 76 bytes, and some 45 in the index in use (three sorted endpoint arrays, or strips). A pair takes 52
   and some 6 in the hash table. Arrays double, strips keep room for boxes that come, and builds and events need
   scratch: up to three times that is held. The tree of the queries takes some 120 more a box, scratch included, from
   the first query on.
   After sap_reserve(boxes, pairs) no call allocates until one of the two is exceeded; a removed box counts until the
   update that reports it. Moves, removals and filter changes never allocate: the add has made their room. If memory
   fails in sap_update, pairs and events are as before, what was recorded stays recorded, and a later sap_update
   succeeds once there is memory.

   ---- the way through this file ----

   declarations, then with SAP_IMPLEMENTATION, each standing on those above (search for ">> name"):

   lanes      four integers at a time                  tree       what the queries walk
   keys       floats as integers that sort like them   boxes      what is recorded
   arrays     the one place that allocates             pairs      the pair manager (I.6)
   sort       radix sort                               endpoints  sorted ends and update rules (I.2 to I.5)
   kernels    sixteen boxes at a time                  settle     which way, and what it finds
   nodes      eight boxes of the tree at a time        life       create, reserve, and what users look at
   strips     boxes in sweep order, split across       queries    box, point, sphere, ray, box cast, nearest
   machines   which kernels a machine has              state      snapshots
   pruning    box pruning on its own (I.4c)            validate   every invariant in a sentence
   world      what one world holds
*/
#ifndef SAP_H
#define SAP_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* uint32_t */

#define SAP_VERSION "0.1"

#ifdef SAP_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define SAP_DEF static __attribute__((unused))
#else
#define SAP_DEF static
#endif
#else
#define SAP_DEF extern
#endif

#if defined(SAP_STATIC) && !defined(SAP_IMPLEMENTATION) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function" /* gcc looks at the end of the file: a pop would undo it */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ------------------------------------------------------------------------------------------ */

typedef struct sap_world sap_world; /* one world; its inside is private */
typedef uint32_t sap_id;            /* a box's handle: low 24 bits slot from 1, high 8 generation; 0 is never a box */

typedef struct sap_aabb {
    float min[3], max[3];
} sap_aabb;

typedef struct sap_pair {    /* two boxes that overlap; which is the first says nothing about what they are */
    sap_id id0, id1;         /* id0 < id1 */
    void *object0, *object1; /* what you gave sap_add for them */
    void *user_data;         /* what your create callback returned, else NULL */
} sap_pair;

typedef enum sap_result {
    SAP_OK = 0,
    SAP_ERROR_BOX,      /* a bound is NaN, or min > max on a used axis */
    SAP_ERROR_ID,       /* the id is 0, was never given out, or its box has been removed; or two boxes are no pair */
    SAP_ERROR_MEMORY,   /* the allocator returned NULL */
    SAP_ERROR_LIMIT,    /* config.max_boxes or config.max_pairs reached, or more than ids or an int can count */
    SAP_ERROR_ARGUMENT, /* null, negative, not finite where it must be, too small a buffer, a snapshot of other axes */
    SAP_ERROR_BUSY,     /* inside a callback: update, destroy, reserve, shift_origin, prepare_queries, save, restore;
                           inside the filter: all but looks */
    SAP_ERROR_SNAPSHOT  /* sap_restore: not a snapshot of this version, or damaged */
} sap_result;

/* One sentence that says what to change; there is one for any value. Never NULL, never freed. */
SAP_DEF const char *sap_result_text(sap_result r);

enum { SAP_AXIS_X = 1, SAP_AXIS_Y = 2, SAP_AXIS_Z = 4, SAP_2D = 3 };
#define SAP_SLOT(id) ((id) & 0xffffffu) /* from 1; indexes your own arrays */

/* The steps of SAP_TRACE(step, axis, id0, id1), axis 0 to 2: an endpoint of id0 passes one of id1; the pair starts,
   or stops, on this axis, and now overlaps, or did, on all; the rule for it fired, but the other axes say no, or both
   are static. */
enum { SAP_STEP_PASS, SAP_STEP_START, SAP_STEP_STOP, SAP_STEP_REJECT };

/* Asked for pairs that overlap and whose masks allow it; 0: this pair never exists. user_data is NULL. It must
   give the same answer until sap_refilter, and may call only the look functions. */
typedef int sap_filter(const sap_pair *pair, void *user);

/* How an update finds the pairs that begin and end. All methods give the same ids, events, order of pairs and
   snapshots. SAP_METHOD_SORT never gives up, whatever it costs; SAP_METHOD_AUTO has a budget. */
typedef enum sap_method {
    SAP_METHOD_AUTO = 0, /* the cheapest, chosen by counts */
    SAP_METHOD_SORT,     /* insertion sort of the endpoint arrays (Terdiman I.2 to I.5) */
    SAP_METHOD_PRUNE,    /* box pruning of all (I.4c) */
    SAP_METHOD_QUERY     /* each changed box looks for its overlaps */
} sap_method;

typedef struct sap_config {   /* zeroed = all defaults */
    int axes;                 /* SAP_AXIS_* that are sorted and tested; 0 = all three */
    int max_boxes, max_pairs; /* hard limits; 0 = none */
    sap_filter *filter;
    void *filter_user;
    int method; /* a sap_method; 0 = chosen for each update */
} sap_config;

/* ---- life ------------------------------------------------------------------------------------------- */

/* NULL config = defaults. NULL on a bad config or without memory. */
SAP_DEF sap_world *sap_create(const sap_config *config);

/* NULL is fine. No callback comes: if user data of pairs is yours to free, remove the boxes and settle that first.
   Called from inside a callback it does nothing but set SAP_ERROR_BUSY. */
SAP_DEF void sap_destroy(sap_world *s);

/* Room for that many boxes and pairs: then no call on this world allocates until one of the two is exceeded. */
SAP_DEF sap_result sap_reserve(sap_world *s, int boxes, int pairs);

/* ---- boxes: recorded at once, settled by the next sap_update ------------------------------------------ */

/* The new box's id, or 0: sap_last_error says why. The object is yours, the library only hands it back. O(1),
   but when arrays grow. */
SAP_DEF sap_id sap_add(sap_world *s, const sap_aabb *box, void *object);

/* A box that stands (it may still be moved): never pairs with another static one. */
SAP_DEF sap_id sap_add_static(sap_world *s, const sap_aabb *box, void *object);

/* O(1); a box handed in where it already is costs nothing at the update. */
SAP_DEF sap_result sap_move(sap_world *s, sap_id id, const sap_aabb *box);

/* The id is refused from now on; only looks at its pairs take it until the next update. In that they end, with their
   objects and user data. So the object must live until that update has been reported. */
SAP_DEF sap_result sap_remove(sap_world *s, sap_id id);

/* All or nothing: everything is checked before anything is done. objects may be NULL (all objects NULL).
   Duplicates: in sap_move_many the last one wins, in sap_remove_many they are SAP_ERROR_ID. */
SAP_DEF sap_result sap_add_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids);
SAP_DEF sap_result sap_add_static_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids);
SAP_DEF sap_result sap_move_many(sap_world *s, int n, const sap_id *ids, const sap_aabb *boxes);
SAP_DEF sap_result sap_remove_many(sap_world *s, int n, const sap_id *ids);

/* A pair needs (category0 & mask1) && (category1 & mask0). Defaults: category 1, mask all ones. */
SAP_DEF sap_result sap_set_filter(sap_world *s, sap_id id, uint32_t category, uint32_t mask);

/* Ask config.filter again for everything this box overlaps, at the next update. */
SAP_DEF sap_result sap_refilter(sap_world *s, sap_id id);

/* Subtract offset from every finite bound (floating origin). Acts as a move of every box. SAP_ERROR_ARGUMENT if one of
   them would become infinite. O(boxes). */
SAP_DEF sap_result sap_shift_origin(sap_world *s, const float offset[3]);

/* Of the last call that is neither a query nor on a const world; sap_prepare_queries counts. */
SAP_DEF sap_result sap_last_error(const sap_world *s);

/* ---- pairs ------------------------------------------------------------------------------------------ */

typedef void *sap_create_pair(const sap_pair *pair, void *user); /* returns the pair's user_data */
typedef void sap_delete_pair(const sap_pair *pair, void *user);

/* Settle everything recorded since the last one, in one batch. On an error nothing has changed and what was
   recorded stays recorded. With nothing recorded O(1). */
SAP_DEF sap_result sap_update(sap_world *s);

/* sap_update plus callbacks: first del for each deleted pair, then create for each created one, sorted by ids.
   Either may be NULL. The number of active pairs, or -sap_result. If a callback removes a box, later ones of this
   update may still name it: ask sap_is_valid. (Terdiman I.6, DumpPairs) */
SAP_DEF int sap_dump_pairs(sap_world *s, sap_create_pair *create, sap_delete_pair *del, void *user);

/* What the last update changed, ascending by (id0, id1); the arrays are the world's, valid until the next update,
   sap_reserve or sap_restore. */
SAP_DEF const sap_pair *sap_created(const sap_world *s, int *count);
SAP_DEF const sap_pair *sap_deleted(const sap_world *s, int *count);

/* All active pairs in one array without holes; valid as long as those. */
SAP_DEF const sap_pair *sap_pairs(const sap_world *s, int *count);

/* a and b in either order; NULL, SAP_ERROR_ID: not a pair. O(1); these three link the pairs, if need be: see cost. */
SAP_DEF const sap_pair *sap_find_pair(const sap_world *s, sap_id a, sap_id b);
SAP_DEF sap_result sap_set_pair_data(sap_world *s, sap_id a, sap_id b, void *user_data);

/* How many pairs this box has; up to capacity of the others' ids go to others, the smallest ids, ascending.
   O(its own pairs * log capacity). -SAP_ERROR_ID for a bad id. */
SAP_DEF int sap_pairs_of(const sap_world *s, sap_id id, sap_id *others, int capacity);

/* ---- look: what is recorded, at once ------------------------------------------------------------------ */

SAP_DEF int sap_count(const sap_world *s);
SAP_DEF int sap_is_valid(const sap_world *s, sap_id id);
SAP_DEF sap_result sap_get_box(const sap_world *s, sap_id id, sap_aabb *box); /* 0 on unused axes, +0 for -0 */
SAP_DEF void *sap_get_object(const sap_world *s, sap_id id);                  /* NULL for a bad id */

/* ---- queries: see every add, move and remove made before them ----------------------------------------- */

typedef int sap_hit(sap_id id, void *object, void *user);                /* 0 stops */
typedef float sap_ray_hit(sap_id id, void *object, float t, void *user); /* t: clip here, 1: go on, 0: stop */

/* After it, until the next change, queries only read: any number of threads may ask one world. */
SAP_DEF sap_result sap_prepare_queries(sap_world *s);

/* Visit boxes with category & mask; the number of hits visited, or -sap_result; hit NULL only counts. */
SAP_DEF int sap_query_box(sap_world *s, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user);
SAP_DEF int sap_query_point(sap_world *s, const float point[3], uint32_t mask, sap_hit *hit, void *user);
SAP_DEF int sap_query_sphere(sap_world *s, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                             void *user);

/* A ray is origin + t * translation, t in 0..1, against closed boxes; a start inside a box hits at t = 0. The
   end of the cast becomes the smaller of the old end and what hit returns. sap_box_cast sweeps a finite box. */
SAP_DEF int sap_ray_cast(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                         sap_ray_hit *hit, void *user);
SAP_DEF int sap_box_cast(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask, sap_ray_hit *hit,
                         void *user);

/* The first box the ray meets, the lower id at a tie; 0 and *t = 1 on a miss, 0 and *t = -1 on an error. */
SAP_DEF sap_id sap_ray_closest(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                               float *t);

/* The nearest box by Euclidean distance (0 inside), within max_distance; 0 and *distance = max_distance if none, 0 and
   *distance = -1 on an error. */
SAP_DEF sap_id sap_nearest(sap_world *s, const float point[3], float max_distance, uint32_t mask, float *distance);

/* ---- box pruning, on its own: no world, nothing kept ---------------------------------------------------- */

typedef int sap_prune_hit(int i, int j, void *user); /* 0 stops */

/* Every pair i < j of overlapping boxes, once, in no particular order; axes 0 = all three; hit NULL = count only.
   The number of pairs visited, or -sap_result. (Terdiman I.4c) */
SAP_DEF long long sap_box_prune(const sap_aabb *boxes, int n, int axes, sap_prune_hit *hit, void *user);

/* Every pair of an a[i] and a b[j]; pairs within one set are not reported. */
SAP_DEF long long sap_box_prune_bipartite(const sap_aabb *a, int na, const sap_aabb *b, int nb, int axes,
                                          sap_prune_hit *hit, void *user);

/* ---- state, inspection ---------------------------------------------------------------------------------- */

SAP_DEF size_t sap_snapshot_size(const sap_world *s);
SAP_DEF sap_result sap_save(const sap_world *s, void *buffer, size_t size);
SAP_DEF sap_result sap_restore(sap_world *s, const void *buffer, size_t size);

/* NULL, or the sentence of the invariant that is broken. For tests: O(everything). */
SAP_DEF const char *sap_validate(const sap_world *s);

typedef struct sap_stats {
    int boxes, static_boxes, pairs, created, deleted;
    long long swaps, overlap_tests; /* of the last update */
    size_t bytes;                   /* all memory this world holds */
    int method;                     /* the sap_method that settled the last update; 0: nothing was recorded */
    int cells;                      /* of the grid that hold a box that moves */
} sap_stats;
SAP_DEF void sap_get_stats(const sap_world *s, sap_stats *stats);

#ifdef __cplusplus
}
#endif
#endif /* SAP_H */

/* ====================================================================================================== */
#if defined(SAP_IMPLEMENTATION) && !defined(SAP_IMPLEMENTATION_ONCE)
#define SAP_IMPLEMENTATION_ONCE

#ifndef INCLUDE_STB_DS_H
#if defined(__GNUC__) /* its copy may lie beside this file, where the compiler warns of it as of your own code */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#ifdef SAP_NO_STB_DS_IMPLEMENTATION
#include "stb_ds.h"
#else
#ifndef STB_DS_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#endif
#include "stb_ds.h"
#undef STB_DS_IMPLEMENTATION /* stb_ds has no guard of its own around its code: a second include would repeat it */
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#if defined(SAP_REALLOC) != defined(SAP_FREE)
#error "sap.h: define both SAP_REALLOC(p, size) and SAP_FREE(p), or neither"
#endif
#ifndef SAP_REALLOC
#define SAP_REALLOC(p, size) realloc(p, size)
#define SAP_FREE(p) free(p)
#endif
#ifndef SAP_ASSERT
#include <assert.h>
#define SAP_ASSERT(condition) assert(condition)
#endif

#ifndef SAP_NO_SIMD
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#if defined(__GNUC__) && !defined(__TINYC__)
#define SAP__HAS_AVX2 /* compiled for it whatever the project's flags are, used only where the machine has it */
#include <immintrin.h>
#if defined(__clang__) ? __clang_major__ >= 8 : __GNUC__ >= 8
#define SAP__HAS_AVX512 /* the same */
#endif
#endif
#elif defined(__ARM_NEON) || defined(__ARM_NEON__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SAP__UNUSED __attribute__((unused))
#define SAP__INLINE static inline __attribute__((always_inline)) /* -O2 alone leaves many of these calls */
#else
#define SAP__UNUSED
#define SAP__INLINE static inline
#endif

/* An int32_t that several threads may change: those that query, or look at pairs. */
#if (defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2) ||                                        \
    (defined(__CLANG_ATOMIC_INT_LOCK_FREE) && __CLANG_ATOMIC_INT_LOCK_FREE == 2)
#define sap__atomic_get(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define sap__atomic_set(p, n) __atomic_store_n(p, n, __ATOMIC_RELEASE)
#define sap__atomic_swap(p, n) __atomic_exchange_n(p, n, __ATOMIC_ACQUIRE)
#define sap__atomic_add(p, n) ((void)__atomic_fetch_add(p, n, __ATOMIC_RELAXED))
#elif defined(_MSC_VER)
#define sap__atomic_get(p) _InterlockedOr((volatile long *)(void *)(p), 0)
#define sap__atomic_set(p, n) ((void)_InterlockedExchange((volatile long *)(void *)(p), n))
#define sap__atomic_swap(p, n) _InterlockedExchange((volatile long *)(void *)(p), n)
#define sap__atomic_add(p, n) ((void)_InterlockedExchangeAdd((volatile long *)(void *)(p), n))
#else /* then one thread at a time may do so: see threads */
#define sap__atomic_get(p) (*(p))
#define sap__atomic_set(p, n) ((void)(*(p) = (n)))
#define sap__atomic_swap(p, n) (*(p))
#define sap__atomic_add(p, n) ((void)(*(p) += (n)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ====================================================================================================== */
/* >> lanes: four integers at a time, where the machine can                                                 */
/* ====================================================================================================== */

#if !defined(SAP_NO_SIMD) && (defined(__SSE2__) || defined(_M_X64))
#define SAP__LANES4_KERNEL SAP__KERNEL_SSE2
typedef __m128i sap__lanes4;
#define sap__load4(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define sap__store4(p, a) _mm_storeu_si128((__m128i *)(void *)(p), a)
#define sap__splat4(x) _mm_set1_epi32(x)
#define sap__greater4(a, b) _mm_cmpgt_epi32(a, b)
#define sap__equal4(a, b) _mm_cmpeq_epi32(a, b)
#define sap__or4(a, b) _mm_or_si128(a, b)
#define sap__and4(a, b) _mm_and_si128(a, b)
#define sap__xor4(a, b) _mm_xor_si128(a, b)
#define sap__add4(a, b) _mm_add_epi32(a, b)
#define sap__sub4(a, b) _mm_sub_epi32(a, b)
#define sap__shift4(a, n) _mm_slli_epi32(a, n)
#define sap__sign4(a) _mm_srai_epi32(a, 31)           /* -1 where negative, else 0 */
#define sap__rotate4(a) _mm_shuffle_epi32(a, 0x39)    /* lanes 1, 2, 3, 0 */
#define sap__zip_low4(a, b) _mm_unpacklo_epi32(a, b)  /* a0 b0 a1 b1 */
#define sap__zip_high4(a, b) _mm_unpackhi_epi32(a, b) /* a2 b2 a3 b3 */
#define sap__mask4(a) ((uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a)))
#elif !defined(SAP_NO_SIMD) && (defined(__ARM_NEON) || defined(__ARM_NEON__))
#define SAP__LANES4_KERNEL SAP__KERNEL_NEON
typedef int32x4_t sap__lanes4;
#define sap__load4(p) vld1q_s32((const int32_t *)(const void *)(p))
#define sap__store4(p, a) vst1q_s32((int32_t *)(void *)(p), a)
#define sap__splat4(x) vdupq_n_s32(x)
#define sap__greater4(a, b) vreinterpretq_s32_u32(vcgtq_s32(a, b))
#define sap__equal4(a, b) vreinterpretq_s32_u32(vceqq_s32(a, b))
#define sap__or4(a, b) vorrq_s32(a, b)
#define sap__and4(a, b) vandq_s32(a, b)
#define sap__xor4(a, b) veorq_s32(a, b)
#define sap__add4(a, b) vaddq_s32(a, b)
#define sap__sub4(a, b) vsubq_s32(a, b)
#define sap__shift4(a, n) vshlq_n_s32(a, n)
#define sap__sign4(a) vshrq_n_s32(a, 31)
#define sap__rotate4(a) vextq_s32(a, a, 1)
#define sap__zip_low4(a, b) vzipq_s32(a, b).val[0]
#define sap__zip_high4(a, b) vzipq_s32(a, b).val[1]
static inline uint32_t sap__mask4(sap__lanes4 a) {
    static const uint32_t bit[4] = {1, 2, 4, 8};
    uint32x4_t bits = vandq_u32(vreinterpretq_u32_s32(a), vld1q_u32(bit));
    uint32x2_t sum = vorr_u32(vget_low_u32(bits), vget_high_u32(bits));
    return vget_lane_u32(sum, 0) | vget_lane_u32(sum, 1);
}
#elif !defined(SAP_NO_SIMD) && defined(__wasm_simd128__)
#define SAP__LANES4_KERNEL SAP__KERNEL_WASM
typedef v128_t sap__lanes4;
#define sap__load4(p) wasm_v128_load(p)
#define sap__store4(p, a) wasm_v128_store(p, a)
#define sap__splat4(x) wasm_i32x4_splat(x)
#define sap__greater4(a, b) wasm_i32x4_gt(a, b)
#define sap__equal4(a, b) wasm_i32x4_eq(a, b)
#define sap__or4(a, b) wasm_v128_or(a, b)
#define sap__and4(a, b) wasm_v128_and(a, b)
#define sap__xor4(a, b) wasm_v128_xor(a, b)
#define sap__add4(a, b) wasm_i32x4_add(a, b)
#define sap__sub4(a, b) wasm_i32x4_sub(a, b)
#define sap__shift4(a, n) wasm_i32x4_shl(a, n)
#define sap__sign4(a) wasm_i32x4_shr(a, 31)
#define sap__rotate4(a) wasm_i32x4_shuffle(a, a, 1, 2, 3, 0)
#define sap__zip_low4(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define sap__zip_high4(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
#define sap__mask4(a) ((uint32_t)wasm_i32x4_bitmask(a))
#endif

#ifdef SAP__LANES4_KERNEL
SAP__INLINE int sap__differ4(sap__lanes4 a0, sap__lanes4 a1, sap__lanes4 b0, sap__lanes4 b1) {
    return sap__mask4(sap__and4(sap__equal4(a0, b0), sap__equal4(a1, b1))) != 15;
}
#endif

/* What a compare says is a bit a lane. */
SAP__INLINE int sap__lowest_bit(uint64_t mask) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(mask);
#else
    int i = 0;
    for (; !(mask & 1); mask >>= 1) i++;
    return i;
#endif
}

/* Of sixteen. */
SAP__INLINE int sap__count_bits(uint32_t lanes) {
    lanes -= lanes >> 1 & 0x5555u;
    lanes = (lanes & 0x3333u) + (lanes >> 2 & 0x3333u);
    lanes = (lanes + (lanes >> 4)) & 0x0f0fu;
    return (int)((lanes + (lanes >> 8)) & 31u);
}

/* ====================================================================================================== */
/* >> keys: floats as integers that sort like them (Terdiman, appendix A)                                   */
/* ====================================================================================================== */

/* A float is a sign and a magnitude, and magnitudes order as integers: the key is the magnitude, negated if the
   float is negative. -0 gets the key of +0. (The paper's keys are unsigned; signed ones are compared by every SIMD
   unit.) Comparing integers is exact, and the same under any compiler flag.

       -inf  -0x7f800000      -1.0  -0x3f800000      0  0      1.0  0x3f800000      +inf  0x7f800000

   Only NaN lies beyond the infinities. INT32_MIN and INT32_MAX are no float's key: they are the sentinels. */
#define SAP__BEFORE_ALL INT32_MIN
#define SAP__AFTER_ALL INT32_MAX
#define SAP__INFINITY 0x7f800000

typedef struct sap__box {
    int32_t lo[3], hi[3]; /* keys; [0, 0] on an unused axis, so that every box overlaps every other there */
} sap__box;

/* The box of a slot that has none: overlaps nothing, not even infinite boxes. What was added was nowhere before,
   what is removed is nowhere now; so one pair of tests, now and before, tells every event. */
static const sap__box sap__nowhere = {{SAP__AFTER_ALL, SAP__AFTER_ALL, SAP__AFTER_ALL},
                                      {SAP__BEFORE_ALL, SAP__BEFORE_ALL, SAP__BEFORE_ALL}};

SAP__INLINE uint32_t sap__bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* By its bits: comparisons with infinity may be optimised away under -ffast-math. */
static int sap__is_finite(float f) {
    return (sap__bits(f) & 0x7fffffffu) < 0x7f800000u;
}

static int sap__is_number(float f) {
    return (sap__bits(f) & 0x7fffffffu) <= 0x7f800000u;
}

SAP__INLINE int32_t sap__key(float f) {
    uint32_t u = sap__bits(f);
    int32_t magnitude = (int32_t)(u & 0x7fffffffu), sign = -(int32_t)(u >> 31);
    return (magnitude ^ sign) - sign; /* no branch: f may be an unused axis that was never written */
}

SAP__INLINE float sap__float(int32_t key) {
    uint32_t u = key >= 0 ? (uint32_t)key : 0x80000000u | (uint32_t)-key;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

#define SAP__DENORMAL 1.40129846432481707e-45 /* 2^-149: denormals are multiples of it */
#define SAP__SMALLEST 1.17549435082228751e-38 /* 2^-126: the smallest float that is none */

/* Exact, also where the machine takes denormals for zero. */
SAP__INLINE double sap__double(float f) {
    return sap__bits(f) & 0x7f800000u ? (double)f : (double)sap__key(f) * SAP__DENORMAL;
}

/* All ones for the bounds of used axes, in the order of a box. */
static void sap__axes_used(int axes, int32_t used[6]) {
    int k;
    for (k = 0; k < 6; k++) used[k] = -(axes >> (k % 3) & 1);
}

/* What is wrong with any of some boxes: NaN, or min > max, on a used axis. */
#ifdef SAP__LANES4_KERNEL
typedef struct sap__flaws {
    sap__lanes4 range, order; /* in order three lanes count */
} sap__flaws;

SAP__INLINE void sap__flaws_init(sap__flaws *flaws) {
    flaws->range = flaws->order = sap__splat4(0);
}

SAP__INLINE int sap__are_flawless(const sap__flaws *flaws) {
    return (sap__mask4(flaws->range) | (sap__mask4(flaws->order) & 7u)) == 0;
}
#else
typedef struct sap__flaws {
    int any;
} sap__flaws;

SAP__INLINE void sap__flaws_init(sap__flaws *flaws) {
    flaws->any = 0;
}

SAP__INLINE int sap__are_flawless(const sap__flaws *flaws) {
    return !flaws->any;
}
#endif

/* Four bounds at a time: 5 ns instead of 11. To changed, whether old, which may be out, is another box: to compare
   afterwards is to wait for what was just written. Flaws are gathered, and looked at when all is done: with what
   sap__write_moves keeps at hand that spares a quarter of its steps, and updates in which 1,000 or 10,000 boxes tremble
   or walk take 0.95 to 0.98. */
SAP__INLINE void sap__encode_over(const sap_aabb *box, const int32_t used[6], const sap__box *old, sap__box *out,
                                  int *changed, sap__flaws *flaws) {
#ifdef SAP__LANES4_KERNEL
    const sap__lanes4 infinity = sap__splat4(SAP__INFINITY), magnitude = sap__splat4(0x7fffffff);
    sap__lanes4 a = sap__and4(sap__load4(box->min), sap__load4(used));         /* min x, min y, min z, max x */
    sap__lanes4 b = sap__and4(sap__load4(box->min + 2), sap__load4(used + 2)); /* min z, max x, max y, max z */
    sap__lanes4 sign_a = sap__sign4(a), sign_b = sap__sign4(b);
    a = sap__and4(a, magnitude);
    b = sap__and4(b, magnitude);
    flaws->range = sap__or4(flaws->range, sap__or4(sap__greater4(a, infinity), sap__greater4(b, infinity)));
    a = sap__sub4(sap__xor4(a, sign_a), sign_a);
    b = sap__sub4(sap__xor4(b, sign_b), sign_b);
    flaws->order = sap__or4(flaws->order, sap__greater4(a, sap__rotate4(b)));
    *changed = sap__differ4(a, b, sap__load4(old->lo), sap__load4(old->lo + 2));
    sap__store4(out->lo, a);
    sap__store4(out->lo + 2, b);
#else
    int k;
    *changed = 0;
    for (k = 0; k < 3; k++) {
        int32_t lo = sap__key(box->min[k]) & used[k], hi = sap__key(box->max[k]) & used[k];
        *changed |= (lo != old->lo[k]) | (hi != old->hi[k]);
        out->lo[k] = lo;
        out->hi[k] = hi;
        flaws->any |= (lo > hi) | (lo < -SAP__INFINITY) | (hi > SAP__INFINITY);
    }
#endif
}

/* 0 if the box is bad. */
SAP__INLINE int sap__encode(const sap_aabb *box, const int32_t used[6], sap__box *out) {
    sap__flaws flaws;
    int changed;
    sap__flaws_init(&flaws);
    sap__encode_over(box, used, &sap__nowhere, out, &changed, &flaws);
    return sap__are_flawless(&flaws);
}

static void sap__decode(const sap__box *box, sap_aabb *out) {
    int k;
    for (k = 0; k < 3; k++) out->min[k] = sap__float(box->lo[k]), out->max[k] = sap__float(box->hi[k]);
}

/* Where bounds end when lengths are computed from them: no infinity, no overflow. */
#define SAP__FAR 1e18f

SAP__INLINE float sap__within(float v) {
    return v < -SAP__FAR ? -SAP__FAR : v > SAP__FAR ? SAP__FAR : v;
}

/* Closed intervals: boxes that touch overlap. Without branches: the outcome of each of the six is a coin toss. */
SAP__INLINE int sap__overlap(const sap__box *a, const sap__box *b) {
#ifdef SAP__LANES4_KERNEL
    sap__lanes4 lo_a = sap__load4(a->lo), hi_a = sap__rotate4(sap__load4(a->lo + 2)); /* three lanes count */
    sap__lanes4 lo_b = sap__load4(b->lo), hi_b = sap__rotate4(sap__load4(b->lo + 2));
    return (sap__mask4(sap__or4(sap__greater4(lo_a, hi_b), sap__greater4(lo_b, hi_a))) & 7u) == 0;
#else
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
           (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
#endif
}

static int sap__overlap_on(const sap__box *a, const sap__box *b, int axis) {
    return (a->lo[axis] <= b->hi[axis]) & (b->lo[axis] <= a->hi[axis]);
}

/* to becomes the smallest box around both. */
SAP__INLINE void sap__unite(sap__box *to, const sap__box *box) {
    int k;
    for (k = 0; k < 3; k++) {
        if (box->lo[k] < to->lo[k]) to->lo[k] = box->lo[k];
        if (box->hi[k] > to->hi[k]) to->hi[k] = box->hi[k];
    }
}

/* A min or a max, without a branch: which of the two it is is a coin toss. */
SAP__INLINE int32_t sap__bound(const sap__box *box, int axis, uint32_t is_max) {
    return box->lo[axis] ^ ((box->lo[axis] ^ box->hi[axis]) & -(int32_t)is_max);
}

SAP__INLINE int sap__same(const sap__box *a, const sap__box *b) {
#ifdef SAP__LANES4_KERNEL
    return !sap__differ4(sap__load4(a->lo), sap__load4(a->lo + 2), sap__load4(b->lo), sap__load4(b->lo + 2));
#else
    return ((a->lo[0] ^ b->lo[0]) | (a->lo[1] ^ b->lo[1]) | (a->lo[2] ^ b->lo[2]) | (a->hi[0] ^ b->hi[0]) |
            (a->hi[1] ^ b->hi[1]) | (a->hi[2] ^ b->hi[2])) == 0;
#endif
}

/* ====================================================================================================== */
/* >> arrays: stb_ds arrays with checked growth, the one place that allocates                               */
/* ====================================================================================================== */

/* stb_ds's own growth writes through a failed realloc. So ours goes first, and its macros find room enough:

       sap__room(&a, n)         0 without memory, and then a is as it was
       sap__push(a, x)          stbds_arrput up to n elements, with no growth in it that no one needs
       stbds_arrpop(a), ...     as ever

   a points behind stb_ds's header: [length, capacity, -, -] a[0] a[1] ... */
#define sap__room(pointer, n) sap__grow(pointer, sizeof **(pointer), (size_t)(n))
#define sap__free_array(pointer) sap__drop(pointer)
#define sap__length(a) ((int)stbds_arrlen(a))
#define sap__push(a, x) ((void)((a)[stbds_header(a)->length++] = (x)))
#define sap__set_length(a, n) ((void)((a) ? stbds_header(a)->length = (size_t)(n) : 0))

static int sap__grow(void *pointer, size_t size, size_t n) {
    char *a;
    stbds_array_header *header;
    size_t capacity;
    memcpy(&a, pointer, sizeof a);
    capacity = a ? stbds_header(a)->capacity : 0;
    if (n <= capacity) return 1;
    if (n < 2 * capacity) n = 2 * capacity; /* amortised O(1) a push */
    if (n < 16) n = 16;
    if (n > (SIZE_MAX / 2 - sizeof *header) / size) return 0;
    header = (stbds_array_header *)SAP_REALLOC(a ? (void *)stbds_header(a) : NULL, sizeof *header + n * size);
    if (!header) return 0;
    if (!a) memset(header, 0, sizeof *header);
    header->capacity = n;
    a = (char *)(header + 1);
    memcpy(pointer, &a, sizeof a);
    return 1;
}

static void sap__drop(void *pointer) {
    char *a;
    memcpy(&a, pointer, sizeof a);
    if (a) {
        SAP_FREE(stbds_header(a));
    }
    a = NULL;
    memcpy(pointer, &a, sizeof a);
}

#define sap__bytes_of(a) ((a) ? sizeof(stbds_array_header) + stbds_header(a)->capacity * sizeof *(a) : 0)

/* ====================================================================================================== */
/* >> sort: radix sort of 64-bit items                                                                      */
/* ====================================================================================================== */

/* An item is a 32-bit key above a 32-bit payload; the sort is stable. tmp has room for n more. */
SAP__INLINE uint64_t sap__item(uint32_t key, uint32_t payload) {
    return (uint64_t)key << 32 | payload;
}

SAP__INLINE uint32_t sap__sortable(int32_t key) {
    return (uint32_t)key ^ 0x80000000u;
}

SAP__INLINE int32_t sap__key_of(uint64_t item) {
    return (int32_t)((uint32_t)(item >> 32) ^ 0x80000000u);
}

enum {
    SAP__FEW_ITEMS = 24,
    SAP__MANY_ITEMS = 768,
    SAP__FEW_BITS = 8,
    SAP__DIGIT_BITS = 11,
    SAP__DIGITS = 1 << SAP__DIGIT_BITS
};

/* The places of few items, sorted by their bits from shift on: each one's is the number of those before it. No branch
   hangs on the data: what other sorts pay for few items are branches that are foreseen wrongly. (Few are 24: where
   pairs are ranked here, too, with 40 a town of 64 movers takes 3 percent more, with 56 or 80 15.) */
static void sap__rank_few(const uint64_t *items, int n, int shift, int *place) {
    uint64_t below = (UINT64_C(1) << shift) - 1;
    int i, j;
    for (i = 0; i < n; i++) {
        uint64_t first = items[i] & ~below, last = items[i] | below; /* of those with the same key */
        int before = 0;
        for (j = 0; j < i; j++) before += items[j] <= last;
        for (j = i + 1; j < n; j++) before += items[j] < first;
        place[i] = before;
    }
}

/* Each of n items goes to its place. */
static void sap__place_items(uint64_t *items, uint64_t *tmp, int n, const int *place) {
    int i;
    for (i = 0; i < n; i++) tmp[place[i]] = items[i];
    if (n) memcpy(items, tmp, (size_t)n * sizeof *items);
}

static void sap__sort_few(uint64_t *items, uint64_t *tmp, int n, int shift) {
    int place[SAP__FEW_ITEMS];
    sap__rank_few(items, n, shift, place);
    sap__place_items(items, tmp, n, place);
}

/* From how many there are of each to where the first one of each goes. The sum of the squares of the counts. */
SAP__INLINE uint64_t sap__sum_counts(uint32_t *count, int n) {
    uint64_t squares = 0;
    uint32_t sum = 0;
    int i;
    for (i = 0; i < n; i++) {
        uint32_t here = count[i];
        count[i] = sum;
        sum += here;
        squares += (uint64_t)here * here;
    }
    return squares;
}

static void sap__sort_digit(const uint64_t *items, uint64_t *sorted, int n, int bit, int bits) {
    uint32_t place[SAP__DIGITS], most = (1u << bits) - 1;
    int i;
    memset(place, 0, ((size_t)most + 1) * sizeof *place);
    for (i = 0; i < n; i++) place[items[i] >> bit & most]++;
    (void)sap__sum_counts(place, 1 << bits);
    for (i = 0; i < n; i++) sorted[place[items[i] >> bit & most]++] = items[i];
}

/* By span bits, least significant digit first, divided evenly into digits of up to eleven bits; of fewer items up to
   eight, for counters cost too. items changes with tmp as often as there are digits. */
static void sap__sort_span(uint64_t **items, uint64_t **tmp, int n, int bit, int span) {
    int most = n < SAP__MANY_ITEMS ? SAP__FEW_BITS : SAP__DIGIT_BITS, digits;
    for (digits = (span + most - 1) / most; digits > 0; digits--) {
        int of = (span + digits - 1) / digits;
        uint64_t *sorted = *tmp;
        sap__sort_digit(*items, sorted, n, bit, of);
        *tmp = *items;
        *items = sorted;
        bit += of;
        span -= of;
    }
}

/* In which of so many bits from bit on items differ: the first, and how many with those up to the last. */
static int sap__differing_bits(const uint64_t *items, int n, int *bit, int bits) {
    uint64_t differ = 0;
    int i, span = 0;
    for (i = 1; i < n; i++) differ |= items[i] ^ items[0];
    differ = differ >> *bit & ((UINT64_C(1) << bits) - 1);
    if (differ == 0) return 0;
    i = sap__lowest_bit(differ);
    while (differ >> i >> span) span++;
    *bit += i;
    return span;
}

/* By their bits from shift on, 0 or 32: of each half those in which they differ. Against merging up to 512 items and
   digits of eleven bits, updates of 10,000 boxes of which 1 percent jump take a fifth less, 1,000 that come a tenth.
   (Of 256 to 384 ids each takes 5 ns; merged 30, merged without branches 13 to 17.) */
static void sap__sort_bits(uint64_t *items, uint64_t *tmp, int n, int shift) {
    uint64_t *from = items, *to = tmp;
    if (n < 2) return;
    if (n <= SAP__FEW_ITEMS) {
        sap__sort_few(items, tmp, n, shift);
        return;
    }
    for (; shift < 64; shift += 32) {
        int bit = shift, span = sap__differing_bits(from, n, &bit, 32);
        sap__sort_span(&from, &to, n, bit, span);
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
}

/* By their keys. */
static void sap__sort(uint64_t *items, uint64_t *tmp, int n) {
    sap__sort_bits(items, tmp, n, 32);
}

/* Neighbours in the wrong order change places, from the front to the back, twice in one pass: of up to three that stood
   together in no order all come right. Without a branch, for which of two comes first is a coin toss. There are at
   least two; where they go may be where they are. */
static void sap__smooth(const uint64_t *items, uint64_t *to, int n) {
    uint64_t least = items[0] < items[1] ? items[0] : items[1], most = items[0] < items[1] ? items[1] : items[0];
    int i;
    for (i = 2; i < n; i++) {
        uint64_t item = items[i], less = item < most ? item : most;
        most = item < most ? most : item;
        to[i - 2] = less < least ? less : least;
        least = less < least ? least : less;
    }
    to[n - 2] = least;
    to[n - 1] = most;
}

/* By insertion, as long as that takes no more than n shifts; else 0. */
static int sap__sort_rest(uint64_t *items, int n) {
    int i, j, left = n;
    for (i = 1; i < n; i++) {
        uint64_t item = items[i];
        for (j = i; j > 0 && left > 0 && items[j - 1] > item; j--, left--) items[j] = items[j - 1];
        items[j] = item;
        if (left == 0) return 0;
    }
    return 1;
}

/* Pairs of ids, (id0, id1), by both. As many bits of the first slot as there are bits in n, with its generation, tell
   most pairs apart, and smoothing does nearly all of the rest: updates in which all move by up to 4 take 0.98 of what
   sorting by all bits takes, 64 movers among static boxes 0.96. (Insertion alone in place of smoothing: 1.03 to 1.05.
   The upper bits of ids as they are: where slots have had some boxes, 1.5 times as long as by all bits.) */
static void sap__sort_pairs(uint64_t *items, uint64_t *tmp, int n) {
    int i, bit = 32, span, life_bit = 56, lives, enough = 0;
    for (i = 1; i < n && items[i - 1] <= items[i];) i++;
    if (i >= n) return; /* often they come in order, as in a batch */
    while (n >> enough) enough++;
    if (n > SAP__FEW_ITEMS && (span = sap__differing_bits(items, n, &bit, 24)) >= enough - 1) {
        uint64_t *from = items, *to = tmp;
        if (enough > span) enough = span;
        lives = sap__differing_bits(items, n, &life_bit, 8);
        sap__sort_span(&from, &to, n, bit + span - enough, enough);
        sap__sort_span(&from, &to, n, life_bit, lives);
        sap__smooth(from, items, n);
        if (sap__sort_rest(items, n)) return;
    }
    sap__sort_bits(items, tmp, n, 0);
}

/* ====================================================================================================== */
/* >> kernels: sixteen boxes at a time                                                                      */
/* ====================================================================================================== */

/* Boxes are filed in chunks of sixteen, one array a bound: a box is compared with four to sixteen others at once.

       lo[0]  . . . . . . . . . . . . . . . .     mins on the sweep axis; SAP__AFTER_ALL in an empty lane
       lo[1]  . . . . . . . . . . . . . . . .     mins and maxs on the axes across
       ...
       ref    . . . . . . . . . . . . . . . .     slot in 24 bits, above them where the box starts and ends (see strips)

   Box Pruning Revisited counts what such steps buy; structure of arrays and wide compares are its parts 9 to 15. */
enum {
    SAP__LANES = 16,
    SAP__RANKED = 64, /* the most items that a kernel ranks; a multiple of eight */
    SAP__BATCH = 512, /* found pairs that are handed on at once; room for those of two chunks, and a kernel's rest: */
    SAP__MOST_FOUND = SAP__BATCH + SAP__LANES * SAP__LANES + SAP__LANES
};

typedef struct sap__chunk {
    int32_t lo[3][SAP__LANES], hi[3][SAP__LANES];
    uint32_t ref[SAP__LANES];
} sap__chunk;

typedef struct sap__found { /* a[i] and b[i] overlap now; by refs */
    int count;
    uint32_t a[SAP__MOST_FOUND], b[SAP__MOST_FOUND];
} sap__found;

#define SAP__HOME 0x03000000u /* both home bits */
#define SAP__ENDS 0x0c000000u /* both end bits */
#define sap__home_bit(d) (0x01000000u << (d))
#define sap__end_bit(d) (0x04000000u << (d))
#define SAP__SLOT 0x00ffffffu

typedef struct sap__node sap__node;
typedef struct sap__probe sap__probe;
typedef struct sap__strips sap__strips;
typedef struct sap__eight_spans sap__eight_spans;

/* What is worth a version of its own on some machines; all versions give the same answers, hits and meet in any order.
   hits: those of a chunk's boxes that overlap the box whose ref is given.
   meet: of chunk a's boxes with those of b, which is a itself or a later one of the strip. No box of b starts below
         first: boxes of a that end before it are skipped. If b is a later chunk, its boxes start after those of a, and
         one comparison is left out. Adds the number of tests.
   rank: of at most ranked items, which are all different: place[i] becomes how many are below the i-th. There is room
         for SAP__RANKED places.
   ask:  which of a node's boxes may hold a hit (see nodes). span: where eight boxes are filed (see strips).
   Only pairs with both home bits, in one ref or the other, are found. They are appended to found, which has room for
   all and SAP__LANES more. Whether two boxes overlap is a coin toss, and a branch that is foreseen wrongly costs more
   than the test: so the versions first make a bit of each answer, and then look at those set. */
typedef struct sap__kernel {
    void (*hits)(const sap__chunk *chunk, const sap__box *box, uint32_t ref, sap__found *found);
    void (*meet)(const sap__chunk *a, const sap__chunk *b, int32_t first, sap__found *found, long long *tests);
    void (*rank)(const uint64_t *items, int n, int *place);
    uint32_t (*ask[3])(const sap__node *n, const sap__probe *p, float *t);
    void (*span)(const sap__strips *t, const sap__box *const boxes[8], sap__eight_spans *spans);
    int ranked, width; /* width: boxes that are compared at a time */
} sap__kernel;

enum { SAP__KERNEL_SCALAR, SAP__KERNEL_SSE2, SAP__KERNEL_AVX2, SAP__KERNEL_AVX512, SAP__KERNEL_NEON, SAP__KERNEL_WASM };

/* A bit for each lane of the chunk. */
SAP__INLINE void sap__put_hits(const sap__chunk *c, uint32_t mask, uint32_t ref, sap__found *found) {
    int n = found->count;
    for (; mask; mask &= mask - 1) {
        uint32_t other = c->ref[sap__lowest_bit(mask)];
        found->a[n] = ref;
        found->b[n] = other;
        n += ((ref | other) & SAP__HOME) == SAP__HOME;
    }
    found->count = n;
}

/* Sixteen bits for each lane of a, four lanes to a word. In a chunk boxes stand in any order: if b is a, both mins must
   be below the other's max, and only lanes j > i count. */
SAP__INLINE void sap__put_meetings(const sap__chunk *a, const sap__chunk *b, const uint64_t words[SAP__LANES / 4],
                                   sap__found *found) {
    static const uint64_t above[SAP__LANES / 4] = {UINT64_C(0xfff0fff8fffcfffe), UINT64_C(0xff00ff80ffc0ffe0),
                                                   UINT64_C(0xf000f800fc00fe00), UINT64_C(0x00008000c000e000)};
    uint64_t word;
    int w, n = found->count;
    for (w = 0; w < SAP__LANES / 4; w++)
        for (word = a == b ? words[w] & above[w] : words[w]; word; word &= word - 1) {
            int bit = sap__lowest_bit(word), i = 4 * w + (bit >> 4), j = bit & 15;
            found->a[n] = a->ref[i];
            found->b[n] = b->ref[j];
            n += ((a->ref[i] | b->ref[j]) & SAP__HOME) == SAP__HOME && (a != b || b->hi[0][j] >= a->lo[0][i]);
        }
    found->count = n;
}

static void sap__hits_scalar(const sap__chunk *c, const sap__box *box, uint32_t ref, sap__found *found) {
    uint32_t mask = 0;
    int i;
    for (i = 0; i < SAP__LANES; i++)
        mask |= (uint32_t)((c->lo[0][i] <= box->hi[0]) & (c->hi[0][i] >= box->lo[0]) & (c->lo[1][i] <= box->hi[1]) &
                           (c->hi[1][i] >= box->lo[1]) & (c->lo[2][i] <= box->hi[2]) & (c->hi[2][i] >= box->lo[2]))
                << i;
    sap__put_hits(c, mask, ref, found);
}

static void sap__meet_scalar(const sap__chunk *a, const sap__chunk *b, int32_t first, sap__found *found,
                             long long *tests) {
    uint64_t words[SAP__LANES / 4] = {0};
    int i, j;
    for (i = 0; i < SAP__LANES; i++) {
        if (a->hi[0][i] < first) continue;
        *tests += SAP__LANES;
        for (j = 0; j < SAP__LANES; j++)
            words[i / 4] |=
                (uint64_t)((b->lo[0][j] <= a->hi[0][i]) & (b->lo[1][j] <= a->hi[1][i]) & (b->hi[1][j] >= a->lo[1][i]) &
                           (b->lo[2][j] <= a->hi[2][i]) & (b->hi[2][j] >= a->lo[2][i]))
                << (16 * (i % 4) + j);
    }
    sap__put_meetings(a, b, words, found);
}

static void sap__rank_scalar(const uint64_t *items, int n, int *place) {
    sap__rank_few(items, n, 0, place);
}

#ifdef SAP__LANES4_KERNEL
static void sap__hits_lanes4(const sap__chunk *c, const sap__box *box, uint32_t ref, sap__found *found) {
    uint32_t miss = 0;
    int i;
    for (i = 0; i < SAP__LANES; i += 4) {
        sap__lanes4 m0 = sap__or4(sap__greater4(sap__load4(c->lo[0] + i), sap__splat4(box->hi[0])),
                                  sap__greater4(sap__splat4(box->lo[0]), sap__load4(c->hi[0] + i)));
        sap__lanes4 m1 = sap__or4(sap__greater4(sap__load4(c->lo[1] + i), sap__splat4(box->hi[1])),
                                  sap__greater4(sap__splat4(box->lo[1]), sap__load4(c->hi[1] + i)));
        sap__lanes4 m2 = sap__or4(sap__greater4(sap__load4(c->lo[2] + i), sap__splat4(box->hi[2])),
                                  sap__greater4(sap__splat4(box->lo[2]), sap__load4(c->hi[2] + i)));
        miss |= sap__mask4(sap__or4(m0, sap__or4(m1, m2))) << i;
    }
    sap__put_hits(c, ~miss & 0xffffu, ref, found);
}

/* Four lanes of b stay in registers while the boxes of a pass by; in one chunk only those before the last of the four,
   which is 5 to 12 percent less where all move. */
static void sap__meet_lanes4(const sap__chunk *a, const sap__chunk *b, int32_t first, sap__found *found,
                             long long *tests) {
    uint64_t words[SAP__LANES / 4] = {0};
    uint32_t reaching = 0, lanes;
    int i, j;
    for (i = 0; i < SAP__LANES; i += 4)
        reaching |= (~sap__mask4(sap__greater4(sap__splat4(first), sap__load4(a->hi[0] + i))) & 15u) << i;
    *tests += SAP__LANES * sap__count_bits(reaching);
    for (j = 0; j < SAP__LANES; j += 4) {
        const sap__lanes4 lo0 = sap__load4(b->lo[0] + j);
        const sap__lanes4 lo1 = sap__load4(b->lo[1] + j), hi1 = sap__load4(b->hi[1] + j);
        const sap__lanes4 lo2 = sap__load4(b->lo[2] + j), hi2 = sap__load4(b->hi[2] + j);
        for (lanes = a == b ? reaching & ((1u << (j + 3)) - 1) : reaching; lanes; lanes &= lanes - 1) {
            sap__lanes4 m0, m1, m2;
            i = sap__lowest_bit(lanes);
            m0 = sap__greater4(lo0, sap__splat4(a->hi[0][i]));
            m1 = sap__or4(sap__greater4(lo1, sap__splat4(a->hi[1][i])), sap__greater4(sap__splat4(a->lo[1][i]), hi1));
            m2 = sap__or4(sap__greater4(lo2, sap__splat4(a->hi[2][i])), sap__greater4(sap__splat4(a->lo[2][i]), hi2));
            words[i / 4] |= (uint64_t)(~sap__mask4(sap__or4(m0, sap__or4(m1, m2))) & 15u) << (16 * (i % 4) + j);
        }
    }
    sap__put_meetings(a, b, words, found);
}
#endif

#ifdef SAP__HAS_AVX2
#define SAP__AVX2 __attribute__((target("avx2,popcnt")))
#define sap__load8(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define sap__store8(p, a) _mm256_storeu_si256((__m256i *)(void *)(p), a)
#define sap__splat8(x) _mm256_set1_epi32((int32_t)(x))
#define sap__add8(a, b) _mm256_add_epi32(a, b)
#define sap__sub8(a, b) _mm256_sub_epi32(a, b)
#define sap__and8(a, b) _mm256_and_si256(a, b)
#define sap__or8(a, b) _mm256_or_si256(a, b)
#define sap__shift8(a, n) _mm256_slli_epi32(a, n)
#define sap__mask8(a) ((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)))

/* The bits that are set in a byte, in a row, a byte each: that of 0x16 is 0x040201. */
#define sap__bit(m, i, row) ((row) << 8 * (1 & (m) >> (i)) | (uint64_t)(i) * (1 & (m) >> (i)))
#define sap__high_bits(m) sap__bit(m, 4, sap__bit(m, 5, sap__bit(m, 6, sap__bit(m, 7, UINT64_C(0)))))
#define sap__bits_of(m) sap__bit(m, 0, sap__bit(m, 1, sap__bit(m, 2, sap__bit(m, 3, sap__high_bits(m)))))
#define sap__four_rows(m) sap__bits_of(m), sap__bits_of(m + 1), sap__bits_of(m + 2), sap__bits_of(m + 3)
#define sap__16_rows(m) sap__four_rows(m), sap__four_rows(m + 4), sap__four_rows(m + 8), sap__four_rows(m + 12)
#define sap__64_rows(m) sap__16_rows(m), sap__16_rows(m + 16), sap__16_rows(m + 32), sap__16_rows(m + 48)
static const uint64_t sap__rows[256] = {sap__64_rows(0), sap__64_rows(64), sap__64_rows(128), sap__64_rows(192)};

/* (ref, refs) of the lanes whose bits are set go to found, from the n-th on; how many there are then. Without a branch:
   against bits that are looked through one by one, updates of 10,000 boxes that all walk take 0.87, of sizes 1:100
   0.67, where 5 percent walk 0.89. (By a table of sixteen rows, twice: 1.07 of that.) */
SAP__AVX2 static inline int sap__put_hits8(uint32_t hits, __m256i ref, __m256i refs, sap__found *found, int n) {
    const __m256i row = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&sap__rows[hits]));
    _mm256_storeu_si256((__m256i *)(void *)(found->a + n), ref);
    _mm256_storeu_si256((__m256i *)(void *)(found->b + n), _mm256_permutevar8x32_epi32(refs, row));
    return n + _mm_popcnt_u32(hits);
}

/* The home bits that refs lack. */
SAP__AVX2 static inline __m256i sap__lacking8(__m256i refs) {
    return _mm256_andnot_si256(refs, sap__splat8(SAP__HOME));
}

/* Which lanes do not overlap the other's interval. */
SAP__AVX2 static inline __m256i sap__apart8(__m256i lo, __m256i hi, __m256i other_lo, __m256i other_hi) {
    return sap__or8(_mm256_cmpgt_epi32(lo, other_hi), _mm256_cmpgt_epi32(other_lo, hi));
}

/* Which of them lack one that the other ref lacks, too. */
SAP__AVX2 static inline __m256i sap__homeless8(__m256i lacking, __m256i ref) {
    return _mm256_cmpgt_epi32(_mm256_andnot_si256(ref, lacking), _mm256_setzero_si256());
}

SAP__AVX2 static void sap__hits_avx2(const sap__chunk *c, const sap__box *box, uint32_t ref, sap__found *found) {
    const __m256i own = sap__splat8(ref);
    int k, d, n = found->count;
    for (k = 0; k < SAP__LANES; k += 8) {
        const __m256i refs = sap__load8(c->ref + k);
        __m256i m = sap__homeless8(sap__lacking8(refs), own);
        for (d = 0; d < 3; d++)
            m = sap__or8(m, sap__apart8(sap__load8(c->lo[d] + k), sap__load8(c->hi[d] + k), sap__splat8(box->lo[d]),
                                        sap__splat8(box->hi[d])));
        n = sap__put_hits8(~sap__mask8(m) & 255u, own, refs, found, n);
    }
    found->count = n;
}

/* A chunk's boxes among each other: each with those of the lanes behind its own. */
SAP__AVX2 static void sap__meet_own_avx2(const sap__chunk *c, sap__found *found) {
    int i, k, n = found->count;
    for (k = 0; k < SAP__LANES; k += 8) {
        const __m256i lo0 = sap__load8(c->lo[0] + k), lo1 = sap__load8(c->lo[1] + k), lo2 = sap__load8(c->lo[2] + k);
        const __m256i hi0 = sap__load8(c->hi[0] + k), hi1 = sap__load8(c->hi[1] + k), hi2 = sap__load8(c->hi[2] + k);
        const __m256i refs = sap__load8(c->ref + k), lacking = sap__lacking8(refs);
        for (i = 0; i < k + 7; i++) {
            __m256i ref = sap__splat8(c->ref[i]);
            __m256i m0 = sap__apart8(lo0, hi0, sap__splat8(c->lo[0][i]), sap__splat8(c->hi[0][i]));
            __m256i m1 = sap__apart8(lo1, hi1, sap__splat8(c->lo[1][i]), sap__splat8(c->hi[1][i]));
            __m256i m2 = sap__apart8(lo2, hi2, sap__splat8(c->lo[2][i]), sap__splat8(c->hi[2][i]));
            uint32_t behind = i < k ? 255u : 255u & (254u << (i - k));
            m0 = sap__or8(sap__or8(m0, sap__homeless8(lacking, ref)), sap__or8(m1, m2));
            n = sap__put_hits8(~sap__mask8(m0) & behind, ref, refs, found, n);
        }
    }
    found->count = n;
}

SAP__AVX2 static void sap__meet_avx2(const sap__chunk *a, const sap__chunk *b, int32_t first, sap__found *found,
                                     long long *tests) {
    const __m256i start = sap__splat8(first);
    const uint32_t reaching = ~(sap__mask8(_mm256_cmpgt_epi32(start, sap__load8(a->hi[0]))) |
                                sap__mask8(_mm256_cmpgt_epi32(start, sap__load8(a->hi[0] + 8))) << 8) &
                              0xffffu;
    uint32_t lanes;
    int k, n = found->count;
    *tests += SAP__LANES * _mm_popcnt_u32(reaching);
    if (a == b) {
        sap__meet_own_avx2(a, found);
        return;
    }
    for (k = 0; k < SAP__LANES; k += 8) {
        const __m256i lo0 = sap__load8(b->lo[0] + k), lo1 = sap__load8(b->lo[1] + k), lo2 = sap__load8(b->lo[2] + k);
        const __m256i hi1 = sap__load8(b->hi[1] + k), hi2 = sap__load8(b->hi[2] + k);
        const __m256i refs = sap__load8(b->ref + k), lacking = sap__lacking8(refs);
        for (lanes = reaching; lanes; lanes &= lanes - 1) {
            int i = sap__lowest_bit(lanes);
            __m256i ref = sap__splat8(a->ref[i]);
            __m256i m0 = _mm256_cmpgt_epi32(lo0, sap__splat8(a->hi[0][i]));
            __m256i m1 = sap__apart8(lo1, hi1, sap__splat8(a->lo[1][i]), sap__splat8(a->hi[1][i]));
            __m256i m2 = sap__apart8(lo2, hi2, sap__splat8(a->lo[2][i]), sap__splat8(a->hi[2][i]));
            m0 = sap__or8(sap__or8(m0, sap__homeless8(lacking, ref)), sap__or8(m1, m2));
            n = sap__put_hits8(~sap__mask8(m0) & 255u, ref, refs, found, n);
        }
    }
    found->count = n;
}

/* As sap__rank_few, but items are all different, and four are compared at a time. Where 64 boxes move, and some forty
   pairs begin and as many end, updates take 0.93 to 0.95 of what they take if these are sorted by digits; with
   sap__rank_avx512, which compares eight at a time, 0.90 to 0.94. (Up to 96 items ranked: 0.99 to 1.04 of that.) */
SAP__AVX2 static void sap__rank_avx2(const uint64_t *items, int n, int *place) {
    uint64_t key[SAP__RANKED], rank[8];
    int i, j;
    for (i = 0; i < n; i++) key[i] = items[i] ^ UINT64_C(0x8000000000000000); /* compares are signed */
    for (; i % 8; i++) key[i] = 0;
    for (i = 0; i < n; i += 8) {
        const __m256i a = sap__load8(key + i), b = sap__load8(key + i + 4);
        __m256i below_a = _mm256_setzero_si256(), below_b = below_a;
        for (j = 0; j < n; j++) {
            const __m256i other = _mm256_set1_epi64x((long long)key[j]);
            below_a = _mm256_sub_epi64(below_a, _mm256_cmpgt_epi64(a, other));
            below_b = _mm256_sub_epi64(below_b, _mm256_cmpgt_epi64(b, other));
        }
        sap__store8(rank, below_a);
        sap__store8(rank + 4, below_b);
        for (j = 0; j < 8; j++) place[i + j] = (int)rank[j];
    }
}
#endif

/* Sixteen boxes a compare, and hits are put in a row without a table. Against AVX2's kernels updates of 10,000 boxes
   that all walk take 0.89, of sizes 1:100 0.88, that lie and tremble 0.83, where 5 percent walk 0.95. (With a branch
   around rows without a hit: a third more. Chunks that start at a cache line: the same.) Some calls are of zeroing
   variants, because gcc's others warn in C++. */
#ifdef SAP__HAS_AVX512
#define SAP__AVX512 __attribute__((target("avx512f,popcnt,bmi")))
#define sap__load16(p) _mm512_loadu_si512((const void *)(p))
#define sap__splat16(x) _mm512_set1_epi32((int32_t)(x))
#define sap__rotate16(a) _mm512_maskz_alignr_epi32(0xffff, a, a, 1) /* lanes 1, 2, ... 15, 0 */

/* (a, b) of all lanes that hit goes to found, from the n-th on; is_one: a is the same in all lanes. How many there are
   then. */
SAP__AVX512 static inline int sap__put_hits16(__mmask16 hits, int is_one, __m512i a, __m512i b, sap__found *found,
                                              int n) {
    _mm512_storeu_si512((void *)(found->a + n), is_one ? a : _mm512_maskz_compress_epi32(hits, a));
    _mm512_storeu_si512((void *)(found->b + n), _mm512_maskz_compress_epi32(hits, b));
    return n + _mm_popcnt_u32(hits);
}

/* Those of lanes k that overlap on an axis: the larger min is not above the smaller max. (Each min compared with the
   other max: a sweep takes 1.1 times as long, for a compare needs a unit of which there are few.) */
SAP__AVX512 static inline __mmask16 sap__overlap16(__mmask16 k, __m512i lo, __m512i hi, __m512i other_lo,
                                                   __m512i other_hi) {
    return _mm512_mask_cmple_epi32_mask(k, _mm512_maskz_max_epi32(0xffff, lo, other_lo),
                                        _mm512_maskz_min_epi32(0xffff, hi, other_hi));
}

/* The home bits that refs lack; a pair counts where no bit is lacking in both. */
SAP__AVX512 static inline __m512i sap__lacking16(__m512i refs) {
    return _mm512_maskz_andnot_epi32(0xffff, refs, sap__splat16(SAP__HOME));
}

SAP__AVX512 static void sap__hits_avx512(const sap__chunk *c, const sap__box *box, uint32_t ref, sap__found *found) {
    const __m512i refs = sap__load16(c->ref);
    __mmask16 k = _mm512_testn_epi32_mask(sap__lacking16(refs), sap__splat16(~ref));
    int d;
    for (d = 0; d < 3; d++)
        k = sap__overlap16(k, sap__load16(c->lo[d]), sap__load16(c->hi[d]), sap__splat16(box->lo[d]),
                           sap__splat16(box->hi[d]));
    found->count = sap__put_hits16(k, 1, sap__splat16(ref), refs, found, found->count);
}

/* A chunk's boxes among each other: each lane with the one that is 1, 2, ... 8 lanes on. Box by box it would be twice
   as many compares; updates in which all walk or lie still take 0.97 and 0.92. */
SAP__AVX512 static void sap__meet_own_avx512(const sap__chunk *c, sap__found *found) {
    const __m512i lo0 = sap__load16(c->lo[0]), lo1 = sap__load16(c->lo[1]), lo2 = sap__load16(c->lo[2]);
    const __m512i hi0 = sap__load16(c->hi[0]), hi1 = sap__load16(c->hi[1]), hi2 = sap__load16(c->hi[2]);
    const __m512i refs = sap__load16(c->ref), lacking = sap__lacking16(refs);
    __m512i l0 = lo0, l1 = lo1, l2 = lo2, h0 = hi0, h1 = hi1, h2 = hi2, others = refs;
    int on, n = found->count;
    for (on = 1; on <= 8; on++) {
        __mmask16 k = on < 8 ? 0xffff : 0x00ff; /* from the other eight it is 8 lanes on to these */
        l0 = sap__rotate16(l0), l1 = sap__rotate16(l1), l2 = sap__rotate16(l2);
        h0 = sap__rotate16(h0), h1 = sap__rotate16(h1), h2 = sap__rotate16(h2);
        others = sap__rotate16(others);
        k = sap__overlap16(k, lo0, hi0, l0, h0);
        k = sap__overlap16(k, lo1, hi1, l1, h1);
        k = sap__overlap16(k, lo2, hi2, l2, h2);
        k = _mm512_mask_testn_epi32_mask(k, lacking, sap__lacking16(others));
        n = sap__put_hits16(k, 0, refs, others, found, n);
    }
    found->count = n;
}

SAP__AVX512 static void sap__meet_avx512(const sap__chunk *a, const sap__chunk *b, int32_t first, sap__found *found,
                                         long long *tests) {
    const __m512i lo0 = sap__load16(b->lo[0]), lo1 = sap__load16(b->lo[1]), lo2 = sap__load16(b->lo[2]);
    const __m512i hi1 = sap__load16(b->hi[1]), hi2 = sap__load16(b->hi[2]);
    const __m512i refs = sap__load16(b->ref), lacking = sap__lacking16(refs);
    uint32_t lanes = _mm512_cmpge_epi32_mask(sap__load16(a->hi[0]), sap__splat16(first));
    int n = found->count;
    *tests += SAP__LANES * _mm_popcnt_u32(lanes);
    if (a == b) {
        sap__meet_own_avx512(a, found);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        int i = sap__lowest_bit(lanes);
        const __m512i ref = sap__splat16(a->ref[i]); /* from memory: ~ref would need the port of compares */
        __mmask16 k = _mm512_testn_epi32_mask(lacking, sap__lacking16(ref));
        k = _mm512_mask_cmple_epi32_mask(k, lo0, sap__splat16(a->hi[0][i]));
        k = sap__overlap16(k, lo1, hi1, sap__splat16(a->lo[1][i]), sap__splat16(a->hi[1][i]));
        k = sap__overlap16(k, lo2, hi2, sap__splat16(a->lo[2][i]), sap__splat16(a->hi[2][i]));
        n = sap__put_hits16(k, 1, ref, refs, found, n);
    }
    found->count = n;
}

/* Which of items i to i + 7 there are, of n: no more is read. */
SAP__AVX512 static inline __mmask8 sap__eight_of(int n, int i) {
    return (__mmask8)(n - i < 8 ? (1u << (n - i)) - 1 : 255u);
}

SAP__AVX512 static void sap__rank_avx512(const uint64_t *items, int n, int *place) {
    const __m512i one = _mm512_set1_epi64(1);
    int i, j;
    for (i = 0; i < n; i += 8) {
        const __m512i eight = _mm512_maskz_loadu_epi64(sap__eight_of(n, i), items + i);
        __m512i below = _mm512_setzero_si512();
        for (j = 0; j < n; j++) {
            __mmask8 k = _mm512_cmpgt_epu64_mask(eight, _mm512_set1_epi64((long long)items[j]));
            below = _mm512_mask_add_epi64(below, k, below, one);
        }
        sap__store8(place + i, _mm512_maskz_cvtepi64_epi32(255, below));
    }
}
#endif

/* ====================================================================================================== */
/* >> nodes: eight boxes of the tree at a time                                                              */
/* ====================================================================================================== */

/* Bounds are floats here, because rays need arithmetic. A float and its key say the same; where a machine takes
   denormals for zero, a compare of floats sees boxes touch that are apart, never apart that touch.

       bound[0]  . . . . . . . .     mins on x       child   . . . . . . . .     nodes; in a leaf ids
       ...                                           count   lanes in use: the first ones
       bound[5]  . . . . . . . .     maxs on z       of an empty lane +inf, -inf: a union over all eight is right */
enum { SAP__ARITY = 8 };

struct sap__node {
    float bound[6][SAP__ARITY];
    uint32_t child[SAP__ARITY];
    uint32_t parent;          /* SAP__NONE for the root; of a free node the next free one */
    int32_t count, height;    /* a leaf has height 0 */
    float area, territory[6]; /* half the surface, and the bounds, when its lanes were chosen */
    uint32_t touched;         /* during a refit: is in the queue */
};

/* What is asked of nodes. A ray enters a slab where it meets the near side and leaves where it meets the far one:
   t = (bound[side] - from) * by, by being the reciprocal of the translation, a little smaller for the near side
   and a little larger for the far one, so that no rounding prunes what sap__cast accepts. */
struct sap__probe {
    float lo[3], hi[3]; /* the box; twice the point */
    int32_t near_side[3], far_side[3];
    float near_from[3], far_from[3], near_by[3], far_by[3];
    float limit; /* t, or distance squared, above which nothing matters; rounded up */
};

/* Added where t is compared with its end: what flushing denormals to zero may have cost. */
#define SAP__TINY 1e-18f

/* Which lanes may hold a hit, a bit each; to t how near they are. All versions prune what is surely no hit, and
   differ in nothing but the last bits of t. */
enum { SAP__ASK_BOX, SAP__ASK_SPHERE, SAP__ASK_RAY };

SAP__INLINE uint32_t sap__lanes_of(const sap__node *n) {
    return (1u << n->count) - 1;
}

static uint32_t sap__ask_box_scalar(const sap__node *n, const sap__probe *p, float *t) {
    uint32_t mask = 0;
    int i;
    (void)t;
    for (i = 0; i < n->count; i++)
        mask |= (uint32_t)((n->bound[0][i] <= p->hi[0]) & (n->bound[3][i] >= p->lo[0]) & (n->bound[1][i] <= p->hi[1]) &
                           (n->bound[4][i] >= p->lo[1]) & (n->bound[2][i] <= p->hi[2]) & (n->bound[5][i] >= p->lo[2]))
                << i;
    return mask;
}

static uint32_t sap__ask_sphere_scalar(const sap__node *n, const sap__probe *p, float *t) {
    uint32_t mask = 0;
    int i, k;
    for (i = 0; i < n->count; i++) {
        float d2 = 0;
        for (k = 0; k < 3; k++) {
            float below = n->bound[k][i] - p->lo[k], above = p->lo[k] - n->bound[3 + k][i];
            float d = below > above ? below : above;
            d2 += d > 0 ? d * d : 0;
        }
        t[i] = d2;
        mask |= (uint32_t)(d2 <= p->limit) << i;
    }
    return mask;
}

static uint32_t sap__ask_ray_scalar(const sap__node *n, const sap__probe *p, float *t) {
    uint32_t mask = 0;
    int i, k;
    for (i = 0; i < n->count; i++) {
        float enter = 0, leave = p->limit;
        for (k = 0; k < 3; k++) {
            float t0 = (n->bound[p->near_side[k]][i] - p->near_from[k]) * p->near_by[k];
            float t1 = (n->bound[p->far_side[k]][i] - p->far_from[k]) * p->far_by[k];
            enter = t0 > enter ? t0 : enter;
            leave = t1 < leave ? t1 : leave;
        }
        t[i] = enter;
        mask |= (uint32_t)(enter <= leave + SAP__TINY) << i;
    }
    return mask;
}

#ifdef SAP__LANES4_KERNEL
#if defined(__SSE2__) || defined(_M_X64)
typedef __m128 sap__floats4;
#define sap__fload4(p) _mm_loadu_ps(p)
#define sap__fstore4(p, a) _mm_storeu_ps(p, a)
#define sap__fsplat4(x) _mm_set1_ps(x)
#define sap__fgreater4(a, b) _mm_castps_si128(_mm_cmpgt_ps(a, b))
#define sap__fadd4(a, b) _mm_add_ps(a, b)
#define sap__fsub4(a, b) _mm_sub_ps(a, b)
#define sap__fmul4(a, b) _mm_mul_ps(a, b)
#define sap__fmin4(a, b) _mm_min_ps(a, b)
#define sap__fmax4(a, b) _mm_max_ps(a, b)
#elif defined(__ARM_NEON) || defined(__ARM_NEON__)
typedef float32x4_t sap__floats4;
#define sap__fload4(p) vld1q_f32(p)
#define sap__fstore4(p, a) vst1q_f32(p, a)
#define sap__fsplat4(x) vdupq_n_f32(x)
#define sap__fgreater4(a, b) vreinterpretq_s32_u32(vcgtq_f32(a, b))
#define sap__fadd4(a, b) vaddq_f32(a, b)
#define sap__fsub4(a, b) vsubq_f32(a, b)
#define sap__fmul4(a, b) vmulq_f32(a, b)
#define sap__fmin4(a, b) vminq_f32(a, b)
#define sap__fmax4(a, b) vmaxq_f32(a, b)
#else
typedef v128_t sap__floats4;
#define sap__fload4(p) wasm_v128_load(p)
#define sap__fstore4(p, a) wasm_v128_store(p, a)
#define sap__fsplat4(x) wasm_f32x4_splat(x)
#define sap__fgreater4(a, b) wasm_f32x4_gt(a, b)
#define sap__fadd4(a, b) wasm_f32x4_add(a, b)
#define sap__fsub4(a, b) wasm_f32x4_sub(a, b)
#define sap__fmul4(a, b) wasm_f32x4_mul(a, b)
#define sap__fmin4(a, b) wasm_f32x4_min(a, b)
#define sap__fmax4(a, b) wasm_f32x4_max(a, b)
#endif

static uint32_t sap__ask_box_lanes4(const sap__node *n, const sap__probe *p, float *t) {
    uint32_t miss = 0;
    int i;
    (void)t;
    for (i = 0; i < SAP__ARITY; i += 4) {
        sap__lanes4 m0 = sap__or4(sap__fgreater4(sap__fload4(n->bound[0] + i), sap__fsplat4(p->hi[0])),
                                  sap__fgreater4(sap__fsplat4(p->lo[0]), sap__fload4(n->bound[3] + i)));
        sap__lanes4 m1 = sap__or4(sap__fgreater4(sap__fload4(n->bound[1] + i), sap__fsplat4(p->hi[1])),
                                  sap__fgreater4(sap__fsplat4(p->lo[1]), sap__fload4(n->bound[4] + i)));
        sap__lanes4 m2 = sap__or4(sap__fgreater4(sap__fload4(n->bound[2] + i), sap__fsplat4(p->hi[2])),
                                  sap__fgreater4(sap__fsplat4(p->lo[2]), sap__fload4(n->bound[5] + i)));
        miss |= sap__mask4(sap__or4(m0, sap__or4(m1, m2))) << i;
    }
    return ~miss & sap__lanes_of(n);
}

static uint32_t sap__ask_sphere_lanes4(const sap__node *n, const sap__probe *p, float *t) {
    uint32_t miss = 0;
    int i, k;
    for (i = 0; i < SAP__ARITY; i += 4) {
        sap__floats4 d2 = sap__fsplat4(0);
        for (k = 0; k < 3; k++) {
            sap__floats4 at = sap__fsplat4(p->lo[k]);
            sap__floats4 d = sap__fmax4(sap__fsub4(sap__fload4(n->bound[k] + i), at),
                                        sap__fsub4(at, sap__fload4(n->bound[3 + k] + i)));
            d = sap__fmax4(d, sap__fsplat4(0));
            d2 = sap__fadd4(d2, sap__fmul4(d, d));
        }
        sap__fstore4(t + i, d2);
        miss |= sap__mask4(sap__fgreater4(d2, sap__fsplat4(p->limit))) << i;
    }
    return ~miss & sap__lanes_of(n);
}

static uint32_t sap__ask_ray_lanes4(const sap__node *n, const sap__probe *p, float *t) {
    uint32_t miss = 0;
    int i, k;
    for (i = 0; i < SAP__ARITY; i += 4) {
        sap__floats4 enter = sap__fsplat4(0), leave = sap__fsplat4(p->limit);
        for (k = 0; k < 3; k++) {
            sap__floats4 t0 = sap__fsub4(sap__fload4(n->bound[p->near_side[k]] + i), sap__fsplat4(p->near_from[k]));
            sap__floats4 t1 = sap__fsub4(sap__fload4(n->bound[p->far_side[k]] + i), sap__fsplat4(p->far_from[k]));
            enter = sap__fmax4(sap__fmul4(t0, sap__fsplat4(p->near_by[k])), enter);
            leave = sap__fmin4(sap__fmul4(t1, sap__fsplat4(p->far_by[k])), leave);
        }
        sap__fstore4(t + i, enter);
        miss |= sap__mask4(sap__fgreater4(enter, sap__fadd4(leave, sap__fsplat4(SAP__TINY)))) << i;
    }
    return ~miss & sap__lanes_of(n);
}
#endif

#ifdef SAP__HAS_AVX2
#define sap__greater8(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)

SAP__AVX2 static uint32_t sap__ask_box_avx2(const sap__node *n, const sap__probe *p, float *t) {
    __m256 m0 = _mm256_or_ps(sap__greater8(_mm256_loadu_ps(n->bound[0]), _mm256_broadcast_ss(&p->hi[0])),
                             sap__greater8(_mm256_broadcast_ss(&p->lo[0]), _mm256_loadu_ps(n->bound[3])));
    __m256 m1 = _mm256_or_ps(sap__greater8(_mm256_loadu_ps(n->bound[1]), _mm256_broadcast_ss(&p->hi[1])),
                             sap__greater8(_mm256_broadcast_ss(&p->lo[1]), _mm256_loadu_ps(n->bound[4])));
    __m256 m2 = _mm256_or_ps(sap__greater8(_mm256_loadu_ps(n->bound[2]), _mm256_broadcast_ss(&p->hi[2])),
                             sap__greater8(_mm256_broadcast_ss(&p->lo[2]), _mm256_loadu_ps(n->bound[5])));
    (void)t;
    return ~(uint32_t)_mm256_movemask_ps(_mm256_or_ps(m0, _mm256_or_ps(m1, m2))) & sap__lanes_of(n);
}

SAP__AVX2 static uint32_t sap__ask_sphere_avx2(const sap__node *n, const sap__probe *p, float *t) {
    __m256 d2 = _mm256_setzero_ps();
    int k;
    for (k = 0; k < 3; k++) {
        __m256 at = _mm256_broadcast_ss(&p->lo[k]);
        __m256 d = _mm256_max_ps(_mm256_sub_ps(_mm256_loadu_ps(n->bound[k]), at),
                                 _mm256_sub_ps(at, _mm256_loadu_ps(n->bound[3 + k])));
        d = _mm256_max_ps(d, _mm256_setzero_ps());
        d2 = _mm256_add_ps(d2, _mm256_mul_ps(d, d));
    }
    _mm256_storeu_ps(t, d2);
    return ~(uint32_t)_mm256_movemask_ps(sap__greater8(d2, _mm256_broadcast_ss(&p->limit))) & sap__lanes_of(n);
}

SAP__AVX2 static uint32_t sap__ask_ray_avx2(const sap__node *n, const sap__probe *p, float *t) {
    __m256 enter = _mm256_setzero_ps(), leave = _mm256_broadcast_ss(&p->limit);
    int k;
    for (k = 0; k < 3; k++) {
        __m256 t0 = _mm256_sub_ps(_mm256_loadu_ps(n->bound[p->near_side[k]]), _mm256_broadcast_ss(&p->near_from[k]));
        __m256 t1 = _mm256_sub_ps(_mm256_loadu_ps(n->bound[p->far_side[k]]), _mm256_broadcast_ss(&p->far_from[k]));
        enter = _mm256_max_ps(_mm256_mul_ps(t0, _mm256_broadcast_ss(&p->near_by[k])), enter);
        leave = _mm256_min_ps(_mm256_mul_ps(t1, _mm256_broadcast_ss(&p->far_by[k])), leave);
    }
    _mm256_storeu_ps(t, enter);
    leave = _mm256_add_ps(leave, _mm256_set1_ps(SAP__TINY));
    return ~(uint32_t)_mm256_movemask_ps(sap__greater8(enter, leave)) & sap__lanes_of(n);
}
#endif

/* ====================================================================================================== */
/* >> strips: boxes in sweep order, split across                                                            */
/* ====================================================================================================== */

/* A sweep along one axis tests every two boxes that overlap on it, most of them far apart across. So the world is
   cut into strips along the sweep axis, and each strip is swept alone:

       across                                  a strip: chunks in sweep order, each one's boxes in any order
         |  cut ------------------------       first   -inf      4.5       11.0     mins here are not below it
         |   strip 1    [a]    [ b ]           reach    6.0      17.5      13.2     the largest max in the chunk
         |  cut --------------[ b ]-----       reached  6.0      17.5      17.5     in the chunks so far
         |   strip 0   [c]    [ b ] [d]        chunk   [b a e]  [k c g i] [h]
         +------------------------> sweep

   A box is filed in every strip that it touches (b in both). A pair is found in each strip that holds both boxes,
   and reported in the one that holds the larger of their two mins: there, on either axis across, one of the boxes
   starts. That is what the two home bits of a ref say: "in this strip I start on the first (second) axis across". Two
   more say the same of its ends; so a filed box knows by itself when it leaves its strips.
   A box that would touch more than SAP__WIDE strips is filed once, in one more strip that everybody visits.

   Cuts are quantiles, so crowds get narrow strips. Counted on 10,000 boxes of a uniform world (2.9 million tests
   by a sweep without strips): 0.26 million tests with 4 x 4 strips and 1.19 copies a box, 0.10 million with 8 x 8
   and 1.44. Pruning reads the strips in order; a box that moved is taken along within its strips, and asks them. What
   builds them sorts boxes only as far as chunks must follow each other: by slices of the sweep axis, where these tell
   boxes apart, and else by keys. */
enum {
    SAP__CUT_BITS = 5, /* at most 32 strips along each axis across */
    SAP__CUTS = 1 << SAP__CUT_BITS,
    SAP__WIDE = 16,         /* a box that touches more strips is filed in the wide one */
    SAP__FILL = 14,         /* boxes in a chunk after a build: two lanes wait for boxes that come */
    SAP__LEND = 13,         /* a chunk with no more boxes takes some from a full one beside it */
    SAP__LEAVING = 4,       /* if more than one box in so many is listed as leaving its strips, all is built anew */
    SAP__SAMPLE = 512,      /* boxes that the choice of a grid looks at */
    SAP__LEAST_SLICES = 64, /* into which a build sorts its boxes */
    SAP__MOST_SLICES = 4096,
    SAP__QUESTIONS = 4, /* that are posed before the first one is answered */
    SAP__CROWD = 2,     /* more of a strip's boxes than these in one slice, on average, and they are sorted by keys */
    SAP__MOST_STRIPS = (1 << 2 * SAP__CUT_BITS) + 1 /* with the wide one */
};

#define SAP__WIDE_SPAN 0xffffffffu
#define SAP__NO_SPAN 0x000000ffu /* filed nowhere: from row 255 to row 0 */

typedef struct sap__strip {
    int start, count, room; /* of its entries in the directory */
} sap__strip;

/* Slices of the sweep axis, all of one width. */
typedef struct sap__slicing {
    int32_t first, last; /* no box starts before or behind these, as far as slices know */
    float start, scale;
} sap__slicing;

struct sap__strips {
    int axis[3];                   /* the sweep axis, and the two across */
    int bits[2];                   /* 1 << bits strips across each */
    int32_t cut[2][SAP__CUTS + 1]; /* strip i lies in [cut[d][i], cut[d][i + 1]); the ends are beyond all */
    sap__strip *strip;             /* 1 << (bits[0] + bits[1]), and the wide one */
    int32_t *first, *reach;        /* the directory: chunks of all strips */
    int32_t *reached;              /* ascending in a strip, and not below the reach of any chunk so far */
    int *fill;                     /* boxes in the chunk */
    uint32_t *chunk;               /* which of chunks */
    sap__chunk *chunks;
    uint32_t *free_chunks;
    uint16_t *slice;  /* of a build: in which slice each box starts, as they come */
    uint32_t *places; /* of a build: where the next one of a slice goes */
    uint64_t *tmp;    /* of a build: boxes with their spans, slice by slice; of a refresh: what it lists */
    uint32_t *refs;   /* of a build: refs, strip by strip */
    int slices;       /* of the sweep axis; where they are: */
    sap__slicing slicing;
    int32_t slice_from;    /* a 64th of the boxes of the last build, or of the sample, started before this, */
    int32_t slice_to;      /* and another 64th behind that */
    uint32_t *spans;       /* by slot: the strips it is filed in, packed */
    double density[3];     /* mins a unit of length, by axis */
    int grid_boxes;        /* how many there were when the grid was chosen; 0 = choose */
    long long grid_tests;  /* tests of the first sweep of this grid; -1 = none yet */
    long long sweep_tests; /* of the last sweep */
    int only_asked;        /* never swept: the boxes in them are static */
    int ready;             /* 0: to be built anew */
    int frozen;            /* must not allocate: if a build lacks room, these say how much it needs */
    long long need_entries, need_chunks;
    long long walked; /* chunks in which a box was looked for in vain, since they were last brought in step */
    int begin, end;   /* the strips that are written and swept: all, but for a share of the world (see sap_multi.h) */
};

/* Found pairs are handed on in batches, so that the kernels stay small and tight. take returns 0 to stop. */
typedef struct sap__sink sap__sink;
struct sap__sink {
    int (*take)(sap__sink *sink);
    void *context;
    int stopped;
    long long tests; /* boxes that were looked at */
    sap__found found;
};

static void sap__sink_init(sap__sink *sink, void *context, int (*take)(sap__sink *)) {
    sink->take = take;
    sink->context = context;
    sink->found.count = sink->stopped = 0;
    sink->tests = 0;
}

static void sap__sink_flush(sap__sink *sink) {
    if (sink->found.count && !sink->stopped) sink->stopped = !sink->take(sink);
    sink->found.count = 0;
}

static void sap__strips_free(sap__strips *t) {
    sap__free_array(&t->strip);
    sap__free_array(&t->first);
    sap__free_array(&t->reach);
    sap__free_array(&t->reached);
    sap__free_array(&t->fill);
    sap__free_array(&t->chunk);
    sap__free_array(&t->chunks);
    sap__free_array(&t->free_chunks);
    sap__free_array(&t->slice);
    sap__free_array(&t->places);
    sap__free_array(&t->tmp);
    sap__free_array(&t->refs);
    sap__free_array(&t->spans);
    t->ready = 0;
}

static size_t sap__strips_bytes(const sap__strips *t) {
    return sap__bytes_of(t->strip) + sap__bytes_of(t->first) + sap__bytes_of(t->reach) + sap__bytes_of(t->reached) +
           sap__bytes_of(t->fill) + sap__bytes_of(t->chunk) + sap__bytes_of(t->chunks) + sap__bytes_of(t->free_chunks) +
           sap__bytes_of(t->slice) + sap__bytes_of(t->places) + sap__bytes_of(t->tmp) + sap__bytes_of(t->refs) +
           sap__bytes_of(t->spans);
}

/* Into a place of the caller's: a struct returned is copied in wider words than it was written in, which must wait. */
SAP__INLINE void sap__turn(const sap__strips *t, const sap__box *box, sap__box *turned) {
    int k;
    for (k = 0; k < 3; k++) turned->lo[k] = box->lo[t->axis[k]], turned->hi[k] = box->hi[t->axis[k]];
}

/* The strips that a turned box touches: a rectangle of them, packed in four bytes; or the wide one. */
typedef struct sap__span {
    int lo[2], hi[2], wide;
} sap__span;

SAP__INLINE int sap__cut_index(const int32_t *cut, int bits, int32_t key) {
    int i = 0, step = (1 << bits) >> 1;
    for (; step; step >>= 1) i += cut[i + step] <= key ? step : 0;
    return i;
}

SAP__INLINE void sap__span_of(const sap__strips *t, const sap__box *turned, sap__span *span) {
    int d;
    for (d = 0; d < 2; d++) {
        span->lo[d] = sap__cut_index(t->cut[d], t->bits[d], turned->lo[d + 1]);
        span->hi[d] = sap__cut_index(t->cut[d], t->bits[d], turned->hi[d + 1]);
    }
    span->wide = (span->hi[0] - span->lo[0] + 1) * (span->hi[1] - span->lo[1] + 1) > SAP__WIDE;
}

static int sap__wide_strip(const sap__strips *t) {
    return 1 << (t->bits[0] + t->bits[1]);
}

SAP__INLINE uint32_t sap__pack_span(const sap__span *s) {
    return s->wide ? SAP__WIDE_SPAN : (uint32_t)(s->lo[0] | s->hi[0] << 8 | s->lo[1] << 16 | s->hi[1] << 24);
}

/* Of the wide one: a single strip, in which it starts and ends. */
SAP__INLINE void sap__unpack_span(uint32_t packed, sap__span *s) {
    s->wide = packed == SAP__WIDE_SPAN;
    if (s->wide) packed = 0;
    s->lo[0] = (int)(packed & 255), s->hi[0] = (int)(packed >> 8 & 255);
    s->lo[1] = (int)(packed >> 16 & 255), s->hi[1] = (int)(packed >> 24);
}

/* Where a turned box is filed; packed, to be kept. */
SAP__INLINE uint32_t sap__file_span(const sap__strips *t, const sap__box *turned, sap__span *span) {
    uint32_t packed;
    sap__span_of(t, turned, span);
    packed = sap__pack_span(span);
    sap__unpack_span(packed, span);
    return packed;
}

/* Where in its span the strip in row i and column j is: the upper bits of a ref. */
SAP__INLINE uint32_t sap__home(const sap__span *s, int i, int j) {
    return (uint32_t)(i == s->lo[0]) << 24 | (uint32_t)(j == s->lo[1]) << 25 | (uint32_t)(i == s->hi[0]) << 26 |
           (uint32_t)(j == s->hi[1]) << 27;
}

SAP__INLINE int sap__covers(const sap__span *s, int wide, int i, int j) {
    return s->wide == wide && s->lo[0] <= i && i <= s->hi[0] && s->lo[1] <= j && j <= s->hi[1];
}

SAP__INLINE int sap__strip_at(const sap__strips *t, const sap__span *s, int i, int j) {
    return s->wide ? sap__wide_strip(t) : i << t->bits[1] | j;
}

SAP__INLINE int sap__is_ours(const sap__strips *t, int s) {
    return t->begin <= s && s < t->end;
}

SAP__INLINE void sap__put_lane(sap__chunk *c, int lane, const sap__box *turned, uint32_t ref) {
    int k;
    for (k = 0; k < 3; k++) c->lo[k][lane] = turned->lo[k], c->hi[k][lane] = turned->hi[k];
    c->ref[lane] = ref;
}

static void sap__copy_lane(sap__chunk *to, int i, const sap__chunk *from, int j) {
    int k;
    for (k = 0; k < 3; k++) to->lo[k][i] = from->lo[k][j], to->hi[k][i] = from->hi[k][j];
    to->ref[i] = from->ref[j];
}

SAP__INLINE void sap__lane_box(const sap__chunk *c, int lane, sap__box *turned) {
    int k;
    for (k = 0; k < 3; k++) turned->lo[k] = c->lo[k][lane], turned->hi[k] = c->hi[k][lane];
}

/* Four boxes, bound by bound: lo[k] and hi[k] say where the bounds on axis k go. By a transpose: updates in which all
   walk take 7 to 9 percent less than lane by lane. */
SAP__INLINE void sap__spread_four(const sap__box *const from[4], int32_t *const lo[3], int32_t *const hi[3], int at) {
#ifdef SAP__LANES4_KERNEL
    sap__lanes4 a0 = sap__load4(from[0]->lo), a1 = sap__load4(from[1]->lo); /* lo x, lo y, lo z, hi x */
    sap__lanes4 a2 = sap__load4(from[2]->lo), a3 = sap__load4(from[3]->lo);
    sap__lanes4 b0 = sap__load4(from[0]->lo + 2), b1 = sap__load4(from[1]->lo + 2); /* lo z, hi x, hi y, hi z */
    sap__lanes4 b2 = sap__load4(from[2]->lo + 2), b3 = sap__load4(from[3]->lo + 2);
    sap__lanes4 xy02 = sap__zip_low4(a0, a2), xy13 = sap__zip_low4(a1, a3);
    sap__lanes4 zx02 = sap__zip_high4(a0, a2), zx13 = sap__zip_high4(a1, a3);
    sap__lanes4 yz02 = sap__zip_high4(b0, b2), yz13 = sap__zip_high4(b1, b3);
    sap__store4(lo[0] + at, sap__zip_low4(xy02, xy13));
    sap__store4(lo[1] + at, sap__zip_high4(xy02, xy13));
    sap__store4(lo[2] + at, sap__zip_low4(zx02, zx13));
    sap__store4(hi[0] + at, sap__zip_high4(zx02, zx13));
    sap__store4(hi[1] + at, sap__zip_low4(yz02, yz13));
    sap__store4(hi[2] + at, sap__zip_high4(yz02, yz13));
#else
    int i, k;
    for (i = 0; i < 4; i++)
        for (k = 0; k < 3; k++) lo[k][at + i] = from[i]->lo[k], hi[k][at + i] = from[i]->hi[k];
#endif
}

/* The boxes of a chunk's refs go to its lanes, turned; sap__nowhere goes to the empty ones. */
static void sap__chunk_read(const sap__strips *t, sap__chunk *c, int fill, const sap__box *boxes) {
    const sap__box *from[SAP__LANES];
    int32_t *lo[3], *hi[3];
    int i, k;
    for (k = 0; k < 3; k++) lo[t->axis[k]] = c->lo[k], hi[t->axis[k]] = c->hi[k];
    for (i = 0; i < fill; i++) from[i] = &boxes[c->ref[i] & SAP__SLOT];
    for (; i < SAP__LANES; i++) from[i] = &sap__nowhere;
    for (i = 0; i < SAP__LANES; i += 4) sap__spread_four(from + i, lo, hi, i);
}

/* Boxes lie by slot, which is anywhere: loops that know what they will need fetch it so many steps ahead. Of 100,000
   moving boxes that is a tenth of the update's time. (Eight steps ahead: updates of 50,000 and 100,000 boxes take 1
   percent longer, of sizes 1:100 3.) Up to so many boxes all is near, and nothing is fetched early: updates in which
   all of 1,000 or 10,000 move take 0.91 to 0.98 of those in which it is, of 20,000 1.02 to 1.06. */
enum { SAP__AHEAD = 16, SAP__NEAR = 12288 };

/* How many of n steps fetch what a later one needs, in a world of so many boxes. */
SAP__INLINE int sap__early_steps(int boxes, int n) {
    return boxes > SAP__NEAR ? n - SAP__AHEAD : 0;
}

#if defined(__GNUC__) || defined(__clang__)
#define sap__prefetch(p) __builtin_prefetch(p)
#else
#define sap__prefetch(p) ((void)0)
#endif

/* Both ends of it, for one box in four lies across two cache lines: where 50,000 or 100,000 boxes move, updates take
   0.92 to 0.97. */
SAP__INLINE void sap__prefetch_box(const sap__box *box) {
    sap__prefetch(&box->lo[0]);
    sap__prefetch(&box->hi[2]);
    (void)box;
}

/* The boxes of n refs, read soon. */
SAP__INLINE void sap__prefetch_boxes(const uint32_t *refs, int n, const sap__box *boxes) {
    int i;
    for (i = 0; i < n; i++) sap__prefetch_box(&boxes[refs[i] & SAP__SLOT]);
}

/* With the wide one. A strip of fewer than four boxes is never worth its place. */
static int sap__most_strips(int n) {
    return n / 4 + 2 < SAP__MOST_STRIPS ? n / 4 + 2 : SAP__MOST_STRIPS;
}

/* What the choice of a grid looks at. */
typedef struct sap__sample {
    int n, size;                                          /* all boxes, and those that are looked at */
    const sap__box *box[SAP__SAMPLE];                     /* these */
    int32_t starts[3][SAP__SAMPLE];                       /* their mins, sorted */
    int within[3][SAP__SAMPLE];                           /* how many of them start within each of them */
    unsigned char lo[2][SAP__SAMPLE], hi[2][SAP__SAMPLE]; /* in which of the finest strips each starts and ends */
    double together[2][SAP__CUT_BITS + 1];                /* by bits: the chance that two start in the same strip */
} sap__sample;

/* The i-th of n things that a sample looks at: by jumps of the golden ratio of 2^32, so that no pattern in their order
   shows. */
SAP__INLINE uint32_t sap__sample_at(uint32_t i, uint32_t n) {
    return (uint32_t)((uint64_t)i * 2654435761u % n);
}

/* The slot of the i-th of some boxes; slots NULL: of all. */
SAP__INLINE uint32_t sap__slot_at(const uint32_t *slots, uint32_t i) {
    return slots ? slots[i] : i;
}

static void sap__sample_boxes(sap__sample *m, const sap__box *boxes, const uint32_t *slots, int n) {
    int i;
    m->n = n;
    m->size = n / 16 < SAP__SAMPLE ? n / 16 : SAP__SAMPLE;
    if (m->size < 128) m->size = n < 128 ? n : 128;
    for (i = 0; i < m->size; i++) m->box[i] = &boxes[sap__slot_at(slots, sap__sample_at((uint32_t)i, (uint32_t)n))];
}

static void sap__sample_starts(sap__sample *m) {
    uint64_t sorted[SAP__SAMPLE], tmp[SAP__SAMPLE];
    int i, k, first, last, step, most = 1;
    while (2 * most <= m->size) most *= 2;
    for (k = 0; k < 3; k++) {
        int32_t *starts = m->starts[k];
        for (i = 0; i < m->size; i++) sorted[i] = sap__item(sap__sortable(m->box[i]->lo[k]), (uint32_t)i);
        sap__sort(sorted, tmp, m->size);
        for (i = 0; i < m->size; i++) starts[i] = sap__key_of(sorted[i]);
        for (i = first = 0; i < m->size; i++) {
            uint32_t box = (uint32_t)sorted[i];
            if (starts[i] != starts[first]) first = i;
            for (step = most, last = 0; step; step >>= 1)
                if (last + step <= m->size && starts[last + step - 1] <= m->box[box]->hi[k]) last += step;
            m->within[k][box] = last - first;
        }
    }
}

/* The axes by how well they separate; stable, so that ties are x before y before z. */
static void sap__order_axes(sap__strips *t, const sap__sample *m) {
    double sums[3];
    int i, k;
    for (k = 0; k < 3; k++) {
        t->axis[k] = k;
        for (i = 0, sums[k] = 0; i < m->size; i++) sums[k] += m->within[k][i];
        for (i = k; i > 0 && sums[t->axis[i]] < sums[t->axis[i - 1]]; i--) {
            int axis = t->axis[i];
            t->axis[i] = t->axis[i - 1];
            t->axis[i - 1] = axis;
        }
    }
}

/* Cuts for the finest strips across; coarser ones are every second, fourth, ... of them. */
static void sap__sample_cuts(sap__strips *t, sap__sample *m) {
    int i, d, b;
    for (d = 0; d < 2; d++) {
        const int32_t *start = m->starts[t->axis[d + 1]];
        int count[SAP__CUTS] = {0};
        for (i = 1; i < SAP__CUTS; i++) t->cut[d][i] = start[(long long)i * m->size / SAP__CUTS];
        t->cut[d][SAP__CUTS] = SAP__AFTER_ALL;
        for (i = 0; i < m->size; i++) {
            const sap__box *box = m->box[i];
            m->lo[d][i] = (unsigned char)sap__cut_index(t->cut[d], SAP__CUT_BITS, box->lo[t->axis[d + 1]]);
            m->hi[d][i] = (unsigned char)sap__cut_index(t->cut[d], SAP__CUT_BITS, box->hi[t->axis[d + 1]]);
            count[m->lo[d][i]]++;
        }
        for (b = SAP__CUT_BITS; b >= 0; b--) {
            m->together[d][b] = 0;
            for (i = 0; i < 1 << b; i++) m->together[d][b] += (double)count[i] * count[i];
            m->together[d][b] /= (double)m->size * m->size;
            for (i = 0; i < 1 << b >> 1; i++) count[i] = count[2 * i] + count[2 * i + 1];
        }
    }
}

/* About how many nanoseconds a box costs with 1 << b0 and 1 << b1 strips across: copies * (filing one + testing those
   that start within it). Static boxes are filed once and asked often, so a copy of them costs less: where 5 percent of
   1,000, 10,000 or 100,000 boxes walk among static ones, finer strips of these save 14, 6 and 5 percent. A quarter of
   the sample is enough here. */
static double sap__grid_cost(const sap__strips *t, const sap__sample *m, int b0, int b1) {
    int s0 = SAP__CUT_BITS - b0, s1 = SAP__CUT_BITS - b1, i;
    double copies = 0, tests = 0, wide = 0, of = m->size, filing = t->only_asked ? 5 : 20;
    const int *within = m->within[t->axis[0]];
    for (i = 0; i < m->size; i += 4) {
        int rows = (m->hi[0][i] >> s0) - (m->lo[0][i] >> s0) + 1,
            columns = (m->hi[1][i] >> s1) - (m->lo[1][i] >> s1) + 1;
        if (rows * columns > SAP__WIDE)
            wide += within[i];
        else
            copies += rows * columns, tests += rows * columns * (double)within[i];
    }
    copies = 4 * copies / of;
    tests = 4 * tests / of * m->n / of * copies * m->together[0][b0] * m->together[1][b1];
    return filing * copies + 0.25 * tests + 2 * wide / of * m->n / of + (double)(1 << (b0 + b1)) * 30 / m->n;
}

/* Chooses the axes and the cuts from a sample. What counts on an axis is not how far the boxes are spread, but how
   many others start within a box: the sweep axis is where these are fewest. (Box pruning takes the axis of the
   largest variance, which a few far boxes or long boxes mislead.) The number of strips is the cheapest one. */
static void sap__choose_grid(sap__strips *t, const sap__box *boxes, const uint32_t *slots, int n) {
    sap__sample m;
    double best = -1;
    int i, k, d, b0, b1;
    t->axis[0] = 0, t->axis[1] = 1, t->axis[2] = 2;
    t->bits[0] = t->bits[1] = 0;
    t->cut[0][0] = t->cut[1][0] = SAP__BEFORE_ALL;
    t->cut[0][1] = t->cut[1][1] = SAP__AFTER_ALL;
    t->grid_boxes = n;
    t->grid_tests = -1;
    t->density[0] = t->density[1] = t->density[2] = n;
    if (n < 2 * SAP__LANES) return; /* one strip of a few chunks */
    sap__sample_boxes(&m, boxes, slots, n);
    sap__sample_starts(&m);
    for (k = 0; k < 3; k++) { /* of the middle four fifths */
        double way = (double)sap__float(m.starts[k][m.size - 1 - m.size / 10]);
        way -= (double)sap__float(m.starts[k][m.size / 10]);
        t->density[k] = way > 0 ? 0.8 * n / way : n;
    }
    sap__order_axes(t, &m);
    sap__sample_cuts(t, &m);
    t->slice_from = m.starts[t->axis[0]][m.size / 64];
    t->slice_to = m.starts[t->axis[0]][m.size - 1 - m.size / 64];
    for (b0 = 0; b0 <= SAP__CUT_BITS; b0++)
        for (b1 = 0; b1 <= SAP__CUT_BITS && (1 << (b0 + b1)) < sap__most_strips(n); b1++) {
            double cost = sap__grid_cost(t, &m, b0, b1);
            if (best < 0 || cost < best) best = cost, t->bits[0] = b0, t->bits[1] = b1;
        }
    for (d = 0; d < 2; d++)
        for (i = 1; i <= 1 << t->bits[d]; i++) t->cut[d][i] = t->cut[d][i << (SAP__CUT_BITS - t->bits[d])];
}

static void sap__halve_grid(sap__strips *t) {
    int d, i;
    for (d = 0; d < 2; d++) {
        if (t->bits[d] == 0) continue;
        t->bits[d]--;
        for (i = 1; i <= 1 << t->bits[d]; i++) t->cut[d][i] = t->cut[d][2 * i];
    }
}

/* The most copies that n boxes may have: a grid that makes more is coarsened. So sap_reserve knows what is enough. */
static long long sap__most_copies(int n) {
    return 2 * (long long)n + 64;
}

static int sap__are_few_copies(const sap__strips *t, const int *copies, int n) {
    long long sum = 0;
    int s;
    for (s = 0; s <= sap__wide_strip(t); s++) sum += copies[s];
    return sum <= sap__most_copies(n);
}

/* A slice a box, up to 4,096, or there are too few to tell them apart: with half as many updates in which all of 1,000
   or 50,000 move by up to 4 take 1.02. */
static int sap__slices_for(int n) {
    int slices = SAP__LEAST_SLICES;
    while (slices < n && slices < SAP__MOST_SLICES) slices *= 2;
    return slices;
}

static int sap__room_to_build(sap__strips *t, int n, int slots, int strips) {
    return sap__room(&t->strip, strips) && sap__room(&t->slice, n) && sap__room(&t->places, sap__slices_for(n)) &&
           sap__room(&t->tmp, n) && sap__room(&t->refs, sap__most_copies(n)) && sap__room(&t->spans, slots);
}

/* Room for what a build needs. */
static int sap__strips_grow(sap__strips *t) {
    long long entries = t->need_entries, chunks = t->need_chunks;
    return entries < INT_MAX && chunks < INT_MAX && sap__room(&t->first, entries) && sap__room(&t->reach, entries) &&
           sap__room(&t->reached, entries) && sap__room(&t->fill, entries) && sap__room(&t->chunk, entries) &&
           sap__room(&t->chunks, chunks) && sap__room(&t->free_chunks, chunks);
}

/* Is there room for so much already? */
static int sap__strips_fit(const sap__strips *t, size_t entries, size_t chunks) {
    return stbds_arrcap(t->first) >= entries && stbds_arrcap(t->reach) >= entries &&
           stbds_arrcap(t->reached) >= entries && stbds_arrcap(t->fill) >= entries &&
           stbds_arrcap(t->chunk) >= entries && stbds_arrcap(t->chunks) >= chunks &&
           stbds_arrcap(t->free_chunks) >= chunks;
}

/* Room in the directory for a strip of that many full chunks, and chunks for all strips, with some to spare for
   boxes that move. */
static long long sap__entries_for(long long full) {
    return full + full / 2 + 4;
}

static long long sap__chunks_for(long long full, int strips) {
    return full + full / 2 + strips + 4;
}

static int sap__strips_reserve(sap__strips *t, int n) {
    int strips = sap__most_strips(n);
    long long full = sap__most_copies(n) / SAP__FILL + strips;
    t->need_entries = sap__entries_for(full) + 4 * (long long)strips;
    t->need_chunks = sap__chunks_for(full, strips);
    return sap__room_to_build(t, n, n, strips) && sap__strips_grow(t);
}

/* The boxes have changed so much that another grid may be better. */
static int sap__grid_is_old(const sap__strips *t, int n) {
    return t->grid_boxes == 0 || n > 2 * t->grid_boxes || 2 * n < t->grid_boxes ||
           (t->grid_tests >= 0 && t->sweep_tests > 2 * t->grid_tests + 64 * (long long)n);
}

/* How many copies of boxes the strips get: a span is counted at its four corners, which are then summed up. A loop over
   its strips would end where no branch can foresee. */
enum { SAP__COLUMNS = SAP__CUTS + 1 };

typedef struct sap__corners {
    int at[SAP__COLUMNS * SAP__COLUMNS], wide;
} sap__corners;

SAP__INLINE void sap__count_corners(sap__corners *corners, int low, int high, int width) {
    int *first_row = corners->at + low, *behind_last = corners->at + high;
    first_row[0]++;
    first_row[width]--;
    behind_last[0]--;
    behind_last[width]++;
}

/* Boxes come in the order of slices of the sweep axis, all of one width: one pass, where sorting takes two or three. Of
   those in the same slice few are in the same strip, and how these lie matters only where a chunk ends: see
   sap__read_strip. What is beyond the first or the last slice counts there. Against sorting, updates in which all move
   by up to 4 take 0.97 (1,000 to 50,000 boxes) and 0.95 (100,000). */
static void sap__slice_axis(sap__strips *t) {
    sap__slicing *l = &t->slicing;
    float from = sap__within(sap__float(t->slice_from)), to = sap__within(sap__float(t->slice_to));
    float margin = (to - from) / 16;
    float way;
    l->first = sap__key(from - margin);
    l->last = sap__key(to + margin);
    l->start = sap__float(l->first);
    way = sap__float(l->last) - l->start;
    l->scale = way > 1e-30f ? (float)(t->slices - 1) / way : 0;
}

SAP__INLINE int sap__slice_of(const sap__slicing *l, int32_t key) {
    key = key < l->first ? l->first : key > l->last ? l->last : key;
    return (int)((sap__float(key) - l->start) * l->scale);
}

#ifdef SAP__LANES4_KERNEL
/* In which strips four boxes start and end: all cuts, one after the other, for four boxes at once take less than a
   search for each. */
SAP__INLINE void sap__cut_index_four(const int32_t *cut, int bits, const int32_t *lo, const int32_t *hi,
                                     sap__lanes4 *first, sap__lanes4 *last) {
    const sap__lanes4 lo4 = sap__load4(lo), hi4 = sap__load4(hi);
    int i;
    *first = *last = sap__splat4((1 << bits) - 1);
    for (i = 1; i < 1 << bits; i++) {
        sap__lanes4 c = sap__splat4(cut[i]);
        *first = sap__add4(*first, sap__greater4(c, lo4));
        *last = sap__add4(*last, sap__greater4(c, hi4));
    }
}
#endif

/* Eight spans, packed; where their corners are counted; and in which slice each box starts. Of what goes to the wide
   strip low is high, and the corners cancel each other. */
struct sap__eight_spans {
    int32_t packed[8], low[8], high[8], width[8]; /* corners at low, low + width, high, high + width */
    int32_t slice[8];
};

/* The spans of the four boxes from at on, by their turned bounds. */
SAP__INLINE void sap__span_four(const sap__strips *t, int32_t bounds[6][8], int at, sap__eight_spans *f) {
    int i, many;
#ifdef SAP__LANES4_KERNEL
    const sap__lanes4 one = sap__splat4(1);
    sap__lanes4 first[2], last[2], row, wide;
    for (i = 0; i < 2; i++)
        sap__cut_index_four(t->cut[i], t->bits[i], bounds[1 + i] + at, bounds[4 + i] + at, &first[i], &last[i]);
    sap__store4(f->packed + at, sap__or4(sap__or4(first[0], sap__shift4(last[0], 8)),
                                         sap__or4(sap__shift4(first[1], 16), sap__shift4(last[1], 24))));
    sap__store4(f->low + at, sap__add4(sap__add4(sap__shift4(first[0], SAP__CUT_BITS), first[0]), first[1]));
    row = sap__add4(last[0], one);
    sap__store4(f->high + at, sap__add4(sap__add4(sap__shift4(row, SAP__CUT_BITS), row), first[1]));
    sap__store4(f->width + at, sap__add4(sap__sub4(last[1], first[1]), one));
    wide = sap__add4(sap__sub4(last[0], first[0]), sap__sub4(last[1], first[1]));
    many = sap__mask4(sap__greater4(wide, sap__splat4(6))) != 0; /* 4 rows of 4 are not too many */
#else
    for (i = at; i < at + 4; i++) {
        int row = sap__cut_index(t->cut[0], t->bits[0], bounds[1][i]);
        int end_row = sap__cut_index(t->cut[0], t->bits[0], bounds[4][i]);
        int column = sap__cut_index(t->cut[1], t->bits[1], bounds[2][i]);
        int end_column = sap__cut_index(t->cut[1], t->bits[1], bounds[5][i]);
        f->packed[i] = row | end_row << 8 | column << 16 | end_column << 24;
        f->low[i] = row * SAP__COLUMNS + column;
        f->high[i] = (end_row + 1) * SAP__COLUMNS + column;
        f->width[i] = end_column - column + 1;
    }
    many = 1;
#endif
    for (i = at; i < at + 4 && many; i++)
        if ((f->high[i] - f->low[i]) / SAP__COLUMNS * f->width[i] > SAP__WIDE) {
            f->packed[i] = (int32_t)SAP__WIDE_SPAN;
            f->high[i] = f->low[i];
        }
}

static void sap__span_plain(const sap__strips *t, const sap__box *const boxes[8], sap__eight_spans *f) {
    int32_t bounds[6][8], *lo[3], *hi[3];
    int i, k;
    for (k = 0; k < 3; k++) lo[t->axis[k]] = bounds[k], hi[t->axis[k]] = bounds[3 + k];
    for (i = 0; i < 8; i += 4) {
        sap__spread_four(boxes + i, lo, hi, i);
        sap__span_four(t, bounds, i, f);
    }
    for (i = 0; i < 8; i++) f->slice[i] = sap__slice_of(&t->slicing, bounds[0][i]);
}

#ifdef SAP__HAS_AVX2
#define sap__zip_low8(a, b) _mm256_unpacklo_epi32(a, b) /* in each half what sap__zip_low4 does */
#define sap__zip_high8(a, b) _mm256_unpackhi_epi32(a, b)

/* Four bounds from at on, of two boxes. */
SAP__AVX2 static inline __m256i sap__load_two8(const sap__box *a, const sap__box *b, int at) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(sap__load4(a->lo + at)), sap__load4(b->lo + at), 1);
}

/* As sap__spread_four: mins and maxs by axis. */
SAP__AVX2 static inline void sap__spread_eight(const sap__box *const from[8], __m256i lo[3], __m256i hi[3]) {
    const __m256i a0 = sap__load_two8(from[0], from[4], 0), a1 = sap__load_two8(from[1], from[5], 0);
    const __m256i a2 = sap__load_two8(from[2], from[6], 0), a3 = sap__load_two8(from[3], from[7], 0);
    const __m256i b0 = sap__load_two8(from[0], from[4], 2), b1 = sap__load_two8(from[1], from[5], 2);
    const __m256i b2 = sap__load_two8(from[2], from[6], 2), b3 = sap__load_two8(from[3], from[7], 2);
    const __m256i xy02 = sap__zip_low8(a0, a2), xy13 = sap__zip_low8(a1, a3);
    const __m256i zx02 = sap__zip_high8(a0, a2), zx13 = sap__zip_high8(a1, a3);
    const __m256i yz02 = sap__zip_high8(b0, b2), yz13 = sap__zip_high8(b1, b3);
    lo[0] = sap__zip_low8(xy02, xy13), lo[1] = sap__zip_high8(xy02, xy13);
    lo[2] = sap__zip_low8(zx02, zx13), hi[0] = sap__zip_high8(zx02, zx13);
    hi[1] = sap__zip_low8(yz02, yz13), hi[2] = sap__zip_high8(yz02, yz13);
}

SAP__AVX2 static inline void sap__cut_index_eight(const int32_t *cut, int bits, __m256i lo, __m256i hi, __m256i *first,
                                                  __m256i *last) {
    int i;
    *first = *last = sap__splat8((1 << bits) - 1);
    for (i = 1; i < 1 << bits; i++) {
        const __m256i c = sap__splat8(cut[i]);
        *first = sap__add8(*first, _mm256_cmpgt_epi32(c, lo));
        *last = sap__add8(*last, _mm256_cmpgt_epi32(c, hi));
    }
}

/* Updates in which all of 1,000 to 50,000 boxes move by up to 4 take 0.96 to 0.97 of those in which there are four at a
   time. (Sixteen at a time: 10,000 and more 0.95 to 0.97, 1,000 1.01 to 1.03.) */
SAP__AVX2 static void sap__span_avx2(const sap__strips *t, const sap__box *const boxes[8], sap__eight_spans *f) {
    const sap__slicing *l = &t->slicing;
    __m256i lo[3], hi[3], first[2], last[2], row, columns, wide, key;
    int d;
    sap__spread_eight(boxes, lo, hi);
    for (d = 0; d < 2; d++) {
        int axis = t->axis[1 + d];
        sap__cut_index_eight(t->cut[d], t->bits[d], lo[axis], hi[axis], &first[d], &last[d]);
    }
    row = sap__add8(last[0], sap__splat8(1));
    columns = sap__add8(sap__sub8(last[1], first[1]), sap__splat8(1));
    wide = _mm256_cmpgt_epi32(_mm256_mullo_epi32(sap__sub8(row, first[0]), columns), sap__splat8(SAP__WIDE));
    row = _mm256_blendv_epi8(row, first[0], wide);
    sap__store8(f->packed, sap__or8(sap__or8(sap__or8(first[0], sap__shift8(last[0], 8)), wide),
                                    sap__or8(sap__shift8(first[1], 16), sap__shift8(last[1], 24))));
    sap__store8(f->low, sap__add8(sap__add8(sap__shift8(first[0], SAP__CUT_BITS), first[0]), first[1]));
    sap__store8(f->high, sap__add8(sap__add8(sap__shift8(row, SAP__CUT_BITS), row), first[1]));
    sap__store8(f->width, columns);
    key = _mm256_min_epi32(_mm256_max_epi32(lo[t->axis[0]], sap__splat8(l->first)), sap__splat8(l->last));
    key = sap__or8(_mm256_abs_epi32(key), sap__and8(key, sap__splat8(0x80000000u))); /* the float */
    sap__store8(f->slice,
                _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_sub_ps(_mm256_castsi256_ps(key), _mm256_set1_ps(l->start)),
                                                  _mm256_set1_ps(l->scale))));
}
#endif

/* Where the i-th boxes are filed goes to spans, i in [from, to), and how many start in each slice to count. Four boxes
   at a time, against one, adding 1,000 or 10,000 takes a tenth less, and their corners, too, where 10,000 jump, 2
   percent; eight: see sap__span_avx2. */
static void sap__span_boxes(sap__strips *t, const sap__kernel *kernel, const sap__box *boxes, const uint32_t *slots,
                            int from, int to, sap__corners *corners, uint32_t *count) {
    int i, j;
    memset(corners, 0, sizeof *corners);
    memset(count, 0, (size_t)t->slices * sizeof *count);
    for (i = from; i < to; i += 8) {
        const sap__box *eight[8];
        uint32_t slot[8];
        sap__eight_spans spans;
        int n = to - i < 8 ? to - i : 8;
        for (j = 0; j < 8; j++) {
            int at = j < n ? i + j : i; /* the last eight may be fewer */
            slot[j] = sap__slot_at(slots, (uint32_t)at);
            eight[j] = &boxes[slot[j]];
        }
        kernel->span(t, eight, &spans);
        for (j = 0; j < n; j++) {
            t->slice[i + j] = (uint16_t)spans.slice[j];
            count[spans.slice[j]]++;
            t->spans[slot[j]] = (uint32_t)spans.packed[j];
            sap__count_corners(corners, spans.low[j], spans.high[j], spans.width[j]);
            corners->wide += (uint32_t)spans.packed[j] == SAP__WIDE_SPAN;
        }
    }
}

/* The i-th boxes go to where place says that the next one of their slice belongs. */
static void sap__slice_boxes(sap__strips *t, const uint32_t *slots, int from, int to, uint32_t *place) {
    int i;
    for (i = from; i < to; i++) {
        uint32_t slot = sap__slot_at(slots, (uint32_t)i);
        t->tmp[place[t->slice[i]]++] = sap__item(t->spans[slot], slot);
    }
}

/* Do slices tell boxes apart, or are these sorted faster by keys? By how many of a box's strip start in its slice, with
   itself: more than two on average where there are few strips for many boxes, or where most of them lie on a few
   islands far apart. Of 200,000 on two islands, 1D, updates by keys take 0.23 of those by slices, of as many at places
   2^0 to 2^60, 3D, 0.17; spread evenly over a line 8,000 boxes take 0.9, over a plane 400,000. in_slices is the sum
   of the squares of the slices' counts. */
static int sap__slices_suit(const sap__strips *t, uint64_t in_slices, const int *copies, int n) {
    uint64_t all = 0, in_strips = 0; /* there are some 2^25 copies at most, so their squares fit */
    int i;
    for (i = 0; i <= sap__wide_strip(t); i++)
        all += (uint64_t)copies[i], in_strips += (uint64_t)copies[i] * (uint64_t)copies[i];
    return (double)in_slices * (double)in_strips <= (double)SAP__CROWD * (double)all * (double)all * n;
}

/* Then boxes come in the order of their keys. The room of the refs, which come later, is lent to the sort. */
static void sap__sort_boxes(sap__strips *t, const sap__box *boxes, const uint32_t *slots, int n) {
    int i;
    for (i = 0; i < n; i++) {
        uint32_t slot = sap__slot_at(slots, (uint32_t)i);
        t->tmp[i] = sap__item(sap__sortable(boxes[slot].lo[t->axis[0]]), slot);
    }
    sap__sort(t->tmp, (uint64_t *)(void *)t->refs, n);
    for (i = 0; i < n; i++) {
        uint32_t slot = (uint32_t)t->tmp[i];
        t->tmp[i] = sap__item(t->spans[slot], slot);
    }
}

/* For the next build: if slices did not suit these boxes, those will. */
static void sap__note_slices(sap__strips *t, const sap__box *boxes, int n) {
    int32_t from, to;
    if (n == 0) return;
    from = boxes[(uint32_t)t->tmp[n / 64]].lo[t->axis[0]];
    to = boxes[(uint32_t)t->tmp[n - 1 - n / 64]].lo[t->axis[0]];
    t->slice_from = from < to ? from : to;
    t->slice_to = from < to ? to : from;
}

/* The number of copies in each strip. */
static void sap__sum_corners(const sap__strips *t, sap__corners *corners, int *copies) {
    int i, j, rows = 1 << t->bits[0], columns = 1 << t->bits[1];
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) {
            int *at = corners->at + i * SAP__COLUMNS + j, *copy = copies + (i << t->bits[1] | j);
            if (i) at[0] += at[-SAP__COLUMNS];
            *copy = at[0] + (j ? copy[-1] : 0);
        }
    copies[rows * columns] = corners->wide;
}

/* How many boxes a build files in a chunk. No lane has to wait where hardly a box will come: movers among 10,000 static
   boxes take 3 percent less. (Moving ones: they take 2 percent less where all jump, 4 to 8 more where few walk.) */
static int sap__fill_of(const sap__strips *t) {
    return t->only_asked ? (int)SAP__LANES : (int)SAP__FILL;
}

/* Gives each strip its stretch of the directory, and the number of chunks that so many copies will fill. 0 without
   memory. */
static int sap__lay_directory(sap__strips *t, const int *copies) {
    long long entries = 0, full = 0;
    int s, strips = sap__wide_strip(t) + 1, fill = sap__fill_of(t);
    sap__set_length(t->strip, strips);
    for (s = 0; s < strips; s++) {
        int chunks_here = (copies[s] + fill - 1) / fill;
        t->strip[s].start = (int)entries;
        t->strip[s].count = chunks_here;
        t->strip[s].room = (int)sap__entries_for(chunks_here);
        entries += t->strip[s].room;
        full += chunks_here;
    }
    t->begin = 0;
    t->end = strips;
    t->need_entries = entries;
    t->need_chunks = sap__chunks_for(full, strips);
    if (t->frozen) return sap__strips_fit(t, (size_t)entries, (size_t)t->need_chunks);
    return sap__strips_grow(t);
}

/* The chunks of a strip lie in a row, as they are read. Until they are, reach says where their refs begin. */
static void sap__lay_chunks(sap__strips *t, const int *copies) {
    int s, e, taken = 0, refs = 0, chunks = (int)t->need_chunks, fill = sap__fill_of(t);
    sap__set_length(t->chunks, chunks);
    for (s = t->begin; s < t->end; s++) {
        const sap__strip *strip = &t->strip[s];
        for (e = strip->start; e < strip->start + strip->count; e++) {
            t->chunk[e] = (uint32_t)taken++;
            t->fill[e] = fill;
            t->reach[e] = refs + (e - strip->start) * fill;
        }
        refs += copies[s];
        if (strip->count) t->fill[e - 1] = copies[s] - (strip->count - 1) * fill;
    }
    sap__set_length(t->free_chunks, chunks - taken);
    for (e = 0; e < chunks - taken; e++) t->free_chunks[e] = (uint32_t)(chunks - 1 - e);
}

/* Where the next ref of a strip comes, after so many. */
static int sap__cursor_after(const sap__strips *t, int s, int copies) {
    return t->strip[s].count ? t->reach[t->strip[s].start] + copies : 0;
}

/* A chunk's reach is its largest max; an empty lane has none. */
static void sap__strip_tighten(sap__strips *t, int e) {
    const sap__chunk *c = &t->chunks[t->chunk[e]];
    int i;
    int32_t reach = SAP__BEFORE_ALL;
    for (i = 0; i < SAP__LANES; i++) reach = c->hi[0][i] > reach ? c->hi[0][i] : reach;
    t->reach[e] = reach;
}

/* How far the chunks up to this one have reached; of those before it that is known. */
SAP__INLINE void sap__strip_note_reach(sap__strips *t, int start, int e) {
    t->reached[e] = e > start && t->reached[e - 1] > t->reach[e] ? t->reached[e - 1] : t->reach[e];
}

/* The refs of the i-th boxes in slice order, i in [from, to), strip by strip; cursor says where each strip goes on.
   (Into the chunks at once, which lie far apart: where boxes move by up to 4, of 1,000 and 10,000 4 percent more, of
   100,000 8. Up to four copies without a branch: no less, for it is the steps that count. Boxes in one strip like all
   others: 2 percent more.) */
static void sap__fill_strips(sap__strips *t, int from, int to, int *cursor) {
    int i, j, k, wide = sap__wide_strip(t);
    for (i = from; i < to; i++) {
        uint32_t slot = (uint32_t)t->tmp[i], packed = (uint32_t)(t->tmp[i] >> 32);
        sap__span span;
        if (((packed ^ packed >> 8) & 0x00ff00ffu) == 0) { /* in one strip, as most are; the wide one, too */
            int s = packed == SAP__WIDE_SPAN ? wide : (int)((packed & 255) << t->bits[1] | (packed >> 16 & 255));
            t->refs[cursor[s]++] = slot | SAP__HOME | SAP__ENDS;
            continue;
        }
        sap__unpack_span(packed, &span);
        for (j = span.lo[0], k = span.lo[1]; j <= span.hi[0];) {
            int is_last = k == span.hi[1];
            t->refs[cursor[sap__strip_at(t, &span, j, k)]++] = slot | sap__home(&span, j, k);
            k = is_last ? span.lo[1] : k + 1; /* one loop, for each end of a loop is foreseen wrongly */
            j += is_last;
        }
    }
}

/* Refs in sweep order: few by insertion, many by Shell's sort, which needs no room. */
static void sap__sort_refs(uint32_t *refs, int n, const sap__box *boxes, int axis) {
    int i, j, gap = 1;
    while (gap < n / SAP__LANES) gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (i = gap; i < n; i++) {
            uint32_t ref = refs[i];
            int32_t key = boxes[ref & SAP__SLOT].lo[axis];
            for (j = i; j >= gap && boxes[refs[j - gap] & SAP__SLOT].lo[axis] > key; j -= gap) refs[j] = refs[j - gap];
            refs[j] = ref;
        }
}

/* The chunk gets its refs, and these their bounds. */
static void sap__read_chunk(sap__strips *t, int e, const uint32_t *refs, const sap__box *boxes) {
    sap__chunk *c = &t->chunks[t->chunk[e]];
    int i, fill = t->fill[e];
    memcpy(c->ref, refs, (size_t)fill * sizeof *refs);
    for (i = fill; i < SAP__LANES; i++) c->ref[i] = 0;
    sap__chunk_read(t, c, fill, boxes);
}

/* Does no box of chunk b, which may be a, start before its first one, and no box of a behind that? Empty lanes, which
   start behind all, do not count. */
SAP__INLINE int sap__are_in_order(const sap__chunk *a, const sap__chunk *b) {
    int i;
#ifdef SAP__LANES4_KERNEL
    const sap__lanes4 first = sap__splat4(b->lo[0][0]), after_all = sap__splat4(SAP__AFTER_ALL);
    sap__lanes4 off = sap__splat4(0);
    for (i = 0; i < SAP__LANES; i += 4) {
        sap__lanes4 start = sap__load4(a->lo[0] + i);
        off = sap__or4(off, sap__greater4(first, sap__load4(b->lo[0] + i)));
        off = sap__or4(off, sap__and4(sap__greater4(start, first), sap__greater4(after_all, start)));
    }
    return sap__mask4(off) == 0;
#else
    int good = 1;
    for (i = 0; i < SAP__LANES; i++)
        good &= (b->lo[0][i] >= b->lo[0][0]) & ((a->lo[0][i] <= b->lo[0][0]) | (a->lo[0][i] == SAP__AFTER_ALL));
    return good;
#endif
}

/* The chunks of a strip. Refs come slice by slice, and the few of the same one in any order, so a chunk may need boxes
   of the one before it: these two are sorted. If that was not enough, many of a crowd start in one slice here, and all
   refs of the strip are. (Of 50,000 boxes it is one chunk in eight, and no strip. All of every strip by insertion at
   once: that costs what slices have won.) */
static void sap__read_strip(sap__strips *t, int s, const sap__box *boxes) {
    const sap__strip *strip = &t->strip[s];
    const uint32_t *chunk = t->chunk;
    int e, i, start = strip->start, end = start + strip->count, fill = sap__fill_of(t), axis = t->axis[0];
    uint32_t *refs = t->refs + (strip->count ? t->reach[start] : 0);
    for (e = start; e < end; e++) {
        uint32_t *here = refs + (e - start) * fill;
        if (e + 1 < end && t->grid_boxes > SAP__NEAR) sap__prefetch_boxes(here + fill, t->fill[e + 1], boxes);
        sap__read_chunk(t, e, here, boxes);
        if (e == start || sap__are_in_order(&t->chunks[chunk[e - 1]], &t->chunks[chunk[e]])) continue;
        sap__sort_refs(here - fill, fill + t->fill[e], boxes, axis);
        for (i = e - 1; i <= e; i++) sap__read_chunk(t, i, refs + (i - start) * fill, boxes);
        if (e - 1 == start || sap__are_in_order(&t->chunks[chunk[e - 2]], &t->chunks[chunk[e - 1]])) continue;
        sap__sort_refs(refs, (strip->count - 1) * fill + t->fill[end - 1], boxes, axis);
        for (i = start; i <= e; i++) sap__read_chunk(t, i, refs + (i - start) * fill, boxes);
    }
    for (e = start; e < end; e++) {
        t->first[e] = e > start ? t->chunks[chunk[e]].lo[0][0] : SAP__BEFORE_ALL;
        sap__strip_tighten(t, e);
        sap__strip_note_reach(t, start, e);
    }
}

static void sap__read_strips(sap__strips *t, const sap__box *boxes) {
    int s;
    for (s = t->begin; s < t->end; s++) sap__read_strip(t, s, boxes);
}

/* Files boxes[slots[0..n-1]] anew (slots NULL: all n); all is how many slots there are. 0 without memory, and then the
   strips are not ready. */
static int sap__strips_build(sap__strips *t, const sap__kernel *kernel, const sap__box *boxes, int all,
                             const uint32_t *slots, int n) {
    int copies[SAP__MOST_STRIPS], cursor[SAP__MOST_STRIPS], s;
    sap__corners corners;
    t->ready = 0;
    t->slices = sap__slices_for(n);
    if (sap__grid_is_old(t, n)) sap__choose_grid(t, boxes, slots, n);
    if (!sap__room_to_build(t, n, all, sap__wide_strip(t) + 1)) return 0;
    sap__slice_axis(t);
    for (;; sap__halve_grid(t)) {
        sap__span_boxes(t, kernel, boxes, slots, 0, n, &corners, t->places);
        sap__sum_corners(t, &corners, copies);
        if (sap__are_few_copies(t, copies, n)) break;
    }
    if (!sap__lay_directory(t, copies)) return 0;
    if (sap__slices_suit(t, sap__sum_counts(t->places, t->slices), copies, n))
        sap__slice_boxes(t, slots, 0, n, t->places);
    else
        sap__sort_boxes(t, boxes, slots, n);
    sap__note_slices(t, boxes, n);
    sap__lay_chunks(t, copies);
    for (s = t->begin; s < t->end; s++) cursor[s] = sap__cursor_after(t, s, 0);
    sap__fill_strips(t, 0, n, cursor);
    sap__read_strips(t, boxes);
    return t->ready = 1;
}

/* All overlapping pairs within one strip. */
static void sap__sweep_strip(const sap__strips *t, const sap__kernel *kernel, int s, sap__sink *sink) {
    const sap__strip *strip = &t->strip[s];
    int i, j, end = strip->start + strip->count;
    for (i = strip->start; i < end; i++) {
        const sap__chunk *a = &t->chunks[t->chunk[i]];
        for (j = i; j < end && t->first[j] <= t->reach[i]; j++) {
            const sap__chunk *b = &t->chunks[t->chunk[j]];
            kernel->meet(a, b, t->first[j], &sink->found, &sink->tests);
            if (sink->found.count >= SAP__BATCH) {
                sap__sink_flush(sink);
                if (sink->stopped) return;
            }
        }
    }
}

/* The first chunk that a box which starts at key may meet. (Found by looking at all chunks before it: updates in which
   64 boxes move among 10,000, 50,000 and 100,000 static ones take 1.12, 1.23 and 1.45 times as long.) */
static int sap__strip_meets(const sap__strips *t, const sap__strip *strip, int32_t key) {
    int lo = strip->start, n = strip->count;
    while (n > 1) {
        int half = n / 2;
        lo += t->reached[lo + half - 1] < key ? half : 0;
        n -= half;
    }
    return lo;
}

/* What a turned box overlaps in one strip, from chunk e on; one that is filed there finds itself, too. (Chunks of
   several boxes listed first, so that one loop looks at all: 1.00 to 1.16, though fewer branches are foreseen wrongly.
   Two chunks a step: 0.97 to 1.08.) */
static void sap__ask_from(const sap__strips *t, const sap__kernel *kernel, int s, int e, const sap__box *turned,
                          uint32_t ref, sap__sink *sink) {
    int end = t->strip[s].start + t->strip[s].count;
    for (; e < end && t->first[e] <= turned->hi[0]; e++) {
        if (t->reach[e] < turned->lo[0]) continue;
        sink->tests += SAP__LANES;
        kernel->hits(&t->chunks[t->chunk[e]], turned, ref, &sink->found);
        if (sink->found.count >= SAP__BATCH) {
            sap__sink_flush(sink);
            if (sink->stopped) return;
        }
    }
}

static void sap__ask_strip(const sap__strips *t, const sap__kernel *kernel, int s, const sap__box *turned, uint32_t ref,
                           sap__sink *sink) {
    sap__ask_from(t, kernel, s, sap__strip_meets(t, &t->strip[s], turned->lo[0]), turned, ref, sink);
}

/* What sweeps cost, so that a grid which suits no more is noticed. */
static void sap__note_sweep(sap__strips *t, long long tests) {
    t->sweep_tests = tests;
    if (t->grid_tests < 0) t->grid_tests = tests;
}

/* Box pruning, complete: every overlapping pair once, to a new sink. (Terdiman I.4c) */
static void sap__sweep(sap__strips *t, const sap__kernel *kernel, sap__sink *sink) {
    int s, i, lane, j, k, wide = sap__wide_strip(t);
    for (s = t->begin; s < t->end && !sink->stopped; s++) sap__sweep_strip(t, kernel, s, sink);
    for (i = t->strip[wide].start; i < t->strip[wide].start + t->strip[wide].count; i++)
        for (lane = 0; lane < t->fill[i]; lane++) { /* a wide box visits all strips that it touches */
            const sap__chunk *c = &t->chunks[t->chunk[i]];
            sap__box box;
            sap__span span;
            sap__lane_box(c, lane, &box);
            sap__span_of(t, &box, &span);
            for (j = span.lo[0]; j <= span.hi[0]; j++)
                for (k = span.lo[1]; k <= span.hi[1] && !sink->stopped; k++)
                    if (sap__is_ours(t, j << t->bits[1] | k))
                        sap__ask_strip(t, kernel, j << t->bits[1] | k, &box,
                                       (c->ref[lane] & SAP__SLOT) | sap__home(&span, j, k), sink);
        }
    sap__note_sweep(t, sink->tests);
}

/* A box that asks what it overlaps: turned; in the strips that it touches; and from which entry of the directory on it
   may meet others in the first of these. */
typedef struct sap__question {
    sap__box turned;
    sap__span span;
    uint32_t slot;
    int from;
} sap__question;

/* Of a box that is filed here the span is known: where 5 percent walk, updates take 4 percent less. */
SAP__INLINE void sap__pose(const sap__strips *t, const sap__box *box, uint32_t slot, int is_filed, sap__question *q) {
    sap__turn(t, box, &q->turned);
    if (is_filed) sap__unpack_span(t->spans[slot], &q->span);
    if (!is_filed || q->span.wide) sap__span_of(t, &q->turned, &q->span);
    q->slot = slot;
    q->from = sap__strip_meets(t, &t->strip[q->span.lo[0] << t->bits[1] | q->span.lo[1]], q->turned.lo[0]);
}

/* Everything here that overlaps the box, once: strip by strip, and in the wide one. */
SAP__INLINE void sap__answer(const sap__strips *t, const sap__kernel *kernel, const sap__question *q, sap__sink *sink) {
    const sap__span *span = &q->span;
    int j = span->lo[0], k = span->lo[1], wide = sap__wide_strip(t);
    sap__ask_from(t, kernel, j << t->bits[1] | k, q->from, &q->turned, q->slot | sap__home(span, j, k), sink);
    for (k++; j <= span->hi[0]; j++, k = span->lo[1])
        for (; k <= span->hi[1] && !sink->stopped; k++)
            sap__ask_strip(t, kernel, j << t->bits[1] | k, &q->turned, q->slot | sap__home(span, j, k), sink);
    if (t->strip[wide].count && !sink->stopped) sap__ask_strip(t, kernel, wide, &q->turned, q->slot | SAP__HOME, sink);
}

/* Box pruning, bipartite, one box of the other set at a time: everything here that overlaps it, once. */
static void sap__ask(const sap__strips *t, const sap__kernel *kernel, const sap__box *box, uint32_t slot,
                     sap__sink *sink) {
    sap__question question;
    sap__pose(t, box, slot, 0, &question);
    sap__answer(t, kernel, &question, sink);
}

/* Of boxes[slots[0..n-1]] (slots NULL: of all n). A few questions are posed before the first one is answered. Each
   begins with a search, of which every step waits for the last one; those of several boxes go on at once. But where an
   answer ends is foreseen wrongly, and so the search of the next box would only begin when that is known. Against one
   by one, updates in which 64 boxes move among static ones take 0.89 to 0.97, in which 5 percent walk 0.95 to 0.97.
   (Eight at once, or sixteen: 1.00 to 1.05 of that. Not inline, so that each question looks whether its box is filed:
   where 64 move, 0.97 to 1.04 of one by one.) */
SAP__INLINE void sap__ask_several(const sap__strips *t, const sap__kernel *kernel, const sap__box *boxes,
                                  const uint32_t *slots, int n, int are_filed, sap__sink *sink) {
    sap__question question[SAP__QUESTIONS];
    int i, j, to;
    for (i = 0; i < n && !sink->stopped; i = to) {
        to = i + SAP__QUESTIONS < n ? i + SAP__QUESTIONS : n;
        for (j = i; j < to; j++) {
            uint32_t slot = sap__slot_at(slots, (uint32_t)j);
            sap__pose(t, &boxes[slot], slot, are_filed, &question[j - i]);
        }
        for (j = i; j < to && !sink->stopped; j++) sap__answer(t, kernel, &question[j - i], sink);
    }
}

/* ---- one box at a time: these never allocate; 0 says that there is no room, and then the strips are not ready -- */

/* The last chunk whose boxes may start at key. */
static int sap__strip_locate(const sap__strips *t, const sap__strip *strip, int32_t key) {
    int lo = strip->start, n = strip->count;
    while (n > 1) {
        int half = n / 2;
        lo += t->first[lo + half] <= key ? half : 0;
        n -= half;
    }
    return lo;
}

/* Which lanes hold the box of this slot, a bit each; empty ones may seem to hold that of slot 0. */
SAP__INLINE uint32_t sap__chunk_lanes_of(const sap__chunk *c, uint32_t slot) {
    uint32_t mask = 0;
    int i;
#ifdef SAP__LANES4_KERNEL
    const sap__lanes4 bits = sap__splat4(SAP__SLOT), of = sap__splat4((int32_t)slot);
    for (i = 0; i < SAP__LANES; i += 4)
        mask |= sap__mask4(sap__equal4(sap__and4(sap__load4(c->ref + i), bits), of)) << i;
#else
    for (i = 0; i < SAP__LANES; i++) mask |= (uint32_t)((c->ref[i] & SAP__SLOT) == slot) << i;
#endif
    return mask;
}

/* The chunk and lane of a box; boxes that start exactly where a chunk does may be in the one before. All bounds of the
   lane are about to be written, and are fetched while it is looked for: where 5 percent of 50,000 or 100,000 boxes
   walk, updates take 0.97. */
static int sap__strip_find(sap__strips *t, const sap__strip *strip, int32_t key, uint32_t slot, int *lane) {
    int k, e = sap__strip_locate(t, strip, key);
    for (k = 0; k < 3; k++) {
        sap__prefetch(t->chunks[t->chunk[e]].lo[k]);
        sap__prefetch(t->chunks[t->chunk[e]].hi[k]);
    }
    for (; e >= strip->start; e--, t->walked++) {
        uint32_t lanes = sap__chunk_lanes_of(&t->chunks[t->chunk[e]], slot) & ((1u << t->fill[e]) - 1);
        if (lanes) {
            *lane = sap__lowest_bit(lanes);
            return e;
        }
        if (t->first[e] < key) break;
    }
    SAP_ASSERT(0 && "a filed box is in its strips");
    *lane = 0;
    return strip->start;
}

/* Opens (by = 1) or closes (by = -1) a gap before entry e of the directory. */
static void sap__strip_shift(sap__strips *t, sap__strip *strip, int e, int by) {
    int from = by > 0 ? e : e + 1, n = strip->start + strip->count - from;
    memmove(t->first + from + by, t->first + from, (size_t)n * sizeof *t->first);
    memmove(t->reach + from + by, t->reach + from, (size_t)n * sizeof *t->reach);
    memmove(t->reached + from + by, t->reached + from, (size_t)n * sizeof *t->reached);
    memmove(t->fill + from + by, t->fill + from, (size_t)n * sizeof *t->fill);
    memmove(t->chunk + from + by, t->chunk + from, (size_t)n * sizeof *t->chunk);
    strip->count += by;
}

/* A new, empty chunk at entry e. */
static int sap__strip_open(sap__strips *t, sap__strip *strip, int e, int32_t first) {
    int i;
    if (strip->count == strip->room || sap__length(t->free_chunks) == 0) return t->ready = 0;
    sap__strip_shift(t, strip, e, 1);
    t->first[e] = first;
    t->reach[e] = SAP__BEFORE_ALL;
    sap__strip_note_reach(t, strip->start, e);
    t->fill[e] = 0;
    t->chunk[e] = stbds_arrpop(t->free_chunks);
    for (i = 0; i < SAP__LANES; i++) sap__put_lane(&t->chunks[t->chunk[e]], i, &sap__nowhere, 0);
    return 1;
}

/* Never the first one of a strip: that stays, even empty. */
static void sap__strip_close(sap__strips *t, sap__strip *strip, int e) {
    sap__push(t->free_chunks, t->chunk[e]);
    sap__strip_shift(t, strip, e, -1);
}

/* Chunks e and e + 1 share their lanes anew: the first ones, in sweep order, are for e. */
static void sap__strip_share(sap__strips *t, int e, int first_ones) {
    sap__chunk *to[2], old[2];
    int order[2 * SAP__LANES], i, j, k, n = 0;
    for (k = 0; k < 2; k++) {
        to[k] = &t->chunks[t->chunk[e + k]];
        old[k] = *to[k];
        for (i = 0; i < t->fill[e + k]; i++, n++) {
            for (j = n; j > 0 && old[order[j - 1] >> 8].lo[0][order[j - 1] & 255] > old[k].lo[0][i]; j--)
                order[j] = order[j - 1];
            order[j] = k << 8 | i;
        }
    }
    t->first[e + 1] = old[order[first_ones] >> 8].lo[0][order[first_ones] & 255];
    for (k = 0; k < 2; k++) {
        t->fill[e + k] = k ? n - first_ones : first_ones;
        for (i = 0; i < SAP__LANES; i++)
            if (i < t->fill[e + k]) {
                j = order[k ? first_ones + i : i];
                sap__copy_lane(to[k], i, &old[j >> 8], j & 255);
            } else
                sap__put_lane(to[k], i, &sap__nowhere, 0);
        sap__strip_tighten(t, e + k);
        if (t->reach[e + k] > t->reached[e + k])
            t->reached[e + k] = t->reach[e + k]; /* e alone can reach farther than before; those behind know of e + 1 */
    }
}

/* A full chunk shares with a neighbour; if they have little room, with a new one. (Always with a new one: then the
   chunks of a world in motion hold 9.7 boxes instead of 12, and a sweep compares 1.4 times as many of them.) */
static int sap__strip_split(sap__strips *t, sap__strip *strip, int e) {
    int next = e + 1 < strip->start + strip->count ? t->fill[e + 1] : SAP__LANES;
    int last = e > strip->start ? t->fill[e - 1] : SAP__LANES;
    if (next <= last && next <= SAP__LEND)
        sap__strip_share(t, e, (SAP__LANES + next) / 2);
    else if (last <= SAP__LEND)
        sap__strip_share(t, e - 1, (SAP__LANES + last) / 2);
    else if (sap__strip_open(t, strip, e + 1, t->first[e]))
        sap__strip_share(t, e, SAP__LANES / 2);
    return t->ready;
}

/* A chunk's reach grows. */
static void sap__strip_stretch(sap__strips *t, const sap__strip *strip, int e, int32_t reach) {
    t->reach[e] = reach;
    for (; e < strip->start + strip->count && t->reached[e] < reach; e++) t->reached[e] = reach;
}

static int sap__strip_insert(sap__strips *t, int s, const sap__box *turned, uint32_t ref) {
    sap__strip *strip = &t->strip[s];
    int e;
    if (strip->count == 0 && !sap__strip_open(t, strip, strip->start, SAP__BEFORE_ALL)) return 0;
    e = sap__strip_locate(t, strip, turned->lo[0]);
    if (t->fill[e] == SAP__LANES) {
        if (!sap__strip_split(t, strip, e)) return 0;
        e = sap__strip_locate(t, strip, turned->lo[0]);
    }
    sap__put_lane(&t->chunks[t->chunk[e]], t->fill[e]++, turned, ref);
    if (turned->hi[0] > t->reach[e]) sap__strip_stretch(t, strip, e, turned->hi[0]);
    return 1;
}

/* Two neighbours whose boxes fit in one chunk become one. (Joining only chunks that were less than half full was tried:
   after many moves most chunks stayed half empty.) */
static void sap__strip_join(sap__strips *t, sap__strip *strip, int e) {
    sap__chunk *into = &t->chunks[t->chunk[e]], *from = &t->chunks[t->chunk[e + 1]];
    int i;
    if (t->fill[e] + t->fill[e + 1] > SAP__FILL && t->fill[e] && t->fill[e + 1]) return;
    for (i = 0; i < t->fill[e + 1]; i++) sap__copy_lane(into, t->fill[e]++, from, i);
    if (t->reach[e + 1] > t->reach[e]) sap__strip_stretch(t, strip, e, t->reach[e + 1]);
    sap__strip_close(t, strip, e + 1);
}

/* Takes a lane out. */
static void sap__strip_take(sap__strips *t, sap__strip *strip, int e, int lane) {
    sap__chunk *c = &t->chunks[t->chunk[e]];
    int32_t hi = c->hi[0][lane];
    int last = --t->fill[e]; /* may have been the only one */
    sap__copy_lane(c, lane, c, last);
    sap__put_lane(c, last, &sap__nowhere, 0);
    if (hi == t->reach[e]) sap__strip_tighten(t, e);
    if (e + 1 < strip->start + strip->count)
        sap__strip_join(t, strip, e);
    else if (e > strip->start)
        sap__strip_join(t, strip, e - 1);
}

/* Where a box is filed in a strip it gets its new bounds, and is filed again if these belong in another chunk. */
SAP__INLINE int sap__strip_change(sap__strips *t, int s, int32_t was, const sap__box *turned, uint32_t ref) {
    sap__strip *strip = &t->strip[s];
    int lane, e = sap__strip_find(t, strip, was, ref & SAP__SLOT, &lane);
    sap__chunk *c = &t->chunks[t->chunk[e]];
    int32_t old_hi = c->hi[0][lane];
    if (turned->lo[0] < t->first[e] || (e + 1 < strip->start + strip->count && turned->lo[0] > t->first[e + 1])) {
        sap__strip_take(t, strip, e, lane);
        return sap__strip_insert(t, s, turned, ref);
    }
    sap__put_lane(c, lane, turned, ref);
    if (turned->hi[0] > t->reach[e])
        sap__strip_stretch(t, strip, e, turned->hi[0]);
    else if (old_hi == t->reach[e])
        sap__strip_tighten(t, e);
    return 1;
}

/* A box that was filed in one span belongs in another; SAP__NO_SPAN: it comes, or goes. */
typedef struct sap__change {
    uint32_t slot, from, to;
} sap__change;

/* Files the box as the change says; was is where its strips have it still. Most moves stay in their strips and chunks,
   and only overwrite a lane. What comes and goes are strips, not boxes. 0: no room, the strips are not ready. */
static int sap__change_strips(sap__strips *t, const sap__box *was, const sap__box *now, const sap__change *change) {
    sap__box turned;
    sap__span from, to;
    int i, j;
    int32_t old = was->lo[t->axis[0]];
    sap__unpack_span(change->from, &from);
    sap__turn(t, now, &turned);
    if (change->from == change->to) { /* the rule: a case of its own, or walks of 5 percent take 5 percent more */
        for (i = from.lo[0]; i <= from.hi[0]; i++)
            for (j = from.lo[1]; j <= from.hi[1]; j++) {
                int s = sap__strip_at(t, &from, i, j);
                if (sap__is_ours(t, s) && !sap__strip_change(t, s, old, &turned, change->slot | sap__home(&from, i, j)))
                    return 0;
            }
        return 1;
    }
    sap__unpack_span(change->to, &to);
    for (i = from.lo[0]; i <= from.hi[0]; i++)
        for (j = from.lo[1]; j <= from.hi[1]; j++) {
            int s = sap__strip_at(t, &from, i, j), lane;
            if (!sap__is_ours(t, s)) continue;
            if (sap__covers(&to, from.wide, i, j)) {
                if (!sap__strip_change(t, s, old, &turned, change->slot | sap__home(&to, i, j))) return 0;
            } else {
                int e = sap__strip_find(t, &t->strip[s], old, change->slot, &lane);
                sap__strip_take(t, &t->strip[s], e, lane);
            }
        }
    for (i = to.lo[0]; i <= to.hi[0]; i++)
        for (j = to.lo[1]; j <= to.hi[1]; j++) {
            int s = sap__strip_at(t, &to, i, j);
            if (sap__is_ours(t, s) && !sap__covers(&from, to.wide, i, j) &&
                !sap__strip_insert(t, s, &turned, change->slot | sap__home(&to, i, j)))
                return 0;
        }
    return 1;
}

/* Where the boxes of a chunk have to start on the sweep axis, and the strip across; all bounds belong to it. */
typedef struct sap__limits {
    int32_t first, last, from[2], to[2];
} sap__limits;

/* Which lanes are not where they belong, a bit each: in the lower half those that start beyond the chunk, in the upper
   half those that do not start, or end, in the strip where their ref says that they do. To reach the largest max. */
static uint32_t sap__chunk_misfits(const sap__chunk *c, const sap__limits *at, int32_t *reach) {
    uint32_t astray = 0, leaving = 0;
    int i, d;
#ifdef SAP__LANES4_KERNEL
    sap__lanes4 most = sap__splat4(SAP__BEFORE_ALL);
    int32_t four[4];
    for (i = 0; i < SAP__LANES; i += 4) {
        sap__lanes4 start = sap__load4(c->lo[0] + i), stop = sap__load4(c->hi[0] + i), off = sap__splat4(0);
        for (d = 0; d < 2; d++) {
            const sap__lanes4 from = sap__splat4(at->from[d]), to = sap__splat4(at->to[d]);
            sap__lanes4 lo = sap__load4(c->lo[d + 1] + i), hi = sap__load4(c->hi[d + 1] + i);
            lo = sap__or4(sap__greater4(from, lo), sap__greater4(lo, to));
            hi = sap__or4(sap__greater4(from, hi), sap__greater4(hi, to));
            off = sap__or4(off, sap__or4(sap__and4(lo, sap__splat4((int32_t)sap__home_bit(d))),
                                         sap__and4(hi, sap__splat4((int32_t)sap__end_bit(d)))));
        }
        off = sap__and4(off, sap__load4(c->ref + i));
        leaving |= sap__mask4(sap__greater4(off, sap__splat4(0))) << i;
        astray |= sap__mask4(sap__or4(sap__greater4(sap__splat4(at->first), start),
                                      sap__greater4(start, sap__splat4(at->last))))
                  << i;
        most = sap__xor4(most, sap__and4(sap__xor4(most, stop), sap__greater4(stop, most)));
    }
    sap__store4(four, most);
    *reach = four[0];
    for (i = 1; i < 4; i++) *reach = four[i] > *reach ? four[i] : *reach;
#else
    *reach = SAP__BEFORE_ALL;
    for (i = 0; i < SAP__LANES; i++) {
        uint32_t off = 0;
        for (d = 0; d < 2; d++) {
            int32_t lo = c->lo[d + 1][i], hi = c->hi[d + 1][i];
            off |= (uint32_t)((lo < at->from[d]) | (lo > at->to[d])) * sap__home_bit(d);
            off |= (uint32_t)((hi < at->from[d]) | (hi > at->to[d])) * sap__end_bit(d);
        }
        leaving |= (uint32_t)((off & c->ref[i]) != 0) << i;
        astray |= (uint32_t)((c->lo[0][i] < at->first) | (c->lo[0][i] > at->last)) << i;
        *reach = c->hi[0][i] > *reach ? c->hi[0][i] : *reach;
    }
#endif
    return astray | leaving << SAP__LANES;
}

/* What a strip and a chunk of it want of their boxes; in the wide one everybody starts and ends. */
static void sap__strip_limits(const sap__strips *t, int s, sap__limits *at) {
    int d, is_wide = s == sap__wide_strip(t);
    for (d = 0; d < 2; d++) {
        int i = d ? s & ((1 << t->bits[1]) - 1) : s >> t->bits[1];
        at->from[d] = is_wide ? SAP__BEFORE_ALL : t->cut[d][i];
        at->to[d] = is_wide ? SAP__AFTER_ALL : t->cut[d][i + 1] - 1;
    }
}

/* All boxes that are filed take their new bounds where they are. Those that left their chunk's stretch are filed again
   within the strip; those that left their strips are listed in t->tmp, with the span that they belong in. Returns how
   many; -1 if there would be more than most, or there was no room for one: then boxes are missing, and the strips are
   not ready. */
static int sap__strips_reread(sap__strips *t, const sap__box *boxes, int most) {
    int s, e, lane, leaving = 0, most_astray = (int)stbds_arrcap(t->tmp) - most, wide = sap__wide_strip(t);
    uint64_t *list = t->tmp + most; /* of those that are filed again, behind those that leave */
    for (s = t->begin; s < t->end; s++) {
        sap__strip *strip = &t->strip[s];
        int end = strip->start + strip->count, astray = 0;
        sap__limits at;
        sap__strip_limits(t, s, &at);
        for (e = strip->start; e < end; e++) {
            sap__chunk *c = &t->chunks[t->chunk[e]];
            uint32_t lanes = (1u << t->fill[e]) - 1, misfits, mask;
            sap__box turned;
            sap__span span;
            at.first = t->first[e];
            at.last = e + 1 < end ? t->first[e + 1] : SAP__AFTER_ALL;
            if (e + 1 < end && t->grid_boxes > SAP__NEAR)
                sap__prefetch_boxes(t->chunks[t->chunk[e + 1]].ref, t->fill[e + 1], boxes);
            sap__chunk_read(t, c, t->fill[e], boxes);
            misfits = sap__chunk_misfits(c, &at, &t->reach[e]);
            sap__strip_note_reach(t, strip->start, e);
            for (lane = 0; s == wide && lane < t->fill[e]; lane++) { /* is it still wide? */
                sap__lane_box(c, lane, &turned);
                sap__span_of(t, &turned, &span);
                misfits |= (uint32_t)!span.wide << (SAP__LANES + lane);
            }
            for (mask = misfits >> SAP__LANES & lanes; mask; mask &= mask - 1) {
                if (leaving == most) return -1;
                lane = sap__lowest_bit(mask);
                sap__lane_box(c, lane, &turned);
                sap__span_of(t, &turned, &span);
                t->tmp[leaving++] = sap__item(c->ref[lane] & SAP__SLOT, sap__pack_span(&span));
            }
            if ((misfits & lanes) == 0) continue;
            for (lane = t->fill[e]; lane-- > 0;)
                if (misfits >> lane & 1) {
                    if (astray == most_astray) return -1;
                    list[astray++] = c->ref[lane];
                    sap__copy_lane(c, lane, c, --t->fill[e]);
                    sap__put_lane(c, t->fill[e], &sap__nowhere, 0);
                }
            sap__strip_tighten(t, e);
        }
        while (astray > 0) {
            uint32_t ref = (uint32_t)list[--astray];
            sap__box turned;
            sap__turn(t, &boxes[ref & SAP__SLOT], &turned);
            if (!sap__strip_insert(t, s, &turned, ref)) return -1;
        }
        for (e = strip->start + strip->count - 2; e >= strip->start; e--) sap__strip_join(t, strip, e);
    }
    return leaving;
}

/* An entry of that list becomes a change. 0 if it has before: a box is listed at one to four corners of its span. */
SAP__INLINE int sap__take_leaving(sap__strips *t, uint64_t entry, sap__change *change) {
    change->slot = (uint32_t)(entry >> 32);
    change->from = t->spans[change->slot];
    change->to = (uint32_t)entry;
    t->spans[change->slot] = change->to;
    return change->from != change->to;
}

/* Every filed box takes its new bounds, and those that leave their strips are filed again. 0 if they are too many, or
   there is no room for them. */
static int sap__strips_refresh(sap__strips *t, const sap__box *boxes, int moving) {
    int i, leaving = sap__strips_reread(t, boxes, moving / SAP__LEAVING);
    if (leaving < 0) return t->ready = 0;
    for (i = 0; i < leaving; i++) {
        sap__change change;
        if (sap__take_leaving(t, t->tmp[i], &change) &&
            !sap__change_strips(t, &boxes[change.slot], &boxes[change.slot], &change))
            return 0;
    }
    return 1;
}

/* ====================================================================================================== */
/* >> machines: which kernels a machine has                                                                 */
/* ====================================================================================================== */

static const sap__kernel sap__scalar_kernel = {sap__hits_scalar,
                                               sap__meet_scalar,
                                               sap__rank_scalar,
                                               {sap__ask_box_scalar, sap__ask_sphere_scalar, sap__ask_ray_scalar},
                                               sap__span_plain,
                                               SAP__FEW_ITEMS,
                                               1};

#ifdef SAP__LANES4_KERNEL
static const sap__kernel sap__lanes4_kernel = {sap__hits_lanes4,
                                               sap__meet_lanes4,
                                               sap__rank_scalar,
                                               {sap__ask_box_lanes4, sap__ask_sphere_lanes4, sap__ask_ray_lanes4},
                                               sap__span_plain,
                                               SAP__FEW_ITEMS,
                                               4};
#endif

#ifdef SAP__HAS_AVX2
static const sap__kernel sap__avx2_kernel = {sap__hits_avx2,
                                             sap__meet_avx2,
                                             sap__rank_avx2,
                                             {sap__ask_box_avx2, sap__ask_sphere_avx2, sap__ask_ray_avx2},
                                             sap__span_avx2,
                                             SAP__RANKED,
                                             8};
#endif

#ifdef SAP__HAS_AVX512
static const sap__kernel sap__avx512_kernel = {
    sap__hits_avx512,
    sap__meet_avx512,
    sap__rank_avx512,
    {sap__ask_box_avx2, sap__ask_sphere_avx2, sap__ask_ray_avx2}, /* a node has eight lanes */
    sap__span_avx2,
    SAP__RANKED,
    16};
#endif

/* 0 if this build or this machine lacks it; then it is the scalar one. */
static int sap__get_kernel(int which, sap__kernel *kernel) {
    const sap__kernel *found = which == SAP__KERNEL_SCALAR ? &sap__scalar_kernel : NULL;
#ifdef SAP__LANES4_KERNEL
    if (which == SAP__LANES4_KERNEL) found = &sap__lanes4_kernel;
#endif
#ifdef SAP__HAS_AVX2
    if (which == SAP__KERNEL_AVX2 && __builtin_cpu_supports("avx2")) found = &sap__avx2_kernel;
#endif
#ifdef SAP__HAS_AVX512
    if (which == SAP__KERNEL_AVX512 && __builtin_cpu_supports("avx512vbmi2")) /* older ones clock down for it */
        found = &sap__avx512_kernel;
#endif
    *kernel = found ? *found : sap__scalar_kernel;
    return found != NULL;
}

static sap__kernel sap__best_kernel(void) {
    static const int order[] = {SAP__KERNEL_AVX512, SAP__KERNEL_AVX2, SAP__KERNEL_SSE2, SAP__KERNEL_NEON,
                                SAP__KERNEL_WASM};
    sap__kernel kernel;
    size_t i;
    for (i = 0; i < sizeof order / sizeof *order; i++)
        if (sap__get_kernel(order[i], &kernel)) break;
    return kernel;
}

/* ====================================================================================================== */
/* >> pruning: box pruning on its own                                                                       */
/* ====================================================================================================== */

typedef struct sap__prune {
    sap_prune_hit *hit;
    void *user;
    long long visited;
    int swapped; /* the refs are (b, a) */
} sap__prune;

static int sap__prune_take(sap__sink *sink) {
    sap__prune *p = (sap__prune *)sink->context;
    int n;
    if (!p->hit) {
        p->visited += sink->found.count;
        return 1;
    }
    for (n = 0; n < sink->found.count; n++) {
        int i = (int)(sink->found.a[n] & SAP__SLOT), j = (int)(sink->found.b[n] & SAP__SLOT), go;
        p->visited++;
        if (p->swapped == 1)
            go = p->hit(j, i, p->user);
        else if (p->swapped == 0)
            go = p->hit(i, j, p->user);
        else
            go = i < j ? p->hit(i, j, p->user) : p->hit(j, i, p->user);
        if (!go) return 0;
    }
    return 1;
}

static sap_result sap__encode_all(const sap_aabb *boxes, int n, int axes, sap__box **out) {
    int32_t used[6];
    int i, good = 1;
    sap__axes_used(axes ? axes : 7, used);
    if (n > (int)SAP__SLOT) return SAP_ERROR_LIMIT;
    if (!sap__room(out, n)) return SAP_ERROR_MEMORY;
    for (i = 0; i < n; i++) good &= sap__encode(&boxes[i], used, &(*out)[i]);
    return good ? SAP_OK : SAP_ERROR_BOX;
}

SAP_DEF long long sap_box_prune(const sap_aabb *boxes, int n, int axes, sap_prune_hit *hit, void *user) {
    sap__strips strips;
    sap__box *all = NULL;
    sap__sink sink;
    sap__prune prune;
    sap__kernel kernel = sap__best_kernel();
    sap_result r;
    if (n < 0 || (n && !boxes) || axes < 0 || axes > 7) return -SAP_ERROR_ARGUMENT;
    memset(&strips, 0, sizeof strips);
    prune.hit = hit, prune.user = user, prune.visited = 0, prune.swapped = -1;
    sap__sink_init(&sink, &prune, sap__prune_take);
    r = sap__encode_all(boxes, n, axes, &all);
    if (r == SAP_OK && n && !sap__strips_build(&strips, &kernel, all, n, NULL, n)) r = SAP_ERROR_MEMORY;
    if (r == SAP_OK && n) {
        sap__sweep(&strips, &kernel, &sink);
        sap__sink_flush(&sink);
    }
    sap__strips_free(&strips);
    sap__free_array(&all);
    return r == SAP_OK ? prune.visited : -(long long)r;
}

SAP_DEF long long sap_box_prune_bipartite(const sap_aabb *a, int na, const sap_aabb *b, int nb, int axes,
                                          sap_prune_hit *hit, void *user) {
    sap__strips strips;
    sap__box *filed = NULL, *asking = NULL;
    sap__sink sink;
    sap__prune prune;
    sap__kernel kernel = sap__best_kernel();
    sap_result r;
    int swapped = na > nb; /* the larger set is filed, the smaller asks */
    if (na < 0 || nb < 0 || (na && !a) || (nb && !b) || axes < 0 || axes > 7) return -SAP_ERROR_ARGUMENT;
    memset(&strips, 0, sizeof strips);
    prune.hit = hit, prune.user = user, prune.visited = 0, prune.swapped = swapped;
    sap__sink_init(&sink, &prune, sap__prune_take);
    r = sap__encode_all(swapped ? a : b, swapped ? na : nb, axes, &filed);
    if (r == SAP_OK) r = sap__encode_all(swapped ? b : a, swapped ? nb : na, axes, &asking);
    if (r == SAP_OK && na && nb) {
        int n = swapped ? na : nb;
        if (!sap__strips_build(&strips, &kernel, filed, n, NULL, n)) r = SAP_ERROR_MEMORY;
        if (r == SAP_OK) sap__ask_several(&strips, &kernel, asking, NULL, swapped ? nb : na, 0, &sink);
        sap__sink_flush(&sink);
    }
    sap__strips_free(&strips);
    sap__free_array(&filed);
    sap__free_array(&asking);
    return r == SAP_OK ? prune.visited : -(long long)r;
}

/* ====================================================================================================== */
/* >> world: everything one world holds                                                                     */
/* ====================================================================================================== */

/* A slot's state: the generation of its id in the high 8 bits, and flags. */
enum {
    SAP__LIVE = 1, /* has a box that the user may name */
    SAP__STATIC = 2,
    SAP__RECORDED = 4, /* is in the record; during an update: has changed, and asks for its overlaps */
    SAP__ADDED = 8,    /* since the last update */
    SAP__REMOVED = 16, /* since the last update; not live any more, not yet free */
    SAP__FRESH = 32,   /* its filter may answer anew: what overlapped before says nothing about its pairs */
    SAP__ASKED = 64,   /* during an update: has asked, where each does in its turn */
    SAP__FLAGS = 255
};
#define SAP__NONE 0xffffffffu
#define SAP__MAX_BOXES 0xffffff
#define SAP__RESTING 256

typedef struct sap__slot {
    void *object;
    uint32_t category, mask;
} sap__slot;

/* A pair is in the lists of its two boxes, side 0 in that of id0. A place is pair * 2 + side. */
typedef struct sap__links {
    uint32_t next[2], prev[2]; /* places, or SAP__NONE */
} sap__links;

/* Two ways to a pair that are kept only while somebody asks for them: see pairs. */
enum { SAP__CHAINS, SAP__LISTS, SAP__LINKS };

typedef struct sap__tree sap__tree;

/* Loops over many boxes or pairs are cut into shares, for threads. */
enum { SAP__SHARES = 8 };

typedef struct sap__listed { /* of a share of the record: what has changed */
    int all, newcomers, changed[3];
} sap__listed;

/* Slots in a row, the longest in it first. A slot without a box, or soon without one, needs no mask: that holds the
   next one in the row. */
typedef struct sap__queue {
    uint32_t first, last;
    int count;
} sap__queue;

struct sap_world {
    sap_config config;
    sap__kernel kernel;
    int32_t used[6]; /* see sap__axes_used */
    int path;        /* config.method */
    int settled_by;  /* the method of the last update */
    int order_from;  /* see sap__order_changes; tests set it, too */
    int in_callback, in_filter;
    sap_result last_error;

    /* boxes, by slot; slots and state say how many there are */
    sap__box *now, *was; /* as recorded, if in the record; as of the last update */
    int exchanged;       /* they have changed places: of boxes that are not in the record, now is older than was */
    sap__slot *slots;
    uint32_t *state, *link;   /* link: head of the slot's list of pairs */
    sap__queue free, removed; /* slots without a box; slots whose boxes were removed since the last update */
    int live, live_static;
    uint32_t *record; /* slots touched since the last update, each once */
    int32_t mixed;    /* some of them may be of static boxes, or of those that came or went */
    int fresh;        /* how many of them are SAP__FRESH */
    int masked;       /* a box may have a category or a mask that is not the default */

    /* pairs */
    sap_pair *pairs, *created, *deleted;
    sap__links *links;          /* of pairs */
    uint32_t *buckets;          /* hash table: first pair of each chain */
    uint32_t *chain;            /* of pairs: the next one in the same bucket */
    int32_t linked[SAP__LINKS]; /* 1: chains, or lists, are those of the pairs; 0: to be made when asked for */
    int32_t asked[SAP__LINKS];  /* they were, since the last update */
    int mended[SAP__LINKS];     /* pairs that came or went since they were asked for, while they were kept */
    int32_t linking;            /* 1 while a look call makes some */
    int sorted_from;            /* pairs from this one on are sorted by their ids, as those are that came at once */

    /* indices over the settled boxes */
    sap__strips moving, standing; /* boxes that may pair with each other; static ones */
    sap__tree *tree;              /* boxes as recorded, for queries; NULL until the first one */
    uint64_t *ends[3];            /* sorted endpoints of all boxes, a sentinel at each side; see endpoints */
    int ends_ready;
    struct sap_multi *multi;              /* not NULL: this world is the whole of a sap_multi, which lends it these */
    int (*settle_in_cells)(sap_world *s); /* NULL, or settles in place of all the ways above */
    int (*settle_in_shares)(sap_world *s, int path, const int changed[3]);      /* NULL, or strips on threads */
    void (*run_steps)(sap_world *s, void (*step)(sap_world *, int), int count); /* step(s, 0..count-1), on threads */
    int threads_from; /* so many boxes or pairs are worth waking the threads for */
    int is_share;     /* what one thread sees of a world: never allocates, and does not ask the filter */

    /* during an update */
    uint64_t *found; /* keys (id0, id1) of pairs that start */
    uint32_t *lost;  /* indices of pairs that end */
    int moves;       /* of pairs into the holes that these leave */
    uint64_t *items, *tmp;
    uint32_t *list, *filed; /* changed slots; slots to be filed */
    uint32_t *own_list;     /* while the record is lent as the list */
    sap__listed listed[SAP__SHARES];
    sap_result trouble; /* why it gave up */
    int newcomers;      /* boxes added since the last one */
    int patience;       /* updates before insertion sort is tried again */
    long long swaps, tests;
};

/* Where a share of n things begins. */
static int sap__share_from(int n, int share) {
    return (int)((long long)n * share / SAP__SHARES);
}

/* Runs steps of which none writes what another one touches; on threads if there is work enough, counted in boxes or
   pairs, to wake them. */
static void sap__each(sap_world *s, void (*step)(sap_world *, int), int count, int work) {
    int i;
    if (s->run_steps && work >= s->threads_from)
        s->run_steps(s, step, count);
    else
        for (i = 0; i < count; i++) step(s, i);
}

SAP__INLINE uint32_t sap__slot_of(sap_id id) {
    return (id & SAP__SLOT) - 1;
}

SAP__INLINE sap_id sap__id_of(const sap_world *s, uint32_t slot) {
    return (s->state[slot] & ~(uint32_t)SAP__FLAGS) | (slot + 1);
}

/* Where a live box is; during an update now says so of all. */
SAP__INLINE const sap__box *sap__recorded_box(const sap_world *s, uint32_t slot) {
    return s->state[slot] & SAP__RECORDED ? &s->now[slot] : &s->was[slot];
}

/* ====================================================================================================== */
/* >> tree: what the queries walk                                                                           */
/* ====================================================================================================== */

/* A tree of boxes as recorded, static and moving alike. It comes into being with the first query; a world without
   queries pays one test where it records. It is a B-tree over space (Guttman's R-tree): a node has three to eight
   children, all leaves are equally deep, only a split of the root makes the tree higher. So its height is bounded
   by construction, and with it the stack of every walk.

       root      [ a  b  c ]                 bound of a lane = union of the child's lanes, exactly
                  /   |   \
       leaf   [...] [...] [ 17  4  9  30 ]   lanes of a leaf are boxes, as they are, not fattened

   Recording only puts a slot on the list of dirty ones; the next query brings the tree in step. What moved is written
   where it stands, and the bounds above are refitted level by level. Two kinds of boxes have to find another leaf:
   those that stretch theirs, and those that leave the territory of their branch. Where they go, the surface grows
   least. If they are many, all is built anew. Builds and splits divide boxes where surface * eights of boxes is least,
   on the axis on which they are spread most or by size, so that a few large boxes share nodes and do not stretch many.

   So that the tree does not decay, every sync pays for some branches to be built anew, the next ones in turn, in
   proportion to what changed: no frame is much dearer than the others. A branch is a node of height 2 and all below,
   about 300 boxes. Its territory is the space that it had when it was built: without territories branches spread into
   each other, and after 300 frames a query cost twice what it costs in a fresh tree. The levels above are built anew
   in the same way, three at a time. If territories have grown all the same, by half on average, all is built anew.
   Counted, all boxes walking by up to 0.2 an axis and frame: a box query enters 1.09 times the nodes of a fresh tree
   and a ray 1.12 times, on average over 3,000 frames of 10,000 boxes, of which 24 built all anew; 1.15 and 1.16 times
   after 400 frames of 100,000. (Territories chosen by what the branches hold, not by the territories: 1.24 and 1.28.
   Branches that exchange boxes with their nearest neighbour: 1.5 and 1.67.)

   Measured, 10,000 boxes each of which overlaps two others, AMD EPYC, gcc 12 -O2, nanoseconds (Bullet's dbvt, Boost's
   rtree in brackets): box query 120 (470, 460), box query with 30 hits 580 (2250, 1450), closest hit of a ray 240
   (2000), a linear scan 30,000. A query enters ten nodes. */
enum {
    SAP__LEAST = 3,   /* children of a node that is not the root */
    SAP__LEVELS = 16, /* of nodes, at most: 3 ^ 15 leaves of 3 boxes are more than there are ids */
    SAP__STACK = SAP__LEVELS * (SAP__ARITY - 1) + 1,
    SAP__BINS = 16,
    SAP__REBUILD = 4, /* all is built anew if more than one box in so many has to find another leaf */
    SAP__GATES = 8,
    SAP__BRANCH = 2,    /* the height of a node with a territory */
    SAP__UPKEEP = 4,    /* so many boxes that moved pay for one that is built anew */
    SAP__LEAF_FILL = 75 /* boxes in ten leaves that are built anew; 55 to 80 make no difference to queries */
};
#define SAP__STRETCH 1.4f        /* by so much a leaf's surface may grow before it gives boxes away */
#define SAP__SHRINK 0.9f         /* below so much of its surface a territory is made smaller */
#define SAP__DIRTY 0x80000000u   /* in place[]: the rest is an index into dirty */
#define SAP__NOWHERE 0x7fffffffu /* in place[]: not in the tree */

typedef struct sap__dirty {
    uint32_t slot, place; /* where its box lies in the tree */
} sap__dirty;

/* On its way into a node: mins, size, negated maxs, so that a union is eight minimums; all within SAP__FAR. */
typedef struct sap__part {
    float b[8];
    uint32_t child;
} sap__part;

/* How many queries with a callback are in progress. Each counts at one of several gates, chosen by where its stack
   is, so that threads do not wait for each other's cache lines. */
typedef struct sap__gate {
    int32_t queries;
    char apart[60];
} sap__gate;

struct sap__tree {
    sap__node *nodes;
    uint32_t root, free_node; /* free nodes are linked by parent */
    int free_nodes, boxes;
    int ready;         /* 0: to be built anew, and then nothing else here counts */
    int flat;          /* fewer than three axes: surfaces are sums of extents */
    uint32_t *place;   /* by slot: node * SAP__ARITY + lane; SAP__NOWHERE; or SAP__DIRTY | index into dirty */
    sap__dirty *dirty; /* slots recorded since the tree was in step, each once */
    sap__part *parts;  /* scratch of a build */
    uint32_t *queue;   /* scratch of a refit */
    uint32_t turn;     /* the node whose branch is built anew next */
    long long paid;    /* so many boxes may be, for what has changed pays for them */
    double strain;     /* by how much territories have grown, in all: 1 is one territory twice as large */
    sap__gate gates[SAP__GATES];
};

/* ---- surfaces ---------------------------------------------------------------------------------------------- */

SAP__INLINE float sap__surface(int flat, float x, float y, float z) {
    return flat ? x + y + z : x * y + y * z + z * x;
}

static float sap__node_surface(const sap__tree *t, const float b[6]) {
    return sap__surface(t->flat, sap__within(b[3]) - sap__within(b[0]), sap__within(b[4]) - sap__within(b[1]),
                        sap__within(b[5]) - sap__within(b[2]));
}

SAP__INLINE float sap__part_surface(int flat, const float b[8]) {
    return sap__surface(flat, -b[4] - b[0], -b[5] - b[1], -b[6] - b[2]);
}

SAP__INLINE void sap__part_join(float to[8], const float b[8]) {
    int k;
    for (k = 0; k < 8; k++) to[k] = b[k] < to[k] ? b[k] : to[k];
}

static void sap__part_set(sap__part *part, const float b[6], uint32_t child) {
    float size;
    int k;
    for (k = 0; k < 3; k++) part->b[k] = sap__within(b[k]), part->b[4 + k] = -sap__within(b[3 + k]);
    size = -(part->b[4] + part->b[0]) - (part->b[5] + part->b[1]) - (part->b[6] + part->b[2]);
    part->b[3] = (float)(sap__bits(size) >> 12); /* nearly its logarithm */
    part->b[7] = 0;
    part->child = child;
}

/* What parts are ordered by: twice the centre on an axis, or the size. */
SAP__INLINE float sap__part_key(const sap__part *part, int axis) {
    return part->b[axis] - part->b[4 + axis];
}

static void sap__slot_bounds(const sap_world *s, uint32_t slot, float b[6]) {
    const sap__box *box = sap__recorded_box(s, slot);
    int k;
    for (k = 0; k < 3; k++) b[k] = sap__float(box->lo[k]), b[3 + k] = sap__float(box->hi[k]);
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

SAP__INLINE void sap__lane_bounds(const sap__node *n, int lane, float b[6]) {
    int k;
    for (k = 0; k < 6; k++) b[k] = n->bound[k][lane];
}

static void sap__node_union(const sap__node *n, float b[6]) {
    int i, k;
    for (k = 0; k < 3; k++) {
        float lo = n->bound[k][0], hi = n->bound[3 + k][0];
        for (i = 1; i < n->count; i++) {
            lo = n->bound[k][i] < lo ? n->bound[k][i] : lo;
            hi = n->bound[3 + k][i] > hi ? n->bound[3 + k][i] : hi;
        }
        b[k] = lo;
        b[3 + k] = hi;
    }
}

/* Which lane of its parent a node is. */
static int sap__lane_in(const sap__node *parent, uint32_t child) {
    int i = 0;
    while (parent->child[i] != child) i++;
    return i;
}

static void sap__lane_set(sap__tree *t, uint32_t at, int lane, const float b[6]) {
    int k;
    for (k = 0; k < 6; k++) t->nodes[at].bound[k][lane] = b[k];
}

/* The child of a lane learns where it is. */
static void sap__lane_own(sap__tree *t, uint32_t at, int lane, uint32_t child) {
    sap__node *n = &t->nodes[at];
    n->child[lane] = child;
    if (n->height)
        t->nodes[child].parent = at;
    else
        t->place[sap__slot_of(child)] = at * SAP__ARITY + (uint32_t)lane;
}

static void sap__lane_put(sap__tree *t, uint32_t at, const float b[6], uint32_t child) {
    int lane = t->nodes[at].count++;
    sap__lane_set(t, at, lane, b);
    sap__lane_own(t, at, lane, child);
}

static void sap__lane_clear(sap__node *n, int lane) {
    int k;
    for (k = 0; k < 3; k++) {
        n->bound[k][lane] = sap__float(SAP__INFINITY);
        n->bound[3 + k][lane] = sap__float(-SAP__INFINITY);
    }
    n->child[lane] = 0;
}

static void sap__lanes_clear(sap__node *n) {
    while (n->count) sap__lane_clear(n, --n->count);
}

/* In a copy of a node: the last lane fills the hole. */
static void sap__lane_drop(sap__node *n, int lane) {
    int k, last = --n->count;
    for (k = 0; k < 6; k++) n->bound[k][lane] = n->bound[k][last];
    n->child[lane] = n->child[last];
}

/* The same in the tree. */
static void sap__lane_take(sap__tree *t, uint32_t at, int lane) {
    sap__node *n = &t->nodes[at];
    int last = --n->count;
    if (lane != last) {
        float b[6];
        sap__lane_bounds(n, last, b);
        sap__lane_set(t, at, lane, b);
        sap__lane_own(t, at, lane, n->child[last]);
    }
    sap__lane_clear(n, last);
}

static int sap__room_for_nodes(sap__tree *t, int more) {
    return t->free_nodes >= more || sap__room(&t->nodes, (long long)sap__length(t->nodes) + more);
}

/* Room has been made. */
static uint32_t sap__node_new(sap__tree *t, int height) {
    uint32_t at = t->free_node;
    sap__node *n;
    int i;
    if (t->free_nodes) {
        t->free_nodes--;
        t->free_node = t->nodes[at].parent;
    } else {
        at = (uint32_t)sap__length(t->nodes);
        sap__set_length(t->nodes, at + 1);
    }
    n = &t->nodes[at];
    n->parent = SAP__NONE;
    n->count = 0;
    n->height = height;
    n->area = 0;
    n->touched = 0;
    for (i = 0; i < 6; i++) n->territory[i] = 0;
    for (i = 0; i < SAP__ARITY; i++) sap__lane_clear(n, i);
    return at;
}

static void sap__node_free(sap__tree *t, uint32_t at) {
    t->nodes[at].parent = t->free_node;
    t->nodes[at].count = 0;
    t->nodes[at].height = -1;
    t->free_node = at;
    t->free_nodes++;
}

static int sap__is_within(const float b[6], const float in[6]) {
    return (b[0] >= in[0]) & (b[1] >= in[1]) & (b[2] >= in[2]) & (b[3] <= in[3]) & (b[4] <= in[4]) & (b[5] <= in[5]);
}

static void sap__extend(float b[6], const float by[6]) {
    int k;
    for (k = 0; k < 3; k++) {
        if (by[k] < b[k]) b[k] = by[k];
        if (by[3 + k] > b[3 + k]) b[3 + k] = by[3 + k];
    }
}

/* A node's lanes were chosen: its boxes may stray as far as its bounds are now. */
static void sap__node_settle(sap__tree *t, uint32_t at) {
    sap__node *n = &t->nodes[at];
    sap__node_union(n, n->territory);
    n->area = sap__node_surface(t, n->territory);
}

/* A box beyond the territory was put in all the same. */
static void sap__territory_extend(sap__tree *t, uint32_t at, const float b[6]) {
    sap__node *n = &t->nodes[at];
    float old, grown;
    if (sap__is_within(b, n->territory)) return;
    old = sap__node_surface(t, n->territory);
    sap__extend(n->territory, b);
    grown = sap__node_surface(t, n->territory);
    t->strain += grown < 2 * old ? (double)(grown - old) / (double)old : 1;
}

/* A node's lanes changed: so do the bounds above it, until one stays as it was. */
static void sap__node_fit(sap__tree *t, uint32_t at) {
    float b[6];
    while (t->nodes[at].parent != SAP__NONE) {
        uint32_t up = t->nodes[at].parent;
        sap__node *n = &t->nodes[up];
        int lane = sap__lane_in(n, at), k, same = 1;
        sap__node_union(&t->nodes[at], b);
        for (k = 0; k < 6; k++) same &= n->bound[k][lane] == b[k];
        if (same) break;
        sap__lane_set(t, up, lane, b);
        at = up;
    }
}

/* ---- dividing ---------------------------------------------------------------------------------------------- */

/* Parts are divided among nodes, each of which takes least to most of them. */
typedef struct sap__portion {
    int least, most, nodes;
} sap__portion;

/* How many of the nodes the first n of m parts may have, as near as can be to their portion; 0 if that is no
   division: then one side would have too few or too many parts for any number of nodes. */
static int sap__portion_of(const sap__portion *portion, int n, int m) {
    int rest = m - n, lo = (n + portion->most - 1) / portion->most, hi = n / portion->least;
    int lo2 = portion->nodes - rest / portion->least, hi2 = portion->nodes - (rest + portion->most - 1) / portion->most;
    int nodes = (int)(((long long)portion->nodes * n + m / 2) / m);
    if (lo < lo2) lo = lo2;
    if (hi > hi2) hi = hi2;
    if (lo < 1) lo = 1;
    if (hi > portion->nodes - 1) hi = portion->nodes - 1;
    if (lo > hi) return 0;
    return nodes < lo ? lo : nodes > hi ? hi : nodes;
}

SAP__INLINE int sap__bin_of(const sap__part *part, int axis, float from, float scale) {
    int bin = (int)((sap__part_key(part, axis) - from) * scale);
    return bin < 0 ? 0 : bin < SAP__BINS ? bin : SAP__BINS - 1; /* -ffast-math may round below from */
}

/* Puts the n parts with the smallest keys first (Hoare's find). */
static void sap__parts_select(sap__part *p, int m, int n, int axis) {
    int left = 0, right = m - 1;
    while (left < right) {
        float pivot = sap__part_key(&p[left + (right - left) / 2], axis);
        int i = left, j = right;
        while (i <= j) {
            while (i < right && sap__part_key(&p[i], axis) < pivot) i++;
            while (j > left && sap__part_key(&p[j], axis) > pivot) j--;
            if (i <= j) {
                sap__part swap = p[i];
                p[i++] = p[j];
                p[j--] = swap;
            }
        }
        if (n <= j)
            right = j;
        else if (n >= i)
            left = i;
        else
            break;
    }
}

/* Divides m parts in two; how many are in the first half, and to nodes how many nodes are theirs. The keys fall
   into bins, and the best border between two bins is taken, by surface * eights; if none will do, the middle. */
static int sap__divide(const sap__tree *t, sap__part *p, int m, const sap__portion *portion, int *nodes) {
    float lo[4], hi[4], best = -1, best_scale = 0;
    int axis, i, j, n, best_axis = 0, best_bin = 0, widest = 0;
    for (axis = 0; axis < 4; axis++) lo[axis] = hi[axis] = sap__part_key(&p[0], axis);
    for (i = 1; i < m; i++)
        for (axis = 0; axis < 4; axis++) {
            float key = sap__part_key(&p[i], axis);
            lo[axis] = key < lo[axis] ? key : lo[axis];
            hi[axis] = key > hi[axis] ? key : hi[axis];
        }
    for (axis = 1; axis < 3; axis++)
        if (hi[axis] - lo[axis] > hi[widest] - lo[widest]) widest = axis;
    for (axis = 0; axis < 4; axis++) {
        float bins[SAP__BINS][8], right[SAP__BINS], sum[8], scale;
        int count[SAP__BINS] = {0}, first = 0;
        if (!(hi[axis] - lo[axis] > (axis < 3 ? 1e-30f : 4096.0f))) continue;
        if (axis < 3 && axis != widest) continue;
        scale = (float)SAP__BINS / (hi[axis] - lo[axis]);
        for (i = 0; i < m; i++) {
            int bin = sap__bin_of(&p[i], axis, lo[axis], scale);
            if (count[bin]++)
                sap__part_join(bins[bin], p[i].b);
            else
                memcpy(bins[bin], p[i].b, sizeof bins[bin]);
        }
        for (j = SAP__BINS - 1; j > 0; j--) { /* what lies right of border j, then what lies left */
            if (count[j]) {
                if (first++)
                    sap__part_join(sum, bins[j]);
                else
                    memcpy(sum, bins[j], sizeof sum);
            }
            right[j] = first ? sap__part_surface(t->flat, sum) : 0;
        }
        for (j = 0, n = 0; j < SAP__BINS - 1; j++) {
            float cost;
            if (!count[j]) continue;
            if (n)
                sap__part_join(sum, bins[j]);
            else
                memcpy(sum, bins[j], sizeof sum);
            n += count[j];
            if (!sap__portion_of(portion, n, m)) continue;
            cost = sap__part_surface(t->flat, sum) * (float)((n + 7) / 8) + right[j + 1] * (float)((m - n + 7) / 8);
            if (best < 0 || cost < best) best = cost, best_axis = axis, best_bin = j + 1, best_scale = scale;
        }
    }
    n = 0;
    if (best >= 0)
        for (i = 0; i < m; i++)
            if (sap__bin_of(&p[i], best_axis, lo[best_axis], best_scale) < best_bin) {
                sap__part swap = p[i];
                p[i] = p[n];
                p[n++] = swap;
            }
    *nodes = n > 0 && n < m ? sap__portion_of(portion, n, m) : 0;
    if (*nodes) return n;
    *nodes = portion->nodes / 2;
    n = (int)((long long)m * *nodes / portion->nodes);
    if (n > *nodes * portion->most) n = *nodes * portion->most;
    if (m - n > (portion->nodes - *nodes) * portion->most) n = m - (portion->nodes - *nodes) * portion->most;
    sap__parts_select(p, m, n, widest);
    return n;
}

/* ---- building ---------------------------------------------------------------------------------------------- */

/* How many parts a node has if that many levels stand between: full leaves answer fastest, nodes above need room. */
static long long sap__fill(int levels) {
    long long n = levels > 0 ? SAP__LEAF_FILL : 10;
    for (; levels > 1; levels--) n = n * 13 / 2;
    return n / 10;
}

static void sap__node_build(sap_world *s, sap__tree *t, uint32_t at, sap__part *p, int m, int base);

/* Gives a node its lanes: nodes below, or if its height is base the parts themselves. */
static void sap__lanes_build(sap_world *s, sap__tree *t, uint32_t at, sap__part *p, int m, int nodes, int base) {
    int height = t->nodes[at].height, i, n, first;
    float b[6];
    if (height == base)
        for (i = 0; i < m; i++) {
            if (base)
                sap__node_union(&t->nodes[p[i].child], b);
            else
                sap__slot_bounds(s, p[i].child, b);
            sap__lane_put(t, at, b, base ? p[i].child : sap__id_of(s, p[i].child));
        }
    else if (nodes == 1) {
        uint32_t child = sap__node_new(t, height - 1);
        sap__node_build(s, t, child, p, m, base);
        sap__node_union(&t->nodes[child], b);
        sap__lane_put(t, at, b, child);
    } else {
        sap__portion portion;
        portion.least = portion.most = 1;
        for (i = base; i < height; i++) portion.least *= SAP__LEAST, portion.most *= SAP__ARITY;
        portion.nodes = nodes;
        n = sap__divide(t, p, m, &portion, &first);
        sap__lanes_build(s, t, at, p, n, first, base);
        sap__lanes_build(s, t, at, p + n, m - n, nodes - first, base);
    }
}

static void sap__node_build(sap_world *s, sap__tree *t, uint32_t at, sap__part *p, int m, int base) {
    sap__node *n = &t->nodes[at];
    int least = n->parent == SAP__NONE && at == t->root ? 2 : SAP__LEAST;
    long long fill = sap__fill(n->height - base), nodes = (m + fill - 1) / fill;
    sap__lanes_build(s, t, at, p, m, nodes < least ? least : nodes > SAP__ARITY ? SAP__ARITY : (int)nodes, base);
    sap__node_settle(t, at);
}

/* Nodes that n boxes may need: three boxes a leaf, three nodes a node, and some while things move about. */
static long long sap__most_nodes(long long n) {
    return n / 2 + 2 * SAP__STACK;
}

/* All live boxes anew. 0 without memory; then the tree is not ready, and no box is lost: they are in the world. */
static int sap__tree_build(sap_world *s) {
    sap__tree *t = s->tree;
    uint32_t slot, n = (uint32_t)sap__length(s->slots);
    int count = 0, height = 0;
    long long nodes;
    t->ready = 0;
    while (s->live > SAP__ARITY * sap__fill(height)) height++;
    nodes = s->live / 4 + 64 < sap__most_nodes(s->live) ? s->live / 4 + 64 : sap__most_nodes(s->live);
    if (!sap__room(&t->place, n) || !sap__room(&t->dirty, n) || !sap__room(&t->parts, s->live) ||
        !sap__room(&t->nodes, nodes))
        return 0;
    sap__set_length(t->place, n);
    sap__set_length(t->dirty, 0);
    sap__set_length(t->nodes, 0);
    for (slot = 0; slot < n; slot++) {
        float b[6];
        t->place[slot] = SAP__NOWHERE;
        if (!(s->state[slot] & SAP__LIVE)) continue;
        sap__slot_bounds(s, slot, b);
        sap__part_set(&t->parts[count++], b, slot);
    }
    t->free_nodes = 0;
    t->turn = 0;
    t->paid = 0;
    t->strain = 0;
    t->boxes = count;
    t->flat = s->config.axes != 7;
    t->root = 0;
    t->root = sap__node_new(t, height);
    sap__node_build(s, t, t->root, t->parts, count, 0);
    t->ready = 1;
    return 1;
}

/* ---- one box at a time ------------------------------------------------------------------------------------- */

/* The lane whose surface grows least, and of equals the smallest. */
static int sap__lane_choose(const sap__tree *t, const sap__node *n, const float b[6]) {
    float grown[SAP__ARITY], old[SAP__ARITY], least = -1, size = 0, part[6];
    int i, k, best = 0, flat = t->flat;
    for (k = 0; k < 6; k++) part[k] = sap__within(b[k]);
    for (i = 0; i < SAP__ARITY; i++) {
        float e[3], f[3];
        for (k = 0; k < 3; k++) {
            float lo = sap__within(n->bound[k][i]), hi = sap__within(n->bound[3 + k][i]);
            e[k] = hi - lo;
            f[k] = (part[3 + k] > hi ? part[3 + k] : hi) - (part[k] < lo ? part[k] : lo);
        }
        old[i] = sap__surface(flat, e[0], e[1], e[2]);
        grown[i] = sap__surface(flat, f[0], f[1], f[2]) - old[i];
    }
    for (i = 0; i < n->count; i++)
        if (least < 0 || grown[i] < least || (grown[i] <= least && old[i] < size))
            least = grown[i] > 0 ? grown[i] : 0, size = old[i], best = i;
    return best;
}

/* Lanes of from, those of more and the one of b if they are given, are divided among at and beside. */
static void sap__lanes_divide(sap__tree *t, const sap__node *from, const float *b, uint32_t child,
                              const sap__node *more, uint32_t at, uint32_t beside) {
    sap__part p[2 * SAP__ARITY];
    float bounds[2 * SAP__ARITY][6];
    uint32_t children[2 * SAP__ARITY];
    sap__portion portion = {SAP__LEAST, SAP__ARITY, 2};
    int i, j, m = 0, n, nodes;
    for (i = 0; i < from->count; i++, m++) sap__lane_bounds(from, i, bounds[m]), children[m] = from->child[i];
    for (i = 0; more && i < more->count; i++, m++) sap__lane_bounds(more, i, bounds[m]), children[m] = more->child[i];
    if (b) memcpy(bounds[m], b, sizeof bounds[m]), children[m++] = child;
    for (i = 0; i < m; i++) sap__part_set(&p[i], bounds[i], (uint32_t)i);
    n = sap__divide(t, p, m, &portion, &nodes);
    for (j = 0; j < 2; j++) {
        uint32_t to = j ? beside : at;
        sap__lanes_clear(&t->nodes[to]);
        for (i = j ? n : 0; i < (j ? m : n); i++) sap__lane_put(t, to, bounds[p[i].child], children[p[i].child]);
        sap__node_settle(t, to);
    }
}

/* Adds a lane to a node; a full one splits, and so may those above. Room for a node a level, and a root, is there. */
static void sap__node_add(sap__tree *t, uint32_t at, const float *b, uint32_t child) {
    float other[6], whole[6], area;
    while (t->nodes[at].count == SAP__ARITY) {
        sap__node old = t->nodes[at];
        uint32_t beside = sap__node_new(t, old.height), up = old.parent;
        sap__lanes_divide(t, &old, b, child, NULL, at, beside);
        if (up == SAP__NONE) {
            up = t->root = sap__node_new(t, old.height + 1);
            sap__node_union(&t->nodes[at], other);
            sap__lane_put(t, up, other, at);
        } else
            sap__node_fit(t, at);
        sap__node_union(&t->nodes[beside], other);
        b = other;
        child = beside;
        at = up;
    }
    sap__lane_put(t, at, b, child);
    sap__node_union(&t->nodes[at], whole);
    area = sap__node_surface(t, whole);
    if (area > t->nodes[at].area) t->nodes[at].area = area; /* its lanes were chosen like that */
    sap__node_fit(t, at);
}

/* Which node beside this one would grow least if it took over all. */
static uint32_t sap__node_neighbour(const sap__tree *t, uint32_t at) {
    sap__node others = t->nodes[t->nodes[at].parent];
    float b[6];
    sap__lane_drop(&others, sap__lane_in(&others, at));
    sap__node_union(&t->nodes[at], b);
    return others.child[sap__lane_choose(t, &others, b)];
}

/* The neighbour takes over all; the parent has one child less. */
static void sap__node_join(sap__tree *t, uint32_t at, uint32_t beside) {
    uint32_t up = t->nodes[at].parent;
    float b[6];
    while (t->nodes[at].count) {
        sap__node *from = &t->nodes[at];
        sap__lane_bounds(from, --from->count, b);
        sap__lane_put(t, beside, b, from->child[from->count]);
    }
    if (t->nodes[beside].height == SAP__BRANCH)
        sap__extend(t->nodes[beside].territory, t->nodes[at].territory);
    else
        sap__node_settle(t, beside);
    sap__lane_take(t, up, sap__lane_in(&t->nodes[up], at));
    sap__node_free(t, at);
    sap__node_fit(t, beside);
}

/* A node with too few children becomes one with its neighbour, or takes some from it. Needs no memory. */
static void sap__node_mend(sap__tree *t, uint32_t at) {
    while (t->nodes[at].parent != SAP__NONE && t->nodes[at].count < SAP__LEAST) {
        uint32_t up = t->nodes[at].parent, beside = sap__node_neighbour(t, at);
        if (t->nodes[at].count + t->nodes[beside].count <= SAP__ARITY) {
            sap__node_join(t, at, beside);
            at = up;
        } else {
            sap__node a = t->nodes[at], b = t->nodes[beside];
            sap__lanes_divide(t, &a, NULL, 0, &b, at, beside);
            sap__node_fit(t, beside);
        }
    }
    sap__node_fit(t, at);
    at = t->root;
    if (t->nodes[at].height && t->nodes[at].count == 1) {
        t->root = t->nodes[at].child[0];
        t->nodes[t->root].parent = SAP__NONE;
        sap__node_free(t, at);
    }
}

/* Of branches it is the territory that should grow least, not what they happen to hold: so territories stay apart. */
static int sap__child_choose(const sap__tree *t, uint32_t at, const float b[6]) {
    sap__node territories;
    int i, k;
    if (t->nodes[at].height != SAP__BRANCH + 1) return sap__lane_choose(t, &t->nodes[at], b);
    territories = t->nodes[at];
    for (i = 0; i < territories.count; i++)
        for (k = 0; k < 6; k++) territories.bound[k][i] = t->nodes[territories.child[i]].territory[k];
    return sap__lane_choose(t, &territories, b);
}

static void sap__tree_insert(sap_world *s, sap__tree *t, uint32_t slot) {
    uint32_t at = t->root;
    float b[6];
    sap__slot_bounds(s, slot, b);
    while (t->nodes[at].height) {
        if (t->nodes[at].height == SAP__BRANCH) sap__territory_extend(t, at, b);
        at = t->nodes[at].child[sap__child_choose(t, at, b)];
    }
    sap__node_add(t, at, b, sap__id_of(s, slot));
    t->boxes++;
}

static void sap__tree_remove(sap__tree *t, uint32_t slot) {
    uint32_t at = t->place[slot] / SAP__ARITY;
    sap__lane_take(t, at, (int)(t->place[slot] % SAP__ARITY));
    t->place[slot] = SAP__NOWHERE;
    t->boxes--;
    sap__node_mend(t, at);
}

/* ---- branches ------------------------------------------------------------------------------------------------ */

/* Collects what hangs on nodes of height base below at, and frees the nodes between. */
static int sap__branch_collect(sap__tree *t, uint32_t at, int base, int count) {
    int i;
    float b[6];
    for (i = 0; i < t->nodes[at].count; i++) {
        uint32_t child = t->nodes[at].child[i];
        if (t->nodes[at].height > base) {
            count = sap__branch_collect(t, child, base, count);
            sap__node_free(t, child);
        } else {
            sap__lane_bounds(&t->nodes[at], i, b);
            sap__part_set(&t->parts[count++], b, base ? child : sap__slot_of(child));
        }
    }
    return count;
}

/* Puts boxes last that alone stretch the branch on one side, by more than a thirtieth; how many remain. */
static int sap__branch_stragglers(sap__part *p, int m) {
    float whole[8];
    int i, k, side;
    memcpy(whole, p[0].b, sizeof whole);
    for (i = 1; i < m; i++) sap__part_join(whole, p[i].b);
    for (side = 0; side < 6; side++) {
        float first = SAP__FAR, second = SAP__FAR;
        int at = 0;
        k = side < 3 ? side : side + 1; /* of the eight of a part */
        for (i = 0; i < m; i++) {
            float b = p[i].b[k];
            if (b < first)
                second = first, first = b, at = i;
            else if (b < second)
                second = b;
        }
        if ((second - first) * 30 > -whole[side % 3 + 4] - whole[side % 3]) {
            sap__part swap = p[at];
            p[at] = p[--m];
            p[m] = swap;
        }
    }
    return m;
}

/* Builds the next branch anew: three levels of nodes, or what is left of them below the root. A branch of boxes gives
   its stragglers away, and its territory shrinks to what it holds if that is worth it. How many parts it had; 0 if
   there is no room for it, which is no error. */
static int sap__branch_rebuild(sap_world *s, sap__tree *t) {
    uint32_t at, stragglers[6];
    int height, base, count, kept, i, most;
    float territory[6], old, now;
    for (;;) {
        if (t->turn >= (uint32_t)sap__length(t->nodes)) t->turn = 0;
        at = t->turn++;
        height = t->nodes[at].height;
        if (height >= 0 && (height % 3 == SAP__BRANCH || at == t->root)) break;
    }
    base = height - height % 3;
    if (height == base) return SAP__ARITY;
    if (!sap__room(&t->parts, 512) || !sap__room_for_nodes(t, 80 + 6 * (SAP__LEVELS + 1))) return 0;
    kept = count = sap__branch_collect(t, at, base, 0);
    sap__lanes_clear(&t->nodes[at]);
    memcpy(territory, t->nodes[at].territory, sizeof territory);
    if (height == SAP__BRANCH && at != t->root && count > 64) kept = sap__branch_stragglers(t->parts, count);
    for (i = kept; i < count; i++) stragglers[i - kept] = t->parts[i].child;
    if (at == t->root) { /* it may have become lower */
        height = base;
        for (most = SAP__ARITY; count > most; most *= SAP__ARITY) height++;
        if (height < t->nodes[at].height) t->nodes[at].height = height;
    }
    sap__node_build(s, t, at, t->parts, kept, base);
    if (height == SAP__BRANCH) {
        old = sap__node_surface(t, territory);
        now = sap__node_surface(t, t->nodes[at].territory);
        if (now < SAP__SHRINK * old)
            t->strain -= (double)(old - now) / (double)old;
        else
            memcpy(t->nodes[at].territory, territory, sizeof territory);
    }
    sap__node_fit(t, at);
    for (i = 0; i < count - kept; i++) t->boxes--, sap__tree_insert(s, t, stragglers[i]);
    if (at != t->root && height == SAP__BRANCH) { /* branches that have become small */
        uint32_t up = t->nodes[at].parent, beside = sap__node_neighbour(t, at);
        old = sap__node_surface(t, t->nodes[at].territory) + sap__node_surface(t, t->nodes[beside].territory);
        memcpy(territory, t->nodes[at].territory, sizeof territory);
        sap__extend(territory, t->nodes[beside].territory);
        if (t->nodes[at].count + t->nodes[beside].count < SAP__ARITY && sap__node_surface(t, territory) <= old) {
            sap__node_join(t, at, beside);
            sap__node_mend(t, up);
        }
    }
    return count;
}

/* ---- in step ----------------------------------------------------------------------------------------------- */

static void sap__tree_touch(sap__tree *t, uint32_t at) {
    if (t->nodes[at].touched) return;
    t->nodes[at].touched = 1;
    sap__push(t->queue, at);
}

/* The bounds above all nodes in the queue, level by level. The queue grows: the leaves stay at its front. */
static void sap__tree_refit(sap__tree *t) {
    int i;
    float b[6];
    for (i = 0; i < sap__length(t->queue); i++) {
        uint32_t at = t->queue[i], up = t->nodes[at].parent;
        t->nodes[at].touched = 0;
        if (up == SAP__NONE) continue;
        sap__node_union(&t->nodes[at], b);
        sap__lane_set(t, up, sap__lane_in(&t->nodes[up], at), b);
        sap__tree_touch(t, up);
    }
}

/* There is room for every slot, and none is in it twice. */
SAP__INLINE void sap__dirty_put(sap__tree *t, uint32_t slot) {
    sap__dirty d;
    d.slot = slot;
    d.place = t->place[slot];
    sap__push(t->dirty, d);
}

/* A leaf that was stretched gives away the boxes that stretch it most; if few would remain, all. They are put on
   the dirty list; the tree stays as it is. */
static void sap__leaf_eject(const sap_world *s, sap__tree *t, uint32_t at) {
    sap__node n = t->nodes[at];
    float b[6], limit = SAP__STRETCH * n.area;
    int i;
    for (i = n.count - 1; i >= 0; i--) /* what will be taken out anyway */
        if (!(s->state[sap__slot_of(n.child[i])] & SAP__LIVE) || (t->place[sap__slot_of(n.child[i])] & SAP__DIRTY))
            sap__lane_drop(&n, i);
    for (;;) {
        float least = -1;
        int lane = 0;
        sap__node_union(&n, b);
        if (sap__node_surface(t, b) <= limit) break;
        if (n.count <= SAP__LEAST) {
            while (n.count) sap__dirty_put(t, sap__slot_of(n.child[--n.count]));
            break;
        }
        for (i = 0; i < n.count; i++) {
            sap__node without = n;
            float area;
            sap__lane_drop(&without, i);
            sap__node_union(&without, b);
            area = sap__node_surface(t, b);
            if (least < 0 || area < least) least = area, lane = i;
        }
        sap__dirty_put(t, sap__slot_of(n.child[lane]));
        sap__lane_drop(&n, lane);
    }
}

/* What moved is written where it stands; on the dirty list remain boxes to be put in or taken out. */
static void sap__tree_write(sap_world *s, sap__tree *t) {
    int i, kept = 0, n = sap__length(t->dirty), leaves, written = 0;
    float b[6];
    sap__set_length(t->queue, 0);
    for (i = 0; i < n; i++) {
        sap__dirty d = t->dirty[i];
        int is_live = (s->state[d.slot] & SAP__LIVE) != 0;
        t->place[d.slot] = SAP__DIRTY; /* so that no leaf gives it away too */
        if (is_live && d.place != SAP__NOWHERE) {
            uint32_t at = d.place / SAP__ARITY;
            sap__slot_bounds(s, d.slot, b);
            if (t->nodes[t->root].height > SAP__BRANCH &&
                !sap__is_within(b, t->nodes[t->nodes[t->nodes[at].parent].parent].territory)) {
                t->dirty[kept++] = d;
                continue;
            }
            t->place[d.slot] = d.place;
            written++;
            sap__lane_set(t, at, (int)(d.place % SAP__ARITY), b);
            t->nodes[at].child[d.place % SAP__ARITY] = sap__id_of(s, d.slot);
            sap__tree_touch(t, at);
        } else if (is_live || d.place != SAP__NOWHERE)
            t->dirty[kept++] = d;
        else
            t->place[d.slot] = SAP__NOWHERE;
    }
    sap__set_length(t->dirty, kept);
    t->paid += written / SAP__UPKEEP + kept;
    leaves = sap__length(t->queue);
    for (i = 0; i < leaves; i++) {
        sap__node_union(&t->nodes[t->queue[i]], b);
        if (sap__node_surface(t, b) > SAP__STRETCH * t->nodes[t->queue[i]].area) sap__leaf_eject(s, t, t->queue[i]);
    }
    for (i = 0; i < kept; i++) t->place[t->dirty[i].slot] = t->dirty[i].place;
    sap__tree_refit(t);
}

static sap__tree *sap__tree_of(sap_world *s) {
    if (!s->tree && (s->tree = (sap__tree *)SAP_REALLOC(NULL, sizeof *s->tree)) != NULL)
        memset(s->tree, 0, sizeof *s->tree);
    return s->tree;
}

/* Brings the tree in step with what is recorded. On SAP_ERROR_MEMORY it may be partly so; the rest stays dirty. */
static sap_result sap__tree_sync(sap_world *s) {
    sap__tree *t = sap__tree_of(s);
    int i, n;
    if (!t) return SAP_ERROR_MEMORY;
    if (!t->ready) return sap__tree_build(s) ? SAP_OK : SAP_ERROR_MEMORY;
    if (!sap__room(&t->queue, sap__length(t->nodes))) return SAP_ERROR_MEMORY;
    sap__tree_write(s, t);
    n = sap__length(t->dirty);
    if (n && ((long long)SAP__REBUILD * n > s->live || t->strain * 600 > s->live + 600))
        return sap__tree_build(s) ? SAP_OK : SAP_ERROR_MEMORY;
    for (i = 0; i < n; i++) {
        uint32_t slot = t->dirty[i].slot;
        int is_live = (s->state[slot] & SAP__LIVE) != 0;
        if (is_live && !sap__room_for_nodes(t, SAP__LEVELS + 1)) break;
        if (t->place[slot] != SAP__NOWHERE) sap__tree_remove(t, slot);
        if (is_live) sap__tree_insert(s, t, slot);
    }
    memmove(t->dirty, t->dirty + i, (size_t)(n - i) * sizeof *t->dirty);
    sap__set_length(t->dirty, n - i);
    for (i = 0; i < sap__length(t->dirty); i++) {
        t->dirty[i].place = t->place[t->dirty[i].slot];
        t->place[t->dirty[i].slot] = SAP__DIRTY | (uint32_t)i;
    }
    if (sap__length(t->dirty)) return SAP_ERROR_MEMORY;
    while (t->paid >= 512) {
        int built = sap__branch_rebuild(s, t);
        if (built == 0) break;
        t->paid -= built;
    }
    return SAP_OK;
}

/* ---- what the rest of the world calls ---------------------------------------------------------------------- */

/* Room for every slot, made with the slot: so recording never fails for memory. */
static int sap__tree_room(sap_world *s, int slots) {
    sap__tree *t = s->tree;
    return !t || (sap__room(&t->place, slots) && sap__room(&t->dirty, slots));
}

/* Its box was added, moved or removed. */
SAP__INLINE void sap__tree_note(sap_world *s, uint32_t slot) {
    sap__tree *t = s->tree;
    if (!t || !t->ready) return;
    while ((uint32_t)sap__length(t->place) <= slot) sap__push(t->place, SAP__NOWHERE);
    if (t->place[slot] & SAP__DIRTY) return;
    sap__dirty_put(t, slot);
    t->place[slot] = SAP__DIRTY | ((uint32_t)sap__length(t->dirty) - 1);
}

/* All boxes may be others: the next query builds the tree anew. The memory stays. */
static void sap__tree_forget(sap_world *s) {
    if (s->tree) s->tree->ready = 0;
}

/* About 180 bytes a box, most of them never touched: nodes for leaves of three boxes. */
static int sap__tree_reserve(sap_world *s, int boxes) {
    sap__tree *t = sap__tree_of(s);
    if (!t) return 0;
    return sap__tree_room(s, boxes) && sap__room(&t->nodes, sap__most_nodes(boxes)) &&
           sap__room(&t->parts, boxes > 512 ? boxes : 512) && sap__room(&t->queue, sap__most_nodes(boxes));
}

static void sap__tree_free(sap_world *s) {
    if (!s->tree) return;
    sap__free_array(&s->tree->nodes);
    sap__free_array(&s->tree->place);
    sap__free_array(&s->tree->dirty);
    sap__free_array(&s->tree->parts);
    sap__free_array(&s->tree->queue);
    SAP_FREE(s->tree);
    s->tree = NULL;
}

static size_t sap__tree_bytes(const sap_world *s) {
    const sap__tree *t = s->tree;
    return !t ? 0
              : sizeof *t + sap__bytes_of(t->nodes) + sap__bytes_of(t->place) + sap__bytes_of(t->dirty) +
                    sap__bytes_of(t->parts) + sap__bytes_of(t->queue);
}

/* Queries with a callback that are in progress: while there are any, the tree stays as it is. */
static int sap__walking(const sap_world *s) {
    int i, n = 0;
    for (i = 0; s->tree && i < SAP__GATES; i++) n += sap__atomic_get(&s->tree->gates[i].queries);
    return n;
}

/* Inside a callback: of an update, of the filter, of a query. */
static int sap__is_busy(const sap_world *s) {
    return s->in_callback || s->in_filter || sap__walking(s);
}

/* ====================================================================================================== */
/* >> boxes: what is recorded                                                                               */
/* ====================================================================================================== */

/* Does this state of the id's slot say that its box lives? */
SAP__INLINE int sap__is_live(uint32_t state, sap_id id) {
    return ((((id & ~(uint32_t)SAP__SLOT) | SAP__LIVE) ^ state) & (~(uint32_t)SAP__SLOT | SAP__LIVE)) == 0;
}

/* The slot of a live box, or SAP__NONE. Id 0 has no slot: 0 - 1 is beyond any. */
SAP__INLINE uint32_t sap__live_slot(const sap_world *s, sap_id id) {
    uint32_t slot = sap__slot_of(id);
    return slot < (uint32_t)sap__length(s->slots) && sap__is_live(s->state[slot], id) ? slot : SAP__NONE;
}

/* The record has room for every slot, made when the slot was: recording never fails for memory. */
SAP__INLINE void sap__record(sap_world *s, uint32_t slot) {
    s->mixed |= (s->state[slot] & (SAP__STATIC | SAP__ADDED)) != 0;
    if (s->state[slot] & SAP__RECORDED) return;
    s->state[slot] |= SAP__RECORDED;
    sap__push(s->record, slot);
}

/* The record grows last: so what it has room for, all have, also when memory failed on the way. */
static int sap__room_for_boxes(sap_world *s, int n) {
    size_t most = stbds_arrcap(s->record);
    if ((size_t)n > most) {
        most = (size_t)n > 2 * most ? (size_t)n : 2 * most;
        if (!sap__room(&s->now, most) || !sap__room(&s->was, most) || !sap__room(&s->slots, most) ||
            !sap__room(&s->state, most) || !sap__room(&s->link, most) || !sap__room(&s->record, most))
            return 0;
    }
    return sap__tree_room(s, n);
}

static sap_result sap__end_call(sap_world *s, sap_result r) {
    s->last_error = r;
    return r;
}

SAP__INLINE void sap__enqueue(sap_world *s, sap__queue *queue, uint32_t slot) {
    if (queue->count++)
        s->slots[queue->last].mask = slot;
    else
        queue->first = slot;
    queue->last = slot;
    s->slots[slot].mask = 0;
}

/* Removed slots are free for others. */
static void sap__free_removed(sap_world *s) {
    if (s->removed.count == 0) return;
    if (s->free.count)
        s->slots[s->free.last].mask = s->removed.first;
    else
        s->free.first = s->removed.first;
    s->free.last = s->removed.last;
    s->free.count += s->removed.count;
    s->removed.count = 0;
}

/* How many free slots have rested: a removed id is refused until 65,536 more boxes have been removed. */
static int sap__rested(const sap_world *s) {
    return s->free.count > SAP__RESTING ? s->free.count - SAP__RESTING : 0;
}

/* The slot longest free, else a new one behind the others. */
static uint32_t sap__take_slot(sap_world *s) {
    uint32_t slot = s->free.first;
    if (sap__rested(s) || sap__length(s->slots) == SAP__MAX_BOXES) {
        s->free.first = s->slots[slot].mask;
        s->free.count--;
    } else {
        int n = sap__length(s->slots) + 1;
        slot = (uint32_t)n - 1;
        sap__set_length(s->slots, n);
        sap__set_length(s->state, n);
        s->state[slot] = 0;
    }
    return slot;
}

static sap_result sap__add(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids,
                           uint32_t flags) {
    sap__box encoded;
    int i, fresh_slots, good = 1;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (n < 0 || (n && (!boxes || !ids))) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (s->in_filter) return sap__end_call(s, SAP_ERROR_BUSY);
    for (i = 0; i < n; i++) good &= sap__encode(&boxes[i], s->used, &encoded);
    if (!good) return sap__end_call(s, SAP_ERROR_BOX);
    if (s->config.max_boxes && n > s->config.max_boxes - s->live) return sap__end_call(s, SAP_ERROR_LIMIT);
    fresh_slots = n > sap__rested(s) ? n - sap__rested(s) : 0;
    if (fresh_slots > SAP__MAX_BOXES - sap__length(s->slots)) { /* then those that rest, too */
        int unused = SAP__MAX_BOXES - sap__length(s->slots);
        if (n - unused <= s->free.count) fresh_slots = unused;
    }
    if (fresh_slots > SAP__MAX_BOXES - sap__length(s->slots)) return sap__end_call(s, SAP_ERROR_LIMIT);
    if (!sap__room_for_boxes(s, sap__length(s->slots) + fresh_slots)) return sap__end_call(s, SAP_ERROR_MEMORY);
    for (i = 0; i < n; i++) {
        uint32_t slot = sap__take_slot(s);
        (void)sap__encode(&boxes[i], s->used, &s->now[slot]);
        s->was[slot] = sap__nowhere;
        s->slots[slot].object = objects ? objects[i] : NULL;
        s->slots[slot].category = 1;
        s->slots[slot].mask = ~0u;
        s->state[slot] |= SAP__LIVE | SAP__ADDED | flags;
        if (s->linked[SAP__LISTS]) s->link[slot] = SAP__NONE; /* else lists begin when they are made */
        sap__record(s, slot);
        sap__tree_note(s, slot);
        ids[i] = sap__id_of(s, slot);
    }
    s->live += n;
    if (flags & SAP__STATIC) s->live_static += n;
    return sap__end_call(s, SAP_OK);
}

SAP_DEF sap_id sap_add(sap_world *s, const sap_aabb *box, void *object) {
    sap_id id = 0;
    return sap__add(s, 1, box, &object, &id, 0) == SAP_OK ? id : 0;
}

SAP_DEF sap_id sap_add_static(sap_world *s, const sap_aabb *box, void *object) {
    sap_id id = 0;
    return sap__add(s, 1, box, &object, &id, SAP__STATIC) == SAP_OK ? id : 0;
}

SAP_DEF sap_result sap_add_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids) {
    return sap__add(s, n, boxes, objects, ids, 0);
}

SAP_DEF sap_result sap_add_static_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids) {
    return sap__add(s, n, boxes, objects, ids, SAP__STATIC);
}

/* Whether the i-th of these may move, i in [from, to). */
static sap_result sap__check_moves(const sap_world *s, const sap_id *ids, const sap_aabb *boxes, int from, int to) {
    sap__box box;
    int i, known = 1, good = 1;
    for (i = from; i < to; i++) {
        known &= sap__live_slot(s, ids[i]) != SAP__NONE;
        good &= sap__encode(&boxes[i], s->used, &box);
    }
    return !known ? SAP_ERROR_ID : good ? SAP_OK : SAP_ERROR_BOX;
}

/* Moves them, and says what sap__check_moves would. Those that the record does not hold yet go there, from its at-th
   place on, where there is room. How many these are. */
static int sap__write_moves(sap_world *s, const sap_id *ids, const sap_aabb *boxes, int from, int to, int at,
                            sap_result *result) {
    const uint32_t slots = (uint32_t)sap__length(s->slots);
    const int has_tree = s->tree != NULL;
    uint32_t *state = s->state, *record = s->record, seen = 0;
    /* Of what is not in the record was says where it is, and so does now unless they were exchanged: then one array is
       read and written, not two (where half of 50,000 move, 0.96). */
    const sap__box *old = s->exchanged ? s->was : s->now;
    sap__box *now = s->now; /* at hand: for all that the compiler knows, each box that is written may be a pointer */
    int32_t used[6];
    int i, changed, n = at, known = 1;
    sap__flaws flaws;
    memcpy(used, s->used, sizeof used);
    sap__flaws_init(&flaws);
    for (i = from; i < to; i++) {
        uint32_t slot = sap__slot_of(ids[i]);
        if (slot >= slots || !sap__is_live(state[slot], ids[i])) {
            known = 0;
            continue;
        }
        sap__encode_over(&boxes[i], used, &old[slot], &now[slot], &changed, &flaws);
        if (!changed && !(state[slot] & SAP__RECORDED)) continue; /* what is back where it was stays in the record */
        seen |= state[slot];
        if (!(state[slot] & SAP__RECORDED)) {
            record[n++] = slot;
            state[slot] |= SAP__RECORDED;
        }
        if (has_tree) sap__tree_note(s, slot);
    }
    if (seen & SAP__STATIC) sap__atomic_set(&s->mixed, 1); /* by several threads, in sap_multi.h */
    *result = !known ? SAP_ERROR_ID : sap__are_flawless(&flaws) ? SAP_OK : SAP_ERROR_BOX;
    return n - at;
}

/* Undoes it, for those n: what the record did not hold is where it was. */
static void sap__take_moves_back(sap_world *s, int at, int n) {
    int i;
    for (i = at; i < at + n; i++) {
        uint32_t slot = s->record[i];
        s->now[slot] = s->was[slot];
        s->state[slot] &= ~(uint32_t)SAP__RECORDED;
    }
}

/* Where nothing is recorded yet, which is the rule, one pass moves all, and an error undoes it. (A pass before it that
   looks for errors: 3 percent of an update in which all lie and tremble.) */
SAP_DEF sap_result sap_move_many(sap_world *s, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap_result r = SAP_OK;
    int recorded, more;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (n < 0 || (n && (!boxes || !ids))) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (s->in_filter) return sap__end_call(s, SAP_ERROR_BUSY);
    recorded = sap__length(s->record);
    if (recorded) r = sap__check_moves(s, ids, boxes, 0, n);
    if (r != SAP_OK) return sap__end_call(s, r);
    more = sap__write_moves(s, ids, boxes, 0, n, recorded, &r);
    if (r == SAP_OK)
        sap__set_length(s->record, recorded + more);
    else
        sap__take_moves_back(s, recorded, more);
    return sap__end_call(s, r);
}

/* One box is written at once, too, and taken back if it is bad: 5 ns. (As a batch of one, which would look for errors
   first, because something is recorded already: 11 ns.) */
SAP_DEF sap_result sap_move(sap_world *s, sap_id id, const sap_aabb *box) {
    const sap__box *old;
    sap__box kept;
    sap__flaws flaws;
    uint32_t slot;
    int changed;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (!box) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (s->in_filter) return sap__end_call(s, SAP_ERROR_BUSY);
    slot = sap__live_slot(s, id);
    if (slot == SAP__NONE) return sap__end_call(s, SAP_ERROR_ID);
    old = sap__recorded_box(s, slot);
    kept = *old;
    sap__flaws_init(&flaws);
    sap__encode_over(box, s->used, old, &s->now[slot], &changed, &flaws); /* compared with kept: 8 ns, see sap__turn */
    if (!sap__are_flawless(&flaws)) {
        s->now[slot] = kept;
        return sap__end_call(s, SAP_ERROR_BOX);
    }
    if (changed) {
        sap__record(s, slot);
        sap__tree_note(s, slot);
    }
    return sap__end_call(s, SAP_OK);
}

/* These boxes, which are not live any more, wait for the update to free their slots. */
static void sap__remove_slots(sap_world *s, const sap_id *ids, int n) {
    int i, recorded = sap__length(s->record), standing = 0;
    sap__queue removed = s->removed;
    for (i = 0; i < n; i++) {
        uint32_t slot = sap__slot_of(ids[i]), state = s->state[slot];
        standing += (state & SAP__STATIC) != 0;
        if (!(state & SAP__RECORDED)) s->record[recorded++] = slot;
        s->state[slot] = state | SAP__REMOVED | SAP__RECORDED;
        sap__enqueue(s, &removed, slot);
        sap__tree_note(s, slot);
    }
    s->removed = removed;
    s->mixed = 1;
    sap__set_length(s->record, recorded);
    s->live -= n;
    s->live_static -= standing;
}

SAP_DEF sap_result sap_remove_many(sap_world *s, int n, const sap_id *ids) {
    int i;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (n < 0 || (n && !ids)) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (s->in_filter) return sap__end_call(s, SAP_ERROR_BUSY);
    for (i = 0; i < n; i++) { /* a duplicate is not live any more when it comes again */
        uint32_t slot = sap__live_slot(s, ids[i]);
        if (slot == SAP__NONE) break;
        s->state[slot] &= ~(uint32_t)SAP__LIVE;
    }
    if (i < n) {
        while (i-- > 0) s->state[sap__slot_of(ids[i])] |= SAP__LIVE;
        return sap__end_call(s, SAP_ERROR_ID);
    }
    if (n) sap__remove_slots(s, ids, n);
    return sap__end_call(s, SAP_OK);
}

SAP_DEF sap_result sap_remove(sap_world *s, sap_id id) {
    return sap_remove_many(s, 1, &id);
}

static sap_result sap__freshen(sap_world *s, sap_id id, const uint32_t *category, const uint32_t *mask) {
    uint32_t slot;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (s->in_filter) return sap__end_call(s, SAP_ERROR_BUSY);
    slot = sap__live_slot(s, id);
    if (slot == SAP__NONE) return sap__end_call(s, SAP_ERROR_ID);
    if (category) s->slots[slot].category = *category;
    if (mask) s->slots[slot].mask = *mask;
    s->masked |= category || mask;
    s->now[slot] = *sap__recorded_box(s, slot);
    if (!(s->state[slot] & SAP__FRESH)) s->fresh++;
    s->state[slot] |= SAP__FRESH;
    sap__record(s, slot);
    return sap__end_call(s, SAP_OK);
}

SAP_DEF sap_result sap_set_filter(sap_world *s, sap_id id, uint32_t category, uint32_t mask) {
    return sap__freshen(s, id, &category, &mask);
}

SAP_DEF sap_result sap_refilter(sap_world *s, sap_id id) {
    return sap__freshen(s, id, NULL, NULL);
}

/* The key of a bound after the shift; infinite ones stay where they are. A double has more than twice a float's digits,
   so rounding twice gives what rounding once does; a difference that is no normal float is exact, and is put together
   from its units, as the machine may flush it to zero. */
static int32_t sap__shifted(int32_t key, float offset) {
    float v = sap__float(key);
    double difference = sap__double(v) - sap__double(offset);
    if (!sap__is_finite(v)) return key;
    if (difference < SAP__SMALLEST && difference > -SAP__SMALLEST) return (int32_t)(difference / SAP__DENORMAL);
    return sap__key((float)difference);
}

SAP_DEF sap_result sap_shift_origin(sap_world *s, const float offset[3]) {
    uint32_t slot, n;
    int k, pass;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (!offset) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (sap__is_busy(s)) return sap__end_call(s, SAP_ERROR_BUSY);
    for (k = 0; k < 3; k++)
        if ((s->config.axes >> k & 1) && !sap__is_finite(offset[k])) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    n = (uint32_t)sap__length(s->slots);
    for (pass = 0; pass < 2; pass++) /* first look whether all stay finite, then do it */
        for (slot = 0; slot < n; slot++) {
            const sap__box *old = sap__recorded_box(s, slot);
            sap__box box;
            if (!(s->state[slot] & SAP__LIVE)) continue;
            box = *old;
            for (k = 0; k < 3; k++) {
                int32_t lo = box.lo[k], hi = box.hi[k];
                if (!(s->config.axes >> k & 1)) continue;
                box.lo[k] = sap__shifted(lo, offset[k]);
                box.hi[k] = sap__shifted(hi, offset[k]);
                if ((box.lo[k] == -SAP__INFINITY || box.lo[k] == SAP__INFINITY) && box.lo[k] != lo)
                    return sap__end_call(s, SAP_ERROR_ARGUMENT);
                if ((box.hi[k] == -SAP__INFINITY || box.hi[k] == SAP__INFINITY) && box.hi[k] != hi)
                    return sap__end_call(s, SAP_ERROR_ARGUMENT);
            }
            if (pass == 0 || sap__same(&box, old)) continue;
            s->now[slot] = box;
            sap__record(s, slot);
            sap__tree_note(s, slot);
        }
    return sap__end_call(s, SAP_OK);
}

/* ====================================================================================================== */
/* >> pairs: the pair manager (Terdiman I.6)                                                                */
/* ====================================================================================================== */

/* Active pairs stand in one array without holes: the last one fills a hole. Three ways lead to a pair:

       buckets[hash(id0, id1)] -> pair -> chain -> chain ...       by its two ids
       link[slot] -> place -> next -> next ...                     by one of its boxes; a place is pair * 2 + side
       pairs[i]                                                    all of them

   The hash takes all 64 bits of the two ids. Lists are doubly linked, because the ground of a world may be in a
   hundred thousand pairs and must lose one of them in O(1).

   Chains and lists are kept in step only while somebody asks for them: for lists an update that looks through those of
   few changed boxes, or the user, by sap_pairs_of; for chains insertion sort, an update of boxes whose filter may
   answer anew, or the user, by sap_find_pair and sap_set_pair_data. Where all boxes move and only events are read
   nobody does, and an update of 10,000 boxes takes 7 percent less if they walk or jump, 14 if all of them come at once.
   Where 1 percent jump only lists are asked for, and updates take 6 to 8 percent less than with both.

   The paper flags the pairs that an update touches, so that what is created and deleted within one update vanishes
   when the flags are read. Here a pair is touched only by its net change: whoever finds an overlap also asks
   whether it was there before (sap__take_found), and so a pair is created or deleted at most once. */
enum { SAP__FEWEST_BUCKETS = 64, SAP__MOST_BUCKETS = 1 << 30 };

/* How many to have for so many pairs: a power of two, not below their number, and not fewer than there are. */
static int sap__buckets_for(const sap_world *s, int pairs) {
    int buckets = sap__length(s->buckets);
    if (buckets < SAP__FEWEST_BUCKETS) buckets = SAP__FEWEST_BUCKETS;
    while (buckets < pairs && buckets < SAP__MOST_BUCKETS) buckets *= 2;
    return buckets;
}

static uint32_t sap__hash(sap_id id0, sap_id id1) {
    return (uint32_t)((((uint64_t)id0 << 32 | id1) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static uint32_t *sap__bucket(const sap_world *s, sap_id id0, sap_id id1) {
    return &s->buckets[sap__hash(id0, id1) & (uint32_t)(sap__length(s->buckets) - 1)];
}

/* The index of a pair, or SAP__NONE. Chains have been made. */
static uint32_t sap__find(const sap_world *s, sap_id a, sap_id b) {
    sap_id id0 = a < b ? a : b, id1 = a < b ? b : a;
    uint32_t p;
    if (sap__length(s->pairs) == 0) return SAP__NONE;
    for (p = *sap__bucket(s, id0, id1); p != SAP__NONE; p = s->chain[p])
        if (s->pairs[p].id0 == id0 && s->pairs[p].id1 == id1) break;
    return p;
}

static uint32_t *sap__prev_of(sap_world *s, uint32_t place) {
    return &s->links[place >> 1].prev[place & 1];
}

static uint32_t *sap__next_of(sap_world *s, uint32_t place) {
    return &s->links[place >> 1].next[place & 1];
}

static uint32_t sap__box_at(const sap_world *s, uint32_t place) {
    const sap_pair *pair = &s->pairs[place >> 1];
    return sap__slot_of(place & 1 ? pair->id1 : pair->id0);
}

static uint32_t sap__other_at(const sap_world *s, uint32_t place) {
    return sap__box_at(s, place ^ 1);
}

static void sap__chain_pair(sap_world *s, const sap_pair *pair, uint32_t p) {
    uint32_t *bucket = sap__bucket(s, pair->id0, pair->id1);
    s->chain[p] = *bucket;
    *bucket = p;
}

static void sap__list_pair(sap_world *s, const sap_pair *pair, uint32_t p) {
    uint32_t side;
    for (side = 0; side < 2; side++) {
        uint32_t place = 2 * p + side, *head = &s->link[sap__slot_of(side ? pair->id1 : pair->id0)];
        s->links[p].next[side] = *head;
        s->links[p].prev[side] = SAP__NONE;
        if (*head != SAP__NONE) *sap__prev_of(s, *head) = place;
        *head = place;
    }
}

/* Pair p becomes pair to in its chain; to == SAP__NONE takes it out. */
static void sap__rechain_pair(sap_world *s, uint32_t p, uint32_t to) {
    uint32_t *at = sap__bucket(s, s->pairs[p].id0, s->pairs[p].id1);
    while (*at != p) at = &s->chain[*at];
    *at = to == SAP__NONE ? s->chain[p] : to;
    if (to != SAP__NONE) s->chain[to] = s->chain[p];
}

/* The same in the lists of its two boxes. */
static void sap__relist_pair(sap_world *s, uint32_t p, uint32_t to) {
    uint32_t side;
    for (side = 0; side < 2; side++) {
        uint32_t next = s->links[p].next[side], prev = s->links[p].prev[side];
        uint32_t forward = to == SAP__NONE ? next : 2 * to + side, back = to == SAP__NONE ? prev : 2 * to + side;
        if (prev != SAP__NONE)
            *sap__next_of(s, prev) = forward;
        else
            s->link[sap__box_at(s, 2 * p + side)] = forward;
        if (next != SAP__NONE) *sap__prev_of(s, next) = back;
    }
    if (to != SAP__NONE) s->links[to] = s->links[p];
}

/* Makes the chains, or the lists. The room for them came with that for the pairs. */
static void sap__link_all(sap_world *s, int which) {
    uint32_t i, n = (uint32_t)sap__length(s->pairs), all;
    if (which == SAP__CHAINS) {
        all = s->buckets ? (uint32_t)sap__buckets_for(s, (int)n) : 0; /* before the first update there are none */
        sap__set_length(s->buckets, all);
        sap__set_length(s->chain, n);
        if (all) memset(s->buckets, 0xff, all * sizeof *s->buckets); /* SAP__NONE */
        for (i = 0; i < n; i++) {
            if (i + SAP__AHEAD < n)
                sap__prefetch(sap__bucket(s, s->pairs[i + SAP__AHEAD].id0, s->pairs[i + SAP__AHEAD].id1));
            sap__chain_pair(s, &s->pairs[i], i);
        }
    } else {
        all = (uint32_t)sap__length(s->slots);
        sap__set_length(s->links, n);
        for (i = 0; i < all; i++)
            if (s->state[i] & (SAP__LIVE | SAP__REMOVED)) s->link[i] = SAP__NONE;
        for (i = 0; i < n; i++) sap__list_pair(s, &s->pairs[i], i);
    }
}

/* The pairs are others now. */
static void sap__unlink_all(sap_world *s) {
    memset(s->linked, 0, sizeof s->linked);
    memset(s->asked, 0, sizeof s->asked);
}

/* For an update that is about to ask. */
static void sap__link_pairs(sap_world *s, int which) {
    if (!s->linked[which]) sap__link_all(s, which);
    s->linked[which] = s->asked[which] = 1;
}

/* For a look, which several threads may take at once: the first one makes them, and the others wait. What the user can
   see of the world stays as it is, so the look may be one at a const world. */
static void sap__link_for_look(const sap_world *world, int which) {
    sap_world *s;
    memcpy(&s, &world, sizeof s);
    if (!sap__atomic_get(&s->asked[which])) sap__atomic_set(&s->asked[which], 1);
    if (sap__atomic_get(&s->linked[which])) return;
    while (sap__atomic_swap(&s->linking, 1)) continue;
    if (!s->linked[which]) {
        sap__link_all(s, which);
        sap__atomic_set(&s->linked[which], 1);
    }
    sap__atomic_set(&s->linking, 0);
}

static int sap__room_for_pairs(sap_world *s, int pairs, int created, int deleted) {
    int buckets = sap__buckets_for(s, pairs);
    return sap__room(&s->links, pairs) && sap__room(&s->chain, pairs) && sap__room(&s->buckets, buckets) &&
           sap__room(&s->created, created) && sap__room(&s->deleted, deleted) && sap__room(&s->items, deleted) &&
           sap__room(&s->tmp, deleted) && sap__room(&s->pairs, pairs); /* these last: users look at them */
}

SAP__INLINE uint64_t sap__pair_item(const sap_pair *pair) {
    return sap__item(pair->id0, pair->id1);
}

/* Are chains, or lists, mended? Not any more when mending has cost as much as making them anew, and nobody has asked;
   and not when so much changes at once. Making both costs 7 ns a pair and 0.3 ns a slot, mending 30 ns a pair that
   comes or goes. Before anything has changed. */
static int sap__links_stay(sap_world *s, int which) {
    int lost = sap__length(s->lost), found = sap__length(s->found), n = sap__length(s->pairs);
    if (s->asked[which]) s->mended[which] = 0;
    s->asked[which] = 0;
    if (!s->linked[which] || lost + found > n / 4 + sap__length(s->slots) / 64 - s->mended[which]) return 0;
    s->mended[which] += lost + found;
    return which == SAP__LISTS || sap__length(s->buckets) >= sap__buckets_for(s, n - lost + found);
}

/* The lost pairs, sorted by both ids; user data goes along. Few go to their places at once. What began when pairs
   last came or went stands sorted at the end of all pairs, and much of it may end now: so only those before are sorted,
   if they are few, and the two are merged. (Merged without branches, each step waits for the loads of the last one:
   updates in which 10,000 boxes move by up to 4 take 6 percent more.) */
static void sap__take_deleted(sap_world *s) {
    const uint32_t *lost = s->lost;
    uint64_t *items = s->items;
    int i, a, b, n = sap__length(s->deleted), last = n, place[SAP__RANKED];
    if (n <= s->kernel.ranked) {
        for (i = 0; i < n; i++) items[i] = sap__pair_item(&s->pairs[lost[i]]);
        s->kernel.rank(items, n, place);
        for (i = 0; i < n; i++) s->deleted[place[i]] = s->pairs[lost[i]];
        return;
    }
    while (last > 0 && (int)lost[last - 1] >= s->sorted_from) last--;
    if (4 * (long long)last > n) last = n;
    for (i = 0; i < last; i++) items[i] = sap__item(s->pairs[lost[i]].id1, lost[i]);
    sap__sort(items, s->tmp, last);
    for (i = 0; i < last; i++) items[i] = sap__item(s->pairs[(uint32_t)items[i]].id0, (uint32_t)items[i]);
    sap__sort(items, s->tmp, last);
    for (a = i = 0, b = last; a < last; a++) {
        const sap_pair *pair = &s->pairs[(uint32_t)items[a]];
        uint64_t item = sap__pair_item(pair);
        for (; b < n && sap__pair_item(&s->pairs[lost[b]]) < item; b++) s->deleted[i++] = s->pairs[lost[b]];
        s->deleted[i++] = *pair;
    }
    for (; b < n; b++) s->deleted[i++] = s->pairs[lost[b]];
}

/* The pairs found, each of them once, sorted by both ids. created is scratch before it is filled. */
static void sap__sort_found(sap_world *s) {
    uint64_t *found = s->found, *sorted = (uint64_t *)(void *)s->created;
    int n = sap__length(found), place[SAP__RANKED];
    if (n > s->kernel.ranked) {
        sap__sort_pairs(found, sorted, n);
        return;
    }
    s->kernel.rank(found, n, place);
    sap__place_items(found, sorted, n, place);
}

/* What begins, step 0, and what ends, step 1: on two threads, for neither writes what the other one touches. */
static void sap__sort_events(sap_world *s, int step) {
    if (step)
        sap__take_deleted(s);
    else
        sap__sort_found(s);
}

/* One share of the pairs found: to the created ones, and behind the pairs that stay. */
static void sap__begin_share(sap_world *s, int share) {
    int n = sap__length(s->found), i = sap__share_from(n, share), end = sap__share_from(n, share + 1);
    int behind = sap__length(s->pairs) - n, early = sap__early_steps(sap__length(s->slots), n);
    for (; i < end; i++) {
        sap_pair *created = &s->created[i], *pair = &s->pairs[behind + i];
        sap_id id0 = (sap_id)(s->found[i] >> 32), id1 = (sap_id)s->found[i];
        void *object0 = s->slots[sap__slot_of(id0)].object, *object1 = s->slots[sap__slot_of(id1)].object;
        if (i < early) sap__prefetch(&s->slots[sap__slot_of((sap_id)s->found[i + SAP__AHEAD])]);
        created->id0 = pair->id0 = id0;
        created->id1 = pair->id1 = id1;
        created->object0 = pair->object0 = object0;
        created->object1 = pair->object1 = object1;
        created->user_data = pair->user_data = NULL;
    }
}

/* Holes are filled from behind, the highest first: each by the pair that is then the last, which may have filled a
   higher hole before. (hole, pair) to s->items, without those that end beyond the end. */
static int sap__fill_holes(sap_world *s) {
    int lost = sap__length(s->lost), last = sap__length(s->pairs), kept = last - lost, filled = lost - 1, i;
    if (lost == 0 || (int)s->lost[0] >= kept) return 0; /* as when all boxes go at once */
    for (i = lost - 1; i >= 0; i--) {
        s->items[i] = sap__item(s->lost[i], (uint32_t)--last);
        if (last == (int)s->lost[filled]) s->items[i] = sap__item(s->lost[i], (uint32_t)s->items[filled--]);
    }
    for (i = 0; i < lost && (int)s->lost[i] < kept;) i++;
    return i;
}

/* What linking pair p will touch. */
SAP__INLINE void sap__prefetch_links(const sap_world *s, int which, const sap_pair *pair, uint32_t p) {
    if (which == SAP__CHAINS) {
        sap__prefetch(sap__bucket(s, pair->id0, pair->id1));
        sap__prefetch(&s->chain[p]);
        return;
    }
    sap__prefetch(&s->links[p]);
    sap__prefetch(&s->link[sap__slot_of(pair->id0)]);
    sap__prefetch(&s->link[sap__slot_of(pair->id1)]);
}

/* Chains, or lists, that stay are mended: before the pairs move, of those that end or will move. */
static void sap__mend_links(sap_world *s, int which) {
    void (*repoint)(sap_world *, uint32_t, uint32_t) = which == SAP__LISTS ? sap__relist_pair : sap__rechain_pair;
    int i, lost = sap__length(s->lost), early = sap__early_steps(sap__length(s->slots), lost);
    if (!s->linked[which]) return;
    for (i = 0; i < lost; i++) {
        if (i < early) sap__prefetch_links(s, which, &s->pairs[s->lost[i + SAP__AHEAD]], s->lost[i + SAP__AHEAD]);
        repoint(s, s->lost[i], SAP__NONE);
    }
    early = sap__early_steps(sap__length(s->slots), s->moves);
    for (i = 0; i < s->moves; i++) {
        if (i < early)
            sap__prefetch_links(s, which, &s->pairs[(uint32_t)s->items[i + SAP__AHEAD]],
                                (uint32_t)s->items[i + SAP__AHEAD]);
        repoint(s, (uint32_t)s->items[i], (uint32_t)(s->items[i] >> 32));
    }
}

/* Those that began are added, when they stand behind the others. */
static void sap__link_created(sap_world *s, int which) {
    void (*add)(sap_world *, const sap_pair *, uint32_t) = which == SAP__LISTS ? sap__list_pair : sap__chain_pair;
    int i, n = sap__length(s->pairs), early = sap__early_steps(sap__length(s->slots), n);
    if (!s->linked[which]) return;
    if (which == SAP__CHAINS)
        sap__set_length(s->chain, n);
    else
        sap__set_length(s->links, n);
    for (i = n - sap__length(s->created); i < n; i++) {
        if (i < early) sap__prefetch_links(s, which, &s->pairs[i + SAP__AHEAD], (uint32_t)(i + SAP__AHEAD));
        add(s, &s->pairs[i], (uint32_t)i);
    }
}

/* The pair array follows: holes are filled from behind, then the new pairs come in their order. All room has been
   made. */
static void sap__commit_pairs(sap_world *s) {
    int lost = sap__length(s->lost), found = sap__length(s->found), kept = sap__length(s->pairs) - lost, i, stay;
    for (i = 0; i < SAP__LINKS; i++) s->linked[i] = sap__links_stay(s, i);
    sap__set_length(s->deleted, lost);
    sap__set_length(s->created, found);
    sap__each(s, sap__sort_events, 2, found + lost);
    s->moves = sap__fill_holes(s);
    stay = s->linked[SAP__CHAINS] || s->linked[SAP__LISTS];
    if (stay) sap__each(s, sap__mend_links, SAP__LINKS, s->moves + lost);
    for (i = 0; i < s->moves; i++) s->pairs[s->items[i] >> 32] = s->pairs[(uint32_t)s->items[i]];
    if (lost + found) s->sorted_from = kept;
    sap__set_length(s->pairs, kept + found);
    sap__each(s, sap__begin_share, SAP__SHARES, found);
    if (stay) sap__each(s, sap__link_created, SAP__LINKS, found);
}

/* All boxes have gone, as when a level is left, so all pairs end. If they are sorted as they stand, as what came in one
   batch is, they become the deleted ones by an exchange of the arrays: no pair is copied, and no room is needed. 0 if
   they are not. */
static int sap__end_all(sap_world *s) {
    sap_pair *pairs = s->pairs;
    if (s->sorted_from) return 0;
    s->pairs = s->deleted;
    s->deleted = pairs;
    sap__set_length(s->pairs, 0);
    sap__set_length(s->created, 0);
    sap__unlink_all(s);
    s->ends_ready = s->moving.ready = s->standing.ready = 0;
    s->swaps = s->tests = 0;
    return 1;
}

/* ---- what an update finds ---------------------------------------------------------------------------------- */

/* The pair of two boxes in the order of their ids. */
SAP__INLINE void sap__pair_of(const sap_world *s, uint32_t a, uint32_t b, sap_pair *pair) {
    int swap = sap__id_of(s, a) > sap__id_of(s, b);
    uint32_t first = swap ? b : a, second = swap ? a : b;
    pair->id0 = sap__id_of(s, first);
    pair->id1 = sap__id_of(s, second);
    pair->object0 = s->slots[first].object;
    pair->object1 = s->slots[second].object;
    pair->user_data = NULL;
}

static int sap__filter_allows(sap_world *s, uint32_t a, uint32_t b) {
    sap_pair pair;
    int yes;
    sap__pair_of(s, a, b, &pair);
    s->in_filter = 1;
    yes = s->config.filter(&pair, s->config.filter_user) != 0;
    s->in_filter = 0;
    return yes;
}

/* May these two, which overlap, be a pair? */
SAP__INLINE int sap__allowed(sap_world *s, uint32_t a, uint32_t b) {
    const sap__slot *slot_a = &s->slots[a], *slot_b = &s->slots[b];
    if (s->state[a] & s->state[b] & SAP__STATIC) return 0;
    if (s->masked && (!(slot_a->category & slot_b->mask) || !(slot_b->category & slot_a->mask))) return 0;
    return !s->config.filter || s->is_share || sap__filter_allows(s, a, b);
}

static int sap__trouble(sap_world *s, sap_result r) {
    s->trouble = r;
    return 0;
}

/* For that many more pairs that start. */
static int sap__room_for_news(sap_world *s, int more) {
    int n = sap__length(s->found);
    if (more > INT_MAX - n) return sap__trouble(s, SAP_ERROR_LIMIT);
    if (s->is_share && (size_t)n + (size_t)more > stbds_arrcap(s->found)) return 0;
    if (!s->found && more < s->newcomers) more = s->newcomers; /* at once, not by doubling: 2 percent of a first add */
    return sap__room(&s->found, n + more) || sap__trouble(s, SAP_ERROR_MEMORY);
}

/* A pair that starts, if it may be one. Room has been made. */
SAP__INLINE void sap__gain(sap_world *s, uint32_t a, uint32_t b) {
    sap_id ida = sap__id_of(s, a), idb = sap__id_of(s, b), id0 = ida < idb ? ida : idb;
    if (sap__allowed(s, a, b)) sap__push(s->found, sap__item(id0, ida ^ idb ^ id0)); /* which is less is a coin toss */
}

static int sap__lose(sap_world *s, uint32_t p) {
    if (s->is_share && (size_t)sap__length(s->lost) == stbds_arrcap(s->lost)) return 0;
    if (!sap__room(&s->lost, sap__length(s->lost) + 1)) return sap__trouble(s, SAP_ERROR_MEMORY);
    sap__push(s->lost, p);
    return 1;
}

/* a and b overlap now. It is news if they did not before; where a filter may answer anew, if they are no pair yet. Room
   has been made. */
static void sap__take_overlap(sap_world *s, uint32_t a, uint32_t b) {
    if ((s->state[a] | s->state[b]) & SAP__FRESH) {
        SAP_ASSERT(s->linked[SAP__CHAINS] && "chains have been made");
        if (sap__find(s, sap__id_of(s, a), sap__id_of(s, b)) != SAP__NONE) return;
    } else if (sap__overlap(&s->was[a], &s->was[b]))
        return;
    sap__gain(s, a, b);
}

/* What may be news among found pairs, n of them, has come to their front. */
static int sap__take_news(sap_world *s, const sap__found *found, int n) {
    int i, early = sap__early_steps(sap__length(s->slots), n);
    if (!sap__room_for_news(s, n)) return 0;
    for (i = 0; i < n; i++) {
        uint32_t a = found->a[i] & SAP__SLOT, b = found->b[i] & SAP__SLOT;
        if (i < early) {
            if (s->masked) {
                sap__prefetch(&s->slots[found->a[i + SAP__AHEAD] & SAP__SLOT]);
                sap__prefetch(&s->slots[found->b[i + SAP__AHEAD] & SAP__SLOT]);
            }
            sap__prefetch(&s->state[found->a[i + SAP__AHEAD] & SAP__SLOT]);
            sap__prefetch(&s->state[found->b[i + SAP__AHEAD] & SAP__SLOT]);
        }
        if (s->fresh)
            sap__take_overlap(s, a, b);
        else
            sap__gain(s, a, b);
    }
    return 1;
}

/* Nine of ten found pairs are old ones, in no order that a branch could guess: first the news are picked out. Where all
   boxes are new, all are. */
static int sap__take_found(sap__sink *sink) {
    sap_world *s = (sap_world *)sink->context;
    sap__found *found = &sink->found;
    int i, n = found->count, news = 0, early = sap__early_steps(sap__length(s->slots), n);
    if (s->newcomers == s->live) {
        news = n;
        n = 0;
    }
    for (i = 0; i < n; i++) {
        uint32_t a = found->a[i] & SAP__SLOT, b = found->b[i] & SAP__SLOT;
        int is_news;
        if (i < early) {
            sap__prefetch_box(&s->was[found->a[i + SAP__AHEAD] & SAP__SLOT]);
            sap__prefetch_box(&s->was[found->b[i + SAP__AHEAD] & SAP__SLOT]);
        }
        is_news = !sap__overlap(&s->was[a], &s->was[b]) | (s->fresh > 0);
        found->a[news] = found->a[i];
        found->b[news] = found->b[i];
        news += is_news;
    }
    return sap__take_news(s, found, news);
}

/* Of two changed boxes both ask, and one of them counts; nobody counts itself. Where all were filed before, that is the
   one in the lower slot. Where they are filed and ask in turn, it is the later one: when the earlier one asked, the
   other was still filed where it had been. Each finds itself, too, and so is marked here as having asked. */
SAP__INLINE int sap__take_answers(sap__sink *sink, int in_turn) {
    sap_world *s = (sap_world *)sink->context;
    sap__found *found = &sink->found;
    int i, news = 0, early = sap__early_steps(sap__length(s->slots), found->count);
    for (i = 0; i < found->count; i++) {
        uint32_t a = found->a[i] & SAP__SLOT, b = found->b[i] & SAP__SLOT;
        int is_news;
        if (i < early) {
            sap__prefetch_box(&s->was[found->b[i + SAP__AHEAD] & SAP__SLOT]);
            sap__prefetch(&s->state[found->b[i + SAP__AHEAD] & SAP__SLOT]);
        }
        is_news = !sap__overlap(&s->was[a], &s->was[b]) | (s->fresh > 0);
        if (in_turn) {
            s->state[a] |= SAP__ASKED;
            is_news &= (s->state[b] & (SAP__RECORDED | SAP__ASKED)) != SAP__RECORDED;
        } else
            is_news &= ((s->state[b] & SAP__RECORDED) == 0) | (a < b);
        found->a[news] = found->a[i];
        found->b[news] = found->b[i];
        news += is_news & (a != b);
    }
    return sap__take_news(s, found, news);
}

static int sap__take_asked(sap__sink *sink) {
    return sap__take_answers(sink, 0);
}

static int sap__take_in_turn(sap__sink *sink) {
    return sap__take_answers(sink, 1);
}

/* Does the pair of a and b, which is there, end? A removed box is nowhere, and overlaps nothing. */
SAP__INLINE int sap__is_lost(sap_world *s, uint32_t a, uint32_t b, const sap__box *now_b) {
    int apart = !sap__overlap(&s->now[a], now_b);
    if (s->fresh == 0 || apart) return apart;
    return ((s->state[a] | s->state[b]) & SAP__FRESH) && !sap__allowed(s, a, b);
}

/* Ascending, as sap__commit_pairs needs them. */
static int sap__sort_lost(sap_world *s) {
    int i, n = sap__length(s->lost);
    if (!sap__room(&s->items, n) || !sap__room(&s->tmp, n)) return 0;
    for (i = 0; i < n; i++) s->items[i] = sap__item(s->lost[i], 0);
    sap__sort(s->items, s->tmp, n);
    for (i = 0; i < n; i++) s->lost[i] = (uint32_t)(s->items[i] >> 32);
    return 1;
}

/* Looks through pairs [from, to), ascending: those that end go to lost[from] and on. How many they are. */
static int sap__lose_range(sap_world *s, uint32_t from, uint32_t to) {
    uint32_t p, a, b, *lost = s->lost + from;
    int n = 0, early = sap__early_steps(sap__length(s->slots), (int)to);
    for (p = from; p < to; p++) {
        if ((int)p < early) {
            sap__prefetch_box(&s->now[sap__slot_of(s->pairs[p + SAP__AHEAD].id0)]);
            sap__prefetch_box(&s->now[sap__slot_of(s->pairs[p + SAP__AHEAD].id1)]);
        }
        a = sap__slot_of(s->pairs[p].id0);
        b = sap__slot_of(s->pairs[p].id1);
        lost[n] = p;
        n += sap__is_lost(s, a, b, &s->now[b]);
    }
    return n;
}

static int sap__lose_by_pairs(sap_world *s) {
    int i, n = sap__length(s->pairs);
    if (!sap__room(&s->lost, n)) return sap__trouble(s, SAP_ERROR_MEMORY);
    sap__set_length(s->lost, n);
    if (s->live == 0) /* no box is looked at: an update that ends all takes a seventh less */
        for (i = 0; i < n; i++) s->lost[i] = (uint32_t)i;
    else if (n)
        sap__set_length(s->lost, sap__lose_range(s, 0, (uint32_t)n));
    return 1;
}

/* Looks through the pairs of the listed boxes that have one of these flags; 0 if these are more than most, -1 if there
   is no room for those that end. A box that has not changed is where it was; and that is in the cache, for
   it was read when they asked. */
static int sap__look_through_lists(sap_world *s, uint32_t flags, int most) {
    int i, n = sap__length(s->list);
    SAP_ASSERT(s->linked[SAP__LISTS] && "lists have been made");
    for (i = 0; i < n; i++) {
        uint32_t slot = s->list[i], place;
        if (!(s->state[slot] & flags)) continue;
        for (place = s->link[slot]; place != SAP__NONE; place = *sap__next_of(s, place)) {
            uint32_t other = sap__other_at(s, place), state = s->state[other];
            if (most-- == 0) return 0;
            if ((state & flags) && other < slot) continue; /* seen from the other side */
            if (sap__is_lost(s, slot, other, state & SAP__RECORDED ? &s->now[other] : &s->was[other]) &&
                !sap__lose(s, place >> 1))
                return -1;
        }
    }
    return 1;
}

/* Where they are too many all pairs are looked through, which lie in a row. */
static int sap__lose_by_lists(sap_world *s, uint32_t flags, int most) {
    int done;
    sap__link_pairs(s, SAP__LISTS);
    done = sap__look_through_lists(s, flags, most);
    return done > 0 ? sap__sort_lost(s) : done == 0 && sap__lose_by_pairs(s);
}

/* ====================================================================================================== */
/* >> endpoints: the persistent sweep-and-prune (Terdiman I.2 to I.5)                                       */
/* ====================================================================================================== */

/* One sorted array an axis holds both ends of every box. An endpoint is eight bytes:

       63            32 31  30            0
       [ sortable key ] [M] [ slot        ]     M: 0 a min, 1 a max

   One 64-bit compare orders them all: by value; at equal values mins before maxs, so that boxes which touch
   overlap; at equal kinds by slot, so that no order depends on history. The sentinels 0 and ~0 stand at the sides
   (appendix B). The paper also keeps each endpoint's position in its box; without it a shift writes to one array
   only and reads the other box just when a rule fires. */
static uint64_t sap__end(int32_t key, uint32_t is_max, uint32_t slot) {
    return sap__item(sap__sortable(key), is_max << 31 | slot);
}

#define sap__end_slot(e) ((uint32_t)(e)&0x7fffffffu)
#define sap__end_is_max(e) ((uint32_t)(e) >> 31)

#ifdef SAP_TRACE
enum { SAP__TRACES = 1 };
#define sap__trace(step, axis, s, a, b) SAP_TRACE(step, axis, sap__id_of(s, a), sap__id_of(s, b))
#else
enum { SAP__TRACES = 0 };
#define sap__trace(step, axis, s, a, b) ((void)0)
#endif

/* Both ends of the slots with one of these flags, and none of without, sorted, to out[0..]; how many. Room for
   2 * slots has been made. */
static int sap__ends_of(sap_world *s, int axis, uint32_t flags, uint32_t without, const sap__box *boxes,
                        uint64_t *out) {
    uint32_t slot, is_max, n = (uint32_t)sap__length(s->slots);
    int count = 0;
    for (is_max = 0; is_max < 2; is_max++) /* the sort is stable: at equal keys mins, then maxs, each by slot */
        for (slot = 0; slot < n; slot++)
            if ((s->state[slot] & flags) && !(s->state[slot] & without))
                out[count++] = sap__end(sap__bound(&boxes[slot], axis, is_max), is_max, slot);
    sap__sort(out, s->tmp, count);
    return count;
}

static int sap__room_for_ends(sap_world *s) {
    int n = 2 * sap__length(s->slots) + 2, k, good = sap__room(&s->items, n) && sap__room(&s->tmp, n);
    for (k = 0; k < 3; k++)
        if (s->config.axes >> k & 1) good = good && sap__room(&s->ends[k], n);
    return good;
}

/* From the settled boxes: after another path, or at the start. */
static void sap__ends_build(sap_world *s) {
    int k, n;
    for (k = 0; k < 3; k++) {
        if (!(s->config.axes >> k & 1)) continue;
        n = sap__ends_of(s, k, SAP__LIVE | SAP__REMOVED, SAP__ADDED, s->was, s->ends[k] + 1);
        s->ends[k][0] = 0;
        s->ends[k][n + 1] = ~UINT64_C(0);
        sap__set_length(s->ends[k], n + 2);
    }
}

/* Batch removal (Terdiman I.5b): the boxes are marked, one pass closes all gaps. */
static void sap__ends_compact(sap_world *s) {
    int k, i, n, kept;
    for (k = 0; k < 3; k++) {
        n = sap__length(s->ends[k]);
        for (i = kept = 1; i < n - 1; i++)
            if (!(s->state[sap__end_slot(s->ends[k][i])] & SAP__REMOVED)) s->ends[k][kept++] = s->ends[k][i];
        if (n == 0) continue;
        s->ends[k][kept++] = ~UINT64_C(0);
        sap__set_length(s->ends[k], kept);
    }
}

/* Batch insertion (Terdiman I.4b): the new ends, sorted, are merged from the back in one pass; nothing is moved
   twice. The sentinel below stops the search. */
static void sap__ends_merge(sap_world *s) {
    int k;
    for (k = 0; k < 3; k++) {
        uint64_t *ends = s->ends[k];
        int from = sap__length(ends) - 1, count, to;
        if (from < 0) continue;
        count = sap__ends_of(s, k, SAP__ADDED, SAP__REMOVED, s->now, s->items);
        to = from + count;
        sap__set_length(ends, to + 1);
        while (count > 0) {
            while (ends[from] > s->items[count - 1]) ends[to--] = ends[from--];
            ends[to--] = s->items[--count];
        }
    }
}

/* A pair starts on this axis. It is news if the boxes overlap on all; and since it starts on each axis that kept
   the two apart before, the first of these reports it. */
static int sap__rule_start(sap_world *s, int axis, uint32_t a, uint32_t b) {
    int k;
    s->tests++;
    if ((s->state[a] & s->state[b] & SAP__STATIC) || !sap__overlap(&s->now[a], &s->now[b])) {
        sap__trace(SAP_STEP_REJECT, axis, s, a, b);
        return 1;
    }
    sap__trace(SAP_STEP_START, axis, s, a, b);
    if ((s->state[a] | s->state[b]) & SAP__FRESH) return 1; /* found by pruning */
    for (k = 0; k < axis; k++)
        if (!sap__overlap_on(&s->was[a], &s->was[b], k)) return 1;
    if (!sap__room_for_news(s, 1)) return 0;
    sap__gain(s, a, b);
    return 1;
}

/* A pair stops on this axis: news if the boxes overlapped on all, reported by the first axis that parts them. */
static int sap__rule_stop(sap_world *s, int axis, uint32_t a, uint32_t b) {
    uint32_t p;
    int k;
    s->tests++;
    if ((s->state[a] & s->state[b] & SAP__STATIC) || !sap__overlap(&s->was[a], &s->was[b])) {
        sap__trace(SAP_STEP_REJECT, axis, s, a, b);
        return 1;
    }
    sap__trace(SAP_STEP_STOP, axis, s, a, b);
    if ((s->state[a] | s->state[b]) & SAP__FRESH) return 1; /* found by its list */
    for (k = 0; k < axis; k++)
        if (!sap__overlap_on(&s->now[a], &s->now[b], k)) return 1;
    p = sap__find(s, sap__id_of(s, a), sap__id_of(s, b));
    return p == SAP__NONE || sap__lose(s, p); /* no pair: the filter had refused it */
}

/* The update (Terdiman I.3): every end takes its new value, then walks left past the larger ones, shifting them
   right. Each two ends that change places meet exactly once, and a rule says what that means:

       a min passes a max  [b]  <-[a      start: they overlap on this axis now
       a max passes a min   [b   a]->     stop: they do not any more
       equals pass                        nothing

   The paper asks for starts before stops, so that a pair which does both is not left behind; here each rule looks
   at the boxes before and now, and the order does not matter. Returns the shifts made, more than budget if it gave
   up, -1 without memory. O(ends + shifts). */
static long long sap__ends_pass(sap_world *s, int axis, long long budget) {
    uint64_t *ends = s->ends[axis];
    int n = sap__length(ends) - 1, i, j;
    long long shifts = 0;
    for (i = 1; i < n; i++) {
        uint32_t slot = sap__end_slot(ends[i]), is_max = sap__end_is_max(ends[i]);
        uint64_t end = sap__end(sap__bound(&s->now[slot], axis, is_max), is_max, slot);
        for (j = i; ends[j - 1] > end; j--) {
            uint64_t other = ends[j - 1];
            ends[j] = other;
            sap__trace(SAP_STEP_PASS, axis, s, slot, sap__end_slot(other));
            if (is_max != sap__end_is_max(other)) {
                int good = is_max ? sap__rule_stop(s, axis, slot, sap__end_slot(other))
                                  : sap__rule_start(s, axis, slot, sap__end_slot(other));
                if (!good) return -1;
            }
        }
        ends[j] = end;
        shifts += i - j;
        if (shifts > budget) break;
    }
    return shifts;
}

/* ====================================================================================================== */
/* >> settle: from what is recorded to pairs that start and stop                                            */
/* ====================================================================================================== */

/* Three ways lead from the boxes as they were to the boxes as they are; counts choose, never a clock:

       query   few changed: each is taken along in the strips and asks them           cost ~ changed
       prune   many changed: the strips are refreshed or built anew, and swept (I.4c) cost ~ boxes
       sort    many changed by little: insertion sort of the endpoints (I.3)          cost ~ boxes + shifts

   Boxes that all move, ten thousand of them: 18 to 22 ns a box by insertion sort without a shift, and some 15 ns a
   shift (its loops end where no branch can foresee). By pruning, with sixteen boxes a compare: 13 to 20 ns if they
   only tremble, 29 to 32 if they walk, 42 to 46 if they move by twice their size; what trembles takes 19 to 26 with
   eight, 26 to 41 with four, and 57 to 91 one by one. So sorting has its place where hardly two ends change their
   order, on machines that compare four boxes or one. That is less than the paper gives it, for pruning takes boxes
   along, too.

   Whatever finds an overlap or a separation asks what there was before; so each gives the net change, and all the
   same. An index that was not kept in step, or that an error left half done, is not ready and is built anew. */

enum {
    SAP__CALM_PART = 8,      /* insertion sort is tried, and kept, up to one shift for so many boxes */
    SAP__SHIFT_BUDGET = 8,   /* shifts a box above which this one is given up and pruned */
    SAP__CALM_BOXES = 64,    /* worth it in a world of more boxes than these, */
    SAP__CALM_WIDTH = 4,     /* and where a kernel compares up to so many at a time */
    SAP__SORT_PART = 4,      /* and while one box in so many changes */
    SAP__PATIENCE = 8,       /* after so many calm updates */
    SAP__PRUNE_PART = 8,     /* pruned if more than one moving box in so many changed, else each asks */
    SAP__ORDER_FROM = 8192,  /* strips of so many boxes are asked in their order, */
    SAP__ORDER_PART = 32,    /* if as many as one in so many ask, and not more than one in two */
    SAP__LISTS_PART = 8,     /* lists are looked through up to one pair in so many, else all pairs */
    SAP__ASKING = 16,        /* a box that asks costs as much as so many that are swept */
    SAP__REFRESH_PART = 8,   /* refreshed where they are while no more than one box in so many leaves its place, */
    SAP__REFRESH_SPARE = 2,  /* and so many more of those that are looked at, */
    SAP__REFRESH_LEAST = 12, /* which are as few as these, if none of them leaves, */
    SAP__REFRESH_MOST = 64,  /* or up to these */
    SAP__NEARLY_ALL = 8      /* boxes changed if no more than one slot in so many is not in the record */
};

static sap__strips *sap__strips_for(sap_world *s, uint32_t slot) {
    return s->state[slot] & SAP__STATIC ? &s->standing : &s->moving;
}

/* How a changed box is filed otherwise than before; its span is noted. Nothing changes if only its filter did. */
static void sap__change_of(const sap_world *s, sap__strips *t, uint32_t slot, sap__change *change) {
    uint32_t state = s->state[slot];
    sap__box turned;
    sap__span span;
    change->slot = slot;
    change->from = change->to = SAP__NO_SPAN;
    if (!(state & SAP__ADDED)) {
        if (sap__same(&s->was[slot], &s->now[slot])) return;
        change->from = t->spans[slot];
    }
    if (state & SAP__REMOVED) return;
    sap__turn(t, &s->now[slot], &turned);
    sap__span_of(t, &turned, &span);
    t->spans[slot] = change->to = sap__pack_span(&span);
}

static int sap__change_box(sap_world *s, sap__strips *t, uint32_t slot) {
    sap__change change;
    sap__change_of(s, t, slot, &change);
    return sap__change_strips(t, &s->was[slot], &s->now[slot], &change);
}

/* How many live boxes of one kind there are, and their slots; *slots is NULL if that is every slot. -1 without
   memory. */
static int sap__list_kind(sap_world *s, int is_static, const uint32_t **slots) {
    uint32_t slot, n = (uint32_t)sap__length(s->state), kind = is_static ? SAP__STATIC : 0;
    int count = 0, all = (is_static ? s->live_static : s->live - s->live_static) == (int)n;
    *slots = NULL;
    if (all) return (int)n;
    if (!sap__room(&s->filed, n)) return -1;
    for (slot = 0; slot < n; slot++)
        if ((s->state[slot] & (SAP__LIVE | SAP__STATIC)) == (SAP__LIVE | kind)) s->filed[count++] = slot;
    *slots = s->filed;
    return count;
}

/* Files the live boxes of one kind anew. */
static int sap__file_all(sap_world *s, sap__strips *t) {
    const uint32_t *slots;
    int n = sap__list_kind(s, t == &s->standing, &slots);
    return (n >= 0 && sap__strips_build(t, &s->kernel, s->now, sap__length(s->state), slots, n)) ||
           sap__trouble(s, SAP_ERROR_MEMORY);
}

/* So many of the boxes are to be filed one at a time; too many, and the strips are not ready. 0 without memory. */
static int sap__begin_refiling(sap_world *s, sap__strips *t, int changed, int of) {
    if (4 * (long long)changed > of) t->ready = 0;
    t->walked = 0;
    return !t->ready || sap__room(&t->spans, sap__length(s->state)) || sap__trouble(s, SAP_ERROR_MEMORY);
}

/* 0 if the strips are not ready any more: room has run out, or too many boxes start at one place to find each. */
static int sap__refile_one(sap_world *s, sap__strips *t, uint32_t slot, int of) {
    if (!sap__change_box(s, t, slot) || t->walked > 4 * (long long)of) t->ready = 0;
    return t->ready;
}

/* Brings the strips of one kind in step: box by box if few changed; else, or if that fails half-way, by building all
   anew. 0 without memory. */
static int sap__refile(sap_world *s, sap__strips *t, int changed, int of) {
    int i, n = changed ? sap__length(s->list) : 0;
    if (changed == 0 && of == 0) return 1;
    if (!sap__begin_refiling(s, t, changed, of)) return 0;
    for (i = 0; i < n && t->ready; i++)
        if (sap__strips_for(s, s->list[i]) == t) (void)sap__refile_one(s, t, s->list[i], of);
    return t->ready || sap__file_all(s, t);
}

/* Do so many boxes come, go, or leave their chunks or strips that building all anew is cheaper? A sample of one in 64
   answers; where it errs, both cost about the same. If 10,000 boxes that walk by up to 0.1, 0.2, 0.3, 0.4 and 0.5 take
   new bounds where they are filed, 4, 9, 13, 18 and 21 percent of them leave, and an update takes 0.24, 0.29, 0.33,
   0.38 and 0.42 ms; with all built anew, 0.31, 0.32, 0.33, 0.35 and 0.35. */
static int sap__are_leaving(const sap_world *s, int moving) {
    const sap__strips *t = &s->moving;
    int n = sap__length(s->list), m = n / 64, i, leaving = 0;
    if (m < SAP__REFRESH_LEAST) m = n < SAP__REFRESH_LEAST ? n : SAP__REFRESH_LEAST;
    if (m > SAP__REFRESH_MOST) m = SAP__REFRESH_MOST;
    for (i = 0; i < m; i++) {
        uint32_t slot = s->list[sap__sample_at((uint32_t)i, (uint32_t)n)];
        const sap__strip *strip;
        sap__box turned;
        sap__span span;
        if (i == SAP__REFRESH_LEAST && leaving == 0) return 0;
        if (s->state[slot] & SAP__STATIC) continue;
        sap__turn(t, &s->now[slot], &turned);
        if ((s->state[slot] & (SAP__ADDED | SAP__REMOVED)) || sap__file_span(t, &turned, &span) != t->spans[slot]) {
            leaving++;
            continue;
        }
        strip = &t->strip[sap__strip_at(t, &span, span.lo[0], span.lo[1])];
        leaving +=
            sap__strip_locate(t, strip, turned.lo[0]) != sap__strip_locate(t, strip, s->was[slot].lo[t->axis[0]]);
    }
    return SAP__REFRESH_PART * (long long)(leaving - SAP__REFRESH_SPARE) * n > (long long)m * moving;
}

static int sap__may_refresh(sap_world *s) {
    int moving = s->live - s->live_static;
    return s->moving.ready && !sap__grid_is_old(&s->moving, moving) && !sap__are_leaving(s, moving) &&
           stbds_arrcap(s->moving.spans) >= (size_t)sap__length(s->state);
}

/* Brings the strips of moving boxes in step when most of them moved. Needs no memory: 0 if there is no room, or if they
   are better built anew. */
static int sap__refresh_all(sap_world *s, int came_or_went) {
    sap__strips *t = &s->moving;
    int i, n = sap__length(s->list), moving = s->live - s->live_static;
    if (!sap__may_refresh(s) || stbds_arrcap(t->tmp) < (size_t)moving) return 0;
    for (i = 0; i < n && came_or_went && t->ready; i++) {
        uint32_t slot = s->list[i];
        if ((s->state[slot] & SAP__STATIC) || !(s->state[slot] & (SAP__ADDED | SAP__REMOVED))) continue;
        (void)sap__change_box(s, t, slot);
    }
    return t->ready && sap__strips_refresh(t, s->now, moving);
}

/* Changed boxes that will ask these strips, of so many boxes, by the strip in which they start: what one has brought
   into the cache serves the next. Of 100,000 boxes of which 5 percent walk an update takes 0.78, of 50,000 0.93, of
   20,000 0.96, of 10,000 0.98; if the others are static 0.80, 0.94, 0.98 and 0.99; of 100,000 of which a third walks
   among static ones 0.9. It costs where few ask (1.02 if 1 percent jump) or more than half of those asked (1.1).
   (Prefetching the chunks of boxes ahead instead: nothing, for it is the bytes that take the time.) Without memory they
   ask as they are listed. */
static void sap__order_changes(sap_world *s, const sap__strips *t, int boxes) {
    int i, n = sap__length(s->list);
    if (!t->ready || boxes < s->order_from) return;
    if (n < boxes / SAP__ORDER_PART || n > boxes / 2) return;
    if (!sap__room(&s->items, n) || !sap__room(&s->tmp, n)) return;
    for (i = 0; i < n; i++) {
        sap__box turned;
        sap__span span;
        sap__turn(t, &s->now[s->list[i]], &turned);
        sap__span_of(t, &turned, &span);
        s->items[i] = sap__item((uint32_t)(span.lo[0] << t->bits[1] | span.lo[1]), s->list[i]);
    }
    sap__sort(s->items, s->tmp, n);
    SAP_ASSERT(s->list != s->record && "the record stays as it is");
    for (i = 0; i < n; i++) s->list[i] = (uint32_t)s->items[i];
}

/* Brings the strips in step with what changed: changed[0] moving boxes, changed[1] static ones, of both changed[2] that
   came or went. */
static int sap__file_changes(sap_world *s, int path, const int changed[3]) {
    int moving = path == SAP_METHOD_PRUNE ? sap__refresh_all(s, changed[2]) || sap__file_all(s, &s->moving)
                                         : sap__refile(s, &s->moving, changed[0], s->live - s->live_static);
    int standing = sap__refile(s, &s->standing, changed[1], s->live_static);
    return moving && standing;
}

/* A box asks those that move. The strips of a kind that has no boxes may never have been built: nobody asks them. */
static void sap__ask_moving(const sap_world *s, const sap__box *box, uint32_t ref, sap__sink *sink) {
    if (s->live > s->live_static) sap__ask(&s->moving, &s->kernel, box, ref, sink);
}

/* Boxes that move, and are filed here, ask static ones, and also those that move, if these are not swept. */
static void sap__ask_for_moving(const sap_world *s, const uint32_t *slots, int n, int also_moving, sap__sink *sink) {
    if (also_moving) sap__ask_several(&s->moving, &s->kernel, s->now, slots, n, 1, sink);
    if (s->live_static) sap__ask_several(&s->standing, &s->kernel, s->now, slots, n, 0, sink);
}

/* Finds every overlap of a changed box: by a sweep, or by asking the strips of those that it may pair with. What a
   sweep finds goes to swept, what a question finds to asked; 0 if one of them stopped it. */
static int sap__find_overlaps(sap_world *s, int path, int (*swept)(sap__sink *), int (*asked)(sap__sink *),
                              void *context) {
    sap__sink sink;
    int i = 0, n = sap__length(s->list);
    if (path == SAP_METHOD_PRUNE) {
        sap__sink_init(&sink, context, swept);
        sap__sweep(&s->moving, &s->kernel, &sink);
        sap__sink_flush(&sink);
        s->tests += sink.tests;
        if (sink.stopped) return 0;
        if (s->live_static == 0) return 1;
    }
    sap__sink_init(&sink, context, asked);
    while (i < n && !sink.stopped) {
        uint32_t asking[SAP__QUESTIONS]; /* not those that are gone or static, so that as many as can be ask at once */
        int count = 0;
        for (; i < n && count < SAP__QUESTIONS && !sink.stopped; i++) {
            uint32_t slot = s->list[i], state = s->state[slot];
            if (state & SAP__REMOVED) continue;
            if (state & SAP__STATIC)
                sap__ask_moving(s, &s->now[slot], slot, &sink);
            else
                asking[count++] = slot;
        }
        sap__ask_for_moving(s, asking, count, path != SAP_METHOD_PRUNE, &sink);
    }
    sap__sink_flush(&sink);
    s->tests += sink.tests;
    return !sink.stopped;
}

/* Changed boxes are filed and ask, a few at a time, so that much of what they ask is still in the cache; all of them
   are moving ones, and the strips of static boxes are in step. Where 5 percent walk, updates of 50,000 and 100,000
   boxes take 0.97 and 0.90 of those in which all are filed before the first one asks. (One at a time, each would wait
   for what filing has just written: 1,000 boxes take 1.06.) 0 on trouble, if the strips are still ready; if not, they
   have to be built first. */
static int sap__file_and_ask(sap_world *s, int changed) {
    sap__strips *t = &s->moving;
    sap__sink sink;
    int i, j, to, n = sap__length(s->list), of = s->live - s->live_static;
    if (!sap__begin_refiling(s, t, changed, of) || !t->ready) return 0;
    sap__sink_init(&sink, s, sap__take_in_turn);
    for (i = 0; i < n && !sink.stopped; i = to) {
        uint32_t asking[SAP__QUESTIONS];
        int count = 0;
        to = i + SAP__QUESTIONS < n ? i + SAP__QUESTIONS : n;
        for (j = i; j < to; j++) {
            uint32_t slot = s->list[j];
            if (!sap__refile_one(s, t, slot, of)) return 0;
            if (!(s->state[slot] & SAP__REMOVED)) asking[count++] = slot;
        }
        sap__ask_for_moving(s, asking, count, 1, &sink);
    }
    sap__sink_flush(&sink);
    s->tests += sink.tests;
    return !sink.stopped;
}

/* What ends, where few changed. */
static int sap__lose_changed(sap_world *s) {
    return sap__lose_by_lists(s, SAP__RECORDED, sap__length(s->pairs) / SAP__LISTS_PART);
}

/* What begins and what ends, by strips that are in step. */
static int sap__find_changes(sap_world *s, int path) {
    if (!sap__find_overlaps(s, path, sap__take_found, sap__take_asked, s)) return 0;
    return path == SAP_METHOD_PRUNE ? sap__lose_by_pairs(s) : sap__lose_changed(s);
}

/* On threads if the work, counted in boxes that are swept, is worth it. */
static int sap__settle_by_strips(sap_world *s, int path, const int changed[3]) {
    long long work = (path == SAP_METHOD_PRUNE && !s->live_static ? 1 : SAP__ASKING) * (long long)sap__length(s->list);
    s->ends_ready = 0;
    if (path == SAP_METHOD_PRUNE)
        sap__order_changes(s, &s->standing, s->live_static);
    else
        sap__order_changes(s, &s->moving, s->live - s->live_static);
    if (s->settle_in_shares && s->live > s->live_static && work >= s->threads_from)
        return s->settle_in_shares(s, path, changed);
    if (path == SAP_METHOD_QUERY && changed[1] == 0 && (s->live_static == 0 || s->standing.ready)) {
        if (sap__file_and_ask(s, changed[0])) return sap__lose_changed(s);
        if (s->moving.ready) return 0;
        sap__set_length(s->found, 0); /* with some boxes where they were */
    }
    return sap__file_changes(s, path, changed) && sap__find_changes(s, path);
}

/* Batch insertion's second half (I.4c): complete pruning among the new boxes, bipartite pruning of all others
   against them. The strips serve as a scratch place. */
static int sap__prune_new(sap_world *s) {
    sap__strips *t = &s->moving;
    sap__sink sink;
    sap__box bounds = sap__nowhere;
    uint32_t slot, all = (uint32_t)sap__length(s->slots);
    int i, n = sap__length(s->list), count = 0;
    if (!sap__room(&s->filed, n)) return sap__trouble(s, SAP_ERROR_MEMORY);
    for (i = 0; i < n; i++) {
        slot = s->list[i];
        if ((s->state[slot] & SAP__REMOVED) || !(s->state[slot] & (SAP__ADDED | SAP__FRESH))) continue;
        s->filed[count++] = slot;
        sap__unite(&bounds, &s->now[slot]);
    }
    if (count == 0) return 1;
    t->grid_boxes = 0;
    if (!sap__strips_build(t, &s->kernel, s->now, (int)all, s->filed, count)) return sap__trouble(s, SAP_ERROR_MEMORY);
    sap__sink_init(&sink, s, sap__take_found);
    sap__sweep(t, &s->kernel, &sink);
    for (slot = 0; slot < all && !sink.stopped; slot++)
        if ((s->state[slot] & SAP__LIVE) && !(s->state[slot] & (SAP__ADDED | SAP__FRESH)) &&
            sap__overlap(&s->now[slot], &bounds))
            sap__ask(t, &s->kernel, &s->now[slot], slot, &sink);
    sap__sink_flush(&sink);
    s->tests += sink.tests;
    t->grid_boxes = t->ready = 0;
    return !sink.stopped;
}

/* 0 on trouble, which is SAP_OK if the shifts exceeded the budget. */
static int sap__settle_by_sort(sap_world *s, long long budget) {
    int k;
    if (!sap__room_for_ends(s)) return sap__trouble(s, SAP_ERROR_MEMORY);
    sap__link_pairs(s, SAP__CHAINS);
    if (!s->ends_ready) sap__ends_build(s);
    s->ends_ready = s->moving.ready = s->standing.ready = 0;
    if (s->removed.count) sap__ends_compact(s);
    for (k = 0; k < 3; k++) {
        long long shifts;
        if (!(s->config.axes >> k & 1)) continue;
        shifts = sap__ends_pass(s, k, budget - s->swaps);
        if (shifts < 0) return 0;
        s->swaps += shifts;
        if (s->swaps > budget) return sap__trouble(s, SAP_OK);
    }
    sap__ends_merge(s);
    s->ends_ready = 1;
    return sap__prune_new(s) && sap__lose_by_lists(s, SAP__FRESH | SAP__REMOVED, INT_MAX);
}

/* About how many shifts a box would cause, were its motion sorted in: how many ends lie in the way it went. Many,
   if most of what changed did not move but came or went. */
static double sap__expect_shifts(const sap_world *s) {
    const double *density = s->moving.density;
    double shifts = 0;
    int n = sap__length(s->list), m = n < 64 ? n : 64, i, k, moved = 0;
    for (i = 0; i < m; i++) {
        uint32_t slot = s->list[(long long)i * n / m];
        if (s->state[slot] & (SAP__ADDED | SAP__REMOVED)) continue;
        for (k = 0; k < 3; k++) {
            double way = (double)sap__float(s->now[slot].lo[k]) - (double)sap__float(s->was[slot].lo[k]);
            shifts += 4 * (way < 0 ? -way : way) * density[k];
        }
        moved++;
    }
    return 2 * moved > m ? shifts / moved : 1e9;
}

static int sap__choose_path(sap_world *s, int changed_moving, int changed) {
    int moving = s->live - s->live_static, path = SAP_METHOD_QUERY;
    if (SAP__TRACES) return SAP_METHOD_SORT;
    if (s->path != SAP_METHOD_AUTO) return s->path;
    if (s->ends_ready && SAP__SORT_PART * (long long)changed >= s->live && SAP__CALM_PART * s->swaps <= s->live)
        return SAP_METHOD_SORT;
    if (SAP__PRUNE_PART * (long long)changed_moving > moving) path = SAP_METHOD_PRUNE;
    if (path == SAP_METHOD_PRUNE && moving > SAP__CALM_BOXES && s->live_static == 0 &&
        s->kernel.width <= SAP__CALM_WIDTH) {
        if (!((double)SAP__CALM_PART * sap__expect_shifts(s) < 1))
            s->patience = s->patience > SAP__PATIENCE ? s->patience - 1 : SAP__PATIENCE;
        else if (s->patience > 0)
            s->patience--;
        if (s->patience == 0) path = SAP_METHOD_SORT;
    }
    return path;
}

/* One share of the record: what has changed goes to the list, from where the share begins. What moved and came back
   counts as well: to look whether it did costs 2 to 5 percent of an update in which all move. What was removed is
   nowhere from here on. (From its removal on: to remove all takes 1.2 times as long, for then nobody asks.) */
static void sap__list_share(sap_world *s, int share) {
    int n = sap__length(s->record), i = sap__share_from(n, share), end = sap__share_from(n, share + 1);
    uint32_t *list = s->list + i;
    sap__listed count = {0, 0, {0, 0, 0}};
    for (; i < end; i++) {
        uint32_t slot = s->record[i];
        uint32_t state = s->state[slot];
        if (state & (SAP__ADDED | SAP__REMOVED)) {
            if ((state & SAP__ADDED) && (state & SAP__REMOVED)) continue;
            if (state & SAP__REMOVED) s->now[slot] = sap__nowhere;
            count.newcomers += (state & SAP__ADDED) != 0;
            count.changed[2]++;
        }
        list[count.all++] = slot;
        count.changed[1] += (state & SAP__STATIC) != 0;
    }
    count.changed[0] = count.all - count.changed[1];
    s->listed[share] = count;
}

/* All of it, in the order of the record. Where boxes moved and nothing else happened, which is the rule, that is the
   list as it stands: a copy of it, or itself (see sap__settle_pairs). Against a look at each state updates in which all
   move take 0.95 to 0.99, where 5 percent do 0.97 to 0.99. */
static void sap__list_changes(sap_world *s, int changed[3]) {
    int share, k, n = sap__length(s->record), all = 0;
    sap__set_length(s->list, n);
    if (!s->mixed) {
        if (s->list != s->record) memcpy(s->list, s->record, (size_t)n * sizeof *s->list);
        changed[0] = n;
        s->newcomers = 0;
        return;
    }
    sap__each(s, sap__list_share, SAP__SHARES, n);
    s->newcomers = 0;
    for (share = 0; share < SAP__SHARES; share++) {
        const sap__listed *count = &s->listed[share];
        int from = sap__share_from(n, share);
        if (all != from) memmove(s->list + all, s->list + from, (size_t)count->all * sizeof *s->list);
        all += count->all;
        s->newcomers += count->newcomers;
        for (k = 0; k < 3; k++) changed[k] += count->changed[k];
    }
    sap__set_length(s->list, all);
}

/* now and was changed places: of boxes that have not changed since, now says again where they are. */
static void sap__catch_up(sap_world *s) {
    int i, n = sap__length(s->slots);
    if (!s->exchanged) return;
    s->exchanged = 0;
    if (sap__length(s->record) == n) return;
    for (i = 0; i < n; i++)
        if (!(s->state[i] & SAP__RECORDED)) s->now[i] = s->was[i];
}

static int sap__did_nearly_all_change(const sap_world *s) {
    int slots = sap__length(s->slots);
    return SAP__NEARLY_ALL * (long long)(slots - sap__length(s->record)) <= slots;
}

/* Where nearly all boxes changed, now becomes was by an exchange of the arrays, and what moves next is written to the
   other one. (Copied box by box: updates in which all of 1,000, 10,000 and 50,000 tremble take 1.03, 1.07 and 1.05, in
   which they walk or jump 1.02 to 1.04. Where one in five stays where it is, the exchange takes 1.00 to 1.02.) */
static void sap__exchange_boxes(sap_world *s) {
    sap__box *now = s->now;
    if (!sap__did_nearly_all_change(s)) return;
    s->now = s->was;
    s->was = now;
    s->exchanged = 1;
}

/* What stays of a state when an update is over: all but what only the update had to know. */
#define SAP__SETTLED (~(uint32_t)(SAP__RECORDED | SAP__ADDED | SAP__FRESH | SAP__ASKED))

/* The states of slots [i, end): of what is not in the record there is nothing to forget. */
static void sap__settle_slots(uint32_t *states, int i, int end) {
#ifdef SAP__LANES4_KERNEL
    const sap__lanes4 settled = sap__splat4((int32_t)SAP__SETTLED);
    for (; i + 4 <= end; i += 4) sap__store4(states + i, sap__and4(sap__load4(states + i), settled));
#endif
    for (; i < end; i++) states[i] &= SAP__SETTLED;
}

/* One share of the record: where its boxes are now is where they were, which an exchange has said at once. What a
   free slot holds is of no matter, for nobody looks there. (Cleared: to remove all takes 1.25 to 1.6 times as long.) */
static void sap__settle_share(sap_world *s, int share) {
    int n = sap__length(s->record), i = sap__share_from(n, share), end = sap__share_from(n, share + 1);
    const int exchanged = s->exchanged; /* at hand, for states are written */
    const uint32_t *record = s->record;
    uint32_t *states = s->state;
    if (exchanged && !s->mixed) { /* nearly all slots are in the record: in their own order 0.97 to 0.99 */
        n = sap__length(s->slots);
        sap__settle_slots(states, sap__share_from(n, share), sap__share_from(n, share + 1));
        return;
    }
    for (; i < end; i++) {
        uint32_t slot = record[i], state = states[slot];
        if (state & SAP__REMOVED) {
            states[slot] = (state & ~(uint32_t)SAP__FLAGS) + 0x01000000u; /* the next box has another id */
            continue;
        }
        if (!exchanged) s->was[slot] = s->now[slot];
        states[slot] = state & SAP__SETTLED;
    }
}

/* Pairs and events, by indices that come in step. On trouble pairs and events have not changed, and the next update
   builds the indices anew. */
static sap_result sap__settle_changes(sap_world *s) {
    int i, changed[3] = {0, 0, 0}, path, good;
    long long pairs, budget;
    sap__set_length(s->found, 0);
    sap__set_length(s->lost, 0);
    sap__list_changes(s, changed);
    path = sap__choose_path(s, changed[0], changed[0] + changed[1]);
    if (s->fresh) sap__link_pairs(s, SAP__CHAINS);
    s->swaps = s->tests = 0;
    s->trouble = SAP_ERROR_MEMORY;
    budget = s->path == SAP_METHOD_AUTO && !SAP__TRACES ? SAP__SHIFT_BUDGET * (long long)(s->live + 1) : LLONG_MAX / 2;
    s->settled_by = path;
    good = s->settle_in_cells       ? s->settle_in_cells(s)
           : path == SAP_METHOD_SORT ? sap__settle_by_sort(s, budget)
                                    : sap__settle_by_strips(s, path, changed);
    if (!good && s->trouble == SAP_OK) { /* too many shifts: nothing was committed, prune instead */
        sap__set_length(s->found, 0);
        sap__set_length(s->lost, 0);
        s->patience = 8 * SAP__PATIENCE;
        s->trouble = SAP_ERROR_MEMORY;
        s->settled_by = SAP_METHOD_PRUNE;
        good = sap__settle_by_strips(s, SAP_METHOD_PRUNE, changed);
    }
    pairs = (long long)sap__length(s->pairs) - sap__length(s->lost) + sap__length(s->found);
    if (good && (pairs > INT_MAX || (s->config.max_pairs && pairs > s->config.max_pairs)))
        good = sap__trouble(s, SAP_ERROR_LIMIT);
    if (good && !sap__room_for_pairs(s, (int)pairs, sap__length(s->found), sap__length(s->lost)))
        good = sap__trouble(s, SAP_ERROR_MEMORY);
    if (!good) { /* the strips know the new boxes already, the pairs do not: begin again from the boxes */
        for (i = 0; i < sap__length(s->list); i++) s->state[s->list[i]] &= ~(uint32_t)SAP__ASKED;
        s->ends_ready = s->moving.ready = s->standing.ready = 0;
        return s->trouble;
    }
    sap__commit_pairs(s);
    return SAP_OK;
}

/* Where nearly all boxes moved, the record is lent as the list, and nobody writes to it: sap__order_changes leaves a
   list of more than half of the boxes as it is. 50,000 and 100,000 that tremble take 0.985 and 0.94 of what they take
   with a copy. */
static sap_result sap__settle_pairs(sap_world *s) {
    sap_result r;
    if (s->mixed || !sap__did_nearly_all_change(s))
        return sap__room(&s->list, sap__length(s->record)) ? sap__settle_changes(s) : SAP_ERROR_MEMORY;
    s->own_list = s->list;
    s->list = s->record;
    r = sap__settle_changes(s);
    s->list = s->own_list;
    s->own_list = NULL;
    return r;
}

static sap_result sap__settle(sap_world *s) {
    s->settled_by = s->path ? s->path : SAP_METHOD_QUERY;
    sap__catch_up(s);
    if (s->live || s->settle_in_cells || !sap__end_all(s)) {
        sap_result r = sap__settle_pairs(s);
        if (r != SAP_OK) return r;
    }
    sap__exchange_boxes(s);
    sap__each(s, sap__settle_share, SAP__SHARES, sap__length(s->record));
    sap__set_length(s->record, 0);
    s->fresh = s->mixed = 0;
    sap__free_removed(s);
    return SAP_OK;
}

SAP_DEF sap_result sap_update(sap_world *s) {
    if (!s) return SAP_ERROR_ARGUMENT;
    if (sap__is_busy(s)) return sap__end_call(s, SAP_ERROR_BUSY);
    if (sap__length(s->record) == 0) {
        sap__set_length(s->created, 0);
        sap__set_length(s->deleted, 0);
        s->swaps = s->tests = 0;
        s->settled_by = SAP_METHOD_AUTO;
        return sap__end_call(s, SAP_OK);
    }
    return sap__end_call(s, sap__settle(s));
}

/* The callbacks of an update that went well. */
static int sap__report_pairs(sap_world *s, sap_create_pair *create, sap_delete_pair *del, void *user) {
    int i, n, first;
    s->in_callback++;
    n = sap__length(s->deleted);
    for (i = 0; i < n && del; i++) del(&s->deleted[i], user);
    n = sap__length(s->created);
    first = sap__length(s->pairs) - n; /* new pairs are the last */
    for (i = 0; i < n && create; i++) {
        void *data = create(&s->created[i], user);
        s->created[i].user_data = s->pairs[first + i].user_data = data;
    }
    s->in_callback--;
    s->last_error = SAP_OK;
    return sap__length(s->pairs);
}

SAP_DEF int sap_dump_pairs(sap_world *s, sap_create_pair *create, sap_delete_pair *del, void *user) {
    sap_result r = sap_update(s);
    return r == SAP_OK ? sap__report_pairs(s, create, del, user) : -(int)r;
}

/* ====================================================================================================== */
/* >> life, and what users look at                                                                          */
/* ====================================================================================================== */

SAP_DEF sap_world *sap_create(const sap_config *config) {
    sap_world *s;
    if (config && (config->axes < 0 || config->axes > 7 || config->max_boxes < 0 || config->max_pairs < 0 ||
                   config->method < SAP_METHOD_AUTO || config->method > SAP_METHOD_QUERY))
        return NULL;
    s = (sap_world *)SAP_REALLOC(NULL, sizeof *s);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    if (config) s->config = *config;
    if (s->config.axes == 0) s->config.axes = SAP_AXIS_X | SAP_AXIS_Y | SAP_AXIS_Z;
    sap__axes_used(s->config.axes, s->used);
    s->kernel = sap__best_kernel();
    s->standing.only_asked = 1;
    s->order_from = SAP__ORDER_FROM;
    s->patience = SAP__PATIENCE;
    return s;
}

/* All that a world holds, but not the world. */
static void sap__free_all(sap_world *s) {
    int k;
    sap__strips_free(&s->moving);
    sap__strips_free(&s->standing);
    sap__tree_free(s);
    sap__free_array(&s->now);
    sap__free_array(&s->was);
    sap__free_array(&s->slots);
    sap__free_array(&s->state);
    sap__free_array(&s->link);
    sap__free_array(&s->record);
    sap__free_array(&s->pairs);
    sap__free_array(&s->created);
    sap__free_array(&s->deleted);
    sap__free_array(&s->links);
    sap__free_array(&s->chain);
    sap__free_array(&s->buckets);
    for (k = 0; k < 3; k++) sap__free_array(&s->ends[k]);
    sap__free_array(&s->found);
    sap__free_array(&s->lost);
    sap__free_array(&s->items);
    sap__free_array(&s->tmp);
    sap__free_array(&s->list);
    sap__free_array(&s->filed);
}

SAP_DEF void sap_destroy(sap_world *s) {
    if (!s) return;
    if (sap__is_busy(s)) {
        s->last_error = SAP_ERROR_BUSY;
        return;
    }
    sap__free_all(s);
    SAP_FREE(s);
}

SAP_DEF sap_result sap_reserve(sap_world *s, int boxes, int pairs) {
    int k, ends, items;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (sap__is_busy(s)) return sap__end_call(s, SAP_ERROR_BUSY);
    if (boxes < 0 || pairs < 0) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (boxes > SAP__MAX_BOXES) return sap__end_call(s, SAP_ERROR_LIMIT);
    if (boxes) boxes = boxes < SAP__MAX_BOXES - SAP__RESTING - 1 ? boxes + SAP__RESTING + 1 : SAP__MAX_BOXES;
    ends = 2 * boxes + 2;
    items = ends > pairs ? ends : pairs;
    if (!sap__room_for_boxes(s, boxes) || !sap__room_for_pairs(s, pairs, pairs, pairs) ||
        !sap__room(&s->found, (long long)pairs + SAP__MOST_FOUND) || !sap__room(&s->lost, pairs) ||
        !sap__room(&s->items, items) || !sap__room(&s->tmp, items) || !sap__room(&s->list, boxes) ||
        !sap__room(&s->filed, boxes) || !sap__tree_reserve(s, boxes) || !sap__strips_reserve(&s->moving, boxes) ||
        !sap__strips_reserve(&s->standing, boxes))
        return sap__end_call(s, SAP_ERROR_MEMORY);
    for (k = 0; k < 3; k++)
        if ((s->config.axes >> k & 1) && !sap__room(&s->ends[k], ends)) return sap__end_call(s, SAP_ERROR_MEMORY);
    return sap__end_call(s, SAP_OK);
}

SAP_DEF sap_result sap_last_error(const sap_world *s) {
    return s ? s->last_error : SAP_ERROR_ARGUMENT;
}

SAP_DEF const char *sap_result_text(sap_result r) {
    switch ((int)r) {
    case SAP_OK: return "All is well.";
    case SAP_ERROR_BOX: return "A box has a NaN bound, or a min above its max, on a used axis: give min <= max.";
    case SAP_ERROR_ID: return "The id names no box: it is 0, was never given out, or its box has been removed.";
    case SAP_ERROR_MEMORY: return "The allocator returned NULL: free some memory and make the call again.";
    case SAP_ERROR_LIMIT: return "A limit is reached: raise config.max_boxes or config.max_pairs, or remove boxes.";
    case SAP_ERROR_ARGUMENT: return "An argument is null, negative, not finite or contradicts another: see the call.";
    case SAP_ERROR_BUSY: return "Not from inside a callback: make this call when sap_dump_pairs or the query is over.";
    case SAP_ERROR_SNAPSHOT: return "The buffer is no snapshot of this version, or it is damaged: save it again.";
    default: return "This is no sap_result.";
    }
}

static const sap_pair *sap__array(sap_pair *array, int *count) {
    if (count) *count = sap__length(array);
    return array;
}

SAP_DEF const sap_pair *sap_created(const sap_world *s, int *count) {
    return sap__array(s ? s->created : NULL, count);
}

SAP_DEF const sap_pair *sap_deleted(const sap_world *s, int *count) {
    return sap__array(s ? s->deleted : NULL, count);
}

SAP_DEF const sap_pair *sap_pairs(const sap_world *s, int *count) {
    return sap__array(s ? s->pairs : NULL, count);
}

/* Live, or removed since the last update: its pairs may be asked for. */
static int sap__is_known_id(const sap_world *s, sap_id id) {
    uint32_t slot = sap__slot_of(id);
    return slot < (uint32_t)sap__length(s->slots) && (s->state[slot] & (SAP__LIVE | SAP__REMOVED)) &&
           sap__id_of(s, slot) == id;
}

SAP_DEF const sap_pair *sap_find_pair(const sap_world *s, sap_id a, sap_id b) {
    uint32_t p;
    if (!s || !sap__is_known_id(s, a) || !sap__is_known_id(s, b)) return NULL;
    sap__link_for_look(s, SAP__CHAINS);
    p = sap__find(s, a, b);
    return p == SAP__NONE ? NULL : &s->pairs[p];
}

SAP_DEF sap_result sap_set_pair_data(sap_world *s, sap_id a, sap_id b, void *user_data) {
    uint32_t p;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (s->in_filter) return sap__end_call(s, SAP_ERROR_BUSY);
    if (!sap__is_known_id(s, a) || !sap__is_known_id(s, b)) return sap__end_call(s, SAP_ERROR_ID);
    sap__link_for_look(s, SAP__CHAINS);
    p = sap__find(s, a, b);
    if (p == SAP__NONE) return sap__end_call(s, SAP_ERROR_ID);
    s->pairs[p].user_data = user_data;
    return sap__end_call(s, SAP_OK);
}

/* The i-th id sinks to its place in a heap with the largest one on top. */
static void sap__sift_down(sap_id *heap, int n, int i) {
    sap_id id = heap[i];
    for (;;) {
        int child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= id) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = id;
}

/* others is such a heap while it fills, then sorted: no memory, and an order that depends on nothing but the set. */
SAP_DEF int sap_pairs_of(const sap_world *s, sap_id id, sap_id *others, int capacity) {
    uint32_t place;
    int count = 0, n = 0, i;
    if (!s || capacity < 0 || (capacity && !others)) return -SAP_ERROR_ARGUMENT;
    if (!sap__is_known_id(s, id)) return -SAP_ERROR_ID;
    sap__link_for_look(s, SAP__LISTS);
    for (place = s->link[sap__slot_of(id)]; place != SAP__NONE; place = s->links[place >> 1].next[place & 1]) {
        const sap_pair *pair = &s->pairs[place >> 1];
        sap_id other = place & 1 ? pair->id0 : pair->id1;
        count++;
        if (n < capacity) {
            others[n++] = other;
            if (n == capacity)
                for (i = n / 2 - 1; i >= 0; i--) sap__sift_down(others, n, i);
        } else if (n && other < others[0]) {
            others[0] = other;
            sap__sift_down(others, n, 0);
        }
    }
    if (n < capacity)
        for (i = n / 2 - 1; i >= 0; i--) sap__sift_down(others, n, i);
    for (i = n - 1; i > 0; i--) {
        sap_id top = others[0];
        others[0] = others[i];
        others[i] = top;
        sap__sift_down(others, i, 0);
    }
    return count;
}

SAP_DEF int sap_count(const sap_world *s) {
    return s ? s->live : 0;
}

SAP_DEF int sap_is_valid(const sap_world *s, sap_id id) {
    return s ? sap__live_slot(s, id) != SAP__NONE : 0;
}

SAP_DEF sap_result sap_get_box(const sap_world *s, sap_id id, sap_aabb *box) {
    uint32_t slot;
    if (!s || !box) return SAP_ERROR_ARGUMENT;
    slot = sap__live_slot(s, id);
    if (slot == SAP__NONE) return SAP_ERROR_ID;
    sap__decode(sap__recorded_box(s, slot), box);
    return SAP_OK;
}

SAP_DEF void *sap_get_object(const sap_world *s, sap_id id) {
    uint32_t slot = s ? sap__live_slot(s, id) : SAP__NONE;
    return slot == SAP__NONE ? NULL : s->slots[slot].object;
}

static size_t sap__all_bytes(const sap_world *s) {
    size_t bytes = sizeof *s + sap__tree_bytes(s) + sap__strips_bytes(&s->moving) + sap__strips_bytes(&s->standing) +
                   sap__bytes_of(s->now) + sap__bytes_of(s->was) + sap__bytes_of(s->slots) + sap__bytes_of(s->state) +
                   sap__bytes_of(s->link) + sap__bytes_of(s->record) + sap__bytes_of(s->pairs) +
                   sap__bytes_of(s->created) + sap__bytes_of(s->deleted) + sap__bytes_of(s->links) +
                   sap__bytes_of(s->chain) + sap__bytes_of(s->buckets) + sap__bytes_of(s->found) +
                   sap__bytes_of(s->lost) + sap__bytes_of(s->items) + sap__bytes_of(s->tmp) +
                   sap__bytes_of(s->list == s->record ? s->own_list : s->list) + sap__bytes_of(s->filed);
    int k;
    for (k = 0; k < 3; k++) bytes += sap__bytes_of(s->ends[k]);
    return bytes;
}

SAP_DEF void sap_get_stats(const sap_world *s, sap_stats *stats) {
    if (!stats) return;
    memset(stats, 0, sizeof *stats);
    if (!s) return;
    stats->boxes = s->live;
    stats->static_boxes = s->live_static;
    stats->pairs = sap__length(s->pairs);
    stats->created = sap__length(s->created);
    stats->deleted = sap__length(s->deleted);
    stats->swaps = s->swaps;
    stats->overlap_tests = s->tests;
    stats->bytes = sap__all_bytes(s);
    stats->method = s->settled_by;
}

/* For tests: SAP__KERNEL_SCALAR and so on; 0 if this build or machine lacks it. */
SAP__UNUSED static int sap__use_kernel(sap_world *s, int which) {
    sap__kernel kernel;
    if (!sap__get_kernel(which, &kernel)) return 0;
    s->kernel = kernel;
    return 1;
}

/* ====================================================================================================== */
/* >> queries                                                                                               */
/* ====================================================================================================== */

/* Every query is a walk through the tree that prunes what surely is no hit, and asks one fixed expression for each
   box that remains: no answer depends on the tree. The expressions take floats by their bits into doubles, where
   their differences and products neither overflow nor vanish. */

/* Finite on every used axis? Copies the used ones, 0 elsewhere. */
static int sap__read_vector(const sap_world *s, const float v[3], float out[3]) {
    int k, good = 1;
    for (k = 0; k < 3; k++) {
        int used = s->config.axes >> k & 1;
        out[k] = used ? v[k] : 0.0f;
        good &= sap__is_finite(out[k]);
    }
    return good;
}

/* Newton's, from half the exponent: four steps reach the last bits of a double. The library needs no libm. */
static double sap__sqrt(double v) {
    uint64_t u;
    double root;
    int i;
    if (!(v > 0) || v > 1e300) return v;
    memcpy(&u, &v, sizeof u);
    u = (u >> 1) + (UINT64_C(1023) << 51);
    memcpy(&root, &u, sizeof root);
    for (i = 0; i < 4; i++) root = 0.5 * (root + v / root);
    return root;
}

/* One box's answer to each kind of query. */
static int sap__meets(const sap_aabb *box, const sap__box *other) {
    int k, yes = 1;
    for (k = 0; k < 3; k++)
        yes &= (int)(sap__key(box->min[k]) <= other->hi[k]) & (int)(sap__key(box->max[k]) >= other->lo[k]);
    return yes;
}

static double sap__distance2(const sap_aabb *box, const float point[3]) {
    double d2 = 0;
    int k;
    for (k = 0; k < 3; k++) {
        int32_t key = sap__key(point[k]);
        double d = 0;
        if (key < sap__key(box->min[k])) d = sap__double(box->min[k]) - sap__double(point[k]);
        if (key > sap__key(box->max[k])) d = sap__double(point[k]) - sap__double(box->max[k]);
        d2 += d * d;
    }
    return d2;
}

/* When a box [lo, hi] moving by translation first touches the other within t 0..1; above 1 if it never does. */
static float sap__cast(const sap_aabb *box, const float lo[3], const float hi[3], const float translation[3]) {
    double enter = 0, leave = 1;
    int k;
    for (k = 0; k < 3; k++) {
        double t0, t1;
        if (sap__key(translation[k]) == 0) {
            if (sap__key(hi[k]) < sap__key(box->min[k]) || sap__key(lo[k]) > sap__key(box->max[k])) return 2.0f;
            continue;
        }
        t0 = (sap__double(box->min[k]) - sap__double(hi[k])) / sap__double(translation[k]);
        t1 = (sap__double(box->max[k]) - sap__double(lo[k])) / sap__double(translation[k]);
        if (sap__key(translation[k]) < 0) {
            double swap = t0;
            t0 = t1;
            t1 = swap;
        }
        if (t0 > enter) enter = t0;
        if (t1 < leave) leave = t1;
    }
    return enter <= leave ? (float)enter : 2.0f;
}

/* ---- a query ------------------------------------------------------------------------------------------------ */

enum { SAP__QUERY_BOX, SAP__QUERY_SPHERE, SAP__QUERY_CAST, SAP__QUERY_CLOSEST, SAP__QUERY_NEAREST };

typedef struct sap__query {
    sap_world *s;
    int kind, known, gate; /* known: so many dirty boxes at the start are asked one by one */
    uint32_t mask;
    sap_hit *hit;
    sap_ray_hit *ray_hit;
    void *user;
    sap__box box;       /* box: by keys */
    int is_plain;       /* box: no bound is 0 or a denormal, so what a leaf answers is exact on any machine */
    float lo[3], hi[3]; /* sphere, nearest: the point; casts: the box that is cast */
    float translation[3];
    float end;   /* casts: hits are not beyond */
    double end2; /* sphere, nearest: the same, squared */
    sap__probe probe;
    int count;
    sap_id id; /* closest, nearest: the best one */
} sap__query;

/* A bound for floats that no rounding of theirs, and no denormal taken for zero, makes too small. */
static void sap__set_limit(sap__query *q) {
    if (q->kind == SAP__QUERY_SPHERE || q->kind == SAP__QUERY_NEAREST) {
        double limit = q->end2 * 1.00001 + 1e-36;
        q->probe.limit = limit < 1e38 ? (float)limit : sap__float(SAP__INFINITY);
    } else
        q->probe.limit = q->end * 1.00001f + SAP__TINY;
}

/* The slab test is used where it is sound: nothing overflows, and no reciprocal vanishes. An axis on which the cast
   stands still, creeps, or goes beyond all measure gets the interval that it sweeps there, somewhat widened, as an
   origin and a translation that is next to nothing: t is then below 0 or above 1, and decides as an overlap does. */
static void sap__set_slab(sap__query *q, int k) {
    sap__probe *p = &q->probe;
    float d = q->translation[k], size = d < 0 ? -d : d;
    int back = sap__key(d) < 0;
    p->near_side[k] = back ? 3 + k : k;
    p->far_side[k] = back ? k : 3 + k;
    if (size > 1e-18f && size < 1e36f) {
        double by = 1.0 / (double)d;
        p->near_by[k] = (float)(by * 0.99999);
        p->far_by[k] = (float)(by * 1.00001);
        p->near_from[k] = back ? q->lo[k] : q->hi[k];
        p->far_from[k] = back ? q->hi[k] : q->lo[k];
    } else {
        double from = sap__double(q->lo[k]), to = sap__double(q->hi[k]), way = sap__double(d);
        if (back)
            from += way;
        else
            to += way;
        way = back ? -way : way;
        from -= (from < 0 ? -from : from) * 1e-6 + way * 1e-6 + 1e-30;
        to += (to < 0 ? -to : to) * 1e-6 + way * 1e-6 + 1e-30;
        p->near_side[k] = k;
        p->far_side[k] = 3 + k;
        p->near_from[k] = to < 3.4e38 ? (float)to : sap__float(SAP__INFINITY);
        p->far_from[k] = from > -3.4e38 ? (float)from : sap__float(-SAP__INFINITY);
        p->near_by[k] = p->far_by[k] = 8e37f;
    }
}

/* The tree comes in step, unless a query is in progress that must find it as it was: then what is dirty is asked
   by itself. A tree in step is only read. */
static sap_result sap__query_begin(sap__query *q, sap_world *s, int kind, uint32_t mask) {
    const sap__tree *t = s->tree;
    if (s->in_filter) return SAP_ERROR_BUSY;
    if (!(t && t->ready && sap__length(t->dirty) == 0) && !sap__walking(s)) {
        sap_result r = sap__tree_sync(s);
        if (r != SAP_OK) return r;
    }
    q->s = s;
    q->kind = kind;
    q->mask = mask;
    q->hit = NULL;
    q->ray_hit = NULL;
    q->known = sap__length(s->tree->dirty);
    q->count = 0;
    q->id = 0;
    q->is_plain = 0;
    q->end = 1.0f;
    q->end2 = 0;
    return SAP_OK;
}

/* Is a box in the tree to be visited? Not if it is asked by itself, or was removed meanwhile. */
SAP__INLINE int sap__is_wanted(const sap__query *q, sap_id id) {
    const sap_world *s = q->s;
    uint32_t slot = sap__slot_of(id), place;
    if (!(s->slots[slot].category & q->mask)) return 0;
    if (sap__length(s->tree->dirty) == 0) return 1;
    place = s->tree->place[slot];
    if ((place & SAP__DIRTY) && (int)(place & ~SAP__DIRTY) < q->known) return 0;
    return (s->state[slot] & SAP__LIVE) != 0;
}

/* 0 stops. */
SAP__INLINE int sap__query_hit(sap__query *q, sap_id id) {
    q->count++;
    return !q->hit || q->hit(id, q->s->slots[sap__slot_of(id)].object, q->user);
}

static int sap__query_ask(sap__query *q, const sap_aabb *box, sap_id id) {
    if (q->kind == SAP__QUERY_BOX) {
        return sap__meets(box, &q->box) ? sap__query_hit(q, id) : 1;
    } else if (q->kind == SAP__QUERY_SPHERE) {
        return sap__distance2(box, q->lo) <= q->end2 ? sap__query_hit(q, id) : 1;
    } else if (q->kind == SAP__QUERY_NEAREST) {
        double d2 = sap__distance2(box, q->lo);
        if (!(d2 <= q->end2) || (d2 == q->end2 && q->id && id > q->id)) return 1;
        q->end2 = d2;
    } else {
        float t = sap__cast(box, q->lo, q->hi, q->translation);
        if (!(t <= q->end) || (q->kind == SAP__QUERY_CLOSEST && t == q->end && q->id && id > q->id)) return 1;
        if (q->kind == SAP__QUERY_CAST) {
            q->count++;
            if (!q->ray_hit) return 1;
            t = q->ray_hit(id, q->s->slots[sap__slot_of(id)].object, t, q->user);
            if (!sap__is_number(t) || !(t > 0)) return 0;
            if (!(t < q->end)) return 1;
        }
        q->end = t;
    }
    q->id = id;
    sap__set_limit(q);
    return 1;
}

/* What is dirty and was before this query, by itself. */
static int sap__query_dirty(sap__query *q) {
    int i;
    for (i = 0; i < q->known; i++) {
        const sap_world *s = q->s;
        uint32_t slot = s->tree->dirty[i].slot;
        sap_aabb box;
        if (!(s->state[slot] & SAP__LIVE) || !(s->slots[slot].category & q->mask)) continue;
        sap__decode(sap__recorded_box(s, slot), &box);
        if (!sap__query_ask(q, &box, sap__id_of(s, slot))) return 0;
    }
    return 1;
}

/* A node still to be entered; near as its parent knew it. */
typedef struct sap__entry {
    uint32_t node;
    float near;
} sap__entry;

/* All four lines of a node that will wait for longer than memory takes to answer: a tenth to a sixth of a query. */
SAP__INLINE void sap__prefetch_node(const sap__node *n) {
#if defined(__GNUC__) || defined(__clang__)
    int k;
    for (k = 0; k < 6; k += 2) __builtin_prefetch(n->bound[k]);
    __builtin_prefetch(n->child);
#else
    (void)n;
#endif
}

/* Depth first; what looks for the best goes to near children first. On each level at most seven brothers of a node
   wait, so the stack has room for a walk through any tree. During a query no node is written or moved. */
static void sap__query_tree(sap__query *q) {
    sap__entry stack[SAP__STACK];
    const sap__node *nodes = q->s->tree->nodes;
    const int is_round = q->kind == SAP__QUERY_SPHERE || q->kind == SAP__QUERY_NEAREST;
    const int what = is_round ? SAP__ASK_SPHERE : q->kind == SAP__QUERY_BOX ? SAP__ASK_BOX : SAP__ASK_RAY;
    const int is_ordered = q->kind >= SAP__QUERY_CLOSEST;
    uint32_t (*ask)(const sap__node *, const sap__probe *, float *) = q->s->kernel.ask[what];
    int top = 1;
    stack[0].node = q->s->tree->root;
    stack[0].near = 0;
    while (top) {
        float near[SAP__ARITY];
        const sap__node *n = &nodes[stack[--top].node];
        uint32_t mask;
        int bottom = top;
        if (is_ordered && stack[top].near > q->probe.limit) continue;
        for (mask = ask(n, &q->probe, near); mask; mask &= mask - 1) {
            int lane = sap__lowest_bit(mask);
            if (n->height == 0) {
                sap_aabb box;
                int k;
                if (!sap__is_wanted(q, n->child[lane])) continue;
                if (q->is_plain) {
                    if (!sap__query_hit(q, n->child[lane])) return;
                    continue;
                }
                for (k = 0; k < 3; k++) box.min[k] = n->bound[k][lane], box.max[k] = n->bound[3 + k][lane];
                if (!sap__query_ask(q, &box, n->child[lane])) return;
            } else {
                int i = top++;
                sap__prefetch_node(&nodes[n->child[lane]]);
                for (; is_ordered && i > bottom && stack[i - 1].near < near[lane]; i--) stack[i] = stack[i - 1];
                stack[i].node = n->child[lane];
                stack[i].near = near[lane];
            }
        }
    }
}

/* While there is a callback the world is busy: it counts at the gate of this stack. */
static int sap__query_run(sap__query *q) {
    sap__set_limit(q);
    if (q->hit || q->ray_hit) {
        q->gate = (int)((uint32_t)((uintptr_t)q >> 12) * 2654435769u >> 29) % SAP__GATES;
        sap__atomic_add(&q->s->tree->gates[q->gate].queries, 1);
    }
    if (sap__query_dirty(q)) sap__query_tree(q);
    if (q->hit || q->ray_hit) sap__atomic_add(&q->s->tree->gates[q->gate].queries, -1);
    return q->count;
}

/* ---- the queries ---------------------------------------------------------------------------------------------- */

SAP_DEF sap_result sap_prepare_queries(sap_world *s) {
    if (!s) return SAP_ERROR_ARGUMENT;
    if (sap__is_busy(s)) return sap__end_call(s, SAP_ERROR_BUSY);
    if (s->tree && s->tree->ready && sap__length(s->tree->dirty) == 0) return sap__end_call(s, SAP_OK);
    return sap__end_call(s, sap__tree_sync(s));
}

static int sap__visit_box(sap_world *s, const sap__box *box, uint32_t mask, sap_hit *hit, void *user) {
    sap__query q;
    sap_result r = sap__query_begin(&q, s, SAP__QUERY_BOX, mask);
    int k;
    if (r != SAP_OK) return -(int)r;
    q.box = *box;
    q.is_plain = 1;
    for (k = 0; k < 3; k++) {
        q.probe.lo[k] = sap__float(box->lo[k]);
        q.probe.hi[k] = sap__float(box->hi[k]);
        if (s->used[k]) /* 0 and denormals */
            q.is_plain &= (sap__bits(q.probe.lo[k]) & 0x7f800000u) && (sap__bits(q.probe.hi[k]) & 0x7f800000u);
    }
    q.hit = hit;
    q.user = user;
    return sap__query_run(&q);
}

SAP_DEF int sap_query_box(sap_world *s, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user) {
    sap__box encoded;
    if (!s || !box) return -SAP_ERROR_ARGUMENT;
    if (!sap__encode(box, s->used, &encoded)) return -SAP_ERROR_BOX;
    return sap__visit_box(s, &encoded, mask, hit, user);
}

SAP_DEF int sap_query_point(sap_world *s, const float point[3], uint32_t mask, sap_hit *hit, void *user) {
    sap__box box;
    float p[3];
    int k;
    if (!s || !point || !sap__read_vector(s, point, p)) return -SAP_ERROR_ARGUMENT;
    for (k = 0; k < 3; k++) box.lo[k] = box.hi[k] = sap__key(p[k]);
    return sap__visit_box(s, &box, mask, hit, user);
}

/* An infinite radius meets every box, also one infinitely far. */
static void sap__set_point(sap__query *q, const float point[3], float radius) {
    int k;
    for (k = 0; k < 3; k++) q->lo[k] = q->probe.lo[k] = point[k];
    q->end2 = sap__double(radius) * sap__double(radius);
}

SAP_DEF int sap_query_sphere(sap_world *s, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                             void *user) {
    sap__query q;
    sap_result r;
    float c[3];
    if (!s || !center || !sap__read_vector(s, center, c) || !sap__is_number(radius) || sap__key(radius) < 0)
        return -SAP_ERROR_ARGUMENT;
    r = sap__query_begin(&q, s, SAP__QUERY_SPHERE, mask);
    if (r != SAP_OK) return -(int)r;
    sap__set_point(&q, c, radius);
    q.hit = hit;
    q.user = user;
    return sap__query_run(&q);
}

static void sap__set_cast(sap__query *q, const float lo[3], const float hi[3], const float translation[3]) {
    int k;
    for (k = 0; k < 3; k++) {
        q->lo[k] = lo[k];
        q->hi[k] = hi[k];
        q->translation[k] = translation[k];
        sap__set_slab(q, k);
    }
}

static int sap__visit_cast(sap_world *s, const float lo[3], const float hi[3], const float translation[3],
                           uint32_t mask, sap_ray_hit *hit, void *user) {
    sap__query q;
    sap_result r = sap__query_begin(&q, s, SAP__QUERY_CAST, mask);
    if (r != SAP_OK) return -(int)r;
    sap__set_cast(&q, lo, hi, translation);
    q.ray_hit = hit;
    q.user = user;
    return sap__query_run(&q);
}

SAP_DEF int sap_ray_cast(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                         sap_ray_hit *hit, void *user) {
    float o[3], d[3];
    if (!s || !origin || !translation || !sap__read_vector(s, origin, o) || !sap__read_vector(s, translation, d))
        return -SAP_ERROR_ARGUMENT;
    return sap__visit_cast(s, o, o, d, mask, hit, user);
}

SAP_DEF int sap_box_cast(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask, sap_ray_hit *hit,
                         void *user) {
    float lo[3], hi[3], d[3];
    sap__box encoded;
    if (!s || !box || !translation) return -SAP_ERROR_ARGUMENT;
    if (!sap__encode(box, s->used, &encoded) || !sap__read_vector(s, box->min, lo) ||
        !sap__read_vector(s, box->max, hi))
        return -SAP_ERROR_BOX;
    if (!sap__read_vector(s, translation, d)) return -SAP_ERROR_ARGUMENT;
    return sap__visit_cast(s, lo, hi, d, mask, hit, user);
}

SAP_DEF sap_id sap_ray_closest(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                               float *t) {
    sap__query q;
    float o[3], d[3];
    if (t) *t = -1.0f;
    if (!s || !origin || !translation || !sap__read_vector(s, origin, o) || !sap__read_vector(s, translation, d))
        return 0;
    if (sap__query_begin(&q, s, SAP__QUERY_CLOSEST, mask) != SAP_OK) return 0;
    sap__set_cast(&q, o, o, d);
    (void)sap__query_run(&q);
    if (t) *t = q.end;
    return q.id;
}

SAP_DEF sap_id sap_nearest(sap_world *s, const float point[3], float max_distance, uint32_t mask, float *distance) {
    sap__query q;
    float p[3];
    if (distance) *distance = -1.0f;
    if (!s || !point || !sap__read_vector(s, point, p) || !sap__is_number(max_distance) || sap__key(max_distance) < 0)
        return 0;
    if (sap__query_begin(&q, s, SAP__QUERY_NEAREST, mask) != SAP_OK) return 0;
    sap__set_point(&q, p, max_distance);
    (void)sap__query_run(&q);
    if (distance) *distance = q.id ? (float)sap__sqrt(q.end2) : max_distance;
    return q.id;
}

/* ====================================================================================================== */
/* >> state: snapshots                                                                                      */
/* ====================================================================================================== */

/* The logical state and nothing else: no index, of the config only the axes. Little endian on every machine, and the
   same bytes for the same calls:

       header    magic, version, kind, axes, slots, free, removed, recorded, pairs, 0, check (two words)
       slots     state, now (6), was (6), object (2 words), category, mask           17 words each
       queues    free slots, removed slots, recorded slots, each in order             1 word each
       pairs     id0, id1, user_data (2 words)                                        4 words each

   check is a hash of all other words: it finds damage. What a hostile buffer with the right hash says is looked
   through before anything is touched. */
enum {
    SAP__MAGIC = 0x53504153, /* "SAPS" */
    SAP__SNAPSHOT_VERSION = 1,
    SAP__HEADER_WORDS = 12,
    SAP__SLOT_WORDS = 17,
    SAP__PAIR_WORDS = 4
};

static void sap__put32(unsigned char **p, uint32_t v) {
    (*p)[0] = (unsigned char)v;
    (*p)[1] = (unsigned char)(v >> 8);
    (*p)[2] = (unsigned char)(v >> 16);
    (*p)[3] = (unsigned char)(v >> 24);
    *p += 4;
}

static void sap__put_pointer(unsigned char **p, const void *pointer) {
    uint64_t v = (uint64_t)(uintptr_t)pointer;
    sap__put32(p, (uint32_t)v);
    sap__put32(p, (uint32_t)(v >> 32));
}

static uint32_t sap__get32(const unsigned char *p, uint64_t word) {
    p += 4 * (size_t)word;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* 0 if it does not fit this machine's pointers. */
static int sap__get_pointer(const unsigned char *p, uint64_t word, void **pointer) {
    uint64_t v = sap__get32(p, word) | (uint64_t)sap__get32(p, word + 1) << 32;
    *pointer = (void *)(uintptr_t)v;
    return (uint64_t)(uintptr_t)v == v;
}

static void sap__read_box(const unsigned char *p, uint64_t word, sap__box *box) {
    uint64_t k;
    for (k = 0; k < 3; k++) {
        box->lo[k] = (int32_t)sap__get32(p, word + k);
        box->hi[k] = (int32_t)sap__get32(p, word + 3 + k);
    }
}

static void sap__write_box(unsigned char **p, const sap__box *box) {
    int k;
    for (k = 0; k < 3; k++) sap__put32(p, (uint32_t)box->lo[k]);
    for (k = 0; k < 3; k++) sap__put32(p, (uint32_t)box->hi[k]);
}

/* Of all words but the two of the hash itself. */
static uint64_t sap__check(const unsigned char *p, uint64_t words) {
    uint64_t hash = words, i;
    for (i = 0; i < words; i++) {
        if (i == SAP__HEADER_WORDS - 2) i += 2;
        if (i >= words) break;
        hash = (hash ^ sap__get32(p, i)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static uint64_t sap__snapshot_words(uint64_t slots, uint64_t queued, uint64_t pairs) {
    return SAP__HEADER_WORDS + SAP__SLOT_WORDS * slots + queued + SAP__PAIR_WORDS * pairs;
}

SAP_DEF size_t sap_snapshot_size(const sap_world *s) {
    if (!s) return 0;
    return (size_t)(4 * sap__snapshot_words((uint64_t)sap__length(s->slots),
                                            (uint64_t)s->free.count + (uint64_t)s->removed.count +
                                                (uint64_t)sap__length(s->record),
                                            (uint64_t)sap__length(s->pairs)));
}

static void sap__put_queue(unsigned char **p, const sap_world *s, const sap__queue *queue) {
    uint32_t slot = queue->first;
    int i;
    for (i = 0; i < queue->count; i++, slot = s->slots[slot].mask) sap__put32(p, slot);
}

SAP_DEF sap_result sap_save(const sap_world *s, void *buffer, size_t size) {
    unsigned char *p = (unsigned char *)buffer, *check;
    uint32_t slot, i, slots, pairs;
    uint64_t hash;
    if (!s || !buffer || size < sap_snapshot_size(s)) return SAP_ERROR_ARGUMENT;
    if (sap__is_busy(s)) return SAP_ERROR_BUSY;
    slots = (uint32_t)sap__length(s->slots);
    pairs = (uint32_t)sap__length(s->pairs);
    sap__put32(&p, SAP__MAGIC);
    sap__put32(&p, SAP__SNAPSHOT_VERSION);
    sap__put32(&p, 0);
    sap__put32(&p, (uint32_t)s->config.axes);
    sap__put32(&p, slots);
    sap__put32(&p, (uint32_t)s->free.count);
    sap__put32(&p, (uint32_t)s->removed.count);
    sap__put32(&p, (uint32_t)sap__length(s->record));
    sap__put32(&p, pairs);
    sap__put32(&p, 0);
    check = p;
    p += 8;
    for (slot = 0; slot < slots; slot++) {
        int is_free = (s->state[slot] & SAP__FLAGS) == 0; /* what it holds is of no world; the queue is below */
        sap__put32(&p, s->state[slot]);
        sap__write_box(&p, s->state[slot] & SAP__LIVE ? sap__recorded_box(s, slot) : &sap__nowhere);
        sap__write_box(&p, is_free ? &sap__nowhere : &s->was[slot]);
        sap__put_pointer(&p, is_free ? NULL : s->slots[slot].object);
        sap__put32(&p, is_free ? 0 : s->slots[slot].category);
        sap__put32(&p, is_free ? 0 : s->slots[slot].mask);
    }
    sap__put_queue(&p, s, &s->free);
    sap__put_queue(&p, s, &s->removed);
    for (i = 0; i < (uint32_t)sap__length(s->record); i++) sap__put32(&p, s->record[i]);
    for (i = 0; i < pairs; i++) {
        sap__put32(&p, s->pairs[i].id0);
        sap__put32(&p, s->pairs[i].id1);
        sap__put_pointer(&p, s->pairs[i].user_data);
    }
    hash = sap__check((const unsigned char *)buffer, (uint64_t)(p - (unsigned char *)buffer) / 4);
    sap__put32(&check, (uint32_t)hash);
    sap__put32(&check, (uint32_t)(hash >> 32));
    return SAP_OK;
}

/* A box of the snapshot that a live slot may have. */
static int sap__is_good_box(const sap_world *s, const sap__box *box) {
    int k, good = 1;
    for (k = 0; k < 3; k++)
        good &= (box->lo[k] <= box->hi[k]) & (box->lo[k] >= -SAP__INFINITY) & (box->hi[k] <= SAP__INFINITY) &
                (((box->lo[k] | box->hi[k]) & ~s->used[k]) == 0);
    return good;
}

/* May a slot be in this state, with these boxes? */
static int sap__is_good_slot(const sap_world *s, uint32_t state, const sap__box *now, const sap__box *was) {
    int live = (state & SAP__LIVE) != 0, removed = (state & SAP__REMOVED) != 0, added = (state & SAP__ADDED) != 0;
    uint32_t known = SAP__LIVE | SAP__STATIC | SAP__RECORDED | SAP__ADDED | SAP__REMOVED | SAP__FRESH;
    if ((state & 0x00ffffffu & ~known) || (live && removed)) return 0;
    if (!live && !removed) return (state & SAP__FLAGS) == 0;
    if (!(state & SAP__RECORDED) && (added || removed || (state & SAP__FRESH) || !sap__same(now, was))) return 0;
    if (live ? !sap__is_good_box(s, now) : !sap__same(now, &sap__nowhere)) return 0;
    return added ? sap__same(was, &sap__nowhere) : sap__is_good_box(s, was);
}

/* A queue must hold each slot that has the flag (free: no flag at all) once. seen is scratch, by slot. */
static int sap__is_good_queue(const unsigned char *p, uint32_t slots, uint64_t word, uint32_t count, uint32_t flag,
                              uint32_t *seen) {
    uint32_t i, of = 0;
    for (i = 0; i < slots; i++) {
        uint32_t state = sap__get32(p, SAP__HEADER_WORDS + SAP__SLOT_WORDS * (uint64_t)i);
        seen[i] = flag ? (state & flag) == 0 : (state & SAP__FLAGS) != 0;
        of += !seen[i];
    }
    if (of != count) return 0;
    for (i = 0; i < count; i++) {
        uint32_t slot = sap__get32(p, word + i);
        if (slot >= slots || seen[slot]++) return 0;
    }
    return 1;
}

/* The slot that an id of the snapshot names, if it had a box at the last update there; else SAP__NONE. */
static uint32_t sap__saved_slot(const unsigned char *p, uint32_t slots, sap_id id) {
    uint32_t slot = sap__slot_of(id), state;
    if (slot >= slots) return SAP__NONE;
    state = sap__get32(p, SAP__HEADER_WORDS + SAP__SLOT_WORDS * (uint64_t)slot);
    if ((state >> 24) != (id >> 24) || !(state & (SAP__LIVE | SAP__REMOVED)) || (state & SAP__ADDED)) return SAP__NONE;
    return slot;
}

/* Pairs must name boxes that overlapped, and no two the same ones: sorted, equals are neighbours. */
static int sap__are_good_pairs(sap_world *s, const unsigned char *p, uint32_t slots, uint64_t word, uint32_t pairs) {
    uint32_t i;
    void *data;
    for (i = 0; i < pairs; i++) {
        sap_id id0 = sap__get32(p, word + SAP__PAIR_WORDS * (uint64_t)i);
        sap_id id1 = sap__get32(p, word + SAP__PAIR_WORDS * (uint64_t)i + 1);
        uint32_t a = sap__saved_slot(p, slots, id0), b = sap__saved_slot(p, slots, id1);
        uint64_t at_a = SAP__HEADER_WORDS + SAP__SLOT_WORDS * (uint64_t)a,
                 at_b = SAP__HEADER_WORDS + SAP__SLOT_WORDS * (uint64_t)b;
        sap__box was_a, was_b;
        if (id0 >= id1 || a == SAP__NONE || b == SAP__NONE) return 0;
        if (sap__get32(p, at_a) & sap__get32(p, at_b) & SAP__STATIC) return 0;
        if (!sap__get_pointer(p, word + SAP__PAIR_WORDS * (uint64_t)i + 2, &data)) return 0;
        sap__read_box(p, at_a + 7, &was_a);
        sap__read_box(p, at_b + 7, &was_b);
        if (!sap__overlap(&was_a, &was_b)) return 0;
        s->items[i] = sap__item(id0, id1);
    }
    sap__sort_pairs(s->items, s->tmp, (int)pairs);
    for (i = 1; i < pairs; i++)
        if (s->items[i] == s->items[i - 1]) return 0;
    return 1;
}

/* What a snapshot holds, and of which kinds. */
typedef struct sap__snapshot {
    const unsigned char *p;
    uint32_t slots, free_count, removed, recorded, pairs, live, live_static, fresh;
} sap__snapshot;

/* What is it, and is it whole? */
static sap_result sap__read_header(const sap_world *s, sap__snapshot *in, size_t size) {
    const unsigned char *p = in->p;
    uint64_t words;
    if (size < 4 * SAP__HEADER_WORDS || sap__get32(p, 0) != SAP__MAGIC || sap__get32(p, 1) != SAP__SNAPSHOT_VERSION ||
        sap__get32(p, 2) != 0 || sap__get32(p, 9) != 0)
        return SAP_ERROR_SNAPSHOT;
    in->slots = sap__get32(p, 4);
    in->free_count = sap__get32(p, 5);
    in->removed = sap__get32(p, 6);
    in->recorded = sap__get32(p, 7);
    in->pairs = sap__get32(p, 8);
    in->live = in->live_static = in->fresh = 0;
    words = sap__snapshot_words(in->slots, (uint64_t)in->free_count + in->removed + in->recorded, in->pairs);
    if (in->slots > SAP__MAX_BOXES || in->free_count > in->slots || in->removed > in->slots ||
        in->recorded > in->slots || in->pairs > INT_MAX || words > size / 4 ||
        sap__check(p, words) != (sap__get32(p, 10) | (uint64_t)sap__get32(p, 11) << 32))
        return SAP_ERROR_SNAPSHOT;
    return sap__get32(p, 3) == (uint32_t)s->config.axes ? SAP_OK : SAP_ERROR_ARGUMENT;
}

/* Is it a state that this world may be in? Makes room for it. */
static sap_result sap__check_state(sap_world *s, sap__snapshot *in) {
    const unsigned char *p = in->p;
    uint64_t at = SAP__HEADER_WORDS;
    uint32_t i;
    sap__box now, was;
    void *object;
    for (i = 0; i < in->slots; i++, at += SAP__SLOT_WORDS) {
        uint32_t state = sap__get32(p, at);
        sap__read_box(p, at + 1, &now);
        sap__read_box(p, at + 7, &was);
        if (!sap__is_good_slot(s, state, &now, &was) || !sap__get_pointer(p, at + 13, &object))
            return SAP_ERROR_SNAPSHOT;
        in->live += (state & SAP__LIVE) != 0;
        in->live_static += (state & SAP__LIVE) && (state & SAP__STATIC);
        in->fresh += (state & SAP__FRESH) != 0;
    }
    if ((s->config.max_boxes && in->live > (uint32_t)s->config.max_boxes) ||
        (s->config.max_pairs && in->pairs > (uint32_t)s->config.max_pairs))
        return SAP_ERROR_LIMIT;
    if (!sap__room(&s->filed, in->slots) || !sap__room(&s->items, in->pairs) || !sap__room(&s->tmp, in->pairs))
        return SAP_ERROR_MEMORY;
    if (!sap__is_good_queue(p, in->slots, at, in->free_count, 0, s->filed)) return SAP_ERROR_SNAPSHOT;
    at += in->free_count;
    if (!sap__is_good_queue(p, in->slots, at, in->removed, SAP__REMOVED, s->filed)) return SAP_ERROR_SNAPSHOT;
    at += in->removed;
    if (!sap__is_good_queue(p, in->slots, at, in->recorded, SAP__RECORDED, s->filed)) return SAP_ERROR_SNAPSHOT;
    at += in->recorded;
    if (!sap__are_good_pairs(s, p, in->slots, at, in->pairs)) return SAP_ERROR_SNAPSHOT;
    if (!sap__room_for_boxes(s, (int)in->slots) || !sap__room_for_pairs(s, (int)in->pairs, 0, 0))
        return SAP_ERROR_MEMORY;
    return SAP_OK;
}

/* Nothing can fail any more. */
static void sap__load_state(sap_world *s, const sap__snapshot *in) {
    const unsigned char *p = in->p;
    uint64_t at = SAP__HEADER_WORDS;
    uint32_t i;
    sap__set_length(s->slots, in->slots);
    sap__set_length(s->state, in->slots);
    sap__set_length(s->record, in->recorded);
    s->masked = s->mixed = s->exchanged = 0;
    for (i = 0; i < in->slots; i++, at += SAP__SLOT_WORDS) {
        s->state[i] = sap__get32(p, at);
        sap__read_box(p, at + 1, &s->now[i]);
        sap__read_box(p, at + 7, &s->was[i]);
        (void)sap__get_pointer(p, at + 13, &s->slots[i].object);
        s->slots[i].category = sap__get32(p, at + 15);
        s->slots[i].mask = sap__get32(p, at + 16);
        s->mixed |= (s->state[i] & SAP__RECORDED) && (s->state[i] & (SAP__STATIC | SAP__ADDED | SAP__REMOVED));
        if (s->state[i] & SAP__LIVE) s->masked |= s->slots[i].category != 1 || s->slots[i].mask != ~0u;
    }
    s->free.count = s->removed.count = 0;
    for (i = 0; i < in->free_count; i++, at++) sap__enqueue(s, &s->free, sap__get32(p, at));
    for (i = 0; i < in->removed; i++, at++) sap__enqueue(s, &s->removed, sap__get32(p, at));
    for (i = 0; i < in->recorded; i++, at++) s->record[i] = sap__get32(p, at);
    s->live = (int)in->live;
    s->live_static = (int)in->live_static;
    s->fresh = (int)in->fresh;
    sap__set_length(s->pairs, in->pairs);
    s->sorted_from = 0;
    for (i = 0; i < in->pairs; i++, at += SAP__PAIR_WORDS) {
        sap_pair *pair = &s->pairs[i];
        pair->id0 = sap__get32(p, at);
        pair->id1 = sap__get32(p, at + 1);
        pair->object0 = s->slots[sap__slot_of(pair->id0)].object;
        pair->object1 = s->slots[sap__slot_of(pair->id1)].object;
        (void)sap__get_pointer(p, at + 2, &pair->user_data);
        if (i && sap__pair_item(pair - 1) > sap__pair_item(pair)) s->sorted_from = (int)i;
    }
    sap__unlink_all(s);
}

SAP_DEF sap_result sap_restore(sap_world *s, const void *buffer, size_t size) {
    sap__snapshot in;
    sap_result r;
    if (!s) return SAP_ERROR_ARGUMENT;
    if (!buffer) return sap__end_call(s, SAP_ERROR_ARGUMENT);
    if (sap__is_busy(s)) return sap__end_call(s, SAP_ERROR_BUSY);
    in.p = (const unsigned char *)buffer;
    r = sap__read_header(s, &in, size);
    if (r == SAP_OK) r = sap__check_state(s, &in);
    if (r != SAP_OK) return sap__end_call(s, r);
    sap__load_state(s, &in);
    sap__tree_forget(s);
    sap__set_length(s->created, 0);
    sap__set_length(s->deleted, 0);
    s->ends_ready = s->moving.ready = s->standing.ready = 0;
    s->swaps = s->tests = 0;
    return sap__end_call(s, SAP_OK);
}

/* ====================================================================================================== */
/* >> validate: every invariant, in one sentence each                                                       */
/* ====================================================================================================== */

/* Has a box as of the last update. */
static int sap__is_settled(const sap_world *s, uint32_t slot) {
    return (s->state[slot] & (SAP__LIVE | SAP__REMOVED)) && !(s->state[slot] & SAP__ADDED);
}

static int sap__rooms_are_even(const sap_world *s) {
    size_t n = stbds_arrcap(s->record);
    return stbds_arrcap(s->now) >= n && stbds_arrcap(s->was) >= n && stbds_arrcap(s->slots) >= n &&
           stbds_arrcap(s->state) >= n && stbds_arrcap(s->link) >= n;
}

static const char *sap__validate_boxes(const sap_world *s) {
    uint32_t slot, n = (uint32_t)sap__length(s->slots), recorded = 0, removed = 0, live = 0, standing = 0, i;
    int free_slots = 0, fresh = 0, k;
    for (slot = 0; slot < n; slot++) {
        const sap__box *box = sap__recorded_box(s, slot);
        uint32_t state = s->state[slot];
        if ((state & SAP__LIVE) && (state & SAP__REMOVED)) return "A slot is live or removed, not both.";
        if (!(state & (SAP__LIVE | SAP__REMOVED))) {
            if (state & SAP__FLAGS) return "A free slot has no flags.";
            free_slots++;
            continue;
        }
        if (state & SAP__ASKED) return "No box has asked between updates.";
        live += (state & SAP__LIVE) != 0;
        standing += (state & SAP__LIVE) && (state & SAP__STATIC);
        removed += (state & SAP__REMOVED) != 0;
        recorded += (state & SAP__RECORDED) != 0;
        fresh += (state & SAP__FRESH) != 0;
        if (!s->exchanged && !(state & SAP__RECORDED) && !sap__same(&s->now[slot], &s->was[slot]))
            return "A box that is not in the record is where it was.";
        if (!(state & SAP__RECORDED) && (state & (SAP__ADDED | SAP__REMOVED | SAP__FRESH)))
            return "What was added, removed or given a filter is in the record.";
        if ((state & SAP__RECORDED) && !s->mixed && (state & (SAP__STATIC | SAP__ADDED | SAP__REMOVED)))
            return "A record that is not mixed holds moving boxes, which neither came nor went.";
        if ((state & SAP__ADDED) && !sap__same(&s->was[slot], &sap__nowhere)) return "An added box was nowhere.";
        for (k = 0; k < 3; k++)
            if ((state & SAP__LIVE) && box->lo[k] > box->hi[k]) return "No min is above its max.";
        if ((state & SAP__LIVE) && !s->masked && (s->slots[slot].category != 1 || s->slots[slot].mask != ~0u))
            return "Where no category or mask was set, all have the default.";
    }
    if (!sap__rooms_are_even(s)) return "Where the record has room for a box, all arrays of boxes have.";
    if (live != (uint32_t)s->live || standing != (uint32_t)s->live_static)
        return "The counts of live and static boxes are right.";
    if (removed != (uint32_t)s->removed.count) return "Every removed box is in the queue of removed slots.";
    for (i = 0, slot = s->removed.first; i < removed; i++, slot = s->slots[slot].mask)
        if (slot >= n || !(s->state[slot] & SAP__REMOVED)) return "The queue of removed slots holds removed slots.";
    if (recorded != (uint32_t)sap__length(s->record)) return "Every recorded box is in the record once.";
    for (i = 0; i < recorded; i++)
        if (s->record[i] >= n || !(s->state[s->record[i]] & SAP__RECORDED)) return "The record holds recorded boxes.";
    if (fresh != s->fresh) return "The count of boxes with a new filter is right.";
    if (free_slots != s->free.count) return "Every free slot is in the queue of free slots.";
    for (i = 0, slot = s->free.first; i < (uint32_t)s->free.count; i++, slot = s->slots[slot].mask)
        if (slot >= n || (s->state[slot] & SAP__FLAGS)) return "The queue of free slots holds free slots.";
    return NULL;
}

static const char *sap__validate_pairs(const sap_world *s) {
    uint32_t p, n = (uint32_t)sap__length(s->pairs), slot, slots = (uint32_t)sap__length(s->slots), side;
    uint64_t places = 0, chained = 0;
    int i;
    if ((s->linked[SAP__LISTS] && sap__length(s->links) != (int)n) ||
        (s->linked[SAP__CHAINS] && sap__length(s->chain) != (int)n))
        return "Every pair has its links.";
    for (p = 0; p < n; p++) {
        const sap_pair *pair = &s->pairs[p];
        uint32_t a = sap__slot_of(pair->id0), b = sap__slot_of(pair->id1);
        if (pair->id0 >= pair->id1) return "In a pair id0 < id1.";
        if ((int)p > s->sorted_from && sap__pair_item(pair - 1) >= sap__pair_item(pair))
            return "Pairs from sorted_from on are sorted by their ids.";
        if (!sap__is_known_id(s, pair->id0) || !sap__is_known_id(s, pair->id1)) return "A pair's boxes exist.";
        if (!sap__overlap(&s->was[a], &s->was[b])) return "A pair's boxes overlapped at the last update.";
        if (s->state[a] & s->state[b] & SAP__STATIC) return "Two static boxes are no pair.";
        if (pair->object0 != s->slots[a].object || pair->object1 != s->slots[b].object)
            return "A pair has its boxes' objects.";
        if (s->linked[SAP__CHAINS] && sap__find(s, pair->id0, pair->id1) != p)
            return "The hash table finds every pair, and each once.";
    }
    for (i = 0; i < sap__length(s->buckets) && s->linked[SAP__CHAINS]; i++)
        for (p = s->buckets[i]; p != SAP__NONE && chained <= n; p = s->chain[p]) chained++;
    if (s->linked[SAP__CHAINS] && chained != n) return "The hash chains hold every pair once.";
    if (!s->linked[SAP__LISTS]) return NULL;
    for (slot = 0; slot < slots; slot++) {
        uint32_t place, prev = SAP__NONE;
        if (!(s->state[slot] & (SAP__LIVE | SAP__REMOVED))) continue;
        for (place = s->link[slot]; place != SAP__NONE && places <= 2 * (uint64_t)n; places++) {
            p = place >> 1;
            side = place & 1;
            if (p >= n || sap__slot_of(side ? s->pairs[p].id1 : s->pairs[p].id0) != slot)
                return "A box's list holds its pairs.";
            if (s->links[p].prev[side] != prev) return "A box's list leads back as it leads on.";
            prev = place;
            place = s->links[p].next[side];
        }
    }
    return places == 2 * (uint64_t)n ? NULL : "Every pair is in the lists of its two boxes.";
}

static const char *sap__validate_strips(const sap_world *s, const sap__strips *t, uint32_t kind) {
    int strips = sap__wide_strip(t) + 1, i, e, lane, k;
    long long copies = 0, filed = 0, chunks = 0;
    uint32_t slot, n = (uint32_t)sap__length(s->state);
    if (!t->ready) return NULL;
    if (!sap__strips_fit(t, (size_t)(t->strip[strips - 1].start + t->strip[strips - 1].room),
                         (size_t)sap__length(t->chunks)))
        return "The directory has room for all strips.";
    for (i = 0; i < strips; i++) {
        const sap__strip *strip = &t->strip[i];
        int row = i == strips - 1 ? 0 : i >> t->bits[1], column = i == strips - 1 ? 0 : i & ((1 << t->bits[1]) - 1);
        if (strip->count > strip->room) return "A strip has room for its chunks.";
        chunks += strip->count;
        for (e = strip->start; e < strip->start + strip->count; e++) {
            const sap__chunk *c = &t->chunks[t->chunk[e]];
            int32_t reach = SAP__BEFORE_ALL, first = t->first[e];
            if (e == strip->start ? first != SAP__BEFORE_ALL : first < t->first[e - 1])
                return "A strip's chunks begin before all, and lie in sweep order.";
            for (lane = 0; lane < SAP__LANES; lane++) {
                sap__box box;
                sap__span span;
                uint32_t ref = c->ref[lane];
                if (lane >= t->fill[e]) {
                    if (c->lo[0][lane] != SAP__AFTER_ALL) return "An empty lane overlaps nothing.";
                    continue;
                }
                slot = ref & SAP__SLOT;
                if (slot >= n || !sap__is_settled(s, slot) || (s->state[slot] & SAP__STATIC) != kind)
                    return "Strips hold settled boxes of their kind.";
                sap__turn(t, &s->was[slot], &box);
                for (k = 0; k < 3; k++)
                    if (c->lo[k][lane] != box.lo[k] || c->hi[k][lane] != box.hi[k])
                        return "A filed box is where it was at the last update.";
                if (t->spans[slot] != sap__file_span(t, &box, &span)) return "A filed box knows its strips.";
                if (!sap__covers(&span, i == strips - 1, row, column))
                    return "A box is filed in the strips that it touches, or in the wide one.";
                if ((ref & ~SAP__SLOT) != sap__home(&span, row, column))
                    return "The upper bits of a ref say where its box starts and ends.";
                if (box.lo[0] < first || (e + 1 < strip->start + strip->count && box.lo[0] > t->first[e + 1]))
                    return "A chunk's boxes start between its first and the next one's.";
                if (box.hi[0] > reach) reach = box.hi[0];
                filed++;
            }
            if (t->fill[e] && reach != t->reach[e]) return "A chunk's reach is its largest max.";
            if (t->reached[e] < reach || (e > strip->start && t->reached[e] < t->reached[e - 1]))
                return "In a strip it is known how far the chunks so far have reached, or farther.";
        }
    }
    for (i = 0; i < sap__length(t->free_chunks) && chunks >= 0; i++)
        chunks = t->free_chunks[i] < (uint32_t)sap__length(t->chunks) ? chunks + 1 : -1;
    if (chunks != sap__length(t->chunks)) return "A chunk is in a strip or free.";
    for (slot = 0; slot < n; slot++)
        if (sap__is_settled(s, slot) && (s->state[slot] & SAP__STATIC) == kind) {
            sap__box box;
            sap__span span;
            sap__turn(t, &s->was[slot], &box);
            sap__span_of(t, &box, &span);
            copies += span.wide ? 1 : (span.hi[0] - span.lo[0] + 1) * (span.hi[1] - span.lo[1] + 1);
        }
    return copies == filed ? NULL : "A box is filed once in every strip that it touches.";
}

static const char *sap__validate_ends(const sap_world *s) {
    uint32_t slot, n = (uint32_t)sap__length(s->slots);
    int k, i, settled = 0;
    if (!s->ends_ready) return NULL;
    for (slot = 0; slot < n; slot++) settled += sap__is_settled(s, slot);
    for (k = 0; k < 3; k++) {
        const uint64_t *ends = s->ends[k];
        int count = sap__length(s->ends[k]);
        if (!(s->config.axes >> k & 1)) continue;
        if (count != 2 * settled + 2) return "Every settled box has two ends on each used axis.";
        if (ends[0] != 0 || ends[count - 1] != ~UINT64_C(0)) return "A sentinel stands at each side.";
        for (i = 1; i < count; i++)
            if (ends[i - 1] >= ends[i]) return "Endpoints are sorted, and no two are equal.";
        for (i = 1; i < count - 1; i++) {
            uint32_t is_max = sap__end_is_max(ends[i]);
            slot = sap__end_slot(ends[i]);
            if (slot >= n || !sap__is_settled(s, slot) ||
                ends[i] != sap__end(sap__bound(&s->was[slot], k, is_max), is_max, slot))
                return "An endpoint has its box's bound of the last update.";
        }
    }
    return NULL;
}

static const char *sap__validate_node(const sap_world *s, uint32_t at, int *nodes, int *boxes) {
    const sap__tree *t = s->tree;
    const sap__node *n = &t->nodes[at];
    int i, k, j, least = at != t->root ? SAP__LEAST : n->height ? 2 : 0;
    ++*nodes;
    if (n->height < 0 || n->height >= SAP__LEVELS) return "A tree is not higher than its walks can climb.";
    if (n->count < least || n->count > SAP__ARITY) return "A node has three to eight children, a root two to eight.";
    if (n->touched) return "No node is marked as touched between queries.";
    for (i = 0; i < SAP__ARITY; i++)
        for (k = 0; k < 3; k++)
            if (i >= n->count &&
                (sap__key(n->bound[k][i]) != SAP__INFINITY || sap__key(n->bound[3 + k][i]) != -SAP__INFINITY))
                return "An empty lane encloses nothing.";
    for (i = 0; i < n->count; i++) {
        float b[6];
        if (n->height) {
            const char *broken;
            uint32_t child = n->child[i];
            if (child >= (uint32_t)sap__length(t->nodes) || *nodes > sap__length(t->nodes)) return "A child is a node.";
            if (t->nodes[child].parent != at) return "A node knows its parent.";
            if (t->nodes[child].height != n->height - 1) return "All leaves are equally deep.";
            sap__node_union(&t->nodes[child], b);
            broken = sap__validate_node(s, child, nodes, boxes);
            if (broken) return broken;
        } else {
            uint32_t slot = sap__slot_of(n->child[i]), place;
            if (slot >= (uint32_t)sap__length(t->place)) return "A leaf holds boxes.";
            ++*boxes;
            place = t->place[slot];
            if (place & SAP__DIRTY) {
                if (t->dirty[place & ~SAP__DIRTY].place != at * SAP__ARITY + (uint32_t)i)
                    return "A dirty box knows where it lies in the tree.";
                continue;
            }
            if (place != at * SAP__ARITY + (uint32_t)i) return "A box knows where it lies in the tree.";
            if (!(s->state[slot] & SAP__LIVE) || n->child[i] != sap__id_of(s, slot))
                return "A box in the tree that is not dirty lives.";
            sap__slot_bounds(s, slot, b);
        }
        for (j = 0; j < 6; j++)
            if (sap__key(b[j]) != sap__key(n->bound[j][i]))
                return n->height ? "A lane is the union of its child's lanes." : "A box lies in the tree as recorded.";
    }
    return NULL;
}

static const char *sap__validate_tree(const sap_world *s) {
    const sap__tree *t = s->tree;
    const char *broken;
    int nodes = 0, boxes = 0, live = 0, i;
    uint32_t slot, n = (uint32_t)sap__length(s->slots), at;
    if (!t || !t->ready) return NULL;
    if (t->root >= (uint32_t)sap__length(t->nodes) || t->nodes[t->root].parent != SAP__NONE)
        return "The root has no parent.";
    for (i = 0; i < sap__length(t->dirty); i++) {
        slot = t->dirty[i].slot;
        if (slot >= (uint32_t)sap__length(t->place) || t->place[slot] != (SAP__DIRTY | (uint32_t)i))
            return "The dirty list holds dirty slots, each once.";
    }
    broken = sap__validate_node(s, t->root, &nodes, &boxes);
    if (broken) return broken;
    for (slot = 0; slot < n; slot++) {
        uint32_t place = slot < (uint32_t)sap__length(t->place) ? t->place[slot] : SAP__NOWHERE;
        if (place == SAP__NOWHERE && (s->state[slot] & SAP__LIVE)) return "A live box is in the tree, or dirty.";
        live += place != SAP__NOWHERE && (!(place & SAP__DIRTY) || t->dirty[place & ~SAP__DIRTY].place != SAP__NOWHERE);
    }
    if (live != boxes || boxes != t->boxes) return "A box lies in the tree once.";
    for (i = 0, at = t->free_node; i < t->free_nodes; i++, at = t->nodes[at].parent)
        if (at >= (uint32_t)sap__length(t->nodes) || t->nodes[at].height >= 0) return "A free node is free.";
    return nodes + t->free_nodes == sap__length(t->nodes) ? NULL : "A node is in the tree or free.";
}

SAP_DEF const char *sap_validate(const sap_world *s) {
    const char *broken = s ? sap__validate_boxes(s) : NULL;
    if (s && !broken) broken = sap__validate_pairs(s);
    if (s && !broken) broken = sap__validate_strips(s, &s->moving, 0);
    if (s && !broken) broken = sap__validate_strips(s, &s->standing, SAP__STATIC);
    if (s && !broken) broken = sap__validate_ends(s);
    if (s && !broken) broken = sap__validate_tree(s);
    return broken;
}

#ifdef __cplusplus
}
#endif
#endif /* SAP_IMPLEMENTATION */
