/*
02_rules.h - what exercise 2 works on
*/
#ifndef EXERCISE_02_H
#define EXERCISE_02_H

#include "standard.h"

typedef struct end {
    int value, box, is_max;
} end;

/* At equal values the mins come first: boxes that touch overlap. */
static inline int comes_before(end a, end b) {
    return a.value != b.value ? a.value < b.value : a.is_max < b.is_max;
}

void start(int a, int b);
void stop(int a, int b);
void sort_ends(end *ends, int n);

#endif
