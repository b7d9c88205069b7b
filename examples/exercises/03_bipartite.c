/*
Exercise 3: bipartite pruning

Two sets of boxes, a and b, each sorted by min x. Call found(i, j) once for each a[i] that overlaps b[j]; pairs within
one set do not matter. Ask by overlap(&a[i], &b[j]) (in this order), and only about pairs that overlap along x: the
sweep knows that without asking. Boxes that touch overlap, and mins may be equal.

One way: walk through both arrays at once, as a merge does. The box that begins first asks those of the other set that
begin before it ends. What stands before those has asked already. sap_box_prune_bipartite in sap.h answers the same
question.

    make exercises
*/
#include "03_bipartite.h"

void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb) {
    for (int i = 0; i < na; i++) /* right, but it asks about all: yours to make better */
        for (int j = 0; j < nb; j++)
            if (overlap(&a[i], &b[j])) found(i, j);
}
