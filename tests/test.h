/* test.h - the few things every test of sap.h shares: counted checks, one summary line, and random
   numbers that are the same everywhere.

   A test is one C file with its own main, which ends in `return test_summary();`. */

#ifndef TEST_H
#define TEST_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define TEST_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define TEST_PRINTF(text, first)
#endif

static long test_passed, test_failed;

/* After this many messages the rest is only counted. */
enum { TEST_MESSAGES = 40 };

static inline int test_check(int ok, const char *file, int line, const char *format, ...) TEST_PRINTF(4, 5);
static inline int test_check(int ok, const char *file, int line, const char *format, ...) {
    va_list args;
    if (ok) {
        test_passed++;
        return 1;
    }
    if (test_failed++ < TEST_MESSAGES) {
        printf("%s:%d: ", file, line);
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        printf("\n");
        fflush(stdout); /* the next call may be the one that crashes */
    }
    return 0;
}

static inline int test_check_equal(long long seen, long long expected, const char *file, int line, const char *text) {
    return test_check(seen == expected, file, line, "%s is %lld, expected %lld", text, seen, expected);
}

/* Each answers 1 if the check held, so that a test can stop where going on makes no sense. */
#define CHECK(condition) test_check((condition) ? 1 : 0, __FILE__, __LINE__, "%s", #condition)
#define CHECK_EQUAL(a, b) test_check_equal((long long)(a), (long long)(b), __FILE__, __LINE__, #a)
#define CHECK_MESSAGE(condition, ...) test_check((condition) ? 1 : 0, __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_AT_MOST(value, most)                                                                                     \
    CHECK_MESSAGE((value) <= (most), "%s is %.1f, at most %.1f are promised", #value, (double)(value), (double)(most))

/* Prints the one line that run.sh adds up. A run without a single check is a failure: a test that
   tests nothing must not look green. */
static inline int test_summary(void) {
    printf("%ld passed, %ld failed\n", test_passed, test_failed);
    return test_failed != 0 || test_passed == 0;
}

/* First argument as a number, for how many seeds to run. */
static inline int test_argument(int argc, char **argv, int index, int otherwise) {
    return argc > index ? atoi(argv[index]) : otherwise;
}

/* ---- random numbers: splitmix64 -------------------------------------------------------------- */

typedef struct test_rng {
    uint64_t state;
} test_rng;

static inline uint64_t test_random(test_rng *rng) {
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. n - 1 */
static inline int test_below(test_rng *rng, int n) {
    return n > 0 ? (int)(test_random(rng) % (uint64_t)n) : 0;
}

static inline int test_chance(test_rng *rng, int percent) {
    return test_below(rng, 100) < percent;
}

/* low .. high */
static inline float test_uniform(test_rng *rng, float low, float high) {
    return low + (high - low) * ((float)(test_random(rng) >> 40) / 16777216.0f);
}

/* FNV-1a, to compare whole states by one number. */
static inline uint64_t test_hash(uint64_t hash, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

/* ---- floats by their bits -------------------------------------------------------------------- */

/* NaN and infinity are made from bits and never from arithmetic: the same tests run with -ffast-math,
   where the compiler may assume that neither exists. */

static inline uint32_t test_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline void test_set_bits(float *f, uint32_t bits) {
    memcpy(f, &bits, sizeof bits);
}

static inline float test_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#define TEST_INFINITY test_float(0x7f800000u)
#define TEST_FLOAT_MAX test_float(0x7f7fffffu)
#define TEST_NAN test_float(0x7fc00000u)
#define TEST_MINUS_0 test_float(0x80000000u)

static inline int test_is_nan(float f) {
    return (test_bits(f) & 0x7fffffffu) > 0x7f800000u;
}

static inline int test_is_finite(float f) {
    return (test_bits(f) & 0x7fffffffu) < 0x7f800000u;
}

/* An integer that orders as the float does, -0 equal to +0. Comparing these instead of floats keeps
   the expected answers exact where -ffast-math makes the processor take denormals for zero. */
static inline int32_t test_key(float f) {
    uint32_t bits = test_bits(f);
    int32_t magnitude = (int32_t)(bits & 0x7fffffffu);
    return bits >> 31 ? -magnitude : magnitude;
}

#endif
