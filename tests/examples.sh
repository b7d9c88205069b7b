#!/bin/sh
# Every numbered example (examples/NN_name.c or .cpp): says what it shows, compiles with the command in its head and
# without a warning, runs without a display and under the address and undefined-behaviour sanitizers, prints what its
# head says, and draws a picture that is well-formed, not empty and always the same.
# Examples that need a library which is not here are skipped: nothing is installed for a test (`make game` and
# `make engine` install what they need).
#
#   sh tests/examples.sh [examples/01_hello.c ...]   these alone
#   STB=folder of stb_ds.h   BUILD=folder for programs   CC=gcc   CXX=g++

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
unset DISPLAY WAYLAND_DISPLAY
sanitize="-O0 -g $undefined"   # behind the command: programs this small run sooner than an optimiser is done
sanitizer_c=$(first_that_can "$sanitize" clang "$CC")
sanitizer_cpp=$(first_that_can "$sanitize" clang++ "$CXX")

one_example() {
    file=$(basename "$source")
    name=${file%.*}
    short=${name#*_}   # what the program is called, and its picture
    if [ "${file##*.}" = cpp ]; then compiler=${sanitizer_cpp:-$CXX} has=$sanitizer_cpp standard=-std=c++11 says=c++
    else compiler=${sanitizer_c:-$CC} has=$sanitizer_c standard=-std=c99 says=cc; fi
    [ -n "$has" ] || skip "the sanitizers for $source: no compiler here has them"
    head_of "$source" > "$work/head"
    check "begins with 'Shows how'" "sed -n 2p '$work/head' | grep '^Shows how '"

    # The head's command: compiler flags -o name source libraries && ./name arguments
    command=$(command_of "$source" "$says")
    arguments=$(sed -n "s/.* && \.\/$short\(.*\)/\1/p" "$work/head" | head -n 1)
    check "its head has the command that compiles it" "test -n '$command'" || return
    folders=$(echo "$command" | grep -o -e '-isystem [^ ]*' | tr '\n' ' ')
    header=$(grep -q '"pixels.h"' "$source" && echo examples/pixels.h)
    grep -h '^#include <' "$source" $header > "$work/needs.${file##*.}"
    if ! have "$compiler" || ! $compiler $folders -E "$work/needs.${file##*.}" > /dev/null 2>&1; then
        skip "$source: $compiler or the headers that it needs are not here (see its head)"
        return
    fi
    with=$(shared "$source" "$CC -O1") || check "the implementation compiles" false
    check "'$says $command' works, without a warning" \
        "(cd examples && $compiler $standard $warnings -Werror $command $with -lm ${has:+$sanitize})" || return
    check "runs" "(cd '$work' && './$short' $arguments > output)" || return
    if [ "$short" != hello ]; then   # README.md shows its program and what it prints: tests/readme.sh
        sed -n '/It prints:$/,$ s/^    //p' "$work/head" > "$work/expected"
        check "its head says what it prints" "test -s '$work/expected'" &&
            check "prints what its head says" "diff '$work/expected' '$work/output'"
    fi
    case $short in arena_game | platformer)   # the same score, or the same places, with each width of the kernels
        [ -n "$FEW" ] || for width in -DSAP_NO_SIMD "-DSAP_NO_AVX512 -DSAP_NO_AVX2" -DSAP_NO_AVX512 ""; do
            check "prints the same, optimised ${width:-with all kernels}" \
                "(cd examples && $compiler $standard -O1 $width $command -lm) &&
                 (cd '$work' && './$short' > output && diff expected output)"
        done ;;
    esac
    if grep -q 'copy from here' "$source"; then
        sed -n '/copy from here/,/to here/p' "$source" > "$work/copied.h"
        check "its part to copy compiles by itself" \
            "$compiler $standard $warnings -Werror -I. -isystem $STB -fsyntax-only -x c++ '$work/copied.h'"
    fi
    if grep -q '"svg.h"' "$source"; then
        check "draws $short.svg" "test -s '$work/$short.svg'" || return
        check "draws the same in the file that is named" \
            "(cd '$work' && './$short' named.svg && cmp named.svg '$short.svg')"
        check_svg "$work/$short.svg"
        check "says so if it cannot draw" "! '$work/$short' '$work/no/such/folder.svg'"
    fi
    if grep -q '"pixels.h"' "$source"; then
        picture=$(echo "$work"/*.png)
        check "writes a PNG" "test \"\$(head -c 4 '$picture' | tail -c 3)\" = PNG"
        check "its picture shows something: one of a single colour has 3 kB" "test \$(wc -c < '$picture') -gt 5000"
        check "says so if it cannot draw" "! '$work/$short' --headless 1 '$work/no/such/folder.png'"
        check "plays in a window, and ends when told to" \
            "SDL_VIDEODRIVER=dummy timeout --preserve-status -s INT 2 '$work/$short'"
    fi
}

total_passed=0 total_failed=0 total_skipped=0 number=0
[ $# -gt 0 ] || set -- examples/[0-9]*
for source; do
    begin "examples/$(basename "$source")"
    subject=$source
    one_example
    total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed)) total_skipped=$((total_skipped + skipped))
done
passed=$total_passed failed=$total_failed skipped=$total_skipped
if [ "$1" = examples/01_hello.c ]; then
    subject=examples
    check "are numbered from 01 without gaps or doubles" \
        "ls examples | sed -n 's/^\([0-9][0-9]\)_.*/\1/p' | { n=1; while read k; do
             test \"\$k\" = \$(printf %02d \$n) || exit 1; n=\$((n + 1)); done; }"
fi
finish
