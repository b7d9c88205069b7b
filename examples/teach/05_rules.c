/*
Shows how a box that moved is sorted in, and by which rules a pair starts or stops (Terdiman I.3).

    cc -I../.. -I.. -I/usr/include/stb -o 05_rules 05_rules.c -lm && ./05_rules

It draws 05_rules.svg or the file you name. "(A" is the min of A and "A)" its max; "<" marks the end that walks left
past a larger one. Walking left is enough: an end that moves right is passed by the others. sort_ends below is the whole
update of an axis. Add boxes to a case, or cases of your own.

In case 4 the rules alone would start the pair and then stop it again, so the start would have to come before the stop.
Here, as in sap.h, a rule also looks at the boxes, as they were and as they are, and the order does not matter.

sap.h sorts with config.method = SAP_METHOD_SORT, as here. Where few boxes have moved it takes their ends alone, as the
paper does, and lets them walk left or right; both ways find the same. By itself it sorts in slow crowds alone: see
sap_method.
It prints:

    1. a min moves right, past a max
       before      (A 0    (C 1    A) 2    C) 3    (B 4    B) 5
       moved       (A 0    (C 2.5  A) 2    C) 3    (B 4    B) 5
       A passes C  (A 0    A) 2<   (C 2.5  C) 3    (B 4    B) 5    max passes min: stop
       reported    A-C ends; sap.h: the same
    2. a max moves right, past a min
       before      (A 0    (C 1    A) 2    C) 3    (B 4    B) 5
       moved       (A 0    (C 1    A) 2    C) 4.5  (B 4    B) 5
       B passes C  (A 0    (C 1    A) 2    (B 4<   C) 4.5  B) 5    min passes max: start
       reported    B-C begins; sap.h: the same
    3. a min passes a min, a max passes a max
       before      (A 0    (B 1    A) 2    B) 3
       moved       (A 0    (B -1   A) 2    B) 1.5
       B passes A  (B -1<  (A 0    A) 2    B) 1.5  same kind: nothing
       B passes A  (B -1   (A 0    B) 1.5< A) 2    same kind: nothing
       reported    nothing; sap.h: the same
    4. B leaps over A: start and stop in one update
       before      (A 0    A) 1    (B 2    B) 3
       moved       (A 0    A) 1    (B -3   B) -2
       B passes A  (A 0    (B -3<  A) 1    B) -2   min passes max: start? They are apart
       B passes A  (B -3<  (A 0    A) 1    B) -2   same kind: nothing
       B passes A  (B -3   (A 0    B) -2<  A) 1    same kind: nothing
       B passes A  (B -3   B) -2<  (A 0    A) 1    max passes min: stop? They were apart
       reported    nothing; sap.h: the same
    5. B arrives, but higher up: two axes
       before      (A 0    A) 2    (B 3    B) 4
       moved       (A 0    A) 2    (B 1    B) 4
       B passes A  (A 0    (B 1<   A) 2    B) 4    min passes max: start? They are apart
       reported    nothing; sap.h: the same
*/
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { CASES = 5, MOST_BOXES = 10 };

typedef struct lesson {
    const char *title;
    int axes, n;
    sap_aabb box[MOST_BOXES];
    sap_aabb to; /* the last box moves here */
} lesson;

static const lesson lessons[CASES] = {
    {"a min moves right, past a max", SAP_AXIS_X, 3, {{{0}, {2}}, {{4}, {5}}, {{1}, {3}}}, {{2.5f}, {3}}},
    {"a max moves right, past a min", SAP_AXIS_X, 3, {{{0}, {2}}, {{4}, {5}}, {{1}, {3}}}, {{1}, {4.5f}}},
    {"a min passes a min, a max passes a max", SAP_AXIS_X, 2, {{{0}, {2}}, {{1}, {3}}}, {{-1}, {1.5f}}},
    {"B leaps over A: start and stop in one update", SAP_AXIS_X, 2, {{{0}, {1}}, {{2}, {3}}}, {{-3}, {-2}}},
    {"B arrives, but higher up: two axes", SAP_2D, 2, {{{0, 0}, {2, 1}}, {{3, 5}, {4, 6}}}, {{1, 5}, {4, 6}}},
};

static sap_aabb boxes[MOST_BOXES], before[MOST_BOXES]; /* as they are, and as they were */
static char begins[MOST_BOXES][MOST_BOXES], ends_now[MOST_BOXES][MOST_BOXES];
static const char *said; /* by the rule that has been applied last */

static void show_step(const teach_end *ends, int n, int walker, int passed_box);

/* ---- the update of an axis ----------------------------------------------------------------------------------------- */

/* On this axis the two overlap now. They begin to if they overlap on all axes, and did not before. */
static void start(int a, int b) {
    const int yes = teach_overlap(&boxes[a], &boxes[b]);
    if (yes) begins[a < b ? a : b][a < b ? b : a] = 1;
    said = yes ? "min passes max: start" : "min passes max: start? They are apart";
}

/* On this axis the two overlap no more. They end if they overlapped on all axes before. */
static void stop(int a, int b) {
    const int yes = teach_overlap(&before[a], &before[b]);
    if (yes) ends_now[a < b ? a : b][a < b ? b : a] = 1;
    said = yes ? "max passes min: stop" : "max passes min: stop? They were apart";
}

/* The ends have their new values, in the old order. Each walks left past those that it comes before. */
static void sort_ends(teach_end *ends, int n, int show) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && teach_comes_before(ends[j], ends[j - 1]); j--) {
            const teach_end walker = ends[j], other = ends[j - 1];
            ends[j] = other;
            ends[j - 1] = walker;
            said = "same kind: nothing";
            if (!walker.is_max && other.is_max) start(walker.box, other.box);
            if (walker.is_max && !other.is_max) stop(walker.box, other.box);
            if (show) show_step(ends, n, j - 1, other.box);
        }
}

/* ---- the cases, printed and drawn ------------------------------------------------------------------------------------ */

static svg picture;
static double y = 104;

static void show(const char *label, const teach_end *ends, int n, int walker, const char *remark) {
    teach_row row = {n, walker, {{0, 0, 0}}};
    memcpy(row.ends, ends, (size_t)n * sizeof *ends);
    printf("   %-12s", label);
    teach_print(&row, remark);
    svg_text(&picture, 60, y + 22, 15, SVG_WORD, "%s", label);
    teach_draw(&picture, 190, y, 62, &row);
    svg_text(&picture, 580, y + 22, 15, SVG_WORD, "%s", remark);
    y += 46;
}

static void show_step(const teach_end *ends, int n, int walker, int passed_box) {
    char label[16];
    snprintf(label, sizeof label, "%c passes %c", teach_name(ends[walker].box), teach_name(passed_box));
    show(label, ends, n, walker, said);
}

/* Draws the boxes before the update as bars above a line of numbers, and the last one also where it moves. */
static void draw_bars(double x, double top, const lesson *now) {
    for (int i = 0; i <= now->n; i++) {
        const sap_aabb *box = i < now->n ? &now->box[i] : &now->to;
        const int lane = i < now->n ? i : i - 1;
        const double left = x + 32 * ((double)box->min[0] + 3), right = x + 32 * ((double)box->max[0] + 3);
        const double up = top + 12 * lane, bar[] = {left, up, right, up, right, up + 7, left, up + 7};
        char style[80];
        snprintf(style, sizeof style, "fill:%s;stroke:%s", i < now->n ? teach_color(i) : "none",
                 i < now->n ? "none" : "#fff");
        svg_path(&picture, 4, bar, 1, style);
    }
    for (int tick = -3; tick <= 5; tick++)
        svg_text(&picture, x + 32 * (tick + 3) - 3, top + 12 * now->n + 12, 11, SVG_WORD, "%d", tick);
}

/* sap.h must report these pairs, and no others. */
static int same_as_sap(sap_world *world, char (*mine)[MOST_BOXES], int is_end) {
    int n, found = 0, mine_count = 0;
    const sap_pair *pair = is_end ? sap_deleted(world, &n) : sap_created(world, &n);
    for (int i = 0; i < n; i++) found += mine[SAP_SLOT(pair[i].id0) - 1][SAP_SLOT(pair[i].id1) - 1];
    for (int a = 0; a < MOST_BOXES; a++)
        for (int b = 0; b < MOST_BOXES; b++) mine_count += mine[a][b];
    return found == n && mine_count == n;
}

static int play(const lesson *now, int number) {
    const sap_config config = {.axes = now->axes, .method = SAP_METHOD_SORT};
    sap_world *world = sap_create(&config);
    teach_end ends[2 * MOST_BOXES];
    sap_id last = 0;
    char report[200] = "";
    memset(begins, 0, sizeof begins);
    memset(ends_now, 0, sizeof ends_now);
    memcpy(before, now->box, sizeof before);
    memcpy(boxes, now->box, sizeof boxes);
    boxes[now->n - 1] = now->to;
    printf("%d. %s\n", number, now->title);
    svg_text(&picture, 40, y, 18, SVG_TITLE, "%d. %s", number, now->title);
    draw_bars(580, y - 14, now);
    y += 20;
    for (int axis = 0; axis < (now->axes == SAP_2D ? 2 : 1); axis++) {
        teach_ends(ends, before, now->n, axis, 0);
        if (axis == 0) show("before", ends, 2 * now->n, -1, "");
        teach_refresh(ends, 2 * now->n, boxes, axis);
        if (axis == 0) show("moved", ends, 2 * now->n, -1, "");
        sort_ends(ends, 2 * now->n, axis == 0);
    }

    for (int i = 0; i < now->n; i++) last = sap_add(world, &now->box[i], NULL);
    sap_update(world);
    sap_move(world, last, &now->to);
    sap_update(world);
    const int same = same_as_sap(world, begins, 0) && same_as_sap(world, ends_now, 1);
    sap_destroy(world);
    for (int a = 0; a < now->n; a++)
        for (int b = a + 1; b < now->n; b++)
            if (begins[a][b] || ends_now[a][b])
                snprintf(report + strlen(report), sizeof report - strlen(report), "%s%c-%c %s", *report ? ", " : "",
                         teach_name(a), teach_name(b), begins[a][b] ? "begins" : "ends");
    if (!*report) snprintf(report, sizeof report, "nothing");
    printf("   reported    %s; sap.h: %s\n", report, same ? "the same" : "NOT the same");
    svg_text(&picture, 60, y + 14, 15, SVG_WORD, "reported");
    svg_text(&picture, 190, y + 14, 15, SVG_TITLE, "%s; sap.h: %s", report, same ? "the same" : "NOT the same");
    y += 60;
    return same;
}

int main(int argc, char **argv) {
    int good = 1;
    picture = svg_open(argc > 1 ? argv[1] : "05_rules.svg", 900, 1350, "What passes what, and what that means");
    svg_text(&picture, 40, 70, 15, SVG_WORD, "Ends walk only to the left: one that moves right is passed.");
    svg_text(&picture, 580, 70, 13, SVG_WORD, "bars: before; outline: where the last one moves");
    for (int k = 0; k < CASES; k++) good &= play(&lessons[k], k + 1);
    svg_close(&picture);
    return !good;
}
