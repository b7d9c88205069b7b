#!/bin/sh
# Goes on with tests/test_lives.c from a new seed: in a build for each SIMD path, with lowered constants (tests/lower.sh),
# with sanitizers and as 32-bit code, where the machine can. Each build gets its part of the time.
#
#   sh tests/lives.sh SECONDS [FIRST SEED] [BUILD ...]     builds: plain lowered scalar sanitized fast-math 32-bit
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc   JOBS=builds at a time
#
# The last line is 'N passed, N failed, N skipped'. A life that fails says its seed: BUILD/lives/<build>/lives 1 SEED.

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
seconds=${1:-60} first=${2:-$(date +%s)000}
[ $# -gt 2 ] && { shift 2; builds="$*"; } || builds="plain lowered scalar sanitized fast-math 32-bit"
begin lives

flags() {   # of a build; nothing if this machine has no such build
    case $1 in
    plain) echo "$CC -O2" ;;
    lowered) sh tests/lower.sh "$work/headers" >&2 && echo "$CC -O2 -I$work/headers" ;;
    scalar) echo "$CC -O2 -DSAP_NO_SIMD" ;;
    fast-math) echo "$CC -O3 -ffast-math" ;;
    sanitized)
        sanitizer=$(first_that_can "-O1 -g $undefined" clang "$CC")
        [ -n "$sanitizer" ] && echo "$sanitizer -O1 -g $undefined" ;;
    32-bit) can "$CC" -m32 && echo "$CC -O2 -m32" ;;
    *) echo "no build is called $1" >&2 ;;
    esac
}

ready=
for b in $builds; do
    compiler=$(flags $b)
    if [ -z "$compiler" ]; then skip "lives, $b: not on this machine"; continue; fi
    mkdir -p "$work/$b"
    check "$b compiles" "$compiler -std=c99 -w -isystem '$STB' -I. -o '$work/$b/lives' tests/test_lives.c tests/ways.c \
        -lm -pthread" && ready="$ready $b"
done
count=$(echo $ready | wc -w)
[ "$count" -gt 0 ] || { finish; exit; }
each=$((seconds * JOBS / count))
[ "$each" -le "$seconds" ] || each=$seconds
[ "$each" -gt 0 ] || each=1
echo "lives from seed $first on, $each s in each of:$ready"

i=0
for b in $ready; do   # seeds far apart: no two builds lead the same lives
    echo "$work/$b/lives -s $each $((first + i * 100000000)) > $work/$b/log 2>&1; echo \$? > $work/$b/code"
    i=$((i + 1))
done | xargs -P "$JOBS" -I '{}' sh -c '{}'
for b in $ready; do
    sed "s/^/$b: /" "$work/$b/log"
    line=$(grep -a -E '^[0-9]+ passed, [0-9]+ failed' "$work/$b/log" | tail -n 1)
    passed=$((passed + $(echo "${line:-0 passed}" | sed 's/ passed.*//')))
    wrong=$(echo "${line:-x, 1 failed}" | sed 's/.*, \([0-9]*\) failed.*/\1/')
    [ "$(cat "$work/$b/code")" = 0 ] || [ "$wrong" -gt 0 ] || wrong=1
    failed=$((failed + wrong))
done
finish
