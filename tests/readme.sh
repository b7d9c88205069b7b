#!/bin/sh
# What a newcomer does with README.md. Extracts its first program (the first ```c block with a main), checks that it is
# examples/01_hello.c, copies the two files, compiles it with the command that README.md shows, runs it, and compares
# what it prints with the block that follows it. Builds it also as C++, by the lines shown for CMake and Meson, and as
# installed. Every file, target and function that README.md names must exist.
#
#   STB=folder of stb_ds.h   BUILD=folder for programs   CC=gcc   CXX=g++

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
begin readme
subject=README.md

# Splits README.md into its blocks: the program, every block behind it as NN.block, and every line that compiles
# something, from anywhere in the file, into commands.
[ -f README.md ] && awk -v work="$work" '
    /^ *```/ {
        if (!inside) { inside = 1; language = $0; sub(/^ *```/, "", language); text = ""; next }
        inside = 0
        if (!found && language == "c" && text ~ /int main/) { found = 1; printf "%s", text > (work "/hello.c") }
        else if (language == "cmake" && text ~ /find_package/) { printf "%s", text > (work "/cmake_installed") }
        else if (language == "cmake" || language == "meson") { printf "%s", text > (work "/" language) }
        else if (found) { printf "%s", text > sprintf("%s/%02d.block", work, ++after) }
        next
    }
    inside { text = text $0 "\n" }
    /^ *(\$ )?(cc|gcc|clang) .*\.c/ { line = $0; sub(/^ *(\$ )?/, "", line); print line > (work "/commands") }
' README.md

if check "has a complete C program" "test -s $work/hello.c"; then
    check "its program is examples/01_hello.c, from the first #include on" \
        "sed -n '/^#include/,\$p' examples/01_hello.c > $work/example.c &&
         sed -n '/^#include/,\$p' $work/hello.c > $work/shown.c && diff $work/shown.c $work/example.c"

    mkdir "$work/fresh" && cp sap.h "$STB/stb_ds.h" "$work/hello.c" "$work/fresh/"
    command=
    [ -f "$work/commands" ] && command=$(grep -m 1 'hello\.c' "$work/commands" | sed 's/ *&&.*//; s/ *#.*//')
    if [ -n "$command" ]; then
        check "the command '$command' works" "(cd $work/fresh && $command && test -x hello)"
    fi
    check "its program compiles without a warning" \
        "$CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror \
             -isystem $STB -I$root -o $work/hello $work/hello.c -lm"
    check "its program runs" "(cd $work && ./hello > output)"
    # The output is in the next block that is no shell command; `$ ./hello` above it may be part of the block.
    expected=
    for block in "$work"/*.block; do
        [ -f "$block" ] || continue
        sed '/^\$ /d' "$block" > "$block.text"
        grep -q -e '^ *\(cc\|gcc\|clang\|make\|apt\|sudo\|cp\|git\|curl\) ' "$block.text" && continue
        expected=$block.text
        break
    done
    check "shows what its program prints" "test -n '$expected' && diff $expected $work/output"

    if have "$CXX"; then
        check "its program is C++, too, without a warning" \
            "$CXX -std=c++11 -Wall -Wextra -Wpedantic -Werror -x c++ -isystem $STB -I$root -o $work/hello++ $work/hello.c &&
             $work/hello++ > $work/output && diff $expected $work/output"
    else skip "the program as C++: no $CXX here"; fi
fi

# ---- with build systems: the program in main.c, both headers in third_party/sap ------------------------------------

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

check "make install works" "make -s install PREFIX=$work/prefix"
if have pkg-config; then
    # stb_ds.h has a pkg-config file only from Debian's package, so this one stands for it.
    printf '%s\n' 'Name: stb' 'Description: stb' 'Version: 0' "Cflags: -I$STB" > "$work/prefix/lib/pkgconfig/stb.pc"
    command=$(sed -n 's/^    cc \(\$(pkg-config .*main\.c\)$/\1/p' README.md)
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

# ---- what README.md names ------------------------------------------------------------------------------------------

for file in $(grep -o '](bench/[^)]*)' README.md | sed 's/](\(.*\))/\1/') \
            $(grep -o '`[a-z0-9_/]*\.\(c\|cpp\|h\)`' README.md | tr -d '`' | sort -u); do
    check "names $file, which exists" "test -f '$file' -o -f 'examples/$file' -o -f '$STB/$file'"
done
for target in $(grep -o '\(^    \|`\)make [a-z-]*' README.md | sed 's/.*make //' | sort -u); do
    check "names make $target, which is a target" "grep '^$target:' Makefile"
done
for name in $(grep -o '\(sap\|SAP\)_[A-Za-z0-9_]*' README.md | sort -u); do
    check "names $name, which exists" "grep -w -e '$name' -e '$name\\.h' sap.h sap_multi.h Makefile"
done

finish
