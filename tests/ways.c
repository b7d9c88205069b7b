/* ways.c - the implementation of sap.h and sap_multi.h, and the knobs of ways.h, compiled once for all tests that only
   use the public face: see ways.h. */

#define WAYS_IMPLEMENTATION
#include "ways.h"
