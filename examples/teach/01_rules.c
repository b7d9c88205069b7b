/*
Shows how a box that moved is sorted in, and by which rules a pair starts or stops (Terdiman I.3).

    cc -I../.. -I.. -I/usr/include/stb -o 01_rules 01_rules.c -lm && ./01_rules

It draws 01_rules.svg or the file you name. "(A" is the min of A and "A)" its max; "<" marks the end that walks left
past a larger one. Walking left is enough: an end that moves right is passed by the others. In case 4 the rules alone
would start the pair and then stop it again, so the start would have to come before the stop. sap.h looks at the boxes
too, as they were and as they are, so the order does not matter.

sap.h sorts like this with config.method = SAP_METHOD_SORT, as here. By itself it never does: SAP_METHOD_AUTO chooses
between PRUNE and QUERY, since 04_clusters shows how sorting grows with the crowd.
It prints:

    1. a min moves right, past a max
       before      (A 0    (C 1    A) 2    C) 3    (B 4    B) 5
       A passes C  (A 0    A) 2<   (C 2.5  C) 3    (B 4    B) 5    max passes min: stop
       reported    A and C end
    2. a max moves right, past a min
       before      (A 0    (C 1    A) 2    C) 3    (B 4    B) 5
       B passes C  (A 0    (C 1    A) 2    (B 4<   C) 4.5  B) 5    min passes max: start
       reported    B and C begin
    3. a min passes a min, a max passes a max
       before      (A 0    (B 1    A) 2    B) 3
       B passes A  (B -1<  (A 0    A) 2    B) 3    same kind: nothing
       B passes A  (B -1   (A 0    B) 1.5< A) 2    same kind: nothing
       reported    nothing
    4. B leaps over A: start and stop in one update
       before      (A 0    A) 1    (B 2    B) 3
       B passes A  (A 0    (B -3<  A) 1    B) 3    min passes max: start? They are apart
       B passes A  (B -3<  (A 0    A) 1    B) 3    same kind: nothing
       B passes A  (B -3   (A 0    B) -2<  A) 1    same kind: nothing
       B passes A  (B -3   B) -2<  (A 0    A) 1    max passes min: stop? They were apart
       reported    nothing
    5. B arrives, but higher up: two axes
       before      (A 0    A) 2    (B 3    B) 4
       B passes A  (A 0    (B 1<   A) 2    B) 4    min passes max: start? They are apart
       reported    nothing
*/
#include <stdint.h>
#include <string.h>

static void watch(int step, int axis, uint32_t id0, uint32_t id1);
#define SAP_TRACE(step, axis, id0, id1) watch((int)(step), (int)(axis), id0, id1)
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { CASES = 5, MOST_STEPS = 8 };

typedef struct lesson {
    const char *title;
    int axes, n;
    sap_aabb box[3];
    sap_aabb to; /* the last box moves here */
} lesson;

typedef struct walk_step {
    teach_row row; /* the ends after it */
    sap_id id0, id1;
    int rule; /* SAP_STEP_*; SAP_STEP_PASS if none fired */
} walk_step;

static const lesson lessons[CASES] = {
    {"a min moves right, past a max", SAP_AXIS_X, 3, {{{0}, {2}}, {{4}, {5}}, {{1}, {3}}}, {{2.5f}, {3}}},
    {"a max moves right, past a min", SAP_AXIS_X, 3, {{{0}, {2}}, {{4}, {5}}, {{1}, {3}}}, {{1}, {4.5f}}},
    {"a min passes a min, a max passes a max", SAP_AXIS_X, 2, {{{0}, {2}}, {{1}, {3}}}, {{-1}, {1.5f}}},
    {"B leaps over A: start and stop in one update", SAP_AXIS_X, 2, {{{0}, {1}}, {{2}, {3}}}, {{-3}, {-2}}},
    {"B arrives, but higher up: two axes", SAP_2D, 2, {{{0, 0}, {2, 1}}, {{3, 5}, {4, 6}}}, {{1, 5}, {4, 6}}},
};

static sap_world *world;
static sap_aabb boxes[3]; /* the boxes now */
static teach_row line;
static walk_step steps[MOST_STEPS];
static int step_count, watching;

/* Called by sap.h: first when an end of id0 passes one of id1, then for the rule, if that makes one fire. */
static void watch(int step, int axis, uint32_t id0, uint32_t id1) {
    if (!watching || axis != 0) return;
    if (step == SAP_STEP_PASS) {
        teach_pass(&line, boxes, axis, id0, id1);
        steps[step_count++] = (walk_step){line, id0, id1, step};
    } else
        steps[step_count - 1].rule = step;
}

/* Returns the result of the rule. A rule is about a min and a max; the walker is one of them. */
static const char *saying(const walk_step *step) {
    int is_max = step->row.ends[step->row.walker].is_max;
    switch (step->rule) {
    case SAP_STEP_START: return "min passes max: start";
    case SAP_STEP_STOP: return "max passes min: stop";
    case SAP_STEP_REJECT:
        return is_max ? "max passes min: stop? They were apart" : "min passes max: start? They are apart";
    default: return "same kind: nothing";
    }
}

/* Returns the report of sap.h: in each of these cases at most one pair. */
static void net_of(char text[24]) {
    int created, deleted;
    const sap_pair *begun = sap_created(world, &created), *ended = sap_deleted(world, &deleted);
    const sap_pair *pair = created ? begun : ended;
    snprintf(text, 24, "nothing");
    if (created + deleted)
        snprintf(text, 24, "%c and %c %s", teach_name(pair->id0), teach_name(pair->id1), created ? "begin" : "end");
}

/* Draws the boxes before the update as bars above a line of numbers, and the last one also where it moves. */
static void draw_bars(svg *p, double x, double y, const lesson *now) {
    for (int i = 0; i <= now->n; i++) {
        const sap_aabb *box = i < now->n ? &now->box[i] : &now->to;
        int lane = i < now->n ? i : i - 1;
        const double left = x + 32 * ((double)box->min[0] + 3), right = x + 32 * ((double)box->max[0] + 3);
        const double up = y + 12 * lane, bar[] = {left, up, right, up, right, up + 7, left, up + 7};
        char style[80];
        snprintf(style, sizeof style, "fill:%s;stroke:%s", i < now->n ? teach_color((char)('A' + i)) : "none",
                 i < now->n ? "none" : "#fff");
        svg_path(p, 4, bar, 1, style);
    }
    for (int tick = -3; tick <= 5; tick++)
        svg_text(p, x + 32 * (tick + 3) - 3, y + 12 * now->n + 12, 11, SVG_WORD, "%d", tick);
}

static void draw_row(svg *p, double y, const char *label, const teach_row *row, const char *rule) {
    svg_text(p, 60, y + 22, 15, SVG_WORD, "%s", label);
    teach_draw(p, 190, y, 62, row);
    svg_text(p, 580, y + 22, 15, SVG_WORD, "%s", rule);
}

int main(int argc, char **argv) {
    svg p = svg_open(argc > 1 ? argv[1] : "01_rules.svg", 900, 1130, "What passes what, and what that means");
    svg_text(&p, 40, 70, 15, SVG_WORD, "Ends walk only to the left: one that moves right is passed.");
    svg_text(&p, 580, 70, 13, SVG_WORD, "bars: before; outline: where the last one moves");
    double y = 104;
    for (int k = 0; k < CASES; k++) {
        const lesson *now = &lessons[k];
        const sap_config config = {.axes = now->axes, .method = SAP_METHOD_SORT};
        sap_id last = 0;
        world = sap_create(&config);
        for (int i = 0; i < now->n; i++) last = sap_add(world, &now->box[i], NULL);
        sap_update(world);
        teach_row before = line = teach_sorted(now->box, now->n, 0);
        memcpy(boxes, now->box, sizeof boxes);
        boxes[now->n - 1] = now->to;
        printf("%d. %s\n   before      ", k + 1, now->title);
        teach_print(&before, "");
        svg_text(&p, 40, y, 18, SVG_TITLE, "%d. %s", k + 1, now->title);
        draw_row(&p, y += 20, "before", &before, "");
        draw_bars(&p, 580, y - 34, now);

        step_count = 0;
        watching = 1;
        sap_move(world, last, &now->to);
        sap_update(world);
        watching = 0;
        for (int i = 0; i < step_count; i++) {
            char label[16];
            snprintf(label, sizeof label, "%c passes %c", teach_name(steps[i].id0), teach_name(steps[i].id1));
            printf("   %-12s", label);
            teach_print(&steps[i].row, saying(&steps[i]));
            draw_row(&p, y += 46, label, &steps[i].row, saying(&steps[i]));
        }
        char net[24];
        net_of(net);
        printf("   reported    %s\n", net);
        svg_text(&p, 60, (y += 46) + 14, 15, SVG_WORD, "reported");
        svg_text(&p, 190, y + 14, 15, SVG_TITLE, "%s", net);
        y += 60;
        sap_destroy(world);
    }
    svg_close(&p);
    return 0;
}
