/*
Shows floats as integers that sort like them, and two traps: -0 and NaN (Terdiman, appendix A).

    cc -I../.. -I.. -I/usr/include/stb -o 04_floats 04_floats.c -lm && ./04_floats

The bits of a float are sign, exponent and digits. Read as an integer, a larger positive float has a larger integer. The
negative floats are wrong in two ways. Their sign bit places them behind the positive ones, and their order is reversed,
since a larger magnitude is a smaller float. Flipping the sign bit of all floats corrects the place. Flipping all other
bits of the negative ones, too, corrects the order. The picture joins each float to its integer: where two lines cross,
two floats would be sorted the wrong way round.
Trap 1: -0 and 0 are equal as floats, so boxes that touch there overlap; but their integers differ.
Trap 2: NaN is neither less nor greater than any float, which breaks a sort of floats. Its integer lies beyond infinity,
so a sort of integers does not show the mistake. sap.h gives -0 the integer of 0, and rejects NaN.
Bullet 2.55 rounded floats to a raster of 16-bit integers instead. That needs world bounds, and reports boxes as
overlapping that do not.
How long the sort of an update takes on your machine goes to stderr: by floats, by their integers, and by integers that hold
the owner in their lower half, as in sap.h. There the bit below those of the value is 0 for a min and 1 for a max: of two
ends with equal values the min is the smaller integer, and one comparison decides both.
It draws 04_floats.svg or the file you name. It prints:

         float   sign exponent  digits    bits as they are   sign flipped   and reversed
          -inf   1    ff        000000            ff800000       7f800000         7fffff
        -3e+38   1    fe        61b1e6            ff61b1e6       7f61b1e6         9e4e19
         -1000   1    88        7a0000            c47a0000       447a0000       3b85ffff
            -1   1    7f        000000            bf800000       3f800000       407fffff
        -1e-30   1    1b        224260            8da24260        da24260       725dbd9f
             0   0    00        000000                   0       80000000       80000000
         1e-30   0    1b        224260             da24260       8da24260       8da24260
             1   0    7f        000000            3f800000       bf800000       bf800000
          1000   0    88        7a0000            447a0000       c47a0000       c47a0000
         3e+38   0    fe        61b1e6            7f61b1e6       ff61b1e6       ff61b1e6
           inf   0    ff        000000            7f800000       ff800000       ff800000
    pairs in the wrong order                                       40             10              0
    1045715 integers, each compared with a greater one: so are their floats in all cases but 1, -0 and 0; all come back: yes

    A ends at -0, B begins at 0. They touch: as floats yes, as these integers no, in sap.h yes
    ? is no number. Sorted by insertion:
      before       5 3 ? 4 1 2
      by floats    3 5 ? 1 2 4
      by integers  1 2 3 4 5 ?
      sap.h        refuses it: SAP_ERROR_BOX

    pairs of 2000 boxes          exact   by a raster of 16 bits
    in a world of    1000           2205                     2306
    in a world of   10000           2274                     3382
    in a world of  100000           2217                    22930
*/
#include <math.h>
#include <time.h>
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "teach.h"

enum { FLOATS = 11, WAYS = 3, MANY = 2000 };

static uint32_t bits_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t as_they_are(float f) {
    return bits_of(f);
}

static uint32_t sign_flipped(float f) {
    return bits_of(f) ^ 0x80000000u;
}

static uint32_t encode(float f) {
    const uint32_t bits = bits_of(f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float decode(uint32_t code) {
    return float_of(code & 0x80000000u ? code & ~0x80000000u : ~code);
}

static const struct {
    const char *name;
    uint32_t (*code)(float);
} ways[WAYS] = {{"bits as they are", as_they_are},
                {"sign flipped: the place is right", sign_flipped},
                {"and negative ones reversed", encode}};

/* The first and the last become the infinities in main. */
static float floats[FLOATS] = {0, -3e38f, -1000, -1, -1e-30f, 0, 1e-30f, 1, 1000, 3e38f, 0};

/* Returns the number of pairs of floats that stand the wrong way round. */
static int crossings(uint32_t (*code)(float)) {
    int count = 0;
    for (int i = 0; i < FLOATS; i++)
        for (int j = i + 1; j < FLOATS; j++) count += code(floats[i]) > code(floats[j]);
    return count;
}

static void show_codes(void) {
    printf("     float   sign exponent  digits    bits as they are   sign flipped   and reversed\n");
    for (int i = 0; i < FLOATS; i++) {
        const uint32_t bits = bits_of(floats[i]);
        printf("%10g   %d    %02x        %06x  %18x %14x %14x\n", (double)floats[i], (int)(bits >> 31),
               (unsigned)(bits >> 23 & 0xff), (unsigned)(bits & 0x7fffff), (unsigned)as_they_are(floats[i]),
               (unsigned)sign_flipped(floats[i]), (unsigned)encode(floats[i]));
    }
    printf("pairs in the wrong order %40d %14d %14d\n", crossings(as_they_are), crossings(sign_flipped),
           crossings(encode));
}

/* Checks integers from that of -infinity to that of infinity, in steps, and all around 0: decoded, the floats are in
   order, and encoded again they are the same. */
static void show_all(void) {
    const uint32_t low = encode(-INFINITY), high = encode(INFINITY), zero = encode(0.0f);
    int walked = 0, greater = 0, same = 0;
    uint32_t code = low;
    while (code < high) {
        const uint32_t fine = code > zero - 1000 && code < zero + 1000;
        const uint32_t next = fine ? code + 1 : high - code < 4099 ? high : code + 4099;
        walked++;
        greater += decode(next) > decode(code);
        same += encode(decode(next)) == next;
        code = code < zero - 1000 && next > zero - 1000 ? zero - 999 : next;
    }
    printf("%d integers, each compared with a greater one: so are their floats in all cases but %d, -0 and 0; all come "
           "back: %s\n\n",
           walked, walked - greater, same == walked ? "yes" : "no");
}

/* Two boxes that touch where one ends at -0 and the other begins at 0. */
static void show_zero(void) {
    const sap_aabb left = {{-1, 0, 0}, {-0.0f, 1, 1}}, right = {{0, 0, 0}, {1, 1, 1}};
    sap_world *world = sap_create(NULL);
    int pairs;
    sap_add(world, &left, NULL);
    sap_add(world, &right, NULL);
    sap_update(world);
    sap_pairs(world, &pairs);
    printf("A ends at -0, B begins at 0. They touch: as floats %s, as these integers %s, in sap.h %s\n",
           left.max[0] >= right.min[0] ? "yes" : "no", encode(left.max[0]) >= encode(right.min[0]) ? "yes" : "no",
           pairs ? "yes" : "no");
    sap_destroy(world);
}

/* Sorts floats, or by their integers. */
static void insertion_sort(float *values, int n, int by_code) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && (by_code ? encode(values[j - 1]) > encode(values[j]) : values[j - 1] > values[j]);
             j--) {
            const float swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
}

static void print_values(const char *label, const float *values, int n) {
    printf("  %-12s", label);
    for (int i = 0; i < n; i++)
        if (values[i] == values[i])
            printf(" %g", (double)values[i]);
        else
            printf(" ?");
    printf("\n");
}

static void show_no_number(void) {
    const float start[6] = {5, 3, float_of(0x7fc00000), 4, 1, 2};
    const sap_aabb bad = {{0, 0, 0}, {1, float_of(0x7fc00000), 1}};
    float values[6];
    sap_world *world = sap_create(NULL);
    printf("? is no number. Sorted by insertion:\n");
    print_values("before", start, 6);
    for (int by_code = 0; by_code < 2; by_code++) {
        memcpy(values, start, sizeof values);
        insertion_sort(values, 6, by_code);
        print_values(by_code ? "by integers" : "by floats", values, 6);
    }
    const sap_id id = sap_add(world, &bad, NULL);
    printf("  sap.h        %s: %s\n\n", id ? "takes it" : "refuses it",
           sap_last_error(world) == SAP_ERROR_BOX ? "SAP_ERROR_BOX" : "another error");
    sap_destroy(world);
}

/* Rounds outward, to 16 bits over a world of this size. */
static float raster(float f, float size, int up) {
    const float cell = size / 65535;
    return (up ? ceilf(f / cell) : floorf(f / cell)) * cell;
}

static void show_raster(void) {
    static sap_aabb exact[MANY], coarse[MANY];
    teach_state = 7;
    printf("pairs of 2000 boxes          exact   by a raster of 16 bits\n");
    for (int power = 2; power <= 4; power++) {
        const float size = (float)pow(10, power) * 10;
        teach_scatter(exact, MANY, 60, 60, 0);
        for (int i = 0; i < MANY; i++)
            for (int k = 0; k < 2; k++) {
                coarse[i].min[k] = raster(exact[i].min[k], size, 0);
                coarse[i].max[k] = raster(exact[i].max[k], size, 1);
            }
        printf("in a world of %7g %14lld %24lld\n", (double)size, sap_box_prune(exact, MANY, SAP_2D, NULL, NULL),
               sap_box_prune(coarse, MANY, SAP_2D, NULL, NULL));
    }
}

/* ---- the time: the sort of an update, by floats and by integers ------------------------------------------------------ */

enum { ENDS = 4000, SORTS = 200 };

typedef struct timed_end {
    float value;
    uint32_t code, owner; /* owner: the box, and in the highest bit whether it is a max */
    uint64_t both;        /* code << 32 | owner, with the highest bit first */
} timed_end;

static timed_end line[ENDS];

/* At the same value a min comes before a max. */
static int float_is_greater(const timed_end *a, const timed_end *b) {
    return a->value > b->value || (a->value == b->value && a->owner >> 31 && !(b->owner >> 31));
}

static int code_is_greater(const timed_end *a, const timed_end *b) {
    return a->code > b->code || (a->code == b->code && a->owner >> 31 && !(b->owner >> 31));
}

static int both_is_greater(const timed_end *a, const timed_end *b) {
    return a->both > b->both;
}

/* The insertion sort of one axis, with the comparison written into the loop. */
#define SORT_LINE(is_greater)                                                                                          \
    for (int i = 1; i < ENDS; i++) {                                                                                   \
        const timed_end walker = line[i];                                                                              \
        int j = i;                                                                                                     \
        for (; j > 0 && is_greater(&line[j - 1], &walker); j--) line[j] = line[j - 1];                                 \
        line[j] = walker;                                                                                              \
    }

static void set_value(timed_end *e, float value) {
    e->value = value;
    e->code = encode(value);
    e->both = (uint64_t)e->code << 32 | e->owner;
}

static void show_time(void) {
    double microseconds[3];
    for (int way = 0; way < 3; way++) {
        clock_t all = 0;
        teach_state = 1;
        for (int i = 0; i < ENDS; i++) {
            line[i].owner = (uint32_t)(i / 2) | (uint32_t)(i & 1) << 31;
            set_value(&line[i], (float)i);
        }
        for (int sort = 0; sort < SORTS; sort++) {
            for (int i = 0; i < ENDS; i++) set_value(&line[i], line[i].value + teach_random(-2, 2));
            const clock_t begin = clock();
            if (way == 0) SORT_LINE(float_is_greater)
            if (way == 1) SORT_LINE(code_is_greater)
            if (way == 2) SORT_LINE(both_is_greater)
            all += clock() - begin;
        }
        microseconds[way] = (double)all * 1e6 / CLOCKS_PER_SEC / SORTS;
    }
    fprintf(stderr, "%d ends are sorted again: by floats %.0f microseconds, by integers %.0f, with their owners %.0f\n",
            ENDS, microseconds[0], microseconds[1], microseconds[2]);
}

/* ---- the picture: floats in order above, their integers below ------------------------------------------------------ */

static void draw(const char *path) {
    svg p = svg_open(path, 1000, 800, "Where on the line of integers a float lies");
    svg_text(&p, 40, 72, 15, SVG_WORD,
             "Above: floats in order. Below: their integers, from 0 to 2^32 - 1. Blue are negative ones.");
    for (int w = 0; w < WAYS; w++) {
        const double y = 130 + 225 * w, left = 60, width = 880;
        svg_text(&p, 40, y - 18, 17, SVG_TITLE, "%s: %d pairs cross", ways[w].name, crossings(ways[w].code));
        svg_line(&p, left, y + 150, left + width, y + 150, "stroke:#8fa3ba");
        svg_text(&p, left - 12, y + 170, 12, SVG_WORD, "0");
        svg_text(&p, left + width - 24, y + 170, 12, SVG_WORD, "2^32 - 1");
        svg_line(&p, left + width / 2, y + 145, left + width / 2, y + 155, "stroke:#8fa3ba");
        svg_text(&p, left + width / 2 - 12, y + 170, 12, SVG_WORD, "2^31");
        for (int i = 0; i < FLOATS; i++) {
            const double x = left + width * i / (FLOATS - 1);
            const double to = left + width * (double)ways[w].code(floats[i]) / 4294967295.0;
            const char *style = floats[i] < 0 ? "stroke:#6fa3e0;stroke-width:2" : "stroke:#e0a458;stroke-width:2";
            svg_line(&p, x, y + 24, to, y + 150, style);
            svg_text(&p, x - 14, y + 16, 13, SVG_TITLE, "%g", (double)floats[i]);
            svg_circle(&p, to, y + 150, 3, floats[i] < 0 ? "fill:#6fa3e0" : "fill:#e0a458");
        }
    }
    svg_close(&p);
}

int main(int argc, char **argv) {
    floats[0] = -INFINITY;
    floats[FLOATS - 1] = INFINITY;
    show_codes();
    show_all();
    show_zero();
    show_no_number();
    show_raster();
    show_time();
    draw(argc > 1 ? argv[1] : "04_floats.svg");
    return 0;
}
