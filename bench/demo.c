/*
demo.c - replays a trace of a real physics engine through sap.h and checks every frame

    demo [file.trace [picture.svg]]

Each frame adds, moves and removes what the engine's bodies did, then takes the pairs that begin and end from
sap_dump_pairs. What the callbacks said so far must be exactly the pairs that brute force finds, and every one
of them must be among those the engine's own broad phase held (see trace.h). The time is that of the sap_
calls of a frame.
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#define SAP_IMPLEMENTATION
#include "../sap.h"
#include "trace.h"
#include "clock.h"
#include "picture.h"

enum { ROWS = 15, BAR = 24 };

typedef struct replay {
    trace t;
    sap_world *world;
    sap_id *id;          /* of each body */
    unsigned char *held; /* bodies x bodies: 1 while the callbacks say that this pair overlaps */
    int *partners;
    int held_count, begun, ended;
    double *time; /* of each frame, microseconds */
    char error[160];
} replay;

/* Where a pair stands in 'held'; the objects are the trace's bodies. */
static unsigned char *held_at(replay *r, const sap_pair *pair) {
    ptrdiff_t a = (const trace_body *)pair->object0 - r->t.body, b = (const trace_body *)pair->object1 - r->t.body;
    return &r->held[a < b ? a * r->t.bodies + b : b * r->t.bodies + a];
}

static void *pair_begins(const sap_pair *pair, void *user) {
    replay *r = (replay *)user;
    unsigned char *held = held_at(r, pair);
    if (*held) snprintf(r->error, sizeof r->error, "a pair began that was there");
    *held = 1;
    r->held_count++;
    r->begun++;
    return held;
}

static void pair_ends(const sap_pair *pair, void *user) {
    replay *r = (replay *)user;
    unsigned char *held = held_at(r, pair);
    if (!*held || pair->user_data != held)
        snprintf(r->error, sizeof r->error, "a pair ended that was not there, or with another's user data");
    *held = 0;
    r->held_count--;
    r->ended++;
}

/* Hands the changes of a frame to the world, settles it, and gives the time that took. */
static double settle(replay *r) {
    double start = now();
    int pairs;
    for (int i = 0; i < r->t.change_count; i++) {
        int body = r->t.changes[i].body, ok = 1;
        trace_body *b = &r->t.body[body];
        sap_aabb box = {{b->min[0], b->min[1], b->min[2]}, {b->max[0], b->max[1], b->max[2]}};
        switch (r->t.changes[i].what) {
        case TRACE_MOVES: ok = sap_move(r->world, r->id[body], &box) == SAP_OK; break;
        case TRACE_VANISHES: ok = sap_remove(r->world, r->id[body]) == SAP_OK; break;
        case TRACE_APPEARS: ok = (r->id[body] = sap_add(r->world, &box, b)) != 0; break;
        case TRACE_APPEARS_STATIC: ok = (r->id[body] = sap_add_static(r->world, &box, b)) != 0; break;
        }
        if (!ok) snprintf(r->error, sizeof r->error, "%s", sap_result_text(sap_last_error(r->world)));
    }
    pairs = sap_dump_pairs(r->world, pair_begins, pair_ends, r);
    start = now() - start;
    if (pairs < 0)
        snprintf(r->error, sizeof r->error, "%s", sap_result_text((sap_result)-pairs));
    else if (pairs != r->held_count)
        snprintf(r->error, sizeof r->error, "%d pairs, but the callbacks left %d", pairs, r->held_count);
    return start;
}

/* Every two bodies: do they overlap, do the callbacks say so, and did the engine hold them? */
static void check(replay *r) {
    const trace *t = &r->t;
    int held_by_engine = 0;
    memset(r->partners, 0, (size_t)t->bodies * sizeof *r->partners);
    for (int i = 0; i < t->bodies; i++)
        for (int j = i + 1; j < t->bodies; j++) {
            const trace_body *a = &t->body[i], *b = &t->body[j];
            uint64_t pair = trace_pair(i, j);
            int overlap = a->kind && b->kind && (a->kind == TRACE_DYNAMIC || b->kind == TRACE_DYNAMIC);
            for (int k = 0; k < 3 && overlap; k++) /* unused axes are 0 everywhere */
                overlap = a->min[k] <= b->max[k] && b->min[k] <= a->max[k];
            if (overlap != r->held[(size_t)i * (size_t)t->bodies + (size_t)j])
                snprintf(r->error, sizeof r->error, "bodies %d and %d %s, but brute force says otherwise", i, j,
                         overlap ? "are no pair" : "are a pair");
            if (!overlap) continue;
            r->partners[i] += b->kind == TRACE_DYNAMIC;
            r->partners[j] += a->kind == TRACE_DYNAMIC;
            while (held_by_engine < t->pair_count && t->pairs[held_by_engine] < pair) held_by_engine++;
            if (held_by_engine == t->pair_count || t->pairs[held_by_engine] != pair)
                snprintf(r->error, sizeof r->error, "bodies %d and %d overlap, but the engine did not hold them", i, j);
        }
}

/* One line of the table: some frames in a row. */
typedef struct row {
    int frame, boxes, pairs, begun, ended, engine_pairs;
    double median, worst;
} row;

static row make_row(const replay *r, int first) {
    int n = r->t.frame - first;
    double *time = r->time + first; /* in any order from now on */
    row w = {r->t.frame, sap_count(r->world), r->held_count, r->begun, r->ended, r->t.pair_count, 0, 0};
    sort_times(time, n);
    w.median = time[n / 2];
    w.worst = time[n - 1];
    return w;
}

static void print_rows(const row *w, int n) {
    int most = 1; /* the first row holds all pairs of the start, it may leave the scale */
    for (int i = 1; i < n; i++)
        if (most < w[i].begun + w[i].ended) most = w[i].begun + w[i].ended;
    printf("   to                  in these frames  engine's  microseconds\n");
    printf("frame   boxes    pairs    begun    ended     pairs  median   worst  # begun and ended\n");
    for (int i = 0; i < n; i++) {
        int bar = (w[i].begun + w[i].ended) * BAR / most;
        printf("%5d %7d %8d %8d %8d %9d %7.1f %7.1f  %.*s%s\n", w[i].frame, w[i].boxes, w[i].pairs, w[i].begun,
               w[i].ended, w[i].engine_pairs, w[i].median, w[i].worst, bar < BAR ? bar : BAR,
               "########################", bar > BAR ? "+" : "");
    }
}

/* How good a picture this frame makes: boxes that overlap times boxes that do not, none static. */
static int mix(const replay *r) {
    int alone = 0, lit = 0;
    for (int i = 0; i < r->t.bodies; i++)
        if (r->t.body[i].kind == TRACE_DYNAMIC) {
            alone += !r->partners[i];
            lit += r->partners[i] > 0;
        }
    return alone * lit;
}

static int draw(const replay *r, const char *path) {
    char line[120];
    snprintf(line, sizeof line, "frame %d: %d boxes, %d overlapping pairs", r->t.frame, sap_count(r->world),
             r->held_count);
    return picture_write(path, r->t.axes, r->t.body, r->partners, r->t.bodies, r->t.about, line);
}

/* The whole trace; r->error says what went wrong, if anything. */
static void run(replay *r, const char *picture) {
    int bodies = r->t.bodies, frames = r->t.frames, first = 0, rows = 0, best = 0, drawn = 0,
        step = (frames + ROWS - 1) / ROWS;
    long long checked = 0;
    row table[ROWS + 1];
    sap_config config = {0};
    config.axes = r->t.axes;
    r->world = sap_create(&config);
    r->id = (sap_id *)calloc((size_t)bodies + 1, sizeof *r->id);
    r->held = (unsigned char *)calloc((size_t)bodies + 1, (size_t)bodies + 1);
    r->partners = (int *)calloc((size_t)bodies + 1, sizeof *r->partners);
    r->time = (double *)calloc((size_t)frames + 1, sizeof *r->time);
    if (!r->world || !r->id || !r->held || !r->partners || !r->time) {
        snprintf(r->error, sizeof r->error, "out of memory");
        return;
    }
    for (int state; (state = trace_next(&r->t)) != 0 && !r->error[0];) {
        if (state < 0) {
            snprintf(r->error, sizeof r->error, "%s", r->t.error);
            return;
        }
        r->time[r->t.frame - 1] = settle(r);
        check(r);
        checked += r->held_count;
        if (!r->error[0] && mix(r) > best) {
            best = mix(r);
            drawn = r->t.frame;
            if (!draw(r, picture)) snprintf(r->error, sizeof r->error, "cannot write %s", picture);
        }
        if (r->t.frame % step == 0 || r->t.frame == frames) {
            table[rows++] = make_row(r, first);
            first = r->t.frame;
            r->begun = r->ended = 0;
        }
    }
    if (r->error[0]) return;
    print_rows(table, rows);
    if (drawn) printf("\nframe %d is drawn in %s\n", drawn, picture);
    printf("all %d frames agree with brute force; the engine held every one of the %lld overlaps\n", frames, checked);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "bench/data/wall.trace", *picture = argc > 2 ? argv[2] : "build/demo.svg";
    replay r = {0};
    const char *error = trace_load(&r.t, path);
    if (error) {
        fprintf(stderr, "%s: %s\n", path, error);
        return 1;
    }
    printf("%s, %d bodies in all\n\n", r.t.about, r.t.bodies);
    run(&r, picture);
    if (r.error[0]) fprintf(stderr, "%s, frame %d: %s\n", path, r.t.frame, r.error);
    sap_destroy(r.world);
    free(r.id);
    free(r.held);
    free(r.partners);
    free(r.time);
    trace_unload(&r.t);
    return r.error[0] != 0;
}
