#!/bin/sh
# The examples of threads and processes, examples/multi_*.c and mpi_world.c: each says what it shows, compiles with the
# command in its head and without a warning, and prints what its head says, with one thread as with four. What needs
# OpenMP or MPI is skipped where they are not installed (`make mpi` installs MPI).
#
#   STB=folder of stb_ds.h   BUILD=folder for objects   CC=gcc

cd "$(dirname "$0")/.." || exit 2
root=$(pwd)
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$root/build/tests}
CC=${CC:-gcc}
work=$BUILD/multi
rm -rf "$work" && mkdir -p "$work" || exit 2
STB=$(cd "$STB" && pwd) && work=$(cd "$work" && pwd) || exit 2
passed=0
failed=0
skipped=0

check() {   # what is checked, command
    if eval "$2" > "$work/log" 2>&1 </dev/null; then passed=$((passed + 1)); return 0; fi
    echo "failed: $name: $1"
    head -n 20 "$work/log"
    failed=$((failed + 1))
    return 1
}
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Werror"
example() {   # name, compiler, flags, what its head calls the compiler
    name=$1
    sed '/^\*\//q' "examples/$name.c" > "$work/$name.head"
    sed -n '/[Pp]rints.*:$/,$ s/^    //p' "$work/$name.head" > "$work/$name.expected"
    command=$(sed -n "s/^ *$4 \(.* -o $name $name.c[^&]*\) && .*/\1/p" "$work/$name.head")
    check "begins with 'Shows how to'" "sed -n 2p '$work/$name.head' | grep '^Shows how to '"
    check "its head says what it prints" "test -s '$work/$name.expected'"
    check "its head has the command that compiles it" "test -n '$command'" &&
        check "'$4 $command' works" "(cd examples && CPATH='$STB' $2 $(echo "$command" | sed "s| -o | -o '$work'/|"))"
    check "compiles without a warning" \
        "$2 -std=c99 -O2 $warnings $3 -isystem '$STB' -I. -o '$work/$name' 'examples/$name.c' -lm"
}
prints() {    # with what, command
    check "prints what its head says, with $1" "$2 > '$work/$name.output' && diff '$work/$name.expected' '$work/$name.output'"
}

example multi_pool "$CC" -pthread cc &&
    for n in 1 2 4; do prints "$n threads" "'$work/multi_pool' $n"; done
printf '#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' > "$work/probe.c"
if $CC -fopenmp -o "$work/probe" "$work/probe.c" 2>/dev/null && "$work/probe"; then
    example multi_openmp "$CC" -fopenmp cc &&
        for n in 1 4; do prints "$n threads" "OMP_NUM_THREADS=$n '$work/multi_openmp'"; done
else skip "the example of OpenMP: $CC has it not here"; fi
run='mpirun --allow-run-as-root --oversubscribe'
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
    example mpi_world mpicc "" mpicc &&
        prints "1 to 4 ranks" "for n in 1 2 3 4; do $run -np \$n '$work/mpi_world' || exit 1; done"
else skip "the example of MPI: no mpicc or mpirun here"; fi

printf '%d passed, %d failed' $passed $failed
[ $skipped -gt 0 ] && printf ', %d skipped' $skipped
echo
[ $failed -eq 0 ] && [ $passed -gt 0 ]
