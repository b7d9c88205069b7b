/* test_slide.c - sap_slide: against brute force in whole numbers, on all kernels; and what it promises of floats: nothing is
   entered, sizes stay, seams stop nobody.

   Arguments: rounds, steps of each hero. */

#include <math.h>

#include "ways.h"

/* ---- brute force, in whole numbers ------------------------------------------------------------------------ */

/* Coordinates are multiples of 1/8, so no result is rounded. A time is a fraction. Whatever is touched changes at one of a
   few times: at each of them the boxes are sought that would be entered right after it. A hair stands for one float: it is
   less than the distance of any two sides. */
enum { MOST = 40, HAIR = 1, WHOLE = 128, EIGHTHS = 8, UNIT = WHOLE / EIGHTHS };

typedef struct whole_box {
    int lo[3], hi[3];
} whole_box;

typedef struct fraction {
    long long over, under; /* under > 0 */
} fraction;

typedef struct mover {
    whole_box start, box; /* box: on axes that are stopped where it stopped */
    int way[3];           /* 0 on axes that are stopped */
} mover;

static whole_box walls[MOST];
static int wall_count, inside_at_start[MOST];

static int before(fraction a, fraction b) {
    return a.over * b.under < b.over * a.under;
}

static int both_flat(const mover *m, const whole_box *w, int k) {
    return m->box.lo[k] == m->box.hi[k] && w->lo[k] == w->hi[k];
}

/* How the intervals of mover and wall lie on an axis at a time: 1 they overlap, 0 they touch, -1 apart. A wall without size
   is touched by a mover without size that passes it. */
static int meets_on(const mover *m, const whole_box *w, int k, fraction t) {
    const long long lo = m->box.lo[k] * t.under + m->way[k] * t.over, hi = m->box.hi[k] * t.under + m->way[k] * t.over;
    const long long from = w->lo[k] * t.under, to = w->hi[k] * t.under;
    if (lo == from && hi == to) return lo < hi || m->way[k] == 0 || t.over == 0;
    if (lo < to && from < hi) return 1;
    return lo <= to && from <= hi ? 0 : -1;
}

static int is_inside(const mover *m, const whole_box *w, fraction t) {
    return meets_on(m, w, 0, t) > 0 && meets_on(m, w, 1, t) > 0 && meets_on(m, w, 2, t) > 0;
}

/* Whether it is inside soon after t, if it was not at t. What passes a wall without size is in it at t alone. */
static int enters(const mover *m, const whole_box *w, fraction t, fraction soon) {
    for (int k = 0; k < 3; k++)
        if (meets_on(m, w, k, soon) <= 0 && !(m->way[k] && both_flat(m, w, k) && meets_on(m, w, k, t) == 0)) return 0;
    return !is_inside(m, w, t);
}

/* The first time after t at which a side of the mover is at a side of a wall, or a later one. */
static fraction next_time(const mover *m, fraction t) {
    fraction next = {t.over + t.under, t.under};
    for (int i = 0; i < wall_count; i++)
        for (int k = 0; k < 3; k++)
            for (int side = 0; m->way[k] && side < 4; side++) {
                const int gap = (side & 1 ? walls[i].lo[k] : walls[i].hi[k]) - (side & 2 ? m->box.lo[k] : m->box.hi[k]);
                const fraction f = {m->way[k] < 0 ? -gap : gap, m->way[k] < 0 ? -m->way[k] : m->way[k]};
                if (before(t, f) && before(f, next)) next = f;
            }
    return next;
}

/* The axis on which wall i, in which the mover was at the start, stops it: the one of least depth, or -1. */
static int shallow_axis(const mover *m, const whole_box *w, int axes) {
    int least = 1 << 30, axis = -1, side = 0;
    for (int k = 0; k < 3; k++) {
        const int down = m->start.hi[k] - w->lo[k], up = w->hi[k] - m->start.lo[k];
        if (!(axes >> k & 1)) continue;
        if (down < least) least = down, axis = k, side = -1;
        if (up < least) least = up, axis = k, side = 1;
    }
    return side * m->way[axis] < 0 ? axis : -1;
}

/* The wall that stops the mover at t: 0 none, else its id; sides before edges, and edges before vertices. */
static int find_wall(const mover *m, fraction t, int is_end, int axes, uint64_t skipped, int *axis) {
    const fraction next = next_time(m, t), soon = {t.over * next.under + next.over * t.under, 2 * t.under * next.under};
    int best = 0;
    for (int corner = 0; corner < 3 && !best; corner++)
        for (int k = 0; k < 3 && !best; k++)
            for (int i = 0; i < wall_count && !best; i++) {
                int lowest = -1, touching = 0;
                if ((skipped >> i & 1) || !m->way[k]) continue;
                if (inside_at_start[i]) {
                    if (!corner && t.over == 0 && shallow_axis(m, &walls[i], axes) == k) best = i + 1;
                    continue;
                }
                if (!enters(m, &walls[i], t, soon)) continue;
                for (int a = 2; a >= 0; a--)
                    if (meets_on(m, &walls[i], a, t) == 0) lowest = a, touching++;
                if (lowest != k || touching != corner + 1 || (corner && is_end)) continue;
                best = i + 1;
            }
    for (int k = 0; k < 3 && best; k++) { /* which axis: as above */
        if (inside_at_start[best - 1]) {
            *axis = shallow_axis(m, &walls[best - 1], axes);
            break;
        }
        if (meets_on(m, &walls[best - 1], k, t) == 0) {
            *axis = k;
            break;
        }
    }
    return best;
}

/* Where the mover ends, if the walls of these bits are not there; stopped_by as sap_slide says. */
static int slide_by_force(mover *m, int axes, uint64_t skipped, sap_id stopped_by[3]) {
    fraction t = {0, 1};
    const fraction end = {1, 1};
    int n = 0;
    for (int i = 0; i < wall_count; i++) inside_at_start[i] = is_inside(m, &walls[i], t);
    memset(stopped_by, 0, 3 * sizeof *stopped_by);
    while (!before(end, t)) {
        int axis = 0;
        const int wall = find_wall(m, t, !before(t, end), axes, skipped, &axis);
        if (!wall) {
            t = next_time(m, t);
            continue;
        }
        const int size = m->box.hi[axis] - m->box.lo[axis], up = m->way[axis] > 0;
        if (!inside_at_start[wall - 1] || both_flat(m, &walls[wall - 1], axis)) {
            const int hair = size == 0 ? HAIR : 0;
            m->box.lo[axis] = up ? walls[wall - 1].lo[axis] - size - hair : walls[wall - 1].hi[axis] + hair;
            m->box.hi[axis] = m->box.lo[axis] + size;
        }
        m->way[axis] = 0;
        stopped_by[axis] = (sap_id)wall;
        n++;
    }
    for (int k = 0; k < 3; k++) m->box.lo[k] += m->way[k], m->box.hi[k] += m->way[k];
    return n;
}

/* The float of a coordinate, or that which is a hair before or behind it. */
static float float_of(int at) {
    const int hair = (at % UNIT + UNIT + 1) % UNIT - 1;
    const int32_t key = test_key((float)(at - hair) / WHOLE) + hair;
    return test_float(key < 0 ? 0x80000000u | (uint32_t)-key : (uint32_t)key);
}

static sap_aabb box_of(const whole_box *w) {
    sap_aabb box;
    for (int k = 0; k < 3; k++) {
        box.min[k] = float_of(w->lo[k]);
        box.max[k] = float_of(w->hi[k]);
    }
    return box;
}

/* Walls of a kind: tiles side by side, boxes on a coarse lattice that touch and cover each other, flat ones, any. */
static void build_walls(test_rng *dice, int kind, int axes) {
    wall_count = 1 + test_below(dice, MOST);
    for (int i = 0; i < wall_count; i++)
        for (int k = 0; k < 3; k++) {
            const int step = kind == 0 ? EIGHTHS : kind == 1 ? 4 : 1;
            const int size = kind == 0 ? 1 : test_below(dice, kind == 2 ? 2 : 4);
            walls[i].lo[k] = axes >> k & 1 ? UNIT * step * (test_below(dice, 64 / step) - 32 / step) : 0;
            walls[i].hi[k] = axes >> k & 1 ? walls[i].lo[k] + UNIT * step * size : 0;
        }
}

/* A wall's object is its number in `walls`, from 1; user has the bits of those that are passed over. */
static int is_solid(sap_id id, void *object, void *user) {
    CHECK(id == (sap_id)(uintptr_t)object);
    return !(*(const uint64_t *)user >> (id - 1) & 1);
}

static void test_by_force(int seed) {
    test_rng dice = {(uint64_t)seed * 77 + 5};
    const int axes = seed % 3 == 0 ? 7 : seed % 3 == 1 ? SAP_2D : 1 + test_below(&dice, 7), kind = seed / 3 % 4;
    sap_config config;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    for (int world = 0; world < 12; world++) {
        sap_world *worlds[WAYS];
        int count = 0;
        build_walls(&dice, kind, axes);
        for (size_t w = 0; w < WAYS; w++) {
            sap_world *s = open_way(&config, &ways[w]);
            for (int i = 0; s && i < wall_count; i++) {
                const sap_aabb box = box_of(&walls[i]);
                if (sap_add(s, &box, (void *)(uintptr_t)(i + 1)) != (sap_id)i + 1) exit(2);
            }
            if (s && w % 2) (void)sap_update(s);
            if (s) worlds[count++] = s;
        }
        for (int step = 0; step < 60; step++) {
            mover m;
            sap_aabb from;
            float by[3];
            sap_id expected[3], seen[3];
            const sap_id ignored = test_chance(&dice, 20) ? 1 + (sap_id)test_below(&dice, wall_count) : 0;
            const int asks = test_chance(&dice, 50);
            const uint64_t one = ignored ? UINT64_C(1) << (ignored - 1) : 0;
            uint64_t skipped = asks ? test_random(&dice) & test_random(&dice) : one;
            const int is_diagonal = test_chance(&dice, 30), is_point = test_chance(&dice, 20);
            for (int k = 0; k < 3; k++) {
                const int used = axes >> k & 1, coarse = UNIT * (test_chance(&dice, 60) || is_diagonal ? 4 : 1);
                const int cells = 80 * UNIT / coarse, size = test_below(&dice, 3) + !is_point;
                m.start.lo[k] = used ? coarse * (test_below(&dice, cells) - cells / 2) : 0;
                m.start.hi[k] = used ? m.start.lo[k] + coarse * (is_point && size < 2 ? 0 : size) : 0;
                m.way[k] = !used || test_chance(&dice, 20) ? 0 : coarse * (test_below(&dice, cells) - cells / 2);
                if (is_diagonal && k && used && (axes & 1)) m.way[k] = test_chance(&dice, 50) ? m.way[0] : -m.way[0];
                by[k] = used ? (float)m.way[k] / WHOLE : TEST_NAN;
            }
            m.box = m.start;
            from = box_of(&m.start);
            for (int k = 0; k < 3; k++)
                if (!(axes >> k & 1)) from.min[k] = TEST_NAN, from.max[k] = -7;
            const int n = slide_by_force(&m, axes, skipped, expected);
            const sap_aabb to = box_of(&m.box);
            for (int w = 0; w < count; w++) {
                sap_aabb box = from;
                const int got = asks ? sap_slide_if(worlds[w], &box, by, ~0u, is_solid, &skipped, seen)
                                     : sap_slide(worlds[w], &box, by, ~0u, ignored, seen);
                int same = got == n && !memcmp(seen, expected, sizeof seen);
                for (int k = 0; k < 3; k++)
                    same &= axes >> k & 1 ? test_key(box.min[k]) == test_key(to.min[k]) &&
                                                test_key(box.max[k]) == test_key(to.max[k])
                                          : test_is_nan(box.min[k]) && test_key(box.max[k]) == test_key(-7);
                if (!CHECK_MESSAGE(same,
                                   "seed %d, world %d, step %d, way %d: %d axes by %u %u %u to %g %g %g, expected %d "
                                   "by %u %u %u to %g %g %g",
                                   seed, world, step, w, got, seen[0], seen[1], seen[2], (double)box.min[0],
                                   (double)box.min[1], (double)box.min[2], n, expected[0], expected[1], expected[2],
                                   (double)to.min[0], (double)to.min[1], (double)to.min[2]))
                    break;
                box = from;
                CHECK_EQUAL(sap_slide(worlds[w], &box, by, 2, ignored, NULL), 0); /* no box has this category */
                if (skipped) continue;
                box = from;
                CHECK_EQUAL(sap_slide_if(worlds[w], &box, by, ~0u, NULL, NULL, seen), n);
                CHECK(!memcmp(seen, expected, sizeof seen));
            }
        }
        for (int w = 0; w < count; w++) sap_destroy(worlds[w]);
    }
}

/* ---- heroes who walk, in floats ------------------------------------------------------------------------------- */

enum { MOST_WALLS = 400, WINDOW = 500 };

typedef struct place {
    sap_world *world;
    sap_aabb walls[MOST_WALLS], box;
    double size[2];   /* of the box at the start */
    float most_bound; /* the largest bound that the box has had */
    float origin;     /* of all coordinates */
    int count;
} place;

static place here;

/* A unit in the last place. */
static double unit_of(float f) {
    const float size = fabsf(f);
    return (double)test_float(test_bits(size) + 1) - (double)size;
}

static void add_wall(float x, float y, float width, float height) {
    sap_aabb wall = {{0, 0, 0}, {0, 0, 0}};
    if (here.count == MOST_WALLS) return;
    wall.min[0] = here.origin + x;
    wall.min[1] = here.origin + y;
    wall.max[0] = here.origin + (x + width);
    wall.max[1] = here.origin + (y + height);
    if (!sap_add_static(here.world, &wall, NULL)) exit(2);
    here.walls[here.count++] = wall;
}

/* A room of 30 by 30 with rows of tiles for walls. */
static void add_room(void) {
    for (int i = -1; i <= 30; i++) {
        add_wall((float)i, -1, 1, 1);
        add_wall((float)i, 30, 1, 1);
        add_wall(-1, (float)i, 1, 1);
        add_wall(30, (float)i, 1, 1);
    }
}

static void open_place(float origin) {
    const sap_config flat = {.axes = SAP_2D};
    memset(&here, 0, sizeof here);
    here.origin = origin;
    here.world = sap_create(&flat);
}

static void set_hero(float x, float y, float width, float height) {
    here.box.min[0] = here.origin + x;
    here.box.min[1] = here.origin + y;
    here.box.max[0] = here.origin + (x + width);
    here.box.max[1] = here.origin + (y + height);
    here.most_bound = 0;
    for (int k = 0; k < 2; k++) here.size[k] = (double)here.box.max[k] - (double)here.box.min[k];
}

/* How deep a box is in a wall, in units of the largest of all these bounds. */
static double depth_in(const sap_aabb *box, const sap_aabb *wall) {
    double least = 1e30, unit = 0;
    for (int k = 0; k < 2; k++) {
        const float bounds[4] = {box->min[k], box->max[k], wall->min[k], wall->max[k]};
        least = fmin(least, (double)box->max[k] - (double)wall->min[k]);
        least = fmin(least, (double)wall->max[k] - (double)box->min[k]);
        for (int i = 0; i < 4; i++)
            if (unit_of(bounds[i]) > unit) unit = unit_of(bounds[i]); /* fmax here stops gcc 12 for aarch64 */
    }
    return least / unit;
}

/* Slides the hero, and checks what is promised. Returns on how many axes it was stopped. */
static int step_hero(const float by[3], sap_id stopped_by[3]) {
    const sap_aabb from = here.box;
    const int n = sap_slide(here.world, &here.box, by, ~0u, 0, stopped_by);
    sap_id ids[32];
    const int hits = sap_query_box_ids(here.world, &here.box, ~0u, ids, 32);
    for (int i = 0; i < hits && i < 32; i++) {
        const sap_aabb *wall = &here.walls[ids[i] - 1];
        if (depth_in(&from, wall) > 0) continue;
        const double depth = depth_in(&here.box, wall);
        CHECK_MESSAGE(depth <= 4, "origin %g: %g units deep in a wall", (double)here.origin, depth);
    }
    for (int k = 0; k < 2; k++) {
        here.most_bound = fmaxf(here.most_bound, fmaxf(fabsf(here.box.min[k]), fabsf(here.box.max[k])));
        const double size = (double)here.box.max[k] - (double)here.box.min[k];
        if (by[k] >= 0) CHECK(here.box.min[k] >= from.min[k] && here.box.max[k] >= from.max[k]); /* nothing goes back */
        if (by[k] <= 0) CHECK(here.box.min[k] <= from.min[k] && here.box.max[k] <= from.max[k]);
        CHECK_MESSAGE(fabs(size - here.size[k]) <= unit_of(here.most_bound), "origin %g: the size was %.9g and is %.9g",
                      (double)here.origin, here.size[k], size);
    }
    return n;
}

/* In no window of steps does a hero that wants to go anywhere stay where it is. */
static void walk(int seed, int steps) {
    static const float origins[] = {0, 0, -1000, 1e4f, 1e5f};
    test_rng dice = {(uint64_t)seed * 7919 + 1};
    float low[2], high[2], by[3] = {0, 0, 0};
    int left = 0, stranded = 0;
    open_place(origins[seed / 6 % 5]);
    add_room();
    for (int i = 0; i < 200; i++) switch (seed % 6) {
        case 0: /* walls anywhere, across each other */
            if (i < 40)
                add_wall(test_uniform(&dice, 0, 28), test_uniform(&dice, 0, 28), test_uniform(&dice, 0, 3),
                         test_uniform(&dice, 0, 3));
            break;
        case 1: /* a lattice with a little more room than it takes */
            if (i < 144) add_wall(2 + 2.125f * (float)(i / 12), 2 + 2.125f * (float)(i % 12), 1, 1);
            break;
        case 2: /* stairs, and corners of all kinds */
            if (i < 14) add_wall((float)i, 29 - (float)i, 1, 1), add_wall((float)(16 + i), 2 + (float)i, 1, 1);
            break;
        case 3: /* tiles on whole numbers, many side by side */
            add_wall((float)test_below(&dice, 30), (float)test_below(&dice, 30), 1, 1);
            break;
        case 4: /* tiles of an odd size */
            add_wall(0.7f * (float)test_below(&dice, 40), 0.7f * (float)test_below(&dice, 40), 0.7f, 0.7f);
            break;
        default: /* lines without any width */
            if (i < 30)
                add_wall((float)test_below(&dice, 30), (float)test_below(&dice, 30),
                         i & 1 ? (float)test_below(&dice, 6) : 0, i & 1 ? 0 : (float)test_below(&dice, 6));
        }
    do {
        const float x = test_uniform(&dice, 0.05f, 28.9f), y = test_uniform(&dice, 0.05f, 28.9f);
        set_hero(x, y, seed & 1 ? 1 : 0.8f, 1);
    } while (sap_query_box(here.world, &here.box, ~0u, NULL, NULL) > 0);
    for (int i = 0; i < steps; i++) {
        if (left-- == 0) {
            const float length = test_chance(&dice, 10) ? 3.0f : test_chance(&dice, 20) ? 1e-3f : 0.25f;
            left = 1 + test_below(&dice, 40);
            for (int k = 0; k < 2; k++)
                by[k] = test_chance(&dice, 60) ? test_uniform(&dice, -length, length)
                                               : length * (float)(test_below(&dice, 3) - 1);
        }
        (void)step_hero(by, NULL);
        for (int k = 0; k < 2; k++) {
            if (i % WINDOW == 0) low[k] = high[k] = here.box.min[k];
            low[k] = fminf(low[k], here.box.min[k]);
            high[k] = fmaxf(high[k], here.box.min[k]);
            CHECK(here.box.min[k] >= here.origin && here.box.max[k] <= here.origin + 30);
        }
        if (i % WINDOW == WINDOW - 1) stranded += high[0] - low[0] < 0.05f && high[1] - low[1] < 0.05f;
    }
    CHECK_MESSAGE(stranded == 0, "seed %d: stranded in %d windows of %d", seed, stranded, steps / WINDOW);
    sap_destroy(here.world);
}

/* A hero walks and jumps over a row of tiles for 300 steps, along each side of the row, with all sorts of numbers: nothing
   stops it on its way, and the row carries it. */
static void test_seams(void) {
    static const float origins[] = {0, -1000, 1e4f, 0.1f}, sides[] = {0, 0.1f, -0.3f, 7.7f}, sizes[] = {1, 0.8f, 0.3f};
    for (int i = 0; i < 4 * 4 * 3 * 8; i++) {
        const float side = sides[i / 4 % 4], size = sizes[i / 16 % 3];
        const int along = i / 48 % 2, up = i / 96 % 2 ? 1 : -1, ahead = i / 192 % 2 ? 1 : -1, across = 1 - along;
        const float tile = i % 3 ? 1 : 0.7f;
        float fall = 0;
        int carried = 0;
        open_place(origins[i % 4]);
        for (int k = -60; k < 60; k++) {
            const float at = tile * (float)k, low = up > 0 ? side - 1 : side;
            add_wall(along ? low : at, along ? at : low, along ? 1 : tile, along ? tile : 1);
        }
        const float beside = side + (up > 0 ? 0.01f : -0.01f - size);
        set_hero(along ? beside : -size, along ? -size : beside, size, size);
        for (int step = 0; step < 300; step++) {
            float by[3] = {0, 0, 0};
            sap_id stopped_by[3];
            const float was = here.box.min[along];
            by[along] = 0.1f * (float)ahead;
            fall = step % 100 == 50 ? 0.15f : fall - 0.01f;
            by[across] = (i % 7 == 3 && fall < 0 ? -1e19f : fall) * (float)up; /* some fall as far as they can */
            (void)step_hero(by, stopped_by);
            CHECK_MESSAGE(!stopped_by[along], "run %d, step %d: stopped by a seam", i, step);
            CHECK((here.box.min[along] - was) * (float)ahead > 0.098f);
            if (stopped_by[across]) fall = 0, carried++;
        }
        CHECK_MESSAGE(carried > 180, "run %d: carried %d times", i, carried);
        sap_destroy(here.world);
    }
}

/* Small steps to and fro between two places of other sizes of units, in a shaft, and pressed into a corner: sizes do not
   drift. */
static void test_drift(void) {
    test_rng dice = {9};
    open_place(0);
    for (int i = 0; i < 90; i++) add_wall((float)i, -1, 1, 1.1f), add_wall((float)i, 3.3f, 1, 1);
    add_wall(-1, -1, 1.01f, 6);
    add_wall(90, -1, 1, 6);
    set_hero(0.2f, 0.3f, 0.77f, 0.93f);
    for (int i = 0; i < 20000; i++) {
        float by[3] = {0, 0, 0};
        by[0] = i / 500 % 2 ? -0.4f : 0.4f;
        by[0] *= test_uniform(&dice, 0.5f, 1);
        by[1] = test_uniform(&dice, -1, 1);
        (void)step_hero(by, NULL);
    }
    sap_destroy(here.world);
}

/* Steps of any length from anywhere, which is no multiple of anything. */
static void test_single_steps(void) {
    test_rng dice = {77};
    open_place(0);
    for (int i = 0; i < 100; i++)
        add_wall(test_uniform(&dice, -20, 20), test_uniform(&dice, -20, 20), test_uniform(&dice, 0, 3),
                 test_uniform(&dice, 0, 3));
    for (int i = 0; i < 30000; i++) {
        float by[3] = {0, 0, 0};
        const float x = test_uniform(&dice, -20, 20), y = test_uniform(&dice, -20, 20);
        set_hero(i % 5 ? x : x * 1e-6f, y, test_uniform(&dice, 0, i % 3 ? 1.0f : 17.0f), test_uniform(&dice, 0, 1));
        for (int k = 0; k < 2; k++) {
            static const float lengths[] = {20, 1, 1e-3f, 1e-6f, 1e-7f, 1e-8f, 1e-12f, 1e-30f};
            by[k] = test_uniform(&dice, -1, 1) * lengths[test_below(&dice, 8)];
        }
        (void)step_hero(by, NULL);
    }
    sap_destroy(here.world);
}

/* A way that ends less than half a unit before a wall of tiles is not rounded into it: the hero then slides along. */
static void test_ends_beside_walls(void) {
    test_rng dice = {78};
    for (int i = 0; i < 400; i++) {
        const float side = test_uniform(&dice, 0.01f, 0.4f), unit = (float)unit_of(1.0f) * test_uniform(&dice, 0, 0.5f);
        const float along[3] = {0, 0.3f, 0};
        float by[3] = {0, i & 2 ? 0 : 0.1f, 0};
        sap_id stopped_by[3];
        open_place(0);
        for (int k = -30; k < 30 && (i & 2); k++) /* a floor that the hero stands on */
            add_wall(side + 0.1f * (float)k, -0.5f, 0.1f, 1);
        for (int k = -4; k < 40; k++) add_wall(i & 1 ? side : side - 1, (float)k, 1, 1);
        set_hero(i & 1 ? side - 1.6f : side + 0.2f, 0.5f, 1.3f, 0.8f);
        by[0] = i & 1 ? side - here.box.max[0] - unit : side - here.box.min[0] + unit;
        (void)step_hero(by, stopped_by);
        for (int step = 0; step < 60; step++) {
            (void)step_hero(along, stopped_by);
            CHECK(!stopped_by[0] && !stopped_by[1]);
        }
        sap_destroy(here.world);
    }
}

/* A hero in a large box that it leaves goes on to the nearest float: what is overlapped at the start, too, does not round
   its way down. */
static void test_rounds_to_nearest_in_a_box(void) {
    const sap_aabb large = {{-9e6f, -9e6f, -9e6f}, {1000010, 9e6f, 9e6f}};
    const float step[3] = {0.04f, 0, 0};
    sap_aabb hero = {{1000000, 0, 0}, {1000001, 1, 1}};
    sap_world *w = sap_create(NULL);
    CHECK(sap_add(w, &large, NULL) != 0);
    CHECK_EQUAL(sap_slide(w, &hero, step, ~0u, 0, NULL), 0);
    CHECK(hero.min[0] > 1000000 && hero.min[0] < 1000000.1f && hero.max[0] > 1000001);
    sap_destroy(w);
}

/* What the box only touches has no part in how its way is rounded. */
static void test_rounds_to_nearest(void) {
    test_rng dice = {80};
    for (int i = 0; i < 300; i++) {
        const float by[3] = {test_uniform(&dice, -1, 1), test_uniform(&dice, 0, i % 2 ? 1.0f : 0), 0};
        sap_aabb box[2];
        for (int is_empty = 0; is_empty < 2; is_empty++) {
            open_place(0);
            if (!is_empty) add_wall(-9, -0.5f, 20, 1);
            set_hero(0.3f + (float)i * 0.01f, 0.5f, 0.7f, 0.9f);
            (void)step_hero(by, NULL);
            box[is_empty] = here.box;
            sap_destroy(here.world);
        }
        CHECK(!memcmp(&box[0], &box[1], sizeof box[0]));
    }
}

/* ---- any scale, two and three axes, ways of any length ------------------------------------------------------------- */

static double larger_unit(const sap_aabb *box, int k) {
    return unit_of(fmaxf(fabsf(box->min[k]), fabsf(box->max[k])));
}

/* How deep a box is in another on these axes, in units of the largest of the bounds. */
static double depth_on(int axes, const sap_aabb *box, const sap_aabb *wall) {
    double least = 1e300, unit = 0;
    for (int k = 0; k < 3; k++) {
        if (!(axes >> k & 1)) continue;
        least = fmin(least, (double)box->max[k] - (double)wall->min[k]);
        least = fmin(least, (double)wall->max[k] - (double)box->min[k]);
        unit = fmax(unit, fmax(larger_unit(box, k), larger_unit(wall, k)));
    }
    return least / unit;
}

/* Slides from anywhere, by ways from a hair to far beyond the world, and again from where they ended. */
static void test_any_way(int seed) {
    static const float scales[] = {1, 1e-3f, 1e-20f, 1e-38f, 1e4f, 1e17f, 1e30f},
                       grows[] = {1, 1e-7f, 1e-3f, 10, 1e6f, 1e17f};
    enum { WALLS = 60 };
    sap_aabb placed[WALLS];
    test_rng dice = {(uint64_t)seed * 31 + 3};
    const int axes = seed % 2 ? SAP_2D : 7;
    const float scale = scales[seed / 2 % 7], offset = seed % 3 ? 0 : 3 * scale;
    sap_config config;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    sap_world *s = sap_create(&config);
    for (int i = 0; i < WALLS; i++) {
        for (int k = 0; k < 3; k++) {
            placed[i].min[k] = offset + scale * test_uniform(&dice, -4, 4);
            placed[i].max[k] = placed[i].min[k] + (test_chance(&dice, 20) ? 0 : scale * test_uniform(&dice, 0, 2));
        }
        if (sap_add_static(s, &placed[i], NULL) != (sap_id)i + 1) exit(2);
    }
    for (int round = 0; round < 200; round++) {
        sap_aabb box;
        double size[3], unit[3] = {0, 0, 0};
        const int is_point = test_chance(&dice, 20);
        for (int k = 0; k < 3; k++) {
            box.min[k] = offset + scale * test_uniform(&dice, -5, 5);
            if (test_chance(&dice, 10)) box.min[k] *= 1e6f;
            box.max[k] = box.min[k] + (is_point ? 0 : scale * test_uniform(&dice, 0, 1));
            size[k] = (double)box.max[k] - (double)box.min[k];
        }
        for (int step = 0; step < 6; step++) {
            const float length = fminf(scale * grows[test_below(&dice, 6)], 1e37f);
            const sap_aabb from = box;
            float by[3];
            sap_id stopped_by[3];
            for (int k = 0; k < 3; k++)
                by[k] = test_chance(&dice, 30)   ? 0
                        : test_chance(&dice, 30) ? -length
                                                 : test_uniform(&dice, -1, 1) * length;
            const int n = sap_slide(s, &box, by, ~0u, 0, stopped_by);
            int told = 0;
            CHECK(n >= 0);
            for (int k = 0; k < 3; k++) {
                if (!(axes >> k & 1)) continue;
                told += stopped_by[k] != 0;
                unit[k] = fmax(unit[k], larger_unit(&box, k));
                if (step == 0) unit[k] = fmax(unit[k], larger_unit(&from, k));
                const double error = fabs((double)box.max[k] - (double)box.min[k] - size[k]);
                CHECK_MESSAGE(error <= unit[k], "seed %d, round %d: the size changed by %g units", seed, round,
                              error / unit[k]);
                if (!stopped_by[k]) continue;
                const sap_aabb *wall = &placed[stopped_by[k] - 1];
                if (depth_on(axes, &from, wall) > 0) continue; /* overlapped at the start: it stays where it is */
                const double gap =
                    by[k] > 0 ? (double)wall->min[k] - (double)box.max[k] : (double)box.min[k] - (double)wall->max[k];
                const int is_in = (by[k] > 0 ? from.max[k] > wall->min[k] : from.min[k] < wall->max[k]);
                CHECK_MESSAGE(is_in ? gap <= 0 : gap >= 0 && gap <= larger_unit(&box, k),
                              "seed %d, round %d, step %d: stopped %g units before the side", seed, round, step,
                              gap / larger_unit(&box, k));
            }
            CHECK_EQUAL(told, n);
            for (int i = 0; i < WALLS; i++) {
                if (depth_on(axes, &from, &placed[i]) > 0) continue;
                const double depth = depth_on(axes, &box, &placed[i]);
                CHECK_MESSAGE(depth <= 4, "seed %d, round %d, step %d: %g units deep", seed, round, step, depth);
            }
        }
    }
    sap_destroy(s);
}

/* A particle is pushed at a wall for a while, thick or without thickness, from each side: it never passes, and ends one
   float before it. */
static void test_particles(void) {
    static const float places[] = {0, 1, -1, 0.1f, -7.7f, 1e10f, 1e-30f};
    for (int i = 0; i < 7 * 3 * 2 * 4; i++) {
        const float at = places[i % 7];
        const int k = i / 7 % 3, side = i / 21 % 2 ? 1 : -1, is_thick = i / 42 % 2, has_size = i / 84;
        const float reach = 1 + fabsf(at);
        sap_world *s = sap_create(NULL);
        sap_aabb wall, box;
        for (int a = 0; a < 3; a++) {
            wall.min[a] = -10 * reach, wall.max[a] = 10 * reach;
            box.min[a] = box.max[a] = 0;
        }
        wall.min[k] = is_thick && side < 0 ? at : is_thick ? at - reach : at;
        wall.max[k] = is_thick && side < 0 ? at + reach : at;
        box.min[k] = box.max[k] = at + 2 * reach * (float)side;
        if (has_size) box.max[k] += reach * 0.25f;
        sap_add_static(s, &wall, NULL);
        const int32_t before = test_key(at) + side;
        for (int step = 0; step < 20; step++) {
            float by[3] = {0.01f, 0.01f, 0.01f};
            sap_id stopped_by[3];
            by[k] = -0.3f * reach * (float)side;
            (void)sap_slide(s, &box, by, ~0u, 0, stopped_by);
            if (step < 8) continue;
            CHECK_MESSAGE(stopped_by[k] == 1, "wall %d: not stopped in step %d", i, step);
            const float front = side > 0 ? box.min[k] : box.max[k];
            if (has_size)
                CHECK(fabs((double)front - (double)at) <= larger_unit(&box, k));
            else
                CHECK_EQUAL(test_key(front), before);
        }
        sap_destroy(s);
    }
}

/* A particle falls onto a floor and a platform without thickness, whose tops are level, and walks on over the platform: by
   any axis and direction, and whichever has the lower id. */
static void test_particle_on_level_walls(void) {
    for (int i = 0; i < 3 * 2 * 2; i++) {
        const int k = i % 3, across = (k + 1) % 3, up = i / 3 % 2 ? 1 : -1, is_flat_first = i / 6;
        sap_world *s = sap_create(NULL);
        sap_aabb box = {{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
        sap_id stopped_by[3];
        for (int n = 0; n < 2; n++) {
            sap_aabb wall = {{0, 0, 0}, {1, 1, 1}};
            const int is_flat = n != is_flat_first;
            wall.min[k] = is_flat || up < 0 ? 0 : -1.0f;
            wall.max[k] = is_flat || up > 0 ? 0 : 1.0f;
            wall.max[across] = is_flat ? 9.0f : 1;
            CHECK(sap_add_static(s, &wall, NULL) != 0);
        }
        box.min[k] = box.max[k] = (float)up;
        for (int step = 0; step < 9; step++) {
            float fall[3] = {0}, walk[3] = {0};
            fall[k] = -2 * (float)up;
            walk[across] = 0.9f;
            CHECK_EQUAL(sap_slide(s, &box, fall, ~0u, 0, stopped_by), 1);
            CHECK(stopped_by[k] != 0 && test_key(box.min[k]) == up);
            CHECK_EQUAL(sap_slide(s, &box, walk, ~0u, 0, NULL), 0);
        }
        sap_destroy(s);
    }
}

/* Pushes a box at one of two walls at the largest or the least float, one with and one without thickness, and away. A
   particle ends one float before the wall, unless it stands at the last float of its side: all ends are finite. */
static void push_at_extreme(int k, int side, int is_thick, int has_size) {
    const float last = (float)side * TEST_FLOAT_MAX, none[3] = {0, 0, 0};
    sap_world *s = sap_create(NULL);
    sap_aabb wall = {{-1, -1, -1}, {1, 1, 1}}, box = {{0, 0, 0}, {0, 0, 0}};
    wall.min[k] = is_thick && side > 0 ? 1e38f : last;
    wall.max[k] = is_thick && side < 0 ? -1e38f : last;
    box.min[k] = box.max[k] = last;
    if (has_size) *(side > 0 ? &box.min[k] : &box.max[k]) = (float)side * 3e38f;
    CHECK(sap_add_static(s, &wall, NULL) != 0);
    for (int step = 0; step < 12; step++) {
        const int sign = (step / 2 + step / 6) % 2 ? side : -side; /* in and out, alone and along the wall */
        float by[3] = {0.25f, 0.25f, 0.25f};
        if (step % 2) memcpy(by, none, sizeof by);
        by[k] = (float)sign * (step < 6 ? 1e30f : 1e37f);
        const sap_aabb before = box;
        const int n = sap_slide(s, &box, by, ~0u, 0, NULL);
        for (int a = 0; a < 3; a++)
            CHECK_MESSAGE(test_is_finite(box.min[a]) && test_is_finite(box.max[a]) && box.min[a] <= box.max[a],
                          "axis %d, side %d, step %d: %g to %g", k, side, step, (double)box.min[a], (double)box.max[a]);
        CHECK(n >= 0 || (n == -SAP_ERROR_ARGUMENT && memcmp(&box, &before, sizeof box) == 0));
    }
    sap_destroy(s);
}

/* A particle at an extreme float is pushed into a wall that begins there: there is no float before it. */
static void test_extremes(void) {
    for (int i = 0; i < 3 * 2 * 2 * 2; i++) push_at_extreme(i % 3, i / 3 % 2 ? 1 : -1, i / 6 % 2, i / 12);
    for (int i = 0; i < 3 * 2; i++) {
        const int k = i % 3, side = i / 3 ? 1 : -1;
        sap_world *s = sap_create(NULL);
        sap_aabb wall = {{-1, -1, -1}, {1, 1, 1}}, box = {{0, 0, 0}, {0, 0, 0}};
        float by[3] = {0, 0, 0};
        sap_id stopped_by[3];
        wall.min[k] = side < 0 ? -TEST_FLOAT_MAX : -1;
        wall.max[k] = side < 0 ? 1 : TEST_FLOAT_MAX;
        box.min[k] = box.max[k] = (float)side * TEST_FLOAT_MAX;
        by[k] = (float)side * -1e30f;
        CHECK(sap_add_static(s, &wall, NULL) != 0);
        CHECK_EQUAL(sap_slide(s, &box, by, ~0u, 0, stopped_by), 1);
        CHECK(stopped_by[k] == 1 && box.min[k] == (float)side * TEST_FLOAT_MAX && box.max[k] == box.min[k]);
        sap_destroy(s);
    }
}

/* Boxes that are passed over are as if they were not there, to the last bit of where the way ends. */
static int is_not_passed(sap_id id, void *object, void *user) {
    (void)id, (void)user;
    return object != NULL;
}

static void test_passed_over(void) {
    test_rng dice = {79};
    for (int i = 0; i < 300; i++) {
        sap_world *fewer;
        const sap_config flat = {.axes = SAP_2D};
        open_place(0);
        fewer = sap_create(&flat);
        for (int k = 0; k < 40; k++) {
            const float x = test_uniform(&dice, -2, 2), y = test_uniform(&dice, -2, 2), unit = (float)unit_of(1.0f);
            const sap_aabb wall = {{x, y}, {x + test_uniform(&dice, 0, 1), y + test_uniform(&dice, 0, 1)}};
            const sap_aabb beside = {{wall.max[0] + unit * (float)(k % 3), y}, {wall.max[0] + 1, wall.max[1]}};
            sap_add_static(here.world, &wall, &here);
            sap_add_static(fewer, &wall, &here);
            sap_add_static(here.world, &beside, NULL); /* where a way that ends beside a wall would round into it */
        }
        for (int step = 0; step < 50; step++) {
            set_hero(test_uniform(&dice, -3, 3), test_uniform(&dice, -3, 3), 0.4f, 0.3f);
            float by[3] = {test_uniform(&dice, -2, 2), test_uniform(&dice, -2, 2), 0};
            sap_aabb other = here.box;
            const sap_aabb *end = &here.box;
            sap_id ids[3], others[3];
            sap_id near[8];
            const int hits = sap_query_box_ids(here.world, &here.box, ~0u, near, 8);
            sap_aabb hit;
            if (hits > 0 && hits <= 8 && sap_get_box(here.world, near[0], &hit) == SAP_OK)
                by[0] = hit.min[0] - here.box.max[0] - (float)unit_of(1) * test_uniform(&dice, 0, 1), by[1] = 0;
            const int n = sap_slide_if(here.world, &here.box, by, ~0u, is_not_passed, NULL, ids);
            CHECK_EQUAL(sap_slide(fewer, &other, by, ~0u, 0, others), n);
            CHECK_MESSAGE(!memcmp(end, &other, sizeof other), "world %d, step %d: what is passed over moved the end", i,
                          step);
            for (int k = 0; k < 2; k++) CHECK_EQUAL(ids[k] ? ids[k] / 2 + 1 : 0, others[k]);
        }
        sap_destroy(fewer);
        sap_destroy(here.world);
    }
}

/* ---- by hand -------------------------------------------------------------------------------------------------- */

static sap_aabb make_box(float x, float y, float width, float height) {
    const sap_aabb box = {{x, y, 0}, {x + width, y + height, 0}};
    return box;
}

static int slide_inside(sap_id id, void *object, void *user) {
    sap_world *s = (sap_world *)user;
    sap_aabb box = make_box(-1, 0.25f, 0.5f, 0.5f);
    const float by[3] = {2, 0, 0};
    sap_id stopped_by[3];
    (void)id, (void)object;
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, 0, stopped_by), 1);
    CHECK(stopped_by[0] == 1 && box.max[0] == 0);
    return 1;
}

static int slide_in_filter(const sap_pair *pair, void *user) {
    sap_world *s = *(sap_world **)user;
    sap_aabb box = make_box(0, 0, 1, 1);
    const float by[3] = {1, 0, 0};
    (void)pair;
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, 0, NULL), -SAP_ERROR_BUSY);
    CHECK(box.min[0] == 0);
    return 1;
}

static void test_by_hand(void) {
    static sap_world *s;
    sap_config config;
    const float by[3] = {2, -1, 0}, no_way[3] = {0, 0, 0}, far[3] = {3e38f, 0, 0}, bad[3] = {TEST_NAN, 0, 0};
    sap_id stopped_by[3] = {7, 7, 7};
    memset(&config, 0, sizeof config);
    config.axes = SAP_2D;
    config.filter = slide_in_filter;
    config.filter_user = &s;
    s = sap_create(&config);
    const sap_aabb wall = make_box(0, 0, 1, 1), same = make_box(0.5f, 0, 1, 1);
    sap_aabb box = make_box(-2, 0.5f, 1, 1), keep = box;
    const sap_id first = sap_add(s, &wall, NULL);
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, 0, stopped_by), 1); /* before any update */
    CHECK(stopped_by[0] == first && !stopped_by[1] && !stopped_by[2] && box.max[0] == 0 && box.min[1] == -0.5f);
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, first, stopped_by), 0);
    CHECK(box.min[0] == 1 && !stopped_by[0]);
    box = keep;
    CHECK_EQUAL(sap_slide(s, &box, no_way, ~0u, 0, NULL), 0);
    CHECK_EQUAL(sap_slide(NULL, &box, by, ~0u, 0, stopped_by), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_slide(s, NULL, by, ~0u, 0, stopped_by), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_slide(s, &box, NULL, ~0u, 0, NULL), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_slide(s, &box, bad, ~0u, 0, NULL), -SAP_ERROR_ARGUMENT);
    CHECK(!memcmp(&box, &keep, sizeof box));
    box.max[0] = 3e38f;
    keep = box;
    CHECK_EQUAL(sap_slide(s, &box, far, ~0u, 0, NULL), -SAP_ERROR_ARGUMENT);
    CHECK(!memcmp(&box, &keep, sizeof box));
    box.max[0] = TEST_INFINITY;
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, 0, NULL), -SAP_ERROR_BOX);
    box.max[0] = TEST_NAN;
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, 0, NULL), -SAP_ERROR_BOX);
    const sap_aabb giant = {{-1e30f, -1e30f, 0}, {1e30f, 1e30f, 0}};
    const sap_id around = sap_add(s, &giant, NULL); /* its least depth is on x, towards minus */
    box = keep = make_box(-2, 0.5f, 1, 1);
    CHECK_EQUAL(sap_slide(s, &box, by, ~0u, first, stopped_by), 1);
    CHECK(stopped_by[0] == around && box.min[0] == -2 && box.min[1] == -0.5f);
    CHECK_EQUAL(sap_remove(s, around), SAP_OK);
    sap_add(s, &same, NULL);
    CHECK_EQUAL(sap_query_box(s, &wall, ~0u, slide_inside, s), 2);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_query_box(s, &wall, ~0u, slide_inside, s), 2);
    sap_destroy(s);
}

int main(int argc, char **argv) {
    const int rounds = test_argument(argc, argv, 1, 30), steps = test_argument(argc, argv, 2, 4000);
    test_by_hand();
    test_seams();
    test_drift();
    test_single_steps();
    test_ends_beside_walls();
    test_rounds_to_nearest();
    test_rounds_to_nearest_in_a_box();
    test_passed_over();
    test_particles();
    test_particle_on_level_walls();
    test_extremes();
    for (int seed = 0; seed < rounds * 2; seed++) test_any_way(seed);
    for (int seed = 0; seed < rounds; seed++) test_by_force(seed);
    for (int seed = 0; seed < rounds; seed++) walk(seed, steps);
    return test_summary();
}
