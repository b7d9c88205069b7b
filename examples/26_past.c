/*
Shows how to keep the past of a few movers in a large level: save games, and shots at what a player saw a moment ago.

    cc -I.. -I/usr/include/stb -o past 26_past.c && ./past

A snapshot holds all boxes of a world. So the level, which never changes, is a world of its own, in which movers slide,
and the movers are another one. It prints:

    a save game is less than a hundredth of a snapshot of both
    played again from it: the same events, the same places
    150 of 200 shots at what was seen 12 steps ago hit it there, 19 would hit it now
    beside a loop over all boxes: 0 differ
*/
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { MOVERS = 40, STONES = 120, CROWD = 9, STEPS = 400, SAVED_AT = 150, KEPT = 16, LATE = 12, SHOTS = 200 };

/* A save game holds this and a snapshot of the movers' world. Objects are indices, valid in another run. */
typedef struct game {
    sap_id ids[MOVERS];
    sap_aabb boxes[MOVERS];
    float speed[MOVERS][3];
    uint32_t random, events; /* events: a hash of all that began and ended */
} game;

static sap_world *level, *movers;
static sap_world *past; /* the movers as they were: only queried, it needs no update */
static sap_id past_ids[MOVERS];
static sap_aabb kept[KEPT][MOVERS]; /* their boxes after each of the last steps */

static int random_below(uint32_t *state, int end) { /* the same on every machine */
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (uint32_t)end);
}

static sap_aabb square(float x, float y, float side) {
    const sap_aabb box = {{x, y, 0}, {x + side, y + side, 0}};
    return box;
}

static void begin(game *g) {
    const sap_config flat = {.axes = SAP_2D};
    level = sap_create(&flat);
    movers = sap_create(&flat);
    past = sap_create(&flat);
    memset(g, 0, sizeof *g);
    for (int y = 0; y < STONES; y++)
        for (int x = 0; x < STONES; x++) {
            const sap_aabb stone = square((float)(x * 5), (float)(y * 5), (x + 3 * y) % 4 ? 1 : 2);
            sap_add_static(level, &stone, NULL);
        }
    for (int i = 0; i < MOVERS; i++) {
        const int x = random_below(&g->random, CROWD), y = random_below(&g->random, CROWD);
        g->boxes[i] = square((float)(5 * x + 3), (float)(5 * y + 3), 1.5f);
        g->ids[i] = sap_add(movers, &g->boxes[i], (void *)(intptr_t)i);
        past_ids[i] = sap_add(past, &g->boxes[i], (void *)(intptr_t)i);
    }
}

static void note(game *g, const sap_pair *(*told)(const sap_world *, int *)) {
    int n;
    const sap_pair *pairs = told(movers, &n);
    for (int i = 0; i < n; i++) g->events = (g->events * 31 + pairs[i].id0) * 31 + pairs[i].id1 + 1;
}

static void step(game *g, int at) {
    for (int i = 0; i < MOVERS; i++) {
        if (at % 8 == i % 8)
            for (int k = 0; k < 2; k++) g->speed[i][k] = (float)(random_below(&g->random, 17) - 8) / 16;
        sap_slide(level, &g->boxes[i], g->speed[i], ~0u, 0, NULL);
    }
    sap_move_many(movers, MOVERS, g->ids, g->boxes);
    memcpy(kept[at % KEPT], g->boxes, sizeof g->boxes);
    sap_update(movers);
    note(g, sap_deleted);
    note(g, sap_created);
}

/* ---- a shot at what a player saw ---------------------------------------------------------------------------- */

/* Moving boxes of the game's world back and forth would make events, if it has a margin. */
static sap_id shoot(int at, const float from[3], const float way[3], float *t) {
    float wall;
    sap_move_many(past, MOVERS, past_ids, kept[at % KEPT]);
    const sap_id hit = sap_ray_closest(past, from, way, ~0u, t);
    sap_ray_closest(level, from, way, ~0u, &wall);
    return *t <= wall ? hit : 0;
}

/* The same without sap.h: how far a ray comes to a box, or 2. */
static double reach(const float from[3], const float way[3], const sap_aabb *box) {
    double enter = 0, leave = 1;
    for (int k = 0; k < 2; k++) {
        double a = (double)box->min[k] - from[k], b = (double)box->max[k] - from[k];
        if (way[k] == 0 && (a > 0 || b < 0)) return 2;
        if (way[k] == 0) continue;
        a /= way[k], b /= way[k];
        if (a > b) {
            const double c = a;
            a = b, b = c;
        }
        if (a > enter) enter = a;
        if (b < leave) leave = b;
    }
    return enter <= leave ? enter : 2;
}

static sap_id loop(int at, const float from[3], const float way[3]) {
    double nearest = 2, wall = 2;
    int hit = -1;
    for (int i = 0; i < MOVERS; i++) {
        const double t = reach(from, way, &kept[at % KEPT][i]);
        if (t < nearest) nearest = t, hit = i;
    }
    sap_aabb stone;
    for (sap_id id = 0; (id = sap_next(level, id)) != 0;) {
        sap_get_box(level, id, &stone);
        const double t = reach(from, way, &stone);
        if (t < wall) wall = t;
    }
    return hit >= 0 && nearest <= wall ? past_ids[hit] : 0;
}

int main(void) {
    static game g, saved, first;
    int then = 0, now = 0, differ = 0;
    begin(&g);
    void *bytes = NULL;
    size_t size = 0;
    for (int at = 0; at < STEPS; at++) {
        if (at == SAVED_AT) {
            size = sap_snapshot_size(movers);
            bytes = malloc(size);
            if (!bytes || sap_save(movers, bytes, size) != SAP_OK) return 1;
            saved = g;
        }
        step(&g, at);
    }
    first = g;
    const size_t both = size + sap_snapshot_size(level);
    printf("a save game is %s a hundredth of a snapshot of both\n",
           (size + sizeof g) * 100 < both ? "less than" : "at least");
    sap_restore(movers, bytes, size);
    g = saved;
    for (int at = SAVED_AT; at < STEPS; at++) step(&g, at);
    printf("played again from it: %s events, ", g.events == first.events && g.events ? "the same" : "other");
    printf("%s places\n", memcmp(g.boxes, first.boxes, sizeof g.boxes) ? "other" : "the same");

    for (int i = 0; i < SHOTS; i++) { /* each at the middle of a mover where it was, from nearby */
        const int target = i % MOVERS, seen = STEPS - 1 - LATE;
        const sap_aabb *box = &kept[seen % KEPT][target];
        float from[3] = {0, 0, 0}, way[3] = {0, 0, 0}, t;
        for (int k = 0; k < 2; k++) {
            from[k] = box->min[k] + (float)(random_below(&g.random, 9) - 4);
            way[k] = (box->min[k] + box->max[k]) / 2 - from[k];
        }
        const sap_id hit = shoot(seen, from, way, &t);
        differ += hit != loop(seen, from, way);
        then += hit == past_ids[target];
        now += shoot(STEPS - 1, from, way, &t) == past_ids[target];
    }
    printf("%d of %d shots at what was seen %d steps ago hit it there, %d would hit it now\n", then, SHOTS, LATE, now);
    printf("beside a loop over all boxes: %d differ\n", differ);
    free(bytes);
    sap_destroy(level);
    sap_destroy(movers);
    sap_destroy(past);
    return differ > 0;
}
