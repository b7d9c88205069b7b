/*
Exercise 9: a sweep-and-prune

Put exercises 2, 3, 4 and 6 together: that is a broad phase of some 150 lines. It must find the pairs of two loops, after
each update, and be at least ten times as fast as they are, with 3,000 boxes that move a little. Where half of them
are new, two thirds of the time that two loops take for these must be enough.

    restart()          forgets all boxes and all pairs
    update(boxes, n)   There are n boxes now, at most MOST, and never fewer than before. Those that there were have their
                       numbers still, and some of them have moved; the others are new, and come behind them.
    get_pairs(&n)      returns the pairs that overlap, each once, in any order, and their number. a < b. There are never
                       more than MOST_PAIRS. Boxes that touch overlap.

checks/09_sap.h has what you are given: box, with a min and a max on each of AXES axes, pair, overlap, MOST and MOST_PAIRS.

A way in three pieces, each of which can be checked:
  1. Pairs are in an array without holes, with a hash that finds them (exercise 6). The two loops below add them, and each
     update still begins with none. That is right, and too slow.
  2. Ends are in one sorted array for each axis. Axis by axis, give the ends of old boxes their new values, and sort by
     insertion. A rule that fires on one axis is tested with the whole boxes: a start if the two overlap now, a stop if they
     did before (exercise 2; examples/teach/05_rules). So keep a copy of the boxes, to have them as they were. The same pair
     may start on two axes. Then sort the ends of new boxes, and merge them in (exercise 3). Sentinels make both loops
     shorter (exercise 1). Pairs stay from update to update, and the two loops only add those of new boxes. That is fast
     where boxes move, and slow where half of them are new.
  3. New boxes have passed no ends: instead of by two loops, prune them among themselves, and with the old ones (exercise 4).
     Which order of the boxes do the sorted ends on x give you?

    make exercises
*/
#include "09_sap.h"

/* Right, but from scratch, and by two loops: yours to improve. */
static pair pairs[MOST_PAIRS];
static int pair_count;

void restart(void) {
    pair_count = 0;
}

void update(const box *boxes, int n) {
    pair_count = 0;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            const pair both = {a, b};
            if (overlap(&boxes[a], &boxes[b])) pairs[pair_count++] = both;
        }
}

const pair *get_pairs(int *n) {
    *n = pair_count;
    return pairs;
}
