/* clock.h - microseconds, and their order; needs _POSIX_C_SOURCE 199309L before all includes */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdlib.h>
#include <time.h>

static clockid_t clock_used = CLOCK_MONOTONIC; /* or this thread's processor time */

static inline double now(void) {
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void sort_times(double *time, int n) {
    qsort(time, (size_t)n, sizeof *time, ascending);
}

#endif
