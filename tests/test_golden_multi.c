/* test_golden_multi.c - the scenarios of test_golden.c through sap_multi.h: the same hashes, whatever the grid, and on
   one to eight threads.

   usage: test_golden_multi */

#include "ways.h"

/* ---- threads --------------------------------------------------------------------------------- */

#ifdef __wasi__ /* has none: the jobs run in the wrong order */

static void run_jobs(sap_job *job, void *data, int count, void *user) {
    (void)user;
    while (count > 0) job(data, --count);
}

#else
#include "threads.h"
#define run_jobs run_in_threads
#endif

/* ---- ways of settling ------------------------------------------------------------------------ */

/* ways.h has these for a sap_world; from here on test_golden.c means those of a sap_multi. */
#define way multi_way
#define ways multi_ways
#define open_way open_multi_way
#define vary_way vary_multi_way

typedef enum grid { CHOSEN, FIXED, HASHED } grid;

typedef struct way {
    const char *name;
    grid grid;
    int threads;     /* 0: no sap_parallel_for */
    int is_changing; /* another method and kernel before every update */
} way;

static const way ways[] = {
    {"chosen", CHOSEN, 0, 0},
    {"chosen, 3 threads", CHOSEN, 3, 1},
    {"chosen, 4 threads", CHOSEN, 4, 0},
    {"chosen, 8 threads", CHOSEN, 8, 0},
    {"fixed", FIXED, 0, 1},
    {"fixed, 1 thread", FIXED, 1, 0},
    {"fixed, 6 threads", FIXED, 6, 1},
    {"hashed", HASHED, 0, 1},
    {"hashed, 2 threads", HASHED, 2, 0},
    {"hashed, 7 threads", HASHED, 7, 0},
    {"hashed, 5 threads", HASHED, 5, 1},
};

static sap_multi *open_way(const sap_config *config, const way *w) {
    sap_multi_config c;
    sap_multi *m;
    int k;
    memset(&c, 0, sizeof c);
    c.sap = *config;
    for (k = 0; k < 3 && w->grid == FIXED; k++) { /* smaller than the worlds, so that boxes wrap around */
        c.bounds.min[k] = -9;
        c.bounds.max[k] = 10;
        c.cells[k] = 2 + k;
    }
    c.hashed = w->grid == HASHED;
    c.entries = w->grid == HASHED ? 7 : 0; /* so few that cells far apart are one */
    for (k = 0; k < 3 && w->grid == HASHED; k++) c.cell_size[k] = 4;
    if (w->threads) {
        c.parallel = run_jobs;
        c.parallel_user = (void *)(uintptr_t)&w->threads;
    }
    m = sap_multi_create(&c);
    if (!m) exit(1);
    force_threads(m, 0); /* also for a handful of boxes */
    return m;
}

static void vary_way(sap_multi *m, const way *w, test_rng *dice) {
    if (!w->is_changing) return;
    force_method(world_of(m), test_below(dice, METHODS));
    (void)force_kernel(world_of(m), test_below(dice, KERNELS)); /* if there is such a kernel */
}

#define GOLDEN_OTHER_WAYS
#include "as_multi.h"
#include "test_golden.c"
