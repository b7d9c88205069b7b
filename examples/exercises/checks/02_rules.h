/*
01_rules.h - what exercise 1 works on, and its checker: boxes move along a line, and the pairs must be those of brute
force
*/
#include <limits.h>
#include "check.h"

typedef struct end {
    int value, box, is_max;
} end;

/* At equal values the mins come first: boxes that touch overlap. */
static inline int comes_before(end a, end b) {
    return a.value != b.value ? a.value < b.value : a.is_max < b.is_max;
}

void start(int a, int b);
void stop(int a, int b);
void sort_ends(end *ends, int n);

enum { MOST = 6, UPDATES = 20, MOST_CALLS = 200 };

typedef struct interval {
    int min, max;
} interval;

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

static void tell(const interval *was, const interval *now, int boxes) {
    for (int i = 0; i < boxes; i++)
        check_note("box %d: %d..%d, now %d..%d", i, was[i].min, was[i].max, now[i].min, now[i].max);
    for (int i = 0; i < call_count && i < 12; i++)
        check_note("your call: %s(%d, %d)", calls[i].starts ? "start" : "stop", calls[i].a, calls[i].b);
    if (!call_count) check_note("you called neither start nor stop");
    check_stop();
}

static void compare(const end *ends, int n, const interval *was, const interval *now, int boxes) {
    for (int i = 1; i < n; i++)
        if (comes_before(ends[i], ends[i - 1])) {
            check_say("the array is not sorted: place %d holds %d, place %d holds %d", i - 1, ends[i - 1].value, i,
                      ends[i].value);
            tell(was, now, boxes);
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
            tell(was, now, boxes);
        }
}

static void new_value(end *e, const interval *now) {
    if (e->box >= 0) e->value = e->is_max ? now[e->box].max : now[e->box].min;
}

static void play(int boxes) {
    const end low = {INT_MIN, -1, 0}, high = {INT_MAX, -1, 1};
    end ends[2 * MOST + 2];
    interval was[MOST], now[MOST];
    int n = 0;
    memset(overlapping, 0, sizeof overlapping);
    ends[n++] = low;
    for (int i = 0; i < boxes; i++) { /* apart at first */
        was[i].min = 4 * i;
        was[i].max = 4 * i + 2;
        for (int is_max = 0; is_max < 2; is_max++) {
            const end e = {is_max ? was[i].max : was[i].min, i, is_max};
            ends[n++] = e;
        }
    }
    ends[n++] = high;
    for (int update = 0; update < UPDATES; update++) {
        for (int i = 0; i < boxes; i++) {
            now[i] = was[i];
            if (check_random(0, 1)) continue;
            now[i].min = check_random(0, 4 * boxes);
            now[i].max = now[i].min + check_random(0, 4);
        }
        for (int i = 0; i < n; i++) new_value(&ends[i], now);
        call_count = 0;
        sort_ends(ends, n);
        compare(ends, n, was, now, boxes);
        memcpy(was, now, sizeof was);
    }
}

int main(void) {
    for (int boxes = 1; boxes <= MOST; boxes++)
        for (int i = 0; i < 100; i++) play(boxes);
    return check_right("the pairs are those of brute force, whatever moved");
}
