/*
bench.c - measures sap.h on the scenes of scenes.h

    bench [-n 1000,10000,100000] [-s brownian,add,prune:sphere,snapshot,calls,query,standing] [-f frames] [-c megabytes]
          [--cpu] [--list] [--noise]

A frame's time is that of handing in the boxes that moved (one sap_move_many; in 'storm' sap_remove_many and
sap_add_many), sap_update, and taking the numbers of created and deleted pairs. Working out where the boxes go
is not timed. The first frames of a scene are not counted. After the last frame the pairs that are left of all
events are compared with those of brute force (above 2,000 that move: of a plain sort-and-sweep), so that
nothing wrong is timed.

'query' asks the queries of queries.h after 300 frames of motion, next to a plain loop over all boxes and to a
new world of the same boxes (decay: how many times as long as there). A figure is the best of several rounds of
2,000 queries; some are compared with the loop. Decay in the long run is not in the default, as it takes a
minute: bench -s query -n 1000,10000 -f 10000. 100,000 boxes take ten minutes more.

'snapshot' saves a world that walks, and restores it; 'resume' is the first frame after that, which files all boxes
anew.

'standing' is the cost of static boxes: of a frame in which 1,000 boxes walk among more and more of them, at
the same density each time, and of a level of 100,000 in one batch.

Times are those of the wall clock; --cpu takes this thread's processor time instead, which leaves out what other
programs do meanwhile but not what they do to the caches.

A crowd of any density and speed is measured by its name, -s crowd2d:25:.002; without -s those of crowd_names are.

-c writes so many megabytes before each frame, as other parts of a game do: a frame finds its boxes in outer caches, or
in memory, and not where the last one left them.
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#define SAP_IMPLEMENTATION
#include "../sap.h"
#include "args.h"
#include "clock.h"
#include "queries.h"

#ifndef FLAGS
#define FLAGS "?"
#endif

enum { WARM_UP = 10, MOST_FRAMES = 300, LEAST_FRAMES = 10, SCENE_SECONDS = 15, LEVEL_BOXES = 100000 };

static const char *wanted; /* the scenes asked for; NULL: all */
static int frames_wanted;  /* 0: chosen by n */
static int failures;
static char *written; /* before each frame, so much of it */
static size_t write_bytes;

/* ---- the check: a set of pairs as the sum of a hash of each ---- */

typedef struct pair_set {
    uint64_t sum;
    long long count;
} pair_set;

static void set_add(pair_set *s, sap_id a, sap_id b, int sign) {
    uint64_t x = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    s->sum += sign > 0 ? x ^ x >> 31 : 0 - (x ^ x >> 31);
    s->count += sign;
}

static void set_add_events(pair_set *s, const sap_world *world) {
    int created, deleted;
    const sap_pair *c = sap_created(world, &created), *d = sap_deleted(world, &deleted);
    for (int i = 0; i < created; i++) set_add(s, c[i].id0, c[i].id1, 1);
    for (int i = 0; i < deleted; i++) set_add(s, d[i].id0, d[i].id1, -1);
}

static const sap_aabb *sort_boxes;

static int by_min_x(const void *a, const void *b) {
    float x = sort_boxes[*(const int *)a].min[0], y = sort_boxes[*(const int *)b].min[0];
    return (x > y) - (x < y);
}

/* The pairs of a scene the plain way. What is static comes last. */
static pair_set true_pairs(const scene *s, const sap_id *id) {
    pair_set set = {0, 0};
    int moving = s->n, sweep, *order = (int *)malloc(((size_t)s->n + 1) * sizeof *order);
    if (!order) return set;
    for (int i = 0; i < s->n; i++) order[i] = i;
    sort_boxes = s->box;
    while (moving && s->is_static[moving - 1]) moving--;
    sweep = moving > 2000;
    if (sweep) qsort(order, (size_t)s->n, sizeof *order, by_min_x);
    for (int i = 0; i < (sweep ? s->n : moving); i++)
        for (int j = i + 1; j < s->n; j++) {
            const sap_aabb *a = &s->box[order[i]], *b = &s->box[order[j]];
            if (sweep && b->min[0] > a->max[0]) break;
            if (boxes_meet(a, b) && !(s->is_static[order[i]] && s->is_static[order[j]]) &&
                !(scene_is_bullet(s, order[i]) && scene_is_bullet(s, order[j])))
                set_add(&set, id[order[i]], id[order[j]], 1);
        }
    free(order);
    return set;
}

/* ---- printing ---- */

static void out_of_memory(const char *name) {
    printf("%-12s out of memory\n", name);
    exit(1);
}

static const char *title; /* of the table whose head is still to be printed */

static void print_head(void) {
    printf("\n%-30s %21s %7s %10s %10s %10s %9s\n", title, "microseconds     ", "worst/", "", "", "", "created+");
    printf("%-19s %10s %10s %10s %7s %10s %10s %10s %9s %7s\n", "scene", "mean", "median", "worst", "mean", "swaps",
           "tests", "pairs", "deleted", "frames");
    title = NULL;
}

static char *number(char *text, double x) {
    sprintf(text, x < 10 ? "%.2f" : x < 1000 ? "%.1f" : "%.0f", x);
    return text;
}

static void print_row(const char *name, double *time, int n, double swaps, double tests, double pairs, double events,
                      int right) {
    char text[3][32];
    double mean = 0;
    for (int i = 0; i < n; i++) mean += time[i] / n;
    if (title) print_head();
    sort_times(time, n);
    printf("%-19s %10s %10s %10s %7.1f %10.0f %10.0f %10.0f %9.0f %7d%s\n", name, number(text[0], mean),
           number(text[1], time[n / 2]), number(text[2], time[n - 1]), time[n - 1] / mean, swaps, tests, pairs, events,
           n, right ? "" : "  WRONG: not what brute force finds");
    fflush(stdout);
    failures += !right;
}

static int is_wanted(const char *name) {
    return args_list_has(wanted, name);
}

static int frames_for(int n) {
    return frames_wanted ? frames_wanted : n <= 10000 ? MOST_FRAMES : n <= 100000 ? 100 : 30;
}

/* ---- the scenes that move ---- */

/* Fills the world: what is static apart, as a user would. */
static void add_scene(sap_world *world, const scene *s, sap_id *id) {
    int standing = 0;
    for (int i = 0; i < s->n; i++) standing += s->is_static[i];
    if (!standing) sap_add_many(world, s->n, s->box, NULL, id);
    for (int i = 0; i < s->n; i++)
        if (scene_is_bullet(s, i)) sap_set_filter(world, id[i], 2, 1);
    for (int i = 0; i < s->n && standing; i++)
        id[i] = s->is_static[i] ? sap_add_static(world, &s->box[i], NULL) : sap_add(world, &s->box[i], NULL);
}

static void run_scene(const scene_kind *kind, int n, const char *name, int frames) {
    scene s;
    sap_config config = {0};
    pair_set set = {0, 0}, truth;
    double time[MOST_FRAMES + 1], swaps = 0, tests = 0, pairs = 0, events = 0, begin = now();
    int counted = 0, warm_up = n > 10000 ? WARM_UP / 2 : WARM_UP;
    sap_id *id, *moved_id, *new_id;
    sap_aabb *to;
    sap_world *world;
    if (kind->most && n > kind->most) return;
    if (frames > MOST_FRAMES) frames = MOST_FRAMES;
    config.axes = kind->axes;
    world = sap_create(&config);
    id = (sap_id *)calloc((size_t)n + 1, sizeof *id);
    moved_id = (sap_id *)calloc((size_t)n + 1, sizeof *moved_id);
    new_id = (sap_id *)calloc((size_t)n + 1, sizeof *new_id);
    to = (sap_aabb *)calloc((size_t)n + 1, sizeof *to);
    if (!world || !id || !moved_id || !new_id || !to || !scene_make(&s, kind, n)) out_of_memory(name);
    add_scene(world, &s, id);
    sap_update(world);
    set_add_events(&set, world);
    for (int frame = -warm_up; frame < frames && (frame < LEAST_FRAMES || now() - begin < SCENE_SECONDS * 1e6);
         frame++) {
        double start, end;
        int created = 0, deleted = 0, *list = s.replacements ? s.replaced : s.moved, count;
        sap_result result = SAP_OK;
        sap_stats stats;
        scene_step(&s);
        list = s.replacements ? s.replaced : s.moved;
        count = s.replacements ? s.replacements : s.moves;
        for (int i = 0; i < count; i++) {
            moved_id[i] = id[list[i]];
            to[i] = s.box[list[i]];
        }
        if (write_bytes) memset(written, frame, write_bytes);
        start = now();
        if (s.replacements) {
            result = sap_remove_many(world, count, moved_id);
            if (result == SAP_OK) result = sap_add_many(world, count, to, NULL, new_id);
        } else if (count) {
            result = sap_move_many(world, count, moved_id, to);
        }
        if (result == SAP_OK) result = sap_update(world);
        sap_created(world, &created);
        sap_deleted(world, &deleted);
        end = now();
        if (result != SAP_OK) {
            printf("%-12s %s\n", name, sap_result_text(result));
            exit(1);
        }
        for (int i = 0; i < s.replacements; i++) id[list[i]] = new_id[i];
        set_add_events(&set, world);
        if (frame < 0) continue;
        sap_get_stats(world, &stats);
        time[counted++] = end - start;
        swaps += (double)stats.swaps;
        tests += (double)stats.overlap_tests;
        pairs += stats.pairs;
        events += created + deleted;
    }
    truth = true_pairs(&s, id);
    print_row(name, time, counted, swaps / counted, tests / counted, pairs / counted, events / counted,
              set.sum == truth.sum && set.count == truth.count);
    scene_free(&s);
    sap_destroy(world);
    free(id);
    free(moved_id);
    free(new_id);
    free(to);
}

/* ---- all at once ---- */

/* All boxes into a new world, its pairs included, and out again after some frames: a world that has only just been
   filled is easier to empty. What is static is added one by one, as a level is. */
static void run_batches(const char *of, int n) {
    enum { FRAMES_BETWEEN = 60 };
    scene s;
    char add_name[32], remove_name[32];
    double add_time[MOST_FRAMES], remove_time[MOST_FRAMES], begin = now();
    sap_id *id = (sap_id *)calloc((size_t)n + 1, sizeof *id), *moved_id = (sap_id *)calloc((size_t)n + 1, sizeof *id);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n + 1, sizeof *to);
    sap_stats added = {0}, removed = {0};
    int repeats = frames_for(n) / 5 + 5, done = 0, right = 1;
    sprintf(add_name, "add:%s", of);
    sprintf(remove_name, "remove:%s", of);
    if (!id || !moved_id || !to) out_of_memory("add");
    for (; done < repeats && (done < 3 || now() - begin < SCENE_SECONDS * 1e6); done++) {
        pair_set set = {0, 0}, truth;
        sap_world *world = sap_create(NULL);
        int created = 0, deleted = 0;
        double start;
        if (!world || !scene_make(&s, scene_named(of), n)) out_of_memory("add");
        for (int i = 0; i < done; i++) scene_step(&s); /* branches of a world seen before are foreseen */
        start = now();
        add_scene(world, &s, id);
        sap_update(world);
        sap_created(world, &created);
        add_time[done] = now() - start;
        sap_get_stats(world, &added);
        set_add_events(&set, world);
        for (int frame = 0; frame < FRAMES_BETWEEN; frame++) {
            scene_step(&s);
            for (int i = 0; i < s.moves; i++) moved_id[i] = id[s.moved[i]], to[i] = s.box[s.moved[i]];
            sap_move_many(world, s.moves, moved_id, to);
            sap_update(world);
            set_add_events(&set, world);
        }
        if (!done) {
            truth = true_pairs(&s, id);
            right = set.sum == truth.sum && set.count == truth.count;
        }
        start = now();
        sap_remove_many(world, n, id);
        sap_update(world);
        sap_deleted(world, &deleted);
        remove_time[done] = now() - start;
        sap_get_stats(world, &removed);
        right &= set.count == deleted && !removed.pairs && !removed.boxes;
        sap_destroy(world);
        scene_free(&s);
    }
    if (is_wanted("add"))
        print_row(add_name, add_time, done, (double)added.swaps, (double)added.overlap_tests, added.pairs,
                  added.created, right);
    if (is_wanted("remove"))
        print_row(remove_name, remove_time, done, (double)removed.swaps, (double)removed.overlap_tests, 0,
                  removed.deleted, right);
    free(id);
    free(moved_id);
    free(to);
}

static int count_hit(int i, int j, void *user) {
    set_add((pair_set *)user, (sap_id)i + 1, (sap_id)j + 1, 1);
    return 1;
}

/* sap_box_prune, which keeps nothing; its callback hashes each pair. */
static void run_prune(const scene_kind *kind, int n) {
    scene s;
    char name[32];
    double time[MOST_FRAMES], begin = now();
    pair_set set = {0, 0}, truth;
    int repeats = frames_for(n) / 5 + 5, done = 0;
    sap_id *id = (sap_id *)calloc((size_t)n + 1, sizeof *id);
    sprintf(name, "prune:%s", kind->name);
    if (!id || !scene_make(&s, kind, n)) out_of_memory(name);
    for (int i = 0; i < n; i++) id[i] = (sap_id)i + 1;
    for (; done < repeats && (done < 3 || now() - begin < SCENE_SECONDS * 1e6); done++) {
        double start = now();
        memset(&set, 0, sizeof set);
        sap_box_prune(s.box, n, 0, count_hit, &set);
        time[done] = now() - start;
    }
    truth = true_pairs(&s, id);
    print_row(name, time, done, 0, 0, (double)set.count, 0, set.sum == truth.sum && set.count == truth.count);
    scene_free(&s);
    free(id);
}

/* ---- queries ---- */

/* The boxes of a scene into a new world, ready for queries. */
static sap_world *query_world(const scene *s, sap_id *id) {
    sap_config config = {0};
    sap_world *world;
    config.axes = s->kind->axes;
    world = sap_create(&config);
    if (!world || sap_add_many(world, s->n, s->box, NULL, id) != SAP_OK || sap_prepare_queries(world) != SAP_OK)
        out_of_memory("query");
    return world;
}

static void print_query(int kind, const query_result *moved, const query_result *fresh, const query_result *linear,
                        int wrong) {
    printf("%-12s %10.0f %10.0f %10.0f %9.0f %7.2f %10.4g%s\n", query_kinds[kind].name, moved->nanoseconds,
           linear->nanoseconds, linear->nanoseconds / moved->nanoseconds, fresh->nanoseconds,
           moved->nanoseconds / fresh->nanoseconds, moved->sum / QUERIES,
           wrong ? "  WRONG: not what the plain loop finds" : "");
    fflush(stdout);
    failures += wrong;
}

/* All kinds of queries after motion, and what it takes to keep them in step with it. All boxes move. */
static void run_queries(const scene_kind *kind, int n) {
    scene s;
    char median[32], worst[32];
    int frames = frames_wanted ? frames_wanted : QUERY_FRAMES;
    query *list = (query *)calloc(QUERIES, sizeof *list);
    sap_id *id = (sap_id *)calloc((size_t)n + 1, sizeof *id);
    double *time = (double *)calloc((size_t)frames, sizeof *time);
    sap_world *world, *new_world;
    if (!list || !id || !time || !scene_make(&s, kind, n)) out_of_memory("query");
    world = query_world(&s, id);
    for (int frame = 0; frame < frames; frame++) {
        sap_result result;
        scene_step(&s);
        sap_move_many(world, n, id, s.box);
        time[frame] = now();
        result = sap_prepare_queries(world);
        time[frame] = now() - time[frame];
        if (result != SAP_OK || sap_update(world) != SAP_OK) out_of_memory("query");
    }
    new_world = query_world(&s, id);
    queries_make(list, &s);
    sort_times(time, frames);
    printf("\n%dD queries of %d boxes after %d frames; to take in a frame: %s microseconds, worst %s\n", scene_axes(&s),
           n, frames, number(median, time[frames / 2]), number(worst, time[frames - 1]));
    printf("%-12s %10s %10s %10s %9s %7s %10s\n", "query", "nanosec.", "loop", "loop/sap.h", "new world", "decay",
           "answer");
    for (int k = 0; k < QUERY_KINDS_OF_SAP; k++) {
        query_result moved = {0, 0, 0}, fresh = moved, linear = moved;
        for (int round = 0; round < QUERY_ROUNDS; round++) {
            queries_ask(&moved, sap_answer, world, k, list, QUERIES);
            queries_ask(&fresh, sap_answer, new_world, k, list, QUERIES);
        }
        for (int round = 0; round < QUERY_ROUNDS; round++)
            queries_ask(&linear, linear_answer, &s, k, list, QUERIES_CHECKED);
        const int wrong = k != QUERY_SLIDE && queries_wrong(sap_answer, world, k, list, &s);
        print_query(k, &moved, &fresh, &linear, wrong || moved.sum != fresh.sum);
    }
    sap_destroy(world);
    sap_destroy(new_world);
    scene_free(&s);
    free(list);
    free(id);
    free(time);
}

/* ---- snapshots ---- */

static void run_snapshots(int n) {
    enum { SAVE, RESTORE, RESUME, STEPS };
    static const char *const names[STEPS] = {"save", "restore", "resume"};
    const scene_kind *kind = scene_named("brownian");
    int frames = frames_for(n), right = 1;
    double *time[STEPS];
    scene s;
    sap_id *id = (sap_id *)calloc((size_t)n + 1, sizeof *id);
    sap_world *world = sap_create(NULL);
    unsigned char *bytes = NULL, *again = NULL;
    size_t size = 0;
    for (int i = 0; i < STEPS; i++) time[i] = (double *)calloc((size_t)frames, sizeof **time);
    if (!id || !world || !time[SAVE] || !time[RESTORE] || !time[RESUME] || !scene_make(&s, kind, n))
        out_of_memory("snapshot");
    add_scene(world, &s, id);
    right &= sap_update(world) == SAP_OK;
    for (int frame = 0; frame < frames; frame++) {
        double start;
        size = sap_snapshot_size(world);
        bytes = (unsigned char *)realloc(bytes, size);
        again = (unsigned char *)realloc(again, size);
        if (!bytes || !again) out_of_memory("snapshot");
        memset(bytes, 0, size); /* not the first time that this memory is written */
        start = now();
        right &= sap_save(world, bytes, size) == SAP_OK;
        time[SAVE][frame] = now() - start;
        start = now();
        right &= sap_restore(world, bytes, size) == SAP_OK;
        time[RESTORE][frame] = now() - start;
        right &=
            sap_snapshot_size(world) == size && sap_save(world, again, size) == SAP_OK && !memcmp(bytes, again, size);
        scene_step(&s);
        start = now();
        right &= sap_move_many(world, n, id, s.box) == SAP_OK && sap_update(world) == SAP_OK;
        time[RESUME][frame] = now() - start;
    }
    for (int i = 0; i < STEPS; i++) print_row(names[i], time[i], frames, 0, 0, 0, 0, right);
    printf("%-12s %.1f bytes and %.1f nanoseconds a box to save, %.1f to restore\n", "", (double)size / n,
           1e3 * time[SAVE][frames / 2] / n, 1e3 * time[RESTORE][frames / 2] / n);
    for (int i = 0; i < STEPS; i++) free(time[i]);
    scene_free(&s);
    free(id);
    free(bytes);
    free(again);
    sap_destroy(world);
}

/* ---- calls ---- */

/* What recording takes, and looks: all boxes in one call, and one by one. In a world with room, where all has been
   written before. */
static void run_calls(int n) {
    enum { ADD, MOVE, REMOVE, GET, FIND, PAIRS, CALLS, ROUNDS = 21 };
    static const char *const names[CALLS] = {"add", "move", "remove", "get_box", "find_pair", "pairs_of"};
    double time[CALLS][2][ROUNDS];
    scene s;
    sap_id *id = (sap_id *)calloc((size_t)n + 1, sizeof *id), others[16];
    sap_world *world = sap_create(NULL);
    int right = 1, count;
    if (!id || !world || !scene_make(&s, scene_named("brownian"), n) || sap_reserve(world, n, 4 * n) != SAP_OK)
        out_of_memory("calls");
    for (int round = -1; round < ROUNDS; round++)
        for (int single = 0; single < 2; single++) {
            double start = now(), at[CALLS];
            const sap_pair *pairs;
            if (single)
                for (int i = 0; i < n; i++) id[i] = sap_add(world, &s.box[i], NULL);
            else
                right &= sap_add_many(world, n, s.box, NULL, id) == SAP_OK;
            at[ADD] = now() - start;
            right &= sap_update(world) == SAP_OK;
            scene_step(&s);
            start = now();
            if (single)
                for (int i = 0; i < n; i++) right &= sap_move(world, id[i], &s.box[i]) == SAP_OK;
            else
                right &= sap_move_many(world, n, id, s.box) == SAP_OK;
            at[MOVE] = now() - start;
            right &= sap_update(world) == SAP_OK;
            start = now();
            for (int i = 0; i < n; i++) {
                sap_aabb box;
                right &= sap_get_box(world, id[i], &box) == SAP_OK && box.min[0] == s.box[i].min[0];
            }
            at[GET] = now() - start;
            pairs = sap_pairs(world, &count);
            if (count) right &= sap_find_pair(world, pairs[0].id1, pairs[0].id0) == pairs; /* links all */
            start = now();
            for (int i = 0; i < count; i++) right &= sap_find_pair(world, pairs[i].id0, pairs[i].id1) == pairs + i;
            at[FIND] = count ? (now() - start) * n / count : 0;
            (void)sap_pairs_of(world, id[0], others, 16); /* links all */
            start = now();
            for (int i = 0; i < n; i++) right &= sap_pairs_of(world, id[i], others, 16) >= 0;
            at[PAIRS] = now() - start;
            start = now();
            if (single)
                for (int i = 0; i < n; i++) right &= sap_remove(world, id[i]) == SAP_OK;
            else
                right &= sap_remove_many(world, n, id) == SAP_OK;
            at[REMOVE] = now() - start;
            right &= sap_update(world) == SAP_OK;
            for (int k = 0; k < CALLS && round >= 0; k++) time[k][single][round] = at[k];
        }
    printf("\n%-12s %10s %10s nanoseconds a box or pair\n", "call", "one by one", "_many");
    for (int k = 0; k < CALLS; k++) {
        for (int single = 0; single < 2; single++) sort_times(time[k][single], ROUNDS);
        printf("%-12s %10.1f", names[k], 1e3 * time[k][1][ROUNDS / 2] / n);
        if (k <= REMOVE) printf(" %10.1f", 1e3 * time[k][0][ROUNDS / 2] / n);
        printf("%s\n", right ? "" : "  WRONG");
    }
    failures += !right;
    scene_free(&s);
    free(id);
    sap_destroy(world);
}

/* ---- static boxes ---- */

/* A level in one batch: until its pairs could be taken, and until it can be asked. */
static void run_level(void) {
    enum { REPEATS = 9 };
    scene s;
    double update_time[REPEATS], query_time[REPEATS];
    sap_id *id = (sap_id *)calloc(LEVEL_BOXES, sizeof *id);
    int right = 1;
    if (!id || !scene_make(&s, &level_kind, LEVEL_BOXES)) out_of_memory("level");
    for (int i = 0; i < REPEATS; i++) {
        sap_world *world = sap_create(NULL);
        sap_stats stats;
        double start = now();
        right &= sap_add_static_many(world, s.n, s.box, NULL, id) == SAP_OK && sap_update(world) == SAP_OK;
        update_time[i] = now() - start;
        start = now();
        right &= sap_prepare_queries(world) == SAP_OK;
        query_time[i] = now() - start;
        sap_get_stats(world, &stats);
        right &= stats.static_boxes == s.n && !stats.pairs;
        sap_destroy(world);
    }
    title = "100000 static";
    print_row("add, update", update_time, REPEATS, 0, 0, 0, 0, right);
    print_row("then queries", query_time, REPEATS, 0, 0, 0, 0, right);
    scene_free(&s);
    free(id);
}

/* The same 1,000 walkers among 1,000 static boxes and more. */
static void run_standing(void) {
    title = "1000 walk";
    for (int i = 0; i < WALKER_KINDS; i++)
        for (int standing = 1000; standing <= 1000000; standing *= 10) {
            char name[32];
            sprintf(name, "%s:%d", walker_kinds[i].name, standing);
            run_scene(&walker_kinds[i], SCENE_WALKERS + standing, name, frames_for(SCENE_WALKERS));
        }
    run_level();
}

/* ---- the machine ---- */

/* How much the machine alone makes one fixed piece of work vary: worst / median of 300 runs of about 'span'
   microseconds. */
static double noise(double span) {
    double time[MOST_FRAMES];
    long rounds = 1000;
    volatile uint32_t sink = 1;
    for (int i = -1; i < MOST_FRAMES; i++) {
        uint32_t x = sink;
        double start = now();
        for (long r = 0; r < rounds; r++) x = (x ^ x << 13) * 2654435761u;
        sink = x;
        start = now() - start;
        if (i < 0 && start < span / 2) { /* not yet long enough: lengthen it and try again */
            rounds = start > 1 ? (long)((double)rounds * span / start) + 1 : rounds * 2;
            i--;
            continue;
        }
        if (i >= 0) time[i] = start;
    }
    sort_times(time, MOST_FRAMES);
    return time[MOST_FRAMES - 1] / time[MOST_FRAMES / 2];
}

static void print_noise(void) {
    printf("noise     the same loop 300 times, worst/median: %.1f at 20 microseconds, %.1f at 1,000, %.1f at "
           "10,000\n",
           noise(20), noise(1000), noise(10000));
}

static void print_machine(void) {
    printf("machine   %s\ncompiler  %s, %s\n", args_processor(), ARGS_COMPILER, FLAGS);
}

/* What sap_reserve takes, scratch included. */
static void print_memory(void) {
    enum { BOXES = 10000 };
    sap_world *world = sap_create(NULL);
    sap_stats empty, boxes, pairs;
    if (!world) out_of_memory("memory");
    sap_get_stats(world, &empty);
    sap_reserve(world, BOXES, 0);
    sap_get_stats(world, &boxes);
    sap_reserve(world, BOXES, BOXES);
    sap_get_stats(world, &pairs);
    printf("memory    %.1f bytes a box and %.1f a pair, as sap_reserve(%d, %d) takes them, scratch included\n",
           (double)(boxes.bytes - empty.bytes) / BOXES, (double)(pairs.bytes - boxes.bytes) / BOXES, BOXES, BOXES);
    sap_destroy(world);
}

static void list_scenes(void) {
    for (int i = 0; i < SCENE_KINDS; i++) printf("%-16s %s\n", scene_kinds[i].name, scene_kinds[i].what);
    for (int i = 0; i < CROWD_NAMES; i++)
        printf("%-16s %s\n", crowd_names[i], i ? "" : scene_named(crowd_names[i])->what);
    printf("%-16s all boxes of 'brownian' and 'town' into a new world, their pairs included, memory not reserved\n",
           "add");
    printf("%-16s the same out of it after 60 frames, in one batch\n", "remove");
    for (int i = 0; i < PRUNE_KINDS; i++)
        printf("prune:%-10s sap_box_prune, %s\n", prune_kinds[i].name, prune_kinds[i].what);
    printf("%-16s a world that walks is saved and restored, and goes on\n", "snapshot");
    printf("%-16s recording and looking, one by one and many at once\n", "calls");
    for (int i = 0; i < QUERY_KINDS_OF_SAP; i++)
        printf("%-16s %s: %s\n", i ? "" : "query", query_kinds[i].name, query_kinds[i].what);
    for (int i = 0; i < WALKER_KINDS; i++)
        printf("%-16s %s: %s\n", i ? "" : "standing", walker_kinds[i].name, walker_kinds[i].what);
}

static int usage(void) {
    fprintf(stderr,
            "usage: bench [-n 1000,10000] [-s scene,...] [-f frames] [-c megabytes] [--cpu] [--list] [--noise]\n");
    return 2;
}

int main(int argc, char **argv) {
    const char *sizes = args_value(argc, argv, "-n", 1), *frames = args_value(argc, argv, "-f", 1);
    const char *megabytes = args_value(argc, argv, "-c", 1);
    if (!args_are(argc, argv, "-n= -s= -f= -c= --cpu --list --noise")) return usage();
    if (args_value(argc, argv, "--list", 0)) return list_scenes(), 0;
    if (args_value(argc, argv, "--noise", 0)) return print_noise(), 0;
    if (args_value(argc, argv, "--cpu", 0)) clock_used = CLOCK_THREAD_CPUTIME_ID;
    if (!sizes) sizes = "1000,10000,100000";
    if (frames) frames_wanted = atoi(frames);
    if (megabytes) write_bytes = (size_t)atoi(megabytes) << 20;
    if (write_bytes && !(written = (char *)malloc(write_bytes))) return 1;
    wanted = args_value(argc, argv, "-s", 1);
    print_machine();
    print_noise();
    print_memory();
    for (const char *p = sizes; p; p = args_next(p)) {
        char boxes[32];
        int n = atoi(p);
        if (n < 1) return usage();
        sprintf(boxes, "%d boxes", n);
        title = boxes;
        for (int i = 0; i < SCENE_KINDS; i++)
            if (is_wanted(scene_kinds[i].name)) run_scene(&scene_kinds[i], n, scene_kinds[i].name, frames_for(n));
        for (int i = 0; i < CROWD_NAMES && !wanted; i++)
            run_scene(scene_named(crowd_names[i]), n, crowd_names[i], frames_for(n));
        for (const char *p = wanted; p; p = args_next(p)) {
            const scene_kind *crowd = scene_crowd_named(p);
            if (crowd) run_scene(crowd, n, crowd->name, frames_for(n));
        }
        if (is_wanted("add") || is_wanted("remove")) run_batches("brownian", n), run_batches("town", n);
        for (int i = 0; i < PRUNE_KINDS; i++) {
            char name[32];
            sprintf(name, "prune:%s", prune_kinds[i].name);
            if (is_wanted(name)) run_prune(&prune_kinds[i], n);
        }
        if (is_wanted("snapshot")) run_snapshots(n);
        if (is_wanted("calls")) run_calls(n);
        for (int i = 0; i < QUERY_SCENES; i++)
            if (is_wanted("query")) run_queries(scene_named(query_scenes[i]), n);
    }
    if (is_wanted("standing")) run_standing();
    printf(failures ? "\n%d results were WRONG\n" : "\nevery result agreed with brute force\n", failures);
    return failures != 0;
}
