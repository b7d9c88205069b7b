#!/bin/sh
# Every examples/*.c: says what it shows, compiles with the command in its head and without a warning, runs without a
# display, prints what its head says, and draws a picture that is well-formed and not empty.
#
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$root/build/tests}
CC=${CC:-gcc}
work=$BUILD/examples
rm -rf "$work" && mkdir -p "$work/tree" && cp -r sap.h examples "$work/tree/" || exit 2
work=$(cd "$work" && pwd) && STB=$(cd "$STB" && pwd) || exit 2   # absolute: the examples run in folders of their own
unset DISPLAY WAYLAND_DISPLAY
passed=0
failed=0
skipped=0

check() {   # what is checked, command
    if eval "$2" > "$work/log" 2>&1; then passed=$((passed + 1)); return 0; fi
    echo "failed: examples/$name.c: $1"
    head -n 20 "$work/log"
    failed=$((failed + 1))
    return 1
}

well_formed=
if command -v xmllint >/dev/null 2>&1; then well_formed='xmllint --noout'
elif python3 -c 'import xml.dom.minidom' 2>/dev/null; then
    well_formed="python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])'"
else
    echo "skipped: well-formed pictures: neither xmllint nor python3 here"
    skipped=1
fi

for source in examples/*.c; do
    name=$(basename "$source" .c)
    head=$work/$name.head
    sed '/^\*\//q' "$source" > "$head"
    check "begins with 'Shows how to'" "sed -n 2p '$head' | grep '^Shows how to '"

    # As its head says, in its own folder, but with this compiler and with stb_ds.h where this machine has it.
    command=$(sed -n "s/^ *cc \(.* -o $name .*\) && \.\/$name\$/\1/p" "$head")
    check "its head has the command that compiles it" "test -n '$command'" &&
        check "'cc $command' works" "(cd '$work/tree/examples' && CPATH='$STB' $CC $command)"

    check "compiles without a warning" \
        "$CC -std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Werror \
             -isystem '$STB' -I. -o '$work/$name' '$source' -lm" || continue
    check "runs" "(cd '$work' && './$name' '$name.named.svg' > '$name.output')" || continue

    if [ "$name" != hello ]; then   # README.md shows its program and what it prints: tests/readme.sh
        sed -n '/It prints:$/,$ s/^    //p' "$head" > "$work/$name.expected"
        check "its head says what it prints" "test -s '$work/$name.expected'" &&
            check "prints what its head says" "diff '$work/$name.expected' '$work/$name.output'"
    fi

    grep -q '"svg.h"' "$source" || continue
    check "draws $name.svg when no file is named" "(cd '$work' && './$name' && cmp '$name.svg' '$name.named.svg')"
    check "its picture shows something" "test \$(grep -c -e '<path' -e '<circle' '$work/$name.svg') -ge 10"
    check "its picture has only numbers that are finite" "! grep -E '[ \"L](-?nan|-?inf)' '$work/$name.svg'"
    [ -n "$well_formed" ] && check "its picture is well-formed" "$well_formed '$work/$name.svg'"
    check "says so if it cannot draw" "! '$work/$name' '$work/no/such/folder.svg'"
done
printf '%d passed, %d failed' $passed $failed
[ $skipped -gt 0 ] && printf ', %d skipped' $skipped
echo
[ $failed -eq 0 ] && [ $passed -gt 0 ]
