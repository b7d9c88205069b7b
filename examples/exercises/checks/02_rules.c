/*
02_rules.c - the checker of exercise 2: boxes move along a line, and the pairs must be those of brute force
*/
#include <limits.h>
#include "02_rules.h"
#include "check.h"

enum { MOST = 6, UPDATES = 20, MOST_CALLS = 200 };

typedef struct interval {
    int min, max;
} interval;

static interval was[MOST], now[MOST]; /* the boxes before and now */
static int boxes;
static int overlapping[MOST][MOST]; /* what start and stop have made of it */
static struct { int starts, a, b; } calls[MOST_CALLS];
static int call_count;

static void call(int starts, int a, int b) {
    if (a < 0 || b < 0 || a >= MOST || b >= MOST || a == b) {
        check_say("%s(%d, %d) was called: these are not two boxes", starts ? "start" : "stop", a, b);
        check_note("The rules are about two different boxes. Is a sentinel among them? It has box -1: nothing walks "
                   "past it. Or two ends of one box? A min never passes its own max.");
        check_stop();
    }
    overlapping[a][b] = overlapping[b][a] = starts;
    if (call_count == MOST_CALLS) return;
    calls[call_count].starts = starts;
    calls[call_count].a = a;
    calls[call_count++].b = b;
}

void start(int a, int b) {
    call(1, a, b);
}

void stop(int a, int b) {
    call(0, a, b);
}

static void tell(void) {
    for (int i = 0; i < boxes; i++)
        check_note("box %d: %d..%d, now %d..%d", i, was[i].min, was[i].max, now[i].min, now[i].max);
    for (int i = 0; i < call_count && i < 12; i++)
        check_note("your call: %s(%d, %d)", calls[i].starts ? "start" : "stop", calls[i].a, calls[i].b);
    if (!call_count) check_note("you called neither start nor stop");
}

static void tell_ends(const char *label, const end *ends, int n) {
    printf("    %s:", label);
    for (int i = 0; i < n; i++) {
        if (ends[i].box < 0)
            printf(" |");
        else
            printf(ends[i].is_max ? " %d) %d" : " (%d %d", ends[i].box, ends[i].value);
    }
    printf("\n");
}

/* No end may get lost: then no rule is to blame. */
static void check_ends(const end *ends, const end *before, int n) {
    const int side = check_fence(ends, (size_t)n * sizeof *ends);
    if (side) {
        check_say("you wrote beside the array, %s it", side < 0 ? "before" : "behind");
        tell();
        check_stop();
    }
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < n && memcmp(&before[i], &ends[j], sizeof *ends)) j++;
        if (j < n) continue;
        check_say("the %s of box %d got lost: it is not in the array any more", before[i].is_max ? "max" : "min",
                  before[i].box);
        check_note(
            "(2 5 is the min of box 2, 2) 7 its max, and | a sentinel. An end that is passed goes one place to the "
            "right; where does the one that walks go?");
        tell_ends("given", before, n);
        tell_ends("yours", ends, n);
        check_stop();
    }
}

static void compare(const end *ends, int n) {
    for (int i = 1; i < n; i++)
        if (comes_before(ends[i], ends[i - 1])) {
            check_say("the array is not sorted: place %d holds %d, place %d holds %d", i - 1, ends[i - 1].value, i,
                      ends[i].value);
            tell();
            check_stop();
        }
    for (int a = 0; a < boxes; a++)
        for (int b = a + 1; b < boxes; b++) {
            int before = was[a].min <= was[b].max && was[b].min <= was[a].max;
            int after = now[a].min <= now[b].max && now[b].min <= now[a].max;
            if (overlapping[a][b] == after) continue;
            check_say("boxes %d and %d %s before and %s now, but your calls say they %s", a, b,
                      before ? "overlapped" : "were apart", after ? "overlap" : "are apart",
                      after ? "are apart" : "overlap");
            check_note(after ? "A pair starts when a min walks left past a max."
                             : "A pair stops when a max walks left past a min.");
            tell();
            check_stop();
        }
}

static void new_value(end *e) {
    if (e->box >= 0) e->value = e->is_max ? now[e->box].max : now[e->box].min;
}

static void play(int n_boxes) {
    const end low = {INT_MIN, -1, 0}, high = {INT_MAX, -1, 1};
    end before[2 * MOST + 2];
    const int n = 2 * n_boxes + 2;
    end *ends = (end *)check_new((size_t)n * sizeof *ends);
    boxes = n_boxes;
    memset(overlapping, 0, sizeof overlapping);
    ends[0] = low;
    ends[n - 1] = high;
    for (int i = 0; i < boxes; i++) { /* apart at first */
        was[i].min = 4 * i;
        was[i].max = 4 * i + 2;
        for (int is_max = 0; is_max < 2; is_max++) {
            const end e = {is_max ? was[i].max : was[i].min, i, is_max};
            ends[1 + 2 * i + is_max] = e;
        }
    }
    for (int update = 0; update < UPDATES; update++) {
        for (int i = 0; i < boxes; i++) {
            now[i] = was[i];
            if (check_random(0, 1)) continue;
            now[i].min = check_random(0, 4 * boxes);
            now[i].max = now[i].min + check_random(0, 4);
        }
        for (int i = 0; i < n; i++) new_value(&ends[i]);
        memcpy(before, ends, (size_t)n * sizeof *ends);
        call_count = 0;
        sort_ends(ends, n);
        check_ends(ends, before, n);
        compare(ends, n);
        memcpy(was, now, sizeof was);
    }
    check_free(ends);
}

int main(void) {
    check_begin(tell);
    for (int n = 1; n <= MOST; n++)
        for (int i = 0; i < 100; i++) play(n);
    return check_right("the pairs are those of brute force, whatever moved");
}
