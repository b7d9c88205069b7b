/*
01_sentinel.h - what exercise 1 works on
*/
#ifndef EXERCISE_01_H
#define EXERCISE_01_H

#include <float.h>
#include <math.h>
#include "sap.h" /* for sap_aabb */
#include "standard.h"

sap_aabb breaker(void);
extern const float low_sentinel, high_sentinel;

#endif
