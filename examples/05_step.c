/*
Shows how a character, seen from above, stops at walls and slides along them. (From the side: 22_platformer.c.)

    cc -I.. -I/usr/include/stb -o step 05_step.c -lm && ./step

It draws the way: step.svg or the file you name. It prints:

    step 1: ends at 7.0, 5.0
    step 2: meets the door's north side, ends at 9.5, 10.5
    step 3: ends at 17.5, 10.0
    step 4: meets the table, ends at 22.0, 9.5
    step 5: ends at 25.5, 4.5
    step 6: meets the pillar, ends at 25.5, 9.5
    step 7: meets the pillar, ends at 29.5, 9.5
    step 8: meets the east wall, meets the south wall, ends at 30.5, 16.5
*/
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { STEPS = 8, WALLS = 8, PARTS = 12 };
#define GHOST "fill:#6f8fb4;fill-opacity:.22;stroke:#6f8fb4"
#define TOUCHES "fill:#ffab5c;fill-opacity:.22;stroke:#ff5c4d"
#define WANTS "fill:none;stroke:#8fa3ba;stroke-dasharray:2 5"

static sap_aabb walls[WALLS] = {{{0, 0, 0}, {32, 1, 0}},   {{0, 17, 0}, {32, 18, 0}}, {{0, 1, 0}, {1, 17, 0}},
                                {{31, 1, 0}, {32, 17, 0}}, {{10, 1, 0}, {11, 9, 0}},  {{10, 12, 0}, {11, 17, 0}},
                                {{17, 6, 0}, {21, 9, 0}},  {{25, 10, 0}, {27, 12, 0}}};
static void *names[WALLS] = {"north wall",        "south wall",        "west wall", "east wall",
                             "door's north side", "door's south side", "table",     "pillar"};
static const float wanted[STEPS][3] = {{4, -9, 0},    {4.5f, 5.5f, 0}, {8, -0.5f, 0}, {4.5f, -4, 0},
                                       {3.5f, -5, 0}, {0, 7, 0},       {4, 2, 0},     {3, 9, 0}};

static void draw(const char *path, sap_world *world, sap_id hero, const sap_aabb *stop);

int main(int argc, char **argv) {
    const sap_config flat = {.axes = SAP_2D};
    sap_world *world = sap_create(&flat);
    sap_aabb me = {{2.5f, 13.5f, 0}, {3.5f, 14.5f, 0}}, stop[STEPS + 1];
    sap_id hero = sap_add(world, &me, "the hero"), ids[WALLS], stopped_by[3];
    sap_add_static_many(world, WALLS, walls, names, ids);

    stop[0] = me;
    for (int i = 0; i < STEPS; i++) {
        sap_slide(world, &me, wanted[i], ~0u, hero, stopped_by); /* as far as the walls let it */
        sap_move(world, hero, &me);
        stop[i + 1] = me;
        printf("step %d:", i + 1);
        for (int k = 0; k < 2; k++)
            if (stopped_by[k]) printf(" meets the %s,", (char *)sap_get_object(world, stopped_by[k]));
        printf(" ends at %.1f, %.1f\n", me.min[0] + 0.5, me.min[1] + 0.5);
    }
    draw(argc > 1 ? argv[1] : "step.svg", world, hero, stop);
    sap_destroy(world);
    return 0;
}

static void draw(const char *path, sap_world *world, sap_id hero, const sap_aabb *stop) {
    svg p = svg_open(path, 1200, 770, "Eight steps of a hero who stops at walls and slides along them");
    svg_text(&p, 40, 76, 16, SVG_WORD, "One call a step: sap_slide moves the box as far as the walls let it");
    svg_key(&p, 815, 34, GHOST, "walks");
    svg_key(&p, 815, 64, TOUCHES, "slides");
    svg_key(&p, 905, 64, WANTS, "where the step wanted to go");
    svg_begin_panel(&p, 40, 110, 1120, 630, 0, 0, 35);
    for (int i = 0; i < WALLS; i++) {
        svg_box(&p, walls[i].min, walls[i].max, SVG_PLAIN);
        if (walls[i].max[0] - walls[i].min[0] > 1)
            svg_text(&p, walls[i].min[0] + 0.1, walls[i].min[1] + 0.6, 15, SVG_TITLE, "%s", (char *)names[i]);
    }
    for (int i = 0; i < STEPS; i++) {
        const double x = stop[i].min[0] + 0.5, y = stop[i].min[1] + 0.5;
        const float part[3] = {wanted[i][0] / PARTS, wanted[i][1] / PARTS, 0};
        sap_aabb ghost = stop[i];
        svg_line(&p, x, y, x + wanted[i][0], y + wanted[i][1], WANTS);
        for (int k = 0; k < PARTS; k++) { /* the same way in parts, to see it */
            int stopped = sap_slide(world, &ghost, part, ~0u, hero, NULL);
            svg_box(&p, ghost.min, ghost.max, stopped ? TOUCHES : GHOST);
        }
    }
    for (int i = 0; i <= STEPS; i++) {
        svg_box(&p, stop[i].min, stop[i].max, SVG_LIT);
        svg_text(&p, stop[i].min[0] + 0.31, stop[i].max[1] - 0.28, 20, "fill:#111", "%d", i);
    }
    svg_end_panel(&p);
    svg_close(&p);
}
