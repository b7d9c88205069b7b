#!/bin/sh
# Compiles sap.h and sap_multi.h in every way that the contract promises: each compiler and language version, each
# option, each order of includes, one file and two; and looks at what reaches the user: macros, headers, symbols,
# allocations, and what a compiler says if stb_ds.h is missing.
#
#   sh tests/compile_matrix.sh [gcc clang g++ clang++ tcc msvc user]   these parts alone; 'user' is the last chapter,
#   'main' one case of each kind
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc
#
# Prints one line for every case that failed, and 'N passed, N failed, N skipped'. Where only warnings and guards
# matter nothing is linked, or even assembled: each source then says itself that the implementation is in it.

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
[ $# -gt 0 ] || set -- gcc clang g++ clang++ tcc msvc user
begin "matrix/$1"

# ---- the sources ------------------------------------------------------------------------------------------
# Each is written once, for sap.h in C. The same text with other names is the one for sap_multi.h, multi_*, and as .cc
# it is C++.

to_multi='s/"sap\.h"/"sap_multi.h"/; s/SAP_IMPLEMENTATION/SAP_MULTI_IMPLEMENTATION/; s/use\.h/use_multi.h/
          s/use()/use_multi()/; s/sap_pair)/sap_grid)/'
src() {
    cat > "$work/$1.c" && cp "$work/$1.c" "$work/$1.cc"
    sed "$to_multi" "$work/$1.c" > "$work/multi_$1.c" && cp "$work/multi_$1.c" "$work/multi_$1.cc"
}

# Uses one function of each chapter, so that linking really needs them.
cat > "$work/use.h" <<'END'
static int use(void)
{
    sap_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
    static sap_config config;   /* all defaults */
    sap_world *s = sap_create(&config);
    int count = 0;
    if (!s) return 1;
    (void)sap_add(s, &box, 0);
    (void)sap_add_static(s, &box, 0);
    if (sap_update(s) != SAP_OK) return 2;
    (void)sap_pairs(s, &count);
    if (sap_query_box(s, &box, 1, 0, 0) != 2) return 4;
    sap_destroy(s);
    return count == 1 && sap_box_prune(&box, 1, SAP_2D, 0, 0) == 0 ? 0 : 3;
}
END
cat > "$work/use_multi.h" <<'END'
static int use_multi(void)
{
    sap_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
    static sap_config config;
    static sap_grid grid;   /* chosen */
    sap_world *s;
    int count = 0;
    config.method = SAP_METHOD_SORT;
    s = sap_create(&config);
    if (sap_set_grid(s, &grid) != SAP_OK) return 1;
    (void)sap_add(s, &box, 0);
    (void)sap_add_static(s, &box, 0);
    if (sap_update(s) != SAP_OK) return 2;
    (void)sap_pairs(s, &count);
    if (sap_validate(s) || sap_query_box(s, &box, 1, 0, 0) != 2) return 3;
    if (sap_set_grid(s, 0) != SAP_OK) return 4;
    sap_destroy(s);
    return count == 1 ? 0 : 5;
}
END
# Complete only where the implementation is: so a source that lost it does not compile.
for h in use use_multi; do
    t=sap_world; [ $h = use_multi ] && t=sap__multi
    printf '#ifdef IMPLEMENTED\nextern char is_implemented[sizeof(struct %s) > 1 ? 1 : -1];\n#endif\n' $t >> "$work/$h.h"
done

src declarations <<'END'
#include "sap.h"
int only_declarations(void);
int only_declarations(void) { return (int)sizeof(sap_pair); }
END
src declarations_use <<'END'
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src implementation <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
END
src main <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src twice <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src declarations_first <<'END'
#include "sap.h"
static int early(sap_world *s) { return sap_count(s); }
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use() + early(0) * 0; }
END
src implementation_first <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
#undef SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
cat > "$work/after_sap.c" <<'END'
#include "sap.h"
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int main(void) { return use_multi(); }
END
cat > "$work/after_implementation.c" <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
END
cat > "$work/sap_in_between.c" <<'END'
#define SAP_IMPLEMENTATION
#define SAP_MULTI_IMPLEMENTATION
#include "sap.h"
#include "use.h"
#include "sap_multi.h"
#include "use_multi.h"
int main(void) { return use() + use_multi(); }
END
for f in after_sap after_implementation sap_in_between; do cp "$work/$f.c" "$work/$f.cc"; done
src static_one <<'END'
#define SAP_STATIC
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int other(void);
int main(void) { return use() + other(); }
END
src static_two <<'END'
#define SAP_STATIC
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int other(void);
int other(void) { return use(); }
END
# One file has grids, the other one does not: it says so of a world that has one, and leaves it alone.
cat > "$work/static_lacks.c" <<'END'
#define SAP_STATIC
#define SAP_IMPLEMENTATION
#include "sap.h"
#include <string.h>
int lacks(sap_world *s);
static int is_told(sap_world *s, sap_result r)
{
    return r == SAP_ERROR_ARGUMENT && sap_last_error(s) == r && strcmp(sap_last_error_argument(s, 0), "grid") == 0;
}
int lacks(sap_world *s)
{
    const sap_aabb all = { { -9, -9, -9 }, { 9, 9, 9 } }, box = { { 0, 0, 0 }, { 1, 1, 1 } };
    const sap_id id = sap_add(s, &box, 0);
    char bytes[4096];
    int n;
    if (id != 3 || sap_count(s) != 3 || sap_query_box(s, &all, 1, 0, 0) != 3) return 1;
    if (!is_told(s, sap_update(s)) || !is_told(s, (sap_result)-sap_dump_pairs(s, 0, 0, 0))) return 2;
    if (!is_told(s, sap_reserve(s, 9, 9)) || !is_told(s, sap_reserve(s, 0, 0))) return 3;
    if (!is_told(s, sap_set_parallel(s, 0, 0)) || !is_told(s, sap_restore(s, bytes, sizeof bytes))) return 4;
    sap_destroy(s);
    if (!is_told(s, sap_last_error(s)) || sap_validate(s) || !sap_pairs(s, &n) || n != 1) return 5;
    return sap_remove(s, id) != SAP_OK || sap_query_box(s, &all, 1, 0, 0) != 2;
}
int settles(sap_world *s);
int settles(sap_world *s)
{
    const sap_result r = sap_update(s);
    sap_destroy(s);
    return r == SAP_OK;
}
END
cat > "$work/multi_static_lends.c" <<'END'
#define SAP_STATIC
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
int lacks(sap_world *s);
int settles(sap_world *s);
int main(void)
{
    static const sap_aabb boxes[2] = { { { 0, 0, 0 }, { 1, 1, 1 } }, { { 1, 1, 1 }, { 2, 2, 2 } } };
    static sap_config config;
    static sap_grid grid;
    sap_id ids[2];
    sap_world *s;
    int told, count = 0;
    config.method = SAP_METHOD_SORT;
    grid.hashed = 1;
    grid.cell_size[0] = 1.5f;
    s = sap_create(&config);
    if (sap_set_grid(s, &grid) || sap_add_many(s, 2, boxes, 0, ids) || sap_update(s)) return 20;
    told = lacks(s);
    if (told) return told;
    if (sap_update(s) || sap_validate(s)) return 21;
    (void)sap_pairs(s, &count);
    if (sap_set_grid(s, 0) || sap_remove(s, ids[0])) return 22;
    return count == 1 && settles(s) ? 0 : 23; /* a world without a grid */
}
END
for f in static_lacks multi_static_lends; do cp "$work/$f.c" "$work/$f.cc"; done
src static_alone <<'END'
#define SAP_STATIC
#define SAP_IMPLEMENTATION
#include "sap.h"
int nothing_used(void);
int nothing_used(void) { return 0; }
END
src static_declares <<'END'
#define SAP_STATIC
#include "sap.h"
int nothing_used(void);
int nothing_used(void) { return 0; }
END
# A user's own stb_ds, whose arrays go on working: before sap.h, after it, in another file.
own_use='
int own(void);
int own(void)
{
    int *numbers = NULL, answer;
    arrput(numbers, 5);
    answer = (int)arrlen(numbers) - 1;
    arrfree(numbers);
    return answer;
}'
src stb_before <<END
#define STB_DS_IMPLEMENTATION
#include "stb_ds.h"
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
$own_use
int main(void) { return use() + own(); }
END
src stb_after <<END
#define SAP_IMPLEMENTATION
#include "sap.h"
#define STB_DS_IMPLEMENTATION
#include "stb_ds.h"
#include "use.h"
$own_use
int main(void) { return use() + own(); }
END
src stb_elsewhere <<'END'
#include "stb_ds.h"
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int own(void);
int main(void) { return use() + own(); }
END
src stb_ignored <<'END'
#define SAP_NO_STB_DS_IMPLEMENTATION
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int own(void);
int main(void) { return use() + own(); }
END
src stb <<END
#define STB_DS_IMPLEMENTATION
#include "stb_ds.h"
$own_use
END
# The layout of all public structs, as the file sees them.
cat > "$work/layout.h" <<'END'
#include <stddef.h>
#define LAYOUT                                                                                                         \
    { sizeof(sap_aabb), sizeof(sap_pair), offsetof(sap_pair, object0), sizeof(sap_config),                             \
      offsetof(sap_config, filter), offsetof(sap_config, filter_user), offsetof(sap_config, method),                   \
      sizeof(sap_stats), offsetof(sap_stats, swaps), offsetof(sap_stats, bytes), offsetof(sap_stats, query_tests),     \
      sizeof(sap_grid), offsetof(sap_grid, cells), offsetof(sap_grid, hashed), offsetof(sap_grid, cell_size) }
enum { LAYOUTS = 15 };
END
cat > "$work/sizes.c" <<'END'
#include "sap_multi.h"
#include "layout.h"
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const size_t natural[LAYOUTS];
const size_t natural[LAYOUTS] = LAYOUT;
END
cat > "$work/packed.c" <<'END'
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "stb_ds.h"
#if LEAKED == 1
#pragma pack(1)
#else
#pragma pack(push, 2)
#endif
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "layout.h"
struct mine { char c; double d; };
#include "use.h"
#include "use_multi.h"
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const size_t natural[LAYOUTS];
int main(void)
{
    const size_t here[LAYOUTS] = LAYOUT;
    if (sizeof(struct mine) != LEAKED + 8) return 11;
    for (int i = 0; i < LAYOUTS; i++)
        if (here[i] != natural[i]) return 12;
    return use() + use_multi();
}
END
for f in sizes packed; do cp "$work/$f.c" "$work/$f.cc"; done
src trace <<'END'
static int steps;
#define SAP_TRACE(step, axis, id0, id1) \
    (steps += (step) == SAP_STEP_PASS || (step) == SAP_STEP_START || (step) == SAP_STEP_STOP \
              || (step) == SAP_STEP_REJECT || (axis) > 2 || (id0) == (id1))
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use() + (steps < 0); }
END
src own_memory <<'END'
#include <stddef.h>
#include <stdlib.h>
static int calls;
static void *my_realloc(void *p, size_t size) { calls++; return realloc(p, size); }
static void my_free(void *p) { calls++; free(p); }
#define SAP_REALLOC(p, size) my_realloc(p, size)
#define SAP_FREE(p) my_free(p)
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use() + (calls == 0); }
END
# Within an extern "C" of the user's: what the implementation includes may have templates.
src extern_c <<'END'
#ifdef __cplusplus
extern "C" {
#endif
#define SAP_IMPLEMENTATION
#include "sap.h"
#ifdef __cplusplus
}
#endif
#include "use.h"
int main(void) { return use(); }
END
# Words that Qt, windows.h with what it includes, and X11 make macros of, as a text that fits nowhere: both headers may
# come after them. (What the headers include comes first: its authors have seen to that.)
other_words='slots signals emit foreach forever SIGNAL SLOT METHOD
    near far huge pascal cdecl small hyper interface environ NEAR FAR PASCAL CDECL CONST VOID CALLBACK WINAPI STRICT THIS PURE
    IN OUT OPTIONAL TRUE FALSE BOOL ERROR NO_ERROR DELETE IGNORE STATUS OPAQUE TRANSPARENT ALTERNATE WINDING ABSOLUTE
    RELATIVE DIFFERENCE DOMAIN OVERFLOW UNDERFLOW SING PLOSS TLOSS HUGE RGB INFINITE Yield GetObject CreateWindow DrawText
    LoadImage GetMessage SendMessage rad1 rct1 grp1 lst1 stc1 edt1 chx1 cmb1 frm1 ico1 scr1 psh1 ctl1 __in __out
    Bool Status True False None Success Always Above Below Complex Convex Nonconvex Unsorted CurrentTime NoSymbol Expose
    FocusIn FocusOut KeyPress KeyRelease ButtonPress CursorShape Opposite DestroyAll AllocNone AnyKey InputOnly GrayScale
    TopIf BottomIf QLength NoValue XValue YValue linux unix'
# And all words of the headers that are not their own, as macros with arguments, which a program may have too: none is
# called. (A call through a pointer is written (pointer)(argument).)
not_words='assert free realloc memcmp memcpy memmove memset strcmp defined min max
    asm auto bool break case catch char class const continue default delete do double else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new operator private protected public register return short
    signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while and or not xor compl'
called_words=$(grep -h -o '\<[a-z][a-z_0-9]*\>' sap.h sap_multi.h | sort -u | grep -v -e '^sap_' -e '^stbds_' -e '^wasm_' -e '_t$' |
    grep -v -x -F "$(printf '%s\n' $not_words)")
src other_words <<END
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#ifndef DECLARED
#include "stb_ds.h"
#endif
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
$(for word in $called_words; do printf '#undef %s\n#define %s(...) ?\n' $word $word; done)
$(for word in $other_words; do printf '#undef %s\n#define %s ?\n' $word $word; done)
#ifndef DECLARED
#define SAP_IMPLEMENTATION
#endif
#include "sap.h"
$(for word in $called_words $other_words; do printf '#undef %s\n' $word; done)
#include "use.h"
int main(void) { return use(); }
END
# Nothing else allocates, whatever stb_ds.h has been told: neither the C library's functions nor stb_ds's hooks.
src only_own_memory <<'END'
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *my_realloc(void *p, size_t size);
void my_free(void *p);
void *stb_realloc(void *p, size_t size);
void stb_free(void *p);
#ifdef __cplusplus
}
#endif
#define STBDS_REALLOC(context, p, size) stb_realloc(p, size)
#define STBDS_FREE(context, p) stb_free(p)
#define SAP_REALLOC(p, size) my_realloc(p, size)
#define SAP_FREE(p) my_free(p)
#define SAP_IMPLEMENTATION
#include "sap.h"
END
src own_assert <<'END'
#define SAP_ASSERT(condition) ((void)(condition))
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src no_asserts <<'END'
#define NDEBUG
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src half_realloc <<'END'
#include <stdlib.h>
#define SAP_REALLOC(p, size) realloc(p, size)
#define SAP_IMPLEMENTATION
#include "sap.h"
END
src half_free <<'END'
#include <stdlib.h>
#define SAP_FREE(p) free(p)
#define SAP_IMPLEMENTATION
#include "sap.h"
END
src only_standard <<'END'
#include <stddef.h>
#include <stdint.h>
END
src only <<'END'
#include "sap.h"
END
src version <<'END'
#include <stdio.h>
#include <string.h>
#include "sap.h"
int main(void)
{
    char text[32];
    sprintf(text, "%d.%d.%d", SAP_VERSION_NUMBER / 10000, SAP_VERSION_NUMBER / 100 % 100, SAP_VERSION_NUMBER % 100);
    return strncmp(text, SAP_VERSION, strlen(SAP_VERSION)) != 0;
}
END

# ---- one compiler -----------------------------------------------------------------------------------------

inc="-isystem $STB -I$root -I$work"
both() { for f; do echo "$f" "multi_$f"; done; }   # of sap.h, and of sap_multi.h

compiles() {   # compiler, flags, ending, sources
    for f in $4; do check "$1 $2: $f.$3" "$1 $2 $warnings -Werror $inc -fsyntax-only $work/$f.$3"; done
}
runs() {       # compiler, flags, ending, sources: they link to a program that returns 0
    check "$1 $2: $4 run" "$1 $2 $warnings -Werror $inc -o $work/program \
        $(for f in $4; do echo "$work/$f.$3"; done | tr '\n' ' ') -lm && $work/program"
}
refused() {    # compiler, flags, ending, source, what the #error says
    check "$1 $2: $4.$3 is an #error" "! $1 $2 $inc -fsyntax-only $work/$4.$3 2>$work/refused && grep 'error.*$5' $work/refused"
}
refusals() {   # compiler, flags, ending: they say what is missing
    for f in half_realloc half_free; do refused "$1" "$2" $3 $f 'SAP_REALLOC.*SAP_FREE'; done
    refused "$1" "$2" $3 after_implementation 'include only sap_multi\.h'
}
orders="main twice declarations_first implementation_first static_alone static_declares stb_before stb_after stb_elsewhere
    stb_ignored trace own_memory own_assert no_asserts extern_c other_words"

in_language() {   # compiler, oldest version, ending, newer versions
    case $1 in   # one compiler of each language tries all orders, the other those in which compilers differ
    clang*) compiles "$1" "$2 -DIMPLEMENTED" $3 "$(both main static_alone trace own_memory extern_c other_words)" ;;
    *)  # orders in plain C: a compiler reads the intrinsics longer than both headers, and no order concerns them
        compiles "$1" "$2 -DIMPLEMENTED -DSAP_NO_SIMD" $3 "$(for f in $orders; do echo multi_$f; done)"
        compiles "$1" "$2 -DIMPLEMENTED" $3 "multi_main after_sap sap_in_between main extern_c other_words" ;;
    esac
    compiles "$1" "$2 -DIMPLEMENTED -DSAP_NO_SIMD" $3 multi_main
    compiles "$1" "$2" $3 "$(both declarations declarations_use)"
    compiles "$1" "$2 -DDECLARED" $3 "$(both other_words)"
    refusals "$1" "$2" $3
    for flags in "" -DSAP_NO_SIMD; do   # macros are gone when a compiler, or a cache of one, takes what was preprocessed
        check "$1 $2 $flags: preprocessed first" "$1 $2 $inc -DIMPLEMENTED $flags -E -o $work/first.$(echo $3 | tr c i) $work/multi_main.$3 &&
            $1 $2 -Wall -Wextra -Werror -fsyntax-only $work/first.$(echo $3 | tr c i)"
    done
    check "$1 $2: an int of 16 bits is an #error" "! $1 $2 $inc -DIMPLEMENTED -D__INT_MAX__=32767 -fsyntax-only \
        $work/main.$3 2>$work/refused && grep 'error.*an int must have 32 bits' $work/refused"
    for version in $4; do compiles "$1" "-std=$version -DIMPLEMENTED -DSAP_NO_SIMD" $3 "declarations multi_main"; done
    compiles "$1" "-std=${4##* } -DIMPLEMENTED" $3 multi_main # the newest version, with all kernels
    in_copies "$1" "$2" $3
    # Two files, and nothing of stb_ds's in either: so they link, with each other and with a user's own stb_ds.
    runs "$1" "$2" $3 "declarations_use multi_implementation"
    runs "$1" "$2" $3 "static_one static_two"
    runs "$1" "$2" $3 "multi_static_lends static_lacks"
    runs "$1" "$2" $3 "stb_elsewhere stb"
    runs "$1" "$2" $3 "multi_own_memory"
}
native() {        # C compiler: what only the optimiser warns of, and what only a running program shows
    runs $1 "-std=c99 -O2" c multi_main
    runs $1 "-std=c99 -O1 -ffast-math -DNDEBUG" c main
    can $1 -mavx2 && check "$1 -mavx2" "$1 -std=c99 -O2 -mavx2 $warnings -Werror $inc -c -o $work/avx2.o $work/main.c"
}

# The header includes itself for AVX2 and AVX-512. Copies that are not found under its name compile without these; those
# that are found have the same kernels as the header.
copies="$work/copies"
mkdir "$copies"
for folder in include user renamed pasted beside_old beside_other once; do mkdir "$copies/$folder"; done
use_of() { printf '%s\n' '#define IMPLEMENTED' "$1" '#define SAP_IMPLEMENTATION' "$2" '#include "use.h"' 'int main(void) { return use(); }'; }
copy() {       # file, what comes first, what includes the header
    use_of "$2" "$3" > "$copies/$1.c" && cp "$copies/$1.c" "$copies/$1.cc"
}
cp sap.h "$copies/include/sap.h"
cp sap.h "$copies/renamed/boxes.h"
{ echo '#pragma once'; cat sap.h; } > "$copies/once/sap.h"
printf '#pragma once\n#include "../include/sap.h"\n' > "$copies/user/wrapper.h"
sed 's/^\(#define SAP_VERSION_NUMBER\) .*/\1 1/; s/SAP_VERSION_NUMBER == [0-9]*/SAP_VERSION_NUMBER == 1/' sap.h > "$copies/beside_old/sap.h"
printf '#ifndef SAP_H\n#define SAP_H\nint other;\n#endif\n' > "$copies/beside_other/sap.h"
copy user/wrapped "" '#include "wrapper.h"'
copy user/relative "" '#include "../include/sap.h"'
copy renamed/named '#define SAP_HEADER_FILENAME "boxes.h"' '#include "boxes.h"'
copy renamed/unnamed "" '#include "boxes.h"'
copy once/main "" '#include "sap.h"'
for folder in pasted beside_old beside_other; do
    copy $folder/main 'struct mine { int of_the_user; };' "$(cat sap.h)"
done
wide="user/wrapped user/relative renamed/named"
narrow="renamed/unnamed once/main pasted/main beside_old/main beside_other/main"

kernels() { echo "nm $1 | grep -o 'sap__kernel[0-9]*\$' | sort"; }
in_copies() {  # compiler, flags, ending
    them="$1 $2 $warnings -Werror -isystem $STB -idirafter $work"
    check "$1 $2: kernels of the header" "$1 $2 $inc -o $work/program $work/main.$3 -lm && $(kernels $work/program) > $work/kernels && test -s $work/kernels"
    for f in $wide $narrow; do
        check "$1 $2: a copy, $f.$3" "$them -o $work/program $copies/$f.$3 -lm && $work/program"
        case " $wide " in *" $f "*)
            check "$1 $2: a copy has all kernels, $f.$3" "$(kernels $work/program) | diff - $work/kernels" ;;
        esac
    done
    check "$1 $2: found by <sap.h>" "$1 $2 -isystem $STB -I$copies/include -I$work -include sap.h -o $work/program $work/main.$3 -lm &&
        $(kernels $work/program) | diff - $work/kernels"
}

part() {
    case $1 in
    main)
        compiles "$CC" "-std=c99 -DIMPLEMENTED -DSAP_NO_SIMD" c "$(for f in $orders; do echo multi_$f; done) after_sap sap_in_between"
        compiles "$CC" "-std=c99" c "$(both declarations declarations_use)"
        refusals "$CC" -std=c99 c
        runs "$CC" "-std=c99 -DSAP_NO_SIMD" c "multi_static_one multi_static_two"
        runs "$CC" "-std=c99 -DSAP_NO_SIMD" c "multi_static_lends static_lacks"
        runs "$CC" "-std=c99 -DSAP_NO_SIMD" c "stb_elsewhere stb"
        runs "$CC" "-std=c99 -O1 -DSAP_NO_SIMD" c multi_own_memory
        for c in "gcc -std=c11" "clang -std=c99" "g++ -std=c++11" "clang++ -std=c++17"; do   # with all kernels
            ending=c; case $c in *++*) ending=cc ;; esac
            if have ${c% *}; then compiles ${c% *} "${c#* } -DIMPLEMENTED" $ending multi_main
            else skip "the compile matrix of ${c% *}: not installed"; fi
        done
        if have tcc; then part tcc; else skip "the compile matrix of tcc: not installed"; fi ;;
    gcc | clang)
        in_language $1 -std=c99 c "c11 c17 gnu99"
        native $1
        runs $1 -std=c99 c "multi_declarations_use multi_implementation"
        runs $1 -std=c99 c "multi_static_one multi_static_two"
        runs $1 -std=c99 c stb_after
        runs $1 -std=c99 c "stb_ignored stb"
        check "$1: SAP_STATIC leaves no unused function" \
            "$1 -std=c99 $warnings -Werror $inc -c -o $work/alone.o $work/multi_static_alone.c" ;;
    g++ | clang++)
        in_language $1 -std=c++11 cc "c++14 c++17 c++20"
        runs $1 "-std=c++17 -O2" cc multi_main
        c=gcc; [ $1 = clang++ ] && c=clang
        have $c && check "a C++ file uses the implementation of a C file, $1" \
            "$c -std=c99 $inc -c -o $work/c.o $work/implementation.c &&
             $1 -std=c++11 $inc -o $work/mixed $work/declarations_use.cc $work/c.o -lm && $work/mixed" ;;
    tcc)   # knows neither -isystem's silence nor most warnings
        for f in $(both main twice declarations_first stb_before stb_after trace own_memory) after_sap; do
            check "tcc: $f" "tcc -Wall -I$STB -I$root -I$work -o $work/program $work/$f.c -lm && $work/program"
        done
        for f in $wide $narrow; do
            check "tcc: a copy, $f" "tcc -Wall -I$STB -I$work -o $work/program $copies/$f.c -lm && $work/program"
        done
        check "tcc: two files" "tcc -Wall -I$STB -I$root -I$work -o $work/program $work/declarations_use.c \
            $work/implementation.c -lm && $work/program" ;;
    msvc) windows ;;
    user)
        [ -n "$FEW" ] && inc="$inc -DSAP_NO_SIMD"   # compilers read the kernels longer than the rest
        what_reaches_the_user ;;
    esac
}

# ---- Windows without Windows ------------------------------------------------------------------------------
# Visual Studio cannot be had here. What it would compile is compiled by others: its branches of the headers with its
# macros, natively, so that they run; and the whole for its platforms by clang, where long has 32 bits, with as much of
# a C library as the headers use.

as_msvc() {   # what is defined from here on is what Visual Studio defines
    cat <<'END'
#ifndef SAP_NO_SIMD
#include <emmintrin.h>
#endif
#undef __GNUC__
#undef __clang__
#undef __GCC_ATOMIC_INT_LOCK_FREE
#undef __CLANG_ATOMIC_INT_LOCK_FREE
#undef __SSE2__
#undef __ARM_NEON
#ifndef _MSC_VER
#define _MSC_VER 1930
#define _M_X64 100
#endif
END
}

windows() {
    mkdir -p "$work/native" "$work/library"
    declare_intrinsics='
long _InterlockedOr(long volatile *p, long n);
long _InterlockedExchange(long volatile *p, long n);
long _InterlockedExchangeAdd(long volatile *p, long n);
unsigned char _BitScanForward64(unsigned long *i, unsigned long long mask);'
    in_c() { printf '#ifdef __cplusplus\nextern "C" {\n#endif\n%s\n#ifdef __cplusplus\n}\n#endif\n' "$1"; }
    # The headers must come first that ask who compiles. long has 64 bits here: an int32_t is changed as one.
    { for h in assert limits math pthread stdarg stddef stdint stdio stdlib string time; do echo "#include <$h.h>"; done
      cat <<'END'
static inline int _InterlockedOr(volatile long *p, int n) { return __sync_fetch_and_or((volatile int *)(volatile void *)p, n); }
static inline int _InterlockedExchange(volatile long *p, int n) { return __sync_lock_test_and_set((volatile int *)(volatile void *)p, n); }
static inline int _InterlockedExchangeAdd(volatile long *p, int n) { return __sync_fetch_and_add((volatile int *)(volatile void *)p, n); }
static inline unsigned char _BitScanForward64(unsigned long *i, unsigned long long mask)
{
    if (mask) *i = (unsigned long)__builtin_ctzll(mask);
    return mask != 0;
}
END
      as_msvc; } > "$work/native/as_msvc.h"
    : > "$work/native/intrin.h"
    alone=tests/ways.c
    is_alone tests/test_golden.c && alone=
    for c in $CC clang; do
        if ! have $c; then skip "the branches for Visual Studio: no $c here"; continue; fi
        for simd in "" -DSAP_NO_SIMD; do
            way="$c -std=c99 $simd -include $work/native/as_msvc.h -isystem $work/native"
            check "the branches for Visual Studio compile without a warning, $c $simd" \
                "$way $warnings -Werror $inc -o $work/program $work/multi_main.c -lm && $work/program"
            check "the branches for Visual Studio give the golden events, $c $simd" \
                "$way -O2 -w $inc -o $work/golden tests/test_golden.c $alone -lm -pthread && $work/golden"
        done
    done

    if ! have clang; then skip "the platforms of Windows: no clang here"; return; fi
    in_c "#include <stddef.h>
void *realloc(void *p, size_t size);
void free(void *p);" > "$work/library/stdlib.h"
    in_c "#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *p, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);" > "$work/library/string.h"
    echo '#define assert(condition) ((void)(condition))' > "$work/library/assert.h"
    in_c "$declare_intrinsics" > "$work/library/intrin.h"
    { for h in limits stddef stdint stdlib string; do echo "#include <$h.h>"; done; as_msvc; } > "$work/library/as_msvc.h"
    for platform in x86_64-pc-windows-msvc i686-pc-windows-msvc aarch64-pc-windows-msvc x86_64-w64-mingw32; do
        for language in "c -std=c99" "c++ -std=c++14"; do
            way="clang --target=$platform -ffreestanding -x $language $warnings -Werror -isystem $work/library
                -isystem $STB -I$root -fsyntax-only"
            check "clang for $platform, $language" "$(echo $way) $work/multi_implementation.c"
            case $platform in *msvc) ;; *) continue ;; esac
            simd=; case $platform in x86_64*) ;; *) simd=-DSAP_NO_SIMD ;; esac
            check "Visual Studio's branches for $platform, $language" \
                "$(echo $way) $simd -include $work/library/as_msvc.h $work/multi_implementation.c"
        done
    done
    # int32_t is long in the C libraries of many small machines (newlib).
    long="-Wno-macro-redefined -D__INT32_TYPE__=long -D__UINT32_TYPE__=long\ unsigned"
    for language in "c -std=c99" "c++ -std=c++11"; do
        check "int32_t is long, $language" "clang --target=arm-none-eabi -ffreestanding -x $language $warnings -Werror $long \
            -DSAP_NO_SIMD -isystem $work/library -isystem $STB -I$root -fsyntax-only $work/multi_implementation.c"
    done
}

# ---- what reaches the user --------------------------------------------------------------------------------

macros() { echo "$CC -std=c99 -dM -E $inc $work/$1.c | sort > $work/$1.macros"; }
headers() {   # source, ours
    echo "$CC -std=c99 -M $inc $work/$1.c | tr -s ' \\\\\\n' '\\n' | grep '\\.h\$' | grep -v '/$2\\.h\$' | sort > $work/$1.headers"
}
symbols() { echo "nm $1 | awk 'NF >= 3 { print \$3 }' | grep -v '^\\.'"; }   # defined ones, static ones too
external() { echo "nm -g --defined-only $1 | awk 'NF >= 3 { print \$3 }'"; }

object() {   # source, ending: a compiled one, in $work/SOURCE.ENDING.o
    compiler="$CC -std=c99"; [ $2 = cc ] && compiler="$CXX -std=c++11"
    check "$1.$2 compiles" "$compiler -O1 $inc -c -o $work/$1.$2.o $work/$1.$2"
}

what_reaches_the_user() {
    # The declarations define macros that begin with SAP_, and include stddef.h and stdint.h, and nothing else.
    check "macros and headers" "$(macros only_standard) && $(headers only_standard none)"
    for h in sap sap_multi; do
        only=only; [ $h = sap_multi ] && only=multi_only
        check "$h.h declares only SAP_ macros" \
            "$(macros $only) && grep '^#define SAP_H' $work/$only.macros &&
             ! comm -13 $work/only_standard.macros $work/$only.macros | grep -v '^#define SAP_' &&
             ! comm -23 $work/only_standard.macros $work/$only.macros | grep ."
        check "$h.h includes only stddef.h and stdint.h" \
            "$(headers $only 'sap\\(_multi\\)*') && test -s $work/$only.headers && diff $work/only_standard.headers $work/$only.headers"
        check "$h.h declares without stb_ds.h" "$CC -std=c99 $warnings -Werror -I$root -fsyntax-only $work/$only.c"
    done
    check "SAP_VERSION and SAP_VERSION_NUMBER say the same" "$CC -std=c99 $inc -o $work/version $work/version.c && $work/version"

    # External symbols begin with sap_; there is none with SAP_STATIC; stb_ds's are nowhere.
    for f in multi_implementation.c multi_static_alone.c $(have "$CXX" && echo multi_implementation.cc); do
        object ${f%.*} ${f#*.} || continue
        case $f in
        *static*) check "$f: no external symbol but the user's" "! $(external $work/$f.o) | grep -v '^nothing_used$'" ;;
        *)  check "$f: external symbols begin with sap_" "$(external $work/$f.o) | grep '^sap_set_grid\$' &&
                ! $(external $work/$f.o) | grep -v '^sap_[a-z]'" ;;
        esac
        check "$f: nothing of stb_ds is emitted" "! $(symbols $work/$f.o) | grep stbds_"
    done
    # SAP_DEF is the user's: a library whose symbols are hidden exports the public functions, and nothing else.
    hidden="-fvisibility=hidden -fPIC -shared"
    for f in multi_implementation.c $([ -z "$FEW" ] && have "$CXX" && echo multi_implementation.cc); do
        compiler="$CC -std=c99"; [ "${f#*.}" = cc ] && compiler="$CXX -std=c++11"
        check "$f: a SAP_DEF of the user's compiles without a warning" "$compiler $warnings -Werror $hidden $inc \
            '-DSAP_DEF=__attribute__((visibility(\"default\")))' -o $work/exports.so $work/$f"
        check "$f: it is before each function" "nm -D --defined-only $work/exports.so | awk 'NF >= 3 { print \$3 }' |
            sort > $work/exported; $(external $work/$f.o) | sort > $work/external; test -s $work/external &&
            diff $work/exported $work/external"
        check "$f: without it nothing is exported" "$compiler $hidden $inc -o $work/exports.so $work/$f &&
            ! nm -D --defined-only $work/exports.so | grep sap_"
        check "$f: SAP_STATIC replaces it" "$compiler $warnings -Werror -DSAP_STATIC -DSAP_DEF=extern $inc -c \
            -o $work/replaced.o $work/$f && ! $(external $work/replaced.o) | grep sap_"
    done

    # A #pragma pack that a header left behind changes no struct, and goes on behind the headers.
    for c in "$CC -std=c99" "clang -std=c99" "$CXX -std=c++11" "clang++ -std=c++11" "tcc"; do
        have ${c%% *} || continue
        [ -n "$FEW" ] && [ "$c" != "$CC -std=c99" ] && continue
        e=c; case $c in *++*) e=cc ;; esac
        $c $inc -c -o "$work/natural.o" "$work/sizes.$e"
        for leaked in 1 2; do
            check "$c: structs after #pragma pack($leaked)" "$c $inc -DLEAKED=$leaked -w -o $work/packed $work/packed.$e \
                $work/natural.o -lm && $work/packed"
        done
    done

    # All memory comes through SAP_REALLOC.
    object multi_only_own_memory c &&
        check "nothing allocates but SAP_REALLOC and SAP_FREE" "nm -u $work/multi_only_own_memory.c.o > $work/undefined
            grep -w my_realloc $work/undefined && grep -w my_free $work/undefined &&
            ! grep -w -E '(stb_)?(realloc|free)|malloc|calloc|aligned_alloc|posix_memalign|mmap|strdup' $work/undefined"
    for cxx in g++ clang++; do
        if ! have $cxx; then continue; fi
        if $cxx -std=c++11 -Wold-style-cast -Werror $inc -fsyntax-only "$work/multi_main.cc" 2>/dev/null; then
            check "$cxx -Wold-style-cast says nothing" true
        else skip "-Wold-style-cast: $cxx counts the casts of C"; fi
    done

    # Where stb_ds.h is in none of the compiler's folders, one line says what to do.
    mkdir "$work/bare" "$work/folders"
    cp sap.h sap_multi.h "$work/bare/"
    folders= n=0
    for folder in $($CC -E -v -x c /dev/null 2>&1 | sed -n '/#include <\.\.\.>/,/End of search/ s/^ //p'); do
        [ -d "$folder" ] || continue
        n=$((n + 1))
        mkdir "$work/folders/$n"   # the same without stb
        ln -s "$(cd "$folder" && pwd)"/* "$work/folders/$n/" && rm -f "$work/folders/$n/stb" "$work/folders/$n/stb_ds.h"
        folders="$folders -isystem $work/folders/$n"
    done
    cp "$work/multi_implementation.c" "$work/bare/user.c"
    missing="$CC -std=c99 -nostdinc $folders -fsyntax-only $work/bare/user.c"
    check "the folders without stb_ds.h have the rest" "$missing -I$STB"
    check "a missing stb_ds.h is one line that says what to do, and no flood" "! $missing > $work/missing 2>&1
        cat $work/missing; test \$(grep -c 'error:' $work/missing) -le 2 &&
        grep -m 1 'error:' $work/missing | grep 'stb_ds\.h.*\(copy\|install\)\|\(copy\|install\).*stb_ds\.h'"
}

for one; do
    case $one in main | user | msvc) part "$one"; continue ;; esac
    if have "$one"; then part "$one"; else skip "the compile matrix of $one: not installed"; fi
done
finish
