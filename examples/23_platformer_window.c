/*
Shows how a window plays the platformer of 22_platformer.c: keys go in, boxes come out, with what sap sees drawn over them.

    cc -I.. -I/usr/include/stb -o platformer_window 23_platformer_window.c -lSDL2 -lpng -lm \
        && ./platformer_window --headless 1180 platformer.png

It needs SDL2 and libpng (Debian: libsdl2-dev libpng-dev); `make platformer` installs them, builds it and lets you play:
arrows walk, climb and duck, space jumps, O shows or hides boxes and pairs, T plays it from a tape, R restarts, escape
quits. With --headless it needs no display: it plays that many steps of the tape and draws the last one. It prints:

    1180 steps: 15 of 19 coins, 0 deaths
*/
#include <stdio.h>
#include <stdlib.h>
#include "pixels.h"
#define SAP_IMPLEMENTATION
#include "platformer.h"

enum { WIDTH = 1280, HEIGHT = 720, ZOOM = 3, SKY = 0x16202e, STARS = 90 };

static game g;
static int left, top;              /* the corner that is seen, in pixels of the level */
static int overlay = 1, tape = -1; /* tape: the next step of it, -1: it does not play */

/* The view follows the hero, and stays in the level. */
static void look(void) {
    const int wide = WIDTH / ZOOM, high = HEIGHT / ZOOM;
    const int x = (int)g.hero->box.min[0] - wide / 2, y = (int)g.hero->box.min[1] - high / 2;
    left = SDL_clamp(x, 0, SDL_max(0, g.width - wide));
    top = SDL_clamp(y, 0, SDL_max(0, g.height - high));
}

/* A part of a box: x and y from its left upper corner, in pixels of the level. */
static void fill(SDL_Renderer *r, uint32_t rgb, const thing *t, float x, float y, float width, float height) {
    const float x0 = (t->box.min[0] + x - (float)left) * ZOOM, y0 = (t->box.min[1] + y - (float)top) * ZOOM;
    const SDL_Rect rect = {(int)x0, (int)y0, (int)(width * ZOOM), (int)(height * ZOOM)};
    SDL_SetRenderDrawColor(r, (Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb, 255);
    SDL_RenderFillRect(r, &rect);
}

static void draw_hero(SDL_Renderer *r, const thing *t, float h) {
    const float eye = t->vx < 0 ? 2 : 6;
    fill(r, g.dead ? 0xff5c7a : 0x6fa3e0, t, 0, 0, 12, h);
    fill(r, 0xe8eef6, t, 1, 2, 10, 6);
    fill(r, 0x10151c, t, eye, 3, 2, 4);
    fill(r, 0xe06c75, t, 0, 9, 12, 2);
    fill(r, 0x3f5f8a, t, 1, h - 3, 4, 3);
    fill(r, 0x3f5f8a, t, 7, h - 3, 4, 3);
}

static void draw_thing(SDL_Renderer *r, const thing *t) {
    const float w = t->box.max[0] - t->box.min[0], h = t->box.max[1] - t->box.min[1];
    switch (t->kind) {
    case TILE: fill(r, 0x33455c, t, 0, 0, w, h); break;
    case ONE_WAY: fill(r, 0xb08a5a, t, 0, 0, w, h); break;
    case LADDER:
        fill(r, 0x8a6a44, t, 0, 0, 2, h);
        fill(r, 0x8a6a44, t, w - 2, 0, 2, h);
        for (float y = 2; y < h; y += 5) fill(r, 0x8a6a44, t, 0, y, w, 2);
        break;
    case LIFT: fill(r, 0x57b894, t, 0, 0, w, h); break;
    case DOOR:
        fill(r, 0x8fa3ba, t, 0, 0, w, h);
        for (float y = 4; y < h; y += 8) fill(r, 0xe0a458, t, 2, y, w - 4, 3);
        break;
    case CRATE:
        fill(r, 0x9a6d3f, t, 0, 0, w, h);
        fill(r, 0xc18e57, t, 2, 2, w - 4, h - 4);
        fill(r, 0x9a6d3f, t, w / 2 - 1, 2, 2, h - 4);
        break;
    case COIN: fill(r, 0xffd877, t, 1, 0, w - 2, h); break;
    case SPIKES:
        for (float x = 0; x + 4 < w; x += 6) {
            fill(r, 0xe8836f, t, x, 3, 5, 3);
            fill(r, 0xe8836f, t, x + 2, 0, 1, 3);
        }
        break;
    case ENEMY:
        fill(r, 0xc678c9, t, 0, 0, w, h);
        fill(r, 0x10151c, t, t->vx < 0 ? 2 : 5, 3, 2, 3);
        fill(r, 0x10151c, t, t->vx < 0 ? 7 : 10, 3, 2, 3);
        break;
    case FLAG:
        fill(r, 0xa5b6ca, t, 0, 0, 2, h);
        fill(r, g.won ? 0xffd877 : 0x7fd0a0, t, 2, 1, 12, 9);
        break;
    case HERO: draw_hero(r, t, h); break;
    }
}

/* Draws the boxes of the world, its pairs as lines, and what stopped the hero in white. */
static void draw_overlay(SDL_Renderer *r) {
    int pairs;
    const sap_pair *pair = sap_pairs(g.world, &pairs);
    for (int i = 0; i < g.count; i++) {
        const thing *t = &g.things[i];
        const int stops_him = t == g.stopped[0] || t == g.stopped[1];
        const SDL_Rect rect = {(int)((t->box.min[0] - (float)left) * ZOOM), (int)((t->box.min[1] - (float)top) * ZOOM),
                               (int)((t->box.max[0] - t->box.min[0]) * ZOOM),
                               (int)((t->box.max[1] - t->box.min[1]) * ZOOM)};
        if (!t->id) continue;
        SDL_SetRenderDrawColor(r, stops_him ? 255 : 90, stops_him ? 255 : 130, stops_him ? 255 : 170, 255);
        SDL_RenderDrawRect(r, &rect);
    }
    SDL_SetRenderDrawColor(r, 255, 216, 119, 255);
    for (; pairs > 0; pairs--, pair++) {
        const sap_aabb *a = &((const thing *)pair->object0)->box, *b = &((const thing *)pair->object1)->box;
        SDL_RenderDrawLine(r, (int)((a->min[0] + a->max[0]) / 2 - (float)left) * ZOOM,
                           (int)((a->min[1] + a->max[1]) / 2 - (float)top) * ZOOM,
                           (int)((b->min[0] + b->max[0]) / 2 - (float)left) * ZOOM,
                           (int)((b->min[1] + b->max[1]) / 2 - (float)top) * ZOOM);
    }
}

static void draw(SDL_Renderer *r) {
    static const uint32_t order[] = {LADDER, FLAG, COIN, SPIKES, ONE_WAY, DOOR, TILE, LIFT, CRATE, ENEMY, HERO};
    char text[96];
    look();
    pixels_fill(r, SKY, WIDTH / 2, HEIGHT / 2, WIDTH, HEIGHT);
    for (int i = 0; i < STARS; i++) pixels_fill(r, 0x5a6a7e, i * 7919 % WIDTH, i * 6101 % HEIGHT, 1 + i % 3, 1 + i % 3);
    for (int i = 0; i < g.count; i++) /* grass: tiles are drawn over that of those below them */
        if (g.things[i].kind == TILE)
            fill(r, 0x7fd0a0, &g.things[i], 0, -2, g.things[i].box.max[0] - g.things[i].box.min[0], 2);
    for (int k = 0; k < (int)(sizeof order / sizeof *order); k++)
        for (int i = 0; i < g.count; i++)
            if (g.things[i].id && g.things[i].kind == order[k]) draw_thing(r, &g.things[i]);
    if (overlay) draw_overlay(r);
    snprintf(text, sizeof text, "COINS %d OF %d  DEATHS %d", g.coins, g.all_coins, g.deaths);
    pixels_text(r, 0xe8eef6, 20, 20, 4, text);
    if (g.won) pixels_text(r, 0xffd877, WIDTH / 2 - 200, HEIGHT / 3, 12, "YOU WIN");
    SDL_RenderPresent(r);
}

/* Plays the tape without a display. */
static int run_headless(SDL_Renderer *r, int steps, const char *path) {
    for (int i = 0, keys; i < steps; i++) {
        keys = keys_of(the_tape, i);
        step(&g, keys < 0 ? 0 : keys);
    }
    printf("%d steps: %d of %d coins, %d deaths\n", steps, g.coins, g.all_coins, g.deaths);
    draw(r);
    if (pixels_save(r, WIDTH, HEIGHT, path)) return 0;
    fprintf(stderr, "cannot write %s\n", path);
    return 1;
}

static int keys_down(void) {
    const Uint8 *down = SDL_GetKeyboardState(NULL);
    const int keys = tape < 0 ? -1 : keys_of(the_tape, tape);
    if (keys >= 0) {
        tape++;
        return keys;
    }
    tape = -1;
    return (down[SDL_SCANCODE_LEFT] ? LEFT : 0) | (down[SDL_SCANCODE_RIGHT] ? RIGHT : 0) |
           (down[SDL_SCANCODE_UP] ? UP : 0) | (down[SDL_SCANCODE_DOWN] ? DOWN : 0) |
           (down[SDL_SCANCODE_SPACE] ? JUMP : 0);
}

static void run(SDL_Renderer *r) {
    for (Uint64 next = SDL_GetTicks64();;) {
        for (SDL_Event e; SDL_PollEvent(&e);) {
            if (e.type == SDL_QUIT) return;
            if (e.type != SDL_KEYDOWN || e.key.repeat) continue;
            if (e.key.keysym.sym == SDLK_ESCAPE) return;
            if (e.key.keysym.sym == SDLK_o) overlay = !overlay;
            if (e.key.keysym.sym == SDLK_t) tape = 0;
            if (e.key.keysym.sym == SDLK_r || e.key.keysym.sym == SDLK_t) load(&g, the_level);
        }
        if (SDL_GetTicks64() > next + 100) next = SDL_GetTicks64(); /* it was held up: do not hurry to catch up */
        for (; next <= SDL_GetTicks64(); next += 16) step(&g, keys_down());
        draw(r);
        SDL_Delay(1);
    }
}

int main(int argc, char **argv) {
    const int headless = argc == 4 && !strcmp(argv[1], "--headless");
    const char *wrong = load(&g, the_level);
    int failed = 0;
    if (wrong || (argc > 1 && !headless)) {
        fprintf(stderr, "%s\nusage: %s [--headless steps picture.png]\n", wrong ? wrong : "", argv[0]);
        return 2;
    }
    if (headless) SDL_setenv("SDL_VIDEODRIVER", "dummy", 1);
    if (SDL_Init(SDL_INIT_VIDEO)) {
        fprintf(stderr, "SDL: %s; without a display: --headless 1180 platformer.png\n", SDL_GetError());
        return 1;
    }
    SDL_Window *window = SDL_CreateWindow("sap", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, 0);
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, headless ? SDL_RENDERER_SOFTWARE : 0);
    if (!renderer) {
        fprintf(stderr, "SDL: %s\n", SDL_GetError());
        return 1;
    }
    if (headless)
        failed = run_headless(renderer, atoi(argv[2]), argv[3]);
    else
        run(renderer);
    sap_destroy(g.world);
    SDL_DestroyRenderer(renderer);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return failed;
}
