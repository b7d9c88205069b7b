/*
Exercise 1: break the sentinels, and mend them

The paper (appendix B) puts a dummy end at each side of the sorted array, -FLT_MAX and FLT_MAX, so that a walking end
need not check for the end of the array:

    while (ends[j - 1] > value) j--;        to the left
    while (ends[j + 1] < value) j++;        to the right

1. Break it: return a box that is legal in sap.h (see sap_aabb and "Infinite bounds" there), one end of which walks out
   of the array on the left and the other on the right.
2. Mend it: choose both sentinels, low_sentinel and high_sentinel, so that no legal box can pass either. The two loops
   stay as they are.

sap.h compares integers instead (search for ">> endpoints" there): which ones are its sentinels?

    make exercises
*/
#include "01_sentinel.h"

sap_aabb breaker(void) {
    sap_aabb box = {{-1, -1, -1}, {1, 1, 1}}; /* yours to change */
    return box;
}

const float low_sentinel = -FLT_MAX; /* yours to change */
const float high_sentinel = FLT_MAX;
