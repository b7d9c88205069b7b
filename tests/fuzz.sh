#!/bin/sh
# Feeds tests/fuzz.c with bytes.
#
#   sh tests/fuzz.sh run [SECONDS] [libfuzzer|afl]   looks for new ones; build/fuzz keeps what it learns and finds
#   sh tests/fuzz.sh replay                          runs those of tests/corpus, and prints 'N passed, N failed'
#   sh tests/fuzz.sh minimize                        tests/corpus anew: the fewest inputs that cover what build/fuzz does
#
#   STB=folder of stb_ds.h   BUILD=folder for objects (build/tests)   CC=gcc
#
# Inputs named found-* have shown a bug once: they stay, whatever they cover.

cd "$(dirname "$0")/.." || exit 2
STB=${STB:-build/stb}
BUILD=${BUILD:-build/tests}
CC=${CC:-gcc}
work=build/fuzz
optimise=-O1
[ "$1" = replay ] && optimise=-O0   # they run sooner than an optimiser is done
undefined="address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=all"   # shift-base: stb_ds.h

build() {   # program, then compiler and flags
    program=$1
    shift
    mkdir -p "$(dirname "$program")" && "$@" -std=c99 $optimise -g -isystem "$STB" -I. -o "$program" tests/fuzz.c -lm
}

# Compares are not traced: fuzz.c makes magic words and checks right itself, and five times as many runs are worth more.
build_libfuzzer() {
    sh bench/need.sh clang:clang || exit 1
    build $work/libfuzzer clang -fsanitize=fuzzer,$undefined -fno-sanitize-coverage=trace-cmp ||
        { echo "clang has no libFuzzer here: apt-get install libclang-rt-dev"; exit 1; }
}

learned() { mkdir -p $work/inputs && cp tests/corpus/* $work/inputs/ 2>/dev/null; }

case $1 in
run)
    seconds=${2:-600}
    learned
    case ${3:-libfuzzer} in
    libfuzzer)
        build_libfuzzer
        $work/libfuzzer -max_total_time="$seconds" -len_control=0 -entropic=0 -max_len=400 -print_final_stats=1 \
            -artifact_prefix=$work/found- $work/inputs > $work/log 2>&1
        code=$?
        grep -a -E '^stat::|^the input: |ERROR: AddressSanitizer|runtime error' $work/log
        ;;
    afl)
        sh bench/need.sh afl-clang-fast:afl++ || exit 1
        AFL_QUIET=1 build $work/afl afl-clang-fast -fsanitize=fuzzer || exit 1
        rm -rf $work/afl_out
        AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
            afl-fuzz -V "$seconds" -G 400 -i $work/inputs -o $work/afl_out -- $work/afl > $work/log 2>&1
        grep -E '^(execs_done|execs_per_sec|corpus_count|saved_crashes|saved_hangs)' $work/afl_out/default/fuzzer_stats
        cp $work/afl_out/default/queue/id* $work/inputs/
        code=0
        for input in "$work"/afl_out/default/crashes/id*; do
            [ -f "$input" ] && code=1 && cp "$input" "$work/found-$(basename "$input" | cut -c 1-9 | tr : _)"
        done
        ;;
    *) echo "FUZZER is libfuzzer or afl"; exit 2 ;;
    esac
    ls $work/found-* 2>/dev/null
    [ $code -eq 0 ] && echo "nothing found in $seconds s"
    exit $code
    ;;
replay)
    program=$BUILD/replay
    if ! build "$program" clang -fsanitize=$undefined -DFUZZ_REPLAY 2>/dev/null &&
       ! build "$program" "$CC" -fsanitize=$undefined -DFUZZ_REPLAY 2>/dev/null; then
        echo "skipped: sanitizers, neither clang nor $CC has them here"
        build "$program" "$CC" -DFUZZ_REPLAY || exit 1
    fi
    "$program" tests/corpus/* > "$program.log" 2>&1 && tail -n 1 "$program.log" && exit 0
    passed=0
    failed=0
    for input in tests/corpus/*; do   # one aborted: how many more do?
        if "$program" "$input" > "$program.log" 2>&1; then passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "failed: $input"
            head -n 8 "$program.log"
        fi
    done
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
    ;;
minimize)
    build_libfuzzer
    learned
    rm -rf $work/fewest && mkdir $work/fewest
    $work/libfuzzer -set_cover_merge=1 -use_counters=0 -max_len=400 $work/fewest $work/inputs > $work/log 2>&1 || exit 1
    for input in tests/corpus/*; do
        case $input in */found-*) ;; *) rm -f "$input" ;; esac
    done
    for input in "$work"/fewest/*; do cp "$input" "tests/corpus/$(basename "$input" | cut -c 1-10)"; done
    echo "$(ls tests/corpus | wc -l) inputs, $(cat tests/corpus/* | wc -c) bytes"
    ;;
*) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
