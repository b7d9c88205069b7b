/*
08_cells.c - the checker of exercise 8: boxes that walk, come and go in a wrapped grid
*/
#include "08_cells.h"
#include "check.h"

enum { ADDED, UPDATED, LEFT, NOTHING, MOST_CALLS = 100 };

static const char *const names[] = {"add_to", "update_in", "leave"};
static range *given_was, *given_is;
static int calls_of[CELLS][3]; /* how often each was called */
static int call_count, left_count, calls[MOST_CALLS][2];

static void tell_range(const char *label, const range *r) {
    if (r->high[0] < r->low[0])
        check_note("%s: no cell", label);
    else
        check_note("%s: columns %d to %d, rows %d to %d", label, r->low[0], r->high[0], r->low[1], r->high[1]);
}

static void tell(void) {
    tell_range("it touched", given_was);
    tell_range("it touches now", given_is);
    check_note("The grid, wrapped (o: before, n: now, *: both), cell 0 at the upper left:");
    for (int y = 0; y < ROWS; y++) {
        printf("      ");
        for (int x = 0; x < COLUMNS; x++) {
            const int before = check_touches(given_was, y * COLUMNS + x),
                      now = check_touches(given_is, y * COLUMNS + x);
            printf(" %c", before && now ? '*' : before ? 'o' : now ? 'n' : '.');
        }
        printf("\n");
    }
    for (int i = 0; i < call_count && i < 12; i++) check_note("your call: %s(%d)", names[calls[i][0]], calls[i][1]);
    if (!call_count) check_note("you called nothing");
}

static void call(int what, int cell) {
    if (call_count < MOST_CALLS) {
        calls[call_count][0] = what;
        calls[call_count++][1] = cell;
    }
    if (cell < 0 || cell >= CELLS) {
        check_say("%s(%d): the cells are 0 to %d", names[what], cell, CELLS - 1);
        tell();
        check_stop();
    }
    if (what == LEFT) left_count++;
    if (what != LEFT && left_count) {
        check_say("%s(%d) was called after leave: cells are left last", names[what], cell);
        check_note("Else the box is for a moment in no cell, and its pairs end although they go on.");
        tell();
        check_stop();
    }
    calls_of[cell][what]++;
}

void add_to(int cell) {
    call(ADDED, cell);
}

void update_in(int cell) {
    call(UPDATED, cell);
}

void leave(int cell) {
    call(LEFT, cell);
}

static void play(const range *old, const range *now) {
    given_was = (range *)check_new(sizeof *given_was);
    given_is = (range *)check_new(sizeof *given_is);
    *given_was = *old;
    *given_is = *now;
    memset(calls_of, 0, sizeof calls_of);
    call_count = left_count = 0;
    update_cells(given_was, given_is);
    for (int cell = 0; cell < CELLS; cell++) {
        const int before = check_touches(old, cell), after = check_touches(now, cell);
        const int expected = after ? before ? UPDATED : ADDED : before ? LEFT : NOTHING;
        for (int what = 0; what < 3; what++) {
            const int times = calls_of[cell][what];
            if (times == (what == expected)) continue;
            check_say("%s(%d) was called %d times instead of %s", names[what], cell, times,
                      what == expected ? "once" : "never");
            check_note("Before, the box was%s in this cell; now it is%s.", before ? "" : " not", after ? "" : " not");
            tell();
            check_stop();
        }
    }
    check_free(given_was);
    check_free(given_is);
}

static range anywhere(int largest) {
    range r;
    for (int k = 0; k < 2; k++) {
        r.low[k] = check_random(-6, 9);
        r.high[k] = r.low[k] + check_random(0, largest);
    }
    return r;
}

int main(void) {
    const range nowhere = {{0, 0}, {-1, -1}};
    const int largest[3] = {1, 2, 7};
    check_begin(tell);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 300; i++) {
            range old = anywhere(largest[k]), now = old;
            play(&nowhere, &old); /* it comes */
            for (int axis = 0; axis < 2; axis++) {
                now.low[axis] += check_random(-1, 1);
                now.high[axis] = now.low[axis] + check_random(0, largest[k]);
            }
            play(&old, &now); /* it walks, and may grow */
            old = anywhere(largest[k]);
            play(&now, &old);     /* it jumps */
            play(&old, &nowhere); /* it goes */
        }
    return check_right("each cell gets the one call that it needs");
}
