/* ways.h - all ways in which a world can settle an update, each with every SIMD kernel, and what small worlds would
   hardly ever do by themselves. The one file of the tests that names private parts of sap.h.

   A test includes only this, and is linked with tests/ways.c, which holds the implementation, with the allocator of
   alloc.h:   cc -I. -isystem build/stb tests/test_model.c tests/ways.c -lm -pthread
   A test with an allocator of its own includes the implementation first, and this behind it; it is one file. */

#ifndef WAYS_H
#define WAYS_H

#if defined(SAP_IMPLEMENTATION_ONCE)
#define WAYS_IMPLEMENTATION
#define WAYS_DEF static inline
#elif defined(WAYS_IMPLEMENTATION)
#define WAYS_DEF
#define ALLOC_DEF
#include "alloc.h"
#define SAP_REALLOC(p, size) test_realloc(p, size)
#define SAP_FREE(p) test_free(p)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#else
#define WAYS_DEF
#define ALLOC_ELSEWHERE
#include "alloc.h"
#include "sap_multi.h"
#endif

#include "test.h"

enum { ANY = -1, METHODS = SAP_METHOD_QUERY + 1 };
enum { KERNEL_SCALAR, KERNEL_SSE2, KERNEL_AVX2, KERNEL_AVX512, KERNEL_NEON, KERNEL_WASM, KERNELS };

/* ---- knobs ---------------------------------------------------------------------------------- */

/* Before any update; sap_create's config.method does the same for good. */
WAYS_DEF void force_method(sap_world *s, int method);

/* kernel from 0 to KERNELS - 1, 0 is plain C; 0 if this build or machine lacks it, and then nothing has changed. */
WAYS_DEF int force_kernel(sap_world *s, int kernel);

/* What large worlds do now and then, for small ones: the indices are worn, and are built before they are used next.
   0 does nothing. */
WAYS_DEF void force_small(sap_world *s, int small);

/* After an update: as if now and was had changed places. What now holds of a box that is not in the record must be of
   no matter. */
WAYS_DEF void exchange_boxes(sap_world *s);

#ifdef SAP_MULTI_H
/* The world inside a sap_multi. */
WAYS_DEF sap_world *world_of(sap_multi *m);

/* Threads are used from so much work on, counted in boxes or pairs. */
WAYS_DEF void force_threads(sap_multi *m, int from);
#endif

/* What can be broken, and what sap_validate then says: one for each of its sentences. The world was settled by
   `method`, and has everything that test_contract.c gives it; afterwards it may only be destroyed. */
typedef struct damage {
    int method;
    const char *sentence;
    void (*spoil)(sap_world *s);
} damage;

/* All of them; the last one has no sentence. Not in tests that hold the implementation. */
const damage *all_damages(void);

/* ---- ways ------------------------------------------------------------------------------------ */

typedef struct way {
    const char *name;
    int method, kernel;
} way;

static const way ways[] = {
    {"auto", SAP_METHOD_AUTO, ANY},
    {"sort", SAP_METHOD_SORT, ANY},
    {"query/scalar", SAP_METHOD_QUERY, KERNEL_SCALAR},
    {"query/sse2", SAP_METHOD_QUERY, KERNEL_SSE2},
    {"query/avx2", SAP_METHOD_QUERY, KERNEL_AVX2},
    {"query/avx512", SAP_METHOD_QUERY, KERNEL_AVX512},
    {"query/neon", SAP_METHOD_QUERY, KERNEL_NEON},
    {"query/wasm", SAP_METHOD_QUERY, KERNEL_WASM},
    {"prune/scalar", SAP_METHOD_PRUNE, KERNEL_SCALAR},
    {"prune/sse2", SAP_METHOD_PRUNE, KERNEL_SSE2},
    {"prune/avx2", SAP_METHOD_PRUNE, KERNEL_AVX2},
    {"prune/avx512", SAP_METHOD_PRUNE, KERNEL_AVX512},
    {"prune/neon", SAP_METHOD_PRUNE, KERNEL_NEON},
    {"prune/wasm", SAP_METHOD_PRUNE, KERNEL_WASM},
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
    if (w->kernel == ANY || force_kernel(s, w->kernel)) return s;
    sap_destroy(s);
    return NULL;
}

/* Before an update. */
static inline void vary_way(sap_world *s, const way *w, test_rng *dice) {
    if (w->method != ANY) return;
    force_method(s, test_below(dice, METHODS));
    force_small(s, test_chance(dice, 30));
    (void)force_kernel(s, test_below(dice, KERNELS)); /* if there is such a kernel */
}

/* ---- inside ---------------------------------------------------------------------------------- */

#ifdef WAYS_IMPLEMENTATION
typedef char ways_knows_all_kernels[(int)KERNEL_WASM == (int)SAP__KERNEL_WASM ? 1 : -1];

WAYS_DEF void force_method(sap_world *s, int method) {
    s->config.method = method;
}

WAYS_DEF int force_kernel(sap_world *s, int kernel) {
    return sap__use_kernel(s, kernel);
}

WAYS_DEF void force_small(sap_world *s, int small) {
    if (small) s->index[0].debt = s->index[1].debt = 1e30;
}

WAYS_DEF void exchange_boxes(sap_world *s) {
    int i, n = sap__length(s->state);
    s->exchanged = 1;
    for (i = 0; i < n; i++)
        if (!(s->state[i] & SAP__RECORDED)) s->now[i].lo[i % 3] = s->now[i].hi[i % 3] + 1;
}

#ifdef SAP_MULTI_H
WAYS_DEF sap_world *world_of(sap_multi *m) {
    return m->world;
}

WAYS_DEF void force_threads(sap_multi *m, int from) {
    m->world->threads_from = from;
}
#endif
#endif

#endif
