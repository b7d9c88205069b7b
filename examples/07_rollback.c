/*
Shows how to roll back: when the input of a player arrives late, return to its frame, correct it and catch up.

    cc -I.. -I/usr/include/stb -o rollback 07_rollback.c && ./rollback

It prints:

    51 rollbacks in 600 frames, 229 frames simulated again, 75 of them with different events
    the events are those of a game without delay in 600 of 600 frames
    the final state, 643 : 919, compared byte for byte: equal
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { PLAYERS = 2, COINS = 300, FRAMES = 600, LATEST = 9 }; /* an input is at most LATEST frames late */
enum { PLAYER = 2, COIN = 4 };                               /* categories: each meets only the other */

/* The whole game except the boxes, as plain numbers: saved by copying it. */
typedef struct game {
    int score[PLAYERS], at[PLAYERS][2], coin_at[COINS][2], coin_way[COINS][2];
    sap_id player[PLAYERS], coin[COINS];
    uint32_t random, frame, events; /* events: a hash of what happened in this frame, in order */
} game;

typedef struct session {
    sap_world *world; /* together with the game, the whole state */
    game game;
    int input[FRAMES][2]; /* of the remote player where it is known, else a guess */
    uint32_t log[FRAMES]; /* the events of each frame */
    struct {              /* the states before each of the last frames */
        game game;
        void *boxes;
        size_t size, room;
    } saved[LATEST + 1];
} session;

static int random_below(uint32_t *state, int end) { /* the same on every machine */
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (uint32_t)end);
}

static sap_aabb box_of(const int at[2], int size) {
    const float x = (float)at[0], y = (float)at[1], s = (float)size;
    return (sap_aabb){{x, y, 0}, {x + s, y + s, 0}};
}

static void put_coin(session *s, int i) {
    game *g = &s->game;
    for (int k = 0; k < 2; k++) {
        g->coin_at[i][k] = random_below(&g->random, k ? 360 : 640);
        g->coin_way[i][k] = random_below(&g->random, 5) - 2;
    }
    sap_aabb box = box_of(g->coin_at[i], 8);
    g->coin[i] = sap_add(s->world, &box, (void *)(uintptr_t)i);
    sap_set_filter(s->world, g->coin[i], COIN, PLAYER);
}

static void note(session *s, uint32_t what, const sap_pair *pair) {
    const uint32_t facts[] = {what, pair->id0, pair->id1, (uint32_t)(uintptr_t)pair->user_data};
    for (int i = 0; i < 4; i++) s->game.events = (s->game.events ^ facts[i]) * 16777619u;
}

/* Boxes and pairs hold numbers here, not pointers: sap_restore brings back the value of a pointer, but not what it
   points to. The number that a pair holds is the frame in which it began. */
static void *begin(const sap_pair *pair, void *user) {
    session *s = (session *)user;
    note(s, 1, pair);
    return (void *)(uintptr_t)s->game.frame;
}

/* A player has passed over a coin. That is worth a point for each frame, and a new coin appears elsewhere. */
static void end(const sap_pair *pair, void *user) {
    session *s = (session *)user;
    int player = (int)(uintptr_t)pair->object0, coin = (int)(uintptr_t)pair->object1; /* players have lower ids */
    note(s, 2, pair);
    s->game.score[player] += (int)(s->game.frame - (uint32_t)(uintptr_t)pair->user_data);
    if (sap_remove(s->world, pair->id1) == SAP_OK) put_coin(s, coin); /* else the other player has just taken it */
}

static void step(session *s, int input[PLAYERS][2]) {
    game *g = &s->game;
    g->frame++;
    g->events = 0;
    for (int i = 0; i < PLAYERS; i++) {
        for (int k = 0; k < 2; k++) g->at[i][k] += input[i][k];
        sap_aabb box = box_of(g->at[i], 24);
        sap_move(s->world, g->player[i], &box);
    }
    for (int i = 0; i < COINS; i++) {
        for (int k = 0; k < 2; k++) {
            g->coin_at[i][k] += g->coin_way[i][k];
            if (g->coin_at[i][k] < 0 || g->coin_at[i][k] > (k ? 360 : 640)) g->coin_way[i][k] *= -1;
        }
        sap_aabb box = box_of(g->coin_at[i], 8);
        sap_move(s->world, g->coin[i], &box);
    }
    sap_dump_pairs(s->world, begin, end, s);
}

static void save(session *s, int frame) {
    const int i = frame % (LATEST + 1);
    s->saved[i].game = s->game;
    s->saved[i].size = sap_snapshot_size(s->world);
    if (s->saved[i].size > s->saved[i].room) {
        free(s->saved[i].boxes);
        s->saved[i].room = 2 * s->saved[i].size;
        s->saved[i].boxes = malloc(s->saved[i].room);
        if (!s->saved[i].boxes) exit(1);
    }
    sap_save(s->world, s->saved[i].boxes, s->saved[i].size);
}

static void restore(session *s, int frame) {
    const int i = frame % (LATEST + 1);
    s->game = s->saved[i].game;
    sap_restore(s->world, s->saved[i].boxes, s->saved[i].size);
}

static void simulate(session *s, int frame) {
    const int local[2] = {frame / 40 % 2 ? 2 : -1, frame / 90 % 2 ? -1 : 1}; /* local inputs are never late */
    int input[PLAYERS][2];
    memcpy(input[0], local, sizeof local);
    memcpy(input[1], s->input[frame], sizeof input[1]);
    save(s, frame);
    step(s, input);
    s->log[frame] = s->game.events;
}

static void start(session *s) {
    const sap_config flat = {.axes = SAP_2D};
    memset(s, 0, sizeof *s);
    s->world = sap_create(&flat);
    for (int i = 0; i < PLAYERS; i++) {
        s->game.at[i][0] = 200 + 240 * i;
        s->game.at[i][1] = 180;
        sap_aabb box = box_of(s->game.at[i], 24);
        s->game.player[i] = sap_add(s->world, &box, (void *)(uintptr_t)i);
        sap_set_filter(s->world, s->game.player[i], PLAYER, COIN);
    }
    for (int i = 0; i < COINS; i++) put_coin(s, i);
}

/* Takes over the remote inputs that have arrived, and guesses the others: the player goes on as in the frame before.
   Returns the first frame before this one whose input was guessed wrong, or this one if there is none. */
static int learn(session *s, int now, int truth[FRAMES][2], const int arrives[FRAMES]) {
    int wrong = now;
    for (int f = 0; f <= now && f < FRAMES; f++) {
        int input[2] = {0, 0};
        if (f) memcpy(input, s->input[f - 1], sizeof input);
        if (arrives[f] <= now) memcpy(input, truth[f], sizeof input);
        if (f < wrong && memcmp(input, s->input[f], sizeof input)) wrong = f;
        memcpy(s->input[f], input, sizeof input);
    }
    return wrong;
}

int main(void) {
    static session late, straight;
    static int truth[FRAMES][2], arrives[FRAMES];
    uint32_t random = 1;
    int rollbacks = 0, again = 0, corrected = 0, right = 0;
    for (int f = 0; f < FRAMES; f++) {
        int turn = f == 0 || random_below(&random, 12) == 0; /* a player holds a key for a while */
        for (int k = 0; k < 2; k++) truth[f][k] = turn ? random_below(&random, 5) - 2 : truth[f - 1][k];
        arrives[f] = f + random_below(&random, LATEST + 1);
        if (arrives[f] > FRAMES) arrives[f] = FRAMES;
    }

    start(&late);
    for (int now = 0; now <= FRAMES; now++) {
        int wrong = learn(&late, now, truth, arrives);
        if (wrong < now) {
            rollbacks++;
            restore(&late, wrong);
        }
        for (int f = wrong; f < now; f++) {
            uint32_t before = late.log[f];
            simulate(&late, f);
            again++;
            corrected += late.log[f] != before;
        }
        if (now < FRAMES) simulate(&late, now);
    }

    start(&straight); /* the same game with all inputs in time */
    memcpy(straight.input, truth, sizeof truth);
    for (int f = 0; f < FRAMES; f++) simulate(&straight, f);
    for (int f = 0; f < FRAMES; f++) right += late.log[f] == straight.log[f];
    save(&late, FRAMES);
    save(&straight, FRAMES);
    const int last = FRAMES % (LATEST + 1);
    int same = late.saved[last].size == straight.saved[last].size &&
               !memcmp(late.saved[last].boxes, straight.saved[last].boxes, late.saved[last].size) &&
               !memcmp(&late.game, &straight.game, sizeof late.game);
    printf("%d rollbacks in %d frames, %d frames simulated again, %d of them with different events\n", rollbacks,
           FRAMES, again, corrected);
    printf("the events are those of a game without delay in %d of %d frames\n", right, FRAMES);
    printf("the final state, %d : %d, compared byte for byte: %s\n", late.game.score[0], late.game.score[1],
           same ? "equal" : "different");

    for (int i = 0; i <= LATEST; i++) {
        free(late.saved[i].boxes);
        free(straight.saved[i].boxes);
    }
    sap_destroy(late.world);
    sap_destroy(straight.world);
    return !(same && right == FRAMES);
}
