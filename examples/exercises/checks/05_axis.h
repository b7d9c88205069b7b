/*
05_axis.h - what exercise 5 works on
*/
#ifndef EXERCISE_05_H
#define EXERCISE_05_H

#include "sap.h" /* for sap_aabb */
#include "standard.h"

int choose_axis(const sap_aabb *boxes, int n);

#endif
