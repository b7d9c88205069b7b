/*
Exercise 4: bipartite pruning

There are two sets of boxes, a and b, each sorted by min x. Call found(i, j) once for each a[i] that overlaps b[j];
pairs within one set do not matter. Test with overlap(&a[i], &b[j]), in this order, and only pairs that overlap along x:
the sweep knows those without a test. Two loops that compare along x are not enough: a street of 8,000 boxes takes them
a hundred times as long as a sweep. Boxes that touch overlap, and mins may be equal.

One way: walk through both arrays at once, as a merge does. The box that begins first tests those of the other set that
begin before it ends. Those further left have had their turn already. sap_box_prune_bipartite in sap.h answers the same
question.

    make exercises
*/
#include "04_bipartite.h"

void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb) {
    for (int i = 0; i < na; i++) /* right, but it tests all pairs: yours to improve */
        for (int j = 0; j < nb; j++)
            if (overlap(&a[i], &b[j])) found(i, j);
}
