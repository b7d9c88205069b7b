#!/bin/sh
# What looks for errors without running into them: clang-tidy and cppcheck over both headers, then tests under the
# memory sanitizer and valgrind, for what is read before it is written. Prints what they say; nothing is good.
#
#   STB=folder of stb_ds.h   CC=gcc

cd "$(dirname "$0")/.." || exit 2
STB=${STB:-build/stb}
CC=${CC:-gcc}
work=build/analyse
sh bench/need.sh clang-tidy:clang-tidy cppcheck:cppcheck clang:clang valgrind:valgrind || exit 1
mkdir -p $work || exit 1
failed=0

printf '#define SAP_MULTI_IMPLEMENTATION\n#include "../../sap_multi.h"\n' > $work/headers.c

# Left out, for
#   easily-swappable-parameters      two ints in a row are no error
#   reserved-identifier              sap__ is how the headers mark what is private
#   implicit-widening-...            products of counts that the 2^24 boxes and 1,024 strips of a world keep small
#   integer-division                 the split of a node's boxes is at a whole number of leaves
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

for test in "test_model 10" "test_query 10" "test_snapshot 20" "test_multi 8" "test_prune 50" test_contract; do
    set -- $test
    echo "memory sanitizer: $1"
    clang -std=c99 -O1 -g -fsanitize=memory -fno-sanitize-recover=all -isystem "$STB" -I. -o "$work/$1" "tests/$1.c" \
        -lm -pthread && "$work/$1" $2 > $work/log || { tail -n 20 $work/log; failed=1; }
done
for test in "test_model 3" "test_query 2" test_contract; do
    set -- $test
    echo "valgrind: $1"
    "$CC" -std=c99 -O1 -g -isystem "$STB" -I. -o "$work/$1" "tests/$1.c" -lm -pthread &&
        valgrind --quiet --error-exitcode=1 --leak-check=full "$work/$1" $2 > $work/log || { tail -n 20 $work/log; failed=1; }
done
[ $failed -eq 0 ] && echo "nothing found"
exit $failed
