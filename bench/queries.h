/*
queries.h - the queries that worlds and trees are measured on, C and C++

Queries are asked after 300 frames in which all boxes of 'brownian' or 'brownian2d' walk: what decays in a tree
has decayed. Their places are anywhere in the scene, their directions any. All follows from one random sequence:
the same on every run, so that answers can be compared between peers.

Whoever can be asked has a query_function. An answer is one number: how many boxes a box query hits, where on a
ray the closest hit is (1: nowhere), how far the nearest box is, the sum of the first t on a ray, on how many axes
a slide is stopped. linear_answer finds it in a plain loop over all boxes.
*/
#ifndef QUERIES_H
#define QUERIES_H

#include "scenes.h"

static inline double now(void); /* microseconds: clock.h, or of the file that measures */

/* Kinds from QUERY_KINDS on are asked of sap.h and the plain loop, not of peers. */
enum { QUERY_BOX, QUERY_LARGE, QUERY_RAY, QUERY_NEAREST, QUERY_KINDS };
enum { QUERY_SPHERE = QUERY_KINDS, QUERY_CAST, QUERY_RAY_IDS, QUERY_SLIDE, QUERY_KINDS_OF_SAP, QUERY_IDS = 8 };
enum { QUERIES = 2000, QUERIES_CHECKED = 100, QUERY_FRAMES = 300, QUERY_ROUNDS = 7 };

static const struct query_kind {
    const char *name, *what;
} query_kinds[QUERY_KINDS_OF_SAP] = {
    {"box", "sap_query_box with a box as large as the scene's"},
    {"large box", "sap_query_box, half extent 5"},
    {"closest ray", "sap_ray_closest, as long as the scene is wide"},
    {"nearest", "sap_nearest, from anywhere"},
    {"sphere", "sap_query_sphere, radius 2"},
    {"box cast", "sap_box_cast with such a box, to the closest hit"},
    {"ray ids", "sap_ray_cast_ids, the first eight on the ray"},
    {"slide", "sap_slide of such a box; the loop leaves out rules for what it meets at once"},
};

/* The scenes that queries are asked in. */
static const char *const query_scenes[] = {"brownian", "brownian2d"};
enum { QUERY_SCENES = sizeof query_scenes / sizeof *query_scenes };

typedef struct query {
    sap_aabb box[2];         /* QUERY_BOX, QUERY_LARGE */
    float origin[3], way[3]; /* QUERY_RAY; QUERY_NEAREST from the origin */
} query;

typedef double query_function(const void *subject, int kind, const query *q);

static const scene_kind *scene_named(const char *name) {
    for (int i = 0; i < SCENE_KINDS; i++)
        if (!strcmp(scene_kinds[i].name, name)) return &scene_kinds[i];
    return scene_crowd_named(name);
}

static int scene_axes(const scene *s) {
    return s->kind->axes == 3 ? 2 : 3;
}

/* QUERIES of them, of each kind one. */
static void queries_make(query *list, const scene *of) {
    scene random;
    memset(&random, 0, sizeof random);
    random.random = 88172645u;
    memset(list, 0, QUERIES * sizeof *list);
    for (query *q = list; q < list + QUERIES; q++) {
        float length = 0;
        for (int k = 0; k < scene_axes(of); k++) {
            float centre = q->origin[k] = scene_between(&random, 0, of->side);
            float half = scene_between(&random, 0.5f, 1.5f);
            q->box[0].min[k] = centre - half;
            q->box[0].max[k] = centre + half;
            q->box[1].min[k] = centre - 5;
            q->box[1].max[k] = centre + 5;
            q->way[k] = scene_between(&random, -1, 1);
            length += q->way[k] * q->way[k];
        }
        for (int k = 0; k < 3; k++) q->way[k] *= of->side / sqrtf(length);
    }
}

/* ---- the plain loop ---- */

static int boxes_meet(const sap_aabb *a, const sap_aabb *b) { /* no branch that cannot be foretold */
    return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]) &
           (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
}

/* A ray with what is worked out once. */
typedef struct query_ray {
    float origin[3], inverse[3];
    int axes;
} query_ray;

static query_ray ray_of(const query *q, int axes) {
    query_ray r;
    r.axes = axes;
    for (int k = 0; k < 3; k++) {
        r.origin[k] = q->origin[k];
        r.inverse[k] = k < axes ? 1 / q->way[k] : 0;
    }
    return r;
}

/* Where the ray meets the box, or 'end' if not before. */
static float ray_meets(const query_ray *r, const sap_aabb *b, float end) {
    float from = 0, to = end;
    for (int k = 0; k < r->axes; k++) {
        float t0 = (b->min[k] - r->origin[k]) * r->inverse[k];
        float t1 = (b->max[k] - r->origin[k]) * r->inverse[k];
        float in = t0 < t1 ? t0 : t1, out = t0 < t1 ? t1 : t0;
        from = in > from ? in : from;
        to = out < to ? out : to;
    }
    return from <= to ? from : end;
}

/* A box as it is to the least corner of another one that moves. */
static sap_aabb enlarged_by(const sap_aabb *b, const sap_aabb *moving) {
    sap_aabb all = *b;
    for (int k = 0; k < 3; k++) all.min[k] -= moving->max[k] - moving->min[k];
    return all;
}

/* The sum of the first few t on a ray. */
static double linear_ray_ids(const scene *s, const query_ray *ray) {
    float first[QUERY_IDS];
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        float t = ray_meets(ray, &s->box[i], n < QUERY_IDS ? 2 : first[n - 1]);
        int at = n < QUERY_IDS ? n : n - 1;
        if (t > 1 || (n == QUERY_IDS && t >= first[n - 1])) continue;
        for (; at > 0 && first[at - 1] > t; at--) first[at] = first[at - 1];
        first[at] = t;
        n += n < QUERY_IDS;
    }
    for (int i = 0; i < n; i++) sum += first[i];
    return sum;
}

/* On how many axes a box is stopped that goes on along what it meets. Boxes that it is in are passed. */
static int linear_slide(const scene *s, const query *q) {
    query left = *q;
    int axes = scene_axes(s), stops = 0;
    memcpy(left.origin, q->box[0].min, sizeof left.origin);
    for (int turn = 0; turn < axes; turn++) {
        float end = 1;
        int stop = -1;
        for (int i = 0; i < s->n; i++) {
            const sap_aabb b = enlarged_by(&s->box[i], &q->box[0]);
            float from = -1, to = end;
            int axis = -1;
            for (int k = 0; k < axes; k++) {
                float near_side = left.way[k] < 0 ? b.max[k] : b.min[k], far_side = b.min[k] + b.max[k] - near_side;
                float in = (near_side - left.origin[k]) / left.way[k], out = (far_side - left.origin[k]) / left.way[k];
                if (left.way[k] == 0) in = -1, out = b.min[k] < left.origin[k] && left.origin[k] < b.max[k] ? to : -1;
                if (in > from) from = in, axis = k;
                to = out < to ? out : to;
            }
            if (axis >= 0 && from >= 0 && from < to) end = from, stop = axis;
        }
        for (int k = 0; k < axes; k++) left.origin[k] += end * left.way[k], left.way[k] *= 1 - end;
        if (stop < 0) break;
        left.way[stop] = 0;
        stops++;
    }
    return stops;
}

static inline double linear_answer(const void *subject, int kind, const query *q) {
    const scene *s = (const scene *)subject;
    query_ray ray = ray_of(q, scene_axes(s));
    float end = 1, least = INFINITY;
    int hits = 0;
    switch (kind) {
    case QUERY_RAY_IDS: return linear_ray_ids(s, &ray);
    case QUERY_SLIDE: return linear_slide(s, q);
    case QUERY_CAST:
        memcpy(ray.origin, q->box[0].min, sizeof ray.origin);
        for (int i = 0; i < s->n; i++) {
            const sap_aabb b = enlarged_by(&s->box[i], &q->box[0]);
            end = ray_meets(&ray, &b, end);
        }
        return end;
    case QUERY_SPHERE:
        for (int i = 0; i < s->n; i++) {
            double square = 0;
            for (int k = 0; k < scene_axes(s); k++) {
                double below = (double)s->box[i].min[k] - q->origin[k], above = (double)q->origin[k] - s->box[i].max[k];
                double d = below > above ? below : above;
                square += d > 0 ? d * d : 0;
            }
            hits += square <= 4;
        }
        return hits;
    case QUERY_RAY:
        for (int i = 0; i < s->n; i++) end = ray_meets(&ray, &s->box[i], end);
        return end;
    case QUERY_NEAREST:
        for (int i = 0; i < s->n; i++) {
            float square = 0;
            for (int k = 0; k < 3; k++) {
                float below = s->box[i].min[k] - q->origin[k], above = q->origin[k] - s->box[i].max[k];
                float d = below > above ? below : above;
                square += d > 0 ? d * d : 0;
            }
            least = square < least ? square : least;
        }
        return sqrtf(least);
    default:
        for (int i = 0; i < s->n; i++) hits += boxes_meet(&s->box[i], &q->box[kind]);
        return hits;
    }
}

/* ---- sap.h ---- */

static inline int count_box(sap_id id, void *object, void *count) {
    (void)id, (void)object;
    ++*(int *)count;
    return 1;
}

static inline float clip_at(sap_id id, void *object, float t, void *least) {
    (void)id, (void)object;
    return *(float *)least = t;
}

static inline double sap_answer(const void *subject, int kind, const query *q) {
    sap_world *world = (sap_world *)subject;
    sap_aabb box = q->box[0];
    sap_id ids[QUERY_IDS];
    float found = 0, ts[QUERY_IDS];
    double sum = 0;
    int hits = 0;
    switch (kind) {
    case QUERY_SPHERE: sap_query_sphere(world, q->origin, 2, ~0u, count_box, &hits); return hits;
    case QUERY_SLIDE: return sap_slide(world, &box, q->way, ~0u, 0, NULL);
    case QUERY_CAST:
        found = 1;
        sap_box_cast(world, &box, q->way, ~0u, clip_at, &found);
        return found;
    case QUERY_RAY_IDS:
        hits = sap_ray_cast_ids(world, q->origin, q->way, ~0u, ids, ts, QUERY_IDS);
        while (hits > 0) sum += ts[--hits];
        return sum;
    case QUERY_RAY: sap_ray_closest(world, q->origin, q->way, ~0u, &found); return found;
    case QUERY_NEAREST: sap_nearest(world, q->origin, INFINITY, ~0u, &found); return found;
    default: sap_query_box(world, &q->box[kind], ~0u, count_box, &hits); return hits;
    }
}

/* ---- measuring ---- */

/* What whoever is asked takes for a query, and the sum of the answers. */
typedef struct query_result {
    double nanoseconds, sum;
    int wrong; /* answers */
} query_result;

/* A round: the first 'count' queries, twice, so that the caches may hold what one like it left there. The best of
   all rounds is kept. */
static void queries_ask(query_result *r, query_function *answer, const void *subject, int kind, const query *list,
                        int count) {
    for (int turn = 0; turn < 2; turn++) {
        double sum = 0, time = now();
        for (int i = 0; i < count; i++) sum += answer(subject, kind, &list[i]);
        time = (now() - time) * 1e3 / count;
        if (r->nanoseconds <= 0 || time < r->nanoseconds) r->nanoseconds = time;
        r->sum = sum;
    }
}

static int answers_agree(double a, double b) { /* floats that were worked out in another order */
    return fabs(a - b) <= 2e-5 * (1 + fabs(b));
}

/* How many of the first queries are answered otherwise than by the plain loop. */
static inline int queries_wrong(query_function *answer, const void *subject, int kind, const query *list,
                                const scene *s) {
    int wrong = 0;
    for (int i = 0; i < QUERIES_CHECKED; i++)
        wrong += !answers_agree(answer(subject, kind, &list[i]), linear_answer(s, kind, &list[i]));
    return wrong;
}

#endif
