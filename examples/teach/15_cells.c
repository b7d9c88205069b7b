/*
Shows what an update is in a grid of SAPs: old cells against new ones, for a fixed grid and a hashed one (Terdiman II.3).

    cc -I../.. -I.. -o 15_cells 15_cells.c -lm && ./15_cells

II.3c, the only new code of part II: each box keeps a handle, the list of cells that it touches. An update finds the cells
that it touches now, and compares. A cell that is new gets the box, a cell that is in both lists updates it, and at the end
it leaves the cells that are only in the old list. Here a cell is the simplest SAP, a list that is looked through.
The paper's handle also has the number of the box in the SAP of each cell. Here it has none, so a box that leaves a cell is
looked for among its members; the last line counts them.
II.3b: two boxes may meet in several cells, and each of them tells the one pair manager. It has the pair already, and that
is all. But a box that leaves a cell must not end its pairs there without a look: they may go on in another cell. So before a
pair is removed the boxes are tested ("overlap test for deletions", I.3).
II.3a: a fixed grid is wrapped, so what leaves it on the right comes in on the left; a hashed grid throws all cells of the
plane into a table of entries. Both let cells that are far apart share an entry, which costs tests and nothing else, and
both may give a box the same entry twice: a handle has each once.
The table counts, for each grid, boxes that are added to an entry, updated in one or leave one; tests; calls of AddPair and
the pairs that were new to the pair manager; and pairs that overlap when one of the two leaves an entry. The pairs at the
end are those of two loops.
It draws 15_cells.svg or the file you name. It prints:

    a box in 8 x 8 cells of 4 by 4, numbered from left to right, row by row:
      x  3 to  7, y 3 to 6:  add to 0 1 8 9
      x  6 to 10, y 3 to 6:  add to 2 10 update in 1 9 leave 0 8
      x  9 to 11, y 5 to 7:  update in 10 leave 1 2 9
      x 29 to 34, y 5 to 7:  add to 15 8 leave 10

    50 updates of 400 boxes  entries:                          pair manager:   left, but
                               added to  updated in   left    tests    calls     new   overlap  pairs
    4096 cells, none shared        4300       57238   4275   331604   145680    6200      6267    794
    8 x 8 cells, wrapped           4300       57238   4275  1273774   145680    6200      6267    794
    64 entries, hashed             4174       56288   4150  1446739   145314    6200      6247    794
    members looked at to find a box that leaves: 19248, 56019 and 61834
*/
#include <math.h>
#include "sap.h"
#include "teach.h"

enum { BOXES = 400, UPDATES = 50, MOST_IN_HANDLE = 16, SIDE = 64, MANY = SIDE * SIDE, ENTRIES = 64, WAYS = 3 };
#define CELL 4.0f

/* ---- three ways to number the cells of the plane -------------------------------------------------------------------- */

static int wrap(int place, int cells) {
    return (place % cells + cells) % cells;
}

static int large_grid(int column, int row) { /* as large as the world: no cell is shared */
    return wrap(row, SIDE) * SIDE + wrap(column, SIDE);
}

static int fixed_grid(int column, int row) { /* 8 by 8 cells, wrapped */
    return wrap(row, 8) * 8 + wrap(column, 8);
}

static int hashed_grid(int column, int row) {
    return (int)(((uint32_t)column * 73856093u ^ (uint32_t)row * 19349663u) * 2654435761u >> 26);
}

static const struct {
    const char *name;
    int (*entry_of)(int column, int row);
} ways[WAYS] = {
    {"4096 cells, none shared", large_grid}, {"8 x 8 cells, wrapped", fixed_grid}, {"64 entries, hashed", hashed_grid}};

/* ---- cells, handles and the pair manager ----------------------------------------------------------------------------- */

typedef struct handle {
    int cell[MOST_IN_HANDLE], n;
} handle;

static sap_aabb boxes[BOXES];
static handle handles[BOXES];
static int members[MANY][BOXES], member_count[MANY];
static char is_pair[BOXES][BOXES]; /* the one pair manager */
static struct { long long added, updated, left, tests, calls, new_pairs, kept; } counts;
static long long searched[WAYS]; /* members looked at to find the box in an entry that it leaves */

static int has(const handle *h, int cell) {
    for (int i = 0; i < h->n; i++)
        if (h->cell[i] == cell) return 1;
    return 0;
}

/* Rasterizes a box: the entries that it touches, each once. */
static handle touched(const sap_aabb *box, int way) {
    handle h = {{0}, 0};
    for (int row = (int)floorf(box->min[1] / CELL); row <= (int)floorf(box->max[1] / CELL); row++)
        for (int column = (int)floorf(box->min[0] / CELL); column <= (int)floorf(box->max[0] / CELL); column++) {
            const int cell = ways[way].entry_of(column, row);
            if (!has(&h, cell)) h.cell[h.n++] = cell;
        }
    return h;
}

static void set_pair(int a, int b, int overlap) {
    char *pair = &is_pair[a < b ? a : b][a < b ? b : a];
    counts.calls += overlap;
    counts.new_pairs += overlap && !*pair;
    *pair = (char)overlap;
}

/* In the SAP of a cell: the box has come, or has moved. */
static void update_in(int cell, int box) {
    for (int i = 0; i < member_count[cell]; i++) {
        const int other = members[cell][i];
        if (other == box) continue;
        counts.tests++;
        set_pair(box, other, teach_overlap(&boxes[box], &boxes[other]));
    }
}

static void add_to(int cell, int box) {
    members[cell][member_count[cell]++] = box;
    update_in(cell, box);
}

/* The box leaves: its pairs end there, unless they overlap, which another cell knows. */
static void leave(int cell, int box, int way) {
    int at = 0;
    while (members[cell][at] != box) at++;
    searched[way] += at + 1;
    members[cell][at] = members[cell][--member_count[cell]];
    for (int i = 0; i < member_count[cell]; i++) {
        const int other = members[cell][i], overlap = teach_overlap(&boxes[box], &boxes[other]);
        counts.tests++;
        counts.kept += overlap;
        if (!overlap) set_pair(box, other, 0);
    }
}

/* UpdateObject of the grid. */
static void update_object(int box, int way) {
    const handle was = handles[box], is = touched(&boxes[box], way);
    for (int i = 0; i < is.n; i++) {
        if (has(&was, is.cell[i])) {
            counts.updated++;
            update_in(is.cell[i], box);
        } else {
            counts.added++;
            add_to(is.cell[i], box);
        }
    }
    for (int i = 0; i < was.n; i++)
        if (!has(&is, was.cell[i])) {
            counts.left++;
            leave(was.cell[i], box, way);
        }
    handles[box] = is;
}

/* ---- one box, step by step --------------------------------------------------------------------------------------------- */

enum { MOVES = 4 };
static const sap_aabb moves[MOVES] = {{{3, 3}, {7, 6}}, {{6, 3}, {10, 6}}, {{9, 5}, {11, 7}}, {{29, 5}, {34, 7}}};

/* Prints in which cells of the wrapped grid a box is added to, updated in, and which it leaves. */
static void show_moves(void) {
    handle was = {{0}, 0};
    printf("a box in 8 x 8 cells of 4 by 4, numbered from left to right, row by row:\n");
    for (int m = 0; m < MOVES; m++) {
        const handle is = touched(&moves[m], 1);
        printf("  x %2g to %2g, y %g to %g: ", (double)moves[m].min[0], (double)moves[m].max[0],
               (double)moves[m].min[1], (double)moves[m].max[1]);
        for (int what = 0; what < 3; what++) {
            const handle *from = what == 2 ? &was : &is;
            int n = 0;
            for (int i = 0; i < from->n; i++)
                if (what == 2 ? !has(&is, from->cell[i]) : has(&was, from->cell[i]) == what)
                    printf("%s %d",
                           n++         ? ""
                           : what == 0 ? " add to"
                           : what == 1 ? " update in"
                                       : " leave",
                           from->cell[i]);
        }
        printf("\n");
        was = is;
    }
    printf("\n");
}

static void draw(const char *path) {
    static const char *const styles[3] = {"fill:#2f5a3f;stroke:#37465a", "fill:#22364a;stroke:#37465a",
                                          "fill:#5a3030;stroke:#37465a"};
    svg p = svg_open(path, 1000, 620, "Old cells against new ones");
    handle was = {{0}, 0};
    svg_key(&p, 40, 66, styles[0], "add to");
    svg_key(&p, 140, 66, styles[1], "update in");
    svg_key(&p, 270, 66, styles[2], "leave");
    svg_text(&p, 400, 78, 15, SVG_WORD, "8 x 8 cells, wrapped: the last box touches column 8, which is column 0");
    for (int m = 0; m < MOVES; m++) {
        const handle is = touched(&moves[m], 1);
        svg_begin_panel(&p, 40 + 470 * (m % 2), 100 + 255 * (m / 2), 450, 240, -1, -1, 12);
        for (int row = 0; row < 5; row++)
            for (int column = 0; column < 9; column++) {
                const int cell = fixed_grid(column, row), now = has(&is, cell), before = has(&was, cell);
                const float min[2] = {CELL * (float)column, CELL * (float)row}, max[2] = {min[0] + CELL, min[1] + CELL};
                svg_box(&p, min, max,
                        now && !before ? styles[0]
                        : now          ? styles[1]
                        : before       ? styles[2]
                        : column < 8   ? "fill:none;stroke:#37465a"
                                       : "fill:none;stroke:#37465a;stroke-dasharray:2 3");
                svg_text(&p, (double)min[0] + .3, (double)min[1] + 1.2, 11, SVG_WORD, "%d", cell);
            }
        if (m) svg_box(&p, moves[m - 1].min, moves[m - 1].max, "fill:none;stroke:#8fa3ba;stroke-dasharray:3 3");
        svg_box(&p, moves[m].min, moves[m].max, "fill:#ffab5c;fill-opacity:.8");
        svg_end_panel(&p);
        was = is;
    }
    svg_close(&p);
}

/* ---- many boxes ------------------------------------------------------------------------------------------------------------ */

static int run(int way) {
    int same = 1, pairs = 0;
    teach_state = 11;
    teach_scatter(boxes, BOXES, 60, 60, 0);
    memset(handles, 0, sizeof handles);
    memset(member_count, 0, sizeof member_count);
    memset(is_pair, 0, sizeof is_pair);
    for (int i = 0; i < BOXES; i++) {
        boxes[i].max[0] += 2;
        boxes[i].max[1] += 2;
        update_object(i, way); /* all cells are new */
    }
    memset(&counts, 0, sizeof counts);
    searched[way] = 0;
    for (int u = 0; u < UPDATES; u++)
        for (int i = 0; i < BOXES; i++) {
            teach_walk(&boxes[i], 2, .5f);
            update_object(i, way);
        }
    for (int a = 0; a < BOXES; a++)
        for (int b = a + 1; b < BOXES; b++) {
            same &= is_pair[a][b] == teach_overlap(&boxes[a], &boxes[b]);
            pairs += is_pair[a][b];
        }
    printf("%-24s %10lld %11lld %6lld %8lld %8lld %7lld %9lld %6d%s\n", ways[way].name, counts.added, counts.updated,
           counts.left, counts.tests, counts.calls, counts.new_pairs, counts.kept, pairs, same ? "" : "  WRONG");
    return same;
}

int main(int argc, char **argv) {
    int good = 1;
    show_moves();
    printf("%d updates of %d boxes  entries:                          pair manager:   left, but\n", UPDATES, BOXES);
    printf("                           added to  updated in   left    tests    calls     new   overlap  pairs\n");
    for (int way = 0; way < WAYS; way++) good &= run(way);
    printf("members looked at to find a box that leaves: %lld, %lld and %lld\n", searched[0], searched[1], searched[2]);
    draw(argc > 1 ? argv[1] : "15_cells.svg");
    return !good;
}
