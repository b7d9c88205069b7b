/*
multi.c - measures sap_multi.h beside sap.h, frame by frame in turn, on the scenes of scenes.h

    multi [-n 1000,10000,100000] [-s brownian,sparse] [-f frames] [-t threads]

A frame's time is that of handing in the boxes that moved and of the update, as in bench.c. 'grid' is sap_multi on one
thread, which chooses a grid where there are boxes enough, 'threads' the same with so many threads (2). Medians of all
frames; after each the numbers of created and deleted pairs must be the same.

'speed-up' is grid by threads, and where two cores are unequal hangs on which of them the caller is; 'quiet' the
same of the fastest tenth of the frames, in which nothing else ran on the machine's cores; 'machine' what the
threads gain in those on plain arithmetic that shares nothing: no more is to be had.
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>
#define SAP_MULTI_IMPLEMENTATION
#include "../sap_multi.h"
#include "clock.h"
#include "../examples/pool.h"
#include "scenes.h"

enum { ONE, GRID, THREADS, WAYS, MOST_FRAMES = 300 };

static double median(double *time, int n) {
    sort_times(time, n);
    return time[n / 2];
}

static double fastest_tenth(const double *sorted, int n) {
    return sorted[n / 20];
}

/* Arithmetic for the time of a small job; data is where the results go. */
static void spin(void *data, int index) {
    uint32_t x = (uint32_t)index + 1;
    for (int i = 0; i < 300000; i++) x = x * 1664525u + 1013904223u;
    ((volatile uint32_t *)data)[16 * (index % 64)] = x;
}

/* A sap_world, or a sap_multi. */
typedef struct side {
    sap_world *world;
    sap_multi *multi;
    sap_id *id;
    double time[MOST_FRAMES];
} side;

static void side_add(side *t, const scene *s) {
    for (int i = 0; i < s->n; i++)
        t->id[i] = t->world ? (s->is_static[i] ? sap_add_static : sap_add)(t->world, &s->box[i], NULL)
                            : (s->is_static[i] ? sap_multi_add_static : sap_multi_add)(t->multi, &s->box[i], NULL);
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
    if (t->world) {
        if (s->replacements) {
            sap_remove_many(t->world, count, ids);
            sap_add_many(t->world, count, to, NULL, ids);
        } else
            sap_move_many(t->world, count, ids, to);
        sap_update(t->world);
    } else {
        if (s->replacements) {
            sap_multi_remove_many(t->multi, count, ids);
            sap_multi_add_many(t->multi, count, to, NULL, ids);
        } else
            sap_multi_move_many(t->multi, count, ids, to);
        sap_multi_update(t->multi);
    }
    start = now() - start;
    for (int i = 0; i < s->replacements; i++) t->id[list[i]] = ids[i];
    if (t->world) {
        sap_created(t->world, &created);
        sap_deleted(t->world, &deleted);
    } else {
        sap_multi_created(t->multi, &created);
        sap_multi_deleted(t->multi, &deleted);
    }
    *events = created * 7 + deleted;
    return start;
}

static int run(const scene_kind *kind, int n, int frames, int threads) {
    scene s;
    side way[WAYS];
    sap_multi_config config;
    sap_stats stats;
    pool p;
    sap_id *ids = (sap_id *)calloc((size_t)n, sizeof *ids);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n, sizeof *to);
    double one, grid, many, quiet, alone[MOST_FRAMES], shared[MOST_FRAMES];
    uint32_t results[16 * 64];
    int equal = 1;
    if (kind->most && n > kind->most) return 1;
    if (!scene_make(&s, kind, n) || !ids || !to) return 0;
    pool_start(&p, threads);
    memset(&config, 0, sizeof config);
    config.sap.axes = kind->axes;
    for (int w = 0; w < WAYS; w++) {
        if (w == THREADS) config.parallel = pool_run, config.parallel_user = &p;
        way[w].world = w == ONE ? sap_create(&config.sap) : NULL;
        way[w].multi = w == ONE ? NULL : sap_multi_create(&config);
        way[w].id = (sap_id *)calloc((size_t)n, sizeof(sap_id));
        side_add(&way[w], &s);
        if (w == ONE)
            sap_update(way[w].world);
        else
            sap_multi_update(way[w].multi);
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
            double start = now();
            for (int i = 0; i < threads; i++) spin(results, i);
            alone[frame] = now() - start;
            start = now();
            pool_run(spin, results, threads, &p);
            shared[frame] = now() - start;
        }
    }
    one = median(way[ONE].time, frames), grid = median(way[GRID].time, frames);
    many = median(way[THREADS].time, frames);
    quiet = fastest_tenth(way[GRID].time, frames) / fastest_tenth(way[THREADS].time, frames);
    sort_times(alone, frames);
    sort_times(shared, frames);
    sap_multi_get_stats(way[GRID].multi, &stats);
    printf("%-12s %8d %10.1f %10.1f %10.1f %8.2f %8.2f %8.2f %8.2f %8.0f%s\n", kind->name, n, one, grid, many,
           grid / one, grid / many, quiet, fastest_tenth(alone, frames) / fastest_tenth(shared, frames),
           (double)stats.bytes / (n ? n : 1), equal ? "" : "  WRONG: other events");
    fflush(stdout);
    for (int w = 0; w < WAYS; w++) {
        sap_destroy(way[w].world);
        sap_multi_destroy(way[w].multi);
        free(way[w].id);
    }
    pool_stop(&p);
    scene_free(&s);
    free(ids);
    free(to);
    return equal;
}

static int is_in(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, name, length) && (!p[length] || p[length] == ',')) return 1;
    return list == NULL;
}

int main(int argc, char **argv) {
    const char *sizes = "1000,10000,100000", *wanted = "brownian,fast,sparse,teleport,gravity,sizes,bigworld,storm";
    int frames = 60, threads = 2, good = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-n")) sizes = argv[i + 1];
        if (!strcmp(argv[i], "-s")) wanted = argv[i + 1];
        if (!strcmp(argv[i], "-f")) frames = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "-t")) threads = atoi(argv[i + 1]);
    }
    if (frames < 1 || frames > MOST_FRAMES) frames = MOST_FRAMES;
    printf("%-12s %8s %10s %10s %10s %8s %8s %8s %8s %8s\n", "scene", "boxes", "one", "grid", "threads", "grid/one",
           "speed-up", "quiet", "machine", "B/box");
    for (const char *p = sizes; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        for (int k = 0; k < SCENE_KINDS; k++)
            if (is_in(wanted, scene_kinds[k].name)) good &= run(&scene_kinds[k], atoi(p), frames, threads);
    return !good;
}
