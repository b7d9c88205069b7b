/* test_growth.c - what is looked at grows in proportion to the boxes, whatever boxes they are: counted, no clocks.

   cc -std=c99 -O2 -isystem /usr/include/stb -I. -o test_growth tests/test_growth.c -lm
   test_growth [boxes] [input] [-v]: 5,000 and 10,000 boxes and all inputs; -v prints every ratio

   Each input of bench/histories.h has as many boxes, and pairs, in a place of n as of 2n. A first update, updates
   in which all move, or 1%, and updates in which 1% change places may look at 2.4 times as many boxes
   (overlap_tests) at 2n; a query at 1.5 times as many (query_tests). How an index divides the world
   goes in steps, as where it gets a level more: what is above that at 2n, but at most half as much again, may be
   2.4 times as much from 2n to 4n. The pairs are those of SAP_METHOD_PRUNE. */

#define SAP_IMPLEMENTATION
#include "sap.h"
#include "test.h"
#include "../bench/histories.h"

enum { FIRST, ALL, SOME, JUMPS, QUERY_BOX, QUERY_RAY, QUERY_NEAREST, MEASURES };
static const char *const measure_names[MEASURES] = {"first", "all", "1%", "jumps", "box", "ray", "nearest"};
static const char *const method_names[] = {"auto", "sort", "prune", "query"};

enum { UPDATES = 8, QUERIES = 200 };

/* What the head of sap.h says does not hold, or what cannot: these may grow by so many times. */
static const struct exception {
    const char *name;
    int measure; /* -1: any */
    double most;
    const char *why;
} exceptions[] = {
    {"sticks x", QUERY_RAY, 2.4, "a ray across n sticks that all begin and end alike passes sqrt(n) of them"},
    {"sticks y", QUERY_RAY, 2.4, "the same"},
    {"sticks z", QUERY_RAY, 2.4, "the same"},
    {"diagonal", QUERY_RAY, 2.4, "a ray beside the line goes through the bounds of all"},
    {"points", SOME, 2.7, "some lattices fall in with the tiles of an index, others do not"},
    {"walls", QUERY_RAY, 2.4, "a ray may be in line with a wall"},
    {"walls", JUMPS, 4, "a long box that jumps makes its new leaf long, until the next build"},
    {"sticks", JUMPS, 2.8, "the same"},
    {"sticks x", JUMPS, 2.8, "the same"},
    {"sticks y", JUMPS, 2.8, "the same"},
    {"sticks z", JUMPS, 2.8, "the same"},
    {"huge", JUMPS, 3.2, "the same, of a large box"},
    {"powers", JUMPS, 3.2, "the same"},
    {"model", JUMPS, 2.8, "the same"},
    {"islands", QUERY_NEAREST, 3.3,
     "boxes of a small world are cut between islands, those of a large one are in tiles"},
};
enum { EXCEPTIONS = sizeof exceptions / sizeof *exceptions };

static int verbose;

static sap_stats stats_of(const life *l) {
    sap_stats stats;
    sap_get_stats(l->world, &stats);
    return stats;
}

static long long tests_of_updates(life *l, int one_in) {
    long long tests = 0;
    for (int u = 0; u < UPDATES; u++) {
        life_frames(l, 1, one_in, 0.01f);
        tests += stats_of(l).overlap_tests;
    }
    return tests;
}

/* In a world that was filled at once: no leaf has a lane that is free. */
static long long tests_of_jumps(const input *in, int method, int n) {
    long long tests = 0;
    life l;
    life_open(&l, in->axes, method);
    in->place(&l, n);
    life_hand_in(&l);
    life_update(&l);
    for (int u = 0; u < UPDATES / 2; u++) {
        for (int i = 0; i < n / 200; i++) {
            const int a = life_below(&l, l.n), b = life_below(&l, l.n);
            const sap_aabb box = l.box[a];
            life_move(&l, a, l.box[b]);
            life_move(&l, b, box);
        }
        life_update(&l);
        tests += stats_of(&l).overlap_tests;
    }
    life_close(&l);
    return tests;
}

/* What this world looks at, and how many pairs it has at first. */
static void measure(const input *in, int method, int n, long long tests[MEASURES], int *pairs) {
    life l;
    life_open(&l, in->axes, method);
    in->place(&l, n);
    life_hand_in(&l);
    life_update(&l);
    (void)sap_pairs(l.world, pairs);
    if (method != SAP_METHOD_AUTO) CHECK_EQUAL(stats_of(&l).method, method);
    tests[FIRST] = stats_of(&l).overlap_tests;
    tests[ALL] = tests_of_updates(&l, 1);
    tests[SOME] = tests_of_updates(&l, 100);
    for (int kind = 0; kind < LIFE_QUERIES; kind++) {
        life_frames(&l, 1, 0, 0.01f);
        tests[QUERY_BOX + kind] = stats_of(&l).query_tests;
        (void)life_ask(&l, kind, QUERIES, 99);
        tests[QUERY_BOX + kind] = stats_of(&l).query_tests - tests[QUERY_BOX + kind];
    }
    CHECK_MESSAGE(sap_validate(l.world) == NULL, "%s, %d boxes, method %s: %s", in->name, n, method_names[method],
                  sap_validate(l.world));
    life_close(&l);
    tests[JUMPS] = tests_of_jumps(in, method, n);
}

static double allowed(const input *in, int m) {
    for (int e = 0; e < EXCEPTIONS; e++)
        if (!strcmp(exceptions[e].name, in->name) && (exceptions[e].measure < 0 || exceptions[e].measure == m))
            return exceptions[e].most;
    return m >= QUERY_BOX ? 1.5 : 2.4;
}

static void test_input(const input *in, int n) {
    static const int methods[] = {SAP_METHOD_PRUNE, SAP_METHOD_AUTO, SAP_METHOD_QUERY};
    int expected[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        long long tests[2][MEASURES];
        int method = methods[i];
        for (int twice = 0; twice < 2; twice++) {
            int pairs;
            measure(in, method, n << twice, tests[twice], &pairs);
            if (i == 0) expected[twice] = pairs;
            CHECK_MESSAGE(pairs == expected[twice], "%s, %d boxes: method %s finds %d pairs, prune %d", in->name,
                          n << twice, method_names[method], pairs, expected[twice]);
        }
        CHECK_MESSAGE(expected[1] <= 2.4 * expected[0] + n / 8, "%s: pairs grow from %d to %d, a bad input", in->name,
                      expected[0], expected[1]);
        for (int m = 0; m < MEASURES; m++) {
            double most = allowed(in, m), few = (double)tests[0][m], many = (double)tests[1][m];
            int smaller = n;
            if (many > most * few + 64 + n / 8 && many <= 1.5 * most * few) { /* a step, or growth? */
                long long four[MEASURES];
                int pairs;
                measure(in, method, 4 * n, four, &pairs);
                few = many;
                many = (double)four[m];
                smaller = 2 * n;
            }
            if (verbose)
                printf("%6.2f  %-12s %-6s %-8s %10lld %10lld\n", (double)tests[1][m] / (few > 0 ? few : 1), in->name,
                       method_names[method], measure_names[m], tests[0][m], tests[1][m]);
            CHECK_MESSAGE(many <= most * few + 64 + n / 8,
                          "%s, method %s, %s: %d boxes look at %.0f, %d at %.0f (%.1f times)", in->name,
                          method_names[method], measure_names[m], smaller, few, 2 * smaller, many,
                          many / (few > 0 ? few : 1));
        }
    }
}

int main(int argc, char **argv) {
    const char *only = NULL;
    int n = 5000;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else if (argv[i][0] >= '0' && argv[i][0] <= '9')
            n = atoi(argv[i]);
        else
            only = argv[i];
    }
    for (int i = 0; i < INPUTS; i++)
        if (!only || !strcmp(only, inputs[i].name)) test_input(&inputs[i], n);
    return test_summary();
}
