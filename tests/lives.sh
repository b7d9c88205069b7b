#!/bin/sh
# Goes on with tests/test_lives.c and test_laws.c from a new seed: in a build for each SIMD path, with lowered constants (tests/lower.sh),
# with sanitizers and as 32-bit code, where the machine can. Each build gets its part of the time.
#
#   sh tests/lives.sh SECONDS [FIRST SEED] [BUILD ...]     builds: plain lowered scalar sanitized fast-math 32-bit
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc   JOBS=builds at a time
#
# The last line is 'N passed, N failed, N skipped'. A life that fails says its seed: BUILD/lives/<build>/lives 1 SEED, or
# laws 1 SEED LAW.

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
    compiler="$compiler -std=c99 -w -isystem '$STB' -I."
    check "$b compiles" "$compiler -c -o '$work/$b/ways.o' tests/ways.c &&
        $compiler -o '$work/$b/lives' tests/test_lives.c '$work/$b/ways.o' -lm -pthread &&
        $compiler -o '$work/$b/laws' tests/test_laws.c '$work/$b/ways.o' -lm -pthread" && ready="$ready $b"
done
count=$(echo $ready | wc -w)
[ "$count" -gt 0 ] || { finish; exit; }
each=$((seconds * JOBS / count))
[ "$each" -le "$seconds" ] || each=$seconds
[ "$each" -gt 0 ] || each=1
echo "lives and laws from seed $first on, $each s in each of:$ready"
half=$(((each + 1) / 2))

i=0
for b in $ready; do   # seeds far apart: no two builds lead the same lives
    from=$((first + i * 100000000)) costs=
    [ $b = lowered ] && costs=-c
    echo "$work/$b/lives -s $half $from > $work/$b/log 2>&1; echo \$? > $work/$b/code;" \
        "$work/$b/laws $costs -s $half $from > $work/$b/log2 2>&1 || echo 1 > $work/$b/code"
    i=$((i + 1))
done | xargs -P "$JOBS" -I '{}' sh -c '{}'
for b in $ready; do
    cat "$work/$b/log2" >> "$work/$b/log"
    sed "s/^/$b: /" "$work/$b/log"
    lines=$(grep -a -E '^[0-9]+ passed, [0-9]+ failed' "$work/$b/log")
    passed=$((passed + $(echo "$lines" | awk '{ n += $1 } END { print n + 0 }')))
    wrong=$(echo "$lines" | awk '/passed/ { n += $3; k++ } END { print n + 2 - k }')
    [ "$(cat "$work/$b/code")" = 0 ] || [ "$wrong" -gt 0 ] || wrong=1
    failed=$((failed + wrong))
done
finish
