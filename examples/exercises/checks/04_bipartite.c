/*
04_bipartite.c - the checker of exercise 4: compares the pairs with those of two loops, counts questions, and takes the time
of a large scene
*/
#include <time.h>
#include "04_bipartite.h"
#include "check.h"

enum { MOST = 300, LARGE = 8000, SAMPLE = 400, TIMES = 20 };

static sap_aabb set_a[LARGE], set_b[LARGE];
static int count_a, count_b;
static long long asked;
static int expected[MOST][MOST], seen[MOST][MOST];
static int is_large, large_found;

static void tell(void) {
    check_note("a has %d boxes, b has %d", count_a, count_b);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? count_b : count_a) && i < 4; i++) {
            const sap_aabb *box = k ? &set_b[i] : &set_a[i];
            check_note("%s[%d] is x %g..%g, y %g..%g", k ? "b" : "a", i, (double)box->min[0], (double)box->max[0],
                       (double)box->min[1], (double)box->max[1]);
        }
}

static void tell_two(int i, int j) {
    check_note("a[%d] is x %g..%g, y %g..%g; b[%d] is x %g..%g, y %g..%g", i, (double)set_a[i].min[0],
               (double)set_a[i].max[0], (double)set_a[i].min[1], (double)set_a[i].max[1], j, (double)set_b[j].min[0],
               (double)set_b[j].max[0], (double)set_b[j].min[1], (double)set_b[j].max[1]);
    check_note("a has %d boxes, b has %d", count_a, count_b);
    check_stop();
}

static int on_two_axes(const sap_aabb *a, const sap_aabb *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1];
}

int overlap(const sap_aabb *a, const sap_aabb *b) {
    if (a < set_a || a >= set_a + count_a || b < set_b || b >= set_b + count_b) {
        check_say("overlap was asked about a box that is not there: a[%d] of %d, b[%d] of %d", (int)(a - set_a),
                  count_a, (int)(b - set_b), count_b);
        check_stop();
    }
    asked++;
    return on_two_axes(a, b);
}

void found(int i, int j) {
    if (i < 0 || j < 0 || i >= count_a || j >= count_b) {
        check_say("found(%d, %d): there is no such pair, a has %d boxes and b has %d", i, j, count_a, count_b);
        check_stop();
    }
    if (is_large) {
        large_found++;
        return;
    }
    if (seen[i][j]++) {
        check_say("found(%d, %d) was called twice", i, j);
        check_note("If two boxes begin at the same x, only one of them may ask the other.");
        tell_two(i, j);
    }
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
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            expected[i][j] = on_two_axes(&set_a[i], &set_b[j]);
            needed += set_a[i].min[0] <= set_b[j].max[0] && set_b[j].min[0] <= set_a[i].max[0];
        }
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
            tell_two(i, j);
        }
    if (asked <= needed) return;
    check_say("all pairs found, but you asked about %lld, and only %lld overlap along x", asked, needed);
    check_note(
        "Given: %d and %d boxes in a and b. Once one begins behind the end of the box that asks, all that follow do.",
        na, nb);
    check_stop();
}

/* Returns the time of two loops over a part of a and all of b, which only compare along x. */
static double time_of_two_loops(int part) {
    const clock_t begin = clock();
    volatile int n = 0;
    for (int i = 0; i < part; i++)
        for (int j = 0; j < LARGE; j++)
            if (set_a[i].min[0] <= set_b[j].max[0] && set_b[j].min[0] <= set_a[i].max[0]) n++;
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* A long street, in which each a touches one b, and every second of these is higher up. A walk through both is some
   hundred times as fast as two loops that compare along x themselves, and ask no question too many. */
static void play_street(void) {
    is_large = 1;
    count_a = count_b = LARGE;
    memset(set_a, 0, sizeof set_a);
    memset(set_b, 0, sizeof set_b);
    for (int i = 0; i < LARGE; i++) {
        set_a[i].min[0] = 4 * (float)i;
        set_a[i].max[0] = set_b[i].min[0] = 4 * (float)i + 1;
        set_b[i].max[0] = 4 * (float)i + 2;
        set_b[i].min[1] = set_b[i].max[1] = i % 2 ? 9.0f : 0.0f;
    }
    const double two_loops = time_of_two_loops(SAMPLE) * LARGE / SAMPLE;
    asked = 0;
    const clock_t begin = clock();
    prune(set_a, LARGE, set_b, LARGE);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (large_found != LARGE / 2 || asked > LARGE) {
        check_say("in a street of %d and %d boxes you found %d pairs of %d, and asked %lld times for %d that overlap "
                  "along x",
                  LARGE, LARGE, large_found, LARGE / 2, asked, LARGE);
        check_stop();
    }
    if (seconds * TIMES > two_loops && seconds > 0.02) {
        check_say("right, but two loops: %d and %d boxes took %.2f s", LARGE, LARGE, seconds);
        check_note("Each box must not be compared with all others. Where can the inner loop begin, and where must it "
                   "stop?");
        check_stop();
    }
}

int main(void) {
    check_begin(tell);
    for (int size = 1; size <= 8; size++)
        for (int i = 0; i < 200; i++) play(check_random(0, size), check_random(0, size), 2 + size);
    play(MOST, MOST, 200);
    play_street();
    return check_right("all pairs, each once, and no question too many");
}
