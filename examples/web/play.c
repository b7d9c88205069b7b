/*
play.c - the platformer of examples/platformer.h for the page: keys go in, and all that is drawn comes out

It takes the implementation of sap.h that is in glue.c. The page reads the arrays where they lie.
*/
#include "examples/platformer.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

enum { MOST_SHOWN = 64 };

typedef struct shown {
    int32_t kind; /* 0: it is gone */
    float box[4], vx;
} shown;

static game play_game;
static char play_letters[ROWS * (COLUMNS + 1) + 1];
static shown play_list[MOST_THINGS];
static int32_t play_numbers[16], play_met[2 * MOST_SHOWN];

/* The level as text: the page may change it before play_load. */
WEB_EXPORT(play_text_at) char *play_text_at(void) {
    return play_letters;
}

WEB_EXPORT(play_text_size) int play_text_size(void) {
    return (int)sizeof play_letters;
}

/* Puts the level of platformer.h there. */
WEB_EXPORT(play_own_level) void play_own_level(void) {
    memcpy(play_letters, the_level, sizeof the_level);
}

/* Returns 0, or the sentence that says what is wrong with the level. */
WEB_EXPORT(play_load) const char *play_load(void) {
    return load(&play_game, play_letters);
}

WEB_EXPORT(play_step) void play_step(int keys) {
    step(&play_game, keys);
}

WEB_EXPORT(play_tape) int play_tape(int at) {
    return keys_of(the_tape, at);
}

/* Returns the things, as they are now. */
WEB_EXPORT(play_things) shown *play_things(void) {
    for (int i = 0; i < play_game.count; i++) {
        const thing *t = &play_game.things[i];
        const shown s = {
            t->id ? (int32_t)t->kind : 0, {t->box.min[0], t->box.min[1], t->box.max[0], t->box.max[1]}, t->vx};
        play_list[i] = s;
    }
    return play_list;
}

static int32_t index_of(const void *t) {
    return t ? (int32_t)((const thing *)t - play_game.things) : -1;
}

/* Returns numbers of the game and of its world, in the order that play.js names. */
WEB_EXPORT(play_state) int32_t *play_state(void) {
    const game *g = &play_game;
    sap_stats stats;
    sap_get_stats(g->world, &stats);
    const int32_t now[] = {g->count,  g->width,          g->height,   g->coins,    g->all_coins,
                           g->dead,   g->deaths,         g->won,      g->ducks,    index_of(g->stopped[0]),
                           g->climbs, index_of(g->hero), stats.boxes, stats.pairs, index_of(g->stopped[1])};
    memcpy(play_numbers, now, sizeof now);
    return play_numbers;
}

static int list_pairs(const sap_pair *pair, int n) {
    if (n > MOST_SHOWN) n = MOST_SHOWN;
    for (int i = 0; i < n; i++) {
        play_met[2 * i] = index_of(pair[i].object0);
        play_met[2 * i + 1] = index_of(pair[i].object1);
    }
    return n;
}

/* List pairs at play_met_at, two things each: those that the last step created, or all. Return their number. */
WEB_EXPORT(play_created) int play_created(void) {
    int n;
    const sap_pair *pair = sap_created(play_game.world, &n);
    return list_pairs(pair, n);
}

WEB_EXPORT(play_pairs) int play_pairs(void) {
    int n;
    const sap_pair *pair = sap_pairs(play_game.world, &n);
    return list_pairs(pair, n);
}

WEB_EXPORT(play_met_at) int32_t *play_met_at(void) {
    return play_met;
}
