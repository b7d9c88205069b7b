/*
histories.h - what worlds go through, and awkward kinds of boxes; for tests that count and benchmarks that measure

A life is a world beside a plain list of its boxes. A history takes an empty life and leads it, as games do, by
a long road to some boxes; life_again makes a new world of the same boxes, so that the two can be compared: the
same moves, the same queries. An input places n boxes at a density that does not depend on n, so that pairs, and
what it may cost to find them, grow in proportion to the boxes.

Unless it says otherwise a box's half extent is 0.5 to 1.5 on each axis and its place anywhere in a cube, or a
square, in which a box overlaps about two others. All follows from one random sequence: the same on every run.

Include sap.h before it.
*/
#ifndef HISTORIES_H
#define HISTORIES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct life {
    sap_world *world;
    int axes, method; /* of the world */
    int n, capacity;
    sap_aabb *box;
    sap_id *id;
    unsigned char *is_static, *masked; /* masked: in no pair */
    uint64_t random;
    int turn;      /* which share of the boxes moves next */
    int moves;     /* recorded by life_move, handed in together */
    sap_id *mover; /* their ids and boxes */
    sap_aabb *target;
} life;

/* ---- random numbers: splitmix64 ---- */

static inline uint64_t life_random(life *l) {
    uint64_t z = (l->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline float life_between(life *l, float low, float high) {
    return low + (high - low) * ((float)(life_random(l) >> 40) / 16777216.0f);
}

static inline int life_below(life *l, int n) {
    return n > 0 ? (int)(life_random(l) % (uint64_t)n) : 0;
}

/* ---- a life and its verbs ---- */

static inline void life_need(int ok, const char *what) {
    if (ok) return;
    printf("histories: %s failed\n", what);
    exit(2);
}

static inline void life_open(life *l, int axes, int method) {
    sap_config config;
    memset(&config, 0, sizeof config);
    memset(l, 0, sizeof *l);
    config.axes = l->axes = axes;
    config.method = l->method = method;
    l->random = 2463534242u;
    l->world = sap_create(&config);
    life_need(l->world != NULL, "sap_create");
}

static inline void life_close(life *l) {
    sap_destroy(l->world);
    free(l->box);
    free(l->id);
    free(l->is_static);
    free(l->masked);
    free(l->mover);
    free(l->target);
    memset(l, 0, sizeof *l);
}

static inline void life_room(life *l, int n) {
    size_t count;
    if (n <= l->capacity) return;
    while (l->capacity < n) l->capacity = l->capacity ? 2 * l->capacity : 1024;
    count = (size_t)l->capacity;
    l->box = (sap_aabb *)realloc(l->box, count * sizeof *l->box);
    l->id = (sap_id *)realloc(l->id, count * sizeof *l->id);
    l->is_static = (unsigned char *)realloc(l->is_static, count);
    l->masked = (unsigned char *)realloc(l->masked, count);
    l->mover = (sap_id *)realloc(l->mover, count * sizeof *l->mover);
    l->target = (sap_aabb *)realloc(l->target, count * sizeof *l->target);
    life_need(l->box && l->id && l->is_static && l->masked && l->mover && l->target, "realloc");
}

/* A box on the list that is not in the world yet: life_hand_in adds all of those. */
static inline int life_list(life *l, sap_aabb box, int is_static) {
    life_room(l, l->n + 1);
    l->box[l->n] = box;
    l->id[l->n] = 0;
    l->is_static[l->n] = (unsigned char)is_static;
    l->masked[l->n] = 0;
    return l->n++;
}

static inline void life_list_masked(life *l, sap_aabb box) {
    int i = life_list(l, box, 0);
    l->masked[i] = 1;
}

static inline void life_hand_in(life *l) {
    for (int i = 0, end; i < l->n; i = end) {
        sap_result result;
        for (end = i + 1; end < l->n && !l->id[i] == !l->id[end] && l->is_static[i] == l->is_static[end];) end++;
        if (l->id[i]) continue;
        result = l->is_static[i] ? sap_add_static_many(l->world, end - i, l->box + i, NULL, l->id + i)
                                 : sap_add_many(l->world, end - i, l->box + i, NULL, l->id + i);
        life_need(result == SAP_OK, "sap_add_many");
        for (int k = i; k < end; k++)
            if (l->masked[k]) life_need(sap_set_filter(l->world, l->id[k], 0, 0) == SAP_OK, "sap_set_filter");
    }
}

static inline int life_add(life *l, sap_aabb box, int is_static) {
    int i = life_list(l, box, is_static);
    l->id[i] = is_static ? sap_add_static(l->world, &box, NULL) : sap_add(l->world, &box, NULL);
    life_need(l->id[i] != 0, "sap_add");
    return i;
}

static inline void life_mask(life *l, int i, int masked) {
    l->masked[i] = (unsigned char)masked;
    life_need(sap_set_filter(l->world, l->id[i], masked ? 0 : 1, masked ? 0 : ~0u) == SAP_OK, "sap_set_filter");
}

static inline void life_move(life *l, int i, sap_aabb box) {
    l->box[i] = box;
    l->mover[l->moves] = l->id[i];
    l->target[l->moves++] = box;
}

static inline void life_hand_in_moves(life *l) {
    life_need(sap_move_many(l->world, l->moves, l->mover, l->target) == SAP_OK, "sap_move_many");
    l->moves = 0;
}

static inline void life_update(life *l) {
    life_hand_in_moves(l);
    life_need(sap_update(l->world) == SAP_OK, "sap_update");
}

/* The last box takes its place in the list. */
static inline void life_remove(life *l, int i) {
    int last = l->n - 1;
    if (l->moves) life_hand_in_moves(l);
    life_need(sap_remove(l->world, l->id[i]) == SAP_OK, "sap_remove");
    l->box[i] = l->box[last];
    l->id[i] = l->id[last];
    l->is_static[i] = l->is_static[last];
    l->masked[i] = l->masked[last];
    l->n--;
}

static inline void life_shift(life *l, float x, float y, float z) {
    float offset[3];
    offset[0] = x, offset[1] = y, offset[2] = z;
    if (l->moves) life_hand_in_moves(l);
    life_need(sap_shift_origin(l->world, offset) == SAP_OK, "sap_shift_origin");
    for (int i = 0; i < l->n; i++) (void)sap_get_box(l->world, l->id[i], &l->box[i]);
}

/* A new world of the same boxes, in the order of the list, updated once; its random numbers go on as those of l. */
static inline void life_again(life *fresh, const life *l) {
    life_open(fresh, l->axes, l->method);
    fresh->random = l->random;
    fresh->turn = l->turn;
    life_room(fresh, l->n);
    memcpy(fresh->box, l->box, (size_t)l->n * sizeof *l->box);
    memcpy(fresh->is_static, l->is_static, (size_t)l->n);
    memcpy(fresh->masked, l->masked, (size_t)l->n);
    memset(fresh->id, 0, (size_t)l->n * sizeof *l->id);
    fresh->n = l->n;
    life_hand_in(fresh);
    life_update(fresh);
}

/* The pairs as one number that does not depend on ids, but on places in the list. */
static inline uint64_t life_pairs(const life *l, int *count) {
    const sap_pair *pair = sap_pairs(l->world, count);
    uint64_t sum = 0, most = 0, *place;
    for (int i = 0; i < l->n; i++)
        if (SAP_SLOT(l->id[i]) > most) most = SAP_SLOT(l->id[i]);
    place = (uint64_t *)calloc((size_t)most + 1, sizeof *place);
    life_need(place != NULL, "calloc");
    for (int i = 0; i < l->n; i++) place[SAP_SLOT(l->id[i])] = (uint64_t)i;
    for (int i = 0; i < *count; i++) {
        uint64_t a = place[SAP_SLOT(pair[i].id0)], b = place[SAP_SLOT(pair[i].id1)];
        uint64_t x = a < b ? a << 32 | b : b << 32 | a;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        sum += x ^ x >> 31;
    }
    free(place);
    return sum;
}

/* ---- places ---- */

static inline int life_uses(const life *l, int axis) {
    return !l->axes || l->axes >> axis & 1;
}

/* The side of the cube, the square or the line in which n boxes overlap about two others each. */
static inline float life_side(const life *l, int n) {
    int used = life_uses(l, 0) + life_uses(l, 1) + life_uses(l, 2);
    return used == 3 ? cbrtf(32 * (float)n) : used == 2 ? sqrtf(8 * (float)n) : 2 * (float)n;
}

static inline sap_aabb life_box(const life *l, float x, float y, float z, float hx, float hy, float hz) {
    sap_aabb b;
    b.min[0] = x - hx, b.max[0] = x + hx;
    b.min[1] = y - hy, b.max[1] = y + hy;
    b.min[2] = z - hz, b.max[2] = z + hz;
    for (int k = 0; k < 3; k++)
        if (!life_uses(l, k)) b.min[k] = b.max[k] = 0;
    return b;
}

static inline float life_half(life *l) {
    return life_between(l, 0.5f, 1.5f);
}

/* Anywhere in a region of these sides that begins at (x, y, z). */
static inline sap_aabb life_anywhere(life *l, float x, float y, float z, float sx, float sy, float sz) {
    float px = x + life_between(l, 0, sx), py = y + life_between(l, 0, sy), pz = z + life_between(l, 0, sz);
    float hx = life_half(l), hy = life_half(l), hz = life_half(l);
    return life_box(l, px, py, pz, hx, hy, hz);
}

/* The box goes, and another one of its kind comes elsewhere and takes its place in the list. */
static inline void life_replace(life *l, int i) {
    const float side = life_side(l, l->n);
    life_need(sap_remove(l->world, l->id[i]) == SAP_OK, "sap_remove");
    l->box[i] = life_anywhere(l, 0, 0, 0, side, side, side);
    l->id[i] = (l->is_static[i] ? sap_add_static : sap_add)(l->world, &l->box[i], NULL);
    life_need(l->id[i] != 0, "sap_add");
    l->masked[i] = 0;
}

static inline sap_aabb life_moved(const life *l, sap_aabb b, float x, float y, float z) {
    float by[3];
    by[0] = x, by[1] = y, by[2] = z;
    for (int k = 0; k < 3; k++)
        if (life_uses(l, k)) b.min[k] += by[k], b.max[k] += by[k];
    return b;
}

/* The same sizes with the centre elsewhere: factors of the place, not of the size. */
static inline sap_aabb life_scaled(const life *l, sap_aabb b, float x, float y, float z) {
    float by[3];
    by[0] = x, by[1] = y, by[2] = z;
    for (int k = 0; k < 3; k++) {
        float half = (b.max[k] - b.min[k]) / 2, centre = (b.min[k] + half) * by[k];
        if (life_uses(l, k)) b.min[k] = centre - half, b.max[k] = centre + half;
    }
    return b;
}

static inline sap_aabb life_resized(const life *l, sap_aabb b, float by) {
    for (int k = 0; k < 3; k++) {
        float half = (b.max[k] - b.min[k]) / 2, centre = b.min[k] + half;
        if (life_uses(l, k)) b.min[k] = centre - half * by, b.max[k] = centre + half * by;
    }
    return b;
}

/* n boxes anywhere in the usual cube, of which so many per cent are static, and one update. */
static inline float life_fill(life *l, int n, int percent_static) {
    float side = life_side(l, n);
    int statics = (int)((long long)n * percent_static / 100);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), i < statics);
    life_hand_in(l);
    life_update(l);
    return side;
}

/* ---- motion: what lived and new worlds do side by side ---- */

static inline void life_walk(life *l, int i, float amount) {
    float x = life_between(l, -amount, amount), y = life_between(l, -amount, amount);
    life_move(l, i, life_moved(l, l->box[i], x, y, life_between(l, -amount, amount)));
}

/* One in so many of those that are not static walks, another one each time; none in 0: one box alone. */
static inline void life_walk_some(life *l, int one_in, float amount) {
    int turn = l->turn++, movers = 0;
    if (!one_in) {
        for (int i = 0; i < l->n; i++) {
            int at = (int)(((unsigned)i + (unsigned)turn * 7919u) % (unsigned)l->n);
            if (l->is_static[at] || l->masked[at]) continue;
            life_walk(l, at, amount);
            return;
        }
        return;
    }
    for (int i = 0; i < l->n; i++)
        if (!l->is_static[i] && movers++ % one_in == turn % one_in) life_walk(l, i, amount);
}

static inline void life_frames(life *l, int frames, int one_in, float amount) {
    for (int f = 0; f < frames; f++) {
        life_walk_some(l, one_in, amount);
        life_update(l);
    }
}

/* ---- queries ---- */

static inline int life_count_hit(sap_id id, void *object, void *user) {
    (void)id, (void)object;
    ++*(long long *)user;
    return 1;
}

enum { LIFE_BOX, LIFE_RAY, LIFE_NEAREST, LIFE_QUERIES };
static const char *const life_query_names[LIFE_QUERIES] = {"box", "ray", "nearest"};

/* So many queries of a kind, each near some box or from it to another; the sum of what they find. */
static inline double life_ask(life *l, int kind, int count, uint64_t seed) {
    uint64_t random = l->random;
    double sum = 0;
    l->random = seed;
    for (int q = 0; q < count && l->n; q++) {
        sap_aabb at = l->box[life_below(l, l->n)], to = l->box[life_below(l, l->n)];
        float origin[3], way[3], t = 0, x, y, z;
        long long hits = 0;
        x = life_between(l, -3, 3), y = life_between(l, -3, 3), z = life_between(l, -3, 3);
        at = life_moved(l, at, x, y, z);
        for (int k = 0; k < 3; k++) {
            float from = at.min[k] > -1e30f && at.min[k] < 1e30f ? at.min[k] : 0;
            origin[k] = from;
            way[k] = to.min[k] > -1e30f && to.min[k] < 1e30f ? to.min[k] - from : 1;
        }
        switch (kind) {
        case LIFE_BOX:
            (void)sap_query_box(l->world, &at, ~0u, life_count_hit, &hits);
            sum += (double)hits;
            break;
        case LIFE_RAY:
            (void)sap_ray_closest(l->world, origin, way, ~0u, &t);
            sum += (double)t;
            break;
        default:
            (void)sap_nearest(l->world, origin, 1e30f, ~0u, &t);
            sum += (double)t;
            break;
        }
    }
    l->random = random;
    return sum;
}

/* ---- histories ---- */

static inline void history_shift(life *l, int n) {
    float side = life_fill(l, n, 90);
    life_frames(l, 5, 1, 0.2f);
    life_shift(l, 5 * side, -3 * side, 4 * side);
    life_frames(l, 2, 1, 0.2f);
}

static inline void history_shifts(life *l, int n) {
    float side = life_fill(l, n, 80);
    for (int turn = 0; turn < 8; turn++) {
        life_frames(l, 2, 1, 0.2f);
        life_shift(l, side * (float)(turn - 3), side, -side * (float)(turn % 3));
        life_frames(l, 1, 20, 0.2f);
    }
}

static inline void history_floating(life *l, int n) { /* the origin goes with a walker, and half of all are static */
    float side = life_fill(l, n, 50);
    for (int f = 0; f < 60; f++) {
        life_shift(l, side / 20, 0, 0);
        life_frames(l, 1, 20, 0.2f);
    }
}

/* They go to a far cube, 5% a frame, and are in another order there. */
static inline void history_migrate(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < l->n; i += 20) life_move(l, i, life_anywhere(l, 6 * side, -4 * side, 0, side, side, side));
        life_update(l);
    }
}

/* They go to an island, far off, one in so many a frame. */
static inline void life_emigrate(life *l, int n, int frames, float far_off) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < frames; f++) {
        for (int i = f; i < l->n; i += frames) life_move(l, i, life_anywhere(l, far_off, 0, 0, side, side, side));
        life_update(l);
    }
}

static inline void history_emigrate(life *l, int n) {
    life_emigrate(l, n, 22, 1e6f);
}

static inline void history_emigrate_near(life *l, int n) {
    life_emigrate(l, n, 18, 1e4f);
}

/* A tenth go far away, half as far again each time; after that a tenth of those come back a frame, then all. */
static inline void history_strays(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 40; f++) {
        for (int i = f % 2; i < n; i += 20) life_move(l, i, life_scaled(l, l->box[i], 1.5f, 1.5f, 1.5f));
        life_update(l);
    }
    for (int f = 0; f < 20; f++) {
        for (int i = f % 2 + 20 * (f / 2); i < n; i += 200)
            life_move(l, i, life_anywhere(l, 0, 0, 0, side, side, side));
        life_update(l);
    }
    for (int i = 0; i < n; i++)
        if (l->box[i].min[0] > 2 * side || l->box[i].max[0] < -side)
            life_move(l, i, life_anywhere(l, 0, 0, 0, side, side, side));
    life_update(l);
}

/* All fall, each as fast as it likes, and begin again at the top. */
static inline void history_snow(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 150; f++) {
        for (int i = 0; i < n; i++) {
            sap_aabb b = life_moved(l, l->box[i], life_between(l, -0.1f, 0.1f), -life_between(l, 0.2f, 1), 0);
            if (b.max[1] < 0) b = life_anywhere(l, 0, side, 0, side, 1, side);
            life_move(l, i, b);
        }
        life_update(l);
    }
}

/* From a cube to a plane that is far larger, 5% a frame. */
static inline void history_flatten(life *l, int n) {
    float side = life_fill(l, n, 0), wide = sqrtf(8 * (float)n);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < l->n; i += 20) life_move(l, i, life_anywhere(l, 0, 2 * side, 0, wide, 0, wide));
        life_update(l);
    }
}

/* A fifth of the side a frame, in groups of 5%, while others look at the world. */
static inline void history_wander(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 60; f++) {
        for (int i = f % 20; i < l->n; i += 20)
            life_move(l, i, life_moved(l, l->box[i], side, i % 2 ? side / 2 : -side / 2, 0));
        life_update(l);
        (void)life_ask(l, f % LIFE_QUERIES, 10, 7);
    }
}

static inline void history_all_go(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int i = 0; i < l->n; i++) life_move(l, i, life_anywhere(l, -9 * side, 7 * side, side, side, side, side));
    life_update(l);
}

static inline void history_gather(life *l, int n) { /* few at a time go far apart, and all come together at once */
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < l->n; i += 20) life_move(l, i, life_anywhere(l, 0, 0, 0, 8 * side, 8 * side, 8 * side));
        life_update(l);
    }
    for (int i = 0; i < l->n; i++) life_move(l, i, life_anywhere(l, 0, 0, 0, side, side, side));
    life_update(l);
}

static inline void history_statics_go(life *l, int n) { /* static boxes that are moved, 5% a frame */
    float side = life_fill(l, n, 80);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < l->n; i += 20) life_move(l, i, life_anywhere(l, 6 * side, -4 * side, 0, side, side, side));
        life_update(l);
    }
}

/* Towards eight places and back, all of them, in 20 frames each way. */
static inline void history_crowds(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 40; f++) {
        float scale = f < 20 ? 0.95f : 1 / 0.95f;
        for (int i = 0; i < l->n; i++) {
            float x = (float)(i & 1) * side, y = (float)(i >> 1 & 1) * side, z = (float)(i >> 2 & 1) * side;
            sap_aabb b = life_moved(l, l->box[i], -x, -y, -z);
            life_move(l, i, life_moved(l, life_scaled(l, b, scale, scale, scale), x, y, z));
        }
        life_update(l);
    }
}

static inline void history_explosion(life *l, int n) {
    float side = life_side(l, n), pile = 0.4f * side, factor = powf(1 / 0.4f, 1.0f / 30);
    for (int i = 0; i < n; i++)
        (void)life_list(l, life_anywhere(l, -pile / 2, -pile / 2, -pile / 2, pile, pile, pile), 0);
    life_hand_in(l);
    life_frames(l, 3, 1, 0.05f);
    for (int f = 0; f < 30; f++) {
        for (int i = 0; i < l->n; i++) life_move(l, i, life_scaled(l, l->box[i], factor, factor, factor));
        life_update(l);
    }
}

static inline void history_tiles_go(life *l, int n) { /* a level comes elsewhere, half of it a frame */
    const float side = life_fill(l, n, 90);
    for (int f = 0; f < 2; f++) {
        for (int i = f; i < l->n; i += 2)
            if (l->is_static[i]) life_move(l, i, life_anywhere(l, side, 0, 0, side, side, side));
        life_update(l);
    }
}

/* One by one, from nothing; while there are few, with an update each. */
static inline void history_grow(life *l, int n) {
    float side = life_side(l, n);
    for (int i = 0; i < n; i++) {
        (void)life_add(l, life_anywhere(l, 0, 0, 0, side, side, side), i % 4 == 3);
        if (i < 200 || i % (n / 50 + 1) == 0) life_update(l);
    }
    life_update(l);
}

/* New land at one side, 4% a frame: the last boxes are far from the first. */
static inline void history_unroll(life *l, int n) {
    float side = life_side(l, n), slice = side / 5;
    for (int i = 0, f = 0; i < n; f++) {
        for (int end = i + n / 25 + 1; i < n && i < end; i++)
            (void)life_add(l, life_anywhere(l, (float)f * slice, 0, 0, slice, side, side * 0.2f), i % 2);
        life_frames(l, 1, 20, 0.2f);
    }
}

static inline void history_shrink(life *l, int n) { /* from 4n to 0.4n: nine of ten go */
    (void)life_fill(l, 4 * n, 30);
    while (l->n > 4 * n / 10) {
        int leave = l->n - 4 * n / 10;
        for (int i = 0; i < leave && i < n / 5 + 1; i++) life_remove(l, life_below(l, l->n));
        life_update(l);
    }
}

static inline void history_corner(life *l, int n) { /* all go but those in a corner */
    float side = life_fill(l, 4 * n, 30);
    for (int f = 1; f <= 10; f++) {
        float end = side * (1 - 0.05f * (float)f);
        for (int i = l->n; i-- > 0;)
            if (l->box[i].min[0] > end || l->box[i].min[1] > end || l->box[i].min[2] > end) life_remove(l, i);
        life_update(l);
    }
}

/* A window of 40 columns of static tiles, a tenth of the boxes on it walk; it goes on for three times its width. */
static inline void history_stream(life *l, int n) {
    int columns = 40, rows = n / columns;
    for (int c = 0; c < 4 * columns; c++) {
        for (int r = 0; r < rows; r++) {
            float x = (float)c * 2, z = (float)r * 2;
            if (r % 10)
                (void)life_list(l, life_box(l, x, life_between(l, -0.5f, 0.5f), z, 0.9f, 1, 0.9f), 1);
            else
                (void)life_list(l, life_box(l, x, 1.5f, z + 3, 0.8f, 0.8f, 0.8f), 0);
        }
        life_hand_in(l);
        for (int i = l->n; i-- > 0;)
            if (l->box[i].max[0] < (float)(c - columns) * 2) life_remove(l, i);
        life_walk_some(l, 1, 0.2f);
        life_update(l);
    }
}

/* One level is dropped, and another one loaded, elsewhere and of another shape. */
static inline void history_levels(life *l, int n) {
    float side = life_fill(l, n, 90), wide = sqrtf(8 * (float)n);
    life_frames(l, 5, 1, 0.2f);
    while (l->n) life_remove(l, l->n - 1);
    life_update(l);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 10 * side, -side, 0, wide, 0, wide), i % 10 != 0);
    life_hand_in(l);
    life_update(l);
    life_frames(l, 3, 20, 0.2f);
}

static inline void life_long_box(life *l, int n) {
    float side = life_side(l, n);
    int i = life_add(l, life_box(l, side / 2, side / 2, side / 2, 2 * side, 0.5f, 0.5f), 0);
    life_mask(l, i, 1);
    life_frames(l, 5, 100, 0.2f);
}

static inline void history_long_stays(life *l, int n) {
    (void)life_fill(l, n, 0);
    life_long_box(l, n);
}

static inline void history_long_went(life *l, int n) {
    (void)life_fill(l, n, 0);
    life_long_box(l, n);
    life_remove(l, l->n - 1);
    life_frames(l, 3, 100, 0.2f);
}

static inline void history_wanderer(life *l, int n) { /* one box went very far and came back, another one stays there */
    float side = life_fill(l, n, 0);
    sap_aabb home = l->box[0];
    life_move(l, 0, life_moved(l, home, 1e6f * side, 0, 1e5f));
    life_move(l, 1, life_moved(l, l->box[1], 1e6f, 1e6f, 1e6f));
    for (int i = 0; i < l->n; i++)
        if (i > 1) life_walk(l, i, 0.2f);
    life_update(l);
    life_move(l, 0, home);
    life_frames(l, 3, 20, 0.2f);
}

/* So close together for two frames that a box overlaps some hundred others. */
static inline void history_peak(life *l, int n) {
    (void)life_fill(l, n, 0);
    for (int turn = 0; turn < 2; turn++) {
        float scale = turn ? 3.5f : 1 / 3.5f;
        for (int i = 0; i < l->n; i++) life_move(l, i, life_scaled(l, l->box[i], scale, scale, scale));
        life_update(l);
        life_frames(l, 1, 1, 0.01f);
    }
}

static inline void history_teleports(life *l, int n) {
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 60; f++) {
        for (int i = 0; i < n / 20; i++) life_move(l, life_below(l, n), life_anywhere(l, 0, 0, 0, side, side, side));
        life_update(l);
    }
}

static inline void history_storm(life *l, int n) { /* a tenth go and as many come, for 30 frames */
    float side = life_fill(l, n, 20);
    for (int f = 0; f < 30; f++) {
        for (int i = 0; i < n / 10; i++) life_remove(l, life_below(l, l->n));
        for (int i = 0; i < n / 10; i++)
            (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), life_below(l, 5) == 0);
        life_hand_in(l);
        life_update(l);
    }
}

/* A flat world in x and y rolls on until it lies in y and z; 5% a frame if some, else all. */
static inline void life_roll(life *l, int n, int some) {
    float side = sqrtf(8 * (float)n);
    int frames = some ? 60 : 30;
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, 0), 0);
    life_hand_in(l);
    life_update(l);
    for (int f = 0; f < frames; f++) {
        float angle = 1.5707963f / (some ? 3 : 30), c = cosf(angle), s = sinf(angle);
        for (int i = some ? f % 20 : 0; i < n; i += some ? 20 : 1) {
            sap_aabb b = l->box[i];
            float x = (b.min[0] + b.max[0]) / 2, z = (b.min[2] + b.max[2]) / 2;
            life_move(l, i, life_moved(l, b, x * c - z * s - x, 0, x * s + z * c - z));
        }
        life_update(l);
    }
}

static inline void history_roll(life *l, int n) {
    life_roll(l, n, 0);
}

static inline void history_roll_some(life *l, int n) {
    life_roll(l, n, 1);
}

/* A line along x becomes one along y, 5% a frame. */
static inline void history_turn(life *l, int n) {
    float side = 2 * (float)n;
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 0, 0, side, 0, 0), 0);
    life_hand_in(l);
    life_update(l);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < n; i += 20) life_move(l, i, life_anywhere(l, 0, 0, 0, 0, side, 0));
        life_update(l);
    }
}

/* Static tiles, and a tenth that drives over them from one end to the other. */
static inline void history_city(life *l, int n) {
    int columns = (int)sqrtf((float)n);
    float width = (float)columns * 2;
    for (int i = 0; i < n; i++) {
        float x = (float)(i % columns) * 2, z = (float)(i / columns) * 2;
        if (i % 10)
            (void)life_list(l, life_box(l, x, 0, z, 1, 1, 1), 1);
        else
            (void)life_list(l, life_box(l, life_between(l, 0, width / 8), 2, z, 0.8f, 1.1f, 0.8f), 0);
    }
    life_hand_in(l);
    life_update(l);
    for (int f = 0; f < 60; f++) {
        for (int i = 0; i < n; i += 10)
            if (i / 10 % 4 == f % 4) life_move(l, i, life_moved(l, l->box[i], width / 20, 0, 0));
        life_update(l);
    }
}

static inline void history_mountain(life *l, int n) { /* it comes, grows and wanders; at the end it holds some */
    float side = life_fill(l, n, 0);
    int m = life_add(l, life_box(l, side / 2, side / 2, side / 2, 1, 1, 1), 0);
    life_update(l);
    for (int f = 1; f <= 20; f++) {
        float half = side * 0.015f * (float)f;
        life_move(l, m, life_box(l, side / 40 * (float)f, side / 2, side / 2, half, half, half));
        life_frames(l, 1, 20, 0.2f);
    }
}

static inline void history_grown(life *l, int n) { /* ten times as large as when they came */
    float side = life_side(l, n);
    for (int i = 0; i < n; i++)
        (void)life_list(l, life_resized(l, life_anywhere(l, 0, 0, 0, side, side, side), 0.1f), 0);
    life_hand_in(l);
    life_update(l);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < n; i += 20) life_move(l, i, life_resized(l, l->box[i], 10));
        life_update(l);
    }
}

static inline void history_shrunk(life *l, int n) { /* a third as large as when they came */
    float side = life_side(l, n);
    for (int i = 0; i < n; i++) (void)life_list(l, life_resized(l, life_anywhere(l, 0, 0, 0, side, side, side), 3), 0);
    life_hand_in(l);
    life_update(l);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < n; i += 20) life_move(l, i, life_resized(l, l->box[i], 1 / 3.0f));
        life_update(l);
    }
}

static inline void history_conveyor(life *l, int n) { /* what comes to the end of x begins anew */
    float side = life_fill(l, n, 0);
    for (int f = 0; f < 60; f++) {
        for (int i = f % 5; i < n; i += 5) {
            float by = l->box[i].max[0] > side ? -side : side / 12;
            life_move(l, i, life_moved(l, l->box[i], by, 0, 0));
        }
        life_update(l);
    }
}

static inline void history_unmasked(life *l, int n) { /* ghosts in a heap, that become solid elsewhere */
    float side = life_side(l, n), heap = side / 3;
    for (int i = 0; i < n; i++) life_list_masked(l, life_anywhere(l, 0, 0, 0, heap, heap, heap));
    life_hand_in(l);
    life_frames(l, 2, 1, 0.1f);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < n; i += 20) {
            life_move(l, i, life_anywhere(l, 0, 0, 0, side, side, side));
            life_mask(l, i, 0);
        }
        life_update(l);
    }
}

static inline void history_ghosts(life *l, int n) { /* an eighth meets nothing, and goes; others come */
    (void)life_fill(l, n, 90);
    for (int i = 0; i < n; i += 8) life_mask(l, i, 1);
    life_frames(l, 2, 1, 0.2f);
    for (int i = 0; i < n; i += 8) life_replace(l, i);
    life_update(l);
}

static inline void history_sorted(life *l, int n) { /* a row that was laid from left to right, and mirrored since */
    float side = life_side(l, n);
    for (int i = 0; i < n; i++)
        (void)life_list(l, life_anywhere(l, side * (float)i / (float)n, 0, 0, 0, side, side), 0);
    life_hand_in(l);
    life_update(l);
    for (int f = 0; f < 20; f++) {
        for (int i = f; i < n; i += 20) {
            float centre = (l->box[i].min[0] + l->box[i].max[0]) / 2;
            life_move(l, i, life_moved(l, l->box[i], side - 2 * centre, 0, 0));
        }
        life_update(l);
    }
}

static inline void history_crowd(life *l, int n) { /* forty times as many, and more, come; some of all are left */
    (void)life_fill(l, 40 * n + 20000, 10);
    while (l->n > n) life_remove(l, life_below(l, l->n));
    life_update(l);
}

/* Static boxes: next to none is moved, and then all are, again and again. */
static inline void history_wake(life *l, int n) {
    (void)life_fill(l, n, 90);
    for (int f = 0; f < 70; f++) {
        for (int i = 0; i < (f < 40 ? 1 : n); i++) life_walk(l, f < 40 ? life_below(l, n) : i, 1);
        life_update(l);
    }
}

static inline void history_old(life *l, int n) { /* nothing but walking, for 200 frames */
    (void)life_fill(l, n, 20);
    life_frames(l, 200, 20, 2);
}

static inline void history_sleep(life *l, int n) { /* all fall asleep, by and by, and go on elsewhere */
    float side = life_fill(l, n, 0);
    for (int awake = 0; awake < 2; awake++)
        for (int f = 0; f < 20; f++) {
            for (int i = f; i < n; i += 20) {
                l->is_static[i] = (unsigned char)(!awake || i % 8 == 0);
                life_need(sap_set_static(l->world, l->id[i], l->is_static[i]) == SAP_OK, "sap_set_static");
                if (awake) life_move(l, i, life_anywhere(l, -4 * side, 0, 0, side, side, side));
            }
            life_update(l);
        }
}

static inline void history_cleared(life *l, int n) {
    float side = life_fill(l, 2 * n, 30);
    life_need(sap_clear(l->world) == SAP_OK, "sap_clear");
    l->n = 0;
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 3 * side, 0, 0, side, 0, 8 * side), i % 3 == 0);
    life_hand_in(l);
    life_update(l);
}

typedef struct history {
    const char *name;
    int axes;
    void (*lead)(life *l, int n);
    const char *what;
} history;

static const history histories[] = {
    {"shift", 7, history_shift, "the origin is shifted once; nine of ten are static"},
    {"shifts", 7, history_shifts, "the origin is shifted eight times; four of five are static"},
    {"floating", 7, history_floating, "the origin is shifted by a little in each frame"},
    {"migrate", 7, history_migrate, "5% a frame go elsewhere"},
    {"migrate2d", 3, history_migrate, "2D: 5% a frame go elsewhere"},
    {"migrate1d", 1, history_migrate, "1D: 5% a frame go elsewhere"},
    {"emigrate", 7, history_emigrate, "all go to a far island, one in twenty-two a frame"},
    {"emigrate2d", 3, history_emigrate_near, "2D: all go to an island, one in eighteen a frame"},
    {"strays", 7, history_strays, "a tenth go ever farther away, and come back"},
    {"strays2d", 3, history_strays, "2D: a tenth go ever farther away, and come back"},
    {"snow2d", 3, history_snow, "2D: all fall, and begin again at the top"},
    {"flatten", 7, history_flatten, "5% a frame go from a cube to a wide plane"},
    {"wander", 7, history_wander, "5% a frame go on and on, and queries look at them"},
    {"all go", 7, history_all_go, "all go elsewhere in one frame"},
    {"gather", 7, history_gather, "all go far apart, 5% a frame, and come together in one"},
    {"statics go", 7, history_statics_go, "5% a frame go elsewhere, most of them static"},
    {"tiles go", 7, history_tiles_go, "static boxes, nine of ten, go to the place beside, half of them a frame"},
    {"crowds", 7, history_crowds, "all gather in eight places, and part"},
    {"crowds2d", 3, history_crowds, "2D: all gather in four places, and part"},
    {"explosion", 7, history_explosion, "a pile flies apart"},
    {"grow", 7, history_grow, "one box at a time is added"},
    {"unroll", 7, history_unroll, "new land is added at one end"},
    {"shrink", 7, history_shrink, "nine of ten are removed, here and there"},
    {"corner", 7, history_corner, "all but those in a corner are removed"},
    {"crowd", 7, history_crowd, "forty times as many, and more, came and went"},
    {"stream", 7, history_stream, "a window moves over a level"},
    {"levels", 7, history_levels, "a level is dropped and another one loaded"},
    {"long stays", 7, history_long_stays, "one long box came, in no pair"},
    {"long stays1d", 1, history_long_stays, "1D: one long box came, in no pair"},
    {"long went", 7, history_long_went, "one long box came and went"},
    {"long went1d", 1, history_long_went, "1D: one long box came and went"},
    {"wanderer", 7, history_wanderer, "one box went very far and came back, another one stays there"},
    {"peak", 7, history_peak, "some hundred pairs a box, for two frames"},
    {"teleports", 7, history_teleports, "5% jump anywhere, for 60 frames"},
    {"storm", 7, history_storm, "a tenth are replaced, for 30 frames"},
    {"roll", 7, history_roll, "a plane rolls on to another axis"},
    {"roll some", 7, history_roll_some, "the same, 5% a frame"},
    {"turn", 7, history_turn, "a line along x becomes one along y, 5% a frame"},
    {"city", 7, history_city, "a tenth drive from one end of a city of static tiles to the other"},
    {"mountain", 7, history_mountain, "one huge box grows among pebbles, and wanders"},
    {"grown", 7, history_grown, "each box becomes ten times as large"},
    {"shrunk", 7, history_shrunk, "each box becomes a third as large"},
    {"conveyor", 7, history_conveyor, "boxes go along x, and come in again at the other end"},
    {"unmasked", 7, history_unmasked, "a heap of boxes that met nothing become solid elsewhere"},
    {"ghosts", 7, history_ghosts, "an eighth meets nothing for a while; nine of ten are static"},
    {"sorted", 7, history_sorted, "boxes that came in order of x are mirrored, 5% a frame"},
    {"wake", 7, history_wake, "nine of ten are static: one walks, then all do, by up to 1"},
    {"old", 7, history_old, "5% walk by up to 2, for 200 frames"},
    {"sleep", 7, history_sleep, "all become static by and by, and wake up elsewhere"},
    {"cleared", 7, history_cleared, "sap_clear, and half as many boxes in another shape"},
};
enum { HISTORIES = sizeof histories / sizeof *histories };

/* ---- inputs: n boxes at a density that does not depend on n ---- */

static inline void input_uniform(life *l, int n) {
    float side = life_side(l, n);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), 0);
}

static inline void input_negative(life *l, int n) {
    float side = life_side(l, n);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, -3 * side, -2 * side, -side, side, side, side), 0);
}

static inline void input_line(life *l, int n) { /* along y, in 3D */
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 5, 0, 5, 0, 2 * (float)n, 0), 0);
}

static inline void input_plane(life *l, int n) {
    float side = sqrtf(8 * (float)n);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 7, 0, side, 0, side), 0);
}

static inline void input_diagonal(life *l, int n) {
    for (int i = 0; i < n; i++) {
        float at = life_between(l, 0, 2 * (float)n), half = life_half(l);
        (void)life_list(l, life_box(l, at, at, at, half, half, half), 0);
    }
}

static inline void input_tilted(life *l, int n) { /* a plane that stands askew */
    float side = sqrtf(8 * (float)n);
    for (int i = 0; i < n; i++) {
        float x = life_between(l, 0, side), z = life_between(l, 0, side), half = life_half(l);
        (void)life_list(l, life_box(l, x, (x + z) / 2, z, half, half, half), 0);
    }
}

static inline void input_sphere(life *l, int n) {
    float radius = sqrtf(0.8f * (float)n);
    for (int i = 0; i < n; i++) {
        float z = life_between(l, -1, 1), turn = life_between(l, 0, 6.2831853f), r = sqrtf(1 - z * z),
              half = life_half(l);
        float x = radius * r * cosf(turn), y = radius * r * sinf(turn);
        (void)life_list(l, life_box(l, x, y, radius * z, half, half, half), 0);
    }
}

static inline void input_lattice(life *l, int n) { /* equal boxes that touch all their neighbours */
    int flat = !life_uses(l, 2), side = (int)ceilf((flat ? sqrtf((float)n) : cbrtf((float)n)) - 1e-4f);
    for (int i = 0; i < n; i++) {
        int x = i % side, y = i / side % (flat ? n : side), z = i / side / side;
        (void)life_list(l, life_box(l, (float)x, (float)y, (float)z, 0.5f, 0.5f, 0.5f), 0);
    }
}

static inline void input_points(life *l, int n) { /* of no size, some at one place */
    int side = (int)cbrtf((float)n) + 1;
    for (int i = 0; i < n; i++) {
        int x = life_below(l, side), y = life_below(l, side), z = life_below(l, side);
        (void)life_list(l, life_box(l, (float)x, (float)y, (float)z, 0, 0, 0), 0);
    }
}

static inline void life_sticks(life *l, int n, int along, float length, float sx, float sy, float sz) {
    for (int i = 0; i < n; i++) {
        int axis = along < 3 ? along : i % 3;
        sap_aabb b = life_anywhere(l, 0, 0, 0, sx, sy, sz);
        float centre = (b.min[axis] + b.max[axis]) / 2;
        b.min[axis] = centre - length / 2;
        b.max[axis] = centre + length / 2;
        (void)life_list(l, b, 0);
    }
}

static inline void input_sticks_x(life *l, int n) { /* as long as the world is wide */
    float side = sqrtf(8 * (float)n);
    life_sticks(l, n, 0, side, side, side, side);
}

static inline void input_sticks_y(life *l, int n) {
    float side = sqrtf(8 * (float)n);
    life_sticks(l, n, 1, side, side, side, side);
}

static inline void input_sticks_z(life *l, int n) {
    float side = sqrtf(8 * (float)n);
    life_sticks(l, n, 2, side, side, side, side);
}

static inline void input_sticks_mixed(life *l, int n) { /* 40 long, in all directions */
    float side = cbrtf(1600 * (float)n);
    life_sticks(l, n, 3, 40, side, side, side);
}

static inline void input_huge(life *l, int n) { /* one in a hundred is twenty times as large */
    float side = life_side(l, 2 * n);
    for (int i = 0; i < n; i++) {
        sap_aabb b = life_anywhere(l, 0, 0, 0, side, side, side);
        (void)life_list(l, i % 100 ? b : life_resized(l, b, 20), 0);
    }
}

static inline void input_decades(life *l, int n) { /* half extents from 0.01 to 100 */
    float side = cbrtf(216000 * (float)n);
    for (int i = 0; i < n; i++) {
        float half = 0.01f * powf(10, life_between(l, 0, 4));
        sap_aabb b = life_anywhere(l, 0, 0, 0, side, side, side);
        (void)life_list(l, life_box(l, b.min[0], b.min[1], b.min[2], half, half, half), 0);
    }
}

static inline void input_clusters(life *l, int n) { /* a hundred each, where a box overlaps some ten others */
    float side = life_side(l, 20 * n), x = 0, y = 0, z = 0;
    for (int i = 0; i < n; i++) {
        if (i % 100 == 0) x = life_between(l, 0, side), y = life_between(l, 0, side), z = life_between(l, 0, side);
        (void)life_list(l, life_anywhere(l, x, y, z, 8.6f, 8.6f, 8.6f), 0);
    }
}

static inline void input_islands(life *l, int n) { /* four of them, 1e6 apart */
    float side = life_side(l, n / 4);
    for (int i = 0; i < n; i++)
        (void)life_list(l, life_anywhere(l, i & 1 ? 1e6f : 0, i & 2 ? 1e6f : 0, 0, side, side, side), 0);
}

static inline void input_model(life *l, int n) { /* every other box is in a model of the town, a hundredth as large */
    float side = life_side(l, n / 2);
    for (int i = 0; i < n; i++) {
        sap_aabb b = life_anywhere(l, 0, 0, 0, side, side, side);
        if (i % 2)
            for (int k = 0; k < 3; k++) b.min[k] = 5 + b.min[k] / 128, b.max[k] = 5 + b.max[k] / 128;
        (void)life_list(l, b, 0);
    }
}

static inline void input_powers(life *l, int n) { /* places from 1 to 2^30, sizes in proportion, along x */
    for (int i = 0; i < n; i++) {
        float at = powf(2, life_between(l, 0, 30)), half = at * 15 / (float)n;
        (void)life_list(l, life_box(l, at, 0, 0, half, 1, 1), 0);
    }
}

static inline void input_organ_pipe(life *l, int n) { /* 1, 2, .., n/2, .., 2, 1 and one far box, on a line */
    for (int i = 0; i < n - 1; i++) {
        float at = (float)(i < n / 2 ? i : n - 2 - i);
        (void)life_list(l, life_box(l, at, 0, 0, 0.4f, 1, 1), 0);
    }
    (void)life_list(l, life_box(l, 1e9f, 0, 0, 0.4f, 1, 1), 0);
}

static inline void input_far_box(life *l, int n) {
    input_uniform(l, n - 1);
    (void)life_list(l, life_box(l, 1e30f, -1e30f, 1e30f, 1, 1, 1), 0);
}

static inline void input_sorted(life *l, int n) {
    float side = life_side(l, n);
    for (int i = 0; i < n; i++)
        (void)life_list(l, life_anywhere(l, side * (float)i / (float)n, 0, 0, 0, side, side), 0);
}

static inline void input_reversed(life *l, int n) {
    float side = life_side(l, n);
    for (int i = 0; i < n; i++)
        (void)life_list(l, life_anywhere(l, side * (float)(n - i) / (float)n, 0, 0, 0, side, side), 0);
}

static inline void input_long_masked(life *l, int n) { /* one box from end to end, in no pair */
    float side = life_side(l, n);
    input_uniform(l, n - 1);
    life_list_masked(l, life_box(l, side / 2, side / 2, side / 2, 2 * side, 0.5f, 0.5f));
}

static inline void input_static_crowd(life *l, int n) { /* one in a hundred moves */
    float side = life_side(l, n);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), i % 100 != 0);
}

static inline void input_equal_starts(life *l, int n) { /* all begin at x = 0 */
    float side = sqrtf(8 * (float)n);
    for (int i = 0; i < n; i++) {
        sap_aabb b = life_anywhere(l, 0, 0, 0, 0, side, side);
        b.min[0] = 0;
        (void)life_list(l, b, 0);
    }
}

static inline void input_masked_piles(life *l, int n) { /* of 32 boxes, that all overlap and are in no pair */
    float side = life_side(l, n), x = 0, y = 0, z = 0;
    for (int i = 0; i < n; i++) {
        if (i % 32 == 0) x = life_between(l, 0, side), y = life_between(l, 0, side), z = life_between(l, 0, side);
        if (i % 4)
            life_list_masked(l, life_anywhere(l, x, y, z, 0.2f, 0.2f, 0.2f));
        else
            (void)life_list(l, life_anywhere(l, x, y, z, 0.2f, 0.2f, 0.2f), 0);
    }
}

static inline void input_planes(life *l,
                                int n) { /* six without end, one on each side of the world, and one through it */
    const uint32_t bits = 0x7f800000u;
    float side = life_side(l, n), end;
    memcpy(&end, &bits, sizeof end);
    input_uniform(l, n - 7);
    for (int i = 0; i < 7; i++) {
        sap_aabb b = life_box(l, side / 2, side / 2, side / 2, 1, 1, 1);
        for (int k = 0; k < 3; k++) b.min[k] = -end, b.max[k] = end;
        if (i % 2)
            b.min[i / 2 % 3] = side - 1;
        else
            b.max[i / 2 % 3] = 1;
        if (i == 6) b.min[1] = side / 2, b.max[1] = side / 2;
        (void)life_list(l, b, 1);
    }
}

static inline void input_tower(life *l, int n) { /* storeys: few values on y, each a full plane */
    float side = sqrtf(8 * (float)n / 10);
    for (int i = 0; i < n; i++) (void)life_list(l, life_anywhere(l, 0, 10 * (float)(i % 10), 0, side, 0, side), 0);
}

static inline void input_walls(life *l, int n) { /* plates as wide and high as the world, in rows along x */
    for (int i = 0; i < n; i++) {
        sap_aabb b = life_anywhere(l, 0, 0, 0, 2 * (float)n, 0, 0);
        b.min[1] = b.min[2] = 0;
        b.max[1] = b.max[2] = 2 * (float)n;
        (void)life_list(l, b, 0);
    }
}

typedef struct input {
    const char *name;
    int axes;
    void (*place)(life *l, int n);
    const char *what;
} input;

static const input inputs[] = {
    {"uniform", 7, input_uniform, "anywhere in a cube"},
    {"uniform2d", 3, input_uniform, "2D: anywhere in a square"},
    {"uniform1d", 1, input_uniform, "1D: anywhere on a line"},
    {"negative", 7, input_negative, "coordinates below 0"},
    {"line", 7, input_line, "a line along y in 3D"},
    {"plane", 7, input_plane, "a plane in 3D"},
    {"diagonal", 7, input_diagonal, "a line that is parallel to no axis"},
    {"tilted", 7, input_tilted, "a plane that is parallel to no axis"},
    {"sphere", 7, input_sphere, "the surface of a sphere"},
    {"lattice", 7, input_lattice, "unit boxes side by side"},
    {"lattice2d", 3, input_lattice, "2D: the same"},
    {"points", 7, input_points, "boxes of no size, some at one place"},
    {"sticks x", 7, input_sticks_x, "as long as the world, along x"},
    {"sticks y", 7, input_sticks_y, "along y"},
    {"sticks z", 7, input_sticks_z, "along z"},
    {"sticks", 7, input_sticks_mixed, "40 long, along all axes"},
    {"huge", 7, input_huge, "one in a hundred is twenty times as large"},
    {"decades", 7, input_decades, "half extents from 0.01 to 100"},
    {"clusters", 7, input_clusters, "a hundred each"},
    {"islands", 7, input_islands, "four, 1e6 apart"},
    {"model", 7, input_model, "every other box in a model, a 128th as large"},
    {"powers", 7, input_powers, "places and sizes from 1 to 2^30"},
    {"organ pipe", 7, input_organ_pipe, "1, 2, .., n/2, .., 2, 1 and one far box"},
    {"organ pipe1d", 1, input_organ_pipe, "1D: the same"},
    {"far box", 7, input_far_box, "one box 1e30 away"},
    {"sorted", 7, input_sorted, "handed in by x"},
    {"reversed", 7, input_reversed, "handed in by -x"},
    {"long masked", 7, input_long_masked, "one box from end to end, in no pair"},
    {"long masked2d", 3, input_long_masked, "2D: the same"},
    {"long masked1d", 1, input_long_masked, "1D: the same"},
    {"static crowd", 7, input_static_crowd, "one in a hundred moves"},
    {"equal starts", 7, input_equal_starts, "all begin at x = 0"},
    {"masked piles", 7, input_masked_piles, "32 each that overlap, most in no pair"},
    {"planes", 7, input_planes, "seven planes without end among boxes"},
    {"tower", 7, input_tower, "ten planes, one above the other"},
    {"walls", 7, input_walls, "plates as wide and high as the world"},
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

#endif
