/*
00_overlap.h - what exercise 0 works on
*/
#ifndef EXERCISE_00_H
#define EXERCISE_00_H

#include "standard.h"

typedef struct box {
    int min[2], max[2];
} box;

int overlap(const box *a, const box *b);
void find_pairs(const box *boxes, int n);
void found(int i, int j);

#endif
