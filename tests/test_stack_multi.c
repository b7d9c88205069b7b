/* test_stack_multi.c - test_stack.c through sap_multi.h, with a grid, on the calling thread: a thread of yours has a stack
   of yours.

   usage: test_stack_multi [1]   1: prints what each call took */

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 600
#endif

#include "ways.h"

static inline sap_multi *open_world(const sap_config *config) {
    sap_multi_config c;
    int k;
    memset(&c, 0, sizeof c);
    c.sap = *config;
    c.hashed = 1;
    for (k = 0; k < 3; k++) c.cell_size[k] = 10;
    return sap_multi_create(&c);
}

#define STACK_OTHER_WORLD
#include "as_multi.h"
#include "test_stack.c"
