/*
Shows how to build a whole game on sap: thousands of bullets, and all that happens follows from begin and end events.

    cc -I.. -I/usr/include/stb -o bullet_hell 11_bullet_hell.c -lSDL2 -lpng -lm && ./bullet_hell --headless 372 hell.png

It needs SDL2 and libpng (Debian: libsdl2-dev libpng-dev); `make game` installs them, builds it and lets you play:
arrows fly, space fires, shift slows you down, O shows or hides what sap sees, R restarts, escape quits.
With --headless it needs no display: it plays that many frames by itself and draws the last one. It prints:

    372 frames: wave 1, 2134 points, 94 enemies shot down, 6 near misses, 5 lives left
    at most 2338 boxes, 2119 of them bullets, and 13 pairs; 1049 events
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pixels.h"
#define SAP_IMPLEMENTATION
#include "sap.h"

/* Categories of boxes. GRAZE is a larger box around the player: near misses score. */
enum { PLAYER = 2, GRAZE = 4, SHOT = 8, ENEMY = 16, BULLET = 32 };
/* Positions are whole numbers, 256 per pixel: the game is the same on every machine. */
enum { WIDTH = 1280, HEIGHT = 720, PIXEL = 256, BACKGROUND = 0x0b0e14 };
enum { MAX_BOXES = 6000, DIRECTIONS = 64, SPARKS = 500, STARS = 150, HISTORY = 200 };
enum { TURRET_LIFE = 60, SPARK_LIFE = 30, FLASH = 8 }; /* SPARK_LIFE and FLASH are frames */

typedef struct thing {
    sap_id id;
    uint32_t category;
    int x, y, dx, dy, width, height; /* the middle, the way of a frame (256ths of a pixel); its size in pixels */
    int life, age;
    int inside, flash_until; /* the number of boxes it overlaps now; it is drawn white before that frame */
} thing;

/* Things are indexed by the slots of their boxes. sap.h gives out a slot again only after the update that reports the
   end of its pairs, so an end event still finds its thing. (A pool of your own has to keep this rule itself:
   15_pools.c.) The highest slot is at most 2 * max_boxes + 257: between two updates all boxes may go and as many come,
   and free slots are not used until there are more than 256. */
enum { THINGS = 2 * MAX_BOXES + 257 + 1 };
static thing things[THINGS];
static struct { int x, y, dx, dy, age; } sparks[SPARKS];
static sap_world *world;
static int direction[DIRECTIONS][2]; /* vectors of length 256 around a circle */
static sap_id player, graze;
static int wave, score, lives, grazes, kills, frame, safe_until, next_spark, overlay = 1, history[HISTORY];

static int random_below(int end) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)end);
}

static thing *thing_of(sap_id id) {
    return &things[SAP_SLOT(id)];
}

static sap_aabb box_of(const thing *t) {
    const float x = (float)t->x / PIXEL, y = (float)t->y / PIXEL;
    const float w = (float)t->width / 2, h = (float)t->height / 2;
    return (sap_aabb){{x - w, y - h, 0}, {x + w, y + h, 0}};
}

static uint32_t meets(uint32_t category) {
    switch (category) {
    case PLAYER: return ENEMY | BULLET;
    case GRAZE: return BULLET;
    case SHOT: return ENEMY;
    case ENEMY: return PLAYER | SHOT;
    default: return PLAYER | GRAZE;
    }
}

/* Adds a thing at a place in pixels, with a speed in 256ths of a pixel per frame. Returns 0 if there is no room. */
static sap_id spawn(uint32_t category, int x, int y, int dx, int dy, int width, int height, int life) {
    thing t = {0, category, x * PIXEL, y * PIXEL, dx, dy, width, height, life, 0, 0, 0};
    sap_aabb box = box_of(&t);
    t.id = sap_add(world, &box, NULL);
    if (!t.id) return 0;
    sap_set_filter(world, t.id, category, meets(category));
    *thing_of(t.id) = t;
    return t.id;
}

static void blow_up(thing *t, int sparkles) {
    if (sap_remove(world, t->id) != SAP_OK) return; /* it is gone already: hit twice in one frame */
    for (; sparkles > 0; sparkles--, next_spark = (next_spark + 1) % SPARKS) {
        const int *way = direction[random_below(DIRECTIONS)], speed = 1 + random_below(4);
        sparks[next_spark].x = t->x;
        sparks[next_spark].y = t->y;
        sparks[next_spark].dx = way[0] * speed;
        sparks[next_spark].dy = way[1] * speed;
        sparks[next_spark].age = 0;
    }
}

static int wipe(sap_id id, void *object, void *user) {
    (void)object, (void)user;
    blow_up(thing_of(id), 1);
    return 1;
}

static void player_hit(void) {
    thing *p = thing_of(player);
    const float middle[3] = {(float)p->x / PIXEL, (float)p->y / PIXEL, 0};
    if (lives == 0 || frame < safe_until) return; /* hit twice in one frame, or still safe */
    lives--;
    safe_until = frame + 120;
    sap_set_filter(world, player, PLAYER, 0); /* for two seconds it meets nothing */
    sap_query_sphere(world, middle, 200, BULLET, wipe, NULL);
}

/* Orders a pair by category. Pairs are ordered by ids, which do not tell a shot from an enemy. */
static void order(const sap_pair *pair, thing **low, thing **high) {
    thing *a = thing_of(pair->id0), *b = thing_of(pair->id1);
    *low = a->category < b->category ? a : b;
    *high = a->category < b->category ? b : a;
}

static void *begin(const sap_pair *pair, void *user) {
    thing *a, *b;
    (void)user;
    order(pair, &a, &b);
    a->inside++;
    b->inside++;
    switch (a->category) {
    case PLAYER: player_hit(); break;
    case GRAZE:
        grazes++;
        score++;
        break;
    case SHOT: /* it pierces enemies, and hits each of them once: when the pair begins */
        if (--a->life == 0) blow_up(a, 1);
        b->flash_until = frame + FLASH;
        if (--b->life != 0) break;
        kills++;
        score += b->width;
        blow_up(b, b->width);
        break;
    }
    return NULL;
}

static void end(const sap_pair *pair, void *user) {
    thing *a, *b;
    (void)user;
    order(pair, &a, &b);
    a->inside--;
    b->inside--;
}

static void new_game(void) {
    const sap_config config = {.axes = SAP_2D, .max_boxes = MAX_BOXES};
    sap_destroy(world);
    world = sap_create(&config);
    if (!world) exit(1);
    memset(things, 0, sizeof things);
    wave = score = grazes = kills = frame = safe_until = 0;
    lives = 5;
    for (int i = 0; i < SPARKS; i++) sparks[i].age = SPARK_LIFE; /* burnt out: not drawn */
    player = spawn(PLAYER, WIDTH / 2, HEIGHT - 90, 0, 0, 6, 6, 1);
    graze = spawn(GRAZE, WIDTH / 2, HEIGHT - 90, 0, 0, 44, 44, 1);
}

static void new_wave(void) {
    wave++;
    for (int i = 0; i < 240; i++) spawn(ENEMY, 60 + i % 30 * 40, -260 + i / 30 * 30, 0, 2 * PIXEL, 22, 16, 4);
    for (int i = 0, turrets = 4 + wave; i < turrets; i++)
        spawn(ENEMY, (2 * i + 1) * WIDTH / (2 * turrets), 0, 0, 2 * PIXEL, 52, 40, TURRET_LIFE);
}

static void fire(const thing *from, int way, int speed) { /* speed: sixteenths of a pixel per frame */
    const int *d = direction[way & (DIRECTIONS - 1)];
    spawn(BULLET, from->x / PIXEL, from->y / PIXEL, d[0] * speed / 16, d[1] * speed / 16, 7, 7, 1);
}

static int aim(const thing *from, const thing *at) { /* the direction that points there most closely */
    int best = 0;
    for (int i = 1; i < DIRECTIONS; i++) {
        const int x = (at->x - from->x) / PIXEL, y = (at->y - from->y) / PIXEL;
        if (direction[i][0] * x + direction[i][1] * y > direction[best][0] * x + direction[best][1] * y) best = i;
    }
    return best;
}

static void think(thing *enemy) {
    const int is_turret = enemy->width > 40;
    if (enemy->age == 180) enemy->dy = 0; /* it has arrived: now it sways */
    if (enemy->age >= 180) enemy->dx = (enemy->age - 90) / 180 % 2 ? -PIXEL / 4 : PIXEL / 4;
    if (is_turret && enemy->age % 3 == 0)
        for (int arm = 0; arm < 4; arm++) fire(enemy, arm * 16 + enemy->age / 3 * (enemy->id & 1 ? 5 : -5), 22);
    if (!is_turret && random_below(500) == 0) fire(enemy, aim(enemy, thing_of(player)), 36);
}

typedef struct keys {
    int x, y, slow, fire; /* x and y: -1, 0 or 1 */
} keys;

static void steer(keys k) {
    thing *p = thing_of(player), *g = thing_of(graze);
    const int speed = k.slow ? 2 * PIXEL : 5 * PIXEL;
    p->x = SDL_clamp(p->x + k.x * speed, 20 * PIXEL, (WIDTH - 20) * PIXEL);
    p->y = SDL_clamp(p->y + k.y * speed, 20 * PIXEL, (HEIGHT - 20) * PIXEL);
    g->x = p->x;
    g->y = p->y;
    if (k.fire && frame % 5 == 0)
        for (int i = -3; i <= 3; i++)
            spawn(SHOT, p->x / PIXEL + 6 * i, p->y / PIXEL - 16, i * PIXEL / (k.slow ? 8 : 1), -11 * PIXEL, 4, 14, 2);
}

/* Plays one frame, a 60th of a second: moves everything, then handles the events of sap_update. */
static void step(keys k) {
    int enemies = 0;
    if (lives > 0) steer(k);
    for (int i = 1; i < THINGS; i++) {
        thing *t = &things[i];
        if (!t->id) continue;
        if (!sap_is_valid(world, t->id)) {
            t->id = 0; /* removed in the last frame */
            continue;
        }
        t->age++;
        t->x += t->dx;
        t->y += t->dy;
        if (t->category == ENEMY) {
            enemies++;
            think(t);
        }
        sap_aabb box = box_of(t);
        const int gone = box.max[0] < -40 || box.min[0] > WIDTH + 40 || box.max[1] < -400 || box.min[1] > HEIGHT + 40;
        if (gone || (t->category == SHOT && box.max[1] < 0)) sap_remove(world, t->id);
        sap_move(world, t->id, &box); /* refused, without harm, for what was just removed */
    }
    if (!enemies) new_wave();
    if (frame == safe_until) sap_set_filter(world, player, PLAYER, meets(PLAYER));
    sap_dump_pairs(world, begin, end, NULL);
    sap_stats stats;
    sap_get_stats(world, &stats);
    history[frame++ % HISTORY] = stats.created + stats.deleted;
    for (int i = 0; i < SPARKS; i++) {
        sparks[i].x += sparks[i].dx;
        sparks[i].y += sparks[i].dy;
        sparks[i].age++;
    }
}

/* The machine plays: of nine moves it takes the one that best avoids the next places of nearby bullets. */
static int danger[9];

static int foresee(sap_id id, void *object, void *user) {
    const thing *t = thing_of(id), *p = (const thing *)user;
    (void)object;
    for (int move = 0; move < 9; move++)
        for (int f = 1; f <= 24; f++) {
            const int x = p->x + (move % 3 - 1) * f * 5 * PIXEL - t->x - f * t->dx;
            const int y = p->y + (move / 3 - 1) * f * 5 * PIXEL - t->y - f * t->dy;
            if (abs(x) < (t->width / 2 + 7) * PIXEL && abs(y) < (t->height / 2 + 7) * PIXEL) danger[move] += 9000 / f;
        }
    return 1;
}

static keys machine(void) {
    thing *p = thing_of(player);
    const float x = (float)p->x / PIXEL, y = (float)p->y / PIXEL;
    const sap_aabb near = {{x - 190, y - 190, 0}, {x + 190, y + 190, 0}};
    const float middle[3] = {x, y, 0};
    const sap_id prey = sap_nearest(world, middle, INFINITY, ENEMY, NULL);
    const int goal = prey ? thing_of(prey)->x : p->x;
    int best = 4;
    for (int move = 0; move < 9; move++) {
        const int nx = p->x + (move % 3 - 1) * 40 * PIXEL, ny = p->y + (move / 3 - 1) * 40 * PIXEL;
        danger[move] = (abs(nx - goal) + 2 * abs(ny - 560 * PIXEL)) / PIXEL / 4;
    }
    sap_query_box(world, &near, ENEMY | BULLET, foresee, p);
    for (int move = 0; move < 9; move++)
        if (danger[move] < danger[best]) best = move;
    return (keys){best % 3 - 1, best / 3 - 1, 0, 1};
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

static uint32_t color_of(const thing *t) {
    switch (t->category) {
    case PLAYER: return 0x7fd0a0;
    case GRAZE: return 0x3a5f8a;
    case SHOT: return 0x66d9ff;
    case ENEMY: return frame < t->flash_until ? 0xffffff : t->width > 40 ? 0xc86bff : 0x8f7bd8;
    default: return t->inside ? 0xffffff : 0xff5c7a;
    }
}

static void draw_thing(SDL_Renderer *r, const thing *t) {
    const int x = t->x / PIXEL, y = t->y / PIXEL, w = t->width, h = t->height;
    const uint32_t color = color_of(t);
    if (t->category == PLAYER) {
        if (lives == 0 || (frame < safe_until && frame / 4 % 2)) return;
        pixels_fill(r, color, x, y + 2, 6, 28);
        pixels_fill(r, color, x, y + 6, 18, 10);
        pixels_fill(r, color, x, y + 10, 28, 6);
        pixels_fill(r, 0xffffff, x, y, w, h); /* only this can be hit */
    } else if (t->category == GRAZE) {
        if (t->inside) pixels_fill(r, 0x1c2b3c, x, y, w, h);
    } else if (t->category == ENEMY) {
        pixels_fill(r, color, x, y, w, h);
        pixels_fill(r, 0x10151c, x - w / 5, y + 2, w / 6, h / 4);
        pixels_fill(r, 0x10151c, x + w / 5, y + 2, w / 6, h / 4);
        pixels_fill(r, color, x, y + h / 2, w / 3, h / 3);
        if (w > 40) pixels_fill(r, 0xffd877, x, y - h / 2 - 6, w * t->life / TURRET_LIFE, 4);
    } else {
        pixels_fill(r, color, x, y, w, h);
        pixels_fill(r, 0xffffff, x, y, w / 2, h / 2);
    }
}

/* Draws the boxes of the world, and pairs as lines. */
static void draw_pairs(SDL_Renderer *r) {
    int pairs;
    const sap_pair *pair = sap_pairs(world, &pairs);
    SDL_SetRenderDrawColor(r, 60, 140, 90, 255);
    for (int i = 1; i < THINGS; i++) {
        if (!things[i].id) continue;
        const thing *t = &things[i];
        const SDL_Rect rect = {t->x / PIXEL - t->width / 2 - 1, t->y / PIXEL - t->height / 2 - 1, t->width + 2,
                               t->height + 2};
        SDL_RenderDrawRect(r, &rect);
    }
    SDL_SetRenderDrawColor(r, 255, 216, 119, 255);
    for (int i = 0; i < pairs; i++) {
        const thing *a = thing_of(pair[i].id0), *b = thing_of(pair[i].id1);
        SDL_RenderDrawLine(r, a->x / PIXEL, a->y / PIXEL, b->x / PIXEL, b->y / PIXEL);
    }
}

/* Draws the numbers of boxes and pairs, the time of a frame, and the events of each of the last frames. */
static void draw_numbers(SDL_Renderer *r, double milliseconds) {
    char text[96];
    int pairs;
    sap_pairs(world, &pairs);
    pixels_fill(r, BACKGROUND, WIDTH - HISTORY / 2 - 20, HEIGHT - 50, HISTORY + 24, 84);
    for (int i = 0; i < HISTORY; i++) {
        const int height = SDL_min(3 * history[(frame + i) % HISTORY], 60);
        pixels_fill(r, 0xffd877, WIDTH - HISTORY - 20 + i, HEIGHT - 12 - height / 2, 1, height);
    }
    pixels_text(r, 0xffd877, WIDTH - HISTORY - 20, HEIGHT - 84, 2, "EVENTS PER FRAME");
    const int length = snprintf(text, sizeof text, "%d BOXES  %d PAIRS  %d EVENTS", sap_count(world), pairs,
                                history[(frame + HISTORY - 1) % HISTORY]);
    if (milliseconds > 0) /* the picture of a headless run shows no time, to be the same on every run */
        snprintf(text + length, sizeof text - (size_t)length, "  %.2f MS PER FRAME", milliseconds);
    pixels_text(r, 0xffd877, 20, 50, 3, text);
}

static void draw(SDL_Renderer *r, double milliseconds) {
    static const uint32_t order_of_drawing[] = {GRAZE, SHOT, ENEMY, BULLET, PLAYER};
    char text[96];
    pixels_fill(r, BACKGROUND, WIDTH / 2, HEIGHT / 2, WIDTH, HEIGHT);
    for (int i = 0; i < STARS; i++)
        pixels_fill(r, 0x2a3648, i * 7919 % WIDTH, (i * 6101 + frame * (1 + i % 3)) % HEIGHT, 2, 2);
    for (int layer = 0; layer < 5; layer++)
        for (int i = 1; i < THINGS; i++)
            if (things[i].id && things[i].category == order_of_drawing[layer]) draw_thing(r, &things[i]);
    for (int i = 0; i < SPARKS; i++)
        if (sparks[i].age < SPARK_LIFE) pixels_fill(r, 0xffc36b, sparks[i].x / PIXEL, sparks[i].y / PIXEL, 4, 4);
    if (overlay) draw_pairs(r);
    pixels_fill(r, BACKGROUND, 310, 38, 620, 76); /* so that the text can be read */
    snprintf(text, sizeof text, "WAVE %d  SCORE %d  LIVES %d", wave, score, lives);
    pixels_text(r, 0xe8eef6, 20, 20, 4, text);
    if (lives == 0) pixels_text(r, 0xff5c7a, WIDTH / 2 - 270, HEIGHT / 2, 15, "GAME OVER");
    if (overlay) draw_numbers(r, milliseconds);
    if (frame < 300)
        pixels_text(r, 0x8fa3ba, 20, HEIGHT - 30, 3, "ARROWS FLY  SPACE FIRES  SHIFT SLOW  O OVERLAY  R RESTART");
    SDL_RenderPresent(r);
}

/* Plays without a display. */
static int run_headless(SDL_Renderer *r, int frames, const char *path) {
    int most_boxes = 0, most_bullets = 0, most_pairs = 0, pairs;
    long long events = 0;
    for (int i = 0; i < frames; i++) {
        const int before = frame;
        step(machine());
        sap_pairs(world, &pairs);
        const int bullets =
            sap_query_box(world, &(sap_aabb){{-100, -500, 0}, {WIDTH + 100, HEIGHT + 100, 0}}, BULLET, NULL, NULL);
        events += history[before % HISTORY];
        if (most_boxes < sap_count(world)) most_boxes = sap_count(world);
        if (most_bullets < bullets) most_bullets = bullets;
        if (most_pairs < pairs) most_pairs = pairs;
    }
    printf("%d frames: wave %d, %d points, %d enemies shot down, %d near misses, %d lives left\n", frame, wave, score,
           kills, grazes, lives);
    printf("at most %d boxes, %d of them bullets, and %d pairs; %lld events\n", most_boxes, most_bullets, most_pairs,
           events);
    draw(r, 0);
    if (pixels_save(r, WIDTH, HEIGHT, path)) return 0;
    fprintf(stderr, "cannot write %s\n", path);
    return 1;
}

static void run(SDL_Renderer *r) {
    const Uint8 *down = SDL_GetKeyboardState(NULL);
    double milliseconds = 0;
    for (Uint64 next = SDL_GetTicks64();;) {
        for (SDL_Event e; SDL_PollEvent(&e);) {
            if (e.type == SDL_QUIT) return;
            if (e.type != SDL_KEYDOWN || e.key.repeat) continue;
            if (e.key.keysym.sym == SDLK_ESCAPE) return;
            if (e.key.keysym.sym == SDLK_o) overlay = !overlay;
            if (e.key.keysym.sym == SDLK_r) new_game();
        }
        const keys k = {down[SDL_SCANCODE_RIGHT] - down[SDL_SCANCODE_LEFT],
                        down[SDL_SCANCODE_DOWN] - down[SDL_SCANCODE_UP], down[SDL_SCANCODE_LSHIFT],
                        down[SDL_SCANCODE_SPACE]};
        if (SDL_GetTicks64() > next + 100) next = SDL_GetTicks64(); /* it was held up: do not hurry to catch up */
        for (; next <= SDL_GetTicks64(); next += 16) {
            const Uint64 start = SDL_GetPerformanceCounter();
            step(k);
            const double took = (double)(SDL_GetPerformanceCounter() - start) / (double)SDL_GetPerformanceFrequency();
            milliseconds += 0.05 * (1000 * took - milliseconds); /* smoothed, so that it can be read */
        }
        draw(r, milliseconds);
        SDL_Delay(1);
    }
}

int main(int argc, char **argv) {
    const int headless = argc == 4 && !strcmp(argv[1], "--headless");
    int failed = 0;
    if (argc > 1 && !headless) {
        fprintf(stderr, "usage: %s [--headless frames picture.png]\n", argv[0]);
        return 2;
    }
    if (headless) SDL_setenv("SDL_VIDEODRIVER", "dummy", 1);
    if (SDL_Init(SDL_INIT_VIDEO)) {
        fprintf(stderr, "SDL: %s; without a display: --headless 372 hell.png\n", SDL_GetError());
        return 1;
    }
    SDL_Window *window = SDL_CreateWindow("sap", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, 0);
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, headless ? SDL_RENDERER_SOFTWARE : 0);
    if (!renderer) {
        fprintf(stderr, "SDL: %s\n", SDL_GetError());
        return 1;
    }
    for (int i = 0; i < DIRECTIONS; i++)
        for (int k = 0; k < 2; k++) direction[i][k] = (int)lround(256 * cos(6.283185307 * (i - 16 * k) / DIRECTIONS));
    new_game();
    if (headless)
        failed = run_headless(renderer, atoi(argv[2]), argv[3]);
    else
        run(renderer);
    sap_destroy(world);
    SDL_DestroyRenderer(renderer);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return failed;
}
