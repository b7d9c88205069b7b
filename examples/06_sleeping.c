/*
Shows how to let bodies sleep, so that only what moves costs time, and how to step at the same rate on every machine.

    cc -I.. -I/usr/include/stb -o sleeping 06_sleeping.c -lm && ./sleeping

It draws the end, seen from above, in sleeping.svg or the file you name. It prints:

    second 1: 54 boxes moved per step, 97 of 545 awake at the end
    second 2: 56 boxes moved per step, 13 of 545 awake at the end
    second 3:  1 boxes moved per step,  0 of 545 awake at the end
    second 4:  0 boxes moved per step,  0 of 545 awake at the end
    second 5:  0 boxes moved per step,  0 of 545 awake at the end
    at 144 frames a second, and at 8 to 90: the same to the last bit
*/
#include <math.h>
#include <string.h>
#include "svg.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { COLUMNS = 32, ROWS = 17, BODIES = COLUMNS * ROWS + 1, SLOTS = BODIES + 1, MOST_FRAMES = 1000 };
#define HEAVY "fill:#ff8a5c;stroke:#10151c"
static const float step_time = 1 / 60.0f, friction = 12, calm_speed = 0.05f, wake_speed = 0.2f;

/* Components are arrays. Their index is SAP_SLOT of a box's id, which counts from 1: no map is needed. A slot is used
   again after a removal, and then the higher bits of the id differ. So the ids are kept, too. */
typedef struct game {
    sap_world *world;
    sap_id id[SLOTS];
    float middle[SLOTS][2], last[SLOTS][2]; /* positions now, and one step ago */
    float velocity[SLOTS][2], half[SLOTS], mass[SLOTS];
    int calm_steps[SLOTS], woken[SLOTS];
    int awake[SLOTS], awakes, seat[SLOTS]; /* the slots that are awake; the index of each slot among them, -1: asleep */
} game;

typedef struct track { /* the positions at which the heavy crate is drawn, by frame */
    float at[MOST_FRAMES][2];
    int n;
} track;

static sap_aabb box_of(const game *g, int i) {
    const float *m = g->middle[i], h = g->half[i];
    return (sap_aabb){{m[0] - h, m[1] - h, 0}, {m[0] + h, m[1] + h, 0}};
}

static void wake(game *g, int i) {
    if (g->seat[i] >= 0) return;
    g->woken[i] = 1;
    g->calm_steps[i] = 0;
    g->seat[i] = g->awakes;
    g->awake[g->awakes++] = i;
}

static void put_to_sleep(game *g, int i) {
    int last = g->awake[--g->awakes];
    g->awake[g->seat[i]] = last;
    g->seat[last] = g->seat[i];
    g->seat[i] = -1;
    for (int k = 0; k < 2; k++) {
        g->velocity[i][k] = 0;
        g->last[i][k] = g->middle[i][k]; /* drawn between last and middle, it lies still */
    }
}

static int add(game *g, float x, float y, float half, float mass) {
    const sap_aabb box = {{x - half, y - half, 0}, {x + half, y + half, 0}};
    const sap_id id = sap_add(g->world, &box, NULL);
    const int i = (int)SAP_SLOT(id);
    g->id[i] = id;
    g->middle[i][0] = g->last[i][0] = x;
    g->middle[i][1] = g->last[i][1] = y;
    g->half[i] = half;
    g->mass[i] = mass;
    g->seat[i] = -1;
    return i;
}

/* Separates two boxes along the axis on which they overlap least, and makes them bounce a little. */
static void collide(game *g, int a, int b) {
    float depth[2];
    for (int k = 0; k < 2; k++) depth[k] = g->half[a] + g->half[b] - fabsf(g->middle[a][k] - g->middle[b][k]);
    int axis = depth[1] < depth[0];
    float side = g->middle[a][axis] < g->middle[b][axis] ? 1.0f : -1.0f;
    float approach = side * (g->velocity[a][axis] - g->velocity[b][axis]);
    if (depth[axis] <= 0) return; /* separated by another collision in this step */
    if (approach > wake_speed) wake(g, b);
    float share = g->seat[b] < 0 ? 1 : g->mass[b] / (g->mass[a] + g->mass[b]); /* a sleeping body does not give way */
    float bounce = approach > 0 ? 1.2f * approach * side : 0;
    g->middle[a][axis] -= side * depth[axis] * share;
    g->velocity[a][axis] -= bounce * share;
    g->middle[b][axis] += side * depth[axis] * (1 - share);
    g->velocity[b][axis] += bounce * (1 - share);
}

/* Simulates one step, always of the same length. It visits bodies that are awake and their neighbours, as sap does. */
static void step(game *g) {
    sap_id others[64];
    for (int n = 0; n < g->awakes; n++) {
        int i = g->awake[n];
        float speed = hypotf(g->velocity[i][0], g->velocity[i][1]);
        float keep = fmaxf(0, 1 - friction * step_time / fmaxf(speed, calm_speed));
        for (int k = 0; k < 2; k++) {
            g->last[i][k] = g->middle[i][k];
            g->velocity[i][k] *= keep;
            g->middle[i][k] += g->velocity[i][k] * step_time;
        }
        g->calm_steps[i] = speed < calm_speed ? g->calm_steps[i] + 1 : 0;
    }
    for (int n = g->awakes; n-- > 0;) /* backwards: a body that was visited takes the seat of one that falls asleep */
        if (g->calm_steps[g->awake[n]] > 20) put_to_sleep(g, g->awake[n]);
    for (int n = 0; n < g->awakes; n++) {
        sap_aabb box = box_of(g, g->awake[n]);
        sap_move(g->world, g->id[g->awake[n]], &box);
    }
    sap_update(g->world);
    for (int n = 0, end = g->awakes; n < end; n++) { /* those woken here start in the next step */
        int count = sap_pairs_of(g->world, g->id[g->awake[n]], others, 64);
        for (int o = 0; o < count && o < 64; o++) {
            int other = (int)SAP_SLOT(others[o]);
            if (g->seat[other] < 0 || other > g->awake[n]) collide(g, g->awake[n], other);
        }
    }
}

/* Crates in rows, asleep, and a heavy one that is thrown at them. Returns the slot of the heavy one. */
static int set_up(game *g) {
    const sap_config flat = {.axes = SAP_2D};
    memset(g, 0, sizeof *g);
    g->world = sap_create(&flat);
    for (int i = 0; i < COLUMNS * ROWS; i++)
        add(g, 4 + 1.5f * (float)(i % COLUMNS), 1 + 1.5f * (float)(i / COLUMNS), 0.5f, 1);
    int heavy = add(g, -1, 15.5f, 1.2f, 30);
    g->velocity[heavy][0] = 42;
    g->velocity[heavy][1] = -12;
    wake(g, heavy);
    sap_update(g->world);
    return heavy;
}

/* Runs a game for 5 s, with frames of these lengths in turn. The first one also prints, and keeps where the heavy crate
   is drawn. */
static void play(game *g, const float *frame_times, int kinds, track *t) {
    int heavy = set_up(g), steps = 0;
    int moves = 0;
    float debt = 0; /* time that has passed but is not simulated yet: less than a step */
    for (int frame = 0; steps < 300; frame++) {
        for (debt += frame_times[frame % kinds]; debt >= step_time && steps < 300; debt -= step_time) {
            step(g);
            moves += g->awakes;
            if (++steps % 60 || !t) continue;
            printf("second %d: %2d boxes moved per step, %2d of %d awake at the end\n", steps / 60, moves / 60,
                   g->awakes, BODIES);
            moves = 0;
        }
        if (!t || g->seat[heavy] < 0 || t->n == MOST_FRAMES) continue;
        /* The crate is drawn between the last two steps, so that it moves evenly at any frame rate. */
        float part = debt / step_time;
        const float *now = g->middle[heavy], *last = g->last[heavy];
        for (int k = 0; k < 2; k++) t->at[t->n][k] = last[k] + (now[k] - last[k]) * part;
        t->n++;
    }
    sap_destroy(g->world);
}

static void draw(const char *path, const game *g, const track *t);

int main(int argc, char **argv) {
    static game smooth, stuttering;
    static track heavy;
    const float fast[] = {1 / 144.0f}, slow[] = {1 / 50.0f, 1 / 31.0f, 1 / 8.0f, 1 / 44.0f, 1 / 90.0f};
    play(&smooth, fast, 1, &heavy);
    play(&stuttering, slow, 5, NULL);
    int same = !memcmp(smooth.middle, stuttering.middle, sizeof smooth.middle);
    printf("at 144 frames a second, and at 8 to 90: %s\n", same ? "the same to the last bit" : "different");
    draw(argc > 1 ? argv[1] : "sleeping.svg", &smooth, &heavy);
    return !same;
}

/* Draws the end, seen from above. */
static void draw(const char *path, const game *g, const track *t) {
    svg p = svg_open(path, 1200, 650, "A heavy crate wakes what it hits");
    svg_begin_panel(&p, 40, 70, 1120, 540, -3, -1, 20);
    for (int i = 1; i < SLOTS; i++) {
        sap_aabb box = box_of(g, i);
        svg_box(&p, box.min, box.max, g->half[i] > 1 ? HEAVY : g->woken[i] ? SVG_LIT : SVG_PLAIN);
    }
    for (int i = 0; i < t->n; i++) svg_circle(&p, t->at[i][0], t->at[i][1], 0.1, SVG_TITLE);
    svg_end_panel(&p);
    svg_key(&p, 40, 622, SVG_TITLE, "where the heavy crate was");
    svg_key(&p, 320, 622, HEAVY, "where it lies");
    svg_key(&p, 490, 622, SVG_LIT, "woken, asleep again");
    svg_key(&p, 720, 622, SVG_PLAIN, "never woken");
    svg_close(&p);
}
