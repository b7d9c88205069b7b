/* flyers.h - boxes that fly about in a cube and turn back at its walls, for the large examples

   A box depends only on its number, and its way only on the box: every process that has it moves it in the same way. */

#ifndef FLYERS_H
#define FLYERS_H

#include "sap.h"

typedef struct flyer {
    sap_aabb box;
    float speed[3];
} flyer;

static inline float flyer_random(unsigned *state, float low, float high) {
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * ((float)(*state >> 8) / 16777216);
}

static inline flyer flyer_new(int number, float side, float least, float most) {
    unsigned state = (unsigned)number * 2654435761u;
    state = (state ^ state >> 15) * 2246822519u; /* mixed well, or the boxes would stand in rows */
    state ^= state >> 13;
    flyer f;
    for (int k = 0; k < 3; k++) {
        f.box.min[k] = flyer_random(&state, 0, side);
        f.box.max[k] = f.box.min[k] + flyer_random(&state, least, most);
        f.speed[k] = flyer_random(&state, -1, 1);
    }
    return f;
}

static inline void flyer_move(flyer *f, float side) {
    for (int k = 0; k < 3; k++) {
        if ((f->box.min[k] < 0 && f->speed[k] < 0) || (f->box.min[k] > side && f->speed[k] > 0))
            f->speed[k] = -f->speed[k];
        f->box.min[k] += f->speed[k];
        f->box.max[k] += f->speed[k];
    }
}

#endif
