/* ways.h - all ways in which a world can settle an update, each with every SIMD kernel, and the thresholds that small
   worlds must be able to cross. The one file of the tests that names private parts of sap.h; include the
   implementation before it. */

#ifndef WAYS_H
#define WAYS_H

#include "test.h"

enum { ANY = -1, METHODS = SAP_METHOD_QUERY + 1, KERNELS = SAP__KERNEL_WASM + 1 };

/* ---- knobs ---------------------------------------------------------------------------------- */

/* Before any update; sap_create's config.method does the same for good. */
static inline void force_method(sap_world *s, int method) {
    s->path = method;
}

/* kernel from 0 to KERNELS - 1, 0 is plain C; 0 if this build or machine lacks it, and then nothing has changed. */
static inline int force_kernel(sap_world *s, int kernel) {
    return sap__use_kernel(s, kernel);
}

/* Thresholds so low that small worlds meet all that large ones do; or as shipped. */
static inline void force_small(sap_world *s, int small) {
    s->order_from = small ? 0 : SAP__ORDER_FROM;
}

#ifdef SAP_MULTI_H
/* The world inside a sap_multi. */
static inline sap_world *world_of(sap_multi *m) {
    return m->whole;
}

/* Threads are used from so much work on, counted in boxes or pairs. */
static inline void force_threads(sap_multi *m, int from) {
    m->whole->threads_from = from;
}
#endif

/* ---- ways ------------------------------------------------------------------------------------ */

typedef struct way {
    const char *name;
    int method, kernel;
} way;

static const way ways[] = {
    {"auto", SAP_METHOD_AUTO, ANY},
    {"sort", SAP_METHOD_SORT, ANY},
    {"query/scalar", SAP_METHOD_QUERY, SAP__KERNEL_SCALAR},
    {"query/sse2", SAP_METHOD_QUERY, SAP__KERNEL_SSE2},
    {"query/avx2", SAP_METHOD_QUERY, SAP__KERNEL_AVX2},
    {"query/avx512", SAP_METHOD_QUERY, SAP__KERNEL_AVX512},
    {"query/neon", SAP_METHOD_QUERY, SAP__KERNEL_NEON},
    {"query/wasm", SAP_METHOD_QUERY, SAP__KERNEL_WASM},
    {"prune/scalar", SAP_METHOD_PRUNE, SAP__KERNEL_SCALAR},
    {"prune/sse2", SAP_METHOD_PRUNE, SAP__KERNEL_SSE2},
    {"prune/avx2", SAP_METHOD_PRUNE, SAP__KERNEL_AVX2},
    {"prune/avx512", SAP_METHOD_PRUNE, SAP__KERNEL_AVX512},
    {"prune/neon", SAP_METHOD_PRUNE, SAP__KERNEL_NEON},
    {"prune/wasm", SAP_METHOD_PRUNE, SAP__KERNEL_WASM},
    {"changing", ANY, ANY} /* another method and kernel before every update */
};

/* A new world on this way; NULL if this build or this machine lacks the kernel. */
static inline sap_world *open_way(const sap_config *config, const way *w) {
    sap_config c;
    sap_world *s;
    memset(&c, 0, sizeof c);
    if (config) c = *config;
    if (w->method != ANY) c.method = w->method;
    s = sap_create(&c);
    if (!s) exit(1);
    force_small(s, w->method != SAP_METHOD_AUTO);
    if (w->kernel == ANY || force_kernel(s, w->kernel)) return s;
    sap_destroy(s);
    return NULL;
}

/* Before an update. */
static inline void vary_way(sap_world *s, const way *w, test_rng *dice) {
    if (w->method != ANY) return;
    force_method(s, test_below(dice, METHODS));
    force_small(s, test_chance(dice, 50));
    (void)force_kernel(s, test_below(dice, KERNELS)); /* if there is such a kernel */
}

/* After an update: as if now and was had changed places. What now holds of a box that is not in the record must be of
   no matter. */
static inline void exchange_boxes(sap_world *s) {
    int i, n = sap__length(s->slots);
    s->exchanged = 1;
    for (i = 0; i < n; i++)
        if (!(s->state[i] & SAP__RECORDED)) s->now[i].lo[i % 3] = s->now[i].hi[i % 3] + 1;
}

#endif
