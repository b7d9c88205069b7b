/*
peer.h - what every program of bench/peers has in common: one run of one broad phase on one scene

    peer list                                       the library's version, and what the program holds
    peer NAME frames SCENE BOXES FRAMES SECONDS [lived] [check] [cpu]
    peer NAME small SCENE BOXES                     worlds of 10 to 500 boxes in 2D, every pair read in each step
    peer NAME add|remove SCENE BOXES 60 SECONDS     into a new world; out of one that has run 60 frames
    peer NAME query SCENE BOXES FRAMES

A run prints one line: words and values in turn. bench/table.py calls these programs, each run a process of its own
in fresh memory, and makes the tables.

Each peer is used as its users would: the boxes lie in the scene's arrays, what moved is handed in, one box at a time
where there is no other call, it is brought up to date, and its pairs are taken. Some keep pairs and report created and
deleted ones, each of which is read; others find all pairs in every frame; some enlarge boxes and hold pairs that do not
overlap. With
'check' what is held after the last frame (by the events of all frames, if that is what it tells) is compared with a
plain sort-and-sweep of the exact boxes: 'missed' counts the pairs that the peer lacks, 'extra' those that only its
margins explain. So 'pairs' and 'extra' are the fat pairs that a tree with margins holds, 'pairs' alone the exact ones.

Crowds glide for a hundred frames before they are timed, so that boxes are at any place within the margins of fat boxes
and not all at the middle of them.

'lived' is the same scene in a world that has been through something: after 100 frames of its own motion all boxes go
elsewhere, one in twenty a frame. Bytes are what malloc holds for the peer after the last frame.
*/
#ifndef PEER_H
#define PEER_H

#include "../clock.h"
#include "../queries.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <malloc.h>
#include <unistd.h>

typedef std::vector<std::pair<int, int>> pair_list;

/* A broad phase with the boxes of a scene in it; box i of the scene is named i. */
struct Peer {
    virtual ~Peer() {
    }
    virtual void prepare(const scene &) { /* what a running engine has anyway: an empty world, bodies; not timed */
    }
    virtual void add_all(const scene &s) = 0; /* with the first pairs */
    virtual void frame(const scene &s) = 0;   /* takes in s.moved, finds the pairs */
    virtual void remove_all() {
    }
    virtual long long read_pairs() { /* goes over all pairs that it holds, if finding them has not done so */
        return 0;
    }
    virtual void note_events() { /* after each frame of a run that is checked; not timed */
    }
    virtual void pairs(pair_list &) { /* what it holds now; not timed */
    }
    virtual void be_ready(const scene &) {
    } /* for queries, after the last frame */
    virtual double answer(int, const query &) {
        return -1;
    } /* less than 0: has no such query */
};

enum { FRAMES_3D = 1, FRAMES_2D = 2, ADDS = 4, REMOVES = 8, ONE_SHOT = 16, QUERIES_3D = 32, QUERIES_2D = 64 };

struct peer_kind {
    const char *name;
    int where, most; /* boxes it is asked to manage, so that a run ends */
    Peer *(*make)();
    const char *note;
};

template <class T> static Peer *make() {
    return new T;
}

extern const std::vector<peer_kind> peers; /* each program's own */
extern const std::string version;          /* of the library */

/* ---- the pairs that are right ---- */

static pair_list true_pairs(const scene &s) {
    const sap_aabb *b = s.box;
    pair_list found;
    std::vector<int> order;
    for (int i = 0; i < s.n; i++) order.push_back(i);
    std::sort(order.begin(), order.end(), [b](int i, int j) { return b[i].min[0] < b[j].min[0]; });
    for (size_t i = 0; i < order.size(); i++)
        for (size_t j = i + 1; j < order.size() && b[order[j]].min[0] <= b[order[i]].max[0]; j++)
            if (boxes_meet(&b[order[i]], &b[order[j]]) && !(s.is_static[order[i]] && s.is_static[order[j]]))
                found.emplace_back(order[i], order[j]);
    return found;
}

static void in_order(pair_list &list) {
    for (auto &p : list)
        if (p.first > p.second) std::swap(p.first, p.second);
    std::sort(list.begin(), list.end());
}

/* Pairs of static boxes, and those of boxes that only a margin brings together, are not counted. */
static void print_check(const scene &s, Peer &peer) {
    pair_list held, truth = true_pairs(s);
    long long missed = 0, exact = 0;
    unsigned long long hash = 0;
    peer.pairs(held);
    in_order(held);
    in_order(truth);
    for (auto &p : truth) missed += !std::binary_search(held.begin(), held.end(), p);
    for (auto &p : held)
        if (boxes_meet(&s.box[p.first], &s.box[p.second]) && !(s.is_static[p.first] && s.is_static[p.second])) {
            exact++;
            hash = (hash ^ ((unsigned long long)p.first << 32 | (unsigned)p.second)) * 0x9E3779B97F4A7C15u;
        }
    printf("pairs %d missed %lld twice %lld extra %lld hash %llx ", (int)truth.size(), missed,
           exact + missed - (long long)truth.size(), (long long)held.size() - exact, hash >> 16);
}

/* ---- runs ---- */

enum { WARM_UP = 5, CROWD_WARM_UP = 100, LEAST_FRAMES = 3, REMOVE_AFTER = 60, LIVED_FRAMES = 100, SMALL_STEPS = 64 };

static void fail(const char *why) {
    printf("failed %s\n", why);
    exit(1);
}

static size_t bytes_held() {
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static void print_times(std::vector<double> &time) {
    double sum = 0;
    for (double t : time) sum += t;
    size_t last = (size_t)(std::max_element(time.begin(), time.end()) - time.begin());
    std::sort(time.begin(), time.end());
    printf("least %.4g median %.4g mean %.4g worst %.4g worst_frame %d frames %d ", time[0], time[time.size() / 2],
           sum / (double)time.size(), time.back(), (int)last, (int)time.size());
}

/* All boxes go elsewhere, one in twenty a frame. */
static void migrate(scene &s, Peer &peer, bool check) {
    for (int turn = 0; turn < 20; turn++) {
        s.moves = 0;
        for (int i = turn; i < s.n; i += 20) {
            if (s.box[i].max[0] - s.box[i].min[0] > s.side) continue; /* the ground of 'bigworld' */
            scene_item was = s.item[i], *t = &s.item[i];
            scene_place(&s, i); /* but as large as it was: shapes do not change */
            if (s.kind->place == PLACE_FLAT) t->centre[1] += was.half[1] - t->half[1];
            std::copy(was.half, was.half + 3, t->half);
            scene_set_box(&s, i);
            s.moved[s.moves++] = i;
        }
        peer.frame(s);
        if (check) peer.note_events();
    }
}

static void run_frames(const peer_kind &kind, scene &s, int frames, double seconds, bool lived, bool check) {
    size_t before = bytes_held();
    std::unique_ptr<Peer> peer(kind.make());
    std::vector<double> time;
    bool one_shot = kind.where & ONE_SHOT;
    time.reserve((size_t)frames + 1);
    peer->prepare(s);
    peer->add_all(s);
    if (check) peer->note_events();
    if (lived) {
        double begin = now();
        for (int i = 0; i < LIVED_FRAMES && now() - begin < seconds * 1e6; i++) {
            scene_step(&s);
            peer->frame(s);
            if (check) peer->note_events();
        }
        migrate(s, *peer, check);
    }
    bool is_crowd = s.kind->motion == GLIDE || s.kind->motion == GLIDE_SOME;
    double begin = now();
    for (int frame = is_crowd ? -CROWD_WARM_UP : -WARM_UP; frame < frames; frame++) {
        if (frame < -WARM_UP && now() - begin > seconds * 1e6) frame = -WARM_UP;
        if (frame == 0) begin = now();
        if (frame >= LEAST_FRAMES && now() - begin > seconds * 1e6) break;
        if (!one_shot) scene_step(&s);
        double start = now();
        peer->frame(s);
        if (frame >= 0) time.push_back(now() - start);
        if (check) peer->note_events();
    }
    printf("bytes %.1f ", (double)(bytes_held() - before) / s.n);
    print_times(time);
    if (check) print_check(s, *peer);
    peer.release(); /* some crash when they are destroyed; the process ends here */
}

/* Steps are worked out before, there and back, so that worlds of a few microseconds a step can be timed. */
static void run_small(const peer_kind &kind, scene &s) {
    enum { TURNS = 9 };
    std::vector<sap_aabb> path;
    std::unique_ptr<Peer> peer(kind.make());
    std::vector<double> time;
    sap_aabb *own = s.box;
    long long read = 0;
    for (int step = 0; step < SMALL_STEPS; step++) {
        if (step) scene_step(&s);
        path.insert(path.end(), s.box, s.box + s.n);
    }
    for (int i = 0; i < s.n; i++) s.moved[i] = i;
    s.moves = s.n;
    s.box = path.data();
    peer->prepare(s);
    peer->add_all(s);
    for (int turn = -1, repeats = 1; turn < TURNS; turn++) {
        double start = now();
        for (int i = 0; i < repeats; i++)
            for (int step = 0; step < 2 * SMALL_STEPS; step++) {
                s.box = &path[(size_t)((step < SMALL_STEPS ? step : 2 * SMALL_STEPS - 1 - step) * s.n)];
                peer->frame(s);
                read += peer->read_pairs();
            }
        start = now() - start;
        if (turn >= 0) time.push_back(start / (repeats * 2 * SMALL_STEPS));
        if (turn < 0) repeats = 1 + (int)(20000 / start); /* 20 milliseconds a turn */
    }
    print_times(time);
    print_check(s, *peer);
    printf("read %lld ", read);
    s.box = own;
    peer.release();
}

static void run_batch(const peer_kind &kind, scene &s, bool removes, double seconds) {
    Peer *peer = kind.make();
    std::vector<double> time;
    peer->prepare(s);
    double start = now();
    peer->add_all(s);
    if (removes) {
        double begin = now();
        for (int i = 0; i < REMOVE_AFTER && now() - begin < seconds * 1e6; i++) scene_step(&s), peer->frame(s);
        start = now();
        peer->remove_all();
    }
    time.push_back(now() - start);
    print_times(time);
    if (!removes) peer->note_events();
    if (!removes) print_check(s, *peer);
}

static double ask(const void *peer, int kind, const query *q) {
    return ((Peer *)peer)->answer(kind, *q);
}

static void run_query(const peer_kind &kind, scene &s, int frames) {
    std::unique_ptr<Peer> peer(kind.make());
    std::vector<double> time;
    std::vector<query> list(QUERIES);
    bool is_slow = !strcmp(kind.name, "plain loop");
    peer->prepare(s);
    peer->add_all(s);
    for (int frame = 0; frame < frames; frame++) {
        scene_step(&s);
        double start = now();
        peer->frame(s);
        time.push_back(now() - start);
    }
    double ready = now();
    peer->be_ready(s);
    ready = now() - ready;
    double step = 0;
    for (double t : time) step += t / (double)time.size();
    queries_make(list.data(), &s);
    printf("step %.4g ", ready + step);
    for (int k = 0; k < QUERY_KINDS; k++) {
        query_result r = {0, 0, 0};
        if (peer->answer(k, list[0]) < 0) continue;
        for (int round = 0; round < QUERY_ROUNDS; round++)
            queries_ask(&r, ask, peer.get(), k, list.data(), is_slow ? QUERIES_CHECKED : QUERIES);
        std::string name = query_kinds[k].name;
        std::replace(name.begin(), name.end(), ' ', '_');
        printf("%s %.4g %s_wrong %d ", name.c_str(), r.nanoseconds, name.c_str(),
               queries_wrong(ask, peer.get(), k, list.data(), &s));
    }
    peer.release();
}

static const scene_kind *any_scene(const char *name) {
    for (const scene_kind &k : prune_kinds)
        if (!strncmp(name, "prune:", 6) && !strcmp(k.name, name + 6)) return &k;
    return scene_named(name);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "list")) {
        printf("%s\n", version.c_str());
        for (const peer_kind &p : peers) printf("%s\t%d\t%d\t%s\n", p.name, p.where, p.most, p.note);
        return 0;
    }
    scene s;
    const peer_kind *kind = nullptr;
    bool lived = false, check = false;
    if (argc < 5) fail("usage: see the head of bench/peers/peer.h");
    for (const peer_kind &p : peers)
        if (!strcmp(p.name, argv[1])) kind = &p;
    for (int i = 5; i < argc; i++) {
        lived |= !strcmp(argv[i], "lived");
        check |= !strcmp(argv[i], "check");
        if (!strcmp(argv[i], "cpu")) clock_used = CLOCK_THREAD_CPUTIME_ID;
    }
    std::string what = argv[2];
    int frames = argc > 5 ? atoi(argv[5]) : 0;
    double seconds = argc > 6 ? atof(argv[6]) : 1;
    if (!kind || !any_scene(argv[3]) || atoi(argv[4]) < 1) fail("no such peer, scene or number of boxes");
    if (!scene_make(&s, any_scene(argv[3]), atoi(argv[4]))) fail("out of memory");
    if (what == "frames")
        run_frames(*kind, s, frames, seconds, lived, check);
    else if (what == "small")
        run_small(*kind, s);
    else if (what == "query")
        run_query(*kind, s, frames);
    else
        run_batch(*kind, s, what == "remove", seconds);
    printf("\n");
    fflush(stdout);
    _exit(0);
}

#endif
