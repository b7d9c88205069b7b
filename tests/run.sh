#!/bin/sh
# Builds and runs the tests. LEVEL says how much of them:
#
#   check   the tests that notice most in half a minute, names and format (make check)
#   test    every kind of check, with few seeds: four minutes on two cores (make test)
#   all     everything (make test-all)
#   rest    all without the jobs that are the same in test (make test-rest, after make test)
#
# Groups, those of the level unless ONLY says which; those with a star are not in LEVEL=test:
#
#   plain       every tests/test_*.c, gcc -O2, no warning
#   sanitized   clang or gcc with the address and undefined-behaviour sanitizers
#   scalar      SAP_NO_SIMD
#   fast-math*  -O3 -ffast-math
#   32-bit*     -m32
#   lowered     with constants that are as low as they go (tests/lower.sh): small worlds reach what large ones do
#   threads     the tests that have threads, under the thread sanitizer
#   steps*      what worlds that have lived cost, counted in all code that is run
#   golden      the hashes of tests/test_golden.c with more compilers and flags (make portability: many more)
#   fuzz        the inputs of tests/corpus, with sanitizers (make fuzz looks for more)
#   matrix      every compiler, language version, option and order of includes
#   reload*     worlds that go on with another build of the library
#   examples multi teach readme    what README.md and the heads of the examples say
#   bench*      bench/, make demo and the recorders, in small
#   names       nothing but the tests' back door names private parts, and comments are in plain words
#   format      .clang-format
#   web*        the live page in a browser
#
#   make test ONLY="plain threads"   these groups     make test JOB="plain test_query, readme"   these jobs
#   make test-all SCALE=10           ten times as many seeds
#   JOBS=at a time, as many as there are cores   CC=gcc   STB=folder of stb_ds.h   BUILD=folder for objects (build/tests)
#
# An object is compiled once for all jobs that link it (tests/sh.inc): the implementation for each variant, a test for all
# variants that differ in the implementation alone. Each job prints its processor time as it ends; the longest begin
# first. What a machine lacks is skipped, and said at the end. If something failed, a line that begins with 'again:' says
# how to run that alone. The last line is 'N passed, N failed, N skipped'; the exit code is 0 if nothing failed and
# something passed.

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
SCALE=${SCALE:-1}
LEVEL=${LEVEL:-test}
JOB=$(echo "$JOB" | sed 's/ *, */,/g; s/^ *//; s/ *$//')
CHECKS="test_model test_contract test_golden test_snapshot test_alloc"
began=$(date +%s)

wanted() { case " $groups " in *" $1 "*) return 0 ;; esac; return 1; }
few() { [ "$LEVEL" = test ]; }

# ---- the jobs: one script a line ------------------------------------------------------------------------------

jobs=$BUILD/jobs
rm -rf "$jobs" && mkdir -p "$jobs" "$BUILD/objects" || exit 2
rm -f "$BUILD/objects"/*.failed
find "$BUILD/objects" -type f -mtime +0 -exec rm -f {} +   # what no job has made for a day
: > "$jobs/order"
: > "$jobs/seconds"
: > "$jobs/skipped"
: > "$jobs/had"
job_count=0
skipping() { echo "skipped: $1" >> "$jobs/skipped"; }
job() {   # seconds it may take, name, command; what it prints ends in 'N passed, N failed'
    case ",$JOB," in ,, | *",$2,"*) ;; *) return ;; esac
    number=$(printf %03d $((job_count + 1)))
    printf '# %s\n%s\n' "$2" "$3" > "$jobs/$number"
    sum=$(cksum < "$jobs/$number")
    if [ "$listing" = had ]; then echo "$sum" >> "$jobs/had"
    elif ! grep -q -x "$sum" "$jobs/had"; then
        job_count=$((job_count + 1))
        echo "$1 $jobs/$number $2" >> "$jobs/order"
        return
    fi
    rm -f "$jobs/$number"
}

# How many seeds for each test: enough to meet every rule, few enough for one coffee. Slower builds get fewer.
seeds() {   # test, variant
    few && few=$1/$2/ || few=
    case $1 in
    test_model)
        case $2 in check) n=60 ;; plain) n=100 ;; sanitized) n=25 ;; *) n=40 ;; esac
        case $few in */plain/) n=30 ;; */sanitized/) n=8 ;; ?*) n=15 ;; esac ;;
    test_lives)   # other lives in each build, 20 s or less
        case $2 in
        plain) n=1500 first=1 ;;
        lowered) n=300 first=100001 ;;
        scalar) n=150 first=200001 ;;
        fast-math) n=150 first=300001 ;;
        32-bit) n=150 first=400001 ;;
        sanitized) n=60 first=500001 ;;
        threads) n=30 first=600001 ;;
        esac
        [ -n "$few" ] && n=$((n / 3))
        echo "$((n * SCALE)) $first"
        return ;;
    test_prune) n=400; [ "$2" = sanitized ] && n=100; [ -n "$few" ] && n=$((n / 4)) ;;
    test_trace) n=100; [ -n "$few" ] && n=30 ;;
    test_laws)   # lives of each law, others in each build
        case $2 in
        plain) n=1500 first=1 ;;
        lowered) n=700 first=100001 ;;
        scalar) n=500 first=200001 ;;
        fast-math) n=500 first=300001 ;;
        32-bit) n=500 first=400001 ;;
        sanitized) n=250 first=500001 ;;
        threads) n=60 first=600001 ;;
        esac
        [ -n "$few" ] && n=$((n / 15))
        [ "$2" = lowered ] && first="$first -c"
        echo "$((n * SCALE)) $first"
        return ;;
    test_size)   # boxes, frames: so many are fetched early
        case $few$2 in
        sanitized) echo "13000 10" ;;
        */*/sanitized) echo "13000 3" ;;
        */*/plain) echo "20000 5" ;;
        esac
        return ;;
    test_costs) n=400; [ -n "$few" ] && n=25 ;; # lives of each law
    test_lived) [ -n "$few" ] && echo 1000; return ;; # boxes
    test_slide) n=30; [ "$2" = sanitized ] && n=6; [ -n "$few" ] && n=$((n / 3)) ;; # heroes
    test_query) case $2 in sanitized) n=12 ;; threads) n=8 ;; plain) n=60 ;; *) n=30 ;; esac; [ -n "$few" ] && n=$((n / 3)) ;;
    test_multi) case $2 in threads) n=5 ;; sanitized) n=12 ;; plain) n=40 ;; *) n=12 ;; esac; [ -n "$few" ] && n=$((n / 2)) ;;
    test_proof) n=2; [ "$2" = plain ] && n=10; [ "$2" = sanitized ] && n=1; [ -n "$few" ] && n=1 ;; # percent
    *) n= ;;
    esac
    [ -n "$n" ] && echo $((n * SCALE))
}

variant() {   # name, compiler and flags, those for the tests, tests
    mkdir -p "$BUILD/$1" || exit 2
    strict="-std=c99 $warnings -isystem '$STB' -I."
    ways="make_object tests/ways.c \"$2 $strict\""
    # The jobs that need this object are behind it in the queue.
    job 100000 "$1 ways.c" ". tests/sh.inc
$ways && echo '1 passed, 0 failed'"
    for test in $4; do
        [ -f tests/$test.c ] || continue
        case $1/$test in   # where the sanitizers' optimiser takes longer than the test does without it
        sanitized/test_calls | sanitized/test_contract | sanitized/test_laws | sanitized/test_lives | sanitized/test_multi | \
            sanitized/test_slide | sanitized/test_trace) level=" -O0" ;;
        *) level= ;;
        esac
        exe=$BUILD/$1/$test
        if is_alone tests/$test.c; then needs="make_object tests/$test.c \"$2$level $strict\""
        else needs="make_object tests/$test.c \"$3$level $strict\" && test=\$object && $ways"; fi
        job 20 "$1 $test" ". tests/sh.inc
test=
$needs || exit
$2 -o $exe \$test \$object -lm -pthread && $exe $(seeds $test "$1")"
    done
}

# These count, or run long: once is enough, with the optimiser as users have it.
once="test_size test_growth test_lived test_costs test_stack test_shapes test_grid_shapes"
all=$(cd tests && ls test_*.c | sed 's/\.c$//')
threaded=$(cd tests && grep -l '<pthread.h>\|"threads.h"' test_*.c | sed 's/\.c$//')
alone=$(for test in $all; do is_alone tests/$test.c && echo $test; done)
except() { echo "$all" | grep -v -x -F "$(echo "$@" | tr ' ' '\n')"; }   # all tests but these

list_jobs() {
    case $LEVEL in
    check) groups="check names format" ;;
    test) groups="plain sanitized scalar lowered threads golden fuzz matrix examples multi teach readme names format" ;;
    *) groups="plain sanitized scalar fast-math 32-bit lowered threads steps golden fuzz matrix reload
        examples multi teach readme bench names format web" ;;
    esac
    groups=$(echo ${ONLY:-$groups})
    less= tests=$(except $once)
    few && less="FEW=yes "
    sources="$CC -O1 -Werror"   # of tests: what they test is in tests/ways.c

    wanted check && variant check "$CC -O1 -Werror" "$sources" "$CHECKS"
    wanted check && job 10 "check warnings" "for test in $(echo tests/test_*.c); do
    $sources -fsyntax-only -std=c99 $warnings -isystem '$STB' -I. \$test || exit
done
echo '1 passed, 0 failed'"
    wanted plain && variant plain "$CC -O2 -Werror" "$sources" "$tests $once"
    for build in "clang -O0" "gcc -O0"; do   # frames are larger
        wanted plain || continue
        case $LEVEL/$build in "test/gcc -O0") continue ;; esac
        if ! can $build; then skipping "the stack with $build: no such compiler here"; continue; fi
        exe=$BUILD/stack-${build% *}
        job 10 "stack $build" "$build -std=c99 -w -isystem '$STB' -I. -o $exe tests/test_stack.c tests/ways.c -lm -pthread && $exe"
    done
    few && slow="$once $alone" || slow=$once   # each compiles the implementation
    wanted scalar && variant scalar "$CC -O2 -DSAP_NO_SIMD" "$sources" "$(except $slow)"
    wanted fast-math && variant fast-math "$CC -O3 -ffast-math" "$CC -O1 -ffast-math" "$tests"
    if wanted sanitized; then
        sanitizer=$(first_that_can "-O1 -g $undefined" clang "$CC")
        if [ -n "$sanitizer" ]; then
            few && slow="$once test_proof" || slow=$once
            variant sanitized "$sanitizer -O1 -g $undefined" "$sanitizer -O1 -g $undefined" "$(except $slow) test_size"
        else skipping "sanitizers: neither clang nor $CC has them here"; fi
    fi
    if wanted 32-bit; then
        if can "$CC" -m32; then variant 32-bit "$CC -O2 -m32" "$CC -O1 -m32" "$tests"
        else skipping "32-bit: no 32-bit C library here (Debian: gcc-12-multilib)"; fi
    fi
    if wanted lowered; then
        if sh tests/lower.sh "$BUILD/lowered-headers"; then
            variant lowered "$CC -O2 -I'$BUILD/lowered-headers'" "$sources" "test_laws test_lives test_model test_query test_snapshot"
        else job 1 "lowered constants" "sh tests/lower.sh '$BUILD/lowered-headers'"; fi
    fi
    if wanted threads; then
        racer=$(first_that_can "-O1 -g -fsanitize=thread -pthread" clang "$CC")
        if [ -n "$racer" ]; then
            variant threads "$racer -O1 -g -fsanitize=thread" "$racer -O1 -g -fsanitize=thread" \
                "$(few && echo "$threaded" | grep -v golden || echo "$threaded")"
        else skipping "the thread sanitizer: neither clang nor $CC has it here"; fi
    fi
    if wanted golden; then
        mkdir -p "$BUILD/golden"
        object=tests/ways.c
        is_alone tests/test_golden.c && object=
        for build in "gcc -O0" "clang -O3 -ffast-math" "tcc -O2" "gcc -O3" "clang -O0"; do
            case $LEVEL/$build in "test/gcc -O3" | "test/clang -O0") continue ;; esac
            if ! can $build; then skipping "golden with $build: no such compiler here"; continue; fi
            exe=$BUILD/golden/$(echo "$build" | tr -d ' ')
            job 8 "golden $build" "$build -std=c99 -w -isystem '$STB' -I. -o $exe tests/test_golden.c $object -lm -pthread && $exe"
        done
    fi
    wanted steps && job 20 "steps" "sh tests/steps.sh"
    wanted fuzz && job 30 "fuzz corpus" "sh tests/fuzz.sh replay"
    if wanted matrix; then
        few && parts="main user" || parts="gcc clang g++ clang++ tcc msvc user"
        for part in $parts; do job 30 "matrix $part" "${less}sh tests/compile_matrix.sh $part"; done
    fi
    if wanted examples; then
        for e in examples/[0-9]*; do job 10 "$e" "${less}sh tests/examples.sh $e"; done
    fi
    wanted multi && job 15 "examples of threads" "${less}sh tests/multi.sh"
    wanted reload && job 15 "reload" "sh tests/reload.sh"
    if wanted teach; then
        for e in examples/teach/*.c; do job 5 "teach $(basename $e)" "${less}sh tests/teach.sh $e"; done
        job 5 "teach picture" "sh tests/teach.sh picture"
        job 25 "exercises" "${less}sh tests/teach.sh exercises"
    fi
    wanted readme && job 8 "readme" "sh tests/readme.sh"
    if wanted bench; then
        for part in $(sh tests/bench.sh list); do job 15 "bench $part" "sh tests/bench.sh $part"; done
    fi
    if wanted names; then
        job 1 "names" "sh tests/names.sh"
        job 1 "words" "sh tests/words.sh"
    fi
    if wanted format; then
        if have clang-format; then job 2 "format" "clang-format --dry-run -Werror \$(sh tests/names.sh sources) &&
            echo '1 passed, 0 failed'"
        else skipping "the format: no clang-format here"; fi
    fi
    if wanted web; then   # not installed for a test: half a gigabyte
        if have chromium && have node && have wasm-ld && have clang && [ -d /usr/include/wasm32-wasi ]; then
            job 60 "web" "sh tests/web.sh"
        else skipping "the live page in a browser: no chromium, node, clang, lld or wasi-libc (make web-test installs them)"; fi
    fi
}

case $LEVEL in
check | test | all) list_jobs ;;
rest) LEVEL=test listing=had && list_jobs && LEVEL=all listing= && list_jobs ;;
*) echo "LEVEL is check, test, all or rest"; exit 2 ;;
esac

# ---- run them, and add up -------------------------------------------------------------------------------------

cat > "$BUILD/run_job" <<'END'
LC_ALL=C
export LC_ALL
sh "$1" > "$1.log" 2>&1 </dev/null
code=$?
times > "$1.times"   # of the children: the second line
seconds=$(awk 'NR == 2 { split($0, t, "[ms ]+"); printf "%.1f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$1.times")
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
time=$(printf '%6s s' "$seconds")
if [ "$f" -eq 0 ] && [ "$p" -eq 0 ]; then line="skipped $time  $name"
elif [ "$f" -eq 0 ]; then line="ok      $time  $name: $p checks"
else line="FAILED  $time  $name: $f of $((p + f)) checks, exit code $code
$(grep -a -v -E '^[0-9]+ passed, [0-9]+ failed' "$1.log" | head -n 40 | cut -c 1-200 | sed 's/^/    /')"; fi
printf '%s\n' "$line"
END
case "$LEVEL ${ONLY:-all} ${JOB:-all}" in
"check all all") about="the tests that notice most: about half a minute on two cores" ;;
"test all all") about="every kind of test, with few seeds: about four minutes on two cores" ;;
"all all all") about="every test, compiler and option: about twenty minutes on two cores" ;;
*) about= ;;
esac
echo "$job_count jobs, $JOBS at a time${about:+; $about}. Each is printed as it ends, with its processor time."
# The processor time of the last run, where there is one, says which jobs are long.
touch "$BUILD/seconds"
awk 'FILENAME == ARGV[1] { time = $1; sub(/^[^ ]* /, ""); took[$0] = time; next }
    { time = $1; file = $2; sub(/^[^ ]* [^ ]* /, ""); print ($0 in took ? took[$0] : time), file }' "$BUILD/seconds" "$jobs/order" |
    sort -s -rn | sed 's/^[^ ]* //' > "$jobs/queue"
[ -s "$jobs/queue" ] && xargs -P "$JOBS" -I '{}' sh "$BUILD/run_job" '{}' "$jobs/seconds" < "$jobs/queue"
grep -v ' ways\.c$' "$jobs/seconds" >> "$BUILD/seconds"

echo
again=
for j in "$jobs"/[0-9][0-9][0-9]; do
    [ -f "$j" ] || continue   # there is none
    name=$(sed -n '1s/^# //p' "$j")
    grep -a '^skipped: ' "$j.log" 2>/dev/null
    [ -f "$j.result" ] || echo "never ended: $name"
    grep -q '^[0-9]* 0 ' "$j.result" 2>/dev/null || again="$again${again:+, }$name"
done
sort -u "$jobs/skipped"
if [ -n "$again" ]; then
    case $LEVEL in check) target=check ;; test) target=test ;; *) target=test-all ;; esac
    for setting in "SCALE $SCALE 1" "CC $CC gcc" "CXX $CXX g++"; do
        set -- $setting
        [ "$2" = "$3" ] || target="$target $1=$2"
    done
    echo "again: make $target JOB=\"$again\""
elif [ "$job_count" = 0 ]; then echo "no job of LEVEL=$LEVEL is called $JOB"; fi
cat "$jobs"/[0-9][0-9][0-9].result 2>/dev/null | awk -v jobs=$job_count -v own="$(sort -u "$jobs/skipped" | wc -l)" \
    -v cpu="$(awk '{ sum += $1 } END { printf "%.0f", sum }' "$jobs/seconds")" -v seconds=$(($(date +%s) - began)) '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d jobs, %d at a time, in %d s; %d s of processor time\n", jobs, '"$JOBS"', seconds, cpu
        printf "%d passed, %d failed, %d skipped\n", passed, failed + jobs - NR, skipped + own
        exit failed + jobs - NR > 0 || passed == 0
    }'
