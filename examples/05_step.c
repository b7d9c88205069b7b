/*
Shows how to ask "what would I hit if I moved there?", then stop in front of it and slide along it.

    cc -I.. -I/usr/include/stb -o step 05_step.c -lm && ./step

It draws the way, seen from above: step.svg or the file you name. It prints:

    step 1: ends at 7.0, 5.0
    step 2: meets the door's north side, ends at 9.5, 10.5
    step 3: ends at 17.5, 10.0
    step 4: meets the table, ends at 22.0, 9.5
    step 5: ends at 25.5, 4.5
    step 6: meets the pillar, ends at 25.5, 9.5
    step 7: meets the pillar, ends at 29.5, 9.5
    step 8: meets the east wall, meets the south wall, ends at 30.5, 16.5
*/
#include <math.h>
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { STEPS = 8, WALLS = 8, MOST_SLIDES = 3 };
#define GAP 0.01f /* the distance kept from walls: a box that touches one catches on the edge of the next */
#define WALKS "fill:#6f8fb4;fill-opacity:.22;stroke:#6f8fb4"
#define SLIDES "fill:#ffab5c;fill-opacity:.22;stroke:#ffab5c"
#define TOUCHES "stroke:#ff5c4d;stroke-width:5"
#define WANTS "fill:none;stroke:#8fa3ba;stroke-dasharray:2 5"

typedef struct stretch { /* a straight piece of the way, for the picture */
    sap_aabb from;
    float way[3], part; /* the part of 'way' that was gone, 0 to 1 */
    sap_id wall;        /* the wall that stopped it, or 0 */
    int slides, axis;   /* axis: that of the side that stopped it */
} stretch;

typedef struct track {
    stretch pieces[STEPS * MOST_SLIDES];
    int n;
} track;

static sap_aabb shifted(sap_aabb box, const float way[3], float part) {
    for (int k = 0; k < 2; k++) {
        box.min[k] += way[k] * part;
        box.max[k] += way[k] * part;
    }
    return box;
}

/* Moves a box off the walls by the gap, where there is room. Rounding may put it onto a wall, or a little into it. From
   there it can leave and slide, but it would catch on the edge of the next wall of a row. */
static sap_aabb step_off(sap_world *world, sap_id me, sap_aabb box) {
    for (int side = 0; side < 4; side++) {
        float in[3] = {0, 0, 0}, off[3] = {0, 0, 0}, part;
        in[side / 2] = side % 2 ? GAP : -GAP;
        off[side / 2] = -in[side / 2];
        if (sap_box_closest(world, &box, in, ~0u, me, &part, NULL) && part <= 0 &&
            !sap_box_closest(world, &box, off, ~0u, me, NULL, NULL))
            box = shifted(box, off, 1);
    }
    return box;
}

/* Moves the box 'me' of the world as far as the way is free, then along the wall by the rest of the way, and in a
   corner along the second wall. Returns where it ends. t is for the picture, and may be NULL. */
static sap_aabb slide(sap_world *world, sap_id me, sap_aabb box, const float wanted[3], track *t) {
    float way[3] = {wanted[0], wanted[1], 0};
    if (sap_query_box(world, &box, ~0u, NULL, NULL) > 1) box = step_off(world, me, box); /* the box itself is one hit */
    for (int slides = 0; slides < MOST_SLIDES; slides++) {
        float part, normal[3], against = 0; /* the normal of the side that is met points back at the box */
        const sap_id wall = sap_box_closest(world, &box, way, ~0u, me, &part, normal);
        for (int k = 0; k < 2; k++) against -= way[k] * normal[k];
        if (wall) part = fmaxf(0, part - GAP / against);
        if (t) t->pieces[t->n++] = (stretch){box, {way[0], way[1], 0}, part, wall, slides, fabsf(normal[1]) > 0};
        box = shifted(box, way, part);
        if (!wall) break;
        for (int k = 0; k < 2; k++) way[k] = (1 - part) * (way[k] + against * normal[k]); /* the rest, along the wall */
    }
    return box;
}

static void draw(const char *path, const sap_aabb *walls, void *const *names, const float (*wanted)[3],
                 const sap_aabb *stop, const track *t);

int main(int argc, char **argv) {
    sap_aabb walls[WALLS] = {{{0, 0, 0}, {32, 1, 0}},   {{0, 17, 0}, {32, 18, 0}}, {{0, 1, 0}, {1, 17, 0}},
                             {{31, 1, 0}, {32, 17, 0}}, {{10, 1, 0}, {11, 9, 0}},  {{10, 12, 0}, {11, 17, 0}},
                             {{17, 6, 0}, {21, 9, 0}},  {{25, 10, 0}, {27, 12, 0}}};
    void *names[WALLS] = {"north wall",        "south wall",        "west wall", "east wall",
                          "door's north side", "door's south side", "table",     "pillar"};
    const float wanted[STEPS][3] = {{4, -9, 0},    {4.5f, 5.5f, 0}, {8, -0.5f, 0}, {4.5f, -4, 0},
                                    {3.5f, -5, 0}, {0, 7, 0},       {4, 2, 0},     {3, 9, 0}};
    const sap_config flat = {.axes = SAP_2D};
    sap_world *world = sap_create(&flat);
    sap_aabb me = {{2.5f, 13.5f, 0}, {3.5f, 14.5f, 0}}, stop[STEPS + 1];
    static track gone;
    sap_id hero = sap_add(world, &me, "the hero"), ids[WALLS];
    sap_add_static_many(world, WALLS, walls, names, ids);

    stop[0] = me;
    for (int i = 0; i < STEPS; i++) {
        printf("step %d:", i + 1);
        const int before = gone.n;
        me = stop[i + 1] = slide(world, hero, me, wanted[i], &gone);
        for (int k = before; k < gone.n; k++)
            if (gone.pieces[k].wall) printf(" meets the %s,", (char *)sap_get_object(world, gone.pieces[k].wall));
        printf(" ends at %.1f, %.1f\n", me.min[0] + 0.5, me.min[1] + 0.5);
        sap_move(world, hero, &me);
    }
    draw(argc > 1 ? argv[1] : "step.svg", walls, names, wanted, stop, &gone);
    sap_destroy(world);
    return 0;
}

static void draw(const char *path, const sap_aabb *walls, void *const *names, const float (*wanted)[3],
                 const sap_aabb *stop, const track *t) {
    svg p = svg_open(path, 1200, 770, "Eight steps of a hero who stops at walls and slides along them");
    svg_text(&p, 40, 76, 16, SVG_WORD,
             "Each step asks once what its box would hit on the way, and once more for every slide");
    svg_key(&p, 815, 34, WALKS, "walks");
    svg_key(&p, 815, 64, SLIDES, "slides");
    svg_key(&p, 905, 34, "fill:#ff5c4d", "stopped by a wall");
    svg_key(&p, 905, 64, WANTS, "where the step wanted to go");
    svg_begin_panel(&p, 40, 110, 1120, 630, 0, 0, 35);
    for (int i = 0; i < WALLS; i++) {
        svg_box(&p, walls[i].min, walls[i].max, SVG_PLAIN);
        if (walls[i].max[0] - walls[i].min[0] > 1)
            svg_text(&p, walls[i].min[0] + 0.1, walls[i].min[1] + 0.6, 15, SVG_TITLE, "%s", (char *)names[i]);
    }
    for (int i = 0; i < STEPS; i++) {
        const double x = stop[i].min[0] + 0.5, y = stop[i].min[1] + 0.5;
        const sap_aabb goal = shifted(stop[i], wanted[i], 1);
        svg_line(&p, x, y, x + wanted[i][0], y + wanted[i][1], WANTS);
        svg_box(&p, goal.min, goal.max, WANTS);
    }
    for (int i = 0; i < t->n; i++) {
        const stretch *s = &t->pieces[i];
        for (float at = 0, length = hypotf(s->way[0], s->way[1]); at < s->part; at += 0.7f / length) {
            const sap_aabb ghost = shifted(s->from, s->way, at);
            svg_box(&p, ghost.min, ghost.max, s->slides ? SLIDES : WALKS);
        }
        if (!s->wall) continue;
        sap_aabb side = shifted(s->from, s->way, s->part); /* the box where it touches the wall */
        (s->way[s->axis] > 0 ? side.min : side.max)[s->axis] = (s->way[s->axis] > 0 ? side.max : side.min)[s->axis];
        svg_box(&p, side.min, side.max, TOUCHES);
    }
    for (int i = 0; i <= STEPS; i++) {
        svg_box(&p, stop[i].min, stop[i].max, SVG_LIT);
        svg_text(&p, stop[i].min[0] + 0.31, stop[i].max[1] - 0.28, 20, "fill:#111", "%d", i);
    }
    svg_end_panel(&p);
    svg_close(&p);
}
