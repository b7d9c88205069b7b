/*
Shows how to make triggers: zones that react when something enters, while it stays, and when it leaves.

    cc -I.. -I/usr/include/stb -o triggers 02_triggers.c && ./triggers

It prints:

    0.7 s: the hero enters the gate
           it opens
    1.1 s: the wolf enters the gate
    1.4 s: the hero leaves the gate after 0.7 s
    1.9 s: the hero enters the camp fire
    2.1 s: the wolf leaves the gate after 1.0 s
           it shuts
    2.3 s: the wolf enters the camp fire
    2.3 s: the hero is burnt
    2.7 s: the wolf is burnt
    2.8 s: the hero is burnt
    3.0 s: the hero leaves the camp fire after 1.1 s
    3.2 s: the wolf is burnt
    3.3 s: rain puts out the fire
    3.3 s: the wolf leaves the camp fire after 1.0 s
    3.7 s: the hero enters the inn
    4.1 s: the wolf enters the inn
    5.0 s: the day ends
    5.0 s: the hero leaves the inn after 1.3 s
    5.0 s: the wolf leaves the inn after 0.9 s
*/
#include <stdio.h>
#include <stdlib.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

/* A category pairs only with the other one: two zones make no pair, and neither do two walkers. */
enum { ZONE = 2, WALKER = 4 };

typedef struct thing {
    const char *name;
    uint32_t category;
    sap_aabb box;
    float speed;          /* metres per frame, of a walker */
    int is_door, is_fire; /* a zone opens or burns */
    int visitors;         /* walkers in this zone now */
} thing;

/* A visit is the user_data of a pair, from its begin to its end. */
typedef struct visit {
    thing *zone, *walker;
    int since; /* the frame in which the pair began */
} visit;

static double seconds(int frames) {
    return frames / 10.0;
}

static void *enter(const sap_pair *pair, void *user) {
    thing *one = (thing *)pair->object0, *other = (thing *)pair->object1;
    visit *v = (visit *)malloc(sizeof *v);
    if (!v) exit(1);
    v->zone = one->category == ZONE ? one : other; /* a pair is ordered by id, so either may come first */
    v->walker = one->category == ZONE ? other : one;
    v->since = *(int *)user;
    printf("%.1f s: %s enters the %s\n", seconds(v->since), v->walker->name, v->zone->name);
    if (v->zone->visitors++ == 0 && v->zone->is_door) printf("       it opens\n"); /* for the first visitor only */
    return v;
}

/* Called, too, when a zone or a walker is removed. Each walker that entered also leaves, so the count is right. */
static void leave(const sap_pair *pair, void *user) {
    visit *v = (visit *)pair->user_data;
    int now = *(int *)user;
    printf("%.1f s: %s leaves the %s after %.1f s\n", seconds(now), v->walker->name, v->zone->name,
           seconds(now - v->since));
    if (--v->zone->visitors == 0 && v->zone->is_door) printf("       it shuts\n"); /* behind the last visitor only */
    free(v);
}

static void stay(const sap_pair *pair, int now) {
    const visit *v = (const visit *)pair->user_data;
    if (v->zone->is_fire && (now - v->since) % 5 == 4) printf("%.1f s: %s is burnt\n", seconds(now), v->walker->name);
}

int main(void) {
    thing things[] = {
        {"gate", ZONE, {{4, 0, 0}, {6, 3, 0}}, 0, 1, 0, 0},
        {"camp fire", ZONE, {{9, 0, 0}, {12, 1, 0}}, 0, 0, 1, 0},
        {"inn", ZONE, {{16, 0, 0}, {24, 6, 0}}, 0, 0, 0, 0},
        {"the hero", WALKER, {{0, 0, 0}, {1, 2, 0}}, 0.4f, 0, 0, 0},
        {"the wolf", WALKER, {{-2.5f, 0, 0}, {-0.5f, 1, 0}}, 0.4f, 0, 0, 0},
    };
    enum { THINGS = sizeof things / sizeof *things, FIRE = 1, WALKERS = 3 };
    const sap_config flat = {.axes = SAP_2D};
    sap_world *world = sap_create(&flat);
    sap_id ids[THINGS];
    int pairs, now = 0;

    for (int i = 0; i < THINGS; i++) {
        ids[i] = sap_add(world, &things[i].box, &things[i]);
        sap_set_filter(world, ids[i], things[i].category, things[i].category == ZONE ? WALKER : ZONE);
    }
    for (; now < 50; now++) {
        for (int i = WALKERS; i < THINGS; i++) {
            things[i].box.min[0] += things[i].speed;
            things[i].box.max[0] += things[i].speed;
            sap_move(world, ids[i], &things[i].box);
        }
        if (now == 33) {
            printf("%.1f s: rain puts out the fire\n", seconds(now));
            sap_remove(world, ids[FIRE]);
        }
        sap_dump_pairs(world, enter, leave, &now);
        const sap_pair *pair = sap_pairs(world, &pairs);
        for (int i = 0; i < pairs; i++) stay(&pair[i], now);
    }

    /* sap_destroy calls no callbacks. To free what the pairs hold, remove the boxes first and update once more. */
    printf("%.1f s: the day ends\n", seconds(now));
    for (int i = 0; i < THINGS; i++) sap_remove(world, ids[i]); /* the fire is gone already: its id is refused */
    sap_dump_pairs(world, NULL, leave, &now);
    sap_destroy(world);
    return 0;
}
