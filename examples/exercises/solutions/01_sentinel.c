/* Exercise 1, solved: an infinite plane is a legal box. Infinity as a sentinel holds: nothing is less than -infinity,
   and at equal values both loops stop. sap.h takes 0 and ~0, which are no end's integer, not even an infinite one's. */
#include "01_sentinel.h"

sap_aabb breaker(void) {
    sap_aabb box = {{-INFINITY, 0, 0}, {INFINITY, 1, 1}};
    return box;
}

const float low_sentinel = -INFINITY;
const float high_sentinel = INFINITY;
