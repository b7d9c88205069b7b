/*
Shows how to write a platformer: one-way platforms, ladders, lifts that carry, a door that crushes, crates, steps, ducking.

    cc -I.. -I/usr/include/stb -o platformer 22_platformer.c -lm && ./platformer

The rules are in platformer.h, and 23_platformer_window.c lets you play them. This program needs no display: it tries each
rule in a small level, plays the large one from a tape, and then presses keys at random, which ./platformer 180000 does for
as many steps. In each step it checks that nothing is inside something solid or fell through a platform. It prints:

    stairs: up and down two tiles in 169 steps, on the ground in 169
    platforms: of 39 jumps 29 end on the platform, 10 below it, none inside; down and jump drops through
    lifts: on a crate on a lift he goes up and down in 600 of 600 steps, and aside in 600
    a lift does not crush: it turns back
    a door crushes who is below it, and pushes aside who is half out
    crates: he pushes one into a hole and walks over it, to x = 192
    ducking: he is stopped at x = 64; ducked he goes through, and stands up behind the tunnel
    ladders: he stands on the end of one, and climbs down again
    enemies: one turned 5 times at its edges; to jump on one is safe
    the level: 19 of 19 coins, 0 deaths, at the flag
    12000 steps with keys at random: on platforms in 1670, on lifts in 296; stuck: 0, deaths: 2, failures: 0
    hash: 0ff2af2e
*/
#define SAP_IMPLEMENTATION
#include "platformer.h"
#include <stdio.h>
#include <stdlib.h>

static game g;
static int failures;
static uint32_t hash = 2166136261u; /* of all places in all steps: they are the same on every machine */

static void check(int good, const char *what) {
    if (good) return;
    failures++;
    printf("failed: %s\n", what);
}

/* ---- a step, and what must hold after it --------------------------------------------------------------------- */

static int beside(const sap_aabb *a, const sap_aabb *b) {
    return a->max[0] <= b->min[0] || b->max[0] <= a->min[0];
}

static void check_body(const thing *t, const sap_aabb *before, int may_drop) {
    for (int i = 0; i < g.count; i++) {
        const thing *other = &g.things[i];
        if (!other->id || other == t) continue;
        if (other->kind & SOLID) check(!overlap(&t->box, &other->box), "something is inside something solid");
        if (other->kind != ONE_WAY || beside(before, &other->box) || beside(&t->box, &other->box) || may_drop) continue;
        check(before->max[1] > other->box.min[1] || t->box.max[1] <= other->box.min[1],
              "something fell through a platform");
    }
    if (t->ground && t->ground->kind & (TILE | ONE_WAY | LIFT))
        check(t->box.max[1] == t->ground->box.min[1], "something hovers, or hangs in its ground");
}

static void tick(int keys) {
    static sap_aabb before[MOST_THINGS];
    for (int i = 0; i < g.count; i++) before[i] = g.things[i].box;
    step(&g, keys);
    for (int i = 0; i < g.count; i++) {
        const thing *t = &g.things[i];
        if (!t->id || !(t->kind & (BODIES | MOVERS))) continue;
        for (int k = 0; k < 2; k++) hash = (hash ^ (uint32_t)(int)(16 * t->box.min[k])) * 16777619u;
        if (t->kind & BODIES && !g.dead) check_body(t, &before[i], t == g.hero && keys & DOWN);
    }
}

static void play(const char *tape) {
    for (int i = 0, keys; (keys = keys_of(tape, i)) >= 0; i++) tick(keys);
}

static void begin(const char *level) {
    const char *wrong = load(&g, level);
    if (!wrong) return;
    printf("%s\n", wrong);
    exit(1);
}

static thing *find(uint32_t kind) {
    for (int i = 0; i < g.count; i++)
        if (g.things[i].kind == kind && g.things[i].id) return &g.things[i];
    return NULL;
}

/* ---- the rules, one by one ----------------------------------------------------------------------------------- */

static void stairs(void) {
    int grounded = 0, steps = 0;
    float top = 1e9f;
    begin("#                       #\n"
          "#         123#321       #\n"
          "#@    123#########321   #\n"
          "#########################\n");
    tick(0);
    for (; g.hero->box.max[0] < 360; steps++) {
        tick(RIGHT);
        grounded += g.hero->ground != NULL;
        if (g.hero->box.max[1] < top) top = g.hero->box.max[1];
    }
    check(grounded == steps && top == SIDE, "stairs");
    printf("stairs: up and down two tiles in %d steps, on the ground in %d\n", steps, grounded);
}

static void platforms(void) {
    int above = 0, below = 0;
    for (int hold = 1; hold < 40; hold++) { /* jumps of many heights: some turn round inside the platform */
        begin("#       #\n"
              "#       #\n"
              "#       #\n"
              "#  ===  #\n"
              "#       #\n"
              "#   @   #\n"
              "#########\n");
        for (int i = 0; i < 90; i++) tick(i < hold ? JUMP : 0);
        above += g.hero->box.max[1] == 3 * SIDE;
        below += g.hero->box.max[1] == 6 * SIDE;
    }
    check(above > 0 && below > 0 && above + below == 39, "platforms");
    printf("platforms: of 39 jumps %d end on the platform, %d below it, none inside", above, below);
    play("vj 1 . 40");
    check(g.hero->box.max[1] == 6 * SIDE, "dropping");
    printf("; down and jump drops through\n");
}

static void lifts(void) {
    int riding = 0, still = 0, turns = 0;
    begin("#  |     #\n"
          "#        #\n"
          "#        #\n"
          "#        #\n"
          "#  @     #\n"
          "#  c     #\n"
          "#  VV    #\n"
          "##########\n");
    tick(0);
    for (int i = 0; i < 600; i++) {
        const float way = find(LIFT)->vy;
        tick(0);
        riding += g.hero->ground == find(CRATE) && find(CRATE)->ground == find(LIFT);
        turns += way < 0 && find(LIFT)->vy > 0;
    }
    begin("#   @       #\n"
          "#   c       #\n"
          "#  >>>      #\n");
    tick(0);
    const float from = g.hero->box.min[0] - find(LIFT)->box.min[0];
    for (int i = 0; i < 600; i++) {
        tick(0);
        still += g.hero->box.min[0] - find(LIFT)->box.min[0] == from && g.hero->ground == find(CRATE);
    }
    check(riding == 600 && turns == 2 && still == 600, "lifts"); /* turns: at its end, and not because of its riders */
    printf("lifts: on a crate on a lift he goes up and down in %d of 600 steps, and aside in %d\n", riding, still);
    begin("#####\n" /* under a ceiling, and between a lift that sinks and a platform */
          "#   #\n"
          "# @ #\n"
          "# VV#\n"
          "#   #\n"
          "#####\n");
    turns = 0;
    for (int i = 0; i < 600; i++) {
        const float way = find(LIFT)->vy;
        tick(0);
        turns += way < 0 && find(LIFT)->vy > 0;
    }
    check(turns > 2 && !g.deaths, "a lift under a ceiling");
    begin("#####\n"
          "#VV #\n"
          "#   #\n"
          "#@  #\n"
          "#== #\n"
          "#   #\n"
          "#####\n");
    play(". 600");
    check(g.hero->ground && g.hero->ground->kind == ONE_WAY, "a lift above a platform");
    printf("a lift does not crush: it turns back\n");
}

static void doors(void) {
    static const char level[] = "#  |  #\n"
                                "#     #\n"
                                "#     #\n"
                                "#  D  #\n"
                                "#@    #\n"
                                "#######\n";
    begin(level);
    play(". 70 > 18 . 200"); /* below it */
    check(g.deaths == 1, "a door crushes");
    begin(level);
    play(". 70 > 9 >v 1 . 9"); /* with an elbow below it */
    check(g.hero->box.max[0] > 3 * SIDE, "an elbow is below the door");
    play(". 100");
    check(g.deaths == 0 && g.hero->box.max[0] == 3 * SIDE, "a door pushes aside");
    printf("a door crushes who is below it, and pushes aside who is half out\n");
}

static void crates(void) {
    begin("#  c        #\n"
          "#  c        #\n"
          "#@ c        #\n"
          "#############\n");
    play("> 80");
    const thing *top = find(CRATE), *below = top->ground; /* he does not reach the one at the top */
    check(below->kind == CRATE && top->box.min[0] > 4 * SIDE && top->box.min[0] <= below->box.min[0] + SLOW,
          "three crates");
    begin("#           #\n"
          "#           #\n"
          "#@ c        #\n"
          "####### #####\n"
          "#############\n");
    play("> 160");
    check(g.hero->box.max[0] == 12 * SIDE, "crates");
    printf("crates: he pushes one into a hole and walks over it, to x = %g\n", (double)g.hero->box.max[0]);
}

static void ducking(void) {
    begin("#   ####     #\n"
          "#   ####     #\n"
          "#@           #\n"
          "##############\n");
    play("> 40");
    const float stopped = g.hero->box.max[0];
    play("v 5 v> 30 > 10");
    const int ducked = g.ducks;
    play("> 80 >v 5 > 5"); /* up to the wall, at which he can stand up, too */
    check(stopped == 4 * SIDE && ducked && !g.ducks && g.hero->box.max[0] == 13 * SIDE, "ducking");
    printf("ducking: he is stopped at x = %g; ducked he goes through, and stands up behind the tunnel\n",
           (double)stopped);
}

static void ladders(void) {
    begin("#       #\n"
          "#       #\n"
          "#   H   #\n"
          "#   H   #\n"
          "#  @H   #\n"
          "#########\n");
    play("> 8 . 10 ^ 60 . 5");
    check(g.hero->box.max[1] == 2 * SIDE && g.hero->ground && !g.climbs, "up a ladder");
    play("v 60");
    check(g.hero->box.max[1] == 5 * SIDE && g.hero->ground && !g.climbs, "down a ladder");
    printf("ladders: he stands on the end of one, and climbs down again\n");
}

static void enemies(void) {
    int turns = 0;
    begin("#            #\n"
          "#@           #\n"
          "##     e    ##\n"
          "#    #####   #\n"
          "##############\n");
    for (int i = 0; i < 600; i++) {
        const float way = find(ENEMY)->vx;
        tick(0);
        turns += find(ENEMY)->vx != way;
    }
    check(turns > 3 && find(ENEMY)->box.max[1] == 3 * SIDE, "an enemy turns");
    begin("#   e    #\n"
          "#        #\n"
          "#   @    #\n"
          "##########\n");
    play(". 30");
    check(g.deaths == 1, "an enemy is deadly");
    begin("#   @    #\n"
          "#        #\n"
          "#|  e |  #\n"
          "##########\n");
    play(". 60");
    check(g.deaths == 0 && !find(ENEMY), "but not from above");
    printf("enemies: one turned %d times at its edges; to jump on one is safe\n", turns);
}

/* ---- the level, and keys at random ---------------------------------------------------------------------------- */

static void large_level(void) {
    begin(the_level);
    play(the_tape);
    check(g.won && g.coins == g.all_coins && !g.deaths, "the level");
    printf("the level: %d of %d coins, %d deaths, %s\n", g.coins, g.all_coins, g.deaths,
           g.won ? "at the flag" : "not there");
}

static uint32_t random_below(uint32_t end) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % end;
}

/* All that there is, near each other. */
static const char gym[] = "##############################\n"
                          "#                            #\n"
                          "#     ====   ====         o  #\n"
                          "#  ==       ==     ==H== ==  #\n"
                          "#      |      |      H       #\n"
                          "#  == ==>>>  == ==   H  ==== #\n"
                          "#                    H       #\n"
                          "#   ===  ====  c ====H== VVV #\n"
                          "# == |         c     H       #\n"
                          "#      ===    ===    H=      #\n"
                          "# ==          >>>  | H       #\n"
                          "#    D   ===         H       #\n"
                          "#@      123#321  c e H  VVV  #\n"
                          "##############################\n";

static void at_random(int steps) {
    static const char *const levels[] = {gym, the_level};
    static const int often[] = {RIGHT, RIGHT | JUMP, RIGHT | JUMP, LEFT, LEFT | JUMP, LEFT | JUMP,
                                JUMP,  UP,           UP,           DOWN, DOWN | JUMP, 0};
    int on_platforms = 0, on_lifts = 0, deaths = 0, keys = 0, until = 0, stuck = 0;
    sap_aabb way = {{0, 0, 0}, {0, 0, 0}}; /* where he has been of late */
    for (int i = 0; i < steps; i++) {
        if (i % 3000 == 0) begin(levels[i / 3000 % 4 == 3]);
        if (i % 600 == 0) way = g.hero->box;
        if (i == until) {
            keys = often[random_below(12)];
            until += 1 + (int)random_below(40);
        }
        tick(keys);
        deaths += g.dead == REST;
        on_platforms += g.hero->ground && g.hero->ground->kind == ONE_WAY;
        on_lifts += g.hero->ground && g.hero->ground->kind == LIFT;
        for (int k = 0; k < 2; k++) {
            if (g.hero->box.min[k] < way.min[k]) way.min[k] = g.hero->box.min[k];
            if (g.hero->box.max[k] > way.max[k]) way.max[k] = g.hero->box.max[k];
        }
        if (i % 600 == 599) stuck += way.max[0] - way.min[0] < 2 * SIDE && way.max[1] - way.min[1] < 2 * SIDE;
    }
    check(!stuck && !sap_validate(g.world), "he is stuck");
    printf("%d steps with keys at random: on platforms in %d, on lifts in %d; stuck: %d, deaths: %d, failures: %d\n",
           steps, on_platforms, on_lifts, stuck, deaths, failures);
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 0;
    stairs();
    platforms();
    lifts();
    doors();
    crates();
    ducking();
    ladders();
    enemies();
    large_level();
    at_random(steps > 0 ? steps : 12000);
    printf("hash: %08x\n", (unsigned)hash);
    sap_destroy(g.world);
    return failures != 0;
}
