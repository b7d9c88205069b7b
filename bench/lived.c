/*
lived.c - measures worlds that have lived, and small ones

    lived [-n 10000] [-s migrate,shift,frames,quiet,small,load] [-r rounds] [-q]

Each history of histories.h leads a world, and a new world of the same boxes is made beside it. Both then do the
same in turns: updates in which all move, in which 5% move, the first look at a pair after an update, and
queries. A figure is the lived world's median by the new one's, in brackets the quarter and three quarters of
the ratios of single rounds. The table begins with the worst. It should hold nothing above 1.5.

'frames' looks for spikes: scenes are run three times, of each frame the fastest counts, and the worst is
divided by the median. 'quiet' is the worlds of quiet.h, in which little changes from frame to frame. Trees are packed
as a whole now and then: at most once for each sixteenth of the boxes that came, left or moved, which is checked. What
a pack adds is the median frame that has one without that of the others. No frame should take longer than three of the
others and 25 ns for each box, which is the bound. 'small' is worlds of 10 to 500 boxes in 2D, with every pair read in
each step, beside two plain loops and, where it was compiled with -DHAVE_CHIPMUNK, Chipmunk's tree. 'load' is adding a
level of mostly static boxes, and removing all.

Times are this thread's processor time, of small worlds the wall clock's, which takes less time to read.
Without -s everything is measured; -q is quick, for tests. To compile:

    cc -std=c99 -O2 -isystem /usr/include/stb -o lived bench/lived.c -lm [-DHAVE_CHIPMUNK -lchipmunk]
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#define SAP_IMPLEMENTATION
#include "../sap.h"
#include <stdio.h>
#include "clock.h"
#include "histories.h"
#include "quiet.h"
#ifdef HAVE_CHIPMUNK
#include <chipmunk/chipmunk.h>
#endif

enum { WARM_UP = 6, MOST_ROUNDS = 101, QUERIES = 1000 };

static const char *wanted; /* what was asked for; NULL: all */
static int rounds = 15, quick, failures;

static int is_wanted(const char *name) {
    size_t length = strlen(name);
    if (!wanted) return 1;
    for (const char *at = wanted; (at = strstr(at, name)) != NULL; at += length)
        if ((at == wanted || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return 1;
    return 0;
}

static double median(double *time, int n) {
    sort_times(time, n);
    return time[n / 2];
}

/* ---- lived worlds beside new ones ---- */

enum { UPDATE_ALL, UPDATE_SOME, LOOK, QUERY_BOX, QUERY_RAY, QUERY_NEAREST, MEASURES };
static const char *const measure_names[MEASURES] = {"all move", "5% move", "first look", "box", "ray", "nearest"};

typedef struct row {
    const char *history, *measure;
    double ratio, low, high, fresh; /* fresh: microseconds */
} row;

static row *rows;
static int row_count;

/* What is timed; the boxes are recorded before. */
static double time_of(life *l, int measure, int round) {
    double start = now();
    switch (measure) {
    case UPDATE_ALL:
    case UPDATE_SOME: life_update(l); break;
    case LOOK: (void)sap_find_pair(l->world, l->id[0], l->id[l->n / 2]); break;
    default: (void)life_ask(l, measure - QUERY_BOX, QUERIES, 99 + (uint64_t)round); break;
    }
    return now() - start;
}

static void prepare(life *l, int measure) {
    switch (measure) {
    case UPDATE_ALL: life_walk_some(l, 1, 0.2f); break;
    case UPDATE_SOME: life_walk_some(l, 20, 0.2f); break;
    case LOOK: life_frames(l, 1, 4, 0.2f); break;
    default: life_frames(l, 1, 20, 0.2f); break; /* as in a game: some move, and many ask */
    }
}

static void compare(const history *h, life *lived, life *fresh, int measure) {
    double time[2][MOST_ROUNDS], ratio[MOST_ROUNDS];
    row *r = &rows[row_count++];
    for (int round = -WARM_UP; round < rounds; round++)
        for (int turn = 0; turn < 2; turn++) {
            int which = (turn + round) & 1;
            life *l = which ? fresh : lived;
            double t;
            prepare(l, measure);
            t = time_of(l, measure, round);
            if (round >= 0) time[which][round] = t > 1 ? t : 1; /* less is that of the clock */
        }
    for (int round = 0; round < rounds; round++) ratio[round] = time[0][round] / time[1][round];
    sort_times(ratio, rounds);
    r->history = h->name;
    r->measure = measure_names[measure];
    r->fresh = median(time[1], rounds);
    r->ratio = median(time[0], rounds) / r->fresh;
    r->low = ratio[rounds / 4];
    r->high = ratio[rounds * 3 / 4];
}

static int worst_first(const void *a, const void *b) {
    double x = ((const row *)a)->ratio, y = ((const row *)b)->ratio;
    return (x < y) - (x > y);
}

/* What is asked of a few updates later, each of a life of its own: updates in which all move heal many worlds. */
static void run_history(const history *h, int n) {
    static const int first[] = {QUERY_BOX, UPDATE_SOME, UPDATE_ALL, MEASURES}; /* of each life */
    static const int order[] = {QUERY_BOX, QUERY_RAY, QUERY_NEAREST, UPDATE_SOME, LOOK, UPDATE_ALL};
    for (int m = 0, part = 0; m < MEASURES; part++) {
        life lived, fresh;
        int count[2];
        life_open(&lived, h->axes, SAP_METHOD_AUTO);
        h->lead(&lived, n);
        life_again(&fresh, &lived);
        do compare(h, &lived, &fresh, order[m++]);
        while (m < MEASURES && order[m] != first[part + 1]);
        if (life_pairs(&lived, &count[0]) != life_pairs(&fresh, &count[1])) {
            printf("%s: the pairs are not those of a new world\n", h->name);
            failures++;
        }
        life_close(&lived);
        life_close(&fresh);
    }
}

static void run_histories(int n) {
    rows = (row *)calloc((size_t)HISTORIES * MEASURES, sizeof *rows);
    if (!rows) exit(2);
    for (int h = 0; h < HISTORIES; h++)
        if (is_wanted(histories[h].name)) run_history(&histories[h], n);
    if (row_count) {
        qsort(rows, (size_t)row_count, sizeof *rows, worst_first);
        printf("%d boxes: a world that has lived by a new one of the same boxes, worst first\n\n", n);
        printf("| history | | times as long | | new, us |\n|---|---|--:|---|--:|\n");
    }
    for (int i = 0; i < row_count; i++)
        if (i < 30 || wanted || rows[i].ratio > 1.25)
            printf("| %s | %s | %.2f | (%.2f to %.2f) | %.1f |\n", rows[i].history, rows[i].measure, rows[i].ratio,
                   rows[i].low, rows[i].high, rows[i].fresh);
        else if (i == 30)
            printf("\nThe other %d are below %.2f; the last is %.2f.\n", row_count - i, rows[i].ratio + 0.005,
                   rows[row_count - 1].ratio);
    if (row_count) printf("\n");
    free(rows);
}

/* ---- frame by frame ---- */

enum { SPIKE_FRAMES = 200, SPIKE_RUNS = 3 };
enum { ALL_WALK, SOME_WALK, SOME_JUMP, GO_AWAY, GROWS, DRIVERS, TILES, SPIKES };
static const char *const spike_names[SPIKES] = {"all walk",
                                                "5% walk",
                                                "1% jump",
                                                "5% go far off",
                                                "1% are added",
                                                "1% drive among static boxes",
                                                "as before, two tiles are replaced"};

static void spike_step(life *l, int kind, int n, int frame) {
    float side = life_side(l, n);
    switch (kind) {
    case ALL_WALK: life_walk_some(l, 1, 0.2f); break;
    case SOME_WALK: life_walk_some(l, 20, 0.2f); break;
    case SOME_JUMP:
        for (int i = 0; i < n / 100; i++) life_move(l, life_below(l, n), life_anywhere(l, 0, 0, 0, side, side, side));
        break;
    case GO_AWAY:
        for (int i = frame % 20; i < n; i += 20) life_move(l, i, life_moved(l, l->box[i], side / 2, 0, side / 9));
        break;
    case GROWS:
        for (int i = 0; i < n / 100; i++) (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), 0);
        life_hand_in(l);
        life_walk_some(l, 20, 0.2f);
        break;
    default:
        for (int i = 0; i < 2 && kind == TILES; i++) {
            const int k = life_below(l, n);
            if (l->is_static[k]) life_replace(l, k);
        }
        for (int i = 0; i < n; i++)
            if (!l->is_static[i]) {
                float by = l->box[i].max[0] > side ? -side : 2;
                life_move(l, i, life_moved(l, l->box[i], by, 0, 0));
            }
    }
}

static void run_frames(int n) {
    int frames = quick ? 20 : SPIKE_FRAMES;
    printf("%d boxes: the worst of %d frames by the median\n\n", n, frames);
    printf("| | worst by median | frame | the next worst | median, us |\n|---|--:|--:|--:|--:|\n");
    for (int kind = 0; kind < SPIKES; kind++) {
        double best[SPIKE_FRAMES], sorted[SPIKE_FRAMES], middle;
        int worst = 0;
        for (int run = 0; run < (quick ? 1 : SPIKE_RUNS); run++) {
            life l;
            life_open(&l, 7, SAP_METHOD_AUTO);
            if (kind >= DRIVERS)
                input_static_crowd(&l, n);
            else
                input_uniform(&l, n);
            life_hand_in(&l);
            life_update(&l);
            for (int f = -5; f < frames; f++) {
                double t;
                spike_step(&l, kind, n, f + 5);
                t = now();
                life_update(&l);
                t = now() - t;
                if (f >= 0 && (!run || t < best[f])) best[f] = t;
            }
            life_close(&l);
        }
        memcpy(sorted, best, sizeof sorted);
        middle = median(sorted, frames);
        for (int f = 0; f < frames; f++)
            if (best[f] > best[worst]) worst = f;
        printf("| %s | %.2f | %d | %.2f | %.1f |\n", spike_names[kind], best[worst] / middle, worst,
               sorted[frames - 2] / middle, middle);
    }
    printf("\n");
}

/* ---- quiet worlds ---- */

enum { QUIET_FRAMES = 3400, AS_ONE_FRAMES = 100 };
#define MOST_PACK 0.025 /* microseconds that a pack of all may take for each box */

/* Returns the median of those times whose flag is set or not; 0 if there are none. */
static double median_of(const double *time, const unsigned char *flag, int n, int wanted_flag) {
    static double some[QUIET_FRAMES];
    int count = 0;
    for (int i = 0; i < n; i++)
        if (flag[i] == wanted_flag) some[count++] = time[i];
    return count ? median(some, count) : 0;
}

/* Returns how many boxes come, leave or move in a frame. A sixteenth of all must have, before all are packed. */
static int quiet_changes(const struct quiet *q) {
    switch (q->kind) {
    case QUIET_AS_ONE: return q->boxes;
    case QUIET_BULLETS: return QUIET_WALKERS + 32 * q->changes;
    case QUIET_STATICS: return QUIET_WALKERS + 2 * q->changes;
    case QUIET_STREAM: return 2 * q->changes;
    default: return q->changes;
    }
}

static void run_quiet(void) {
    static double best[QUIET_FRAMES], sorted[QUIET_FRAMES];
    static unsigned char is_packed[QUIET_FRAMES];
    static quiet_frame plan;
    printf("the frames of quiet worlds, of three runs the fastest of each, in microseconds\n\n");
    printf("| boxes | | frames | mean | median | worst | all packed | which adds | ns a box | bound | above it |\n");
    printf("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int w = 0; w < QUIET_WORLDS; w++) {
        const struct quiet *q = &quiet_worlds[w];
        const int all_move = q->kind == QUIET_AS_ONE;
        int frames = all_move ? AS_ONE_FRAMES : 2 * q->boxes / q->changes, above = 0, packs = 0;
        double sum = 0, rest, pack, bound;
        if (quick && q->boxes > 10000) continue;
        if (frames < 300 && !all_move) frames = 300;
        if (frames > QUIET_FRAMES) frames = QUIET_FRAMES;
        if (q->boxes > 50000 && frames > 1000) frames = 1000;
        if (quick) frames = 20;
        for (int run = 0; run < (quick ? 1 : SPIKE_RUNS); run++) {
            life l;
            life_open(&l, 7, SAP_METHOD_AUTO);
            quiet_make(&l, q);
            for (int f = -5; f < frames; f++) {
                sap_stats stats;
                double t;
                quiet_plan(&l, q, f + 5, &plan);
                t = now();
                quiet_act(&l, q, &plan);
                t = now() - t;
                if (f < 0) continue;
                if (!run || t < best[f]) best[f] = t;
                sap_get_stats(l.world, &stats);
                is_packed[f] = !all_move && stats.upkeep >= q->boxes; /* refits touch what moves, too */
            }
            life_close(&l);
        }
        for (int f = 0; f < frames; f++) sum += best[f], packs += is_packed[f];
        rest = median_of(best, is_packed, frames, 0);
        pack = packs ? median_of(best, is_packed, frames, 1) - rest : 0;
        bound = 3 * rest + MOST_PACK * q->boxes;
        for (int f = 0; f < frames; f++) above += best[f] > bound;
        if (packs > 1 + (double)frames * quiet_changes(q) * 16 / q->boxes) {
            printf("%d boxes, %s: packed too often\n", q->boxes, q->name);
            failures++;
        }
        memcpy(sorted, best, (size_t)frames * sizeof *sorted);
        printf("| %d | %s | %d | %.1f | %.1f | ", q->boxes, q->name, frames, sum / frames, median(sorted, frames));
        printf("%.1f | %d | %.1f | %.1f | %.1f | %d |\n", sorted[frames - 1], packs, pack, pack * 1e3 / q->boxes, bound,
               above);
        fflush(stdout);
    }
    printf("\n");
}

/* ---- small worlds in 2D ---- */

enum { MOST_SMALL = 500, SMALL_STEPS = 200 };

typedef struct small {
    int n, trembles;
    float side;
    sap_aabb home[MOST_SMALL], box[MOST_SMALL];
    life random; /* no world: its random numbers, on two axes */
} small;

static long long read_pairs; /* what every contender must add up, in each step */

static void small_make(small *s, int n, int trembles) {
    int columns = (int)ceilf(sqrtf((float)n));
    memset(s, 0, sizeof *s);
    s->n = n;
    s->trembles = trembles;
    s->random.axes = SAP_2D;
    s->random.random = 99;
    s->side = life_side(&s->random, n);
    for (int i = 0; i < n; i++) {
        float x = (float)(i % columns) * 1.9f, y = (float)(i / columns) * 1.9f; /* touches its neighbours */
        s->home[i] =
            trembles ? life_box(&s->random, x, y, 0, 1, 1, 0) : life_anywhere(&s->random, 0, 0, 0, s->side, s->side, 0);
    }
    memcpy(s->box, s->home, sizeof s->box);
}

static void small_step(small *s) {
    float by = s->trembles ? 0.02f : 0.2f;
    for (int i = 0; i < s->n; i++) {
        float x = life_between(&s->random, -by, by), y = life_between(&s->random, -by, by);
        s->box[i] = life_moved(&s->random, s->trembles ? s->home[i] : s->box[i], x, y, 0);
    }
}

/* A contender: makes itself, takes the boxes of a step and reads all pairs, goes. */
typedef struct contender {
    const char *name;
    void *(*make)(const small *s);
    void (*step)(void *subject, const small *s);
    void (*drop)(void *subject);
} contender;

typedef struct sap_subject {
    sap_world *world;
    sap_id id[MOST_SMALL];
} sap_subject;

static void *sap_make(const small *s) {
    sap_config config;
    sap_subject *a = (sap_subject *)calloc(1, sizeof *a);
    memset(&config, 0, sizeof config);
    config.axes = SAP_2D;
    if (!a || !(a->world = sap_create(&config)) || sap_add_many(a->world, s->n, s->box, NULL, a->id) ||
        sap_update(a->world))
        exit(2);
    return a;
}

static void sap_read(const sap_world *world) {
    int count;
    const sap_pair *pair = sap_created(world, &count);
    for (int i = 0; i < count; i++) read_pairs += pair[i].id0 == pair[i].id1;
    pair = sap_deleted(world, &count);
    for (int i = 0; i < count; i++) read_pairs += pair[i].id0 == pair[i].id1;
    pair = sap_pairs(world, &count);
    for (int i = 0; i < count; i++) read_pairs += pair[i].id0 != pair[i].id1;
}

static void sap_step_many(void *subject, const small *s) {
    sap_subject *a = (sap_subject *)subject;
    if (sap_move_many(a->world, s->n, a->id, s->box) || sap_update(a->world)) exit(2);
    sap_read(a->world);
}

static void sap_step_single(void *subject, const small *s) {
    sap_subject *a = (sap_subject *)subject;
    for (int i = 0; i < s->n; i++) (void)sap_move(a->world, a->id[i], &s->box[i]);
    if (sap_update(a->world)) exit(2);
    sap_read(a->world);
}

static void sap_drop(void *subject) {
    sap_destroy(((sap_subject *)subject)->world);
    free(subject);
}

/* Two loops, and which pairs are new or gone by a matrix of bytes. */
typedef struct loops {
    unsigned char meet[MOST_SMALL][MOST_SMALL];
} loops;

static void *loops_make(const small *s) {
    loops *l = (loops *)calloc(1, sizeof *l);
    (void)s;
    if (!l) exit(2);
    return l;
}

static void loops_step(void *subject, const small *s) {
    loops *l = (loops *)subject;
    long long events = 0;
    for (int i = 0; i < s->n; i++) {
        const sap_aabb *a = &s->box[i];
        for (int k = i + 1; k < s->n; k++) {
            const sap_aabb *b = &s->box[k];
            int meet = (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) &
                       (b->min[1] <= a->max[1]);
            if (meet != l->meet[i][k]) l->meet[i][k] = (unsigned char)meet, events++;
            read_pairs += meet;
        }
    }
    if (events < 0) printf("never\n"); /* they must be counted */
}

static void loops_drop(void *subject) {
    free(subject);
}

#ifdef HAVE_CHIPMUNK
typedef struct tree_subject {
    cpSpatialIndex *index;
    int order[MOST_SMALL];
} tree_subject;

static const small *tree_boxes;

static cpBB tree_box(void *object) {
    const sap_aabb *b = &tree_boxes->box[*(int *)object];
    return cpBBNew((double)b->min[0], (double)b->min[1], (double)b->max[0], (double)b->max[1]);
}

static cpVect tree_speed(void *object) {
    (void)object;
    return cpvzero; /* with a speed boxes are fat: Chipmunk does so for moving shapes */
}

static cpCollisionID tree_meet(void *a, void *b, cpCollisionID id, void *user) {
    (void)user;
    read_pairs += cpBBIntersects(tree_box(a), tree_box(b));
    return id;
}

static void *tree_make(const small *s) {
    tree_subject *t = (tree_subject *)calloc(1, sizeof *t);
    if (!t) exit(2);
    tree_boxes = s;
    t->index = cpBBTreeNew(tree_box, NULL);
    cpBBTreeSetVelocityFunc(t->index, tree_speed);
    for (int i = 0; i < s->n; i++) {
        t->order[i] = i;
        cpSpatialIndexInsert(t->index, &t->order[i], (cpHashValue)i);
    }
    return t;
}

static void tree_step(void *subject, const small *s) {
    tree_boxes = s;
    cpSpatialIndexReindexQuery(((tree_subject *)subject)->index, tree_meet, NULL);
}

static void tree_drop(void *subject) {
    cpSpatialIndexFree(((tree_subject *)subject)->index);
    free(subject);
}
#endif

static const contender contenders[] = {
    {"sap, move_many", sap_make, sap_step_many, sap_drop},
    {"sap, move by move", sap_make, sap_step_single, sap_drop},
    {"two loops", loops_make, loops_step, loops_drop},
#ifdef HAVE_CHIPMUNK
    {"Chipmunk's tree", tree_make, tree_step, tree_drop},
#endif
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

/* Microseconds a step of each contender: in each round all of them take the same steps, one after the other. */
static void small_measure(int n, int trembles, double micros[CONTENDERS]) {
    static small start[1], s[1];
    double time[CONTENDERS][MOST_ROUNDS];
    void *subject[CONTENDERS];
    int turns = quick ? 3 : rounds, steps = quick ? 20 : SMALL_STEPS;
    small_make(start, n, trembles);
    for (int c = 0; c < CONTENDERS; c++) subject[c] = contenders[c].make(start);
    for (int round = 0; round < turns; round++) {
        long long expected = 0;
        static small ended[1];
        for (int c = 0; c < CONTENDERS; c++) {
            double taken = 0;
            *s = *start;
            read_pairs = 0;
            for (int f = 0; f < steps; f++) {
                double t;
                small_step(s);
                t = now();
                contenders[c].step(subject[c], s);
                taken += now() - t;
            }
            time[c][round] = taken / steps;
            if (!c) expected = read_pairs;
            if (read_pairs != expected) {
                printf("%s: %lld pairs, expected %lld\n", contenders[c].name, read_pairs, expected);
                failures++;
            }
            *ended = *s;
        }
        *start = *ended;
    }
    for (int c = 0; c < CONTENDERS; c++) {
        micros[c] = median(time[c], turns);
        contenders[c].drop(subject[c]);
    }
}

static void run_small(void) {
    static const int sizes[] = {10, 30, 60, 110, 250, 500};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int trembles = 1; trembles >= 0; trembles--) {
        double micros[SIZES][CONTENDERS];
        printf("2D, %s: microseconds a step, every pair read\n\n|", trembles ? "a pile that trembles" : "all walk");
        for (int i = 0; i < SIZES; i++) {
            printf(" | %d", sizes[i]);
            small_measure(sizes[i], trembles, micros[i]);
        }
        printf(" |\n|---|--:|--:|--:|--:|--:|--:|\n");
        for (int c = 0; c < CONTENDERS; c++) {
            printf("| %s", contenders[c].name);
            for (int i = 0; i < SIZES; i++) printf(" | %.2f", micros[i][c]);
            printf(" |\n");
        }
        for (int c = 0; c < 2; c++) {
            printf("| %s, less 0.3 us, by the best of the others", contenders[c].name);
            for (int i = 0; i < SIZES; i++) {
                double best = micros[i][2];
                for (int k = 3; k < CONTENDERS; k++)
                    if (micros[i][k] < best) best = micros[i][k];
                printf(" | %.2f", micros[i][c] > 0.3 ? (micros[i][c] - 0.3) / best : 0);
            }
            printf(" |\n");
        }
        printf("\n");
    }
}

/* ---- loads: all at once ---- */

/* Adding n boxes of which so many per cent are static and one update, and after so many frames removing all, or all but
   so many. */
static void load(int n, int statics, int frames, int kept, double *add, double *take) {
    life l;
    double t;
    life_open(&l, 7, SAP_METHOD_AUTO);
    input_uniform(&l, n);
    for (int i = 0; i < n; i++) l.is_static[i] = i < n / 100 * statics;
    t = now();
    life_hand_in(&l);
    life_update(&l);
    *add = now() - t;
    life_frames(&l, frames, 1, 0.2f);
    t = now();
    life_need(sap_remove_many(l.world, l.n - kept, l.id + kept) == SAP_OK, "sap_remove_many");
    life_update(&l);
    *take = now() - t;
    life_close(&l);
}

static void run_load(int n) {
    enum { LOADS = 6 };
    static const struct kind {
        const char *name;
        int statics, frames, kept;
    } kinds[LOADS] = {
        {"all move; removed at once", 0, 0, 0},
        {"all move; removed after 60 frames", 0, 60, 0},
        {"all move; all but one removed after 60 frames", 0, 60, 1},
        {"95% static; removed at once", 95, 0, 0},
        {"95% static; removed after 60 frames", 95, 60, 0},
        {"95% static; all but one removed after 60 frames", 95, 60, 1},
    };
    double add[LOADS][MOST_ROUNDS], take[LOADS][MOST_ROUNDS], base[2] = {0, 0};
    int turns = quick ? 1 : rounds < 9 ? rounds : 9;
    for (int round = 0; round < turns; round++)
        for (int k = 0; k < LOADS; k++)
            load(n, kinds[k].statics, quick ? kinds[k].frames / 20 : kinds[k].frames, kinds[k].kept, &add[k][round],
                 &take[k][round]);
    printf("%d boxes at once: beside a world in which all move and that is emptied at once\n\n", n);
    printf("| | adding all | us | removing all | us |\n|---|--:|--:|--:|--:|\n");
    for (int k = 0; k < LOADS; k++) {
        double a = median(add[k], turns), t = median(take[k], turns);
        if (!k) base[0] = a, base[1] = t;
        printf("| %s | %.2f | %.0f | %.2f | %.0f |\n", kinds[k].name, a / base[0], a, t / base[1], t);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    int n = 10000;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-q"))
            quick = 1, n = 500, rounds = 3;
        else if (!strcmp(argv[i], "-n") && i + 1 < argc)
            n = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-r") && i + 1 < argc)
            rounds = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            wanted = argv[++i];
        else {
            printf("usage: lived [-n boxes] [-s histories,frames,quiet,small,load] [-r rounds] [-q]\n");
            for (int h = 0; h < HISTORIES; h++) printf("    %-12s %s\n", histories[h].name, histories[h].what);
            return strcmp(argv[i], "--list") != 0;
        }
    }
    if (n < 200) n = 200;
    if (rounds < 1) rounds = 1;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    clock_used = CLOCK_THREAD_CPUTIME_ID;
    run_histories(n);
    if (is_wanted("frames")) run_frames(n);
    if (is_wanted("quiet")) run_quiet();
    if (is_wanted("load")) run_load(n);
    clock_used = CLOCK_MONOTONIC;
    if (is_wanted("small")) run_small();
    return failures != 0;
}
