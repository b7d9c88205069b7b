/* readme.c - the character of README.md, as a newcomer copies it: among tiles, one-way platforms and lifts for 120,000
   random frames. tests/readme.sh takes the code from README.md and compiles this with it.

   cc -std=c99 -O1 -isystem /usr/include/stb -I. -DCHARACTER='"character.c"' -o readme tests/readme.c -lm */

#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

static sap_world *world;
static int crushed;

static void damage(void *object) {
    (void)object;
    crushed = 1;
}

#include CHARACTER

enum { SEEDS = 30, FRAMES = 4000, PLATFORM_COUNT = 30, LIFT_COUNT = 7, WIDE = 40, HIGH = 20 };

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

static sap_id add(float x, float y, float width, float height, uint32_t category, sap_aabb *box) {
    const sap_aabb b = {{x, y, 0}, {x + width, y + height, 0}};
    const sap_id id = sap_add_static(world, &b, NULL);
    sap_set_filter(world, id, category, HERO);
    *box = b;
    return id;
}

static float depth(const sap_aabb *a, const sap_aabb *b) {
    float least = 1e30f;
    for (int k = 0; k < 2; k++) {
        if (least > a->max[k] - b->min[k]) least = a->max[k] - b->min[k];
        if (least > b->max[k] - a->min[k]) least = b->max[k] - a->min[k];
    }
    return least;
}

typedef struct lift {
    sap_id id;
    sap_aabb box;
    float way[3];
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
        const int rises = i < 5; /* the others go to and fro */
        l->id = add(rises ? (7 * (float)i + 1.3f) * tile : 30 * draw() * tile,
                    rises ? (4 + 10 * draw()) * tile : (16 + (float)(i % 2) * 2) * tile, 4 * tile, tile / 2, LIFTS,
                    &l->box);
        l->way[!rises] = 0;
        l->way[rises] = .05f * draw() * tile;
        l->way[2] = 0;
    }
}

/* What a player would report: how often the hero is in a wall, hangs in a platform, falls through one, or loses a lift. */
static int play(uint32_t seed, int *rides) {
    const sap_config flat = {.axes = SAP_2D};
    sap_aabb platforms[PLATFORM_COUNT];
    lift lifts[LIFT_COUNT];
    int faults = 0, since = 0;
    state = seed * 2654435761u;
    const float tile = seed % 3 ? 16 : .7f + draw(), little = 1e-4f * tile;
    float vx = 0, vy = 0;
    world = sap_create(&flat);
    build(tile, platforms, lifts);
    const sap_aabb start = {{2.1f * tile, -3 * tile, 0}, {2.7f * tile, -2.1f * tile, 0}};
    body hero = {0, 0, start};
    hero.id = sap_add(world, &hero.box, NULL);
    sap_set_filter(world, hero.id, HERO, ~0u);
    for (int frame = 0; frame < FRAMES; frame++) {
        const sap_id stood_on = hero.ground;
        crushed = 0;
        for (int i = 0; i < LIFT_COUNT; i++) {
            lift *l = &lifts[i];
            const int axis = i < 5;
            if (l->box.min[axis] + l->way[axis] < (axis ? -2 : 0) ||
                l->box.max[axis] + l->way[axis] > (float)(axis ? HIGH - 2 : WIDE) * tile)
                l->way[axis] = -l->way[axis];
            move_lift(l->id, &l->box, l->way, &hero, 1);
        }
        if (crushed) {
            hero.box = start;
            hero.ground = 0;
            sap_move(world, hero.id, &hero.box);
            since = frame;
        }
        if (frame % 30 == 0) vx = one_in(3) ? 0 : (draw() - .5f) * .3f * tile;
        vy = vy < .38f * tile ? vy + .02f * tile : .4f * tile;
        if (hero.ground && one_in(40)) vy = -.2f * tile * (1 + draw());
        const sap_aabb before = hero.box;
        const int stopped = walk(&hero, vx, vy);
        if (frame < since + 2) continue; /* he may be placed into a lift */
        for (int i = 0; i < LIFT_COUNT; i++) {
            const int fell_off = before.max[0] <= lifts[i].box.min[0] || before.min[0] >= lifts[i].box.max[0];
            if (stood_on != lifts[i].id) continue;
            ++*rides;
            faults += vx == 0 && vy > 0 && !hero.ground && !fell_off;
        }
        if (stopped) vy = 0;
        for (sap_id id = 0; (id = sap_next(world, id)) != 0;) {
            uint32_t category;
            sap_aabb box;
            sap_get_filter(world, id, &category, NULL);
            sap_get_box(world, id, &box);
            if (category & (WALLS | LIFTS)) faults += depth(&hero.box, &box) > little;
            if (id == hero.ground) faults += hero.box.max[1] > box.min[1] + little;
        }
        for (int i = 0; i < PLATFORM_COUNT; i++)
            faults += before.max[1] <= platforms[i].min[1] && depth(&hero.box, &platforms[i]) > 0;
        const float size = hero.box.max[0] - hero.box.min[0];
        faults += size < .599f * tile || size > .601f * tile;
    }
    sap_destroy(world);
    return faults;
}

int main(void) {
    int faults = 0, rides = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) faults += play(seed, &rides);
    printf("%d faults, %d frames on lifts\n", faults, rides);
    return faults > 0 || rides < 1000;
}
