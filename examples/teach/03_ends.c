/*
Shows what holds the sorted endpoints: an array or a linked list, with sentinels or without (Terdiman I.2, appendix B).

    cc -I../.. -I.. -o 03_ends 03_ends.c -lm && ./03_ends

An end in an array is a value and its owner with one bit for min or max: 8 bytes, and its neighbours in order are its
neighbours in memory. In a list it has two links besides: 24 bytes, and its neighbours are wherever they were made. A list
moves an end by changing six links, an array by shifting what lies between, which is little when boxes move little. In the
paper a box keeps the index of each of its ends, so an end that gets another place is written twice: in the array, and as an
index in its box, which is somewhere else in memory. (sap.h keeps no references: an update visits every end, or finds
it by its value.) A link needs no reference to be rewritten, for an end in a list stays where it is. Memory is read in
cache lines of 64 bytes: counted is how often the next end is in another one than the last end.
A walk has to stop at the sides. Without sentinels each step has two conditions: is there an end, and is it larger? A
sentinel, an end that no other passes, answers both at once: -max and max here, as in the paper, though infinity passes
these (exercise 1). The first lines are the paper's example: 13 becomes 50. It draws 03_ends.svg or the file you name. It prints:

    sentinels        -max    -20    -14     -2      4     13     28    max
    13 becomes 50    -max    -20    -14     -2      4     50     28    max
    28 passes it     -max    -20    -14     -2      4     28     50    max
    conditions: 6 with sentinels, 12 without

    4000 ends, an update   bytes an end  conditions   walked over    new cache line   written   references
    array, with sentinels             8        4266          4266               13%       520          520
    array, without                    8        8533          4266               13%       520          520
    list, with sentinels             24        4266          4266               92%      1516            0
    list, without                    24        8533          4266               92%      1516            0
*/
#include <float.h>
#include "sap.h"
#include "teach.h"

enum { BOXES = 2000, ENDS = 2 * BOXES, UPDATES = 100, PAPER = 6, WAYS = 4, ARRAY_BYTES = 8, LIST_BYTES = 24 };
#define STEP 1.0f

typedef struct array_end {
    float value;
    uint32_t owner; /* the box, and in the highest bit whether it is a max */
} array_end;

typedef struct list_end {
    float value;
    uint32_t owner;
    struct list_end *previous, *next;
} list_end;

static long long conditions, steps, jumps; /* conditions; ends walked over; those in another cache line */
static long long written, references;      /* ends or links written; references from boxes to ends rewritten */

static int condition(int answer) {
    conditions++;
    return answer;
}

/* 'from' and 'to' are places in memory, counted in ends of this size. */
static void walk_over(long long from, long long to, int bytes) {
    steps++;
    jumps += from * bytes / 64 != to * bytes / 64;
}

/* ---- insertion sort, four times ----------------------------------------------------------------------------------- */

/* ends[0] and ends[n + 1] are the sentinels, if there are any: they are not touched otherwise. */
static void sort_array(array_end *ends, int n, int has_sentinels) {
    for (int i = 2; i <= n; i++) {
        const array_end walker = ends[i];
        int j = i;
        walk_over(i - 1, i, ARRAY_BYTES);
        while ((has_sentinels || condition(j > 1)) && condition(ends[j - 1].value > walker.value)) {
            walk_over(j, j - 1, ARRAY_BYTES);
            ends[j] = ends[j - 1];
            j--;
        }
        ends[j] = walker;
        if (j == i) continue;
        written += i - j + 1; /* the walker, and those that it has passed */
        references += i - j + 1;
    }
}

/* Between 'low' and 'high', which are the sentinels; without them they only hold the list. 'low' is the first in memory. */
static void sort_list(list_end *low, list_end *high, int has_sentinels) {
    for (list_end *e = low->next->next, *following; e != high; e = following) {
        list_end *at = e->previous;
        following = e->next;
        walk_over(at - low, e - low, LIST_BYTES);
        while ((has_sentinels || condition(at != low)) && condition(at->value > e->value)) {
            walk_over(at - low, at->previous - low, LIST_BYTES);
            at = at->previous;
        }
        if (at == e->previous) continue;
        e->previous->next = e->next;
        e->next->previous = e->previous;
        e->previous = at;
        e->next = at->next;
        at->next->previous = e;
        at->next = e;
        written += 6;
    }
}

/* ---- the paper's example --------------------------------------------------------------------------------------------- */

static svg picture;

static void show_row(double y, const char *label, const float *values) {
    printf("%-14s", label);
    svg_text(&picture, 40, y + 22, 15, SVG_WORD, "%s", label);
    for (int i = 0; i < PAPER + 2; i++) {
        const int side = i == 0 || i == PAPER + 1;
        const float min[2] = {180 + 66 * (float)i, (float)y}, max[2] = {min[0] + 60, min[1] + 34};
        char text[16];
        snprintf(text, sizeof text, "%g", (double)values[i]);
        if (side) snprintf(text, sizeof text, "%smax", i ? "" : "-");
        printf(" %6s", text);
        svg_box(&picture, min, max,
                side              ? "fill:#3a2a48;stroke:#c678c9"
                : values[i] == 50 ? "fill:#e0a458"
                                  : SVG_PLAIN);
        svg_text(&picture, (double)min[0] + 8, y + 22, 15, SVG_TITLE, "%s", text);
    }
    printf("\n");
}

static void show_paper(void) {
    float values[PAPER + 2] = {-FLT_MAX, -20, -14, -2, 4, 13, 28, FLT_MAX};
    array_end ends[PAPER + 2];
    show_row(90, "sentinels", values);
    values[5] = 50;
    show_row(140, "13 becomes 50", values);
    for (int i = 0; i < PAPER + 2; i++) ends[i] = (array_end){values[i], 0};
    conditions = 0;
    sort_array(ends, PAPER, 1);
    for (int i = 0; i < PAPER + 2; i++) values[i] = ends[i].value;
    show_row(190, "28 passes it", values);
    const long long with = conditions;
    for (int i = 0; i < PAPER + 2; i++) ends[i] = (array_end){values[i], 0};
    ends[5].value = 50;
    ends[6].value = 28;
    conditions = 0;
    sort_array(ends, PAPER, 0);
    printf("conditions: %lld with sentinels, %lld without\n\n", with, conditions);
}

/* ---- boxes that move a little ----------------------------------------------------------------------------------------- */

static sap_aabb boxes[BOXES]; /* on a line */

static void scatter(void) {
    teach_state = 1;
    for (int i = 0; i < BOXES; i++) {
        boxes[i].min[0] = teach_random(0, 10 * BOXES);
        boxes[i].max[0] = boxes[i].min[0] + teach_random(1, 15);
    }
}

static float value_of(uint32_t owner) {
    const sap_aabb *box = &boxes[owner & 0x7fffffffu];
    return (owner >> 31 ? box->max : box->min)[0];
}

static int is_sorted(const float *values) {
    for (int i = 1; i < ENDS; i++)
        if (values[i - 1] > values[i]) return 0;
    return 1;
}

/* Returns whether all is sorted at the end. The first sort, of ends in no order, is not counted. */
static int run(int is_list, int has_sentinels) {
    static array_end array[ENDS + 2];
    static list_end list[ENDS + 2];
    static float result[ENDS];
    list_end *low = &list[0], *high = &list[ENDS + 1];
    scatter();
    array[0] = (array_end){-FLT_MAX, 0};
    array[ENDS + 1] = (array_end){FLT_MAX, 0};
    list[0] = (list_end){-FLT_MAX, 0, NULL, &list[1]};
    list[ENDS + 1] = (list_end){FLT_MAX, 0, &list[ENDS], NULL};
    for (int i = 1; i <= ENDS; i++) {
        const uint32_t owner = (uint32_t)(i - 1) / 2 | (uint32_t)(i - 1) << 31;
        array[i].owner = owner;
        list[i] = (list_end){0, owner, &list[i - 1], &list[i + 1]};
    }
    for (int update = 0; update <= UPDATES; update++) {
        for (int i = 0; i < BOXES && update > 0; i++) teach_walk(&boxes[i], 1, STEP);
        for (int i = 1; i <= ENDS; i++) {
            array[i].value = value_of(array[i].owner);
            list[i].value = value_of(list[i].owner);
        }
        if (update <= 1) conditions = steps = jumps = written = references = 0;
        if (is_list)
            sort_list(low, high, has_sentinels);
        else
            sort_array(array, ENDS, has_sentinels);
    }
    const list_end *at = low->next;
    for (int i = 0; i < ENDS; i++, at = at->next) result[i] = is_list ? at->value : array[i + 1].value;
    return is_sorted(result);
}

static const char *const names[WAYS] = {"array, with sentinels", "array, without", "list, with sentinels",
                                        "list, without"};

int main(int argc, char **argv) {
    double share[WAYS], checked[WAYS];
    int all_good = 1;
    picture = svg_open(argc > 1 ? argv[1] : "03_ends.svg", 760, 560, "A sorted array between two sentinels");
    show_paper();
    printf("4000 ends, an update   bytes an end  conditions   walked over    new cache line   written   references\n");
    for (int w = 0; w < WAYS; w++) {
        const int is_list = w >= 2;
        const int good = run(is_list, !(w % 2));
        const int bytes = is_list ? LIST_BYTES : ARRAY_BYTES;
        share[w] = (double)jumps / (double)steps;
        checked[w] = (double)conditions / UPDATES;
        printf("%-22s %12d %11.0f %13.0f %16.0f%% %9.0f %12.0f%s\n", names[w], bytes, checked[w],
               (double)steps / UPDATES, 100 * share[w], (double)written / UPDATES, (double)references / UPDATES,
               good ? "" : "  NOT sorted");
        all_good &= good;
    }
    svg_text(&picture, 40, 290, 15, SVG_WORD,
             "Conditions an update (blue), and how often the next end is in another cache line (orange)");
    for (int w = 0; w < WAYS; w++) {
        const float y = 312 + 56 * (float)w, from[2] = {240, y}, to[2] = {240 + (float)checked[w] / 40, y + 16};
        const float from2[2] = {240, y + 20}, to2[2] = {240 + 400 * (float)share[w], y + 36};
        svg_text(&picture, 40, (double)y + 24, 15, SVG_TITLE, "%s", names[w]);
        svg_box(&picture, from, to, "fill:#6fa3e0");
        svg_text(&picture, (double)to[0] + 8, (double)y + 13, 13, SVG_WORD, "%.0f", checked[w]);
        svg_box(&picture, from2, to2, "fill:#e0a458");
        svg_text(&picture, (double)to2[0] + 8, (double)y + 33, 13, SVG_WORD, "%.0f%%", 100 * share[w]);
    }
    svg_close(&picture);
    return !all_good;
}
