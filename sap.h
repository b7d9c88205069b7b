/* SPDX-License-Identifier: MIT OR Unlicense (both texts stand at the end of this file)

   sap.h - v0.6 - a broad phase for games: sweep-and-prune in one header.

   Add axis-aligned boxes, move them, and call sap_update once a frame. It reports which pairs of boxes started to
   overlap, which stopped, and all current pairs. A frame in which nothing changes costs nothing.

   The library follows Pierre Terdiman's paper "Sweep-and-prune" (version 0.2, 2007); "Terdiman I.4b" names a section
   of it. The paper's grid of SAPs is in sap_multi.h; figures are in bench/README.md.

   ---- do this ----

       #define SAP_IMPLEMENTATION      in one C or C++ file, before the include
       #include "sap.h"                everywhere else without the define

   It needs the C library, and stb_ds.h (Debian: apt install libstb-dev; or copy the file beside this one). In debug
   builds compile that one file with -O2: without optimisation frames take ten times as long.

   ---- example ----

       sap_aabb here = {{0, 0, 0}, {1, 1, 1}}, there = {{5, 0, 0}, {6, 1, 1}}; // min x y z, max x y z
       sap_world *world = sap_create(NULL);
       sap_id cat = sap_add(world, &here, (void *)"cat");
       sap_id dog = sap_add(world, &there, (void *)"dog");
       sap_update(world); // nothing: they are apart
       sap_move(world, cat, &there);
       sap_update(world);
       int count;
       const sap_pair *pairs = sap_created(world, &count); // one pair: the cat and the dog
       sap_remove(world, dog);
       sap_update(world);
       pairs = sap_deleted(world, &count); // the same pair
       sap_destroy(world);

   examples/01_hello.c is a whole program, with callbacks.

   ---- what it does not do ----

   It does not collide shapes: a pair says that two boxes overlap, so test what is inside them. It does not look
   ahead: for a fast object pass the box of its whole motion, or use sap_box_closest, sap_box_cast or sap_slide. It
   does not lock, see threads.

   ---- words ----

   box         an axis-aligned bounding box (AABB). It is closed: two that touch overlap. A bound may be infinite;
               the world itself has no bounds
   pair        two boxes that overlap on all used axes, and pass filter bits and filter callback
   event       a pair that the last update created or deleted
   stored box  a box as the world holds it, with config.margin larger than it was given
   loner       a box whose mask excludes its own category: a bullet
   slot        the low 24 bits of an id, from 1: it indexes arrays of yours, and is used again after a removal
   endpoint    a bound of a box, in the sorted arrays of SAP_METHOD_SORT
   BVH         a bounding volume hierarchy, of sixteen boxes or nodes to a node; its own words are in tree

   ---- a frame ----

   sap_add, sap_move, sap_remove and the like record a change, which queries see at once. sap_update applies all
   changes and reports the net result: a box added and removed in between causes no event, nor does one moved and
   moved back. (With a margin it may: the way back stores it around where it is now.) sap_dump_pairs is sap_update
   with two callbacks. Changes made in these, or in callbacks of queries, take effect in the next update.

   To let rectangles that only touch not count, as in raylib, pass nextafterf(max, min) as the max; or max - 1 if
   all bounds are ints, and nothing slides: it would end one pixel inside a wall.

   ---- options ----

   Define these before including: SAP_STATIC and SAP_DEF in every file that includes sap.h, the others with
   SAP_IMPLEMENTATION. None changes the layout of a public struct.

   SAP_STATIC                       all functions are static. A program of one file then has only those that it calls,
                                    half to three quarters of the code
   SAP_DEF                          stands before each declaration and definition, as __declspec(dllexport); default
                                    extern. SAP_STATIC replaces it
   SAP_ASSERT(condition)            checks invariants that are cheap to look at, never your input; default assert.
                                    sap_validate checks all
   SAP_REALLOC(p, size), SAP_FREE(p)  both or neither: all memory comes from here. p may be NULL, size is never 0;
                                    default realloc and free
   SAP_NO_SIMD                      plain C. Without it SSE2, NEON or wasm simd128 is used if your flags allow it, and
                                    with gcc and clang AVX2 or AVX-512 if the machine has it. All give the same results
   SAP_NO_AVX512, SAP_NO_AVX2       without AVX-512, without both
   STBDS_NO_SHORT_NAMES             keeps arrlen, hmget and the like of stb_ds.h out of the file with the implementation
   SAP_HEADER_FILENAME              the name of this file in quotes, if it is not "sap.h". Else there is no AVX2 and no
                                    AVX-512, as in a copy pasted into another file
   SAP_TRACE(step, axis, id0, id1)  called for each step of the insertion sort, see SAP_STEP_PASS; SAP_METHOD_AUTO then
                                    means SAP_METHOD_SORT

   ---- the paper, section by section ----

   I.2     boxes, endpoints, sorted arrays   SAP_METHOD_SORT: see endpoints
   I.3     update rules, deletion test       the same; starts need not come before stops, as a rule compares overlap
                                             before and now
   I.4b    batch insertion                   the same: sorted endpoints are merged from the back
   I.4c    box pruning                       replaced by a spatial join of the BVH, see search. In the cells of a grid
                                             it is the paper's sweep along one axis
   I.5b    batch removal                     the same: one pass closes all gaps
   I.6     pair manager, DumpPairs           an array without holes, and a hash table of two ids; contact edges list the
                                             pairs of a box. Flags of a pair are replaced as in I.3
   II      grid of SAPs                      sap_multi.h with SAP_METHOD_SORT
   A, B    integer keys, sentinels           see keys, and endpoints
   I.4a, I.5a  one box at a time             left out: batches of one do the same

   ---- cost ----

   n boxes, m changed, k active pairs, c events, h overlapping pairs with at least one changed box. Pairs of two
   static boxes do not count in h, nor do pairs of loners, unless the mask of one loner has the category of another.

   sap_add, sap_move, sap_remove    amortised O(1)
   sap_update                       no changes: O(1). Few, at most 1 in 8 moving boxes: O(m log n + h + c), on average
                                    between packs. Many: O(n + h + k + c). Where boxes have many pairs that last k does
                                    not count, and h is tested sixteen boxes at a time
   sap_find_pair, sap_set_pair_data O(1)
   sap_pairs_of                     O(its own pairs * log capacity)
   the first of these calls         O(k), or O(n + k) for sap_pairs_of and sap_set_object, after updates that changed
                                    many pairs: it builds an index of the pairs
   queries                          O(log n + hits). The first after a change also updates the tree. Inside another
                                    query's callback changed boxes are tested one by one instead
   sap_nearest_ids                  O(log n), and O(log capacity) for each box that is among the nearest so far
   sap_box_prune                    O(n + h)
   sap_save, sap_restore            O(n + k), n being the most boxes that there were at a time

   That holds for boxes of any shape and any past: bench/README.md has the counts that tests guarantee. Now and then
   a tree is packed (built from its boxes), which takes 10 to 25 ns a box, four times that where they lie unevenly:
   once searches have looked at more boxes than after the last time for as long as a pack takes, or when an eighth of
   the boxes has come or left its place.

   Known slow cases: (a) if all boxes overlap on all axes h is n * n / 2, whatever a filter callback allows; (b)
   boxes a hundred times as long as others that teleport among boxes which rest: up to three times the tests, until a
   tree is packed; (c) the few boxes left of a large crowd are far apart in memory: up to twice the time; (d) loners
   whose masks agree in one direction only, such as four kinds that each have the category of the next, are searched
   as if all could be pairs; (e) nearest and sphere queries look at each box where distances are below 1e-18, or
   beyond 1e19, and so do casts of what is beyond 1e31.

   Recursion stays below 32 calls, and no call takes more than 32 KB of stack, your callbacks aside.

   ---- threads ----

   sap_set_parallel lends an update threads of yours. Its results stay the same, byte for byte.

   Two worlds may be used by two threads; one world only while no other thread writes to it (sap_set_object and
   sap_set_pair_data do, too). Between changes any number of threads may read boxes and pairs, and after
   sap_prepare_queries query: if they need an index of the pairs, one builds it, and the others wait in a loop.
   (Where the compiler has no atomics, as tcc 0.9, one thread at a time may read.) Callbacks run on the thread that
   made the call: if you hold a lock around a call, take no other in them, nor call code that may.

   ---- determinism ----

   Ids, events, their order, the order of sap_pairs, results of _ids queries and of sap_slide, and bytes of snapshots
   are a pure function of the calls: the same on every compiler, optimisation level, word size, byte order, SIMD path
   and method. Not so are the order in which a query calls back (after sap_restore, too), how often and in which
   order the filter callback is called, and the counts of sap_get_stats. A game that acts on hits takes queries that
   fill arrays, or sorts hits by id.

   The core compares integers. Floats are computed in sap_shift_origin, for config.margin, in layouts of trees and
   choices of methods, which affect no result, and in queries, which compare exactly: only the last bits of a t may
   differ between compilers. No call raises the floating-point exceptions invalid, divide by zero or overflow, or
   leaves their flags: programs may trap them, unless they are compiled with -ffast-math.

   ---- limits and errors ----

   16,777,215 boxes, INT_MAX pairs; config.max_boxes and config.max_pairs lower these limits. Nothing is ever
   dropped: a call that would exceed a limit fails, changes nothing, and succeeds once there is capacity. Invalid
   input fails in the same way, in every build: NaN is detected by its bits, also under -ffast-math. A _many call is
   all or nothing. sap_result_text says what to change. sap_last_error is not about queries, which return errors
   themselves: -sap_result, or id 0 with *t or *distance -1. A callback must return: after a longjmp or a C++
   exception out of one the world stays busy, updates are rejected and sap_destroy does nothing.

   ---- memory ----

   A box takes 130 to 170 bytes, a pair 64, and an event 40; where boxes have many pairs that last, a box takes 30
   more, and with a margin 24. Scratch memory is given back when some updates have not needed it, those without a
   change, too; memory of removed boxes is kept for new ones. Moves, removals and filter changes never allocate. If
   memory fails in sap_update, pairs and events are as before, changes stay recorded, and a later sap_update succeeds
   once there is memory.

   After sap_reserve(boxes, pairs) no call allocates until one of the two is exceeded, and nothing is given back. A
   removed box that an update has seen counts until the next one; one that a query's callback removes until that query
   is over. This takes some 175 bytes a box and 160 a pair, and is enough for all methods but SORT: AUTO then does
   without it, and with config.method SORT a box takes 75 more. If all reserved boxes stream along an axis, trees are
   packed more often: reserve for a fifth more then.

   Up to half of the time in which a new world is filled is the first touch of memory, page by page: a SAP_REALLOC can
   populate its pages beforehand, as examples/16_arena.c does.

   A world holds no address of the library's code or data: another build of the same version and options, loaded
   later in its place, goes on with it (hot reload). If your callbacks move, too, pass the new ones to
   sap_set_pair_filter and sap_set_parallel.

   ---- the way through this file ----

   Declarations first, then with SAP_IMPLEMENTATION these chapters (search for ">> name"):

   lanes      SIMD operations, by width                tiles      the order in which boxes are packed
   keys       floats as integers that sort like them   tree       the BVH and its upkeep
   arrays     the one place that allocates arrays      search     spatial join of trees: the methods PRUNE and QUERY
   sort       radix sort                               update     the main path, and its three methods
   world      what one world holds                     pruning    box pruning without a world
   changes    add, move, remove                        queries    box, point, sphere, ray, box cast, nearest, slide
   pairs      the pair manager (I.6)                   life       create, reserve, filter bits, getters
   endpoints  sorted arrays, update rules              state      snapshots
              (I.2 to I.5): the method SORT            validate   every invariant, as a sentence
   kernels    overlap, distance and ray tests of       versions, licences
              one node

   sap_update passes through update, which counts changes and chooses a method; tree, which takes in changed boxes or
   packs all, in the order of tiles; search, or endpoints for SORT, which finds pairs whose overlap changed; pairs,
   which asks the filter, writes, sorts and commits events; and update, which makes the changed boxes those of the
   last update.
*/
#ifndef SAP_H
#define SAP_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* uint32_t */

#define SAP_VERSION "0.6"
#define SAP_VERSION_NUMBER 600 /* major * 10000 + minor * 100 + patch */

#ifdef SAP_STATIC
#undef SAP_DEF
#if defined(__GNUC__) || defined(__clang__)
#define SAP_DEF static __attribute__((__unused__))
#else
#define SAP_DEF static
#endif
#elif !defined(SAP_DEF)
#define SAP_DEF extern
#endif

#if defined(SAP_STATIC) && !defined(SAP_IMPLEMENTATION) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function" /* gcc looks at the end of the file: a pop would undo it */
#endif

#pragma pack(push, 16) /* no struct is packed, whatever a header before this one has left behind */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ------------------------------------------------------------------------------------------ */

typedef struct sap_world sap_world; /* one world; its inside is private */
typedef uint32_t sap_id;            /* a box's handle: low 24 bits slot from 1, high 8 generation; 0 is never a box */

typedef struct sap_aabb {
    float min[3];
    float max[3];
} sap_aabb;

typedef struct sap_pair {    /* two overlapping boxes, ordered by id */
    sap_id id0, id1;         /* id0 < id1 */
    void *object0, *object1; /* what you passed to sap_add for them */
    void *user_data;         /* what your create callback returned, else NULL */
} sap_pair;

typedef enum sap_result {
    SAP_OK = 0,
    SAP_ERROR_BOX,      /* a bound is NaN, or min > max on a used axis */
    SAP_ERROR_ID,       /* the id is 0, was never given out, or its box was removed; or two boxes do not form a pair */
    SAP_ERROR_MEMORY,   /* the allocator returned NULL */
    SAP_ERROR_LIMIT,    /* config.max_boxes or config.max_pairs reached, or more than an id or an int can count */
    SAP_ERROR_ARGUMENT, /* null, negative, not finite where it must be, too small a buffer, a snapshot of other axes */
    SAP_ERROR_BUSY,     /* inside a callback: update, destroy, reserve, shift_origin, prepare_queries, save, restore;
                           inside the filter callback: every call that is not a getter */
    SAP_ERROR_SNAPSHOT  /* sap_restore: not a snapshot of this version, or damaged */
} sap_result;

/* Returns a sentence that explains the error and says what to change. Any value has one; it is never NULL or freed. */
SAP_DEF const char *sap_result_text(sap_result r);

/* Returns the SAP_VERSION_NUMBER that the implementation was compiled with. Structs may grow at their end from version
   to version, and enums get values after their last: so all files of a program, and a shared library that it loads,
   take one version of this header. A program that loads one compares this number with its own first. */
SAP_DEF int sap_version(void);

enum { SAP_AXIS_X = 1, SAP_AXIS_Y = 2, SAP_AXIS_Z = 4, SAP_2D = 3 };
#define SAP_SLOT(id) ((id)&0xffffffu) /* from 1; indexes your own arrays */

/* The steps of SAP_TRACE(step, axis, id0, id1), axis 0 to 2. */
enum {
    SAP_STEP_PASS,  /* an endpoint of id0 passed one of id1 */
    SAP_STEP_START, /* the two began to overlap on this axis, and overlap on all axes */
    SAP_STEP_STOP,  /* the two ceased to overlap on this axis, and overlapped on all axes before */
    SAP_STEP_REJECT /* a start or stop on this axis that makes no event: other axes say no, or both boxes are static */
};

/* Called for overlapping pairs that pass the filter bits; returns 0 to reject the pair. It must return the same answer
   until sap_refilter, and may call getters only. It has no side effects: how often and in which order it is called
   differs between methods and numbers of threads. pair->user_data is NULL. */
typedef int sap_filter(const sap_pair *pair, void *user);

/* How an update finds created and deleted pairs. All methods give the same ids, events, order of pairs and snapshots.
   AUTO decides by counts, never by a clock. It takes QUERY if at most an eighth of the moving boxes changed, or one in
   128 of all boxes, else PRUNE. After sixteen updates for which SORT was expected to be cheaper than PRUNE it takes
   SORT, as in crowds that move slowly, and goes back in the same way; or at once, in an update in which more ends pass
   each other than PRUNE would take time for. With SAP_TRACE it always takes SORT. */
typedef enum sap_method {
    SAP_METHOD_AUTO = 0,
    SAP_METHOD_SORT,  /* insertion sort of the endpoint arrays (Terdiman I.2 to I.5) */
    SAP_METHOD_PRUNE, /* box pruning of all boxes: a join of the trees, in the place of I.4c */
    SAP_METHOD_QUERY  /* a query of the trees for each changed box */
} sap_method;

/* The config of a world; zeroed = all defaults.

   A margin pays where boxes tremble: heaps, ropes, people who stand. A moving box is stored larger by the margin on
   each used side, and a move inside the stored box is free: it records nothing. Pairs, queries and sap_get_box are of
   stored boxes, so pairs begin before contact: test the shapes in them. A box is stored when it is added, and when
   sap_move gives one that the stored box does not contain, or that is more than five margins inside it on a side.
   Bounds are rounded outward, at most to the largest float, and infinite ones stay. Static boxes are stored as given,
   which is why lifts and doors that sap_slide meets are static; sap_set_static leaves a stored box as it is. A larger
   margin saves more moves and finds more pairs: try what a box moves in a few frames. */
typedef struct sap_config {
    int axes;                 /* SAP_AXIS_* that are sorted and tested; 0 = all three */
    int max_boxes, max_pairs; /* hard limits; 0 = none */
    sap_filter *filter;
    void *filter_user;
    int method;   /* a sap_method; 0 = chosen for each update */
    float margin; /* in the unit of the boxes; 0 = boxes are stored as given */
} sap_config;

/* Returns the smallest box of floats that contains a box of doubles. A plain cast may shrink the box and lose touching
   pairs. NaN stays NaN. */
SAP_DEF sap_aabb sap_aabb_from_doubles(const double min[3], const double max[3]);

/* ---- life ------------------------------------------------------------------------------------------- */

/* Returns SAP_OK if sap_create accepts this config, else SAP_ERROR_ARGUMENT. It tells an invalid config from a lack of
   memory when sap_create returns NULL. */
SAP_DEF sap_result sap_check_config(const sap_config *config);

/* Returns a new world, or NULL for an invalid config or without memory. NULL config = defaults. */
SAP_DEF sap_world *sap_create(const sap_config *config);

/* NULL is fine. It calls no callbacks: if your pairs own memory, call sap_clear and sap_dump_pairs first. Inside a
   callback it does nothing except set SAP_ERROR_BUSY. */
SAP_DEF void sap_destroy(sap_world *s);

/* Reserves memory for that many boxes and pairs: no call on this world allocates until one of the two is exceeded. It
   is more than the boxes take by themselves: see memory. sap_reserve(s, 0, 0) ends that, and memory is given back as in
   other worlds. */
SAP_DEF sap_result sap_reserve(sap_world *s, int boxes, int pairs);

typedef void sap_job(void *data, int index); /* one of count jobs; it writes nothing that another one uses */
/* Calls job(data, 0) to job(data, count - 1), in any order, on any threads. Returns when all are done. */
typedef void sap_parallel_for(sap_job *job, void *data, int count, void *user);

/* From now on updates, and queries that pack trees, run jobs by this callback (examples/pool.h has one); NULL = on the
   caller's thread alone. Results do not depend on it. No job calls the allocator or the filter. A loop over fewer than
   16,384 boxes or pairs stays on the caller's thread; an event counts as four, a box that searches alone as eight. Call
   it before sap_reserve, which reserves more for threads. make bench-multi measures the gain. */
SAP_DEF sap_result sap_set_parallel(sap_world *s, sap_parallel_for *parallel, void *user);

/* ---- boxes: recorded at once, applied by the next sap_update ------------------------------------------ */

/* Returns the new box's id, or 0; then sap_last_error says why. The object is yours: the library only hands it back.
   It may be an index, (void *)(intptr_t)i. In 2D a box may leave out z: {{x0, y0}, {x1, y1}}. Amortised O(1). */
SAP_DEF sap_id sap_add(sap_world *s, const sap_aabb *box, void *object);

/* A static box. It may be moved, but never pairs with another static box, nor is tested against one. Of a tile map, add
   one box for each run of tiles in a row. */
SAP_DEF sap_id sap_add_static(sap_world *s, const sap_aabb *box, void *object);

/* O(1). Moving a box to its current position is free. So is a move inside its stored box: see sap_config. */
SAP_DEF sap_result sap_move(sap_world *s, sap_id id, const sap_aabb *box);

/* Removes a box. Its id is invalid from now on, except for reading its pairs until the next update. That update reports
   them as deleted, with their objects and user data, so keep the object until then. A box that no update has seen is in
   no pair, and its slot rests at once: so a world that is only queried never needs an update, and never fills. */
SAP_DEF sap_result sap_remove(sap_world *s, sap_id id);

/* All or nothing: everything is checked before anything is done. objects may be NULL (all objects NULL).
   Duplicates: in sap_move_many the last one wins, in sap_remove_many they are SAP_ERROR_ID. */
SAP_DEF sap_result sap_add_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids);
SAP_DEF sap_result sap_add_static_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids);
SAP_DEF sap_result sap_move_many(sap_world *s, int n, const sap_id *ids, const sap_aabb *boxes);
SAP_DEF sap_result sap_remove_many(sap_world *s, int n, const sap_id *ids);

/* The filter bits of a box: a pair needs (category0 & mask1) && (category1 & mask0). Each category is one bit. A rule
   that holds in one direction only needs the filter callback. Defaults: category 1, mask all ones. Boxes whose mask
   excludes their own category (bullets, sparks) are kept in a tree of their own, which is joined with itself only if
   two of their categories may meet. A box with category 0 or mask 0 costs pair searches nothing, except SORT; queries
   see its category. */
SAP_DEF sap_result sap_set_filter(sap_world *s, sap_id id, uint32_t category, uint32_t mask);

/* The next update calls the filter callback again for everything that this box overlaps. */
SAP_DEF sap_result sap_refilter(sap_world *s, sap_id id);

/* The same for many boxes at once, with one category and mask; all or nothing. */
SAP_DEF sap_result sap_set_filter_many(sap_world *s, int n, const sap_id *ids, uint32_t category, uint32_t mask);

/* Replaces config.filter. The next update filters every pair again. O(boxes). */
SAP_DEF sap_result sap_set_pair_filter(sap_world *s, sap_filter *filter, void *user);

/* Makes a box static, or moving again, from the next update on, which deletes pairs of two static boxes. */
SAP_DEF sap_result sap_set_static(sap_world *s, sap_id id, int is_static);

/* Sets the box's object, at once, in active pairs too; inside a callback of sap_dump_pairs also in the events that
   follow, in sap_created and in sap_deleted. */
SAP_DEF sap_result sap_set_object(sap_world *s, sap_id id, void *object);

/* Removes every box. The next update deletes their pairs. */
SAP_DEF sap_result sap_clear(sap_world *s);

/* Subtracts offset from every finite bound (floating origin), as if every box had been moved. Bounds are rounded:
   shifts by multiples of a power of two do not add up to a drift, others do. Returns SAP_ERROR_ARGUMENT, and changes
   nothing, if a bound would become infinite. O(boxes). */
SAP_DEF sap_result sap_shift_origin(sap_world *s, const float offset[3]);

/* Returns the result of the last call on this world that was neither a query nor takes a const world (getters).
   sap_prepare_queries counts. */
SAP_DEF sap_result sap_last_error(const sap_world *s);

/* Returns the name of the argument that was bad in that call ("box", "id", "n", ...; "axes" or "margin" for a snapshot
   of others), or NULL if none was. *element is the index of the bad box or id (0 where the call takes one), or the axis
   of a vector, or -1. */
SAP_DEF const char *sap_last_error_argument(const sap_world *s, int *element);

/* ---- pairs ------------------------------------------------------------------------------------------ */

typedef void *sap_create_pair(const sap_pair *pair, void *user); /* returns the pair's user_data */
typedef void sap_delete_pair(const sap_pair *pair, void *user);

/* Applies all changes recorded since the last update, in one batch. On an error pairs and events are as before, and
   changes stay recorded. Without changes O(1). */
SAP_DEF sap_result sap_update(sap_world *s);

/* sap_update with callbacks: first del for each deleted pair, then create for each created one, sorted by ids. Either
   may be NULL. Returns the number of active pairs, or -sap_result. The value that create returns replaces what
   sap_set_pair_data set inside it. If a callback removes a box, later events may still name it: see sap_is_valid.
   (Terdiman I.6, DumpPairs) */
SAP_DEF int sap_dump_pairs(sap_world *s, sap_create_pair *create, sap_delete_pair *del, void *user);

/* Return the pairs that the last update created or deleted, ascending by (id0, id1): with several updates a picture,
   read them after each. The arrays are the world's, valid until the next update, sap_reserve or sap_restore. */
SAP_DEF const sap_pair *sap_created(const sap_world *s, int *count);
SAP_DEF const sap_pair *sap_deleted(const sap_world *s, int *count);

/* Returns all active pairs in one array without holes, valid until the next update, sap_reserve or sap_restore. They
   are unsorted, in an order that is the same on every machine. For a sorted one use sap_pairs_of, or sort by ids. */
SAP_DEF const sap_pair *sap_pairs(const sap_world *s, int *count);

/* Returns the pair of a and b, in either order, or NULL. O(1). This call, the others that take ids of pairs, and
   sap_set_object may build an index of the pairs first: see cost. */
SAP_DEF const sap_pair *sap_find_pair(const sap_world *s, sap_id a, sap_id b);

/* Returns SAP_ERROR_ID if a and b do not form a pair. */
SAP_DEF sap_result sap_set_pair_data(sap_world *s, sap_id a, sap_id b, void *user_data);

/* The same for sap_pairs()[index], without a search. */
SAP_DEF sap_result sap_set_pair_data_at(sap_world *s, int index, void *user_data);

/* Writes the ids of the boxes that this box forms a pair with, the smallest first, at most capacity of them, to
   others. Returns how many pairs it has, or -SAP_ERROR_ID. O(its own pairs * log capacity). */
SAP_DEF int sap_pairs_of(const sap_world *s, sap_id id, sap_id *others, int capacity);

/* ---- getters: they see every recorded change ------------------------------------------------------------ */

SAP_DEF int sap_count(const sap_world *s);
SAP_DEF int sap_is_valid(const sap_world *s, sap_id id);
SAP_DEF void *sap_get_object(const sap_world *s, sap_id id); /* NULL for a bad id */

/* Writes the box as it is stored: 0 on unused axes, +0 for -0. On an error *box is left alone: check the result, or
   initialise it. */
SAP_DEF sap_result sap_get_box(const sap_world *s, sap_id id, sap_aabb *box);

SAP_DEF sap_result sap_get_filter(const sap_world *s, sap_id id, uint32_t *category, uint32_t *mask); /* may be NULL */
SAP_DEF int sap_is_static(const sap_world *s, sap_id id); /* 0 for a bad id */

/* Iterates over live boxes: pass 0 to get the first; returns 0 after the last. A removed id goes on from its slot. */
SAP_DEF sap_id sap_next(const sap_world *s, sap_id id);

/* ---- queries: they see every recorded change ------------------------------------------------------------ */

/* Vectors and boxes are read on used axes only. A query with an invalid argument (NaN, an infinite point, a negative
   radius) says so: it returns -sap_result or, where it returns an id, 0 with *t or *distance = -1, which tells an error
   from a miss. sap_last_error knows nothing of queries. t, distance, normal and stopped_by may be NULL. */

/* A callback of a query; returns 0 to stop it. It may add, move and remove boxes, but moves and slides in it are slow
   (see cost): collect ids, then act. The order of callbacks differs between machines, after other calls that led to the
   same boxes, and after sap_restore: a game that acts on hits uses the queries that fill arrays, or sorts its hits by
   id. */
typedef int sap_hit(sap_id id, void *object, void *user);

/* A callback of a cast, where t is in 0..1, or of sap_query_nearest, where t is a distance. It returns the new end: t
   to clip the query here, 1 in a cast and INFINITY in sap_query_nearest to go on as before. One callback for both loses
   hits: a 1 limits the distance to 1. A value of 0, below 0 or NaN stops the query, so a callback that returns t stops
   at a hit with t = 0, and misses others with t = 0: sap_ray_closest and sap_box_closest miss none. (A -1, which Box2D
   takes for "ignore this hit", stops, too.) */
typedef float sap_ray_hit(sap_id id, void *object, float t, void *user);

/* A predicate of sap_box_closest_if and sap_slide_if; returns 0 to pass a box over. It is asked only about boxes that
   the mask lets through, in any order, and may be asked again. It may call getters only: a change that it makes is
   recorded, but the query may then answer with a box that has been removed, or with where it was. */
typedef int sap_accept(sap_id id, void *object, void *user);

/* Updates the trees. Until the next change queries only read then, and any number of threads may query one world. */
SAP_DEF sap_result sap_prepare_queries(sap_world *s);

/* Visit the boxes with category & mask that overlap. Return the number of hits, one that stopped included, or
   -sap_result. hit NULL only counts. */
SAP_DEF int sap_query_box(sap_world *s, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user);
SAP_DEF int sap_query_point(sap_world *s, const float point[3], uint32_t mask, sap_hit *hit, void *user);
SAP_DEF int sap_query_sphere(sap_world *s, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                             void *user);

/* Cast a ray, or a finite box, along origin + t * translation, t in 0..1, against closed boxes. A cast ends at t = 1:
   make the translation longer to see farther. A start inside a box hits at t = 0. The end of the cast becomes the
   smaller of the old end and the value that hit returns. */
SAP_DEF int sap_ray_cast(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                         sap_ray_hit *hit, void *user);
SAP_DEF int sap_box_cast(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask, sap_ray_hit *hit,
                         void *user);

/* Returns the first box that the ray meets, the lower id at a tie, or 0 with *t = 1 on a miss, with -1 on an error. To
   pass over your own box take sap_box_closest with min = max. */
SAP_DEF sap_id sap_ray_closest(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                               float *t);

/* Returns the nearest box by Euclidean distance (0 inside), within max_distance, the lower id at a tie; 0 with
   *distance = max_distance if there is none, 0 with *distance = -1 on an error. Distances are compared exactly, as if
   floats were real numbers. *distance is rounded up: the smallest float whose square is not below the exact squared
   distance. So a query that gets it as radius or max_distance finds the same box. */
SAP_DEF sap_id sap_nearest(sap_world *s, const float point[3], float max_distance, uint32_t mask, float *distance);

/* Returns the box nearest to this box, itself excluded, by the distance between the boxes. */
SAP_DEF sap_id sap_nearest_to(sap_world *s, sap_id id, float max_distance, uint32_t mask, float *distance);

/* Visits boxes within a distance limit, which starts at max_distance. hit returns the new limit: t of the farthest box
   that you keep, INFINITY to leave it, 0 to stop. The order of visits is unspecified. */
SAP_DEF int sap_query_nearest(sap_world *s, const float point[3], float max_distance, uint32_t mask, sap_ray_hit *hit,
                              void *user);

/* Write the smallest ids of the hits, ascending, at most capacity of them, to ids. Their order depends on the boxes
   alone, on every machine. Return the number of all hits, or -sap_result. capacity 0 with ids NULL counts. A box with
   min = max is a point. */
SAP_DEF int sap_query_box_ids(sap_world *s, const sap_aabb *box, uint32_t mask, sap_id *ids, int capacity);
SAP_DEF int sap_query_sphere_ids(sap_world *s, const float center[3], float radius, uint32_t mask, sap_id *ids,
                                 int capacity);

/* Write the ids of the nearest boxes, by exact distance, then by id, at most capacity of them, to ids, and their
   distances, rounded as in sap_nearest, to distances. That may be NULL, but then more than 256 ids take longer. Return
   how many were written, or -sap_result. capacity 0 with ids NULL counts the boxes within max_distance.
   sap_nearest_to_ids measures from a box, itself excluded. */
SAP_DEF int sap_nearest_ids(sap_world *s, const float point[3], float max_distance, uint32_t mask, sap_id *ids,
                            float *distances, int capacity);
SAP_DEF int sap_nearest_to_ids(sap_world *s, sap_id id, float max_distance, uint32_t mask, sap_id *ids,
                               float *distances, int capacity);

/* Writes the first boxes on a ray, by exact t, then by id, in the same way: what a bullet pierces, in order. ts may be
   NULL. capacity 0 with ids NULL counts all boxes on the ray. */
SAP_DEF int sap_ray_cast_ids(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                             sap_id *ids, float *ts, int capacity);

/* Return the first box that a moving box meets, the lower id at a tie. *t in 0..1 and the outward unit normal of the
   side that is met describe it. A miss is 0, *t = 1 and a zero normal; an error is 0, *t = -1 and a zero normal. The
   box must be finite. sap_box_closest passes over one box: ignore, the mover's own id, or 0. sap_box_closest_if passes
   over those that accept refuses, and with min = max it is a ray with a predicate.

   A box that is touched or overlapped at the start is met at t = 0 only if the translation goes deeper into it. That is
   judged on the axis on which the two overlap least (at a tie the lower axis, then the side towards minus), and the
   normal is that of its side. So a box that rests on others, or is stuck in them a little, can always leave. A point on
   a wall of no thickness is stopped from one side only: its least depth is that towards minus. (sap_slide ends before
   such a wall.) */
SAP_DEF sap_id sap_box_closest(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_id ignore, float *t, float normal[3]);
SAP_DEF sap_id sap_box_closest_if(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask,
                                  sap_accept *accept, void *user, float *t, float normal[3]);

/* Moves a finite box among the others as far as they let it: up to the first side that it meets, then along that side
   by the rest of the way, until the way is used up. It changes *box alone; pass it to sap_move. stopped_by[k] is the
   box that stopped it on axis k (the lower id at a tie), or 0: a hero whose gravity was stopped stands on something.
   Returns on how many axes it was stopped, or -sap_result with *box unchanged.

   It ends at the side that stops it, or before it by at most one unit in the last place of its own larger bound there.
   A contact need not be a pair, or a hit of sap_query_box: take stopped_by, and make a trigger a little larger than
   what is solid. A slide meets boxes as they are stored: in a world with a margin make lifts and doors static.

   Boxes that touch it at an edge or a vertex stop nothing, so a row of tiles is one floor, and a wall of them one wall.
   (Should the way lead right into an edge, it ends on the lower axis.) A box that it overlaps at the start stops it on
   one axis, as in sap_box_closest, and never pushes it out: examples/README.md has push_out, which does. It never
   rounds into a box that it has met: what it stands on, leans on or slides along does not catch it later. Nor does its
   size drift. A box of no size on an axis ends one float before the side that stops it there, so it does not pass one
   of no size; but it may pass between two boxes that meet exactly where it is: give a particle a size. Ways have any
   length: one of 1e20 downwards ends on the floor. But one that would lead beyond the largest float is
   SAP_ERROR_ARGUMENT. Unused axes of *box are left alone. The result is the same on every machine.

   sap_slide passes over one box: ignore, the mover's own id, or 0. sap_slide_if passes over those that accept refuses,
   wherever they are, as if they were not there: a platform that only carries who comes from above, or a crate that is
   being carried. NULL accepts all, the mover's own box, too: leave its category out of mask, or refuse its id. */
SAP_DEF int sap_slide(sap_world *s, sap_aabb *box, const float translation[3], uint32_t mask, sap_id ignore,
                      sap_id stopped_by[3]);
SAP_DEF int sap_slide_if(sap_world *s, sap_aabb *box, const float translation[3], uint32_t mask, sap_accept *accept,
                         void *user, sap_id stopped_by[3]);

/* Returns 1 and the outward unit normal of the side of hit that a moving box touches first, the lower axis at an edge.
   Returns 0 and zeros if they overlap at the start, never touch, or an argument is invalid. For a ray min = max =
   origin. It tests all three axes: in a 2D world set z to 0 in all arguments, or use sap_box_closest. */
SAP_DEF int sap_hit_normal(const sap_aabb *moving, const float translation[3], const sap_aabb *hit, float normal[3]);

/* ---- box pruning, on its own: no world, nothing kept ---------------------------------------------------- */

typedef int sap_prune_hit(int i, int j, void *user); /* 0 stops */

/* Visits every pair i < j of overlapping boxes once, in no particular order. axes 0 = all three; hit NULL = count only.
   Returns the number of pairs visited, or -sap_result. It is named after Terdiman I.4c; a join of a BVH replaces the
   sweep, which examples/teach/09_pruning.c shows. */
SAP_DEF long long sap_box_prune(const sap_aabb *boxes, int n, int axes, sap_prune_hit *hit, void *user);

/* Visits every pair of an a[i] and a b[j]. Pairs within one set are not reported. */
SAP_DEF long long sap_box_prune_bipartite(const sap_aabb *a, int na, const sap_aabb *b, int nb, int axes,
                                          sap_prune_hit *hit, void *user);

/* ---- state, inspection ---------------------------------------------------------------------------------- */

/* A snapshot holds everything that later calls depend on (boxes, ids, filter bits, recorded changes, pairs and their
   data), except the limits, filter callback and method of the config: a world with other axes or another margin rejects
   it. (One of 0.4 or 0.5 counts as one without a margin.) Objects and user data are stored as pointers. In another
   process, or when their memory was freed, replace them by sap_set_object and sap_set_pair_data_at. Snapshots are
   portable between machines; a 32-bit machine rejects pointers that do not fit. A damaged or hostile one is rejected
   with nothing changed. A missing pair cannot be detected, because a filter callback may have rejected it. Queries may
   call back in another order after sap_restore: see determinism. */
SAP_DEF size_t sap_snapshot_size(const sap_world *s);
SAP_DEF sap_result sap_save(const sap_world *s, void *buffer, size_t size);
SAP_DEF sap_result sap_restore(sap_world *s, const void *buffer, size_t size);

/* Returns NULL, or the sentence of the invariant that is broken. For tests: O(boxes + pairs). */
SAP_DEF const char *sap_validate(const sap_world *s);

typedef struct sap_stats {
    int boxes, static_boxes, pairs, created, deleted;
    long long swaps;         /* of the last update: endpoints passed by others; 0 except for SAP_METHOD_SORT */
    long long overlap_tests; /* of the last update: boxes tested, 16 for each visited node */
    size_t bytes;            /* all memory this world holds */
    int method;              /* the sap_method of the last update; 0: there were no changes */
    int cells;               /* SAPs in use: occupied cells of a grid of SAPs (sap_multi.h, SAP_METHOD_SORT); else 0 */
    long long query_tests;   /* boxes tested by queries since the last update */
    long long upkeep;        /* boxes that packs and refits of trees touched since the last update began */
} sap_stats;
SAP_DEF void sap_get_stats(const sap_world *s, sap_stats *stats);

#ifdef __cplusplus
}
#endif
#pragma pack(pop)
#endif /* SAP_H */

/* ====================================================================================================== */
#if defined(SAP_IMPLEMENTATION) && !defined(SAP_IMPLEMENTATION_ONCE)
#define SAP_IMPLEMENTATION_ONCE

#ifdef __cplusplus
extern "C++" { /* this file may be included within an extern "C", and the headers below may have templates */
#endif

/* Only the array macros of stb_ds are used: none of its code is emitted. */
#ifndef INCLUDE_STB_DS_H
#if defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#elif __has_include(<stb/stb_ds.h>)
#include <stb/stb_ds.h>
#else
#error "sap.h: copy stb_ds.h beside sap.h (https://github.com/nothings/stb), or: apt install libstb-dev"
#include "stb_ds.h is missing" /* stops the compiler here */
#endif
#else
#include "stb_ds.h" /* not found? Copy it beside sap.h (https://github.com/nothings/stb), or: apt install libstb-dev */
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
#elif INT_MAX < 0x7fffffff
#error "sap.h: an int must have 32 bits"
#endif
#ifndef SAP_REALLOC
#define SAP_REALLOC(p, size) realloc(p, size)
#define SAP_FREE(p) free(p)
#endif
#ifndef SAP_ASSERT
#include <assert.h>
#define SAP_ASSERT assert
#endif

/* SSE2, NEON and wasm simd128 are used where the compiler's flags allow them; AVX2 and AVX-512 are compiled whatever
   the flags are and used where the machine has them. NEON needs vector types, which gcc has from 9 on. (gcc on Windows
   without optimisation spills wide registers to a stack that is not aligned for them: gcc bug 54412.) */
#ifndef SAP_NO_SIMD
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9)
#define SAP__HAS_VECTORS
#endif
#if defined(SAP__HAS_VECTORS) && defined(__wasm_simd128__) /* emscripten may have SSE2 in terms of it */
#include <wasm_simd128.h>
#elif defined(__SSE2__) || defined(_M_X64)
#define SAP__HAS_SSE2
#include <emmintrin.h>
#if defined(SAP__HAS_VECTORS) && defined(__GNUC__) && !defined(SAP_NO_AVX2) &&                                         \
    !(defined(_WIN32) && !defined(__clang__) && !defined(__OPTIMIZE__))
#define SAP__HAS_AVX2
#include <immintrin.h>
#endif
#elif !defined(__ARM_NEON) && !defined(__ARM_NEON__)
#undef SAP__HAS_VECTORS
#endif
#endif

#ifdef __cplusplus
}
#endif

#pragma pack(push, 16)

/* Without optimisation nothing is inlined by force: the frame of a function has room for all that is inlined there. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__OPTIMIZE__)
#define SAP__FORCE_INLINE static inline __attribute__((__always_inline__)) /* -O2 alone leaves many of these calls, */
#define SAP__NO_INLINE static __attribute__((__noinline__))                /* and copies these to many places */
#else
#define SAP__FORCE_INLINE static inline
#define SAP__NO_INLINE static
#endif
#if defined(__GNUC__) || defined(__clang__)
#define sap__prefetch(p) __builtin_prefetch(p)
#elif defined(SAP__HAS_SSE2)
#define sap__prefetch(p) _mm_prefetch((const char *)(const void *)(p), _MM_HINT_T0)
#else
#define sap__prefetch(p) ((void)(p))
#endif

/* These access an int32_t that several threads may change: those that query, or read pairs. add returns the value
   before. */
#if (defined(__GCC_ATOMIC_INT_LOCK_FREE) && __GCC_ATOMIC_INT_LOCK_FREE == 2) ||                                        \
    (defined(__CLANG_ATOMIC_INT_LOCK_FREE) && __CLANG_ATOMIC_INT_LOCK_FREE == 2)
#define sap__atomic_get(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define sap__atomic_set(p, n) __atomic_store_n(p, n, __ATOMIC_RELEASE)
#define sap__atomic_add(p, n) __atomic_fetch_add(p, n, __ATOMIC_ACQUIRE)
#elif defined(_MSC_VER)
#define sap__atomic_get(p) _InterlockedOr((volatile long *)(void *)(p), 0)
#define sap__atomic_set(p, n) ((void)_InterlockedExchange((volatile long *)(void *)(p), n))
#define sap__atomic_add(p, n) _InterlockedExchangeAdd((volatile long *)(void *)(p), n)
#else /* then one thread at a time may do so, which finds every lock open: see threads */
#define sap__atomic_get(p) (*(p))
#define sap__atomic_set(p, n) ((void)(*(p) = (n)))
#define sap__atomic_add(p, n) ((*(p) += (n)) - (n))
#endif

/* ====================================================================================================== */
/* >> lanes: SIMD operations on 4, 8 or 16 lanes of 32 bits, and plain C on one lane                        */
/* ====================================================================================================== */

/* SAP__WIDTH is the number of lanes: 4 from here on, or 1 without SIMD; kernels are compiled for 8 and 16, too. A name
   like sap__min means sap__min4 where it is 4. sap__i is a vector of integers, sap__f one of floats. Three tables
   define the operations: vector types of gcc and clang, for any width; SSE2 by intrinsics, for Visual Studio and old
   compilers; and plain C. A comparison of integers sets all bits of a lane or none.

       pick(a, b, i, j, k, l)      returns lanes i and j of a, and k and l of b: of each four lanes
       rotate(a)                   returns each lane moved to the one before it
       bits(a)                     returns one bit for each lane whose bits are set
       above(a, b)                 returns one bit for each lane in which the float of a is greater
       to_float(keys)              returns floats: the inverse of sap__key
       append(bits, refs, to, n)   appends the lanes of refs whose bits are set to an array of n items, and returns the
                                   new n. It may write W items, whatever the bits */
#define SAP__PASTE(name, width) name##width
#define SAP__PASTE_VALUE(name, width) SAP__PASTE(name, width)
#define SAP__OF_WIDTH(name) SAP__PASTE_VALUE(name, SAP__WIDTH)
#define sap__i SAP__OF_WIDTH(sap__i)
#define sap__f SAP__OF_WIDTH(sap__f)
#define sap__pick SAP__OF_WIDTH(sap__pick)
#define sap__rotate SAP__OF_WIDTH(sap__rotate)
#define sap__bits SAP__OF_WIDTH(sap__bits)
#define sap__above SAP__OF_WIDTH(sap__above)
#define sap__min SAP__OF_WIDTH(sap__min)
#define sap__max SAP__OF_WIDTH(sap__max)
#define sap__fmin SAP__OF_WIDTH(sap__fmin)
#define sap__fmax SAP__OF_WIDTH(sap__fmax)

#if defined(SAP__HAS_VECTORS)
#define SAP__WIDTH 4
typedef int sap__i4 __attribute__((__vector_size__(16), __aligned__(4), __may_alias__)); /* in memory anywhere */
typedef int sap__i8 __attribute__((__vector_size__(32), __aligned__(4), __may_alias__));
typedef int sap__i16 __attribute__((__vector_size__(64), __aligned__(4), __may_alias__));
typedef float sap__f4 __attribute__((__vector_size__(16)));
typedef float sap__f8 __attribute__((__vector_size__(32)));
typedef float sap__f16 __attribute__((__vector_size__(64)));
#ifdef __clang__
#define sap__shuffle(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define sap__shuffle(a, b, ...) __builtin_shuffle(a, b, __extension__(__typeof__(a)){__VA_ARGS__})
#endif
#define sap__pick4(a, b, i, j, k, l) sap__shuffle(a, b, i, j, 4 + k, 4 + l)
#define sap__load4(p) (*(const sap__i4 *)(const void *)(p))
#define sap__store(p, a) ((void)(*(sap__i *)(void *)(p) = (sap__i)(a)))
#define sap__fstore(p, a) sap__store(p, a)
#define sap__splat(x) ((int)(x) + __extension__(sap__i){0})
#define sap__fsplat(x) ((x) - __extension__(sap__f){0}) /* + 0 would change -0 */
#define sap__to_float(k) ((sap__f)(((k) ^ ((k) >> 31)) - (((k) >> 31) & SAP__MAGNITUDE)))
#define sap__truncate(a) __builtin_convertvector(a, sap__i)
#define sap__above4(a, b) sap__bits4((a) > (b))
#if defined(SAP__HAS_SSE2) /* gcc has no minimum of vectors */
#define sap__fmin4(a, b) ((sap__f4)_mm_min_ps(a, b))
#define sap__fmax4(a, b) ((sap__f4)_mm_max_ps(a, b))
#define sap__bits4(a) ((uint32_t)_mm_movemask_ps((__m128)(a)))
#else
#define sap__fmin4(a, b) ((sap__f4)sap__blend((a) < (b), (sap__i4)(a), (sap__i4)(b)))
#define sap__fmax4(a, b) ((sap__f4)sap__blend((a) > (b), (sap__i4)(a), (sap__i4)(b)))
#endif
#if defined(__wasm_simd128__)
#define sap__bits4(a) ((uint32_t)wasm_i32x4_bitmask((v128_t)(a)))
#elif !defined(SAP__HAS_SSE2)
SAP__FORCE_INLINE uint32_t sap__bits4(sap__i4 a) {
    typedef unsigned long long halves __attribute__((__vector_size__(16)));
    const halves half = (halves)(a & __extension__(sap__i4){1, 2, 4, 8});
    return (uint32_t)((half[0] | half[1]) | (half[0] | half[1]) >> 32);
}
#endif

#elif defined(SAP__HAS_SSE2)
#define SAP__WIDTH 4
typedef __m128i sap__i4;
typedef __m128 sap__f4;
#define sap__pick4(a, b, i, j, k, l)                                                                                   \
    _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(l, k, j, i)))
#define sap__load4(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define sap__load(p) sap__load4(p)
#define sap__store(p, a) _mm_storeu_si128((__m128i *)(void *)(p), a)
#define sap__fstore(p, a) _mm_storeu_ps(p, a)
#define sap__splat(x) _mm_set1_epi32((int)(x))
#define sap__fsplat(x) _mm_set1_ps(x)
#define sap__greater(a, b) _mm_cmpgt_epi32(a, b)
#define sap__equal(a, b) _mm_cmpeq_epi32(a, b)
#define sap__or(a, b) _mm_or_si128(a, b)
#define sap__and(a, b) _mm_and_si128(a, b)
#define sap__xor(a, b) _mm_xor_si128(a, b)
#define sap__sub(a, b) _mm_sub_epi32(a, b)
#define sap__signs(a) _mm_srai_epi32(a, 31)
#define sap__fadd(a, b) _mm_add_ps(a, b)
#define sap__fsub(a, b) _mm_sub_ps(a, b)
#define sap__fmul(a, b) _mm_mul_ps(a, b)
#define sap__fmin4(a, b) _mm_min_ps(a, b)
#define sap__fmax4(a, b) _mm_max_ps(a, b)
#define sap__to_float(k) _mm_castsi128_ps(sap__sub(sap__xor(k, sap__signs(k)), _mm_srli_epi32(sap__signs(k), 1)))
#define sap__truncate(a) _mm_cvttps_epi32(a)
#define sap__bits4(a) ((uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a)))
#define sap__above4(a, b) ((uint32_t)_mm_movemask_ps(_mm_cmpgt_ps(a, b)))

#else
#define SAP__WIDTH 1
typedef int32_t sap__i1;
typedef float sap__f1;
#define sap__rotate1(a) (+(a))
#define sap__store(p, a) ((void)(*(int32_t *)(void *)(p) = (a)))
#define sap__fstore(p, a) ((void)(*(p) = (a)))
#define sap__splat(x) ((int32_t)(x))
#define sap__fsplat(x) (x)
#define sap__min1(a, b) ((a) < (b) ? (a) : (b))
#define sap__max1(a, b) ((a) > (b) ? (a) : (b))
#define sap__fmin1(a, b) sap__min1(a, b)
#define sap__fmax1(a, b) sap__max1(a, b)
#define sap__to_float(k) sap__float(k)
#define sap__truncate(a) ((int32_t)(a))
#define sap__bits1(a) ((uint32_t)(a))
#define sap__above1(a, b) ((uint32_t)((a) > (b)))
#endif

#ifndef sap__load /* operators know vectors and numbers */
#define sap__load(p) (*(const sap__i *)(const void *)(p))
#define sap__greater(a, b) ((a) > (b))
#define sap__equal(a, b) ((a) == (b))
#define sap__or(a, b) ((a) | (b))
#define sap__and(a, b) ((a) & (b))
#define sap__xor(a, b) ((a) ^ (b))
#define sap__sub(a, b) ((a) - (b))
#define sap__signs(a) ((a) >> 31)
#define sap__fadd(a, b) ((a) + (b))
#define sap__fsub(a, b) ((a) - (b))
#define sap__fmul(a, b) ((a) * (b))
#endif
#define sap__rotate4(a) sap__pick4(a, a, 1, 2, 3, 0)
#define sap__blend(mask, a, b) sap__xor(b, sap__and(mask, sap__xor(a, b)))
#define sap__min4(a, b) sap__blend(sap__greater(a, b), b, a)
#define sap__max4(a, b) sap__blend(sap__greater(a, b), a, b)

/* ====================================================================================================== */
/* >> keys: floats as integers that sort like them (Terdiman, appendix A)                                   */
/* ====================================================================================================== */

/* A key is a float's magnitude as an integer, negated if the float is negative. Keys order as the floats do, and -0 has
   the key of +0. (The paper's keys are unsigned; signed ones are compared by every SIMD unit.) Comparisons of integers
   are exact, and the same under any compiler flag.

       -inf  -0x7f800000      -1.0  -0x3f800000      0  0      1.0  0x3f800000      +inf  0x7f800000

   NaN alone lies beyond the infinities. No number has the key INT32_MIN or INT32_MAX: they serve as sentinels. */
#define SAP__BEFORE_ALL INT32_MIN
#define SAP__AFTER_ALL INT32_MAX
#define SAP__INFINITY 0x7f800000
#define SAP__NAN 0x7fc00000
#define SAP__MAGNITUDE 0x7fffffff /* the bits of a float without its sign */

typedef struct sap__box {
    int32_t lo[3], hi[3]; /* keys; [0, 0] on an unused axis, so that every box overlaps every other there */
} sap__box;

/* The empty box overlaps nothing, not even infinite boxes. An added box was empty before and a removed box is empty
   now, so two overlap tests, before and now, find every event. */
static const sap__box sap__empty_box = {{SAP__AFTER_ALL, SAP__AFTER_ALL, SAP__AFTER_ALL},
                                        {SAP__BEFORE_ALL, SAP__BEFORE_ALL, SAP__BEFORE_ALL}};

SAP__FORCE_INLINE uint32_t sap__float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* These test bits, because -ffast-math may optimise away comparisons with infinity. */
static int sap__is_finite(float f) {
    return (sap__float_bits(f) & SAP__MAGNITUDE) < SAP__INFINITY;
}

static int sap__is_number(float f) {
    return (sap__float_bits(f) & SAP__MAGNITUDE) <= SAP__INFINITY;
}

SAP__FORCE_INLINE int32_t sap__key(float f) {
    uint32_t u = sap__float_bits(f);
    int32_t magnitude = (int32_t)(u & SAP__MAGNITUDE), sign = -(int32_t)(u >> 31);
    return (magnitude ^ sign) - sign; /* no branch: f may be an unused axis that was never written */
}

SAP__FORCE_INLINE float sap__float(int32_t key) {
    uint32_t u = key >= 0 ? (uint32_t)key : 0x80000000u | (0u - (uint32_t)key);
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

#define SAP__DENORMAL 1.40129846432481707e-45 /* 2^-149, the unit of denormals */

/* The conversion is exact even if the machine flushes denormals to zero. */
SAP__FORCE_INLINE double sap__double(float f) {
    return sap__float_bits(f) & SAP__INFINITY ? (double)f : (double)sap__key(f) * SAP__DENORMAL;
}

/* Sets the words of used, one for each bound of a box, to all ones on a used axis and to 0 on the others. */
static void sap__axes_used(int axes, int32_t used[6]) {
    for (int k = 0; k < 6; k++) used[k] = -(axes >> (k % 3) & 1);
}

SAP__FORCE_INLINE int sap__same(const sap__box *a, const sap__box *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

#if SAP__WIDTH == 4
/* Loads the keys of a box: lo and hi x to a, lo z and hi to b; 0 on unused axes. */
SAP__FORCE_INLINE void sap__load_keys(const sap_aabb *box, const int32_t used[6], sap__i *a, sap__i *b) {
    const sap__i magnitude = sap__splat(SAP__MAGNITUDE);
    const sap__i first = sap__and(sap__load(box->min), sap__load(used));        /* min x, min y, min z, max x */
    const sap__i last = sap__and(sap__load(box->min + 2), sap__load(used + 2)); /* min z, max x, max y, max z */
    const sap__i sign_first = sap__signs(first), sign_last = sap__signs(last);
    *a = sap__sub(sap__xor(sap__and(first, magnitude), sign_first), sign_first);
    *b = sap__sub(sap__xor(sap__and(last, magnitude), sign_last), sign_last);
}
#endif

/* Encodes box to out. Returns -1, with out unchanged, if the box is invalid (NaN, or min > max, on a used axis), else 1
   if out changed, else 0. */
SAP__FORCE_INLINE int sap__encode(const sap_aabb *box, const int32_t used[6], sap__box *out) {
#if SAP__WIDTH == 4
    sap__i a, b;
    sap__load_keys(box, used, &a, &b);
    const sap__i is_nan = sap__or(sap__greater(sap__splat(-SAP__INFINITY), a), /* or min > max shows it */
                                  sap__greater(b, sap__splat(SAP__INFINITY)));
    const sap__i same = sap__and(sap__equal(a, sap__load(out->lo)), sap__equal(b, sap__load(out->lo + 2)));
    if (sap__bits(is_nan) | (sap__bits(sap__greater(a, sap__rotate(b))) & 7u)) return -1; /* min > max */
    sap__store(out->lo, a);
    sap__store(out->lo + 2, b);
    return sap__bits(same) != 15u;
#else
    sap__box now;
    int ok = 1;
    for (int k = 0; k < 3; k++) {
        now.lo[k] = sap__key(box->min[k]) & used[k];
        now.hi[k] = sap__key(box->max[k]) & used[k];
        ok &= (now.lo[k] <= now.hi[k]) & (now.lo[k] >= -SAP__INFINITY) & (now.hi[k] <= SAP__INFINITY);
    }
    const int changed = !sap__same(out, &now);
    if (!ok) return -1;
    *out = now;
    return changed;
#endif
}

/* Boxes are closed, so boxes that touch overlap. The test has no branches: each comparison is unpredictable. */
SAP__FORCE_INLINE int sap__overlap(const sap__box *a, const sap__box *b) {
#if SAP__WIDTH == 4
    sap__i lo_a = sap__load(a->lo), hi_a = sap__rotate(sap__load(a->lo + 2)); /* three lanes count */
    sap__i lo_b = sap__load(b->lo), hi_b = sap__rotate(sap__load(b->lo + 2));
    return (sap__bits(sap__or(sap__greater(lo_a, hi_b), sap__greater(lo_b, hi_a))) & 7u) == 0;
#else
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
           (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
#endif
}

SAP__FORCE_INLINE int sap__is_empty(const sap__box *box) {
    return box->lo[0] > box->hi[0];
}

SAP__FORCE_INLINE int sap__contains(const sap__box *a, const sap__box *b) {
    return (a->lo[0] <= b->lo[0]) & (a->lo[1] <= b->lo[1]) & (a->lo[2] <= b->lo[2]) & (a->hi[0] >= b->hi[0]) &
           (a->hi[1] >= b->hi[1]) & (a->hi[2] >= b->hi[2]);
}

SAP__FORCE_INLINE int32_t sap__endpoint_key(const sap__box *box, int axis, uint32_t is_max) {
    return is_max ? box->hi[axis] : box->lo[axis];
}

enum { SAP__ROUND_DOWN, SAP__ROUND_UP, SAP__ROUND_NEAREST };

/* Returns the float next to v in a direction, or v. It works on bits: machines may flush denormals to zero, and a cast
   of a double beyond all floats raises an exception, even in a branch not taken if the compiler casts before it
   branches. The float gets the first 24 digits of the double's magnitude; if digits were cut off and rounding goes away
   from zero, the key is the next one. */
static float sap__round(double v, int direction) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    const int sign = (int)(u >> 63), exponent = (int)(u >> 52 & 0x7ff) - 1023 + 127; /* of a float; below 1: denormal */
    const int cut = exponent > 0 ? 29 : exponent > -30 ? 30 - exponent : 62;
    const uint64_t hidden = UINT64_C(1) << 52, digits = (u & (hidden - 1)) | ((u >> 52 & 0x7ff) ? hidden : 0);
    const uint64_t half = UINT64_C(1) << (cut - 1), rest = digits & (2 * half - 1);
    const int is_beyond = exponent > 254;
    if (exponent == 2047 - 1023 + 127)
        return sap__float(digits == hidden ? (sign ? -SAP__INFINITY : SAP__INFINITY) : SAP__NAN);
    int32_t key = SAP__INFINITY - 1; /* of the largest float, if v is beyond it */
    if (!is_beyond) key = (int32_t)(digits >> cut) + (exponent > 0 ? (exponent - 1) * (1 << 23) : 0);
    if (direction == SAP__ROUND_NEAREST)
        key += is_beyond || rest + (uint64_t)(key & 1) > half;
    else
        key += (is_beyond || rest) && (direction == SAP__ROUND_UP) != sign;
    return sap__float(sign ? -key : key);
}

SAP__FORCE_INLINE int32_t sap__magnitude(int32_t key) {
    return key < 0 ? -key : key;
}

/* A float of 24 digits and five times one, of 27, have an exact sum as doubles, of 53 digits, if their exponents differ
   by at most this. Beyond it the smaller one is less than a unit of the larger one. */
enum { SAP__EXACT_APART = 53 - 27 - 1 };

/* Returns the key of the largest float that is not above key's float minus a margin, or plus some; an infinite bound
   stays. It is exact, so machines that compute with more digits agree. */
SAP__NO_INLINE int32_t sap__lower_by(int32_t key, double by) {
    const double sum = sap__double(sap__float(key)) - by;
    const int32_t magnitude = sap__magnitude(key);
    uint64_t u, v;
    memcpy(&u, &by, sizeof u);
    memcpy(&v, &sum, sizeof v);
    const int exponents = (magnitude >> 23) - ((int)(u >> 52 & 0x7ff) - 1023 + 127);
    const int is_exact = exponents >= -SAP__EXACT_APART && exponents <= SAP__EXACT_APART;
    const int64_t digits = (int64_t)(v << 1 >> 30) - ((INT64_C(1023) - 127) << 23);
    if (is_exact && digits >= 0x800000 && digits < SAP__INFINITY - 1) /* as a rule: a normal float, see sap__round */
        return v >> 63 ? -(int32_t)digits - ((v << 35) != 0) : (int32_t)digits;
    int32_t lower = sap__key(sap__round(is_exact ? sum : -by, SAP__ROUND_DOWN));
    if (exponents > SAP__EXACT_APART) lower = key - (by > 0);
    if (exponents < -SAP__EXACT_APART) lower -= key < 0 && sap__double(sap__float(lower)) == -by;
    if (magnitude == SAP__INFINITY) return key;
    return lower > -SAP__INFINITY ? lower : 1 - SAP__INFINITY;
}

/* Moves each used side of a box outward by a margin, or inward by some. It is rounded outward. */
static void sap__move_sides(sap__box *box, double by, const int32_t used[6]) {
    for (int k = 0; k < 3; k++) {
        box->lo[k] = sap__lower_by(box->lo[k], by) & used[k];
        box->hi[k] = -sap__lower_by(-box->hi[k], by) & used[k];
    }
}

SAP_DEF sap_aabb sap_aabb_from_doubles(const double min[3], const double max[3]) {
    sap_aabb box;
    for (int k = 0; k < 3; k++) {
        box.min[k] = min ? sap__round(min[k], SAP__ROUND_DOWN) : sap__float(SAP__NAN);
        box.max[k] = max ? sap__round(max[k], SAP__ROUND_UP) : sap__float(SAP__NAN);
    }
    return box;
}

/* ====================================================================================================== */
/* >> arrays: stb_ds arrays with checked growth, the one place that allocates                               */
/* ====================================================================================================== */

/* stb_ds writes through the pointer of a failed realloc. Capacity is therefore reserved first, by the functions here:

       sap__reserve(&a, n)      returns 0 if out of memory; a is then unchanged
       sap__push(a, x)          appends x; its capacity was reserved before
       sap__length(a), ...      stbds_arrlen as an int; a may point to const

   a points behind a header that ends in stb_ds's, and is aligned to a cache line, so that a node spans as few lines as
   possible:

       base [up to 63 bytes][base, wanted][length and capacity: stb_ds's header] a[0] a[1] ... */
typedef struct sap__array_header {
    char *base;    /* what the allocator returned */
    size_t wanted; /* the largest n that was reserved since the last trim, but by the call that made the array */
    stbds_array_header stb;
} sap__array_header;

enum {
    SAP__CACHE_LINE = 64,  /* bytes */
    SAP__SPARE_ITEMS = 16, /* a new array has room for as many at least, a trimmed one for as many more */
    SAP__TRIM_FROM = 256   /* more unused items than this are trimmed */
};

#define sap__header(a) ((sap__array_header *)(void *)(a)-1)
#define sap__reserve(pointer, n) sap__grow(pointer, sizeof **(pointer), (size_t)(n))
#define sap__length(a) ((a) ? (int)((const stbds_array_header *)(const void *)(a)-1)->length : 0)
#define sap__capacity(a) (stbds_arrcap(a) < INT_MAX ? (int)stbds_arrcap(a) : INT_MAX)
#define sap__push(a, x) ((void)((a)[stbds_header(a)->length++] = (x)))
#define sap__set_length(a, n) ((void)((a) ? stbds_header(a)->length = (size_t)(n) : 0))

static int sap__resize(void *pointer, size_t size, size_t capacity) {
    const size_t extra = SAP__CACHE_LINE - 1 + sizeof(sap__array_header);
    char *a, *base;
    memcpy(&a, pointer, sizeof a);
    sap__array_header *header = a ? sap__header(a) : NULL;
    const size_t kept = header ? header->stb.capacity < capacity ? header->stb.capacity : capacity : 0;
    const ptrdiff_t was_at = header ? a - header->base : 0;
    if (capacity > (SIZE_MAX / 2 - extra) / size) return 0;
    base = (char *)SAP_REALLOC(header ? header->base : NULL, extra + capacity * size);
    if (!base) return 0;
    a = base + extra - (uintptr_t)(base + extra) % SAP__CACHE_LINE;
    header = sap__header(a);
    if (was_at == 0)
        memset(header, 0, sizeof *header);
    else if (a != base + was_at)
        memmove(header, base + was_at - sizeof *header, sizeof *header + kept * size);
    header->base = base;
    header->stb.capacity = capacity;
    memcpy(pointer, &a, sizeof a);
    return 1;
}

SAP__NO_INLINE int sap__grow(void *pointer, size_t size, size_t n) {
    char *a;
    memcpy(&a, pointer, sizeof a);
    const size_t capacity = a ? sap__header(a)->stb.capacity : 0;
    if (a && n > sap__header(a)->wanted) sap__header(a)->wanted = n;
    if (n <= capacity) return 1;
    if (n < capacity + capacity / 8) n = capacity + capacity / 8; /* a push is amortised O(1) */
    if (n < SAP__SPARE_ITEMS) n = SAP__SPARE_ITEMS;
    return sap__resize(pointer, size, n);
}

/* Trimming frees more than half of an array if neither its length nor a call of sap__reserve since the last trim needed
   it. An array that is not reserved again shrinks to its length. */
#define sap__trim(pointer) sap__shrink(pointer, sizeof **(pointer))
SAP__NO_INLINE void sap__shrink(void *pointer, size_t size) {
    char *a;
    memcpy(&a, pointer, sizeof a);
    if (!a) return;
    sap__array_header *header = sap__header(a);
    const size_t most = header->wanted > header->stb.length ? header->wanted : header->stb.length;
    header->wanted = 0;
    if (header->stb.capacity > 2 * most + SAP__TRIM_FROM) (void)sap__resize(pointer, size, most + SAP__SPARE_ITEMS);
}

SAP__NO_INLINE void sap__free_array(void *pointer) {
    char *a;
    memcpy(&a, pointer, sizeof a);
    if (!a) return;
    SAP_FREE(sap__header(a)->base);
}

#define sap__bytes_of(a)                                                                                               \
    ((a) ? SAP__CACHE_LINE - 1 + sizeof(sap__array_header) + stbds_header(a)->capacity * sizeof *(a) : 0)

/* ====================================================================================================== */
/* >> sort: radix sort of 64-bit items                                                                      */
/* ====================================================================================================== */

/* An item is a 32-bit key above a 32-bit payload. */
SAP__FORCE_INLINE uint64_t sap__item(uint32_t key, uint32_t payload) {
    return (uint64_t)key << 32 | payload;
}

SAP__FORCE_INLINE int sap__count_bits(uint32_t bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return (int)(((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

SAP__FORCE_INLINE int sap__lowest_bit(uint64_t mask) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(mask);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long i = 0;
    (void)_BitScanForward64(&i, mask);
    return (int)i;
#else
    int i = 0;
    for (; !(mask & 1); mask >>= 1) i++;
    return i;
#endif
}

enum {
    SAP__FEW_ITEMS = 24, /* items at most that are sorted by insertion */
    SAP__DIGIT_BITS = 11 /* bits of a digit of the radix sort, at most */
};

/* One pass of the radix sort is a stable counting sort by `bits` bits from bit `bit` on. */
static void sap__sort_digit(const uint64_t *items, uint64_t *sorted, int n, int bit, int bits) {
    uint32_t position[1 << SAP__DIGIT_BITS], mask = (1u << bits) - 1, sum = 0;
    memset(position, 0, ((size_t)mask + 1) * sizeof *position);
    for (int i = 0; i < n; i++) position[items[i] >> bit & mask]++;
    for (uint32_t digit = 0; digit <= mask; digit++) {
        const uint32_t count = position[digit];
        position[digit] = sum;
        sum += count;
    }
    for (int i = 0; i < n; i++) sorted[position[items[i] >> bit & mask]++] = items[i];
}

/* Only bits in which items differ are sorted by. Each run of them is cut into equal digits, the lowest first. A digit
   has no more values than there are items:

       bits that differ   . . . . 1 1 1 1 1 1 1 1 1 1 1 1 . . . . . 1 1 1 1 1 1 1 1 1 1 . .
       passes                     [   4th   ] [   3rd   ]           [  2nd  ] [  1st  ]         */
static void sap__radix_sort(uint64_t *items, uint64_t *scratch, int n, int shift) {
    uint64_t *from = items, *to = scratch, differ = 0;
    for (int i = 1; i < n; i++) differ |= items[i] ^ items[0];
    differ = differ >> shift << shift;
    int most = SAP__DIGIT_BITS;
    while (1 << most > n) most--;
    while (differ) {
        const int bit = sap__lowest_bit(differ), run = sap__lowest_bit(~(differ >> bit >> 1)) + 1;
        const int digits = (run + most - 1) / most, bits = (run + digits - 1) / digits;
        sap__sort_digit(from, to, n, bit, bits);
        differ &= ~(((UINT64_C(1) << bits) - 1) << bit);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
}

/* Sorts n items stably by their bits from shift on: shift 32 sorts by keys. scratch has capacity for n items. */
static void sap__sort(uint64_t *items, uint64_t *scratch, int n, int shift) {
    if (n > SAP__FEW_ITEMS) sap__radix_sort(items, scratch, n, shift);
    for (int i = 1; i < n && n <= SAP__FEW_ITEMS; i++) {
        const uint64_t item = items[i];
        int at = i;
        for (; at > 0 && items[at - 1] >> shift > item >> shift; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Returns the index of an item in a sorted array: the last one that is not above it, searched from an index on. The
   search doubles its step until it is past the item, then halves it: a near item is cheap, any other takes O(log n). */
static int sap__find_item(const uint64_t *items, int from, int count, uint64_t item) {
    int step = 1;
    while (step < count - from && items[from + step] <= item) from += step, step *= 2;
    for (int n = step < count - from ? step : count - from; n > 1;) {
        const int half = n / 2;
        from += items[from + half] <= item ? half : 0; /* compiled without a branch, which could not be predicted */
        n -= half;
    }
    return from;
}

/* ====================================================================================================== */
/* >> world: everything one world holds                                                                     */
/* ====================================================================================================== */

/* Flags of a slot, in its low 9 bits. The high 8 bits are the generation of its id. */
enum {
    SAP__LIVE = 1, /* its id is valid */
    SAP__STATIC = 2,
    SAP__CHANGED = 4,   /* changed since the last update: is in changes.list */
    SAP__ADDED = 8,     /* added since the last update */
    SAP__REMOVED = 16,  /* removed since the last update: not live, and not yet free unless it is SAP__ADDED, too */
    SAP__REFILTER = 32, /* filters are asked again about all that it overlaps */
    SAP__UNSYNCED = 64, /* changed, and its tree does not have the change yet */
    SAP__GHOST = 128,   /* in an update: no leaf has its box of the last one, see sap__load_lane */
    SAP__TESTED = 256,  /* in a query: it was unsynced when that began, see sap__should_visit */
    SAP__CHANGE_FLAGS = SAP__STATIC | SAP__ADDED | SAP__REMOVED | SAP__REFILTER,
    SAP__FLAGS = 511
};
#define SAP__NONE 0xffffffffu
#define SAP__SLOT_MASK 0x00ffffffu
#define SAP__MAX_BOXES 0xffffff
enum {
    SAP__MIN_FREE_SLOTS = 256 /* free slots that wait, so that a removed id is rejected for 65,536 more removals */
};

/* Filter bits of a box, or the union of those of all boxes below a node. */
typedef struct sap__filter_bits {
    uint32_t category, mask;
} sap__filter_bits;

/* A slot is one cache line, so that random access costs one miss. box comes first: see sap__box_at. */
typedef struct sap__slot {
    sap__box box;      /* now */
    sap__box previous; /* at the last update; equal unless the slot has SAP__CHANGED */
    sap__filter_bits filter;
    uint32_t flags;         /* and the generation of its id */
    uint32_t leaf_position; /* tree, leaf and lane of the box, or SAP__NONE */
} sap__slot;

/* Queues of slots without a live box are linked through the max on z. Their box is empty on x, so it overlaps no other.
   A removed box keeps its filter bits for its last search. */
SAP__FORCE_INLINE uint32_t sap__next_free(const sap__slot *slot) {
    return (uint32_t)slot->box.hi[2];
}

/* A pair has two edges, pair * 2 in the list of id0's box and pair * 2 + 1 in the list of id1's box: see pairs. */
typedef struct sap__pair_edges {
    uint32_t next_edge[2], prev_edge[2]; /* edges, or SAP__NONE */
} sap__pair_edges;

enum {
    SAP__NODE_WIDTH = 16,                                                          /* lanes of a node */
    SAP__MAX_NODE_PAIRS = SAP__NODE_WIDTH * SAP__NODE_WIDTH / 2 + SAP__NODE_WIDTH, /* pairs that a kernel may append */
    SAP__MAX_LEVELS = 8,   /* 16 to the power of 7 boxes are more than there are */
    SAP__MAX_ROOTS = 3,    /* nodes of the highest level of a tree */
    SAP__PAIR_BATCH = 512, /* pairs that a search collects before it hands them on */
    SAP__WORK_LIST = 64    /* nodes or boxes that a search lists before it goes on with them */
};
typedef struct sap__node sap__node;
typedef struct sap__kernel sap__kernel;

/* The trees, by what a box is: see sap__tree_of. */
enum {
    SAP__TREE_MOVING,   /* boxes that may pair with their like */
    SAP__TREE_STATIC,   /* static ones */
    SAP__TREE_LONERS,   /* moving ones whose mask excludes their own category */
    SAP__TREE_UNPAIRED, /* boxes with no category or no mask: for queries alone */
    SAP__TREES
};

enum {
    SAP__TREE_EMPTY,       /* it holds nothing of use, and is to be packed */
    SAP__TREE_NEEDS_REFIT, /* boxes are in their leaves; bounds of those that moved, and all above, are old */
    SAP__TREE_VALID        /* it holds all live boxes of its kind, except unsynced ones */
};

/* A bounding volume hierarchy: see tree. Its arrays are parts of those of all trees: see sap__place_tree. */
typedef struct sap__bvh {
    sap__node *nodes;         /* leaves first, then level by level, the roots last */
    sap__box *bounds;         /* of each node */
    uint16_t *occupied;       /* of each node: lanes that hold something */
    sap__filter_bits *filter; /* of each node: those of all boxes below it, or more */
    sap__box *home;           /* of each leaf: see tree. All its boxes are in the home of its home */
    sap__node *before;        /* of each leaf: the boxes of the last update in its lanes, where has_before is set */
    uint8_t *has_before;      /* of each leaf: an update has written its boxes of the last update */
    int begin, room;          /* its part of the arrays: the first node, and the leaves that there is memory for */
    int levels, first[SAP__MAX_LEVELS], count[SAP__MAX_LEVELS]; /* of each level: its first node, how many there are */
    int state, boxes;                                           /* SAP__TREE_*; boxes in it */
    int young;                                                  /* the first leaf of the young */
    int newborn, appended;     /* the first leaf of the newborn; lanes of theirs that were filled */
    int packed, young_boxes;   /* boxes that were packed; boxes in it that are young or newborn */
    int is_rough, is_refitted; /* it was packed without cuts, to save time; this update has refitted it */
    int price, is_new;         /* of a pack, in looks a box; no search by all has been made since all were packed */
    long long looks, debt, all_looks; /* at the newborn; in vain; and all, since the pack that ends them: see tree */
    float usual, last;                /* looks a box in the first search by all after a pack of all, and in the last */
} sap__bvh;

/* Loops over many boxes or pairs are cut into tasks, for threads. Without threads one task runs over everything. */
enum {
    SAP__TASKS = 16,
    SAP__EVENT_COST = 4,      /* boxes of a loop that take as long as one created or deleted pair */
    SAP__THREADS_FROM = 16384 /* work of a loop that uses threads, in boxes: too much where these wake at once */
};

/* The life of an event: a task finds it, once, and pushes it as an item. A created pair is its two ids. A deleted pair
   is its index, behind a 0, as no id is 0. Where the tasks ran on threads the filter is asked after them. Then the
   events of all tasks are merged: created pairs stay in the first task, indices go to deleted_at, where scans write at
   once. Both are sorted by ids, and committed: no call can
   fail any more. See sap__commit_pairs. */
SAP__FORCE_INLINE int sap__is_created(uint64_t event) {
    return event >> 32 != 0;
}

typedef struct sap__task {       /* the output of a task of a search or of a refit */
    uint64_t *events;            /* created and deleted pairs, see sap__is_created */
    int filtered;                /* events that earlier searches found, and that the filter callback has accepted */
    int overflowed;              /* events was full: the task must run again, alone */
    int count, young;            /* boxes that the task of a refit took out of leaves, and those of young leaves */
    long long swaps, tests;      /* endpoints passed; boxes tested outside of trees, */
    long long looks[SAP__TREES]; /* and in each tree */
    char gap[SAP__CACHE_LINE];   /* to the next task: see sap__query_counters */
} sap__task;

/* Counters of queries, one for each few threads. The gap keeps the next ones out of their cache line, whatever address
   the world has. Nodes are counted in two words, as not every machine has atomic ones of 64 bits. */
enum { SAP__COUNTER_STRIPES = 8, SAP__VISIT_BATCH = 1000000000 /* nodes */ };
typedef struct sap__query_counters {
    int32_t queries, batches,
        visits[SAP__TREES]; /* callbacks that are running; nodes visited: in batches, and the rest */
    char gap[SAP__CACHE_LINE];
} sap__query_counters;

/* The tiles that boxes are sorted into when a tree is packed: see tiles. */
typedef struct sap__tile_grid {
    float origin[3], scale[3], last[3]; /* the tile of a box is (min + max - origin) * scale, from 0 to last; */
    float width[3];                     /* min + max - origin is limited to this, or the product might overflow */
    float large_size[3];                /* a longer box is large */
    int count[3];                       /* tiles on each axis */
    int axis_x, axis_y, axis_slice; /* columns of tiles stand across x and y, and are cut into slices along the third */
    uint32_t keys;                  /* tiles, and one for large boxes, the last */
    int is_sparse;                  /* boxes are small beside tiles */
} sap__tile_grid;

typedef void sap__task_function(sap_world *s, void *args, int task, int tasks);

/* The result of the current or the last call, and whether a callback is running. */
typedef struct sap__call {
    int in_callback, in_filter;
    sap_result last_error;
    int bad_argument; /* index in sap__arguments, if last_error is that of a rejected argument */
    int bad_element;  /* index of its invalid element, or -1 */
} sap__call;

/* A queue of slots without a live box: first in, first out. */
typedef struct sap__slot_queue {
    uint32_t first, last;
    int count;
} sap__slot_queue;

/* A removed box that an update has seen may be in pairs: its slot becomes free when the next update has reported them.
   One that no update has seen is in none, and its slot is free at once. */
typedef struct sap__box_table {
    uint64_t *live_bits[SAP__TREES]; /* by tree, see sap__tree_of: one bit a slot, set if it holds a live box */
    int tree_count[SAP__TREES];      /* live boxes by tree */
    sap__slot_queue free, removed;
    int held_count;               /* free slots, the last ones, that a running query may still read */
    int live_count, static_count; /* live boxes, static ones included; live static boxes */
    int filtered_count;           /* live boxes whose category or mask is not the default */
} sap__box_table;

/* The slots that changed since the last update. Those whose change the trees lack are unsynced: a query synchronises
   the trees. A slot that becomes free at once stays in both lists, and is in them when it is used again. So they are no
   longer than the slot array, though there may never be an update. */
typedef struct sap__change_list {
    uint32_t *list;        /* the slots with SAP__CHANGED, each once */
    uint32_t *unsynced;    /* the slots with SAP__UNSYNCED, each once */
    int tested;            /* of these, how many have SAP__TESTED: the first ones */
    uint32_t flags;        /* SAP__CHANGE_FLAGS that any of them may have; the others have none */
    int count[SAP__TREES]; /* during an update, the live boxes in the list by tree */
} sap__change_list;

/* The table of pairs, or the lists of pairs of each box. */
typedef struct sap__pair_index {
    int32_t is_valid; /* it is that of the active pairs; else it is built when a call needs it */
    int32_t edits;    /* pairs created or deleted since a call needed it */
} sap__pair_index;
enum { SAP__TABLE, SAP__LISTS, SAP__PAIR_INDICES };

/* The pair manager: see pairs. */
typedef struct sap__pair_manager {
    sap_pair *active, *created, *deleted;
    uint32_t *buckets, *next; /* of the table: the first pair of each bucket; of each pair the next one in its bucket */
    sap__pair_edges *edges;   /* of the lists, of each pair: see sap__edges_of */
    uint32_t *head_edge;      /* of the lists, of each slot */
    sap__pair_index index[SAP__PAIR_INDICES];
    int32_t lock;    /* not 0 while a getter builds an index */
    int sorted_from; /* active pairs from this index on are sorted by their ids */
    int old_objects; /* deleted pairs may lack objects that a callback has set: see sap__renew_objects */
    int is_restored; /* pairs may be fewer than the overlaps: the filter of the saved world may have rejected some */
} sap__pair_manager;

/* A SAP is the sorted endpoints of some boxes, an array for each used axis with a sentinel at each end: see
   endpoints. */
typedef struct sap__sap {
    uint64_t *sorted[3];
    int capacity, count; /* of each array: endpoints that fit, and endpoints in it, sentinels included */
} sap__sap;

/* The SAP of all boxes, or those of the cells of a grid: see sap_multi.h. */
typedef struct sap__endpoints {
    sap__sap sap;
    int valid;    /* it has, or they have, the boxes of the last update */
    int in_cells; /* they are in use */
} sap__endpoints;

/* The grid of SAPs, and all that sap.h calls of it. Without sap_multi.h no code is left, and a world that has a grid is
   rejected: see sap__begin_call. */
typedef struct sap__multi sap__multi;
#ifdef SAP_MULTI_IMPLEMENTATION
#define SAP__HAS_GRID
#define sap__lacks_grid(s) 0
#define sap__has_grid(s) ((s)->multi && (s)->config.method == SAP_METHOD_SORT)
#define sap__in_cells(s) ((s)->endpoints.in_cells)
static int sap__find_created_in_cells(sap_world *s); /* leaves in_cells 0 if one SAP is to find them */
static int sap__is_owner(const sap_world *s, const sap__sap *p, uint32_t a, uint32_t b); /* of this pair? */
static int sap__reserve_cells(sap__multi *m, int boxes);                                 /* of a grid, or NULL */
static void sap__drop_cells(sap_world *s);
static void sap__free_grid(sap__multi *m);
static const char *sap__validate_cells(const sap_world *s);
static void sap__count_cells(const sap_world *s, sap_stats *stats);
#else
#define sap__lacks_grid(s) ((s)->multi != NULL)
#define sap__has_grid(s) 0
#define sap__in_cells(s) 0
#define sap__find_created_in_cells(s) 1
#define sap__is_owner(s, p, a, b) 1
#define sap__reserve_cells(m, boxes) 1
#define sap__drop_cells(s) ((void)0)
#define sap__free_grid(m) ((void)0)
#define sap__validate_cells(s) NULL
#define sap__count_cells(s, stats) ((void)0)
#endif

typedef struct sap__query_state {
    sap__query_counters counters[SAP__COUNTER_STRIPES];
    long long
        charged; /* nodes visited since the last update that trees have been charged with; counters have the rest */
} sap__query_state;

/* The state of one update, and scratch memory. */
typedef struct sap__update_state {
    int method; /* a sap_method: of this update, or of the last one */
    sap__task task[SAP__TASKS];
    uint32_t *deleted_at;   /* indices of deleted pairs, ascending */
    uint32_t *newcomers;    /* slots of boxes that have no position, or are to lose it: see sap__sync_trees */
    int coming[SAP__TREES]; /* those that live, by tree */
    uint64_t *sort_items, *sort_scratch; /* items that a call lists or sorts, see sap__item, and room to sort them */
    sap_result failure;
    int events;           /* pairs created and deleted by the last update that had changes */
    int sort_votes;       /* for SORT, from 0 to SAP__MOST_VOTES: see sap__choose_method */
    int sorts;            /* AUTO takes SORT instead of PRUNE */
    long long most_swaps; /* of an update by SORT: if more ends pass each other it gives up, and goes on by PRUNE */
    long long swaps, tests;
    long long prune_tests; /* of the last update by PRUNE */
    long long upkeep;      /* boxes that packs and refits have touched since the last update began */
    int updates_since_trim;
    int is_reserved; /* the user has reserved memory: no array is trimmed */
} sap__update_state;

/* Threads, lent by sap_set_parallel. */
typedef struct sap__threads {
    sap_parallel_for *parallel_for; /* the user's */
    void *parallel_user;
    int min_parallel_work; /* boxes or pairs of a loop that are worth waking threads */
    int in_parallel;       /* tasks are running, and may not allocate or call the filter callback */
} sap__threads;

struct sap_world {
    sap_config config;
    int kernel;      /* index for sap__kernel_of; a world has no pointer to code, so that its library can be reloaded */
    int32_t used[6]; /* see sap__axes_used */
    sap__call call;

    sap__slot *slot_array; /* boxes, the free ones included */
    void **objects;        /* the user's, one a slot */
    sap__box *cores;       /* one a slot, see sap__is_free; NULL without a margin */
    sap__box_table boxes;
    sap__change_list changes;

    sap__pair_manager pairs;
    sap__bvh tree[SAP__TREES];
    sap__bvh forest; /* the arrays of all trees */
    sap__endpoints endpoints;
    sap__multi *multi; /* the grid; NULL without one */

    sap__query_state queries;
    sap__update_state update;
    sap__threads threads;
};

/* The list of all arrays of a world, except those of its tasks. A new array must be added here: it is then freed, and
   counted by sap_get_stats. Trimmed ones are those of pairs, events and scratch. */
/* clang-format off */
#define SAP__TRIMMED_ARRAYS(X)                                                                                         \
    X(pairs.active) X(pairs.created) X(pairs.deleted) X(pairs.buckets) X(pairs.next) X(pairs.edges)                    \
    X(update.deleted_at) X(update.newcomers) X(update.sort_items) X(update.sort_scratch)
#define SAP__ARRAYS(X)                                                                                                 \
    X(slot_array) X(objects) X(cores) X(pairs.head_edge) X(changes.list) X(changes.unsynced)                           \
    X(endpoints.sap.sorted[0]) X(endpoints.sap.sorted[1]) X(endpoints.sap.sorted[2])                                   \
    X(boxes.live_bits[0]) X(boxes.live_bits[1]) X(boxes.live_bits[2]) X(boxes.live_bits[3])                            \
    X(forest.nodes) X(forest.bounds) X(forest.occupied) X(forest.filter) X(forest.home) X(forest.before)               \
    X(forest.has_before) SAP__TRIMMED_ARRAYS(X)
/* clang-format on */

static void sap__free_arrays(sap_world *s) {
#define SAP__FREE_ARRAY(a) sap__free_array(&s->a);
    SAP__ARRAYS(SAP__FREE_ARRAY)
    for (int i = 0; i < SAP__TASKS; i++) sap__free_array(&s->update.task[i].events);
}

/* Returns the index of the first of n elements that a task handles; its end is where the next task begins. */
SAP__FORCE_INLINE int sap__task_begin(int n, int task, int tasks) {
    return (int)((long long)n * task / tasks);
}

/* Returns the number of tasks that a loop may have. */
SAP__FORCE_INLINE int sap__task_count(const sap_world *s) {
    return s->threads.parallel_for ? SAP__TASKS : 1;
}

typedef struct sap__job { /* the arguments of a job on a user's thread */
    sap_world *s;
    sap__task_function *function;
    void *args;
} sap__job;

static void sap__run_task(void *data, int index) {
    const sap__job *job = (const sap__job *)data;
    (job->function)(job->s, job->args, index, SAP__TASKS);
}

/* Runs a function in tasks, none of which writes memory that another one uses. The user's threads are used if work, the
   number of boxes or pairs, is worth waking them. Returns the number of tasks. */
SAP__NO_INLINE int sap__parallel_for(sap_world *s, sap__task_function *function, void *args, long long work) {
    if (!s->threads.parallel_for || work < s->threads.min_parallel_work) {
        (function)(s, args, 0, 1);
        return 1;
    }
    SAP_ASSERT(!s->threads.in_parallel && "tasks start no tasks");
    sap__job job = {s, function, args};
    s->threads.in_parallel = 1;
    (s->threads.parallel_for)(sap__run_task, &job, SAP__TASKS, s->threads.parallel_user);
    s->threads.in_parallel = 0;
    return SAP__TASKS;
}

/* A large world does not fit in the cache, and nearly half of an update would wait for memory. So loops with random
   access prefetch boxes PREFETCH_AHEAD elements ahead, and nodes and lists, which are larger, a few elements ahead. */
enum {
    SAP__PREFETCH_AHEAD = 48,
    SAP__CACHE_BOXES = 12288 /* boxes that fit in the cache */
};

/* Returns the index from which on a loop over n elements no longer prefetches, or less than 1 if it never does. */
SAP__FORCE_INLINE int sap__prefetch_end(const sap_world *s, int n) {
    return sap__length(s->slot_array) > SAP__CACHE_BOXES ? n - SAP__PREFETCH_AHEAD : 0;
}

/* Prefetches are always inlined, because gcc omits calls without effects. */
SAP__FORCE_INLINE void sap__prefetch_slot(const sap_world *s, uint32_t slot) {
    sap__prefetch(&s->slot_array[slot]);
}

SAP__FORCE_INLINE void sap__prefetch_box(const sap__box *box) { /* it may span two cache lines */
    sap__prefetch(box);
    sap__prefetch((const char *)(const void *)(box + 1) - 1);
}

SAP__FORCE_INLINE uint32_t sap__slot_of(sap_id id) {
    return (id & SAP__SLOT_MASK) - 1;
}

SAP__FORCE_INLINE sap_id sap__id_of(const sap_world *s, uint32_t slot) {
    return (s->slot_array[slot].flags & ~(uint32_t)SAP__FLAGS) | (slot + 1);
}

/* Returns the tree that a live box belongs in. */
SAP__FORCE_INLINE int sap__tree_of(const sap__slot *slot) {
    const uint32_t category = slot->filter.category, mask = slot->filter.mask;
    const int unpaired = (category == 0) | (mask == 0), is_static = (slot->flags & SAP__STATIC) != 0;
    const int loner = ((category & mask) == 0) & !is_static;
    return (is_static | unpaired) + 2 * (loner | unpaired); /* without a branch, as many loops go over all boxes */
}

/* Returns the number of live boxes that may move and be in pairs. */
SAP__FORCE_INLINE int sap__moving_count(const sap_world *s) {
    return s->boxes.tree_count[SAP__TREE_MOVING] + s->boxes.tree_count[SAP__TREE_LONERS];
}

/* Returns the first slot from `slot` on with a live box, or SAP__NONE. It skips 64 empty slots at a time, so loops over
   boxes do not get slower by slots that were used long ago. */
static uint32_t sap__next_live(const sap_world *s, uint32_t slot) {
    const uint32_t words = ((uint32_t)sap__length(s->slot_array) + 63) / 64;
    uint32_t shift = slot % 64;
    for (uint32_t i = slot / 64; i < words; i++, shift = 0) {
        uint64_t bits = 0;
        for (int tree = 0; tree < SAP__TREES; tree++) bits |= s->boxes.live_bits[tree][i];
        bits >>= shift;
        if (bits) return 64 * i + shift + (uint32_t)sap__lowest_bit(bits);
    }
    return SAP__NONE;
}

SAP__FORCE_INLINE int sap__should_collide(const sap__filter_bits *a, const sap__filter_bits *b) {
    return (a->category & b->mask) && (b->category & a->mask);
}

SAP__FORCE_INLINE int sap__contains_bits(const sap__filter_bits *all, const sap__filter_bits *some) {
    return ((some->category & ~all->category) | (some->mask & ~all->mask)) == 0;
}

SAP__FORCE_INLINE void sap__add_bits(sap__filter_bits *to, const sap__filter_bits *bits) {
    to->category |= bits->category;
    to->mask |= bits->mask;
}

static const sap__filter_bits sap__default_filter_bits = {1, ~0u}; /* of an added box */

SAP__FORCE_INLINE int sap__is_default_filter(const sap__filter_bits *filter) {
    return filter->category == sap__default_filter_bits.category && filter->mask == sap__default_filter_bits.mask;
}

/* Adds (1) or subtracts (-1) a live box in all counts. It is subtracted before its tree or its filter bits change, and
   added after that. */
SAP__FORCE_INLINE void sap__count_box(sap_world *s, uint32_t slot, int change) {
    const int tree = sap__tree_of(&s->slot_array[slot]);
    SAP_ASSERT((int)(s->boxes.live_bits[tree][slot / 64] >> slot % 64 & 1) == (change < 0));
    s->boxes.live_bits[tree][slot / 64] ^= UINT64_C(1) << slot % 64;
    s->boxes.tree_count[tree] += change;
    s->boxes.live_count += change;
    if (s->slot_array[slot].flags & SAP__STATIC) s->boxes.static_count += change;
    if (!sap__is_default_filter(&s->slot_array[slot].filter)) s->boxes.filtered_count += change;
}

/* Marks a tree as empty: it is packed before it is used again. */
static void sap__drop_tree(sap__bvh *t) {
    t->state = SAP__TREE_EMPTY;
    t->levels = 1;
    t->count[0] = t->boxes = t->young = t->newborn = t->appended = t->young_boxes = 0;
}

static void sap__drop_trees(sap_world *s) {
    for (int tree = 0; tree < SAP__TREES; tree++) sap__drop_tree(&s->tree[tree]);
}

/* Returns whether every live box is in its tree as it is now, and every bound is right. Branches are faster here: four
   words that compilers gather into a vector cost a small query a tenth. */
static int sap__are_trees_synced(const sap_world *s) {
    for (int tree = 0; tree < SAP__TREES; tree++)
        if (s->tree[tree].state != SAP__TREE_VALID && s->boxes.tree_count[tree]) return 0;
    return sap__length(s->changes.unsynced) == 0;
}

/* Returns whether the id of its slot is valid. */
SAP__FORCE_INLINE int sap__is_live(const sap__slot *slot, sap_id id) {
    return (slot->flags & (~SAP__SLOT_MASK | SAP__LIVE)) == ((id & ~SAP__SLOT_MASK) | SAP__LIVE);
}

/* Returns the slot of a live box, or SAP__NONE. Id 0 has none: the slot 0 - 1 is beyond any. */
SAP__FORCE_INLINE uint32_t sap__live_slot(const sap_world *s, sap_id id) {
    const uint32_t slot = sap__slot_of(id);
    if (slot >= (uint32_t)sap__length(s->slot_array)) return SAP__NONE;
    return sap__is_live(&s->slot_array[slot], id) ? slot : SAP__NONE;
}

/* Returns whether an id may be used to read pairs: it is live, or was removed since the last update. */
static int sap__is_pair_id(const sap_world *s, sap_id id) {
    uint32_t slot = sap__slot_of(id);
    return slot < (uint32_t)sap__length(s->slot_array) && (s->slot_array[slot].flags & (SAP__LIVE | SAP__REMOVED)) &&
           sap__id_of(s, slot) == id;
}

/* Returns how many queries with a callback are running. The trees must not change meanwhile. */
SAP__NO_INLINE int sap__is_querying(const sap_world *s) {
    int n = 0;
    for (int i = 0; i < SAP__COUNTER_STRIPES; i++)
        n += sap__atomic_get(&((sap_world *)(uintptr_t)s)->queries.counters[i].queries);
    return n;
}

/* Returns whether a callback is running, of sap_dump_pairs, of the filter or of a query. */
static int sap__is_busy(const sap_world *s) {
    return s->call.in_callback || s->call.in_filter || sap__is_querying(s);
}

/* Names of arguments. A world holds an index, because a pointer would not survive a reload of the library. */
static const char *const sap__arguments[] = {NULL,    "a",      "axes",      "b",     "bounds",  "box",
                                             "boxes", "buffer", "cell_size", "cells", "entries", "grid",
                                             "id",    "index",  "margin",    "n",     "offset",  "pairs"};

/* Sets the result of a call that rejects an argument, or one element of it (else element is -1). */
static sap_result sap__bad_argument(sap_world *s, sap_result r, const char *argument, int element) {
    s->call.bad_argument = 0;
    for (int i = 1; i < (int)(sizeof sap__arguments / sizeof *sap__arguments); i++)
        if (strcmp(sap__arguments[i], argument) == 0) s->call.bad_argument = i;
    SAP_ASSERT(s->call.bad_argument && "the table has every argument that is rejected");
    s->call.bad_element = element;
    return s->call.last_error = r;
}

/* Begins a call that may change the world; bad is the name of an invalid argument, or NULL. The filter callback may
   make no such call. Other callbacks may make those that only add to the list of changes, not those that act at
   once. */
SAP__FORCE_INLINE sap_result sap__begin_call(sap_world *s, const char *bad, int acts_at_once) {
    if (!s) return SAP_ERROR_ARGUMENT;
    if (acts_at_once & sap__lacks_grid(s)) bad = "grid";
    if (bad) return sap__bad_argument(s, SAP_ERROR_ARGUMENT, bad, -1);
    const int is_busy = acts_at_once ? sap__is_busy(s) : s->call.in_filter;
    return s->call.last_error = is_busy ? SAP_ERROR_BUSY : SAP_OK;
}

/* Notes why an update fails. Returns 0. */
static int sap__fail(sap_world *s, sap_result r) {
    s->update.failure = r;
    return 0;
}

#ifdef SAP_TRACE
enum { SAP__TRACES = 1 };
#define sap__trace(event, axis, s, a, b) SAP_TRACE(event, axis, sap__id_of(s, a), sap__id_of(s, b))
#else
enum { SAP__TRACES = 0 };
#define sap__trace(event, axis, s, a, b) ((void)0)
#endif

/* One by one or all: from which part of changed boxes on all are looked at. */
enum {
    SAP__PRUNE_PART = 8, /* AUTO prunes if more than 1 / 8 of the moving boxes changed, else it queries */
    SAP__QUERY_COST = 8, /* boxes of a join that take as long as one that searches alone */
    SAP__SCAN_PART = 8,  /* all pairs are looked at if more than 1 / 8 of the boxes may have lost some, else lists */
    SAP__MOVE_PART = 8   /* every end in a grid is read if more than 1 / 8 of the boxes changed */
};

/* ====================================================================================================== */
/* >> changes: add, move, remove, and the list of slots that changed since the last update                  */
/* ====================================================================================================== */

/* Marks a slot as changed, and adds it to the lists that it is not in yet. This cannot fail, because they have capacity
   for every slot. An added box overlapped nothing before, so it needs no refilter. */
SAP__FORCE_INLINE void sap__mark_changed(sap_world *s, uint32_t slot, uint32_t flags) {
    const uint32_t before = s->slot_array[slot].flags;
    if (before & SAP__ADDED) flags &= ~(uint32_t)SAP__REFILTER;
    if (!(before & SAP__UNSYNCED)) {
        sap__push(s->changes.unsynced, slot);
        if (!(before & SAP__CHANGED)) sap__push(s->changes.list, slot);
    }
    s->slot_array[slot].flags = before | flags | SAP__CHANGED | SAP__UNSYNCED;
    s->changes.flags |= (before | flags) & SAP__CHANGE_FLAGS;
}

/* Reserves all arrays that have an element for each slot. The list of changes is the last one, so the others have its
   capacity even if memory runs out. */
static int sap__reserve_boxes(sap_world *s, int n) {
    int capacity = sap__capacity(s->changes.list);
    if (n <= capacity) return 1;
    capacity = n > capacity + capacity / 2 ? n : capacity + capacity / 2;
    for (int tree = 0; tree < SAP__TREES; tree++)
        if (!sap__reserve(&s->boxes.live_bits[tree], capacity / 64 + 1)) return 0;
    if (sap__float_bits(s->config.margin) && !sap__reserve(&s->cores, capacity)) return 0;
    return sap__reserve(&s->slot_array, capacity) && sap__reserve(&s->objects, capacity) &&
           sap__reserve(&s->pairs.head_edge, capacity) && sap__reserve(&s->changes.unsynced, capacity) &&
           sap__reserve(&s->changes.list, capacity);
}

/* Appends slots to a queue, which are linked from first to last. */
static void sap__append_slots(sap_world *s, sap__slot_queue *queue, uint32_t first, uint32_t last, int n) {
    if (queue->count)
        s->slot_array[queue->last].box.hi[2] = (int32_t)first; /* see sap__next_free */
    else
        queue->first = first;
    queue->last = last;
    queue->count += n;
}

/* Returns the slot that has been free the longest if more than SAP__MIN_FREE_SLOTS may be used again, or if no more can
   be made; else a new slot. One that is in the list of changes still stays in it, and may still be in a tree. Slots
   freed in a callback of a query are held: that query may find their old boxes in a tree, and must not see new ones. */
static uint32_t sap__alloc_slot(sap_world *s) {
    uint32_t slot = (uint32_t)sap__length(s->slot_array);
    if (s->boxes.free.count - s->boxes.held_count > SAP__MIN_FREE_SLOTS || slot == SAP__MAX_BOXES) {
        slot = s->boxes.free.first;
        sap__slot *old = &s->slot_array[slot];
        SAP_ASSERT(s->boxes.free.count > 0 && !(old->flags & SAP__LIVE));
        s->boxes.free.first = sap__next_free(old);
        s->boxes.free.count--;
        if (!(old->flags & SAP__CHANGED)) old->leaf_position = SAP__NONE;
        old->flags &= ~(uint32_t)SAP__FLAGS | SAP__CHANGED | SAP__UNSYNCED;
        old->flags += 0x01000000u; /* the next generation of its id */
        return slot;
    }
    SAP_ASSERT((int)slot < sap__capacity(s->changes.list) && "the list of changes has capacity for every slot");
    sap__set_length(s->slot_array, slot + 1);
    s->slot_array[slot].flags = 0;
    s->slot_array[slot].leaf_position = SAP__NONE;
    for (int tree = 0; tree < SAP__TREES && slot % 64 == 0; tree++) s->boxes.live_bits[tree][slot / 64] = 0;
    return slot;
}

/* Checks that ids are valid, and that boxes are. Either may be NULL. */
static sap_result sap__check_many(sap_world *s, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap__box encoded = sap__empty_box;
    const int prefetch_end = ids ? sap__prefetch_end(s, n) : 0;
    for (int i = 0; ids && i < n; i++) {
        if (i < prefetch_end) sap__prefetch_slot(s, sap__slot_of(ids[i + SAP__PREFETCH_AHEAD]));
        if (sap__live_slot(s, ids[i]) == SAP__NONE) return sap__bad_argument(s, SAP_ERROR_ID, "id", i);
    }
    for (int i = 0; boxes && i < n; i++)
        if (sap__encode(&boxes[i], s->used, &encoded) < 0) return sap__bad_argument(s, SAP_ERROR_BOX, "box", i);
    return SAP_OK;
}

/* Returns whether a move is free in a world with a margin: the stored box contains the box, and no side is farther
   inside than that of the core. NaN is outside. Integers are compared, so all machines agree. */
SAP__FORCE_INLINE int sap__is_free(const sap__box *stored, const sap__box *core, const sap_aabb *box,
                                   const int32_t used[6]) {
#if SAP__WIDTH == 4
    sap__i a, b;
    sap__load_keys(box, used, &a, &b);
    const sap__i lo = sap__or(sap__greater(sap__load(stored->lo), a), sap__greater(a, sap__load(core->lo)));
    const sap__i hi = sap__or(sap__greater(b, sap__load(stored->lo + 2)), sap__greater(sap__load(core->lo + 2), b));
    return ((sap__bits(sap__or(lo, sap__greater(a, sap__rotate(b)))) & 7u) | (sap__bits(hi) & 14u)) == 0;
#else
    sap__box now = sap__empty_box;
    return sap__encode(box, used, &now) >= 0 && sap__contains(stored, &now) && sap__contains(&now, core);
#endif
}

/* Returns the core of a stored box: its sides moved in by five margins, or the box itself if it is static. It may be
   inside out. */
SAP__NO_INLINE sap__box sap__core_of(const sap_world *s, uint32_t slot) {
    sap__box core = s->slot_array[slot].box;
    if (!(s->slot_array[slot].flags & SAP__STATIC)) sap__move_sides(&core, -5 * sap__double(s->config.margin), s->used);
    return core;
}

/* Makes the core of a box that is stored, for all moves to come. */
SAP__FORCE_INLINE void sap__set_core(sap_world *s, uint32_t slot) {
    if (s->cores) s->cores[slot] = sap__core_of(s, slot);
}

/* Stores a box in a world with a margin, enlarged if it moves. Returns as sap__store_box does. */
SAP__NO_INLINE int sap__store_enlarged(sap_world *s, uint32_t slot, const sap_aabb *box) {
    sap__slot *to = &s->slot_array[slot];
    sap__box now = sap__empty_box;
    if (sap__encode(box, s->used, &now) < 0) return -1;
    if (!(to->flags & SAP__STATIC)) sap__move_sides(&now, sap__double(s->config.margin), s->used);
    if (sap__same(&to->box, &now)) return 0;
    to->box = now;
    sap__set_core(s, slot);
    return 1;
}

/* Stores a box in a slot, unless a margin makes that free. Returns -1 if the box is invalid, else 1 if the stored box
   changed, else 0. */
SAP__FORCE_INLINE int sap__store_box(sap_world *s, uint32_t slot, const sap_aabb *box) {
    return s->cores ? sap__store_enlarged(s, slot, box) : sap__encode(box, s->used, &s->slot_array[slot].box);
}

static void sap__add_filter(sap_world *s, uint32_t slot); /* see tree */

static sap_result sap__add(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids,
                           uint32_t flags) {
    const char *bad = n < 0 ? "n" : n && !boxes ? "box" : n && !ids ? "id" : NULL;
    sap_result r = sap__begin_call(s, bad, 0);
    if (r == SAP_OK) r = sap__check_many(s, n, NULL, boxes);
    if (r != SAP_OK) return r;
    const int slot_count = sap__length(s->slot_array), free_slots = s->boxes.free.count - s->boxes.held_count;
    const int reusable = free_slots > SAP__MIN_FREE_SLOTS ? free_slots - SAP__MIN_FREE_SLOTS : 0;
    if (n > SAP__MAX_BOXES - slot_count + free_slots ||
        (s->config.max_boxes && n > s->config.max_boxes - s->boxes.live_count))
        return s->call.last_error = SAP_ERROR_LIMIT;
    const int needed = slot_count + n - reusable; /* beyond SAP__MAX_BOXES all free slots are used */
    if (!sap__reserve_boxes(s, needed < SAP__MAX_BOXES ? needed : SAP__MAX_BOXES))
        return s->call.last_error = SAP_ERROR_MEMORY;
    const int tree = flags & SAP__STATIC ? SAP__TREE_STATIC : SAP__TREE_MOVING;
    for (int i = 0; i < n; i++) {
        const uint32_t slot = sap__alloc_slot(s);
        sap__slot *to = &s->slot_array[slot];
        to->box = to->previous = sap__empty_box;
        to->flags |= flags;
        (void)sap__store_box(s, slot, &boxes[i]);
        to->filter = sap__default_filter_bits;
        if (to->leaf_position != SAP__NONE) sap__add_filter(s, slot);
        s->objects[slot] = objects ? objects[i] : NULL;
        if (s->pairs.index[SAP__LISTS].is_valid) s->pairs.head_edge[slot] = SAP__NONE;
        sap__mark_changed(s, slot, SAP__LIVE | SAP__ADDED);
        s->boxes.live_bits[tree][slot / 64] |= UINT64_C(1) << slot % 64;
        ids[i] = sap__id_of(s, slot);
    }
    s->boxes.tree_count[tree] += n;
    s->boxes.live_count += n;
    if (flags & SAP__STATIC) s->boxes.static_count += n;
    return r;
}

SAP_DEF sap_id sap_add(sap_world *s, const sap_aabb *box, void *object) {
    sap_id id = 0;
    (void)sap__add(s, 1, box, &object, &id, 0);
    return id;
}

SAP_DEF sap_id sap_add_static(sap_world *s, const sap_aabb *box, void *object) {
    sap_id id = 0;
    (void)sap__add(s, 1, box, &object, &id, SAP__STATIC);
    return id;
}

SAP_DEF sap_result sap_add_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids) {
    return sap__add(s, n, boxes, objects, ids, 0);
}

SAP_DEF sap_result sap_add_static_many(sap_world *s, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids) {
    return sap__add(s, n, boxes, objects, ids, SAP__STATIC);
}

/* Returns the first index from i on of a move that is not free, or n. A loop of its own keeps what it needs in
   registers. */
SAP__NO_INLINE int sap__skip_free(const sap_world *s, int i, int n, const sap_id *ids, const sap_aabb *boxes) {
    const int prefetch_end = sap__prefetch_end(s, n);
    for (; i < n; i++) {
        const uint32_t slot = sap__live_slot(s, ids[i]);
        if (i < prefetch_end) sap__prefetch_slot(s, sap__slot_of(ids[i + SAP__PREFETCH_AHEAD]));
        if (slot == SAP__NONE) break;
        if (!sap__is_free(&s->slot_array[slot].box, &s->cores[slot], &boxes[i], s->used)) break;
    }
    return i;
}

/* Moves boxes of a world without a margin, and returns the index of the first invalid element, or n. The loop keeps
   what it needs in registers, as to a compiler each store might change the world: compare sap__mark_changed. */
SAP__NO_INLINE int sap__move_all(sap_world *s, int n, const sap_id *ids, const sap_aabb *boxes) {
    sap__slot *const slot_array = s->slot_array;
    uint32_t *const list = s->changes.list, *const unsynced = s->changes.unsynced;
    const uint32_t slot_count = (uint32_t)sap__length(slot_array);
    const int prefetch_end = sap__prefetch_end(s, n);
    int32_t used[6];
    uint32_t flags = 0;
    int i = 0, listed = sap__length(list), waiting = sap__length(unsynced);
    memcpy(used, s->used, sizeof used);
    for (; i < n; i++) {
        const uint32_t slot = sap__slot_of(ids[i]);
        if (i < prefetch_end) sap__prefetch(&slot_array[sap__slot_of(ids[i + SAP__PREFETCH_AHEAD])]);
        if (slot >= slot_count || !sap__is_live(&slot_array[slot], ids[i])) break;
        const uint32_t before = slot_array[slot].flags;
        const int difference = sap__encode(&boxes[i], used, &slot_array[slot].box);
        if (difference < 0) break;
        if (!difference || (before & SAP__UNSYNCED)) continue;
        unsynced[waiting++] = slot;
        if (!(before & SAP__CHANGED)) list[listed++] = slot;
        slot_array[slot].flags = before | SAP__CHANGED | SAP__UNSYNCED;
        flags |= before;
    }
    sap__set_length(s->changes.list, listed);
    sap__set_length(s->changes.unsynced, waiting);
    s->changes.flags |= flags & SAP__CHANGE_FLAGS;
    return i;
}

/* Makes a move that is not free. */
SAP__NO_INLINE sap_result sap__move(sap_world *s, sap_id id, const sap_aabb *box) {
    const uint32_t slot = sap__live_slot(s, id);
    if (slot == SAP__NONE) return sap__bad_argument(s, SAP_ERROR_ID, "id", 0);
    const int difference = sap__store_box(s, slot, box);
    if (difference < 0) return sap__bad_argument(s, SAP_ERROR_BOX, "box", 0);
    if (difference) sap__mark_changed(s, slot, 0);
    return SAP_OK;
}

/* If nothing has changed since the last update, as usual, one pass checks and moves all boxes, which saves a tenth of a
   frame in which all move. An error undoes it from the boxes of the last update. Otherwise all are checked first. */
SAP_DEF sap_result sap_move_many(sap_world *s, int n, const sap_id *ids, const sap_aabb *boxes) {
    const char *bad = n < 0 ? "n" : n && !ids ? "id" : n && !boxes ? "box" : NULL;
    sap_result r = sap__begin_call(s, bad, 0);
    if (r == SAP_OK && sap__length(s->changes.list)) r = sap__check_many(s, n, ids, boxes);
    if (r != SAP_OK) return r;
    int i = s->cores ? sap__skip_free(s, 0, n, ids, boxes) : sap__move_all(s, n, ids, boxes);
    while (i < n && s->cores && sap__move(s, ids[i], &boxes[i]) == SAP_OK) i = sap__skip_free(s, i + 1, n, ids, boxes);
    if (i == n) return r;
    for (i = 0; i < sap__length(s->changes.list); i++) {
        sap__slot *slot = &s->slot_array[s->changes.list[i]];
        slot->box = slot->previous;
        slot->flags &= ~(uint32_t)(SAP__CHANGED | SAP__UNSYNCED);
        sap__set_core(s, s->changes.list[i]);
    }
    sap__set_length(s->changes.list, 0);
    sap__set_length(s->changes.unsynced, 0);
    s->changes.flags = 0;
    return sap__check_many(s, n, ids, boxes); /* it finds the invalid element */
}

SAP_DEF sap_result sap_move(sap_world *s, sap_id id, const sap_aabb *box) {
    if (!s || !box || s->call.in_filter) return sap__begin_call(s, box ? NULL : "box", 0);
    const uint32_t slot = s->cores ? sap__live_slot(s, id) : SAP__NONE;
    s->call.last_error = SAP_OK;
    if (slot != SAP__NONE && sap__is_free(&s->slot_array[slot].box, &s->cores[slot], box, s->used)) return SAP_OK;
    return sap__move(s, id, box);
}

/* Ends the life of a box. Its slot becomes free at the update, or at once if no update has seen it. */
SAP__FORCE_INLINE void sap__remove_slot(sap_world *s, uint32_t slot) {
    const int was_seen = !(s->slot_array[slot].flags & SAP__ADDED);
    sap__count_box(s, slot, -1);
    s->slot_array[slot].flags &= ~(uint32_t)SAP__LIVE;
    s->slot_array[slot].box = sap__empty_box;
    sap__mark_changed(s, slot, SAP__REMOVED);
    sap__append_slots(s, was_seen ? &s->boxes.removed : &s->boxes.free, slot, slot, 1);
    if (!was_seen && sap__is_querying(s)) s->boxes.held_count++;
}

SAP_DEF sap_result sap_remove_many(sap_world *s, int n, const sap_id *ids) {
    sap_result r = sap__begin_call(s, n < 0 ? "n" : n && !ids ? "id" : NULL, 0);
    if (r != SAP_OK) return r;
    int live = 0; /* each id loses its flag as it is checked, so a duplicate is invalid */
    for (; live < n && sap__live_slot(s, ids[live]) != SAP__NONE; live++)
        s->slot_array[sap__slot_of(ids[live])].flags &= ~(uint32_t)SAP__LIVE;
    for (int i = 0; live < n && i < live; i++) s->slot_array[sap__slot_of(ids[i])].flags |= SAP__LIVE;
    if (live < n) return sap__bad_argument(s, SAP_ERROR_ID, "id", live);
    for (int i = 0; i < n; i++) sap__remove_slot(s, sap__slot_of(ids[i]));
    return r;
}

SAP_DEF sap_result sap_remove(sap_world *s, sap_id id) {
    return sap_remove_many(s, 1, &id);
}

SAP_DEF sap_result sap_clear(sap_world *s) {
    sap_result r = sap__begin_call(s, NULL, 0);
    if (r != SAP_OK) return r;
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++) sap__remove_slot(s, slot);
    return r;
}

/* Begins a call on n boxes, whose ids must be valid. */
SAP__NO_INLINE sap_result sap__begin_call_on(sap_world *s, int n, const sap_id *ids) {
    const sap_result r = sap__begin_call(s, n < 0 ? "n" : n && !ids ? "id" : NULL, 0);
    return r == SAP_OK ? sap__check_many(s, n, ids, NULL) : r;
}

SAP_DEF sap_result sap_refilter(sap_world *s, sap_id id) {
    const sap_result r = sap__begin_call_on(s, 1, &id);
    if (r == SAP_OK) sap__mark_changed(s, sap__slot_of(id), SAP__REFILTER);
    return r;
}

/* Sets the filter and the flags of a box, and counts it as one of the tree that it belongs in now. */
SAP__NO_INLINE void sap__set_kind(sap_world *s, uint32_t slot, sap__filter_bits filter, uint32_t flags) {
    sap__count_box(s, slot, -1);
    s->slot_array[slot].filter = filter;
    s->slot_array[slot].flags = flags;
    sap__count_box(s, slot, 1);
    sap__mark_changed(s, slot, SAP__REFILTER);
}

SAP_DEF sap_result sap_set_static(sap_world *s, sap_id id, int is_static) {
    const sap_result r = sap__begin_call_on(s, 1, &id);
    const uint32_t slot = sap__slot_of(id);
    if (r == SAP_OK && !(s->slot_array[slot].flags & SAP__STATIC) != !is_static) {
        sap__set_kind(s, slot, s->slot_array[slot].filter, s->slot_array[slot].flags ^ SAP__STATIC);
        sap__set_core(s, slot);
    }
    return r;
}

SAP_DEF sap_result sap_set_pair_filter(sap_world *s, sap_filter *filter, void *user) {
    sap_result r = sap__begin_call(s, NULL, 0);
    if (r != SAP_OK) return r;
    s->config.filter = filter;
    s->config.filter_user = user;
    for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++)
        sap__mark_changed(s, slot, SAP__REFILTER);
    return r;
}

SAP_DEF sap_result sap_shift_origin(sap_world *s, const float offset[3]) {
    sap_result r = sap__begin_call(s, offset ? NULL : "offset", 1);
    if (r != SAP_OK) return r;
    int may_overflow = 0; /* the largest float minus 1e30 rounds to itself */
    for (int k = 0; k < 3; k++) {
        if (s->used[k] && !sap__is_finite(offset[k])) return sap__bad_argument(s, SAP_ERROR_ARGUMENT, "offset", k);
        may_overflow |= s->used[k] && (offset[k] > 1e30f || offset[k] < -1e30f);
    }
    /* A double has more than twice the digits of a float, so rounding twice equals rounding once. */
    for (int pass = !may_overflow; pass < 2; pass++) /* pass 0 checks that all bounds stay finite */
        for (uint32_t slot = 0; (slot = sap__next_live(s, slot)) != SAP__NONE; slot++) {
            sap__box box = s->slot_array[slot].box;
            for (int i = 0; i < 6; i++) {
                const int k = i / 2;
                int32_t *bound = i & 1 ? &box.hi[k] : &box.lo[k];
                const float old = sap__float(*bound);
                if (!s->used[k] || !sap__is_finite(old)) continue;
                const float moved = sap__round(sap__double(old) - sap__double(offset[k]), SAP__ROUND_NEAREST);
                if (!sap__is_finite(moved)) return sap__bad_argument(s, SAP_ERROR_ARGUMENT, "offset", k);
                *bound = sap__key(moved);
            }
            if (pass == 0 || sap__same(&box, &s->slot_array[slot].box)) continue;
            s->slot_array[slot].box = box;
            sap__set_core(s, slot);
            sap__mark_changed(s, slot, 0);
        }
    return r;
}

/* ====================================================================================================== */
/* >> pairs: the pair manager (Terdiman I.6)                                                                */
/* ====================================================================================================== */

/* Active pairs are in one array without holes: the last pair fills a hole. Two indices find pairs in it.

   The table finds the pair of two ids. It is the paper's hash table, chained by indices:

       buckets[hash of id0, id1] -> pair -> next[pair] -> ... -> SAP__NONE

   The lists find the pairs of one box. Each pair has an edge in the lists of its two boxes, as contacts of physics
   engines have. Lists are doubly linked, because the ground of a world may have a hundred thousand pairs and must lose
   one in O(1):

       head_edge[slot] -> edge -> next_edge -> next_edge ... -> SAP__NONE

       edge       pair * 2 in the list of id0's box, pair * 2 + 1 in that of id1's box
       edge ^ 1   the edge of the same pair at the other box

   Both are built on demand, and then kept while that is cheaper than building them again:

       valid     a call that needed the index has built it; updates keep it valid, and count their edits
       invalid   since a call last needed it, there were more edits than a quarter of the pairs and 1 / 64 of the boxes:
                 the next such call builds it

   The paper flags pairs that an update touches, so that a pair which starts and stops within one causes no event. Here
   overlaps now are compared with those of the last update, so a pair is touched once, by its net change. */

SAP__FORCE_INLINE uint64_t sap__pair_item(const sap_pair *pair) {
    return sap__item(pair->id0, pair->id1);
}

/* ---- the table --------------------------------------------------------------------------------------------- */

/* Returns the bucket of a key. The high half of the hash is scaled to the number of buckets, which may be any. */
SAP__FORCE_INLINE uint32_t *sap__bucket(uint32_t *buckets, uint64_t key) {
    const uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[(hash >> 32) * (uint64_t)sap__length(buckets) >> 32];
}

SAP__FORCE_INLINE uint32_t *sap__bucket_of(const sap_world *s, uint64_t pair) {
    return sap__bucket(s->pairs.buckets, pair);
}

/* Returns the ids of the boxes of two slots, the lower one first. No branch: which is lower is unpredictable. */
SAP__FORCE_INLINE uint64_t sap__ids_of(const sap_world *s, uint32_t a, uint32_t b) {
    const sap_id x = sap__id_of(s, a), y = sap__id_of(s, b), lower = y ^ ((x ^ y) & (0u - (uint32_t)(x < y)));
    return sap__item(lower, x ^ y ^ lower);
}

/* Returns the index of a pair, or SAP__NONE. The table must be valid. */
static uint32_t sap__find_pair_index(const sap_world *s, uint64_t ids) {
    if (sap__length(s->pairs.active) == 0) return SAP__NONE;
    uint32_t p = *sap__bucket_of(s, ids);
    while (p != SAP__NONE && sap__pair_item(&s->pairs.active[p]) != ids) p = s->pairs.next[p];
    return p;
}

SAP__FORCE_INLINE void sap__insert_into_table(sap_world *s, uint32_t p) {
    uint32_t *bucket = sap__bucket_of(s, sap__pair_item(&s->pairs.active[p]));
    s->pairs.next[p] = *bucket;
    *bucket = p;
}

/* Renumbers pair p as `to` in the table, or removes it if `to` is SAP__NONE. */
static void sap__move_in_table(sap_world *s, uint32_t p, uint32_t to) {
    uint32_t *link = sap__bucket_of(s, sap__pair_item(&s->pairs.active[p]));
    while (*link != p) link = &s->pairs.next[*link];
    *link = to == SAP__NONE ? s->pairs.next[p] : to;
    if (to != SAP__NONE) s->pairs.next[to] = s->pairs.next[p];
}

/* Builds the table, with a bucket for each pair at least. Its memory is reserved with that of the pairs. */
static void sap__build_table(sap_world *s) {
    const int n = sap__length(s->pairs.active), capacity = sap__capacity(s->pairs.buckets);
    sap__set_length(s->pairs.buckets, n / 2 < capacity - n ? n + n / 2 : capacity);
    if (capacity) memset(s->pairs.buckets, 0xff, (size_t)sap__length(s->pairs.buckets) * sizeof *s->pairs.buckets);
    for (int p = 0; p < n; p++) sap__insert_into_table(s, (uint32_t)p);
}

/* ---- the lists --------------------------------------------------------------------------------------------- */

/* Returns the id of the box in whose list an edge is. */
SAP__FORCE_INLINE sap_id sap__edge_id(const sap_world *s, uint32_t edge) {
    const sap_pair *pair = &s->pairs.active[edge >> 1];
    return edge & 1 ? pair->id1 : pair->id0;
}

/* Returns the two edges of an edge's pair p: element p + 1. SAP__NONE gives element 0, whose links are written but
   never read. So no branch depends on the end of a list; most lists are short, and it would be mispredicted. */
SAP__FORCE_INLINE sap__pair_edges *sap__edges_of(const sap_world *s, uint32_t edge) {
    return &s->pairs.edges[(edge + 2) >> 1];
}

SAP__FORCE_INLINE uint32_t sap__next_edge(const sap_world *s, uint32_t edge) {
    return sap__edges_of(s, edge)->next_edge[edge & 1];
}

/* Inserts the edges of pair p at the heads of its boxes' lists. */
static void sap__insert_edges(sap_world *s, uint32_t p) {
    for (uint32_t edge = 2 * p; edge < 2 * p + 2; edge++) {
        uint32_t *head = &s->pairs.head_edge[sap__slot_of(sap__edge_id(s, edge))];
        sap__edges_of(s, edge)->next_edge[edge & 1] = *head;
        sap__edges_of(s, edge)->prev_edge[edge & 1] = SAP__NONE;
        sap__edges_of(s, *head)->prev_edge[*head & 1] = edge;
        *head = edge;
    }
}

/* Renumbers pair p as `to` in its two lists, or removes it from them if `to` is SAP__NONE. */
static void sap__move_edges(sap_world *s, uint32_t p, uint32_t to) {
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t edge = 2 * p + side, new_edge = 2 * to + side;
        const uint32_t next = sap__edges_of(s, edge)->next_edge[side], prev = sap__edges_of(s, edge)->prev_edge[side];
        const uint32_t new_next = to == SAP__NONE ? next : new_edge, new_prev = to == SAP__NONE ? prev : new_edge;
        uint32_t *head = &s->pairs.head_edge[sap__slot_of(sap__edge_id(s, edge))];
        *head = *head == edge ? new_next : *head;
        sap__edges_of(s, prev)->next_edge[prev & 1] = new_next;
        sap__edges_of(s, next)->prev_edge[next & 1] = new_prev;
    }
    if (to != SAP__NONE) *sap__edges_of(s, 2 * to) = *sap__edges_of(s, 2 * p);
}

/* Builds the lists. Their memory is reserved with that of the pairs, so it cannot fail. */
static void sap__build_lists(sap_world *s) {
    const uint32_t n = (uint32_t)sap__length(s->pairs.active);
    sap__set_length(s->pairs.edges, n + 1);
    memset(s->pairs.head_edge, 0xff, (size_t)sap__length(s->slot_array) * sizeof *s->pairs.head_edge);
    for (uint32_t i = 0; i < n; i++) sap__insert_edges(s, i);
}

/* ---- both ---------------------------------------------------------------------------------------------------- */

/* Builds an index, if it is invalid. Of several threads that call getters at once, one builds, and the others wait.
   Getters take a const world, because an index changes nothing that a call returns. */
static void sap__require_index(const sap_world *world, int which) {
    sap_world *s = (sap_world *)(uintptr_t)world;
    sap__pair_index *index = &s->pairs.index[which];
    if (!sap__atomic_get(&index->is_valid)) {
        while (sap__atomic_get(&s->pairs.lock) || sap__atomic_add(&s->pairs.lock, 1)) continue;
        if (!sap__atomic_get(&index->is_valid)) (which == SAP__TABLE ? sap__build_table : sap__build_lists)(s);
        sap__atomic_set(&index->is_valid, 1);
        sap__atomic_set(&s->pairs.lock, 0);
    }
    if (sap__atomic_get(&index->edits)) sap__atomic_set(&index->edits, 0);
}

static void sap__drop_index(sap_world *s, int which) {
    s->pairs.index[which].is_valid = s->pairs.index[which].edits = 0;
}

/* Counts edits of the indices, and drops one that is not worth them: or one call of a getter would slow all updates. */
static void sap__count_edits(sap_world *s, int edits, int pairs) {
    for (int i = 0; i < SAP__PAIR_INDICES; i++) {
        sap__pair_index *index = &s->pairs.index[i];
        if (edits > pairs / 4 + s->boxes.live_count / 64 - index->edits) sap__drop_index(s, i);
        if (index->is_valid) index->edits += edits;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------- */

/* Writes a new pair of these ids. (Returning it by value would copy it through memory in C++.) */
SAP__FORCE_INLINE void sap__set_pair(const sap_world *s, sap_pair *pair, sap_id id0, sap_id id1) {
    pair->id0 = id0;
    pair->id1 = id1;
    pair->object0 = s->objects[sap__slot_of(id0)];
    pair->object1 = s->objects[sap__slot_of(id1)];
    pair->user_data = NULL;
}

static int sap__filter_allows(sap_world *s, sap_id id0, sap_id id1) {
    if (!s->config.filter) return 1;
    sap_pair pair;
    sap__set_pair(s, &pair, id0, id1);
    s->call.in_filter = 1;
    const int yes = (s->config.filter)(&pair, s->config.filter_user) != 0;
    s->call.in_filter = 0;
    return yes;
}

/* Calls the filter callback for pairs that tasks created in parallel, where it must not be called. */
static void sap__filter_created(sap_world *s, sap__task *task) {
    const int n = sap__length(task->events);
    int kept = task->filtered;
    for (int i = kept; i < n; i++) {
        const uint64_t ids = task->events[i];
        if (!sap__is_created(ids) || sap__filter_allows(s, (sap_id)(ids >> 32), (sap_id)ids))
            task->events[kept++] = ids;
    }
    sap__set_length(task->events, kept);
}

/* Returns the number of pairs that there may be after an update. */
SAP__FORCE_INLINE int sap__max_pairs(const sap_world *s) {
    return s->config.max_pairs ? s->config.max_pairs : INT_MAX;
}

/* Reserves capacity for more events of a task. In parallel it cannot, and the task is run again alone. No more pairs
   are deleted than there are, so more events than these and the limit of pairs exceed it. */
static int sap__reserve_events(sap_world *s, sap__task *task, int more) {
    const int n = sap__length(task->events);
    const int is_too_many = n > (long long)sap__max_pairs(s) + sap__length(s->pairs.active);
    if (more <= sap__capacity(task->events) - n && !is_too_many) return 1;
    if (s->threads.in_parallel) {
        task->overflowed = 1;
        return 0;
    }
    if (is_too_many || more > INT_MAX - n) return sap__fail(s, SAP_ERROR_LIMIT);
    return sap__reserve(&task->events, n + more) || sap__fail(s, SAP_ERROR_MEMORY);
}

/* Returns whether two boxes that overlap may be a pair. On threads the callback is called later. */
SAP__FORCE_INLINE int sap__is_allowed(sap_world *s, uint32_t a, uint32_t b, uint64_t ids) {
    const sap__slot *x = &s->slot_array[a], *y = &s->slot_array[b];
    if (x->flags & y->flags & SAP__STATIC) return 0;
    if (s->boxes.filtered_count && !sap__should_collide(&x->filter, &y->filter)) return 0;
    return s->threads.in_parallel || sap__filter_allows(s, (sap_id)(ids >> 32), (sap_id)ids);
}

/* Writes an event if the overlap of two boxes has changed, neither of which is refiltered. Its capacity must be
   reserved. Boxes that overlapped at the last update are no pair if a filter rejected them. */
static void sap__change_pair(sap_world *s, sap__task *task, uint32_t a, uint32_t b) {
    const sap__slot *x = &s->slot_array[a], *y = &s->slot_array[b];
    const uint64_t ids = sap__ids_of(s, a, b);
    const int overlapped = sap__overlap(&x->previous, &y->previous), overlap = sap__overlap(&x->box, &y->box);
    const uint32_t p = overlapped && !overlap ? sap__find_pair_index(s, ids) : SAP__NONE;
    if (p != SAP__NONE) sap__push(task->events, p);
    if (overlap && !overlapped && sap__is_allowed(s, a, b, ids)) sap__push(task->events, ids);
}

/* Moves the events of all tasks to the first one, where created pairs stay, and to the list of deleted pairs. */
static int sap__merge_events(sap_world *s) {
    long long all = 0;
    int created = 0, deleted = sap__length(s->update.deleted_at);
    for (int i = 0; i < sap__task_count(s); i++) all += sap__length(s->update.task[i].events);
    if (all + deleted > INT_MAX) return sap__fail(s, SAP_ERROR_LIMIT);
    if (!sap__reserve(&s->update.task[0].events, all) || !sap__reserve(&s->update.deleted_at, all + deleted))
        return sap__fail(s, SAP_ERROR_MEMORY);
    uint64_t *events = s->update.task[0].events;
    for (int i = 0; i < sap__task_count(s); i++)
        for (int k = 0; k < sap__length(s->update.task[i].events); k++) {
            const uint64_t event = s->update.task[i].events[k];
            if (sap__is_created(event))
                events[created++] = event;
            else
                s->update.deleted_at[deleted++] = (uint32_t)event;
        }
    sap__set_length(s->update.task[0].events, created);
    sap__set_length(s->update.deleted_at, deleted);
    return 1;
}

/* ---- deleted pairs ------------------------------------------------------------------------------------------- */

/* Returns whether a pair may end: its boxes do not overlap any more, or one of them is refiltered. */
SAP__FORCE_INLINE int sap__may_end(const sap_world *s, const sap_pair *pair) {
    const sap__slot *a = &s->slot_array[sap__slot_of(pair->id0)], *b = &s->slot_array[sap__slot_of(pair->id1)];
    return !sap__overlap(&a->box, &b->box) | (((a->flags | b->flags) & SAP__REFILTER) != 0);
}

/* Writes the indices of deleted pairs to deleted_at, from the index on at which the task begins. This is unpredictable,
   so it has no branch. */
static void sap__scan_pairs_task(sap_world *s, void *args, int task, int tasks) {
    (void)args;
    const int n = sap__length(s->pairs.active), from = sap__task_begin(n, task, tasks);
    const int end = sap__task_begin(n, task + 1, tasks), prefetch_end = sap__prefetch_end(s, end);
    const sap_pair *pairs = s->pairs.active;
    uint32_t *deleted = s->update.deleted_at + from;
    int count = 0;
    for (int p = from; p < end; p++) {
        if (p < prefetch_end) {
            sap__prefetch_slot(s, sap__slot_of(pairs[p + SAP__PREFETCH_AHEAD].id0));
            sap__prefetch_slot(s, sap__slot_of(pairs[p + SAP__PREFETCH_AHEAD].id1));
        }
        deleted[count] = (uint32_t)p;
        count += sap__may_end(s, &pairs[p]);
    }
    s->update.task[task].count = count;
}

/* Returns whether a pair that may end stays: its boxes overlap, and all filters allow it. */
static int sap__stays(sap_world *s, uint32_t p) {
    const uint64_t ids = sap__pair_item(&s->pairs.active[p]);
    const uint32_t a = sap__slot_of((sap_id)(ids >> 32)), b = sap__slot_of((sap_id)ids);
    return sap__overlap(&s->slot_array[a].box, &s->slot_array[b].box) && sap__is_allowed(s, a, b, ids);
}

/* Finds deleted pairs by looking at all pairs. Returns 0 on failure. */
static int sap__deleted_by_scan(sap_world *s) {
    const int n = sap__length(s->pairs.active);
    if (n == 0) return 1;
    if (!sap__reserve(&s->update.deleted_at, n)) return sap__fail(s, SAP_ERROR_MEMORY);
    const int tasks = sap__parallel_for(s, sap__scan_pairs_task, NULL, n);
    int found = 0;
    for (int i = 0; i < tasks; i++) { /* closes the gaps between the indices of two tasks */
        const uint32_t *from = s->update.deleted_at + sap__task_begin(n, i, tasks);
        memmove(s->update.deleted_at + found, from, (size_t)s->update.task[i].count * sizeof *from);
        found += s->update.task[i].count;
    }
    const int candidates = s->changes.flags & SAP__REFILTER ? found : 0;
    if (candidates) found = 0;
    for (int i = 0; i < candidates; i++) {
        const uint32_t p = s->update.deleted_at[i];
        if (!sap__stays(s, p)) s->update.deleted_at[found++] = p;
    }
    sap__set_length(s->update.deleted_at, found);
    return 1;
}

/* Finds deleted pairs in the lists of the changed boxes with one of the flags. Returns 0 on failure. */
static int sap__deleted_by_lists(sap_world *s, uint32_t flags) {
    sap__require_index(s, SAP__LISTS);
    for (int i = 0; i < sap__length(s->changes.list); i++) {
        const uint32_t slot = s->changes.list[i];
        if (!(s->slot_array[slot].flags & flags)) continue;
        for (uint32_t edge = s->pairs.head_edge[slot]; edge != SAP__NONE; edge = sap__next_edge(s, edge)) {
            const uint32_t other = sap__slot_of(sap__edge_id(s, edge ^ 1));
            if ((s->slot_array[other].flags & flags) && other < slot) continue; /* found there */
            if (!sap__may_end(s, &s->pairs.active[edge >> 1]) || sap__stays(s, edge >> 1)) continue;
            if (!sap__reserve_events(s, &s->update.task[0], 1)) return 0;
            sap__push(s->update.task[0].events, edge >> 1);
        }
    }
    return 1;
}

/* ---- commit ------------------------------------------------------------------------------------------------ */

static int sap__reserve_pairs(sap_world *s, int pairs, int created, int deleted) {
    return sap__reserve(&s->pairs.edges, (long long)pairs + 1) && sap__reserve(&s->pairs.created, created) &&
           sap__reserve(&s->pairs.deleted, deleted) && sap__reserve(&s->update.sort_items, deleted) &&
           sap__reserve(&s->update.sort_scratch, deleted) && sap__reserve(&s->pairs.buckets, pairs) &&
           sap__reserve(&s->pairs.next, pairs) && sap__reserve(&s->pairs.active, pairs);
}

/* Sorts the indices of deleted pairs, and writes the pairs in the order of their ids. Pairs created by one update are
   sorted at the end of all pairs, and if much changes they are most of the deleted ones. So only those before are
   sorted, and merged with these:

       pairs        [ . . . . . . . . . . . . . | . . . sorted . . . ]
                                                ^ sorted_from
       deleted_at     ^   ^       ^   ^           ^ ^   ^ ^ ^
                      [    to sort    ]           [  sorted  ]         */
static void sap__sort_deleted(sap_world *s) {
    const sap_pair *pairs = s->pairs.active;
    uint32_t *deleted = s->update.deleted_at;
    uint64_t *items = s->update.sort_items;
    const int n = sap__length(s->pairs.deleted);
    int ascending = 1, unsorted = n;
    while (ascending < n && deleted[ascending - 1] < deleted[ascending]) ascending++;
    if (ascending < n) {
        for (int i = 0; i < n; i++) items[i] = deleted[i];
        sap__sort(items, s->update.sort_scratch, n, 0);
        for (int i = 0; i < n; i++) deleted[i] = (uint32_t)items[i];
    }
    while (unsorted > 0 && (int)deleted[unsorted - 1] >= s->pairs.sorted_from) unsorted--;
    for (int i = 0; i < unsorted; i++) items[i] = sap__item(pairs[deleted[i]].id1, deleted[i]);
    sap__sort(items, s->update.sort_scratch, unsorted, 32);
    for (int i = 0; i < unsorted; i++) items[i] = sap__item(pairs[(uint32_t)items[i]].id0, (uint32_t)items[i]);
    sap__sort(items, s->update.sort_scratch, unsorted, 32);
    for (int i = 0, a = 0, b = unsorted; i < n; i++)
        if (a < unsorted && (b == n || sap__pair_item(&pairs[(uint32_t)items[a]]) < sap__pair_item(&pairs[deleted[b]])))
            s->pairs.deleted[i] = pairs[(uint32_t)items[a++]];
        else
            s->pairs.deleted[i] = pairs[deleted[b++]];
}

/* Sorts created and deleted pairs in two tasks, which share no memory. pairs.created is scratch for the former. */
static void sap__sort_events_task(sap_world *s, void *args, int task, int tasks) {
    (void)args;
    uint64_t *created = s->update.task[0].events;
    if (task == 0) sap__sort(created, (uint64_t *)(void *)s->pairs.created, sap__length(created), 0);
    if (task == 1 || tasks == 1) sap__sort_deleted(s);
}

/* Renumbers pair p as `to` in the valid indices, or removes it from them if `to` is SAP__NONE. */
static void sap__renumber_pair(sap_world *s, uint32_t p, uint32_t to) {
    if (s->pairs.index[SAP__TABLE].is_valid) sap__move_in_table(s, p, to);
    if (s->pairs.index[SAP__LISTS].is_valid) sap__move_edges(s, p, to);
}

/* Fills the holes of deleted pairs, the highest first, by the pair that is then the last one. That pair may have filled
   a higher hole before.

       pairs  a b c d e f, b and d deleted:   f, the last one, fills d; then e, the last one now, fills b
                           b and e deleted:   f fills e; then f, again the last one, fills b */
static void sap__fill_holes(sap_world *s) {
    uint32_t last = (uint32_t)sap__length(s->pairs.active);
    for (int i = sap__length(s->update.deleted_at) - 1; i >= 0; i--) {
        const uint32_t hole = s->update.deleted_at[i];
        last--;
        sap__renumber_pair(s, hole, SAP__NONE);
        if (hole != last) sap__renumber_pair(s, last, hole);
        s->pairs.active[hole] = s->pairs.active[last];
    }
}

/* Writes the created pairs to the events, and behind the active pairs. */
static void sap__append_pairs_task(sap_world *s, void *args, int task, int tasks) {
    (void)args;
    const uint64_t *keys = s->update.task[0].events;
    const int n = sap__length(s->update.task[0].events); /* clang warns of a length asked of a pointer to const */
    const int first = sap__length(s->pairs.active) - n, end = sap__task_begin(n, task + 1, tasks);
    for (int i = sap__task_begin(n, task, tasks); i < end; i++) {
        sap__set_pair(s, &s->pairs.created[i], (sap_id)(keys[i] >> 32), (sap_id)keys[i]);
        sap__set_pair(s, &s->pairs.active[first + i], (sap_id)(keys[i] >> 32), (sap_id)keys[i]);
    }
}

/* Deletes and creates pairs. Returns 0 on failure, with nothing changed. */
static int sap__commit_pairs(sap_world *s) {
    if (!sap__merge_events(s)) return 0;
    const int created = sap__length(s->update.task[0].events), deleted = sap__length(s->update.deleted_at);
    const int n = sap__length(s->pairs.active), kept = n - deleted;
    if (created > sap__max_pairs(s) - kept) return sap__fail(s, SAP_ERROR_LIMIT);
    if (!sap__reserve_pairs(s, kept + created, created, deleted)) return sap__fail(s, SAP_ERROR_MEMORY);
    sap__set_length(s->pairs.deleted, deleted);
    sap__set_length(s->pairs.created, created);
    s->update.events = created + deleted;
    sap__parallel_for(s, sap__sort_events_task, NULL, SAP__EVENT_COST * ((long long)created + deleted));
    sap__count_edits(s, created + deleted, n);
    sap__fill_holes(s);
    if (deleted + created) s->pairs.sorted_from = kept;
    sap__set_length(s->pairs.active, kept + created);
    sap__parallel_for(s, sap__append_pairs_task, NULL, SAP__EVENT_COST * (long long)created);
    if (kept + created > sap__length(s->pairs.buckets)) sap__drop_index(s, SAP__TABLE);
    if (s->pairs.index[SAP__LISTS].is_valid) sap__set_length(s->pairs.edges, kept + created + 1LL);
    for (int i = kept; i < kept + created; i++) {
        if (s->pairs.index[SAP__TABLE].is_valid) sap__insert_into_table(s, (uint32_t)i);
        if (s->pairs.index[SAP__LISTS].is_valid) sap__insert_edges(s, (uint32_t)i);
    }
    return 1;
}

/* ====================================================================================================== */
/* >> endpoints: SAP_METHOD_SORT, the persistent sweep-and-prune (Terdiman I.2 to I.5)                      */
/* ====================================================================================================== */

/* Each axis has one sorted array, which holds both ends of every box. An endpoint has eight bytes:

       63            32 31  30            0
       [ unsigned key ] [M] [ slot        ]     M: 0 a min, 1 a max

   One 64-bit comparison orders endpoints by value, then mins before maxs, then by slot. Mins come first so that boxes
   that touch overlap. The slot comes last so that the order does not depend on history. The sentinels 0 and ~0 are the
   first and the last item (appendix B):

       0 | min a | min b | max a | min c | max b | max c | ~0

   The paper also keeps the position of each endpoint in its box. Here no position is kept: a shift writes to one array
   only, and the other box is read only when a rule fires. */
static const uint64_t sap__sentinels[2] = {0, ~UINT64_C(0)};

static uint64_t sap__endpoint(int32_t key, uint32_t is_max, uint32_t slot) {
    return sap__item((uint32_t)key ^ 0x80000000u, is_max << 31 | slot); /* the key becomes unsigned; the order stays */
}

SAP__FORCE_INLINE uint32_t sap__endpoint_slot(uint64_t endpoint) {
    return (uint32_t)endpoint & 0x7fffffffu;
}

SAP__FORCE_INLINE uint32_t sap__endpoint_is_max(uint64_t endpoint) {
    return (uint32_t)endpoint >> 31;
}

/* Returns whether a slot with these flags had a box at the last update. */
static int sap__has_previous_box(uint32_t flags) {
    return (flags & (SAP__LIVE | SAP__REMOVED)) && !(flags & SAP__ADDED);
}

/* Reserves scratch for n endpoints. Returns 0 without memory. */
static int sap__reserve_scratch(sap_world *s, long long n) {
    return sap__reserve(&s->update.sort_items, n) && sap__reserve(&s->update.sort_scratch, n);
}

/* Reserves memory for this number of boxes in the world's own SAP. Returns 0 without memory. */
static int sap__reserve_endpoints(sap_world *s, int boxes) {
    const int n = 2 * boxes + 2;
    for (int k = 0; k < 3; k++)
        if (s->used[k] && !sap__reserve(&s->endpoints.sap.sorted[k], n)) return 0;
    if (s->endpoints.sap.capacity < n) s->endpoints.sap.capacity = n;
    return sap__reserve_scratch(s, n);
}

enum { SAP__FEW_MOVERS = 8 }; /* if fewer than one box in eight moved, each end is moved alone */

/* The state of a SAP while it is updated, one axis after the other. A step (remove, move, insert) gets the slots of n
   boxes in items, and sorts their endpoints there. */
typedef struct sap__sort_state {
    sap_world *s;
    sap__sap *sap;
    sap__task *task;
    uint64_t *items, *scratch; /* each has room for the endpoints of a step: two for each box */
    int axis, count;           /* this axis, and the endpoints on it */
} sap__sort_state;

/* Replaces n slots in items by the sorted endpoints of their boxes, now or at the last update. Returns their number. */
static int sap__list_endpoints(const sap__sort_state *u, int n, int as_now) {
    for (int i = n - 1; i >= 0; i--) {
        const uint32_t slot = (uint32_t)u->items[i];
        const sap__box *box = as_now ? &u->s->slot_array[slot].box : &u->s->slot_array[slot].previous;
        for (uint32_t is_max = 0; is_max < 2; is_max++)
            u->items[2 * i + (int)is_max] = sap__endpoint(sap__endpoint_key(box, u->axis, is_max), is_max, slot);
    }
    sap__sort(u->items, u->scratch, 2 * n, 0);
    return 2 * n;
}

/* Removes the endpoints of n boxes in one pass (batch removal, Terdiman I.5b). What lies between two of them is moved
   once. */
static void sap__remove_endpoints(sap__sort_state *u, int n) {
    uint64_t *ends = u->sap->sorted[u->axis];
    if (n == 0) return;
    const int m = sap__list_endpoints(u, n, 0);
    int from = sap__find_item(ends, 0, u->count, u->items[0]), to = from;
    for (int i = 0; i < m; i++) {
        const int next = i + 1 < m ? sap__find_item(ends, from + 1, u->count, u->items[i + 1]) : u->count;
        memmove(ends + to, ends + from + 1, (size_t)(next - from - 1) * sizeof *ends);
        to += next - from - 1;
        from = next;
    }
    u->count -= m;
}

/* Inserts the endpoints of n boxes in one pass (batch insertion, Terdiman I.4b). Both sorted arrays are merged from the
   back, so each endpoint moves once. The first sentinel ends the inner loop. */
static void sap__insert_endpoints(sap__sort_state *u, int n, int as_now) {
    uint64_t *ends = u->sap->sorted[u->axis];
    const uint64_t *items = u->items;
    int m = sap__list_endpoints(u, n, as_now), from = u->count - 1, to = from + m;
    u->count += m;
    while (m > 0) {
        while (ends[from] > items[m - 1]) ends[to--] = ends[from--];
        ends[to--] = items[--m];
    }
}

/* Reports a pair that starts to overlap on this axis and overlaps on all axes now, or that stops and did overlap
   before. Several axes may find the same pair; the lowest reports it. So a start is left out if a lower axis kept the
   two apart before, and a stop if a lower axis keeps them apart now. Returns 0 on failure, but 1 on threads: a task
   that overflowed runs once more. */
SAP__NO_INLINE int sap__report(const sap__sort_state *u, uint32_t stops, uint32_t a, uint32_t b) {
    sap_world *s = u->s;
    const sap__slot *x = &s->slot_array[a], *y = &s->slot_array[b];
    const sap__box *apart_x = stops ? &x->box : &x->previous, *apart_y = stops ? &y->box : &y->previous;
    sap__trace(stops ? SAP_STEP_STOP : SAP_STEP_START, u->axis, s, a, b);
    if ((x->flags | y->flags) & SAP__REFILTER) return 1; /* a query creates its pairs, and lists delete them */
    for (int k = 0; k < u->axis; k++)
        if (apart_x->lo[k] > apart_y->hi[k] || apart_y->lo[k] > apart_x->hi[k]) return 1;
    if (sap__in_cells(s) && !sap__is_owner(s, u->sap, a, b)) return 1;
    if (!sap__reserve_events(s, u->task, 1)) return s->threads.in_parallel;
    sap__change_pair(s, u->task, a, b);
    return 1;
}

/* Applies a rule: a min has passed a max, or a max a min. Most such boxes are apart on another axis. Returns 0 on
   failure. */
SAP__FORCE_INLINE int sap__update_rule(const sap__sort_state *u, uint32_t stops, uint32_t a, uint32_t b) {
    const sap__slot *x = &u->s->slot_array[a], *y = &u->s->slot_array[b];
    u->task->tests++;
    if (!(x->flags & y->flags & SAP__STATIC) &&
        (stops ? sap__overlap(&x->previous, &y->previous) : sap__overlap(&x->box, &y->box)))
        return sap__report(u, stops, a, b);
    sap__trace(SAP_STEP_REJECT, u->axis, u->s, a, b);
    return 1;
}

/* Returns an endpoint with the key that it has now. */
SAP__FORCE_INLINE uint64_t sap__endpoint_now(const sap__sort_state *u, uint64_t end) {
    const uint32_t slot = sap__endpoint_slot(end), is_max = sap__endpoint_is_max(end);
    return sap__endpoint(sap__endpoint_key(&u->s->slot_array[slot].box, u->axis, is_max), is_max, slot);
}

/* Moves an end to its place in the order: left past the larger ones (step -1), or right past the smaller ones (step 1),
   which shift the other way. Two ends that change places meet exactly once, and a rule says what that means:

       a min passes a max    b] <-[a      start: they overlap on this axis now
       a max passes a min   [b  <-a]      stop: they do not overlap any more
       a min passes a min, or a max passes a max: nothing

   To the right it is the other way round. In a grid no rule finds stops (sap_multi.h). Returns where the end is now, or
   NULL on failure. */
SAP__FORCE_INLINE uint64_t *sap__move_end(const sap__sort_state *u, uint64_t end, uint64_t *at, int step) {
    const uint32_t slot = sap__endpoint_slot(end), stops = sap__endpoint_is_max(end) ^ (step > 0);
    for (; step > 0 ? at[1] < end : at[-1] > end; at += step) {
        const uint64_t other = *at = at[step];
        sap__trace(SAP_STEP_PASS, u->axis, u->s, slot, sap__endpoint_slot(other));
        if (!((end ^ other) >> 31 & 1) || (stops && sap__in_cells(u->s))) continue;
        if (!sap__update_rule(u, stops, slot, sap__endpoint_slot(other))) return NULL;
    }
    *at = end;
    return at;
}

/* Moves all ends by the update rules (Terdiman I.3). Each end takes its new value, and moves left past the larger ones.
   The paper needs starts before stops: a pair that does both must not remain. Here a rule compares the boxes before and
   now, so the order does not matter. The paper moves the ends of one object, left or right; this pass moves the ends of
   all boxes. O(ends + shifts). Returns 0 on failure, or if more ends pass each other than AUTO has expected. */
static int sap__sort_endpoints(sap__sort_state *u) {
    uint64_t *ends = u->sap->sorted[u->axis], *last = ends + u->count - 1;
    for (uint64_t *from = ends + 1; from < last; from++) {
        const uint64_t *at = sap__move_end(u, sap__endpoint_now(u, *from), from, -1);
        if (!at) return 0;
        u->task->swaps += from - at;
        if (u->task->swaps > u->s->update.most_swaps) return 0;
    }
    return 1;
}

/* Moves the ends of n boxes only, as the paper does: it finds each end and moves it alone. Ends that go right come
   first, the rightmost before the others; then ends that go left, the leftmost before the others. In this order, too,
   two ends that change places meet exactly once, even if both move. O(moved * log(ends) + shifts). Returns 0 on
   failure. */
static int sap__move_endpoints(sap__sort_state *u, int n) {
    uint64_t *ends = u->sap->sorted[u->axis], *items = u->items;
    const int all = sap__list_endpoints(u, n, 0);
    long long passed = 0;
    int m = 0, at = 0;
    for (int i = 0; i < all && passed <= 2LL * u->count; i++) { /* list the m ends that change, and where they are */
        const uint64_t was = items[i], now = sap__endpoint_now(u, was);
        if (now == was) continue;
        at = sap__find_item(ends, at, u->count, was);
        const int to = now > was ? sap__find_item(ends, at, u->count, now) : sap__find_item(ends, 0, at, now);
        passed += to > at ? to - at : at - to;
        items[m] = was;
        u->scratch[m++] = (uint64_t)at;
    }
    if (passed > 2LL * u->count) return sap__sort_endpoints(u); /* for far moves one pass over all ends is faster */
    for (int goes_left = 0; goes_left < 2; goes_left++)
        for (int k = 0; k < m; k++) {
            const int i = goes_left ? k : m - 1 - k;
            const uint64_t now = sap__endpoint_now(u, items[i]);
            uint64_t *from = ends + u->scratch[i];
            if ((now < items[i]) != goes_left) continue;
            while (*from != items[i]) from--; /* ends that went right past it have shifted it left */
            const uint64_t *to = goes_left ? sap__move_end(u, now, from, -1) : sap__move_end(u, now, from, 1);
            if (!to) return 0;
            u->task->swaps += goes_left ? from - to : to - from;
        }
    return 1;
}

/* Builds the SAP of the last update: in a new world, or after another method. */
static void sap__build_sap(sap__sort_state *u) {
    const sap_world *s = u->s;
    for (u->axis = 0; u->axis < 3; u->axis++) {
        int n = 0;
        if (!s->used[u->axis]) continue;
        memcpy(u->sap->sorted[u->axis], sap__sentinels, sizeof sap__sentinels);
        u->count = 2;
        for (uint32_t slot = 0; slot < (uint32_t)sap__length(s->slot_array); slot++)
            if (sap__has_previous_box(s->slot_array[slot].flags)) u->items[n++] = slot;
        sap__insert_endpoints(u, n, 0);
    }
    u->sap->count = u->count;
}

/* The steps of an update of a SAP, and a function that appends the slots of a step to n items and returns the new n. */
enum { SAP__LEAVE, SAP__MOVE, SAP__ENTER };
typedef int sap__list_step(sap__sort_state *u, int step, int n);

/* Updates a SAP, axis by axis: it removes the endpoints of boxes that leave, moves the others, and inserts those of
   boxes that enter. Returns 0 on failure. */
static int sap__update_sap(sap__sort_state *u, sap__list_step *list, int all_move) {
    for (u->axis = 0; u->axis < 3; u->axis++) {
        if (!u->s->used[u->axis]) continue;
        u->count = u->sap->count;
        sap__remove_endpoints(u, (list)(u, SAP__LEAVE, 0));
        if (!(all_move ? sap__sort_endpoints(u) : sap__move_endpoints(u, (list)(u, SAP__MOVE, 0)))) return 0;
        sap__insert_endpoints(u, (list)(u, SAP__ENTER, 0), 1);
    }
    u->sap->count = u->count;
    return 1;
}

/* Lists the changed boxes of a step. */
static int sap__list_changed(sap__sort_state *u, int step, int n) {
    const sap_world *s = u->s;
    const uint32_t flags = step == SAP__LEAVE ? SAP__REMOVED : step == SAP__ENTER ? SAP__ADDED : 0;
    if (flags & ~s->changes.flags) return n;
    for (int i = 0; i < sap__length(s->changes.list); i++) {
        u->items[n] = s->changes.list[i];
        n += (s->slot_array[s->changes.list[i]].flags & (SAP__ADDED | SAP__REMOVED)) == flags;
    }
    return n;
}

/* Forgets the sorted endpoints, which are built again. A grid frees its cells, unless their memory is reserved. */
static void sap__drop_endpoints(sap_world *s) {
    s->endpoints.valid = 0;
    sap__drop_cells(s);
}

/* Updates the SAP of all boxes. Returns 0 on failure. */
static int sap__insertion_sort(sap_world *s) {
    const int boxes = s->boxes.live_count + s->boxes.removed.count;
    const int few = SAP__FEW_MOVERS * (long long)sap__length(s->changes.list) < boxes;
    if (!sap__reserve_endpoints(s, boxes)) return sap__fail(s, SAP_ERROR_MEMORY);
    sap__sort_state u = {s, &s->endpoints.sap, &s->update.task[0], s->update.sort_items, s->update.sort_scratch, 0, 0};
    sap__require_index(s, SAP__TABLE);
    if (!s->endpoints.valid) sap__build_sap(&u);
    s->endpoints.valid = sap__update_sap(&u, sap__list_changed, !few);
    return s->endpoints.valid;
}

/* ====================================================================================================== */
/* >> kernels: tests of a box, a point or a ray with the sixteen boxes of a node                            */
/* ====================================================================================================== */

/* A node holds sixteen boxes, with one array for each bound: one SIMD instruction compares a bound of as many boxes as
   the machine has lanes. (Terdiman's "Box Pruning Revisited" measures the gain in its parts 9 to 15.)

       lo[0]  . . . . . . . . . . . . . . . .     mins on x; an empty lane holds sap__empty_box
       ...
       hi[2]  . . . . . . . . . . . . . . . .     maxs on z
       child  . . . . . . . . . . . . . . . .     in a leaf the slots, above it the nodes below (see tree) */

struct sap__node {
    int32_t lo[3][SAP__NODE_WIDTH], hi[3][SAP__NODE_WIDTH];
    uint32_t child[SAP__NODE_WIDTH];
};

SAP__FORCE_INLINE void sap__prefetch_node(const sap__node *node) { /* six arrays of bounds, one cache line each */
    for (int k = 0; k < 3; k++) sap__prefetch(node->lo[k]), sap__prefetch(node->hi[k]);
}

/* A probe is the float form of a query, for a kernel. Whatever the floats are, nothing in it overflows, is divided by
   zero or subtracts infinities: programs may trap that. So an axis is computed only if the query's box is within
   SAP__NEAR there: its difference from a bound is no float beyond the largest.

   A distance query limits gaps to SAP__FAR, so that squares do not overflow. Boxes beyond that it does not prune, nor
   those that are so near that their squared distance is below SAP__TINY.

   A cast meets the near and the far side of a slab at t = (bound - from) * inverse, where inverse is 1 / translation,
   in a unit of t in which the largest inverse is less than 1. near_inverse is a little smaller and far_inverse a little
   larger than that: rounding never prunes a box that sap__cast accepts. On an axis that is not computed, because the
   cast stands there, or nearly so, the interval that it sweeps decides. */
typedef struct sap__probe {
    int32_t used[3];    /* axes that are computed */
    float limit;        /* the largest t, or squared distance, of a hit */
    float lo[3], hi[3]; /* the query's box, or the interval that a cast sweeps */
    float near_from[3], far_from[3], near_inverse[3], far_inverse[3]; /* casts, on axes that are computed; */
    int is_negative[3]; /* and whether it goes down: then it meets maxs first */
} sap__probe;

#define SAP__NEAR 1e31f  /* less than half a unit in the last place of the largest float */
#define SAP__FAR 1e18f   /* lengths up to it have squares, and sums of three squares, that are floats */
#define SAP__TINY 1e-36f /* is added to limits: a machine that takes denormals for zero may have lost that much */

/* Returns box i of an array of boxes, or of slots, which begin with a box: stride is the size of an element. */
SAP__FORCE_INLINE const sap__box *sap__box_at(const void *first, size_t stride, uint32_t i) {
    return (const sap__box *)(const void *)((const char *)first + stride * i);
}

/* A list of n tests: test i compares box box_id[i] with the lanes of node node_id[i]. Those before next are done. */
typedef struct sap__test_list {
    const void *boxes;        /* slots, or bounds of nodes */
    size_t stride;            /* bytes from one box to the next: see sap__box_at */
    const sap__node *nodes;   /* the nodes of a tree */
    const uint16_t *occupied; /* for each node a bit for each lane in use */
    const uint32_t *box_id, *node_id;
    int next, n;
    int prefetch;              /* the nodes are prefetched: they are too many for the cache */
    int changes;               /* it looks for overlaps now or before; of two boxes, for one that changed */
    int has_previous;          /* boxes are slots: the box of the last update follows each */
    const sap__node *before;   /* the leaves with the boxes of the last update; NULL: the nodes are no leaves */
    const uint8_t *has_before; /* see sap__bvh */
} sap__test_list;

/* A kernel is a table of functions for one width. All kernels find the same overlaps, in any order. Tests of distances
   and casts may let a box pass that is no hit, but never reject a hit. Functions that find overlaps append pairs to the
   arrays a and b of n items, and return the new n. They may write to n + SAP__MAX_NODE_PAIRS items (self_overlaps), or
   to limit + SAP__NODE_WIDTH (overlaps).

       gather          copies the boxes of children into a node, and sap__empty_box into its empty lanes; *bounds
                       contains them all
       self_overlaps   finds the boxes of a node that overlap each other; with `before`, those whose overlap changed
       overlaps        does the tests of a list, until there are more than limit overlaps; if a is b it lists b alone
       point_distance  returns a bit for each lane within the limit of a point, and the squared distances of all lanes
       ray_slab        returns a bit for each lane that a cast hits within its limit, and the t of all lanes
       tile_coords     returns a bit for each large box, and the tile of each box */
struct sap__kernel {
    void (*gather)(const void *boxes, size_t stride, const uint32_t *children, uint32_t empty, sap__node *node,
                   sap__box *bounds);
    int (*self_overlaps)(const sap__node *node, const sap__node *before, uint32_t occupied, uint32_t *a, uint32_t *b,
                         int n);
    int (*overlaps)(sap__test_list *list, uint32_t *a, uint32_t *b, int n, int limit);
    uint32_t (*point_distance)(const sap__node *node, uint32_t occupied, const sap__probe *p, float *distance);
    uint32_t (*ray_slab)(const sap__node *node, uint32_t occupied, const sap__probe *p, float *distance);
    uint32_t (*tile_coords)(const sap__node *node, const sap__tile_grid *t, int32_t at[3][SAP__NODE_WIDTH]);
};

enum {
    SAP__KERNELS = 3,
    SAP__NODES_AHEAD = 8 /* tests before its own at which a node is fetched */
};

/* Tiles are chosen by an eighth of each bound, so that sums and differences of eight are floats. SAP__TILE_FAR is the
   eighth of an infinite one. A range up to SAP__TILE_NEAR is not cut: scales of 1e7 tiles are then floats. */
#define SAP__TILE_PART 0.125f
#define SAP__TILE_FAR 4.2535e37f
#define SAP__TILE_NEAR 1e-31f

static void sap__enlarge(sap__box *to, const sap__box *box) {
    for (int k = 0; k < 3; k++) {
        if (box->lo[k] < to->lo[k]) to->lo[k] = box->lo[k];
        if (box->hi[k] > to->hi[k]) to->hi[k] = box->hi[k];
    }
}

SAP__FORCE_INLINE void sap__set_child_bounds(sap__node *node, int lane, const sap__box *box) {
    for (int k = 0; k < 3; k++) node->lo[k][lane] = box->lo[k], node->hi[k][lane] = box->hi[k];
}

SAP__FORCE_INLINE sap__box sap__child_bounds(const sap__node *node, int lane) {
    sap__box box;
    for (int k = 0; k < 3; k++) box.lo[k] = node->lo[k][lane], box.hi[k] = node->hi[k][lane];
    return box;
}

/* The functions of a kernel are written once, for any width. For AVX2 and AVX-512 this header includes itself; it then
   consists of the part between the two lines of dashes. That needs its file name: for a renamed header define
   SAP_HEADER_FILENAME. A copy that is pasted into another file has no name, and no kernels of eight and sixteen lanes.

       what is compiled                      SAP__WIDTH
       your #include: the declarations       -
          the chapters lanes to kernels      4 or 1
          the kernel of SAP__WIDTH lanes     4 or 1       sap__kernel4 or sap__kernel1
          the other widths:                               includes this header
             its kernel part alone           8            sap__kernel8, for AVX2
             its kernel part alone           16           sap__kernel16, for AVX-512
          the table of kernels               -
          the chapters from tiles on         - */
#define SAP__ALL_BITS ((1u << SAP__WIDTH) - 1)
#define sap__other_half SAP__OF_WIDTH(sap__other_half)
#define sap__rows SAP__OF_WIDTH(sap__rows)
#define sap__append SAP__OF_WIDTH(sap__append)
#define sap__bounds SAP__OF_WIDTH(sap__bounds)
#define sap__load_floats SAP__OF_WIDTH(sap__load_floats)
#define sap__load_bounds SAP__OF_WIDTH(sap__load_bounds)
#define sap__splat_box SAP__OF_WIDTH(sap__splat_box)
#define sap__rotate_bounds SAP__OF_WIDTH(sap__rotate_bounds)
#define sap__hit SAP__OF_WIDTH(sap__hit)
#define sap__gather SAP__OF_WIDTH(sap__gather)
#define sap__node_hits SAP__OF_WIDTH(sap__node_hits)
#define sap__meet_all SAP__OF_WIDTH(sap__meet_all)
#define sap__self_overlaps SAP__OF_WIDTH(sap__self_overlaps)
#define sap__overlaps SAP__OF_WIDTH(sap__overlaps)
#define sap__point_distance SAP__OF_WIDTH(sap__point_distance)
#define sap__ray_slab SAP__OF_WIDTH(sap__ray_slab)
#define sap__tile_coords SAP__OF_WIDTH(sap__tile_coords)
#define SAP__TARGET
#define SAP__MORE_WIDTHS
#endif /* SAP_IMPLEMENTATION up to the kernels */

/* ---- the kernel of SAP__WIDTH lanes ---- */

/* The number is that of this file: one of another version, included by this one, leaves the part out. */
#if defined(SAP__WIDTH) && SAP_VERSION_NUMBER == 600

#if SAP__WIDTH == 1
#define sap__append1(bits, refs, to, n) ((to)[n] = (uint32_t)(refs), (n) + (int)(bits))
#elif SAP__WIDTH == 4
#define sap__other_half4(a) (a)
#define sap__rows4(r, i, at) sap__load4((r)[i]->lo + (at))
SAP__FORCE_INLINE int sap__append4(uint32_t bits, sap__i4 refs, uint32_t *to, int n) {
    uint32_t ref[4];
    sap__store(ref, refs);
    to[n] = ref[0], n += (int)(bits & 1u);
    to[n] = ref[1], n += (int)(bits >> 1 & 1u);
    to[n] = ref[2], n += (int)(bits >> 2 & 1u);
    to[n] = ref[3], n += (int)(bits >> 3);
    return n;
}
#elif SAP__WIDTH == 8
#define SAP__HAS_EIGHT
#define SAP__TARGET __attribute__((__target__("avx2,popcnt")))
#define sap__pick8(a, b, i, j, k, l) sap__shuffle(a, b, i, j, 8 + k, 8 + l, 4 + i, 4 + j, 12 + k, 12 + l)
#define sap__rotate8(a) sap__shuffle(a, a, 1, 2, 3, 4, 5, 6, 7, 0)
#define sap__other_half8(a) sap__shuffle(a, a, 4, 5, 6, 7, 0, 1, 2, 3)
#define sap__bits8(a) ((uint32_t)_mm256_movemask_ps((__m256)(a)))
#define sap__above8(a, b) sap__bits8((a) > (b))
#define sap__min8(a, b) ((sap__i8)_mm256_min_epi32((__m256i)(a), (__m256i)(b)))
#define sap__max8(a, b) ((sap__i8)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#define sap__fmin8(a, b) ((sap__f8)_mm256_min_ps(a, b))
#define sap__fmax8(a, b) ((sap__f8)_mm256_max_ps(a, b))
#define sap__rows8(r, i, at)                                                                                           \
    ((sap__i8)_mm256_set_m128i((__m128i)sap__rows4(r, (i) + 4, at), (__m128i)sap__rows4(r, i, at)))
/* sap__compress_table lists, for each of 256 sets of bits, the lanes with a bit: octal digits, lowest lane last. */
#define sap__sets2(x) x, (x) << 3, (x) << 3 | 01, (x) << 6 | 010
#define sap__sets4(x) sap__sets2(x), sap__sets2((x) << 3 | 02), sap__sets2((x) << 3 | 03), sap__sets2((x) << 6 | 032)
#define sap__sets6(x) sap__sets4(x), sap__sets4((x) << 3 | 04), sap__sets4((x) << 3 | 05), sap__sets4((x) << 6 | 054)
static const uint32_t sap__compress_table[256] = {sap__sets6(0u), sap__sets6(06u), sap__sets6(07u), sap__sets6(076u)};
SAP__TARGET SAP__FORCE_INLINE int sap__append8(uint32_t bits, sap__i8 refs, uint32_t *to, int n) {
    const __m256i digits = _mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21);
    const __m256i lanes = _mm256_srlv_epi32(_mm256_set1_epi32((int)sap__compress_table[bits]), digits);
    sap__store(to + n, _mm256_permutevar8x32_epi32((__m256i)refs, lanes));
    return n + __builtin_popcount(bits);
}
#elif SAP__WIDTH == 16
#define SAP__HAS_SIXTEEN
#define SAP__TARGET __attribute__((__target__("avx2,avx512f,popcnt")))
#define sap__rotate16(a) sap__shuffle(a, a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0)
#define sap__all16 ((__mmask16)0xffff) /* gcc warns of the unmasked forms of these: its bug 105593 */
#define sap__min16(a, b) ((sap__i16)_mm512_maskz_min_epi32(sap__all16, (__m512i)(a), (__m512i)(b)))
#define sap__max16(a, b) ((sap__i16)_mm512_maskz_max_epi32(sap__all16, (__m512i)(a), (__m512i)(b)))
#define sap__fmin16(a, b) ((sap__f16)_mm512_maskz_min_ps(sap__all16, a, b))
#define sap__fmax16(a, b) ((sap__f16)_mm512_maskz_max_ps(sap__all16, a, b))
#define sap__above16(a, b) ((uint32_t)_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ))
#define sap__in_order16(a, b) _mm512_cmple_epi32_mask((__m512i)(a), (__m512i)(b))
SAP__TARGET SAP__FORCE_INLINE int sap__append16(uint32_t bits, sap__i16 refs, uint32_t *to, int n) {
    sap__store(to + n, _mm512_maskz_compress_epi32((__mmask16)bits, (__m512i)refs));
    return n + __builtin_popcount(bits);
}
#define sap__gather16 sap__gather8
#endif

/* Holds W boxes, one in each lane. */
typedef struct sap__bounds {
    sap__i lo[3], hi[3];
} sap__bounds;

/* Returns keys as floats. An empty lane's min, which is NaN, becomes infinite: computing with NaN raises an exception.
   Its max, SAP__BEFORE_ALL, becomes 0. */
SAP__TARGET SAP__FORCE_INLINE sap__f sap__load_floats(const int32_t *keys) {
    const sap__i numbers = sap__min(sap__load(keys), sap__splat(SAP__INFINITY));
    return sap__to_float(numbers);
}

/* Returns the boxes of a node from lane k on. */
SAP__TARGET SAP__FORCE_INLINE sap__bounds sap__load_bounds(const sap__node *node, int k) {
    const sap__bounds boxes = {{sap__load(node->lo[0] + k), sap__load(node->lo[1] + k), sap__load(node->lo[2] + k)},
                               {sap__load(node->hi[0] + k), sap__load(node->hi[1] + k), sap__load(node->hi[2] + k)}};
    return boxes;
}

/* Returns one box in all lanes. */
SAP__TARGET SAP__FORCE_INLINE sap__bounds sap__splat_box(sap__box box) {
    const sap__bounds boxes = {{sap__splat(box.lo[0]), sap__splat(box.lo[1]), sap__splat(box.lo[2])},
                               {sap__splat(box.hi[0]), sap__splat(box.hi[1]), sap__splat(box.hi[2])}};
    return boxes;
}

/* Returns the boxes, each moved to the lane before its own. */
SAP__TARGET SAP__FORCE_INLINE sap__bounds sap__rotate_bounds(sap__bounds a) {
    const sap__bounds boxes = {{sap__rotate(a.lo[0]), sap__rotate(a.lo[1]), sap__rotate(a.lo[2])},
                               {sap__rotate(a.hi[0]), sap__rotate(a.hi[1]), sap__rotate(a.hi[2])}};
    return boxes;
}

/* Returns a bit for each lane in which the two boxes overlap. */
SAP__TARGET SAP__FORCE_INLINE uint32_t sap__hit(sap__bounds a, sap__bounds b) {
#if SAP__WIDTH == 16
    const __mmask16 x = sap__in_order16(sap__max(a.lo[0], b.lo[0]), sap__min(a.hi[0], b.hi[0]));
    const __mmask16 y = sap__in_order16(sap__max(a.lo[1], b.lo[1]), sap__min(a.hi[1], b.hi[1]));
    const __mmask16 z = sap__in_order16(sap__max(a.lo[2], b.lo[2]), sap__min(a.hi[2], b.hi[2]));
    return _mm512_kand(_mm512_kand(x, y), z);
#else
    const sap__i x = sap__or(sap__greater(a.lo[0], b.hi[0]), sap__greater(b.lo[0], a.hi[0]));
    const sap__i y = sap__or(sap__greater(a.lo[1], b.hi[1]), sap__greater(b.lo[1], a.hi[1]));
    const sap__i z = sap__or(sap__greater(a.lo[2], b.hi[2]), sap__greater(b.lo[2], a.hi[2]));
    return ~sap__bits(sap__or(sap__or(x, y), z)) & SAP__ALL_BITS;
#endif
}

/* Returns a bit for each lane of a node whose box overlaps a box. */
SAP__TARGET SAP__FORCE_INLINE uint32_t sap__node_hits(const sap__node *node, const sap__box *box, uint32_t occupied) {
    uint32_t bits = 0;
    for (int k = 0; k < SAP__NODE_WIDTH && (SAP__WIDTH > 4 || occupied >> k); k += SAP__WIDTH)
        bits |= sap__hit(sap__load_bounds(node, k), sap__splat_box(*box)) << k;
    return bits;
}

/* W boxes are compared with each box before them; then with themselves, rotated by 1 to W / 2 lanes. After that each
   two of them have met. The last rotation finds each pair twice, so half of its lanes are left out. */
SAP__TARGET SAP__FORCE_INLINE int sap__meet_all(const sap__node *node, const sap__node *before, uint32_t occupied,
                                                uint32_t *a, uint32_t *b, int n) {
    for (int k = 0; k < SAP__NODE_WIDTH && occupied >> k; k += SAP__WIDTH) {
        const sap__bounds boxes = sap__load_bounds(node, k), old = sap__load_bounds(before ? before : node, k);
        const sap__i children = sap__load(node->child + k);
        for (uint32_t lower = occupied & ((1u << k) - 1); lower; lower &= lower - 1) {
            const int i = sap__lowest_bit(lower);
            sap__store(a + n, sap__splat(node->child[i]));
            uint32_t bits = sap__hit(boxes, sap__splat_box(sap__child_bounds(node, i)));
            if (before) bits ^= sap__hit(old, sap__splat_box(sap__child_bounds(before, i)));
            n = sap__append(bits, children, b, n);
        }
        sap__bounds turned = boxes, turned_old = old;
        sap__i turned_children = children;
        for (int turn = 1; turn <= SAP__WIDTH / 2; turn++) {
            turned = sap__rotate_bounds(turned);
            turned_children = sap__rotate(turned_children);
            uint32_t bits = sap__hit(boxes, turned);
            turned_old = sap__rotate_bounds(turned_old);
            if (before) bits ^= sap__hit(old, turned_old);
            if (turn == SAP__WIDTH / 2) bits &= (1u << SAP__WIDTH / 2) - 1;
            (void)sap__append(bits, children, a, n);
            n = sap__append(bits, turned_children, b, n);
        }
    }
    return n;
}

/* Most searches seek overlaps of now: these get code of their own, without tests of `before`. */
SAP__TARGET static int sap__self_overlaps(const sap__node *node, const sap__node *before, uint32_t occupied,
                                          uint32_t *a, uint32_t *b, int n) {
    return before ? sap__meet_all(node, before, occupied, a, b, n) : sap__meet_all(node, NULL, occupied, a, b, n);
}

/* Most tests have at most two hits. Narrow kernels append the first two without a branch, as it would often be
   mispredicted. */
SAP__TARGET static int sap__overlaps(sap__test_list *list, uint32_t *a, uint32_t *b, int n, int limit) {
    const int prefetch_end = list->prefetch ? list->n - SAP__NODES_AHEAD : 0;
    int i;
    for (i = list->next; i < list->n && n <= limit; i++) {
        const uint32_t id = list->box_id[i];
        const sap__box *box = sap__box_at(list->boxes, list->stride, id);
        const sap__node *node = &list->nodes[list->node_id[i]];
        const uint32_t occupied = list->occupied[list->node_id[i]];
        if (i < prefetch_end) sap__prefetch_node(&list->nodes[list->node_id[i + SAP__NODES_AHEAD]]);
        uint32_t bits = sap__node_hits(node, box, occupied);
        if (list->changes) {
            const int is_changed = list->before && list->has_before[list->node_id[i]];
            const sap__node *before = is_changed ? &list->before[list->node_id[i]] : node;
            const uint32_t old = sap__node_hits(before, box + list->has_previous, occupied);
            bits = list->before && list->has_previous ? bits ^ old : bits | old;
        }
#if SAP__WIDTH >= 8
        for (int k = 0; k < SAP__NODE_WIDTH; k += SAP__WIDTH) {
            sap__store(a + n, sap__splat(id));
            n = sap__append(bits >> k & SAP__ALL_BITS, sap__load(node->child + k), b, n);
        }
#else
        for (int k = 0; k < 2 || bits; k++, bits &= bits - 1) {
            a[n] = id;
            b[n] = node->child[sap__lowest_bit(bits | 1u << (SAP__NODE_WIDTH - 1))];
            n += bits != 0;
        }
#endif
    }
    list->next = i;
    return n;
}

/* The squared distance sums the gaps between the query's box and each box over the axes. */
SAP__TARGET static uint32_t sap__point_distance(const sap__node *node, uint32_t occupied, const sap__probe *p,
                                                float *distance) {
    uint32_t bits = 0;
    for (int k = 0; k < SAP__NODE_WIDTH && occupied >> k; k += SAP__WIDTH) {
        sap__f distance2 = sap__fsplat(0.0f);
        for (int axis = 0; axis < 3; axis++) {
            if (!p->used[axis]) continue;
            const sap__f below = sap__fsub(sap__load_floats(node->lo[axis] + k), sap__fsplat(p->hi[axis]));
            const sap__f above = sap__fsub(sap__fsplat(p->lo[axis]), sap__load_floats(node->hi[axis] + k));
            sap__f gap = sap__fmin(sap__fmax(below, above), sap__fsplat(SAP__FAR));
            gap = sap__fmax(gap, sap__fsplat(0.0f));
            distance2 = sap__fadd(distance2, sap__fmul(gap, gap));
        }
        sap__fstore(distance + k, distance2);
        bits |= (sap__above(distance2, sap__fsplat(p->limit)) ^ SAP__ALL_BITS) << k;
    }
    return bits & occupied;
}

/* A cast is in a box from the last slab that it enters to the first slab that it leaves. */
SAP__TARGET static uint32_t sap__ray_slab(const sap__node *node, uint32_t occupied, const sap__probe *p,
                                          float *distance) {
    uint32_t bits = 0;
    for (int k = 0; k < SAP__NODE_WIDTH && occupied >> k; k += SAP__WIDTH) {
        sap__f enter = sap__fsplat(0.0f), leave = sap__fsplat(p->limit);
        uint32_t outside = 0;
        for (int axis = 0; axis < 3; axis++) {
            const int32_t *near_side = p->is_negative[axis] ? node->hi[axis] : node->lo[axis];
            const int32_t *far_side = p->is_negative[axis] ? node->lo[axis] : node->hi[axis];
            const sap__f entering = sap__load_floats(near_side + k);
            const sap__f leaving = sap__load_floats(far_side + k);
            if (!p->used[axis]) {
                outside |=
                    sap__above(entering, sap__fsplat(p->hi[axis])) | sap__above(sap__fsplat(p->lo[axis]), leaving);
                continue;
            }
            const sap__f t0 = sap__fsub(entering, sap__fsplat(p->near_from[axis]));
            const sap__f t1 = sap__fsub(leaving, sap__fsplat(p->far_from[axis]));
            enter = sap__fmax(sap__fmul(t0, sap__fsplat(p->near_inverse[axis])), enter);
            leave = sap__fmin(sap__fmul(t1, sap__fsplat(p->far_inverse[axis])), leave);
        }
        sap__fstore(distance + k, enter);
        leave = sap__fadd(leave, sap__fsplat(SAP__TINY));
        bits |= ((outside | sap__above(enter, leave)) ^ SAP__ALL_BITS) << k;
    }
    return bits & occupied;
}

SAP__TARGET static uint32_t sap__tile_coords(const sap__node *node, const sap__tile_grid *t,
                                             int32_t at[3][SAP__NODE_WIDTH]) {
    const sap__f min_far = sap__fsplat(-SAP__TILE_FAR), max_far = sap__fsplat(SAP__TILE_FAR);
    uint32_t large = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int k = 0; k < SAP__NODE_WIDTH; k += SAP__WIDTH) {
            sap__f lo = sap__fmul(sap__load_floats(node->lo[axis] + k), sap__fsplat(SAP__TILE_PART));
            sap__f hi = sap__fmul(sap__load_floats(node->hi[axis] + k), sap__fsplat(SAP__TILE_PART));
            lo = sap__fmax(sap__fmin(lo, max_far), min_far);
            hi = sap__fmax(sap__fmin(hi, max_far), min_far);
            const sap__f size = sap__fsub(hi, lo);
            sap__f tile = sap__fsub(sap__fadd(lo, hi), sap__fsplat(t->origin[axis]));
            tile = sap__fmin(sap__fmax(tile, sap__fsplat(0.0f)), sap__fsplat(t->width[axis]));
            tile = sap__fmin(sap__fmul(tile, sap__fsplat(t->scale[axis])), sap__fsplat(t->last[axis]));
            sap__store(at[axis] + k, sap__truncate(tile));
            large |= sap__above(size, sap__fsplat(t->large_size[axis])) << k;
        }
    }
    return large;
}

#if SAP__WIDTH == 1
static void sap__gather(const void *boxes, size_t stride, const uint32_t *children, uint32_t empty, sap__node *node,
                        sap__box *bounds) {
    *bounds = sap__empty_box;
    for (int k = 0; k < SAP__NODE_WIDTH; k++) {
        const sap__box *box = empty >> k & 1 ? &sap__empty_box : sap__box_at(boxes, stride, children[k]);
        sap__set_child_bounds(node, k, box);
        sap__enlarge(bounds, box);
    }
}
#elif SAP__WIDTH < 16
/* A box has six words, which are loaded as two rows of four: its mins and max x, then min z and its maxs. Four rows at
   a time are transposed. */
SAP__TARGET static void sap__gather(const void *boxes, size_t stride, const uint32_t *children, uint32_t empty,
                                    sap__node *node, sap__box *bounds) {
    const sap__box *row[SAP__NODE_WIDTH];
    sap__i min_rows = sap__splat(SAP__AFTER_ALL), max_rows = sap__splat(SAP__BEFORE_ALL);
    int32_t lo[SAP__WIDTH], hi[SAP__WIDTH];
    for (int k = 0; k < SAP__NODE_WIDTH; k++)
        row[k] = empty >> k & 1 ? &sap__empty_box : sap__box_at(boxes, stride, children[k]);
    for (int k = 0; k < SAP__NODE_WIDTH; k += SAP__WIDTH) {
        const sap__i a0 = sap__rows(row, k, 0), a1 = sap__rows(row, k + 1, 0);
        const sap__i a2 = sap__rows(row, k + 2, 0), a3 = sap__rows(row, k + 3, 0);
        const sap__i xy01 = sap__pick(a0, a1, 0, 1, 0, 1), xy23 = sap__pick(a2, a3, 0, 1, 0, 1);
        const sap__i zx01 = sap__pick(a0, a1, 2, 3, 2, 3), zx23 = sap__pick(a2, a3, 2, 3, 2, 3);
        sap__store(node->lo[0] + k, sap__pick(xy01, xy23, 0, 2, 0, 2));
        sap__store(node->lo[1] + k, sap__pick(xy01, xy23, 1, 3, 1, 3));
        sap__store(node->lo[2] + k, sap__pick(zx01, zx23, 0, 2, 0, 2));
        sap__store(node->hi[0] + k, sap__pick(zx01, zx23, 1, 3, 1, 3));
        const sap__i b0 = sap__rows(row, k, 2), b1 = sap__rows(row, k + 1, 2);
        const sap__i b2 = sap__rows(row, k + 2, 2), b3 = sap__rows(row, k + 3, 2);
        const sap__i yz01 = sap__pick(b0, b1, 2, 3, 2, 3), yz23 = sap__pick(b2, b3, 2, 3, 2, 3);
        sap__store(node->hi[1] + k, sap__pick(yz01, yz23, 0, 2, 0, 2));
        sap__store(node->hi[2] + k, sap__pick(yz01, yz23, 1, 3, 1, 3));
        const sap__i min01 = sap__min(a0, a1), min23 = sap__min(a2, a3), min = sap__min(min01, min23);
        const sap__i max01 = sap__max(b0, b1), max23 = sap__max(b2, b3), max = sap__max(max01, max23);
        min_rows = sap__min(min_rows, min);
        max_rows = sap__max(max_rows, max);
    }
    const sap__i other_min = sap__other_half(min_rows), other_max = sap__other_half(max_rows);
    sap__store(lo, sap__min(min_rows, other_min));
    sap__store(hi, sap__max(max_rows, other_max));
    for (int k = 0; k < 3; k++) bounds->lo[k] = lo[k], bounds->hi[k] = hi[k + 1];
}
#endif

static const sap__kernel SAP__OF_WIDTH(sap__kernel) = {sap__gather,         sap__self_overlaps, sap__overlaps,
                                                       sap__point_distance, sap__ray_slab,      sap__tile_coords};

#undef SAP__TARGET
#undef SAP__WIDTH
#endif

/* ---- the other widths ---- */

#ifdef SAP__MORE_WIDTHS /* the rest of SAP_IMPLEMENTATION */
#undef SAP__MORE_WIDTHS
#ifndef SAP_HEADER_FILENAME
#define SAP_HEADER_FILENAME "sap.h"
#endif
#ifdef SAP__HAS_AVX2 /* then the compiler has __has_include */
#if __has_include(SAP_HEADER_FILENAME)

#define SAP__WIDTH 8
#include SAP_HEADER_FILENAME
#undef SAP__WIDTH

#if defined(SAP__HAS_EIGHT) && !defined(SAP_NO_AVX512) && (!defined(__clang__) || __clang_major__ >= 8)
#define SAP__WIDTH 16
#include SAP_HEADER_FILENAME
#endif

#endif
#endif

/* The table holds the kernel of 4 lanes, or of 1; then those of 8 and 16, if this build has them. */
static const sap__kernel *const sap__kernel_table[SAP__KERNELS] = {
#if defined(SAP__HAS_VECTORS) || defined(SAP__HAS_SSE2)
    &sap__kernel4,
#else
    &sap__kernel1,
#endif
#ifdef SAP__HAS_EIGHT
    &sap__kernel8,
#endif
#ifdef SAP__HAS_SIXTEEN
    &sap__kernel16
#endif
};

/* Returns the kernel of a world. A world holds an index instead of an address, as its code may be reloaded. */
SAP__FORCE_INLINE const sap__kernel *sap__kernel_of(const sap_world *s) {
    return sap__kernel_table[s->kernel];
}

/* Returns the widest kernel that this build has, and whose instructions this machine has. AVX-512 also needs VBMI2:
   machines without it lower their clock for AVX-512. */
static int sap__best_kernel(void) {
#ifdef SAP__HAS_SIXTEEN
    if (__builtin_cpu_supports("avx512vbmi2")) return 2;
#endif
#ifdef SAP__HAS_EIGHT
    if (__builtin_cpu_supports("avx2")) return 1;
#endif
    return 0;
}

/* ====================================================================================================== */
/* >> tiles: an order of boxes in which neighbours are near each other                                      */
/* ====================================================================================================== */

/* A tree is packed from its boxes in an order, sixteen in a row to a leaf. Space is divided into about as many tiles as
   there will be leaves, which are long on axes on which boxes are long. Tiles stand in columns. A serpentine visits
   them as one mows a lawn, and the order has no jumps:

       +-->--+  +-->--+
       |  |  |  |  |  |     each column of tiles is divided into thin slices, so that its boxes
       ^  +-->--+  +-->     are sorted along it: one counting sort orders all

   This is STR (sort-tile-recursive: Leutenegger, Lopez and Edgington 1997), with one sort for all axes. */
enum {
    SAP__SAMPLE = 128,      /* boxes that tell the size of the tiles; too few where most lie in one place */
    SAP__LARGE_TILES = 4,   /* a box longer than this many tiles is large; fewer set too many apart where sizes mix */
    SAP__QUERY_PART = 8,    /* queries are taken to be as long as 1 / 8 of the boxes' longest side, on all axes */
    SAP__SPARSE_TILES = 10, /* boxes are sparse if a tile is longer than 10 units; wrong where all move far at once */
    SAP__RUN_CROWD = 2,     /* of sixteen keys in a row is twice as many boxes as the mean; */
    SAP__CROWDED_PART = 4,  /* boxes lie unevenly if 1 / 4 of them are in crowds; wrong where all move far at once */
    SAP__KEY_CROWD = 32     /* of one key is cut, as all its leaves meet; too few where they are hardly searched */
};

SAP__FORCE_INLINE float sap__clamp(float v, float most) { /* as compilers make it without a branch */
    v = v > -most ? v : -most;
    return v < most ? v : most;
}

/* Returns v to the power of 1 / dims, within a few percent: it changes the exponent of v. */
static double sap__nth_root(double v, int dims) {
    const uint64_t one = UINT64_C(1023) << 52, parts = (uint64_t)dims;
    uint64_t u;
    if (!(v > 1e-300)) return 0;
    memcpy(&u, &v, sizeof u);
    u = u / parts + one / parts * (parts - 1);
    memcpy(&v, &u, sizeof u);
    return v;
}

/* A sample says how boxes lie on each axis. A centre is doubled, as in sap__tile_grid: min + max. */
typedef struct sap__sample_stats {
    float min_center2[3], range[3]; /* the least doubled centre; the range of centres */
    float unit[3];                  /* the mean size of boxes, and of what is asked about them */
} sap__sample_stats;

/* Returns the i-th of n indices, in an order whose first k, for any k, are spread evenly. */
SAP__FORCE_INLINE uint32_t sap__sample_index(int i, int n) {
    return (uint32_t)((uint64_t)((uint32_t)i * 2654435761u) * (uint64_t)n >> 32);
}

/* Measures some of n boxes. A leaf meets what is asked on an axis with a chance of (tile + unit) / range: among tiles
   of one volume, those with sides in proportion to the units are met least. */
static void sap__sample_boxes(const sap_world *s, const uint64_t *items, int n, sap__sample_stats *m) {
    const int some = n < SAP__SAMPLE ? n : SAP__SAMPLE;
    float longest = 0;
    for (int k = 0; k < 3; k++) {
        float least = 4 * SAP__TILE_FAR, most = -4 * SAP__TILE_FAR;
        double sum = 0;
        int count = 0; /* finite boxes */
        for (int i = 0; i < some; i++) {
            const sap__box *box = &s->slot_array[(uint32_t)items[sap__sample_index(i, n)]].box;
            if (box->lo[k] == -SAP__INFINITY || box->hi[k] == SAP__INFINITY) continue;
            const float lo = sap__float(box->lo[k]) * SAP__TILE_PART, hi = sap__float(box->hi[k]) * SAP__TILE_PART;
            least = lo + hi < least ? lo + hi : least;
            most = lo + hi > most ? lo + hi : most;
            sum += (double)(hi - lo);
            count++;
        }
        m->min_center2[k] = count ? least : 0;
        m->range[k] = count ? (most - least) * 0.5f : 0;
        m->unit[k] = (float)(sum / (count + 1e-30)); /* a compiler may divide before it asks whether there are any */
        if (m->unit[k] > longest) longest = m->unit[k];
        const float apart = m->range[k] / (float)n; /* all may be points */
        if (apart > longest) longest = apart;
    }
    for (int k = 0; k < 3; k++) { /* an axis may have a unit of length of its own */
        const float asked = longest > 0 ? longest / (float)SAP__QUERY_PART : 1, part = m->range[k] / 16;
        const float unit = asked < part || !(part > 0) ? asked : part;
        if (m->unit[k] < unit) m->unit[k] = unit;
    }
}

/* Chooses the tiles for n boxes. If these are spread evenly each tile has sixteen, and its sides are the same number of
   units on all axes. An axis on which all boxes lie beside each other is not cut, and no box is large there. */
static void sap__choose_tile_grid(const sap__sample_stats *m, int n, sap__tile_grid *t) {
    double volume = (double)SAP__NODE_WIDTH / n; /* of a tile, in units */
    int dims = 0, is_cut[3];
    for (int k = 0; k < 3; k++) {
        const double units = (double)m->range[k] / ((double)m->unit[k] + 1e-60);
        is_cut[k] = units > 1 && m->range[k] > SAP__TILE_NEAR;
        if (is_cut[k]) volume *= units, dims++;
    }
    const float side = dims ? (float)sap__nth_root(volume, dims) : 1;
    for (int k = 0; k < 3; k++) {
        const double tile = (double)side * (double)m->unit[k];
        const double tiles = is_cut[k] ? (double)m->range[k] / (tile + 1e-37) + 0.5 : 1;
        const double large = (double)SAP__LARGE_TILES * (is_cut[k] ? tile : (double)SAP__TILE_FAR);
        t->origin[k] = m->min_center2[k];
        t->count[k] = (int)(tiles < 1 ? 1 : tiles > (double)n ? (double)n : tiles);
        t->large_size[k] = sap__round(large, SAP__ROUND_DOWN); /* it may be beyond all floats */
    }
    /* slices along the axis with most tiles, sixteen to a tile; then halved, until counters for all are cheap */
    int k = t->count[0] > t->count[1] ? (t->count[0] > t->count[2] ? 0 : 2) : t->count[1] > t->count[2] ? 1 : 2;
    t->axis_slice = k;
    t->axis_x = k == 0 ? 1 : 0;
    t->axis_y = k == 2 ? 1 : 2;
    t->count[k] = t->count[k] > n / SAP__NODE_WIDTH ? n : t->count[k] * SAP__NODE_WIDTH;
    while ((double)t->count[0] * t->count[1] * t->count[2] > 2.0 * n + 64) {
        t->count[k] = (t->count[k] + 1) / 2;
        if (t->count[k] == 1) k = t->count[t->axis_x] > t->count[t->axis_y] ? t->axis_x : t->axis_y;
    }
    for (k = 0; k < 3; k++) {
        t->width[k] = 2 * m->range[k];
        t->scale[k] = m->range[k] > SAP__TILE_NEAR ? (float)(t->count[k] / ((double)t->width[k] + 1e-30)) : 0;
        t->last[k] = (float)(t->count[k] - 1);
    }
    t->keys = (uint32_t)t->count[0] * (uint32_t)t->count[1] * (uint32_t)t->count[2] + 1;
    t->is_sparse = side > (float)SAP__SPARSE_TILES;
}

/* Returns the place of the i-th of count in a row: forth in even rows, back in odd ones. It has no branch. */
SAP__FORCE_INLINE int sap__serpentine(int i, int count, int row) {
    const int back = -(row & 1);
    return (i ^ back) + (count & back);
}

/* The boxes of a tree while they are sorted: by the key of their tile, or by cuts between leaves, which hold equal
   numbers of boxes. */
typedef struct sap__tiling {
    const sap_world *s;
    uint64_t *items, *scratch;
    int boxes, leaves;
    const sap__tile_grid *grid;
} sap__tiling;

/* Writes the keys of up to sixteen items. A key numbers the columns of tiles across two axes along a serpentine, and in
   each column the slices along the third, forth and back. Large boxes come last. */
static void sap__key_sixteen(const sap_world *s, const sap__tile_grid *t, uint64_t *items, int n) {
    int32_t at[3][SAP__NODE_WIDTH];
    sap__node node;
    sap__box bounds;
    for (int i = 0; i < SAP__NODE_WIDTH; i++) node.child[i] = i < n ? (uint32_t)items[i] : 0;
    (sap__kernel_of(s)->gather)(&s->slot_array[0].box, sizeof(sap__slot), node.child,
                                n < SAP__NODE_WIDTH ? 0xffffffffu << n : 0, &node, &bounds);
    const uint32_t large = (sap__kernel_of(s)->tile_coords)(&node, t, at);
    const int32_t *x = at[t->axis_x], *y = at[t->axis_y], *z = at[t->axis_slice];
    const int count_y = t->count[t->axis_y], count_z = t->count[t->axis_slice];
    for (int i = 0; i < n; i++) {
        const int column = x[i] * count_y + sap__serpentine(y[i], count_y, x[i]);
        const int slice = sap__serpentine(z[i], count_z, column);
        const uint32_t key = (uint32_t)column * (uint32_t)count_z + (uint32_t)slice;
        items[i] = sap__item(large >> i & 1 ? t->keys - 1 : key, node.child[i]);
    }
}

static void sap__key_items_task(sap_world *s, void *args, int task, int tasks) {
    const sap__tiling *c = (const sap__tiling *)args;
    const int groups = (c->boxes + SAP__NODE_WIDTH - 1) / SAP__NODE_WIDTH,
              end = sap__task_begin(groups, task + 1, tasks);
    for (int i = sap__task_begin(groups, task, tasks); i < end; i++) {
        const int left = c->boxes - SAP__NODE_WIDTH * i;
        sap__key_sixteen(s, c->grid, c->items + SAP__NODE_WIDTH * i, left < SAP__NODE_WIDTH ? left : SAP__NODE_WIDTH);
    }
}

/* Sorts n different numbers so far that each of the first `rank` is less than each of the others: quickselect (Hoare
   1961). The pivot is the one of a few numbers that is nearest to the rank, never the least of them. Most passes leave
   a third, but in some orders each leaves all but a few numbers: what some passes have left is sorted. */
static void sap__select(uint64_t *items, uint64_t *scratch, int n, int rank) {
    enum { SOME = 7, PASSES = 8 };
    for (int pass = 0; n > 2 * SOME && pass < PASSES; pass++) {
        for (int i = 0; i < SOME; i++) scratch[i] = items[sap__task_begin(n, i, SOME)];
        sap__sort(scratch, scratch + SOME, SOME, 0);
        const uint64_t pivot = scratch[1 + sap__task_begin(SOME - 1, rank, n)];
        int less = 0;
        for (int i = 0; i < n; i++) { /* without a branch */
            const uint64_t item = items[i];
            items[i] = items[less];
            items[less] = item;
            less += item < pivot;
        }
        if (less > rank) {
            n = less;
            continue;
        }
        items += less;
        n -= less;
        rank -= less;
    }
    sap__sort(items, scratch, n, 0);
}

/* Returns the middle of a box on an axis, doubled. */
SAP__FORCE_INLINE float sap__center2(const sap__box *box, int axis) {
    return sap__clamp(sap__float(box->lo[axis]) * SAP__TILE_PART, SAP__TILE_FAR) +
           sap__clamp(sap__float(box->hi[axis]) * SAP__TILE_PART, SAP__TILE_FAR);
}

/* Returns the axis on which n boxes are spread most, in their own units: sizes may double from place to place. */
static int sap__widest_spread(const sap__tiling *c, const uint64_t *items, int n) {
    sap__sample_stats m;
    double widest = -1;
    int axis = 0;
    sap__sample_boxes(c->s, items, n, &m);
    for (int k = 0; k < 3; k++) {
        const double spread = (double)m.range[k] / ((double)m.unit[k] + 1e-60);
        if (spread > widest) widest = spread, axis = k;
    }
    return axis;
}

/* Cuts the boxes from index `from` to `end` in two, as a kd-tree does, and then each part. A cut is at the boundary of
   leaves that is nearest to the middle; every sixteenth first, as it begins a node of level 1. */
static void sap__cut(const sap__tiling *c, int from, int end) {
    for (int step = SAP__NODE_WIDTH; step >= 1 && end - from > 1; step = step == 1 ? 0 : 1) {
        const long long middle = (long long)(from + end) * c->leaves / (2 * step);
        const int leaf = step * (int)((middle + c->boxes / 2) / c->boxes);
        const int rank = sap__task_begin(c->boxes, leaf, c->leaves);
        if (rank <= from || rank >= end) continue;
        uint64_t *items = c->items + from;
        const int axis = sap__widest_spread(c, items, end - from);
        for (int i = 0; i < end - from; i++) {
            const sap__box *box = &c->s->slot_array[(uint32_t)items[i]].box;
            items[i] = sap__item((uint32_t)sap__key(sap__center2(box, axis)) ^ 0x80000000u, (uint32_t)items[i]);
        }
        sap__select(items, c->scratch, end - from, rank - from);
        sap__cut(c, from, rank);
        sap__cut(c, rank, end);
        return;
    }
}

/* Sorts the slots in items, n of them, so that those of each leaf lie together. There is one counter a key, about twice
   as many as items; scratch holds the items, and the counters behind them. Boxes that are sparse or lie unevenly are
   cut instead, which takes four times as long, unless that is to be saved; and so are crowds with one key, which large
   boxes share. Returns whether it has saved a cut. */
static int sap__sort_tiles(sap_world *s, uint64_t *items, uint64_t *scratch, int n, int leaves, int may_cut) {
    uint32_t *count = (uint32_t *)(void *)(scratch + n), sum = 0, before = 0, most = 0, crowded = 0;
    sap__sample_stats sample;
    sap__tile_grid grid;
    sap__tiling tiling = {s, items, scratch, n, leaves, &grid};
    if (n <= 2 * SAP__NODE_WIDTH) return 0;
    sap__sample_boxes(s, items, n, &sample);
    sap__choose_tile_grid(&sample, n, &grid);
    sap__parallel_for(s, sap__key_items_task, &tiling, n);
    const uint64_t crowd = (uint64_t)n * SAP__RUN_CROWD * SAP__NODE_WIDTH / grid.keys; /* boxes of sixteen keys */
    memset(count, 0, grid.keys * sizeof *count);
    for (int i = 0; i < n; i++) count[items[i] >> 32]++;
    for (uint32_t key = 0; key < grid.keys; key++) {
        const uint32_t here = count[key];
        if (key % SAP__NODE_WIDTH == 0) {
            crowded += sum - before > crowd ? sum - before : 0;
            before = sum;
        }
        most = here > most ? here : most;
        count[key] = sum;
        sum += here;
    }
    for (int i = 0; i < n; i++) scratch[count[items[i] >> 32]++] = items[i];
    memcpy(items, scratch, (size_t)n * sizeof *items);
    /* each counter is the end of its key's items now */
    const int small_end = (int)count[grid.keys - 2];
    const int is_uneven = grid.is_sparse || SAP__CROWDED_PART * crowded > (uint32_t)n, cuts = is_uneven && may_cut;
    if (cuts) sap__cut(&tiling, 0, small_end);
    for (uint32_t key = cuts ? grid.keys - 1 : 0; key < grid.keys && most > SAP__KEY_CROWD; key++) {
        const uint32_t from = key ? count[key - 1] : 0;
        if (count[key] - from > SAP__KEY_CROWD) sap__cut(&tiling, (int)from, (int)count[key]);
    }
    return is_uneven && !may_cut;
}

/* ====================================================================================================== */
/* >> tree: a bounding volume hierarchy of nodes with sixteen lanes, and its upkeep                         */
/* ====================================================================================================== */

/* Boxes that are near each other share a leaf. The bounds of sixteen leaves are the lanes of a node above them, and so
   on. The top level has one or two nodes, the roots; up to three leaves have no level above them.

       level 2                       [ bounds of . . . ]                      the root
       level 1          [ bounds of 16 leaves ]  [ bounds of 16 leaves ]
       level 0       [ 16 boxes ][ 16 boxes ][ 16 boxes ] . . .               leaves

       BVH           a bounding volume hierarchy; here of sixteen lanes a node, each field of them in its own array
       leaf          a node of level 0; its lanes are boxes
       position      of a box: its tree, leaf and lane, in one word
       pack          to build a tree from its boxes: sort them into tiles, and fill leaves in that order (bulk loading)
       refit         to compute bounds from what is below; boxes stay in their leaves unless they left their home
       home          of a leaf: where its boxes may be alone
       look          a test of a box, or of a lane; a node has sixteen
       rough         a rough tree was packed without cuts, to save time, though its boxes lie unevenly: see tiles
       filter bits   of a node: all categories and all masks of the boxes below, united
       spatial join  to find all overlapping pairs of two trees, or of one with itself: see search
                     (Brinkhoff, Kriegel and Seeger 1993)

   There are four trees, by what a box is (sap__tree_of), in one set of arrays. Static boxes never pair with each other.
   Loners, whose mask excludes their own category, seldom do. Boxes with no category or no mask pair with nothing.

   A tree has three generations, as a garbage collector has. No box is ever inserted into a packed leaf: it comes to the
   newborn, and all of them grow old together (a log-structured merge tree: O'Neil and others 1996).

       leaves   [ old . . . . . . . . . . . . . . . . . ][ young . . ][ newborn ]      nodes above them as ever

   A pack is paid for once its absence has cost as much, so upkeep and searches together take at most about twice the
   least that they could (ski rental: Karlin, Manasse, Rudolph and Sleator 1988). Each tree has an account in looks:

       looks    at the newborn, since the young were packed. Each search, and each query, looks at all newborn
       debt     looks in vain, since all were packed. A search by all that move, after a refit, is compared with the
                first one after the pack: the debt is what it looks at in addition. Of other searches and of queries
                it is a part: that of empty lanes, or that which the last search by all has added; and at least a
                half if there are young, as each search then goes through two trees, or if the tree is rough. A refit
                adds the lanes that boxes have left
       price    of a pack: 32 looks a box. It doubles, up to 256, when a pack for a debt has not halved what it added

   The home of a packed leaf is its bounds and a quarter of each side more, each way. A refit moves it to where its
   boxes have gone, if they still fit into it. The home of a newborn leaf is everywhere.

       a changed box                             then                              as
       is at home                                it stays, and bounds above it     most boxes move a little, or go with
                                                   grow                              their neighbours
       is not, or is new, or belongs in          it leaves its lane, bounds        no leaf grows beyond its home
         another tree                              shrink; it comes as a new one

       a tree, by the first that is true         then                              as
       whose debt is the price of all its        all are packed: all are old       to wait has cost as much
         boxes; whose young would be more
         than 1 / 8 of the old, as packed, and
         a leaf; or that was never packed, or
         was lost when memory failed
       of which 1 / 8 changed, or whose          its bounds are refitted; filter   one pass is then faster
         boxes SORT has moved                      bits shrink when packed
       of which fewer changed                    they are changed one by one       it is faster
       whose looks, with those of the search     newborn, young and boxes that     a box is packed a few times until it
         that comes, are the price of newborn      come are packed: all are          is old
         and young; or that has no room            young
       that boxes come to                        they fill newborn leaves          to pack them takes longer

   A pack of all cuts boxes that lie unevenly if it is the first one, or if all looks since the last one took as long as
   cuts do; else the tree is rough. The young are never cut. A tree that outgrows its part of the arrays is placed in a
   gap between the others, or behind them; in reserved memory without such a place all trees are packed. */
enum {
    SAP__REFIT_FRACTION = 8, /* bounds are refitted if 1 / 8 changed; wrong where these share a few leaves */
    SAP__YOUNG_PART = 8,     /* the young are at most 1 / 8 of the old, and a leaf; wrong where few are asked much */
    SAP__PACK_LOOKS = 32,    /* looks in the time that packs a box; wrong by half where boxes are few or very many */
    SAP__MOST_LOOKS = 256,   /* the same after packs in vain; wrong where boxes gather and scatter for a long time */
    SAP__IN_VAIN = 2         /* 1 / 2 of looks are in vain in rough trees and those with young; wrong in small ones */
};
#define SAP__HOME_PART 0.25f /* of a side; wrong where all move as one, but are refitted one by one */
#define SAP__MOST 1e38f      /* bounds beyond it count as it, where homes are computed */

/* ---- positions --------------------------------------------------------------------------------------------- */

SAP__FORCE_INLINE uint32_t sap__position(int tree, int leaf, int lane) {
    return (uint32_t)tree << 30 | (uint32_t)(SAP__NODE_WIDTH * leaf + lane);
}

SAP__FORCE_INLINE int sap__position_tree(uint32_t position) {
    return (int)(position >> 30);
}

SAP__FORCE_INLINE int sap__position_leaf(uint32_t position) {
    return (int)((position & 0x3fffffffu) / SAP__NODE_WIDTH);
}

SAP__FORCE_INLINE int sap__position_lane(uint32_t position) {
    return (int)(position % SAP__NODE_WIDTH);
}

/* ---- bounds and filter bits ------------------------------------------------------------------------------------ */

/* Returns the united filter bits of a tree. */
static sap__filter_bits sap__root_filter(const sap__bvh *t) {
    sap__filter_bits all = {0, 0};
    if (t->boxes == 0) return all;
    const int first = t->first[t->levels - 1], n = t->count[t->levels - 1];
    for (int i = 0; i < n; i++) sap__add_bits(&all, &t->filter[first + i]);
    return all;
}

SAP__FORCE_INLINE void sap__refit_leaf(sap_world *s, sap__bvh *t, int leaf) {
    (sap__kernel_of(s)->gather)(&s->slot_array[0].box, sizeof(sap__slot), t->nodes[leaf].child,
                                ~(uint32_t)t->occupied[leaf], &t->nodes[leaf], &t->bounds[leaf]);
}

/* Refits a node above the leaves. Its children are the next sixteen nodes of the level below. */
static void sap__refit_node(sap_world *s, sap__bvh *t, int level, int j) {
    const int at = t->first[level] + j;
    uint32_t occupied = 0;
    t->filter[at].category = t->filter[at].mask = 0;
    for (int i = 0; i < SAP__NODE_WIDTH; i++) {
        const int child = t->first[level - 1] + SAP__NODE_WIDTH * j + i;
        t->nodes[at].child[i] = (uint32_t)child; /* in an empty lane, too: kernels move all sixteen */
        if (SAP__NODE_WIDTH * j + i >= t->count[level - 1]) continue;
        sap__add_bits(&t->filter[at], &t->filter[child]); /* of an empty child, too: it has those of boxes that left */
        if (t->occupied[child]) occupied |= 1u << i;
    }
    t->occupied[at] = (uint16_t)occupied;
    (sap__kernel_of(s)->gather)(t->bounds, sizeof(sap__box), t->nodes[at].child, ~occupied, &t->nodes[at],
                                &t->bounds[at]);
}

/* Refits the nodes above the leaves from this one on. */
static void sap__refit_levels(sap_world *s, sap__bvh *t, int leaf) {
    for (int level = 1; level < t->levels; level++) {
        leaf /= SAP__NODE_WIDTH;
        for (int j = leaf; j < t->count[level]; j++) sap__refit_node(s, t, level, j);
    }
}

/* Enlarges the bounds of a leaf to contain a box, and those above it, up to the first that stay. */
static void sap__grow_leaf(sap__bvh *t, int leaf, const sap__box *box) {
    for (int level = 0, i = leaf;; level++) {
        sap__box *bounds = &t->bounds[t->first[level] + i];
        if (sap__contains(bounds, box)) return;
        sap__enlarge(bounds, box);
        if (level + 1 == t->levels) return;
        box = bounds;
        const int above = t->first[level + 1] + i / SAP__NODE_WIDTH;
        sap__set_child_bounds(&t->nodes[above], i % SAP__NODE_WIDTH, box);
        t->occupied[above] |= (uint16_t)(1u << i % SAP__NODE_WIDTH);
        i /= SAP__NODE_WIDTH;
    }
}

/* Adds the filter bits of a box to those of all nodes above it. */
static void sap__add_filter(sap_world *s, uint32_t slot) {
    const uint32_t at = s->slot_array[slot].leaf_position;
    if (at == SAP__NONE) return;
    sap__bvh *t = &s->tree[sap__position_tree(at)];
    for (int level = 0, i = sap__position_leaf(at); level < t->levels && i < t->count[level]; level++) {
        sap__add_bits(&t->filter[t->first[level] + i], &s->slot_array[slot].filter);
        i /= SAP__NODE_WIDTH;
    }
}

/* ---- pack ---------------------------------------------------------------------------------------------------- */

/* Returns the number of leaves that these boxes fill. */
static int sap__leaves_for(int boxes) {
    return boxes ? (boxes + SAP__NODE_WIDTH - 1) / SAP__NODE_WIDTH : 1;
}

/* Returns the number of nodes of a tree with these leaves. */
static int sap__node_count(int leaves) {
    int nodes = leaves + 1;
    for (int n = leaves; n > 1; nodes += n) n = (n + SAP__NODE_WIDTH - 1) / SAP__NODE_WIDTH;
    return nodes;
}

/* Sets the levels of a tree that has these leaves. */
static void sap__set_levels(sap__bvh *t, int leaves) {
    int room = t->room;
    t->first[0] = 0;
    t->count[0] = leaves;
    t->levels = 1;
    for (int k = 0; t->count[k] > (k ? 2 : SAP__MAX_ROOTS); k++) {
        t->first[k + 1] = t->first[k] + room;
        t->count[k + 1] = (t->count[k] + SAP__NODE_WIDTH - 1) / SAP__NODE_WIDTH;
        t->levels++;
        room = (room + SAP__NODE_WIDTH - 1) / SAP__NODE_WIDTH;
    }
}

/* Returns the number of young boxes, newborn included, that a tree packed of these may have. */
static int sap__most_young(int packed) {
    return packed / SAP__YOUNG_PART + SAP__NODE_WIDTH;
}

/* Returns the number of leaves that a tree of these boxes has room for. */
static int sap__room_for(int boxes) {
    return sap__leaves_for(boxes) + sap__leaves_for(sap__most_young(boxes)) + 1; /* newborn begin a leaf of their own */
}

/* Gives each tree its part of the arrays. */
static void sap__set_parts(sap_world *s) {
    const sap__bvh *all = &s->forest;
    for (int tree = 0; tree < SAP__TREES && all->nodes; tree++) {
        sap__bvh *t = &s->tree[tree];
        t->nodes = all->nodes + t->begin;
        t->bounds = all->bounds + t->begin;
        t->occupied = all->occupied + t->begin;
        t->filter = all->filter + t->begin;
        t->home = all->home + t->begin;
    }
}

/* Reserves memory for the boxes of the last update in all leaves. */
static int sap__reserve_before(sap_world *s) {
    const int nodes = sap__capacity(s->forest.nodes);
    return sap__reserve(&s->forest.before, nodes) && sap__reserve(&s->forest.has_before, nodes);
}

/* Reserves the arrays of all trees for this number of nodes. If it fails some may have moved. */
static int sap__reserve_nodes(sap_world *s, int nodes) {
    sap__bvh *all = &s->forest;
    const int ok = sap__reserve(&all->bounds, nodes) && sap__reserve(&all->occupied, nodes) &&
                   sap__reserve(&all->filter, nodes) && sap__reserve(&all->home, nodes) &&
                   sap__reserve(&all->nodes, nodes);
    sap__set_parts(s);
    return ok;
}

/* Returns the end of a tree's part of the arrays. */
static int sap__part_end(const sap__bvh *t) {
    return t->room ? t->begin + sap__node_count(t->room) : 0;
}

/* Gives a tree room for this number of leaves: where it is, or in the first gap between the parts of the others, which
   stay where they are. */
static void sap__place_tree(sap_world *s, int tree, int leaves) {
    sap__bvh *t = &s->tree[tree];
    if (leaves <= t->room) return;
    t->begin = 0;
    t->room = leaves;
    for (int i = 0; i < SAP__TREES; i++) {
        const sap__bvh *other = &s->tree[i];
        if (i == tree || t->begin >= sap__part_end(other) || other->begin >= sap__part_end(t)) continue;
        t->begin = sap__part_end(other);
        i = -1; /* it may overlap one of those before now */
    }
}

/* Returns the length of a box on an axis. No difference of bounds that are clamped overflows. */
SAP__FORCE_INLINE float sap__side_of(const sap__box *box, int axis) {
    return sap__clamp(sap__float(box->hi[axis]), SAP__MOST) - sap__clamp(sap__float(box->lo[axis]), SAP__MOST);
}

/* Returns a box that contains the bounds, and reaches farther by a length on each axis. */
static sap__box sap__reach_around(const sap__box *bounds, const float by[3]) {
    sap__box around = *bounds;
    for (int k = 0; k < 3 && !sap__is_empty(bounds); k++) {
        around.lo[k] = sap__key(sap__clamp(sap__float(bounds->lo[k]), SAP__MOST) - by[k]);
        around.hi[k] = sap__key(sap__clamp(sap__float(bounds->hi[k]), SAP__MOST) + by[k]);
    }
    sap__enlarge(&around, bounds);
    return around;
}

/* Places the home of a leaf around its bounds: as large as it is, if `keeps`, else a quarter of each side larger than
   they are. Returns 0 if they do not fit into it. */
static int sap__place_home(sap__bvh *t, int leaf, int keeps) {
    const sap__box *bounds = &t->bounds[leaf];
    float by[3] = {0, 0, 0};
    for (int k = 0; k < 3 && !sap__is_empty(bounds); k++) {
        const float side = sap__side_of(bounds, k);
        by[k] = keeps ? (sap__side_of(&t->home[leaf], k) - side) / 2 : SAP__HOME_PART * side;
        if (by[k] < 0) return 0;
    }
    t->home[leaf] = sap__reach_around(bounds, by);
    return 1;
}

/* Packs a leaf of the n slots in items. */
static void sap__pack_leaf(sap_world *s, sap__bvh *t, int leaf, const uint64_t *items, int n) {
    static const sap__filter_bits none = {0, 0};
    const int has_filters = s->boxes.filtered_count, tree = (int)(t - s->tree);
    for (int i = 0; i < SAP__NODE_WIDTH; i++) {
        t->nodes[leaf].child[i] = i < n ? (uint32_t)items[i] : 0;
        if (i < n) s->slot_array[(uint32_t)items[i]].leaf_position = sap__position(tree, leaf, i);
    }
    t->occupied[leaf] = (uint16_t)((1u << n) - 1);
    t->filter[leaf] = n && !has_filters ? sap__default_filter_bits : none;
    for (int i = 0; i < n && has_filters; i++)
        sap__add_bits(&t->filter[leaf], &s->slot_array[(uint32_t)items[i]].filter);
    sap__refit_leaf(s, t, leaf);
}

typedef struct sap__pack_args {
    sap__bvh *t;
    int first, boxes; /* the first leaf; the boxes of the leaves from it on */
} sap__pack_args;

static void sap__pack_leaves_task(sap_world *s, void *args, int task, int tasks) {
    const sap__pack_args *pack = (const sap__pack_args *)args;
    sap__bvh *t = pack->t;
    const int leaves = t->count[0] - pack->first, end = sap__task_begin(leaves, task + 1, tasks);
    for (int leaf = sap__task_begin(leaves, task, tasks); leaf < end; leaf++) {
        const int from = sap__task_begin(pack->boxes, leaf, leaves),
                  n = sap__task_begin(pack->boxes, leaf + 1, leaves) - from;
        for (int i = from + n; i < from + 2 * n && i < pack->boxes; i++)
            sap__prefetch_slot(s, (uint32_t)s->update.sort_items[i]);
        sap__pack_leaf(s, t, pack->first + leaf, n ? s->update.sort_items + from : NULL, n);
    }
}

/* Packs the leaves from the first one on, of the n slots in sort_items. Their memory is scratch before. */
static void sap__pack_leaves(sap_world *s, sap__bvh *t, int first, int n, int may_cut) {
    sap__pack_args args = {t, first, n};
    const int leaves = n || !first ? sap__leaves_for(n) : 0, levels = t->levels;
    uint64_t *scratch = (uint64_t *)(void *)(t->nodes + first);
    const int is_rough = sap__sort_tiles(s, s->update.sort_items, scratch, n, leaves, may_cut);
    if (first == 0) t->is_rough = is_rough;
    sap__set_levels(t, first + leaves);
    sap__parallel_for(s, sap__pack_leaves_task, &args, n);
    sap__refit_levels(s, t, levels > 1 ? first : 0);
    for (int leaf = first; leaf < first + leaves; leaf++) (void)sap__place_home(t, leaf, 0);
    t->newborn = first + leaves;
    t->appended = 0;
    t->looks = 0;
    s->update.upkeep += n;
}

/* Packs a tree of the slots in sort_items, n of them: all are old. It cuts at first, and where searches of the tree as
   it was have taken as long as cuts do. */
static int sap__pack_items(sap_world *s, int tree, int n) {
    sap__bvh *t = &s->tree[tree];
    const int may_cut = t->price == 0 || t->all_looks > (long long)SAP__IN_VAIN * SAP__PACK_LOOKS * n;
    sap__place_tree(s, tree, sap__room_for(n));
    if (!sap__reserve_nodes(s, sap__part_end(t))) return sap__fail(s, SAP_ERROR_MEMORY);
    sap__pack_leaves(s, t, 0, n, may_cut);
    t->boxes = t->packed = n;
    t->young = t->newborn = t->count[0];
    t->young_boxes = 0;
    if (t->price == 0) t->price = SAP__PACK_LOOKS;
    if (t->debt <= (long long)t->price * n) t->last = 0;
    t->debt = t->all_looks = 0;
    t->is_new = 1;
    t->state = SAP__TREE_VALID;
    return 1;
}

/* Packs a tree of all live boxes that belong in it. */
static int sap__pack_tree(sap_world *s, int tree) {
    const uint32_t words = ((uint32_t)sap__length(s->slot_array) + 63) / 64;
    int n = 0;
    s->update.coming[tree] = 0;
    if (!sap__reserve(&s->update.sort_items, s->boxes.tree_count[tree])) return sap__fail(s, SAP_ERROR_MEMORY);
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t bits = s->boxes.live_bits[tree][i]; bits; bits &= bits - 1)
            s->update.sort_items[n++] = 64 * i + (uint32_t)sap__lowest_bit(bits);
    return sap__pack_items(s, tree, n);
}

/* Packs a tree. Reserved memory has room for all trees without gaps between them: if this one finds none, all are
   packed. */
static int sap__pack(sap_world *s, int tree) {
    int ok = 1;
    sap__place_tree(s, tree, sap__room_for(s->boxes.tree_count[tree]));
    if (!s->update.is_reserved || sap__part_end(&s->tree[tree]) <= sap__capacity(s->forest.nodes))
        return sap__pack_tree(s, tree);
    for (int other = 0; other < SAP__TREES; other++) sap__drop_tree(&s->tree[other]), s->tree[other].room = 0;
    for (int other = SAP__TREES - 1; other >= 0 && ok; other--)
        if (s->boxes.tree_count[other]) ok = sap__pack_tree(s, other);
    return ok;
}

/* ---- one box --------------------------------------------------------------------------------------------------- */

SAP__FORCE_INLINE int sap__belongs_in(const sap_world *s, uint32_t slot, int tree) {
    return (s->slot_array[slot].flags & SAP__LIVE) && sap__tree_of(&s->slot_array[slot]) == tree;
}

/* Lists a box that has no position, or is to lose it. */
static int sap__push_newcomer(sap_world *s, uint32_t slot) {
    if (!sap__reserve(&s->update.newcomers, sap__length(s->update.newcomers) + 1))
        return sap__fail(s, SAP_ERROR_MEMORY);
    sap__push(s->update.newcomers, slot);
    if (s->slot_array[slot].flags & SAP__LIVE) s->update.coming[sap__tree_of(&s->slot_array[slot])]++;
    return 1;
}

/* Returns the bounds of the lanes of a node. */
static sap__box sap__bounds_of_lanes(const sap__node *node) {
    sap__box all = sap__empty_box;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < SAP__NODE_WIDTH; i++) {
            all.lo[k] = node->lo[k][i] < all.lo[k] ? node->lo[k][i] : all.lo[k];
            all.hi[k] = node->hi[k][i] > all.hi[k] ? node->hi[k][i] : all.hi[k];
        }
    return all;
}

/* Takes a box out of its lane. The bounds above it shrink, unless they are refitted anyway. */
static void sap__leave_lane(sap_world *s, uint32_t slot) {
    const uint32_t at = s->slot_array[slot].leaf_position;
    int i = sap__position_leaf(at), lane = sap__position_lane(at);
    sap__box bounds = sap__empty_box;
    s->slot_array[slot].leaf_position = SAP__NONE;
    sap__bvh *t = &s->tree[sap__position_tree(at)];
    if (at == SAP__NONE || t->state == SAP__TREE_EMPTY) return;
    SAP_ASSERT(i < t->count[0] && t->nodes[i].child[lane] == slot && "a box knows its position");
    t->boxes--;
    t->young_boxes -= i >= t->young;
    for (int level = 0; level < t->levels; level++) {
        const int node = t->first[level] + i;
        sap__set_child_bounds(&t->nodes[node], lane, &bounds);
        if (sap__is_empty(&bounds)) t->occupied[node] &= (uint16_t) ~(1u << lane);
        if (t->state == SAP__TREE_NEEDS_REFIT && t->occupied[node]) return;
        bounds = sap__bounds_of_lanes(&t->nodes[node]);
        if (sap__same(&bounds, &t->bounds[node])) return;
        t->bounds[node] = bounds;
        lane = i % SAP__NODE_WIDTH;
        i /= SAP__NODE_WIDTH;
    }
}

/* Brings the boxes of a tree up to date one by one. */
static int sap__sync_boxes(sap_world *s, int tree) {
    sap__bvh *t = &s->tree[tree];
    const uint32_t *list = s->changes.unsynced;
    for (int i = 0; i < sap__length(s->changes.unsynced); i++) {
        const uint32_t slot = list[i], at = s->slot_array[slot].leaf_position;
        if (at == SAP__NONE || !sap__belongs_in(s, slot, tree)) continue;
        const int leaf = sap__position_leaf(at);
        const sap__box *box = &s->slot_array[slot].box;
        if (sap__contains(&t->home[leaf], box)) {
            sap__set_child_bounds(&t->nodes[leaf], sap__position_lane(at), box);
            sap__grow_leaf(t, leaf, box);
        } else {
            sap__leave_lane(s, slot);
            if (!sap__push_newcomer(s, slot)) return 0;
        }
    }
    return 1;
}

/* Returns how many more boxes may become young. */
static int sap__room_left(const sap_world *s, const sap__bvh *t) {
    return sap__most_young(t->packed) - t->young_boxes - s->update.coming[t - s->tree];
}

/* ---- refit ----------------------------------------------------------------------------------------------------- */

/* Refits the leaves of a task. Boxes that have left their home are taken out, and listed in the task's part of
   sort_items, which has a place for each lane of its leaves. If more than there is room for have left, the rest needs
   no refit. */
static void sap__refit_leaves_task(sap_world *s, void *args, int task, int tasks) {
    sap__bvh *t = (sap__bvh *)args;
    const int room = sap__room_left(s, t), begin = sap__task_begin(t->count[0], task, tasks),
              end = sap__task_begin(t->count[0], task + 1, tasks);
    const int early = t->boxes > SAP__CACHE_BOXES ? end - 8 : 0;
    uint64_t *left = s->update.sort_items + SAP__NODE_WIDTH * begin;
    int count = 0, young = 0;
    for (int leaf = begin; leaf < end && count <= room; leaf++) {
        const sap__node *c = &t->nodes[leaf];
        if (leaf < early) sap__prefetch(t->nodes[leaf + 8].child);
        for (int i = 0; i < SAP__NODE_WIDTH && leaf < early; i++) sap__prefetch_slot(s, t->nodes[leaf + 2].child[i]);
        sap__refit_leaf(s, t, leaf);
        if (sap__contains(&t->home[leaf], &t->bounds[leaf]) || sap__place_home(t, leaf, 1)) continue;
        const int before = count;
        for (uint32_t bits = t->occupied[leaf]; bits; bits &= bits - 1) {
            const int lane = sap__lowest_bit(bits);
            if (sap__contains(&t->home[leaf], &s->slot_array[c->child[lane]].box)) continue;
            s->slot_array[c->child[lane]].leaf_position = SAP__NONE;
            t->occupied[leaf] &= (uint16_t) ~(1u << lane);
            left[count++] = c->child[lane];
            young += leaf >= t->young;
        }
        if (count > before) sap__refit_leaf(s, t, leaf);
    }
    s->update.task[task].count = count;
    s->update.task[task].young = young;
}

/* Refits a tree. Boxes that have left their home come as new ones do. If they have no room, all are to be packed, and
   bounds stay old. Returns 0 without memory. */
static int sap__refit(sap_world *s, int tree) {
    sap__bvh *t = &s->tree[tree];
    int left = 0;
    if (!sap__reserve(&s->update.sort_items, SAP__NODE_WIDTH * t->count[0])) return sap__fail(s, SAP_ERROR_MEMORY);
    const int tasks = sap__parallel_for(s, sap__refit_leaves_task, t, t->boxes), room = sap__room_left(s, t);
    for (int i = 0; i < tasks; i++) {
        const uint64_t *items = s->update.sort_items + SAP__NODE_WIDTH * sap__task_begin(t->count[0], i, tasks);
        for (int k = 0; k < s->update.task[i].count; k++)
            if (!sap__push_newcomer(s, (uint32_t)items[k])) return 0;
        left += s->update.task[i].count;
        t->young_boxes -= s->update.task[i].young;
    }
    t->boxes -= left;
    if (left > room) return 1;
    if (t->packed > t->boxes) t->debt += t->packed - t->boxes; /* lanes that boxes have left */
    s->update.upkeep += t->boxes;
    sap__refit_levels(s, t, 0);
    t->state = SAP__TREE_VALID;
    t->is_refitted = 1;
    return 1;
}

/* ---- generations ----------------------------------------------------------------------------------------------- */

/* Packs the young of a tree, the newborn, and the boxes that come. */
static int sap__pack_young(sap_world *s, int tree) {
    sap__bvh *t = &s->tree[tree];
    int n = 0;
    if (!sap__reserve(&s->update.sort_items, t->young_boxes + s->update.coming[tree]))
        return sap__fail(s, SAP_ERROR_MEMORY);
    for (int leaf = t->young; leaf < t->count[0]; leaf++)
        for (uint32_t bits = t->occupied[leaf]; bits; bits &= bits - 1)
            s->update.sort_items[n++] = t->nodes[leaf].child[sap__lowest_bit(bits)];
    for (int i = 0; i < sap__length(s->update.newcomers); i++)
        if (sap__tree_of(&s->slot_array[s->update.newcomers[i]]) == tree)
            s->update.sort_items[n++] = s->update.newcomers[i];
    sap__pack_leaves(s, t, t->young, n, 0);
    t->boxes += s->update.coming[tree];
    t->young_boxes = n;
    return 1;
}

/* Appends the boxes that come to the newborn. Any place is home to them. */
static void sap__append_newborn(sap_world *s, int tree) {
    static const sap__box anywhere = {{SAP__BEFORE_ALL, SAP__BEFORE_ALL, SAP__BEFORE_ALL},
                                      {SAP__AFTER_ALL, SAP__AFTER_ALL, SAP__AFTER_ALL}};
    sap__bvh *t = &s->tree[tree];
    for (int i = 0; i < sap__length(s->update.newcomers); i++) {
        const uint32_t slot = s->update.newcomers[i];
        if (sap__tree_of(&s->slot_array[slot]) != tree) continue;
        const int leaf = t->newborn + t->appended / SAP__NODE_WIDTH, lane = t->appended % SAP__NODE_WIDTH;
        if (lane == 0) {
            const int levels = t->levels;
            sap__set_levels(t, leaf + 1);
            sap__pack_leaf(s, t, leaf, NULL, 0);
            sap__refit_levels(s, t, levels > 1 ? leaf : 0);
            t->home[leaf] = anywhere;
        }
        t->appended++;
        t->boxes++;
        t->young_boxes++;
        t->nodes[leaf].child[lane] = slot;
        t->occupied[leaf] |= (uint16_t)(1u << lane);
        s->slot_array[slot].leaf_position = sap__position(tree, leaf, lane);
        sap__set_child_bounds(&t->nodes[leaf], lane, &s->slot_array[slot].box);
        sap__grow_leaf(t, leaf, &s->slot_array[slot].box);
        sap__add_filter(s, slot);
    }
}

/* ---- accounts -------------------------------------------------------------------------------------------------- */

/* Returns the part of looks that is in vain, where it is not counted. */
static float sap__part_in_vain(const sap__bvh *t) {
    const float half = t->young_boxes || t->is_rough ? 1 / (float)SAP__IN_VAIN : 0;
    const float empty = 1 - (float)t->boxes / (float)t->packed, exceeds = t->last > 0 ? 1 - t->usual / t->last : 0;
    const float most = empty > half ? empty : half;
    return exceeds > most ? exceeds : most;
}

/* Charges a tree with looks. searching: the boxes that did, if they are all that move; else 0. */
static void sap__charge_tree(sap__bvh *t, long long looks, int searching) {
    const float now = searching ? (float)looks / (float)searching : 0;
    if (looks == 0 || t->boxes == 0) return;
    t->all_looks += looks;
    if (searching && t->is_new) {
        const int helped = t->last <= 0 || now < (t->usual + t->last) / 2;
        t->price = helped ? SAP__PACK_LOOKS : t->price < SAP__MOST_LOOKS ? 2 * t->price : t->price;
        t->is_new = 0;
        t->usual = t->last = now;
        if (t->is_rough) t->usual /= (float)SAP__IN_VAIN;
    }
    if (searching && t->is_refitted) {
        t->last = now;
        if (now < t->usual) t->usual = now;
        t->debt += looks - (long long)(t->usual * (float)searching);
    } else
        t->debt += (long long)(sap__part_in_vain(t) * (float)looks);
}

/* Charges the trees with what queries have looked at: each at all newborn, and at two nodes or so of each level. */
static void sap__charge_queries(sap_world *s) {
    for (int tree = 0; tree < SAP__TREES; tree++) {
        sap__bvh *t = &s->tree[tree];
        const int newborn = t->count[0] - t->newborn;
        long long visits = 0;
        for (int i = 0; i < SAP__COUNTER_STRIPES; i++) {
            visits += sap__atomic_get(&s->queries.counters[i].visits[tree]);
            sap__atomic_set(&s->queries.counters[i].visits[tree], 0);
        }
        s->queries.charged += visits;
        if (newborn) t->looks += visits * SAP__NODE_WIDTH * newborn / (newborn + 2 * t->levels);
        sap__charge_tree(t, visits * SAP__NODE_WIDTH, 0);
    }
}

/* ---- changes reach the trees ------------------------------------------------------------------------------------ */

/* Counts n changed boxes by tree if it need not look at each. Looks would take a fifth of an update in which all move.
   Returns whether it did. */
static int sap__count_at_once(const sap_world *s, int n, int count[SAP__TREES]) {
    memset(count, 0, SAP__TREES * sizeof *count);
    if (n == s->boxes.live_count && !(s->changes.flags & SAP__REMOVED)) /* all have changed */
        memcpy(count, s->boxes.tree_count, SAP__TREES * sizeof *count);
    else if (s->changes.flags || s->boxes.filtered_count)
        return 0;
    else
        count[SAP__TREE_MOVING] = n;
    return 1;
}

/* Adds the changed boxes to counts by tree, and lists the misplaced ones: removed, new, or of another tree now.
   Returns 0 without memory. */
static int sap__count_unsynced(sap_world *s, int changed[SAP__TREES]) {
    const uint32_t *list = s->changes.unsynced;
    const int n = sap__length(s->changes.unsynced);
    int levels = 0; /* if no tree has ever been packed no box has a position */
    for (int tree = 0; tree < SAP__TREES; tree++) levels += s->tree[tree].levels;
    sap__set_length(s->update.newcomers, 0);
    memset(s->update.coming, 0, sizeof s->update.coming);
    if (!(levels && s->changes.flags) && sap__count_at_once(s, n, changed)) return 1;
    for (int i = 0; levels && i < n; i++) {
        const sap__slot *slot = &s->slot_array[list[i]];
        const uint32_t at = slot->leaf_position;
        const int lives = (slot->flags & SAP__LIVE) != 0, was_seen = at != SAP__NONE; /* by a tree */
        const int tree = lives ? sap__tree_of(slot) : sap__position_tree(at);
        changed[tree] += lives | was_seen;
        if (lives == (was_seen & (sap__position_tree(at) == tree))) continue; /* in place, or never seen */
        if (!sap__push_newcomer(s, list[i])) return 0;
    }
    return 1;
}

/* Takes misplaced boxes out of their trees. Only live ones remain in the list. */
static void sap__remove_misplaced(sap_world *s) {
    int n = 0;
    for (int i = 0; i < sap__length(s->update.newcomers); i++) {
        const uint32_t slot = s->update.newcomers[i];
        sap__leave_lane(s, slot);
        s->update.newcomers[n] = slot;
        n += (s->slot_array[slot].flags & SAP__LIVE) != 0;
    }
    sap__set_length(s->update.newcomers, n);
}

enum { SAP__KEEP, SAP__SYNC, SAP__REFIT, SAP__APPEND, SAP__PACK_YOUNG, SAP__PACK_ALL };

/* Returns what is to be done with a tree next: the table, in its order. changed: boxes whose change it lacks;
   searching: boxes that will search it. */
static int sap__plan_tree(const sap_world *s, int tree, int changed, int searching) {
    const sap__bvh *t = &s->tree[tree];
    const int coming = s->update.coming[tree], boxes = s->boxes.tree_count[tree];
    const int leaves = sap__leaves_for(t->appended + coming); /* of the newborn */
    if (t->state == SAP__TREE_EMPTY || sap__room_left(s, t) < 0 || t->debt > (long long)t->price * boxes)
        return SAP__PACK_ALL;
    if (t->state == SAP__TREE_NEEDS_REFIT || (long long)SAP__REFIT_FRACTION * changed > boxes) return SAP__REFIT;
    if (changed) return SAP__SYNC;
    if (t->appended + coming == 0) return SAP__KEEP;
    const long long looks = t->looks + (long long)searching * SAP__NODE_WIDTH * leaves;
    if (t->newborn + leaves > t->room ||
        looks > (long long)SAP__PACK_LOOKS * (t->young_boxes + coming + SAP__NODE_WIDTH))
        return SAP__PACK_YOUNG;
    return coming ? SAP__APPEND : SAP__KEEP;
}

/* Brings one tree up to date: a refit, or the changed boxes one by one, may take more boxes out of their leaves, which
   come then. Returns 0 without memory. */
static int sap__sync_tree(sap_world *s, int tree, int changed, int searching) {
    sap__bvh *t = &s->tree[tree];
    for (;; changed = 0) {
        switch (sap__plan_tree(s, tree, changed, searching)) {
        case SAP__PACK_ALL: return sap__pack(s, tree);
        case SAP__PACK_YOUNG: return sap__pack_young(s, tree);
        case SAP__REFIT:
            if (!sap__refit(s, tree)) return 0;
            break;
        case SAP__SYNC:
            if (!sap__sync_boxes(s, tree)) return 0;
            break;
        case SAP__APPEND: sap__append_newborn(s, tree); /* fall through */
        default:
            t->looks += t->appended ? (long long)searching * SAP__NODE_WIDTH * sap__leaves_for(t->appended) : 0;
            return 1;
        }
    }
}

/* Brings all trees up to date with what is recorded. searching: the boxes that will search them. From a tree that is to
   be packed nothing is taken out box by box. Returns 0 without memory. */
static int sap__sync_trees(sap_world *s, int searching) {
    int changed[SAP__TREES] = {0};
    if (!sap__count_unsynced(s, changed)) return 0;
    sap__charge_queries(s);
    for (int tree = 0; tree < SAP__TREES; tree++) {
        const int plan = sap__plan_tree(s, tree, changed[tree], searching);
        if (plan == SAP__REFIT) s->tree[tree].state = SAP__TREE_NEEDS_REFIT;
        if (plan == SAP__PACK_ALL) sap__drop_tree(&s->tree[tree]);
    }
    sap__remove_misplaced(s);
    for (int tree = SAP__TREES - 1; tree >= 0; tree--)
        if (s->boxes.tree_count[tree] && !sap__sync_tree(s, tree, changed[tree], searching)) return 0;
    return 1;
}

/* ====================================================================================================== */
/* >> search: SAP_METHOD_PRUNE and SAP_METHOD_QUERY, spatial joins in the place of Terdiman I.4c            */
/* ====================================================================================================== */

/* A search is a spatial join: it finds the overlapping pairs of boxes below two sets of nodes. PRUNE joins each tree
   with itself (complete box pruning) and with others (bipartite). QUERY joins the changed boxes with the trees.

   A search goes down by pairs of nodes that overlap, all at the same two levels. At each step the nodes of the higher
   level are opened, or those of y if both levels are equal. Children that overlap the other node make the pairs of the
   next step. A box has level -1: it is what a leaf is opened into.

       x        y          opened
       level 1  level 2    y, a root
       level 1  level 1    y
       level 1  level 0    x
       level 0  level 0    y, leaves into boxes
       level 0  a box      x
       a box    a box      neither: these two overlap

   Pairs of boxes are collected, and handed on when there are SAP__PAIR_BATCH of them. */
typedef struct sap__search {
    sap_world *s;
    sap__task *task;
    int (*on_pairs)(struct sap__search *q); /* handles the n pairs of boxes a[i], b[i]; returns 0 to stop */
    int changes;                            /* it looks for overlaps that changed, else for those of now */
    uint32_t queriers;                      /* boxes with one of these flags also search for a[i]; 0: none */
    void *context;                          /* for on_pairs */
    long long *looks;                       /* counts tested boxes, by tree */
    int culls_by_filter;                    /* filter bits may exclude a pair of nodes */
    int n;
    uint32_t a[SAP__PAIR_BATCH + SAP__MAX_NODE_PAIRS], b[SAP__PAIR_BATCH + SAP__MAX_NODE_PAIRS];
} sap__search;

/* The nodes of one level of a tree; level -1 is all boxes, and has no tree. */
typedef struct sap__bvh_level {
    const sap__bvh *t;
    int level;
} sap__bvh_level;

/* Writes the events of the collected pairs: of changes, or of overlaps of now that were none, or that are refiltered
   and no pair. */
static int sap__emit_events(sap__search *q) {
    sap_world *s = q->s;
    const uint32_t refilter = s->changes.flags & SAP__REFILTER;
    const int n = q->n, early = q->changes && sap__length(s->pairs.active) > SAP__CACHE_BOXES ? 8 : n;
    if (!sap__reserve_events(s, q->task, n)) return 0;
    for (int i = 0; i < n; i++) {
        if (i < n - 2 * early)
            sap__prefetch(sap__bucket_of(s, sap__ids_of(s, q->a[i + 2 * early], q->b[i + 2 * early])));
        if (i < n - early) {
            const uint32_t p = *sap__bucket_of(s, sap__ids_of(s, q->a[i + early], q->b[i + early]));
            if (p != SAP__NONE) sap__prefetch(&s->pairs.active[p]);
        }
        const uint64_t ids = sap__ids_of(s, q->a[i], q->b[i]);
        if (q->changes)
            sap__change_pair(s, q->task, q->a[i], q->b[i]);
        else if ((!refilter || sap__find_pair_index(s, ids) == SAP__NONE) && sap__is_allowed(s, q->a[i], q->b[i], ids))
            sap__push(q->task->events, ids);
    }
    return 1;
}

/* Picks the collected pairs that changed, or are refiltered, and returns how many there are. Most overlaps of now are
   old, in an unpredictable order, so it has no branch. It is compiled twice, as in a small world each test counts. */
SAP__FORCE_INLINE int sap__pick_changes(sap__search *q, int prefetch_end, int changes, uint32_t refilter) {
    const sap__slot *slot_array = q->s->slot_array;
    const int n = q->n;
    uint32_t *a = q->a, *b = q->b;
    int count = 0;
    for (int i = prefetch_end ? -SAP__PREFETCH_AHEAD : 0; i < n; i++) {
        if (i < prefetch_end) {
            sap__prefetch_slot(q->s, a[i + SAP__PREFETCH_AHEAD]);
            sap__prefetch_slot(q->s, b[i + SAP__PREFETCH_AHEAD]);
        }
        if (prefetch_end && i < 0) continue; /* only prefetches */
        const sap__slot *x = &slot_array[a[i]], *y = &slot_array[b[i]];
        const int overlap = !changes || sap__overlap(&x->box, &y->box);
        a[count] = a[i];
        b[count] = b[i];
        count += (overlap ^ sap__overlap(&x->previous, &y->previous)) | (((x->flags | y->flags) & refilter) != 0);
    }
    return count;
}

/* Writes the events of those collected pairs that changed, or are refiltered. A box of queriers finds itself, and two
   of them each other: the lower one counts. Lists tell the pairs of ghosts that end. */
static int sap__emit_changes(sap__search *q) {
    const int prefetch_end = sap__prefetch_end(q->s, q->n), refilter = (int)(q->s->changes.flags & SAP__REFILTER);
    const sap__slot *slot_array = q->s->slot_array;
    uint32_t *a = q->a, *b = q->b;
    const int count = prefetch_end || q->changes || refilter
                          ? sap__pick_changes(q, prefetch_end, q->changes, SAP__REFILTER)
                          : sap__pick_changes(q, 0, 0, 0);
    q->n = q->queriers || q->changes ? 0 : count;
    for (int i = q->n; i < count; i++) {
        const sap__slot *x = &slot_array[a[i]], *y = &slot_array[b[i]];
        const uint32_t apart = q->changes ? x->flags | y->flags : 0;
        a[q->n] = a[i];
        b[q->n] = b[i];
        q->n += !(b[i] <= a[i] && (y->flags & q->queriers)) && !(apart & SAP__REFILTER) &&
                !((apart & SAP__GHOST) && !sap__overlap(&x->box, &y->box));
    }
    return sap__emit_events(q);
}

/* Begins the search of a task. After sap_reserve only the first task has memory for all events, so a task that runs
   alone writes to that one. */
static void sap__begin_search(sap__search *q, sap_world *s, int task, int changes) {
    q->s = s;
    q->task = &s->update.task[s->threads.in_parallel || !s->update.is_reserved ? task : 0];
    q->on_pairs = sap__emit_changes;
    q->changes = changes;
    q->queriers = 0;
    q->looks = s->update.task[task].looks;
    q->culls_by_filter = 0;
    q->n = 0;
}

/* Hands on the collected pairs if they are more than limit. Returns 0 to stop. */
SAP__FORCE_INLINE int sap__flush(sap__search *q, int limit) {
    if (q->n <= limit) return 1;
    const int go = (q->on_pairs)(q);
    q->n = 0;
    return go;
}

static const sap__filter_bits *sap__node_filter_bits(const sap_world *s, sap__bvh_level x, uint32_t node) {
    return x.level < 0 ? &s->slot_array[node].filter : &x.t->filter[node];
}

/* Removes the pairs of nodes, or boxes, that filter bits exclude. A tree that is joined with itself gives each pair of
   nodes twice: removes those of which the first is not the lower one. Returns the number of those that remain. */
SAP__NO_INLINE int sap__cull_pairs(const sap__search *q, const sap__bvh_level side[2], uint32_t *const nodes[2], int n,
                                   int is_mirrored) {
    uint32_t *a = nodes[0], *b = nodes[1];
    int kept = 0;
    for (int i = 0; i < n; i++) {
        a[kept] = a[i];
        b[kept] = b[i];
        kept += (!is_mirrored | (a[i] < b[i])) &
                (!q->culls_by_filter || sap__should_collide(sap__node_filter_bits(q->s, side[0], a[i]),
                                                            sap__node_filter_bits(q->s, side[1], b[i])));
    }
    return kept;
}

/* Finds the overlapping pairs of boxes below n pairs of nodes, nodes[0][i] of side 0 and nodes[1][i] of side 1. The two
   arrays are overwritten. The nodes of one side are opened, those of the other stay. The pairs of the next step are
   listed, and joined when the list is full: all these nodes are fetched into the cache at once, and none waits for
   another. Returns 0 to stop. */
static int sap__join_node_lists(sap__search *q, const sap__bvh_level side[2], uint32_t *const nodes[2], int n) {
    const int opened = side[0].level > side[1].level ? 0 : 1, stays = !opened;
    const sap__bvh_level *open = &side[opened], *stay = &side[stays];
    const sap__bvh *t = open->t;
    const int are_leaves = open->level == 0, of_boxes = stay->level < 0, to_boxes = are_leaves && of_boxes;
    uint32_t next_a[SAP__WORK_LIST + SAP__NODE_WIDTH], next_b[SAP__WORK_LIST + SAP__NODE_WIDTH];
    uint32_t *const next[2] = {to_boxes ? q->a : next_a, to_boxes ? q->b : next_b};
    sap__bvh_level next_side[2] = {side[0], side[1]};
    next_side[opened].level--;
    const int is_mirrored = side[0].t == side[1].t && side[0].level == side[1].level &&
                            open->level == (t->levels > 1); /* the level where sap__join_range begins */
    if (is_mirrored || q->culls_by_filter) n = sap__cull_pairs(q, side, nodes, n, is_mirrored);
    const void *boxes = of_boxes ? (const void *)q->s->slot_array : stay->t->bounds;
    const size_t stride = of_boxes ? sizeof(sap__slot) : sizeof(sap__box);
    const int is_large = t->boxes > SAP__CACHE_BOXES, changes = q->changes && (of_boxes || are_leaves);
    const sap__node *before = are_leaves ? t->before : NULL;
    sap__test_list list = {boxes, stride,   t->nodes, t->occupied, nodes[stays], nodes[opened], 0,
                           n,     is_large, changes,  of_boxes,    before,       t->has_before};
    q->looks[t - q->s->tree] += SAP__NODE_WIDTH * n;
    for (int i = 0; i < n && list.prefetch; i++)
        sap__prefetch_box(sap__box_at(list.boxes, list.stride, list.box_id[i]));
    while (list.next < n) {
        const int from = to_boxes ? q->n : 0, most = to_boxes ? SAP__PAIR_BATCH - 1 : SAP__WORK_LIST;
        const int found = (sap__kernel_of(q->s)->overlaps)(&list, next[stays], next[opened], from, most);
        if (to_boxes) q->n = found;
        if (!(to_boxes ? sap__flush(q, most) : sap__join_node_lists(q, next_side, next, found))) return 0;
    }
    return 1;
}

/* Finds the overlapping pairs of boxes below one node. Returns 0 to stop. */
static int sap__self_join(sap__search *q, sap__bvh_level x, uint32_t node) {
    uint32_t a[SAP__MAX_NODE_PAIRS], b[SAP__MAX_NODE_PAIRS], used = x.t->occupied[node];
    const sap__node *c = &x.t->nodes[node];
    if (q->culls_by_filter && !sap__should_collide(&x.t->filter[node], &x.t->filter[node])) return 1;
    q->looks[x.t - q->s->tree] += SAP__NODE_WIDTH;
    if (x.level == 0) {
        const sap__node *before = q->changes && x.t->has_before[node] ? &x.t->before[node] : NULL;
        if (q->changes && !before) return 1;
        q->n = (sap__kernel_of(q->s)->self_overlaps)(c, before, used, q->a, q->b, q->n);
        return sap__flush(q, SAP__PAIR_BATCH - 1);
    }
    const int n = (sap__kernel_of(q->s)->self_overlaps)(c, NULL, used, a, b, 0);
    for (int i = 0; i < n; i++) { /* in one order for all widths: b is opened, and packs depend on what is looked at */
        const uint32_t first = a[i] < b[i] ? a[i] : b[i];
        b[i] ^= a[i] ^ first;
        a[i] = first;
    }
    x.level--;
    for (; used; used &= used - 1)
        if (!sap__self_join(q, x, c->child[sap__lowest_bit(used)])) return 0;
    const sap__bvh_level side[2] = {x, x};
    uint32_t *const nodes[2] = {a, b};
    return sap__join_node_lists(q, side, nodes, n);
}

/* Joins n nodes or boxes with a whole tree: with its root, or its few roots. Returns 0 to stop. */
static int sap__join_with_root(sap__search *q, sap__bvh_level x, const uint32_t *nodes, int n, const sap__bvh *t) {
    const int top = t->levels - 1;
    const sap__bvh_level side[2] = {x, {t, top}};
    uint32_t a[SAP__MAX_ROOTS * SAP__WORK_LIST], b[SAP__MAX_ROOTS * SAP__WORK_LIST];
    uint32_t *const pair[2] = {a, b};
    int pairs = 0;
    if (t->boxes == 0) return 1;
    for (int root = t->first[top]; root < t->first[top] + t->count[top]; root++)
        for (int i = 0; i < n && t->occupied[root]; i++) {
            a[pairs] = nodes[i];
            b[pairs++] = (uint32_t)root;
        }
    return sap__join_node_lists(q, side, pair, pairs);
}

/* Does the part of one task in box pruning, complete (a tree with itself) or bipartite (with another one): it joins its
   nodes of level 1 with all of y. A tree without that level has few leaves, which take their place. */
static int sap__join_range(sap__search *q, const sap__bvh *x, const sap__bvh *y, int task, int tasks) {
    const sap__bvh_level nodes = {x, x->levels > 1};
    const int count = x->boxes ? x->count[nodes.level] : 0, end = sap__task_begin(count, task + 1, tasks);
    uint32_t node[SAP__WORK_LIST];
    for (int i = sap__task_begin(count, task, tasks), n; i < end; i += n) {
        for (n = 0; n < SAP__WORK_LIST && i + n < end; n++) node[n] = (uint32_t)(x->first[nodes.level] + i + n);
        if (!sap__join_with_root(q, nodes, node, n, y)) return 0;
        for (int k = 0; k < n && x == y; k++)
            if (!sap__self_join(q, nodes, node[k])) return 0;
    }
    return 1;
}

typedef struct sap__join_args {
    const sap__bvh *x, *y;
    int changes;
} sap__join_args;

static void sap__join_task(sap_world *s, void *args, int task, int tasks) {
    const sap__join_args *join = (const sap__join_args *)args;
    const sap__bvh *loners = &s->tree[SAP__TREE_LONERS];
    sap__search q;
    sap__begin_search(&q, s, task, join->changes);
    q.culls_by_filter = join->x == loners || join->y == loners;
    if (sap__join_range(&q, join->x, join->y, task, tasks)) (void)sap__flush(&q, 0);
}

/* Returns whether a box of one tree may be in a pair with a box of the other one. */
static int sap__trees_meet(const sap_world *s, int a, int b) {
    const sap__filter_bits x = sap__root_filter(&s->tree[a]), y = sap__root_filter(&s->tree[b]);
    if (a == SAP__TREE_UNPAIRED || b == SAP__TREE_UNPAIRED) return 0;
    return (a != SAP__TREE_STATIC || b != SAP__TREE_STATIC) && sap__should_collide(&x, &y);
}

/* ---- the boxes of the last update ------------------------------------------------------------------------ */

/* A tree holds boxes as they are now. A search for changes compares them with the boxes of the last update, which are
   loaded beforehand into the same lanes of `before`, from slots, so nothing of it is kept. In leaves without `before`
   no box has changed. The bounds of a leaf contain both. A box that has jumped away from its leaf is a ghost. */

/* Loads the lane of a changed box. Other lanes of its leaf are as now until they are loaded. Returns whether it is a
   ghost. */
static int sap__load_lane(sap_world *s, uint32_t slot) {
    const uint32_t at = s->slot_array[slot].leaf_position, leaf = (uint32_t)sap__position_leaf(at);
    const sap__box *box = &s->slot_array[slot].previous;
    if (at == SAP__NONE) return 0; /* it is removed */
    sap__bvh *t = &s->tree[sap__position_tree(at)];
    if (!t->has_before[leaf]) memcpy(&t->before[leaf], &t->nodes[leaf], sizeof *t->before);
    t->has_before[leaf] = 1;
    const int touches = sap__overlap(&t->bounds[leaf], box), is_ghost = !touches && !sap__is_empty(box);
    if (touches) sap__grow_leaf(t, (int)leaf, box);
    if (is_ghost) s->slot_array[slot].flags |= SAP__GHOST, s->changes.flags |= SAP__GHOST;
    sap__set_child_bounds(&t->before[leaf], sap__position_lane(at), touches ? box : &sap__empty_box);
    return is_ghost;
}

/* Loads the boxes of the last update. Where more than 1 / 8 are ghosts *changes is 0 afterwards: to look at all pairs
   is faster than to walk their lists. Returns 0 without memory. */
static int sap__load_changes(sap_world *s, int *changes) {
    const sap__bvh *all = &s->forest;
    int ghosts = 0;
    if (!sap__reserve_before(s)) return sap__fail(s, SAP_ERROR_MEMORY);
    memset(all->has_before, 0, (size_t)sap__capacity(all->has_before));
    for (int tree = 0; tree < SAP__TREES; tree++) {
        sap__bvh *t = &s->tree[tree];
        t->before = all->before + t->begin;
        t->has_before = all->has_before + t->begin;
    }
    for (int i = 0; i < sap__length(s->changes.list); i++) ghosts += sap__load_lane(s, s->changes.list[i]);
    *changes = SAP__SCAN_PART * (long long)ghosts <= sap__length(s->changes.list);
    return 1;
}

/* ---- queries of the changed boxes ---------------------------------------------------------------------- */

static const sap__bvh_level sap__boxes = {NULL, -1};

typedef struct sap__mover_args {
    uint32_t flags; /* of the boxes that search: one of these */
    int changes;    /* they look for changes */
} sap__mover_args;

/* Lets n boxes of one tree query all trees that they may meet. Returns 0 to stop. */
static int sap__query_trees(sap__search *q, int tree, const uint32_t *boxes, int n) {
    for (int other = 0; other < SAP__TREES && n; other++) {
        const sap__bvh *t = &q->s->tree[other];
        if (t->boxes == 0 || !sap__trees_meet(q->s, tree, other)) continue;
        q->culls_by_filter = tree == SAP__TREE_LONERS || other == SAP__TREE_LONERS;
        if (!sap__join_with_root(q, sap__boxes, boxes, n, t)) return 0;
    }
    return 1;
}

/* Does the part of one task of the list of changes. Boxes of one tree are collected, and query together. */
static void sap__query_movers_task(sap_world *s, void *args, int task, int tasks) {
    const sap__mover_args *movers = (const sap__mover_args *)args;
    uint32_t *list = s->changes.list;
    const int n = sap__length(list), begin = sap__task_begin(n, task, tasks), end = sap__task_begin(n, task + 1, tasks);
    sap__search q;
    sap__begin_search(&q, s, task, movers->changes);
    q.queriers = movers->flags;
    for (int tree = 0; tree < SAP__TREE_UNPAIRED; tree++) {
        uint32_t batch[SAP__WORK_LIST];
        int count = 0;
        for (int i = begin; i < end && s->changes.count[tree]; i++) {
            const sap__slot *slot = &s->slot_array[list[i]];
            batch[count] = list[i];
            count += (slot->flags & SAP__LIVE) && (slot->flags & movers->flags) && sap__tree_of(slot) == tree;
            if (count < SAP__WORK_LIST) continue;
            if (!sap__query_trees(&q, tree, batch, count)) return;
            count = 0;
        }
        if (!sap__query_trees(&q, tree, batch, count)) return;
    }
    (void)sap__flush(&q, 0);
}

/* Runs a search in tasks. Tasks on threads cannot allocate: one that had too little memory for its events runs again,
   alone. Its memory is then made larger for the next update; after sap_reserve it stays, as the first task has reserved
   memory for all events. Nor may tasks call the filter: that comes afterwards. Returns 0 on failure. */
static int sap__run_search(sap_world *s, sap__task_function *function, void *args, long long work) {
    const int tasks = sap__task_count(s);
    s->update.failure = SAP_OK;
    for (int i = 0; i < tasks; i++) {
        sap__task *task = &s->update.task[i];
        task->filtered = sap__length(task->events);
        task->overflowed = 0;
    }
    const int ran = sap__parallel_for(s, function, args, work);
    for (int i = 0; i < tasks && s->update.failure == SAP_OK; i++) {
        sap__task *task = &s->update.task[i];
        if (task->overflowed) {
            sap__set_length(task->events, task->filtered);
            (function)(s, args, i, SAP__TASKS);
            const int n = sap__length(task->events);
            if (!s->update.is_reserved && !sap__reserve(&task->events, n + n / 2LL + 256))
                return sap__fail(s, SAP_ERROR_MEMORY);
        } else if (ran > 1 && s->config.filter)
            sap__filter_created(s, task);
    }
    return s->update.failure == SAP_OK;
}

/* Finds the pairs that the changed boxes with one of the flags begin, by queries, or all changes. */
static int sap__query_movers(sap_world *s, uint32_t flags, int changes) {
    sap__mover_args movers = {flags, changes};
    return sap__run_search(s, sap__query_movers_task, &movers,
                           SAP__QUERY_COST * (long long)sap__length(s->changes.list));
}

/* ---- the three methods --------------------------------------------------------------------------------- */

/* These are the costs of a search for changes, of an event and of a changed box, in looks at one pair, which it saves.
   They were measured in the worlds of bench/methods.c, and are wrong by a third where boxes hardly move. */
enum {
    SAP__QUERY_EVENT = 1,
    SAP__QUERY_BOX = 2,
    SAP__PRUNE_EVENT = 20,
    SAP__PRUNE_BOX = 6,
    SAP__FEW_PAIRS = 4 /* pairs a changed box: up to that number all are scanned, and no list is walked */
};

/* Returns the number of changed boxes with one of the flags. */
static int sap__count_flagged(const sap_world *s, uint32_t flags) {
    int n = 0;
    for (int i = 0; i < sap__length(s->changes.list) && (s->changes.flags & flags); i++)
        n += (s->slot_array[s->changes.list[i]].flags & flags) != 0;
    return n;
}

/* Returns whether a search looks for changes. Else it looks for overlaps, and then at pairs: that is faster where the
   changed boxes have few pairs, where as many events are expected as the last update had, or where many boxes are
   refiltered, which needs all overlaps. */
static int sap__seeks_changes(const sap_world *s, int per_event, int per_box) {
    const double changed = sap__length(s->changes.list), moving = sap__moving_count(s) + 1.0;
    const double pairs = sap__length(s->pairs.active) * (changed < moving ? changed / moving : 1);
    return (double)SAP__QUERY_COST * sap__count_flagged(s, SAP__REFILTER) <= changed &&
           (double)per_event * s->update.events + per_box * changed < pairs;
}

/* Brings up to date what a search needs. Returns 0 on failure. */
static int sap__begin_method(sap_world *s, int searching, int *changes) {
    if (!sap__sync_trees(s, searching) || (*changes && !sap__load_changes(s, changes))) return 0;
    if (*changes) sap__require_index(s, SAP__TABLE);
    return 1;
}

/* After a search for changes, finds the pairs of removed boxes and of ghosts that end, and all changes of refiltered
   boxes, which it leaves out: a query each finds those that begin. Returns 0 on failure. */
static int sap__settle_apart(sap_world *s) {
    const uint32_t apart = s->changes.flags & (SAP__REMOVED | SAP__GHOST | SAP__REFILTER);
    if ((apart & SAP__REFILTER) && !sap__query_movers(s, SAP__REFILTER, 0)) return 0;
    return !apart || sap__deleted_by_lists(s, apart);
}

/* Finds what changed by the method QUERY. Few pairs are all looked at. */
static int sap__find_by_query(sap_world *s) {
    int changes = sap__seeks_changes(s, SAP__QUERY_EVENT, SAP__QUERY_BOX);
    if (!sap__begin_method(s, sap__length(s->changes.list), &changes) || !sap__query_movers(s, SAP__CHANGED, changes))
        return 0;
    if (changes) return sap__settle_apart(s);
    const long long few = (long long)SAP__FEW_PAIRS * sap__length(s->changes.list);
    return sap__length(s->pairs.active) < few ? sap__deleted_by_scan(s) : sap__deleted_by_lists(s, SAP__CHANGED);
}

/* Joins two trees, or one with itself. The tree with more boxes is x: where the two cover the same space its leaves are
   smaller, and of two leaves y's is opened, the larger one. Returns 0 on failure. */
static int sap__join_trees(sap_world *s, int a, int b, int changes) {
    const int swaps = s->tree[a].boxes < s->tree[b].boxes;
    sap__join_args join = {&s->tree[swaps ? b : a], &s->tree[swaps ? a : b], changes};
    if (!sap__trees_meet(s, a, b)) return 1;
    return sap__run_search(s, sap__join_task, &join, join.x->boxes);
}

/* Finds what changed by the method PRUNE: every two trees are joined, and each with itself, unless neither has
   changed. */
static int sap__find_by_prune(sap_world *s) {
    int changes = sap__seeks_changes(s, SAP__PRUNE_EVENT, SAP__PRUNE_BOX);
    if (!sap__begin_method(s, sap__moving_count(s), &changes)) return 0;
    for (int a = 0; a < SAP__TREE_UNPAIRED; a++)
        for (int b = a; b < SAP__TREE_UNPAIRED; b++)
            if ((s->changes.count[a] || s->changes.count[b]) && !sap__join_trees(s, a, b, changes)) return 0;
    return changes ? sap__settle_apart(s) : sap__deleted_by_scan(s);
}

/* Finds what changed by the method SORT. The update rules find the pairs of moved boxes. Added and removed boxes, and
   those to be refiltered, query the trees (Terdiman I.4c prunes added boxes against all others). Without them the trees
   are left to a refit when one is needed. In a grid the cells find created pairs, and added boxes need no tree. The
   lists, or a scan where many changed, tell deleted ones: a box that leaves a cell passes no ends there. Where AUTO has
   taken SORT, and more ends pass each other than PRUNE would take time for, PRUNE starts over. */
static int sap__find_by_sort(sap_world *s) {
    const uint32_t flags = SAP__ADDED | SAP__REMOVED | SAP__REFILTER;
    int any_tree = 0;
    for (int tree = 0; tree < SAP__TREES; tree++) any_tree |= s->tree[tree].state != SAP__TREE_EMPTY;
    if (sap__has_grid(s) && !sap__find_created_in_cells(s)) return 0;
    if (sap__in_cells(s)) {
        const int many = SAP__SCAN_PART * (long long)sap__length(s->changes.list) > s->boxes.live_count;
        if (!(many ? sap__deleted_by_scan(s) : sap__deleted_by_lists(s, SAP__CHANGED))) return 0;
        if (!any_tree) return 1;
    } else if (!sap__insertion_sort(s)) {
        if (s->update.task[0].swaps <= s->update.most_swaps) return 0;
        sap__set_length(s->update.task[0].events, 0);
        s->update.method = SAP_METHOD_PRUNE;
        s->update.sort_votes = s->update.sorts = 0;
        return sap__find_by_prune(s);
    }
    const int any = sap__count_flagged(s, flags);
    if (any && sap__in_cells(s)) return sap__sync_trees(s, 0);
    if (any) return sap__sync_trees(s, any) && sap__query_movers(s, flags, 0) && sap__deleted_by_lists(s, flags);
    for (int tree = 0; tree < SAP__TREES; tree++)
        if (s->changes.count[tree] && s->tree[tree].state == SAP__TREE_VALID)
            s->tree[tree].state = SAP__TREE_NEEDS_REFIT;
    return 1;
}

/* ====================================================================================================== */
/* >> update: from changes to pair events, by one of three methods                                          */
/* ====================================================================================================== */

/* An update goes this way:

       changes  ->  find what changed  ->  commit pairs  ->  commit boxes

   A method finds the pairs that begin and those that end, once each, as events of tasks. It compares overlaps now with
   overlaps at the last update. Each method therefore finds the net change, and all methods find the same. The filter
   callback is called for pairs that may be created, and those that are refiltered.

       sort    insertion sort of the endpoint arrays (Terdiman I.3)         cost ~ boxes + shifts
       prune   box pruning of all boxes (I.4c)                              cost ~ boxes + overlaps
       query   a query of the tree for each changed box                     cost ~ changed boxes * log(boxes)

   A method that fails returns 0, and update.failure is set. A method that does not synchronise a tree marks it as one
   that needs a refit. */
typedef int sap__method(sap_world *s);

static sap__method *const sap__methods[] = {NULL, /* SAP_METHOD_AUTO: see sap__choose_method */
                                            sap__find_by_sort, sap__find_by_prune, sap__find_by_query};

enum { SAP__TRIM = 8 }; /* updates between trims of arrays; the first trim is in the second update */

/* The times of steps, in nanoseconds, as measured with AVX-512. Without SIMD a pair takes longer, and SORT is chosen
   too seldom. */
static const double sap__end_time = 9, sap__swap_time = 28, sap__box_time = 20, sap__pair_time = 1.4,
                    sap__look_time = 0.35;

/* Returns the time that PRUNE is expected to take: at least that of the looks which it last took, as boxes that overlap
   need not be pairs. */
static double sap__prune_time(const sap_world *s) {
    const double looked = sap__look_time * (double)s->update.prune_tests;
    const double time = sap__count_bits((uint32_t)s->config.axes) *
                        (sap__box_time * sap__moving_count(s) + sap__pair_time * sap__length(s->pairs.active));
    return time > looked ? time : looked;
}

/* Returns whether the next update is expected to be cheaper by SORT than by PRUNE. Ends pass as many others as there
   are events, divided by the part of these that also overlap on the other axes: evenly spread boxes overlap on one axis
   with the part 2 * pairs / boxes^2 to the power of 1 / axes. */
static int sap__is_sort_cheaper(const sap_world *s) {
    const int axes = sap__count_bits((uint32_t)s->config.axes);
    const double pairs = sap__length(s->pairs.active) + 1.0, boxes = s->boxes.live_count;
    double part = 1, swaps = (double)s->update.swaps;
    for (int k = 1; k < axes; k++) part *= sap__nth_root(2 * pairs / (boxes * boxes), axes);
    if (s->update.method != SAP_METHOD_SORT) swaps = 2.0 * s->update.events / (part + 1e-30);
    return 2 * axes * boxes * sap__end_time + swaps * sap__swap_time < sap__prune_time(s);
}

enum {
    SAP__FEW_PART = 128, /* AUTO also queries if at most 1 / 128 of all boxes changed, the static ones included */
    SAP__MOST_VOTES = 16 /* AUTO changes over between PRUNE and SORT after 16 updates that are for it */
};

/* AUTO decides by counts, never by a clock. SORT is the cheapest in slow crowds, where little passes. A reserved world
   has no memory for it. */
static int sap__choose_method(sap_world *s) {
    const int moving = sap__moving_count(s), changed = sap__length(s->changes.list);
    s->update.most_swaps = LLONG_MAX;
    if (s->config.method != SAP_METHOD_AUTO) return s->config.method;
    if (SAP__TRACES) return SAP_METHOD_SORT;
    if (SAP__PRUNE_PART * (long long)changed <= moving || SAP__FEW_PART * (long long)changed <= s->boxes.live_count)
        return SAP_METHOD_QUERY;
    const int is_crowd = sap__seeks_changes(s, SAP__PRUNE_EVENT, SAP__PRUNE_BOX);
    const int wins = !s->changes.flags && is_crowd && sap__is_sort_cheaper(s);
    s->update.sort_votes += wins ? 1 : -1;
    if (s->update.sort_votes <= 0 || s->update.is_reserved) s->update.sort_votes = s->update.sorts = 0;
    if (s->update.sort_votes >= SAP__MOST_VOTES) s->update.sort_votes = SAP__MOST_VOTES, s->update.sorts = 1;
    s->update.most_swaps = (long long)(sap__prune_time(s) / sap__swap_time);
    return s->update.sorts ? SAP_METHOD_SORT : SAP_METHOD_PRUNE;
}

/* Counts changed boxes by tree. */
static void sap__count_changes(sap_world *s) {
    const int n = sap__length(s->changes.list);
    if (sap__count_at_once(s, n, s->changes.count)) return;
    for (int i = 0; i < n; i++) {
        const sap__slot *slot = &s->slot_array[s->changes.list[i]];
        if (!(slot->flags & SAP__REMOVED)) s->changes.count[sap__tree_of(slot)]++;
    }
}

/* Makes the changed boxes of a task the boxes of the last update, and frees the slots of removed ones. */
static void sap__commit_slots_task(sap_world *s, void *args, int task, int tasks) {
    (void)args;
    const int n = sap__length(s->changes.list), from = sap__task_begin(n, task, tasks);
    const int end = sap__task_begin(n, task + 1, tasks);
    const uint32_t *changed = s->changes.list;
    for (int i = from; i < end; i++) {
        sap__slot *slot = &s->slot_array[changed[i]];
        if (slot->flags & SAP__REMOVED) {
            slot->flags &= ~(uint32_t)SAP__FLAGS;
            continue;
        }
        slot->previous = slot->box;
        slot->flags &= ~(uint32_t)(SAP__CHANGED | SAP__ADDED | SAP__REFILTER | SAP__UNSYNCED | SAP__GHOST);
    }
}

/* Drops the events of the last update, and frees memory of pairs, events and scratch that the last few updates did not
   need: no peak of pairs is kept. */
static void sap__trim_arrays(sap_world *s) {
    for (int i = 0; i < sap__task_count(s); i++) sap__set_length(s->update.task[i].events, 0);
    sap__set_length(s->update.deleted_at, 0);
    sap__set_length(s->update.newcomers, 0);
    if (s->update.is_reserved || ++s->update.updates_since_trim < SAP__TRIM) return;
    s->update.updates_since_trim = 0;
    const int pairs = sap__length(s->pairs.active); /* an index keeps the capacity in which a getter may build it */
    if (sap__length(s->pairs.buckets) > 2 * (long long)pairs + 256) sap__drop_index(s, SAP__TABLE);
    if (!s->pairs.index[SAP__TABLE].is_valid) sap__set_length(s->pairs.buckets, pairs);
    if (!s->pairs.index[SAP__LISTS].is_valid) sap__set_length(s->pairs.edges, pairs + 1LL);
    sap__set_length(s->pairs.next, pairs);
    for (int i = 0; i < SAP__TASKS; i++) sap__trim(&s->update.task[i].events);
#define SAP__TRIM_ARRAY(a) sap__trim(&s->a);
    SAP__TRIMMED_ARRAYS(SAP__TRIM_ARRAY)
}

/* Finds what this update needs to know of all changes, and chooses its method. */
static void sap__begin_update(sap_world *s) {
    sap__count_changes(s);
    if (s->changes.flags & SAP__REFILTER) sap__require_index(s, SAP__TABLE);
    s->update.method = sap__choose_method(s);
    s->update.swaps = s->update.tests = s->update.upkeep = 0;
    if (s->update.method != SAP_METHOD_SORT) sap__drop_endpoints(s);
}

/* Makes all changed boxes the boxes of the last update, and empties the list of changes. */
static void sap__commit_boxes(sap_world *s) {
    sap__parallel_for(s, sap__commit_slots_task, NULL, sap__length(s->changes.list));
    sap__set_length(s->changes.list, 0);
    sap__set_length(s->changes.unsynced, 0);
    s->changes.flags = 0;
    if (s->boxes.removed.count)
        sap__append_slots(s, &s->boxes.free, s->boxes.removed.first, s->boxes.removed.last, s->boxes.removed.count);
    s->boxes.removed.count = 0;
    SAP_ASSERT(s->boxes.live_count + s->boxes.free.count == sap__length(s->slot_array));
}

/* Adds what tasks have counted to the counts of the update, and charges the trees with it. */
static void sap__add_counts(sap_world *s) {
    long long looks[SAP__TREES] = {0};
    for (int i = 0; i < sap__task_count(s); i++) {
        sap__task *task = &s->update.task[i];
        s->update.swaps += task->swaps;
        s->update.tests += task->tests;
        task->swaps = task->tests = 0;
        for (int tree = 0; tree < SAP__TREES; tree++) looks[tree] += task->looks[tree], task->looks[tree] = 0;
    }
    for (int tree = 0; tree < SAP__TREES; tree++) {
        s->update.tests += looks[tree];
        sap__charge_tree(&s->tree[tree], looks[tree], s->update.method == SAP_METHOD_PRUNE ? sap__moving_count(s) : 0);
        s->tree[tree].is_refitted = 0;
    }
    if (s->update.method == SAP_METHOD_PRUNE) s->update.prune_tests = s->update.tests;
}

/* On failure the list of changes and the pairs stay as they are. The trees and endpoints, which may be ahead of them,
   are rebuilt. They are dropped, too, if no box is left: all pairs end. */
SAP_DEF sap_result sap_update(sap_world *s) {
    const sap_result r = sap__begin_call(s, NULL, 1);
    if (r != SAP_OK) return r;
    sap__trim_arrays(s);
    sap__charge_queries(s);
    memset(&s->queries, 0, sizeof s->queries);
    if (sap__length(s->changes.list) == 0) {
        s->update.swaps = s->update.tests = s->update.upkeep = s->update.method = 0;
        sap__set_length(s->pairs.created, 0);
        sap__set_length(s->pairs.deleted, 0);
        return r;
    }
    sap__begin_update(s);
    const int is_empty = s->boxes.live_count == 0;
    const int ok = (is_empty ? sap__deleted_by_scan : sap__methods[s->update.method])(s) && sap__commit_pairs(s);
    sap__add_counts(s);
    if (!ok || is_empty) {
        sap__drop_endpoints(s);
        sap__drop_trees(s);
    }
    for (int i = 0; i < sap__length(s->changes.list) && !ok; i++)
        s->slot_array[s->changes.list[i]].flags &= ~(uint32_t)SAP__GHOST;
    s->changes.flags &= ~(uint32_t)SAP__GHOST;
    if (!ok) return s->call.last_error = s->update.failure;
    sap__commit_boxes(s);
    return s->call.last_error = SAP_OK; /* the filter callback may have set another one */
}

/* Gives deleted pairs the objects that a callback has set for their boxes. It may have removed such a box after
   that. */
static void sap__renew_objects(sap_world *s, int from, int end) {
    for (int i = from; i < end; i++) {
        sap_pair *pair = &s->pairs.deleted[i];
        if (sap__is_pair_id(s, pair->id0)) pair->object0 = s->objects[sap__slot_of(pair->id0)];
        if (sap__is_pair_id(s, pair->id1)) pair->object1 = s->objects[sap__slot_of(pair->id1)];
    }
}

static void sap__renew_all_objects(sap_world *s) {
    if (!s->pairs.old_objects) return; /* nothing is written, as several threads may read */
    sap__renew_objects(s, 0, sap__length(s->pairs.deleted));
    s->pairs.old_objects = 0;
}

/* Deleted pairs are reported first, then the created ones, which are the last active pairs (Terdiman I.6,
   DumpPairs). */
SAP_DEF int sap_dump_pairs(sap_world *s, sap_create_pair *create, sap_delete_pair *del, void *user) {
    sap_result r = sap_update(s);
    if (r != SAP_OK) return -(int)r;
    s->call.in_callback++;
    for (int i = 0; del && i < sap__length(s->pairs.deleted); i++) {
        if (s->pairs.old_objects) sap__renew_objects(s, i, i + 1);
        (del)(&s->pairs.deleted[i], user);
    }
    const int n = sap__length(s->pairs.created);
    const int first = sap__length(s->pairs.active) - n;
    for (int i = 0; create && i < n; i++) {
        void *data = (create)(&s->pairs.created[i], user);
        s->pairs.created[i].user_data = s->pairs.active[first + i].user_data = data;
    }
    s->call.in_callback--;
    sap__renew_all_objects(s);
    (void)sap__begin_call(s, NULL, 0); /* errors of calls inside the callbacks are not errors of this call */
    return sap__length(s->pairs.active);
}

/* ====================================================================================================== */
/* >> pruning: box pruning on its own (Terdiman I.4c)                                                       */
/* ====================================================================================================== */

typedef struct sap__prune {
    sap_prune_hit *hit;
    void *user;
    long long visited;
    int first_b; /* the index of the first box of set b; 0: there is one set */
} sap__prune;

static int sap__emit_pruned(sap__search *q) {
    sap__prune *p = (sap__prune *)q->context;
    for (int n = 0; n < q->n; n++) {
        const int i = (int)q->a[n], j = (int)q->b[n];
        p->visited++;
        if (p->hit && !(p->hit)(i < j ? i : j, (i < j ? j : i) - p->first_b, p->user)) return 0;
    }
    return 1;
}

/* Prunes one or two sets of boxes in a temporary world, which has slots and trees alone: set a is tree 0; set b, whose
   slots come after those of a, is tree 1. Returns the number of pairs visited, or -(sap_result). */
static long long sap__prune_boxes(const sap_aabb *a, int na, const sap_aabb *b, int nb, int axes, sap_prune_hit *hit,
                                  void *user, int is_bipartite) {
    sap_world s;
    sap__search q;
    sap__prune p = {hit, user, 0, is_bipartite ? na : 0};
    int n, ok;
    if (na < 0 || nb < 0 || (na && !a) || (nb && !b) || axes < 0 || axes > 7) return -SAP_ERROR_ARGUMENT;
    if (na > SAP__MAX_BOXES || nb > SAP__MAX_BOXES) return -SAP_ERROR_LIMIT;
    n = na + nb;
    if (n == 0) return 0;
    memset(&s, 0, sizeof s);
    s.kernel = sap__best_kernel();
    sap__axes_used(axes ? axes : 7, s.used);
    ok = (sap__reserve(&s.slot_array, n) && sap__reserve(&s.update.sort_items, n)) || sap__fail(&s, SAP_ERROR_MEMORY);
    for (int i = 0; i < n && ok; i++) {
        s.slot_array[i].box = sap__empty_box;
        if (sap__encode(i < na ? &a[i] : &b[i - na], s.used, &s.slot_array[i].box) < 0)
            ok = sap__fail(&s, SAP_ERROR_BOX);
    }
    sap__begin_search(&q, &s, 0, 0);
    q.on_pairs = sap__emit_pruned;
    q.context = &p;
    for (int set = 0; set <= is_bipartite && ok; set++) {
        const int from = set ? na : 0, count = set ? nb : na;
        for (int i = 0; i < count; i++) s.update.sort_items[i] = (uint32_t)(from + i);
        ok = sap__pack_items(&s, set, count);
    }
    if (ok && sap__join_range(&q, &s.tree[0], &s.tree[is_bipartite], 0, 1)) (void)sap__flush(&q, 0);
    sap__free_arrays(&s);
    return s.update.failure == SAP_OK ? p.visited : -(long long)s.update.failure;
}

SAP_DEF long long sap_box_prune(const sap_aabb *boxes, int n, int axes, sap_prune_hit *hit, void *user) {
    return sap__prune_boxes(boxes, n, NULL, 0, axes, hit, user, 0);
}

SAP_DEF long long sap_box_prune_bipartite(const sap_aabb *a, int na, const sap_aabb *b, int nb, int axes,
                                          sap_prune_hit *hit, void *user) {
    return sap__prune_boxes(a, na, b, nb, axes, hit, user, 1);
}

/* ====================================================================================================== */
/* >> queries                                                                                               */
/* ====================================================================================================== */

/* A box query searches the trees with exact comparisons of keys. Any other query traverses them with a test in floats,
   which prunes only boxes that are surely no hit. The hit of each box that remains is computed in doubles, and compared
   exactly: no result depends on the trees. In a double neither the difference nor the product of two floats overflows
   or becomes zero. */

/* Writes the keys of a vector, 0 on unused axes, which are not read. Returns whether it is finite. */
static int sap__read_vector(const int32_t used[6], const float v[3], int32_t out[3]) {
    int ok = 1;
    for (int k = 0; k < 3; k++) {
        out[k] = used[k] ? sap__key(v[k]) : 0;
        ok &= sap__magnitude(out[k]) < SAP__INFINITY;
    }
    return ok;
}

/* ---- exact comparisons ---------------------------------------------------------------------------------------- */

/* A query compares squared distances, or moments (t) of a cast. As doubles they have relative errors of some 1e-15. Two
   values that are closer than that are compared again, exactly, as integers made from their floats. So the box that is
   hit, and the box that is nearer, depend on no compiler, flag or machine. */
#define SAP__DOUBT 1e-14      /* a relative error that is larger than those of two values together */
#define SAP__INFINITE 1e150   /* infinity as a double: its products and quotients are finite */
#define SAP__MAX_FINITE 1e100 /* a larger value was computed from an infinity */
#define SAP__ONE 0x3f800000   /* the key of 1.0f */

/* Returns the float of a key as a double. It is exact, even if the machine takes denormals for zero. */
SAP__FORCE_INLINE double sap__wide(int32_t key) {
    const uint32_t size = key < 0 ? 0u - (uint32_t)key : (uint32_t)key;
    if (size - 0x800000u < 0x7f000000u) return (double)sap__float(key);
    return size < 0x800000u ? (double)key * SAP__DENORMAL : key < 0 ? -SAP__INFINITE : SAP__INFINITE;
}

/* Returns -1 if a is less than b, 1 if it is more, 0 if the difference may be an error of rounding. */
SAP__FORCE_INLINE int sap__compare_values(double a, double b) {
    const double doubt = ((a < 0 ? -a : a) + (b < 0 ? -b : b)) * SAP__DOUBT;
    return a < b - doubt ? -1 : a > b + doubt;
}

/* A measure is a value, given by the keys that it is computed from. If by is 0 it is the sum of (to - from)^2 over the
   axes, else the quotient (to[0] - from[0]) / by. */
typedef struct sap__measure {
    int32_t from[3], to[3], by;
} sap__measure;

/* An exact sum is an integer whose unit is 2^-298, the square of the smallest float. Its digits have 16 bits, the
   lowest comes first, and carries are not yet propagated. A product of two floats has 48 bits, shifted by 506 at
   most. */
enum { SAP__SUM_DIGITS = 36 };

/* Adds times * a * b to a sum, where a and b are floats, given by their keys. */
static void sap__add_product(int32_t *sum, int32_t a, int32_t b, int times) {
    const int32_t size_a = sap__magnitude(a), size_b = sap__magnitude(b);
    const int32_t shift_a = (size_a >> 23) - (size_a >> 23 > 0), shift_b = (size_b >> 23) - (size_b >> 23 > 0);
    const int64_t digits_a = size_a - (shift_a << 23), digits_b = size_b - (shift_b << 23);
    const int shift = shift_a + shift_b;
    uint64_t product = (uint64_t)(digits_a * digits_b) << shift % 16;
    if ((a < 0) != (b < 0)) times = -times;
    for (int32_t *digit = &sum[shift / 16]; product; digit++, product >>= 16)
        *digit += times * (int32_t)(product & 0xffff);
}

/* Returns the sign of a sum: -1, 0 or 1. */
static int sap__sign(const int32_t *sum) {
    int32_t carry = 0, rest = 0;
    for (int i = 0; i < SAP__SUM_DIGITS; i++) {
        carry += sum[i];
        rest |= carry & 0xffff;
        carry = (carry - (carry & 0xffff)) / 0x10000;
    }
    return carry < 0 ? -1 : carry > 0 || rest;
}

/* Adds times * (to - from) * factor to a sum, of a measure on an axis; factor is the key of a float. */
static void sap__add_gap(int32_t *sum, const sap__measure *m, int k, int32_t factor, int times) {
    sap__add_product(sum, m->to[k], factor, times);
    sap__add_product(sum, m->from[k], factor, -times);
}

/* Returns a gap of a squared distance, or -1 if it may have more digits than a double: see SAP__EXACT_APART. */
static double sap__exact_gap(const sap__measure *m, int k) {
    const int32_t from = m->from[k], to = m->to[k], between = (sap__magnitude(to) >> 23) - (sap__magnitude(from) >> 23);
    const int is_apart = between > SAP__EXACT_APART || between < -SAP__EXACT_APART;
    return to && from && is_apart ? -1 : sap__wide(to) - sap__wide(from);
}

/* Returns -1, 0 or 1: a is less than b, equal, or more. It is exact. */
SAP__NO_INLINE int sap__compare_measures(const sap__measure *a, const sap__measure *b) {
    int32_t sum[SAP__SUM_DIGITS] = {0};
    int shared = 0; /* gaps of b that a has, too: boxes in rows often share all */
    for (int i = 0; i < 9 && a->by == 0; i++) {
        const double gap = sap__exact_gap(a, i / 3);
        if ((shared & (1 << i % 3 | 8 << i / 3)) == 0 && gap >= 0 && gap == sap__exact_gap(b, i % 3))
            shared |= 1 << i % 3 | 8 << i / 3;
    }
    if (shared == 63) return 0;
    for (int i = 0; i < 6 && a->by == 0; i++) {
        const sap__measure *m = i < 3 ? a : b;
        sap__add_gap(sum, m, i % 3, m->to[i % 3], i < 3 ? 1 : -1);
        sap__add_gap(sum, m, i % 3, m->from[i % 3], i < 3 ? -1 : 1);
    }
    sap__add_gap(sum, a, 0, b->by, 1); /* both are multiplied by both divisors; a negative one reverses them */
    sap__add_gap(sum, b, 0, a->by, -1);
    return (a->by < 0) == (b->by < 0) ? sap__sign(sum) : -sap__sign(sum);
}

/* ---- distances ------------------------------------------------------------------------------------------------- */

/* Returns the squared distance of two boxes; 0 if they touch. Sets *m to its measure, unless m is NULL: gaps come
   first. All infinite distances are equal. */
SAP__FORCE_INLINE double sap__distance2(const sap__box *a, const sap__box *b, sap__measure *m) {
    double d2 = 0;
    int n = 0;
    if (m) memset(m, 0, sizeof *m);
    for (int k = 0; k < 3; k++) {
        const int is_below = a->hi[k] < b->lo[k];
        const int32_t from = is_below ? a->hi[k] : b->hi[k], to = is_below ? b->lo[k] : a->lo[k];
        if (to <= from) continue;
        const double gap = sap__wide(to) - sap__wide(from);
        d2 += gap * gap;
        if (m) m->from[n] = from, m->to[n++] = to;
    }
    return d2 > SAP__MAX_FINITE ? SAP__INFINITE * SAP__INFINITE : d2;
}

/* ---- casts ------------------------------------------------------------------------------------------------------ */

/* The moments of a cast are: it enters the slab of an axis (0 to 2), leaves it (3 to 5), t = 0, and t = 1. */
enum { SAP__ENTERS, SAP__LEAVES = 3, SAP__AT_START = 6, SAP__AT_END };
#define SAP__MISS 2.0 /* t of a cast that does not hit: it is beyond the end, 1 */

/* Returns the measure of a moment of a cast: of a box moved by a translation (keys) against another box. */
static sap__measure sap__moment(const sap__box *box, const sap__box *moving, const int32_t by[3], int which) {
    const int k = which % 3, is_front = (by[k] > 0) == (which < SAP__LEAVES);
    const int32_t from = is_front ? moving->hi[k] : moving->lo[k], to = is_front ? box->lo[k] : box->hi[k];
    const sap__measure meets = {{from, 0, 0}, {to, 0, 0}, by[k]};
    const sap__measure ends = {{0, 0, 0}, {which == SAP__AT_END ? SAP__ONE : 0, 0, 0}, SAP__ONE};
    return which < SAP__AT_START ? meets : ends;
}

/* Compares two measures that are quotients. Returns -1, 0 or 1. All infinite ones are equal. */
static int sap__compare_quotients(const sap__measure *a, const sap__measure *b) {
    const double x = (sap__wide(a->to[0]) - sap__wide(a->from[0])) / sap__wide(a->by);
    const double y = (sap__wide(b->to[0]) - sap__wide(b->from[0])) / sap__wide(b->by);
    const int order = sap__compare_values(x, y);
    return order || x > SAP__MAX_FINITE ? order : sap__compare_measures(a, b);
}

static int sap__compare_moments(const sap__box *box, const sap__box *moving, const int32_t by[3], int a, int b) {
    const sap__measure first = sap__moment(box, moving, by, a), second = sap__moment(box, moving, by, b);
    return sap__compare_quotients(&first, &second);
}

/* Returns the moment at which a box that is moved by a translation (keys) has entered all slabs of the other, if best
   is SAP__AT_START: that, or SAP__ENTERS + the axis that it enters last, of two at the same moment the lower one. If
   best is SAP__AT_END, returns the moment at which it leaves the first slab. */
static int sap__find_moment(const sap__box *box, const sap__box *moving, const int32_t by[3], int best) {
    const int sign = best == SAP__AT_START ? 1 : -1, first = best == SAP__AT_START ? SAP__ENTERS : SAP__LEAVES;
    for (int k = 0; k < 3; k++)
        if (by[k] && sign * sap__compare_moments(box, moving, by, first + k, best) > 0) best = first + k;
    return best;
}

/* Returns the t, from 0 to 1, at which a finite box that is moved by a translation (keys) first touches the other, or
   SAP__MISS. */
static double sap__cast(const sap__box *box, const sap__box *moving, const int32_t by[3]) {
    double enter = 0, leave = 1;
    for (int k = 0; k < 3; k++) {
        if (by[k] == 0 && (moving->hi[k] < box->lo[k] || moving->lo[k] > box->hi[k])) return SAP__MISS;
        if (by[k] == 0) continue;
        const double way = sap__wide(by[k]), low = (sap__wide(box->lo[k]) - sap__wide(moving->hi[k])) / way,
                     high = (sap__wide(box->hi[k]) - sap__wide(moving->lo[k])) / way;
        const double t0 = by[k] > 0 ? low : high, t1 = by[k] > 0 ? high : low;
        if (t0 > enter) enter = t0;
        if (t1 < leave) leave = t1;
    }
    int order = sap__compare_values(enter, leave);
    if (order == 0)
        order = sap__compare_moments(box, moving, by, sap__find_moment(box, moving, by, SAP__AT_START),
                                     sap__find_moment(box, moving, by, SAP__AT_END));
    return order > 0 ? SAP__MISS : enter;
}

/* Returns the axis of least depth of two boxes that overlap at the start, if the translation goes deeper there, else
   -1. The moving box leaves the other there by the shortest way, upwards (side 2 * axis + 1) or downwards. */
static int sap__goes_deeper(const sap__box *box, const sap__box *moving, const int32_t by[3], const int32_t used[6]) {
    sap__measure least = {{0, 0, 0}, {0, 0, 0}, SAP__ONE};
    int best = -1;
    for (int side = 0; side < 6; side++) {
        const int k = side / 2, up = side % 2;
        const sap__measure depth = {
            {up ? moving->lo[k] : box->lo[k], 0, 0}, {up ? box->hi[k] : moving->hi[k], 0, 0}, SAP__ONE};
        if (!used[k] || (best >= 0 && sap__compare_quotients(&depth, &least) >= 0)) continue;
        least = depth;
        best = side;
    }
    return (best % 2 ? by[best / 2] < 0 : by[best / 2] > 0) ? best / 2 : -1;
}

/* Reads a box. Returns whether it is valid, and finite if it must be. */
static int sap__read_box(const int32_t used[6], const sap_aabb *box, int must_be_finite, sap__box *out) {
    *out = sap__empty_box;
    if (sap__encode(box, used, out) < 0) return 0;
    return !must_be_finite || (sap__read_vector(used, box->min, out->lo) && sap__read_vector(used, box->max, out->hi));
}

SAP_DEF int sap_hit_normal(const sap_aabb *moving, const float translation[3], const sap_aabb *hit, float normal[3]) {
    static const int32_t used[6] = {-1, -1, -1, -1, -1, -1};
    sap__box from, to;
    int32_t by[3];
    for (int k = 0; normal && k < 3; k++) normal[k] = 0;
    if (!moving || !translation || !hit || !normal || !sap__read_box(used, moving, 1, &from) ||
        !sap__read_vector(used, translation, by) || !sap__read_box(used, hit, 0, &to))
        return 0;
    const int first = sap__find_moment(&to, &from, by, SAP__AT_START);
    if (first == SAP__AT_START || sap__cast(&to, &from, by) == SAP__MISS) return 0;
    normal[first] = by[first] < 0 ? 1.0f : -1.0f;
    return 1;
}

/* Sets the probe of a distance query. */
static void sap__set_distance_probe(sap__probe *p, const sap__box *box, const int32_t used[3]) {
    for (int k = 0; k < 3; k++) {
        p->lo[k] = sap__float(box->lo[k]);
        p->hi[k] = sap__float(box->hi[k]);
        p->used[k] = used[k] && p->lo[k] > -SAP__NEAR && p->hi[k] < SAP__NEAR;
    }
}

/* An axis of a cast is computed in floats if the translation along it is not tiny: at least 2^SAP__LEAST_WAY, and
   2^-SAP__WAY_RANGE times the longest. The unit of t is half of that. So an inverse (unit / translation) lies between
   2^-91 and a half: it is a float, and its product with a difference of bounds, less than 2^105, neither overflows nor
   is lost. Inverses are made smaller or larger by SAP__SLACK, which is more than a few roundings of floats cost. */
enum { SAP__WAY_RANGE = 90, SAP__LEAST_WAY = -106 };
#define SAP__SLACK 1e-5

/* Sets the probe of a cast, and returns the unit of t. */
static double sap__set_cast_probe(sap__probe *p, const sap__box *box, const int32_t by[3]) {
    const int32_t range = SAP__WAY_RANGE << 23;               /* a key of twice a float is larger by 1 << 23 */
    int32_t longest = range + ((127 + SAP__LEAST_WAY) << 23); /* 127 is the bias of exponents */
    sap__set_distance_probe(p, box, by);
    for (int k = 0; k < 3; k++)
        if (sap__magnitude(by[k]) > longest) longest = sap__magnitude(by[k]);
    const double unit = 0.5 * sap__wide(longest - range);
    for (int k = 0; k < 3; k++) {
        p->used[k] = p->used[k] && sap__magnitude(by[k]) >= longest - range;
        const double way = sap__wide(by[k]), inverse = unit / sap__wide(p->used[k] ? by[k] : SAP__ONE);
        p->is_negative[k] = p->used[k] && by[k] < 0;
        p->near_inverse[k] = (float)(inverse * (1 - SAP__SLACK));
        p->far_inverse[k] = (float)(inverse * (1 + SAP__SLACK));
        p->near_from[k] = by[k] < 0 ? p->lo[k] : p->hi[k];
        p->far_from[k] = by[k] < 0 ? p->hi[k] : p->lo[k];
        if (!p->used[k] && by[k] < 0) p->lo[k] = sap__round(sap__wide(box->lo[k]) + way, SAP__ROUND_DOWN);
        if (!p->used[k] && by[k] > 0) p->hi[k] = sap__round(sap__wide(box->hi[k]) + way, SAP__ROUND_UP);
    }
    return unit;
}

/* ---- a query ------------------------------------------------------------------------------------------------ */

/* A kind of query says what a hit is, and at which value: t, a squared distance, or 0. */
enum {
    SAP__OVERLAPS,  /* the box overlaps the query's box; as the best hit of a slide, at its end and not at its start */
    SAP__DISTANCES, /* it is within a distance */
    SAP__CASTS,     /* the cast meets it */
    SAP__LEAVES_IT, /* the same; a box that is touched at the start counts only if the cast goes deeper into it */
    SAP__SLIDES     /* the cast meets it, and it stops the moving box: see sap__find_stop */
};

/* The cutoff of a query: no hit beyond it counts. It is a float or, if key is below 0, where the query hits `box`: so a
   tie with a box is found exactly. */
typedef struct sap__cutoff {
    double at;   /* a squared distance, or t, as a double */
    int32_t key; /* of the float, a distance or t */
    sap__box box;
} sap__cutoff;

typedef struct sap__query sap__query;

/* Handles a hit at a value not beyond the cutoff, which it may lower. Returns 0 to stop. */
typedef int sap__hit_function(sap__query *q, sap_id id, double at, const sap__box *box);

/* The first ids of a set, in the array of the caller: they depend on the set alone. They are in any order until the
   array is full, and then a heap with the last one on top, until they are sorted. */
typedef struct sap__first_ids {
    const sap__query *query; /* orders ids by their hits, then by id; NULL: by id */
    sap_id *ids;
    float *ranks; /* of the ids at 0 to ranked - 1: see sap__rank */
    int ranked;
    int capacity, count; /* count: ids that were kept or rejected */
} sap__first_ids;
enum { SAP__FEW_RANKS = 256 }; /* these have room on the stack, if the caller has no array for values */

/* A query holds its shape, its callback, and its hits so far. */
struct sap__query {
    sap_world *s;
    int kind, is_ordered;      /* is_ordered: its hits may lower the cutoff, so it visits what is nearest first */
    sap__hit_function *on_hit; /* NULL: hits are only counted */
    sap_hit *hit;              /* or a sap_accept */
    sap_ray_hit *ray_hit;
    void *user;
    sap__first_ids *first_ids;
    uint32_t mask;
    sap_id best, ignored; /* the best hit so far; a box that is no hit */
    int count, visits;    /* hits; nodes visited */
    int in_callback;      /* a callback has been called: the world is busy */
    int cull_by_mask;     /* the tree holds categories outside the mask: nodes are culled by their filters */
    int unsynced;         /* boxes that were so when the query began: the first ones of the list */
    sap__query_counters *counters;
    sap__cutoff cutoff;
    sap__box box;           /* the box or point of the query, */
    int32_t translation[3]; /* and the translation of a cast: keys */
    sap__probe probe;
    double unit;     /* the limit of the probe is in this unit of t, or of squared distances */
    int stop;        /* of the best hit */
    sap__box start;  /* a slide's box at the start; box is where it stopped on stopped axes */
    sap__measure at; /* the t at which the last cast of a slide ended */
};

/* Sets the limit of the probe: the cutoff as a float, made larger than what rounding and lost denormals may cost. */
static void sap__set_limit(sap__query *q) {
    q->probe.limit = sap__round(q->cutoff.at * q->unit * (1 + SAP__SLACK) + (double)SAP__TINY, SAP__ROUND_UP);
}

/* Sets the cutoff to the hit of a box. */
static void sap__set_cutoff(sap__query *q, double at, const sap__box *box) {
    q->cutoff.at = at;
    q->cutoff.key = -1;
    q->cutoff.box = *box;
    sap__set_limit(q);
}

/* Returns the value at which the query hits a box. A miss is beyond the cutoff. */
static double sap__hit_at(const sap__query *q, const sap__box *box) {
    if (q->kind == SAP__OVERLAPS) return sap__overlap(box, &q->box) ? 0 : 1;
    if (q->kind == SAP__DISTANCES) return sap__distance2(box, &q->box, NULL);
    if (q->kind == SAP__LEAVES_IT && sap__overlap(box, &q->box))
        return sap__goes_deeper(box, &q->box, q->translation, q->s->used) < 0 ? SAP__MISS : 0;
    return sap__cast(box, &q->box, q->translation);
}

/* Returns the measure of the hit of a box: a squared distance, or a moment of a cast. */
static sap__measure sap__measure_of(const sap__query *q, const sap__box *box) {
    sap__measure m;
    if (q->kind != SAP__DISTANCES)
        return sap__moment(box, &q->box, q->translation, sap__find_moment(box, &q->box, q->translation, SAP__AT_START));
    (void)sap__distance2(box, &q->box, &m);
    return m;
}

static sap__measure sap__measure_of_key(const sap__query *q, int32_t key) {
    const sap__measure m = {{0, 0, 0}, {key, 0, 0}, q->kind == SAP__DISTANCES ? 0 : SAP__ONE};
    return m;
}

static sap__measure sap__measure_of_cutoff(const sap__query *q) {
    return q->cutoff.key < 0 ? sap__measure_of(q, &q->cutoff.box) : sap__measure_of_key(q, q->cutoff.key);
}

/* Returns -1, 0 or 1: the query hits a box before another, or its cutoff if other is NULL, at it, or beyond it. It is
   exact. */
SAP__NO_INLINE int sap__compare_exactly(const sap__query *q, double at, const sap__box *box, const sap__box *other) {
    if (q->kind == SAP__OVERLAPS || at == 0 || at > SAP__MAX_FINITE) return 0;
    const sap__measure a = sap__measure_of(q, box), b = other ? sap__measure_of(q, other) : sap__measure_of_cutoff(q);
    return sap__compare_measures(&a, &b);
}

static int sap__compare_to_cutoff(const sap__query *q, double at, const sap__box *box) {
    const int order = sap__compare_values(at, q->cutoff.at);
    return order ? order : sap__compare_exactly(q, at, box, NULL);
}

/* Returns the value of a hit for the user. It is one of three:
     t                  the float nearest to it
     a gap on one axis  is the distance itself, without a root: it is rounded up
     another distance   the smallest float whose square is not below the exact one: that above the root, or the next */
SAP__NO_INLINE float sap__reported_value(const sap__query *q, double at, const sap__box *box) {
    if (q->kind != SAP__DISTANCES) return sap__round(at, SAP__ROUND_NEAREST);
    if (at == 0) return 0;
    if (at > SAP__MAX_FINITE) return sap__float(SAP__INFINITY);
    const sap__measure m = sap__measure_of(q, box);
    const double gap = sap__exact_gap(&m, 0);
    if (m.to[1] == m.from[1] && gap >= 0) return sap__round(gap, SAP__ROUND_UP);
    double root = sap__nth_root(at, 2);
    for (int i = 0; i < 4; i++) root = 0.5 * (root + at / root); /* Newton's method: the last bits are reached */
    const int32_t key = sap__key(sap__round(root * (1 - SAP__DOUBT), SAP__ROUND_UP));
    if (sap__wide(key) > root * (1 + SAP__DOUBT)) return sap__float(key);
    const sap__measure reported = sap__measure_of_key(q, key);
    return sap__float(key + (sap__compare_measures(&reported, &m) < 0));
}

/* ---- the first ids ------------------------------------------------------------------------------------------- */

static const sap__box *sap__box_of_id(const sap__query *q, sap_id id) {
    return &q->s->slot_array[sap__slot_of(id)].box;
}

/* Returns the rank of a value: those whose ranks differ by more than one are in the order of their ranks, whatever
   rounding has done to them, and others are compared exactly. The rank of a t is the float that is told, that of a
   squared distance the upper half of the double. Ranks are kept in the array that will get the values, as far as there
   is one, and computed again beyond. */
SAP__NO_INLINE uint32_t sap__rank(const sap__query *q, double at) {
    uint64_t bits;
    if (q->kind != SAP__DISTANCES) return sap__float_bits(sap__reported_value(q, at, NULL));
    memcpy(&bits, &at, sizeof bits);
    return (uint32_t)(bits >> 32);
}

SAP__FORCE_INLINE uint32_t sap__rank_at(const sap__first_ids *f, int i) {
    uint32_t rank;
    if (!f->query) return 0;
    if (i >= f->ranked) return sap__rank(f->query, sap__hit_at(f->query, sap__box_of_id(f->query, f->ids[i])));
    memcpy(&rank, f->ranks + i, sizeof rank);
    return rank;
}

static void sap__put_id(sap__first_ids *f, int i, sap_id id, uint32_t rank) {
    f->ids[i] = id;
    if (i < f->ranked) memcpy(f->ranks + i, &rank, sizeof rank);
}

/* Returns -1, 0 or 1: the query hits a before b, at the same value, or after it. It is exact. */
SAP__NO_INLINE int sap__compare_ids(const sap__query *q, sap_id a, sap_id b) {
    const sap__box *box_a = sap__box_of_id(q, a), *box_b = sap__box_of_id(q, b);
    const double at = sap__hit_at(q, box_a);
    const int order = sap__compare_values(at, sap__hit_at(q, box_b));
    return order ? order : sap__compare_exactly(q, at, box_a, box_b);
}

/* Returns whether a comes after b. */
SAP__FORCE_INLINE int sap__comes_after(const sap__first_ids *f, sap_id a, uint32_t rank_a, sap_id b, uint32_t rank_b) {
    const int32_t difference = (int32_t)(rank_a - rank_b);
    if (difference > 1 || difference < -1) return difference > 0;
    const int order = f->query ? sap__compare_ids(f->query, a, b) : 0;
    return order > 0 || (order == 0 && a > b);
}

/* Puts an id into the empty position i of a heap of n, or below it. */
static void sap__sift_down(sap__first_ids *f, int n, int i, sap_id id, uint32_t rank) {
    for (int child = 2 * i + 1; child < n; i = child, child = 2 * i + 1) {
        uint32_t above = sap__rank_at(f, child);
        const uint32_t other = child + 1 < n ? sap__rank_at(f, child + 1) : 0;
        if (child + 1 < n && sap__comes_after(f, f->ids[child + 1], other, f->ids[child], above))
            child++, above = other;
        if (!sap__comes_after(f, f->ids[child], above, id, rank)) break;
        sap__put_id(f, i, f->ids[child], above);
    }
    sap__put_id(f, i, id, rank);
}

static void sap__make_heap(sap__first_ids *f, int n) {
    for (int i = n / 2; i-- > 0;) sap__sift_down(f, n, i, f->ids[i], sap__rank_at(f, i));
}

/* Keeps an id if it is among the first. Returns whether it does, and there is no room for more. */
static int sap__keep_id(sap__first_ids *f, sap_id id, uint32_t rank) {
    const int i = f->count++, capacity = f->capacity;
    if (i < capacity) {
        sap__put_id(f, i, id, rank);
        if (i + 1 == capacity) sap__make_heap(f, capacity);
        return i + 1 == capacity;
    }
    if (capacity == 0 || !sap__comes_after(f, f->ids[0], sap__rank_at(f, 0), id, rank)) return 0;
    sap__sift_down(f, capacity, 0, id, rank);
    return 1;
}

/* Sorts the ids that were kept, by emptying the heap from the top. Returns their number. */
static int sap__sort_ids(sap__first_ids *f) {
    const int n = f->count < f->capacity ? f->count : f->capacity;
    if (n == f->count) sap__make_heap(f, n);
    for (int i = n - 1; i > 0; i--) {
        const sap_id last = f->ids[0];
        const uint32_t rank = sap__rank_at(f, 0);
        sap__sift_down(f, i, 0, f->ids[i], sap__rank_at(f, i));
        sap__put_id(f, i, last, rank);
    }
    return n;
}

/* ---- stops ------------------------------------------------------------------------------------------------------ */

/* Returns whether the intervals of two boxes on an axis overlap, not only touch. Two equal ones do, though flat. */
static int sap__overlaps_across(const sap__box *a, const sap__box *b, int k) {
    return (a->lo[k] < b->hi[k] && b->lo[k] < a->hi[k]) || (a->lo[k] == b->lo[k] && a->hi[k] == b->hi[k]);
}

static int sap__overlaps_inside(const sap__box *a, const sap__box *b) {
    return sap__overlaps_across(a, b, 0) && sap__overlaps_across(a, b, 1) && sap__overlaps_across(a, b, 2);
}

/* Returns how a box stops the moving box of a slide: the axis on which this enters it last, and SAP__EDGE more for each
   other axis at the same moment; or -1. A side is then less than an edge, an edge less than a vertex. A box that is
   overlapped at the start stops on the axis of least depth. Another one does when the moving box has entered it on all
   axes and left it on none. (Two that are flat on an axis are entered and left at one moment there.) At the end of the
   way edges and vertices stop nothing. When the way is used up, a box stops that is overlapped then and was not at the
   start. */
enum { SAP__EDGE = 3 };
static int sap__find_stop(const sap__query *q, const sap__box *box) {
    const sap__box *moving = &q->box;
    const int32_t *by = q->translation;
    int stop = -1;
    if (q->kind == SAP__OVERLAPS)
        return !sap__overlaps_inside(box, &q->start) && sap__overlaps_inside(box, moving) ? 0 : -1;
    if (sap__overlaps_inside(box, &q->start)) return sap__goes_deeper(box, &q->start, by, q->s->used);
    for (int k = 0; k < 3; k++) {
        if (by[k] == 0 && !sap__overlaps_across(box, moving, k)) return -1;
        if (by[k] == 0) continue;
        const int order = stop < 0 ? 1 : sap__compare_moments(box, moving, by, SAP__ENTERS + k, stop % 3);
        if (order == 0) stop += SAP__EDGE;
        if (order > 0) stop = k;
    }
    const int axis = stop % 3;
    for (int k = 0; k < 3; k++) {
        if (by[k] == 0) continue;
        const int order = sap__compare_moments(box, moving, by, axis, SAP__LEAVES + k);
        const int are_flat = box->lo[k] == box->hi[k] && moving->lo[k] == moving->hi[k];
        const int passes = are_flat && box->lo[k] != moving->lo[k]; /* enters and leaves at once */
        if (order > 0 || (order == 0 && !passes)) return -1;
    }
    const sap__measure enters = sap__moment(box, moving, by, axis);
    if (sap__compare_quotients(&enters, &q->at) < 0) return -1;
    if (stop >= SAP__EDGE && sap__compare_moments(box, moving, by, axis, SAP__AT_END) >= 0) return -1;
    return stop;
}

/* ---- hits -------------------------------------------------------------------------------------------------------- */

/* Makes the world busy, from the first callback of a query to its end. The query counts itself in the counters chosen
   by the address of its stack, so threads seldom share them. */
SAP__FORCE_INLINE void sap__begin_callbacks(sap__query *q) {
    if (!q->in_callback) (void)sap__atomic_add(&q->counters->queries, 1);
    q->in_callback = 1;
}

static int sap__call_hit(sap__query *q, sap_id id, double at, const sap__box *box) {
    (void)at, (void)box;
    sap__begin_callbacks(q);
    return (q->hit)(id, q->s->objects[sap__slot_of(id)], q->user);
}

/* Keeps a hit among the first. When there are enough by value the last of them is the cutoff. */
static int sap__keep_first(sap__query *q, sap_id id, double at, const sap__box *box) {
    sap__first_ids *f = q->first_ids;
    (void)box;
    if (!sap__keep_id(f, id, f->query ? sap__rank(q, at) : 0) || !f->query) return 1;
    const sap__box *last = sap__box_of_id(q, f->ids[0]);
    sap__set_cutoff(q, sap__hit_at(q, last), last);
    return 1;
}

/* Keeps a hit that is the best so far, if the user accepts it: at a tie the lowest stop of a slide, which makes the
   joint of two boxes act as one box would, and then the lowest id. */
static int sap__keep_best(sap__query *q, sap_id id, double at, const sap__box *box) {
    const int slides = q->kind == SAP__SLIDES || q->kind == SAP__OVERLAPS; /* the end of a slide: see sap__slide_box */
    const int stop = slides ? sap__find_stop(q, sap__box_of_id(q, id)) : 0;
    if (stop < 0) return 1;
    const int order = stop != q->stop ? stop - q->stop : id > q->best;
    if (q->best && order > 0 && sap__compare_to_cutoff(q, at, box) == 0) return 1;
    if (q->hit && !sap__call_hit(q, id, at, box)) return 1; /* the user's predicate does not accept it */
    q->best = id;
    q->stop = stop;
    sap__set_cutoff(q, at, box);
    return 1;
}

/* Calls back, and lowers the cutoff to the value that is returned. A callback that returns the t that was reported to
   it means this hit. That t may have been rounded down, so the cutoff then becomes the exact hit; distances are rounded
   up. */
static int sap__call_ray_hit(sap__query *q, sap_id id, double at, const sap__box *box) {
    const float reported = sap__reported_value(q, at, box);
    sap__begin_callbacks(q);
    const float end = (q->ray_hit)(id, q->s->objects[sap__slot_of(id)], reported, q->user);
    const int32_t key = sap__key(end);
    if (!sap__is_number(end) || key <= 0) return 0;
    const double value = q->kind == SAP__DISTANCES ? sap__wide(key) * sap__wide(key) : sap__wide(key);
    int order = sap__compare_values(value, q->cutoff.at);
    if (order == 0) {
        const sap__measure m = sap__measure_of_key(q, key), old = sap__measure_of_cutoff(q);
        order = sap__compare_measures(&m, &old);
    }
    if (order >= 0) return 1;
    q->cutoff.at = value;
    q->cutoff.key = key;
    sap__set_limit(q);
    if (q->kind != SAP__DISTANCES && key == sap__key(reported) && sap__compare_to_cutoff(q, at, box) > 0)
        sap__set_cutoff(q, at, box);
    return 1;
}

/* Handles a hit. Returns 0 to stop. */
SAP__FORCE_INLINE int sap__report_hit(sap__query *q, uint32_t slot, double at, const sap__box *box) {
    const sap_id id = sap__id_of(q->s, slot);
    if (id == q->ignored) return 1;
    q->count++;
    return !q->on_hit || (q->on_hit)(q, id, at, box);
}

/* Handles a box that the mask lets through. Returns 0 to stop. */
SAP__FORCE_INLINE int sap__try_box(sap__query *q, uint32_t slot, const sap__box *box) {
    const double at = sap__hit_at(q, box);
    return sap__compare_to_cutoff(q, at, box) > 0 || sap__report_hit(q, slot, at, box);
}

/* ---- trees are searched ---------------------------------------------------------------------------------------- */

/* Synchronises the trees with the recorded changes. Returns SAP_ERROR_MEMORY if it cannot. */
static sap_result sap__sync_for_queries(sap_world *s) {
    const uint32_t *list = s->changes.unsynced;
    if (!sap__sync_trees(s, sap__length(list))) { /* as many queries are expected as boxes changed */
        sap__drop_trees(s);
        return SAP_ERROR_MEMORY;
    }
    for (int i = 0; i < sap__length(s->changes.unsynced); i++) s->slot_array[list[i]].flags &= ~(uint32_t)SAP__UNSYNCED;
    sap__set_length(s->changes.unsynced, 0);
    return SAP_OK;
}

/* Begins a query with a box that was read: reads the translation of a cast, and synchronises the trees, unless another
   query is in progress, which reads them. In that case unsynced boxes are tested one by one. Synchronised trees are
   only read. cutoff is a key. */
static sap_result sap__begin_query(sap__query *q, sap_world *s, int kind, const float *translation, int32_t cutoff,
                                   uint32_t mask, sap_id ignored) {
    if (kind >= SAP__CASTS && (!translation || !sap__read_vector(s->used, translation, q->translation)))
        return SAP_ERROR_ARGUMENT;
    if ((uint32_t)cutoff > SAP__INFINITY) return SAP_ERROR_ARGUMENT; /* below 0, or NaN */
    if (s->call.in_filter) return SAP_ERROR_BUSY;
    if (!sap__are_trees_synced(s) && !sap__is_querying(s) && sap__sync_for_queries(s) != SAP_OK)
        return SAP_ERROR_MEMORY;
    q->s = s; /* field by field: for so small a struct compilers emit a slow string instruction */
    q->kind = kind;
    q->mask = mask;
    q->hit = NULL;
    q->best = 0;
    q->ignored = ignored;
    q->stop = q->count = 0;
    q->cutoff.key = cutoff;
    q->cutoff.at = kind == SAP__DISTANCES ? sap__wide(cutoff) * sap__wide(cutoff) : sap__wide(cutoff);
    q->unsynced = sap__length(s->changes.unsynced);
    return SAP_OK;
}

/* Begins a query at a point, with a cutoff; translation is that of a ray. An infinite distance hits every box, even at
   an infinite distance. */
static sap_result sap__begin_at_point(sap__query *q, sap_world *s, int kind, const float point[3],
                                      const float *translation, float cutoff, uint32_t mask) {
    if (!s || !point || !sap__read_vector(s->used, point, q->box.lo)) return SAP_ERROR_ARGUMENT;
    memcpy(q->box.hi, q->box.lo, sizeof q->box.hi);
    return sap__begin_query(q, s, kind, translation, sap__key(cutoff), mask, 0);
}

/* Begins a query with a box, which is finite if it is cast. */
static sap_result sap__begin_with_box(sap__query *q, sap_world *s, int kind, const sap_aabb *box,
                                      const float *translation, uint32_t mask, sap_id ignored) {
    if (!s || !box) return SAP_ERROR_ARGUMENT;
    if (!sap__read_box(s->used, box, kind != SAP__OVERLAPS, &q->box)) return SAP_ERROR_BOX;
    return sap__begin_query(q, s, kind, translation, kind == SAP__OVERLAPS ? 0 : SAP__ONE, mask, ignored);
}

/* Begins a query of the boxes within a distance of a box of the world, itself aside. */
static sap_result sap__begin_from_id(sap__query *q, sap_world *s, sap_id id, float distance, uint32_t mask) {
    if (!s) return SAP_ERROR_ARGUMENT;
    const uint32_t slot = sap__live_slot(s, id);
    if (slot == SAP__NONE) return SAP_ERROR_ID;
    q->box = s->slot_array[slot].box;
    return sap__begin_query(q, s, SAP__DISTANCES, NULL, sap__key(distance), mask, id);
}

/* Returns whether a slot has a box that the mask lets through. */
SAP__FORCE_INLINE int sap__is_wanted(const sap__query *q, uint32_t slot) {
    return (q->s->slot_array[slot].filter.category & q->mask) && (q->s->slot_array[slot].flags & SAP__LIVE);
}

/* Moves the marks to the first n unsynced boxes. Queries within queries do so in turn: a mark costs less than the test
   of its box, which the inner one has made. */
SAP__NO_INLINE void sap__mark_tested(sap_world *s, int n) {
    const uint32_t *list = s->changes.unsynced;
    for (; s->changes.tested < n; s->changes.tested++) s->slot_array[list[s->changes.tested]].flags |= SAP__TESTED;
    while (s->changes.tested > n) s->slot_array[list[--s->changes.tested]].flags &= ~(uint32_t)SAP__TESTED;
}

/* Returns whether a box in a tree is to be tested: not if the mask rejects it, if it was removed by a callback, or if
   it was unsynced at the start, as it is then tested on its own. */
SAP__FORCE_INLINE int sap__should_visit(const sap__query *q, uint32_t slot) {
    sap_world *s = q->s;
    if (!sap__is_wanted(q, slot)) return 0;
    if (!(s->slot_array[slot].flags & SAP__UNSYNCED)) return 1;
    if (q->unsynced == sap__length(s->changes.unsynced)) return 0; /* no callback has changed a box since */
    sap__mark_tested(s, q->unsynced);
    return !(s->slot_array[slot].flags & SAP__TESTED);
}

/* Tests the boxes that were unsynced when the query began. Returns 0 to stop. */
static int sap__query_unsynced(sap__query *q) {
    for (int i = 0; i < q->unsynced; i++) {
        const uint32_t slot = q->s->changes.unsynced[i];
        const sap__box box = q->s->slot_array[slot].box; /* a copy: a callback may move the box */
        if (sap__is_wanted(q, slot) && !sap__try_box(q, slot, &box)) return 0;
    }
    return 1;
}

/* Finds the boxes that overlap the query's box, under n nodes of one level. The nodes below are listed, and visited
   when the list is full: so those outside the cache are prefetched many at a time. Returns 0 to stop. */
static int sap__traverse_overlaps(sap__query *q, const sap__bvh *t, const uint32_t *nodes, int n) {
    static const uint32_t one_box[SAP__WORK_LIST + SAP__NODE_WIDTH] = {0};
    uint32_t child[SAP__WORK_LIST + SAP__NODE_WIDTH];
    sap__test_list list = {&q->box, 0, t->nodes, t->occupied, one_box, nodes, 0, n, t->boxes > SAP__CACHE_BOXES,
                           0,       0, NULL,     NULL};
    const int are_leaves = nodes[0] < (uint32_t)t->count[0];
    for (int i = 0; list.prefetch && i < n && i < 8; i++) sap__prefetch_node(&t->nodes[nodes[i]]);
    q->visits += n;
    while (list.next < n) {
        const int met = (sap__kernel_of(q->s)->overlaps)(&list, child, child, 0, SAP__WORK_LIST);
        int found = q->cull_by_mask && !are_leaves ? 0 : met;
        for (int i = found; i < met; i++) {
            child[found] = child[i];
            found += (t->filter[child[i]].category & q->mask) != 0;
        }
        if (!are_leaves && found && !sap__traverse_overlaps(q, t, child, found)) return 0;
        for (int i = 0; are_leaves && list.prefetch && i < found; i++) sap__prefetch_slot(q->s, child[i]);
        for (int i = 0; are_leaves && i < found; i++)
            if (sap__should_visit(q, child[i]) && !sap__report_hit(q, child[i], 0, &q->box)) return 0;
    }
    return 1;
}

/* Tests the lanes of a node, prefetches the children of those that remain, and visits them. If the cutoff may become
   lower it visits the nearest lane first; when that is beyond the limit, so are the other lanes. Else it visits each
   lane that the kernel has let through: one beyond the limit, which is rounded otherwise there, says nothing of the
   others. Returns 0 to stop. */
static int sap__traverse(sap__query *q, const sap__bvh *t, uint32_t at, int level) {
    const sap__kernel *kernel = sap__kernel_of(q->s);
    const sap__node *node = &t->nodes[at];
    float distance[SAP__NODE_WIDTH]; /* or t */
    uint32_t lanes = (q->kind == SAP__DISTANCES ? kernel->point_distance : kernel->ray_slab)(node, t->occupied[at],
                                                                                             &q->probe, distance);
    q->visits++;
    for (uint32_t bits = q->cull_by_mask && level ? lanes : 0; bits; bits &= bits - 1)
        if (!(t->filter[node->child[sap__lowest_bit(bits)]].category & q->mask)) lanes ^= bits & (0u - bits);
    for (uint32_t bits = t->boxes > SAP__CACHE_BOXES ? lanes : 0; bits; bits &= bits - 1) {
        const uint32_t child = node->child[sap__lowest_bit(bits)];
        if (level == 0)
            sap__prefetch_slot(q->s, child);
        else if (q->kind != SAP__DISTANCES)
            sap__prefetch_node(&t->nodes[child]), sap__prefetch(t->nodes[child].child);
    }
    while (lanes) {
        int lane = sap__lowest_bit(lanes);
        for (uint32_t bits = q->is_ordered ? lanes & (lanes - 1) : 0; bits; bits &= bits - 1)
            if (distance[sap__lowest_bit(bits)] < distance[lane]) lane = sap__lowest_bit(bits);
        if (q->is_ordered && distance[lane] > q->probe.limit) return 1;
        const uint32_t child = node->child[lane];
        lanes &= ~(1u << lane);
        if (level && !sap__traverse(q, t, child, level - 1)) return 0;
        if (level || !sap__should_visit(q, child)) continue;
        const sap__box box = sap__child_bounds(node, lane);
        if (!sap__try_box(q, child, &box)) return 0;
    }
    return 1;
}

/* Runs a query: on unsynced boxes, then on each tree. is_ordered: the hit function may lower the cutoff. Visits are
   counted roughly: threads that share counters may lose some. The last query with callbacks gives the held slots back,
   whatever the trees lack: so ids depend on no method; and it takes the marks off. */
static void sap__run_query(sap__query *q, sap__hit_function *on_hit, int is_ordered) {
    const uint32_t page = (uint32_t)((uintptr_t)q / 4096), spread = page * 2654435769u; /* by the golden ratio */
    q->counters = &q->s->queries.counters[spread / (UINT32_MAX / SAP__COUNTER_STRIPES + 1)];
    q->on_hit = on_hit;
    q->is_ordered = is_ordered;
    q->in_callback = q->visits = 0;
    q->unit = 1;
    if (q->kind == SAP__DISTANCES) sap__set_distance_probe(&q->probe, &q->box, q->s->used);
    if (q->kind >= SAP__CASTS) q->unit = sap__set_cast_probe(&q->probe, &q->box, q->translation);
    if (q->kind != SAP__OVERLAPS) sap__set_limit(q);
    for (int tree = 0, go = sap__query_unsynced(q); tree < SAP__TREES && go; tree++) {
        const sap__bvh *t = &q->s->tree[tree];
        uint32_t tops[SAP__MAX_ROOTS];
        if (t->boxes == 0) continue;
        const int top = t->levels - 1;
        q->cull_by_mask = 0;
        for (int i = 0; i < t->count[top]; i++) {
            tops[i] = (uint32_t)(t->first[top] + i);
            q->cull_by_mask |= (t->filter[tops[i]].category & ~q->mask) != 0;
        }
        if (q->kind == SAP__OVERLAPS)
            go = sap__traverse_overlaps(q, t, tops, t->count[top]);
        else
            for (int i = 0; go && i < t->count[top]; i++) go = sap__traverse(q, t, tops[i], top);
        int32_t visits = sap__atomic_get(&q->counters->visits[tree]) + q->visits;
        if (visits >= SAP__VISIT_BATCH) visits -= SAP__VISIT_BATCH, (void)sap__atomic_add(&q->counters->batches, 1);
        sap__atomic_set(&q->counters->visits[tree], visits);
        q->visits = 0;
    }
    if (!q->in_callback) return;
    (void)sap__atomic_add(&q->counters->queries, -1);
    if (q->s->boxes.held_count && !sap__is_querying(q->s)) q->s->boxes.held_count = 0;
    if (q->s->changes.tested && !sap__is_querying(q->s)) sap__mark_tested(q->s, 0);
}

/* ---- the queries ---------------------------------------------------------------------------------------------- */

SAP_DEF sap_result sap_prepare_queries(sap_world *s) {
    const sap_result r = sap__begin_call(s, NULL, 1);
    return r != SAP_OK || sap__are_trees_synced(s) ? r : (s->call.last_error = sap__sync_for_queries(s));
}

/* Runs a query with a callback, or none. Returns the number of hits, or -(sap_result). */
static int sap__visit(sap__query *q, sap_result r, sap_hit *hit, sap_ray_hit *ray_hit, void *user) {
    if (r != SAP_OK) return -(int)r;
    q->hit = hit;
    q->ray_hit = ray_hit;
    q->user = user;
    sap__run_query(q, hit ? sap__call_hit : ray_hit ? sap__call_ray_hit : NULL, ray_hit != NULL);
    return q->count;
}

/* Runs a query for ids, the smallest or, if is_ordered, those with the smallest values, capacity at most. Writes the
   values, unless values is NULL. Returns the number of hits, or -(sap_result). */
SAP__NO_INLINE int sap__list_ids(sap__query *q, sap_result r, int is_ordered, sap_id *ids, float *values,
                                 int capacity) {
    float few[SAP__FEW_RANKS];
    const int ranked = values ? capacity : SAP__FEW_RANKS;
    sap__first_ids first = {is_ordered ? q : NULL, ids, values ? values : few, is_ordered ? ranked : 0, capacity, 0};
    if (r != SAP_OK) return -(int)r;
    if (capacity < 0 || (capacity && !ids)) return -SAP_ERROR_ARGUMENT;
    q->first_ids = &first;
    sap__run_query(q, capacity ? sap__keep_first : NULL, is_ordered);
    const int n = sap__sort_ids(&first);
    for (int i = 0; values && q->kind == SAP__DISTANCES && i < n; i++) {
        const sap__box *box = sap__box_of_id(q, ids[i]);
        values[i] = sap__reported_value(q, sap__hit_at(q, box), box);
    }
    return is_ordered && capacity ? n : q->count;
}

/* Runs a query for its best hit. Returns the id or 0. *at is its t or distance, the cutoff if there is none, -1 on
   failure. */
SAP__NO_INLINE sap_id sap__find_best(sap__query *q, sap_result r, float *at) {
    if (at) *at = -1;
    if (r != SAP_OK) return 0;
    sap__run_query(q, sap__keep_best, 1);
    if (at) *at = q->best ? sap__reported_value(q, q->cutoff.at, &q->cutoff.box) : sap__float(q->cutoff.key);
    return q->best;
}

SAP_DEF int sap_query_box(sap_world *s, const sap_aabb *box, uint32_t mask, sap_hit *hit, void *user) {
    sap__query q;
    return sap__visit(&q, sap__begin_with_box(&q, s, SAP__OVERLAPS, box, NULL, mask, 0), hit, NULL, user);
}

SAP_DEF int sap_query_box_ids(sap_world *s, const sap_aabb *box, uint32_t mask, sap_id *ids, int capacity) {
    sap__query q;
    return sap__list_ids(&q, sap__begin_with_box(&q, s, SAP__OVERLAPS, box, NULL, mask, 0), 0, ids, NULL, capacity);
}

SAP_DEF int sap_query_point(sap_world *s, const float point[3], uint32_t mask, sap_hit *hit, void *user) {
    sap__query q;
    return sap__visit(&q, sap__begin_at_point(&q, s, SAP__OVERLAPS, point, NULL, 0, mask), hit, NULL, user);
}

SAP_DEF int sap_query_sphere(sap_world *s, const float center[3], float radius, uint32_t mask, sap_hit *hit,
                             void *user) {
    sap__query q;
    return sap__visit(&q, sap__begin_at_point(&q, s, SAP__DISTANCES, center, NULL, radius, mask), hit, NULL, user);
}

SAP_DEF int sap_query_sphere_ids(sap_world *s, const float center[3], float radius, uint32_t mask, sap_id *ids,
                                 int capacity) {
    sap__query q;
    return sap__list_ids(&q, sap__begin_at_point(&q, s, SAP__DISTANCES, center, NULL, radius, mask), 0, ids, NULL,
                         capacity);
}

SAP_DEF int sap_query_nearest(sap_world *s, const float point[3], float max_distance, uint32_t mask, sap_ray_hit *hit,
                              void *user) {
    sap__query q;
    return sap__visit(&q, sap__begin_at_point(&q, s, SAP__DISTANCES, point, NULL, max_distance, mask), NULL, hit, user);
}

SAP_DEF sap_id sap_nearest(sap_world *s, const float point[3], float max_distance, uint32_t mask, float *distance) {
    sap__query q;
    return sap__find_best(&q, sap__begin_at_point(&q, s, SAP__DISTANCES, point, NULL, max_distance, mask), distance);
}

SAP_DEF int sap_nearest_ids(sap_world *s, const float point[3], float max_distance, uint32_t mask, sap_id *ids,
                            float *distances, int capacity) {
    sap__query q;
    const sap_result r = sap__begin_at_point(&q, s, SAP__DISTANCES, point, NULL, max_distance, mask);
    return sap__list_ids(&q, r, 1, ids, distances, capacity);
}

SAP_DEF sap_id sap_nearest_to(sap_world *s, sap_id id, float max_distance, uint32_t mask, float *distance) {
    sap__query q;
    return sap__find_best(&q, sap__begin_from_id(&q, s, id, max_distance, mask), distance);
}

SAP_DEF int sap_nearest_to_ids(sap_world *s, sap_id id, float max_distance, uint32_t mask, sap_id *ids,
                               float *distances, int capacity) {
    sap__query q;
    return sap__list_ids(&q, sap__begin_from_id(&q, s, id, max_distance, mask), 1, ids, distances, capacity);
}

SAP_DEF int sap_ray_cast(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                         sap_ray_hit *hit, void *user) {
    sap__query q;
    return sap__visit(&q, sap__begin_at_point(&q, s, SAP__CASTS, origin, translation, 1, mask), NULL, hit, user);
}

SAP_DEF sap_id sap_ray_closest(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                               float *t) {
    sap__query q;
    return sap__find_best(&q, sap__begin_at_point(&q, s, SAP__CASTS, origin, translation, 1, mask), t);
}

SAP_DEF int sap_ray_cast_ids(sap_world *s, const float origin[3], const float translation[3], uint32_t mask,
                             sap_id *ids, float *ts, int capacity) {
    sap__query q;
    return sap__list_ids(&q, sap__begin_at_point(&q, s, SAP__CASTS, origin, translation, 1, mask), 1, ids, ts,
                         capacity);
}

SAP_DEF int sap_box_cast(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask, sap_ray_hit *hit,
                         void *user) {
    sap__query q;
    return sap__visit(&q, sap__begin_with_box(&q, s, SAP__CASTS, box, translation, mask, 0), NULL, hit, user);
}

static sap_id sap__box_closest(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_id ignore, sap_accept *accept, void *user, float *t, float normal[3]) {
    sap__query q;
    const sap_result r = sap__begin_with_box(&q, s, SAP__LEAVES_IT, box, translation, mask, ignore);
    for (int k = 0; normal && k < 3; k++) normal[k] = 0;
    q.hit = accept;
    q.user = user;
    const sap_id id = sap__find_best(&q, r, t);
    if (!id || !normal) return id;
    const int is_inside = sap__overlap(&q.cutoff.box, &q.box);
    const int axis = is_inside ? sap__goes_deeper(&q.cutoff.box, &q.box, q.translation, s->used)
                               : sap__find_moment(&q.cutoff.box, &q.box, q.translation, SAP__AT_START);
    normal[axis] = q.translation[axis] < 0 ? 1.0f : -1.0f;
    return id;
}

SAP_DEF sap_id sap_box_closest(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask,
                               sap_id ignore, float *t, float normal[3]) {
    return sap__box_closest(s, box, translation, mask, ignore, NULL, NULL, t, normal);
}

SAP_DEF sap_id sap_box_closest_if(sap_world *s, const sap_aabb *box, const float translation[3], uint32_t mask,
                                  sap_accept *accept, void *user, float *t, float normal[3]) {
    return sap__box_closest(s, box, translation, mask, 0, accept, user, t, normal);
}

/* ---- slide --------------------------------------------------------------------------------------------------- */

/* A way is computed in a unit that gives the largest of its floats 56 bits and one: so a sum of three fits into an
   int64_t. The unit is a power of two, no smaller than SAP__DENORMAL, of which every float is a multiple. */
#define SAP__WAY_UNIT 1.3877787807814457e-17 /* 2^-56 */

/* Returns the largest integer of units that is not above the float of a key; in_one is the number of units in 1. */
static int64_t sap__in_units(int32_t key, double in_one) {
    const double v = sap__wide(key) * in_one; /* it is exact */
    const int64_t n = (int64_t)v;
    return n - ((double)n > v);
}

static int32_t sap__key_of_units(int64_t n, double unit) {
    return sap__key(sap__round((double)n * unit, SAP__ROUND_NEAREST));
}

/* Moves a box on an axis in the direction of by: by all of it if wall is NULL, else to the side of wall that is met,
   rounded down (before the side). Its size, once it is a multiple of a unit in the last place of its larger bound, does
   not change: both bounds become such multiples. A box of no size goes to the float before the side, if there is one,
   even from the side: there it would be in a wall of no size. No other bound goes back. nearest is NULL, or an equal
   box that is moved to the nearest place, which box is or is one unit before. The arithmetic is of integers, and the
   same on every machine; a way towards minus is mirrored. Returns 0 if the way leads beyond all floats. */
static int sap__move_on_axis(sap__box *box, sap__box *nearest, int k, int32_t by, const sap__box *wall) {
    const int sign = by < 0 ? -1 : 1;
    const int32_t front = by < 0 ? -box->lo[k] : box->hi[k], back = by < 0 ? -box->hi[k] : box->lo[k];
    const int32_t way = sign * (!wall ? by : by < 0 ? wall->hi[k] : wall->lo[k]); /* by, or the side */
    if (wall && way < front) return 1;
    if (wall && front == back) {
        box->lo[k] = box->hi[k] = sign * (way > 1 - SAP__INFINITY ? way - 1 : way);
        return 1;
    }
    int32_t largest = sap__magnitude(way);
    if (largest < sap__magnitude(front)) largest = sap__magnitude(front);
    if (largest < sap__magnitude(back)) largest = sap__magnitude(back);
    const double fine = sap__wide(largest & SAP__INFINITY) * SAP__WAY_UNIT; /* of its exponent: a power of two */
    const double unit = fine > SAP__DENORMAL ? fine : SAP__DENORMAL, in_one = 1 / unit;
    const int64_t from = sap__in_units(front, in_one), size = from - sap__in_units(back, in_one);
    const int64_t end = sap__in_units(way, in_one) + (wall ? 0 : from), most = end > size - end ? end : size - end;
    int64_t last = INT64_C(1) << 32; /* the last place of the larger bound: a float has 24 bits, most at first 56 */
    /* below 2^126 two floats have a finite sum */
    if (!wall && largest >= 0x7e800000 && !sap__is_finite(sap__round((double)end * unit, SAP__ROUND_UP))) return 0;
    while (last > 1 && most >> 24 < last / 2) last /= 2;
    while (most >> 24 >= last) last *= 2;
    for (int64_t to = end & -last;; to += last, box = nearest) {
        const int32_t new_front = sap__key_of_units(to, unit), new_back = sap__key_of_units(to - size, unit);
        if (to > from) box->lo[k] = by < 0 ? -new_front : new_back;
        if (to > from) box->hi[k] = by < 0 ? -new_back : new_front;
        if (nearest) nearest->lo[k] = box->lo[k], nearest->hi[k] = box->hi[k];
        if (!nearest || box == nearest || end - to < (last + 1) / 2) return 1;
    }
}

/* Moves two equal boxes by all of a translation: see sap__move_on_axis. Returns 0 if that leads beyond all floats. */
static int sap__move_box(sap__box *box, sap__box *nearest, const int32_t by[3]) {
    int ok = 1;
    for (int k = 0; k < 3; k++)
        if (by[k]) ok &= sap__move_on_axis(box, nearest, k, by[k], NULL);
    return ok;
}

/* Casts until the way is used up: a slide is a few casts. Each finds the first box that stops the moving box on an
   axis; the way on that axis ends there, and the next cast goes on with the others, at the t at which the last one
   ended. On an axis that nothing has stopped the box is where it was at the start, plus t times the translation: so
   nothing is rounded on the way, and all comparisons are exact. Returns on how many axes the box was stopped. */
static int sap__slide_along(sap__query *q, sap_id stopped_by[3]) {
    int n = 0;
    while (q->translation[0] | q->translation[1] | q->translation[2]) {
        q->best = 0;
        q->cutoff.at = 1;
        q->cutoff.key = SAP__ONE;
        sap__run_query(q, sap__keep_best, 1);
        if (!q->best) break;
        const int k = q->stop % 3;
        q->at = sap__measure_of(q, &q->cutoff.box);
        (void)sap__move_on_axis(&q->box, NULL, k, q->translation[k], &q->cutoff.box);
        q->translation[k] = 0;
        if (stopped_by) stopped_by[k] = q->best;
        n++;
    }
    return n;
}

/* The rest of the way is rounded to the nearest floats, or down if that would take the box into another one. */
static int sap__slide_box(sap_world *s, sap_aabb *box, const float translation[3], uint32_t mask, sap_id ignore,
                          sap_accept *accept, void *user, sap_id stopped_by[3]) {
    sap__query q;
    const sap_result r = sap__begin_with_box(&q, s, SAP__SLIDES, box, translation, mask, ignore);
    for (int k = 0; stopped_by && k < 3; k++) stopped_by[k] = 0;
    if (r != SAP_OK) return -(int)r;
    q.hit = accept;
    q.user = user;
    sap__box before = q.start = q.box, end = q.box;
    if (!sap__move_box(&before, &end, q.translation)) return -SAP_ERROR_ARGUMENT;
    q.at = sap__measure_of_key(&q, 0);
    const int n = sap__slide_along(&q, stopped_by);
    if (n) before = end = q.box;
    if (n) (void)sap__move_box(&before, &end, q.translation);
    if (!sap__same(&end, &before)) { /* nothing stopped the last cast: best is 0 */
        q.kind = SAP__OVERLAPS;
        q.box = end;
        sap__run_query(&q, sap__keep_best, 0);
        if (q.best) end = before;
    }
    for (int k = 0; k < 3; k++) {
        if (end.lo[k] != q.start.lo[k]) box->min[k] = sap__float(end.lo[k]);
        if (end.hi[k] != q.start.hi[k]) box->max[k] = sap__float(end.hi[k]);
    }
    return n;
}

SAP_DEF int sap_slide(sap_world *s, sap_aabb *box, const float translation[3], uint32_t mask, sap_id ignore,
                      sap_id stopped_by[3]) {
    return sap__slide_box(s, box, translation, mask, ignore, NULL, NULL, stopped_by);
}

SAP_DEF int sap_slide_if(sap_world *s, sap_aabb *box, const float translation[3], uint32_t mask, sap_accept *accept,
                         void *user, sap_id stopped_by[3]) {
    return sap__slide_box(s, box, translation, mask, 0, accept, user, stopped_by);
}

/* ====================================================================================================== */
/* >> life: create, destroy, reserve, errors, objects, filter bits and getters                              */
/* ====================================================================================================== */

SAP_DEF sap_result sap_check_config(const sap_config *config) {
    const int ok =
        !config || (config->axes >= 0 && config->axes <= 7 && config->max_boxes >= 0 && config->max_pairs >= 0 &&
                    config->method >= SAP_METHOD_AUTO && config->method <= SAP_METHOD_QUERY &&
                    sap__is_finite(config->margin) && sap__key(config->margin) >= 0);
    return ok ? SAP_OK : SAP_ERROR_ARGUMENT;
}

SAP_DEF sap_world *sap_create(const sap_config *config) {
    if (sap_check_config(config) != SAP_OK) return NULL;
    sap_world *s = (sap_world *)SAP_REALLOC(NULL, sizeof *s);
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    if (config) s->config = *config;
    s->config.margin = sap__float(sap__key(s->config.margin)); /* 0 for -0 */
    if (s->config.axes == 0) s->config.axes = SAP_AXIS_X | SAP_AXIS_Y | SAP_AXIS_Z;
    sap__axes_used(s->config.axes, s->used);
    s->kernel = sap__best_kernel();
    s->update.updates_since_trim = SAP__TRIM - 2;
    s->threads.min_parallel_work = SAP__THREADS_FROM;
    return s;
}

SAP_DEF void sap_destroy(sap_world *s) {
    if (sap__begin_call(s, NULL, 1) != SAP_OK) return;
    sap__free_grid(s->multi);
    sap__free_arrays(s);
    SAP_FREE(s);
}

SAP_DEF sap_result sap_set_parallel(sap_world *s, sap_parallel_for *parallel, void *user) {
    const sap_result r = sap__begin_call(s, NULL, 1);
    if (r != SAP_OK) return r;
    for (int i = 1; i < SAP__TASKS; i++) sap__set_length(s->update.task[i].events, 0); /* they may be trimmed */
    s->threads.parallel_for = parallel;
    s->threads.parallel_user = user;
    return r;
}

/* Reserves slots for the boxes, and for the slots that stay free for a while: see SAP__MIN_FREE_SLOTS. */
SAP_DEF sap_result sap_reserve(sap_world *s, int boxes, int pairs) {
    const sap_result r = sap__begin_call(s, boxes < 0 ? "boxes" : pairs < 0 ? "pairs" : NULL, 1);
    if (r != SAP_OK) return r;
    if (boxes > SAP__MAX_BOXES) return s->call.last_error = SAP_ERROR_LIMIT;
    if ((boxes | pairs) == 0) {
        s->update.is_reserved = 0;
        return r;
    }
    int slot_count = boxes;
    if (boxes && boxes < SAP__MAX_BOXES - SAP__MIN_FREE_SLOTS - 1) slot_count += SAP__MIN_FREE_SLOTS + 1;
    if (slot_count < sap__length(s->slot_array)) slot_count = sap__length(s->slot_array);
    int leaves = sap__room_for(boxes) + SAP__TREES * (sap__room_for(0) + 3); /* four trees take more than one */
    const int nodes = sap__node_count(leaves) + (int)SAP__TREES * SAP__MAX_LEVELS;
    const int sorts = s->config.method == SAP_METHOD_SORT || SAP__TRACES;
    for (int tree = 0; tree < SAP__TREES; tree++) /* one that was packed of more boxes may be refitted */
        if (s->tree[tree].count[0] > leaves) leaves = s->tree[tree].count[0];
    int ok = sap__reserve_boxes(s, slot_count) && sap__reserve_pairs(s, pairs, pairs, pairs) &&
             sap__reserve(&s->update.deleted_at, 2LL * pairs) && sap__reserve(&s->update.newcomers, slot_count) &&
             sap__reserve(&s->update.sort_items, slot_count) &&
             sap__reserve(&s->update.sort_items, SAP__NODE_WIDTH * leaves) && sap__reserve_nodes(s, nodes) &&
             sap__reserve_before(s) && (!sorts || sap__reserve_endpoints(s, slot_count));
    for (int i = 0; i < sap__task_count(s) && ok; i++) /* what others have no memory for goes to the first */
        ok = sap__reserve(&s->update.task[i].events,
                          (i ? pairs / 8 : 2LL * pairs) + SAP__PAIR_BATCH + SAP__MAX_NODE_PAIRS);
    if (!ok || !sap__reserve_cells(s->multi, boxes)) {
        sap__drop_endpoints(s); /* cells get large arrays */
        return s->call.last_error = SAP_ERROR_MEMORY;
    }
    s->update.is_reserved = 1;
    return r;
}

SAP_DEF sap_result sap_last_error(const sap_world *s) {
    return s ? s->call.last_error : SAP_ERROR_ARGUMENT;
}

SAP_DEF const char *sap_last_error_argument(const sap_world *s, int *element) {
    const sap_result r = s ? s->call.last_error : SAP_OK;
    const int is_bad = r == SAP_ERROR_BOX || r == SAP_ERROR_ID || r == SAP_ERROR_ARGUMENT;
    if (element) *element = is_bad ? s->call.bad_element : -1;
    return is_bad ? sap__arguments[s->call.bad_argument] : NULL;
}

SAP_DEF const char *sap_result_text(sap_result r) {
    static const char *const texts[] = {
        "All is well.",
        "A box has a NaN bound, or a min above its max, on a used axis: give min <= max.",
        "The id names no box (0, never given out, or removed), or two ids are not a pair.",
        "The allocator returned NULL: free some memory and make the call again.",
        "A limit is reached: raise config.max_boxes or config.max_pairs, or remove boxes and call sap_update.",
        ("An argument is null, negative, not finite or too small, or a snapshot has other axes or another "
         "margin. "
         "sap_last_error_argument names it, but not for a query, a getter, sap_save or sap_create."),
        "Not from inside a callback: make this call when sap_dump_pairs or the query is over.",
        "The buffer is no snapshot of this version, or it is damaged: save it again."};
    const uint32_t code = (int)r < 0 ? 0u - (uint32_t)r : (uint32_t)r; /* calls that count return -sap_result */
    return code <= SAP_ERROR_SNAPSHOT ? texts[code] : "This is no sap_result.";
}

SAP_DEF int sap_version(void) {
    return SAP_VERSION_NUMBER;
}

static const sap_pair *sap__pair_array(sap_pair *array, int *count) {
    if (count) *count = sap__length(array);
    return array;
}

SAP_DEF const sap_pair *sap_created(const sap_world *s, int *count) {
    return sap__pair_array(s ? s->pairs.created : NULL, count);
}

SAP_DEF const sap_pair *sap_deleted(const sap_world *s, int *count) {
    if (s) sap__renew_all_objects((sap_world *)(uintptr_t)s); /* in a callback that has set one: there is one thread */
    return sap__pair_array(s ? s->pairs.deleted : NULL, count);
}

SAP_DEF const sap_pair *sap_pairs(const sap_world *s, int *count) {
    return sap__pair_array(s ? s->pairs.active : NULL, count);
}

SAP_DEF const sap_pair *sap_find_pair(const sap_world *s, sap_id a, sap_id b) {
    if (!s || !sap__is_pair_id(s, a) || !sap__is_pair_id(s, b)) return NULL;
    sap__require_index(s, SAP__TABLE);
    const uint32_t p = sap__find_pair_index(s, sap__ids_of(s, sap__slot_of(a), sap__slot_of(b)));
    return p == SAP__NONE ? NULL : &s->pairs.active[p];
}

SAP_DEF sap_result sap_set_pair_data(sap_world *s, sap_id a, sap_id b, void *user_data) {
    const sap_result r = sap__begin_call(s, NULL, 0);
    if (r != SAP_OK) return r;
    const sap_pair *pair = sap_find_pair(s, a, b);
    if (!pair) return sap__bad_argument(s, SAP_ERROR_ID, sap__is_pair_id(s, a) ? "b" : "a", -1);
    return sap_set_pair_data_at(s, (int)(pair - s->pairs.active), user_data);
}

SAP_DEF sap_result sap_set_pair_data_at(sap_world *s, int index, void *user_data) {
    const sap_result r = sap__begin_call(s, NULL, 0);
    if (r != SAP_OK) return r;
    if (index < 0 || index >= sap__length(s->pairs.active))
        return sap__bad_argument(s, SAP_ERROR_ARGUMENT, "index", -1);
    s->pairs.active[index].user_data = user_data;
    return r;
}

/* The array of the caller is a heap of the smallest ids, and is sorted at the end. So the result depends only on the
   set of pairs, and needs no memory. */
SAP_DEF int sap_pairs_of(const sap_world *s, sap_id id, sap_id *others, int capacity) {
    if (!s || capacity < 0 || (capacity && !others)) return -SAP_ERROR_ARGUMENT;
    if (!sap__is_pair_id(s, id)) return -SAP_ERROR_ID;
    sap__require_index(s, SAP__LISTS);
    uint32_t edge = s->pairs.head_edge[sap__slot_of(id)];
    sap__first_ids first = {NULL, others, NULL, 0, capacity, 0};
    for (; edge != SAP__NONE; edge = sap__next_edge(s, edge)) (void)sap__keep_id(&first, sap__edge_id(s, edge ^ 1), 0);
    (void)sap__sort_ids(&first);
    return first.count;
}

SAP_DEF int sap_count(const sap_world *s) {
    return s ? s->boxes.live_count : 0;
}

SAP_DEF int sap_is_valid(const sap_world *s, sap_id id) {
    return s ? sap__live_slot(s, id) != SAP__NONE : 0;
}

SAP_DEF sap_id sap_next(const sap_world *s, sap_id id) {
    const uint32_t slot = s ? sap__next_live(s, id & SAP__SLOT_MASK) : SAP__NONE;
    return slot == SAP__NONE ? 0 : sap__id_of(s, slot);
}

SAP_DEF sap_result sap_get_box(const sap_world *s, sap_id id, sap_aabb *box) {
    if (!s || !box) return SAP_ERROR_ARGUMENT;
    const uint32_t slot = sap__live_slot(s, id);
    if (slot == SAP__NONE) return SAP_ERROR_ID;
    const sap__box *keys = &s->slot_array[slot].box;
    for (int k = 0; k < 3; k++) box->min[k] = sap__float(keys->lo[k]), box->max[k] = sap__float(keys->hi[k]);
    return SAP_OK;
}

SAP_DEF void *sap_get_object(const sap_world *s, sap_id id) {
    return sap_is_valid(s, id) ? s->objects[sap__slot_of(id)] : NULL;
}

SAP_DEF sap_result sap_set_object(sap_world *s, sap_id id, void *object) {
    const sap_result r = sap__begin_call_on(s, 1, &id);
    const uint32_t slot = sap__slot_of(id);
    if (r != SAP_OK) return r;
    s->objects[slot] = object;
    sap__require_index(s, SAP__LISTS);
    const int kept = sap__length(s->pairs.active) - sap__length(s->pairs.created), in_events = s->call.in_callback;
    for (uint32_t edge = s->pairs.head_edge[slot]; edge != SAP__NONE; edge = sap__next_edge(s, edge)) {
        const int p = (int)(edge >> 1);
        sap_pair *pair = &s->pairs.active[p], *event = in_events && p >= kept ? &s->pairs.created[p - kept] : pair;
        *(edge & 1 ? &pair->object1 : &pair->object0) = object;
        *(edge & 1 ? &event->object1 : &event->object0) = object;
    }
    if (in_events && sap__length(s->pairs.deleted)) s->pairs.old_objects = 1;
    return r;
}

SAP_DEF sap_result sap_set_filter_many(sap_world *s, int n, const sap_id *ids, uint32_t category, uint32_t mask) {
    const sap_result r = sap__begin_call_on(s, n, ids);
    const sap__filter_bits filter = {category, mask};
    for (int i = 0; r == SAP_OK && i < n; i++) {
        const uint32_t slot = sap__slot_of(ids[i]);
        sap__set_kind(s, slot, filter, s->slot_array[slot].flags);
        sap__add_filter(s, slot);
    }
    return r;
}

SAP_DEF sap_result sap_set_filter(sap_world *s, sap_id id, uint32_t category, uint32_t mask) {
    return sap_set_filter_many(s, 1, &id, category, mask);
}

SAP_DEF sap_result sap_get_filter(const sap_world *s, sap_id id, uint32_t *category, uint32_t *mask) {
    if (!s) return SAP_ERROR_ARGUMENT;
    if (!sap_is_valid(s, id)) return SAP_ERROR_ID;
    const sap__filter_bits *filter = &s->slot_array[sap__slot_of(id)].filter;
    if (category) *category = filter->category;
    if (mask) *mask = filter->mask;
    return SAP_OK;
}

SAP_DEF int sap_is_static(const sap_world *s, sap_id id) {
    return sap_is_valid(s, id) && (s->slot_array[sap__slot_of(id)].flags & SAP__STATIC);
}

SAP_DEF void sap_get_stats(const sap_world *s, sap_stats *stats) {
    if (!stats) return;
    memset(stats, 0, sizeof *stats);
    if (!s) return;
    stats->boxes = s->boxes.live_count;
    stats->static_boxes = s->boxes.static_count;
    stats->pairs = sap__length(s->pairs.active);
    stats->created = sap__length(s->pairs.created);
    stats->deleted = sap__length(s->pairs.deleted);
    stats->swaps = s->update.swaps;
    stats->overlap_tests = s->update.tests;
    stats->method = s->update.method;
    stats->query_tests = s->queries.charged * SAP__NODE_WIDTH;
    for (int i = 0; i < SAP__COUNTER_STRIPES; i++) {
        sap__query_counters *c = &((sap_world *)(uintptr_t)s)->queries.counters[i];
        long long visits = (long long)SAP__VISIT_BATCH * sap__atomic_get(&c->batches);
        for (int tree = 0; tree < SAP__TREES; tree++) visits += sap__atomic_get(&c->visits[tree]);
        stats->query_tests += visits * SAP__NODE_WIDTH;
    }
    stats->upkeep = s->update.upkeep;
    stats->bytes = sizeof *s;
#define SAP__COUNT_BYTES(a) stats->bytes += sap__bytes_of(s->a);
    SAP__ARRAYS(SAP__COUNT_BYTES)
    for (int i = 0; i < SAP__TASKS; i++) stats->bytes += sap__bytes_of(s->update.task[i].events);
    sap__count_cells(s, stats);
}

/* ====================================================================================================== */
/* >> state: snapshots                                                                                      */
/* ====================================================================================================== */

/* A snapshot holds the logical state: no trees, and only the axes of the config. It is little endian on every machine,
   and the same calls give the same bytes:

       header, slots, lists of slots (free, removed, changed) with a word for each, pairs

   The structs below consist of 32-bit words, and are in a snapshot as they are here. check is a hash of all other
   words, which finds damage. A hostile buffer may have the right hash, so restore checks everything before it changes
   the world. */
enum { SAP__MAGIC = 0x53504153, /* "SAPS" */ SAP__SNAPSHOT_VERSION = 3, SAP__CHECK_WORD = 10 };

typedef struct sap__saved_header {
    uint32_t magic, version, reserved, axes, slot_count, lists[3], pairs, margin, check[2];
} sap__saved_header;

typedef struct sap__saved_slot {
    uint32_t flags;
    sap__box box, previous;
    uint32_t object[2];
    sap__filter_bits filter;
} sap__saved_slot;

typedef struct sap__saved_pair {
    sap_id id0, id1;
    uint32_t user_data[2];
} sap__saved_pair;

typedef struct sap__snapshot { /* a buffer that is restored from */
    sap__saved_header header;
    const unsigned char *slots_at, *pairs_at;
} sap__snapshot;

static uint32_t sap__get32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

typedef char sap__saved_structs_have_no_padding
    [sizeof(sap__saved_header) == 48 && sizeof(sap__saved_slot) == 68 && sizeof(sap__saved_pair) == 16 ? 1 : -1];

/* Copies words to a snapshot or from it, and returns their size. To read a word as little endian does to its bytes what
   is done to write it so: nothing, or it reverses them. */
SAP__FORCE_INLINE size_t sap__copy_words(void *to, const void *from, size_t size) {
    for (size_t i = 0; i < size; i += 4) {
        const uint32_t word = sap__get32((const unsigned char *)from + i);
        memcpy((unsigned char *)to + i, &word, 4);
    }
    return size;
}

static void sap__save_64(uint64_t value, uint32_t words[2]) {
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

static uint64_t sap__load_64(const uint32_t words[2]) {
    return words[0] | (uint64_t)words[1] << 32;
}

/* Pointers are saved with 64 bits on every machine. Returns 0 if one does not fit in a pointer of this machine. */
static int sap__load_pointer(const uint32_t words[2], void **pointer) {
    *pointer = (void *)(uintptr_t)sap__load_64(words);
    return (uintptr_t)*pointer == sap__load_64(words);
}

/* Reads a slot. Returns 0 if its object does not fit in a pointer. */
SAP__FORCE_INLINE int sap__read_slot(const unsigned char **p, sap__slot *slot, void **object) {
    sap__saved_slot saved;
    *p += sap__copy_words(&saved, *p, sizeof saved);
    const sap__slot loaded = {saved.box, saved.previous, saved.filter, saved.flags, SAP__NONE};
    *slot = loaded;
    return sap__load_pointer(saved.object, object);
}

SAP__FORCE_INLINE uint64_t sap__hash_mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Hashes all words except the two of the hash itself, two at a time. Four hashes run side by side, because each step of
   one depends on the step before. */
static uint64_t sap__snapshot_hash(const unsigned char *p, uint64_t size) {
    uint64_t hash[4] = {size, 1, 2, 3};
    for (size_t i = 0; i < (size_t)(size / 8); i++) {
        const uint64_t words = sap__get32(p + 8 * i) | (uint64_t)sap__get32(p + 8 * i + 4) << 32;
        if (i != SAP__CHECK_WORD / 2) hash[i % 4] = sap__hash_mix(hash[i % 4], words);
    }
    if (size % 8) hash[0] = sap__hash_mix(hash[0], sap__get32(p + size - 4));
    return sap__hash_mix(sap__hash_mix(sap__hash_mix(hash[0], hash[1]), hash[2]), hash[3]);
}

static uint64_t sap__saved_size(sap__saved_header h) {
    return sizeof h + sizeof(sap__saved_slot) * (uint64_t)h.slot_count +
           4 * ((uint64_t)h.lists[0] + h.lists[1] + h.lists[2]) + sizeof(sap__saved_pair) * (uint64_t)h.pairs;
}

static sap__saved_header sap__header_of(const sap_world *s) {
    const uint32_t axes = (uint32_t)s->config.axes, slot_count = (uint32_t)sap__length(s->slot_array);
    const uint32_t unused = (uint32_t)s->boxes.free.count, removed = (uint32_t)s->boxes.removed.count;
    const uint32_t changed = (uint32_t)sap__length(s->changes.list), pairs = (uint32_t)sap__length(s->pairs.active);
    const sap__saved_header h = {SAP__MAGIC, SAP__SNAPSHOT_VERSION,      0,     axes,
                                 slot_count, {unused, removed, changed}, pairs, sap__float_bits(s->config.margin),
                                 {0, 0}};
    return h;
}

SAP_DEF size_t sap_snapshot_size(const sap_world *s) {
    return s ? (size_t)sap__saved_size(sap__header_of(s)) : 0;
}

SAP_DEF sap_result sap_save(const sap_world *s, void *buffer, size_t size) {
    unsigned char *p = (unsigned char *)buffer;
    if (!s || !buffer || size < sap_snapshot_size(s)) return SAP_ERROR_ARGUMENT;
    if (sap__is_busy(s)) return SAP_ERROR_BUSY;
    sap__saved_header h = sap__header_of(s);
    p += sap__copy_words(p, &h, sizeof h);
    for (uint32_t i = 0; i < h.slot_count; i++) {
        const uint32_t flags = s->slot_array[i].flags;
        sap__saved_slot slot = {flags & ~(uint32_t)SAP__UNSYNCED, sap__empty_box, sap__empty_box, {0, 0}, {0, 0}};
        if (flags & SAP__LIVE) slot.box = s->slot_array[i].box;
        if (flags & SAP__FLAGS) { /* a free slot has no contents */
            slot.previous = s->slot_array[i].previous;
            sap__save_64((uintptr_t)s->objects[i], slot.object);
            slot.filter = s->slot_array[i].filter;
        }
        p += sap__copy_words(p, &slot, sizeof slot);
    }
    for (int list = 0; list < 2; list++) {
        const sap__slot_queue *queue = list ? &s->boxes.removed : &s->boxes.free;
        uint32_t slot = queue->first;
        for (int i = 0; i < queue->count; i++, slot = sap__next_free(&s->slot_array[slot]))
            p += sap__copy_words(p, &slot, 4);
    }
    p += sap__copy_words(p, s->changes.list, 4 * (size_t)h.lists[2]);
    for (uint32_t i = 0; i < h.pairs; i++) {
        sap__saved_pair pair = {s->pairs.active[i].id0, s->pairs.active[i].id1, {0, 0}};
        sap__save_64((uintptr_t)s->pairs.active[i].user_data, pair.user_data);
        p += sap__copy_words(p, &pair, sizeof pair);
    }
    sap__save_64(sap__snapshot_hash((const unsigned char *)buffer, sap__saved_size(h)), h.check);
    (void)sap__copy_words(buffer, &h, sizeof h);
    return SAP_OK;
}

/* ---- rules that restore and validate share. Each returns the invariant that is broken, or NULL. ---------------- */

static const char *sap__validate_box(const sap_world *s, const sap__box *box) {
    for (int k = 0; k < 3; k++) {
        if (box->lo[k] > box->hi[k]) return "No min is above its max.";
        if (box->lo[k] < -SAP__INFINITY || box->hi[k] > SAP__INFINITY) return "Bounds are numbers.";
        if ((box->lo[k] | box->hi[k]) & ~s->used[k]) return "Bounds are 0 on unused axes.";
    }
    return NULL;
}

static const char *sap__validate_slot(const sap_world *s, const sap__slot *slot) {
    const uint32_t flags = slot->flags;
    if ((flags & SAP__LIVE) && (flags & SAP__REMOVED)) return "A slot is live or removed, not both.";
    if (!(flags & (SAP__LIVE | SAP__REMOVED)))
        return flags & SAP__FLAGS ? "A slot that is neither live nor removed has no flags." : NULL;
    if (!(flags & SAP__CHANGED) && ((flags & (SAP__ADDED | SAP__REMOVED | SAP__REFILTER | SAP__UNSYNCED)) ||
                                    !sap__same(&slot->box, &slot->previous)))
        return "A box that was added, removed, moved, refiltered or is not synchronised is marked as changed.";
    if (flags & SAP__GHOST) return "A box is a ghost only during an update.";
    if ((flags & SAP__ADDED) && !sap__same(&slot->previous, &sap__empty_box)) return "An added box was empty before.";
    const char *broken = flags & SAP__LIVE ? sap__validate_box(s, &slot->box) : NULL;
    return !broken && sap__has_previous_box(flags) ? sap__validate_box(s, &slot->previous) : broken;
}

/* Returns the lists that a slot with these flags belongs in, a bit for each: free slots, removed ones, changed ones. */
static uint32_t sap__lists_of(uint32_t flags) {
    const uint32_t queue = flags & SAP__LIVE ? 0u : sap__has_previous_box(flags) ? 2u : 1u;
    return queue | (flags & SAP__CHANGED ? 4u : 0u);
}

/* The slots are those that the ids name. */
static const char *sap__validate_pair(sap_id id0, sap_id id1, const sap__slot *a, const sap__slot *b) {
    if (id0 >= id1) return "In a pair id0 < id1.";
    if ((a->flags ^ id0) >> 24 || (b->flags ^ id1) >> 24 || !sap__has_previous_box(a->flags) ||
        !sap__has_previous_box(b->flags))
        return "A pair's boxes are live, or were removed since the last update.";
    if (!sap__overlap(&a->previous, &b->previous)) return "A pair's boxes overlapped at the last update.";
    if ((a->flags | b->flags) & SAP__REFILTER) return NULL;
    if (a->flags & b->flags & SAP__STATIC) return "Two static boxes are not a pair.";
    if (!sap__should_collide(&a->filter, &b->filter)) return "The filter bits of a pair's boxes allow it.";
    return NULL;
}

/* ---- restore: checks that a buffer is undamaged, and a state that a world may have ------------------------- */

/* Returns whether a slot of a snapshot is valid. It has no SAP__UNSYNCED, because there are no trees. */
static int sap__check_saved_slot(const sap_world *s, const sap__slot *slot) {
    if ((slot->flags & SAP__SLOT_MASK) >= SAP__UNSYNCED || sap__validate_slot(s, slot)) return 0;
    return (slot->flags & SAP__LIVE) || sap__same(&slot->box, &sap__empty_box);
}

/* Returns whether each list behind the slots holds those that belong in it, each once. missing has an item for each
   slot: the lists in which it has not been found yet. */
static int sap__check_saved_lists(const sap__snapshot *in, uint64_t *missing) {
    const unsigned char *p = in->slots_at + sizeof(sap__saved_slot) * in->header.slot_count;
    for (int list = 0; list < 3; list++)
        for (uint32_t i = 0; i < in->header.lists[list]; i++, p += 4) {
            const uint32_t slot = sap__get32(p);
            if (slot >= in->header.slot_count || !(missing[slot] >> list & 1)) return 0;
            missing[slot] -= UINT64_C(1) << list;
        }
    for (uint32_t i = 0; i < in->header.slot_count; i++)
        if (missing[i]) return 0;
    return 1;
}

/* Reads the slot of an id. Returns 0 if there is none. */
static int sap__find_saved(const sap__snapshot *in, sap_id id, sap__slot *slot) {
    void *object;
    if (sap__slot_of(id) >= in->header.slot_count) return 0;
    const unsigned char *p = in->slots_at + sizeof(sap__saved_slot) * sap__slot_of(id);
    return sap__read_slot(&p, slot, &object);
}

/* Returns whether all pairs are valid, and no two are equal. They are sorted to find equal ones. */
static int sap__check_saved_pairs(sap_world *s, const sap__snapshot *in) {
    const unsigned char *p = in->pairs_at;
    for (uint32_t i = 0; i < in->header.pairs; i++) {
        sap__saved_pair pair;
        sap__slot a, b;
        void *data;
        p += sap__copy_words(&pair, p, sizeof pair);
        if (!sap__load_pointer(pair.user_data, &data)) return 0;
        if (!sap__find_saved(in, pair.id0, &a) || !sap__find_saved(in, pair.id1, &b)) return 0;
        if (sap__validate_pair(pair.id0, pair.id1, &a, &b)) return 0;
        s->update.sort_items[i] = sap__item(pair.id0, pair.id1);
    }
    sap__sort(s->update.sort_items, s->update.sort_scratch, (int)in->header.pairs, 0);
    for (uint32_t i = 1; i < in->header.pairs; i++)
        if (s->update.sort_items[i] == s->update.sort_items[i - 1]) return 0;
    return 1;
}

/* Reads the header. Returns whether the buffer is an undamaged snapshot. */
static int sap__read_header(const unsigned char *buffer, size_t size, sap__snapshot *in) {
    sap__saved_header *h = &in->header;
    if (size < sizeof *h) return 0;
    in->slots_at = buffer + sap__copy_words(h, buffer, sizeof *h);
    if (h->magic != SAP__MAGIC || h->version != SAP__SNAPSHOT_VERSION || h->reserved != 0 ||
        h->slot_count > SAP__MAX_BOXES || h->pairs > INT_MAX || sap__saved_size(*h) > size ||
        sap__snapshot_hash(buffer, sap__saved_size(*h)) != sap__load_64(h->check))
        return 0;
    in->pairs_at = buffer + (size_t)sap__saved_size(*h) - sizeof(sap__saved_pair) * h->pairs;
    return 1;
}

/* Checks that the world may have this state, and reserves memory for it. */
static sap_result sap__check_state(sap_world *s, const sap__snapshot *in) {
    const uint32_t slot_count = in->header.slot_count, pairs = in->header.pairs;
    const unsigned char *p = in->slots_at;
    uint32_t live = 0;
    if (!sap__reserve(&s->update.sort_items, pairs) || !sap__reserve(&s->update.sort_items, slot_count) ||
        !sap__reserve(&s->update.sort_scratch, pairs))
        return SAP_ERROR_MEMORY;
    for (uint32_t i = 0; i < slot_count; i++) {
        sap__slot slot;
        void *object;
        if (!sap__read_slot(&p, &slot, &object) || !sap__check_saved_slot(s, &slot)) return SAP_ERROR_SNAPSHOT;
        live += (slot.flags & SAP__LIVE) != 0;
        s->update.sort_items[i] = sap__lists_of(slot.flags);
    }
    if ((s->config.max_boxes && live > (uint32_t)s->config.max_boxes) ||
        (s->config.max_pairs && pairs > (uint32_t)s->config.max_pairs))
        return SAP_ERROR_LIMIT;
    if (!sap__check_saved_lists(in, s->update.sort_items) || !sap__check_saved_pairs(s, in)) return SAP_ERROR_SNAPSHOT;
    if (!sap__reserve_boxes(s, (int)slot_count) || !sap__reserve_pairs(s, (int)pairs, 0, 0)) return SAP_ERROR_MEMORY;
    return SAP_OK;
}

/* Loads a state that was checked, so it cannot fail. */
static void sap__load_state(sap_world *s, const sap__snapshot *in) {
    const sap__saved_header *h = &in->header;
    const unsigned char *p = in->slots_at;
    sap__set_length(s->slot_array, h->slot_count);
    s->boxes.live_count = s->boxes.static_count = s->boxes.filtered_count = 0;
    s->boxes.free.count = s->boxes.removed.count = s->boxes.held_count = 0;
    memset(s->boxes.tree_count, 0, sizeof s->boxes.tree_count);
    s->changes.flags = 0;
    for (uint32_t i = 0; i < h->slot_count; i++) {
        sap__slot *to = &s->slot_array[i];
        (void)sap__read_slot(&p, to, &s->objects[i]);
        to->flags |= to->flags & SAP__CHANGED ? SAP__UNSYNCED : 0;
        for (int tree = 0; tree < SAP__TREES && i % 64 == 0; tree++) s->boxes.live_bits[tree][i / 64] = 0;
        if (to->flags & SAP__LIVE) sap__count_box(s, i, 1);
        if (to->flags & SAP__LIVE) sap__set_core(s, i);
        s->changes.flags |= to->flags & SAP__CHANGE_FLAGS;
    }
    for (uint32_t i = 0; i < h->lists[0] + h->lists[1]; i++, p += 4)
        sap__append_slots(s, i < h->lists[0] ? &s->boxes.free : &s->boxes.removed, sap__get32(p), sap__get32(p), 1);
    sap__set_length(s->changes.list, h->lists[2]);
    p += sap__copy_words(s->changes.list, p, 4 * (size_t)h->lists[2]);
    sap__set_length(s->changes.unsynced, h->lists[2]);
    if (h->lists[2]) memcpy(s->changes.unsynced, s->changes.list, 4 * (size_t)h->lists[2]);
    sap__set_length(s->pairs.active, h->pairs);
    s->pairs.is_restored = 1;
    s->pairs.sorted_from = 0;
    for (uint32_t i = 0; i < h->pairs; i++) {
        sap_pair *pair = &s->pairs.active[i];
        sap__saved_pair saved;
        p += sap__copy_words(&saved, p, sizeof saved);
        sap__set_pair(s, pair, saved.id0, saved.id1);
        (void)sap__load_pointer(saved.user_data, &pair->user_data);
        if (i && sap__pair_item(pair - 1) > sap__pair_item(pair)) s->pairs.sorted_from = (int)i;
    }
    sap__set_length(s->pairs.created, 0);
    sap__set_length(s->pairs.deleted, 0);
    s->update.swaps = s->update.tests = s->update.upkeep = s->update.method = 0;
    memset(s->pairs.index, 0, sizeof s->pairs.index);
    sap__drop_endpoints(s);
    sap__drop_trees(s);
}

SAP_DEF sap_result sap_restore(sap_world *s, const void *buffer, size_t size) {
    sap_result r = sap__begin_call(s, buffer ? NULL : "buffer", 1);
    sap__snapshot in;
    if (r != SAP_OK) return r;
    if (!sap__read_header((const unsigned char *)buffer, size, &in)) return s->call.last_error = SAP_ERROR_SNAPSHOT;
    if (in.header.axes != (uint32_t)s->config.axes) return sap__bad_argument(s, SAP_ERROR_ARGUMENT, "axes", -1);
    if (in.header.margin != sap__float_bits(s->config.margin))
        return sap__bad_argument(s, SAP_ERROR_ARGUMENT, "margin", -1);
    r = sap__check_state(s, &in);
    if (r == SAP_OK) sap__load_state(s, &in);
    return s->call.last_error = r;
}

/* ====================================================================================================== */
/* >> validate: every invariant, in one sentence each                                                       */
/* ====================================================================================================== */

/* Returns whether a list holds the slots with a flag, each once. Two sets of slots are equal if their sums of hashes
   are, which finds accidents: a collision must be made on purpose. */
static int sap__lists_slots(const sap_world *s, const uint32_t *list, uint32_t flag) {
    const uint32_t n = (uint32_t)sap__length(s->slot_array);
    uint64_t sum = 0;
    int left = sap__length(list);
    for (uint32_t slot = 0; slot < n; slot++)
        if (s->slot_array[slot].flags & flag) sum += sap__hash_mix(SAP__NONE, slot), left--;
    for (int i = 0; i < sap__length(list); i++) {
        if (list[i] >= n || !(s->slot_array[list[i]].flags & flag)) return 0;
        sum -= sap__hash_mix(SAP__NONE, list[i]);
    }
    return sum == 0 && left == 0;
}

static const char *sap__validate_boxes(const sap_world *s) {
    const uint32_t n = (uint32_t)sap__length(s->slot_array);
    const int capacity = sap__capacity(s->changes.list);
    int filtered = 0, statics = 0, in_list[2] = {0, 0}, live[SAP__TREES] = {0};
    uint32_t slot;
    for (slot = 0; slot < n; slot++) {
        const uint32_t flags = s->slot_array[slot].flags;
        const char *broken = sap__validate_slot(s, &s->slot_array[slot]);
        if (broken) return broken;
        for (int list = 0; list < 2; list++) in_list[list] += (int)(sap__lists_of(flags) >> list & 1);
        for (int tree = 0; tree < SAP__TREES; tree++) {
            const int lives = sap__belongs_in(s, slot, tree);
            if ((int)(s->boxes.live_bits[tree][slot / 64] >> slot % 64 & 1) != lives)
                return "Live bits are set for live boxes, by tree.";
            live[tree] += lives;
        }
        if ((flags & SAP__CHANGED) && (flags & SAP__CHANGE_FLAGS & ~s->changes.flags))
            return "changes.flags has the flags of all changed boxes.";
        if ((flags & SAP__LIVE) && s->cores) {
            const sap__box core = sap__core_of(s, slot);
            if (!sap__same(&core, &s->cores[slot])) return "The core of a live box is that of its stored box.";
        }
        filtered += (flags & SAP__LIVE) && !sap__is_default_filter(&s->slot_array[slot].filter);
        statics += (flags & SAP__LIVE) && (flags & SAP__STATIC);
    }
    for (int tree = 0; tree < SAP__TREES && n % 64; tree++)
        if (s->boxes.live_bits[tree][n / 64] >> n % 64) return "No live bit is set behind the last slot.";
    if (filtered != s->boxes.filtered_count)
        return "filtered_count is the number of live boxes with filter bits of their own.";
    if (sap__capacity(s->slot_array) < capacity || sap__capacity(s->objects) < capacity ||
        sap__capacity(s->pairs.head_edge) < capacity || (s->cores && sap__capacity(s->cores) < capacity))
        return "All arrays of boxes have the capacity of the list of changes.";
    if (live[0] + live[1] + live[2] + live[3] != s->boxes.live_count || statics != s->boxes.static_count)
        return "live_count and static_count are the numbers of such boxes.";
    if (memcmp(live, s->boxes.tree_count, sizeof live)) return "tree_count is the number of live boxes by tree.";
    for (int list = 0; list < 2; list++) {
        const sap__slot_queue *queue = list ? &s->boxes.removed : &s->boxes.free;
        if (in_list[list] != queue->count) return "A queue counts the slots that are free, or removed.";
        slot = queue->first;
        for (int i = 0; i < queue->count; i++, slot = sap__next_free(&s->slot_array[slot])) {
            if (slot >= n || !(sap__lists_of(s->slot_array[slot].flags) >> list & 1))
                return "A queue holds free slots, or removed ones.";
            if ((slot == queue->last) != (i == queue->count - 1)) return "A queue of slots ends at its last one.";
        }
    }
    if (s->boxes.held_count < 0 || s->boxes.held_count > s->boxes.free.count) return "Held slots are free.";
    if (!sap__lists_slots(s, s->changes.list, SAP__CHANGED))
        return "The list of changes holds the changed boxes, each once.";
    if (!sap__lists_slots(s, s->changes.unsynced, SAP__UNSYNCED))
        return "The list of unsynced boxes holds those that are marked so, each once.";
    return NULL;
}

/* Checks the created pairs; and in a small world without a filter callback that no pair is missing. */
static const char *sap__validate_events(const sap_world *s) {
    enum { SMALL = 512 }; /* slots of a world in which all overlaps are counted */
    const int slot_count = sap__length(s->slot_array), created = sap__length(s->pairs.created),
              n = sap__length(s->pairs.active);
    int overlaps = 0;
    for (int i = 0; i < created; i++)
        if (sap__pair_item(&s->pairs.created[i]) != sap__pair_item(&s->pairs.active[n - created + i]))
            return "The created pairs are the last active ones.";
    if (slot_count > SMALL || s->config.filter || s->pairs.is_restored) return NULL;
    for (int a = 0; a < slot_count; a++)
        for (int b = 0; b < a; b++) {
            const sap__slot *x = &s->slot_array[a], *y = &s->slot_array[b];
            if (!(x->flags & y->flags & SAP__LIVE) || (x->flags | y->flags) & SAP__ADDED) continue;
            if ((x->flags | y->flags) & SAP__REFILTER) return NULL; /* its filter may have rejected a pair */
            overlaps += !(x->flags & y->flags & SAP__STATIC) && sap__should_collide(&x->filter, &y->filter) &&
                        sap__overlap(&x->previous, &y->previous);
        }
    for (int p = 0; p < n; p++)
        overlaps -= sap_is_valid(s, s->pairs.active[p].id0) && sap_is_valid(s, s->pairs.active[p].id1);
    return overlaps ? "Without a filter callback every overlap of the last update is a pair." : NULL;
}

static const char *sap__validate_pairs(const sap_world *s) {
    const uint32_t n = (uint32_t)sap__length(s->pairs.active), slot_count = (uint32_t)sap__length(s->slot_array);
    const int has_lists = s->pairs.index[SAP__LISTS].is_valid, has_table = s->pairs.index[SAP__TABLE].is_valid;
    uint64_t edges = 0;
    uint32_t in_table = 0;
    if (n && (sap__capacity(s->pairs.edges) <= (int)n || sap__capacity(s->pairs.next) < (int)n ||
              sap__capacity(s->pairs.buckets) < (int)n))
        return "Every pair has capacity in the indices.";
    if (has_lists && n && sap__length(s->pairs.edges) != (int)n + 1) return "Every pair has edges.";
    for (int i = 0; i < SAP__PAIR_INDICES; i++)
        if (!s->pairs.index[i].is_valid && s->pairs.index[i].edits) return "Only valid indices have edits.";
    if (s->pairs.sorted_from < 0 || s->pairs.sorted_from > (int)n) return "sorted_from is not beyond the last pair.";
    for (uint32_t p = 0; p < n; p++) {
        const sap_pair *pair = &s->pairs.active[p];
        const uint32_t a = sap__slot_of(pair->id0), b = sap__slot_of(pair->id1);
        if (a >= slot_count || b >= slot_count) return "A pair's boxes have slots.";
        const char *broken = sap__validate_pair(pair->id0, pair->id1, &s->slot_array[a], &s->slot_array[b]);
        if (broken) return broken;
        if ((int)p > s->pairs.sorted_from && sap__pair_item(pair - 1) >= sap__pair_item(pair))
            return "Pairs from sorted_from on are sorted by their ids.";
        if (pair->object0 != s->objects[a] || pair->object1 != s->objects[b]) return "A pair has its boxes' objects.";
    }
    for (uint32_t slot = 0; slot < slot_count && has_lists; slot++) {
        uint32_t edge, prev = SAP__NONE;
        if (!(s->slot_array[slot].flags & (SAP__LIVE | SAP__REMOVED))) continue;
        for (edge = s->pairs.head_edge[slot]; edge != SAP__NONE && edges <= 2 * (uint64_t)n; edges++) {
            if (edge >> 1 >= n || sap__slot_of(sap__edge_id(s, edge)) != slot)
                return "A box's list holds the edges of its pairs.";
            if (sap__edges_of(s, edge)->prev_edge[edge & 1] != prev) return "prev_edge leads back to the edge before.";
            prev = edge;
            edge = sap__next_edge(s, edge);
        }
    }
    if (has_lists && edges != 2 * (uint64_t)n) return "Every pair has an edge in the lists of its two boxes.";
    for (int i = 0; i < sap__length(s->pairs.buckets) && n && has_table; i++)
        for (uint32_t p = s->pairs.buckets[i]; p != SAP__NONE; p = s->pairs.next[p], in_table++)
            if (p >= n || in_table == n ||
                sap__bucket_of(s, sap__pair_item(&s->pairs.active[p])) != &s->pairs.buckets[i])
                return "A bucket holds the pairs with its hash.";
    return !has_table || in_table == n ? NULL : "Every pair is in the table.";
}

/* Checks a node, its lanes and its lane in the node above it. */
static const char *sap__validate_node(const sap__bvh *t, int level, int j) {
    const int at = t->first[level] + j;
    const sap__node *node = &t->nodes[at];
    for (int lane = 0; lane < SAP__NODE_WIDTH; lane++) {
        const sap__box box = sap__child_bounds(node, lane);
        const int child = SAP__NODE_WIDTH * j + lane, exists = level && child < t->count[level - 1];
        if (!(t->occupied[at] >> lane & 1)) {
            if (exists && t->occupied[t->first[level - 1] + child])
                return "A node that holds boxes is a child of the node above it.";
            if (!sap__same(&box, &sap__empty_box)) return "An empty lane has the empty box.";
            continue;
        }
        if (!sap__contains(&t->bounds[at], &box)) return "A node's bounds contain its lanes.";
        if (level == 0 && !sap__contains(&t->home[j], &box)) return "A leaf's home contains its boxes.";
        if (level == 0) continue;
        if (!exists || (int)node->child[lane] != t->first[level - 1] + child)
            return "A node's children are the next 16 nodes of the level below.";
        if (!sap__same(&box, &t->bounds[node->child[lane]]))
            return "A lane of an inner node has the bounds of its child.";
        if (!sap__contains_bits(&t->filter[at], &t->filter[node->child[lane]]))
            return "A node has the filter bits of its children.";
    }
    return NULL;
}

static const char *sap__validate_bvh(const sap_world *s, int tree) {
    const sap__bvh *t = &s->tree[tree];
    const uint32_t slot_count = (uint32_t)sap__length(s->slot_array);
    const char *broken = NULL;
    int boxes = 0, young = 0, missing = s->boxes.tree_count[tree];
    if (t->count[0] > t->room) return "A tree has room for its leaves.";
    if (t->boxes && (t->nodes != s->forest.nodes + t->begin || sap__part_end(t) > sap__capacity(s->forest.nodes)))
        return "A tree has its part of the arrays of all trees.";
    for (int other = 0; other < tree; other++)
        if (t->begin < sap__part_end(&s->tree[other]) && s->tree[other].begin < sap__part_end(t))
            return "The parts of two trees do not overlap.";
    if (t->state == SAP__TREE_EMPTY) return t->boxes ? "An empty tree counts no boxes." : NULL;
    if (t->young > t->newborn || SAP__NODE_WIDTH * (t->count[0] - t->newborn) < t->appended)
        return "The young come after the old, and the newborn after the young.";
    if (t->young_boxes > sap__most_young(t->packed)) return "The young are not too many for the old.";
    for (int level = 0; level < t->levels && !broken; level++)
        for (int j = 0; j < t->count[level] && !broken; j++) broken = sap__validate_node(t, level, j);
    for (int leaf = 0; leaf < t->count[0] && !broken; leaf++)
        for (uint32_t bits = t->occupied[leaf]; bits; bits &= bits - 1) {
            const int lane = sap__lowest_bit(bits);
            const uint32_t slot = t->nodes[leaf].child[lane];
            boxes++;
            young += leaf >= t->young;
            if (slot >= slot_count || s->slot_array[slot].leaf_position != sap__position(tree, leaf, lane))
                return "leaf_position is the lane that holds the box.";
            if (s->slot_array[slot].flags & SAP__UNSYNCED) continue;
            missing--;
            if (!sap__belongs_in(s, slot, tree)) return "A tree holds live boxes that belong in it.";
            const sap__box box = sap__child_bounds(&t->nodes[leaf], lane);
            if (t->state == SAP__TREE_VALID && !sap__same(&box, &s->slot_array[slot].box))
                return "A lane of a leaf has the box of its slot.";
            if (!sap__contains_bits(&t->filter[leaf], &s->slot_array[slot].filter))
                return "A leaf has the filter bits of its boxes.";
        }
    for (int i = 0; i < sap__length(s->changes.unsynced); i++)
        missing -= sap__belongs_in(s, s->changes.unsynced[i], tree);
    if (broken) return broken;
    if (missing) return "Every live box is in its tree.";
    if (young != t->young_boxes) return "A tree counts the boxes of its young leaves.";
    return boxes == t->boxes ? NULL : "A tree counts the boxes that it holds.";
}

static const char *sap__validate_sap(const sap_world *s, const sap__sap *p) {
    const uint32_t n = (uint32_t)sap__length(s->slot_array);
    if (p->count > p->capacity) return "A SAP has capacity for its endpoints.";
    for (int k = 0; k < 3; k++) {
        const uint64_t *ends = p->sorted[k];
        if (!s->used[k]) continue;
        if (ends[0] != 0 || ends[p->count - 1] != ~UINT64_C(0)) return "The first and the last endpoint are sentinels.";
        for (int i = 1; i < p->count; i++)
            if (ends[i - 1] >= ends[i]) return "Endpoints are sorted, and no two are equal.";
        for (int i = 1; i < p->count - 1; i++) {
            const uint32_t is_max = sap__endpoint_is_max(ends[i]), slot = sap__endpoint_slot(ends[i]);
            if (slot >= n || !sap__has_previous_box(s->slot_array[slot].flags) ||
                ends[i] != sap__endpoint(sap__endpoint_key(&s->slot_array[slot].previous, k, is_max), is_max, slot))
                return "An endpoint has its box's bound of the last update.";
        }
    }
    return NULL;
}

static const char *sap__validate_endpoints(const sap_world *s) {
    int boxes = 0;
    if (!s->endpoints.valid || s->endpoints.in_cells) return NULL;
    for (int slot = 0; slot < sap__length(s->slot_array); slot++)
        boxes += sap__has_previous_box(s->slot_array[slot].flags);
    if (s->endpoints.sap.count != 2 * boxes + 2)
        return "Every box of the last update has two endpoints on each used axis.";
    return sap__validate_sap(s, &s->endpoints.sap);
}

SAP_DEF const char *sap_validate(const sap_world *s) {
    const char *broken = s ? sap__validate_boxes(s) : NULL;
    if (s && !broken) broken = sap__validate_pairs(s);
    if (s && !broken) broken = sap__validate_events(s);
    for (int tree = 0; s && !broken && tree < SAP__TREES; tree++) broken = sap__validate_bvh(s, tree);
    if (s && !broken) broken = sap__validate_endpoints(s);
    if (s && !broken) broken = sap__validate_cells(s);
    return broken;
}

#pragma pack(pop)
#endif /* SAP_IMPLEMENTATION */

/* ---- versions and licences ----------------------------------------------------------------------------

   0.6  2026-11  One type: sap_multi is gone. A world gets a grid by sap_set_grid, the one function of sap_multi.h, and
                 threads by sap_set_parallel, without sap_multi.h. sap_reserve(s, 0, 0) ends a reserve. A reserve that
                 fails promises nothing. To go on from sap_multi:
                     sap_multi_create(&c)         sap_create(&c.sap), then the next two, if they are wanted
                     c.parallel, c.parallel_user  sap_set_parallel(world, parallel, user)
                     c.bounds, c.cells, c.hashed, c.entries, c.cell_size: fields of a sap_grid, for sap_set_grid
                     sap_multi_check_config(&c)   sap_check_config(&c.sap), and the result of sap_set_grid
                     sap_multi_add(m, ...)        sap_add(world, ...), and so all others
                 Incompatible: SAP_METHOD_SORT without a grid is one SAP, where sap_multi chose a grid. A file that
                 includes sap.h with SAP_IMPLEMENTATION may not include sap_multi.h afterwards.
                 Margins: a stored box is kept while the box is inside it, and at most five margins from each of its
                 sides. A snapshot of another margin is rejected; those of 0.4 and 0.5 count as of a world without one.
                 A particle at the largest float stays there, in place of ending beyond it. Changes of regime: AUTO
                 gives up SORT in the update in which all jump; trees are packed once it has cost as much to wait;
                 one box that is refiltered changes nothing for others. Worlds at any scale up to 2^100 take the same
                 time. An idle world gives memory back. query_tests never stops. An int of 16 bits is an #error.
   0.5  2026-11  sap_slide_if; sap_version. Slides: ways of any length; the joint of two boxes acts as one box would in
                 3D, too; a particle does not pass a wall of no thickness. Short rays are counted like others. Trees
                 have three generations, and are packed as a whole now and then, which 0.4 never did. AUTO takes no
                 method for which nothing is reserved. With a margin a box that shrinks is stored again. Shorter.
                 Incompatible: where callbacks of queries remove boxes ids may differ from those of 0.4; a slide of what
                 has no size on an axis ends one float before the side that stops it; SAP_ALL_KERNELS is gone.
   0.4  2026-11  config.margin; sap_slide; sap_box_closest_if; sap_ray_cast_ids; sap_nearest_to_ids; SAP_DEF of the
                 user's. Updates look at pairs that begin and end, not at those that last. No shape of world is a cliff.
                 No call raises a floating-point trap. A world that is only queried needs no update.
                 Incompatible: the slot of a box that no update has seen rests at once, so ids differ from those of 0.3
                 where such boxes were removed; snapshots of 0.3 are rejected; SAP_STATS_QUERY_TESTS is gone.
   0.3  2026-11  sap_query_box_ids, sap_query_sphere_ids, sap_nearest_ids, sap_box_closest; distances are rounded up;
                 max_pairs stops a search early; hot reload. Four trees by what a box is, with one rule of upkeep.
                 sap_multi.h is a grid of SAPs. No pair is lost where filter bits are rare, as 0.2 could.
   0.2  2026-11  config.method, sap_check_config, sap_last_error_argument, sap_next, sap_clear, sap_set_object,
                 sap_get_filter, sap_set_filter_many, sap_set_static, sap_is_static, sap_set_pair_filter,
                 sap_set_pair_data_at, sap_nearest_to, sap_query_nearest, sap_hit_normal, sap_aabb_from_doubles,
                 SAP_SLOT, SAP_VERSION_NUMBER, more sap_stats.
                 One tree for pairs and queries, which is culled by masks. Incompatible: free slots wait before they
                 are used again, so ids differ from those of 0.1 where boxes were removed; snapshots of 0.1 are
                 rejected; no code of stb_ds is emitted, so define STB_DS_IMPLEMENTATION yourself if you need it.
   0.1  2026-11  The first one.

   This software is available under two licences: choose whichever you prefer.

   ALTERNATIVE A - MIT License
   Copyright (c) 2026 the sap.h authors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
   documentation files (the "Software"), to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
   to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above
   copyright notice and this permission notice shall be included in all copies or substantial portions of the
   Software.
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
   WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
   COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
   OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

   ALTERNATIVE B - Public Domain (www.unlicense.org)
   This is free and unencumbered software released into the public domain. Anyone is free to copy, modify, publish, use,
   compile, sell, or distribute this software, either in source code form or as a compiled binary, for any purpose,
   commercial or non-commercial, and by any means.
   In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all copyright
   interest in the software to the public domain. We make this dedication for the benefit of the public at large and to
   the detriment of our heirs and successors. We intend this dedication to be an overt act of relinquishment in
   perpetuity of all present and future rights to this software under copyright law.
   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
   WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE
   LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
