/*
09_sap.h - what exercise 9 works on
*/
#ifndef EXERCISE_09_H
#define EXERCISE_09_H

#include "standard.h"

enum { AXES = 3, MOST = 4000, MOST_PAIRS = 40000 };

typedef struct box {
    float min[AXES], max[AXES];
} box;

typedef struct pair {
    int a, b; /* a < b */
} pair;

static inline int overlap(const box *a, const box *b) {
    for (int k = 0; k < AXES; k++)
        if (a->min[k] > b->max[k] || b->min[k] > a->max[k]) return 0;
    return 1;
}

void restart(void);
void update(const box *boxes, int n);
const pair *get_pairs(int *n);

#endif
