/*
Exercise 6: the pair manager, without holes

Active pairs are in pairs[0 .. pair_count - 1], so one loop over an array visits all of them (I.6). A hash finds one:
buckets[bucket_of(a, b)] is the index of the first pair with that hash, pairs[p].chain the index of the next one in the
same bucket, and NONE ends the chain. add_pair and find_pair are given in checks/06_pairs.h; read them first.

Write remove_pair(a, b), a < b: take the pair out of its chain, and let the last pair of the array fill its place. Only
that one may move. Return 1, or 0 if there is no such pair. It must take as long with a hundred thousand pairs as with ten.
Which chains lead to the pair that moves? And if the one to go is itself the last? examples/teach/11_pairs draws it, and
sap.h does it with lists of edges: search for ">> pairs" there.

    make exercises
*/
#include "06_pairs.h"

int remove_pair(int a, int b) {
    (void)a; /* yours to write */
    (void)b;
    return 0;
}
