/* readme.c - the character of README.md and the lifts of examples/README.md, as a newcomer pastes them: small scenes, then
   tiles, crates, one-way platforms and lifts of both kinds for 120,000 random frames. tests/readme.sh takes the code from
   there and compiles this with it, as C and as C++, with y down and with y up.

   cc -std=c99 -O1 -isystem /usr/include/stb -I. -DCHARACTER='"pasted.c"' -o readme tests/readme.c -lm */

#include <stdio.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include CHARACTER

enum { SEEDS = 30, FRAMES = 4000, PLATFORM_COUNT = 30, LIFT_COUNT = 10, CRATE_COUNT = 5, WIDE = 40, HIGH = 20 };
enum { BODY_COUNT = CRATE_COUNT + 1 }; /* the hero is the last one */

static int faults;
static body *crushed; /* the last one */

void damage(void *object) {
    crushed = (body *)object;
    crushed->feet = 1e30f;
}

static void expect(const char *what, int holds) {
    if (!holds) printf("fault: %s\n", what);
    faults += !holds;
}

static uint32_t state;

static float draw(void) { /* in 0..1 */
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (float)(state & 0xffffff) / 16777216;
}

static int one_in(int n) {
    return draw() * (float)n < 1;
}

static void begin(void) {
    sap_config flat;
    memset(&flat, 0, sizeof flat);
    flat.axes = SAP_2D;
    world = sap_create(&flat);
}

/* y goes down in this file: where the character's goes up all is turned round. */
static sap_aabb box_at(float x, float y, float width, float height) {
    sap_aabb b = {{x, y, 0}, {x + width, y + height, 0}};
    if (DOWN < 0) b.min[1] = -(y + height), b.max[1] = -y;
    return b;
}

static sap_id add(float x, float y, float width, float height, int category, sap_aabb *box) {
    *box = box_at(x, y, width, height);
    const sap_id id = sap_add_static(world, box, NULL);
    sap_set_filter(world, id, (uint32_t)category, HERO);
    return id;
}

static void add_body(body *b, int category, float x, float y, float width, float height) {
    memset(b, 0, sizeof *b);
    b->box = box_at(x, y, width, height);
    b->id = sap_add(world, &b->box, b);
    sap_set_filter(world, b->id, (uint32_t)category, ~0u);
}

static void move(sap_id lift, sap_aabb *box, float x, float y, body *all, int count) {
    const float way[3] = {x, y * DOWN, 0};
    move_lift(lift, box, way, all, count);
}

static int falls(body *b, float dx, float *dy) {
    *dy += .3f * DOWN;
    if (!walk(b, dx, *dy)) return 0;
    *dy = 0;
    return 1;
}

static float depth(const sap_aabb *a, const sap_aabb *b) {
    float least = 1e30f;
    for (int k = 0; k < 2; k++) {
        if (least > a->max[k] - b->min[k]) least = a->max[k] - b->min[k];
        if (least > b->max[k] - a->min[k]) least = b->max[k] - a->min[k];
    }
    return least;
}

/* ---- small scenes ------------------------------------------------------------------------------------------- */

/* The level of README.md, played as it is there. */
static void level_of_readme(void) {
    const body *crate = &things[0], *hero = &things[1];
    if (DOWN < 0) return; /* its places are for a y that goes down */
    start();
    for (int i = 0; i < 80; i++) step(1, 0);
    expect("he pushes the crate, and both stand", hero->ground && crate->ground && crate->box.min[0] > 85 &&
                                                      depth(&hero->box, &crate->box) <= 0 && hero->wall == crate->id);
    for (int i = 0; i < 60; i++) step(hero->box.max[0] < crate->box.min[0] + 8, hero->wall == crate->id);
    expect("he jumps onto it", hero->ground == crate->id && feet_of(&hero->box) <= top_of(&crate->box));
    sap_destroy(world);
}

/* A crate is solid itself, and must not stand on itself or be pushed out of itself. */
static void crate_lands(void) {
    body crates[3], *wide = &crates[0];
    sap_aabb floor, lift;
    float dy[3] = {0, 0, 0};
    begin();
    add(-100, 100, 300, 16, WALLS, &floor);
    const sap_id id = add(160, 60, 30, 8, LIFTS, &lift);
    add_body(wide, CRATES, 0, 0, 16, 12);
    add_body(&crates[1], CRATES, 40, 0, 12, 16);
    add_body(&crates[2], CRATES, 40, 0, 12, 16); /* in the other one: each may stand on the other */
    for (int i = 0; i < 100; i++)
        for (int k = 0; k < 3; k++) falls(&crates[k], 0, &dy[k]);
    const sap_aabb before = wide->box;
    expect("a crate falls to the floor", feet_of(&before) >= 99.999f && feet_of(&before) <= 100);
    expect("it does not stand on itself", wide->ground != 0 && wide->ground != wide->id);
    move(id, &lift, 0, 1, crates, 3);
    expect("a lift elsewhere leaves it", before.min[0] == wide->box.min[0] && before.min[1] == wide->box.min[1]);
    expect("two crates at one place end apart", depth(&crates[1].box, &crates[2].box) <= 0);
    sap_destroy(world);
}

static void crate_is_pushed(void) {
    body b[2]; /* a crate, the hero */
    sap_aabb floor, wall;
    float dy[2] = {0, 0};
    begin();
    add(-100, 100, 300, 16, WALLS, &floor);
    add(150, 50, 16, 50, WALLS, &wall);
    add_body(&b[0], CRATES, 40, 84, 16, 16);
    add_body(&b[1], HERO, 0, 78, 12, 22);
    for (int i = 0; i < 200; i++) {
        falls(&b[0], b[1].wall == b[0].id ? 1 : 0, &dy[0]);
        falls(&b[1], 2, &dy[1]);
    }
    expect("a crate is pushed to the wall", b[0].box.max[0] > 149.99f && b[0].box.max[0] <= 150);
    expect("who pushes it stands beside it",
           b[1].box.max[0] > 133.9f && depth(&b[0].box, &b[1].box) <= 0 && b[1].ground);
    sap_destroy(world);
}

/* A tall body that leans on a wall of rows touches more boxes than any array has room for. */
static void door_pushes(int rows, int expected) {
    body boss;
    sap_aabb box, door;
    begin();
    for (int i = 0; i < rows; i++) add(-80, (float)i * 16, 80, 16, WALLS, &box);
    const sap_id id = add(100, 100, 16, 48, LIFTS, &door);
    add_body(&boss, HERO, 0, 16, 96, 288);
    crushed = NULL;
    for (int i = 0; i < 2; i++) move(id, &door, -3, 0, &boss, 1);
    expect("a door that moves into a body pushes it, or crushes it at a wall",
           expected ? crushed == &boss : !crushed && boss.box.max[0] == door.min[0]);
    sap_destroy(world);
}

/* The lift goes in circles, through places that are no multiples of anything; all stay as they stand. */
static void stack_rides(int category, float unit) {
    body b[4]; /* three crates, the hero on top */
    float dy[4] = {0, 0, 0, 0}, slip = 0, gap = 0;
    sap_aabb lift;
    int off = 0;
    begin();
    const sap_id id = add(100.3f * unit, 50 * unit, 40 * unit, 5 * unit, category, &lift);
    for (int i = 0; i < 4; i++)
        add_body(&b[3 - i], i ? CRATES : HERO, (110.7f + (float)i) * unit, (50 - 10 * (float)(4 - i)) * unit, 8 * unit,
                 9.7f * unit);
    const float at = b[3].box.min[0] - lift.min[0];
    crushed = NULL;
    for (int f = 0; f < 2000; f++) {
        const float a = (float)f * .05f;
        if (f > 20) move(id, &lift, cosf(a) * .7f * unit, sinf(a) * .9f * unit, b, 4);
        for (int i = 0; i < 4; i++) falls(&b[i], 0, &dy[i]);
        for (int i = 0; i < 4 && f > 20; i++) {
            off += b[i].ground != (i ? b[i - 1].id : id);
            gap = fmaxf(gap, fabsf(feet_of(&b[i].box) - top_of(i ? &b[i - 1].box : &lift)));
        }
        slip = fmaxf(slip, fabsf(b[3].box.min[0] - lift.min[0] - at));
    }
    expect("a stack rides, and nothing is crushed", off == 0 && !crushed);
    expect("nothing in it slips", slip < .01f * unit && gap < 1e-4f * unit);
    sap_destroy(world);
}

/* A platform that rises faster than he falls must not pass through his feet. */
static void platform_catches(int category, float fall) {
    body hero;
    sap_aabb lift;
    int on = 0;
    begin();
    const sap_id id = add(0, 100, 40, 3, category, &lift);
    add_body(&hero, HERO, 4, 20, 8, 10);
    for (int f = 0; f < 90; f++) {
        move(id, &lift, 0, -1.3f, &hero, 1);
        walk(&hero, 0, fall * DOWN);
        on += hero.ground == id;
    }
    expect("a platform that rises takes along whom it meets", on > 20 && hero.ground == id);
    sap_destroy(world);
}

/* ---- a world ------------------------------------------------------------------------------------------------ */

typedef struct lift {
    sap_id id;
    sap_aabb box;
    float way[2];
    int rises; /* the others go to and fro */
} lift;

/* Tiles are not multiples of anything, so that sums of their sides are rounded. */
static void build(float tile, sap_aabb *platforms, lift *lifts) {
    sap_aabb box;
    for (int x = -1; x <= WIDE; x++) {
        add((float)x * tile, HIGH * tile, tile, tile, WALLS, &box);
        add((float)x * tile, -5 * tile, tile, tile, WALLS, &box);
    }
    for (int y = -4; y < HIGH; y++) {
        add(-tile, (float)y * tile, tile, tile, WALLS, &box);
        add(WIDE * tile, (float)y * tile, tile, tile, WALLS, &box);
    }
    for (int i = 0; i < PLATFORM_COUNT; i++)
        add(36 * draw() * tile, 19 * draw() * tile, (1 + 3 * draw()) * tile, tile / 4, PLATFORMS, &platforms[i]);
    for (int i = 0; i < LIFT_COUNT; i++) {
        lift *l = &lifts[i];
        l->rises = i % 5 < 3;
        const int solid = i < 6;
        const float x = l->rises ? (6 * (float)(i / 5 * 3 + i % 5) + 1.3f) * tile : 30 * draw() * tile;
        const float y = l->rises ? (4 + 10 * draw()) * tile : (13 + (float)(i % 2) * 3) * tile;
        l->id = add(x, y, 4 * tile, tile / 2, solid ? LIFTS : PLATFORMS, &l->box);
        l->way[!l->rises] = 0;
        l->way[l->rises] = .05f * draw() * tile;
    }
}

static void move_lifts(lift *lifts, body *all, float tile) {
    for (int i = 0; i < LIFT_COUNT; i++) {
        lift *l = &lifts[i];
        const int k = l->rises;
        const float low = k && DOWN < 0 ? -l->box.max[1] : l->box.min[k],
                    high = k && DOWN < 0 ? -l->box.min[1] : l->box.max[k];
        if (low + l->way[k] < (k ? -2 * tile : 0) || high + l->way[k] > (float)(k ? HIGH - 2 : WIDE) * tile)
            l->way[k] = -l->way[k];
        move(l->id, &l->box, l->way[0], l->way[1], all, BODY_COUNT);
    }
}

/* What a player would report: a body is in a wall, hangs in a platform, falls through one, loses a lift or its size. */
static int look(const body *b, const sap_aabb *before, sap_id stood_on, float dx, float dy, float tile, float width) {
    const float little = 1e-4f * tile, size = b->box.max[0] - b->box.min[0];
    int found = size < width - .001f * tile || size > width + .001f * tile, lost = 0, pressed = 0;
    for (sap_id id = 0; (id = sap_next(world, id)) != 0;) {
        uint32_t category;
        sap_aabb box;
        sap_get_filter(world, id, &category, NULL);
        sap_get_box(world, id, &box);
        if (id == b->id) continue;
        const int beside = before->max[0] <= box.min[0] || before->min[0] >= box.max[0];
        if (category & SOLID) found += depth(&b->box, &box) > little;
        if (category & SOLID && !beside) pressed |= fabsf(feet_of(&box) - top_of(before)) < little;
        if (category == PLATFORMS) found += feet_of(before) <= top_of(&box) && depth(&b->box, &box) > 0;
        if (id == b->ground) found += feet_of(&b->box) > top_of(&box) + little;
        if (id == stood_on) lost = dx == 0 && dy * DOWN > 0 && !b->ground && !beside;
    }
    return found + (lost && !pressed); /* who is pressed against a ceiling falls through a platform that rises */
}

static void play(uint32_t seed, int *rides, int *looks) {
    sap_aabb platforms[PLATFORM_COUNT];
    lift lifts[LIFT_COUNT];
    body all[BODY_COUNT], *hero = &all[CRATE_COUNT];
    float vx = 0, vy[BODY_COUNT] = {0, 0, 0, 0, 0, 0};
    int since = 0, found = 0;
    state = seed * 2654435761u;
    const float tile = seed % 3 ? 16 : .7f + draw();
    begin();
    build(tile, platforms, lifts);
    for (int i = 0; i < BODY_COUNT; i++)
        add_body(&all[i], i < CRATE_COUNT ? CRATES : HERO, (2.1f + 7 * (float)i) * tile, -3 * tile,
                 (i < CRATE_COUNT ? .8f : .6f) * tile, .9f * tile);
    for (int frame = 0; frame < FRAMES; frame++) {
        sap_id stood_on[BODY_COUNT];
        for (int i = 0; i < BODY_COUNT; i++) stood_on[i] = all[i].ground;
        crushed = NULL;
        move_lifts(lifts, all, tile);
        if (crushed) {
            crushed->box =
                box_at((1 + 37 * draw()) * tile, -3.5f * tile, (crushed != hero ? .8f : .6f) * tile, .9f * tile);
            crushed->ground = 0;
            sap_move(world, crushed->id, &crushed->box);
            since = frame;
        }
        if (frame % 30 == 0) vx = one_in(3) ? 0 : (draw() - .5f) * .3f * tile;
        if (hero->ground && one_in(40)) vy[CRATE_COUNT] = -.2f * tile * (1 + draw()) * DOWN;
        for (int i = 0; i < BODY_COUNT; i++) {
            body *b = &all[i];
            const float dx = b == hero ? vx : hero->wall == b->id ? vx / 2 : 0;
            vy[i] = vy[i] * DOWN < .38f * tile ? vy[i] + .02f * tile * DOWN : .4f * tile * DOWN;
            const sap_aabb before = b->box;
            const int stopped = walk(b, dx, vy[i]);
            if (frame > since + 3) { /* else it may have been placed into another one */
                ++*looks;
                *rides += stood_on[i] != 0;
                found += look(b, &before, stood_on[i], dx, vy[i], tile, (b == hero ? .6f : .8f) * tile);
            }
            if (stopped) vy[i] = 0;
        }
    }
    if (found) printf("%d faults with seed %u\n", found, seed);
    faults += found;
    sap_destroy(world);
}

int main(void) {
    int rides = 0, looks = 0;
    level_of_readme();
    crate_lands();
    crate_is_pushed();
    for (int rows = 0; rows < 30; rows += 5) door_pushes(rows, rows > 0);
    for (int i = 0; i < 40; i++) stack_rides(i % 2 ? LIFTS : PLATFORMS, .3f + .17f * (float)i);
    for (int i = 0; i < 40; i++) platform_catches(i % 2 ? LIFTS : PLATFORMS, .1f + .1f * (float)i);
    for (uint32_t seed = 1; seed <= SEEDS; seed++) play(seed, &rides, &looks);
    printf("%d faults, %d looks, %d of them at what stood\n", faults, looks, rides);
    return faults > 0 || rides < looks / 4 || looks < SEEDS * FRAMES;
}
