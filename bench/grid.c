/*
grid.c - draws what a moved box costs in a world that grows: in one SAP, in a grid of SAPs, and elsewhere (Terdiman II.1)

    grid [-n 1000,3000,...,100000] [-f frames] [-l seconds] [-p folder of peers] [-o picture.svg]

The boxes of the scenes sparse (5% walk) and brownian (all walk) are as dense in a large world as in a small one, so a box
meets as many others: what it costs to move it should not grow. In one SAP it grows, because the ends of boxes that are far
away are passed, too. A figure is the median processor time of a frame, that is of handing in the boxes that moved and of the
update, divided by the boxes that moved, in nanoseconds; of 40 frames (-f), or as many as fit into a second (-l). A way is
left out of larger worlds once a frame takes a fifth of a second.

The cells of the grid: chosen by sap_multi.h (here four times as long as a box), four times too short, four times too long.
All ways of sap.h must report the same events. Bullet's bt32BitAxisSweep3 and ODE's dSweepAndPruneSpace are run where
build/peers has them.
*/
#define _POSIX_C_SOURCE 200809L /* clock_gettime, popen */
#include <stdio.h>
#define SAP_MULTI_IMPLEMENTATION
#include "../sap_multi.h"
#include "args.h"
#include "clock.h"
#include "scenes.h"

enum { ONE, SHORT, CHOSEN, LONG, AUTO, BULLET, ODE, WAYS, OF_SAP = AUTO + 1 };
enum { SCENES = 2, MOST_SIZES = 16, MOST_FRAMES = 300 };
static const char *const scenes[SCENES] = {"sparse", "brownian"};
static const char *const titles[SCENES] = {"5% move", "all move"};
static const char *const way_names[WAYS] = {"one SAP",
                                            "grid, cells too short",
                                            "grid, cells chosen",
                                            "grid, cells too long",
                                            "AUTO: a tree",
                                            "Bullet axisSweep3",
                                            "ODE SAP"};
static const char *const columns[WAYS] = {"one", "short", "chosen", "long", "auto", "bullet", "ode"};
static const float too_short = 2, too_long = 32;     /* boxes are 2 long on average */
static double nanoseconds[SCENES][WAYS][MOST_SIZES]; /* a moved box; 0: left out */
static int sizes[MOST_SIZES], size_count;

typedef struct way {
    sap_world *world;
    sap_id *id;
    double time[MOST_FRAMES], spent;
    int frames, is_out, events;
} way;

static void way_open(way *t, int w, const scene *s) {
    sap_config config;
    sap_grid grid;
    memset(&config, 0, sizeof config);
    memset(&grid, 0, sizeof grid);
    config.method = w == AUTO ? SAP_METHOD_AUTO : SAP_METHOD_SORT;
    grid.hashed = w == SHORT || w == LONG;
    for (int k = 0; k < 3 && grid.hashed; k++) grid.cell_size[k] = w == SHORT ? too_short : too_long;
    grid.entries = 1 << 24;
    t->world = sap_create(&config);
    t->id = (sap_id *)calloc((size_t)s->n, sizeof *t->id);
    if (!t->world || !t->id) exit(1);
    if (w != ONE && w != AUTO && sap_set_grid(t->world, &grid) != SAP_OK) exit(1);
    sap_add_many(t->world, s->n, s->box, NULL, t->id);
    sap_update(t->world);
}

static double way_frame(way *t, const scene *s, sap_id *ids, sap_aabb *to) {
    int created, deleted;
    for (int i = 0; i < s->moves; i++) {
        ids[i] = t->id[s->moved[i]];
        to[i] = s->box[s->moved[i]];
    }
    const double start = now();
    sap_move_many(t->world, s->moves, ids, to);
    sap_update(t->world);
    const double time = now() - start;
    sap_created(t->world, &created);
    sap_deleted(t->world, &deleted);
    t->events = created * 7 + deleted;
    return time;
}

/* What a peer says that a frame takes; 0 if there is no such program. */
static double peer_frame(const char *folder, int w, const char *scene_name, int n, int frames, double seconds) {
    char command[512], line[4096];
    double median = 0;
    snprintf(command, sizeof command, "'%s/%s' '%s' frames %s %d %d %g cpu 2>/dev/null", folder, columns[w],
             w == BULLET ? "Bullet SAP" : "ODE SAP", scene_name, n, frames, seconds);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "median ");
        if (at) median = atof(at + 7);
    }
    if (f) pclose(f);
    return median;
}

static int run(int m, int at, int frames, double seconds, const char *folder) {
    static way ways[OF_SAP];
    scene s;
    const scene_kind *kind = scene_kinds;
    const int n = sizes[at];
    int equal = 1;
    while (strcmp(kind->name, scenes[m]) != 0) kind++;
    sap_id *ids = (sap_id *)calloc((size_t)n, sizeof *ids);
    sap_aabb *to = (sap_aabb *)calloc((size_t)n, sizeof *to);
    if (!scene_make(&s, kind, n) || !ids || !to) exit(1);
    memset(ways, 0, sizeof ways);
    for (int w = 0; w < OF_SAP; w++) {
        ways[w].is_out = at && (nanoseconds[m][w][at - 1] <= 0 || nanoseconds[m][w][at - 1] * s.n > (m ? 2e8 : 4e9));
        if (!ways[w].is_out) way_open(&ways[w], w, &s);
    }
    for (int frame = -2; frame < frames; frame++) {
        int first = -1;
        scene_step(&s);
        for (int turn = 0; turn < OF_SAP; turn++) {
            const int w = (turn + frame + 2) % OF_SAP; /* each is as often the first, which has the colder caches */
            if (ways[w].is_out || ways[w].spent > seconds * 1e6) continue;
            const double time = way_frame(&ways[w], &s, ids, to);
            ways[w].spent += time;
            if (frame >= 0) ways[w].time[ways[w].frames++] = 1e3 * time / (s.moves ? s.moves : 1);
            if (first >= 0) equal &= ways[w].events == ways[first].events;
            first = w;
        }
    }
    printf("%-9s %8d", scenes[m], n);
    for (int w = 0; w < WAYS; w++) {
        double *result = &nanoseconds[m][w][at];
        if (w < OF_SAP && ways[w].frames) {
            sort_times(ways[w].time, ways[w].frames);
            *result = ways[w].time[ways[w].frames / 2];
        }
        const int goes_on = at == 0 || (nanoseconds[m][w][at - 1] > 0 && nanoseconds[m][w][at - 1] * s.moves < 2e8);
        if (w >= OF_SAP && folder && goes_on)
            *result = 1e3 * peer_frame(folder, w, scenes[m], n, frames, seconds) / (s.moves ? s.moves : 1);
        if (*result > 0)
            printf(" %9.0f", *result);
        else
            printf(" %9s", "-");
    }
    printf("%s\n", equal ? "" : "  WRONG: other events");
    fflush(stdout);
    for (int w = 0; w < OF_SAP; w++) {
        sap_destroy(ways[w].world);
        free(ways[w].id);
    }
    scene_free(&s);
    free(ids);
    free(to);
    return equal;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

enum { PANEL_WIDTH = 430, PLOT_WIDTH = 350, PLOT_HEIGHT = 300, LEFT = 64, TOP = 112 };

static double log_part(double value, double low, double high) {
    return log(value / low) / log(high / low);
}

static void draw_panel(FILE *f, int m, double low, double high) {
    const double x0 = LEFT + m * PANEL_WIDTH, y0 = TOP, y1 = y0 + PLOT_HEIGHT;
    const double from = sizes[0] * 0.8, to = sizes[size_count - 1] * 1.25;
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" style=\"font-weight:bold\">%s</text>\n", x0, y0 - 12, titles[m]);
    for (double power = low; power <= high * 1.01; power *= 10) {
        const double y = y1 - PLOT_HEIGHT * log_part(power, low, high);
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", x0, y, x0 + PLOT_WIDTH);
        fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x0 - 6, y + 4);
        fprintf(f, power > 999 ? "%g \xc2\xb5s</text>\n" : "%g ns</text>\n", power > 999 ? power / 1e3 : power);
    }
    for (double power = 10; power <= to; power *= 10)
        if (power >= from)
            fprintf(f, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f</text>\n",
                    x0 + PLOT_WIDTH * log_part(power, from, to), y1 + 18, power);
    for (int w = 0; w < WAYS; w++) {
        char open = 'M';
        fprintf(f, "<path class=\"l%d\" d=\"", w);
        for (int i = 0; i < size_count; i++) {
            if (nanoseconds[m][w][i] <= 0) continue;
            fprintf(f, "%c%.1f %.1f", open, x0 + PLOT_WIDTH * log_part(sizes[i], from, to),
                    y1 - PLOT_HEIGHT * log_part(nanoseconds[m][w][i], low, high));
            open = 'L';
        }
        if (open == 'M') fprintf(f, "M0 0"); /* this way was not measured */
        fprintf(f, "\"/>\n");
    }
}

static int draw(const char *path) {
    static const char *const colors[2][WAYS] = {
        {"#c0392b", "#b8860b", "#1b6ca8", "#8e44ad", "#24292f", "#2e7d32", "#00838f"},
        {"#ff7b6b", "#f0c050", "#5aa9e6", "#c792ea", "#e6edf3", "#6fcf75", "#4dd0e1"}};
    FILE *f = fopen(path, "w");
    double low = 1e9, high = 1;
    if (!f) return 0;
    for (int i = 0; i < SCENES * WAYS * MOST_SIZES; i++) {
        const double ns = nanoseconds[i / MOST_SIZES / WAYS][i / MOST_SIZES % WAYS][i % MOST_SIZES];
        if (ns > 0) low = fmin(low, ns), high = fmax(high, ns);
    }
    low = pow(10, floor(log10(low)));
    high = fmax(low * 10, pow(10, ceil(log10(high))));
    const int width = SCENES * PANEL_WIDTH + 20, height = TOP + PLOT_HEIGHT + 44;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<title>What a moved box costs, by the number of boxes, in one SAP and in a grid of SAPs</title>\n"
            "<style>text{font:14px sans-serif;fill:#24292f}.small{font-size:11px}path{fill:none}.grid{stroke:#d0d7de}",
            width, height, width, height);
    for (int dark = 0; dark < 2; dark++) {
        if (dark) fprintf(f, "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}");
        for (int w = 0; w < WAYS; w++) fprintf(f, ".l%d{stroke:%s}", w, colors[dark][w]);
    }
    fprintf(f, "}");
    for (int w = 0; w < WAYS; w++)
        fprintf(f, ".l%d{stroke-width:%s%s}", w, w == CHOSEN || w == ONE ? "3" : "2",
                w == AUTO  ? ";stroke-dasharray:2 4;stroke-linecap:round"
                : w > AUTO ? ";stroke-dasharray:6 3"
                           : "");
    fprintf(f, "</style>\n<text x=\"%d\" y=\"20\" style=\"font-weight:bold\">", LEFT);
    fprintf(f, "what a moved box costs, by the number of boxes, always as dense</text>\n");
    for (int w = 0; w < WAYS; w++) {
        const int x = LEFT + w % 4 * 205, y = 44 + w / 4 * 20;
        fprintf(f, "<path class=\"l%d\" d=\"M%d %dh22\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", w, x, y - 4, x + 28, y,
                way_names[w]);
    }
    for (int m = 0; m < SCENES; m++) draw_panel(f, m, low, high);
    fprintf(f, "</svg>\n");
    const int good = !ferror(f);
    return !fclose(f) && good;
}

int main(int argc, char **argv) {
    const char *list = args_value(argc, argv, "-n", 1), *folder = args_value(argc, argv, "-p", 1);
    const char *frames_text = args_value(argc, argv, "-f", 1), *seconds_text = args_value(argc, argv, "-l", 1);
    const char *path = args_value(argc, argv, "-o", 1);
    int frames = frames_text ? atoi(frames_text) : 40, good = 1;
    const double seconds = seconds_text ? atof(seconds_text) : 1;
    if (!args_are(argc, argv, "-n= -f= -l= -p= -o=")) {
        fprintf(stderr, "usage: grid [-n 1000,10000] [-f frames] [-l seconds] [-p folder of peers] [-o picture.svg]\n");
        return 2;
    }
    clock_used = CLOCK_THREAD_CPUTIME_ID;
    if (!list) list = "1000,3000,10000,30000,100000,300000";
    if (frames < 1 || frames > MOST_FRAMES) frames = MOST_FRAMES;
    for (const char *p = list; p && size_count < MOST_SIZES; p = args_next(p))
        if (atoi(p) > 0) sizes[size_count++] = atoi(p);
    if (!size_count) return 2;
    printf("%-9s %8s", "scene", "boxes");
    for (int w = 0; w < WAYS; w++) printf(" %9s", columns[w]);
    printf("   ns a moved box\n");
    for (int m = 0; m < SCENES; m++)
        for (int i = 0; i < size_count; i++) good &= run(m, i, frames, seconds, folder);
    if (path && !draw(path)) {
        perror(path);
        return 1;
    }
    return !good;
}
