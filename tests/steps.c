/* steps.c - what a world costs is what its boxes cost, in all that it does: counted, no clocks.

   sh tests/steps.sh [history] [-v]: all histories of bench/histories.h; -v prints all ratios
   sh tests/steps.sh -r N [M] [-v]: random lives, of seed N, or from N to M

   Boxes looked at (test_lived.c) are what pruning and searches cost, and say nothing of all other loops: over slots,
   pairs, lists, endpoints. Here each piece of code without a branch that is run is a step, so nothing is passed over
   but what the C library copies. A world that has lived may take 1.5 times the steps of a new world of the same boxes,
   and what its index costs to build once; few boxes that move among many that stand take about as many steps however
   many these are. */

#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "test.h"
#include "../bench/histories.h"

extern long long steps; /* tests/steps.sh */

enum { BOXES = 300, BEFORE = 6, COUNTED = 30, BUILD = 150 /* steps for each box, if its index is cut */ };
enum { WALK, WALK_SOME, WALK_MIXED, WALK_ONE, JUMP, JUMP_SOME, REPLACE, LOOK, ASK, FILTER, SHIFT, DEEDS };
static const char *const deed_names[DEEDS] = {"all walk",           "5% walk",  "5%, then all",   "one walks",
                                              "all jump",           "5% jump",  "5% go and come", "5% walk, looks",
                                              "one walks, queries", "a filter", "a shift"};
static const char *const method_names[] = {"auto", "sort", "prune", "query"};

static int verbose;

static void jump_some(life *l, int one_in) {
    const float side = life_side(l, l->n);
    for (int i = l->turn++ % one_in; i < l->n; i += one_in)
        if (!l->is_static[i]) life_move(l, i, life_anywhere(l, 0, 0, 0, side, side, side));
}

/* The steps of one update, and of what goes with it. */
static long long steps_of(life *l, int deed) {
    const long long before = steps;
    long long others = 0; /* those of the list beside the world */
    switch (deed) {
    case WALK: life_walk_some(l, 1, 0.2f); break;
    case WALK_SOME: life_walk_some(l, 20, 0.2f); break;
    case WALK_MIXED: life_walk_some(l, l->turn % 5 ? 20 : 1, 0.2f); break;
    case LOOK: life_walk_some(l, 20, 0.2f); break;
    case JUMP: jump_some(l, 1); break;
    case JUMP_SOME: jump_some(l, 20); break;
    case REPLACE:
        for (int i = 0; i < l->n / 20; i++) life_replace(l, life_below(l, l->n));
        break;
    case FILTER: life_need(sap_set_pair_filter(l->world, NULL, NULL) == SAP_OK, "sap_set_pair_filter"); break;
    case SHIFT: {
        const float offset[3] = {1, 0, 0};
        life_need(sap_shift_origin(l->world, offset) == SAP_OK, "sap_shift_origin");
        others = steps;
        for (int i = 0; i < l->n; i++) (void)sap_get_box(l->world, l->id[i], &l->box[i]);
        others = steps - others;
        break;
    }
    default: life_walk_some(l, 0, 0.2f); break;
    }
    life_update(l);
    for (int i = 0; i < 10 && i < l->n && deed == LOOK; i++) {
        sap_id other[8];
        (void)sap_pairs_of(l->world, l->id[i], other, 8);
        (void)sap_find_pair(l->world, l->id[i], l->id[l->n - 1 - i]);
        (void)sap_next(l->world, l->id[i]);
    }
    for (int kind = 0; kind < LIFE_QUERIES && deed == ASK; kind++) (void)life_ask(l, kind, 20, 99);
    return steps - before - others;
}

static long long steps_of_updates(life *l, int deed, int updates) {
    long long sum = 0;
    for (int u = 0; u < updates; u++) sum += steps_of(l, deed);
    return sum;
}

/* A deed in a world that has lived, and in a new one. */
static void test_deed(life *lived, int deed, const char *name) {
    life fresh;
    life_again(&fresh, lived);
    (void)steps_of_updates(lived, deed, BEFORE);
    (void)steps_of_updates(&fresh, deed, BEFORE);
    const long long old = steps_of_updates(lived, deed, COUNTED), news = steps_of_updates(&fresh, deed, COUNTED);
    if (verbose)
        printf("%6.2f  %-12s %-6s %-18s %10lld %10lld\n", (double)old / (double)news, name, method_names[lived->method],
               deed_names[deed], old, news);
    CHECK_MESSAGE(2 * old <= 3 * news + 2 * (long long)BUILD * (lived->n + 50),
                  "%s, method %s, %s: %lld steps, in a new world %lld (%.1f times)", name, method_names[lived->method],
                  deed_names[deed], old, news, (double)old / (double)news);
    life_close(&fresh);
}

static void test_history(const history *h, int method) {
    for (int deed = 0; deed < DEEDS; deed++) {
        life l;
        life_open(&l, h->axes, method);
        h->lead(&l, BOXES);
        test_deed(&l, deed, h->name);
        life_close(&l);
    }
}

/* ---- random lives: what no history above thought of ------------------------------------------------------------ */

/* A cube, a plane, a rod, a crowd or a wide space, somewhere: where it begins, its sides. */
static void random_region(life *l, int n, float from[3], float size[3]) {
    const float side = life_side(l, n), far = life_below(l, 3) ? 2 : 20;
    const int shape = life_below(l, 5), axis = life_below(l, 3);
    for (int k = 0; k < 3; k++) {
        from[k] = life_between(l, -far, far) * side;
        size[k] = side;
        if (shape == 1 && k == axis) size[k] = 0;
        if (shape == 2) size[k] *= k == axis ? life_between(l, 1, 8) : life_between(l, 0, 0.2f);
        if (shape == 3) size[k] *= life_between(l, 0.4f, 1);
        if (shape == 4) size[k] *= life_between(l, 1, 8);
    }
}

static sap_aabb random_box(life *l, const float from[3], const float size[3]) {
    return life_anywhere(l, from[0], from[1], from[2], size[0], size[1], size[2]);
}

static void event_come(life *l, int n) {
    const int at_once = life_below(l, 3), are_static = life_below(l, 3) == 0, more = n / (1 + life_below(l, 4));
    const float by = life_below(l, 2) ? 1 : life_between(l, 0, 3);
    float from[3], size[3];
    random_region(l, n, from, size);
    for (int i = 0; i < more; i++) {
        (void)life_list(l, life_resized(l, random_box(l, from, size), by), are_static);
        if (at_once || i % (more / 20 + 1)) continue;
        life_hand_in(l);
        life_update(l);
    }
    life_hand_in(l);
}

static void event_go(life *l, int n) {
    const int frames = life_below(l, 2) ? 1 : 1 + life_below(l, 40), all = life_below(l, 3) == 0;
    float from[3], size[3];
    random_region(l, n, from, size);
    for (int f = 0; f < frames; f++) {
        for (int i = f; i < l->n; i += frames)
            if (all || !l->is_static[i]) life_move(l, i, random_box(l, from, size));
        life_update(l);
    }
}

static void event_leave(life *l, int n) { /* nine of ten at most, by and by; or those on one side */
    const int axis = life_below(l, 4), least = l->n / (1 + life_below(l, 10)) + 20, frames = 1 + life_below(l, 2) * 20;
    const float limit = life_between(l, -1, 1) * life_side(l, n);
    for (int i = l->n - 1; axis < 3 && i >= 20; i--)
        if (l->box[i].min[axis] > limit) life_remove(l, i);
    for (int f = 0, some = l->n / frames + 1; axis == 3 && f < frames; f++) {
        for (int i = 0; i < some && l->n > least; i++) life_remove(l, life_below(l, l->n));
        life_update(l);
    }
}

static void event_move(life *l, int n) {
    const int how = life_below(l, 3), one_in = 1 + life_below(l, how == 1 ? 3 : 30), frames = 1 + life_below(l, 50);
    const float amount = life_between(l, 0, 2);
    (void)n;
    for (int f = 0; f < frames; f++) {
        if (how == 0) life_walk_some(l, one_in, amount);
        if (how == 1) jump_some(l, one_in);
        for (int i = 0; how == 2 && i < l->n; i += one_in) life_replace(l, life_below(l, l->n));
        life_update(l);
    }
}

static void event_change(life *l, int n) { /* some get other sizes, become long, static or masked, or no more so */
    const int what = life_below(l, 4), one_in = 1 + life_below(l, 10), yes = life_below(l, 2), axis = life_below(l, 4);
    const float by = life_between(l, 0.5f, 1.5f), length = life_between(l, 5, 200);
    (void)n;
    for (int i = life_below(l, one_in); i < l->n; i += what == 1 ? 1 + l->n / 3 : one_in) {
        sap_aabb longer = l->box[i];
        for (int k = 0; k < 3; k++)
            if (life_uses(l, k) && (k == axis || axis == 3)) longer.max[k] = longer.min[k] + length;
        if (what == 0) life_move(l, i, life_resized(l, l->box[i], by));
        if (what == 1) life_move(l, i, longer);
        if (what == 2) life_need(sap_set_static(l->world, l->id[i], yes) == SAP_OK, "sap_set_static");
        if (what == 2) l->is_static[i] = (unsigned char)yes;
        if (what == 3) life_mask(l, i, yes);
    }
}

static void event_ask(life *l, int n) {
    const int frames = 1 + life_below(l, 30), queries = 1 + life_below(l, 50), before = life_below(l, 2);
    (void)n;
    for (int f = 0; f < frames; f++) {
        life_walk_some(l, 20, 0.2f);
        if (before) life_hand_in_moves(l);
        if (!before) life_update(l);
        (void)life_ask(l, life_below(l, LIFE_QUERIES), queries, (uint64_t)f);
        if (before) life_update(l);
    }
}

static void event_shift(life *l, int n) {
    const float side = life_side(l, n), x = life_between(l, -3, 3), y = life_between(l, -3, 3);
    life_shift(l, x * side, y * side, life_between(l, -3, 3) * side);
}

static void event_far(life *l, int n) { /* one goes very far, and may come back */
    const int i = life_below(l, l->n), back = life_below(l, 2);
    const float far = life_between(l, 1, 1000) * life_side(l, n);
    const sap_aabb home = l->box[i];
    life_move(l, i, life_moved(l, home, far, -far, far));
    life_update(l);
    if (back) life_move(l, i, home);
}

static void event_restore(life *l, int n) {
    const size_t size = sap_snapshot_size(l->world);
    void *buffer = malloc(size);
    (void)n;
    life_need(buffer && sap_save(l->world, buffer, size) == SAP_OK, "sap_save");
    life_need(sap_restore(l->world, buffer, size) == SAP_OK, "sap_restore");
    free(buffer);
}

static void test_random_life(int seed) {
    static void (*const events[])(life *, int) = {event_come, event_go,    event_leave, event_move,   event_change,
                                                  event_ask,  event_shift, event_far,   event_restore};
    static const int axes[] = {7, 7, 7, 3, 3, 1, 5, 6};
    life l;
    char name[32];
    snprintf(name, sizeof name, "-r %d", seed);
    life_open(&l, 7, SAP_METHOD_AUTO);
    l.random += (uint64_t)seed << 20;
    const int axis = axes[life_below(&l, 8)], method = life_below(&l, 6), deed = life_below(&l, DEEDS);
    const uint64_t random = l.random;
    life_close(&l);
    life_open(&l, axis, method > SAP_METHOD_QUERY ? SAP_METHOD_AUTO : method);
    l.random = random;
    const int n = 50 + life_below(&l, 50 << life_below(&l, 6));
    (void)life_fill(&l, n, life_below(&l, 4) * 30);
    for (int more = 1 + life_below(&l, 8); more; more--) {
        events[life_below(&l, sizeof events / sizeof *events)](&l, n);
        life_update(&l);
    }
    test_deed(&l, deed, name);
    life_close(&l);
}

enum { FEW_WALK, FEW_JUMP, FEW_COME, FEW_ASK, TILES_COME, FEW_DEEDS };
static const char *const few_names[FEW_DEEDS] = {"walk", "jump", "half are replaced", "walk, queries",
                                                 "walk, tiles are replaced"};

/* Fifty boxes move among so many that stand. */
static long long steps_among(int boxes, int are_static, int deed) {
    enum { MOVERS = 50, TILES = 40, UPDATES = 200 };
    long long sum = 0;
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_side(&l, boxes);
    for (int i = 0; i < boxes + MOVERS; i++)
        (void)life_list(&l, life_anywhere(&l, 0, 0, 0, side, side, side), are_static && i < boxes);
    life_hand_in(&l);
    life_update(&l);
    for (int u = 0; u < UPDATES; u++) {
        for (int i = boxes; i < l.n && deed != FEW_COME; i++) {
            if (deed == FEW_JUMP)
                life_move(&l, i, life_anywhere(&l, 0, 0, 0, side, side, side));
            else
                life_walk(&l, i, 0.2f);
        }
        const long long before = steps;
        life_hand_in_moves(&l);
        for (int i = 0; i < TILES && deed == TILES_COME; i++) life_replace(&l, life_below(&l, boxes));
        for (int i = 0; i < MOVERS / 2 && deed == FEW_COME; i++) life_replace(&l, boxes + life_below(&l, MOVERS));
        life_update(&l);
        for (int kind = 0; kind < LIFE_QUERIES && deed == FEW_ASK; kind++) (void)life_ask(&l, kind, 5, 99);
        if (u >= 10) sum += steps - before;
    }
    life_close(&l);
    return sum;
}

static void test_few_among_many(int are_static, int deed) {
    const long long few = steps_among(1000, are_static, deed), many = steps_among(32000, are_static, deed);
    const char *what = are_static ? "static" : "resting";
    if (verbose)
        printf("%6.2f  fifty among 32,000 %s ones %-24s %10lld %10lld\n", (double)many / (double)few, what,
               few_names[deed], many, few);
    CHECK_MESSAGE(many <= (deed == TILES_COME ? 4 : 2) * few,
                  "fifty among 32,000 %s boxes %s: %lld steps, among 1,000 %lld", what, few_names[deed], many, few);
}

static int compare_steps(const void *a, const void *b) {
    return (*(const long long *)a > *(const long long *)b) - (*(const long long *)a < *(const long long *)b);
}

/* Fifty walk among tiles, of which two are replaced: on average an update takes at most twice as long as half of all do,
   as tiles that come wait for a pack; none takes longer than the first update, which packs all; and the first query no
   longer than three such updates. */
static void test_quiet(int tiles) {
    enum { MOVERS = 50, WARM_UP = 10, QUIET = 2000 };
    static long long taken[QUIET];
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_side(&l, tiles);
    for (int i = 0; i < tiles + MOVERS; i++)
        (void)life_list(&l, life_anywhere(&l, 0, 0, 0, side, side, side), i < tiles);
    life_hand_in(&l);
    const long long unpacked = steps;
    life_update(&l);
    const long long packed = steps - unpacked;
    for (int u = -WARM_UP; u < QUIET; u++) {
        for (int i = tiles; i < l.n; i++) life_walk(&l, i, 0.2f);
        const long long before = steps;
        life_hand_in_moves(&l);
        for (int i = 0; i < 2; i++) life_replace(&l, life_below(&l, tiles));
        life_update(&l);
        if (u >= 0) taken[u] = steps - before;
    }
    const long long before = steps;
    (void)life_ask(&l, 0, 1, 99);
    const long long asked = steps - before;
    life_close(&l);
    qsort(taken, QUIET, sizeof *taken, compare_steps);
    const long long middle = taken[QUIET / 2], worst = taken[QUIET - 1];
    long long sum = 0;
    for (int u = 0; u < QUIET; u++) sum += taken[u];
    if (verbose)
        printf("%6.2f  a quiet update on average, %d tiles %10lld %10lld\n", (double)sum / QUIET / (double)middle,
               tiles, sum / QUIET, middle);
    CHECK_MESSAGE(sum <= 2 * QUIET * middle,
                  "%d tiles, few are replaced: an update takes %lld steps, half at most %lld", tiles, sum / QUIET,
                  middle);
    CHECK_MESSAGE(worst <= packed, "%d tiles, few are replaced: the worst update takes %lld steps, the first one %lld",
                  tiles, worst, packed);
    CHECK_MESSAGE(asked <= 3 * middle + packed / 20,
                  "%d tiles, few are replaced: the first query takes %lld steps, half of all updates at most %lld",
                  tiles, asked, middle);
}

/* All walk, and a few are replaced, as bullets are: it may cost a pass or two over all that moved, which are steps, and a
   category nothing. */
static long long steps_of_spawning(int method, int come, int with_filter) {
    long long sum = 0;
    life l;
    life_open(&l, 7, method);
    (void)life_fill(&l, 2000, 0);
    for (int u = 0; u < 30; u++) {
        life_walk_some(&l, 1, 0.2f);
        life_hand_in_moves(&l);
        for (int i = 0; i < come; i++) {
            const int k = life_below(&l, l.n);
            life_replace(&l, k);
            if (with_filter) life_need(sap_set_filter(l.world, l.id[k], 3, ~0u) == SAP_OK, "sap_set_filter");
        }
        const long long before = steps;
        life_update(&l);
        sum += steps - before;
    }
    life_close(&l);
    return sum;
}

static void test_spawning(int method) {
    const long long none = steps_of_spawning(method, 0, 0), plain = steps_of_spawning(method, 5, 0);
    const long long filtered = steps_of_spawning(method, 5, 1);
    if (verbose)
        printf("%6.2f, with a category %.2f  spawning, %-6s %10lld %10lld %10lld\n", (double)plain / (double)none,
               (double)filtered / (double)none, method_names[method], plain, filtered, none);
    CHECK_MESSAGE(100 * plain <= 155 * none && 10 * filtered <= 11 * plain,
                  "method %s: five of 2,000 are replaced: %lld steps, %lld with a category; else %lld",
                  method_names[method], plain, filtered, none);
}

/* Static boxes that all walk while nobody looks for them: by what as many boxes take that move. */
static long long steps_of_all(int are_static, int method) {
    enum { ALL = 500 };
    life l;
    life_open(&l, 7, method);
    (void)life_fill(&l, ALL, are_static ? 100 : 0);
    long long taken = 0;
    for (int u = 0; u < BEFORE + COUNTED; u++) {
        const long long before = steps;
        for (int i = 0; i < l.n; i++) life_walk(&l, i, 0.2f);
        life_update(&l);
        if (u >= BEFORE) taken += steps - before;
    }
    life_close(&l);
    return taken;
}

static void test_unasked(int method) {
    const long long statics = steps_of_all(1, method), moving = steps_of_all(0, method);
    if (verbose)
        printf("%6.2f  all walk, static, %-6s %10lld %10lld\n", (double)statics / (double)moving, method_names[method],
               statics, moving);
    CHECK_MESSAGE(100 * statics <= (method == SAP_METHOD_QUERY ? 65 : 92) * moving,
                  "method %s: static boxes walk: %lld steps, moving ones %lld", method_names[method], statics, moving);
}

/* All walk, or one in part, and the index is kept ready for queries: for none, or one in each frame. */
static long long steps_to_prepare(int part, int asks) {
    enum { ALL = 1000 };
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    (void)life_fill(&l, ALL, 0);
    life_hand_in(&l);
    long long taken = 0;
    for (int u = 0; u < BEFORE + COUNTED; u++) {
        const long long before = steps;
        for (int i = u % part; i < l.n; i += part) {
            l.box[i] = life_moved(&l, l.box[i], life_between(&l, -0.2f, 0.2f), life_between(&l, -0.2f, 0.2f), 0);
            life_need(sap_move(l.world, l.id[i], &l.box[i]) == SAP_OK, "sap_move");
        }
        life_need(sap_prepare_queries(l.world) == SAP_OK, "sap_prepare_queries");
        if (u >= BEFORE) taken += steps - before;
        if (asks) (void)sap_query_box(l.world, &l.box[0], ~0u, NULL, NULL);
    }
    life_close(&l);
    return taken;
}

static void test_prepared(int part) {
    const long long none = steps_to_prepare(part, 0), one = steps_to_prepare(part, 1);
    if (verbose) printf("%6.2f  prepared, 1 in %d walks %10lld %10lld\n", (double)none / (double)one, part, none, one);
    CHECK_MESSAGE(100 * none <= 110 * one, "1 in %d walks, prepared: %lld steps, %lld where a query came", part, none,
                  one);
}

enum { LEVEL = 3000 };

static void list_level(life *l, float side, int statics) {
    for (int i = 0; i < LEVEL; i++)
        (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), i >= LEVEL / 100 * (100 - statics));
}

/* A level is loaded, by what box pruning on its own takes, which knows no ids, pairs and updates to come. */
static int count_hit(int i, int j, void *user) {
    (void)i, (void)j, ++*(long long *)user;
    return 1;
}

static void test_loading(int statics) {
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_side(&l, LEVEL);
    list_level(&l, side, statics);
    long long before = steps, hits = 0;
    life_hand_in(&l);
    life_update(&l);
    const long long load = steps - before;
    before = steps;
    life_need(sap_box_prune(l.box, l.n, 7, count_hit, &hits) >= 0 && hits > 0, "sap_box_prune");
    const long long prune = steps - before;
    life_close(&l);
    if (verbose)
        printf("%6.2f  loaded, %d%% static %10lld %10lld\n", (double)load / (double)prune, statics, load, prune);
    CHECK_MESSAGE(100 * load <= (statics ? 180 : 228) * prune, "%d%% static, loaded: %lld steps, pruned %lld", statics,
                  load, prune);
}

/* A level is dropped, and so many boxes stay. */
static long long steps_of_dropping(int statics, int kept) {
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    const float side = life_side(&l, LEVEL) / 2; /* each overlaps eight times as many */
    list_level(&l, side, statics);
    life_hand_in(&l);
    life_update(&l);
    life_frames(&l, 20, 1, 0.2f);
    const long long before = steps;
    life_need(sap_remove_many(l.world, LEVEL - kept, l.id + kept) == SAP_OK, "sap_remove_many");
    life_update(&l);
    const long long taken = steps - before;
    life_close(&l);
    return taken;
}

static void test_dropping(int statics) {
    const long long all = steps_of_dropping(statics, 0), most = steps_of_dropping(statics, 1);
    if (verbose)
        printf("%6.2f  all but one removed, %d%% static %10lld %10lld\n", (double)most / (double)all, statics, most,
               all);
    CHECK_MESSAGE(10 * most <= (statics ? 25 : 17) * all, "%d%% static, all but one removed: %lld steps, all %lld",
                  statics, most, all);
}

/* ---- what masks forbid is passed over ---------------------------------------------------------------------- */

enum { PLAYER = 1, BULLET = 2, TILE = 4, ENEMY = 8, PLAYERS = 20 }; /* bullets meet players alone */
enum { BULLETS_COME, BULLETS_WALK, SOME_WALK, SOME_CHANGE, BULLET_DEEDS };
static const char *const bullet_names[BULLET_DEEDS] = {"come", "walk", "walk, 5%", "walk, 5% are replaced"};

static sap_aabb within(life *l, float side) {
    return life_anywhere(l, 0, 0, 0, side, side, side);
}

static void set_masks(life *l, int i, uint32_t category, uint32_t mask) {
    life_need(sap_set_filter(l->world, l->id[i], category, mask) == SAP_OK, "sap_set_filter");
}

/* The steps of so many updates in which one in so many walks; closes the life. */
static long long steps_of_walks(life *l, int updates, int one_in) {
    long long before;
    life_update(l);
    before = steps;
    for (int u = 0; u < updates; u++) life_walk_some(l, one_in, 0.2f), life_update(l);
    before = steps - before;
    life_close(l);
    return before;
}

/* So many bullets among so many tiles and a few players, in a square of this side. */
static void open_shooting(life *l, int method, int bullets, int tiles, float side) {
    life_open(l, SAP_2D, method);
    for (int i = 0; i < bullets + PLAYERS; i++) (void)life_list(l, within(l, side), 0);
    for (int i = 0; i < tiles; i++) (void)life_list(l, within(l, side), 1);
    life_hand_in(l);
    for (int i = 0; i < l->n; i++) {
        const uint32_t category = i < bullets ? BULLET : i < bullets + PLAYERS ? PLAYER : TILE;
        set_masks(l, i, category, category == BULLET ? PLAYER : category == PLAYER ? BULLET : ~0u);
    }
}

/* All in one place: each overlaps each. */
static long long steps_of_crowd(int method, int bullets, int tiles, int deed) {
    long long before = steps;
    life l;
    open_shooting(&l, method, bullets, tiles, 0.5f);
    life_update(&l);
    if (deed != BULLETS_COME) before = steps;
    for (int u = 0; u < 40 && deed != BULLETS_COME; u++) {
        life_walk_some(&l, deed == SOME_WALK ? 20 : 1, 0.001f);
        life_hand_in_moves(&l);
        for (int i = 0; i < bullets / 20 && deed == SOME_CHANGE; i++) {
            const int k = life_below(&l, bullets);
            life_need(sap_remove(l.world, l.id[k]) == SAP_OK, "sap_remove");
            l.id[k] = sap_add(l.world, &l.box[k], NULL);
            set_masks(&l, k, BULLET, PLAYER);
        }
        life_update(&l);
    }
    before = steps - before;
    life_close(&l);
    return before;
}

/* The insertion sort's rules fire where boxes overlap, whatever their masks. Bullets and players share a tree, as each
   excludes its own category: where all overlap, the tree finds all pairs of bullets, too. */
static void test_crowd(int method, int deed) {
    const long long few = steps_of_crowd(method, 1000, 0, deed), many = steps_of_crowd(method, 2000, 0, deed);
    const long long tiles = steps_of_crowd(method, 1000, 1000, deed);
    if (verbose)
        printf("%6.2f  2,000 bullets by 1,000, among tiles %.2f  %-6s %-22s %10lld %10lld\n",
               (double)many / (double)few, (double)tiles / (double)few, method_names[method], bullet_names[deed], many,
               few);
    CHECK_MESSAGE(10 * many <= 33 * few, "2,000 bullets %s: %lld steps, 1,000 %lld", bullet_names[deed], many, few);
    CHECK_MESSAGE(10 * tiles <= (deed == BULLETS_COME ? 24 : 15) * few,
                  "bullets %s among tiles: %lld steps, alone %lld", bullet_names[deed], tiles, few);
}

/* Bullets and tiles, of which either may be none, and enemies that meet tiles, all anywhere; all but tiles walk. */
static long long steps_of_enemies(int bullets, int enemies, int tiles) {
    const float side = 90; /* a bullet overlaps about eight others */
    life l;
    life_open(&l, SAP_2D, SAP_METHOD_AUTO);
    for (int i = 0; i < bullets + enemies; i++) (void)life_list(&l, within(&l, side), 0);
    for (int i = 0; i < tiles; i++) (void)life_list(&l, within(&l, side), 1);
    life_hand_in(&l);
    for (int i = 0; i < l.n; i++) {
        const uint32_t category = i < bullets ? BULLET : i < bullets + enemies ? ENEMY : TILE;
        set_masks(&l, i, category, category == BULLET ? PLAYER : category == ENEMY ? TILE : ~0u);
    }
    return steps_of_walks(&l, 40, 1);
}

static void test_enemies(void) {
    const long long all = steps_of_enemies(4000, 200, 3000), bullets = steps_of_enemies(4000, 0, 0);
    const long long enemies = steps_of_enemies(0, 200, 3000);
    if (verbose) printf("%6.2f  enemies among bullets, and tiles\n", (double)all / (double)(bullets + enemies));
    CHECK_MESSAGE(10 * all <= 20 * (bullets + enemies), "enemies among bullets: %lld steps, alone %lld, bullets %lld",
                  all, enemies, bullets);
}

/* Masks that forbid so little that nothing is to be gained cost little: a few boxes that exclude their own category make
   a second tree, and three joins of one. Layers, whose boxes meet their own, cost nothing. */
enum { FEW_MASKS = 1, LAYERS };
static long long steps_of_masks(int boxes, int masked, int one_in) {
    life l;
    life_open(&l, SAP_2D, SAP_METHOD_AUTO);
    for (int i = 0; i < boxes; i++) (void)life_list(&l, within(&l, sqrtf(8 * (float)boxes)), 0);
    life_hand_in(&l);
    for (int i = 0; i < boxes && masked; i++) {
        const uint32_t category = 1u << (masked == LAYERS ? i % 5 : i % 3);
        set_masks(&l, i, category, masked == LAYERS ? category : i % 8 ? ~0u : 6);
    }
    return steps_of_walks(&l, 200, one_in);
}

static void test_masks(int boxes, int one_in) {
    const long long plain = steps_of_masks(boxes, 0, one_in);
    for (int masked = FEW_MASKS; masked <= LAYERS; masked++) {
        const long long here = steps_of_masks(boxes, masked, one_in);
        const char *what = masked == LAYERS ? "in layers" : "with categories";
        if (verbose) printf("%6.2f  %d boxes %s, one in %d walks\n", (double)here / (double)plain, boxes, what, one_in);
        CHECK_MESSAGE(10 * here <= 14 * plain, "%d boxes %s, one in %d walks: %lld steps, without %lld", boxes, what,
                      one_in, here, plain);
    }
}

/* Queries for a few players among so many bullets; or among as many tiles, for what lies about. */
static long long steps_of_search(int bullets, int kind, int are_static) {
    long long before;
    life l;
    open_shooting(&l, SAP_METHOD_AUTO, bullets, 0, sqrtf(8 * (float)bullets));
    for (int i = 0; i < l.n && are_static; i++)
        life_need(sap_set_static(l.world, l.id[i], 1) == SAP_OK, "sap_set_static");
    life_need(sap_prepare_queries(l.world) == SAP_OK, "sap_prepare_queries");
    before = steps;
    for (int q = 0; q < 200; q++) {
        const sap_aabb box = l.box[life_below(&l, l.n)], other = l.box[life_below(&l, l.n)];
        const float way[3] = {other.min[0] - box.min[0], other.min[1] - box.min[1], 0};
        if (kind == LIFE_BOX) (void)sap_query_box(l.world, &box, PLAYER, NULL, NULL);
        if (kind == LIFE_RAY) (void)sap_ray_closest(l.world, box.min, way, PLAYER, NULL);
        if (kind == LIFE_NEAREST) (void)sap_nearest(l.world, box.min, 1e30f, PLAYER, NULL);
    }
    before = steps - before;
    life_close(&l);
    return before;
}

static void test_search(int kind, int are_static) {
    const long long few = steps_of_search(1000, kind, are_static), many = steps_of_search(32000, kind, are_static);
    if (verbose)
        printf("%6.2f  few among 32,000 %s by 1,000  %-8s %10lld %10lld\n", (double)many / (double)few,
               are_static ? "tiles" : "bullets", life_query_names[kind], many, few);
    CHECK_MESSAGE(many <= 2 * few, "a %s query for few among 32,000 %s: %lld steps, 1,000 %lld", life_query_names[kind],
                  are_static ? "tiles" : "bullets", many, few);
}

/* The first k of the boxes on a ray, or of those near a point: by the call for it, or by a heap of one's own that a query
   with a callback fills, sorted in the end. */
enum { ON_RAY = 4000 };
typedef struct found {
    float at;
    sap_id id;
} found;
static found heap[ON_RAY];
static int kept, most_kept, is_on_ray;

static int comes_after(found a, found b) {
    return a.at > b.at || (a.at == b.at && a.id > b.id);
}

static float keep_found(sap_id id, void *object, float at, void *user) {
    const found f = {at, id};
    int i = 0;
    (void)object, (void)user;
    if (kept < most_kept)
        for (i = kept++; i && comes_after(f, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    else if (comes_after(heap[0], f))
        for (int child = 1; child < kept; i = child, child = 2 * i + 1) {
            child += child + 1 < kept && comes_after(heap[child + 1], heap[child]);
            if (!comes_after(heap[child], f)) break;
            heap[i] = heap[child];
        }
    else
        return heap[0].at;
    heap[i] = f;
    return kept == most_kept ? heap[0].at : is_on_ray ? 1 : INFINITY;
}

static void sort_found(void) {
    for (int n = kept - 1; n > 0; n--) {
        const found last = heap[0], f = heap[n];
        int i = 0;
        for (int child = 1; child < n; i = child, child = 2 * i + 1) {
            child += child + 1 < n && comes_after(heap[child + 1], heap[child]);
            if (!comes_after(heap[child], f)) break;
            heap[i] = heap[child];
        }
        heap[i] = f;
        heap[n] = last;
    }
}

static void test_first_ids(int on_ray, int k) {
    static sap_id ids[ON_RAY];
    static float values[ON_RAY];
    const float from[3] = {-1, 0.5f, 0.5f}, way[3] = {1100, 0, 0}, point[3] = {500, 0.5f, 0.5f};
    long long taken[3];
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    for (int i = 0; i < ON_RAY; i++) {
        const float x = life_between(&l, 0, 1000);
        const sap_aabb box = {{x, 0, 0}, {x + life_between(&l, 0, 1), 1, 1}};
        life_need(sap_add_static(l.world, &box, NULL) != 0, "sap_add_static");
    }
    life_need(sap_prepare_queries(l.world) == SAP_OK, "sap_prepare_queries");
    for (int way_to = 0; way_to < 3; way_to++) {
        float *told = way_to == 1 ? NULL : values;
        taken[way_to] = -steps;
        kept = 0, most_kept = k, is_on_ray = on_ray;
        if (way_to < 2 && on_ray) kept = sap_ray_cast_ids(l.world, from, way, ~0u, ids, told, k);
        if (way_to < 2 && !on_ray) kept = sap_nearest_ids(l.world, point, INFINITY, ~0u, ids, told, k);
        if (way_to == 2 && on_ray) (void)sap_ray_cast(l.world, from, way, ~0u, keep_found, NULL);
        if (way_to == 2 && !on_ray) (void)sap_query_nearest(l.world, point, INFINITY, ~0u, keep_found, NULL);
        if (way_to == 2) sort_found();
        taken[way_to] += steps;
        CHECK_EQUAL(kept, k);
    }
    if (verbose)
        printf("%6.2f %6.2f  the first %4d %s, with values and without, by a heap of one's own\n",
               (double)taken[0] / (double)taken[2], (double)taken[1] / (double)taken[2], k,
               on_ray ? "on a ray" : "nearest");
    CHECK_MESSAGE(taken[0] * 10 <= taken[2] * 12 && taken[1] <= taken[2] * 4,
                  "the first %d: %lld steps with values, %lld without, %lld by a heap of one's own", k, taken[0],
                  taken[1], taken[2]);
    life_close(&l);
}

/* ---- queries within queries --------------------------------------------------------------------------------- */

/* A query's callback moves n boxes and asks; the first hit of that query moves one more, or asks in its turn. */
typedef struct nest {
    life *l;
    int n, depth, most, kind, met;
    long long taken;
} nest;

static int nested_hit(sap_id id, void *object, void *user);
static float nested_ray_hit(sap_id id, void *object, float t, void *user) {
    return (void)t, nested_hit(id, object, user) ? INFINITY : 0;
}

static void ask_nested(nest *n) {
    static const sap_aabb all = {{0, 0, 0}, {1e9f, 9, 9}};
    static const float from[3] = {-1, 0.5f, 0.5f}, way[3] = {1e9f, 0, 0};
    sap_world *s = n->l->world;
    if (n->kind == LIFE_BOX) (void)sap_query_box(s, &all, ~0u, nested_hit, n);
    if (n->kind == LIFE_RAY) (void)sap_ray_cast(s, from, way, ~0u, nested_ray_hit, n);
    if (n->kind == LIFE_NEAREST) (void)sap_query_nearest(s, from, INFINITY, ~0u, nested_ray_hit, n);
}

static int nested_hit(sap_id id, void *object, void *user) {
    nest *n = (nest *)user, inner = *n;
    (void)id, (void)object;
    if (n->met++) return 1;
    for (int i = 0; i < (n->depth ? 1 : n->n); i++) {
        const int at = n->depth ? n->n + n->depth - 1 : i;
        n->l->box[at].max[1] = 1.5f;
        life_need(sap_move(n->l->world, n->l->id[at], &n->l->box[at]) == SAP_OK, "sap_move");
    }
    inner.met = 0;
    inner.depth++;
    const long long before = steps;
    if (inner.depth <= n->most) ask_nested(&inner);
    if (n->depth == 0) n->taken = steps - before;
    return n->depth > 0;
}

static long long steps_of_nested(int n, int most, int kind) {
    life l;
    life_open(&l, 7, SAP_METHOD_AUTO);
    for (int i = 0; i < n + most; i++) {
        const sap_aabb box = {{(float)i, 0, 0}, {(float)i + 0.5f, 1, 1}};
        (void)life_list(&l, box, 0);
    }
    life_hand_in(&l);
    life_update(&l);
    nest outer = {&l, n, 0, most, kind, 0, 0};
    ask_nested(&outer);
    life_close(&l);
    return outer.taken;
}

static void test_nested(int most, int kind) {
    const long long few = steps_of_nested(1000, most, kind), many = steps_of_nested(4000, most, kind);
    if (verbose)
        printf("%6.2f  4,000 changed by 1,000, queries within queries, %d deep  %-8s %10lld %10lld\n",
               (double)many / (double)few, most, life_query_names[kind], many, few);
    CHECK_MESSAGE(many <= 6 * few, "a %s query among 4,000 changed boxes, %d deep: %lld steps, among 1,000 %lld",
                  life_query_names[kind], most, many, few);
}

/* ---- an order of boxes that is bad for a quickselect ------------------------------------------------------------- */

static int part_of(int n, int i, int parts) {
    return (int)((long long)n * i / parts);
}

static int by_number(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Writes numbers, in such an order that each pass of the first cut takes only a few off (McIlroy 1999): what it has not
   looked at yet is larger than its pivot. The passes are those of sap.h; to another cut the order is as any. */
static void bad_order(int *value, int n) {
    enum { SOME = 7 };
    const int leaves = (n + 15) / 16, leaf = 16 * (int)(((long long)n * leaves / 32 + n / 2) / n);
    int *order = (int *)malloc((size_t)n * sizeof *order), from = 0, left = n, rank = part_of(n, leaf, leaves),
        next = 1;
    life_need(order != NULL, "malloc");
    for (int i = 0; i < n; i++) value[i] = 0, order[i] = i;
    value[0] = -1, value[n - 1] = 0x7fffffff;
    while (left > 2 * SOME && rank > 0) {
        int some[SOME], less = 0;
        for (int i = 0; i < SOME; i++) {
            int *v = &value[order[from + part_of(left, i, SOME)]];
            if (*v == 0) *v = next++;
            some[i] = *v;
        }
        qsort(some, SOME, sizeof *some, by_number);
        const int pivot = some[1 + part_of(SOME - 1, rank, left)];
        for (int i = 0; i < left; i++) {
            const int item = order[from + i];
            order[from + i] = order[from + less];
            order[from + less] = item;
            less += value[item] && value[item] < pivot;
        }
        if (less > rank)
            left = less;
        else
            from += less, left -= less, rank -= less;
    }
    for (int i = 0; i < n; i++)
        if (value[i] == 0) value[i] = next++;
    free(order);
}

/* Points on a line, two of which are far from all others: so these have one tile, and are cut. */
static long long steps_of_line(int n, int is_bad) {
    const int second = (int)((uint64_t)2654435761u * (uint64_t)n >> 32); /* in the sample of a pack, as slot 0 is */
    int *value = (int *)malloc((size_t)n * sizeof *value), at = 1;
    life l;
    life_need(value != NULL, "malloc");
    bad_order(value, n);
    life_open(&l, 7, SAP_METHOD_PRUNE);
    for (int slot = 0; slot < n; slot++) {
        float x = slot == 0 ? -1e6f : 1e6f;
        if (slot && slot != second) x = (float)(is_bad ? value[at++] : life_below(&l, n)) / 16777216.0f;
        const sap_aabb box = {{x, 0, 0}, {x, 0, 0}};
        (void)life_list(&l, box, 0);
    }
    const long long before = steps;
    life_need(sap_box_prune(l.box, l.n, 7, NULL, NULL) >= 0, "sap_box_prune");
    const long long taken = steps - before;
    life_close(&l);
    free(value);
    return taken;
}

static void test_bad_order(int n) {
    const long long any = steps_of_line(n, 0), bad = steps_of_line(n, 1);
    if (verbose) printf("%6.2f  %d points in a bad order %10lld %10lld\n", (double)bad / (double)any, n, bad, any);
    CHECK_MESSAGE(bad <= 2 * any, "%d points in a bad order: %lld steps, in any %lld", n, bad, any);
}

/* ---- few boxes left of many, in a grid ------------------------------------------------------------------------- */

static long long steps_of_few_left(int crowd, int left) {
    sap_config config = {0};
    sap_grid grid = {0};
    sap_aabb *box = (sap_aabb *)malloc((size_t)crowd * sizeof *box);
    sap_id *id = (sap_id *)malloc((size_t)crowd * sizeof *id);
    life_need(box && id, "malloc");
    config.method = SAP_METHOD_SORT;
    sap_world *s = sap_create(&config);
    life_need(s && sap_set_grid(s, &grid) == SAP_OK, "sap_set_grid");
    for (int i = 0; i < crowd; i++) {
        const float x = (float)(i % 100) * 4, y = (float)(i / 100 % 100) * 4, z = (float)(i / 10000) * 4;
        const sap_aabb at = {{x, y, z}, {x + 1, y + 1, z + 1}};
        box[i] = at;
    }
    life_need(sap_add_many(s, crowd, box, NULL, id) == SAP_OK && sap_update(s) == SAP_OK, "add");
    life_need(sap_remove_many(s, crowd - left, id) == SAP_OK && sap_update(s) == SAP_OK, "remove");
    long long before = 0;
    for (int f = 0; f < 101; f++) { /* in the first the grid is chosen again */
        if (f == 1) before = steps;
        for (int i = crowd - left; i < crowd; i++) {
            box[i].min[0] += 0.01f, box[i].max[0] += 0.01f;
            life_need(sap_move(s, id[i], &box[i]) == SAP_OK, "sap_move");
        }
        life_need(sap_update(s) == SAP_OK, "sap_update");
    }
    before = steps - before;
    sap_destroy(s);
    free(box), free(id);
    return before;
}

static void test_few_left(int left) {
    const long long sparse = steps_of_few_left(200000, left), dense = steps_of_few_left(left, left);
    if (verbose)
        printf("%6.2f  %d left of 200,000 in a grid %10lld %10lld\n", (double)sparse / (double)dense, left, sparse,
               dense);
    CHECK_MESSAGE(2 * sparse <= 3 * dense, "%d boxes left of 200,000 in a grid: %lld steps, by themselves %lld", left,
                  sparse, dense);
}

int main(int argc, char **argv) {
    const char *only = NULL;
    int seeds[2] = {0, 300}, given = 0, random = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else if (!strcmp(argv[i], "-r"))
            random = 1;
        else if (random && given < 2)
            seeds[given++] = atoi(argv[i]);
        else
            only = argv[i];
    }
    if (given == 1) seeds[1] = seeds[0] + 1;
    for (int seed = seeds[0]; seed < seeds[1] && !only; seed++) test_random_life(seed);
    if (random) return test_summary();
    for (int h = 0; h < HISTORIES; h++)
        for (int method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY; method++)
            if (!only || !strcmp(only, histories[h].name)) test_history(&histories[h], method);
    for (int method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY && !only; method++) test_spawning(method);
    for (int are_static = 0; are_static < 2 && !only; are_static++)
        for (int deed = 0; deed < (are_static ? FEW_DEEDS : TILES_COME); deed++) test_few_among_many(are_static, deed);
    for (int method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY && !only; method++)
        for (int deed = 0; deed < BULLET_DEEDS && method != SAP_METHOD_SORT; deed++) test_crowd(method, deed);
    for (int kind = 0; kind < LIFE_QUERIES && !only; kind++) test_search(kind, 0), test_search(kind, 1);
    if (!only) test_enemies();
    for (int k = 20; k <= ON_RAY && !only; k = k < 1000 ? 5 * k : 2 * k) test_first_ids(0, k), test_first_ids(1, k);
    if (!only) test_quiet(10000), test_quiet(30000);
    for (int method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY && !only; method++)
        if (method != SAP_METHOD_SORT) test_unasked(method);
    if (!only) test_prepared(1), test_prepared(20);
    for (int kind = 0; kind < LIFE_QUERIES && !only; kind++) test_nested(1, kind), test_nested(3, kind);
    for (int n = 20000; n <= 40000 && !only; n *= 2) test_bad_order(n);
    for (int left = 10; left <= 1000 && !only; left *= 10) test_few_left(left);
    if (!only) test_loading(0), test_loading(95), test_dropping(0), test_dropping(95);
    for (int boxes = 10; boxes <= 3000 && !only; boxes = 3 * boxes + 10) test_masks(boxes, 1), test_masks(boxes, 10);
    return test_summary();
}
