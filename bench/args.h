/* args.h - arguments and the machine's name, for bench.c and multi.c */
#ifndef ARGS_H
#define ARGS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__) && defined(__VERSION__)
#define ARGS_COMPILER __VERSION__
#elif defined(__VERSION__)
#define ARGS_COMPILER "gcc " __VERSION__
#else
#define ARGS_COMPILER "?"
#endif

/* What follows 'flag', NULL if it is not there. A flag without a value gives itself. */
static inline const char *args_value(int argc, char **argv, const char *flag, int has_value) {
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], flag)) return has_value ? argv[i + 1] : argv[i];
    return NULL;
}

/* Is every argument one of these, in one string with spaces ("-n= -s= --cpu"; = has a value)? */
static inline int args_are(int argc, char **argv, const char *known) {
    for (int i = 1; i < argc; i++) {
        const char *at = strstr(known, argv[i]);
        size_t length = strlen(argv[i]);
        if (!at || !length || (at[length] && at[length] != ' ' && at[length] != '=') || (at > known && at[-1] != ' '))
            return 0;
        if (at[length] == '=' && ++i == argc) return 0;
    }
    return 1;
}

/* What comes after the next comma, or NULL: for (p = list; p; p = args_next(p)) */
static inline const char *args_next(const char *p) {
    p = strchr(p, ',');
    return p ? p + 1 : NULL;
}

/* Is the name in the list? Without a list all are. */
static inline int args_list_has(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *p = list; p; p = args_next(p))
        if (!strncmp(p, name, length) && (!p[length] || p[length] == ',')) return 1;
    return !list;
}

static inline const char *args_processor(void) {
    static char name[256] = "?";
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %255[^\n]", name) == 1) break;
    if (f) fclose(f);
    return name;
}

#endif
