/*
Shows how to query one world from several threads: sap_prepare_queries, then no change until all are done.

    cc -I.. -I/usr/include/stb -O2 -o threads 18_threads.c -pthread -lm && ./threads

The threads are plain POSIX threads; each looks for all enemies that the guards of its task can see. It prints:

    frame 0: guards see 7153 enemies with 1 thread, 7153 with 4
    frame 1: guards see 7136 enemies with 1 thread, 7136 with 4
    frame 2: guards see 7057 enemies with 1 thread, 7057 with 4
    frame 3: guards see 7034 enemies with 1 thread, 7034 with 4
*/
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { WALL = 2, ENEMY = 4, GUARD = 8 }; /* categories */
enum { WALLS = 600, ENEMIES = 3000, GUARDS = 1000, FRAMES = 4, MOST_THREADS = 4 };
static const float side = 1000, sight = 40;

static sap_world *world;
static sap_aabb boxes[WALLS + ENEMIES + GUARDS];
static sap_id ids[WALLS + ENEMIES + GUARDS];

typedef struct task { /* a thread has some of the guards, and writes nothing else */
    int from, to;
    int seen;
    float eye[3]; /* the eye of the guard that looks */
} task;

static void middle_of(const sap_aabb *box, float middle[3]) {
    for (int k = 0; k < 3; k++) middle[k] = (box->min[k] + box->max[k]) / 2;
}

/* Called for each enemy in reach. A ray tells whether a wall is between: a callback may make queries. */
static int look(sap_id id, void *object, void *user) {
    task *s = (task *)user;
    float at[3], way[3];
    (void)id;
    middle_of((const sap_aabb *)object, at);
    for (int k = 0; k < 3; k++) way[k] = at[k] - s->eye[k];
    s->seen += sap_ray_closest(world, s->eye, way, WALL, NULL) == 0;
    return 1;
}

static void *look_around(void *user) {
    task *s = (task *)user;
    for (int i = s->from; i < s->to; i++) {
        middle_of(&boxes[WALLS + ENEMIES + i], s->eye);
        sap_query_sphere(world, s->eye, sight, ENEMY, look, s);
    }
    return NULL;
}

/* The main thread takes the first task. Returns the number of enemies seen. */
static int look_with(int threads) {
    task tasks[MOST_THREADS] = {{0, 0, 0, {0, 0, 0}}};
    pthread_t workers[MOST_THREADS];
    int seen = 0, started = 1;
    sap_prepare_queries(world); /* until the next add, move or remove, queries only read */
    for (int t = 0; t < threads; t++) {
        tasks[t].from = GUARDS * t / threads;
        tasks[t].to = GUARDS * (t + 1) / threads;
    }
    while (started < threads && !pthread_create(&workers[started], NULL, look_around, &tasks[started])) started++;
    for (int t = started; t < threads; t++) look_around(&tasks[t]); /* tasks of threads that could not be created */
    look_around(&tasks[0]);
    for (int t = 1; t < started; t++) pthread_join(workers[t], NULL); /* after this the world may change */
    for (int t = 0; t < threads; t++) seen += tasks[t].seen;
    return seen;
}

static float random_in(float low, float high) { /* the same on every machine */
    static uint32_t state = 3;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

static void add(int from, int n, uint32_t category, float least, float most) {
    for (int i = from; i < from + n; i++) {
        for (int k = 0; k < 2; k++) {
            boxes[i].min[k] = floorf(random_in(0, side));
            boxes[i].max[k] = boxes[i].min[k] + floorf(random_in(least, most));
        }
        ids[i] = sap_add(world, &boxes[i], &boxes[i]);
        sap_set_filter(world, ids[i], category, 0); /* nothing here pairs: this world is only asked */
    }
}

int main(void) {
    world = sap_create(&(sap_config){.axes = SAP_2D});
    add(0, WALLS, WALL, 4, 40);
    add(WALLS, ENEMIES, ENEMY, 2, 4);
    add(WALLS + ENEMIES, GUARDS, GUARD, 2, 4);
    for (int frame = 0; frame < FRAMES; frame++) {
        const int alone = look_with(1), together = look_with(MOST_THREADS);
        printf("frame %d: guards see %d enemies with 1 thread, %d with %d\n", frame, alone, together, MOST_THREADS);
        for (int i = WALLS; i < WALLS + ENEMIES; i++) {
            for (int k = 0; k < 2; k++) {
                const float step = floorf(random_in(-8, 9));
                boxes[i].min[k] += step;
                boxes[i].max[k] += step;
            }
            sap_move(world, ids[i], &boxes[i]);
        }
    }
    sap_destroy(world);
    return 0;
}
