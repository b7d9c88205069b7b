/*
Shows how to find the nearest of many: the three nearest, the nearest that can be seen, and the nearest to a box.

    cc -I.. -I/usr/include/stb -o nearest 19_nearest.c -lm && ./nearest

sap_nearest_ids writes the nearest into an array. Where only some count (here those in sight), sap_query_nearest visits
boxes that are not farther than a limit, in no particular order, and the callback sets the limit.

It draws nearest.svg or the file you name. It prints:

    the 3 nearest: 57 at 37.7, 42 at 41.4, 8 at 62.3
    the nearest in sight: 42 at 41.4
    nearest to tower 1: 32 at 13.5
    nearest to tower 2: 35 at 32.0
*/
#include <math.h>
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { WALL = 2, ENEMY = 4, TOWER = 8, K = 3, WALLS = 7, ENEMIES = 60, TOWERS = 2 };
#define SEEN "fill:#7fd0a0;stroke:#10151c"

typedef struct nearest { /* the nearest first; at the same distance the lower id first */
    sap_id id[K];
    float distance[K];
    int n;
} nearest;

typedef struct sight {
    sap_world *world;
    const float *eye;
    sap_id id;
    float distance;
    int asked;
} sight;

/* Keeps the nearest that no wall hides. What is hidden does not count: the limit stays. (To return a distance of 0 would
   stop: the first box that holds the eye would win, not that of the lowest id. None does here.) */
static float keep_visible(sap_id id, void *object, float distance, void *user) {
    sight *s = (sight *)user;
    const sap_aabb *box = (const sap_aabb *)object;
    float way[3] = {0, 0, 0};
    for (int k = 0; k < 2; k++) way[k] = (box->min[k] + box->max[k]) / 2 - s->eye[k];
    s->asked++;
    if (sap_ray_closest(s->world, s->eye, way, WALL, NULL)) return 1e30f;
    if (!s->id || distance < s->distance || (distance <= s->distance && id < s->id)) {
        s->id = id;
        s->distance = distance;
    }
    return s->distance;
}

static float random_in(float low, float high) { /* the same on every machine */
    static uint32_t state = 24;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

static void draw(const char *path, const sap_aabb *boxes, const float eye[3], const nearest *best, const sight *visible,
                 const sap_id nearest_of[TOWERS]);

int main(int argc, char **argv) {
    static sap_aabb boxes[WALLS + ENEMIES + TOWERS] = {{{260, 190, 0}, {270, 330, 0}}, {{270, 190, 0}, {350, 200, 0}},
                                                       {{380, 250, 0}, {390, 340, 0}}, {{296, 290, 0}, {336, 296, 0}},
                                                       {{120, 80, 0}, {220, 90, 0}},   {{480, 90, 0}, {490, 220, 0}},
                                                       {{150, 400, 0}, {250, 410, 0}}};
    const float eye[3] = {320, 270, 0};
    nearest best = {{0}, {0}, 0};
    sap_id nearest_of[TOWERS];
    sap_world *world = sap_create(&(sap_config){.axes = SAP_2D});
    for (int i = 0; i < WALLS + ENEMIES + TOWERS; i++) {
        const int is_tower = i >= WALLS + ENEMIES;
        for (int k = 0; k < 2 && i >= WALLS; k++) {
            boxes[i].min[k] =
                is_tower ? (k ? 60.0f : 60 + 420 * (float)(i - WALLS - ENEMIES)) : floorf(random_in(10, k ? 470 : 620));
            boxes[i].max[k] = boxes[i].min[k] + (is_tower ? 24 : 8);
        }
        const sap_id id = sap_add(world, &boxes[i], &boxes[i]); /* 1, 2, 3 ...: nothing is removed here */
        sap_set_filter(world, id, i < WALLS ? WALL : is_tower ? TOWER : ENEMY, 0);
    }

    best.n = sap_nearest_ids(world, eye, 1e30f, ENEMY, best.id, best.distance, K);
    printf("the %d nearest:", K);
    for (int i = 0; i < best.n; i++)
        printf("%s %d at %.1f", i ? "," : "", (int)SAP_SLOT(best.id[i]) - WALLS, best.distance[i]);

    sight visible = {world, eye, 0, 0, 0};
    sap_query_nearest(world, eye, 1e30f, ENEMY, keep_visible, &visible);
    printf("\nthe nearest in sight: %d at %.1f\n", (int)SAP_SLOT(visible.id) - WALLS, visible.distance);

    for (int i = 0; i < TOWERS; i++) { /* from box to box, itself aside: 0 where they touch */
        float distance;
        nearest_of[i] = sap_nearest_to(world, (sap_id)(WALLS + ENEMIES + i + 1), 1e30f, ENEMY, &distance);
        printf("nearest to tower %d: %d at %.1f\n", i + 1, (int)SAP_SLOT(nearest_of[i]) - WALLS, distance);
    }
    draw(argc > 1 ? argv[1] : "nearest.svg", boxes, eye, &best, &visible, nearest_of);
    sap_destroy(world);
    return 0;
}

static void draw_line(svg *p, const float from[3], const sap_aabb *to, const char *style) {
    svg_line(p, from[0], from[1], (to->min[0] + to->max[0]) / 2, (to->min[1] + to->max[1]) / 2, style);
}

static void draw(const char *path, const sap_aabb *boxes, const float eye[3], const nearest *best, const sight *visible,
                 const sap_id nearest_of[TOWERS]) {
    svg p = svg_open(path, 1040, 790, "The nearest of many");
    svg_key(&p, 300, 34, SVG_LIT, "one of the three nearest");
    svg_key(&p, 520, 34, SEEN, "the nearest in sight");
    svg_key(&p, 700, 34, "fill:#9fd6ff", "towers, and what is nearest to them");
    svg_begin_panel(&p, 40, 70, 960, 690, 0, 0, 1.5);
    for (int i = 0; i < WALLS + ENEMIES + TOWERS; i++) {
        const char *style = i < WALLS ? SVG_GROUND : i >= WALLS + ENEMIES ? "fill:#9fd6ff" : SVG_PLAIN;
        for (int k = 0; k < best->n; k++)
            if (best->id[k] == (sap_id)i + 1) style = SVG_LIT;
        if (visible->id == (sap_id)i + 1) style = SEEN;
        svg_box(&p, boxes[i].min, boxes[i].max, style);
    }
    for (int i = 0; i < best->n; i++)
        draw_line(&p, eye, &boxes[best->id[i] - 1], "stroke:#ffd877;stroke-width:1.5;stroke-dasharray:3 4");
    draw_line(&p, eye, &boxes[visible->id - 1], "stroke:#7fd0a0;stroke-width:2");
    for (int i = 0; i < TOWERS; i++) {
        const sap_aabb *tower = &boxes[WALLS + ENEMIES + i];
        const float middle[3] = {(tower->min[0] + tower->max[0]) / 2, (tower->min[1] + tower->max[1]) / 2, 0};
        draw_line(&p, middle, &boxes[nearest_of[i] - 1], "stroke:#9fd6ff;stroke-width:1.5");
    }
    svg_circle(&p, eye[0], eye[1], 4, "fill:#fff");
    svg_end_panel(&p);
    svg_close(&p);
}
