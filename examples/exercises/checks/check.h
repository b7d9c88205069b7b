/*
check.h - what the checkers share: the first example that goes wrong is told, and ends the program
*/
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#endif
