/*
methods.c - draws what each way to find the pairs of a frame costs, from worlds that stand still to worlds that jump,
            and from one pair a box to a hundred

    methods [-n 30,100,...,100000] [-f frames] [-l seconds] [-s motion,...,crowds] [-o picture.svg]
    methods --worlds [-n 100,300,...,10000] [-f frames] [-l seconds] [--cpu]

A frame's time is that of handing in the boxes that moved and of the update; medians of all frames (40), in microseconds.
All ways see the same frames. Those of sap_world and the grid take turns in each, in an order that is drawn for each
frame: a machine that slows down slows them all, and none is always the second of two that sort the same data, which is
20 to 30% faster because the branch predictor has just learnt them. The two plain ones follow in a run of their own, as
they would leave the caches cold in large worlds only, where they take long. Use one core (taskset -c 1). A way gets the seconds of -l (0.4) for each number of boxes, and is left out of larger worlds once a
frame takes a tenth of a second.

The methods of sap.h and the grid of SAPs tell which pairs begin, end and are there; their counts must be equal, and
those of the two others, too: brute force and one sweep along x after a sort tell pairs alone, all of them in each frame.
The grid is fixed, with about 64 boxes a cell.

The picture has two maps above its curves: the way that takes least, for each motion and number of boxes, first among all
but AUTO, then among those that the paper compares: sorting, a grid of SAPs, one sweep and brute force. A third map is of
crowds of 1,000 boxes: the shortest of SORT, PRUNE and QUERY by pairs a box and by how fast they glide, and how many
times as long AUTO takes.

--worlds draws nothing. It goes through 336 crowds: 100 to 10,000 boxes; 1, 3, 10, 30, 100 pairs a box; 2D and 3D; ways
of .002, .01, .05, .3 of a side a frame; all move, or one in twenty does. Then come the shapes of tests/shapes.h whose
unit is 1, with 1,000 boxes and with 10,000: all walk, one in twenty walks, or one in a hundred jumps to where another
one of the shape would be. A time is the mean of all frames but the
longest tenth. It prints AUTO's time by that of the shortest method, half a microsecond granted, and in the end the worlds
in which that is above 1.2. A method that takes six times as long as another is left out after some frames. Each world
has the seconds of -l (0.1) for each method. --cpu takes this thread's processor time, for a machine that does other things too.
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdint.h>
#include <stdio.h>
#define SAP_MULTI_IMPLEMENTATION
#include "../sap_multi.h"
#include "args.h"
#include "clock.h"
#include "scenes.h"
#include "../tests/shapes.h"

enum { SORT, GRID, PRUNE, QUERY, AUTO, BRUTE, SWEEP, WAYS };
enum { MOST_SIZES = 16, MOST_FRAMES = 300, WARM_UP = 2, IN_A_CELL = 64 };
enum { CROWD_BOXES = 1000, DENSITIES = 5, SPEEDS = 4, CROWD_ROWS = 2 * DENSITIES, CROWD_COLUMNS = 2 * SPEEDS };
enum { CROWD_WARM_UP = 40, CROWD_LEAST = 15, CROWD_TRIAL = 8, HOPELESS = 6 }; /* AUTO settles within forty frames */
static const char *const way_names[WAYS] = {"SORT",        "SORT in a grid of SAPs", "PRUNE", "QUERY", "AUTO",
                                            "brute force", "sort and sweep"};
static const char *const short_names[WAYS] = {"SORT", "grid", "PRUNE", "QUERY", "AUTO", "brute", "sweep"};

/* From none to all that jumps. */
static const struct motion {
    const char *name, *title;
    int place, motion;
    float amount;
} motions[] = {
    {"static", "nothing moves", PLACE_CUBE, STAND, 0},
    {"sparse", "one in twenty walks", PLACE_CUBE, WALK_SOME, 0.2f},
    {"jitter", "all tremble", PLACE_CUBE, WALK, 0.01f},
    {"brownian", "all walk", PLACE_CUBE, WALK, 0.2f},
    {"level", "all walk, at one height", PLACE_LEVEL, WALK, 0.2f},
    {"fast", "all run", PLACE_CUBE, WALK, 4},
    {"teleport", "one in a hundred jumps", PLACE_CUBE, JUMP, 0},
    {"jump", "all jump", PLACE_CUBE, SHUFFLE, 0},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

static double microseconds[MOTIONS][WAYS][MOST_SIZES]; /* 0: left out */
static int sizes[MOST_SIZES], size_count;

static const int densities[DENSITIES] = {1, 3, 10, 30, 100}; /* pairs a box */
static const float speeds[SPEEDS] = {0.002f, 0.01f, 0.05f, 0.3f};
static double crowd_times[CROWD_ROWS][CROWD_COLUMNS][AUTO + 1]; /* microseconds; 0: left out */

/* Puts the ways from 'first' into a new order. */
static void shuffle_ways(int *order, int first, int count) {
    static uint32_t random = 2463534242u;
    for (int i = 0; i < count; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        const int other = (int)(random % (uint32_t)(i + 1));
        order[i] = order[other];
        order[other] = first + i;
    }
}

/* ---- two plain ways ----------------------------------------------------------------------------------- */

/* Boxes axis by axis, as both loops read them. */
typedef struct columns {
    float *min[3], *max[3];
    uint64_t *item, *scratch; /* the sortable min x above the box */
} columns;

static int columns_make(columns *c, int n) {
    int good = 1;
    for (int k = 0; k < 3; k++) {
        c->min[k] = (float *)calloc((size_t)n, sizeof(float));
        c->max[k] = (float *)calloc((size_t)n, sizeof(float));
        good &= c->min[k] && c->max[k];
    }
    c->item = (uint64_t *)calloc((size_t)n, sizeof *c->item);
    c->scratch = (uint64_t *)calloc((size_t)n, sizeof *c->scratch);
    return good && c->item && c->scratch;
}

static void columns_free(columns *c) {
    for (int k = 0; k < 3; k++) {
        free(c->min[k]);
        free(c->max[k]);
    }
    free(c->item);
    free(c->scratch);
}

static void columns_set(columns *c, const sap_aabb *box, int at) {
    for (int k = 0; k < 3; k++) {
        c->min[k][at] = box->min[k];
        c->max[k][at] = box->max[k];
    }
}

/* Returns the number of boxes from + 1 to below end that meet box 'from' and begin at or before 'until'. */
static long long meet_following(const columns *c, int from, int end, float until) {
    const float *x0 = c->min[0], *y0 = c->min[1], *z0 = c->min[2], *x1 = c->max[0], *y1 = c->max[1], *z1 = c->max[2];
    const float low[3] = {x0[from], y0[from], z0[from]}, high[3] = {x1[from], y1[from], z1[from]};
    int count = 0;
    for (int j = from + 1; j < end && x0[j] <= until; j++)
        count += (x0[j] <= high[0]) & (low[0] <= x1[j]) & (y0[j] <= high[1]) & (low[1] <= y1[j]) & (z0[j] <= high[2]) &
                 (low[2] <= z1[j]);
    return count;
}

static long long brute_force(columns *c, const scene *s) {
    long long pairs = 0;
    for (int i = 0; i < s->n; i++) columns_set(c, &s->box[i], i);
    for (int i = 0; i < s->n; i++) pairs += meet_following(c, i, s->n, INFINITY);
    return pairs;
}

/* By the upper 32 bits. */
static void radix_sort(uint64_t *items, uint64_t *scratch, int n) {
    for (int shift = 32; shift < 64; shift += 8) {
        int start[257] = {0};
        for (int i = 0; i < n; i++) start[(items[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (int i = 0; i < n; i++) scratch[start[items[i] >> shift & 255]++] = items[i];
        uint64_t *swap = items;
        items = scratch;
        scratch = swap;
    }
}

static long long sort_and_sweep(columns *c, const scene *s) {
    long long pairs = 0;
    for (int i = 0; i < s->n; i++) {
        uint32_t bits;
        memcpy(&bits, &s->box[i].min[0], sizeof bits);
        bits = bits >> 31 ? ~bits : bits | 0x80000000u;
        c->item[i] = (uint64_t)bits << 32 | (uint32_t)i;
    }
    radix_sort(c->item, c->scratch, s->n); /* four passes: the result is where it began */
    for (int i = 0; i < s->n; i++) columns_set(c, &s->box[(uint32_t)c->item[i]], i);
    for (int i = 0; i < s->n; i++) pairs += meet_following(c, i, s->n, c->max[0][i]);
    return pairs;
}

/* ---- one way, through the frames of one world -------------------------------------------------------------------- */

typedef struct way {
    sap_world *world;
    columns own; /* or no world */
    sap_id *id;
    double time[MOST_FRAMES], spent, least;
    int frames, pairs, events, is_out;
} way;

static int cells_along(const scene *s, int axes) {
    const int cells = (int)(pow((double)s->n / IN_A_CELL, 1.0 / axes) + 0.5);
    return cells > 0 ? cells : 1;
}

static int way_make(way *w, int kind, const scene *s) {
    static const int methods[AUTO + 1] = {SAP_METHOD_SORT, SAP_METHOD_SORT, SAP_METHOD_PRUNE, SAP_METHOD_QUERY,
                                          SAP_METHOD_AUTO};
    sap_config config;
    memset(w, 0, sizeof *w);
    w->id = (sap_id *)calloc((size_t)s->n, sizeof *w->id);
    if (kind > AUTO) return columns_make(&w->own, s->n) && w->id;
    memset(&config, 0, sizeof config);
    config.method = methods[kind];
    config.axes = s->kind->axes;
    w->world = sap_create(&config);
    if (kind == GRID) {
        const int is_level = s->kind->place == PLACE_LEVEL, cells = cells_along(s, is_level ? 2 : 3);
        sap_grid grid;
        memset(&grid, 0, sizeof grid);
        for (int k = 0; k < 3; k++) {
            grid.bounds.max[k] = s->side;
            grid.cells[k] = is_level && k == 1 ? 1 : cells;
        }
        if (sap_set_grid(w->world, &grid) != SAP_OK) return 0;
    }
    return w->world && w->id && !sap_add_many(w->world, s->n, s->box, NULL, w->id) && !sap_update(w->world);
}

static void way_free(way *w) {
    sap_destroy(w->world);
    columns_free(&w->own);
    free(w->id);
}

/* Returns the microseconds of a frame. 'ids' and 'to' have room for all. */
static double way_frame(way *w, int kind, const scene *s, sap_id *ids, sap_aabb *to) {
    int created = 0, deleted = 0;
    for (int i = 0; i < s->moves; i++) {
        ids[i] = w->id[s->moved[i]];
        to[i] = s->box[s->moved[i]];
    }
    const double start = now();
    double end;
    if (kind > AUTO) {
        w->pairs = (int)(kind == BRUTE ? brute_force : sort_and_sweep)(&w->own, s);
        end = now();
    } else {
        sap_move_many(w->world, s->moves, ids, to);
        sap_update(w->world);
        end = now();
        sap_created(w->world, &created);
        sap_deleted(w->world, &deleted);
        sap_pairs(w->world, &w->pairs);
    }
    w->events = created * 7 + deleted;
    return end - start;
}

/* Every box goes somewhere else. */
static void jump_all(scene *s) {
    s->moves = 0;
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < 3; k++) s->item[i].centre[k] = scene_random(s) * s->side;
        scene_set_box(s, i);
        s->moved[s->moves++] = i;
    }
}

static int run(int m, int at, int frames, double seconds) {
    const struct motion *motion = &motions[m];
    const scene_kind kind = {motion->name, motion->place, motion->motion, motion->amount, 7, 0, 0, motion->title};
    const int n = sizes[at];
    static way ways[WAYS];
    static int pairs[MOST_FRAMES]; /* in each frame; -1: not yet known */
    sap_id *ids = (sap_id *)calloc((size_t)n, sizeof *ids);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n, sizeof *to);
    int good = ids && to, equal = 1;
    for (int frame = 0; frame < MOST_FRAMES; frame++) pairs[frame] = -1;
    for (int is_plain = 0; is_plain < 2 && good; is_plain++) {
        const int from = is_plain ? BRUTE : SORT, count = is_plain ? WAYS - BRUTE : BRUTE;
        scene s; /* the same in both runs */
        int running = count;
        good = scene_make(&s, &kind, n);
        for (int w = from; w < from + count && good; w++) {
            good = way_make(&ways[w], w, &s);
            ways[w].is_out = at > 0 && (microseconds[m][w][at - 1] == 0 || microseconds[m][w][at - 1] > 1e5);
        }
        for (int frame = 0; frame < frames + WARM_UP && good && running; frame++) {
            int events = -1, order[WAYS];
            shuffle_ways(order, from, count);
            if (motion->motion == SHUFFLE)
                jump_all(&s);
            else
                scene_step(&s);
            running = 0;
            for (int turn = 0; turn < count; turn++) {
                const int w = order[turn];
                if (ways[w].is_out) continue;
                const double time = way_frame(&ways[w], w, &s, ids, to);
                running++;
                if (pairs[frame] < 0) pairs[frame] = ways[w].pairs;
                if (events < 0) events = ways[w].events;
                equal &= ways[w].pairs == pairs[frame] && ways[w].events == events;
                if (frame < WARM_UP && time < 1e5) continue;
                ways[w].time[ways[w].frames++] = time;
                ways[w].spent += time;
                ways[w].is_out = ways[w].spent > seconds * 1e6;
            }
        }
        scene_free(&s);
    }
    printf("%-10s %8d", motion->name, n);
    for (int w = 0; w < WAYS && good; w++) {
        if (ways[w].frames) {
            sort_times(ways[w].time, ways[w].frames);
            microseconds[m][w][at] = fmax(ways[w].time[ways[w].frames / 2], 1e-3);
            printf(" %10.1f", microseconds[m][w][at]);
        } else
            printf(" %10s", "-");
    }
    printf("%s\n", !good ? "  no memory" : equal ? "" : "  WRONG: other pairs");
    fflush(stdout);
    for (int w = 0; w < WAYS; w++) {
        way_free(&ways[w]);
        memset(&ways[w], 0, sizeof ways[w]);
    }
    free(ids);
    free(to);
    return good && equal;
}

/* ---- shapes -------------------------------------------------------------------------------------------------------- */

enum { SHAPE_WALK, SHAPE_WALK_SOME, SHAPE_JUMP, SHAPE_MOTIONS };
static const char *const shape_motions[SHAPE_MOTIONS] = {"", ":some", ":jump"};

/* A scene whose boxes are placed, and moved, as a shape says; shape is NULL in all other scenes. */
typedef struct shape_scene {
    const struct shape *shape;
    int motion;
    shape_maker maker;
} shape_scene;

static int shape_scene_make(scene *s, shape_scene *of, const scene_kind *kind, int n) {
    if (!scene_make(s, kind, n)) return 0;
    if (of->shape) of->maker = shape_begin(of->shape, n);
    for (int i = 0; of->shape && i < n; i++) s->box[i] = shape_box(of->shape, &of->maker, i);
    return 1;
}

static void shape_scene_step(scene *s, shape_scene *of) {
    const int every = of->motion == SHAPE_WALK ? 1 : of->motion == SHAPE_WALK_SOME ? 20 : 100;
    if (!of->shape) {
        scene_step(s);
        return;
    }
    s->moves = 0;
    s->frame++;
    for (int i = s->frame % every; i < s->n; i += every) {
        if (of->motion == SHAPE_JUMP) s->box[i] = shape_box(of->shape, &of->maker, test_below(&of->maker.rng, s->n));
        for (int k = 0; k < 3 && of->motion != SHAPE_JUMP; k++) {
            const float by = scene_uses(s, k) ? scene_between(s, -0.1f, 0.1f) : 0; /* what is infinite stays */
            s->box[i].min[k] += by;
            s->box[i].max[k] += by;
        }
        s->moved[s->moves++] = i;
    }
}

/* ---- crowds ------------------------------------------------------------------------------------------------------- */

typedef struct crowd {
    double time[AUTO + 1];     /* microseconds; 0: left out */
    double plain_ratio, ratio; /* AUTO by the shortest; the same, half a microsecond granted */
    double pairs;              /* a box */
    int method, good;          /* that AUTO takes in most frames; the events were equal */
} crowd;

static int crowd_fits(int n, int pairs) {
    return 4 * pairs <= n && (double)n * pairs <= SCENE_MOST_PAIRS;
}

/* Returns the mean of sorted times without the longest tenth. A median would lie between two peaks: of two worlds that
   take the same steps the second takes half of the time, as the processor has just seen all branches. */
static double mean_of_most(const double *time, int n) {
    const int most = n - n / 10;
    double sum = 0;
    for (int i = 0; i < most; i++) sum += time[i];
    return sum / most;
}

/* Returns 0 if memory runs out, or a method reports other events. */
static int run_crowd(crowd *c, const scene_kind *kind, shape_scene shape, int n, int frames, double seconds) {
    static way ways[AUTO + 1];
    scene s;
    sap_id *ids = (sap_id *)calloc((size_t)n, sizeof *ids);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n, sizeof *to);
    int taken[4] = {0}, settled = 0;
    double spent = 0, least = INFINITY;
    memset(c, 0, sizeof *c);
    c->good = ids && to && shape_scene_make(&s, &shape, kind, n);
    if (c->good)
        for (int w = 0; w <= AUTO; w++)
            if (w != GRID) c->good &= way_make(&ways[w], w, &s);
    for (int frame = 0; c->good && frame < CROWD_WARM_UP + frames; frame++) {
        int order[AUTO + 1], events = -1, pairs = -1;
        if (frame >= CROWD_WARM_UP + CROWD_LEAST && spent > 4e6 * seconds) break;
        settled = frame >= CROWD_WARM_UP;
        shape_scene_step(&s, &shape);
        shuffle_ways(order, SORT, AUTO + 1);
        for (int turn = 0; turn <= AUTO; turn++) {
            way *w = &ways[order[turn]];
            if (!w->world || w->is_out) continue;
            const double time = way_frame(w, order[turn], &s, ids, to);
            w->least = frame ? fmin(w->least, time) : time;
            if (settled) w->time[w->frames++] = time, spent += time;
            if (events < 0) events = w->events, pairs = w->pairs;
            c->good &= w->events == events && w->pairs == pairs;
        }
        if (settled) {
            sap_stats stats;
            sap_get_stats(ways[AUTO].world, &stats);
            taken[stats.method & 3]++;
        }
        c->pairs = (double)pairs / n;
        if (frame != CROWD_TRIAL) continue;
        for (int w = 0; w < AUTO; w++)
            if (ways[w].world) least = fmin(least, ways[w].least);
        for (int w = 0; w < AUTO; w++) ways[w].is_out = ways[w].least > HOPELESS * least;
    }
    for (int method = 1; method < 4; method++)
        if (taken[method] > taken[c->method]) c->method = method;
    least = INFINITY;
    for (int w = 0; w <= AUTO; w++) {
        if (ways[w].frames) {
            sort_times(ways[w].time, ways[w].frames);
            c->time[w] = fmax(mean_of_most(ways[w].time, ways[w].frames), 1e-3);
            if (w != AUTO) least = fmin(least, c->time[w]);
        }
        way_free(&ways[w]);
        memset(&ways[w], 0, sizeof ways[w]);
    }
    c->plain_ratio = c->time[AUTO] / least;
    c->ratio = fmax(c->time[AUTO] - 0.5, 0) / least;
    if (ids && to) scene_free(&s);
    free(ids);
    free(to);
    return c->good;
}

static void print_crowd(const char *name, int n, const crowd *c) {
    static const char *const method_names[] = {"?", "SORT", "PRUNE", "QUERY"};
    printf("%-24s %7d %7.1f", name, n, c->pairs);
    for (int w = 0; w <= AUTO; w++)
        if (w != GRID && c->time[w] > 0)
            printf(" %10.1f", c->time[w]);
        else if (w != GRID)
            printf(" %10s", "-");
    printf(" %6s %6.2f%s\n", method_names[c->method], c->ratio, c->good ? "" : "  WRONG: other events");
    fflush(stdout);
}

static void print_crowd_head(void) {
    printf("%-24s %7s %7s %10s %10s %10s %10s %6s %6s\n", "crowd", "boxes", "pairs/n", "SORT", "PRUNE", "QUERY", "AUTO",
           "takes", "ratio");
}

static const scene_kind *crowd_kind(int dims, int density, float speed, int some) {
    char name[40];
    snprintf(name, sizeof name, "crowd%dd:%d:%g%s", dims, density, (double)speed, some ? ":some" : "");
    return scene_crowd_named(name);
}

static const shape_scene no_shape = {NULL, 0, {{0}, 0, 0}};

/* The crowds of the third map. */
static int run_crowd_map(int frames, double seconds) {
    int good = 1;
    print_crowd_head();
    for (int row = 0; row < CROWD_ROWS; row++)
        for (int column = 0; column < CROWD_COLUMNS; column++) {
            const scene_kind *kind =
                crowd_kind(2 + row / DENSITIES, densities[row % DENSITIES], speeds[column % SPEEDS], column >= SPEEDS);
            crowd c;
            good &= run_crowd(&c, kind, no_shape, CROWD_BOXES, frames, seconds);
            print_crowd(kind->name, CROWD_BOXES, &c);
            memcpy(crowd_times[row][column], c.time, sizeof c.time);
        }
    return good;
}

/* What is counted of the catalogue: crowds of 1 and 3 pairs a box, denser ones, shapes. */
enum { THIN, DENSE, SHAPED, CLASSES, MOST_WORSE = 800 };
typedef struct catalogue {
    int count[CLASSES], over;
    double sum[CLASSES], worst[CLASSES];
    struct {
        char name[40];
        int n;
        crowd crowd;
    } worse[MOST_WORSE];
} catalogue;

static int run_world(catalogue *all, int of, const scene_kind *kind, shape_scene shape, int n, int frames,
                     double seconds) {
    crowd c;
    const int good = run_crowd(&c, kind, shape, n, frames, seconds);
    print_crowd(kind->name, n, &c);
    all->count[of]++;
    all->sum[of] += log(c.plain_ratio);
    all->worst[of] = fmax(all->worst[of], c.ratio);
    if (c.ratio > 1.2 && all->over < MOST_WORSE) {
        snprintf(all->worse[all->over].name, sizeof all->worse[0].name, "%s", kind->name);
        all->worse[all->over].n = n;
        all->worse[all->over++].crowd = c;
    }
    return good;
}

static int run_shapes(catalogue *all, int n, int frames, double seconds) {
    int good = 1;
    for (int i = 0; i < SHAPES * SHAPE_MOTIONS; i++) {
        scene_kind kind = {"", PLACE_CUBE, STAND, 0, 7, 0, 0, "a shape"};
        char name[40];
        shape_scene shape = no_shape;
        shape.shape = &shapes[i / SHAPE_MOTIONS];
        shape.motion = i % SHAPE_MOTIONS;
        if (shape.shape->unit[0] > 0) continue;
        snprintf(name, sizeof name, "%s%s", shape.shape->name, shape_motions[shape.motion]);
        kind.name = name;
        kind.axes = shape.shape->axes;
        good &= run_world(all, SHAPED, &kind, shape, n, frames, seconds);
    }
    return good;
}

static int run_worlds(const char *list, int frames, double seconds) {
    static catalogue all;
    static const char *const names[CLASSES] = {"crowds of 1 and 3 pairs a box", "crowds of 10 to 100", "shapes"};
    int good = 1;
    print_crowd_head();
    for (const char *p = list; p; p = args_next(p))
        for (int world = 0; world < DENSITIES * SPEEDS * 4; world++) {
            const int n = atoi(p), density = densities[world / (SPEEDS * 4)];
            const scene_kind *kind =
                crowd_kind(2 + world / (SPEEDS * 2) % 2, density, speeds[world / 2 % SPEEDS], world % 2);
            if (crowd_fits(n, density))
                good &= run_world(&all, density >= 10 ? DENSE : THIN, kind, no_shape, n, frames, seconds);
        }
    for (const char *p = list; p; p = args_next(p))
        if (atoi(p) == 1000 || atoi(p) == 10000) good &= run_shapes(&all, atoi(p), frames, seconds);
    printf("\nAUTO by the shortest method:\n");
    for (int of = 0; of < CLASSES; of++)
        if (all.count[of])
            printf("%4d %s: %.2f on average, %.2f at most\n", all.count[of], names[of],
                   exp(all.sum[of] / all.count[of]), all.worst[of]);
    printf("%d of them above 1.2%s\n", all.over, all.over ? ":" : "");
    for (int i = 0; i < all.over; i++) print_crowd(all.worse[i].name, all.worse[i].n, &all.worse[i].crowd);
    return good;
}

/* ---- the picture ---------------------------------------------------------------------------------------------------- */

enum { ACROSS = 2, PANEL_WIDTH = 405, PANEL_HEIGHT = 320, PLOT_WIDTH = 330, PLOT_HEIGHT = 240, LEFT = 62, TOP = 86 };
enum { MAP_LEFT = 225, MAP_RIGHT = 805, MAP_ROW = 21, MAP_HEAD = 44, MAP_TAIL = 26 };
#define UNSEEN 0.1 /* microseconds: less is not told apart, and drawn at the bottom */

static double log_part(double value, double low, double high) {
    return log(value / low) / log(high / low);
}

/* Returns a number with commas, and the next of four texts. */
static const char *with_commas(int number) {
    static char text[4][16];
    static int turn;
    char *here = text[turn = (turn + 1) % 4];
    if (number >= 1000000)
        snprintf(here, 16, "%d,%03d,%03d", number / 1000000, number / 1000 % 1000, number % 1000);
    else if (number >= 1000)
        snprintf(here, 16, "%d,%03d", number / 1000, number % 1000);
    else
        snprintf(here, 16, "%d", number);
    return here;
}

/* The way that takes least, and the next; each -1 if there is none. AUTO is one of the others. */
static void ranking(int m, int at, const char *compared, int best[2]) {
    best[0] = best[1] = -1;
    for (int w = 0; w < WAYS; w++) {
        if (!compared[w] || microseconds[m][w][at] <= 0) continue;
        if (best[0] < 0 || microseconds[m][w][at] < microseconds[m][best[0]][at]) {
            best[1] = best[0];
            best[0] = w;
        } else if (best[1] < 0 || microseconds[m][w][at] < microseconds[m][best[1]][at])
            best[1] = w;
    }
}

/* One cell of a map: the way that takes least and how many times the next one takes; both, where that is next to
   nothing. */
static void draw_cell(FILE *f, int m, int at, const char *compared, double x, double y, double width) {
    int best[2];
    ranking(m, at, compared, best);
    if (best[0] < 0) return;
    const double least = microseconds[m][best[0]][at], next = best[1] < 0 ? 0 : microseconds[m][best[1]][at];
    const int is_unseen = next > 0 && next<UNSEEN, is_tie = next> 0 && next < least * 1.1;
    for (int k = 0; k <= is_tie && !is_unseen; k++)
        fprintf(f, "<rect class=\"p%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n", best[k],
                x + k * width / 2, y, (is_tie ? width / 2 : width) - (k == is_tie ? 2 : 0), MAP_ROW - 2);
    fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x + width / 2 - 1, y + 14);
    if (is_unseen)
        fprintf(f, "&lt; %g \xc2\xb5s</text>\n", UNSEEN);
    else if (is_tie)
        fprintf(f, "%s, %s</text>\n", short_names[best[0]], short_names[best[1]]);
    else if (next > 0)
        fprintf(f, "%s %.*f\xc3\x97</text>\n", short_names[best[0]], next < 9.95 * least, next / least);
    else
        fprintf(f, "%s</text>\n", short_names[best[0]]);
}

/* Which way takes least, for each motion and number of boxes. Returns the y below it. */
static double draw_map(FILE *f, double y, const char *title, const char *compared, const char *wanted) {
    const double width = (double)(MAP_RIGHT - MAP_LEFT) / size_count;
    fprintf(f, "<text class=\"title\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, y + 12, title);
    fprintf(f, "<text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">boxes</text>\n", MAP_LEFT - 12, y + 36);
    for (int i = 0; i < size_count; i++)
        fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                MAP_LEFT + width * (i + 0.5) - 1, y + 36, with_commas(sizes[i]));
    y += MAP_HEAD;
    for (int m = 0; m < MOTIONS; m++) {
        if (!args_list_has(wanted, motions[m].name)) continue;
        fprintf(f, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, y + 14, motions[m].title);
        for (int i = 0; i < size_count; i++) draw_cell(f, m, i, compared, MAP_LEFT + width * i, y, width);
        y += MAP_ROW;
    }
    return y + MAP_TAIL;
}

/* Which method takes least in crowds, and what AUTO takes beside it. Returns the y below it. */
static double draw_crowd_map(FILE *f, double y) {
    const double width = (double)(MAP_RIGHT - MAP_LEFT) / CROWD_COLUMNS;
    fprintf(f,
            "<text class=\"title\" x=\"%d\" y=\"%.1f\">Crowds of 1,000 boxes: the shortest of the methods, and AUTO by "
            "it</text>\n",
            LEFT, y + 12);
    fprintf(f, "<text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">way, in sides</text>\n", MAP_LEFT - 12,
            y + 36);
    for (int i = 0; i < CROWD_COLUMNS; i++)
        fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g%s</text>\n",
                MAP_LEFT + width * (i + 0.5) - 1, y + 36, (double)speeds[i % SPEEDS], i < SPEEDS ? ", all" : ", 5%");
    y += MAP_HEAD;
    for (int row = 0; row < CROWD_ROWS; row++, y += MAP_ROW) {
        fprintf(f, "<text x=\"%d\" y=\"%.1f\">%dD, %d %s a box</text>\n", LEFT, y + 14, 2 + row / DENSITIES,
                densities[row % DENSITIES], densities[row % DENSITIES] == 1 ? "pair" : "pairs");
        for (int i = 0; i < CROWD_COLUMNS; i++) {
            const double *time = crowd_times[row][i], x = MAP_LEFT + width * i;
            int best = -1;
            for (int w = 0; w < AUTO; w++)
                if (time[w] > 0 && (best < 0 || time[w] < time[best])) best = w;
            if (best < 0 || time[AUTO] <= 0) continue;
            fprintf(f, "<rect class=\"p%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n", best, x, y,
                    width - 2, MAP_ROW - 2);
            fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s %.2f</text>\n",
                    x + width / 2 - 1, y + 14, short_names[best], time[AUTO] / time[best]);
        }
    }
    return y + MAP_TAIL;
}

static void draw_curve(FILE *f, int m, int w, double x0, double y1, double low, double high) {
    const double from = sizes[0] * 0.8, to = sizes[size_count - 1] * 1.25;
    char open = 'M';
    fprintf(f, "<path class=\"l%d\" d=\"", w);
    for (int i = 0; i < size_count; i++) {
        if (microseconds[m][w][i] <= 0) continue;
        fprintf(f, "%c%.1f %.1f", open, x0 + PLOT_WIDTH * log_part(sizes[i], from, to),
                y1 - PLOT_HEIGHT * log_part(fmax(microseconds[m][w][i], low), low, high));
        open = 'L';
    }
    if (open == 'M') fprintf(f, "M0 0"); /* this way was not measured */
    fprintf(f, "\"/>\n");
}

static void draw_panel(FILE *f, int m, int place, double top, double low, double high) {
    const double x0 = LEFT + place % ACROSS * PANEL_WIDTH, y0 = top + place / ACROSS * PANEL_HEIGHT;
    const double y1 = y0 + PLOT_HEIGHT, from = sizes[0] * 0.8, to = sizes[size_count - 1] * 1.25;
    fprintf(f, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x0, y0 - 10, motions[m].title);
    for (double power = low; power <= high * 1.01; power *= 10) {
        const double y = y1 - PLOT_HEIGHT * log_part(power, low, high);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", x0, y, x0 + PLOT_WIDTH);
        fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x0 - 6, y + 4);
        if (power > 999)
            fprintf(f, power > 1e5 * 9 ? "%g s</text>\n" : "%g ms</text>\n", power / (power > 1e5 * 9 ? 1e6 : 1e3));
        else
            fprintf(f, "%g \xc2\xb5s</text>\n", power);
    }
    for (int i = 0; i < size_count; i++) {
        const double x = x0 + PLOT_WIDTH * log_part(sizes[i], from, to), power = log10((double)sizes[i]);
        if (fabs(power - floor(power + 0.5)) > 1e-6 && size_count > 3) continue;
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, y0, y1);
        fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s%s</text>\n", x, y1 + 17,
                with_commas(sizes[i]), i + 1 == size_count ? " boxes" : "");
    }
    draw_curve(f, m, AUTO, x0, y1, low, high); /* broad and pale, below the way that it takes */
    for (int w = WAYS - 1; w >= 0; w--)
        if (w != AUTO) draw_curve(f, m, w, x0, y1, low, high);
}

static int draw(const char *path, const char *wanted) {
    FILE *f = fopen(path, "w");
    static const char *const colors[2][WAYS] = {
        {"#d1352b", "#c98a00", "#1668b8", "#8e3bc9", "#57606a", "#6e7781", "#2e7d32"},
        {"#ff7b6b", "#f0c050", "#5aa9e6", "#d18bff", "#e6edf3", "#9aa4af", "#6fcf75"}};
    double low = 1e9, high = 1;
    int panels = 0;
    if (!f) return 0;
    for (int m = 0; m < MOTIONS; m++) {
        panels += args_list_has(wanted, motions[m].name);
        for (int w = 0; w < WAYS; w++)
            for (int i = 0; i < size_count; i++)
                if (microseconds[m][w][i] > 0) {
                    low = fmin(low, microseconds[m][w][i]);
                    high = fmax(high, microseconds[m][w][i]);
                }
    }
    low = fmax(UNSEEN, pow(10, floor(log10(low))));
    high = fmax(low * 10, pow(10, ceil(log10(high))));
    const int width = ACROSS * PANEL_WIDTH + 20, map_height = MAP_HEAD + panels * MAP_ROW + MAP_TAIL;
    const int crowd_height = args_list_has(wanted, "crowds") ? MAP_HEAD + CROWD_ROWS * MAP_ROW + MAP_TAIL : 0;
    const int top = TOP + 2 * map_height + crowd_height + 20, height = top + (panels + 1) / ACROSS * PANEL_HEIGHT - 45;
    fprintf(
        f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
        "<title>What a frame costs, by the number of boxes, for each method and kind of motion</title>\n"
        "<style>text{font:13px sans-serif;fill:#24292f}.small{font-size:11px}.title{font-weight:bold}path{fill:none}"
        ".grid{stroke:#d8dee4}rect{fill-opacity:.3}",
        width, height, width, height);
    for (int dark = 0; dark < 2; dark++) {
        if (dark) fprintf(f, "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}");
        for (int w = 0; w < WAYS; w++)
            fprintf(f, ".p%d{fill:%s}.l%d{stroke:%s}", w, colors[dark][w], w, colors[dark][w]);
    }
    fprintf(f, "}");
    for (int w = 0; w < WAYS; w++)
        fprintf(f, ".l%d{stroke-linejoin:round;stroke-width:%s}", w,
                w == AUTO    ? "9;stroke-opacity:.3;stroke-linecap:round"
                : w == BRUTE ? "2;stroke-dasharray:8 3"
                : w == SWEEP ? "2;stroke-dasharray:3 2"
                             : "2");
    fprintf(f, "</style>\n<text class=\"title\" x=\"%d\" y=\"20\">", LEFT);
    fprintf(f, "How long a frame takes, for each way to find its pairs, number of boxes and motion</text>\n");
    for (int w = 0; w < WAYS; w++) {
        const int x = LEFT + w % 4 * 200, y = 44 + w / 4 * 20;
        fprintf(f, "<path class=\"l%d\" d=\"M%d %dh26\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", w, x, y - 4, x + 34, y,
                way_names[w]);
    }
    static const char all[WAYS] = {1, 1, 1, 1, 0, 1, 1}, papers[WAYS] = {1, 1, 0, 0, 0, 1, 1};
    double y = draw_map(f, TOP, "The shortest of all (AUTO aside), and how many times as long the next one takes", all,
                        wanted);
    y = draw_map(f, y, "The shortest of those that the paper compares", papers, wanted);
    if (crowd_height) draw_crowd_map(f, y);
    for (int m = 0, place = 0; m < MOTIONS; m++)
        if (args_list_has(wanted, motions[m].name)) draw_panel(f, m, place++, top, low, high);
    fprintf(f, "</svg>\n");
    const int good = !ferror(f);
    return !fclose(f) && good;
}

int main(int argc, char **argv) {
    const char *list = args_value(argc, argv, "-n", 1), *wanted = args_value(argc, argv, "-s", 1);
    const char *frames_text = args_value(argc, argv, "-f", 1), *seconds_text = args_value(argc, argv, "-l", 1);
    const char *path = args_value(argc, argv, "-o", 1);
    int frames = frames_text ? atoi(frames_text) : 40, good = 1;
    const double seconds = seconds_text ? atof(seconds_text) : 0.4;
    const int catalogue = args_value(argc, argv, "--worlds", 0) != NULL;
    if (!args_are(argc, argv, "-n= -f= -l= -s= -o= --worlds --cpu")) {
        fprintf(stderr,
                "usage: methods [-n 30,100,1000] [-f frames] [-l seconds] [-s motion,...,crowds] [-o picture.svg]\n"
                "       methods --worlds [-n 100,1000] [-f frames] [-l seconds] [--cpu]\n");
        return 2;
    }
    if (args_value(argc, argv, "--cpu", 0)) clock_used = CLOCK_THREAD_CPUTIME_ID;
    if (catalogue)
        return !run_worlds(list ? list : "100,300,1000,3000,10000", frames_text && frames > 0 ? frames : MOST_FRAMES,
                           seconds_text ? seconds : 0.1);
    if (!list) list = "30,100,300,1000,3000,10000,30000,100000";
    if (frames < 1 || frames > MOST_FRAMES - WARM_UP) frames = MOST_FRAMES - WARM_UP;
    for (const char *p = list; p && size_count < MOST_SIZES; p = args_next(p))
        if (atoi(p) > 0) sizes[size_count++] = atoi(p);
    if (!size_count) return 2;
    printf("%-10s %8s %10s %10s %10s %10s %10s %10s %10s\n", "motion", "boxes", "SORT", "grid", "PRUNE", "QUERY",
           "AUTO", "brute", "sweep");
    for (int m = 0; m < MOTIONS; m++)
        for (int i = 0; i < size_count; i++)
            if (args_list_has(wanted, motions[m].name)) good &= run(m, i, frames, seconds);
    if (args_list_has(wanted, "crowds")) {
        putchar('\n');
        good &= run_crowd_map(frames, seconds / 4);
    }
    if (path && !draw(path, wanted)) {
        perror(path);
        return 1;
    }
    return !good;
}
