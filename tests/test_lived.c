/* test_lived.c - worlds that have lived cost what new worlds of the same boxes cost: counted, no clocks.

   cc -std=c99 -O2 -isystem /usr/include/stb -I. -o test_lived tests/test_lived.c -lm
   test_lived [boxes] [history] [-v]: 30, 100, 256, 500, 1,000, 3,000 and 6,000 boxes, all histories; -v prints all ratios

   Each history of bench/histories.h, settled by each method, must leave a valid world with the pairs of a new
   world. Then both make the same moves: once as many boxes have changed as there are, or after 32 updates in which all
   move, the boxes looked at (overlap_tests) are at most 1.5 times those of the new world, and so are those that queries
   look at (query_tests); 2.5 times in worlds of fewer than 1,000 boxes. A little is granted, see compare. Where boxes
   come or jump in every update it is each update that is compared with the first one of a new world: 1.2 times; and in
   mixtures of all that happens to boxes, drawn by seed: 2 times. In quiet worlds the boxes that upkeep touches are
   counted (upkeep of sap_stats). */

#define SAP_IMPLEMENTATION
#include "sap.h"
#include "test.h"
#include "../bench/histories.h"

enum { BEFORE = 32, COUNTED = 6, QUERIES = 60 };

static const char *const method_names[] = {"auto", "sort", "prune", "query"};

/* How many boxes move in the updates that are compared: one in so many, 0 for one alone. */
static const struct share {
    const char *name;
    int one_in;
} shares[] = {{"all", 1}, {"5%", 20}, {"1%", 100}, {"one", 0}};
enum { SHARES = sizeof shares / sizeof *shares };

static int verbose;

static sap_stats stats_of(const life *l) {
    sap_stats stats;
    sap_get_stats(l->world, &stats);
    return stats;
}

static long long tests_of_updates(life *l, int one_in, int updates) {
    long long tests = 0;
    for (int u = 0; u < updates; u++) {
        life_frames(l, 1, one_in, 0.2f);
        tests += stats_of(l).overlap_tests;
    }
    return tests;
}

/* The promise is 1.5 times, and 2.5 times below 1,000 boxes, where a node more or less is much. Some counts of large
   worlds after the hardest histories are above it, up to 2.1 times: so few that they are counted. */
static long compared, above;

/* moved: how many boxes did, or how many queries were asked. Sixteen boxes that stand side by side are looked at in one
   or two instructions: as many for each that moved are no cliff, even if a new world looks at two; where all move, and
   no method is forced, four. */
static void compare(const char *what, const char *name, int method, const char *share, int n, long long moved,
                    long long lived, long long fresh) {
    if (verbose)
        printf("%6.2f  %-12s %6d %-6s %-5s %-8s %10lld %10lld\n", (double)lived / (fresh > 0 ? (double)fresh : 1), name,
               n, method_names[method], share, what, lived, fresh);
    const int each = method == SAP_METHOD_AUTO && moved > COUNTED * n / 2 ? 4 : 16, is_small = n < 1000;
    const long long spare = 64 + n / 8 + each * moved;
    compared += !is_small;
    above += !is_small && 2 * lived > 3 * fresh + 2 * spare;
    CHECK_MESSAGE(10 * lived <= (is_small ? 25 : 21) * fresh + 10 * spare,
                  "%s, %d boxes, method %s, %s move: %s look at %lld boxes, in a new world at %lld (%.1f times)", name,
                  n, method_names[method], share, what, lived, fresh, (double)lived / (fresh > 0 ? (double)fresh : 1));
}

/* Between updates of one box, so that what many queries look at may count; the last round is compared. */
static void compare_queries(life *lived, life *fresh, const char *name, const char *share, int n) {
    for (int kind = 0; kind < LIFE_QUERIES; kind++) {
        long long tests[2] = {0, 0};
        double found[2] = {0, 0};
        for (int round = 0; round < 4; round++)
            for (int turn = 0; turn < 2; turn++) {
                life *l = turn ? fresh : lived;
                life_frames(l, 1, 0, 0.2f);
                tests[turn] = stats_of(l).query_tests;
                found[turn] = life_ask(l, kind, QUERIES, 99);
                tests[turn] = stats_of(l).query_tests - tests[turn];
            }
        CHECK_MESSAGE(fabs(found[0] - found[1]) <= 1e-4 * (1 + fabs(found[1])), "%s: %s queries find %g, not %g", name,
                      life_query_names[kind], found[0], found[1]);
        compare(life_query_names[kind], name, lived->method, share, n, QUERIES, tests[0], tests[1]);
    }
}

static void same_pairs(const life *lived, const life *fresh, const char *name) {
    int count[2];
    uint64_t sum = life_pairs(lived, &count[0]), expected = life_pairs(fresh, &count[1]);
    const char *broken = sap_validate(lived->world);
    CHECK_MESSAGE(broken == NULL, "%s, method %s: %s", name, method_names[lived->method], broken ? broken : "");
    CHECK_MESSAGE(sum == expected && count[0] == count[1], "%s, method %s: %d pairs, a new world has %d", name,
                  method_names[lived->method], count[0], count[1]);
}

/* How many boxes move in the updates that are counted. */
static long long moved_in(const life *l, int one_in) {
    long long movers = 0;
    for (int i = 0; i < l->n; i++) movers += !l->is_static[i];
    return COUNTED * (one_in ? movers / one_in : 1);
}

static void test_history(const history *h, int method, int n) {
    for (int s = 0; s < SHARES; s++) {
        life lived, fresh;
        if (method == SAP_METHOD_PRUNE && s) break; /* it looks at all, whatever moves */
        life_open(&lived, h->axes, method);
        h->lead(&lived, n);
        life_again(&fresh, &lived);
        if (s == 0) same_pairs(&lived, &fresh, h->name);
        const int before = shares[s].one_in == 1 ? BEFORE : shares[s].one_in ? shares[s].one_in : n;
        (void)tests_of_updates(&lived, shares[s].one_in, before);
        (void)tests_of_updates(&fresh, shares[s].one_in, before);
        compare("updates", h->name, method, shares[s].name, n, moved_in(&lived, shares[s].one_in),
                tests_of_updates(&lived, shares[s].one_in, COUNTED),
                tests_of_updates(&fresh, shares[s].one_in, COUNTED));
        compare_queries(&lived, &fresh, h->name, shares[s].name, n);
        same_pairs(&lived, &fresh, h->name);
        life_close(&lived);
        life_close(&fresh);
    }
}

/* Boxes looked at by the last update, and by the first one of a new world of the same boxes. */
static void add_tests(const life *l, const char *name, long long *tests, long long *fresh_tests) {
    life fresh;
    life_again(&fresh, l);
    *tests += stats_of(l).overlap_tests;
    *fresh_tests += stats_of(&fresh).overlap_tests;
    same_pairs(l, &fresh, name);
    life_close(&fresh);
}

/* All walk, and in each update one box in so many goes and another one comes, or it jumps elsewhere: an update costs
   about what the first update of a new world of the same boxes does. */
static void test_come_or_jump(int n, int one_in, int jumps) {
    const char *what = jumps ? "jumps" : "comes";
    life l;
    long long tests = 0, fresh_tests = 0;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_fill(&l, n, 0);
    for (int update = 0; update < 12; update++) {
        for (int i = 0; i < n / one_in && !jumps; i++) life_remove(&l, life_below(&l, l.n));
        for (int i = 0; i < n / one_in; i++) {
            const sap_aabb box = life_anywhere(&l, 0, 0, 0, side, side, side);
            if (jumps)
                l.box[life_below(&l, n)] = box; /* it goes on from there in this update */
            else
                (void)life_add(&l, box, 0);
        }
        life_frames(&l, 1, 1, 0.2f);
        add_tests(&l, what, &tests, &fresh_tests);
    }
    CHECK_MESSAGE(10 * tests <= 12 * fresh_tests,
                  "%d boxes, one in %d %s: updates look at %lld boxes, of new worlds at %lld (%.2f times)", n, one_in,
                  what, tests, fresh_tests, (double)tests / (double)fresh_tests);
    if (verbose) printf("%6.2f  %d boxes, one in %d %s\n", (double)tests / (double)fresh_tests, n, one_in, what);
    life_close(&l);
}

/* All that a game may do to a box, each to some boxes in every update, drawn by seed: they walk, jump, grow and shrink,
   go and come, fall asleep and wake. An update costs about what the first one of a new world does, which looks at all. */
static void test_mixture(int n, uint64_t seed) {
    enum { WALK, JUMP, RESIZE, REPLACE, SLEEP, KINDS, RARE = 5 };
    static const int one_in[] = {1, 1, 2, 8, 20, 100, 0, 0}; /* 0: none */
    int part[KINDS];
    life l;
    long long tests = 0, fresh_tests = 0;
    life_open(&l, seed & 1 ? 7 : 3, SAP_METHOD_AUTO);
    l.random = seed * 7919 + 1;
    const float side = life_fill(&l, n, seed & 2 ? 50 : 0), amount = seed & 4 ? 0.2f : 2;
    for (int i = 0; i < KINDS; i++) part[i] = one_in[i == WALK ? life_below(&l, 8) : 2 + life_below(&l, 6)];
    for (int update = 0; update < 10; update++) {
        for (int i = 0; part[REPLACE] && i < n / part[REPLACE]; i++) {
            life_remove(&l, life_below(&l, n));
            (void)life_add(&l, life_anywhere(&l, 0, 0, 0, side, side, side), seed & 2 && i & 1);
        }
        for (int i = 0; part[SLEEP] && i < n / part[SLEEP] / RARE; i++) {
            const int k = life_below(&l, n);
            l.is_static[k] = !l.is_static[k];
            life_need(sap_set_static(l.world, l.id[k], l.is_static[k]) == SAP_OK, "sap_set_static");
        }
        for (int i = 0; i < n; i++) {
            sap_aabb box = l.box[i];
            if (part[JUMP] && life_below(&l, part[JUMP]) == 0) box = life_anywhere(&l, 0, 0, 0, side, side, side);
            if (part[RESIZE] && life_below(&l, part[RESIZE] * RARE) == 0)
                box = life_resized(&l, box, box.max[0] - box.min[0] > 2 ? 0.2f : 3);
            if (part[WALK] && life_below(&l, part[WALK]) == 0)
                box = life_moved(&l, box, life_between(&l, -amount, amount), life_between(&l, -amount, amount), 0);
            if (memcmp(&box, &l.box[i], sizeof box)) life_move(&l, i, box);
        }
        life_update(&l);
        add_tests(&l, "mixture", &tests, &fresh_tests);
    }
    if (verbose) printf("%6.2f  mixture %d\n", (double)tests / (double)fresh_tests, (int)seed);
    CHECK_MESSAGE(tests <= 2 * fresh_tests,
                  "mixture %d, one in %d walks, %d jumps, %d grows, %d comes, %d sleeps or wakes: updates look at %lld "
                  "boxes, of new worlds at %lld (%.2f times)",
                  (int)seed, part[WALK], part[JUMP], part[RESIZE], part[REPLACE], part[SLEEP], tests, fresh_tests,
                  (double)tests / (double)fresh_tests);
    life_close(&l);
}

/* Worlds in which little changes: all boxes are packed once for each sixteenth of them that came or jumped, or less
   often, and never because some walk; so upkeep touches at most about sixteen boxes for each that came. Boxes walk or jump; or
   some are removed at one end of a stream, and as many added at its other end. */
static void test_quiet(const char *what, int n, int changes, int updates) {
    const int streams = !strcmp(what, "stream"), jumps = !strcmp(what, "jump");
    long long sum = 0, most = 0;
    int packs = 0;
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_side(&l, n), length = streams ? 4 * side : side, width = streams ? side / 2 : side;
    for (int i = 0; i < n; i++)
        (void)life_list(
            &l,
            life_anywhere(&l, streams ? length * (float)i / (float)n : 0, 0, 0, streams ? 0.1f : side, width, width),
            0);
    life_hand_in(&l);
    life_update(&l);
    for (int u = 0; u < updates; u++) {
        for (int i = 0; i < changes; i++) {
            const int k = streams ? (u * changes + i) % n : life_below(&l, n);
            if (streams) {
                life_need(sap_remove(l.world, l.id[k]) == SAP_OK, "sap_remove");
                l.box[k] =
                    life_anywhere(&l, length * (1 + (float)(u * changes + i) / (float)n), 0, 0, 0.1f, width, width);
                l.id[k] = sap_add(l.world, &l.box[k], NULL);
            } else if (jumps)
                life_move(&l, k, life_anywhere(&l, 0, 0, 0, side, side, side));
            else
                life_walk(&l, k, 0.2f);
        }
        life_update(&l);
        const long long upkeep = stats_of(&l).upkeep;
        sum += upkeep;
        if (upkeep > most) most = upkeep;
        packs += upkeep > n / 4;
    }
    if (verbose) printf("%8s: upkeep touches %lld boxes in an update, at most %lld\n", what, sum / updates, most);
    const long long changed = (long long)changes * updates, most_packs = jumps || streams ? 1 + 16 * changed / n : 0;
    CHECK_MESSAGE(packs <= most_packs && sum <= (most_packs ? 20 : 2) * changed + 2 * n,
                  "%d boxes, %d %s: upkeep touches %lld boxes in an update, at most %lld; %d packs, %lld allowed", n,
                  changes, what, sum / updates, most, packs, most_packs);
    life_close(&l);
}

/* A world holds as many boxes as are reserved. Moving ones stream for a time, and their tree takes what room is left;
   then static ones do, whose tree is given what the other does not use. */
static void test_reserved_streams(int n, int updates) {
    int packs = 0;
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    life_need(sap_reserve(l.world, 2 * n, 2 * n) == SAP_OK, "sap_reserve");
    const float side = life_side(&l, n);
    for (int is_static = 0; is_static < 2; is_static++)
        for (int i = 0; i < n; i++)
            (void)life_list(&l, life_anywhere(&l, 0, 2 * side * (float)is_static, 0, side, side, side), is_static);
    life_hand_in(&l);
    life_update(&l);
    for (int u = 0; u < 2 * updates; u++) {
        const int is_static = u >= updates, part = n / 500;
        for (int i = 0; i < part; i++) {
            const int k = (is_static ? n : 0) + (u % updates * part + i) % n;
            const float x = side * (1 + (float)(u % updates * part + i) / (float)n);
            life_need(sap_remove(l.world, l.id[k]) == SAP_OK, "sap_remove");
            l.box[k] = life_anywhere(&l, x, 2 * side * (float)is_static, 0, 0.1f, side, side);
            l.id[k] = is_static ? sap_add_static(l.world, &l.box[k], NULL) : sap_add(l.world, &l.box[k], NULL);
        }
        life_update(&l);
        packs += stats_of(&l).upkeep > n / 2;
    }
    if (verbose) printf("reserved streams: %d packs in %d updates\n", packs, 2 * updates);
    CHECK_MESSAGE(15 * packs <= 2 * updates, "%d boxes stream: %d packs in %d updates", n, packs, 2 * updates);
    life_close(&l);
}

/* A few of many boxes jump anywhere in each update, until all have jumped some times. Just before the young are packed,
   and they are an eighth then, queries look at about three times what they do in a new world; just after, at as much. */
static void test_many_jumps(int n, int updates) {
    enum { ASKED = 2000 };
    long long tests[2];
    life l, fresh;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_fill(&l, n, 0);
    for (int u = 0; u < updates; u++) {
        for (int i = 0; i < n / 200; i++)
            life_move(&l, life_below(&l, n), life_anywhere(&l, 0, 0, 0, side, side, side));
        life_update(&l);
    }
    life_again(&fresh, &l);
    same_pairs(&l, &fresh, "many jumps");
    for (int turn = 0; turn < 2; turn++) {
        life *asked = turn ? &fresh : &l;
        tests[turn] = -stats_of(asked).query_tests;
        (void)life_ask(asked, 0, ASKED, 99);
        tests[turn] += stats_of(asked).query_tests;
    }
    if (verbose) printf("%6.2f  many jumps\n", (double)tests[0] / (double)tests[1]);
    CHECK_MESSAGE(10 * tests[0] <= 33 * tests[1], "%d boxes jump: queries look at %lld boxes, in a new world at %lld",
                  n, tests[0], tests[1]);
    life_close(&l);
    life_close(&fresh);
}

int main(int argc, char **argv) {
    static const int methods[] = {SAP_METHOD_AUTO, SAP_METHOD_PRUNE, SAP_METHOD_QUERY},
                     sizes[] = {30, 100, 256, 500, 1000, 3000, 6000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const char *only = NULL;
    int n = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else if (argv[i][0] >= '0' && argv[i][0] <= '9')
            n = atoi(argv[i]);
        else
            only = argv[i];
    }
    for (int h = 0; h < HISTORIES; h++)
        for (int m = 0; m < 3; m++)
            if (!only || !strcmp(only, histories[h].name))
                for (int i = 0; i < (n ? 1 : SIZES); i++) test_history(&histories[h], methods[m], n ? n : sizes[i]);
    for (int jumps = 0; jumps < 2 && !only && !n; jumps++) {
        test_come_or_jump(4000, 8, jumps);
        test_come_or_jump(12000, 25, jumps);
        test_come_or_jump(12000, 100, jumps);
    }
    for (uint64_t seed = 0; seed < 40 && !only && !n; seed++) test_mixture(3000, seed);
    if (!only && !n) {
        test_quiet("walk", 10000, 30, 1000);
        test_quiet("jump", 10000, 3, 3000);
        test_quiet("jump", 10000, 30, 1000);
        test_quiet("stream", 10000, 30, 700);
        test_reserved_streams(20000, 500);
        test_many_jumps(50000, 1000);
    }
    CHECK_MESSAGE(100 * above <= compared, "%ld of %ld counts are above 1.5 times", above, compared);
    return test_summary();
}
