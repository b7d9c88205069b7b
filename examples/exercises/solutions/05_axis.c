/* Exercise 5, solved: the chance that two boxes overlap on an axis, times n^2 / 2, is how many pairs do. A sample of
   pairs tells it well enough. Spread alone does not, as the yard of planks shows: on x their variance is the largest, but
   so is their length. */
#include "05_axis.h"

int choose_axis(const sap_aabb *boxes, int n) {
    enum { SAMPLE = 2000 };
    int overlaps[3] = {0, 0, 0}, best = 0;
    for (int s = 0; s < SAMPLE; s++) {
        const sap_aabb *a = &boxes[rand() % n], *b = &boxes[rand() % n];
        for (int k = 0; k < 3; k++) overlaps[k] += a->min[k] <= b->max[k] && b->min[k] <= a->max[k];
    }
    for (int k = 1; k < 3; k++)
        if (overlaps[k] < overlaps[best]) best = k;
    return best;
}
