#!/bin/sh
# The programs of examples/teach: each compiles with the command in its head and without a warning, prints what its head
# says, and draws a picture. The moving picture of README.md is what its program draws. The exercises: every solution
# passes; every skeleton, and typical wrong solutions, fail with a message that says why.
#
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$root/build/tests}
CC=${CC:-gcc}
work=$BUILD/teach
rm -rf "$work" && mkdir -p "$work/tree" && cp -r sap.h examples "$work/tree/" || exit 2
work=$(cd "$work" && pwd) && STB=$(cd "$STB" && pwd) || exit 2   # absolute: the programs run in folders of their own
exercises=$work/tree/examples/exercises
strict="-std=c99 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Werror -isystem $STB"
passed=0
failed=0
skipped=0

check() {   # what is checked, command
    if eval "$2" > "$work/log" 2>&1; then passed=$((passed + 1)); return 0; fi
    echo "failed: $name: $1"
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

# ---- examples/teach ---------------------------------------------------------------------------------------------

for source in examples/teach/*.c; do
    name=$(basename "$source" .c)
    head=$work/$name.head
    sed '/^\*\//q' "$source" > "$head"
    check "begins with 'Shows '" "sed -n 2p '$head' | grep '^Shows '"
    command=$(sed -n "s/^ *cc \(.* -o $name .*\) && \.\/$name\$/\1/p" "$head")
    check "its head has the command that compiles it" "test -n '$command'" &&
        check "'cc $command' works" "(cd '$work/tree/examples/teach' && CPATH='$STB' $CC $command)"
    check "compiles without a warning" "$CC $strict -I. -Iexamples -o '$work/$name' '$source' -lm" || continue
    check "runs" "(cd '$work' && './$name' '$name.named.svg' > '$name.output')" || continue
    sed -n '/It prints:$/,$ { s/^    //p; /^$/p; }' "$head" | sed '1{/^$/d;}' > "$work/$name.expected"
    check "its head says what it prints" "test -s '$work/$name.expected'" &&
        check "prints what its head says" "diff '$work/$name.expected' '$work/$name.output'"
    check "draws $name.svg when no file is named" "(cd '$work' && './$name' && cmp '$name.svg' '$name.named.svg')"
    check "its picture shows something" "test \$(grep -c -e '<path' -e '<circle' '$work/$name.svg') -ge 10"
    check "its picture has only numbers that are finite" "! grep -E '[ \"L](-?nan|-?inf)' '$work/$name.svg'"
    [ -n "$well_formed" ] && check "its picture is well-formed" "$well_formed '$work/$name.svg'"
done

# ---- the moving picture ------------------------------------------------------------------------------------------

name=picture
check "compiles without a warning" "$CC $strict -I. -o '$work/picture' examples/web/picture.c -lm" &&
    check "runs" "'$work/picture' '$work/pairs.svg'"
[ -n "$well_formed" ] && check "is well-formed" "$well_formed '$work/pairs.svg'"
check "is bench/data/pairs.svg (make picture)" "cmp '$work/pairs.svg' bench/data/pairs.svg"

# ---- examples/exercises -----------------------------------------------------------------------------------------

# Builds and checks the one exercise in that folder.
verdict() {   # folder
    rm -rf "$work/programs"
    LIMIT=5 STB=$STB CC=$CC BUILD=$work/programs sh "$exercises/check.sh" "$1" > "$1/said" 2>&1
}

# A wrong solution: the message must name what is wrong. It comes from standard input, never by a pipe, in which the
# counts would be lost.
wrong() {   # exercise, what it does wrong, what the message must hold
    name="exercise $1, $2"
    rm -rf "$work/wrong" && mkdir -p "$work/wrong" && cat > "$work/wrong/$1.c"
    check "differs from the solution" "! cmp -s '$work/wrong/$1.c' '$exercises/solutions/$1.c'"
    verdict "$work/wrong"
    check "fails" "cat '$work/wrong/said'; grep '^0 of 1 right' '$work/wrong/said'"
    check "says '$3'" "cat '$work/wrong/said'; grep '  not yet: ' '$work/wrong/said' && grep -e '$3' '$work/wrong/said'"
}

edited() {   # exercise, what it does wrong, what the message must hold, sed commands: the solution, edited
    sed "$4" "$exercises/solutions/$1.c" > "$work/edited.c"
    wrong "$1" "$2" "$3" < "$work/edited.c"
}

for source in "$exercises"/0*.c; do
    name=$(basename "$source" .c)
    check "the solution compiles without a warning" \
        "$CC $strict -I. -I'$exercises/checks' -o '$work/solution' '$exercises/solutions/$name.c' -lm"
    check "the solution passes" "'$work/solution'"
    check "the skeleton compiles without a warning" \
        "$CC $strict -I. -I'$exercises/checks' -o '$work/skeleton' '$source' -lm"
    "$work/skeleton" > "$work/said"
    check "the skeleton is not right yet, and that is exit code 1" "test $? = 1"
    check "it is told why, with what was given" "grep '  not yet: ' '$work/said' && test \$(wc -l < '$work/said') -ge 2"
done
name="check.sh"
verdict "$exercises/solutions"
check "all solutions are right" "cat '$exercises/solutions/said'; grep '^5 of 5 right' '$exercises/solutions/said'"
verdict "$exercises"
check "no skeleton is" "cat '$exercises/said'; grep '^0 of 5 right' '$exercises/said'"

edited 01_rules "start and stop mixed up" "your calls say they" \
    's/ start(w/ swapped(w/; s/ stop(w/ start(w/; s/ swapped(w/ stop(w/'
edited 01_rules "never stops" "A pair stops when a max walks left past a min" \
    's/if (walker.is_max && !other.is_max).*//'
edited 01_rules "any end that a max passes stops" "overlap now, but your calls say they are apart" \
    's/ && !other.is_max//'
edited 01_rules "forgets that boxes which touch overlap" "the array is not sorted" \
    's/comes_before(walker, ends\[j - 1\])/walker.value < ends[j - 1].value/'
edited 01_rules "takes a sentinel for a box" "these are not two boxes" \
    's/int j = i;/int j = i; start(walker.box, ends[j - 1].box);/'
edited 01_rules "does not end" "does not come to an end" \
    's/; j--)/; j -= 0)/'

edited 02_merge "merges the wrong way round" "not yet: " \
    's/is_greater(ends\[from\], incoming\[m - 1\])/is_greater(incoming[m - 1], ends[from])/'
edited 02_merge "is off by one" "you wrote beside the array, behind it" \
    's/to = n + m - 1/to = n + m/'
edited 02_merge "does not let comparisons be counted" "compare by is_greater" \
    's/is_greater(ends\[from\], incoming\[m - 1\])/ends[from] > incoming[m - 1]/'
wrong 02_merge "inserts one by one" "each new one should go on where the last one stopped" <<'END'
#include "02_merge.h"
void merge(int *ends, int n, const int *incoming, int m) {
    for (int i = 0; i < m; i++) {
        int j = n + i;
        for (; is_greater(ends[j - 1], incoming[i]); j--) ends[j] = ends[j - 1];
        ends[j] = incoming[i];
    }
}
END

edited 03_bipartite "lets only one set ask" "The box of b begins first" \
    '/else {/,/if (overlap/{/for/d; /if (overlap/d;}'
edited 03_bipartite "forgets what touches" "overlap, but found was not called" \
    's/<= a\[i\].max/< a[i].max/'
edited 03_bipartite "asks all that follow" "you asked about" \
    's/ && b\[k\].min\[0\] <= a\[i\].max\[0\]//'
wrong 03_bipartite "asks twice at equal mins" "was called twice" <<'END'
#include "03_bipartite.h"
void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb) {
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            if (b[k].min[0] >= a[i].min[0] && b[k].min[0] <= a[i].max[0] && overlap(&a[i], &b[k])) found(i, k);
    for (int j = 0; j < nb; j++)
        for (int k = 0; k < na; k++)
            if (a[k].min[0] >= b[j].min[0] && a[k].min[0] <= b[j].max[0] && overlap(&a[k], &b[j])) found(k, j);
}
END

edited 04_sentinel "mends one side only" "an end at -inf still walks out" \
    's/low_sentinel = -INFINITY/low_sentinel = -FLT_MAX/'
edited 04_sentinel "breaks with what the sentinel still holds" "which should leave on the left" \
    's/{-INFINITY, 0, 0}/{-FLT_MAX, 0, 0}/'
edited 04_sentinel "breaks with NaN" "sap.h refuses your box" \
    's/{-INFINITY, 0, 0}/{NAN, 0, 0}/'
edited 04_sentinel "mends with NaN" "are not in order" \
    's/_sentinel = -*INFINITY/_sentinel = NAN/'

edited 05_axis "returns what is no axis" "there are only 0, 1 and 2" \
    's/best = k;/best = 3;/'
edited 05_axis "takes the worst" "Along which axis are the boxes spread out" \
    's/overlaps\[k\] < /overlaps[k] > /'
spread() {   # what is measured of the values v of an axis: the axis with the most of it
    cat <<END
#include "05_axis.h"
int choose_axis(const sap_aabb *boxes, int n) {
    int best = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double sum = 0, squares = 0, low = 1e30, high = -1e30;
        for (int i = 0; i < n; i++) {
            double v = boxes[i].min[k];
            sum += v;
            squares += v * v;
            if (v < low) low = v;
            if (v > high) high = v;
        }
        double extent = high - low, variance = squares / n - sum / n * sum / n;
        if ($1 > most) most = $1, best = k;
    }
    return best;
}
END
}
spread 'extent + 0 * variance' > "$work/edited.c"
wrong 05_axis "takes the largest extent" "One box makes the world larger" < "$work/edited.c"
spread 'variance + 0 * extent' > "$work/edited.c"
wrong 05_axis "takes the largest variance" "their length counts, too" < "$work/edited.c"

wrong 05_axis "does not compile" "it does not compile" <<'END'
#include "05_axis.h"
int choose_axis(const sap_aabb *boxes, int n) { return }
END
wrong 05_axis "crashes" "it crashed" <<'END'
#include "05_axis.h"
int choose_axis(const sap_aabb *boxes, int n) { (void)boxes; (void)n; abort(); }
END

printf '%d passed, %d failed' $passed $failed
[ $skipped -gt 0 ] && printf ', %d skipped' $skipped
echo
[ $failed -eq 0 ] && [ $passed -gt 0 ]
