#!/bin/sh
# The first program in README.md is what a newcomer copies. Extracts it (the first ```c block with a main),
# checks that it is examples/01_hello.c, compiles it with the command that README.md shows, runs it, and compares
# what it prints with the block that follows it.
#
#   STB=folder of stb_ds.h   BUILD=folder for objects

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$root/build/tests}
work=$BUILD/readme
rm -rf "$work" && mkdir -p "$work" || exit 2
passed=0
failed=0

check() {   # what is checked, command
    if eval "$2" > "$work/log" 2>&1; then passed=$((passed + 1)); return 0; fi
    echo "failed: README.md: $1"
    head -n 20 "$work/log"
    failed=$((failed + 1))
    return 1
}

# Splits README.md into its blocks: the program, every block behind it as NN.block, and every line that compiles
# something, from anywhere in the file, into commands.
[ -f README.md ] && awk -v work="$work" '
    /^ *```/ {
        if (!inside) { inside = 1; language = $0; sub(/^ *```/, "", language); text = ""; next }
        inside = 0
        if (!found && language == "c" && text ~ /int main/) { found = 1; printf "%s", text > (work "/hello.c") }
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

    cp sap.h "$work/"
    command=
    [ -f "$work/commands" ] && command=$(grep -m 1 'hello\.c' "$work/commands" | sed 's/ *&&.*//; s/ *#.*//')
    if [ -n "$command" ]; then
        # As shown, but with stb_ds.h where this machine has it.
        check "the command '$command' works" \
            "(cd $work && CPATH=$STB $command) && mv $work/hello $work/as_shown 2>/dev/null || mv $work/a.out $work/as_shown"
    fi
    check "its program compiles without a warning" \
        "${CC:-gcc} -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror \
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
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
