/*
07_owner.c - the checker of exercise 7: a wrapped grid whose cells must report each pair once
*/
#include "07_owner.h"
#include "check.h"

enum { BOXES = 12, CELL_SIZE = 10 };

typedef struct box {
    int min[2], max[2];
} box;

static void tell(const range *a, const range *b, int cell) {
    check_note("a touches columns %d to %d, rows %d to %d; b columns %d to %d, rows %d to %d", a->low[0], a->high[0],
               a->low[1], a->high[1], b->low[0], b->high[0], b->low[1], b->high[1]);
    check_note("owner says cell %d. The grid, wrapped (a, b or * for both; [ ] the owner):", cell);
    for (int y = 0; y < ROWS; y++) {
        printf("      ");
        for (int x = 0; x < COLUMNS; x++) {
            const int here = y * COLUMNS + x, in_a = check_touches(a, here), in_b = check_touches(b, here);
            printf(here == cell ? "[%c]" : " %c ", in_a && in_b ? '*' : in_a ? 'a' : in_b ? 'b' : '.');
        }
        printf("\n");
    }
    check_stop();
}

static int floor_divide(int a, int b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static int overlap(const box *a, const box *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1];
}

static const range *given_a, *given_b;

static void given(void) {
    check_note("a touches columns %d to %d, rows %d to %d", given_a->low[0], given_a->high[0], given_a->low[1],
               given_a->high[1]);
    check_note("b touches columns %d to %d, rows %d to %d", given_b->low[0], given_b->high[0], given_b->low[1],
               given_b->high[1]);
}

static void check_pair(const range *a, const range *b) {
    given_a = a;
    given_b = b;
    const int cell = owner(a, b), other = owner(b, a);
    if (cell < 0 || cell >= CELLS) {
        check_say("owner answered %d, but the cells are 0 to %d", cell, CELLS - 1);
        check_note("cell_of makes a number of a column and a row.");
        tell(a, b, cell);
    }
    if (!check_touches(a, cell) || !check_touches(b, cell)) {
        check_say("no cell reports the pair: %s does not touch its owner", check_touches(a, cell) ? "b" : "a");
        tell(a, b, cell);
    }
    if (cell != other) {
        check_say("owner(a, b) is cell %d and owner(b, a) is cell %d: the pair may be reported twice, or never", cell,
                  other);
        tell(a, b, cell);
    }
}

/* Boxes anywhere, also outside of the grid, and some of them wider than it. */
static void play(int largest) {
    box boxes[BOXES];
    range ranges[BOXES];
    for (int i = 0; i < BOXES; i++)
        for (int k = 0; k < 2; k++) {
            boxes[i].min[k] = check_random(-40, 60);
            boxes[i].max[k] = boxes[i].min[k] + check_random(0, largest);
            ranges[i].low[k] = floor_divide(boxes[i].min[k], CELL_SIZE);
            ranges[i].high[k] = floor_divide(boxes[i].max[k], CELL_SIZE);
        }
    for (int i = 0; i < BOXES; i++)
        for (int j = 0; j < BOXES; j++)
            if (i != j && overlap(&boxes[i], &boxes[j])) check_pair(&ranges[i], &ranges[j]);
}

int main(void) {
    check_begin(given);
    const int sizes[4] = {8, 25, 70, 120};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 300; i++) play(sizes[k]);
    return check_right("each pair is reported by one cell that both boxes touch");
}
