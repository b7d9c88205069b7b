/* Exercise 8, solved: both ranges become lists, in which each cell is once; then one is looked for in the other.
   If cells were left first, a pair would end there that goes on in another cell. add_to inserts the ends of the box: in a
   cell that has them, they would be there twice. */
#include "08_cells.h"

static int has(const int *list, int n, int cell) {
    for (int i = 0; i < n; i++)
        if (list[i] == cell) return 1;
    return 0;
}

static int list_cells(const range *r, int *list) {
    int n = 0;
    for (int row = r->low[1]; row <= r->high[1]; row++)
        for (int column = r->low[0]; column <= r->high[0]; column++)
            if (!has(list, n, cell_of(column, row))) list[n++] = cell_of(column, row);
    return n;
}

void update_cells(const range *was, const range *is) {
    int before[CELLS], now[CELLS];
    const int n_before = list_cells(was, before), n_now = list_cells(is, now);
    for (int i = 0; i < n_now; i++) {
        if (has(before, n_before, now[i]))
            update_in(now[i]);
        else
            add_to(now[i]);
    }
    for (int i = 0; i < n_before; i++)
        if (!has(now, n_now, before[i])) leave(before[i]);
}
