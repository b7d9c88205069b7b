/* test_costs.c - laws of time: what connects the costs of two worlds that are led alike, counted, no clocks

   cc -std=c99 -O2 -isystem /usr/include/stb -I. -o test_costs tests/test_costs.c -lm
   test_costs [lives] [first] [-v]: so many lives of each law, by seed; -v prints all ratios

   A life is a world of some shape (shapes.h) which goes on in one way and then in another (worlds.h): it walks, then
   glides; it rests, then all jump. In each frame the law compares what the two worlds have looked at. A cost is the sum of
   boxes tested, of ends that passed each other and of boxes that were packed or refitted, by what they take beside each
   other.

       auto       AUTO costs at most 1.5 times what PRUNE does, and in no update more than three times its dearest
       special    one box that is refiltered, made static or given other bits in each frame changes nothing for the others
       resting    boxes that rest far away cost nothing
       reserved   a reserved world costs what another one does
       scaled     a world at another scale, from 2^-60 to 2^100, costs the same
       lived      a world that has lived looks at three times what a new one does, or at 32 boxes a box more, which take
                  as long as a pack; on average at twice as many, or 24 more; its queries at three times as many */

#define SAP_IMPLEMENTATION
#include "sap.h"
#include "test.h"
#include "../bench/worlds.h"

/* What steps take, in tested boxes: an end that passes another one, an end that SORT reads, a box that is packed or
   refitted, and a box that moves. */
enum { SWAP_COST = 28, END_COST = 10, UPKEEP_COST = 10, MOVE_COST = 40, MOST = 1500, FRAMES = 60 };

static int verbose;

/* A world that is led, by one way to hold it. */
typedef struct subject {
    sap_world *world;
    sap_id id[2 * MOST];
    int n;
    double cost, dearest;
} subject;

static sap_aabb scaled(sap_aabb box, int exponent) {
    for (int k = 0; k < 3; k++) box.min[k] = ldexpf(box.min[k], exponent), box.max[k] = ldexpf(box.max[k], exponent);
    return box;
}

static void open_subject(subject *s, const world *w, int method, int exponent) {
    sap_config config;
    memset(&config, 0, sizeof config);
    memset(s, 0, sizeof *s);
    config.axes = w->shape->axes;
    config.method = method;
    s->world = sap_create(&config);
    for (s->n = 0; s->n < w->n; s->n++) {
        const sap_aabb box = scaled(w->box[s->n], exponent);
        s->id[s->n] = sap_add(s->world, &box, NULL);
    }
    CHECK(sap_update(s->world) == SAP_OK);
}

static double cost_of(const subject *s) {
    sap_stats stats;
    sap_get_stats(s->world, &stats);
    return (double)stats.overlap_tests + SWAP_COST * (double)stats.swaps + UPKEEP_COST * (double)stats.upkeep +
           (stats.method == SAP_METHOD_SORT ? END_COST * 4.0 * stats.boxes : 0);
}

static double tests_of(const subject *s) {
    sap_stats stats;
    sap_get_stats(s->world, &stats);
    return (double)stats.overlap_tests;
}

static void lead(subject *s, const world *w, int exponent) {
    for (int i = 0; i < w->moves; i++) {
        const sap_aabb box = scaled(w->box[w->moved[i]], exponent);
        CHECK(sap_move(s->world, s->id[w->moved[i]], &box) == SAP_OK);
    }
    CHECK(sap_update(s->world) == SAP_OK);
    const double cost = cost_of(s) + MOVE_COST * (double)w->moves;
    s->cost += cost;
    if (cost > s->dearest) s->dearest = cost;
}

static void same_pairs(const subject *a, const subject *b, const char *law, int seed) {
    int n[2];
    (void)sap_pairs(a->world, &n[0]);
    (void)sap_pairs(b->world, &n[1]);
    CHECK_MESSAGE(n[0] == n[1], "%s, life %d: %d and %d pairs", law, seed, n[0], n[1]);
    CHECK_EQUAL(sap_validate(a->world), NULL);
    CHECK_EQUAL(sap_validate(b->world), NULL);
}

/* ---- lives ---------------------------------------------------------------------------------- */

/* Draws a kind of world: a shape of finite boxes, and two or three regimes of some frames each. */
static void draw_kind(world_kind *kind, test_rng *rng, int slow_first) {
    static const world_motion ways[] = {
        {RESTS, 0, 0, 0, 0},        {RESTS, 0, 0, 1, 0},     {RESTS, 0, 0, 20, 0},     {RESTS, 0, 0, 100, 0},
        {WALKS, 0.002f, 0, 0, 0},   {WALKS, 0.2f, 0, 0, 0},  {WALKS, 4, 0, 0, 0},      {WALKS, 0.2f, 0, 30, 0},
        {WALKS, 0.2f, 15, 0, 0},    {GLIDES, 0.1f, 0, 0, 0}, {GLIDES, 2, 0, 0, 0},     {GROUPS, 0.5f, 0, 0, 0},
        {MARCHES, 0.3f, 0, 0, 0},   {SWINGS, 0.5f, 0, 0, 0}, {SCROLLS, 0.3f, 0, 0, 0}, {MIRRORS, 0, 0, 0, 0},
        {BREATHES, 0.02f, 0, 0, 0}, {GROWS, 1.01f, 0, 0, 0}, {GROWS, 0.99f, 0, 0, 0}};
    memset(kind, 0, sizeof *kind);
    kind->name = kind->shape = slow_first ? "crowded 2d" : shapes[test_below(rng, SHAPES)].name;
    for (int i = 0; i < 3; i++) {
        kind->motion[i] = ways[test_below(rng, (int)(sizeof ways / sizeof *ways))];
        kind->motion[i].frames = 1 + test_below(rng, 30);
    }
    if (!slow_first) return;
    kind->motion[0] = ways[4];
    kind->motion[0].frames = 30;
}

static void draw_world(world *w, world_kind *kind, int seed, int slow_first) {
    test_rng rng = {(uint64_t)seed * 7919 + 1};
    draw_kind(kind, &rng, slow_first);
    world_make(w, kind, 200 + test_below(&rng, MOST - 200));
}

/* ---- laws ----------------------------------------------------------------------------------- */

/* Checks a <= most * b, with a little granted. */
static void at_most(double a, double most, double b, double spare, const char *law, const world *w, int seed) {
    if (verbose) printf("%6.2f  %-9s life %d: %s, %d boxes\n", a / (b > 1 ? b : 1), law, seed, w->shape->name, w->n);
    CHECK_MESSAGE(a <= most * b + spare, "%s, life %d (%s, %d boxes, frame %d): %.0f by %.0f, %.2f times, not %.2f",
                  law, seed, w->shape->name, w->n, w->frame, a, b, a / (b > 1 ? b : 1), most);
}

static void law_auto(int seed) {
    static subject a, b;
    world w;
    world_kind kind;
    draw_world(&w, &kind, seed, seed & 1);
    open_subject(&a, &w, SAP_METHOD_AUTO, 0);
    open_subject(&b, &w, SAP_METHOD_PRUNE, 0);
    a.dearest = cost_of(&a), b.dearest = cost_of(&b);
    for (int frame = 0; frame < FRAMES; frame++) {
        world_step(&w);
        lead(&a, &w, 0);
        lead(&b, &w, 0);
    }
    same_pairs(&a, &b, "auto", seed);
    at_most(a.cost, 1.5, b.cost, FRAMES * 64.0 + 64.0 * w.n, "auto", &w, seed);
    at_most(a.dearest, 3, b.dearest, 64.0 * 16, "auto, one", &w, seed);
    sap_destroy(a.world);
    sap_destroy(b.world);
    world_free(&w);
}

static void law_special(int seed) {
    static subject a, b;
    world w;
    world_kind kind;
    draw_world(&w, &kind, seed, seed & 1);
    open_subject(&a, &w, SAP_METHOD_AUTO, 0);
    open_subject(&b, &w, SAP_METHOD_AUTO, 0);
    for (int frame = 0; frame < FRAMES; frame++) {
        const sap_id id = a.id[seed % w.n];
        world_step(&w);
        if (seed % 3 == 0) CHECK(sap_refilter(a.world, id) == SAP_OK);
        if (seed % 3 == 1) CHECK(sap_set_static(a.world, id, frame & 1) == SAP_OK);
        if (seed % 3 == 2) CHECK(sap_set_filter(a.world, id, frame & 1 ? 2 : 1, ~0u) == SAP_OK);
        lead(&a, &w, 0);
        lead(&b, &w, 0);
    }
    at_most(a.cost, 1.25, b.cost, FRAMES * (512.0 + w.n), "special", &w, seed);
    sap_destroy(a.world);
    sap_destroy(b.world);
    world_free(&w);
}

/* As many boxes as the world has rest far away, static or not. */
static void law_resting(int seed) {
    static subject a, b;
    world w;
    world_kind kind;
    draw_world(&w, &kind, seed, seed & 1);
    for (int i = 0; i < w.n; i++)
        for (int k = 0; k < 3; k++) /* no box reaches as far */
            if (!(w.box[i].max[k] < 1e37f)) w.box[i].min[k] = w.box[i].max[k] = w.low[k];
    open_subject(&a, &w, SAP_METHOD_PRUNE, 0);
    open_subject(&b, &w, SAP_METHOD_PRUNE, 0);
    const float far = 10 * (fabsf(w.high[0]) + fabsf(w.low[0]) + fabsf(w.high[1]) + fabsf(w.high[2]));
    for (int i = 0; i < w.n; i++) {
        sap_aabb box = w.box[i];
        for (int k = 0; k < 3; k++) box.min[k] = box.max[k] = far + (w.high[0] - w.low[0]) * (float)i / (float)w.n;
        a.id[w.n + i] = sap_add_static(a.world, &box, NULL);
    }
    CHECK(sap_update(a.world) == SAP_OK);
    for (int frame = 0; frame < FRAMES; frame++) {
        world_step(&w);
        lead(&a, &w, 0);
        lead(&b, &w, 0);
    }
    at_most(a.cost, 1.1, b.cost, FRAMES * 64.0, "resting", &w, seed);
    sap_destroy(a.world);
    sap_destroy(b.world);
    world_free(&w);
}

static void law_reserved(int seed) {
    static subject a, b;
    world w;
    world_kind kind;
    draw_world(&w, &kind, seed, 0);
    open_subject(&a, &w, SAP_METHOD_PRUNE, 0);
    open_subject(&b, &w, SAP_METHOD_PRUNE, 0);
    (void)sap_reserve(a.world, w.n, 100 * w.n);
    for (int frame = 0; frame < FRAMES; frame++) {
        world_step(&w);
        lead(&a, &w, 0);
        lead(&b, &w, 0);
    }
    same_pairs(&a, &b, "reserved", seed);
    at_most(a.cost, 1.1, b.cost, FRAMES * 64.0, "reserved", &w, seed);
    sap_destroy(a.world);
    sap_destroy(b.world);
    world_free(&w);
}

/* Units of length that are themselves extreme are left alone, as are boxes that would be rounded. */
static void law_scaled(int seed) {
    static subject a, b;
    test_rng rng = {(uint64_t)seed + 77};
    const int exponent = seed % 4 ? test_below(&rng, 161) - 60 : seed % 8 ? 100 : -60;
    world w;
    world_kind kind;
    draw_world(&w, &kind, seed, 0);
    double least = 1e30, most = 0;
    for (int i = 0; i < w.n; i++)
        for (int k = 0; k < 3; k++) {
            const double size = (double)w.box[i].max[k] - (double)w.box[i].min[k], at = fabs((double)w.box[i].max[k]);
            if (size > 0 && size < least) least = size;
            if (at > most) most = at;
        }
    if (least > 1e-9 && most < 1e7) {
        open_subject(&a, &w, SAP_METHOD_PRUNE, exponent);
        open_subject(&b, &w, SAP_METHOD_PRUNE, 0);
        at_most(tests_of(&a), 1.7, tests_of(&b), 64.0 * 4, "scaled, new", &w, seed);
        for (int frame = 0; frame < FRAMES; frame++) {
            world_step(&w);
            lead(&a, &w, exponent);
            lead(&b, &w, 0);
        }
        same_pairs(&a, &b, "scaled", seed);
        at_most(a.cost, 1.7, b.cost, FRAMES * 64.0, "scaled", &w, seed);
        sap_destroy(a.world);
        sap_destroy(b.world);
    }
    world_free(&w);
}

static double ask(const subject *s, const world *w) {
    sap_stats before, after;
    sap_get_stats(s->world, &before);
    for (int i = 0; i < 50; i++) {
        const sap_aabb *box = &w->box[i * 31 % w->n];
        (void)sap_query_box(s->world, box, ~0u, NULL, NULL);
    }
    sap_get_stats(s->world, &after);
    return (double)(after.query_tests - before.query_tests);
}

/* Once 32 updates have moved most boxes, each update is compared with that of a world that was new before it. */
static void law_lived(int seed) {
    static subject lived, fresh;
    world w;
    world_kind kind;
    draw_world(&w, &kind, seed, 0);
    double sum = 0, fresh_sum = 0;
    int compared = 0;
    open_subject(&lived, &w, SAP_METHOD_PRUNE, 0);
    for (int frame = 0, moved = 0; frame < 2 * FRAMES; frame++) {
        world_step(&w);
        lead(&lived, &w, 0);
        moved += 2 * w.moves > w.n;
        if (moved < 32 || 2 * w.moves <= w.n || frame % 3) continue;
        open_subject(&fresh, &w, SAP_METHOD_PRUNE, 0);
        compared++;
        sum += tests_of(&lived);
        fresh_sum += tests_of(&fresh);
        at_most(tests_of(&lived), 3, tests_of(&fresh), 32.0 * w.n, "lived, one", &w, seed);
        if (frame % 9 == 0) at_most(ask(&lived, &w), 3, ask(&fresh, &w), 64.0 * 50, "lived, asked", &w, seed);
        sap_destroy(fresh.world);
    }
    at_most(sum, 2, fresh_sum, 24.0 * w.n * compared, "lived", &w, seed);
    sap_destroy(lived.world);
    world_free(&w);
}

/* In a slow crowd AUTO sorts. When all jump it begins to, gives up, and says that PRUNE has settled the update. */
static void test_giving_up(void) {
    static subject s;
    world w;
    sap_stats stats;
    world_make(&w, world_named("slow, then a jump"), MOST);
    open_subject(&s, &w, SAP_METHOD_AUTO, 0);
    for (int frame = 0; frame < 51; frame++) {
        sap_get_stats(s.world, &stats);
        if (frame == 50) CHECK_EQUAL(stats.method, SAP_METHOD_SORT);
        world_step(&w);
        lead(&s, &w, 0);
    }
    sap_get_stats(s.world, &stats);
    CHECK(stats.method == SAP_METHOD_PRUNE && stats.swaps > 0 && stats.overlap_tests > 0);
    sap_destroy(s.world);
    world_free(&w);
}

int main(int argc, char **argv) {
    static void (*const laws[])(int) = {law_auto, law_special, law_resting, law_reserved, law_scaled, law_lived};
    int lives = 40, first = 1, numbers = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            verbose = 1;
        else
            *(numbers++ ? &first : &lives) = atoi(argv[i]);
    }
    test_giving_up();
    for (int seed = first; seed < first + lives; seed++)
        for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) laws[i](seed);
    return test_summary();
}
