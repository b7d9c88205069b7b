/*
Shows how to keep objects in a pool: when the memory of a removed one may be used again, and how long an id is good for.

    cc -I.. -I/usr/include/stb -o pools 15_pools.c && ./pools

The pairs of a removed box end in the next update, and their events still bring its object. So a removed object waits
until that update is over, and only then returns to its pool. If an object is taken as soon as its id is refused, its
new owner gets the end events of the old one. Both are played here, with the same shots.
It prints:

    taken when its id is refused:     900 shots, 961 end events went to the next owner of the object
    taken when its end was reported:  900 shots,   0 end events went to the next owner of the object
    at most 49 of 80 objects in use; 77 missiles lost their target, none followed a stranger
*/
#include <stdio.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { SHOT = 2, DRONE = 4, MISSILE = 8 }; /* categories */
enum { POOL = 80, FRAMES = 900, DRONES = 20 };

typedef struct thing {
    sap_id id, target; /* target: that of a missile. It is an id, never a pointer: see aim */
    uint32_t category;
    int x, y, dx, dy, strength;
} thing;

typedef struct game {
    sap_world *world;
    thing things[POOL];
    thing *unused[POOL], *removed[POOL]; /* two stacks: free things, and things that wait for their last events */
    int unused_count, removed_count;
    int is_hasty; /* 1: make the mistake */
    int shots, strangers, lost, wrong_targets, most;
} game;

static int random_below(int end, unsigned *state) { /* the same on every machine */
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)end);
}

static sap_aabb box_of(const thing *t) {
    return (sap_aabb){{(float)t->x, (float)t->y, 0}, {(float)(t->x + 12), (float)(t->y + 12), 0}};
}

/* ---- the pool ---------------------------------------------------------------------------------------------- */

static thing *spawn(game *g, thing as) {
    if (!g->unused_count) return NULL; /* a full pool: no shot this time */
    thing *t = g->unused[--g->unused_count];
    const sap_aabb box = box_of(&as);
    *t = as;
    t->id = sap_add(g->world, &box, t);
    sap_set_filter(g->world, t->id, t->category, t->category == DRONE ? SHOT | MISSILE : DRONE);
    return t;
}

/* Takes a thing out of the world; a callback may do so, too. Its object is not free yet. */
static void discard(game *g, thing *t) {
    if (sap_remove(g->world, t->id) != SAP_OK) return; /* gone already: hit twice in one frame */
    if (!g->is_hasty) g->removed[g->removed_count++] = t;
}

static void *begin(const sap_pair *pair, void *user);
static void end(const sap_pair *pair, void *user);

/* The rule: an object whose box was removed before this update is free after it. If a callback of this update removes
   the box, the next update reports the end of its pairs, and the object waits for that. */
static void update(game *g) {
    const int reported = g->removed_count;
    sap_dump_pairs(g->world, begin, end, g);
    for (int i = 0; i < reported; i++) {
        g->removed[i]->id = 0;
        g->unused[g->unused_count++] = g->removed[i];
    }
    g->removed_count -= reported;
    memmove(g->removed, g->removed + reported, (size_t)g->removed_count * sizeof *g->removed);
}

/* ---- the game ---------------------------------------------------------------------------------------------- */

static void *begin(const sap_pair *pair, void *user) {
    game *g = (game *)user;
    thing *a = (thing *)pair->object0, *b = (thing *)pair->object1;
    if (!sap_is_valid(g->world, pair->id0) || !sap_is_valid(g->world, pair->id1)) return NULL; /* shot a moment ago */
    thing *drone = a->category == DRONE ? a : b;
    discard(g, drone == a ? b : a);
    if (--drone->strength == 0) discard(g, drone);
    return NULL;
}

static void end(const sap_pair *pair, void *user) {
    game *g = (game *)user;
    thing *a = (thing *)pair->object0, *b = (thing *)pair->object1;
    g->strangers += (a->id != pair->id0) + (b->id != pair->id1); /* here a game counts, stops a sound, gives back */
}

/* A target may be gone, and its object may have a new owner. The id tells: it is refused for long after the removal. */
static void aim(game *g, thing *missile) {
    if (!missile->target) return;
    if (!sap_is_valid(g->world, missile->target)) {
        missile->target = 0;
        g->lost++;
        return;
    }
    const thing *at = (const thing *)sap_get_object(g->world, missile->target);
    g->wrong_targets += at->id != missile->target;
    missile->dx = (at->x > missile->x) - (at->x < missile->x);
}

static void move_all(game *g) {
    for (int i = 0; i < POOL; i++) {
        thing *t = &g->things[i];
        if (!t->id) continue;
        if (t->category == MISSILE) aim(g, t);
        t->x += t->dx;
        t->y += t->dy;
        const sap_aabb box = box_of(t);
        if (t->y < -20) discard(g, t);
        if (sap_move(g->world, t->id, &box) != SAP_ERROR_ID || !g->is_hasty) continue;
        t->id = 0; /* the mistake: this box has been removed, but the end of its pairs has not been reported yet */
        g->unused[g->unused_count++] = t;
    }
}

static game play(int is_hasty) {
    static game g;
    unsigned state = 3;
    memset(&g, 0, sizeof g);
    g.is_hasty = is_hasty;
    g.world = sap_create(&(sap_config){.axes = SAP_2D});
    for (int i = 0; i < POOL; i++) g.unused[g.unused_count++] = &g.things[i];
    for (int frame = 0, drones = 0; frame < FRAMES; frame++) {
        move_all(&g);
        drones = sap_query_box(g.world, &(sap_aabb){{-1000, -1000, 0}, {1000, 1000, 0}}, DRONE, NULL, NULL);
        const int x = random_below(400, &state), side = random_below(2, &state) * 2 - 1;
        if (drones < DRONES) spawn(&g, (thing){0, 0, DRONE, x, random_below(80, &state), 0, 0, 2});
        thing *shot = spawn(&g, (thing){0, 0, frame % 8 ? SHOT : MISSILE, x, 160, side, -6, 1});
        if (shot && shot->category == MISSILE)
            shot->target = sap_nearest(g.world, (float[3]){(float)x, 160, 0}, 500, DRONE, NULL);
        g.shots += shot != NULL;
        update(&g);
        if (POOL - g.unused_count > g.most) g.most = POOL - g.unused_count;
    }
    sap_destroy(g.world);
    return g;
}

int main(void) {
    const game hasty = play(1), right = play(0);
    printf("taken when its id is refused:     %d shots, %3d end events went to the next owner of the object\n",
           hasty.shots, hasty.strangers);
    printf("taken when its end was reported:  %d shots, %3d end events went to the next owner of the object\n",
           right.shots, right.strangers);
    printf("at most %d of %d objects in use; %d missiles lost their target, %s followed a stranger\n", right.most, POOL,
           right.lost, right.wrong_targets ? "some" : "none");
    return right.strangers || right.wrong_targets;
}
