/*
00_overlap.c - the checker of exercise 0: all small boxes, and some sets of boxes
*/
#include "00_overlap.h"
#include "check.h"

enum { MOST = 12, WIDTH = 5 };

static box *scene;
static int scene_count, seen[MOST][MOST];

static void tell_box(const char *name, const box *b) {
    check_note("%s is x %d to %d, y %d to %d", name, b->min[0], b->max[0], b->min[1], b->max[1]);
}

static void tell(void) {
    for (int i = 0; i < scene_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "box %d", i);
        tell_box(name, &scene[i]);
    }
}

/* They overlap if they have a point in common. */
static int share_a_point(const box *a, const box *b) {
    for (int x = a->min[0]; x <= a->max[0]; x++)
        for (int y = a->min[1]; y <= a->max[1]; y++)
            if (x >= b->min[0] && x <= b->max[0] && y >= b->min[1] && y <= b->max[1]) return 1;
    return 0;
}

void found(int i, int j) {
    if (i < 0 || j >= scene_count || i >= j) {
        check_say("found(%d, %d): i must be less than j, and the boxes are 0 to %d", i, j, scene_count - 1);
        tell();
        check_stop();
    }
    if (seen[i][j]++) {
        check_say("found(%d, %d) was called twice", i, j);
        tell();
        check_stop();
    }
}

static void set_box(box *b, int largest) {
    for (int k = 0; k < 2; k++) {
        b->min[k] = check_random(0, WIDTH);
        b->max[k] = b->min[k] + check_random(0, largest);
    }
}

static void check_overlap(void) {
    static box b[2];
    scene = b;
    scene_count = 2;
    for (int i = 0; i < 20000; i++) {
        set_box(&b[0], 3);
        set_box(&b[1], 3);
        const int answer = overlap(&b[0], &b[1]), expected = share_a_point(&b[0], &b[1]);
        if (!answer == !expected) continue;
        check_say("overlap says %d, but they %s", answer, expected ? "overlap" : "are apart");
        tell();
        check_stop();
    }
}

static void play(int n) {
    scene = (box *)check_new((size_t)n * sizeof *scene);
    scene_count = n;
    for (int i = 0; i < n; i++) set_box(&scene[i], 2);
    memset(seen, 0, sizeof seen);
    find_pairs(scene, n);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (seen[i][j] == share_a_point(&scene[i], &scene[j])) continue;
            check_say(seen[i][j] ? "found(%d, %d) was called, but the two are apart"
                                 : "boxes %d and %d overlap, but found was not called",
                      i, j);
            tell();
            check_stop();
        }
    check_free(scene);
}

int main(void) {
    check_begin(tell);
    check_overlap();
    for (int n = 0; n <= MOST; n++)
        for (int i = 0; i < 20; i++) play(n);
    return check_right("boxes that touch, too, and each pair once");
}
