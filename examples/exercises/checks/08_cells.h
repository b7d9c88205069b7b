/*
08_cells.h - what exercise 8 works on
*/
#ifndef EXERCISE_08_H
#define EXERCISE_08_H

#include "cells.h"
#include "standard.h"

void update_cells(const range *was, const range *is);
void add_to(int cell);
void update_in(int cell);
void leave(int cell);

#endif
