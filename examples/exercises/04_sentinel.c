/*
Exercise 4: break the sentinels, and mend them

The paper (appendix B) puts a dummy end at each side of the sorted array, -FLT_MAX and FLT_MAX, so that an end which
walks needs not ask whether the array is over:

    while (ends[j - 1] > value) j--;        to the left
    while (ends[j + 1] < value) j++;        to the right

1. Break it: give a box, legal in sap.h (see sap_aabb and "Infinite bounds" there), one end of which walks out of the
   array on the left, and one end on the right.
2. Mend it: choose sentinels with which no legal box walks out. The two loops stay as they are.

sap.h compares integers instead (see sap__end): which ones are its sentinels?

    make exercises
*/
#include "04_sentinel.h"

sap_aabb breaker(void) {
    sap_aabb box = {{-1, -1, -1}, {1, 1, 1}}; /* yours to change */
    return box;
}

const float low_sentinel = -FLT_MAX; /* yours to change */
const float high_sentinel = FLT_MAX;
