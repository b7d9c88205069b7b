/* ways.h - all ways in which a world can settle an update, each with every SIMD kernel. Needs sap.h's implementation,
   whose private parts it sets. */

#ifndef WAYS_H
#define WAYS_H

#include "test.h"

enum { ANY = -1 };

typedef struct way {
    const char *name;
    int path, kernel;
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
    {"changing", ANY, ANY} /* another path and kernel before every update */
};

/* A new world on this way; NULL if this build or this machine lacks the kernel. */
static inline sap_world *open_way(const sap_config *config, const way *w) {
    sap_world *s = sap_create(config);
    if (!s) exit(1);
    if (w->path != ANY) s->path = w->path;
    if (w->path != SAP_METHOD_AUTO) s->order_from = 0; /* boxes ask in the order of the strips */
    if (w->kernel == ANY || sap__use_kernel(s, w->kernel)) return s;
    sap_destroy(s);
    return NULL;
}

/* Before an update. */
static inline void vary_way(sap_world *s, const way *w, test_rng *dice) {
    if (w->path != ANY) return;
    s->path = test_below(dice, SAP_METHOD_QUERY + 1);
    s->order_from = test_chance(dice, 50) ? 0 : SAP__ORDER_FROM;
    (void)sap__use_kernel(s, test_below(dice, SAP__KERNEL_WASM + 1)); /* if there is such a kernel */
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
