/*
Shows how a whole game is written with sap.h: one hero, 500 enemies that chase it, bullets, pickups, walls, an explosion,
homing missiles, and a walk that stops at walls and slides along them.

    cc -I.. -I/usr/include/stb -o arena_game 20_arena_game.c -lm && ./arena_game

A bot plays for 20 seconds. The same seed gives the same score, whatever the SIMD width: created and deleted pairs are
sorted, and queries that fill arrays give ids in an order that depends on the boxes alone. There is no callback but create
and del. It draws the last frame into arena_game.svg or the file you name.

It prints:

    second  4: score  1270, 491 enemies, bitten 0 times
    second  8: score  3380, 452 enemies, bitten 8 times
    second 12: score  4880, 481 enemies, bitten 8 times
    second 16: score  6870, 469 enemies, bitten 8 times
    second 20: score  8380, 486 enemies, bitten 8 times
*/
#include <math.h>
#include <stdint.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "svg.h"

enum { WALL = 2, HERO = 4, ENEMY = 8, BULLET = 16, MISSILE = 32, PICKUP = 64 }; /* kinds, and categories */
enum { ENEMIES = 500, SLOTS = 2048, WIDTH = 120, HEIGHT = 64, SECONDS = 20, RATE = 60 };

typedef struct thing {
    sap_id id, target;
    int kind;
    float at[3], way[3], half;
} thing;

static sap_world *world;
static thing things[SLOTS]; /* by slot: a slot is used again only after its pairs have been reported */
static thing *hero;
static int score, touching, bites, enemies, frame;
static uint32_t seed;

static float random_in(float low, float high) {
    seed = seed * 1664525u + 1013904223u;
    float part = (float)(seed >> 8) / 16777216.0f * (high - low);
    return low + part;
}

static thing *thing_of(sap_id id) {
    return &things[SAP_SLOT(id)];
}

static sap_aabb box_of(const thing *t) {
    sap_aabb box = {{t->at[0] - t->half, t->at[1] - t->half, 0}, {t->at[0] + t->half, t->at[1] + t->half, 0}};
    return box;
}

/* Only the hero is in pairs: with enemies and pickups. A mask of 0 costs pair searches nothing; queries find all. */
static thing *add(int kind, float x, float y, float half) {
    thing t = {.kind = kind, .at = {x, y, 0}, .half = half};
    sap_aabb box = box_of(&t);
    t.id = kind & (WALL | PICKUP) ? sap_add_static(world, &box, NULL) : sap_add(world, &box, NULL);
    uint32_t mask = kind == HERO ? ENEMY | PICKUP : kind & (ENEMY | PICKUP) ? HERO : 0;
    sap_set_filter(world, t.id, (uint32_t)kind, mask);
    *thing_of(t.id) = t;
    return thing_of(t.id);
}

/* Anywhere between these heights. One random number a statement: C leaves the order within a call open. */
static void scatter(int kind, int n, float low, float high, float half) {
    for (int i = 0; i < n; i++) {
        float x = random_in(6, WIDTH - 6);
        float y = random_in(low, high);
        add(kind, x, y, half);
    }
}

static void remove_thing(thing *t) {
    if (sap_remove(world, t->id) != SAP_OK) return; /* it has been removed before */
    enemies -= t->kind == ENEMY;
}

static void kill_enemy(sap_id id) {
    score += 10;
    remove_thing(thing_of(id));
}

static void explode(const float center[3], float reach) {
    sap_id hits[ENEMIES];
    int n = sap_query_sphere_ids(world, center, reach, ENEMY, hits, ENEMIES);
    for (int i = 0; i < n; i++) kill_enemy(hits[i]);
}

/* The way from a thing to a place, made as long as a step. */
static void head_for(thing *t, const float to[3], float step) {
    float x = to[0] - t->at[0], y = to[1] - t->at[1], length = sqrtf(x * x + y * y);
    t->way[0] = length > 0 ? x / length * step : 0;
    t->way[1] = length > 0 ? y / length * step : 0;
}

/* Stops at walls and slides along them. Halves of those who walk are binary fractions, so nothing is rounded between
   centre and box: a box that is rounded into a wall catches on the next one of a row. */
static void walk(thing *t) {
    sap_aabb box = box_of(t);
    sap_slide(world, &box, t->way, WALL, t->id, NULL);
    for (int k = 0; k < 2; k++) t->at[k] = box.min[k] + t->half;
}

/* A bullet or a missile. Returns the enemy that it met, 0 if none; it is spent when it meets anything. */
static sap_id fly(thing *t) {
    float part;
    sap_aabb box = box_of(t);
    sap_id hit = sap_box_closest(world, &box, t->way, WALL | ENEMY, t->id, &part, NULL);
    for (int k = 0; k < 2; k++) t->at[k] += t->way[k] * part;
    if (hit) remove_thing(t);
    return hit && thing_of(hit)->kind == ENEMY ? hit : 0;
}

static void spawn_enemy(void) {
    float x = random_in(2, WIDTH - 2);
    float y = random_in(2, HEIGHT - 2);
    sap_aabb room = {{x - 1, y - 1, 0}, {x + 1, y + 1, 0}}, around = {{x - 12, y - 12, 0}, {x + 12, y + 12, 0}};
    if (sap_query_box_ids(world, &room, WALL, NULL, 0) || sap_query_box_ids(world, &around, HERO, NULL, 0)) return;
    add(ENEMY, x, y, 0.4375f);
    enemies++;
}

/* The bot: of eight directions it takes the one with the fewest enemies ahead, and rather one to the nearest pickup. */
static void steer(void) {
    static const float to[8][2] = {{1, 0},  {.7f, .7f},   {0, 1},  {-.7f, .7f},
                                   {-1, 0}, {-.7f, -.7f}, {0, -1}, {.7f, -.7f}};
    sap_id pickup;
    float best = 1e30f, wish[3] = {0, 0, 0};
    thing look = *hero;
    if (sap_nearest_ids(world, hero->at, 60, PICKUP, &pickup, NULL, 1)) head_for(&look, thing_of(pickup)->at, 1);
    memcpy(wish, look.way, sizeof wish);
    for (int i = 0; i < 8; i++) {
        float x = hero->at[0] + 3 * to[i][0], y = hero->at[1] + 3 * to[i][1];
        sap_aabb ahead = {{x - 2, y - 2, 0}, {x + 2, y + 2, 0}};
        float cost = (float)sap_query_box_ids(world, &ahead, ENEMY | WALL, NULL, 0);
        cost -= wish[0] * to[i][0] + wish[1] * to[i][1];
        if (cost >= best) continue;
        best = cost;
        for (int k = 0; k < 2; k++) hero->way[k] = 0.16f * to[i][k];
    }
}

static void shoot(void) {
    sap_id closest[4];
    int n = sap_nearest_ids(world, hero->at, 30, ENEMY, closest, NULL, 4);
    if (n && frame % 4 == 0) head_for(add(BULLET, hero->at[0], hero->at[1], 0.1f), thing_of(closest[0])->at, 1.5f);
    for (int i = 0; i < n && frame % 90 == 0; i++) add(MISSILE, hero->at[0], hero->at[1], 0.2f)->target = closest[i];
}

static void guide(thing *t) {
    if (!sap_is_valid(world, t->target) && !sap_nearest_ids(world, t->at, 30, ENEMY, &t->target, NULL, 1)) return;
    head_for(t, thing_of(t->target)->at, 0.5f);
}

static void *create(const sap_pair *pair, void *user) {
    thing *other = thing_of(pair->id0 == hero->id ? pair->id1 : pair->id0);
    (void)user;
    touching += other->kind == ENEMY;
    if (other->kind != PICKUP) return NULL;
    score += 50;
    explode(hero->at, 8);
    remove_thing(other);
    scatter(PICKUP, 1, 4, HEIGHT - 4, 0.6f);
    return NULL;
}

static void del(const sap_pair *pair, void *user) {
    thing *other = thing_of(pair->id0 == hero->id ? pair->id1 : pair->id0);
    (void)user;
    touching -= other->kind == ENEMY; /* one that was removed, too: its slot is not used again before this */
}

static void step(void) {
    if (enemies < ENEMIES) spawn_enemy();
    steer();
    shoot();
    /* Queries first, with all boxes as they were, then the moves. */
    for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id)) {
        thing *t = thing_of(id);
        sap_id hit = 0;
        if (t->kind == ENEMY) head_for(t, hero->at, 0.12f);
        if (t->kind == MISSILE) guide(t);
        if (t->kind & (HERO | ENEMY)) walk(t);
        if (t->kind == BULLET && (hit = fly(t))) kill_enemy(hit);
        if (t->kind == MISSILE && (hit = fly(t))) explode(t->at, 3);
    }
    for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id)) {
        sap_aabb box = box_of(thing_of(id));
        if (!sap_is_static(world, id)) sap_move(world, id, &box);
    }
    sap_dump_pairs(world, create, del, NULL);
    bites += touching;
}

static void set_up(uint32_t start) {
    const sap_config flat = {.axes = SAP_2D};
    world = sap_create(&flat);
    seed = start;
    for (int i = 0; i < WIDTH; i += 2) add(WALL, (float)i, 0, 1), add(WALL, (float)i, HEIGHT, 1);
    for (int i = 0; i < HEIGHT; i += 2) add(WALL, 0, (float)i, 1), add(WALL, WIDTH, (float)i, 1);
    scatter(WALL, 40, 6, HEIGHT / 2 - 4, 1.5f);
    scatter(WALL, 40, HEIGHT / 2 + 4, HEIGHT - 6, 1);
    hero = add(HERO, WIDTH / 2, HEIGHT / 2, 0.5f);
    scatter(PICKUP, 5, 4, HEIGHT - 4, 0.6f);
    while (enemies < ENEMIES) spawn_enemy();
}

static void draw(const char *path) {
    svg p = svg_open(path, 1280, 760, "The last frame");
    svg_begin_panel(&p, 40, 70, 1200, 640, 0, 0, 10);
    for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id)) {
        const thing *t = thing_of(id);
        sap_aabb box = box_of(t);
        svg_box(&p, box.min, box.max,
                t->kind == WALL    ? SVG_GROUND
                : t->kind == ENEMY ? SVG_PLAIN
                : t->kind == HERO  ? SVG_TITLE
                                   : SVG_LIT);
    }
    svg_end_panel(&p);
    svg_close(&p);
}

int main(int argc, char **argv) {
    set_up(7);
    for (frame = 1; frame <= SECONDS * RATE; frame++) {
        step();
        if (frame % (4 * RATE) == 0)
            printf("second %2d: score %5d, %3d enemies, bitten %d times\n", frame / RATE, score, enemies, bites);
    }
    draw(argc > 1 ? argv[1] : "arena_game.svg");
    sap_destroy(world);
    return 0;
}
