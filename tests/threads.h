/* threads.h - the parallel for of all tests: on real threads, or on this one in an order that changes.

   Its jobs neither allocate nor ask the filter: an allocator or a filter that is called meanwhile can say so. */

#ifndef THREADS_H
#define THREADS_H

#include "test.h"

enum { MOST_THREADS = 16, MOST_JOBS = 1 << 16 };

typedef struct thread_share { /* of the jobs: first, first + step, ... */
    void (*job)(void *data, int index);
    void *data;
    int first, step, count;
} thread_share;

static int jobs_running;

static inline int is_in_a_job(void) {
    return jobs_running;
}

static inline void *run_share(void *argument) {
    const thread_share *s = (const thread_share *)argument;
    int i;
    for (i = s->first; i < s->count; i += s->step) s->job(s->data, i);
    return NULL;
}

#ifdef __wasi__ /* has no threads: the shares run in the wrong order */
static inline void run_shares(thread_share *shares, int n) {
    while (n > 0) run_share(&shares[--n]);
}
#else
#include <pthread.h>
/* The same with WITHOUT_THREADS=1, for emulators that do not forget a thread that has ended. */
static inline void run_shares(thread_share *shares, int n) {
    pthread_t threads[MOST_THREADS];
    int i;
    if (getenv("WITHOUT_THREADS")) {
        while (n > 0) run_share(&shares[--n]);
        return;
    }
    for (i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, run_share, &shares[i]) != 0) exit(2);
    for (i = 0; i < n; i++) pthread_join(threads[i], NULL);
}
#endif

/* A sap_parallel_for on as many threads as user, an int, says; 0: on this one, in order. The calling thread only waits.
   The threads are new ones and their shares are fixed: so nothing puts an order between jobs of two threads, not even
   that one was done before the other woke, and the thread sanitizer sees every race. */
static inline void run_in_threads(void (*job)(void *, int), void *data, int count, void *user) {
    thread_share shares[MOST_THREADS];
    int i, n = *(const int *)user;
    if (n > count) n = count;
    if (n > MOST_THREADS) n = MOST_THREADS;
    jobs_running = 1;
    for (i = 0; n == 0 && i < count; i++) job(data, i);
    for (i = 0; i < n; i++) {
        shares[i].job = job;
        shares[i].data = data;
        shares[i].first = i;
        shares[i].step = n;
        shares[i].count = count;
    }
    run_shares(shares, n);
    jobs_running = 0;
}

/* A sap_parallel_for on this thread, in an order that is another one each time; user is a test_rng. */
static inline void run_shuffled(void (*job)(void *, int), void *data, int count, void *user) {
    static int order[MOST_JOBS];
    test_rng *rng = (test_rng *)user;
    int i;
    if (count > MOST_JOBS) exit(2);
    for (i = 0; i < count; i++) {
        int j = test_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    jobs_running = 1;
    for (i = 0; i < count; i++) job(data, order[i]);
    jobs_running = 0;
}

#endif
