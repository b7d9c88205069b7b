/* test_laws_multi.c - the laws of test_laws.c through sap_multi.h: any grid, any number of threads, jobs in any order.
   Jobs neither allocate nor call the filter: both run on the calling thread only.

   usage: as test_laws */

#include "ways.h"

#include "threads.h"

static void *laws_realloc(void *p, size_t size) {
    if (is_in_a_job()) faults++;
    return test_realloc(p, size);
}
static void laws_free(void *p) {
    if (is_in_a_job()) faults++;
    test_free(p);
}

static sap_multi *open_world(const sap_config *config, float size, test_rng *dice) {
    static int threads[5] = {0, 1, 2, 3, 4};
    static test_rng shuffle;
    const int kind = test_below(dice, 3), runs = test_below(dice, 4);
    sap_multi_config c;
    sap_multi *m;
    int axis;
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
    if (runs == 1) c.parallel = run_in_threads, c.parallel_user = &threads[test_below(dice, 5)];
    if (runs == 2) c.parallel = run_shuffled, c.parallel_user = &shuffle;
    use_realloc = laws_realloc, use_free = laws_free;
    m = sap_multi_create(&c);
    if (m && test_chance(dice, 80)) force_threads(m, 1 + test_below(dice, 4)); /* else as shipped */
    if (m && test_chance(dice, 40)) (void)force_kernel(world_of(m), test_below(dice, KERNELS));
    return m;
}

#define LAWS_OTHER_WORLD
#define LAWS_PROGRAM "test_laws_multi"
#include "as_multi.h"
#include "test_laws.c"
