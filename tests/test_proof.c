/* test_proof.c - what is small enough is tried in full.

   Floats: all 2^32 of them. Their keys keep the order, fold -0 into +0, decode to the same float and lie strictly
   between the sentinels; NaN, and nothing else, is refused.

   Worlds of three boxes: on small lattices every arrangement and every change from it, an add, a removal or a move
   of one box, or of all three in one update, on every way of settling and every kernel, against overlaps counted on
   the lattice. A change that the rules get wrong shows up among three boxes: a rule looks at two ends that pass each
   other, and a third box makes neighbours.

   usage: test_proof [percent]   default 20: of the worlds, and a tenth of it of the floats; 100 leaves out nothing,
   neither here nor there, and takes two minutes */

#define SAP_IMPLEMENTATION
#include "sap.h"

#include "ways.h"

/* ---- floats ---------------------------------------------------------------------------------- */

enum { BLOCK = 1 << 16 }; /* floats with the same upper half */

static int is_encoded(const sap__box *box, int32_t lo, int32_t hi) {
    int k, same = 1;
    for (k = 0; k < 3; k++) same &= box->lo[k] == lo && box->hi[k] == hi;
    return same;
}

/* The box of two floats on all axes; with min and max exchanged on one of them, or none if it is 3. */
static int encode(uint32_t min, uint32_t max, int exchanged, sap__box *out) {
    static const int32_t used[6] = {-1, -1, -1, -1, -1, -1};
    sap_aabb box;
    int k;
    for (k = 0; k < 3; k++) {
        test_set_bits(&box.min[k], k == exchanged ? max : min);
        test_set_bits(&box.max[k], k == exchanged ? min : max);
    }
    *out = sap__empty_box;
    return sap__encode(&box, used, out) >= 0;
}

/* One NaN is enough, in each of the six bounds; on an axis that is not used it is not even looked at. */
static int nan_is_refused(uint32_t nan) {
    int k, axes, good = 1;
    for (k = 0; k < 6; k++) {
        sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
        test_set_bits(k < 3 ? &box.min[k] : &box.max[k - 3], nan);
        for (axes = 1; axes < 8; axes++) {
            int32_t used[6];
            sap__box out = sap__empty_box;
            int is_used = axes >> (k % 3) & 1;
            sap__axes_used(axes, used);
            good &= (sap__encode(&box, used, &out) >= 0) == !is_used;
            if (!is_used) good &= is_encoded(&out, 0, 0);
        }
    }
    return good;
}

/* A number, and the next one above it. */
static int number_is_kept(uint32_t bits) {
    float f = test_float(bits);
    int32_t key = sap__key(f);
    sap__box out;
    uint32_t next;
    int good = key >= -SAP__INFINITY && key <= SAP__INFINITY && key > SAP__BEFORE_ALL && key < SAP__AFTER_ALL;
    good &= test_bits(sap__float(key)) == (bits == 0x80000000u ? 0 : bits);
    good &= sap__is_finite(f) == (bits != 0x7f800000u && bits != 0xff800000u);
    if (bits == 0x7f800000u || bits == 0x80000000u) /* nothing is above +inf; +0 has the key of -0 */
        return good && encode(bits, bits, 3, &out) && is_encoded(&out, key, key);
    next = bits >> 31 ? bits - 1 : bits + 1;
    good &= sap__key(test_float(next)) == key + 1;
    good &= sap__endpoint(key + 1, 0, 0) == sap__endpoint(key, 0, 0) + (UINT64_C(1) << 32);
    good &= sap__endpoint(key + 1, 0, 0) != 0;
    good &= encode(bits, next, 3, &out) && is_encoded(&out, key, key + 1);
    good &= !encode(bits, next, (int)(bits % 3), &out);
#ifndef __FAST_MATH__ /* it takes denormals for zero */
    good &= f < test_float(next);
#endif
    return good;
}

static int is_nan(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* Steps from each float to the next cover the order of all: 100 percent is a proof. Blocks where the exponent is
   the smallest or the largest, and their neighbours, are always taken. */
static void prove_floats(int percent) {
    uint32_t block, i;
    for (block = 0; block < 65536; block++) {
        uint32_t high = block & 0x7fff, wrong = 0, first = 0;
        int edge = high < 2 || high == 0x7f || high == 0x80 || high == 0x7f7f || high == 0x7f80 || high == 0x7fff;
        if (!edge && (int)(block * 37 % 100) >= percent) continue;
        for (i = 0; i < BLOCK; i++) {
            uint32_t bits = block << 16 | i;
            int32_t key = sap__key(test_float(bits));
            if (is_nan(bits) ? (key <= SAP__INFINITY && key >= -SAP__INFINITY) || !nan_is_refused(bits)
                             : !number_is_kept(bits))
                if (wrong++ == 0) first = bits;
        }
        CHECK_MESSAGE(wrong == 0, "%lu floats are encoded wrongly, the first is 0x%08lx", (unsigned long)wrong,
                      (unsigned long)first);
    }
}

/* ---- worlds of three boxes ------------------------------------------------------------------- */

enum { MOST_STATES = 64, ABSENT = 0 };

/* Which changes are tried. */
enum {
    ONE,  /* one box goes from every state to every other, for every state of the two that stay */
    ODD,  /* the same, but the two that stay have their ends at odd coordinates */
    EVERY /* every arrangement to every other, in one update */
};

typedef struct experiment {
    const char *name;
    int axes, coordinates, changes, statics; /* the first boxes are static */
    const uint32_t *at;                      /* the floats of the coordinates; NULL: 0, 1, 2, ... */
} experiment;

static const uint32_t extremes[] = {0xff800000u, 0xff7fffffu, 0x80000000u, 0x00000001u, 0x7f7fffffu, 0x7f800000u};

/* Coordinates are as few as show every order of the ends. ODD shows all orders that six ends on an axis can have:
   two intervals have four ends, which are at, before, between or after 1, 3, 5, 7. */
static const experiment experiments[] = {
    {"x, 9 coordinates", SAP_AXIS_X, 9, ODD, 0, NULL},
    {"x, 4 coordinates", SAP_AXIS_X, 4, EVERY, 0, NULL},
    {"y, extremes", SAP_AXIS_Y, 6, ONE, 0, extremes},
    {"z, 3 coordinates, two static", SAP_AXIS_Z, 3, EVERY, 2, NULL},
    {"x and y, 3 coordinates", SAP_2D, 3, ONE, 0, NULL},
    {"y and z, 2 coordinates", SAP_AXIS_Y | SAP_AXIS_Z, 2, EVERY, 0, NULL},
    {"x, y and z, 2 coordinates, one static", 7, 2, ONE, 1, NULL},
};

typedef struct lab {
    const experiment *what;
    const way *way;
    sap_world *world;
    sap_aabb boxes[MOST_STATES]; /* of each state but ABSENT */
    int is_odd[MOST_STATES], overlap[MOST_STATES][MOST_STATES];
    int states;
    int state[3]; /* of each box */
    sap_id ids[3];
    int percent;
    test_rng dice; /* for the ways of "changing" */
    long updates, wrong;
} lab;

/* The states are all boxes of the lattice; unused axes hold NaN. */
static void make_states(lab *l) {
    int lo[MOST_STATES][3], hi[MOST_STATES][3];
    int n = l->what->coordinates, intervals = n * (n + 1) / 2, total = 1, i, j, k, a, b;
    for (k = 0; k < 3; k++)
        if (l->what->axes >> k & 1) total *= intervals;
    l->states = total + 1;
    if (l->states > MOST_STATES) exit(1);
    for (i = 1; i < l->states; i++) {
        int rest = i - 1;
        l->is_odd[i] = 1;
        for (k = 0; k < 3; k++) {
            int which = rest % intervals;
            test_set_bits(&l->boxes[i].min[k], 0x7fc00000u);
            test_set_bits(&l->boxes[i].max[k], 0x7fc00000u);
            lo[i][k] = hi[i][k] = 0;
            if (!(l->what->axes >> k & 1)) continue;
            rest /= intervals;
            for (a = 0; which >= n - a; a++) which -= n - a; /* [0, 0], [0, 1], ..., [1, 1], ... */
            b = a + which;
            lo[i][k] = a;
            hi[i][k] = b;
            l->is_odd[i] &= a & b;
            test_set_bits(&l->boxes[i].min[k], l->what->at ? l->what->at[a] : test_bits((float)a));
            test_set_bits(&l->boxes[i].max[k], l->what->at ? l->what->at[b] : test_bits((float)b));
        }
    }
    l->is_odd[ABSENT] = 1;
    for (i = 1; i < l->states; i++)
        for (j = 1; j < l->states; j++) {
            l->overlap[i][j] = 1;
            for (k = 0; k < 3; k++) l->overlap[i][j] &= lo[i][k] <= hi[j][k] && lo[j][k] <= hi[i][k];
        }
}

static int pairs_with(const lab *l, const int state[3], int a, int b) {
    if (b < l->what->statics) return 0; /* a < b: both are static */
    return state[a] != ABSENT && state[b] != ABSENT && l->overlap[state[a]][state[b]];
}

/* Is (a, b) in the array? Ascending order and a right count make that an exact comparison. */
static int holds_pair(const sap_pair *pairs, int count, sap_id a, sap_id b) {
    int i;
    for (i = 0; i < count; i++)
        if (pairs[i].id0 == (a < b ? a : b) && pairs[i].id1 == (a < b ? b : a)) return 1;
    return 0;
}

static int ascends(const sap_pair *pairs, int count) {
    int i;
    for (i = 1; i < count; i++)
        if (pairs[i - 1].id0 > pairs[i].id0 || (pairs[i - 1].id0 == pairs[i].id0 && pairs[i - 1].id1 >= pairs[i].id1))
            return 0;
    return 1;
}

static sap_result record(lab *l, int k, int next) {
    const sap_aabb *box = &l->boxes[next];
    if (next == ABSENT) return sap_remove(l->world, l->ids[k]);
    if (l->state[k] != ABSENT) return sap_move(l->world, l->ids[k], box);
    l->ids[k] = k < l->what->statics ? sap_add_static(l->world, box, NULL) : sap_add(l->world, box, NULL);
    return sap_last_error(l->world);
}

/* All three boxes go to their next states in one update. */
static void change(lab *l, int next0, int next1, int next2) {
    const sap_pair *created, *deleted, *pairs;
    int next[3], a, b, k, created_count, deleted_count, pair_count, begin = 0, end = 0, active = 0, good = 1;
    next[0] = next0;
    next[1] = next1;
    next[2] = next2;
    for (k = 0; k < 3; k++)
        if (next[k] != l->state[k]) good &= record(l, k, next[k]) == SAP_OK;
    vary_way(l->world, l->way, &l->dice);
    good &= sap_update(l->world) == SAP_OK;
    created = sap_created(l->world, &created_count);
    deleted = sap_deleted(l->world, &deleted_count);
    pairs = sap_pairs(l->world, &pair_count);
    for (a = 0; a < 3; a++)
        for (b = a + 1; b < 3; b++) {
            int before = pairs_with(l, l->state, a, b), now = pairs_with(l, next, a, b);
            if (now && !before) begin++, good &= holds_pair(created, created_count, l->ids[a], l->ids[b]);
            if (before && !now) end++, good &= holds_pair(deleted, deleted_count, l->ids[a], l->ids[b]);
            if (now) active++, good &= holds_pair(pairs, pair_count, l->ids[a], l->ids[b]);
        }
    good &= created_count == begin && deleted_count == end && pair_count == active;
    good &= ascends(created, created_count) && ascends(deleted, deleted_count);
    l->updates++;
    if (!good && l->wrong++ == 0)
        printf("%s, %s: from states %d %d %d to %d %d %d\n", l->what->name, l->way->name, l->state[0], l->state[1],
               l->state[2], next[0], next[1], next[2]);
    for (k = 0; k < 3; k++) l->state[k] = next[k];
}

/* Which of the changes are made at less than 100 percent: 37 spreads them. */
static int is_left_out(const lab *l, int i) {
    return i * 37 % 100 >= l->percent;
}

/* A walk along every step from one of n states to another: i to j and back for every i < j, then on to i + 1. */
static void move_one(lab *l, int mover, int state0, int state1) {
    int i, j;
    int to[3];
    to[(mover + 1) % 3] = state0;
    to[(mover + 2) % 3] = state1;
    for (i = 0; i < l->states; i++) {
        to[mover] = i;
        change(l, to[0], to[1], to[2]);
        for (j = i + 1; j < l->states; j++) {
            to[mover] = j;
            change(l, to[0], to[1], to[2]);
            to[mover] = i;
            change(l, to[0], to[1], to[2]);
        }
    }
}

static void move_every(lab *l) {
    int n = l->states, all = n * n * n, i, j;
    for (i = 0; i < all; i++) {
        if (is_left_out(l, i)) continue;
        change(l, i % n, i / n % n, i / n / n);
        for (j = i + 1; j < all; j++) {
            change(l, j % n, j / n % n, j / n / n);
            change(l, i % n, i / n % n, i / n / n);
        }
    }
}

static void prove_worlds(const experiment *e, const way *w, int percent) {
    static lab l;
    sap_config config;
    int mover, i, j;
    memset(&config, 0, sizeof config);
    memset(&l, 0, sizeof l);
    config.axes = e->axes;
    l.what = e;
    l.way = w;
    l.percent = percent;
    l.world = open_way(&config, w);
    if (!l.world) return; /* not on this machine */
    make_states(&l);
    if (e->changes == EVERY) move_every(&l);
    for (mover = 0; mover < 3 && e->changes != EVERY; mover++)
        for (i = 0; i < l.states; i++)
            for (j = 0; j < l.states; j++)
                if (e->changes == ONE || (l.is_odd[i] && l.is_odd[j]))
                    if (!is_left_out(&l, i * l.states + j)) move_one(&l, mover, i, j);
    CHECK_MESSAGE(l.wrong == 0 && l.updates > 0, "%s, %s: %ld of %ld updates are wrong", e->name, w->name, l.wrong,
                  l.updates);
    sap_destroy(l.world);
}

int main(int argc, char **argv) {
    int percent = test_argument(argc, argv, 1, 20);
    size_t i, k;
    for (i = 0; i < sizeof experiments / sizeof experiments[0]; i++)
        for (k = 0; k < WAYS; k++)
            if (!ways[k].threads)
                prove_worlds(&experiments[i], &ways[k], percent); /* to start threads takes too long */
    prove_floats(percent < 100 ? percent / 10 : 100);
    return test_summary();
}
