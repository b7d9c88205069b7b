/*
04_bipartite.h - what exercise 4 works on
*/
#ifndef EXERCISE_04_H
#define EXERCISE_04_H

#include "sap.h" /* for sap_aabb */
#include "standard.h"

int overlap(const sap_aabb *a, const sap_aabb *b); /* on x and y; calls are counted */
void found(int i, int j);

void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb);

#endif
