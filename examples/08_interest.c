/*
Shows how to send each player of a network game only what is near: spawned when it comes into view, then forgotten.

    cc -I.. -I/usr/include/stb -o interest 08_interest.c && ./interest

Views overlap many entities, and most of these stay in view. An update costs by what moved, and by what comes into view
or goes out of it; where views have hundreds of entities, those that stay are not looked at one by one. The loop that
sends moves to clients is the game's own: it reads all pairs.

It prints:

    at the end each of 64 players sees 30 of 5000 entities
    sent: 16544 spawns, 14623 forgets, 136196 moves
    each player receives 0.9 kB a second; sending everything would take 94.2 kB, 107 times as much
    superfluous messages, and clients that know something wrong: 0
*/
#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { PLAYERS = 64, ENTITIES = 5000, TICKS = 600, TICKS_PER_SECOND = 20, WORLD = 4000 };
enum { ENTITY = 2, VIEW = 4 };                                /* categories: views pair with entities alone */
enum { SPAWN_BYTES = 16, MOVE_BYTES = 10, FORGET_BYTES = 4 }; /* bytes of these messages in a binary protocol */

typedef struct entity {
    sap_id id;
    int x, y, dx, dy; /* the first PLAYERS entities are the players; most of the others never move */
    int moved;        /* 1: it moved in this tick */
} entity;

typedef struct client { /* the knowledge of one client */
    sap_id view;
    long long spawns, moves, forgets;
    int x[ENTITIES], y[ENTITIES]; /* the positions it was told, of entities that it knows */
    unsigned char knows[ENTITIES];
} client;

static entity entities[ENTITIES];
static client clients[PLAYERS];
static int mistakes;

static int random_below(int end) { /* the same on every machine */
    static uint32_t state = 5;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)end);
}

/* A view is a little larger than the screen, so that entities are known before they are seen. */
static sap_aabb around(const entity *e, int half_width, int half_height) {
    const float x = (float)e->x, y = (float)e->y, w = (float)half_width, h = (float)half_height;
    return (sap_aabb){{x - w, y - h, 0}, {x + w, y + h, 0}};
}

static sap_aabb view_of(const entity *player) {
    return around(player, 200, 120);
}

/* The server sends these messages. Here they are not packed into packets, but given to the client at once. */

static void send_spawn(client *to, int e) {
    mistakes += to->knows[e]; /* the client knows it already */
    to->knows[e] = 1;
    to->x[e] = entities[e].x;
    to->y[e] = entities[e].y;
    to->spawns++;
}

static void send_move(client *to, int e) {
    mistakes += !to->knows[e];
    to->x[e] = entities[e].x;
    to->y[e] = entities[e].y;
    to->moves++;
}

static void send_forget(client *to, int e) {
    mistakes += !to->knows[e];
    to->knows[e] = 0;
    to->forgets++;
}

/* The views were added first, so they have the lower ids: object0 is a client, object1 an entity. */
static int entity_of(const sap_pair *pair) {
    return (int)((entity *)pair->object1 - entities);
}

static void *comes_into_view(const sap_pair *pair, void *user) {
    (void)user;
    send_spawn((client *)pair->object0, entity_of(pair));
    return NULL;
}

static void goes_out_of_view(const sap_pair *pair, void *user) {
    (void)user;
    send_forget((client *)pair->object0, entity_of(pair));
}

/* Players walk about, and now and then one is sent elsewhere. One in ten of the other entities walks, with pauses. */
static int walk(void) {
    int moved = 0;
    for (int i = 0; i < ENTITIES; i++) {
        entity *e = &entities[i];
        const int is_player = i < PLAYERS, speed = is_player ? 3 : 1, x = e->x, y = e->y;
        if (!is_player && i % 10) continue;
        if (random_below(40) == 0) {
            e->dx = (random_below(3) - 1) * speed;
            e->dy = (random_below(3) - 1) * speed;
        }
        if (is_player && random_below(2000) == 0) {
            e->x = random_below(WORLD);
            e->y = random_below(WORLD);
        }
        if (e->x + e->dx >= 0 && e->x + e->dx < WORLD) e->x += e->dx;
        if (e->y + e->dy >= 0 && e->y + e->dy < WORLD) e->y += e->dy;
        e->moved = e->x != x || e->y != y;
        moved += e->moved;
    }
    return moved;
}

/* Checks that each client knows the entities in its view and their positions, and no others. */
static void check(void) {
    for (int c = 0; c < PLAYERS; c++) {
        sap_aabb view = view_of(&entities[c]);
        for (int i = 0; i < ENTITIES; i++) {
            sap_aabb box = around(&entities[i], 4, 4);
            int seen = box.min[0] <= view.max[0] && box.max[0] >= view.min[0] && box.min[1] <= view.max[1] &&
                       box.max[1] >= view.min[1];
            int right = clients[c].x[i] == entities[i].x && clients[c].y[i] == entities[i].y;
            mistakes += seen != clients[c].knows[i] || (seen && !right);
        }
    }
}

int main(void) {
    const sap_config flat = {.axes = SAP_2D};
    sap_world *world = sap_create(&flat);
    long long moved = 0, spawns = 0, moves = 0, forgets = 0;
    int pairs;
    for (int i = 0; i < ENTITIES; i++) {
        entities[i].x = random_below(WORLD);
        entities[i].y = random_below(WORLD);
    }
    for (int c = 0; c < PLAYERS; c++) {
        sap_aabb view = view_of(&entities[c]);
        clients[c].view = sap_add(world, &view, &clients[c]);
        sap_set_filter(world, clients[c].view, VIEW, ENTITY);
    }
    for (int i = 0; i < ENTITIES; i++) {
        sap_aabb box = around(&entities[i], 4, 4);
        entities[i].id = sap_add(world, &box, &entities[i]);
        sap_set_filter(world, entities[i].id, ENTITY, VIEW);
    }

    for (int tick = 0; tick < TICKS; tick++) {
        moved += walk();
        for (int i = 0; i < ENTITIES; i++) {
            if (!entities[i].moved) continue;
            sap_aabb box = around(&entities[i], 4, 4), view = view_of(&entities[i]);
            sap_move(world, entities[i].id, &box);
            if (i < PLAYERS) sap_move(world, clients[i].view, &view);
        }
        sap_dump_pairs(world, comes_into_view, goes_out_of_view, NULL);
        const sap_pair *pair = sap_pairs(world, &pairs);
        for (int i = 0; i < pairs; i++)
            if (entities[entity_of(&pair[i])].moved) send_move((client *)pair[i].object0, entity_of(&pair[i]));
        if (tick % 50 == 0 || tick == TICKS - 1) check();
    }

    for (int c = 0; c < PLAYERS; c++) {
        spawns += clients[c].spawns;
        moves += clients[c].moves;
        forgets += clients[c].forgets;
    }
    double told = (double)(spawns * SPAWN_BYTES + moves * MOVE_BYTES + forgets * FORGET_BYTES);
    double all = (double)PLAYERS * (double)(ENTITIES * SPAWN_BYTES + moved * MOVE_BYTES);
    double share = 1000.0 * PLAYERS * TICKS / TICKS_PER_SECOND;
    printf("at the end each of %d players sees %d of %d entities\n", PLAYERS, pairs / PLAYERS, ENTITIES);
    printf("sent: %lld spawns, %lld forgets, %lld moves\n", spawns, forgets, moves);
    printf("each player receives %.1f kB a second; sending everything would take %.1f kB, %.0f times as much\n",
           told / share, all / share, all / told);
    printf("superfluous messages, and clients that know something wrong: %d\n", mistakes);
    sap_destroy(world);
    return mistakes > 0;
}
