/*
Shows how to spread a world over processes with MPI: each owns a block of cells, and has a sap_world of what touches it.

    mpicc -I.. -I/usr/include/stb -O2 -o mpi_world mpi_world.c && mpirun -np 4 ./mpi_world

`make mpi` does that with 1, 2, 3 and 4 processes (ranks). In each frame the pairs of all ranks are compared with those
of one process. It prints:

    1 rank: 5000 boxes,   0 ghosts,    0 moved home,      0 bytes sent; 5256 pairs, equal in 40 of 40 frames
    2 ranks: 5000 boxes, 202 ghosts,  420 moved home, 253528 bytes sent; 5256 pairs, equal in 40 of 40 frames
             a rank has 2498 to 2502 boxes, 0 to 199 ghosts of boxes shorter than a block, and 2414 to 2842 pairs
    3 ranks: 5000 boxes, 314 ghosts,  916 moved home, 528000 bytes sent; 5256 pairs, equal in 40 of 40 frames
             a rank has 1512 to 1903 boxes, 0 to 156 ghosts of boxes shorter than a block, and 1456 to 2192 pairs
    4 ranks: 5000 boxes, 406 ghosts,  871 moved home, 527340 bytes sent; 5256 pairs, equal in 40 of 40 frames
             a rank has 1210 to 1292 boxes, 0 to 200 ghosts of boxes shorter than a block, and 1076 to 1469 pairs
             1024 ranks of such blocks, 1280000 boxes in all: 196 ghosts in a rank and 6760 bytes sent by it in a frame;
             of boxes longer than a block 6 ghosts more, and an infinite one is 31 in its row

A box has one home: the rank that owns the cell of its lowest corner. The home moves the box, and tells every other rank
that owns a cell which the box touches. There it is a ghost: a box like any other, but moved by messages. When its
corner enters a cell of another rank, the box gets a new home. What does not move is not sent.

Two boxes that overlap share one point: the larger of their two mins on each axis. Both touch the cell of that point, so
its owner knows both. A point has one owner, so exactly one rank reports each pair.

The outer cells have no end, so no box is outside. An infinite box is a ghost in every cell that it reaches.

What a thousand ranks would take:

- Traffic. A rank has as many boxes as its block has area, and as many ghosts as its border has length: the last lines
  above foretell an inner rank of 32 by 32 blocks from the four. It does not grow with the number of ranks, as long as
  each talks to its neighbours only. MPI_Alltoallv sends to all ranks, so at a thousand ranks most of its messages
  are empty: use MPI_Neighbor_alltoallv on a Cartesian communicator, eight neighbours each. A smaller block has more
  border for its area; when ghosts are as many as boxes, more ranks gain nothing.
- Long boxes. Those longer than a block are ghosts in every block that they touch, and an infinite one in a whole row.
  They are few: give them to every rank from the start and send their moves by MPI_Bcast.
- Balance. Every rank waits for the slowest in each frame, so the time is that of the fullest block; the lines above say
  how far the fullest is from the emptiest where boxes are spread evenly, and a crowd makes it worse. Do not keep equal
  blocks: run a space-filling curve through the cells and cut it into pieces of equal weight (boxes and pairs), again
  every now and then. Only the ownership of cells changes, and boxes move home as they do now.
- Who owns a pair. Its point (above) needs no message: each rank that has both boxes can compute it. A rank compares its
  pairs with those of its last frame to find which began and ended. When the point moves to a cell of another rank, the
  pair ends here and begins there in the same frame. The old owner then sends the pair with its user data, so the new
  owner knows that it is not new. Nothing is gathered; the Gatherv here is only for the check.
- Memory. `known` is as long as the whole world; a hash table would hold only the boxes of this rank.
- Time. Send first, update the boxes that are far from the border, then receive. That takes two worlds per rank,
  or one more update. With sap_multi.h in place of sap.h its threads use all cores of a node. Then a node is one rank,
  with less border.
*/
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "flyers.h"

enum { BOXES = 5000, FRAMES = 40, CELLS = 16, MOST_RANKS = 64 }; /* CELLS along x and along y; z is not divided */
static const float side = 160, cell_size = 10;

/* ---- who owns what ----------------------------------------------------------------------------------------- */

static int ranks, rank, blocks[2]; /* blocks along x and y, one for each rank */

static int cell_at(float v) {
    if (!(v > 0)) return 0;
    if (v >= CELLS * cell_size) return CELLS - 1;
    return (int)(v / cell_size);
}

/* The block of a cell: block b of n begins with cell CELLS * b / n. */
static int block_of(int cell, int n) {
    return ((cell + 1) * n - 1) / CELLS;
}

static int owner_of(float x, float y) {
    return block_of(cell_at(x), blocks[0]) * blocks[1] + block_of(cell_at(y), blocks[1]);
}

/* Returns whether a box is longer than a block: then ranks that are no neighbours may have to know it. */
static int is_long(const sap_aabb *box) {
    return box->max[0] - box->min[0] > side / (float)blocks[0] || box->max[1] - box->min[1] > side / (float)blocks[1];
}

/* Marks the ranks that own a cell which the box touches. */
static void mark_touched(const sap_aabb *box, char touched[MOST_RANKS]) {
    int from[2], to[2];
    memset(touched, 0, MOST_RANKS);
    for (int k = 0; k < 2; k++) {
        from[k] = block_of(cell_at(box->min[k]), blocks[k]);
        to[k] = block_of(cell_at(box->max[k]), blocks[k]);
    }
    for (int x = from[0]; x <= to[0]; x++)
        for (int y = from[1]; y <= to[1]; y++) touched[x * blocks[1] + y] = 1;
}

/* ---- the boxes --------------------------------------------------------------------------------------------- */

typedef struct known_box { /* a box that this rank knows */
    sap_id id;             /* 0: it does not */
    int home;              /* the rank that moves it */
    flyer f;
} known_box;

/* A message has these bytes. It assumes machines of one kind; between different ones, define an MPI datatype. */
typedef struct message {
    int32_t number, home; /* home -1: the box has left your cells */
    flyer f;
} message;

typedef struct outbox {
    message *messages;
    int count, capacity;
} outbox;

static sap_world *world;
static known_box known[BOXES];
static outbox to_rank[MOST_RANKS];
static long long sent, moved_home;

/* Makes a box: some stand still, some are longer than a block, two are infinite. */
static flyer box_number(int number) {
    flyer f = flyer_new(number, side, 2, 10);
    if (number % 4 == 0) memset(f.speed, 0, sizeof f.speed);
    if (number % 500 == 1) f.box.max[0] += side / 2;
    if (number % 500 == 2) f.box.max[1] += side;
    if (number == 3) f.box.max[0] = f.box.max[1] = INFINITY;
    if (number == 5) f.box.min[1] = -INFINITY;
    return f;
}

static int stands(const flyer *f) {
    return f->speed[0] == 0 && f->speed[1] == 0 && f->speed[2] == 0;
}

static void tell(int to, int number, int home, const flyer *f) {
    outbox *o = &to_rank[to];
    if (o->count == o->capacity) {
        o->capacity = o->capacity ? 2 * o->capacity : 64;
        o->messages = realloc(o->messages, (size_t)o->capacity * sizeof *o->messages);
        if (!o->messages) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(&o->messages[o->count], 0, sizeof *o->messages);
    o->messages[o->count].number = number;
    o->messages[o->count].home = home;
    o->messages[o->count++].f = *f;
}

/* Adds, moves or removes a box as this rank now knows it. The world records that; sap_update does it later. */
static void learn(int number, int home, const flyer *f) {
    known_box *b = &known[number];
    if (home < 0) {
        sap_remove(world, b->id);
        b->id = 0;
        return;
    }
    b->home = home;
    b->f = *f;
    if (b->id)
        sap_move(world, b->id, &f->box);
    else
        b->id = sap_add(world, &f->box, (void *)(intptr_t)number);
}

/* The home of a box moves it, and sends it to each rank that owns a cell which it touches. */
static void move_box(int number) {
    char before[MOST_RANKS], now[MOST_RANKS];
    flyer f = known[number].f;
    if (stands(&f)) return;
    mark_touched(&f.box, before);
    flyer_move(&f, side);
    mark_touched(&f.box, now);
    int home = owner_of(f.box.min[0], f.box.min[1]);
    moved_home += home != rank;
    for (int r = 0; r < ranks; r++) {
        if (!before[r] && !now[r]) continue;
        if (r == rank)
            learn(number, now[r] ? home : -1, &f);
        else
            tell(r, number, now[r] ? home : -1, &f);
    }
}

/* Every rank makes the boxes that touch its cells. A real program would load only those. */
static void set_up(void) {
    char touched[MOST_RANKS];
    for (int i = 0; i < BOXES; i++) {
        flyer f = box_number(i);
        mark_touched(&f.box, touched);
        if (touched[rank]) learn(i, owner_of(f.box.min[0], f.box.min[1]), &f);
    }
}

/* Sends the messages of each rank to all others. */
static void exchange(void) {
    int out_bytes[MOST_RANKS], in_bytes[MOST_RANKS], out_at[MOST_RANKS], in_at[MOST_RANKS], out = 0, in = 0;
    for (int r = 0; r < ranks; r++) out_bytes[r] = to_rank[r].count * (int)sizeof(message);
    MPI_Alltoall(out_bytes, 1, MPI_INT, in_bytes, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        out_at[r] = out;
        in_at[r] = in;
        out += out_bytes[r];
        in += in_bytes[r];
    }
    char *letters = malloc((size_t)out + 1), *mail = malloc((size_t)in + 1);
    if (!letters || !mail) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < ranks; r++) {
        if (to_rank[r].count) memcpy(letters + out_at[r], to_rank[r].messages, (size_t)out_bytes[r]);
        to_rank[r].count = 0;
    }
    MPI_Alltoallv(letters, out_bytes, out_at, MPI_BYTE, mail, in_bytes, in_at, MPI_BYTE, MPI_COMM_WORLD);
    for (int at = 0; at < in; at += (int)sizeof(message)) {
        message m;
        memcpy(&m, mail + at, sizeof m);
        learn(m.number, m.home, &m.f);
    }
    sent += out;
    free(letters);
    free(mail);
}

/* ---- pairs ------------------------------------------------------------------------------------------------- */

static uint64_t pair_key(const sap_pair *pair) {
    uint64_t a = (uint64_t)(intptr_t)pair->object0, b = (uint64_t)(intptr_t)pair->object1;
    return a < b ? a << 32 | b : b << 32 | a;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static float later(float a, float b) {
    return a > b ? a : b;
}

/* Returns whether this rank owns the pair: its point is in a cell of this rank. */
static int owns(const sap_pair *pair) {
    const sap_aabb *a = &known[(intptr_t)pair->object0].f.box, *b = &known[(intptr_t)pair->object1].f.box;
    return owner_of(later(a->min[0], b->min[0]), later(a->min[1], b->min[1])) == rank;
}

/* Lists the numbers of all pairs of a world, or of those that this rank owns, sorted. */
static uint64_t *list_pairs(sap_world *s, int all, int *count) {
    int n;
    const sap_pair *pairs = sap_pairs(s, &n);
    uint64_t *keys = malloc(((size_t)n + 1) * sizeof *keys);
    if (!keys) MPI_Abort(MPI_COMM_WORLD, 1);
    *count = 0;
    for (int i = 0; i < n; i++)
        if (all || owns(&pairs[i])) keys[(*count)++] = pair_key(&pairs[i]);
    qsort(keys, (size_t)*count, sizeof *keys, ascending);
    return keys;
}

/* ---- the check: rank 0 also has a world of all boxes --------------------------------------------------------- */

static sap_world *reference;
static flyer every[BOXES];

static void set_up_reference(void) {
    reference = sap_create(NULL);
    for (int i = 0; i < BOXES; i++) {
        every[i] = box_number(i);
        sap_add(reference, &every[i].box, (void *)(intptr_t)i); /* ids are 1, 2, 3...: nothing is ever removed here */
    }
}

static void move_reference(void) {
    for (int i = 0; i < BOXES; i++) {
        flyer_move(&every[i], side);
        sap_move(reference, (sap_id)i + 1, &every[i].box);
    }
}

/* Returns the expected number of ghosts: for each box the number of ranks that it touches, except its home. */
static long long expected_ghosts(void) {
    char touched[MOST_RANKS];
    long long ghosts = 0;
    for (int i = 0; i < BOXES; i++) {
        mark_touched(&every[i].box, touched);
        for (int r = 0; r < ranks; r++) ghosts += touched[r];
    }
    return ghosts - BOXES;
}

/* Returns whether the ranks together own the pairs of one process, each once. Only rank 0 knows. */
static int owned; /* pairs of this rank, in the last frame */

static int compare(int *pairs) {
    int count, counts[MOST_RANKS], at[MOST_RANKS], total = 0, equal = 0;
    uint64_t *mine = list_pairs(world, 0, &count), *all = NULL;
    owned = count;
    MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < ranks && rank == 0; r++) {
        at[r] = total;
        total += counts[r];
    }
    if (rank == 0 && !(all = malloc(((size_t)total + 1) * sizeof *all))) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gatherv(mine, count, MPI_UINT64_T, all, counts, at, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        sap_update(reference);
        uint64_t *expected = list_pairs(reference, 1, pairs);
        qsort(all, (size_t)total, sizeof *all, ascending);
        equal = total == *pairs && memcmp(all, expected, (size_t)total * sizeof *all) == 0;
        free(expected);
    }
    free(mine);
    free(all);
    return equal;
}

/* Predicts, from 2 by 2 blocks, the ghosts of a rank in the middle of 32 by 32. The home of a box is that of its lowest
   corner, so ghosts enter a block over its two lower sides. In 2 by 2 blocks half of these sides have a neighbour, in
   the middle all have. A long box is a ghost in about as many blocks as it is blocks long. */
static void foretell(long long ghosts, long long long_ghosts, long long bytes) {
    printf("         1024 ranks of such blocks, %d boxes in all: %lld ghosts in a rank and %lld bytes sent by it in a "
           "frame;\n         of boxes longer than a block %lld ghosts more, and an infinite one is 31 in its row\n",
           BOXES / 4 * 1024, 2 * ghosts / 4, 2 * bytes / 4 / (FRAMES - 1), 2 * long_ghosts / 4);
}

int main(int argc, char **argv) {
    int equal = 0, pairs = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (ranks > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Dims_create(ranks, 2, blocks);
    if (rank == 0) set_up_reference();
    world = sap_create(NULL);
    set_up();
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame > 0) {
            for (int i = 0; i < BOXES; i++)
                if (known[i].id && known[i].home == rank) move_box(i);
            exchange();
            if (rank == 0) move_reference();
        }
        sap_update(world);
        equal += compare(&pairs);
    }
    enum { HOME, GHOSTS, LONG_GHOSTS, PAIRS, MOVED_HOME, SENT, NUMBERS };
    long long numbers[NUMBERS] = {0}, sums[NUMBERS], least[NUMBERS], most[NUMBERS];
    for (int i = 0; i < BOXES; i++)
        if (known[i].id) numbers[known[i].home == rank ? HOME : is_long(&known[i].f.box) ? LONG_GHOSTS : GHOSTS]++;
    numbers[PAIRS] = owned;
    numbers[MOVED_HOME] = moved_home;
    numbers[SENT] = sent;
    MPI_Reduce(numbers, sums, NUMBERS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(numbers, least, NUMBERS, MPI_LONG_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(numbers, most, NUMBERS, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const long long ghosts = sums[GHOSTS] + sums[LONG_GHOSTS];
        printf("%d rank%s: %lld boxes, %3lld ghosts, %4lld moved home, %6lld bytes sent; %d pairs, equal in %d of %d "
               "frames\n",
               ranks, ranks > 1 ? "s" : "", sums[HOME], ghosts, sums[MOVED_HOME], sums[SENT], pairs, equal, FRAMES);
        if (ranks > 1)
            printf("         a rank has %lld to %lld boxes, %lld to %lld ghosts of boxes shorter than a block, "
                   "and %lld to %lld pairs\n",
                   least[HOME], most[HOME], least[GHOSTS], most[GHOSTS], least[PAIRS], most[PAIRS]);
        if (ranks == 4) foretell(sums[GHOSTS], sums[LONG_GHOSTS], sums[SENT]);
        equal = equal == FRAMES && sums[HOME] == BOXES && ghosts == expected_ghosts();
    }
    MPI_Bcast(&equal, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) free(to_rank[r].messages);
    sap_destroy(world);
    sap_destroy(reference);
    MPI_Finalize();
    return !equal;
}
