/*
check.h - what the checkers share: the first example that goes wrong is told, and ends the program

A checker is a file of its own, so no name in it can be in the way of one of yours: what the two share is in the header of the
exercise. check.sh defines CHECK_SECONDS, and CHECK_SANITIZED where the compiler has sanitizers.
*/
#ifndef CHECK_H
#define CHECK_H

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#ifndef CHECK_SECONDS
#define CHECK_SECONDS 20
#endif

/* A number from low to high; the same ones in every run. */
static inline int check_random(int low, int high) {
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return low + (int)((state >> 8) % (uint32_t)(high - low + 1));
}

/* Says what is wrong; what was given, and hints, may follow before the program ends by check_stop. */
static inline void check_say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("  not yet: ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

static inline void check_note(const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("    ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
}

static inline void check_stop(void) {
    exit(1);
}

static inline int check_right(const char *what) {
    printf("  right: %s\n", what);
    return 0;
}

/* ---- crashes and endless loops: what was given is told, too ------------------------------------------------------ */

static void (*check_given)(void);

static inline void check_died(void) {
    check_note("It was given:");
    check_given();
    fflush(stdout);
    _Exit(1);
}

static inline void check_signal(int which) {
    signal(which, SIG_DFL); /* check_given must not bring us here again */
#ifdef SIGALRM
    signal(SIGALRM, SIG_DFL);
    alarm(1); /* if the loop printed, printing here may wait forever; then check.sh says it */
    if (which == SIGALRM) {
        check_say("it does not come to an end. Does every loop make a step, and stop at the sides?");
        check_died();
    }
#endif
#ifdef CHECK_SANITIZED
    check_say("it crashed. The sanitizer says below what your code did, and where.");
#else
    check_say("it crashed. Does it write or read beside an array?");
#endif
    check_died();
}

/* Each checker calls it first; 'given' prints what your code works on at that moment. */
static inline void check_begin(void (*given)(void)) {
    check_given = given;
    signal(SIGABRT, check_signal);
#ifndef CHECK_SANITIZED /* there the sanitizer catches these, and aborts */
    signal(SIGSEGV, check_signal);
    signal(SIGFPE, check_signal);
    signal(SIGILL, check_signal);
#ifdef SIGBUS
    signal(SIGBUS, check_signal);
#endif
#endif
#ifdef SIGALRM
    signal(SIGALRM, check_signal);
    alarm(CHECK_SECONDS);
#endif
}

/* ---- arrays with a fence: what is written beside them is noticed -------------------------------------------------- */

#ifdef CHECK_SANITIZED
enum { CHECK_FENCE = 0 }; /* the sanitizer notices, and also what is read */
#else
enum { CHECK_FENCE = 64 }; /* bytes on each side */
#endif

static inline void *check_new(size_t bytes) {
    unsigned char *all = (unsigned char *)malloc(bytes + 2 * CHECK_FENCE + (bytes == 0));
    if (!all) exit(2);
    memset(all, 0xa5, bytes + 2 * CHECK_FENCE);
    return all + CHECK_FENCE;
}

/* Returns on which side of the array something was written: -1 before it, 1 behind it, or 0. */
static inline int check_fence(const void *array, size_t bytes) {
    const unsigned char *at = (const unsigned char *)array;
    for (int i = 1; i <= CHECK_FENCE; i++)
        if (at[-i] != 0xa5) return -1;
    for (int i = 0; i < CHECK_FENCE; i++)
        if (at[bytes + (size_t)i] != 0xa5) return 1;
    return 0;
}

static inline void check_free(void *array) {
    free((unsigned char *)array - CHECK_FENCE);
}

#endif
