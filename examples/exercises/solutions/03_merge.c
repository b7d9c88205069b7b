/* Exercise 3, solved: 'to' is as far ahead of 'from' as there are ends still to come, so nothing is overwritten. */
#include "03_merge.h"

void merge(int *ends, int n, const int *incoming, int m) {
    int from = n - 1, to = n + m - 1;
    while (m > 0) {
        while (is_greater(ends[from], incoming[m - 1])) ends[to--] = ends[from--];
        ends[to--] = incoming[--m];
    }
}
