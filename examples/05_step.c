/*
Shows how to ask "what would I hit if I moved there?", then stop in front of it and slide along it.

    cc -I.. -I/usr/include/stb -o step 05_step.c -lm && ./step

It draws the way from above in step.svg or the file you name. It prints:

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

enum { WALL = 1, HERO = 2 }; /* categories: the hero is in the world too, and must not hit itself */
enum { STEPS = 8, WALLS = 8, MOST_SLIDES = 3 };
#define GAP 0.01f /* the distance kept from walls: boxes that touch overlap, so the wall would be hit again at once */
#define WALKS "fill:#6f8fb4;fill-opacity:.22;stroke:#6f8fb4"
#define SLIDES "fill:#ffab5c;fill-opacity:.22;stroke:#ffab5c"
#define TOUCHES "stroke:#ff5c4d;stroke-width:5"
#define WANTS "fill:none;stroke:#8fa3ba;stroke-dasharray:2 5"

typedef struct touch {
    sap_id id;
    float t;
} touch;

typedef struct stretch { /* a straight piece of the way, for the picture */
    sap_aabb from;
    float way[3], part; /* how much of 'way' was gone */
    int slides, axis;   /* axis: of the side that stopped it, -1: none */
} stretch;

typedef struct track {
    stretch pieces[STEPS * MOST_SLIDES];
    int n;
} track;

/* Called for what is in the way, in no particular order. Keeps the first hit; at a tie, the lower id. */
static float keep_first(sap_id id, void *object, float t, void *user) {
    touch *first = (touch *)user;
    (void)object;
    if (t < first->t || (t <= first->t && id < first->id)) *first = (touch){id, t};
    return t; /* clip: nothing behind it matters */
}

static sap_aabb shifted(sap_aabb box, const float way[3], float part) {
    for (int k = 0; k < 2; k++) {
        box.min[k] += way[k] * part;
        box.max[k] += way[k] * part;
    }
    return box;
}

/* One step: as far as possible, then what is left of it along the wall, and in a corner along the second wall. */
static sap_aabb step(sap_world *world, sap_aabb me, const float wanted[3], track *t) {
    float way[3] = {wanted[0], wanted[1], 0};
    for (int slides = 0; slides < MOST_SLIDES && hypotf(way[0], way[1]) > 0; slides++) {
        touch first = {0, 2}; /* a t beyond any hit */
        float part = 1, normal[3], against = 0;
        int axis = -1;
        sap_box_cast(world, &me, way, WALL, keep_first, &first);
        if (first.id) {
            sap_aabb wall;
            sap_get_box(world, first.id, &wall);
            sap_hit_normal(&me, way, &wall, normal); /* the side of the wall that is met: it points back at me */
            for (int k = 0; k < 2; k++) against -= way[k] * normal[k];
            axis = fabsf(normal[1]) > 0;
            part = fmaxf(0, first.t - GAP / against);
            printf(" meets the %s,", (char *)sap_get_object(world, first.id));
        }
        t->pieces[t->n++] = (stretch){me, {way[0], way[1], 0}, part, slides, axis};
        me = shifted(me, way, part);
        if (axis < 0) break;
        for (int k = 0; k < 2; k++) way[k] = (1 - part) * (way[k] + against * normal[k]); /* what is left, along it */
    }
    return me;
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
    sap_set_filter(world, hero, HERO, WALL);
    sap_add_static_many(world, WALLS, walls, names, ids);

    stop[0] = me;
    for (int i = 0; i < STEPS; i++) {
        printf("step %d:", i + 1);
        me = stop[i + 1] = step(world, me, wanted[i], &gone);
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
        if (s->axis < 0) continue;
        sap_aabb side = shifted(s->from, s->way, s->part); /* the side that touches */
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
