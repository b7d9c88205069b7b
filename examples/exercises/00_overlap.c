/*
Exercise 0: the overlap test, and two loops

1. overlap(a, b) returns 1 if the two boxes overlap, and 0 if they do not. Boxes that touch overlap, even at a corner.
   Two boxes are apart if one of them ends before the other begins, on x or on y: a->min[0] and a->max[0] are the ends of a
   on x, a->min[1] and a->max[1] those on y.
2. find_pairs calls found(i, j) once for each two of n boxes that overlap, with i < j. Two loops are enough.

examples/teach/00_loops shows both.

    make exercises
*/
#include "00_overlap.h"

int overlap(const box *a, const box *b) {
    (void)a; /* yours to write */
    (void)b;
    return 0;
}

void find_pairs(const box *boxes, int n) {
    (void)boxes; /* yours to write */
    (void)n;
}
