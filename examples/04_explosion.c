/*
Shows how to find everything within reach of an explosion, and who is nearest to it.

    cc -I.. -I/usr/include/stb -o explosion 04_explosion.c -lm && ./explosion

It draws the scene from above in explosion.svg or the file you name. It prints:

    39 of 160 crates are within 6 m, 6 of them behind the wall
    Ada heard it first: 8.5 m away, after 25 ms
*/
#include <math.h>
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { CRATE = 2, WALL = 4, GUARD = 8, ANYTHING = 14 }; /* categories: a query names those it wants */
enum { CRATES = 160 };
#define SHELTERED "fill:#4d6a8c;stroke:#ff7d5a;stroke-width:2"
#define HEARS "fill:#7fd0a0"

typedef struct crate {
    sap_aabb box;
    float push[2], strength; /* newtons */
    int reached, sheltered;
} crate;

typedef struct blast {
    sap_world *world;
    float center[3], radius, force;
} blast;

static float distance_to(const float center[3], const sap_aabb *box) {
    float x = fmaxf(0, fmaxf(box->min[0] - center[0], center[0] - box->max[0]));
    float y = fmaxf(0, fmaxf(box->min[1] - center[1], center[1] - box->max[1]));
    return sqrtf(x * x + y * y);
}

/* Called for each crate within reach: the nearer it is, the stronger the push. A callback may itself query. */
static int shake(sap_id id, void *object, void *user) {
    blast *b = (blast *)user;
    crate *c = (crate *)object;
    float way[3] = {(c->box.min[0] + c->box.max[0]) / 2 - b->center[0],
                    (c->box.min[1] + c->box.max[1]) / 2 - b->center[1], 0};
    (void)id;
    c->reached = 1;
    c->sheltered = sap_ray_closest(b->world, b->center, way, WALL, NULL) != 0;
    c->strength = c->sheltered ? 0 : b->force * (1 - distance_to(b->center, &c->box) / b->radius);
    for (int k = 0; k < 2; k++) c->push[k] = c->strength * way[k] / sqrtf(way[0] * way[0] + way[1] * way[1]);
    return 1; /* go on */
}

static float random_between(float low, float high) { /* the same on every machine */
    static uint32_t state = 7;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

static sap_id add(sap_world *world, const sap_aabb *box, uint32_t category, void *object) {
    sap_id id = sap_add(world, box, object);
    sap_set_filter(world, id, category, ANYTHING);
    return id;
}

typedef struct scene { /* for the picture */
    const crate *crates;
    const sap_aabb *wall, *guards;
    const char *const *names;
    int n, reached, sheltered, first;
    float ear, force, radius;
} scene;

static void draw(const char *path, const scene *s);

int main(int argc, char **argv) {
    static crate crates[CRATES];
    const sap_aabb wall = {{16, 5, 0}, {16.5f, 12, 0}};
    const sap_aabb guards[] = {
        {{5, 3, 0}, {5.8f, 3.8f, 0}}, {{26, 12, 0}, {26.8f, 12.8f, 0}}, {{23, 4, 0}, {23.8f, 4.8f, 0}}};
    const char *const names[] = {"Ada", "Ben", "Cleo"};
    const sap_config flat = {.axes = SAP_2D};
    blast b = {sap_create(&flat), {12.5f, 9, 0}, 6, 1000};
    sap_id guard[3];
    int n = 0, sheltered = 0, first = 0;
    float ear;

    add(b.world, &wall, WALL, NULL);
    for (int i = 0; i < 3; i++) guard[i] = add(b.world, &guards[i], GUARD, NULL);
    while (n < CRATES) { /* at random, where there is room */
        float x = random_between(0.3f, 30.3f), y = random_between(0.3f, 16.3f);
        float width = random_between(0.6f, 1.4f), height = random_between(0.6f, 1.4f);
        sap_aabb box = {{x, y, 0}, {x + width, y + height, 0}};
        if (distance_to(b.center, &box) < 0.7f || sap_query_box(b.world, &box, ANYTHING, NULL, NULL)) continue;
        crates[n].box = box;
        add(b.world, &box, CRATE, &crates[n++]);
    }

    int reached = sap_query_sphere(b.world, b.center, b.radius, CRATE, shake, &b);
    sap_id who = sap_nearest(b.world, b.center, 340, GUARD, &ear);
    while (first < 2 && guard[first] != who) first++;
    for (int i = 0; i < n; i++) sheltered += crates[i].sheltered;
    printf("%d of %d crates are within %.0f m, %d of them behind the wall\n", reached, n, b.radius, sheltered);
    printf("%s heard it first: %.1f m away, after %.0f ms\n", names[first], ear, ear / 0.343);

    const scene seen = {crates, &wall, guards, names, n, reached, sheltered, first, ear, b.force, b.radius};
    draw(argc > 1 ? argv[1] : "explosion.svg", &seen);
    sap_destroy(b.world);
    return 0;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

/* An arrow from the middle of the crate along its push, one metre for 400 newtons. */
static void draw_push(svg *p, const crate *c) {
    double x = (c->box.min[0] + c->box.max[0]) / 2, y = (c->box.min[1] + c->box.max[1]) / 2;
    if (c->strength > 60)
        svg_line(p, x, y, x + c->push[0] / 400, y + c->push[1] / 400,
                 "stroke:#e8eef6;stroke-width:2;marker-end:url(#arrow)");
}

static void draw(const char *path, const scene *s) {
    svg p = svg_open(path, 1200, 770, "An explosion pushes what is near, but not what a wall shelters");
    svg_text(&p, 40, 76, 16, SVG_WORD,
             "%d of %d crates are in reach, %d of them sheltered; %s, %.1f m away, heard it first", s->reached, s->n,
             s->sheltered, s->names[s->first], s->ear);
    svg_key(&p, 810, 34, "fill:#ff5c4d", "strong push");
    svg_key(&p, 930, 34, "fill:#fadb42", "weak push");
    svg_key(&p, 1040, 34, SHELTERED, "sheltered");
    svg_key(&p, 810, 64, SVG_PLAIN, "out of reach");
    svg_key(&p, 930, 64, HEARS, "guard");
    svg_key(&p, 1040, 64, "fill:#8fa3ba", "wall");
    svg_begin_panel(&p, 40, 110, 1120, 630, 0, 0, 35);
    svg_circle(&p, 12.5, 9, s->radius, "fill:#ff7d5a;fill-opacity:.16;stroke:#ff7d5a;stroke-width:2");
    svg_circle(&p, 12.5, 9, s->ear, "fill:none;stroke:#7fd0a0;stroke-dasharray:3 5");
    for (int i = 0; i < s->n; i++) {
        char style[48];
        snprintf(style, sizeof style, "fill:hsl(%.0f,95%%,62%%)", 50 - 50 * (s->crates[i].strength / s->force));
        svg_box(&p, s->crates[i].box.min, s->crates[i].box.max,
                s->crates[i].strength > 0 ? style
                : s->crates[i].reached    ? SHELTERED
                                          : SVG_PLAIN);
    }
    svg_box(&p, s->wall->min, s->wall->max, "fill:#8fa3ba");
    for (int i = 0; i < s->n; i++) draw_push(&p, &s->crates[i]);
    svg_circle(&p, 12.5, 9, 0.3, "fill:#ffffff;stroke:#ff7d5a;stroke-width:6");
    for (int i = 0; i < 3; i++) {
        svg_box(&p, s->guards[i].min, s->guards[i].max, HEARS);
        svg_text(&p, s->guards[i].min[0] - 0.1, s->guards[i].min[1] - 0.2, 20,
                 i == s->first ? HEARS ";" SVG_HALO : SVG_TITLE ";" SVG_HALO, "%s", s->names[i]);
    }
    svg_end_panel(&p);
    svg_close(&p);
}
