/* test_laws_multi.c - the laws of test_laws.c through sap_multi.h: any grid, and jobs from the last to the first.

   usage: as test_laws */

#include "ways.h"

static void run_backwards(sap_job *job, void *data, int count, void *user) {
    (void)user;
    while (count > 0) job(data, --count);
}

static sap_multi *open_world(const sap_config *config, float size, test_rng *dice) {
    sap_multi_config c;
    int axis, kind = test_below(dice, 3);
    memset(&c, 0, sizeof c);
    c.sap = *config;
    c.hashed = kind == 2;
    for (axis = 0; axis < 3; axis++) {
        const int divides = axis == 0 || test_chance(dice, 70);
        c.bounds.min[axis] = kind == 1 ? -4 * size : 0;
        c.bounds.max[axis] = kind == 1 ? 4 * size : 0;
        c.cells[axis] = kind == 1 ? (divides ? 8 : 1) : 0;
        c.cell_size[axis] = kind == 2 && divides ? size : 0;
    }
    if (test_chance(dice, 50)) c.parallel = run_backwards;
    return sap_multi_create(&c);
}

#define LAWS_OTHER_WORLD
#define LAWS_PROGRAM "test_laws_multi"
#include "as_multi.h"
#include "test_laws.c"
