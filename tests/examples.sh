#!/bin/sh
# Every numbered example (examples/NN_name.c or .cpp): says what it shows, compiles with the command in its head and
# without a warning, runs without a display, prints what its head says, also under the address and undefined-behaviour
# sanitizers, and draws a picture that is well-formed, not empty and always the same.
# Examples that need a library which is not here are skipped: nothing is installed for a test (`make game` and
# `make engine` install what they need).
#
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc   CXX=g++

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$root/build/tests}
CC=${CC:-gcc}
CXX=${CXX:-g++}
work=$BUILD/examples
rm -rf "$work" && mkdir -p "$work/tree/examples" && cp sap.h "$work/tree/" &&
    cp examples/[0-9]* examples/*.h "$work/tree/examples/" || exit 2
work=$(cd "$work" && pwd) && STB=$(cd "$STB" && pwd) || exit 2   # absolute: the examples run in folders of their own
unset DISPLAY WAYLAND_DISPLAY
passed=0
failed=0
skipped=0

check() {   # what is checked, command
    if eval "$2" > "$work/log" 2>&1; then passed=$((passed + 1)); return 0; fi
    echo "failed: $source: $1"
    head -n 20 "$work/log"
    failed=$((failed + 1))
    return 1
}

skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }

well_formed=
if command -v xmllint >/dev/null 2>&1; then well_formed='xmllint --noout'
elif python3 -c 'import xml.dom.minidom' 2>/dev/null; then
    well_formed="python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])'"
else skip "well-formed pictures: neither xmllint nor python3 here"; fi

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Werror"
sanitize="-O0 -g -fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=all"
printf 'int main(void) { return 0; }\n' > "$work/probe.c"
cp "$work/probe.c" "$work/probe.cpp"
first_that_can() {   # extension, compilers: the first that has the sanitizers
    extension=$1
    shift
    for c; do
        $c $sanitize -o "$work/probe" "$work/probe.$extension" 2>/dev/null && "$work/probe" && echo "$c" && return
    done
}
sanitizer_c=$(first_that_can c clang "$CC")
sanitizer_cpp=$(first_that_can cpp clang++ "$CXX")
[ -n "$sanitizer_c" ] && [ -n "$sanitizer_cpp" ] || skip "sanitized examples: no compiler here has the sanitizers"

number=0
for source in examples/[0-9]*; do
    file=$(basename "$source")
    extension=${file##*.}
    name=${file%.*}
    short=${name#*_}   # what the program is called, and its picture
    number=$((number + 1))
    if [ "$extension" = cpp ]; then compiler=$CXX sanitizer=$sanitizer_cpp standard=c++11 says=c++
    else compiler=$CC sanitizer=$sanitizer_c standard=c99 says=cc; fi
    folder=$work/$name
    mkdir "$folder"
    sed '/^\*\//q' "$source" > "$folder/head"
    check "is number $number in a row without gaps" "test '$(printf %02d $number)_$short' = '$name'"
    check "begins with 'Shows how to'" "sed -n 2p '$folder/head' | grep '^Shows how to '"

    # The head's command: compiler flags -o name source libraries && ./name arguments
    line=$(sed -n ':more; /\\$/ { N; s/ *\\\n */ /; b more; }; s/^ *\(c[+c]* .*-o .* && \.\/.*\)$/\1/p' "$folder/head")
    command=$(echo "$line" | sed -n "s/^$says \(.* -o $short $file.*\) && \.\/$short.*/\1/p")
    arguments=$(echo "$line" | sed "s/.* && \.\/$short//")
    check "its head has the command that compiles it" "test -n '$command'" || continue
    libraries=${command##*"$file"}
    folders=$(echo "$command" | tr ' ' '\n' | sed -n '/usr.include.stb/d; s/^-I\(\/.*\)/-isystem \1/p' | tr '\n' ' ')
    header=$(grep -q '"pixels.h"' "$source" && echo examples/pixels.h)
    grep -h '^#include <' "$source" $header > "$folder/needs.$extension"
    if ! $compiler $folders -E "$folder/needs.$extension" > /dev/null 2>&1; then
        skip "$source: $compiler or the headers that it needs are not here (see its head)"
        continue
    fi

    # As its head says, in its own folder, but with this compiler and with stb_ds.h where this machine has it.
    check "'$says $command' works" "(cd '$work/tree/examples' && CPATH='$STB' $compiler $command)"
    flags="-std=$standard $warnings $folders -isystem '$STB' -I."
    check "compiles without a warning" "$compiler $flags -O2 -o '$folder/$short' '$source' $libraries -lm" || continue
    check "runs" "(cd '$folder' && './$short' $arguments > output)" || continue
    if [ "$short" != hello ]; then   # README.md shows its program and what it prints: tests/readme.sh
        sed -n '/It prints:$/,$ s/^    //p' "$folder/head" > "$folder/expected"
        check "its head says what it prints" "test -s '$folder/expected'" &&
            check "prints what its head says" "diff '$folder/expected' '$folder/output'"
    fi
    if [ -n "$sanitizer" ]; then
        mkdir "$folder/sanitized"
        check "compiles with sanitizers" \
            "$sanitizer $flags $sanitize -o '$folder/sanitized/$short' '$source' $libraries -lm" &&
            check "runs with sanitizers, and does the same" \
                "(cd '$folder/sanitized' && './$short' $arguments > output && diff output ../output)"
    fi

    for picture in "$folder"/*.svg "$folder"/*.png; do
        [ -f "$picture" ] && [ -n "$sanitizer" ] || continue
        check "draws the same picture with sanitizers" "cmp '$picture' '$folder/sanitized/${picture##*/}'"
    done
    if grep -q '"svg.h"' "$source"; then
        picture=$folder/$short.svg
        check "draws $short.svg" "test -s '$picture'" || continue
        check "draws the file that is named" "(cd '$folder' && './$short' named.svg && cmp named.svg '$picture')"
        check "its picture shows something" "test \$(grep -c -e '<path' -e '<circle' '$picture') -ge 10"
        check "its picture has only numbers that are finite" "! grep -E '[ \"L](-?nan|-?inf)' '$picture'"
        [ -n "$well_formed" ] && check "its picture is well-formed" "$well_formed '$picture'"
        check "says so if it cannot draw" "! '$folder/$short' '$work/no/such/folder.svg'"
    fi
    if grep -q '"pixels.h"' "$source"; then
        picture=$(echo "$folder"/*.png)
        check "writes a PNG" "test \"\$(head -c 4 '$picture' | tail -c 3)\" = PNG"
        check "its picture shows something: one of a single colour has 3 kB" "test \$(wc -c < '$picture') -gt 10000"
        check "says so if it cannot draw" "! '$folder/$short' --headless 1 '$work/no/such/folder.png'"
        game=$folder/sanitized/$short
        [ -n "$sanitizer" ] || game=$folder/$short
        check "plays in a window, and ends when told to" \
            "SDL_VIDEODRIVER=dummy timeout --preserve-status -s INT 2 '$game'"
    fi
done
printf '%d passed, %d failed' $passed $failed
[ $skipped -gt 0 ] && printf ', %d skipped' $skipped
echo
[ $failed -eq 0 ] && [ $passed -gt 0 ]
