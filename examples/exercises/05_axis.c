/*
Exercise 5: choose an axis

Box pruning sweeps along one axis and tests every two boxes that overlap there. Return the axis, 0 to 2, with the fewest
such pairs, or nearly so: up to half as many again still counts as right. Do not count them all: the checker gives you
10,000 boxes and half a second. The paper takes the axis with the largest variance; on which scene does that fail, and
why? examples/teach/09_pruning counts such pairs.

    make exercises
*/
#include "05_axis.h"

int choose_axis(const sap_aabb *boxes, int n) {
    (void)boxes; /* yours to write */
    (void)n;
    return 0;
}
