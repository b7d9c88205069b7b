/*
platformer.h - the rules of a platformer, on sap.h alone: copy it, and change them

The hero walks, jumps, ducks, climbs ladders and steps, pushes crates, rides lifts, and collects coins. There is no window
here: 22_platformer.c plays by itself, 23_platformer_window.c in a window, and examples/web in a browser. Each calls load
once, and step 60 times a second.

x goes right and y down, in pixels; a tile has 16. Positions and speeds are multiples of 1/16, whose sums are exact in
floats: nothing is rounded, and the game is the same on every machine.
*/
#ifndef PLATFORMER_H
#define PLATFORMER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "sap.h"

/* Draw your own level: a row a line.

   #  a tile                =  a platform to jump through    H  a ladder     1 2 3  steps of 4, 8 and 12 pixels
   @  the hero's feet       o  a coin                        ^  spikes       e  an enemy, who turns at edges
   c  a crate               F  the flag                      D  the upper half of a door, which needs two tiles above it
   V  a lift, up and down   >  a lift to and fro             |  lifts and enemies turn here, nothing else sees it */
static const char the_level[] =
    "#                                             ###                 ###               #\n"
    "#                                             ###                 ###          |  F #\n"
    "#                                             ###                 ###            ####\n"
    "#                                             ###                 ###            ####\n"
    "#                                             ###                 ###  oo   e    ####\n"
    "#                                             ###                 ###  ==H====   ####\n"
    "#                         oo                  ###                 ###    H     o ####\n"
    "#                        ====                 ###                 ###    H       ####\n"
    "#                                             ###                 # #    H     o ####\n"
    "#                              oo             ###  o              # #    H       ####\n"
    "#                             ====            ###        o  o      D     H       ####\n"
    "#                                              o |e  |                 o H    VVV####\n"
    "#                         oo              ############>>>       #####################\n"
    "#              o o       ====             ############          #####################\n"
    "#            123#321                      ############          #####################\n"
    "# @ o o  123#########321     e       c    ############^^^^^^^^^^#####################\n"
    "#####################################################################################\n"
    "#####################################################################################\n";

/* The level played to its end: a tape as keys_of reads it. Another level needs another one. */
static const char the_tape[] =
    ">59 >j59 >39 >j13 >29 >j39 .33 >19 .19 >43 <39 <j19 .59 <j39 >14 <5 >j29 >v9 <j43 >62 >j14 >47 >j33 >39 j28 "
    ">v11 >69 >j49 <9 >10 >j132 .19 <19 >v33 >j9 ^19 <j39 >v79 <39 .81 >80 <19 >j44 .9 j3 >19 <j19 >9 >j30 .5";

/* Each kind of thing is a category of boxes, one bit. Category 1 stays unused: it is that of a new box. */
enum { TILE = 2, ONE_WAY = 4, LADDER = 8, TURN = 16, LIFT = 32, DOOR = 64, CRATE = 128 };
enum { HERO = 256, ENEMY = 512, COIN = 1024, SPIKES = 2048, FLAG = 4096 };
enum { SOLID = TILE | LIFT | DOOR | CRATE, BODIES = CRATE | HERO | ENEMY, MOVERS = LIFT | DOOR };
enum { LEFT = 1, RIGHT = 2, UP = 4, DOWN = 8, JUMP = 16 }; /* keys that are down */
enum { SIDE = 16, COLUMNS = 128, ROWS = 32, MOST_THINGS = 600 };
enum { TALL = 22, DUCKED = 14, STEP = 5 }; /* the hero's height; the highest step that he climbs: pixels */
enum { REST = 45, EARLY = 6, LATE = 6 };   /* of lifts that turn; how early and how late a jump may be: steps */

#define GRAVITY 0.3125f
#define FASTEST 6.0f /* speed of a fall */
#define RUN 2.0f
#define SLOW 1.0f /* ducked, on ladders, pushing a crate */
#define LEAP 6.0f /* speeds upwards: of a jump, which is cut short if the key is let go, and from an enemy's head */
#define CUT 2.0f
#define BOUNCE 4.0f

typedef struct thing {
    uint32_t kind;
    sap_id id;            /* 0: it is gone */
    sap_aabb box, start;  /* where it is, where it begins */
    float vx, vy;         /* pixels a step */
    struct thing *ground; /* what it stands on, or NULL */
    float feet;           /* where its feet were before it slid */
    int drops;            /* whether it falls through platforms now */
    int rest;             /* a lift: steps until it goes on */
} thing;

typedef struct game {
    sap_world *world;
    thing things[MOST_THINGS];
    int count, width, height; /* things; pixels */
    thing *hero, *stopped[2]; /* what stopped the hero on each axis in this step, or NULL */
    int keys, ducks, climbs, early, late;
    int coins, all_coins, dead, deaths, won; /* dead: steps until he begins again */
} game;

/* ---- the level ---------------------------------------------------------------------------------------------- */

/* Only the hero makes pairs, with what he can touch. Slides and queries, which find all others, ask for categories alone:
   a mask of 0 keeps these out of the update. */
static uint32_t mask_of(uint32_t kind) {
    const uint32_t touched = COIN | SPIKES | ENEMY | FLAG;
    return kind == HERO ? touched : kind & touched ? (uint32_t)HERO : 0;
}

static thing *spawn(game *g, uint32_t kind, int x, int y, int width, int height) {
    static thing none;
    thing *t = g->count < MOST_THINGS ? &g->things[g->count++] : &none;
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->box.min[0] = (float)x;
    t->box.min[1] = (float)y;
    t->box.max[0] = (float)(x + width);
    t->box.max[1] = (float)(y + height);
    t->start = t->box;
    if (t == &none) return t;
    t->id = kind & (BODIES | MOVERS) ? sap_add(g->world, &t->box, t) : sap_add_static(g->world, &t->box, t);
    sap_set_filter(g->world, t->id, kind, mask_of(kind));
    return t;
}

/* Makes what a letter says at a place. A run of them is one box: a lift of several boxes would catch who walks on it. */
static void build(game *g, char letter, int x, int y, int run, char above) {
    switch (letter) {
    case '#': spawn(g, TILE, x, y, run, SIDE); break;
    case '1':
    case '2':
    case '3': spawn(g, TILE, x, y + SIDE - 4 * (letter - '0'), SIDE, 4 * (letter - '0')); break;
    case '=': spawn(g, ONE_WAY, x, y, run, 4); break;
    case '^': spawn(g, SPIKES, x + 3, y + 10, run - 6, 6); break;
    case 'V': spawn(g, LIFT, x, y, run, 8)->vy = -1; break;
    case '>': spawn(g, LIFT, x, y, run, 8)->vx = 1; break;
    case 'D': spawn(g, DOOR, x, y, SIDE, 2 * SIDE)->vy = -0.5f; break;
    case '|': spawn(g, TURN, x, y, SIDE, SIDE); break;
    case 'c': spawn(g, CRATE, x, y, SIDE, SIDE); break;
    case 'e': spawn(g, ENEMY, x + 1, y + 4, 14, 12)->vx = 0.5f; break;
    case 'F': spawn(g, FLAG, x + 4, y - SIDE, 8, 2 * SIDE); break;
    case '@': g->hero = spawn(g, HERO, x + 2, y + SIDE - TALL, 12, TALL); break;
    case 'o':
        spawn(g, COIN, x + 4, y + 4, 8, 8);
        g->all_coins++;
        break;
    case 'H':
        spawn(g, LADDER, x + 2, y, 12, SIDE);
        if (above != 'H') spawn(g, ONE_WAY, x, y, SIDE, 4); /* one can stand on its end */
        break;
    }
}

/* Begins a level; a game is zeros before its first one. Returns NULL, or what is wrong with it. */
static const char *load(game *g, const char *level) {
    static char tiles[ROWS][COLUMNS];
    const sap_config flat = {.axes = SAP_2D};
    int rows = 0, columns = 0, x = 0;
    memset(tiles, ' ', sizeof tiles);
    for (; *level; level++) {
        if (rows == ROWS || x == COLUMNS) return "The level is too large.";
        if (*level != '\n') tiles[rows][x++] = *level;
        if (x > columns) columns = x;
        if (*level == '\n') rows++, x = 0;
    }
    rows += x > 0;
    sap_destroy(g->world);
    memset(g, 0, sizeof *g);
    g->world = sap_create(&flat);
    if (!g->world) return "There is no memory.";
    g->width = SIDE * columns;
    g->height = SIDE * rows;
    for (int y = 0; y < rows; y++)
        for (int from = 0, end; from < columns; from = end) {
            const char letter = tiles[y][from];
            for (end = from + 1; end < columns && tiles[y][end] == letter && strchr("#=^V>", letter); end++) continue;
            build(g, letter, SIDE * from, SIDE * y, SIDE * (end - from), y > 0 ? tiles[y - 1][from] : ' ');
        }
    if (g->count == MOST_THINGS) return "The level has too many things.";
    return g->hero ? NULL : "The level has no hero: @.";
}

/* The hero begins again: all that moves goes back to where it began. Coins stay collected. */
static void restart(game *g) {
    for (int i = 0; i < g->count; i++) {
        thing *t = &g->things[i];
        if (!t->id || !(t->kind & (BODIES | MOVERS))) continue;
        t->box = t->start;
        t->ground = NULL;
        if (t->kind & BODIES) t->vy = 0;
        sap_move(g->world, t->id, &t->box);
    }
    g->hero->vx = 0;
    g->ducks = g->climbs = 0;
}

static void lose(game *g, thing *t) {
    if (t != g->hero) {
        sap_remove(g->world, t->id);
        t->id = 0;
    } else if (!g->dead) {
        g->dead = REST;
        g->deaths++;
    }
}

/* ---- moving a box ------------------------------------------------------------------------------------------- */

/* Boxes that only touch do not overlap here. */
static int overlap(const sap_aabb *a, const sap_aabb *b) {
    return a->min[0] < b->max[0] && b->min[0] < a->max[0] && a->min[1] < b->max[1] && b->min[1] < a->max[1];
}

static void place(game *g, thing *t, const sap_aabb *box) {
    t->box = *box;
    sap_move(g->world, t->id, box);
}

/* A crate rests on heads; a lift goes on until a tile turns it, and pushes all others. */
static uint32_t solid_for(const thing *t) {
    return t->kind & MOVERS ? TILE | TURN : t->kind == HERO ? SOLID : t->kind == CRATE ? SOLID | BODIES : SOLID | TURN;
}

/* A sap_accept: returns whether a box stops the thing that slides. A platform does if the feet were above it. A mask that
   leaves out platforms while the hero rises is not enough: where he turns round inside one he would hang in it. */
static int stops(sap_id id, void *object, void *user) {
    const thing *t = (const thing *)object, *who = (const thing *)user;
    (void)id;
    return t != who && (t->kind != ONE_WAY || (who->feet <= t->box.min[1] && !who->drops));
}

/* Moves a thing along an axis as far as others let it. Returns what stopped it, or NULL. */
static thing *slide(game *g, thing *t, int axis, float way) {
    const uint32_t platforms = t->kind & BODIES ? ONE_WAY : 0;
    float translation[3] = {0, 0, 0};
    sap_id stopped_by[3];
    translation[axis] = way;
    t->feet = t->box.max[1];
    sap_slide_if(g->world, &t->box, translation, solid_for(t) | platforms, stops, t, stopped_by);
    sap_move(g->world, t->id, &t->box);
    return (thing *)sap_get_object(g->world, stopped_by[axis]);
}

/* Frees a box from what has moved into it, which sap_slide does not: out by the shortest way, then out of what it is
   in there, a few times. Returns whether it is free. */
static int push_out(game *g, thing *t, sap_aabb *box) {
    t->feet = box->max[1];
    for (int tries = 0; tries < 4; tries++) {
        sap_id ids[16];
        sap_aabb inner = *box; /* less than the smallest step inside its sides: what only touches is not in it */
        for (int k = 0; k < 2; k++) inner.min[k] += 0.03125f, inner.max[k] -= 0.03125f;
        const int n = sap_query_box_ids(g->world, &inner, solid_for(t) | ONE_WAY, ids, 16);
        const thing *in = NULL;
        for (int i = 0; i < n && i < 16 && !in; i++) {
            thing *other = (thing *)sap_get_object(g->world, ids[i]);
            if (stops(ids[i], other, t)) in = other;
        }
        if (!in) return 1;
        float least = 1e30f;
        int axis = 0, side = 0;
        for (int k = 0; k < 4; k++) { /* its left side, its top, its right side, its bottom */
            const float depth = k < 2 ? box->max[k] - in->box.min[k] : in->box.max[k - 2] - box->min[k - 2];
            if (depth < least) least = depth, axis = k % 2, side = k / 2;
        }
        const float size = box->max[axis] - box->min[axis]; /* to the side itself: adding the depth would round */
        box->min[axis] = side ? in->box.max[axis] : in->box.min[axis] - size;
        box->max[axis] = side ? in->box.max[axis] + size : in->box.min[axis];
    }
    return 0;
}

/* Moves all that stand on a thing, and all that stand on those. Upwards the highest one goes first: each makes room for
   the one below it. */
static void carry(game *g, const thing *under, int axis, float way) {
    const int rises = axis == 1 && way < 0;
    for (int i = 0; i < g->count; i++) {
        thing *t = &g->things[i];
        if (t->ground != under || !t->id) continue;
        if (rises) carry(g, t, axis, way);
        slide(g, t, axis, way);
        if (!rises) carry(g, t, axis, way);
    }
}

/* ---- lifts and doors ---------------------------------------------------------------------------------------- */

/* A door opens slowly and shuts fast. */
static void turn(thing *lift) {
    lift->vx = -lift->vx;
    lift->vy = lift->kind == LIFT ? -lift->vy : lift->vy < 0 ? 2.0f : -0.5f;
    lift->rest = REST;
}

/* The riders of a lift that rises go first, or it would move into them; in all other directions they follow it. All others
   that it moves into are pushed out. One that cannot be makes a lift turn back; a door crushes it, unless it is a crate. */
static void move_lift(game *g, thing *lift) {
    const int axis = lift->vx == 0;
    const float way = axis ? lift->vy : lift->vx;
    const sap_aabb before = lift->box;
    int blocked = 0;
    if (lift->rest > 0) {
        lift->rest--;
        return;
    }
    if (axis && way < 0) carry(g, lift, axis, way);
    if (slide(g, lift, axis, way)) turn(lift);
    for (int i = 0; i < g->count; i++) {
        thing *t = &g->things[i];
        sap_aabb out = t->box;
        if (!(t->kind & BODIES) || !t->id || !overlap(&out, &lift->box)) continue;
        if (push_out(g, t, &out))
            place(g, t, &out);
        else if (lift->kind == DOOR && t->kind != CRATE)
            lose(g, t);
        else
            blocked = 1;
    }
    if (blocked) {
        place(g, lift, &before);
        turn(lift);
    } else if (!axis || way > 0)
        carry(g, lift, axis, lift->box.min[axis] - before.min[axis]);
}

/* ---- crates, enemies and the hero --------------------------------------------------------------------------- */

static void fall(game *g, thing *t) {
    thing *stop;
    t->vy = t->vy + GRAVITY < FASTEST ? t->vy + GRAVITY : FASTEST;
    stop = slide(g, t, 1, t->vy);
    t->ground = t->vy > 0 ? stop : NULL;
    if (stop) t->vy = 0;
    if (t->box.min[1] > (float)g->height) lose(g, t); /* into a pit */
}

/* Turns at walls and where the floor ends. */
static void patrol(game *g, thing *t) {
    const float foot[3] = {(t->vx > 0 ? t->box.max[0] : t->box.min[0]) + t->vx, t->box.max[1] + 1, 0};
    if (t->ground && (!sap_query_point(g->world, foot, SOLID | ONE_WAY, NULL, NULL) || slide(g, t, 0, t->vx)))
        t->vx = -t->vx;
    fall(g, t);
}

/* Climbs a step by three slides: up, along, down. Returns whether that led farther. */
static int step_up(game *g, thing *t, float way) {
    const sap_aabb before = t->box;
    slide(g, t, 1, -STEP);
    slide(g, t, 0, way);
    const int farther = t->box.min[0] != before.min[0];
    if (farther)
        slide(g, t, 1, STEP);
    else
        place(g, t, &before);
    return farther;
}

/* Goes down a step, by the third of these slides alone: else he would fly from each step of the stairs to the next. */
static void step_down(game *g, thing *t) {
    const sap_aabb before = t->box;
    if (!slide(g, t, 1, STEP)) place(g, t, &before);
}

/* Walks sideways. If he stands he pushes a crate that is in the way, with all that stand on it, or climbs a step. */
static void walk(game *g, thing *hero, float way) {
    const float from = hero->box.min[0];
    thing *stop = slide(g, hero, 0, way);
    way -= hero->box.min[0] - from;
    if (stop && stop->kind == CRATE && hero->ground) {
        const float at = stop->box.min[0];
        slide(g, stop, 0, way > SLOW ? SLOW : way < -SLOW ? -SLOW : way);
        carry(g, stop, 0, stop->box.min[0] - at);
        slide(g, hero, 0, stop->box.min[0] - at);
    } else if (stop && hero->ground && step_up(g, hero, way))
        stop = NULL;
    if (hero->ground) step_down(g, hero);
    hero->vx = hero->box.min[0] - from; /* as fast as he came forward */
    g->stopped[0] = stop;
}

/* Can he stand up? His head goes up by what is missing, and meets nothing. The box is narrower by a hair, so that a wall
   at which he leans is no ceiling. What is met at the end, at t = 1, only touches. */
static int can_stand(game *g) {
    const float up[3] = {0, DUCKED - TALL, 0};
    sap_aabb box = g->hero->box;
    float t;
    box.min[0] += 0.0625f;
    box.max[0] -= 0.0625f;
    return !sap_box_closest(g->world, &box, up, SOLID, g->hero->id, &t, NULL) || t == 1;
}

static int ladder_at(game *g, float y) {
    const float point[3] = {(g->hero->box.min[0] + g->hero->box.max[0]) / 2, y, 0};
    return sap_query_point(g->world, point, LADDER, NULL, NULL) > 0;
}

static void duck_or_climb(game *g, int keys) {
    thing *hero = g->hero;
    const int here = ladder_at(g, hero->box.max[1] - 1), below = ladder_at(g, hero->box.max[1] + 1);
    if ((keys & UP && here) || (keys & DOWN && below)) g->climbs = 1;
    if (!here && !below) g->climbs = 0;
    if (keys & DOWN && hero->ground && !g->climbs)
        g->ducks = 1;
    else if (g->ducks && can_stand(g))
        g->ducks = 0;
    hero->box.min[1] = hero->box.max[1] - (g->ducks ? DUCKED : TALL);
    sap_move(g->world, hero->id, &hero->box);
}

/* A jump may come a little before he lands, or a little after he left the edge: players are not that exact. */
static void jump(game *g, int keys) {
    thing *hero = g->hero;
    g->early = keys & ~g->keys & JUMP ? EARLY : g->early - (g->early > 0);
    g->late = hero->ground || g->climbs ? LATE : g->late - (g->late > 0);
    if (g->early && g->late) {
        if (keys & DOWN && hero->ground && hero->ground->kind == ONE_WAY)
            hero->drops = 1;
        else
            hero->vy = -LEAP;
        g->early = g->late = g->climbs = 0;
    } else if (!(keys & JUMP) && hero->vy < -CUT)
        hero->vy = -CUT;
    g->keys = keys;
}

static void move_hero(game *g, int keys) {
    thing *hero = g->hero;
    const float to = (float)(!!(keys & RIGHT) - !!(keys & LEFT)) * (g->ducks || g->climbs ? SLOW : RUN);
    const float more = to - hero->vx, most = 0.25f; /* pixels a step, in each step */
    duck_or_climb(g, keys);
    walk(g, hero, hero->vx + (more > most ? most : more < -most ? -most : more));
    jump(g, keys);
    if (g->climbs) {
        const int down = !!(keys & DOWN) - !!(keys & UP);
        hero->drops = 1; /* through the platform at the ladder's end */
        hero->vy = 0;
        thing *stop = slide(g, hero, 1, (float)down * SLOW);
        hero->ground = down > 0 ? stop : NULL;
        if (hero->ground) g->climbs = 0;
    } else
        fall(g, hero);
    hero->drops = 0;
    g->stopped[1] = hero->ground;
}

/* ---- a step ------------------------------------------------------------------------------------------------- */

/* Acts on pairs that begin with this step. Either of the two may be the hero. */
static void touch(game *g) {
    int n;
    sap_update(g->world);
    const sap_pair *pair = sap_created(g->world, &n);
    for (; n > 0; n--, pair++) {
        thing *t = (thing *)(pair->object0 == g->hero ? pair->object1 : pair->object0);
        if (t->kind == COIN) {
            g->coins++;
            lose(g, t);
        } else if (t->kind == ENEMY && g->hero->feet <= t->box.min[1] + 2) { /* onto its head */
            g->hero->vy = -BOUNCE;
            lose(g, t);
        } else if (t->kind == ENEMY || t->kind == SPIKES)
            lose(g, g->hero);
        else if (t->kind == FLAG)
            g->won = 1;
    }
}

/* Plays a 60th of a second. Lifts go first, so that all others meet them where they are. */
static void step(game *g, int keys) {
    if (g->dead && --g->dead == 0) restart(g);
    if (g->dead) return;
    for (int i = 0; i < g->count; i++)
        if (g->things[i].kind & MOVERS) move_lift(g, &g->things[i]);
    for (int i = 0; i < g->count; i++) {
        thing *t = &g->things[i];
        if (t->id && t->kind == CRATE) fall(g, t);
        if (t->id && t->kind == ENEMY) patrol(g, t);
    }
    if (!g->dead) move_hero(g, keys);
    touch(g);
}

/* A tape is a game to watch: keys (< > ^ v, j to jump, . for none), then for how many steps. Returns the keys of a step,
   or -1 when the tape has ended. */
static inline int keys_of(const char *tape, int at) {
    static const char names[] = "<>^vj"; /* as the bits of keys */
    int keys = 0, steps = 0;
    for (; *tape; tape++) {
        const char *name = strchr(names, *tape);
        if (name) keys |= 1 << (name - names);
        if (*tape < '0' || *tape > '9') continue;
        steps = 10 * steps + *tape - '0';
        if (tape[1] >= '0' && tape[1] <= '9') continue;
        at -= steps;
        if (at < 0) return keys;
        keys = steps = 0;
    }
    return -1;
}

#endif
