/* Exercise 9, solved: exercises 2, 3, 4 and 6, with the sentinels of exercise 1. */
#include <math.h>
#include "09_sap.h"

enum { NONE = -1, BUCKETS = 65536 };

typedef struct end {
    float value;
    int box, is_max;
} end;

static box boxes[MOST], old_boxes[MOST]; /* as they are, and as they were at the last update */
static end ends[AXES][2 * MOST + 1];     /* sorted, behind a sentinel */
static int box_count;

/* ---- pairs (exercise 6) -------------------------------------------------------------------------------------------- */

static pair pairs[MOST_PAIRS];
static int chain[MOST_PAIRS], bucket[BUCKETS], pair_count;

static int *bucket_of(int a, int b) {
    return &bucket[((uint32_t)a << 16 ^ (uint32_t)b) * 2654435761u >> 16];
}

/* Returns the link that leads to the pair, or to the end of its chain. */
static int *find(int a, int b) {
    int *link = bucket_of(a, b);
    while (*link != NONE && (pairs[*link].a != a || pairs[*link].b != b)) link = &chain[*link];
    return link;
}

static void add_pair(int a, int b) {
    const pair both = {a < b ? a : b, a < b ? b : a};
    int *link = find(both.a, both.b);
    if (*link != NONE) return; /* found on another axis */
    pairs[pair_count] = both;
    chain[pair_count] = NONE;
    *link = pair_count++;
}

static void remove_pair(int a, int b) {
    int *link = a < b ? find(a, b) : find(b, a);
    if (*link == NONE) return;
    const int hole = *link, last = --pair_count;
    *link = chain[hole];
    if (hole == last) return;
    *find(pairs[last].a, pairs[last].b) = hole;
    pairs[hole] = pairs[last];
    chain[hole] = chain[last];
}

const pair *get_pairs(int *n) {
    *n = pair_count;
    return pairs;
}

/* ---- sorted ends (exercises 2 and 3) --------------------------------------------------------------------------------- */

static int comes_before(end a, end b) {
    return a.value != b.value ? a.value < b.value : a.is_max < b.is_max;
}

static float value_of(end e, int axis) {
    return (e.is_max ? boxes[e.box].max : boxes[e.box].min)[axis];
}

static void start(int a, int b) {
    if (overlap(&boxes[a], &boxes[b])) add_pair(a, b);
}

static void stop(int a, int b) {
    if (overlap(&old_boxes[a], &old_boxes[b])) remove_pair(a, b);
}

/* The ends of old boxes, by the rules. */
static void sort_ends(end *e, int n, int axis) {
    for (int i = 1; i <= n; i++) {
        end walker = e[i];
        int j = i;
        walker.value = value_of(walker, axis);
        for (; comes_before(walker, e[j - 1]); j--) {
            const end other = e[j - 1];
            e[j] = other;
            if (!walker.is_max && other.is_max) start(walker.box, other.box);
            if (walker.is_max && !other.is_max) stop(walker.box, other.box);
        }
        e[j] = walker;
    }
}

static int by_order(const void *a, const void *b) {
    return comes_before(*(const end *)b, *(const end *)a) - comes_before(*(const end *)a, *(const end *)b);
}

/* The ends of new boxes, in one batch. */
static void merge(end *e, int n, int axis, int first, int after) {
    static end incoming[2 * MOST];
    int m = 0, from = n, to;
    for (int i = first; i < after; i++)
        for (int is_max = 0; is_max < 2; is_max++) {
            incoming[m].box = i;
            incoming[m].is_max = is_max;
            incoming[m].value = value_of(incoming[m], axis);
            m++;
        }
    qsort(incoming, (size_t)m, sizeof *incoming, by_order);
    for (to = n + m; m > 0; to--) {
        if (comes_before(incoming[m - 1], e[from]))
            e[to] = e[from--];
        else
            e[to] = incoming[--m];
    }
}

/* ---- pruning of new boxes (exercise 4) --------------------------------------------------------------------------------- */

/* The mins on x are sorted by the merge. A new box asks all that begin in it, an old one the new ones among them. */
static void prune(int first_new) {
    static int order[MOST], fresh[MOST];
    int n = 0, m = 0, next = 0;
    for (int i = 1; i <= 2 * box_count; i++) {
        if (ends[0][i].is_max) continue;
        order[n++] = ends[0][i].box;
        if (ends[0][i].box >= first_new) fresh[m++] = ends[0][i].box;
    }
    for (int i = 0; i < n; i++) {
        const box *asking = &boxes[order[i]];
        const int is_new = order[i] >= first_new;
        next += is_new; /* fresh[next] is the first new box behind this one */
        const int *list = is_new ? &order[i + 1] : &fresh[next];
        const int left = is_new ? n - i - 1 : m - next;
        for (int k = 0; k < left && boxes[list[k]].min[0] <= asking->max[0]; k++)
            if (overlap(asking, &boxes[list[k]])) add_pair(order[i], list[k]);
    }
}

/* ---- the world ------------------------------------------------------------------------------------------------------------ */

void restart(void) {
    box_count = pair_count = 0;
    for (int i = 0; i < BUCKETS; i++) bucket[i] = NONE;
    for (int k = 0; k < AXES; k++) {
        ends[k][0].value = -INFINITY;
        ends[k][0].box = NONE;
        ends[k][0].is_max = 0;
    }
}

void update(const box *now, int n) {
    const int old = box_count;
    memcpy(old_boxes, boxes, (size_t)old * sizeof *boxes);
    memcpy(boxes, now, (size_t)n * sizeof *boxes);
    for (int k = 0; k < AXES; k++) {
        sort_ends(ends[k], 2 * old, k);
        merge(ends[k], 2 * old, k, old, n);
    }
    box_count = n;
    if (n > old) prune(old);
}
