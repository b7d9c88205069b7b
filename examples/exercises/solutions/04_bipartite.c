/* Exercise 4, solved: of two boxes the one that begins first asks, at equal mins that of a. */
#include "04_bipartite.h"

void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb) {
    int i = 0, j = 0;
    while (i < na && j < nb) {
        if (a[i].min[0] <= b[j].min[0]) {
            for (int k = j; k < nb && b[k].min[0] <= a[i].max[0]; k++)
                if (overlap(&a[i], &b[k])) found(i, k);
            i++;
        } else {
            for (int k = i; k < na && a[k].min[0] <= b[j].max[0]; k++)
                if (overlap(&a[k], &b[j])) found(k, j);
            j++;
        }
    }
}
