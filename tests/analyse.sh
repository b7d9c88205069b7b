#!/bin/sh
# What looks for errors without running into them: clang-tidy and cppcheck over both headers, then tests under the
# memory sanitizer and valgrind, for what is read before it is written. Prints what they say; nothing is good.
#
#   STB=folder of stb_ds.h   CC=gcc

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
work=build/analyse
sh bench/need.sh clang-tidy:clang-tidy cppcheck:cppcheck clang:clang valgrind:valgrind || exit 1
mkdir -p $work || exit 1
failed=0

printf '#define SAP_MULTI_IMPLEMENTATION\n#include "../../sap_multi.h"\n' > $work/headers.c

# Left out, for
#   easily-swappable-parameters      two ints in a row are no error
#   reserved-identifier              sap__ is how the headers mark what is private
#   implicit-widening-...            products of counts that the 2^24 boxes of a world keep small
#   integer-division                 a split is at a whole number of boxes
#   sizeof-expression                arrays of pointers do have elements of that size
#   no-int-to-ptr                    a snapshot keeps the user's pointers as numbers
#   DeprecatedOrUnsafeBufferHandling asks for memcpy_s, which C libraries do not have
left_out=-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier
left_out=$left_out,-bugprone-implicit-widening-of-multiplication-result,-bugprone-integer-division
left_out=$left_out,-bugprone-sizeof-expression,-performance-no-int-to-ptr
left_out=$left_out,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
echo "clang-tidy"
clang-tidy --quiet --header-filter='sap(_multi)?\.h$' --warnings-as-errors='*' \
    --checks="-*,clang-analyzer-*,bugprone-*,performance-*,portability-*,$left_out" \
    $work/headers.c -- -std=c99 -isystem "$STB" 2>/dev/null || failed=1

# Left out, for
#   arrayIndexThenCheck   what is compared after the access are two slots, none of them a limit
#   memleak               the array lives on behind the pointer that is written through
#   uninitvar             order[0] is written before the loop reads it
echo "cppcheck"
cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c99 -I "$STB" \
    --suppress='*:*stb_ds.h' --suppress=arrayIndexThenCheck --suppress=memleak --suppress=uninitvar \
    -D__SSE2__ -D__GNUC__=12 -D__x86_64__ $work/headers.c || failed=1

# Where tests only use the public face, the implementation is compiled once for them.
try() {   # what, compiler and flags, how to run; then tests with their numbers of seeds
    what=$1 compile="$2 -std=c99 -isystem $STB -I." run=$3
    shift 3
    [ ! -f tests/ways.c ] || $compile -c -o $work/ways.o tests/ways.c || failed=1
    for test; do
        seeds=${test#* } test=${test% *} object=$work/ways.o
        [ "$seeds" = "$test" ] && seeds=
        [ -f tests/$test.c ] || continue
        is_alone tests/$test.c && object=
        echo "$what: $test"
        $compile -o "$work/$test" "tests/$test.c" $object -lm -pthread && $run "$work/$test" $seeds > $work/log ||
            { tail -n 20 $work/log; failed=1; }
    done
}
try "memory sanitizer" "clang -O1 -g -fsanitize=memory -fno-sanitize-recover=all" "" \
    "test_model 10" "test_query 10" "test_snapshot 20" "test_multi 8" "test_prune 50" test_contract test_calls \
    "test_size 2000 3"   # its allocator fills nothing
try valgrind "$CC -O1 -g" "valgrind --quiet --error-exitcode=1 --leak-check=full" "test_model 3" "test_query 2" test_contract
[ $failed -eq 0 ] && echo "nothing found"
exit $failed
