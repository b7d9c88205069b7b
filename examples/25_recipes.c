/*
Shows how to find the top-most window under the mouse, to let a ball bounce, and to tell who is seen from who is hit.

    cc -I.. -I/usr/include/stb -o recipes 25_recipes.c && ./recipes

It prints:

    under the mouse: the menu; after a click on the map: the map; beside both: nothing
    the ball bounces 513 times in 10000 steps, is never in a wall, and is as fast as at first
    the guard behind glass: seen, not hit
    the guard in smoke: not seen, hit
    the guard behind a wall: not seen, not hit
    the guard in the open: seen, hit
*/
#include <stdio.h>
#include <stdint.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

/* Each category is one bit, and a mask is their sum. Category 1 is that of a new box, and has no name here. */
enum { GUARDS = 2, WALLS = 4, GLASS = 8, SMOKE = 16, WINDOWS = 32 };
enum { STOPS_SIGHT = WALLS | SMOKE, STOPS_SHOTS = WALLS | GLASS };

static sap_world *world;

static sap_id add(float x, float y, float width, float height, uint32_t category, int object) {
    const sap_aabb box = {{x, y, 0}, {x + width, y + height, 0}};
    const sap_id id = sap_add_static(world, &box, (void *)(intptr_t)object);
    sap_set_filter(world, id, category, 0); /* there are queries only: a mask of 0 makes no pairs */
    return id;
}

/* ---- the top-most window under the mouse -------------------------------------------------------------------- */

enum { MAP, MENU, NOTHING };
static const char *const windows[] = {"the map", "the menu", "nothing"};
static int height_of[2]; /* in the pile: the greater one is above */

/* A callback may come in any order: the highest one is the same in each. */
static int keep_highest(sap_id id, void *object, void *user) {
    const int window = (int)(intptr_t)object;
    int *highest = (int *)user;
    (void)id;
    if (*highest == NOTHING || height_of[window] > height_of[*highest]) *highest = window;
    return 1;
}

static int window_at(float x, float y) {
    const float mouse[3] = {x, y, 0};
    int highest = NOTHING;
    sap_query_point(world, mouse, WINDOWS, keep_highest, &highest);
    return highest;
}

/* ---- a ball that bounces ------------------------------------------------------------------------------------ */

/* sap_slide goes on along the side that it meets: only the speed is turned round. A factor of less than 1 tires it. */
static int bounce(sap_aabb *ball, float speed[3]) {
    sap_id stopped_by[3];
    const int stops = sap_slide(world, ball, speed, WALLS, 0, stopped_by);
    for (int k = 0; k < 2; k++)
        if (stopped_by[k]) speed[k] = -speed[k];
    return stops;
}

static void play(void) {
    sap_aabb ball = {{3.1f, 4.7f, 0}, {3.8f, 5.4f, 0}};
    float speed[3] = {0.31f, 0.27f, 0};
    int bounces = 0, inside = 0;
    for (int i = 0; i < 10000; i++) {
        bounces += bounce(&ball, speed);
        sap_aabb inner = ball; /* smaller by a little more than slides may round */
        for (int k = 0; k < 2; k++) inner.min[k] += 0.0001f, inner.max[k] -= 0.0001f;
        inside += sap_query_box_ids(world, &inner, WALLS, NULL, 0) > 0;
        inside += ball.min[0] < 1 || ball.max[0] > 19 || ball.min[1] < 1 || ball.max[1] > 14;
    }
    const int as_fast = speed[0] * speed[0] == 0.31f * 0.31f && speed[1] * speed[1] == 0.27f * 0.27f;
    printf("the ball bounces %d times in 10000 steps, is %s in a wall, and is %s as at first\n", bounces,
           inside ? "at times" : "never", as_fast ? "as fast" : "not as fast");
}

/* ---- sight and shots ---------------------------------------------------------------------------------------- */

/* Returns whether a ray from the eye meets the guard first, among what stops it. */
static int reaches(const float eye[2], sap_id guard, uint32_t stops, sap_id own) {
    sap_aabb box, ray = {{eye[0], eye[1], 0}, {eye[0], eye[1], 0}}; /* a ray that passes over its own box */
    float way[3] = {0, 0, 0};
    sap_get_box(world, guard, &box);
    for (int k = 0; k < 2; k++) way[k] = (box.min[k] + box.max[k]) / 2 - eye[k];
    return sap_box_closest(world, &ray, way, stops | GUARDS, own, NULL, NULL) == guard;
}

static void watch(void) {
    static const char *const places[] = {"behind glass", "in smoke", "behind a wall", "in the open"};
    static const float at[4][2] = {{100, 120}, {140, 100}, {100, 80}, {60, 100}};
    const float eye[2] = {100, 100};
    const sap_id me = add(98, 98, 4, 4, GUARDS, 0); /* the eye is inside its own box */
    add(95, 110, 10, 1, GLASS, 0);
    add(130, 90, 20, 20, SMOKE, 0);
    add(95, 90, 10, 1, WALLS, 0);
    for (int i = 0; i < 4; i++) {
        const sap_id guard = add(at[i][0] - 2, at[i][1] - 2, 4, 4, GUARDS, 0);
        const int seen = reaches(eye, guard, STOPS_SIGHT, me), hit = reaches(eye, guard, STOPS_SHOTS, me);
        printf("the guard %s: %s, %s\n", places[i], seen ? "seen" : "not seen", hit ? "hit" : "not hit");
    }
}

int main(void) {
    sap_config config = {.axes = SAP_2D};
    world = sap_create(&config);
    add(200, 0, 60, 40, WINDOWS, MAP);
    add(240, 10, 60, 40, WINDOWS, MENU);
    height_of[MENU] = 1;
    printf("under the mouse: %s", windows[window_at(250, 20)]);
    height_of[window_at(210, 5)] = 2;
    printf("; after a click on the map: %s", windows[window_at(250, 20)]);
    printf("; beside both: %s\n", windows[window_at(210, 45)]);

    for (int x = 0; x < 20; x++) /* a room of tiles, whose joints stop nothing, and two pillars */
        for (int y = 0; y < 15; y++)
            if (x == 0 || x == 19 || y == 0 || y == 14 || (y == 7 && (x == 6 || x == 13)))
                add((float)x, (float)y, 1, 1, WALLS, 0);
    play();
    watch();
    sap_destroy(world);
    return 0;
}
