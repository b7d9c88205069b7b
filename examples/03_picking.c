/*
Shows how to pick what is under the mouse with a ray.

    cc -I.. -I/usr/include/stb -o picking 03_picking.c -lm && ./picking

It draws the scene, on the screen and from above, in picking.svg or the file you name. It prints:

    picked: knight, 14.8 m
    through: near pane, 9.4 m
    through: far pane, 12.5 m
    the first of all: near pane, 9.4 m
    the first building: tower, 19.8 m
*/
#include <math.h>
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { GROUND = 2, BUILDING = 4, GLASS = 8, UNIT = 16, ANYTHING = 30 }; /* categories: a query names those it wants */
#define PERSON "fill:#7fd0a0;stroke:#10151c"
#define PANE "fill:#9fd6ff;fill-opacity:.15;stroke:#9fd6ff"
#define PASSED "fill:#9fd6ff;fill-opacity:.15;stroke:#ff7d5a;stroke-width:3"

typedef struct thing {
    const char *name;
    uint32_t category;
    sap_aabb box;
    float t; /* where the ray meets it */
} thing;

/* A screen of 640 by 480 pixels; the camera looks north and a little down. */
static const svg_camera camera = {{0, 5, 11}, {1, 0, 0}, {0, 0.96f, -0.28f}, {0, -0.28f, -0.96f}, 560, {320, 240}};
static const float reach = 40;

/* From the eye through a pixel, 'reach' metres long. */
static void mouse_ray(float x, float y, float way[3]) {
    for (int k = 0; k < 3; k++)
        way[k] = camera.forward[k] * camera.zoom + camera.right[k] * (x - camera.middle[0]) +
                 camera.up[k] * (camera.middle[1] - y);
    float length = sqrtf(svg_dot(way, way));
    for (int k = 0; k < 3; k++) way[k] *= reach / length;
}

/* Called for what the ray meets, in no particular order. It looks through glass and ends at anything else. */
static float look(sap_id id, void *object, float t, void *user) {
    thing *it = (thing *)object;
    (void)id;
    it->t = t;
    if (it->category == GLASS) return 1; /* go on: whether it lies in front of what is picked shows later */
    *(thing **)user = it;
    return t; /* clip the ray here: no later hit is farther away */
}

static int is_passed(const thing *it, const thing *picked) { /* glass in front of what is picked */
    return it->category == GLASS && it->t < picked->t;
}

static void draw(const char *path, const thing *things, int n, const thing *picked, const float mouse[2],
                 const float way[3], float t);

int main(int argc, char **argv) {
    thing things[] = {
        {"ground", GROUND, {{-10, -1, -12}, {10, 0, 6}}, 2}, /* far ones first: they are drawn in this order */
        {"tower", BUILDING, {{2.5f, 0, -11}, {5.5f, 6, -8}}, 2},
        {"hall", BUILDING, {{-8, 0, -10}, {-2, 3, -6}}, 2},
        {"back pane", GLASS, {{0.5f, 0, -6.6f}, {4.5f, 2.6f, -6.5f}}, 2},
        {"archer", UNIT, {{6.5f, 0, -5.5f}, {7.3f, 1.8f, -4.7f}}, 2},
        {"knight", UNIT, {{2, 0, -4}, {2.8f, 1.8f, -3.2f}}, 2},
        {"far pane", GLASS, {{0.5f, 0, -1.1f}, {4.5f, 2.6f, -1}}, 2},
        {"near pane", GLASS, {{0.5f, 0, 1.9f}, {4.5f, 3.6f, 2}}, 2},
        {"well", BUILDING, {{-3.5f, 0, 1.5f}, {-1.9f, 1, 3}}, 2},
    };
    enum { THINGS = sizeof things / sizeof *things };
    const float mouse[2] = {409, 215};
    sap_world *world = sap_create(NULL);
    float way[3], t;
    thing *picked = NULL;
    for (int i = 0; i < THINGS; i++)
        sap_set_filter(world, sap_add(world, &things[i].box, &things[i]), things[i].category, ANYTHING);

    mouse_ray(mouse[0], mouse[1], way);
    sap_ray_cast(world, camera.eye, way, ANYTHING, look, &picked);
    printf("picked: %s, %.1f m\n", picked->name, picked->t * reach);
    for (int i = THINGS - 1; i >= 0; i--)
        if (is_passed(&things[i], picked)) printf("through: %s, %.1f m\n", things[i].name, things[i].t * reach);
    thing *first = (thing *)sap_get_object(world, sap_ray_closest(world, camera.eye, way, ANYTHING, &t));
    printf("the first of all: %s, %.1f m\n", first->name, t * reach);
    thing *building = (thing *)sap_get_object(world, sap_ray_closest(world, camera.eye, way, BUILDING, &t));
    printf("the first building: %s, %.1f m\n", building->name, t * reach);

    draw(argc > 1 ? argv[1] : "picking.svg", things, THINGS, picked, mouse, way, t);
    sap_destroy(world);
    return 0;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

static const char *style_of(const thing *it, const thing *picked) {
    if (it == picked) return SVG_LIT;
    if (it->category == GLASS) return is_passed(it, picked) ? PASSED : PANE;
    return it->category == UNIT ? PERSON : it->category == GROUND ? SVG_GROUND : SVG_PLAIN;
}

static void draw_on_screen(svg *p, const thing *it, const char *style) {
    svg_box3(p, &camera, it->box.min, it->box.max, it->category != GLASS, style);
}

static void draw_from_above(svg *p, const thing *it, const char *style) {
    const float min[2] = {it->box.min[0], it->box.min[2]}, max[2] = {it->box.max[0], it->box.max[2]};
    svg_box(p, min, max, style);
    if (it->category != GROUND) svg_text(p, max[0] + 0.2, max[1], 15, SVG_TITLE ";" SVG_HALO, "%s", it->name);
}

static void draw(const char *path, const thing *things, int n, const thing *picked, const float mouse[2],
                 const float way[3], float t) {
    svg p = svg_open(path, 1200, 630, "The mouse picks the knight, through two panes of glass");
    svg_text(&p, 40, 76, 16, SVG_WORD, "On the screen");
    svg_text(&p, 720, 76, 16, SVG_WORD, "From above");
    svg_key(&p, 750, 34, SVG_LIT, "picked");
    svg_key(&p, 850, 34, PASSED, "looked through");
    svg_key(&p, 1010, 34, PANE, "glass behind it");
    svg_begin_panel(&p, 40, 96, 640, 480, 0, 0, 1);
    for (int i = 0; i < n; i++) draw_on_screen(&p, &things[i], style_of(&things[i], picked));
    draw_on_screen(&p, picked, SVG_LIT); /* over the glass */
    svg_pointer(&p, mouse[0], mouse[1]);
    svg_end_panel(&p);

    svg_begin_panel(&p, 720, 96, 440, 480, -11, -12.5, 20);
    for (int i = 0; i < n; i++) draw_from_above(&p, &things[i], style_of(&things[i], picked));
    const double x0 = camera.eye[0], y0 = camera.eye[2], dx = way[0], dy = way[2], end = picked->t;
    svg_line(&p, x0, y0, x0 + dx * t, y0 + dy * t, "stroke:#ffd877;stroke-dasharray:2 6");
    svg_line(&p, x0, y0, x0 + dx * end, y0 + dy * end, "stroke:#ffd877;stroke-width:3");
    svg_circle(&p, x0, y0, 0.35, "fill:#fff");
    svg_text(&p, x0 + 0.6, y0 + 0.25, 15, SVG_TITLE, "eye");
    svg_end_panel(&p);
    svg_close(&p);
}
