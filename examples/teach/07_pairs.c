/*
Shows the pair manager: an array without holes, the paper's hash beside contact edges, and DumpPairs (Terdiman I.6).

    cc -I../.. -I.. -I/usr/include/stb -o 07_pairs 07_pairs.c -lm && ./07_pairs

Boxes A to E move one after another, as in the paper, and each overlap that starts or stops calls add or remove. A pair
that is touched for the first time since the last dump goes to the keys; flags say what became of it. The dump goes over
the keys alone: what is new and removed began and ended since the last one, and is nothing. Only then are pairs taken out
(->: the last one fills the hole), for until then the keys are their places.
A pair is found in two ways. The paper's: its ids are hashed, each bucket has a chain of pairs. That of sap.h: each box
has a list of its pairs, called contact edges in engines; both lists are walked at once, so the shorter one decides. The
table counts the steps of both. The hash takes as many for any box, but to end all pairs of one box it must look at every
pair there is; the lists make that a walk along its own. sap.h gets the same moves, and must report the same.
It draws 07_pairs.svg or the file you name. It prints:

    frame 1: all come
      calls    add A-B, add B-C, add B-D, add C-D, add B-E, add D-E
      keys     A-B new, B-C new, B-D new, C-D new, B-E new, D-E new
      reported A-B begins, B-C begins, B-D begins, C-D begins, B-E begins, D-E begins; sap.h: the same
      array    0 A-B, 1 B-C, 2 B-D, 3 C-D, 4 B-E, 5 D-E
      buckets  2: 2, 4: 0, 5: 1, 6: 3, 7: 5>4
      edges    A: 0, B: 4>2>1>0, C: 3>1, D: 5>3>2, E: 5>4
    frame 2: C goes to the right
      calls    remove B-C, remove C-D
      keys     B-C removed, C-D removed
      reported B-C ends, C-D ends; sap.h: the same
      array    0 A-B, 1 D-E, 2 B-D, 3 B-E;  5 -> 1;  4 -> 3
      buckets  2: 2, 4: 0, 7: 1>3
      edges    A: 0, B: 3>2>0, C: -, D: 1>2, E: 1>3
    frame 3: C visits A and leaves, D leaves E and comes back
      calls    add A-C, remove A-C, remove B-D, remove D-E, add B-D, add D-E
      keys     A-C new removed, B-D kept, D-E kept
      reported nothing; sap.h: the same
      array    0 A-B, 1 D-E, 2 B-D, 3 B-E
      buckets  2: 2, 4: 0, 7: 1>3
      edges    A: 0, B: 3>2>0, C: -, D: 1>2, E: 1>3
    frame 4: C comes to D, A goes down
      calls    add C-D, remove A-B, add A-E
      keys     C-D new, A-B removed, A-E new
      reported C-D begins, A-B ends, A-E begins; sap.h: the same
      array    0 A-E, 1 D-E, 2 B-D, 3 B-E, 4 C-D;  5 -> 0
      buckets  2: 2, 3: 0, 6: 4, 7: 1>3
      edges    A: 0, B: 3>2, C: 4, D: 4>1>2, E: 0>1>3

    steps                    to find: by hash  by edges   to end all of one box: by hash  by edges
    2000 boxes, 4000 pairs        1.2       2.3                      4000         4
    and a ground below all        1.3       3.2                      6000         7
*/
#include <stdint.h>
#include <string.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { BOXES = 5, FRAMES = 4, MOST_BOXES = 2001, MOST_PAIRS = 6000, MOST_BUCKETS = 8192, NONE = -1 };

/* ---- the pair manager -------------------------------------------------------------------------------------------- */

typedef struct pair {
    int id[2];                /* the lower box first */
    int chain;                /* the next pair in its bucket, or NONE */
    int next[2], previous[2]; /* edges of box id[0] and of box id[1]: edge 2 * p + k is that of pair p and box id[k] */
    int in_keys, is_new, is_removed;
} pair;

static pair pairs[MOST_PAIRS];
static int pair_count, bucket_bits;
static int bucket[MOST_BUCKETS], first_edge[MOST_BOXES];
static int keys[MOST_PAIRS], key_count; /* pairs touched since the last dump */
static long long steps;

static void clear(int bits, int boxes) {
    bucket_bits = bits;
    pair_count = key_count = 0;
    for (int i = 0; i < 1 << bits; i++) bucket[i] = NONE;
    for (int i = 0; i < boxes; i++) first_edge[i] = NONE;
}

static int bucket_of(int a, int b) {
    const uint32_t both = (uint32_t)a << 16 | (uint32_t)b;
    return (int)(both * 2654435761u >> (32 - bucket_bits));
}

/* a < b. Returns the place of their pair in the array, or NONE. */
static int find_by_hash(int a, int b) {
    int p = bucket[bucket_of(a, b)];
    for (steps++; p != NONE && (pairs[p].id[0] != a || pairs[p].id[1] != b); p = pairs[p].chain) steps++;
    return p;
}

/* The same along the edges of both boxes at once, until one of them has no more. */
static int find_by_edges(int a, int b) {
    int at_a = first_edge[a], at_b = first_edge[b];
    for (steps++; at_a != NONE && at_b != NONE; steps++) {
        const pair *of_a = &pairs[at_a / 2], *of_b = &pairs[at_b / 2];
        if (of_a->id[1 - at_a % 2] == b) return at_a / 2;
        if (of_b->id[1 - at_b % 2] == a) return at_b / 2;
        at_a = of_a->next[at_a % 2];
        at_b = of_b->next[at_b % 2];
    }
    return NONE;
}

static void append(int a, int b) {
    const int p = pair_count++, h = bucket_of(a, b);
    pairs[p] = (pair){{a, b}, bucket[h], {first_edge[a], first_edge[b]}, {NONE, NONE}, 0, 0, 0};
    bucket[h] = p;
    for (int k = 0; k < 2; k++) {
        const int next = pairs[p].next[k];
        if (next != NONE) pairs[next / 2].previous[next % 2] = 2 * p + k;
        first_edge[pairs[p].id[k]] = 2 * p + k;
    }
}

/* Lets what leads to pair p lead to pair to, in its chain and in both lists; to = NONE: to what follows it. */
static void rename_pair(int p, int to) {
    int *link = &bucket[bucket_of(pairs[p].id[0], pairs[p].id[1])];
    while (*link != p) link = &pairs[*link].chain;
    *link = to == NONE ? pairs[p].chain : to;
    for (int k = 0; k < 2; k++) {
        const int next = pairs[p].next[k], previous = pairs[p].previous[k];
        int *forth = previous == NONE ? &first_edge[pairs[p].id[k]] : &pairs[previous / 2].next[previous % 2];
        *forth = to == NONE ? next : 2 * to + k;
        if (next != NONE) pairs[next / 2].previous[next % 2] = to == NONE ? previous : 2 * to + k;
    }
    if (to != NONE) pairs[to] = pairs[p];
}

/* Takes pair p out; the last one fills its place. Returns where that one stood, or NONE if p was the last. */
static int take_out(int p) {
    const int last = --pair_count;
    rename_pair(p, NONE);
    if (last == p) return NONE;
    rename_pair(last, p);
    return last;
}

static void touch(int p) {
    if (!pairs[p].in_keys) keys[key_count++] = p;
    pairs[p].in_keys = 1;
}

/* ---- the paper's AddPair, RemovePair and DumpPairs ---------------------------------------------------------------- */

static void add_pair(int a, int b) {
    int p = find_by_hash(a, b);
    if (p == NONE) {
        append(a, b);
        p = pair_count - 1;
        pairs[p].is_new = 1;
        touch(p);
    }
    pairs[p].is_removed = 0;
}

static void remove_pair(int a, int b) {
    const int p = find_by_hash(a, b);
    if (p == NONE) return;
    touch(p);
    pairs[p].is_removed = 1;
}

typedef void report(int a, int b, int begins);

/* 'filled' is told which pair fills which hole. */
static void dump_pairs(report *told, void (*filled)(int from, int to)) {
    int going = 0;
    static int ids[MOST_PAIRS][2];
    for (int i = 0; i < key_count; i++) {
        pair *p = &pairs[keys[i]];
        if (p->is_removed) {
            if (!p->is_new) told(p->id[0], p->id[1], 0);
            memcpy(ids[going++], p->id, sizeof p->id);
        } else if (p->is_new)
            told(p->id[0], p->id[1], 1);
        p->in_keys = p->is_new = 0;
    }
    key_count = 0;
    for (int i = 0; i < going; i++) { /* not before: until here the keys are places in the array */
        const int hole = find_by_hash(ids[i][0], ids[i][1]), last = take_out(hole);
        if (last != NONE) filled(last, hole);
    }
}

/* ---- five boxes ------------------------------------------------------------------------------------------------------ */

typedef struct step {
    char box;
    float x, y; /* its middle goes here */
} step;

typedef struct script {
    const char *title;
    step steps[6];
} script;

static const script scripts[FRAMES] = {
    {"all come", {{'A', 2, 2}, {'B', 4, 2.5f}, {'C', 6, 2}, {'D', 5.5f, 4}, {'E', 3.5f, 4.5f}}},
    {"C goes to the right",
     {{
         'C',
         10,
         2,
     }}},
    {"C visits A and leaves, D leaves E and comes back", {{'C', 1, 3}, {'C', 10, 2}, {'D', 8, 5}, {'D', 5.5f, 4}}},
    {"C comes to D, A goes down", {{'C', 7, 3.5f}, {'A', 1.5f, 5}}},
};

static sap_aabb boxes[BOXES];
static sap_id ids[BOXES];
static sap_world *world;
static struct { int a, b, begins, seen; } told[16];
static int call_count, told_count, same;
static int filled[8][2], filled_count;

static int overlap(const sap_aabb *a, const sap_aabb *b) {
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1];
}

/* UpdateObject: what the update rules find is here found by looking at all others. */
static void update_object(int box, const sap_aabb *to) {
    for (int i = 0; i < BOXES; i++) {
        if (i == box) continue;
        const int a = i < box ? i : box, b = i < box ? box : i;
        const int before = overlap(&boxes[i], &boxes[box]), now = overlap(&boxes[i], to);
        if (before == now) continue;
        printf("%s %s %c-%c", call_count++ ? "," : "", now ? "add" : "remove", 'A' + a, 'A' + b);
        if (now)
            add_pair(a, b);
        else
            remove_pair(a, b);
    }
    boxes[box] = *to;
}

static void tell(int a, int b, int begins) {
    printf("%s %c-%c %s", told_count ? "," : "", 'A' + a, 'A' + b, begins ? "begins" : "ends");
    told[told_count].a = a;
    told[told_count].b = b;
    told[told_count].begins = begins;
    told[told_count++].seen = 0;
}

static void note_filled(int from, int to) {
    filled[filled_count][0] = from;
    filled[filled_count++][1] = to;
}

/* sap.h reports a pair: the pair manager must have done so, too. */
static void seen(const sap_pair *p, int begins) {
    const int a = teach_name(p->id0) - 'A', b = teach_name(p->id1) - 'A';
    int found = 0;
    for (int i = 0; i < told_count; i++)
        if (told[i].a == a && told[i].b == b && told[i].begins == begins) found = !told[i].seen++;
    same &= found;
}

static void *seen_create(const sap_pair *p, void *user) {
    (void)user;
    seen(p, 1);
    return NULL;
}

static void seen_delete(const sap_pair *p, void *user) {
    (void)user;
    seen(p, 0);
}

static svg picture;

static void show_array(void) {
    printf("  array   ");
    for (int p = 0; p < pair_count; p++)
        printf("%s %d %c-%c", p ? "," : "", p, 'A' + pairs[p].id[0], 'A' + pairs[p].id[1]);
    for (int i = 0; i < filled_count; i++) printf(";  %d -> %d", filled[i][0], filled[i][1]);
    int used = 0;
    printf("\n  buckets ");
    for (int h = 0; h < 1 << bucket_bits; h++) {
        if (bucket[h] == NONE) continue;
        printf("%s %d: ", used++ ? "," : "", h);
        for (int p = bucket[h]; p != NONE; p = pairs[p].chain) printf("%s%d", p == bucket[h] ? "" : ">", p);
    }
    printf("\n  edges   ");
    for (int i = 0; i < BOXES; i++) {
        printf("%s %c: %s", i ? "," : "", 'A' + i, first_edge[i] == NONE ? "-" : "");
        for (int e = first_edge[i]; e != NONE; e = pairs[e / 2].next[e % 2])
            printf("%s%d", e == first_edge[i] ? "" : ">", e / 2);
    }
    printf("\n");
}

static void draw(int frame, const char *title) {
    const double y = 124 + 212 * frame, cell = 64, left = 330;
    svg_text(&picture, 40, y - 12, 17, SVG_TITLE, "frame %d: %s", frame + 1, title);
    svg_begin_panel(&picture, 40, (int)y, 250, 160, -.5, 0, 21);
    for (int i = 0; i < BOXES; i++) {
        char style[64];
        snprintf(style, sizeof style, "fill:%s;fill-opacity:.6", teach_color((char)('A' + i)));
        svg_box(&picture, boxes[i].min, boxes[i].max, style);
        svg_text(&picture, (double)boxes[i].min[0] + .2, (double)boxes[i].min[1] + .8, 14, SVG_TITLE, "%c", 'A' + i);
    }
    svg_end_panel(&picture);
    svg_text(&picture, left, y + 12, 13, SVG_WORD, "array");
    for (int p = 0; p < pair_count; p++) {
        const float min[2] = {(float)(left + cell * p), (float)y + 32}, max[2] = {min[0] + 58, min[1] + 34};
        svg_box(&picture, min, max, "fill:#26303d;stroke:#8fa3ba");
        svg_text(&picture, min[0] + 6.0, min[1] - 4.0, 11, SVG_WORD, "%d", p);
        svg_text(&picture, min[0] + 14.0, min[1] + 22.0, 16, SVG_TITLE, "%c-%c", 'A' + pairs[p].id[0],
                 'A' + pairs[p].id[1]);
        if (pairs[p].chain != NONE) { /* along the chain */
            const double to = left + cell * pairs[p].chain + 29,
                         xy[] = {min[0] + 29.0, y + 66, min[0] + 29.0, y + 78, to, y + 78, to, y + 67};
            svg_path(&picture, 4, xy, 0, "fill:none;stroke:#ffd877;marker-end:url(#arrow)");
        }
    }
    for (int i = 0; i < filled_count; i++) {
        const double from = left + cell * filled[i][0] + 29, to = left + cell * filled[i][1] + 29, up = y + 20 - 5 * i;
        const double xy[] = {from, y + 32, from, up, to, up, to, y + 31};
        svg_path(&picture, 4, xy, 0, "fill:none;stroke:#e8836f;stroke-width:2;marker-end:url(#arrow)");
    }
    svg_text(&picture, left, y + 160, 13, SVG_WORD, "buckets of the hash");
    for (int h = 0; h < 1 << bucket_bits; h++) {
        const float min[2] = {(float)left + 44.0f * (float)h, (float)y + 112}, max[2] = {min[0] + 38, min[1] + 24};
        svg_box(&picture, min, max, "fill:#1c242f;stroke:#37465a");
        svg_text(&picture, min[0] + 15.0, min[1] + 16.0, 12, SVG_WORD, "%d", h);
        if (bucket[h] != NONE)
            svg_line(&picture, min[0] + 19.0, min[1], left + cell * bucket[h] + 29, y + 67,
                     "stroke:#ffd877;marker-end:url(#arrow)");
    }
    svg_text(&picture, 770, y + 12, 13, SVG_WORD, "contact edges: places of its pairs");
    for (int i = 0; i < BOXES; i++) {
        int place = 0;
        svg_text(&picture, 770, y + 40 + 27 * i, 15, SVG_TITLE, "%c", 'A' + i);
        for (int e = first_edge[i]; e != NONE; e = pairs[e / 2].next[e % 2], place++) {
            const float min[2] = {796.0f + 56 * (float)place, (float)y + 24 + 27 * (float)i};
            const float max[2] = {min[0] + 22, min[1] + 22};
            char style[64];
            snprintf(style, sizeof style, "fill:%s;fill-opacity:.4;stroke:#8fa3ba", teach_color((char)('A' + i)));
            svg_box(&picture, min, max, style);
            svg_text(&picture, min[0] + 7.0, min[1] + 16.0, 13, SVG_TITLE, "%d", e / 2);
            if (pairs[e / 2].next[e % 2] != NONE)
                svg_line(&picture, max[0] + 2.0, min[1] + 11.0, max[0] + 30.0, min[1] + 11.0,
                         "stroke:#e8eef6;marker-end:url(#arrow)");
        }
    }
}

static int play(int frame) {
    const script *now = &scripts[frame];
    call_count = told_count = filled_count = 0;
    printf("frame %d: %s\n  calls   ", frame + 1, now->title);
    for (int i = 0; now->steps[i].box; i++) {
        const step *s = &now->steps[i];
        const int box = s->box - 'A';
        const sap_aabb to = {{s->x - 1.2f, s->y - 1}, {s->x + 1.2f, s->y + 1}};
        update_object(box, &to);
        if (frame)
            sap_move(world, ids[box], &to);
        else
            ids[box] = sap_add(world, &to, NULL);
    }
    printf("\n  keys    ");
    for (int i = 0; i < key_count; i++) {
        const pair *p = &pairs[keys[i]];
        printf(" %c-%c%s%s", 'A' + p->id[0], 'A' + p->id[1], p->is_new ? " new" : "", p->is_removed ? " removed" : "");
        printf(p->is_new || p->is_removed ? "" : " kept");
        printf(i + 1 < key_count ? "," : "");
    }
    printf("\n  reported");
    dump_pairs(tell, note_filled);
    printf("%s", told_count ? "" : " nothing");
    same = 1;
    const int active = sap_dump_pairs(world, seen_create, seen_delete, NULL);
    for (int i = 0; i < told_count; i++) same &= told[i].seen == 1;
    same &= active == pair_count;
    printf("; sap.h: %s\n", same ? "the same" : "NOT the same");
    show_array();
    draw(frame, now->title);
    return same;
}

/* ---- the cost of a step, where there are many --------------------------------------------------------------------------- */

static int random_below(int n) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

/* 4,000 pairs at random among 2,000 boxes; box 0 is a ground with a pair with each of them, or has pairs like the others. */
static int measure(const char *name, int has_ground) {
    const int boxes_here = MOST_BOXES;
    long long by_hash, by_edges, own = 0;
    int good = 1, wanted = 4000;
    clear(13, boxes_here);
    for (int i = 1; has_ground && i < boxes_here; i++) append(0, i);
    wanted += pair_count;
    while (pair_count < wanted) {
        const int a = random_below(boxes_here), b = random_below(boxes_here);
        if (a < b && find_by_hash(a, b) == NONE) append(a, b);
    }
    steps = 0;
    for (int p = 0; p < pair_count; p++) good &= find_by_hash(pairs[p].id[0], pairs[p].id[1]) == p;
    by_hash = steps;
    steps = 0;
    for (int p = 0; p < pair_count; p++) good &= find_by_edges(pairs[p].id[0], pairs[p].id[1]) == p;
    by_edges = steps;
    const int finds = pair_count, all = pair_count;
    for (; first_edge[1000] != NONE; own++) take_out(first_edge[1000] / 2);
    printf("%-24s %8.1f %9.1f %25d %9lld%s\n", name, (double)by_hash / finds, (double)by_edges / finds, all, own,
           good ? "" : "  WRONG");
    return good;
}

int main(int argc, char **argv) {
    const sap_config flat = {.axes = SAP_2D};
    int good = 1;
    picture = svg_open(argc > 1 ? argv[1] : "07_pairs.svg", 1100, 960, "Pairs in an array, a hash and lists of edges");
    svg_text(&picture, 40, 76, 14, SVG_WORD,
             "red: the last pair fills a hole; yellow: from bucket to pair, and along its chain");
    world = sap_create(&flat);
    clear(3, BOXES);
    for (int i = 0; i < BOXES; i++) boxes[i] = (sap_aabb){{-100.0f * (float)(i + 1), 0}, {-100.0f * (float)(i + 1), 0}};
    for (int frame = 0; frame < FRAMES; frame++) good &= play(frame);
    printf("\nsteps                    to find: by hash  by edges   to end all of one box: by hash  by edges\n");
    good &= measure("2000 boxes, 4000 pairs", 0);
    good &= measure("and a ground below all", 1);
    svg_close(&picture);
    sap_destroy(world);
    return !good;
}
