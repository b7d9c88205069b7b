#!/bin/sh
# Compiles sap.h and sap_multi.h in every way that README.md promises: each compiler and language version, each option,
# each order of includes, one file and two, and looks at what reaches the user (macros, headers, symbols).
#
#   STB=folder of stb_ds.h   BUILD=folder for objects   JOBS=2
#
# Prints one line for every case that failed, and 'N passed, N failed, N skipped'.

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$root/build/tests}
JOBS=${JOBS:-2}
work=$BUILD/matrix
rm -rf "$work"
mkdir -p "$work"/src "$work"/cases || exit 2

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Werror"
skipped=0
cases=0

skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- the sources ------------------------------------------------------------------------------------------
# Each is written once; as .c for C and, the same text, as .cc for C++.

src() { cat > "$work/src/$1.c" && cp "$work/src/$1.c" "$work/src/$1.cc"; }

# Uses one function of each chapter, so that linking really needs them.
cat > "$work/src/use.h" <<'END'
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
    sap_destroy(s);
    return count == 1 && sap_box_prune(&box, 1, SAP_2D, 0, 0) == 0 ? 0 : 3;
}
END

cat > "$work/src/use_multi.h" <<'END'
static int use_multi(void)
{
    sap_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
    static sap_multi_config config;   /* all defaults */
    sap_multi *m = sap_multi_create(&config);
    sap_id ids[2];
    int count = 0;
    if (!m) return 1;
    ids[0] = sap_multi_add(m, &box, 0);
    ids[1] = sap_multi_add_static(m, &box, 0);
    if (sap_multi_update(m) != SAP_OK) return 2;
    (void)sap_multi_pairs(m, &count);
    if (sap_multi_validate(m) || sap_multi_query_box(m, &box, 1, 0, 0) != 2) return 3;
    if (sap_multi_remove_many(m, 2, ids) != SAP_OK) return 4;
    sap_multi_destroy(m);
    return count == 1 ? 0 : 5;
}
END

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
#define SAP_NO_STB_DS_IMPLEMENTATION
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int other(void);
int other(void) { return use(); }
END
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
src stb_before <<'END'
#define STB_DS_IMPLEMENTATION
#include "stb_ds.h"
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void)
{
    int *numbers = NULL, answer;
    arrput(numbers, 5);   /* the user's own use of stb_ds goes on */
    answer = use() + (int)arrlen(numbers) - 1;
    arrfree(numbers);
    return answer;
}
END
src stb_before_elsewhere <<'END'
#include "stb_ds.h"
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src stb_after <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "stb_ds.h"
#include "use.h"
int main(void)
{
    int *numbers = NULL, answer;
    arrput(numbers, 5);
    answer = use() + (int)arrlen(numbers) - 1;
    arrfree(numbers);
    return answer;
}
END
src stb_elsewhere <<'END'
#define SAP_NO_STB_DS_IMPLEMENTATION
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
int main(void) { return use(); }
END
src stb <<'END'
#define STB_DS_IMPLEMENTATION
#include "stb_ds.h"
END
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
src only_sap <<'END'
#include "sap.h"
END

src multi_declarations <<'END'
#include "sap_multi.h"
int only_declarations(void);
int only_declarations(void) { return (int)sizeof(sap_multi_config); }
END
src multi_declarations_use <<'END'
#include "sap_multi.h"
#include "use.h"
#include "use_multi.h"
int main(void) { return use() + use_multi(); }
END
src multi_implementation <<'END'
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
END
src multi_main <<'END'
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use.h"
#include "use_multi.h"
int main(void) { return use() + use_multi(); }
END
src multi_twice <<'END'
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "sap_multi.h"
#include "sap.h"
#include "use_multi.h"
int main(void) { return use_multi(); }
END
src multi_after_sap <<'END'
#include "sap.h"
static int early(sap_world *s) { return sap_count(s); }
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int main(void) { return use_multi() + early(0) * 0; }
END
src multi_after_implementation <<'END'
#define SAP_IMPLEMENTATION
#include "sap.h"
#include "use.h"
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int main(void) { return use() + use_multi(); }
END
src multi_declarations_first <<'END'
#include "sap_multi.h"
static int early(sap_multi *m) { return sap_multi_count(m); }
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int main(void) { return use_multi() + early(0) * 0; }
END
src multi_static_one <<'END'
#define SAP_STATIC
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int other(void);
int main(void) { return use_multi() + other(); }
END
src multi_static_two <<'END'
#define SAP_STATIC
#define SAP_NO_STB_DS_IMPLEMENTATION
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int other(void);
int other(void) { return use_multi(); }
END
src multi_static_alone <<'END'
#define SAP_STATIC
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
int nothing_used(void);
int nothing_used(void) { return 0; }
END
src multi_static_declares <<'END'
#define SAP_STATIC
#include "sap_multi.h"
int nothing_used(void);
int nothing_used(void) { return 0; }
END
src multi_stb_before <<'END'
#define STB_DS_IMPLEMENTATION
#include "stb_ds.h"
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int main(void)
{
    int *numbers = NULL, answer;
    arrput(numbers, 5);   /* the user's own use of stb_ds goes on */
    answer = use_multi() + (int)arrlen(numbers) - 1;
    arrfree(numbers);
    return answer;
}
END
src multi_own_memory <<'END'
#include <stddef.h>
#include <stdlib.h>
static int calls;
static void *my_realloc(void *p, size_t size) { calls++; return realloc(p, size); }
static void my_free(void *p) { calls++; free(p); }
#define SAP_REALLOC(p, size) my_realloc(p, size)
#define SAP_FREE(p) my_free(p)
#define SAP_MULTI_IMPLEMENTATION
#include "sap_multi.h"
#include "use_multi.h"
int main(void) { return use_multi() + (calls == 0); }
END
src only_multi <<'END'
#include "sap_multi.h"
END

# ---- the cases --------------------------------------------------------------------------------------------
# A case is a script of its own; run below, several at a time.

new_case() {   # name, command
    cases=$((cases + 1))
    printf '# %s\n%s\n' "$1" "$2" > "$work/cases/$(printf %04d $cases).sh"
}

dir=$work/src
inc="-isystem $STB -I$root -I$dir"

compiles() {   # compiler, flags, sources: only that it compiles
    name=$(basename "$3"); new_case "$1 $2: $name" "$1 $2 $warnings $inc -fsyntax-only $3"
}
runs() {       # compiler, flags, sources: that it compiles, links and answers 0
    exe=$work/exe$((cases + 1))
    name=$(for f in $3; do basename "$f"; done | tr '\n' ' ')
    new_case "$1 $2: $name" "$1 $2 $warnings $inc -o $exe $3 -lm && $exe && rm $exe"
}
refused() {    # compiler, flags, source: that there is an #error, and that it names the other half
    new_case "$1 $2: $(basename "$3") is an #error" \
        "! $1 $2 $inc -fsyntax-only $3 2>$work/refused$cases && grep -q 'error.*SAP_REALLOC.*SAP_FREE' $work/refused$cases"
}

# Everything that can be said about one compiler, in one version of the language.
thorough() {   # compiler, flags, extension
    for f in declarations_use twice declarations_first implementation_first stb_before stb_after trace own_memory \
             own_assert no_asserts; do
        case $f in
        declarations_use) runs "$1" "$2" "$dir/$f.$3 $dir/implementation.$3" ;;   # two files, linked
        *) runs "$1" "$2" "$dir/$f.$3" ;;
        esac
    done
    runs "$1" "$2" "$dir/static_one.$3 $dir/static_two.$3"
    runs "$1" "$2" "$dir/stb_before_elsewhere.$3 $dir/stb.$3"
    runs "$1" "$2" "$dir/stb_elsewhere.$3 $dir/stb.$3"
    runs "$1" "$2 -DSAP_NO_SIMD" "$dir/main.$3"
    compiles "$1" "$2" "$dir/static_alone.$3"
    compiles "$1" "$2" "$dir/static_declares.$3"
    compiles "$1" "$2" "$dir/multi_static_declares.$3"
    for f in multi_main multi_twice multi_after_sap multi_after_implementation multi_declarations_first multi_stb_before \
             multi_own_memory; do
        runs "$1" "$2" "$dir/$f.$3"
    done
    runs "$1" "$2" "$dir/multi_declarations_use.$3 $dir/multi_implementation.$3"
    runs "$1" "$2" "$dir/multi_static_one.$3 $dir/multi_static_two.$3"
    runs "$1" "$2" "$dir/declarations_use.$3 $dir/multi_implementation.$3"   # it holds sap.h's implementation, too
    runs "$1" "$2 -DSAP_NO_SIMD" "$dir/multi_main.$3"
    compiles "$1" "$2" "$dir/multi_static_alone.$3"
    refused "$1" "$2" "$dir/half_realloc.$3"
    refused "$1" "$2" "$dir/half_free.$3"
}

brief() {      # compiler, flags, extension
    compiles "$1" "$2" "$dir/declarations.$3"
    compiles "$1" "$2" "$dir/main.$3"
    compiles "$1" "$2" "$dir/multi_declarations.$3"
    compiles "$1" "$2" "$dir/multi_main.$3"
}

for cc in gcc clang; do
    if ! have $cc; then skip "$cc is not installed"; continue; fi
    thorough $cc "-std=c99" c
    runs $cc "-std=c99 -O2" "$dir/main.c"     # some warnings come only with the optimiser
    runs $cc "-std=c99 -O3 -ffast-math" "$dir/main.c"
    runs $cc "-std=c99 -O2" "$dir/multi_main.c"
    runs $cc "-std=c99 -O3 -ffast-math" "$dir/multi_main.c"
    for std in c11 c17 gnu99; do brief $cc "-std=$std" c; done
    if $cc -mavx2 -fsyntax-only "$dir/only_standard.c" 2>/dev/null; then
        compiles $cc "-std=c99 -O2 -mavx2" "$dir/main.c"
    fi
done
for cxx in g++ clang++; do
    if ! have $cxx; then skip "$cxx is not installed"; continue; fi
    thorough $cxx "-std=c++11" cc
    runs $cxx "-std=c++17 -O2" "$dir/main.cc"
    runs $cxx "-std=c++17 -O2" "$dir/multi_main.cc"
    for std in c++14 c++17 c++20; do brief $cxx "-std=$std" cc; done
    cc=gcc
    [ $cxx = clang++ ] && cc=clang
    have $cc && new_case "a C++ file uses the implementation of a C file, $cxx" \
        "$cc -std=c99 $inc -c -o $work/c_$cxx.o $dir/implementation.c &&
         $cxx -std=c++11 $inc -o $work/mixed_$cxx $dir/declarations_use.cc $work/c_$cxx.o -lm && $work/mixed_$cxx"
done
if have tcc; then   # knows neither -isystem's silence nor most warnings
    for f in main twice declarations_first implementation_first stb_before trace own_memory multi_main multi_after_sap \
             multi_stb_before multi_own_memory; do
        new_case "tcc: $f" "tcc -Wall -I$STB -I$root -I$dir -o $work/tcc_$f $dir/$f.c -lm && $work/tcc_$f"
    done
    new_case "tcc: two files" \
        "tcc -Wall -I$STB -I$root -I$dir -o $work/tcc_two $dir/declarations_use.c $dir/implementation.c -lm && $work/tcc_two"
else
    skip "tcc is not installed"
fi

# ---- what reaches the user --------------------------------------------------------------------------------

CC=${CC:-gcc}
# Beside the two headers, the declarations define macros that begin with SAP_, and nothing else.
new_case "declarations define only SAP_ macros" \
"$CC -std=c99 -dM -E $inc $dir/only_standard.c | sort > $work/macros_before
 $CC -std=c99 -dM -E $inc $dir/only_sap.c | sort > $work/macros_after
 test -s $work/macros_after || exit 1
 comm -13 $work/macros_before $work/macros_after | grep -v '^#define SAP_' && exit 1
 comm -23 $work/macros_before $work/macros_after | grep . && exit 1
 exit 0"
new_case "declarations of sap_multi.h define only SAP_ macros" \
"$CC -std=c99 -dM -E $inc $dir/only_standard.c | sort > $work/macros_before_multi
 $CC -std=c99 -dM -E $inc $dir/only_multi.c | sort > $work/macros_after_multi
 grep -q '^#define SAP_MULTI_H' $work/macros_after_multi || exit 1
 comm -13 $work/macros_before_multi $work/macros_after_multi | grep -v '^#define SAP_' && exit 1
 exit 0"
new_case "declarations include only stddef.h and stdint.h" \
"$CC -std=c99 -M $inc $dir/only_standard.c | tr -s ' \\\\\\n' '\\n' | grep '^/.*\\.h\$' | sort > $work/headers_before
 $CC -std=c99 -M $inc $dir/only_sap.c | tr -s ' \\\\\\n' '\\n' | grep '\\.h\$' | grep -v '/sap\\.h\$' | sort > $work/headers_after
 test -s $work/headers_after && diff $work/headers_before $work/headers_after"
new_case "declarations of sap_multi.h do not include stb_ds.h, also where it cannot be found" \
    "$CC -std=c99 $warnings -I$root -fsyntax-only $dir/multi_declarations.c"
new_case "declarations do not include stb_ds.h, also where it cannot be found" \
    "$CC -std=c99 $warnings -I$root -fsyntax-only $dir/declarations.c"

# Every external symbol begins with sap_ or stbds_; with SAP_STATIC there is none that begins with sap_.
symbols() { echo "nm -g --defined-only $1 | awk 'NF >= 3 { print \$3 }'"; }
new_case "external symbols" \
"$CC -std=c99 -O1 $inc -c -o $work/nm.o $dir/implementation.c && $(symbols $work/nm.o) > $work/nm.txt &&
 grep -q '^sap_update\$' $work/nm.txt && ! grep -v -e '^sap_[a-z]' -e '^stbds_' $work/nm.txt && ! grep '^sap__' $work/nm.txt"
new_case "external symbols of stb_ds are absent with SAP_NO_STB_DS_IMPLEMENTATION" \
"$CC -std=c99 -O1 -DSAP_NO_STB_DS_IMPLEMENTATION $inc -c -o $work/nm2.o $dir/implementation.c &&
 $(symbols $work/nm2.o) > $work/nm2.txt && grep -q '^sap_update\$' $work/nm2.txt && ! grep '^stbds_' $work/nm2.txt"
new_case "external symbols with SAP_STATIC" \
"$CC -std=c99 -O1 $inc -c -o $work/nm3.o $dir/static_alone.c && $(symbols $work/nm3.o) > $work/nm3.txt &&
 grep -q . $work/nm3.txt && ! grep '^sap_' $work/nm3.txt"
new_case "external symbols of sap_multi.h" \
"$CC -std=c99 -O1 $inc -c -o $work/nm5.o $dir/multi_implementation.c && $(symbols $work/nm5.o) > $work/nm5.txt &&
 grep -q '^sap_multi_update\$' $work/nm5.txt && ! grep -v -e '^sap_[a-z]' -e '^stbds_' $work/nm5.txt && ! grep '^sap__' $work/nm5.txt"
new_case "external symbols of sap_multi.h with SAP_STATIC" \
"$CC -std=c99 -O1 $inc -c -o $work/nm6.o $dir/multi_static_alone.c && $(symbols $work/nm6.o) > $work/nm6.txt &&
 grep -q . $work/nm6.txt && ! grep '^sap_' $work/nm6.txt"
if have g++; then
    new_case "external symbols, C++" \
"g++ -std=c++11 -O1 $inc -c -o $work/nm4.o $dir/implementation.cc && $(symbols $work/nm4.o) > $work/nm4.txt &&
 grep -q '^sap_update\$' $work/nm4.txt && ! grep -v -e '^sap_[a-z]' -e '^stbds_' -e '^_Z.*stbds_' $work/nm4.txt"
fi

# ---- run them ---------------------------------------------------------------------------------------------

ls "$work"/cases/*.sh | xargs -P "$JOBS" -n 1 sh -c \
    'sh "$0" > "$0.log" 2>&1 </dev/null && : > "$0.passed"'
failed=0
for c in "$work"/cases/*.sh; do
    [ -f "$c.passed" ] && continue
    failed=$((failed + 1))
    echo "failed: $(sed -n '1s/^# //p' "$c")"
    grep -m 1 -e 'error' -e 'warning' "$c.log" || head -n 1 "$c.log"
done
echo "$((cases - failed)) passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $cases -gt 0 ]
