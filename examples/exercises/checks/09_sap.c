/*
09_sap.c - the checker of exercise 9: compares the pairs with those of two loops, and races them
*/
#include <time.h>
#include "09_sap.h"
#include "check.h"

enum { MANY = 3000, FEW = 12, LIVES = 150, UPDATES = 12, BATCHES = 3, RACES = 10, TIMES = 10 };

static box scene[MOST], before[MOST];
static int count, count_before, update_number;

static void tell_box(const char *label, const box *b) {
    check_note("  %s x %g..%g, y %g..%g, z %g..%g", label, (double)b->min[0], (double)b->max[0], (double)b->min[1],
               (double)b->max[1], (double)b->min[2], (double)b->max[2]);
}

static void tell_boxes(int a, int b) {
    const int both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const int k = both[i];
        check_note(k < count_before ? "box %d:" : "box %d, which is new:", k);
        if (k < count_before) tell_box("before", &before[k]);
        tell_box("now   ", &scene[k]);
    }
}

static void tell(void) {
    check_note("update %d after restart, with %d boxes; %d of them are new", update_number, count,
               count - count_before);
    for (int i = 0; i < count && count <= FEW; i++) {
        check_note(i < count_before ? "box %d:" : "box %d, which is new:", i);
        if (i < count_before && memcmp(&before[i], &scene[i], sizeof(box))) tell_box("before", &before[i]);
        tell_box("now   ", &scene[i]);
    }
}

/* Each pair of yours must overlap, and be there once; and there must be as many as two loops find. */
static void compare(void) {
    static char seen[MOST][MOST / 8];
    int n;
    const pair *p = get_pairs(&n);
    memset(seen, 0, sizeof *seen * (size_t)count);
    for (int i = 0; i < n; i++) {
        const int a = p[i].a, b = p[i].b;
        if (a < 0 || b >= count || a >= b)
            check_say("pair %d of %d is %d-%d: the boxes are 0 to %d, the lower one first", i, n, a, b, count - 1);
        else if (seen[a][b / 8] & 1 << b % 8)
            check_say("pair %d-%d is there twice", a, b);
        else if (!overlap(&scene[a], &scene[b]))
            check_say("pair %d-%d is there, but the two are apart", a, b);
        else {
            seen[a][b / 8] = (char)(seen[a][b / 8] | 1 << b % 8);
            continue;
        }
        if (a >= 0 && b < count && a < b) tell_boxes(a, b);
        tell();
        check_stop();
    }
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            if (!overlap(&scene[a], &scene[b]) || seen[a][b / 8] & 1 << b % 8) continue;
            check_say("boxes %d and %d overlap, but the pair is not there", a, b);
            tell_boxes(a, b);
            tell();
            check_stop();
        }
}

static void next_update(int n) {
    count = n;
    update_number++;
    update(scene, n);
}

/* Whole numbers, so that many ends are equal; boxes of any size, also of none. */
static void place(box *b, int range) {
    for (int k = 0; k < AXES; k++) {
        b->min[k] = (float)check_random(0, range);
        b->max[k] = b->min[k] + (float)check_random(0, 3);
    }
}

static void live(int range) {
    restart();
    count = count_before = update_number = 0;
    for (int u = 0; u < UPDATES; u++) {
        const int n = count + check_random(0, count < FEW - 3 ? 3 : FEW - count);
        memcpy(before, scene, sizeof *scene * (size_t)count);
        count_before = count;
        for (int i = 0; i < count; i++)
            if (check_random(0, 2) == 0) place(&scene[i], range);
        for (int i = count; i < n; i++) place(&scene[i], range);
        next_update(n);
        compare();
    }
}

static float uniform(float low, float high) {
    return low + (high - low) * (float)check_random(0, 1000000) / 1000000;
}

static void walk(void) {
    memcpy(before, scene, sizeof scene);
    count_before = count;
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < AXES; k++) {
            scene[i].min[k] += uniform(-0.02f, 0.02f);
            scene[i].max[k] = scene[i].min[k] + 1;
        }
}

static double seconds_of(clock_t from) {
    return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static volatile int found;

/* Returns how long two loops take to find the pairs of boxes 'from' and later, with each other and with all others. */
static double time_of_two_loops(int from) {
    const clock_t begin = clock();
    for (int a = from; a < MANY; a++)
        for (int b = 0; b < a; b++)
            if (overlap(&scene[a], &scene[b])) found++;
    return seconds_of(begin);
}

/* Half of the boxes come in one batch: the best of some times. */
static void race_what_is_new(void) {
    double yours = 1e9, two_loops = 1e9;
    for (int i = 0; i < BATCHES; i++) {
        restart();
        count = count_before = update_number = 0;
        next_update(MANY / 2);
        memcpy(before, scene, sizeof scene);
        count_before = count;
        const clock_t begin = clock();
        next_update(MANY);
        const double seconds = seconds_of(begin), others = time_of_two_loops(MANY / 2);
        if (seconds < yours) yours = seconds;
        if (others < two_loops) two_loops = others;
    }
    compare();
    if (3 * yours <= 2 * two_loops) return;
    check_say("right, but an update with %d boxes, half of them new, takes %.1f ms, and two loops take %.1f ms for it",
              MANY, yours * 1e3, two_loops * 1e3);
    check_note(
        "It must take two thirds of that at most. Which boxes can a new one overlap, if all are in order along x?");
    check_stop();
}

static void race(void) {
    double two_loops = 0, yours = 0;
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < AXES; k++) {
            scene[i].min[k] = uniform(0, 22);
            scene[i].max[k] = scene[i].min[k] + 1;
        }
    restart();
    count = count_before = update_number = 0;
    next_update(MANY);
    for (int u = 0; u < RACES; u++) {
        walk();
        const clock_t begin = clock();
        next_update(MANY);
        yours += seconds_of(begin) / RACES;
        if (u < 2) two_loops += time_of_two_loops(0) / 2; /* twice, as it takes long */
    }
    compare();
    if (yours * TIMES > two_loops) {
        check_say("right, but with %d boxes an update takes %.1f ms, and two loops take %.1f ms", MANY, yours * 1e3,
                  two_loops * 1e3);
        check_note("It must be %d times as fast as they are. What do you do in an update in which little has changed?",
                   TIMES);
        check_stop();
    }
    race_what_is_new();
    printf("  right: the pairs of two loops, and %.0f times as fast: %.2f ms instead of %.1f ms\n", two_loops / yours,
           yours * 1e3, two_loops * 1e3);
}

int main(void) {
    check_begin(tell);
    for (int i = 0; i < LIVES; i++) live(3 + i % 12);
    race();
    return 0;
}
