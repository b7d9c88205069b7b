#!/bin/sh
# Builds and runs the tests. Groups, all of them unless ONLY says which:
#
#   plain       every tests/test_*.c, gcc -O2, no warning
#   sanitized   clang or gcc with the address and undefined-behaviour sanitizers
#   scalar      SAP_NO_SIMD
#   fast-math   -O3 -ffast-math
#   32-bit      -m32
#   lowered     with constants that are as low as they go (tests/lower.sh): small worlds reach what large ones do
#   threads     the tests that have threads, under the thread sanitizer
#   steps       what worlds that have lived cost, counted in all code that is run
#   golden      the hashes of tests/test_golden.c with more compilers and flags (make portability: many more)
#   fuzz        the inputs of tests/corpus, with sanitizers (make fuzz looks for more)
#   matrix      every compiler, language version, option and order of includes
#   reload      worlds that go on with another build of the library
#   examples multi teach readme    what README.md and the heads of the examples say
#   bench       bench/, make demo and the recorders, in small
#   names       nothing but the tests' back door names private parts, and comments are in plain words
#   format      .clang-format
#   web         the live page in a browser
#
#   check       instead of all: the tests that notice most in half a minute, names and format (make check)
#
#   make test ONLY="plain threads"   these groups alone        make test SCALE=10   ten times as many seeds
#   JOBS=at a time, as many as there are cores   CC=gcc   STB=folder of stb_ds.h   BUILD=folder for objects (build/tests)
#
# The implementation is compiled once for each variant (tests/ways.c); a test that holds it itself is compiled alone.
# Each job prints a line as it ends, the longest begin first. What a machine lacks is skipped, and said at the end.
# The last line is 'N passed, N failed, N skipped'; the exit code is 0 if nothing failed and something passed.

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
SCALE=${SCALE:-1}
ONLY=${ONLY:-plain sanitized scalar fast-math 32-bit lowered threads steps golden fuzz matrix reload examples multi teach readme bench names format web}
CHECKS="test_model test_contract test_golden test_snapshot test_alloc"
began=$(date +%s)

wanted() { case " $ONLY " in *" $1 "*) return 0 ;; esac; return 1; }

# ---- the jobs: one script a line ------------------------------------------------------------------------------

jobs=$BUILD/jobs
rm -rf "$jobs" && mkdir -p "$jobs" || exit 2
: > "$jobs/skipped"
job_count=0
skipping() { echo "skipped: $1" >> "$jobs/skipped"; }
job() {   # seconds it may take, name, command; what it prints ends in 'N passed, N failed'
    job_count=$((job_count + 1))
    file=$jobs/$(printf %03d $job_count)
    printf '# %s\n%s\n' "$2" "$3" > "$file"
    last=$(sed -n "s/^\([0-9]*\) $2\$/\1/p" "$BUILD/seconds" 2>/dev/null | tail -n 1)   # as it took the last time
    echo "${last:-$1} $file" >> "$jobs/order"
}

# How many seeds for each test: enough to meet every rule, few enough for one coffee. Slower builds get fewer.
seeds() {   # test, variant
    case $1 in
    test_model) case $2 in check) n=60 ;; plain) n=100 ;; sanitized) n=25 ;; *) n=40 ;; esac ;;
    test_lives)   # other lives in each build, 20 s or less
        case $2 in
        plain) echo "$((1500 * SCALE)) 1" ;;
        lowered) echo "$((300 * SCALE)) 100001" ;;
        scalar) echo "$((150 * SCALE)) 200001" ;;
        fast-math) echo "$((150 * SCALE)) 300001" ;;
        32-bit) echo "$((150 * SCALE)) 400001" ;;
        sanitized) echo "$((60 * SCALE)) 500001" ;;
        threads) echo "$((30 * SCALE)) 600001" ;;
        esac
        return ;;
    test_prune) n=400; [ "$2" = sanitized ] && n=100 ;;
    test_trace) n=100 ;;
    test_size) [ "$2" = sanitized ] && echo "13000 10"; return ;; # boxes, frames: so many are fetched early
    test_slide) n=30; [ "$2" = sanitized ] && n=6 ;; # heroes
    test_query) case $2 in sanitized) n=12 ;; threads) n=8 ;; plain) n=60 ;; *) n=30 ;; esac ;;
    test_multi) case $2 in threads) n=5 ;; sanitized) n=12 ;; plain) n=40 ;; *) n=12 ;; esac ;;
    test_proof) n=2; [ "$2" = plain ] && n=10; [ "$2" = sanitized ] && n=1 ;; # percent
    *) n= ;;
    esac
    [ -n "$n" ] && echo $((n * SCALE))
}

variant() {   # name, compiler and flags, tests
    folder=$BUILD/$1
    rm -rf "$folder" && mkdir -p "$folder" || exit 2
    compile="$2 -std=c99 $warnings -isystem '$STB' -I."
    ways=$folder/ways
    # Objects go first: the jobs that wait for one are behind it in the queue.
    [ -f tests/ways.c ] && job 100000 "$1 ways.c" \
        "$compile -c -o $ways.o tests/ways.c && echo '1 passed, 0 failed'; code=\$?; : > $ways.done; exit \$code"
    for test in $3; do
        [ -f tests/$test.c ] || continue
        if is_alone tests/$test.c; then before= object=
        else
            before="until [ -f $ways.done ]; do sleep 0.1; done
[ -f $ways.o ] || { echo 'its tests/ways.c did not compile'; exit 1; }"
            object=$ways.o
        fi
        # Where the sanitizers' optimiser takes longer than the test would without it.
        case $1/$test in sanitized/test_slide | sanitized/test_trace) level=-O0 ;; *) level= ;; esac
        job 20 "$1 $test" "$before
$compile $level -o $folder/$test tests/$test.c $object -lm -pthread && $folder/$test $(seeds $test "$1")"
    done
}

# These count, or run long: once is enough, with the optimiser as users have it.
once="test_size test_growth test_lived test_stack test_shapes"
tests=$(cd tests && ls test_*.c | sed 's/\.c$//' | grep -v -x -F "$(echo $once | tr ' ' '\n')")
threaded=$(cd tests && grep -l '<pthread.h>\|"threads.h"' test_*.c | sed 's/\.c$//')
wanted check && variant check "$CC -O1 -Werror" "$CHECKS"
wanted plain && variant plain "$CC -O2 -Werror" "$tests $once"
wanted scalar && variant scalar "$CC -O2 -DSAP_NO_SIMD" "$tests"
wanted fast-math && variant fast-math "$CC -O3 -ffast-math" "$tests"
if wanted sanitized; then
    sanitizer=$(first_that_can "-O1 -g $undefined" clang "$CC")
    if [ -n "$sanitizer" ]; then variant sanitized "$sanitizer -O1 -g $undefined" "$tests test_size"
    else skipping "sanitizers: neither clang nor $CC has them here"; fi
fi
if wanted 32-bit; then
    if can "$CC" -m32; then variant 32-bit "$CC -O2 -m32" "$tests"
    else skipping "32-bit: no 32-bit C library here (Debian: gcc-12-multilib)"; fi
fi
if wanted lowered; then
    if sh tests/lower.sh "$BUILD/lowered-headers"; then
        variant lowered "$CC -O2 -I'$BUILD/lowered-headers'" "test_lives test_model test_query test_snapshot"
    else job 1 "lowered constants" "sh tests/lower.sh '$BUILD/lowered-headers'"; fi
fi
if wanted threads; then
    racer=$(first_that_can "-O1 -g -fsanitize=thread -pthread" clang "$CC")
    if [ -n "$racer" ]; then variant threads "$racer -O1 -g -fsanitize=thread" "$threaded"
    else skipping "the thread sanitizer: neither clang nor $CC has it here"; fi
fi
if wanted golden; then
    mkdir -p "$BUILD/golden"
    object=tests/ways.c
    is_alone tests/test_golden.c && object=
    for build in "gcc -O0" "gcc -O3" "clang -O0" "clang -O3 -ffast-math" "tcc -O2"; do
        if ! can $build; then skipping "golden with $build: no such compiler here"; continue; fi
        exe=$BUILD/golden/$(echo "$build" | tr -d ' ')
        job 8 "golden $build" "$build -std=c99 -w -isystem '$STB' -I. -o $exe tests/test_golden.c $object -lm -pthread && $exe"
    done
fi
wanted steps && job 20 "steps" "sh tests/steps.sh"
wanted fuzz && job 30 "fuzz corpus" "sh tests/fuzz.sh replay"
if wanted matrix; then
    for part in gcc clang g++ clang++ tcc msvc user; do job 30 "matrix $part" "sh tests/compile_matrix.sh $part"; done
fi
if wanted examples; then
    for e in examples/[0-9]*; do job 10 "$e" "sh tests/examples.sh $e"; done
fi
wanted multi && job 15 "examples of threads" "sh tests/multi.sh"
wanted reload && job 15 "reload" "sh tests/reload.sh"
if wanted teach; then
    for e in examples/teach/*.c picture; do job 5 "teach $(basename $e)" "sh tests/teach.sh $e"; done
    job 25 "exercises" "sh tests/teach.sh exercises"
fi
wanted readme && job 8 "readme" "sh tests/readme.sh"
if wanted bench; then
    for part in $(sh tests/bench.sh list); do job 15 "bench $part" "sh tests/bench.sh $part"; done
fi
if wanted names || wanted check; then
    job 1 "names" "sh tests/names.sh"
    job 1 "words" "sh tests/words.sh"
fi
if wanted format || wanted check; then
    if have clang-format; then job 2 "format" "clang-format --dry-run -Werror \$(sh tests/names.sh sources) &&
        echo '1 passed, 0 failed'"
    else skipping "the format: no clang-format here"; fi
fi
if wanted web; then   # not installed for make test: half a gigabyte
    if have chromium && have node && have wasm-ld && have clang && [ -d /usr/include/wasm32-wasi ]; then
        job 60 "web" "sh tests/web.sh"
    else skipping "the live page in a browser: no chromium, node, clang, lld or wasi-libc (make web-test installs them)"; fi
fi

# ---- run them, and add up -------------------------------------------------------------------------------------

cat > "$BUILD/run_job" <<'END'
start=$(date +%s)
sh "$1" > "$1.log" 2>&1 </dev/null
code=$?
seconds=$(($(date +%s) - start))
name=$(sed -n '1s/^# //p' "$1")
summary=$(grep -a -E '^[0-9]+ passed, [0-9]+ failed' "$1.log" | tail -n 1)
[ -n "$summary" ] || summary="0 passed, 1 failed"   # it did not compile, or died on the way
p=$(echo "$summary" | sed 's/ passed.*//')
f=$(echo "$summary" | sed 's/.* passed, \([0-9]*\) failed.*/\1/')
s=$(grep -a -c '^skipped: ' "$1.log")
[ $code -ne 0 ] && [ "$f" -eq 0 ] && f=1   # a crash after the summary, or a leak
[ "$p" -eq 0 ] && [ "$f" -eq 0 ] && [ "$s" -eq 0 ] && f=1   # it tested nothing
echo "$p $f $s" > "$1.result"
echo "$seconds $name" >> "$2"
if [ "$f" -eq 0 ] && [ "$p" -eq 0 ]; then line="skipped $(printf %4d $seconds) s  $name"
elif [ "$f" -eq 0 ]; then line="ok      $(printf %4d $seconds) s  $name: $p checks"
else line="FAILED  $(printf %4d $seconds) s  $name: $f of $((p + f)) checks, exit code $code
$(grep -a -v -E '^[0-9]+ passed, [0-9]+ failed' "$1.log" | head -n 40 | cut -c 1-200 | sed 's/^/    /')"; fi
printf '%s\n' "$line"
END
: > "$jobs/seconds"
if [ $job_count -gt 0 ]; then
    sort -s -rn "$jobs/order" | sed 's/^[0-9]* //' | xargs -P "$JOBS" -I '{}' sh "$BUILD/run_job" '{}' "$jobs/seconds"
fi
grep -v ' ways\.c$' "$jobs/seconds" >> "$BUILD/seconds"

echo
for j in "$jobs"/[0-9][0-9][0-9]; do
    [ -f "$j" ] || continue   # there is none
    grep -a '^skipped: ' "$j.log" 2>/dev/null
    [ -f "$j.result" ] || echo "never ended: $(sed -n '1s/^# //p' "$j")"
done
sort -u "$jobs/skipped"
cat "$jobs"/[0-9][0-9][0-9].result 2>/dev/null | awk -v jobs=$job_count -v own="$(sort -u "$jobs/skipped" | wc -l)" \
    -v seconds=$(($(date +%s) - began)) '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d jobs, %d at a time, in %d s\n", jobs, '"$JOBS"', seconds
        printf "%d passed, %d failed, %d skipped\n", passed, failed + jobs - NR, skipped + own
        exit failed + jobs - NR > 0 || passed == 0
    }'
