/*
scenes.h - the scenes that broad phases are measured on, C and C++

A scene is n boxes and a rule how they move. scene_make places them, scene_step moves them by one frame and
lists what moved, so that any broad phase can be fed the same boxes. All follows from one random sequence: the
same on every run.

Unless a scene says otherwise, a box's half extent is 0.5 to 1.5 on each axis, each on its own, and its centre
is anywhere in a cube (2D: square) so large that a box overlaps about two others; centres are reflected at its
sides. 'Flat' scenes stand on the plane y = 0, in a square in which a box overlaps about one other. In crowds a box has
ten pairs and more.
*/
#ifndef SCENES_H
#define SCENES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef SAP_H
#include "../sap.h" /* sap_aabb */
#endif

enum {
    PLACE_CUBE,
    PLACE_FLAT,
    PLACE_SIZES,
    PLACE_LEVEL,
    PLACE_SPHERE,
    PLACE_STRETCHED,
    PLACE_PILE,
    PLACE_LATTICE,
    PLACE_MIDDLE,
    PLACE_HEAP,
    PLACE_BULLETS,
    PLACE_FIXED,
    PLACE_CROWD,
    PLACE_SPRITES,
    PLACE_QUADS,
    PLACE_MIXED,
    PLACE_STREAM
};
enum {
    STAND,
    WALK,
    WALK_SOME,
    FALL,
    DRIVE,
    JUMP,
    WALK_SPHERE,
    STEP,
    MIRROR,
    REPLACE,
    WALK_FEW,
    LEVEL,
    DRIFT,
    SHUFFLE,
    GLIDE,
    GLIDE_SOME,
    STREAM,
    TREMBLE
};
enum { SCENE_DRIVERS = 64, SCENE_WALKERS = 1000, SCENE_LAYERS = 16, SCENE_MOST_PAIRS = 400000 };

typedef struct scene_kind {
    const char *name;
    int place, motion;
    float amount; /* how far a box moves in a frame, per axis, at most */
    int axes;
    int most;    /* boxes; 0: any number */
    float pairs; /* of a crowd: pairs a box, of boxes that are not near an edge; else 0 */
    const char *what;
} scene_kind;

static const scene_kind scene_kinds[] = {
    {"static", PLACE_CUBE, STAND, 0, 7, 0, 0, "nothing moves"},
    {"tremble", PLACE_CUBE, TREMBLE, 0.01f, 7, 0, 0, "all tremble by up to 0.01 per axis, each at its place"},
    {"jitter", PLACE_CUBE, WALK, 0.01f, 7, 0, 0, "all walk by up to 0.01 per axis, and so leave a margin in time"},
    {"sparse", PLACE_CUBE, WALK_SOME, 0.2f, 7, 0, 0, "the same 5% walk by up to 0.2"},
    {"brownian", PLACE_CUBE, WALK, 0.2f, 7, 0, 0, "all walk by up to 0.2"},
    {"fast", PLACE_CUBE, WALK, 4, 7, 0, 0, "all walk by up to 4"},
    {"gravity", PLACE_FLAT, FALL, 0.05f, 7, 0, 0, "all fall on a flat ground and jitter there"},
    {"town", PLACE_FLAT, DRIVE, 4, 7, 0, 0, "64 drive straight on, up to 4 a frame, among static boxes on a plane"},
    {"teleport", PLACE_CUBE, JUMP, 0, 7, 0, 0, "1% jump anywhere"},
    {"sizes", PLACE_SIZES, WALK, 0.2f, 7, 0, 0,
     "half extents 0.1 to 10, about five pairs a box; all walk by up to 0.2"},
    {"bigworld", PLACE_CUBE, WALK_SOME, 0.2f, 7, 0, 0, "sparse over one ground box; what stands is static"},
    {"level", PLACE_LEVEL, WALK, 0.2f, 7, 0, 0, "all at one height, of one height; all walk by up to 0.2"},
    {"sphere", PLACE_SPHERE, WALK_SPHERE, 0.2f, 7, 0, 0, "all walk on the surface of a sphere"},
    {"stretched", PLACE_STRETCHED, WALK, 0.2f, 7, 0, 0, "boxes n times as long on y; all walk by up to 0.2"},
    {"pile", PLACE_PILE, WALK, 0.2f, 7, 1000, 0, "every box overlaps every other; all walk by up to 0.2"},
    {"lattice", PLACE_LATTICE, STEP, 1, 7, 0, 0,
     "equal boxes that touch on a lattice; all step to a neighbouring place"},
    {"storm", PLACE_CUBE, REPLACE, 0, 7, 0, 0, "10% are removed and as many added elsewhere"},
    {"mirror", PLACE_CUBE, MIRROR, 0, 7, 0, 0, "all change sides: the order on x is reversed in every frame"},
    {"drift", PLACE_CUBE, DRIFT, 0.2f, 7, 0, 0,
     "all fly straight on, each with a new speed now and then (as Broadmark's Brownian)"},
    {"shuffled", PLACE_CUBE, SHUFFLE, 0.2f, 7, 0, 0,
     "brownian, but boxes are handed in in another order than they were added in"},
    {"sparse2d", PLACE_CUBE, WALK_SOME, 0.2f, 3, 0, 0, "2D: the same 5% walk by up to 0.2"},
    {"brownian2d", PLACE_CUBE, WALK, 0.2f, 3, 0, 0, "2D: all walk by up to 0.2"},
    {"town2d", PLACE_CUBE, DRIVE, 4, 3, 0, 0, "2D: 64 drive straight on, up to 4 a frame, among static boxes"},
    {"teleport2d", PLACE_CUBE, JUMP, 0, 3, 0, 0, "2D: 1% jump anywhere"},
    {"tremble2d", PLACE_HEAP, TREMBLE, 0.01f, 3, 0, 0, "2D: equal boxes in a square heap, each trembles at its place"},
    {"heap2d", PLACE_HEAP, WALK, 0.01f, 3, 0, 0, "2D: the same boxes walk by up to 0.01"},
    {"bullets", PLACE_BULLETS, WALK, 0.2f, 3, 0, 0,
     "2D: a box overlaps sixteen others; all but one in fifty are bullets, in no pair with each other"},
    /* pairs: so that 1,000 boxes, many at an edge, have as many as the text says */
    {"areas", PLACE_CROWD, GLIDE, 0.01f, 7, 10000, 36, "areas of interest, 25 pairs a box; all glide by up to 0.01"},
    {"areas2d", PLACE_CROWD, GLIDE, 0.01f, 3, 10000, 29, "2D: the same, 25 pairs a box"},
    {"sprites", PLACE_SPRITES, WALK, 0.2f, 7, 0, 0, "boxes of no depth in sixteen layers; all walk in their layer"},
    {"quads", PLACE_QUADS, WALK, 0.2f, 7, 0, 0, "walls and floors: each box has no size on one axis; all walk"},
    {"mixed", PLACE_MIXED, WALK, 0.1f, 7, 0, 0,
     "one in ten is a room, thirty times as long as what else there is; five pairs a box; all walk by up to 0.1"},
    {"stream", PLACE_STREAM, STREAM, 0, 7, 0, 0,
     "a world that scrolls: one in a hundred is removed at its end, and as many are added at its front"},
};
enum { SCENE_KINDS = sizeof scene_kinds / sizeof *scene_kinds };

/* What is pruned once, no frames: only placed. */
static const scene_kind prune_kinds[] = {
    {"uniform", PLACE_CUBE, STAND, 0, 7, 0, 0, "anywhere in a cube"},
    {"sphere", PLACE_SPHERE, STAND, 0, 7, 0, 0, "on the surface of a sphere"},
    {"stretched", PLACE_STRETCHED, STAND, 0, 7, 0, 0, "n times as long on y"},
    {"revisited", PLACE_FIXED, STAND, 0, 7, 0, 0,
     "as dense as in Box Pruning Revisited: a cube of one size for any number"},
};
enum { PRUNE_KINDS = sizeof prune_kinds / sizeof *prune_kinds };

/* Static worlds, of any size around the same 1,000 that move. */
static const scene_kind walker_kinds[] = {
    {"wide", PLACE_CUBE, WALK_FEW, 0.2f, 7, 0, 0, "1,000 walk by up to 0.2 among static boxes, all anywhere"},
    {"near", PLACE_MIDDLE, WALK_FEW, 0.2f, 7, 0, 0, "those that walk and 1,000 static ones in the middle"},
};
enum { WALKER_KINDS = sizeof walker_kinds / sizeof *walker_kinds };

/* Crowds of any density and speed have names: crowd2d:10:.05 is 2D, 10 pairs a box, a way of .05 of a side a frame at
   most on each axis; crowd3d:10:.05:some is one of which a twentieth moves at a time. Boxes have sides of .5 to 1.5, and
   glide straight on until they turn at an edge. */
static const char *const crowd_names[] = {
    "crowd2d:10:.002", "crowd2d:10:.01", "crowd2d:10:.05", "crowd2d:10:.3", "crowd2d:30:.01:some",
    "crowd3d:10:.002", "crowd3d:10:.01", "crowd3d:10:.05", "crowd3d:10:.3", "crowd3d:30:.01:some",
};
enum { CROWD_NAMES = sizeof crowd_names / sizeof *crowd_names };

static inline scene_kind scene_crowd(const char *name, int dims, float pairs, float way, int some) {
    scene_kind kind = {"", PLACE_CROWD, GLIDE, 0, 7, 0, 0, "a crowd: dimensions, pairs a box, way a frame in sides"};
    kind.name = name;
    kind.motion = some ? GLIDE_SOME : GLIDE;
    kind.amount = way;
    kind.axes = dims == 2 ? 3 : 7;
    kind.most = (int)(SCENE_MOST_PAIRS / pairs);
    kind.pairs = pairs;
    return kind;
}

/* Reads the name of a crowd; NULL if it is none. The result lasts until the next call. */
static inline const scene_kind *scene_crowd_named(const char *name) {
    static scene_kind kind;
    static char copy[32];
    char dims = 0, some[8] = "";
    float pairs = 0, way = 0;
    int fields = sscanf(name, "crowd%cd:%f:%f:%7[a-z]", &dims, &pairs, &way, some);
    if (fields < 3 || (dims != '2' && dims != '3') || !(pairs > 0) || !(way >= 0)) return NULL;
    if (fields == 4 && strcmp(some, "some") != 0) return NULL;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(name, ","), name);
    kind = scene_crowd(copy, dims - '0', pairs, way, fields == 4);
    return &kind;
}

static const scene_kind level_kind = {"level", PLACE_CUBE, LEVEL, 0, 7, 0, 0, "static boxes alone"};

typedef struct scene_item {
    float centre[3], half[3], speed[3];
} scene_item;

typedef struct scene {
    const scene_kind *kind;
    int n;
    float side;
    uint32_t random;
    int frame; /* steps that it has made */
    scene_item *item;
    sap_aabb *box;            /* of every item, as of now */
    unsigned char *is_static; /* never paired with another static one */
    int *moved;               /* what this frame moved, ascending or not, each once */
    int moves;
    int *replaced; /* what this frame took out and put in again elsewhere */
    int replacements;
} scene;

/* 0 to below 1 */
static float scene_random(scene *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return (float)(s->random >> 8) / 16777216.0f;
}

static float scene_between(scene *s, float low, float high) {
    return low + (high - low) * scene_random(s);
}

/* No two of these are a pair, in benchmarks that set categories. */
static inline int scene_is_bullet(const scene *s, int i) {
    return s->kind->place == PLACE_BULLETS && i % 50 != 0;
}

static float scene_reflect(float x, float side) {
    x = x < 0 ? -x : x > side ? 2 * side - x : x;
    return x < 0 ? 0 : x > side ? side : x; /* when the step is longer than the world */
}

static int scene_uses(const scene *s, int axis) {
    return s->kind->axes >> axis & 1;
}

static void scene_set_box(scene *s, int i) {
    const scene_item *t = &s->item[i];
    for (int k = 0; k < 3; k++) {
        s->box[i].min[k] = t->centre[k] - t->half[k];
        s->box[i].max[k] = t->centre[k] + t->half[k];
    }
}

static void scene_to_sphere(scene *s, int i) {
    scene_item *t = &s->item[i];
    float r = s->side / 2, x = t->centre[0] - r, y = t->centre[1] - r, z = t->centre[2] - r;
    float length = sqrtf(x * x + y * y + z * z);
    length = r / (length > 0 ? length : 1);
    t->centre[0] = r + x * length;
    t->centre[1] = r + y * length;
    t->centre[2] = r + z * length;
}

/* Two boxes of mean half extent 1 meet on an axis when their centres are within 2 of each other, either way:
   in a cube of this side a box meets 4 * 4 * 4 * n / side^3 others, on a plane 4 * 4 * n / side^2. */
static float scene_side(const scene *s) {
    double n = s->n;
    switch (s->kind->place) {
    case PLACE_FLAT: return (float)sqrt(16 * n);   /* one other */
    case PLACE_SIZES: return (float)cbrt(228 * n); /* E[(2 (h0 + h1))^3] = 2278 and ten others */
    case PLACE_LEVEL:
    case PLACE_STRETCHED: return (float)sqrt(8 * n);
    case PLACE_SPHERE: return (float)sqrt(3.3 * n); /* the diameter; tilted, boxes reach farther than on a plane */
    case PLACE_PILE: return 0.9f;                   /* less than twice the least half extent */
    case PLACE_LATTICE: return (float)ceil(cbrt(n) - 1e-9);
    case PLACE_HEAP: return (float)ceil(sqrt(n) - 1e-9);
    case PLACE_BULLETS: return (float)sqrt(n);
    case PLACE_FIXED: return 64.1f; /* 11.8 thousand pairs of 10,000 boxes */
    case PLACE_CROWD: return 2 * (float)pow(n / (2 * s->kind->pairs), s->kind->axes == 3 ? 1 / 2.0 : 1 / 3.0);
    case PLACE_SPRITES: return (float)sqrt(8 * n / SCENE_LAYERS);
    case PLACE_QUADS: return (float)cbrt(16 * n / 3); /* one pair a box; two that are flat on one axis never meet */
    case PLACE_MIXED: return (float)cbrt(221 * n);
    default: return s->kind->axes == 3 ? (float)sqrt(8 * n) : (float)cbrt(32 * n);
    }
}

/* In the middle, if it is one of the first 2,000, and outside if not: all is equally dense. */
static void scene_place_middle(scene *s, int i) {
    float half = (float)cbrt(32.0 * 2 * SCENE_WALKERS) / 2, middle = s->side / 2, *c = s->item[i].centre;
    int inside = 1;
    for (int k = 0; k < 3; k++) {
        if (i < 2 * SCENE_WALKERS) c[k] = middle + scene_between(s, -half, half);
        inside &= fabsf(c[k] - middle) <= half;
    }
    if (!inside || i < 2 * SCENE_WALKERS) return;
    for (int k = 0; k < 3; k++) c[k] = scene_random(s) * s->side;
    scene_place_middle(s, i);
}

static void scene_place(scene *s, int i) {
    scene_item *t = &s->item[i];
    int side = (int)s->side;
    for (int k = 0; k < 3; k++) {
        t->half[k] = scene_between(s, 0.5f, 1.5f);
        t->centre[k] = scene_random(s) * s->side;
    }
    switch (s->kind->place) {
    case PLACE_FLAT: t->centre[1] = s->kind->motion == FALL ? t->half[1] + scene_between(s, 0, 20) : t->half[1]; break;
    case PLACE_SIZES: t->half[0] = t->half[1] = t->half[2] = 0.1f * expf(scene_random(s) * logf(100)); break;
    case PLACE_LEVEL: t->centre[1] = t->half[1] = 1; break;
    case PLACE_SPHERE:
        for (int k = 0; k < 3; k++) /* the sum of some even numbers, so that no direction is preferred */
            t->centre[k] = s->side / 8 * (scene_random(s) + scene_random(s) + scene_random(s) + scene_random(s) + 2);
        scene_to_sphere(s, i);
        break;
    case PLACE_STRETCHED: t->half[1] *= (float)s->n; break;
    case PLACE_MIDDLE: scene_place_middle(s, i); break;
    case PLACE_HEAP: /* neighbours overlap a little */
        t->centre[0] = 0.99f * ((float)(i % side) + 0.5f);
        t->centre[1] = 0.99f * ((float)(i / side) + 0.5f);
        t->half[0] = t->half[1] = 0.5f;
        break;
    case PLACE_CROWD:
        for (int k = 0; k < 3; k++) t->half[k] /= 2;
        break;
    case PLACE_SPRITES:
        t->half[2] = 0;
        t->centre[2] = (float)(i % SCENE_LAYERS);
        break;
    case PLACE_QUADS: t->half[i % 3] = 0; break;
    case PLACE_MIXED:
        for (int k = 0; k < 3; k++) t->half[k] = i % 10 ? scene_between(s, 0.1f, 0.5f) : scene_between(s, 5, 15);
        break;
    case PLACE_STREAM: t->centre[0] = s->side * (float)i / (float)s->n; break;
    case PLACE_LATTICE:
        t->centre[0] = (float)(i % side) + 0.5f;
        t->centre[1] = (float)(i / side % side) + 0.5f;
        t->centre[2] = (float)(i / side / side) + 0.5f;
        t->half[0] = t->half[1] = t->half[2] = 0.5f;
        break;
    }
    if (s->kind->axes == 3) t->centre[2] = t->half[2] = 0;
    scene_set_box(s, i);
}

static void scene_free(scene *s) {
    free(s->item);
    free(s->box);
    free(s->is_static);
    free(s->moved);
    free(s->replaced);
    memset(s, 0, sizeof *s);
}

/* 0: out of memory */
static int scene_make(scene *s, const scene_kind *kind, int n) {
    size_t count = (size_t)n + 1;
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->n = n;
    s->random = 2463534242u;
    s->side = scene_side(s);
    s->item = (scene_item *)calloc(count, sizeof *s->item);
    s->box = (sap_aabb *)calloc(count, sizeof *s->box);
    s->is_static = (unsigned char *)calloc(count, 1);
    s->moved = (int *)calloc(count, sizeof *s->moved);
    s->replaced = (int *)calloc(count, sizeof *s->replaced);
    if (!s->item || !s->box || !s->is_static || !s->moved || !s->replaced) {
        scene_free(s);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        scene_place(s, i);
        if (kind->motion == DRIVE || kind->motion == DRIFT || kind->motion == GLIDE || kind->motion == GLIDE_SOME)
            for (int k = 0; k < 3; k++)
                s->item[i].speed[k] =
                    k == 1 && kind->place == PLACE_FLAT ? 0 : scene_between(s, -kind->amount, kind->amount);
        switch (kind->motion) {
        case DRIVE: s->is_static[i] = i >= SCENE_DRIVERS; break;
        case WALK_FEW: s->is_static[i] = i >= SCENE_WALKERS; break;
        case LEVEL: s->is_static[i] = 1; break;
        default: s->is_static[i] = !strcmp(kind->name, "bigworld") && i >= n / 20;
        }
    }
    if (!strcmp(kind->name, "bigworld") && n) { /* the last box is the ground, just below the lowest centres */
        sap_aabb ground = {{-10, -10, -10}, {s->side + 10, 0, s->side + 10}};
        s->box[n - 1] = ground;
    }
    return 1;
}

static void scene_walk(scene *s, int i) {
    float amount = s->kind->amount;
    scene_item *t = &s->item[i];
    for (int k = 0; k < 3; k++)
        if (scene_uses(s, k) && !(k == 1 && s->kind->place == PLACE_LEVEL) &&
            !(k == 2 && s->kind->place == PLACE_SPRITES))
            t->centre[k] = scene_reflect(t->centre[k] + scene_between(s, -amount, amount), s->side);
    if (s->kind->motion == WALK_SPHERE) scene_to_sphere(s, i);
}

/* The centre stays, so the box is at most twice the amount away from where it was. */
static void scene_tremble(scene *s, int i) {
    const float amount = s->kind->amount;
    scene_set_box(s, i);
    for (int k = 0; k < 3; k++) {
        const float by = scene_uses(s, k) ? scene_between(s, -amount, amount) : 0;
        s->box[i].min[k] += by;
        s->box[i].max[k] += by;
    }
}

static void scene_fall(scene *s, int i) {
    float jitter = s->kind->amount;
    scene_item *t = &s->item[i];
    t->speed[1] -= 0.05f; /* the last one lands after 28 frames */
    t->centre[1] += t->speed[1];
    if (t->centre[1] > t->half[1] + jitter) return;
    t->speed[1] = 0;
    t->centre[1] = t->half[1] + scene_between(s, 0, jitter);
    for (int k = 0; k < 3; k += 2)
        t->centre[k] = scene_reflect(t->centre[k] + scene_between(s, -jitter, jitter), s->side);
}

/* A new speed in one frame of sixty. */
static void scene_drift(scene *s, int i) {
    float amount = s->kind->amount;
    scene_item *t = &s->item[i];
    int turn = scene_random(s) < 1 / 60.0f;
    for (int k = 0; k < 3; k++) {
        if (turn) t->speed[k] = scene_between(s, -amount, amount);
        t->centre[k] = scene_reflect(t->centre[k] + t->speed[k], s->side);
    }
}

static void scene_drive(scene *s, int i) {
    scene_item *t = &s->item[i];
    for (int k = 0; k < 3; k++)
        if (scene_uses(s, k)) {
            float x = t->centre[k] + t->speed[k];
            if (x < 0 || x > s->side) t->speed[k] = -t->speed[k];
            t->centre[k] = scene_reflect(x, s->side);
        }
}

static void scene_step_lattice(scene *s, int i) {
    int axis = (int)(scene_random(s) * 3), back = scene_random(s) < 0.5f;
    float *x = &s->item[i].centre[axis], to = *x + (back ? -1.0f : 1.0f);
    *x = to < 0 || to > s->side ? *x + (back ? 1.0f : -1.0f) : to;
}

/* The hindmost hundredth goes to the front. */
static void scene_stream(scene *s) {
    int count = s->n / 100;
    for (int c = 0; c < count; c++) {
        int i = (int)((((long long)s->frame - 1) * count + c) % s->n);
        float x = s->item[i].centre[0];
        scene_place(s, i);
        s->item[i].centre[0] = x + s->side;
        scene_set_box(s, i);
        s->replaced[s->replacements++] = i;
    }
}

/* One in twenty glides, others after fifty frames. */
static int scene_is_resting(const scene *s, int i) {
    return s->kind->motion == GLIDE_SOME && ((long long)i * 7919 + s->frame / 50) % 20 != 0;
}

/* What moved, in an order of its own: the same in each frame. */
static void scene_shuffle(scene *s) {
    uint64_t random = 1;
    for (int i = s->moves - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int other = (int)((random >> 33) % ((uint64_t)i + 1)), moved = s->moved[i];
        s->moved[i] = s->moved[other];
        s->moved[other] = moved;
    }
}

/* One frame: box, moved and replaced are new. */
static void scene_step(scene *s) {
    int first = 0, count = s->n;
    s->moves = s->replacements = 0;
    s->frame++;
    switch (s->kind->motion) {
    case STAND:
    case LEVEL: return;
    case STREAM: scene_stream(s); return;
    case WALK_FEW: count = s->n < SCENE_WALKERS ? s->n : SCENE_WALKERS; break;
    case WALK_SOME: count = s->n / 20; break;
    case DRIVE: count = s->n < SCENE_DRIVERS ? s->n : SCENE_DRIVERS; break;
    case JUMP: /* a run of neighbours in the list, which are none in space: so none jumps twice */
        count = s->n / 100;
        first = (int)(scene_random(s) * (float)(s->n - count));
        break;
    case REPLACE:
        count = s->n / 10;
        first = (int)(scene_random(s) * (float)(s->n - count));
        break;
    }
    for (int i = first; i < first + count; i++) {
        if (scene_is_resting(s, i)) continue;
        switch (s->kind->motion) {
        case FALL: scene_fall(s, i); break;
        case GLIDE:
        case GLIDE_SOME:
        case DRIVE: scene_drive(s, i); break;
        case DRIFT: scene_drift(s, i); break;
        case JUMP:
            for (int k = 0; k < 3; k++)
                if (scene_uses(s, k)) s->item[i].centre[k] = scene_random(s) * s->side;
            break;
        case REPLACE: scene_place(s, i); break;
        case STEP: scene_step_lattice(s, i); break;
        case MIRROR: s->item[i].centre[0] = s->side - s->item[i].centre[0]; break;
        case TREMBLE: break;
        default: scene_walk(s, i);
        }
        if (s->kind->motion == TREMBLE)
            scene_tremble(s, i);
        else
            scene_set_box(s, i);
        if (s->kind->motion == REPLACE)
            s->replaced[s->replacements++] = i;
        else
            s->moved[s->moves++] = i;
    }
    if (s->kind->motion == SHUFFLE) scene_shuffle(s);
}

#endif
