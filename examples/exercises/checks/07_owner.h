/*
07_owner.h - what exercise 7 works on
*/
#ifndef EXERCISE_07_H
#define EXERCISE_07_H

#include "cells.h"
#include "standard.h"

int owner(const range *a, const range *b);

#endif
