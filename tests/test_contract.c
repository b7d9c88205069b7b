/* test_contract.c - every promise about life, boxes, pairs, looking, filters, errors, limits and
   callbacks, one function for each. (Box pruning: test_prune.c. Memory: test_alloc.c.) */

#include <limits.h>

#include "ways.h"

#include "model.h"
#include "scenes.h"

/* Every test runs once for each method. */
static int method;

static sap_world *make_world(const sap_config *config) {
    sap_config c;
    sap_world *s;
    memset(&c, 0, sizeof c);
    if (config) c = *config;
    c.method = method;
    s = sap_create(&c);
    if (!CHECK(s != NULL)) exit(1);
    return s;
}

/* low .. high on every axis */
static sap_aabb cube(float low, float high) {
    sap_aabb box;
    int axis;
    for (axis = 0; axis < 3; axis++) {
        box.min[axis] = low;
        box.max[axis] = high;
    }
    return box;
}

/* low .. high along x, 0 .. 1 on the other axes */
static sap_aabb along_x(float low, float high) {
    sap_aabb box = cube(0, 1);
    box.min[0] = low;
    box.max[0] = high;
    return box;
}

static sap_id add(sap_world *s, sap_aabb box) {
    return sap_add(s, &box, NULL);
}
static sap_result move(sap_world *s, sap_id id, sap_aabb box) {
    return sap_move(s, id, &box);
}

static int pair_count(const sap_world *s) {
    int count = -1;
    sap_pairs(s, &count);
    return count;
}

static int created_count(const sap_world *s) {
    int count = -1;
    sap_created(s, &count);
    return count;
}

static int deleted_count(const sap_world *s) {
    int count = -1;
    sap_deleted(s, &count);
    return count;
}

/* A tag that can be told from others and is never followed. */
static void *tag(int n) {
    return (void *)(uintptr_t)(unsigned)(1000 + n);
}

/* One number for all that the calls on a const world show. */
static uint64_t look(const sap_world *s) {
    uint64_t hash = 14695981039346656037u;
    sap_stats stats;
    const sap_pair *pairs;
    sap_id slot, generation;
    int count;
    pairs = sap_pairs(s, &count);
    hash = test_hash(hash, pairs, (size_t)count * sizeof *pairs);
    pairs = sap_created(s, &count);
    hash = test_hash(hash, pairs, (size_t)count * sizeof *pairs);
    pairs = sap_deleted(s, &count);
    hash = test_hash(hash, pairs, (size_t)count * sizeof *pairs);
    for (slot = 0; slot < 64; slot++)
        for (generation = 0; generation < 3; generation++) {
            sap_id id = slot | generation << 24, others[8];
            sap_aabb box;
            int answers[3];
            void *object = sap_get_object(s, id);
            memset(&box, 0, sizeof box);
            memset(others, 0, sizeof others);
            answers[0] = sap_is_valid(s, id);
            answers[1] = (int)sap_get_box(s, id, &box);
            answers[2] = sap_pairs_of(s, id, others, 8);
            hash = test_hash(hash, answers, sizeof answers);
            hash = test_hash(hash, &object, sizeof object);
            hash = test_hash(hash, &box, sizeof box);
            hash = test_hash(hash, others, sizeof others);
        }
    memset(&stats, 0, sizeof stats);
    sap_get_stats(s, &stats);
    stats.bytes = 0; /* a refused call may have made room, and have packed trees */
    stats.upkeep = 0;
    stats.swaps = stats.overlap_tests = 0; /* an update that gives up has worked, too */
    hash = test_hash(hash, &stats, sizeof stats);
    count = sap_count(s);
    hash = test_hash(hash, &count, sizeof count);
    CHECK(sap_validate(s) == NULL);
    return hash;
}

/* The call answers with this code, sap_last_error has it, and nothing has changed. */
#define REFUSED(s, call, code)                                                                                         \
    do {                                                                                                               \
        uint64_t before_ = look(s);                                                                                    \
        CHECK_EQUAL(call, code);                                                                                       \
        CHECK_EQUAL(sap_last_error(s), code);                                                                          \
        CHECK(look(s) == before_);                                                                                     \
    } while (0)

#define REFUSED_ID(s, call, code)                                                                                      \
    do {                                                                                                               \
        uint64_t before_ = look(s);                                                                                    \
        CHECK_EQUAL(call, 0);                                                                                          \
        CHECK_EQUAL(sap_last_error(s), code);                                                                          \
        CHECK(look(s) == before_);                                                                                     \
    } while (0)

/* ---- types and texts ------------------------------------------------------------------------- */

static void types(void) {
    CHECK_EQUAL(sizeof(sap_id), 4);
    CHECK((sap_id)-1 > 0);
    CHECK_EQUAL(sizeof(sap_aabb), 24);
    CHECK_EQUAL(sizeof(sap_pair), 8 + 3 * sizeof(void *));
    CHECK_EQUAL(offsetof(sap_aabb, max), 12);
    CHECK_EQUAL(offsetof(sap_pair, object0), 8);
    CHECK(SAP_OK == 0 && SAP_ERROR_BOX == 1 && SAP_ERROR_ID == 2 && SAP_ERROR_MEMORY == 3);
    CHECK(SAP_ERROR_LIMIT == 4 && SAP_ERROR_ARGUMENT == 5 && SAP_ERROR_BUSY == 6 && SAP_ERROR_SNAPSHOT == 7);
    CHECK(SAP_AXIS_X == 1 && SAP_AXIS_Y == 2 && SAP_AXIS_Z == 4 && SAP_2D == 3);
    CHECK(SAP_METHOD_AUTO == 0 && SAP_METHOD_SORT == 1 && SAP_METHOD_PRUNE == 2 && SAP_METHOD_QUERY == 3);
    CHECK_EQUAL(SAP_SLOT(0xff000001u), 1);
}

static void result_text(void) {
    static const int odd[] = {(int)0x80000000u, -1, 8, 255, 256, 65536, 0x7fffffff};
    int r, q;
    size_t i;
    for (r = -300; r < 300; r++) {
        const char *text = sap_result_text((sap_result)r);
        if (CHECK(text != NULL)) CHECK(strlen(text) > 3);
    }
    for (i = 0; i < sizeof odd / sizeof odd[0]; i++) CHECK(sap_result_text((sap_result)odd[i]) != NULL);
    for (r = SAP_OK; r <= SAP_ERROR_SNAPSHOT; r++) /* each code has a sentence of its own */
        for (q = SAP_OK; q < r; q++) CHECK(strcmp(sap_result_text((sap_result)r), sap_result_text((sap_result)q)) != 0);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void create_and_destroy(void) {
    static const int bad_axes[] = {-1, 8, 15, 256, (int)0x80000000u};
    sap_config config;
    sap_world *s;
    size_t i;
    int axes;
    sap_destroy(NULL);
    s = make_world(NULL);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    CHECK_EQUAL(sap_count(s), 0);
    CHECK_EQUAL(pair_count(s) + created_count(s) + deleted_count(s), 0);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
    memset(&config, 0, sizeof config);
    for (axes = 0; axes <= 7; axes++) {
        config.axes = axes;
        s = make_world(&config);
        CHECK(sap_validate(s) == NULL);
        sap_destroy(s);
    }
    for (i = 0; i < sizeof bad_axes / sizeof bad_axes[0]; i++) {
        config.axes = bad_axes[i];
        CHECK(sap_create(&config) == NULL && sap_check_config(&config) == SAP_ERROR_ARGUMENT);
    }
    memset(&config, 0, sizeof config);
    CHECK(sap_check_config(&config) == SAP_OK && sap_check_config(NULL) == SAP_OK);
    config.max_boxes = -1;
    CHECK(sap_create(&config) == NULL && sap_check_config(&config) == SAP_ERROR_ARGUMENT);
    config.max_boxes = 0;
    config.max_pairs = (int)0x80000000u;
    CHECK(sap_create(&config) == NULL && sap_check_config(&config) == SAP_ERROR_ARGUMENT);
}

static void reserve(void) {
    sap_world *s = make_world(NULL);
    sap_id a, b;
    REFUSED(s, sap_reserve(s, -1, 0), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_reserve(s, 0, -1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_reserve(s, 0, 0), SAP_OK);
    CHECK_EQUAL(sap_reserve(s, 100, 200), SAP_OK);
    a = add(s, cube(0, 1));
    b = add(s, cube(0, 1));
    CHECK_EQUAL(a, 1);
    CHECK_EQUAL(b, 2);
    CHECK_EQUAL(sap_reserve(s, 1000, 1000), SAP_OK); /* also with something recorded */
    CHECK_EQUAL(sap_reserve(s, 1, 1), SAP_OK);       /* less than there is: nothing to do */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 1);
    CHECK_EQUAL(sap_reserve(s, 5000, 5000), SAP_OK);
    CHECK(sap_find_pair(s, a, b) != NULL);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ---- null pointers, counts, last_error ------------------------------------------------------- */

static void null_world(void) {
    sap_aabb box = cube(0, 1);
    float offset[3] = {1, 2, 3};
    sap_id id = 1, ids[2] = {1, 2};
    int count;
    CHECK_EQUAL(sap_reserve(NULL, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_set_parallel(NULL, NULL, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_add(NULL, &box, NULL), 0);
    CHECK_EQUAL(sap_add_static(NULL, &box, NULL), 0);
    CHECK_EQUAL(sap_move(NULL, id, &box), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_remove(NULL, id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_add_many(NULL, 1, &box, NULL, ids), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_add_many(NULL, 0, NULL, NULL, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_add_static_many(NULL, 1, &box, NULL, ids), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_move_many(NULL, 1, ids, &box), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_remove_many(NULL, 1, ids), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(ids[0], 1);
    CHECK_EQUAL(sap_set_filter(NULL, id, 1, 1), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_refilter(NULL, id), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_shift_origin(NULL, offset), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_last_error(NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_update(NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_dump_pairs(NULL, NULL, NULL, NULL), -SAP_ERROR_ARGUMENT);
    count = 9;
    CHECK(sap_created(NULL, &count) == NULL && count == 0);
    count = 9;
    CHECK(sap_deleted(NULL, &count) == NULL && count == 0);
    count = 9;
    CHECK(sap_pairs(NULL, &count) == NULL && count == 0);
    CHECK(sap_pairs(NULL, NULL) == NULL);
    CHECK(sap_find_pair(NULL, 1, 2) == NULL);
    CHECK_EQUAL(sap_set_pair_data(NULL, 1, 2, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_pairs_of(NULL, id, ids, 2), -SAP_ERROR_ARGUMENT);
    count = sap_count(NULL); /* the contract leaves open which of the two */
    CHECK(count == 0 || count == -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_is_valid(NULL, id), 0);
    CHECK_EQUAL(sap_get_box(NULL, id, &box), SAP_ERROR_ARGUMENT);
    CHECK(sap_get_object(NULL, id) == NULL);
    CHECK_EQUAL(sap_snapshot_size(NULL), 0);
    sap_get_stats(NULL, NULL);
    (void)sap_validate(NULL);
}

static void null_arguments(void) {
    sap_world *s = make_world(NULL);
    sap_aabb box = cube(0, 1);
    sap_id id = add(s, box), other = add(s, box), ids[3] = {7, 7, 7};
    sap_update(s);
    REFUSED_ID(s, sap_add(s, NULL, NULL), SAP_ERROR_ARGUMENT);
    REFUSED_ID(s, sap_add_static(s, NULL, NULL), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_move(s, id, NULL), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_many(s, 1, NULL, NULL, ids), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_many(s, 1, &box, NULL, NULL), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_static_many(s, 1, NULL, NULL, ids), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_static_many(s, 1, &box, NULL, NULL), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_move_many(s, 1, &id, NULL), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_move_many(s, 1, NULL, &box), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_remove_many(s, 1, NULL), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_many(s, -1, &box, NULL, ids), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_many(s, (int)0x80000000u, &box, NULL, ids), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_add_static_many(s, -1, &box, NULL, ids), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_move_many(s, -1, &id, &box), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_remove_many(s, -1, &id), SAP_ERROR_ARGUMENT);
    REFUSED(s, sap_shift_origin(s, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(ids[0], 7);
    CHECK_EQUAL(sap_get_box(s, id, NULL), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_pairs_of(s, id, NULL, 1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_pairs_of(s, id, ids, -1), -SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_pairs_of(s, id, NULL, 0), 1);
    CHECK_EQUAL(sap_pairs_of(s, id, ids, 3), 1);
    CHECK_EQUAL(ids[0], other);
    CHECK_EQUAL(ids[1], 7);
    CHECK(sap_created(s, NULL) != NULL && sap_pairs(s, NULL) != NULL); /* count may be NULL */
    sap_deleted(s, NULL);
    sap_get_stats(s, NULL);

    CHECK_EQUAL(sap_add_many(s, 0, NULL, NULL, NULL), SAP_OK);
    CHECK_EQUAL(sap_add_static_many(s, 0, NULL, NULL, NULL), SAP_OK);
    CHECK_EQUAL(sap_move_many(s, 0, NULL, NULL), SAP_OK);
    CHECK_EQUAL(sap_remove_many(s, 0, NULL), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);
    sap_destroy(s);
}

static void last_error(void) {
    sap_world *s = make_world(NULL);
    sap_aabb box = cube(0, 1), got;
    sap_id id = add(s, box), count_only[1];
    int count;
    CHECK_EQUAL(sap_remove(s, 99), SAP_ERROR_ID);
    /* Calls on a const world, good or bad, leave it alone. */
    sap_count(s);
    sap_is_valid(s, id);
    sap_get_box(s, id, &got);
    sap_get_box(s, 12345, &got);
    sap_get_object(s, id);
    sap_pairs(s, &count);
    sap_find_pair(s, id, 77);
    sap_pairs_of(s, id, count_only, 1);
    sap_pairs_of(s, id, NULL, 5);
    sap_validate(s);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_ID);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_ID);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    box.min[0] = 2;
    CHECK_EQUAL(sap_add(s, &box, NULL), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_BOX);
    CHECK(add(s, cube(5, 6)) != 0);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    CHECK_EQUAL(move(s, id, box), SAP_ERROR_BOX);
    CHECK_EQUAL(sap_dump_pairs(s, NULL, NULL, NULL), 0);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    CHECK(sap_set_pair_data(s, id, 2, NULL) != SAP_OK); /* both are live, and no pair */
    CHECK(sap_last_error(s) != SAP_OK);
    CHECK_EQUAL(sap_remove(s, id), SAP_OK);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    sap_destroy(s);
}

/* Which argument was bad, and which element of it. */
static int blames(const sap_world *s, const char *argument, int element) {
    int at = -2;
    const char *name = sap_last_error_argument(s, &at);
    return (name && argument ? !strcmp(name, argument) : name == argument) && at == element;
}

static void *move_nobody(const sap_pair *pair, void *world) {
    CHECK(sap_move((sap_world *)world, 99, &(sap_aabb){{0, 0, 0}, {1, 1, 1}}) != SAP_OK); /* the filter: busy */
    CHECK(sap_refilter((sap_world *)world, 0) != SAP_OK && sap_move((sap_world *)world, 1, NULL) != SAP_OK);
    (void)pair;
    return NULL;
}

static int refuse_nobody(const sap_pair *pair, void *world) {
    return move_nobody(pair, *(sap_world **)world) == NULL;
}

/* The filter is asked inside sap_update: what it was refused is no argument of the update, which may fail by itself. */
static void argument_after_a_filter(void) {
    sap_world *s = NULL;
    sap_config config;
    int i;
    memset(&config, 0, sizeof config);
    config.filter = refuse_nobody;
    config.filter_user = &s;
    config.max_pairs = 2;
    s = make_world(&config);
    for (i = 0; i < 2; i++) add(s, cube(0, 1));
    CHECK(sap_update(s) == SAP_OK && sap_last_error(s) == SAP_OK && blames(s, NULL, -1));
    add(s, cube(0, 1)), add(s, cube(0, 1));
    CHECK(sap_update(s) == SAP_ERROR_LIMIT && sap_last_error(s) == SAP_ERROR_LIMIT && blames(s, NULL, -1));
    sap_destroy(s);
}

static void last_error_argument(void) {
    sap_world *s = make_world(NULL);
    sap_aabb box[4];
    sap_id id[4], twice[3];
    float offset[3] = {0, 0, 0};
    int i;
    CHECK(blames(NULL, NULL, -1) && blames(s, NULL, -1));
    CHECK(sap_last_error_argument(s, NULL) == NULL);
    for (i = 0; i < 4; i++) box[i] = along_x((float)(10 * i), (float)(10 * i + 1));
    CHECK(sap_add_many(s, -1, box, NULL, id) != SAP_OK && blames(s, "n", -1));
    CHECK(sap_add_many(s, 4, NULL, NULL, id) != SAP_OK && blames(s, "box", -1));
    CHECK(sap_add_many(s, 4, box, NULL, NULL) != SAP_OK && blames(s, "id", -1));
    CHECK(sap_add_many(s, 4, box, NULL, id) == SAP_OK && blames(s, NULL, -1));
    CHECK(sap_add(s, NULL, NULL) == 0 && blames(s, "box", -1));
    box[2].max[1] = -100;
    CHECK(sap_add_many(s, 4, box, NULL, twice) != SAP_OK && blames(s, "box", 2));
    for (i = 0; i < 2; i++) { /* with an empty record, and with boxes in it */
        CHECK(sap_move_many(s, 4, id, box) == SAP_ERROR_BOX && blames(s, "box", 2));
        id[3] += 0x01000000u;
        CHECK(sap_move_many(s, 4, id, box) == SAP_ERROR_ID && blames(s, "id", 3));
        CHECK(sap_set_filter_many(s, 4, id, 1, 1) == SAP_ERROR_ID && blames(s, "id", 3));
        CHECK(sap_remove_many(s, 4, id) == SAP_ERROR_ID && blames(s, "id", 3));
        id[3] -= 0x01000000u;
        CHECK(sap_move(s, id[1], &box[2]) == SAP_ERROR_BOX && blames(s, "box", 0));
        CHECK(sap_move(s, 99, &box[0]) == SAP_ERROR_ID && blames(s, "id", 0));
        CHECK(sap_update(s) == SAP_OK && blames(s, NULL, -1));
    }
    twice[0] = id[0], twice[1] = id[1], twice[2] = id[0];
    CHECK(sap_remove_many(s, 3, twice) == SAP_ERROR_ID && blames(s, "id", 2));
    CHECK(sap_set_static(s, 0, 1) == SAP_ERROR_ID && blames(s, "id", 0));
    CHECK(sap_set_pair_data(s, id[0], 0, NULL) == SAP_ERROR_ID && blames(s, "b", -1));
    CHECK(sap_set_pair_data(s, 0, id[0], NULL) == SAP_ERROR_ID && blames(s, "a", -1));
    CHECK(sap_set_pair_data_at(s, 0, NULL) == SAP_ERROR_ARGUMENT && blames(s, "index", -1));
    offset[1] = TEST_INFINITY;
    CHECK(sap_shift_origin(s, offset) == SAP_ERROR_ARGUMENT && blames(s, "offset", 1));
    CHECK(sap_shift_origin(s, NULL) == SAP_ERROR_ARGUMENT && blames(s, "offset", -1));
    CHECK(sap_reserve(s, 1, -1) == SAP_ERROR_ARGUMENT && blames(s, "pairs", -1));
    CHECK(sap_reserve(s, -1, -1) == SAP_ERROR_ARGUMENT && blames(s, "boxes", -1));
    CHECK(sap_restore(s, NULL, 0) == SAP_ERROR_ARGUMENT && blames(s, "buffer", -1));
    CHECK(sap_query_box(s, NULL, 1, NULL, NULL) < 0 && blames(s, "buffer", -1)); /* queries leave no trace */
    CHECK(sap_add_many(s, 1, box, NULL, id) == SAP_OK && sap_add_many(s, 1, box, NULL, id) == SAP_OK);
    CHECK(sap_dump_pairs(s, move_nobody, NULL, s) > 0 && blames(s, NULL, -1)); /* nor what a callback was refused */
    sap_destroy(s);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static void bad_boxes(void) {
    static const uint32_t nans[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu};
    int axes, axis, side;
    size_t i;
    for (axes = 1; axes <= 7; axes++) {
        sap_config config;
        sap_world *s;
        sap_id id, ids[3] = {9, 9, 9}, live[3];
        sap_aabb three[3];
        memset(&config, 0, sizeof config);
        config.axes = axes;
        s = make_world(&config);
        id = add(s, cube(0, 1));
        live[0] = id;
        live[1] = add(s, cube(0, 2));
        live[2] = add(s, cube(5, 6));
        sap_update(s);
        for (axis = 0; axis < 3; axis++)
            for (side = 0; side < 2; side++)
                for (i = 0; i <= sizeof nans / sizeof nans[0]; i++) {
                    sap_aabb bad = cube(0, 1);
                    float *bound = side ? &bad.max[axis] : &bad.min[axis];
                    if (i < sizeof nans / sizeof nans[0])
                        test_set_bits(bound, nans[i]);
                    else
                        *bound = side ? test_float(0x80000001u) : test_float(0x3f800001u); /* one step too far */
                    if (axes >> axis & 1) {
                        REFUSED_ID(s, sap_add(s, &bad, NULL), SAP_ERROR_BOX);
                        REFUSED_ID(s, sap_add_static(s, &bad, NULL), SAP_ERROR_BOX);
                        REFUSED(s, sap_move(s, id, &bad), SAP_ERROR_BOX);
                        three[0] = three[1] = three[2] = cube(3, 4);
                        three[i % 3] = bad;
                        REFUSED(s, sap_add_many(s, 3, three, NULL, ids), SAP_ERROR_BOX);
                        REFUSED(s, sap_add_static_many(s, 3, three, NULL, ids), SAP_ERROR_BOX);
                        REFUSED(s, sap_move_many(s, 3, live, three), SAP_ERROR_BOX);
                        CHECK(ids[0] == 9 && ids[1] == 9 && ids[2] == 9);
                    } else { /* an unused axis is neither read nor kept */
                        sap_aabb got;
                        CHECK_EQUAL(sap_move(s, id, &bad), SAP_OK);
                        CHECK_EQUAL(sap_get_box(s, id, &got), SAP_OK);
                        CHECK(test_bits(got.min[axis]) == 0 && test_bits(got.max[axis]) == 0);
                    }
                }
        CHECK_EQUAL(sap_update(s), SAP_OK);
        CHECK_EQUAL(created_count(s) + deleted_count(s), 0);
        CHECK_EQUAL(pair_count(s), 1);
        sap_destroy(s);
    }
}

/* Whether two boxes are a pair, asked of a world and, in case anybody doubts it, the other way round. */
static int are_pair(int axes, sap_aabb a, sap_aabb b) {
    sap_config config;
    sap_world *s;
    int answer;
    memset(&config, 0, sizeof config);
    config.axes = axes;
    s = make_world(&config);
    add(s, a);
    add(s, b);
    sap_update(s);
    answer = pair_count(s);
    sap_destroy(s);
    s = make_world(&config);
    add(s, cube(0.25f, 0.5f));
    add(s, b);
    sap_update(s);
    move(s, 1, a);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), answer);
    sap_destroy(s);
    return answer;
}

static void overlap(void) {
    float infinity = TEST_INFINITY, minus_infinity = test_float(0xff800000u), largest = TEST_FLOAT_MAX;
    float zero = 0.0f, minus_zero = TEST_MINUS_0, tiny = test_float(1), minus_tiny = test_float(0x80000001u);
    float after_one = test_float(0x3f800001u);
    int axis;
    sap_aabb a, b;

    CHECK_EQUAL(are_pair(0, cube(0, 1), cube(1, 2)), 1);         /* touching corners */
    CHECK_EQUAL(are_pair(0, cube(0, 1), cube(after_one, 2)), 0); /* no margin at all */
    CHECK_EQUAL(are_pair(0, cube(1, 1), cube(1, 1)), 1);         /* two points */
    CHECK_EQUAL(are_pair(0, cube(0, 3), cube(1, 2)), 1);         /* one inside the other */
    CHECK_EQUAL(are_pair(0, cube(-1, minus_zero), cube(zero, 1)), 1);
    CHECK_EQUAL(are_pair(0, cube(-1, zero), cube(minus_zero, 1)), 1);
    CHECK_EQUAL(are_pair(0, cube(minus_zero, minus_zero), cube(zero, zero)), 1);
    CHECK_EQUAL(are_pair(0, cube(zero, minus_zero), cube(zero, zero)), 1); /* -0 is not below +0: a good box */
    CHECK_EQUAL(are_pair(0, cube(-1, minus_tiny), cube(zero, 1)), 0);
    CHECK_EQUAL(are_pair(0, cube(-1, zero), cube(tiny, 1)), 0);
    CHECK_EQUAL(are_pair(0, cube(tiny, tiny), cube(tiny, 1)), 1);
    CHECK_EQUAL(are_pair(0, cube(minus_infinity, infinity), cube(5, 6)), 1);
    CHECK_EQUAL(are_pair(0, cube(minus_infinity, infinity), cube(minus_infinity, infinity)), 1);
    CHECK_EQUAL(are_pair(0, cube(infinity, infinity), cube(infinity, infinity)), 1);
    CHECK_EQUAL(are_pair(0, cube(minus_infinity, minus_infinity), cube(minus_infinity, minus_infinity)), 1);
    CHECK_EQUAL(are_pair(0, cube(minus_infinity, minus_infinity), cube(infinity, infinity)), 0);
    CHECK_EQUAL(are_pair(0, cube(infinity, infinity), cube(0, largest)), 0);
    CHECK_EQUAL(are_pair(0, cube(infinity, infinity), cube(largest, infinity)), 1);
    CHECK_EQUAL(are_pair(0, cube(minus_infinity, minus_infinity), cube(-largest, largest)), 0);
    CHECK_EQUAL(are_pair(0, cube(minus_infinity, 0), cube(0, infinity)), 1);
    CHECK_EQUAL(are_pair(0, cube(largest, largest), cube(-largest, largest)), 1);

    /* Apart on one axis: no pair, unless the world does not use that axis. */
    for (axis = 0; axis < 3; axis++) {
        int axes;
        a = b = cube(0, 1);
        b.min[axis] = 3;
        b.max[axis] = 4;
        for (axes = 0; axes <= 7; axes++) CHECK_EQUAL(are_pair(axes, a, b), axes != 0 && !(axes >> axis & 1));
        b.min[axis] = TEST_NAN;
        for (axes = 1; axes <= 7; axes++)
            if (!(axes >> axis & 1)) CHECK_EQUAL(are_pair(axes, a, b), 1);
    }
}

static void get_box(void) {
    sap_world *s = make_world(NULL);
    sap_aabb got, box;
    sap_id id;
    box = along_x(-3.5f, 7.25f);
    id = sap_add(s, &box, tag(5));
    CHECK_EQUAL(sap_get_box(s, id, &got), SAP_OK);
    CHECK(memcmp(&got, &box, sizeof box) == 0); /* before any update */
    CHECK(sap_get_object(s, id) == tag(5));
    box = cube(TEST_MINUS_0, TEST_INFINITY);
    CHECK_EQUAL(sap_move(s, id, &box), SAP_OK);
    CHECK_EQUAL(sap_get_box(s, id, &got), SAP_OK);
    CHECK_EQUAL(test_bits(got.min[0]), 0); /* +0 for -0 */
    CHECK_EQUAL(test_bits(got.max[2]), 0x7f800000u);
    sap_update(s);
    CHECK_EQUAL(sap_get_box(s, id, &got), SAP_OK);
    CHECK_EQUAL(test_bits(got.max[1]), 0x7f800000u);
    got = cube(8, 9);
    CHECK_EQUAL(sap_get_box(s, 0, &got), SAP_ERROR_ID);
    CHECK_EQUAL(sap_get_box(s, 2, &got), SAP_ERROR_ID);
    CHECK_EQUAL(sap_get_box(s, 0xffffffffu, &got), SAP_ERROR_ID);
    CHECK(got.min[0] == 8 && got.max[2] == 9); /* left alone */
    CHECK(sap_get_object(s, 0) == NULL && sap_get_object(s, id | 0x01000000u) == NULL);
    sap_remove(s, id);
    CHECK_EQUAL(sap_get_box(s, id, &got), SAP_ERROR_ID);
    CHECK(sap_get_object(s, id) == NULL);
    CHECK_EQUAL(sap_is_valid(s, id), 0);
    CHECK_EQUAL(sap_count(s), 0);
    sap_destroy(s);
}

/* ---- ids ------------------------------------------------------------------------------------- */

static void ids_count_up(void) {
    sap_world *s = make_world(NULL);
    sap_aabb boxes[10];
    sap_id ids[10];
    int i;
    for (i = 0; i < 10; i++) boxes[i] = along_x((float)i * 3, (float)i * 3 + 1);
    CHECK_EQUAL(sap_add(s, &boxes[0], NULL), 1);
    CHECK_EQUAL(sap_add_static(s, &boxes[1], NULL), 2);
    CHECK_EQUAL(sap_add_many(s, 10, boxes, NULL, ids), SAP_OK);
    for (i = 0; i < 10; i++) CHECK_EQUAL(ids[i], 3 + i);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_add_static_many(s, 10, boxes, NULL, ids), SAP_OK);
    for (i = 0; i < 10; i++) CHECK_EQUAL(ids[i], 13 + i);
    boxes[3].min[1] = TEST_NAN;
    CHECK_EQUAL(sap_add_many(s, 10, boxes, NULL, ids), SAP_ERROR_BOX); /* uses up no id */
    CHECK_EQUAL(sap_add(s, &boxes[0], NULL), 23);
    sap_destroy(s);
}

static void ids_come_back(void) {
    enum { RESTING = 256, SECOND = 0x01000000 };
    static sap_id ids[RESTING];
    static sap_aabb boxes[RESTING];
    sap_world *s = make_world(NULL);
    uint32_t category = 0, mask = 0;
    sap_id id;
    int i;
    for (i = 0; i < RESTING; i++) boxes[i] = along_x((float)i * 3, (float)i * 3 + 1);
    CHECK_EQUAL(sap_add_many(s, RESTING, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(add(s, cube(90, 91)), 257);
    CHECK_EQUAL(add(s, cube(95, 96)), 258);
    CHECK_EQUAL(sap_set_filter(s, 3, 8, 9), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 3), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 257), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    ids[2] = 258;
    CHECK_EQUAL(sap_remove_many(s, RESTING, ids), SAP_OK);
    CHECK_EQUAL(add(s, cube(80, 81)),
                259); /* of two that are free, both rest; the others are not free before the update */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(add(s, cube(70, 71)), 3 | SECOND); /* of 258 the one longest free */
    CHECK_EQUAL(sap_get_filter(s, 3 | SECOND, &category, &mask), SAP_OK);
    CHECK(category == 1 && mask == 0xffffffffu); /* as new */
    CHECK_EQUAL(add(s, cube(70, 71)), 257 | SECOND);
    CHECK_EQUAL(add(s, cube(70, 71)), 260); /* 256 rest */
    for (i = 0; i < 4; i++) {
        static const sap_id expected[] = {261, 1 | SECOND, 2 | SECOND, 258 | SECOND};
        id = add(s, cube(60, 61));    /* added and removed between two updates: the slot rests at once */
        CHECK_EQUAL(id, expected[i]); /* in the order of the calls */
        CHECK_EQUAL(sap_remove(s, id), SAP_OK);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(add(s, cube(60, 61)), 4 | SECOND);
    CHECK_EQUAL(add(s, cube(60, 61)), 262);
    CHECK(!sap_is_valid(s, 3) && !sap_is_valid(s, 261) && sap_is_valid(s, 259) && sap_is_valid(s, 3 | SECOND));
    sap_destroy(s);
}

/* Four kinds, each with a mask that has the next one alone: no two may be a pair, which costs what pairs would. */
static void masks_in_one_direction(void) {
    enum { N = 2000 };
    long long tests[2];
    int ring, i;
    for (ring = 0; ring < 2; ring++) {
        sap_world *s = make_world(NULL);
        test_rng rng = {3};
        sap_stats stats;
        for (i = 0; i < N; i++) {
            const float at = test_uniform(&rng, 0, 100);
            const sap_id id = add(s, cube(at, at + 1));
            if (ring) CHECK_EQUAL(sap_set_filter(s, id, 1u << i % 4, 1u << (i + 1) % 4), SAP_OK);
        }
        CHECK_EQUAL(sap_update(s), SAP_OK);
        sap_get_stats(s, &stats);
        tests[ring] = stats.overlap_tests;
        CHECK(ring ? stats.pairs == 0 : stats.pairs > N);
        sap_destroy(s);
    }
    CHECK(2 * tests[1] <= 3 * tests[0]); /* see the known slow cases */
}

/* ---- margin --------------------------------------------------------------------------------------- */

static sap_world *make_with_margin(float margin, int axes) {
    sap_config config;
    memset(&config, 0, sizeof config);
    config.margin = margin;
    config.axes = axes;
    return make_world(&config);
}

static int is_stored(const sap_world *s, sap_id id, sap_aabb box) {
    sap_aabb stored;
    return sap_get_box(s, id, &stored) == SAP_OK && memcmp(&stored, &box, sizeof box) == 0;
}

static void margin_is_checked(void) {
    static const uint32_t bad[] = {0xbf800000u, 0x80000001u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u};
    static const uint32_t good[] = {0, 0x80000000u, 1, 0x3f800000u, 0x7f7fffffu};
    sap_config config;
    size_t i;
    memset(&config, 0, sizeof config);
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        config.margin = test_float(bad[i]);
        CHECK_EQUAL(sap_check_config(&config), SAP_ERROR_ARGUMENT);
        CHECK(sap_create(&config) == NULL);
    }
    for (i = 0; i < sizeof good / sizeof *good; i++) {
        config.margin = test_float(good[i]);
        CHECK_EQUAL(sap_check_config(&config), SAP_OK);
    }
}

static void margin_rounds_outward(void) {
    const float most = TEST_FLOAT_MAX, endless = TEST_INFINITY;
    sap_world *s = make_with_margin(0.25f, SAP_2D), *tiny = make_with_margin(1e-20f, 0);
    sap_world *least = make_with_margin(test_float(1), 0), *vast = make_with_margin(most, 0);
    sap_aabb box = cube(0, 1), all;
    sap_id id = add(s, box);
    CHECK(is_stored(s, id, (sap_aabb){{-0.25f, -0.25f, 0}, {1.25f, 1.25f, 0}})); /* z is not used */
    box = (sap_aabb){{-endless, -most, TEST_NAN}, {most, endless, TEST_NAN}};
    id = add(s, box);
    CHECK(is_stored(s, id, (sap_aabb){{-endless, -most, 0}, {most, endless, 0}}));
    sap_destroy(s);
    id = add(tiny, cube(1, 1)); /* less than half a unit of 1, which is smaller below 1 */
    CHECK(is_stored(tiny, id, cube(test_float(0x3f7fffffu), test_float(0x3f800001u))));
    id = add(tiny, cube(0, 0));
    CHECK(is_stored(tiny, id, cube(-1e-20f, 1e-20f)));
    id = add(tiny, cube(-1e-42f, 1e-42f)); /* next to nothing beyond the margin */
    CHECK(is_stored(tiny, id, cube(-test_float(test_bits(1e-20f) + 1), test_float(test_bits(1e-20f) + 1))));
    id = add(tiny, cube(1e-42f, 1e-42f));
    CHECK(is_stored(tiny, id, cube(-1e-20f, test_float(test_bits(1e-20f) + 1))));
    sap_destroy(tiny);
    id = add(least, cube(-0.0f, test_float(1)));
    CHECK(is_stored(least, id, cube(-test_float(1), test_float(2))));
    sap_destroy(least);
    all = cube(-most, most);
    id = add(vast, cube(5, 6));
    CHECK(is_stored(vast, id, all)); /* the next float below 5 - FLT_MAX is -FLT_MAX */
    id = add(vast, cube(-5, 6));
    CHECK(is_stored(vast, id, all));
    sap_destroy(vast);
}

static void margin_makes_moves_free(void) {
    static unsigned char before[2000], after[2000];
    sap_world *s = make_with_margin(0.25f, 0);
    const sap_id a = add(s, cube(0, 1)), b = add(s, cube(1.4f, 2)),
                 wall = sap_add_static(s, &(sap_aabb){{2.3f}, {3}}, 0);
    const sap_id many[2] = {a, a};
    sap_aabb box = cube(-0.25f, 1.25f), two[2];
    sap_stats stats;
    float told;
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_find_pair(s, a, b) != NULL); /* they are .4 apart */
    CHECK(is_stored(s, wall, (sap_aabb){{2.3f, 0, 0}, {3, 0, 0}}) && sap_find_pair(s, b, wall) == NULL);
    CHECK(sap_query_point(s, (const float[3]){-0.2f, 0, 0}, ~0u, NULL, NULL) == 1);
    CHECK(sap_nearest(s, (const float[3]){-1.25f, 0, 0}, 5, ~0u, &told) == a && told == 1);
    CHECK_EQUAL(sap_save(s, before, sizeof before), SAP_OK);
    CHECK(sap_move(s, a, &box) == SAP_OK && sap_move_many(s, 1, &a, &box) == SAP_OK); /* inside what is stored */
    CHECK_EQUAL(sap_save(s, after, sizeof after), SAP_OK);
    CHECK(memcmp(before, after, sizeof before) == 0); /* nothing is recorded */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &stats);
    CHECK(stats.method == 0 && stats.overlap_tests == 0);
    box.min[2] = TEST_NAN; /* errors come first */
    REFUSED(s, sap_move(s, a, &box), SAP_ERROR_BOX);
    REFUSED(s, sap_move_many(s, 1, &a, &box), SAP_ERROR_BOX);
    box = cube(0, 1), box.min[1] = 1.1f;
    REFUSED(s, sap_move(s, a, &box), SAP_ERROR_BOX);
    box = cube(0, 1.5f);
    two[0] = cube(8, 9), two[1] = box, two[1].max[0] = TEST_NAN;
    REFUSED(s, sap_move_many(s, 2, many, two), SAP_ERROR_BOX); /* all or nothing */
    CHECK(sap_move(s, a, &box) == SAP_OK && is_stored(s, a, cube(-0.25f, 1.75f)));
    /* Duplicates act in order: the second is inside what the first has stored, or is not. */
    two[0] = cube(8, 10), two[1] = cube(9, 10);
    CHECK(sap_move_many(s, 2, many, two) == SAP_OK && is_stored(s, a, cube(7.75f, 10.25f)));
    two[0] = cube(4, 5), two[1] = cube(8, 10);
    CHECK(sap_move_many(s, 2, many, two) == SAP_OK && is_stored(s, a, cube(7.75f, 10.25f)));
    two[0] = cube(4, 5), two[1] = cube(8, 9.75f);
    CHECK(sap_move_many(s, 2, many, two) == SAP_OK && is_stored(s, a, cube(7.75f, 10)));
    two[1] = cube(8.5f, 8.5f); /* a point in the middle: six margins from the upper side */
    CHECK(sap_move_many(s, 1, many, &two[1]) == SAP_OK && is_stored(s, a, cube(8.25f, 8.75f)));
    two[1] = cube(8.5f, 9);
    CHECK(sap_move_many(s, 1, many, &two[1]) == SAP_OK && is_stored(s, a, cube(8.25f, 9.25f)));
    box = cube(8, 9);
    box.max[0] = TEST_INFINITY; /* no finite side is five margins inside one at infinity */
    box.min[1] = -TEST_INFINITY;
    CHECK(sap_move(s, a, &box) == SAP_OK && sap_move_many(s, 1, many, &two[1]) == SAP_OK);
    CHECK(is_stored(s, a, cube(8.25f, 9.25f)));
    CHECK(sap_shift_origin(s, (const float[3]){8, 8, 8}) == SAP_OK && is_stored(s, a, cube(0.25f, 1.25f)));
    sap_destroy(s);
}

/* Whether a move to a box is free where another one is stored. */
static int is_free_in(float margin, float stored_min, float stored_max, float min, float max) {
    sap_world *s = make_with_margin(margin, SAP_AXIS_X);
    const sap_aabb stored = {{stored_min}, {stored_max}}, box = {{min}, {max}};
    const sap_id id = sap_add_static(s, &stored, NULL);
    CHECK(sap_set_static(s, id, 0) == SAP_OK && sap_move(s, id, &box) == SAP_OK);
    const int is_free = is_stored(s, id, stored);
    sap_destroy(s);
    return is_free;
}

/* Five margins are compared exactly: by a machine that computes with more digits, and where floats are far apart. */
static void margin_is_five_times_exact(void) {
    const float tenth = 0.1f, four = 4 * tenth, unit = test_float(1), most = TEST_FLOAT_MAX;
    CHECK(is_free_in(1, -1, 10, 4, 5) && !is_free_in(1, -1, 10, test_float(0x40800001u), 5));
    CHECK(!is_free_in(1, -1, 10, 4, test_float(0x409fffffu)) && is_free_in(1, -1, 10, -1, 10));
    CHECK(is_free_in(tenth, -tenth, 1, four, 1) && !is_free_in(tenth, -tenth, 1, test_float(test_bits(four) + 1), 1));
    CHECK(is_free_in(unit, 0, 1, 5 * unit, 1) && !is_free_in(unit, 0, 1, 6 * unit, 1));
    CHECK(is_free_in(most, -most, most, most, most) && is_free_in(1e38f, -most, most, 1.5e38f, most));
    CHECK(!is_free_in(1e-20f, 1, 3, test_float(0x3f800001u), 3) && is_free_in(1e-20f, 1, 3, 1, 3));
    CHECK(is_free_in(1e20f, -1, 1e21f, 4.9999998e20f, 1e21f) && !is_free_in(1e20f, -1, 1e21f, 5.0000004e20f, 1e21f));
    CHECK(is_free_in(1, -TEST_INFINITY, 0, -TEST_INFINITY, -5) && !is_free_in(1, -TEST_INFINITY, 0, -most, 0));
}

/* A snapshot is of stored boxes: a world with another margin would store others from then on. */
static void margin_and_snapshots(void) {
    static unsigned char bytes[2000];
    sap_world *s = make_with_margin(0.25f, 0), *same = make_with_margin(0.25f, 0);
    sap_world *other = make_with_margin(0.125f, 0), *none = make_world(NULL);
    const sap_id a = add(s, cube(0, 3)), wall = sap_add_static(s, &(sap_aabb){{0}, {3, 3, 3}}, NULL);
    const sap_aabb inside = cube(1, 3), outside = cube(1.25f, 3);
    CHECK_EQUAL(sap_save(s, bytes, sizeof bytes), SAP_OK);
    CHECK(sap_restore(same, bytes, sizeof bytes) == SAP_OK && is_stored(same, a, cube(-0.25f, 3.25f)));
    CHECK(sap_move(same, a, &inside) == SAP_OK && is_stored(same, a, cube(-0.25f, 3.25f)));
    CHECK(sap_move(same, a, &outside) == SAP_OK && is_stored(same, a, cube(1, 3.25f)));
    CHECK(sap_move(same, wall, &inside) == SAP_OK && is_stored(same, wall, inside));
    REFUSED(other, sap_restore(other, bytes, sizeof bytes), SAP_ERROR_ARGUMENT);
    REFUSED(none, sap_restore(none, bytes, sizeof bytes), SAP_ERROR_ARGUMENT);
    CHECK(sap_last_error_argument(none, NULL) && strcmp(sap_last_error_argument(none, NULL), "margin") == 0);
    CHECK_EQUAL(sap_save(none, bytes, sizeof bytes), SAP_OK);
    REFUSED(s, sap_restore(s, bytes, sizeof bytes), SAP_ERROR_ARGUMENT);
    CHECK_EQUAL(sap_restore(none, bytes, sizeof bytes), SAP_OK);
    sap_destroy(s);
    sap_destroy(same);
    sap_destroy(other);
    sap_destroy(none);
}

/* ---- a world that no update sees ----------------------------------------------------------------- */

typedef struct unseen { /* what a callback of a query does */
    sap_world *world;
    sap_id removed[1000], added[1000];
    int count, wrong;
} unseen;

/* Removes the last box that is left, most often one that the query has yet to meet, and adds one. */
static int replace_last(sap_id id, void *object, void *user) {
    unseen *u = (unseen *)user;
    int i;
    (void)object;
    for (i = 0; i < u->count; i++) u->wrong += id == u->added[i] || id == u->removed[i];
    u->removed[u->count] = (sap_id)(900 - u->count);
    u->wrong += sap_remove(u->world, u->removed[u->count]) != SAP_OK;
    u->added[u->count] = add(u->world, cube(0, 1));
    u->wrong += u->added[u->count++] == 0;
    return 1;
}

/* Adds, queries and removes, and never updates: slots rest at once, and the list of changes does not grow. */
static void only_queried(int is_queried) {
    enum { N = 300, ROUNDS = 300 };
    static sap_id ids[N];
    static sap_aabb boxes[N];
    sap_world *s = make_world(NULL);
    sap_stats first, last;
    sap_id highest = 0, one = add(s, cube(-1, 1));
    int i, round, wrong = 0;
    CHECK_EQUAL(sap_remove(s, one), SAP_OK);
    CHECK_EQUAL(sap_pairs_of(s, one, NULL, 0), 0); /* as of each box that was removed since the last update */
    CHECK(!sap_is_valid(s, one) && sap_find_pair(s, one, one) == NULL);
    for (i = 0; i < N; i++) boxes[i] = cube((float)(i % 7), (float)(i % 7) + 1.5f);
    for (round = 0; round < ROUNDS; round++) {
        wrong += sap_add_many(s, N, boxes, NULL, ids) != SAP_OK;
        for (i = 0; i < N; i++) highest = SAP_SLOT(ids[i]) > highest ? SAP_SLOT(ids[i]) : highest;
        wrong += round && ids[0] == 1; /* an id comes again after its slot's 256 generations */
        if (round % 3 == 0) wrong += sap_set_filter(s, ids[round % N], 8, 8) != SAP_OK;
        if (round % 5 == 0) wrong += sap_set_static(s, ids[round % N], 1) != SAP_OK;
        if (is_queried) {
            const int hits = sap_query_box(s, &boxes[0], ~0u, NULL, NULL);
            int expected = 0;
            for (i = 0; i < N; i++) expected += i % 7 <= 1;
            wrong += hits != expected;
        }
        wrong += round % 4 ? sap_remove_many(s, N, ids) != SAP_OK : sap_clear(s) != SAP_OK;
        if (is_queried && round % 2) wrong += sap_query_box(s, &boxes[0], ~0u, NULL, NULL) != 0;
        if (round == 3) sap_get_stats(s, &first);
        if (round % 50 == 0) wrong += sap_validate(s) != NULL;
    }
    sap_get_stats(s, &last);
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(highest, N + 256);
    CHECK_EQUAL(last.bytes, first.bytes);
    CHECK_EQUAL(sap_snapshot_size(s) < 100000, 1);
    CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK); /* it may come late */
    sap_get_stats(s, &last);
    CHECK(last.pairs > N && last.created == last.pairs && sap_validate(s) == NULL);
    sap_destroy(s);
}

/* A running query does not see boxes that were added meanwhile, not in the slots of those that were removed, either. */
static void slots_are_held(void) {
    enum { N = 900 };
    static unseen u;
    int i;
    memset(&u, 0, sizeof u);
    u.world = make_world(NULL);
    for (i = 0; i < N; i++) CHECK_EQUAL(add(u.world, cube(0, 1)), i + 1);
    const sap_aabb box = cube(0, 1);
    CHECK_EQUAL(sap_query_box(u.world, &box, ~0u, replace_last, &u), N / 2);
    CHECK_EQUAL(u.wrong, 0);
    CHECK(u.count > 300 && u.added[u.count - 1] == (sap_id)(N + u.count)); /* not one slot has come back */
    CHECK(sap_validate(u.world) == NULL);
    CHECK_EQUAL(add(u.world, cube(0, 1)), u.removed[0] | 0x01000000u); /* the query is over */
    CHECK_EQUAL(sap_query_box(u.world, &box, ~0u, NULL, NULL), N + 1);
    CHECK(sap_validate(u.world) == NULL);
    CHECK_EQUAL(sap_update(u.world), SAP_OK);
    CHECK(sap_validate(u.world) == NULL);
    sap_destroy(u.world);
}

static int replace_hit(sap_id id, void *object, void *user) {
    sap_world *s = (sap_world *)user;
    (void)object;
    CHECK_EQUAL(sap_remove(s, id), SAP_OK);
    CHECK(SAP_SLOT(add(s, cube(0, 1))) <= 262);
    return 1;
}

/* Held slots come back though boxes are added in callbacks alone. */
static void slots_are_held_once(void) {
    sap_world *s = make_world(NULL);
    const sap_aabb box = cube(0, 1);
    int i;
    add(s, box), add(s, box);
    for (i = 0; i < 1000; i++) CHECK_EQUAL(sap_query_box(s, &box, ~0u, replace_hit, s), 2);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* A slot is used again while a tree still holds its old box: elsewhere, of another category or another kind. */
static void used_again_in_a_tree(int is_static) {
    enum { N = 4000, REMOVED = 300, ADDED = 44 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_world *s = make_world(NULL);
    const sap_aabb all = cube(-1, 100);
    int i;
    for (i = 0; i < N; i++) {
        const float x = (float)(i % 20), y = (float)(i / 20 % 20), z = (float)(i / 400);
        boxes[i].min[0] = x, boxes[i].min[1] = y, boxes[i].min[2] = z;
        boxes[i].max[0] = x + 0.5f, boxes[i].max[1] = y + 0.5f, boxes[i].max[2] = z + 0.5f;
    }
    CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(sap_set_filter_many(s, N, ids, 8, 8), SAP_OK);
    CHECK_EQUAL(sap_query_box(s, &all, 8, NULL, NULL), N); /* they are in the tree */
    CHECK_EQUAL(sap_refilter(s, ids[N - 1]), SAP_OK);      /* and in leaves with lanes for others */
    CHECK_EQUAL(sap_query_box(s, &all, 8, NULL, NULL), N);
    CHECK_EQUAL(sap_remove_many(s, REMOVED, ids), SAP_OK);
    for (i = 0; i < ADDED; i++)
        CHECK_EQUAL(is_static ? sap_add_static(s, &boxes[i], NULL) : add(s, boxes[i]), ids[i] | 0x01000000u);
    CHECK_EQUAL(sap_query_box(s, &all, 1, NULL, NULL), ADDED);
    CHECK_EQUAL(sap_query_box(s, &all, 8, NULL, NULL), N - REMOVED);
    CHECK(sap_validate(s) == NULL);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

static void removed_id_is_refused(void) {
    sap_world *s = make_world(NULL);
    sap_aabb box = cube(0, 1);
    sap_id a = add(s, box), b = add(s, box), two[2];
    sap_id bad[4];
    int i;
    sap_update(s);
    CHECK_EQUAL(sap_remove(s, a), SAP_OK);
    bad[0] = a;
    bad[1] = 0;
    bad[2] = 3;
    bad[3] = b | 0x05000000u;
    for (i = 0; i < 4; i++) {
        REFUSED(s, sap_move(s, bad[i], &box), SAP_ERROR_ID);
        REFUSED(s, sap_remove(s, bad[i]), SAP_ERROR_ID);
        REFUSED(s, sap_set_filter(s, bad[i], 0, 0), SAP_ERROR_ID);
        REFUSED(s, sap_refilter(s, bad[i]), SAP_ERROR_ID);
        two[0] = b;
        two[1] = bad[i];
        {
            sap_aabb boxes[2];
            boxes[0] = boxes[1] = cube(50, 51);
            REFUSED(s, sap_move_many(s, 2, two, boxes), SAP_ERROR_ID);
        }
        REFUSED(s, sap_remove_many(s, 2, two), SAP_ERROR_ID);
        CHECK_EQUAL(sap_is_valid(s, bad[i]), 0);
    }
    for (i = 1; i < 4; i++) {
        CHECK_EQUAL(sap_pairs_of(s, bad[i], NULL, 0), -SAP_ERROR_ID);
        CHECK(sap_find_pair(s, b, bad[i]) == NULL);
        REFUSED(s, sap_set_pair_data(s, b, bad[i], tag(1)), SAP_ERROR_ID);
    }
    /* The settled pairs know the removed box until the next update. */
    CHECK_EQUAL(sap_pairs_of(s, a, two, 2), 1);
    CHECK_EQUAL(two[0], b);
    CHECK(sap_find_pair(s, b, a) != NULL);
    CHECK_EQUAL(sap_set_pair_data(s, b, a, tag(3)), SAP_OK);
    CHECK(sap_find_pair(s, a, b)->user_data == tag(3));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_deleted(s, NULL)[0].user_data == tag(3));
    CHECK(sap_find_pair(s, a, b) == NULL);
    CHECK_EQUAL(sap_pairs_of(s, a, two, 2), -SAP_ERROR_ID);
    CHECK_EQUAL(sap_pairs_of(s, b, two, 2), 0);
    /* The id that the free slot will have was not given out yet. */
    a |= 0x01000000u;
    CHECK(!sap_is_valid(s, a) && sap_find_pair(s, a, b) == NULL);
    CHECK_EQUAL(sap_pairs_of(s, a, NULL, 0), -SAP_ERROR_ID);
    REFUSED(s, sap_set_pair_data(s, a, b, tag(1)), SAP_ERROR_ID);
    REFUSED(s, sap_move(s, a, &box), SAP_ERROR_ID);
    REFUSED(s, sap_remove(s, a), SAP_ERROR_ID);
    CHECK_EQUAL(add(s, box), 3);
    sap_destroy(s);
}

/* A removed id is refused for 65,536 more removals, and comes again after 256 lives of its slot. Slots stay below the most
   boxes that there were, and 257. */
static void generations_wrap(void) {
    enum { N = 300, ROUNDS = 520 };
    static sap_id ids[N];
    static sap_aabb boxes[N];
    sap_world *s = make_world(NULL);
    sap_id first = 0, highest = 0;
    long removed = 0, again = 0;
    int i, round, wrong = 0;
    for (i = 0; i < N; i++) boxes[i] = along_x(3 * (float)i, 3 * (float)i + 1);
    for (round = 0; round < ROUNDS; round++) {
        CHECK_EQUAL(sap_add_many(s, N, boxes, NULL, ids), SAP_OK);
        for (i = 0; i < N; i++) {
            if (round && ids[i] == first && !again) again = removed;
            if (SAP_SLOT(ids[i]) > highest) highest = SAP_SLOT(ids[i]);
        }
        if (round == 0) first = ids[0];
        if (round && !again) wrong += sap_is_valid(s, first) || sap_remove(s, first) != SAP_ERROR_ID;
        wrong += sap_update(s) != SAP_OK || sap_remove_many(s, N, ids) != SAP_OK || sap_update(s) != SAP_OK;
        removed += N;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK(again > 65536);
    CHECK(highest <= N + 257);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ---- record, then settle --------------------------------------------------------------------- */

static void record_then_settle(void) {
    sap_world *s = make_world(NULL);
    sap_id a = add(s, along_x(0, 2)), b = add(s, along_x(1, 3)), c;
    CHECK_EQUAL(sap_count(s), 2);
    CHECK_EQUAL(pair_count(s), 0);
    CHECK(sap_find_pair(s, a, b) == NULL);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 1);
    CHECK_EQUAL(created_count(s), 1);
    CHECK(sap_find_pair(s, a, b) == sap_find_pair(s, b, a) && sap_find_pair(s, a, b) != NULL);
    CHECK(sap_find_pair(s, a, a) == NULL);
    move(s, b, along_x(10, 11));
    c = add(s, along_x(0, 1));
    CHECK_EQUAL(pair_count(s), 1); /* nothing has changed yet, and the events still stand */
    CHECK_EQUAL(created_count(s), 1);
    CHECK(sap_find_pair(s, a, b) != NULL && sap_find_pair(s, a, c) == NULL);
    CHECK_EQUAL(sap_pairs_of(s, c, NULL, 0), 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_find_pair(s, a, b) == NULL && sap_find_pair(s, a, c) != NULL);
    CHECK_EQUAL(created_count(s), 1);
    CHECK_EQUAL(deleted_count(s), 1);
    CHECK_EQUAL(sap_update(s), SAP_OK); /* nothing recorded: the events are those of this update, none */
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);
    CHECK_EQUAL(pair_count(s), 1);
    sap_destroy(s);
}

static void only_the_net_change(void) {
    sap_world *s = make_world(NULL);
    sap_id a = add(s, along_x(0, 2)), b = add(s, along_x(1, 3)), c, pair[2];
    sap_aabb there_and_back[2];
    sap_dump_pairs(s, NULL, NULL, NULL);
    sap_set_pair_data(s, a, b, tag(1));

    c = add(s, along_x(0, 5)); /* added and removed */
    sap_remove(s, c);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);

    move(s, a, along_x(50, 51)); /* moved away and back */
    move(s, a, along_x(0, 2));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);

    pair[0] = pair[1] = b; /* the same in one call: the last one wins */
    there_and_back[0] = along_x(70, 71);
    there_and_back[1] = along_x(1, 4);
    CHECK_EQUAL(sap_move_many(s, 2, pair, there_and_back), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);

    sap_set_filter(s, a, 0, 0); /* filter off and on */
    sap_set_filter(s, a, 1, 0xffffffffu);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);
    CHECK(sap_find_pair(s, a, b) && sap_find_pair(s, a, b)->user_data == tag(1)); /* and it has kept its data */

    sap_refilter(s, a); /* nothing else to say */
    move(s, b, along_x(1, 4));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);

    sap_remove(s, a); /* another box at the same place is another box */
    c = add(s, along_x(0, 2));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), 1);
    CHECK_EQUAL(deleted_count(s), 1);
    CHECK(sap_find_pair(s, c, b) && sap_find_pair(s, c, b)->user_data == NULL);
    sap_destroy(s);
}

static int is_ascending(const sap_pair *pairs, int count) {
    int i;
    for (i = 0; i < count; i++) {
        if (pairs[i].id0 >= pairs[i].id1) return 0;
        if (i && model_compare_pairs(&pairs[i - 1], &pairs[i]) >= 0) return 0;
    }
    return 1;
}

static void events_are_sorted(void) {
    sap_world *s = make_world(NULL);
    sap_aabb box;
    int i, count;
    const sap_pair *p;
    for (i = 0; i < 40; i++) {
        box = cube((float)(i * 7 % 40), (float)(i * 7 % 40) + 5);
        sap_add(s, &box, tag(i + 1));
    }
    sap_remove(s, 9); /* so that later ids do not ascend with the slots */
    sap_remove(s, 4);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    p = sap_created(s, &count);
    CHECK(count > 50 && is_ascending(p, count));
    for (i = 0; i < count; i++) {
        CHECK(p[i].object0 == tag((int)p[i].id0) && p[i].object1 == tag((int)p[i].id1));
        CHECK(p[i].user_data == NULL);
    }
    add(s, cube(10, 20));
    add(s, cube(15, 25));
    for (i = 10; i < 20; i++) sap_remove(s, (sap_id)i);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    p = sap_created(s, &count);
    CHECK(count > 5 && is_ascending(p, count));
    p = sap_deleted(s, &count);
    CHECK(count > 5 && is_ascending(p, count));
    for (i = 0; i < count; i++) /* also those of removed boxes have their objects */
        CHECK(p[i].object0 == tag((int)p[i].id0) && p[i].object1 == tag((int)p[i].id1));
    sap_destroy(s);
}

/* All boxes are removed at once: all pairs end, in order, whether they stand so or not, with what they carried. */
static void all_boxes_go(void) {
    enum { N = 30 };
    int in_order, i, count, ended;
    for (in_order = 0; in_order < 2; in_order++) {
        sap_world *s = make_world(NULL);
        sap_id ids[N];
        sap_stats stats;
        const sap_pair *p;
        for (i = 0; i < N; i++) ids[i] = add(s, cube((float)i, (float)i + (i < N / 2 || in_order ? 2.5f : 0.5f)));
        CHECK_EQUAL(sap_update(s), SAP_OK);
        for (i = N - 1; i >= N / 2 && !in_order;
             i -= 2) { /* the pairs of higher ids begin before those of lower ones */
            CHECK_EQUAL(move(s, ids[i], cube((float)i - 3, (float)i + 0.5f)), SAP_OK);
            CHECK_EQUAL(sap_update(s), SAP_OK);
        }
        p = sap_pairs(s, &count);
        CHECK(count > N);
        for (i = 0; i < count; i++)
            CHECK_EQUAL(sap_set_pair_data(s, p[i].id0, p[i].id1, tag((int)(p[i].id0 * N + p[i].id1))), SAP_OK);
        CHECK_EQUAL(sap_remove_many(s, N, ids), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        p = sap_deleted(s, &ended);
        CHECK_EQUAL(ended, count);
        CHECK(is_ascending(p, ended));
        for (i = 0; i < ended; i++) CHECK(p[i].user_data == tag((int)(p[i].id0 * N + p[i].id1)));
        (void)sap_created(s, &count);
        CHECK_EQUAL(count, 0);
        (void)sap_pairs(s, &count);
        CHECK_EQUAL(count, 0);
        sap_get_stats(s, &stats);
        CHECK(stats.boxes == 0 && stats.pairs == 0 && stats.deleted == ended);
        CHECK(sap_validate(s) == NULL);
        for (i = 0; i < N; i++) ids[i] = add(s, cube((float)i, (float)i + 2.5f));
        CHECK_EQUAL(sap_update(s), SAP_OK);
        p = sap_created(s, &count);
        CHECK(count > N && is_ascending(p, count) && sap_validate(s) == NULL);
        sap_destroy(s);
    }
}

/* All but two boxes are removed, which keep their pair and what it carries. One pair of all carries something. */
static void most_boxes_go(void) {
    enum { PAIRS = 12 };
    for (int stays = 0; stays < PAIRS; stays++)
        for (int carries = 0; carries < PAIRS; carries++) {
            sap_world *s = make_world(NULL);
            sap_id ids[2 * PAIRS];
            int count, ended, all;
            for (int i = 0; i < 2 * PAIRS; i++) ids[i] = add(s, cube((float)(i / 2 * 4), (float)(i / 2 * 4 + 1)));
            CHECK_EQUAL(sap_update(s), SAP_OK);
            CHECK_EQUAL(sap_set_pair_data(s, ids[2 * carries], ids[2 * carries + 1], tag(99)), SAP_OK);
            for (int i = 0; i < PAIRS; i++)
                if (i != stays) CHECK_EQUAL(sap_remove_many(s, 2, &ids[2 * i]), SAP_OK);
            CHECK_EQUAL(sap_update(s), SAP_OK);
            const sap_pair *p = sap_pairs(s, &count), *ends = sap_deleted(s, &ended);
            CHECK(count == 1 && p->id0 == ids[2 * stays] && p->user_data == (stays == carries ? tag(99) : NULL));
            CHECK(ended == PAIRS - 1 && is_ascending(ends, ended));
            for (int i = 0; i < ended; i++)
                CHECK(ends[i].user_data == (ends[i].id0 == ids[2 * carries] ? tag(99) : NULL));
            (void)sap_created(s, &all);
            CHECK(all == 0 && sap_validate(s) == NULL);
            sap_destroy(s);
        }
}

/* ---- sap_dump_pairs -------------------------------------------------------------------------- */

typedef struct diary {
    sap_pair entries[64];
    char kinds[64];
    int count;
} diary;

static void *note_created(const sap_pair *pair, void *user) {
    diary *d = (diary *)user;
    d->kinds[d->count] = 'c';
    d->entries[d->count++] = *pair;
    return tag((int)(pair->id0 * 100 + pair->id1));
}

static void note_deleted(const sap_pair *pair, void *user) {
    diary *d = (diary *)user;
    d->kinds[d->count] = 'd';
    d->entries[d->count++] = *pair;
}

static void dump_pairs(void) {
    sap_world *s = make_world(NULL);
    diary d;
    int i, count;
    const sap_pair *p;
    memset(&d, 0, sizeof d);
    for (i = 0; i < 4; i++) add(s, along_x(0, 5));
    CHECK_EQUAL(sap_dump_pairs(s, note_created, note_deleted, &d), 6);
    CHECK_EQUAL(d.count, 6);
    CHECK(is_ascending(d.entries, 6));
    p = sap_created(s, &count);
    for (i = 0; i < count; i++) {
        CHECK(d.kinds[i] == 'c' && d.entries[i].user_data == NULL);
        CHECK(p[i].id0 == d.entries[i].id0 && p[i].id1 == d.entries[i].id1);
        CHECK(p[i].user_data == tag((int)(p[i].id0 * 100 + p[i].id1)));
        CHECK(sap_find_pair(s, p[i].id0, p[i].id1)->user_data == p[i].user_data);
    }
    /* set_pair_data changes the active pair, not the event */
    CHECK_EQUAL(sap_set_pair_data(s, 2, 1, tag(77)), SAP_OK);
    CHECK(sap_find_pair(s, 1, 2)->user_data == tag(77));
    CHECK(sap_created(s, NULL)[0].user_data == tag(102));

    sap_remove(s, 1);
    move(s, 2, along_x(8, 9));
    add(s, along_x(4, 8)); /* meets 2, 3 and 4 */
    memset(&d, 0, sizeof d);
    CHECK_EQUAL(sap_dump_pairs(s, note_created, note_deleted, &d), 4);
    CHECK_EQUAL(d.count, 8);
    for (i = 0; i < 8; i++) CHECK_EQUAL(d.kinds[i], i < 5 ? 'd' : 'c'); /* every del before the first create */
    CHECK(is_ascending(d.entries, 5) && is_ascending(d.entries + 5, 3));
    CHECK(d.entries[0].user_data == tag(77)); /* 1 and 2 */
    CHECK(d.entries[1].user_data == tag(103));
    p = sap_deleted(s, &count);
    CHECK_EQUAL(count, 5);
    CHECK(memcmp(p, d.entries, 5 * sizeof *p) == 0);

    memset(&d, 0, sizeof d);
    CHECK_EQUAL(sap_dump_pairs(s, note_created, note_deleted, &d), 4); /* nothing new */
    CHECK_EQUAL(d.count, 0);
    sap_remove(s, 5);
    CHECK_EQUAL(sap_dump_pairs(s, note_created, NULL, &d), 1); /* either may be NULL */
    add(s, along_x(8, 9));
    CHECK_EQUAL(sap_dump_pairs(s, NULL, note_deleted, &d), 2);
    CHECK_EQUAL(d.count, 0);
    CHECK(sap_created(s, NULL)[0].user_data == NULL);
    sap_destroy(s);
}

/* ---- filters --------------------------------------------------------------------------------- */

static void masks(void) {
    sap_world *s = make_world(NULL);
    sap_id a = add(s, cube(0, 1)), b = add(s, cube(0, 1));
    CHECK_EQUAL(sap_set_filter(s, a, 2, 4), SAP_OK);
    CHECK_EQUAL(sap_set_filter(s, b, 4, 2), SAP_OK);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 1);
    sap_set_filter(s, b, 4, 1); /* each side must agree */
    sap_update(s);
    CHECK_EQUAL(deleted_count(s), 1);
    sap_set_filter(s, b, 1, 2);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 0);
    sap_set_filter(s, b, 0x80000004u, 0x80000002u);
    sap_update(s);
    CHECK_EQUAL(created_count(s), 1);
    sap_set_filter(s, a, 0, 0xffffffffu);
    sap_update(s);
    CHECK_EQUAL(deleted_count(s), 1);
    sap_set_filter(s, a, 2, 0);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 0);
    sap_set_filter(s, a, 0x80000000u, 0x80000000u);
    sap_set_filter(s, b, 0x80000000u, 0x80000000u);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 1);
    sap_remove(s, a); /* a new box has the defaults */
    sap_update(s);
    a = add(s, cube(0, 1));
    sap_set_filter(s, b, 1, 1);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 1);
    CHECK(sap_find_pair(s, a, b) != NULL);
    sap_destroy(s);
}

static void statics(void) {
    sap_world *s = make_world(NULL);
    sap_aabb box = cube(0, 1), boxes[2];
    sap_id a = sap_add_static(s, &box, NULL), b = sap_add_static(s, &box, NULL), c, many[2] = {0, 0};
    sap_stats stats;
    boxes[0] = boxes[1] = box;
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 0);
    c = add(s, box);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 2);
    CHECK_EQUAL(sap_add_static_many(s, 2, boxes, NULL, many), SAP_OK);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 4);
    CHECK(!sap_find_pair(s, a, many[0]) && !sap_find_pair(s, many[0], many[1]) && sap_find_pair(s, c, many[1]));
    move(s, b, cube(5, 6)); /* a static box may be moved */
    sap_update(s);
    CHECK_EQUAL(deleted_count(s), 1);
    move(s, b, cube(1, 6));
    move(s, a, cube(1, 6));
    sap_update(s);
    CHECK_EQUAL(created_count(s), 1);
    sap_get_stats(s, &stats);
    CHECK_EQUAL(stats.boxes, 5);
    CHECK_EQUAL(stats.static_boxes, 4);
    sap_remove(s, a);
    sap_get_stats(s, &stats);
    CHECK_EQUAL(stats.boxes, 4);
    CHECK_EQUAL(stats.static_boxes, 3);
    sap_update(s);
    a = add(s, box); /* meets the four static ones that are left, and c */
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 3 + 4);
    sap_destroy(s);
}

/* The answers of a user's filter, by pair of slots. They change only together with sap_refilter. */
typedef struct gate {
    sap_world *s;
    int open[5][5], asked, faults;
} gate;

static int ask_gate(const sap_pair *pair, void *user) {
    gate *g = (gate *)user;
    sap_aabb a, b;
    g->asked++;
    g->faults += pair->id0 >= pair->id1 || pair->user_data != NULL;
    g->faults += pair->object0 != tag((int)pair->id0) || pair->object1 != tag((int)pair->id1);
    /* The look calls are allowed here, and show what is recorded. */
    g->faults += !sap_is_valid(g->s, pair->id0) || sap_get_object(g->s, pair->id1) != pair->object1;
    g->faults += sap_get_box(g->s, pair->id0, &a) != SAP_OK || sap_get_box(g->s, pair->id1, &b) != SAP_OK;
    g->faults += !model_overlap(7, &a, &b) || sap_count(g->s) < 2;
    g->faults += pair->id0 == 4 || pair->id1 == 4; /* masked out until told otherwise */
    g->faults += sap_update(g->s) != SAP_ERROR_BUSY;
    sap_destroy(g->s); /* does nothing here */
    return g->open[pair->id0][pair->id1];
}

static void user_filter(void) {
    sap_config config;
    gate g;
    sap_world *s;
    sap_aabb box;
    int i;
    memset(&config, 0, sizeof config);
    memset(&g, 0, sizeof g);
    config.filter = ask_gate;
    config.filter_user = &g;
    s = g.s = make_world(&config);
    for (i = 1; i <= 4; i++) {
        box = along_x(0, (float)i);
        sap_add(s, &box, tag(i));
    }
    sap_set_filter(s, 4, 0, 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 0);
    CHECK(g.asked >= 3); /* how often is its own affair */
    g.open[1][2] = g.open[1][3] = 1;
    sap_refilter(s, 1);
    sap_refilter(s, 1);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), 2);
    CHECK(sap_find_pair(s, 1, 2) && sap_find_pair(s, 1, 3));
    g.open[2][3] = 7; /* anything but 0 is a yes */
    sap_refilter(s, 2);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), 1); /* that of 1 and 2 stays */
    g.open[1][3] = g.open[2][3] = 0;
    sap_refilter(s, 3);
    sap_dump_pairs(s, NULL, NULL, NULL);
    CHECK_EQUAL(deleted_count(s), 2);
    CHECK_EQUAL(pair_count(s), 1);
    g.open[1][3] = -1;
    sap_refilter(s, 1); /* asked for both in one update, from either side */
    sap_refilter(s, 3);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), 1);
    CHECK_EQUAL(pair_count(s), 2);
    move(s, 3, along_x(0.5f, 0.75f)); /* what a filter refused stays away when the boxes move */
    move(s, 2, along_x(0.5f, 0.75f));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);
    CHECK_EQUAL(g.faults, 0);
    sap_set_filter(s, 4, 1, 0xffffffffu); /* comes in by its mask, and now it may be asked about */
    g.open[1][4] = 1;
    sap_refilter(s, 4);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), 1);
    CHECK(sap_find_pair(s, 1, 4) != NULL);
    sap_destroy(s);

    /* With a filter that says no, boxes come, move and go without any event. */
    memset(&g, 0, sizeof g);
    s = g.s = make_world(&config);
    for (i = 1; i <= 3; i++) {
        box = cube(0, 1);
        sap_add(s, &box, tag(i));
    }
    sap_update(s);
    for (i = 1; i <= 3; i++) move(s, (sap_id)i, cube(0.5f, 2));
    sap_update(s);
    CHECK_EQUAL(created_count(s), 0);
    sap_remove(s, 2);
    move(s, 3, cube(7, 8));
    sap_update(s);
    CHECK_EQUAL(deleted_count(s), 0);
    CHECK_EQUAL(g.faults, 0);
    sap_destroy(s);
}

/* ---- many ------------------------------------------------------------------------------------ */

typedef struct curious {
    sap_world *world; /* to be looked at, or NULL */
    long long looks;
} curious;

static int look_around(const sap_pair *pair, void *user) {
    curious *c = (curious *)user;
    if (c->world) {
        sap_stats stats;
        sap_aabb box;
        sap_id others[3];
        uint32_t category, mask;
        int count;
        const sap_pair *found = sap_find_pair(c->world, pair->id0, pair->id1);
        sap_get_stats(c->world, &stats);
        c->looks += stats.pairs + stats.cells + (found != NULL);
        if (found) CHECK(found->id0 == pair->id0 && found->id1 == pair->id1);
        count = sap_pairs_of(c->world, pair->id0, others, 3);
        CHECK(count >= 0 && count <= stats.pairs);
        (void)sap_pairs(c->world, &count);
        CHECK_EQUAL(count, stats.pairs);
        (void)sap_created(c->world, &count);
        (void)sap_deleted(c->world, &count);
        CHECK_EQUAL(sap_get_filter(c->world, pair->id1, &category, &mask), SAP_OK);
        CHECK_EQUAL(sap_get_box(c->world, pair->id0, &box), SAP_OK);
        CHECK(sap_get_object(c->world, pair->id0) == pair->object0 && sap_is_valid(c->world, pair->id1));
        c->looks += sap_next(c->world, pair->id0) + (sap_id)sap_is_static(c->world, pair->id1) +
                    (sap_id)sap_count(c->world) + (sap_id)sap_snapshot_size(c->world);
    }
    return (pair->id0 * 7 + pair->id1) % 3 > 0;
}

static void same_events(const sap_pair *a, int n, const sap_pair *b, int m) {
    int i;
    CHECK_EQUAL(n, m);
    for (i = 0; i < n && i < m; i++)
        if (!CHECK(a[i].id0 == b[i].id0 && a[i].id1 == b[i].id1)) return;
}

/* A filter that looks at all there is to see, in the middle of an update, has the pairs of one that does not. */
static void looks_inside_the_filter(void) {
    enum { N = 700, FRAMES = 12 };
    curious c[2] = {{NULL, 0}, {NULL, 0}};
    sap_world *s[2];
    test_rng rng = {11};
    int i, k, frame, all = 0;
    for (k = 0; k < 2; k++) {
        sap_config config;
        memset(&config, 0, sizeof config);
        config.method = method;
        config.filter = look_around;
        config.filter_user = &c[k];
        s[k] = sap_create(&config);
        if (!CHECK(s[k] != NULL)) exit(1);
    }
    c[1].world = s[1];
    for (frame = 0; frame < FRAMES; frame++) {
        int n[2], m[2];
        const sap_pair *created[2], *deleted[2];
        for (i = 0; i < (frame ? N / (frame % 3 ? 20 : 1) : N); i++) {
            const int what = frame ? test_below(&rng, 20) : 0;
            const sap_id id = (sap_id)(frame ? test_below(&rng, N) + 1 : 0);
            sap_aabb box;
            for (k = 0; k < 3; k++) {
                box.min[k] = test_uniform(&rng, 0, 12);
                box.max[k] = box.min[k] + 2;
            }
            for (k = 0; k < 2; k++) {
                if (!frame)
                    CHECK(i % 5 ? sap_add(s[k], &box, NULL) : sap_add_static(s[k], &box, NULL));
                else if (what == 0)
                    CHECK_EQUAL(sap_refilter(s[k], id), SAP_OK);
                else if (what == 1)
                    CHECK_EQUAL(sap_set_filter(s[k], id, 1 + id % 2, 3), SAP_OK);
                else
                    CHECK_EQUAL(sap_move(s[k], id, &box), SAP_OK);
            }
        }
        for (k = 0; k < 2; k++) {
            CHECK_EQUAL(sap_update(s[k]), SAP_OK);
            CHECK(sap_validate(s[k]) == NULL);
            created[k] = sap_created(s[k], &n[k]);
            deleted[k] = sap_deleted(s[k], &m[k]);
        }
        same_events(created[0], n[0], created[1], n[1]);
        same_events(deleted[0], m[0], deleted[1], m[1]);
        all += n[0] + m[0];
    }
    CHECK(all > 5000 && c[1].looks > 0);
    for (k = 0; k < 2; k++) sap_destroy(s[k]);
}

static void many(void) {
    sap_world *s = make_world(NULL);
    sap_aabb boxes[4];
    sap_id ids[4] = {0, 0, 0, 0}, twice[3];
    void *objects[4];
    int i;
    for (i = 0; i < 4; i++) {
        boxes[i] = along_x((float)i, (float)i + 1);
        objects[i] = tag(i + 1);
    }
    CHECK_EQUAL(sap_add_many(s, 4, boxes, objects, ids), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 3);
    for (i = 0; i < 4; i++) CHECK(sap_get_object(s, ids[i]) == tag(i + 1));
    CHECK_EQUAL(sap_add_many(s, 4, boxes, NULL, ids), SAP_OK);
    for (i = 0; i < 4; i++) CHECK(sap_get_object(s, ids[i]) == NULL);
    twice[0] = twice[2] = 3;
    twice[1] = 1;
    REFUSED(s, sap_remove_many(s, 3, twice), SAP_ERROR_ID);
    CHECK(sap_is_valid(s, 1) && sap_is_valid(s, 3));
    CHECK_EQUAL(sap_remove_many(s, 2, twice), SAP_OK); /* and a refused call has left no mark behind */
    CHECK_EQUAL(sap_count(s), 6);
    twice[0] = twice[2] = 4;
    twice[1] = 2;
    boxes[0] = cube(70, 71);
    boxes[1] = cube(80, 81);
    boxes[2] = cube(80.5f, 82);
    CHECK_EQUAL(sap_move_many(s, 3, twice, boxes), SAP_OK);
    CHECK_EQUAL(sap_get_box(s, 4, &boxes[3]), SAP_OK);
    CHECK(boxes[3].min[0] == 80.5f); /* the last one wins */
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_find_pair(s, 2, 4) != NULL);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* Everything that is refused leaves no trace at all: a twin that never saw those calls goes the same way. */
static void refused_calls_leave_no_trace(void) {
    sap_world *s[2];
    sap_config config;
    int k;
    float bad_offset[3] = {1, 0, 0};
    memset(&config, 0, sizeof config);
    config.max_boxes = 6;
    for (k = 0; k < 2; k++) {
        s[k] = make_world(&config);
        add(s[k], along_x(0, 2));
        add(s[k], along_x(1, 3));
        add(s[k], along_x(2, 4));
        add(s[k], along_x(9, 10));
        sap_dump_pairs(s[k], NULL, NULL, NULL);
        sap_remove(s[k], 2); /* something of each kind is recorded */
        move(s[k], 3, along_x(1, 4));
        add(s[k], along_x(0, 1));
        sap_set_filter(s[k], 4, 2, 2);
        sap_refilter(s[k], 1);
        if (k == 1) {
            sap_aabb boxes[4], bad = cube(1, 0);
            sap_id ids[4] = {1, 3, 4, 1};
            boxes[0] = boxes[1] = boxes[2] = boxes[3] = cube(0, 100);
            REFUSED(s[k], sap_add_many(s[k], 4, boxes, NULL, ids), SAP_ERROR_LIMIT);
            CHECK_EQUAL(ids[0], 1);
            REFUSED(s[k], sap_remove_many(s[k], 4, ids), SAP_ERROR_ID);
            ids[2] = 2;
            REFUSED(s[k], sap_move_many(s[k], 3, ids, boxes), SAP_ERROR_ID);
            REFUSED(s[k], sap_remove_many(s[k], 3, ids), SAP_ERROR_ID);
            boxes[1] = bad;
            REFUSED(s[k], sap_move_many(s[k], 2, ids, boxes), SAP_ERROR_BOX);
            REFUSED(s[k], sap_add_many(s[k], 2, boxes, NULL, ids), SAP_ERROR_BOX);
            REFUSED_ID(s[k], sap_add(s[k], &bad, NULL), SAP_ERROR_BOX);
            REFUSED(s[k], sap_move(s[k], 1, &bad), SAP_ERROR_BOX);
            REFUSED(s[k], sap_move(s[k], 3, &bad), SAP_ERROR_BOX); /* it has moved already */
            REFUSED(s[k], sap_move(s[k], 2, &boxes[0]), SAP_ERROR_ID);
            REFUSED(s[k], sap_remove(s[k], 2), SAP_ERROR_ID);
            REFUSED(s[k], sap_set_filter(s[k], 2, 0, 0), SAP_ERROR_ID);
            REFUSED(s[k], sap_refilter(s[k], 2), SAP_ERROR_ID);
            bad_offset[1] = TEST_NAN;
            REFUSED(s[k], sap_shift_origin(s[k], bad_offset), SAP_ERROR_ARGUMENT);
            REFUSED(s[k], sap_reserve(s[k], -5, 5), SAP_ERROR_ARGUMENT);
        }
    }
    CHECK(look(s[0]) == look(s[1]));
    CHECK_EQUAL(sap_update(s[0]), SAP_OK);
    CHECK_EQUAL(sap_update(s[1]), SAP_OK);
    CHECK(look(s[0]) == look(s[1]));
    CHECK_EQUAL(add(s[0], cube(0, 1)), add(s[1], cube(0, 1)));
    sap_update(s[0]);
    sap_update(s[1]);
    CHECK(look(s[0]) == look(s[1]));
    sap_destroy(s[0]);
    sap_destroy(s[1]);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limit_of_boxes(void) {
    sap_config config;
    sap_world *s;
    sap_aabb boxes[3];
    sap_id ids[3] = {5, 5, 5};
    memset(&config, 0, sizeof config);
    config.max_boxes = 3;
    s = make_world(&config);
    boxes[0] = boxes[1] = boxes[2] = cube(0, 1);
    CHECK_EQUAL(sap_add_many(s, 2, boxes, NULL, ids), SAP_OK);
    ids[0] = ids[1] = 5;
    REFUSED(s, sap_add_many(s, 2, boxes, NULL, ids), SAP_ERROR_LIMIT);
    CHECK(ids[0] == 5 && ids[1] == 5);
    CHECK_EQUAL(add(s, boxes[0]), 3);
    REFUSED_ID(s, sap_add(s, boxes, NULL), SAP_ERROR_LIMIT);
    REFUSED_ID(s, sap_add_static(s, boxes, NULL), SAP_ERROR_LIMIT);
    REFUSED(s, sap_add_static_many(s, 1, boxes, NULL, ids), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    REFUSED_ID(s, sap_add(s, boxes, NULL), SAP_ERROR_LIMIT);
    sap_remove(s, 1); /* live boxes count: there is room at once, though not for the old slot */
    CHECK_EQUAL(add(s, boxes[0]), 4);
    REFUSED_ID(s, sap_add(s, boxes, NULL), SAP_ERROR_LIMIT);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 3);
    sap_destroy(s);
}

static int calls_made;
static void *count_created(const sap_pair *pair, void *user) {
    (void)pair;
    (void)user;
    calls_made++;
    return NULL;
}
static void count_deleted(const sap_pair *pair, void *user) {
    (void)pair;
    (void)user;
    calls_made++;
}

/* Updates that fail, more often than memory is given back, and then a look that links the pairs. */
static void looks_after_failures(void) {
    enum { PILES = 100, EACH = 4 };
    sap_config config;
    sap_world *s;
    sap_id first = 0, second = 0;
    int i;
    memset(&config, 0, sizeof config);
    config.max_pairs = PILES * EACH * (EACH - 1) / 2 + 100;
    config.method = SAP_METHOD_PRUNE;
    s = make_world(&config);
    for (i = 0; i < PILES * EACH; i++) {
        sap_id id = add(s, along_x((float)(i / EACH * 10), (float)(i / EACH * 10 + 1)));
        if (i == 0) first = id;
        if (i == 1) second = id;
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    (void)add(s, along_x(0, 10 * PILES));
    for (i = 0; i < 20; i++) CHECK_EQUAL(sap_update(s), SAP_ERROR_LIMIT);
    CHECK(sap_find_pair(s, first, second) != NULL);
    CHECK_EQUAL(sap_pairs_of(s, first, NULL, 0), EACH - 1);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

static void limit_of_pairs(void) {
    sap_config config;
    sap_world *s;
    int i, count;
    const sap_pair *p;
    memset(&config, 0, sizeof config);
    config.max_pairs = 3;
    s = make_world(&config);
    for (i = 0; i < 3; i++) add(s, along_x(0, 2));
    CHECK_EQUAL(sap_update(s), SAP_OK); /* exactly the limit */
    CHECK_EQUAL(pair_count(s), 3);
    add(s, along_x(1, 5));
    move(s, 3, along_x(4, 5));
    sap_remove(s, 2);
    add(s, along_x(1, 2));
    add(s, along_x(1, 2));
    /* 1, 4, 5, 6 all meet, and 3 meets 4: 7 pairs */
    calls_made = 0;
    REFUSED(s, sap_update(s), SAP_ERROR_LIMIT);
    REFUSED(s, sap_dump_pairs(s, count_created, count_deleted, NULL) == -SAP_ERROR_LIMIT ? SAP_ERROR_LIMIT : SAP_OK,
            SAP_ERROR_LIMIT);
    CHECK_EQUAL(calls_made, 0);
    CHECK_EQUAL(created_count(s), 3); /* pairs and events as before the call */
    CHECK(sap_find_pair(s, 1, 2) != NULL);
    CHECK_EQUAL(sap_set_pair_data(s, 1, 2, tag(4)), SAP_OK);
    CHECK_EQUAL(sap_count(s), 5);               /* what was recorded stays recorded */
    REFUSED(s, sap_update(s), SAP_ERROR_LIMIT); /* as often as you like */
    sap_remove(s, 4);
    CHECK_EQUAL(sap_update(s), SAP_OK); /* 1, 5, 6: once there is room nothing is missing */
    CHECK_EQUAL(pair_count(s), 3);
    CHECK(sap_find_pair(s, 1, 5) && sap_find_pair(s, 1, 6) && sap_find_pair(s, 5, 6));
    p = sap_deleted(s, &count);
    CHECK_EQUAL(count, 3);
    CHECK(count == 3 && p[0].id0 == 1 && p[0].id1 == 2 && p[0].user_data == tag(4));
    CHECK_EQUAL(created_count(s), 3);
    /* Exchanging all pairs at once is no excess: the pairs after the update count. */
    for (i = 1; i <= 6; i++)
        if (sap_is_valid(s, (sap_id)i)) sap_remove(s, (sap_id)i);
    for (i = 0; i < 3; i++) add(s, cube(0, 1));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 3);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ---- callbacks ------------------------------------------------------------------------------- */

typedef struct inside {
    sap_world *s;
    int created, deleted;
    sap_id added[8];
} inside;

static void try_what_is_forbidden(sap_world *s) {
    float offset[3] = {1, 1, 1};
    CHECK_EQUAL(sap_update(s), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_dump_pairs(s, NULL, NULL, NULL), -SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_reserve(s, 1000, 1000), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_set_parallel(s, NULL, NULL), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_set_grid(s, NULL), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_ERROR_BUSY);
    CHECK_EQUAL(sap_count(s) > 0, 1);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_BUSY);
    sap_set_pair_data(s, 1, 1, NULL); /* any other error, to see that destroy sets its own */
    sap_destroy(s);
    CHECK_EQUAL(sap_last_error(s), SAP_ERROR_BUSY);
    /* sap_prepare_queries, sap_save and sap_restore: see the tests of queries and snapshots. */
}

static void *inside_create(const sap_pair *pair, void *user) {
    inside *in = (inside *)user;
    sap_world *s = in->s;
    sap_aabb box = cube(0, 1), got;
    sap_id others[4];
    try_what_is_forbidden(s);
    if (in->created++ == 0) { /* the first one, of 1 and 2 */
        CHECK(pair->id0 == 1 && pair->id1 == 2);
        in->added[0] = sap_add(s, &box, tag(8));
        CHECK_EQUAL(in->added[0], 4);
        CHECK_EQUAL(sap_count(s), 4);
        CHECK_EQUAL(sap_add_many(s, 1, &box, NULL, &in->added[1]), SAP_OK);
        CHECK_EQUAL(sap_remove(s, in->added[1]), SAP_OK);
        CHECK_EQUAL(move(s, 3, cube(50, 51)), SAP_OK);
        CHECK_EQUAL(sap_get_box(s, 3, &got), SAP_OK);
        CHECK(got.min[0] == 50);
        CHECK_EQUAL(sap_set_filter(s, 2, 1, 0xffffffffu), SAP_OK);
        CHECK_EQUAL(sap_refilter(s, 2), SAP_OK);
        CHECK_EQUAL(sap_set_pair_data(s, 2, 3, tag(9)), SAP_OK);
        CHECK_EQUAL(sap_pairs_of(s, 1, others, 4), 2);
        CHECK(pair->id0 == 1 && pair->id1 == 2); /* still there to read */
    }
    return tag(in->created);
}

static void inside_delete(const sap_pair *pair, void *user) {
    inside *in = (inside *)user;
    sap_world *s = in->s;
    try_what_is_forbidden(s);
    CHECK(pair->user_data != NULL);
    if (in->deleted++ == 0)
        CHECK_EQUAL(sap_remove(s, 1), SAP_OK);
    else
        CHECK_EQUAL(sap_remove(s, 1), SAP_ERROR_ID);
    CHECK(sap_get_object(s, 1) == NULL);
}

static void calls_inside_callbacks(void) {
    inside in;
    sap_world *s = make_world(NULL);
    int i, count;
    memset(&in, 0, sizeof in);
    in.s = s;
    for (i = 0; i < 3; i++) add(s, cube(0, 1));
    CHECK_EQUAL(sap_dump_pairs(s, inside_create, inside_delete, &in), 3);
    CHECK_EQUAL(in.created, 3);
    CHECK_EQUAL(sap_last_error(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 3); /* what was recorded inside counts at the next update */
    CHECK_EQUAL(created_count(s), 3);
    CHECK(sap_find_pair(s, 1, 3) && sap_find_pair(s, 1, 3)->user_data == tag(2));
    CHECK_EQUAL(sap_count(s), 4);
    CHECK_EQUAL(sap_dump_pairs(s, NULL, inside_delete, &in), 3);
    CHECK_EQUAL(in.deleted, 2);       /* 3 went away from 1 and 2 */
    CHECK_EQUAL(created_count(s), 2); /* the box added inside meets 1 and 2 */
    CHECK(sap_find_pair(s, 1, 4) && sap_find_pair(s, 2, 4));
    CHECK_EQUAL(sap_is_valid(s, 1), 0); /* removed inside del, its pairs stand until the next update */
    CHECK(sap_find_pair(s, 1, 2) != NULL);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_deleted(s, &count);
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(pair_count(s), 1);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* Each of many callbacks adds boxes: whatever grows meanwhile, the pair in hand stays where it is. */
static void *adds_more(const sap_pair *pair, void *user) {
    inside *in = (inside *)user;
    sap_pair before = *pair;
    sap_aabb box = cube(200, 201);
    int i;
    for (i = 0; i < 40; i++) {
        sap_id id;
        box.min[0] += 3;
        box.max[0] += 3;
        id = sap_add(in->s, &box, NULL);
        if (i % 3 == 0) sap_move(in->s, pair->id1, &box);
        if (i % 4 == 0) sap_remove(in->s, id);
    }
    CHECK(memcmp(pair, &before, sizeof before) == 0);
    in->created++;
    return tag(in->created);
}

static void growth_inside_callbacks(void) {
    inside in;
    sap_world *s = make_world(NULL);
    int i, count;
    const sap_pair *p;
    memset(&in, 0, sizeof in);
    in.s = s;
    for (i = 0; i < 12; i++) add(s, cube(0, 1));
    CHECK_EQUAL(sap_dump_pairs(s, adds_more, NULL, &in), 66);
    CHECK_EQUAL(in.created, 66);
    p = sap_created(s, &count);
    CHECK_EQUAL(count, 66);
    for (i = 0; i < count; i++) CHECK(p[i].user_data == tag(i + 1));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_count(s), 12 + 66 * 30);
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* ---- the origin ------------------------------------------------------------------------------ */

static void shift_origin(void) {
    sap_world *s = make_world(NULL);
    sap_config flat;
    sap_aabb got, box;
    float offset[3] = {10, -20, 0};
    int axis;
    sap_id a = add(s, along_x(10, 12)), b = add(s, along_x(12, 13)), plane;
    box = cube(TEST_FLOAT_MAX * -1, 0);
    test_set_bits(&box.min[0], 0xff800000u);
    test_set_bits(&box.max[0], 0x7f800000u);
    box.min[1] = -5;
    box.max[1] = -4;
    box.min[2] = 0;
    plane = sap_add(s, &box, NULL);
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 1);
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    sap_get_box(s, a, &got);
    CHECK(got.min[0] == 0 && got.max[0] == 2 && got.min[1] == 20 && got.max[1] == 21 && got.min[2] == 0);
    sap_get_box(s, plane, &got);
    CHECK(test_bits(got.min[0]) == 0xff800000u && test_bits(got.max[0]) == 0x7f800000u); /* infinite stays */
    CHECK(got.min[1] == 15 && got.max[1] == 16);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);

    for (axis = 0; axis < 3; axis++) {
        static const uint32_t bad[] = {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xff800001u};
        size_t i;
        for (i = 0; i < 4; i++) {
            offset[0] = offset[1] = offset[2] = 1;
            test_set_bits(&offset[axis], bad[i]);
            REFUSED(s, sap_shift_origin(s, offset), SAP_ERROR_ARGUMENT);
        }
    }
    /* Only one bound of one box of many would overflow: still nothing changes. */
    box = cube(-TEST_FLOAT_MAX, 0);
    move(s, b, box);
    offset[0] = offset[1] = 0;
    offset[2] = TEST_FLOAT_MAX;
    REFUSED(s, sap_shift_origin(s, offset), SAP_ERROR_ARGUMENT);
    move(s, b, cube(TEST_FLOAT_MAX, TEST_FLOAT_MAX));
    sap_update(s);
    offset[0] = offset[1] = 0;
    offset[2] = -TEST_FLOAT_MAX;
    REFUSED(s, sap_shift_origin(s, offset), SAP_ERROR_ARGUMENT);
    offset[2] = TEST_FLOAT_MAX;
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    sap_get_box(s, b, &got);
    CHECK(got.min[2] == 0 && got.max[0] == TEST_FLOAT_MAX);
    sap_destroy(s);

    /* It acts as a move: rounding may bring two boxes into contact, and the next update says so. */
    s = make_world(NULL);
    add(s, cube(0, 1));
    add(s, cube(test_float(0x3f800001u), 2));
    sap_update(s);
    CHECK_EQUAL(pair_count(s), 0);
    offset[0] = offset[1] = offset[2] = -1e6f;
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    CHECK_EQUAL(pair_count(s), 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), 1);
    sap_destroy(s);

    /* What the world does not use, it does not shift or judge. */
    memset(&flat, 0, sizeof flat);
    flat.axes = SAP_2D;
    s = make_world(&flat);
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK); /* an empty world has nothing to shift */
    a = add(s, cube(1, 2));
    offset[0] = offset[1] = 1;
    offset[2] = TEST_NAN;
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    sap_get_box(s, a, &got);
    CHECK(got.min[0] == 0 && got.max[1] == 1 && test_bits(got.min[2]) == 0 && test_bits(got.max[2]) == 0);
    sap_destroy(s);
}

/* ---- stats ----------------------------------------------------------------------------------- */

static void stats(void) {
    sap_world *s = make_world(NULL);
    sap_stats now;
    int i;
    memset(&now, 0xff, sizeof now);
    sap_get_stats(s, &now);
    CHECK(now.boxes == 0 && now.static_boxes == 0 && now.pairs == 0 && now.created == 0 && now.deleted == 0);
    CHECK(now.swaps == 0 && now.overlap_tests == 0 && now.bytes > 0);
    for (i = 0; i < 100; i++) add(s, along_x((float)i, (float)i + 1));
    sap_get_stats(s, &now);
    CHECK(now.boxes == 100 && now.pairs == 0 && now.created == 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &now);
    CHECK(now.pairs == 99 && now.created == 99 && now.deleted == 0);
    sap_remove(s, 1);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &now);
    CHECK(now.boxes == 99 && now.pairs == 98 && now.created == 0 && now.deleted == 1);
    CHECK_EQUAL(sap_update(s), SAP_OK); /* an update with nothing recorded does nothing */
    sap_get_stats(s, &now);
    CHECK(now.swaps == 0 && now.overlap_tests == 0 && now.created == 0 && now.deleted == 0);
    for (i = 2; i <= 100; i++) move(s, (sap_id)i, along_x((float)(100 - i), (float)(100 - i) + 1.5f));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &now);
    CHECK(now.swaps + now.overlap_tests > 0);
    sap_destroy(s);
}

static const sap_world *counted_world;
static long counted, wrongly_counted;

/* All that the allocator gave, and nothing else: a block has a header, of the arrays or of the world itself. */
static int are_all_bytes(const sap_world *s) {
    sap_stats now;
    sap_get_stats(s, &now);
    return now.bytes <= live_bytes && now.bytes + (size_t)(16 * sizeof(void *)) * (size_t)live_blocks >= live_bytes;
}

static int count_bytes(const sap_pair *pair, void *user) {
    (void)pair;
    (void)user;
    counted++;
    wrongly_counted += !are_all_bytes(counted_world);
    return 1;
}

/* sap_stats.bytes is what is held, after every call and in the middle of an update. */
static void all_bytes_are_counted(void) {
    sap_config config;
    sap_world *s;
    int i, frame;
    memset(&config, 0, sizeof config);
    config.filter = count_bytes;
    CHECK_EQUAL(live_blocks, 0);
    counted = wrongly_counted = 0;
    counted_world = s = make_world(&config);
    for (i = 0; i < 100; i++) {
        add(s, along_x(2 * (float)i, 2 * (float)i + 1));
        CHECK(are_all_bytes(s));
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(are_all_bytes(s));
    for (frame = 0; frame < 40; frame++) {
        const float width = frame % 2 ? 2.5f : 1, point[3] = {1, 1, 1};
        for (i = 0; i < 100; i++) move(s, (sap_id)i + 1, along_x(2 * (float)i, 2 * (float)i + width));
        CHECK_EQUAL(sap_update(s), SAP_OK);
        if (frame % 8 == 0) CHECK(sap_query_point(s, point, 1, NULL, NULL) >= 0);
        CHECK(sap_pairs_of(s, 5, NULL, 0) >= 0);
        CHECK(are_all_bytes(s));
    }
    CHECK(counted >= 20 * 99);
    CHECK_EQUAL(wrongly_counted, 0);
    sap_destroy(s);
    CHECK_EQUAL(live_blocks, 0);
}

/* Two worlds know nothing of each other. */
static void two_worlds(void) {
    sap_world *s = make_world(NULL), *t = make_world(NULL);
    add(s, cube(0, 1));
    CHECK_EQUAL(add(t, cube(0, 1)), 1);
    CHECK_EQUAL(add(t, cube(0, 1)), 2);
    CHECK_EQUAL(sap_remove(s, 2), SAP_ERROR_ID);
    CHECK_EQUAL(sap_last_error(t), SAP_OK);
    sap_update(t);
    sap_update(s);
    CHECK(pair_count(s) == 0 && pair_count(t) == 1);
    sap_destroy(s);
    CHECK_EQUAL(pair_count(t), 1);
    sap_destroy(t);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* sap_stats.method is the method that settled the last update, the one that was asked for. */
static void methods(void) {
    static const int bad[] = {-1, SAP_METHOD_QUERY + 1, 256, INT_MAX, INT_MIN};
    enum { N = 300 };
    sap_config config;
    sap_world *s;
    sap_stats now;
    test_rng rng = {11};
    int i, frame;
    size_t k;
    memset(&config, 0, sizeof config);
    for (k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        config.method = bad[k];
        CHECK(sap_create(&config) == NULL);
    }
    s = make_world(NULL);
    sap_get_stats(s, &now);
    CHECK_EQUAL(now.method, 0);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &now);
    CHECK_EQUAL(now.method, 0);
    for (frame = 0; frame < 20; frame++) { /* whatever it costs: many go anywhere, then few, then one */
        for (i = 0; i < (frame < 10 ? N : frame < 15 ? 10 : 1); i++) {
            sap_aabb box;
            scene_box(&rng, SCENE_UNIFORM, &box);
            if (frame == 0)
                CHECK(add(s, box) != 0);
            else
                CHECK_EQUAL(move(s, (sap_id)i + 1, box), SAP_OK);
        }
        CHECK_EQUAL(sap_update(s), SAP_OK);
        sap_get_stats(s, &now);
        if (method == SAP_METHOD_AUTO)
            CHECK(now.method >= SAP_METHOD_SORT && now.method <= SAP_METHOD_QUERY);
        else
            CHECK_EQUAL(now.method, method);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        sap_get_stats(s, &now);
        CHECK(now.method == 0 && now.swaps == 0 && now.overlap_tests == 0); /* nothing was recorded */
    }
    sap_destroy(s);
}

/* ---- sap_validate ---------------------------------------------------------------------------- */

/* A world that has all that sap_validate looks at: see ways.h. */
static sap_world *make_full_world(int how) {
    enum { N = 400 };
    static const sap_aabb far_away = {{900, 900, 900}, {901, 901, 901}};
    sap_config config;
    sap_world *s;
    test_rng rng = {5};
    sap_aabb box;
    sap_id ids[N], lone[5];
    int i, axis;
    memset(&config, 0, sizeof config);
    config.method = how;
    s = sap_create(&config);
    if (!CHECK(s != NULL)) exit(1);
    for (i = 0; i < N; i++) {
        for (axis = 0; axis < 3; axis++) {
            box.min[axis] = test_uniform(&rng, 0, 40);
            box.max[axis] = box.min[axis] + 3;
        }
        ids[i] = i % 8 ? sap_add(s, &box, tag(i)) : sap_add_static(s, &box, tag(i));
    }
    for (i = 0; i < 5; i++) lone[i] = add(s, cube(100.0f + 2.0f * (float)i, 101.0f + 2.0f * (float)i));
    sap_update(s);
    sap_remove(s, lone[0]); /* free slots */
    sap_remove(s, lone[1]);
    add(s, cube(10, 20)); /* events of the last update */
    sap_update(s);
    CHECK_EQUAL(sap_query_box(s, &far_away, 1, NULL, NULL), 0);
    CHECK(sap_pairs_of(s, ids[0], NULL, 0) >= 0); /* both indices of pairs are built */
    CHECK(sap_find_pair(s, ids[0], ids[0]) == NULL);
    move(s, ids[1], far_away); /* and once more after a query */
    CHECK_EQUAL(sap_query_box(s, &far_away, 1, NULL, NULL), 1);
    move(s, ids[1], cube(800, 801));
    add(s, far_away);
    sap_remove(s, lone[3]);
    sap_refilter(s, ids[2]);
    return s;
}

/* A broken invariant is found, and called by its name. */
/* A grid of SAPs with hashed cells, large boxes, some boxes in several cells, and an empty cell. */
static sap_world *make_full_grid(void) {
    const sap_grid grid = grid_of(HASHED, 4, 7);
    sap_config config;
    sap_world *s;
    test_rng rng = {4};
    int i, k;
    memset(&config, 0, sizeof config);
    config.method = SAP_METHOD_SORT;
    s = open_with(&config, &grid, NULL, NULL);
    for (i = 0; i < 80; i++) {
        sap_aabb box;
        for (k = 0; k < 3; k++) {
            box.min[k] = i ? test_uniform(&rng, 0, 12) : 100;
            box.max[k] = box.min[k] + (i % 20 == 1 ? 20.0f : 1.0f);
        }
        CHECK_EQUAL(sap_add(s, &box, NULL), i + 1);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(sap_remove(s, 1), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    return s;
}

static void validate(const damage *d, int is_grid) {
    for (; d->sentence; d++) {
        sap_world *s = is_grid ? make_full_grid() : make_full_world(d->method);
        const char *said = sap_validate(s);
        CHECK_MESSAGE(!said, "of a world that is well sap_validate says '%s'", said);
        d->spoil(s);
        said = sap_validate(s);
        CHECK_MESSAGE(said && strcmp(said, d->sentence) == 0, "sap_validate says '%s', not '%s'", said ? said : "",
                      d->sentence);
        sap_destroy(s);
    }
}

/* ---- cost and memory -------------------------------------------------------------------------- */

/* With nothing recorded O(1); a box handed in where it is is nothing; one box asks those around it. */
static void few_cost_little(void) {
    enum { N = 2000 };
    sap_world *s = make_world(NULL);
    sap_stats now;
    int i;
    for (i = 0; i < N; i++) add(s, along_x(2 * (float)i, 2 * (float)i + 1));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    for (i = 0; i < N; i++) CHECK_EQUAL(move(s, (sap_id)i + 1, along_x(2 * (float)i, 2 * (float)i + 1)), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s) + deleted_count(s), 0);
    move(s, N / 2, along_x(N, N + 1.5f));
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &now);
    if (method == SAP_METHOD_AUTO || method == SAP_METHOD_QUERY) CHECK(now.overlap_tests <= N / 4);
    sap_destroy(s);
}

static size_t bytes_of(const sap_world *s) {
    sap_stats now;
    sap_get_stats(s, &now);
    return now.bytes;
}

/* So many boxes of size 1, in a cube that gives each so much room. */
static void fill(sap_world *s, test_rng *rng, sap_aabb *boxes, sap_id *ids, int n, float room) {
    float side = 1;
    int i, k;
    while (side * side * side < room * (float)n) side += 1;
    for (i = 0; i < n; i++)
        for (k = 0; k < 3; k++) {
            boxes[i].min[k] = test_uniform(rng, 0, side);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
    if (!CHECK_EQUAL(sap_add_many(s, n, boxes, NULL, ids), SAP_OK)) exit(1);
}

/* All walk, in every update. */
static void walk(sap_world *s, test_rng *rng, sap_aabb *boxes, const sap_id *ids, int n, int frames) {
    int i, k;
    for (; frames > 0; frames--) {
        for (i = 0; i < n; i++)
            for (k = 0; k < 3; k++) {
                float by = test_uniform(rng, -0.1f, 0.1f);
                boxes[i].min[k] += by;
                boxes[i].max[k] += by;
            }
        CHECK_EQUAL(sap_move_many(s, n, ids, boxes), SAP_OK);
        CHECK_EQUAL(sap_update(s), SAP_OK);
    }
}

/* Packs depend on what is looked at, so all kernels look at the same. */
static void kernels_look_at_the_same(void) {
    enum { N = 3000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    long long tests[KERNELS] = {0};
    int kernel, frame;
    for (kernel = 0; kernel < KERNELS; kernel++) {
        sap_config config = {0};
        test_rng rng = {5};
        sap_stats stats;
        config.method = SAP_METHOD_PRUNE;
        sap_world *s = sap_create(&config);
        if (!CHECK(s != NULL)) exit(1);
        fill(s, &rng, boxes, ids, N, 4);
        if (force_kernel(s, kernel))
            for (frame = 0; frame < 40; frame++) {
                walk(s, &rng, boxes, ids, N, 1);
                sap_get_stats(s, &stats);
                tests[kernel] += stats.overlap_tests;
            }
        sap_destroy(s);
        if (tests[kernel]) CHECK_EQUAL(tests[kernel], tests[0]);
    }
}

/* Upper bounds alone: whoever needs less is welcome. All that a world holds, pairs and scratch included. */
static void memory_is_bounded(void) {
    enum { N = 100000, CROWD = 1000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_world *s = sap_create(NULL), *other = sap_create(NULL);
    test_rng rng = {4};
    size_t before;
    int i, k;
    long calls = allocations;
    if (!CHECK(s != NULL && other != NULL)) exit(1);
    for (i = 0; i < 8000; i++) add(other, along_x(2 * (float)i, 2 * (float)i + 1)); /* one by one: arrays double */
    CHECK_AT_MOST(allocations - calls, 800);
    sap_destroy(other);

    /* Walking boxes, one pair for each. */
    fill(s, &rng, boxes, ids, N, 4);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    walk(s, &rng, boxes, ids, N, 12);
    CHECK(pair_count(s) > N / 2 && pair_count(s) < 2 * N);
    CHECK_AT_MOST((double)bytes_of(s) / N, 210);
    sap_destroy(s);

    /* What is reserved and never used. */
    s = sap_create(NULL);
    before = bytes_of(s);
    CHECK_EQUAL(sap_reserve(s, N, 0), SAP_OK);
    CHECK_AT_MOST((double)(bytes_of(s) - before) / N, 190);
    before = bytes_of(s);
    CHECK_EQUAL(sap_reserve(s, N, 4 * N), SAP_OK);
    CHECK_AT_MOST((double)(bytes_of(s) - before) / (4 * N), 200);
    sap_destroy(s);

    /* A crowd of 500,000 pairs comes, among few others or among many, and goes: some updates later its memory is given
       back, whether all walk or nearly none. */
    for (i = 0; i < 8; i++) {
        const int n = i & 1 ? 16 * CROWD : 4 * CROWD, walkers = i & 2 ? n : n / 100;
        s = make_world(NULL);
        fill(s, &rng, boxes, ids, n, 8);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        always_fail(); /* what was not reserved may be given back */
        if (i & 1) CHECK_EQUAL(sap_reserve(s, 0, INT_MAX), SAP_ERROR_MEMORY);
        never_fail();
        walk(s, &rng, boxes, ids, n, 4);
        walk(s, &rng, boxes, ids, walkers, 100);
        before = bytes_of(s);
        for (k = 0; k < CROWD; k++) move(s, ids[k], cube(0, 1));
        CHECK_EQUAL(sap_update(s), SAP_OK);
        CHECK(pair_count(s) >= CROWD * (CROWD - 1) / 2);
        CHECK_AT_MOST((double)bytes_of(s) / pair_count(s), 200);
        if (i & 4) CHECK(sap_pairs_of(s, ids[0], NULL, 0) >= CROWD - 1);
        for (k = 0; k < CROWD; k++) move(s, ids[k], boxes[k]);
        CHECK_EQUAL(sap_update(s), SAP_OK);
        walk(s, &rng, boxes, ids, walkers, 100);
        CHECK(are_all_bytes(s));
        CHECK_MESSAGE(bytes_of(s) <= 2 * before, "%d of %d boxes walk: %lu bytes before the crowd, %lu after it",
                      walkers, n, (unsigned long)before, (unsigned long)bytes_of(s));
        sap_destroy(s);
    }
}

/* The most boxes and the most pairs that there can be; config sets lower ones, see limit_of_boxes. */
static void highest_limits(void) {
    enum { MOST_BOXES = 16777215 };
    sap_world *s = sap_create(NULL);
    REFUSED(s, sap_reserve(s, MOST_BOXES + 1, 0), SAP_ERROR_LIMIT);
    REFUSED(s, sap_reserve(s, INT_MAX, 0), SAP_ERROR_LIMIT);
    always_fail(); /* one less is a matter of memory only */
    CHECK_EQUAL(sap_reserve(s, MOST_BOXES, 0), SAP_ERROR_MEMORY);
    CHECK_EQUAL(sap_reserve(s, 0, INT_MAX), SAP_ERROR_MEMORY);
    never_fail();
    CHECK(add(s, cube(0, 1)) == 1);
    sap_destroy(s);
}

/* ---- found by review ------------------------------------------------------------------------------ */

/* Where arithmetic flushes denormals (-ffast-math), a shift still subtracts: 0x00900000 is 18 * 2^-130. */
static void shift_to_denormals(void) {
    const uint32_t from[4] = {0x00900000u, 0x00900003u, 0x80900003u, 0x00000007u};
    const float offset[3] = {test_float(0x00880000u), test_float(0x00000005u), 0};
    sap_world *s = sap_create(NULL);
    sap_id ids[4];
    sap_aabb box;
    int i;
    for (i = 0; i < 4; i++) {
        box = cube(test_float(from[i]), test_float(from[i]));
        ids[i] = sap_add(s, &box, NULL);
    }
    CHECK_EQUAL(sap_shift_origin(s, offset), SAP_OK);
    for (i = 0; i < 4; i++) { /* these, but for the third's sum, are exact in units of 2^-149 */
        const uint32_t x[4] = {0x00080000u, 0x00080003u, 0x810c0002u, 0x8087fff9u};
        const uint32_t y[4] = {0x008ffffbu, 0x008ffffeu, 0x80900008u, 0x00000002u};
        CHECK_EQUAL(sap_get_box(s, ids[i], &box), SAP_OK);
        CHECK_EQUAL(test_bits(box.min[0]), x[i]);
        CHECK_EQUAL(test_bits(box.max[1]), y[i]);
        CHECK_EQUAL(test_bits(box.min[2]), from[i]);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 0);
    sap_destroy(s);
}

/* What is not above 0 stops a cast, and NaN is not, under -ffast-math either. */
static float answer_nan(sap_id id, void *object, float t, void *user) {
    (void)id;
    (void)object;
    (void)t;
    ++*(int *)user;
    return test_float(0x7fc00000u);
}

static void nan_stops_a_cast(void) {
    const float origin[3] = {-1, 0.5f, 0.5f}, along[3] = {100, 0, 0};
    sap_world *s = sap_create(NULL);
    sap_aabb box = cube(0, 1);
    int i, seen = 0;
    for (i = 0; i < 20; i++) {
        (void)sap_add(s, &box, NULL);
        box.min[0] += 2, box.max[0] += 2;
    }
    CHECK_EQUAL(sap_ray_cast(s, origin, along, ~0u, answer_nan, &seen), 1);
    box = cube(-2, 0.5f);
    CHECK_EQUAL(sap_box_cast(s, &box, along, ~0u, answer_nan, &seen), 1);
    CHECK_EQUAL(seen, 2);
    sap_destroy(s);
}

/* A shift by nothing changes nothing, also where arithmetic flushes denormals (-ffast-math): these two would touch. */
static void shift_by_nothing(void) {
    const float nothing[3] = {0, TEST_MINUS_0, 0};
    sap_world *s = sap_create(NULL);
    sap_aabb low = cube(-1, 0), high = cube(0, 1);
    low.max[0] = test_float(1000);
    high.min[0] = test_float(2000);
    CHECK(sap_add(s, &low, NULL) != 0 && sap_add(s, &high, NULL) != 0);
    CHECK_EQUAL(sap_shift_origin(s, nothing), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_pairs(s, NULL) == NULL || sap_find_pair(s, 1, 2) == NULL);
    sap_destroy(s);
}

/* Whatever bits are handed in: an error or not, and never an assertion. */
static void any_bits(void) {
    sap_world *s = make_world(NULL);
    test_rng rng = {6};
    int i, k;
    for (i = 0; i < 3000; i++) {
        sap_id id = test_chance(&rng, 50) ? (sap_id)test_random(&rng) : (sap_id)test_below(&rng, 60);
        uint32_t bits[6];
        sap_aabb box;
        for (k = 0; k < 6; k++) bits[k] = (uint32_t)test_random(&rng) >> test_below(&rng, 32);
        memcpy(&box, bits, sizeof box);
        switch (test_below(&rng, 6)) {
        case 0: (void)sap_add(s, &box, NULL); break;
        case 1: (void)sap_move(s, id, &box); break;
        case 2: (void)sap_remove(s, id); break;
        case 3: (void)sap_query_box(s, &box, id, NULL, NULL); break;
        case 4: (void)sap_ray_cast(s, box.min, box.max, id, NULL, NULL); break;
        default: CHECK_EQUAL(sap_update(s), SAP_OK);
        }
    }
    CHECK(sap_validate(s) == NULL);
    sap_destroy(s);
}

/* Bounds are kept to the bit, and nothing is rounded but the one subtraction of a shift. */
static void bounds_are_exact(void) {
    static const uint32_t bits[] = {0x00000001u, 0x00400000u, 0x00800000u, 0x3f800000u, 0x7f000000u};
    const float offset[3] = {0.1f, 1000, -7};
    sap_world *s = make_world(NULL);
    sap_aabb box, seen;
    test_rng rng = {5};
    size_t i;
    int k, wrong = 0;
    for (i = 0; i < sizeof bits / sizeof bits[0]; i++) { /* one step apart, also where machines take it for zero */
        add(s, cube(test_float(bits[i]), test_float(bits[i])));
        add(s, cube(test_float(bits[i] + 1), test_float(bits[i] + 1)));
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(pair_count(s), 0);
    for (i = 0; i < 1000; i++) {
        scene_box(&rng, SCENE_BITS, &box);
        wrong += move(s, 1, box) != SAP_OK || sap_get_box(s, 1, &seen) != SAP_OK || !model_same_box(&box, &seen);
    }
    for (i = 0; i < 1000; i++) {
        scene_box(&rng, SCENE_UNIFORM, &box);
        wrong += move(s, 1, box) != SAP_OK || sap_shift_origin(s, offset) != SAP_OK;
        wrong += sap_get_box(s, 1, &seen) != SAP_OK;
        for (k = 0; k < 3; k++) {
            volatile float lo = box.min[k] - offset[k], hi = box.max[k] - offset[k];
            wrong += test_key(seen.min[k]) != test_key(lo) || test_key(seen.max[k]) != test_key(hi);
        }
    }
    CHECK_EQUAL(wrong, 0);
    sap_destroy(s);
}

/* Static boxes that all start at one place: to find each among them would be quadratic. */
static void one_start_for_all(void) {
    enum { N = 20000 };
    sap_world *s = make_world(NULL);
    sap_stats now;
    int i;
    for (i = 0; i < N; i++) {
        sap_aabb box = cube(0, 1);
        CHECK(sap_add_static(s, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    for (i = 0; i < N / 5; i++) {
        sap_aabb box = cube(0, 1);
        box.max[2] = 2;
        CHECK_EQUAL(sap_move(s, (sap_id)i + 1, &box), SAP_OK);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    sap_get_stats(s, &now);
    CHECK(now.overlap_tests <= 20 * N);
    CHECK_EQUAL(pair_count(s), 0);
    sap_destroy(s);
}

/* A fifth of the boxes come to one place in one update. */
static void a_crowd_comes(void) {
    enum { N = 2000 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    sap_world *s = make_world(NULL);
    test_rng rng = {3};
    int i, k;
    fill(s, &rng, boxes, ids, N, 32);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    for (i = 0; i < N; i += 5)
        for (k = 0; k < 3; k++) {
            boxes[i].min[k] = test_uniform(&rng, 10, 13);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
    CHECK_EQUAL(sap_move_many(s, N, ids, boxes), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK(sap_validate(s) == NULL);
    CHECK_EQUAL(pair_count(s), sap_box_prune(boxes, N, 0, NULL, NULL));
    sap_destroy(s);
}

/* One box grows until it touches all others. */
static void a_wide_box_asks(void) {
    enum { SIDE = 14, N = SIDE * SIDE * SIDE };
    sap_world *s = make_world(NULL);
    sap_id id = add(s, cube(-1, -1));
    int i, k;
    for (i = 0; i < N; i++) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        sap_aabb box;
        for (k = 0; k < 3; k++) box.min[k] = (float)(2 * at[k]), box.max[k] = box.min[k] + 1;
        CHECK(sap_add(s, &box, NULL) != 0);
    }
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(move(s, id, cube(-1, 2 * SIDE)), SAP_OK);
    CHECK_EQUAL(sap_update(s), SAP_OK);
    CHECK_EQUAL(created_count(s), N);
    sap_destroy(s);
}

int main(void) {
    types();
    result_text();
    null_world();
    validate(all_damages(), 0);
    validate(all_grid_damages(), 1);
    memory_is_bounded();
    kernels_look_at_the_same();
    highest_limits();
    shift_by_nothing();
    shift_to_denormals();
    nan_stops_a_cast();
    for (method = SAP_METHOD_AUTO; method < METHODS; method++) {
        methods();
        few_cost_little();
        any_bits();
        bounds_are_exact();
        one_start_for_all();
        a_crowd_comes();
        a_wide_box_asks();
        create_and_destroy();
        reserve();
        null_arguments();
        last_error();
        last_error_argument();
        argument_after_a_filter();
        bad_boxes();
        overlap();
        get_box();
        ids_count_up();
        ids_come_back();
        masks_in_one_direction();
        margin_is_checked();
        margin_rounds_outward();
        margin_makes_moves_free();
        margin_is_five_times_exact();
        margin_and_snapshots();
        only_queried(0);
        only_queried(1);
        slots_are_held();
        slots_are_held_once();
        used_again_in_a_tree(0);
        used_again_in_a_tree(1);
        removed_id_is_refused();
        generations_wrap();
        record_then_settle();
        only_the_net_change();
        events_are_sorted();
        all_boxes_go();
        most_boxes_go();
        dump_pairs();
        masks();
        statics();
        user_filter();
        looks_inside_the_filter();
        many();
        refused_calls_leave_no_trace();
        limit_of_boxes();
        limit_of_pairs();
        looks_after_failures();
        calls_inside_callbacks();
        growth_inside_callbacks();
        shift_origin();
        stats();
        all_bytes_are_counted();
        two_worlds();
    }
    return test_summary();
}
