/*
Exercise 3: the batch merge

ends[0 .. n - 1] is sorted and has room for m more; incoming[0 .. m - 1] is sorted too. Merge the second into the first,
from the back and in one pass: move no end twice, and write to nothing but ends. Compare only with is_greater(x, y), at
most n + m times. ends[0] is a sentinel that is not greater than anything, so the walk needs no other stop.
examples/teach/07_batch shows it, and sap.h does it: search for "batch insertion" there.

    make exercises
*/
#include "03_merge.h"

void merge(int *ends, int n, const int *incoming, int m) {
    (void)ends; /* yours to write */
    (void)n;
    (void)incoming;
    (void)m;
}
