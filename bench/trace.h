/*
trace.h - what a physics engine's bodies did, frame by frame, and which pairs its broad phase held

A trace holds, for each frame, every body's axis-aligned box and the pairs of the engine's own broad phase, so
that another broad phase can be run on real input without the engine. One recorder per engine writes them
(record_bullet.cpp, record_box2d.cpp); demo.c replays them. Reader and writer, C99 and C++11, little-endian on
every machine.

WHAT IS IN A FRAME
    The boxes are tight: the engine's own AABB of each shape at the transforms that its collision detection of
    this frame saw. The pairs are those the engine's broad phase held at that moment. An engine keeps more
    pairs than overlap: it fattens boxes, sweeps them along the motion and drops stale pairs late. So the rule
    that a replay can check is one-sided:

        every pair whose tight boxes overlap is among the engine's pairs, unless both bodies are TRACE_STATIC.

    TRACE_STATIC marks a body that the engine does not pair with its like: static ones, and kinematic ones,
    which may move. The recorders' scenes have no other filtered pair. What each engine adds to the tight
    boxes is said at the head of its recorder.

FILE
    "SAPTRACE"                                  8 bytes
    version 1, axes, bodies, frames, length     5 unsigned, 4 bytes each; axes: bit 0 x, bit 1 y, bit 2 z
    about                                       that many bytes of text
    then for each frame:
        count, changes                          ascending by body; a body that is not listed is as it was
            (body - previous body - 1) * 4 + what      previous body is -1 at first; what: 0 moves, 1 appears,
                                                       2 appears static, 3 vanishes
            bounds, unless it vanishes          min, max of the first used axis, then of the next
        count, pairs that ended
        count, pairs that began                 ascending, body0 < body1:
            body0 - previous body0              0 at first
            body1 - previous body1 - 1          previous body1 is body0 when body0 is new
    FNV-1a hash of all bytes before             8 bytes

    All numbers after 'about' are varints: 7 bits a byte, lowest first, the high bit says that more follow. A
    bound is the difference to what its last two values foretell, (last - one before) added to the last, where
    a value is the float's bits as an integer in the order of the floats; zigzag, so that small differences of
    either sign are short. Bodies move steadily, so most bounds take two bytes, and every float comes back bit
    by bit. A bound of a body that appears is the difference to 0.
*/
#ifndef TRACE_H
#define TRACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_NONE, TRACE_DYNAMIC, TRACE_STATIC };                          /* a body's kind */
enum { TRACE_MOVES, TRACE_APPEARS, TRACE_APPEARS_STATIC, TRACE_VANISHES }; /* what a body does in a frame */
enum { TRACE_MAX_BODIES = 1 << 20, TRACE_MAX_ABOUT = 1 << 16, TRACE_HEADER = 28 };

typedef struct trace_body {
    int kind;
    float min[3], max[3]; /* 0 on unused axes */
} trace_body;

/* A pair as one number: ascending numbers are pairs ascending by (a, b), a < b. */
static inline uint64_t trace_pair(int a, int b) {
    return a < b ? (uint64_t)(uint32_t)a << 32 | (uint32_t)b : (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
}

/* ---- coding ---- */

/* The last two values of each bound of a body, as integers in the order of the floats. */
typedef struct trace_history {
    uint32_t last[6], before[6];
} trace_history;

static inline uint32_t trace_encode(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

static inline float trace_decode(uint32_t u) {
    float f;
    u = u & 0x80000000u ? u & 0x7fffffffu : ~u;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline uint64_t trace_hash(const unsigned char *p, size_t n) {
    uint64_t h = 14695981039346656037u;
    while (n--) h = (h ^ *p++) * 1099511628211u;
    return h;
}

/* ---- writer: open, one trace_write a frame, save ---- */

typedef struct trace_writer {
    int axes, bodies, frames, failed;
    int used; /* bodies that there have been so far */
    unsigned char *bytes;
    size_t size, capacity;
    trace_body *body; /* as of the last frame */
    trace_history *history;
    uint64_t *pairs;
    int pair_count;
} trace_writer;

static inline void trace_byte(trace_writer *w, unsigned b) {
    if (w->size == w->capacity) {
        size_t capacity = w->capacity ? w->capacity * 2 : 4096;
        unsigned char *bytes = (unsigned char *)realloc(w->bytes, capacity);
        if (!bytes) {
            w->failed = 1;
            return;
        }
        w->bytes = bytes;
        w->capacity = capacity;
    }
    w->bytes[w->size++] = (unsigned char)b;
}

static inline void trace_varint(trace_writer *w, uint64_t v) {
    for (; v >= 128; v >>= 7) trace_byte(w, (unsigned)(v & 127) | 128);
    trace_byte(w, (unsigned)v);
}

static inline void trace_u32(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static inline void trace_write_bound(trace_writer *w, trace_history *h, int i, float f) {
    uint32_t u = trace_encode(f);
    uint32_t d = u - (2 * h->last[i] - h->before[i]);
    h->before[i] = h->last[i];
    h->last[i] = u;
    trace_varint(w, (uint32_t)(d << 1) ^ (d & 0x80000000u ? 0xffffffffu : 0));
}

/* The pairs that are in 'a' and not in 'b', both ascending. */
static inline void trace_write_pairs(trace_writer *w, const uint64_t *a, int an, const uint64_t *b, int bn) {
    for (int pass = 0, count = 0; pass < 2; pass++) { /* count them, then write them */
        uint32_t last0 = 0, last1 = 0;
        if (pass) trace_varint(w, (uint64_t)count);
        for (int i = 0, j = 0; i < an; i++) {
            while (j < bn && b[j] < a[i]) j++;
            if (j < bn && b[j] == a[i]) continue;
            count++;
            if (pass) {
                uint32_t p0 = (uint32_t)(a[i] >> 32), p1 = (uint32_t)a[i];
                trace_varint(w, p0 - last0);
                trace_varint(w, p1 - (p0 == last0 && last1 ? last1 : p0) - 1);
                last0 = p0;
                last1 = p1;
            }
        }
    }
}

/* 'bodies': how many there may be, over all frames. */
static inline void trace_begin(trace_writer *w, int axes, int bodies, const char *about) {
    memset(w, 0, sizeof *w);
    w->axes = axes;
    w->bodies = bodies;
    w->body = (trace_body *)calloc((size_t)bodies + 1, sizeof *w->body);
    w->history = (trace_history *)calloc((size_t)bodies + 1, sizeof *w->history);
    w->failed = !w->body || !w->history || bodies > TRACE_MAX_BODIES || strlen(about) > TRACE_MAX_ABOUT;
    for (int i = 0; i < TRACE_HEADER; i++) trace_byte(w, 0);
    for (const char *p = about; *p; p++) trace_byte(w, (unsigned char)*p);
    if (w->failed) return;
    memcpy(w->bytes, "SAPTRACE", 8);
    trace_u32(w->bytes + 8, 1);
    trace_u32(w->bytes + 12, (uint32_t)axes);
    trace_u32(w->bytes + 24, (uint32_t)strlen(about)); /* bodies and frames are put in by trace_save */
}

/* One frame: every body as it is now, and the engine's pairs, ascending and each once. */
static inline void trace_write(trace_writer *w, const trace_body *now, const uint64_t *pairs, int pair_count) {
    int changes = 0, previous = -1;
    if (w->failed) return;
    for (int pass = 0; pass < 2; pass++) { /* count the changes, then write them */
        if (pass) trace_varint(w, (uint64_t)changes);
        for (int i = 0; i < w->bodies; i++) {
            const trace_body *a = &w->body[i], *b = &now[i];
            int what = !b->kind                  ? TRACE_VANISHES
                       : a->kind                 ? TRACE_MOVES
                       : b->kind == TRACE_STATIC ? TRACE_APPEARS_STATIC
                                                 : TRACE_APPEARS;
            trace_history *h = &w->history[i];
            if (a->kind == b->kind && (!b->kind || !memcmp(a, b, sizeof *a))) continue;
            changes++;
            w->used = w->used > i ? w->used : i + 1;
            if (!pass) continue;
            trace_varint(w, (uint64_t)(i - previous - 1) * 4 + (unsigned)what);
            previous = i;
            if (what != TRACE_MOVES)
                for (int k = 0; k < 6; k++) h->last[k] = h->before[k] = trace_encode(0);
            for (int k = 0; k < 3 && what != TRACE_VANISHES; k++)
                if (w->axes >> k & 1) {
                    trace_write_bound(w, h, k, b->min[k]);
                    trace_write_bound(w, h, k + 3, b->max[k]);
                }
            if (what != TRACE_MOVES) /* a first move is foretold from where the body stands, not from 0 */
                memcpy(h->before, h->last, sizeof h->last);
        }
    }
    memcpy(w->body, now, (size_t)w->bodies * sizeof *now);
    trace_write_pairs(w, w->pairs, w->pair_count, pairs, pair_count);
    trace_write_pairs(w, pairs, pair_count, w->pairs, w->pair_count);
    free(w->pairs);
    w->pairs = (uint64_t *)malloc((size_t)pair_count * sizeof *pairs + 1);
    w->failed |= !w->pairs;
    if (w->pairs && pair_count) memcpy(w->pairs, pairs, (size_t)pair_count * sizeof *pairs);
    w->pair_count = pair_count;
    w->frames++;
}

/* Writes the file and frees all. NULL, or a sentence that says what went wrong. */
static inline const char *trace_save(trace_writer *w, const char *path) {
    const char *error = w->failed ? "out of memory" : NULL;
    if (!error) {
        uint64_t h;
        FILE *f;
        trace_u32(w->bytes + 16, (uint32_t)w->used);
        trace_u32(w->bytes + 20, (uint32_t)w->frames);
        h = trace_hash(w->bytes, w->size);
        for (int i = 0; i < 8; i++) trace_byte(w, (unsigned)(h >> 8 * i & 255));
        f = fopen(path, "wb");
        if (!f || w->failed || fwrite(w->bytes, 1, w->size, f) != w->size) error = "cannot write the file";
        if (f && fclose(f) && !error) error = "cannot write the file";
    }
    free(w->bytes);
    free(w->body);
    free(w->history);
    free(w->pairs);
    return error;
}

/* ---- reader: load, one trace_next a frame, unload ---- */

typedef struct trace_change {
    int body, what;
} trace_change;

typedef struct trace {
    int axes, bodies, frames, frame; /* frame: how many have been read */
    char *about;
    trace_body *body; /* every body, as of the frame read last */
    trace_change *changes;
    int change_count;
    uint64_t *pairs; /* the engine's, ascending: see trace_pair */
    int pair_count;
    const char *error;
    /* private */
    trace_history *history;
    unsigned char *bytes;
    size_t size, at;
    uint64_t *ended, *begun, *merged;
    int pair_capacity;
} trace;

static inline uint32_t trace_get_u32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void trace_unload(trace *t) {
    free(t->about);
    free(t->body);
    free(t->changes);
    free(t->pairs);
    free(t->history);
    free(t->bytes);
    free(t->ended);
    free(t->begun);
    free(t->merged);
    memset(t, 0, sizeof *t);
}

static inline const char *trace_read_file(trace *t, const char *path) {
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (!f) return "cannot open the file";
    if (!fseek(f, 0, SEEK_END)) size = ftell(f);
    if (size > 0 && !fseek(f, 0, SEEK_SET)) {
        t->bytes = (unsigned char *)malloc((size_t)size);
        if (t->bytes) t->size = fread(t->bytes, 1, (size_t)size, f);
    }
    fclose(f);
    return size <= 0 || t->size != (size_t)size ? "cannot read the file" : NULL;
}

/* NULL, or a sentence that says why this file cannot be replayed; then there is nothing to unload. */
static inline const char *trace_load(trace *t, const char *path) {
    const char *error;
    uint32_t axes, bodies, frames, length;
    memset(t, 0, sizeof *t);
    error = trace_read_file(t, path);
    if (!error && (t->size < TRACE_HEADER + 8 || memcmp(t->bytes, "SAPTRACE", 8))) error = "this is not a trace";
    if (!error && trace_get_u32(t->bytes + 8) != 1) error = "this trace has another version";
    if (!error) {
        uint64_t h = 0;
        t->size -= 8;
        for (int i = 0; i < 8; i++) h |= (uint64_t)t->bytes[t->size + (size_t)i] << 8 * i;
        if (h != trace_hash(t->bytes, t->size)) error = "this trace is damaged or cut short";
    }
    if (!error) {
        axes = trace_get_u32(t->bytes + 12);
        bodies = trace_get_u32(t->bytes + 16);
        frames = trace_get_u32(t->bytes + 20);
        length = trace_get_u32(t->bytes + 24);
        if (axes < 1 || axes > 7 || bodies > TRACE_MAX_BODIES || frames > t->size || length > TRACE_MAX_ABOUT ||
            length > t->size - TRACE_HEADER) {
            error = "this trace is damaged: its head makes no sense";
        } else {
            t->axes = (int)axes;
            t->bodies = (int)bodies;
            t->frames = (int)frames;
            t->at = TRACE_HEADER + length;
            t->about = (char *)calloc(length + 1, 1);
            t->body = (trace_body *)calloc(bodies + 1, sizeof *t->body);
            t->changes = (trace_change *)calloc(bodies + 1, sizeof *t->changes);
            t->history = (trace_history *)calloc(bodies + 1, sizeof *t->history);
            if (!t->about || !t->body || !t->changes || !t->history)
                error = "out of memory";
            else
                memcpy(t->about, t->bytes + TRACE_HEADER, length);
        }
    }
    if (error) trace_unload(t);
    return error;
}

/* A varint of at most 'limit'; anything else sets the error and gives 0. */
static inline uint32_t trace_get(trace *t, uint32_t limit) {
    uint64_t v = 0;
    for (int shift = 0; t->at < t->size && shift < 35; shift += 7) {
        unsigned b = t->bytes[t->at++];
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128) {
            if (v <= limit) return (uint32_t)v;
            break;
        }
    }
    t->error = "this trace is damaged: a number is out of range";
    return 0;
}

static inline float trace_get_bound(trace *t, trace_history *h, int i) {
    uint32_t z = trace_get(t, 0xffffffffu);
    uint32_t u = (z >> 1 ^ (z & 1 ? 0xffffffffu : 0)) + (2 * h->last[i] - h->before[i]);
    h->before[i] = h->last[i];
    h->last[i] = u;
    return trace_decode(u);
}

static inline void trace_get_change(trace *t, int *previous) {
    uint32_t v = trace_get(t, (uint32_t)t->bodies * 4 + 3);
    int64_t i = (int64_t)*previous + 1 + v / 4;
    int what = (int)(v & 3);
    if (t->error) return;
    if (i >= t->bodies || (t->body[i].kind != TRACE_NONE) != (what == TRACE_MOVES || what == TRACE_VANISHES)) {
        t->error = "this trace is damaged: a body moves or vanishes that is not there, or appears twice";
        return;
    }
    trace_body *b = &t->body[i];
    trace_history *h = &t->history[i];
    *previous = (int)i;
    t->changes[t->change_count].body = (int)i;
    t->changes[t->change_count++].what = what;
    if (what == TRACE_VANISHES) {
        b->kind = TRACE_NONE;
        return;
    }
    if (what != TRACE_MOVES) {
        b->kind = what == TRACE_APPEARS_STATIC ? TRACE_STATIC : TRACE_DYNAMIC;
        for (int k = 0; k < 6; k++) h->last[k] = h->before[k] = trace_encode(0);
    }
    for (int k = 0; k < 3; k++)
        if (t->axes >> k & 1) {
            b->min[k] = trace_get_bound(t, h, k);
            b->max[k] = trace_get_bound(t, h, k + 3);
            if (!t->error && !(b->min[k] <= b->max[k])) /* false for NaN too */
                t->error = "this trace is damaged: a box has min > max or NaN";
        }
    if (what != TRACE_MOVES) memcpy(h->before, h->last, sizeof h->last);
}

/* A list of pairs; it is ascending by the way it is written. */
static inline int trace_get_pairs(trace *t, uint64_t **list) {
    uint32_t count = trace_get(t, 0x7fffffff), p0 = 0, p1 = 0;
    if (count > (t->size - t->at) / 2) /* a pair takes two bytes or more */
        t->error = "this trace is damaged: more pairs than bytes";
    if (t->error) return 0;
    free(*list);
    *list = (uint64_t *)malloc(count * sizeof **list + 1);
    if (!*list) {
        t->error = "out of memory";
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t d0 = trace_get(t, TRACE_MAX_BODIES), d1 = trace_get(t, TRACE_MAX_BODIES);
        p1 = (d0 || !p1 ? p0 + d0 : p1) + d1 + 1;
        p0 += d0;
        if (t->error || p1 >= (uint32_t)t->bodies) { /* p0 < p1 */
            t->error = "this trace is damaged: a pair of bodies that do not exist";
            return 0;
        }
        (*list)[i] = trace_pair((int)p0, (int)p1);
    }
    return (int)count;
}

/* The pairs held before, without those that ended, with those that began. */
static inline void trace_get_frame_pairs(trace *t) {
    int ended = trace_get_pairs(t, &t->ended), begun = trace_get_pairs(t, &t->begun);
    int n = 0, i = 0, j = 0, k = 0;
    uint64_t *swap;
    if (t->error) return;
    if (t->pair_count + begun > t->pair_capacity) {
        int capacity = (t->pair_count + begun) * 2;
        uint64_t *a = (uint64_t *)realloc(t->pairs, (size_t)capacity * sizeof *a);
        uint64_t *b = a ? (uint64_t *)realloc(t->merged, (size_t)capacity * sizeof *b) : NULL;
        if (a) t->pairs = a;
        if (b) t->merged = b;
        if (!a || !b) {
            t->error = "out of memory";
            return;
        }
        t->pair_capacity = capacity;
    }
    while (i < t->pair_count || k < begun) {
        if (i < t->pair_count && j < ended && t->ended[j] == t->pairs[i])
            i++, j++;
        else if (k == begun || (i < t->pair_count && t->pairs[i] < t->begun[k]))
            t->merged[n++] = t->pairs[i++];
        else
            t->merged[n++] = t->begun[k++];
    }
    if (j < ended) t->error = "this trace is damaged: a pair ends that is not there";
    swap = t->pairs;
    t->pairs = t->merged;
    t->merged = swap;
    t->pair_count = n;
}

/* 1: the next frame has been read; 0: there are no more; -1: t->error says what is wrong. */
static inline int trace_next(trace *t) {
    uint32_t count;
    int previous = -1;
    if (t->error) return -1;
    if (t->frame == t->frames) return 0;
    count = trace_get(t, (uint32_t)t->bodies);
    t->change_count = 0;
    for (uint32_t i = 0; i < count && !t->error; i++) trace_get_change(t, &previous);
    if (!t->error) trace_get_frame_pairs(t);
    if (t->error) return -1;
    t->frame++;
    return 1;
}

#endif
