#!/bin/sh
# What a newcomer does with README.md. Its program (the first ```c block with a main) is examples/01_hello.c: copied with
# the two headers, compiled with the command that README.md shows, run, compared with the block that follows it, and built
# as C++, by the lines shown for CMake and Meson, and as installed. Its other blocks of C, pasted behind each other, compile
# without a warning as C and as C++, and so do those of examples/README.md, in a program around them. The character walks
# at random, among lifts and crates, with y down and with y up (tests/readme.c), and the lines for other languages work.
# Every file, link, target and function that a README names exists.
#
#   STB=folder of stb_ds.h   BUILD=folder for programs   CC=gcc   CXX=g++

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
begin readme
texts="README.md examples/README.md bench/README.md .github/CONTRIBUTING.md"

# Splits the texts into blocks: the program; NN.block, all that follows it in README.md; NN.fragment.c, the other blocks of
# C; cmake, cmake_installed and meson; and into commands every line of README.md that compiles something.
for text in README.md examples/README.md; do
    awk -v work="$work" -v name="$text" '
        /^ *```/ {
            if (!inside) { inside = 1; language = $0; sub(/^ *```/, "", language); block = ""; line = NR; next }
            inside = 0
            if (!found && language == "c" && block ~ /int main/) { found = 1; printf "%s", block > (work "/hello.c") }
            else if (language == "cmake" && block ~ /find_package/) { printf "%s", block > (work "/cmake_installed") }
            else if (language == "cmake" || language == "meson") { printf "%s", block > (work "/" language) }
            else if (language == "c") { file = name; gsub("/", "_", file)
                printf "#line %d \"%s\"\n%s", line + 1, name, block > sprintf("%s/%s.%03d.fragment.c", work, file, line) }
            else if (found) { printf "%s", block > sprintf("%s/%02d.block", work, ++after) }
            next
        }
        inside { block = block $0 "\n" }
        name == "README.md" && /^ *(\$ )?(cc|gcc|clang) .*\.c/ { line = $0; sub(/^ *(\$ )?/, "", line); print line > (work "/commands") }
    ' $text
    mv "$work/hello.c" "$work/program.c" 2>/dev/null
done
mv "$work/program.c" "$work/hello.c"
subject=README.md

if check "has a complete C program" "test -s $work/hello.c"; then
    check "its program is examples/01_hello.c, from the first #include on" \
        "sed -n '/^#include/,\$p' examples/01_hello.c > $work/example.c &&
         sed -n '/^#include/,\$p' $work/hello.c > $work/shown.c && diff $work/shown.c $work/example.c"

    mkdir "$work/fresh" && cp sap.h "$STB/stb_ds.h" "$work/hello.c" "$work/fresh/"
    command=
    [ -f "$work/commands" ] && command=$(grep -m 1 'hello\.c' "$work/commands" | sed 's/ *&&.*//; s/ *#.*//')
    check "shows how to compile it" "test -n '$command'" &&
        check "the command '$command' works" "(cd $work/fresh && $command && test -x hello)"
    check "its program compiles without a warning" \
        "$CC -std=c99 $warnings -Werror -isystem $STB -I$root -o $work/hello $work/hello.c -lm"
    check "its program runs" "(cd $work && ./hello > output)"
    expected=$work/01.block
    check "shows what its program prints" "diff $expected $work/output"

    if have "$CXX"; then
        check "its program is C++, too, without a warning" \
            "$CXX -std=c++11 -Wall -Wextra -Wpedantic -Werror -x c++ -isystem $STB -I$root -o $work/hello++ $work/hello.c &&
             $work/hello++ > $work/output && diff $expected $work/output"
    else skip "the program as C++: no $CXX here"; fi
fi
check "its first screen has make demo and make test" "head -n 20 README.md | grep '^    make demo' && head -n 20 README.md | grep '^    make test'"

# ---- the other blocks of C: pasted behind each other, or as a program around them would have it -------------------

compiles() {   # source, flags: as C and as C++
    $CC -std=c99 $warnings -Werror $2 -I$root -fsyntax-only "$1" || return
    ! have "$CXX" || $CXX -std=c++11 -x c++ $warnings -Werror $2 -I$root -fsyntax-only "$1"
}
name_of() { sed -n 's/^#line \([0-9]*\) "\(.*\)"/\2:\1/p' "$1" | tail -n 1; }

for fragment in "$work"/README.md.*.fragment.c $(grep -l '^int push_out' "$work"/examples_README.md.*.fragment.c); do
    cat "$fragment" >> "$work/pasted.c"
    check "the code up to $(name_of "$fragment") compiles as it is pasted, without a warning" "compiles $work/pasted.c"
done
cat > "$work/around.h" <<'END'
#include <stdlib.h>
#include <string.h>
#include "sap.h"
typedef struct thing { sap_id id; float position[3], half[3]; } thing;
static sap_world *world;
static sap_config config;
static thing *removed[64];
static int removed_count;
static void *bytes;
static size_t size;
static inline sap_aabb box_of(const thing *t)
{
    sap_aabb box;
    for (int k = 0; k < 3; k++) box.min[k] = t->position[k] - t->half[k], box.max[k] = t->position[k] + t->half[k];
    return box;
}
static inline void give_back(thing *t) { (void)t; }
static inline void *create(const sap_pair *pair, void *user) { (void)pair; return user; }
static inline void del(const sap_pair *pair, void *user) { (void)pair, (void)user; }
static inline int may_collide(const sap_pair *pair, void *user) { (void)user; return pair->object0 != pair->object1; }
static inline void use_all(void) { (void)world, (void)config, (void)removed, (void)removed_count, (void)bytes, (void)size; }
END
for fragment in $(grep -L '^int push_out' "$work"/examples_README.md.*.fragment.c); do
    check "the code at $(name_of "$fragment") compiles without a warning" "compiles $fragment '-include $work/around.h'"
done

sed 's/DOWN = 1 /DOWN = -1 /' "$work/pasted.c" > "$work/up.c"
walks() {   # compiler, pasted code
    $1 $warnings -Werror -O1 -isystem $STB -I$root -DCHARACTER="\"$2\"" -o $work/character tests/readme.c -lm && $work/character
}
check "its y can go up" "! cmp $work/pasted.c $work/up.c"
check "its character walks, pushes crates, rides on lifts and lands on platforms" "walks '$CC -std=c99' $work/pasted.c"
if have "$CXX"; then check "and where y goes up, as C++" "walks '$CXX -std=c++11 -x c++' $work/up.c"
else skip "the character as C++: no $CXX here"; fi

# ---- with build systems: the program in main.c, both headers in third_party/sap ------------------------------------

subject=examples/README.md
mkdir -p "$work/game/third_party/sap"
cp sap.h "$STB/stb_ds.h" "$work/game/third_party/sap/"
cp "$work/hello.c" "$work/game/main.c"
runs() { "$1" > "$work/output" && diff "$expected" "$work/output"; }

{ echo 'cmake_minimum_required(VERSION 3.5)'; echo 'project(game C)'; cat "$work/cmake"; } > "$work/game/CMakeLists.txt"
if have cmake; then
    check "the lines for CMake work" \
        "CC='$CC' cmake -S $work/game -B $work/cmake_build && cmake --build $work/cmake_build && runs $work/cmake_build/game"
else skip "the lines for CMake: no cmake here"; fi

{ echo "project('game', 'c')"; cat "$work/meson"; } > "$work/game/meson.build"
if have meson && have ninja; then
    check "the lines for Meson work" \
        "CC='$CC' meson setup $work/meson_build $work/game && ninja -C $work/meson_build && runs $work/meson_build/game"
else skip "the lines for Meson: no meson and ninja here"; fi

mkdir "$work/library" && cp sap.h "$work/library/"
command=$(sed -n 's|^    gcc \(-O2 -shared.*\)|\1|p' examples/README.md | sed "s|-I/usr/include/stb|-I'$STB'|")
check "the line for a shared library works" "(cd $work/library && $CC $command && test -s libsap.so)"
command=$(sed -n 's/^    \(grep -v .*> declarations.h\)$/\1/p' examples/README.md)
check "the line for declarations works: they are C without a preprocessor" "(cd $work/library && $command) &&
    { echo '#include <stdint.h>'; echo '#include <stddef.h>'; cat $work/library/declarations.h; } > $work/library/read.c &&
    ! grep '^#' $work/library/declarations.h && grep sap_update $work/library/declarations.h &&
    $CC -std=c99 $warnings -Werror -fsyntax-only $work/library/read.c"
sed -n '/^```python/,/^```/p' examples/README.md | grep -v '^```' > "$work/library/boxes.py"
if have python3; then
    check "its Python prints what it says" "(cd $work/library && python3 boxes.py > output) &&
        sed -n 's/.*  # //p' $work/library/boxes.py | diff - $work/library/output"
else skip "the library in Python: no python3 here"; fi
check "make install works" "make -s install PREFIX=$work/prefix"
if have pkg-config; then
    # stb_ds.h has a pkg-config file only from Debian's package, so this one stands for it.
    printf '%s\n' 'Name: stb' 'Description: stb' 'Version: 0' "Cflags: -I$STB" > "$work/prefix/lib/pkgconfig/stb.pc"
    command=$(sed -n 's/^    cc \(\$(pkg-config .*main\.c\)$/\1/p' examples/README.md)
    check "the command with pkg-config works" \
        "(cd $work/game && PKG_CONFIG_LIBDIR=$work/prefix/lib/pkgconfig && export PKG_CONFIG_LIBDIR &&
          rm -r third_party && $CC $command) && runs $work/game/game"
else skip "the command with pkg-config: not here"; fi
if have cmake; then
    # The prefix has been moved, and nothing but it says where sap.h is.
    mv "$work/prefix" "$work/moved" && mkdir "$work/found" && cp "$work/hello.c" "$work/found/main.c"
    project() { { echo 'cmake_minimum_required(VERSION 3.5)'; echo 'project(game C)'; cat; } > "$work/found/CMakeLists.txt"; }
    configure="CC='$CC' cmake -S $work/found -B $work/found_build -DCMAKE_PREFIX_PATH=$work/moved -DSAP_STB_DIR=$STB"
    project < "$work/cmake_installed"
    check "the lines for an installed sap.h and CMake work" \
        "$configure && cmake --build $work/found_build && runs $work/found_build/game"
    version=$(sed -n 's/^#define SAP_VERSION *"\(.*\)".*/\1/p' sap.h)
    for asked in "$version" "$version EXACT" 0.0; do
        echo "find_package(sap $asked REQUIRED)" | project
        case $asked in
        0.0) check "CMake refuses an older minor version" "! $configure" ;;
        *) check "CMake finds version $asked" "$configure" ;;
        esac
    done
    echo "find_package(sap 99 REQUIRED)" | project
    check "CMake refuses a newer version" "! $configure"
else skip "the lines for an installed sap.h and CMake: no cmake here"; fi
check "make uninstall leaves no file" "make -s install PREFIX=$work/gone && make -s uninstall PREFIX=$work/gone &&
    ! find $work/gone -type f | grep ."

# ---- what the texts name -------------------------------------------------------------------------------------------

anchors() {   # text: its headings as links name them
    sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
for text in $texts; do
    subject=$text
    folder=$(dirname "$text")
    check "is there" "test -s '$text'" || continue
    for link in $(grep -o '](\([^)]*\))' "$text" | sed 's/](\(.*\))/\1/' | grep -v '^https*:' | sort -u); do
        file=${link%%#*}
        [ -n "$file" ] && file=$folder/$file || file=$text
        check "links to $link, which exists" "test -f '$file'"
        case $link in *\#*) check "links to $link, a heading" "anchors '$file' | grep -x -e '${link#*\#}'" ;; esac
    done
    for file in $(grep -o '`[a-z0-9_/]*\.\(c\|cpp\|h\|sh\|py\|txt\)`' "$text" | tr -d '`' | sort -u); do
        check "names $file, which exists" "test -f '$file' -o -f '$folder/$file' -o -f 'examples/$file' -o -f '$STB/$file'"
    done
    for target in $(grep -o '\(^    \|`\)make [a-z-]*' "$text" | sed 's/.*make //' | sort -u); do
        check "names make $target, which is a target" "grep '^$target:' Makefile"
    done
    for name in $(grep -o '\(sap\|SAP\)_[A-Za-z0-9_]*' "$text" | sort -u); do
        check "names $name, which exists" "grep -w -e '$name' -e '$name\\.h' sap.h sap_multi.h Makefile"
    done
    for example in $([ $text = examples/README.md ] && cd examples && ls [0-9]*.c* m*_*.c); do
        check "lists $example" "grep -F '$example' $text"
    done
done

finish
