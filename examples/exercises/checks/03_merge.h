/*
03_merge.h - what exercise 3 works on
*/
#ifndef EXERCISE_03_H
#define EXERCISE_03_H

#include "standard.h"

int is_greater(int x, int y); /* returns x > y; comparisons are counted */

void merge(int *ends, int n, const int *incoming, int m);

#endif
