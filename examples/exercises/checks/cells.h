/*
cells.h - the wrapped grid of exercises 7 and 8
*/
#ifndef CELLS_H
#define CELLS_H

enum { COLUMNS = 5, ROWS = 4, CELLS = COLUMNS * ROWS };

typedef struct range { /* the cells that a box touches, not wrapped */
    int low[2], high[2];
} range;

/* Returns the number of a cell, 0 to CELLS - 1. (-1 % 5 is -1 in C, so 5 is added before the second %.) */
static inline int cell_of(int column, int row) {
    return (row % ROWS + ROWS) % ROWS * COLUMNS + (column % COLUMNS + COLUMNS) % COLUMNS;
}

static inline int check_touches(const range *r, int cell) {
    for (int y = r->low[1]; y <= r->high[1]; y++)
        for (int x = r->low[0]; x <= r->high[0]; x++)
            if (cell_of(x, y) == cell) return 1;
    return 0;
}

#endif
