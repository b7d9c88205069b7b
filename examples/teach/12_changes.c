/*
Shows how to find what changes, instead of what overlaps: two tests, before and now, and "either, but not both".

    cc -I../.. -I.. -o 12_changes 12_changes.c -lm && ./12_changes

A crowd of people who stand close together has many pairs, and few of them are new. Who finds all overlaps in each frame has
to look up every pair to see that it is old, and then to look through all old pairs for those that were not found again.
Sorting has no such trouble: an end that passes no other costs nothing, however many boxes overlap. That is the idea of the
paper, and this is a way to have it without sorted ends: keep the boxes of the last frame, too, and test both.

    overlap now  ^  overlap before      1 for a pair that begins or ends, 0 for all that lasts or was never

An overlap now says that it begins, an overlap before that it ends. What lasts is never looked up. The price is a second
test: it pays where pairs last, and not where most of them are new in each frame, as the last line shows.
Any search can do this, if its bounds contain a box as it was and as it is. Here two loops do, with two tests for any two
boxes; looked at are pairs that are looked up in the table of pairs, or looked through. Figures are means of a frame.
It draws 12_changes.svg or the file you name. It prints:

    pairs   step                              looked at, to find
    a box             pairs   begin    end    what overlaps   what changes
      1.0   0.01        609     4.1    4.3           1218.4            8.4
      3.6   0.01       2139    12.9   13.0           4277.9           25.9
     13.2   0.01       7906    45.3   47.3          15814.8           92.6
     13.1   0.05       7871   229.8  238.5          15751.7          468.3
      0.8      2        490   400.3  418.2            997.5          818.5
*/
#include <math.h>
#include "sap.h"
#include "teach.h"

enum { BOXES = 600, FRAMES = 10, LINES = 5 };

static sap_aabb now[BOXES], before[BOXES];
static char is_pair[BOXES][BOXES]; /* the table of pairs, for what overlaps; no loop here looks at all of it */

typedef struct pair {
    int a, b;
} pair;

static pair pairs[BOXES * BOXES / 2], events[2][BOXES * BOXES / 2]; /* begun and ended */
static int pair_count, event_count[2];
static long long looked_at;

static void say(int ends, int a, int b) {
    events[ends][event_count[ends]++] = (pair){a, b};
}

/* Finds all overlaps. Those that are not in the table begin; pairs of the last frame that are not found again end. */
static void find_what_overlaps(void) {
    static char is_found[BOXES][BOXES];
    int n = 0;
    event_count[0] = event_count[1] = 0;
    for (int a = 0; a < BOXES; a++)
        for (int b = a + 1; b < BOXES; b++) {
            if (!teach_overlap(&now[a], &now[b])) continue;
            looked_at++;
            is_found[a][b] = 1;
            if (!is_pair[a][b]) say(0, a, b);
        }
    for (int p = 0; p < pair_count; p++) {
        looked_at++;
        if (!is_found[pairs[p].a][pairs[p].b]) say(1, pairs[p].a, pairs[p].b);
        is_pair[pairs[p].a][pairs[p].b] = 0;
    }
    for (int a = 0; a < BOXES; a++) /* the new table; it is not counted */
        for (int b = a + 1; b < BOXES; b++)
            if (is_found[a][b]) {
                is_pair[a][b] = 1;
                is_found[a][b] = 0;
                pairs[n++] = (pair){a, b};
            }
    pair_count = n;
}

/* Finds what differs from the last frame. */
static void find_what_changes(void) {
    event_count[0] = event_count[1] = 0;
    for (int a = 0; a < BOXES; a++)
        for (int b = a + 1; b < BOXES; b++) {
            const int is = teach_overlap(&now[a], &now[b]), was = teach_overlap(&before[a], &before[b]);
            if (is ^ was) {
                looked_at++; /* it goes to the pair manager, or leaves it */
                say(was, a, b);
            }
        }
}

/* Both must report the same. The first sorts what ends by its list of pairs, which is in the order of the loops. */
static int run(float side, float step, double means[5]) {
    static pair kept[2][BOXES * BOXES / 2];
    int same = 1, kept_count[2];
    teach_state = 5;
    teach_scatter(now, BOXES, side, side, 0);
    memset(is_pair, 0, sizeof is_pair);
    pair_count = 0;
    find_what_overlaps();
    memset(means, 0, 5 * sizeof *means);
    for (int frame = 0; frame < FRAMES; frame++) {
        memcpy(before, now, sizeof before);
        for (int i = 0; i < BOXES; i++) teach_walk(&now[i], 2, step);
        looked_at = 0;
        find_what_overlaps();
        means[3] += (double)looked_at / FRAMES;
        for (int k = 0; k < 2; k++) {
            memcpy(kept[k], events[k], (size_t)event_count[k] * sizeof(pair));
            kept_count[k] = event_count[k];
            means[1 + k] += (double)event_count[k] / FRAMES;
        }
        looked_at = 0;
        find_what_changes();
        means[4] += (double)looked_at / FRAMES;
        for (int k = 0; k < 2; k++)
            same &=
                kept_count[k] == event_count[k] && !memcmp(kept[k], events[k], (size_t)event_count[k] * sizeof(pair));
        means[0] += (double)pair_count / FRAMES;
    }
    return same;
}

enum { DRAWN = 90 }; /* of the crowd: its first boxes */

/* A crowd, with a line for each pair on the left, and on the right for each pair that begins or ends. */
static void draw(const char *path) {
    svg p = svg_open(path, 1000, 600, "What overlaps, and what changes");
    double means[5];
    int count[3] = {0, 0, 0};
    run(5.5f, .02f, means);
    for (int way = 0; way < 2; way++) {
        svg_begin_panel(&p, 40 + 470 * way, 90, 450, 450, -.4, -.4, 62);
        for (int i = 0; i < DRAWN; i++)
            svg_box(&p, now[i].min, now[i].max, "fill:#4d6a8c;fill-opacity:.25;stroke:#10151c;stroke-width:.5");
        for (int i = 0; i < DRAWN; i++)
            for (int j = i + 1; j < DRAWN; j++) {
                const sap_aabb *a = &now[i], *b = &now[j];
                const int is = teach_overlap(a, b), was = teach_overlap(&before[i], &before[j]);
                if (way ? !(is ^ was) : !is) continue;
                count[way + (way && was)]++;
                svg_line(&p, (a->min[0] + a->max[0]) / 2, (a->min[1] + a->max[1]) / 2, (b->min[0] + b->max[0]) / 2,
                         (b->min[1] + b->max[1]) / 2,
                         !way  ? "stroke:#8fa3ba"
                         : was ? "stroke:#ff7b6b;stroke-width:3"
                               : "stroke:#ffd877;stroke-width:3");
            }
        svg_end_panel(&p);
    }
    svg_text(&p, 40, 80, 15, SVG_WORD, "'overlap now' finds %d pairs", count[0]);
    svg_text(&p, 510, 80, 15, SVG_WORD, "'now ^ before' finds %d that begin and %d that end", count[1], count[2]);
    svg_key(&p, 510, 560, "fill:#ffd877", "begins");
    svg_key(&p, 620, 560, "fill:#ff7b6b", "ends");
    svg_close(&p);
}

int main(int argc, char **argv) {
    static const struct {
        float side, step;
    } lines[LINES] = {{35, .01f}, {18, .01f}, {9, .01f}, {9, .05f}, {35, 2}}; /* a box is 1 wide */
    int good = 1;
    printf("pairs   step                              looked at, to find\n");
    printf("a box             pairs   begin    end    what overlaps   what changes\n");
    for (int i = 0; i < LINES; i++) {
        double means[5];
        const int same = run(lines[i].side, lines[i].step, means);
        printf("%5.1f %6g %10.0f %7.1f %6.1f %16.1f %14.1f%s\n", means[0] / BOXES, (double)lines[i].step, means[0],
               means[1], means[2], means[3], means[4], same ? "" : "  NOT the same");
        good &= same;
    }
    draw(argc > 1 ? argv[1] : "12_changes.svg");
    return !good;
}
