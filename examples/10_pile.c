/*
Shows how to pile up boxes: pairs tell what may touch, and each pair keeps its contact from frame to frame.

    cc -I.. -I/usr/include/stb -o pile 10_pile.c -lm && ./pile

It draws four moments in pile.svg or the file you name. It prints:

    after 2 s: 27 boxes, 16 pairs
    after 4 s: 53 boxes, 60 pairs
    after 6 s: 78 boxes, 105 pairs
    after 8 s: 85 boxes, 144 pairs
    123 contacts, the oldest since frame 62; 147 have ended
    the deepest overlap: 1 mm
*/
#include <math.h>
#include <stdlib.h>
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { BOXES = 85, FRAMES = 480, ROUNDS = 15, RECENT = 30 };
#define FRESH "fill:#ff8a5c;stroke:#10151c"
static const float margin = 0.04f;             /* metres around each box, so that pairs begin before boxes touch */
static const float gravity = 9.8f / (60 * 60); /* metres per frame, gained in each frame */
static const float friction = 0.6f, keep = 0.995f;

typedef struct box {
    sap_id id;
    float middle[3], last[3], half[3]; /* now and one frame ago: the difference is its speed */
    float yields;                      /* 1, or 0 for the ground, which does not move */
    int lies_since;                    /* the frame in which its oldest contact began; FRAMES: it touches nothing */
} box;

/* A contact is the user_data of a pair. */
typedef struct contact {
    box *a, *b;
    int axis, since; /* the axis that separates them; the frame in which they touched, FRAMES: not yet */
    float side;      /* 1: a is on the lower side of b, else -1 */
} contact;

static void *begin(const sap_pair *pair, void *user) {
    contact *c = (contact *)malloc(sizeof *c);
    (void)user;
    if (!c) exit(1);
    *c = (contact){(box *)pair->object0, (box *)pair->object1, 0, FRAMES, 0};
    return c;
}

static void end(const sap_pair *pair, void *user) {
    int *ended = (int *)user;
    *ended += ((contact *)pair->user_data)->since < FRAMES;
    free(pair->user_data);
}

/* Returns the gap between a and b on an axis; negative: the depth of their overlap. */
static float gap(const box *a, const box *b, int axis) {
    return fabsf(a->middle[axis] - b->middle[axis]) - a->half[axis] - b->half[axis];
}

/* Separates the two if they overlap, and lets them rub.

   The axis is the one on which they were apart last, and it is kept as long as they overlap. If the axis of least
   overlap were chosen in each frame, a box that the pile presses into another would slip out sideways. */
static void part(contact *c, int frame) {
    box *a = c->a, *b = c->b;
    int widest = 0;
    for (int k = 1; k < 3; k++)
        if (gap(a, b, k) > gap(a, b, widest)) widest = k;
    int touching = gap(a, b, widest) <= 0;
    if (!touching || c->side == 0) {
        c->axis = widest;
        c->side = a->middle[widest] < b->middle[widest] ? 1.0f : -1.0f;
    }
    if (!touching) return;
    if (c->since == FRAMES) c->since = frame;
    float push = -gap(a, b, c->axis), share = a->yields / (a->yields + b->yields);
    const box *lower = c->side > 0 ? a : b;
    for (int k = 0; k < 3; k++) { /* b moves by 'way', a in the opposite direction */
        float offset = b->middle[k] - a->middle[k], way;
        if (k == c->axis) {
            way = c->side * push;
        } else if (c->axis == 1 && fabsf(offset) > lower->half[k]) { /* boxes do not turn here: they slip off */
            way = offset > 0 ? push / 2 : -push / 2;
        } else { /* friction: against the sliding, limited by how hard they press */
            float slides = (a->middle[k] - a->last[k]) - (b->middle[k] - b->last[k]);
            way = fmaxf(-friction * push, fminf(friction * push, slides));
        }
        a->middle[k] -= way * share;
        b->middle[k] += way * (1 - share);
    }
}

static sap_aabb box_of(const box *b) {
    sap_aabb around;
    for (int k = 0; k < 3; k++) {
        around.min[k] = b->middle[k] - b->half[k] - margin;
        around.max[k] = b->middle[k] + b->half[k] + margin;
    }
    return around;
}

static float random_between(float low, float high) { /* the same on every machine */
    static uint32_t state = 11;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

/* Drops one more box from above, if there is room. */
static int drop(sap_world *world, box *b) {
    *b = (box){0, {random_between(-2, 2), 5, random_between(-2, 2)}, {0}, {0}, 1, FRAMES};
    for (int k = 0; k < 3; k++) {
        b->last[k] = b->middle[k];
        b->half[k] = k == 1 ? random_between(0.15f, 0.3f) : random_between(0.25f, 0.6f);
    }
    sap_aabb around = box_of(b);
    if (sap_query_box(world, &around, 1, NULL, NULL)) return 0;
    b->id = sap_add(world, &around, b);
    return 1;
}

/* Simulates one frame: boxes fall, then pairs are separated in several rounds, as each presses boxes into others. */
static void step(sap_world *world, box *boxes, int n, int frame, int *ended) {
    int pairs;
    for (int i = 1; i < n; i++) {
        box *b = &boxes[i];
        for (int k = 0; k < 3; k++) {
            float speed = (b->middle[k] - b->last[k]) * keep - (k == 1 ? gravity : 0);
            b->last[k] = b->middle[k];
            b->middle[k] += speed;
        }
        sap_aabb around = box_of(b);
        sap_move(world, b->id, &around);
    }
    sap_dump_pairs(world, begin, end, ended);
    const sap_pair *pair = sap_pairs(world, &pairs);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < pairs; i++) part((contact *)pair[i].user_data, frame);
    for (int i = 0; i < n; i++) boxes[i].lies_since = FRAMES;
    for (int i = 0; i < pairs; i++) {
        contact *c = (contact *)pair[i].user_data;
        if (c->a->lies_since > c->since) c->a->lies_since = c->since;
        if (c->b->lies_since > c->since) c->b->lies_since = c->since;
    }
}

static svg begin_picture(const char *path);
static void draw_moment(svg *p, int picture, const box *boxes, int n, int frame, int pairs);

int main(int argc, char **argv) {
    static box boxes[BOXES + 1] = {{0, {0, -0.25f, 0}, {0, -0.25f, 0}, {4.5f, 0.25f, 4.5f}, 0, FRAMES}};
    sap_world *world = sap_create(NULL);
    int n = 1, ended = 0, pairs, touching = 0, oldest = FRAMES;
    float deepest = 0;
    svg p = begin_picture(argc > 1 ? argv[1] : "pile.svg");

    sap_aabb around = box_of(&boxes[0]);
    boxes[0].id = sap_add_static(world, &around, &boxes[0]);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame % 2 == 0 && n <= BOXES) n += drop(world, &boxes[n]);
        step(world, boxes, n, frame, &ended);
        if (frame % 120 != 119) continue;
        sap_pairs(world, &pairs);
        printf("after %d s: %d boxes, %d pairs\n", (frame + 1) / 60, n - 1, pairs);
        draw_moment(&p, frame / 120, boxes, n, frame, pairs);
    }

    const sap_pair *pair = sap_pairs(world, &pairs);
    for (int i = 0; i < pairs; i++) {
        contact *c = (contact *)pair[i].user_data;
        touching += c->since < FRAMES;
        if (c->since < oldest) oldest = c->since;
        deepest = fmaxf(deepest, -gap(c->a, c->b, c->axis));
        free(c);
    }
    printf("%d contacts, the oldest since frame %d; %d have ended\n", touching, oldest, ended);
    printf("the deepest overlap: %.0f mm\n", 1000 * deepest);
    svg_close(&p);
    sap_destroy(world);
    return 0;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

/* Projects a point: the view is north-west and down. */
static const svg_camera camera = {
    {7.7f, 6.5f, 9.9f}, {0.789f, 0, -0.614f}, {-0.225f, 0.930f, -0.290f}, {-0.571f, -0.367f, -0.734f}, 660, {275, 215}};

/* Returns whether a could hide a part of b: it is nearer along some axis. */
static int hides(const box *a, const box *b) {
    for (int k = 0; k < 3; k++)
        if (a->middle[k] - a->half[k] > b->middle[k] + b->half[k] - margin) return 1;
    return 0;
}

/* Draws from back to front: the next box hides none of those that are still to be drawn. */
static void draw(svg *p, const box *boxes, int n, int frame) {
    char done[BOXES + 1] = {0};
    for (int drawn = 0; drawn < n; drawn++) {
        int next = -1;
        for (int i = 0; i < n && next < 0; i++) {
            int first = !done[i];
            for (int j = 0; j < n && first; j++)
                first = done[j] || j == i || !hides(&boxes[i], &boxes[j]) || hides(&boxes[j], &boxes[i]);
            if (first) next = i;
        }
        for (int i = 0; i < n && next < 0; i++) next = done[i] ? -1 : i; /* they hide one another in a ring: take any */
        const box *b = &boxes[next];
        float min[3], max[3];
        for (int k = 0; k < 3; k++) {
            min[k] = b->middle[k] - b->half[k];
            max[k] = b->middle[k] + b->half[k];
        }
        svg_box3(p, &camera, min, max, next > 0,
                 next == 0                        ? SVG_GROUND
                 : b->lies_since == FRAMES        ? SVG_LIT
                 : frame - b->lies_since < RECENT ? FRESH
                                                  : SVG_PLAIN);
        done[next] = 1;
    }
}

static svg begin_picture(const char *path) {
    svg p = svg_open(path, 1200, 1000, "A pile of boxes, coloured by how long they have touched one another");
    svg_key(&p, 40, 66, SVG_LIT, "touches nothing");
    svg_key(&p, 200, 66, FRESH, "less than 0.5 s");
    svg_key(&p, 360, 66, SVG_PLAIN, "longer");
    return p;
}

static void draw_moment(svg *p, int picture, const box *boxes, int n, int frame, int pairs) {
    svg_begin_panel(p, 40 + 570 * (picture % 2), 100 + 450 * (picture / 2), 550, 430, 0, 0, 1);
    draw(p, boxes, n, frame);
    svg_text(p, 20, 412, 16, SVG_WORD, "%d s: %d boxes, %d pairs", (frame + 1) / 60, n - 1, pairs);
    svg_end_panel(p);
}
