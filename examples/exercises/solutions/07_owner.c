/* Exercise 7, solved: where two boxes overlap, the lower corner of what they share lies in both; along each axis it is the
   greater of the two mins. So the greater of the two lower cells is touched by both, and it is wrapped only then.
   When the two part, the owner by the boxes as they were is the cell that reported them. If a box has left that cell, its
   ends are not there any more to be passed: the pairs that there are must be looked at. sap_multi.h does so. */
#include "07_owner.h"

int owner(const range *a, const range *b) {
    const int column = a->low[0] > b->low[0] ? a->low[0] : b->low[0];
    const int row = a->low[1] > b->low[1] ? a->low[1] : b->low[1];
    return cell_of(column, row);
}
