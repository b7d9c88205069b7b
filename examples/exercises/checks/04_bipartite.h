/*
03_bipartite.h - what exercise 3 works on, and its checker: compares the pairs with those of sap.h, counts questions
*/
#include "check.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { MOST = 300 };

static sap_aabb set_a[MOST], set_b[MOST];
static int count_a, count_b;
static long long asked;
static int expected[MOST][MOST], seen[MOST][MOST];

static void tell(int i, int j) {
    check_note("a[%d] is x %g..%g, y %g..%g; b[%d] is x %g..%g, y %g..%g", i, (double)set_a[i].min[0],
               (double)set_a[i].max[0], (double)set_a[i].min[1], (double)set_a[i].max[1], j, (double)set_b[j].min[0],
               (double)set_b[j].max[0], (double)set_b[j].min[1], (double)set_b[j].max[1]);
    check_note("a has %d boxes, b has %d", count_a, count_b);
    check_stop();
}

static inline int overlap(const sap_aabb *a, const sap_aabb *b) {
    if (a < set_a || a >= set_a + count_a || b < set_b || b >= set_b + count_b) {
        check_say("overlap was asked about a box that is not there: a[%d] of %d, b[%d] of %d", (int)(a - set_a),
                  count_a, (int)(b - set_b), count_b);
        check_stop();
    }
    asked++;
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1];
}

static inline void found(int i, int j) {
    if (i < 0 || j < 0 || i >= count_a || j >= count_b) {
        check_say("found(%d, %d): there is no such pair, a has %d boxes and b has %d", i, j, count_a, count_b);
        check_stop();
    }
    if (seen[i][j]++) {
        check_say("found(%d, %d) was called twice", i, j);
        check_note("If two boxes begin at the same x, only one of them may ask the other.");
        tell(i, j);
    }
}

void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb);

static int expect(int i, int j, void *user) {
    (void)user;
    expected[i][j] = 1;
    return 1;
}

static int by_min_x(const void *a, const void *b) {
    float x = ((const sap_aabb *)a)->min[0], y = ((const sap_aabb *)b)->min[0];
    return (x > y) - (x < y);
}

static void scatter(sap_aabb *boxes, int n, int range) {
    memset(boxes, 0, (size_t)n * sizeof *boxes);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            boxes[i].min[k] = (float)check_random(0, range);
            boxes[i].max[k] = boxes[i].min[k] + (float)check_random(0, 3);
        }
    qsort(boxes, (size_t)n, sizeof *boxes, by_min_x);
}

static void play(int na, int nb, int range) {
    long long needed = 0;
    count_a = na;
    count_b = nb;
    scatter(set_a, na, range);
    scatter(set_b, nb, range);
    memset(expected, 0, sizeof expected);
    memset(seen, 0, sizeof seen);
    sap_box_prune_bipartite(set_a, na, set_b, nb, SAP_2D, expect, NULL);
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) needed += set_a[i].min[0] <= set_b[j].max[0] && set_b[j].min[0] <= set_a[i].max[0];
    asked = 0;
    prune(set_a, na, set_b, nb);
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            if (seen[i][j] == expected[i][j]) continue;
            check_say(seen[i][j] ? "found(%d, %d) was called, but the two are apart"
                                 : "a[%d] and b[%d] overlap, but found was not called",
                      i, j);
            if (!seen[i][j])
                check_note("%s begins first.", set_b[j].min[0] < set_a[i].min[0] ? "The box of b" : "The box of a");
            tell(i, j);
        }
    if (asked <= needed) return;
    check_say("all pairs found, but you asked about %lld, and only %lld overlap along x", asked, needed);
    check_note(
        "Given: %d and %d boxes in a and b. Once one begins behind the end of the box that asks, all that follow do.",
        na, nb);
    check_stop();
}

int main(void) {
    for (int size = 1; size <= 8; size++)
        for (int i = 0; i < 200; i++) play(check_random(0, size), check_random(0, size), 2 + size);
    play(MOST, MOST, 200);
    return check_right("all pairs, each once, and no question too many");
}
