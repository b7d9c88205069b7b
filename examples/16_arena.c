/*
Shows how to give sap.h all its memory from one block of yours, so that a level allocates once and frees at a stroke.

    cc -I.. -I/usr/include/stb -o arena 16_arena.c && ./arena

SAP_REALLOC and SAP_FREE replace realloc and free. sap_reserve asks for everything at once; after that no call asks for
more until there are more boxes or pairs than were reserved. The pages of the block are populated before the first level:
up to half of the time in which a world is filled is the first touch of its memory, page by page.
It prints:

    level 1: 2000 boxes, 1927 pairs at the end; 0 allocations in 300 frames
    level 2: 3000 boxes, 2716 pairs at the end; 0 allocations in 300 frames
    level 3: 60000 boxes do not fit into the block, and sap.h says so
*/
#ifdef __linux__
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* An arena only moves forward, and starts again with each level. An array that grows is copied to a new place, and its
   old place is lost until the next level: that is fine if nearly everything is reserved at the start. */
enum { BLOCK = 8 << 20, ALIGN = 64 };
static union {
    double align;
    unsigned char bytes[BLOCK];
} block;
static size_t arena_used;
static int allocations;

static void *arena_realloc(void *old, size_t size) {
    const size_t room = (size + 2 * ALIGN - 1) / ALIGN * ALIGN; /* rounded up, with room for the size in front */
    allocations++;
    if (size > BLOCK || BLOCK - arena_used < room)
        return NULL; /* sap.h then says SAP_ERROR_MEMORY, and nothing has changed */
    unsigned char *at = block.bytes + arena_used + ALIGN;
    memcpy(at - sizeof size, &size, sizeof size);
    arena_used += room;
    if (old) {
        size_t before;
        memcpy(&before, (unsigned char *)old - sizeof before, sizeof before);
        memcpy(at, old, before < size ? before : size);
    }
    return at;
}

/* Asks the kernel for all pages of the block in one call, outside of any frame. Before Linux 5.14 it says no, and the first
   touch brings each page. A SAP_REALLOC that maps memory for each array can do the same with what it has mapped, but then
   pages that an array only keeps for its growth are brought, too. */
static void arena_populate(void) {
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = 4096, from = ((uintptr_t)block.bytes + page - 1) / page * page;
    (void)madvise((void *)from, BLOCK - page, MADV_POPULATE_WRITE);
#endif
}

#define SAP_REALLOC(p, size) arena_realloc(p, size)
#define SAP_FREE(p) ((void)(p))
#define SAP_IMPLEMENTATION
#include "sap.h"

enum { MOST = 3000, FRAMES = 300 };

static float random_in(float low, float high) { /* the same on every machine */
    static uint32_t state = 5;
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

/* Fills the world, lets its boxes walk, and counts the allocations of all frames. */
static void play(sap_world *world, const char *level, int n) {
    static sap_aabb boxes[MOST];
    static float step[MOST][3];
    static sap_id ids[MOST];
    int pairs, at_start;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].min[k] = random_in(0, n == MOST ? 115 : 100);
            boxes[i].max[k] = boxes[i].min[k] + 5;
            step[i][k] = random_in(-1, 1) / 8;
        }
    sap_add_many(world, n, boxes, NULL, ids);
    at_start = allocations;
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) {
                boxes[i].min[k] += frame / 50 % 2 ? -step[i][k] : step[i][k]; /* to and fro */
                boxes[i].max[k] += frame / 50 % 2 ? -step[i][k] : step[i][k];
            }
        sap_move_many(world, n, ids, boxes);
        sap_update(world);
    }
    sap_pairs(world, &pairs);
    printf("%s: %d boxes, %d pairs at the end; %d allocations in %d frames\n", level, n, pairs, allocations - at_start,
           FRAMES);
}

int main(void) {
    arena_populate();
    sap_world *world = sap_create(NULL);
    if (!world || sap_reserve(world, 2000, 4000) != SAP_OK) return 1;
    play(world, "level 1", 2000);

    arena_used = 0; /* level 1 and its world are gone: no sap_destroy is needed where freeing does nothing */
    world = sap_create(NULL);
    if (!world || sap_reserve(world, MOST, 6000) != SAP_OK) return 1;
    play(world, "level 2", MOST);

    arena_used = 0;
    world = sap_create(NULL);
    if (!world) return 1;
    const sap_result result = sap_reserve(world, 60000, 120000);
    printf("level 3: 60000 boxes %s\n",
           result == SAP_ERROR_MEMORY ? "do not fit into the block, and sap.h says so" : "fit");
    return 0;
}
