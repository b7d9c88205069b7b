/* Exercise 2, solved: each two ends that change places meet exactly once, and only a min and a max matter. */
#include "02_rules.h"

void sort_ends(end *ends, int n) {
    for (int i = 1; i < n; i++) {
        end walker = ends[i];
        int j = i;
        for (; comes_before(walker, ends[j - 1]); j--) {
            end other = ends[j - 1];
            ends[j] = other;
            if (!walker.is_max && other.is_max) start(walker.box, other.box);
            if (walker.is_max && !other.is_max) stop(walker.box, other.box);
        }
        ends[j] = walker;
    }
}
