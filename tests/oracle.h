/* oracle.h - model.h for worlds of thousands of boxes: the same answers, found sooner.

   An update either compares the boxes that have changed with all others, or sweeps all boxes along one axis.
   oracle_verify compares every box with every other, as model.h does. */

#ifndef ORACLE_H
#define ORACLE_H

#include "model.h"

typedef struct oracle_row { /* a live box, ready to be compared */
    int32_t lo[3], hi[3];
    sap_id id;
    uint32_t category, mask;
    int is_static;
    int changed; /* since the last update */
} oracle_row;

typedef struct oracle {
    model m;
    model_box *settled; /* the slots as the last update saw them */
    int settled_count, settled_capacity;
    char *asked; /* by slot: a call since the last update asks the filter about its pairs again */
    int asked_capacity;
    int ask_all; /* so does sap_set_pair_filter, about all */
    int partial; /* pairs may be missing that another filter has refused: they stay away until their boxes part */
    oracle_row *rows;
    int row_count, row_capacity;
    char *changed; /* by slot */
    int changed_capacity;
    uint64_t *keys, *spare; /* id0 and id1 of pairs that were found */
    int key_count, key_capacity, spare_capacity;
} oracle;

static inline void oracle_init(oracle *o, const sap_config *config) {
    memset(o, 0, sizeof *o);
    model_init(&o->m, config);
}

static inline void oracle_free(oracle *o) {
    model_free(&o->m);
    free(o->settled);
    free(o->asked);
    free(o->rows);
    free(o->changed);
    free(o->keys);
    free(o->spare);
    memset(o, 0, sizeof *o);
}

static inline void *oracle_double(const void *items, int count, int *capacity, size_t size) {
    void *copy = NULL;
    *capacity = 0;
    if (count == 0) return NULL;
    copy = model_grow(NULL, capacity, count, size);
    memcpy(copy, items, (size_t)count * size);
    return copy;
}

/* A copy with memory of its own, as a snapshot is: without events. */
static inline oracle oracle_copy(const oracle *o) {
    oracle c = *o;
    const model *m = &o->m;
    c.m.slots = (model_box *)oracle_double(m->slots, m->slot_count, &c.m.slot_capacity, sizeof *m->slots);
    c.m.unused.items = (sap_id *)oracle_double(m->unused.items, m->unused.count, &c.m.unused.capacity, sizeof(sap_id));
    c.m.gone.items = (sap_id *)oracle_double(m->gone.items, m->gone.count, &c.m.gone.capacity, sizeof(sap_id));
    c.m.pairs.items = (sap_pair *)oracle_double(m->pairs.items, m->pairs.count, &c.m.pairs.capacity, sizeof(sap_pair));
    memset(&c.m.order, 0, sizeof c.m.order);
    memset(&c.m.created, 0, sizeof c.m.created);
    memset(&c.m.deleted, 0, sizeof c.m.deleted);
    c.settled = (model_box *)oracle_double(o->settled, o->settled_count, &c.settled_capacity, sizeof *o->settled);
    c.asked = (char *)oracle_double(o->asked, o->asked_capacity, &c.asked_capacity, 1);
    if (c.asked) memset(c.asked + o->asked_capacity, 0, (size_t)(c.asked_capacity - o->asked_capacity));
    c.rows = NULL;
    c.changed = NULL;
    c.keys = c.spare = NULL;
    c.row_count = c.row_capacity = c.changed_capacity = c.key_count = c.key_capacity = c.spare_capacity = 0;
    return c;
}

/* The filter is asked again about pairs of this slot. */
static inline void oracle_ask(oracle *o, int slot) {
    const int before = o->asked_capacity;
    o->asked = (char *)model_grow(o->asked, &o->asked_capacity, slot + 1, 1);
    if (o->asked_capacity > before) memset(o->asked + before, 0, (size_t)(o->asked_capacity - before));
    o->asked[slot] = 1;
}

static inline int oracle_is_asked(const oracle *o, int slot) {
    return o->ask_all || (slot < o->asked_capacity && o->asked[slot]);
}

static inline int oracle_has_changed(const oracle *o, int slot) {
    const model_box *now = &o->m.slots[slot], *was = slot < o->settled_count ? &o->settled[slot] : NULL;
    if (!was) return 1;
    if (now->id != was->id || now->live != was->live) return 1;
    if (!now->live) return 0;
    return now->is_static != was->is_static || now->category != was->category || now->mask != was->mask ||
           oracle_is_asked(o, slot) || memcmp(&now->box, &was->box, sizeof now->box) != 0;
}

/* The rows of all live boxes; how many have changed, those that have gone included. */
static inline int oracle_fill_rows(oracle *o) {
    const model *m = &o->m;
    int slot, axis, count = 0;
    o->rows = (oracle_row *)model_grow(o->rows, &o->row_capacity, m->slot_count, sizeof *o->rows);
    o->changed = (char *)model_grow(o->changed, &o->changed_capacity, m->slot_count, 1);
    o->row_count = 0;
    for (slot = 1; slot < m->slot_count; slot++) {
        const model_box *b = &m->slots[slot];
        oracle_row *row = &o->rows[o->row_count];
        count += o->changed[slot] = (char)oracle_has_changed(o, slot);
        if (!b->live) continue;
        for (axis = 0; axis < 3; axis++) {
            row->lo[axis] = test_key(b->box.min[axis]);
            row->hi[axis] = test_key(b->box.max[axis]);
        }
        row->id = b->id;
        row->category = b->category;
        row->mask = b->mask;
        row->is_static = b->is_static;
        row->changed = o->changed[slot];
        o->row_count++;
    }
    return count;
}

/* Two boxes that overlapped at the last update without being a pair, and of which nobody asks the filter again. */
static inline int oracle_stays_refused(const oracle *o, sap_id a, sap_id b) {
    const int i = (int)SAP_SLOT(a), j = (int)SAP_SLOT(b);
    if (!o->partial || i >= o->settled_count || j >= o->settled_count) return 0;
    if (!o->settled[i].live || !o->settled[j].live || o->settled[i].id != a || o->settled[j].id != b) return 0;
    if (oracle_is_asked(o, i) || oracle_is_asked(o, j)) return 0;
    return model_overlap(o->m.axes, &o->settled[i].box, &o->settled[j].box) && !model_find_pair(&o->m, a, b);
}

static inline int oracle_is_pair(const oracle *o, const oracle_row *a, const oracle_row *b, sap_pair *pair) {
    const oracle_row *first = a->id < b->id ? a : b, *second = a->id < b->id ? b : a;
    if (!(a->category & b->mask) || !(b->category & a->mask) || (a->is_static && b->is_static)) return 0;
    if (a->lo[0] > b->hi[0] || b->lo[0] > a->hi[0] || a->lo[1] > b->hi[1] || b->lo[1] > a->hi[1] ||
        a->lo[2] > b->hi[2] || b->lo[2] > a->hi[2])
        return 0;
    memset(pair, 0, sizeof *pair);
    pair->id0 = first->id;
    pair->id1 = second->id;
    pair->object0 = o->m.slots[SAP_SLOT(pair->id0)].object;
    pair->object1 = o->m.slots[SAP_SLOT(pair->id1)].object;
    return !oracle_stays_refused(o, pair->id0, pair->id1) && (!o->m.filter || o->m.filter(pair, o->m.filter_user));
}

static inline void oracle_compare(oracle *o, const oracle_row *a, const oracle_row *b) {
    sap_pair pair;
    if (!oracle_is_pair(o, a, b, &pair)) return;
    o->keys = (uint64_t *)model_grow(o->keys, &o->key_capacity, o->key_count + 1, sizeof *o->keys);
    o->keys[o->key_count++] = (uint64_t)pair.id0 << 32 | pair.id1;
}

/* The axis on which a sample of boxes overlaps the fewest. */
static inline int oracle_best_axis(const oracle *o) {
    int axis, i, j, best = 0;
    long fewest = -1;
    for (axis = 0; axis < 3; axis++) {
        long overlaps = 0;
        for (i = 0; i < o->row_count; i += 1 + o->row_count / 24)
            for (j = 0; j < o->row_count; j += 1 + o->row_count / 400)
                overlaps += o->rows[i].lo[axis] <= o->rows[j].hi[axis] && o->rows[j].lo[axis] <= o->rows[i].hi[axis];
        if (fewest < 0 || overlaps < fewest) {
            fewest = overlaps;
            best = axis;
        }
    }
    return best;
}

static inline int oracle_by_x(const void *a, const void *b) {
    const oracle_row *x = (const oracle_row *)a, *y = (const oracle_row *)b;
    return x->lo[0] < y->lo[0] ? -1 : x->lo[0] > y->lo[0];
}
static inline int oracle_by_y(const void *a, const void *b) {
    const oracle_row *x = (const oracle_row *)a, *y = (const oracle_row *)b;
    return x->lo[1] < y->lo[1] ? -1 : x->lo[1] > y->lo[1];
}
static inline int oracle_by_z(const void *a, const void *b) {
    const oracle_row *x = (const oracle_row *)a, *y = (const oracle_row *)b;
    return x->lo[2] < y->lo[2] ? -1 : x->lo[2] > y->lo[2];
}

static inline void oracle_sweep(oracle *o) {
    const int axis = oracle_best_axis(o);
    int i, j;
    if (o->row_count == 0) return;
    qsort(o->rows, (size_t)o->row_count, sizeof *o->rows,
          axis == 0   ? oracle_by_x
          : axis == 1 ? oracle_by_y
                      : oracle_by_z);
    for (i = 0; i < o->row_count; i++)
        for (j = i + 1; j < o->row_count && o->rows[j].lo[axis] <= o->rows[i].hi[axis]; j++)
            oracle_compare(o, &o->rows[i], &o->rows[j]);
}

static inline void oracle_look_around(oracle *o) {
    int i, j;
    for (i = 0; i < o->row_count; i++) {
        if (!o->rows[i].changed) continue;
        for (j = 0; j < o->row_count; j++) /* of two that have changed the lower one finds the other */
            if (j > i || !o->rows[j].changed) oracle_compare(o, &o->rows[i], &o->rows[j]);
    }
}

static inline void oracle_sort_keys(oracle *o) {
    int shift, i, n = o->key_count;
    o->spare = (uint64_t *)model_grow(o->spare, &o->spare_capacity, n, sizeof *o->spare);
    for (shift = 0; n > 1 && shift < 64; shift += 8) {
        int from[257] = {0};
        uint64_t *keys = o->keys;
        for (i = 0; i < n; i++) from[(keys[i] >> shift & 255) + 1]++;
        if (from[(keys[0] >> shift & 255) + 1] == n) continue; /* the same in all */
        for (i = 1; i < 256; i++) from[i] += from[i - 1];
        for (i = 0; i < n; i++) o->spare[from[keys[i] >> shift & 255]++] = keys[i];
        o->keys = o->spare;
        o->spare = keys;
        i = o->key_capacity;
        o->key_capacity = o->spare_capacity;
        o->spare_capacity = i;
    }
}

/* Settles. `create` as for model_settle. */
static inline sap_result oracle_update(oracle *o, sap_create_pair *create, void *user) {
    const int changed = oracle_fill_rows(o), few = changed < 16 + o->m.live / 64;
    model_pairs now;
    int i = 0, k = 0;
    sap_result result;
    memset(&now, 0, sizeof now);
    o->key_count = 0;
    if (few)
        oracle_look_around(o);
    else
        oracle_sweep(o);
    oracle_sort_keys(o);
    now.items = (sap_pair *)model_grow(NULL, &now.capacity, o->m.pairs.count + o->key_count, sizeof *now.items);
    while (few && i < o->m.pairs.count) { /* pairs of boxes that have not changed stay */
        const sap_pair *p = &o->m.pairs.items[i];
        const uint64_t key = (uint64_t)p->id0 << 32 | p->id1;
        if (o->changed[SAP_SLOT(p->id0)] || o->changed[SAP_SLOT(p->id1)]) {
            i++;
            continue;
        }
        if (k < o->key_count && o->keys[k] < key) {
            sap_pair *pair = &now.items[now.count++];
            memset(pair, 0, sizeof *pair);
            pair->id0 = (sap_id)(o->keys[k] >> 32);
            pair->id1 = (sap_id)o->keys[k++];
            continue;
        }
        now.items[now.count++] = *p;
        i++;
    }
    for (; k < o->key_count; k++) {
        sap_pair *pair = &now.items[now.count++];
        memset(pair, 0, sizeof *pair);
        pair->id0 = (sap_id)(o->keys[k] >> 32);
        pair->id1 = (sap_id)o->keys[k];
    }
    for (i = 0; i < now.count; i++) {
        now.items[i].object0 = o->m.slots[SAP_SLOT(now.items[i].id0)].object;
        now.items[i].object1 = o->m.slots[SAP_SLOT(now.items[i].id1)].object;
        now.items[i].user_data = NULL;
    }
    result = model_settle(&o->m, now, create, user);
    if (result != SAP_OK) return result;
    o->settled = (model_box *)model_grow(o->settled, &o->settled_capacity, o->m.slot_count, sizeof *o->settled);
    memcpy(o->settled, o->m.slots, (size_t)o->m.slot_count * sizeof *o->settled);
    o->settled_count = o->m.slot_count;
    if (o->asked) memset(o->asked, 0, (size_t)o->asked_capacity);
    o->ask_all = 0;
    return SAP_OK;
}

/* Whether the pairs of the last update are what a comparison of all boxes with all finds. Nothing may have been
   recorded since. Pairs that stay refused cannot be told from here: then no pair is there that must not be. */
static inline int oracle_verify(oracle *o) {
    int i, j, count = 0, missing = 0;
    const int partial = o->partial;
    o->partial = 0;
    (void)oracle_fill_rows(o);
    for (i = 0; i < o->row_count; i++)
        for (j = i + 1; j < o->row_count; j++) {
            sap_pair pair;
            if (!oracle_is_pair(o, &o->rows[i], &o->rows[j], &pair)) continue;
            if (model_find_pair(&o->m, pair.id0, pair.id1))
                count++;
            else
                missing++;
        }
    o->partial = partial;
    return count == o->m.pairs.count && (partial || missing == 0);
}

#endif
