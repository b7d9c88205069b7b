#!/bin/sh
# The programs of examples/teach: each compiles with the command in its head and without a warning, prints what its head
# says, and draws a picture. The moving picture of README.md is what its program draws. The exercises: every solution
# passes; every skeleton, and typical wrong solutions, fail with a message that says why.
#
#   sh tests/teach.sh [examples/teach/01_rules.c ... | picture | exercises]   these alone
#   STB=folder of stb_ds.h   BUILD=folder for programs   CC=gcc

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
strict="-std=c99 $warnings -Werror -isystem $STB"
[ $# -gt 0 ] || set -- examples/teach/*.c picture exercises
begin "teach/$(basename "$1")"

# ---- examples/teach ---------------------------------------------------------------------------------------------

program() {   # source
    subject=$1
    name=$(basename "$1" .c)
    head_of "$1" > "$work/head"
    command=$(command_of "$1" cc)
    check "begins with 'Shows '" "sed -n 2p '$work/head' | grep '^Shows '"
    check "its head has the command that compiles it" "test -n '$command'" || return
    with=$(shared "$1" "$CC -O1") || check "the implementation compiles" false
    check "'cc $command' works, without a warning" \
        "(cd examples/teach && $CC -std=c99 $warnings -Werror $command $with -lm)" || return
    check "runs" "(cd '$work' && './$name' '$name.named.svg' > '$name.output')" || return
    sed -n '/It prints:$/,$ { s/^    //p; /^$/p; }' "$work/head" | sed '1{/^$/d;}' > "$work/$name.expected"
    check "its head says what it prints" "test -s '$work/$name.expected'" &&
        check "prints what its head says" "diff '$work/$name.expected' '$work/$name.output'"
    check "draws $name.svg when no file is named" "(cd '$work' && './$name' && cmp '$name.svg' '$name.named.svg')"
    check_svg "$work/$name.svg"
    check "draws what the course shows (else cp build/teach/$name.svg examples/teach/pictures)" \
        "cmp '$work/$name.svg' 'examples/teach/pictures/$name.svg' && grep '(pictures/$name.svg)' examples/teach/README.md"
}

# ---- the moving picture ------------------------------------------------------------------------------------------

picture() {
    subject=examples/web/picture.c
    check "compiles without a warning" "$CC $strict -I. -o '$work/picture' '$subject' -lm" &&
        check "runs" "'$work/picture' '$work/pairs.svg'" || return
    check_xml "$work/pairs.svg"
    check "draws bench/data/pairs.svg (make picture)" "cmp '$work/pairs.svg' bench/data/pairs.svg"
}

# ---- examples/exercises -----------------------------------------------------------------------------------------

# Builds and checks the one exercise in that folder; without sanitizers, which make each build slower.
verdict() {   # folder, sanitizers, seconds
    rm -rf "$work/programs"
    SANITIZE=$2 LIMIT=${3:-20} CC=$CC BUILD=$work/programs sh "$exercises/check.sh" "$1" > "$1/said" 2>&1
}

# A wrong solution: the message must name what is wrong. It comes from standard input, never by a pipe, in which the
# counts would be lost.
wrong() {   # exercise, what it does wrong, what the message must hold, sanitizers
    if [ -n "$FEW" ]; then   # one of each exercise
        case " $tried " in *" $1 "*) return 1 ;; esac
        tried="$tried $1"
    fi
    subject="exercise $1, $2${4:+, with sanitizers}"
    rm -rf "$work/wrong" && mkdir -p "$work/wrong" && cat > "$work/wrong/$1.c"
    check "differs from the solution" "! cmp -s '$work/wrong/$1.c' '$exercises/solutions/$1.c'"
    case $3 in *"come to an end"*) verdict "$work/wrong" "$4" 2 ;; *) verdict "$work/wrong" "$4" ;; esac
    check "fails" "cat '$work/wrong/said'; grep '^0 of 1 right' '$work/wrong/said'"
    check "says '$3'" "cat '$work/wrong/said'; grep '  not yet: ' '$work/wrong/said' && grep -e '$3' '$work/wrong/said'"
}

edited() {   # exercise, what it does wrong, what the message must hold, sed commands (the solution, edited), sanitizers
    sed "$4" "$exercises/solutions/$1.c" > "$work/edited.c"
    wrong "$1" "$2" "$3" "$5" < "$work/edited.c"
}

for asked; do
    case $asked in
    picture) picture ;;
    exercises) ;; # below
    *) program "$asked" ;;
    esac
done
case " $* " in *" exercises "*) ;; *) finish; exit ;; esac
mkdir -p "$work/examples" && cp -r examples/exercises "$work/examples/" && cp sap.h "$work/" || exit 2
exercises=$work/examples/exercises
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
can $CC $sanitizers || sanitizers=

subject="the course, examples/teach/README.md"
for source in examples/teach/*.c examples/exercises/*.c; do
    name=$(basename "$source" .c)
    check "links $name from a lesson" "grep '(.*$name\\.c)' examples/teach/README.md"
done
for link in $(grep -o '\](\([^)h#][^)]*\))' examples/teach/README.md | sed 's/^](//; s/)$//'); do
    check "$link, which it links, is there" "test -e examples/teach/$link"
done
{
    sed -n 's/^##* //p' examples/teach/README.md | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9]\{1,\}/-/g'
    sed -n 's/^    "\([a-z]*\)": (".*/\1/p' examples/web/build.py
} | sort > "$work/headings"
check "no two headings have one address, nor one of a view of the page" "test -z \"\$(uniq -d '$work/headings' | tee /dev/stderr)\""
for name in $(sed -n 's/^| `\(sap_[a-z_]*\)`.*/\1/p' examples/teach/README.md); do
    check "$name, which is to be read, is a function of sap.h" "grep '[ *]$name(.*{$' sap.h"
done

# Names that a student may give to something of his own, also without 'static'. Those that the exercise names are taken.
names="a after all apart array asked at b before begin best bits box boxes boxes_before bucket buckets buffer by_min by_min_x
by_order by_value call call_count calls candidate cell cells chain chains changed clear column compare contains copy count
count_a count_b count_before counter data depth distance expected fence find first floor_divide found found_count frame free_list
from given given_n hash has hash_of head height hits i index_of insert interval is_large is_new item items j k keys large last
left left_count length link list live low lower m many max maxs merge min mins move n name names new_box new_boxes next node nodes
now number old old_boxes on_two_axes order other owner p pair pair_count pairs pairs_on passes place places play point pop
position previous print_pairs prune push q race random_int range ranges result reset result_count right row rows scatter scene
scene_count search seen set set_a set_b set_box shift show size sort sorted spread start state step steps stop sum swap table tail
tell tell_box tests to total touches uniform unite update_number upper value values visit walk walker walks_out was width wrap
write_array x y z AXIS BITS BOXES BUCKETS CELL_SIZE COUNT DITCH EMPTY ENDS FEW FENCE HASH LARGE LIVES MANY MAX MIN MOST N NONE
NOTHING RACES SAMPLE SIZE TIMES UPDATES WIDTH"

for source in "$exercises"/0*.c; do
    name=$(basename "$source" .c)
    checker=$exercises/checks/$name.c
    subject="exercise $name"
    check "the solution compiles without a warning" \
        "$CC $strict -I. -I'$exercises/checks' -o '$work/solution' '$exercises/solutions/$name.c' '$checker' -lm"
    check "the solution passes" "'$work/solution'"
    {
        cat "$exercises/solutions/$name.c"
        for own in $names; do grep -q -w -e "$own" "$source" "$exercises/solutions/$name.c" || echo "int $own;"; done
    } > "$work/own.c"
    check "many names are left for a student" "test \$(grep -c '^int [a-zA-Z_]*;' '$work/own.c') -ge 100"
    check "a solution with them passes" "$CC -std=c99 $warnings -Werror -isystem '$STB' -I. -I'$exercises/checks' \
        -o '$work/own' '$work/own.c' '$checker' -lm && '$work/own'"
    check "the skeleton compiles without a warning" \
        "$CC $strict -I. -I'$exercises/checks' -o '$work/skeleton' '$source' '$checker' -lm"
    "$work/skeleton" > "$work/said"
    check "the skeleton is not right yet, and that is exit code 1" "test $? = 1"
    check "it is told why, with what was given" "grep '  not yet: ' '$work/said' && test \$(wc -l < '$work/said') -ge 2"
done
subject="check.sh"
verdict "$exercises/solutions" "$sanitizers"
check "all solutions are right" "cat '$exercises/solutions/said'; grep '^10 of 10 right' '$exercises/solutions/said'"
verdict "$exercises"
check "no skeleton is" "cat '$exercises/said'; grep '^0 of 10 right' '$exercises/said'"

edited 00_overlap "forgets boxes that touch" "overlap says 0, but they overlap" \
    's/</<=/g; s/i <= n/i < n/; s/j <= n/j < n/'
edited 00_overlap "looks at x alone" "overlap says 1, but they are apart" \
    's/k < 2/k < 1/'
edited 00_overlap "finds each pair from both sides" "i must be less than j" \
    's/int j = i + 1/int j = 0/'

edited 02_rules "start and stop mixed up" "your calls say they" \
    's/ start(w/ swapped(w/; s/ stop(w/ start(w/; s/ swapped(w/ stop(w/'
edited 02_rules "never stops" "A pair stops when a max walks left past a min" \
    's/if (walker.is_max && !other.is_max).*//'
edited 02_rules "any end that a max passes stops" "overlap now, but your calls say they are apart" \
    's/ && !other.is_max//'
edited 02_rules "forgets that boxes which touch overlap" "the array is not sorted" \
    's/comes_before(walker, ends\[j - 1\])/walker.value < ends[j - 1].value/'
edited 02_rules "takes a sentinel for a box" "these are not two boxes" \
    's/int j = i;/int j = i; start(walker.box, ends[j - 1].box);/'
edited 02_rules "loses an end" "got lost" \
    's/ends\[j\] = walker/ends[j] = ends[i]/'
edited 02_rules "does not end" "does not come to an end" \
    's/; j--)/; j -= 0)/' &&
    check "and prints what was given" "grep 'now [0-9]*\.\.[0-9]' '$work/wrong/said'"

edited 02_rules "prints without an end" "it prints without an end" \
    's/ends\[j\] = walker;/for (;;) puts("here");/'

edited 03_merge "merges the wrong way round" "not yet: " \
    's/is_greater(ends\[from\], incoming\[m - 1\])/is_greater(incoming[m - 1], ends[from])/'
edited 03_merge "is off by one" "you wrote beside the array, behind it" \
    's/to = n + m - 1/to = n + m/'
edited 03_merge "writes three places behind the array" "you wrote beside the array, behind it" \
    's/while (m > 0) {/ends[n + m + 2] = 0; &/'
edited 03_merge "writes five places before it" "you wrote beside the array, before it" \
    's/while (m > 0) {/ends[-5] = 0; &/'
edited 03_merge "writes to incoming" "not yours to write" \
    's/while (m > 0) {/if (m) *(int *)incoming = 3; &/'
if [ -n "$sanitizers" ]; then
    edited 03_merge "reads beside incoming" "incoming  [0-9]" \
        's/while (m > 0) {/if (incoming[m] == 7) return; &/' "$sanitizers" &&
        check "and names the line" "grep '03_merge.c:[0-9]' '$work/wrong/said'"
fi
edited 03_merge "does not let comparisons be counted" "compare by is_greater" \
    's/is_greater(ends\[from\], incoming\[m - 1\])/ends[from] > incoming[m - 1]/'
wrong 03_merge "inserts one by one" "each new one should go on where the last one stopped" <<'END'
#include "03_merge.h"
void merge(int *ends, int n, const int *incoming, int m) {
    for (int i = 0; i < m; i++) {
        int j = n + i;
        for (; is_greater(ends[j - 1], incoming[i]); j--) ends[j] = ends[j - 1];
        ends[j] = incoming[i];
    }
}
END

edited 04_bipartite "lets only one set ask" "The box of b begins first" \
    '/else {/,/if (overlap/{/for/d; /if (overlap/d;}'
edited 04_bipartite "forgets what touches" "overlap, but found was not called" \
    's/<= a\[i\].max/< a[i].max/'
edited 04_bipartite "asks all that follow" "you asked about" \
    's/ && b\[k\].min\[0\] <= a\[i\].max\[0\]//'
wrong 04_bipartite "is two loops that compare along x" "right, but two loops" <<'END'
#include "04_bipartite.h"
void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb) {
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            if (b[k].min[0] <= a[i].max[0] && a[i].min[0] <= b[k].max[0] && overlap(&a[i], &b[k])) found(i, k);
}
END
wrong 04_bipartite "asks twice at equal mins" "was called twice" <<'END'
#include "04_bipartite.h"
void prune(const sap_aabb *a, int na, const sap_aabb *b, int nb) {
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            if (b[k].min[0] >= a[i].min[0] && b[k].min[0] <= a[i].max[0] && overlap(&a[i], &b[k])) found(i, k);
    for (int j = 0; j < nb; j++)
        for (int k = 0; k < na; k++)
            if (a[k].min[0] >= b[j].min[0] && a[k].min[0] <= b[j].max[0] && overlap(&a[k], &b[j])) found(k, j);
}
END

edited 01_sentinel "mends one side only" "an end at -inf still walks out" \
    's/low_sentinel = -INFINITY/low_sentinel = -FLT_MAX/'
edited 01_sentinel "breaks with what the sentinel still holds" "which should leave on the left" \
    's/{-INFINITY, 0, 0}/{-FLT_MAX, 0, 0}/'
edited 01_sentinel "breaks with NaN" "sap.h refuses your box" \
    's/{-INFINITY, 0, 0}/{NAN, 0, 0}/'
edited 01_sentinel "mends with NaN" "are not in order" \
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

edited 06_pairs "forgets who leads to the last pair" "leads to place" \
    '/link = &buckets\[bucket_of(pairs/,/\*link = hole;/d'
edited 06_pairs "leaves a hole" "instead of" \
    's/pairs\[hole\] = pairs\[last\];//'
edited 06_pairs "does not count" "pair_count is" \
    's/last = --pair_count/last = pair_count - 1/'
edited 06_pairs "removes what is not there" "there was no pair" \
    's/return 0;/return 1;/'
edited 06_pairs "forgets that the pair may be the last one" "the last one, from:" \
    '/if (hole == last) return 1;/d'
edited 06_pairs "leaves the pair in its chain" "goes round in a circle" \
    's/\*link = pairs\[hole\].chain;//'
wrong 06_pairs "shifts all that follow" "all others stay where they are" <<'END'
#include "06_pairs.h"
int remove_pair(int a, int b) {
    int p = find_pair(a, b);
    if (p == NONE) return 0;
    const int n = pair_count - 1;
    memmove(&pairs[p], &pairs[p + 1], (size_t)(n - p) * sizeof *pairs);
    for (int h = 0; h < 1 << bucket_bits; h++) buckets[h] = NONE;
    for (pair_count = 0; pair_count < n;) add_pair(pairs[pair_count].a, pairs[pair_count].b);
    return 1;
}
END
wrong 06_pairs "makes all chains again" "have taken half a second" <<'END'
#include "06_pairs.h"
int remove_pair(int a, int b) {
    int p = find_pair(a, b), n = pair_count - 1;
    if (p == NONE) return 0;
    pairs[p] = pairs[n];
    for (int h = 0; h < 1 << bucket_bits; h++) buckets[h] = NONE;
    for (pair_count = 0; pair_count < n;) add_pair(pairs[pair_count].a, pairs[pair_count].b);
    return 1;
}
END

edited 07_owner "takes the lower of the lower cells" "does not touch its owner" \
    's/a->low\[1\] > b->low/a->low[1] < b->low/'
edited 07_owner "takes the upper cell of one" "does not touch its owner" \
    's/return cell_of(column, row);/return cell_of(a->high[0], row) + 0 * column;/'
edited 07_owner "forgets the rows" "but the cells are 0 to 19" \
    's/return cell_of(column, row);/return cell_of(column, 0) + 5 * row;/'
wrong 07_owner "wraps before it compares" "does not touch its owner" <<'END'
#include "07_owner.h"
static int wrap(int place, int cells) { return (place % cells + cells) % cells; }
int owner(const range *a, const range *b) {
    int low[2];
    for (int k = 0; k < 2; k++) {
        int x = wrap(a->low[k], k ? ROWS : COLUMNS), y = wrap(b->low[k], k ? ROWS : COLUMNS);
        low[k] = x > y ? x : y;
    }
    return cell_of(low[0], low[1]);
}
END
wrong 07_owner "takes the first cell of a that b touches" "may be reported twice, or never" <<'END'
#include "07_owner.h"
int owner(const range *a, const range *b) {
    for (int y = a->high[1]; y >= a->low[1]; y--)
        for (int x = a->low[0]; x <= a->high[0]; x++)
            for (int v = b->low[1]; v <= b->high[1]; v++)
                for (int u = b->low[0]; u <= b->high[0]; u++)
                    if (cell_of(x, y) == cell_of(u, v)) return cell_of(x, y);
    return -1;
}
END

edited 08_cells "leaves first" "cells are left last" \
    '/for (int i = 0; i < n_now/i\    for (int i = 0; i < n_before; i++) if (!has(now, n_now, before[i])) leave(before[i]);'
edited 08_cells "forgets that columns wrap to one cell" "2 times instead of once" \
    's/if (!has(list, n, cell_of(column, row))) //; s/\[CELLS\]/[400]/g'
edited 08_cells "never leaves" "was called 0 times instead of once" \
    '/leave(before/d; s/for (int i = 0; i < n_before; i++)$//'
edited 08_cells "adds what it should update" "add_to([0-9]*) was called 1 times instead of never" \
    's/update_in(now/add_to(now/'

edited 09_sap "forgets what touches" "the two are apart\|the pair is not there" \
    's/a.is_max < b.is_max/a.is_max > b.is_max/'
edited 09_sap "never stops" "is there, but the two are apart" \
    's/if (walker.is_max && !other.is_max) stop.*//'
edited 09_sap "does not prune new boxes" "which is new" \
    's/if (n > old) prune(old);//'
edited 09_sap "tests new boxes with all others" "half of them new" \
    's/if (n > old) prune(old);/for (int a = old; a < n; a++) for (int b = 0; b < a; b++) start(b, a);/; s/^static void prune/void prune/'
edited 09_sap "has a pair for each axis" "is there twice" \
    's/if (\*link != NONE) return;.*//'
edited 09_sap "begins from nothing in each update" "must be 10 times as fast" \
    's/const int old = box_count;/restart(); &/'
edited 09_sap "crashes" "of them are new" \
    's/if (n > old) prune(old);/abort();/'

wrong 05_axis "does not compile" "it does not compile" <<'END'
#include "05_axis.h"
int choose_axis(const sap_aabb *boxes, int n) { return }
END
wrong 05_axis "crashes" "it crashed" <<'END'
#include "05_axis.h"
int choose_axis(const sap_aabb *boxes, int n) { (void)boxes; (void)n; abort(); }
END

finish
