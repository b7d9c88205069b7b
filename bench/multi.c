/*
multi.c - measures what a grid and threads gain, frame by frame in turn, on the scenes of scenes.h

    multi [-n 1000,10000,100000] [-s brownian,sparse] [-f frames] [-t threads] [-m sort]

A frame's time is that of handing in the boxes that moved and of the update, as in bench.c. 'one' is a plain world,
'grid' has a grid of SAPs that is chosen from the boxes, 'threads' the same with so many threads (2). With -m sort all
settle by SAP_METHOD_SORT; else by AUTO, which does not use the grid. Medians of all frames; after each the numbers of
created and deleted pairs must be the same.

'speed-up' is grid by threads. A machine may lend two threads one core at times: 'machine' is what the threads gain where
they update small worlds that share nothing, measured after each frame; hardly more is to be had. 'cores' is in how
many percent of the frames that was at least 0.8 a thread, and 'then' the speed-up in these frames alone (0: there were none).
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>
#define SAP_MULTI_IMPLEMENTATION
#include "../sap_multi.h"
#include "args.h"
#include "clock.h"
#include "../examples/pool.h"
#include "scenes.h"

enum { ONE, GRID, THREADS, WAYS, MOST_FRAMES = 300 };

static double median(double *time, int n) {
    sort_times(time, n);
    return time[n / 2];
}

/* A world that one thread updates alone: its boxes go to and fro. Several for each thread, so that none waits long. */
typedef struct lone {
    sap_world *world;
    sap_id *id;
    sap_aabb *to[2];
    int n, turn;
} lone;

enum { LONES = 8, LONE_BOXES = 1000, LONE_UPDATES = 20 };

static void lone_make(lone *l, const scene *s) {
    l->n = s->n < LONE_BOXES ? s->n : LONE_BOXES;
    l->turn = 0;
    l->world = sap_create(NULL);
    l->id = (sap_id *)calloc((size_t)l->n, sizeof *l->id);
    for (int k = 0; k < 2; k++) {
        l->to[k] = (sap_aabb *)calloc((size_t)l->n, sizeof **l->to);
        for (int i = 0; i < l->n; i++) {
            l->to[k][i] = s->box[i];
            l->to[k][i].max[0] += (float)k * 0.1f;
        }
    }
    sap_add_many(l->world, l->n, l->to[0], NULL, l->id);
    sap_update(l->world);
}

static void lone_free(lone *l) {
    sap_destroy(l->world);
    free(l->id);
    free(l->to[0]);
    free(l->to[1]);
}

static void lone_update(void *data, int index) {
    lone *l = (lone *)data + index;
    for (int i = 0; i < LONE_UPDATES; i++) {
        sap_move_many(l->world, l->n, l->id, l->to[l->turn ^= 1]);
        sap_update(l->world);
    }
}

/* What the threads gain now. */
static double machine_gain(lone *worlds, pool *p) {
    double start = now(), shared;
    pool_run(lone_update, worlds, LONES, p);
    shared = now() - start;
    start = now();
    for (int i = 0; i < LONES; i++) lone_update(worlds, i);
    return (now() - start) / shared;
}

typedef struct side {
    sap_world *world;
    sap_id *id;
    double time[MOST_FRAMES];
} side;

static void side_add(side *t, const scene *s) {
    for (int i = 0; i < s->n; i++) t->id[i] = (s->is_static[i] ? sap_add_static : sap_add)(t->world, &s->box[i], NULL);
}

static double side_frame(side *t, const scene *s, sap_id *ids, sap_aabb *to, int *events) {
    const int *list = s->replacements ? s->replaced : s->moved;
    int count = s->replacements ? s->replacements : s->moves, created, deleted;
    double start;
    for (int i = 0; i < count; i++) {
        ids[i] = t->id[list[i]];
        to[i] = s->box[list[i]];
    }
    start = now();
    if (s->replacements) {
        sap_remove_many(t->world, count, ids);
        sap_add_many(t->world, count, to, NULL, ids);
    } else
        sap_move_many(t->world, count, ids, to);
    sap_update(t->world);
    start = now() - start;
    for (int i = 0; i < s->replacements; i++) t->id[list[i]] = ids[i];
    sap_created(t->world, &created);
    sap_deleted(t->world, &deleted);
    *events = created * 7 + deleted;
    return start;
}

static int run(const scene_kind *kind, int n, int frames, int threads, int method) {
    scene s;
    side way[WAYS];
    sap_config config;
    sap_grid chosen;
    sap_stats stats;
    pool p;
    sap_id *ids = (sap_id *)calloc((size_t)n, sizeof *ids);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n, sizeof *to);
    double one, grid, many, gain[MOST_FRAMES], with_cores[WAYS][MOST_FRAMES], then = 0;
    lone worlds[LONES];
    int equal = 1, cores = 0;
    if (kind->most && n > kind->most) return 1;
    if (!scene_make(&s, kind, n) || !ids || !to) return 0;
    pool_start(&p, threads);
    for (int i = 0; i < LONES; i++) lone_make(&worlds[i], &s);
    memset(&config, 0, sizeof config);
    memset(&chosen, 0, sizeof chosen);
    config.axes = kind->axes;
    config.method = method;
    for (int w = 0; w < WAYS; w++) {
        way[w].world = sap_create(&config);
        if (w != ONE) sap_set_grid(way[w].world, &chosen);
        if (w == THREADS) sap_set_parallel(way[w].world, pool_run, &p);
        way[w].id = (sap_id *)calloc((size_t)n, sizeof(sap_id));
        side_add(&way[w], &s);
        sap_update(way[w].world);
    }
    for (int frame = -5; frame < frames; frame++) {
        int events[WAYS];
        scene_step(&s);
        for (int k = 0; k < WAYS; k++) {
            int w = (k + frame + 5) % WAYS; /* each is as often the first, which has the colder caches */
            double time = side_frame(&way[w], &s, ids, to, &events[w]);
            if (frame >= 0) way[w].time[frame] = time;
        }
        equal &= events[ONE] == events[GRID] && events[ONE] == events[THREADS];
        if (frame >= 0) {
            gain[frame] = machine_gain(worlds, &p);
            for (int w = 0; w < WAYS; w++) with_cores[w][cores] = way[w].time[frame];
            cores += gain[frame] >= 0.8 * threads;
        }
    }
    if (cores) then = median(with_cores[GRID], cores) / median(with_cores[THREADS], cores);
    one = median(way[ONE].time, frames), grid = median(way[GRID].time, frames);
    many = median(way[THREADS].time, frames);
    sap_get_stats(way[GRID].world, &stats);
    printf("%-12s %8d %10.1f %10.1f %10.1f %8.2f %8.2f %8.2f %7d%% %8.2f %8.0f%s\n", kind->name, n, one, grid, many,
           grid / one, grid / many, median(gain, frames), 100 * cores / frames, then, (double)stats.bytes / (n ? n : 1),
           equal ? "" : "  WRONG: other events");
    fflush(stdout);
    for (int w = 0; w < WAYS; w++) {
        sap_destroy(way[w].world);
        free(way[w].id);
    }
    pool_stop(&p);
    for (int i = 0; i < LONES; i++) lone_free(&worlds[i]);
    scene_free(&s);
    free(ids);
    free(to);
    return equal;
}

int main(int argc, char **argv) {
    const char *sizes = args_value(argc, argv, "-n", 1), *wanted = args_value(argc, argv, "-s", 1);
    const char *frames_text = args_value(argc, argv, "-f", 1), *threads_text = args_value(argc, argv, "-t", 1);
    const int method = args_value(argc, argv, "-m", 1) ? SAP_METHOD_SORT : SAP_METHOD_AUTO;
    int frames = frames_text ? atoi(frames_text) : 60, threads = threads_text ? atoi(threads_text) : 2, good = 1;
    if (!args_are(argc, argv, "-n= -s= -f= -t= -m=")) {
        fprintf(stderr, "usage: multi [-n 1000,10000] [-s scene,...] [-f frames] [-t threads] [-m sort]\n");
        return 2;
    }
    if (!sizes) sizes = "1000,10000,100000";
    if (!wanted) wanted = "brownian,fast,sparse,teleport,gravity,sizes,bigworld,storm";
    if (frames < 1 || frames > MOST_FRAMES) frames = MOST_FRAMES;
    if (threads < 1) threads = 2;
    printf("%-12s %8s %10s %10s %10s %8s %8s %8s %8s %8s %8s\n", "scene", "boxes", "one", "grid", "threads", "grid/one",
           "speed-up", "machine", "cores", "then", "B/box");
    for (const char *p = sizes; p; p = args_next(p))
        for (int k = 0; k < SCENE_KINDS; k++)
            if (args_list_has(wanted, scene_kinds[k].name))
                good &= run(&scene_kinds[k], atoi(p), frames, threads, method);
    return !good;
}
