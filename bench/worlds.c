/* worlds.c - what a frame takes in each world of worlds.h and scenes.h: processor time, and boxes tested

   worlds [-s name;name] [-n boxes] [-f frames] [-m method]: one line a world. make bench-beside OLD=folder runs it with two
   versions of sap.h in turn, and prints how many times as long the one of this folder takes. */
#define _POSIX_C_SOURCE 199309L
#define SAP_IMPLEMENTATION
#ifndef SAP_PATH
#define SAP_PATH "../sap.h"
#endif
#include SAP_PATH
#include "args.h"
#include "clock.h"
#include "scenes.h"
#include "worlds.h"

enum { WARM = 10, MOST_BOXES = 200000 };
static sap_id id[MOST_BOXES], moved_id[MOST_BOXES];
static sap_aabb moved_box[MOST_BOXES];
static int frames = 100, method;

typedef struct cost {
    double time, worst, tests, upkeep;
} cost;

static sap_world *open_world(int axes, int n, const sap_aabb *box, const unsigned char *is_static, int loners) {
    sap_config config;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    config.method = method;
    sap_world *s = sap_create(&config);
    for (int i = 0; i < n; i++) {
        id[i] = is_static && is_static[i] ? sap_add_static(s, &box[i], NULL) : sap_add(s, &box[i], NULL);
        if (loners && i % 50) (void)sap_set_filter(s, id[i], 2, 1);
    }
    return s;
}

/* One frame of what moved, and of what was replaced. */
static void lead(sap_world *s, const sap_aabb *box, const int *moved, int moves, const int *replaced, int replaces,
                 int loners, cost *c, int frame) {
    sap_stats stats;
    for (int i = 0; i < moves; i++) moved_id[i] = id[moved[i]], moved_box[i] = box[moved[i]];
    const double begin = now();
    for (int i = 0; i < replaces; i++) {
        (void)sap_remove(s, id[replaced[i]]);
        id[replaced[i]] = sap_add(s, &box[replaced[i]], NULL);
        if (loners && replaced[i] % 50) (void)sap_set_filter(s, id[replaced[i]], 2, 1);
    }
    (void)sap_move_many(s, moves, moved_id, moved_box);
    (void)sap_update(s);
    const double time = now() - begin;
    if (frame < WARM) return;
    sap_get_stats(s, &stats);
    c->time += time / frames;
    c->tests += (double)stats.overlap_tests / frames;
    c->upkeep += (double)stats.upkeep / frames;
    if (time > c->worst) c->worst = time;
}

static void print(const char *name, int n, const cost *c) {
    printf("%-22s %7d %10.2f %10.1f %8.2f %8.3f\n", name, n, c->time, c->worst, c->tests / n, c->upkeep / n);
    fflush(stdout);
}

static void run_scene(const scene_kind *kind, int n) {
    scene sc;
    cost c = {0, 0, 0, 0};
    if (!scene_make(&sc, kind, n)) exit(2);
    const int loners = kind->place == PLACE_BULLETS;
    sap_world *s = open_world(kind->axes, n, sc.box, sc.is_static, loners);
    (void)sap_update(s);
    for (int frame = 0; frame < WARM + frames; frame++) {
        scene_step(&sc);
        lead(s, sc.box, sc.moved, sc.moves, sc.replaced, sc.replacements, loners, &c, frame);
    }
    print(kind->name, n, &c);
    sap_destroy(s);
    scene_free(&sc);
}

static void run_world(const world_kind *kind, int n) {
    world w;
    cost c = {0, 0, 0, 0};
    world_make(&w, kind, n);
    const int loners = kind->motion[0].motion == SHOOTS;
    sap_world *s = open_world(w.shape->axes, n, w.box, NULL, loners);
    (void)sap_update(s);
    for (int frame = 0; frame < WARM + frames; frame++) {
        world_step(&w);
        lead(s, w.box, w.moved, w.moves, w.replaced, w.replaces, loners, &c, frame);
    }
    print(kind->name, n, &c);
    sap_destroy(s);
    world_free(&w);
}

static int is_wanted(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *p = list; p; p = strchr(p, ';') ? strchr(p, ';') + 1 : NULL)
        if (!strncmp(p, name, length) && (!p[length] || p[length] == ';')) return 1;
    return !list;
}

int main(int argc, char **argv) {
    const char *list = args_value(argc, argv, "-s", 1), *boxes = args_value(argc, argv, "-n", 1);
    if (args_value(argc, argv, "-f", 1)) frames = atoi(args_value(argc, argv, "-f", 1));
    if (args_value(argc, argv, "-m", 1)) method = atoi(args_value(argc, argv, "-m", 1));
    clock_used = CLOCK_THREAD_CPUTIME_ID;
    printf("%-22s %7s %10s %10s %8s %8s\n", "world", "boxes", "us", "worst", "tests", "upkeep");
    for (int i = 0; i < SCENE_KINDS; i++) {
        const scene_kind *kind = &scene_kinds[i];
        const int n = boxes ? atoi(boxes) : 10000;
        if (is_wanted(list, kind->name) && kind->motion != STAND)
            run_scene(kind, kind->most && n > kind->most ? kind->most : n);
    }
    for (int i = 0; i < WORLD_KINDS; i++)
        if (is_wanted(list, world_kinds[i].name))
            run_world(&world_kinds[i], boxes ? atoi(boxes) : world_kinds[i].boxes);
    return 0;
}
