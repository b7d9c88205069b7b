#!/bin/sh
# The examples of threads and processes, examples/threads_*.c and mpi_world.c: each says what it shows, compiles with the
# command in its head and without a warning, and prints what its head says, with one thread as with four. What needs
# OpenMP or MPI is skipped where they are not installed (`make mpi` installs MPI).
#
#   STB=folder of stb_ds.h   BUILD=folder for programs   CC=gcc

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
begin threads

example() {   # name, compiler, what its head calls the compiler
    subject=examples/$1.c
    head_of "$subject" > "$work/head"
    sed -n '/[Pp]rints.*:$/,$ s/^    //p' "$work/head" > "$work/$1.expected"
    command=$(command_of "$subject" "$3")
    check "begins with 'Shows how'" "sed -n 2p '$work/head' | grep '^Shows how '"
    check "its head says what it prints" "test -s '$work/$1.expected'"
    with=$(shared "$subject" "$CC -O1") || check "the implementation compiles" false
    check "its head has the command that compiles it" "test -n '$command'" &&
        check "'$3 $command' works, without a warning" \
            "(cd examples && $2 -std=c99 $warnings -Werror $command $with -lm)"
}
prints() {    # name, with what, command
    check "prints what its head says, with $2" "$3 > '$work/$1.output' && diff '$work/$1.expected' '$work/$1.output'"
}

for source in examples/threads_*.c; do
    name=$(basename "$source" .c)
    if grep -q '<omp.h>\|#pragma omp' "$source" && ! can $CC -fopenmp; then
        skip "$source: $CC has no OpenMP here"
    elif example "$name" "$CC" cc; then
        for n in 1 2 4; do prints "$name" "$n threads" "OMP_NUM_THREADS=$n '$work/$name' $n"; done
    fi
done
run='mpirun --allow-run-as-root --oversubscribe'
if have mpicc && have mpirun; then
    example mpi_world mpicc mpicc &&
        prints mpi_world "1 to 4 ranks" "for n in 1 2 3 4; do $run -np \$n '$work/mpi_world' || exit 1; done"
else skip "examples/mpi_world.c: no mpicc or mpirun here (make mpi installs them)"; fi
finish
