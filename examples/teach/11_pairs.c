/*
Shows the pair manager: an array without holes, found by a hash, the paper's three calls, and other ways (Terdiman I.6).

    cc -I../.. -I.. -o 11_pairs 11_pairs.c -lm && ./11_pairs

Boxes A to E move one after another, as in the paper, and each overlap that starts or stops calls add or remove. A pair
that is touched for the first time since the last dump goes to the keys; flags say what became of it. The dump goes over
the keys alone: what is new and removed began and ended since the last one, and is nothing. Only then are pairs taken out
(->: the last one fills the hole), for until then the keys are their places.

The table counts the steps of other pair managers that find the same pairs. Lists: V-Collide's, one for each box, of the
pairs whose lower box it is. Map: a sorted tree of all pairs, here a binary search. Edges: sap.h's, also called contact
edges: each box has a list of all its pairs, and the lists of both boxes are walked at once, so the shorter one decides.
(A table of all pairs is in 06_tests: one step, and a place for every two boxes.) The hash takes as many steps for any box,
but to end all pairs of one box it must look at every pair there is; the edges make that a walk along its own.
It draws 11_pairs.svg or the file you name. It prints:

    frame 1: all come
      calls    add A-B, add B-C, add B-D, add C-D, add B-E, add D-E
      keys     A-B new, B-C new, B-D new, C-D new, B-E new, D-E new
      reported A-B begins, B-C begins, B-D begins, C-D begins, B-E begins, D-E begins; two loops say the same
      array    0 A-B, 1 B-C, 2 B-D, 3 C-D, 4 B-E, 5 D-E
      buckets  2: 2, 4: 0, 5: 1, 6: 3, 7: 5>4
    frame 2: C goes to the right
      calls    remove B-C, remove C-D
      keys     B-C removed, C-D removed
      reported B-C ends, C-D ends; two loops say the same
      array    0 A-B, 1 D-E, 2 B-D, 3 B-E;  5 -> 1;  4 -> 3
      buckets  2: 2, 4: 0, 7: 1>3
    frame 3: C visits A and leaves, D leaves E and comes back
      calls    add A-C, remove A-C, remove B-D, remove D-E, add B-D, add D-E
      keys     A-C new removed, B-D kept, D-E kept
      reported nothing; two loops say the same
      array    0 A-B, 1 D-E, 2 B-D, 3 B-E
      buckets  2: 2, 4: 0, 7: 1>3
    frame 4: C comes to D, A goes down
      calls    add C-D, remove A-B, add A-E
      keys     C-D new, A-B removed, A-E new
      reported C-D begins, A-B ends, A-E begins; two loops say the same
      array    0 A-E, 1 D-E, 2 B-D, 3 B-E, 4 C-D;  5 -> 0
      buckets  2: 2, 3: 0, 6: 4, 7: 1>3

    steps to                  find one by                      end all of one box by
                                hash   lists     map   edges            hash   lists     map   edges
    2000 boxes, 4000 pairs       1.2     2.4    12.0     2.3            4000    3033    4000       3
    and a ground below all       1.3   335.1    13.0     3.2            6000    4979    6000       6
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

typedef struct script {
    const char *title;
    struct {
        char box;
        float x, y;
    } steps[6]; /* its middle goes there */
} script;

static const script scripts[FRAMES] = {
    {"all come", {{'A', 2, 2}, {'B', 4, 2.5f}, {'C', 6, 2}, {'D', 5.5f, 4}, {'E', 3.5f, 4.5f}}},
    {"C goes to the right", {{'C', 10, 2}, {0, 0, 0}}},
    {"C visits A and leaves, D leaves E and comes back", {{'C', 1, 3}, {'C', 10, 2}, {'D', 8, 5}, {'D', 5.5f, 4}}},
    {"C comes to D, A goes down", {{'C', 7, 3.5f}, {'A', 1.5f, 5}}},
};

static sap_aabb boxes[BOXES], before[BOXES]; /* as they are, and as they were at the last dump */
static int call_count, told_count, good = 1;
static int filled[8][2], filled_count;

/* UpdateObject: what the update rules find is here found by looking at all others. */
static void update_object(int box, const sap_aabb *to) {
    for (int i = 0; i < BOXES; i++) {
        if (i == box || teach_overlap(&boxes[i], &boxes[box]) == teach_overlap(&boxes[i], to)) continue;
        const int a = i < box ? i : box, b = i < box ? box : i, begins = teach_overlap(&boxes[i], to);
        printf("%s %s %c-%c", call_count++ ? "," : "", begins ? "add" : "remove", teach_name(a), teach_name(b));
        (begins ? add_pair : remove_pair)(a, b);
    }
    boxes[box] = *to;
}

static void tell(int a, int b, int begins) {
    printf("%s %c-%c %s", told_count++ ? "," : "", teach_name(a), teach_name(b), begins ? "begins" : "ends");
    good &= teach_overlap(&boxes[a], &boxes[b]) == begins && teach_overlap(&before[a], &before[b]) != begins;
}

static void note_filled(int from, int to) {
    filled[filled_count][0] = from;
    filled[filled_count++][1] = to;
}

static void show_array(void) {
    int used = 0;
    printf("  array   ");
    for (int p = 0; p < pair_count; p++)
        printf("%s %d %c-%c", p ? "," : "", p, teach_name(pairs[p].a), teach_name(pairs[p].b));
    for (int i = 0; i < filled_count; i++) printf(";  %d -> %d", filled[i][0], filled[i][1]);
    printf("\n  buckets ");
    for (int h = 0; h < 1 << bucket_bits; h++) {
        if (bucket[h] == NONE) continue;
        printf("%s %d: ", used++ ? "," : "", h);
        for (int p = bucket[h]; p != NONE; p = pairs[p].chain) printf("%s%d", p == bucket[h] ? "" : ">", p);
    }
    printf("\n");
}

static void draw(svg *picture, int frame, const char *title) {
    const double y = 124 + 212 * frame, cell = 64, left = 330;
    svg_text(picture, 40, y - 12, 17, SVG_TITLE, "frame %d: %s", frame + 1, title);
    svg_begin_panel(picture, 40, (int)y, 250, 160, -.5, 0, 21);
    for (int i = 0; i < BOXES; i++) {
        char style[64];
        snprintf(style, sizeof style, "fill:%s;fill-opacity:.6", teach_color(i));
        svg_box(picture, boxes[i].min, boxes[i].max, style);
        svg_text(picture, (double)boxes[i].min[0] + .2, (double)boxes[i].min[1] + .8, 14, SVG_TITLE, "%c", 'A' + i);
    }
    svg_end_panel(picture);
    svg_text(picture, left, y + 12, 13, SVG_WORD, "array");
    for (int p = 0; p < pair_count; p++) {
        const float min[2] = {(float)(left + cell * p), (float)y + 32}, max[2] = {min[0] + 58, min[1] + 34};
        svg_box(picture, min, max, "fill:#26303d;stroke:#8fa3ba");
        svg_text(picture, min[0] + 6.0, min[1] - 4.0, 11, SVG_WORD, "%d", p);
        svg_text(picture, min[0] + 14.0, min[1] + 22.0, 16, SVG_TITLE, "%c-%c", teach_name(pairs[p].a),
                 teach_name(pairs[p].b));
        if (pairs[p].chain != NONE) { /* along the chain */
            const double to = left + cell * pairs[p].chain + 29,
                         xy[] = {min[0] + 29.0, y + 66, min[0] + 29.0, y + 78, to, y + 78, to, y + 67};
            svg_path(picture, 4, xy, 0, "fill:none;stroke:#ffd877;marker-end:url(#arrow)");
        }
    }
    for (int i = 0; i < filled_count; i++) {
        const double from = left + cell * filled[i][0] + 29, to = left + cell * filled[i][1] + 29, up = y + 20 - 5 * i;
        const double xy[] = {from, y + 32, from, up, to, up, to, y + 31};
        svg_path(picture, 4, xy, 0, "fill:none;stroke:#e8836f;stroke-width:2;marker-end:url(#arrow)");
    }
    svg_text(picture, left, y + 160, 13, SVG_WORD, "buckets of the hash");
    for (int h = 0; h < 1 << bucket_bits; h++) {
        const float min[2] = {(float)left + 44.0f * (float)h, (float)y + 112}, max[2] = {min[0] + 38, min[1] + 24};
        svg_box(picture, min, max, "fill:#1c242f;stroke:#37465a");
        svg_text(picture, min[0] + 15.0, min[1] + 16.0, 12, SVG_WORD, "%d", h);
        if (bucket[h] != NONE)
            svg_line(picture, min[0] + 19.0, min[1], left + cell * bucket[h] + 29, y + 67,
                     "stroke:#ffd877;marker-end:url(#arrow)");
    }
}

static void play(svg *picture, int frame) {
    int events = 0;
    call_count = told_count = filled_count = 0;
    memcpy(before, boxes, sizeof before);
    printf("frame %d: %s\n  calls   ", frame + 1, scripts[frame].title);
    for (int i = 0; scripts[frame].steps[i].box; i++) {
        const float x = scripts[frame].steps[i].x, y = scripts[frame].steps[i].y;
        update_object(scripts[frame].steps[i].box - 'A', &(sap_aabb){{x - 1.2f, y - 1}, {x + 1.2f, y + 1}});
    }
    printf("\n  keys    ");
    for (int i = 0; i < key_count; i++) {
        const pair *p = &pairs[keys[i]];
        printf("%s %c-%c%s%s%s", i ? "," : "", teach_name(p->a), teach_name(p->b), p->is_new ? " new" : "",
               p->is_removed ? " removed" : "", p->is_new || p->is_removed ? "" : " kept");
    }
    printf("\n  reported");
    dump_pairs(tell, note_filled);
    for (int a = 0; a < BOXES; a++)
        for (int b = a + 1; b < BOXES; b++)
            events += teach_overlap(&before[a], &before[b]) != teach_overlap(&boxes[a], &boxes[b]);
    good &= events == told_count;
    printf("%s; two loops say %s\n", told_count ? "" : " nothing", good ? "the same" : "something ELSE");
    show_array();
    draw(picture, frame, scripts[frame].title);
}

/* ---- the cost of a step, where there are many --------------------------------------------------------------------------- */

static int first[MOST_BOXES], next[MOST_PAIRS][2]; /* each box has a list of its pairs, the newest first */
static uint32_t sorted[MOST_PAIRS];

static int next_of(int p, int box) {
    return next[p][pairs[p].b == box];
}

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* 4,000 pairs at random among 2,000 boxes. Box 0 is a ground with a pair with each of them, or has none. */
static void measure(const char *name, int has_ground) {
    double sum[4] = {0, 0, 0, 0};
    const int one = 1000; /* the box whose pairs all end */
    int in_lists = 0, own = 0;
    clear(13);
    for (int i = 0; i < MOST_BOXES; i++) first[i] = NONE;
    for (int i = 1; has_ground && i < MOST_BOXES; i++) append(0, i);
    for (const int wanted = pair_count + 4000; pair_count < wanted;) {
        const int a = 1 + (int)teach_random(0, MOST_BOXES - 1), b = 1 + (int)teach_random(0, MOST_BOXES - 1);
        if (a < b && *find_link(a, b) == NONE) append(a, b);
    }
    for (int p = 0; p < pair_count; p++) {
        const int a = pairs[p].a, b = pairs[p].b;
        next[p][0] = first[a];
        next[p][1] = first[b];
        first[a] = first[b] = p;
        sorted[p] = (uint32_t)a << 16 | (uint32_t)b;
        in_lists += a <= one; /* a pair of its own list, or of the list of a lower box, any of which may hold it */
        own += a == one || b == one;
    }
    qsort(sorted, (size_t)pair_count, sizeof *sorted, ascending);
    for (int p = 0; p < pair_count; p++) {
        const int a = pairs[p].a, b = pairs[p].b;
        steps = 0;
        good &= *find_link(a, b) == p;
        sum[0] += (double)steps;
        for (int at = first[a]; at != p; at = next_of(at, a)) sum[1] += pairs[at].a == a;
        sum[1]++;
        for (int low = 0, n = pair_count; n > 1; n -= n / 2, sum[2]++)
            low += sorted[low + n / 2] <= ((uint32_t)a << 16 | (uint32_t)b) ? n / 2 : 0;
        for (int of_a = first[a], of_b = first[b]; of_a != p && of_b != p; sum[3]++) {
            of_a = next_of(of_a, a);
            of_b = next_of(of_b, b);
        }
        sum[3]++;
    }
    printf("%-24s", name);
    for (int k = 0; k < 4; k++) printf(" %7.1f", sum[k] / pair_count);
    printf(" %15d %7d %7d %7d\n", pair_count, in_lists, pair_count, own);
}

int main(int argc, char **argv) {
    svg picture =
        svg_open(argc > 1 ? argv[1] : "11_pairs.svg", 760, 960, "Pairs in an array, and a hash that finds them");
    svg_text(&picture, 40, 76, 14, SVG_WORD,
             "red: the last pair fills a hole; yellow: from bucket to pair, and along its chain");
    clear(3);
    for (int i = 0; i < BOXES; i++) boxes[i] = (sap_aabb){{-100.0f * (float)(i + 1), 0}, {-100.0f * (float)(i + 1), 0}};
    for (int frame = 0; frame < FRAMES; frame++) play(&picture, frame);
    printf("\nsteps to                  find one by                      end all of one box by\n");
    printf("                            hash   lists     map   edges            hash   lists     map   edges\n");
    measure("2000 boxes, 4000 pairs", 0);
    measure("and a ground below all", 1);
    svg_close(&picture);
    return !good;
}
