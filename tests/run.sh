#!/bin/sh
# Builds and runs every test, several ways:
#   plain       gcc -O2
#   sanitized   clang or gcc with the address and undefined-behaviour sanitizers
#   scalar      SAP_NO_SIMD
#   fast-math   -O3 -ffast-math
#   32-bit      -m32
#   threads     the queries and sap_multi.h under the thread sanitizer
#   golden      the hashes of tests/test_golden.c with more compilers and flags (make portability: many more)
#   fuzz        the inputs of tests/corpus, with sanitizers (make fuzz looks for more)
# and the compile matrix, the program of README.md, the examples, the teaching programs and exercises. Every
# tests/test_*.c is found by itself.
#
#   CC=gcc   STB=folder of stb_ds.h   BUILD=folder for objects (build/tests)   JOBS=2
#   SCALE=10 makes the random tests run ten times as many seeds
#   ONLY="plain scalar" runs these alone
#
# What a machine lacks is skipped, and said so. The last line is 'N passed, N failed, N skipped'; the exit code
# is 0 if nothing failed and something passed.

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
CC=${CC:-gcc}
BUILD=${BUILD:-$root/build/tests}
JOBS=${JOBS:-2}
SCALE=${SCALE:-1}
ONLY=${ONLY:-plain sanitized scalar fast-math 32-bit threads golden fuzz matrix readme examples multi teach web}
mkdir -p "$BUILD" || exit 2

# ---- stb_ds.h -----------------------------------------------------------------------------------------------

if [ -z "$STB" ]; then
    for folder in $(pkg-config --cflags-only-I stb 2>/dev/null | sed 's/-I//g') build/stb /usr/include/stb \
                  /usr/include /usr/local/include/stb /usr/local/include; do
        if [ -f "$folder/stb_ds.h" ]; then STB=$folder; break; fi
    done
fi
if [ ! -f "$STB/stb_ds.h" ]; then
    echo "stb_ds.h is missing: install libstb-dev, or say STB=its-folder"
    echo "0 passed, 1 failed"
    exit 1
fi
case $STB in /*) ;; *) STB=$root/$STB ;; esac
export CC STB BUILD JOBS

# ---- what this machine can do -------------------------------------------------------------------------------

skipped=0
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
wanted() { case " $ONLY " in *" $1 "*) return 0 ;; esac; return 1; }

printf '#include <stdlib.h>\nint main(void) { return 0; }\n' > "$BUILD/probe.c"
can() { "$@" -o "$BUILD/probe" "$BUILD/probe.c" >/dev/null 2>&1 && "$BUILD/probe" >/dev/null 2>&1; }

sanitize="-O1 -g -fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=all"
if can clang $sanitize; then sanitizer=clang
elif can "$CC" $sanitize; then sanitizer=$CC
else sanitizer=; fi

# ---- the work: one script a line, run several at a time ---------------------------------------------------------

jobs=$BUILD/jobs
rm -rf "$jobs" && mkdir -p "$jobs" || exit 2
job_count=0
job() {   # name, command; what it prints goes to a file that ends in 'N passed, N failed'
    job_count=$((job_count + 1))
    printf '# %s\n%s\n' "$1" "$2" > "$jobs/$(printf %03d $job_count).sh"
}

# How many seeds for each test: enough to meet every rule, few enough for one coffee. Slower builds get fewer.
seeds() {   # test, variant
    case $1 in
    test_model) case $2 in plain) n=250 ;; sanitized) n=75 ;; *) n=125 ;; esac ;;
    test_prune) n=800; [ "$2" = sanitized ] && n=200 ;;
    test_trace) n=100 ;;
    test_query) case $2 in sanitized) n=40 ;; threads) n=20 ;; *) n=100 ;; esac ;;
    test_multi) case $2 in threads) n=12 ;; sanitized) n=48 ;; *) n=96 ;; esac ;;
    test_proof) n=5; [ "$2" = plain ] && n=20; [ "$2" = sanitized ] && n=1 ;; # percent
    *) n= ;;
    esac
    [ -n "$n" ] && echo $((n * SCALE))
}

# A warning is an error in the plain variant and in the compile matrix; other flags make other warnings.
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual"
variant() {   # name, compiler and flags
    wanted "$1" || return
    mkdir -p "$BUILD/$1"
    for source in "$root"/tests/test_*.c; do
        test=$(basename "$source" .c)
        exe=$BUILD/$1/$test
        job "$1 $test" "$2 -std=c99 $warnings -isystem $STB -I$root -o $exe $source -lm -pthread &&
            $exe $(seeds "$test" "$1")"
    done
}

if wanted sanitized; then
    if [ -n "$sanitizer" ]; then variant sanitized "$sanitizer $sanitize"
    else skip "sanitizers: neither clang nor $CC has them here"; fi
fi
variant plain "$CC -O2 -Werror"
variant scalar "$CC -O2 -DSAP_NO_SIMD"
variant fast-math "$CC -O3 -ffast-math"
if wanted 32-bit; then
    if can "$CC" -m32; then variant 32-bit "$CC -O2 -m32"
    else skip "-m32: no 32-bit C library (Debian: gcc-12-multilib)"; fi
fi
if wanted threads; then   # the tests that have several threads
    race="-O1 -g -fsanitize=thread"
    if can clang $race -pthread; then racer=clang; elif can "$CC" $race -pthread; then racer=$CC; else racer=; fi
    if [ -n "$racer" ]; then
        mkdir -p "$BUILD/threads"
        for test in test_query test_multi test_doc; do
            exe=$BUILD/threads/$test
            job "threads $test" "$racer $race -std=c99 $warnings -isystem $STB -I$root -o $exe $root/tests/$test.c -lm -pthread &&
                $exe $(seeds $test threads)"
        done
    else skip "the thread sanitizer: neither clang nor $CC has it here"; fi
fi
if wanted golden; then
    mkdir -p "$BUILD/golden"
    for build in "gcc -O0" "gcc -O3" "clang -O0" "clang -O3 -ffast-math" "tcc -O2"; do
        if ! can $build; then skip "golden with $build: no such compiler here"; continue; fi
        exe=$BUILD/golden/$(echo "$build" | tr -d ' ')
        job "golden $build" "$build -std=c99 -w -isystem $STB -I$root -o $exe $root/tests/test_golden.c && $exe"
    done
fi
wanted fuzz && job "fuzz corpus" "sh $root/tests/fuzz.sh replay"
wanted readme && job "readme" "sh $root/tests/readme.sh"
wanted examples && job "examples" "sh $root/tests/examples.sh"
wanted multi && job "multi" "sh $root/tests/multi.sh"
wanted teach && job "teach" "sh $root/tests/teach.sh"
if wanted web; then   # not installed for make test: half a gigabyte
    if command -v chromium >/dev/null && command -v node >/dev/null && command -v wasm-ld >/dev/null &&
       command -v clang >/dev/null && [ -d /usr/include/wasm32-wasi ]; then job "web" "sh $root/tests/web.sh"
    else skip "the live page in a browser: no chromium, node, clang, lld or wasi-libc (make web-test installs them)"; fi
fi

# ---- run and add up -------------------------------------------------------------------------------------------

cat > "$BUILD/run_job" <<'END'
start=$(date +%s)
sh "$1" > "$1.log" 2>&1 </dev/null
echo $? > "$1.code"
echo $(($(date +%s) - start)) > "$1.seconds"
END
[ $job_count -gt 0 ] && ls "$jobs"/*.sh | xargs -P "$JOBS" -n 1 sh "$BUILD/run_job"
if wanted matrix; then   # alone: it runs several compilers at a time itself
    job "compile matrix" "sh $root/tests/compile_matrix.sh"
    sh "$BUILD/run_job" "$jobs/$(printf %03d $job_count).sh"
fi

passed=0
failed=0
for j in "$jobs"/*.sh; do
    [ -f "$j.code" ] || continue
    name=$(sed -n '1s/^# //p' "$j")
    summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$j.log" | tail -n 1)
    if [ -z "$summary" ]; then summary="0 passed, 1 failed"; fi   # did not compile, or died on the way
    p=$(echo "$summary" | sed 's/ passed.*//')
    f=$(echo "$summary" | sed 's/.* passed, \([0-9]*\) failed.*/\1/')
    s=$(echo "$summary" | sed -n 's/.* failed, \([0-9]*\) skipped.*/\1/p')
    code=$(cat "$j.code")
    [ "$code" -ne 0 ] && [ "$f" -eq 0 ] && f=1   # a crash after the summary, a leak, or nothing tested
    [ "$p" -eq 0 ] && [ "$f" -eq 0 ] && f=1
    passed=$((passed + p))
    failed=$((failed + f))
    skipped=$((skipped + ${s:-0}))
    if [ "$f" -eq 0 ]; then
        echo "ok      $name: $p checks, $(cat "$j.seconds") s"
        grep '^skipped: ' "$j.log"
    else
        echo "FAILED  $name: $f of $((p + f)) checks, exit code $code"
        grep -v -E '^[0-9]+ passed, [0-9]+ failed' "$j.log" | head -n 40 | sed 's/^/    /'
    fi
done
printf '%d passed, %d failed' $passed $failed
[ $skipped -gt 0 ] && printf ', %d skipped' $skipped
echo
[ $failed -eq 0 ] && [ $passed -gt 0 ]
