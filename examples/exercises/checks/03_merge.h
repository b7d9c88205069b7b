/*
02_merge.h - what exercise 2 works on, and its checker: compares the result with a plain sort, counts comparisons
*/
#include <limits.h>
#include "check.h"

static long long comparisons;

static inline int is_greater(int x, int y) {
    comparisons++;
    return x > y;
}

void merge(int *ends, int n, const int *incoming, int m);

enum { MOST = 2000, CANARY = 123456789 };

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void write_array(const char *name, const int *values, int n) {
    printf("    %-9s", name);
    for (int i = 0; i < n && i < 24; i++) {
        if (values[i] == INT_MIN)
            printf(" min");
        else
            printf(" %d", values[i]);
    }
    printf("%s\n", n > 24 ? " ..." : "");
}

static void play(int n, int m, int range) {
    static int array[MOST + 2], before[MOST], incoming[MOST], expected[MOST];
    int *ends = array + 1; /* a canary at each side */
    before[0] = INT_MIN;
    for (int i = 1; i < n; i++) before[i] = check_random(0, range);
    for (int i = 0; i < m; i++) incoming[i] = check_random(0, range);
    qsort(before, (size_t)n, sizeof *before, by_value);
    qsort(incoming, (size_t)m, sizeof *incoming, by_value);
    memcpy(expected, before, (size_t)n * sizeof *before);
    memcpy(expected + n, incoming, (size_t)m * sizeof *incoming);
    qsort(expected, (size_t)(n + m), sizeof *expected, by_value);

    memcpy(ends, before, (size_t)n * sizeof *before);
    for (int i = n; i < n + m; i++) ends[i] = -1;
    ends[-1] = ends[n + m] = CANARY;
    comparisons = 0;
    merge(ends, n, incoming, m);

    int wrong = 0;
    while (wrong < n + m && ends[wrong] == expected[wrong]) wrong++;
    if (ends[-1] != CANARY || ends[n + m] != CANARY)
        check_say("you wrote beside the array, %s it", ends[-1] != CANARY ? "before" : "behind");
    else if (wrong < n + m)
        check_say("place %d holds %d instead of %d", wrong, ends[wrong], expected[wrong]);
    else if (comparisons > n + m)
        check_say(
            "right, but %lld comparisons for %d and %d ends: each new one should go on where the last one stopped",
            comparisons, n, m);
    else if (m > 0 && comparisons < m)
        check_say("right, but compare by is_greater(x, y), so that comparisons can be counted");
    else
        return;
    write_array("ends", before, n);
    write_array("incoming", incoming, m);
    write_array("expected", expected, n + m);
    write_array("yours", ends, n + m);
    check_stop();
}

int main(void) {
    for (int size = 1; size <= 8; size++)
        for (int i = 0; i < 200; i++) play(size, check_random(0, size), 12);
    play(MOST / 2, MOST / 2, 1000000);
    return check_right("merged in one pass");
}
