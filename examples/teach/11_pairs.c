/*
Shows the pair manager: an array without holes, found by a hash, and the paper's three calls (Terdiman I.6).

    cc -I../.. -I.. -o 11_pairs 11_pairs.c -lm && ./11_pairs

An overlap that starts calls add, one that stops calls remove: +A-B and -A-B. A pair that is touched for the first time since
the last dump goes to the keys; flags say what became of it. The dump goes over the keys alone: what is new and removed
began and ended since the last one, and is nothing. Only then are pairs taken out (5 -> 1: the last one fills the hole), for
until then the keys are their places.

At the end stand the steps to find a pair by the hash, and by V-Collide's lists: one for each box, of the pairs whose lower
box it is. A sorted tree of all pairs, a map, takes about log2 of their number, 12 and 13. (A table of all pairs is in
06_tests: one step, and a place for every two boxes.) To end all pairs of one box a hash alone must look at each pair there
is. So sap.h gives each box a list of all its pairs beside it, called contact edges, when it needs one.
It draws 11_pairs.svg or the file you name. It prints:

    frame 1: all come
      calls    +A-B +B-C +B-D +C-D +B-E +D-E
      keys     A-B new, B-C new, B-D new, C-D new, B-E new, D-E new
      reported A-B begins, B-C begins, B-D begins, C-D begins, B-E begins, D-E begins
      array    0 A-B, 1 B-C, 2 B-D, 3 C-D, 4 B-E, 5 D-E
    frame 2: C goes away
      calls    -B-C -C-D
      keys     B-C removed, C-D removed
      reported B-C ends, C-D ends;  5 -> 1;  4 -> 3
      array    0 A-B, 1 D-E, 2 B-D, 3 B-E
    frame 3: C visits A and leaves, D leaves B and E and comes back
      calls    +A-C -A-C -B-D -D-E +B-D +D-E
      keys     A-C new removed, B-D kept, D-E kept
      reported nothing
      array    0 A-B, 1 D-E, 2 B-D, 3 B-E
    frame 4: C comes to D, A leaves B for E
      calls    +C-D -A-B +A-E
      keys     C-D new, A-B removed, A-E new
      reported C-D begins, A-B ends, A-E begins;  5 -> 0
      array    0 A-E, 1 D-E, 2 B-D, 3 B-E, 4 C-D

    steps to find one by           hash      lists
    2000 boxes, 4000 pairs          1.2        2.4
    and a ground below all          1.3      335.1
*/
#include "sap.h"
#include "teach.h"

enum { BOXES = 5, FRAMES = 4, MOST_BOXES = 2001, MOST_PAIRS = 6000, MOST_BUCKETS = 8192, NONE = -1 };

/* ---- the pair manager -------------------------------------------------------------------------------------------- */

typedef struct pair {
    int a, b;  /* a < b */
    int chain; /* the next pair in its bucket, or NONE */
    int in_keys, is_new, is_removed;
} pair;

static pair pairs[MOST_PAIRS];
static int pair_count, bucket_bits, bucket[MOST_BUCKETS];
static int keys[MOST_PAIRS], key_count; /* pairs touched since the last dump */
static long long steps;                 /* pairs looked at, to find one */

static void clear(int bits) {
    bucket_bits = bits;
    pair_count = key_count = 0;
    for (int i = 0; i < 1 << bits; i++) bucket[i] = NONE;
}

static int *bucket_of(int a, int b) {
    const uint32_t both = (uint32_t)a << 16 | (uint32_t)b;
    return &bucket[both * 2654435761u >> (32 - bucket_bits)];
}

/* Returns the link that leads to a pair, or to the end of its chain. */
static int *find_link(int a, int b) {
    int *link = bucket_of(a, b);
    for (steps++; *link != NONE && (pairs[*link].a != a || pairs[*link].b != b); link = &pairs[*link].chain) steps++;
    return link;
}

static pair *append(int a, int b) {
    int *first = bucket_of(a, b);
    pairs[pair_count] = (pair){a, b, *first, 0, 0, 0};
    *first = pair_count;
    return &pairs[pair_count++];
}

/* Takes a pair out; the last one fills its place. */
static void take_out(int a, int b, void (*filled)(int from, int to)) {
    int *link = find_link(a, b);
    const int hole = *link, last = --pair_count;
    *link = pairs[hole].chain;
    if (hole == last) return;
    *find_link(pairs[last].a, pairs[last].b) = hole;
    pairs[hole] = pairs[last];
    filled(last, hole);
}

/* ---- the paper's AddPair, RemovePair and DumpPairs ---------------------------------------------------------------- */

static void touch(pair *p) {
    if (!p->in_keys) keys[key_count++] = (int)(p - pairs);
    p->in_keys = 1;
}

static void add_pair(int a, int b) {
    const int at = *find_link(a, b);
    pair *p = at == NONE ? append(a, b) : &pairs[at];
    if (at == NONE) {
        p->is_new = 1;
        touch(p);
    }
    p->is_removed = 0;
}

static void remove_pair(int a, int b) {
    const int at = *find_link(a, b);
    if (at == NONE) return;
    touch(&pairs[at]);
    pairs[at].is_removed = 1;
}

/* 'filled' is told which pair fills which hole. */
static void dump_pairs(void (*report)(int a, int b, int begins), void (*filled)(int from, int to)) {
    static pair going[MOST_PAIRS];
    int n = 0;
    for (int i = 0; i < key_count; i++) {
        pair *p = &pairs[keys[i]];
        if (p->is_removed) going[n++] = *p;
        if (p->is_removed != p->is_new) report(p->a, p->b, p->is_new);
        p->in_keys = p->is_new = 0;
    }
    key_count = 0;
    for (int i = 0; i < n; i++) take_out(going[i].a, going[i].b, filled); /* not before: keys are places in the array */
}

/* ---- five boxes ------------------------------------------------------------------------------------------------------ */

static const char *const frames[FRAMES][2] = {
    {"all come", "+A-B +B-C +B-D +C-D +B-E +D-E"},
    {"C goes away", "-B-C -C-D"},
    {"C visits A and leaves, D leaves B and E and comes back", "+A-C -A-C -B-D -D-E +B-D +D-E"},
    {"C comes to D, A leaves B for E", "+C-D -A-B +A-E"},
};
static int is[BOXES][BOXES], was[BOXES][BOXES], good = 1; /* whether two overlap, now and at the last dump */
static int told;                                          /* events of this frame */
static svg picture;
static double top; /* of the frame that is drawn */

enum { LEFT = 40, CELL = 76 };

static void tell(int a, int b, int begins) {
    printf("%s %c-%c %s", told++ ? "," : "", teach_name(a), teach_name(b), begins ? "begins" : "ends");
    good &= is[a][b] == begins && was[a][b] != begins;
    was[a][b] = begins;
}

static void fill(int from, int to) {
    const double x[2] = {LEFT + 36 + CELL * from, LEFT + 36 + CELL * to}, up = top + 24 - 4 * to;
    const double way[] = {x[0], top + 32, x[0], up, x[1], up, x[1], top + 31};
    printf(";  %d -> %d", from, to);
    svg_path(&picture, 4, way, 0, "fill:none;stroke:#e8836f;stroke-width:2;marker-end:url(#arrow)");
}

static void draw_array(void) {
    for (int p = 0; p < pair_count; p++) {
        const float min[2] = {(float)(LEFT + CELL * p), (float)top + 34}, max[2] = {min[0] + 70, min[1] + 34};
        svg_box(&picture, min, max, "fill:#26303d;stroke:#8fa3ba");
        svg_text(&picture, min[0] + 6.0, min[1] + 22.0, 16, SVG_TITLE, "%d  %c-%c", p, teach_name(pairs[p].a),
                 teach_name(pairs[p].b));
        if (pairs[p].chain == NONE) continue;
        const double x[2] = {min[0] + 35.0, LEFT + CELL * pairs[p].chain + 35.0};
        const double way[] = {x[0], top + 68, x[0], top + 78, x[1], top + 78, x[1], top + 69};
        svg_path(&picture, 4, way, 0, "fill:none;stroke:#ffd877;marker-end:url(#arrow)");
    }
    for (int h = 0; h < 1 << bucket_bits; h++) {
        const float min[2] = {(float)(LEFT + CELL * h), (float)top + 104}, max[2] = {min[0] + 70, min[1] + 20};
        svg_box(&picture, min, max, "fill:#1c242f;stroke:#37465a");
        svg_text(&picture, min[0] + 6.0, min[1] + 15.0, 12, SVG_WORD, "bucket %d", h);
        if (bucket[h] != NONE)
            svg_line(&picture, min[0] + 35.0, min[1], LEFT + CELL * bucket[h] + 35, top + 69,
                     "stroke:#ffd877;marker-end:url(#arrow)");
    }
}

static void play(int frame) {
    top = 104 + 160 * frame;
    svg_text(&picture, LEFT, top, 17, SVG_TITLE, "frame %d: %s", frame + 1, frames[frame][0]);
    printf("frame %d: %s\n  calls    %s\n  keys    ", frame + 1, frames[frame][0], frames[frame][1]);
    for (const char *call = frames[frame][1]; *call; call += call[4] ? 5 : 4) {
        const int a = call[1] - 'A', b = call[3] - 'A', begins = call[0] == '+';
        (begins ? add_pair : remove_pair)(a, b);
        is[a][b] = begins;
    }
    for (int i = 0; i < key_count; i++) {
        const pair *p = &pairs[keys[i]];
        const char *became = p->is_new ? p->is_removed ? "new removed" : "new" : p->is_removed ? "removed" : "kept";
        printf("%s %c-%c %s", i ? "," : "", teach_name(p->a), teach_name(p->b), became);
    }
    printf("\n  reported");
    told = 0;
    dump_pairs(tell, fill);
    if (!told) printf(" nothing");
    good &= memcmp(is, was, sizeof is) == 0; /* nothing was left out */
    printf("\n  array   ");
    for (int p = 0; p < pair_count; p++)
        printf("%s %d %c-%c", p ? "," : "", p, teach_name(pairs[p].a), teach_name(pairs[p].b));
    printf("\n");
    draw_array();
}

/* ---- the cost of a step, where there are many --------------------------------------------------------------------- */

/* 4,000 pairs at random among 2,000 boxes. Box 0 is a ground that has a pair with each of them, or has none. */
static void measure(const char *name, int has_ground) {
    static int length[MOST_BOXES]; /* of the list of each box, which is walked half on average */
    double by_lists = 0;
    clear(13);
    memset(length, 0, sizeof length);
    for (int i = 1; has_ground && i < MOST_BOXES; i++) append(0, i);
    for (const int wanted = pair_count + 4000; pair_count < wanted;) {
        const int a = 1 + (int)teach_random(0, MOST_BOXES - 1), b = 1 + (int)teach_random(0, MOST_BOXES - 1);
        if (a < b && *find_link(a, b) == NONE) append(a, b);
    }
    steps = 0;
    for (int p = 0; p < pair_count; p++) {
        good &= *find_link(pairs[p].a, pairs[p].b) == p;
        by_lists += ++length[pairs[p].a];
    }
    printf("%-24s %10.1f %10.1f\n", name, (double)steps / pair_count, by_lists / pair_count);
}

int main(int argc, char **argv) {
    picture = svg_open(argc > 1 ? argv[1] : "11_pairs.svg", 700, 750, "Pairs in an array, and a hash that finds them");
    svg_text(&picture, LEFT, 70, 14, SVG_WORD, "red: the last pair fills a hole; yellow: from bucket to pair to pair");
    clear(3);
    for (int frame = 0; frame < FRAMES; frame++) play(frame);
    svg_close(&picture);
    printf("\nsteps to find one by           hash      lists\n");
    measure("2000 boxes, 4000 pairs", 0);
    measure("and a ground below all", 1);
    if (!good) printf("a pair is WRONG\n");
    return !good;
}
