/* Exercise 6, solved: one link leads to each pair, either from its bucket or from the pair before it in the chain. That of
   the pair that goes is led past it; that of the last pair is led to its new place. */
#include "06_pairs.h"

int remove_pair(int a, int b) {
    int *link = &buckets[bucket_of(a, b)];
    while (*link != NONE && (pairs[*link].a != a || pairs[*link].b != b)) link = &pairs[*link].chain;
    if (*link == NONE) return 0;
    const int hole = *link, last = --pair_count;
    *link = pairs[hole].chain;
    if (hole == last) return 1;
    link = &buckets[bucket_of(pairs[last].a, pairs[last].b)];
    while (*link != last) link = &pairs[*link].chain;
    *link = hole;
    pairs[hole] = pairs[last];
    return 1;
}
