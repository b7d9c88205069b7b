/*
03_merge.c - the checker of exercise 3: compares the result with a plain sort, counts comparisons
*/
#include <limits.h>
#include "03_merge.h"
#include "check.h"

static long long comparisons;

int is_greater(int x, int y) {
    comparisons++;
    return x > y;
}

enum { MOST = 2000 };

static int before[MOST], expected[MOST];
static int *given_ends, *given_incoming, given_n, given_m; /* what merge is given */

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

static void tell(void) {
    write_array("ends", before, given_n);
    write_array("incoming", given_incoming, given_m);
    write_array("expected", expected, given_n + given_m);
}

static void play(int n, int m, int range) {
    const size_t bytes = (size_t)(n + m) * sizeof *given_ends, bytes_in = (size_t)m * sizeof *given_incoming;
    int wrong = 0, side, changed;
    int *copy = (int *)check_new(bytes_in);
    given_ends = (int *)check_new(bytes);
    given_incoming = (int *)check_new(bytes_in);
    given_n = n;
    given_m = m;
    before[0] = INT_MIN;
    for (int i = 1; i < n; i++) before[i] = check_random(0, range);
    for (int i = 0; i < m; i++) given_incoming[i] = check_random(0, range);
    qsort(before, (size_t)n, sizeof *before, by_value);
    qsort(given_incoming, (size_t)m, sizeof *given_incoming, by_value);
    memcpy(copy, given_incoming, bytes_in);
    memcpy(expected, before, (size_t)n * sizeof *before);
    memcpy(expected + n, given_incoming, bytes_in);
    qsort(expected, (size_t)(n + m), sizeof *expected, by_value);
    memcpy(given_ends, before, (size_t)n * sizeof *before);
    for (int i = n; i < n + m; i++) given_ends[i] = -1;
    comparisons = 0;
    merge(given_ends, n, given_incoming, m);

    while (wrong < n + m && given_ends[wrong] == expected[wrong]) wrong++;
    side = check_fence(given_ends, bytes);
    changed = memcmp(copy, given_incoming, bytes_in) != 0 || check_fence(given_incoming, bytes_in) != 0;
    if (side)
        check_say("you wrote beside the array, %s it", side < 0 ? "before" : "behind");
    else if (changed)
        check_say("you wrote to incoming, which is not yours to write");
    else if (wrong < n + m)
        check_say("place %d holds %d instead of %d", wrong, given_ends[wrong], expected[wrong]);
    else if (comparisons > n + m)
        check_say("right, but %lld comparisons for %d and %d ends: each new one should go on where the last one "
                  "stopped",
                  comparisons, n, m);
    else if (m > 0 && comparisons < m)
        check_say("right, but compare by is_greater(x, y), so that comparisons can be counted");
    else {
        check_free(given_ends);
        check_free(given_incoming);
        check_free(copy);
        return;
    }
    tell();
    write_array("yours", given_ends, n + m);
    check_stop();
}

int main(void) {
    check_begin(tell);
    for (int size = 1; size <= 8; size++)
        for (int i = 0; i < 200; i++) play(size, check_random(0, size), 12);
    play(MOST / 2, MOST / 2, 1000000);
    return check_right("merged in one pass");
}
