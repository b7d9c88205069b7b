/*
Exercise 2: the update rule

The ends of some boxes are in one array, sorted by comes_before. Then boxes move: their ends get new values in place,
and the array is no longer sorted. Sort it again by insertion sort: starting from the left, each end walks left past
those that it comes before. When two ends change places in this way, a pair may start or stop overlapping on this axis:
call start(a, b) or stop(a, b) with the two boxes, in either order. For which kinds of ends? examples/teach/05_rules
shows it, and sap.h does it: search for "update rules" there.

ends[0] and ends[n - 1] are sentinels: no end comes before the first, and none behind the last.

    make exercises
*/
#include "02_rules.h"

void sort_ends(end *ends, int n) {
    (void)ends; /* yours to write */
    (void)n;
}
