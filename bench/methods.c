/*
methods.c - draws what each way to find the pairs of a frame costs, from worlds that stand still to worlds that jump

    methods [-n 30,100,...,100000] [-f frames] [-l seconds] [-s motion,...] [-o picture.svg]

A frame's time is that of handing in the boxes that moved and of the update; medians of all frames (40), in microseconds.
All ways see the same frames, one after another, so a machine that slows down slows all of them. A way gets the
seconds of -l (0.4) for each number of boxes, and is left out of larger worlds once a frame takes a tenth of a second.

The methods of sap.h and the grid of SAPs tell which pairs begin, end and are there; their counts must be equal, and
those of the two others, too: brute force and one sweep along x after a sort tell pairs alone, all of them in each frame.
The grid is fixed, with about 64 boxes a cell.
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdint.h>
#include <stdio.h>
#define SAP_MULTI_IMPLEMENTATION
#include "../sap_multi.h"
#include "args.h"
#include "clock.h"
#include "scenes.h"

enum { SORT, GRID, PRUNE, QUERY, AUTO, BRUTE, SWEEP, WAYS };
enum { MOST_SIZES = 16, MOST_FRAMES = 300, IN_A_CELL = 64 };
static const char *const way_names[WAYS] = {"SORT",        "SORT in a grid of SAPs", "PRUNE", "QUERY", "AUTO",
                                            "brute force", "sort and sweep"};

/* From none to all that jumps. */
static const struct motion {
    const char *name, *title;
    int place, motion;
    float amount;
} motions[] = {
    {"static", "nothing moves", PLACE_CUBE, STAND, 0},
    {"sparse", "one in twenty walks", PLACE_CUBE, WALK_SOME, 0.2f},
    {"jitter", "all tremble", PLACE_CUBE, WALK, 0.01f},
    {"brownian", "all walk", PLACE_CUBE, WALK, 0.2f},
    {"level", "all walk, at one height", PLACE_LEVEL, WALK, 0.2f},
    {"fast", "all run", PLACE_CUBE, WALK, 4},
    {"teleport", "one in a hundred jumps", PLACE_CUBE, JUMP, 0},
    {"jump", "all jump", PLACE_CUBE, SHUFFLE, 0},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

static double microseconds[MOTIONS][WAYS][MOST_SIZES]; /* 0: left out */
static int sizes[MOST_SIZES], size_count;

/* ---- two plain ways ----------------------------------------------------------------------------------- */

/* Boxes axis by axis, as both loops read them. */
typedef struct columns {
    float *min[3], *max[3];
    uint64_t *item, *scratch; /* the sortable min x above the box */
} columns;

static int columns_make(columns *c, int n) {
    int good = 1;
    for (int k = 0; k < 3; k++) {
        c->min[k] = (float *)calloc((size_t)n, sizeof(float));
        c->max[k] = (float *)calloc((size_t)n, sizeof(float));
        good &= c->min[k] && c->max[k];
    }
    c->item = (uint64_t *)calloc((size_t)n, sizeof *c->item);
    c->scratch = (uint64_t *)calloc((size_t)n, sizeof *c->scratch);
    return good && c->item && c->scratch;
}

static void columns_free(columns *c) {
    for (int k = 0; k < 3; k++) {
        free(c->min[k]);
        free(c->max[k]);
    }
    free(c->item);
    free(c->scratch);
}

static void columns_set(columns *c, const sap_aabb *box, int at) {
    for (int k = 0; k < 3; k++) {
        c->min[k][at] = box->min[k];
        c->max[k][at] = box->max[k];
    }
}

/* Returns the number of boxes from + 1 to below end that meet box 'from' and begin at or before 'until'. */
static long long meet_following(const columns *c, int from, int end, float until) {
    const float *x0 = c->min[0], *y0 = c->min[1], *z0 = c->min[2], *x1 = c->max[0], *y1 = c->max[1], *z1 = c->max[2];
    const float low[3] = {x0[from], y0[from], z0[from]}, high[3] = {x1[from], y1[from], z1[from]};
    int count = 0;
    for (int j = from + 1; j < end && x0[j] <= until; j++)
        count += (x0[j] <= high[0]) & (low[0] <= x1[j]) & (y0[j] <= high[1]) & (low[1] <= y1[j]) & (z0[j] <= high[2]) &
                 (low[2] <= z1[j]);
    return count;
}

static long long brute_force(columns *c, const scene *s) {
    long long pairs = 0;
    for (int i = 0; i < s->n; i++) columns_set(c, &s->box[i], i);
    for (int i = 0; i < s->n; i++) pairs += meet_following(c, i, s->n, INFINITY);
    return pairs;
}

/* By the upper 32 bits. */
static void radix_sort(uint64_t *items, uint64_t *scratch, int n) {
    for (int shift = 32; shift < 64; shift += 8) {
        int start[257] = {0};
        for (int i = 0; i < n; i++) start[(items[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (int i = 0; i < n; i++) scratch[start[items[i] >> shift & 255]++] = items[i];
        uint64_t *swap = items;
        items = scratch;
        scratch = swap;
    }
}

static long long sort_and_sweep(columns *c, const scene *s) {
    long long pairs = 0;
    for (int i = 0; i < s->n; i++) {
        uint32_t bits;
        memcpy(&bits, &s->box[i].min[0], sizeof bits);
        bits = bits >> 31 ? ~bits : bits | 0x80000000u;
        c->item[i] = (uint64_t)bits << 32 | (uint32_t)i;
    }
    radix_sort(c->item, c->scratch, s->n); /* four passes: the result is where it began */
    for (int i = 0; i < s->n; i++) columns_set(c, &s->box[(uint32_t)c->item[i]], i);
    for (int i = 0; i < s->n; i++) pairs += meet_following(c, i, s->n, c->max[0][i]);
    return pairs;
}

/* ---- one way, through the frames of one world -------------------------------------------------------------------- */

typedef struct way {
    sap_world *world; /* a world of sap.h, */
    sap_multi *multi; /* or a grid, */
    columns own;      /* or neither */
    sap_id *id;
    double time[MOST_FRAMES], spent;
    int frames, pairs, events, is_out;
} way;

static int cells_along(const scene *s, int axes) {
    const int cells = (int)(pow((double)s->n / IN_A_CELL, 1.0 / axes) + 0.5);
    return cells > 0 ? cells : 1;
}

static int way_make(way *w, int kind, const scene *s) {
    static const int methods[AUTO + 1] = {SAP_METHOD_SORT, SAP_METHOD_SORT, SAP_METHOD_PRUNE, SAP_METHOD_QUERY,
                                          SAP_METHOD_AUTO};
    sap_multi_config config;
    memset(w, 0, sizeof *w);
    w->id = (sap_id *)calloc((size_t)s->n, sizeof *w->id);
    if (kind > AUTO) return columns_make(&w->own, s->n) && w->id;
    memset(&config, 0, sizeof config);
    config.sap.method = methods[kind];
    if (kind == GRID) {
        const int is_level = s->kind->place == PLACE_LEVEL, cells = cells_along(s, is_level ? 2 : 3);
        for (int k = 0; k < 3; k++) {
            config.bounds.max[k] = s->side;
            config.cells[k] = is_level && k == 1 ? 1 : cells;
        }
        w->multi = sap_multi_create(&config);
        return w->multi && w->id && !sap_multi_add_many(w->multi, s->n, s->box, NULL, w->id) &&
               !sap_multi_update(w->multi);
    }
    w->world = sap_create(&config.sap);
    return w->world && w->id && !sap_add_many(w->world, s->n, s->box, NULL, w->id) && !sap_update(w->world);
}

static void way_free(way *w) {
    sap_destroy(w->world);
    sap_multi_destroy(w->multi);
    columns_free(&w->own);
    free(w->id);
}

/* Returns the microseconds of a frame. 'ids' and 'to' have room for all. */
static double way_frame(way *w, int kind, const scene *s, sap_id *ids, sap_aabb *to) {
    int created = 0, deleted = 0;
    for (int i = 0; i < s->moves; i++) {
        ids[i] = w->id[s->moved[i]];
        to[i] = s->box[s->moved[i]];
    }
    const double start = now();
    double end;
    if (kind > AUTO) {
        w->pairs = (int)(kind == BRUTE ? brute_force : sort_and_sweep)(&w->own, s);
        end = now();
    } else if (w->multi) {
        sap_multi_move_many(w->multi, s->moves, ids, to);
        sap_multi_update(w->multi);
        end = now();
        sap_multi_created(w->multi, &created);
        sap_multi_deleted(w->multi, &deleted);
        sap_multi_pairs(w->multi, &w->pairs);
    } else {
        sap_move_many(w->world, s->moves, ids, to);
        sap_update(w->world);
        end = now();
        sap_created(w->world, &created);
        sap_deleted(w->world, &deleted);
        sap_pairs(w->world, &w->pairs);
    }
    w->events = created * 7 + deleted;
    return end - start;
}

/* Every box goes somewhere else. */
static void jump_all(scene *s) {
    s->moves = 0;
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < 3; k++) s->item[i].centre[k] = scene_random(s) * s->side;
        scene_set_box(s, i);
        s->moved[s->moves++] = i;
    }
}

static int run(int m, int at, int frames, double seconds) {
    const struct motion *motion = &motions[m];
    const scene_kind kind = {motion->name, motion->place, motion->motion, motion->amount, 7, 0, motion->title};
    const int n = sizes[at];
    scene s;
    static way ways[WAYS];
    sap_id *ids = (sap_id *)calloc((size_t)n, sizeof *ids);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n, sizeof *to);
    int good = ids && to && scene_make(&s, &kind, n), equal = 1;
    for (int w = 0; w < WAYS && good; w++) {
        good = way_make(&ways[w], w, &s);
        ways[w].is_out = at > 0 && (microseconds[m][w][at - 1] == 0 || microseconds[m][w][at - 1] > 1e5);
    }
    for (int frame = -2; frame < frames && good; frame++) {
        int first = -1, first_with_events = -1;
        if (motion->motion == SHUFFLE)
            jump_all(&s);
        else
            scene_step(&s);
        for (int turn = 0; turn < WAYS; turn++) {
            const int w = (turn + frame + 2) % WAYS; /* each is as often the first, which has the colder caches */
            if (ways[w].is_out) continue;
            const double time = way_frame(&ways[w], w, &s, ids, to);
            if (first < 0) first = w;
            if (first_with_events < 0 && w <= AUTO) first_with_events = w;
            equal &= ways[w].pairs == ways[first].pairs;
            if (w <= AUTO) equal &= ways[w].events == ways[first_with_events].events;
            if (frame < 0 && time < 1e5) continue; /* warms up */
            ways[w].time[ways[w].frames++] = time;
            ways[w].spent += time;
            ways[w].is_out = ways[w].spent > seconds * 1e6;
        }
    }
    printf("%-10s %8d", motion->name, n);
    for (int w = 0; w < WAYS && good; w++) {
        if (ways[w].frames) {
            sort_times(ways[w].time, ways[w].frames);
            microseconds[m][w][at] = ways[w].time[ways[w].frames / 2];
            printf(" %10.1f", microseconds[m][w][at]);
        } else
            printf(" %10s", "-");
    }
    printf("%s\n", !good ? "  no memory" : equal ? "" : "  WRONG: other pairs");
    fflush(stdout);
    for (int w = 0; w < WAYS; w++) {
        way_free(&ways[w]);
        memset(&ways[w], 0, sizeof ways[w]);
    }
    scene_free(&s);
    free(ids);
    free(to);
    return good && equal;
}

/* ---- the picture ---------------------------------------------------------------------------------------------------- */

enum { ACROSS = 2, PANEL_WIDTH = 400, PANEL_HEIGHT = 290, PLOT_WIDTH = 330, PLOT_HEIGHT = 205, LEFT = 60, TOP = 96 };

static double log_part(double value, double low, double high) {
    return log(value / low) / log(high / low);
}

/* The way that takes least, for a motion and a number of boxes; AUTO is one of the others. */
static int winner(int m, int at) {
    int best = -1;
    for (int w = 0; w < WAYS; w++)
        if (w != AUTO && microseconds[m][w][at] > 0 && (best < 0 || microseconds[m][w][at] < microseconds[m][best][at]))
            best = w;
    return best;
}

static void draw_panel(FILE *f, int m, int place, double low, double high) {
    const double x0 = LEFT + place % ACROSS * PANEL_WIDTH, y0 = TOP + place / ACROSS * PANEL_HEIGHT;
    const double y1 = y0 + PLOT_HEIGHT, from = sizes[0] * 0.8, to = sizes[size_count - 1] * 1.25;
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" style=\"font-weight:bold\">%s</text>\n", x0, y0 - 10, motions[m].title);
    for (double power = low; power <= high * 1.01; power *= 10) {
        const double y = y1 - PLOT_HEIGHT * log_part(power, low, high);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", x0, y, x0 + PLOT_WIDTH);
        fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x0 - 6, y + 4);
        if (power > 99)
            fprintf(f, power > 1e5 ? "%g s</text>\n" : "%g ms</text>\n", power / (power > 1e5 ? 1e6 : 1e3));
        else
            fprintf(f, "%g \xc2\xb5s</text>\n", power);
    }
    for (int i = 0; i < size_count; i++) {
        const double x = x0 + PLOT_WIDTH * log_part(sizes[i], from, to);
        const int best = winner(m, i);
        const double power = log10((double)sizes[i]);
        if (fabs(power - floor(power + 0.5)) < 1e-6 || size_count < 4)
            fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n", x, y1 + 34,
                    sizes[i]);
        if (best >= 0)
            fprintf(f, "<rect class=\"p%d\" x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\"/>\n", best, x - 5, y1 + 9);
    }
    for (int w = 0; w < WAYS; w++) {
        char open = 'M';
        fprintf(f, "<path class=\"l%d\" d=\"", w);
        for (int i = 0; i < size_count; i++) {
            if (microseconds[m][w][i] <= 0) continue;
            fprintf(f, "%c%.1f %.1f", open, x0 + PLOT_WIDTH * log_part(sizes[i], from, to),
                    y1 - PLOT_HEIGHT * log_part(fmax(microseconds[m][w][i], low), low, high));
            open = 'L';
        }
        if (open == 'M') fprintf(f, "M0 0"); /* this way was not measured */
        fprintf(f, "\"/>\n");
    }
}

static int draw(const char *path, const char *wanted) {
    FILE *f = fopen(path, "w");
    static const char *const colors[2][WAYS] = {
        {"#c0392b", "#b8860b", "#1b6ca8", "#00838f", "#24292f", "#8e44ad", "#2e7d32"},
        {"#ff7b6b", "#f0c050", "#5aa9e6", "#4dd0e1", "#e6edf3", "#c792ea", "#6fcf75"}};
    double low = 1e9, high = 1;
    int panels = 0;
    if (!f) return 0;
    for (int m = 0; m < MOTIONS; m++) {
        panels += args_list_has(wanted, motions[m].name);
        for (int w = 0; w < WAYS; w++)
            for (int i = 0; i < size_count; i++)
                if (microseconds[m][w][i] > 0) {
                    low = fmin(low, microseconds[m][w][i]);
                    high = fmax(high, microseconds[m][w][i]);
                }
    }
    low = fmax(0.1, pow(10, floor(log10(low))));
    high = fmax(low * 10, pow(10, ceil(log10(high))));
    const int width = ACROSS * PANEL_WIDTH + 20, height = TOP + (panels + 1) / ACROSS * PANEL_HEIGHT - 40;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<title>What a frame costs, by the number of boxes, for each method and kind of motion</title>\n"
            "<style>text{font:14px sans-serif;fill:#24292f}.small{font-size:11px}path{fill:none}.grid{stroke:#d0d7de}",
            width, height, width, height);
    for (int dark = 0; dark < 2; dark++) {
        if (dark) fprintf(f, "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}");
        for (int w = 0; w < WAYS; w++)
            fprintf(f, ".p%d{fill:%s}.l%d{stroke:%s}", w, colors[dark][w], w, colors[dark][w]);
    }
    fprintf(f, "}");
    for (int w = 0; w < WAYS; w++)
        fprintf(f, ".l%d{stroke-width:%s%s}", w, w == AUTO ? "3" : "2",
                w == AUTO  ? ";stroke-dasharray:2 4;stroke-linecap:round"
                : w > AUTO ? ";stroke-dasharray:6 3"
                           : "");
    fprintf(f, "</style>\n<text x=\"%d\" y=\"20\" style=\"font-weight:bold\">", LEFT);
    fprintf(f, "what a frame costs, by the number of boxes; the squares: what costs least, AUTO aside</text>\n");
    for (int w = 0; w < WAYS; w++) {
        const int x = LEFT + w % 4 * 190, y = 40 + w / 4 * 20;
        fprintf(f, "<path class=\"l%d\" d=\"M%d %dh22\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", w, x, y - 4, x + 28, y,
                way_names[w]);
    }
    for (int m = 0, place = 0; m < MOTIONS; m++)
        if (args_list_has(wanted, motions[m].name)) draw_panel(f, m, place++, low, high);
    fprintf(f, "</svg>\n");
    const int good = !ferror(f);
    return !fclose(f) && good;
}

int main(int argc, char **argv) {
    const char *list = args_value(argc, argv, "-n", 1), *wanted = args_value(argc, argv, "-s", 1);
    const char *frames_text = args_value(argc, argv, "-f", 1), *seconds_text = args_value(argc, argv, "-l", 1);
    const char *path = args_value(argc, argv, "-o", 1);
    int frames = frames_text ? atoi(frames_text) : 40, good = 1;
    const double seconds = seconds_text ? atof(seconds_text) : 0.4;
    if (!args_are(argc, argv, "-n= -f= -l= -s= -o=")) {
        fprintf(stderr, "usage: methods [-n 30,100,1000] [-f frames] [-l seconds] [-s motion,...] [-o picture.svg]\n");
        return 2;
    }
    if (!list) list = "30,100,300,1000,3000,10000,30000,100000";
    if (frames < 1 || frames > MOST_FRAMES - 2) frames = MOST_FRAMES - 2;
    for (const char *p = list; p && size_count < MOST_SIZES; p = args_next(p))
        if (atoi(p) > 0) sizes[size_count++] = atoi(p);
    if (!size_count) return 2;
    printf("%-10s %8s %10s %10s %10s %10s %10s %10s %10s\n", "motion", "boxes", "SORT", "grid", "PRUNE", "QUERY",
           "AUTO", "brute", "sweep");
    for (int m = 0; m < MOTIONS; m++)
        for (int i = 0; i < size_count; i++)
            if (args_list_has(wanted, motions[m].name)) good &= run(m, i, frames, seconds);
    if (path && !draw(path, wanted)) {
        perror(path);
        return 1;
    }
    return !good;
}
