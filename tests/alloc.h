/* alloc.h - an allocator for tests: it fails when it is told to, counts, and spoils what nobody may read.

   A program that holds the implementation includes it as it is; the others link with tests/ways.c, see ways.h, and may
   put functions of their own in front. */

#ifndef ALLOC_H
#define ALLOC_H

#include "test.h"

#if defined(ALLOC_ELSEWHERE) /* in tests/ways.c */
extern long live_blocks, allocations, fail_from, fail_count, failed_shrinks;
extern size_t live_bytes, peak_bytes;
extern int faults;
extern void *(*use_realloc)(void *p, size_t size); /* what the implementation calls: test_realloc and test_free, */
extern void (*use_free)(void *p);                  /* until a test sets others, before its first world */
void *test_realloc(void *p, size_t size);
void test_free(void *p);
#else
#ifndef ALLOC_DEF
#define ALLOC_DEF static
#define ALLOC_FUNCTION static inline
#else
#define ALLOC_FUNCTION
#endif
ALLOC_DEF long live_blocks, allocations;   /* blocks not yet freed; calls of test_realloc so far */
ALLOC_DEF long fail_from = -1, fail_count; /* calls number fail_from .. fail_from + fail_count - 1 return NULL */
ALLOC_DEF long failed_shrinks;             /* of these, those that would have made a block smaller: no harm */
ALLOC_DEF size_t live_bytes;               /* in blocks not yet freed, */
ALLOC_DEF size_t peak_bytes;               /* and the most of them since a test set this to 0 */
ALLOC_DEF int faults;                      /* a size of 0, or a block that is not ours */

/* Blocks carry their size in front, and come back filled with rubbish: whoever reads before writing, or
   after freeing, reads nothing useful. */
enum { FRONT = 64, MARK = 0x5ab0 };
typedef struct block {
    size_t size;
    int mark;
} block;

ALLOC_FUNCTION void test_free(void *p) {
    block *b;
    if (!p) return;
    b = (block *)(void *)((char *)p - FRONT);
    if (b->mark != MARK) {
        faults++;
        return;
    }
    b->mark = 0;
    memset(p, 0xdd, b->size);
    live_blocks--;
    live_bytes -= b->size;
    free(b);
}

ALLOC_FUNCTION void *test_realloc(void *p, size_t size) {
    block *old = p ? (block *)(void *)((char *)p - FRONT) : NULL, *b;
    long number = allocations++;
    if (size == 0) faults++;
    if (old && old->mark != MARK) faults++;
    if (fail_from >= 0 && number >= fail_from && number < fail_from + fail_count) {
        failed_shrinks += old && size < old->size;
        return NULL;
    }
    b = (block *)malloc(FRONT + size);
    if (!b) exit(2);
    b->size = size;
    b->mark = MARK;
    live_blocks++;
    live_bytes += size;
    if (live_bytes > peak_bytes) peak_bytes = live_bytes;
    p = (char *)b + FRONT;
    memset(p, 0xcd, size);
    if (old) {
        memcpy(p, (char *)old + FRONT, old->size < size ? old->size : size);
        test_free((char *)old + FRONT);
    }
    return p;
}
#endif

static inline void never_fail(void) {
    fail_from = -1;
    fail_count = 0;
}

/* From now on every allocation fails. */
static inline void always_fail(void) {
    fail_from = 0;
    fail_count = 1L << 30;
}

#endif
