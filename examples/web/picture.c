/*
Shows pairs that begin and end as a moving picture: an animated SVG, drawn from the events of sap.h.

    cc -I../.. -I/usr/include/stb -o picture picture.c -lm && ./picture pairs.svg

Boxes go to and fro in straight lines, and after some seconds are back where they were: the picture is a loop. A box
flashes when a pair begins, stays lit while it has one, and fades after the last one has ended. Where nothing moves, for
example on paper, the boxes are shown as they start.
*/
#include <math.h>
#include <stdio.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { BOXES = 30, SECONDS = 20, RATE = 60, FRAMES = SECONDS * RATE, WIDTH = 840, HEIGHT = 360, MOST_KEYS = 400 };
#define ALONE 0.0f
#define LIT 1.0f
#define FLASH 2.0f
static const float flash_time = 0.35f, fade_time = 0.7f; /* seconds */

typedef struct path { /* a path along one axis: from 'low' to 'high' and back, a whole number of times in the loop */
    float low, high;
    int rounds;
    float phase; /* the part of the way at which it starts, 0 to 1 */
} path;

typedef struct series { /* a series of keys; its value changes evenly between two of them */
    int n;
    float time[MOST_KEYS], value[MOST_KEYS];
} series;

typedef struct mover {
    path way[2];
    float size[2];
    int partners;
    series light;
    sap_id id;
} mover;

static mover movers[BOXES];
static uint32_t state = 3;

static float random_in(float low, float high) {
    state = state * 1664525u + 1013904223u;
    float part = (float)(state >> 8) / 16777216.0f * (high - low);
    return low + part;
}

/* Returns the position after a part of the loop, 0 to 1. */
static float place_at(const path *way, float part) {
    float round = way->phase + (float)way->rounds * part;
    round -= floorf(round);
    return way->low + (way->high - way->low) * (round < 0.5f ? 2 * round : 2 - 2 * round);
}

static sap_aabb box_at(const mover *m, int frame) {
    sap_aabb box = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 2; k++) {
        box.min[k] = place_at(&m->way[k], (float)frame / FRAMES);
        box.max[k] = box.min[k] + m->size[k];
    }
    return box;
}

static void add_key(series *s, float time, float value) {
    if (s->n == MOST_KEYS) return;
    s->time[s->n] = time;
    s->value[s->n++] = value;
}

static float value_at(const series *s, float time) {
    int i = 0;
    while (i < s->n && s->time[i] <= time) i++;
    if (i == 0 || i == s->n) return s->value[i ? i - 1 : 0];
    float part = (time - s->time[i - 1]) / (s->time[i] - s->time[i - 1]);
    return s->value[i - 1] + (s->value[i] - s->value[i - 1]) * part;
}

/* Drops the keys that lie ahead, of a flash or of fading, as a new one begins now. */
static void interrupt(series *s, float time) {
    float value = value_at(s, time);
    while (s->n > 0 && s->time[s->n - 1] > time) s->n--;
    add_key(s, time, value);
}

static void begins(mover *m, float time) {
    m->partners++;
    interrupt(&m->light, time);
    add_key(&m->light, time + 0.04f, FLASH);
    add_key(&m->light, time + 0.04f + flash_time, LIT);
}

static void ends(mover *m, float time) {
    if (--m->partners) return;
    interrupt(&m->light, time);
    add_key(&m->light, time + fade_time, ALONE);
}

static void *pair_begins(const sap_pair *pair, void *time) {
    begins((mover *)pair->object0, *(float *)time);
    begins((mover *)pair->object1, *(float *)time);
    return NULL;
}

static void pair_ends(const sap_pair *pair, void *time) {
    ends((mover *)pair->object0, *(float *)time);
    ends((mover *)pair->object1, *(float *)time);
}

/* Makes boxes of several sizes, each on its own way inside the picture. */
static void set_up(void) {
    for (int i = 0; i < BOXES; i++) {
        mover *m = &movers[i];
        for (int k = 0; k < 2; k++) {
            m->size[k] = random_in(24, 56);
            float room = (k ? HEIGHT : WIDTH) - m->size[k] - 8, span = random_in(0.3f, 0.7f) * room;
            float low = floorf(random_in(4, 4 + room - span));
            m->way[k] = (path){low, floorf(low + span), 1 + k * i % 2, random_in(0, 1)};
        }
    }
}

/* Returns the number of boxes without a pair, -1 if one still fades. */
static int count_alone(float time) {
    int count = 0;
    for (int i = 0; i < BOXES; i++) {
        if (movers[i].partners) continue;
        if (value_at(&movers[i].light, time) > ALONE) return -1;
        count++;
    }
    return count;
}

/* Runs two loops: the second one starts with the boxes lit as the first one left them. Returns the frame of the second
   one in which nothing fades and most boxes are alone, as a part of the loop. */
static float run(void) {
    const sap_config flat = {.axes = SAP_2D};
    sap_world *world = sap_create(&flat);
    int best = 0, most_alone = -1;
    for (int i = 0; i < BOXES; i++) {
        sap_aabb box = box_at(&movers[i], 0);
        movers[i].id = sap_add(world, &box, &movers[i]);
        movers[i].partners = movers[i].light.n = 0;
        add_key(&movers[i].light, 0, ALONE);
    }
    for (int frame = 0; frame < 2 * FRAMES; frame++) {
        float time = (float)frame / RATE;
        for (int i = 0; i < BOXES; i++) {
            sap_aabb box = box_at(&movers[i], frame % FRAMES);
            sap_move(world, movers[i].id, &box);
        }
        sap_dump_pairs(world, pair_begins, pair_ends, &time);
        int alone = frame < FRAMES ? -1 : count_alone(time);
        if (alone > most_alone) {
            most_alone = alone;
            best = frame - FRAMES;
        }
    }
    sap_destroy(world);
    return (float)best / FRAMES;
}

/* A still picture is the first frame: the loop starts where each lit box has its partner. */
static void play(void) {
    set_up();
    float start = run();
    for (int i = 0; i < BOXES; i++)
        for (int k = 0; k < 2; k++) movers[i].way[k].phase += (float)movers[i].way[k].rounds * start;
    run();
}

/* ---- the picture ----------------------------------------------------------------------------------------- */

static void write_number(FILE *f, float value) {
    fprintf(f, "%.1f", (double)value);
}

/* Returns a colour from blue over gold to white. */
static void write_color(FILE *f, float light) {
    static const float stops[3][3] = {{77, 106, 140}, {255, 216, 119}, {255, 255, 255}};
    int at = light < LIT ? 0 : 1;
    fprintf(f, "#");
    for (int k = 0; k < 3; k++)
        fprintf(f, "%02x", (unsigned)(stops[at][k] + (stops[at + 1][k] - stops[at][k]) * (light - (float)at) + 0.5f));
}

/* Writes an animation that starts at 'begin', lasts one loop, and repeats. */
static void write_series(FILE *f, const char *attribute, const series *s, float begin, void (*write)(FILE *, float)) {
    fprintf(f, "<animate attributeName=\"%s\" dur=\"%ds\" repeatCount=\"indefinite\" keyTimes=\"0", attribute, SECONDS);
    for (int i = 0; i < s->n; i++)
        if (s->time[i] > begin && s->time[i] < begin + SECONDS)
            fprintf(f, ";%.4f", (double)((s->time[i] - begin) / SECONDS));
    fprintf(f, ";1\" values=\"");
    write(f, value_at(s, begin));
    for (int i = 0; i < s->n; i++)
        if (s->time[i] > begin && s->time[i] < begin + SECONDS) {
            fprintf(f, ";");
            write(f, s->value[i]);
        }
    fprintf(f, ";");
    write(f, value_at(s, begin + SECONDS));
    fprintf(f, "\"/>");
}

/* Writes a motion that is straight from turn to turn. */
static void write_way(FILE *f, const char *attribute, const path *way) {
    series s;
    s.n = 0;
    add_key(&s, 0, place_at(way, 0));
    for (int turn = (int)ceilf(2 * way->phase); turn <= (int)floorf(2 * (way->phase + (float)way->rounds)); turn++)
        add_key(&s, ((float)turn / 2 - way->phase) / (float)way->rounds * SECONDS, turn % 2 ? way->high : way->low);
    add_key(&s, SECONDS, place_at(way, 1));
    write_series(f, attribute, &s, 0, write_number);
}

static void write_picture(FILE *f) {
    static const struct {
        const char *meaning;
        float light;
    } legend[4] = {{"alone", ALONE},
                   {"overlaps another", LIT},
                   {"a pair has just begun", FLASH},
                   {"fades: its last pair has ended", 0.5f}};
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
            "<title>Boxes that move and shine when they meet</title>\n"
            "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#10151c\"/>\n",
            WIDTH, HEIGHT + 36);
    for (int i = 0; i < BOXES; i++) {
        const mover *m = &movers[i];
        const sap_aabb start = box_at(m, 0);
        fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill-opacity=\".7\" fill=\"",
                (double)start.min[0], (double)start.min[1], (double)m->size[0], (double)m->size[1]);
        write_color(f, value_at(&m->light, SECONDS));
        fprintf(f, "\" stroke=\"#10151c\">");
        write_way(f, "x", &m->way[0]);
        write_way(f, "y", &m->way[1]);
        write_series(f, "fill", &m->light, SECONDS, write_color); /* the second loop */
        fprintf(f, "</rect>\n");
    }
    for (int i = 0; i < 4; i++) { /* as the boxes are drawn: their colour, as transparent */
        const int x = 20 + 190 * i - (i > 0) * 100;
        fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" rx=\"2\" fill-opacity=\".7\" fill=\"", x,
                HEIGHT + 12);
        write_color(f, legend[i].light);
        fprintf(f, "\"/><text x=\"%d\" y=\"%d\" font-size=\"13\" fill=\"#a5b6ca\">%s</text>\n", x + 19, HEIGHT + 22,
                legend[i].meaning);
    }
    fprintf(f, "</svg>\n");
}

int main(int argc, char **argv) {
    play();
    FILE *f = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!f) {
        perror(argv[1]);
        return 1;
    }
    write_picture(f);
    int good = !ferror(f);
    return fclose(f) || !good;
}
