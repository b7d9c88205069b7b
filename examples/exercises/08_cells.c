/*
Exercise 8: old cells against new ones

A box in a grid of SAPs has moved. It touched the cells of range was, and touches those of range is: columns low[0] to
high[0], rows low[1] to high[1], not wrapped; cell_of(column, row) wraps them and returns the number of the cell. A range
whose high is less than its low touches no cell: so a new box has been nowhere, and a box that goes will be nowhere.

Call, for each cell, once:

    add_to(cell)       it touches the cell now, and did not before
    update_in(cell)    it touches the cell now, and did before
    leave(cell)        it touched the cell, and does not any more; these calls come after all others

Two columns may be wrapped to the same cell, so that a long box touches it twice: it is one cell all the same. It has CELLS
cells at most. examples/teach/15_cells shows it, and sap_multi.h does it: search for ">> plan" there.

Then think: why do cells that are left come last? And why must add_to not be called for a cell that the box is in?

    make exercises
*/
#include "08_cells.h"

void update_cells(const range *was, const range *is) {
    for (int row = is->low[1]; row <= is->high[1]; row++) /* each cell is new, always: yours to change */
        for (int column = is->low[0]; column <= is->high[0]; column++) add_to(cell_of(column, row));
    (void)was;
}
