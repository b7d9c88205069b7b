/*
Shows how to put sap into a 2D physics engine: it replaces the spatial indexes of Chipmunk, all methods of them.

    cc -I.. -I/usr/include/stb -O2 -o chipmunk 13_chipmunk.c -lchipmunk -lm && ./chipmunk

Needs Chipmunk 7 (Debian: chipmunk-dev); `make engine` installs it, builds this and runs it.
./chipmunk times also measures Chipmunk's tree, its hash and its sweep, as they are, and sap, in the same scenes.
Chipmunk solves contacts in the order in which pairs are found, and in a pile that changes the result. So here Chipmunk's
tree, too, reports its pairs in the order of the shapes' numbers; then both give the same simulation, to the last bit.
The first two lines are Chipmunk's own. It prints:

    Initializing cpSpace - Chipmunk v7.0.3 (Debug Enabled)
    Compile with -DNDEBUG defined to disable debug mode and runtime assertion checks
    600 steps    bodies at the end   asleep   contacts, in all steps
    pyramid                   117        4                   416619: the same to the last bit
    rain                      580        0                   990487: the same to the last bit
    drift                     580        0                    30122: the same to the last bit
*/
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <chipmunk/chipmunk.h>
#include <chipmunk/chipmunk_structs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define SAP_IMPLEMENTATION
#include "sap.h"

/* ---- the adapter ------------------------------------------------------------------------------------------- */

/* Chipmunk has one index for what is static or sleeps, and one for what moves. Here both are one world: what is in the
   first is static there. The categories let queries look into one of the two. */
enum { MOVING = 2, STANDING = 4 };

typedef struct sap_index {
    cpSpatialIndex base; /* first: Chipmunk knows only this */
    struct shared *shared;
    int kind, count;
} sap_index;

typedef struct shared {
    sap_world *world;
    sap_id *ids; /* by hashid: a space numbers its shapes from 0 */
    size_t ids_length;
    int users;     /* indexes that are not freed yet */
    int is_sorted; /* report pairs by the numbers of their shapes */
} shared;

static void *checked(void *p) {
    if (!p) abort(); /* as Chipmunk does */
    return p;
}

static sap_aabb box_of(cpBB bb) { /* rounded outward: Chipmunk tests its own doubles again */
    const double min[3] = {bb.l, bb.b, 0}, max[3] = {bb.r, bb.t, 0};
    return sap_aabb_from_doubles(min, max);
}

static sap_index *index_of(cpSpatialIndex *base) {
    return (sap_index *)(void *)base;
}

static void index_destroy(cpSpatialIndex *base) {
    shared *s = index_of(base)->shared;
    if (--s->users) return;
    sap_destroy(s->world);
    free(s->ids);
    free(s);
}

static int index_count(cpSpatialIndex *base) {
    return index_of(base)->count;
}

static void index_each(cpSpatialIndex *base, cpSpatialIndexIteratorFunc func, void *data) {
    const sap_world *world = index_of(base)->shared->world;
    const int standing = index_of(base)->kind == STANDING;
    for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id))
        if (sap_is_static(world, id) == standing) func(sap_get_object(world, id), data);
}

static cpBool index_contains(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    const shared *s = index_of(base)->shared;
    (void)object;
    return hashid < s->ids_length && sap_is_valid(s->world, s->ids[hashid]) &&
           sap_is_static(s->world, s->ids[hashid]) == (index_of(base)->kind == STANDING);
}

static void index_insert(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    shared *s = index_of(base)->shared;
    const int kind = index_of(base)->kind;
    const sap_aabb box = box_of(base->bbfunc(object));
    if (hashid >= s->ids_length) {
        const size_t length = 2 * (size_t)hashid + 64;
        s->ids = (sap_id *)checked(realloc(s->ids, length * sizeof *s->ids));
        memset(s->ids + s->ids_length, 0, (length - s->ids_length) * sizeof *s->ids);
        s->ids_length = length;
    }
    s->ids[hashid] = (kind == STANDING ? sap_add_static : sap_add)(s->world, &box, object);
    if (!s->ids[hashid]) abort();
    sap_set_filter(s->world, s->ids[hashid], (uint32_t)kind, ~0u);
    index_of(base)->count++;
}

static void index_remove(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    shared *s = index_of(base)->shared;
    (void)object;
    index_of(base)->count -= sap_remove(s->world, s->ids[hashid]) == SAP_OK;
    s->ids[hashid] = 0;
}

static void index_reindex_object(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    const shared *s = index_of(base)->shared;
    const sap_aabb box = box_of(base->bbfunc(object));
    if (hashid < s->ids_length) sap_move(s->world, s->ids[hashid], &box); /* refused, without harm, if it is not here */
}

static void index_reindex(cpSpatialIndex *base) {
    sap_world *world = index_of(base)->shared->world;
    const int standing = index_of(base)->kind == STANDING;
    for (sap_id id = sap_next(world, 0); id; id = sap_next(world, id)) {
        if (sap_is_static(world, id) != standing) continue;
        const sap_aabb box = box_of(base->bbfunc(sap_get_object(world, id)));
        sap_move(world, id, &box);
    }
}

/* A pair as Chipmunk wants it: the shape with the lower number first. 'at' is its place in sap_pairs. */
typedef struct found {
    cpShape *a, *b;
    uintptr_t id; /* what Chipmunk keeps with a pair, a hint for its collision test */
    int at;
} found;

static int by_numbers(const void *x, const void *y) {
    const found *p = (const found *)x, *q = (const found *)y;
    if (p->a != q->a) return p->a->hashid < q->a->hashid ? -1 : 1;
    return (p->b->hashid > q->b->hashid) - (p->b->hashid < q->b->hashid);
}

static found make_found(void *one, void *other, uintptr_t id, int at) {
    cpShape *a = (cpShape *)one, *b = (cpShape *)other;
    return a->hashid < b->hashid ? (found){a, b, id, at} : (found){b, a, id, at};
}

static void report_sorted(shared *s, const sap_pair *pairs, int count, cpSpatialIndexQueryFunc func, void *data) {
    found *f = (found *)checked(malloc(((size_t)count + 1) * sizeof *f));
    for (int i = 0; i < count; i++)
        f[i] = make_found(pairs[i].object0, pairs[i].object1, (uintptr_t)pairs[i].user_data, i);
    qsort(f, (size_t)count, sizeof *f, by_numbers);
    for (int i = 0; i < count; i++) {
        const cpCollisionID id = func(f[i].a, f[i].b, (cpCollisionID)f[i].id, data);
        sap_set_pair_data_at(s->world, f[i].at, (void *)(uintptr_t)id);
    }
    free(f);
}

/* Each step: new boxes for all that may move, one update, and a call for each pair. */
static void index_reindex_query(cpSpatialIndex *base, cpSpatialIndexQueryFunc func, void *data) {
    shared *s = index_of(base)->shared;
    int count;
    index_reindex(base);
    if (sap_update(s->world) != SAP_OK) abort();
    const sap_pair *pairs = sap_pairs(s->world, &count);
    if (s->is_sorted) {
        report_sorted(s, pairs, count, func, data);
        return;
    }
    for (int i = 0; i < count; i++) {
        const found f = make_found(pairs[i].object0, pairs[i].object1, (uintptr_t)pairs[i].user_data, i);
        sap_set_pair_data_at(s->world, i, (void *)(uintptr_t)func(f.a, f.b, (cpCollisionID)f.id, data));
    }
}

typedef struct asking {
    void *object, *data;
    cpSpatialIndexQueryFunc query;
    cpSpatialIndexSegmentQueryFunc segment;
} asking;

static int visit(sap_id id, void *object, void *user) {
    const asking *q = (const asking *)user;
    (void)id;
    if (object != q->object) q->query(q->object, object, 0, q->data);
    return 1;
}

static void index_query(cpSpatialIndex *base, void *object, cpBB bb, cpSpatialIndexQueryFunc func, void *data) {
    asking q = {object, data, func, NULL};
    const sap_aabb box = box_of(bb);
    sap_query_box(index_of(base)->shared->world, &box, (uint32_t)index_of(base)->kind, visit, &q);
}

static float meet(sap_id id, void *object, float t, void *user) {
    const asking *q = (const asking *)user;
    (void)id;
    (void)t;
    return nextafterf((float)q->segment(q->object, object, q->data), INFINITY); /* no earlier than its double */
}

/* A segment in floats may miss what it touches in doubles: so a little box goes along it. */
static void index_segment_query(cpSpatialIndex *base, void *object, cpVect a, cpVect b, cpFloat t_exit,
                                cpSpatialIndexSegmentQueryFunc func, void *data) {
    asking q = {object, data, NULL, func};
    const double slack = 1e-6 * (1 + fabs(a.x) + fabs(a.y) + fabs(b.x) + fabs(b.y));
    const sap_aabb box = box_of(cpBBNewForCircle(a, slack));
    const float way[3] = {(float)(b.x - a.x), (float)(b.y - a.y), 0};
    (void)t_exit; /* each call of func says again how much of the segment is left */
    sap_box_cast(index_of(base)->shared->world, &box, way, (uint32_t)index_of(base)->kind, meet, &q);
}

static cpSpatialIndexClass index_class = {
    index_destroy, index_count,          index_each,          index_contains, index_insert,        index_remove,
    index_reindex, index_reindex_object, index_reindex_query, index_query,    index_segment_query,
};

static sap_index *index_new(shared *s, int kind, cpSpatialIndexBBFunc bbfunc, sap_index *standing) {
    sap_index *index = (sap_index *)checked(calloc(1, sizeof *index)); /* Chipmunk frees it */
    index->base.klass = &index_class;
    index->base.bbfunc = bbfunc;
    index->shared = s;
    index->kind = kind;
    if (standing) {
        index->base.staticIndex = &standing->base;
        standing->base.dynamicIndex = &index->base;
    }
    s->users++;
    return index;
}

static void insert_shape(void *object, void *data) {
    cpSpatialIndexInsert((cpSpatialIndex *)data, object, ((cpShape *)object)->hashid);
}

/* As cpSpaceUseSpatialHash does. */
static void replace(cpSpace *space, cpSpatialIndex *standing, cpSpatialIndex *moving) {
    cpSpatialIndexEach(space->staticShapes, insert_shape, standing);
    cpSpatialIndexEach(space->dynamicShapes, insert_shape, moving);
    cpSpatialIndexFree(space->staticShapes);
    cpSpatialIndexFree(space->dynamicShapes);
    space->staticShapes = standing;
    space->dynamicShapes = moving;
}

/* The whole change to a program: call this after cpSpaceNew. */
static void use_sap(cpSpace *space, int is_sorted) {
    const sap_config flat = {.axes = SAP_2D};
    shared *s = (shared *)checked(calloc(1, sizeof *s));
    s->world = (sap_world *)checked(sap_create(&flat));
    s->is_sorted = is_sorted;
    sap_index *standing = index_new(s, STANDING, space->staticShapes->bbfunc, NULL);
    replace(space, &standing->base, &index_new(s, MOVING, space->dynamicShapes->bbfunc, standing)->base);
}

/* ---- only to compare: Chipmunk's tree, whose pairs are reported in the order of the shapes' numbers ------------- */

typedef struct sorter {
    cpSpatialIndex base;
    cpSpatialIndex *tree;
    found *now, *before; /* of this step, and of the one before: for what Chipmunk keeps with a pair */
    int count, before_count, capacity;
} sorter;

static sorter *sorter_of(cpSpatialIndex *base) {
    return (sorter *)(void *)base;
}

static cpCollisionID collect(void *a, void *b, cpCollisionID id, void *data) {
    sorter *s = (sorter *)data;
    if (!cpBBIntersects(((cpShape *)a)->bb, ((cpShape *)b)->bb)) return id; /* the tree enlarges boxes */
    if (s->count == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        s->now = (found *)checked(realloc(s->now, (size_t)s->capacity * sizeof *s->now));
        s->before = (found *)checked(realloc(s->before, (size_t)s->capacity * sizeof *s->before));
    }
    s->now[s->count++] = make_found(a, b, 0, 0);
    return id;
}

static void sorter_reindex_query(cpSpatialIndex *base, cpSpatialIndexQueryFunc func, void *data) {
    sorter *s = sorter_of(base);
    s->count = 0;
    cpSpatialIndexReindexQuery(s->tree, collect, s);
    if (s->count > 1) qsort(s->now, (size_t)s->count, sizeof *s->now, by_numbers);
    for (int i = 0, j = 0; i < s->count; i++) {
        while (j < s->before_count && by_numbers(&s->before[j], &s->now[i]) < 0) j++;
        if (j < s->before_count && by_numbers(&s->before[j], &s->now[i]) == 0) s->now[i].id = s->before[j].id;
        s->now[i].id = func(s->now[i].a, s->now[i].b, (cpCollisionID)s->now[i].id, data);
    }
    found *swap = s->before;
    s->before = s->now;
    s->now = swap;
    s->before_count = s->count;
}

static void sorter_destroy(cpSpatialIndex *base) {
    cpSpatialIndexFree(sorter_of(base)->tree);
    free(sorter_of(base)->now);
    free(sorter_of(base)->before);
}

static int sorter_count(cpSpatialIndex *base) {
    return cpSpatialIndexCount(sorter_of(base)->tree);
}

static void sorter_each(cpSpatialIndex *base, cpSpatialIndexIteratorFunc func, void *data) {
    cpSpatialIndexEach(sorter_of(base)->tree, func, data);
}

static cpBool sorter_contains(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    return cpSpatialIndexContains(sorter_of(base)->tree, object, hashid);
}

static void sorter_insert(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    cpSpatialIndexInsert(sorter_of(base)->tree, object, hashid);
}

static void sorter_remove(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    sorter *s = sorter_of(base);
    int kept = 0;
    for (int i = 0; i < s->before_count; i++) /* its pairs are over, and so is what was kept with them */
        if (s->before[i].a != object && s->before[i].b != object) s->before[kept++] = s->before[i];
    s->before_count = kept;
    cpSpatialIndexRemove(s->tree, object, hashid);
}

static void sorter_reindex(cpSpatialIndex *base) {
    cpSpatialIndexReindex(sorter_of(base)->tree);
}

static void sorter_reindex_object(cpSpatialIndex *base, void *object, cpHashValue hashid) {
    cpSpatialIndexReindexObject(sorter_of(base)->tree, object, hashid);
}

static void sorter_query(cpSpatialIndex *base, void *object, cpBB bb, cpSpatialIndexQueryFunc func, void *data) {
    cpSpatialIndexQuery(sorter_of(base)->tree, object, bb, func, data);
}

static void sorter_segment_query(cpSpatialIndex *base, void *object, cpVect a, cpVect b, cpFloat t_exit,
                                 cpSpatialIndexSegmentQueryFunc func, void *data) {
    cpSpatialIndexSegmentQuery(sorter_of(base)->tree, object, a, b, t_exit, func, data);
}

static cpSpatialIndexClass sorter_class = {
    sorter_destroy, sorter_count,          sorter_each,          sorter_contains, sorter_insert,        sorter_remove,
    sorter_reindex, sorter_reindex_object, sorter_reindex_query, sorter_query,    sorter_segment_query,
};

static void sort_tree(cpSpace *space) {
    sorter *s = (sorter *)checked(calloc(1, sizeof *s));
    s->base.klass = &sorter_class;
    s->base.bbfunc = space->dynamicShapes->bbfunc;
    s->tree = space->dynamicShapes;
    space->dynamicShapes = &s->base;
}

/* ---- the same scenes, with any index ----------------------------------------------------------------------- */

enum { STEPS = 600, BODIES = 700, SCENES = 3, RAYS = 60 };
enum { TREE_SORTED, SAP_SORTED, TREE, HASH, SWEEP, SAP, KINDS };

typedef struct run {
    cpVect places[BODIES];
    cpFloat angles[BODIES];
    int bodies, asleep;
    long touching;          /* summed up over all steps */
    cpFloat seen[3 * RAYS]; /* where rays end, how far points are from what is nearest, what is in boxes */
    double milliseconds;    /* per step */
} run;

static double random_in(unsigned *state, double low, double high) { /* the same on every machine */
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(*state >> 8) / 16777216);
}

static cpBody *add(cpSpace *space, double mass, double width, double height, cpVect at) {
    cpBody *body = cpSpaceAddBody(space, cpBodyNew(mass, cpMomentForBox(mass, width, height)));
    cpShape *shape = cpSpaceAddShape(space, cpBoxShapeNew(body, width, height, 0));
    cpBodySetPosition(body, at);
    cpShapeSetFriction(shape, 0.6);
    return body;
}

static cpBody *add_ball(cpSpace *space, double radius, cpVect at) {
    const double mass = radius * radius / 50;
    cpBody *body = cpSpaceAddBody(space, cpBodyNew(mass, cpMomentForCircle(mass, 0, radius, cpvzero)));
    cpShapeSetElasticity(cpSpaceAddShape(space, cpCircleShapeNew(body, radius, cpvzero)), 0.4);
    cpBodySetPosition(body, at);
    return body;
}

/* 0: a pyramid, hit by a ball; islands fall asleep. 1: balls and boxes rain into a cup. 2: all drift without gravity. */
static int set_up(cpSpace *space, int scene, cpBody **bodies) {
    const cpVect cup[] = {{-400, 400}, {-300, 0}, {300, 0}, {400, 400}};
    unsigned state = 1;
    int n = 0;
    if (scene < 2) {
        cpSpaceSetGravity(space, cpv(0, -300));
        cpSpaceSetIterations(space, 15);
    }
    for (int i = 0; i + 1 < 4; i++) {
        const cpVect from = scene == 0 ? cpv(-900 + 600 * i, 0) : cup[i],
                     to = scene == 0 ? cpv(-300 + 600 * i, 0) : cup[i + 1];
        cpShapeSetFriction(cpSpaceAddShape(space, cpSegmentShapeNew(cpSpaceGetStaticBody(space), from, to, 4)), 0.8);
    }
    if (scene == 0) {
        cpSpaceSetSleepTimeThreshold(space, 0.5);
        for (int row = 0; row < 16; row++)
            for (int i = 0; i < 16 - row; i++)
                bodies[n++] = add(space, 1, 24, 24, cpv(26 * i + 13 * row - 200, 17 + 24.5 * row));
        bodies[n] = add_ball(space, 25, cpv(-700, 60));
        cpBodySetVelocity(bodies[n++], cpv(700, 120));
    }
    for (int i = 0; i < 600 && scene > 0; i++) {
        const double size = random_in(&state, 6, 16), x = random_in(&state, -250, 250);
        const cpVect at = scene == 1 ? cpv(x, 100 + 8 * i) : cpv(4 * x, random_in(&state, -1000, 1000));
        bodies[n] = i % 2 ? add(space, size * size / 100, 1.6 * size, size, at) : add_ball(space, size / 1.5, at);
        const double dx = random_in(&state, -90, 90), dy = random_in(&state, -90, 90);
        if (scene == 2) cpBodySetVelocity(bodies[n], cpv(dx, dy));
        n++;
    }
    return n;
}

static void count_touching(cpBody *body, cpArbiter *arbiter, void *data) {
    (void)body;
    *(long *)data += cpArbiterGetCount(arbiter);
}

static void count_shape(cpShape *shape, void *data) {
    (void)shape;
    *(cpFloat *)data += 1;
}

static void look(cpSpace *space, run *r) {
    for (int i = 0; i < RAYS; i++) {
        const double angle = 6.28 * i / RAYS;
        const cpVect from = cpv(0, 150), to = cpvadd(from, cpv(900 * cos(angle), 900 * sin(angle)));
        cpSegmentQueryInfo hit;
        cpPointQueryInfo nearest;
        cpSpaceSegmentQueryFirst(space, from, to, 0, CP_SHAPE_FILTER_ALL, &hit);
        r->seen[3 * i] = hit.alpha;
        cpSpacePointQueryNearest(space, cpvmult(to, 0.5), 200, CP_SHAPE_FILTER_ALL, &nearest);
        r->seen[3 * i + 1] = nearest.distance;
        r->seen[3 * i + 2] = 0;
        cpSpaceBBQuery(space, cpBBNewForCircle(cpvmult(to, 0.3), 50), CP_SHAPE_FILTER_ALL, count_shape,
                       &r->seen[3 * i + 2]);
    }
}

static void free_shape(cpSpace *space, void *shape, void *data) {
    (void)data;
    cpSpaceRemoveShape(space, (cpShape *)shape);
    cpShapeFree((cpShape *)shape);
}

static void free_shapes_of(cpBody *body, cpShape *shape, void *space) {
    (void)body;
    free_shape((cpSpace *)space, shape, NULL);
}

static void remove_body(cpSpace *space, cpBody *body) {
    cpBodyEachShape(body, free_shapes_of, space);
    cpSpaceRemoveBody(space, body);
    cpBodyFree(body);
}

static void collect_shape(cpShape *shape, void *data) {
    cpSpaceAddPostStepCallback(cpShapeGetSpace(shape), free_shape, shape, data);
}

static run *simulate(int scene, int kind) {
    static cpBody *bodies[BODIES];
    run *r = (run *)checked(calloc(1, sizeof *r));
    cpSpace *space = cpSpaceNew();
    struct timespec from, to;
    if (kind == TREE_SORTED) sort_tree(space);
    if (kind == SAP_SORTED || kind == SAP) use_sap(space, kind == SAP_SORTED);
    if (kind == SWEEP) {
        cpSpatialIndex *standing = cpSweep1DNew(space->staticShapes->bbfunc, NULL);
        replace(space, standing, cpSweep1DNew(space->dynamicShapes->bbfunc, standing));
    }
    if (kind == HASH) cpSpaceUseSpatialHash(space, 20, 10000);
    int n = set_up(space, scene, bodies);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int step = 0; step < STEPS; step++) {
        if (step % 60 == 59 && n > 40) { /* some go, so that ids and numbers no longer agree, and one comes */
            for (int i = 0; i < 3; i++) {
                const int which = (step * 7 + i * 31) % n;
                remove_body(space, bodies[which]);
                bodies[which] = bodies[--n];
            }
            bodies[n++] = add_ball(space, 9, cpv(step - 300.0, 380));
        }
        cpSpaceStep(space, 1 / 60.0);
        if (kind > SAP_SORTED) continue;
        for (int i = 0; i < n; i++) cpBodyEachArbiter(bodies[i], count_touching, &r->touching);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    r->milliseconds = ((double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6) / STEPS;
    look(space, r);
    r->bodies = n;
    for (int i = 0; i < n; i++) {
        r->places[i] = cpBodyGetPosition(bodies[i]);
        r->angles[i] = cpBodyGetAngle(bodies[i]);
        r->asleep += cpBodyIsSleeping(bodies[i]);
    }
    for (int i = 0; i < n; i++) remove_body(space, bodies[i]);
    cpSpaceEachShape(space, collect_shape, NULL);
    cpSpaceFree(space);
    return r;
}

static int same(const run *a, const run *b) { /* to the last bit */
    return a->bodies == b->bodies && a->asleep == b->asleep && a->touching == b->touching &&
           !memcmp(a->places, b->places, sizeof a->places) && !memcmp(a->angles, b->angles, sizeof a->angles) &&
           !memcmp(a->seen, b->seen, sizeof a->seen);
}

int main(int argc, char **argv) {
    static const char *const names[SCENES] = {"pyramid", "rain", "drift"};
    static const char *const kinds[KINDS] = {"", "", "Chipmunk's tree", "Chipmunk's hash", "Chipmunk's sweep", "sap"};
    int all_same = 1;
    cpSpaceFree(cpSpaceNew()); /* the first one prints Chipmunk's version */
    printf("%d steps    bodies at the end   asleep   contacts, in all steps\n", STEPS);
    for (int scene = 0; scene < SCENES; scene++) {
        run *theirs = simulate(scene, TREE_SORTED), *ours = simulate(scene, SAP_SORTED);
        const int is_same = same(theirs, ours);
        printf("%-8s %20d %8d %24ld: %s\n", names[scene], ours->bodies, ours->asleep, ours->touching,
               is_same ? "the same to the last bit" : "different");
        all_same = all_same && is_same;
        free(theirs);
        free(ours);
    }
    for (int scene = 0; scene < SCENES && argc > 1 && !strcmp(argv[1], "times"); scene++)
        for (int kind = TREE; kind < KINDS; kind++) {
            run *r = simulate(scene, kind);
            printf("%-8s %-16s %.3f milliseconds a step\n", names[scene], kinds[kind], r->milliseconds);
            free(r);
        }
    return !all_same;
}
