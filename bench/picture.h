/*
picture.h - draws the boxes of one frame as an SVG, those that overlap lit

Three axes: seen from above and the front, no perspective, far boxes first; each box shows its three near
faces. Two axes: the boxes as they are. What is static is drawn as ground, cut off near the others.
*/
#ifndef PICTURE_H
#define PICTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "trace.h"

enum { PICTURE_WIDTH = 1200, PICTURE_HEIGHT = 760, PICTURE_EDGE = 36, PICTURE_HEAD = 96 };

typedef struct picture_box {
    trace_body body;
    int partners; /* how many boxes that are not static overlap it */
    float depth;  /* larger is farther */
} picture_box;

typedef struct picture {
    FILE *file;
    int flat;
    double scale, left, top; /* of the drawing in the page */
} picture;

/* From the world (y up) to the drawing (y down): turned by 24 degrees, then looked at from 30 above. */
static void picture_project(const picture *p, double x, double y, double z, double out[3]) {
    const double ct = 0.914, st = 0.407, ce = 0.866, se = 0.5;
    double across = p->flat ? x : x * ct - z * st, away = p->flat ? 0 : -(x * st + z * ct);
    out[0] = across;
    out[1] = p->flat ? -y : -y * ce - away * se;
    out[2] = p->flat ? 0 : away * ce - y * se;
}

static int picture_far_first(const void *a, const void *b) {
    const picture_box *x = (const picture_box *)a, *y = (const picture_box *)b;
    if ((x->body.kind == TRACE_STATIC) != (y->body.kind == TRACE_STATIC)) /* ground is behind all */
        return x->body.kind == TRACE_STATIC ? -1 : 1;
    return x->depth < y->depth ? 1 : x->depth > y->depth ? -1 : 0;
}

/* One face, four corners that are picked from the box by bits: 1 max x, 2 max y, 4 max z. */
static void picture_face(const picture *p, const trace_body *b, const int corner[4], const char *style) {
    fprintf(p->file, "<path class=\"%s\" d=\"", style);
    for (int i = 0; i < 4; i++) {
        int c = corner[i];
        double at[3];
        picture_project(p, (c & 1 ? b->max : b->min)[0], (c & 2 ? b->max : b->min)[1], (c & 4 ? b->max : b->min)[2],
                        at);
        fprintf(p->file, "%c%.1f %.1f", i ? 'L' : 'M', p->left + at[0] * p->scale, p->top + at[1] * p->scale);
    }
    fprintf(p->file, "z\"/>\n");
}

/* The region of the boxes that are not static, a little widened. */
static void picture_region(const picture_box *box, int n, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
        for (int i = 0; i < n; i++)
            if (box[i].body.kind == TRACE_DYNAMIC) {
                low[k] = fmin(low[k], (double)box[i].body.min[k]);
                high[k] = fmax(high[k], (double)box[i].body.max[k]);
            }
        low[k] = low[k] <= high[k] ? low[k] - 0.75 : 0;
        high[k] = low[k] < high[k] ? high[k] + 0.75 : 1;
    }
}

/* 'body' and 'partners' have n entries. Returns 0 when the file cannot be written. */
static int picture_write(const char *path, int axes, const trace_body *body, const int *partners, int n,
                         const char *title, const char *line) {
    static const int top[4] = {2, 3, 7, 6}, front[4] = {4, 5, 7, 6}, side[4] = {1, 3, 7, 5};
    picture p = {NULL, !(axes & 4), 1, 0, 0};
    picture_box *box = (picture_box *)calloc((size_t)n + 1, sizeof *box);
    double low[3], high[3], from[2] = {HUGE_VAL, HUGE_VAL}, to[2] = {-HUGE_VAL, -HUGE_VAL};
    int count = 0, ok;
    p.file = box ? fopen(path, "w") : NULL;
    if (!p.file) {
        free(box);
        return 0;
    }
    for (int i = 0; i < n; i++)
        if (body[i].kind) {
            box[count].body = body[i];
            box[count++].partners = partners[i];
        }
    picture_region(box, count, low, high);
    for (int i = 0, kept = 0, all = count; i < all; i++) {
        picture_box b = box[i];
        double at[3];
        int seen = 1, all_round = 1;
        for (int k = 0; k < 3; k++) { /* what is static may be endless, even on all axes, as Bullet's planes are */
            all_round &= b.body.min[k] < low[k] && b.body.max[k] > high[k];
            b.body.min[k] = (float)fmax(b.body.min[k], low[k]);
            b.body.max[k] = (float)fmin(b.body.max[k], high[k]);
            seen &= b.body.min[k] <= b.body.max[k];
        }
        seen &= !all_round;
        for (int c = 0; c < 8 && seen; c++) {
            picture_project(&p, (c & 1 ? b.body.max : b.body.min)[0], (c & 2 ? b.body.max : b.body.min)[1],
                            (c & 4 ? b.body.max : b.body.min)[2], at);
            for (int k = 0; k < 2; k++) {
                from[k] = fmin(from[k], at[k]);
                to[k] = fmax(to[k], at[k]);
            }
        }
        picture_project(&p, (b.body.min[0] + b.body.max[0]) / 2, (b.body.min[1] + b.body.max[1]) / 2,
                        (b.body.min[2] + b.body.max[2]) / 2, at);
        b.depth = (float)at[2];
        if (seen) box[kept++] = b;
        count = kept;
    }
    p.scale = fmin((PICTURE_WIDTH - 2.0 * PICTURE_EDGE) / (to[0] - from[0]),
                   (PICTURE_HEIGHT - PICTURE_HEAD - 1.0 * PICTURE_EDGE) / (to[1] - from[1]));
    p.left = PICTURE_WIDTH / 2 - p.scale * (from[0] + to[0]) / 2;
    p.top = (PICTURE_HEIGHT + PICTURE_HEAD - PICTURE_EDGE) / 2 - p.scale * (from[1] + to[1]) / 2;
    qsort(box, (size_t)count, sizeof *box, picture_far_first);

    fprintf(p.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\">\n<style>",
            PICTURE_WIDTH, PICTURE_HEIGHT);
    fprintf(p.file, "path{stroke-width:.8;stroke-linejoin:round}"
                    ".g0{fill:#26303d;stroke:#37465a}.g1{fill:#1c242f;stroke:#37465a}.g2{fill:#171e27;stroke:#37465a}");
    static const char *const tone[4][3] = {{"#6f8fb4", "#4d6a8c", "#39516d"}, /* alone; one, two, more partners */
                                           {"#ffd877", "#e0a83e", "#b27f26"},
                                           {"#ffab5c", "#e17c2c", "#b0591a"},
                                           {"#ff7d5a", "#dc4d31", "#a5341f"}};
    for (int c = 0; c < 4; c++)
        for (int f = 0; f < 3; f++)
            fprintf(p.file, ".b%d%d{fill:%s;stroke:#10151c;fill-opacity:%s}", c, f, tone[c][f], c ? ".92" : ".75");
    fprintf(p.file, "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#10151c\"/>\n");
    for (int i = 0; i < count; i++) {
        int lit = box[i].partners < 3 ? box[i].partners : 3;
        char style[3][4] = {"g0", "g1", "g2"};
        for (int f = 0; f < 3 && box[i].body.kind == TRACE_DYNAMIC; f++) sprintf(style[f], "b%d%d", lit, f);
        if (!p.flat) {
            picture_face(&p, &box[i].body, side, style[2]);
            picture_face(&p, &box[i].body, top, style[0]);
        }
        picture_face(&p, &box[i].body, front, style[p.flat ? 0 : 1]);
    }
    fprintf(p.file, "<text x=\"%d\" y=\"46\" font-size=\"24\" fill=\"#e8eef6\">", PICTURE_EDGE);
    for (; *title; title++) fputc(*title < 32 || *title == '<' || *title == '&' ? ' ' : *title, p.file);
    fprintf(p.file, "</text>\n");
    fprintf(p.file, "<text x=\"%d\" y=\"74\" font-size=\"16\" fill=\"#8fa3ba\">%s</text>\n", PICTURE_EDGE, line);
    static const char *const key[4] = {"overlaps none", "one", "two", "three or more"};
    for (int c = 0; c < 4; c++) {
        int x = PICTURE_WIDTH - 450 + (c ? 70 + 72 * c : 0);
        fprintf(p.file, "<rect x=\"%d\" y=\"34\" width=\"14\" height=\"14\" fill=\"%s\"/>", x, tone[c][0]);
        fprintf(p.file, "<text x=\"%d\" y=\"46\" font-size=\"15\" fill=\"#8fa3ba\">%s</text>\n", x + 21, key[c]);
    }
    fprintf(p.file, "</svg>\n");
    ok = !ferror(p.file);
    free(box);
    return !fclose(p.file) && ok;
}

#endif
