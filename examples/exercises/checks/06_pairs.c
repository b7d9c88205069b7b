/*
06_pairs.c - the checker of exercise 6: after each call the array and all chains are looked through
*/
#include <time.h>
#include "06_pairs.h"
#include "check.h"

enum { MANY = 100000, MANY_BITS = 17 };

pair pairs[MANY];
int pair_count, buckets[1 << MANY_BITS], bucket_bits;

enum { BOXES = 6, UPDATES = 60, MOST_SHOWN = 15 };

static pair before[MOST_SHOWN];
static int count_before, asked_a, asked_b;

static void write_pairs(const char *label, const pair *list, int n) {
    printf("    %-8s", label);
    for (int p = 0; p < n && p < MOST_SHOWN; p++) printf(" %d: %d-%d%s", p, list[p].a, list[p].b, p + 1 < n ? "," : "");
    printf("%s\n", n > MOST_SHOWN ? " ..." : "");
}

static void tell(void) {
    write_pairs("before", before, count_before);
    check_note("you removed %d-%d; pair_count is now %d", asked_a, asked_b, pair_count);
    write_pairs("after", pairs, pair_count < 0 || pair_count > MANY ? 0 : pair_count);
    for (int h = 0; h < 1 << bucket_bits && bucket_bits < 4; h++)
        check_note("bucket %d begins at place %d%s", h, buckets[h], buckets[h] == NONE ? ", which is NONE" : "");
    check_stop();
}

/* remove_pair may crash, or never return: then only its arguments are known. */
static void given(void) {
    const pair *last = &before[count_before > 0 ? count_before - 1 : 0];
    check_note("while you removed %d-%d%s, from:", asked_a, asked_b,
               last->a == asked_a && last->b == asked_b ? ", the last one" : "");
    write_pairs("pairs", before, count_before);
}

/* Checks the array: it has all pairs but the removed one, and all but the last are where they were. */
static void check_array(int removed, int place) {
    if (pair_count != count_before - removed) {
        check_say("pair_count is %d after a pair that %s was removed; it was %d", pair_count,
                  removed ? "exists" : "does not exist", count_before);
        tell();
    }
    for (int p = 0; p < pair_count; p++) {
        const pair *expected = removed && p == place ? &before[count_before - 1] : &before[p];
        if (pairs[p].a == expected->a && pairs[p].b == expected->b) continue;
        check_say("place %d holds %d-%d instead of %d-%d", p, pairs[p].a, pairs[p].b, expected->a, expected->b);
        check_note("The last pair fills the hole, and all others stay where they are.");
        tell();
    }
}

/* Checks the chains: each pair is in that of its bucket, once, and they lead to no other index. */
static void check_chains(void) {
    int met = 0;
    for (int h = 0; h < 1 << bucket_bits; h++) {
        int steps = 0;
        for (int p = buckets[h]; p != NONE; p = pairs[p].chain) {
            if (p < 0 || p >= pair_count) {
                check_say("the chain of bucket %d leads to place %d, but there are %d pairs", h, p, pair_count);
                check_note("The link that led to the last pair must lead to its new place, and one past the pair that "
                           "is gone.");
                tell();
            }
            if (bucket_of(pairs[p].a, pairs[p].b) != h) {
                check_say("the chain of bucket %d leads to %d-%d, which belongs to bucket %d", h, pairs[p].a,
                          pairs[p].b, bucket_of(pairs[p].a, pairs[p].b));
                tell();
            }
            if (steps++ > pair_count) {
                check_say("the chain of bucket %d never ends: it goes round in a circle", h);
                tell();
            }
        }
        met += steps;
    }
    if (met == pair_count) return;
    check_say("%d pairs are in the array, and %d in the chains", pair_count, met);
    check_note(
        "A pair that no chain leads to cannot be found. What does the removed pair's own chain say, and to whom?");
    tell();
}

static void clear(int bits) {
    bucket_bits = bits;
    pair_count = 0;
    for (int h = 0; h < 1 << bits; h++) buckets[h] = NONE;
}

static void play(int bits) {
    clear(bits);
    for (int i = 0; i < UPDATES; i++) {
        const int a = check_random(0, BOXES - 2), b = check_random(a + 1, BOXES - 1), place = find_pair(a, b);
        if (check_random(0, 2)) { /* in two of three calls a pair is added, if it is not there yet */
            if (place == NONE) add_pair(a, b);
            continue;
        }
        memcpy(before, pairs, sizeof before);
        count_before = pair_count;
        asked_a = a;
        asked_b = b;
        const int removed = remove_pair(a, b);
        if (!removed != (place == NONE)) {
            check_say("you returned %d, but there was %s pair %d-%d", removed, place == NONE ? "no" : "a", a, b);
            tell();
        }
        check_array(place != NONE, place);
        if (place != NONE) pairs[pair_count].a = pairs[pair_count].b = -9; /* a free entry holds no pair */
        check_chains();
    }
}

static void play_many(void) {
    clear(MANY_BITS);
    for (int i = 0; i < MANY; i++) add_pair(i / 100, 60000 + i % 100);
    const clock_t begin = clock();
    for (int i = 0; i < MANY; i++) {
        remove_pair(i / 100, 60000 + i % 100);
        if (i % 100 || (double)(clock() - begin) / CLOCKS_PER_SEC < 0.5) continue;
        check_say("right, but %d of %d removals have taken half a second", i, MANY);
        check_note("Neither the array nor all buckets need to be walked through: only the chains of two pairs.");
        check_stop();
    }
}

int main(void) {
    check_begin(given);
    for (int bits = 0; bits < 4; bits++)
        for (int i = 0; i < 100; i++) play(bits);
    play_many();
    return check_right("no holes, and every pair is found");
}
