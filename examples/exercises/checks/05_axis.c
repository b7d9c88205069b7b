/*
05_axis.c - the checker of exercise 5: scenes whose best axis is known by counting
*/
#include <time.h>
#include "05_axis.h"
#include "check.h"

enum { MOST = 10000 };

static sap_aabb scene[MOST];

static float uniform(float low, float high) {
    return low + (high - low) * (float)check_random(0, 1000000) / 1000000;
}

static void scatter(int n, const float range[3], const float size[3]) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            scene[i].min[k] = uniform(0, range[k]);
            scene[i].max[k] = scene[i].min[k] + size[k];
        }
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Returns the number of pairs that overlap on an axis: all but those of which one box ends before the other begins. */
static long long pairs_on(int n, int axis) {
    static float mins[MOST], maxs[MOST];
    long long apart = 0;
    int ended = 0;
    for (int i = 0; i < n; i++) mins[i] = scene[i].min[axis], maxs[i] = scene[i].max[axis];
    qsort(mins, (size_t)n, sizeof *mins, by_value);
    qsort(maxs, (size_t)n, sizeof *maxs, by_value);
    for (int i = 0; i < n; i++) {
        while (ended < n && maxs[ended] < mins[i]) ended++;
        apart += ended;
    }
    return (long long)n * (n - 1) / 2 - apart;
}

static const char *scene_name;
static int scene_count;

static void tell(void) {
    check_note("%s: %d boxes; the first is x %g to %g, y %g to %g, z %g to %g", scene_name, scene_count,
               (double)scene[0].min[0], (double)scene[0].max[0], (double)scene[0].min[1], (double)scene[0].max[1],
               (double)scene[0].min[2], (double)scene[0].max[2]);
}

static void play(const char *name, const char *hint, int n) {
    scene_name = name;
    scene_count = n;
    long long pairs[3], best;
    clock_t begin = clock();
    int axis = choose_axis(scene, n);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (axis < 0 || axis > 2) {
        check_say("%s: you chose axis %d, but there are only 0, 1 and 2", name, axis);
        check_stop();
    }
    for (int k = 0; k < 3; k++) pairs[k] = pairs_on(n, k);
    best = pairs[0] < pairs[1] ? pairs[0] : pairs[1];
    if (pairs[2] < best) best = pairs[2];
    if (2 * pairs[axis] > 3 * best) {
        check_say("%s: you chose axis %d", name, axis);
        check_note("pairs that overlap: %lld along x, %lld along y, %lld along z", pairs[0], pairs[1], pairs[2]);
        check_note("%s", hint);
        check_stop();
    }
    if (seconds > 0.5) {
        check_say("%s: the right axis, but it took %.1f s", name, seconds);
        check_note("A sample of the boxes, or of their pairs, tells as well.");
        check_stop();
    }
}

int main(void) {
    const float cube[3] = {1, 1, 1}, street_x[3] = {900, 20, 5}, street_y[3] = {20, 900, 5}, tower[3] = {20, 5, 900};
    const float field[3] = {100, 15, 15}, planks[3] = {60, 0.2f, 1}, yard[3] = {100, 40, 4};
    check_begin(tell);
    scatter(1000, street_y, cube);
    play("a street along y", "Along which axis are the boxes spread out?", 1000);
    scatter(1000, tower, cube);
    play("a tower", "Along which axis are the boxes spread out?", 1000);
    scatter(MOST, street_x, cube);
    play("a street along x", "Along which axis are the boxes spread out?", MOST);
    scatter(1000, field, cube);
    scene[17].min[1] = 400;
    scene[17].max[1] = 401;
    play("a field, one box far away", "One box makes the world larger, and says nothing about the others.", 1000);
    scatter(1000, yard, planks);
    play("a yard of long planks", "The planks are spread widest along the axis they lie on: their length counts, too.",
         1000);
    return check_right("the best axis, or nearly");
}
