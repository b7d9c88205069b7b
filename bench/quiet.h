/*
quiet.h - worlds in which little changes from frame to frame, and some that are asked meanwhile; for lived.c

A quiet world is a life of histories.h with a rule what changes. quiet_plan draws the changes of a frame, quiet_act hands
them in and settles them, which is what is timed. Calls are those of a game: what comes, leaves or is asked about goes
one by one, what moves goes in one call.

Include histories.h before it.
*/
#ifndef QUIET_H
#define QUIET_H

enum { QUIET_JUMP, QUIET_WALK, QUIET_STREAM, QUIET_ASKED, QUIET_AS_ONE, QUIET_BULLETS, QUIET_STATICS };
enum { QUIET_WALKERS = 100, QUIET_MOST_CHANGES = 5000 };

static const struct quiet {
    const char *name;
    int kind, boxes, changes;
} quiet_worlds[] = {
    {"3 jump", QUIET_JUMP, 10000, 3},
    {"30 jump", QUIET_JUMP, 10000, 30},
    {"100 jump", QUIET_JUMP, 10000, 100},
    {"500 jump", QUIET_JUMP, 10000, 500},
    {"30 walk", QUIET_WALK, 10000, 30},
    {"500 walk", QUIET_WALK, 10000, 500},
    {"10 jump", QUIET_JUMP, 100000, 10},
    {"1,000 jump", QUIET_JUMP, 100000, 1000},
    {"100 walk", QUIET_WALK, 100000, 100},
    {"1,000 walk", QUIET_WALK, 100000, 1000},
    {"5,000 walk", QUIET_WALK, 100000, 5000},
    {"30 leave, 30 come", QUIET_STREAM, 10000, 30},
    {"100 leave, 100 come", QUIET_STREAM, 10000, 100},
    {"30 leave, 30 come", QUIET_STREAM, 50000, 30},
    {"100 leave, 100 come", QUIET_STREAM, 50000, 100},
    {"1,000 leave, 1,000 come", QUIET_STREAM, 100000, 1000},
    {"100 walk, one at a time, each asks", QUIET_ASKED, 10000, 100},
    {"100 walk, one at a time, each asks", QUIET_ASKED, 100000, 100},
    {"all move as one", QUIET_AS_ONE, 10000, 0},
    {"all move as one", QUIET_AS_ONE, 100000, 0},
    {"100 walk, 300 bullets", QUIET_BULLETS, 50000, 10},
    {"2 static ones replaced, 100 walk", QUIET_STATICS, 100000, 2},
    {"16 static ones replaced, 100 walk", QUIET_STATICS, 100000, 16},
};
enum { QUIET_WORLDS = sizeof quiet_worlds / sizeof *quiet_worlds };

typedef struct quiet_frame {
    int count;
    int at[QUIET_MOST_CHANGES]; /* in the list of the life */
    sap_aabb to[QUIET_MOST_CHANGES];
    long long hits;
} quiet_frame;

/* Boxes 0 to n - 1 of a stream lie one behind the other along x; the first are replaced by others behind the last. */
static sap_aabb quiet_stream_box(life *l, int n, int i) {
    const float side = life_side(l, n), x = 4 * side * (float)i / (float)n;
    return life_anywhere(l, x, 0, 0, 0.1f, side / 2, side / 2);
}

static void quiet_make(life *l, const struct quiet *q) {
    const float side = life_side(l, q->boxes);
    for (int i = 0; i < q->boxes; i++)
        (void)life_list(
            l, q->kind == QUIET_STREAM ? quiet_stream_box(l, q->boxes, i) : life_anywhere(l, 0, 0, 0, side, side, side),
            q->kind == QUIET_STATICS && i >= QUIET_WALKERS);
    life_hand_in(l);
    life_update(l);
}

/* Bullets lie behind the others in the list, each at the same place from its first frame to its last. */
static void quiet_plan(life *l, const struct quiet *q, int frame, quiet_frame *f) {
    const int n = q->boxes;
    const float side = life_side(l, n);
    f->count = 0;
    switch (q->kind) {
    case QUIET_AS_ONE:
        for (int i = 0; i < n; i++) life_move(l, i, life_moved(l, l->box[i], 0.2f, 0.1f, 0.05f));
        return;
    case QUIET_BULLETS:
        for (int i = n; i < l->n; i++) life_move(l, i, life_moved(l, l->box[i], 1, 0.5f, 0));
        for (int i = 0; i < q->changes; i++) {
            f->at[f->count] = n + (frame * q->changes + i) % (30 * q->changes);
            f->to[f->count++] = life_anywhere(l, 0, 0, 0, side, side, side);
        }
        break;
    case QUIET_STATICS:
        for (int i = 0; i < q->changes; i++) {
            f->at[f->count] = QUIET_WALKERS + life_below(l, n - QUIET_WALKERS);
            f->to[f->count++] = life_anywhere(l, 0, 0, 0, side, side, side);
        }
        break;
    case QUIET_STREAM:
        for (int i = 0; i < q->changes; i++) {
            f->at[f->count] = (frame * q->changes + i) % n;
            f->to[f->count++] = quiet_stream_box(l, n, n + frame * q->changes + i);
        }
        return;
    case QUIET_ASKED:
        for (int i = 0; i < q->changes; i++) {
            const int k = life_below(l, n);
            const float x = life_between(l, -0.2f, 0.2f), y = life_between(l, -0.2f, 0.2f);
            f->at[f->count] = k;
            f->to[f->count++] = life_moved(l, l->box[k], x, y, life_between(l, -0.2f, 0.2f));
        }
        return;
    default:
        for (int i = 0; i < q->changes; i++) {
            const int k = life_below(l, n);
            if (q->kind == QUIET_WALK)
                life_walk(l, k, 0.2f);
            else
                life_move(l, k, life_anywhere(l, 0, 0, 0, side, side, side));
        }
        return;
    }
    for (int i = 0; i < QUIET_WALKERS; i++) life_walk(l, i, 0.2f);
}

static void quiet_act(life *l, const struct quiet *q, quiet_frame *f) {
    life_hand_in_moves(l);
    for (int i = 0; i < f->count; i++) {
        const int k = f->at[i];
        if (q->kind == QUIET_ASKED) {
            life_need(sap_move(l->world, l->id[k], &f->to[i]) == SAP_OK, "sap_move");
            l->box[k] = f->to[i];
            (void)sap_query_box(l->world, &f->to[i], ~0u, life_count_hit, &f->hits);
        } else if (k >= l->n) {
            (void)life_add(l, f->to[i], 0);
        } else {
            life_need(sap_remove(l->world, l->id[k]) == SAP_OK, "sap_remove");
            l->box[k] = f->to[i];
            l->id[k] = (l->is_static[k] ? sap_add_static : sap_add)(l->world, &l->box[k], NULL);
            life_need(l->id[k] != 0, "sap_add");
        }
    }
    life_need(sap_update(l->world) == SAP_OK, "sap_update");
}

#endif
