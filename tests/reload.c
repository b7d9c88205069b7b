/* reload.c - a world outlives the code that made it: hot reload.

   A game keeps sap.h in a shared library, builds that again while it runs, loads the new one and goes on with its
   worlds. So a world may hold no address of the library's code or data. tests/reload.sh builds two libraries of this
   file's LIBRARY part, with different flags, and the host:

       reload first.so second.so

   The host makes worlds with the first library, unloads it, and goes on with the second one, which lies elsewhere. Each
   world has a twin that only knows the second library: events and pairs are equal, byte for byte. */

#ifdef LIBRARY
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#else

#include <dlfcn.h>
#include <pthread.h>

#include "sap_multi.h"
#include "test.h"

typedef struct library {
    void *handle;
    sap_world *(*create)(const sap_config *config);
    sap_result (*set_grid)(sap_world *s, const sap_grid *grid);
    sap_result (*set_parallel)(sap_world *s, sap_parallel_for *parallel, void *user);
    void (*destroy)(sap_world *m);
    sap_result (*add_many)(sap_world *m, int n, const sap_aabb *boxes, void *const *objects, sap_id *ids);
    sap_result (*move_many)(sap_world *m, int n, const sap_id *ids, const sap_aabb *boxes);
    sap_result (*update)(sap_world *m);
    const sap_pair *(*created)(const sap_world *m, int *count);
    const sap_pair *(*deleted)(const sap_world *m, int *count);
    const sap_pair *(*pairs)(const sap_world *m, int *count);
    sap_id (*nearest)(sap_world *m, const float point[3], float max_distance, uint32_t mask, float *distance);
    sap_result (*last_error)(const sap_world *m);
    const char *(*last_error_argument)(const sap_world *m, int *element);
    const char *(*validate)(const sap_world *m);
} library;

/* POSIX lets an object pointer that dlsym returned be a function's address; ISO C has no cast for it. */
static void find(const library *lib, const char *name, void *function) {
    void *address = dlsym(lib->handle, name);
    if (!CHECK_MESSAGE(address != NULL, "the library has no %s", name)) exit(1);
    memcpy(function, &address, sizeof address);
}

static library load(const char *path) {
    library lib;
    lib.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!CHECK_MESSAGE(lib.handle != NULL, "%s: %s", path, dlerror())) exit(1);
    find(&lib, "sap_create", &lib.create);
    find(&lib, "sap_set_grid", &lib.set_grid);
    find(&lib, "sap_set_parallel", &lib.set_parallel);
    find(&lib, "sap_destroy", &lib.destroy);
    find(&lib, "sap_add_many", &lib.add_many);
    find(&lib, "sap_move_many", &lib.move_many);
    find(&lib, "sap_update", &lib.update);
    find(&lib, "sap_created", &lib.created);
    find(&lib, "sap_deleted", &lib.deleted);
    find(&lib, "sap_pairs", &lib.pairs);
    find(&lib, "sap_nearest", &lib.nearest);
    find(&lib, "sap_last_error", &lib.last_error);
    find(&lib, "sap_last_error_argument", &lib.last_error_argument);
    find(&lib, "sap_validate", &lib.validate);
    return lib;
}

/* Two threads, made for each call: the simplest sap_parallel_for there is. */
typedef struct half {
    sap_job *job;
    void *data;
    int from, count;
} half;

static void *run_half(void *user) {
    const half *h = (const half *)user;
    for (int i = h->from; i < h->count; i += 2) h->job(h->data, i);
    return NULL;
}

static void on_two_threads(sap_job *job, void *data, int count, void *user) {
    pthread_t other;
    half even = {job, data, 0, count}, odd = {job, data, 1, count};
    (void)user;
    if (pthread_create(&other, NULL, run_half, &odd) != 0) exit(2);
    run_half(&even);
    pthread_join(other, NULL);
}

static int are_equal(const sap_pair *a, int na, const sap_pair *b, int nb) {
    return na == nb && (na == 0 || memcmp(a, b, (size_t)na * sizeof *a) == 0);
}

static void outlive(const char *first_path, const char *second_path, int method, int is_threaded, int has_grid) {
    enum { N = 20000, FRAMES = 12, RELOADED = 6 };
    static sap_aabb boxes[N];
    static sap_id ids[N];
    library first = load(first_path), second = load(second_path); /* both: so they lie apart */
    test_rng rng = {(uint64_t)(method + 17)};
    sap_config config;
    sap_grid grid;
    memset(&config, 0, sizeof config);
    memset(&grid, 0, sizeof grid);
    config.method = method;
    sap_world *world = first.create(&config), *twin = second.create(&config);
    if (!CHECK(world != NULL && twin != NULL)) exit(1);
    if (is_threaded) CHECK_EQUAL(first.set_parallel(world, on_two_threads, NULL), SAP_OK);
    if (has_grid) CHECK_EQUAL(first.set_grid(world, &grid), SAP_OK);
    if (has_grid) CHECK_EQUAL(second.set_grid(twin, &grid), SAP_OK);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].min[k] = test_uniform(&rng, 0, 60);
            boxes[i].max[k] = boxes[i].min[k] + 1;
        }
    CHECK_EQUAL(first.add_many(world, N, boxes, NULL, ids), SAP_OK);
    CHECK_EQUAL(second.add_many(twin, N, boxes, NULL, ids), SAP_OK);
    for (int frame = 0; frame < FRAMES; frame++) {
        const int moved = frame % 3 == 2 ? 50 : N;
        const float point[3] = {30, 30, 30};
        float near_world, near_twin;
        int n, m;
        if (frame == RELOADED) {
            const sap_id bad[2] = {ids[0], 0};
            int element = -2;
            CHECK_EQUAL(first.move_many(world, 2, bad, boxes), SAP_ERROR_ID);
            const char *before = first.last_error_argument(world, NULL); /* its text lies in the first library */
            CHECK(before && strcmp(before, "id") == 0);
            CHECK_EQUAL(dlclose(first.handle), 0);
            CHECK_EQUAL(second.last_error(world), SAP_ERROR_ID);
            const char *after = second.last_error_argument(world, &element);
            if (CHECK(after && after != before)) CHECK(strcmp(after, "id") == 0 && element == 1);
        }
        const library *now = frame < RELOADED ? &first : &second;
        for (int i = 0; i < moved; i++)
            for (int k = 0; k < 3; k++) {
                boxes[i].min[k] += test_uniform(&rng, -0.3f, 0.3f);
                boxes[i].max[k] = boxes[i].min[k] + 1;
            }
        CHECK_EQUAL(now->move_many(world, moved, ids, boxes), SAP_OK);
        CHECK_EQUAL(second.move_many(twin, moved, ids, boxes), SAP_OK);
        CHECK_EQUAL(now->update(world), SAP_OK);
        CHECK_EQUAL(second.update(twin), SAP_OK);
        const sap_pair *a = now->created(world, &n), *b = second.created(twin, &m);
        CHECK(are_equal(a, n, b, m));
        a = now->deleted(world, &n), b = second.deleted(twin, &m);
        CHECK(are_equal(a, n, b, m));
        a = now->pairs(world, &n), b = second.pairs(twin, &m);
        CHECK(are_equal(a, n, b, m) && n > 0);
        CHECK(now->nearest(world, point, 100, ~0u, &near_world) == second.nearest(twin, point, 100, ~0u, &near_twin));
        CHECK(near_world == near_twin);
    }
    CHECK(second.validate(world) == NULL);
    second.destroy(world);
    second.destroy(twin);
    dlclose(second.handle);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    for (int method = SAP_METHOD_AUTO; method <= SAP_METHOD_QUERY; method++)
        for (int k = 0; k < 4; k++) outlive(argv[1], argv[2], method, k & 1, k >> 1);
    return test_summary();
}
#endif
