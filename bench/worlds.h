/* worlds.h - worlds by name, and how they go on: shapes that move in many ways, and changes of regime, where a crowd that
   was slow jumps, or a heap that rested is stirred. For tests that count, and for bench/worlds.c, which measures.

   Include sap.h before it. */
#ifndef WORLDS_H
#define WORLDS_H

#include "../tests/shapes.h"
#include <stdlib.h>

enum {
    RESTS,    /* nothing moves */
    WALKS,    /* each by up to amount on each axis, at random */
    GLIDES,   /* each straight on, by up to amount, and back at the ends of the world */
    GROUPS,   /* the same for a hundred groups of boxes */
    MARCHES,  /* all as one, along x */
    SWINGS,   /* all as one, to and fro */
    SCROLLS,  /* all along x, from its one end to the other */
    MIRRORS,  /* all change sides on x */
    BREATHES, /* all around the middle, to and fro */
    GROWS,    /* all away from the middle: distances become so many times as long; below 1 towards it */
    SHOOTS    /* guns fire: bullets glide, live for a time, and are replaced */
};

typedef struct world_motion {
    int motion;
    float amount; /* in units of the shape */
    int one_in;   /* of so many boxes one moves in this way; 0: all */
    int jumps;    /* of so many boxes one jumps to another place; 0: none */
    int frames;   /* for so many frames; 0: for good */
} world_motion;

typedef struct world_kind {
    const char *name, *shape;
    int boxes;
    world_motion motion[3];
} world_kind;

#define WORLD_END                                                                                                      \
    { 0, 0, 0, 0, 0 }
static const world_kind world_kinds[] = {
    {"terrain walks", "terrain", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"terrain glides", "terrain", 3000, {{GLIDES, 0.1f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"terrain marches", "terrain", 3000, {{MARCHES, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"terrain, 1% jump", "terrain", 3000, {{RESTS, 0, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"sprites walk", "sprites", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"sprites glide", "sprites", 3000, {{GLIDES, 0.1f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"sprites, 1% jump", "sprites", 3000, {{RESTS, 0, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"tiles walk", "tiles", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"cubes walk", "cubes", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"cubes fast", "cubes", 3000, {{WALKS, 4, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"cubes 2d, 1% jump", "cubes 2d", 3000, {{RESTS, 0, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"heap walks", "half in one place", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"heap glides", "half in one place", 3000, {{GLIDES, 0.1f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"unit 1e29 walks", "unit 1e29", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"unit 1e29 trembles", "unit 1e29", 1000, {{WALKS, 0.002f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"decades walk", "nine decades", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"decades 2d walk", "nine decades 2d", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"diagonal glides", "diagonal", 3000, {{GLIDES, 0.1f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"gauss walks", "gauss", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"units apart walk", "units far apart", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"units apart, 1% jump", "units far apart", 3000, {{RESTS, 0, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"islands walk", "hundred islands", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"islands fast", "hundred islands", 3000, {{GROUPS, 4, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"islands, 1% jump", "hundred islands", 3000, {{RESTS, 0, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"units that double", "powers", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"rods walk", "rods of fifty", 3000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"half-spaces walk", "half-spaces", 1000, {{WALKS, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"mirror", "cubes", 10000, {{MIRRORS, 0, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"scroll", "cubes", 10000, {{SCROLLS, 0.3f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"swing", "cubes", 10000, {{SWINGS, 0.5f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"march", "cubes", 10000, {{MARCHES, 0.3f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"glide", "cubes", 10000, {{GLIDES, 0.2f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"pulse", "cubes", 10000, {{BREATHES, 0.02f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"explode", "cubes", 10000, {{GROWS, 1.01f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"contract", "cubes", 10000, {{GROWS, 0.997f, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"walk, 1% jump", "cubes", 10000, {{WALKS, 0.2f, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"walk, 3% jump", "cubes", 10000, {{WALKS, 0.2f, 0, 33, 0}, WORLD_END, WORLD_END}},
    {"walk, 10% jump", "cubes", 10000, {{WALKS, 0.2f, 0, 10, 0}, WORLD_END, WORLD_END}},
    {"glide, 1% jump", "cubes", 10000, {{GLIDES, 2, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"1% jump", "cubes", 10000, {{RESTS, 0, 0, 100, 0}, WORLD_END, WORLD_END}},
    {"a tenth walk", "cubes", 10000, {{WALKS, 0.2f, 10, 0, 0}, WORLD_END, WORLD_END}},
    {"bullets", "cubes 2d", 9000, {{SHOOTS, 2, 0, 0, 0}, WORLD_END, WORLD_END}},
    {"all, then 5%", "cubes", 10000, {{WALKS, 0.2f, 0, 0, 20}, {WALKS, 0.2f, 20, 0, 20}, WORLD_END}},
    {"walk, then glide", "cubes", 10000, {{WALKS, 0.1f, 0, 0, 60}, {GLIDES, 0.4f, 0, 0, 60}, WORLD_END}},
    {"rest, then a storm", "cubes", 10000, {{RESTS, 0, 20, 0, 20}, {GLIDES, 2, 0, 10, 40}, WORLD_END}},
    {"slow, then a jump", "crowded 2d", 3000, {{WALKS, 0.002f, 0, 0, 50}, {RESTS, 0, 0, 1, 1}, WORLD_END}},
    {"slow, then jumps", "crowded 2d", 3000, {{WALKS, 0.002f, 0, 0, 50}, {RESTS, 0, 0, 1, 10}, WORLD_END}},
    {"slow, then fast", "crowded 2d", 3000, {{WALKS, 0.002f, 0, 0, 60}, {GLIDES, 1, 0, 0, 20}, WORLD_END}},
};
enum { WORLD_KINDS = sizeof world_kinds / sizeof *world_kinds };

typedef struct world {
    const world_kind *kind;
    const struct shape *shape;
    shape_maker maker;
    int n, frame, phase, left; /* left: frames of this phase */
    sap_aabb *box;
    float (*speed)[3]; /* from -1 to 1 */
    float low[3], high[3], unit[3];
    int *moved, moves;       /* the boxes that this frame moved */
    int *replaced, replaces; /* and that it replaced */
} world;

static inline const world_kind *world_named(const char *name) {
    for (int i = 0; i < WORLD_KINDS; i++)
        if (!strcmp(world_kinds[i].name, name)) return &world_kinds[i];
    return NULL;
}

static inline float world_between(world *w, float low, float high) {
    return test_uniform(&w->maker.rng, low, high);
}

static inline void world_free(world *w) {
    free(w->box);
    free(w->speed);
    free(w->moved);
    free(w->replaced);
    memset(w, 0, sizeof *w);
}

static inline void world_make(world *w, const world_kind *kind, int n) {
    const size_t count = (size_t)n;
    memset(w, 0, sizeof *w);
    w->kind = kind;
    w->n = n;
    for (int i = 0; i < SHAPES; i++)
        if (!strcmp(shapes[i].name, kind->shape)) w->shape = &shapes[i];
    w->box = (sap_aabb *)malloc(count * sizeof *w->box);
    w->speed = (float(*)[3])malloc(count * sizeof *w->speed);
    w->moved = (int *)malloc(count * sizeof *w->moved);
    w->replaced = (int *)malloc(count * sizeof *w->replaced);
    if (!w->shape || !w->box || !w->speed || !w->moved || !w->replaced) exit(2);
    w->maker = shape_begin(w->shape, n);
    w->left = kind->motion[0].frames;
    for (int i = 0; i < n; i++) w->box[i] = shape_box(w->shape, &w->maker, i);
    for (int k = 0; k < 3; k++) {
        w->unit[k] = shape_unit(w->shape, k);
        w->low[k] = w->high[k] = 0;
        for (int i = 0, any = 0; i < n; i++) {
            const float middle = w->box[i].min[k] / 2 + w->box[i].max[k] / 2;
            if (!(fabsf(middle) < 1e38f)) continue; /* endless */
            if (!any || middle < w->low[k]) w->low[k] = middle;
            if (!any || middle > w->high[k]) w->high[k] = middle;
            any = 1;
        }
        for (int i = 0; i < n; i++)
            w->speed[i][k] =
                kind->motion[0].motion == GROUPS && i >= 100 ? w->speed[i % 100][k] : world_between(w, -1, 1);
    }
}

static inline void world_shift(world *w, int i, int k, float by) {
    w->box[i].min[k] += by;
    w->box[i].max[k] += by;
}

/* A gun's bullet is small, and begins at one of forty places. */
static inline void world_shoot(world *w, int i) {
    for (int k = 0; k < 2; k++) {
        const float at = w->low[k] + (w->high[k] - w->low[k]) * (float)(i % 40 * (k ? 13 : 1) % 40) / 40;
        w->box[i].min[k] = at - 0.1f, w->box[i].max[k] = at + 0.1f;
        w->speed[i][k] = world_between(w, -0.2f, 0.2f);
    }
}

static inline void world_move(world *w, const world_motion *m, int i) {
    for (int k = 0; k < 3; k++) {
        const float middle = w->box[i].min[k] / 2 + w->box[i].max[k] / 2, amount = m->amount * w->unit[k];
        const float half = w->low[k] / 2 + w->high[k] / 2;
        float by = 0;
        if (!(w->shape->axes >> k & 1) || !(fabsf(middle) < 1e38f)) continue;
        switch (m->motion) {
        case WALKS: by = world_between(w, -amount, amount); break;
        case SHOOTS:
        case GROUPS: by = amount * w->speed[i][k]; break;
        case GLIDES:
            if (middle + amount * w->speed[i][k] < w->low[k] || middle + amount * w->speed[i][k] > w->high[k])
                w->speed[i][k] = -w->speed[i][k];
            by = amount * w->speed[i][k];
            break;
        case MARCHES: by = k == 0 ? amount : 0; break;
        case SWINGS: by = amount * cosf(0.3f * (float)w->frame + (float)k); break;
        case SCROLLS: by = k ? 0 : middle - amount < w->low[k] ? w->high[k] - w->low[k] - amount : -amount; break;
        case MIRRORS: by = k ? 0 : 2 * (half - middle); break;
        case BREATHES: by = (middle - half) * m->amount * cosf(0.3f * (float)w->frame); break;
        case GROWS: by = (middle - half) * (m->amount - 1); break;
        }
        world_shift(w, i, k, by);
    }
}

/* Leads a world by a frame: box, moved and replaced are new. */
static inline void world_step(world *w) {
    const world_motion *m = &w->kind->motion[w->phase];
    w->frame++;
    w->moves = w->replaces = 0;
    if (w->left && --w->left == 0) {
        w->phase = w->phase < 2 && w->kind->motion[w->phase + 1].frames ? w->phase + 1 : 0;
        w->left = w->kind->motion[w->phase].frames;
    }
    for (int i = 0; i < w->n; i++) {
        if (m->motion == SHOOTS && (i + w->frame) % 150 == 0) {
            world_shoot(w, i);
            w->replaced[w->replaces++] = i;
            continue;
        }
        const int jumps = m->jumps && test_below(&w->maker.rng, m->jumps) == 0;
        if (jumps)
            w->box[i] = shape_box(w->shape, &w->maker, test_below(&w->maker.rng, w->n));
        else if (m->motion != RESTS && (!m->one_in || i % m->one_in == 0))
            world_move(w, m, i);
        else
            continue;
        w->moved[w->moves++] = i;
    }
}

#endif
