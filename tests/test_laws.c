/* test_laws.c - laws that connect the calls of sap.h: two ways to lead one life, in which the same is seen.

   A life is a list of steps (some boxes are added, walk, jump, become static, ...; an update; a question), drawn from a
   seed: a world at any scale, on one to three axes, with any history. A law is one row of a table: two ways to lead a
   life, and what is compared. Each way is led by an actor, which notes what it sees; the first note that differs breaks
   the law. All coordinates are whole numbers of a unit, a power of two, so nothing that the test computes is rounded.

   usage: test_laws [lives of each law] [first seed] [law]      default 20 from 1, all laws
          test_laws -s SECONDS [first seed] [law]
          test_laws -q ...                                      fails at once, with the whole life
          test_laws -c ...                                      without the laws of costs, which lowered constants break
          test_laws 1 SEED LAW STEPS BOXES                      what a broken law prints: the steps and boxes that are
                                                                left when no half of them can be left out */

#include <time.h>

#include "threads.h"
#include "ways.h"

/* Jobs neither allocate nor call the filter: both run on the calling thread only. */
static void *laws_realloc(void *p, size_t size) {
    if (is_in_a_job()) faults++;
    return test_realloc(p, size);
}
static void laws_free(void *p) {
    if (is_in_a_job()) faults++;
    test_free(p);
}

/* One in three is plain; the others have a grid of any kind, or none, and threads, or none, or jobs in any order. */
static sap_world *open_world(const sap_config *config, float size, test_rng *dice) {
    static const int threads[5] = {0, 1, 2, 3, 4};
    static test_rng shuffle;
    const int is_plain = test_chance(dice, 33);
    const grid_kind grid = is_plain ? NO_GRID : (grid_kind)test_below(dice, GRID_KINDS);
    const int runs = is_plain ? 0 : test_below(dice, 4);
    const sap_grid g = grid_of(grid, size, 1 | test_below(dice, 4) << 1);
    sap_world *s = open_with(config, grid ? &g : NULL,
                             runs == 1   ? run_in_threads
                             : runs == 2 ? run_shuffled
                                         : NULL,
                             runs == 1 ? (void *)(uintptr_t)&threads[test_below(dice, 5)] : (void *)&shuffle);
    if (!is_plain && test_chance(dice, 80)) force_threads(s, 1 + test_below(dice, 4)); /* else as shipped */
    if (test_chance(dice, 40)) (void)force_kernel(s, test_below(dice, KERNELS));
    return s;
}

enum { MOST_STEPS = 200, ENDLESS = 1 << 30 };

/* ---- lives --------------------------------------------------------------------------------------------------- */

typedef enum op {
    ADD,
    REMOVE,
    WALK,   /* by up to amount */
    JUMP,   /* to a new place, with a new size */
    RESIZE, /* half of them to a quarter, the others to the double */
    DRIFT,  /* all by the same */
    GATHER, /* a quarter of the way to the middle */
    FILTER,
    FIX,     /* becomes static, or moving */
    REFUSE,  /* another filter callback, or the same box asked again */
    SHIFT,   /* of the origin */
    CLEAR,   /* all boxes go */
    REPLACE, /* the world by one that is restored from its snapshot */
    ACT,     /* boxes come and go inside the callback of a query */
    ASK,     /* amount questions */
    UPDATE   /* amount 1: boxes come and go in its first callback */
} op;
static const char *const op_names[] = {"add", "remove", "walk",  "jump",  "resize",  "drift", "gather", "filter",
                                       "fix", "refuse", "shift", "clear", "replace", "act",   "ask",    "update"};

typedef struct step {
    op op;
    int percent, amount; /* of the boxes */
    uint64_t seed;
} step;

/* The scenes of lives, and what lives of a law are without. */
enum {
    SCENE_PLAY = 1,
    SCENE_CROWD = 2,
    SCENE_STREAM = 4,
    SCENE_STORM = 8,
    SCENE_CHURN = 16,
    SCENE_KINDS = 32,
    SCENES = 63,
    SCENE_FLOOR = 64, /* static planks, and a hero who slides among them */
    SCENE_TWO = 128,  /* movers, and far from them boxes of another kind */
    NO_MARGIN = 1 << 8,
    NO_FILTER = 1 << 9,
    NO_FIX = 1 << 10,
    NO_LATTICE = 1 << 11, /* so nearly all moments differ */
    NO_ACT = 1 << 13,
    NO_REPLACE = 1 << 14,
    WITH_MARGIN = 1 << 15,
    WITH_ASKS = 1 << 16,
    NO_SHIFT = 1 << 17,
    FREE_CHOICE = 1 << 18 /* the method is AUTO, unless the way says which */
};

typedef struct life {
    uint64_t seed;
    int scene, without;
    int axes, exponent; /* of the unit */
    int is_lattice;     /* coordinates are few whole numbers: all ties that there are */
    int boxes, side, size;
    int filters, refuses; /* boxes have filter bits; a callback refuses pairs */
    int margin, method;
    int step_count;
    step steps[MOST_STEPS];
    char has_step[MOST_STEPS];
    char *has_box;
} life;

typedef struct place {
    int lo[3], hi[3];
} place;

static uint64_t mixed(uint64_t a, uint64_t b) {
    test_rng r;
    r.state = a ^ (b + 1) * 0x9e3779b97f4a7c15u;
    return test_random(&r);
}

static int draw(test_rng *rng, int low, int high) {
    return low + test_below(rng, high - low + 1);
}

static step *push_step(life *l, test_rng *rng, op o, int percent, int amount) {
    step *s;
    if (l->step_count == MOST_STEPS) return NULL;
    s = &l->steps[l->step_count];
    l->has_step[l->step_count++] = 1;
    s->op = o;
    s->percent = percent;
    s->amount = amount;
    s->seed = test_random(rng);
    return s;
}

/* Questions before an update and behind it, and now and then what changes the history of a world but not its boxes. */
static void push_update(life *l, test_rng *rng) {
    const int asks = l->without & WITH_ASKS ? 60 : 15, acts = test_chance(rng, 10);
    if (test_chance(rng, 6)) push_step(l, rng, SHIFT, 100, l->side);
    if (test_chance(rng, 5)) push_step(l, rng, REPLACE, 100, 0);
    if (test_chance(rng, 5)) push_step(l, rng, REFUSE, 10, acts);
    if (test_chance(rng, asks)) push_step(l, rng, ASK, 100, draw(rng, 1, 6));
    push_step(l, rng, UPDATE, draw(rng, 0, 20), acts);
    if (test_chance(rng, asks)) push_step(l, rng, ASK, 100, draw(rng, 1, 6));
}

static void push_scene(life *l, test_rng *rng, int scene) {
    static const int percents[] = {1, 5, 20, 60, 100, 100};
    const int n = draw(rng, 2, 10), reach = 1 + l->size / (1 << test_below(rng, 8));
    int i, moves = percents[test_below(rng, 6)];
    switch (scene) {
    case SCENE_PLAY:
        for (i = 0; i < n; i++) {
            push_step(l, rng, WALK, moves, reach);
            if (test_chance(rng, 30)) push_step(l, rng, JUMP, draw(rng, 1, 10), 0);
            if (test_chance(rng, 15)) push_step(l, rng, RESIZE, moves, 0);
            if (test_chance(rng, 10)) push_step(l, rng, GATHER, 100, 0);
            if (test_chance(rng, 30)) push_step(l, rng, REMOVE, draw(rng, 1, 20), 0);
            if (test_chance(rng, 30)) push_step(l, rng, ADD, draw(rng, 1, 60), 0);
            push_update(l, rng);
        }
        break;
    case SCENE_CROWD: /* as long as AUTO takes to trust it */
        for (i = 0; i < 24 + n; i++) {
            push_step(l, rng, WALK, 100, 1);
            if (test_chance(rng, 10))
                push_update(l, rng);
            else
                push_step(l, rng, UPDATE, 0, 0);
        }
        break;
    case SCENE_STREAM:
        for (i = 0; i < n; i++) {
            push_step(l, rng, DRIFT, 100, l->side / 8 + 1);
            push_step(l, rng, REMOVE, 15, 0);
            push_step(l, rng, ADD, 80, 0);
            push_update(l, rng);
        }
        break;
    case SCENE_STORM:
        for (i = 0; i < n; i++) {
            push_step(l, rng, JUMP, moves, 0);
            push_update(l, rng);
        }
        break;
    case SCENE_CHURN:
        for (i = 0; i < n; i++) {
            if (test_chance(rng, 20)) push_step(l, rng, CLEAR, 100, 0);
            push_step(l, rng, REMOVE, draw(rng, 50, 100), 0);
            if (test_chance(rng, 60)) push_step(l, rng, ACT, draw(rng, 1, 5), 0);
            if (test_chance(rng, 70)) push_update(l, rng);
            if (test_chance(rng, 60)) push_step(l, rng, ACT, draw(rng, 1, 5), 0);
            push_step(l, rng, ADD, draw(rng, 1, 100), 0);
            push_update(l, rng);
        }
        break;
    case SCENE_KINDS:
        for (i = 0; i < n; i++) {
            push_step(l, rng, i % 2 ? FIX : FILTER, percents[test_below(rng, 6)], 0);
            push_step(l, rng, WALK, moves, reach);
            push_update(l, rng);
        }
        break;
    case SCENE_FLOOR:
        for (i = 0; i < 8; i++) push_step(l, rng, ASK, 100, 12);
        break;
    case SCENE_TWO:
        for (i = 0; i < 10; i++) { /* amount: of the second kind */
            push_step(l, rng, WALK, 100, reach);
            if (test_chance(rng, 50)) push_step(l, rng, ADD, 8, 1);
            push_update(l, rng);
        }
        break;
    default: break;
    }
}

static int root(int n, int axes) {
    int r = 1, k, power;
    for (;; r++) {
        for (k = 0, power = 1; k < axes; k++) power *= r;
        if (power >= n) return r;
    }
}

static int count_of(int bits) {
    int n = 0;
    for (; bits; bits >>= 1) n += bits & 1;
    return n;
}

/* Scenes and what lives are without: allowed. */
static void draw_life(life *l, uint64_t seed, int allowed) {
    static const int all_axes[] = {7, 7, 7, SAP_2D, SAP_2D, 5, 6, 1, 2, 4}, rooms[] = {1, 2, 4, 16, 64};
    static const int magnitudes[] = {-149, -140, -126, -100, -60, -40, -30, -20, -10, 0, 0, 0, 0, 20, 60, 100};
    test_rng rng;
    int i, scene, side;
    memset(l, 0, sizeof *l);
    rng.state = l->seed = seed;
    l->without = allowed;
    l->axes = all_axes[test_below(&rng, 10)];
    l->is_lattice = !(allowed & NO_LATTICE) && test_chance(&rng, 40);
    l->exponent = magnitudes[test_below(&rng, 16)] - (l->is_lattice ? 0 : 14) + test_below(&rng, 4);
    if (l->exponent < -149) l->exponent = -149;
    do scene = 1 << test_below(&rng, 8);
    while (!(scene & allowed));
    l->scene = scene;
    i = test_below(&rng, 100);
    l->boxes = i < 70 ? draw(&rng, 2, 40) : i < 85 ? draw(&rng, 41, 200) : i < 97 ? draw(&rng, 300, 700) : 1500;
    if (scene == SCENE_CHURN && i % 2)
        l->boxes = draw(&rng, 280, 500); /* slots are used again: more than 256 are free */
    if (scene == SCENE_CROWD) l->boxes = draw(&rng, 100, 300);
    if (scene == SCENE_FLOOR) l->boxes = draw(&rng, 1, 8);
    if (scene == SCENE_TWO) l->boxes = draw(&rng, 300, 1500);
    l->has_box = (char *)malloc((size_t)l->boxes);
    if (!l->has_box) exit(2);
    memset(l->has_box, 1, (size_t)l->boxes);
    side = root(l->boxes * rooms[test_below(&rng, 5)], count_of(l->axes));
    if (scene == SCENE_CROWD) side = root(1 + l->boxes / draw(&rng, 8, 60), count_of(l->axes));
    l->size = l->is_lattice ? 1 : side < 64 ? 1 << 14 : side < 4096 ? 1 << 8 : 4;
    l->side = side * l->size + 1;
    if (!(allowed & NO_FILTER)) l->filters = test_chance(&rng, 40);
    if (!(allowed & NO_FILTER)) l->refuses = test_chance(&rng, 20);
    if (!(allowed & NO_MARGIN) && test_chance(&rng, allowed & WITH_MARGIN ? 100 : 15)) l->margin = 1 + l->size / 4;
    push_step(l, &rng, ADD, scene >= SCENE_FLOOR ? 100 : draw(&rng, 50, 100), 0);
    push_update(l, &rng);
    push_scene(l, &rng, scene);
    for (i = 0; i < 2 && scene < SCENE_FLOOR && test_chance(&rng, 50); i++) {
        do scene = 1 << test_below(&rng, 6);
        while (!(scene & allowed));
        if (scene != SCENE_CROWD) push_scene(l, &rng, scene);
    }
    l->method = allowed & FREE_CHOICE || test_chance(&rng, 50) ? SAP_METHOD_AUTO : test_below(&rng, METHODS);
}

static void end_life(life *l) {
    free(l->has_box);
    l->has_box = NULL;
}

/* ---- boxes --------------------------------------------------------------------------------------------------- */

typedef struct kind {
    enum { CUBE, POINT, FLAT, LONG, LARGE, PLANE } shape;
    int is_static, axis;
    uint32_t category, mask;
} kind;

/* Of SCENE_TWO: static boxes, far from those that move. */
static int is_second(const life *l, int number) {
    return l->scene == SCENE_TWO && (uint64_t)number % 8 >= 1 + l->seed % 7;
}

static kind kind_of(const life *l, int number) {
    static const uint32_t bits[][2] = {{1, ~0u}, {1, ~0u}, {2, ~2u}, {4, 3}, {8, 6}, {16, 0}, {0, ~0u}};
    test_rng rng;
    kind k;
    int i;
    rng.state = mixed(l->seed, (uint64_t)number);
    i = test_below(&rng, 100);
    k.shape = i < 70 ? CUBE : i < 80 ? POINT : i < 86 ? FLAT : i < 94 ? LONG : i < 98 ? LARGE : PLANE;
    if (l->scene == SCENE_CROWD || l->scene == SCENE_TWO) k.shape = CUBE;
    k.axis = test_below(&rng, 3);
    k.is_static = test_chance(&rng, l->scene == SCENE_CROWD ? 0 : 25);
    i = test_below(&rng, 7);
    k.category = l->filters ? bits[i][0] : 1;
    k.mask = l->filters ? bits[i][1] : ~0u;
    if (l->scene == SCENE_FLOOR) k.shape = i < 5 ? CUBE : LONG, k.is_static = 1;
    if (l->scene == SCENE_TWO) k.is_static = is_second(l, number);
    return k;
}

static place new_place(const life *l, int number, uint64_t seed) {
    const kind k = kind_of(l, number);
    test_rng rng;
    place p;
    int axis;
    rng.state = mixed(seed, (uint64_t)number);
    for (axis = 0; axis < 3; axis++) {
        int size = l->is_lattice ? draw(&rng, 1, 2) : draw(&rng, l->size / 2, l->size + l->size / 2);
        const int middle = draw(&rng, -l->side / 2, l->side / 2), other = axis == k.axis;
        if (l->scene == SCENE_FLOOR) size = l->size * draw(&rng, 1, 6);
        if (k.shape == POINT || (k.shape == FLAT && other)) size = 0;
        if (k.shape == LONG && other) size = l->side;
        if (k.shape == LARGE) size = l->side / 2;
        p.lo[axis] = k.shape == PLANE && other ? -ENDLESS : middle - size / 2;
        p.hi[axis] = k.shape == PLANE && other ? ENDLESS : middle - size / 2 + size;
        if (l->scene == SCENE_TWO && k.is_static) p.lo[axis] += 1 << 21, p.hi[axis] += 1 << 21;
    }
    return p;
}

static int is_endless(int bound) {
    return bound == ENDLESS || bound == -ENDLESS;
}

static place moved(place p, const int by[3]) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (!is_endless(p.lo[axis])) p.lo[axis] += by[axis];
        if (!is_endless(p.hi[axis])) p.hi[axis] += by[axis];
    }
    return p;
}

/* Coordinates stay so small that their sums with margins and ways are floats. */
static int is_near(const place *p) {
    int axis;
    for (axis = 0; axis < 3; axis++)
        if (!is_endless(p->lo[axis]) && (p->lo[axis] < -(1 << 22) || p->hi[axis] > 1 << 22)) return 0;
    return 1;
}

/* The number of units, made by bits, so that no denormal is flushed. */
static float float_of(int units, int exponent) {
    uint32_t digits = (uint32_t)(units < 0 ? -units : units), sign = units < 0 ? 0x80000000u : 0;
    int e = exponent + 150;
    if (is_endless(units)) return test_float(sign | 0x7f800000u);
    if (digits == 0) return 0;
    while (digits < 1u << 23 && e > 1) digits <<= 1, e--;
    while (digits >= 1u << 24) digits >>= 1, e++;
    return test_float(sign | (digits < 1u << 23 ? digits : ((uint32_t)e << 23) + (digits - (1u << 23))));
}

/* ---- actors: the ways to lead a life ------------------------------------------------------------------------- */

typedef enum form {               /* of a question */
                    ALL,          /* everything that is asked of this kind, in full */
                    COUNT,        /* hit NULL */
                    VISITS,       /* of a callback that goes on */
                    COUNT_IDS,    /* _ids without room */
                    ROOM,         /* _ids with room for all */
                    VISITED,      /* whom a callback that goes on sees */
                    IDS,          /* whom _ids writes */
                    FIRST,        /* _ids with room for some */
                    FIRST_OF_ALL, /* the first of _ids with room for all */
                    STOPS,        /* visits of a callback that stops */
                    STOPPED,      /* the number of visits after which it does */
                    CLOSEST,      /* the call for one box: what it tells */
                    CLIPS,        /* the least that a callback is told which clips the query */
                    FIRST_ID,     /* _ids with room for one */
                    AGAIN,        /* the closest within the distance that was told of it */
                    AS_A_BOX,     /* a ray as a box of no size */
                    SLIDES,       /* sap_slide, and who is passed over: */
                    SLIDES_IF,    /* sap_slide_if with an accept that takes all */
                    SLIDES_PAST,  /* with an ignored box */
                    REFUSES,      /* with an accept that refuses that box */
                    REMOVES       /* in a world without that box */
} form;

enum { HERE, FRESH, RESTORED, INSIDE, BEFORE, AFTER }; /* the world that is asked, and when */

typedef struct way_of_life {
    int method;
    form form;
    int asks;     /* HERE, ... */
    int noise;    /* queries whose answers no law looks at */
    int reserves; /* and memory fails from then on */
    int unscaled; /* the unit is 1 */
    int mirrors;  /* bits of axes */
    int turns;    /* axes are renamed */
    int reversed; /* boxes are added from the last to the first */
    int one_by_one;
    int twice;     /* each box moves elsewhere first */
    int refilters; /* some boxes, before each update */
    int renews;    /* a new world after each update, restored from the snapshot of the old one */
    int tiles;     /* a box is a floor of tiles */
    int enlarges;  /* the actor has a margin, the world none */
    int moving;    /* no box is static */
    int without;   /* boxes with mask 0 are not there */
    int fails;     /* memory, and each call is made again */
} way_of_life;

enum {
    PAIRS = 1,
    ORDER = 2,
    SNAPSHOTS = 4,
    ASKS = 8,
    NO_TIES = 16,
    NO_TOUCH = 32,
    SCALES = 64,
    MASK_0 = 128,
    COSTS = 256
};
enum { Q_BOX, Q_POINT, Q_SPHERE, Q_RAY, Q_BOX_CAST, Q_NEAREST, Q_NEAREST_TO, Q_BOX_CLOSEST, Q_SLIDE, QUESTIONS };
static const char *const question_names[QUESTIONS] = {"query_box",  "query_point", "query_sphere",
                                                      "ray_cast",   "box_cast",    "nearest",
                                                      "nearest_to", "box_closest", "slide"};

typedef struct law {
    const char *name;
    int watch; /* what is compared: PAIRS, ... */
    int kinds; /* of questions, bits; 0: all */
    int lives; /* scenes, and what they are without */
    way_of_life one, other;
} law;

typedef struct note {
    const char *what;
    int step, question;
    uint64_t value;
} note;

static note difference; /* the first one, of the life that was led last */

typedef struct actor {
    const life *life;
    const law *law;
    const way_of_life *way;
    sap_world *world;
    test_rng dice; /* what it does besides */
    int group;     /* of SCENE_TWO: bits of those that are led */
    int exponent, axes, turn[3];
    place *at, *stored;
    sap_id *id;
    char *live, *is_static, *was_seen;
    int *list;
    place *to;
    sap_aabb *boxes;
    void **objects;
    sap_id *ids;
    char *bytes;
    int refusal;
    int step, question;
    int live_count, added, removed, held, most_boxes, most_pairs; /* held: removed in a query that is not over */
    long allocated;
    long long tests, upkeep;
    int has_acted;
    const step *acts;
    note *notes;
    int note_count, note_capacity, is_mute, says;
} actor;

static void add_note(actor *a, const char *what, uint64_t value) {
    if (a->is_mute) return;
    if (a->says) printf("      %s: %llx\n", what, (unsigned long long)value);
    if (a->note_count == a->note_capacity) {
        a->note_capacity = 2 * a->note_capacity + 64;
        a->notes = (note *)realloc(a->notes, (size_t)a->note_capacity * sizeof *a->notes);
        if (!a->notes) exit(2);
    }
    a->notes[a->note_count].what = what;
    a->notes[a->note_count].step = a->step;
    a->notes[a->note_count].question = a->question;
    a->notes[a->note_count++].value = value;
}

/* A distance or a bound, in units; or a t, the last bits of which differ between compilers. */
static void note_float(actor *a, const char *what, float f, int is_t) {
    uint32_t bits = test_bits(f) & 0x7fffffffu ? test_bits(f) : 0;
    if (a->law->watch & SCALES && !is_t) {
        if (a->life->exponent < -100) return; /* what is told is rounded in another way */
        if (test_is_finite(f) && (bits & 0x7fffffffu) > 1) bits -= (uint32_t)a->exponent << 23; /* 1: beside 0 */
    }
    add_note(a, is_t ? "t" : what, bits);
}

static int number_of_object(const void *object) {
    return (int)(uintptr_t)object - 1;
}

static uint64_t name_of(sap_world *w, sap_id id) {
    return id ? (uint64_t)(uintptr_t)sap_get_object(w, id) : 0;
}

static sap_aabb box_of(const actor *a, const place *p) {
    sap_aabb box;
    int axis;
    memset(&box, 0xff, sizeof box); /* NaN, on axes that nobody reads */
    for (axis = 0; axis < 3; axis++) {
        const int k = a->turn[axis], is_mirrored = a->way->mirrors >> axis & 1;
        if (!(a->life->axes >> axis & 1)) continue;
        box.min[k] = float_of(is_mirrored ? -p->hi[axis] : p->lo[axis], a->exponent);
        box.max[k] = float_of(is_mirrored ? -p->lo[axis] : p->hi[axis], a->exponent);
    }
    return box;
}

static void vector_of(const actor *a, const int v[3], int exponent, float f[3]) {
    int axis;
    memset(f, 0xff, 3 * sizeof *f);
    for (axis = 0; axis < 3; axis++)
        if (a->life->axes >> axis & 1)
            f[a->turn[axis]] = float_of(a->way->mirrors >> axis & 1 ? -v[axis] : v[axis], exponent);
}

/* Three of four pairs exist, by the numbers of their boxes. */
static int some_pairs(const sap_pair *pair, void *user) {
    const actor *a = (const actor *)user;
    const uint64_t x = (uint64_t)(uintptr_t)pair->object0, y = (uint64_t)(uintptr_t)pair->object1;
    return mixed(x * y, x + y + (uint64_t)a->refusal) % 4 != 0;
}

static sap_world *create_world(actor *a, int margin) {
    sap_config config;
    sap_world *w;
    memset(&config, 0, sizeof config);
    config.axes = a->axes;
    config.method = a->way->method ? a->way->method : a->life->method;
    if (a->life->refuses) config.filter = some_pairs, config.filter_user = a;
    if (margin) config.margin = float_of(margin, a->exponent);
    w = open_world(&config, float_of(4 * a->life->size, a->exponent), &a->dice);
    if (!w) exit(2);
    return w;
}

static int is_led(const actor *a, int i) {
    if (!a->life->has_box[i] || !(a->group >> is_second(a->life, i) & 1)) return 0;
    return !(a->way->without && i % 4 == 0);
}

/* Whether a step is about a box: it depends on the two alone. */
static int picks(const actor *a, const step *s, int i) {
    return is_led(a, i) && (int)(mixed(s->seed, (uint64_t)i * 2 + 1) % 100) < s->percent;
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

/* The call, made until memory does not fail. */
#define TRY(a, result, call)                                                                                           \
    do {                                                                                                               \
        int tries_ = 0;                                                                                                \
        do {                                                                                                           \
            if ((a)->way->fails && tries_++ < 4) {                                                                     \
                fail_from = allocations + test_below(&(a)->dice, 4);                                                   \
                fail_count = 1 + test_below(&(a)->dice, 3);                                                            \
            }                                                                                                          \
            result = (call);                                                                                           \
            if ((a)->way->fails) never_fail();                                                                         \
        } while ((a)->way->fails && result == SAP_ERROR_MEMORY);                                                       \
    } while (0)

static void say_box(const actor *a, const char *verb, sap_id id, const sap_aabb *b) {
    int k;
    if (!a->says) return;
    printf("    %s %u {", verb, (unsigned)id);
    for (k = 0; k < 6; k++) printf("%s%.9g", k == 0 ? "" : k == 3 ? "}, {" : ", ", (double)(&b->min[0])[k]);
    printf("}\n");
}

static void expect_ok(actor *a, const char *what, sap_result result) {
    if (result != SAP_OK) add_note(a, what, (uint64_t)result + 1000000);
}

static void set_filter(actor *a, int number, uint32_t category, uint32_t mask) {
    expect_ok(a, "sap_set_filter", sap_set_filter(a->world, a->id[number], category, mask));
    if (a->says) printf("    set_filter %u %x %x\n", (unsigned)a->id[number], (unsigned)category, (unsigned)mask);
}

static place enlarged(const actor *a, int i, const place *p) {
    place e = *p;
    int axis;
    for (axis = 0; axis < 3 && !a->is_static[i]; axis++) {
        if (!is_endless(e.lo[axis])) e.lo[axis] -= a->life->margin;
        if (!is_endless(e.hi[axis])) e.hi[axis] += a->life->margin;
    }
    return e;
}

/* Whether a stored box serves a box inside it: no side of the box is more than five margins inside. */
static int serves(const actor *a, const place *stored, const place *p) {
    int axis, yes = 1;
    for (axis = 0; axis < 3; axis++) {
        if (!(a->life->axes >> axis & 1)) continue;
        yes &= stored->lo[axis] <= p->lo[axis] && p->lo[axis] <= stored->lo[axis] + 5 * a->life->margin;
        yes &= stored->hi[axis] >= p->hi[axis] && p->hi[axis] >= stored->hi[axis] - 5 * a->life->margin;
    }
    return yes;
}

/* A floor of tiles in the place of a box. */
static void add_tiles(actor *a, int i) {
    int cuts[3][5], n[3], at[3], axis, k;
    test_rng rng;
    rng.state = mixed(a->life->seed, (uint64_t)i + 77);
    for (axis = 0; axis < 3; axis++) {
        const int lo = a->at[i].lo[axis], hi = a->at[i].hi[axis];
        n[axis] = a->life->axes >> axis & 1 ? draw(&rng, 0, 3) : 0;
        cuts[axis][0] = lo;
        for (k = 1; k <= n[axis]; k++) cuts[axis][k] = lo + (int)((int64_t)(hi - lo) * k / (n[axis] + 1));
        cuts[axis][n[axis] + 1] = hi;
    }
    for (at[0] = 0; at[0] <= n[0]; at[0]++)
        for (at[1] = 0; at[1] <= n[1]; at[1]++)
            for (at[2] = 0; at[2] <= n[2]; at[2]++) {
                place p;
                sap_aabb box;
                int is_thin = 0;
                for (axis = 0; axis < 3; axis++) {
                    p.lo[axis] = cuts[axis][at[axis]];
                    p.hi[axis] = cuts[axis][at[axis] + 1];
                    is_thin |= p.lo[axis] == p.hi[axis] && (a->life->axes >> axis & 1);
                }
                if (is_thin) continue;
                box = box_of(a, &p);
                a->id[i] = sap_add_static(a->world, &box, a->objects[0]);
                say_box(a, "add_static", a->id[i], &box);
                if (!a->id[i]) add_note(a, "sap_add_static", 0);
            }
}

static void add_boxes(actor *a, const int *numbers, int n, int is_static, uint64_t seed) {
    int i, k;
    sap_result result;
    for (k = 0; k < n; k++) {
        i = numbers[a->way->reversed ? n - 1 - k : k];
        a->at[i] = new_place(a->life, i, seed);
        a->is_static[i] = (char)is_static;
        a->stored[i] = enlarged(a, i, &a->at[i]);
        a->boxes[k] = box_of(a, a->way->enlarges ? &a->stored[i] : &a->at[i]);
        a->objects[k] = (void *)(uintptr_t)(i + 1);
        if (a->way->tiles) {
            a->objects[0] = a->objects[k];
            add_tiles(a, i);
        }
    }
    if (a->way->one_by_one)
        for (k = 0; k < n; k++) {
            TRY(a, result,
                (a->ids[k] = (is_static ? sap_add_static : sap_add)(a->world, &a->boxes[k], a->objects[k])) != 0
                    ? SAP_OK
                    : sap_last_error(a->world));
            expect_ok(a, "sap_add", result);
        }
    else if (!a->way->tiles) {
        TRY(a, result, (is_static ? sap_add_static_many : sap_add_many)(a->world, n, a->boxes, a->objects, a->ids));
        expect_ok(a, "sap_add_many", result);
        if (result != SAP_OK) return;
    }
    for (k = 0; k < n; k++) {
        i = numbers[a->way->reversed ? n - 1 - k : k];
        if (!a->way->tiles) a->id[i] = a->ids[k];
        say_box(a, is_static ? "add_static" : "add", a->id[i], &a->boxes[k]);
        a->live[i] = 1;
        a->was_seen[i] = 0;
        a->added++;
        a->live_count++;
        if (a->live_count + a->removed + a->held > a->most_boxes) a->most_boxes = a->live_count + a->removed + a->held;
    }
    for (k = 0; k < n && (a->life->filters || a->law->watch & MASK_0); k++) {
        const kind kd = kind_of(a->life, numbers[k]);
        if (a->law->watch & MASK_0)
            set_filter(a, numbers[k], 1, numbers[k] % 4 == 0 ? 0 : ~0u);
        else if (kd.category != 1 || kd.mask != ~0u)
            set_filter(a, numbers[k], kd.category, kd.mask);
    }
}

static void add_some(actor *a, const step *s) {
    int is_static, i, n;
    for (is_static = 0; is_static < 2; is_static++) {
        for (i = n = 0; i < a->life->boxes; i++)
            if (!a->live[i] && picks(a, s, i) && kind_of(a->life, i).is_static == is_static) {
                if (s->amount && !is_second(a->life, i)) continue;
                if (is_second(a->life, i) && !s->amount && i % 2) continue; /* they come later */
                a->list[n++] = i;
            }
        if (n) add_boxes(a, a->list, n, is_static && !a->way->moving, s->seed);
    }
}

static void remove_some(actor *a, const step *s) {
    int i, n = 0;
    for (i = 0; i < a->life->boxes; i++)
        if (a->live[i] && picks(a, s, i)) {
            a->live[i] = 0;
            a->live_count--;
            a->removed += a->was_seen[i];
            if (a->says) printf("    remove %u\n", (unsigned)a->id[i]);
            a->ids[n++] = a->id[i];
        }
    if (a->way->one_by_one)
        for (i = 0; i < n; i++) expect_ok(a, "sap_remove", sap_remove(a->world, a->ids[i]));
    else
        expect_ok(a, "sap_remove_many", sap_remove_many(a->world, n, a->ids));
}

/* Moves boxes of the list to their new places. */
static void move_boxes(actor *a, int n) {
    int k, left = 0;
    for (k = 0; k < n; k++) {
        const int i = a->list[k];
        if (!is_near(&a->to[k])) continue;
        a->at[i] = a->to[k];
        if (a->way->enlarges) {
            if (a->life->margin && !a->is_static[i] && serves(a, &a->stored[i], &a->at[i])) continue;
            a->stored[i] = enlarged(a, i, &a->at[i]);
        }
        a->ids[left] = a->id[i];
        a->boxes[left] = box_of(a, a->way->enlarges ? &a->stored[i] : &a->at[i]);
        say_box(a, "move", a->id[i], &a->boxes[left]);
        left++;
    }
    for (k = 0; k < left && a->way->twice; k++) {
        const sap_aabb *elsewhere = &a->boxes[(k + 1) % left];
        expect_ok(a, "sap_move", sap_move(a->world, a->ids[k], elsewhere));
    }
    if (a->way->one_by_one)
        for (k = 0; k < left; k++) expect_ok(a, "sap_move", sap_move(a->world, a->ids[k], &a->boxes[k]));
    else
        expect_ok(a, "sap_move_many", sap_move_many(a->world, left, a->ids, a->boxes));
}

static void move_some(actor *a, const step *s) {
    const life *l = a->life;
    int i, k, n = 0, all[3];
    for (k = 0; k < 3; k++) all[k] = (int)(mixed(s->seed, (uint64_t)k) % (2 * (uint64_t)(s->amount + 1))) - s->amount;
    for (i = 0; i < l->boxes; i++) {
        test_rng rng;
        int by[3] = {0, 0, 0};
        place p;
        if (!a->live[i] || !picks(a, s, i)) continue;
        if (is_second(l, i)) continue;
        p = a->at[i];
        rng.state = mixed(s->seed, (uint64_t)i);
        switch (s->op) {
        case WALK:
            for (k = 0; k < 3; k++) by[k] = draw(&rng, -s->amount, s->amount);
            break;
        case JUMP: p = new_place(l, i, s->seed); break;
        case RESIZE:
            for (k = 0; k < 3; k++) {
                const int ends = is_endless(p.lo[k]) || is_endless(p.hi[k]), size = ends ? 0 : p.hi[k] - p.lo[k];
                const int out = rng.state & 1 ? size / 2 : -(size * 3 / 8);
                p.lo[k] -= out;
                p.hi[k] += out;
            }
            break;
        case DRIFT: memcpy(by, all, sizeof by); break;
        default: /* GATHER */
            for (k = 0; k < 3; k++)
                if (!is_endless(p.lo[k]) && !is_endless(p.hi[k])) by[k] = -(p.lo[k] / 4);
        }
        a->list[n] = i;
        a->to[n++] = moved(p, by);
    }
    move_boxes(a, n);
}

static void filter_some(actor *a, const step *s) {
    static const uint32_t bits[][2] = {{1, ~0u}, {2, ~2u}, {4, 3}, {16, 0}, {0, 1}, {3, 3}};
    const uint32_t *b = bits[s->seed % 6];
    int i, n = 0;
    for (i = 0; i < a->life->boxes; i++)
        if (a->live[i] && picks(a, s, i)) a->ids[n++] = a->id[i];
    if (a->way->one_by_one)
        for (i = 0; i < n; i++) expect_ok(a, "sap_set_filter", sap_set_filter(a->world, a->ids[i], b[0], b[1]));
    else
        expect_ok(a, "sap_set_filter_many", sap_set_filter_many(a->world, n, a->ids, b[0], b[1]));
    if (a->says) printf("    set_filter_many %d %x %x\n", n, (unsigned)b[0], (unsigned)b[1]);
}

static void fix_some(actor *a, const step *s) {
    int i;
    for (i = 0; i < a->life->boxes; i++) {
        if (!a->live[i] || !picks(a, s, i)) continue;
        a->is_static[i] = (char)(s->seed & 1);
        if (a->says) printf("    set_static %u %d\n", (unsigned)a->id[i], a->is_static[i]);
        expect_ok(a, "sap_set_static", sap_set_static(a->world, a->id[i], a->is_static[i]));
    }
}

static void refuse_some(actor *a, const step *s) {
    int i;
    if (!a->life->refuses) return;
    if (!s->amount)
        for (i = 0; i < a->life->boxes; i++) {
            if (a->live[i] && picks(a, s, i)) expect_ok(a, "sap_refilter", sap_refilter(a->world, a->id[i]));
        }
    else {
        a->refusal = (int)(s->seed & 1);
        expect_ok(a, "sap_set_pair_filter", sap_set_pair_filter(a->world, some_pairs, a));
    }
}

static void shift_origin(actor *a, const step *s) {
    int i, k, by[3];
    float offset[3];
    for (k = 0; k < 3; k++) by[k] = (int)(mixed(s->seed, (uint64_t)k) % (2 * (uint64_t)s->amount + 1)) - s->amount;
    vector_of(a, by, a->exponent, offset);
    for (k = 0; k < 3; k++) by[k] = -by[k];
    for (i = 0; i < a->life->boxes; i++) {
        const place p = moved(a->at[i], by);
        if (a->life->has_box[i] && a->live[i] && !is_near(&p)) return;
    }
    for (i = 0; i < a->life->boxes; i++) {
        a->at[i] = moved(a->at[i], by);
        a->stored[i] = moved(a->stored[i], by);
    }
    if (a->says) printf("    shift_origin %g %g %g\n", (double)offset[0], (double)offset[1], (double)offset[2]);
    expect_ok(a, "sap_shift_origin", sap_shift_origin(a->world, offset));
}

static sap_world *restored_world(actor *a) {
    sap_world *w = create_world(a, a->way->enlarges ? 0 : a->life->margin);
    const size_t size = sap_snapshot_size(a->world);
    void *bytes = malloc(size + 1);
    sap_result result;
    if (!bytes) exit(2);
    expect_ok(a, "sap_save", sap_save(a->world, bytes, size));
    TRY(a, result, sap_restore(w, bytes, size));
    expect_ok(a, "sap_restore", result);
    free(bytes);
    return w;
}

static void renew_world(actor *a) {
    sap_world *w = restored_world(a);
    sap_destroy(a->world);
    a->world = w;
}

/* The boxes of now in a new world, in the order of their ids. */
static int by_id(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}
static sap_world *fresh_world(actor *a, sap_id left_out) {
    const int n = sap_count(a->world);
    uint64_t *ids = (uint64_t *)malloc((size_t)(n + 1) * sizeof *ids);
    sap_world *w = create_world(a, 0);
    sap_id id;
    int i = 0;
    if (!ids) exit(2);
    for (id = sap_next(a->world, 0); id; id = sap_next(a->world, id)) ids[i++] = id;
    qsort(ids, (size_t)n, sizeof *ids, by_id);
    for (i = 0; i < n; i++) {
        sap_aabb box;
        uint32_t category, mask;
        sap_id now;
        id = (sap_id)ids[i];
        if (id == left_out) continue;
        expect_ok(a, "sap_get_box", sap_get_box(a->world, id, &box));
        now = (sap_is_static(a->world, id) ? sap_add_static : sap_add)(w, &box, sap_get_object(a->world, id));
        expect_ok(a, "sap_get_filter", sap_get_filter(a->world, id, &category, &mask));
        expect_ok(a, "sap_set_filter", sap_set_filter(w, now, category, mask));
    }
    free(ids);
    return w;
}

static sap_aabb everything(const actor *a) {
    const place p = {{-ENDLESS, -ENDLESS, -ENDLESS}, {ENDLESS, ENDLESS, ENDLESS}};
    return box_of(a, &p);
}

/* ---- questions ----------------------------------------------------------------------------------------------- */

typedef struct question {
    int kind, k;
    place hero;
    sap_aabb box;
    float point[3], way[3], radius;
    uint32_t mask;
    sap_id from;
} question;

typedef struct hits {
    sap_world *world;
    uint64_t names; /* a sum */
    int count, stop_at, clips, beyond;
    float least, end;
} hits;

static int see(sap_id id, void *object, void *user) {
    hits *h = (hits *)user;
    (void)id;
    h->names += mixed(5, (uint64_t)(uintptr_t)object);
    return ++h->count != h->stop_at;
}

static float see_told(sap_id id, void *object, float t, void *user) {
    hits *h = (hits *)user;
    if (h->count == 0 || test_key(t) < test_key(h->least)) h->least = t;
    if (!see(id, object, user)) return 0;
    if (!h->clips) return h->end;
    h->beyond += test_key(t) > test_key(h->end);
    if (test_key(t) > 0) return h->end = t;
    return h->end = test_float(1); /* 0 would stop it */
}

static int run_query(sap_world *w, const question *q, hits *h) {
    sap_hit *hit = h ? see : NULL;
    sap_ray_hit *told = h ? see_told : NULL;
    if (h) h->end = q->kind == Q_NEAREST ? TEST_INFINITY : 1;
    switch (q->kind) {
    case Q_BOX: return sap_query_box(w, &q->box, q->mask, hit, h);
    case Q_POINT: return sap_query_point(w, q->point, q->mask, hit, h);
    case Q_SPHERE: return sap_query_sphere(w, q->point, q->radius, q->mask, hit, h);
    case Q_RAY: return sap_ray_cast(w, q->point, q->way, q->mask, told, h);
    case Q_BOX_CAST: return sap_box_cast(w, &q->box, q->way, q->mask, told, h);
    default: return sap_query_nearest(w, q->point, q->radius, q->mask, told, h);
    }
}

static int run_ids(sap_world *w, const question *q, sap_id *ids, float *told, int capacity) {
    sap_aabb point;
    memcpy(point.min, q->point, sizeof point.min);
    memcpy(point.max, q->point, sizeof point.max);
    switch (q->kind) {
    case Q_BOX: return sap_query_box_ids(w, &q->box, q->mask, ids, capacity);
    case Q_POINT: return sap_query_box_ids(w, &point, q->mask, ids, capacity);
    case Q_SPHERE: return sap_query_sphere_ids(w, q->point, q->radius, q->mask, ids, capacity);
    case Q_RAY: return sap_ray_cast_ids(w, q->point, q->way, q->mask, ids, told, capacity);
    case Q_NEAREST: return sap_nearest_ids(w, q->point, q->radius, q->mask, ids, told, capacity);
    default: return sap_nearest_to_ids(w, q->from, q->radius, q->mask, ids, told, capacity);
    }
}

static int is_told(int asked) {
    return asked == Q_RAY || asked == Q_NEAREST || asked == Q_NEAREST_TO;
}

static sap_id run_closest(sap_world *w, const question *q, float *told) {
    switch (q->kind) {
    case Q_RAY: return sap_ray_closest(w, q->point, q->way, q->mask, told);
    case Q_NEAREST: return sap_nearest(w, q->point, q->radius, q->mask, told);
    case Q_NEAREST_TO: return sap_nearest_to(w, q->from, q->radius, q->mask, told);
    default: return sap_box_closest(w, &q->box, q->way, q->mask, 0, told, NULL);
    }
}

/* The axes of the life, without mirrors. */
static void note_normal(actor *a, const float normal[3]) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        const int key = test_key(normal[a->turn[axis]]);
        add_note(a, "normal", (uint64_t)(int64_t)(a->way->mirrors >> axis & 1 ? -key : key));
    }
}

static void note_box(actor *a, const sap_aabb *box) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        const int k = a->turn[axis], is_mirrored = a->way->mirrors >> axis & 1;
        if (!(a->life->axes >> axis & 1)) continue;
        note_float(a, "box.min", is_mirrored ? -box->max[k] : box->min[k], 0);
        note_float(a, "box.max", is_mirrored ? -box->min[k] : box->max[k], 0);
    }
}

static void note_ids(actor *a, sap_world *w, const question *q, int n, const sap_id *ids, const float *told) {
    uint64_t names = 0;
    int i;
    add_note(a, "count", (uint64_t)(int64_t)n);
    for (i = 0; i < n; i++) {
        if (a->law->watch & NO_TIES)
            names += mixed(3, name_of(w, ids[i]));
        else
            names = mixed(names, name_of(w, ids[i]));
        if (a->says) printf("      id %u, object %d\n", (unsigned)ids[i], (int)name_of(w, ids[i]));
        if (is_told(q->kind)) note_float(a, "what is told", told[i], q->kind == Q_RAY);
    }
    add_note(a, a->law->watch & NO_TIES ? "ids, in any order" : "ids", names);
}

static int accept_others(sap_id id, void *object, void *user) {
    (void)object;
    return id != *(const sap_id *)user;
}

static int slide(sap_world *w, const question *q, form f, sap_aabb *box, sap_id stopped_by[3]) {
    sap_id from = f == SLIDES_PAST || f == REFUSES ? q->from : 0;
#if SAP_VERSION_NUMBER >= 500
    if (f == SLIDES_IF || f == REFUSES) return sap_slide_if(w, box, q->way, q->mask, accept_others, &from, stopped_by);
#else
    (void)accept_others;
#endif
    return sap_slide(w, box, q->way, q->mask, from, stopped_by);
}

/* On a floor it goes on from where it ended, back on one axis after another. */
static void ask_slide(actor *a, sap_world *w, const question *q, form f) {
    sap_world *other = f == REMOVES ? fresh_world(a, q->from) : w;
    question now = *q;
    sap_id stopped_by[3] = {9, 9, 9};
    int axis, leg;
    for (leg = 0; leg < (a->life->scene == SCENE_FLOOR ? 4 : 1); leg++) {
        add_note(a, "stops", (uint64_t)(int64_t)slide(other, &now, f, &now.box, stopped_by));
        note_box(a, &now.box);
        for (axis = 0; axis < 3 && !(a->law->watch & NO_TIES); axis++)
            add_note(a, "stopped_by", name_of(other, stopped_by[a->turn[axis]]));
        if (leg < 3) now.way[a->turn[leg]] = -now.way[a->turn[leg]];
    }
    if (other != w) sap_destroy(other);
}

static void ask_in_full(actor *a, sap_world *w, const question *q) {
    const int room = sap_count(w) + 1;
    sap_id *ids = (sap_id *)malloc((size_t)room * sizeof *ids), id;
    float *told = (float *)malloc((size_t)room * sizeof *told), t, normal[3];
    hits h;
    if (!ids || !told) exit(2);
    switch (q->kind) {
    case Q_SLIDE: ask_slide(a, w, q, SLIDES); break;
    case Q_BOX_CAST:
    case Q_BOX_CLOSEST:
        if (q->kind == Q_BOX_CAST) {
            memset(&h, 0, sizeof h);
            add_note(a, "hits", (uint64_t)(int64_t)run_query(w, q, &h));
            add_note(a, "visited", h.names);
        }
        id = sap_box_closest(w, &q->box, q->way, q->mask, 0, &t, normal);
        if (!(a->law->watch & NO_TIES)) add_note(a, "closest", name_of(w, id));
        note_float(a, "t", t, 1);
        if (!(a->law->watch & NO_TIES) && a->life->scene != SCENE_FLOOR) note_normal(a, normal); /* an edge of a tile */
        break;
    default: note_ids(a, w, q, run_ids(w, q, ids, told, room), ids, told);
    }
    free(ids);
    free(told);
}

/* Whether a ray as a box of no size is the same question: it begins in no box. */
static int begins_apart(sap_world *w, const question *q) {
    if (q->kind == Q_RAY) return sap_query_point(w, q->point, ~0u, NULL, NULL) == 0;
    return sap_query_box(w, &q->box, ~0u, NULL, NULL) == 0;
}

static void ask_in_form(actor *a, sap_world *w, const question *q, form f) {
    const int room = sap_count(w) + 1;
    sap_id *ids = (sap_id *)malloc((size_t)room * sizeof *ids), id;
    float *told = (float *)malloc((size_t)room * sizeof *told), t = -7;
    question now = *q;
    sap_aabb point;
    hits h;
    int n, i;
    if (!ids || !told) exit(2);
    memset(&h, 0, sizeof h);
    h.world = w;
    h.stop_at = f == STOPS ? q->k : 0;
    h.clips = f == CLIPS;
    switch (f) {
    case COUNT: add_note(a, "hits", (uint64_t)(int64_t)run_query(w, q, NULL)); break;
    case VISITS:
        n = run_query(w, q, &h);
        add_note(a, "hits", (uint64_t)(int64_t)n);
        if (n != h.count) add_note(a, "calls of the callback", (uint64_t)(int64_t)h.count);
        break;
    case COUNT_IDS: add_note(a, "hits", (uint64_t)(int64_t)run_ids(w, q, NULL, NULL, 0)); break;
    case ROOM: add_note(a, "hits", (uint64_t)(int64_t)run_ids(w, q, ids, told, room)); break;
    case VISITED:
        (void)run_query(w, q, &h);
        add_note(a, "who is hit", h.names);
        break;
    case IDS:
        n = run_ids(w, q, ids, told, room);
        for (i = 0; i < n; i++) h.names += mixed(5, name_of(w, ids[i]));
        add_note(a, "who is hit", h.names);
        break;
    case FIRST:
        n = run_ids(w, q, ids, told, q->k < room ? q->k : room);
        add_note(a, "returned", (uint64_t)(int64_t)n);
        note_ids(a, w, q, n < q->k ? n : q->k, ids, told);
        break;
    case FIRST_OF_ALL:
        n = run_ids(w, q, ids, told, room);
        add_note(a, "returned", (uint64_t)(int64_t)(is_told(q->kind) && n > q->k ? q->k : n));
        note_ids(a, w, q, n < q->k ? n : q->k, ids, told);
        break;
    case STOPS: add_note(a, "visits", (uint64_t)(int64_t)run_query(w, q, &h)); break;
    case STOPPED:
        n = run_query(w, q, NULL);
        add_note(a, "visits", (uint64_t)(int64_t)(n < q->k ? n : q->k));
        break;
    case CLIPS:
        if (q->kind == Q_BOX_CAST && !begins_apart(w, q)) break;
        (void)run_query(w, q, &h);
        add_note(a, "is hit", h.count > 0);
        if (h.beyond) add_note(a, "hits beyond the end", (uint64_t)h.beyond);
        if (h.count) note_float(a, "least", h.least, q->kind != Q_NEAREST);
        break;
    case CLOSEST:
    case AGAIN:
    case FIRST_ID:
        if (q->kind == Q_BOX_CAST && !begins_apart(w, q)) break;
        if (f != FIRST_ID) id = run_closest(w, &now, &t);
        if (f == AGAIN && id) now.radius = t, id = run_closest(w, &now, &t);
        if (f == FIRST_ID) id = run_ids(w, q, ids, told, 1) == 1 ? t = told[0], ids[0] : 0;
        add_note(a, "is hit", id != 0);
        if (id) note_float(a, "least", t, q->kind == Q_RAY || q->kind == Q_BOX_CAST);
        if (id && a->law->other.form != CLIPS) add_note(a, "who", name_of(w, id));
        break;
    case AS_A_BOX:
        memcpy(point.min, q->point, sizeof point.min);
        memcpy(point.max, q->point, sizeof point.max);
        id = sap_box_closest(w, &point, q->way, q->mask, 0, &t, NULL);
        if (!begins_apart(w, q)) id = run_closest(w, q, &t);
        add_note(a, "is hit", id != 0);
        if (id) note_float(a, "least", t, q->kind == Q_RAY || q->kind == Q_BOX_CAST);
        if (id) add_note(a, "who", name_of(w, id));
        break;
    case SLIDES:
    case SLIDES_IF:
    case SLIDES_PAST:
    case REFUSES:
    case REMOVES: ask_slide(a, w, q, f); break;
    default: ask_in_full(a, w, q);
    }
    free(ids);
    free(told);
}

/* Near boxes, so that something is hit, and at their sides. */
static question draw_question(actor *a, test_rng *rng, int kinds) {
    const life *l = a->life;
    question q;
    int point[3], by[3], axis, i = -1, aim = -1, tries, radius;
    memset(&q, 0, sizeof q);
    do q.kind = test_below(rng, QUESTIONS);
    while (kinds && !(kinds >> q.kind & 1));
    for (tries = 0; tries < 9; tries++) { /* in the order of draws: lives without some boxes ask something else */
        const int j = test_below(rng, l->boxes);
        if (!a->live[j] || !is_led(a, j)) continue;
        if (i < 0) i = j;
        aim = j;
    }
    radius = test_chance(rng, 60) ? l->size * draw(rng, 0, 3) : draw(rng, 0, l->side);
    for (axis = 0; axis < 3; axis++) {
        const int anywhere = draw(rng, -l->side, l->side), on = test_below(rng, 4), off = draw(rng, -1, 1);
        const int aims = test_below(rng, 5), past = draw(rng, -2, 2);
        const int large = l->size * draw(rng, l->scene == SCENE_FLOOR, 2),
                  size = l->is_lattice ? large : large / draw(rng, 1, 2);
        int at = anywhere;
        if (i >= 0 && on) at = (on & 1 ? a->at[i].lo[axis] : a->at[i].hi[axis]) + off;
        if (at < -(1 << 22) || at > 1 << 22) at = anywhere;
        point[axis] = at;
        q.hero.lo[axis] = on == 1 ? at - size : at;
        q.hero.hi[axis] = on == 1 ? at : at + size;
        by[axis] = test_chance(rng, 25)   ? 0
                   : test_chance(rng, 60) ? draw(rng, -2 * l->size, 2 * l->size)
                                          : draw(rng, -l->side, l->side);
        if (aim >= 0 && aims < 2 && !(a->law->watch & NO_TOUCH) &&
            !is_endless(a->at[aim].lo[axis])) /* at a side, or just not so far */
            by[axis] = (aims ? a->at[aim].lo[axis] : a->at[aim].hi[axis]) - at + past;
    }
    q.mask = test_chance(rng, 70) ? ~0u : 1u << test_below(rng, 4);
    q.k = draw(rng, 1, 6);
    if (q.kind == Q_NEAREST_TO && i < 0) q.kind = Q_NEAREST;
    q.from = i >= 0 ? a->id[i] : 0;
    q.radius = test_chance(rng, 10) ? TEST_INFINITY : float_of(radius, a->exponent);
    vector_of(a, point, a->exponent, q.point);
    vector_of(a, by, a->exponent, q.way);
    q.box = box_of(a, &q.hero);
    if (q.kind == Q_BOX && test_chance(rng, 10)) q.box = everything(a);
    return q;
}

/* Whether the hero of a question lies in a box, deeper than a touch. */
static int is_inside(const actor *a, const question *q, int touches) {
    int i, axis;
    for (i = 0; i < a->life->boxes; i++) {
        int meets = a->live[i] && is_led(a, i);
        for (axis = 0; axis < 3 && meets; axis++)
            if (a->life->axes >> axis & 1)
                meets =
                    q->hero.lo[axis] < a->at[i].hi[axis] + touches && a->at[i].lo[axis] < q->hero.hi[axis] + touches;
        if (meets) return 1;
    }
    return 0;
}

static int is_flat(const actor *a, const question *q) {
    int axis, flat = 0;
    for (axis = 0; axis < 3; axis++) flat |= a->life->axes >> axis & 1 && q->hero.lo[axis] == q->hero.hi[axis];
    return flat;
}

static void prepare(actor *a) {
    sap_result result;
    TRY(a, result, sap_prepare_queries(a->world));
    expect_ok(a, "sap_prepare_queries", result);
}

typedef struct nested {
    actor *a;
    const question *q;
    form form;
    int done;
} nested;

static int ask_inside(sap_id id, void *object, void *user) {
    nested *n = (nested *)user;
    int i;
    (void)object;
    for (i = 0; i < 3 && id; i++, id = sap_next(n->a->world, id)) /* recorded as changed, though they have not */
        expect_ok(n->a, "sap_refilter", sap_refilter(n->a->world, id));
    ask_in_form(n->a, n->a->world, n->q, n->form);
    n->done = 1;
    return 0;
}

static void say_question(const actor *a, const question *q) {
    if (!a->says) return;
    say_box(a, question_names[q->kind], q->from, &q->box);
    printf("      point %.9g %.9g %.9g way %.9g %.9g %.9g radius %.9g mask %x k %d\n", (double)q->point[0],
           (double)q->point[1], (double)q->point[2], (double)q->way[0], (double)q->way[1], (double)q->way[2],
           (double)q->radius, (unsigned)q->mask, q->k);
}

static void ask(actor *a, const step *s) {
    const int floor = a->life->scene == SCENE_FLOOR, touch = a->law->watch & NO_TOUCH, says = a->says;
    test_rng rng;
    int i;
    rng.state = s->seed;
    for (i = 0; i < s->amount; i++) {
        question q = draw_question(a, &rng, a->law->kinds);
        sap_world *w = a->world;
        sap_aabb all = everything(a);
        nested n;
        const int is_met = q.kind == Q_SLIDE || q.kind == Q_BOX_CLOSEST || q.kind == Q_BOX_CAST;
        if (a->law->watch & NO_TIES && q.kind == Q_SLIDE && is_flat(a, &q)) continue; /* who is met first decides */
        if (is_met && (floor || touch) && is_inside(a, &q, touch || q.kind != Q_SLIDE)) continue;
        a->question = i;
        if (a->way->fails) prepare(a);
        a->says = says && a->step == difference.step && i == difference.question;
        say_question(a, &q);
        n.a = a;
        n.q = &q;
        n.form = a->way->form;
        n.done = 0;
        if (a->way->asks == FRESH) {
            void *from = sap_get_object(w, q.from);
            w = fresh_world(a, 0);
            for (q.from = sap_next(w, 0); q.from && sap_get_object(w, q.from) != from;) q.from = sap_next(w, q.from);
        }
        if (a->way->asks == RESTORED) w = restored_world(a);
        if (a->way->asks == INSIDE) (void)sap_query_box(w, &all, ~0u, ask_inside, &n);
        if (!n.done) ask_in_form(a, w, &q, a->way->form);
        if (w != a->world) sap_destroy(w);
    }
    a->question = 0;
    a->says = says;
}

/* Questions that no law needs, of callbacks that go on, stop and clip, one inside another. */
static int ask_noise_inside(sap_id id, void *object, void *user) {
    nested *n = (nested *)user;
    (void)id;
    (void)object;
    if (n->done++ < 2) ask_in_full(n->a, n->a->world, n->q);
    return n->done < 3;
}
static void make_noise(actor *a) {
    static const form forms[] = {ALL, COUNT, VISITS, STOPS, CLIPS, CLOSEST};
    const int was_mute = a->is_mute;
    int i;
    a->is_mute = 1;
    for (i = test_below(&a->dice, 4); i > 0; i--) {
        question q = draw_question(a, &a->dice, 0);
        const form f = forms[test_below(&a->dice, 6)];
        sap_aabb all = everything(a);
        nested n;
        n.a = a;
        n.q = &q;
        n.done = 0;
        if (test_chance(&a->dice, 20)) (void)sap_prepare_queries(a->world);
        if (test_chance(&a->dice, 20)) (void)sap_query_box(a->world, &all, ~0u, ask_noise_inside, &n);
        if (q.kind == Q_SLIDE || q.kind == Q_NEAREST_TO || q.kind == Q_BOX_CLOSEST)
            ask_in_full(a, a->world, &q);
        else
            ask_in_form(a, a->world, &q, f);
    }
    a->is_mute = was_mute;
}

/* ---- callbacks that act -------------------------------------------------------------------------------------- */

/* Some boxes go, and some that are not there come. */
static void act(actor *a) {
    step s = *a->acts;
    int *list = a->list, i, n = 0;
    if (a->has_acted) return;
    a->has_acted = 1;
    s.amount = 0;
    for (i = 0; i < a->life->boxes; i++) {
        if (!picks(a, &s, i)) continue;
        if (a->live[i]) {
            a->live[i] = 0;
            a->live_count--;
            a->removed += a->was_seen[i];
            a->held += !a->was_seen[i];
            if (a->says) printf("    remove %u\n", (unsigned)a->id[i]);
            expect_ok(a, "sap_remove", sap_remove(a->world, a->id[i]));
        } else
            list[n++] = i;
    }
    for (i = 0; i < n; i++) add_boxes(a, &list[i], 1, kind_of(a->life, list[i]).is_static && !a->way->moving, s.seed);
    for (i = 0; i < n; i++) { /* half of them go at once, before an update has seen them */
        if (list[i] & 2) continue;
        a->live[list[i]] = 0;
        a->live_count--;
        a->held++;
        if (a->says) printf("    remove %u\n", (unsigned)a->id[list[i]]);
        expect_ok(a, "sap_remove", sap_remove(a->world, a->id[list[i]]));
    }
    if (a->way->noise) make_noise(a);
    for (i = 0; i < n; i++)
        if (!(list[i] & 6))
            add_boxes(a, &list[i], 1, kind_of(a->life, list[i]).is_static && !a->way->moving, s.seed + 1);
}

static int act_in_query(sap_id id, void *object, void *user) {
    (void)id;
    (void)object;
    act((actor *)user);
    return 1;
}

static void *data_of(const sap_pair *pair) {
    const uintptr_t x = (uintptr_t)pair->object0, y = (uintptr_t)pair->object1;
    return (void *)(x * y * 7919 + x + y);
}
static void *act_in_create(const sap_pair *pair, void *user) {
    void *data = data_of(pair);
    act((actor *)user);
    return data;
}
static void act_in_delete(const sap_pair *pair, void *user) {
    (void)pair;
    act((actor *)user);
}

/* ---- updates ------------------------------------------------------------------------------------------------- */

static uint64_t print_of_pairs(const actor *a, const sap_pair *pairs, int count) {
    uint64_t sum = (uint64_t)count;
    int i;
    for (i = 0; i < count && a->law->watch & ORDER; i++) { /* field by field: pointers have the size of the machine's */
        sum = mixed(sum, (uint64_t)pairs[i].id0 << 32 | pairs[i].id1);
        sum = mixed(mixed(sum, (uintptr_t)pairs[i].object0), (uintptr_t)pairs[i].object1);
        sum = mixed(sum, (uintptr_t)pairs[i].user_data);
    }
    if (a->law->watch & ORDER) return sum;
    for (i = 0; i < count; i++) {
        const uint64_t x = (uint64_t)(uintptr_t)pairs[i].object0, y = (uint64_t)(uintptr_t)pairs[i].object1;
        if (kind_of(a->life, (int)x - 1).is_static && kind_of(a->life, (int)y - 1).is_static && a->way->moving) {
            sum--;
            continue;
        }
        sum += mixed(x * y, x + y);
    }
    return sum;
}

static void note_pairs(actor *a) {
    int n;
    const sap_pair *pairs = sap_created(a->world, &n);
    add_note(a, "created", print_of_pairs(a, pairs, n));
    pairs = sap_deleted(a->world, &n);
    add_note(a, "deleted", print_of_pairs(a, pairs, n));
    pairs = sap_pairs(a->world, &n);
    add_note(a, "pairs", print_of_pairs(a, pairs, n));
    if (a->says && n < 20)
        for (; n > 0; n--)
            printf("      pair %d %d\n", number_of_object(pairs[n - 1].object0),
                   number_of_object(pairs[n - 1].object1));
}

static void note_snapshot(actor *a) {
    const size_t size = sap_snapshot_size(a->world);
    void *bytes = malloc(size + 1);
    if (!bytes) exit(2);
    expect_ok(a, "sap_save", sap_save(a->world, bytes, size));
    if (a->life->margin) memset((char *)bytes + 36, 0, 12); /* the margin and the check: one world may have none */
    add_note(a, "snapshot", test_hash(14695981039346656037u, bytes, size));
    free(bytes);
}

/* The order in which callbacks see the movers is that of their tree, and changes when this is packed. */
static int see_order(sap_id id, void *object, void *user) {
    uint64_t *order = (uint64_t *)user;
    (void)id;
    if (!is_second((const life *)(uintptr_t)order[1], number_of_object(object)))
        *order = mixed(*order, (uint64_t)(uintptr_t)object);
    return 1;
}
static void note_order(actor *a) {
    uint64_t order[2] = {0, (uint64_t)(uintptr_t)a->life};
    const sap_aabb all = everything(a);
    (void)sap_query_box(a->world, &all, ~0u, see_order, order);
    add_note(a, "order of the movers", order[0]);
}

static void update(actor *a, const step *s) {
    sap_result result;
    const int removed = a->removed; /* these count until the update has ended */
    sap_stats stats;
    int i;
    a->acts = s;
    a->has_acted = 0;
    if (a->way->noise) make_noise(a);
    memcpy(a->was_seen, a->live, (size_t)a->life->boxes);
    for (i = 0; i < a->life->boxes && a->way->refilters; i++)
        if (a->live[i] && mixed(s->seed, (uint64_t)i) % 3 == 0)
            expect_ok(a, "sap_refilter", sap_refilter(a->world, a->id[i]));
    if (s->amount && !(a->life->without & NO_ACT)) {
        TRY(a, result, (i = sap_dump_pairs(a->world, act_in_create, act_in_delete, a)) < 0 ? (sap_result)-i : SAP_OK);
        act(a);
    } else {
        TRY(a, result, sap_update(a->world));
        if (a->says) printf("    update\n");
    }
    expect_ok(a, "sap_update", result);
    a->removed -= removed;
    a->held = 0;
    sap_get_stats(a->world, &stats);
    if (stats.pairs > a->most_pairs) a->most_pairs = stats.pairs;
    if (a->law->watch & COSTS) {
        a->tests += stats.overlap_tests;
        (void)sap_prepare_queries(a->world);
        sap_get_stats(a->world, &stats); /* upkeep is counted since the update began */
        a->upkeep += stats.upkeep;
        note_order(a);
    }
    if (a->law->watch & PAIRS) note_pairs(a);
    if (a->way->reserves) add_note(a, "allocations", (uint64_t)(allocations - a->allocated));
    if (a->way->renews) renew_world(a);
    if (a->law->watch & SNAPSHOTS && s->seed % 4 == 0) note_snapshot(a);
    if (s->seed % 16 == 0 && sap_validate(a->world)) add_note(a, sap_validate(a->world), 0);
}

/* ---- lives, led ---------------------------------------------------------------------------------------------- */

static void open_actor(actor *a, const life *l, const law *w, const way_of_life *led) {
    const size_t n = (size_t)l->boxes;
    int axis;
    memset(a, 0, sizeof *a);
    a->life = l;
    a->law = w;
    a->way = led;
    a->group = 3;
    a->dice.state = mixed(l->seed, 99);
    a->exponent = led->unscaled ? 0 : l->exponent;
    for (axis = 0; axis < 3; axis++) {
        a->turn[axis] = (axis + led->turns) % 3;
        a->axes |= (l->axes >> axis & 1) << a->turn[axis];
    }
    a->at = (place *)calloc(n, sizeof *a->at);
    a->stored = (place *)calloc(n, sizeof *a->stored);
    a->to = (place *)calloc(n, sizeof *a->to);
    a->id = (sap_id *)calloc(n, sizeof *a->id);
    a->ids = (sap_id *)calloc(n + 1, sizeof *a->ids);
    a->list = (int *)calloc(n, sizeof *a->list);
    a->boxes = (sap_aabb *)calloc(n, sizeof *a->boxes);
    a->objects = (void **)calloc(n, sizeof *a->objects);
    a->bytes = (char *)calloc(3, n);
    if (!a->at || !a->stored || !a->to || !a->id || !a->ids || !a->list || !a->boxes || !a->objects || !a->bytes)
        exit(2);
    a->live = a->bytes;
    a->is_static = a->bytes + n;
    a->was_seen = a->bytes + 2 * n;
}

static void close_actor(actor *a) {
    sap_destroy(a->world);
    free(a->at);
    free(a->stored);
    free(a->to);
    free(a->id);
    free(a->ids);
    free(a->list);
    free(a->boxes);
    free(a->objects);
    free(a->bytes);
    free(a->notes);
}

static void lead_step(actor *a, const step *s) {
    const int without = a->life->without;
    sap_aabb all = everything(a);
    int i;
    switch (s->op) {
    case ADD: add_some(a, s); break;
    case REMOVE: remove_some(a, s); break;
    case WALK:
    case JUMP:
    case RESIZE:
    case DRIFT:
    case GATHER: move_some(a, s); break;
    case FILTER:
        if (!(without & NO_FILTER)) filter_some(a, s);
        break;
    case FIX:
        if (!(without & NO_FIX)) fix_some(a, s);
        break;
    case REFUSE: refuse_some(a, s); break;
    case SHIFT:
        if (!(without & NO_SHIFT)) shift_origin(a, s);
        break;
    case CLEAR:
        for (i = 0; i < a->life->boxes; i++) {
            a->removed += a->live[i] && a->was_seen[i];
            a->live[i] = 0;
        }
        a->live_count = 0;
        expect_ok(a, "sap_clear", sap_clear(a->world));
        break;
    case REPLACE:
        if (!(without & NO_REPLACE)) renew_world(a);
        break;
    case ACT:
        if (without & NO_ACT) break;
        a->acts = s;
        a->has_acted = 0;
        if (a->way->fails) prepare(a);
        (void)sap_query_box(a->world, &all, ~0u, act_in_query, a);
        act(a);
        a->held = 0;
        break;
    case ASK:
        if (a->law->watch & ASKS) ask(a, s);
        break;
    default: update(a, s);
    }
}

/* Questions before an update are asked behind it, or the other way. */
static void lead(actor *a, int boxes, int pairs) {
    const life *l = a->life;
    int i, asked = -1;
    a->world = create_world(a, a->way->enlarges ? 0 : l->margin);
    if (a->way->reserves) {
        expect_ok(a, "sap_reserve", sap_reserve(a->world, boxes, pairs));
        a->allocated = allocations;
        always_fail();
    }
    for (i = 0; i < l->step_count; i++) {
        const step *s = &l->steps[i];
        if (!l->has_step[i]) continue;
        a->step = i;
        if (a->says) printf("  %d %s %d%% %d\n", i, op_names[s->op], s->percent, s->amount);
        if (a->way->noise) make_noise(a);
        if (a->way->asks == AFTER && s->op == ASK && i + 1 < l->step_count && l->steps[i + 1].op == UPDATE &&
            l->has_step[i + 1] && !l->steps[i + 1].amount) {
            asked = i;
            continue;
        }
        lead_step(a, s);
        if (asked < 0) continue;
        a->step = asked;
        lead_step(a, &l->steps[asked]);
        asked = -1;
    }
    a->step = l->step_count;
    if (sap_validate(a->world)) add_note(a, sap_validate(a->world), 0);
    never_fail();
}

/* ---- laws ---------------------------------------------------------------------------------------------------- */

#define K(kind) (1 << (kind))
enum {
    ANY_HITS = K(Q_BOX) | K(Q_POINT) | K(Q_SPHERE) | K(Q_RAY) | K(Q_NEAREST),
    AUTO = SAP_METHOD_AUTO,
    SORT = SAP_METHOD_SORT,
    PRUNE = SAP_METHOD_PRUNE,
    QUERY = SAP_METHOD_QUERY,
    ANY_CALLS = ANY_HITS | K(Q_BOX_CAST),
    CASTS = K(Q_RAY) | K(Q_BOX_CAST),
    NEAREST = K(Q_NEAREST) | K(Q_NEAREST_TO),
    RANKED = K(Q_RAY) | K(Q_NEAREST) | K(Q_NEAREST_TO),
    ANY_IDS = ANY_HITS | K(Q_NEAREST_TO),
    ANY_WORLD = SCENES | WITH_ASKS,
    RESERVED = SCENES | NO_REPLACE | FREE_CHOICE,
    SLIDES_IN = ANY_WORLD | SCENE_FLOOR,
    FREE_WORLD = ANY_WORLD | NO_LATTICE | NO_MARGIN,
    FLOOR = SCENE_FLOOR | NO_MARGIN | NO_FILTER | NO_FIX | NO_ACT,
    TWO_WORLDS = SCENE_TWO | NO_MARGIN | NO_FILTER | NO_FIX | NO_ACT | NO_REPLACE | NO_SHIFT | FREE_CHOICE,
    EXACT = PAIRS | ORDER | SNAPSHOTS
};

/* clang-format off */
static const law laws[] = {
    {"a count is the number of visits", ASKS, ANY_CALLS, ANY_WORLD, {.form = COUNT}, {.form = VISITS}},
    {"a count is that of the ids", ASKS, ANY_HITS, ANY_WORLD, {.form = COUNT}, {.form = COUNT_IDS}},
    {"ids without room are counted", ASKS, ANY_IDS, ANY_WORLD, {.form = COUNT_IDS}, {.form = ROOM}},
    {"ids are who is visited", ASKS, ANY_HITS, ANY_WORLD, {.form = VISITED}, {.form = IDS}},
    {"few ids are the first of all", ASKS, ANY_IDS, ANY_WORLD, {.form = FIRST}, {.form = FIRST_OF_ALL}},
    {"a callback that stops is the last", ASKS, ANY_CALLS, ANY_WORLD, {.form = STOPPED}, {.form = STOPS}},
    {"the closest is the first id", ASKS, RANKED, ANY_WORLD, {.form = CLOSEST}, {.form = FIRST_ID}},
    {"the closest is what clips", ASKS, CASTS | K(Q_NEAREST), ANY_WORLD, {.form = CLOSEST}, {.form = CLIPS}},
    {"the closest is found again", ASKS, NEAREST, ANY_WORLD, {.form = CLOSEST}, {.form = AGAIN}},
    {"a ray is a box of no size", ASKS, K(Q_RAY), ANY_WORLD, {.form = CLOSEST}, {.form = AS_A_BOX}},
    {"an update changes no answer", ASKS, 0, ANY_WORLD | NO_ACT, {.asks = BEFORE}, {.asks = AFTER}},
    {"a new world answers as an old one", ASKS, 0, ANY_WORLD, {.asks = HERE}, {.asks = FRESH}},
    {"a restored world answers as its origin", ASKS, 0, ANY_WORLD, {.asks = HERE}, {.asks = RESTORED}},
    {"a query inside another is as outside", ASKS, 0, ANY_WORLD, {.asks = HERE}, {.asks = INSIDE}},
    {"a reserved world never allocates", EXACT | ASKS, 0, RESERVED, {.fails = 0}, {.reserves = 1}},
    {"pruning sees what sorting sees", EXACT, 0, SCENES, {.method = PRUNE}, {.method = SORT, .noise = 1}},
    {"queries see what pruning sees", EXACT | ASKS, 0, SCENES, {.method = QUERY, .noise = 1}, {.method = PRUNE}},
    {"a choice sees what sorting sees", EXACT | ASKS, 0, SCENES | FREE_CHOICE, {.method = AUTO}, {.method = SORT}},
    {"queries leave no trace", EXACT | ASKS, 0, SCENES, {.noise = 0}, {.noise = 1}},
    {"a scaled world", PAIRS | ASKS | SCALES, 0, ANY_WORLD | SCENE_FLOOR, {.unscaled = 1}, {.unscaled = 0}},
    {"a mirrored world", PAIRS | ASKS | NO_TOUCH, 0, FREE_WORLD, {.mirrors = 0}, {.mirrors = 5}},
    {"a world with axes renamed", PAIRS | ASKS | NO_TOUCH, 0, FREE_WORLD, {.turns = 0}, {.turns = 1}},
    {"boxes in another order", PAIRS | ASKS | NO_TIES, 0, ANY_WORLD, {.reversed = 0}, {.reversed = 1}},
    {"one call is many", EXACT | ASKS, 0, SCENES, {.one_by_one = 0}, {.one_by_one = 1}},
    {"two moves are the last one", EXACT | ASKS, 0, SCENES | NO_MARGIN, {.twice = 0}, {.twice = 1}},
    {"a refilter of what has not changed", EXACT | ASKS, 0, SCENES, {.refilters = 0}, {.refilters = 1}},
    {"a restored world goes on", EXACT | ASKS, 0, SCENES, {.renews = 0}, {.renews = 1}},
    {"a floor of tiles is one floor", ASKS, K(Q_SLIDE) | K(Q_BOX_CLOSEST), FLOOR, {.tiles = 0}, {.tiles = 1}},
    {"a ray meets one floor", ASKS, K(Q_RAY) | K(Q_NEAREST), FLOOR, {.form = CLOSEST}, {.form = CLOSEST, .tiles = 1}},
    {"a slide among all", ASKS, K(Q_SLIDE), SLIDES_IN, {.form = SLIDES}, {.form = SLIDES_IF}},
    {"a slide past one refuses it", ASKS, K(Q_SLIDE), SLIDES_IN, {.form = SLIDES_PAST}, {.form = REFUSES}},
    {"a slide past one misses it", ASKS, K(Q_SLIDE), SLIDES_IN, {.form = SLIDES_PAST}, {.form = REMOVES}},
    {"a margin enlarges", EXACT | ASKS, 0, SCENES | WITH_MARGIN, {.enlarges = 0}, {.enlarges = 1}},
    {"a static box is one that rests", PAIRS, 0, SCENES | NO_FIX | NO_MARGIN, {.moving = 0}, {.moving = 1}},
    {"mask 0 is no box", PAIRS | MASK_0, 0, SCENES | NO_FILTER, {.without = 0}, {.without = 1}},
    {"rest costs nothing, chosen", COSTS, 0, TWO_WORLDS, {.method = AUTO}, {.method = AUTO}},
    {"rest costs nothing, sorted", COSTS, 0, TWO_WORLDS, {.method = SORT}, {.method = SORT}},
    {"memory that fails changes nothing", EXACT | ASKS, 0, SCENES, {.fails = 0}, {.fails = 1}},
};
/* clang-format on */
enum { LAWS = sizeof laws / sizeof laws[0] };

static char verdict[400];

/* A tenth more than the two alone is no more, and a few nodes in each update and for each box that comes. */
static int is_more(const char *what, const long long *cost, int spare) {
    const long long alone = cost[1] + cost[2];
    if (cost[3] <= alone + alone / 10 + spare) return 0;
    snprintf(verdict, sizeof verdict, "%s of two worlds in one: %lld, alone %lld and %lld", what, cost[3], cost[1],
             cost[2]);
    return 1;
}

static int costs_more(const life *l, const law *w) {
    long long tests[4], upkeep[4];
    actor a[4];
    int i, added, updates = 0, same = 1;
    for (i = 1; i < 4; i++) {
        open_actor(&a[i], l, w, &w->one);
        a[i].group = i;
        lead(&a[i], 0, 0);
        tests[i] = w->one.method == SAP_METHOD_SORT ? 0 : a[i].tests; /* it tests all that is added */
        upkeep[i] = a[i].upkeep;
    }
    for (i = 0; i < a[1].note_count && !a[2].added; i++) /* added statics look at the movers */
        same &= a[1].notes[i].value == a[3].notes[i].value;
    added = a[3].added;
    for (i = 1; i < 4; i++) close_actor(&a[i]);
    for (i = 0; i < l->step_count; i++) updates += l->has_step[i] && l->steps[i].op == UPDATE;
    snprintf(verdict, sizeof verdict, "what is done to statics packs the tree of the movers");
    return !same || is_more("tests", tests, 200 * updates + 32 * added) || is_more("upkeep", upkeep, 200 * updates);
}

/* Whether a life breaks a law; then the verdict says how. */
static int breaks(const life *l, const law *w, int says) {
    actor a, b;
    int i, same;
    if (w->watch & COSTS) return costs_more(l, w);
    open_actor(&a, l, w, &w->one);
    open_actor(&b, l, w, &w->other);
    a.says = b.says = says;
    if (says) printf("  one:\n");
    lead(&a, 0, 0);
    if (says) printf("  the other:\n");
    lead(&b, a.most_boxes, a.most_pairs);
    if (w->other.reserves) {
        int kept = 0;
        for (i = 0; i < b.note_count; i++) {
            if (strcmp(b.notes[i].what, "allocations") == 0 && b.notes[i].value == 0) continue;
            b.notes[kept++] = b.notes[i];
        }
        b.note_count = kept;
    }
    for (i = 0; i < a.note_count && i < b.note_count; i++)
        if (a.notes[i].value != b.notes[i].value || strcmp(a.notes[i].what, b.notes[i].what) != 0) break;
    same = i == a.note_count && i == b.note_count;
    if (!same) {
        const note none = {"nothing", -1, 0, 0}, *x = i < a.note_count ? &a.notes[i] : &none,
                   *y = i < b.note_count ? &b.notes[i] : &none;
        difference = *(x->step < 0 ? y : x);
        snprintf(verdict, sizeof verdict, "step %d, %s %llx; and step %d, %s %llx", x->step, x->what,
                 (unsigned long long)x->value, y->step, y->what, (unsigned long long)y->value);
    }
    close_actor(&a);
    close_actor(&b);
    if (same && (live_blocks || faults)) {
        snprintf(verdict, sizeof verdict, "%ld blocks are left, %d faults of memory", live_blocks, faults);
        return 1;
    }
    return !same;
}

/* ---- shorter lives ------------------------------------------------------------------------------------------- */

static double seconds_now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int shorten(life *l, const law *w, char *has, int n, double until) {
    int chunk, from, i, shorter = 0;
    char *before = (char *)malloc((size_t)n);
    if (!before) exit(2);
    for (chunk = n / 2 ? n / 2 : 1; chunk > 0; chunk /= 2)
        for (from = 0; from < n && seconds_now() < until; from += chunk) {
            int any = 0;
            memcpy(before, has, (size_t)n);
            for (i = from; i < from + chunk && i < n; i++) any |= has[i], has[i] = 0;
            if (!any) continue;
            if (breaks(l, w, 0))
                shorter = 1;
            else
                memcpy(has, before, (size_t)n);
        }
    free(before);
    return shorter;
}

static void print_list(const char *has, int n) {
    int i, any = 0;
    for (i = 0; i < n; i++) {
        int to = i;
        if (!has[i]) continue;
        while (to + 1 < n && has[to + 1]) to++;
        printf(to > i ? "%s%d-%d" : "%s%d", any ? "," : " ", i, to);
        any = 1;
        i = to;
    }
    if (!any) printf(" -");
}

static void read_list(const char *text, char *has, int n) {
    memset(has, 0, (size_t)n);
    while (*text >= '0' && *text <= '9') {
        char *end;
        long from = strtol(text, &end, 10), to = from;
        if (*end == '-') to = strtol(end + 1, &end, 10);
        for (; from <= to && from < n; from++) has[from] = 1;
        text = *end ? end + 1 : end;
    }
}

static uint64_t seed_of(const law *w, uint64_t seed) {
    return mixed(seed, test_hash(14695981039346656037u, w->name, strlen(w->name)));
}

static int is_quick; /* lives that fail are not shortened */

static void judge(const law *w, uint64_t seed, const char *steps, const char *boxes) {
    const double until = seconds_now() + 20;
    life l;
    int ok;
    draw_life(&l, seed_of(w, seed), w->lives);
    if (steps) read_list(steps, l.has_step, l.step_count);
    if (boxes) read_list(boxes, l.has_box, l.boxes);
    ok = !breaks(&l, w, 0);
    while (!ok && !steps && !is_quick)
        if (!shorten(&l, w, l.has_step, l.step_count, until) &&
            (w->watch & COSTS || !shorten(&l, w, l.has_box, l.boxes, until)))
            break;
    if (!ok) (void)breaks(&l, w, 0);
    if (!ok && steps) (void)breaks(&l, w, 1);
    if (!test_check(ok, __FILE__, __LINE__, "%s: %s", w->name, ok ? "" : verdict)) {
        printf("  again: test_laws 1 %llu '%s'", (unsigned long long)seed, w->name);
        print_list(l.has_step, l.step_count);
        print_list(l.has_box, l.boxes);
        printf("\n  axes %d, exponent %d, %s, scene %d, side %d, size %d, margin %d, filters %d %d\n", l.axes,
               l.exponent, l.is_lattice ? "lattice" : "free", l.scene, l.side, l.size, l.margin, l.filters, l.refuses);
        fflush(stdout);
    }
    end_life(&l);
}

/* The same in all builds, with any grid and any threads: ids, events, order, snapshots, distances, ends of
   slides. Noise and grids are drawn from dice. */
static uint64_t print_of_lives(int count, uint64_t dice) {
    static const law exact = {"", EXACT | ASKS, 0, SCENES | NO_ACT | NO_MARGIN, {.noise = 1}, {.noise = 1}};
    uint64_t print = 0;
    int seed, i;
    for (seed = 1; seed <= count; seed++) {
        life l;
        actor a;
        draw_life(&l, (uint64_t)seed, exact.lives);
        open_actor(&a, &l, &exact, &exact.one);
        a.dice.state = mixed(dice, (uint64_t)seed);
        lead(&a, 0, 0);
        for (i = 0; i < a.note_count; i++)
            if (strcmp(a.notes[i].what, "t") != 0) print = mixed(print, a.notes[i].value);
        close_actor(&a);
        end_life(&l);
    }
    return print;
}

int main(int argc, char **argv) {
    const char *words[5] = {NULL, NULL, NULL, NULL, NULL};
    const time_t began = time(NULL);
    int seconds = 0, is_free = 0, lives, n = 0, i, bad = 0;
    char is_broken[LAWS] = {0};
    unsigned long long first, seed;
    use_realloc = laws_realloc, use_free = laws_free;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-q"))
            is_quick = 1;
        else if (!strcmp(argv[i], "-c"))
            is_free = 1;
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            seconds = atoi(argv[++i]), words[n++] = "1";
        else if (n < 5)
            words[n++] = argv[i];
    }
    lives = words[0] ? atoi(words[0]) : 20;
    first = words[1] ? strtoull(words[1], NULL, 10) : 1;
    for (seed = first; (seconds ? time(NULL) - began < seconds : seed < first + (unsigned)lives) && bad < LAWS; seed++)
        for (i = 0; i < LAWS; i++) {
            const long failed = test_failed;
            if (is_broken[i] || (is_free && laws[i].watch & COSTS) || (words[2] && !strstr(laws[i].name, words[2])))
                continue;
            judge(&laws[i], seed, words[3], words[4]);
            bad += is_broken[i] = test_failed > failed;
        }
    if (!words[2]) CHECK_EQUAL(print_of_lives(100, first), INT64_C(1424265817704138281));
    return test_summary();
}
