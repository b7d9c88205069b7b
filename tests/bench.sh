#!/bin/sh
# What bench/ holds, in small: every program compiles without a warning, runs a few frames of 1,000 boxes, and finds no
# wrong pair; the recorded scene is replayed and drawn (make demo); the recorders compile where their engines are here.
#
#   sh tests/bench.sh list     the parts
#   sh tests/bench.sh [PART ...]
#   STB=folder of stb_ds.h   CC=gcc   CXX=g++

cd "$(dirname "$0")/.." || exit 2
parts="$(cd bench && ls ./*.c | sed 's|./\(.*\)\.c|\1|') soak recorders table"
if [ "$1" = list ]; then echo $parts; exit; fi
. tests/sh.inc
[ $# -gt 0 ] || set -- $parts
begin "bench/$1"
export INSTALL=no   # not for a test
make="make -s CC='$CC' CXX='$CXX'"

compiles() {   # source
    check "compiles without a warning" "$CC -std=c99 -Wall -Wextra -Wpedantic -Werror -isystem '$STB' -fsyntax-only $1"
}

for part; do
    subject=bench/$part.c
    case $part in
    demo)
        compiles bench/demo.c
        check "make demo works" "$make demo && test -s build/demo.svg"
        check_xml build/demo.svg
        check "says so if there is no trace" "! build/demo '$work/no.trace' '$work/no.svg'" ;;
    soak)
        subject=tests/soak.c
        check "runs for a moment" "$make build/soak && build/soak 0" ;;
    recorders)
        for source in bench/record_*.cpp; do
            subject=$source
            recorder=$(basename "$source" .cpp)
            if ! echo "#include \"$root/$source\"" | $CXX -I/usr/include/bullet -E -x c++ - > /dev/null 2>&1; then
                skip "$source: its engine is not here (make traces installs it)"
                continue
            fi
            scene=$(sed -n 's/^TRACES *=.*\(wall\|pile\).*/\1/p' Makefile)
            [ "$recorder" = record_box2d ] && scene=pile
            [ "$recorder" = record_bullet ] && scene=wall
            check "records a scene" "$make build/$recorder && build/$recorder $scene '$work/$scene.trace'" &&
                check "which make demo replays" "$make build/demo && build/demo '$work/$scene.trace' '$work/$scene.svg'"
        done ;;
    grid)
        compiles bench/grid.c
        check "runs, and finds no wrong event" "$make build/grid && build/grid -n 100,300 -f 3 -o '$work/grid.svg'"
        check_svg "$work/grid.svg" ;;
    methods)
        compiles bench/methods.c
        check "runs, and finds no wrong pair" "$make build/methods && build/methods -n 30,300 -f 3 -o '$work/methods.svg'"
        check_svg "$work/methods.svg" ;;
    table)
        subject=bench/table.py
        if have python3; then check "make table-quick works" "$make table-quick"
        else skip "bench/table.py: no python3 here"; fi ;;
    *)
        compiles "bench/$part.c"
        few='-n 1000 -f 3'; [ "$part" = lived ] && few='-n 1000 -q'
        check "runs, and finds no wrong pair" "$make build/$part && build/$part $few" ;;
    esac
done
finish
