/*
01_sentinel.c - the checker of exercise 1: lets ends walk, in an array that has a ditch on both sides
*/
#include "01_sentinel.h"
#include "check.h"

enum { ENDS = 8, DITCH = 4 }; /* cells beside the array, to see whether an end walks out */

/* Returns the index to which an end with this value walks from the middle: 0 to ENDS - 1, else it has walked out. */
static int walk(float low, float high, float value) {
    float cells[DITCH + 1 + ENDS + 1 + DITCH], *ends = cells + DITCH + 1;
    int j = ENDS / 2;
    for (int i = 0; i < DITCH + 1; i++) cells[i] = ends[ENDS + i] = 0; /* any value may be there */
    for (int i = 0; i < ENDS; i++) ends[i] = (float)(10 * i);
    ends[-1] = low;
    ends[ENDS] = high;
    for (int i = 2; i <= DITCH; i++) ends[-i] = INFINITY, ends[ENDS - 1 + i] = -INFINITY; /* no end stops in it */
    while (j > -DITCH && ends[j - 1] > value) j--;
    while (j < ENDS - 1 + DITCH && ends[j + 1] < value) j++;
    return j;
}

static int walks_out(float low, float high, float value) {
    int at = walk(low, high, value);
    return at < 0 || at >= ENDS;
}

static sap_aabb given_box;

static void tell(void) {
    check_note("your box on x: %g to %g; your sentinels: %g and %g", (double)given_box.min[0], (double)given_box.max[0],
               (double)low_sentinel, (double)high_sentinel);
}

static void check_breaker(void) {
    const char *const side[2] = {"min, which should leave on the left", "max, which should leave on the right"};
    sap_aabb box = breaker();
    given_box = box;
    for (int k = 0; k < 3; k++)
        if (!(box.min[k] <= box.max[k])) {
            check_say("sap.h refuses your box: on axis %d its min is %g and its max is %g", k, (double)box.min[k],
                      (double)box.max[k]);
            check_note("A min must not be greater than its max, and a NaN is neither less nor greater.");
            check_stop();
        }
    for (int is_max = 0; is_max < 2; is_max++) {
        float value = (is_max ? box.max : box.min)[0];
        if (is_max ? walk(-FLT_MAX, FLT_MAX, value) >= ENDS : walk(-FLT_MAX, FLT_MAX, value) < 0) continue;
        check_say("your box stays inside: its %s, is %g", side[is_max], (double)value);
        check_note("The loop stops at a sentinel that is not %s than the value. Which float is beyond %sFLT_MAX?",
                   is_max ? "less" : "greater", is_max ? "" : "-");
        check_stop();
    }
}

static void check_sentinels(void) {
    static const float values[] = {-INFINITY, -FLT_MAX, -1e30f, 0, 35, 1e30f, FLT_MAX, INFINITY};
    if (!(low_sentinel < high_sentinel)) {
        check_say("the sentinels %g and %g are not in order", (double)low_sentinel, (double)high_sentinel);
        check_note("They are part of a sorted array. A NaN is not in order with anything.");
        check_stop();
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!walks_out(low_sentinel, high_sentinel, values[i])) continue;
        check_say("with sentinels %g and %g an end at %g still walks out", (double)low_sentinel, (double)high_sentinel,
                  (double)values[i]);
        check_stop();
    }
}

int main(void) {
    check_begin(tell);
    check_breaker();
    check_sentinels();
    return check_right("broken, and mended");
}
