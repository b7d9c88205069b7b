/* Exercise 0, solved: on each axis, neither ends before the other begins. */
#include "00_overlap.h"

int overlap(const box *a, const box *b) {
    for (int k = 0; k < 2; k++)
        if (a->max[k] < b->min[k] || b->max[k] < a->min[k]) return 0;
    return 1;
}

void find_pairs(const box *boxes, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (overlap(&boxes[i], &boxes[j])) found(i, j);
}
