/*
06_pairs.h - what exercise 6 works on
*/
#ifndef EXERCISE_06_H
#define EXERCISE_06_H

#include "standard.h"

enum { NONE = -1 };

typedef struct pair {
    int a, b;  /* a < b */
    int chain; /* the index of the next pair in the same bucket, or NONE */
} pair;

extern pair pairs[];
extern int pair_count;
extern int buckets[];   /* the index of the first pair in each bucket, or NONE */
extern int bucket_bits; /* there are 1 << bucket_bits buckets */

static inline int bucket_of(int a, int b) {
    const uint32_t both = (uint32_t)a << 16 ^ (uint32_t)b;
    return (int)(both * 2654435761u >> 8 & ((1u << bucket_bits) - 1));
}

/* Returns the index of a pair, or NONE. */
static inline int find_pair(int a, int b) {
    int p = buckets[bucket_of(a, b)];
    while (p != NONE && (pairs[p].a != a || pairs[p].b != b)) p = pairs[p].chain;
    return p;
}

static inline void add_pair(int a, int b) {
    int *bucket = &buckets[bucket_of(a, b)];
    pairs[pair_count].a = a;
    pairs[pair_count].b = b;
    pairs[pair_count].chain = *bucket;
    *bucket = pair_count++;
}

int remove_pair(int a, int b);

#endif
