/* test_size.c - 50,000 boxes, every method as shipped, beside a plain sort and sweep.

   cc -std=c99 -O2 -isystem /usr/include/stb -I. -o test_size tests/test_size.c tests/ways.c -lm -pthread
   test_size [boxes] [frames]: 50,000 and 10

   The other tests have small worlds, and thresholds lowered to suit them. Here worlds of each method get the
   same calls, and their events are those that follow from the pairs of a sort and sweep before and after. */

#include "sap.h"

#include "../bench/histories.h"

#include "ways.h"

static const char *const method_names[] = {"auto", "sort", "prune", "query"};

/* What happens in a frame; insertion sort would take minutes where boxes jump, so that it is spared those. */
enum { WALK, WALK_SOME, JUMP, REPLACE, SHIFT, MIGRATE };

static const struct run {
    const char *name;
    int axes;
    void (*place)(life *l, int n);
    int motion;
    float amount;
    int sorts; /* SAP_METHOD_SORT, too */
} runs[] = {
    {"uniform, all walk", 7, input_uniform, WALK, 0.05f, 1},
    {"uniform, some walk", 7, input_uniform, WALK_SOME, 0.5f, 1},
    {"uniform, some jump", 7, input_uniform, JUMP, 0, 0},
    {"uniform, some are replaced", 7, input_uniform, REPLACE, 0, 0},
    {"uniform, some migrate", 7, input_uniform, MIGRATE, 0, 0},
    {"square, all walk far", 3, input_uniform, WALK, 2, 0},
    {"line, all walk", 1, input_uniform, WALK, 0.5f, 1},
    {"clusters, all walk", 7, input_clusters, WALK, 0.1f, 0},
    {"decades, some walk", 7, input_decades, WALK_SOME, 5, 0},
    {"huge ones, all walk", 7, input_huge, WALK, 0.2f, 0},
    {"static crowd, the origin goes", 7, input_static_crowd, SHIFT, 0.5f, 0},
    {"lattice, some are replaced", 7, input_lattice, REPLACE, 0, 0},
    {"long masked box, all walk", 7, input_long_masked, WALK, 0.1f, 0},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* ---- pairs the plain way ---- */

typedef struct pairs {
    uint64_t *item;
    int count, capacity;
} pairs;

static void pairs_push(pairs *p, uint64_t pair) {
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 1 << 16;
        p->item = (uint64_t *)realloc(p->item, (size_t)p->capacity * sizeof *p->item);
        if (!p->item) exit(2);
    }
    p->item[p->count++] = pair;
}

typedef struct start {
    sap_aabb box;
    int at; /* in the list */
} start;

static int by_start(const void *a, const void *b) {
    float x = ((const start *)a)->box.min[0], y = ((const start *)b)->box.min[0];
    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* No branch that cannot be predicted. */
static int meet(const sap_aabb *a, const sap_aabb *b) {
    return (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]) & (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]) &
           (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]);
}

/* id0 above id1, ascending; unused axes are 0 in the list of a life. */
static void sort_and_sweep(const life *l, pairs *out) {
    start *order = (start *)malloc(((size_t)l->n + 1) * sizeof *order);
    if (!order) exit(2);
    for (int i = 0; i < l->n; i++) order[i].box = l->box[i], order[i].at = i;
    qsort(order, (size_t)l->n, sizeof *order, by_start);
    out->count = 0;
    for (int i = 0; i < l->n; i++) {
        int a = order[i].at;
        if (l->masked[a]) continue;
        for (int k = i + 1; k < l->n && order[k].box.min[0] <= order[i].box.max[0]; k++) {
            int b = order[k].at;
            sap_id x = l->id[a], y = l->id[b];
            if (!meet(&order[i].box, &order[k].box) || l->masked[b] || (l->is_static[a] && l->is_static[b])) continue;
            pairs_push(out, x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x);
        }
    }
    free(order);
    if (out->count) qsort(out->item, (size_t)out->count, sizeof *out->item, by_value);
}

/* What is in a and not in b. */
static void only_in(const pairs *a, const pairs *b, pairs *out) {
    int k = 0;
    out->count = 0;
    for (int i = 0; i < a->count; i++) {
        while (k < b->count && b->item[k] < a->item[i]) k++;
        if (k == b->count || b->item[k] != a->item[i]) pairs_push(out, a->item[i]);
    }
}

static int are(const sap_pair *seen, int count, const pairs *expected) {
    if (count != expected->count) return 0;
    for (int i = 0; i < count; i++)
        if (((uint64_t)seen[i].id0 << 32 | seen[i].id1) != expected->item[i]) return 0;
    return 1;
}

/* ---- runs ---- */

/* In an order of their own; a call with an id of no box among them changes nothing. */
static void shuffle_moves(life *l) {
    for (int i = l->moves - 1; i > 0; i--) {
        const int other = life_below(l, i + 1);
        const sap_id id = l->mover[i];
        const sap_aabb box = l->target[i];
        l->mover[i] = l->mover[other], l->target[i] = l->target[other];
        l->mover[other] = id, l->target[other] = box;
    }
    const sap_id last = l->mover[l->moves - 1];
    l->mover[l->moves - 1] = ~0u;
    CHECK_EQUAL(sap_move_many(l->world, l->moves, l->mover, l->target), SAP_ERROR_ID);
    l->mover[l->moves - 1] = last;
}

static void step(life *l, const struct run *r, int frame) {
    float side = life_side(l, l->n);
    switch (r->motion) {
    case WALK:
        life_walk_some(l, 1, r->amount);
        shuffle_moves(l);
        break;
    case WALK_SOME: life_walk_some(l, 20, r->amount); break;
    case JUMP:
        for (int i = frame; i < l->n; i += 50) life_move(l, i, life_anywhere(l, 0, 0, 0, side, side, side));
        break;
    case MIGRATE:
        for (int i = frame; i < l->n; i += 6) life_move(l, i, life_anywhere(l, 4 * side, -side, 0, side, side, side));
        break;
    case SHIFT:
        life_shift(l, 3 * side, -side, side / 4);
        life_walk_some(l, 2, r->amount);
        break;
    default:
        for (int i = 0, count = l->n / 25; i < count; i++) life_remove(l, life_below(l, l->n));
        for (int i = 0, count = l->n / 25; i < count; i++)
            (void)life_list(l, life_anywhere(l, 0, 0, 0, side, side, side), i % 3 == 0);
        life_hand_in(l);
    }
    life_update(l);
}

static void check_world(const life *l, const struct run *r, int frame, const pairs *now, const pairs *created,
                        const pairs *deleted) {
    int count;
    const sap_pair *seen = sap_created(l->world, &count);
    CHECK_MESSAGE(are(seen, count, created), "%s, %s, frame %d: %d pairs created, or others; expected %d", r->name,
                  method_names[l->method], frame, count, created->count);
    seen = sap_deleted(l->world, &count);
    CHECK_MESSAGE(are(seen, count, deleted), "%s, %s, frame %d: %d pairs deleted, or others; expected %d", r->name,
                  method_names[l->method], frame, count, deleted->count);
    (void)sap_pairs(l->world, &count);
    CHECK_MESSAGE(count == now->count, "%s, %s, frame %d: %d pairs, expected %d", r->name, method_names[l->method],
                  frame, count, now->count);
}

/* Some queries, each beside a loop over all. */
static void check_queries(life *l, const struct run *r) {
    for (int q = 0; q < 20; q++) {
        sap_aabb box = l->box[life_below(l, l->n)];
        long long hits = 0, expected = 0;
        box = life_resized(l, box, 3);
        for (int i = 0; i < l->n; i++) expected += meet(&box, &l->box[i]);
        (void)sap_query_box(l->world, &box, 2, life_count_hit, &hits);
        CHECK_EQUAL(hits, 0); /* none has that category */
        (void)sap_query_box(l->world, &box, ~0u, life_count_hit, &hits);
        for (int i = 0; i < l->n; i++) expected -= l->masked[i] && meet(&box, &l->box[i]); /* category 0 */
        CHECK_MESSAGE(hits == expected, "%s, %s: a query finds %lld boxes, expected %lld", r->name,
                      method_names[l->method], hits, expected);
    }
}

static void test_run(const struct run *r, int n, int frames) {
    static const pairs none = {NULL, 0, 0};
    life world[SAP_METHOD_QUERY + 1];
    pairs now = none, before = none, created = none, deleted = none;
    for (int m = 0; m <= SAP_METHOD_QUERY; m++) life_open(&world[m], r->axes, m);
    for (int f = 0; f < frames; f++) {
        for (int m = 0; m <= SAP_METHOD_QUERY; m++) {
            life *l = &world[m];
            if (m == SAP_METHOD_SORT && !r->sorts) continue;
            if (f) {
                step(l, r, f - 1);
            } else {
                r->place(l, n);
                life_hand_in(l);
                life_update(l);
            }
            if (m == SAP_METHOD_AUTO) {
                pairs swap = before;
                before = now;
                now = swap;
                sort_and_sweep(l, &now);
                only_in(&now, &before, &created);
                only_in(&before, &now, &deleted);
            }
            check_world(l, r, f, &now, &created, &deleted);
        }
    }
    for (int m = 0; m <= SAP_METHOD_QUERY; m++) {
        const char *broken = sap_validate(world[m].world);
        CHECK_MESSAGE(broken == NULL, "%s, %s: %s", r->name, method_names[m], broken ? broken : "");
        if (world[m].n) check_queries(&world[m], r);
        life_close(&world[m]);
    }
    free(now.item);
    free(before.item);
    free(created.item);
    free(deleted.item);
}

int main(int argc, char **argv) {
    int n = test_argument(argc, argv, 1, 50000), frames = test_argument(argc, argv, 2, 10);
    use_realloc = realloc, use_free = free; /* as shipped: no blocks full of rubbish */
    for (int r = 0; r < RUNS; r++) test_run(&runs[r], n, frames);
    return test_summary();
}
