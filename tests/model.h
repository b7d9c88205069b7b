/* model.h - what a world must do, written the slow and obvious way.

   Boxes lie in an array by slot; an update compares every box with every other and reports the
   difference to the pairs before. There is nothing here to get wrong that the library could get wrong in
   the same manner: no sorting by coordinates, no floats compared, no incremental state. */

#ifndef MODEL_H
#define MODEL_H

#include "sap.h"
#include "test.h"

typedef struct model_box {
    sap_id id; /* with its generation; the last one if the slot is free */
    int live, is_static;
    int is_new;   /* no update has seen it, though it may be removed since */
    sap_aabb box; /* as recorded; 0 on unused axes */
    uint32_t category, mask;
    void *object;
    uint32_t version; /* for user filters: what sap_refilter makes new */
} model_box;

typedef struct model_pairs {
    sap_pair *items;
    int count, capacity;
} model_pairs;
typedef struct model_ids {
    sap_id *items;
    int count, capacity;
} model_ids;

/* A call that changes nothing may be recorded, or not. */
typedef enum model_recorded { MODEL_NOTHING, MODEL_MAYBE, MODEL_SURELY } model_recorded;

enum { MODEL_RESTING = 256 }; /* slots that are free are used again only while there are more */

typedef struct model {
    int axes, max_boxes, max_pairs;
    float margin;
    sap_filter *filter;
    void *filter_user;
    model_box *slots; /* slots[0] is never used */
    int slot_count, slot_capacity;
    int live, statics;
    model_recorded recorded;             /* since the last update */
    model_ids unused;                    /* free slots, the one longest free first */
    model_ids gone;                      /* removed since the last update, which had seen them, as they were called */
    model_ids order;                     /* of an update: live ids, ascending */
    model_pairs pairs, created, deleted; /* each ascending by (id0, id1) */
} model;

/* ---- memory ---------------------------------------------------------------------------------- */

static inline void *model_grow(void *items, int *capacity, int needed, size_t size) {
    int bigger = *capacity ? *capacity : 64;
    if (needed <= *capacity) return items;
    while (bigger < needed) bigger *= 2;
    items = realloc(items, (size_t)bigger * size);
    if (!items) {
        printf("the test itself is out of memory\n");
        exit(2);
    }
    *capacity = bigger;
    return items;
}

static inline void model_push_id(model_ids *ids, sap_id id) {
    ids->items = (sap_id *)model_grow(ids->items, &ids->capacity, ids->count + 1, sizeof *ids->items);
    ids->items[ids->count++] = id;
}

static inline void model_push_pair(model_pairs *pairs, const sap_pair *pair) {
    pairs->items = (sap_pair *)model_grow(pairs->items, &pairs->capacity, pairs->count + 1, sizeof *pairs->items);
    pairs->items[pairs->count++] = *pair;
}

static inline void model_init(model *m, const sap_config *config) {
    memset(m, 0, sizeof *m);
    m->axes = config && config->axes ? config->axes : 7;
    if (config) {
        m->max_boxes = config->max_boxes;
        m->max_pairs = config->max_pairs;
        m->margin = config->margin;
        m->filter = config->filter;
        m->filter_user = config->filter_user;
    }
    m->slots = (model_box *)model_grow(NULL, &m->slot_capacity, 1, sizeof *m->slots);
    memset(&m->slots[0], 0, sizeof m->slots[0]);
    m->slot_count = 1;
}

static inline void model_free(model *m) {
    free(m->slots);
    free(m->unused.items);
    free(m->gone.items);
    free(m->order.items);
    free(m->pairs.items);
    free(m->created.items);
    free(m->deleted.items);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static inline int model_box_is_good(const model *m, const sap_aabb *box) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (!(m->axes >> axis & 1)) continue;
        if (test_is_nan(box->min[axis]) || test_is_nan(box->max[axis])) return 0;
        if (test_key(box->min[axis]) > test_key(box->max[axis])) return 0;
    }
    return 1;
}

static inline int model_overlap(int axes, const sap_aabb *a, const sap_aabb *b) {
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (!(axes >> axis & 1)) continue;
        if (test_key(a->min[axis]) > test_key(b->max[axis])) return 0;
        if (test_key(b->min[axis]) > test_key(a->max[axis])) return 0;
    }
    return 1;
}

/* Equal as numbers: -0 may come back as +0. */
static inline int model_same_box(const sap_aabb *a, const sap_aabb *b) {
    int axis, same = 1;
    for (axis = 0; axis < 3; axis++) {
        same &= !test_is_nan(b->min[axis]) && test_key(a->min[axis]) == test_key(b->min[axis]);
        same &= !test_is_nan(b->max[axis]) && test_key(a->max[axis]) == test_key(b->max[axis]);
    }
    return same;
}

static inline sap_aabb model_used(const model *m, const sap_aabb *box) {
    sap_aabb used = *box;
    int axis;
    for (axis = 0; axis < 3; axis++)
        if (!(m->axes >> axis & 1)) used.min[axis] = used.max[axis] = 0;
    return used;
}

/* Adds a finite float, some times (-1 subtracts it), to a whole number of 2^-149, in digits of 16 bits from the lowest on. */
static inline void model_add_float(int64_t *digit, float f, int64_t times) {
    const int32_t key = test_key(f), size = key < 0 ? -key : key, exponent = size >> 23;
    const int64_t digits = exponent ? (size & 0x7fffff) | 0x800000 : size;
    const int shift = exponent ? exponent - 1 : 0;
    int i;
    for (i = 0; i < 3; i++)
        digit[shift / 16 + i] += (key < 0 ? -times : times) * ((digits << shift % 16) >> (16 * i) & 0xffff);
}

static inline int model_is_positive(const int64_t *digit, int n) {
    int64_t carry = 0, rest = 0;
    int i;
    for (i = 0; i < n; i++) {
        const int64_t here = digit[i] + carry, low = (here % 65536 + 65536) % 65536;
        carry = (here - low) / 65536;
        rest |= low;
    }
    return carry > 0 || (carry == 0 && rest);
}

static inline float model_float(int32_t key) {
    return test_float(key < 0 ? 0x80000000u | (uint32_t)-key : (uint32_t)key);
}

/* The largest float that is not above bound - margin, at least -FLT_MAX: found by halving, compared with no rounding. */
static inline float model_lower(float bound, float margin) {
    int32_t low = -0x7f7fffff, high = test_key(bound);
    if (!test_is_finite(bound)) return bound;
    while (low < high) {
        const int32_t middle = (int32_t)(((int64_t)low + high + 1) >> 1);
        int64_t over[20] = {0};
        model_add_float(over, model_float(middle), 1);
        model_add_float(over, margin, 1);
        model_add_float(over, bound, -1);
        if (model_is_positive(over, 20))
            high = middle - 1;
        else
            low = middle;
    }
    return model_float(low);
}

static inline int model_contains(const sap_aabb *a, const sap_aabb *b) {
    int axis, yes = 1;
    for (axis = 0; axis < 3; axis++)
        yes &= test_key(a->min[axis]) <= test_key(b->min[axis]) && test_key(b->max[axis]) <= test_key(a->max[axis]);
    return yes;
}

/* What is stored of a box. */
static inline sap_aabb model_enlarged(const model *m, const sap_aabb *box, int is_static) {
    sap_aabb stored = model_used(m, box);
    int axis;
    for (axis = 0; axis < 3; axis++) {
        if (!(m->axes >> axis & 1) || is_static || test_key(m->margin) == 0) continue;
        stored.min[axis] = model_lower(stored.min[axis], m->margin);
        stored.max[axis] = -model_lower(-stored.max[axis], m->margin);
    }
    return stored;
}

/* Whether a side of a box, as its lower one, is at most five margins inside the stored side, compared with no rounding. */
static inline int model_is_near(float side, float stored, float margin) {
    int64_t over[20] = {0};
    if (!test_is_finite(side) || !test_is_finite(stored)) return test_key(side) == test_key(stored);
    model_add_float(over, side, 1);
    model_add_float(over, stored, -1);
    model_add_float(over, margin, -5);
    return !model_is_positive(over, 20);
}

/* Whether what is stored of a box may stay: it contains the box, and none of its sides is far outside. */
static inline int model_may_stay(const model *m, const sap_aabb *stored, const sap_aabb *box) {
    const sap_aabb now = model_used(m, box);
    int axis, yes = model_contains(stored, &now);
    for (axis = 0; axis < 3; axis++)
        yes &= model_is_near(now.min[axis], stored->min[axis], m->margin) &&
               model_is_near(-now.max[axis], -stored->max[axis], m->margin);
    return yes;
}

static inline void model_record(model *m, model_recorded how) {
    if (how > m->recorded) m->recorded = how;
}

/* The live box of an id, else NULL. */
static inline model_box *model_find(const model *m, sap_id id) {
    int slot = (int)(id & 0xffffff);
    if (slot == 0 || slot >= m->slot_count) return NULL;
    return m->slots[slot].live && m->slots[slot].id == id ? &m->slots[slot] : NULL;
}

/* Live, or removed since the last update: what the settled pairs still know. One that no update has seen is forgotten
   when its slot is used again. */
static inline int model_is_settled_id(const model *m, sap_id id) {
    int i, slot = (int)(id & 0xffffff);
    if (model_find(m, id)) return 1;
    if (slot && slot < m->slot_count && m->slots[slot].is_new && m->slots[slot].id == id) return 1;
    for (i = 0; i < m->gone.count; i++)
        if (m->gone.items[i] == id) return 1;
    return 0;
}

static inline sap_result model_add(model *m, const sap_aabb *box, void *object, int is_static, sap_id *id) {
    model_box *slot;
    if (!model_box_is_good(m, box)) return SAP_ERROR_BOX;
    if (m->max_boxes && m->live >= m->max_boxes) return SAP_ERROR_LIMIT;
    if (m->unused.items && m->unused.count > MODEL_RESTING) {
        sap_id last = m->unused.items[0];
        memmove(m->unused.items, m->unused.items + 1, (size_t)--m->unused.count * sizeof(sap_id));
        slot = &m->slots[last & 0xffffff];
        slot->id = (last & 0xffffff) | ((last >> 24) + 1) << 24; /* after generation 255 comes 0 */
    } else {
        m->slots = (model_box *)model_grow(m->slots, &m->slot_capacity, m->slot_count + 1, sizeof *m->slots);
        slot = &m->slots[m->slot_count];
        slot->id = (sap_id)m->slot_count++;
        slot->version = 0;
    }
    model_record(m, MODEL_SURELY);
    slot->live = slot->is_new = 1;
    slot->is_static = is_static;
    slot->box = model_enlarged(m, box, is_static);
    slot->category = 1;
    slot->mask = 0xffffffffu;
    slot->object = object;
    m->live++;
    m->statics += is_static;
    *id = slot->id;
    return SAP_OK;
}

static inline sap_result model_add_many(model *m, int n, const sap_aabb *boxes, void *const *objects, int is_static,
                                        sap_id *ids) {
    int i;
    for (i = 0; i < n; i++)
        if (!model_box_is_good(m, &boxes[i])) return SAP_ERROR_BOX;
    if (m->max_boxes && n > m->max_boxes - m->live) return SAP_ERROR_LIMIT;
    for (i = 0; i < n; i++) model_add(m, &boxes[i], objects ? objects[i] : NULL, is_static, &ids[i]);
    return SAP_OK;
}

static inline sap_result model_move_many(model *m, int n, const sap_id *ids, const sap_aabb *boxes) {
    int i;
    for (i = 0; i < n; i++) {
        if (!model_find(m, ids[i])) return SAP_ERROR_ID;
        if (!model_box_is_good(m, &boxes[i])) return SAP_ERROR_BOX;
    }
    for (i = 0; i < n; i++) {
        model_box *b = model_find(m, ids[i]);
        const sap_aabb stored = model_enlarged(m, &boxes[i], b->is_static);
        if (test_key(m->margin) && !b->is_static && model_may_stay(m, &b->box, &boxes[i])) continue; /* free */
        model_record(m, model_same_box(&b->box, &stored) ? MODEL_MAYBE : MODEL_SURELY);
        b->box = stored;
    }
    return SAP_OK;
}

static inline sap_result model_remove_many(model *m, int n, const sap_id *ids) {
    int i, j;
    for (i = 0; i < n; i++) {
        if (!model_find(m, ids[i])) return SAP_ERROR_ID;
        for (j = 0; j < i; j++)
            if (ids[i] == ids[j]) return SAP_ERROR_ID;
    }
    for (i = 0; i < n; i++) {
        model_box *b = model_find(m, ids[i]);
        model_record(m, MODEL_SURELY);
        b->live = 0;
        m->live--;
        m->statics -= b->is_static;
        model_push_id(b->is_new ? &m->unused : &m->gone, ids[i]);
    }
    return SAP_OK;
}

/* The lowest slot comes free first. */
static inline void model_clear(model *m) {
    int slot;
    for (slot = 1; slot < m->slot_count; slot++)
        if (m->slots[slot].live) model_remove_many(m, 1, &m->slots[slot].id);
}

static inline sap_result model_set_static(model *m, sap_id id, int is_static) {
    model_box *b = model_find(m, id);
    if (!b) return SAP_ERROR_ID;
    model_record(m, MODEL_MAYBE);
    m->statics += (is_static != 0) - b->is_static;
    b->is_static = is_static != 0;
    return SAP_OK;
}

/* Active pairs hand out the new object at once; events are what they were. */
static inline sap_result model_set_object(model *m, sap_id id, void *object) {
    model_box *b = model_find(m, id);
    int i;
    if (!b) return SAP_ERROR_ID;
    b->object = object;
    for (i = 0; i < m->pairs.count; i++) {
        if (m->pairs.items[i].id0 == id) m->pairs.items[i].object0 = object;
        if (m->pairs.items[i].id1 == id) m->pairs.items[i].object1 = object;
    }
    return SAP_OK;
}

static inline sap_result model_set_filter(model *m, sap_id id, uint32_t category, uint32_t mask) {
    model_box *b = model_find(m, id);
    if (!b) return SAP_ERROR_ID;
    model_record(m, MODEL_MAYBE);
    b->category = category;
    b->mask = mask;
    return SAP_OK;
}

static inline sap_result model_set_filter_many(model *m, int n, const sap_id *ids, uint32_t category, uint32_t mask) {
    int i;
    for (i = 0; i < n; i++)
        if (!model_find(m, ids[i])) return SAP_ERROR_ID;
    for (i = 0; i < n; i++) model_set_filter(m, ids[i], category, mask);
    return SAP_OK;
}

static inline sap_result model_shift_origin(model *m, const float offset[3]) {
    int slot, axis, side, pass;
    for (axis = 0; axis < 3; axis++)
        if ((m->axes >> axis & 1) && !test_is_finite(offset[axis])) return SAP_ERROR_ARGUMENT;
    for (pass = 0; pass < 2; pass++) /* first only look whether a bound becomes infinite */
        for (slot = 1; slot < m->slot_count; slot++)
            for (axis = 0; axis < 3; axis++)
                for (side = 0; side < 2; side++) {
                    model_box *b = &m->slots[slot];
                    float *bound = side ? &b->box.max[axis] : &b->box.min[axis];
                    volatile float moved; /* rounded to float also where registers are wider */
                    if (!b->live || !(m->axes >> axis & 1) || !test_is_finite(*bound)) continue;
                    moved = *bound - offset[axis];
                    if (!test_is_finite(moved)) return SAP_ERROR_ARGUMENT;
                    if (pass == 1) *bound = moved;
                }
    model_record(m, MODEL_MAYBE);
    return SAP_OK;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static inline int model_masks_allow(const model_box *a, const model_box *b) {
    return (a->category & b->mask) && (b->category & a->mask) && !(a->is_static && b->is_static);
}

static inline int model_compare_ids(const void *a, const void *b) {
    sap_id x = *(const sap_id *)a, y = *(const sap_id *)b;
    return x < y ? -1 : x > y;
}

static inline int model_compare_pairs(const void *a, const void *b) {
    const sap_pair *x = (const sap_pair *)a, *y = (const sap_pair *)b;
    if (x->id0 != y->id0) return x->id0 < y->id0 ? -1 : 1;
    return x->id1 < y->id1 ? -1 : x->id1 > y->id1;
}

static inline sap_pair *model_find_pair(const model *m, sap_id a, sap_id b) {
    sap_pair key;
    if (m->pairs.count == 0) return NULL;
    key.id0 = a < b ? a : b;
    key.id1 = a < b ? b : a;
    return (sap_pair *)bsearch(&key, m->pairs.items, (size_t)m->pairs.count, sizeof key, model_compare_pairs);
}

/* Makes `now`, ascending, the pairs: what begins and ends is the difference to those before. `create` (or NULL) gives the
   user data of the pairs that are new. `now` belongs to the model afterwards; on an error it is freed. */
static inline sap_result model_settle(model *m, model_pairs now, sap_create_pair *create, void *user) {
    int i, j;
    if (m->max_pairs && now.count > m->max_pairs) {
        free(now.items);
        return SAP_ERROR_LIMIT;
    }
    m->created.count = m->deleted.count = 0;
    for (i = j = 0; i < m->pairs.count || j < now.count;) {
        int order = i == m->pairs.count ? 1
                    : j == now.count    ? -1
                                        : model_compare_pairs(&m->pairs.items[i], &now.items[j]);
        if (order < 0)
            model_push_pair(&m->deleted, &m->pairs.items[i++]);
        else if (order == 0)
            now.items[j++].user_data = m->pairs.items[i++].user_data;
        else {
            if (create) now.items[j].user_data = create(&now.items[j], user);
            model_push_pair(&m->created, &now.items[j++]);
        }
    }
    free(m->pairs.items);
    m->pairs = now;
    for (i = 1; i < m->slot_count; i++) m->slots[i].is_new = 0;
    for (i = 0; i < m->gone.count; i++) model_push_id(&m->unused, m->gone.items[i]);
    m->gone.count = 0;
    m->recorded = MODEL_NOTHING;
    return SAP_OK;
}

/* Settles, all boxes against all. `create` as for model_settle. */
static inline sap_result model_update(model *m, sap_create_pair *create, void *user) {
    model_pairs now;
    int i, j, slot;
    memset(&now, 0, sizeof now);
    m->order.count = 0;
    for (slot = 1; slot < m->slot_count; slot++)
        if (m->slots[slot].live) model_push_id(&m->order, m->slots[slot].id);
    if (m->order.count) qsort(m->order.items, (size_t)m->order.count, sizeof(sap_id), model_compare_ids);
    for (i = 0; i < m->order.count; i++) {
        const model_box *a = &m->slots[m->order.items[i] & 0xffffff];
        for (j = i + 1; j < m->order.count; j++) {
            const model_box *b = &m->slots[m->order.items[j] & 0xffffff];
            sap_pair pair;
            if (!model_overlap(m->axes, &a->box, &b->box) || !model_masks_allow(a, b)) continue;
            memset(&pair, 0, sizeof pair);
            pair.id0 = a->id;
            pair.id1 = b->id;
            pair.object0 = a->object;
            pair.object1 = b->object;
            if (m->filter && !m->filter(&pair, m->filter_user)) continue;
            model_push_pair(&now, &pair);
        }
    }
    return model_settle(m, now, create, user);
}

/* The ids that `id` is paired with, ascending; `ids` has room for all. */
static inline int model_pairs_of(const model *m, sap_id id, sap_id *ids) {
    int i, n = 0;
    for (i = 0; i < m->pairs.count; i++) {
        if (m->pairs.items[i].id0 == id) ids[n++] = m->pairs.items[i].id1;
        if (m->pairs.items[i].id1 == id) ids[n++] = m->pairs.items[i].id0;
    }
    if (n) qsort(ids, (size_t)n, sizeof *ids, model_compare_ids);
    return n;
}

#endif
