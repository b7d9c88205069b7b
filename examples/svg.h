/*
svg.h - lines, boxes, circles and words, written as an SVG picture

Open, draw from back to front, close. A panel is a part of the page that shows a part of the world and cuts off what
sticks out; y goes down the page. A camera looks at boxes in space. A style is CSS. If the file cannot be written, the
program ends.
*/
#ifndef SVG_H
#define SVG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SVG_WORD "fill:#8fa3ba"
#define SVG_TITLE "fill:#e8eef6"
#define SVG_GROUND "fill:#26303d;stroke:#37465a"
#define SVG_PLAIN "fill:#4d6a8c;stroke:#10151c"
#define SVG_LIT "fill:#ffd877;stroke:#10151c"
#define SVG_HALO "paint-order:stroke;stroke:#10151c;stroke-width:5;stroke-linejoin:round" /* around words */

typedef struct svg_camera { /* right, up and forward have length 1 and are at right angles */
    float eye[3], right[3], up[3], forward[3];
    float zoom, middle[2]; /* pixels for what is 1 wide, seen from 1 away; the place in the panel that it looks at */
} svg_camera;

typedef struct svg {
    FILE *file;
    double left, top, scale; /* the world's point in the corner of the panel; pixels per unit of the world */
} svg;

static inline void svg_check(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static inline svg svg_open(const char *path, int width, int height, const char *title) {
    svg p = {fopen(path, "w"), 0, 0, 1};
    svg_check(p.file != NULL, path);
    fprintf(p.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
            "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"5\" "
            "markerHeight=\"5\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#e8eef6\"/></marker></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#10151c\"/>\n"
            "<text x=\"40\" y=\"46\" font-size=\"24\" style=\"" SVG_TITLE "\">%s</text>\n",
            width, height, title);
    return p;
}

static inline void svg_close(svg *p) {
    int good = !ferror(p->file);
    fprintf(p->file, "</svg>\n");
    svg_check(!fclose(p->file) && good, "cannot write the picture");
}

static inline void svg_begin_panel(svg *p, int x, int y, int width, int height, double left, double top, double scale) {
    fprintf(p->file,
            "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#171e27\"/>\n",
            x, y, width, height);
    p->left = left;
    p->top = top;
    p->scale = scale;
}

static inline void svg_end_panel(svg *p) {
    fprintf(p->file, "</svg>\n");
    p->left = p->top = 0;
    p->scale = 1;
}

/* Straight lines from point to point, and back to the first if closed. */
static inline void svg_path(svg *p, int n, const double *xy, int closed, const char *style) {
    fprintf(p->file, "<path style=\"stroke-linejoin:round;%s\" d=\"", style);
    for (int i = 0; i < n; i++)
        fprintf(p->file, "%c%.1f %.1f", i ? 'L' : 'M', (xy[2 * i] - p->left) * p->scale,
                (xy[2 * i + 1] - p->top) * p->scale);
    fprintf(p->file, "%s\"/>\n", closed ? "z" : "");
}

static inline void svg_line(svg *p, double x0, double y0, double x1, double y1, const char *style) {
    const double xy[] = {x0, y0, x1, y1};
    svg_path(p, 2, xy, 0, style);
}

static inline void svg_box(svg *p, const float min[2], const float max[2], const char *style) {
    const double x0 = min[0], y0 = min[1], x1 = max[0], y1 = max[1];
    const double xy[] = {x0, y0, x1, y0, x1, y1, x0, y1};
    svg_path(p, 4, xy, 1, style);
}

static inline float svg_dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The sides of a box that the camera sees; y is up. If shaded, the upright sides are darker. */
static inline void svg_box3(svg *p, const svg_camera *camera, const float min[3], const float max[3], int shaded,
                            const char *style) {
    static const char *const shade[3] = {"opacity:.4", "opacity:0", "opacity:.15"};
    for (int axis = 0; axis < 3; axis++) {
        double xy[8];
        if (camera->eye[axis] >= min[axis] && camera->eye[axis] <= max[axis]) continue;
        for (int i = 0; i < 4; i++) { /* the corners of the side, one after another */
            float d[3];
            for (int k = 0; k < 3; k++) {
                int high = k == axis ? camera->eye[k] > max[k] : (i ^ i >> 1) >> (k == (axis + 1) % 3) & 1;
                d[k] = (high ? max : min)[k] - camera->eye[k];
            }
            xy[2 * i] = camera->middle[0] + camera->zoom * svg_dot(d, camera->right) / svg_dot(d, camera->forward);
            xy[2 * i + 1] = camera->middle[1] - camera->zoom * svg_dot(d, camera->up) / svg_dot(d, camera->forward);
        }
        svg_path(p, 4, xy, 1, style);
        if (shaded) svg_path(p, 4, xy, 1, shade[axis]);
    }
}

static inline void svg_circle(svg *p, double x, double y, double radius, const char *style) {
    fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" style=\"%s\"/>\n", (x - p->left) * p->scale,
            (y - p->top) * p->scale, radius * p->scale, style);
}

/* Text as printf makes it, without < and &; the size is in pixels. */
static inline void svg_text(svg *p, double x, double y, int size, const char *style, const char *format, ...) {
    va_list list;
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" style=\"%s\">", (x - p->left) * p->scale,
            (y - p->top) * p->scale, size, style);
    va_start(list, format);
    vfprintf(p->file, format, list);
    va_end(list);
    fprintf(p->file, "</text>\n");
}

/* The mouse's arrow. */
static inline void svg_pointer(svg *p, double x, double y) {
    const double xy[] = {x,      y,      x,      y + 26, x + 6,  y + 20, x + 11,
                         y + 30, x + 15, y + 28, x + 10, y + 18, x + 18, y + 18};
    svg_path(p, 7, xy, 1, "fill:#fff;stroke:#000;stroke-width:1.5");
}

/* A little box in this style, and what it stands for. */
static inline void svg_key(svg *p, float x, float y, const char *style, const char *meaning) {
    const float min[2] = {x, y}, max[2] = {x + 14, y + 14};
    svg_box(p, min, max, style);
    svg_text(p, min[0] + 21, min[1] + 12, 15, SVG_WORD, "%s", meaning);
}

#endif
